// Free bodies step about their mass centres: where a body has its origin changes nothing.
#include "runs.h"
#include "sim.h"

// Two bodies on a ball joint fall on a floor without friction, from rest. The origins of both are at (x, 0, z) from
// their mass centres.
static const char pendulum[] =
    "coordinates: absolute\nparameters: {x: 0, z: 0, dt: 1e-3}\ngravity: [0, 0, -9.81]\n"
    "bodies: {a: {mass: 1, inertia: [1, 2, 3], com: [-x, 0, -z]}, b: {mass: 1, inertia: [1, 2, 3], com: [-x, 0, -z]}}\n"
    "markers:\n"
    "  tip: {body: a, at: [-x, 0, -z - 0.5]}\n"
    "  end: {body: a, at: [-x, 0, -z + 0.5]}\n"
    "  begin: {body: b, at: [-x, 0, -z - 0.5]}\n"
    "  ca: {body: a, at: [-x, 0, -z]}\n"
    "  cb: {body: b, at: [-x, 0, -z]}\n"
    "joints: {base: {free: [ground, tip]}, ball: {spherical: [end, begin]}}\n"
    "surfaces: {floor: {plane: ground, material: m}, foot: {point: tip, material: m}}\n"
    "materials: {m: {friction: 0}}\n"
    "initial: {base: {q: [cos(1), 0, sin(1), 0, 0, 0, 1]}, ball: {q: [cos(1), sin(1), 0, 0]}}\n"
    "outputs: {cx: 0.5*(ca.x + cb.x), cy: 0.5*(ca.y + cb.y)}\n"
    "method: {moreau: {step: dt}}\nend: 3 s\n";

static const char *const origins[] = {"x=0 z=0", "x=0 z=0.5", "x=1 z=-2"};

// Nothing acts sideways, so that the mass centre of both stays: to the rounding of 3000 steps, projected onto the joint
// and moved out of the floor. Motions about different origins differ by rounding, which the double pendulum lets grow.
static void a_double_pendulum_does_not_drift(void) {
  double height[3] = {0};
  for (int k = 0; k < 3; k++) {
    run r;
    if (!run_open_text(&r, pendulum, origins[k])) return;
    const double x = run_read(&r, "cx"), y = run_read(&r, "cy");
    double drift = 0;
    for (int i = 1; i <= 30 && run_to(&r, 0.1 * i); i++)
      drift = fmax(drift, hypot(run_read(&r, "cx") - x, run_read(&r, "cy") - y));
    height[k] = run_read(&r, "cb.z");
    printf("    %s: the mass centre drifts by %.1e m\n", origins[k], drift);
    CHECK_LE(drift, 1e-10);
    CHECK_NEAR(height[k], height[0], 1e-9);
    run_close(&r);
  }
}

// Between the ends of steps, too, with velocities that belong to the positions.
static void rows_within_a_step_do_not_drift(void) {
  for (int k = 0; k < 3; k++) {
    run r;
    if (!run_open_text(&r, pendulum, origins[k])) return;
    const double x = run_read(&r, "cx");
    double drift = 0, speed = 0;
    for (int i = 0; i < 400; i++) {
      if (!CHECK(carom_sim_step(r.sim, 3, &r.error) == CAROM_OK)) break;
      const double t = carom_sim_time(r.sim);
      for (int part = 1; part < 4; part++) {
        CHECK(sim_show(r.sim, t - 0.25e-3 * part, &r.error) == CAROM_OK);
        drift = fmax(drift, fabs(run_read(&r, "cx") - x));
        speed = fmax(speed, fabs(run_read(&r, "ca.vx") + run_read(&r, "cb.vx")));
      }
    }
    CHECK_LE(drift, 1e-10);
    CHECK_LE(speed, 1e-10);
    run_close(&r);
  }
}

// Balls of 1 mm, 20 mm beside the origins of their bodies, fall on each other and on a floor while they spin.
static void small_balls_may_be_far_from_their_origin(void) {
  static const char text[] =
      "parameters: {d: 0, r: 1 mm}\ngravity: [0, 0, -9.81]\n"
      "bodies: {\"b{i}\": {repeat: {i: [1, 3]}, mass: 4 mg, inertia: [1.6e-12, 1.6e-12, 1.6e-12], com: [d, 0, 0]}}\n"
      "markers: {\"c{i}\": {repeat: {i: [1, 3]}, body: \"b{i}\", at: [d, 0, 0]}}\n"
      "joints: {\"b{i}\": {repeat: {i: [1, 3]}, free: [ground, \"c{i}\"]}}\n"
      "surfaces:\n  floor: {plane: ground, material: m}\n"
      "  b{i}: {repeat: {i: [1, 3]}, sphere: \"c{i}\", radius: r, material: m}\n"
      "materials: {m: {friction: 0.3, restitution: 0.5}}\n"
      "initial: {\"b{i}\": {repeat: {i: [1, 3]}, q: [1, 0, 0, 0, 0.3*i*r, 0.1*i*i*r, 3*i*r], u: [10*i, 60, 20, 0, 0, "
      "0]}}\n"
      "method: {moreau: {step: 2e-4}}\nend: 0.1 s\n";
  double place[2][3] = {{0}};
  for (int k = 0; k < 2; k++) {
    run r;
    if (!run_open_text(&r, text, k ? "d=20e-3" : NULL)) return;
    if (run_to(&r, 0.1))
      for (int i = 0; i < 3; i++) place[k][i] = run_read(&r, "c%d.x", i + 1);
    const carom_summary s = carom_sim_summary(r.sim);
    CHECK_LE(s.energy_imbalance, s.energy_warn);
    run_close(&r);
  }
  for (int i = 0; i < 3; i++) CHECK_NEAR(place[1][i], place[0][i], 1e-9);
}

// What a step remembers of contacts that last goes with the state, to the bit.
static void a_restored_run_is_the_same(void) {
  run r;
  if (!run_open_text(&r, pendulum, "x=1 z=-2 method.moreau.step=7e-4")) return;
  double first[2] = {NAN, NAN}, again[2] = {0};
  carom_snapshot *kept = NULL;
  if (run_to(&r, 1) && CHECK((kept = carom_sim_save(r.sim, &r.error)))) {
    if (run_to(&r, 1.5)) first[0] = run_read(&r, "cb.x"), first[1] = run_read(&r, "floor-foot.fn");
    CHECK(carom_sim_restore(r.sim, kept, &r.error) == CAROM_OK);
    if (run_to(&r, 1.5)) again[0] = run_read(&r, "cb.x"), again[1] = run_read(&r, "floor-foot.fn");
    CHECK(memcmp(first, again, sizeof first) == 0);
  }
  carom_snapshot_destroy(kept);
  run_close(&r);
}

int main(void) {
  RUN(a_double_pendulum_does_not_drift);
  RUN(rows_within_a_step_do_not_drift);
  RUN(small_balls_may_be_far_from_their_origin);
  RUN(a_restored_run_is_the_same);
  return check_summary();
}
