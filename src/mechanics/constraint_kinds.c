// The constraints a model file can name, beside the joints that close loops.
#include <stddef.h>
#include <stdio.h>

#include "mechanics/constraint.h"
#include "text/option.h"

#define AT(field) offsetof(carom_constraint_def, field)
#define TABLE(word, text, sample)                                                 \
  static const option_table word##_table = {.name = #word,                        \
                                            .summary = text,                      \
                                            .example = sample,                    \
                                            .size = sizeof(carom_constraint_def), \
                                            .options = word##_options,            \
                                            .count = sizeof word##_options / sizeof *word##_options}

static const option distance_options[] = {
    {.key = "distance",
     .type = OPTION_PAIR,
     .offset = AT(between),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "The two markers or bodies."},
    {.key = "length",
     .type = OPTION_FUNCTION,
     .offset = AT(value),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED,
     .help = "Their distance; may depend on t."},
};
TABLE(distance, "The distance of two points is prescribed, as by a massless rod.",
      "rod: {distance: [pin, eye], length: 0.3 m}");

static const option inline_options[] = {
    {.key = "inline",
     .type = OPTION_PAIR,
     .offset = AT(between),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Markers or bodies: the second stays on the z axis of the first (in a planar model on its x axis)."},
};
TABLE(inline, "A point stays on a line.", "pin: {inline: [slot, pin]}");

static const option inplane_options[] = {
    {.key = "inplane",
     .type = OPTION_PAIR,
     .offset = AT(between),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Markers or bodies: the second stays in the xy plane of the first."},
};
TABLE(inplane, "A point stays in a plane.", "foot: {inplane: [ground, toe]}");

static const option gear_options[] = {
    {.key = "gear",
     .type = OPTION_PAIR,
     .offset = AT(between),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Two joint coordinates."},
    {.key = "teeth",
     .type = OPTION_NUMBERS,
     .offset = AT(teeth),
     .flags = OPTION_REQUIRED,
     .help = "Teeth (or radii) n1, n2 of both wheels; negative for an internal wheel: n1 q1 + n2 q2 = value."},
    {.key = "value",
     .type = OPTION_FUNCTION,
     .offset = AT(value),
     .preset = "0",
     .help = "Right-hand side; may depend on t."},
};
TABLE(gear, "Two wheels in mesh: n1 q1 + n2 q2 = value.", "mesh: {gear: [input, output], teeth: [20, 40]}");

static const option rack_options[] = {
    {.key = "rack",
     .type = OPTION_PAIR,
     .offset = AT(between),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Coordinate of the pinion, coordinate of the rack."},
    {.key = "radius",
     .type = OPTION_NUMBER,
     .offset = AT(radius),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED,
     .help = "Pitch radius of the pinion: radius q1 - q2 = value."},
    {.key = "value",
     .type = OPTION_FUNCTION,
     .offset = AT(value),
     .preset = "0",
     .help = "Right-hand side; may depend on t."},
};
TABLE(rack, "A pinion drives a rack: radius q1 - q2 = value.", "steer: {rack: [pinion, bar], radius: 12 mm}");

static const option couple_options[] = {
    {.key = "couple",
     .type = OPTION_NAMES,
     .offset = AT(of),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Joint coordinates."},
    {.key = "factors",
     .type = OPTION_NUMBERS,
     .offset = AT(factors),
     .flags = OPTION_REQUIRED,
     .help = "One factor per coordinate."},
    {.key = "value",
     .type = OPTION_FUNCTION,
     .offset = AT(value),
     .preset = "0",
     .help = "Right-hand side; may depend on t."},
};
TABLE(couple, "A linear relation of joint coordinates: sum of factor times coordinate = value.",
      "differential: {couple: [left, right, cage], factors: [1, 1, -2]}");

static const joint_row line_rows[] = {{ROW_ALONG, 0, 0}, {ROW_ALONG, 1, 0}};
static const joint_row line_rows_planar[] = {{ROW_ALONG, 1, 0}};
static const joint_row plane_rows[] = {{ROW_ALONG, 2, 0}};

static bool distance_fault(const carom_constraint_def *d, const char **key, char *text, size_t size) {
  if (d->value.text || d->value.call || d->value.constant > 0) return false;
  *key = "length";
  snprintf(text, size, ": the length must be positive");
  return true;
}

static bool gear_fault(const carom_constraint_def *d, const char **key, char *text, size_t size) {
  if (d->teeth.count == 2 && d->teeth.items[0] != 0 && d->teeth.items[1] != 0) return false;
  *key = "teeth";
  snprintf(text, size, ": 'teeth' must be two numbers other than zero");
  return true;
}

static bool couple_fault(const carom_constraint_def *d, const char **key, char *text, size_t size) {
  if (d->of.count >= 1 && d->factors.count == d->of.count) return false;
  *key = "factors";
  snprintf(text, size, " has %d coordinates and %d factors", d->of.count, d->factors.count);
  return true;
}

static int two_terms(const carom_constraint_def *d) { return (void)d, 2; }
static int couple_terms(const carom_constraint_def *d) { return d->of.count; }

static const char *gear_term(const carom_constraint_def *d, int i, double *factor) {
  return *factor = d->teeth.items[i], d->between[i];
}
static const char *rack_term(const carom_constraint_def *d, int i, double *factor) {
  return *factor = i == 0 ? d->radius : -1, d->between[i];
}
static const char *couple_term_of(const carom_constraint_def *d, int i, double *factor) {
  return *factor = d->factors.items[i], d->of.items[i];
}

static const constraint_kind kinds[] = {
    {.name = "distance",
     .type = &constraint_distance,
     .row_count_spatial = 1,
     .row_count_planar = 1,
     .table = &distance_table,
     .fault = distance_fault},
    {.name = "inline",
     .type = &constraint_closure,
     .rows_spatial = line_rows,
     .row_count_spatial = 2,
     .rows_planar = line_rows_planar,
     .row_count_planar = 1,
     .table = &inline_table},
    {.name = "inplane",
     .type = &constraint_closure,
     .rows_spatial = plane_rows,
     .row_count_spatial = 1,
     .table = &inplane_table},
    {.name = "gear",
     .type = &constraint_couple,
     .row_count_spatial = 1,
     .row_count_planar = 1,
     .table = &gear_table,
     .fault = gear_fault,
     .term_count = two_terms,
     .term = gear_term},
    {.name = "rack",
     .type = &constraint_couple,
     .row_count_spatial = 1,
     .row_count_planar = 1,
     .table = &rack_table,
     .term_count = two_terms,
     .term = rack_term},
    {.name = "couple",
     .type = &constraint_couple,
     .row_count_spatial = 1,
     .row_count_planar = 1,
     .table = &couple_table,
     .fault = couple_fault,
     .term_count = couple_terms,
     .term = couple_term_of},
};

const constraint_kind *constraint_kinds(int *count) {
  *count = (int)(sizeof kinds / sizeof *kinds);
  return kinds;
}
