// Starts a sim at a state: when it is created, and where a program sets joints or states of the model.
#include "sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/force.h"
#include "mechanics/tree.h"

static energy_size size_of(const carom_model *model, const motion *x) {
  const mechanism *m = &model->m;
  double mass = 0;
  for (int i = 1; i < m->node_count; i++) mass += m->nodes[i].mass;
  bool controls_error = model->scheme->about->integrates && model->integrator.type != CAROM_RK4;
  return (energy_size){.gravity = tree_gravity_size(m, x),
                       .inertia = mass * m->length * m->length,
                       .stiffness = forces_stiffness(m),
                       .resolution = controls_error ? model->integrator.atol : 0};
}

static void name_points(carom_sim *sim, const contact_state *c) {
  for (int i = 0; i < c->element_count; i++) scheme_name_points(c, &sim->model->m, c->elements[i], &sim->impacts);
}

// What is near a new start. Pairs that come and go have other slots then, so that their episodes end; permanent ones go
// on.
static contact_state *begin_contacts(carom_sim *sim, carom_error *error) {
  const contact_world *world = &sim->model->contacts;
  contact_state *c = contact_state_create(world, &sim->model->m, error);
  if (c && !impact_reserve(&sim->impacts, c->point_slots, c->element_slots)) {
    contact_state_destroy(c);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the ledger of contacts");
    return NULL;
  }
  for (int i = world->point_count; c && sim->contacts && i < sim->contacts->point_count; i++)
    impact_separate(&sim->impacts, sim->contacts->points[i]);
  impact_end_step(&sim->impacts);
  if (c) name_points(sim, c);
  return c;
}

// Back to what is near in the run under way, if there is one, and to its count of problems. Always false.
static bool end_start(carom_sim *sim, contact_state *contacts, const problem_dump *dump) {
  contact_state_destroy(contacts);
  if (sim->contacts) name_points(sim, sim->contacts);
  sim->dump = *dump;
  return false;
}

bool sim_start(carom_sim *sim, const scheme_start *from, carom_error *error) {
  const carom_model *model = sim->model;
  void *old = sim->scheme;
  if (!old) sim->impacts.started = from->t, sim->impacts.still = contact_still(&model->m, 0);
  contact_state *contacts = begin_contacts(sim, error);
  if (!contacts) return false;
  const problem_dump dump = sim->dump;
  const scheme_contact_options given = model_contact_options(model);
  sim->dump = (problem_dump){.path = given.dump, .every = given.dump_every};
  scheme_setup setup = {.method = sim->type->name,
                        .m = &model->m,
                        .x = sim->x,
                        .contacts = contacts,
                        .impacts = &sim->impacts,
                        .options = &model->options,
                        .integrator = &model->integrator,
                        .dump = given.dump ? &sim->dump : NULL,
                        .stop = &sim->stop,
                        .crew = &sim->crew};
  sim->x->accepted_t = NAN;  // turns of the new start are those of joint_q
  void *scheme = sim->type->create(&setup, from, error);
  if (!scheme) {
    if (sim->x->bad_callback) sim_blame_callback(sim, sim->x->bad_callback, from->t, error);
    return end_start(sim, contacts, &dump);
  }
  sim->scheme = scheme;
  dynamics_set(&model->m, sim->x, from->t, from->q, from->u);
  sim->evaluated = false;
  int since_booked = sim->since_booked, since_regular = sim->regular.since_booked;
  sim->since_booked = sim->regular.since_booked = 0;  // nothing of the start is to be booked on the way
  if (!sim_evaluate(sim, error)) {
    char why[256];
    dynamics_explain(&model->m, sim->x, why, sizeof why);
    if (sim->x->bad_callback) sim_blame_callback(sim, sim->x->bad_callback, from->t, error);
    else error_set(error, CAROM_ERROR_SINGULAR, "there is no motion from the start: %s", why);
    sim->since_booked = since_booked, sim->regular.since_booked = since_regular;
    sim->type->destroy(scheme);
    sim->scheme = old;
    return end_start(sim, contacts, &dump);
  }
  sim->type->destroy(old);
  contact_state_destroy(sim->contacts);
  sim->contacts = contacts;
  energy_balance b = sim_balance(sim);
  energy_open(&sim->ledger, &b, old ? sim->ledger.size : size_of(model, sim->x));
  sim->regular.largest = sim->ledger.largest, sim->regular.worst = sim->ledger.worst;
  sim->booked_t = sim->x->t;
  coordinate_accept(&model->m, sim->x);
  return true;
}

// --- other starts ----------------------------------------------------------------------------------------------------

// A motion of the model in joint coordinates (of the mechanism that it was assembled as) in the sim's present state.
static motion *take_state(const carom_sim *sim, const mechanism *m, carom_error *error) {
  motion *x = motion_create(m, 0, error);
  if (!x) return NULL;
  dynamics_positions_velocities(&sim->model->m, sim->x);
  memcpy(x->joint_q, sim->x->joint_q, (size_t)m->joint_nq * sizeof *x->joint_q);
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    const joint *j = &m->joints[n->joint];
    memcpy(x->q + n->q, sim->x->joint_q + j->q, (size_t)n->nq * sizeof *x->q);
    memcpy(x->u + n->v, sim->x->joint_u + j->v, (size_t)n->nv * sizeof *x->u);
  }
  dynamics_set(m, x, sim->x->t, x->q, x->u);
  return x;
}

// Closes the loops again around a node that stays as it is, as if it were driven.
static carom_status close_around(const mechanism *m, motion *x, int held, bool hold_q, bool hold_u,
                                 carom_error *error) {
  int free_count = m->nodes[held].free_count;
  node *nodes = malloc((size_t)m->node_count * sizeof *nodes);
  if (!nodes) return error_set(error, CAROM_ERROR_MEMORY, "out of memory to close the loops again");
  memcpy(nodes, m->nodes, (size_t)m->node_count * sizeof *nodes);
  mechanism around = *m;
  around.dca = NULL;  // laid out for the speeds that are free in motion
  around.nodes = nodes;
  nodes[held].free_count = hold_q ? 0 : free_count;
  bool closed = dynamics_project_positions(&around, x, 1e-12 * fmax(1, m->length), 50);
  nodes[held].free_count = hold_u ? 0 : free_count;
  closed = closed && dynamics_project_velocities(&around, x);
  free(nodes);
  if (closed) return CAROM_OK;
  return error_set(error, CAROM_ERROR_ASSEMBLY, "the loops do not close with joint '%s' there",
                   m->joints[m->nodes[held].joint].name);
}

// With the scheme that it asks for contact forces.
static void copy_with_forces(motion *to, const motion *from) {
  motion_copy(to, from);
  to->push = from->push, to->push_context = from->push_context;
}

void sim_keep(carom_sim *sim, motion *to) {
  sim_show_end(sim);
  copy_with_forces(to, sim->x);
}

// Puts a sim that was under way back as it was: the scheme that failed may have taken over the forces of contact.
void sim_go_back(carom_sim *sim, const motion *before) {
  copy_with_forces(sim->x, before);
  sim->type->show_end(sim->scheme);
  sim->evaluated = false;
}

static carom_status start_from(carom_sim *sim, const motion *x, carom_error *error) {
  const mechanism *m = &sim->model->m;
  motion *before = motion_create(m, sim->model->contacts.inner_count, error);
  if (!before) return CAROM_ERROR_MEMORY;
  copy_with_forces(before, sim->x);
  memcpy(sim->x->joint_q, x->joint_q, (size_t)m->joint_nq * sizeof *x->joint_q);
  scheme_start from = {.t = x->t, .q = x->q, .u = x->u};
  bool started = sim_start(sim, &from, error);
  if (!started) sim_go_back(sim, before);
  motion_destroy(before);
  return started ? CAROM_OK : error->status;
}

carom_status sim_restart(carom_sim *sim, carom_error *error) {
  motion *now = motion_create(&sim->model->m, sim->model->contacts.inner_count, error);
  if (!now) return CAROM_ERROR_MEMORY;
  motion_copy(now, sim->x);
  carom_status status = start_from(sim, now, error);
  motion_destroy(now);
  return status;
}

carom_status carom_sim_set_state(carom_sim *sim, const char *name, double value, carom_error *error) {
  const mechanism *m = &sim->model->m;
  carom_error own;
  error = error_use(error, &own);
  int i = 0;
  while (i < m->state_count && !(m->states[i].name && strcmp(m->states[i].name, name) == 0)) i++;
  if (i == m->state_count) return error_set(error, CAROM_ERROR_USAGE, "there is no state '%s'", name);
  if (!(value >= m->states[i].low && value <= m->states[i].high) || !isfinite(value))
    return error_set(error, CAROM_ERROR_USAGE, "state '%s' was given %g, which is beyond its limits or not finite",
                     name, value);
  sim_show_end(sim);
  double before = sim->x->inner[i];
  sim->x->inner[i] = value;
  carom_status status = sim_restart(sim, error);
  if (status != CAROM_OK) sim->x->inner[i] = before;
  return status;
}

static carom_status start_as_assembled(carom_sim *sim, motion *from, carom_error *error) {
  motion *x = motion_create(&sim->model->m, 0, error);
  if (!x) return CAROM_ERROR_MEMORY;
  mechanism_carry(&sim->model->m, x, sim->model->assembled, from);
  carom_status status = start_from(sim, x, error);
  motion_destroy(x);
  return status;
}

// The index of a joint; joint_count: there is none of that name.
static int find_joint(const mechanism *m, const char *name) {
  int index = 0;
  while (index < m->joint_count && strcmp(m->joints[index].name, name) != 0) index++;
  return index;
}

static carom_status set_joint(carom_sim *sim, const char *name, const double *q, const double *u, carom_error *error) {
  const carom_model *model = sim->model;
  const mechanism *m = model->assembled ? model->assembled : &model->m;
  int index = find_joint(m, name);
  if (index == m->joint_count) return error_set(error, CAROM_ERROR_USAGE, "there is no joint '%s'", name);
  if (m->joints[index].node < 0)
    return error_set(error, CAROM_ERROR_USAGE,
                     "joint '%s' closes a loop and follows from the other joints of the loop; set those", name);
  const node *n = &m->nodes[m->joints[index].node];
  if (n->free_count < n->nv) return error_set(error, CAROM_ERROR_USAGE, "joint '%s' is driven", name);
  for (int k = 0; k < n->nq; k++)
    if ((q && !isfinite(q[k])) || (u && k < n->nv && !isfinite(u[k])))
      return error_set(error, CAROM_ERROR_USAGE, "joint '%s' was given a value that is not finite", name);

  motion *x = take_state(sim, m, error);
  if (!x) return CAROM_ERROR_MEMORY;
  if (q) memcpy(x->q + n->q, q, (size_t)n->nq * sizeof *q);
  if (u) memcpy(x->u + n->v, u, (size_t)n->nv * sizeof *u);
  dynamics_normalize(m, x->q);
  dynamics_set(m, x, x->t, x->q, x->u);
  carom_status status = close_around(m, x, m->joints[index].node, q, u, error);
  if (status == CAROM_OK) status = model->assembled ? start_as_assembled(sim, x, error) : start_from(sim, x, error);
  motion_destroy(x);
  return status;
}

carom_status carom_sim_set_joint(carom_sim *sim, const char *name, const double *q, const double *u,
                                 carom_error *error) {
  carom_error own = {0};
  joint_start *start = &sim->starts[find_joint(&sim->model->m, name)];
  start->status = set_joint(sim, name, q, u, &own);
  free(start->message);
  start->message = start->status == CAROM_OK ? NULL : strdup(own.message);
  if (error) *error = own;
  return start->status;
}

carom_status sim_check_starts(const carom_sim *sim, carom_error *error) {
  const mechanism *m = &sim->model->m;
  const joint_start *first = NULL;
  char others[256] = "";
  for (int i = 0; i <= m->joint_count; i++) {
    const joint_start *s = &sim->starts[i];
    size_t used = strlen(others);
    if (s->status == CAROM_OK) continue;
    if (first)
      snprintf(others + used, sizeof others - used, " '%s'",
               i < m->joint_count ? m->joints[i].name : "of an unknown name");
    else first = s;
  }
  if (!first) return CAROM_OK;
  const char *message = first->message ? first->message : carom_status_text(first->status);
  return error_set(error, first->status, others[0] ? "%s; nor could these joints be set:%s" : "%s", message, others);
}
