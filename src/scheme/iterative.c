// Scheme `iterative` on the modes of `event`: which points touch, stick and slip, impacts and the instants of change
// are the same. Between them the motion is that of a fixed-step method under normal forces that are given for a whole
// step; trial steps from the same state correct them.
#include "scheme/iterative.h"

#include <math.h>
#include <string.h>

#include "mechanics/dynamics.h"
#include "scheme/iterative_internal.h"

// --- the right-hand side of a trial ----------------------------------------------------------------------------------

static bool any_held(const event *s) {
  if (s->w.m->row_count) return true;
  for
    EACH_ACTING(k, s)
  if (event_part(s, k)->mode == MODE_STICK) return true;
  return false;
}

// Normal forces as given, friction of what slips against its slip, both into e->lambda.
static void give_forces(iterative *s) {
  event *e = &s->e;
  memset(e->lambda, 0, (size_t)e->w.x->row_total * sizeof *e->lambda);
  if (s->options.form == CAROM_FORM_PAPER) {
    iterative_paper_give(s);
    return;
  }
  for
    EACH_PART(k, e) {
      event_point *c = event_part(e, k);
      const iterative_force *f = &s->force[e->part[k]];
      double normal = f->base + f->slope * (e->w.x->t - s->trial.t0);
      if (f->leads) iterative_located_direction(s, e->part[k], e->w.x->t, c->along);
      if (event_is_closed(c)) e->lambda[c->row] = normal;
      for (int i = 1; c->mode == MODE_SLIP && i < c->rows; i++)
        e->lambda[c->row + i] = -c->friction * c->along[i - 1] * normal;
    }
}

// What sticks has no tangential acceleration, and constraints hold: a + W λ = 0 in these rows.
bool iterative_react(event *e) {
  iterative *s = (iterative *)e;
  motion *x = e->w.x;
  int n = x->row_total;
  e->has_matrix = e->repeat.any = false;
  give_forces(s);
  if (!any_held(e)) return true;
  response_matrix(e->w.m, x, e->W);
  e->has_matrix = true;
  double *given = e->problem_r, *missing = e->problem_q;
  memcpy(given, e->lambda, (size_t)n * sizeof *given);
  for (int i = 0; i < n; i++) {
    missing[i] = -e->a[i];
    for (int j = 0; j < n; j++) missing[i] -= e->W[(long)i * n + j] * given[j];
  }
  for
    EACH_ACTING(k, e) {  // where reactions are not unique: near those of the modes
      const event_point *c = event_part(e, k);
      for (int i = 1; i < c->rows; i++) e->lambda[c->row + i] = c->share[i];
    }
  if (!event_solve_held(e, missing, HOLD_TANGENTS, false, e->lambda)) return false;
  for (int i = 0; i < n; i++) e->lambda[i] += given[i];
  return true;
}

// The power that normal forces take: none where gap rates are zero.
static double lost_normal(const event *e) {
  double power = 0;
  for
    EACH_PART(k, e) {
      const event_point *c = event_part(e, k);
      power -= c->force[0] * e->rate[c->row];
    }
  return power;
}

static bool accelerate(void *context) {
  iterative *s = context;
  event *e = &s->e;
  event_take_closed(e);
  e->prescribe = s->trial.active ? iterative_react : NULL;
  bool done = event_accelerate(e);
  e->prescribe = NULL;
  e->w.x->powers[POWER_CONTACT] = done && s->trial.active && e->part_count ? lost_normal(e) : 0;
  return done;
}

static bool is_paper(const iterative *s) { return s->options.form == CAROM_FORM_PAPER; }

// The end of a trial is examined as it is. Only that of the last one goes back onto what is held.
static bool project(void *context, double t, double *y) {
  iterative *s = context;
  bool examines = s->trial.active && !s->trial.taken;
  if (examines && !(is_paper(s) ? iterative_paper_examine(s, t, y) : iterative_located_examine(s, t, y))) return true;
  return is_paper(s) ? iterative_paper_project(s, t, y) : event_project(&s->e, t, y, HOLD_STICKING);
}

// The paper's form asks for forces, then for regimes, and for forces again.
static bool again(void *context, bool failed, double *until, double *y) {
  enum { ROUNDS = 4 };
  iterative *s = context;
  if (!iterative_try_again(s, failed, (is_paper(s) ? ROUNDS : 1) * ITERATIVE_TRIALS, until)) return false;
  if (is_paper(s)) iterative_paper_start(s, y);
  return true;
}

// --- creation --------------------------------------------------------------------------------------------------------

// Corrections of all trials of a step.
static double *create_corrections(watcher *w) {
  return ARENA_ARRAY(&w->memory, double, ITERATIVE_UNKNOWNS *(ITERATIVE_TRIALS + 2) * (w->contacts->point_slots + 1));
}

static void enlarge(watcher *w) {
  iterative *s = (iterative *)w;
  event_watched.enlarge(w);
  if (w->contacts->point_slots <= w->slots) return;
  s->trial.x = create_corrections(w);
  s->begun.before = watcher_larger(w, s->begun.before, sizeof *s->begun.before);
}

// The methods, and how a force at the start and one at the end of a step move the end of it.
typedef struct fixed_method {
  integrator_kind kind;
  double moment[2];
} fixed_method;
static const fixed_method methods[] = {
    [CAROM_ORDER_RK4] = {INTEGRATOR_RK4, {1.0 / 3, 1.0 / 6}},
    [CAROM_ORDER_RK3] = {INTEGRATOR_RK3, {1.0 / 3, 1.0 / 6}},
    [CAROM_ORDER_MIDPOINT] = {INTEGRATOR_MIDPOINT, {0.5, 0}},
    [CAROM_ORDER_SEMI_IMPLICIT_EULER] = {INTEGRATOR_SEMI_IMPLICIT, {1, 0}},
};

// The same of a step in equal substeps: each moves its own end, and what it changes the speed by moves all that comes
// behind it.
static void set_moments(iterative *s, const fixed_method *method) {
  const int count = s->options.substeps;
  const bool late = s->options.order == CAROM_ORDER_SEMI_IMPLICIT_EULER;  // speeds follow the force at the start alone
  s->moment[0] = s->moment[1] = 0;
  for (int j = 0; j < count; j++) {
    const double from = (double)j / count, to = (j + 1.0) / count, h = 1.0 / count;
    const double start[2] = {1 - from, from}, end[2] = {1 - to, to};  // of a unit force at the start, or at the end
    for (int k = 0; k < 2; k++) {
      const double own = method->moment[0] * start[k] + method->moment[1] * end[k];
      s->moment[k] += h * h * own + h * (late ? start[k] : 0.5 * (start[k] + end[k])) * (1 - to);
    }
  }
}

static bool prepare(watcher *w, const scheme_setup *setup, carom_error *error) {
  iterative *s = (iterative *)w;
  const carom_iterative_def *d = setup->options;
  carom_event_def modes = {.impact = d->impact, .accumulation = d->accumulation, .tolerance = d->tolerance};
  carom_integrator_def fixed = {.type = CAROM_RK4, .step = d->step, .atol = 1e-13};
  const fixed_method *method = &methods[d->order];
  scheme_setup below = *setup;
  below.options = &modes, below.integrator = &fixed;
  s->options = *d;
  s->watched = *w->type, w->type = &s->watched;
  s->close = 2e-14 * fmax(1, setup->m->length);
  if (!event_prepare(w, &below, error)) return false;
  s->brief = s->e.brief;
  s->constant = is_paper(s) || d->order == CAROM_ORDER_SEMI_IMPLICIT_EULER;
  set_moments(s, method);
  w->flow.kind = method->kind, w->flow.integrator.substeps = d->substeps;
  s->e.settled = is_paper(s);
  w->flow.accelerate = accelerate, w->flow.project = project, w->flow.again = again, w->flow.context = s;
  s->force = ARENA_ARRAY(&w->memory, iterative_force, w->count + 1);
  s->begun = (iterative_begun){.t = NAN, .before = ARENA_ARRAY(&w->memory, iterative_force, w->count + 1)};
  watcher_keep_modes_of_entries(w, &s->force, sizeof *s->force);
  s->trial.x = create_corrections(w);
  return true;
}

static void open_point(watcher *w, int p) {
  event_open_point(w, p);
  iterative *s = (iterative *)w;
  s->force[p] = s->begun.before[p] = (iterative_force){0};
}

// --- steps -----------------------------------------------------------------------------------------------------------

static carom_status begin(watcher *w, carom_error *error) {
  iterative *s = (iterative *)w;
  carom_status status = is_paper(s) ? CAROM_OK : event_begin(w, error);
  if (status != CAROM_OK) return status;
  s->begun.t = w->t, s->begun.restart = w->restart;
  for
    EACH_POINT(p, w) {
      s->force[p].mode_before = s->e.point[p].mode;
      s->begun.before[p] = s->force[p];
    }
  if (is_paper(s)) iterative_paper_begin(s);
  else iterative_located_begin(s);
  return CAROM_OK;
}

// What trials have changed, after a step that was interrupted or has failed: it may begin again, also in a run that is
// resumed, and is then the same step.
static void take_back(iterative *s) {
  s->e.w.restart |= s->begun.restart;
  for
    EACH_POINT(p, &s->e.w) {
      s->force[p] = s->begun.before[p];
      if (is_paper(s)) iterative_paper_set_mode(s, p, s->force[p].mode_before);
    }
}

static carom_status step(void *scheme, double t_stop, carom_error *error) {
  iterative *s = scheme;
  carom_status status = event_step(s, t_stop, error);
  if (status != CAROM_OK && s->e.w.t == s->begun.t) take_back(s);
  return status;
}

static double limit(const watcher *w, double t_stop) {
  const iterative *s = (const iterative *)w;
  return is_paper(s) ? t_stop : iterative_located_limit(s, t_stop);
}

// --- memory ----------------------------------------------------------------------------------------------------------

static void force_fields(iterative_force *c, fields *f) {
  fields_choice(f, "known", ITERATIVE_HISTORY, &c->known);
  fields_numbers(f, "t", ITERATIVE_HISTORY, c->t);
  fields_numbers(f, "before", ITERATIVE_HISTORY, c->before);
  fields_number(f, "mobility", &c->mobility);
  fields_numbers(f, "slip", 2, c->slip);
  fields_number(f, "slip_at", &c->slip_at);
  fields_flag(f, "leads", &c->leads);
  fields_number(f, "turn", &c->turn);
  fields_number(f, "base", &c->base);
  fields_finites(f, "way", 3, &c->way.x);
  fields_finites(f, "normal", 3, &c->normal.x);
}

static void point_memory(void *scheme, int p, fields *f) {
  event_point_memory(scheme, p, f);
  fields_group(f, "force", -1);
  force_fields(&((iterative *)scheme)->force[p], f);
  fields_group(f, NULL, 0);
}

static void memory(void *scheme, fields *f) {
  iterative *s = scheme;
  event_memory(s, f);
  for (int p = 0; p < watcher_permanent(&s->e.w); p++) fields_group(f, "force", p), force_fields(&s->force[p], f);
  fields_group(f, NULL, 0);
}

// --- the scheme ------------------------------------------------------------------------------------------------------

// Rates change within a step of the paper's form.
static bool is_never_even(const watcher *w) { return (void)w, false; }

static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  watcher_type watched = event_watched;
  watched.size = sizeof(iterative), watched.memory = "the iteration of contact forces";
  watched.prepare = prepare, watched.begin = begin, watched.enlarge = enlarge, watched.limit = limit;
  watched.open = open_point;
  if (((const carom_iterative_def *)setup->options)->form == CAROM_FORM_PAPER)
    watched.look = iterative_paper_look, watched.end = iterative_paper_end, watched.place = NULL,
    watched.is_unchanged = watcher_fill_between, watched.is_even = is_never_even;
  return watcher_create(&watched, setup, start, error);  // `prepare` keeps a copy of the table
}

const scheme_type scheme_iterative = {
    .name = "iterative",
    .about = &iterative_about,
    .create = create,
    .destroy = event_destroy,
    .step = step,
    .result = event_result,
    .stats = event_stats,
    .resumes_exactly = event_resumes_exactly,
    .memory = memory,
    .point_memory = point_memory,
    WATCHER_FUNCTIONS,
};
