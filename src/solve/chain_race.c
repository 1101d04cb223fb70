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
// In pieces interior points are the quickest on most piles, and cost as much as 100 to 200 sweeps. So they are tried
// after 25 sweeps if R > 0.6 C, between C/4 and C/2 if R > 0.3 C. Where they fail the sweeps go on until they have cost
// half as much as all others; then interior points start again, from the sweeps; when the sweeps have cost as much as
// all others, slips are held, from where interior points have ended. After that all others take turns and together cost
// a third of what the sweeps cost: a problem that the sweeps alone solve, and late, takes 4/3 of their time. Runs from
// different starts stick in different places. So interior points that start from the sweeps have the largest share of
// these turns, and each turn has another start.
//
// The sweeps continue from their own last iterate, as if nothing had been tried. So the chain reaches at least what
// they reach alone. They have no fixed end as long as they are expected to reach one. Sweeps from a warm start that
// creep are begun again from zero: percussions of the last step may be a bad start.
//
// A limit of the user ends the sweeps early, and then nothing is to be tried that would not have been tried without it.
// The race goes on without sweeping, as if the sweeps went on at the rate they had: with the same solvers in the same
// order, and to the point at which the sweeps would have solved the problem.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "solve/chain.h"
#include "solve/condensed.h"
#include "solve/cone_alart_curnier.h"
#include "solve/cone_interior.h"
#include "solve/cone_nsgs.h"
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

// Interior points in two parts: slips follow, and where that fails they are held.
static bool interior_suits(const solve_problem *p) { return solver_interior.suits(p); }
static int interior_limit(const solve_problem *p) { return solver_interior.limit(p); }
static const solver follower = {
    .name = "interior", .suits = interior_suits, .limit = interior_limit, .solve = interior_follow, .finite = false};
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

// The same from the sweeps.
static const solver descender = {
    .name = "alart-curnier", .suits = probe_suits, .limit = walker_limit, .solve = alart_curnier_walk, .finite = false};

// Interior points seldom fail. Where they do, Newton's method from zero is the next best; in pieces interior points
// that start from the sweeps.
enum { PROBE, INTERIOR, FROM_SWEEPS, FRESH_NEWTON, NEWTON, HOLD };
// Steps of INTERIOR: those of the table and so many for each digit of the tolerance. In pieces some more: piles stick
// to edges, and in a crowd many cones stick, one after the other.
static const double STEPS_PER_DIGIT = 1.4, OF_PIECES = 1.45, STEPS_PER_CONTACT = 0.005;
static const runner runners[] = {
    [PROBE] = {&prober, true, 2, {2, 6, 0}, {2, 6, 0}},
    [INTERIOR] = {&follower, false, 0, {6, 0.1, 160}, {6, 0, 0}},  // and those of the digits
    [FROM_SWEEPS] = {&follower, true, 0, {6, INFINITY, 0}, {6, 0, 45}},
    [FRESH_NEWTON] = {&walker, false, 0, {40, 1.5, 80}, {40, 0, 40}},
    [NEWTON] = {&descender, true, 2, {20, 0.7, 40}, {30, 0, 30}},
    [HOLD] = {&holder, true, 0, {150, 0.7, 150}, {150, 0, 300}},
    {&solver_lemke, false, 0, {0, 0.5, 0}, {0, 0.5, 0}},
    {&solver_newton, false, 0, {60, 3, 0}, {60, 3, 0}},
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
  PATH_STEPS = 2000,
  MORE_SWEEPS = 10
};

// What a path costs at most where W is formed, in parts of what the sweeps have cost.
static const double PATH_SHARE = 2;
// The same in pieces of all other solvers together, after interior points have failed: when these start again, when
// slips are held, and later.
static const double AGAIN_SHARE = 2, HOLD_SHARE = 1, OTHERS_SHARE = 1.0 / 3;

// Interior points are tried when the sweeps are expected to take longer than this part of what they cost.
static const double EARLY_FORMED = 0.5, EARLY_IN_PIECES = 0.6;
// In pieces, from a quarter to a half of what they cost: sweeps over piles mostly slow down.
static const double SLOWS_DOWN = 0.3;
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
  double others;                // by all of them
  int started_at[RUNNERS];      // sweeps at the last try
  bool ahead;                   // a probe has found almost the right active set: Newton goes on from there
  int sweeps, limit;            // done, or thought of as done; at most
  int allowed;                  // by the user; beyond that nothing is swept
  double end;                   // where sweeps beyond that would have ended; infinite before
  bool on_path;                 // Newton's method from zero was left before its end
  double residual, least;       // of the sweeps, now and at best
  int stop[STOPS], stop_count;  // the last stops, and the residuals and the least ones there
  double residual_at[STOPS], least_at[STOPS];
} race;

static double work_of(const race *x, int i) {
  const runner *r = &runners[i];
  double steps = x->pieces ? r->pieces.steps : r->formed.steps;
  if (i == INTERIOR || i == FROM_SWEEPS) {
    steps -= STEPS_PER_DIGIT * log10(x->c->settings->tolerance);
    if (x->pieces) steps = OF_PIECES * steps + STEPS_PER_CONTACT * x->c->p->block_count;
  }
  return r->solver == &solver_lemke ? work_pivoting(lcp_unknowns(x->c->p)) : steps * factor_work(x->c->p, x->c->w);
}

static double first_due(const race *x, int i) {
  const solve_problem *p = x->c->p;
  bool runs = runners[i].solver->suits(p) && (i != PROBE || x->c->settings->polish);
  double wait = x->pieces ? runners[i].pieces.wait : runners[i].formed.wait;
  return runs ? fmax(x->pieces ? FIRST_IN_PIECES : LEAST_SWEEPS, wait * x->cost[i]) : INFINITY;
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

// Whether the race goes on.
static bool sweep_to(race *x, int target) {
  chain_run *c = x->c;
  solve_settings own = *c->settings;
  if (x->end < INFINITY) {
    x->sweeps = target;
    return target < x->end;
  }
  own.iterations = (target < x->allowed ? target : x->allowed) - x->sweeps;
  own.warm_start = true;
  own.polish = false;
  solve_info info = chain_attempt(c, &sweeper, &own, c->d.swept);
  x->sweeps += info.iterations, x->residual = info.residual, x->least = fmin(x->least, x->residual);
  int k = x->stop_count++ % STOPS;
  x->stop[k] = x->sweeps, x->residual_at[k] = x->residual, x->least_at[k] = x->least;
  // where the judge finds that they ended too early, by rounding, they go on
  if (info.status != SOLVE_LIMIT && info.status != SOLVE_INACCURATE) return false;
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
  if (x->pieces) {
    x->due[FRESH_NEWTON] = fmax(x->sweeps, x->others / OTHERS_SHARE);
    return;
  }
  double spent = newton_path_steps(path) * factor_work(x->c->p, x->c->w) / sweep_work(x->c);
  x->cost[FRESH_NEWTON] = fmax(spent, x->cost[FRESH_NEWTON] - spent);
  x->due[FRESH_NEWTON] = fmax(x->sweeps, spent / PATH_SHARE);
}

static void try_runner(race *x, int i) {
  chain_run *c = x->c;
  size_t bytes = (size_t)c->p->W.rows * sizeof(double);
  const runner *r = &runners[i];
  const solver *s = r->solver;
  solve_settings own = *c->settings;
  int most = x->pieces ? r->pieces.iterations : r->formed.iterations;
  bool limited = chain_limit(&own, s, c->p, most, c->settings->iterations);
  own.warm_start = r->warm;
  own.polish = i != PROBE;
  if (i == HOLD && x->pieces && x->tried[INTERIOR]) memcpy(c->d.r, c->d.ended, bytes);
  else if (r->warm) memcpy(c->d.r, i != PROBE && x->ahead ? c->best->r : c->d.swept, bytes);
  else memset(c->d.r, 0, bytes);
  if (i == FRESH_NEWTON && !x->on_path) newton_path_begin(c->w->path, c->p, path_limit(x), c->d.r);
  double before = c->w->work;
  solve_info info = chain_attempt(c, s, &own, c->d.r);
  double spent = (c->w->work - before) / sweep_work(c);
  if (i == INTERIOR) memcpy(c->d.ended, c->d.r, bytes);
  x->spent[i] += spent, x->others += spent;
  if (i != PROBE && !x->tried[i]) chain_record(c->tally, s->name, info.status == SOLVE_SOLVED);
  if (i == FRESH_NEWTON) limited = newton_path_steps(c->w->path) == c->settings->iterations;
  if (limited && info.status == SOLVE_LIMIT) c->cut = s->name;
  x->tried[i] = true, x->put_off[i] = false;
  x->started_at[i] = x->sweeps;
  x->due[i] = r->again ? r->again * x->due[i] : INFINITY;
  if (i == FRESH_NEWTON) leave_path(x, &info);
  x->ahead = i == PROBE && c->info->residual < 0.1 * x->residual && info.residual <= c->info->residual;
  if (x->ahead && !chain_done(c)) x->due[NEWTON] = fmin(x->due[NEWTON], x->sweeps);
  if (x->pieces && (i == FROM_SWEEPS || i == NEWTON)) x->due[i] = x->sweeps;
  if (!x->pieces && i == INTERIOR) x->due[FRESH_NEWTON] = fmin(x->due[FRESH_NEWTON], x->sweeps);
}

// In pieces, whether the others take turns: interior points have failed, or cannot solve such a problem.
static bool turns(const race *x) { return x->pieces && (x->tried[INTERIOR] || !(x->due[INTERIOR] < INFINITY)); }

// Slips are held next: this goes on where interior points have ended.
static bool holds_next(const race *x) { return x->tried[INTERIOR] && !x->tried[HOLD]; }

static double share(const race *x) {
  if (!holds_next(x)) return OTHERS_SHARE;
  return x->tried[FROM_SWEEPS] ? HOLD_SHARE : AGAIN_SHARE;
}

// The next point at which something is decided: a runner is due, or 0.7 of the way there, to know the rate by then; in
// pieces at the latest half as many sweeps again, to know the least residual, and not before a twentieth of them, so
// that the stops that are kept reach back far enough.
static int next_stop(const race *x) {
  double due = fmin(x->limit, x->end);
  for (int i = 0; i < RUNNERS && !x->pieces; i++) due = fmin(due, x->due[i]);
  if (x->pieces) due = fmin(due, fmin(x->due[PROBE], turns(x) ? x->others / share(x) : x->due[INTERIOR]));
  if (x->sweeps < 0.65 * due) due *= 0.7;
  if (x->pieces) due = fmin(fmax(due, 1.05 * x->sweeps), 1.5 * x->sweeps);
  due = ceil(due / x->c->settings->check_every) * x->c->settings->check_every;
  due = fmax(due, x->sweeps + x->c->settings->check_every);
  return due < x->limit ? (int)due : x->limit;
}

// Sweeps still expected from which on a runner is tried. Interior points seldom fail. What may fail is tried only if
// that costs at most half of all sweeps.
static double least_rest(const race *x, int i) {
  double cost = x->cost[i];
  bool slows_down = x->pieces && x->sweeps >= 0.25 * cost && x->sweeps <= 0.5 * cost;
  if (i == INTERIOR) return (slows_down ? SLOWS_DOWN : x->pieces ? EARLY_IN_PIECES : EARLY_FORMED) * cost;
  return fmax(0.8 * cost, 2 * cost - x->sweeps);
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

// Interior points from the sweeps succeed most often, and so have three times as much as each other one.
static double cost_with_next(const race *x, int i) { return (x->spent[i] + x->cost[i]) / (i == FROM_SWEEPS ? 3 : 1); }

// Of those that take turns the one that has cost least, with its next turn; -1: none. What starts from the sweeps
// waits until these have moved on: each of their iterates is another start.
static int next_in_turn(const race *x) {
  int next = -1;
  for (int i = 0; i < RUNNERS; i++) {
    bool moved = !x->tried[i] || !runners[i].warm ||
                 x->sweeps >= (i == FROM_SWEEPS ? 2 * x->started_at[i] : x->started_at[i] + x->cost[i]);
    if (i == PROBE || !(x->due[i] < INFINITY) || !moved) continue;
    if (next < 0 || cost_with_next(x, i) < cost_with_next(x, next)) next = i;
  }
  return next;
}

// Interior points; where they fail, after some more sweeps the same from there; and after some more slips are held.
// Then all take turns, which together cost a fixed part of what the sweeps cost.
static void try_due_in_pieces(race *x) {
  double rest = rest_of_sweeps(x);
  if (x->due[PROBE] <= x->sweeps && !waits(x, PROBE, rest)) try_runner(x, PROBE);
  if (chain_done(x->c)) return;
  if (!turns(x)) {
    if (x->due[INTERIOR] > x->sweeps || waits(x, INTERIOR, rest)) return;
    try_runner(x, INTERIOR);
  } else if (x->others <= share(x) * x->sweeps) {
    int i = x->tried[FROM_SWEEPS] && holds_next(x) ? HOLD : next_in_turn(x);
    if (i >= 0 && rest > 0.8 * x->cost[i]) try_runner(x, i);
  }
}

static void try_due(race *x) {
  if (x->pieces) try_due_in_pieces(x);
  else try_due_formed(x);
}

// The sweeps ended without a solution. Where they stand still or were cut short, everything is left to the others; else
// to those that are cheap beside what the sweeps have cost.
static void try_rest(race *x) {
  bool all = x->sweeps < solver_nsgs.limit(x->c->p);
  for (int i = 0; i < RUNNERS && !chain_done(x->c); i++)
    if (x->due[i] < INFINITY && (all ? !x->tried[i] : x->cost[i] <= x->sweeps)) try_runner(x, i);
  while (x->on_path && x->due[FRESH_NEWTON] <= x->sweeps && !chain_done(x->c)) try_runner(x, FRESH_NEWTON);
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
  x->tried[INTERIOR] &= !x->pieces, x->others = 0;
  x->warm = x->ahead = false, x->sweeps = x->stop_count = 0, x->residual = x->least = INFINITY;
  x->limit = solver_nsgs.limit(x->c->p);
}

// Sweeps before anything else is looked at. From a warm start they are enough for most problems. In a crowd the pattern
// of the equations, which tells what a factorisation costs, takes as long as some of them.
static int first_sweeps(const race *x) {
  if (!x->pieces) return LEAST_SWEEPS;
  if (x->c->p->block_count > (x->warm ? WARM_CROWD : CROWD)) return LEAST_IN_PIECES;
  return x->warm ? LEAST_SWEEPS : FIRST_IN_PIECES;
}

// From where they are to the end of the race, or to where they start again.
static void sweep_all(race *x) {
  chain_run *c = x->c;
  int first = first_sweeps(x);
  bool sweeping = !x->pieces || sweep_to(x, first / 2);
  if (sweeping) sweeping = sweep_to(x, first);
  if (!chain_done(c) && !x->lined_up) line_up(x);
  if (x->pieces && sweeping && !chain_done(c)) try_due(x);
  while (sweeping && (x->sweeps < x->limit || extend(x)) && !chain_done(c)) {
    sweeping = sweep_to(x, next_stop(x));
    if (starts_again(x)) return;
    if (sweeping && x->sweeps < x->limit) try_due(x);
  }
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
            .allowed = user ? user : INT_MAX};
  size_t bytes = (size_t)c->p->W.rows * sizeof(double);
  if (warm) memcpy(c->d.swept, c->best->r, bytes);
  else memset(c->d.swept, 0, bytes);
  solve_limits limits = solve_limits_exact(c->p);
  c->w->path = newton_path_take(c->w, &limits);
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
