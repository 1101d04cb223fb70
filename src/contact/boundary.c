#include "contact/boundary.h"

#include <math.h>

#include "contact/frame.h"
#include "contact/touches.h"

#define STEEP 0.87  // the sine of 60 degrees

bool boundary_faces(const boundary *s, int v, vec2 n) {
  const int beside[2] = {s->line->next[v], s->line->before[v]};
  for (int k = 0; k < 2; k++) {
    if (beside[k] < 0) continue;
    const vec2 way = vec2_sub(boundary_vertex(s, beside[k]), boundary_vertex(s, v));
    if (vec2_dot(n, way) < -STEEP * vec2_norm(way)) return false;
  }
  return true;
}

void boundary_add(boundary_list *s, contact_touch t) {
  if (s->count < s->most) {
    s->to[s->count++] = t;
    return;
  }
  int far = 0;
  for (int i = 1; i < s->count; i++)
    if (s->to[i].gap > s->to[far].gap) far = i;
  if (t.gap < s->to[far].gap) s->to[far] = t;
}

bool boundary_continues(const contact_feature *vanished, const contact_feature *place) {
  return vanished->part[0] == place->part[0];
}

// --- places that are followed ------------------------------------------------------------------------------------------

boundary_place boundary_no_place(const boundary *a, const boundary *b) {
  return (boundary_place){.gap = INFINITY,
                          .within = -INFINITY,
                          .n = {0, 1},
                          .at = a->at.p,
                          .spot = {boundary_spot_at(a, 0), boundary_spot_at(b, 0)}};
}

void boundary_take_nearest(void *to, const contact_feature *f, const boundary_place *p) {
  boundary_place *least = to;
  (void)f;
  if (p->gap < least->gap) *least = *p;
  least->within = INFINITY;
}

boundary_search boundary_begin_search(const contact_element *e, const boundary *a, contact_touch *to) {
  to[0] =
      (contact_touch){.feature = CONTACT_GUARD_FEATURE, .gap = INFINITY, .at = vec2_in_space(a->at.p), .n = {0, 1, 0}};
  return (boundary_search){.to = to, .count = 1, .most = e->point_count, .within = e->span};
}

void boundary_insert(void *to, const contact_feature *f, const boundary_place *p) {
  boundary_search *s = to;
  int k = s->count;
  if (p->gap > s->within || (k == s->most && (k < 2 || !(s->to[--k].gap > p->gap)))) return;
  for (; k > 1 && s->to[k - 1].gap > p->gap; k--) s->to[k] = s->to[k - 1];
  s->to[k] = (contact_touch){.feature = *f,
                             .gap = p->gap,
                             .at = vec2_in_space(p->at),
                             .n = vec2_in_space(p->n),
                             .spot = {p->spot[0], p->spot[1]}};
  if (s->count < s->most) s->count++;
}

void boundary_set_point(const mechanism *m, const motion *x, const contact_element *e, const boundary_place *from,
                        contact_point *p) {
  p->gap = from->gap, p->at = vec2_in_space(from->at);
  p->node_first = marker_find(m, x, e->first).node, p->node_second = marker_find(m, x, e->second).node;
  p->spot[0] = from->spot[0], p->spot[1] = from->spot[1];
  contact_set_frame(m, p, vec2_in_space(from->n));
}

// --- travel ----------------------------------------------------------------------------------------------------------

// How the line of a spot turns, and how fast the foot of a place that has the velocity v goes along it.
typedef struct line_rate {
  double turn, slide;
} line_rate;

static line_rate rate_of_line(const mechanism *m, const motion *x, int index, const flexible_spot *s, vec3 at, vec3 v) {
  const tree_link *l = &x->links[index];
  const vec2 *place = x->flexible[index].boundary;
  vec3 way = mat3_mul(l->R, vec2_in_space(vec2_sub(place[s->node[1]], place[s->node[0]])));
  vec3 from = vec3_add(l->p, mat3_mul(l->R, vec2_in_space(place[s->node[0]])));
  vec3 v0 = flexible_boundary_velocity(m, x, index, s->node[0]),
       along = vec3_sub(flexible_boundary_velocity(m, x, index, s->node[1]), v0);
  double length2 = vec3_dot(way, way);
  // s = (at - from)·way / way·way
  double slide =
      (vec3_dot(vec3_sub(v, v0), way) + vec3_dot(vec3_sub(at, from), along) - 2 * s->part * vec3_dot(way, along)) /
      length2;
  return (line_rate){(way.x * along.y - way.y * along.x) / length2, slide};
}

vec3 boundary_turned(double turn, vec3 n) { return (vec3){-turn * n.y, turn * n.x, 0}; }

double boundary_line_turn(const mechanism *m, const motion *x, int index, const flexible_spot *s) {
  return rate_of_line(m, x, index, s, VEC3_ZERO, VEC3_ZERO).turn;
}

contact_travel boundary_travel_on_line(const mechanism *m, const motion *x, const contact_point *p, int k, vec3 v) {
  contact_travel t = {.at = v};
  line_rate r = rate_of_line(m, x, k ? p->node_second : p->node_first, &p->spot[k], p->at, v);
  t.n = boundary_turned(r.turn, p->n), t.slide[k] = r.slide;
  return t;
}
