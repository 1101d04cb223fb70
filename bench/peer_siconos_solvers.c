// The same contact problems as bench_solvers.c, by Siconos' own solvers.
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <CSparseMatrix.h>
#include <Friction_cst.h>
#include <FrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fc3d_Solvers.h>
#include <fc3d_compute_error.h>
#include <lcp_cst.h>
#include <stdio.h>

#include "clock.h"
#include "contact_problems.h"

typedef struct lcp_task {
  LinearComplementarityProblem problem;
  SolverOptions *options;
  double *z, *w;
  int info;
} lcp_task;

static void solve_lcp(void *context) {
  lcp_task *t = context;
  memset(t->z, 0, (size_t)t->problem.size * sizeof *t->z);
  memset(t->w, 0, (size_t)t->problem.size * sizeof *t->w);
  t->info = linearComplementarity_driver(&t->problem, t->z, t->w, t->options);
}

static double lcp_residual(const lcp_data *d, const double *z) {
  double worst = 0, scale = 0;
  for (long i = 0; i < d->n; i++) {
    double w = d->q[i], size = 0;
    for (long j = 0; j < d->n; j++) w += d->M[i * d->n + j] * z[j], size += fabs(d->M[i * d->n + j] * z[j]);
    worst = fmax(worst, fabs(fmin(z[i], w)));
    scale = fmax(scale, fmax(size, fabs(d->q[i])));
  }
  return worst / scale;
}

static void measure_lcp(int n, int id, const char *name) {
  double seconds[LCP_SEEDS], worst = 0, pivots = 0;
  for (int seed = 0; seed < LCP_SEEDS; seed++) {
    lcp_data d = lcp_random(n, seed);
    double *columns = malloc((size_t)n * (size_t)n * sizeof *columns);  // symmetric: rows are columns
    memcpy(columns, d.M, (size_t)n * (size_t)n * sizeof *columns);
    NumericsMatrix *M = NM_create_from_data(NM_DENSE, n, n, columns);
    lcp_task t = {{n, M, d.q},
                  solver_options_create(id),
                  calloc((size_t)n, sizeof(double)),
                  calloc((size_t)n, sizeof(double)),
                  0};
    t.options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
    t.options->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
    seconds[seed] = clock_median(solve_lcp, &t, 0.01);
    worst = fmax(worst, lcp_residual(&d, t.z));
    pivots += t.options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(t.options);
    NM_clear(M);
    free(M);
    free(t.z), free(t.w);
    lcp_free(&d);
  }
  qsort(seconds, LCP_SEEDS, sizeof *seconds, clock_compare);
  printf("Siconos %-10s n=%-4d median %10.2f us (%.2f to %.2f), %.1f iterations, worst residual %.1e\n", name, n,
         1e6 * seconds[LCP_SEEDS / 2], 1e6 * seconds[0], 1e6 * seconds[LCP_SEEDS - 1], pivots / LCP_SEEDS, worst);
}

typedef struct friction_task {
  FrictionContactProblem *problem;
  double *r, *u;
  int iterations;
} friction_task;

static void solve_friction(void *context) {
  friction_task *t = context;
  SolverOptions *o = solver_options_create(SICONOS_FRICTION_3D_NSGS);
  o->dparam[SICONOS_DPARAM_TOL] = 1e-8;
  o->iparam[SICONOS_IPARAM_MAX_ITER] = 20000;
  memset(t->r, 0, 3 * (size_t)t->problem->numberOfContacts * sizeof *t->r);
  memset(t->u, 0, 3 * (size_t)t->problem->numberOfContacts * sizeof *t->u);
  fc3d_driver(t->problem, t->r, t->u, o);
  t->iterations = o->iparam[SICONOS_IPARAM_ITER_DONE];
  solver_options_delete(o);
}

static void measure_scene(int contacts, int bodies) {
  scene_data s = scene_random(contacts, bodies);
  int n = 3 * contacts;
  NumericsMatrix *T = NM_create(NM_SPARSE, n, n);
  NM_triplet_alloc(T, 200 * contacts);
  T->matrix2->origin = NSM_TRIPLET;
  double W[9];
  for (int a = 0; a < contacts; a++)
    for (int b = 0; b < contacts; b++)
      if (scene_block(&s, a, b, W))
        for (int k = 0; k < 9; k++) NM_entry(T, 3 * a + k / 3, 3 * b + k % 3, W[k] + 1e-300);  // keeps the blocks whole
  NumericsMatrix *blocks = NM_create(NM_SPARSE_BLOCK, n, n);
  blocks->matrix1 = SBM_new();
  SBM_from_csparse(3, NM_csc(T), blocks->matrix1);
  friction_task t = {frictionContactProblem_new_with_data(3, contacts, blocks, s.q, s.mu),
                     calloc((size_t)n, sizeof(double)), calloc((size_t)n, sizeof(double)), 0};
  double seconds = clock_median(solve_friction, &t, 0.05), error = 0, norm = 0;
  for (int i = 0; i < n; i++) norm += s.q[i] * s.q[i];
  SolverOptions *o = solver_options_create(SICONOS_FRICTION_3D_NSGS);
  fc3d_compute_error(t.problem, t.r, t.u, 1e-8, o, sqrt(norm), &error);
  printf(
      "Siconos nsgs %-8s %4d contacts, %4d bodies: %9.3f ms, %d sweeps, residual %.1e, %.3f us a contact and sweep\n",
      "sparse", contacts, bodies, 1e3 * seconds, t.iterations, error, 1e6 * seconds / t.iterations / contacts);
  solver_options_delete(o);
  free(t.r), free(t.u);  // the problem goes with the program
}

int main(void) {
  for (int i = 0; i < LCP_SIZES; i++) measure_lcp(lcp_sizes[i], SICONOS_LCP_LEMKE, "lemke");
  for (int i = 0; i < LCP_SIZES; i++) measure_lcp(lcp_sizes[i], SICONOS_LCP_PGS, "pgs");
  for (int i = 0; i < LCP_SIZES; i++) measure_lcp(lcp_sizes[i], SICONOS_LCP_NEWTON_MIN_FBLSA, "newton");
  for (int i = 0; i < SCENE_SIZES; i++) measure_scene(scene_sizes[i][0], scene_sizes[i][1]);
  return 0;
}
