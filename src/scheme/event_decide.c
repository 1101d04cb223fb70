// The modes in which the motion goes on: with γ = 0 at a closed point, 0 ≤ γ̇_N ⊥ λ_N ≥ 0 and -λ_T ∈ μ λ_N Sgn(γ̇_T);
// where it slips, λ_T = -μ λ_N d.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/dynamics.h"
#include "mechanics/rows.h"
#include "scheme/event_internal.h"
#include "scheme/paradox.h"

static double largest(const double *v, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
  return most;
}

// --- the problem -----------------------------------------------------------------------------------------------------

// Touching and not moving apart. One whose force has just vanished is not asked again.
static bool is_candidate(const event *s, const event_point *c) {
  if (c->has_lifted && c->lifted_at == s->w.t) return false;
  return event_touches(s, c) && c->rate[0] <= s->still;
}

// Directions that joints hold are decoupled in W, as the problem of modes takes it.
static void release_guided(event *s) {
  int n = s->w.x->row_total;
  if (!s->w.m->row_count) return;
  memcpy(s->problem_W, s->W, (size_t)n * (size_t)n * sizeof *s->W);
  response_decouple(s->w.m, s->w.x, n, s->problem_W);
  event_find_guided(s, s->problem_W, s->a);
  for
    EACH_PART(part, s) {
      const event_point *c = event_part(s, part);
      for (int k = 1; k < c->all_rows; k++)
        for (int i = c->row + k, j = 0; event_is_guided(c, k) && j < n; j++)
          s->W[(long)i * n + j] = s->problem_W[(long)i * n + j], s->W[(long)j * n + i] = s->problem_W[(long)j * n + i];
    }
}

// A point that slips has one row, whose column carries its friction; one that stands has all. One that resists turning
// has all in either case, and no force along rows in which it moves but what that column carries.
static int set_mode_problem(event *s) {
  int n = s->w.m->row_count;
  block_list_begin(&s->blocks, n);
  int *of = s->held.row;  // the row behind each unknown
  for (int i = 0; i < n; i++) of[i] = i;
  for
    EACH_PART(part, s) {
      event_point *c = event_part(s, part);
      event_close(s, c, s->standing);
      c->stood = c->mode == MODE_STICK;
      for
        EACH_TURN(t, c) t->stood = t->held;
      c->size = c->turn_count ? c->all_rows : c->stood ? c->rows : 1;
    }
  for
    EACH_ACTING(part, s) {
      event_point *c = event_part(s, part);
      c->unknown = n - c->first;
      if (c->size)
        block_list_add(&s->blocks, c->first ? block_of_friction(n, c->force[0]) : event_block(s, c, n, true));
      for (int k = c->first; k < c->size; k++) of[n++] = c->row + k;
    }
  event_write_rows(s, n, of, true, s->problem_W);
  for (int i = 0; i < n; i++)
    s->problem_q[i] = s->a[of[i]], s->softness[i] = response_repeat_softness(&s->repeat, of[i]);
  response_decouple(s->w.m, s->w.x, n, s->problem_W);
  return n;
}

// The forces that acted last. In a heap most points go on as they were.
static void recall_forces(event *s, int n) {
  memset(s->problem_r, 0, (size_t)n * sizeof *s->problem_r);
  for
    EACH_PART(part, s) {
      const event_point *c = event_part(s, part);
      for (int k = 0; k < c->size && k < c->rows; k++) s->problem_r[c->unknown + k] = c->force[k];
    }
}

// Bodies that just fit between two walls may be pressed together by any force. Where the solver has found none or a
// large one, the softness of repeated rows makes it the least.
static solve_info solve_modes(event *s, int n) {
  static const double LARGE = 1e3;  // over what it takes to change the accelerations
  chain_tally before = s->tally;
  if (s->relaxes) recall_forces(s, n);
  solve_info info = s->relaxes ? event_solve_near(s, n, s->problem_W) : event_solve(s, n, s->problem_W, NULL);
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, s->problem_W[(long)i * n + i] * fabs(s->problem_r[i]));
  bool fits = info.status == SOLVE_SOLVED && most <= LARGE * largest(s->problem_q, n);
  if (!s->repeat.any || fits || info.status == SOLVE_INTERRUPTED) return info;
  for (int i = 0; i < n; i++) s->problem_W[(long)i * n + i] += s->softness[i];
  s->tally = before;
  info = event_solve(s, n, s->problem_W, NULL);
  for (int i = 0; i < n; i++) s->problem_W[(long)i * n + i] -= s->softness[i];
  return info;
}

// Of all forces that fit, those in the middle: every point as far from lifting off and from slipping as the others let
// it, so that the motion goes on for as long as any share of the load allows. The accelerations must be the same.
// Bodies between two walls can be pressed together by any force, and the middle is at infinity: the forces go towards
// it until the largest has grown tenfold.
static bool find_central_share_of(event *s, const solve_problem *p, double scale) {
  enum { FURTHEST = 10 };
  const solve_groups *g = &s->groups;
  int n = p->W.rows;
  solve_solution solution = {g->r, g->u};
  if (solver_run(&solver_interior, p, &s->solver, s->workspace, &solution).status != SOLVE_SOLVED) return false;
  double most = 0;
  for (int i = 0; i < n; i++) {
    if (!(fabs(g->u[i] - s->problem_u[g->row[i]]) <= 1e-7 * scale)) return false;
    most = fmax(most, fabs(s->problem_r[g->row[i]]));
  }
  double part = fmin(1, FURTHEST * most / largest(g->r, n));
  for (int i = 0; i < n; i++) {
    double *r = &s->problem_r[g->row[i]], *u = &s->problem_u[g->row[i]];
    *r += part * (g->r[i] - *r), *u += part * (g->u[i] - *u);
  }
  return true;
}

// A block that interacts with no other shares its load with none. Says whether any forces have changed.
static bool find_central_share(event *s, int n, double scale) {
  bool any = false;
  solve_problem problem = block_list_problem(&s->blocks, n, s->problem_W, s->problem_q);
  for (int k = 0, count = groups_find(&s->groups, &problem); k < count; k++) {
    solve_problem part = groups_take(&s->groups, &problem, k);
    if (part.block_count > 1) any |= find_central_share_of(s, &part, scale);
  }
  return any;
}

// --- its solution ----------------------------------------------------------------------------------------------------

// Where the reserve of friction has just run out, and at every other point without any, slip begins against the force.
// In a heap other modes may leave the point a reserve. To let it slip then would take forces that do not fit.
static bool breaks_loose(const event *s, int p, const event_instant *instant, double reserve, double limit) {
  const double least = instant->point != p ? 1e-8 : s->relaxes ? 1e-6 : INFINITY;
  return instant->kind == EVENT_BREAK && reserve <= least * limit;
}

// A point that neither presses nor lifts off stays closed: a redundant corner of a block shares the load in fixed
// modes, and a ball that touches a wall without force stays there. The computed forces of such a point are rounding
// errors, and its share is zero.
static void read_mode(event *s, int p, int n, const event_instant *instant, double scale) {
  event_point *c = &s->point[p];
  const double *r = s->problem_r + c->unknown, *a = s->problem_u + c->unknown;
  const double *W = s->problem_W + (long)c->unknown * n + c->unknown;
  bool presses = r[0] * fabs(W[0]) > fmax(a[0], 1e-11 * scale);
  c->idles = !presses && a[0] <= 1e-9 * scale;
  c->mode = !presses && !c->idles ? MODE_OPEN : c->stood ? MODE_STICK : MODE_SLIP;
  if (event_is_closed(c)) event_turns_read(s, p, n, instant, scale);
  if (c->mode != MODE_STICK) return;
  double drag = event_length(c->rows - 1, r + 1), limit = c->friction * r[0], reserve = limit - drag;
  double start = event_length(c->rows - 1, a + 1);
  if (drag > 0 && !c->idles && breaks_loose(s, p, instant, reserve, limit)) {
    c->mode = MODE_SLIP;
    double against[2] = {-r[1], c->rows == 3 ? -r[2] : 0};
    event_set_way(c, against);
  } else if (start > fmax(1e-9 * scale, reserve * W[n + 1])) {
    c->mode = MODE_SLIP;
    event_set_way(c, a + 1);
  }
}

static void read_modes(event *s, int n, const event_instant *instant, double scale) {
  s->closed_count = 0;
  for
    EACH_PART(k, s) {
      read_mode(s, s->part[k], n, instant, scale);
      s->closed_count += event_is_closed(event_part(s, k));
    }
}

static void keep_shares(event *s, int n) {
  memcpy(s->share, s->problem_r, (size_t)s->w.m->row_count * sizeof *s->share);
  for
    EACH_ACTING(part, s) {
      event_point *c = event_part(s, part);
      memset(c->share, 0, sizeof c->share);
      int size = c->size < c->rows ? c->size : c->rows;
      for (int k = c->first; k < size && !c->idles; k++) c->share[k] = s->problem_r[c->unknown + k];
      event_turns_share(c, s->problem_r + c->unknown);
      if (c->first || c->mode != MODE_SLIP || c->rows == 1) continue;
      double W = s->problem_W[(long)c->unknown * (n + 1)],
             without_friction = s->W[(long)c->row * (s->w.x->row_total + 1)];
      c->may_jam = W > 2 * EVENT_JAMMED * without_friction;
    }
}

static void count_paradoxes(event *s, int n) {
  paradoxes found = {0};
  for
    EACH_PART(k, s) {
      const event_point *c = event_part(s, k);
      if (!c->stood) paradox_note(&found, s->problem_W[(long)c->unknown * (n + 1)], s->problem_q[c->unknown]);
    }
  paradox_count(&s->w.trouble, &found);
}

// --- no solution -----------------------------------------------------------------------------------------------------

// No forces fit: the points are stopped by an impact without collision, the limit of a step of Moreau's scheme as it
// shrinks. This one is so short that the forces change speeds only by 1e-9 of themselves. Where a point just comes to
// the edge of such a state (its resistance vanishes, `at` that point), the percussion along the edge of its cone that
// stops it changes its normal rate by nothing: a little more friction there decides for it.
static bool jam(event *s, int at) {
  int n = s->w.x->row_total, nc = s->w.m->row_count;
  rows_rates(s->w.m, s->w.x, s->rate);
  response_repeat_apply(&s->repeat, s->rate);
  event_set_impact_problem(s, false);
  double duration = 1e-9 * largest(s->rate, n) / largest(s->a, n);
  for (int i = 0; i < n; i++) s->problem_q[i] += duration * s->a[i];
  for
    EACH_PART(k, s)
  if (s->part[k] == at) s->blocks.block[nc + k].mu *= 1.001;
  memcpy(s->problem_W, s->W, (size_t)n * (size_t)n * sizeof *s->W);
  response_decouple(s->w.m, s->w.x, n, s->problem_W);
  if (!(event_solve(s, n, s->problem_W, NULL).residual <= 1e-6)) return false;
  memcpy(s->lambda, s->problem_r, (size_t)n * sizeof *s->lambda);
  if (!(largest(s->lambda + nc, n - nc) > 0)) return false;
  event_respond(s, true);
  return true;
}

static carom_status decide_once(event *s, const event_instant *instant, bool may_jam, carom_error *error);

static carom_status decide_after_jam(event *s, carom_error *error) {
  event_observe_state(s);
  return decide_once(s, &NO_EVENT, false, error);
}

// --- deciding --------------------------------------------------------------------------------------------------------

// In a heap the forces next to those that acted last serve until one of them comes to its limit.
static bool asks_for_share(const event *s, const event_instant *instant) {
  return s->redundant && !(s->relaxes && instant->kind != EVENT_NONE);
}

// Up to here forces are taken, and counted as unsolved. In a heap no solver may come nearer although there are some,
// and a residual of a tenth of a thousandth is still no sign of bodies that wedge each other. Nor is it where an impact
// that was to stop these has changed nothing: bodies that just fill the width between two walls, say, and all slip.
static double good_enough(const event *s, bool may_jam) { return s->relaxes || !may_jam ? 1e-4 : 1e-6; }

static carom_status decide_once(event *s, const event_instant *instant, bool may_jam, carom_error *error) {
  event_friction_prepare(s, instant);
  event_take(s, is_candidate);
  for
    EACH_POINT(p, &s->w)
  if (!is_candidate(s, &s->point[p])) s->point[p].mode = MODE_OPEN, s->point[p].stood = false;
  s->closed_count = 0;
  s->redundant = false;
  if (!s->part_count && !s->w.m->friction_count) return CAROM_OK;
  if (!event_free_accelerations(s))
    return error_set(error, CAROM_ERROR_SINGULAR, "the accelerations are not finite at t = %g s; " NOT_FINITE_ADVICE,
                     s->w.t);
  release_guided(s);
  if (instant->kind == EVENT_JAM && is_candidate(s, &s->point[instant->point])) {
    s->w.trouble.inconsistent++;
    if (jam(s, instant->point)) return decide_after_jam(s, error);
  }
  int n = set_mode_problem(s);
  double scale = largest(s->problem_q, n);
  s->together = scale > 0 ? s->standing * s->still / scale : 0;
  chain_tally before = s->tally;
  solve_info info = solve_modes(s, n);
  if (info.status == SOLVE_INTERRUPTED) return error_set(error, CAROM_INTERRUPTED, "interrupted at t = %g s", s->w.t);
  count_paradoxes(s, n);
  if (!(info.residual <= good_enough(s, may_jam))) {
    if (may_jam) s->tally = before;  // that it has no solution is no failure of the solvers
    if (may_jam && jam(s, -1)) return decide_after_jam(s, error);
    return error_set(error, CAROM_ERROR_SINGULAR,
                     "at t = %g s no contact forces fit the points that touch: bodies that slide wedge each other, and "
                     "no percussion was "
                     "found that stops them; use a time stepper such as moreau, which needs none at an instant",
                     s->w.t);
  }
  read_modes(s, n, instant, scale);
  s->redundant = event_is_redundant(s);
  if (asks_for_share(s, instant) && find_central_share(s, n, scale)) read_modes(s, n, instant, scale);
  keep_shares(s, n);
  event_friction_read(s, scale);
  rows_clear(s->w.m, s->w.x);
  return CAROM_OK;
}

// In a heap the modes of several points may follow each other in a circle at one instant, each decided for directions
// of slow slips that the next one changes. A point that has come round so often stays where it is until something else
// happens later, and it may exceed its limit meanwhile. So it is where each time takes less than forces need to change
// speeds by what counts as none.
enum { EVENT_ROUNDS = 3 };
static bool goes_round(const event *s, const event_point *c) {
  return s->relaxes && s->w.t - c->broke_at <= s->together && c->breaks > EVENT_ROUNDS;
}

// Counts this break. From the fourth at one instant on, the limit of the point is 1 % above its present force, so that
// it keeps sticking; the instant counts as unsettled.
bool event_holds_on(event *s, const event_instant *instant) {
  static const double BEYOND = 0.01;
  if (!s->relaxes || instant->kind != EVENT_BREAK) return false;
  event_point *c = &s->point[instant->point];
  if (s->w.t - c->broke_at > s->together) c->breaks = 0;
  c->broke_at = s->w.t;
  c->breaks++;
  if (!goes_round(s, c)) return false;
  if (!event_look_at_forces(s)) return false;
  const double limit = c->friction * c->force[0], excess = event_length(c->rows - 1, c->force + 1) - limit;
  c->slack = fmax(c->slack, fmax(0, excess) + BEYOND * limit);
  if (s->held_on_at != s->w.t) s->w.trouble.unsettled++;
  s->held_on_at = s->w.t;
  return true;
}

// Again where the modes change the load of joints, and that changes what their friction can hold.
carom_status event_decide(event *s, const event_instant *instant, carom_error *error) {
  enum { TURNS = 20 };
  carom_status status = CAROM_OK;
  for
    EACH_POINT(p, &s->w)
  if (!goes_round(s, &s->point[p])) s->point[p].slack = 0;
  for (int turn = 0; turn < TURNS && status == CAROM_OK; turn++) {
    status = decide_once(s, instant, true, error);
    if (status != CAROM_OK || event_friction_is_settled(s)) return status;
    event_observe_state(s);
  }
  if (status == CAROM_OK) s->w.trouble.unsettled++;
  return status;
}

// Where the force of a point or the friction of a joint has come to its limit, another share of the load may keep it
// away from there. Once in a step: if that share leads to the limit as well, it gives way.
// Where the shares that fit become fewer, the middle of them comes ever closer to the limit, and would reach it ever
// sooner. In a heap the point may therefore go a little beyond the limit before it is asked again: as long as some
// share fits, the accelerations are the same.
bool event_finds_another_share(event *s, const event_instant *instant, carom_error *error) {
  static const double BEYOND = 0.01;
  bool loosens = instant->kind == EVENT_LOOSEN;
  if (instant->point >= 0 && s->point[instant->point].has_shared) return false;
  if (!s->redundant || (instant->kind != EVENT_LIFT && instant->kind != EVENT_BREAK && !loosens)) return false;
  s->point[instant->point].has_shared = true;
  const event_sharing found = s->relaxes ? event_share_anew(s) : SHARING_UNKNOWN;
  if (found == SHARING_NONE) return false;
  if (found == SHARING_UNKNOWN && event_decide(s, &NO_EVENT, error) != CAROM_OK) return false;
  event_point *c = &s->point[instant->point];
  if (loosens) return c->mode == MODE_STICK && fabs(c->share[1]) < (1 - 1e-6) * c->force[0];
  double most = 0, reserve = c->friction * c->share[0] - hypot(c->share[1], c->share[2]);
  for
    EACH_POINT(p, &s->w)
  if (event_is_closed(&s->point[p])) most = fmax(most, s->point[p].share[0]);
  double clearly = 4 * RESPONSE_HELD_NOISE * most;
  if (!event_is_closed(c) || !(c->share[0] > clearly)) return false;
  if (instant->kind == EVENT_LIFT) return true;
  if (c->mode != MODE_STICK || !(reserve > clearly)) return false;
  if (s->relaxes) c->slack = BEYOND * c->friction * c->share[0];
  return true;
}
