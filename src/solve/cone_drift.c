#include "solve/cone_drift.h"

#include <math.h>

// Looks that are worth a jump. Short ones come before the drift is steady and disturb it more than they gain.
static const double LEAST = 300;
// How much of the way to the end is jumped if the sweeps converge slowly instead: each look then finds a change that is
// smaller by some part, and the rest of the way is one change over that part.
static const double PART = 0.2;

// The largest t with |x + t d| ≤ μ (n + t e), from inside; on the edge and beyond it is infinite: such a contact slips.
static double reach_edge(double mu, double n, double e, double x, double y, double dx, double dy) {
  double inside = mu * mu * n * n - x * x - y * y;
  if (!(inside > 1e-9 * mu * mu * n * n)) return INFINITY;
  double a = dx * dx + dy * dy - mu * mu * e * e, b = x * dx + y * dy - mu * mu * n * e;  // a t² + 2 b t = inside
  double root = b * b + a * inside;
  if (root < 0) return INFINITY;
  double t = inside / (b + sqrt(root));
  return t > 0 ? t : INFINITY;
}

static double reach_bound(double from, double change, double bound) {
  double t = (bound - from) / change;
  return change != 0 && t >= 0 ? t : INFINITY;
}

static double reach_block(const solve_block *b, const double *r, const double *d) {
  switch (b->kind) {
    case BLOCK_BILATERAL: return INFINITY;
    case BLOCK_BOX: return fmin(reach_bound(r[0], d[0], b->lo), reach_bound(r[0], d[0], b->hi));
    case BLOCK_UNILATERAL: return d[0] < 0 ? -r[0] / d[0] : INFINITY;
    default: break;
  }
  double t = d[0] < 0 ? -r[0] / d[0] : INFINITY;
  bool space = b->kind == BLOCK_SPACE;
  return fmin(t, reach_edge(b->mu, r[0], d[0], r[1], space ? r[2] : 0, d[1], space ? d[2] : 0));
}

double drift_look(drift *d, const solve_problem *p, const double *r) {
  int n = p->W.rows;
  double other = 0, size = 0, reach = INFINITY;
  for (int i = 0; i < n; i++) {
    double change = d->looks ? r[i] - d->at[i] : 0, difference = d->looks ? change - d->change[i] : 0;
    d->at[i] = r[i], d->change[i] = change;
    other += difference * difference, size += change * change;
  }
  if (++d->looks < 3) return 0;
  double most = PART * sqrt(size / other);
  if (!(most >= LEAST)) return 0;
  for (int b = 0; b < p->block_count; b++) {
    int row = p->blocks[b].row;
    reach = fmin(reach, reach_block(&p->blocks[b], r + row, d->change + row));
  }
  return reach >= LEAST ? fmin(most, reach) : 0;
}
