// One list of fields gives size, names, saving and loading.
#include "checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fields.h"
#include "mechanics/dynamics.h"

static void balance_fields(energy_balance *b, const char *name, fields *f) {
  f->group = name;
  fields_number(f, "kinetic", &b->kinetic);
  fields_number(f, "gravity", &b->gravity);
  fields_number(f, "spring", &b->spring);
  fields_number(f, "strain", &b->strain);
  fields_number(f, "contact", &b->contact);
  fields_number(f, "drive", &b->drive);
  fields_number(f, "applied", &b->applied);
  fields_number(f, "damper", &b->damper);
  fields_number(f, "impact", &b->impact);
  fields_number(f, "friction", &b->friction);
  fields_number(f, "projection", &b->projection);
  fields_number(f, "overlap", &b->overlap);
  f->group = NULL;
}

// A column that was not finite as a number, and back: first come the signals, then the columns of impacts.
static long column_number(const carom_sim *sim) {
  int count = sim_signal_count(sim->model), i = 0;
  const char *name = sim->non_finite.column;
  if (!name) return 0;
  while (i < count && strcmp(carom_model_signal_name(sim->model, i), name) != 0) i++;
  for (int k = 0; i == count + k && k < IMPACT_COLUMN_COUNT && strcmp(impact_columns[k], name) != 0; k++) i++;
  return i;
}

static const char *column_name(const carom_sim *sim, long column) {
  long signals = sim_signal_count(sim->model);
  if (column >= signals + IMPACT_COLUMN_COUNT) column = 0;
  return column < signals ? carom_model_signal_name(sim->model, (int)column) : impact_columns[column - signals];
}

static void non_finite_fields(carom_sim *sim, fields *f) {
  non_finite_rows *n = &sim->non_finite;
  long column = column_number(sim);
  fields_count(f, "non_finite", &n->count);
  fields_count(f, "non_finite_column", &column);
  fields_number(f, "non_finite_t", &n->t);
  fields_flag(f, "energy_lost", &sim->energy_lost);
  fields_number(f, "energy_lost_t", &sim->energy_lost_t);
  if (f->from) n->column = n->count ? column_name(sim, column) : NULL;
}

// What was found at states that a run in one piece looks at as well.
static void regular_fields(regular_looks *r, fields *f) {
  long since = r->since_booked;
  fields_number(f, "violation", &r->violation);
  fields_number(f, "energy_largest", &r->largest);
  fields_number(f, "energy_worst", &r->worst);
  fields_count(f, "bookings", &r->bookings);
  fields_count(f, "since_booked", &since);
  if (f->from) r->since_booked = (int)(since < BOOK_EVERY ? since : BOOK_EVERY);
}

static void episode_fields(impact_ledger *l, int point, int number, fields *f) {
  double *row = (double *)&l->open[point];
  fields_group(f, "point", number);
  fields_flag(f, "open", &l->is_open[point]);
  fields_flag(f, "touches", &l->touches[point]);
  fields_flag(f, "strikes", &l->strikes[point]);
  for (int k = 0; k < IMPACT_COLUMN_COUNT; k++) fields_number(f, impact_columns[k], &row[k]);
}

static void pair_fields(impact_ledger *l, int pair, int number, fields *f) {
  fields_group(f, "pair", number);
  fields_numbers(f, "episode", IMPACT_PAIR_NUMBERS, (double *)&l->pairs[pair]);
}

static void impact_fields(impact_ledger *l, const contact_world *w, fields *f) {
  fields_count(f, "episodes", &l->episodes);
  fields_count(f, "impacts", &l->impacts);
  fields_number(f, "started", &l->started);
  fields_number(f, "loss_normal", &l->loss_normal);
  fields_number(f, "loss_tangential", &l->loss_tangential);
  fields_number(f, "worst_penetration", &l->worst_penetration);
  fields_number(f, "deepest", &l->deepest);
  fields_number(f, "creep", &l->creep.distance);
  fields_number(f, "creep_pair", &l->creep.pair);
  fields_number(f, "creep_still", &l->creep.still);
  for (int p = 0; p < w->point_count; p++) episode_fields(l, p, p, f);
  for (int i = 0; i < w->element_count; i++) pair_fields(l, i, i, f);
  if (f->from) impact_count_touching(l);
  fields_group(f, NULL, 0);
}

static void callback_fields(carom_sim *sim, fields *f) {
  for (int i = 0; i < sim->model->m.callback_count; i++) {
    const carom_callback *c = &sim->callbacks[i];
    if (!c->memory_count) continue;
    if (f->to) c->save(c->context, sim->callback_memory);
    fields_group(f, sim->model->m.callbacks[i].name, -1);
    fields_numbers(f, "memory", c->memory_count, sim->callback_memory);
    if (f->from) c->restore(c->context, sim->callback_memory);
  }
  fields_group(f, NULL, 0);
}

static void sim_fields(carom_sim *sim, fields *f) {
  motion_fields(&sim->model->m, sim->x, f);
  fields_flag(f, "evaluated", &sim->evaluated);
  fields_count(f, "restarts", &sim->restarts);
  regular_fields(&sim->regular, f);
  for (int i = 1; sim->deformed && i < sim->model->m.body_count; i++) {
    fields_group(f, "deformed", i);
    fields_number(f, "turn", &sim->deformed[i].turn);
    fields_number(f, "strain", &sim->deformed[i].strain);
    fields_group(f, NULL, 0);
  }
  balance_fields(&sim->ledger.start, "start", f);
  balance_fields(&sim->ledger.now, "now", f);
  non_finite_fields(sim, f);
  impact_fields(&sim->impacts, &sim->model->contacts, f);
  callback_fields(sim, f);
  sim->type->memory(sim->scheme, f);
  long points = sim_pair_points(sim);
  if (sim->model->contacts.crowd) fields_count(f, "pair_points", &points);
  if (f->from) sim->points_due = points;
}

int sim_checkpoint_size(carom_sim *sim) {
  fields f = {0};
  sim_fields(sim, &f);
  return f.at;
}

const char **checkpoint_names(carom_sim *sim, arena *memory) {
  fields f = {.names = ARENA_ARRAY(memory, const char *, sim_checkpoint_size(sim)), .memory = memory};
  sim_fields(sim, &f);
  return f.names;
}

void sim_checkpoint(carom_sim *sim, double *row) {
  (void)sim_evaluate(sim, NULL);
  sim_fields(sim, &(fields){.to = row});
}

static carom_status set_pairs(carom_sim *sim, const contact_key *pairs, int count, carom_error *error) {
  if (!sim->contacts->pool) return CAROM_OK;
  carom_status set = contact_state_set(sim->contacts, &sim->model->m, pairs, count, error);
  if (set == CAROM_OK) sim->type->pairs_changed(sim->scheme);
  return set;
}

// The motion as it was left, from all that the scheme remembers.
static carom_status show_again(carom_sim *sim, carom_error *error) {
  carom_status status = sim->type->restored(sim->scheme, error);
  if (status == CAROM_OK && sim->evaluated) dynamics_show_state(&sim->model->m, sim->x);
  return status;
}

carom_status sim_resume(carom_sim *sim, const double *row, carom_error *error) {
  return sim_check_memory(sim, error) == CAROM_OK ? sim_load(sim, row, error) : CAROM_ERROR_USAGE;
}

carom_status sim_load(carom_sim *sim, const double *row, carom_error *error) {
  fields f = {.from = row};
  carom_status cleared = set_pairs(sim, NULL, 0, error);
  if (cleared != CAROM_OK) return cleared;
  sim_fields(sim, &f);
  if (f.damaged)
    return error_set(error, CAROM_ERROR_FILE, "the last checkpoint is damaged: it holds numbers that are not finite");
  carom_status status = show_again(sim, error);
  if (status != CAROM_OK) return status;
  sim->steps_before = sim->type->stats(sim->scheme).steps;
  sim->since_checked = (int)(sim->steps_before % BOOK_EVERY);
  sim->since_booked = 0, sim->booked_t = sim->x->t;
  sim->violation = sim->regular.violation, sim->ledger.largest = sim->regular.largest,
  sim->ledger.worst = sim->regular.worst;
  sim->restarts += !sim->type->resumes_exactly(sim->scheme);
  return CAROM_OK;
}

// --- pairs that come and go ------------------------------------------------------------------------------------------

int sim_pair_points(const carom_sim *sim) { return sim->contacts->point_count - sim->model->contacts.point_count; }

// Names belong to a slot that may be free. Surfaces and point are known to the pair that is loaded.
static void pair_point_fields(carom_sim *sim, int slot, fields *f) {
  const contact_element *e = sim->contacts->element_of[slot];
  long a = e ? e->surface[0] : 0, b = e ? e->surface[1] : 0, k = e ? slot - e->point0 : 0;
  fields_count(f, "surface_a", &a);
  fields_count(f, "surface_b", &b);
  fields_count(f, "number", &k);
  episode_fields(&sim->impacts, slot, -1, f);
  pair_fields(&sim->impacts, contact_state_element_slot(sim->contacts, slot), -1, f);
  fields_group(f, NULL, 0);
  sim->type->point_memory(sim->scheme, slot, f);
}

int sim_point_size(carom_sim *sim) {
  fields f = {0};
  pair_point_fields(sim, sim->model->contacts.point_count, &f);
  return f.at;
}

const char **checkpoint_point_names(carom_sim *sim, arena *memory) {
  fields f = {.names = ARENA_ARRAY(memory, const char *, sim_point_size(sim)), .memory = memory};
  pair_point_fields(sim, sim->model->contacts.point_count, &f);
  return f.names;
}

void sim_checkpoint_points(carom_sim *sim, double *rows) {
  fields f = {.to = rows};
  for (int i = sim->model->contacts.point_count; i < sim->contacts->point_count; i++)
    pair_point_fields(sim, sim->contacts->points[i], &f);
}

static carom_status fail_damaged(carom_error *error) {
  return error_set(error, CAROM_ERROR_FILE, "the last checkpoint is damaged: its contacts are not those of this model");
}

static int surface_number(double x) { return x >= 0 && x <= 0x1p30 && x == (int)x ? (int)x : -1; }

carom_status sim_resume_points(carom_sim *sim, const double *rows, int count, carom_error *error) {
  int width = sim_point_size(sim), pairs = 0, first = sim->model->contacts.point_count;
  if (count != sim->points_due) return fail_damaged(error);
  contact_key *keys = malloc(((size_t)count + 1) * sizeof *keys);
  if (!keys) return error_set(error, CAROM_ERROR_MEMORY, "out of memory for the contacts of a checkpoint");
  for (int i = 0; i < count; i++) {
    const double *row = rows + (size_t)i * (size_t)width;
    contact_key key = {surface_number(row[0]), surface_number(row[1])};
    if (pairs == 0 || keys[pairs - 1].a != key.a || keys[pairs - 1].b != key.b) keys[pairs++] = key;
  }
  carom_status status = set_pairs(sim, keys, pairs, error);
  free(keys);
  if (status != CAROM_OK) return status;
  if (sim_pair_points(sim) != count) return fail_damaged(error);
  fields f = {.from = rows};
  for (int i = 0; i < count; i++) pair_point_fields(sim, sim->contacts->points[first + i], &f);
  impact_count_touching(&sim->impacts);
  if (f.damaged) return fail_damaged(error);
  return count ? show_again(sim, error) : CAROM_OK;
}
