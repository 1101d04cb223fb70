// Motion in fixed modes. With a the accelerations of the rows that the applied forces alone would bring about, and
// W = G M⁻¹ Gᵀ, the reactions of the held rows (constraints, closed normals, sticking tangents) solve
//   a + W λ = 0,   λ_T = -μ λ_N d  where a point slips along d,
// a linear system without symmetry. Where its solution is not unique (a block on two corners), it is the one next to
// the share of the load that was found when modes were decided. Any other, as that of least norm, may ask a point to
// pull or to rub more than it can.
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/touches.h"
#include "mechanics/constraint.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"
#include "scheme/event_internal.h"
#include "scheme/paradox.h"

void event_set(event *s, double t, const double *y) {
  dynamics_set(s->w.m, s->w.x, t, y, y + s->w.m->nq);
  dynamics_positions_velocities(s->w.m, s->w.x);
}

// --- rows ------------------------------------------------------------------------------------------------------------

void event_take(event *s, bool (*which)(const event *s, const event_point *c)) {
  s->part_count = 0;
  for
    EACH_POINT(p, &s->w)
  if (!which || which(s, &s->point[p])) s->part[s->part_count++] = p;
  for
    EACH_JOINT(i, s) s->part[s->part_count + i] = watcher_first_joint(&s->w) + i;
}

static bool is_closed(const event *s, const event_point *c) {
  (void)s;
  return event_is_closed(c);
}

void event_take_closed(event *s) { event_take(s, is_closed); }

// Only the elements with a point that takes part: most are far apart.
static void evaluate_parts(event *s) {
  const contact_element *done = NULL;
  for
    EACH_PART(k, s) {
      const contact_element *e = event_part(s, k)->e;
      if (contact_points_change(e)) event_evaluate_point(s, s->part[k]);
      else if (e != done) contact_state_locate(s->w.contacts, s->w.m, s->w.x, e, NULL, s->w.points);
      event_set_frame(s, s->part[k]);
      done = e;
    }
}

void event_add_rows(event *s) {
  evaluate_parts(s);
  rows_clear(s->w.m, s->w.x);
  for
    EACH_PART(k, s) {
      event_point *c = event_part(s, k);
      c->row = s->w.x->row_total;
      contact_add_rows(s->w.m, s->w.x, c->e, &s->w.points[s->part[k]]);
    }
  for
    EACH_JOINT(i, s) event_joint_point(s, i)->row = s->w.x->row_total + i - 1;
  friction_add_rows(s->w.m, s->w.x);
}

static bool has_place(const event *s, const event_point *c) {
  (void)s;
  return !contact_points_change(c->e) || contact_is_feature(&c->feature);
}

// A place that is left is none for an open point.
static bool is_absent(const event_point *c, const contact_point *at) {
  return at->absent || (!event_is_closed(c) && !(c->within > 0));
}

static void observe_absent(event *s) {
  for
    EACH_POINT(p, &s->w) {
      event_point *c = &s->point[p];
      if (!has_place(s, c))
        c->gap = INFINITY, c->absent = true, c->within = INFINITY, memset(c->rate, 0, sizeof c->rate);
    }
}

void event_observe(event *s) {
  if (s->w.contacts->changing_count) observe_absent(s);
  event_take(s, has_place);
  event_add_rows(s);
  rows_rates(s->w.m, s->w.x, s->rate);
  for
    EACH_ACTING(part, s) {
      event_point *c = event_part(s, part);
      c->gap = s->w.points[s->part[part]].gap, c->absent = !c->first && is_absent(c, &s->w.points[s->part[part]]);
      for (int k = c->first; k < c->rows; k++) c->rate[k] = event_is_guided(c, k) ? 0 : s->rate[c->row + k];
      event_turns_observe(s, c);
    }
  event_take_closed(s);
  rows_clear(s->w.m, s->w.x);
}

static void set_bias_of_place(event *s, const event_point *c, const contact_point *p) {
  contact_travel t = c->e->type->follow->travel(s->w.m, s->w.x, c->e, &c->feature, p);
  contact_set_bias_by(s->w.m, s->w.x, c->e, p, &t, c->row);
}

static void set_biases(event *s) {
  for
    EACH_PART(k, s) {
      const event_point *c = event_part(s, k);
      int p = s->part[k];
      if (!contact_points_change(c->e))
        contact_set_bias(s->w.m, s->w.x, c->e, &s->w.points[p], p - c->e->point0, c->row);
      else set_bias_of_place(s, c, &s->w.points[p]);
    }
}

// The largest error of a contact force that these errors cause.
static double force_noise(const event *s) {
  double most = 0;
  for (int i = s->w.m->row_count; i < s->w.x->row_total; i++) {
    double W = s->W[(long)i * s->w.x->row_total + i];
    if (W > 0) most = fmax(most, s->noise[i] / W);
  }
  return most;
}

// The accelerations of all rows. What is less than its rounding error is zero: without weight the forces of many
// contacts are, and the sign of what is computed for them means nothing.
static void accelerate_rows(event *s) {
  motion *x = s->w.x;
  for (int i = 0; i < x->row_total; i++) s->a[i] = constraint_row_acceleration(s->w.m, x, &x->rows[i]);
  for (int i = s->w.m->row_count; i < x->row_total; i++) {
    s->noise[i] = constraint_row_rounding(s->w.m, x, &x->rows[i]);
    if (fabs(s->a[i]) > s->noise[i]) continue;
    x->rows[i].quad -= s->a[i];
    s->a[i] = 0;
  }
}

void event_replace_repeats(event *s, double *v, double enough) {
  response_repeat *f = &s->repeat;
  f->count = s->part_count;
  for
    EACH_PART(k, s) f->row[k] = event_part(s, k)->row;
  response_repeat_find(f, s->w.x->row_total, s->W, v, s->w.nearness / s->w.m->length, enough);
  response_repeat_apply(f, v);
}

void event_find_guided(event *s, double *W, double *q) {
  for
    EACH_PART(part, s) {
      event_point *c = event_part(s, part);
      c->guided = 0;
      for (int k = 1; s->w.m->row_count && k < c->all_rows; k++)
        if (response_hold(s->w.m, s->w.x, s->w.x->u, W, q, c->row + k)) c->guided |= 1 << k;
      for (int k = 1; k < c->rows; k++)
        if (event_is_guided(c, k)) c->rate[k] = 0;
      event_turns_guide(c);
    }
}

static bool accelerate_freely(event *s) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  dynamics_positions_velocities(m, x);
  event_add_rows(s);
  if (!event_reserve_problem(s)) return false;
  set_biases(s);
  event_friction_push(s);
  dynamics_apply_forces(m, x);
  if (!response_factor(m, x)) return false;
  response_forward(m, x);
  accelerate_rows(s);
  return true;
}

static void form_matrix(event *s) {
  response_matrix(s->w.m, s->w.x, s->W);
  s->has_matrix = true;
  event_replace_repeats(s, s->a, 0);
  s->force_noise = force_noise(s);
}

bool event_free_accelerations(event *s) {
  if (!accelerate_freely(s)) return false;
  form_matrix(s);
  return true;
}

// --- slip ------------------------------------------------------------------------------------------------------------

static void find_way(const event *s, event_point *c, const double *rate) {
  double ignored[2];
  if (s->steers && c->steered) {
    c->turning = event_find_way(s->still, rate + 1, c->way, ignored);
    return;
  }
  memcpy(c->along, c->way, sizeof c->along);
  if (c->fade.creeps) c->turning = INFINITY;
  else if (c->rows == 3 && !(c->guided & EVENT_SLIDING))
    c->turning = event_find_way(s->still, rate + 1, c->way, c->along);
  event_turns_find_ways(s, c, rate);
}

void event_find_rates(event *s) {
  rows_rates(s->w.m, s->w.x, s->rate);
  for
    EACH_PART(k, s) find_way(s, event_part(s, k), s->rate + event_part(s, k)->row);
}

// --- accelerations ---------------------------------------------------------------------------------------------------

// Over that without friction.
static double resistance_of(const event *s, const event_point *c) {
  double own[BLOCK_ROWS_MAX];
  const double *W = s->W + (long)c->row * s->w.x->row_total + c->row;
  if (!s->has_matrix) response_own(s->w.m, s->w.x, c->row, c->all_rows, own), W = own;
  return (paradox_resistance(c->rows, W, c->friction, c->along) - event_turns_yield(c, W)) / W[0];
}

static void recall_shares(event *s) {
  memcpy(s->lambda, s->share, (size_t)s->w.m->row_count * sizeof *s->lambda);
  for
    EACH_ACTING(part, s) {
      const event_point *c = event_part(s, part);
      for (int k = c->first; k < c->rows; k++) s->lambda[c->row + k] = c->share[k];
      event_turns_recall(s, c);
    }
}

// Forces from s->lambda, and the power of friction. That of joints that slip was applied before.
static void take_forces(event *s) {
  double power[2] = {0, 0};  // of points and of joints
  for
    EACH_ACTING(part, s) {
      event_point *c = event_part(s, part);
      for (int k = c->first; k < c->rows; k++) c->force[k] = s->lambda[c->row + k];
      power[0] += event_turns_take_forces(s, c);
      if (c->mode != MODE_SLIP || c->rows == 1) continue;
      if (c->first) c->force[1] = -c->force[0] * c->way[0];
      else c->resistance = resistance_of(s, c);
      for (int k = 1; k < c->rows; k++) power[c->first] -= c->force[k] * s->rate[c->row + k];
    }
  s->w.x->powers[POWER_FRICTION] = power[0] + power[1];
}

static void turn_round(event *s) {
  for (int i = 0; i < s->w.x->row_total; i++) s->a[i] = -s->a[i];
}

// The reactions s->lambda to the free accelerations s->a.
static bool react(event *s) {
  recall_shares(s);
  turn_round(s);
  if (event_solve_as_before(s, s->a, HOLD_STICKING, true, 0, s->lambda)) return true;
  turn_round(s);
  form_matrix(s);
  recall_shares(s);
  turn_round(s);
  return event_solve_held(s, s->a, HOLD_STICKING, true, s->lambda);
}

static bool accelerate(event *s) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  s->evaluations++;
  for
    EACH_POINT(p, &s->w) memset(s->point[p].force, 0, sizeof s->point[p].force);
  if (!s->part_count && !m->friction_count) return dynamics_accelerations(m, x);
  if (!accelerate_freely(s)) return false;
  event_find_rates(s);
  if (!(s->prescribe ? s->prescribe(s) : react(s))) return false;
  for (int i = 0; i < m->row_count; i++) x->lambda[i] = s->lambda[i];
  take_forces(s);
  double strongest = 0;
  for (int i = 0; i < m->nv; i++) strongest = fmax(strongest, fabs(x->udot[i]));
  constraint_push(m, x, response_repeat_spread(&s->repeat, s->lambda), x->row_total);
  response_forward(m, x);
  // What is left where reactions balance the forces is rounding; without it what rests stays where it is.
  for (int i = 0; i < m->nv; i++)
    if (fabs(x->udot[i]) <= 64 * DBL_EPSILON * strongest) x->udot[i] = 0;
  dynamics_book_drives(m, x, NULL);
  for (int i = 0; i < m->nv; i++)
    if (!isfinite(x->udot[i])) return false;
  x->level = LEVEL_ACCELERATION;
  return true;
}

bool event_accelerate(event *s) {
  for (int turn = 0; turn < FRICTION_TURNS; turn++) {
    if (!accelerate(s)) return false;
    if (event_friction_agrees(s, turn)) return true;
  }
  s->disagrees = true;
  return true;
}

// --- projection ------------------------------------------------------------------------------------------------------

// Gaps [m] and rates [m/s] that are left.
static double projected_to(const event *s) { return 1e-13 * fmax(1, s->w.m->length); }

bool event_prepare_rows(event *s) {
  if (interrupted(s->w.stop)) return false;
  s->w.x->level = LEVEL_NONE;
  dynamics_positions_velocities(s->w.m, s->w.x);
  event_add_rows(s);
  s->has_matrix = false;
  return event_reserve_problem(s) && response_factor(s->w.m, s->w.x);
}

static void form_projection(event *s) {
  if (!s->has_matrix) response_matrix(s->w.m, s->w.x, s->W);
  s->has_matrix = true;
}

// What positions miss, into s->a: constraints, and the gaps of closed points unless they are kept. Returns the largest.
static double measure_positions(event *s, bool keep_gaps) {
  double worst = constraints_excess(s->w.m, s->w.x);
  for (int i = 0; i < s->w.m->row_count; i++) s->a[i] = -s->w.x->rows[i].phi;
  for
    EACH_PART(k, s) {
      const event_point *c = event_part(s, k);
      s->a[c->row] = keep_gaps ? 0 : -s->w.points[s->part[k]].gap;
      worst = fmax(worst, fabs(s->a[c->row]));
    }
  return worst;
}

// Whether bodies have to move a hundred times as far as positions miss: a gap of 1e-8 between bodies in a row that just
// fits is closed by moving one of them across the row, by 1e-5.
static bool moves_far(const event *s) {
  static const double FAR = 100;
  double moved = 0, missed = 0;
  for (int k = 0; k < s->held.n; k++) {
    int i = s->held.row[k];
    double scale = s->held.scale[k];
    moved += s->lambda[i] * s->a[i];
    if (s->lambda[i] != 0) missed += scale * scale * s->a[i] * s->a[i];
  }
  return moved > FAR * FAR * missed;
}

// To what projections reach: what is left of rates is often no more than rounding.
static bool solve_as_before(event *s, event_hold what) {
  memset(s->lambda, 0, (size_t)s->w.x->row_total * sizeof *s->lambda);
  return event_solve_as_before(s, s->a, what, false, projected_to(s), s->lambda);
}

// The reactions s->lambda that change the held rows by s->a, the least where they are not unique.
static bool solve_least(event *s, event_hold what, bool coupled) {
  memset(s->lambda, 0, (size_t)s->w.x->row_total * sizeof *s->lambda);
  return event_solve_held(s, s->a, what, coupled, s->lambda);
}

static bool solve_positions(event *s) {
  if (solve_as_before(s, HOLD_NORMALS)) return true;
  form_projection(s);
  event_replace_repeats(s, s->a, s->w.nearness);
  return solve_least(s, HOLD_NORMALS, false);
}

// For other s->a: rows that repeat others do so still.
static bool solve_positions_again(event *s) {
  if (!s->has_matrix) return solve_positions(s);
  response_repeat_apply(&s->repeat, s->a);
  return solve_least(s, HOLD_NORMALS, false);
}

static bool project_positions(event *s) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  enum { TURNS = 8 };
  double tolerance = projected_to(s);
  bool keep_gaps = false;
  for (int turn = 0; turn < TURNS; turn++) {
    if (!event_prepare_rows(s)) return false;
    double worst = measure_positions(s, keep_gaps);
    if (turn > 0 && worst <= tolerance) return true;
    if (!isfinite(worst) || !solve_positions(s)) return false;
    if (!keep_gaps && moves_far(s)) {
      keep_gaps = true;
      (void)measure_positions(s, keep_gaps);
      if (!solve_positions_again(s)) return false;
    }
    dynamics_move(m, x->q, response_to(m, x, response_repeat_spread(&s->repeat, s->lambda), x->row_total));
  }
  return event_prepare_rows(s) && constraints_excess(m, x) <= 1e2 * tolerance;
}

static bool measure_rates(event *s) {
  const mechanism *m = s->w.m;
  const motion *x = s->w.x;
  if (!event_prepare_rows(s)) return false;
  event_find_rates(s);
  for (int i = 0; i < x->row_total; i++) s->a[i] = -s->rate[i] - (i < m->row_count ? x->rows[i].phi_t : 0);
  return true;
}

static bool arrest(event *s, event_hold what, bool coupled) {
  form_projection(s);
  event_replace_repeats(s, s->a, s->still);
  return solve_least(s, what, coupled);
}

bool event_arrest(event *s, event_hold what, bool coupled) { return measure_rates(s) && arrest(s, what, coupled); }

// Points that begin to slip have no slip yet, unless a drive moves them: it has the speed of an instant before or after
// the one at which they turn back. To hold them as well would pull points along that stick. In a heap, which no drive
// moves, some row may nearly depend on others and keep a speed, which is none.
static bool project_velocities(event *s, event_hold what) {
  const double least = (s->relaxes ? 1 : 0.1) * s->still;
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  if (!measure_rates(s) || !(solve_as_before(s, what) || arrest(s, what, false))) return false;
  if (what == HOLD_ONSET && !event_rows_stand(s, least)) return project_velocities(s, HOLD_STICKING);
  const double *change = response_to(m, x, response_repeat_spread(&s->repeat, s->lambda), x->row_total);
  for (int i = 0; i < m->nv; i++) x->u[i] += change[i];
  x->level = LEVEL_NONE;
  return dynamics_positions_velocities(m, x);
}

bool event_project(event *s, double t, double *y, event_hold what) {
  const mechanism *m = s->w.m;
  bool free = !s->closed_count && !m->row_count && !event_friction_sticks(s);
  if (free && m->nq == m->nv) return true;
  dynamics_set(m, s->w.x, t, y, y + s->w.m->nq);
  dynamics_normalize(m, s->w.x->q);
  event_take_closed(s);
  bool held = free || (project_positions(s) && project_velocities(s, what));
  if (held)
    memcpy(y, s->w.x->q, (size_t)s->w.m->nq * sizeof *y),
        memcpy(y + s->w.m->nq, s->w.x->u, (size_t)s->w.m->nv * sizeof *y);
  rows_clear(m, s->w.x);
  return held;
}
