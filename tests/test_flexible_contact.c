// Flexible bodies with loops and contact, from model files: impacts on modes against closed forms, momentum and energy,
// all integrators and both kinds of coordinates against each other, implicit modes.
#include "runs.h"

#include "mechanics/tree.h"
#include "sim.h"

// --- loops -----------------------------------------------------------------------------------------------------------

enum { PLACES = 8, MODES = 4 };

// The slider and the modes of the rod at some times over two turns of the crank.
typedef struct course {
  double slider[PLACES], mode[PLACES][MODES];
} course;

static bool follow(const char *settings, course *c) {
  run r;
  if (!run_open(&r, "flexible-slider-crank", settings)) return false;
  bool done = true;
  for (int i = 0; i < PLACES && done; i++) {
    done = run_to(&r, 4 * M_PI * (i + 1) / PLACES / 150);
    c->slider[i] = run_read(&r, "slider.x");
    for (int k = 0; k < MODES; k++) c->mode[i][k] = run_read(&r, "rod.mode%d", k + 1);
  }
  CHECK_LE(fabs(carom_sim_summary(r.sim).energy_imbalance), 1e-8);
  run_close(&r);
  return done;
}

// The largest difference of the slider, and of the modes over the largest of them.
static void compare(const course *a, const course *b, const char *what, double slider_limit, double mode_limit) {
  double slider = 0, mode = 0, largest = 0;
  for (int i = 0; i < PLACES; i++) {
    slider = fmax(slider, fabs(a->slider[i] - b->slider[i]));
    for (int k = 0; k < MODES; k++)
      mode = fmax(mode, fabs(a->mode[i][k] - b->mode[i][k])), largest = fmax(largest, fabs(b->mode[i][k]));
  }
  printf("    %s: slider %.1e m, modes %.1e of %.1e m\n", what, slider, mode / largest, largest);
  CHECK_LE(slider, slider_limit);
  CHECK_LE(mode, mode_limit * largest);
}

static void loops_close_over_flexible_bodies(void) {
  course adams, absolute, other;
  if (!follow("integrator.rtol=1e-11 integrator.atol=1e-11", &adams)) return;
  if (!follow("integrator.rtol=1e-11 integrator.atol=1e-11 coordinates=absolute", &absolute)) return;
  compare(&absolute, &adams, "absolute coordinates", 1e-8, 1e-8);
  if (follow("integrator.rtol=1e-11 integrator.atol=1e-11 integrator.type=bdf", &other))
    compare(&other, &adams, "bdf", 1e-8, 1e-5);
  if (follow("integrator.rtol=1e-11 integrator.atol=1e-11 integrator.type=ida", &other))
    compare(&other, &adams, "ida", 1e-8, 1e-5);
}

// --- impacts ---------------------------------------------------------------------------------------------------------

// A ball of 0.5 kg meets the tip of a cantilever of 3.12 kg at 1 m/s, 0.03 s after the start.
#define HIT                                                                                           \
  "space: planar\n"                                                                                   \
  "gravity: [0, 0]\n"                                                                                 \
  "bodies:\n"                                                                                         \
  "  link:\n"                                                                                         \
  "    beam: {length: 1, section: {area: 4e-4, second_moment: 1e-8}, young: 2.1e11, density: 7800}\n" \
  "    modes: {count: 3, static_modes: false}\n"                                                      \
  "    geometric_stiffness: false\n"                                                                  \
  "  ball: {mass: 0.5, inertia: 5e-4}\n"                                                              \
  "surfaces: {tip: {sphere: link, at: [1, 0], radius: 0.02}, b: {sphere: ball, radius: 0.05}}\n"      \
  "contacts: {hit: {between: [b, tip], material: m}}\n"                                               \
  "materials: {m: {restitution: 0.5, law: flores, stiffness: 1e7}}\n"

#define CLAMPED                                                                  \
  HIT "joints: {clamp: {fixed: [ground, link]}, fall: {free: [ground, ball]}}\n" \
      "initial: {fall: {q: [0, 1, 0.1], u: [0, 0, -1]}}\n"

static bool open_under(run *r, const char *text, const char *method, const char *settings) {
  char whole[2000];
  snprintf(whole, sizeof whole, "%s%s", text, method);
  return run_open_text(r, whole, settings);
}

#define ACCURATE "integrator: {rtol: 1e-11, atol: 1e-11}\n"

// Modes of a uniform cantilever with the displacement 1 at the tip have a quarter of its mass: the percussion
// P = (1 + ε) v / (1/m_ball + 12/m) changes each of their rates by 4 P/m. 64 elements know these modes to 1e-6.
static void check_percussion(const char *method, const char *coordinates, double after) {
  run r;
  char settings[200];
  snprintf(settings, sizeof settings, "%s bodies.link.beam.elements=64", coordinates);
  if (!open_under(&r, CLAMPED, method, settings)) return;
  run_to(&r, 0.03 + after);
  const double mass = 3.12, P = 1.5 / (1 / 0.5 + 12 / mass);
  CHECK_NEAR(run_read(&r, "ball.vy"), -1 + P / 0.5, 1e-5);
  for (int k = 1; k <= 3; k++) CHECK_NEAR(fabs(run_read(&r, "link.mode%d_rate", k)), 4 * P / mass, 1e-5 + 100 * after);
  CHECK_NEAR(run_read(&r, "energy.impact"), 0.5 * 0.75 / (1 / 0.5 + 12 / mass), 1e-5);
  run_close(&r);
}

static void impacts_act_on_the_modes(void) {
  static const char *const coordinates[] = {"coordinates=joint", "coordinates=absolute"};
  for (int c = 0; c < 2; c++) {
    check_percussion("method: event\n" ACCURATE, coordinates[c], 1e-9);
    check_percussion("method: {moreau: {step: 1e-6}}\n", coordinates[c], 1e-6);
  }
}

// Bounces go on; what is lost in impacts and in the dampers of the modes is in the books.
static void energy_is_booked(void) {
  static const struct {
    const char *name, *method;
    double limit;
  } runs[] = {
      {"event", "method: event\n" ACCURATE, 1e-7},
      {"compliant", "method: compliant\n" ACCURATE, 1e-8},
      {"moreau", "method: {moreau: {step: 2e-6}}\n", 1e-5},
      {"implicit", "method: {moreau: {step: 1e-4, modal_theta: 0.5}}\n", 1e-11},  // linear, and the books are exact
  };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
    for (int damped = 0; damped < 2; damped++) {
      run r;
      if (!open_under(&r, CLAMPED, runs[i].method, damped ? "bodies.link.damping.ratio=0.05" : NULL)) continue;
      run_to(&r, 0.1);
      const double error = fabs(carom_sim_summary(r.sim).energy_imbalance);
      printf("    %s%s: energy error %.1e\n", runs[i].name, damped ? ", damped" : "", error);
      CHECK_LE(error, runs[i].limit);
      if (damped) CHECK(run_read(&r, "energy.damper") > 1e-4);
      run_close(&r);
    }
}

// A free beam and a ball: momentum goes from one to the other and none is lost.
static void momentum_is_kept(void) {
  static const char text[] = HIT
      "joints: {drift: {free: [ground, link]}, fall: {free: [ground, ball]}}\n"
      "initial: {fall: {q: [0, 1, 0.1], u: [0, 0, -1]}, drift: {u: [0.1, 0, 0]}}\n";
  static const char *const methods[] = {"method: event\n" ACCURATE, "method: compliant\n" ACCURATE};
  for (int i = 0; i < 2; i++) {
    run r;
    vec3 linear[2], angular[2];
    if (!open_under(&r, text, methods[i], "bodies.link.geometric_stiffness=true")) continue;
    const mechanism *m = &r.model->m;
    tree_momentum(m, r.sim->x, &linear[0], &angular[0]);
    run_to(&r, 0.1);
    CHECK(fabs(run_read(&r, "ball.vy") + 1) > 0.1);
    tree_momentum(m, r.sim->x, &linear[1], &angular[1]);
    const double lost = vec3_norm(vec3_sub(linear[1], linear[0])), turned = fabs(angular[1].z - angular[0].z);
    printf("    %.13s: momentum lost %.1e of %.1e, angular %.1e of %.1e\n", methods[i], lost, vec3_norm(linear[0]),
           turned, fabs(angular[0].z));
    CHECK_LE(lost, 1e-9 * vec3_norm(linear[0]));
    CHECK_LE(turned, 1e-9 * fabs(angular[0].z));
    run_close(&r);
  }
}

// --- implicit modes --------------------------------------------------------------------------------------------------

// A cantilever swings in its first mode, 14.6 Hz, with steps far too long for its tenth, 3.2 kHz. Implicit midpoint
// steps lengthen the period by (ω h)²/12, which after ten periods is 0.5 % of the amplitude at h = 0.2 ms; its energy
// stays.
static const char swinging[] =
    "space: planar\n"
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  link:\n"
    "    beam: {length: 1, section: {area: 4e-4, second_moment: 1e-8}, young: 2.1e11, density: 7800}\n"
    "    modes: {count: 10, static_modes: false}\n"
    "    geometric_stiffness: false\n"
    "joints: {clamp: {fixed: [ground, link]}}\n"
    "initial: {link: {modes: [0.01, 0, 0, 0, 0, 0, 0, 0, 0, 0]}}\n";

// Implicit midpoint steps lengthen the period by (ω h)²/12, and keep the energy.
static void stiff_modes_may_be_implicit(void) {
  run r;
  const char *path = scratch("model.yaml");
  char text[2000];
  snprintf(text, sizeof text, "%smethod: {moreau: {step: 2e-4}}\n", swinging);
  CHECK(write_text(path, text));
  CHECK(!run_try(&r, path, NULL));
  CHECK_CONTAINS(r.error.text, "set modal_theta to 0.5");
  run_close(&r);
  CHECK(!run_try(&r, path, "method.moreau.modal_theta=0.2"));
  CHECK_CONTAINS(r.error.text, "'modal_theta' of method moreau is 0.2");
  run_close(&r);
  if (!run_open_path(&r, path, "method.moreau.modal_theta=0.5")) return;
  const double omega = carom_model_body_frequency(r.model, 1, 0), end = 0.7;
  run_to(&r, end);
  CHECK_NEAR(run_read(&r, "link.mode1"), 0.01 * cos(omega * end), 0.01 * omega * end * pow(omega * 2e-4, 2) / 11);
  CHECK_LE(fabs(carom_sim_summary(r.sim).energy_imbalance), 1e-12);
  run_close(&r);
}

// Implicit Euler steps take ω² h/2 of the amplitude in a second.
static void implicit_steps_may_damp(void) {
  run r;
  if (!open_under(&r, swinging, "method: {stewart-trinkle: {step: 2e-4, modal_theta: 1}}\n", NULL)) return;
  const double omega = carom_model_body_frequency(r.model, 1, 0), end = 0.7;
  run_to(&r, end);
  const double amplitude = hypot(run_read(&r, "link.mode1"), run_read(&r, "link.mode1_rate") / omega);
  CHECK_NEAR(log(amplitude / 0.01) / (omega * omega * 2e-4 / 2 * end), -1, omega * 2e-4);
  run_close(&r);
}

// --- surfaces that keep their shape ----------------------------------------------------------------------------------

// A circle as large as its flexible disc warns, one that is small beside it does not, nor does a point.
static void large_rigid_surfaces_warn(void) {
  static const char *const surfaces[] = {"{sphere: disc, radius: 0.1, material: m}",
                                         "{sphere: disc, at: [0, -0.098], radius: 0.002, material: m}",
                                         "{point: disc, at: [0, -0.1], material: m}"};
  for (int k = 0; k < 3; k++) {
    char text[700];
    run r;
    snprintf(
        text, sizeof text,
        "space: planar\nbodies:\n  disc: {solid_2d: {disc: 0.1, elements: 4, thickness: 0.01, young: 2e8, poisson: "
        "0.3, density: 1000}, modes: {count: 4}}\njoints: {f: {free: [ground, disc], at: [0, 0.11]}}\n"
        "surfaces: {floor: {plane: ground, material: m}, rim: %s}\nmaterials: {m: {restitution: 0}}\n"
        "method: {moreau: {step: 1e-5}}\nend: 1e-5\n",
        surfaces[k]);
    if (!run_open_text(&r, text, NULL)) return;
    CHECK_EQUAL(carom_sim_summary(r.sim).rigid_surfaces, k == 0);
    if (k == 0) CHECK_TEXT(carom_model_remark(r.model, 0).name, "rigid_surface");
    run_close(&r);
  }
}

// --- the boundary ----------------------------------------------------------------------------------------------------

// The rubber block of the guide comes to rest, and pushes with its weight.
static void the_block_of_the_guide_settles(void) {
  const double weight = 1100 * 0.2 * 0.1 * 0.05 * 9.81;
  char *guide = read_file(CHECK_SOURCE_DIR "/docs/guide.md", NULL);
  char *text = guide ? strstr(guide, "title: Rubber block on the floor") : NULL,
       *end = text ? strstr(text, "```") : NULL;
  if (!CHECK(end)) return;
  *end = 0;
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  CHECK(run_to(&r, 1));
  CHECK_NEAR(run_read(&r, "skin-floor.fn"), weight, 1e-3 * weight);
  CHECK_NEAR(run_read(&r, "block.vy"), 0, 1e-5);
  CHECK_NEAR(run_read(&r, "block.y"), 0.05, 1e-4);
  CHECK(run_read(&r, "block.y") < 0.05);
  run_close(&r);
  free(guide);
}

// A soft block falls on a slope, tilts and slides. Its nodes are pressed one by one, and stewart-trinkle must not lose
// one that rests. It finds an impact to within a step h: places are then known to v h, with v the speed of a fall from
// where the mass centre begins.
static void a_soft_block_slides_down_a_slope(void) {
  static const char text[] =
      "space: planar\ngravity: [0, -9.81]\nbodies:\n  block:\n    solid_2d: {rectangle: [0.1, 0.06], elements: 6, "
      "thickness: 0.05, young: 2e6, poisson: 0.4, density: 1000}\n"
      "    modes: {count: 6, interface: [bottom], interface_tolerance: 0.02}\n    damping: {ratio: 0.1}\n"
      "joints: {free: {free: [ground, block], at: [0, 0.05]}}\n"
      "markers: {slope: {body: ground, at: [0, 0], rotate: -20 deg}}\n"
      "surfaces:\n  skin: {boundary: block, side: bottom, material: rubber}\n"
      "  floor: {plane: slope, material: rubber}\nmaterials: {rubber: {friction: 0.5}}\n"
      "method: {iterative: {step: 2.5e-5}}\nend: 0.1\n";
  static const double steps[] = {5e-5, 2.5e-5}, speed = 0.99;  // √(2 g 5 cm)
  double place[3] = {0}, friction[3] = {0};
  for (int k = 0; k < 3; k++) {
    run r;
    char method[80] = "";
    if (k > 0) snprintf(method, sizeof method, "method={\"stewart-trinkle\":{\"step\":%g}}", steps[k - 1]);
    if (!run_open_text(&r, text, k > 0 ? method : NULL)) return;
    CHECK(run_to(&r, 0.05));
    place[k] = run_read(&r, "free.q1"), friction[k] = run_read(&r, "energy.friction");
    run_close(&r);
  }
  for (int k = 1; k < 3; k++) {
    printf("    step %g s: %.1e m from iterative at %.2e m, friction takes %.1e J\n", steps[k - 1], place[k] - place[0],
           place[0], friction[k]);
    CHECK_NEAR(place[k], place[0], speed * steps[k - 1]);
    CHECK(friction[k] > 0);
  }
}

int main(void) {
  RUN(loops_close_over_flexible_bodies);
  RUN(impacts_act_on_the_modes);
  RUN(energy_is_booked);
  RUN(momentum_is_kept);
  RUN(stiff_modes_may_be_implicit);
  RUN(implicit_steps_may_damp);
  RUN(large_rigid_surfaces_warn);
  RUN_OPTIMISED(the_block_of_the_guide_settles);
  RUN_OPTIMISED(a_soft_block_slides_down_a_slope);
  return check_summary();
}
