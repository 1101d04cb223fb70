// Equations of Newton's methods for problems in pieces, condensed to velocities. Where percussions follow from W x = J
// Bᵀ x and from matrices E of each block alone, all of them are known as soon as v = Bᵀ x is, and
//
//   K v = w,   K = 1 + Σ_b B_bᵀ E_b J_b
//
// has a block for each body, and one for each pair of bodies that touch: few, however many contacts they have.
#ifndef SOLVE_CONDENSED_H
#define SOLVE_CONDENSED_H

#include "solve/problem.h"

typedef struct condensed condensed;

condensed *condensed_create(void);     // Null when out of memory
void condensed_destroy(condensed *c);  // accepts null

// Whether W is in pieces, without entries of its own on the diagonal.
bool condensed_suits(const solve_problem *p);
void condensed_forget(condensed *c);  // the next problem may be another one
// Finds the blocks of K, if that was not done for this problem before. Returns false when out of memory, if there are
// too many bodies, or if pieces overlap that do not lie on the same velocities. The storage grows with the largest
// problem that comes.
bool condensed_begin(condensed *c, const solve_problem *p);
double condensed_work(condensed *c);  // operations of a factorisation of all blocks; infinite when out of memory
double condensed_work_cleared(const condensed *c);  // of the blocks that the last condensed_clear has chosen
// K := 1. Blocks that are left out, one flag for each, are not added then; null: none. Where they are many, the others
// get an order of their own: open contacts join no bodies. Returns false when out of memory.
bool condensed_clear(condensed *c, const bool *left_out);
void condensed_add(condensed *c, int b, const double *E);  // K := K + B_bᵀ E J_b, E row by row
bool condensed_factor(condensed *c);                       // Returns false if K is singular or not finite
void condensed_solve(const condensed *c, double *v);       // v := K⁻¹ v

#endif
