// What cone_contact.h does for one contact in space, for as many as there are lanes. Newton's steps go on until the
// last of them has come to an end.
#ifndef SOLVE_CONE_LANES_H
#define SOLVE_CONE_LANES_H

#define LANES_BYTES 32  // comparisons and shuffles need vectors that the processor has
#include "math/lanes.h"

typedef struct cone_lanes {
  lanes D[6];     // W of each contact alone, which is symmetric: NN, N1, N2, 11, 12, 22
  lanes inverse;  // 1 / D_NN; 0: nothing moves it
  lanes S[3];     // 11, 12, 22
  lanes mu;
  lanes alpha;  // of the last sweep
} cone_lanes;

// D is set.
static inline void cone_lanes_prepare(cone_lanes *c) {
  const lanes zero = {0}, of_D = 1 / c->D[0], *D = c->D;
  const lanes_mask moves = D[0] > zero;
  c->inverse = c->alpha = zero;
  lanes_set(&c->inverse, &moves, &of_D);
  c->S[0] = D[3] - D[1] * D[1] * c->inverse, c->S[1] = D[4] - D[1] * D[2] * c->inverse,
  c->S[2] = D[5] - D[2] * D[2] * c->inverse;
}

// D r
static inline void cone_lanes_apply(const cone_lanes *c, const lanes r[3], lanes to[3]) {
  const lanes *D = c->D;
  to[0] = D[0] * r[0] + D[1] * r[1] + D[2] * r[2];
  to[1] = D[1] * r[0] + D[3] * r[1] + D[4] * r[2];
  to[2] = D[2] * r[0] + D[4] * r[1] + D[5] * r[2];
}

// r_T and r_N at α, and their derivatives by α.
typedef struct cone_lanes_point {
  lanes r[3], d[3];
  lanes square;  // |r_T|²
} cone_lanes_point;

static inline __attribute__((always_inline)) void cone_lanes_at(const cone_lanes *c, const lanes *pressed,
                                                                const lanes b[2], const lanes *alpha,
                                                                cone_lanes_point *x) {
  const lanes s1 = c->S[0] + *alpha, s2 = c->S[2] + *alpha, of_det = 1 / (s1 * s2 - c->S[1] * c->S[1]);
  lanes *r = x->r, *d = x->d;
  r[1] = -(s2 * b[0] - c->S[1] * b[1]) * of_det, r[2] = -(s1 * b[1] - c->S[1] * b[0]) * of_det;
  r[0] = *pressed - (c->D[1] * r[1] + c->D[2] * r[2]) * c->inverse;
  d[1] = -(s2 * r[1] - c->S[1] * r[2]) * of_det, d[2] = -(s1 * r[2] - c->S[1] * r[1]) * of_det;
  d[0] = -(c->D[1] * d[1] + c->D[2] * d[2]) * c->inverse;
  x->square = r[1] * r[1] + r[2] * r[2];
}

// Where a step leaves what is known of the root (lo … hi), the interval is halved or widened.
static inline void cone_lanes_keep_between(const cone_lanes *c, const lanes *alpha, const lanes *lo, const lanes *hi,
                                           lanes *next) {
  const lanes zero = {0};
  lanes inner = *lo;
  lanes_mask low = *lo < zero, below = ~(*next > zero) & low, outside = ~((*next > *lo) & (*next < *hi)),
             bounded = *hi < zero + INFINITY;
  lanes_set(&inner, &low, &zero);
  lanes other = 2 * *alpha + c->S[0] + c->S[2], half = (lanes_number)0.5 * (inner + *hi);
  lanes_set(&other, &bounded, &half);
  lanes_set(&other, &below, &zero);
  outside |= below;
  lanes_set(next, &outside, &other);
}

// r := the solutions of u = D r + q. A contact that slips ends with a step of Newton's method on μ r_N/|r_T| = 1 that
// is shorter than NEAR, taken with the derivatives of r: what it leaves is of the order of the step squared, far less
// than what this sweep changes, and nothing where sweeps end.
static inline __attribute__((always_inline)) void cone_lanes_solve(cone_lanes *c, const lanes q[3], lanes r[3]) {
  enum { STEPS = 60 };
  const lanes_number NEAR = (lanes_number)1e-2;
  const lanes zero = {0};
  lanes_mask busy = ~(q[0] >= zero) & (c->inverse > zero);
  const lanes pressed = -q[0] * c->inverse, b[2] = {q[1] + c->D[1] * pressed, q[2] + c->D[2] * pressed};
  lanes alpha = c->alpha, lo = zero - 1, hi = zero + INFINITY;
  r[0] = r[1] = r[2] = zero;
  lanes_set(&r[0], &busy, &pressed);
  busy &= c->mu > zero;
  for (int k = 0; k < STEPS && lanes_any(&busy); k++) {
    cone_lanes_point x;
    cone_lanes_at(c, &pressed, b, &alpha, &x);
    const lanes most = c->mu * x.r[0];
    const lanes_mask slips = busy & ((alpha != zero) | (most < zero) | (x.square > most * most));
    for (int i = 0; i < 3; i++) lanes_set(&r[i], &busy, &x.r[i]);
    busy = slips;
    if (!lanes_any(&busy)) break;
    // Newton's step, its numerator and denominator multiplied by |r_T|³
    lanes norm = x.square;
    lanes_root(&norm);
    const lanes excess = most - norm, along = x.r[1] * x.d[1] + x.r[2] * x.d[2];
    lanes next = alpha - excess * x.square / (c->mu * (x.d[0] * x.square - x.r[0] * along));
    const lanes way = next - alpha, off = (lanes)((lanes_mask)excess & LANES_MAGNITUDE);
    const lanes_mask near = busy & (off < NEAR * norm) & (next > zero) & (next < zero + INFINITY);
    for (int i = 0; i < 3; i++) {
      const lanes end = x.r[i] + x.d[i] * way;
      lanes_set(&r[i], &near, &end);
    }
    lanes_set(&alpha, &near, &next);
    busy &= ~near;
    if (!lanes_any(&busy)) break;
    const lanes_mask short_of = busy & (excess < zero), beyond = busy & ~short_of;
    lanes_set(&lo, &short_of, &alpha);
    lanes_set(&hi, &beyond, &alpha);
    cone_lanes_keep_between(c, &alpha, &lo, &hi, &next);
    busy &= next != alpha;
    lanes_set(&alpha, &busy, &next);
  }
  c->alpha = alpha;
}

// F of natural_friction (cone.h) for ρ = 1/d.
static inline void cone_lanes_natural(const lanes *mu, const lanes r[3], const lanes u[3], const lanes *rho,
                                      lanes F[3]) {
  const lanes zero = {0};
  lanes slip = u[1] * u[1] + u[2] * u[2], x[3];
  lanes_root(&slip);
  F[0] = *rho * (u[0] + *mu * slip), F[1] = *rho * u[1], F[2] = *rho * u[2];
  for (int i = 0; i < 3; i++) x[i] = r[i] - F[i];
  lanes t = x[1] * x[1] + x[2] * x[2];
  lanes_root(&t);
  const lanes over = t - *mu * x[0], beyond = over / (1 + *mu * *mu), scale = beyond / t;
  const lanes_mask outside = t > *mu * x[0], apex = outside & ~(x[0] + *mu * t > zero);
  const lanes on_edge[3] = {F[0] - *mu * beyond, F[1] + scale * x[1], F[2] + scale * x[2]};
  for (int i = 0; i < 3; i++) {
    lanes_set(&F[i], &outside, &on_edge[i]);
    lanes_set(&F[i], &apex, &r[i]);
  }
}

#endif
