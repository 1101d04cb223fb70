#include "solve/storage.h"

#include <stdlib.h>

#include "base/error.h"

bool solve_storage_make(solve_storage *r, const solve_limits *limits, carom_error *error) {
  solve_workspace *workspace = solve_workspace_create(limits, error);
  size_t rows = (size_t)limits->rows;
  double *W = workspace ? malloc((rows * rows + 1) * sizeof *W) : NULL;
  if (!W) {
    solve_workspace_destroy(workspace);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for contact problems of %d rows", limits->rows);
    return false;
  }
  solve_storage_free(r);
  *r = (solve_storage){W, workspace};
  return true;
}

bool solve_storage_grow(solve_storage *r, const solve_problem *p, carom_error *error) {
  solve_limits limits = solve_limits_of(p);
  if (r->workspace && solve_workspace_fits(r->workspace, &limits)) return true;
  if (r->workspace) limits = solve_limits_union(&limits, &r->workspace->limits);
  limits = solve_limits_beyond(&limits);
  return solve_storage_make(r, &limits, error);
}

void solve_storage_free(solve_storage *r) {
  solve_workspace_destroy(r->workspace);
  free(r->W);
  *r = (solve_storage){0};
}
