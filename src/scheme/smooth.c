#include "scheme/smooth.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/constraint.h"
#include "mechanics/dynamics.h"
#include "mechanics/tree.h"

typedef struct smooth {
  const mechanism *m;
  motion *x;
  smooth_settings settings;
  integrator *it;
  ode_problem ode;
  dae_problem dae;
  int nq, nv, nc, n;
  double *y, *ydot, *scale, *work;
  bool *differential;
  double accounts[POWER_COUNT];   // of the state shown
  double tolerance;               // of constraint violations
  long projection_failures;
  bool failed;                    // the last refusal was the mechanics', not the tolerance's
} smooth;

// y = (q, u, accounts), for IDA (q, u, accounts, λ, μ)
static double *speeds_of(const smooth *s, double *y) { return y + s->nq; }
static double *work_of(const smooth *s, double *y) { return y + s->nq + s->nv; }

static void pack(const smooth *s, const double *q, const double *u, const double *accounts, double *y) {
  memcpy(y, q, (size_t)s->nq * sizeof *y);
  memcpy(y + s->nq, u, (size_t)s->nv * sizeof *y);
  memcpy(y + s->nq + s->nv, accounts, POWER_COUNT * sizeof *y);
}

// --- ordinary differential equations -------------------------------------------------------------------------------

static int right_hand_side(void *context, double t, const double *y, double *ydot) {
  smooth *s = context;
  dynamics_set(s->m, s->x, t, y, y + s->nq);
  s->failed = !dynamics_accelerations(s->m, s->x);
  if (s->failed) return 1;
  dynamics_rates(s->m, s->x->q, s->x->u, ydot);
  memcpy(speeds_of(s, ydot), s->x->udot, (size_t)s->nv * sizeof *ydot);
  memcpy(work_of(s, ydot), s->x->powers, sizeof s->x->powers);
  return 0;
}

// Back onto positions, then velocities, then unit quaternions. Driven coordinates take their given values.
static int project(void *context, double t, double *y, double *error) {
  (void)error;
  smooth *s = context;
  const mechanism *m = s->m;
  motion *x = s->x;
  enum { TURNS = 8 };
  dynamics_set(m, x, t, y, y + s->nq);
  dynamics_normalize(m, x->q);
  // an angle of many turns is known to its own rounding only, and a loop of such angles closes no better than a few of them
  double largest = 0;
  for (int i = 0; i < s->nq; i++) largest = fmax(largest, fabs(x->q[i]));
  double tolerance = fmax(s->tolerance, 8 * DBL_EPSILON * largest * fmax(1, s->settings.length));
  if (!dynamics_project_positions(m, x, tolerance, TURNS) || !dynamics_project_velocities(m, x)) {
    s->projection_failures++;
    return 1;
  }
  memcpy(y, x->q, (size_t)s->nq * sizeof *y);
  memcpy(y + s->nq, x->u, (size_t)s->nv * sizeof *y);
  return 0;
}

// --- differential-algebraic equations: stabilised index 2 ----------------------------------------------------------

// With Gᵀμ moving the positions back (Gear, Gupta, Leimkuhler):
//   q' = N(q) (u + Gᵀμ),   M u' + h = τ + Gᵀλ,   Φ(q, t) = 0,   G u + Φ_t = 0
static int residual(void *context, double t, const double *y, const double *ydot, double *r) {
  smooth *s = context;
  const mechanism *m = s->m;
  motion *x = s->x;
  const double *lambda = y + s->nq + s->nv + POWER_COUNT, *mu = lambda + s->nc;
  dynamics_set(m, x, t, y, y + s->nq);
  dynamics_positions_velocities(m, x);
  dynamics_apply_forces(m, x);

  // positions: rates of u + Gᵀμ
  double *shift = s->work, *rates = s->work + s->nv;
  dynamics_transposed_rows(m, x, mu, shift);
  for (int i = 0; i < s->nv; i++) shift[i] += x->u[i];
  dynamics_rates(m, x->q, shift, rates);
  for (int i = 0; i < s->nq; i++) r[i] = ydot[i] - rates[i];

  // velocities: inverse dynamics with the constraint forces applied
  constraint_push(m, x, lambda, m->row_count);
  memcpy(x->lambda, lambda, (size_t)s->nc * sizeof *lambda);
  double *effort = s->work;
  tree_inverse(m, x, ydot + s->nq, effort);
  for (int i = 0; i < s->nv; i++) r[s->nq + i] = effort[i] - x->tau[i];
  for (int i = 0; i < m->drive_count; i++) {
    int v = m->drives[i].speed;
    if (v < 0) continue;
    x->powers[POWER_DRIVE] += r[s->nq + v] * x->u[v];
    r[s->nq + v] = ydot[s->nq + v] - x->drive_udot[v];
  }
  for (int k = 0; k < s->nc; k++) x->powers[POWER_DRIVE] -= lambda[k] * x->rows[k].phi_t;
  double *accounts = r + s->nq + s->nv;
  for (int k = 0; k < POWER_COUNT; k++) accounts[k] = ydot[s->nq + s->nv + k] - x->powers[k];
  double *on_positions = accounts + POWER_COUNT, *on_velocities = on_positions + s->nc;
  for (int i = 0; i < s->nc; i++) {
    on_positions[i] = x->rows[i].phi;
    on_velocities[i] = constraint_row_rate(m, x, &x->rows[i]);
  }
  x->level = LEVEL_NONE;  // A and F are not those of the motion
  return 0;
}

// --- creation -----------------------------------------------------------------------------------------------------

// The absolute tolerance of a coordinate is atol times its own scale: an angle's is 1, a length's the mechanism's
// size, a speed's that size per second, an energy's the largest at the start.
static void set_scales(smooth *s) {
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
  }
  dynamics_set(m, s->x, 0, m->q0, m->u0);
  dynamics_positions_velocities(m, s->x);
  double mass = 0;
  for (int i = 1; i < m->node_count; i++) mass += m->nodes[i].mass;
  double energy = fmax(tree_kinetic_energy(m, s->x), mass * vec3_norm(m->gravity) * length);
  for (int k = 0; k < POWER_COUNT; k++) s->scale[s->nq + s->nv + k] = energy > 0 ? energy : 1;
}

static void mark_differential(smooth *s) {
  for (int i = 0; i < s->nq + s->nv + POWER_COUNT; i++) s->differential[i] = true;
}

// IDA starts from consistent derivatives and multipliers.
static bool consistent_start(smooth *s, double t, carom_error *error) {
  if (right_hand_side(s, t, s->y, s->ydot) != 0) {
    char why[256];
    dynamics_explain(s->m, s->x, why, sizeof why);
    error_set(error, CAROM_ERROR_SINGULAR, "%s", why);
    return false;
  }
  memcpy(s->y + s->nq + s->nv + POWER_COUNT, s->x->lambda, (size_t)s->nc * sizeof *s->y);
  return true;
}

// From y'' by a difference along y': the step whose error, h²/2 y'', is an eighth of the tolerance. IDA by itself would
// keep h y' within the tolerance, and when that is tight, multipliers drown in rounding (eps/h) on so short a step.
// Zero, IDA's own choice, where nothing moves.
static double first_step(smooth *s, double t) {
  const integrator_settings *set = &s->settings.integrator;
  int n = s->nq + s->nv + POWER_COUNT;
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

static bool is_dae(const smooth *s) { return s->settings.kind == INTEGRATOR_IDA; }

static bool create_integrator(smooth *s, const scheme_start *start, carom_error *error) {
  pack(s, start->q, start->u, start->accounts, s->y);
  if (!is_dae(s)) {
    s->it = integrator_create_ode(s->settings.kind, &s->ode, &s->settings.integrator, start->t, s->y, error);
    return s->it != NULL;
  }
  if (!consistent_start(s, start->t, error)) return false;
  if (s->settings.integrator.step == 0) s->settings.integrator.step = first_step(s, start->t);
  s->it = integrator_create_dae(&s->dae, &s->settings.integrator, start->t, s->y, s->ydot, error);
  return s->it != NULL;
}

static void destroy(void *scheme) {
  smooth *s = scheme;
  if (!s) return;
  integrator_destroy(s->it);
  free(s->y);
  free(s->ydot);
  free(s->scale);
  free(s->work);
  free(s->differential);
  free(s);
}

static bool allocate(smooth *s, int n) {
  s->y = calloc((size_t)n, sizeof *s->y);
  s->ydot = calloc((size_t)n, sizeof *s->ydot);
  s->scale = calloc((size_t)n, sizeof *s->scale);
  s->work = calloc((size_t)(s->m->nv + s->m->nq + 1), sizeof *s->work);
  s->differential = calloc((size_t)n, sizeof *s->differential);
  return s->y && s->ydot && s->scale && s->work && s->differential;
}

static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  const mechanism *m = setup->m;
  const smooth_settings *settings = setup->settings;
  int n = m->nq + m->nv + POWER_COUNT + (settings->kind == INTEGRATOR_IDA ? 2 * m->row_count : 0);
  smooth *s = calloc(1, sizeof *s);
  if (s) s->m = m, s->x = setup->x, s->settings = *settings;
  if (!s || !allocate(s, n)) {
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the integrator");
    destroy(s);
    return NULL;
  }
  s->nq = m->nq, s->nv = m->nv, s->nc = m->row_count, s->n = n;
  if (start->next_step > 0 && settings->kind == INTEGRATOR_ERK) s->settings.integrator.step = start->next_step;
  // Far below the tolerance of the motion, and above the rounding of a Φ of the mechanism's size.
  s->tolerance = 1e-12 * fmax(1, settings->length);
  bool needs_projection = settings->constraints == SMOOTH_PROJECT && (m->row_count > 0 || m->nq != m->nv);
  s->x->baumgarte_alpha = settings->constraints == SMOOTH_BAUMGARTE ? settings->alpha : 0;
  s->x->baumgarte_beta = settings->constraints == SMOOTH_BAUMGARTE ? settings->beta : 0;
  set_scales(s);
  mark_differential(s);
  s->ode = (ode_problem){.n = n, .context = s, .rhs = right_hand_side, .project = needs_projection ? project : NULL,
                         .abs_scale = s->scale};
  s->dae = (dae_problem){.n = n, .context = s, .residual = residual, .differential = s->differential,
                         .abs_scale = s->scale};
  if (!create_integrator(s, start, error)) {
    destroy(s);
    return NULL;
  }
  memcpy(s->accounts, start->accounts, sizeof s->accounts);
  return s;
}

// --- stepping -----------------------------------------------------------------------------------------------------

static void show_state(smooth *s, double t, const double *y) {
  dynamics_set(s->m, s->x, t, y, y + s->nq);
  dynamics_normalize(s->m, s->x->q);
  memcpy(s->accounts, y + s->nq + s->nv, sizeof s->accounts);
}

static void show_end(void *scheme) {
  smooth *s = scheme;
  show_state(s, integrator_time(s->it), integrator_state(s->it));
}

static carom_status step(void *scheme, double t_stop, carom_error *error) {
  smooth *s = scheme;
  carom_status status = integrator_step(s->it, t_stop, error);
  show_end(s);
  if (status != CAROM_OK && s->failed && error) {
    char why[256];
    dynamics_explain(s->m, s->x, why, sizeof why);
    size_t used = strlen(error->message);
    snprintf(error->message + used, sizeof error->message - used, " (%s)", why);
    snprintf(error->text, sizeof error->text, "error: %s", error->message);
  }
  return status;
}

static carom_status show(void *scheme, double t, carom_error *error) {
  smooth *s = scheme;
  carom_status status = integrator_interpolate(s->it, t, s->y);
  if (status != CAROM_OK) return error_set(error, status, "the time %g s is not within the last step", t);
  show_state(s, t, s->y);
  return CAROM_OK;
}

static double time_of(const void *scheme) { return integrator_time(((const smooth *)scheme)->it); }
static const double *state_of(const void *scheme) { return integrator_state(((const smooth *)scheme)->it); }
static const double *accounts_of(const void *scheme) { return ((const smooth *)scheme)->accounts; }
static bool resumes_exactly(const void *scheme) { return integrator_is_one_step(((const smooth *)scheme)->it); }
static double next_step(const void *scheme) { return integrator_next_step(((const smooth *)scheme)->it); }

static scheme_stats stats_of(const void *scheme) {
  const smooth *s = scheme;
  integrator_stats stats = integrator_get_stats(s->it);
  return (scheme_stats){.steps = stats.steps, .rejected = stats.rejected, .evaluations = stats.rhs_evaluations,
                        .projection_failures = s->projection_failures};
}

const scheme_type scheme_smooth = {
    .name = "smooth", .create = create, .destroy = destroy, .step = step, .show = show, .show_end = show_end,
    .time = time_of, .state = state_of, .accounts = accounts_of, .stats = stats_of, .resumes_exactly = resumes_exactly,
    .next_step = next_step,
};
