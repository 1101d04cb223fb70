// The numbers of a run that go into its page: all of them, or as many as fit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/report.h"

enum { ROWS_AT_ONCE = 256 };

// A column is rounded to 24 bits where that costs at most so much of its scale, a hundredth of a pixel of a plot.
static const double rounding_most = 1e-5;
// An impact of at most so many rows is kept whole, with as many beside it as say what came before and after; of a longer
// contact so many on both sides of make and break.
enum { WHOLE_IMPACT = 64, AROUND_EDGE = 8 };
// Rows that are tried may take so many times their room: deflate rarely does better.
enum { UNPACKED_MOST = 4 };

const report_table *report_find_table(const report_run *run, const char *name) {
  for (int i = 0; i < run->table_count; i++)
    if (strcmp(run->tables[i].name, name) == 0) return &run->tables[i];
  return NULL;
}

int report_find_column(const report_table *t, const char *name) { return t ? names_find(&t->by_name, name) : -1; }

static long least(long a, long b) { return a < b ? a : b; }
static double or_zero(double x) { return isfinite(x) ? x : 0; }

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

// What rounding to 24 bits does to a column.
static double rounding_of(const report_column *c) { return fmax(fabs(c->range.min), fabs(c->range.max)) * 0x1p-24; }

static blob_type type_for(const report_column *c) {
  double rounding = rounding_of(c);
  bool fits = rounding < 1e30 && rounding <= rounding_most * c->scale;
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

static int by_strength(const void *a, const void *b) {
  const report_impact *first = a, *second = b;
  if (first->blow.strength != second->blow.strength) return first->blow.strength > second->blow.strength ? -1 : 1;
  if (first->blow.impulse != second->blow.impulse) return first->blow.impulse > second->blow.impulse ? -1 : 1;
  return first->row < second->row ? -1 : first->row > second->row;
}

static int by_start(const void *a, const void *b) {
  const report_impact *first = a, *second = b;
  if (first->blow.start != second->blow.start) return first->blow.start < second->blow.start ? -1 : 1;
  return first->row < second->row ? -1 : first->row > second->row;
}

static int find_column_in(const record_table *t, const char *name) {
  for (int k = 0; k < t->column_count; k++)
    if (strcmp(t->columns[k], name) == 0) return k;
  return -1;
}

// Where the ledger says what an episode is judged by; -1: an old record, which does not.
typedef struct impact_places {
  int point, start, end, impulse, force, speed;
} impact_places;

static impact_places place_columns(const record_table *t) {
  return (impact_places){find_column_in(t, "point"),          find_column_in(t, "start"),      find_column_in(t, "end"),
                         find_column_in(t, "impulse_normal"), find_column_in(t, "peak_force"), find_column_in(t, "approach_speed")};
}

static blow read_blow(const double *row, const impact_places *at) {
  return blow_create(row[at->start], row[at->end], row[at->impulse], at->speed < 0 ? 0 : row[at->speed],
                     at->force < 0 ? 0 : row[at->force]);
}

// All episodes, in the order of the record.
static bool read_blows(report *r, report_run *run, const impact_places *at, blow *blows, int *points) {
  int width = record_get_table(run->in, run->impact_source).column_count;
  double *block = ARENA_ARRAY(r->passing, double, (size_t)width * ROWS_AT_ONCE);
  for (long first = 0; first < run->impact_rows; first += ROWS_AT_ONCE) {
    long count = least(run->impact_rows - first, ROWS_AT_ONCE);
    if (record_read(run->in, run->impact_source, first, count, block, r->error) != CAROM_OK) return false;
    for (long k = 0; k < count; k++) {
      double point = block[k * width + at->point];
      points[first + k] = point >= 0 && point < 1e9 ? (int)point : -1;
      blows[first + k] = read_blow(block + k * width, at);
    }
  }
  return true;
}

// The two columns that the record does not have.
static void describe_blows(report_run *run, const blow *blows) {
  report_column *kind = &run->impact_columns[run->impact_column_count++];
  report_column *strength = &run->impact_columns[run->impact_column_count++];
  *kind = (report_column){.name = "kind", .unit = "1", .range = {.constant = true, .min = 1, .max = -1}};
  *strength = (report_column){.name = "strength", .unit = "J", .range = {.constant = true, .min = 1, .max = -1}};
  for (long i = 0; i < run->impact_rows; i++) {
    run->impact_kinds[blows[i].kind]++;
    column_range_take(&kind->range, blows[i].kind, i);
    column_range_take(&strength->range, blows[i].strength, i);
  }
}

// The strongest `most` impacts, or all of them, in order of their start.
static bool choose_impacts(report *r, report_run *run, long most) {
  record_table about = record_get_table(run->in, run->impact_source);
  impact_places at = place_columns(&about);
  if (at.point < 0 || at.start < 0 || at.end < 0 || at.impulse < 0)
    return error_set(r->error, CAROM_ERROR_FILE, "'%s' has a table of impacts that is not carom's", run->file), false;
  arena_mark mark = arena_get_mark(r->passing);
  blow *blows = ARENA_ARRAY(r->passing, blow, run->impact_rows + 1);
  int *points = ARENA_ARRAY(r->passing, int, run->impact_rows + 1);
  if (!read_blows(r, run, &at, blows, points)) return false;
  double span = or_zero(run->t1 - run->t0), spacing = run->rows > 1 ? span / (double)(run->rows - 1) : 0;
  run->brief = blows_judge(r->passing, blows, run->impact_rows, span, spacing);
  describe_blows(run, blows);
  report_impact *all = ARENA_ARRAY(r->passing, report_impact, run->impact_rows + 1);
  for (long i = 0; i < run->impact_rows; i++) all[i] = (report_impact){.row = i, .point = points[i], .blow = blows[i]};
  qsort(all, (size_t)run->impact_rows, sizeof *all, by_strength);
  run->impact_count = (int)least(run->impact_rows, most);
  run->impacts = ARENA_ARRAY(r->memory, report_impact, run->impact_count + 1);
  memcpy(run->impacts, all, (size_t)run->impact_count * sizeof *all);
  qsort(run->impacts, (size_t)run->impact_count, sizeof *run->impacts, by_start);
  arena_release(r->passing, mark);
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

// Where the impacts are, the strongest first: two edges each.
typedef struct hits {
  edge *edges;
  int count;
} hits;

static bool locate_hits(report *r, const report_run *run, int time, hits *h) {
  *h = (hits){.edges = ARENA_ARRAY(r->memory, edge, 2 * run->impact_count + 1), .count = run->impact_count};
  report_impact *strongest = ARENA_ARRAY(r->memory, report_impact, run->impact_count + 1);
  memcpy(strongest, run->impacts, (size_t)run->impact_count * sizeof *strongest);
  qsort(strongest, (size_t)run->impact_count, sizeof *strongest, by_strength);
  for (int i = 0; i < h->count; i++) h->edges[2 * i].t = strongest[i].blow.start, h->edges[2 * i + 1].t = strongest[i].blow.end;
  return locate_edges(r, run, time, h->edges, 2 * h->count);
}

// Around the impacts until `most` rows are taken. Says whether that was all of them.
static bool keep_hits(const hits *h, long most, row_set *must) {
  int i = 0;
  for (; i < h->count && must->count < most; i++) {
    long make = h->edges[2 * i].row, end = h->edges[2 * i + 1].row;
    if (end - make <= WHOLE_IMPACT) {
      row_set_add_range(must, make - AROUND_EDGE, end + AROUND_EDGE);
    } else {
      row_set_add_range(must, make - AROUND_EDGE, make + AROUND_EDGE);
      row_set_add_range(must, end - AROUND_EDGE, end + AROUND_EDGE);
    }
  }
  return i == h->count;
}

static void keep_extremes(const report_table *t, row_set *must) {
  for (int k = 0; k < t->column_count; k++) {
    if (t->columns[k].range.constant) continue;
    row_set_add(must, t->columns[k].range.first_min);
    row_set_add(must, t->columns[k].range.first_max);
  }
}

// --- into blobs ---------------------------------------------------------------------------------------------------

static size_t row_bytes(const report_column *columns, int count) {
  size_t bytes = 0;
  for (int k = 0; k < count; k++)
    if (!columns[k].range.constant) bytes += blob_type_size(columns[k].type);
  return bytes;
}

// What some blobs take once they are packed, and whether that fits.
typedef struct packing {
  size_t room, size;
  bool fits;
} packing;

// The next blob of a run. It stands in memory that passes until it is settled.
static blob *open_blob(report *r, report_run *run, size_t capacity, int *number) {
  *number = run->blob0 + run->blob_count;
  blob *b = &run->blobs[run->blob_count++];
  *b = blob_create(r->passing, capacity);
  return b;
}

static void close_blob(report *r, blob *b, packing *p) {
  if (!blob_pack(b, r->passing, p->size < p->room ? p->room - p->size : 0)) p->fits = false;
  p->size += b->packed_size;
}

static void settle_blobs(report *r, report_run *run, int first) {
  for (int i = first; i < run->blob_count; i++) {
    blob *b = &run->blobs[i];
    unsigned char *packed = arena_alloc(r->memory, b->packed_size + 1, 1);
    memcpy(packed, b->packed, b->packed_size);
    *b = (blob){.packed = packed, .packed_size = b->packed_size};
  }
}


static void place_column(report_column *c, blob *b, int number, size_t count) {
  c->blob = number;
  if (!c->range.constant) c->at = blob_add(b, c->type, count);
}

static bool fill_columns(report *r, report_run *run, int source, const row_set *kept, report_column *columns, int count,
                         blob *b) {
  double *block = ARENA_ARRAY(r->passing, double, (size_t)record_get_table(run->in, source).column_count * ROWS_AT_ONCE);
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
static bool place_axis(report *r, report_run *run, report_axis *a, int time, packing *p) {
  size_t kept = (size_t)a->kept.count;
  int number;
  blob *b = open_blob(r, run, 12 * kept, &number);
  a->time = (report_column){.name = "t", .unit = "s", .type = BLOB_F64, .range = {.min = run->t0, .max = run->t1, .first = run->t0}};
  place_column(&a->time, b, number, kept);
  if (!fill_columns(r, run, time, &a->kept, &a->time, 1, b)) return false;
  if (!a->raw) {
    a->index = (report_column){.name = "index", .unit = "1", .type = BLOB_U32, .range = {.max = (double)run->rows - 1}};
    place_column(&a->index, b, number, kept);
    fill_index(&a->kept, &a->index, b);
  }
  close_blob(r, b, p);
  return true;
}

static bool place_table(report *r, report_run *run, report_table *t, packing *p) {
  const row_set *kept = &run->axes[t->axis].kept;
  int number;
  blob *b = open_blob(r, run, row_bytes(t->columns, t->column_count) * (size_t)kept->count, &number);
  for (int k = 0; k < t->column_count; k++) place_column(&t->columns[k], b, number, (size_t)kept->count);
  if (!fill_columns(r, run, t->source, kept, t->columns, t->column_count, b)) return false;
  close_blob(r, b, p);
  return true;
}

static bool place_impacts(report *r, report_run *run, packing *p) {
  int recorded = record_get_table(run->in, run->impact_source).column_count, width = run->impact_column_count, number;
  blob *b = open_blob(r, run, 8 * (size_t)width * (size_t)run->impact_count, &number);
  for (int k = 0; k < width; k++) {
    run->impact_columns[k].type = BLOB_F64;
    place_column(&run->impact_columns[k], b, number, (size_t)run->impact_count);
  }
  double *row = ARENA_ARRAY(r->memory, double, width);
  for (int i = 0; i < run->impact_count; i++) {
    if (record_read(run->in, run->impact_source, run->impacts[i].row, 1, row, r->error) != CAROM_OK) return false;
    row[recorded] = run->impacts[i].blow.kind, row[recorded + 1] = run->impacts[i].blow.strength;
    for (int k = 0; k < width; k++)
      if (!run->impact_columns[k].range.constant)
        blob_set(b, run->impact_columns[k].at, BLOB_F64, (size_t)run->impact_count, (size_t)i, row[k]);
  }
  close_blob(r, b, p);
  return true;
}

// --- what fits ----------------------------------------------------------------------------------------------------

// Every row, if that fits.
static bool keep_all(report *r, report_run *run, int time, size_t room, bool *fits) {
  arena_mark mark = arena_get_mark(r->passing);
  int first = run->blob_count;
  packing p = {.room = room, .fits = true};
  run->axes = ARENA_NEW(r->memory, report_axis);
  run->axis_count = 1;
  run->axes[0] = (report_axis){.kept = row_set_create(r->memory, run->rows), .raw = true};
  row_set_add_range(&run->axes[0].kept, 0, run->rows - 1);
  if (!place_axis(r, run, &run->axes[0], time, &p)) return false;
  for (int i = 0; i < run->table_count && p.fits; i++)
    if (!place_table(r, run, &run->tables[i], &p)) return false;
  *fits = p.fits;
  if (p.fits) settle_blobs(r, run, first);
  else run->blob_count = first;
  arena_release(r->passing, mark);
  return true;
}

// The bound that holds for what stands in the page: thinned, then rounded.
static double bound_of(const report_table *t, double bound) {
  double rounding = 0;
  for (int k = 0; k < t->column_count; k++)
    if (!t->columns[k].range.constant && t->columns[k].type == BLOB_F32 && t->columns[k].range.min <= t->columns[k].range.max)
      rounding = fmax(rounding, rounding_of(&t->columns[k]) / t->columns[k].scale);
  return bound + rounding;
}

// The next level after one that was too large: the first that fits if rows pack as well there.
static int next_level(const thin_result *thinned, int tried, const packing *p) {
  double row = (double)p->size / (double)thinned->levels[tried].kept.count;
  int i = tried + 1;
  while (i + 1 < thinned->count && row * (double)thinned->levels[i].kept.count > (double)p->room) i++;
  return i;
}

// Packs a table with the finest level that fits; the last one is taken as it is.
static bool pack_finest(report *r, report_run *run, int index, int time, const thin_result *thinned, size_t room, size_t *taken) {
  arena_mark mark = arena_get_mark(r->passing);
  int first = run->blob_count, last = thinned->count - 1;
  packing p = {.fits = false};
  for (int i = 0; !p.fits; i = p.fits ? i : next_level(thinned, i, &p)) {
    const thin_level *l = &thinned->levels[i];
    bool raw = l->kept.count == run->rows;
    arena_release(r->passing, mark);
    run->blob_count = first;
    run->axes[index] = (report_axis){.kept = l->kept, .raw = raw, .bound = raw ? 0 : bound_of(&run->tables[index], l->bound)};
    p = (packing){.room = i == last ? SIZE_MAX : room, .fits = true};
    if (!place_axis(r, run, &run->axes[index], time, &p) || !place_table(r, run, &run->tables[index], &p)) return false;
  }
  *taken = p.size;
  return true;
}

// What a table may take of the page.
typedef struct thin_share {
  size_t room;               // packed
  long rows;                 // that fit for sure, however badly they pack
  size_t taken;
} thin_share;

static bool thin_around(report *r, report_run *run, int index, int time, const row_set *must, thin_share *share) {
  report_table *t = &run->tables[index];
  double *scales = ARENA_ARRAY(r->passing, double, t->column_count);
  for (int k = 0; k < t->column_count; k++) scales[k] = t->columns[k].range.constant ? 0 : t->columns[k].scale;
  thin_result *thinned = ARENA_NEW(r->passing, thin_result);
  return thin_table(r->passing, run->in, t->source, time, scales, must, UNPACKED_MOST * share->rows, thinned, r->error) &&
         pack_finest(r, run, index, time, thinned, share->room, &share->taken);
}

// Half of the share goes to impacts at first. Where many short impacts put a gulf between one bound and the next, much of
// the room is left by the one that fits: then it is theirs too, unless that turns out too much.
static bool thin_one(report *r, report_run *run, int index, int time, const row_set *ends, const hits *h, thin_share *share) {
  arena_mark mark = arena_get_mark(r->passing);
  int first = run->blob_count;
  long half = share->rows / 2, around = half;
  run->tables[index].axis = index;
  for (int attempt = 0; attempt < 3; attempt++) {
    arena_release(r->passing, mark);
    run->blob_count = first;
    row_set must = row_set_copy(r->passing, ends);
    bool all = keep_hits(h, around, &must);
    keep_extremes(&run->tables[index], &must);
    if (!thin_around(r, run, index, time, &must, share)) return false;
    if (attempt == 0 && !all && share->taken < share->room / 2)
      around = (long)(0.8 * (double)half * (double)share->room / (double)share->taken);
    else if (attempt == 1 && share->taken > share->room) around = half;
    else break;
  }
  settle_blobs(r, run, first);
  run->axes[index].kept = row_set_copy(r->memory, &run->axes[index].kept);
  arena_release(r->passing, mark);
  return true;
}

// A record of times and nothing else: when it began and ended.
static bool keep_ends_only(report *r, report_run *run, int time, const row_set *ends) {
  packing p = {.room = SIZE_MAX};
  run->axes = ARENA_NEW(r->memory, report_axis);
  run->axis_count = 1;
  run->axes[0] = (report_axis){.kept = *ends};
  if (!place_axis(r, run, &run->axes[0], time, &p)) return false;
  settle_blobs(r, run, run->blob_count - 1);
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
  row_set ends = row_set_create(r->memory, run->rows);
  row_set_add(&ends, 0);
  row_set_add(&ends, run->rows - 1);
  if (run->table_count == 0) return keep_ends_only(r, run, time, &ends);
  hits h;
  if (!locate_hits(r, run, time, &h)) return false;
  run->axes = ARENA_ARRAY(r->memory, report_axis, run->table_count);
  run->axis_count = run->table_count;
  for (int i = 0; i < run->table_count; i++) {
    int k = order[i];
    thin_share share = {.room = (size_t)((double)room * (double)bytes[k] / (double)total), .rows = (long)(room / total)};
    if (!thin_one(r, run, k, time, &ends, &h, &share)) return false;
    room = share.taken < room ? room - share.taken : 0;
    total -= bytes[k];
  }
  return true;
}

// --- a run --------------------------------------------------------------------------------------------------------

static bool read_times(report *r, report_run *run, int time) {
  double *row = ARENA_ARRAY(r->memory, double, record_get_table(run->in, time).column_count);
  if (run->rows == 0) return true;
  if (record_read(run->in, time, 0, 1, row, r->error) != CAROM_OK) return false;
  run->t0 = row[0];
  if (record_read(run->in, time, run->rows - 1, 1, row, r->error) != CAROM_OK) return false;
  run->t1 = row[0];
  return true;
}

static bool load_impacts(report *r, report_run *run, size_t *room) {
  int recorded = record_get_table(run->in, run->impact_source).column_count, width = recorded + 2;
  run->impact_rows = record_rows(run->in, run->impact_source);
  report_column *columns;
  if (!scan_columns(r, run, run->impact_source, run->impact_rows, &columns)) return false;
  run->impact_columns = ARENA_ARRAY(r->memory, report_column, width);
  memcpy(run->impact_columns, columns, (size_t)recorded * sizeof *columns);
  run->impact_column_count = recorded;
  if (!choose_impacts(r, run, (long)(*room / 4 / (8 * (size_t)width)))) return false;
  arena_mark mark = arena_get_mark(r->passing);
  packing p = {.room = SIZE_MAX};
  if (!place_impacts(r, run, &p)) return false;
  settle_blobs(r, run, run->blob_count - 1);
  arena_release(r->passing, mark);
  *room -= p.size < *room ? p.size : *room;
  return true;
}

bool report_load(report *r, report_run *run, size_t room, int blob0) {
  int time;
  run->blob0 = blob0;
  if (!list_tables(r, run, &time) || !read_times(r, run, time)) return false;
  run->blobs = ARENA_ARRAY(r->memory, blob, 2 * run->table_count + 2);
  run->impact_source = record_find_table(run->in, "impacts");
  if (run->impact_source >= 0 && !load_impacts(r, run, &room)) return false;
  size_t bytes = 8;
  for (int i = 0; i < run->table_count; i++) bytes += row_bytes(run->tables[i].columns, run->tables[i].column_count);
  bool whole = false;
  if ((size_t)run->rows <= UNPACKED_MOST * room / bytes && !keep_all(r, run, time, room, &whole)) return false;
  return whole || keep_some(r, run, time, room);
}
