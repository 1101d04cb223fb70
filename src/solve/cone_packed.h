// Sweeps over a crowd: contacts in space between free bodies, each with all that a sweep needs in one place.
// Contacts are rows of three on free bodies, coloured (packed_body.h), and swept as many at once as there are lanes
// (math/lanes.h): those of one colour share no body.
//
// Sweeps have momentum (Nesterov's): each begins not at the percussions r that the last one has left but at r + β Δr,
// Δr from sweep to sweep, with a β that grows from 0 and begins anew where the sweep turns back. Errors that are smooth
// over the crowd, which plain sweeps reduce slowly, go several times as quickly. With friction sweeps may run in
// circles. Then they go on without momentum, and each contact goes only a part of the way to its solution.
#ifndef SOLVE_CONE_PACKED_H
#define SOLVE_CONE_PACKED_H

#include "solve/problem.h"
#include "solve/workspace.h"

typedef struct packed_sweeps packed_sweeps;

// Sweeps in one precision. What they give is judged in double precision.
typedef struct packed_type {
  double least;     // tolerance that they can reach
  double rounding;  // by which their residual may be too small
  double work;      // of a group of contacts in a sweep, by the model of solve/work.h
  // Takes memory of the workspace. Null while measuring.
  packed_sweeps *(*lay_out)(solve_workspace *w, const solve_limits *limits);
  // Packs a problem with the weights of its residual, which may be null. Returns false if it is not of this kind.
  bool (*begin)(packed_sweeps *m, const solve_problem *p, const double *weights);
  void (*take)(packed_sweeps *m, const double *r);  // the percussions of all rows, from which the sweeps go on
  void (*give)(const packed_sweeps *m, double *r);
  // The residual of the percussions that the last sweep has left.
  double (*residual)(packed_sweeps *m);
  // How far the contacts of a sweep were from their solutions, each in its turn, in units of the residual (residual.h)
  // that fit the problem: Σ d |Δr|².
  double (*sweep)(packed_sweeps *m);
  void (*be_plain)(packed_sweeps *m, bool plain);  // without momentum, or with it again
  double (*scale)(const packed_sweeps *m);         // Σ q²/d in the same units
  int (*groups)(const packed_sweeps *m);           // of contacts that are solved at once
} packed_type;

// The first has twice as many contacts at once.
extern const packed_type packed_single, packed_double;

#endif
