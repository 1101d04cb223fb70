#include "solve/problem.h"

#include <math.h>

#include "base/number.h"
#include "solve/friction_lcp.h"
#include "solve/polygon.h"

const char *solve_status_text(solve_status status) {
  switch (status) {
#define X(name, text) \
  case SOLVE_##name: return text;
    SOLVE_STATUS_LIST(X)
#undef X
  }
  return "unknown";
}

solve_settings solve_settings_default(void) {
  return (solve_settings){.tolerance = 1e-8, .check_every = 10, .polish = true};
}

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

solve_limits solve_limits_of(const solve_problem *p) {
  return (solve_limits){.rows = p->W.rows,
                        .blocks = p->block_count,
                        .velocities = p->W.velocities,
                        .dense = least(p->W.rows, SOLVE_DENSE_MAX),
                        .lcp = least(lcp_unknowns(p), SOLVE_DENSE_MAX)};
}

solve_limits solve_limits_exact(const solve_problem *p) {
  solve_limits limits = solve_limits_of(p);
  if (p->W.rows > SOLVE_DENSE_MAX) limits.dense = limits.lcp = 0;
  return limits;
}

solve_limits solve_limits_union(const solve_limits *a, const solve_limits *b) {
  return (solve_limits){most(a->rows, b->rows), most(a->blocks, b->blocks), most(a->velocities, b->velocities),
                        most(a->dense, b->dense), most(a->lcp, b->lcp)};
}

solve_limits solve_limits_beyond(const solve_limits *l) {
  return (solve_limits){.rows = l->rows + l->rows / 2,
                        .blocks = l->blocks + l->blocks / 2,
                        .velocities = l->velocities + l->velocities / 2,
                        .dense = least(l->dense + l->dense / 2, SOLVE_DENSE_MAX),
                        .lcp = least(l->lcp + l->lcp / 2, SOLVE_DENSE_MAX)};
}

static bool block_valid(const solve_block *b) {
  switch (b->kind) {
    case BLOCK_BILATERAL: return b->size >= 1 && b->size <= BLOCK_ROWS_MAX;
    case BLOCK_UNILATERAL: return b->size == 1;
    case BLOCK_PLANE: return b->size == 2 && b->mu >= 0 && isfinite(b->mu);
    case BLOCK_SPACE: return b->size == 3 && b->mu >= 0 && isfinite(b->mu);
    case BLOCK_POLYGON: return b->size == 3 && b->mu >= 0 && isfinite(b->mu) && polygon_valid(b->directions);
    case BLOCK_ROLLING_PLANE:
    case BLOCK_ROLLING_SPACE:
      return b->size == (b->kind == BLOCK_ROLLING_PLANE ? 3 : 6) && b->mu >= 0 && b->rolling >= 0 && b->spinning >= 0 &&
             isfinite(b->mu + b->rolling + b->spinning);
    case BLOCK_BOX: return b->size == 1 && b->lo <= b->hi && b->lo < INFINITY && b->hi > -INFINITY;
  }
  return false;
}

bool solve_problem_valid(const solve_problem *p) {
  int row = 0;
  if (p->W.block_count != p->block_count) return false;
  for (int b = 0; b < p->block_count; row += p->blocks[b].size, b++)
    if (!block_valid(&p->blocks[b]) || p->blocks[b].row != row || p->W.start[b] != row) return false;
  if (row != p->W.rows || (p->block_count && p->W.start[p->block_count] != row)) return false;
  return number_all_finite(p->q, (size_t)row) && p->W.ops->finite(&p->W);
}

bool solve_has(const solve_problem *p, block_kind kind) {
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].kind == kind) return true;
  return false;
}

bool solve_has_rolling(const solve_problem *p) {
  return solve_has(p, BLOCK_ROLLING_PLANE) || solve_has(p, BLOCK_ROLLING_SPACE);
}

bool solve_has_cones(const solve_problem *p) {
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].kind == BLOCK_SPACE || block_rolls(&p->blocks[b])) return true;
  return false;
}

bool solve_has_polygons(const solve_problem *p) { return solve_has(p, BLOCK_POLYGON); }

bool solve_has_friction(const solve_problem *p) {
  return solve_has(p, BLOCK_PLANE) || solve_has(p, BLOCK_SPACE) || solve_has_polygons(p) || solve_has_rolling(p);
}
