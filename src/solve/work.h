// A model of the work of the solvers, in nanoseconds of one machine. Only ratios count. Solvers are compared by it, and
// not by a clock, so that results do not depend on the machine or its load.
#ifndef SOLVE_WORK_H
#define SOLVE_WORK_H

// A step of Newton's method or of interior points where W is formed, with n unknowns.
static inline double work_formed(double n) { return 0.0075 * n * n * n + 4 * n * n + 300; }

// The same for problems in pieces: so many operations of the factorisation, so many rows.
static inline double work_in_pieces(double operations, double rows) { return 0.075 * operations + 165 * rows; }

// Lemke's pivots, about as many as half the unknowns.
static inline double work_pivoting(double n) { return 0.06 * n * n * n; }

#endif
