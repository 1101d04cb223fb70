// One step is one of the integrator's, or what of it comes before an event. Impacts and new modes belong to the step
// that ends with them, so that its last state is the one after.
#include "scheme/event.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/tree.h"
#include "scheme/event_internal.h"
#include "scheme/smooth.h"

// --- the integrator's problem ---------------------------------------------------------------------------------------

static void take_part_as_closed(event *s) {
  for (int p = 0; p < s->contacts->point_count; p++) s->point[p].takes_part = event_is_closed(&s->point[p]);
}

static bool accelerate(event *s) {
  take_part_as_closed(s);
  if (s->closed_count || s->m->friction_count) return event_accelerate(s);
  s->evaluations++;
  for (int p = 0; p < s->contacts->point_count; p++) memset(s->point[p].force, 0, sizeof s->point[p].force);
  return dynamics_accelerations(s->m, s->x);
}

// What friction takes of the motion, as all slipping points together do.
static double friction_power(const event *s) {
  double power = 0;
  for (int p = 0; p < s->contacts->point_count; p++) {
    const event_point *c = &s->point[p];
    for (int k = 1; c->mode == MODE_SLIP && k < c->rows; k++) power -= c->force[k] * s->rate[c->row + k];
  }
  return power;
}

static int right_hand_side(void *context, double t, const double *y, double *ydot) {
  event *s = context;
  if (interrupted(s->stop)) return -1;
  dynamics_set(s->m, s->x, t, y, y + s->nq);
  s->failed = !accelerate(s);
  if (s->failed) return 1;
  dynamics_rates(s->m, s->x->q, s->x->u, ydot);
  memcpy(ydot + s->nq, s->x->udot, (size_t)s->nv * sizeof *ydot);
  memcpy(ydot + s->nq + s->nv, s->x->powers, sizeof s->x->powers);
  ydot[s->nf] = s->closed_count ? friction_power(s) : 0;
  if (s->m->friction_count) ydot[s->nf + 1] = event_friction_power(s);
  return 0;
}

static int project(void *context, double t, double *y, double *error) {
  (void)error;
  event *s = context;
  if (event_project(s, t, y, 1)) return 0;
  s->projection_failures++;
  return 1;
}

// --- creation -------------------------------------------------------------------------------------------------------

static void allocate(event *s) {
  const mechanism *m = s->m;
  arena *a = &s->memory;
  int rows = m->row_count + m->extra_rows + 1, points = s->contacts->point_count + m->friction_count + 1;
  double **vectors[] = {&s->noise, &s->a, &s->lambda, &s->rate, &s->rate_after, &s->rhs, &s->z, &s->residual, &s->scaling,
                        &s->problem_q, &s->problem_r, &s->problem_u, &s->compression};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = ARENA_ARRAY(a, double, rows);
  double **states[] = {&s->y, &s->ydot, &s->scale, &s->y_look, &s->y_before};
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) *states[i] = ARENA_ARRAY(a, double, s->n);
  s->q_save = ARENA_ARRAY(a, double, m->nq + 1);
  s->share = ARENA_ARRAY(a, double, rows);
  s->W = ARENA_ARRAY(a, double, (long)rows * rows);
  s->problem_W = ARENA_ARRAY(a, double, (long)rows * rows);
  s->A = ARENA_ARRAY(a, double, 2 * (long)rows * rows);
  s->held = ARENA_ARRAY(a, int, rows);
  s->pivot = ARENA_ARRAY(a, int, rows);
  s->blocks = block_list_create(a, rows + points);
  s->block_point = ARENA_ARRAY(a, int, rows + points);
  s->point = ARENA_ARRAY(a, event_point, points);
  s->during.point = ARENA_ARRAY(a, event_point, points);
  s->during.share = ARENA_ARRAY(a, double, rows);
  s->during.friction = ARENA_ARRAY(a, event_friction, m->friction_count + 1);
  s->during.accepted_q = ARENA_ARRAY(a, double, m->joint_nq + 1);
  s->during.accepted_u = ARENA_ARRAY(a, double, m->joint_nv + 1);
  s->points = ARENA_ARRAY(a, contact_point, points);
  s->moved = ARENA_ARRAY(a, contact_point, points);
  s->shown = ARENA_ARRAY(a, scheme_contact, points);
  for (int k = 0; k <= EVENT_SAMPLES; k++) {
    event_sample *at = k < EVENT_SAMPLES ? &s->sample[k] : &s->at_event;
    double **parts[] = {&at->gap_rate, &at->force, &at->drag, &at->loss};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) *parts[i] = ARENA_ARRAY(a, double, points);
    at->value = ARENA_ARRAY(a, double, EVENT_FUNCTIONS * points);
  }
}

static void describe_points(event *s) {
  for (int i = 0; i < s->m->friction_count; i++) s->point[s->contacts->point_count + i].mode = MODE_SLIP;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = &s->contacts->elements[i];
    for (int k = 0; k < e->point_count; k++)
      s->point[e->point0 + k] = (event_point){.e = e, .rows = contact_row_count(s->m, e), .way = {1, 0},
                                              .friction = e->material.friction,
                                              .restitution = e->material.restitution};
  }
}

// As in scheme smooth: an angle's scale is 1, a length's the mechanism's size, an energy's the largest at the start.
static void set_scales(event *s) {
  const mechanism *m = s->m;
  double length = s->settings.length, mass = 0;
  for (int i = 0; i < s->n; i++) s->scale[i] = 1;
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    const char *kinds = m->planar ? n->type->kinds_planar : n->type->kinds_spatial;
    mass += n->mass;
    for (int k = 0; k < n->nq; k++)
      if (kinds[k] == 't') s->scale[n->q + k] = length;
    for (int k = 0; k < n->nv; k++)
      if (kinds[n->nq == n->nv ? k : k + 1] == 't') s->scale[s->nq + n->v + k] = length;
  }
  event_set(s, 0, s->y);
  double energy = fmax(tree_kinetic_energy(m, s->x), mass * vec3_norm(m->gravity) * length);
  for (int k = s->nq + s->nv; k < s->n; k++) s->scale[k] = energy > 0 ? energy : 1;
}

static void destroy(void *scheme) {
  event *s = scheme;
  if (!s) return;
  integrator_destroy(s->it);
  solve_workspace_destroy(s->workspace);
  arena_free(&s->memory);
  free(s);
}

// Modes are decided anew; what cannot be seen from the state is whether impacts that were summed up still last, and
// whether a point has just lifted off.
enum { POINT_MEMORY = 3 };

static int memory_size(const mechanism *m, const contact_set *contacts) {
  (void)m;
  return POINT_MEMORY * contacts->point_count;
}

static void remember(const void *scheme, double *memory) {
  const event *s = scheme;
  for (int p = 0; p < s->contacts->point_count; p++, memory += POINT_MEMORY) {
    const event_point *c = &s->point[p];
    memory[0] = c->held_until, memory[1] = c->has_lifted, memory[2] = c->lifted_at;
  }
}

static void recall(event *s, const double *memory) {
  for (int p = 0; p < s->contacts->point_count; p++, memory += POINT_MEMORY) {
    event_point *c = &s->point[p];
    c->held_until = memory[0], c->has_lifted = memory[1] != 0, c->lifted_at = memory[2];
  }
}

static bool create_parts(event *s, const scheme_start *start, carom_error *error) {
  memcpy(s->y, start->q, (size_t)s->nq * sizeof *s->y);
  memcpy(s->y + s->nq, start->u, (size_t)s->nv * sizeof *s->y);
  memcpy(s->y + s->nq + s->nv, start->accounts, sizeof start->accounts);
  memcpy(s->accounts, start->accounts, sizeof start->accounts);
  s->t = s->t_before = start->t;
  s->loss_normal = s->impacts->loss_normal, s->loss_tangential = s->impacts->loss_tangential;
  // Positions and speeds are good to about ten times the tolerance of a step; closer than that nothing can be told apart.
  s->nearness = fmax(1e-12, 10 * s->settings.integrator.atol) * s->settings.length;
  s->still = fmax(1e-10, 10 * s->settings.integrator.atol) * s->settings.length;
  s->trouble = start->trouble, s->tally = start->solves;
  describe_points(s);
  if (start->memory) recall(s, start->memory);
  set_scales(s);
  solve_limits limits;
  event_measure_problem(s, &limits);
  s->solver = solve_settings_default();
  if (s->settings.tolerance > 0) s->solver.tolerance = s->settings.tolerance;
  s->workspace = solve_workspace_create(&limits, error);
  if (!s->workspace) return false;
  s->workspace->stop = s->stop;
  s->ode = (ode_problem){.n = s->n, .context = s, .rhs = right_hand_side, .project = project, .abs_scale = s->scale,
                         .can_lock = s->m->row_count > 0};
  s->it = integrator_create_ode(s->settings.kind, &s->ode, &s->settings.integrator, s->t, s->y, error);
  return s->it != NULL;
}

// Gaps are known at the start; forces come with the first step.
static void show_gaps(event *s) {
  event_set(s, s->t, s->y);
  contact_evaluate(s->contacts, s->m, s->x, s->points);
  for (int p = 0; p < s->contacts->point_count; p++)
    s->shown[p] = (scheme_contact){.gap = s->points[p].gap, .point = &s->points[p]};
}

static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  jmp_buf out_of_memory;
  event *volatile s = calloc(1, sizeof *s);
  bool failed = !s;
  if (setjmp(out_of_memory)) failed = true;
  if (failed) {
    destroy(s);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the events of contact");
    return NULL;
  }
  s->memory = arena_create(&out_of_memory);
  s->m = setup->m, s->x = setup->x, s->contacts = setup->contacts, s->impacts = setup->impacts;
  s->stop = setup->stop;
  s->settings = event_settings_from(setup);
  s->nq = s->m->nq, s->nv = s->m->nv;
  s->nf = s->nq + s->nv + POWER_COUNT, s->n = s->nf + 1 + (s->m->friction_count > 0);
  s->counts_turns = coordinate_counts_turns(s->m);
  allocate(s);
  event_friction_create(s);
  s->memory.out_of_memory = NULL;
  if (!create_parts(s, start, error)) {
    destroy(s);
    return NULL;
  }
  show_gaps(s);
  return s;
}

// --- showing --------------------------------------------------------------------------------------------------------

// The motion with its accelerations, contact forces included, and the points as they are there.
static void show_state(event *s, double t, const double *y, double normal, double tangential) {
  event_set(s, t, y);
  bool known = accelerate(s);
  if (known) s->x->level = LEVEL_ACCELERATION;
  event_friction_show(s);
  memcpy(s->accounts, y + s->nq + s->nv, sizeof s->accounts);
  contact_evaluate(s->contacts, s->m, s->x, s->points);
  for (int p = 0; p < s->contacts->point_count; p++) {
    const event_point *c = &s->point[p];
    s->shown[p] = (scheme_contact){.gap = s->points[p].gap, .normal_force = c->force[0],
                                   .tangential_force = {c->force[1], c->force[2]}, .active = event_is_closed(c), .lasts = event_is_closed(c),
                                   .slides = c->mode == MODE_SLIP && c->rows > 1, .point = &s->points[p]};
  }
  s->impacts->loss_normal = normal, s->impacts->loss_tangential = tangential;
}

static void show_end(void *scheme) {
  event *s = scheme;
  show_state(s, s->t, s->y, s->loss_normal, s->loss_tangential);
}

// Of contacts and of joints.
static double losses_of(const event *s, const double *y) {
  return y[s->nf] + (s->m->friction_count ? y[s->nf + 1] : 0);
}

static void keep_modes(event *s) {
  const mechanism *m = s->m;
  memcpy(s->during.point, s->point, (size_t)(s->contacts->point_count + m->friction_count) * sizeof *s->point);
  memcpy(s->during.friction, s->friction, (size_t)m->friction_count * sizeof *s->friction);
  memcpy(s->during.share, s->share, (size_t)m->row_count * sizeof *s->share);
  s->during.closed_count = s->closed_count, s->during.redundant = s->redundant;
  s->during.accepted_t = s->x->accepted_t;
  memcpy(s->during.accepted_q, s->x->accepted_q, (size_t)m->joint_nq * sizeof *s->x->accepted_q);
  memcpy(s->during.accepted_u, s->x->accepted_u, (size_t)m->joint_nv * sizeof *s->x->accepted_u);
}

static void swap_modes(event *s) {
  event_modes kept = s->during;
  motion *x = s->x;
  s->during = (event_modes){s->point, s->friction, s->share, s->closed_count, s->redundant,
                            x->accepted_t, x->accepted_q, x->accepted_u};
  s->point = kept.point, s->friction = kept.friction, s->share = kept.share;
  s->closed_count = kept.closed_count, s->redundant = kept.redundant;
  x->accepted_t = kept.accepted_t, x->accepted_q = kept.accepted_q, x->accepted_u = kept.accepted_u;
}

// The dense output is projected onto what is closed, and forces depend on it: both need the modes of the step itself, not
// those that an event at its end has brought. Turns are counted from the start of the step for the same reason.
static carom_status show(void *scheme, double t, carom_error *error) {
  event *s = scheme;
  if (t == s->t) return show_end(s), CAROM_OK;
  bool within = t > s->t_before && t < s->t;
  swap_modes(s);
  within = within && integrator_interpolate(s->it, t, s->y_look) == CAROM_OK;
  if (within) {
    double later = losses_of(s, s->y_before) - losses_of(s, s->y_look);
    show_state(s, t, s->y_look, s->normal_before, s->tangential_before - later);
  }
  swap_modes(s);
  if (within) return CAROM_OK;
  return error_set(error, CAROM_ERROR_USAGE, "the time %g s is not within the last step", t);
}

// --- stepping -------------------------------------------------------------------------------------------------------

static const event_instant NO_EVENT = {.kind = EVENT_NONE, .point = -1};

// Not so far that a gap could close and open again unseen, and not beyond the end of an accumulation of impacts.
static double limit_of(const event *s, double t_stop) {
  double limit = t_stop;
  for (int p = 0; p < s->contacts->point_count; p++) {
    const event_point *c = &s->point[p];
    if (c->held_until > s->t) limit = fmin(limit, c->held_until);
    if (c->mode != MODE_OPEN || c->gap <= s->nearness || c->rate[0] >= 0) continue;
    limit = fmin(limit, s->t + 4 * (c->gap + s->nearness) / -c->rate[0]);
  }
  return limit;
}

// Lasting contact from one time to another within the integrator's step: impulses by Simpson's rule on the five looks;
// what friction took is the integrator's, shared as the same rule shares it.
static void book_contacts(event *s, double from, double to, double loss) {
  static const double weight[EVENT_SAMPLES] = {1 / 12., 4 / 12., 2 / 12., 4 / 12., 1 / 12.};
  double sum = 0, dt = to - from;
  int slipping = 0;
  for (int p = 0; p < s->contacts->point_count; p++) {
    slipping += s->point[p].mode == MODE_SLIP && s->point[p].rows > 1;
    for (int k = 0; s->point[p].mode == MODE_SLIP && k < EVENT_SAMPLES; k++) sum += dt * weight[k] * s->sample[k].loss[p];
  }
  for (int p = 0; p < s->contacts->point_count; p++) {
    const event_point *c = &s->point[p];
    if (!event_is_closed(c)) continue;
    double normal = 0, drag = 0, share = 0;
    for (int k = 0; k < EVENT_SAMPLES; k++) {
      normal += dt * weight[k] * s->sample[k].force[p];
      drag += dt * weight[k] * s->sample[k].drag[p];
      share += dt * weight[k] * s->sample[k].loss[p];
    }
    bool slips = c->mode == MODE_SLIP && c->rows > 1;
    impact_touch(s->impacts, p, &(impact_step){
        .t_start = from, .t_end = to, .gap = s->points[p].gap, .impulse_normal = normal, .impulse_tangential = drag,
        .loss_tangential = !slips ? 0 : sum != 0 ? loss * share / sum : loss / slipping,
        .restitution = c->restitution, .sticks = c->mode == MODE_STICK});
  }
}

// Where impacts that were summed up have come to an end, lasting contact begins.
static void end_accumulations(event *s) {
  for (int p = 0; p < s->contacts->point_count; p++) {
    event_point *c = &s->point[p];
    if (!(c->held_until > 0) || c->held_until > s->t) continue;
    c->held_until = 0;
    impact_part(s->impacts, p);
  }
}

// Whether a slip has stayed near zero for many steps. One that is faster after them than before grows from rest.
static bool lingers(const event *s, event_point *c, double speed) {
  enum { LINGERING = 20 };
  if (speed > 10 * s->still) c->lingers = 0;
  else if (c->lingers++ == 0) c->lingers_from = speed;
  if (c->lingers < LINGERING) return false;
  c->lingers = 0;
  return speed <= c->lingers_from;
}

// The way of slip as it is now, for the step to come. In space a slip that dies away turns ever faster and passes zero at
// a distance; where one lingers there, steps are as short as it is slow, and it is time to ask whether it sticks.
static void turn_ways(event *s, event_instant *instant) {
  for (int p = 0; p < s->contacts->point_count; p++) {
    event_point *c = &s->point[p];
    if (c->mode != MODE_SLIP || c->rows < 3) continue;
    double speed = hypot(c->rate[1], c->rate[2]);
    if (lingers(s, c, speed) && instant->kind == EVENT_NONE) *instant = (event_instant){EVENT_LINGER, p, s->t};
    if (!(speed > s->still)) continue;
    c->way[0] = c->rate[1] / speed, c->way[1] = c->rate[2] / speed;
    s->looked = false;
  }
}

// The direction of friction in space follows the slip the faster the slower it is, at a rate of μ λ_N W_TT / |γ_T|. With the
// Jacobian of a slower slip, Newton's iteration corrects the slip across by the ratio of both speeds too little, and accepts that
// as convergence. A Jacobian of a faster slip makes the iteration diverge, so that the integrator renews it by itself.
static void watch_stiffness(event *s) {
  static const double FASTER = 1.5;
  bool renew = false;
  for (int p = 0; p < s->contacts->point_count; p++) {
    event_point *c = &s->point[p];
    if (c->mode != MODE_SLIP || c->rows < 3) continue;
    double speed = fmax(hypot(c->rate[1], c->rate[2]), s->still);
    if (s->jacobian_is_new) c->steepest = speed;
    renew |= speed > FASTER * c->steepest;
  }
  s->jacobian_is_new = renew;
  if (renew) integrator_renew_jacobian(s->it);
}

// The motion takes the state that has been reached. It does so before and after a jump of velocities, since turns are
// counted by the speeds on the same side of it.
static void enter(event *s) {
  event_set(s, s->t, s->y);
  event_observe(s);
  if (s->counts_turns) coordinate_accept(s->m, s->x);
}

// Moves on to an event or to the end of the integrator's step.
static carom_status advance(event *s, double t_stop, event_instant *instant, carom_error *error) {
  double from = s->t, loss_before = s->y[s->nf], joints_before = losses_of(s, s->y) - loss_before;
  keep_modes(s);
  carom_status status = integrator_step(s->it, limit_of(s, t_stop), error);
  if (status == CAROM_ERROR_INTEGRATOR) smooth_explain(s->m, s->x, s->it, s->failed, error);
  if (status != CAROM_OK) return status;
  if (!event_locate(s, instant) ||
      (instant->kind != EVENT_NONE && s->closed_count && !event_look(s, from, instant->t)) ||
      integrator_interpolate(s->it, instant->t, s->y) != CAROM_OK)
    return error_set(error, CAROM_ERROR_INTEGRATOR, "the motion between t = %g s and %g s cannot be evaluated", from,
                     integrator_time(s->it));
  s->t = instant->t;
  s->steps++;
  memcpy(s->y_before, s->y, (size_t)s->n * sizeof *s->y);
  if (s->closed_count && s->t > from) book_contacts(s, from, s->t, s->y[s->nf] - loss_before);
  s->impacts->loss_tangential += losses_of(s, s->y) - s->y[s->nf] - joints_before;
  s->normal_before = s->impacts->loss_normal, s->tangential_before = s->impacts->loss_tangential;
  enter(s);
  return CAROM_OK;
}

static carom_status step(void *scheme, double t_stop, carom_error *error) {
  enum { MOST_AT_ONE_INSTANT = 100 };
  event *s = scheme;
  carom_status status = CAROM_OK;
  s->impacts->loss_normal = s->loss_normal, s->impacts->loss_tangential = s->loss_tangential;
  s->t_before = s->t;
  s->disagrees = false;
  for (int turn = 0; status == CAROM_OK && !(s->t > s->t_before); turn++) {
    event_instant instant = NO_EVENT;
    if (turn == MOST_AT_ONE_INSTANT)
      return error_set(error, CAROM_ERROR_INTEGRATOR, "contacts change their modes without end at t = %.10g s", s->t);
    if (!s->settled) {
      status = event_settle(s, &instant, error);
      s->settled = s->restart = status == CAROM_OK;
      if (status != CAROM_OK) break;
      enter(s);
    }
    if (s->restart) status = integrator_restart(s->it, s->t, s->y, error);
    s->jacobian_is_new |= s->restart;
    s->restart = false;
    if (status == CAROM_OK) status = advance(s, t_stop, &instant, error);
    if (status != CAROM_OK) break;
    end_accumulations(s);
    turn_ways(s, &instant);
    watch_stiffness(s);
    if (instant.kind == EVENT_NONE) continue;
    status = event_settle(s, &instant, error);
    s->settled = status == CAROM_OK;
    s->restart = true;
    enter(s);
  }
  s->loss_normal = s->impacts->loss_normal, s->loss_tangential = s->impacts->loss_tangential;
  s->trouble.friction_unsettled += s->disagrees;
  show_end(s);
  if (status == CAROM_OK && s->dump_error.status != CAROM_OK)
    status = error_set(error, s->dump_error.status, "%s", s->dump_error.message);
  return status;
}

// Before the first step modes are decided here, unless an impact comes first: then what acts before it is shown. Where
// they cannot be decided the first step says why.
static bool result(void *scheme, carom_error *error) {
  (void)error;
  event *s = scheme;
  carom_error ignored = {0};
  if (!s->settled && (event_is_struck(s) || event_settle(s, &NO_EVENT, &ignored) != CAROM_OK))
    return dynamics_instant(s->m, s->x);
  if (!s->settled) s->settled = s->restart = true, show_end(s);
  return s->x->level >= LEVEL_ACCELERATION && dynamics_instant(s->m, s->x);
}

static double time_of(const void *scheme) { return ((const event *)scheme)->t; }
static const double *state_of(const void *scheme) { return ((const event *)scheme)->y; }
static const double *accounts_of(const void *scheme) { return ((const event *)scheme)->accounts; }
static bool resumes_exactly(const void *scheme) { return (void)scheme, false; }  // its integrator begins anew
static double next_step(const void *scheme) { return integrator_next_step(((const event *)scheme)->it); }
static const scheme_contact *contacts_of(const void *scheme) { return ((const event *)scheme)->shown; }

static scheme_stats stats_of(const void *scheme) {
  const event *s = scheme;
  integrator_stats stats = integrator_get_stats(s->it);
  return (scheme_stats){.steps = s->steps, .rejected = stats.rejected, .evaluations = s->evaluations,
                        .projection_failures = s->projection_failures, .solves = &s->tally, .trouble = s->trouble};
}

const scheme_type scheme_event = {
    .energy = {.warn = 1e-3, .bad = 1e-3, .tolerances = 1e4},
    .name = "event", .about = &event_about, .knows_contact = true, .create = create, .destroy = destroy, .step = step, .show = show,
    .show_end = show_end, .result = result, .time = time_of, .state = state_of, .accounts = accounts_of, .stats = stats_of,
    .resumes_exactly = resumes_exactly, .next_step = next_step, .contacts = contacts_of, .memory_size = memory_size,
    .remember = remember,
};
