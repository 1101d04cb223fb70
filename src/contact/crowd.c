#include "contact/crowd.h"

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
  return e;
}
