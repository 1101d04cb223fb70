// The form of the paper (002, section 4.2): a normal force that is constant over the step, such that the gap vanishes
// at its end. Then the regime: friction μ λ_N against the mean of the slip directions at both ends; if that reverses
// the slip, the contact sticks. A contact that sticks and was slipping is stopped by an impulse at the start of the
// step.
//
// For any method of order two or more, g1 = g0 + h ġ0 + h² a/2 and ġ1 = ġ0 + h a with a constant acceleration: g1 = 0
// leaves ġ1 = -ġ0 - 2 g0/h, a restitution that nobody has asked for. Forces of lasting contact alternate by it.
#include <float.h>
#include <math.h>
#include <string.h>

#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "mechanics/rows.h"
#include "scheme/iterative_internal.h"

static const vec3 NOWHERE = {0, 0, 0};

static vec3 slip_of(const event_point *c, const contact_point *at) {
  vec3 v = vec3_scale(c->rows > 1 ? c->rate[1] : 0, at->t[0]);
  return c->rows > 2 ? vec3_add(v, vec3_scale(c->rate[2], at->t[1])) : v;
}

static vec3 direction(vec3 v, double least) {
  double size = vec3_norm(v);
  return size > least ? vec3_scale(1 / size, v) : NOWHERE;
}

void iterative_paper_set_mode(iterative *s, int p, contact_mode mode) {
  event_point *c = &s->e.point[p];
  s->e.closed_count += (mode != MODE_OPEN) - event_is_closed(c);
  c->mode = mode;
}

// --- forces of a trial -----------------------------------------------------------------------------------------------

void iterative_paper_give(iterative *s) {
  event *e = &s->e;
  for
    EACH_PART(k, e) {
      event_point *c = event_part(e, k);
      const contact_point *at = &e->w.points[e->part[k]];
      const iterative_force *f = &s->force[e->part[k]];
      vec3 normal = vec3_norm(f->normal) > 0 ? f->normal : at->n;
      e->lambda[c->row] = f->base * vec3_dot(normal, at->n);
      for (int i = 1; i < c->rows; i++) {
        c->along[i - 1] = vec3_dot(f->way, at->t[i - 1]);
        if (c->mode != MODE_SLIP) continue;
        e->lambda[c->row + i] = f->base * (vec3_dot(normal, at->t[i - 1]) - c->friction * c->along[i - 1]);
      }
    }
}

// --- before a step ---------------------------------------------------------------------------------------------------

// Points that pushed in the last step are assumed to go on, without friction first. Slips at the start are kept.
void iterative_paper_begin(iterative *s) {
  event *e = &s->e;
  event_observe_state(e);
  for
    EACH_POINT(p, &e->w) {
      event_point *c = &e->point[p];
      iterative_force *f = &s->force[p];
      f->slip_before = slip_of(c, &e->w.points[p]);
      f->way = NOWHERE, f->normal = e->w.points[p].n, f->regime = ITERATIVE_ASKED_LATER;
      if (event_is_closed(c)) iterative_paper_set_mode(s, p, MODE_SLIP);
      else f->base = 0;
      f->slope = 0;
    }
  iterative_begin_trials(s);
}

// --- after a trial ---------------------------------------------------------------------------------------------------

// Surfaces that a trial has brought into each other push from now on. Says whether there are any.
static bool find_new(iterative *s) {
  bool any = false;
  for
    EACH_POINT(p, &s->e.w) {
      const event_point *c = &s->e.point[p];
      if (event_is_closed(c) || c->absent || c->guards || !(c->gap < -s->close)) continue;
      iterative_paper_set_mode(s, p, MODE_SLIP);
      s->force[p].base = 0, s->force[p].regime = ITERATIVE_ASKED_LATER;
      any = true;
    }
  return any;
}

static bool release_pulling(iterative *s) {
  bool any = false;
  for
    EACH_POINT(p, &s->e.w) {
      if (!event_is_closed(&s->e.point[p]) || !(s->force[p].base < 0)) continue;
      iterative_paper_set_mode(s, p, MODE_OPEN);
      s->force[p].base = 0;
      any = true;
    }
  return any;
}

// Friction against the mean of both directions; against the one that is not zero; none where both are zero.
static vec3 way_of(const iterative *s, int p, vec3 end) {
  vec3 a = direction(s->force[p].slip_before, s->e.still), b = direction(end, s->e.still);
  return direction(vec3_add(a, b), DBL_EPSILON);
}

// Whether the regime of some point has changed, after its normal force was found. The direction from the trial without
// friction is off by the change of slip that friction makes, of first order in the step: it is found once more.
static bool find_regimes(iterative *s) {
  bool any = false;
  for
    EACH_POINT(p, &s->e.w) {
      event_point *c = &s->e.point[p];
      iterative_force *f = &s->force[p];
      if (!event_is_closed(c) || c->rows == 1) continue;
      vec3 end = slip_of(c, &s->e.w.points[p]);
      if (f->regime == ITERATIVE_ASKED_LATER) {
        f->way = way_of(s, p, end), f->regime = ITERATIVE_BEGINS_TO_SLIDE;
        any |= vec3_norm(f->way) > 0;
      } else if (f->regime != ITERATIVE_STICKS && vec3_dot(end, f->way) < 0) {
        iterative_paper_set_mode(s, p, MODE_STICK), f->regime = ITERATIVE_STICKS;
        any = true;
      } else if (f->regime == ITERATIVE_BEGINS_TO_SLIDE && vec3_norm(f->way) > 0) {
        f->way = way_of(s, p, end), f->regime = ITERATIVE_SLIDES;
        any = true;
      }
    }
  return any;
}

static void measure(iterative *s) {
  s->trial.worst = 0;
  for
    EACH_POINT(p, &s->e.w) {
      double missed = event_is_closed(&s->e.point[p]) ? fabs(s->e.point[p].gap) / s->close : 0;
      if (missed > s->trial.worst) s->trial.worst = missed, s->trial.point = p;
    }
  s->trial.is_small = s->trial.worst < ITERATIVE_ROUNDING;
}

static void begin_round(iterative *s) {
  s->trial.steps = 0;
  s->trial.worst = INFINITY;
  for
    EACH_POINT(p, &s->e.w) s->force[p].normal = s->e.w.points[p].n;
}

// The end of a trial. Corrects the normal forces, or with these found the regimes. Returns whether both are found.
bool iterative_paper_examine(iterative *s, double t, const double *y) {
  event *e = &s->e;
  iterative_trial *trial = &s->trial;
  double before = trial->worst;
  trial->t1 = t;
  dynamics_set(e->w.m, e->w.x, t, y, y + e->w.m->nq);
  dynamics_normalize(e->w.m, e->w.x->q);
  dynamics_positions_velocities(e->w.m, e->w.x);
  event_observe(e);
  measure(s);
  if (iterative_is_good(trial, before)) {
    if (release_pulling(s) || find_new(s) || find_regimes(s)) return begin_round(s), false;
    return trial->found = true;
  }
  if (find_new(s)) begin_round(s);
  for
    EACH_POINT(p, &e->w) s->force[p].normal = e->w.points[p].n;
  event_take_closed(e);
  trial->lost = !event_prepare_rows(e);
  if (!trial->lost) {
    event_find_rates(e);
    iterative_paper_give(s);
    trial->lost = !iterative_correct(s);
  }
  rows_clear(e->w.m, e->w.x);
  return false;
}

// --- the start of a trial --------------------------------------------------------------------------------------------

static bool slips_at_start(const iterative *s) {
  for
    EACH_POINT(p, &s->e.w)
  if (s->e.point[p].mode == MODE_STICK && vec3_norm(s->force[p].slip_before) > s->e.still) return true;
  return false;
}

// The state at the start, after the impulses that stop points which stick from now on.
void iterative_paper_start(iterative *s, double *y) {
  event *e = &s->e;
  const mechanism *m = e->w.m;
  memcpy(y, e->w.y, (size_t)e->w.n * sizeof *y);
  if (!slips_at_start(s)) return;
  event_set(e, e->w.t, y);
  event_take_closed(e);
  if (event_arrest(e, HOLD_TANGENTS, false)) {
    const double *change = response_to(m, e->w.x, e->lambda, e->w.x->row_total);
    double lost = 0;
    for (int i = 0; i < m->nv; i++) y[m->nq + i] += change[i];
    for
      EACH_PART(k, e) {
        const event_point *c = event_part(e, k);
        for (int i = 1; c->mode == MODE_STICK && i < c->rows; i++)
          lost -= 0.5 * e->lambda[c->row + i] * e->rate[c->row + i];
      }
    flow_book(e->w.core, y, POWER_FRICTION, lost);
  }
  rows_clear(m, e->w.x);
}

// --- where it does not converge --------------------------------------------------------------------------------------

// What percussions over the step, P, say of a point.
static void take_percussion(iterative *s, int p, const double *P, double h) {
  event_point *c = &s->e.point[p];
  iterative_force *f = &s->force[p];
  const contact_point *at = &s->e.w.points[p];
  double drag = c->rows == 1 ? 0 : c->rows == 2 ? fabs(P[1]) : hypot(P[1], P[2]);
  f->base = P[0] / h, f->normal = at->n, f->way = NOWHERE;
  for (int i = 1; drag > 0 && i < c->rows; i++) f->way = vec3_axpy(f->way, -P[i] / drag, at->t[i - 1]);
  bool sticks = c->rows > 1 && drag < c->friction * P[0] * (1 - 1e-9);
  iterative_paper_set_mode(s, p, !(P[0] > 0) ? MODE_OPEN : sticks ? MODE_STICK : MODE_SLIP);
}

// 0 ≤ g/h + γ + h γ̇ + W P ⊥ P ≥ 0 with friction, from the state at the start: gaps at the end as a linear function of
// percussions.
bool iterative_paper_complement(iterative *s, double t) {
  event *e = &s->e;
  motion *x = e->w.x;
  double h = t - s->trial.t0;
  event_set(e, s->trial.t0, e->w.y);
  event_take_closed(e);
  bool solved = h > 0 && event_free_accelerations(e);
  if (solved) {
    rows_rates(e->w.m, x, e->rate);
    for (int i = 0; i < x->row_total; i++) e->rate[i] += h * e->a[i];
    for
      EACH_PART(k, e) e->rate[event_part(e, k)->row] += e->w.points[e->part[k]].gap / h;
    response_decouple(e->w.m, x, x->row_total, e->W);
    event_set_impact_problem(e, false);
    solved = isfinite(event_solve(e, x->row_total, e->W, NULL).residual);
  }
  int count = e->part_count;
  for (int k = 0; solved && k < count; k++) take_percussion(s, e->part[k], e->problem_r + event_part(e, k)->row, h);
  rows_clear(e->w.m, x);
  return solved;
}

// --- for the watcher -------------------------------------------------------------------------------------------------

bool iterative_paper_look(watcher *w) {
  iterative *s = (iterative *)w;
  s->e.prescribe = iterative_react;
  bool seen = event_look(w);
  s->e.prescribe = NULL;
  for
    EACH_POINT(p, w) {
      const event_point *c = &s->e.point[p];
      if (!seen || !event_is_closed(c)) continue;
      w->seen[p].rate = c->rate[0];
      w->seen[p].loss[0] = -c->force[0] * c->rate[0];
    }
  return seen;
}

// Nothing is located: modes belong to the whole step, also where it is shown.
carom_status iterative_paper_end(watcher *w, bool *changed, carom_error *error) {
  iterative *s = (iterative *)w;
  (void)error;
  *changed = false;
  for (int i = 0; i < w->modes_count; i++) memcpy(w->modes[i].during, w->modes[i].now, w->modes[i].size);
  event_observe_state(&s->e);
  if (s->e.counts_turns) coordinate_accept(w->m, w->x);
  (void)event_renew_places(&s->e);
  for
    EACH_POINT(p, w)
  if (!event_is_closed(&s->e.point[p])) impact_separate(w->impacts, p);
  return CAROM_OK;
}

bool iterative_paper_project(iterative *s, double t, double *y) {
  enum { TURNS = 8 };
  const mechanism *m = s->e.w.m;
  motion *x = s->e.w.x;
  dynamics_set(m, x, t, y, y + m->nq);
  dynamics_normalize(m, x->q);
  if (m->row_count && !dynamics_project(m, x, 1e-12 * fmax(1, m->length), TURNS)) return false;
  memcpy(y, x->q, (size_t)m->nq * sizeof *y);
  memcpy(y + m->nq, x->u, (size_t)m->nv * sizeof *y);
  return true;
}
