// Fast and small bodies do not pass through thin ones: steps of moreau are shortened to the time of impact, and event
// locates it.
#include "rows.h"

#include "sim.h"

// Steps until the end. Returns the largest value of a signal at the end of any step.
static double largest_until(run *r, double end, const char *name) {
  double largest = -INFINITY;
  int signal = carom_model_signal(r->model, name);
  while (carom_sim_time(r->sim) < end) {
    if (carom_sim_step(r->sim, end, &r->error) != CAROM_OK) {
      printf("      at t = %.9g: %s\n", carom_sim_time(r->sim), r->error.text);
      return NAN;
    }
    largest = fmax(largest, carom_sim_read(r->sim, signal));
  }
  return largest;
}

// A sphere of 1 mm against a wall of 1 mm whose face is at x = 0, from many starts and at many angles. Without friction
// it leaves with e times its normal speed and the tangential speed that it had.
static void a_bullet_is_thrown_back(const char *method, const char *target) {
  char text[2000];
  snprintf(text, sizeof text,
           "gravity: [0, 0, 0]\nparameters: {far: 1, aside: 0, vx: 1000, vy: 0, vz: 0}\n"
           "bodies: {ball: {mass: 1 g, inertia: [1e-10, 1e-10, 1e-10]}}\njoints: {f: {free: [ground, ball], at: [-far, "
           "aside, 0.02]}}\n"
           "surfaces: {ball: {sphere: ball, radius: 0.5 mm, material: m}, wall: {%s, material: m}}\n"
           "materials: {m: {restitution: 0.5}}\ninitial: {ball: {velocity: [vx, vy, vz]}}\nmethod: %s\n",
           target, method);
  for (int i = 0; i < 12; i++) {
    char settings[200];
    double far = 0.1 + 0.1873 * i, vy = i % 3 == 0 ? 0 : 300 * cos(i), vz = i % 3 == 2 ? 500 * sin(i) : 0,
           meets = (far - 0.5e-3) / 1000;
    snprintf(settings, sizeof settings, "far=%.17g aside=%.17g vy=%.17g vz=%.17g", far, 0.1 * sin(7 * i), vy, vz);
    run r;
    if (!run_open_text(&r, text, settings)) return;
    double end = 3.3e-3, farthest = largest_until(&r, end, "ball.x");
    carom_summary s = carom_sim_summary(r.sim);
    bool fine = CHECK_LE(farthest, -0.5e-3 + 3e-5);
    fine &= CHECK_NEAR(run_read(&r, "ball.vx"), -500, 1e-6) & CHECK_NEAR(run_read(&r, "ball.vy"), vy, 1e-6);
    fine &= CHECK_NEAR(run_read(&r, "ball.vz"), vz, 1e-6);
    fine &= CHECK_NEAR(run_read(&r, "ball.x"), -0.5e-3 - 500 * (end - meets), 1e-4);
    fine &= CHECK_EQUAL((int)s.step_too_large, 0) & CHECK_EQUAL((int)s.contact_impacts, 1);
    if (!fine) printf("      %s against %s, %s: %ld steps\n", method, target, settings, s.steps);
    run_close(&r);
  }
}

static const char wall_box[] = "box: ground, at: [0.5 mm, 0, 0], size: [1 mm, 10, 10]";
static const char wall_plane[] = "plane: ground, rotate: {axis: y, angle: -90 deg}";
static const char wall_hull[] =
    "hull: ground, points: [[0, -5, -5], [0, 5, -5], [0, 5, 5], [0, -5, 5], [1 mm, -5, -5], [1 mm, 5, -5], [1 mm, 5, "
    "5], [1 mm, -5, 5]]";
static const char wall_mesh[] =
    "mesh: ground, points: [[0, -5, -5], [0, 5, -5], [0, 5, 5], [0, -5, 5], [1 mm, -5, -5], [1 mm, 5, -5], [1 mm, 5, "
    "5], [1 mm, -5, 5]], "
    "triangles: [1, 4, 3, 1, 3, 2, 5, 6, 7, 5, 7, 8, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 4, 8, 3, 8, 7, 4, 1, 5, 4, "
    "5, 8]";
static const char wall_heights[] =
    "height_field: ground, at: [0, -5, -5], rotate: {axis: y, angle: -90 deg}, columns: 3, spacing: 5, heights: [0, 0, "
    "0, 0, 0, 0, 0, 0, 0]";

static void a_bullet_does_not_pass_under_moreau(void) {
  const char *const targets[] = {wall_box, wall_plane, wall_hull, wall_mesh, wall_heights};
  for (int i = 0; i < 5; i++) a_bullet_is_thrown_back("{moreau: {step: 1 ms}}", targets[i]);
}

static void a_bullet_does_not_pass_under_event(void) {
  a_bullet_is_thrown_back("event", wall_box);
  a_bullet_is_thrown_back("event", wall_plane);
}

// Shapes of other kinds, some in the plane, at a thin wall of another kind: they come back.
static void other_shapes_come_back(void) {
  static const char *const spatial[][2] = {
      {"capsule: b, radius: 0.5 mm, length: 2 mm", "box: ground, size: [1 mm, 10, 10]"},
      {"box: b, size: [1 mm, 2 mm, 1 mm]", "box: ground, size: [1 mm, 10, 10]"},
      {"cylinder: b, radius: 0.5 mm, length: 1 mm",
       "hull: ground, points: [[0, -5, -5], [0, 5, -5], [0, 0, 5], [1 mm, -5, -5], [1 mm, 5, -5], [1 mm, 0, 5]]"},
      {"ellipsoid: b, semi_axes: [0.5 mm, 1 mm, 0.7 mm]", "sphere: ground, radius: 1 mm"},
      {"cone: b, radius: 0.5 mm, height: 1 mm", "cylinder: ground, radius: 1 mm, length: 4"},
      {"hull: b, points: [[0.5 mm, 0, 0], [-0.5 mm, 0.3 mm, 0], [-0.5 mm, -0.3 mm, 0.2 mm], [0, 0, 1 mm]]",
       "hull: ground, points: [[0, -5, -5], [0, 5, -5], [0, 0, 5], [1 mm, -5, -5], [1 mm, 5, -5], [1 mm, 0, 5]]"},
      {"point: b", "box: ground, size: [1 mm, 10, 10]"}};
  static const char *const planar[][2] = {
      {"box: b, size: [1 mm, 2 mm]", "box: ground, size: [1 mm, 10]"},
      {"polygon: b, points: [[-1 mm, -1 mm], [1 mm, 0], [-1 mm, 1 mm], [-0.5 mm, 0]]",
       "polygon: ground, points: [[0, -5], [1 mm, -5], [1 mm, 5], [0, 5], [0.5 mm, 0]]"},
      {"capsule: b, radius: 0.5 mm, length: 1 mm", "sphere: ground, radius: 2 mm"},
      {"sphere: b, radius: 0.5 mm", "box: ground, size: [1 mm, 10]"}};
  for (int k = 0; k < 11; k++) {
    bool flat = k >= 7;
    const char *const *pair = flat ? planar[k - 7] : spatial[k];
    for (int i = 0; i < 5; i++) {
      char text[2000], settings[100];
      snprintf(text, sizeof text,
               "space: %s\ngravity: %s\nparameters: {far: 1, turn: 0}\nbodies: {b: {mass: 1 g, inertia: %s}}\njoints: "
               "{f: {free: [ground, b], at: [-far, %s}}\n"
               "surfaces: {s: {%s, material: m}, wall: {%s, material: m}}\nmaterials: {m: {restitution: 1}}\n"
               "initial: {b: {velocity: [1000, 0%s], omega: %s}}\nmethod: {moreau: {step: 1 ms}}\n",
               flat ? "planar" : "spatial", flat ? "[0, 0]" : "[0, 0, 0]", flat ? "1e-9" : "[1e-9, 1e-9, 1e-9]",
               flat ? "1e-5]" : "1e-5, 2e-5]", pair[0], pair[1], flat ? "" : ", 0", flat ? "turn" : "[0, turn, turn]");
      snprintf(settings, sizeof settings, "far=%.17g turn=%d", 0.2 + 0.337 * i, 40 * i);
      run r;
      if (!run_open_text(&r, text, settings)) return;
      double farthest = largest_until(&r, 4e-3, "b.x");
      bool fine = CHECK_LE(farthest, 1e-3) & CHECK_LE(run_read(&r, "b.vx"), 0) &
                  CHECK_EQUAL((int)carom_sim_summary(r.sim).step_too_large, 0);
      if (!fine) printf("      %s at %s, %s: vx = %g\n", pair[0], pair[1], settings, run_read(&r, "b.vx"));
      run_close(&r);
    }
  }
}

// Points and meshes at surfaces that have no thickness, and points at meshes. A body of two points is as large as they
// are apart; a mesh of 1 mm has its thickness. Without friction the mass centre turns back where the first point
// touches.
static void points_and_meshes_come_back(void) {
  static const char cube[] =
      "mesh: b, points: [[-0.5 mm, -0.5 mm, -0.5 mm], [-0.5 mm, 0.5 mm, -0.5 mm], [-0.5 mm, 0.5 mm, 0.5 mm], [-0.5 mm, "
      "-0.5 mm, 0.5 mm], [0.5 mm, -0.5 mm, -0.5 mm], "
      "[0.5 mm, 0.5 mm, -0.5 mm], [0.5 mm, 0.5 mm, 0.5 mm], [0.5 mm, -0.5 mm, 0.5 mm]], "
      "triangles: [1, 4, 3, 1, 3, 2, 5, 6, 7, 5, 7, 8, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 4, 8, 3, 8, 7, 4, 1, 5, "
      "4, 5, 8]";
  static const char ends[] = "point: b, at: [0.5 mm, 0, 0], material: m}, t: {point: b, at: [-0.5 mm, 0, 0]";
  static const char *const pairs[][2] = {
      {ends, wall_plane}, {ends, wall_mesh}, {ends, wall_heights}, {cube, wall_plane}};
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 6; i++) {
      char text[3000], settings[100];
      double far = 0.2 + 0.337 * i, end = 4e-3;
      snprintf(text, sizeof text,
               "gravity: [0, 0, 0]\nparameters: {far: 1}\nbodies: {b: {mass: 1 g, inertia: [1e-9, 1e-9, "
               "1e-9]}}\njoints: {f: {free: [ground, b], at: [-far, 0.1, 0.2]}}\n"
               "surfaces: {s: {%s, material: m}, wall: {%s, material: m}}\nmaterials: {m: {restitution: 0.5}}\n"
               "initial: {b: {velocity: [1000, 0, 0]}}\nmethod: {moreau: {step: 1 ms}}\n",
               pairs[k][0], pairs[k][1]);
      snprintf(settings, sizeof settings, "far=%.17g", far);
      run r;
      if (!run_open_text(&r, text, settings)) return;
      double farthest = largest_until(&r, end, "b.x"), meets = (far - 0.5e-3) / 1000;
      bool fine = CHECK_LE(farthest, -0.5e-3 + 3e-5) & CHECK_NEAR(run_read(&r, "b.vx"), -500, 1e-6) &
                  CHECK_NEAR(run_read(&r, "b.x"), -0.5e-3 - 500 * (end - meets), 1e-4);
      fine &= CHECK_EQUAL((int)carom_sim_summary(r.sim).step_too_large, 0);
      if (!fine)
        printf("      %.30s at %.30s, %s: x = %g, vx = %g\n", pairs[k][0], pairs[k][1], settings, run_read(&r, "b.x"),
               run_read(&r, "b.vx"));
      run_close(&r);
    }
}

// The ledger has the instant of such an impact, not the step around it.
static void the_ledger_has_the_instant(void) {
  static const char text[] =
      "gravity: [0, 0, 0]\nparameters: {far: 1}\nbodies: {b: {mass: 1 g, inertia: [1e-10, 1e-10, 1e-10]}}\njoints: {f: "
      "{free: [ground, b], at: [-far, 0, 0]}}\n"
      "surfaces: {b: {sphere: b, radius: 0.5 mm, material: m}, wall: {box: ground, at: [0.5 mm, 0, 0], size: [1 mm, "
      "10, 10], material: m}}\n"
      "materials: {m: {restitution: 0.5}}\ninitial: {b: {velocity: [1000, 0, 0]}}\nmethod: {moreau: {step: 1 ms}}\n";
  for (int i = 0; i < 8; i++) {
    char settings[100];
    static rows list;
    run r;
    double far = 0.3 + 0.21 * i, meets = (far - 0.5e-3) / 1000;
    snprintf(settings, sizeof settings, "far=%.17g", far);
    if (!rows_open_text(&r, text, settings, &list)) return;
    run_to(&r, 4e-3);
    // as late as an impact may be found: 2 % of the thickness
    bool fine = CHECK_EQUAL(list.count, 1) && CHECK_NEAR(list.row[0].start, meets, 0.03e-3 / 1000) &&
                CHECK_NEAR(list.row[0].end, list.row[0].start, 0);
    if (!fine) printf("      %s\n", settings);
    run_close(&r);
  }
}

// Two spheres of 1 mm that fly at each other with 1000 m/s each, off centre by b: they exchange the parts of their
// velocities along the line of centres, which is at an angle with sin = b/d.
static void small_spheres_meet(void) {
  static const char text[] =
      "gravity: [0, 0, 0]\nparameters: {far: 1, b: 0}\n"
      "bodies: {p: {mass: 1 g, inertia: [1e-10, 1e-10, 1e-10]}, q: {mass: 1 g, inertia: [1e-10, 1e-10, 1e-10]}}\n"
      "joints: {f: {free: [ground, p], at: [-far, b, 0]}, g: {free: [ground, q], at: [far + 0.111, 0, 0]}}\n"
      "surfaces: {p: {sphere: p, radius: 0.5 mm, material: m}, q: {sphere: q, radius: 0.5 mm, material: "
      "m}}\nmaterials: {m: {restitution: 1}}\n"
      "initial: {p: {velocity: [1000, 0, 0]}, q: {velocity: [-1000, 0, 0]}}\nmethod: {moreau: {step: 1 ms}}\n";
  for (int i = 0; i < 20; i++) {
    char settings[100];
    double b = (0.9e-3 * i) / 20, sine = b / 1e-3, cosine = sqrt(1 - sine * sine);
    snprintf(settings, sizeof settings, "far=%.17g b=%.17g", 0.05 + 0.123 * i, b);
    run r;
    if (!run_open_text(&r, text, settings)) return;
    run_to(&r, 5e-3);
    // along n = (-cos, sin): the first has -1000 cos, the second +1000 cos, exchanged
    bool fine = CHECK_NEAR(run_read(&r, "p.vx"), 1000 - 2000 * cosine * cosine, 30) &
                CHECK_NEAR(run_read(&r, "p.vy"), 2000 * cosine * sine, 30);
    fine &= CHECK_NEAR(run_read(&r, "p.vx") + run_read(&r, "q.vx"), 0, 1e-9) &
            CHECK_NEAR(run_read(&r, "p.vy") + run_read(&r, "q.vy"), 0, 1e-9);
    fine &= CHECK_NEAR(carom_sim_summary(r.sim).energy_imbalance, 0, 1e-9) &
            CHECK_EQUAL((int)carom_sim_summary(r.sim).step_too_large, 0);
    if (!fine) printf("      %s\n", settings);
    run_close(&r);
  }
}

// A thin blade on a hinge, 1 m long with 1000 rad/s, turns by 1 rad a step. The ball in its way is hit once with the
// speed of the blade there; the hinge keeps its place. Angular momentum about it is kept.
static void a_blade_hits_a_ball(void) {
  static const char text[] =
      "gravity: [0, 0, 0]\nparameters: {angle: 1}\ncoordinates: joint\n"
      "bodies: {blade: {mass: 1, inertia: [1e-4, 1/12, 1/12], com: [0.5, 0, 0]}, ball: {mass: 1e-3, inertia: [1e-10, "
      "1e-10, 1e-10]}}\n"
      "joints: {h: {revolute: [ground, blade], axis: z}, f: {free: [ground, ball], at: [0.8*cos(angle), "
      "0.8*sin(angle), 0]}}\n"
      "surfaces: {blade: {box: blade, at: [0.5, 0, 0], size: [1, 1 mm, 0.1], material: m}, ball: {sphere: ball, "
      "radius: 0.5 mm, material: m}}\n"
      "materials: {m: {restitution: 1}}\ninitial: {h: {u: 1000}}\nmethod: {moreau: {step: 1 ms}}\n";
  static const char *const coordinates[] = {"joint", "absolute"};
  for (int i = 0; i < 12; i++) {
    char settings[100];
    snprintf(settings, sizeof settings, "angle=%.17g coordinates=%s", 0.2 + 0.31 * i, coordinates[i % 2]);
    run r;
    if (!run_open_text(&r, text, settings)) return;
    run_to(&r, 5e-3);
    // I ω₀ = I ω + m r v,  v - ω r = ω₀ r
    double I = 1.0 / 12 + 0.25, m = 1e-3 * 0.64, omega = 1000 * (I - m) / (I + m), v = 0.8 * (1000 + omega);
    bool fine = CHECK_NEAR(hypot(run_read(&r, "ball.vx"), run_read(&r, "ball.vy")), v, 0.01 * v) &
                CHECK_NEAR(run_read(&r, "h.u"), omega, 0.1);
    fine &= CHECK_EQUAL((int)carom_sim_summary(r.sim).contact_impacts, 1) &
            CHECK_EQUAL((int)carom_sim_summary(r.sim).step_too_large, 0);
    if (!fine) printf("      %s\n", settings);
    run_close(&r);
  }
}

static const char between_walls[] =
    "gravity: [0, 0, 0]\nbodies: {b: {mass: 1 g, inertia: [1e-10, 1e-10, 1e-10]}}\njoints: {f: {free: [ground, b], at: "
    "[0.0123, 0, 0]}}\n"
    "surfaces: {b: {sphere: b, radius: 0.5 mm, material: m}, low: {box: ground, at: [-51 mm, 0, 0], size: [1 mm, 1, "
    "1], material: m}, "
    "high: {box: ground, at: [51 mm, 0, 0], size: [1 mm, 1, 1], material: m}}\n"
    "materials: {m: {restitution: 1}}\ninitial: {b: {velocity: [1000, 0, 0]}}\nmethod: {moreau: {step: 1 ms}}\n";

// Between two walls 0.1 m apart: 10 m in 10 ms are a hundred impacts, ten in each step.
static void a_ball_stays_between_two_walls(void) {
  run r;
  if (!run_open_text(&r, between_walls, NULL)) return;
  CHECK_LE(largest_until(&r, 10e-3, "b.x"), 50e-3);
  CHECK_NEAR(fabs(run_read(&r, "b.vx")), 1000, 1e-9);
  CHECK_NEAR((double)carom_sim_summary(r.sim).contact_impacts, 10e-3 * 1000 / 0.1, 1);
  CHECK_EQUAL((int)carom_sim_summary(r.sim).step_too_large, 0);
  run_close(&r);
}

// From a checkpoint after any step, also one that was cut short, a run goes on bit by bit.
static void a_resumed_run_goes_on(void) {
  run r;
  if (!run_open_text(&r, between_walls, NULL)) return;
  double *row = calloc((size_t)sim_checkpoint_size(r.sim), sizeof *row);
  for (int i = 0; i < 20; i++) {
    carom_sim *resumed = carom_sim_create(r.model, &r.error);
    sim_checkpoint(r.sim, row);
    CHECK(sim_resume(resumed, row, &r.error) == CAROM_OK);
    CHECK(carom_sim_step(resumed, 1, &r.error) == CAROM_OK && carom_sim_step(r.sim, 1, &r.error) == CAROM_OK);
    CHECK_EQUAL(carom_sim_time(resumed), carom_sim_time(r.sim));
    CHECK_EQUAL(carom_sim_read(resumed, carom_model_signal(r.model, "b.x")), run_read(&r, "b.x"));
    carom_sim_destroy(resumed);
  }
  free(row);
  run_close(&r);
}

static const char cage[] =
    "gravity: [0, 0, -9.81]\nbodies: {'p{i}': {repeat: {i: [0, 26]}, mass: 1 g, inertia: [1e-10, 1e-10, 1e-10]}}\n"
    "joints: {'f{i}': {repeat: {i: [0, 26]}, free: [ground, 'p{i}'], at: [0.1*(i - 3*floor(i/3) - 1), 0.1*(floor(i/3) "
    "- 3*floor(i/9) - 1), 0.1*(floor(i/9) - 1)]}}\n"
    "surfaces:\n  'p{i}': {repeat: {i: [0, 26]}, sphere: 'p{i}', radius: 2 mm, material: m}\n"
    "  a: {box: ground, at: [0.201, 0, 0], size: [2 mm, 0.41, 0.41], material: m}\n  b: {box: ground, at: [-0.201, 0, "
    "0], size: [2 mm, 0.41, 0.41], material: m}\n"
    "  c: {box: ground, at: [0, 0.201, 0], size: [0.41, 2 mm, 0.41], material: m}\n  d: {box: ground, at: [0, -0.201, "
    "0], size: [0.41, 2 mm, 0.41], material: m}\n"
    "  e: {box: ground, at: [0, 0, 0.201], size: [0.41, 0.41, 2 mm], material: m}\n  f: {box: ground, at: [0, 0, "
    "-0.201], size: [0.41, 0.41, 2 mm], material: m}\n"
    "materials: {m: {restitution: 0.9, friction: 0.1}}\n"
    "initial: {'p{i}': {repeat: {i: [0, 26]}, velocity: [200*sin(3*i + 1), 200*cos(5*i), 150*sin(7*i + 2)]}}\nmethod: "
    "{moreau: {step: 1 ms}}\n";

// A crowd in a cage of thin boxes, where pairs are found when they come near.
static void a_crowd_stays_in_its_cage(void) {
  run r;
  if (!run_open_text(&r, cage, NULL)) return;
  CHECK(r.sim->contacts->pool != NULL);
  run_to(&r, 20e-3);
  for (int i = 0; i < 27; i++)
    for (int k = 0; k < 3; k++) CHECK_LE(fabs(run_read(&r, "p%d.%c", i, "xyz"[k])), 0.199);
  CHECK_EQUAL((int)carom_sim_summary(r.sim).step_too_large, 0);
  CHECK(carom_sim_summary(r.sim).contact_impacts > 100);
  run_close(&r);
}

int main(void) {
  RUN(a_bullet_does_not_pass_under_moreau);
  RUN(a_bullet_does_not_pass_under_event);
  RUN(other_shapes_come_back);
  RUN(points_and_meshes_come_back);
  RUN(the_ledger_has_the_instant);
  RUN(small_spheres_meet);
  RUN(a_blade_hits_a_ball);
  RUN(a_ball_stays_between_two_walls);
  RUN(a_resumed_run_goes_on);
  RUN_OPTIMISED(a_crowd_stays_in_its_cage);
  return check_summary();
}
