#include "scheme/scheme.h"

int scheme_memory_size(const scheme_type *type, void *scheme) {
  fields f = {0};
  type->memory(scheme, &f);
  return f.at;
}

void scheme_save(const scheme_type *type, void *scheme, double *memory) { type->memory(scheme, &(fields){.to = memory}); }

carom_status scheme_restore(const scheme_type *type, void *scheme, const double *memory, carom_error *error) {
  type->memory(scheme, &(fields){.from = memory});
  return type->restored(scheme, error);
}

void scheme_trouble_fields(contact_trouble *t, fields *f) {
  fields_count(f, "leaps", &t->leaps);
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

static void vector(vec3 *v, const char *name, fields *f) {
  double numbers[3];
  vec3_store(numbers, *v);
  fields_numbers(f, name, 3, numbers);
  if (f->from) *v = vec3_of(numbers);
}

void scheme_place_fields(contact_point *p, fields *f) { vector(&p->at, "at", f); }

void scheme_frame_fields(contact_point *p, fields *f) {
  vector(&p->n, "n", f);
  vector(&p->t[0], "t", f);
  vector(&p->t[1], "b", f);
}
