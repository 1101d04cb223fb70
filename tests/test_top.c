// The heavy symmetric top: steady precession at the roots of its quadratic, and what it keeps while it nods.
#include "runs.h"

static const double m = 0.5, l = 0.04, g = 9.81, A = 4e-4 + 0.5 * 0.04 * 0.04, C = 2e-4;

// A cos(tilt) p² − C spin p + m g l = 0
static double precession(double tilt, double spin, double root) {
  double a = A * cos(tilt), b = C * spin;
  return (b + root * sqrt(b * b - 4 * a * m * g * l)) / (2 * a);
}

typedef struct kept {
  double energy, axial, vertical;
} kept;

static kept read_kept(run *e) {
  return (kept){run_read(e, "energy.kinetic") + run_read(e, "energy.gravity"), run_read(e, "axial"),
                run_read(e, "vertical")};
}

static void check_kept(run *e, kept start, double tolerance) {
  kept now = read_kept(e);
  CHECK_NEAR(now.energy, start.energy, tolerance * fabs(start.energy));
  CHECK_NEAR(now.axial, start.axial, tolerance * fabs(start.axial));
  CHECK_NEAR(now.vertical, start.vertical, tolerance * fabs(start.axial));
}

#define TIGHT "integrator.rtol=1e-12 integrator.atol=1e-12 "

// The axis turns steadily: after each tenth of a second its azimuth is p t and its tilt the one it began with. Fast
// precession in 1 s is 44 rad, and 250 rad of spin go with it; the bound is an error of rtol a step over 1e4 steps.
static void precesses_steadily(const char *settings, double tilt, double root) {
  const double tolerance = 1e4 * 1e-12;
  run e;
  if (!run_open(&e, "top", settings)) return;
  double p = precession(tilt, 250, root), worst = 0;
  kept start = read_kept(&e);
  CHECK_NEAR(run_read(&e, "top.wz"), p + (250 - p * cos(tilt)) * cos(tilt), 1e-9);
  for (double t = 0.1; t < 1.05 && run_to(&e, t); t += 0.1) {
    double error = remainder(run_read(&e, "azimuth") - p * t, 2 * acos(-1));
    worst = fmax(worst, fabs(error));
    CHECK_NEAR(error, 0, tolerance * fmax(1, p * t));
    CHECK_NEAR(run_read(&e, "tip.z"), 2 * l * cos(tilt), tolerance * 2 * l);
    check_kept(&e, start, tolerance);
  }
  printf("    %s: %.6f rad/s, azimuth to %.2g rad\n", settings, p, worst);
  run_close(&e);
}

static const double degree = 0.017453292519943295;

static void slow_precession(void) {
  precesses_steadily(TIGHT "coordinates=joint", 30 * degree, -1);
  precesses_steadily(TIGHT "coordinates=absolute", 30 * degree, -1);
  precesses_steadily(TIGHT "tilt=70*pi/180", 70 * degree, -1);
}

static void fast_precession(void) {
  precesses_steadily(TIGHT "root=1 coordinates=joint", 30 * degree, 1);
  precesses_steadily(TIGHT "root=1 coordinates=absolute", 30 * degree, 1);
}

// Slow precession of a fast top tends to m g l/(C spin); the next term of the root is larger by this much to first
// order.
static void fast_top_precesses_as_textbooks_say(void) {
  double simple = m * g * l / (C * 2500), p = precession(30 * degree, 2500, -1);
  double next = A * cos(30 * degree) * m * g * l / (C * 2500 * C * 2500);
  CHECK_NEAR(p / simple, 1 + next, 3 * next * next);
  run e;
  if (!run_open(&e, "top", TIGHT "spin=2500")) return;
  if (run_to(&e, 0.1)) CHECK_NEAR(run_read(&e, "azimuth") / 0.1 / simple, 1 + next, 3 * next * next + 1e-6);
  run_close(&e);
}

// Pushed, it nods: tilt and azimuth swing, while energy and both momenta stay. With the
// tolerance of the file, 1e-10 a step, over 1e4 steps.
static void nodding_top_keeps_its_momenta(void) {
  static const char *const settings[] = {"nudge=5 coordinates=joint", "nudge=5 coordinates=absolute",
                                         "nudge=5 integrator.type=erk", "nudge=5 integrator.type=bdf"};
  for (int i = 0; i < 4; i++) {
    run e;
    if (!run_open(&e, "top", settings[i])) return;
    kept start = read_kept(&e);
    double low = INFINITY, high = -INFINITY;
    for (double t = 0.01; t < 1 && run_to(&e, t); t += 0.01) {
      double tilt = acos(run_read(&e, "tip.z") / (2 * l));
      low = fmin(low, tilt), high = fmax(high, tilt);
    }
    check_kept(&e, start, 1e4 * 1e-10);
    CHECK_LE(0.02, high - low);
    kept now = read_kept(&e);
    printf("    %s: nods %.3f rad, energy to %.2g, axial to %.2g, vertical to %.2g\n", settings[i], high - low,
           fabs(now.energy / start.energy - 1), fabs(now.axial / start.axial - 1),
           fabs(now.vertical / start.vertical - 1));
    run_close(&e);
  }
}

int main(void) {
  RUN(slow_precession);
  RUN(fast_precession);
  RUN(fast_top_precesses_as_textbooks_say);
  RUN(nodding_top_keeps_its_momenta);
  return check_summary();
}
