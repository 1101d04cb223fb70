// Models with `response: divide-and-conquer` against the same models without: smooth motion, loops, flexible bodies,
// contact under every method, threads; what is refused, and what `check` is told.
#include "runs.h"

#include "mechanics/dca.h"
#include "sim.h"

static double distance_of(const run *a, const run *b) {
  const mechanism *m = &a->model->m;
  double off = 0, size = 1e-3;
  for (int i = 0; i < m->nq; i++) {
    const double d = fabs(a->sim->x->q[i] - b->sim->x->q[i]);
    off = d <= off ? off : d, size = fmax(size, fabs(b->sim->x->q[i]));
  }
  return off / size;
}

// Both runs take the same steps, and are apart by what rounding grows to. An integrator may accept a step on one side
// and shorten it on the other: they are apart by its tolerance then.
static void runs_agree(const char *name, const char *settings, double end, double tolerance) {
  run plain, divided;
  char with[512];
  snprintf(with, sizeof with, "%s response=divide-and-conquer", settings);
  if (!run_open(&plain, name, settings)) return;
  if (run_open(&divided, name, with)) {
    CHECK(divided.model->m.dca && divided.model->m.dca->step_count > 0 && !plain.model->m.dca);
    if (run_to(&plain, end) && run_to(&divided, end)) {
      const double off = distance_of(&divided, &plain);
      printf("    %s %s: %.1e apart at %g s\n", name, settings, off, end);
      CHECK_LE(off, tolerance);
    }
    run_close(&divided);
  }
  run_close(&plain);
}

static void smooth_motion_is_the_same(void) {
  runs_agree("chain", "integrator.type=rk4 integrator.step=1e-3", 0.1, 1e-11);
  runs_agree("andrews", "integrator.rtol=1e-10", 0.01, 1e-7);
  runs_agree("manipulator", "integrator.type=rk4 integrator.step=2e-5", 0.05, 1e-10);
  runs_agree("flexible-slider-crank", "integrator.type=rk4 integrator.step=1e-5", 0.01, 1e-9);
}

// A chain of balls that falls on a floor and lies there.
static const char falling[] =
    "bodies:\n  b{i}: {repeat: {i: [1, 8]}, mass: '0.1*i', inertia: [1e-4, 1e-4, 1e-4], com: [0.05, 0, 0]}\n"
    "joints:\n"
    "  j1: {free: [ground, b1], at: [0, 0, 0.06]}\n"
    "  j{i}: {repeat: {i: [2, 8]}, spherical: [\"b{i-1}\", \"b{i}\"], at: [0.1, 0, 0]}\n"
    "initial:\n  j1: {u: [0.5, 1, 0.3, 0.2, 0.1, -0.5]}\n"
    "surfaces:\n  floor: {plane: ground, material: m}\n"
    "  s{i}: {repeat: {i: [1, 8]}, sphere: \"b{i}\", at: [0.05, 0, 0], radius: 0.03, material: m}\n";

static void contact_is_the_same(const char *method, const char *restitution, double end, double tolerance) {
  run plain, divided;
  char text[2048];
  snprintf(text, sizeof text, "materials: {m: {friction: 0.3, restitution: %s}}\n%smethod: %s\n", restitution, falling,
           method);
  if (!run_open_text(&plain, text, "")) return;
  if (run_open_text(&divided, text, "response=divide-and-conquer")) {
    if (run_to(&plain, end) && run_to(&divided, end)) {
      const double off = distance_of(&divided, &plain);
      printf("    %s: %.1e apart at %g s\n", method, off, end);
      CHECK_LE(off, tolerance);
    }
    run_close(&divided);
  }
  run_close(&plain);
}

// Impacts and friction make rounding grow: what is left of 1e-15 after a tenth of a second on the floor.
static void contact_forces_are_the_same(void) {
  contact_is_the_same("{moreau: {step: 1e-3}}", "0.2", 0.2, 1e-8);
  contact_is_the_same("{stewart-trinkle: {step: 1e-3}}", "0", 0.2, 1e-8);
  contact_is_the_same("event", "0.2", 0.1, 1e-5);
  runs_agree("hexapod-flat", "", 0.02, 1e-7);
}

static void threads_do_not_change_a_run(void) {
  run one, two;
  if (!run_open(&one, "chain", "n=200 response=divide-and-conquer integrator.type=rk4 integrator.step=1e-3")) return;
  if (run_open(&two, "chain", "n=200 response=divide-and-conquer integrator.type=rk4 integrator.step=1e-3")) {
    carom_error error = {0};
    CHECK(carom_sim_set_threads(two.sim, 2, &error) == CAROM_OK);
    if (run_to(&one, 0.02) && run_to(&two, 0.02))
      CHECK(memcmp(one.sim->x->q, two.sim->x->q, (size_t)one.model->m.nq * sizeof(double)) == 0);
    run_close(&two);
  }
  run_close(&one);
}

static bool has_note(const carom_model *model, const char *text) {
  for (int i = 0; i < model->note_count; i++)
    if (strstr(model->notes[i], text)) return true;
  return false;
}

static void what_it_does_not_do_is_said(void) {
  run r;
  char path[5000];
  snprintf(path, sizeof path, "%s/models/chain.yaml", CHECK_SOURCE_DIR);
  CHECK(!run_try(&r, path, "response=divide-and-conquer coordinates=absolute"));
  CHECK(strstr(r.error.text, "coordinates: absolute") != NULL);
  if (run_open(&r, "bouncing-ball", "response=divide-and-conquer")) {
    CHECK(has_note(r.model, "has no effect"));
    run_close(&r);
  }
  if (run_open(&r, "chain", "n=33 response=divide-and-conquer")) {
    CHECK_EQUAL(carom_model_get_info(r.model).assembly_levels, 6);
    run_close(&r);
  }
}

int main(void) {
  RUN(smooth_motion_is_the_same);
  RUN(contact_forces_are_the_same);
  RUN(threads_do_not_change_a_run);
  RUN(what_it_does_not_do_is_said);
  return check_summary();
}
