// What a motion and a scheme hold: a copy of both goes on bit by bit, and a checkpoint shows the step that it was written after.
#include "models.h"
#include "runs.h"

#include "checkpoint.h"
#include "mechanics/dynamics.h"
#include "mechanics/signal.h"
#include "scheme/registry.h"
#include "sim.h"

// All signals of the mechanism. Poses, velocities and energies follow from the state, the others are results.
static double *signals_of(const mechanism *m, motion *x) {
  double *all = calloc((size_t)m->signal_count, sizeof *all);
  dynamics_show_state(m, x);
  if (all) signal_read_all(m, x, all);
  return all;
}

static bool same_signals(const char *name, const mechanism *m, const double *a, const double *b) {
  for (int i = 0; a && b && i < m->signal_count; i++)
    if (memcmp(&a[i], &b[i], sizeof *a) != 0) {
      printf("      %s: %s is %.17g and %.17g\n", name, m->signals[i].name, a[i], b[i]);
      return false;
    }
  return a && b;
}

// With the same settings, both compute the same accelerations: drives are part of what is copied. The run goes on from its own results.
static bool accelerates_alike(const char *name, run *r, motion *copy) {
  const mechanism *m = &r->model->m;
  motion *x = r->sim->x;
  copy->push = x->push, copy->push_context = x->push_context;
  copy->baumgarte_alpha = x->baumgarte_alpha, copy->baumgarte_beta = x->baumgarte_beta;
  copy->level = x->level = LEVEL_NONE;
  bool same = dynamics_accelerations(m, copy) && dynamics_accelerations(m, x);
  for (int v = 0; same && v < m->nv; v++) {
    same = memcmp(&copy->udot[v], &x->udot[v], sizeof *x->udot) == 0;
    if (!same) printf("      %s: acceleration %d is %.17g and of the copy %.17g\n", name, v, x->udot[v], copy->udot[v]);
  }
  r->sim->type->show_end(r->sim->scheme);
  r->sim->evaluated = false;
  return same;
}

// The copy is made into a motion that was just created, and once more into one that shows another state.
static void a_copy_shows_the_same(void) {
  char names[MOST_MODELS][64];
  const int count = list_models(names);
  CHECK_LE(12, count);
  for (int i = 0; i < count; i++) {
    run r;
    if (!run_open(&r, names[i], NULL)) continue;
    const mechanism *m = &r.model->m;
    motion *copy = motion_create(m, r.sim->x->inner_count, &r.error);
    for (int k = 1; k <= 2 && CHECK(copy); k++) {
      if (!run_to(&r, k * fmin(0.01, 0.01 * carom_model_get_info(r.model).end)) || !CHECK(sim_evaluate(r.sim, &r.error))) break;
      motion_copy(copy, r.sim->x);
      CHECK_EQUAL(copy->level, LEVEL_NONE);
      CHECK(memcmp(copy->state.values, r.sim->x->state.values, (size_t)copy->state.count * sizeof(double)) == 0);
      double *from = calloc((size_t)m->signal_count, sizeof *from), *to = signals_of(m, copy);
      if (from) signal_read_all(m, r.sim->x, from);
      CHECK(same_signals(names[i], m, from, to));
      free(from), free(to);
      CHECK_NEAR(copy->usual_nearness, r.sim->x->usual_nearness, 0);
      CHECK(accelerates_alike(names[i], &r, copy));
    }
    motion_destroy(copy);
    run_close(&r);
  }
}

// --- schemes --------------------------------------------------------------------------------------------------------

// Calls a check with every model under every method that can run it; those on an integrator with one of fixed step and with their own.
static void for_each_run(void (*check)(run *r, const char *what)) {
  char names[MOST_MODELS][64], path[4200], settings[256], what[512];
  const int models = list_models(names);
  int schemes, runs = 0;
  const scheme_type *const *all = scheme_types(&schemes);
  for (int i = 0; i < models; i++)
    for (int k = 0; k < schemes; k++)
      for (int fixed = 0; fixed <= all[k]->about->integrates; fixed++) {
        run r;
        const char *step = all[k]->about->integrates ? "" : all[k]->about->required;
        snprintf(path, sizeof path, "%s/models/%s.yaml", CHECK_SOURCE_DIR, names[i]);
        if (step && *step) snprintf(settings, sizeof settings, "method=%s method.%s.%s", all[k]->name, all[k]->name, step);
        else snprintf(settings, sizeof settings, "method=%s%s", all[k]->name, fixed ? " integrator.type=rk4 integrator.step=1e-4" : "");
        snprintf(what, sizeof what, "%.64s %.256s", names[i], settings);
        if (run_try(&r, path, settings)) check(&r, what), runs++;
        run_close(&r);
      }
  printf("    %d runs\n", runs);
  CHECK_LE(100, runs);
}

static bool take_steps(carom_sim *sim, int count, carom_error *error) {
  carom_status status = CAROM_OK;
  for (int k = 0; k < count && status == CAROM_OK; k++) status = carom_sim_step(sim, 1, error);
  return status == CAROM_OK;
}

// Both sims show the same, bit by bit. Energies and outputs may belong to ledgers that were not copied.
static bool same_rows(carom_sim *a, carom_sim *b, bool energies, const char *what) {
  const double *x = sim_read_all(a), *y = sim_read_all(b);
  for (int i = 0; i < sim_signal_count(a->model); i++) {
    int section = model_signal_place(a->model, i).section;
    if (!energies && (section == SIGNALS_OF_ENERGY || section == SIGNALS_OF_OUTPUTS)) continue;
    if (memcmp(&x[i], &y[i], sizeof *x) == 0) continue;
    printf("      %s: %s is %.17g and %.17g at t = %g s\n", what, carom_model_signal_name(a->model, i), x[i], y[i], carom_sim_time(a));
    return false;
  }
  return true;
}

enum { BEFORE = 17, AFTER = 12 };

// Into a scheme and a motion that were created beforehand and have not moved.
static void a_pair_goes_on(run *r, const char *what) {
  if (!r->sim->type->resumes_exactly(r->sim->scheme) || !take_steps(r->sim, BEFORE, &r->error)) return;
  const scheme_type *type = r->sim->type;
  carom_sim *other = carom_sim_create(r->model, &r->error);
  double *memory = calloc((size_t)scheme_memory_size(type, r->sim->scheme), sizeof *memory);
  if (CHECK(other && memory)) {
    motion_copy(other->x, r->sim->x);
    scheme_save(type, r->sim->scheme, memory);
    CHECK(scheme_restore(type, other->scheme, memory, &r->error) == CAROM_OK);
    other->evaluated = false;
    CHECK_NEAR(carom_sim_time(other), carom_sim_time(r->sim), 0);
    CHECK(same_rows(r->sim, other, false, what));
    if (take_steps(r->sim, AFTER, &r->error) && CHECK(take_steps(other, AFTER, &r->error))) CHECK(same_rows(r->sim, other, false, what));
  }
  free(memory);
  carom_sim_destroy(other);
}

static void copies_of_motion_and_scheme_go_on_bit_by_bit(void) { for_each_run(a_pair_goes_on); }

// --- checkpoints ----------------------------------------------------------------------------------------------------

// Every column of the first row, also where the integrator starts again.
static void first_row_is_the_same(run *r, const char *what) {
  if (!take_steps(r->sim, BEFORE, &r->error)) return;
  carom_sim *resumed = carom_sim_create(r->model, &r->error);
  double *row = calloc((size_t)sim_checkpoint_size(r->sim), sizeof *row);
  if (CHECK(resumed && row)) {
    sim_checkpoint(r->sim, row);
    if (CHECK(sim_resume(resumed, row, &r->error) == CAROM_OK)) CHECK(same_rows(r->sim, resumed, true, what));
    else printf("      %s: %s\n", what, r->error.text);
  }
  free(row);
  carom_sim_destroy(resumed);
}

static void a_resumed_run_shows_the_same_first_row(void) { for_each_run(first_row_is_the_same); }

// A wheel in absolute coordinates: its angle is measured, and turns by 5 rad and more in a step. Turns are counted by the speeds from the
// last accepted state on, which is part of motion and checkpoint: from the start they would be one off. With 240 t rad/s² the
// angle is 100 t + 40 t³; time steppers are off by less than half a turn.
static const char wheel[] =
    "space: planar\n"
    "coordinates: absolute\n"
    "bodies: {wheel: {mass: 1, inertia: 0.1}}\n"
    "joints: {axle: {revolute: [ground, wheel]}}\n"
    "initial: {axle: {u: 100}}\n"
    "forces: {motor: {along: axle.q, effort: 24*t}}\n"
    "method: smooth\n";
static double wheel_angle(double t) { return 100 * t + 40 * t * t * t; }

static void turns_are_counted_from_a_checkpoint(void) {
  int schemes;
  const scheme_type *const *all = scheme_types(&schemes);
  for (int k = 0; k < schemes; k++) {
    run r;
    char settings[128];
    snprintf(settings, sizeof settings, all[k]->about->integrates ? "method=%s" : "method=%s method.%s.step=0.05", all[k]->name, all[k]->name);
    if (!run_open_text(&r, wheel, settings) || !run_to(&r, 0.7)) continue;
    const double tolerance = all[k]->about->integrates ? 1e-4 : 3;
    CHECK_NEAR(run_read(&r, "axle.q"), wheel_angle(0.7), tolerance);
    carom_sim *resumed = carom_sim_create(r.model, &r.error);
    double *row = calloc((size_t)sim_checkpoint_size(r.sim), sizeof *row);
    if (CHECK(resumed && row)) {
      sim_checkpoint(r.sim, row);
      CHECK(sim_resume(resumed, row, &r.error) == CAROM_OK && carom_sim_advance(resumed, 0.9, &r.error) == CAROM_OK);
      if (!CHECK_NEAR(carom_sim_read(resumed, carom_model_signal(r.model, "axle.q")), wheel_angle(0.9), tolerance)) printf("      %s\n", settings);
    }
    free(row);
    carom_sim_destroy(resumed);
    run_close(&r);
  }
}

// The result comes from the checkpoint: a number that is changed there is the one that is shown.
static void results_are_not_computed_again(void) {
  int schemes;
  const scheme_type *const *all = scheme_types(&schemes);
  for (int i = 0; i < schemes; i++) {
    run r;
    char settings[128];
    snprintf(settings, sizeof settings, all[i]->about->integrates ? "method=%s" : "method=%s method.%s.step=1e-3", all[i]->name, all[i]->name);
    if (!run_open(&r, all[i]->knows_contact ? "bouncing-ball" : "pendulum", settings) || !run_to(&r, 0.01)) continue;
    carom_sim *resumed = carom_sim_create(r.model, &r.error);
    double *row = calloc((size_t)sim_checkpoint_size(r.sim), sizeof *row);
    jmp_buf out_of_memory;
    arena memory = arena_create(&out_of_memory);
    if (CHECK(resumed && row) && CHECK(setjmp(out_of_memory) == 0)) {
      const char **names = checkpoint_names(r.sim, &memory);
      sim_checkpoint(r.sim, row);
      for (int k = 0; k < sim_checkpoint_size(r.sim); k++)
        if (strcmp(names[k], "result.udot0") == 0) row[k] = 42;
      CHECK(sim_resume(resumed, row, &r.error) == CAROM_OK);
      CHECK_NEAR(carom_sim_accelerations(resumed)[0], 42, 0);
      CHECK(carom_sim_step(resumed, 0.02, &r.error) == CAROM_OK);
      CHECK(carom_sim_accelerations(resumed)[0] != 42);
    }
    arena_free(&memory);
    free(row);
    carom_sim_destroy(resumed);
    run_close(&r);
  }
}

int main(void) {
  RUN(a_copy_shows_the_same);
  RUN(copies_of_motion_and_scheme_go_on_bit_by_bit);
  RUN(a_resumed_run_shows_the_same_first_row);
  RUN(turns_are_counted_from_a_checkpoint);
  RUN(results_are_not_computed_again);
  return check_summary();
}
