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

// What one run took: processor time [s] and work by the model of solve/work.h.
typedef struct race_cost {
  double seconds, work;
} race_cost;

// One run, by the chain where `s` is null; given up after `most` seconds. `log` may be null.
static inline race_cost race_run_logged(race_bed *b, const solver *s, double tolerance, int iterations, double most,
                                        solve_info *info, chain_log *log) {
  solve_settings settings = solve_settings_default();
  settings.tolerance = tolerance, settings.iterations = iterations;
  b->stop.raised = false, b->w->work = 0, b->w->log = log;
  if (log) log->count = 0;
  double began = clock_processor();
  b->until = began + most;
  *info = s ? solver_run(s, b->p, &settings, b->w, &b->to) : solve_chain(b->p, &settings, b->w, &b->to, NULL);
  b->w->log = NULL;
  return (race_cost){clock_processor() - began, b->w->work};
}

static inline double race_run(race_bed *b, const solver *s, double tolerance, int iterations, double most,
                              solve_info *info) {
  return race_run_logged(b, s, tolerance, iterations, most, info, NULL).seconds;
}

enum { RACE_SOLVERS_MAX = 16, RACE_RUNS = 5 };  // runs: unless the terms say otherwise

typedef struct race_result {
  race_cost chain, alone;              // of the chain and of the quickest solver alone: best times, least work
  race_cost solver[RACE_SOLVERS_MAX];  // of each solver of the list that solved the problem; others are infinite
  double ratio, work_ratio;  // chain over alone; 0 where neither solved the problem, infinite where only the chain did
                             // not
  solve_info of_chain;
  chain_log log;         // of the chain
  const char *quickest;  // of the solvers alone
  double least;          // residual of the solvers alone
} race_result;

typedef struct race_terms {
  double tolerance;
  double slower;    // each solver alone may take so many times as long as a chain that has solved the problem,
  double patience;  // and as one that has not
  double most;      // of one run [s]
  int runs;         // of which the best counts; 0: RACE_RUNS
} race_terms;

static inline void race_judge(race_result *x, const solver *const *list, int count) {
  bool solved = x->of_chain.status == SOLVE_SOLVED;
  x->alone = (race_cost){INFINITY, INFINITY};
  for (int i = 0; i < count; i++) {
    if (x->solver[i].seconds < x->alone.seconds) x->quickest = list[i]->name, x->alone.seconds = x->solver[i].seconds;
    if (x->solver[i].work > 0)
      x->alone.work = fmin(x->alone.work, x->solver[i].work);  // pivoting does not count its own
  }
  bool any = x->alone.seconds < INFINITY;
  x->ratio = solved ? x->chain.seconds / x->alone.seconds : any ? INFINITY : 0;
  x->work_ratio = solved ? x->chain.work / x->alone.work : any ? INFINITY : 0;
}

// The chain and each solver alone in turns. A solver alone may take ten times its own limit of iterations, and the time
// that the terms give it. No run takes longer than `most` seconds; a chain that is ended by that counts as one that has
// not solved the problem.
static inline race_result race_problem(const solve_problem *p, const race_terms *terms) {
  race_bed b;
  race_begin(&b, p);
  int count;
  const solver *const *list = solver_list(&count);
  bool runs[RACE_SOLVERS_MAX];
  race_result x = {.chain = {INFINITY, INFINITY}, .least = INFINITY, .quickest = "none"};
  for (int i = 0; i < count; i++) x.solver[i] = x.chain, runs[i] = list[i]->suits(p);
  for (int k = 0; k < (terms->runs ? terms->runs : RACE_RUNS) && (k < 2 || x.chain.seconds < 1); k++) {
    race_cost cost = race_run_logged(&b, NULL, terms->tolerance, 0, terms->most, &x.of_chain, &x.log);
    x.chain.seconds = fmin(x.chain.seconds, cost.seconds), x.chain.work = cost.work;
    double times = x.of_chain.status == SOLVE_SOLVED ? terms->slower : terms->patience;
    for (int i = 0; i < count; i++) {
      solve_info info;
      if (!runs[i]) continue;
      cost = race_run_logged(&b, list[i], terms->tolerance, 10 * list[i]->limit(p),
                             fmin(terms->most, times * x.chain.seconds), &info, NULL);
      x.least = fmin(x.least, info.residual);
      runs[i] = info.status == SOLVE_SOLVED && cost.seconds < 2 * x.chain.seconds;  // others are not the quickest
      if (info.status != SOLVE_SOLVED) continue;
      x.solver[i].seconds = fmin(x.solver[i].seconds, cost.seconds), x.solver[i].work = cost.work;
    }
  }
  race_judge(&x, list, count);
  race_end(&b);
  return x;
}

#endif
