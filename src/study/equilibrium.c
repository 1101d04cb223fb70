// Equilibria: a strongly damped motion, implicit in time, that becomes Newton's method where it comes to rest
// (balance.h; theory.md, 15).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "carom/study.h"
#include "mechanics/control.h"
#include "mechanics/dynamics.h"
#include "study/balance.h"

enum { ITERATIONS_MOST = 2000, TRIES_MOST = 60 };

// A step moves nothing by more than this part of a radian, or of the size of the model; with friction, whose forces
// depend on the way, by less.
static const double LIMIT = 0.2, LIMIT_FRICTION = 0.02;

typedef struct search {
  statics s;
  balance b;
  arena_mark mark;  // of what belongs to one step
  double limit, near;
  double *r;               // one per row, as found last
  double *by_slot;         // forces of contacts, by the slot of their point
  double *q, *z;           // where it leads to
  double *force, *rates;   // there
  double acceleration;     // largest, of bodies that nothing holds
  double lowest, highest;  // eigenvalues of the stiffness in the free space
} search;

// The step at its end: forces, and whether these drive back by more than half of what drove it there.
static bool overshoots(search *e) {
  statics *s = &e->s;
  double before = statics_dot(s->n, s->Q, e->b.delta);
  statics_move(s, s->q, e->b.delta, 1, e->q);
  for (int i = 0; i < s->states; i++) e->z[i] = s->z[i] + e->b.dz[i];
  control_limit(s->m, e->z);
  memset(s->u, 0, (size_t)s->m->nv * sizeof *s->u);
  double *none = ARENA_ARRAY(&s->memory, double, s->row_count + 1);
  if (!statics_forces(s, e->q, NULL, e->z, none, e->force, e->rates)) return true;
  return before > 0 && statics_dot(s->n, e->force, e->b.delta) < -0.5 * before && e->b.size > 1e-9;
}

// The largest acceleration if nothing held the bodies, over the scales.
static double free_acceleration(search *e, const balance_system *t) {
  double *a = ARENA_ARRAY(&e->s.memory, double, e->s.n + 1), most = 0;
  memcpy(a, t->force, (size_t)e->s.n * sizeof *a);
  statics_upper(&e->s, a);
  for (int i = 0; i < e->s.n; i++) most = fmax(most, fabs(a[i]) / e->s.scale[i]);
  return most;
}

// σ from which to try: none where the stiffness alone brings it back from everywhere; else so much that it does, and so
// little that the step is long where nothing else limits it. Towards the end it may vanish, as in Newton's method; but
// not with friction, where the error of the contact problem over σ is what steps end with.
static double first_sigma(const search *e, double last) {
  const double free_fall = e->acceleration / e->limit, end = e->s.friction ? 1 : fmax(1e-4, fmin(1, last / e->limit));
  if (e->lowest > 1e-9 * e->highest && !e->s.friction) return 0;
  if (e->s.states && last < 1e-3 * e->limit) return 0;  // states hold it, which this stiffness does not contain
  return fmax(fmax(-1.5 * e->lowest, 1e-12 * e->highest), 1e-3 * free_fall * end);
}

// One accepted step. Returns false if there is none.
static bool take_step(search *e, double last) {
  arena *a = &e->s.memory;
  balance_system t = balance_make(&e->b);
  double *values = ARENA_ARRAY(a, double, t.f + 1);
  if (!balance_spectrum(&e->b, t.f, t.reduced, values)) return false;
  e->lowest = t.f ? values[0] : 0, e->highest = t.f ? fmax(fabs(values[0]), fabs(values[t.f - 1])) : 0;
  e->acceleration = free_acceleration(e, &t);
  double sigma = first_sigma(e, last);
  for (int i = 0; i < TRIES_MOST; i++) {
    const arena_mark mark = arena_get_mark(a);
    if (statics_interrupted(&e->s)) return false;
    const bool solved = balance_solve(&e->b, &t, sigma), large = solved && e->b.size > e->limit;
    if (solved && !large && !overshoots(e)) return true;
    const double more = large ? fmin(16, fmax(2, 1.1 * e->b.size / e->limit)) : 4;
    const double least = fmax(1e-6 * e->highest, 1e-3 * e->acceleration / e->limit);
    sigma = fmax(sigma * more, least > 0 ? least : 1);  // where nothing acts any will do
    arena_release(a, mark);
  }
  return false;
}

// --- the search ------------------------------------------------------------------------------------------------------

// Multipliers of constraints stay; those of contacts are found by the slots of their points.
static void recall_forces(search *e) {
  const statics *s = &e->s;
  for (int i = s->m->row_count; i < s->row_count; i++) e->r[i] = 0;
  for (int i = 0; i < s->contact_count; i++)
    for (int k = 0; k < s->contacts[i].size; k++)
      e->r[s->contacts[i].row + k] = e->by_slot[s->contacts[i].slot * BLOCK_ROWS_MAX + k];
}

static void keep_forces(search *e) {
  const statics *s = &e->s;
  memcpy(e->r, e->b.r, (size_t)s->row_count * sizeof *e->r);
  memset(e->by_slot, 0, (size_t)(s->sim->contacts->point_slots * BLOCK_ROWS_MAX) * sizeof *e->by_slot);
  for (int i = 0; i < s->contact_count; i++)
    for (int k = 0; k < s->contacts[i].size; k++)
      e->by_slot[s->contacts[i].slot * BLOCK_ROWS_MAX + k] = e->r[s->contacts[i].row + k];
}

// Where nothing touches there is no friction, and steps may be longer: up to half of the smallest gap.
static void choose_limit(search *e) {
  const statics *s = &e->s;
  double gap = INFINITY;
  if (!s->friction) return;
  CONTACT_EACH_POINT(s->sim->contacts, p) {
    if (!s->points[p].absent) gap = fmin(gap, s->points[p].gap);
  }
  e->limit = fmin(LIMIT, fmax(LIMIT_FRICTION, 0.5 * gap / s->m->length));
}

// Contacts that stick need no stiffness of theirs: without it steps are as long as the motion is damped.
static bool look(search *e, bool with_contacts) {
  statics *s = &e->s;
  if (!statics_evaluate(s, e->near)) return false;
  choose_limit(e);
  recall_forces(e);
  double *r = ARENA_ARRAY(&s->memory, double, s->row_count + 1);
  memcpy(r, e->r, (size_t)(with_contacts ? s->row_count : s->m->row_count) * sizeof *r);
  return statics_differentiate(s, r, &e->b.slopes) && statics_evaluate(s, e->near) &&
         statics_find_space(s, NULL, &e->b.space);
}

static const char *fastest_body(const search *e) {
  const statics *s = &e->s;
  int most = 0;
  for (int i = 0; i < s->n; i++)
    if (fabs(e->b.delta[i]) / s->scale[i] > fabs(e->b.delta[most]) / s->scale[most]) most = i;
  return s->n ? s->m->bodies[s->m->nodes[s->m->speed_node[s->speed[most]]].body].name : "";
}

static bool fail(search *e, int turn) {
  return error_set(
             e->s.error, CAROM_ERROR_STUDY,
             "no equilibrium was found from this position: after %d steps of damped motion body '%s' still moves; "
             "check what holds it, or start nearer to where it rests",
             turn, fastest_body(e)),
         false;
}

// Corrections shrink until rounding stops them.
static bool iterate(search *e, carom_equilibrium *to) {
  statics *s = &e->s;
  double last = e->limit, before = INFINITY;
  for (int turn = 0; turn < ITERATIONS_MOST; turn++) {
    if (statics_interrupted(s)) return false;
    arena_release(&s->memory, e->mark);
    if (!look(e, !s->friction)) return false;
    if (!take_step(e, last)) return !statics_interrupted(s) && fail(e, turn);
    keep_forces(e);
    memcpy(s->q, e->q, (size_t)s->m->nq * sizeof *s->q);
    memcpy(s->z, e->z, (size_t)s->states * sizeof *s->z);
    to->iterations = turn + 1, to->step = fmax(e->b.size, e->b.state_size);
    if (to->step <= 1e-12 || (to->step <= 1e-8 && to->step >= before)) return true;
    before = to->step, last = e->b.size;
  }
  return fail(e, ITERATIONS_MOST);
}

// In the directions that closed contacts leave: how many are unstable and neutral, and what acceleration is left.
static bool judge(search *e, carom_equilibrium *to) {
  statics *s = &e->s;
  arena_release(&s->memory, e->mark);
  s->by_turning = false;
  if (!look(e, true)) return false;
  bool *held = ARENA_ARRAY(&s->memory, bool, s->row_count + 1);
  for (int i = 0; i < s->contact_count; i++) {
    const static_contact *c = &s->contacts[i];
    const bool rigid = isnan(c->law_force), closed = rigid && statics_is_closed(s, e->r, i);
    to->closed += rigid && e->r[c->row] > 0;
    for (int k = 0; k < (contact_rubs(c->e) ? c->size : 1); k++) held[c->row + k] = closed;
  }
  if (s->has_law) {
    to->closed = 0;
    CONTACT_EACH_POINT(s->sim->contacts, p) to->closed += s->normal[p] > 0;
  }
  double *left = ARENA_ARRAY(&s->memory, double, s->n + 1);
  if (!statics_find_space(s, held, &e->b.space) || !statics_forces(s, s->q, NULL, s->z, e->r, left, e->rates))
    return false;
  balance_system t = balance_make(&e->b);
  double *values = ARENA_ARRAY(&s->memory, double, t.f + 1);
  if (!balance_spectrum(&e->b, t.f, t.reduced, values)) return false;
  const double highest = t.f ? fmax(fabs(values[0]), fabs(values[t.f - 1])) : 0,
               zero = balance_rounding(&e->b, highest);
  for (int i = 0; i < t.f; i++) {
    to->unstable += values[i] < -zero;
    to->neutral += fabs(values[i]) <= zero;
  }
  to->freedoms = t.f, to->friction = s->friction;
  statics_lower(s, left), statics_upper(s, left);
  for (int i = 0; i < s->n; i++) to->residual = fmax(to->residual, fabs(left[i]));
  return true;
}

static bool open_search(search *e, carom_sim *sim, carom_error *error) {
  if (!statics_open(&e->s, sim, false, error)) return false;
  statics *s = &e->s;
  s->by_turning = !s->friction;                                                // which sticks on the way of the masses
  const double extent = sim->contacts->element_count ? 0 : statics_extent(s);  // nothing is in the way of long steps
  for (int i = 0; i < s->n; i++)
    if (statics_speed_slides(s->m, s->speed[i]) && s->scale[i] == s->m->length)  // no mode of a flexible body
      s->scale[i] = fmax(s->scale[i], extent);
  arena *a = &s->memory;
  const int all = s->n + s->states;
  e->limit = s->friction ? LIMIT_FRICTION : LIMIT, e->near = 2 * LIMIT * s->m->length;
  balance_open(&e->b, s);
  e->r = ARENA_ARRAY(a, double, s->row_room + 1);
  e->by_slot = ARENA_ARRAY(a, double, sim->contacts->point_slots *BLOCK_ROWS_MAX + 1);
  e->q = ARENA_ARRAY(a, double, s->m->nq + 1), e->z = ARENA_ARRAY(a, double, s->states + 1);
  e->force = ARENA_ARRAY(a, double, all + 1), e->rates = ARENA_ARRAY(a, double, s->states + 1);
  e->mark = arena_get_mark(a);
  return true;
}

// The sim starts anew at the equilibrium.
// States may hold what forces alone do not: then the eigenvalues tell what is stable.
static void judge_states(search *e, carom_equilibrium *to) {
  carom_modes *modes = carom_sim_modes_at_rest(e->s.sim, e->s.error);
  to->unstable = to->neutral = 0;
  for (int i = 0; modes && i < carom_modes_count(modes); i++) {
    const carom_mode m = carom_modes_get(modes, i);
    to->neutral += m.omega == 0;
    to->unstable += m.real > 1e-9 * m.omega;
  }
  carom_modes_destroy(modes);
}

static carom_status start_there(search *e) {
  motion *x = e->s.x;
  dynamics_set(e->s.m, x, x->t, e->s.q, e->s.u);
  memcpy(x->inner, e->s.z, (size_t)e->s.states * sizeof *x->inner);
  dynamics_positions_velocities(e->s.m, x);
  return sim_restart(e->s.sim, e->s.error);
}

carom_status carom_sim_equilibrium(carom_sim *sim, carom_equilibrium *result, carom_error *error) {
  carom_error own;
  carom_equilibrium unused;
  error = error_use(error, &own);
  carom_equilibrium *to = result ? result : &unused;
  *to = (carom_equilibrium){0};
  jmp_buf out_of_memory;
  search *e = calloc(1, sizeof *e);
  motion *before = motion_create(&sim->model->m, sim->model->contacts.inner_count, error);
  if (!e || !before || setjmp(out_of_memory)) {
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the statics of %d speeds", sim->model->m.nv);
  } else {
    sim_keep(sim, before);
    e->s.memory = arena_create(&out_of_memory);
    const bool found = open_search(e, sim, error) && iterate(e, to) && judge(e, to);
    if (e->s.m) statics_close(&e->s);
    if (found && start_there(e) == CAROM_OK && e->s.states) judge_states(e, to);
  }
  if (error->status != CAROM_OK && before) sim_go_back(sim, before);
  if (e) arena_free(&e->s.memory);
  free(e);
  motion_destroy(before);
  return error->status;
}
