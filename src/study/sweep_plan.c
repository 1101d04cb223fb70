// The values of each row of a sweep, from the texts of its ranges.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "study/sweep.h"
#include "text/expr_parse.h"

// --- reading ---------------------------------------------------------------------------------------------------------

typedef struct range_reader {
  arena *memory;
  const char *option, *forms;  // that gives it, and how it may look
  const carom_setting *of;
  bool samples;  // without a number of values
  carom_error *error;
} range_reader;

static const char sample_forms[] = "with a sample a range is a:b or a:b:log, or a list",
                  grid_forms[] = "a range is a:b:n or a:b:n:log, or a list with commas",
                  fit_forms[] = "a range is a:b or a:b:log";

static bool refuse(const range_reader *r, const char *why) {
  return error_set(r->error, CAROM_ERROR_USAGE, "%s %s=%s: %s; %s", r->option, r->of->name, r->of->value, why,
                   r->forms),
         false;
}

char *sweep_trimmed(arena *memory, const char *from, const char *to) {
  while (from < to && strchr(" \t", *from)) from++;
  while (to > from && strchr(" \t", to[-1])) to--;
  return arena_print(memory, "%.*s", (int)(to - from), from);
}

int sweep_split(arena *memory, const char *text, char at, char ***parts) {
  int count = 0, capacity = 0, depth = 0;
  *parts = NULL;
  for (const char *start = text;; text++) {
    depth += (*text == '(' || *text == '[') - (*text == ')' || *text == ']');
    if (*text && (*text != at || depth > 0)) continue;
    char *part = sweep_trimmed(memory, start, text);
    *ARENA_PUSH(memory, *parts, count, capacity) = part;
    if (!*text) return count;
    start = text + 1;
  }
}

static bool resolve_nothing(void *context, const char *name, symbol *found, const char **hint) {
  (void)context, (void)name, (void)found, (void)hint;
  return false;
}

const expr *sweep_constant(arena *memory, const char *text, dimension *dim, carom_error *error) {
  return expr_compile(memory, text, (place){0}, (scope){.resolve = resolve_nothing}, dim, error);
}

// A number, and its unit in the results. Returns false, without a report, if the text is none.
static bool read_number(arena *memory, const char *text, double *value, const char **unit) {
  carom_error ignored = {0};
  char buffer[32];
  const expr *e = sweep_constant(memory, text, NULL, &ignored);
  if (e) *value = expr_value(e, NULL), *unit = arena_copy_text(memory, expr_unit(e, buffer));
  return e && isfinite(*value);
}

static bool read_list(range_reader *r, char **items, int count, sweep_range *to) {
  const char *unit;
  int numbers = 0;
  to->unit = "";
  to->count = count;
  to->values = ARENA_ARRAY(r->memory, double, count);
  for (int i = 0; i < count; i++) {
    if (!*items[i]) return refuse(r, "a value is empty");
    if (!read_number(r->memory, items[i], &to->values[i], &unit)) continue;
    if (numbers++ && strcmp(to->unit, unit) != 0) return refuse(r, "the values have different units");
    to->unit = unit;
  }
  if (numbers && numbers < count) return refuse(r, "some values are numbers and others are not");
  if (numbers) return true;
  to->words = ARENA_ARRAY(r->memory, const char *, count);
  for (int i = 0; i < count; i++) to->words[i] = items[i], to->values[i] = i + 1;
  return true;
}

static bool read_bounds(range_reader *r, char **parts, int count, sweep_range *to) {
  const char *unit;
  if (!read_number(r->memory, parts[0], &to->low, &to->unit) || !read_number(r->memory, parts[1], &to->high, &unit))
    return refuse(r, "an end of the range is not a number");
  // a plain 0 has the unit of the other end
  if (to->low == 0 && strcmp(to->unit, "1") == 0) to->unit = unit;
  else if (to->high == 0 && strcmp(unit, "1") == 0) unit = to->unit;
  if (strcmp(to->unit, unit) != 0) return refuse(r, "the ends of the range have different units");
  to->log = count == (r->samples ? 3 : 4);
  if (to->log && strcmp(parts[count - 1], "log") != 0) return refuse(r, "its last part is not 'log'");
  if (to->log && !(to->low > 0 && to->high > 0)) return refuse(r, "equal ratios need positive ends");
  if (r->samples) return to->low != to->high || refuse(r, "the range is empty");
  char *rest;
  to->count = strtol(parts[2], &rest, 10);
  if (*rest || rest == parts[2] || to->count < 1 || to->count > SWEEP_ROWS_MOST)
    return refuse(r, "its third part is not a number of values");
  return to->count > 1 || to->low == to->high || refuse(r, "one value has no two ends");
}

static bool read_range(range_reader *r, sweep_range *to) {
  char **parts, **items;
  *to = (sweep_range){.name = arena_copy_text(r->memory, r->of->name)};
  int count = sweep_split(r->memory, r->of->value, ':', &parts);
  if (count == 1) {
    int item_count = sweep_split(r->memory, r->of->value, ',', &items);
    return read_list(r, items, item_count, to);
  }
  int least = r->samples ? 2 : 3;
  if (count < least || count > least + 1) return refuse(r, "it has another number of parts");
  return read_bounds(r, parts, count, to);
}

bool sweep_range_read(arena *memory, const char *option, const carom_setting *of, sweep_range *to, carom_error *error) {
  range_reader r = {memory, option, fit_forms, of, true, error};
  if (!read_range(&r, to)) return false;
  if (to->values) return refuse(&r, "it is no range");
  return to->low < to->high || refuse(&r, "its first end is above its second");
}

static bool names_differ(const sweep_plan *p, const carom_sweep_options *o, carom_error *error) {
  for (int i = 0; i < p->range_count; i++) {
    const char *name = p->ranges[i].name;
    for (int k = 0; k < i; k++)
      if (strcmp(name, p->ranges[k].name) == 0)
        return error_set(error, CAROM_ERROR_USAGE, "'%s' varies twice", name), false;
    for (int k = 0; k < o->setting_count; k++)
      if (strcmp(name, o->settings[k].name) == 0)
        return error_set(error, CAROM_ERROR_USAGE,
                         "'%s' varies, and is also set to '%s' for all rows; leave out one of these", name,
                         o->settings[k].value),
               false;
  }
  return true;
}

long sweep_plan_block(const sweep_plan *p) { return p->sensitivity ? p->range_count + 2 : 1; }

static bool read_points(arena *memory, const carom_sweep_options *o, sweep_plan *to, carom_error *error) {
  const char *why = NULL;
  bool random = o->points && strcmp(o->points, "random") == 0, sobol = o->points && strcmp(o->points, "sobol") == 0;
  bool even = sobol || (o->sensitivity && !random);
  int coordinates = to->range_count * (o->sensitivity ? 2 : 1);
  if (o->sample < 0) why = "the sample has a negative size";
  else if (o->sensitivity && !o->sample) why = "a sensitivity study needs the size of its sample";
  else if (o->points && !o->sample) why = "points belong to a sample";
  else if (o->points && !random && !sobol) why = "points are 'random' or 'sobol'";
  else if (even && coordinates > SOBOL_DIMENSIONS_MOST) why = "too much varies for Sobol' points";
  if (why) return error_set(error, CAROM_ERROR_USAGE, "%s", why), false;
  to->sensitivity = o->sensitivity;
  if (even) to->even = sobol_create(memory, coordinates);
  return true;
}

bool sweep_plan_read(arena *memory, const carom_sweep_options *options, sweep_plan *to, carom_error *error) {
  *to = (sweep_plan){.sample = options->sample, .seed = options->seed, .range_count = options->vary_count};
  if (options->vary_count < 1) return error_set(error, CAROM_ERROR_USAGE, "a sweep needs something that varies"), false;
  if (!read_points(memory, options, to, error)) return false;
  to->ranges = ARENA_ARRAY(memory, sweep_range, options->vary_count);
  double rows = 1;
  for (int i = 0; i < options->vary_count; i++) {
    range_reader r = {
        memory, "--vary", options->sample > 0 ? sample_forms : grid_forms, &options->vary[i], options->sample > 0,
        error};
    if (!read_range(&r, &to->ranges[i])) return false;
    rows *= (double)to->ranges[i].count;
  }
  if (options->sample) rows = (double)options->sample * (double)sweep_plan_block(to);
  if (rows > SWEEP_ROWS_MOST)
    return error_set(error, CAROM_ERROR_USAGE, "the sweep has %.3g rows; at most %d", rows, SWEEP_ROWS_MOST), false;
  to->rows = (long)rows;
  return names_differ(to, options, error);
}

// --- values ----------------------------------------------------------------------------------------------------------

// Which point a row is, and which of its coordinates a range has. A sensitivity design has blocks of rows: point A of
// the block, A with one coordinate of point B for each range in turn, and B itself (theory.md, 14). Points A and B are
// the halves of one point with twice as many coordinates.
static void find_point(const sweep_plan *p, long row, int range, long *point, int *coordinate) {
  *point = row, *coordinate = range;
  if (!p->sensitivity) return;
  int place = (int)(row % sweep_plan_block(p));
  *point = row / sweep_plan_block(p);
  if (place == range + 1 || place == p->range_count + 1) *coordinate += p->range_count;
}

// Between 0 and 1, from the seed, the row and the range alone, so that it does not matter where a row is run.
static double drawn(const sweep_plan *p, long row, int range) {
  long point;
  int coordinate;
  find_point(p, row, range, &point, &coordinate);
  if (p->even.dimensions) return sobol_scrambled(&p->even, (uint64_t)point, coordinate, p->seed);
  return random_share(random_bits(p->seed, (uint64_t)point, (uint64_t)coordinate));
}

static long place_in_grid(const sweep_plan *p, long row, int range) {
  for (int i = p->range_count - 1; i > range; i--) row /= p->ranges[i].count;
  return row % p->ranges[range].count;
}

double sweep_range_between(const sweep_range *r, double share) {
  if (share <= 0 || share >= 1) return share <= 0 ? r->low : r->high;  // exactly
  if (r->log) return r->low * pow(r->high / r->low, share);
  return r->low + (r->high - r->low) * share;
}

// So that whole numbers stay whole.
static double of_grid(const sweep_range *r, long k) {
  double last = (double)(r->count - 1);
  return r->log ? sweep_range_between(r, (double)k / last) : (r->low * (last - (double)k) + r->high * (double)k) / last;
}

static long place_in_list(const sweep_plan *p, long row, int range) {
  return p->sample ? (long)(drawn(p, row, range) * (double)p->ranges[range].count) : place_in_grid(p, row, range);
}

double sweep_plan_value(const sweep_plan *p, long row, int range) {
  const sweep_range *r = &p->ranges[range];
  if (r->values) return r->values[place_in_list(p, row, range)];
  if (p->sample) return sweep_range_between(r, drawn(p, row, range));
  long k = place_in_grid(p, row, range);
  if (k == 0 || k == r->count - 1) return k ? r->high : r->low;  // exactly
  return of_grid(r, k);
}

const char *sweep_range_setting(const sweep_range *r, double value, char text[SWEEP_SETTING]) {
  bool plain = !*r->unit || strcmp(r->unit, "1") == 0;
  snprintf(text, SWEEP_SETTING, "%.17g%s%s", value, plain ? "" : " ", plain ? "" : r->unit);
  return text;
}

const char *sweep_plan_setting(const sweep_plan *p, long row, int range, char text[SWEEP_SETTING]) {
  const sweep_range *r = &p->ranges[range];
  if (r->words) return r->words[place_in_list(p, row, range)];
  return sweep_range_setting(r, sweep_plan_value(p, row, range), text);
}
