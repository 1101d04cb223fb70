#include "math/least_squares.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/dense.h"

// --- the loss --------------------------------------------------------------------------------------------------------

double least_squares_cost(const least_squares *p, const double *r) {
  double sum = 0;
  for (int i = 0; i < p->m; i++) {
    const double a = fabs(r[i]);
    sum += a <= p->limit ? 0.5 * a * a : p->limit * (a - 0.5 * p->limit);
  }
  return sum;
}

// Huber's loss as squares with weights: ψ(r)/r.
static double weight_of(const least_squares *p, double r) { return fabs(r) <= p->limit ? 1 : p->limit / fabs(r); }

// --- derivatives -----------------------------------------------------------------------------------------------------

// The points beside x at a step of one variable.
static void place_beside(const least_squares *p, const double *x, int k, double step, double *points) {
  for (int side = 0; side < 2; side++) {
    memcpy(points + side * p->n, x, (size_t)p->n * sizeof *x);
    points[side * p->n + k] = side ? fmin(x[k] + step, 1) : fmax(x[k] - step, 0);
  }
}

// One column from the residuals at these two points; where one is missing, from the other and those at x.
static void difference(const least_squares *p, int k, const double *x, const double *r, const double *points,
                       const double *beside, const bool *good, double *column) {
  const double *low = good[0] ? beside : r, *high = good[1] ? beside + p->m : r;
  const double width = (good[1] ? points[p->n + k] : x[k]) - (good[0] ? points[k] : x[k]);
  for (int i = 0; i < p->m; i++) column[i] = width > 0 ? (high[i] - low[i]) / width : NAN;
}

// Columns for several steps of each variable: J[(s*n + k)*m + i] at steps[s*n + k].
static bool columns_at(arena *memory, const least_squares *p, const double *x, const double *r, const double *steps,
                       int count, double *J) {
  const arena_mark mark = arena_get_mark(memory);
  const int n = p->n, total = count * n;
  double *points = ARENA_ARRAY(memory, double, 2 * total * n),
         *beside = ARENA_ARRAY(memory, double, (size_t)2 * (size_t)total * (size_t)p->m);
  bool *good = ARENA_ARRAY(memory, bool, 2 * total);
  for (int c = 0; c < total; c++) place_beside(p, x, c % n, steps[c], points + 2 * c * n);
  const bool done = p->evaluate(p->context, 2 * total, points, beside, good);
  for (int c = 0; done && c < total; c++)
    difference(p, c % n, x, r, points + 2 * c * n, beside + (size_t)2 * (size_t)c * (size_t)p->m, good + 2 * c,
               J + (size_t)c * (size_t)p->m);
  arena_release(memory, mark);
  return done;
}

bool least_squares_jacobian(arena *memory, const least_squares *p, const double *x, const double *r, double *J) {
  return columns_at(memory, p, x, r, p->steps, 1, J);
}

// From rounding errors of a run with tolerances up to the curvature of its residuals.
static const double ladder[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 5e-2};
enum { RUNGS = sizeof ladder / sizeof *ladder };

static double distance(int m, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < m; i++) sum += (a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
  return sqrt(sum);
}

bool least_squares_choose_steps(arena *memory, const least_squares *p, const double *x, const double *r, double *J,
                                double *change) {
  const arena_mark mark = arena_get_mark(memory);
  const size_t n = (size_t)p->n, m = (size_t)p->m;
  double *steps = ARENA_ARRAY(memory, double, RUNGS *n), *all = ARENA_ARRAY(memory, double, RUNGS *n *m);
  for (size_t c = 0; c < RUNGS * n; c++) steps[c] = ladder[c / n];
  const bool done = columns_at(memory, p, x, r, steps, RUNGS, all);
  for (size_t k = 0; done && k < n; k++) {
    size_t best = 1;
    double least = INFINITY;
    for (size_t s = 1; s < RUNGS; s++) {
      const double *larger = all + (s * n + k) * m, *smaller = all + ((s - 1) * n + k) * m;
      const double size = distance(p->m, larger, NULL), off = distance(p->m, larger, smaller);
      if (off < least * (size > 0 ? size : 1)) best = s, least = size > 0 ? off / size : 0;
    }
    const double *column = all + (best * n + k) * m, *before = column - n * m;
    p->steps[k] = ladder[best];
    memcpy(J + k * m, column, m * sizeof *J);
    for (size_t i = 0; i < m; i++) change[k * m + i] = column[i] - before[i];
  }
  arena_release(memory, mark);
  return done;
}

// --- the search ------------------------------------------------------------------------------------------------------

typedef struct searching {
  const least_squares *p;
  double *x, *r;
  double *J, *A, *g, *L, *step, *at, *trial;  // A = JᵀWJ, g = JᵀWr
  bool *held;                                 // at a bound that the cost decreases beyond
  double cost, damping;
} searching;

static void form_equations(searching *s) {
  const int n = s->p->n, m = s->p->m;
  for (int k = 0; k < n; k++) {
    const double *a = s->J + (size_t)k * (size_t)m;
    s->g[k] = 0;
    for (int i = 0; i < m; i++) s->g[k] += weight_of(s->p, s->r[i]) * a[i] * s->r[i];
    for (int l = 0; l <= k; l++) {
      const double *b = s->J + (size_t)l * (size_t)m;
      double sum = 0;
      for (int i = 0; i < m; i++) sum += weight_of(s->p, s->r[i]) * a[i] * b[i];
      s->A[k * n + l] = s->A[l * n + k] = sum;
    }
  }
  for (int k = 0; k < n; k++)
    s->held[k] = (s->x[k] <= 0 && s->g[k] > 0) || (s->x[k] >= 1 && s->g[k] < 0) ||
                 !(s->A[k * n + k] > LEAST_SQUARES_FLAT * LEAST_SQUARES_FLAT * m);
}

// (A + λ diag A) step = -g in the variables that are not held, and the point that it leads to between the bounds.
// Returns false if the equations are singular.
static bool solve(searching *s) {
  const int n = s->p->n;
  for (int k = 0; k < n; k++) {
    for (int l = 0; l < n; l++) s->L[k * n + l] = s->held[k] || s->held[l] ? 0 : s->A[k * n + l];
    s->L[k * n + k] = s->held[k] ? 1 : s->A[k * n + k] * (1 + s->damping);
    s->step[k] = s->held[k] ? 0 : -s->g[k];
  }
  if (!dense_cholesky(n, s->L, n, DBL_EPSILON, NULL)) return false;
  dense_cholesky_solve(n, s->L, n, s->step);
  for (int k = 0; k < n; k++) s->at[k] = fmin(fmax(s->x[k] + s->step[k], 0), 1);
  return true;
}

// What the quadratic model promises for the step as it is cut by the bounds.
static double promised(const searching *s) {
  const int n = s->p->n;
  double sum = 0;
  for (int k = 0; k < n; k++) {
    const double d = s->at[k] - s->x[k];
    sum -= d * s->g[k];
    for (int l = 0; l < n; l++) sum -= 0.5 * d * s->A[k * n + l] * (s->at[l] - s->x[l]);
  }
  return sum;
}

typedef enum stride { STRIDE_TAKEN, STRIDE_NONE, STRIDE_SMALL, STRIDE_ENDED } stride;

// One step with as much damping as it needs.
static stride take_step(searching *s) {
  static const double LEAST_GAIN = 1e-10, LEAST_STEP = 1e-10, MOST_DAMPING = 1e12;
  double grow = 2;
  for (; s->damping < MOST_DAMPING; s->damping *= grow, grow *= 2) {
    if (!solve(s)) continue;
    const double gain = promised(s);
    double longest = 0;
    for (int k = 0; k < s->p->n; k++) longest = fmax(longest, fabs(s->at[k] - s->x[k]));
    if (!(longest > LEAST_STEP) || (gain >= 0 && gain < LEAST_GAIN * s->cost)) return STRIDE_SMALL;
    bool good;
    if (!s->p->evaluate(s->p->context, 1, s->at, s->trial, &good)) return STRIDE_ENDED;
    const double cost = good ? least_squares_cost(s->p, s->trial) : INFINITY;
    const double quality = gain > 0 ? (s->cost - cost) / gain : -1;
    if (!(cost < s->cost)) continue;
    memcpy(s->x, s->at, (size_t)s->p->n * sizeof *s->x);
    memcpy(s->r, s->trial, (size_t)s->p->m * sizeof *s->r);
    s->cost = cost;
    s->damping = fmax(1e-12, s->damping * fmax(1.0 / 3, 1 - pow(2 * fmin(quality, 1) - 1, 3)));
    return STRIDE_TAKEN;
  }
  return STRIDE_NONE;
}

static bool all_exist(const searching *s) {
  for (size_t i = 0; i < (size_t)s->p->n * (size_t)s->p->m; i++)
    if (!isfinite(s->J[i])) return false;
  return true;
}

least_squares_end least_squares_search(arena *memory, const least_squares *p, double *x, double *residuals) {
  enum { MOST_STEPS = 60 };
  const arena_mark mark = arena_get_mark(memory);
  const size_t n = (size_t)p->n, m = (size_t)p->m;
  searching s = {.p = p,
                 .x = x,
                 .r = residuals,
                 .J = ARENA_ARRAY(memory, double, n *m),
                 .A = ARENA_ARRAY(memory, double, n *n),
                 .L = ARENA_ARRAY(memory, double, n *n),
                 .g = ARENA_ARRAY(memory, double, n),
                 .step = ARENA_ARRAY(memory, double, n),
                 .at = ARENA_ARRAY(memory, double, n),
                 .trial = ARENA_ARRAY(memory, double, m),
                 .held = ARENA_ARRAY(memory, bool, n),
                 .damping = 1e-3,
                 .cost = least_squares_cost(p, residuals)};
  least_squares_end end = LEAST_SQUARES_STOPPED;
  for (int i = 0; i < MOST_STEPS && end == LEAST_SQUARES_STOPPED; i++) {
    if (!least_squares_jacobian(memory, p, x, residuals, s.J)) end = LEAST_SQUARES_ENDED;
    else if (!all_exist(&s)) break;
    else form_equations(&s);
    const stride taken = end == LEAST_SQUARES_ENDED ? STRIDE_ENDED : take_step(&s);
    if (taken == STRIDE_ENDED) end = LEAST_SQUARES_ENDED;
    else if (taken != STRIDE_TAKEN) end = LEAST_SQUARES_FOUND;
  }
  arena_release(memory, mark);
  return end;
}
