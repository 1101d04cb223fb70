#include "scheme/scheme.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "scheme/options.h"

bool scheme_accepts_step(const scheme_request *request, const char *who, double step, double limit, int where,
                         const char *hint, scheme_refusal *why) {
  const flexible_fastest *fastest = &request->fastest;
  if (step * fastest->rate <= limit) return true;
  return SCHEME_REFUSE(why, where, 0, hint,
                       "%s is not stable with a step of %.3g s: body '%s' oscillates with %.4g Hz, mostly in its "
                       "mode %d, which needs a step of %.3g s or less",
                       who, step, request->m->bodies[fastest->body].name, fastest->omega / (2 * M_PI),
                       fastest->mode + 1, 0.999 * limit / fastest->rate);
}

// Their number, their keys, and the memory of each point.
static carom_status load_pairs(contact_state *c, const mechanism *m, fields *f, carom_error *error) {
  long count = 0;
  fields_count(f, "pairs", &count);
  contact_key *keys = malloc(((size_t)count + 1) * sizeof *keys);
  if (!keys) return error_set(error, CAROM_ERROR_MEMORY, "out of memory for %ld pairs", count);
  for (long i = 0; i < count; i++) {
    double key[2];
    fields_numbers(f, "pair", 2, key);
    keys[i] = (contact_key){(int)key[0], (int)key[1]};
  }
  carom_status set = contact_state_set(c, m, keys, (int)count, error);
  free(keys);
  return set;
}

static void save_pairs(const contact_state *c, fields *f) {
  int first = c->world->element_count;
  long count = c->element_count - first;
  fields_count(f, "pairs", &count);
  for (int i = first; i < c->element_count; i++)
    fields_numbers(f, "pair", 2, (double[2]){c->elements[i]->surface[0], c->elements[i]->surface[1]});
}

carom_status scheme_pair_fields(void (*memory_of)(void *scheme, int slot, fields *f), void (*changed)(void *scheme),
                                void *scheme, contact_state *c, const mechanism *m, fields *f, carom_error *error) {
  carom_status status = CAROM_OK;
  if (!c->pool) return CAROM_OK;
  if (f->from) status = load_pairs(c, m, f, error);
  else save_pairs(c, f);
  if (f->from && status == CAROM_OK) changed(scheme);
  for (int i = c->world->point_count; status == CAROM_OK && i < c->point_count; i++) memory_of(scheme, c->points[i], f);
  return status;
}

static carom_status memory_fields(const scheme_type *type, void *scheme, contact_state *c, const mechanism *m,
                                  fields *f, carom_error *error) {
  type->memory(scheme, f);
  return scheme_pair_fields(type->point_memory, type->pairs_changed, scheme, c, m, f, error);
}

int scheme_memory_size(const scheme_type *type, void *scheme, contact_state *c) {
  fields f = {0};
  (void)memory_fields(type, scheme, c, NULL, &f, NULL);
  return f.at;
}

void scheme_save(const scheme_type *type, void *scheme, contact_state *c, double *memory) {
  (void)memory_fields(type, scheme, c, NULL, &(fields){.to = memory}, NULL);
}

carom_status scheme_restore(const scheme_type *type, void *scheme, contact_state *c, const mechanism *m,
                            const double *memory, carom_error *error) {
  carom_status status = memory_fields(type, scheme, c, m, &(fields){.from = memory}, error);
  return status == CAROM_OK ? type->restored(scheme, error) : status;
}

void scheme_name_points(const contact_state *c, const mechanism *m, const contact_element *e, impact_ledger *impacts) {
  impact_place place = {.pair = contact_point_id(c->world, e, 0),
                        .pair_slot = e->slot,
                        .turns = contact_turns(m, e),
                        .permanent = e->slot < c->world->element_count};
  for (int k = 0; k < e->point_count; k++) {
    place.id = place.pair + k;
    impact_assign(impacts, e->point0 + k, place);
  }
}

void scheme_book_changes(const contact_state *c, const mechanism *m, impact_ledger *impacts) {
  for (int i = 0; i < c->ended_count; i++)
    for (int k = 0; k < c->ended[i]->point_count; k++) impact_separate(impacts, c->ended[i]->point0 + k);
  impact_end_step(impacts);  // before their slots are given to others
  for (int i = 0; i < c->fresh_count; i++) scheme_name_points(c, m, c->fresh[i], impacts);
}

static void first_fields(contact_first *first, const char *name, fields *f) {
  double n[3] = {first->t, first->key[0], first->key[1]};
  fields_numbers(f, name, 3, n);
  if (f->from) *first = (contact_first){n[0], {(int)fmax(-1, fmin(n[1], INT_MAX)), (int)fmax(-1, fmin(n[2], INT_MAX))}};
}

void scheme_trouble_fields(contact_trouble *t, fields *f) {
  fields_count(f, "leaps", &t->leaps);
  first_fields(&t->missed, "missed", f);
  fields_count(f, "chatters", &t->chatters);
  first_fields(&t->chattering, "chattering", f);
  fields_count(f, "fallbacks", &t->fallbacks);
  first_fields(&t->fallback, "fallback", f);
  fields_count(f, "too_deep", &t->too_deep);
  fields_count(f, "inconsistent", &t->inconsistent);
  fields_count(f, "indeterminate", &t->indeterminate);
  fields_count(f, "energy_gains", &t->gains);
  fields_number(f, "energy_gained", &t->gained);
  fields_number(f, "energy_gained_t", &t->gained_at);
  fields_count(f, "accumulations", &t->accumulations);
  fields_number(f, "accumulation_error", &t->accumulation_error);
  fields_count(f, "friction_unsettled", &t->friction_unsettled);
  fields_count(f, "unsettled", &t->unsettled);
  fields_count(f, "curvature", &t->curvature);
}

void scheme_tally_fields(chain_tally *tally, fields *f) {
  double numbers[CHAIN_TALLY_NUMBERS];
  chain_tally_pack(tally, numbers);
  fields_numbers(f, "solves", CHAIN_TALLY_NUMBERS, numbers);
  if (f->from) *tally = chain_tally_unpack(numbers);
}

void scheme_contact_fields(scheme_contact *c, fields *f) {
  fields_number(f, "gap", &c->gap);
  fields_number(f, "normal_force", &c->normal_force);
  fields_numbers(f, "tangential_force", 2, c->tangential_force);
  fields_flag(f, "active", &c->active);
  fields_flag(f, "slides", &c->slides);
  fields_flag(f, "lasts", &c->lasts);
}

void scheme_vector_field(vec3 *v, const char *name, fields *f) {
  double numbers[3];
  vec3_store(numbers, *v);
  fields_numbers(f, name, 3, numbers);
  if (f->from) *v = vec3_of(numbers);
}

void scheme_place_fields(contact_point *p, fields *f) { scheme_vector_field(&p->at, "at", f); }

void scheme_frame_fields(contact_point *p, fields *f) {
  scheme_vector_field(&p->n, "n", f);
  scheme_vector_field(&p->t[0], "t", f);
  scheme_vector_field(&p->t[1], "b", f);
}

void scheme_search_fields(contact_searches *c, fields *f) {
  fields_count(f, "searches", &c->count);
  fields_count(f, "search_iterations", &c->iterations);
  fields_count(f, "search_fallbacks", &c->fallbacks);
}

void scheme_start_field(contact_state *c, int slot, fields *f) { scheme_vector_field(&c->start[slot], "start", f); }

// Numbers of a damaged checkpoint are those of no feature.
static int part_of(double x) { return x >= 0 && x <= 0x1p30 ? (int)x : -1; }

void scheme_feature_field(contact_feature *held, fields *f) {
  double part[3] = {held->part[0], held->part[1], held->part[2]};
  fields_numbers(f, "feature", 3, part);
  if (f->from) *held = (contact_feature){{part_of(part[0]), part_of(part[1]), part_of(part[2])}};
}

void scheme_feature_fields(contact_state *c, int slot, fields *f) {
  scheme_feature_field(&c->held[slot], f);
  if (f->from) c->found[slot] = c->held[slot];
}
