// Derivations. Let a, b be the markers, s_a, s_b their arms, D = p_b - p_a, and e an axis of a, f an axis of b.
//
// ALONG  Φ = e·D          Φ̇ = e·v,  Φ̈ = e·(a_b - a_o - 2 ω_a × v),  with o the point of the first body where b is, v =
// v_b - v_o DOT    Φ = e·f          Φ̇ = (ω_b - ω_a)·(f × e)
//        Φ̈ = (α_b - α_a)·(f × e) + (ω_a × (ω_a × e))·f + e·(ω_b × (ω_b × f)) + 2 (ω_a × e)·(ω_b × f)
// SCREW  Φ = e·D - h θ     as ALONG, and  -h e·(ω_b - ω_a),  -h [e·(α_b - α_a) + (ω_a × e)·(ω_b - ω_a)]
// distance  Φ = |D| - L(t), n = D/|D|:  Φ̇ = n·(v_b - v_a) - L̇
//        Φ̈ = n·(a_b - a_a) + (|Ḋ|² - (n·Ḋ)²)/|D| - L̈
// where a point's acceleration is that of its body's origin plus α × s + ω × (ω × s).
#include "mechanics/constraint.h"

#include <float.h>
#include <math.h>

#include "base/number.h"
#include "mechanics/block.h"
#include "mechanics/coordinate.h"
#include "mechanics/function.h"
#include "mechanics/marker.h"
#include "mechanics/rows.h"

// What is left of the difference of two numbers of this size, computed in a few operations.
static double rounding_of(double size) { return 8 * DBL_EPSILON * size; }

static double size_of(vec3 p) { return fabs(p.x) + fabs(p.y) + fabs(p.z); }

// A row that sees the relative velocity along e at the two points, and the relative angular velocity along w.
static void set_row(const mechanism *m, motion *x, row *r, const anchor *a, const anchor *b, vec3 e, vec3 w) {
  row_body *t = x->row_bodies + r->body0;
  anchor_wrench(m, a, vec3_neg(e), vec3_neg(w), t[0].J);
  anchor_wrench(m, b, e, w, t[1].J);
  r->phi_t = 0;
  if (r->speed_count) anchor_efforts(m, x, b, 1, e, w, anchor_efforts(m, x, a, -1, e, w, x->row_speeds + r->speed0));
}

// With w the angular velocity that the row sees, too.
static void along_row(const mechanism *m, motion *x, row *r, const marker_state *a, const marker_state *b, vec3 e,
                      vec3 w) {
  anchor opposite = marker_opposite(x, a, b);
  set_row(m, x, r, &opposite, &b->anchor, e, w);
  r->phi = vec3_dot(e, vec3_sub(b->p, a->p));
  r->rounding = rounding_of(size_of(a->p) + size_of(b->p));
  r->quad = vec3_dot(e, marker_relative_bias(a, &opposite, b, marker_relative_velocity(m, x, &opposite, b)));
}

static void dot_row(const mechanism *m, motion *x, row *r, const marker_state *a, const marker_state *b, vec3 e,
                    vec3 f) {
  vec3 normal = vec3_cross(f, e);
  set_row(m, x, r, &a->anchor, &b->anchor, VEC3_ZERO, normal);
  r->phi = vec3_dot(e, f);
  r->quad = vec3_dot(vec3_centripetal(a->w, e), f) + vec3_dot(e, vec3_centripetal(b->w, f)) +
            2 * vec3_dot(vec3_cross(a->w, e), vec3_cross(b->w, f));
  if (r->speed_count) r->quad += vec3_dot(vec3_sub(anchor_turn_bias(&b->anchor), anchor_turn_bias(&a->anchor)), normal);
}

static void screw_row(const mechanism *m, motion *x, const constraint *c, row *r, const marker_state *a,
                      const marker_state *b, vec3 e) {
  const joint *j = &m->joints[c->joint];
  double h = j->parameters.pitch;
  along_row(m, x, r, a, b, e, vec3_scale(-h, e));
  r->phi -= h * x->joint_q[j->q];
  r->rounding += rounding_of(fabs(h * x->joint_q[j->q]));
  r->quad -= h * vec3_dot(vec3_cross(a->w, e), vec3_sub(b->w, a->w));
  if (r->speed_count) r->quad -= h * vec3_dot(e, vec3_sub(anchor_turn_bias(&b->anchor), anchor_turn_bias(&a->anchor)));
}

static void evaluate_closure(const mechanism *m, motion *x, const constraint *c) {
  marker_state a = marker_read(m, x, c->first), b = marker_read(m, x, c->second);
  for (int k = 0; k < c->row_count; k++) {
    row *r = &x->rows[c->row0 + k];
    vec3 e = mat3_column(a.R, c->rows[k].i);
    switch (c->rows[k].kind) {
      case ROW_ALONG: along_row(m, x, r, &a, &b, e, VEC3_ZERO); break;
      case ROW_DOT: dot_row(m, x, r, &a, &b, e, mat3_column(b.R, c->rows[k].j)); break;
      case ROW_SCREW: screw_row(m, x, c, r, &a, &b, e); break;
    }
  }
}

static void evaluate_distance(const mechanism *m, motion *x, const constraint *c) {
  marker_state a = marker_read(m, x, c->first), b = marker_read(m, x, c->second);
  row *r = &x->rows[c->row0];
  vec3 D = vec3_sub(b.p, a.p), D_dot = vec3_sub(b.v, a.v);
  double length = vec3_norm(D);
  // Points that coincide (a rough initial guess) part along an axis of the first marker.
  vec3 n = length > 0 ? vec3_scale(1 / length, D) : mat3_column(a.R, 0);
  double along = vec3_dot(n, D_dot);
  double across = length > 0 ? (vec3_dot(D_dot, D_dot) - along * along) / length : 0;
  jet L = function_jet(&c->f, function_time(x));
  set_row(m, x, r, &a.anchor, &b.anchor, n, VEC3_ZERO);
  r->phi = length - L.v;
  r->rounding = rounding_of(size_of(a.p) + size_of(b.p));
  r->phi_t = -L.d;
  r->quad = vec3_dot(n, vec3_sub(marker_bias(&b), marker_bias(&a))) + across - L.dd;
}

static void evaluate_couple(const mechanism *m, motion *x, const constraint *c) {
  row *r = &x->rows[c->row0];
  row_body *bodies = x->row_bodies + r->body0;
  row_speed *speeds = x->row_speeds + r->speed0;
  jet f = function_jet(&c->f, function_time(x));
  r->phi = -f.v, r->phi_t = -f.d, r->quad = -f.dd;
  double size = fabs(f.v);
  for (int i = 0; i < c->term_count; i++) {
    coordinate of = c->terms[i].of;
    double factor = c->terms[i].factor;
    r->phi += factor * coordinate_value(m, x, of);
    size += fabs(factor * coordinate_value(m, x, of));
    if (coordinate_speed(m, of) >= 0) {
      (speeds++)->c = factor;
      continue;
    }
    coordinate_row cr = coordinate_get_row(m, x, of);
    for (int k = 0; k < m->n; k++) bodies[0].J[k] = factor * cr.Ja[k], bodies[1].J[k] = factor * cr.Jb[k];
    bodies += 2;
    speeds = anchor_efforts(m, x, &cr.a, -factor, cr.force, cr.torque, speeds);
    speeds = anchor_efforts(m, x, &cr.b, factor, cr.force, cr.torque, speeds);
    r->quad += factor * cr.quad;
  }
  r->rounding = rounding_of(size);
}

const constraint_type constraint_closure = {"closure", evaluate_closure};
const constraint_type constraint_distance = {"distance", evaluate_distance};
const constraint_type constraint_couple = {"couple", evaluate_couple};

// --- layout ----------------------------------------------------------------------------------------------------------

int constraint_body_terms(const mechanism *m, const constraint *c) {
  if (c->type != &constraint_couple) return 2;
  int count = 0;
  for (int i = 0; i < c->term_count; i++) count += coordinate_speed(m, c->terms[i].of) < 0 ? 2 : 0;
  return count;
}

// Terms on the modes that move the two markers of a row, into `to` (may be null). Returns how many.
static int bind_modes(const mechanism *m, int first, int second, row_speed *to) {
  int of_first, of_second, from = flexible_modes_at(m, first, &of_first);
  const int count = from + flexible_modes_at(m, second, &of_second);
  for (int k = 0; to && k < count; k++) to[k].speed = k < from ? of_first + k : of_second + k - from;
  return count;
}

int constraint_speed_terms(const mechanism *m, const constraint *c) {
  if (c->type != &constraint_couple) return bind_modes(m, c->first, c->second, NULL);
  int count = 0;
  for (int i = 0; i < c->term_count; i++) {
    const joint *j = &m->joints[c->terms[i].of.joint];
    count += coordinate_speed(m, c->terms[i].of) >= 0 ? 1 : bind_modes(m, j->first, j->second, NULL);
  }
  return count;
}

static int node_of_marker(const mechanism *m, int i) { return m->bodies[m->markers[i].body].node; }

void constraint_bind(const mechanism *m, motion *x, const constraint *c) {
  for (int k = 0; k < c->row_count; k++) {
    row *r = &x->rows[c->row0 + k];
    row_body *b = x->row_bodies + r->body0;
    row_speed *s = x->row_speeds + r->speed0;
    if (c->type != &constraint_couple) {
      b[0].node = node_of_marker(m, c->first), b[1].node = node_of_marker(m, c->second);
      bind_modes(m, c->first, c->second, s);
      continue;
    }
    for (int i = 0; i < c->term_count; i++) {
      int speed = coordinate_speed(m, c->terms[i].of);
      const joint *j = &m->joints[c->terms[i].of.joint];
      if (speed >= 0) {
        (s++)->speed = speed;
        continue;
      }
      b[0].node = node_of_marker(m, j->first), b[1].node = node_of_marker(m, j->second), b += 2;
      s += bind_modes(m, j->first, j->second, s);
    }
  }
}

// --- all rows --------------------------------------------------------------------------------------------------------

void constraints_evaluate(const mechanism *m, motion *x) {
  for (int i = 0; i < m->constraint_count; i++) m->constraints[i].type->evaluate(m, x, &m->constraints[i]);
}

double constraint_row_rate(const mechanism *m, const motion *x, const row *r) {
  double sum = r->phi_t;
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    sum += block_dot(m->n, t->J, x->links[t->node].V);
  }
  for (int k = 0; k < r->speed_count; k++) {
    const row_speed *t = &x->row_speeds[r->speed0 + k];
    sum += t->c * x->u[t->speed];
  }
  return sum;
}

double constraint_row_acceleration(const mechanism *m, const motion *x, const row *r) {
  double sum = r->quad;
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    sum += block_dot(m->n, t->J, x->links[t->node].A);
  }
  for (int k = 0; k < r->speed_count; k++) {
    const row_speed *t = &x->row_speeds[r->speed0 + k];
    sum += t->c * x->udot[t->speed];
  }
  return sum;
}

double constraint_row_rounding(const mechanism *m, const motion *x, const row *r) {
  double size = 0;
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    for (int i = 0; i < m->n; i++) size += fabs(t->J[i] * x->links[t->node].A[i]);
  }
  for (int k = 0; k < r->speed_count; k++) {
    const row_speed *t = &x->row_speeds[r->speed0 + k];
    size += fabs(t->c * x->udot[t->speed]);
  }
  return ROWS_ROUNDING * size + r->rounding;
}

void constraint_push(const mechanism *m, motion *x, const double *lambda, int row_count) {
  for (int i = 0; i < row_count; i++) {
    const row *r = &x->rows[i];
    for (int k = 0; k < r->body_count; k++) {
      const row_body *t = &x->row_bodies[r->body0 + k];
      if (t->node != GROUND) block_axpy(m->n, lambda[i], t->J, x->links[t->node].F);
    }
    for (int k = 0; k < r->speed_count; k++) {
      const row_speed *t = &x->row_speeds[r->speed0 + k];
      x->tau[t->speed] += lambda[i] * t->c;
    }
  }
}

double constraint_row_size(const mechanism *m, const constraint *c, int k) {
  double size = 0;
  if (c->type == &constraint_closure) return c->rows[k].kind == ROW_DOT ? 1 : m->length;
  if (c->type == &constraint_distance) return m->length;
  for (int i = 0; i < c->term_count; i++)
    size = fmax(size, fabs(c->terms[i].factor) * (coordinate_slides(m, c->terms[i].of) ? m->length : 1));
  return size;
}

const char *constraint_multiplier_unit(const mechanism *m, const constraint *c, int k) {
  if (c->type == &constraint_closure) return c->rows[k].kind == ROW_DOT ? "N*m" : "N";
  if (c->type == &constraint_distance) return "N";
  int sliding = 0;
  for (int i = 0; i < c->term_count; i++) sliding += coordinate_slides(m, c->terms[i].of);
  return sliding == 0 ? "N*m" : sliding == c->term_count ? "N" : "";
}

double constraints_violation(const mechanism *m, const motion *x) {
  double worst = 0;
  for (int i = 0; i < m->row_count; i++) worst = number_larger(worst, fabs(x->rows[i].phi));
  return worst;
}

double constraints_excess(const mechanism *m, const motion *x) {
  double worst = 0;
  for (int i = 0; i < m->row_count; i++) {
    double excess = fabs(x->rows[i].phi) - x->rows[i].rounding;
    if (!(excess <= worst)) worst = excess;  // NaN counts
  }
  return worst;
}

double constraints_velocity_violation(const mechanism *m, const motion *x) {
  double worst = 0;
  for (int i = 0; i < m->row_count; i++) worst = number_larger(worst, fabs(constraint_row_rate(m, x, &x->rows[i])));
  return worst;
}
