#include "solve/cone_drift.h"

#include <math.h>

#include "solve/cone.h"

// How much of the way to the end is jumped if the sweeps converge slowly instead: each look then finds a change that is
// smaller by some part, and the rest of the way is one change over that part.
static const double PART = 0.2;

// The largest t with r + t d in the cone, from inside; on the edge and beyond it is infinite: such a contact slips.
static double reach_edge(const solve_block *b, const double *r, const double *d) {
  double limit = b->mu * b->mu * r[0] * r[0], inside = limit - r[1] * r[1] - (b->size == 3 ? r[2] * r[2] : 0);
  return inside > 1e-9 * limit ? cone_edge(b->mu, r, d, b->size, 0) : INFINITY;
}

static double reach_bound(double from, double change, double bound) {
  double t = (bound - from) / change;
  return change != 0 && t >= 0 ? t : INFINITY;
}

// Of the rows that resist turning, with the normal percussion before them.
static double reach_turns(const solve_block *b, const double *r, const double *d) {
  block_turn turn[BLOCK_TURNS_MAX];
  double reach = INFINITY;
  for (int k = 0, count = block_turns(b, turn); k < count; k++) {
    int i = turn[k].row, two = turn[k].size == 2;
    solve_block disc = {.size = turn[k].size + 1, .mu = turn[k].length};
    const double at[3] = {r[0], r[i], two ? r[i + 1] : 0}, way[3] = {d[0], d[i], two ? d[i + 1] : 0};
    reach = fmin(reach, reach_edge(&disc, at, way));
  }
  return reach;
}

// The largest t with r + t d in the polygon, from inside.
static double reach_side(const solve_block *b, const double *r, const double *d) {
  int count = (int)b->directions;
  double reach = INFINITY;
  for (int i = 0; i < count; i++) {
    double n[2];
    polygon_direction(2 * count, 2 * i + 1, n);
    double inside = b->mu * polygon_inner(count) * r[0] - n[0] * r[1] - n[1] * r[2];
    double change = b->mu * polygon_inner(count) * d[0] - n[0] * d[1] - n[1] * d[2];
    if (change < 0 && inside > 1e-9 * b->mu * r[0]) reach = fmin(reach, -inside / change);
  }
  return reach;
}

static double reach_block(const solve_block *b, const double *r, const double *d) {
  switch (b->kind) {
    case BLOCK_BILATERAL: return INFINITY;
    case BLOCK_BOX: return fmin(reach_bound(r[0], d[0], b->lo), reach_bound(r[0], d[0], b->hi));
    case BLOCK_UNILATERAL: return d[0] < 0 ? -r[0] / d[0] : INFINITY;
    default: break;
  }
  double t = d[0] < 0 ? -r[0] / d[0] : INFINITY;
  if (b->kind == BLOCK_POLYGON) return fmin(t, reach_side(b, r, d));
  if (!block_rolls(b)) return fmin(t, reach_edge(b, r, d));
  solve_block sliding = {.size = block_sliding_rows(b), .mu = b->mu};
  return fmin(fmin(t, reach_edge(&sliding, r, d)), reach_turns(b, r, d));
}

double drift_look(drift *d, const solve_problem *p, const double *r, double least) {
  int n = p->W.rows;
  double other = 0, size = 0, reach = INFINITY;
  for (int i = 0; i < n; i++) {
    double change = d->looks ? r[i] - d->at[i] : 0, difference = d->looks ? change - d->change[i] : 0;
    d->at[i] = r[i], d->change[i] = change;
    other += difference * difference, size += change * change;
  }
  if (++d->looks < 3) return 0;
  double most = PART * sqrt(size / other);
  if (!(most >= least)) return 0;
  for (int b = 0; b < p->block_count; b++) {
    int row = p->blocks[b].row;
    reach = fmin(reach, reach_block(&p->blocks[b], r + row, d->change + row));
  }
  return reach >= least ? fmin(most, reach) : 0;
}
