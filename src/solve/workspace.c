#include "solve/workspace.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "solve/condensed.h"
#include "solve/solver.h"

enum { ALIGNMENT = 64 };

void *workspace_take(solve_workspace *w, size_t count, size_t size) {
  size_t at = w->used;
  w->used += (count * size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  if (!w->base) return NULL;
  assert(w->used <= w->size);
  return w->base + at;
}

solve_workspace *solve_workspace_create(const solve_limits *limits, carom_error *error) {
  size_t size = solver_memory_all(limits);
  solve_workspace *w = malloc(sizeof *w);
  char *base = w ? aligned_alloc(ALIGNMENT, size + ALIGNMENT) : NULL;
  condensed *in_pieces = base ? condensed_create() : NULL, *of_patch = in_pieces ? condensed_create() : NULL;
  if (!of_patch) {
    condensed_destroy(in_pieces);
    free(base);
    free(w);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for contact problems of %d rows", limits->rows);
    return NULL;
  }
  *w = (solve_workspace){.base = base, .size = size, .limits = *limits, .condensed = in_pieces, .of_patch = of_patch};
  return w;
}

bool solve_workspace_fits(const solve_workspace *w, const solve_limits *limits) {
  const solve_limits *own = &w->limits;
  return limits->rows <= own->rows && limits->blocks <= own->blocks && limits->velocities <= own->velocities &&
         limits->dense <= own->dense && limits->lcp <= own->lcp;
}

void solve_workspace_destroy(solve_workspace *w) {
  if (!w) return;
  condensed_destroy(w->condensed);
  condensed_destroy(w->of_patch);
  free(w->base);
  free(w);
}
