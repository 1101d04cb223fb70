#include "record/thin.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

enum { ROWS_AT_ONCE = 512 };

// --- a set of rows ---------------------------------------------------------------------------------------------------

row_set row_set_create(arena *memory, long rows) {
  return (row_set){.bits = ARENA_ARRAY(memory, uint64_t, rows / 64 + 1), .rows = rows};
}

row_set row_set_copy(arena *memory, const row_set *from) {
  row_set s = row_set_create(memory, from->rows);
  memcpy(s.bits, from->bits, (size_t)(from->rows / 64 + 1) * sizeof *s.bits);
  s.count = from->count;
  return s;
}

void row_set_add(row_set *s, long row) {
  if (row < 0 || row >= s->rows || row_set_has(s, row)) return;
  s->bits[row >> 6] |= (uint64_t)1 << (row & 63);
  s->count++;
}

void row_set_add_range(row_set *s, long first, long last) {
  for (long i = first < 0 ? 0 : first; i <= last && i < s->rows; i++) row_set_add(s, i);
}

// --- columns ---------------------------------------------------------------------------------------------------------

void column_range_take(column_range *c, double x, long row) {
  if (row == 0) {
    *c = (column_range){.min = INFINITY,
                        .max = -INFINITY,
                        .first_min = -1,
                        .first_max = -1,
                        .first = x,
                        .constant = true,
                        .finite = true};
  }
  if (x != c->first && !(isnan(x) && isnan(c->first))) c->constant = false;
  if (!isfinite(x)) {
    c->finite = false;
    return;
  }
  if (x < c->min) c->min = x, c->first_min = row;
  if (x > c->max) c->max = x, c->first_max = row;
}

carom_status thin_scan(record_reader *in, int table, long rows, column_range *ranges, carom_error *error) {
  int width = record_get_table(in, table).column_count;
  jmp_buf out_of_memory;
  arena memory = arena_create(&out_of_memory);
  if (setjmp(out_of_memory)) {
    arena_free(&memory);
    return error_set(error, CAROM_ERROR_MEMORY, "out of memory for a block of rows");
  }
  double *block = ARENA_ARRAY(&memory, double, ((size_t)width * ROWS_AT_ONCE));
  carom_status status = CAROM_OK;
  for (long first = 0; first < rows && status == CAROM_OK; first += ROWS_AT_ONCE) {
    long count = rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE;
    status = record_read(in, table, first, count, block, error);
    for (long r = 0; r < count && status == CAROM_OK; r++)
      for (int k = 0; k < width; k++) column_range_take(&ranges[k], block[r * width + k], first + r);
  }
  arena_free(&memory);
  return status;
}

// --- thinning --------------------------------------------------------------------------------------------------------

// The columns that are looked at, and what brings them to the scale 1.
typedef struct scale {
  int *column;
  double *factor;
  int count;
} scale;

static scale scale_create(arena *memory, const double *scales, int width) {
  scale s = {.column = ARENA_ARRAY(memory, int, width), .factor = ARENA_ARRAY(memory, double, width)};
  for (int k = 0; k < width; k++) {
    if (!(scales[k] > 0)) continue;
    s.column[s.count] = k;
    s.factor[s.count++] = 1 / scales[k];
  }
  return s;
}

// One bound's view of the rows so far.
typedef struct level {
  double bound;
  row_set kept;
  bool given_up;             // it keeps too many
  double anchor_t, *anchor;  // the last kept row
  double *low, *high;        // slopes that pass all rows since
  long rows_since;
} level;

static void set_anchor(level *l, double t, const double *x, int count) {
  l->anchor_t = t;
  memcpy(l->anchor, x, (size_t)count * sizeof *x);
  for (int k = 0; k < count; k++) l->low[k] = -INFINITY, l->high[k] = INFINITY;
  l->rows_since = 0;
}

// The line from the anchor to this row passes all rows between within the bound. A number that is not finite never
// does, but for one missing number after another.
static bool is_reached(const level *l, double t, const double *x, int count) {
  double rate = 1 / (t - l->anchor_t);
  const double *anchor = l->anchor, *low = l->low, *high = l->high;
  int missed = 0;
  for (int k = 0; k < count; k++) {  // without branches, so that several columns go at once
    double slope = (x[k] - anchor[k]) * rate;
    int passes = (slope >= low[k]) & (slope <= high[k]) & (fabs(slope) <= DBL_MAX);
    int both_missing = (x[k] != x[k]) & (anchor[k] != anchor[k]);
    missed |= !(passes | both_missing);
  }
  return !missed;
}

static void narrow(level *l, double t, const double *x, int count) {
  double rate = 1 / (t - l->anchor_t), slack = l->bound * rate;
  double *low = l->low, *high = l->high;
  const double *anchor = l->anchor;
  for (int k = 0; k < count; k++) {  // a slope that is not a number narrows nothing
    double slope = (x[k] - anchor[k]) * rate;
    low[k] = slope - slack > low[k] ? slope - slack : low[k];
    high[k] = slope + slack < high[k] ? slope + slack : high[k];
  }
  l->rows_since++;
}

typedef struct passed_row {
  long row;
  double t, *x;
} passed_row;

static void keep_row(level *l, const passed_row *row, int count) {
  row_set_add(&l->kept, row->row);
  set_anchor(l, row->t, row->x, count);
}

static void take_row(level *l, const passed_row *last, const passed_row *now, bool must, int count) {
  bool reached = now->row > 0 && is_reached(l, now->t, now->x, count);
  if (now->row > 0 && !reached && l->rows_since > 0) {
    keep_row(l, last, count);
    reached = is_reached(l, now->t, now->x, count);
  }
  if (must || !reached) keep_row(l, now, count);  // not reached from the row before it: the first one, or not finite
  else narrow(l, now->t, now->x, count);
}

// The widest of 1e-3·4⁻⁸·4^k is four times the whole range.
static const double thin_finest = 1e-3 / (1 << 16);

typedef struct thinner {
  scale s;
  level levels[THIN_LEVELS];
  passed_row last, now;
  const row_set *must;
  long most;
} thinner;

static void thin_row(thinner *t, long row, double time, const double *values) {
  passed_row spare = t->last;
  t->last = t->now, t->now = spare;
  t->now.row = row, t->now.t = time;
  for (int k = 0; k < t->s.count; k++) t->now.x[k] = values[t->s.column[k]] * t->s.factor[k];
  for (int i = 0; i < THIN_LEVELS; i++) {
    level *l = &t->levels[i];
    if (l->given_up) continue;
    take_row(l, &t->last, &t->now, row_set_has(t->must, row), t->s.count);
    l->given_up = l->kept.count > t->most && i + 1 < THIN_LEVELS;
  }
}

bool thin_table(arena *memory, record_reader *in, int table, int time_table, const double *scales, const row_set *must,
                long most, thin_result *result, carom_error *error) {
  int width = record_get_table(in, table).column_count, time_width = record_get_table(in, time_table).column_count;
  *result = (thin_result){0};
  double bound = thin_finest;
  thinner t = {.s = scale_create(memory, scales, width), .must = must, .most = most};
  t.last.x = ARENA_ARRAY(memory, double, width), t.now.x = ARENA_ARRAY(memory, double, width);
  for (int i = 0; i < THIN_LEVELS; i++, bound *= 4)
    t.levels[i] = (level){.bound = bound,
                          .kept = row_set_create(memory, must->rows),
                          .anchor = ARENA_ARRAY(memory, double, width),
                          .low = ARENA_ARRAY(memory, double, width),
                          .high = ARENA_ARRAY(memory, double, width)};
  double *block = ARENA_ARRAY(memory, double, ((size_t)width * ROWS_AT_ONCE));
  double *times = ARENA_ARRAY(memory, double, ((size_t)time_width * ROWS_AT_ONCE));
  for (long first = 0; first < must->rows; first += ROWS_AT_ONCE) {
    long count = must->rows - first < ROWS_AT_ONCE ? must->rows - first : ROWS_AT_ONCE;
    if (record_read(in, table, first, count, block, error) != CAROM_OK ||
        record_read(in, time_table, first, count, times, error) != CAROM_OK)
      return false;
    for (long r = 0; r < count; r++) thin_row(&t, first + r, times[r * time_width], block + r * width);
  }
  for (int i = 0; i < THIN_LEVELS; i++)
    if (!t.levels[i].given_up)
      result->levels[result->count++] = (thin_level){.kept = t.levels[i].kept, .bound = t.levels[i].bound};
  return true;
}
