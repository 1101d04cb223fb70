// The summary of a run as one line of JSON: what `carom run --json` prints and a record keeps.
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "carom/carom.h"

// A text in the caller's room, cut where that ends; `length` is what it would have been.
typedef struct json_line {
  char *text;
  size_t size, length;
  bool first;              // nothing stands yet in the innermost map
} json_line;

static void put(json_line *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(json_line *j, const char *format, ...) {
  va_list args;
  va_start(args, format);
  size_t used = j->length < j->size ? j->length : j->size;
  j->length += (size_t)vsnprintf(j->text ? j->text + used : NULL, j->size - used, format, args);
  va_end(args);
}

static void put_key(json_line *j, const char *key) {
  put(j, "%s\"%s\": ", j->first ? "" : ", ", key);
  j->first = false;
}

static void open_map(json_line *j, const char *key) {
  if (key) put_key(j, key);
  put(j, "{");
  j->first = true;
}

static void close_map(json_line *j) {
  put(j, "}");
  j->first = false;
}

// A field by its key: a count (long) or a measure (double).
typedef struct summary_field {
  const char *key;
  enum { COUNTED, MEASURED } kind;
  size_t offset;
} summary_field;
#define COUNT(key, field) {key, COUNTED, offsetof(carom_summary, field)}
#define MEASURE(key, field) {key, MEASURED, offsetof(carom_summary, field)}

static const summary_field of_the_run[] = {
    MEASURE("t", t), COUNT("steps", steps), COUNT("rejected", rejected), COUNT("evaluations", evaluations),
    MEASURE("wall_s", wall_s), MEASURE("steps_per_s", steps_per_s), MEASURE("energy_imbalance", energy_imbalance),
    MEASURE("energy_warn", energy_warn), MEASURE("energy_limit", energy_limit),
    MEASURE("constraint_violation", constraint_violation)};

static const summary_field of_contact[] = {
    COUNT("episodes", contact_episodes), MEASURE("worst_initial_penetration", worst_initial_penetration),
    MEASURE("penetration_bound", penetration_bound), MEASURE("deepest_penetration", deepest_penetration),
    COUNT("accumulations", accumulations), MEASURE("accumulation_error", accumulation_error)};

static const summary_field of_the_solver[] = {COUNT("solves", solves), COUNT("unsolved", unsolved),
                                              COUNT("impossible", impossible), MEASURE("worst_residual", worst_residual),
                                              MEASURE("worst_residual_mixed", worst_residual_mixed)};

static const summary_field warnings[] = {
    COUNT("energy", unbalanced), COUNT("restart", restarts), COUNT("projection", projection_failures),
    COUNT("initial", initial_changes), COUNT("unsolved", unsolved), COUNT("step_too_large", step_too_large),
    COUNT("penetration", too_deep), COUNT("inconsistent", inconsistent), COUNT("indeterminate", indeterminate),
    COUNT("friction_unsettled", friction_unsettled), COUNT("unsettled", unsettled), COUNT("energy_gain", energy_gains),
    COUNT("restitution", other_restitution), COUNT("conformal", conformal),
    COUNT("no_contact", no_contact), COUNT("non_finite", non_finite)};

static void put_field(json_line *j, const carom_summary *s, const summary_field *f) {
  const char *at = (const char *)s + f->offset;
  put_key(j, f->key);
  if (f->kind == COUNTED) put(j, "%ld", *(const long *)at);
  else if (isfinite(*(const double *)at)) put(j, "%.9g", *(const double *)at);
  else put(j, "null");  // JSON has no NaN
}
#define PUT_FIELDS(j, s, list) \
  for (size_t field_ = 0; field_ < sizeof(list) / sizeof *(list); field_++) put_field(j, s, &(list)[field_])

// How many problems each stage of the chain of solvers solved.
static void put_stages(json_line *j, const carom_summary *s) {
  open_map(j, "stages");
  for (size_t i = 0; i < sizeof s->stages / sizeof *s->stages && s->stages[i].name; i++) {
    put_key(j, s->stages[i].name);
    put(j, "%ld", s->stages[i].solved);
  }
  close_map(j);
}

// A name given by a program may hold anything.
static void put_text(json_line *j, const char *key, const char *text) {
  put_key(j, key);
  put(j, "\"");
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&') put(j, "\\u%04x", c);
    else put(j, "%c", c);
  }
  put(j, "\"");
}

static void put_non_finite(json_line *j, const carom_summary *s) {
  if (!s->non_finite_column) return;
  open_map(j, "non_finite");
  put_text(j, "column", s->non_finite_column);
  put_field(j, s, &(summary_field)MEASURE("t", non_finite_t));
  close_map(j);
}

int carom_summary_json(const carom_summary *s, char *text, int size) {
  json_line j = {.text = text, .size = (size_t)size};
  const char *status = s->status == CAROM_OK ? "done" : s->status == CAROM_INTERRUPTED ? "interrupted" : "failed";
  open_map(&j, NULL);
  put_key(&j, "status");
  put(&j, "\"%s\"", status);
  PUT_FIELDS(&j, s, of_the_run);
  open_map(&j, "contact");
  PUT_FIELDS(&j, s, of_contact);
  close_map(&j);
  open_map(&j, "solver");
  PUT_FIELDS(&j, s, of_the_solver);
  put_stages(&j, s);
  close_map(&j);
  open_map(&j, "warnings");
  PUT_FIELDS(&j, s, warnings);
  close_map(&j);
  put_non_finite(&j, s);
  close_map(&j);
  return (int)j.length;
}
