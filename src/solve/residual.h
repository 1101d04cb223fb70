// The one judge of all solutions.
#ifndef SOLVE_RESIDUAL_H
#define SOLVE_RESIDUAL_H

#include "solve/problem.h"

// How far (r, u) is from a solution, u = W r + q being given with r.
//   with friction   √Σ_b |r_b − P_K(r_b − u_b − (μ|u_T|, 0, 0))|² / max(|q|, |r|, |u|)
//   without         max_i |r_i − P(r_i − u_i)| / max(max_i (|W| |r|)_i, max_i |q_i|)
// NaN counts as infinite. `work` has rows + velocities entries.
double solve_residual(const solve_problem *p, const double *r, const double *u, double *work);

// The same from u := W r + q, which is written.
double solve_residual_of(const solve_problem *p, const double *r, double *u, double *work);

#endif
