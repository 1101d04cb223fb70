// The numbers of a run that go into its page: all of them, or as many as fit.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/report.h"

enum { ROWS_AT_ONCE = 256 };

// A column is rounded to 24 bits where that costs at most so much of its scale, a hundredth of a pixel of a plot.
static const double rounding_most = 1e-5;
// An impact is kept whole, of contact that lasts its first impact, with so many rows on both sides of make and break.
// An episode of few rows is kept whole whatever it is.
enum { FEW_ROWS = 64, AROUND_EDGE = 8 };
// Of the scale: a line in a plot is wider. With lines this close to what they stand for, room is for the rows of
// impacts.
static const double good_bound = 1e-3;
// Turns of finding out how many rows fit, and from what share on a page is full.
enum { FILL_TURNS = 4 };
static const double full_share = 0.85;
// Rows that are tried may take so many times their room: deflate rarely does better.
enum { UNPACKED_MOST = 4 };

const report_table *report_find_table(const report_run *run, const char *name) {
  for (int i = 0; i < run->table_count; i++)
    if (strcmp(run->tables[i].name, name) == 0) return &run->tables[i];
  return NULL;
}

int report_find_column(const report_table *t, const char *name) { return t ? names_find(&t->by_name, name) : -1; }

const report_column *report_driven_column(report *r, const report_run *run, const json_value *drive) {
  const json_value *joints = json_get(run->scene, "joints");
  const report_table *t = report_find_table(run, "joints");
  double joint = json_get_number(drive, "joint", -1), coordinate = json_get_number(drive, "coordinate", 0);
  if (!joints || !(joint >= 0 && joint < joints->count)) return NULL;
  const char *owner = json_get_text(&joints->items[(int)joint], "name");
  int k = report_find_column(t, arena_print(r->memory, "%s.q%.0f", owner, coordinate));
  if (k < 0 && coordinate == 0) k = report_find_column(t, arena_print(r->memory, "%s.q", owner));
  return k < 0 ? NULL : &t->columns[k];
}

static long least(long a, long b) { return a < b ? a : b; }
static double or_zero(double x) { return isfinite(x) ? x : 0; }

// Long runs take a while.
static void tell(const report *r, const report_run *run, const char *doing, const char *table) {
  char line[256];
  if (!r->page || !r->page->progress) return;
  snprintf(line, sizeof line, "%s: %s %s, %ld rows", run->name, doing, table, run->rows);
  r->page->progress(r->page->context, line);
}

// --- tables ----------------------------------------------------------------------------------------------------------

static bool is_frame_table(const char *name) { return record_is_frame_table(name) && strcmp(name, "time") != 0; }

// What a column's errors are measured by: its range, at least a millionth of the largest range of that unit in its
// table. Without this a coordinate at rest, which moves in its last digit alone, would have every digit kept. Where all
// of a unit is noise the largest range says nothing: then 1e-9 of the unit.
static void set_scales(arena *passing, report_column *columns, int count) {
  for (int k = 0; k < count; k++) columns[k].scale = fmax(columns[k].range.max - columns[k].range.min, 0);
  names units = names_create(passing);
  double *largest = ARENA_ARRAY(passing, double, count + 1);  // by unit, at the first column that has it
  for (int k = 0; k < count; k++) {
    int first = names_find(&units, columns[k].unit);
    if (first < 0) names_add(&units, columns[k].unit, first = k);
    largest[first] = fmax(largest[first], columns[k].scale);
  }
  for (int k = 0; k < count; k++)
    if (!columns[k].range.constant)
      columns[k].scale = fmax(columns[k].scale, fmax(1e-6 * largest[names_find(&units, columns[k].unit)], 1e-9));
}

// What rounding to 24 bits does to a column.
static double rounding_of(const report_column *c) { return fmax(fabs(c->range.min), fabs(c->range.max)) * 0x1p-24; }

static blob_type type_for(const report_column *c) {
  double rounding = rounding_of(c);
  bool fits = rounding < 1e30 && rounding <= rounding_most * c->scale;
  return fits || c->range.min > c->range.max ? BLOB_F32 : BLOB_F64;
}

bool report_scan_columns(report *r, report_run *run, int source, long rows, report_column **columns) {
  record_table about = record_get_table(run->in, source);
  column_range *ranges = ARENA_ARRAY(r->memory, column_range, about.column_count);
  report_column *all = ARENA_ARRAY(r->memory, report_column, about.column_count);
  for (int k = 0; k < about.column_count; k++) ranges[k] = (column_range){.constant = true, .min = 1, .max = -1};
  if (thin_scan(run->in, source, rows, ranges, r->error) != CAROM_OK) return false;
  for (int k = 0; k < about.column_count; k++)
    all[k] = (report_column){.name = about.columns[k], .unit = about.units ? about.units[k] : "", .range = ranges[k]};
  arena_mark mark = arena_get_mark(r->passing);
  set_scales(r->passing, all, about.column_count);
  arena_release(r->passing, mark);
  for (int k = 0; k < about.column_count; k++) all[k].type = type_for(&all[k]);
  *columns = all;
  return true;
}

static bool add_table(report *r, report_run *run, int source) {
  report_table *t = &run->tables[run->table_count++];
  record_table about = record_get_table(run->in, source);
  *t = (report_table){
      .name = about.name, .source = source, .column_count = about.column_count, .by_name = names_create(r->memory)};
  tell(r, run, "reading", t->name);
  if (!report_scan_columns(r, run, source, run->rows, &t->columns)) return false;
  for (int k = 0; k < t->column_count; k++)
    if (names_find(&t->by_name, t->columns[k].name) < 0) names_add(&t->by_name, t->columns[k].name, k);
  return true;
}

static bool list_tables(report *r, report_run *run, int *time) {
  int count = record_table_count(run->in);
  *time = record_find_table(run->in, "time");
  if (*time < 0 || strcmp(record_get_table(run->in, *time).columns[0], "t") != 0)
    return error_set(r->error, CAROM_ERROR_FILE, "'%s' is not a run of carom: it has no table of times%s", run->file,
                     record_get_text(run->in, "sweep") ? "; it is a sweep, whose rows 'carom export' prints" : ""),
           false;
  run->rows = record_rows(run->in, *time);
  for (int i = 0; i < count; i++)
    if (is_frame_table(record_get_table(run->in, i).name)) run->rows = least(run->rows, record_rows(run->in, i));
  if (run->rows < 0) return error_set(r->error, CAROM_ERROR_FILE, "'%s' cannot be read", run->file), false;
  if (run->rows > UINT32_MAX)
    return error_set(r->error, CAROM_ERROR_FILE, "'%s' has more rows than a report can count", run->file), false;
  run->tables = ARENA_ARRAY(r->memory, report_table, count + 1);
  for (int i = 0; i < count; i++)
    if (is_frame_table(record_get_table(run->in, i).name) && !add_table(r, run, i)) return false;
  return true;
}

// --- impacts ---------------------------------------------------------------------------------------------------------

static int by_strength(const void *a, const void *b) {
  const report_impact *first = a, *second = b;
  if (first->episode.strength != second->episode.strength)
    return first->episode.strength > second->episode.strength ? -1 : 1;
  if (first->episode.impulse != second->episode.impulse)
    return first->episode.impulse > second->episode.impulse ? -1 : 1;
  return first->row < second->row ? -1 : first->row > second->row;
}

static int by_start(const void *a, const void *b) {
  const report_impact *first = a, *second = b;
  if (first->episode.start != second->episode.start) return first->episode.start < second->episode.start ? -1 : 1;
  return first->row < second->row ? -1 : first->row > second->row;
}

// Where the ledger says what an episode is judged by; -1: an old record, which does not.
typedef struct impact_places {
  int point, start, end, impulse, force, speed;
} impact_places;

static impact_places place_columns(const record_table *t) {
  return (impact_places){record_find_column(t, "point"),      record_find_column(t, "start"),
                         record_find_column(t, "end"),        record_find_column(t, "impulse_normal"),
                         record_find_column(t, "peak_force"), record_find_column(t, "approach_speed")};
}

static episode read_episode(const double *row, const impact_places *at) {
  return episode_create(row[at->start], row[at->end], row[at->impulse], at->speed < 0 ? 0 : row[at->speed],
                        at->force < 0 ? 0 : row[at->force]);
}

// All episodes, in the order of the record.
static bool read_episodes(report *r, report_run *run, const impact_places *at, episode *episodes, double *points) {
  int width = record_get_table(run->in, run->impact_source).column_count;
  double *block = ARENA_ARRAY(r->passing, double, ((size_t)width * ROWS_AT_ONCE));
  for (long first = 0; first < run->impact_rows; first += ROWS_AT_ONCE) {
    long count = least(run->impact_rows - first, ROWS_AT_ONCE);
    if (record_read(run->in, run->impact_source, first, count, block, r->error) != CAROM_OK) return false;
    for (long k = 0; k < count; k++) {
      points[first + k] = block[k * width + at->point];
      episodes[first + k] = read_episode(block + k * width, at);
    }
  }
  return true;
}

// The two columns that the record does not have.
static void describe_episodes(report_run *run, const episode *episodes) {
  report_column *kind = &run->impact_columns[run->impact_column_count++];
  report_column *strength = &run->impact_columns[run->impact_column_count++];
  *kind = (report_column){.name = "kind", .unit = "1", .range = {.constant = true, .min = 1, .max = -1}};
  *strength = (report_column){.name = "strength", .unit = "J", .range = {.constant = true, .min = 1, .max = -1}};
  for (long i = 0; i < run->impact_rows; i++) {
    run->impact_kinds[episodes[i].kind]++;
    column_range_take(&kind->range, episodes[i].kind, i);
    column_range_take(&strength->range, episodes[i].strength, i);
  }
}

// In the page the column counts the points that are named there, not those of the record.
static void describe_points(report_run *run, report_column *point) {
  point->range = (column_range){.constant = true, .min = 1, .max = -1};
  for (int i = 0; i < run->impact_count; i++) column_range_take(&point->range, run->impacts[i].point, i);
}

// The strongest `most` impacts, or all of them, in order of their start.
static bool choose_impacts(report *r, report_run *run, long most) {
  record_table about = record_get_table(run->in, run->impact_source);
  impact_places at = place_columns(&about);
  if (at.point < 0 || at.start < 0 || at.end < 0 || at.impulse < 0)
    return error_set(r->error, CAROM_ERROR_FILE, "'%s' has a table of impacts that is not carom's", run->file), false;
  arena_mark mark = arena_get_mark(r->passing);
  episode *episodes = ARENA_ARRAY(r->passing, episode, run->impact_rows + 1);
  double *points = ARENA_ARRAY(r->passing, double, run->impact_rows + 1);
  if (!read_episodes(r, run, &at, episodes, points)) return false;
  double span = or_zero(run->t1 - run->t0), spacing = run->rows > 1 ? span / (double)(run->rows - 1) : 0;
  run->brief = episodes_judge(r->passing, episodes, run->impact_rows, span, spacing,
                              record_find_table(run->in, "episodes") >= 0);
  describe_episodes(run, episodes);
  report_impact *all = ARENA_ARRAY(r->passing, report_impact, run->impact_rows + 1);
  for (long i = 0; i < run->impact_rows; i++)
    all[i] = (report_impact){.row = i, .number = points[i], .episode = episodes[i]};
  qsort(all, (size_t)run->impact_rows, sizeof *all, by_strength);
  run->impact_count = (int)least(run->impact_rows, most);
  run->impacts = ARENA_ARRAY(r->memory, report_impact, run->impact_count + 1);
  memcpy(run->impacts, all, (size_t)run->impact_count * sizeof *all);
  qsort(run->impacts, (size_t)run->impact_count, sizeof *run->impacts, by_start);
  arena_release(r->passing, mark);
  report_name_impacts(r, run);
  describe_points(run, &run->impact_columns[at.point]);
  return true;
}

// --- rows that must stay ---------------------------------------------------------------------------------------------

typedef struct edge {
  double t;
  long row;  // the first at or after t
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
  double *block = ARENA_ARRAY(r->memory, double, ((size_t)width * ROWS_AT_ONCE));
  for (long first = 0; first < run->rows && next < count; first += ROWS_AT_ONCE) {
    long rows = least(run->rows - first, ROWS_AT_ONCE);
    if (record_read(run->in, time, first, rows, block, r->error) != CAROM_OK) return false;
    for (long k = 0; k < rows; k++)
      while (next < count && block[k * width] >= sorted[next]->t) edges[sorted[next++] - edges].row = first + k;
  }
  while (next < count) edges[sorted[next++] - edges].row = run->rows - 1;
  return true;
}

// Where the impacts are, the strongest first: make, the end of the impact and break of each.
typedef struct hits {
  edge (*edges)[3];
  int count;
  long rows;  // that all of them take
} hits;

static void keep_stretch(row_set *kept, long first, long last) {
  row_set_add_range(kept, first - AROUND_EDGE, last + AROUND_EDGE);
}

// The rows of impacts until `most` are taken in all, the strongest first: a quarter of them around makes and breaks,
// then each impact whole. Says whether that was all.
static bool keep_hits(const hits *h, long most, row_set *kept) {
  bool all = true;
  long quarter = kept->count + (most - kept->count) / 4;
  for (int i = 0; i < h->count && kept->count < quarter; i++)
    keep_stretch(kept, h->edges[i][0].row, h->edges[i][0].row),
        keep_stretch(kept, h->edges[i][2].row, h->edges[i][2].row);
  for (int i = 0; i < h->count; i++) {
    if (kept->count >= most) return false;
    long make = h->edges[i][0].row, impact_end = h->edges[i][1].row, end = h->edges[i][2].row;
    bool fits = impact_end - make < most - kept->count;
    keep_stretch(kept, make, fits ? impact_end : make);
    keep_stretch(kept, end, end);
    all = all && fits;
  }
  return all;
}

static bool locate_hits(report *r, const report_run *run, int time, hits *h) {
  *h = (hits){.edges = arena_alloc(r->memory, (size_t)run->impact_count + 1, sizeof *h->edges),
              .count = run->impact_count};
  report_impact *strongest = ARENA_ARRAY(r->memory, report_impact, run->impact_count + 1);
  memcpy(strongest, run->impacts, (size_t)run->impact_count * sizeof *strongest);
  qsort(strongest, (size_t)run->impact_count, sizeof *strongest, by_strength);
  for (int i = 0; i < h->count; i++) {
    const episode *b = &strongest[i].episode;
    h->edges[i][0].t = b->start, h->edges[i][2].t = b->end;
    h->edges[i][1].t = b->kind == EPISODE_IMPACT ? fmin(b->end, b->start + run->brief) : b->start;
  }
  if (!locate_edges(r, run, time, h->edges[0], 3 * h->count)) return false;
  for (int i = 0; i < h->count; i++)
    if (h->edges[i][2].row - h->edges[i][0].row <= FEW_ROWS) h->edges[i][1].row = h->edges[i][2].row;
  arena_mark mark = arena_get_mark(r->passing);
  row_set all = row_set_create(r->passing, run->rows);
  keep_hits(h, LONG_MAX, &all);
  h->rows = all.count;
  arena_release(r->passing, mark);
  return true;
}

static void keep_extremes(const report_table *t, row_set *must) {
  for (int k = 0; k < t->column_count; k++) {
    if (t->columns[k].range.constant) continue;
    row_set_add(must, t->columns[k].range.first_min);
    row_set_add(must, t->columns[k].range.first_max);
  }
}

// --- into blobs ------------------------------------------------------------------------------------------------------

static size_t row_bytes(const report_column *columns, int count) {
  size_t bytes = 0;
  for (int k = 0; k < count; k++)
    if (!columns[k].range.constant) bytes += blob_type_size(columns[k].type);
  return bytes;
}

blob *report_open_blob(report *r, report_run *run, size_t capacity, int *number) {
  *number = run->blob0 + run->blob_count;
  blob *b = &run->blobs[run->blob_count++];
  *b = blob_create(r->passing, capacity);
  return b;
}

void report_close_blob(report *r, blob *b, report_packing *p) {
  if (!blob_pack(b, r->passing, p->size < p->room ? p->room - p->size : 0)) p->fits = false;
  p->size += b->packed_size;
}

void report_settle_blobs(report *r, report_run *run, int first) {
  for (int i = first; i < run->blob_count; i++) {
    blob *b = &run->blobs[i];
    unsigned char *packed = arena_alloc(r->memory, b->packed_size + 1, 1);
    memcpy(packed, b->packed, b->packed_size);
    *b = (blob){.packed = packed, .packed_size = b->packed_size};
  }
}

void report_place_column(report_column *c, blob *b, int number, size_t count) {
  c->blob = number;
  if (!c->range.constant) c->at = blob_add(b, c->type, count);
}

static bool fill_columns(report *r, report_run *run, int source, const row_set *kept, report_column *columns, int count,
                         blob *b) {
  double *block =
      ARENA_ARRAY(r->passing, double, ((size_t)record_get_table(run->in, source).column_count * ROWS_AT_ONCE));
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
static bool place_axis(report *r, report_run *run, report_axis *a, int time, report_packing *p) {
  size_t kept = (size_t)a->kept.count;
  int number;
  blob *b = report_open_blob(r, run, 12 * kept, &number);
  a->time = (report_column){
      .name = "t", .unit = "s", .type = BLOB_F64, .range = {.min = run->t0, .max = run->t1, .first = run->t0}};
  report_place_column(&a->time, b, number, kept);
  if (!fill_columns(r, run, time, &a->kept, &a->time, 1, b)) return false;
  if (!a->raw) {
    a->index = (report_column){.name = "index", .unit = "1", .type = BLOB_U32, .range = {.max = (double)run->rows - 1}};
    report_place_column(&a->index, b, number, kept);
    fill_index(&a->kept, &a->index, b);
  }
  report_close_blob(r, b, p);
  return true;
}

static bool place_table(report *r, report_run *run, report_table *t, report_packing *p) {
  const row_set *kept = &run->axes[t->axis].kept;
  int number;
  tell(r, run, "packing", t->name);
  blob *b = report_open_blob(r, run, row_bytes(t->columns, t->column_count) * (size_t)kept->count, &number);
  for (int k = 0; k < t->column_count; k++) report_place_column(&t->columns[k], b, number, (size_t)kept->count);
  if (!fill_columns(r, run, t->source, kept, t->columns, t->column_count, b)) return false;
  report_close_blob(r, b, p);
  return true;
}

static bool place_impacts(report *r, report_run *run, report_packing *p) {
  record_table about = record_get_table(run->in, run->impact_source);
  int recorded = about.column_count, width = run->impact_column_count, point = record_find_column(&about, "point"),
      number;
  blob *b = report_open_blob(r, run, 8 * (size_t)width * (size_t)run->impact_count, &number);
  for (int k = 0; k < width; k++) {
    run->impact_columns[k].type = BLOB_F64;
    report_place_column(&run->impact_columns[k], b, number, (size_t)run->impact_count);
  }
  double *row = ARENA_ARRAY(r->memory, double, width);
  for (int i = 0; i < run->impact_count; i++) {
    if (record_read(run->in, run->impact_source, run->impacts[i].row, 1, row, r->error) != CAROM_OK) return false;
    row[point] = run->impacts[i].point, row[recorded] = run->impacts[i].episode.kind,
    row[recorded + 1] = run->impacts[i].episode.strength;
    for (int k = 0; k < width; k++)
      if (!run->impact_columns[k].range.constant)
        blob_set(b, run->impact_columns[k].at, BLOB_F64, (size_t)run->impact_count, (size_t)i, row[k]);
  }
  report_close_blob(r, b, p);
  return true;
}

// --- what fits -------------------------------------------------------------------------------------------------------

// Every row, if that fits.
static bool keep_all(report *r, report_run *run, int time, size_t room, bool *fits) {
  arena_mark mark = arena_get_mark(r->passing);
  int first = run->blob_count;
  report_packing p = {.room = room, .fits = true};
  run->axes = ARENA_NEW(r->memory, report_axis);
  run->axis_count = 1;
  run->axes[0] = (report_axis){.kept = row_set_create(r->memory, run->rows), .raw = true};
  row_set_add_range(&run->axes[0].kept, 0, run->rows - 1);
  if (!place_axis(r, run, &run->axes[0], time, &p)) return false;
  for (int i = 0; i < run->table_count && p.fits; i++)
    if (!place_table(r, run, &run->tables[i], &p)) return false;
  *fits = p.fits;
  if (p.fits) report_settle_blobs(r, run, first);
  else run->blob_count = first;
  arena_release(r->passing, mark);
  return true;
}

// The bound that holds for what stands in the page: thinned, then rounded.
static double bound_of(const report_table *t, double bound) {
  double rounding = 0;
  for (int k = 0; k < t->column_count; k++)
    if (!t->columns[k].range.constant && t->columns[k].type == BLOB_F32 &&
        t->columns[k].range.min <= t->columns[k].range.max)
      rounding = fmax(rounding, rounding_of(&t->columns[k]) / t->columns[k].scale);
  return bound + rounding;
}

// What a table may take of the page.
typedef struct thin_share {
  size_t room;  // packed
  long rows;    // that fit for sure, however badly they pack
  size_t taken;
} thin_share;

// A way to fill it: the rows that some bound asks for, and those of impacts until so many are taken.
typedef struct filling {
  int level;
  long most;
} filling;

// What came of one.
typedef struct filled {
  bool fits, whole;  // whole: every impact is
  double row;        // packed bytes of a row
} filled;

// A table on its way into the page.
typedef struct table_fit {
  report *r;
  report_run *run;
  int index, time;
  const hits *hits;
  thin_result thinned;
  int first_blob;
  arena_mark mark;
  thin_share *share;
} table_fit;

// The finest level that leaves room for all impacts, if its bound is good; else the finest that leaves them half of the
// room or what they need.
static filling choose_filling(const table_fit *f, double row) {
  double room = (double)f->share->room, needed = row * (double)f->hits->rows;
  int last = f->thinned.count - 1, beside = 0, half = 0;
  while (beside < last && row * (double)f->thinned.levels[beside].kept.count + needed > room) beside++;
  while (half < last && row * (double)f->thinned.levels[half].kept.count > room / 2) half++;
  bool good = 2 * f->thinned.levels[beside].bound <= good_bound;
  return (filling){.level = good || beside < half ? beside : half, .most = (long)(0.95 * room / row)};
}

// Packs the rows of a filling. A row added between two that were kept is itself off their line by the bound at most, so
// that lines to it are off by twice the bound.
static bool pack_filling(table_fit *f, filling way, size_t room, filled *out) {
  report_run *run = f->run;
  const thin_level *level = &f->thinned.levels[way.level];
  arena_release(f->r->passing, f->mark);
  run->blob_count = f->first_blob;
  row_set kept = row_set_copy(f->r->passing, &level->kept);
  out->whole = keep_hits(f->hits, way.most, &kept);
  bool raw = kept.count == run->rows;
  double bound = kept.count > level->kept.count ? 2 * level->bound : level->bound;
  run->axes[f->index] =
      (report_axis){.kept = kept, .raw = raw, .bound = raw ? 0 : bound_of(&run->tables[f->index], bound)};
  report_packing p = {.room = room, .fits = true};
  if (!place_axis(f->r, run, &run->axes[f->index], f->time, &p) || !place_table(f->r, run, &run->tables[f->index], &p))
    return false;
  out->fits = p.fits;
  out->row = (double)p.size / (double)kept.count;
  f->share->taken = p.size;
  return true;
}

// How well rows pack is known once some are packed: a few turns find out how many fit.
static bool fill_share(table_fit *f) {
  filling best = {.level = f->thinned.count - 1},
          way = choose_filling(f, 0.5 * (double)f->share->room / (double)f->share->rows);
  filled out = {0};
  bool any = false;
  for (int turn = 0; turn < FILL_TURNS; turn++) {
    if (!pack_filling(f, way, f->share->room, &out)) return false;
    if (out.fits) best = way, any = true;
    filling next = choose_filling(f, out.row);
    bool full = (double)f->share->taken > full_share * (double)f->share->room;
    if (out.fits && next.level >= way.level && (out.whole || full)) return true;
    way = next;
  }
  return out.fits || pack_filling(f, best, any ? f->share->room : SIZE_MAX, &out);
}

// One pass over the table gives the rows of every bound.
static bool thin_one(report *r, report_run *run, int index, int time, const row_set *ends, const hits *h,
                     thin_share *share) {
  arena_mark mark = arena_get_mark(r->passing);
  report_table *t = &run->tables[index];
  row_set must = row_set_copy(r->passing, ends);
  keep_extremes(t, &must);
  double *scales = ARENA_ARRAY(r->passing, double, t->column_count);
  for (int k = 0; k < t->column_count; k++) scales[k] = t->columns[k].range.constant ? 0 : t->columns[k].scale;
  t->axis = index;
  table_fit f = {
      .r = r, .run = run, .index = index, .time = time, .hits = h, .first_blob = run->blob_count, .share = share};
  tell(r, run, "thinning", t->name);
  if (!thin_table(r->passing, run->in, t->source, time, scales, &must, UNPACKED_MOST * share->rows, &f.thinned,
                  r->error))
    return false;
  f.mark = arena_get_mark(r->passing);
  if (!fill_share(&f)) return false;
  report_settle_blobs(r, run, f.first_blob);
  run->axes[index].kept = row_set_copy(r->memory, &run->axes[index].kept);
  arena_release(r->passing, mark);
  return true;
}

// A record of times and nothing else: when it began and ended.
static bool keep_ends_only(report *r, report_run *run, int time, const row_set *ends) {
  report_packing p = {.room = SIZE_MAX};
  run->axes = ARENA_NEW(r->memory, report_axis);
  run->axis_count = 1;
  run->axes[0] = (report_axis){.kept = *ends};
  if (!place_axis(r, run, &run->axes[0], time, &p)) return false;
  report_settle_blobs(r, run, run->blob_count - 1);
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
    thin_share share = {.room = (size_t)((double)room * (double)bytes[k] / (double)total),
                        .rows = (long)(room / total) + 1};
    if (!thin_one(r, run, k, time, &ends, &h, &share)) return false;
    room = share.taken < room ? room - share.taken : 0;
    total -= bytes[k];
  }
  return true;
}

// --- a run -----------------------------------------------------------------------------------------------------------

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
  if (!report_scan_columns(r, run, run->impact_source, run->impact_rows, &columns)) return false;
  run->impact_columns = ARENA_ARRAY(r->memory, report_column, width);
  memcpy(run->impact_columns, columns, (size_t)recorded * sizeof *columns);
  run->impact_column_count = recorded;
  if (!choose_impacts(r, run, (long)(*room / 4 / (8 * (size_t)width)))) return false;
  arena_mark mark = arena_get_mark(r->passing);
  report_packing p = {.room = SIZE_MAX};
  if (!place_impacts(r, run, &p)) return false;
  report_settle_blobs(r, run, run->blob_count - 1);
  arena_release(r->passing, mark);
  *room -= p.size < *room ? p.size : *room;
  return true;
}

bool report_load(report *r, report_run *run, size_t room, int blob0) {
  int time;
  run->blob0 = blob0;
  if (!list_tables(r, run, &time) || !read_times(r, run, time)) return false;
  run->blobs = ARENA_ARRAY(r->memory, blob, 2 * run->table_count + 5);
  run->impact_source = record_find_table(run->in, "impacts");
  if (run->impact_source >= 0 && !load_impacts(r, run, &room)) return false;
  if (!report_load_pairs(r, run, &room) || !report_load_touches(r, run, &room)) return false;
  size_t bytes = 8;
  for (int i = 0; i < run->table_count; i++) bytes += row_bytes(run->tables[i].columns, run->tables[i].column_count);
  bool whole = false;
  if ((size_t)run->rows <= UNPACKED_MOST * room / bytes && !keep_all(r, run, time, room, &whole)) return false;
  return whole || keep_some(r, run, time, room);
}
