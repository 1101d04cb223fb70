// One contact with friction alone, the others held: what Gauss–Seidel solves in its turn.
//
// In space, u = D r + q with q from the other contacts. q_N ≥ 0: open. Else, with u_N = 0,
//
//   r_N = −(q_N + D_NT r_T)/D_NN,   u_T = S r_T + b,   S = D_TT − D_TN D_NT/D_NN,   b = q_T − D_TN q_N/D_NN,
//
// and friction asks for u_T = −α r_T with α ≥ 0, so r_T(α) = −(S + α)⁻¹ b, and |r_T| ≤ μ r_N with equality if α > 0.
// At α = 0 the contact sticks if it can. Else |r_T| − μ r_N is positive there and negative for large α, where r_T
// vanishes and r_N tends to −q_N/D_NN > 0: a root lies between. μ r_N/|r_T| grows almost like a straight line in α,
// so that Newton on it needs two or three steps, and less from the α of the last sweep.
#ifndef SOLVE_CONE_CONTACT_H
#define SOLVE_CONE_CONTACT_H

#include <math.h>
#include <stdbool.h>

typedef struct cone_contact {
  double D[9];     // W of the contact alone, row by row
  double inverse;  // 1 / D_NN
  double S[4];
  double alpha;  // of the last sweep
} cone_contact;

// D is set; of 2 or 3 rows.
static inline void cone_contact_prepare(cone_contact *c, int size) {
  const double *D = c->D;
  c->inverse = D[0] > 0 ? 1 / D[0] : 0;
  for (int i = 1; i < size; i++)
    for (int j = 1; j < size; j++)
      c->S[(i - 1) * (size - 1) + j - 1] = D[i * size + j] - D[i * size] * D[j] * c->inverse;
}

// r_T(α) and r_N(α). Returns 1/det(S + α).
static inline double cone_contact_at(const cone_contact *c, const double *q, const double *b, double alpha, double *r) {
  double s0 = c->S[0] + alpha, s3 = c->S[3] + alpha, inverse = 1 / (s0 * s3 - c->S[1] * c->S[2]);
  r[1] = -(s3 * b[0] - c->S[1] * b[1]) * inverse;
  r[2] = -(s0 * b[1] - c->S[2] * b[0]) * inverse;
  r[0] = -(q[0] + c->D[1] * r[1] + c->D[2] * r[2]) * c->inverse;
  return inverse;
}

// d(μ r_N/|r_T|)/dα from dr_T/dα = −(S + α)⁻¹ r_T, with both inverses given
static inline double cone_contact_slope(const cone_contact *c, double mu, const double *r, double of_norm, double alpha,
                                        double of_det) {
  double s0 = c->S[0] + alpha, s3 = c->S[3] + alpha;
  double d1 = -(s3 * r[1] - c->S[1] * r[2]) * of_det, d2 = -(s0 * r[2] - c->S[2] * r[1]) * of_det;
  double dnorm = (r[1] * d1 + r[2] * d2) * of_norm, dnormal = -(c->D[1] * d1 + c->D[2] * d2) * c->inverse;
  return mu * (dnormal - r[0] * dnorm * of_norm) * of_norm;
}

static inline void cone_contact_solve(cone_contact *c, double mu, const double *q, double *r) {
  enum { STEPS = 60 };
  if (q[0] >= 0 || c->inverse == 0) {
    r[0] = r[1] = r[2] = 0;
    return;
  }
  if (mu == 0) {
    r[0] = -q[0] * c->inverse, r[1] = r[2] = 0;
    return;
  }
  double b[2] = {q[1] - c->D[3] * q[0] * c->inverse, q[2] - c->D[6] * q[0] * c->inverse};
  double alpha = c->alpha, lo = -1, hi = INFINITY;
  for (int k = 0; k < STEPS; k++) {
    double of_det = cone_contact_at(c, q, b, alpha, r), norm = sqrt(r[1] * r[1] + r[2] * r[2]);
    if (alpha == 0 && !(norm > mu * r[0])) break;  // sticks
    double of_norm = 1 / norm, excess = mu * r[0] * of_norm - 1;
    if (fabs(excess) < 1e-14) break;  // slips
    if (excess < 0) lo = alpha;
    else hi = alpha;
    double next = alpha - excess / cone_contact_slope(c, mu, r, of_norm, alpha, of_det);
    if (!(next > 0) && lo < 0) next = 0;
    else if (!(next > lo && next < hi)) next = hi < INFINITY ? 0.5 * (fmax(lo, 0) + hi) : 2 * alpha + c->S[0] + c->S[3];
    if (next == alpha) break;
    bool last = fabs(excess) < 1e-8 && next > 0;  // the step squares the error
    alpha = next;
    if (!last) continue;
    cone_contact_at(c, q, b, alpha, r);
    break;
  }
  c->alpha = alpha;
}

#endif
