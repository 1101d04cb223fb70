// One step towards the balance of forces. It solves for displacements δ, changes dz of states, and forces r of rows:
//   (σ M + K) δ - F_z dz = Q + Aᵀ r,    √σ dz - Z_q δ - Z_z dz = ż,    Φ + G δ = 0,    0 ≤ gap + N δ ⊥ r ≥ 0,
// with friction against δ along the surfaces. With σ = 0 it is a step of Newton's method, with a large σ one of damped
// motion over the time 1/√σ, and with K = 0 and σ = 1 δ are accelerations.
#ifndef STUDY_BALANCE_H
#define STUDY_BALANCE_H

#include "study/statics.h"

typedef struct balance {
  statics *s;
  statics_slopes slopes;
  statics_space space;
  double *r;                // one per row
  double *delta, *dz;       // the step
  double size, state_size;  // how large it is, relative to the scales of displacements and of states
} balance;

// What does not depend on σ, in the space of f free directions and with the states behind them. It lives in the arena.
typedef struct balance_system {
  int f, m;                 // free directions; with states
  double *H, *reduced;      // stiffness L⁻¹ K L⁻ᵀ, n x n, and in the free space
  double *matrix, *factor;  // m x m, without σ and with it
  int *pivot;
  double *force;    // L⁻¹ Q
  double *closing;  // y that closes the constraints
  double *rhs, *B;  // m, and contact rows in the free space (rows x m)
} balance_system;

// Memory of the step. Slopes and space are the caller's to find.
void balance_open(balance *b, statics *s);
balance_system balance_make(balance *b);
// Returns false if there is no such step.
bool balance_solve(balance *b, balance_system *t, double sigma);
// L⁻¹ X L⁻ᵀ of the first n rows and columns of a matrix of `all` columns, with a factor.
double *balance_weigh(balance *b, const double *X, int all, double factor);
// C := V X Vᵀ for rows V (count x n).
void balance_project(int n, int count, const double *V, const double *X, double *work, double *C);
// What differences leave of a zero among the squares of frequencies, where the largest entry of the stiffness in the
// free space is `stiffest`: stiffness and forces are known to about 1e-12.
double balance_rounding(const balance *b, double stiffest);
// Eigenvalues of the symmetric part of a stiffness in the free space, ascending. Returns false if it is not finite.
bool balance_spectrum(balance *b, int f, const double *K, double *values);

#endif
