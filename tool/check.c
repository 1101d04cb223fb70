// carom check: what a model is, and what assembly did to start it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "load.h"
#include "summary.h"
#include "talk.h"

typedef struct check_args {
  const char *model;
  setting_list settings;
  bool signals, json;
} check_args;

#define AT(field) offsetof(check_args, field)
static const arg check_table[] = {
    {.name = "MODEL", .kind = ARG_OPERAND, .offset = AT(model), .required = true, .help = "the model file"},
    {.name = "--set",
     .kind = ARG_SETTING,
     .value = "NAME=VALUE",
     .offset = AT(settings),
     .help = "change a parameter or any key: coordinates=absolute"},
    {.name = "--signals", .kind = ARG_FLAG, .offset = AT(signals), .help = "list every signal with its unit"},
    {.name = "--json", .kind = ARG_FLAG, .offset = AT(json), .help = "print one JSON object"},
};
#undef AT

static int run_check(int argc, char **argv);
const command command_check = {"check",
                               "Check a model and describe it: bodies, joints, degrees of freedom, constraints, start.",
                               NULL,
                               check_table,
                               sizeof check_table / sizeof *check_table,
                               run_check};

static const char *space_word(const carom_model_info *info) {
  return info->space == CAROM_PLANAR ? "planar" : "spatial";
}

static const char *coordinates_word(const carom_model_info *info) {
  return info->coordinates == CAROM_ABSOLUTE ? "absolute" : "joint";
}

// --- for people ------------------------------------------------------------------------------------------------------

enum { MOST = 50 };  // a chain of a thousand links needs no list

// What follows from the shapes of a body.
static void print_from_shape(const carom_body_size *b, bool planar) {
  const double *c = b->com, *I = b->inertia;
  if (planar) {
    printf("    %-16s   from its shape: mass centre [%.6g, %.6g] m, inertia %.6g kg m^2\n", "", c[0], c[1], I[2]);
    return;
  }
  printf("    %-16s   from its shape: mass centre [%.6g, %.6g, %.6g] m\n", "", c[0], c[1], c[2]);
  printf("    %-16s   inertia [%.6g, %.6g, %.6g, %.6g, %.6g, %.6g] kg m^2 (xx, yy, zz, xy, xz, yz)\n", "", I[0], I[1],
         I[2], I[3], I[4], I[5]);
}

static void print_modes(const carom_model *model, int body) {
  enum { MODES = 8 };
  const int count = carom_model_body_modes(model, body);
  if (!count) return;
  printf("    %-16s   flexible, %d mode%s:", "", count, count == 1 ? "" : "s");
  for (int k = 0; k < count; k++) {
    if (k >= MODES && k < count - 1) continue;
    printf("%s %.4g",
           k == 0                                ? ""
           : k == count - 1 && count > MODES + 1 ? ", ..."
                                                 : ",",
           carom_model_body_frequency(model, body, k) / 6.283185307179586);
  }
  printf(" Hz, of the body alone ('carom modes' finds those with its joints)\n");
  carom_interface place;
  for (int k = 0; (place = carom_model_body_interface(model, body, k)).name; k++)
    printf("    %-16s   at %s: %d static mode%s of %d load%s, which miss %.3g %% of a static load\n", "", place.name,
           place.modes, place.modes == 1 ? "" : "s", place.loads, place.loads == 1 ? "" : "s",
           place.missing > 1e-9 ? 100 * place.missing : 0);
}

// Lengths and masses as they were understood: millimetres taken for metres show here.
static void print_bodies(const carom_model *model, const carom_model_info *info) {
  double mass = 0;
  for (int i = 1; i <= info->bodies; i++) mass += carom_model_body_size(model, i).mass;
  printf("  %-12s %d", "bodies", info->bodies);
  if (info->bodies) printf(", %.4g kg in all; typical length %.4g m", mass, info->length);
  putchar('\n');
  for (int i = 1; i <= info->bodies && i <= MOST; i++) {
    carom_body_size b = carom_model_body_size(model, i);
    printf("    %-16s %.4g kg", carom_model_body_name(model, i), b.mass);
    if (b.size > 0) printf(", size %.4g m", b.size);
    if (b.gyration > 0) printf(", radius of gyration %.4g m", b.gyration);
    putchar('\n');
    if (b.from_shape) print_from_shape(&b, info->space == CAROM_PLANAR);
    print_modes(model, i);
  }
  if (info->bodies > MOST) printf("    ... and %d more\n", info->bodies - MOST);
}

static void print_part(const carom_part *p, const char *more) {
  printf("    %-16s %-12s", p->name, *p->kind ? p->kind : "drives");
  if (p->between[0] && p->between[1]) printf(" %s - %s", p->between[0], p->between[1]);
  else if (p->between[0]) printf(" %s%s", *p->kind ? "on " : "", p->between[0]);
  printf("%s%s\n", *more ? ", " : "", more);
}

static int count_parts(const carom_model *model, const char *section) {
  int count = 0;
  while (carom_model_part(model, section, count).name) count++;
  return count;
}

// How far apart its surfaces start.
static const char *gap_text(const carom_model *model, int i, char *text, size_t size) {
  double gap = carom_model_start_gap(model, i);
  const char *unit = carom_model_start_gap_unit(model, i);
  if (fabs(gap) <= carom_model_get_info(model).activation) snprintf(text, size, ", in contact at the start");
  else if (gap > 0) snprintf(text, size, ", gap at the start %.4g %s", gap, unit);
  else if (gap < 0) snprintf(text, size, ", starts %.4g %s deep", -gap, unit);
  else snprintf(text, size, ", in contact at the start");
  return text;
}

static void print_parts(const carom_model *model, const char *section) {
  int count = count_parts(model, section);
  if (!count) return;
  printf("  %-12s %d\n", section, count);
  bool joints = strcmp(section, "joints") == 0, contacts = strcmp(section, "contacts") == 0;
  for (int i = 0; i < count && i < MOST; i++) {
    char gap[64] = "", more[256];
    carom_part p = carom_model_part(model, section, i);
    if (contacts) gap_text(model, i, gap, sizeof gap);
    snprintf(more, sizeof more, "%s%s", p.detail ? p.detail : "", gap);
    print_part(&p, joints && carom_model_joint_closes_loop(model, i) ? "closes a loop" : more);
  }
  if (count > MOST) printf("    ... and %d more\n", count - MOST);
}

// What a model computes, remembers and has computed by a program.
static void print_control(const carom_model *model, const char *section, const char *heading) {
  int count = count_parts(model, section);
  if (!count) return;
  printf("  %-12s %d\n", heading, count);
  for (int i = 0; i < count && i < MOST; i++) {
    carom_part p = carom_model_part(model, section, i);
    printf("    %-16s %s\n", p.name, *p.detail ? p.detail : "-");
  }
  if (count > MOST) printf("    ... and %d more\n", count - MOST);
}

static void print_surfaces(const carom_model_info *info) {
  if (!info->surfaces) return;
  printf("  %-12s %d, %ld possible pair%s%s\n", "surfaces", info->surfaces, info->possible_pairs,
         info->possible_pairs == 1 ? "" : "s",
         info->finds_pairs ? ", found as they come near; columns only for pairs that 'contacts' names" : "");
}

// Small lengths that decide what touches.
static void print_contact_limits(const carom_model *model, const carom_model_info *info) {
  if (info->neighbour_pairs)
    printf("    %-16s %d pair%s on bodies that a joint connects; name them in 'contacts' to have them touch\n",
           "left out", info->neighbour_pairs, info->neighbour_pairs == 1 ? "" : "s");
  if (info->nonexistent_pairs)
    printf(
        "    %-16s %ld pair%s whose contact does not exist: two planes, two points, or a plane or height field and a "
        "height field\n",
        "left out", info->nonexistent_pairs, info->nonexistent_pairs == 1 ? "" : "s");
  if (!carom_model_part(model, "contacts", 0).name && !info->finds_pairs) return;
  if (info->activation > 0) printf("    contacts become active below a gap of %.3g m (activation)\n", info->activation);
  if (info->penetration_max > 0)
    printf("    contacts are first detected at most %.3g m deep (penetration_max)\n", info->penetration_max);
}

static void print_freedom(const carom_model_info *info) {
  int all = info->freedom + info->drives;
  printf("  %-12s %d degree%s of freedom", "motion", all, all == 1 ? "" : "s");
  if (info->drives) printf(", %d of them driven", info->drives);
  putchar('\n');
  printf("  %-12s %d coordinate%s and %d speed%s (%s coordinates)\n", "state", info->coordinates_count,
         info->coordinates_count == 1 ? "" : "s", info->speeds, info->speeds == 1 ? "" : "s", coordinates_word(info));
  if (info->assembly_levels)
    printf("  %-12s divide and conquer: %d level%s of assembly and as many of disassembly\n", "response",
           info->assembly_levels, info->assembly_levels == 1 ? "" : "s");
  if (!info->constraint_rows) return;
  printf("  %-12s %d constraint row%s", "equations", info->constraint_rows, info->constraint_rows == 1 ? "" : "s");
  if (info->redundant_rows)
    printf(", of which %d follow%s from the others: redundant, and handled\n", info->redundant_rows,
           info->redundant_rows == 1 ? "s" : "");
  else printf(", none redundant\n");
}

static void print_assembly(const carom_model *model, const carom_model_info *info) {
  if (info->assembly_iterations > 0)
    printf("  %-12s loops closed from a violation of %.1e to %.1e in %d iteration%s\n", "start", info->violation_before,
           info->violation_after, info->assembly_iterations, info->assembly_iterations == 1 ? "" : "s");
  else if (info->constraint_rows)
    printf("  %-12s loops closed as given (violation %.1e)\n", "start", info->violation_after);
  else if (info->moved_joint || info->changed_joint || info->changed_body)
    printf("  %-12s as given, except:\n", "start");
  else printf("  %-12s as given\n", "start");
  summary_model_warnings(stdout, "    ", model);
  summary_notes(stdout, "    ", model);
}

static const char *bytes_text(double bytes, char text[32]) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  int k = 0;
  for (; bytes >= 999.5 && k < 4; k++) bytes /= 1000;
  snprintf(text, 32, "%.3g %s", bytes, units[k]);
  return text;
}

static void print_record(const carom_model *model) {
  carom_record_size s = carom_model_record_size(model);
  char whole[32], least[32], most[32], row[32], touch[32];
  bytes_text(s.row_bytes, row), bytes_text(s.touch_bytes, touch);
  if (s.bytes > 0) {
    printf("  %-12s about %s, with compression %s to %s\n", "record", bytes_text(s.bytes, whole),
           bytes_text(s.compressed_least, least), bytes_text(s.compressed_most, most));
    printf("    %.0f rows of %s each", s.rows, row);
  } else {
    printf("  %-12s %s for each step, of which the number is not known before the run\n    rows of %s each", "record",
           row, row);
  }
  if (s.touches > 0) printf("; %s for each touching point, taken as %.0f at a time", touch, s.touches);
  putchar('\n');
}

static void print_people(const char *path, const carom_model *model) {
  carom_model_info info = carom_model_get_info(model);
  printf("%s%s%s\n", style(stdout, STYLE_STRONG), info.title && *info.title ? info.title : path,
         style(stdout, STYLE_PLAIN));
  if (info.source && *info.source) printf("  %-12s %s\n", "source", info.source);
  printf("  %-12s %s\n", "space", space_word(&info));
  print_bodies(model, &info);
  print_parts(model, "joints");
  print_parts(model, "constraints");
  print_parts(model, "forces");
  print_surfaces(&info);
  print_parts(model, "contacts");
  print_contact_limits(model, &info);
  print_parts(model, "drives");
  print_control(model, "signals", "computed");
  print_control(model, "states", "states");
  print_control(model, "callbacks", "callbacks");
  print_freedom(&info);
  print_assembly(model, &info);
  printf("  %-12s %s%s%s, to t = %.9g s\n", "method", info.method, *info.integrator ? " with integrator " : "",
         info.integrator, info.end);
  print_record(model);
}

static void print_signals(const carom_model *model) {
  int count = carom_model_signal_count(model);
  printf("  %-12s %d\n", "signals", count);
  for (int i = 0; i < count; i++) {
    const char *unit = carom_model_signal_unit(model, i);
    printf("    %-28s %s\n", carom_model_signal_name(model, i), unit && *unit ? unit : "-");
  }
}

static int print_json(const carom_model *model, bool signals) {
  int length = carom_model_json(model, signals, NULL, 0);
  char *text = malloc((size_t)length + 1);
  if (!text) return tell_out_of_memory();
  carom_model_json(model, signals, text, length + 1);
  puts(text);
  free(text);
  return 0;
}

// ------------------------------------------------------------------------------------------------------------------

static int run_check(int argc, char **argv) {
  check_args a = {0};
  int code = args_parse(&command_check, argc, argv, &a);
  carom_model *model = code < 0 ? load_model(a.model, &a.settings, NULL, &code) : NULL;
  if (model) {
    code = a.json ? print_json(model, a.signals) : 0;
    if (!a.json) print_people(a.model, model);
    if (a.signals && !a.json) print_signals(model);
  }
  carom_model_destroy(model);
  settings_free(&a.settings);
  return code;
}
