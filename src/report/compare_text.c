// A comparison of runs in words: a table to read, and a JSON object for programs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "carom/carom.h"
#include "report/report.h"

struct carom_comparison {
  arena memory;
  report runs;
  comparison *against_first;  // one per further run
  const carom_skipped *skipped;
  int skipped_count;
  arena_text text, sentence;
  bool agree;
  json_writer json;
};

enum { LABEL = 22, CELL = 16 };  // widths of the table's columns

// --- the table -------------------------------------------------------------------------------------------------------

#define PUT(c, ...) arena_append(&(c)->memory, &(c)->text, __VA_ARGS__)

static const char *method_of(const report_run *run) {
  const char *method = record_get_text(run->in, "method");
  return method ? method : run->name;
}

static void put_label(carom_comparison *c, const char *label) { PUT(c, "  %-*s", LABEL, label); }

static void put_heads(carom_comparison *c, const char *label, int first) {
  put_label(c, label);
  for (int i = first; i < c->runs.run_count; i++) PUT(c, " %*s", CELL, method_of(&c->runs.runs[i]));
  PUT(c, "\n");
}

// A count or a measure of each run, from its summary.
static void put_numbers(carom_comparison *c, const char *label, const char *map, const char *key, const char *format) {
  put_label(c, label);
  for (int i = 0; i < c->runs.run_count; i++) {
    const json_value *summary = c->runs.runs[i].summary, *in = map ? json_get(summary, map) : summary;
    double x = json_get_number(in, key, NAN);
    char cell[32];
    snprintf(cell, sizeof cell, format, x);
    PUT(c, " %*s", CELL, isnan(x) ? "-" : cell);
  }
  PUT(c, "\n");
}

static void put_words(carom_comparison *c, const char *label, const char *key) {
  put_label(c, label);
  for (int i = 0; i < c->runs.run_count; i++) PUT(c, " %*s", CELL, json_get_text(c->runs.runs[i].summary, key));
  PUT(c, "\n");
}

static const char *const accounts[][2] = {{"energy.impact", "lost in impacts [J]"},
                                          {"energy.friction", "lost to friction [J]"},
                                          {"energy.kinetic", "kinetic at the end [J]"}};

static double energy_of(const comparison *d, const char *name, bool second) {
  for (int k = 0; k < d->energy_count; k++)
    if (strcmp(d->energies[k].name, name) == 0) return second ? d->energies[k].second : d->energies[k].first;
  return NAN;
}

static void put_energies(carom_comparison *c) {
  for (size_t k = 0; k < sizeof accounts / sizeof *accounts; k++) {
    put_label(c, accounts[k][1]);
    for (int i = 0; i < c->runs.run_count; i++)
      PUT(c, " %*.6g", CELL, energy_of(&c->against_first[i > 0 ? i - 1 : 0], accounts[k][0], i > 0));
    PUT(c, "\n");
  }
}

static void put_each_run(carom_comparison *c) {
  put_heads(c, "", 0);
  put_words(c, "ended", "status");
  put_numbers(c, "reached [s]", NULL, "t", "%.9g");
  put_numbers(c, "steps", NULL, "steps", "%.0f");
  put_numbers(c, "evaluations", NULL, "evaluations", "%.0f");
  put_numbers(c, "wall time [s]", NULL, "wall_s", "%.3g");
  put_numbers(c, "relative energy error", NULL, "energy_imbalance", "%.1e");
  put_numbers(c, "contact episodes", "contact", "episodes", "%.0f");
  put_numbers(c, "impacts", "contact", "impacts", "%.0f");
  put_numbers(c, "deepest [m]", "contact", "deepest_penetration", "%.1e");
  put_energies(c);
}

static const compare_column *find_column(const comparison *d, const char *name) {
  for (int k = 0; k < d->column_count; k++)
    if (strcmp(d->columns[k].name, name) == 0) return &d->columns[k];
  return NULL;
}

// How far apart at most, and since when by more than a hundredth of the whole range.
static void put_trajectories(carom_comparison *c) {
  const comparison *first = &c->against_first[0];
  PUT(c, "\ndifferences from %s: largest, and time from which they exceed the tolerance (a hundredth of the range)\n",
      method_of(&c->runs.runs[0]));
  put_heads(c, "coordinate", 1);
  for (int k = 0; k < first->column_count; k++) {
    char label[64];
    snprintf(label, sizeof label, "%s%s%s%s", first->columns[k].name, *first->columns[k].unit ? " [" : "",
             first->columns[k].unit, *first->columns[k].unit ? "]" : "");
    put_label(c, label);
    for (int i = 0; i + 1 < c->runs.run_count; i++) {
      const compare_column *d = find_column(&c->against_first[i], first->columns[k].name);
      char cell[48];
      if (!d) snprintf(cell, sizeof cell, "-");
      else if (isnan(d->parts)) snprintf(cell, sizeof cell, "%.1e, agree", d->max);
      else snprintf(cell, sizeof cell, "%.1e, %.3g s", d->max, d->parts);
      PUT(c, " %*s", CELL, cell);
    }
    PUT(c, "\n");
  }
}

static void put_impacts(carom_comparison *c) {
  PUT(c, "\nimpacts matched with those of %s\n", method_of(&c->runs.runs[0]));
  for (int i = 0; i + 1 < c->runs.run_count; i++) {
    const comparison *d = &c->against_first[i];
    const char *a = method_of(&c->runs.runs[0]), *b = method_of(&c->runs.runs[i + 1]);
    PUT(c, "  %-*s %d matched, %d of %s alone, %d of %s alone", LABEL, b, d->matched_count, d->only_first_count, a,
        d->only_second_count, b);
    if (d->matched_count)
      PUT(c, "; times within %.1e s (rms %.1e), normal impulses within %.1e N s (rms %.1e)", d->time_max, d->time_rms,
          d->impulse_max, d->impulse_rms);
    PUT(c, "\n");
  }
}

static void put_skipped(carom_comparison *c) {
  for (int i = 0; i < c->skipped_count; i++)
    PUT(c, "%sskipped %s: %s\n", i ? "" : "\n", c->skipped[i].method, c->skipped[i].reason);
}

// --- the sentence ----------------------------------------------------------------------------------------------------

#define SAY(c, ...) arena_append(&(c)->memory, &(c)->sentence, __VA_ARGS__)

// The coordinate that leaves its tolerance first or, if none does, the one that differs most. Null if there is none.
static const compare_column *worst_of(const comparison *d) {
  const compare_column *worst = NULL;
  for (int k = 0; k < d->column_count; k++) {
    const compare_column *e = &d->columns[k];
    bool further = worst && e->max / e->tolerance > worst->max / worst->tolerance;
    if (!worst || (isnan(worst->parts) ? !isnan(e->parts) || further
                                       : e->parts < worst->parts || (e->parts == worst->parts && further)))
      worst = e;
  }
  return worst;
}

// For %g, which writes 240 where %.2g writes 2.4e+02.
static double two_digits(double x) {
  char text[32];
  snprintf(text, sizeof text, "%.1e", x);
  return strtod(text, NULL);
}

static void say_amount(carom_comparison *c, const compare_column *e) {
  SAY(c, "%.2g %s", e->max, e->unit);
  if (e->range > e->tolerance) SAY(c, ", %g %% of its range", two_digits(100 * e->max / e->range));
}

// "a and b", "a, b and c".
static void say_methods(carom_comparison *c) {
  int n = c->runs.run_count;
  for (int i = 0; i < n; i++) SAY(c, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " and ", method_of(&c->runs.runs[i]));
}

static void say_agreement(carom_comparison *c) {
  const compare_column *worst = NULL;
  const char *whose = "";
  double until = INFINITY;
  for (int i = 0; i + 1 < c->runs.run_count; i++) {
    const compare_column *e = worst_of(&c->against_first[i]);
    until = fmin(until, c->against_first[i].t1);
    if (!worst || e->max / e->tolerance > worst->max / worst->tolerance)
      worst = e, whose = method_of(&c->runs.runs[i + 1]);
  }
  say_methods(c);
  SAY(c, " agree until t = %.6g s: the largest difference is that of %s under %s, ", until, worst->name, whose);
  say_amount(c, worst);
  SAY(c, ".");
}

static void say_differences(carom_comparison *c) {
  const char *first = method_of(&c->runs.runs[0]), *before = "";
  for (int i = 0; i + 1 < c->runs.run_count; i++) {
    const compare_column *e = worst_of(&c->against_first[i]);
    const char *method = method_of(&c->runs.runs[i + 1]);
    if (isnan(e->parts)) SAY(c, "%s%s agrees with %s until t = %.6g s", before, method, first, c->against_first[i].t1);
    else {
      SAY(c, "%s%s differs from %s from t = %.4g s on, first in %s (at most by ", before, method, first, e->parts,
          e->name);
      say_amount(c, e);
      SAY(c, ")");
    }
    before = "; ";
  }
  SAY(c, ".");
}

// Runs that did not come to their end are compared only as far as they came.
static void say_failures(carom_comparison *c) {
  for (int i = 0; i < c->runs.run_count; i++) {
    const json_value *summary = c->runs.runs[i].summary;
    if (strcmp(json_get_text(summary, "status"), "failed") == 0)
      SAY(c, " %s failed at t = %.6g s.", method_of(&c->runs.runs[i]), json_get_number(summary, "t", NAN));
  }
}

static void make_sentence(carom_comparison *c) {
  bool comparable = true;
  c->agree = true;
  for (int i = 0; i + 1 < c->runs.run_count; i++) {
    const compare_column *e = worst_of(&c->against_first[i]);
    if (!e || c->against_first[i].t0 >= c->against_first[i].t1) comparable = false;
    else if (!isnan(e->parts)) c->agree = false;
  }
  c->agree &= comparable;
  if (!comparable)
    SAY(c, "The runs cannot be compared: they have no stretch of time or no joint coordinate in common.");
  else if (c->agree) say_agreement(c);
  else say_differences(c);
  say_failures(c);
}

// --- the object ------------------------------------------------------------------------------------------------------

static void put_columns(json_writer *w, const comparison *d) {
  json_open(w, "columns", '[');
  for (int k = 0; k < d->column_count; k++) {
    const compare_column *column = &d->columns[k];
    json_open(w, NULL, '{');
    json_put_text(w, "name", column->name);
    json_put_text(w, "unit", column->unit);
    json_put_number(w, "max", column->max);
    json_put_number(w, "at", column->at);
    json_put_number(w, "rms", column->rms);
    json_put_number(w, "range", column->range);
    json_put_number(w, "tolerance", column->tolerance);
    json_put_number(w, "parts", column->parts);
    json_close(w, '}');
  }
  json_close(w, ']');
}

static void put_rows(json_writer *w, const char *key, const long *rows, int count) {
  json_open(w, key, '[');
  for (int i = 0; i < count; i++) json_put_integer(w, NULL, rows[i]);
  json_close(w, ']');
}

// Rows of the tables of impacts.
static void put_matches(json_writer *w, const comparison *d) {
  json_open(w, "impacts", '{');
  json_open(w, "matched", '[');
  for (int i = 0; i < d->matched_count; i++) {
    json_open(w, NULL, '[');
    json_put_integer(w, NULL, d->matched[i].first);
    json_put_integer(w, NULL, d->matched[i].second);
    json_close(w, ']');
  }
  json_close(w, ']');
  put_rows(w, "only_first", d->only_first, d->only_first_count);
  put_rows(w, "only_second", d->only_second, d->only_second_count);
  json_put_number(w, "window", d->window);
  json_put_number(w, "time_max", d->matched_count ? d->time_max : NAN);
  json_put_number(w, "impulse_max", d->matched_count ? d->impulse_max : NAN);
  json_close(w, '}');
}

static void put_energy(json_writer *w, const comparison *d) {
  json_open(w, "energy", '{');
  for (int k = 0; k < d->energy_count; k++) {
    const double both[2] = {d->energies[k].first, d->energies[k].second};
    json_put_numbers(w, d->energies[k].name, both, 2);
  }
  json_close(w, '}');
}

static void write_json(carom_comparison *c) {
  json_writer *w = &c->json;
  *w = json_begin(&c->memory);
  json_open(w, NULL, '{');
  json_put_text(w, "maker", "carom " CAROM_VERSION);
  json_open(w, "runs", '[');
  for (int i = 0; i < c->runs.run_count; i++) {
    json_open(w, NULL, '{');
    json_put_text(w, "method", method_of(&c->runs.runs[i]));
    json_put_text(w, "file", c->runs.runs[i].file);
    if (c->runs.runs[i].summary) json_put(w, "summary", c->runs.runs[i].summary);
    json_close(w, '}');
  }
  json_close(w, ']');
  json_put_flag(w, "agree", c->agree);
  json_put_text(w, "sentence", c->sentence.text);
  json_open(w, "skipped", '[');
  for (int i = 0; i < c->skipped_count; i++) {
    json_open(w, NULL, '{');
    json_put_text(w, "method", c->skipped[i].method);
    json_put_text(w, "reason", c->skipped[i].reason);
    json_close(w, '}');
  }
  json_close(w, ']');
  json_open(w, "differences", '[');
  for (int i = 0; i + 1 < c->runs.run_count; i++) {
    json_open(w, NULL, '{');
    json_put_text(w, "first", method_of(&c->runs.runs[0]));
    json_put_text(w, "second", method_of(&c->runs.runs[i + 1]));
    put_columns(w, &c->against_first[i]);
    put_matches(w, &c->against_first[i]);
    put_energy(w, &c->against_first[i]);
    json_close(w, '}');
  }
  json_close(w, ']');
  json_close(w, '}');
}

// --- all -------------------------------------------------------------------------------------------------------------

static bool compare(carom_comparison *c, const char *const *files) {
  report *r = &c->runs;
  for (int i = 0; i < r->run_count; i++)
    if (!report_open_run(r, i, files[i])) return false;
  c->against_first = ARENA_ARRAY(&c->memory, comparison, r->run_count);
  for (int i = 1; i < r->run_count; i++) {
    compare_side first = report_side(r, &r->runs[0]), second = report_side(r, &r->runs[i]);
    if (!compare_runs(&c->memory, &first, &second, 0, &c->against_first[i - 1], r->error)) return false;
  }
  PUT(c, "%s\n", record_get_text(r->runs[0].in, "title"));
  put_each_run(c);
  put_trajectories(c);
  put_impacts(c);
  put_skipped(c);
  make_sentence(c);
  write_json(c);
  return true;
}

static carom_comparison *create(const char *const *runs, int count, const carom_skipped *skipped, int skipped_count,
                                carom_error *error) {
  jmp_buf out_of_memory;
  carom_comparison *volatile c = calloc(1, sizeof *c);
  bool failed = !c;
  if (setjmp(out_of_memory)) failed = true;
  if (failed) {
    carom_comparison_destroy(c);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the comparison");
    return NULL;
  }
  c->memory = arena_create(&out_of_memory);
  c->runs = (report){.memory = &c->memory, .error = error, .run_count = count};
  c->runs.runs = ARENA_ARRAY(&c->memory, report_run, count);
  c->skipped = skipped, c->skipped_count = skipped_count;
  bool done = compare(c, runs);
  c->skipped = NULL, c->skipped_count = 0;  // the caller's
  c->memory.out_of_memory = NULL;
  if (done) return c;
  carom_comparison_destroy(c);
  return NULL;
}

carom_comparison *carom_compare(const char *const *runs, int count, const carom_skipped *skipped, int skipped_count,
                                carom_error *error) {
  carom_error own;
  error = error_use(error, &own);
  if (count >= 2) return create(runs, count, skipped, skipped_count, error);
  error_set(error, CAROM_ERROR_USAGE, "a comparison needs two runs");
  return NULL;
}

const char *carom_comparison_text(const carom_comparison *c) { return c->text.text; }
const char *carom_comparison_sentence(const carom_comparison *c) { return c->sentence.text; }
const char *carom_comparison_json(const carom_comparison *c) { return c->json.out.text; }

void carom_comparison_destroy(carom_comparison *c) {
  if (!c) return;
  for (int i = 0; c->runs.runs && i < c->runs.run_count; i++) record_close(c->runs.runs[i].in);
  arena_free(&c->memory);
  free(c);
}
