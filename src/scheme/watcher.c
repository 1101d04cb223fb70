#include "scheme/watcher.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"

// --- creation --------------------------------------------------------------------------------------------------------

void watcher_destroy(watcher *w) {
  if (!w) return;
  flow_destroy(w->core);
  arena_free(&w->memory);
  free(w);
}

static void allocate(watcher *w) {
  arena *a = &w->memory;
  w->slots = w->contacts->point_slots;
  w->count = w->slots + w->m->friction_count;
  w->entry = ARENA_ARRAY(a, watch_entry, w->count + 1);
  w->points = ARENA_ARRAY(a, contact_point, w->count + 1);
  w->shown = ARENA_ARRAY(a, scheme_contact, w->count + 1);
  w->seen = ARENA_ARRAY(a, watch_look, w->count + 1);
  for (int k = 0; k < w->type->looks; k++) w->look[k] = ARENA_ARRAY(a, watch_look, w->count + 1);
  for (int i = 0; i < w->contacts->element_count; i++) {
    const contact_element *e = w->contacts->elements[i];
    for (int k = 0; k < e->point_count; k++) w->entry[e->point0 + k].e = e;
  }
}

static bool create_core(watcher *w, const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  dynamics_set(w->m, w->x, start->t, start->q, start->u);
  dynamics_positions_velocities(w->m, w->x);
  if (watcher_meet_first(w, error) != CAROM_OK) return false;
  allocate(w);
  if (!w->type->prepare(w, setup, error)) return false;
  w->core = flow_create(setup, &w->flow, start, error);
  if (!w->core) return false;
  w->n = flow_size(w->core);
  w->y = ARENA_ARRAY(&w->memory, double, w->n);
  w->y_look = ARENA_ARRAY(&w->memory, double, w->n);
  memcpy(w->y, flow_state(w->core), (size_t)w->n * sizeof *w->y);
  return true;
}

void watcher_keep_modes(watcher *w, void *memory, size_t size) {
  w->modes[w->modes_count++] =
      (watch_modes){.now = memory, .during = arena_alloc(&w->memory, size + 1, 1), .size = size};
}

void watcher_keep_modes_of_entries(watcher *w, void *array, size_t item) {
  watcher_keep_modes(w, *(void **)array, (size_t)w->count * item);
  w->modes[w->modes_count - 1].array = array, w->modes[w->modes_count - 1].item = item;
}

void *watcher_create(const watcher_type *type, const scheme_setup *setup, const scheme_start *start,
                     carom_error *error) {
  jmp_buf out_of_memory;
  watcher *volatile w = calloc(1, type->size);
  bool failed = !w;
  if (setjmp(out_of_memory)) failed = true;
  if (failed) {
    type->destroy(w);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for %s", type->memory);
    return NULL;
  }
  w->memory = arena_create(&out_of_memory);
  w->type = type;
  w->m = setup->m, w->x = setup->x, w->contacts = setup->contacts, w->impacts = setup->impacts, w->stop = setup->stop;
  w->t = w->t_before = start->t;
  bool made = create_core(w, setup, start, error);
  w->memory.out_of_memory = NULL;
  if (made) {
    watcher_find_pairs(w);
    (void)watcher_look_at_start(w);
    watcher_list(w, w->look[WATCH_START]);
    return w;
  }
  type->destroy(w);
  return NULL;
}

// --- looking ---------------------------------------------------------------------------------------------------------

bool watcher_see_at(watcher *w, double t) {
  if (t == w->seen_at) return true;
  if (flow_interpolate(w->core, t, w->y_look) != CAROM_OK) return false;
  // a one-step method has just evaluated the end of its step, and what it saw is still there
  if (w->in_the_past || !w->type->looks_in_rhs || !flow_is_evaluated(w->core, t, w->y_look)) {
    flow_show(w->core, t, w->y_look);
    dynamics_positions_velocities(w->m, w->x);
    w->looks++;
    if (!w->type->look(w)) return false;
  }
  w->seen_at = t;
  return true;
}

static void keep(watcher *w, int k, double t) {
  w->at[k] = t;
  memcpy(w->look[k], w->seen, (size_t)w->count * sizeof *w->seen);
}

static bool look_at(watcher *w, int k, double t) {
  if (!watcher_see_at(w, t)) return false;
  keep(w, k, t);
  return true;
}

bool watcher_look_at_start(watcher *w) {
  flow_show(w->core, w->t, w->y);
  dynamics_positions_velocities(w->m, w->x);
  w->seen_at = w->at[WATCH_START] = NAN;
  if (w->type->place) w->type->place(w);
  if (!w->type->look(w)) return false;
  keep(w, WATCH_START, w->t);
  return true;
}

static bool look_between(watcher *w, double from, double to) {
  int last = w->type->looks - 1;
  for (int k = 1; k < last; k++)
    if (!look_at(w, k, 2 * k == last ? 0.5 * (from + to) : from + k * (to - from) / last)) return false;
  return true;
}

// What lies between two looks and a third, by a parabola through the three: at a share x of the way from the first to
// the last. The middle may be null: by a line.
static double between(double x, double a, const double *m, double b) {
  return a + x * (b - a) - (m ? 2 * x * (1 - x) * (a - 2 * *m + b) : 0);
}

static void estimate(watcher *w, int k, double x, const watch_look *middle) {
  int last = w->type->looks - 1;
  w->at[k] = w->at[0] + x * (w->at[last] - w->at[0]);
  for
    EACH_ENTRY(p, w) {
      const watch_look *a = &w->look[0][p], *m = middle ? &middle[p] : NULL, *b = &w->look[last][p];
      watch_look *to = &w->look[k][p];
      *to = *b;
      to->gap = between(x, a->gap, m ? &m->gap : NULL, b->gap);
      to->rate = between(x, a->rate, m ? &m->rate : NULL, b->rate);
      to->normal = between(x, a->normal, m ? &m->normal : NULL, b->normal);
      for (int i = 0; i < 2; i++) {
        to->slip[i] = between(x, a->slip[i], m ? &m->slip[i] : NULL, b->slip[i]);
        to->drag[i] = between(x, a->drag[i], m ? &m->drag[i] : NULL, b->drag[i]);
        to->loss[i] = between(x, a->loss[i], m ? &m->loss[i] : NULL, b->loss[i]);
      }
    }
}

// Estimated looks serve the books alone.
bool watcher_fill_between(watcher *w) {
  int last = w->type->looks - 1;
  if (w->type->is_even(w)) {
    for (int k = 1; k < last; k++) estimate(w, k, (double)k / last, NULL);
    return true;
  }
  if (!look_at(w, last / 2, 0.5 * (w->at[0] + w->at[last]))) return false;
  for (int k = 1; k < last; k++)
    if (2 * k != last) estimate(w, k, (double)k / last, w->look[last / 2]);
  return true;
}

// The first change between two looks that follow each other, of all functions.
static bool find_change(watcher *w) {
  w->first = INFINITY;
  w->changed = -1;
  for (int k = 0; k + 1 < w->type->looks && w->changed < 0; k++)
    for
      EACH_ENTRY(p, w)
  for (int f = p * w->type->functions; f < (p + 1) * w->type->functions; f++) {
    double t = w->type->find(w, f, k);
    if (isnan(t)) return false;
    if (t < w->first) w->first = t, w->changed = f;
  }
  return true;
}

// Looks at the end of the integrator's last step. In a crowd it may have brought pairs near that were not live: these
// are seen at both ends. `again`: they have pushed each other unseen, and the step has to be taken again.
static carom_status look_at_end(watcher *w, bool *seen, bool *again, carom_error *error) {
  double to = flow_time(w->core);
  int last = w->type->looks - 1;
  bool any = false, touches = false;
  *seen = look_at(w, last, to);
  if (!*seen || !w->contacts->pool) return CAROM_OK;
  carom_status status = watcher_meet_on_the_way(w, to - w->from, &any, &touches, error);
  if (status != CAROM_OK || !any) return status;
  *again = touches && w->type->acts_unseen && w->type->acts_unseen(w);
  *seen = watcher_look_at_start(w) && look_at(w, last, to);
  return CAROM_OK;
}

// How far the integrator's last step may be taken: to the first change, or to its end. The looks are then those of the
// part taken.
static bool watch(watcher *w, double *until) {
  double to = flow_time(w->core);
  int last = w->type->looks - 1;
  *until = to;
  w->changed = -1;
  if (w->type->is_unchanged && w->type->is_unchanged(w)) return true;
  if (!look_between(w, w->from, to) || !find_change(w)) return false;
  if (!(w->first < to)) return true;
  *until = w->first;
  if (!look_at(w, last, *until)) return false;  // mostly where the search has looked last
  return w->type->is_even ? watcher_fill_between(w) : look_between(w, w->from, *until);
}

typedef struct search {
  watcher *w;
  int function;
  double shift;
} search;

static double evaluate(void *context, double t) {
  const search *f = context;
  if (!watcher_see_at(f->w, t)) return NAN;
  return f->w->type->value(f->w, f->function, &f->w->seen[f->function / f->w->type->functions]) + f->shift;
}

double watcher_find_zero(watcher *w, int function, double shift, double from, double fa, double to, double fb,
                         double enough) {
  search f = {w, function, shift};
  return root_find(evaluate, &f, from, fa, to, fb, enough);
}

typedef struct gap_search {
  watcher *w;
  const watch_gap *g;
} gap_search;

root_end watcher_gap_end(const watch_gap *g, double t, const watch_look *at) {
  return (root_end){t, g->sign * at->gap + g->shift, g->sign * at->rate};
}

static root_end evaluate_gap(void *context, double t) {
  const gap_search *f = context;
  return watcher_see_at(f->w, t) ? watcher_gap_end(f->g, t, &f->w->seen[f->g->p]) : (root_end){t, NAN, NAN};
}

static double evaluate_closing(void *context, double t) { return -evaluate_gap(context, t).slope; }

// No more precisely than times can be told apart.
double watcher_find_gap(watcher *w, const watch_gap *g, root_end from, root_end to) {
  double enough = fmax(g->enough, 4 * DBL_EPSILON * fabs(to.t) * fabs(to.slope));
  return root_find_sloped(evaluate_gap, &(gap_search){w, g}, from, to, enough);
}

double watcher_find_graze(watcher *w, const watch_gap *g, const watch_span *d, double precision) {
  gap_search f = {w, g};
  root_end from = watcher_gap_end(g, d->from, d->a), to = watcher_gap_end(g, d->to, d->b);
  double t = root_find(evaluate_closing, &f, d->from, -from.slope, d->to, -to.slope, -precision * from.slope);
  root_end least = isnan(t) ? (root_end){t, NAN, NAN} : evaluate_gap(&f, t);
  if (isnan(least.f)) return NAN;
  return least.f > 0 ? INFINITY : watcher_find_gap(w, g, from, least);
}

watch_span watcher_span(const watcher *w, int p, int k) {
  return (watch_span){w->at[k], w->at[k + 1], &w->look[k][p], &w->look[k + 1][p]};
}

// --- stepping --------------------------------------------------------------------------------------------------------

// The integrator starts from the scheme's state, with the step that it has planned.
static carom_status begin_again(watcher *w, double step, carom_error *error) {
  carom_status status = flow_restart(w->core, w->t, w->y, error);
  if (step > 0) flow_suggest_step(w->core, step);
  return status;
}

static void keep_modes(watcher *w) {
  for (int i = 0; i < w->modes_count; i++) memcpy(w->modes[i].during, w->modes[i].now, w->modes[i].size);
}

// One step of the integrator, with its end looked at. A step that has to be taken again is, with more pairs live each
// time.
static carom_status integrate(watcher *w, double t_stop, double planned, bool *seen, carom_error *error) {
  carom_status status = CAROM_OK;
  bool again = true;
  while (again && status == CAROM_OK) {
    again = false;
    w->limit = w->type->limit(w, t_stop);
    if (w->contacts->pool) w->limit = fmin(w->limit, w->t + w->horizon);
    w->seen_at = NAN;
    status = flow_step(w->core, w->limit, error);
    if (status != CAROM_OK && w->type->explain) w->type->explain(w, error);
    if (status == CAROM_OK) status = look_at_end(w, seen, &again, error);
    if (status == CAROM_OK && again) status = begin_again(w, planned, error);
  }
  return status;
}

// Moves on to the end of the integrator's step, or to the first change.
static carom_status advance(watcher *w, double t_stop, carom_error *error) {
  double until, lost[2], planned = flow_next_step(w->core);
  bool seen = false;
  w->from = w->t;
  carom_status status = integrate(w, t_stop, planned, &seen, error);
  if (status != CAROM_OK) return status;
  if (!seen || !watch(w, &until) || flow_interpolate(w->core, until, w->y_look) != CAROM_OK) {
    double end = flow_time(w->core);
    w->restart = begin_again(w, planned, NULL) != CAROM_OK;
    return error_set(error, CAROM_ERROR_INTEGRATOR, "the motion between t = %g s and %g s cannot be evaluated", w->from,
                     end);
  }
  for (int way = 0; way < 2; way++) {
    power account = way ? POWER_FRICTION : POWER_CONTACT;
    lost[way] = flow_account(w->core, w->y_look, account) - flow_account(w->core, w->y, account);
  }
  memcpy(w->y, w->y_look, (size_t)w->n * sizeof *w->y);
  if (until > w->from) watcher_book(w, lost);
  w->t = until;
  w->steps += until > w->from;
  w->restart |= until < flow_time(w->core);
  return CAROM_OK;
}

// Whether an integrator that keeps its last derivative goes on with another right-hand side than that of its last step.
static bool is_renewed(const watcher *w) { return w->law_changed && flow_keeps_slope(w->core); }

// The end of one step is the start of the next, seen alike unless a mode or the right-hand side changed. A resumed run
// looks at the start with those of the step to come.
static bool look_on(watcher *w, bool changed) {
  int last = w->type->looks - 1;
  bool again = changed || w->restart || w->look_again || is_renewed(w);
  w->look_again = false;
  if (again) return watcher_look_at_start(w);
  watch_look *end = w->look[last];
  w->look[last] = w->look[WATCH_START];
  w->look[WATCH_START] = end;
  w->at[WATCH_START] = w->t;
  return true;
}

static carom_status restart(watcher *w, carom_error *error) {
  w->restart = false;
  carom_status status = flow_restart(w->core, w->t, w->y, error);
  if (w->type->restarted) w->type->restarted(w);
  return status;
}

// A Runge-Kutta method begins its step with the derivative that ended the last one. If the right-hand side has changed
// since, it computes the derivative again, as a resumed run does. Multistep integrators keep their history: the change
// is small.
static carom_status prepare_integrator(watcher *w, carom_error *error) {
  bool renew = is_renewed(w);
  w->law_changed = false;
  if (w->restart) return restart(w, error);
  return renew ? begin_again(w, flow_next_step(w->core), error) : CAROM_OK;
}

// A step that was interrupted after it had moved on has not looked at where it came to.
static carom_status look_again(watcher *w, carom_error *error) {
  if (w->at[WATCH_START] == w->t || watcher_look_at_start(w)) return CAROM_OK;
  return error_set(error, CAROM_ERROR_INTEGRATOR, "the motion at t = %g s cannot be evaluated", w->t);
}

static carom_status take_turns(watcher *w, double t_stop, carom_error *error) {
  enum { MOST_AT_ONE_INSTANT = 100 };
  carom_status status = CAROM_OK;
  for (int turn = 0; status == CAROM_OK && !(w->t > w->t_before); turn++) {
    bool changed = false;
    if (turn == MOST_AT_ONE_INSTANT)
      return error_set(error, CAROM_ERROR_INTEGRATOR, "contacts change%s without end at t = %.10g s", w->type->what,
                       w->t);
    status = look_again(w, error);
    if (status == CAROM_OK && w->type->begin) status = w->type->begin(w, error);
    if (status == CAROM_OK) status = watcher_meet(w, t_stop, error);
    keep_modes(w);
    coordinate_keep_turns(w->m, w->x);
    if (status == CAROM_OK) status = prepare_integrator(w, error);
    if (status == CAROM_OK) status = advance(w, t_stop, error);
    if (status == CAROM_OK) status = w->type->end(w, &changed, error);
    if (status != CAROM_OK) w->at[WATCH_START] = NAN;
    if (status == CAROM_OK && !look_on(w, changed))
      status = error_set(error, CAROM_ERROR_INTEGRATOR, "the motion at t = %g s cannot be evaluated", w->t);
  }
  return status;
}

// The next step finds common normals from those at the end of this one. Pairs that are so near are live in every list.
static void find_starts(watcher *w) {
  contact_state *c = w->contacts;
  flow_show(w->core, w->t, w->y);
  dynamics_positions_velocities(w->m, w->x);
  for (int i = 0; i < c->element_count; i++) {
    const contact_element *e = c->elements[i];
    contact_point *p = &w->points[e->point0];
    if (!e->type->evaluate_from) continue;
    contact_state_locate(c, w->m, w->x, e, NULL, w->points);
    contact_state_start_from(c, e->point0, p->gap <= 1e-3 * e->span ? p : NULL);
  }
}

carom_status watcher_step(void *scheme, double t_stop, carom_error *error) {
  watcher *w = scheme;
  w->in_the_past = false;
  w->t_before = w->t;
  carom_status status = take_turns(w, t_stop, error);
  if (w->contacts->starting_count) find_starts(w);
  watcher_show_end(w);
  return status;
}

// --- showing ---------------------------------------------------------------------------------------------------------

void watcher_list(watcher *w, const watch_look *at) {
  for
    EACH_POINT(p, w) {
      w->shown[p] = (scheme_contact){.gap = at[p].gap,
                                     .normal_force = at[p].normal,
                                     .tangential_force = {at[p].drag[0], at[p].drag[1]},
                                     .point = &w->points[p]};
      w->type->list(w, p, &at[p], &w->shown[p]);
    }
}

// The motion holds the state.
static void show_state(watcher *w, const double *y, const watch_look *at) {
  w->impacts->loss_normal = flow_account(w->core, y, POWER_CONTACT);
  w->impacts->loss_tangential = flow_account(w->core, y, POWER_FRICTION);
  if (w->type->show) w->type->show(w);
  watcher_list(w, at);
}

// A run that was interrupted still writes its last rows and a checkpoint, so showing a state is not interrupted.
// Neither is restoring one: a run that is interrupted at once has that state to show.
static void mute(watcher *w, bool muted) {
  if (w->stop) w->stop->muted = muted;
}

void watcher_show_end(void *scheme) {
  watcher *w = scheme;
  w->in_the_past = false;
  mute(w, true);
  flow_show(w->core, w->t, w->y);
  show_state(w, w->y, w->look[WATCH_START]);  // of the step to come
  mute(w, false);
}

// The modes of the last step for those after it, and back.
static void swap_modes(watcher *w) {
  for (int i = 0; i < w->modes_count; i++) {
    char *a = w->modes[i].now, *b = w->modes[i].during;
    for (size_t k = 0; k < w->modes[i].size; k++) {
      char kept = a[k];
      a[k] = b[k], b[k] = kept;
    }
  }
}

// Turns of joints are counted from the start of the step for the same reason.
static void swap_times(watcher *w) {
  swap_modes(w);
  coordinate_exchange_turns(w->m, w->x);
}

carom_status watcher_show(void *scheme, double t, carom_error *error) {
  watcher *w = scheme;
  if (t == w->t) return watcher_show_end(w), CAROM_OK;
  contact_searches counted = *w->contacts->searches;
  w->in_the_past = true;
  w->seen_at = NAN;
  mute(w, true);
  swap_times(w);
  bool within = t >= w->t_before && t < w->t && watcher_see_at(w, t);
  if (within) show_state(w, w->y_look, w->seen);
  swap_times(w);
  mute(w, false);
  *w->contacts->searches = counted;
  if (within) return CAROM_OK;
  return error_set(error, CAROM_ERROR_USAGE, "the time %g s is not within the last step", t);
}

bool watcher_result(void *scheme, carom_error *error) {
  (void)error;
  watcher *w = scheme;
  contact_searches counted = *w->contacts->searches;
  if (w->in_the_past) swap_modes(w);
  bool found = dynamics_instant(w->m, w->x);
  if (w->in_the_past) swap_modes(w);
  *w->contacts->searches = counted;
  return found;
}

// As the last step left it.
static void shown_fields(watcher *w, int p, int number, fields *f) {
  fields_group(f, "shown", number);
  scheme_contact_fields(&w->shown[p], f);
  scheme_place_fields(&w->points[p], f);
  scheme_frame_fields(&w->points[p], f);
  if (number < 0 || w->contacts->element_of[p]->type->evaluate_from) scheme_start_field(w->contacts, p, f);
  if (f->from) w->shown[p].point = &w->points[p];
}

// What is shown of a contact is part of it.
void watcher_memory(watcher *w, fields *f) {
  flow_fields(w->core, &w->t, w->y, f);
  fields_flag(f, "restart", &w->restart);
  if (f->from) w->law_changed = false;
  fields_count(f, "watched_steps", &w->steps);
  fields_count(f, "looks", &w->looks);
  scheme_trouble_fields(&w->trouble, f);
  scheme_search_fields(w->contacts->searches, f);
  if (w->contacts->pool) fields_number(f, "horizon", &w->horizon);
  for (int p = 0; p < watcher_permanent(w); p++) shown_fields(w, p, p, f);
  fields_group(f, NULL, 0);
}

void watcher_point_memory(watcher *w, int p, fields *f) {
  shown_fields(w, p, -1, f);
  fields_group(f, NULL, 0);
}

carom_status watcher_restored(void *scheme, carom_error *error) {
  watcher *w = scheme;
  mute(w, true);
  carom_status status = flow_restored(w->core, w->t, w->y, error);
  w->t_before = w->from = w->t;
  w->in_the_past = false;
  bool seen = status == CAROM_OK && watcher_look_at_start(w);
  mute(w, false);
  if (seen || status != CAROM_OK) return status;
  return error_set(error, CAROM_ERROR_SINGULAR, "the motion at t = %g s cannot be evaluated", w->t);
}

double watcher_time(const void *scheme) { return ((const watcher *)scheme)->t; }
const double *watcher_state(const void *scheme) { return ((const watcher *)scheme)->y; }
const double *watcher_accounts(const void *scheme) { return flow_accounts(((const watcher *)scheme)->core); }
bool watcher_resumes_exactly(const void *scheme) { return flow_resumes_exactly(((const watcher *)scheme)->core); }
double watcher_next_step(const void *scheme) { return flow_next_step(((const watcher *)scheme)->core); }
const scheme_contact *watcher_contacts(const void *scheme) { return ((const watcher *)scheme)->shown; }

scheme_stats watcher_stats(const void *scheme) {
  const watcher *w = scheme;
  scheme_stats stats = flow_stats(w->core);
  stats.steps = w->steps;
  stats.evaluations += w->looks;
  stats.trouble = w->trouble;
  stats.searches = *w->contacts->searches;
  return stats;
}
