// For a joint in the tree a coordinate's rate is one of its speeds. For one that closes a loop the speeds are read off
// the relative velocity of its markers, V_rel = S u in the first marker's axes, by u = P V_rel with P = (SᵀS)⁻¹Sᵀ.
// On the constraint V_rel stays in the span of S, so that P S = 1 gives  q̈ = P (V̇_rel - Ṡ u).
#include "mechanics/coordinate.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "mechanics/marker.h"

// The joint's columns in three dimensions, planar joints included.
static void columns_of(const mechanism *m, const joint *j, const double *q, joint_motion *jm) {
  if (!m->planar) {
    j->type->motion(&j->parameters, q, jm);
    return;
  }
  joint_motion_planar p;
  j->type->motion_planar(&j->parameters, q, &p);
  for (int k = 0; k < j->type->planar.nv; k++) {
    jm->w[k] = (vec3){0, 0, p.w[k]};
    jm->v[k] = (vec3){p.v[k][0], p.v[k][1], 0};
  }
}

// P by rows: (angular, linear) of each speed.
static void pseudo_inverse(const joint_motion *jm, int nv, vec3 *Pw, vec3 *Pv) {
  if (nv == 1) {
    double s = 1 / (vec3_dot(jm->w[0], jm->w[0]) + vec3_dot(jm->v[0], jm->v[0]));
    Pw[0] = vec3_scale(s, jm->w[0]), Pv[0] = vec3_scale(s, jm->v[0]);
    return;
  }
  double G[JOINT_MAX_FREEDOM * JOINT_MAX_FREEDOM];
  for (int a = 0; a < nv; a++)
    for (int b = 0; b <= a; b++) G[a * nv + b] = vec3_dot(jm->w[a], jm->w[b]) + vec3_dot(jm->v[a], jm->v[b]);
  dense_cholesky(nv, G, nv, 0, NULL);  // columns of every joint type are independent
  for (int a = 0; a < nv; a++) {
    double e[JOINT_MAX_FREEDOM] = {0};
    e[a] = 1;
    dense_cholesky_solve(nv, G, nv, e);
    Pw[a] = Pv[a] = VEC3_ZERO;
    for (int b = 0; b < nv; b++) {
      Pw[a] = vec3_axpy(Pw[a], e[b], jm->w[b]);
      Pv[a] = vec3_axpy(Pv[a], e[b], jm->v[b]);
    }
  }
}

// --- a joint of one speed between rigid bodies in the plane, the commonest --------------------------------------------
// The same formulas without the numbers that vanish there.

static bool is_planar_single(const mechanism *m, const joint *j) {
  return m->planar && j->type->planar.nv == 1 && !m->markers[j->first].shape && !m->markers[j->second].shape;
}

typedef struct planar_pair {
  const tree_link *a, *b;        // the bodies of both markers
  double c, s;                   // direction of the first marker
  circle turn;                   // of the second, in the axes of the first
  double dx, dy;                 // place of the second, likewise
  double ox, oy, bx, by;         // from the origins of the two bodies to the second marker
  double w_rel, vx_rel, vy_rel;  // relative velocity there
} planar_pair;

static planar_pair pair_at(const mechanism *m, const motion *x, const joint *j) {
  const marker *first = &m->markers[j->first], *second = &m->markers[j->second];
  const tree_link *a = &x->links[m->bodies[first->body].node], *b = &x->links[m->bodies[second->body].node];
  const double *A = a->R.m, *B = b->R.m, *k = first->local.R.m, *l = second->local.R.m;
  planar_pair p = {.a = a, .b = b, .c = A[0] * k[0] - A[3] * k[3], .s = A[3] * k[0] + A[0] * k[3]};
  double c = B[0] * l[0] - B[3] * l[3], s = B[3] * l[0] + B[0] * l[3];
  p.turn = (circle){p.c * c + p.s * s, p.c * s - p.s * c};
  p.bx = B[0] * second->local.p.x - B[3] * second->local.p.y,
  p.by = B[3] * second->local.p.x + B[0] * second->local.p.y;
  p.ox = b->p.x + p.bx - a->p.x, p.oy = b->p.y + p.by - a->p.y;
  double Dx = p.ox - (A[0] * first->local.p.x - A[3] * first->local.p.y),
         Dy = p.oy - (A[3] * first->local.p.x + A[0] * first->local.p.y);
  p.dx = p.c * Dx + p.s * Dy, p.dy = p.c * Dy - p.s * Dx;
  p.w_rel = b->V[0] - a->V[0];
  p.vx_rel = b->V[1] - b->V[0] * p.by - (a->V[1] - a->V[0] * p.oy);
  p.vy_rel = b->V[2] + b->V[0] * p.bx - (a->V[2] + a->V[0] * p.ox);
  return p;
}

// P (w, v) for a relative velocity, or its rate, in the axes of the first marker.
static double planar_speed(const joint *j, const double *q, double w, double vx, double vy) {
  joint_motion_planar jm;
  j->type->motion_planar(&j->parameters, q, &jm);
  double Sw = jm.w[0], Sx = jm.v[0][0], Sy = jm.v[0][1];
  return (Sw * w + Sx * vx + Sy * vy) / (Sw * Sw + Sx * Sx + Sy * Sy);
}

static void measure_planar(const mechanism *m, motion *x, const joint *j) {
  planar_pair p = pair_at(m, x, j);
  double *q = x->joint_q + j->q;
  j->type->measure_planar(&j->parameters, p.turn, p.dx, p.dy, q);
  x->joint_u[j->v] = planar_speed(j, q, p.w_rel, p.c * p.vx_rel + p.s * p.vy_rel, p.c * p.vy_rel - p.s * p.vx_rel);
}

// The acceleration of the second marker relative to the point of the first body where it is, less Coriolis'.
static double planar_acceleration(const mechanism *m, const motion *x, const joint *j) {
  planar_pair p = pair_at(m, x, j);
  const double *Aa = p.a->A, *Ab = p.b->A;
  double wa = p.a->V[0], wb = p.b->V[0];
  double ax = Ab[1] - Ab[0] * p.by - wb * wb * p.bx - (Aa[1] - Aa[0] * p.oy - wa * wa * p.ox) + 2 * wa * p.vy_rel;
  double ay = Ab[2] + Ab[0] * p.bx - wb * wb * p.by - (Aa[2] + Aa[0] * p.ox - wa * wa * p.oy) - 2 * wa * p.vx_rel;
  return planar_speed(j, x->joint_q + j->q, Ab[0] - Aa[0], p.c * ax + p.s * ay, p.c * ay - p.s * ax);
}

// --- measuring -------------------------------------------------------------------------------------------------------

static void measure_joint(const mechanism *m, motion *x, const joint *j) {
  if (is_planar_single(m, j)) {
    measure_planar(m, x, j);
    return;
  }
  marker_state a = marker_read(m, x, j->first), b = marker_read(m, x, j->second);
  mat3 R = mat3_product(mat3_transpose(a.R), b.R);
  vec3 d = mat3_tmul(a.R, vec3_sub(b.p, a.p));
  double *q = x->joint_q + j->q, *u = x->joint_u + j->v;
  joint_measure(j->type, m->planar, &j->parameters, R, d, q);
  joint_motion jm;
  columns_of(m, j, q, &jm);
  vec3 Pw[JOINT_MAX_FREEDOM], Pv[JOINT_MAX_FREEDOM];
  int nv = joint_in(j->type, m->planar)->nv;
  pseudo_inverse(&jm, nv, Pw, Pv);
  vec3 w_rel = mat3_tmul(a.R, vec3_sub(b.w, a.w));
  anchor opposite = marker_opposite(x, &a, &b);
  vec3 v_rel = mat3_tmul(a.R, marker_relative_velocity(m, x, &opposite, &b));
  for (int k = 0; k < nv; k++) u[k] = vec3_dot(Pw[k], w_rel) + vec3_dot(Pv[k], v_rel);
}

// Joints in the tree count their own turns. Of the others, those that nobody reads within a step are measured where a
// state is accepted.
static bool counts_turns(const mechanism *m, const joint *j) {
  const char *kinds = m->planar ? j->type->kinds_planar : j->type->kinds_spatial;
  return j->node < 0 && (j->watched || (kinds && strchr(kinds, 'a')));
}

bool coordinate_counts_turns(const mechanism *m) {
  for (int i = 0; i < m->joint_count; i++)
    if (counts_turns(m, &m->joints[i])) return true;
  return false;
}

// The mean of the speeds at both ends leads to where the angle is but for terms of third order. The speed now is known
// once the joint is measured; where it leads elsewhere than the speed before, the joint is measured again from there.
static void measure_from_accepted(const mechanism *m, motion *x, const joint *j) {
  const joint_space *space = joint_in(j->type, m->planar);
  double elapsed = x->t - x->accepted_t, *q = x->joint_q + j->q;
  const double *q0 = x->accepted_q + j->q, *u0 = x->accepted_u + j->v, *u = x->joint_u + j->v;
  if (space->nq != space->nv || isnan(elapsed)) {
    measure_joint(m, x, j);
    return;
  }
  for (int k = 0; k < space->nv; k++) q[k] = q0[k] + elapsed * u0[k];
  measure_joint(m, x, j);
  bool elsewhere = false;
  for (int k = 0; k < space->nv; k++) elsewhere |= fabs(0.5 * elapsed * (u[k] - u0[k])) > 1;
  if (!elsewhere) return;
  for (int k = 0; k < space->nv; k++) q[k] = q0[k] + 0.5 * elapsed * (u0[k] + u[k]);
  measure_joint(m, x, j);
}

void coordinate_accept(const mechanism *m, motion *x) {
  for (int i = 0; i < m->joint_count; i++)
    if (!m->joints[i].watched && counts_turns(m, &m->joints[i])) measure_from_accepted(m, x, &m->joints[i]);
  x->accepted_t = x->t;
  memcpy(x->accepted_q, x->joint_q, (size_t)m->joint_nq * sizeof *x->accepted_q);
  memcpy(x->accepted_u, x->joint_u, (size_t)m->joint_nv * sizeof *x->accepted_u);
}

void coordinate_keep_turns(const mechanism *m, motion *x) {
  x->kept_t = x->accepted_t;
  memcpy(x->kept_q, x->accepted_q, (size_t)m->joint_nq * sizeof *x->kept_q);
  memcpy(x->kept_u, x->accepted_u, (size_t)m->joint_nv * sizeof *x->kept_u);
}

static void exchange(double *a, double *b, int count) {
  for (int i = 0; i < count; i++) {
    double x = a[i];
    a[i] = b[i], b[i] = x;
  }
}

void coordinate_exchange_turns(const mechanism *m, motion *x) {
  exchange(&x->accepted_t, &x->kept_t, 1);
  exchange(x->accepted_q, x->kept_q, m->joint_nq);
  exchange(x->accepted_u, x->kept_u, m->joint_nv);
}

// Asked at every step: speeds come first, since they are mostly low.
bool coordinate_is_far(const mechanism *m, const motion *x) {
  double elapsed = fabs(x->t - x->accepted_t);
  for (int i = 0; i < m->joint_count; i++) {
    const joint *j = &m->joints[i];
    if (j->node >= 0) continue;
    bool moves = false;
    for (int v = j->v; v < j->v + joint_in(j->type, m->planar)->nv; v++)
      moves |= !(elapsed * fmax(fabs(x->joint_u[v]), fabs(x->accepted_u[v])) <= 1);
    if (moves && counts_turns(m, j)) return true;
  }
  return false;
}

void coordinate_measure(const mechanism *m, motion *x) {
  for (int i = 0; i < m->joint_count; i++)
    if (m->joints[i].node < 0 && !m->joints[i].watched) measure_from_accepted(m, x, &m->joints[i]);
}

void coordinate_find_leading(mechanism *m) {
  for (; m->leading < m->joint_count && m->joints[m->leading].node >= 0; m->leading++) {
    const joint *j = &m->joints[m->leading];
    const node *n = &m->nodes[j->node];
    if (j->q != n->q || j->v != n->v) return;
    m->leading_nq += n->nq, m->leading_nv += n->nv;
  }
}

void coordinate_update(const mechanism *m, motion *x) {
  for (int k = 0; k < m->leading_nq; k++) x->joint_q[k] = x->q[k];
  for (int k = 0; k < m->leading_nv; k++) x->joint_u[k] = x->u[k];
  for (int i = m->leading; i < m->joint_count; i++) {
    const joint *j = &m->joints[i];
    if (j->node < 0) {
      if (j->watched) measure_from_accepted(m, x, j);
      continue;
    }
    const node *n = &m->nodes[j->node];
    for (int k = 0; k < n->nq; k++) x->joint_q[j->q + k] = x->q[n->q + k];
    for (int k = 0; k < n->nv; k++) x->joint_u[j->v + k] = x->u[n->v + k];
  }
}

// What modes add to a row's rate, or acceleration.
static double modal_rate(const mechanism *m, const motion *x, const coordinate_row *r) {
  return anchor_modal_rate(m, x, &r->b, r->force, r->torque) - anchor_modal_rate(m, x, &r->a, r->force, r->torque);
}

void coordinate_accelerations(const mechanism *m, motion *x) {
  for (int i = 0; i < m->joint_count; i++) {
    const joint *j = &m->joints[i];
    int nv = joint_in(j->type, m->planar)->nv;
    if (j->node < 0 && is_planar_single(m, j)) {
      x->joint_udot[j->v] = planar_acceleration(m, x, j);
      continue;
    }
    for (int k = 0; k < nv; k++) {
      double *out = &x->joint_udot[j->v + k];
      if (j->node >= 0) {
        *out = x->udot[m->nodes[j->node].v + k];
        continue;
      }
      coordinate_row r = coordinate_get_row(m, x, (coordinate){i, k});
      *out = r.quad;
      for (int b = 0; b < m->n; b++) *out += r.Ja[b] * x->links[r.a.node].A[b] + r.Jb[b] * x->links[r.b.node].A[b];
      *out += modal_rate(m, x, &r);
    }
  }
}

bool coordinate_slides(const mechanism *m, coordinate c) {
  const joint_type *type = m->joints[c.joint].type;
  return (m->planar ? type->kinds_planar : type->kinds_spatial)[c.index] == 't';
}

int coordinate_speed(const mechanism *m, coordinate c) {
  const joint *j = &m->joints[c.joint];
  return j->node < 0 ? -1 : m->nodes[j->node].v + c.index;
}

// With g_w, g_v the row P turned into world axes, o the point of the first body where b is, and v_rel = v_b - v_o:
//   V̇_rel = Rᵀ (α_b - α_a - ω_a × ω_rel),  Rᵀ (a_b - a_o - 2 ω_a × v_rel)
coordinate_row coordinate_get_row(const mechanism *m, const motion *x, coordinate c) {
  const joint *j = &m->joints[c.joint];
  marker_state a = marker_read(m, x, j->first), b = marker_read(m, x, j->second);
  const double *q = x->joint_q + j->q, *u = x->joint_u + j->v;
  joint_motion jm;
  columns_of(m, j, q, &jm);
  vec3 Pw[JOINT_MAX_FREEDOM], Pv[JOINT_MAX_FREEDOM];
  pseudo_inverse(&jm, joint_in(j->type, m->planar)->nv, Pw, Pv);
  vec3 gw = mat3_mul(a.R, Pw[c.index]), gv = mat3_mul(a.R, Pv[c.index]);

  coordinate_row r = {.a = marker_opposite(x, &a, &b), .b = b.anchor, .force = gv, .torque = gw};
  anchor_wrench(m, &r.b, gv, gw, r.Jb);
  anchor_wrench(m, &r.a, vec3_neg(gv), vec3_neg(gw), r.Ja);
  vec3 v_rel = marker_relative_velocity(m, x, &r.a, &b), w_rel = vec3_sub(b.w, a.w);
  r.quad = vec3_dot(gv, marker_relative_bias(&a, &r.a, &b, v_rel)) - vec3_dot(gw, vec3_cross(a.w, w_rel));
  if (r.a.frame || r.b.frame)
    r.quad += vec3_dot(gw, vec3_sub(anchor_turn_bias(&b.anchor), anchor_turn_bias(&a.anchor)));
  if (j->type->bias && !m->planar) {
    vec3 beta, eta;
    j->type->bias(&j->parameters, q, u, &beta, &eta);
    r.quad -= vec3_dot(Pw[c.index], beta) + vec3_dot(Pv[c.index], eta);
  }
  return r;
}

double coordinate_spread_rate(const mechanism *m, const motion *x, coordinate c, const double *u) {
  int speed = coordinate_speed(m, c);
  if (speed >= 0) return u[speed];
  coordinate_row r = coordinate_get_row(m, x, c);
  double rate = 0;
  for (int k = 0; k < m->n; k++) rate += r.Ja[k] * x->links[r.a.node].A[k] + r.Jb[k] * x->links[r.b.node].A[k];
  return rate + modal_rate(m, x, &r);
}

static bool has_effort(const motion *x, const node *n) {
  if (n->free_count < n->nv) return true;  // driven
  for (int k = 0; k < n->nv; k++)
    if (x->tau[n->v + k] != 0) return true;
  return false;
}

// An effort e_k along speed k is the wrench P_kᵀ e_k, so that Sᵀ Pᵀ e = e; a wrench f has the efforts e = Sᵀ f.
void coordinate_take_efforts(const mechanism *m, const motion *x, int joint_index, vec3 *push, vec3 *torque) {
  const joint *j = &m->joints[joint_index];
  if (j->node >= 0 && !has_effort(x, &m->nodes[j->node])) return;
  mat3 R = marker_read(m, x, j->first).R;
  int nv = joint_in(j->type, m->planar)->nv;
  joint_motion jm;
  columns_of(m, j, x->joint_q + j->q, &jm);
  vec3 Pw[JOINT_MAX_FREEDOM], Pv[JOINT_MAX_FREEDOM];
  pseudo_inverse(&jm, nv, Pw, Pv);
  vec3 f = mat3_tmul(R, *push), n = mat3_tmul(R, *torque), f_left = f, n_left = n;
  for (int k = 0; k < nv; k++) {
    double effort = vec3_dot(jm.w[k], n) + vec3_dot(jm.v[k], f);
    f_left = vec3_axpy(f_left, -effort, Pv[k]);
    n_left = vec3_axpy(n_left, -effort, Pw[k]);
  }
  *push = mat3_mul(R, f_left);
  *torque = mat3_mul(R, n_left);
}

void coordinate_push(const mechanism *m, motion *x, coordinate c, double effort) {
  int speed = coordinate_speed(m, c);
  if (speed >= 0) {
    x->tau[speed] += effort;
    return;
  }
  coordinate_row r = coordinate_get_row(m, x, c);
  vec3 force = vec3_scale(effort, r.force), torque = vec3_scale(effort, r.torque);
  anchor_push(m, x, &r.b, force, torque);
  anchor_push(m, x, &r.a, vec3_neg(force), vec3_neg(torque));
}
