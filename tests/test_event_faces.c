// Boxes and hulls on each other under method event: rest, sliding over edges, impacts of corners, edges and faces, with
// changes of features as events.
#include "colliding.h"
#include "long.h"
#include "runs.h"

#include "contact/contact.h"
#include "sim.h"

static int closed_points(run *r, const char *element) {
  const contact_world *w = &r->model->contacts;
  CHECK(sim_evaluate(r->sim, &r->error));
  const scheme_contact *now = r->sim->type->contacts(r->sim->scheme);
  int count = 0;
  for (int i = 0; i < w->element_count; i++)
    for (int k = 0; strcmp(w->elements[i].name, element) == 0 && k < w->elements[i].point_count; k++)
      count += now[w->elements[i].point0 + k].active;
  return count;
}

// --- rest ------------------------------------------------------------------------------------------------------------

static void expect_rest(run *r, int boxes, int corners, double end, double most) {
  char face[32];
  const double began = carom_sim_time(r->sim), x = run_read(r, "b%d.x", boxes), y = run_read(r, "b%d.y", boxes),
               z = run_read(r, "b%d.z", boxes);
  double moved = 0, deepest = 0;
  for (double t = began + 1; t < end + 0.5 && run_to(r, t); t += 1) {
    moved = fmax(moved, hypot(hypot(run_read(r, "b%d.x", boxes) - x, run_read(r, "b%d.y", boxes) - y),
                              run_read(r, "b%d.z", boxes) - z));
    for (int i = 1; i < boxes; i++) {
      snprintf(face, sizeof face, "s%d-s%d", i, i + 1);
      if (corners) CHECK_EQUAL(closed_points(r, face), corners);
      deepest = fmax(deepest, -run_read(r, "%s.gap", face));
      CHECK_NEAR(run_read(r, "%s.fn", face), (boxes - i) * 9.81, 1e-6);
    }
  }
  printf("    %d boxes, %g s to %g s: the top moved by at most %.1e m, overlap %.1e m\n", boxes, began,
         carom_sim_time(r->sim), moved, deepest);
  CHECK_LE(moved, most);
  CHECK_LE(deepest, most);
  CHECK_EQUAL(carom_sim_summary(r->sim).unsolved, 0);
}

static const char stack[] =
    "parameters: {n: 10, gap: 0, turn: 0, shift: 0}\n"
    "bodies: {'b{i}': {repeat: {i: [1, n]}, mass: 1, inertia: [0.00166, 0.00166, 0.00166]}}\n"
    "joints: {'f{i}': {repeat: {i: [1, n]}, free: [ground, 'b{i}'], at: [shift*sin(i), shift*cos(2*i), (0.1 + gap)*i - "
    "0.05]}}\n"
    "surfaces:\n"
    "  floor: {box: ground, size: [1, 1, 0.2], at: [0, 0, -0.1], material: m}\n"
    "  's{i}': {repeat: {i: [1, n]}, box: 'b{i}', size: [0.1, 0.1, 0.1], rotate: {axis: z, angle: turn*i}, material: "
    "m}\n"
    "materials: {m: {restitution: 0, friction: 0.5}}\nmethod: event\n";

// Equal boxes exactly above each other, whose edges coincide, have four points per face. Turned ones have the corners
// of their overlap.
static void a_stack_rests(void) {
  static const struct {
    const char *settings;
    int corners;
  } cases[] = {{"n=10", 4}, {"n=10 shift=0.003", 4}, {"n=4 shift=0.003 turn=0.1", 0}};
  for (int k = 0; k < 3; k++) {
    run r;
    if (!run_open_text(&r, stack, cases[k].settings)) continue;
    expect_rest(&r, k < 2 ? 10 : 4, cases[k].corners, 10, k < 2 ? 1e-11 : 1e-8);
    run_close(&r);
  }
}

// Boxes that fall on each other from 1 mm each land face on face.
static void a_stack_that_falls_settles(void) {
  run r;
  if (!run_open_text(&r, stack, long_form() ? "n=10 gap=0.001 shift=0.003" : "n=3 gap=0.001 shift=0.003 turn=0.1"))
    return;
  int boxes = long_form() ? 10 : 3;
  run_to(&r, 1);
  CHECK_NEAR(run_read(&r, "b%d.z", boxes), 0.1 * boxes - 0.05, 1e-10);
  expect_rest(&r, boxes, 0, 10, 1e-8);
  run_close(&r);
}

// On a slope, in the axes of the slope.
static void a_box_stays_or_slides_on_a_slope(void) {
  const double angle = 0.3, g = 9.81;
  for (int slides = 0; slides < 2; slides++) {
    run r;
    char text[1024];
    double friction = (slides ? 0.99 : 1.01) * tan(angle);
    snprintf(
        text, sizeof text,
        "gravity: [%.17g, 0, %.17g]\nbodies: {a: {mass: 2, inertia: [0.02, 0.02, 0.02]}}\njoints: {f: {free: [ground, "
        "a], at: [0, 0, 0.1]}}\n"
        "surfaces: {crate: {box: a, size: [0.2, 0.2, 0.2], material: m}, slope: {box: ground, size: [20, 1, 0.2], at: "
        "[5, 0, -0.1], material: m}}\n"
        "materials: {m: {restitution: 0, friction: %.17g}}\nmethod: event\nintegrator: {rtol: 1e-10, atol: 1e-10}\n",
        g * sin(angle), -g * cos(angle), friction);
    if (!run_open_text(&r, text, "")) continue;
    for (int k = 1; k <= 10 && run_to(&r, k); k++) {
      double x = slides ? 0.5 * g * (sin(angle) - friction * cos(angle)) * k * k : 0;
      CHECK_NEAR(run_read(&r, "a.x"), x, slides ? 1e-8 : 1e-9);
      CHECK_NEAR(run_read(&r, "a.z"), 0.1, 1e-12);
      CHECK_EQUAL(closed_points(&r, "crate-slope"), 4);
    }
    run_close(&r);
  }
}

// --- feature changes -------------------------------------------------------------------------------------------------

// A box of mass m and inertia I about its centre, h above the face that lies on an edge without friction. With ξ from
// the edge to the foot of the centre along the face, and the face tilted by θ, the centre is at ξ t + h n, t = (cos θ,
// -sin θ), n = (sin θ, cos θ), and Lagrange's equations are
//   θ̈ (m ξ² + I) = m (g ξ cos θ - h ξ θ̇² - 2 ξ ξ̇ θ̇),   ξ̈ = ξ θ̇² + g sin θ - h θ̈.
typedef struct tipping {
  double xi, theta, xi_rate, theta_rate;
} tipping;

static tipping tipping_rate(tipping y) {
  const double m = 1, I = 0.01, h = 0.1, g = 9.81, q = y.theta_rate;
  double turn = m * (g * y.xi * cos(y.theta) - h * y.xi * q * q - 2 * y.xi * y.xi_rate * q) / (m * y.xi * y.xi + I);
  return (tipping){y.xi_rate, q, y.xi * q * q + g * sin(y.theta) - h * turn, turn};
}

static tipping moved(tipping y, double step, tipping rate) {
  return (tipping){y.xi + step * rate.xi, y.theta + step * rate.theta, y.xi_rate + step * rate.xi_rate,
                   y.theta_rate + step * rate.theta_rate};
}

static tipping tip(double speed, double duration) {
  enum { STEPS = 2000 };
  tipping y = {.xi_rate = speed};
  double step = duration / STEPS;
  for (int i = 0; i < STEPS; i++) {
    tipping a = tipping_rate(y), b = tipping_rate(moved(y, 0.5 * step, a)), c = tipping_rate(moved(y, 0.5 * step, b)),
            d = tipping_rate(moved(y, step, c));
    y = moved(moved(moved(moved(y, step / 6, a), step / 3, b), step / 3, c), step / 6, d);
  }
  return y;
}

// It slides at 0.5 m/s and tips where its centre passes the edge of the table, 0.2 m from the start: at 0.4 s. The
// table is wider than the box, or narrower, or a hull.
static void a_box_that_slides_over_an_edge_tips(void) {
  static const char *const tables[] = {
      "box: ground, size: [1, 1, 0.2], at: [-0.3, 0, -0.1]", "box: ground, size: [1, 0.1, 0.2], at: [-0.3, 0.02, -0.1]",
      "hull: ground, points: [[0.2, -0.3, 0], [0.2, 0.3, 0], [-1, 0.3, 0], [-1, -0.3, 0], [0, 0, -0.5]]"};
  for (int k = 0; k < 3; k++) {
    run r;
    char text[1024];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nbodies: {a: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\njoints: {f: {free: [ground, "
             "a], at: [0, 0, 0.1]}}\n"
             "surfaces: {crate: {box: a, size: [0.3, 0.2, 0.2], material: m}, table: {%s, material: m}}\n"
             "materials: {m: {restitution: 0}}\ninitial: {a: {velocity: [0.5, 0, 0]}}\n"
             "method: event\nintegrator: {rtol: 1e-10, atol: 1e-10}\n",
             tables[k]);
    if (!run_open_text(&r, text, "")) continue;
    run_to(&r, 0.399);
    CHECK_NEAR(run_read(&r, "a.z"), 0.1, 1e-12);
    CHECK_NEAR(run_read(&r, "a.qy"), 0, 1e-12);
    for (double t = 0.42; t < 0.51 && run_to(&r, t); t += 0.02) {
      tipping y = tip(0.5, t - 0.4);
      double turned = 2 * asin(run_read(&r, "a.qy"));
      CHECK_NEAR(turned, y.theta, 1e-7);
      CHECK_NEAR(run_read(&r, "a.x"), 0.2 + y.xi * cos(y.theta) + 0.1 * sin(y.theta), 1e-7);
      CHECK_NEAR(run_read(&r, "a.z"), -y.xi * sin(y.theta) + 0.1 * cos(y.theta), 1e-7);
      CHECK_NEAR(run_read(&r, "energy.kinetic") + 9.81 * run_read(&r, "a.z"), 0.125 + 0.981, 1e-7);
    }
    CHECK_EQUAL(carom_sim_summary(r.sim).contact_impacts, 0);
    run_close(&r);
  }
}

// A box that turns and slides without friction on another: corners and crossings of edges come and go, and nothing
// changes its motion.
static const char turning[] =
    "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [0.00166, 0.00166, 0.00166]}}\njoints: {f: {free: [ground, "
    "b], at: [0.003, 0.007, 0.1]}}\n"
    "initial: {b: {omega: [0, 0, 3], velocity: [0.006, 0.004, 0]}}\n"
    "surfaces: {low: {box: ground, size: [0.1, 0.1, 0.1], material: m}, high: {box: b, size: [0.08, 0.11, 0.1], "
    "material: m}}\n"
    "materials: {m: {restitution: 0, friction: 0}}\nmethod: event\nintegrator: {type: erk, rtol: 1e-9, atol: 1e-9}\n";

static void a_box_turns_on_another(void) {
  run r;
  int changes = 0, before = 0;
  if (!run_open_text(&r, turning, "")) return;
  for (double t = 0.01; t < 2 && run_to(&r, t); t += 0.01) {
    int now = closed_points(&r, "low-high");
    CHECK(now >= 4 && now <= 8);
    changes += now != before, before = now;
    CHECK_NEAR(run_read(&r, "b.z"), 0.1, 1e-12);
    CHECK_NEAR(run_read(&r, "b.x"), 0.003 + 0.006 * t, 1e-9);
    CHECK_NEAR(run_read(&r, "low-high.fn"), 9.81, 1e-6);
  }
  CHECK_NEAR(run_read(&r, "f.u2"), 3, 1e-9);
  CHECK_LE(8, changes);
  CHECK_EQUAL(carom_sim_summary(r.sim).contact_impacts, 0);
  CHECK_EQUAL(carom_sim_summary(r.sim).contact_episodes, 1);
  run_close(&r);
}

// What points stand for is part of a checkpoint.
static void a_resumed_run_is_the_same(void) {
  run r;
  if (!run_open_text(&r, turning, "")) return;
  const double cuts[] = {0.031, 0.307, 0.6};
  for (int i = 0; i < 3 && run_to(&r, cuts[i]); i++) {
    double *row = calloc((size_t)sim_checkpoint_size(r.sim), sizeof *row);
    carom_sim *resumed = carom_sim_create(r.model, &r.error);
    if (CHECK(row && resumed)) {
      sim_checkpoint(r.sim, row);
      CHECK(sim_resume(resumed, row, &r.error) == CAROM_OK);
      CHECK(carom_sim_advance(resumed, cuts[i] + 0.05, &r.error) == CAROM_OK && run_to(&r, cuts[i] + 0.05));
      for (int s = 0; s < carom_model_signal_count(r.model); s++)
        CHECK(memcmp(&(double){carom_sim_read(resumed, s)}, &(double){carom_sim_read(r.sim, s)}, sizeof(double)) == 0);
    }
    carom_sim_destroy(resumed);
    free(row);
  }
  run_close(&r);
}

// Also where the features of open points have changed at the end of a step: each step from a checkpoint is the step of
// the run.
static void each_step_can_be_resumed(void) {
  static const char *const tumbling =
      "gravity: [0, 0, -9.81]\nmaterials: {m: {friction: 0.3, restitution: 0.5}}\nmethod: event\nintegrator: erk\n"
      "bodies: {a: {mass: 1, inertia: [0.01, 0.008, 0.006]}}\njoints: {f: {free: [ground, a], at: [0.05, 0.02, 0.5]}}\n"
      "surfaces: {crate: {box: a, size: [0.3, 0.2, 0.1], material: m}, table: {box: ground, size: [2, 2, 0.2], at: [0, "
      "0, -0.1], material: m}}\n"
      "initial: {a: {velocity: [0.3, 0.1, 0], omega: [3, 5, 2]}}\n";
  run r;
  if (!run_open_text(&r, tumbling, "")) return;
  carom_sim *resumed = carom_sim_create(r.model, &r.error);
  double *row = calloc((size_t)sim_checkpoint_size(r.sim), sizeof *row);
  for (int k = 0; k < 60 && CHECK(row && resumed); k++) {
    sim_checkpoint(r.sim, row);
    if (!CHECK(sim_resume(resumed, row, &r.error) == CAROM_OK)) break;
    if (!CHECK(carom_sim_step(r.sim, 10, &r.error) == CAROM_OK && carom_sim_step(resumed, 10, &r.error) == CAROM_OK))
      break;
    CHECK(carom_sim_time(resumed) == carom_sim_time(r.sim));
  }
  free(row);
  carom_sim_destroy(resumed);
  run_close(&r);
}

// A crate that spins and slides over the corner of a table turns about all axes as it falls. Method moreau agrees, the
// better the shorter its step. With friction the motion would depend on how the points share the load, which is not
// unique.
static void a_crate_falls_off_a_corner_as_under_moreau(void) {
  static const char *const text =
      "gravity: [0, 0, -9.81]\nbodies: {a: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\njoints: {f: {free: [ground, a], "
      "at: [0.1, 0.07, 0.1]}}\n"
      "surfaces: {crate: {box: a, size: [0.3, 0.2, 0.2], rotate: {axis: z, angle: 0.2}, material: m}, table: {box: "
      "ground, size: [0.4, 0.4, 0.2], at: [0, 0, -0.1], material: m}}\n"
      "materials: {m: {restitution: 0}}\ninitial: {a: {velocity: [0.8, 0.6, 0], omega: [0, 0, 1]}}\n";
  double off[2], place[3][6];
  for (int k = 0; k < 3; k++) {
    run r;
    char model[2048];
    snprintf(model, sizeof model, "%smethod: %s\n", text,
             k == 0   ? "event\nintegrator: {rtol: 1e-9, atol: 1e-9}"
             : k == 1 ? "{moreau: {step: 4e-5}}"
                      : "{moreau: {step: 1e-5}}");
    if (!run_open_text(&r, model, "")) return;
    run_to(&r, 0.45);
    const char *const names[] = {"a.x", "a.y", "a.z", "a.qx", "a.qy", "a.qz"};
    for (int i = 0; i < 6; i++) place[k][i] = run_read(&r, "%s", names[i]);
    run_close(&r);
  }
  CHECK(place[0][2] < 0);  // it has fallen
  for (int k = 0; k < 2; k++) {
    off[k] = 0;
    for (int i = 0; i < 6; i++) off[k] = fmax(off[k], fabs(place[k + 1][i] - place[0][i]));
  }
  printf("    moreau is off by %.1e with a step of 4e-5 s, by %.1e with 1e-5 s\n", off[0], off[1]);
  CHECK_LE(off[0], 1e-3);
  CHECK_LE(off[1], 0.5 * off[0]);
}

// --- impacts ---------------------------------------------------------------------------------------------------------

// An edge on a face, a corner on a face, edges that cross, a face on a face; two bodies in space without friction.
// Momentum, moment of momentum and, without loss, energy last; the speed of approach at the points that touch returns
// e-fold.
static void impacts_keep_momentum_and_energy(void) {
  for (int k = 0; k < COLLIDING_TURNS; k++)
    for (int shape = 0; shape < COLLIDING_SHAPES; shape++)
      for (int elastic = 0; elastic < 2; elastic++) {
        run r;
        if (!open_colliding(&r, k, shape, elastic ? "1" : "0.5", "event\nintegrator: {rtol: 1e-11, atol: 1e-11}"))
          continue;
        run_to(&r, 0.8);
        double va[3] = {run_read(&r, "a.vx"), run_read(&r, "a.vy"), run_read(&r, "a.vz")},
               vb[3] = {run_read(&r, "b.vx"), run_read(&r, "b.vy"), run_read(&r, "b.vz")};
        double pa[3] = {run_read(&r, "a.x"), run_read(&r, "a.y"), run_read(&r, "a.z")},
               pb[3] = {run_read(&r, "b.x"), run_read(&r, "b.y"), run_read(&r, "b.z")};
        double wa[3] = {run_read(&r, "a.wx"), run_read(&r, "a.wy"), run_read(&r, "a.wz")},
               wb[3] = {run_read(&r, "b.wx"), run_read(&r, "b.wy"), run_read(&r, "b.wz")};
        CHECK(va[0] < 0.9);
        for (int i = 0; i < 3; i++) {
          int j = (i + 1) % 3, l = (i + 2) % 3;
          CHECK_NEAR(2 * va[i] + vb[i], i == 0 ? 2 : 0, 1e-12);
          CHECK_NEAR(2 * (pa[j] * va[l] - pa[l] * va[j]) + pb[j] * vb[l] - pb[l] * vb[j] + 0.05 * wa[i] + 0.02 * wb[i],
                     0, 1e-9);
        }
        double kinetic = run_read(&r, "energy.kinetic");
        if (elastic) CHECK_NEAR(kinetic, 1, 1e-9);
        else CHECK(kinetic < 1 - 1e-3);
        CHECK_LE(1, carom_sim_summary(r.sim).contact_impacts);
        CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
        run_close(&r);
      }
}

// Face on face, in a central impact: the relative speed returns e-fold. After the last bounce of infinitely many the
// boxes rest, at v (1 + e)/(1 - e)/g after the first impact.
static void a_box_bounces_flat(void) {
  run r;
  const double e = 0.5, v = sqrt(2 * 9.81 * 0.2);
  if (!run_open_text(
          &r,
          "gravity: [0, 0, -9.81]\nbodies: {a: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\njoints: {f: {free: [ground, "
          "a], at: [0, 0, 0.3]}}\n"
          "surfaces: {crate: {box: a, size: [0.2, 0.2, 0.2], material: m}, table: {box: ground, size: [1, 1, 0.2], at: "
          "[0, 0, -0.1], material: m}}\n"
          "materials: {m: {restitution: 0.5, friction: 0.3}}\nmethod: event\nintegrator: {rtol: 1e-11, atol: 1e-11}\n",
          ""))
    return;
  double first = v / 9.81, t = first + e * v / 9.81;  // the top of the first hop
  run_to(&r, t);
  CHECK_NEAR(run_read(&r, "a.vz"), 0, 1e-9);
  CHECK_NEAR(run_read(&r, "a.z"), 0.1 + 0.5 * e * e * v * v / 9.81, 1e-9);
  run_to(&r, first + 2 * e * v / (9.81 * (1 - e)) + 0.01);
  CHECK_NEAR(run_read(&r, "a.z"), 0.1, 1e-9);
  CHECK_EQUAL(closed_points(&r, "crate-table"), 4);
  run_close(&r);
}

// --- refusals --------------------------------------------------------------------------------------------------------

static void other_flat_pairs_are_refused_by_name(void) {
  static const char *const kinds[][2] = {{"cylinder", "box"},      {"cone", "box"},     {"capsule", "box"},
                                         {"cylinder", "cylinder"}, {"capsule", "hull"}, {"box", "height_field"}};
  static const char *const pairs[][2] = {
      {"cylinder: a, radius: 0.1, length: 0.2", "box: ground, size: [1, 1, 0.2]"},
      {"cone: a, radius: 0.1, height: 0.2", "box: ground, size: [1, 1, 0.2]"},
      {"capsule: a, radius: 0.1, length: 0.2", "box: ground, size: [1, 1, 0.2]"},
      {"cylinder: a, radius: 0.1, length: 0.2", "cylinder: ground, radius: 1, length: 0.2"},
      {"capsule: a, radius: 0.1, length: 0.2", "hull: ground, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]"},
      {"box: a, size: [0.1, 0.1, 0.1]", "height_field: ground, columns: 2, spacing: 1, heights: [0, 0, 0, 0]"}};
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    char text[1024];
    run r;
    snprintf(text, sizeof text,
             "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {f: {free: [ground, a], at: [0, 0, 2]}}\n"
             "surfaces: {part: {%s, material: m}, table: {%s, material: m}}\nmaterials: {m: {restitution: "
             "0.5}}\nmethod: event\n",
             pairs[k][0], pairs[k][1]);
    const char *path = scratch("model.yaml");
    CHECK(write_text(path, text) && !run_try(&r, path, NULL));
    snprintf(text, sizeof text, "'part-table': method event does not support this %s with this %s", kinds[k][0],
             kinds[k][1]);
    CHECK_CONTAINS(r.error.text, text);
    CHECK_CONTAINS(r.error.text, "use method moreau, stewart-trinkle or compliant");
    run_close(&r);
  }
}

// A spline among polygons, so many that pairs are found as they come near.
static void hollow_curves_in_a_crowd_are_refused(void) {
  static const char *const text =
      "space: planar\nmaterials: {m: {restitution: 0}}\nmethod: event\n"
      "bodies:\n  p{i}: {repeat: {i: [1, 12]}, mass: 1, inertia: 0.01}\n  c: {mass: 1, inertia: 0.01}\n"
      "joints:\n  p{i}: {repeat: {i: [1, 12]}, free: [ground, \"p{i}\"], at: [0.5*i, 0.2]}\n  c: {free: [ground, c], "
      "at: [1, 1]}\n"
      "surfaces:\n  floor: {plane: ground, material: m}\n"
      "  p{i}: {repeat: {i: [1, 12]}, polygon: \"p{i}\", points: [[0.1, -0.1], [0.1, 0.1], [-0.1, 0.1], [-0.1, -0.1]], "
      "material: m}\n"
      "  c: {curve: c, points: [[0.1, 0], [0, 0.02], [-0.1, 0], [0, -0.1]], material: m}\n";
  run r;
  const char *path = scratch("model.yaml");
  CHECK(write_text(path, text) && !run_try(&r, path, NULL));
  CHECK_CONTAINS(r.error.text, "method event does not support this plane with this curve");
  run_close(&r);
}

int main(void) {
  RUN(a_stack_rests);
  RUN(a_stack_that_falls_settles);
  RUN(a_box_stays_or_slides_on_a_slope);
  RUN(a_box_that_slides_over_an_edge_tips);
  RUN(a_box_turns_on_another);
  RUN(a_resumed_run_is_the_same);
  RUN(each_step_can_be_resumed);
  RUN(a_crate_falls_off_a_corner_as_under_moreau);
  RUN(impacts_keep_momentum_and_energy);
  RUN(a_box_bounces_flat);
  RUN(other_flat_pairs_are_refused_by_name);
  RUN(hollow_curves_in_a_crowd_are_refused);
  RUN_LONG(a_stack_that_falls_settles, 120);
  return check_summary();
}
