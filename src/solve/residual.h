// One function computes the residual of every solution, whichever solver found it.
//
// A residual must not depend on units: r may be in N·s or kN·s, u in m/s or mm/s, and rows of one problem may have
// different units (a rotation beside a contact). The diagonal of W gives each row its unit. With d_i the response of
// row i to its own r_i,
//
//   √d_i r_i  and  u_i/√d_i  are both in √J  (r_i u_i and d_i r_i² are energies, whatever the row measures).
//
// In these units the natural map of a block, F_b = r_b − P_K(r_b − û_b/d_b), is √d_b F_b: the velocity that has to
// vanish over √d_b where the contact is closed, √d_b times the percussion that has to vanish where it is open. Both
// are compared with the velocities of the problem. F_b is computed by cases (cone.h), so that a large r_b hides no
// velocity by rounding:
//
//   residual = (√Σ_b d_b |F_b|² − ε) / U,   U = max(√Σ_i q_i²/d_i, √Σ_i u_i²/d_i).
//
// r itself is not in the denominator: percussions that hold each other (a wedge, a preload) can be far larger than
// what the velocities need, and would hide velocities that are wrong. A percussion counts by the velocity that it
// causes. Such percussions only make u = W r + q uncertain by rounding: ε = min(8 ε_machine √Σ_i d_i r_i², 1e-6 U) is
// left out, because no solver can do better.
#ifndef SOLVE_RESIDUAL_H
#define SOLVE_RESIDUAL_H

#include "solve/problem.h"

// d_i of each row: |W_ii|, or the mean over the rows of a contact with friction, whose cone has to stay round. A row
// with no diagonal gets the mean of all rows that have one. Returns false, with d = 1, if the diagonal is zero.
bool solve_weights(const solve_problem *p, double *d);

// How far (r, u) is from a solution, u = W r + q being given with r, in the units above. 0 is a solution, 1 is as wrong
// as r = 0 for a contact that closes. NaN counts as infinite. `work` has rows + velocities entries.
double solve_residual(const solve_problem *p, const double *r, const double *u, double *work);

// The same with weights from solve_weights, which must have returned true: for many looks at one problem.
double solve_residual_weighted(const solve_problem *p, const double *r, const double *u, const double *d);

// The sums that it is made of, over all blocks: Σ d |F|², Σ q²/d, Σ d r², Σ u²/d. For solvers that look at their own
// iterates on the way; what they end with is looked at by the functions above.
typedef struct residual_sums {
  double error, of_q, of_r, of_u;
} residual_sums;
double solve_residual_from(const residual_sums *e);

// The same from u := W r + q, which is written.
double solve_residual_of(const solve_problem *p, const double *r, double *u, double *work);

// The same with weights that are known, as above; null: there is no diagonal.
double solve_residual_known(const solve_problem *p, const double *weights, const double *r, double *u, double *work);

// The residual used in publications, which mixes the units of r and u: small where r is large, however wrong u is.
//   with friction   √Σ_b |r_b − P_K(r_b − û_b)|² / max(|q|, |r|, |u|)
//   without         max_i |r_i − P(r_i − u_i)| / max(max_i (|W| |r|)_i, max_i |q_i|)
// For comparison only: nothing is decided by it.
double solve_residual_mixed(const solve_problem *p, const double *r, const double *u, double *work);

#endif
