// The books of a step: work of forces and drives, losses and impulses of contacts.
#include <math.h>
#include <string.h>

#include "mechanics/anchor.h"
#include "mechanics/constraint.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "scheme/percussion.h"
#include "scheme/stepper_internal.h"

// What the contacts of one step took, and the most that may be the work of forces within the step or rounding.
typedef struct step_losses {
  double sum, slack;
} step_losses;

// With M fixed for the step, what contacts take and the work of the forces sum to the change of kinetic energy exactly.
// A contact that lasts may give as well as take, since its rates turn with the rows, but never more than |γ_F - γ_A|
// |P|, which vanishes with the step; an impact that adds more than that has gained energy. Returns the size of all its
// rates, also of those the forces would have brought about.
static double measure_contact(const stepper *s, int first, int size, step_losses *losses) {
  const double *P = s->problem.P + first, *a = s->problem.rate_before + first, *b = s->problem.rate_after + first,
               *q = s->problem.q + first, *free = s->problem.rate_free + first;
  double speed = 0;
  for (int i = 0; i < size; i++) {
    speed += fabs(a[i]) + fabs(b[i]) + fabs(q[i]);
    losses->sum -= 0.5 * (a[i] + b[i]) * P[i];
    losses->slack += fabs(P[i]) * (fabs(free[i] - a[i]) + 1e-10 * speed);
  }
  return speed;
}

// A contact without friction has no rows along the surface, and slides as fast as its bodies do. Positions are those of
// the rows.
static double free_slip(const stepper *s, const contact_element *e, int point) {
  double slip[2];
  if (e->type->frictionless) return 0;
  contact_slip(s->m, s->x, &s->near.points[point], slip);
  return hypot(slip[0], slip[1]);
}

static void book_contact(stepper *s, int k, double dt, step_losses *losses) {
  int point = s->near.active[k], first = s->near.active_row[k];
  const contact_element *e = s->near.element_of[point];
  int size = contact_sliding_rows(s->m, e), turning = contact_row_count(s->m, e) - size;
  const double *P = s->problem.P + first, *mean = s->even.P_mean + first;
  scheme_contact *last = &s->shown.last[point];
  last->normal_force = mean[0] / dt;
  for (int i = 1; i < size; i++) last->tangential_force[i - 1] = mean[i] / dt;
  for (int i = 0; i < turning; i++) last->turning_moment[i] = mean[size + i] / dt;
  double still = 1e-9 * measure_contact(s, first, size, losses);  // what solutions leave of a rate that is zero
  percussion c = percussion_of(size, P, s->problem.rate_before + first, s->problem.rate_after + first);
  (void)measure_contact(s, first + size, turning, losses);
  for (int i = first + size; i < first + size + turning; i++)
    c.loss_tangential -= 0.5 * (s->problem.rate_before[i] + s->problem.rate_after[i]) * s->problem.P[i];
  double start[3], end[3];
  for (int i = 0; i < size; i++)
    start[i] = stepper_rate_at_start(s, first + i), end[i] = stepper_rate_at_end(s, first + i);
  if (size > 1) c.slip = percussion_length(size - 1, end + 1);
  bool moves_along = c.slip > still;
  if (size == 1) c.slip = free_slip(s, e, point);
  last->slides = !impact_sticks(c.slip, contact_still(s->m, still));
  double *rate = s->problem.rate_E + 3 * point, *rate_R = s->problem.rate_R + 3 * point;
  last->lasts |= s->dt == 0 && fabs(rate[0]) <= still;  // in the first step: it touched at the start without approach
  rate[0] = fabs(end[0]) > still ? end[0] : 0, rate[1] = rate[2] = moves_along ? NAN : 0;
  for (int i = 0; i < 3; i++) rate_R[i] = i < size && !isnan(rate[i]) ? rate[i] - s->problem.onward[first + i] : NAN;
  s->near.struck[point] |= P[0] > 0 || start[0] < 0;
  if (s->shown.trying) return;
  if (!(P[0] > 0)) {  // it touches without force, until its gap opens
    if (rate[0] != 0) impact_release(s->impacts, point);
    return;
  }
  if (!s->impacts->is_open[point] && -s->near.points[point].gap > contact_leap(s->m, e))
    contact_count_leap(s->contacts->world, e, s->t + dt, &s->trouble.leaps, &s->trouble.missed);
  impact_step step = percussion_step(&c, P, start, end);
  const scheme_contact *before = &s->shown.last_before[point];
  step.arrives = before->gap > s->contacts->activation;
  step.t_start = s->t, step.t_end = s->t + dt;
  if (step.arrives && stepper_is_instant(s, e, -start[0])) step.t_start = step.t_end = s->t + s->rule->place * dt;
  step.gap = s->near.points[point].gap, step.still = contact_still(s->m, still);
  s->rule->require(&e->material, 1, 0, &(double){1}, dt, &step.restitution);
  impact_touch(s->impacts, point, &step);
}

// The largest speed of a point at the mechanism's size from the origin of its body.
static double largest_speed(const mechanism *m, const motion *x) {
  double largest = 0;
  for (int i = 1; i < m->node_count; i++) {
    anchor origin = {.node = i};
    largest =
        fmax(largest, vec3_norm(anchor_velocity(m, x, &origin)) + m->length * vec3_norm(anchor_omega(m, x, &origin)));
  }
  return largest;
}

// Rates are differences of the velocities of bodies, and sums of what the percussions change; they are rounded like
// these. Bodies that move together and press on each other have rates that are rounding alone, and what they seem to
// gain by them is none.
static double rounding_of_losses(stepper *s) {
  double speed = largest_speed(s->m, s->x), sum = 0, *changes = s->even.turn;
  stepper_absolute(s, changes);
  for (int k = 0; k < s->near.active_count; k++) {
    const contact_element *e = s->near.element_of[s->near.active[k]];
    int first = s->near.active_row[k];
    for (int i = first; i < first + contact_row_count(s->m, e); i++) {
      bool turns = contact_turns(s->m, e) || i >= first + contact_sliding_rows(s->m, e);
      double rate = turns ? speed / s->m->length : speed;
      sum += (rate + changes[i]) * fabs(s->problem.P[i]);
    }
  }
  return 1e-12 * sum;
}

// A point that stood and is back after one step has not parted: under a body that turns about it, it opens by h³ now
// and then. Steps do not resolve more.
static bool has_left(const stepper *s, int p) {
  return !s->shown.last_before[p].active || s->problem.rate_E[3 * p] != 0;
}

static void book_contacts(stepper *s, double dt) {
  int next = 0;
  step_losses losses = {0};
  CONTACT_EACH_POINT(s->contacts, p) {
    if (next < s->near.active_count && s->near.active[next] == p) book_contact(s, next++, dt, &losses);
    else if (!s->shown.trying && s->impacts->touches[p] && has_left(s, p)) impact_separate(s->impacts, p);
  }
  if (losses.sum < -losses.slack && losses.sum < -rounding_of_losses(s))
    contact_trouble_gain(&s->trouble, -losses.sum, s->t + dt);
}

// The work of a force that is the same throughout the step is the force times the way ½ (u_A + u_E) Δt.
static void book_forces(stepper *s, double dt, const double *u_end) {
  double powers[POWER_COUNT], before[POWER_COUNT];
  memcpy(before, s->x->powers, sizeof before);  // at u_A, unless forces are those of the midpoint
  if (s->settings.midpoint) dynamics_force_powers(s->m, s->x, s->u_R, before);
  dynamics_force_powers(s->m, s->x, u_end, powers);
  for (int i = 0; i < POWER_COUNT; i++) s->books.accounts[i] += 0.5 * dt * (before[i] + powers[i]);
}

// Means over the step of what acts on each speed: accelerations, and all rows as forces.
static void push_means(stepper *s, const double *u_end, double dt) {
  const mechanism *m = s->m;
  motion *x = s->x;
  for (int i = 0; i < x->row_total; i++) s->problem.P[i] /= dt;
  constraint_push(m, x, s->problem.P, x->row_total);
  for (int i = 0; i < x->row_total; i++) s->problem.P[i] *= dt;
  stepper_mean_accelerations(s, u_end, dt, x->udot);
}

static void book_drives(stepper *s, double dt, const double *u_end) {
  push_means(s, u_end, dt);
  dynamics_drive_efforts(s->m, s->x, NULL);
  for (int i = 0; i < s->m->nv; i++) s->displacement[i] = 0.5 * dt * (s->u_R[i] + u_end[i]);
  s->books.accounts[POWER_DRIVE] += dynamics_drive_power_at(s->m, s->x, s->displacement);
}

void stepper_book(stepper *s, double dt, bool solved, const double *u_end) {
  const mechanism *m = s->m;
  motion *x = s->x;
  if (m->force_count) book_forces(s, dt, u_end);
  if (solved) {
    for (int i = 0; i < m->row_count; i++) {
      if (s->shown.moves[i])
        s->books.accounts[POWER_DRIVE] +=
            0.5 * (s->problem.rate_before[i] + s->problem.rate_after[i]) * s->problem.P[i];
      x->lambda[i] = s->even.P_mean[i] / dt;
    }
    if (m->row_count) {
      response_share(m, x, x->lambda);
      memcpy(s->shown.lambda, x->lambda, (size_t)m->row_count * sizeof *s->shown.lambda);
    }
    if (m->friction_count)
      stepper_friction_book(&s->friction, m, x, s->problem.P, s->even.P_mean, s->problem.rate_before,
                            s->problem.rate_free, s->problem.rate_after, dt, s->impacts);
  }
  if (s->near.active_count || s->impacts->open_count) book_contacts(s, dt);
  if (m->drive_count) book_drives(s, dt, u_end);
}
