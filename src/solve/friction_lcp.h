// A problem without round friction cones as a linear complementarity problem, 0 ≤ w = M z + q ⊥ z ≥ 0 (paper 004, (76)
// and (85)), with its bilateral rows eliminated and its impulses scaled so that the largest diagonal of W is between ½
// and 1:
//
//   unilateral   z = P_N,             w = ξ_N
//   plane        z = P_N, P_R, ξ_L,   w = ξ_N, ξ_R, P_L     with P_R = μP_N + P_T, P_L = μP_N − P_T, ξ_T = ξ_R − ξ_L
//   polygon      z = P_N, β_i, λ,     w = ξ_N, λ + d_i · ξ_T, μP_N − Σβ_i     with P_T = Σ β_i d_i (paper 002, (23))
//   box          z = r − lo, ν,       w = u + ν, hi − r
#ifndef SOLVE_FRICTION_LCP_H
#define SOLVE_FRICTION_LCP_H

#include "solve/problem.h"
#include "solve/workspace.h"

typedef struct lcp_reduction {
  int unknowns;
  double impulse;   // z of impulses = impulse · r: a power of two
  double *W, *q;    // dense, after elimination
  int *eliminated;  // bilateral rows in the order of their elimination
  int eliminated_count;
  bool *gone;       // rows that are bilateral
  interrupt *stop;  // ends the elimination of bilateral rows early; may be null
} lcp_reduction;

// Unknowns of the problem as an LCP; round cones have none.
int lcp_unknowns(const solve_problem *p);
// It can be written as one, and dense.
bool lcp_suits(const solve_problem *p);

lcp_reduction lcp_lay_out(solve_workspace *w, const solve_limits *limits);
// Writes M and q of the LCP: row i of M from M[i · stride].
void lcp_reduce(lcp_reduction *l, const solve_problem *p, double *M, int stride, double *q);
// From z back to r, bilateral rows included.
void lcp_restore(const lcp_reduction *l, const solve_problem *p, const double *z, double *r);
// From r (and u) to a z to begin with.
void lcp_guess(const lcp_reduction *l, const solve_problem *p, const double *r, const double *u, double *z);

#endif
