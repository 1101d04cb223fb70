// The numbers of a run that go into its page: all of them, or as many as fit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report.h"

enum { ROWS_AT_ONCE = 256 };

// Thinning begins with a thousandth of each column's range, less than a pixel of a plot.
static const double finest_bound = 1e-3;
// An impact of at most so many rows is kept whole; of a longer contact so many on both sides of make and break; and a few
// rows beside them.
enum { WHOLE_IMPACT = 64, AROUND_EDGE = 8, MARGIN = 2 };

const report_table *report_find_table(const report_run *run, const char *name) {
  for (int i = 0; i < run->table_count; i++)
    if (strcmp(run->tables[i].name, name) == 0) return &run->tables[i];
  return NULL;
}

int report_find_column(const report_table *t, const char *name) { return t ? names_find(&t->by_name, name) : -1; }

static long least(long a, long b) { return a < b ? a : b; }

// --- tables -------------------------------------------------------------------------------------------------------

static bool is_frame_table(const char *name) {
  static const char *const others[] = {"time", "checkpoint", "impacts"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(name, others[i]) == 0) return false;
  return true;
}

// What a column's errors are measured by: its range, at least a millionth of the largest range of that unit in its table.
// Without this a coordinate at rest, which moves in its last digit alone, would have every digit kept. Where all
// of a unit is noise the largest range says nothing: then 1e-9 of the unit.
static void set_scales(report_column *columns, int count) {
  for (int k = 0; k < count; k++) columns[k].scale = fmax(columns[k].range.max - columns[k].range.min, 0);
  for (int k = 0; k < count; k++) {
    double largest = 0;
    if (columns[k].range.constant) continue;
    for (int i = 0; i < count; i++)
      if (strcmp(columns[i].unit, columns[k].unit) == 0) largest = fmax(largest, columns[i].range.max - columns[i].range.min);
    columns[k].scale = fmax(columns[k].scale, fmax(1e-6 * largest, 1e-9));
  }
}

// Rounding to 24 bits must not show beside a column's scale.
static blob_type type_for(const report_column *c) {
  double largest = fmax(fabs(c->range.min), fabs(c->range.max));
  bool fits = largest < 1e38 && largest * 0x1p-24 <= 0.01 * finest_bound * c->scale;
  return fits || c->range.min > c->range.max ? BLOB_F32 : BLOB_F64;
}

static bool scan_columns(report *r, report_run *run, int source, long rows, report_column **columns) {
  record_table about = record_get_table(run->in, source);
  column_range *ranges = ARENA_ARRAY(r->memory, column_range, about.column_count);
  report_column *all = ARENA_ARRAY(r->memory, report_column, about.column_count);
  for (int k = 0; k < about.column_count; k++) ranges[k] = (column_range){.constant = true, .min = 1, .max = -1};
  if (thin_scan(run->in, source, rows, ranges, r->error) != CAROM_OK) return false;
  for (int k = 0; k < about.column_count; k++)
    all[k] = (report_column){.name = about.columns[k], .unit = about.units ? about.units[k] : "", .range = ranges[k]};
  set_scales(all, about.column_count);
  for (int k = 0; k < about.column_count; k++) all[k].type = type_for(&all[k]);
  *columns = all;
  return true;
}

static bool add_table(report *r, report_run *run, int source) {
  report_table *t = &run->tables[run->table_count++];
  record_table about = record_get_table(run->in, source);
  *t = (report_table){.name = about.name, .source = source, .column_count = about.column_count,
                      .by_name = names_create(r->memory)};
  if (!scan_columns(r, run, source, run->rows, &t->columns)) return false;
  for (int k = 0; k < t->column_count; k++)
    if (names_find(&t->by_name, t->columns[k].name) < 0) names_add(&t->by_name, t->columns[k].name, k);
  return true;
}

static bool list_tables(report *r, report_run *run, int *time) {
  int count = record_table_count(run->in);
  *time = record_find_table(run->in, "time");
  if (*time < 0 || strcmp(record_get_table(run->in, *time).columns[0], "t") != 0)
    return error_set(r->error, CAROM_ERROR_FILE, "'%s' is not a run of carom: it has no table of times", run->file), false;
  run->rows = record_rows(run->in, *time);
  for (int i = 0; i < count; i++)
    if (is_frame_table(record_get_table(run->in, i).name)) run->rows = least(run->rows, record_rows(run->in, i));
  if (run->rows < 0)
    return error_set(r->error, CAROM_ERROR_FILE, "'%s' cannot be read", run->file), false;
  if (run->rows > UINT32_MAX)
    return error_set(r->error, CAROM_ERROR_FILE, "'%s' has more rows than a report can count", run->file), false;
  run->tables = ARENA_ARRAY(r->memory, report_table, count + 1);
  for (int i = 0; i < count; i++)
    if (is_frame_table(record_get_table(run->in, i).name) && !add_table(r, run, i)) return false;
  return true;
}

// --- impacts ------------------------------------------------------------------------------------------------------

static int by_impulse(const void *a, const void *b) {
  double x = ((const report_impact *)a)->impulse, y = ((const report_impact *)b)->impulse;
  if (x != y) return x > y ? -1 : 1;
  long i = ((const report_impact *)a)->row, j = ((const report_impact *)b)->row;
  return i < j ? -1 : i > j;
}

static int by_start(const void *a, const void *b) {
  double x = ((const report_impact *)a)->start, y = ((const report_impact *)b)->start;
  if (x != y) return x < y ? -1 : 1;
  long i = ((const report_impact *)a)->row, j = ((const report_impact *)b)->row;
  return i < j ? -1 : i > j;
}

static int find_column_in(const record_table *t, const char *name) {
  for (int k = 0; k < t->column_count; k++)
    if (strcmp(t->columns[k], name) == 0) return k;
  return -1;
}

// What is sorted must have an order.
static double or_zero(double x) { return isfinite(x) ? x : 0; }

// The strongest `most` impacts, or all of them. Twice as many are held while reading.
static bool choose_impacts(report *r, report_run *run, long most) {
  record_table about = record_get_table(run->in, run->impact_source);
  int point = find_column_in(&about, "point"), start = find_column_in(&about, "start"), end = find_column_in(&about, "end"),
      impulse = find_column_in(&about, "impulse_normal"), width = about.column_count;
  if (point < 0 || start < 0 || end < 0 || impulse < 0)
    return error_set(r->error, CAROM_ERROR_FILE, "'%s' has a table of impacts that is not carom's", run->file), false;
  run->impacts = ARENA_ARRAY(r->memory, report_impact, 2 * least(most, run->impact_rows) + ROWS_AT_ONCE);
  double *block = ARENA_ARRAY(r->memory, double, (size_t)width * ROWS_AT_ONCE);
  for (long first = 0; first < run->impact_rows; first += ROWS_AT_ONCE) {
    long count = least(run->impact_rows - first, ROWS_AT_ONCE);
    if (record_read(run->in, run->impact_source, first, count, block, r->error) != CAROM_OK) return false;
    for (long k = 0; k < count; k++) {
      const double *row = block + k * width;
      bool named = row[point] >= 0 && row[point] < 1e9;
      run->impacts[run->impact_count++] =
          (report_impact){.row = first + k, .start = or_zero(row[start]), .end = or_zero(row[end]),
                          .impulse = or_zero(row[impulse]), .point = named ? (int)row[point] : -1};
    }
    if (run->impact_count <= 2 * most) continue;
    qsort(run->impacts, (size_t)run->impact_count, sizeof *run->impacts, by_impulse);
    run->impact_count = (int)most;
  }
  qsort(run->impacts, (size_t)run->impact_count, sizeof *run->impacts, by_impulse);
  run->impact_count = (int)least(run->impact_count, most);
  return true;
}

// --- rows that must stay ------------------------------------------------------------------------------------------

typedef struct edge {
  double t;
  long row;                  // the first at or after t
} edge;

static int by_time(const void *a, const void *b) {
  const edge *const *x = a, *const *y = b;
  return (*x)->t < (*y)->t ? -1 : (*x)->t > (*y)->t;
}

// The rows of all edges in one pass over the times.
static bool locate_edges(report *r, const report_run *run, int time, edge *edges, int count) {
  int width = record_get_table(run->in, time).column_count, next = 0;
  const edge **sorted = ARENA_ARRAY(r->memory, const edge *, count + 1);
  for (int i = 0; i < count; i++) sorted[i] = &edges[i];
  qsort(sorted, (size_t)count, sizeof *sorted, by_time);
  double *block = ARENA_ARRAY(r->memory, double, (size_t)width * ROWS_AT_ONCE);
  for (long first = 0; first < run->rows && next < count; first += ROWS_AT_ONCE) {
    long rows = least(run->rows - first, ROWS_AT_ONCE);
    if (record_read(run->in, time, first, rows, block, r->error) != CAROM_OK) return false;
    for (long k = 0; k < rows; k++)
      while (next < count && block[k * width] >= sorted[next]->t) edges[sorted[next++] - edges].row = first + k;
  }
  while (next < count) edges[sorted[next++] - edges].row = run->rows - 1;
  return true;
}

// Around the impacts, the strongest first, until `most` rows are taken.
static bool keep_impacts(report *r, const report_run *run, int time, long most, row_set *must) {
  edge *edges = ARENA_ARRAY(r->memory, edge, 2 * run->impact_count + 1);
  for (int i = 0; i < run->impact_count; i++)
    edges[2 * i].t = run->impacts[i].start, edges[2 * i + 1].t = run->impacts[i].end;
  if (!locate_edges(r, run, time, edges, 2 * run->impact_count)) return false;
  for (int i = 0; i < run->impact_count && must->count < most; i++) {
    long make = edges[2 * i].row, end = edges[2 * i + 1].row;
    if (end - make <= WHOLE_IMPACT) {
      row_set_add_range(must, make - MARGIN, end + MARGIN);
    } else {
      row_set_add_range(must, make - MARGIN, make + AROUND_EDGE);
      row_set_add_range(must, end - AROUND_EDGE, end + MARGIN);
    }
  }
  return true;
}

static void keep_extremes(const report_table *t, row_set *must) {
  for (int k = 0; k < t->column_count; k++) {
    if (t->columns[k].range.constant) continue;
    row_set_add(must, t->columns[k].range.first_min);
    row_set_add(must, t->columns[k].range.first_max);
  }
}

// --- what fits ----------------------------------------------------------------------------------------------------

static size_t row_bytes(const report_column *columns, int count) {
  size_t bytes = 0;
  for (int k = 0; k < count; k++)
    if (!columns[k].range.constant) bytes += blob_type_size(columns[k].type);
  return bytes;
}

static void keep_all(report *r, report_run *run) {
  run->axes = ARENA_NEW(r->memory, report_axis);
  run->axis_count = 1;
  run->axes[0] = (report_axis){.kept = row_set_create(r->memory, run->rows), .raw = true};
  row_set_add_range(&run->axes[0].kept, 0, run->rows - 1);
}

static bool thin_one(report *r, report_run *run, int index, int time, const row_set *around, long most) {
  report_table *t = &run->tables[index];
  double *scales = ARENA_ARRAY(r->memory, double, t->column_count);
  for (int k = 0; k < t->column_count; k++) scales[k] = t->columns[k].range.constant ? 0 : t->columns[k].scale;
  row_set must = row_set_copy(r->memory, around);
  keep_extremes(t, &must);
  thin_result thinned;
  if (!thin_table(r->memory, run->in, t->source, time, scales, &must, finest_bound, most, &thinned, r->error)) return false;
  bool raw = thinned.kept.count == run->rows;
  run->axes[index] = (report_axis){.kept = thinned.kept, .raw = raw, .bound = raw ? 0 : thinned.bound};
  t->axis = index;
  return true;
}

// Each table is thinned for itself, the narrow ones first: what they do not need is left to the others.
static bool keep_some(report *r, report_run *run, int time, size_t room) {
  int *order = ARENA_ARRAY(r->memory, int, run->table_count + 1);
  size_t *bytes = ARENA_ARRAY(r->memory, size_t, run->table_count + 1), total = 0;
  for (int i = 0; i < run->table_count; i++) {
    total += bytes[i] = row_bytes(run->tables[i].columns, run->tables[i].column_count) + 12;  // with time and index
    int k = i;
    for (; k > 0 && bytes[order[k - 1]] > bytes[i]; k--) order[k] = order[k - 1];
    order[k] = i;
  }
  row_set around = row_set_create(r->memory, run->rows);
  row_set_add(&around, 0);
  row_set_add(&around, run->rows - 1);
  if (!keep_impacts(r, run, time, (long)(room / total / 2), &around)) return false;
  run->axes = ARENA_ARRAY(r->memory, report_axis, run->table_count);
  run->axis_count = run->table_count;
  for (int i = 0; i < run->table_count; i++) {
    int k = order[i];
    if (!thin_one(r, run, k, time, &around, (long)(room / total))) return false;
    size_t taken = bytes[k] * (size_t)run->axes[k].kept.count;
    room = taken < room ? room - taken : 0;
    total -= bytes[k];
  }
  return true;
}

// --- into blobs ---------------------------------------------------------------------------------------------------

static void place_column(report_column *c, blob *b, int number, size_t count) {
  c->blob = number;
  if (!c->range.constant) c->at = blob_add(b, c->type, count);
}

static bool fill_columns(report *r, report_run *run, int source, const row_set *kept, report_column *columns, int count,
                         blob *b) {
  double *block = ARENA_ARRAY(r->memory, double, (size_t)record_get_table(run->in, source).column_count * ROWS_AT_ONCE);
  int width = record_get_table(run->in, source).column_count;
  size_t used = 0;
  for (long first = 0; first < kept->rows; first += ROWS_AT_ONCE) {
    long rows = least(kept->rows - first, ROWS_AT_ONCE);
    if (record_read(run->in, source, first, rows, block, r->error) != CAROM_OK) return false;
    for (long k = 0; k < rows; k++) {
      if (!row_set_has(kept, first + k)) continue;
      for (int c = 0; c < count; c++)
        if (!columns[c].range.constant)
          blob_set(b, columns[c].at, columns[c].type, (size_t)kept->count, used, block[k * width + c]);
      used++;
    }
  }
  return true;
}

static void fill_index(const row_set *kept, const report_column *c, blob *b) {
  size_t used = 0;
  for (long row = 0; row < kept->rows; row++)
    if (row_set_has(kept, row)) blob_set(b, c->at, BLOB_U32, (size_t)kept->count, used++, (double)row);
}

// The rows of an axis: times always as doubles, and which rows they are.
static bool load_axis(report *r, report_run *run, report_axis *a, int time, blob *b, int number) {
  size_t kept = (size_t)a->kept.count;
  a->time = (report_column){.name = "t", .unit = "s", .type = BLOB_F64, .range = {.min = run->t0, .max = run->t1}};
  *b = blob_create(r->memory, 12 * kept);
  place_column(&a->time, b, number, kept);
  if (!fill_columns(r, run, time, &a->kept, &a->time, 1, b)) return false;
  if (a->raw) return true;
  a->index = (report_column){.name = "index", .unit = "1", .type = BLOB_U32, .range = {.max = (double)run->rows - 1}};
  place_column(&a->index, b, number, kept);
  fill_index(&a->kept, &a->index, b);
  return true;
}

static bool load_table(report *r, report_run *run, report_table *t, blob *b, int number) {
  const row_set *kept = &run->axes[t->axis].kept;
  *b = blob_create(r->memory, row_bytes(t->columns, t->column_count) * (size_t)kept->count);
  for (int k = 0; k < t->column_count; k++) place_column(&t->columns[k], b, number, (size_t)kept->count);
  return fill_columns(r, run, t->source, kept, t->columns, t->column_count, b);
}

static bool load_impacts(report *r, report_run *run, blob *b, int number) {
  if (!scan_columns(r, run, run->impact_source, run->impact_rows, &run->impact_columns)) return false;
  int width = record_get_table(run->in, run->impact_source).column_count;
  run->impact_column_count = width;
  *b = blob_create(r->memory, 8 * (size_t)width * (size_t)run->impact_count);
  for (int k = 0; k < width; k++) {
    run->impact_columns[k].type = BLOB_F64;
    place_column(&run->impact_columns[k], b, number, (size_t)run->impact_count);
  }
  double *row = ARENA_ARRAY(r->memory, double, width);
  for (int i = 0; i < run->impact_count; i++) {
    if (record_read(run->in, run->impact_source, run->impacts[i].row, 1, row, r->error) != CAROM_OK) return false;
    for (int k = 0; k < width; k++)
      if (!run->impact_columns[k].range.constant)
        blob_set(b, run->impact_columns[k].at, BLOB_F64, (size_t)run->impact_count, (size_t)i, row[k]);
  }
  return true;
}

static bool read_times(report *r, report_run *run, int time) {
  double *row = ARENA_ARRAY(r->memory, double, record_get_table(run->in, time).column_count);
  if (run->rows == 0) return true;
  if (record_read(run->in, time, 0, 1, row, r->error) != CAROM_OK) return false;
  run->t0 = row[0];
  if (record_read(run->in, time, run->rows - 1, 1, row, r->error) != CAROM_OK) return false;
  run->t1 = row[0];
  return true;
}

static bool load_blobs(report *r, report_run *run, int time) {
  run->blobs = ARENA_ARRAY(r->memory, blob, run->axis_count + run->table_count + 1);
  for (int i = 0; i < run->axis_count; i++, run->blob_count++)
    if (!load_axis(r, run, &run->axes[i], time, &run->blobs[run->blob_count], run->blob0 + run->blob_count)) return false;
  for (int i = 0; i < run->table_count; i++, run->blob_count++)
    if (!load_table(r, run, &run->tables[i], &run->blobs[run->blob_count], run->blob0 + run->blob_count)) return false;
  if (run->impact_source < 0) return true;
  if (!load_impacts(r, run, &run->blobs[run->blob_count], run->blob0 + run->blob_count)) return false;
  run->blob_count++;
  return true;
}

bool report_load(report *r, report_run *run, size_t room, int blob0) {
  int time;
  run->blob0 = blob0;
  if (!list_tables(r, run, &time) || !read_times(r, run, time)) return false;
  run->impact_source = record_find_table(run->in, "impacts");
  if (run->impact_source >= 0) {
    size_t each = 8 * (size_t)record_get_table(run->in, run->impact_source).column_count;
    run->impact_rows = record_rows(run->in, run->impact_source);
    if (!choose_impacts(r, run, (long)(room / 4 / each))) return false;
    room -= each * (size_t)run->impact_count;
  }
  size_t bytes = 8;
  for (int i = 0; i < run->table_count; i++) bytes += row_bytes(run->tables[i].columns, run->tables[i].column_count);
  if ((size_t)run->rows <= room / bytes) keep_all(r, run);
  else if (!keep_some(r, run, time, room)) return false;
  if (run->impact_source >= 0) qsort(run->impacts, (size_t)run->impact_count, sizeof *run->impacts, by_start);
  return load_blobs(r, run, time);
}
