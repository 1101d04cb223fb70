// Data that the parts of a report share: the runs, the numbers that go into the page, and their places in it.
#ifndef REPORT_H
#define REPORT_H

#include "base/json.h"
#include "base/names.h"
#include "carom/carom.h"
#include "report/episodes.h"
#include "report/compare.h"
#include "ledger/impact.h"
#include "record/blob.h"
#include "record/point_names.h"
#include "record/record.h"
#include "record/thin.h"

typedef struct report_column {
  const char *name, *unit;
  column_range range;  // over all rows
  double scale;        // its range, at least 1e-6 of the largest range of its unit; 0 if it is constant
  blob_type type;
  int blob;  // of the whole page
  size_t at;
} report_column;

// Rows that were kept.
typedef struct report_axis {
  row_set kept;
  bool raw;
  double bound;  // relative to each column's scale, rounding included; 0 when raw
  report_column time, index;
} report_axis;

typedef struct report_table {
  const char *name;
  int source;  // in the record
  int axis;
  report_column *columns;
  int column_count;
  names by_name;
} report_table;

// A contact point, as the page and a comparison name it.
typedef struct report_point {
  const char *name;
  int contact, index;  // of the scene, of the contact's own points; -1 if the record does not say
} report_point;

typedef struct report_impact {
  long row;       // in the record
  double number;  // of its point there
  int point;      // of the run
  episode episode;
} report_impact;

// Points that touch: any number of rows at each of its times.
typedef struct report_touches {
  int source, times;  // tables of the record; -1 if there are none
  long rows, kept;
  long kept_times;
  report_column time, first;
  report_column *columns;
  int column_count;
} report_touches;

// Rows of pairs: episodes, regimes.
typedef struct report_pairs {
  int source;  // table of the record; -1 if there is none
  long rows, kept;
  const char **pairs;  // names of what the column `pair` counts in the page
  int pair_count;
  report_column *columns;
  int column_count;
} report_pairs;

// Rows of a sweep, or points of a bifurcation diagram.
typedef struct report_sweep {
  int source;             // table of the record
  long rows, kept, step;  // every step-th row is kept
  report_column *columns;
  int column_count;
} report_sweep;

typedef struct report_run {
  record_reader *in;
  const char *file, *name;
  const json_value *scene, *summary;  // null when the record has none
  long rows;                          // recorded times
  double t0, t1;
  report_axis *axes;
  int axis_count;
  report_table *tables;
  int table_count;
  report_point *points;  // those of the scene's contacts first, as the table of impacts counts them; then others that
                         // have an impact
  int point_count, listed_points;  // in all, and the first ones
  point_names *names;              // null if the record does not name its points
  report_touches touches;
  report_pairs episodes, regimes;
  report_sweep sweep;
  int impact_source;  // table of the record; -1 if nothing can touch
  long impact_rows;
  report_impact *impacts;  // kept ones, in order of their start
  int impact_count;
  long impact_kinds[EPISODE_KINDS];  // how many of each, kept or not
  double brief;                      // up to this length an episode is one impact [s]
  report_column *impact_columns;     // of the record, then kind and strength
  int impact_column_count;
  blob *blobs;  // the first is number blob0 of the page
  int blob0, blob_count;
} report_run;

typedef struct report {
  arena *memory;
  arena *passing;  // for numbers on their way into blobs
  carom_error *error;
  const carom_report_page *page;  // NULL for a comparison, which has none
  report_run *runs;
  int run_count;
} report;

// --- report.c: a run opened, and as one side of a comparison ---------------------------------------------------------

bool report_open_run(report *r, int index, const char *file);  // False after reporting.
compare_side report_side(report *r, const report_run *run);
// Finds the point of each impact that the page keeps, and adds those that the scene does not list.
void report_name_impacts(report *r, report_run *run);

// --- data.c: what of a run goes into the page ------------------------------------------------------------------------

enum { REPORT_SMALLEST = 1 << 20 };  // bytes that a run may always take
// Reads all of a run that fits into `room` bytes once packed, from blob number `blob0` on. False after reporting.
bool report_load(report *r, report_run *run, size_t room, int blob0);

// What some blobs take once they are packed, and whether that fits.
typedef struct report_packing {
  size_t room, size;
  bool fits;
} report_packing;

// The next blob of a run. It stands in memory that passes until it is settled.
blob *report_open_blob(report *r, report_run *run, size_t capacity, int *number);
void report_close_blob(report *r, blob *b, report_packing *p);
void report_settle_blobs(report *r, report_run *run, int first);
void report_place_column(report_column *c, blob *b, int number, size_t count);
bool report_scan_columns(report *r, report_run *run, int source, long rows, report_column **columns);

// --- touches.c: points that touch ------------------------------------------------------------------------------------

// Takes what fits into a part of the room, and takes that from it. Returns false after reporting.
bool report_load_touches(report *r, report_run *run, size_t *room);
void report_put_touches(json_writer *w, const report_run *run);

// --- pairs.c: episodes and regimes of pairs --------------------------------------------------------------------------

// Takes the rows that fit into a part of the room, and takes that from it. Returns false after reporting.
bool report_load_pairs(report *r, report_run *run, size_t *room);
void report_put_pairs(json_writer *w, const report_run *run);

// --- sweep_rows.c: a sweep instead of runs ---------------------------------------------------------------------------

bool report_is_sweep(const report_run *run);
// Reads as many rows as fit. Returns false after reporting.
bool report_load_sweep(report *r, report_run *run, size_t room);
void report_put_sweep(report *r, json_writer *w, const report_run *run);
// What pages of studies have in common: the rows of a table that fit, as columns; all rows of a short table, with their
// words; messages of rows that failed; what made the file (`of` is its text that says so).
bool report_load_rows(report *r, report_run *run, const char *table, size_t room);
void report_put_kept_rows(json_writer *w, const report_sweep *rows);
void report_put_rows(report *r, json_writer *w, const report_run *run, const char *table, const char *key);
void report_put_messages(report *r, json_writer *w, const report_run *run);
void report_put_origin(json_writer *w, const report_run *run, const json_value *of);

// --- diagram.c: a bifurcation diagram instead of runs ----------------------------------------------------------------

bool report_is_diagram(const report_run *run);
bool report_load_diagram(report *r, report_run *run, size_t room);  // as above
void report_put_diagram(report *r, json_writer *w, const report_run *run);

// --- fit_page.c: a fit instead of runs -------------------------------------------------------------------------------

bool report_is_fit(const report_run *run);
// Returns false after reporting.
bool report_put_fit(report *r, json_writer *w, const report_run *run);

// --- text.c, verdict.c, plots.c: a run in words ----------------------------------------------------------------------

void report_put_run(report *r, json_writer *w, const report_run *run);
void report_put_verdict(report *r, json_writer *w, const report_run *run);
void report_put_column(json_writer *w, const char *key, const report_column *c, long count);
void report_put_plots(report *r, json_writer *w, const report_run *run);

const report_table *report_find_table(const report_run *run, const char *name);  // null when absent
int report_find_column(const report_table *t, const char *name);                 // -1 when absent
// The coordinate whose course a drive of the scene prescribes; null when the record has none such.
const report_column *report_driven_column(report *r, const report_run *run, const json_value *drive);

#endif
