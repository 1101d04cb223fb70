#include "summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "talk.h"

static void line(FILE *to, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void line(FILE *to, const char *label, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(to, "  %-13s ", label);
  vfprintf(to, format, args);
  fputc('\n', to);
  va_end(args);
}

static int law_warnings(FILE *to, const char *indent, const carom_model *model) {
  const char *colour = to ? style(to, STYLE_WARNING) : "", *plain = to ? style(to, STYLE_PLAIN) : "";
  carom_remark r;
  int count = 0;
  for (; (r = carom_model_remark(model, count)).name; count++) {
    if (!to) continue;
    fprintf(to, "%s%s%s:%s '%s'", indent, colour, r.name, plain, r.contact);
    if (r.count > 1) fprintf(to, " and %d more", r.count - 1);
    if (strcmp(r.name, "restitution") == 0) fprintf(to, " (nominal %.3g, achieved %.3g)", r.prescribed, r.achieved);
    fprintf(to, ": %s\n", r.text);
  }
  return count;
}

static bool is_driven(const carom_model *model, const char *joint) {
  const char *of;
  for (int i = 0; carom_model_part(model, "drives", i).name; i++)
    if ((of = carom_model_part(model, "drives", i).between[0]) && strcmp(of, joint) == 0) return true;
  return false;
}

// What assembly changed of the given start.
static int start_warnings(FILE *to, const char *indent, const carom_model *model) {
  carom_model_info info = carom_model_get_info(model);
  const char *colour = to ? style(to, STYLE_WARNING) : "", *plain = to ? style(to, STYLE_PLAIN) : "";
  int count = 0;
  if (info.moved_joint && ++count && to) {
    fprintf(to, "%s%sstart:%s the given q of joint '%s' was changed %s, from %.9g to %.9g", indent, colour, plain,
            info.moved_joint, is_driven(model, info.moved_joint) ? "because a drive fixes it" : "to close the loops",
            info.moved_from, info.moved_to);
    if (info.moved_count > 1) fprintf(to, "; %d more given coordinates changed by less", info.moved_count - 1);
    fputc('\n', to);
  }
  if (info.changed_joint && ++count && to)
    fprintf(to, "%s%sstart:%s the given u of joint '%s' was changed %s, from %.9g to %.9g", indent, colour, plain,
            info.changed_joint,
            is_driven(model, info.changed_joint) ? "because a drive fixes it" : "to satisfy the constraints",
            info.changed_from, info.changed_to);
  if (info.changed_body && ++count && to)
    fprintf(to,
            "%s%sstart:%s the given %s of body '%s' was changed because joints, drives or given u fix it, from %.9g to "
            "%.9g",
            indent, colour, plain, info.changed_key, info.changed_body, info.changed_from, info.changed_to);
  if ((info.changed_joint || info.changed_body) && to) {
    if (info.changed_count > 1) fprintf(to, "; %d more given speeds changed by less", info.changed_count - 1);
    fputc('\n', to);
  }
  return count;
}

int summary_model_warnings(FILE *to, const char *indent, const carom_model *model) {
  return start_warnings(to, indent, model) + law_warnings(to, indent, model);
}

// A key of the verdict in words: step_too_large, step too large.
static void print_key(FILE *to, const char *key) {
  for (; *key; key++) fputc(*key == '_' ? ' ' : *key, to);
}

int summary_warnings(FILE *to, const char *indent, const carom_model *model, const carom_verdict *verdict) {
  int count = start_warnings(to, indent, model);
  carom_check c;
  for (int i = 0; (c = carom_verdict_check(verdict, i)).key; i++) {
    // how it ended has a line of its own, and of the start more is known above
    if (c.level == CAROM_GOOD || strcmp(c.key, "end") == 0 || strcmp(c.key, "initial") == 0) continue;
    count++;
    if (!to) continue;
    fprintf(to, "%s%s", indent, style(to, c.level == CAROM_BAD ? STYLE_ERROR : STYLE_WARNING));
    print_key(to, c.key);
    fprintf(to, ":%s %s\n", style(to, STYLE_PLAIN), c.sentence);
  }
  return count;
}

void summary_notes(FILE *to, const char *indent, const carom_model *model) {
  const char *note;
  for (int i = 0; (note = carom_model_note(model, i)); i++) fprintf(to, "%snote: %s\n", indent, note);
}

static void print_method(FILE *to, const carom_model_info *info) {
  int all = info->freedom + info->drives;
  char driven[32] = "";
  if (info->drives) snprintf(driven, sizeof driven, ", %d driven", info->drives);
  line(to, "method", "%s%s%s, %s coordinates, %d degree%s of freedom%s", info->method,
       *info->integrator ? " with integrator " : "", info->integrator,
       info->coordinates == CAROM_ABSOLUTE ? "absolute" : "joint", all, all == 1 ? "" : "s", driven);
}

static void print_reached(FILE *to, const carom_summary *s) {
  const char *how = s->status == CAROM_OK            ? "the end"
                    : s->status == CAROM_INTERRUPTED ? "interrupted"
                    : s->status == CAROM_ERROR_FILE  ? "a file could not be written"
                                                     : "failed";
  line(to, "reached", "t = %.9g s, %s", s->t, how);
}

static void print_effort(FILE *to, const carom_summary *s) {
  char steps[32], rejected[32], evaluations[32], rate[32];
  line(to, "steps", "%s, %s rejected, %s evaluation%s", grouped(s->steps, steps), grouped(s->rejected, rejected),
       grouped(s->evaluations, evaluations), s->evaluations == 1 ? "" : "s");
  line(to, "wall time", "%.3g s, %s steps/s", s->wall_s, grouped(lround(fmin(s->steps_per_s, 1e15)), rate));
}

// How far to trust the run.
static void print_trust(FILE *to, const carom_model_info *info, const carom_summary *s) {
  if (isfinite(s->energy_imbalance)) line(to, "energy", "relative error %.1e", s->energy_imbalance);
  else line(to, "energy", "not a finite number: do not trust this run");
  if (info->constraint_rows == 0) line(to, "constraints", "none: joint coordinates satisfy every joint exactly");
  else line(to, "constraints", "largest violation %.1e (m or rad)", s->constraint_violation);
}

// Contact and the solution of its problems.
static void print_contact(FILE *to, const carom_model *model, const carom_summary *s) {
  char episodes[32], impacts[32], solves[32], searches[32];
  if (!carom_model_part(model, "contacts", 0).name && !carom_model_get_info(model).finds_pairs) return;
  line(to, "contact", "%s episode%s with %s impact%s, deepest penetration %.1e m",
       grouped(s->contact_episodes, episodes), s->contact_episodes == 1 ? "" : "s",
       grouped(s->contact_impacts, impacts), s->contact_impacts == 1 ? "" : "s", s->deepest_penetration);
  if (s->penetration_bound > 0)
    line(to, "", "penetration at first contact at most %.1e m, bound %.1e m", s->worst_initial_penetration,
         s->penetration_bound);
  if (s->accumulations)
    line(to, "", "%ld accumulation%s of impacts summed in closed form, position error at most %.1e m", s->accumulations,
         s->accumulations == 1 ? "" : "s", s->accumulation_error);
  if (s->normal_searches)
    line(to, "", "%s common normal%s in %.1f iterations each, %ld by a search in all directions",
         grouped(s->normal_searches, searches), s->normal_searches == 1 ? "" : "s",
         (double)s->normal_iterations / (double)s->normal_searches, s->normal_fallbacks);
  if (s->solves)
    line(to, "", "%s contact problem%s, %ld unsolved, worst residual %.1e", grouped(s->solves, solves),
         s->solves == 1 ? "" : "s", s->unsolved, s->worst_residual);
}

static void print_verdict(FILE *to, const carom_model *model, const carom_verdict *verdict) {
  static const char *const words[] = {"good: no problems found",
                                      "doubtful: read the warnings before you trust this run",
                                      "bad: do not trust this run as it is"};
  static const text_style styles[] = {STYLE_PLAIN, STYLE_WARNING, STYLE_ERROR};
  carom_level level = carom_verdict_level(verdict);
  bool warned = summary_warnings(NULL, "", model, verdict) > 0;
  const char *word = warned || level == CAROM_GOOD ? words[level] : "not finished: no other problems found";
  line(to, "verdict", "%s%s%s", style(to, styles[level]), word, style(to, STYLE_PLAIN));
  if (warned) {
    fprintf(to, "  warnings\n");
    summary_warnings(to, "    ", model, verdict);
  } else {
    line(to, "warnings", "none");
  }
}

// A word as the shell takes it.
static void print_word(FILE *to, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+:,@%-";
  if (*word && strspn(word, plain) == strlen(word)) {
    fprintf(to, " %s", word);
    return;
  }
  fprintf(to, " '");
  for (; *word; word++) {
    if (*word == '\'') fputs("'\\''", to);
    else fputc(*word, to);
  }
  fputc('\'', to);
}

// The command that goes on where this run was interrupted, in the same record.
static void print_resume(FILE *to, const char *model_path, const summary_files *files) {
  fprintf(to, "  %-13s carom run", "to resume");
  print_word(to, model_path);
  if (files->end) fprintf(to, " --end"), print_word(to, files->end);
  for (int i = 0; i < files->settings->count; i++) {
    const carom_setting *set = &files->settings->items[i];
    size_t size = strlen(set->name) + strlen(set->value) + 2;
    char *both = malloc(size);
    if (!both) break;
    snprintf(both, size, "%s=%s", set->name, set->value);
    fprintf(to, " --set");
    print_word(to, both);
    free(both);
  }
  fprintf(to, " --resume");
  print_word(to, files->record);
  fprintf(to, " -o");
  print_word(to, files->record);
  fputc('\n', to);
}

void summary_print(FILE *to, const char *model_path, const carom_model *model, const carom_summary *s,
                   const carom_verdict *verdict, const summary_files *files) {
  carom_model_info info = carom_model_get_info(model);
  const char *title = info.title && *info.title ? info.title : model_path;
  fprintf(to, "%s%s%s\n", style(to, STYLE_STRONG), title, style(to, STYLE_PLAIN));
  print_method(to, &info);
  print_reached(to, s);
  print_effort(to, s);
  print_trust(to, &info, s);
  print_contact(to, model, s);
  print_verdict(to, model, verdict);
  summary_notes(to, "    ", model);
  if (files->record && files->csv) line(to, "results", "%s, %s", files->record, files->csv);
  else if (files->record || files->csv) line(to, "results", "%s", files->record ? files->record : files->csv);
  else line(to, "results", "not recorded");
  if (!files->record) return;
  if (s->status == CAROM_INTERRUPTED) print_resume(to, model_path, files);
  fprintf(to, "  %-13s carom export", "to read them"), print_word(to, files->record), fprintf(to, " --to csv\n");
  if (files->report) line(to, "to see them", "open %s in a browser", files->report);
  else fprintf(to, "  %-13s carom report", "to see them"), print_word(to, files->record), fputc('\n', to);
}
