// The impact of models/elastic-discs: reduced discs against the finite elements of the whole mesh (bench/full_discs.h).
// Short forms have 4 mm between the nodes that touch, long ones the mesh of the model, 0.5 mm.
#include "long.h"
#include "runs.h"

#include "full_discs.h"

static double node_distance(void) { return long_form() ? 5e-4 : 4e-3; }

// In steps of `share` over the fastest mode. Energy does not grow.
typedef struct reduced {
  const char *method, *more;  // name and settings
  double share, size;
} reduced;

static double fastest_mode(const carom_model *model) {
  double most = 0;
  for (int k = 0; k < carom_model_body_modes(model, 1); k++) most = fmax(most, carom_model_body_frequency(model, 1, k));
  return most;
}

// Only the model knows how fast its modes are.
static double step_of(const reduced *how) {
  char settings[400];
  run r;
  snprintf(settings, sizeof settings, "bodies.left.solid_2d.refine.size=%g bodies.right.solid_2d.refine.size=%g %s",
           how->size, how->size, how->more);
  if (!run_open(&r, "elastic-discs", settings)) return 0;
  const double step = how->share / fastest_mode(r.model);
  run_close(&r);
  return step;
}

static bool press(const reduced *how, discs_press *to) {
  static double force[DISCS_SAMPLES_MOST];
  char settings[500];
  run r;
  discs_course c = {step_of(how), force, 0};
  snprintf(
      settings, sizeof settings,
      "bodies.left.solid_2d.refine.size=%g bodies.right.solid_2d.refine.size=%g method={\"%s\":{\"step\":%.17g%s}} "
      "%s",
      how->size, how->size, how->method, c.step,
      strcmp(how->method, "stewart-trinkle") == 0 ? ",\"modal_theta\":0.5" : "", how->more);
  if (!CHECK(c.step > 0) || !run_open(&r, "elastic-discs", settings)) return false;
  const double start = run_read(&r, "energy.kinetic");
  double most = start, before = 0;
  while (before < DISCS_END * (1 - 1e-9) && c.count < DISCS_SAMPLES_MOST &&
         CHECK(carom_sim_step(r.sim, DISCS_END, &r.error) == CAROM_OK)) {
    const double t = carom_sim_time(r.sim);
    discs_add_force(&c, before, t, run_read(&r, "left-right.fn"));
    most = fmax(most, run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain")), before = t;
  }
  const bool done = CHECK_NEAR(before, DISCS_END, 1e-12);
  *to = discs_press_of(&c);
  printf("    %s, %.3g s, %s: %.5g s, %.1f N, impulse %.5f N s, energy up by %.1e\n", how->method, c.step, how->more,
         to->duration, to->force, to->impulse, most / start - 1);
  CHECK_LE(most / start, 1 + 1e-6);
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
  return done;
}

static bool press_whole(double size, full_discs *to) {
  if (!CHECK(full_discs_run(size, 1, to))) return false;
  printf("    whole mesh, %g mm, %.3g s: %.5g s, %.1f N, impulse %.5f N s\n", 1e3 * size, to->step, to->press.duration,
         to->press.force, to->press.impulse);
  return true;
}

static void compare(const discs_press *a, const discs_press *b, double within) {
  CHECK_NEAR(a->duration / b->duration, 1, within);
  CHECK_NEAR(a->force / b->force, 1, within);
  CHECK_NEAR(a->impulse / b->impulse, 1, within);  // speeds after the impact
}

// With the modes that the indicator asks for, on position and on velocity level, in steps of a tenth of a radian of the
// fastest mode: duration, averaged peak force and speeds of the whole mesh to 2 %, and of each other.
static void reduced_discs_press_as_the_whole_mesh(void) {
  const reduced position = {"lcp-position", "", 0.1, node_distance()},
                velocity = {"lcp-velocity", "", 0.1, node_distance()};
  full_discs whole;
  discs_press p, v;
  if (!press_whole(node_distance(), &whole) || !press(&position, &p) || !press(&velocity, &v)) return;
  compare(&p, &whole.press, 0.02);
  compare(&v, &whole.press, 0.02);
  compare(&p, &v, 0.02);
  CHECK_NEAR(whole.speed / DISCS_SPEED, whole.press.impulse / (M_PI * 0.01 * 10) / DISCS_SPEED, 0.01);
}

// Twice as many eigenmodes, and half the step: nothing changes by more than the differences above.
static void modes_and_steps_are_enough(void) {
#define EIGENMODES(n) "bodies.left.modes.count=" n " bodies.right.modes.count=" n
  const reduced of[] = {{"stewart-trinkle", "", 5, node_distance()},
                        {"stewart-trinkle", "", 2.5, node_distance()},
                        {"stewart-trinkle", EIGENMODES("40"), 5, node_distance()}};
  discs_press p[3];
  for (int k = 0; k < 3; k++)
    if (!press(&of[k], &p[k])) return;
  compare(&p[1], &p[0], 0.01);
  compare(&p[2], &p[0], 0.01);
}

// What gives way at the contact is missing in the eigenmodes: the discs are too hard, and the indicator says so.
static void eigenmodes_alone_miss_the_contact(void) {
  const char *const alone = EIGENMODES("30") " bodies.left.modes.static_modes=no bodies.right.modes.static_modes=no";
  const reduced how = {"stewart-trinkle", alone, 0.1, node_distance()};
  full_discs whole;
  discs_press p;
  if (!press_whole(node_distance(), &whole) || !press(&how, &p)) return;
  CHECK_LE(p.duration, whole.press.duration * 2 / 3);
  CHECK_LE(whole.press.force * 4 / 3, p.force);
  for (int k = 0; k < 2; k++) {
    run r;
    if (!run_open(&r, "elastic-discs", k ? alone : "")) return;
    const double missing = carom_model_body_interface(r.model, 1, 0).missing;
    printf("    modes miss %.3g of the displacement under a load at a node\n", missing);
    CHECK(k ? missing > 0.05 : missing <= 0.01);
    run_close(&r);
  }
}

static void the_mesh_is_fine_enough(void) {
  full_discs coarse, fine;
  if (!press_whole(node_distance(), &coarse) || !press_whole(node_distance() / 2, &fine)) return;
  compare(&coarse.press, &fine.press, 0.03);
}

int main(void) {
  RUN(reduced_discs_press_as_the_whole_mesh);
  RUN(modes_and_steps_are_enough);
  RUN(eigenmodes_alone_miss_the_contact);
  RUN_LONG(reduced_discs_press_as_the_whole_mesh, 900);
  RUN_LONG(modes_and_steps_are_enough, 300);
  RUN_LONG(eigenmodes_alone_miss_the_contact, 300);
  RUN_LONG(the_mesh_is_fine_enough, 300);
  return check_summary();
}
