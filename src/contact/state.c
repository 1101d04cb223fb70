#include "contact/state.h"

#include <stdlib.h>

#include "base/error.h"

static void add_permanent(contact_state *s) {
  for (int i = 0; i < s->world->element_count; i++) {
    const contact_element *e = &s->world->elements[i];
    s->elements[s->element_count++] = e;
    for (int p = e->point0; p < e->point0 + e->point_count; p++) s->points[s->point_count++] = p, s->element_of[p] = e;
  }
}

contact_state *contact_state_create(const contact_world *world, carom_error *error) {
  contact_state *s = calloc(1, sizeof *s);
  size_t elements = (size_t)world->element_count + 1, points = (size_t)world->point_count + 1;
  if (s) {
    s->world = world, s->activation = world->activation;
    s->element_slots = world->element_count, s->point_slots = world->point_count;
    s->elements = calloc(elements, sizeof *s->elements);
    s->points = calloc(points, sizeof *s->points);
    s->element_of = calloc(points, sizeof *s->element_of);
  }
  if (!s || !s->elements || !s->points || !s->element_of) {
    contact_state_destroy(s);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for contacts");
    return NULL;
  }
  add_permanent(s);
  return s;
}

void contact_state_destroy(contact_state *s) {
  if (!s) return;
  free(s->elements);
  free(s->points);
  free(s->element_of);
  free(s);
}

void contact_state_evaluate(const contact_state *s, const mechanism *m, const motion *x, contact_point *points) {
  for (int i = 0; i < s->element_count; i++) {
    const contact_element *e = s->elements[i];
    e->type->evaluate(m, x, e, points + e->point0);
  }
}
