// The forces of surfaces that touch with an area. At each place of the area a law f(δ) (1 + λ δ̇/v₀) gives the pressure,
// with the foundation k:
//   p = k δ (1 + λ δ̇/v₀),  δ̇ = -n·(v₁ - v₂) there, and not below zero.
// What is elastic of it acts as a whole, as the gradient of its energy (contact_overlap). There is
// one speed of approach v₀ for the whole contact. An area that touches with an edge first may be struck harder
// afterwards: v₀ is at least what δ̇ now and the energy stored so far give together, v₀² = δ̇² + 2 E w with the mobility
// w and the mean of δ̇² by the elastic force, where it is pressed in. That mean is continuous, the largest δ̇ is not:
// places come and go with the corners of the area. Friction acts at each place by its share of the normal force, so
// that the area resists turning as well as sliding. Bristles have one bend for the whole area and act at the centre of
// pressure.
#include <math.h>

#include "contact/frame.h"
#include "contact/law.h"
#include "geometry/foundation.h"
#include "mechanics/anchor.h"
#include "scheme/compliant_internal.h"

typedef struct area {
  const contact_material *material;
  const contact_point *p;
  double share;  // see contact_overlap
  vec3 v, w;     // velocity of the first body against the second at the point, and angular velocity
  double approach;
  double elastic, coming;  // the parts of the elastic force, and the sum of these times the squares of the rates at
                           // which they are pressed in
  double pressed;          // the parts of the whole normal force
  vec3 drag;
  bool planar;
  watch_look *seen;
  touch_load *load;
} area;

static vec3 velocity_at(const area *a, vec3 place) {
  return vec3_add(a->v, vec3_cross(a->w, vec3_sub(place, a->p->at)));
}
static double rate_at(const area *a, const foundation_node *node) {
  return -vec3_dot(node->n, velocity_at(a, node->at));
}

static double elastic_of(const area *a, const foundation_node *node) {
  return a->material->foundation * a->share * node->depth * node->area;
}

static void add_coming(void *context, const foundation_node *node) {
  area *a = context;
  double elastic = elastic_of(a, node), rate = fmax(0, rate_at(a, node));
  a->elastic += elastic, a->coming += elastic * rate * rate;
}

// The force along the normal, and how fast it is pressed in.
static double press(const area *a, const foundation_node *node, double *elastic, double *rate) {
  const normal_law *l = &a->material->normal;
  *rate = rate_at(a, node);
  *elastic = elastic_of(a, node);
  double factor = l->type->lambda ? normal_damping_factor(l, *rate, a->approach) : 1;
  return *elastic * (l->pulls ? factor : fmax(0, factor));
}

static void add_load(const area *a, vec3 place, vec3 force) {
  a->load->force = vec3_add(a->load->force, force);
  a->load->moment = vec3_add(a->load->moment, vec3_cross(vec3_sub(place, a->p->at), force));
}

// The elastic part acts as a whole; what damping adds to it acts at each place.
static void add_normal(void *context, const foundation_node *node) {
  area *a = context;
  double elastic, rate, force = press(a, node, &elastic, &rate);
  a->pressed += force;
  a->seen->loss[0] += (force - elastic) * rate;
  add_load(a, node->at, vec3_scale(force - elastic, node->n));
}

// Tangents where the normal is n. Of the normal of the contact its own.
static void find_tangents(const area *a, vec3 n, vec3 t[2]) {
  if (vec3_dot(n, a->p->n) > 1 - 1e-12) t[0] = a->p->t[0], t[1] = a->p->t[1];
  else if (a->planar) t[0] = (vec3){-n.y, n.x, 0}, t[1] = (vec3){0, 0, 1};
  else vec3_tangents(n, t);
}

// The law is given the force of the whole area, so that what it has beside Coulomb's part is not counted once per
// place.
static void add_friction(void *context, const foundation_node *node) {
  area *a = context;
  const friction_law *l = &a->material->tangential;
  vec3 v = velocity_at(a, node->at), t[2], force = VEC3_ZERO;
  find_tangents(a, node->n, t);
  double elastic, rate, share = press(a, node, &elastic, &rate) / a->pressed;
  double slip[2] = {vec3_dot(t[0], v), vec3_dot(t[1], v)}, drag[2];
  l->type->force(l, a->pressed, slip, NULL, drag, NULL);
  for (int k = 0; k < (a->planar ? 1 : 2); k++) {
    a->seen->loss[1] -= share * drag[k] * slip[k];
    force = vec3_axpy(force, share * drag[k], t[k]);
  }
  a->drag = vec3_add(a->drag, force);
  add_load(a, node->at, force);
}

static void rub(compliant *s, const touch_point *c, area *a, const contact_overlap *o) {
  watch_look *seen = a->seen;
  const vec3 *t = a->p->t;
  contact_slip(s->w.m, s->w.x, c->e, a->p, seen->slip);
  if (c->inner >= 0) {
    compliant_bend(s, c, seen, a->p);
    seen->loss[1] = -(seen->drag[0] * seen->slip[0] + seen->drag[1] * seen->slip[1]);
    add_load(a, a->p->at, vec3_axpy(vec3_scale(seen->drag[0], t[0]), a->planar ? 0 : seen->drag[1], t[1]));
  } else if (a->pressed > 0) {
    c->e->type->visit(s->w.m, s->w.x, c->e, o, add_friction, a);
    seen->drag[0] = vec3_dot(t[0], a->drag), seen->drag[1] = a->planar ? 0 : vec3_dot(t[1], a->drag);
  }
}

static area area_of(const compliant *s, const touch_point *c, const contact_point *p) {
  const mechanism *m = s->w.m;
  const motion *x = s->w.x;
  anchor first = contact_anchor(m, x, c->e, p, CONTACT_FIRST, p->at),
         second = contact_anchor(m, x, c->e, p, CONTACT_SECOND, p->at);
  return (area){.material = &c->e->material,
                .p = p,
                .planar = m->planar,
                .v = vec3_sub(anchor_velocity(m, x, &first), anchor_velocity(m, x, &second)),
                .w = vec3_sub(anchor_omega(m, x, &first), anchor_omega(m, x, &second))};
}

void compliant_see_area(compliant *s, int index) {
  const mechanism *m = s->w.m;
  const touch_point *c = &s->point[index];
  const contact_point *p = &s->w.points[index];
  watch_look *seen = &s->w.seen[index];
  contact_overlap o;
  c->e->type->overlap(m, s->w.x, c->e, &o);
  area a = area_of(s, c, p);
  a.seen = seen, a.load = &s->load[index];
  a.share = o.share;
  *seen = (watch_look){.gap = o.gap, .rate = vec3_dot(o.apart, velocity_at(&a, o.nearest))};
  *a.load = (touch_load){0};
  for (int k = 0; k < c->inner_count; k++) s->w.x->inner_rate[c->inner + k] = 0;
  if (!(o.gap < 0)) return;
  double stiffness = c->e->material.foundation;
  seen->stored = stiffness * o.energy;
  if (!compliant_acts(s, c, -o.gap)) return;
  c->e->type->visit(m, s->w.x, c->e, &o, add_coming, &a);
  double coming = a.coming > 0 && a.elastic > 0 ? sqrt(a.coming / a.elastic) : 0;
  a.approach = fmax(compliant_approach(c, seen, -o.gap), hypot(coming, compliant_elastic_speed(c, seen, -o.gap)));
  *a.load = (touch_load){.force = vec3_scale(stiffness, o.force), .moment = vec3_scale(stiffness, o.moment)};
  c->e->type->visit(m, s->w.x, c->e, &o, add_normal, &a);
  seen->formula = seen->normal = vec3_dot(p->n, a.load->force);
  if (contact_rubs(c->e)) rub(s, c, &a, &o);
  else contact_slip(m, s->w.x, c->e, p, seen->slip);
  if (c->turn > 0) compliant_resist_turning(s, c, seen, p, a.load);
}

void compliant_push_area(const compliant *s, int index, const mechanism *m, motion *x) {
  const contact_point *p = &s->w.points[index];
  const touch_load *load = &s->load[index];
  const contact_element *e = s->point[index].e;
  anchor first = contact_anchor(m, x, e, p, CONTACT_FIRST, p->at),
         second = contact_anchor(m, x, e, p, CONTACT_SECOND, p->at);
  anchor_push(m, x, &first, load->force, load->moment);
  anchor_push(m, x, &second, vec3_neg(load->force), vec3_neg(load->moment));
}
