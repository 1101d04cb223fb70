// M⁻¹ for a scheme that steps in velocities: applied to forces, to rows, to percussions. Two ways behind one interface,
// chosen when the mechanism is compiled:
//   by recursion      O(n) for each row, as in tree.h and rows.h
//   written out       a small tree: M by composite inertias, factorised once as M = Lᵀ D L from the leaves inward;
//                     rows as vectors g over the speeds, so that a rate is g·u and W = (L⁻ᵀg)ᵀ D⁻¹ (L⁻ᵀg)
#ifndef MECHANICS_MOBILITY_H
#define MECHANICS_MOBILITY_H

#include "mechanics/mechanism.h"

// Speeds up to which writing out is quicker, by counting instructions of planar and spatial chains with contacts.
enum { MOBILITY_SMALL = 8 };

typedef struct mobility_kernels mobility_kernels;
const mobility_kernels *mobility_choose(int nv);  // null: by recursion

// At the present position and velocity, under the forces applied: x->udot. False: singular, motion.singular_node says
// where.
bool mobility_accelerate(const mechanism *m, motion *x);

// Once all rows are there, and before what follows.
void mobility_take_rows(const mechanism *m, motion *x);
// The rate of every row under speeds u, without Φ_t. Overwrites links[].A.
void mobility_rates(const mechanism *m, motion *x, const double *u, double *rates);
// W = G M⁻¹ Gᵀ over all rows, dense and row-major. Overwrites links[].A and pA.
void mobility_delassus(const mechanism *m, motion *x, double *W);
// u := u_0 + M⁻¹ Gᵀ P
void mobility_respond(const mechanism *m, motion *x, const double *P, const double *u0, double *u);

#endif
