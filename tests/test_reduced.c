// Contact problems whose bilateral rows are taken out before they are solved (solve/reduced.h).
#include "check.h"

#include "solve/reduced.h"
#include "solve/residual.h"
#include "solve/solver.h"

enum { JOINTS = 24, FEET = 6, ROWS = JOINTS + 3 * FEET, BLOCKS = JOINTS + FEET };

static unsigned seed;
static double noise(void) {
  seed = seed * 1664525u + 1013904223u;
  return (double)(seed >> 8) / (1 << 23) - 1;
}

typedef struct bench {
  solve_block blocks[BLOCKS];
  int start[BLOCKS + 1];
  double W[ROWS * ROWS], q[ROWS], r[ROWS], u[ROWS];
  solve_problem problem;
  solve_workspace *workspace;
} bench;

// W = J Jᵀ. The rows of the joints are those of a chain, each with a large part of the one before, so that they hold
// each other.
static void fill(bench *b) {
  static double J[ROWS][ROWS];
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < ROWS; k++) J[i][k] = (i > 0 && i < JOINTS ? 0.9 * J[i - 1][k] : 0) + (i == k) + 0.2 * noise();
  for (int i = 0; i < ROWS; i++) {
    b->q[i] = noise();
    for (int j = 0; j < ROWS; j++) {
      double sum = 0;
      for (int k = 0; k < ROWS; k++) sum += J[i][k] * J[j][k];
      b->W[i * ROWS + j] = sum;
    }
  }
}

static bool open_bench(bench *b) {
  *b = (bench){0};
  for (int i = 0; i < BLOCKS; i++) {
    const bool joint = i < JOINTS;
    b->start[i] = joint ? i : JOINTS + 3 * (i - JOINTS);
    b->blocks[i] = (solve_block){.kind = joint ? BLOCK_BILATERAL : BLOCK_SPACE,
                                 .row = b->start[i],
                                 .size = joint ? 1 : 3,
                                 .mu = joint ? 0 : 0.7};
  }
  b->start[BLOCKS] = ROWS;
  fill(b);
  b->problem = (solve_problem){
      .block_count = BLOCKS, .blocks = b->blocks, .q = b->q, .W = matrix_dense(ROWS, BLOCKS, b->start, b->W)};
  const solve_limits limits = solve_limits_of(&b->problem);
  carom_error error = {0};
  b->workspace = solve_workspace_create(&limits, &error);
  return CHECK(b->workspace);
}

static solve_info solve(bench *b) {
  solve_settings settings = solve_settings_default();
  settings.tolerance = 1e-10;
  return solve_chain(&b->problem, &settings, b->workspace, &(solve_solution){b->r, b->u}, NULL);
}

// Sweeps over the joints as well take as many again for each link of the chain.
static void joints_cost_no_sweeps(void) {
  bench b;
  for (seed = 1; seed < 20; seed += 1) {
    const unsigned kept = seed;
    if (!open_bench(&b)) return;
    const solve_info info = solve(&b);
    CHECK_EQUAL(info.status, SOLVE_SOLVED);
    CHECK_LE(info.residual, 1e-10);
    for (int i = 0; i < JOINTS; i++) CHECK_NEAR(b.u[i], 0, 1e-9);
    solve_settings settings = solve_settings_default();
    settings.tolerance = 1e-10, settings.polish = false;
    const solve_info swept = solver_run(&solver_nsgs, &b.problem, &settings, b.workspace, &(solve_solution){b.r, b.u});
    CHECK_LE(2 * info.iterations, swept.iterations);
    solve_workspace_destroy(b.workspace);
    seed = kept;
  }
}

static void decouple(bench *b, int i) {
  const double own = b->W[i * (ROWS + 1)];
  for (int j = 0; j < ROWS; j++) b->W[i * ROWS + j] = b->W[j * ROWS + i] = 0;
  b->W[i * (ROWS + 1)] = own;
}

static void rows_that_are_decoupled_are_solved_alone(void) {
  bench b;
  seed = 7;
  if (!open_bench(&b)) return;
  for (int i = 0; i < JOINTS; i += 2) decouple(&b, i);
  CHECK_EQUAL(solve(&b).status, SOLVE_SOLVED);
  for (int i = 0; i < JOINTS; i += 2) CHECK_NEAR(b.r[i], -b.q[i] / b.W[i * (ROWS + 1)], 1e-12 * fabs(b.r[i]));
  solve_workspace_destroy(b.workspace);
}

static void repeat(bench *b, int from, int to) {
  for (int j = 0; j < ROWS; j++) b->W[to * ROWS + j] = b->W[from * ROWS + j];
  for (int j = 0; j < ROWS; j++) b->W[j * ROWS + to] = b->W[j * ROWS + from];
  b->q[to] = b->q[from];
}

// A row that repeats another leaves no single solution: the problem is not reduced, and the other solvers find one.
static void rows_that_repeat_others_are_left_to_other_solvers(void) {
  bench b;
  seed = 3;
  if (!open_bench(&b)) return;
  repeat(&b, 2, 9);
  const solve_limits limits = solve_limits_of(&b.problem);
  CHECK(reduced_suits(&b.problem, &limits));
  reduced f = reduced_lay_out(b.workspace, &limits);
  CHECK(!reduced_make(&f, &b.problem, b.r, NULL));
  b.workspace->used = 0;
  CHECK_EQUAL(solve(&b).status, SOLVE_SOLVED);
  for (int i = 0; i < JOINTS; i++) CHECK_NEAR(b.u[i], 0, 1e-8);
  solve_workspace_destroy(b.workspace);
}

int main(void) {
  RUN(joints_cost_no_sweeps);
  RUN(rows_that_are_decoupled_are_solved_alone);
  RUN(rows_that_repeat_others_are_left_to_other_solvers);
  return check_summary();
}
