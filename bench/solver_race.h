// The chain of solvers beside each of its solvers alone, on one problem. Times are of the processor, the best of
// several runs taken in turn in one process: work is compared and not seconds.
#ifndef BENCH_SOLVER_RACE_H
#define BENCH_SOLVER_RACE_H

#include "clock.h"
#include "scene_matrix.h"
#include "solve/solver.h"

typedef struct race_bed {
  const solve_problem *p;
  solve_workspace *w;
  solve_solution to;
  interrupt stop;
  double until;  // of the processor [s]
} race_bed;

static inline bool race_goes_on(void *context) { return clock_processor() < ((race_bed *)context)->until; }

static inline void race_begin(race_bed *b, const solve_problem *p) {
  size_t rows = (size_t)p->W.rows;
  solve_limits limits = solve_limits_of(p);
  *b = (race_bed){.p = p,
                  .w = solve_workspace_create(&limits, NULL),
                  .to = {calloc(rows, sizeof(double)), calloc(rows, sizeof(double))},
                  .stop = {.go_on = race_goes_on, .context = b}};
  b->w->stop = &b->stop;
}

static inline void race_end(race_bed *b) {
  solve_workspace_destroy(b->w);
  free(b->to.r), free(b->to.u);
}

// One run, by the chain where `s` is null; given up after `most` seconds.
static inline double race_run(race_bed *b, const solver *s, double tolerance, int iterations, double most,
                              solve_info *info) {
  solve_settings settings = solve_settings_default();
  settings.tolerance = tolerance, settings.iterations = iterations;
  b->stop.raised = false;
  double began = clock_processor();
  b->until = began + most;
  *info = s ? solver_run(s, b->p, &settings, b->w, &b->to) : solve_chain(b->p, &settings, b->w, &b->to, NULL);
  return clock_processor() - began;
}

enum { RACE_SOLVERS_MAX = 16, RACE_RUNS = 5 };

typedef struct race_result {
  double chain, alone;  // best times of the chain and of the quickest solver alone [s]
  double ratio;         // of the two; 0 where neither solved the problem, infinite where only the chain did not
  solve_info of_chain;
  const char *quickest;  // of the solvers alone
  double least;          // residual of the solvers alone
} race_result;

// Each solver alone may take ten times its own limit of iterations and as long as the chain, and where the chain has
// not solved the problem `patience` times as long: whatever takes longer than the chain is not its equal. No run takes
// longer than `most` seconds; a chain that is ended by that counts as one that has not solved the problem.
static inline race_result race_problem(const solve_problem *p, double tolerance, double patience, double most) {
  race_bed b;
  race_begin(&b, p);
  int count;
  const solver *const *list = solver_list(&count);
  double best[RACE_SOLVERS_MAX];
  bool runs[RACE_SOLVERS_MAX], solved = true;
  race_result x = {.chain = INFINITY, .alone = INFINITY, .least = INFINITY, .quickest = "none"};
  for (int i = 0; i < count; i++) best[i] = INFINITY, runs[i] = list[i]->suits(p);
  for (int k = 0; k < RACE_RUNS && (k < 2 || x.chain < 1); k++) {
    x.chain = fmin(x.chain, race_run(&b, NULL, tolerance, 0, most, &x.of_chain));
    solved = x.of_chain.status == SOLVE_SOLVED;
    for (int i = 0; i < count; i++) {
      solve_info info;
      if (!runs[i]) continue;
      double seconds = race_run(&b, list[i], tolerance, 10 * list[i]->limit(p),
                                fmin(most, solved ? 1.1 * x.chain : patience * x.chain), &info);
      x.least = fmin(x.least, info.residual);
      runs[i] =
          info.status == SOLVE_SOLVED && seconds < 2 * x.chain;  // others are not the quickest the next time either
      if (info.status == SOLVE_SOLVED) best[i] = fmin(best[i], seconds);
    }
  }
  for (int i = 0; i < count; i++)
    if (best[i] < x.alone) x.alone = best[i], x.quickest = list[i]->name;
  x.ratio = solved ? x.chain / x.alone : x.alone < INFINITY ? INFINITY : 0;
  race_end(&b);
  return x;
}

#endif
