#include "report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

// --- reading rows in order -------------------------------------------------------------------------------------------

enum { ROWS_AT_ONCE = 256 };

// A table beside its times, read in blocks.
typedef struct cursor {
  record_reader *in;
  int table, time_table, width, time_width;
  long rows, first, count;  // of all, of the block
  double *times, *values;
  long at;  // the row before the last time asked for
  carom_error *error;
  bool failed;
} cursor;

static cursor cursor_create(arena *memory, record_reader *in, const char *table, carom_error *error) {
  cursor c = {
      .in = in, .table = record_find_table(in, table), .time_table = record_find_table(in, "time"), .error = error};
  if (c.table < 0 || c.time_table < 0) return c;
  long rows = record_rows(in, c.table), times = record_rows(in, c.time_table);
  c.rows = rows < times ? rows : times;
  c.width = record_get_table(in, c.table).column_count, c.time_width = record_get_table(in, c.time_table).column_count;
  c.times = ARENA_ARRAY(memory, double, ((size_t)c.time_width * ROWS_AT_ONCE));
  c.values = ARENA_ARRAY(memory, double, ((size_t)c.width * ROWS_AT_ONCE));
  return c;
}

// Where a row is in the block, which is read anew when it has to be; blocks overlap by a row.
static long cursor_offset(cursor *c, long row) {
  if (row >= c->first && row < c->first + c->count) return row - c->first;
  c->first = row > 0 ? row - 1 : 0;
  c->count = c->rows - c->first < ROWS_AT_ONCE ? c->rows - c->first : ROWS_AT_ONCE;
  c->failed |= record_read(c->in, c->table, c->first, c->count, c->values, c->error) != CAROM_OK ||
               record_read(c->in, c->time_table, c->first, c->count, c->times, c->error) != CAROM_OK;
  return row - c->first;
}

static double cursor_time(cursor *c, long row) { return c->times[cursor_offset(c, row) * c->time_width]; }
static const double *cursor_row(cursor *c, long row) { return c->values + cursor_offset(c, row) * c->width; }

// Moves to the row before `t`, which must not go back.
static void cursor_seek(cursor *c, double t) {
  while (!c->failed && c->at + 2 < c->rows && cursor_time(c, c->at + 1) <= t) c->at++;
}

// The value at t of a column between rows. Where its rate is known, by the parabola through both values with the rate
// of the earlier row: third order, and at a jump of the rate the row holds the rate after it, which is the right one.
static double cursor_value(cursor *c, double t, int column, int rate) {
  if (c->rows < 2) return cursor_row(c, 0)[column];
  double t0 = cursor_time(c, c->at), h = cursor_time(c, c->at + 1) - t0, s = (t - t0) / h;
  double u0 = rate < 0 ? 0 : cursor_row(c, c->at)[rate], q0 = cursor_row(c, c->at)[column];
  double q1 = cursor_row(c, c->at + 1)[column];
  if (s >= 1) return q1;
  if (rate < 0) return q0 + s * (q1 - q0);
  return q0 + u0 * h * s + (q1 - q0 - u0 * h) * s * s;
}

// --- trajectories ----------------------------------------------------------------------------------------------------

typedef struct shared_column {
  int column[2], rate[2];  // in the first and in the second run; rate -1: unknown
} shared_column;

static int find_column(const record_table *t, const char *name) {
  for (int k = 0; k < t->column_count; k++)
    if (strcmp(t->columns[k], name) == 0) return k;
  return -1;
}

static int count_of(arena *memory, const record_table *t, const char *joint_name, char letter) {
  int n = 0;
  while (find_column(t, arena_print(memory, "%s.%c%d", joint_name, letter, n)) >= 0) n++;
  return n;
}

// The column of a coordinate's rate, where its joint has as many speeds as coordinates: else there is a quaternion.
static int rate_of(arena *memory, const record_table *t, const char *name) {
  const char *dot = strrchr(name, '.');
  const char *owner = arena_print(memory, "%.*s", (int)(dot - name), name);
  if (count_of(memory, t, owner, 'q') != count_of(memory, t, owner, 'u')) return -1;
  return find_column(t, arena_print(memory, "%s.u%s", owner, dot + 2));
}

static bool is_coordinate(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && dot[1] == 'q' && strspn(dot + 2, "0123456789") == strlen(dot + 2);
}

// Of a marker; its rate is the velocity along the same axis.
static bool is_place(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && dot[1] && !dot[2] && strchr("xyz", dot[1]);
}

static int velocity_of(arena *memory, const record_table *t, const char *name) {
  const char *dot = strrchr(name, '.');
  return find_column(t, arena_print(memory, "%.*s.v%s", (int)(dot - name), name, dot + 1));
}

// Which columns of a table are compared, and where their rates are.
typedef struct column_choice {
  const char *table;
  bool (*takes)(const char *name);
  int (*rate)(arena *memory, const record_table *t, const char *name);
} column_choice;

// Adds the columns of a table to those of the result.
static shared_column *share_columns(arena *memory, const column_choice *choice, const record_table *a,
                                    const record_table *b, comparison *result) {
  const int before = result->column_count;
  const compare_column *earlier = result->columns;
  shared_column *shared = ARENA_ARRAY(memory, shared_column, before + a->column_count + 1);
  result->columns = ARENA_ARRAY(memory, compare_column, before + a->column_count + 1);
  for (int k = 0; k < before; k++) result->columns[k] = earlier[k];
  for (int k = 0; k < a->column_count; k++) {
    int other = choice->takes(a->columns[k]) ? find_column(b, a->columns[k]) : -1;
    if (other < 0) continue;
    shared[result->column_count] =
        (shared_column){{k, other}, {choice->rate(memory, a, a->columns[k]), choice->rate(memory, b, a->columns[k])}};
    result->columns[result->column_count++] =
        (compare_column){.name = a->columns[k], .unit = a->units ? a->units[k] : ""};
  }
  return shared;
}

// Two runs agree on a coordinate up to a hundredth of its range in the first run. One that hardly moves beside others
// of its unit (a body at rest on a surface that yields under one method and not under another) would differ over
// nothing: it has at least 1e-5 of their largest range. Where nothing moves at all, 1e-9 rad or m.
static const double OF_RANGE = 0.01, OF_LARGEST = 1e-5, SAME = 1e-9;

static void set_tolerances(comparison *result, int from) {
  for (int k = from; k < result->column_count; k++) {
    compare_column *c = &result->columns[k];
    double largest = 0;
    for (int i = from; i < result->column_count; i++)
      if (strcmp(result->columns[i].unit, c->unit) == 0) largest = fmax(largest, result->columns[i].range);
    c->tolerance = fmax(fmax(OF_RANGE * c->range, OF_LARGEST * largest), SAME);
  }
}

static void note_difference(compare_column *c, double t, double difference, double weight) {
  if (isnan(c->parts) && !(fabs(difference) <= c->tolerance)) c->parts = t;
  if (!(fabs(difference) <= c->max)) c->max = fabs(difference), c->at = t;  // a NaN is noted too
  c->rms += weight * difference * difference;
}

// Over common times, before anything is held against it.
static void find_ranges(arena *memory, cursor *c, const shared_column *shared, int from, comparison *result) {
  double *low = ARENA_ARRAY(memory, double, result->column_count + 1),
         *high = ARENA_ARRAY(memory, double, result->column_count + 1);
  for (int k = from; k < result->column_count; k++) low[k] = INFINITY, high[k] = -INFINITY;
  for (long i = 0; i < c->rows && !c->failed; i++) {
    double t = cursor_time(c, i);
    if (!(t >= result->t0) || t > result->t1) continue;
    const double *row = cursor_row(c, i);
    for (int k = from; k < result->column_count; k++)
      low[k] = fmin(low[k], row[shared[k].column[0]]), high[k] = fmax(high[k], row[shared[k].column[0]]);
  }
  for (int k = from; k < result->column_count; k++) {
    result->columns[k].range = high[k] >= low[k] ? high[k] - low[k] : 0;
    result->columns[k].parts = NAN;
  }
  set_tolerances(result, from);
}

// At the times of the run that has fewer of them; the other is the one to interpolate.
static bool compare_trajectories(arena *memory, const column_choice *choice, cursor side[2], comparison *result) {
  const int from = result->column_count;
  record_table a = record_get_table(side[0].in, side[0].table), b = record_get_table(side[1].in, side[1].table);
  shared_column *shared = share_columns(memory, choice, &a, &b, result);
  find_ranges(memory, &side[0], shared, from, result);
  int grid = side[0].rows <= side[1].rows ? 0 : 1;
  double before = result->t0, total = 0;
  for (long i = 0; i < side[grid].rows && !side[0].failed && !side[1].failed; i++) {
    double t = cursor_time(&side[grid], i);
    if (!(t >= result->t0) || t > result->t1) continue;
    cursor_seek(&side[1 - grid], t);
    for (int k = from; k < result->column_count; k++) {
      const shared_column *s = &shared[k];
      double x[2];
      x[grid] = cursor_row(&side[grid], i)[s->column[grid]];
      x[1 - grid] = cursor_value(&side[1 - grid], t, s->column[1 - grid], s->rate[1 - grid]);
      note_difference(&result->columns[k], t, x[1] - x[0], t - before);
    }
    total += t - before;
    before = t;
  }
  for (int k = from; k < result->column_count; k++) {
    compare_column *c = &result->columns[k];
    c->rms = total > 0 ? sqrt(c->rms / total) : c->max;
  }
  return !side[0].failed && !side[1].failed;
}

// --- impacts ---------------------------------------------------------------------------------------------------------

typedef struct strike {
  double point;  // by its name in the first run, or by its number; -1: unknown there
  double start, impulse;
  long row;
  long partner;  // nearest of the other run; -1 if there is none
} strike;

static int by_point_and_start(const void *a, const void *b) {
  const strike *x = a, *y = b;
  if (x->point != y->point) return x->point < y->point ? -1 : 1;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

static int find_point(const compare_side *first, const char *name) {
  for (int i = 0; i < first->point_count; i++)
    if (strcmp(first->points[i], name) == 0) return i;
  return -1;
}

static bool have_same_text(const compare_side *first, const compare_side *second, const char *name) {
  const char *a = record_get_text(first->in, name), *b = record_get_text(second->in, name);
  return a == b || (a && b && strcmp(a, b) == 0);
}

// Whether points that have no names are numbered alike: those of pairs that are not listed, and of old records.
static bool number_alike(const compare_side *first, const compare_side *second) {
  return first->point_count == second->point_count && have_same_text(first, second, "impact_points") &&
         have_same_text(first, second, "impact_surfaces");
}

// All impacts of a run that begin in common times, sorted.
static strike *read_strikes(arena *memory, const compare_side *first, const compare_side *side, const comparison *c,
                            long *count, carom_error *error) {
  int table = record_find_table(side->in, "impacts");
  *count = 0;
  if (table < 0) return ARENA_NEW(memory, strike);
  record_table about = record_get_table(side->in, table);
  int point = find_column(&about, "point"), start = find_column(&about, "start"),
      impulse = find_column(&about, "impulse_normal");
  long rows = record_rows(side->in, table);
  if (point < 0 || start < 0 || impulse < 0 || rows < 0) return ARENA_NEW(memory, strike);
  bool numbered = number_alike(first, side);
  int *known = ARENA_ARRAY(memory, int, side->point_count + 1);
  for (int i = 0; i < side->point_count; i++) known[i] = find_point(first, side->points[i]);
  strike *all = ARENA_ARRAY(memory, strike, rows + 1);
  double *block = ARENA_ARRAY(memory, double, ((size_t)about.column_count * ROWS_AT_ONCE));
  for (long from = 0; from < rows; from += ROWS_AT_ONCE) {
    long some = rows - from < ROWS_AT_ONCE ? rows - from : ROWS_AT_ONCE;
    if (record_read(side->in, table, from, some, block, error) != CAROM_OK) return NULL;
    for (long i = 0; i < some; i++) {
      const double *row = block + i * about.column_count;
      if (!(row[start] >= c->t0 && row[start] <= c->t1)) continue;
      bool named = row[point] >= 0 && row[point] < side->point_count;
      all[(*count)++] = (strike){.point = named                         ? known[(int)row[point]]
                                          : numbered && row[point] >= 0 ? row[point]
                                                                        : -1,
                                 .start = row[start],
                                 .impulse = row[impulse],
                                 .row = from + i,
                                 .partner = -1};
    }
  }
  qsort(all, (size_t)*count, sizeof *all, by_point_and_start);
  return all;
}

// The nearest in time of each among the others of the same point; both lists are sorted.
static void find_nearest(strike *these, long count, const strike *others, long other_count, double window) {
  long j = 0;
  for (long i = 0; i < count; i++) {
    while (j < other_count && by_point_and_start(&others[j], &these[i]) < 0) j++;
    double best = window;
    for (long k = j - 1; k <= j; k++) {
      if (k < 0 || k >= other_count || others[k].point != these[i].point || these[i].point < 0) continue;
      double apart = fabs(others[k].start - these[i].start);
      if (apart <= best) best = apart, these[i].partner = k;
    }
  }
}

static int by_first_row(const void *a, const void *b) {
  long x = ((const compare_pair *)a)->first, y = ((const compare_pair *)b)->first;
  return x < y ? -1 : x > y;
}

static int by_row(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return x < y ? -1 : x > y;
}

static bool match_impacts(arena *memory, const compare_side *first, const compare_side *second, comparison *c,
                          carom_error *error) {
  long count[2];
  strike *a = read_strikes(memory, first, first, c, &count[0], error);
  strike *b = a ? read_strikes(memory, first, second, c, &count[1], error) : NULL;
  if (!b) return false;
  find_nearest(a, count[0], b, count[1], c->window);
  find_nearest(b, count[1], a, count[0], c->window);
  c->matched = ARENA_ARRAY(memory, compare_pair, count[0] + 1);
  c->only_first = ARENA_ARRAY(memory, long, count[0] + 1);
  c->only_second = ARENA_ARRAY(memory, long, count[1] + 1);
  for (long i = 0; i < count[0]; i++) {
    if (a[i].partner < 0 || b[a[i].partner].partner != i) {
      c->only_first[c->only_first_count++] = a[i].row;
      continue;
    }
    const strike *other = &b[a[i].partner];
    double apart = fabs(other->start - a[i].start), change = fabs(other->impulse - a[i].impulse);
    c->matched[c->matched_count++] = (compare_pair){a[i].row, other->row};
    c->time_max = number_larger(c->time_max, apart), c->time_rms += apart * apart;
    c->impulse_max = number_larger(c->impulse_max, change), c->impulse_rms += change * change;
  }
  for (long i = 0; i < count[1]; i++)
    if (b[i].partner < 0 || a[b[i].partner].partner != i) c->only_second[c->only_second_count++] = b[i].row;
  if (c->matched_count) {
    c->time_rms = sqrt(c->time_rms / c->matched_count);
    c->impulse_rms = sqrt(c->impulse_rms / c->matched_count);
  }
  qsort(c->matched, (size_t)c->matched_count, sizeof *c->matched, by_first_row);
  qsort(c->only_first, (size_t)c->only_first_count, sizeof *c->only_first, by_row);
  qsort(c->only_second, (size_t)c->only_second_count, sizeof *c->only_second, by_row);
  return true;
}

// --- energy and cost -------------------------------------------------------------------------------------------------

static bool compare_energies(arena *memory, const compare_side *first, const compare_side *second, comparison *c,
                             carom_error *error) {
  cursor side[2] = {cursor_create(memory, first->in, "energy", error),
                    cursor_create(memory, second->in, "energy", error)};
  if (side[0].rows < 1 || side[1].rows < 1) return true;
  record_table a = record_get_table(first->in, side[0].table), b = record_get_table(second->in, side[1].table);
  c->energies = ARENA_ARRAY(memory, compare_amount, a.column_count + 1);
  cursor_seek(&side[0], c->t1), cursor_seek(&side[1], c->t1);
  for (int k = 0; k < a.column_count; k++) {
    int other = find_column(&b, a.columns[k]);
    if (other < 0) continue;
    c->energies[c->energy_count++] = (compare_amount){.name = a.columns[k],
                                                      .unit = "J",
                                                      .first = cursor_value(&side[0], c->t1, k, -1),
                                                      .second = cursor_value(&side[1], c->t1, other, -1)};
  }
  return !side[0].failed && !side[1].failed;
}

static void compare_costs(arena *memory, const compare_side *first, const compare_side *second, comparison *c) {
  static const struct {
    const char *map, *key, *unit;
  } costs[] = {{NULL, "steps", "1"},        {NULL, "rejected", "1"},         {NULL, "evaluations", "1"},
               {"solver", "solves", "1"},   {"solver", "unsolved", "1"},     {"contact", "episodes", "1"},
               {"contact", "impacts", "1"}, {NULL, "energy_imbalance", "1"}, {NULL, "wall_s", "s"}};
  c->cost_count = (int)(sizeof costs / sizeof *costs);
  c->costs = ARENA_ARRAY(memory, compare_amount, c->cost_count);
  for (int i = 0; i < c->cost_count; i++) {
    const json_value *a = costs[i].map ? json_get(first->summary, costs[i].map) : first->summary;
    const json_value *b = costs[i].map ? json_get(second->summary, costs[i].map) : second->summary;
    c->costs[i] = (compare_amount){.name = costs[i].key,
                                   .unit = costs[i].unit,
                                   .first = json_get_number(a, costs[i].key, NAN),
                                   .second = json_get_number(b, costs[i].key, NAN)};
  }
}

// Bodies that deform move by more than their joints.
static bool has_modes(record_reader *in) {
  int table = record_find_table(in, "bodies");
  record_table about = table < 0 ? (record_table){0} : record_get_table(in, table);
  for (int k = 0; k < about.column_count; k++)
    if (strstr(about.columns[k], ".mode1")) return true;
  return false;
}

static bool compare_table(arena *memory, const column_choice *choice, const compare_side *first,
                          const compare_side *second, comparison *result, carom_error *error) {
  cursor side[2] = {cursor_create(memory, first->in, choice->table, error),
                    cursor_create(memory, second->in, choice->table, error)};
  if (side[0].rows < 1 || side[1].rows < 1) return true;
  return compare_trajectories(memory, choice, side, result);
}

bool compare_runs(arena *memory, const compare_side *first, const compare_side *second, double window,
                  comparison *result, carom_error *error) {
  *result = (comparison){.t0 = 1, .t1 = 0};
  compare_costs(memory, first, second, result);
  static const column_choice joints = {"joints", is_coordinate, rate_of}, markers = {"markers", is_place, velocity_of};
  cursor time[2] = {cursor_create(memory, first->in, "time", error), cursor_create(memory, second->in, "time", error)};
  if (time[0].rows < 1 || time[1].rows < 1) return true;
  result->t0 = fmax(cursor_time(&time[0], 0), cursor_time(&time[1], 0));
  result->t1 = fmin(cursor_time(&time[0], time[0].rows - 1), cursor_time(&time[1], time[1].rows - 1));
  if (time[0].failed || time[1].failed) return false;
  result->window = window > 0 ? window : 0.01 * (result->t1 - result->t0);
  if (!(result->t0 <= result->t1)) return true;
  if (!compare_table(memory, &joints, first, second, result, error)) return false;
  if (has_modes(first->in) && !compare_table(memory, &markers, first, second, result, error)) return false;
  return match_impacts(memory, first, second, result, error) && compare_energies(memory, first, second, result, error);
}
