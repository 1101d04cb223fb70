// One step: free velocity, contact problem, solution, and the positions that follow.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/block.h"
#include "mechanics/constraint.h"
#include "mechanics/control.h"
#include "mechanics/dynamics.h"
#include "mechanics/function.h"
#include "mechanics/response.h"
#include "scheme/stepper_internal.h"

// Driven speeds go from what their drives say at A to what they say at E.
void stepper_set_drives(stepper *s, const double *u, double t_rows, double t_end, double dt) {
  const mechanism *m = s->m;
  motion *x = s->x;
  for (int i = 0; i < m->drive_count; i++) {
    const drive *d = &m->drives[i];
    if (d->speed < 0) continue;
    const node *n = &m->nodes[m->joints[d->of.joint].node];
    x->q[n->q + d->of.index] = function_jet(&d->f, t_rows).v;
    x->u[d->speed] = u[d->speed];
    x->drive_udot[d->speed] = (function_jet(&d->f, t_end).d - u[d->speed]) / dt;
  }
}

void stepper_move_on(stepper *s, const double *q, double h) {
  motion *x = s->x;
  memcpy(x->q, q, (size_t)s->m->nq * sizeof *q);
  for (int i = 0; i < s->m->nv; i++) s->displacement[i] = h * x->u[i];
  dynamics_move_shared(s->m, x, x->q, s->displacement);
  centre_carry(s->m, q, x->q, x->u);
}

void stepper_take_positions(stepper *s) {
  const mechanism *m = s->m;
  motion *x = s->x;
  centre_carry(m, s->q, x->q, s->u);
  centre_carry(m, s->q, x->q, x->u);
  memcpy(s->q, x->q, (size_t)m->nq * sizeof *s->q);
  x->level = LEVEL_NONE;
}

// From where rows are evaluated to the end of the step, the motion and the state alike. Returns false if it is not
// finite.
static inline bool move_to_end(stepper *s, double h, const double *u_end) {
  const mechanism *m = s->m;
  motion *x = s->x;
  double *q = s->q, *u = s->u, zero = 0;  // times each speed; NaN where one is not finite
  const double *q_R = s->rest.any ? s->rest.exact : x->q;
  if (m->nq > m->nv || m->off_centre) {
    memcpy(q, q_R, (size_t)m->nq * sizeof *q);
    stepper_move_from(s, q, u_end, h);
    if (s->overlap.moves) centre_carry(m, q, x->q, s->overlap.displacement);
    memcpy(q, x->q, (size_t)m->nq * sizeof *q);
    for (int i = 0; i < m->nv; i++) u[i] = x->u[i], zero += 0 * u[i];
  } else {
    for (int i = 0; i < m->nv; i++) {
      double speed = u_end[i];
      q[i] = x->q[i] = q_R[i] + h * speed;
      u[i] = x->u[i] = speed;
      zero += 0 * speed;
    }
  }
  return zero == 0;
}

// The motion goes on by part of a step with its accelerations, constraints included, and the rates of the states:
// velocities and states of order two half a step later. Contact forces are left out.
static bool predict(stepper *s, const double *z, double h) {
  const mechanism *m = s->m;
  motion *x = s->x;
  if (m->row_count) constraints_evaluate(m, x);
  x->level = LEVEL_VELOCITY;
  if (!dynamics_accelerations(m, x)) return false;
  centre_add_centripetal(m, x->q, x->u, 1, x->udot);
  for (int i = 0; i < m->nv; i++) x->u[i] = s->u_R[i] + h * x->udot[i];
  for (int k = 0; k < m->state_count; k++) x->inner[k] = z[k] + h * stepper_state_rate(s, k, z[k], h);
  control_limit(m, x->inner);
  x->level = LEVEL_NONE;
  if (m->row_count)
    return dynamics_project_velocities(m, x);  // those of the start hold where the step before evaluated its rows
  tree_kinematics(m, x);
  coordinate_update(m, x);
  return true;
}

// See stepper.h. Until the step is done.
static void relax_modes(stepper *s, double dt) {
  const double part = s->settings.modal_theta, place = s->rule->place;
  flexible_relax(s->m, s->x, (flexible_relaxation){part * dt, part * (1 - place) * dt * dt, (part - place) * dt});
}

bool stepper_apply_forces(stepper *s, const double *z, double dt) {
  if (s->implicit) relax_modes(s, dt);
  memcpy(s->x->inner, z, (size_t)s->m->state_count * sizeof *z);
  if (s->settings.midpoint && !predict(s, z, s->rule->place * dt)) return false;
  dynamics_apply_forces(s->m, s->x);
  return !s->x->bad_callback;
}

void stepper_mean_accelerations(const stepper *s, const double *u_end, double dt, double *udot) {
  for (int i = 0; i < s->m->nv; i++) udot[i] = (u_end[i] - s->u_R[i]) / dt;
  centre_add_centripetal(s->m, s->x->q, s->x->u, -1, udot);
}

// What acts at (q_R, u_R): forces, the free velocity, constraint rows.
static bool prepare(stepper *s, double dt) {
  const mechanism *m = s->m;
  motion *x = s->x;
  if (s->sweeps) return stepper_sweep(s, dt);
  if (!s->contacts->pool) stepper_go_to_rows(s, s->q, s->u, s->t, dt);  // else they were looked at before
  if (m->friction_count) stepper_friction_begin(&s->friction, m, x);
  if (!stepper_apply_forces(s, s->z, dt) || !response_accelerate(m, x)) return false;
  for (int k = 0; k < m->state_count; k++) s->z_rate[k] = stepper_state_rate(s, k, s->z[k], dt);
  centre_add_centripetal(m, x->q, x->u, 1, x->udot);
  for (int i = 0; i < m->nv; i++) s->u_free[i] = s->u_R[i] + dt * x->udot[i];
  if (m->row_count) {
    x->t = s->t + dt;  // moving constraints are to hold at the end of the step
    constraints_evaluate(m, x);
  }
  return true;
}

// The books at the start of a step; a step in which nothing acts leaves them as they are.
static void keep_books(stepper *s) {
  memcpy(s->books.accounts_A, s->books.accounts, sizeof s->books.accounts);
  memcpy(s->books.losses_A, s->books.losses, sizeof s->books.losses);
  s->books.differ = false;
}

// What was the state is where the step began, and its array takes the new one.
static void turn_over(stepper *s, double dt) {
  double *q = s->q_A, *u = s->u_A, *z = s->z_A;
  s->q_A = s->q, s->u_A = s->u, s->z_A = s->z, s->t_A = s->t;
  s->dt_before = s->dt, s->dt = dt;
  s->q = q, s->u = u, s->z = z;
  s->projection.energy_A = s->projection.energy;
  s->overlap.energy_A = s->overlap.energy, s->overlap.depth_before = s->overlap.depth;
  s->shown.shows_A = false;
}

const char *stepper_advice(const stepper *s) {
  double fastest = 0;
  for (int i = 0; i < s->m->nv; i++) fastest = fmax(fastest, fmax(fabs(s->u[i]), fabs(s->u_A[i])));
  for (int k = 0; k < s->m->state_count; k++) fastest = fmax(fastest, fabs(s->z_A[k]));
  if (fastest < BEYOND_BOUNDS) return NOT_FINITE_ADVICE;
  return "it has grown from step to step: a stiff force, a damper, the gain of a controller or the rate of a state is "
         "too "
         "large for this step; take a shorter step, or reduce it";
}

static carom_status finish(stepper *s, double t_end, double dt, const double *u_end, carom_error *error) {
  bool grown = s->m->row_count && !s->settings.project && stepper_opens(s, dt);
  if (s->implicit) flexible_relax(s->m, s->x, (flexible_relaxation){0});
  turn_over(s, dt);
  if (s->m->state_count) stepper_move_states(s, t_end);
  bool finite = move_to_end(s, (1 - s->rule->place) * dt, u_end);
  s->t = s->x->t = t_end;
  s->x->level = LEVEL_NONE;
  s->steps++;
  if (s->m->drive_count) dynamics_set(s->m, s->x, s->t, s->q, s->u);
  if (!finite)
    return error_set(error, CAROM_ERROR_INTEGRATOR, "the motion is not finite at t = %g s; %s", s->t,
                     stepper_advice(s));
  if (s->overlap.moves) stepper_remove_overlap(s);
  if (s->settings.project && s->m->row_count) return stepper_project(s, error);
  return grown ? stepper_watch_drift(s, error) : CAROM_OK;
}

void stepper_exchange_steps(stepper *s) {
  contact_point *points = s->near.before;
  scheme_contact *last = s->shown.last_before;
  s->near.before = s->near.points, s->near.points = points;
  s->shown.last_before = s->shown.last, s->shown.last = last;
}

// What the last step has found is kept until this one has its solution, and put back if this one is given up. Pairs of
// a crowd that have ended by then stay ended, and their episodes closed.
static void set_aside(stepper *s) {
  stepper_exchange_steps(s);
  if (s->m->row_count) memcpy(s->problem.P_before, s->problem.P, (size_t)s->m->row_count * sizeof *s->problem.P);
  memcpy(s->near.moved_before, s->near.moved, (size_t)s->near.point_capacity * sizeof *s->near.moved);
  s->friction.unsettled = false;
  if (s->friction.loaded || s->even.excess != 0 || s->meeting.any)
    s->problem.tally_before = s->problem.tally;  // others solve one problem in a step, counted when it is solved
}

static carom_status give_up(stepper *s, carom_status status) {
  stepper_rest_forget(s);
  if (s->implicit) flexible_relax(s->m, s->x, (flexible_relaxation){0});
  stepper_exchange_steps(s);
  memcpy(s->problem.P, s->problem.P_before, (size_t)s->m->row_count * sizeof *s->problem.P);
  if (s->friction.loaded || s->even.excess != 0 || s->meeting.any) s->problem.tally = s->problem.tally_before;
  memcpy(s->near.moved, s->near.moved_before, (size_t)s->near.point_capacity * sizeof *s->near.moved);
  stepper_friction_give_up(&s->friction, s->m, s->x);
  return status;
}

static carom_status fail_singular(const stepper *s, carom_error *error) {
  char why[256];
  dynamics_explain(s->m, s->x, why, sizeof why);
  return error_set(error, CAROM_ERROR_SINGULAR, "%s%s%s", why, s->x->singular_node ? "" : "; ",
                   s->x->singular_node ? "" : stepper_advice(s));
}

// The velocity at the end of the step. Of the books only the episodes of pairs that have ended are changed yet. Returns
// early if a shorter step would meet an impact that this one misses: its length is then in `shorter`, which may be null
// if any impact may be missed.
BLOCK carom_status find_end(stepper *s, double dt, double *shorter, const double **u_end, carom_error *error) {
  *u_end = s->u_free;
  s->overlap.moves = false;
  s->overlap.depth = 0;
  if (s->contacts->pool) {
    stepper_go_to_rows(s, s->q, s->u, s->t, dt);
    carom_status met = stepper_meet(s, dt, error);
    if (met != CAROM_OK) return met;
  }
  s->even.P_mean = s->problem.P;
  s->overlap.shift = 0;
  if (!prepare(s, dt)) return fail_singular(s, error);
  s->meeting.now = shorter && stepper_any_fast(s, dt);
  s->near.active_count = 0;
  if (s->meeting.now) {
    *shorter = stepper_meet_before_rows(s, dt);
    if (*shorter < dt) return CAROM_OK;
    if (!prepare(s, dt)) return fail_singular(s, error);
  }
  stepper_rest_look(s);
  stepper_find_active(s, dt);
  if (s->x->row_total == 0) return CAROM_OK;
  carom_status solved = stepper_solve(s, dt, error);
  if (solved != CAROM_OK) return solved;
  *u_end = s->u_end;
  if (stepper_respond(s)) return stepper_find_overlap(s, dt, error);
  response_add(s->m, s->x, s->problem.P, s->u_free, s->u_end);
  if (s->even.excess != 0) solved = stepper_solve_evenly(s, dt, error);
  else if (s->friction.loaded) solved = stepper_settle_friction(s, dt, error);
  if (solved != CAROM_OK) return solved;
  response_rates(s->m, s->x, s->u_end, s->problem.rate_after);
  return stepper_find_overlap(s, dt, error);
}

// A step that misses an impact was tried: what it has found did not touch.
static void forget_touches(stepper *s) {
  for (int k = 0; k < s->near.active_count; k++) {
    int p = s->near.active[k];
    long *touched = &s->near.touched[s->near.element_of[p]->slot],
         before = s->steps - (s->shown.last[p].active ? 1 : REMEMBERED);
    if (*touched == s->steps || *touched < before) *touched = before;  // of its points the one that touched last
  }
  s->near.active_count = 0;
}

// Finds the end of a step, which becomes shorter until no fast body passes through another.
static carom_status try_step(stepper *s, double *dt, const double **u_end, carom_error *error) {
  enum { TRIES = 16 };
  for (int i = 1;; i++) {
    double shorter = *dt;
    s->even.excess = stepper_excess(s, *dt, s->dt);
    set_aside(s);
    s->paradoxes = (paradoxes){0};
    carom_status solved = find_end(s, *dt, i < TRIES ? &shorter : NULL, u_end, error);
    if (solved == CAROM_OK && s->meeting.now && !(shorter < *dt)) shorter = stepper_meet_after_rows(s, *dt, *u_end);
    if (solved != CAROM_OK) return give_up(s, solved);
    if (!(shorter < *dt)) return CAROM_OK;
    (void)give_up(s, solved);
    forget_touches(s);
    if (s->problem.solver.dump) s->problem.solver.dump->problems = s->problem.tally.problems;
    *dt = shorter;
  }
}

// Everything of a step that may have contact but its end: percussions, books.
static carom_status meet(stepper *s, double *dt, const double **u_end, carom_error *error) {
  carom_status solved = try_step(s, dt, u_end, error);
  if (solved != CAROM_OK) return solved;
  s->trouble.friction_unsettled += s->friction.unsettled;
  bool touching = s->x->row_total > 0;
  if (s->contacts->changing_count) stepper_hold_places(s);
  if (s->contacts->starting_count) stepper_keep_starts(s);
  if (touching) {
    stepper_look_for_paradox(s);
    paradox_count(&s->trouble, &s->paradoxes);
  }
  if (s->near.passes) stepper_look_for_passages(s, *dt);
  if (s->books.differ) keep_books(s);
  if (touching || s->has_powers || s->m->drive_count || s->impacts->open_count) {
    stepper_book(s, *dt, touching, *u_end);
    s->books.losses[0] = s->impacts->loss_normal, s->books.losses[1] = s->impacts->loss_tangential;
    s->books.differ = true;
  }
  return CAROM_OK;
}

// Callbacks that are due where a step begins.
static bool call_at_rate(stepper *s) {
  dynamics_set(s->m, s->x, s->t, s->q, s->u);
  dynamics_positions_velocities(s->m, s->x);
  (void)control_sample(s->m, s->x);
  return !s->x->bad_callback;
}

// Step k of a run ends at k h, so that rounding does not add up.
carom_status stepper_step(void *scheme, double t_stop, carom_error *error) {
  stepper *s = scheme;
  // steps end on multiples of h, also after one that was cut short; a millionth of h is far above the rounding of t/h
  double h = s->settings.step;
  s->grid = s->t == s->grid * h ? s->grid + 1 : floor(s->t / h + 1e-6) + 1;
  double t_next = s->grid * h;
  if (s->m->state_count || s->m->callback_count) t_stop = fmin(t_stop, control_next_instant(s->m, s->t));
  if (s->m->callback_count && !s->shown.trying && !call_at_rate(s))
    return error_set(error, CAROM_ERROR_INTEGRATOR, "a callback has failed");
  if (t_next > t_stop - 1e-9 * h) t_next = t_stop;
  double dt = t_next - s->t;
  const double *u_end = s->u_free;
  if (s->shown.shows_A) stepper_show_end(s);
  if (!stepper_flies(s, dt)) {
    double whole = dt;
    carom_status solved = meet(s, &dt, &u_end, error);
    if (solved != CAROM_OK) return solved;
    if (dt < whole) t_next = s->t + dt;
  }
  carom_status solved = finish(s, t_next, dt, u_end, error);
  if (solved == CAROM_OK && s->m->state_count) solved = stepper_check_states(s, error);
  s->at_end.leaps = 0, s->at_end.deepest = s->at_end.entered = 0;
  if (t_next < t_stop || !(s->contacts->point_count || s->contacts->pool)) return solved;
  carom_status looked = stepper_look_at_end(s, error);
  return solved == CAROM_OK ? looked : solved;
}
