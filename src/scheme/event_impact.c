// Impact: M (u⁺ - u⁻) = W P with ξ = γ⁺ + e γ⁻, 0 ≤ ξ_N ⊥ P_N ≥ 0, -P_T ∈ μ P_N Sgn(ξ_T), for every point that touches,
// all together (Newton). Poisson: compression with e = 0 gives P_C; expansion returns e P_C or what it takes not to
// sink, with friction up to μ e P_C.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/constraint.h"
#include "mechanics/dynamics.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"
#include "scheme/event_internal.h"
#include "scheme/percussion.h"
#include "scheme/wedge.h"
#include "solve/residual.h"

// --- problems --------------------------------------------------------------------------------------------------------

// Modes are read from a solution to 1e-9 of the accelerations, and forces follow from the rows that they hold. Some
// problems of heaps whose loads can be shared end at 2e-12, and are not solved to 1e-12.
static solve_settings settings_of(const event *s, bool known) {
  static const double MODES = 1e-10;
  solve_settings settings = s->solver;
  if (known) settings.tolerance = fmax(settings.tolerance, MODES);
  return settings;
}

// From forces that are near the solution, or from none (not `known`). A few of Newton's steps find out whether they
// are: where the points that lift off, stick and slip are nearly all the same, that is all there is to solve. Otherwise
// interior points mostly solve it. Sweeps, which the chain begins with, hardly converge where loads can be shared.
static solve_info solve_group(event *s, const solve_problem *p, bool known, solve_solution *to) {
  enum { NEAR = 8 };
  solve_settings settings = settings_of(s, known), near = settings;
  near.warm_start = true, near.iterations = NEAR;
  settings.warm_start =
      known && (solver_run(&solver_alart_curnier, p, &near, s->workspace, to).status == SOLVE_SOLVED ||
                solver_run(&solver_interior, p, &settings, s->workspace, to).status == SOLVE_SOLVED);
  return solve_chain(p, &settings, s->workspace, to, &s->tally);
}

// Group by group. The info is that of the worst group, unless its forces are so small that what it misses is within the
// tolerance of the whole: the residual of a group is relative to its own accelerations, which may be rounding.
static solve_info solve_groups_of(event *s, const solve_problem *p, bool known, solve_solution *to) {
  solve_groups *g = &s->groups;
  if (groups_find(g, p) <= 1) return solve_group(s, p, known, to);
  solve_info worst = {.status = SOLVE_SOLVED};
  const chain_tally before = s->tally;
  for (int k = 0; k < g->count && worst.status != SOLVE_INTERRUPTED; k++) {
    solve_problem part = groups_take(g, p, k);
    solve_solution of_part = {g->r, g->u};
    for (int i = 0; known && i < part.W.rows; i++) g->r[i] = to->r[g->row[i]];
    solve_info info = solve_group(s, &part, known, &of_part);
    if (k == 0 || info.status == SOLVE_INTERRUPTED || !(info.residual <= worst.residual)) worst = info;
    groups_put(g, to);
  }
  if (worst.status == SOLVE_SOLVED || worst.status == SOLVE_INTERRUPTED) return worst;
  double of_all = solve_residual(p, to->r, to->u, g->W);
  if (of_all < worst.residual) worst.residual = of_all;
  if (!(of_all <= settings_of(s, known).tolerance)) return worst;
  worst.status = SOLVE_SOLVED;
  s->tally.unsolved = before.unsolved, s->tally.impossible = before.impossible;
  s->tally.worst_residual = fmax(before.worst_residual, of_all);
  s->tally.worst_residual_mixed = before.worst_residual_mixed;
  return worst;
}

// Constraint rows that depend on others must be decoupled in W.
static solve_info solve(event *s, int n, const double *W, bool known, wedge_problem *w) {
  if (interrupted(s->w.stop))
    return (solve_info){.status = SOLVE_INTERRUPTED, .residual = INFINITY};  // W may be half done
  response_clear(s->w.m, s->w.x, s->problem_q);
  solve_problem problem = block_list_problem(&s->blocks, n, W, s->problem_q);
  solve_solution solution = {s->problem_r, s->problem_u};
  solve_info info;
  bool dropped = false;
  if (w) w->problem = &problem, info = wedge_solve(w, &s->solver, s->workspace, &solution, &s->tally, &dropped);
  else info = solve_groups_of(s, &problem, known, &solution);
  s->w.trouble.inconsistent += dropped;
  if (info.status == SOLVE_INTERRUPTED) info.residual = INFINITY;  // no solution to go on with
  return info;
}

solve_info event_solve(event *s, int n, const double *W, wedge_problem *w) { return solve(s, n, W, false, w); }
solve_info event_solve_near(event *s, int n, const double *W) { return solve(s, n, W, true, NULL); }

static double rate_of_row(const event *s, int i) {
  return s->rate[i] + (i < s->w.m->row_count ? s->w.x->rows[i].phi_t : 0);
}

// q of the rows for a coefficient of restitution in the problem: γ⁻ (1 + e), Φ̇ for constraints.
void event_set_impact_problem(event *s, bool elastic) {
  block_list_begin(&s->blocks, s->w.m->row_count);
  for (int i = 0; i < s->w.m->row_count; i++) s->problem_q[i] = rate_of_row(s, i);
  for
    EACH_ACTING(part, s) {
      const event_point *c = event_part(s, part);
      block_list_add(&s->blocks,
                     c->first ? block_of_friction(c->row + 1, c->percussion) : event_block(s, c, c->row, false));
      for (int k = c->first; k < (c->first ? c->rows : c->all_rows); k++) {
        double e = elastic && c->returns && k < c->rows ? c->restitution[k > 0] : 0;
        s->problem_q[c->row + k] = event_is_guided(c, k) ? 0 : s->rate[c->row + k] * (1 + e);
      }
    }
}

// After the compression s->lambda: what returns of it (s->compression), and what it takes beyond that not to sink.
static void set_expansion_problem(event *s) {
  int n = s->w.x->row_total;
  block_list_begin(&s->blocks, s->w.m->row_count);
  memset(s->compression, 0, (size_t)n * sizeof *s->compression);
  for
    EACH_ACTING(part, s) {
      const event_point *c = event_part(s, part);
      double returned = c->first ? 0 : c->restitution[0] * s->lambda[c->row],
             most = c->first ? c->percussion : c->friction * returned;
      if (c->first == 0) s->compression[c->row] = returned, block_list_add(&s->blocks, block_of_contact(c->row, 1, 0));
      for (int k = 1; k < c->rows; k++) block_list_add(&s->blocks, block_of_friction(c->row + k, most));
      for (int k = c->rows; k < c->all_rows; k++)
        block_list_add(&s->blocks, block_of_friction(c->row + k, event_turn_length(c, k) * returned));
    }
  for (int i = 0; i < n; i++) {
    double sum = rate_of_row(s, i);
    for (int j = 0; j < n; j++) sum += s->W[(long)i * n + j] * (s->lambda[j] + s->compression[j]);
    s->problem_q[i] = sum;
  }
}

// --- room for problems -----------------------------------------------------------------------------------------------

void event_allocate_problem(event *s, int rows, int parts) {
  arena *a = &s->w.memory;
  rows++;
  s->W = ARENA_ARRAY(a, double, ((long)rows * rows));
  s->problem_W = ARENA_ARRAY(a, double, ((long)rows * rows));
  s->held = response_held_create(rows, a);
  s->follower = ARENA_ARRAY(a, event_follower, rows);
  s->spare = (event_factor){.LU = s->held.factor, .pivot = s->held.pivot};
  for (int k = 0; s->keeps_factors && k < 3; k++) s->factor[k] = event_factor_create(s, rows, parts);
  if (s->keeps_factors) s->descent = event_descent_create(s, rows);
  if (s->relaxes) event_slips_create(s, parts);
  s->blocks = block_list_create(a, rows + parts + s->w.m->friction_count);
  s->groups = groups_create(a, rows, rows + parts + s->w.m->friction_count);
  s->repeat = response_repeat_create(parts, rows, a);
  s->problem_rows = rows - 1, s->problem_parts = parts;
}

// Every point with its rows, and for Poisson's expansion every row by itself.
bool event_make_workspace(event *s, carom_error *error) {
  solve_limits limits[2];
  for (int k = 0; k < 2; k++) {
    if (k) set_expansion_problem(s);
    else event_set_impact_problem(s, false);
    solve_problem problem = block_list_problem(&s->blocks, s->w.x->row_total, s->W, s->problem_q);
    limits[k] = solve_limits_of(&problem);
  }
  solve_limits most = solve_limits_union(&limits[0], &limits[1]);
  if (s->grows) most = solve_limits_beyond(&most);
  solve_workspace_destroy(s->workspace);
  s->workspace = solve_workspace_create(&most, error);
  if (!s->workspace) return false;
  s->workspace->stop = s->w.stop;
  return true;
}

bool event_reserve_problem(event *s) {
  int rows = s->w.x->row_total, parts = s->part_count;
  jmp_buf out_of_memory;
  if (rows <= s->problem_rows && parts <= s->problem_parts && s->workspace) return true;
  bool enough = !setjmp(out_of_memory);
  s->w.memory.out_of_memory = &out_of_memory;
  if (enough) event_allocate_problem(s, rows + rows / 2, parts + parts / 2);
  s->w.memory.out_of_memory = NULL;
  enough = enough && event_make_workspace(s, NULL);
  s->out_of_memory |= !enough;
  return enough;
}

// --- restitution -----------------------------------------------------------------------------------------------------

// Corners of one face repeat each other without a wedge: their percussions are what it takes to change the rates. The
// softness that they need is rounding beside these.
static bool is_not_wedged(void *context) {
  static const double BESIDE = 1e-7;
  event *s = context;
  double fastest = 0;
  for
    EACH_PART(k, s) fastest = fmax(fastest, fabs(s->rate[event_part(s, k)->row]));
  return !response_repeat_is_wedged(&s->repeat, s->problem_r, fmax(s->still, BESIDE * fastest), s->wedged);
}

static int count_returning(const event *s) {
  int count = 0;
  for
    EACH_PART(k, s) {
      const event_point *c = event_part(s, k);
      count += c->returns && (c->restitution[0] > 0 || c->restitution[1] > 0);
    }
  return count;
}

// First of the points that are wedged, then of all.
static bool drop_restitution(void *context) {
  event *s = context;
  int before = count_returning(s);
  (void)is_not_wedged(s);
  for
    EACH_PART(k, s) event_part(s, k)->returns &= !s->wedged[k];
  bool all = count_returning(s) == before;
  for
    EACH_PART(k, s) event_part(s, k)->returns &= !all;
  event_set_impact_problem(s, true);
  response_clear(s->w.m, s->w.x, s->problem_q);
  return before > 0;
}

static bool solve_newton(event *s) {
  int n = s->w.x->row_total;
  event_set_impact_problem(s, true);
  wedge_problem w = {.drop = drop_restitution, .fits = is_not_wedged, .context = s};
  solve_info info = event_solve(s, n, s->W, &w);
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
  event_set_impact_problem(s, false);
  if (!isfinite(event_solve(s, n, s->W, NULL).residual)) return false;
  memcpy(s->lambda, s->problem_r, (size_t)n * sizeof *s->lambda);
  set_expansion_problem(s);
  solve_info info = event_solve(s, n, s->W, NULL);
  for (int i = 0; i < n; i++) s->lambda[i] += s->compression[i] + s->problem_r[i];
  return isfinite(info.residual);
}

// --- books -----------------------------------------------------------------------------------------------------------

// What the points lost together, the same without signs, and the size of what a gain is judged against.
typedef struct impact_losses {
  double sum, size, scale;
} impact_losses;

// Whether impacts lost far more than there was to lose: the energy of the bodies, and of the mass behind each point
// (1/W_NN) at the speed of the point, which counts what a drive brings along. The account of the drives takes up what
// is left of the change of energy, so that impulses from a singular problem leave no other trace.
static bool loses_too_much(const event *s, double lost, double energy) {
  enum { FAR_ABOVE = 100 };
  for
    EACH_PART(part, s) {
      const event_point *c = event_part(s, part);
      double W = s->W[(long)c->row * s->w.x->row_total + c->row];
      for (int k = 0; W > 0 && k < c->rows; k++)
        energy +=
            (s->rate[c->row + k] * s->rate[c->row + k] + s->rate_after[c->row + k] * s->rate_after[c->row + k]) / W;
    }
  return !(lost <= FAR_ABOVE * energy);
}

// Stopping small hops is no problem of the solvers, which count theirs.
static void count_unsolved(event *s, bool strikes) {
  if (!strikes) s->tally.problems++;
  if (s->tally.unsolved < s->tally.problems) s->tally.unsolved++;
}

// What the percussions in s->lambda take at a point, between the rates before and after them.
static percussion loss_at(const event *s, const event_point *c, impact_losses *losses) {
  const double *P = s->lambda + c->row, *a = s->rate + c->row, *b = s->rate_after + c->row;
  percussion found = percussion_of(c->rows, P, a, b);
  for (int k = c->rows; k < c->all_rows; k++) found.loss_tangential -= 0.5 * (a[k] + b[k]) * P[k];
  losses->sum += found.loss_normal + found.loss_tangential;
  losses->size += fabs(found.loss_normal) + fabs(found.loss_tangential);
  losses->scale += (fabs(a[0]) + fabs(b[0])) * fabs(P[0]) + fabs(found.loss_tangential);
  return found;
}

bool event_arrest_is_singular(event *s) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  impact_losses losses = {0};
  response_rates(m, x, response_to(m, x, response_repeat_spread(&s->repeat, s->lambda), x->row_total), s->rate_after);
  for (int i = 0; i < x->row_total; i++) s->rate_after[i] += s->rate[i];
  response_repeat_apply(&s->repeat, s->rate_after);
  for
    EACH_PART(k, s)(void) loss_at(s, event_part(s, k), &losses);
  return loses_too_much(s, losses.size, 2 * tree_kinetic_energy(m, x));
}

static void book_point(event *s, int p, impact_losses *losses) {
  const event_point *c = &s->point[p];
  const double *P = s->lambda + c->row, *a = s->rate + c->row, *b = s->rate_after + c->row;
  percussion found = loss_at(s, c, losses);
  flow_book(s->w.core, s->w.y, POWER_CONTACT, found.loss_normal);
  flow_book(s->w.core, s->w.y, POWER_FRICTION, found.loss_tangential);
  if (P[0] == 0 && !s->w.impacts->is_open[p]) return;
  if (P[0] < 0)
    found.tangential =
        -found.tangential;  // stopping a hop takes back both, and the force that holds the point returns them
  impact_step step = {0};
  percussion_write(&found, P, a, b, &step);
  step.t_start = step.t_end = s->w.t, step.gap = c->gap, step.restitution = c->restitution[0],
  step.still = s->w.entry[p].still;
  impact_touch(s->w.impacts, p, &step);
}

static bool drives_tree(const mechanism *m) {
  for (int i = 0; i < m->drive_count; i++)
    if (m->drives[i].speed >= 0) return true;
  return false;
}

// What the percussions in s->lambda take at each point, and their rows of the ledger.
static void book_impact(event *s, double *u, bool strikes) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  impact_losses losses = {0};
  double before = tree_kinetic_energy(m, x), by_constraints = 0;
  response_rates(m, x, u, s->rate_after);
  response_repeat_apply(&s->repeat, s->rate_after);
  for (int i = 0; i < m->row_count; i++) by_constraints -= s->lambda[i] * x->rows[i].phi_t;
  for
    EACH_PART(k, s) book_point(s, s->part[k], &losses);
  if (strikes) losses.sum += event_friction_end_impact(s);
  if (strikes && losses.sum < -1e-10 * losses.scale) contact_trouble_gain(&s->w.trouble, -losses.sum, s->w.t);
  flow_book(s->w.core, s->w.y, POWER_DRIVE, by_constraints);
  memcpy(x->u, u, (size_t)m->nv * sizeof *u);
  x->level = LEVEL_NONE;
  dynamics_positions_velocities(m, x);
  double after = tree_kinetic_energy(m, x);
  if (loses_too_much(s, losses.size, before + after)) count_unsolved(s, strikes);
  // Drives in the tree keep their speeds: what is left of the change of energy is their work.
  if (drives_tree(m)) flow_book(s->w.core, s->w.y, POWER_DRIVE, after - before + losses.sum - by_constraints);
}

void event_respond(event *s, bool strikes) {
  const double *change = response_to(s->w.m, s->w.x, response_repeat_spread(&s->repeat, s->lambda), s->w.x->row_total);
  double *u = s->w.y + s->w.m->nq;
  for (int i = 0; i < s->w.m->nv; i++) u[i] += change[i];
  book_impact(s, u, strikes);
}

// --- an impact -------------------------------------------------------------------------------------------------------

// The largest change of a normal rate by the percussions.
static double strength(const event *s) {
  double most = 0;
  for
    EACH_PART(k, s) {
      int row = event_part(s, k)->row;
      most = fmax(most, fabs(s->rate_after[row] - s->rate[row]));
    }
  return most;
}

carom_status event_strike(event *s, double *change, carom_error *error) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  event_take(s, event_touches);
  for
    EACH_PART(k, s) event_part(s, k)->returns = true;
  event_add_rows(s);
  if (!event_reserve_problem(s))
    return error_set(error, CAROM_ERROR_MEMORY, "out of memory for an impact of %d points", s->part_count);
  rows_rates(m, x, s->rate);
  bool solved = response_factor(m, x);
  if (solved) response_problem(m, x, s->W);
  for (int i = 0; i < x->row_total; i++) s->problem_q[i] = rate_of_row(s, i);
  event_find_guided(s, s->W, s->problem_q);
  event_replace_repeats(s, s->rate, s->still);
  for (int i = m->row_count; i < x->row_total; i++)
    s->W[(long)i * x->row_total + i] += response_repeat_softness(&s->repeat, i);
  solved = solved && (s->options.impact == CAROM_POISSON ? solve_poisson(s) : solve_with_load(s));
  if (!solved) return error_set(error, CAROM_ERROR_SINGULAR, "the impact at t = %g s has no finite solution", s->w.t);
  event_respond(s, true);
  *change = strength(s);
  return CAROM_OK;
}
