// Memory of the solvers, taken once and sized by limits: a solve allocates nothing. Each solver lays out what it
// needs in one function; run on an empty workspace that function measures.
#ifndef SOLVE_WORKSPACE_H
#define SOLVE_WORKSPACE_H

#include <stddef.h>

#include "base/interrupt.h"
#include "carom/status.h"
#include "solve/problem.h"

typedef struct solve_workspace {
  char *base;  // null while measuring
  size_t size, used;
  solve_limits limits;             // of the problems it has room for
  struct nsgs_sweeps *sweeps;      // of the chain, which go on from one attempt to the next
  struct newton_path *path;        // of the chain, likewise
  struct interior_path *interior;  // likewise, of problems in pieces
  struct local_path *local;        // likewise
  struct patches *patches;         // of the chain, while its sweeps go on with them
  struct condensed *condensed;     // equations of problems in pieces; grows by itself
  struct condensed *of_patch;      // of a part of such a problem that is solved by itself; likewise
  const double *weights;  // of the residual of the problem that is solved (solve/residual.h); null: it has no diagonal
  interrupt *stop;        // ends a solve early; may be null
  double work;            // of the solvers on the problem at hand, by the model of solve/work.h
  struct chain_log *log;  // of what the chain tries; may be null
} solve_workspace;

// Room for every solver on problems within the limits. Null after reporting.
solve_workspace *solve_workspace_create(const solve_limits *limits, carom_error *error);
void solve_workspace_destroy(solve_workspace *w);  // accepts null

bool solve_workspace_fits(const solve_workspace *w, const solve_limits *limits);

// Not cleared, 64-byte aligned. The driver has checked that there is room.
void *workspace_take(solve_workspace *w, size_t count, size_t size);
#define TAKE(w, type, count) ((type *)workspace_take((w), (size_t)(count), sizeof(type)))

#endif
