#include "study/poincare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "integrate/root.h"
#include "mechanics/control.h"
#include "mechanics/dynamics.h"
#include "study/statics.h"
#include "study/sweep.h"
#include "text/value.h"

// --- the section -----------------------------------------------------------------------------------------------------

static bool read_direction(const char *word, int *direction) {
  static const char *const words[] = {"falling", "both", "rising"};
  for (int i = 0; i < 3; i++)
    if (strcmp(word, words[i]) == 0) return *direction = i - 1, true;
  return false;
}

bool section_read(arena *memory, const char *period, const char *crossing, section_words *to, carom_error *error) {
  *to = (section_words){.period = period, .direction = 1};
  if (!period && !crossing)
    return error_set(error, CAROM_ERROR_USAGE,
                     "no section is given: name the period of the drives, such as 2*pi/speed, or the crossing of a "
                     "signal, such as crank.u=0"),
           false;
  if (!crossing) return true;
  const char *sign = strchr(crossing, '='), *colon = sign ? strrchr(sign, ':') : NULL;
  const char *end = colon ? colon : crossing + strlen(crossing);
  if (!sign || sign == crossing ||
      (colon && !read_direction(sweep_trimmed(memory, colon + 1, colon + strlen(colon)), &to->direction)))
    return error_set(error, CAROM_ERROR_USAGE,
                     "section '%s' is not a crossing: write SIGNAL=VALUE, and behind it :rising, :falling or :both",
                     crossing),
           false;
  to->signal = sweep_trimmed(memory, crossing, sign);
  const expr *value = sweep_constant(memory, sweep_trimmed(memory, sign + 1, end), NULL, error);
  if (value) to->value = expr_value(value, NULL);
  return value != NULL;
}

static bool resolve(void *context, const char *name, symbol *found, const char **hint) {
  return parameters_resolve(context, name, found, hint);
}

static bool find_period(arena *memory, const section_words *text, const carom_model *model, section_rule *to,
                        carom_error *error) {
  if (!text->period) return true;
  dimension dim;
  const parameters *known = model->def->text->parameters;
  const expr *e = expr_compile(memory, text->period, (place){0},
                               (scope){.resolve = resolve, .context = (void *)(uintptr_t)known}, &dim, error);
  if (!e) return false;
  to->period = expr_value(e, NULL);
  if (to->period > 0 && isfinite(to->period) && (dim == DIM_ANY || dimension_equal(dim, DIM_TIME))) return true;
  return error_set(error, CAROM_ERROR_USAGE, "the period '%s' is %g, which is not a time above zero", text->period,
                   to->period),
         false;
}

bool section_find(arena *memory, const section_words *text, const carom_model *model, section_rule *to,
                  carom_error *error) {
  *to = (section_rule){.signal = -1, .value = text->value, .direction = text->direction, .longest = model->about.end};
  if (!find_period(memory, text, model, to, error)) return false;
  if (!text->signal) return true;
  to->signal = carom_model_signal(model, text->signal);
  if (to->signal >= 0) return true;
  const int count = carom_model_signal_count(model);
  const char **names = ARENA_ARRAY(memory, const char *, count + 1);
  for (int i = 0; i < count; i++) names[i] = carom_model_signal_name(model, i);
  const char *near = carom_nearest_word(text->signal, names, count);
  return error_set(error, CAROM_ERROR_USAGE, "there is no signal '%s' for the section%s%s%s", text->signal,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : ""),
         false;
}

// --- states ----------------------------------------------------------------------------------------------------------

section_state section_state_make(arena *memory, const carom_sim *sim) {
  const mechanism *m = &sim->model->m;
  return (section_state){.q = ARENA_ARRAY(memory, double, m->nq + 1),
                         .u = ARENA_ARRAY(memory, double, m->nv + 1),
                         .z = ARENA_ARRAY(memory, double, sim->x->inner_count + 1)};
}

void section_state_copy(const carom_sim *sim, section_state *to, const section_state *from) {
  const mechanism *m = &sim->model->m;
  to->t = from->t;
  memcpy(to->q, from->q, (size_t)m->nq * sizeof *to->q), memcpy(to->u, from->u, (size_t)m->nv * sizeof *to->u);
  memcpy(to->z, from->z, (size_t)sim->x->inner_count * sizeof *to->z);
}

void section_state_take(const carom_sim *sim, section_state *to) {
  const section_state now = {sim->x->t, sim->x->q, sim->x->u, sim->x->inner};
  section_state_copy(sim, to, &now);
}

carom_status section_state_start(carom_sim *sim, const section_state *from, carom_error *error) {
  const mechanism *m = &sim->model->m;
  motion *x = sim->x;
  sim_show_end(sim);
  memcpy(x->inner, from->z, (size_t)x->inner_count * sizeof *from->z);
  control_limit(m, x->inner);
  dynamics_set(m, x, from->t, from->q, from->u);
  if (m->row_count) {
    const bool closed = dynamics_project_positions(m, x, 1e-12 * fmax(1, m->length), 50);
    if (!closed || !dynamics_project_velocities(m, x))
      return error_set(error, CAROM_ERROR_ASSEMBLY, "the loops do not close in the state of the value before");
  }
  dynamics_positions_velocities(m, x);
  return sim_restart(sim, error);
}

bool section_state_fits(const carom_model *a, const carom_model *b) {
  return a->m.nq == b->m.nq && a->m.nv == b->m.nv && a->m.state_count == b->m.state_count &&
         a->contacts.inner_count == b->contacts.inner_count;
}

// --- displacements ---------------------------------------------------------------------------------------------------

bool section_controls_error(const carom_model *model) {
  return model->scheme->about->integrates && model->integrator.type != CAROM_RK4;
}

// The scale of the absolute tolerance of a coordinate, and of its rate, as the integrator has them.
static double error_scale(const mechanism *m, int speed, bool of_rate) {
  const node *n = &m->nodes[m->speed_node[speed]];
  const double plain = statics_speed_scale(m, speed);
  if (!n->flex || speed < n->modal_v) return plain;
  return 1e-3 * plain * (of_rate ? fmax(1, n->flex->rate[speed - n->modal_v]) : 1);
}

static void set_errors(section_space *s, const carom_model *model) {
  const double atol = section_controls_error(model) ? model->integrator.atol : 0;
  for (int i = 0; i < s->n; i++)
    s->error[i] = atol * error_scale(s->m, s->speed[i], false),
    s->error[s->n + i] = atol * error_scale(s->m, s->speed[i], true);
  for (int i = 2 * s->n; i < s->count; i++) s->error[i] = atol * s->m->states[i - 2 * s->n].scale;
}

section_space section_space_make(arena *memory, const carom_model *model) {
  const mechanism *m = &model->m;
  section_space s = {.m = m, .speed = ARENA_ARRAY(memory, int, m->nv + 1)};
  for (int i = 0; i < m->nv; i++)
    if (!m->driven[i]) s.speed[s.n++] = i;
  s.count = 2 * s.n + m->state_count;
  s.scale = ARENA_ARRAY(memory, double, s.count + 1), s.move = ARENA_ARRAY(memory, double, m->nv + 1);
  for (int i = 0; i < s.n; i++) s.scale[i] = s.scale[s.n + i] = statics_speed_scale(m, s.speed[i]);
  for (int i = 2 * s.n; i < s.count; i++) s.scale[i] = 1;
  s.error = ARENA_ARRAY(memory, double, s.count + 1);
  set_errors(&s, model);
  return s;
}

// Along the speeds of a node: of a rotation vector b = a exp(δ).
static void difference_of_node(const mechanism *m, const node *n, const double *a, const double *b, double *delta) {
  const bool turns = n->nq != n->nv;
  const int q0 = turns ? n->type->quaternion_q : 0, v0 = turns ? n->type->quaternion_v : 0;
  if (turns) {
    const double *e = a + n->q + q0, *f = b + n->q + q0;
    const quat d = quat_product((quat){e[0], -e[1], -e[2], -e[3]}, (quat){f[0], f[1], f[2], f[3]});
    const double s = hypot(hypot(d.x, d.y), d.z), factor = s > 0 ? 2 * atan2(copysign(s, d.w), fabs(d.w)) / s : 2;
    double *to = delta + n->v + v0;
    to[0] = factor * d.x, to[1] = factor * d.y, to[2] = factor * d.z;
  }
  for (int k = turns ? 3 : 0, i = turns ? 4 : 0; k < n->nv; k++, i++) {
    const double d = b[n->q + i] - a[n->q + i];
    delta[n->v + k] = statics_speed_slides(m, n->v + k) ? d : remainder(d, 2 * M_PI);
  }
  for (int k = 0; k < n->modes; k++) delta[n->modal_v + k] = b[n->modal_q + k] - a[n->modal_q + k];
}

void section_difference(const section_space *s, const section_state *a, const section_state *b, double *to) {
  for (int i = 1; i < s->m->node_count; i++) difference_of_node(s->m, &s->m->nodes[i], a->q, b->q, s->move);
  for (int i = 0; i < s->n; i++) {
    const int v = s->speed[i];
    to[i] = s->move[v], to[s->n + i] = b->u[v] - a->u[v];
  }
  for (int i = 2 * s->n; i < s->count; i++) to[i] = b->z[i - 2 * s->n] - a->z[i - 2 * s->n];
}

void section_move(const section_space *s, const section_state *a, double factor, const double *delta,
                  section_state *to) {
  memset(s->move, 0, (size_t)s->m->nv * sizeof *s->move);
  for (int i = 0; i < s->n; i++) s->move[s->speed[i]] = factor * delta[i];
  memmove(to->q, a->q, (size_t)s->m->nq * sizeof *to->q);
  dynamics_move(s->m, to->q, s->move);
  dynamics_normalize(s->m, to->q);
  memmove(to->u, a->u, (size_t)s->m->nv * sizeof *to->u);
  for (int i = 0; i < s->n; i++) to->u[s->speed[i]] += factor * delta[s->n + i];
  for (int i = 2 * s->n; i < s->count; i++) to->z[i - 2 * s->n] = a->z[i - 2 * s->n] + factor * delta[i];
}

double section_size(const double *scale, const double *delta, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(delta[i]) / scale[i]);
  return most;
}

// --- the motion ------------------------------------------------------------------------------------------------------

static void count_impact(void *context, const impact *row) {
  section_ledger *l = context;
  if (!(row->approach_speed > 0) || row->start < l->since) return;
  l->impacts++;
  l->slowest = fmin(l->slowest, row->approach_speed);
}

void section_walk_clear(section_walk *w) {
  w->ledger = (section_ledger){.slowest = INFINITY, .since = carom_sim_time(w->sim)};
}

void section_walk_begin(section_walk *w, carom_sim *sim, const section_rule *of) {
  const double t = carom_sim_time(sim);
  *w = (section_walk){.sim = sim, .of = of, .began = t, .until = t, .not_before = t};
  section_walk_clear(w);
  sim->impacts.close = count_impact, sim->impacts.context = &w->ledger;
}

static void watch(section_walk *w) {
  const mechanism *m = &w->sim->model->m;
  const motion *x = w->sim->x;
  for (int i = 0; i < m->nq; i++) w->low[i] = fmin(w->low[i], x->q[i]), w->high[i] = fmax(w->high[i], x->q[i]);
  for (int i = 0; i < m->nv; i++) w->fast[i] = fmax(w->fast[i], fabs(x->u[i]));
}

void section_walk_watch(section_walk *w, arena *memory) {
  const mechanism *m = &w->sim->model->m;
  w->low = ARENA_ARRAY(memory, double, m->nq + 1), w->high = ARENA_ARRAY(memory, double, m->nq + 1);
  w->fast = ARENA_ARRAY(memory, double, m->nv + 1);
  for (int i = 0; i < m->nq; i++) w->low[i] = INFINITY, w->high[i] = -INFINITY;
  watch(w);
}

static carom_status take_step(section_walk *w, double t_stop, carom_error *error) {
  const carom_status status = sim_take_step(w->sim, t_stop, error);
  if (status == CAROM_OK && w->low) watch(w);
  return status;
}

carom_status section_walk_to(section_walk *w, double t, carom_error *error) {
  sim_pace pace = {.t = carom_sim_time(w->sim)};
  carom_status status = CAROM_OK;
  sim_show_end(w->sim);
  while (status == CAROM_OK && carom_sim_time(w->sim) < t) {
    status = take_step(w, t, error);
    if (status == CAROM_OK) status = sim_check_progress(w->sim, &pace, t, error);
  }
  return status;
}

// --- crossings -------------------------------------------------------------------------------------------------------

typedef struct crossing {
  section_walk *w;
  double sign;
  carom_error *error;
} crossing;

static double height(void *context, double t) {
  crossing *c = context;
  if (sim_show(c->w->sim, t, c->error) != CAROM_OK) return NAN;
  return c->sign * (c->w->of->value - carom_sim_read(c->w->sim, c->w->of->signal));
}

// Within the last step: whether the signal crosses its value after w->until, and then shows the state there. A step is
// looked at in parts, so that a signal that turns back within it is not missed.
static bool find_crossing(section_walk *w, double end, carom_error *error) {
  enum { PARTS = 8 };
  const double from = w->until;
  crossing c = {w, 1, error};
  double a = from, fa = height(&c, a);
  for (int i = 1; i <= PARTS && isfinite(fa); i++) {
    const double b = i == PARTS ? end : from + (end - from) * i / PARTS, fb = height(&c, b);
    const bool rises = fa > 0 && fb <= 0, falls = fa < 0 && fb >= 0;
    if (b > w->not_before && ((rises && w->of->direction >= 0) || (falls && w->of->direction <= 0))) {
      c.sign = rises ? 1 : -1;
      const double t = root_find(height, &c, a, c.sign * fa, b, c.sign * fb, 0);
      c.sign = 1;
      w->until = t;
      return isfinite(height(&c, t));
    }
    a = b, fa = fb;
  }
  w->until = end;
  return false;
}

static carom_status next_crossing(section_walk *w, carom_error *error) {
  const double from = w->until;
  sim_pace pace = {.t = from};
  for (;;) {
    sim_show_end(w->sim);
    const double end = carom_sim_time(w->sim);
    if (w->until < end && find_crossing(w, end, error)) return CAROM_OK;
    if (error->status != CAROM_OK) return error->status;
    sim_show_end(w->sim);
    if (end >= from + w->of->longest)
      return error_set(error, CAROM_ERROR_STUDY,
                       "'%s' does not %s %g within %g s after t = %g s; give another section, or a later 'end' of the "
                       "model, which is the longest time from section to section",
                       carom_model_signal_name(w->sim->model, w->of->signal),
                       w->of->direction > 0   ? "rise through"
                       : w->of->direction < 0 ? "fall through"
                                              : "cross",
                       w->of->value, w->of->longest, from);
    carom_status status = take_step(w, from + w->of->longest, error);
    if (status == CAROM_OK) status = sim_check_progress(w->sim, &pace, from + w->of->longest, error);
    if (status != CAROM_OK) return status;
  }
}

carom_status section_walk_next(section_walk *w, carom_error *error) {
  w->passed++;
  return w->of->signal >= 0 ? next_crossing(w, error)
                            : section_walk_to(w, w->began + (double)w->passed * w->of->period, error);
}

long section_walk_rests(const section_walk *w) { return w->sim->type->stats(w->sim->scheme).trouble.accumulations; }

// --- scales ----------------------------------------------------------------------------------------------------------

static double half_range(const section_walk *w, const node *n, int speed) {
  const int k = speed - n->v, turned = n->nq - n->nv;
  if (n->modes && speed >= n->modal_v) {
    const int q = n->modal_q + speed - n->modal_v;
    return (w->high[q] - w->low[q]) / 2;
  }
  if (turned && k < 3) return 1;
  return (w->high[n->q + k + turned] - w->low[n->q + k + turned]) / 2;
}

// What moves by less than this is at rest: the integrator knows it to a few digits only, or it is far below the size of
// the mechanism.
static double least_scale(const section_space *s, int k) {
  return fmax(1e4 * s->error[k], 1e-6 * statics_speed_scale(s->m, s->speed[k % s->n]));
}

// Half of the range of a coordinate, at most a radian, and the largest speed: each at least 1e-4 of the largest of its
// kind, so that what hardly moves is not judged by its rounding.
void section_walk_scale(const section_walk *w, section_space *s) {
  double most[2][2] = {{0, 0}, {0, 0}};
  for (int i = 0; i < s->n; i++) {
    const int v = s->speed[i];
    const bool slides = statics_speed_slides(s->m, v);
    const double half = half_range(w, &s->m->nodes[s->m->speed_node[v]], v);
    s->scale[i] = slides ? half : fmin(half, 1), s->scale[s->n + i] = w->fast[v];
    most[slides][0] = fmax(most[slides][0], s->scale[i]), most[slides][1] = fmax(most[slides][1], w->fast[v]);
  }
  for (int i = 0; i < s->n; i++) {
    const int v = s->speed[i];
    const bool slides = statics_speed_slides(s->m, v);
    for (int k = 0; k < 2; k++) {
      const double least = fmax(1e-4 * most[slides][k], least_scale(s, k * s->n + i));
      s->scale[k * s->n + i] = fmax(s->scale[k * s->n + i], least);
    }
  }
  for (int i = 0; i < s->m->state_count; i++)
    s->scale[2 * s->n + i] = fmax(s->m->states[i].scale, fabs(w->sim->x->inner[i]));
  for (int i = 2 * s->n; i < s->count; i++)
    if (!(s->scale[i] > 0)) s->scale[i] = 1;
}
