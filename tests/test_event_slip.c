// Slip in space under scheme `event`: it turns the faster the slower it is, so that the motion is stiff where slip
// begins and ends.
#include "runs.h"

#include <math.h>

#include "scheme/event_internal.h"
#include "sim.h"

// Two rods in a ball joint strike a plane, stick and then slip, at first slowly: from 1e-8 m/s to 1e-2 m/s within 0.1
// s.
static const char pendulum[] =
    "parameters: {a: 1, b: 1}\n"
    "bodies:\n"
    "  A: {mass: 1, inertia: [1, 2, 3], com: [0, 0, 0.5]}\n"
    "  B: {mass: 1, inertia: [1, 2, 3], com: [0, 0, 0.5]}\n"
    "joints:\n"
    "  base: {free: [ground, A]}\n"
    "  ball: {spherical: [A, B], at: [0, 0, 1]}\n"
    "surfaces: {tip: {point: A, material: m}, floor: {plane: ground, material: m}}\n"
    "contacts: {touch: {between: [tip, floor]}}\n"
    "materials: {m: {friction: 0.4}}\n"
    "initial:\n"
    "  base: {q: [cos(a), 0, sin(a), 0, 0, 0, 1]}\n"
    "  ball: {q: [cos(b), sin(b), 0, 0]}\n"
    "method: event\n"
    "end: 1\n";

// A Jacobian from a slower slip made Newton's iteration stop far too early: at any tolerance the energy was off by 2e-5
// or more.
static void energy_error_follows_the_tolerance(void) {
  static const double tolerance[] = {1e-6, 1e-8, 1e-10};
  for (int k = 0; k < 3; k++) {
    char settings[120];
    run r;
    snprintf(settings, sizeof settings, "integrator.rtol=%g integrator.atol=%g", tolerance[k], tolerance[k]);
    if (!run_open_text(&r, pendulum, settings)) return;
    run_to(&r, 1);
    carom_summary s = carom_sim_summary(r.sim);
    CHECK_LE(s.energy_imbalance, 50 * tolerance[k]);
    CHECK_LE(s.steps, 1000);                          // 250 at the tightest; adams takes 47 000
    CHECK_LE(1e-4, run_read(&r, "energy.friction"));  // [J]: it did slip
    run_close(&r);
  }
}

// On a floor that holds up to half its weight.
#define GRAIN                                                                           \
  "bodies: {grain: {mass: 1, inertia: [1, 1, 1]}}\n"                                    \
  "joints: {move: {free: [ground, grain]}}\n"                                           \
  "surfaces: {tip: {point: grain, material: m}, floor: {plane: ground, material: m}}\n" \
  "contacts: {touch: {between: [tip, floor]}}\n"                                        \
  "materials: {m: {friction: 0.5}}\n"                                                   \
  "method: event\n"                                                                     \
  "end: 1\n"

// The weight exceeds what friction holds by 1e-6 m/s²: the slip grows so slowly that it stays near zero for a thousand
// steps. What grows goes on by itself, and modes are decided once, at the start. Then v = 1e-6 t.
static void slip_that_grows_slowly_is_left_alone(void) {
  run r;
  if (!run_open_text(&r, GRAIN "gravity: [4.905001, 0, -9.81]\nintegrator: {step_max: 1e-3}\n", NULL)) return;
  run_to(&r, 1);
  carom_summary s = carom_sim_summary(r.sim);
  CHECK_LE(1000, s.steps);
  CHECK_EQUAL(s.solves, 1);
  CHECK_NEAR(run_read(&r, "grain.x"), 0.5e-6, 1e-9);
  run_close(&r);
}

// A ball passes its speed w on to a block on the floor, which would stop after w²/2μg. A way that is within the
// tolerance is no way: the block stops at once, and friction takes its energy. A faster block slides.
static void a_slip_that_ends_at_once_is_none(void) {
  static const double speed[] = {1e-6, 1e-2};
  for (int k = 0; k < 2; k++) {
    run r;
    char settings[40];
    snprintf(settings, sizeof settings, "w=%g", speed[k]);
    if (!run_open_text(
            &r,
            "parameters: {w: 0}\ngravity: [0, 0, -10]\n"
            "bodies: {block: {mass: 1, inertia: [0.01, 0.01, 0.01]}, ball: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
            "joints: {block: {free: [ground, block]}, ball: {prismatic: [ground, ball], at: [-0.06, 0, 0], axis: x}}\n"
            "surfaces:\n"
            "  tip: {point: block, material: rough}\n"
            "  floor: {plane: ground, material: rough}\n"
            "  head: {sphere: block, radius: 0.03, material: hard}\n"
            "  ball: {sphere: ball, radius: 0.03, material: hard}\n"
            "contacts: {rest: {between: [tip, floor]}, hit: {between: [head, ball]}}\n"
            "materials: {rough: {friction: 0.5}, hard: {restitution: 1}}\n"
            "initial: {ball: {u: w}}\nmethod: event\nintegrator: {rtol: 1e-9, atol: 1e-9}\nend: 1e-3\n",
            settings))
      return;
    run_to(&r, 1e-8);
    const double v = k ? speed[k] - 5e-8 : 0;  // w - μ g t
    CHECK_NEAR(run_read(&r, "block.vx"), v, 1e-10);
    CHECK_NEAR(run_read(&r, "ball.vx"), 0, 1e-10);
    CHECK_NEAR(run_read(&r, "energy.friction"), 0.5 * (speed[k] * speed[k] - v * v), 1e-5 * speed[k] * speed[k]);
    run_close(&r);
  }
}

// Ends a step once more, at whose start the slip was ten times as fast, a nanosecond ago. Says whether modes were
// decided.
static bool asks_after_a_fast_start(carom_sim *sim) {
  watcher *w = &((event *)sim->scheme)->w;
  carom_error error = {0};
  bool changed = false;
  event_observe_state((event *)w);
  w->from = w->t - 1e-9, w->changed = -1;
  w->look[WATCH_START][0].slip[0] = 10 * event_slip_speed(&((event *)w)->point[0]), w->look[WATCH_START][0].slip[1] = 0;
  CHECK(w->type->end(w, &changed, &error) == CAROM_OK);
  return changed;
}

// The weight drives this slip at 1 m/s², so that modes never stop it, whatever the last step looks like. It is asked
// once, and again when it is twice as fast. A run that is resumed knows that.
static void a_slip_that_goes_on_is_not_asked_again(void) {
  static const char model[] = GRAIN "gravity: [5.905, 0, -9.81]\n";
  run r, resumed;
  if (!run_open_text(&r, model, NULL)) return;
  run_to(&r, 1e-3);
  CHECK(asks_after_a_fast_start(r.sim));
  CHECK(!asks_after_a_fast_start(r.sim));
  run_to(&r, 1.9e-3);
  CHECK_NEAR(run_read(&r, "grain.vx"), 1.9e-3, 1e-8);
  double *row = calloc((size_t)sim_checkpoint_size(r.sim), sizeof *row);
  if (CHECK(row) && run_open_text(&resumed, model, NULL)) {
    sim_checkpoint(r.sim, row);
    CHECK(sim_resume(resumed.sim, row, &resumed.error) == CAROM_OK);
    CHECK(!asks_after_a_fast_start(resumed.sim));
    run_close(&resumed);
  }
  free(row);
  CHECK(!asks_after_a_fast_start(r.sim));
  run_to(&r, 2.1e-3);
  CHECK(asks_after_a_fast_start(r.sim));
  run_close(&r);
}

// A ball slides over a fixed one, and its normal turns by 0.9 rad about the vertical. In a scene that is turned by
// `angle` the tangents of that normal switch on the way or do not; the motion and its events are the same. With the
// directions of slip in tangents that switch there were events that stopped slips of 0.5 m/s, and decided nothing.
static void open_turned(run *r, double angle, const char *settings) {
  char text[1500];
  const double n[3] = {0.3 * cos(angle + 0.25), 0.3 * sin(angle + 0.25), sqrt(1 - 0.09)}, reach = 1.1;
  snprintf(
      text, sizeof text,
      "gravity: [0, 0, -9.81]\nbodies: {ball: {mass: 1, inertia: [0.004, 0.004, 0.004]}}\n"
      "joints: {six: {free: [ground, ball]}}\nmaterials: {m: {friction: 0.1}}\n"
      "surfaces: {ball: {sphere: ball, radius: 0.1, material: m}, hill: {sphere: ground, radius: 1, material: m}}\n"
      "initial: {six: {q: [1, 0, 0, 0, %.17g, %.17g, %.17g], u: [0, 0, 0, %.17g, %.17g, 0]}}\n"
      "method: event\nend: 1\n",
      reach * n[0], reach * n[1], reach * n[2], -1.2 * sin(angle + 0.25), 1.2 * cos(angle + 0.25));
  run_open_text(r, text, settings);
}

static void tangents_do_not_switch_on_the_way(void) {
  static const char *const settings[] = {"", "integrator.type=erk"};
  for (int k = 0; k < 2; k++) {
    double x[2], y[2], heading[2];
    long problems[2];
    for (int turned = 0; turned < 2; turned++) {
      const double angle = turned ? -0.65 : 0;
      run r;
      open_turned(&r, angle, settings[k]);
      if (!r.sim || !run_to(&r, 0.35)) {
        run_close(&r);
        return;
      }
      const double px = run_read(&r, "ball.x"), py = run_read(&r, "ball.y");
      x[turned] = px * cos(angle) + py * sin(angle), y[turned] = py * cos(angle) - px * sin(angle);
      heading[turned] = atan2(py, px), problems[turned] = carom_sim_summary(r.sim).solves;
      run_close(&r);
    }
    CHECK(heading[0] > 0.25 * M_PI + 0.1);          // the axis least along the normal was y and is x,
    CHECK_LE(fabs(heading[1]), 0.25 * M_PI - 0.1);  // and here it is y all the time
    CHECK_NEAR(x[0], x[1], 1e-6), CHECK_NEAR(y[0], y[1], 1e-6);
    CHECK_EQUAL(problems[0], problems[1]);
    printf("    heading %.3f, %ld problems\n", heading[0], problems[0]);
  }
}

int main(void) {
  RUN(energy_error_follows_the_tolerance);
  RUN(slip_that_grows_slowly_is_left_alone);
  RUN(a_slip_that_ends_at_once_is_none);
  RUN(a_slip_that_goes_on_is_not_asked_again);
  RUN(tangents_do_not_switch_on_the_way);
  return check_summary();
}
