// Newton's method on Φ_i = √(z_i² + w_i²) − z_i − w_i (Fischer, Burmeister), w = M z + q: zero exactly where
// 0 ≤ w ⊥ z ≥ 0, and ½|Φ|² is smooth, so that a line search makes it converge from afar.
//
//   Φ' = D_z + D_w M,   D_z = z/√(z²+w²) − 1,  D_w = w/√(z²+w²) − 1
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
  int *pivot;
} newton;

static newton lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t n = (size_t)limits->lcp;
  newton x = {.lcp = lcp_lay_out(w, limits)};
  x.M = TAKE(w, double, n * n);
  x.J = TAKE(w, double, n * n);
  x.q = TAKE(w, double, n);
  x.z = TAKE(w, double, n);
  x.w = TAKE(w, double, n);
  x.phi = TAKE(w, double, n);
  x.step = TAKE(w, double, n);
  x.wstep = TAKE(w, double, n);
  x.u = TAKE(w, double, limits->rows + limits->velocities);
  x.pivot = TAKE(w, int, n);
  return x;
}

static void measure(solve_workspace *w, const solve_limits *limits) { lay_out(w, limits); }
static bool suits(const solve_problem *p) { return !solve_has(p, BLOCK_SPACE) && solve_limits_of(p).lcp == lcp_unknowns(p); }

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

// The gradient of ½|Φ|², for where Newton's direction does not exist.
static void steepest(newton *x) {
  jacobian(x);
  memset(x->step, 0, (size_t)x->n * sizeof *x->step);
  for (int i = 0; i < x->n; i++)
    for (int j = 0; j < x->n; j++) x->step[j] -= x->J[(long)i * x->n + j] * x->phi[i];
}

static double shorten(const newton *x, double before) {
  for (double t = 1; t > 1e-10; t *= 0.5)
    if (merit(x, t) <= (1 - 1e-4 * t) * before) return t;
  return 0;
}

static solve_status iterate(newton *x, int most, double goal, int *iterations) {
  int n = x->n;
  while (*iterations < most) {
    double size = 0;
    for (int i = 0; i < n; i++) x->phi[i] = fischer(x->z[i], x->w[i]), size += x->phi[i] * x->phi[i];
    if (sqrt(size) <= goal) return SOLVE_SOLVED;
    ++*iterations;
    jacobian(x);
    for (int i = 0; i < n; i++) x->step[i] = -x->phi[i];
    double t = 0;
    if (lu_factor(n, x->J, n, x->pivot) > 1e-15) {
      lu_solve(n, x->J, n, x->pivot, x->step);
      product(x, x->step, x->wstep);
      t = shorten(x, size);
    }
    if (t == 0) {
      steepest(x);
      product(x, x->step, x->wstep);
      t = shorten(x, size);
    }
    if (t == 0) return SOLVE_STALLED;
    for (int i = 0; i < n; i++) x->z[i] += t * x->step[i], x->w[i] += t * x->wstep[i];
  }
  return SOLVE_LIMIT;
}

static solve_status solve(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                          solve_info *info) {
  solve_limits limits = solve_limits_of(p);
  newton x = lay_out(w, &limits);
  x.n = limits.lcp;
  lcp_reduce(&x.lcp, p, x.M, x.n, x.q, 1);
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
  solve_status status = iterate(&x, s->iterations ? s->iterations : 200, 1e-3 * s->tolerance * size, &info->iterations);
  for (int i = 0; i < x.n; i++) x.z[i] = x.z[i] > x.w[i] ? x.z[i] : 0;
  lcp_restore(&x.lcp, p, x.z, r);
  return status;
}

const solver solver_newton = {"newton", "Newton on the Fischer-Burmeister function with a line search.", suits, measure,
                              solve};
