// One list of fields gives size, names, saving and loading.
#include "checkpoint.h"

#include <string.h>

typedef struct visitor {
  int at;
  const char **names;   // to be named, in the arena; or null
  arena *memory;
  double *to;           // to be saved; or null
  const double *from;   // to be loaded; or null
} visitor;

static void number(visitor *v, const char *name, double *x) {
  if (v->names) v->names[v->at] = name;
  if (v->to) v->to[v->at] = *x;
  if (v->from) *x = v->from[v->at];
  v->at++;
}

// A file may hold anything.
static void count(visitor *v, const char *name, long *n) {
  double x = (double)*n;
  number(v, name, &x);
  if (v->from) *n = x >= 0 && x <= 0x1p53 ? (long)x : 0;
}

static void numbers(visitor *v, const char *name, int size, const double **x) {
  for (int i = 0; v->names && i < size; i++) v->names[v->at + i] = arena_print(v->memory, "%s%d", name, i);
  if (v->to && *x) memcpy(v->to + v->at, *x, (size_t)size * sizeof **x);
  if (v->from) *x = v->from + v->at;
  v->at += size;
}

static void visit_run(visitor *v, checkpoint *c) {
  number(v, "t", &c->t);
  number(v, "next_step", &c->next_step);
  count(v, "steps", &c->steps);
  number(v, "violation", &c->regular.violation);
  number(v, "energy_largest", &c->regular.largest);
  number(v, "energy_worst", &c->regular.worst);
  count(v, "restarts", &c->restarts);
  count(v, "rejected", &c->rejected);
  count(v, "evaluations", &c->evaluations);
  count(v, "projection_failures", &c->projection_failures);
  number(v, "loss_normal", &c->loss_normal);
  number(v, "loss_tangential", &c->loss_tangential);
  number(v, "projection", &c->projection);
  count(v, "bookings", &c->regular.bookings);
  long since = c->regular.since_booked;
  count(v, "since_booked", &since);
  c->regular.since_booked = (int)(since < 1 << 20 ? since : 1 << 20);
  count(v, "non_finite", &c->non_finite);
  count(v, "non_finite_column", &c->non_finite_column);
  number(v, "non_finite_t", &c->non_finite_t);
  count(v, "energy_lost", &c->energy_lost);
  number(v, "energy_lost_t", &c->energy_lost_t);
}

static void visit_start(visitor *v, energy_balance *start) {
  number(v, "start.kinetic", &start->kinetic);
  number(v, "start.gravity", &start->gravity);
  number(v, "start.spring", &start->spring);
  number(v, "start.contact", &start->contact);
  number(v, "start.drive", &start->drive);
  number(v, "start.applied", &start->applied);
  number(v, "start.damper", &start->damper);
  number(v, "start.impact", &start->impact);
  number(v, "start.friction", &start->friction);
  number(v, "start.projection", &start->projection);
}

static void visit_trouble(visitor *v, contact_trouble *t) {
  count(v, "leaps", &t->leaps);
  count(v, "too_deep", &t->too_deep);
  count(v, "inconsistent", &t->inconsistent);
  count(v, "indeterminate", &t->indeterminate);
  count(v, "energy_gains", &t->gains);
  number(v, "energy_gained", &t->gained);
  number(v, "energy_gained_t", &t->gained_at);
  count(v, "accumulations", &t->accumulations);
  number(v, "accumulation_error", &t->accumulation_error);
  count(v, "friction_unsettled", &t->friction_unsettled);
  count(v, "unsettled", &t->unsettled);
}

static void visit_episode(visitor *v, int point, checkpoint *c) {
  double nothing[IMPACT_COLUMN_COUNT], is_open = c->is_open && c->is_open[point];
  double *row = c->open ? (double *)&c->open[point] : nothing;
  number(v, v->names ? arena_print(v->memory, "point%d.open", point) : NULL, &is_open);
  if (c->is_open) c->is_open[point] = is_open != 0;
  for (int k = 0; k < IMPACT_COLUMN_COUNT; k++)
    number(v, v->names ? arena_print(v->memory, "point%d.%s", point, impact_columns[k]) : NULL, &row[k]);
}

int checkpoint_memory_size(const carom_model *model) {
  const scheme_type *type = model->scheme;
  return type->knows_contact && type->memory_size ? type->memory_size(&model->m, &model->contacts) : 0;
}

static void visit(visitor *v, const carom_model *model, checkpoint *c) {
  const mechanism *m = &model->m;
  visit_run(v, c);
  visit_start(v, &c->start);
  numbers(v, "q", m->nq, &c->q);
  numbers(v, "u", m->nv, &c->u);
  numbers(v, "joint_q", m->joint_nq, &c->joint_q);
  numbers(v, "account", POWER_COUNT, &c->accounts);
  if (!model->scheme->knows_contact) return;
  visit_trouble(v, &c->trouble);
  numbers(v, "solves", CHAIN_TALLY_NUMBERS, &c->solves);
  count(v, "episodes", &c->episodes);
  number(v, "worst_penetration", &c->worst_penetration);
  number(v, "deepest", &c->deepest);
  for (int p = 0; p < model->contacts.point_count; p++) visit_episode(v, p, c);
  numbers(v, "memory", checkpoint_memory_size(model), &c->memory);
}

// Neither names nor numbers: counts.
int checkpoint_size(const carom_model *model) {
  visitor v = {0};
  visit(&v, model, &(checkpoint){0});
  return v.at;
}

const char **checkpoint_names(const carom_model *model, arena *memory) {
  visitor v = {.names = ARENA_ARRAY(memory, const char *, checkpoint_size(model)), .memory = memory};
  visit(&v, model, &(checkpoint){0});
  return v.names;
}

void checkpoint_save(const carom_model *model, checkpoint *c, double *row) { visit(&(visitor){.to = row}, model, c); }

void checkpoint_load(const carom_model *model, const double *row, checkpoint *c) { visit(&(visitor){.from = row}, model, c); }
