// The summary of a run as one line of JSON: what `carom run --json` prints and a record keeps.
#include "summary.h"

#include <stddef.h>

// A field by its key: a count (long) or a measure (double).
typedef struct summary_field {
  const char *key;
  enum { COUNTED, MEASURED } kind;
  size_t offset;
} summary_field;
#define COUNT(key, field) \
  { key, COUNTED, offsetof(carom_summary, field) }
#define MEASURE(key, field) \
  { key, MEASURED, offsetof(carom_summary, field) }

static const summary_field of_the_run[] = {MEASURE("t", t),
                                           COUNT("steps", steps),
                                           COUNT("rejected", rejected),
                                           COUNT("evaluations", evaluations),
                                           MEASURE("wall_s", wall_s),
                                           MEASURE("steps_per_s", steps_per_s),
                                           MEASURE("energy_imbalance", energy_imbalance),
                                           MEASURE("energy_warn", energy_warn),
                                           MEASURE("energy_limit", energy_limit),
                                           MEASURE("constraint_violation", constraint_violation)};

static const summary_field of_contact[] = {COUNT("episodes", contact_episodes),
                                           COUNT("impacts", contact_impacts),
                                           MEASURE("worst_initial_penetration", worst_initial_penetration),
                                           MEASURE("penetration_bound", penetration_bound),
                                           MEASURE("deepest_penetration", deepest_penetration),
                                           COUNT("accumulations", accumulations),
                                           MEASURE("accumulation_error", accumulation_error)};

static const summary_field of_common_normals[] = {
    COUNT("searches", normal_searches), COUNT("iterations", normal_iterations), COUNT("fallbacks", normal_fallbacks)};

static const summary_field of_the_solver[] = {
    COUNT("solves", solves), COUNT("unsolved", unsolved), COUNT("impossible", impossible),
    MEASURE("worst_residual", worst_residual), MEASURE("worst_residual_mixed", worst_residual_mixed)};

static const summary_field warnings[] = {COUNT("energy", unbalanced),
                                         COUNT("restart", restarts),
                                         COUNT("projection", projection_failures),
                                         COUNT("initial", initial_changes),
                                         COUNT("unsolved", unsolved),
                                         COUNT("step_too_large", step_too_large),
                                         COUNT("chatter", chatters),
                                         COUNT("fallback", fallbacks),
                                         COUNT("penetration", too_deep),
                                         COUNT("inconsistent", inconsistent),
                                         COUNT("indeterminate", indeterminate),
                                         COUNT("friction_unsettled", friction_unsettled),
                                         COUNT("unsettled", unsettled),
                                         COUNT("energy_gain", energy_gains),
                                         COUNT("creep", creeps),
                                         COUNT("large_deformation", large_deformations),
                                         COUNT("restitution", other_restitution),
                                         COUNT("conformal", conformal),
                                         COUNT("curvature", curvature),
                                         COUNT("no_contact", no_contact),
                                         COUNT("rigid_surface", rigid_surfaces),
                                         COUNT("missed_load", missed_loads),
                                         COUNT("non_finite", non_finite)};

static void put_field(json_writer *w, const carom_summary *s, const summary_field *f) {
  const char *at = (const char *)s + f->offset;
  if (f->kind == COUNTED) json_put_integer(w, f->key, *(const long *)at);
  else json_put_rounded(w, f->key, *(const double *)at);
}
#define PUT_FIELDS(w, s, list) \
  for (size_t field_ = 0; field_ < sizeof(list) / sizeof *(list); field_++) put_field(w, s, &(list)[field_])

// How many problems each stage of the chain of solvers solved.
static void put_stages(json_writer *w, const carom_summary *s) {
  json_open(w, "stages", '{');
  for (size_t i = 0; i < sizeof s->stages / sizeof *s->stages && s->stages[i].name; i++)
    json_put_integer(w, s->stages[i].name, s->stages[i].solved);
  json_close(w, '}');
}

static void put_energy_gain(json_writer *w, const carom_summary *s) {
  if (!s->energy_gains) return;
  json_open(w, "energy_gain", '{');
  put_field(w, s, &(summary_field)MEASURE("energy", energy_gained));
  put_field(w, s, &(summary_field)MEASURE("t", energy_gained_t));
  json_close(w, '}');
}

static void put_first(json_writer *w, const char *key, const char *contact, double t) {
  if (!*contact) return;
  json_open(w, key, '{');
  json_put_text(w, "contact", contact);
  json_put_rounded(w, "t", t);
  json_close(w, '}');
}

static void put_creep(json_writer *w, const carom_summary *s) {
  if (!s->creeps) return;
  json_open(w, "creep", '{');
  json_put_text(w, "pair", s->creep_pair);
  put_field(w, s, &(summary_field)MEASURE("distance", creep));
  put_field(w, s, &(summary_field)MEASURE("v0", creep_v0));
  json_close(w, '}');
}

static void put_deformation(json_writer *w, const carom_summary *s) {
  if (!s->large_deformations) return;
  json_open(w, "large_deformation", '{');
  put_field(w, s, &(summary_field)MEASURE("turn", largest_turn));
  put_field(w, s, &(summary_field)MEASURE("turn_limit", turn_limit));
  put_field(w, s, &(summary_field)MEASURE("strain", largest_strain));
  put_field(w, s, &(summary_field)MEASURE("strain_limit", strain_limit));
  json_put_text(w, "bodies", s->deformed);
  json_close(w, '}');
}

static void put_non_finite(json_writer *w, const carom_summary *s) {
  if (!s->non_finite_column) return;
  json_open(w, "non_finite", '{');
  json_put_text(w, "column", s->non_finite_column);
  put_field(w, s, &(summary_field)MEASURE("t", non_finite_t));
  json_close(w, '}');
}

void summary_write(json_writer *w, const carom_summary *s, const char *why) {
  json_open(w, NULL, '{');
  json_put_text(w, "status",
                s->status == CAROM_OK            ? "done"
                : s->status == CAROM_INTERRUPTED ? "interrupted"
                                                 : "failed");
  PUT_FIELDS(w, s, of_the_run);
  json_open(w, "contact", '{');
  PUT_FIELDS(w, s, of_contact);
  json_open(w, "common_normal", '{');
  PUT_FIELDS(w, s, of_common_normals);
  json_close(w, '}');
  json_close(w, '}');
  json_open(w, "solver", '{');
  PUT_FIELDS(w, s, of_the_solver);
  put_stages(w, s);
  json_close(w, '}');
  json_open(w, "warnings", '{');
  PUT_FIELDS(w, s, warnings);
  json_close(w, '}');
  put_non_finite(w, s);
  put_energy_gain(w, s);
  put_first(w, "step_too_large", s->missed_contact, s->missed_t);
  put_first(w, "chatter", s->chatter_contact, s->chatter_t);
  put_first(w, "fallback", s->fallback_contact, s->fallback_t);
  put_creep(w, s);
  put_deformation(w, s);
  if (why) json_put_text(w, "error", why);
  json_close(w, '}');
}

int carom_summary_json(const carom_summary *s, char *text, int size) {
  json_writer w = json_begin_in(text, size);
  summary_write(&w, s, NULL);
  return w.out.length;
}
