// Relative motion composed with the parent's. Let A be the joint's first marker and B its second, r the vector from
// the parent's origin to the child's, ω_rel and l = ḋ the joint's relative velocity turned into world axes, β and η
// their biases. A column of the joint is (W, L) in world axes.
//
// First marker on the parent (s from B to the child's origin):
//   S     = (W, L + W × s)
//   c_ang = ω_p × ω_rel + β
//   c_lin = ω_p × (ω_p × r) + 2 ω_p × (l + ω_rel × s) + η + β × s + ω_rel × (ω_rel × s)
// Reversed, second marker on the parent (ρ from the parent's origin to B, e from the child's origin to B, ω the
// child's angular velocity):
//   S     = (-W, W × e - L)
//   c_ang = -(β + ω × ω_rel)
//   c_lin = ω_p × (ω_p × ρ) + (β + ω × ω_rel) × e - ω × (ω × e) - 2 ω × l - η
// Both follow from differentiating the positions twice.
#include "mechanics/kinematics.h"

#include <float.h>
#include <string.h>

#include "mechanics/anchor.h"
#include "mechanics/block.h"
#include "mechanics/flexible.h"
#include "mechanics/planar.h"
#include "mechanics/tree.h"

static void store6(double *a, vec3 angular, vec3 linear) {
  vec3_store(a, angular);
  vec3_store(a + 3, linear);
}

static mat3 turn(mat3 R, mat3 local, bool turned) { return turned ? mat3_product(R, local) : R; }

static mat3 turn_back(mat3 R, mat3 local, bool turned) { return turned ? mat3_product(R, mat3_transpose(local)) : R; }

// The joint's columns and relative velocity turned into world axes.
typedef struct relative {
  vec3 W[JOINT_MAX_FREEDOM], L[JOINT_MAX_FREEDOM];
  vec3 w, l, beta, eta;  // ω_rel, ḋ, β, η
} relative;

static void relative_motion(const node *n, mat3 RA, const joint_motion *jm, const double *q, const double *u,
                            relative *rel) {
  rel->w = rel->l = rel->beta = rel->eta = VEC3_ZERO;
  for (int k = 0; k < n->nv; k++) {
    rel->W[k] = mat3_mul(RA, jm->w[k]);
    rel->w = vec3_axpy(rel->w, u[k], rel->W[k]);
  }
  if (n->type->turns_only) {
    for (int k = 0; k < n->nv; k++) rel->L[k] = VEC3_ZERO;
  } else {
    for (int k = 0; k < n->nv; k++) {
      rel->L[k] = mat3_mul(RA, jm->v[k]);
      rel->l = vec3_axpy(rel->l, u[k], rel->L[k]);
    }
  }
  if (n->type->bias) {
    vec3 beta, eta;
    n->type->bias(&n->parameters, q, u, &beta, &eta);
    rel->beta = mat3_mul(RA, beta);
    rel->eta = mat3_mul(RA, eta);
  }
}

// `inner` is the place of the inner marker, from the origin of the parent and in its axes.
static void forward_node(const node *n, const tree_link *parent, vec3 inner, tree_link *l, const double *q,
                         const double *u, double *S) {
  joint_motion jm;
  n->type->motion(&n->parameters, q, &jm);
  mat3 RA = turn(parent->R, n->inner.R, n->inner_turned);
  vec3 pB = vec3_add(vec3_add(parent->p, mat3_mul(parent->R, inner)), mat3_mul(RA, jm.d));
  l->R = turn_back(mat3_product(RA, jm.R), n->outer.R, n->outer_turned);
  vec3 s = vec3_neg(mat3_mul(l->R, n->outer.p));
  l->p = vec3_add(pB, s);
  vec3 r = vec3_sub(l->p, parent->p);
  vec3_store(l->r, r);

  relative rel;
  relative_motion(n, RA, &jm, q, u, &rel);
  for (int k = 0; k < n->nv; k++) store6(S + 6 * k, rel.W[k], vec3_add(rel.L[k], vec3_cross(rel.W[k], s)));
  vec3 wp = vec3_of(parent->V), vp = vec3_of(parent->V + 3);
  vec3 v_rel = vec3_add(rel.l, vec3_cross(rel.w, s));
  store6(l->V, vec3_add(wp, rel.w), vec3_add(vec3_add(vp, vec3_cross(wp, r)), v_rel));
  vec3 c_lin = vec3_cross(wp, vec3_axpy(vec3_cross(wp, r), 2, v_rel));
  c_lin = vec3_add(c_lin, vec3_add(rel.eta, vec3_cross(rel.beta, s)));
  c_lin = vec3_add(c_lin, vec3_centripetal(rel.w, s));
  store6(l->c, vec3_add(vec3_cross(wp, rel.w), rel.beta), c_lin);
}

// R = c 1 + (1 - c) a aᵀ + s a×
static mat3 about(vec3 a, circle turn) {
  double c = turn.c, s = turn.s, t = 1 - c, x = t * a.x, y = t * a.y, z = t * a.z;
  return (mat3){{c + x * a.x, x * a.y - s * a.z, x * a.z + s * a.y, x * a.y + s * a.z, c + y * a.y, y * a.z - s * a.x,
                 x * a.z - s * a.y, y * a.z + s * a.x, c + z * a.z}};
}

// A revolute joint, the commonest, whose markers have the same axes in their bodies: the body turns about one axis of
// its parent. The formulas above with β = l = η = 0. Returns how the body is turned and its angular velocity.
typedef struct turning {
  mat3 R;
  vec3 w;
} turning;

// About one of the parent's own axes the two others turn into each other.
BLOCK mat3 turned_about(const int axis, mat3 P, circle turn) {
  const int a = (axis + 1) % 3, b = (axis + 2) % 3;
  mat3 R;
  for (int i = 0; i < 9; i += 3) {
    R.m[i + axis] = P.m[i + axis];
    R.m[i + a] = turn.c * P.m[i + a] + turn.s * P.m[i + b];
    R.m[i + b] = turn.c * P.m[i + b] - turn.s * P.m[i + a];
  }
  return R;
}

// `axis`: which of the parent's axes it is, or -1 for another.
BLOCK turning hinge_about(const int axis, const node *n, const tree_link *parent, vec3 inner, tree_link *l, double q,
                          double u, double *S) {
  const mat3 P = parent->R;
  const vec3 own = mat3_column(n->inner.R, 2);
  vec3 W = axis < 0 ? mat3_mul(P, own) : mat3_column(P, axis), r = mat3_mul(P, inner);
  vec3 wp = vec3_of(parent->V), vp = vec3_of(parent->V + 3), w_rel = vec3_scale(u, W);
  turning t = {.R = axis < 0 ? mat3_product(P, about(own, circle_at(q))) : turned_about(axis, P, circle_at(q)),
               .w = vec3_add(wp, w_rel)};
  l->R = t.R;
  vec3 S_way = VEC3_ZERO, v_rel = VEC3_ZERO, centripetal = VEC3_ZERO;
  if (n->outer_moved) {
    vec3 s = vec3_neg(mat3_mul(t.R, n->outer.p));
    r = vec3_add(r, s);
    S_way = vec3_cross(W, s), v_rel = vec3_scale(u, S_way), centripetal = vec3_cross(w_rel, v_rel);
  }
  l->p = vec3_add(parent->p, r);
  vec3_store(l->r, r);
  store6(S, W, S_way);
  vec3 dragged = vec3_cross(wp, r);
  store6(l->V, t.w, vec3_add(vec3_add(vp, dragged), v_rel));
  store6(l->c, vec3_cross(wp, w_rel), vec3_add(vec3_cross(wp, vec3_axpy(dragged, 2, v_rel)), centripetal));
  return t;
}

BLOCK turning hinge_node(const node *n, const tree_link *parent, vec3 inner, tree_link *l, double q, double u,
                         double *S) {
  switch (n->axis) {
    case 0: return hinge_about(0, n, parent, inner, l, q, u, S);
    case 1: return hinge_about(1, n, parent, inner, l, q, u, S);
    case 2: return hinge_about(2, n, parent, inner, l, q, u, S);
    default: return hinge_about(-1, n, parent, inner, l, q, u, S);
  }
}

static void reversed_node(const node *n, const tree_link *parent, vec3 inner, tree_link *l, const double *q,
                          const double *u, double *S) {
  joint_motion jm;
  n->type->motion(&n->parameters, q, &jm);
  mat3 RB = turn(parent->R, n->inner.R, n->inner_turned);
  mat3 RA = mat3_product(RB, mat3_transpose(jm.R));
  vec3 rho = mat3_mul(parent->R, inner);
  l->R = turn_back(RA, n->outer.R, n->outer_turned);
  vec3 e = vec3_add(mat3_mul(RA, jm.d), mat3_mul(l->R, n->outer.p));
  vec3 r = vec3_sub(rho, e);
  l->p = vec3_add(parent->p, r);
  vec3_store(l->r, r);

  relative rel;
  relative_motion(n, RA, &jm, q, u, &rel);
  for (int k = 0; k < n->nv; k++) store6(S + 6 * k, vec3_neg(rel.W[k]), vec3_sub(vec3_cross(rel.W[k], e), rel.L[k]));
  vec3 wp = vec3_of(parent->V), vp = vec3_of(parent->V + 3);
  vec3 w = vec3_sub(wp, rel.w);
  store6(l->V, w, vec3_add(vec3_add(vp, vec3_cross(wp, r)), vec3_sub(vec3_cross(rel.w, e), rel.l)));
  vec3 turning = vec3_add(rel.beta, vec3_cross(w, rel.w));
  vec3 c_lin = vec3_add(vec3_centripetal(wp, rho), vec3_cross(turning, e));
  c_lin = vec3_sub(c_lin, vec3_cross(w, vec3_axpy(vec3_cross(w, e), 2, rel.l)));
  store6(l->c, vec3_neg(turning), vec3_sub(c_lin, rel.eta));
}

// J_body a; without products if it has none.
BLOCK vec3 inertia_times(const bool principal, const double *J, vec3 a) {
  if (principal) return (vec3){J[0] * a.x, J[1] * a.y, J[2] * a.z};
  return (vec3){J[0] * a.x + J[3] * a.y + J[4] * a.z, J[3] * a.x + J[1] * a.y + J[5] * a.z,
                J[4] * a.x + J[5] * a.y + J[2] * a.z};
}

// The inertia about the body's origin in world axes, J = R J_body Rᵀ, and with the mass centre at k from the origin
//   I = [J, m k×; -m k×, m 1],   bias = (ω × J ω, m ω × (ω × k)).
BLOCK void inertia_of(const bool principal, const node *n, turning t, tree_link *l) {
  vec3 row0 = vec3_of(t.R.m), row1 = vec3_of(t.R.m + 3), row2 = vec3_of(t.R.m + 6);
  vec3 half0 = inertia_times(principal, n->inertia, row0), half1 = inertia_times(principal, n->inertia, row1),
       half2 = inertia_times(principal, n->inertia, row2);
  double J[6];
  J[0] = vec3_dot(half0, row0), J[1] = vec3_dot(half1, row1), J[2] = vec3_dot(half2, row2);
  J[3] = vec3_dot(half0, row1), J[4] = vec3_dot(half0, row2), J[5] = vec3_dot(half1, row2);
  vec3 mk = mat3_mul(t.R, n->moment), w = t.w;
  vec3_store(l->mk, mk);
  for (int k = 0; k < 6; k++) l->J[k] = J[k];
  vec3 Jw = {J[0] * w.x + J[3] * w.y + J[4] * w.z, J[3] * w.x + J[1] * w.y + J[5] * w.z,
             J[4] * w.x + J[5] * w.y + J[2] * w.z};
  store6(l->bias, vec3_cross(w, Jw), vec3_centripetal(w, mk));
}

static void inertia_spatial(const node *n, tree_link *l) {
  turning t = {l->R, vec3_of(l->V)};
  if (n->principal) inertia_of(true, n, t, l);
  else inertia_of(false, n, t, l);
}

static void spatial_nodes(void *context, int from, int to) {
  const mechanism *m = ((tree_job *)context)->m;
  motion *x = ((tree_job *)context)->x;
  for (int i = from + 1; i <= to; i++) {
    const node *n = &m->nodes[i];
    tree_link *l = &x->links[i], *parent = &x->links[n->parent];
    if (n->hinge) {
      turning t = hinge_node(n, parent, n->inner.p, l, x->q[n->q], x->u[n->v], x->S + 6 * n->v);
      if (n->principal) inertia_of(true, n, t, l);
      else inertia_of(false, n, t, l);
      continue;
    }
    if (n->reversed) reversed_node(n, parent, n->inner.p, l, x->q + n->q, x->u + n->v, x->S + 6 * n->v);
    else forward_node(n, parent, n->inner.p, l, x->q + n->q, x->u + n->v, x->S + 6 * n->v);
    inertia_spatial(n, l);
  }
}

// Where some bodies are flexible. A node that hangs on one of them is carried by the frame of a marker there, whose
// axes are those of the body as it is turned there.
static void flexible_nodes(const mechanism *m, motion *x,
                           void (*move)(const node *, const tree_link *, vec3, tree_link *, const double *,
                                        const double *, double *),
                           void (*weigh)(const node *, tree_link *)) {
  tree_link frame = {0};
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    tree_link *l = &x->links[i];
    const double *q = x->q + n->q, *u = x->u + n->v;
    if (x->carried[i]) {
      const flexible_marker *f = flexible_carrier(m, x, n);
      frame.R = f->turned, frame.p = f->p;
      block_store(m, frame.V, f->w, f->v);
      move(n, &frame, VEC3_ZERO, l, q, u, x->S + 6 * n->v);
      flexible_carry(m, x, i);
    } else {
      move(n, &x->links[n->parent], n->inner.p, l, q, u, x->S + 6 * n->v);
    }
    if (n->flex) flexible_evaluate(m, x, i);
    else weigh(n, l);
  }
}

static void move_spatial(const node *n, const tree_link *parent, vec3 inner, tree_link *l, const double *q,
                         const double *u, double *S) {
  if (n->hinge) (void)hinge_node(n, parent, inner, l, *q, *u, S);
  else if (n->reversed) reversed_node(n, parent, inner, l, q, u, S);
  else forward_node(n, parent, inner, l, q, u, S);
}

void kinematics_spatial(const mechanism *m, motion *x) {
  if (x->flexible) {
    flexible_nodes(m, x, move_spatial, inertia_spatial);
    return;
  }
  crew_run(tree_crew(m, x), m->node_count - 1, TREE_SHARE, spatial_nodes, &(tree_job){m, x, NULL, NULL});
}

// --- the plane: the same formulas with one angle ---------------------------------------------------------------------
// What never changes there stands from the motion's creation: the third row and column of R, the third place of p, and
// zero for the angular parts of c and of the bias.

BLOCK void revolute_planar(const bool plain, const node *n, const tree_link *parent, tree_link *l, double q, double u,
                           double *S) {
  hinge h = hinge_at(plain, n, circle_at(q), u, parent->R.m[0], parent->R.m[3], parent->V[0]);
  l->R.m[0] = h.c, l->R.m[1] = -h.s, l->R.m[3] = h.s, l->R.m[4] = h.c;
  l->p.x = parent->p.x + h.rx, l->p.y = parent->p.y + h.ry;
  l->r[0] = h.rx, l->r[1] = h.ry;
  l->V[0] = h.w, l->V[1] = parent->V[1] + h.vx, l->V[2] = parent->V[2] + h.vy;
  l->c[1] = h.cx, l->c[2] = h.cy;
  S[0] = h.sign, S[1] = h.Sx, S[2] = h.Sy;
}

static void any_planar(const node *n, const tree_link *parent, vec3 inner, tree_link *l, const double *q,
                       const double *u, double *S) {
  joint_motion_planar jm;
  n->type->motion_planar(&n->parameters, q, &jm);
  const double *P = parent->R.m;
  double ci = P[0], si = P[3];  // the inner marker's direction
  if (n->inner_turned) {
    ci = P[0] * n->inner.R.m[0] - P[3] * n->inner.R.m[3];
    si = P[3] * n->inner.R.m[0] + P[0] * n->inner.R.m[3];
  }
  double sign = n->reversed ? -1 : 1;
  double co = ci * jm.turn.c - sign * si * jm.turn.s,
         so = si * jm.turn.c + sign * ci * jm.turn.s;             // the outer marker's
  double cA = n->reversed ? co : ci, sA = n->reversed ? so : si;  // the first marker's
  double c = co, s = so;
  if (n->outer_turned) {
    c = co * n->outer.R.m[0] + so * n->outer.R.m[3];
    s = so * n->outer.R.m[0] - co * n->outer.R.m[3];
  }
  l->R.m[0] = c, l->R.m[1] = -s, l->R.m[3] = s, l->R.m[4] = c;
  double inner_x = P[0] * inner.x - P[3] * inner.y, inner_y = P[3] * inner.x + P[0] * inner.y;
  double outer_x = c * n->outer.p.x - s * n->outer.p.y, outer_y = s * n->outer.p.x + c * n->outer.p.y;
  double dx = cA * jm.d[0] - sA * jm.d[1], dy = sA * jm.d[0] + cA * jm.d[1];
  double rx = inner_x + sign * dx - outer_x, ry = inner_y + sign * dy - outer_y;
  l->p.x = parent->p.x + rx, l->p.y = parent->p.y + ry;
  l->r[0] = rx, l->r[1] = ry;

  // The arm a: forward from B to the child's origin, reversed minus e (from the child's origin to B, turned round).
  double ax = n->reversed ? -outer_x - dx : -outer_x, ay = n->reversed ? -outer_y - dy : -outer_y;
  double w_rel = 0, lx = 0, ly = 0;
  for (int k = 0; k < n->nv; k++) {
    double Lx = cA * jm.v[k][0] - sA * jm.v[k][1], Ly = sA * jm.v[k][0] + cA * jm.v[k][1], W = jm.w[k];
    double *Sk = S + 6 * k;
    Sk[0] = sign * W, Sk[1] = sign * (Lx - W * ay), Sk[2] = sign * (Ly + W * ax);
    w_rel += u[k] * W, lx += u[k] * Lx, ly += u[k] * Ly;
  }
  double wp = parent->V[0], w = wp + sign * w_rel;
  l->V[0] = w;
  l->V[1] = parent->V[1] - wp * ry + sign * (lx - w_rel * ay);
  l->V[2] = parent->V[2] + wp * rx + sign * (ly + w_rel * ax);
  if (n->reversed) {  // e = -a;  ω_p² terms of ρ = r + e, ω² terms of e
    double ex = -ax, ey = -ay;
    l->c[1] = -wp * wp * (rx + ex) + w * w * ex + 2 * w * ly;
    l->c[2] = -wp * wp * (ry + ey) + w * w * ey - 2 * w * lx;
  } else {
    l->c[1] = -wp * wp * rx - 2 * wp * (ly + w_rel * ax) - w_rel * w_rel * ax;
    l->c[2] = -wp * wp * ry + 2 * wp * (lx - w_rel * ay) - w_rel * w_rel * ay;
  }
}

// A centred body: its place and velocities are its coordinates and speeds.
static void centred_planar(const node *n, tree_link *l, const double *q, const double *u, double *S) {
  circle turn = circle_at(q[0]);
  double rx = n->inner.p.x + q[1], ry = n->inner.p.y + q[2];
  l->R.m[0] = turn.c, l->R.m[1] = -turn.s, l->R.m[3] = turn.s, l->R.m[4] = turn.c;
  l->p.x = l->r[0] = rx, l->p.y = l->r[1] = ry;
  l->V[0] = u[0], l->V[1] = u[1], l->V[2] = u[2];
  S[0] = S[7] = S[14] = 1;
}

static void inertia_planar(const node *n, tree_link *l) {
  double mx, my, w2 = l->V[0] * l->V[0];
  planar_moment(n, l->R.m[0], l->R.m[3], &mx, &my);
  l->J[0] = n->inertia[2];
  l->mk[0] = mx, l->mk[1] = my;
  l->bias[1] = -w2 * mx, l->bias[2] = -w2 * my;
}

bool kinematics_is_hinge(const node *n) {
  return n->type == &joint_revolute && !n->reversed && memcmp(&n->inner.R, &n->outer.R, sizeof n->inner.R) == 0;
}

int kinematics_axis(const node *n) {
  for (int k = 0; k < 3; k++) {
    vec3 axis = mat3_column(n->inner.R, 2), own = mat3_column(MAT3_IDENTITY, k);
    if (vec3_norm(vec3_sub(axis, own)) <= 4 * DBL_EPSILON) return k;
  }
  return -1;
}

bool kinematics_is_plain_hinge(const node *n) { return n->type == &joint_revolute && n->plain; }

void kinematics_planar(const mechanism *m, motion *x) {
  if (x->flexible) {
    flexible_nodes(m, x, any_planar, inertia_planar);
    return;
  }
  const node *n = m->nodes + 1, *end = m->nodes + m->node_count;
  for (tree_link *l = x->links + 1; n < end; n++, l++) {
    const tree_link *parent = &x->links[n->parent];
    const double *q = x->q + n->q, *u = x->u + n->v;
    double *S = x->S + 6 * n->v;
    if (n->centred) centred_planar(n, l, q, u, S);
    else if (n->type != &joint_revolute) any_planar(n, parent, n->inner.p, l, q, u, S);
    else if (n->plain) revolute_planar(true, n, parent, l, *q, *u, S);
    else revolute_planar(false, n, parent, l, *q, *u, S);
    inertia_planar(n, l);
  }
}
