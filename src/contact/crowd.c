#include "contact/crowd.h"

#include "contact/law.h"
#include "contact/material.h"
#include "contact/pairs.h"

// Ground may have many joints: the body with fewer is searched.
bool contact_crowd_joined(const contact_crowd *c, int a, int b) {
  const int *start = c->joined_start;
  int from = start[a + 1] - start[a] <= start[b + 1] - start[b] ? a : b, to = from == a ? b : a;
  for (int k = start[from]; k < start[from + 1]; k++)
    if (c->joined[k] == to) return true;
  return false;
}

bool contact_crowd_meets(const contact_world *w, const mechanism *m, int a, int b) {
  const contact_crowd *c = w->crowd;
  if (!c->material[c->class_of[a] * c->class_count + c->class_of[b]]) return false;
  int body_a = m->markers[w->surfaces[a].marker].body, body_b = m->markers[w->surfaces[b].marker].body;
  return body_a != body_b && !contact_crowd_joined(c, body_a, body_b) && pairs_find(&c->apart, a, b) < 0;
}

contact_element contact_crowd_element(const contact_world *w, const mechanism *m, int a, int b) {
  const contact_crowd *c = w->crowd;
  contact_element e = contact_pair(m, &w->surfaces[a], &w->surfaces[b]);
  e.surface[0] = a, e.surface[1] = b;
  e.material = *c->material[c->class_of[a] * c->class_count + c->class_of[b]];
  if (c->by_laws) contact_set_law_type(m, &w->surfaces[a], &w->surfaces[b], &e);
  fault ignored = {0};  // the build has tried one pair of each two classes
  if (c->resolves) (void)contact_resolve(m, &e, "", &ignored);
  return e;
}

bool contact_resolve(const mechanism *m, contact_element *e, const char *name, fault *f) {
  if (e->type->overlap) return material_resolve_area(&e->material, name, f);
  double radius[2];
  contact_curvatures(e, radius);
  bool line = m->planar || e->type->along_line;  // in the plane a circle stands for a cylinder
  if (!material_resolve(&e->material, radius, line, e->type->curved, name, f)) return false;
  e->by_curvature =
      e->type->curved && e->material.normal.type->contact == LAW_POINT && !(e->material.normal.stiffness > 0);
  return true;
}

bool contact_crowd_sample(const contact_world *w, const mechanism *m, int p, int q, contact_element *e) {
  const contact_crowd *c = w->crowd;
  int a = -1, b = -1;
  if (!c->material[p * c->class_count + q]) return false;
  for (int i = 0; i < w->surface_count && (a < 0 || b < 0); i++) {
    if (a < 0 && c->class_of[i] == p) a = i;
    else if (b < 0 && c->class_of[i] == q) b = i;
  }
  if (a < 0 || b < 0) return false;
  *e = contact_crowd_element(w, m, a < b ? a : b, a < b ? b : a);
  return true;
}

static long pairs_of_classes(const contact_world *w, int p, int q) {
  long a = 0, b = 0;
  for (int i = 0; i < w->surface_count; i++) a += w->crowd->class_of[i] == p, b += w->crowd->class_of[i] == q;
  return p == q ? a * (a - 1) / 2 : a * b;
}

long contact_count(const contact_world *w, const mechanism *m, contact_test *test, contact_element *first) {
  long count = 0, of_crowd = 0;
  contact_element e;
  for (int i = 0; i < w->element_count; i++)
    if (test(m, &w->elements[i]) && !count++ && first) *first = w->elements[i];
  for (int p = 0; w->crowd && p < w->crowd->class_count; p++)
    for (int q = p; q < w->crowd->class_count; q++) {
      if (!contact_crowd_sample(w, m, p, q, &e) || !test(m, &e)) continue;
      if (count + of_crowd == 0 && first) *first = e;
      of_crowd += pairs_of_classes(w, p, q);
    }
  return of_crowd ? count + (of_crowd < w->crowd->possible ? of_crowd : w->crowd->possible) : count;
}

bool contact_find(const contact_world *w, const mechanism *m, contact_test *test, contact_element *found, int *index) {
  for (*index = 0; *index < w->element_count; ++*index) {
    *found = w->elements[*index];
    if (test(m, found)) return true;
  }
  *index = -1;
  for (int p = 0; w->crowd && p < w->crowd->class_count; p++)
    for (int q = p; q < w->crowd->class_count; q++)
      if (contact_crowd_sample(w, m, p, q, found) && test(m, found)) return true;
  return false;
}

bool contact_restitution_differs(const mechanism *m, const contact_element *e) {
  return (void)m, e->material.remarks & REMARK_RESTITUTION;
}
bool contact_is_conformal(const mechanism *m, const contact_element *e) {
  return (void)m, e->material.remarks & REMARK_CONFORMAL;
}
