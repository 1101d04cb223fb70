// Bilateral rows taken out of a contact problem before it is solved. With the bilateral rows b and the others c,
//
//   W_bb r_b + W_bc r_c + q_b = 0   gives   r_b = −W_bb⁻¹ (W_bc r_c + q_b),
//
// and leaves the problem of the contacts alone, with W_cc − W_cb W_bb⁻¹ W_bc and q_c − W_cb W_bb⁻¹ q_b. Joints that
// close loops and hold each other would take sweeps many turns to settle; a robot has many of them and few feet.
#ifndef SOLVE_REDUCED_H
#define SOLVE_REDUCED_H

#include "solve/workspace.h"

typedef struct reduced {
  solve_problem problem;   // of the contacts
  double *r, *u;           // its solution
  int count;               // bilateral rows that others depend on
  int *bilateral, *other;  // rows of the whole problem: these, and those of the contacts
  double *scale;           // of these rows, 1/√W_ii
  double *factor, *X;      // LU of W_bb, scaled; W_bb⁻¹ (W_bc, q_b), one column after the other
  int *pivot;
  solve_block *blocks;
  int *start;
  double *W, *q;
} reduced;

// The most rows of a problem that it is for, within these limits.
int reduced_room(const solve_limits *limits);
// Whether it pays: a dense problem with many bilateral rows and others beside them, within the limits of the
// workspace.
bool reduced_suits(const solve_problem *p, const solve_limits *limits);
// Memory for problems within the limits; on an empty workspace it measures.
reduced reduced_lay_out(solve_workspace *w, const solve_limits *limits);
// Makes the problem of the contacts, with the start of r. Returns false if W_bb is nearly singular, or when it was
// interrupted.
bool reduced_make(reduced *f, const solve_problem *p, const double *r, interrupt *stop);
// r of the whole problem from f->r.
void reduced_restore(const reduced *f, const solve_problem *p, double *r);

#endif
