// What a motion and a scheme hold: a copy of both goes on bit by bit, and a checkpoint shows the step that it was
// written after.
#include "countdown.h"
#include "models.h"
#include "runs.h"

#include "checkpoint.h"
#include "mechanics/dynamics.h"
#include "mechanics/signal.h"
#include "scheme/registry.h"
#include "scheme/watcher.h"
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

// With the same settings, both compute the same accelerations: drives are part of what is copied. The run goes on from
// its own results.
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
    motion *copy = motion_create(m, r.model->contacts.inner_count, &r.error);
    for (int k = 1; k <= 2 && CHECK(copy); k++) {
      if (!run_to(&r, k * fmin(0.01, 0.01 * carom_model_get_info(r.model).end)) ||
          !CHECK(sim_evaluate(r.sim, &r.error)))
        break;
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

// --- schemes ---------------------------------------------------------------------------------------------------------

// Calls a check with every model under every method that can run it; those on an integrator with their own, and with
// both that resume exactly. All of these, or every third without those of
// `elastic-discs`, which takes 4 s to compile under the sanitizers.
static void for_each_run(void (*check)(run *r, const char *what), bool all_runs) {
  char names[MOST_MODELS][64], path[4200], settings[256], what[512];
  const int models = list_models(names);
  static const char *const integrators[] = {"", " integrator.type=rk4 integrator.step=1e-4", " integrator.type=erk"};
  int schemes, runs = 0;
  const scheme_type *const *all = scheme_types(&schemes);
  for (int i = 0; i < models; i++)
    for (int k = 0; k < schemes; k++)
      for (int which = 0; which < (all[k]->about->integrates ? 3 : 1); which++) {
        run r;
        if (!all_runs && ((i + k + which) % 3 != 0 || strcmp(names[i], "elastic-discs") == 0)) continue;
        const char *step = all[k]->about->required;
        snprintf(path, sizeof path, "%s/models/%s.yaml", CHECK_SOURCE_DIR, names[i]);
        if (step)
          snprintf(settings, sizeof settings, "method=%s method.%s.%s%s", all[k]->name, all[k]->name, step,
                   integrators[which]);
        else snprintf(settings, sizeof settings, "method=%s%s", all[k]->name, integrators[which]);
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
    printf("      %s: %s is %.17g and %.17g at t = %g s\n", what, carom_model_signal_name(a->model, i), x[i], y[i],
           carom_sim_time(a));
    return false;
  }
  return true;
}

enum { BEFORE = 60, AFTER = 40 };

// A sim that was created beforehand and has not moved, with copies of motion and scheme. Null after a failed check.
static carom_sim *copy_of(run *r) {
  const scheme_type *type = r->sim->type;
  carom_sim *other = carom_sim_create(r->model, &r->error);
  double *memory = calloc((size_t)scheme_memory_size(type, r->sim->scheme, r->sim->contacts), sizeof *memory);
  if (CHECK(other && memory)) {
    motion_copy(other->x, r->sim->x);
    scheme_save(type, r->sim->scheme, r->sim->contacts, memory);
    CHECK(scheme_restore(type, other->scheme, other->contacts, &r->model->m, memory, &r->error) == CAROM_OK);
    other->evaluated = false;
  }
  free(memory);
  return other;
}

// The first row is computed again, and is the same also where an integrator loses its history.
static void a_pair_goes_on(run *r, const char *what) {
  if (!take_steps(r->sim, BEFORE, &r->error)) return;
  const scheme_type *type = r->sim->type;
  carom_sim *other = copy_of(r);
  if (other) {
    CHECK_NEAR(carom_sim_time(other), carom_sim_time(r->sim), 0);
    CHECK(same_rows(r->sim, other, false, what));
    bool exact = type->resumes_exactly(r->sim->scheme);
    if (exact && take_steps(r->sim, AFTER, &r->error) && CHECK(take_steps(other, AFTER, &r->error)))
      CHECK(same_rows(r->sim, other, false, what));
  }
  carom_sim_destroy(other);
}

static void copies_of_motion_and_scheme_go_on_bit_by_bit(void) { for_each_run(a_pair_goes_on, false); }
static void all_copies_go_on(void) { for_each_run(a_pair_goes_on, true); }

// A loop whose crank rubs, and a ball that slides, with spin and at last almost at rest. The direction of friction in
// space turns from step to step, and begins at what was found last.
static const char rubbing[] =
    "space: spatial\n"
    "parameters: {px: 0.1, py: 0.17, b: 0.6, c: 0.4}\n"
    "bodies:\n"
    "  crank:   {mass: 1, inertia: [4e-3, 4e-3, 4e-3], com: [px/2, py/2, 0]}\n"
    "  coupler: {mass: 1, inertia: [0.02, 0.03, 0.02], com: [(b - px)/2, -py/2, c/2]}\n"
    "  rocker:  {mass: 1, inertia: [0.02, 0.02, 1e-3], com: [0, 0, c/2]}\n"
    "  ball:    {mass: 1, inertia: [4e-4, 4e-4, 4e-4]}\n"
    "joints:\n"
    "  crank:  {revolute: [ground, crank], axis: z, friction_torque: 0.2}\n"
    "  rocker: {revolute: [ground, rocker], at: [b, 0, 0], axis: y}\n"
    "  ball:   {spherical: [crank, coupler], at: [px, py, 0]}\n"
    "  cardan: {universal: [coupler, rocker], at: [b - px, -py, c], to: [0, 0, c]}\n"
    "  fall:   {free: [ground, ball], at: [0, 0, -1]}\n"
    "surfaces:\n"
    "  ball:  {sphere: ball, radius: 0.02, material: hard}\n"
    "  floor: {plane: ground, at: [0, 0, -1.02], material: hard}\n"
    "materials: {hard: {restitution: 0.5, friction: 0.3}}\n"
    "initial: {crank: {u: 5}, fall: {u: [0, 1, 0, 1, 0, 0]}}\n"
    "method: event\n"
    "integrator: {type: erk}\n";

static void friction_in_space_goes_on_bit_by_bit(void) {
  static const int more[] = {0, 1, 30, 100};
  static const char *const turning[] = {
      NULL, "materials.hard.rolling_friction=0.001 materials.hard.spinning_friction=0.0005"};
  run r;
  for (int k = 0; k < 2; k++) {
    if (!run_open_text(&r, rubbing, turning[k])) return;
    CHECK(r.sim->type->resumes_exactly(r.sim->scheme));
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
      if (CHECK(take_steps(r.sim, more[i], &r.error))) a_pair_goes_on(&r, "rubbing");
    run_close(&r);
  }
  // friction that follows its load agrees with it within a tolerance only, which depends on where the search begins
  if (!run_open(&r, "dry-slide", "method=event integrator.type=erk mu=0.1")) return;
  CHECK(!r.sim->type->resumes_exactly(r.sim->scheme));
  run_close(&r);
}

static bool same_look(const watch_look *a, const watch_look *b) {
  return a->gap == b->gap && a->rate == b->rate && a->normal == b->normal && a->absent == b->absent &&
         memcmp(a->slip, b->slip, sizeof a->slip) == 0 && memcmp(a->drag, b->drag, sizeof a->drag) == 0;
}

// Corners that slide on a plane share their load in more than one way, and the last digit of the direction of slip
// changes the seventh of their forces. What a step begins with is compared rather than what comes out of it: a force
// that differs shows only in steps that end where it vanishes.
static void a_step_begins_with_what_a_copy_sees(void) {
  enum { EVERY = 5, TIMES = 40 };
  run r;
  int slides = 0;
  if (!run_open(&r, "stones", "method=event integrator.type=erk")) return;
  for (int k = 0; k < TIMES && CHECK(take_steps(r.sim, EVERY, &r.error)); k++) {
    carom_sim *other = copy_of(&r);
    const watcher *a = r.sim->scheme, *b = other ? other->scheme : NULL;
    for
      EACH_POINT(p, a) {
        const watch_look *at = &a->look[WATCH_START][p];
        slides += at->normal > 0 && watch_length(at->slip) > 0;
        if (b && !CHECK(same_look(at, &b->look[WATCH_START][p]))) printf("      point %d at t = %g s\n", p, a->t);
      }
    carom_sim_destroy(other);
  }
  CHECK_LE(100, slides);
  run_close(&r);
}

// --- checkpoints -----------------------------------------------------------------------------------------------------

// Every column of the first row, also where the integrator starts again; where it resumes exactly, those after it as
// well. What is known of the pairs of a crowd is in a table of its own; the tests of crowds and of resumed records go
// on from it.
static void a_resumed_run_is_the_same(run *r, const char *what) {
  if (r->model->contacts.crowd) return;
  if (!take_steps(r->sim, BEFORE, &r->error)) return;
  carom_sim *resumed = carom_sim_create(r->model, &r->error);
  double *row = calloc((size_t)sim_checkpoint_size(r->sim), sizeof *row);
  if (CHECK(resumed && row)) {
    sim_checkpoint(r->sim, row);
    bool resumes = CHECK(sim_resume(resumed, row, &r->error) == CAROM_OK);
    if (!resumes) printf("      %s: %s\n", what, r->error.text);
    bool exact =
        resumes && CHECK(same_rows(r->sim, resumed, true, what)) && r->sim->type->resumes_exactly(r->sim->scheme);
    if (exact && take_steps(r->sim, AFTER, &r->error))
      CHECK(take_steps(resumed, AFTER, &r->error) && same_rows(r->sim, resumed, true, what));
  }
  free(row);
  carom_sim_destroy(resumed);
}

static void resumed_runs_show_the_same_rows(void) { for_each_run(a_resumed_run_is_the_same, false); }
static void all_resumed_runs_show_the_same_rows(void) { for_each_run(a_resumed_run_is_the_same, true); }

// A ball on a table that shakes: flights, impacts, slip and stick.
static const char shaken[] =
    "space: planar\n"
    "bodies: {table: {mass: 1, inertia: 1}, ball: {mass: 1, inertia: 1e-4}}\n"
    "joints:\n"
    "  shake: {prismatic: [ground, table], axis: [1, 2]}\n"
    "  fall:  {free: [ground, ball], at: [0, 0.05]}\n"
    "drives: {motor: {joint: shake, motion: 0.01*sin(30*t)}}\n"
    "surfaces: {skin: {sphere: ball, radius: 0.02, material: hard}, floor: {plane: table, material: hard}}\n"
    "materials: {hard: {restitution: 0.5, friction: 0.3}}\n"
    "method: event\n"
    "integrator: {type: erk}\n";

// Wherever a step is interrupted, the sim goes on from there to the same end, and one that is interrupted while it
// resumes still does.
static void an_interrupted_step_is_taken_again(void) {
  static const double END = 0.5;
  run whole;
  if (!run_open_text(&whole, shaken, NULL) || !run_to(&whole, END)) return;
  int interrupts = 0;
  for (int asks = 2; asks < 20000; asks += asks < 400 ? 7 : asks / 8) {
    carom_sim *cut = carom_sim_create(whole.model, &whole.error),
              *resumed = carom_sim_create(whole.model, &whole.error);
    countdown c = {cut, asks}, at_once = {resumed, 1};
    double *row = calloc((size_t)sim_checkpoint_size(whole.sim), sizeof *row);
    carom_sim *sims[] = {cut, resumed};
    carom_sim_set_interrupt(cut, count_down, &c);
    interrupts += carom_sim_advance(cut, END, &whole.error) == CAROM_INTERRUPTED;
    carom_sim_set_interrupt(cut, NULL, NULL);
    sim_checkpoint(cut, row);
    carom_sim_set_interrupt(resumed, count_down, &at_once);
    if (!CHECK(sim_resume(resumed, row, &whole.error) == CAROM_OK)) printf("      %d: %s\n", asks, whole.error.text);
    carom_sim_set_interrupt(resumed, NULL, NULL);
    for (int k = 0; k < 2; k++)
      if (CHECK(carom_sim_advance(sims[k], END, &whole.error) == CAROM_OK))
        CHECK_NEAR(sims[k]->x->q[1], whole.sim->x->q[1], 1e-6);
      else printf("      %d: %s\n", asks, whole.error.text);
    free(row);
    carom_sim_destroy(cut), carom_sim_destroy(resumed);
  }
  printf("    %d interrupts\n", interrupts);
  CHECK_LE(50, interrupts);
  run_close(&whole);
}

// A wheel in absolute coordinates: its angle is measured, and turns by 5 rad and more in a step. Turns are counted by
// the speeds from the last accepted state on, which is part of motion and checkpoint: from the start they would be one
// off. With 240 t rad/s² the angle is 100 t + 40 t³; time steppers are off by less than half a turn.
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
    snprintf(settings, sizeof settings, !all[k]->about->required ? "method=%s" : "method=%s method.%s.step=0.05",
             all[k]->name, all[k]->name);
    if (!run_open_text(&r, wheel, settings) || !run_to(&r, 0.7)) continue;
    const double tolerance = !all[k]->about->required ? 1e-4 : 3;
    CHECK_NEAR(run_read(&r, "axle.q"), wheel_angle(0.7), tolerance);
    carom_sim *resumed = carom_sim_create(r.model, &r.error);
    double *row = calloc((size_t)sim_checkpoint_size(r.sim), sizeof *row);
    if (CHECK(resumed && row)) {
      sim_checkpoint(r.sim, row);
      CHECK(sim_resume(resumed, row, &r.error) == CAROM_OK && carom_sim_advance(resumed, 0.9, &r.error) == CAROM_OK);
      if (!CHECK_NEAR(carom_sim_read(resumed, carom_model_signal(r.model, "axle.q")), wheel_angle(0.9), tolerance))
        printf("      %s\n", settings);
    }
    free(row);
    carom_sim_destroy(resumed);
    run_close(&r);
  }
}

// A wheel with clearance floats in its bearing and turns by 4.8 rad in 32 steps. Nobody reads its angle on the way to
// the end.
static const char loose_wheel[] =
    "space: planar\n"
    "gravity: [0, 0]\n"
    "bodies: {wheel: {mass: 1, inertia: 0.1}}\n"
    "joints: {axle: {revolute: [ground, wheel], clearance: 1 mm, radius: 1 cm, material: steel}}\n"
    "materials: {steel: {restitution: 0.5, stiffness: 1e6}}\n"
    "initial: {axle: {u: 150}}\n"
    "method: {moreau: {step: 1e-3}}\n";

static void turns_of_a_loose_joint_are_counted(void) {
  static const char *const settings[] = {"", "method.moreau.step=0.03", "method=event", "method=compliant",
                                         "method=compliant integrator.type=rk4 integrator.step=1e-3"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    run r;
    if (!run_open_text(&r, loose_wheel, settings[i])) continue;
    if (run_to(&r, 2) && !CHECK_NEAR(run_read(&r, "axle.q"), 300, 1e-9)) printf("      %s\n", settings[i]);
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
    int length =
        snprintf(settings, sizeof settings, !all[i]->about->required ? "method=%s" : "method=%s method.%s.step=1e-3",
                 all[i]->name, all[i]->name);
    if (all[i]->knows_contact)
      snprintf(settings + length, sizeof settings - (size_t)length, " e=0");  // every method runs inelastic contact
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
  RUN(friction_in_space_goes_on_bit_by_bit);
  RUN(a_step_begins_with_what_a_copy_sees);
  RUN(resumed_runs_show_the_same_rows);
  RUN_OPTIMISED(all_copies_go_on);
  RUN_OPTIMISED(all_resumed_runs_show_the_same_rows);
  RUN(an_interrupted_step_is_taken_again);
  RUN(turns_are_counted_from_a_checkpoint);
  RUN(turns_of_a_loose_joint_are_counted);
  RUN(results_are_not_computed_again);
  return check_summary();
}
