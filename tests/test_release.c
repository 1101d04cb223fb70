// Force laws that divide by the speed of approach, where no approach was seen: energy that was stored otherwise comes out again.
#include "runs.h"

// A ball of 1 kg on a floor, its centre a radius above; gravity, force and start are for the tests.
static const char ball[] =
    "space: planar\n"
    "gravity: [0, 0]\n"
    "bodies: {ball: {mass: 1, inertia: 0.005}}\n"
    "joints: {fall: {free: [ground, ball], at: [0, 0.1]}}\n"
    "surfaces: {ball: {sphere: ball, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n"
    "method: {compliant: {}}\n";

static const char *const laws[] = {"hunt-crossley", "herbert-mcwhannell", "lee-wang", "lankarani-nikravesh",
                                   "gonthier",      "zhiying-qishao",     "flores",   "hu-guo"};
enum { LAWS = sizeof laws / sizeof *laws };

static const char *with(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *with(const char *format, ...) {
  static char text[4096];
  size_t used = (size_t)snprintf(text, sizeof text, "%s", ball);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, sizeof text - used, format, args);
  va_end(args);
  return text;
}

// Steps until the surfaces part after a time; the speed there. NaN: they do not.
static double parting_speed(const char *text, double after, double end) {
  run r;
  if (!run_open_text(&r, text, NULL)) return NAN;
  double speed = NAN;
  while (carom_sim_time(r.sim) < end && isnan(speed)) {
    if (!CHECK(carom_sim_step(r.sim, end, &r.error) == CAROM_OK)) break;
    if (carom_sim_time(r.sim) > after && run_read(&r, "ball-floor.gap") > -1e-12) speed = run_read(&r, "fall.u2");
  }
  carom_summary s = carom_sim_summary(r.sim);
  CHECK_LE(s.energy_imbalance, s.energy_limit);
  run_close(&r);
  return speed;
}

// √(2 · 0.4 · K δ^2.5) for 1 kg
static double elastic_speed(double stiffness, double delta) { return sqrt(0.8 * stiffness * pow(delta, 2.5)); }

static void a_start_in_penetration_is_thrown_out(void) {
  static const double restitutions[] = {0.3, 0.6, 0.9};
  double v = elastic_speed(1e7, 1e-3);
  CHECK_NEAR(v, 0.503, 5e-4);
  for (int i = 0; i < LAWS; i++)
    for (int k = 0; k < 3; k++) {
      const char *text = with("materials: {m: {restitution: %g, stiffness: 1e7, law: %s}}\n"
                              "initial: {fall: {q: [0, 0, -1 mm]}}\n", restitutions[k], laws[i]);
      double speed = parting_speed(text, 0, 0.1);
      CHECK_LE(speed, v);
      // a formula may give back less than it is given, in an impact too
      CHECK_LE(fmin(restitutions[k], carom_law_achieved(laws[i], restitutions[k])) * v, speed);
    }
  const char *hertz = with("materials: {m: {stiffness: 1e7, law: hertz}}\ninitial: {fall: {q: [0, 0, -1 mm]}}\n");
  CHECK_NEAR(parting_speed(hertz, 0, 0.1), v, 1e-6 * v);
}

// What is lifted against gravity is missing in the end: m g δ of the stored energy.
static void gravity_takes_its_part(void) {
  for (int i = -1; i < LAWS; i++) {
    char text[4096];
    snprintf(text, sizeof text, "%s", with("materials: {m: {restitution: 0.6, stiffness: 1e7, law: %s}}\n"
                                           "initial: {fall: {q: [0, 0, -1 mm]}}\n", i < 0 ? "hertz" : laws[i]));
    memcpy(strstr(text, "gravity: [0, 0]"), "gravity: [0,-9]", 15);
    double v = elastic_speed(1e7, 1e-3), speed = parting_speed(text, 0, 0.1);
    if (i < 0) CHECK_NEAR(speed, sqrt(v * v - 2 * 9 * 1e-3), 1e-5);
    CHECK_LE(speed, v);
    CHECK_LE(0.6 * v, speed);
  }
}

// As without the bound: damped by a speed of 1 mm/s, it comes out at 1/λ of that.
static void a_given_least_approach_holds(void) {
  run r;
  const char *text = with("materials: {m: {restitution: 0.6, stiffness: 1e7}}\ninitial: {fall: {q: [0, 0, -1 mm]}}\n");
  if (!run_open_text(&r, text, "method.compliant.approach_min=1e-3")) return;
  run_to(&r, 0.1);
  CHECK_NEAR(run_read(&r, "fall.u2"), 1e-3 / 0.48, 1e-5);
  run_close(&r);
}

static const char preload[] =
    "forces: {push: {force: ball, components: [0, \"-1000*blend(t, 0, 0.2)*(1 - blend(t, 0.4, 0.402))\"]}}\n";

static void a_preload_is_released(void) {
  static const double restitutions[] = {0.5, 0.7, 0.9};
  double v = parting_speed(with("%smaterials: {m: {stiffness: 1e7, law: hertz}}\n", preload), 0.4, 0.6);
  CHECK_NEAR(v, 1.266, 0.02);
  for (int i = 0; i < LAWS; i++)
    for (int k = 0; k < 3; k++) {
      double e = restitutions[k];
      double speed = parting_speed(with("%smaterials: {m: {restitution: %g, restitution_is: achieved, stiffness: 1e7, law: %s}}\n",
                                        preload, e, laws[i]), 0.4, 0.6);
      CHECK_LE(speed, v);
      CHECK_LE(e * v, speed);
    }
}

// The load acts already when the ball touches the floor: the force of the law is then far below the rounding of the load.
static void a_load_at_touch_is_released(void) {
  double v = parting_speed(with("%smaterials: {m: {stiffness: 1e6, law: hertz}}\n", preload), 0.4, 0.6);
  for (int i = 0; i < LAWS; i++) {
    double speed = parting_speed(with("forces: {push: {force: ball, components: [0, \"-1000*(1 - blend(t, 0.4, 0.402))\"]}}\n"
                                      "initial: {fall: {q: [0, 0, 1 um]}}\n"
                                      "materials: {m: {restitution: 0.6, restitution_is: achieved, stiffness: 1e6, law: %s}}\n",
                                      laws[i]), 0.4, 0.8);
    CHECK_LE(speed, v);
    CHECK_LE(0.6 * v, speed);
  }
}

// The tip of a rod on a hinge, pressed in at the start: it leaves as fast in coordinates in which the hinge is a constraint.
// With 1/3 kg m² about the hinge and the tip at 1 m the energy E gives it √(6 E).
static void constraints_hold_the_released_body(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "bodies: {rod: {mass: 1, inertia: 0.08333333333333333, com: [0.5, 0]}}\n"
      "joints: {hinge: {revolute: [ground, rod]}}\n"
      "surfaces: {tip: {sphere: rod, at: [1, 0], radius: 0.1, material: m}, floor: {plane: ground, at: [0, -0.099], material: m}}\n"
      "contacts: {tip: {between: [tip, floor]}}\n"
      "materials: {m: {restitution: 0.6, stiffness: 1e7}}\n"
      "method: {compliant: {}}\n";
  double v = sqrt(3) * elastic_speed(1e7, 1e-3), speed[2];
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open_text(&r, text, i ? "coordinates=absolute" : "coordinates=joint")) return;
    run_to(&r, 0.1);
    speed[i] = run_read(&r, "hinge.u");
    run_close(&r);
  }
  CHECK_NEAR(speed[0], speed[1], 1e-6 * v);
  CHECK_LE(speed[0], v);
  CHECK_LE(0.6 * v, speed[0]);
}

// An impact stores no more than it came with: its restitution is the law's own, as if there were no such bound.
static void an_impact_is_as_it_was(void) {
  for (int i = 0; i < LAWS; i++) {
    const char *text = with("materials: {m: {restitution: 0.6, restitution_is: achieved, stiffness: 1e7, law: %s}}\n"
                            "initial: {fall: {q: [0, 0, 1 mm], u: [0, 0, -1]}}\n", laws[i]);
    CHECK_NEAR(parting_speed(text, 1.5e-3, 0.1), 0.6, 1e-6);
  }
}

static void placed_bodies_come_to_rest(void) {
  static const struct {
    const char *name;
    long most;  // 1.5 times the steps that a least approach of 1e-3 of the size per second takes
  } models[] = {{"incline-box", 622}, {"sliding-block", 831}};
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open(&r, models[i].name, "method=compliant")) return;
    run_to(&r, i ? 2 : 10);
    CHECK_LE(carom_sim_summary(r.sim).steps, models[i].most);
    CHECK_LE(fabs(run_read(&r, "%s.u2", i ? "slide" : "rest")), 1e-7);  // away from the surface; along it laws creep
    run_close(&r);
  }
}

int main(void) {
  RUN(a_start_in_penetration_is_thrown_out);
  RUN(gravity_takes_its_part);
  RUN(a_given_least_approach_holds);
  RUN(a_preload_is_released);
  RUN(a_load_at_touch_is_released);
  RUN(constraints_hold_the_released_body);
  RUN(an_impact_is_as_it_was);
  RUN(placed_bodies_come_to_rest);
  return check_summary();
}
