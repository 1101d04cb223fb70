// Contact solvers: each on each reference problem, Lemke by size, and Gauss–Seidel on many contacts beside Siconos
// (peer_siconos_solvers). bench_solver_race has the chain of them.
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "contact_problems.h"
#include "scene_matrix.h"
#include "solve/islands.h"
#include "solve/problem_text.h"
#include "solve/solver.h"
#include "solve_file.h"

// --- reference problems ----------------------------------------------------------------------------------------------

static void print_result(void *context, const solve_info *info, const char *solver) {
  printf("%-32s %-14s %-10s %8d %10.1e %12.1f us\n", (const char *)context, solver,
         info->status == SOLVE_SOLVED ? "solved" : "failed", info->iterations, info->residual, 1e6 * info->seconds);
}

static void run_everything(const solve_problem *p, const char *name, carom_error *error) {
  solve_limits limits = solve_limits_of(p);
  solve_workspace *w = solve_workspace_create(&limits, error);
  double *r = calloc((size_t)p->W.rows, sizeof *r), *u = calloc((size_t)p->W.rows, sizeof *u);
  solve_settings settings = solve_settings_default();
  solve_solution solution = {r, u};
  int count;
  const solver *const *list = solver_list(&count);
  for (int i = -1; i < count; i++) {
    if (i >= 0 && !list[i]->suits(p)) continue;
    solve_info info = {0};
    for (int k = 0; k < 2; k++) {  // the second run finds its memory in place
      double began = clock_now();
      info = i < 0 ? solve_chain(p, &settings, w, &solution, NULL) : solver_run(list[i], p, &settings, w, &solution);
      info.seconds = clock_now() - began;
    }
    print_result((void *)name, &info, i < 0 ? "chain" : list[i]->name);
  }
  solve_workspace_destroy(w);
  free(r), free(u);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
static int visible(const struct dirent *d) { return d->d_name[0] != '.'; }

static void run_folder(const char *folder) {
  const char *shared = getenv("CAROM_SHARED");
  char place[1024], path[1400];
  snprintf(place, sizeof place, "%s/refs/%s", shared ? shared : BENCH_MODELS "/../../shared", folder);
  struct dirent **files;
  int count = scandir(place, &files, visible, by_name);
  if (count < 0) printf("no reference problems in %s\n", place);
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s/%s", place, files[i]->d_name);
    jmp_buf out_of_memory;
    if (setjmp(out_of_memory)) exit(1);
    arena memory = arena_create(&out_of_memory);
    carom_error error = {0};
    const solve_problem *p = solve_file_read(&memory, path, &error);
    if (p) run_everything(p, files[i]->d_name, &error);
    else printf("%s\n", error.text);
    arena_free(&memory);
    free(files[i]);
  }
  if (count >= 0) free(files);
}

// --- timing ----------------------------------------------------------------------------------------------------------

typedef struct task {
  const solver *solver;
  const solve_problem *problem;
  solve_settings settings;
  solve_workspace *workspace;
  solve_solution solution;
  solve_info info;
} task;

static void solve_once(void *context) {
  task *t = context;
  t->info = solver_run(t->solver, t->problem, &t->settings, t->workspace, &t->solution);
}

static task begin(const solver *s, const solve_problem *p, double tolerance, bool polish) {
  solve_limits limits = solve_limits_of(p);
  task t = {.solver = s,
            .problem = p,
            .settings = solve_settings_default(),
            .workspace = solve_workspace_create(&limits, NULL),
            .solution = {calloc((size_t)p->W.rows, sizeof(double)), calloc((size_t)p->W.rows, sizeof(double))}};
  t.settings.tolerance = tolerance;
  t.settings.polish = polish;
  return t;
}

static void end(task *t) {
  solve_workspace_destroy(t->workspace);
  free(t->solution.r), free(t->solution.u);
}

static void measure_lcp(arena *memory, const solver *s, int n) {
  double seconds[LCP_SEEDS], worst = 0, pivots = 0;
  for (int seed = 0; seed < LCP_SEEDS; seed++) {
    lcp_data d = lcp_random(n, seed);
    const solve_block *blocks = problem_build_blocks(memory, BLOCK_UNILATERAL, 1, n, NULL);
    solve_problem p = {n, blocks, matrix_dense(n, n, problem_build_start(memory, blocks, n), d.M), d.q};
    task t = begin(s, &p, 1e-10, true);
    seconds[seed] = clock_median(solve_once, &t, 0.01);
    worst = fmax(worst, t.info.residual);
    pivots += t.info.iterations;
    end(&t);
    lcp_free(&d);
  }
  qsort(seconds, LCP_SEEDS, sizeof *seconds, clock_compare);
  printf("carom   %-10s n=%-4d median %10.2f us (%.2f to %.2f), %.1f iterations, worst residual %.1e\n", s->name, n,
         1e6 * seconds[LCP_SEEDS / 2], 1e6 * seconds[0], 1e6 * seconds[LCP_SEEDS - 1], pivots / LCP_SEEDS, worst);
}

enum { SPARSE_MAX = 2000 };  // contacts, beyond which W is not formed

static void measure_scene(arena *memory, int contacts, int bodies) {
  scene_data s = scene_random(contacts, bodies);
  const solve_block *blocks = problem_build_blocks(memory, BLOCK_SPACE, 3, contacts, s.mu);
  const int *start = problem_build_start(memory, blocks, contacts);
  for (int factored = contacts > SPARSE_MAX; factored < 2; factored++) {
    solve_problem p = {contacts, blocks, factored ? scene_factored(memory, &s, start) : scene_sparse(memory, &s, start),
                       s.q};
    task t = begin(&solver_nsgs, &p, 1e-8, false);
    double seconds = clock_median(solve_once, &t, 0.05);
    printf(
        "carom   nsgs %-8s %4d contacts, %4d bodies: %9.3f ms, %d sweeps, residual %.1e, %.3f us a contact and "
        "sweep\n",
        p.W.ops->name, contacts, bodies, 1e3 * seconds, t.info.iterations, t.info.residual,
        1e6 * seconds / t.info.iterations / contacts);
    end(&t);
    if (!factored) continue;
    t = begin(&solver_alart_curnier, &p, 1e-8, false);
    double newton = clock_median(solve_once, &t, 0.05);
    printf("carom   alart-curnier %4d contacts, %4d bodies: %9.3f ms, residual %.1e: %.1f times nsgs\n", contacts,
           bodies, 1e3 * newton, t.info.residual, seconds / newton);
    end(&t);
  }
  scene_free(&s);
}

// A pile in pieces, by islands: work per contact and sweep and memory per contact do not depend on how many there are.
static void measure_crowd(arena *memory, int base, double tolerance) {
  scene_data s = scene_balls(base, 0.3, 1e-2);
  const solve_block *blocks = problem_build_blocks(memory, BLOCK_SPACE, 3, s.contacts, s.mu);
  solve_problem p = {s.contacts, blocks, scene_factored(memory, &s, problem_build_start(memory, blocks, s.contacts)),
                     s.q};
  solve_islands islands = {0};
  solve_solution to = {calloc((size_t)p.W.rows, sizeof(double)), calloc((size_t)p.W.rows, sizeof(double))};
  solve_settings settings = solve_settings_default();
  settings.tolerance = tolerance;
  double least = INFINITY;
  solve_info info = {0};
  for (int k = 0; k < 5; k++) {
    double began = clock_processor();
    if (!islands_find(&islands, &p, NULL)) return;
    info = islands_solve(&islands, &p, &settings, NULL, &to, NULL);
    least = fmin(least, clock_processor() - began);
  }
  printf(
      "carom   pile in pieces %6d contacts, %5d balls to %.0e: %9.3f ms, %d sweeps, residual %.1e, %.3f us a contact "
      "and sweep, %.0f bytes a contact\n",
      s.contacts, s.bodies, tolerance, 1e3 * least, info.iterations, info.residual,
      1e6 * least / info.iterations / s.contacts, (double)islands.workspace->size / s.contacts);
  islands_free(&islands);
  free(to.r), free(to.u);
  scene_free(&s);
}

int main(void) {
  printf("%-32s %-14s %-10s %8s %10s %15s\n", "problem", "solver", "", "steps", "residual", "time");
  run_folder("lcp");
  run_folder("friction");
  jmp_buf out_of_memory;
  if (setjmp(out_of_memory)) return 1;
  arena memory = arena_create(&out_of_memory);
  const solver *const of_lcp[] = {&solver_lemke, &solver_pgs, &solver_newton};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < LCP_SIZES; i++) measure_lcp(&memory, of_lcp[k], lcp_sizes[i]);
  for (int i = 0; i < SCENE_SIZES; i++) measure_scene(&memory, scene_sizes[i][0], scene_sizes[i][1]);
  measure_scene(&memory, 10000, 10000);
  static const int piles[] = {8, 14, 20, 30};
  for (int i = 0; i < 4; i++) measure_crowd(&memory, piles[i], 1e-2), measure_crowd(&memory, piles[i], 1e-4);
  arena_free(&memory);
  return 0;
}
