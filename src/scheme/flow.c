#include "scheme/flow.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/constraint.h"
#include "mechanics/control.h"
#include "mechanics/crossing.h"
#include "mechanics/dynamics.h"
#include "mechanics/flexible.h"
#include "mechanics/function.h"
#include "mechanics/instant.h"
#include "mechanics/tree.h"
#include "scheme/flow_newton.h"
#include "scheme/flow_pattern.h"

struct flow {
  const mechanism *m;
  motion *x;
  flow_settings settings;
  interrupt *stop;
  integrator *it;
  ode_problem ode;
  dae_problem dae;
  int nq, nv, nc, n;
  int powers;  // how many accounts are integrated, and which
  power power[POWER_COUNT];
  double *y, *ydot, *scale, *work;
  flow_newton newton;
  dae_pattern pattern;
  bool *differential;
  double accounts[POWER_COUNT];  // of the state shown
  double tolerance;              // of constraint violations
  long projection_failures;
  scheme_stats before;       // counts of the integrator that was resumed, beside this one's
  double t_kept, next_step;  // where a restored scheme goes on, and with which step [s]
  double zone;         // below this nearness to a singular position accelerations are those of the projected state
  bool failed;         // the last refusal was the mechanics', not the tolerance's
  double evaluated_t;  // the motion is the one of the last right-hand side, here; NaN: it is not [s]
  double *evaluated_y;
  const char *method;
  double instant;  // no step goes beyond it: something given over time changes there
  double left;     // where a step to come leaves an instant, whose sides are compared then; NaN: nowhere [s]
  bool opaque;     // motions may jump where their expressions do not tell when
  bool cut;        // the last step ends at t_cut with y_cut, where the integrator starts again
  double t_cut, *y_cut;
  bool due;          // callbacks at a fixed rate may be, where the next step begins
  bool limited;      // states of the model have limits
  int *held_before;  // their modes in the last step
  double shown_t;    // the motion has the accelerations that flow_result found here; NaN: it has not [s]
};

// y = (q, u, accounts, inner), for IDA (q, u, accounts, inner, λ, μ)
static int work_at(const flow *s) { return s->nq + s->nv; }
static int inner_at(const flow *s) { return s->nq + s->nv + s->powers; }
static int differential_count(const flow *s) { return inner_at(s) + s->x->inner_count; }

static void pack_state(const flow *s, const scheme_start *start, double *y) {
  memcpy(y, start->q, (size_t)s->nq * sizeof *y);
  memcpy(y + s->nq, start->u, (size_t)s->nv * sizeof *y);
  memcpy(y + inner_at(s), s->x->inner, (size_t)s->x->inner_count * sizeof *y);
}

static void set_motion(flow *s, double t, const double *y) {
  dynamics_set(s->m, s->x, t, y, y + s->nq);
  memcpy(s->x->inner, y + inner_at(s), (size_t)s->x->inner_count * sizeof *y);
  s->x->refused = false;
  s->evaluated_t = s->shown_t = NAN;
}

// --- ordinary differential equations ---------------------------------------------------------------------------------

// Beside the constraints accelerations change with the distance over the nearness to a singular position: the equations
// are stiff there, and an integrator takes errors far below its tolerance for motion. Close to a singular position they
// are those of the projected state.
static bool is_in_zone(const flow *s) {
  return s->settings.constraints == FLOW_PROJECT && s->m->row_count && !s->m->sparse && !(s->x->nearness > s->zone);
}

static bool accelerate(flow *s) {
  enum { TURNS = 8 };
  motion *x = s->x;
  if (!dynamics_accelerations(s->m, x)) return false;
  if (!is_in_zone(s)) return true;
  return dynamics_project_positions(s->m, x, s->tolerance, TURNS) && dynamics_project_velocities(s->m, x) &&
         dynamics_accelerations(s->m, x);
}

// What was shown of a state has its accelerations: the first stage of the next step of a one-step method begins there.
static bool is_shown(const flow *s, double t, const double *y) {
  const motion *x = s->x;
  return s->settings.kind == INTEGRATOR_RK4 && !s->settings.accelerate && !s->m->row_count && !x->inner_count &&
         t == s->shown_t && x->t == t && x->level >= LEVEL_ACCELERATION &&
         memcmp(x->q, y, (size_t)s->nq * sizeof *y) == 0 && memcmp(x->u, y + s->nq, (size_t)s->nv * sizeof *y) == 0;
}

// The right-hand side from the accelerations that the motion has.
static int write_rates(flow *s, double t, const double *y, double *ydot) {
  motion *x = s->x;
  if (s->failed || x->refused) return 1;
  dynamics_rates(s->m, x->q, x->u, ydot);
  memcpy(ydot + s->nq, x->udot, (size_t)s->nv * sizeof *ydot);
  for (int k = 0; k < s->powers; k++) ydot[work_at(s) + k] = x->powers[s->power[k]];
  memcpy(ydot + inner_at(s), x->inner_rate, (size_t)s->x->inner_count * sizeof *ydot);
  if (s->settings.kind != INTEGRATOR_ERK) return 0;  // the only one that ends a step with the evaluation of its end
  memcpy(s->evaluated_y, y, (size_t)s->n * sizeof *y);
  s->evaluated_t = t;
  return 0;
}

static int right_hand_side(void *context, double t, const double *y, double *ydot) {
  flow *s = context;
  motion *x = s->x;
  if (interrupted(s->stop)) return -1;
  if (is_shown(s, t, y)) {
    s->failed = x->refused = false;
  } else {
    set_motion(s, t, y);
    s->failed = s->settings.accelerate ? !s->settings.accelerate(s->settings.context) : !accelerate(s);
  }
  return write_rates(s, t, y, ydot);
}

// With the factors of the last one; see ode_problem.
static int right_hand_side_again(void *context, double t, const double *y, double *ydot) {
  flow *s = context;
  if (s->settings.accelerate || is_in_zone(s)) return right_hand_side(context, t, y, ydot);
  if (interrupted(s->stop)) return -1;
  set_motion(s, t, y);
  s->failed = !dynamics_accelerations_again(s->m, s->x);
  return write_rates(s, t, y, ydot);
}

// Positions follow speeds; what else the right-hand side depends on is not stiff.
static int solve(void *context, double gamma, double *y) {
  flow *s = context;
  double *rates = s->work + s->nv;
  if (!s->settings.relax(s->settings.context, gamma, y + s->nq)) return 1;
  dynamics_rates(s->m, s->x->q, y + s->nq, rates);
  for (int i = 0; i < s->nq; i++) y[i] += gamma * rates[i];
  return 0;
}

static void steer(void *context, bool on) {
  const flow *s = context;
  s->settings.steer(s->settings.context, on);
}

bool flow_is_evaluated(const flow *s, double t, const double *y) {
  return t == s->evaluated_t && memcmp(y, s->evaluated_y, (size_t)s->n * sizeof *y) == 0;
}

// Back onto positions, then velocities, then unit quaternions. Driven coordinates take their given values.
static bool project_mechanism(flow *s, double t, double *y) {
  const mechanism *m = s->m;
  motion *x = s->x;
  enum { TURNS = 8 };
  dynamics_set(m, x, t, y, y + s->nq);
  dynamics_normalize(m, x->q);
  // an angle of many turns is known to its own rounding only, and a loop of such angles closes no better than a few of
  // them
  double largest = 0;
  for (int i = 0; i < s->nq; i++) largest = fmax(largest, fabs(x->q[i]));
  double tolerance = fmax(s->tolerance, 8 * DBL_EPSILON * largest * fmax(1, s->settings.length));
  if (!dynamics_project(m, x, tolerance, TURNS)) return false;
  memcpy(y, x->q, (size_t)s->nq * sizeof *y);
  memcpy(y + s->nq, x->u, (size_t)s->nv * sizeof *y);
  return true;
}

static int project(void *context, double t, double *y, double *error) {
  (void)error;
  flow *s = context;
  s->evaluated_t = s->shown_t = NAN;
  bool held = s->settings.project ? s->settings.project(s->settings.context, t, y) : project_mechanism(s, t, y);
  s->projection_failures += !held;
  return held ? 0 : 1;
}

// --- differential-algebraic equations: stabilised index 2 ------------------------------------------------------------

// With Gᵀμ moving the positions back (Gear, Gupta, Leimkuhler):
//   q' = N(q) (u + Gᵀμ),   M u' + h = τ + Gᵀλ,   Φ(q, t) = 0,   G u + Φ_t = 0
static int residual(void *context, double t, const double *y, const double *ydot, double *r) {
  flow *s = context;
  const mechanism *m = s->m;
  motion *x = s->x;
  const double *lambda = y + differential_count(s), *mu = lambda + s->nc;
  if (interrupted(s->stop)) return -1;
  set_motion(s, t, y);
  dynamics_positions_velocities(m, x);
  dynamics_apply_forces(m, x);
  if (x->refused) return 1;

  // positions: rates of u + Gᵀμ
  double *shift = s->work, *rates = s->work + s->nv;
  dynamics_transposed_rows(m, x, mu, m->row_count, shift);
  for (int i = 0; i < s->nv; i++) shift[i] += x->u[i];
  dynamics_rates(m, x->q, shift, rates);
  for (int i = 0; i < s->nq; i++) r[i] = ydot[i] - rates[i];

  // velocities: inverse dynamics with the constraint forces applied
  constraint_push(m, x, lambda, m->row_count);
  memcpy(x->lambda, lambda, (size_t)s->nc * sizeof *lambda);
  double *effort = s->work;
  tree_inverse(m, x, ydot + s->nq, effort);
  dynamics_book_drives(m, x, effort);
  for (int i = 0; i < s->nv; i++) r[s->nq + i] = effort[i] - x->tau[i];
  for (int i = 0; i < m->drive_count; i++) {
    int v = m->drives[i].speed;
    if (v >= 0) r[s->nq + v] = ydot[s->nq + v] - x->drive_udot[v];
  }
  for (int k = 0; k < s->powers; k++) r[work_at(s) + k] = ydot[work_at(s) + k] - x->powers[s->power[k]];
  for (int k = 0; k < x->inner_count; k++) r[inner_at(s) + k] = ydot[inner_at(s) + k] - x->inner_rate[k];
  double *on_positions = r + differential_count(s), *on_velocities = on_positions + s->nc;
  for (int i = 0; i < s->nc; i++) {
    on_positions[i] = x->rows[i].phi;
    on_velocities[i] = constraint_row_rate(m, x, &x->rows[i]);
  }
  x->level = LEVEL_NONE;  // A and F are not those of the motion
  return 0;
}

// --- creation --------------------------------------------------------------------------------------------------------

// Deflections are small: a modal coordinate's scale moves the body by a thousandth of the mechanism's size, or turns it
// by a milliradian. The scale of its rate is that in the time of a radian of its oscillation.
static void set_modal_scales(flow *s, const node *n) {
  for (int k = 0; k < n->modes; k++) {
    const double scale = 1e-3 * (n->flex->kinds[k] == 'a' ? 1 : s->settings.length) / n->flex->size[k];
    s->scale[n->modal_q + k] = scale;
    s->scale[s->nq + n->modal_v + k] = scale * fmax(1, n->flex->rate[k]);
  }
}

// The absolute tolerance of a coordinate is atol times its own scale: an angle's is 1, a length's the mechanism's
// size, a speed's that size per second, an energy's the largest at the start.
static void set_scales(flow *s) {
  const mechanism *m = s->m;
  double length = s->settings.length;
  for (int i = 0; i < s->n; i++) s->scale[i] = 1;
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    const char *kinds = m->planar ? n->type->kinds_planar : n->type->kinds_spatial;
    for (int k = 0; k < n->nq; k++)
      if (kinds[k] == 't') s->scale[n->q + k] = length;
    for (int k = 0; k < n->nv; k++)
      if (kinds[n->nq == n->nv ? k : k + 1] == 't') s->scale[s->nq + n->v + k] = length;
    set_modal_scales(s, n);
  }
  dynamics_set(m, s->x, 0, m->q0, m->u0);
  dynamics_positions_velocities(m, s->x);
  crossing_begin(m, s->x);
  s->zone = fmin(0.1, 0.2 * s->x->usual_nearness);
  double mass = 0;
  for (int i = 1; i < m->node_count; i++) mass += m->nodes[i].mass;
  double energy = fmax(tree_kinetic_energy(m, s->x), mass * vec3_norm(m->gravity) * length);
  for (int k = 0; k < s->powers; k++) s->scale[work_at(s) + k] = energy > 0 ? energy : 1;
  // bristles of rubbing surfaces: fractions of a millimetre on a mechanism of a metre
  for (int k = 0; k < s->x->inner_count; k++)
    s->scale[inner_at(s) + k] = k < m->state_count ? m->states[k].scale : 1e-3 * length;
}

static void mark_differential(flow *s) {
  for (int i = 0; i < differential_count(s); i++) s->differential[i] = true;
}

// IDA starts from consistent derivatives and multipliers.
static bool consistent_start(flow *s, double t, carom_error *error) {
  if (right_hand_side(s, t, s->y, s->ydot) != 0) {
    char why[256];
    dynamics_explain(s->m, s->x, why, sizeof why);
    error_set(error, CAROM_ERROR_SINGULAR, "%s", why);
    return false;
  }
  memcpy(s->y + differential_count(s), s->x->lambda, (size_t)s->nc * sizeof *s->y);
  return true;
}

// From y'' by a difference along y': the step whose error, h²/2 y'', is an eighth of the tolerance. IDA by itself would
// keep h y' within the tolerance, and when that is tight, multipliers drown in rounding (eps/h) on so short a step.
// Zero, IDA's own choice, where nothing moves.
static double first_step(flow *s, double t) {
  const integrator_settings *set = &s->settings.integrator;
  int n = differential_count(s);
  double fastest = 0, sum = 0, *y = calloc(2 * (size_t)n, sizeof *y);
  if (!y) return 0;
  double *ydot = y + n;
  for (int i = 0; i < n; i++) fastest = fmax(fastest, fabs(s->ydot[i]) / (fabs(s->y[i]) + s->scale[i]));
  double little = 1e-4 / fastest;
  for (int i = 0; i < n; i++) y[i] = s->y[i] + little * s->ydot[i];
  if (fastest > 0 && right_hand_side(s, t + little, y, ydot) == 0)
    for (int i = 0; i < n; i++) {
      double weight = 1 / (set->rtol * fabs(s->y[i]) + set->atol * s->scale[i]);
      sum += pow(weight * (ydot[i] - s->ydot[i]) / little, 2) / n;
    }
  free(y);
  return sum > 0 ? 0.5 * sqrt(2 / sqrt(sum)) : 0;
}

// --- instants at which functions of time change ----------------------------------------------------------------------

// Between two of them the motion is behind the one and before the other.
static void enter(flow *s, double t) {
  motion *x = s->x;
  double rounding = instant_rounding(t);
  bool there = instant_next(s->m, t - 2 * rounding) <= t + 2 * rounding;
  s->left = there ? t : NAN;
  s->instant = instant_next(s->m, t + 2 * rounding);
  x->last_t = there ? t - 2 * rounding : -INFINITY;
  x->from_t = there ? t + rounding : -INFINITY;
  x->to_t = isinf(s->instant) ? INFINITY : s->instant - instant_rounding(s->instant);
  s->opaque = false, s->due = s->m->callback_count > 0;
  for (int i = 0; i < driven_count(s->m); i++) s->opaque |= driven_is_opaque(driven_get(s->m, i), t);
  s->evaluated_t = s->shown_t = NAN;
}

static void cut_at(flow *s, double t) {
  if (integrator_interpolate(s->it, t, s->y_cut) != CAROM_OK) return;
  s->cut = true, s->t_cut = t;
}

// --- limits of states ------------------------------------------------------------------------------------------------

// The rate of a state without its limits, at a state of the flow.
static double free_rate(flow *s, int k, double t, const double *y) {
  set_motion(s, t, y);
  dynamics_positions_velocities(s->m, s->x);
  control_update(s->m, s->x);
  return control_free_rate(s->m, s->x, k);
}

// At a start, or after a reset: states at a limit rest there if their rates point outwards.
static void settle_states(flow *s, double t, double *y) {
  double *states = y + inner_at(s);
  control_limit(s->m, states);
  for (int k = 0; k < s->m->state_count; k++) {
    const model_state *z = &s->m->states[k];
    s->x->held[k] = 0;
    if (states[k] > z->low && states[k] < z->high) continue;
    double rate = free_rate(s, k, t, y);
    s->x->held[k] = states[k] >= z->high && rate > 0 ? 1 : states[k] <= z->low && rate < 0 ? -1 : 0;
  }
}

// Positive where a state is beyond its limits, or its rate points away from the one where it rests.
static double excess(flow *s, int k, double t) {
  const model_state *z = &s->m->states[k];
  if (integrator_interpolate(s->it, t, s->y) != CAROM_OK) return NAN;
  double value = s->y[inner_at(s) + k];
  int held = s->x->held[k];
  return held ? -held * free_rate(s, k, t, s->y) : fmax(value - z->high, z->low - value);
}

// The first time in a step at which the mode of a state changes, no later than `to`; `to` if it does not. Looks at four
// places.
static double find_change(flow *s, int k, double from, double to, double end) {
  enum { PLACES = 4, HALVINGS = 60 };
  double low = from, high = NAN;
  for (int i = 1; i <= PLACES && isnan(high); i++) {
    double t = i == PLACES ? end : from + i * (end - from) / PLACES;
    if (excess(s, k, t) > 0) high = t;
    else low = t;
  }
  if (isnan(high) || low >= to) return to;
  for (int i = 0; i < HALVINGS && high - low > instant_rounding(high); i++) {
    double t = 0.5 * (low + high);
    if (excess(s, k, t) > 0) high = t;
    else low = t;
  }
  return fmin(high, to);
}

// After a step: it ends where the first state reaches a limit or leaves one.
static void look_for_limits(flow *s, double t_before) {
  double end = integrator_time(s->it), first = end;
  int changed = -1;
  memcpy(s->held_before, s->x->held, (size_t)s->m->state_count * sizeof *s->held_before);
  for (int k = 0; k < s->m->state_count; k++) {
    const model_state *z = &s->m->states[k];
    if (!(z->low > -INFINITY || z->high < INFINITY)) continue;
    double t = find_change(s, k, t_before, first, end);
    if (t < first || (t == end && changed < 0 && excess(s, k, t) > 0)) first = t, changed = k;
  }
  if (changed < 0) return;
  cut_at(s, first);
  double *value = s->y_cut + inner_at(s) + changed;
  const model_state *z = &s->m->states[changed];
  if (s->x->held[changed]) s->x->held[changed] = 0;
  else s->x->held[changed] = *value > z->high ? 1 : -1, *value = s->x->held[changed] > 0 ? z->high : z->low;
}

// --- steps up to an instant ------------------------------------------------------------------------------------------

// Whether a motion jumps where a step to come leaves an instant.
static bool finds_jump(const flow *s, motion_jump *jump) {
  for (int i = 0; !isnan(s->left) && i < driven_count(s->m); i++)
    if (driven_jumps_at(driven_get(s->m, i), s->left, jump)) return true;
  return false;
}

// After a step from t_before: it ends where a motion jumps, or at an instant. The motion goes behind an instant when it
// is reached, unless it jumps there.
static void look_for_instants(flow *s, double t_before) {
  double t = integrator_time(s->it);
  motion_jump jump;
  for (int i = 0; s->opaque && i < driven_count(s->m); i++) {
    driven of = driven_get(s->m, i);
    if (!driven_is_opaque(of, t_before) || !driven_jumps_within(of, t_before, t, &jump)) continue;
    s->left = t = jump.t;
    cut_at(s, t);
  }
  if (s->limited && !s->cut) look_for_limits(s, t_before);
  if (flow_time(s) < s->instant) return;
  if (!s->cut) cut_at(s, t);
  s->left = t;
  if (finds_jump(s, &jump)) return;
  enter(s, t), s->left = NAN;
  control_reset(s->m, t, s->y_cut + inner_at(s));
  if (s->limited) settle_states(s, t, s->y_cut);
}

// No step leaves an instant at which a motion jumps.
static carom_status leave_instant(flow *s, carom_error *error) {
  motion_jump jump;
  char text[256];
  bool jumps = finds_jump(s, &jump);
  if (!jumps) return s->left = NAN, CAROM_OK;
  motion_jump_explain(&jump, s->method, text, sizeof text);
  return error_set(error, CAROM_ERROR_INTEGRATOR, "%s; %s", text, motion_jump_hint);
}

static bool is_dae(const flow *s) { return s->settings.kind == INTEGRATOR_IDA; }

static bool create_integrator(flow *s, const scheme_start *start, carom_error *error) {
  pack_state(s, start, s->y);
  enter(s, start->t);
  s->left = NAN;  // nothing moved before the start
  if (s->limited) settle_states(s, start->t, s->y);
  if (!is_dae(s)) {
    s->it = integrator_create_ode(s->settings.kind, &s->ode, &s->settings.integrator, start->t, s->y, error);
    return s->it != NULL;
  }
  if (!consistent_start(s, start->t, error)) return false;
  if (s->settings.integrator.step == 0) s->settings.integrator.step = first_step(s, start->t);
  s->it = integrator_create_dae(&s->dae, &s->settings.integrator, start->t, s->y, s->ydot, error);
  return s->it != NULL;
}

void flow_destroy(flow *s) {
  if (!s) return;
  integrator_destroy(s->it);
  free(s->y);
  free(s->ydot);
  free(s->scale);
  free(s->work);
  free(s->evaluated_y);
  free(s->y_cut);
  free(s->held_before);
  free(s->differential);
  flow_newton_destroy(&s->newton);
  flow_pattern_destroy(&s->pattern);
  free(s);
}

static bool allocate(flow *s, int n) {
  s->y = calloc((size_t)n, sizeof *s->y);
  s->ydot = calloc((size_t)n, sizeof *s->ydot);
  s->scale = calloc((size_t)n, sizeof *s->scale);
  s->work = calloc((size_t)(s->m->nv + s->m->nq + 1), sizeof *s->work);
  s->evaluated_y = calloc((size_t)n, sizeof *s->evaluated_y);
  s->evaluated_t = s->shown_t = s->left = NAN;
  s->differential = calloc((size_t)n, sizeof *s->differential);
  s->y_cut = calloc((size_t)n, sizeof *s->y_cut);
  s->held_before = calloc((size_t)s->m->state_count + 1, sizeof *s->held_before);
  return s->y_cut && s->held_before && s->y && s->ydot && s->scale && s->work && s->evaluated_y && s->differential;
}

bool flow_is_driven(const mechanism *m) {
  bool driven = m->drive_count > 0;
  for (int i = 0; i < m->constraint_count; i++) driven |= !function_is_constant(&m->constraints[i].f);
  return driven;
}

// A work account that nothing in the model can change need not be integrated.
static int choose_accounts(const mechanism *m, const flow_settings *settings, power chosen[POWER_COUNT]) {
  int count = 0;
  for (power k = 0; k < POWER_COUNT; k++) {
    bool forces = (k == POWER_APPLIED || k == POWER_DAMPER) && m->force_count > 0;
    bool deforms = k == POWER_DAMPER && flexible_is_damped(m);
    if (forces || deforms || (k == POWER_DRIVE && flow_is_driven(m)) || settings->loses[k]) chosen[count++] = k;
  }
  return count;
}

// Contact and what a scheme holds may be stiff.
static bool tell_newton(flow *s, carom_error *error) {
  bool alone = !s->x->push && !s->settings.accelerate && !s->settings.relax;
  bool sparse = is_dae(s) && alone && flow_pattern_is_sparse(s->m, s->x);
  if (!flow_newton_create(&s->newton, s->m, s->n, s->powers) ||
      (sparse && !flow_pattern_create(&s->pattern, s->m, s->x, s->powers))) {
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the integrator");
    return false;
  }
  return s->settings.kind != INTEGRATOR_BDF || !alone || flow_newton_precondition(&s->newton, s->x, error);
}

flow *flow_create(const scheme_setup *setup, const flow_settings *settings, const scheme_start *start,
                  carom_error *error) {
  const mechanism *m = setup->m;
  power chosen[POWER_COUNT];
  int powers = choose_accounts(m, settings, chosen);
  int n = m->nq + m->nv + powers + setup->x->inner_count + (settings->kind == INTEGRATOR_IDA ? 2 * m->row_count : 0);
  flow *s = calloc(1, sizeof *s);
  if (s)
    s->limited = control_has_limits(m), s->method = setup->method, s->m = m, s->x = setup->x, s->settings = *settings,
    s->stop = setup->stop;
  if (!s || !allocate(s, n)) {
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the integrator");
    flow_destroy(s);
    return NULL;
  }
  s->nq = m->nq, s->nv = m->nv, s->nc = m->row_count, s->n = n, s->powers = powers;
  memcpy(s->power, chosen, sizeof chosen);
  // Far below the tolerance of the motion, and above the rounding of a Φ of the mechanism's size.
  s->tolerance = 1e-12 * fmax(1, settings->length);
  bool needs_projection =
      settings->constraints == FLOW_PROJECT && (settings->project || m->row_count > 0 || m->nq != m->nv);
  s->x->baumgarte_alpha = settings->constraints == FLOW_BAUMGARTE ? settings->alpha : 0;
  s->x->baumgarte_beta = settings->constraints == FLOW_BAUMGARTE ? settings->beta : 0;
  set_scales(s);
  mark_differential(s);
  if (!tell_newton(s, error)) {
    flow_destroy(s);
    return NULL;
  }
  s->ode = (ode_problem){.n = n,
                         .context = s,
                         .rhs = right_hand_side,
                         .rhs_again = right_hand_side_again,
                         .structure = &s->newton.structure,
                         .preconditioner = s->newton.beside ? &s->newton.preconditioner : NULL,
                         .project = needs_projection ? project : NULL,
                         .solve = settings->relax ? solve : NULL,
                         .steer = settings->steer ? steer : NULL,
                         .abs_scale = s->scale,
                         .can_lock = m->row_count > 0};
  s->dae = (dae_problem){.n = n,
                         .context = s,
                         .residual = residual,
                         .differential = s->differential,
                         .abs_scale = s->scale,
                         .pattern = s->pattern.start ? &s->pattern : NULL,
                         .can_lock = m->row_count > 0};
  if (!create_integrator(s, start, error)) {
    flow_destroy(s);
    return NULL;
  }
  memcpy(s->x->inner, flow_state(s) + inner_at(s),
         (size_t)s->x->inner_count * sizeof *s->x->inner);  // IDA has looked ahead
  return s;
}

// --- stepping --------------------------------------------------------------------------------------------------------

void flow_show(flow *s, double t, const double *y) {
  set_motion(s, t, y);
  dynamics_normalize(s->m, s->x->q);
  for (int k = 0; k < s->powers; k++) s->accounts[s->power[k]] = y[work_at(s) + k];
}

// What failed in the mechanics, and which constraint may lock the mechanism.
static void explain(flow *s, carom_error *error) {
  if (s->failed) {
    char why[256];
    dynamics_explain(s->m, s->x, why, sizeof why);
    error_append(error, " (%s)", why);
  }
  set_motion(s, flow_time(s), flow_state(s));
  const char *name = dynamics_strongest_constraint(s->m, s->x);
  if (name) error_append(error, " (the largest reactions are those of '%s')", name);
}

// As a run that is resumed here does.
static carom_status go_on_behind_cut(flow *s, carom_error *error) {
  double step = flow_next_step(s);
  carom_status status = flow_restart(s, s->t_cut, s->y_cut, error);
  if (status == CAROM_OK && step > 0) integrator_suggest_step(s->it, step);
  return status;
}

// Callbacks that are due where a step begins. What they have changed acts from here on.
static carom_status call_at_rate(flow *s, carom_error *error) {
  double t = flow_time(s), step = flow_next_step(s);
  s->due = false;
  memcpy(s->y, flow_state(s), (size_t)s->n * sizeof *s->y);
  set_motion(s, t, s->y);
  dynamics_positions_velocities(s->m, s->x);
  if (!control_sample(s->m, s->x)) return CAROM_OK;
  if (s->x->bad_callback) return error_set(error, CAROM_ERROR_INTEGRATOR, "a callback has failed");
  carom_status status = flow_restart(s, t, s->y, error);
  if (status == CAROM_OK && step > 0) integrator_suggest_step(s->it, step);
  return status;
}

// Trial steps of a scheme that finds its forces by them. The last one counts.
static carom_status try_steps(flow *s, double until, carom_error *error) {
  double t = integrator_time(s->it);
  carom_status status;
  bool again;
  memcpy(s->y, integrator_state(s->it), (size_t)s->n * sizeof *s->y);
  do {
    carom_error trial = {0};
    status = integrator_restart(s->it, t, s->y, &trial);
    if (status == CAROM_OK) status = integrator_step(s->it, until, &trial);
    again = (status == CAROM_OK || status == CAROM_ERROR_INTEGRATOR) &&
            s->settings.again(s->settings.context, status != CAROM_OK, &until, s->y);
    if (!again && status != CAROM_OK && error) *error = trial;
  } while (again);
  return status;
}

carom_status flow_step(flow *s, double t_stop, carom_error *error) {
  carom_status status = leave_instant(s, error);
  if (status == CAROM_OK && s->due) status = call_at_rate(s, error);
  if (status == CAROM_OK && s->cut) status = go_on_behind_cut(s, error);
  if (status != CAROM_OK) return status;
  double t_before = integrator_time(s->it);
  double until = fmin(t_stop, s->instant);
  status = s->settings.again ? try_steps(s, until, error) : integrator_step(s->it, until, error);
  if (status == CAROM_OK) look_for_instants(s, t_before);
  if (status == CAROM_ERROR_INTEGRATOR) explain(s, error);
  return status;
}

carom_status flow_restart(flow *s, double t, const double *y, carom_error *error) {
  if (y != s->y) memcpy(s->y, y, (size_t)s->n * sizeof *y);
  if (s->cut && s->limited && t < s->t_cut)
    memcpy(s->x->held, s->held_before, (size_t)s->m->state_count * sizeof *s->held_before);
  s->cut = false;
  if (t >= s->instant || t <= s->x->last_t) enter(s, t);
  if (!is_dae(s)) return integrator_restart(s->it, t, s->y, error);
  if (!consistent_start(s, t, error)) return CAROM_ERROR_SINGULAR;
  memset(s->y + differential_count(s) + s->nc, 0, (size_t)s->nc * sizeof *s->y);
  return integrator_restart_dae(s->it, t, s->y, s->ydot, error);
}

void flow_suggest_step(flow *s, double step) { integrator_suggest_step(s->it, step); }
void flow_renew_jacobian(flow *s) { integrator_renew_jacobian(s->it); }
double flow_time(const flow *s) { return s->cut ? s->t_cut : integrator_time(s->it); }
const double *flow_state(const flow *s) { return s->cut ? s->y_cut : integrator_state(s->it); }

carom_status flow_interpolate(flow *s, double t, double *y) {
  if (!s->cut || t < s->t_cut) return integrator_interpolate(s->it, t, y);
  if (t > s->t_cut) return CAROM_ERROR_USAGE;
  memcpy(y, s->y_cut, (size_t)s->n * sizeof *y);
  return CAROM_OK;
}

int flow_size(const flow *s) { return s->n; }
double *flow_inner(const flow *s, double *y) { return y + inner_at(s); }

double flow_account(const flow *s, const double *y, power which) {
  for (int k = 0; k < s->powers; k++)
    if (s->power[k] == which) return y[work_at(s) + k];
  return s->accounts[which];
}

void flow_book(const flow *s, double *y, power which, double amount) {
  for (int k = 0; k < s->powers; k++)
    if (s->power[k] == which) y[work_at(s) + k] += amount;
}
double flow_next_step(const flow *s) { return integrator_next_step(s->it); }
bool flow_resumes_exactly(const flow *s) { return integrator_is_one_step(s->it); }
bool flow_keeps_slope(const flow *s) { return integrator_keeps_slope(s->it); }
const double *flow_accounts(const flow *s) { return s->accounts; }

scheme_stats flow_stats(const flow *s) {
  integrator_stats stats = integrator_get_stats(s->it);
  return (scheme_stats){.steps = s->before.steps + stats.steps,
                        .rejected = s->before.rejected + stats.rejected,
                        .evaluations = s->before.evaluations + stats.rhs_evaluations,
                        .projection_failures = s->projection_failures};
}

// --- memory ----------------------------------------------------------------------------------------------------------

static void count_fields(flow *s, fields *f) {
  integrator_stats own = integrator_get_stats(s->it);
  scheme_stats all = flow_stats(s);
  fields_count(f, "steps", &all.steps);
  fields_count(f, "rejected", &all.rejected);
  fields_count(f, "evaluations", &all.evaluations);
  fields_count(f, "projection_failures", &s->projection_failures);
  if (!f->from) return;
  s->before.steps = all.steps - own.steps, s->before.rejected = all.rejected - own.rejected;
  s->before.evaluations = all.evaluations - own.rhs_evaluations;
}

void flow_fields(flow *s, double *t, double *y, fields *f) {
  double accounts[POWER_COUNT];
  if (!f->from) s->next_step = flow_next_step(s);
  for (power k = 0; k < POWER_COUNT; k++) accounts[k] = flow_account(s, y, k);
  fields_finite(f, "scheme.t", t);
  fields_finites(f, "scheme.q", s->nq, y);
  fields_finites(f, "scheme.u", s->nv, y + s->nq);
  fields_finites(f, "scheme.inner", s->x->inner_count, y + inner_at(s));
  fields_numbers(f, "account", POWER_COUNT, accounts);
  fields_finite(f, "next_step", &s->next_step);
  count_fields(s, f);
  if (!f->from) return;
  memcpy(s->accounts, accounts, sizeof accounts);
  for (int k = 0; k < s->powers; k++) y[work_at(s) + k] = accounts[s->power[k]];
}

carom_status flow_restored(flow *s, double t, const double *y, carom_error *error) {
  s->due = s->m->callback_count > 0;
  carom_status status = flow_restart(s, t, y, error);
  if (status == CAROM_OK && s->next_step > 0) integrator_suggest_step(s->it, s->next_step);
  return status;
}

// --- as a scheme of its own ------------------------------------------------------------------------------------------

void flow_show_end(flow *s) { flow_show(s, flow_time(s), flow_state(s)); }

carom_status flow_show_within(flow *s, double t, carom_error *error) {
  carom_status status = flow_interpolate(s, t, s->y);
  if (status != CAROM_OK) return error_set(error, status, "the time %g s is not within the last step", t);
  flow_show(s, t, s->y);
  return CAROM_OK;
}

bool flow_result(flow *s) {
  bool evaluates =
      s->x->level < LEVEL_ACCELERATION;  // else by others, or they are results that were restored without accelerations
  if (!dynamics_instant(s->m, s->x)) return false;
  if (evaluates) s->shown_t = s->x->t;
  return true;
}

void flow_end_fields(flow *s, fields *f) {
  if (!f->from) s->t_kept = flow_time(s), memcpy(s->y, flow_state(s), (size_t)s->n * sizeof *s->y);
  flow_fields(s, &s->t_kept, s->y, f);
}

carom_status flow_end_restored(flow *s, carom_error *error) {
  carom_status status = flow_restored(s, s->t_kept, s->y, error);
  if (status == CAROM_OK) flow_show_end(s);
  return status;
}
