// What happens at an instant: impacts, and the modes in which the motion goes on.
//
// Impact: M (u⁺ - u⁻) = W P with ξ = γ⁺ + e γ⁻, 0 ≤ ξ_N ⊥ P_N ≥ 0, -P_T ∈ μ P_N Sgn(ξ_T), for every point that touches,
// all together (Newton). Poisson: compression with e = 0 gives P_C; expansion returns e P_C or what it takes not to
// sink, with friction up to μ e P_C.
//
// Modes: with γ = 0 at a closed point, 0 ≤ γ̇_N ⊥ λ_N ≥ 0 and -λ_T ∈ μ λ_N Sgn(γ̇_T); where it slips, λ_T = -μ λ_N d.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/constraint.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"
#include "scheme/event_internal.h"
#include "scheme/paradox.h"
#include "scheme/wedge.h"

// --- problems -----------------------------------------------------------------------------------------------------

static int add_constraint_blocks(event *s) {
  int n = s->w.m->row_count;
  block_list_begin(&s->blocks, n);
  for (int i = 0; i < n; i++) s->block_point[i] = -1;
  return n;
}

static void add_block(event *s, int p, solve_block b) {
  s->block_point[s->blocks.count] = p;
  block_list_add(&s->blocks, b);
}

// All rows of a point in one block, or one row of it with its force bounded from one side or from both.
static void add_contact_block(event *s, int p, int row) {
  add_block(s, p, block_of_contact(row, s->point[p].rows, s->point[p].friction));
}
static void add_pressed_row(event *s, int p, int row) {
  add_block(s, p, (solve_block){.kind = BLOCK_UNILATERAL, .row = row, .size = 1});
}
static void add_bounded_row(event *s, int p, int row, double most) {
  add_block(s, p, (solve_block){.kind = BLOCK_BOX, .row = row, .size = 1, .lo = -most, .hi = most});
}

static solve_problem problem_of(event *s, int n, const double *W) {
  return block_list_problem(&s->blocks, n, W, s->problem_q);
}

// Constraint rows that depend on others must be decoupled in W. `w` is NULL if there is no restitution to drop.
static solve_info solve_or_drop(event *s, int n, const double *W, wedge_problem *w) {
  if (interrupted(s->w.stop)) return (solve_info){.status = SOLVE_INTERRUPTED, .residual = INFINITY};  // W may be half done
  response_clear(s->w.m, s->w.x, s->problem_q);
  solve_problem problem = problem_of(s, n, W);
  solve_solution solution = {s->problem_r, s->problem_u};
  solve_info info;
  if (w) w->problem = &problem, info = wedge_solve(w, &s->solver, s->workspace, &solution, &s->tally, &s->w.trouble);
  else info = solve_chain(&problem, &s->solver, s->workspace, &solution, &s->tally);
  if (info.status == SOLVE_INTERRUPTED) info.residual = INFINITY;  // no solution to go on with
  return info;
}

static solve_info solve(event *s, int n, const double *W) { return solve_or_drop(s, n, W, NULL); }

// The largest problems that can come: every point with its rows, and for Poisson's expansion every row by itself.
void event_measure_problem(event *s, solve_limits *limits) {
  int n = add_constraint_blocks(s);
  for EACH_POINT(p, &s->w) add_contact_block(s, p, n), n += s->point[p].rows;
  event_friction_add_percussions(s, n);
  n += s->w.m->friction_count;
  solve_problem with_friction = problem_of(s, n, s->W);
  *limits = solve_limits_of(&with_friction);
  n = add_constraint_blocks(s);
  for EACH_POINT(p, &s->w)
    for (int k = 0; k < s->point[p].rows; k++, n++) {
      if (k) add_bounded_row(s, p, n, 1);
      else add_pressed_row(s, p, n);
    }
  event_friction_add_percussions(s, n);
  n += s->w.m->friction_count;
  solve_problem expansion = problem_of(s, n, s->W);
  solve_limits other = solve_limits_of(&expansion);
  *limits = solve_limits_union(limits, &other);
}

// --- impact -------------------------------------------------------------------------------------------------------

static bool touches(const event *s, const event_point *c) { return event_is_closed(c) || c->gap <= s->w.nearness; }

// q of the rows for a coefficient of restitution in the problem: γ⁻ (1 + e), Φ̇ for constraints.
static void set_impact_problem(event *s, bool elastic) {
  const mechanism *m = s->w.m;
  for (int i = 0; i < m->row_count; i++) s->problem_q[i] = s->rate[i] + s->w.x->rows[i].phi_t;
  add_constraint_blocks(s);
  for EACH_PART(part, s) {
    const event_point *c = event_part(s, part);
    add_contact_block(s, s->part[part], c->row);
    for (int k = 0; k < c->rows; k++) {
      double e = k ? c->e->material.tangential_restitution : c->restitution;
      s->problem_q[c->row + k] = s->rate[c->row + k] * (elastic && c->returns ? 1 + e : 1);
    }
  }
  event_friction_add_percussions(s, s->friction_row0);
}

static bool is_not_wedged(void *context) {
  event *s = context;
  return !response_repeat_is_wedged(&s->repeat, s->problem_r, s->still, s->wedged);
}

static int count_returning(const event *s) {
  int count = 0;
  for EACH_PART(k, s) {
    const event_point *c = event_part(s, k);
    count += c->returns && (c->restitution > 0 || c->e->material.tangential_restitution > 0);
  }
  return count;
}

// First of the points that are wedged, then of all.
static bool drop_restitution(void *context) {
  event *s = context;
  int before = count_returning(s);
  (void)response_repeat_is_wedged(&s->repeat, s->problem_r, s->still, s->wedged);
  for EACH_PART(k, s) event_part(s, k)->returns &= !s->wedged[k];
  bool all = count_returning(s) == before;
  for EACH_PART(k, s) event_part(s, k)->returns &= !all;
  set_impact_problem(s, true);
  response_clear(s->w.m, s->w.x, s->problem_q);
  return before > 0;
}

static bool solve_newton(event *s) {
  int n = s->w.x->row_total;
  set_impact_problem(s, true);
  wedge_problem w = {.W = s->W, .drop = drop_restitution, .fits = is_not_wedged, .context = s};
  solve_info info = solve_or_drop(s, n, s->W, &w);
  memcpy(s->lambda, s->problem_r, (size_t)n * sizeof *s->lambda);
  return isfinite(info.residual);
}

// Joints that rub by their load do so by percussions in an impact: again until these and the load agree.
static bool solve_with_load(event *s) {
  event_friction_begin_impact(s);
  for (int turn = 0; turn < FRICTION_TURNS; turn++) {
    if (!solve_newton(s)) return false;
    if (event_friction_agrees_in_impact(s, turn)) return true;
  }
  s->disagrees = true;
  return true;
}

static bool solve_poisson(event *s) {
  int n = s->w.x->row_total;
  set_impact_problem(s, false);
  solve_info info = solve(s, n, s->W);
  if (!isfinite(info.residual)) return false;
  memcpy(s->lambda, s->problem_r, (size_t)n * sizeof *s->lambda);
  add_constraint_blocks(s);
  for EACH_PART(part, s) {
    const event_point *c = event_part(s, part);
    int p = s->part[part];
    double returned = c->restitution * s->lambda[c->row];
    add_pressed_row(s, p, c->row);
    for (int k = 1; k < c->rows; k++) add_bounded_row(s, p, c->row + k, c->friction * returned);
    s->compression[c->row] = returned;
    for (int k = 1; k < c->rows; k++) s->compression[c->row + k] = 0;
  }
  event_friction_add_percussions(s, s->friction_row0);
  for (int i = 0; i < s->w.m->row_count; i++) s->compression[i] = 0;
  for (int i = 0; i < n; i++) {
    double sum = s->rate[i] + (i < s->w.m->row_count ? s->w.x->rows[i].phi_t : 0);
    for (int j = 0; j < n; j++) sum += s->W[(long)i * n + j] * (s->lambda[j] + s->compression[j]);
    s->problem_q[i] = sum;
  }
  info = solve(s, n, s->W);
  for (int i = 0; i < n; i++) s->lambda[i] += s->compression[i] + s->problem_r[i];
  return isfinite(info.residual);
}

// Whether impacts lost far more than there was to lose: the energy of the bodies, and of the mass behind each point (1/W_NN) at
// the speed of the point, which counts what a drive brings along. The account of the drives takes up what is left of the change
// of energy, so that impulses from a singular problem leave no other trace.
static bool loses_too_much(const event *s, double lost, double energy) {
  enum { FAR_ABOVE = 100 };
  for EACH_PART(part, s) {
    const event_point *c = event_part(s, part);
    double W = s->W[(long)c->row * s->w.x->row_total + c->row];
    for (int k = 0; W > 0 && k < c->rows; k++)
      energy += (s->rate[c->row + k] * s->rate[c->row + k] + s->rate_after[c->row + k] * s->rate_after[c->row + k]) / W;
  }
  return !(lost <= FAR_ABOVE * energy);
}

// Stopping small hops is no problem of the solvers, which count theirs.
static void count_unsolved(event *s, bool strikes) {
  if (!strikes) s->tally.problems++;
  if (s->tally.unsolved < s->tally.problems) s->tally.unsolved++;
}

// What the impact took at each point, ½ (γ⁺ + γ⁻)ᵀ P, and its row of the ledger.
static void book_impact(event *s, double *u, bool strikes) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  double losses = 0, lost = 0, scale = 0, before = tree_kinetic_energy(m, x), by_constraints = 0;
  response_rates(m, x, u, s->rate_after);
  response_repeat_apply(&s->repeat, s->rate_after);
  for (int i = 0; i < m->row_count; i++) by_constraints -= s->lambda[i] * x->rows[i].phi_t;
  for EACH_PART(part, s) {
    int p = s->part[part];
    const event_point *c = &s->point[p];
    const double *P = s->lambda + c->row, *a = s->rate + c->row, *b = s->rate_after + c->row;
    double tangential = 0, loss = 0, slip = 0, loss_normal = -0.5 * (a[0] + b[0]) * P[0];
    for (int k = 1; k < c->rows; k++) {
      tangential = hypot(tangential, P[k]);
      slip = hypot(slip, b[k]);
      loss -= 0.5 * (a[k] + b[k]) * P[k];
    }
    losses += loss_normal + loss;
    lost += fabs(loss_normal) + fabs(loss);
    scale += (fabs(a[0]) + fabs(b[0])) * fabs(P[0]) + fabs(loss);
    if (P[0] == 0 && !s->w.impacts->is_open[p]) continue;
    flow_book(s->w.core, s->w.y, POWER_CONTACT, loss_normal);
    flow_book(s->w.core, s->w.y, POWER_FRICTION, loss);
    if (P[0] < 0) tangential = -tangential;  // stopping a hop takes back both, and the force that holds the point returns them
    impact_touch(s->w.impacts, p, &(impact_step){
        .t_start = s->w.t, .t_end = s->w.t, .gap = c->gap, .speed_before = a[0], .speed_after = b[0], .impulse_normal = P[0],
        .impulse_tangential = tangential, .loss_normal = loss_normal, .loss_tangential = loss,
        .restitution = c->restitution, .slip = slip, .still = s->w.entry[p].still});
  }
  if (strikes) losses += event_friction_end_impact(s);
  if (strikes && losses < -1e-10 * scale) contact_trouble_gain(&s->w.trouble, -losses, s->w.t);
  flow_book(s->w.core, s->w.y, POWER_DRIVE, by_constraints);
  memcpy(x->u, u, (size_t)m->nv * sizeof *u);
  x->level = LEVEL_NONE;
  dynamics_positions_velocities(m, x);
  if (loses_too_much(s, lost, before + tree_kinetic_energy(m, x))) count_unsolved(s, strikes);
  // Drives in the tree keep their speeds: what is left of the change of energy is their work.
  for (int i = 0; i < m->drive_count; i++)
    if (m->drives[i].speed >= 0) {
      flow_book(s->w.core, s->w.y, POWER_DRIVE, tree_kinetic_energy(m, x) - before + losses - by_constraints);
      break;
    }
}

static void respond(event *s, bool strikes) {
  const double *change = response_to(s->w.m, s->w.x, response_repeat_spread(&s->repeat, s->lambda), s->w.x->row_total);
  double *u = s->w.y + s->nq;
  for (int i = 0; i < s->nv; i++) u[i] += change[i];
  book_impact(s, u, strikes);
}

// The largest change of a normal rate by the percussions.
static double strength(const event *s) {
  double most = 0;
  for EACH_PART(k, s) {
    int row = event_part(s, k)->row;
    most = fmax(most, fabs(s->rate_after[row] - s->rate[row]));
  }
  return most;
}

static carom_status strike(event *s, double *change, carom_error *error) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  event_take(s, touches);
  for EACH_PART(k, s) event_part(s, k)->returns = true;
  event_add_rows(s);
  rows_rates(m, x, s->rate);
  bool solved = response_factor(m, x);
  if (solved) response_problem(m, x, s->W);
  event_find_repeats(s, s->rate, s->still);
  response_repeat_apply(&s->repeat, s->rate);
  for (int i = m->row_count; i < x->row_total; i++) s->W[(long)i * x->row_total + i] += response_repeat_softness(&s->repeat, i);
  solved = solved && (s->options.impact == CAROM_POISSON ? solve_poisson(s) : solve_with_load(s));
  if (!solved) return error_set(error, CAROM_ERROR_SINGULAR, "the impact at t = %g s has no finite solution", s->w.t);
  respond(s, true);
  *change = strength(s);
  return CAROM_OK;
}

// --- modes --------------------------------------------------------------------------------------------------------

static void observe_state(event *s) {
  event_set(s, s->w.t, s->w.y);
  event_observe(s);
}

static double slip_speed(const event_point *c) {
  return c->rows == 1 ? 0 : c->rows == 2 ? fabs(c->rate[1]) : hypot(c->rate[1], c->rate[2]);
}

static void set_way(event_point *c, const double *along) {
  double size = c->rows == 2 ? fabs(along[0]) : hypot(along[0], along[1]);
  c->way[0] = along[0] / size, c->way[1] = c->rows == 3 ? along[1] / size : 0;
}

// Touching and not moving apart. One whose force has just vanished is not asked again.
static bool is_candidate(const event *s, const event_point *c) {
  if (c->has_lifted && c->lifted_at == s->w.t) return false;
  return touches(s, c) && c->rate[0] <= s->still;
}

// Whether friction has a direction already. Where several points come to a standstill together, the speeds of all are the error that
// the integration has gathered until then, which is more than that of a step.
static bool slips(const event *s, const event_point *c) { return c->rows == 1 || slip_speed(c) > 10 * s->still; }

// One row for a slipping point, whose column carries its friction; all rows for one that stands.
static int set_mode_problem(event *s) {
  int n = add_constraint_blocks(s), row_total = s->w.x->row_total;
  int *of = s->held;  // the row behind each unknown
  for (int i = 0; i < n; i++) of[i] = i;
  for EACH_PART(part, s) {
    event_point *c = event_part(s, part);
    int p = s->part[part];
    bool slipping = slips(s, c);
    c->mode = slipping ? MODE_SLIP : MODE_STICK;
    c->stood = !slipping;
    if (slipping && c->rows > 1) set_way(c, c->rate + 1);
    if (slipping) add_pressed_row(s, p, n);
    else add_contact_block(s, p, n);
    for (int k = 0; k < (slipping ? 1 : c->rows); k++) of[n++] = c->row + k;
  }
  n = event_friction_add_boxes(s, n, of);
  for (int i = 0; i < n; i++) {
    s->problem_q[i] = s->a[of[i]];
    for (int j = 0; j < n; j++) s->problem_W[i * n + j] = s->W[(long)of[i] * row_total + of[j]];
  }
  for (int b = 0; b < s->blocks.count; b++) {
    if (s->block_point[b] < 0 || s->blocks.block[b].kind != BLOCK_UNILATERAL) continue;
    const event_point *c = &s->point[s->block_point[b]];
    for (int i = 0; i < n; i++)
      for (int k = 1; k < c->rows; k++)
        s->problem_W[i * n + s->blocks.block[b].row] -=
            c->friction * c->way[k - 1] * s->W[(long)of[i] * row_total + c->row + k];
  }
  for (int i = 0; i < n; i++) s->softness[i] = response_repeat_softness(&s->repeat, of[i]);
  response_decouple(s->w.m, s->w.x, n, s->problem_W);
  return n;
}

static double largest(const double *v, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
  return most;
}

// Bodies that just fit between two walls may be pressed together by any force. Where the solver has found none or a large one, the
// softness of repeated rows makes it the least.
static solve_info solve_modes(event *s, int n) {
  static const double LARGE = 1e3;  // over what it takes to change the accelerations
  chain_tally before = s->tally;
  solve_info info = solve(s, n, s->problem_W);
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, s->problem_W[(long)i * n + i] * fabs(s->problem_r[i]));
  bool fits = info.status == SOLVE_SOLVED && most <= LARGE * largest(s->problem_q, n);
  if (!s->repeat.any || fits || info.status == SOLVE_INTERRUPTED) return info;
  for (int i = 0; i < n; i++) s->problem_W[(long)i * n + i] += s->softness[i];
  s->tally = before;
  info = solve(s, n, s->problem_W);
  for (int i = 0; i < n; i++) s->problem_W[(long)i * n + i] -= s->softness[i];
  return info;
}

// Where the reserve of friction has just run out, and at every other point without any, slip begins against the force.
static bool breaks_loose(int p, const event_instant *instant, double reserve, double limit) {
  return instant->kind == EVENT_BREAK && (instant->point == p || reserve <= 1e-8 * limit);
}

// A point that neither presses nor lifts off stays closed: a redundant corner of a block shares the load in fixed modes, and
// a ball that touches a wall without force stays there. The computed forces of such a point are rounding errors, and its
// share is zero.
static void read_mode(event *s, const solve_block *b, int p, int n, const event_instant *instant, double scale) {
  event_point *c = &s->point[p];
  const double *r = s->problem_r + b->row, *a = s->problem_u + b->row;
  const double *W = s->problem_W + (long)b->row * n + b->row;
  bool presses = r[0] * fabs(W[0]) > fmax(a[0], 1e-11 * scale), idles = !presses && a[0] <= 1e-9 * scale;
  c->idles = idles;
  if (!presses && !idles) {
    c->mode = MODE_OPEN;
    return;
  }
  if (c->mode == MODE_SLIP) return;
  double drag = b->size == 2 ? fabs(r[1]) : hypot(r[1], r[2]), limit = c->friction * r[0], reserve = limit - drag;
  double start = b->size == 2 ? fabs(a[1]) : hypot(a[1], a[2]);
  if (drag > 0 && breaks_loose(p, instant, reserve, limit)) {
    c->mode = MODE_SLIP;
    double against[2] = {-r[1], b->size == 3 ? -r[2] : 0};
    set_way(c, against);
  } else if (start > fmax(1e-9 * scale, reserve * W[n + 1])) {
    c->mode = MODE_SLIP;
    set_way(c, a + 1);
  }
}

static void read_modes(event *s, int n, const event_instant *instant, double scale) {
  s->closed_count = 0;
  for (int b = 0; b < s->blocks.count; b++) {
    if (s->block_point[b] < 0) continue;
    event_point *c = &s->point[s->block_point[b]];
    c->mode = s->blocks.block[b].kind == BLOCK_UNILATERAL ? MODE_SLIP : MODE_STICK;
    read_mode(s, &s->blocks.block[b], s->block_point[b], n, instant, scale);
    s->closed_count += event_is_closed(c);
  }
}

// Of all forces that fit, those in the middle: every point as far from lifting off and from slipping as the others let it,
// so that the motion goes on for as long as any share of the load allows. The accelerations must be the same. Bodies between two walls
// can be pressed together by any force, and the middle is at infinity: the forces go towards it until the largest has grown tenfold.
static bool find_central_share(event *s, int n, double scale) {
  enum { FURTHEST = 10 };
  solve_problem problem = problem_of(s, n, s->problem_W);
  solve_solution solution = {s->lambda, s->rate_after};
  if (solver_run(&solver_interior, &problem, &s->solver, s->workspace, &solution).status != SOLVE_SOLVED) return false;
  for (int i = 0; i < n; i++)
    if (!(fabs(s->rate_after[i] - s->problem_u[i]) <= 1e-7 * scale)) return false;
  double part = fmin(1, FURTHEST * largest(s->problem_r, n) / largest(s->lambda, n));
  for (int i = 0; i < n; i++) {
    s->problem_r[i] += part * (s->lambda[i] - s->problem_r[i]);
    s->problem_u[i] += part * (s->rate_after[i] - s->problem_u[i]);
  }
  return true;
}

static void keep_shares(event *s, int n) {
  memcpy(s->share, s->problem_r, (size_t)s->w.m->row_count * sizeof *s->share);
  for (int b = 0; b < s->blocks.count; b++) {
    if (s->block_point[b] < 0) continue;
    event_point *c = &s->point[s->block_point[b]];
    if (c->mode == MODE_SLIP && c->rows > 1) {
      double W = s->problem_W[(long)s->blocks.block[b].row * n + s->blocks.block[b].row];
      c->may_jam = W > 2 * EVENT_JAMMED * s->W[(long)c->row * s->w.x->row_total + c->row];
    }
    memset(c->share, 0, sizeof c->share);
    if (c->idles) continue;
    memcpy(c->share, s->problem_r + s->blocks.block[b].row, (size_t)s->blocks.block[b].size * sizeof *c->share);
  }
}

static void count_paradoxes(event *s, int n) {
  for (int b = 0; b < s->blocks.count; b++) {
    int row = s->blocks.block[b].row;
    bool slides = s->block_point[b] >= 0 && s->blocks.block[b].kind == BLOCK_UNILATERAL;
    if (slides) paradox_count(&s->w.trouble, s->problem_W[row * n + row], s->problem_q[row]);
  }
}

// No forces fit: the points are stopped by an impact without collision, the limit of a step of Moreau's scheme as it
// shrinks. This one is so short that the forces change speeds only by 1e-9 of themselves. Where a point just comes to
// the edge of such a state (its resistance vanishes, `at` that point), the percussion along the edge of its cone that
// stops it changes its normal rate by nothing: a little more friction there decides for it.
static bool jam(event *s, int at) {
  int n = s->w.x->row_total;
  double strongest = 0, fastest = 0, pressed = 0;
  rows_rates(s->w.m, s->w.x, s->rate);
  response_repeat_apply(&s->repeat, s->rate);
  set_impact_problem(s, false);
  for (int i = 0; i < n; i++) strongest = fmax(strongest, fabs(s->a[i])), fastest = fmax(fastest, fabs(s->rate[i]));
  for (int i = 0; i < n; i++) s->problem_q[i] += 1e-9 * fastest / strongest * s->a[i];
  for (int b = 0; b < s->blocks.count; b++)
    if (at >= 0 && s->block_point[b] == at) s->blocks.block[b].mu *= 1.001;
  memcpy(s->problem_W, s->W, (size_t)n * (size_t)n * sizeof *s->W);
  response_decouple(s->w.m, s->w.x, n, s->problem_W);
  solve_info info = solve(s, n, s->problem_W);
  if (!(info.residual <= 1e-6)) return false;
  memcpy(s->lambda, s->problem_r, (size_t)n * sizeof *s->lambda);
  for (int i = s->w.m->row_count; i < n; i++) pressed = fmax(pressed, fabs(s->lambda[i]));
  if (!(pressed > 0)) return false;
  respond(s, true);
  return true;
}

static carom_status decide_once(event *s, const event_instant *instant, bool may_jam, carom_error *error);

static carom_status decide_after_jam(event *s, carom_error *error) {
  observe_state(s);
  return decide_once(s, &(event_instant){.kind = EVENT_NONE, .point = -1}, false, error);
}

static carom_status decide_once(event *s, const event_instant *instant, bool may_jam, carom_error *error) {
  event_friction_prepare(s, instant);
  event_take(s, is_candidate);
  for EACH_POINT(p, &s->w)
    if (!is_candidate(s, &s->point[p])) s->point[p].mode = MODE_OPEN, s->point[p].stood = false;
  s->closed_count = 0;
  s->redundant = false;
  if (!s->part_count && !s->w.m->friction_count) return CAROM_OK;
  if (!event_free_accelerations(s))
    return error_set(error, CAROM_ERROR_SINGULAR, "the accelerations are not finite at t = %g s; " NOT_FINITE_ADVICE, s->w.t);
  if (instant->kind == EVENT_JAM && is_candidate(s, &s->point[instant->point])) {
    s->w.trouble.inconsistent++;
    if (jam(s, instant->point)) return decide_after_jam(s, error);
  }
  int n = set_mode_problem(s);
  double scale = 0;
  for (int i = 0; i < n; i++) scale = fmax(scale, fabs(s->problem_q[i]));
  chain_tally before = s->tally;
  solve_info info = solve_modes(s, n);
  if (info.status == SOLVE_INTERRUPTED) return error_set(error, CAROM_INTERRUPTED, "interrupted at t = %g s", s->w.t);
  count_paradoxes(s, n);
  if (!(info.residual <= 1e-6)) {
    if (may_jam) s->tally = before;  // that it has no solution is no failure of the solvers
    if (may_jam && jam(s, -1)) return decide_after_jam(s, error);
    return error_set(error, CAROM_ERROR_SINGULAR,
                     "at t = %g s no contact forces fit the points that touch: bodies that slide wedge each other, and no percussion was "
                     "found that stops them; use a time stepper such as moreau, which needs none at an instant", s->w.t);
  }
  read_modes(s, n, instant, scale);
  s->redundant = event_is_redundant(s);
  if (s->redundant && find_central_share(s, n, scale)) read_modes(s, n, instant, scale);
  keep_shares(s, n);
  event_friction_keep_shares(s);
  event_friction_read(s, scale);
  rows_clear(s->w.m, s->w.x);
  return CAROM_OK;
}

// Again where the modes change the load of joints, and that changes what their friction can hold.
static carom_status decide(event *s, const event_instant *instant, bool may_jam, carom_error *error) {
  enum { TURNS = 20 };
  carom_status status = CAROM_OK;
  for (int turn = 0; turn < TURNS && status == CAROM_OK; turn++) {
    status = decide_once(s, instant, may_jam, error);
    if (status != CAROM_OK || event_friction_is_settled(s)) return status;
    observe_state(s);
  }
  if (status == CAROM_OK) s->w.trouble.unsettled++;
  return status;
}

// --- accumulation of impacts --------------------------------------------------------------------------------------

static void close_point(event *s, event_point *c) {
  c->mode = MODE_SLIP;
  if (c->rows > 1) {
    if (slip_speed(c) > s->still) set_way(c, c->rate + 1);
    else c->mode = MODE_STICK;
  }
  s->closed_count++;
}

static bool hops(const event *s, const event_point *c) {
  return c->mode == MODE_OPEN && c->gap <= s->w.nearness && c->rate[0] > 0 && c->restitution < 1;
}
static bool is_closed_or_hops(const event *s, const event_point *c) { return event_is_closed(c) || hops(s, c); }

// A point that left with γ against an acceleration g is back after 2γ/g, then after e times that, and so on: the rest
// of its impacts takes 2γ/(g(1 - e)) and lifts it by at most γ²/2g. Where that is within the tolerance the point counts
// as closed from now on. The forces that hold it give the same impulse as the impacts would, so that what friction
// does along the surface is the same too, but for its distribution over that short time.
static bool hold_small_hops(event *s) {
  bool any = false;
  double lowest = 8 * s->w.nearness;
  event_take(s, is_closed_or_hops);
  if (s->part_count == s->closed_count || !event_accelerate(s)) return false;
  for EACH_PART(k, s) {
    event_point *c = event_part(s, k);
    if (c->mode != MODE_OPEN) continue;
    double g = -constraint_row_acceleration(s->w.m, s->w.x, &s->w.x->rows[c->row]), v = c->rate[0];
    if (!(g > 0)) continue;
    double height = v * v / (2 * g), duration = 2 * v / (g * (1 - c->restitution));
    if (height > lowest && !(v <= s->options.accumulation)) continue;
    close_point(s, c);
    c->held_until = s->w.t + duration;
    s->w.trouble.accumulations++;
    s->w.trouble.accumulation_error = fmax(s->w.trouble.accumulation_error, height + c->friction * v * duration);
    any = true;
  }
  rows_clear(s->w.m, s->w.x);
  return any;
}

// --- an instant ---------------------------------------------------------------------------------------------------

static bool is_struck(const event *s) {
  for EACH_POINT(p, &s->w)
    if (touches(s, &s->point[p]) && s->point[p].rate[0] < -s->still) return true;
  return false;
}

// Stopping the hops may press other touching points together, at speeds as small. These points are closed as well: as
// separate impacts they would start the same hops again, without end.
static carom_status arrest_hops(event *s, carom_error *error) {
  for (int turn = 0; turn <= s->w.contacts->point_count; turn++) {
    event_set(s, s->w.t, s->w.y);
    if (!event_arrest(s))
      return error_set(error, CAROM_ERROR_SINGULAR, "contacts at rest at t = %g s cannot be held", s->w.t);
    respond(s, false);
    observe_state(s);
    bool closes = false;
    for EACH_POINT(p, &s->w) {
      event_point *c = &s->point[p];
      if (c->mode == MODE_OPEN && touches(s, c) && c->rate[0] < -s->still) close_point(s, c), closes = true;
    }
    if (!closes) break;
  }
  if (is_struck(s) && !s->repeat.any) s->w.trouble.unsettled++;  // closed points still approach
  return CAROM_OK;
}

bool event_is_struck(event *s) {
  observe_state(s);
  return is_struck(s);
}

// Where the force of a point or the friction of a joint has come to its limit, another share of the load may keep it away
// from there.
static bool finds_another_share(event *s, const event_instant *instant, carom_error *error) {
  bool loosens = instant->kind == EVENT_LOOSEN;
  if (!s->redundant || (instant->kind != EVENT_LIFT && instant->kind != EVENT_BREAK && !loosens)) return false;
  if (decide(s, &(event_instant){.kind = EVENT_NONE, .point = -1}, true, error) != CAROM_OK) return false;
  if (loosens) return event_friction_holds(s, instant->point - s->w.contacts->point_count);
  const event_point *c = &s->point[instant->point];
  double most = 0, reserve = c->friction * c->share[0] - hypot(c->share[1], c->share[2]);
  for EACH_POINT(p, &s->w)
    if (event_is_closed(&s->point[p])) most = fmax(most, s->point[p].share[0]);
  double clearly = 4 * EVENT_REDUNDANCY_NOISE * most;
  if (!event_is_closed(c) || !(c->share[0] > clearly)) return false;
  return instant->kind == EVENT_LIFT || (c->mode == MODE_STICK && reserve > clearly);
}

// The state back onto what is held in the new modes, without the slip of points that counted as standing.
static carom_status hold(event *s) {
  if (!event_project(s, s->w.t, s->w.y, HOLD_ONSET)) s->projection_failures++;
  return CAROM_OK;
}

carom_status event_settle(event *s, const event_instant *instant, carom_error *error) {
  enum { TURNS = 20 };
  observe_state(s);
  if (finds_another_share(s, instant, error)) return hold(s);
  if (instant->kind == EVENT_LIFT) s->point[instant->point].has_lifted = true, s->point[instant->point].lifted_at = s->w.t;
  observe_state(s);
  carom_status status = CAROM_OK;
  bool struck = false;
  double change = INFINITY;  // a rate that no percussion changes is an error of a row that repeats others
  for (int turn = 0; turn < TURNS && is_struck(s) && change > s->still && status == CAROM_OK; turn++) {
    struck = true;
    status = strike(s, &change, error);
    observe_state(s);
  }
  if (status == CAROM_OK && is_struck(s) && change > s->still) s->w.trouble.unsettled++;
  if (status == CAROM_OK) status = decide(s, instant, true, error);
  if (status == CAROM_OK && struck && hold_small_hops(s)) {
    status = arrest_hops(s, error);
    if (status == CAROM_OK) status = decide(s, instant, true, error);
  }
  if (status != CAROM_OK) return status;
  for EACH_POINT(p, &s->w)
    if (s->point[p].mode == MODE_OPEN) s->point[p].held_until = 0, impact_separate(s->w.impacts, p);
  return hold(s);
}
