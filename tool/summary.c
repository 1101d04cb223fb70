#include "summary.h"

#include <math.h>
#include <stdarg.h>
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

// What rigid contact should not hide; as many as there are.
static int contact_warnings(FILE *to, const char *indent, const carom_summary *s) {
  if (!s) return 0;
  const char *colour = to ? style(to, STYLE_WARNING) : "", *plain = to ? style(to, STYLE_PLAIN) : "";
  const struct {
    long count;
    const char *name, *text;
  } kinds[] = {
      {s->unbalanced, "energy", "run whose energy does not balance: steps or tolerances are too coarse, or the motion passes a "
                                "singular position or a jump; do not trust it"},
      {s->unsolved - s->impossible, "unsolved", "contact problems that no solver solved to tolerance"},
      {s->impossible, "impossible", "contact problems that have no solution: every combination of open, stick and slip was "
                                    "tried; what touches is asked for motions that exclude each other"},
      {s->step_too_large, "step too large", "contacts first seen deeper than the clearance or the body, or bodies "
                                            "that went through each other: impacts were missed or came late; take a "
                                            "shorter step"},
      {s->too_deep, "penetration", "contacts first met deeper than their bound: their forces are not earned by any motion, and "
                                   "energy was made of nothing; use 'entry: locate', or shorter steps"},
      {s->inconsistent, "inconsistent", "steps in which no finite force fits a sliding contact (Painlevé's paradox); an "
                                        "impact without collision was taken"},
      {s->indeterminate, "indeterminate", "steps in which more than one motion fits a sliding contact (Painlevé's "
                                          "paradox); lifting off was tried first"},
      {s->friction_unsettled, "friction unsettled", "steps in which the friction of a joint and the load it comes from did not "
                                                    "agree: the mechanism locks itself, or contacts and joints hold the "
                                                    "same motion and more than one load fits; give the joint a constant "
                                                    "friction_torque or friction_force, or less friction"},
      {s->unsettled, "unsettled", "instants at which impacts followed each other without end, or stick and slip could not be "
                                  "decided together with the load of joints; the motion went on with the last that was found"},
      {s->energy_gains, "energy gain", "steps whose impacts added energy, as Newton's restitution with friction may"},
  };
  int count = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (!kinds[i].count) continue;
    count++;
    if (to) fprintf(to, "%s%s%s:%s %ld %s\n", indent, colour, kinds[i].name, plain, kinds[i].count, kinds[i].text);
  }
  return count;
}

static int law_warnings(FILE *to, const char *indent, const carom_model *model) {
  const char *colour = to ? style(to, STYLE_WARNING) : "", *plain = to ? style(to, STYLE_PLAIN) : "";
  carom_remark r;
  int count = 0;
  for (; (r = carom_model_remark(model, count)).name; count++) {
    if (!to) continue;
    fprintf(to, "%s%s%s:%s '%s'", indent, colour, r.name, plain, r.contact);
    if (r.count > 1) fprintf(to, " and %d more", r.count - 1);
    if (strcmp(r.name, "restitution") == 0) fprintf(to, " (%.3g asked for, %.3g to come)", r.prescribed, r.achieved);
    fprintf(to, ": %s\n", r.text);
  }
  return count;
}

int summary_warnings(FILE *to, const char *indent, const carom_model *model, const carom_summary *s) {
  carom_model_info info = carom_model_get_info(model);
  const char *colour = to ? style(to, STYLE_WARNING) : "", *plain = to ? style(to, STYLE_PLAIN) : "";
  int count = 0;
  if (info.moved_joint && ++count && to) {
    fprintf(to, "%s%sstart:%s the given q of joint '%s' had to give way so that the loops close, from %.9g to %.9g",
            indent, colour, plain, info.moved_joint, info.moved_from, info.moved_to);
    if (info.moved_count > 1) fprintf(to, "; %d more gave way by less", info.moved_count - 1);
    fputc('\n', to);
  }
  if (info.changed_joint && ++count && to)
    fprintf(to, "%s%sstart:%s the given u of joint '%s' had to give way so that the speeds fit, from %.9g to %.9g\n",
            indent, colour, plain, info.changed_joint, info.changed_from, info.changed_to);
  if (s && s->restarts && ++count && to)
    fprintf(to, "%s%srestart:%s %ld from a checkpoint: the multistep integrator began anew, so the last digits differ "
                "from those of a run in one piece\n", indent, colour, plain, s->restarts);
  if (s && s->projection_failures && ++count && to)
    fprintf(to, "%s%sprojection:%s %ld steps whose constraints could not be met to tolerance\n", indent, colour, plain,
            s->projection_failures);
  return count + law_warnings(to, indent, model) + contact_warnings(to, indent, s);
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
                                                     : "failed there";
  line(to, "reached", "t = %.9g s, %s", s->t, how);
}

static void print_effort(FILE *to, const carom_summary *s) {
  char steps[32], rejected[32], evaluations[32], rate[32];
  line(to, "steps", "%s, %s rejected, %s evaluations", grouped(s->steps, steps), grouped(s->rejected, rejected),
       grouped(s->evaluations, evaluations));
  line(to, "wall time", "%.3g s, %s steps/s", s->wall_s, grouped(lround(fmin(s->steps_per_s, 1e15)), rate));
}

// How far to trust the run.
static void print_trust(FILE *to, const carom_model_info *info, const carom_summary *s) {
  if (isfinite(s->energy_imbalance))
    line(to, "energy", "%s %.1e of the energy that went through", s->unbalanced ? "NOT closed: off by" : "closed to",
         s->energy_imbalance);
  else
    line(to, "energy", "the balance could not be drawn up: a number overflowed");
  if (info->constraint_rows == 0) line(to, "constraints", "none to hold: joint coordinates satisfy every joint exactly");
  else line(to, "constraints", "held to %.1e (m or rad), the largest violation met", s->constraint_violation);
}

// What touched, and how well that was solved.
static void print_contact(FILE *to, const carom_model *model, const carom_summary *s) {
  char episodes[32], solves[32];
  if (!carom_model_part(model, "contacts", 0).name) return;
  line(to, "contact", "%s episode%s, deepest penetration %.1e m", grouped(s->contact_episodes, episodes),
       s->contact_episodes == 1 ? "" : "s", s->deepest_penetration);
  if (s->penetration_bound > 0)
    line(to, "", "first met at most %.1e m deep, where %.1e m is the bound", s->worst_initial_penetration,
         s->penetration_bound);
  if (s->accumulations)
    line(to, "", "%ld accumulation%s of impacts summed in closed form, moving a point by %.1e m at most", s->accumulations,
         s->accumulations == 1 ? "" : "s", s->accumulation_error);
  if (s->solves)
    line(to, "", "%s contact problems, %ld unsolved, worst residual %.1e", grouped(s->solves, solves), s->unsolved,
         s->worst_residual);
}

void summary_print(FILE *to, const char *model_path, const carom_model *model, const carom_summary *s,
                   const summary_files *files) {
  carom_model_info info = carom_model_get_info(model);
  const char *title = info.title && *info.title ? info.title : model_path;
  fprintf(to, "%s%s%s\n", style(to, STYLE_STRONG), title, style(to, STYLE_PLAIN));
  print_method(to, &info);
  print_reached(to, s);
  print_effort(to, s);
  print_trust(to, &info, s);
  print_contact(to, model, s);
  if (summary_warnings(NULL, "", model, s)) {
    fprintf(to, "  warnings\n");
    summary_warnings(to, "    ", model, s);
  } else {
    line(to, "warnings", "none");
  }
  summary_notes(to, "    ", model);
  if (files->record && files->csv) line(to, "results", "%s, %s", files->record, files->csv);
  else if (files->record || files->csv) line(to, "results", "%s", files->record ? files->record : files->csv);
  else line(to, "results", "not recorded");
  if (!files->record) return;
  if (s->status == CAROM_INTERRUPTED) line(to, "to go on", "carom run %s --resume %s", model_path, files->record);
  line(to, "to read them", "carom export %s --to csv", files->record);
  if (files->report) line(to, "to see them", "open %s in a browser", files->report);
  else line(to, "to see them", "carom report %s", files->record);
}
