// A sim: creation, the loop over steps, and what the ledger looks at on the way.
#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/number.h"
#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/tree.h"

// Coarse, since it is read at every step: ticks are milliseconds, but over many steps their differences add up right.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- creation --------------------------------------------------------------------------------------------------------

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
    if (model->fastest.omega > 0) sim->deformed = calloc((size_t)model->m.body_count, sizeof *sim->deformed);
  }
  if (!sim || !sim->row || !sim->slots || (model->fastest.omega > 0 && !sim->deformed) || !sim->starts ||
      !sim->callbacks || !sim->bindings) {
    carom_sim_destroy(sim);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for a simulation");
    return NULL;
  }
  sim->x = motion_create(&model->m, model->contacts.inner_count, error);
  if (sim->x) sim->x->bindings = sim->bindings;
  if (sim->x)
    sim->x->stop = &sim->stop, sim->x->crew = &sim->crew,
    memcpy(sim->x->joint_q, model->m.joint_q0, (size_t)model->m.joint_nq * sizeof(double));
  for (int i = 0; sim->x && i < model->m.state_count; i++) sim->x->inner[i] = model->m.states[i].initial;
  scheme_start from = {.q = model->m.q0, .u = model->m.u0};
  if (!sim->x || !sim_start(sim, &from, error)) {
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
  return error_set(error, CAROM_ERROR_MEMORY, "only %d of %d threads could be started", crew_count(&sim->crew),
                   threads);
}

void carom_sim_set_interrupt(carom_sim *sim, bool (*go_on)(void *context), void *context) {
  sim->stop = (interrupt){.go_on = go_on, .context = context};
}

void carom_sim_destroy(carom_sim *sim) {
  if (!sim) return;
  if (sim->recording) carom_sim_end_record(sim, NULL, NULL);
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
  free(sim->deformed);
  crew_end(&sim->crew);
  free(sim);
}

// --- the loop --------------------------------------------------------------------------------------------------------

// The ledger looks at every state that is recorded or asked for. In between it looks at the first 256 steps, so that
// what it finds in a run of few long steps does not depend on the rows, then at every thirty-second: looking costs
// about as much as a step of a fixed-step scheme.
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

bool sim_is_finite(const carom_sim *sim) {
  return motion_is_finite(sim->x) && isfinite(energy_imbalance(&sim->ledger));
}

energy_balance sim_balance(const carom_sim *sim) {
  const mechanism *m = &sim->model->m;
  const double *accounts = sim->type->accounts(sim->scheme);
  bool known = sim->x->level >= LEVEL_REACTION;
  scheme_stats stats = sim->type->stats(sim->scheme);
  return (energy_balance){.kinetic = known ? sim->x->kinetic : tree_kinetic_energy(m, sim->x),
                          .gravity = known ? sim->x->potentials[POTENTIAL_GRAVITY] : tree_gravity_energy(m, sim->x),
                          .spring = sim->x->potentials[POTENTIAL_SPRING],
                          .strain = sim->x->potentials[POTENTIAL_STRAIN],
                          .contact = sim->x->potentials[POTENTIAL_CONTACT],
                          .drive = accounts[POWER_DRIVE],
                          .applied = accounts[POWER_APPLIED],
                          .damper = accounts[POWER_DAMPER],
                          .impact = sim->impacts.loss_normal,
                          .friction = sim->impacts.loss_tangential,
                          .projection = stats.projection_energy,
                          .overlap = stats.overlap_energy};
}

static void keep_regular(carom_sim *sim) {
  energy_raise(&sim->ledger, &sim->regular.largest, &sim->regular.worst);
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
  energy_balance b = sim_balance(sim);
  energy_update(&sim->ledger, &b);
  if (regular) keep_regular(sim);
  if (!isfinite(energy_imbalance(&sim->ledger)) && !sim->energy_lost)
    sim->energy_lost = true, sim->energy_lost_t = sim->x->t;
}

// Which states are looked at must not depend on what is read. Where the scheme looks at every step there is nothing to
// do.
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

static void look_at_deformation(carom_sim *sim) {
  const mechanism *m = &sim->model->m;
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    if (!n->flex) continue;
    const flexible_deformation now = flexible_largest_deformation(n, sim->x->q + n->modal_q);
    flexible_deformation *most = &sim->deformed[n->body];
    most->turn = number_larger(most->turn, now.turn), most->strain = number_larger(most->strain, now.strain);
  }
}

// Turns of joints that close loops are counted while they still can be told.
static bool may_have_turned(const carom_sim *sim) {
  return sim->counts_turns && coordinate_is_far(&sim->model->m, sim->x);
}

static carom_status fail_interrupted(const carom_sim *sim, carom_error *error) {
  error_clear(error);
  return error_set(error, CAROM_INTERRUPTED, "interrupted at t = %g s", carom_sim_time(sim));
}

static carom_status fail_callback(carom_sim *sim, carom_error *error) {
  int failed = sim->x->bad_callback;
  sim->type->show_end(sim->scheme);
  return sim_blame_callback(sim, failed, carom_sim_time(sim), error);
}

// Back to the last state that the scheme can go on from. Whatever an interrupted step failed with, it was interrupted.
static carom_status end_failed_step(carom_sim *sim, carom_status status, carom_error *error) {
  sim->type->show_end(sim->scheme);
  return sim->stop.raised ? fail_interrupted(sim, error) : status;
}

carom_status sim_take_step(carom_sim *sim, double t_stop, carom_error *error) {
  if (interrupted(&sim->stop)) return fail_interrupted(sim, error);
  if (sim->model->m.callback_count && sim_check_bound(sim, error) != CAROM_OK) return CAROM_ERROR_USAGE;
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
  if (sim->deformed) look_at_deformation(sim);
  bool due = is_due(sim);
  if (due || sim->x->t >= t_stop || may_have_turned(sim)) book(sim, due);
  return CAROM_OK;
}

long sim_fly(carom_sim *sim, double t_stop) {
  long most = BOOK_EVERY - 1 - sim->regular.since_booked;
  if (!sim->type->fly || sim->counts_turns || sim->regular.bookings < BOOK_FIRST || most <= 0) return 0;
  long taken = sim->type->fly(sim->scheme, t_stop, most);
  sim->since_booked += (int)taken, sim->regular.since_booked += (int)taken;
  sim->evaluated = false;
  sim->step_ends.known = false;
  return taken;
}

static carom_status check_goal(const carom_sim *sim, double t, carom_error *error) {
  double at = carom_sim_time(sim);
  if (isfinite(t) && t >= at) return CAROM_OK;
  return error_set(error, CAROM_ERROR_USAGE,
                   "cannot step to t = %g s: the time must be finite and not before now (%.10g s)", t, at);
}

// A step that a program takes.
static carom_status take_step(carom_sim *sim, double t_stop, carom_error *error) {
  carom_status status = sim_take_step(sim, t_stop, error);
  return sim->recording ? recording_step(sim, status, error) : status;
}

carom_status carom_sim_step(carom_sim *sim, double t_stop, carom_error *error) {
  double began = now();
  error_clear(error);
  carom_status status = check_goal(sim, t_stop, error);
  if (status != CAROM_OK || t_stop == carom_sim_time(sim)) return status;
  status = take_step(sim, t_stop, error);
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
  return error_set(
      error, CAROM_ERROR_INTEGRATOR,
      "no progress: the last %d steps went from t = %.10g s to %.10g s, %.3g s each, and %.3g s are left; look for a "
      "step, a stiffness or a speed of the wrong size",
      WINDOW, from, t, (t - from) / WINDOW, t_end - t);
}

carom_status carom_sim_advance(carom_sim *sim, double t_end, carom_error *error) {
  double began = now();
  error_clear(error);
  sim_pace pace = {.t = carom_sim_time(sim)};
  carom_status status = check_goal(sim, t_end, error);
  while (status == CAROM_OK && carom_sim_time(sim) < t_end) {
    if (!sim->recording) pace.steps += sim_fly(sim, t_end);
    status = take_step(sim, t_end, error);
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
  l.now = sim_balance(sim);
  return energy_imbalance(&l);
}

// Within a step of a time stepper positions move while the velocity waits for its jump: energies of such a state do not
// balance, by the work of the forces in half a step. What is known of the error is that at the ends.
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

bool sim_evaluate(carom_sim *sim, carom_error *error) {
  if (sim->evaluated) return true;
  if (!sim->type->result(sim->scheme, error)) return false;
  sim->evaluated = true;
  bool regular = sim->regular.since_booked && !sim->ends;
  if ((sim->since_booked || regular) && sim->x->t == sim->type->time(sim->scheme)) book(sim, regular);
  return true;
}
