#include "contact/contact.h"

#include <math.h>
#include <stdio.h>

#include "contact/frame.h"
#include "contact/hertz.h"
#include "contact/touches.h"
#include "mechanics/anchor.h"
#include "mechanics/block.h"
#include "mechanics/rows.h"

void contact_evaluate(const contact_world *s, const mechanism *m, const motion *x, contact_point *points) {
  for (int i = 0; i < s->element_count; i++) {
    const contact_element *e = &s->elements[i];
    if (contact_points_change(e)) contact_place_touches(m, x, e, NULL, NULL, NULL, points + e->point0);
    else e->type->evaluate(m, x, e, points + e->point0);
  }
}

double contact_point_id(const contact_world *w, const contact_element *e, int k) {
  if (e->slot < w->element_count) return e->point0 + k;
  double pair = (double)e->surface[0] * w->surface_count + e->surface[1];
  return w->point_count + pair * CONTACT_POINTS_MAX + k;
}

const char *contact_name(const contact_world *w, const contact_element *e, char text[CONTACT_NAME]) {
  if (e->name) return e->name;
  snprintf(text, CONTACT_NAME, "%s-%s", w->surfaces[e->surface[0]].name, w->surfaces[e->surface[1]].name);
  return text;
}

const char *contact_pair_name(const contact_world *w, double id, char text[CONTACT_NAME]) {
  for (int i = 0; i < w->element_count; i++)
    if (w->elements[i].point0 == id) return contact_name(w, &w->elements[i], text);
  double pair = floor((id - w->point_count) / CONTACT_POINTS_MAX), surfaces = w->surface_count;
  if (!(pair >= 0 && pair < surfaces * surfaces)) return "";
  int a = (int)(pair / surfaces), b = (int)(pair - a * surfaces);
  return contact_name(w, &(contact_element){.surface = {a, b}}, text);
}

const char *contact_point_name(const mechanism *m, const contact_element *e, int k) {
  if (e->point_names) return e->point_names[k];
  const char *const *names = m->planar ? e->type->point_names_planar : e->type->point_names;
  return names && e->point_count > 1 ? names[k] : "";
}

bool contact_turns(const mechanism *m, const contact_element *e) {
  return e->type->action && e->type->action->turns(m, e);
}

temporary_rows contact_rows_of(const contact_world *s, const mechanism *m, arena *memory) {
  bool *bodies = ARENA_ARRAY(memory, bool, m->body_count);
  temporary_rows all = {.bodies = bodies};
  for (int i = 0; i < s->surface_count; i++) {
    const contact_surface *surface = &s->surfaces[i];
    if (!isfinite(surface->reach)) continue;
    const marker *k = &m->markers[surface->marker];
    vec3 middle;
    double half = contact_surface_half(surface, m->planar, &middle);
    double away = vec3_norm(vec3_sub(pose_point(k->local, middle), m->bodies[k->body].com));
    if (k->body == GROUND) all.fixed_size = fmax(all.fixed_size, half);
    else all.moving_size = fmax(all.moving_size, fmax(half, away));
  }
  for (int i = 0; s->crowd && i < s->surface_count; i++) bodies[m->markers[s->surfaces[i].marker].body] = true;
  for (int i = 0; i < s->element_count; i++) {
    const contact_element *e = &s->elements[i];
    bodies[m->markers[e->first].body] = bodies[m->markers[e->second].body] = true;
    all.count += e->point_count * contact_row_count(m, e);
  }
  return all;
}

// A bristle's bend is a vector of the world.
int contact_inner_count(const mechanism *m, const contact_element *e) {
  if (!contact_rubs(e) || !e->material.tangential.type->states) return 0;
  return m->planar ? 2 : 3;
}

bool contact_curvatures(const contact_element *e, double radius[2]) {
  radius[0] = radius[1] = CONTACT_SHARP;
  if (!e->type->curvatures) return false;
  e->type->curvatures(e, radius);
  return true;
}

bool contact_stiffness(const contact_element *e, const contact_point *p, double *stiffness) {
  double low = 1e-6 / e->span, high = 1e6 / e->span, k[2];
  for (int i = 0; i < 2; i++) k[i] = fmin(fmax(p->curvature[i], low), high);
  *stiffness = hertz_stiffness(e->material.normal.modulus, k);
  return p->curvature[0] >= low && p->curvature[1] <= high;
}

// The points of both bodies where they touch. Most points are far apart and need none. On the boundary of a flexible
// body a point has a frame of its own.
typedef struct contact_anchors {
  anchor first, second;
  flexible_marker frame[2];
  double columns[2][6 * FLEXIBLE_MODES_MAX];
} contact_anchors;

// Frames with columns are for rows and forces, those without for velocities.
static void set_frames(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                       const double slide[2], bool columns, contact_anchors *a) {
  const polyline *on[2] = {e->boundary_first, e->boundary_second};
  anchor *anchors[2] = {&a->first, &a->second};
  for (int k = 0; k < 2; k++) {
    if (!on[k]) continue;
    a->frame[k] =
        flexible_spot_frame(m, x, anchors[k]->node, &p->spot[k], slide ? slide[k] : 0, columns ? a->columns[k] : NULL);
    anchors[k]->frame = &a->frame[k];
  }
}

// Inlined, as all that is called here for every point: a call costs more than it does.
BLOCK void find_anchors(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                        const double slide[2], bool columns, contact_anchors *a) {
  a->first = contact_anchor(m, x, e, p, CONTACT_FIRST, p->at);
  a->second = contact_anchor(m, x, e, p, CONTACT_SECOND, p->at);
  if (x->flexible && e->boundary_first) set_frames(m, x, e, p, slide, columns, a);
}

// The velocity of the first body against the second's at the point, along d.
static void add_row_along(const mechanism *m, motion *x, const contact_anchors *a, vec3 d) {
  row_body *pair = rows_add_pair(m, x, a->first.node, a->second.node);
  anchor_wrench(m, &a->first, d, VEC3_ZERO, pair[0].J);
  anchor_wrench(m, &a->second, vec3_neg(d), VEC3_ZERO, pair[1].J);
  if (x->flexible) rows_add_modes(m, x, &a->first, &a->second, d, VEC3_ZERO);
}

// The axes of what resists turning: in the plane across it, in space both tangents and the normal.
static vec3 turn_axis(const mechanism *m, const contact_point *p, int k) {
  return m->planar ? (vec3){0, 0, 1} : k < 2 ? p->t[k] : p->n;
}

// The angular velocity of the first body against the second's, along d.
static void add_row_about(const mechanism *m, motion *x, const contact_anchors *a, vec3 d) {
  row_body *pair = rows_add_pair(m, x, a->first.node, a->second.node);
  anchor_wrench(m, &a->first, VEC3_ZERO, d, pair[0].J);
  anchor_wrench(m, &a->second, VEC3_ZERO, vec3_neg(d), pair[1].J);
  if (x->flexible) rows_add_modes(m, x, &a->first, &a->second, VEC3_ZERO, d);
}

static int add_turning_rows(const mechanism *m, motion *x, const contact_point *p, const contact_anchors *a) {
  int count = m->planar ? 1 : 3;
  for (int k = 0; k < count; k++) add_row_about(m, x, a, turn_axis(m, p, k));
  return count;
}

void contact_add_normal(const mechanism *m, motion *x, const contact_element *e, const contact_point *p) {
  if (e->type->action) {
    e->type->action->add_normal(m, x, e, p);
    return;
  }
  contact_anchors a;
  find_anchors(m, x, e, p, NULL, true, &a);
  add_row_along(m, x, &a, p->n);
}

int contact_add_rows(const mechanism *m, motion *x, const contact_element *e, const contact_point *p) {
  int count = contact_sliding_rows(m, e);
  if (count == 1) {
    contact_add_normal(m, x, e, p);
    return count;
  }
  contact_anchors a;
  find_anchors(m, x, e, p, NULL, true, &a);
  add_row_along(m, x, &a, p->n);
  for (int k = 1; k < count; k++) add_row_along(m, x, &a, p->t[k - 1]);
  return contact_rolls(e) ? count + add_turning_rows(m, x, p, &a) : count;
}

// --- bias ------------------------------------------------------------------------------------------------------------

// Of rows about d the rate is d·(ω₁ - ω₂), and the bias ḋ·(ω₁ - ω₂). In the plane d does not turn.
static void set_turn_bias(const mechanism *m, motion *x, const contact_point *p, const contact_anchors *a, vec3 n_rate,
                          int row) {
  vec3 w = vec3_sub(anchor_omega(m, x, &a->first), anchor_omega(m, x, &a->second));
  vec3 own = vec3_sub(anchor_turn_bias(&a->first), anchor_turn_bias(&a->second));  // of flexible bodies
  for (int k = 0; k < 3; k++) {
    vec3 d = turn_axis(m, p, k), d_dot = k < 2 ? vec3_scale(-vec3_dot(d, n_rate), p->n) : n_rate;
    x->rows[row + k].quad = vec3_dot(d_dot, w) + vec3_dot(d, own);
    x->rows[row + k].rounding = ROWS_ROUNDING * vec3_norm(n_rate) * vec3_norm(w);
  }
}

// The rate of a row along d is d·(v₁ - v₂), both velocities at the place P that travels over the bodies. Its derivative
// is that by the accelerations of the bodies, and the bias  ḋ·(v₁ - v₂) + d·(ω₁ × (Ṗ - v₀₁) - ω₂ × (Ṗ - v₀₂)). Tangents
// are carried along with the normal without turning about it:  ṫ = -(t·ṅ) n.
void contact_set_bias_by(const mechanism *m, motion *x, const contact_element *e, const contact_point *p,
                         const contact_travel *t, int row) {
  contact_anchors a;
  find_anchors(m, x, e, p, t->slide, false, &a);
  vec3 v[2] = {anchor_velocity(m, x, &a.first), anchor_velocity(m, x, &a.second)};
  vec3 bias[2] = {anchor_bias_along(m, x, &a.first, t->at), anchor_bias_along(m, x, &a.second, t->at)};
  vec3 slip = vec3_sub(v[0], v[1]), turn = vec3_sub(bias[0], bias[1]);
  double size = vec3_norm(t->n) * (vec3_norm(v[0]) + vec3_norm(v[1])) + vec3_norm(bias[0]) + vec3_norm(bias[1]);
  int sliding = contact_sliding_rows(m, e);
  for (int i = 0; i < sliding; i++) {
    vec3 d = i == 0 ? p->n : p->t[i - 1], d_dot = i == 0 ? t->n : vec3_scale(-vec3_dot(d, t->n), p->n);
    x->rows[row + i].quad = vec3_dot(d_dot, slip) + vec3_dot(d, turn);
    x->rows[row + i].rounding = ROWS_ROUNDING * size;
  }
  if (contact_rolls(e) && !m->planar) set_turn_bias(m, x, p, &a, t->n, row + sliding);
}

void contact_set_bias(const mechanism *m, motion *x, const contact_element *e, const contact_point *p, int k, int row) {
  if (!e->type->travel) return;
  contact_travel t = e->type->travel(m, x, e, p, k);
  contact_set_bias_by(m, x, e, p, &t, row);
}

// --- forces ----------------------------------------------------------------------------------------------------------

static vec3 relative_velocity(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p) {
  contact_anchors a;
  find_anchors(m, x, e, p, NULL, false, &a);
  return vec3_sub(anchor_velocity(m, x, &a.first), anchor_velocity(m, x, &a.second));
}

double contact_gap_rate(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p) {
  if (e->type->action) return e->type->action->gap_rate(m, x, e);
  return vec3_dot(p->n, relative_velocity(m, x, e, p));
}

static void slip_of(const mechanism *m, const contact_point *p, vec3 v, double slip[2]) {
  slip[0] = vec3_dot(p->t[0], v);
  slip[1] = m->planar ? 0 : vec3_dot(p->t[1], v);
}

void contact_slip(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                  double slip[2]) {
  slip_of(m, p, relative_velocity(m, x, e, p), slip);
}

double contact_rates(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                     double slip[2]) {
  slip[0] = slip[1] = 0;
  if (e->type->action) return e->type->action->gap_rate(m, x, e);
  vec3 v = relative_velocity(m, x, e, p);
  if (!e->type->frictionless) slip_of(m, p, v, slip);
  return vec3_dot(p->n, v);
}

void contact_push(const mechanism *m, motion *x, const contact_element *e, const contact_point *p, double normal,
                  const double drag[2]) {
  if (e->type->action) {
    e->type->action->push(m, x, e, normal);
    return;
  }
  vec3 f = vec3_axpy(vec3_scale(normal, p->n), drag[0], p->t[0]);
  if (!m->planar) f = vec3_axpy(f, drag[1], p->t[1]);
  contact_anchors a;
  find_anchors(m, x, e, p, NULL, true, &a);
  anchor_push(m, x, &a.first, f, VEC3_ZERO);
  anchor_push(m, x, &a.second, vec3_neg(f), VEC3_ZERO);
}

void contact_turn(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                  double turn[3]) {
  contact_anchors a;
  find_anchors(m, x, e, p, NULL, false, &a);
  vec3 w = vec3_sub(anchor_omega(m, x, &a.first), anchor_omega(m, x, &a.second));
  for (int k = 0; k < 3; k++) turn[k] = m->planar && k > 0 ? 0 : vec3_dot(turn_axis(m, p, k), w);
}

void contact_twist(const mechanism *m, motion *x, const contact_element *e, const contact_point *p,
                   const double moment[3]) {
  vec3 sum = VEC3_ZERO;
  for (int k = 0; k < (m->planar ? 1 : 3); k++) sum = vec3_axpy(sum, moment[k], turn_axis(m, p, k));
  contact_anchors a;
  find_anchors(m, x, e, p, NULL, true, &a);
  anchor_push(m, x, &a.first, VEC3_ZERO, sum);
  anchor_push(m, x, &a.second, VEC3_ZERO, vec3_neg(sum));
}

double contact_leap(const mechanism *m, const contact_element *e) {
  if (e->span > 0) return e->span;
  if (e->play > 0 && isfinite(e->play)) return e->play;
  return contact_turns(m, e) ? 1 : m->length;
}

// A journal or ball is as thick as its radius, a slider as its width.
double contact_thickness(const contact_element *e) {
  double size = e->clearance > 0 ? fmax(e->size_second[0], e->size_second[1]) : e->span;
  return size > 0 ? size : INFINITY;
}
