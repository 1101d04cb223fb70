#include "sim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/number.h"
#include "contact/crowd.h"
#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/force.h"
#include "mechanics/function.h"
#include "mechanics/signal.h"
#include "mechanics/marker.h"
#include "mechanics/tree.h"

// Coarse, since it is read at every step: ticks are milliseconds, but over many steps their differences add up right.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- creation -----------------------------------------------------------------------------------------------------

static energy_balance balance_of(const carom_sim *sim) {
  const mechanism *m = &sim->model->m;
  const double *accounts = sim->type->accounts(sim->scheme);
  bool known = sim->x->level >= LEVEL_REACTION;
  scheme_stats stats = sim->type->stats(sim->scheme);
  return (energy_balance){.kinetic = known ? sim->x->kinetic : tree_kinetic_energy(m, sim->x),
                          .gravity = known ? sim->x->potentials[POTENTIAL_GRAVITY] : tree_gravity_energy(m, sim->x),
                          .spring = sim->x->potentials[POTENTIAL_SPRING],
                          .contact = sim->x->potentials[POTENTIAL_CONTACT], .drive = accounts[POWER_DRIVE],
                          .applied = accounts[POWER_APPLIED], .damper = accounts[POWER_DAMPER],
                          .impact = sim->impacts.loss_normal, .friction = sim->impacts.loss_tangential,
                          .projection = stats.projection_energy, .overlap = stats.overlap_energy};
}

static energy_size size_of(const carom_model *model, const motion *x) {
  const mechanism *m = &model->m;
  double mass = 0;
  for (int i = 1; i < m->node_count; i++) mass += m->nodes[i].mass;
  bool controls_error = model->scheme->about->integrates && model->integrator.type != CAROM_RK4;
  return (energy_size){.gravity = tree_gravity_size(m, x), .inertia = mass * m->length * m->length,
                       .stiffness = forces_stiffness(m), .resolution = controls_error ? model->integrator.atol : 0};
}

static void name_points(carom_sim *sim, const contact_state *c) {
  for (int i = 0; i < c->element_count; i++) scheme_name_points(c, &sim->model->m, c->elements[i], &sim->impacts);
}

// What is near a new start. Pairs that come and go have other slots then, so that their episodes end; permanent ones go on.
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

// Starts a new scheme at a state. The old one is kept when no other can be started, but the motion may then hold anything.
static bool start(carom_sim *sim, const scheme_start *from, carom_error *error) {
  const carom_model *model = sim->model;
  void *old = sim->scheme;
  if (!old) sim->impacts.started = from->t, sim->impacts.still = contact_still(&model->m, 0);
  contact_state *contacts = begin_contacts(sim, error);
  if (!contacts) return false;
  const problem_dump dump = sim->dump;
  const scheme_contact_options given = model_contact_options(model);
  sim->dump = (problem_dump){.path = given.dump, .every = given.dump_every};
  scheme_setup setup = {.method = sim->type->name, .m = &model->m, .x = sim->x, .contacts = contacts, .impacts = &sim->impacts,
                        .options = &model->options, .integrator = &model->integrator, .dump = given.dump ? &sim->dump : NULL,
                        .stop = &sim->stop, .crew = &sim->crew};
  sim->x->accepted_t = NAN;   // turns of the new start are those of joint_q
  void *scheme = sim->type->create(&setup, from, error);
  if (!scheme) return end_start(sim, contacts, &dump);
  sim->scheme = scheme;
  dynamics_set(&model->m, sim->x, from->t, from->q, from->u);
  sim->evaluated = false;
  int since_booked = sim->since_booked, since_regular = sim->regular.since_booked;
  sim->since_booked = sim->regular.since_booked = 0;  // nothing of the start is to be booked on the way
  if (!sim_evaluate(sim, error)) {
    char why[256];
    dynamics_explain(&model->m, sim->x, why, sizeof why);
    error_set(error, CAROM_ERROR_SINGULAR, "there is no motion from the start: %s", why);
    sim->since_booked = since_booked, sim->regular.since_booked = since_regular;
    sim->type->destroy(scheme);
    sim->scheme = old;
    return end_start(sim, contacts, &dump);
  }
  sim->type->destroy(old);
  contact_state_destroy(sim->contacts);
  sim->contacts = contacts;
  energy_balance b = balance_of(sim);
  energy_open(&sim->ledger, &b, old ? sim->ledger.size : size_of(model, sim->x));
  sim->regular.largest = sim->ledger.largest, sim->regular.worst = sim->ledger.worst;
  sim->booked_t = sim->x->t;
  coordinate_accept(&model->m, sim->x);
  return true;
}

carom_sim *sim_create(const carom_model *model, bool (*go_on)(void *context), void *context, carom_error *error) {
  carom_sim *sim = calloc(1, sizeof *sim);
  if (sim) {
    sim->model = model;
    sim->stop = (interrupt){.go_on = go_on, .context = context};
    sim->type = model->scheme;
    sim->row = calloc((size_t)sim_signal_count(model), sizeof *sim->row);
    sim->slots = calloc((size_t)sim_signal_count(model), sizeof *sim->slots);
    sim->starts = calloc((size_t)model->m.joint_count + 1, sizeof *sim->starts);
    sim->callbacks = calloc((size_t)model->m.callback_count + 1, sizeof *sim->callbacks);
    sim->bindings = calloc((size_t)model->m.callback_count + 1, sizeof *sim->bindings);
    sim->counts_turns = coordinate_counts_turns(&model->m);
  }
  if (!sim || !sim->row || !sim->slots || !sim->starts || !sim->callbacks || !sim->bindings) {
    carom_sim_destroy(sim);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for a simulation");
    return NULL;
  }
  sim->x = motion_create(&model->m, model->contacts.inner_count, error);
  if (sim->x) sim->x->bindings = sim->bindings;
  if (sim->x) sim->x->stop = &sim->stop, sim->x->crew = &sim->crew, memcpy(sim->x->joint_q, model->m.joint_q0, (size_t)model->m.joint_nq * sizeof(double));
  for (int i = 0; sim->x && i < model->m.state_count; i++) sim->x->inner[i] = model->m.states[i].initial;
  scheme_start from = {.q = model->m.q0, .u = model->m.u0};
  if (!sim->x || !start(sim, &from, error)) {
    carom_sim_destroy(sim);
    return NULL;
  }
  return sim;
}

carom_sim *carom_sim_create(const carom_model *model, carom_error *error) {
  error_clear(error);
  return sim_create(model, NULL, NULL, error);
}

carom_status carom_sim_set_threads(carom_sim *sim, int threads, carom_error *error) {
  error_clear(error);
  if (threads < 1 || threads > CREW_MOST)
    return error_set(error, CAROM_ERROR_USAGE, "a simulation has 1 to %d threads, not %d", CREW_MOST, threads);
  if (crew_set(&sim->crew, threads)) return CAROM_OK;
  return error_set(error, CAROM_ERROR_MEMORY, "only %d of %d threads could be started", crew_count(&sim->crew), threads);
}

void carom_sim_set_interrupt(carom_sim *sim, bool (*go_on)(void *context), void *context) {
  sim->stop = (interrupt){.go_on = go_on, .context = context};
}

void carom_sim_destroy(carom_sim *sim) {
  if (!sim) return;
  sim->type->destroy(sim->scheme);
  motion_destroy(sim->x);
  contact_state_destroy(sim->contacts);
  impact_free(&sim->impacts);
  for (int i = 0; sim->starts && i <= sim->model->m.joint_count; i++) free(sim->starts[i].message);
  free(sim->starts);
  free(sim->callbacks);
  free(sim->bindings);
  free(sim->callback_memory);
  free(sim->row);
  free(sim->slots);
  crew_end(&sim->crew);
  free(sim);
}

// --- the loop -----------------------------------------------------------------------------------------------------

// The ledger looks at every state that is recorded or asked for. In between it looks at the first 256 steps, so that what it
// finds in a run of few long steps does not depend on the rows, then at every thirty-second: looking costs about as much as
// a step of a fixed-step scheme.
enum { BOOK_FIRST = 256 };

static bool is_due(carom_sim *sim) {
  sim->since_booked++;
  return ++sim->regular.since_booked >= BOOK_EVERY || sim->regular.bookings < BOOK_FIRST;
}

// The first is the one to look at: what comes after follows from it.
void sim_note_non_finite(carom_sim *sim, const char *column, double t) {
  if (sim->non_finite.count++ == 0) sim->non_finite.column = column, sim->non_finite.t = t;
}

void sim_check_row(carom_sim *sim, const double *row) {
  if (number_all_finite(row, (size_t)sim_signal_count(sim->model))) return;
  int i = 0;
  while (isfinite(row[i])) i++;
  sim_note_non_finite(sim, carom_model_signal_name(sim->model, i), sim->x->t);
}

bool sim_has_booked(const carom_sim *sim) { return !sim->since_booked; }

bool sim_is_finite(const carom_sim *sim) { return motion_is_finite(sim->x) && isfinite(energy_imbalance(&sim->ledger)); }

static void keep_regular(carom_sim *sim) {
  energy_ledger l = sim->ledger;
  l.largest = sim->regular.largest, l.worst = sim->regular.worst;
  energy_update(&l, &sim->ledger.now);
  sim->regular.largest = l.largest, sim->regular.worst = l.worst;
  sim->regular.bookings++;
  sim->regular.since_booked = 0;
}

static void book(carom_sim *sim, bool regular) {
  const mechanism *m = &sim->model->m;
  dynamics_positions_velocities(m, sim->x);
  coordinate_accept(m, sim->x);
  sim->since_booked = 0;
  sim->booked_t = sim->x->t;
  if (sim->x->level < LEVEL_ACCELERATION) dynamics_apply_forces(m, sim->x);
  energy_balance b = balance_of(sim);
  energy_update(&sim->ledger, &b);
  if (regular) keep_regular(sim);
  if (!isfinite(energy_imbalance(&sim->ledger)) && !sim->energy_lost) sim->energy_lost = true, sim->energy_lost_t = sim->x->t;
}

// Which states are looked at must not depend on what is read. Where the scheme looks at every step there is nothing to do.
static void look_at_constraints(carom_sim *sim, bool at_stop) {
  const mechanism *m = &sim->model->m;
  if (!m->row_count || sim->type->tracks_constraints) return;
  bool regular = ++sim->since_checked >= BOOK_EVERY;
  if (!regular && !at_stop) return;
  dynamics_positions_velocities(m, sim->x);
  double violation = constraints_violation(m, sim->x);
  sim->violation = number_larger(sim->violation, violation);
  if (!regular) return;
  sim->regular.violation = number_larger(sim->regular.violation, violation);
  sim->since_checked = 0;
}

static double violation_of(const carom_sim *sim) {
  return number_larger(sim->violation, sim->type->stats(sim->scheme).violation);
}

// Turns of joints that close loops are counted while they still can be told.
static bool may_have_turned(const carom_sim *sim) {
  return sim->counts_turns && coordinate_is_far(&sim->model->m, sim->x);
}

static carom_status fail_interrupted(const carom_sim *sim, carom_error *error) {
  error_clear(error);
  return error_set(error, CAROM_INTERRUPTED, "interrupted at t = %g s", carom_sim_time(sim));
}

static carom_status check_bound(const carom_sim *sim, carom_error *error) {
  const mechanism *m = &sim->model->m;
  for (int i = 0; i < m->callback_count; i++)
    if (!sim->bindings[i].call)
      return error_set(error, CAROM_ERROR_USAGE, "callback '%s' is not bound: a program that runs this model binds a function to it with carom_sim_bind",
                       m->callbacks[i].name);
  return CAROM_OK;
}

static carom_status fail_callback(carom_sim *sim, carom_error *error) {
  const char *name = sim->model->m.callbacks[sim->x->bad_callback - 1].name;
  sim->type->show_end(sim->scheme);
  error_clear(error);
  return error_set(error, CAROM_ERROR_INTEGRATOR, "callback '%s' has failed near t = %g s: it returned false, or an output that is not finite", name,
                   carom_sim_time(sim));
}

// Back to the last state that the scheme can go on from. Whatever an interrupted step failed with, it was interrupted.
static carom_status end_failed_step(carom_sim *sim, carom_status status, carom_error *error) {
  sim->type->show_end(sim->scheme);
  return sim->stop.raised ? fail_interrupted(sim, error) : status;
}

carom_status sim_take_step(carom_sim *sim, double t_stop, carom_error *error) {
  if (interrupted(&sim->stop)) return fail_interrupted(sim, error);
  if (sim->model->m.callback_count && check_bound(sim, error) != CAROM_OK) return CAROM_ERROR_USAGE;
  sim->x->bad_callback = 0;
  carom_status status = sim->type->step(sim->scheme, t_stop, error);
  if (status == CAROM_OK && sim->dump.error.status != CAROM_OK)
    status = error_set(error, sim->dump.error.status, "%s", sim->dump.error.message);
  if (sim->impacts.parted_count) impact_end_step(&sim->impacts);
  sim->evaluated = false;
  sim->step_ends.known = false;
  if (status != CAROM_OK && sim->x->bad_callback) return fail_callback(sim, error);
  if (status != CAROM_OK) return end_failed_step(sim, status, error);
  look_at_constraints(sim, sim->x->t >= t_stop);
  bool due = is_due(sim);
  if (due || sim->x->t >= t_stop || may_have_turned(sim)) book(sim, due);
  return CAROM_OK;
}

static carom_status check_goal(const carom_sim *sim, double t, carom_error *error) {
  double at = carom_sim_time(sim);
  if (isfinite(t) && t >= at) return CAROM_OK;
  return error_set(error, CAROM_ERROR_USAGE, "cannot step to t = %g s: the time must be finite and not before now (%.10g s)", t,
                   at);
}

carom_status carom_sim_step(carom_sim *sim, double t_stop, carom_error *error) {
  double began = now();
  error_clear(error);
  carom_status status = check_goal(sim, t_stop, error);
  if (status != CAROM_OK || t_stop == carom_sim_time(sim)) return status;
  status = sim_take_step(sim, t_stop, error);
  sim->wall_s += now() - began;
  return status;
}

// At the pace of the last steps the end is 1e16 steps away, centuries at the speed of the fastest models.
carom_status sim_check_progress(const carom_sim *sim, sim_pace *pace, double t_end, carom_error *error) {
  enum { WINDOW = 100000 };
  static const double LEAST = 1e-11;
  if (++pace->steps < WINDOW) return CAROM_OK;
  double from = pace->t, t = carom_sim_time(sim);
  *pace = (sim_pace){.t = t};
  if (t - from >= LEAST * (t_end - from)) return CAROM_OK;
  return error_set(error, CAROM_ERROR_INTEGRATOR,
                   "no progress: the last %d steps went from t = %.10g s to %.10g s, %.3g s each, and %.3g s are left; look for a "
                   "step, a stiffness or a speed of the wrong size", WINDOW, from, t, (t - from) / WINDOW, t_end - t);
}

carom_status carom_sim_advance(carom_sim *sim, double t_end, carom_error *error) {
  double began = now();
  error_clear(error);
  sim_pace pace = {.t = carom_sim_time(sim)};
  carom_status status = check_goal(sim, t_end, error);
  while (status == CAROM_OK && carom_sim_time(sim) < t_end) {
    status = sim_take_step(sim, t_end, error);
    if (status == CAROM_OK) status = sim_check_progress(sim, &pace, t_end, error);
  }
  sim->wall_s += now() - began;
  return status;
}

double carom_sim_time(const carom_sim *sim) { return sim->x->t; }

static double imbalance_here(carom_sim *sim) {
  const mechanism *m = &sim->model->m;
  energy_ledger l = sim->ledger;
  dynamics_positions_velocities(m, sim->x);
  if (sim->x->level < LEVEL_ACCELERATION) dynamics_apply_forces(m, sim->x);
  l.now = balance_of(sim);
  return energy_imbalance(&l);
}

// Within a step of a time stepper positions move while the velocity waits for its jump: energies of such a state do not balance, by the
// work of the forces in half a step. What is known of the error is that at the ends.
static carom_status look_at_ends(carom_sim *sim, carom_error *error) {
  sim_step_ends *ends = &sim->step_ends;
  double began = sim->type->began(sim->scheme);
  if (ends->known && ends->t[0] == began && ends->t[1] == sim->type->time(sim->scheme)) return CAROM_OK;
  carom_status status = sim->type->show(sim->scheme, began, error);
  if (status != CAROM_OK) return status;
  *ends = (sim_step_ends){.t = {began, sim->type->time(sim->scheme)}};
  ends->imbalance[0] = imbalance_here(sim);
  sim->type->show_end(sim->scheme);
  ends->imbalance[1] = imbalance_here(sim);
  ends->known = true;
  return CAROM_OK;
}

carom_status sim_show(carom_sim *sim, double t, carom_error *error) {
  bool within = sim->type->began && t > sim->type->began(sim->scheme) && t < sim->type->time(sim->scheme);
  carom_status status = within ? look_at_ends(sim, error) : CAROM_OK;
  if (status == CAROM_OK) status = sim->type->show(sim->scheme, t, error);
  sim->evaluated = false;
  return status;
}

void sim_show_end(carom_sim *sim) {
  if (sim->x->t == sim->type->time(sim->scheme)) return;
  sim->type->show_end(sim->scheme);
  sim->evaluated = false;
}

void sim_close_episodes(carom_sim *sim) {
  CONTACT_EACH_POINT(sim->contacts, p) impact_separate(&sim->impacts, p);
  impact_end_step(&sim->impacts);
  for (int i = 0; i < sim->contacts->element_count; i++)
    impact_close_regime(&sim->impacts, sim->contacts->elements[i]->slot, sim->type->time(sim->scheme));
}

// --- reading ------------------------------------------------------------------------------------------------------

bool sim_evaluate(carom_sim *sim, carom_error *error) {
  if (sim->evaluated) return true;
  if (!sim->type->result(sim->scheme, error)) return false;
  sim->evaluated = true;
  bool regular = sim->regular.since_booked && !sim->ends;
  if ((sim->since_booked || regular) && sim->x->t == sim->type->time(sim->scheme)) book(sim, regular);
  return true;
}

int sim_signal_count(const carom_model *model) {
  return model_signal_first(model, SIGNAL_SECTIONS);
}

// Of a contact, where it is belongs to the instant, what acts there to the step.
static bool contact_signal_is_of_step(int k) {
  return k != CONTACT_GAP && k != CONTACT_X && k != CONTACT_Y && k != CONTACT_Z && k != CONTACT_AT_X && k != CONTACT_AT_Y &&
         k != CONTACT_AT_Z;
}

// An output is a mean as soon as one of the signals that it is made of is one.
static bool output_is_mean(const carom_model *model, const function *f) {
  for (int i = 1; f->e && i < f->slot_count; i++)
    if (sim_signal_is_mean(model, f->signals[i])) return true;
  return false;
}

bool sim_signal_is_mean(const carom_model *model, int i) {
  if (!model->scheme->gives_means) return false;
  signal_place at = model_signal_place(model, i);
  switch (at.section) {
    case SIGNALS_OF_MECHANISM: return model->m.signals[at.index].of_step;
    case SIGNALS_OF_ENERGY: return false;
    case SIGNALS_OF_CONTACTS: return contact_signal_is_of_step(at.kind);
    default: return output_is_mean(model, &model->outputs[at.index].f);
  }
}

static double imbalance_of(const carom_sim *sim, const energy_ledger *l) {
  const sim_step_ends *ends = &sim->step_ends;
  double t = sim->x->t;
  if (!ends->known || ends->t[1] != sim->type->time(sim->scheme) || !(t > ends->t[0] && t < ends->t[1])) return energy_imbalance(l);
  return ends->imbalance[0] + (ends->imbalance[1] - ends->imbalance[0]) * (t - ends->t[0]) / (ends->t[1] - ends->t[0]);
}

static void read_energies(const carom_sim *sim, double out[ENERGY_SIGNALS]) {
  energy_ledger l = sim->ledger;
  if (sim->since_booked || sim->x->t != sim->booked_t) l.now = balance_of(sim);
  out[ENERGY_CONTACT] = l.now.contact;
  out[ENERGY_DRIVE] = l.now.drive, out[ENERGY_APPLIED] = l.now.applied, out[ENERGY_DAMPER] = l.now.damper;
  out[ENERGY_IMPACT] = l.now.impact, out[ENERGY_FRICTION] = l.now.friction;
  out[ENERGY_PROJECTION] = l.now.projection, out[ENERGY_OVERLAP] = l.now.overlap, out[ENERGY_IMBALANCE] = imbalance_of(sim, &l);
}

static double energy_signal(const carom_sim *sim, int k) {
  double all[ENERGY_SIGNALS];
  read_energies(sim, all);
  return all[k];
}

// Where the resultant of an element's forces acts in the world, and which one on the body that the model names first: the mean of its
// points, weighted by their normal forces.
static void contact_resultant(const carom_sim *sim, const contact_element *e, const scheme_contact *points, double *out) {
  vec3 at = {0, 0, 0}, force = {0, 0, 0};
  double weights = 0;
  bool active = false, slides = false;
  for (int i = 0; i < e->point_count; i++) {
    const contact_point *p = points[i].point;
    if (!points[i].active || !p) continue;
    active = true;
    slides |= points[i].slides;
    double weight = fmax(points[i].normal_force, DBL_MIN);
    weights += weight;
    at = vec3_axpy(at, weight, p->at);
    force = vec3_axpy(force, points[i].normal_force, p->n);
    for (int k = 0; k < 2; k++) force = vec3_axpy(force, points[i].tangential_force[k], p->t[k]);
  }
  if (active) at = vec3_scale(1 / weights, at);
  if (e->told_backwards) force = vec3_sub(VEC3_ZERO, force);  // no -0
  out[CONTACT_SLIP] = active + slides;
  out[CONTACT_AT_X] = at.x, out[CONTACT_AT_Y] = at.y;
  out[CONTACT_FORCE_X] = force.x, out[CONTACT_FORCE_Y] = force.y;
  if (!sim->model->m.planar) out[CONTACT_AT_Z] = at.z, out[CONTACT_FORCE_Z] = force.z;
}

// Of an element in the last step: the smallest gap, the sums of forces, its mode, for a joint with clearance where the
// second marker is in the first's axes, and the resultant.
static void read_contact(const carom_sim *sim, const contact_element *e, double *out) {
  const scheme_contact *points = sim->type->contacts ? sim->type->contacts(sim->scheme) + e->point0 : NULL;
  int first = e->told_backwards ? e->second : e->first, second = e->told_backwards ? e->first : e->second;
  marker_state a = marker_read(&sim->model->m, sim->x, first), b = marker_read(&sim->model->m, sim->x, second);
  vec3 d = mat3_tmul(a.R, vec3_sub(b.p, a.p));
  memset(out, 0, (size_t)sim->model->contact_signals * sizeof *out);
  out[CONTACT_X] = d.x, out[CONTACT_Y] = d.y;
  if (!sim->model->m.planar) out[CONTACT_Z] = d.z;
  if (!points) return;
  double gap = points[0].gap, fn = 0, ft[2] = {0, 0};
  bool active[CONTACT_POINTS_MAX] = {false}, any = false, lasts = false;
  for (int i = 0; i < e->point_count; i++) {
    gap = number_smaller(gap, points[i].gap);
    fn += points[i].normal_force;
    ft[0] += points[i].tangential_force[0], ft[1] += points[i].tangential_force[1];
    any |= active[i] = points[i].active;
    lasts |= points[i].lasts;
  }
  out[CONTACT_GAP] = gap, out[CONTACT_FN] = fn;
  out[CONTACT_FT] = sim->model->m.planar ? ft[0] : hypot(ft[0], ft[1]);
  out[CONTACT_MODE] = e->type->mode ? e->type->mode(e, active) : any;
  if (e->type->tells_following && out[CONTACT_MODE] == 1 && lasts) out[CONTACT_MODE] = 2;
  contact_resultant(sim, e, points, out);
}

static double contact_signal(const carom_sim *sim, signal_place at) {
  double all[CONTACT_SIGNALS];
  read_contact(sim, &sim->model->contacts.elements[at.element], all);
  return all[at.kind];
}

// Any but an output.
static double read_signal(const carom_sim *sim, int i) {
  signal_place at = model_signal_place(sim->model, i);
  if (at.section == SIGNALS_OF_MECHANISM) return signal_read(&sim->model->m, sim->x, at.index);
  return at.section == SIGNALS_OF_ENERGY ? energy_signal(sim, at.index) : contact_signal(sim, at);
}

// From a row of all signals before it, or where there is none from those it names.
static double output_signal(carom_sim *sim, int k, const double *row) {
  const function *f = &sim->model->outputs[k].f;
  if (!f->e) return function_value(&sim->model->m, sim->x, f);
  sim->slots[0] = sim->x->t;
  for (int i = 1; i < f->slot_count; i++) sim->slots[i] = row ? row[f->signals[i]] : read_signal(sim, f->signals[i]);
  return expr_value(f->e, sim->slots);
}

double carom_sim_read(carom_sim *sim, int signal_index) {
  int count = sim_signal_count(sim->model), first_output = model_signal_first(sim->model, SIGNALS_OF_OUTPUTS);
  if (signal_index < 0 || signal_index >= count || !sim_evaluate(sim, NULL)) return NAN;
  return signal_index < first_output ? read_signal(sim, signal_index) : output_signal(sim, signal_index - first_output, NULL);
}

// What acts at this instant cannot be found: a force is not a number, a mechanism is locked. Where the bodies are is known all the same.
static void read_without_result(carom_sim *sim) {
  const carom_model *model = sim->model;
  for (int i = 0; i < sim_signal_count(model); i++) sim->row[i] = NAN;
  dynamics_positions_velocities(&model->m, sim->x);
  coordinate_update(&model->m, sim->x);
  for (int i = 0; i < model->m.signal_count; i++)
    if (!model->m.signals[i].of_step) sim->row[i] = signal_read(&model->m, sim->x, i);
  sim->row[0] = sim->x->t;
}

const double *sim_read_all(carom_sim *sim) {
  const carom_model *model = sim->model;
  if (!sim_evaluate(sim, NULL)) {
    read_without_result(sim);
    return sim->row;
  }
  signal_read_all(&model->m, sim->x, sim->row);
  read_energies(sim, sim->row + model_signal_first(model, SIGNALS_OF_ENERGY));
  double *contacts = sim->row + model_signal_first(model, SIGNALS_OF_CONTACTS);
  for (int i = 0; i < model->contacts.element_count; i++, contacts += model->contact_signals)
    read_contact(sim, &model->contacts.elements[i], contacts);
  double *outputs = sim->row + model_signal_first(model, SIGNALS_OF_OUTPUTS);
  for (int k = 0; k < model->output_count; k++) outputs[k] = output_signal(sim, k, sim->row);
  return sim->row;
}

const double *carom_sim_accelerations(carom_sim *sim) { return sim_evaluate(sim, NULL) ? sim->x->result.udot : NULL; }

static energy_limits balance_limits(const carom_sim *sim) {
  energy_limits l = sim->type->energy;
  double least = l.tolerances * sim->model->integrator.rtol;
  return (energy_limits){.warn = fmax(l.warn, least), .bad = fmax(l.bad, least)};
}

// The first contact that a step has missed.
static void tell_missed(const carom_sim *sim, const scheme_stats *stats, carom_summary *s) {
  const contact_world *w = &sim->model->contacts;
  contact_missed first = stats->trouble.leaps ? stats->trouble.missed : stats->missed_at_end;
  if (!s->step_too_large) return;
  bool listed = first.key[1] < 0, known = first.key[0] >= 0 && (listed ? first.key[0] < w->element_count : first.key[0] < first.key[1] && first.key[1] < w->surface_count);
  if (!known) return;  // of a damaged checkpoint
  contact_element pair = {.surface = {first.key[0], first.key[1]}};
  char text[CONTACT_NAME];
  snprintf(s->missed_contact, sizeof s->missed_contact, "%s", contact_name(w, listed ? &w->elements[first.key[0]] : &pair, text));
  s->missed_t = first.t;
}

// The pair that crept most.
static void tell_creep(const carom_sim *sim, carom_summary *s) {
  const impact_creep *most = &sim->impacts.creep;
  if (!(most->distance > 0)) return;
  char text[CONTACT_NAME];
  s->creeps = 1, s->creep = most->distance, s->creep_v0 = most->still;
  snprintf(s->creep_pair, sizeof s->creep_pair, "%s", contact_pair_name(&sim->model->contacts, most->pair, text));
}

carom_summary carom_sim_summary(const carom_sim *sim) {
  scheme_stats stats = sim->type->stats(sim->scheme);
  energy_limits limits = balance_limits(sim);
  carom_summary s = {.t = sim->type->time(sim->scheme), .steps = stats.steps, .rejected = stats.rejected,
                     .evaluations = stats.evaluations, .wall_s = sim->wall_s,
                     .energy_imbalance = energy_relative_imbalance(&sim->ledger, sim->type->time(sim->scheme)), .energy_warn = limits.warn, .energy_limit = limits.bad,
                     .constraint_violation = violation_of(sim), .restarts = sim->restarts,
                     .projection_failures = stats.projection_failures,
                     .contact_episodes = sim->impacts.episodes, .contact_impacts = sim->impacts.impacts,
                     .worst_initial_penetration = number_larger(sim->impacts.worst_penetration, stats.entered_at_end),
                     .deepest_penetration = number_larger(sim->impacts.deepest, stats.deepest_at_end),
                     .penetration_bound = model_contact_options(sim->model).penetration_max,
                     .too_deep = stats.trouble.too_deep,
                     .step_too_large = stats.trouble.leaps + stats.leaps_at_end, .inconsistent = stats.trouble.inconsistent,
                     .indeterminate = stats.trouble.indeterminate, .energy_gains = stats.trouble.gains,
                     .energy_gained = stats.trouble.gained, .energy_gained_t = stats.trouble.gained_at, .accumulations = stats.trouble.accumulations,
                     .accumulation_error = stats.trouble.accumulation_error,
                     .friction_unsettled = stats.trouble.friction_unsettled, .unsettled = stats.trouble.unsettled,
                     .other_restitution = sim->model->restitution.count,
                     .conformal = sim->model->conformal.count, .curvature = stats.trouble.curvature,
                     .no_contact = sim->model->no_contact.count, .non_finite = sim->non_finite.count,
                     .non_finite_column = sim->non_finite.column, .non_finite_t = sim->non_finite.t,
                     .initial_changes = (sim->model->assembly.moved_joint != NULL) +
                                        (sim->model->assembly.changed_joint || sim->model->assembly.changed_body)};
  if (sim->energy_lost && (!s.non_finite || sim->energy_lost_t < s.non_finite_t)) {  // before any row that was looked at
    s.non_finite++, s.non_finite_t = sim->energy_lost_t;
    s.non_finite_column = carom_model_signal_name(sim->model, model_signal_first(sim->model, SIGNALS_OF_ENERGY) + ENERGY_IMBALANCE);
  }
  tell_missed(sim, &stats, &s);
  s.unbalanced = !(s.energy_imbalance <= s.energy_warn);
  s.steps_per_s = sim->wall_s > 0 ? (double)(stats.steps - sim->steps_before) / sim->wall_s : 0;
  tell_creep(sim, &s);
  if (stats.solves) {
    s.solves = stats.solves->problems, s.unsolved = stats.solves->unsolved;
    s.impossible = stats.solves->impossible, s.iterations = stats.solves->iterations;
    s.worst_residual = stats.solves->worst_residual;
    s.worst_residual_mixed = stats.solves->worst_residual_mixed;
    for (int i = 0; i < stats.solves->stage_count; i++) {
      s.stages[i].name = stats.solves->stage[i].name;
      s.stages[i].tried = stats.solves->stage[i].tried, s.stages[i].solved = stats.solves->stage[i].solved;
    }
  }
  return s;
}

// --- other starts -------------------------------------------------------------------------------------------------

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
static carom_status close_around(const mechanism *m, motion *x, int held, bool hold_q, bool hold_u, carom_error *error) {
  int free_count = m->nodes[held].free_count;
  node *nodes = malloc((size_t)m->node_count * sizeof *nodes);
  if (!nodes) return error_set(error, CAROM_ERROR_MEMORY, "out of memory to close the loops again");
  memcpy(nodes, m->nodes, (size_t)m->node_count * sizeof *nodes);
  mechanism around = *m;
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

// Puts a sim that was under way back as it was: the scheme that failed may have taken over the forces of contact.
static void go_back(carom_sim *sim, const motion *before) {
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
  bool started = start(sim, &from, error);
  if (!started) go_back(sim, before);
  motion_destroy(before);
  return started ? CAROM_OK : error->status;
}

static carom_status restart_here(carom_sim *sim, carom_error *error) {
  motion *now = motion_create(&sim->model->m, sim->model->contacts.inner_count, error);
  if (!now) return CAROM_ERROR_MEMORY;
  motion_copy(now, sim->x);
  carom_status status = start_from(sim, now, error);
  motion_destroy(now);
  return status;
}

static carom_status check_callback(const carom_callback *bound, const char *name, bool at_rate, carom_error *error) {
  if (!bound->call) return error_set(error, CAROM_ERROR_USAGE, "callback '%s' was given no function", name);
  if (bound->memory_count < 0 || (bound->memory_count > 0) != (bound->save && bound->restore))
    return error_set(error, CAROM_ERROR_USAGE, "callback '%s': its memory needs both save and restore, and the number of its numbers", name);
  if (!at_rate && (bound->remembers || bound->memory_count))
    return error_set(error, CAROM_ERROR_USAGE, "callback '%s' is called at each evaluation and so cannot remember; give it 'every' in the model, or use states", name);
  return CAROM_OK;
}

carom_status carom_sim_bind(carom_sim *sim, const char *name, const carom_callback *bound, carom_error *error) {
  const mechanism *m = &sim->model->m;
  carom_error own = {0};
  if (!error) error = &own;
  error_clear(error);
  int i = 0;
  while (i < m->callback_count && strcmp(m->callbacks[i].name, name) != 0) i++;
  if (i == m->callback_count) return error_set(error, CAROM_ERROR_USAGE, "the model has no callback '%s'", name);
  carom_status status = check_callback(bound, name, m->callbacks[i].every > 0, error);
  if (status != CAROM_OK) return status;
  int most = bound->memory_count;
  for (int k = 0; k < m->callback_count; k++) most = sim->callbacks[k].memory_count > most ? sim->callbacks[k].memory_count : most;
  double *memory = realloc(sim->callback_memory, ((size_t)most + 1) * sizeof *memory);
  if (!memory) return error_set(error, CAROM_ERROR_MEMORY, "out of memory for callback '%s'", name);
  sim->callback_memory = memory;
  callback_binding before = sim->bindings[i];
  sim_show_end(sim);
  sim->bindings[i] = (callback_binding){bound->call, bound->context};
  sim->x->bad_callback = 0;
  status = restart_here(sim, error);
  if (status == CAROM_OK) sim->callbacks[i] = *bound;
  else sim->bindings[i] = before;
  return status;
}

carom_status sim_check_memory(const carom_sim *sim, carom_error *error) {
  const mechanism *m = &sim->model->m;
  carom_status status = check_bound(sim, error);
  for (int i = 0; status == CAROM_OK && i < m->callback_count; i++)
    if (sim->callbacks[i].remembers && !sim->callbacks[i].memory_count)
      status = error_set(error, CAROM_ERROR_USAGE, "callback '%s' remembers what nobody can save: give it save and restore, or use states of the model",
                         m->callbacks[i].name);
  return status;
}

carom_status carom_sim_set_state(carom_sim *sim, const char *name, double value, carom_error *error) {
  const mechanism *m = &sim->model->m;
  carom_error own = {0};
  if (!error) error = &own;
  error_clear(error);
  int i = 0;
  while (i < m->state_count && !(m->states[i].name && strcmp(m->states[i].name, name) == 0)) i++;
  if (i == m->state_count) return error_set(error, CAROM_ERROR_USAGE, "there is no state '%s'", name);
  if (!(value >= m->states[i].low && value <= m->states[i].high) || !isfinite(value))
    return error_set(error, CAROM_ERROR_USAGE, "state '%s' was given %g, which is beyond its limits or not finite", name, value);
  sim_show_end(sim);
  double before = sim->x->inner[i];
  sim->x->inner[i] = value;
  carom_status status = restart_here(sim, error);
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
    return error_set(error, CAROM_ERROR_USAGE, "joint '%s' closes a loop and follows from the other joints of the loop; set those", name);
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

carom_status carom_sim_set_joint(carom_sim *sim, const char *name, const double *q, const double *u, carom_error *error) {
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
    if (first) snprintf(others + used, sizeof others - used, " '%s'", i < m->joint_count ? m->joints[i].name : "of an unknown name");
    else first = s;
  }
  if (!first) return CAROM_OK;
  const char *message = first->message ? first->message : carom_status_text(first->status);
  return error_set(error, first->status, others[0] ? "%s; nor could these joints be set:%s" : "%s", message, others);
}
