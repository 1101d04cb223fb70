// Newton's method on Φ_i = √(z_i² + w_i²) − z_i − w_i (Fischer, Burmeister), w = M z + q: zero exactly where
// 0 ≤ w ⊥ z ≥ 0, and ½|Φ|² is smooth, so that a line search makes it converge from afar.
//
//   Φ' = D_z + D_w M,   D_z = z/√(z²+w²) − 1,  D_w = w/√(z²+w²) − 1
//
// Tried first is the direction of min(z, w), which sets z = 0 where z ≤ w and w = 0 elsewhere: its equations are only
// as large as the second set, and near a solution they are exact. Where it does not descend, that of Φ is taken, and
// at last the gradient.
#include <math.h>
#include <string.h>

#include "math/lu.h"
#include "solve/friction_lcp.h"
#include "solve/solver.h"

typedef struct newton {
  lcp_reduction lcp;
  int n;
  double *M, *q, *J;
  double *z, *w, *phi, *step, *wstep, *u;
  int *pivot, *active;
  interrupt *stop;
} newton;

static newton lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t n = (size_t)limits->lcp;
  newton x = {.lcp = lcp_lay_out(w, limits), .stop = w->stop};
  x.M = TAKE(w, double, (n * n));
  x.J = TAKE(w, double, (n * n));
  x.q = TAKE(w, double, n);
  x.z = TAKE(w, double, n);
  x.w = TAKE(w, double, n);
  x.phi = TAKE(w, double, n);
  x.step = TAKE(w, double, n);
  x.wstep = TAKE(w, double, n);
  x.u = TAKE(w, double, limits->rows + limits->velocities);
  x.pivot = TAKE(w, int, n);
  x.active = TAKE(w, int, n);
  return x;
}

static void measure(solve_workspace *w, const solve_limits *limits) { lay_out(w, limits); }

// Without cancellation where both are positive: √(a²+b²) − a − b = −2ab / (√(a²+b²) + a + b).
static double fischer(double a, double b) {
  double root = hypot(a, b);
  return a + b > 0 ? -2 * a * b / (root + a + b) : root - a - b;
}

static double merit(const newton *x, double t) {
  double sum = 0;
  for (int i = 0; i < x->n; i++) {
    double f = fischer(x->z[i] + t * x->step[i], x->w[i] + t * x->wstep[i]);
    sum += f * f;
  }
  return sum;
}

static void product(const newton *x, const double *a, double *y) {
  for (int i = 0; i < x->n; i++) {
    double sum = 0;
    for (int j = 0; j < x->n; j++) sum += x->M[(long)i * x->n + j] * a[j];
    y[i] = sum;
  }
}

// Where z = w = 0, any element of the generalised Jacobian; this one comes from equal small values.
static void jacobian(const newton *x) {
  for (int i = 0; i < x->n; i++) {
    double root = hypot(x->z[i], x->w[i]);
    double dz = root > 0 ? x->z[i] / root - 1 : M_SQRT1_2 - 1, dw = root > 0 ? x->w[i] / root - 1 : M_SQRT1_2 - 1;
    for (int j = 0; j < x->n; j++) x->J[(long)i * x->n + j] = dw * x->M[(long)i * x->n + j];
    x->J[(long)i * x->n + i] += dz;
  }
}

// Each fills `step` and says whether that direction exists.
static bool direction_of_min(newton *x) {
  int n = x->n, count = 0;
  for (int i = 0; i < n; i++) {
    if (x->w[i] < x->z[i]) x->active[count++] = i;
    x->step[i] = x->w[i] < x->z[i] ? 0 : -x->z[i];
  }
  product(x, x->step, x->wstep);
  for (int a = 0; a < count; a++)
    for (int b = 0; b < count; b++) x->J[(long)a * count + b] = x->M[(long)x->active[a] * n + x->active[b]];
  if (lu_factor(count, x->J, count, x->pivot, x->stop) < 1e-14) return false;
  for (int a = 0; a < count; a++) x->phi[a] = -x->w[x->active[a]] - x->wstep[x->active[a]];
  lu_solve(count, x->J, count, x->pivot, x->phi);
  for (int a = 0; a < count; a++) x->step[x->active[a]] = x->phi[a];
  return true;
}

static void evaluate(newton *x) {
  for (int i = 0; i < x->n; i++) x->phi[i] = fischer(x->z[i], x->w[i]);
}

static bool direction_of_fischer(newton *x) {
  evaluate(x);
  jacobian(x);
  for (int i = 0; i < x->n; i++) x->step[i] = -x->phi[i];
  if (lu_factor(x->n, x->J, x->n, x->pivot, x->stop) < 1e-15) return false;
  lu_solve(x->n, x->J, x->n, x->pivot, x->step);
  return true;
}

// −∇ ½|Φ|²
static bool steepest_descent(newton *x) {
  evaluate(x);
  jacobian(x);
  memset(x->step, 0, (size_t)x->n * sizeof *x->step);
  for (int i = 0; i < x->n; i++)
    for (int j = 0; j < x->n; j++) x->step[j] -= x->J[(long)i * x->n + j] * x->phi[i];
  return true;
}

// The length to go, at least `least`; 0 when no length descends.
static double line_search(const newton *x, double before, double least) {
  for (double t = 1; t >= least; t *= 0.5)
    if (merit(x, t) <= (1 - 1e-4 * t) * before) return t;
  return 0;
}

static solve_status iterate(newton *x, int most, double goal, interrupt *stop, int *iterations) {
  static const struct {
    bool (*direction)(newton *x);
    double least;
  } ways[] = {{direction_of_min, 0.5}, {direction_of_fischer, 1e-10}, {steepest_descent, 1e-10}};
  memset(x->step, 0, (size_t)x->n * sizeof *x->step);
  memset(x->wstep, 0, (size_t)x->n * sizeof *x->wstep);
  for (;;) {
    double size = merit(x, 0), t = 0;
    if (sqrt(size) <= goal) return SOLVE_SOLVED;
    if (*iterations >= most) return SOLVE_LIMIT;
    if (interrupted(stop)) return SOLVE_INTERRUPTED;
    ++*iterations;
    for (int k = 0; k < 3 && t == 0; k++) {
      if (!ways[k].direction(x)) continue;
      product(x, x->step, x->wstep);
      t = line_search(x, size, ways[k].least);
    }
    if (t == 0) return interrupted(stop) ? SOLVE_INTERRUPTED : SOLVE_STALLED;
    for (int i = 0; i < x->n; i++) x->z[i] += t * x->step[i], x->w[i] += t * x->wstep[i];
  }
}

static int limit(const solve_problem *p) {
  (void)p;
  return 200;
}

static solve_status solve(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                          solve_info *info) {
  solve_limits limits = solve_limits_exact(p);
  newton x = lay_out(w, &limits);
  x.n = limits.lcp;
  lcp_reduce(&x.lcp, p, x.M, x.n, x.q);
  double size = 0;
  for (int i = 0; i < x.n; i++) size = fmax(size, fabs(x.q[i]));
  if (s->warm_start) {
    p->W.ops->apply(&p->W, r, x.u, x.u + p->W.rows);
    for (int i = 0; i < p->W.rows; i++) x.u[i] += p->q[i];
    lcp_guess(&x.lcp, p, r, x.u, x.z);
  } else {
    for (int i = 0; i < x.n; i++) x.z[i] = size;
  }
  product(&x, x.z, x.w);
  for (int i = 0; i < x.n; i++) x.w[i] += x.q[i];
  solve_status status =
      iterate(&x, s->iterations ? s->iterations : limit(p), 1e-3 * s->tolerance * size, w->stop, &info->iterations);
  for (int i = 0; i < x.n; i++) x.z[i] = x.z[i] > x.w[i] ? x.z[i] : 0;
  lcp_restore(&x.lcp, p, x.z, r);
  return status;
}

const solver solver_newton = {
    "newton",       "Newton on the Fischer-Burmeister function with a line search.", lcp_suits, limit, measure, solve,
    .finite = false};
