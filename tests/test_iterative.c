// Method iterative: orders of convergence through contact, closed forms, and how many evaluations a step takes.
#include "long.h"
#include "rows.h"

#define ITERATIVE "method={\"iterative\":{\"step\":%.17g,\"form\":\"%s\",\"order\":\"%s\"}}"

typedef struct effort {
  long steps, evaluations;
  long fallbacks;
} effort;

static effort effort_of(const run *r) {
  carom_summary s = carom_sim_summary(r->sim);
  return (effort){s.steps, s.evaluations, s.fallbacks};
}

static double evaluations_per_step(effort from, effort to) {
  return (double)(to.evaluations - from.evaluations) / (double)(to.steps - from.steps);
}

// --- the double pendulum in space ------------------------------------------------------------------------------------

enum { NUMBERS = 20 };

typedef struct found {
  double x[NUMBERS];  // coordinates and speeds at the end
  double drift;       // of the mass centre sideways [m]
} found;

typedef struct variant {
  const char *settings, *form, *order;
} variant;

static bool swing(const variant *how, double step, double end, found *to) {
  run r;
  char settings[512];
  int length = snprintf(settings, sizeof settings, "%s ", how->settings);
  snprintf(settings + length, sizeof settings - (size_t)length, ITERATIVE, step, how->form, how->order);
  if (!run_open(&r, "double-pendulum-space", settings)) return false;
  double start[2] = {run_read(&r, "x"), run_read(&r, "y")};
  bool done = run_to(&r, end);
  for (int k = 0; k < 7; k++) to->x[k] = run_read(&r, "a.q%d", k);
  for (int k = 0; k < 4; k++) to->x[7 + k] = run_read(&r, "b.q%d", k);
  for (int k = 0; k < 6; k++) to->x[11 + k] = run_read(&r, "a.u%d", k);
  for (int k = 0; k < 3; k++) to->x[17 + k] = run_read(&r, "b.u%d", k);
  to->drift = hypot(run_read(&r, "x") - start[0], run_read(&r, "y") - start[1]);
  CHECK_EQUAL(effort_of(&r).fallbacks, 0);
  run_close(&r);
  return done;
}

static double apart(const found *a, const found *b) {
  double most = 0;
  for (int k = 0; k < NUMBERS; k++) most = fmax(most, fabs(a->x[k] - b->x[k]));
  return most;
}

// Runs with a step and its halves; differences of one to the next fall with the order. Returns the least order of
// differences that are well above rounding, 1e-12 after hundreds of steps.
static double order_of(variant how, double step, int halvings, double end, found *of) {
  double least = INFINITY, before = 0;
  for (int i = 0; i <= halvings; i++)
    if (!swing(&how, step / (1 << i), end, &of[i])) return 0;
  printf("    %s, %s, %s to %g s from %g s:", how.settings, how.form, how.order, end, step);
  for (int i = 0; i < halvings; i++) {
    double d = apart(&of[i], &of[i + 1]);
    if (i && d > 1e-12) least = fmin(least, log2(before / d));
    printf(" %.1e", d);
    before = d;
  }
  printf(", order %.2f\n", least);
  return least;
}

#define LOCATED(settings) ((variant){settings, "located", "rk4"})

// It falls 1 m onto a smooth plane and stays there. From 4 ms to 0.5 ms; order four, less what the place of the touch
// within its step changes in the error. The drift is an error as well.
static void a_smooth_touchdown_keeps_order_four(void) {
  found x[5];
  CHECK_LE(3.8, order_of(LOCATED("case=3"), 4e-3, 3, 3, x));
  printf("    drift %.1e %.1e %.1e %.1e m\n", x[0].drift, x[1].drift, x[2].drift, x[3].drift);
  CHECK_LE(x[2].drift, 1e-10);  // at 1 ms
  CHECK_LE(3.8, log2(x[0].drift / x[3].drift) / 3);
}

// Case 1 slides all the time at first, with friction 0.2.
static void sliding_keeps_order_four(void) {
  found x[4];
  CHECK_LE(3.7, order_of(LOCATED("case=1"), 8e-3, 2, 0.4, x));
}

// Case 2: it falls, sticks and slides in turn. Instants are located with order four where slip passes through zero, and
// with order three where linear forces are looked at within a step.
static void touch_stop_and_start_of_slip_keep_their_order(void) {
  found x[3];
  CHECK_LE(2.5, order_of(LOCATED("case=2"), 4e-3, 2, 3, x));
}

// Steps as in a_smooth_touchdown: gaps alone are asked for, so that the touch has the accidental restitution of its
// place in the step, but momentum sideways is kept as well as the method keeps it.
static void the_paper_keeps_the_mass_centre(void) {
  found x;
  if (!swing(&(variant){"case=3", "paper", "rk4"}, 1e-3, 3, &x)) return;
  printf("    drift %.1e m\n", x.drift);
  CHECK_LE(x.drift, 1e-6);
}

// Of sliding with friction: a constant force alternates about the true one by its change in a step.
static void the_paper_has_order_two(void) {
  found x[3];
  CHECK_NEAR(order_of((variant){"case=1", "paper", "rk4"}, 4e-3, 2, 0.4, x), 2, 0.1);
}

static void lower_orders_are_reached(void) {
  found x[3];
  CHECK_NEAR(order_of((variant){"case=1", "located", "rk3"}, 4e-3, 2, 0.4, x), 3, 0.1);
  CHECK_NEAR(order_of((variant){"case=1", "located", "midpoint"}, 4e-3, 2, 0.4, x), 2, 0.1);
  CHECK_NEAR(order_of((variant){"case=1", "located", "semi-implicit-euler"}, 4e-3, 2, 0.4, x), 1, 0.1);
}

// Steps in three parts are as accurate as steps of a third, but for what a linear force misses over the whole of them.
static void substeps_keep_the_order(void) {
#define IN_THREE "\",\"substeps\":3,\"impact\":\"newton"
  static const struct {
    const char *whole, *parts;
    double order;
  } of[] = {{"midpoint", "midpoint" IN_THREE, 2},
            {"semi-implicit-euler", "semi-implicit-euler" IN_THREE, 1},
            {"rk4", "rk4" IN_THREE, 4}};
  for (int k = 0; k < 3; k++) {
    found x[4], y[4];
    const double step = k < 2 ? 4e-3 : 8e-3,
                 whole = order_of((variant){"case=1", "located", of[k].whole}, step, 2, 0.4, x),
                 parts = order_of((variant){"case=1", "located", of[k].parts}, step, 2, 0.4, y);
    const double less = apart(&y[0], &y[1]) / apart(&x[0], &x[1]);
    printf("    %s: order %.2f and in substeps %.2f, errors are %.3f of those without\n", of[k].whole, whole, parts,
           less);
    CHECK_NEAR(parts, of[k].order, k < 2 ? 0.1 : 0.3);
    CHECK_LE(less, k < 2 ? 1.1 * pow(3, -of[k].order) : 1);
  }
}

static void explicit_euler_is_refused(void) {
  run r;
  CHECK(!run_try(&r, CHECK_SOURCE_DIR "/models/double-pendulum-space.yaml",
                 "method={\"iterative\":{\"step\":1e-3,\"order\":\"explicit-euler\"}}"));
  CHECK_CONTAINS(r.error.text, "do not depend on the forces");
  run_close(&r);
  CHECK(!run_try(&r, CHECK_SOURCE_DIR "/models/bouncing-ball.yaml",
                 "method={\"iterative\":{\"step\":1e-3,\"form\":\"paper\"}}"));
  CHECK_CONTAINS(r.error.text, "has a restitution");
  run_close(&r);
  CHECK(!run_try(&r, CHECK_SOURCE_DIR "/models/bouncing-ball.yaml",
                 "method={\"iterative\":{\"step\":1e-3,\"substeps\":2000}}"));
  CHECK_CONTAINS(r.error.text, "at most 1000 substeps");
  run_close(&r);
}

// --- closed forms ----------------------------------------------------------------------------------------------------

// With e = 0.5 from 1 m: impacts at t1, 2 t1, 2.5 t1 … t1 = sqrt(2 h/g), at rest after 3 t1. Between impacts the motion
// is a parabola, which the method follows exactly. Bounces below 1e-11 m are summed in closed form.
static void a_ball_bounces_as_in_closed_form(void) {
  const double t1 = sqrt(2 / 9.81), v1 = 9.81 * t1;
  run r;
  if (!run_open(&r, "bouncing-ball", "e=0.5 gravity=[0,-9.81] method={\"iterative\":{\"step\":0.01}}")) return;
  double t = t1, v = v1;
  for (int k = 0; k < 6; k++) {  // halfway up after each impact
    v *= 0.5;
    double up = 0.5 * v / 9.81;
    if (!run_to(&r, t + up)) return;
    CHECK_NEAR(run_read(&r, "fall.q2"), v * up - 0.5 * 9.81 * up * up, 1e-11);
    t += 2 * v / 9.81;
  }
  CHECK(run_to(&r, 3 * t1 + 0.1));
  CHECK_NEAR(run_read(&r, "fall.q2"), 0, 1e-11);
  CHECK_NEAR(run_read(&r, "ball-floor.fn"), 9.81, 1e-9);
  run_close(&r);
}

// A ball of e = 0 that falls from h touches within a step, with a gap g0 and a rate v0 at its start. A constant force
// that makes the gap vanish at its end leaves v1 = -v0 - 2 g0/dt, here exactly: weight and force are constant.
static void the_paper_rebounds_by_accident(void) {
  const double dt = 0.01, g = 9.81;
  for (double h = 1; h < 1.05; h += 0.01) {
    run r;
    char settings[256];
    snprintf(settings, sizeof settings, "e=0 h=%.17g gravity=[0,-9.81] " ITERATIVE, h, dt, "paper", "rk4");
    if (!run_open(&r, "bouncing-ball", settings)) return;
    double t0 = floor(sqrt(2 * h / g) / dt) * dt, g0 = h - 0.5 * g * t0 * t0, v0 = -g * t0, v1 = -v0 - 2 * g0 / dt;
    if (run_to(&r, t0 + dt)) {
      CHECK_NEAR(run_read(&r, "fall.q2"), 0, 1e-12);
      CHECK_NEAR(run_read(&r, "fall.u2"), v1, 1e-9);
      CHECK_LE(v1, -v0);
    }
    printf("    from %.2f m: comes with %.3f m/s and leaves with %.3f m/s\n", h, -v0, v1);
    run_close(&r);
  }
}

// In lasting contact the rate changes its sign from step to step, and so the force m (g - 2 v/dt) alternates about the
// weight. The ball begins on the floor with a fifth of what its weight changes in a step. Under form: located the force
// is the weight after the touch.
static void forces_of_the_paper_alternate(void) {
  const double dt = 0.01, g = 9.81, v = 0.2 * g * dt;
  for (int k = 0; k < 2; k++) {
    run r;
    char settings[256];
    snprintf(settings, sizeof settings, "e=0 h=0 gravity=[0,-9.81] initial.fall.u=[0,0,%.17g] " ITERATIVE, k ? -v : v,
             dt, k ? "located" : "paper", "rk4");
    if (!run_open(&r, "bouncing-ball", settings)) return;
    for (int i = 1; i <= 20 && run_to(&r, i * dt); i++) {
      CHECK_NEAR(run_read(&r, "fall.q2"), 0, 1e-15);
      CHECK_NEAR(run_read(&r, "fall.u2"), k ? 0 : i % 2 ? -v : v, 1e-12);
      CHECK_NEAR(run_read(&r, "ball-floor.fn"), k ? g : i % 2 ? 0.6 * g : 1.4 * g, 1e-9);
    }
    run_close(&r);
  }
}

// A block thrown up a slope slides, stops and stays, on two corners: after v0/a at v0²/2a with a = g (sin + mu cos).
static void a_block_thrown_up_a_slope_stops_and_stays(void) {
  const double slope = 20 * M_PI / 180, a = 9.81 * (sin(slope) + 0.5 * cos(slope)), v0 = 3;
  run r;
  if (!run_open(&r, "incline-box", "initial.box.velocity=[-3,0] method={\"iterative\":{\"step\":0.01}}")) return;
  if (!run_to(&r, 0.99 * v0 / a)) return;
  CHECK_NEAR(run_read(&r, "rest.u1"), -0.01 * v0, 1e-9);
  for (int k = 1; k <= 2; k++) {
    if (!run_to(&r, k * v0 / a + 1e-9 * (k == 1))) return;
    CHECK_NEAR(run_read(&r, "rest.q1"), -v0 * v0 / (2 * a), 1e-9);
    CHECK_NEAR(run_read(&r, "rest.u1"), 0, 1e-9);
  }
  CHECK_NEAR(run_read(&r, "energy.friction"), 0.5 * 3 * v0 * v0 - 3 * 9.81 * sin(slope) * v0 * v0 / (2 * a), 1e-8);
  run_close(&r);
}

// --- slips in space that turn and end ----------------------------------------------------------------------------------

// A stone thrown across a slope that is flatter than friction: with b = g sin, A = mu g cos < b its slip r at an angle
// θ to the line of fall follows ṙ = b cosθ - A, r θ̇ = -b sinθ, and turns into the line of fall while it ends, the
// faster the slower it is: θ ~ r^(b/(A-b)). Since A ṙ + b d(r cosθ)/dt = b² - A², and in the same way for the squares,
// it ends after A r0/(A² - b²), lower by b r0²/4(A² - b²) and aside by r0²/(2A - b²/2A).
static const char slope[] =
    "parameters: {dt: 1e-3, mu: 0.5, b: 3, A: 4.5}\ngravity: [b, 0, -A/mu]\n"
    "bodies:\n  stone: {mass: 1, inertia: [0.01, 0.01, 0.01]}\njoints:\n  free: {free: [ground, stone]}\n"
    "markers:\n  foot: {on: stone}\nsurfaces:\n  foot: {point: foot, material: rock}\n"
    "  floor: {plane: ground, material: rock}\nmaterials:\n  rock: {friction: mu}\n"
    "initial:\n  free: {u: [0, 0, 0, 0, 1, 0]}\nmethod: {iterative: {step: dt}}\nend: 1\n";

static bool throw_stone(double b, double A, double step, double *error) {
  run r;
  char settings[96];
  snprintf(settings, sizeof settings, "dt=%g b=%.17g", step, b);
  if (!run_open_text(&r, slope, settings)) return false;
  bool done = run_to(&r, 2 * A / (A * A - b * b));
  *error = hypot(run_read(&r, "stone.x") - b / (4 * (A * A - b * b)),
                 run_read(&r, "stone.y") - 1 / (2 * A - b * b / (2 * A)));
  CHECK_NEAR(hypot(run_read(&r, "stone.vx"), run_read(&r, "stone.vy")), 0, 1e-12);
  CHECK_EQUAL(effort_of(&r).fallbacks, 0);
  run_close(&r);
  return done;
}

// Steps shrink with the slip such that each decade of it has an error of order four, see scheme/iterative_located.c.
// From the step on at which they may shrink as far as that asks for; coarser ones have a bound of a thousandth.
static void a_slip_that_turns_ends_with_its_order(void) {
  const double shares[] = {0.15, 0.5, 0.8}, A = 4.5;
  for (int k = 0; k < 3; k++) {
    double error[3];
    for (int i = 0; i < 3; i++)
      if (!throw_stone(shares[k] * A, A, 4e-3 / (1 << i), &error[i])) return;
    printf("    b/A = %.2f: place to %.1e %.1e %.1e m, order %.2f\n", shares[k], error[0], error[1], error[2],
           log2(error[1] / error[2]));
    CHECK_LE(3.5, log2(error[1] / error[2]));
    CHECK_LE(error[2], 1e-10);
  }
}

// A stone at rest under a force that grows and turns: it comes loose, slides along a curve and stops, again and again.
static const char pushed[] =
    "parameters: {dt: 1e-3}\ngravity: [0, 0, -9]\n"
    "bodies:\n  stone: {mass: 1, inertia: [0.01, 0.01, 0.01]}\njoints:\n  free: {free: [ground, stone]}\n"
    "markers:\n  foot: {on: stone}\nsurfaces:\n  foot: {point: foot, material: rock}\n"
    "  floor: {plane: ground, material: rock}\nmaterials:\n  rock: {friction: 0.5}\n"
    "forces:\n  push: {force: stone, components: [5*sin(2*t)*cos(3*t), 5*sin(2*t)*sin(3*t), 0]}\n"
    "method: {iterative: {step: dt}}\nend: 3\n";

// A slip that begins is stiff. Friction that turns evenly over a step follows it with order three, in whole steps.
static void a_slip_that_turns_begins_with_its_order(void) {
  double x[4][2], d[3];
  for (int i = 0; i < 4; i++) {
    run r;
    char settings[32];
    snprintf(settings, sizeof settings, "dt=%g", 4e-3 / (1 << i));
    if (!run_open_text(&r, pushed, settings)) return;
    if (!run_to(&r, 3)) return;
    x[i][0] = run_read(&r, "stone.x"), x[i][1] = run_read(&r, "stone.y");
    CHECK_LE((double)effort_of(&r).steps, 1.2 * 3 / (4e-3 / (1 << i)));
    CHECK_EQUAL(effort_of(&r).fallbacks, 0);
    run_close(&r);
  }
  for (int i = 0; i < 3; i++) d[i] = hypot(x[i][0] - x[i + 1][0], x[i][1] - x[i + 1][1]);
  printf("    %.1e %.1e %.1e m, order %.2f %.2f\n", d[0], d[1], d[2], log2(d[0] / d[1]), log2(d[1] / d[2]));
  CHECK_LE(2.5, fmin(log2(d[0] / d[1]), log2(d[1] / d[2])));
}

// Case 1 to 3 s: P1 slides in space, sticks and slides.
static void slips_of_the_double_pendulum_keep_their_order(void) {
  found x[4];
  CHECK_LE(2.5, order_of(LOCATED("case=1"), 4e-3, 3, 3, x));
}

// --- curved, moving, flexible ----------------------------------------------------------------------------------------

// A pin falls within a circle of 1 m, touches without rebound and slides along it with friction.
static const char bowl[] =
    "space: planar\ngravity: [0, -9.81]\nbodies:\n  pin: {mass: 1, inertia: 0.01}\n"
    "joints:\n  bowl: {revolute: [ground, pin], clearance: 1 m, radius: 1.01, material: ice}\n"
    "materials:\n  ice: {friction: 0.1, restitution: 0}\n"
    "initial:\n  pin: {velocity: [1, 0]}\nparameters: {dt: 1e-3}\n"
    "method: {iterative: {step: dt}}\nend: 1\n";

static void sliding_in_a_bowl_keeps_order_four(void) {
  double x[3][4];
  for (int i = 0; i < 3; i++) {
    run r;
    char settings[64];
    snprintf(settings, sizeof settings, "dt=%g", 4e-3 / (1 << i));
    if (!run_open_text(&r, bowl, settings)) return;
    if (!run_to(&r, 0.9)) return;
    double at[4] = {run_read(&r, "pin.x"), run_read(&r, "pin.y"), run_read(&r, "pin.vx"), run_read(&r, "pin.vy")};
    memcpy(x[i], at, sizeof at);
    run_close(&r);
  }
  double d[2] = {0};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 4; k++) d[i] = fmax(d[i], fabs(x[i][k] - x[i + 1][k]));
  printf("    %.1e %.1e, order %.2f\n", d[0], d[1], log2(d[0] / d[1]));
  CHECK_LE(3.5, log2(d[0] / d[1]));
}

// A rod lands on a table that moves up; y and vy are relative to the table.
static const char table[] =
    "space: planar\nparameters: {v: 0, a: 0, b: 0, g: 9.81, vy: 0, dt: 4e-3, y0: 0.6, w0: 0.3}\ngravity: [0, -g]\n"
    "bodies:\n  rod: {mass: 1, inertia: 0.1}\n  table: {mass: 1, inertia: 1}\n"
    "joints:\n  free: {free: [ground, rod]}\n  lift: {prismatic: [ground, table], axis: y}\n"
    "drives:\n  motor: {joint: lift, motion: v*t + a*(t - sin(8*t)/8)}\n"
    "forces:\n  frame: {force: rod, components: [0, -8*b*sin(8*t)]}\n"
    "markers:\n  tip: {on: rod, at: [0, -0.5]}\n"
    "surfaces:\n  tip: {point: tip, material: wood}\n  table: {plane: table, material: wood}\n"
    "materials:\n  wood: {friction: 0.2}\n"
    "initial:\n  free: {q: [0.4, 0, y0], u: [w0, 0.3, vy]}\n"
    "outputs:\n  y: rod.y - v*t - a*(t - sin(8*t)/8)\n  w: rod.vy - v - a*(1 - cos(8*t))\n"
    "method: {iterative: {step: dt}}\nend: 0.5\n";

enum { LANDED = 5 };  // place and velocity relative to the table, and the contact force, mean of two steps

static bool land(const char *method, double step, const char *start, const char *settings, double to[LANDED]) {
  run r;
  char all[192];
  snprintf(all, sizeof all, "method={\"%s\":{\"step\":%.17g}} %s %s", method, step, start, settings);
  if (!run_open_text(&r, table, all)) return false;
  bool done = run_to(&r, 0.5 - step);
  to[4] = 0.5 * run_read(&r, "tip-table.fn");
  done = done && run_to(&r, 0.5);
  to[4] += 0.5 * run_read(&r, "tip-table.fn");
  const char *const names[] = {"rod.x", "rod.vx", "y", "w"};
  for (int k = 0; k < 4; k++) to[k] = run_read(&r, "%s", names[k]);
  run_close(&r);
  return done;
}

// A table that moves evenly is a frame like any other. Forces of lcp-position are 2/h² times gaps, whose rounding is
// 1e-16 m: at 4 ms 1e-11 N. One that accelerates has a weight -m y'' in its frame: there both descriptions differ by
// the error of the method, with order one where a touch belongs to a whole step. Under lcp-position the rod starts on
// the table there: a fall ends in a rebound by accident (theory.md, 10.7).
static void a_moving_table_is_another_frame(void) {
  static const struct {
    const char *method;
    double step, order;
    int halvings;
    const char *start;
  } methods[] = {{"iterative", 8e-3, 3.5, 1, "w0=0.2"},
                 {"lcp-position", 2e-2, 0.8, 2, "y0=0.5*cos(0.4) w0=0"},
                 {"stewart-trinkle", 4e-3, 0.8, 4, "w0=0.2"}};
  for (int i = 0; i < 3; i++) {
    double still[LANDED], moving[LANDED], d[2] = {0}, worst = 0;
    if (!land(methods[i].method, 4e-3, methods[i].start, "", still) ||
        !land(methods[i].method, 4e-3, methods[i].start, "v=0.7 vy=0.7", moving))
      return;
    for (int k = 0; k < LANDED; k++) worst = fmax(worst, fabs(still[k] - moving[k]));
    CHECK_LE(worst, 1e-9);
    CHECK(still[4] > 0);
    for (int k = 0; k < 2; k++) {
      double step = methods[i].step / (k ? 1 << methods[i].halvings : 1);
      if (!land(methods[i].method, step, methods[i].start, "b=0.3", still) ||
          !land(methods[i].method, step, methods[i].start, "a=0.3", moving))
        return;
      for (int j = 0; j < 4; j++) d[k] = fmax(d[k], fabs(still[j] - moving[j]));
    }
    double order = log2(d[0] / d[1]) / methods[i].halvings;
    printf("    %s: even %.1e; accelerated %.1e %.1e, order %.2f\n", methods[i].method, worst, d[0], d[1], order);
    CHECK_LE(methods[i].order, order);
  }
}

// A fall under lcp-position. A touch at a gap that is off by d ends with a speed that is off by 2 d/h, and after a
// flight of T the gap is off by 2 T d/h: a factor of 144 from the first touch to the second, and of 16 to the third.
// From a rounding of 2e-16 m the gaps come to 5e-13 m. The speed after the third touch is off by 2/h times that, and
// the force of a step by 2 m/h² times: 6e-8 N, of forces up to 532 N.
static void a_fall_on_a_moving_table_is_that_on_a_fixed_one(void) {
  double still[LANDED], moving[LANDED];
  if (!land("lcp-position", 4e-3, "w0=0.2", "", still) || !land("lcp-position", 4e-3, "w0=0.2", "v=0.7 vy=0.7", moving))
    return;
  double worst = 0;
  for (int k = 0; k < 4; k++) worst = fmax(worst, fabs(still[k] - moving[k]));
  printf("    state %.1e, force %.1e of 532 N\n", worst, fabs(still[4] - moving[4]) / 532);
  CHECK_LE(worst, 1e-9);
  CHECK(still[4] > 0);
  CHECK_LE(fabs(still[4] - moving[4]), 1e-9 * 532);
}

// Two flexible links under a ceiling at y = 0.5 that the end P meets from below. The first impact excites the axial
// shapes, whose rebound makes the second 47 us later; the third comes 0.28 s after these. Axial shapes are not damped,
// and turn by ω = 11 000 rad/s: a Runge-Kutta step of h takes (ωh)⁶/144 of their amplitude and (ωh)⁵/120 rad of their
// phase. At h = 5e-5 this is two thirds of the amplitude and 2 rad until the third impact, at 2.5e-5 it is 3 % and
// 0.15 rad, at 1.25e-5 0.1 % and 0.01 rad: from there on the impulses converge. The model takes four substeps.
enum { STRIKES = 3 };
typedef struct strikes {
  double t[STRIKES], impulse[STRIKES];
  int count;
} strikes;

static bool strike(const char *settings, strikes *to) {
  static rows list;
  run r;
  if (!rows_open(&r, "manipulator-contact", settings, &list)) return false;
  bool done = run_to(&r, 0.65);
  sim_close_episodes(r.sim);
  CHECK_EQUAL(effort_of(&r).fallbacks, 0);
  CHECK_LE(carom_sim_summary(r.sim).deepest_penetration, 1e-9);  // P does not pass the ceiling
  to->count = list.count < STRIKES ? list.count : STRIKES;
  for (int i = 0; i < to->count; i++) to->t[i] = list.row[i].start, to->impulse[i] = list.row[i].impulse_normal;
  run_close(&r);
  return done;
}

// The largest relative difference of impulses, and of instants in seconds.
static double strikes_apart(const strikes *a, const strikes *b, double *dt) {
  double most = a->count == b->count ? 0 : INFINITY;
  *dt = 0;
  for (int i = 0; i < a->count && i < b->count; i++) {
    most = fmax(most, fabs(a->impulse[i] / b->impulse[i] - 1));
    *dt = fmax(*dt, fabs(a->t[i] - b->t[i]));
  }
  return most;
}

// Event by event at 1e-11 the second impulse is off by 1e-7, which the shortest step is better than.
static void impacts_of_flexible_links_converge(void) {
  enum { STEPS = 5 };
  strikes x[STEPS], exact, moved;
  double dt, before = 0;
  int steps = long_form() ? STEPS : STEPS - 1;
  if (!strike("method=event integrator.rtol=1e-12 integrator.atol=1e-12", &exact)) return;
  if (!strike("ceiling=0.5000000001 method=event integrator.rtol=1e-12 integrator.atol=1e-12", &moved)) return;
  double sensitive = strikes_apart(&moved, &exact, &dt);
  printf("    a ceiling that is higher by 1e-10 m: impulses change by %.1e, instants by %.1e s\n", sensitive, dt);
  CHECK_LE(sensitive, 1e-6);
  for (int i = 0; i < steps; i++) {
    char settings[64];
    snprintf(settings, sizeof settings, "dt=%g", 2e-4 / (1 << i));
    if (!strike(settings, &x[i]) || !CHECK_EQUAL(x[i].count, STRIKES)) return;
    double off = strikes_apart(&x[i], &exact, &dt);
    printf("    %8.2e s: %.4f %.4f %.4f N s, at most %.1e from event, instants %.1e s\n", 2e-4 / (1 << i),
           x[i].impulse[0], x[i].impulse[1], x[i].impulse[2], off, dt);
    if (i == 3) CHECK_LE(strikes_apart(&x[3], &x[2], &dt), 1e-3);
    if (i == 3) CHECK_LE(dt, 1e-7);
    if (i >= 3) CHECK_LE(3.5, log2(before / off));  // of order four
    before = off;
  }
  CHECK_NEAR(exact.t[0], 0.36, 1e-3);
}

// What the oscillation loses depends on the substeps alone: four of them leave of the third impulse what single steps
// of a quarter of the length do, which misses it by a hundred times as much as both differ.
static void substeps_follow_fast_oscillations(void) {
  strikes whole, parts, exact;
  if (!strike("method=event integrator.rtol=1e-11 integrator.atol=1e-11", &exact) ||
      !strike("dt=5e-5 method.iterative.substeps=1", &whole) || !strike("dt=2e-4", &parts))
    return;
  const double missed = whole.impulse[2] / exact.impulse[2] - 1, differ = parts.impulse[2] / whole.impulse[2] - 1;
  printf("    single steps miss the third impulse by %.2e, and differ from substeps by %.1e\n", missed, differ);
  CHECK_LE(missed, -0.01);
  CHECK_LE(fabs(differ), 0.02 * fabs(missed));
}

// Without the axial shapes P is heavier at the first impact, and there is no second: its impulse lies between that of
// the first and that of both. The two models are not the same motion, and their later impacts differ more.
static void axial_shapes_change_the_impacts(void) {
#define TRANSVERSE "bodies.link1.modes.axial=[] bodies.link2.modes.axial=[] "
#define EXACTLY    "method=event integrator.rtol=1e-11 integrator.atol=1e-11"
  strikes with, without, half, exact;
  double dt;
  if (!strike("dt=5e-5", &with) || !strike(TRANSVERSE "dt=1e-4", &without) || !strike(TRANSVERSE "dt=5e-5", &half) ||
      !strike(TRANSVERSE EXACTLY, &exact))
    return;
  CHECK_LE(strikes_apart(&half, &exact, &dt), 1e-8);
  CHECK_EQUAL(half.count, 2);
  if (!CHECK_LE(3, with.count)) return;
  CHECK_LE(strikes_apart(&without, &half, &dt), 1e-8);  // nothing fast is left
  CHECK_LE(dt, 1e-10);
  double both = with.impulse[0] + with.impulse[1];
  printf(
      "    with axial shapes %.4f + %.4f and %.4f N s at %.6f and %.6f s, without %.4f and %.4f N s at %.6f and\n"
      "    %.6f s: %+.1f and %+.1f per cent\n",
      with.impulse[0], with.impulse[1], with.impulse[2], with.t[0], with.t[2], half.impulse[0], half.impulse[1],
      half.t[0], half.t[1], 100 * (both / half.impulse[0] - 1), 100 * (with.impulse[2] / half.impulse[1] - 1));
  CHECK(with.impulse[0] < half.impulse[0] && half.impulse[0] < both);
  CHECK_NEAR(with.t[0], half.t[0], 1e-6);
}

// It is the oscillation that makes the difference: what links keep of their speed along themselves at the first strike
// stretches them, and comes back as a second push and a faster later strike. Where it dies away, at a tenth of critical
// damping (2e-5 s ω/2) or about all of it (2e-4 s), impulses agree. The transverse shapes are damped by the same time,
// a hundredth of that.
static void damped_axial_shapes_change_little(void) {
  static const struct { double damping, differ; } cases[] = {{2e-5, 0.02}, {2e-4, 0.01}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double early[2] = {0}, late[2] = {0};
    for (int i = 0; i < 2; i++) {
      char settings[300];
      strikes x;
      snprintf(settings, sizeof settings,
               "%sbodies.link1.damping={\"stiffness\":%g} bodies.link2.damping={\"stiffness\":%g} dt=5e-5",
               i ? TRANSVERSE : "", cases[k].damping, cases[k].damping);
      if (!strike(settings, &x)) return;
      for (int j = 0; j < x.count; j++) *(x.t[j] < 0.5 ? &early[i] : &late[i]) += x.impulse[j];
    }
    printf("    damping %g s: with axial shapes %.4f and %.4f N s, without %.4f and %.4f\n", cases[k].damping, early[0],
           late[0], early[1], late[1]);
    CHECK_NEAR(early[0] / early[1], 1, cases[k].differ);
    CHECK_NEAR(late[0] / late[1], 1, cases[k].differ);
  }
}

// --- where the iteration fails ---------------------------------------------------------------------------------------

// A block that slides on ice. At half a second a force along the normal sets in that jumps to and fro with its speed:
// at rest it is 5 cos(40 t) sin 1 N, but a trial that is off by 1e-14 m/s at some stage has another one, and no
// correction comes nearer, also after four halvings. Complementarity gives the forces at each instant, and the block
// slides on; the step is counted.
static const char shaken[] =
    "space: planar\ngravity: [0, -10]\nbodies:\n  block: {mass: 2, inertia: 0.1}\n"
    "markers:\n  foot: {on: block, at: [0, -0.1]}\njoints:\n  free: {free: [ground, block], at: [0, 0.1]}\n"
    "surfaces:\n  foot: {point: foot, material: ice}\n  floor: {plane: ground, material: ice}\n"
    "materials:\n  ice: {friction: 0}\n"
    "forces:\n  push: {force: block, components: [0, \"if(t > 0.5, 5*cos(40*t)*sin(1 + 1e14*block.vy), 0)\"]}\n"
    "initial:\n  free: {u: [0, 1, 0]}\nmethod: {iterative: {step: 0.01}}\nend: 0.6\n";

static void a_step_without_forces_is_counted(void) {
  run r;
  if (!run_open_text(&r, shaken, NULL)) return;
  CHECK(run_to(&r, 0.5));
  CHECK_EQUAL(effort_of(&r).fallbacks, 0);
  CHECK(run_to(&r, 0.6));
  carom_summary s = carom_sim_summary(r.sim);
  printf("    %ld steps fall back, the first at %g s, %s\n", s.fallbacks, s.fallback_t, s.fallback_contact);
  CHECK_EQUAL(s.fallbacks, 160);  // each of ten steps in sixteen parts
  CHECK(strcmp(s.fallback_contact, "foot-floor") == 0);
  CHECK_NEAR(s.fallback_t, 0.505, 0.005 + 1e-9);  // in the first step with the force
  CHECK_NEAR(run_read(&r, "block.x"), 0.6, 1e-12);
  CHECK_NEAR(run_read(&r, "block.y"), 0.1, 1e-12);
  CHECK_NEAR(run_read(&r, "block.vy"), 0, 1e-12);
  CHECK_NEAR(run_read(&r, "foot-floor.fn"), 20 - 5 * cos(24) * sin(1), 1e-9);
  run_close(&r);
}

// --- interrupts ------------------------------------------------------------------------------------------------------

// A plate on four points. Its load changes all the time, and how they share it is not unique.
static const char four_points[] =
    "gravity: [0, 0, -9.81]\nbodies:\n  plate: {mass: 4, inertia: [0.2, 0.3, 0.5]}\n"
    "markers:\n  c1: {on: plate, at: [0.5, 0.4, -0.1]}\n  c2: {on: plate, at: [-0.5, 0.4, -0.1]}\n"
    "  c3: {on: plate, at: [-0.5, -0.4, -0.1]}\n  c4: {on: plate, at: [0.5, -0.4, -0.1]}\n"
    "  top: {on: plate, at: [0, 0, 0.3]}\njoints:\n  free: {free: [ground, plate], at: [0, 0, 0.1]}\n"
    "surfaces:\n  c1: {point: c1, material: ice}\n  c2: {point: c2, material: ice}\n"
    "  c3: {point: c3, material: ice}\n  c4: {point: c4, material: ice}\n  floor: {plane: ground, material: ice}\n"
    "materials:\n  ice: {friction: 0}\nforces:\n  push: {force: top, components: [2*cos(7*t), 3*sin(5*t), 0]}\n"
    "initial:\n  free: {u: [0, 0, 1, 0.3, 0.1, 0]}\nmethod: {iterative: {step: 1e-3}}\nend: 1\n";

static bool never(void *context) { return (void)context, false; }

typedef struct interrupted_run {
  const char *text, *settings;
  double from;
} interrupted_run;

static const double *coordinates(const run *r) { return r->sim->x->q; }
static const double *speeds(const run *r) { return r->sim->x->u; }

static bool is_same(const run *a, const run *b) {
  const mechanism *m = &a->sim->model->m;
  return memcmp(coordinates(a), coordinates(b), (size_t)m->nq * sizeof(double)) == 0 &&
         memcmp(speeds(a), speeds(b), (size_t)m->nv * sizeof(double)) == 0;
}

// One run is interrupted when it has asked so many times in a step. Another one takes it up, and it goes on itself.
// Both come to where `whole` is. Returns whether there was an interrupt.
static bool interrupt_and_resume(const interrupted_run *how, int asks, const run *whole, double end) {
  static double left[4096];
  run cut, resumed;
  if (!run_open_text(&cut, how->text, how->settings) || !run_open_text(&resumed, how->text, how->settings))
    return false;
  CHECK(run_to(&cut, how->from));
  cut.sim->stop = (interrupt){.go_on = never, .unasked = asks};
  const bool is_cut = carom_sim_step(cut.sim, end, &cut.error) == CAROM_INTERRUPTED;
  cut.sim->stop = (interrupt){0};
  if (CHECK(sim_checkpoint_size(cut.sim) <= (int)(sizeof left / sizeof *left)) && CHECK(sim_evaluate(cut.sim, NULL))) {
    sim_checkpoint(cut.sim, left);
    CHECK(sim_resume(resumed.sim, left, &resumed.error) == CAROM_OK);
    CHECK(run_to(&resumed, end) && is_same(&resumed, whole));
    CHECK(run_to(&cut, end) && is_same(&cut, whole));
    CHECK_EQUAL(effort_of(&resumed).fallbacks, effort_of(whole).fallbacks);
  }
  run_close(&cut), run_close(&resumed);
  return is_cut;
}

// A block on the floor under a force that changes, a stone that slides along a curve, a plate on four points. A step
// that was interrupted begins again as if it had not begun: the same to the last bit.
static void an_interrupted_step_is_resumed(void) {
  const interrupted_run runs[] = {
      {shaken, "forces.push.components=[0,\"5*cos(40*t)\"]", 0.1},
      {shaken, "forces.push.components=[0,\"5*cos(40*t)\"] method.iterative.form=paper", 0.1},
      {pushed, "dt=4e-3", 0.5},
      {pushed, "dt=4e-3 method.iterative.form=paper", 0.5},
      {four_points, NULL, 0.3},
  };
  for (int k = 0; k < (int)(sizeof runs / sizeof *runs); k++) {
    const double end = runs[k].from + 0.1;
    int interrupts = 0;
    run whole;
    if (!run_open_text(&whole, runs[k].text, runs[k].settings)) return;
    CHECK(run_to(&whole, runs[k].from) && run_to(&whole, end));
    for (int asks = 2; asks < 20; asks++) interrupts += interrupt_and_resume(&runs[k], asks, &whole, end);
    printf("    run %d: %d interrupts within a step\n", k, interrupts);
    CHECK_LE(4, interrupts);
    run_close(&whole);
  }
}

// --- effort ----------------------------------------------------------------------------------------------------------

// Evaluations of the right-hand side per step, between two times: on average and at most.
static void count_evaluations(const char *model, const char *settings, double from, double to, double most,
                              double worst) {
  run r;
  if (!run_open(&r, model, settings)) return;
  bool done = run_to(&r, from);
  effort start = effort_of(&r), before = start;
  double largest = 0;
  while (done && carom_sim_time(r.sim) < to) {
    done = CHECK(carom_sim_step(r.sim, to, &r.error) == CAROM_OK);
    effort now = effort_of(&r);
    if (now.steps > before.steps) largest = fmax(largest, evaluations_per_step(before, now));
    before = now;
  }
  double mean = evaluations_per_step(start, before);
  printf("    %s: %.1f evaluations per step, at most %.0f\n", model, mean, largest);
  CHECK_LE(mean, most);
  CHECK_LE(largest, worst);
  run_close(&r);
}

static void a_step_takes_few_evaluations(void) {
  count_evaluations("double-pendulum-space", "case=1 method={\"iterative\":{\"step\":0.001}}", 0.1, 0.5, 14, 20);
  run plate;
  if (run_open_text(&plate, four_points, NULL)) {
    if (run_to(&plate, 1)) CHECK_LE(evaluations_per_step((effort){0}, effort_of(&plate)), 20);
    printf("    a plate on four points: %.1f\n", evaluations_per_step((effort){0}, effort_of(&plate)));
    run_close(&plate);
  }
  count_evaluations("double-pendulum-space", "case=3 method={\"iterative\":{\"step\":0.001}}", 0.6, 2, 14, 20);
  count_evaluations("bouncing-ball", "e=0 gravity=[0,-9.81] method={\"iterative\":{\"step\":0.001}}", 1, 2, 14, 20);
}

int main(void) {
  RUN(a_smooth_touchdown_keeps_order_four);
  RUN(sliding_keeps_order_four);
  RUN_OPTIMISED(touch_stop_and_start_of_slip_keep_their_order);
  RUN(the_paper_keeps_the_mass_centre);
  RUN(the_paper_has_order_two);
  RUN(lower_orders_are_reached);
  RUN(substeps_keep_the_order);
  RUN(explicit_euler_is_refused);
  RUN(a_ball_bounces_as_in_closed_form);
  RUN(the_paper_rebounds_by_accident);
  RUN(forces_of_the_paper_alternate);
  RUN(a_block_thrown_up_a_slope_stops_and_stays);
  RUN(a_slip_that_turns_ends_with_its_order);
  RUN(a_slip_that_turns_begins_with_its_order);
  RUN_OPTIMISED(slips_of_the_double_pendulum_keep_their_order);
  RUN(sliding_in_a_bowl_keeps_order_four);
  RUN(a_moving_table_is_another_frame);
  RUN(a_fall_on_a_moving_table_is_that_on_a_fixed_one);
  RUN_OPTIMISED(impacts_of_flexible_links_converge);
  RUN_LONG(impacts_of_flexible_links_converge, 60);
  RUN_OPTIMISED(substeps_follow_fast_oscillations);
  RUN_OPTIMISED(axial_shapes_change_the_impacts);
  RUN_OPTIMISED(damped_axial_shapes_change_little);
  RUN(a_step_without_forces_is_counted);
  RUN(an_interrupted_step_is_resumed);
  RUN(a_step_takes_few_evaluations);
  return check_summary();
}
