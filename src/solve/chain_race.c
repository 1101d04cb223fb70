// The chain for large problems. Gauss–Seidel sweeps always make some progress: on easy problems they need less work
// than one factorisation, on hyperstatic ones they hardly converge at all. Which solver is best is not known
// beforehand. So sweeps run first, and the other solvers are tried in between, when that is likely to be quicker.
//
// All costs are counted in sweeps, by a model of the work and not by a clock, so that results do not depend on the
// machine. After s sweeps, R more are expected from the rate at which the residual falls. A solver of cost C is tried
//
//   when s ≥ C · wait, so that a failed attempt costs no more than a fraction of the sweeps,
//   when R > 0.8 C, so that going on with sweeps would take about as long, and
//   when s + R > 2 C, so that a failed attempt costs no more than half of all sweeps.
//
// Interior points seldom fail: where W is formed R > 0.5 C is enough for them.
//
// In pieces all this is seen in another way, because there interior points may fail, and sweeps are cheap: interior
// points cost C, as much as a thousand sweeps. So
//
//   sweeps go on until they have cost 0.15 C, until 0.2 C if few digits are to go or R ≤ 3 C, and on as long as R ≤
//   0.65 C, or less where they have cost more;
//   then, if many digits are to go and R ≤ C, three Newton steps from the sweeps are tried;
//   then interior points start from the sweeps, with a slice of 3 C, in which most runs end;
//   where that fails they start from the middle of their cones;
//   then all take turns in slices: interior points, Newton's steps from the sweeps with more and more patience,
//   Newton's steps and sweeps in turns (cone_local.h), and interior points that hold the slips.
//
// What is left goes on where it was. All slices together cost R/4C of what the sweeps cost, but at least a third and at
// most four times as much: the longer the sweeps are expected to take, the more is left to the others. The next slice
// is that of the solver that has cost least with it; interior points may cost six times as much as each other one.
//
// R is a guess on piles: after 0.2 C it tells 6 of 15 that sweeps solve within C from 22 that take longer. Interior
// points from the sweeps take a half to four fifths of the steps that they take from the middle, from 50 sweeps on. So
// the sweeps may go on for some while, and the chain still takes about as long as interior points alone.
//
// Sweeps over a crowd of balls may run in circles, which interior points on all of it often do not end. There the
// sweeps go on in rounds with patches (cone_patch.h) before anything else is tried.
//
// The sweeps continue from their own last iterate, or from the patches, as if nothing else had been tried. So without
// patches the chain reaches at least what they reach alone. They have no fixed end as long as they are expected to
// reach one. Sweeps from a warm start that creep are begun again from zero: percussions of the last step may be a bad
// start.
//
// A limit of the user ends the sweeps early, and then nothing is to be tried that would not have been tried without it.
// The race goes on without sweeping, as if the sweeps went on at the rate they had: with the same solvers in the same
// order, and to the point at which the sweeps would have solved the problem.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "solve/chain.h"
#include "solve/condensed.h"
#include "solve/cone.h"
#include "solve/cone_alart_curnier.h"
#include "solve/cone_interior.h"
#include "solve/cone_local.h"
#include "solve/cone_nsgs.h"
#include "solve/cone_patch.h"
#include "solve/friction_lcp.h"
#include "solve/residual.h"
#include "solve/work.h"

typedef struct runner {
  const solver *solver;
  bool warm;  // from the sweeps, else from zero
  int again;  // tried again after so many times as many sweeps; 0: not again
  struct {
    double steps;    // factorisations of all rows that it is expected to cost
    double wait;     // tried after `wait` times that in sweeps
    int iterations;  // at most so many; 0: the solver's own limit
  } formed, pieces;  // where W is formed, and for problems in pieces
} runner;

// Newton's steps on the active set of the sweeps, given up after two in vain: where that set is almost right, two or
// three of them solve the problem. A residual well below the tolerance is enough.
static const double PROBED = 1e-3;
static bool probe_suits(const solve_problem *p) { return solver_alart_curnier.suits(p); }
static int probe_limit(const solve_problem *p) { return (void)p, 1; }
static solve_status probe(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                          solve_info *info) {
  info->polished = alart_curnier_probe(p, w, PROBED * s->tolerance, r);
  return SOLVE_INACCURATE;
}

static const solver prober = {
    .name = "nsgs", .suits = probe_suits, .limit = probe_limit, .solve = probe, .finite = true};

// Interior points in two parts: slips follow, and where that fails they are held. In pieces the first goes on where it
// was left.
static bool interior_suits(const solve_problem *p) { return solver_interior.suits(p); }
static int interior_limit(const solve_problem *p) { return solver_interior.limit(p); }
static solve_status follow(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                           solve_info *info) {
  if (condensed_suits(p)) return interior_path_go_on(w->interior, p, s, w, r, info);
  return solver_interior.solve(p, s, w, r, info);
}
static const solver follower = {
    .name = "interior", .suits = interior_suits, .limit = interior_limit, .solve = follow, .resumes = true};
static const solver holder = {
    .name = "interior", .suits = interior_suits, .limit = interior_limit, .solve = interior_hold, .finite = false};

// Newton's method from zero, which goes on where it was left.
static int walker_limit(const solve_problem *p) { return (void)p, ALART_CURNIER_STEPS; }
static solve_status walk(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                         solve_info *info) {
  return newton_path_go_on(w->path, p, s, w, r, info);
}
static const solver walker = {
    .name = "alart-curnier", .suits = probe_suits, .limit = walker_limit, .solve = walk, .finite = false};

// The same from the sweeps. In pieces with a patience that grows from try to try.
static solve_status descend(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                            solve_info *info) {
  return condensed_suits(p) ? newton_path_go_on(w->path, p, s, w, r, info) : alart_curnier_walk(p, s, w, r, info);
}
static const solver descender = {
    .name = "alart-curnier", .suits = probe_suits, .limit = walker_limit, .solve = descend, .resumes = true};

// Newton's steps and sweeps in turns, for problems in pieces.
static bool turner_suits(const solve_problem *p) { return condensed_suits(p) && solver_alart_curnier.suits(p); }
static int turner_limit(const solve_problem *p) { return (void)p, LOCAL_LIMIT; }
static solve_status turn(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                         solve_info *info) {
  return w->weights ? local_path_go_on(w->local, p, s, w, r, info) : SOLVE_UNSUITABLE;
}
static const solver turner = {
    .name = "alart-curnier", .suits = turner_suits, .limit = turner_limit, .solve = turn, .resumes = true};

enum { PROBE, INTERIOR, FRESH_NEWTON, NEWTON, HOLD, TURNS };
// Steps of INTERIOR: those of the table and so many for each digit of the tolerance. In pieces some more: piles stick
// to edges, and in a crowd many cones stick, one after the other.
static const double STEPS_PER_DIGIT = 1.4, OF_PIECES = 1.45, STEPS_PER_CONTACT = 0.005;
static const runner runners[] = {
    [PROBE] = {&prober, true, 2, {2, 6, 0}, {2, INFINITY, 0}},
    [INTERIOR] = {&follower, false, 0, {6, 0.1, 160}, {6, 0, 0}},  // and those of the digits
    [FRESH_NEWTON] = {&walker, false, 0, {40, 1.5, 80}, {40, INFINITY, 40}},
    [NEWTON] = {&descender, true, 2, {20, 0.7, 40}, {3, 0, 60}},
    [HOLD] = {&holder, true, 0, {150, 0.7, 150}, {150, 0, 300}},
    [TURNS] = {&turner, true, 0, {0, INFINITY, 0}, {10, 0, 0}},
    {&solver_lemke, false, 0, {0, 0.5, 0}, {0, 0, 0}},
    {&solver_newton, false, 0, {60, 3, 0}, {60, 0, 0}},
};
enum {
  RUNNERS = sizeof runners / sizeof *runners,
  LEAST_SWEEPS = 50,
  FIRST_IN_PIECES = 25,
  CROWD = 1000,
  WARM_CROWD = 400,
  LEAST_IN_PIECES = 150,
  AGAIN = 2000,
  STOPS = 16,
  PATIENCE = 2,
  PATH_STEPS = 2000,
  MORE_SWEEPS = 10,
  STARTS = 2,           // of interior points before all take turns; these go on where they were left
  PATCHED_FROM = 1500,  // sweeps over a crowd
  ROUNDS = 120          // with patches, at most
};

// What patches cost at most, in parts of what interior points are expected to cost; rows of problems that take them,
// in parts of the velocities.
static const double PATCHED = 2, PATCHED_ROWS = 1.5;
// What a path costs at most where W is formed, in parts of what the sweeps have cost.
static const double PATH_SHARE = 2;
// Interior points are tried when the sweeps are expected to take longer than this part of what they cost.
static const double EARLY = 0.5;
// In pieces nothing is tried before the sweeps have cost this part of that, and where they are far from a solution, or
// are expected to take longer than LIKELY of it, they then end.
static const double WAIT = 0.15, WAIT_LONGER = 0.2, LIKELY = 3;
// After that they go on while they are expected to end within SETTLED of it, and before LATEST or within WAIT.
static const double SETTLED = 0.65, LATEST = 1.1;
// What all others cost in pieces, in parts of what the sweeps have cost.
static const double SHARE_LEAST = 1.0 / 3, SHARE_MOST = 4;
// Of the turns in pieces interior points have so many times as much as each other solver.
static const double INTERIOR_WEIGHT = 6;
// Newton's steps come first where the sweeps are expected to solve the problem within C, and they are still far from
// it: the residual is above so many times the tolerance.
static const double FAR = 100;
// Slices of interior points in pieces, in parts of what they are expected to take: the first, and all others.
static const double FIRST_SLICE = 3, SLICE = 0.5;
// A residual that stands still may fall again. Interior points wait for that until the sweeps have cost this part of
// what they cost themselves.
static const double PLATEAU = 0.45;

static double sweep_work(const chain_run *c) { return nsgs_work(c->w->sweeps); }

static double factor_work(const solve_problem *p, solve_workspace *w) {
  if (condensed_suits(p) && condensed_begin(w->condensed, p))
    return work_in_pieces(condensed_work(w->condensed), p->W.rows);
  return work_formed(p->W.rows);
}

// --- the race --------------------------------------------------------------------------------------------------------

typedef struct race {
  chain_run *c;
  bool warm;                           // the sweeps began from what the caller knew, else from zero
  bool pieces;                         // the problem is in pieces, else W is formed
  bool lined_up;                       // the costs are known
  double cost[RUNNERS], due[RUNNERS];  // in sweeps; infinite: not any more
  bool tried[RUNNERS];
  bool put_off[RUNNERS];        // due, but the sweeps were expected to end soon
  double spent[RUNNERS];        // by each so far, in sweeps
  double others, share;         // by all of them; in pieces how much they may cost, in parts of the sweeps
  int started_at[RUNNERS];      // sweeps at the last try
  bool ahead;                   // a probe has found almost the right active set: Newton goes on from there
  int sweeps, limit;            // done, or thought of as done; at most
  int allowed;                  // by the user; beyond that nothing is swept
  double end;                   // where sweeps beyond that would have ended; infinite before
  bool on_path;                 // Newton's method from zero was left before its end
  bool running[RUNNERS];        // in pieces: left before its end
  int iterations[RUNNERS];      // in pieces: of the run at hand
  int starts, patience;         // in pieces: of interior points so far; of Newton's method the next time
  double residual, least;       // of the sweeps, now and at best
  int stop[STOPS], stop_count;  // the last stops, and the residuals and the least ones there
  double residual_at[STOPS], least_at[STOPS];
} race;

static double work_of(const race *x, int i) {
  const runner *r = &runners[i];
  double steps = x->pieces ? r->pieces.steps : r->formed.steps;
  if (i == INTERIOR) {
    steps -= STEPS_PER_DIGIT * log10(x->c->settings->tolerance);
    if (x->pieces) steps = OF_PIECES * steps + STEPS_PER_CONTACT * x->c->p->block_count;
  }
  return r->solver == &solver_lemke ? work_pivoting(lcp_unknowns(x->c->p)) : steps * factor_work(x->c->p, x->c->w);
}

static double first_due(const race *x, int i) {
  const solve_problem *p = x->c->p;
  bool runs = runners[i].solver->suits(p) && (i != PROBE || x->c->settings->polish);
  double wait = x->pieces ? runners[i].pieces.wait : runners[i].formed.wait;
  return runs ? fmax(LEAST_SWEEPS, wait * x->cost[i]) : INFINITY;
}

static void line_up(race *x) {
  double sweep = sweep_work(x->c);
  for (int i = 0; i < RUNNERS; i++) x->cost[i] = work_of(x, i) / sweep, x->due[i] = first_due(x, i);
  x->lined_up = true;
}

// Where W is formed sweeps converge linearly, sooner or later, and the present residual tells their rate.

typedef struct rates {
  double of_late, in_all;  // sweeps still to be expected at the rate of late, and at the mean rate from the start
} rates;

static rates rates_of(const race *x) {
  int k = x->stop_count - 1;
  while (k > 0 && k > x->stop_count - STOPS && x->stop[k % STOPS] > 0.75 * x->sweeps) k--;
  double fall = log(x->residual_at[k % STOPS] / x->residual), to_go = log(x->residual / x->c->settings->tolerance);
  return (rates){fall > 0 ? (x->sweeps - x->stop[k % STOPS]) * to_go / fall : INFINITY,
                 x->residual < 1 ? x->sweeps * to_go / -log(x->residual) : INFINITY};
}

// The residual at the last stop before this part of the sweeps over the present one; infinite if no such stop is known.
static double fall_since(const race *x, double part) {
  int k = x->stop_count - 1;
  while (k > 0 && k > x->stop_count - STOPS && x->stop[k % STOPS] > part * x->sweeps) k--;
  return x->stop[k % STOPS] <= part * x->sweeps ? x->residual_at[k % STOPS] / x->residual : INFINITY;
}

// Whether the residual has stayed as it is for a third of the sweeps, or has not fallen for half of them, though it may
// have risen and fallen.
static bool stands_still(const race *x) {
  double of_late = fall_since(x, 0.67);
  return (of_late > 0.9 && of_late < 1.1) || fall_since(x, 0.5) < 1.1;
}

// At the rate of late, but at most six times as many as at the mean rate from the start, or as many as so far, because
// the residual of sweeps falls unevenly.
static double rest_formed(const race *x) {
  rates r = rates_of(x);
  return stands_still(x) ? INFINITY : fmin(r.of_late, fmax(6 * r.in_all, x->sweeps));
}

// In pieces the residual rises and falls by much, and the least one so far falls by a law of its own.

// The last stop in the first half of the sweeps, or the first one that is known.
static int half_way(const race *x) {
  int k = x->stop_count - 1;
  while (k > 0 && k > x->stop_count - STOPS && x->stop[k % STOPS] > x->sweeps / 2) k--;
  return k % STOPS;
}

// Whether the least residual has not fallen since then.
static bool runs_in_circles(const race *x) {
  int k = half_way(x);
  return x->stop[k] < x->sweeps && !(x->least < x->least_at[k]);
}

// The least residual falls at a constant rate (linear convergence) or with a power of the number of sweeps (as that of
// methods of first order, with which sweeps over piles begin). Both are taken from its fall since half of the sweeps;
// the first promises too much, the second too little, and their geometric mean is taken. Where it has not fallen at
// all, at least as many again.
static double rest_in_pieces(const race *x) {
  int k = half_way(x);
  double to_go = x->least / x->c->settings->tolerance;
  if (runs_in_circles(x)) return fmax(x->sweeps * (to_go - 1), x->sweeps);
  double fall = log(x->least_at[k] / x->least), power = fall / log((double)x->sweeps / x->stop[k]);
  if (!(fall > 0)) return x->sweeps * (to_go - 1);
  double linear = (x->sweeps - x->stop[k]) * log(to_go) / fall, slow = x->sweeps * (pow(to_go, 1 / power) - 1);
  return sqrt(linear * slow);
}

// Sweeps still to be expected.
static double rest_of_sweeps(const race *x) {
  if (x->end < INFINITY) return x->end - x->sweeps;
  return x->pieces ? rest_in_pieces(x) : rest_formed(x);
}

// The least number of them.
static double best_rest(const race *x) {
  rates r = rates_of(x);
  return x->pieces ? rest_in_pieces(x) : fmin(r.of_late, r.in_all);
}

// The user lets nothing more be swept. Too early to know a rate, or at a rate that solves the problem soon, the race
// ends; of two rates the quicker counts, so that nothing is tried in vain.
static void stop_sweeping(race *x) {
  x->end = x->sweeps < LEAST_SWEEPS ? x->sweeps : fmin(x->sweeps + best_rest(x), 1e9);
}

static solve_status sweep_on(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                             solve_info *info) {
  (void)p;
  return nsgs_go_on(w->sweeps, s, w->stop, r, info);
}
static const solver sweeper = {.name = "nsgs", .solve = sweep_on};

// Whether the race goes on after sweeps by the one or the other solver.
static bool sweep_by(race *x, const solver *s, const solve_settings *settings) {
  chain_run *c = x->c;
  solve_settings own = *settings;
  own.warm_start = true;
  own.polish = false;
  solve_info info = chain_attempt(c, s, &own, c->d.swept);
  x->sweeps += info.iterations, x->residual = info.residual, x->least = fmin(x->least, x->residual);
  int k = x->stop_count++ % STOPS;
  x->stop[k] = x->sweeps, x->residual_at[k] = x->residual, x->least_at[k] = x->least;
  // where the judge finds that they ended too early, by rounding, they go on
  return info.status == SOLVE_LIMIT || info.status == SOLVE_INACCURATE;
}

// Whether the race goes on.
static bool sweep_to(race *x, int target) {
  chain_run *c = x->c;
  solve_settings own = *c->settings;
  if (x->end < INFINITY) {
    x->sweeps = target;
    return target < x->end;
  }
  own.iterations = (target < x->allowed ? target : x->allowed) - x->sweeps;
  if (!sweep_by(x, &sweeper, &own)) return false;
  if (x->sweeps == x->allowed) stop_sweeping(x);
  return x->sweeps < x->end;
}

// All parts of a path are one run, and the user's limit is one of all of them.
static int path_limit(const race *x) {
  int user = x->c->settings->iterations;
  return user && user < PATH_STEPS ? user : PATH_STEPS;
}

// A path that has not ended is expected to take as long again as it has taken so far. It is gone on with if the sweeps
// are expected to take longer, and as soon as they have cost half as much: where W is formed, neither then has less
// than a third of the time.
static void leave_path(race *x, const solve_info *info) {
  const newton_path *path = x->c->w->path;
  x->on_path = info->status == SOLVE_LIMIT && newton_path_steps(path) < path_limit(x);
  if (!x->on_path) return;
  double spent = newton_path_steps(path) * factor_work(x->c->p, x->c->w) / sweep_work(x->c);
  x->cost[FRESH_NEWTON] = fmax(spent, x->cost[FRESH_NEWTON] - spent);
  x->due[FRESH_NEWTON] = fmax(x->sweeps, spent / PATH_SHARE);
}

// One runner from `own`, which has its iterations; c->d.r is where it starts.
static solve_info attempt(race *x, int i, const solve_settings *own, bool limited) {
  chain_run *c = x->c;
  double before = c->w->work;
  solve_info info = chain_attempt(c, runners[i].solver, own, c->d.r);
  double spent = (c->w->work - before) / sweep_work(c);
  x->spent[i] += spent, x->others += spent;
  if (i != PROBE && !x->tried[i]) chain_record(c->tally, runners[i].solver->name, info.status == SOLVE_SOLVED);
  if (limited && info.status == SOLVE_LIMIT) c->cut = runners[i].solver->name;
  x->tried[i] = true, x->started_at[i] = x->sweeps;
  return info;
}

// Where W is formed.
static void try_runner(race *x, int i) {
  chain_run *c = x->c;
  size_t bytes = (size_t)c->p->W.rows * sizeof(double);
  const runner *r = &runners[i];
  solve_settings own = *c->settings;
  bool limited = chain_limit(&own, r->solver, c->p, r->formed.iterations, c->settings->iterations);
  own.warm_start = r->warm;
  own.polish = i != PROBE;
  if (r->warm) memcpy(c->d.r, i != PROBE && x->ahead ? c->best->r : c->d.swept, bytes);
  else memset(c->d.r, 0, bytes);
  if (i == FRESH_NEWTON && !x->on_path) newton_path_begin(c->w->path, c->p, path_limit(x), INT_MAX, c->d.r);
  if (i == FRESH_NEWTON) limited = newton_path_steps(c->w->path) + own.iterations >= c->settings->iterations;
  solve_info info = attempt(x, i, &own, limited && c->settings->iterations);
  x->put_off[i] = false;
  x->due[i] = r->again ? r->again * x->due[i] : INFINITY;
  if (i == FRESH_NEWTON) leave_path(x, &info);
  x->ahead = i == PROBE && c->info->residual < 0.1 * x->residual && info.residual <= c->info->residual;
  if (x->ahead && !chain_done(c)) x->due[NEWTON] = fmin(x->due[NEWTON], x->sweeps);
  if (i == INTERIOR) x->due[FRESH_NEWTON] = fmin(x->due[FRESH_NEWTON], x->sweeps);
}

// The next point at which something is decided: a runner is due, or 0.7 of the way there, to know the rate by then; in
// pieces at the latest half as many sweeps again, to know the least residual, and not before a twentieth of them, so
// that the stops that are kept reach back far enough.
static int next_stop(const race *x) {
  double due = fmin(x->limit, x->end);
  for (int i = 0; i < RUNNERS && !x->pieces; i++) due = fmin(due, x->due[i]);
  if (x->pieces) due = fmin(due, fmax(WAIT * x->cost[INTERIOR], x->others / x->share));
  if (x->sweeps < 0.65 * due) due *= 0.7;
  if (x->pieces) due = fmin(fmax(due, 1.05 * x->sweeps), 1.5 * x->sweeps);
  due = ceil(due / x->c->settings->check_every) * x->c->settings->check_every;
  due = fmax(due, x->sweeps + x->c->settings->check_every);
  return due < x->limit ? (int)due : x->limit;
}

// Sweeps still expected from which on a runner is tried where W is formed. Interior points seldom fail. What may fail
// is tried only if that costs at most half of all sweeps.
static double least_rest(const race *x, int i) {
  double cost = x->cost[i];
  return i == INTERIOR ? EARLY * cost : fmax(0.8 * cost, 2 * cost - x->sweeps);
}

// Whether a runner waits although it is due. `rest`: sweeps still expected.
static bool waits(race *x, int i, double rest) {
  if (i == PROBE && x->end < INFINITY) {  // the sweeps have stopped: they are polished in the end
    x->due[i] = INFINITY;
  } else if (i == INTERIOR && rest == INFINITY && x->sweeps < PLATEAU * x->cost[i]) {
    x->due[i] = PLATEAU * x->cost[i];
  } else if (rest <= least_rest(x, i)) {  // the sweeps may slow down
    x->put_off[i] = true, x->due[i] = x->sweeps + fmin(1.5 * rest, 0.25 * x->sweeps);
  } else {
    return false;
  }
  return true;
}

// Those that are due, as long as sweeping on would take longer.
static void try_due_formed(race *x) {
  double rest = rest_of_sweeps(x);
  for (int i = 0; i < RUNNERS && !chain_done(x->c); i++) {
    bool due = x->due[i] <= x->sweeps || (x->put_off[i] && rest == INFINITY);
    if (due && !waits(x, i, rest)) try_runner(x, i);
  }
}

// --- slices ----------------------------------------------------------------------------------------------------------

// Steps of interior points that are expected.
static double expected_steps(const race *x) {
  return x->cost[INTERIOR] * sweep_work(x->c) / factor_work(x->c->p, x->c->w);
}

// Interior points start from the sweeps, then once from the middle of their cones, and after that from the sweeps
// again, which have moved on each time: runs from different starts stick in different places. From the sweeps they take
// fewer steps where they succeed. Returns false if the problem has rows that they cannot take in pieces.
static bool begin_interior(race *x) {
  chain_run *c = x->c;
  bool from_middle = x->starts++ == 1;
  return interior_path_begin(c->w->interior, c->p, c->w, from_middle ? NULL : c->d.swept);
}

static bool is_far(const race *x) { return x->least > FAR * x->c->settings->tolerance; }

// Begins a run, or goes on with it. Returns the iterations of the slice, 0 where there is none.
static int begin_slice(race *x, int i) {
  chain_run *c = x->c;
  int slice = runners[i].pieces.iterations;
  if (i == INTERIOR) slice = (int)ceil((x->running[i] ? SLICE : FIRST_SLICE) * expected_steps(x));
  if (!x->running[i]) {
    x->iterations[i] = 0;
    if (i == INTERIOR && !begin_interior(x)) return 0;
    if (i == NEWTON) newton_path_begin(c->w->path, c->p, PATH_STEPS, x->patience, c->d.swept);
    if (i == NEWTON) x->patience *= 2;
    if (i == TURNS) local_path_begin(c->w->local, c->p, c->d.swept);
  }
  if (i == TURNS) slice = local_path_turn(c->w->local);
  return slice ? slice : runners[i].solver->limit(c->p);
}

static void try_slice(race *x, int i) {
  chain_run *c = x->c;
  size_t bytes = (size_t)c->p->W.rows * sizeof(double);
  solve_settings own = *c->settings;
  int user = own.iterations;
  own.iterations = begin_slice(x, i);
  bool limited = user && !runners[i].solver->finite && x->iterations[i] + own.iterations >= user;  // of all slices
  if (limited) own.iterations = user - x->iterations[i];
  if (runners[i].warm) memcpy(c->d.r, i == HOLD && x->tried[INTERIOR] ? c->d.ended : c->d.swept, bytes);
  else memset(c->d.r, 0, bytes);
  if (own.iterations <= 0) {
    x->due[i] = INFINITY;
    return;
  }
  solve_info info = attempt(x, i, &own, limited);
  x->iterations[i] += info.iterations;
  x->running[i] = (i == TURNS || (i == INTERIOR && x->starts <= STARTS)) && info.status == SOLVE_LIMIT;
  if (i != INTERIOR && i != NEWTON && !x->running[i]) x->due[i] = INFINITY;
  if (i == INTERIOR) memcpy(c->d.ended, c->d.r, bytes);
}

// What the next slice is expected to cost.
static double cost_of_slice(const race *x, int i) {
  if (i == INTERIOR) return (x->running[i] ? SLICE : FIRST_SLICE) * x->cost[i];
  if (i == TURNS) return x->tried[i] ? x->spent[i] : x->cost[i];  // they take twice as many sweeps each time
  int steps = x->patience + 1 < runners[i].pieces.iterations ? x->patience + 1 : runners[i].pieces.iterations;
  return i == NEWTON ? steps * x->cost[i] / runners[i].pieces.steps : x->cost[i];
}

// Of those that take turns the one that has cost least, with its next turn; -1: none. What starts from the sweeps
// waits until these have moved on: each of their iterates is another start.
static int next_in_turn(const race *x, double rest) {
  int next = -1;
  double least = INFINITY;
  for (int i = 0; i < RUNNERS; i++) {
    bool moved = !x->tried[i] || x->running[i] || x->sweeps >= 1.5 * x->started_at[i];
    double cost = (x->spent[i] + cost_of_slice(x, i)) / (i == INTERIOR ? INTERIOR_WEIGHT : 1);
    bool settles = i == NEWTON && !x->tried[i] && rest <= x->cost[INTERIOR] && is_far(x);
    bool follows = !settles && (i == HOLD || i == TURNS || i == NEWTON);  // what seldom succeeds at once
    if (!(x->due[i] < INFINITY) || !moved || !(cost < least)) continue;
    if (follows && x->starts < STARTS && x->due[INTERIOR] < INFINITY) continue;
    next = i, least = cost;
  }
  return next;
}

// Sweeps still expected up to which nothing is tried. LIKELY: where few digits are to go, a residual that stands still
// may fall soon.
static double enough_rest(const race *x) {
  double unit = x->cost[INTERIOR];
  if (x->tried[INTERIOR]) return WAIT * unit;
  if (x->sweeps < WAIT_LONGER * unit) return is_far(x) ? LIKELY * unit : INFINITY;
  return fmax(WAIT * unit, fmin(SETTLED * unit, LATEST * unit - x->sweeps));
}

static void try_due_in_pieces(race *x) {
  double unit = x->cost[INTERIOR];
  while (!chain_done(x->c)) {
    double rest = rest_of_sweeps(x);
    x->share = clamp(rest / (4 * unit), SHARE_LEAST, SHARE_MOST);
    if (x->sweeps < WAIT * unit || rest <= enough_rest(x)) return;
    const bool asked = x->starts >= STARTS || !(x->due[INTERIOR] < INFINITY);  // they may not suit
    if (asked && x->others > x->share * x->sweeps) return;
    int i = next_in_turn(x, rest);
    if (i < 0) return;
    try_slice(x, i);
  }
}

static void try_due(race *x) {
  if (x->pieces) try_due_in_pieces(x);
  else try_due_formed(x);
}

// The sweeps ended without a solution. Where they stand still or were cut short, everything is left to the others; else
// to those that are cheap beside what the sweeps have cost.
static void try_rest_formed(race *x) {
  bool all = x->sweeps < solver_nsgs.limit(x->c->p);
  for (int i = 0; i < RUNNERS && !chain_done(x->c); i++)
    if (x->due[i] < INFINITY && (all ? !x->tried[i] : x->cost[i] <= x->sweeps)) try_runner(x, i);
  while (x->on_path && x->due[FRESH_NEWTON] <= x->sweeps && !chain_done(x->c)) try_runner(x, FRESH_NEWTON);
}

// The same in pieces: what was not tried, and what was left before its end.
static void try_rest_in_pieces(race *x) {
  for (int i = 0; i < RUNNERS; i++)
    while (x->due[i] < INFINITY && (!x->tried[i] || x->running[i]) && x->spent[i] <= x->sweeps && !chain_done(x->c))
      try_slice(x, i);
}

static void try_rest(race *x) {
  if (x->pieces) try_rest_in_pieces(x);
  else try_rest_formed(x);
}

// --- the end ---------------------------------------------------------------------------------------------------------

static solve_status no_step(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                            solve_info *info) {
  (void)p, (void)s, (void)w, (void)r, (void)info;
  return SOLVE_INACCURATE;
}
static const solver polisher = {.name = "nsgs", .solve = no_step};  // the driver polishes
static const double POLISH_STEPS = 5;                               // that it is expected to cost

static void polish(race *x) {
  solve_settings own = *x->c->settings;
  memcpy(x->c->d.r, x->c->d.swept, (size_t)x->c->p->W.rows * sizeof(double));
  chain_attempt(x->c, &polisher, &own, x->c->d.r);
}

static bool can_polish(const race *x) { return x->c->settings->polish && solver_alart_curnier.suits(x->c->p); }

// What the sweeps solved ends with an exact solve on its active set, as it does without the chain; but not below a
// residual where that hardly matters, and not where it costs much beside the sweeps, if a probe has failed before.
static const double FINE = 1e-9;
static void polish_end(race *x) {
  const solve_problem *p = x->c->p;
  bool by_sweeps = strcmp(x->c->info->stage, solver_nsgs.name) == 0 && !x->c->info->polished;
  if (!by_sweeps || !can_polish(x) || x->c->info->residual <= SOLVE_ROUNDING) return;
  bool probed = x->tried[PROBE], crowd = p->W.velocities > 0;
  if (crowd && x->sweeps < LEAST_IN_PIECES) return;  // to know the cost would take as long
  double cost = probed || crowd ? POLISH_STEPS * factor_work(p, x->c->w) / sweep_work(x->c) : 0;
  if (probed && (x->c->info->residual < FINE || cost > 0.1 * x->sweeps)) return;
  if (crowd && cost > x->sweeps) return;  // there it would take longer than all else
  polish(x);
}

// Sweeps that reach the limit of iterations which the user gave are polished once, as they are without the chain, even
// if other solvers have reached that limit, too. Where that may cost more than they did it is a probe: a limit is not
// to add to the work.
static void polish_cut(race *x) {
  solve_status status = x->c->info->status;
  bool over = status == SOLVE_SOLVED || status == SOLVE_NONE || status == SOLVE_INTERRUPTED;
  if (over || x->allowed < LEAST_SWEEPS || !can_polish(x)) return;
  if (POLISH_STEPS * factor_work(x->c->p, x->c->w) <= x->allowed * sweep_work(x->c)) polish(x);
  else try_runner(x, PROBE);
}

// At the limit of the sweeps: more of them where they may come to an end, at the better of their rates. How many more
// is estimated with the worse one, because the residual may rise and fall many times before it is small.
static bool extend(race *x) {
  double most = fmax(MORE_SWEEPS * solver_nsgs.limit(x->c->p), x->c->settings->iterations);
  bool circles = x->pieces && runs_in_circles(x);
  if (x->warm || x->end < INFINITY || circles || !(x->sweeps + best_rest(x) <= most)) return false;
  rates r = rates_of(x);
  double worse = x->pieces ? rest_in_pieces(x) : fmin(r.of_late, 6 * r.in_all);
  x->limit = (int)fmax(fmin(most, x->sweeps + 1.5 * worse), x->sweeps + x->c->settings->check_every);
  return true;
}

// Sweeps from a warm start that may take as long again. Now and then that start is a bad one, and sweeps from zero are
// soon at an end. A limit of the user is one of all sweeps, and is left to the first of them.
static bool starts_again(const race *x) {
  return x->warm && !x->c->settings->iterations && x->sweeps >= AGAIN && rest_of_sweeps(x) > x->sweeps;
}

// What began from zero is not tried a second time, or goes on.
static void start_again(race *x) {
  for (int i = 0; i < RUNNERS && x->lined_up; i++)
    x->due[i] = runners[i].warm ? first_due(x, i) : fmax(LEAST_SWEEPS, x->due[i] - x->sweeps);
  memset(x->c->d.swept, 0, (size_t)x->c->p->W.rows * sizeof(double));
  memset(x->put_off, 0, sizeof x->put_off);
  memset(x->started_at, 0, sizeof x->started_at);
  x->others = 0;
  x->warm = x->ahead = false, x->sweeps = x->stop_count = 0, x->residual = x->least = INFINITY;
  x->limit = solver_nsgs.limit(x->c->p);
}

// Whether the sweeps go on with patches: over crowds whose percussions are as good as unique, as those of balls. Where
// contacts share loads, as those of boxes do, interior points end sooner.
static bool takes_patches(const race *x) {
  const solve_problem *p = x->c->p;
  return x->pieces && p->block_count > PATCHED_LEAST && p->W.rows < PATCHED_ROWS * p->W.velocities &&
         x->allowed == INT_MAX && nsgs_is_packed(x->c->w->sweeps);
}

// Sweeps before anything else is looked at. From a warm start they are enough for most problems. In a crowd the pattern
// of the equations, which tells what a factorisation costs, takes as long as some of them.
static int first_sweeps(const race *x) {
  if (!x->pieces) return LEAST_SWEEPS;
  if (takes_patches(x)) return PATCHED_FROM;
  if (x->c->p->block_count > (x->warm ? WARM_CROWD : CROWD)) return LEAST_IN_PIECES;
  return x->warm ? LEAST_SWEEPS : FIRST_IN_PIECES;
}

static solve_status round_of_patches(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                                     solve_info *info) {
  return patches_round(w->patches, p, s, w, r, info);
}
static const solver patcher = {.name = "nsgs", .solve = round_of_patches};

// In a crowd sweeps that are not soon at an end go on in rounds with patches (cone_patch.h), as long as these cost less
// than interior points on the whole are expected to. Returns whether the race goes on.
static bool sweep_with_patches(race *x) {
  chain_run *c = x->c;
  double most = c->w->work + PATCHED * x->cost[INTERIOR] * sweep_work(c);
  bool goes_on = true;
  size_t mark = c->w->used;
  solve_limits limits = solve_limits_exact(c->p);
  c->w->patches = patches_take(c->w, &limits);
  patches_begin(c->w->patches, c->p, c->w);
  for (int k = 0; k < ROUNDS && goes_on && !chain_done(c) && c->w->work < most; k++)
    goes_on = sweep_by(x, &patcher, c->settings);
  nsgs_be_plain(c->w->sweeps, false);
  c->w->used = mark;
  return goes_on;
}

// From where they are to the end of the race, or to where they start again.
static void sweep_all(race *x) {
  chain_run *c = x->c;
  int first = first_sweeps(x);
  bool sweeping = !x->pieces || sweep_to(x, first / 2);
  if (sweeping) sweeping = sweep_to(x, first);
  if (!chain_done(c) && !x->lined_up) line_up(x);
  if (sweeping && !chain_done(c) && takes_patches(x)) sweeping = sweep_with_patches(x);
  if (x->pieces && sweeping && !chain_done(c)) try_due(x);
  while (sweeping && (x->sweeps < x->limit || extend(x)) && !chain_done(c)) {
    sweeping = sweep_to(x, next_stop(x));
    if (starts_again(x)) return;
    if (sweeping && x->sweeps < x->limit) try_due(x);
  }
}

// What is left and gone on with beside the sweeps.
static void lay_out(solve_workspace *w, const solve_limits *limits) {
  w->path = newton_path_take(w, limits);
  if (!limits->velocities) return;
  w->interior = interior_path_take(w, limits);
  w->local = local_path_take(w, limits);
}

void chain_race_measure(solve_workspace *w, const solve_limits *limits) {
  lay_out(w, limits);
  nsgs_measure(w, limits);
}

void chain_race(chain_run *c, bool warm) {
  int user = c->settings->iterations;
  race x = {.c = c,
            .warm = warm,
            .pieces = condensed_suits(c->p),
            .residual = INFINITY,
            .least = INFINITY,
            .end = INFINITY,
            .limit = solver_nsgs.limit(c->p),
            .allowed = user ? user : INT_MAX,
            .share = SHARE_LEAST,
            .patience = PATIENCE};
  size_t bytes = (size_t)c->p->W.rows * sizeof(double);
  if (warm) memcpy(c->d.swept, c->best->r, bytes);
  else memset(c->d.swept, 0, bytes);
  solve_limits limits = solve_limits_exact(c->p);
  lay_out(c->w, &limits);
  size_t mark = c->w->used;
  c->w->sweeps = nsgs_begin(c->p, c->w, c->settings->tolerance);
  sweep_all(&x);
  if (x.warm && !chain_done(c) && !user) {
    start_again(&x);
    c->w->used = mark, c->w->sweeps = nsgs_begin(c->p, c->w, c->settings->tolerance);
    sweep_all(&x);
  }
  if (x.end < INFINITY) polish_cut(&x);
  if (x.sweeps >= x.end) c->cut = solver_nsgs.name;
  if (!chain_done(c)) try_rest(&x);
  else if (c->info->status == SOLVE_SOLVED) polish_end(&x);
  if (x.end < INFINITY && !c->cut) c->cut = solver_nsgs.name;
  bool by_sweeps = c->info->status == SOLVE_SOLVED && strcmp(c->info->stage, solver_nsgs.name) == 0;
  chain_record(c->tally, solver_nsgs.name, by_sweeps);
}
