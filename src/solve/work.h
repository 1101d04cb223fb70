// A model of the work of the solvers, in nanoseconds of one machine. Only ratios count. Solvers are compared by it, and
// not by a clock, so that results do not depend on the machine or its load.
#ifndef SOLVE_WORK_H
#define SOLVE_WORK_H

// A step of Newton's method or of interior points where W is formed, with n unknowns.
static inline double work_formed(double n) { return 0.012 * n * n * n + 6 * n * n + 500; }

// The same for problems in pieces: so many operations of the factorisation, so many rows.
static inline double work_in_pieces(double operations, double rows) { return 0.13 * operations + 280 * rows; }

// Lemke's pivots, about as many as half the unknowns.
static inline double work_pivoting(double n) { return 0.1 * n * n * n; }

#endif
