// The double pendulum in space on a plane (models/double-pendulum-space): the three cases of Bhalerao and Anderson,
// section 5.1.
#include "long.h"
#include "rows.h"

enum { COORDINATES = 11, SAMPLES = 12 };

typedef struct sampled {
  double q[SAMPLES][COORDINATES];
} sampled;

// Coordinates of both joints at times up to the end.
static bool sample(const char *settings, double end, sampled *to) {
  run r;
  if (!run_open(&r, "double-pendulum-space", settings)) return false;
  bool done = true;
  for (int i = 0; done && i < SAMPLES; i++) {
    done = run_to(&r, end * (i + 1) / SAMPLES);
    for (int k = 0; k < 7; k++) to->q[i][k] = run_read(&r, "a.q%d", k);
    for (int k = 0; k < 4; k++) to->q[i][7 + k] = run_read(&r, "b.q%d", k);
  }
  run_close(&r);
  return done;
}

static double distance(const sampled *a, const sampled *b) {
  double most = 0;
  for (int i = 0; i < SAMPLES; i++)
    for (int k = 0; k < COORDINATES; k++) most = fmax(most, fabs(a->q[i][k] - b->q[i][k]));
  return most;
}

#define EVENT  "method=event integrator.rtol=%g integrator.atol=%g"
#define CASE_1 3.0  // [s]

// --- case 1: slides, sticks and slides -------------------------------------------------------------------------------

static bool sample_event(double tolerance, sampled *to) {
  char settings[128];
  snprintf(settings, sizeof settings, EVENT, tolerance, tolerance);
  return sample(settings, CASE_1, to);
}

// 100 tolerances: what an integrator that controls the error per step loses over a few hundred steps.
static void event_converges_with_its_tolerance(void) {
  sampled exact, loose;
  if (!sample_event(1e-10, &exact)) return;
  for (double tolerance = 1e-6; tolerance > 1e-9; tolerance /= 100) {
    if (!sample_event(tolerance, &loose)) return;
    printf("    event at %.0e: %.1e\n", tolerance, distance(&loose, &exact));
    CHECK_LE(distance(&loose, &exact), 100 * tolerance);
  }
}

static void moreau_converges_to_event_with_order_one(void) {
  static const char *const how[] = {"coordinates=joint", "coordinates=absolute",
                                    "coordinates=joint method.moreau.velocity_terms=midpoint"};
  sampled exact, x;
  char settings[256];
  if (!sample_event(1e-9, &exact)) return;
  for (int k = 0; k < 3; k++) {
    double error[3];
    for (int i = 0; i < 3; i++) {
      snprintf(settings, sizeof settings, "dt=%g %s", 1e-3 / (1 << i), how[k]);
      if (!sample(settings, CASE_1, &x)) return;
      error[i] = distance(&x, &exact);
    }
    printf("    moreau %s: %.1e %.1e %.1e, order %.2f %.2f\n", how[k], error[0], error[1], error[2],
           log2(error[0] / error[1]), log2(error[1] / error[2]));
    CHECK_NEAR(log2(error[1] / error[2]), 1, 0.05);
    CHECK_LE(error[0], 1e-2);
  }
}

#define STEWART_TRINKLE "method={\"stewart-trinkle\":{\"step\":%g,\"directions\":%d}} coordinates=%s"

// With a given number of directions the motion has a limit of its own: differences of successive halvings have the
// order.
static void stewart_trinkle_converges_with_order_one(void) {
  static const char *const coordinates[] = {"joint", "absolute"};
  sampled x[4];
  char settings[256];
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 4; i++) {
      snprintf(settings, sizeof settings, STEWART_TRINKLE, 1e-3 / (1 << i), 8, coordinates[k]);
      if (!sample(settings, CASE_1, &x[i])) return;
    }
    double d[3] = {distance(&x[0], &x[1]), distance(&x[1], &x[2]), distance(&x[2], &x[3])};
    printf("    stewart-trinkle, %s: %.1e %.1e %.1e, order %.2f %.2f\n", coordinates[k], d[0], d[1], d[2],
           log2(d[0] / d[1]), log2(d[1] / d[2]));
    CHECK_NEAR(log2(d[1] / d[2]), 1, 0.15);
  }
}

// Friction at a corner of the polygon is off the direction of slip by at most pi/n, and P1 travels 1.2 m: so far off
// are the places at most. Both tend to the cone of event with n, at least as 1/n.
static void stewart_trinkle_tends_to_event_with_its_directions(void) {
  sampled exact, x;
  double error[4];
  char settings[256];
  if (!sample_event(1e-9, &exact)) return;
  for (int i = 0; i < 4; i++) {
    int n = 8 << i;
    snprintf(settings, sizeof settings, STEWART_TRINKLE, 1.25e-4, n, "joint");
    if (!sample(settings, CASE_1, &x)) return;
    error[i] = distance(&x, &exact);
    CHECK_LE(error[i], 1.2 * 3.1416 / n);
  }
  printf("    8, 16, 32, 64 directions: %.1e %.1e %.1e %.1e\n", error[0], error[1], error[2], error[3]);
  CHECK_LE(8 * error[3], error[0]);
}

// Every method with fixed steps is within a band about event that shrinks with the step. Round cones, so that all have
// the same limit: stewart-trinkle with its directions is above. Largest errors at a step and half of it; those of order
// four at 1 ms are below what event is off by, 1e-8.
static void all_methods_swing_in_a_shrinking_band(void) {
  static const struct {
    const char *name, *more;
    double step, band, shrinks;
  } methods[] = {{"moreau", "", 1e-3, 1e-2, 1.8},
                 {"iterative", ",\"order\":\"semi-implicit-euler\"", 1e-3, 1e-2, 1.8},
                 {"iterative", "", 8e-3, 1e-6, 1.8},
                 {"iterative", ",\"form\":\"paper\"", 1e-3, 3e-2, 1.8}};
  sampled exact, x;
  if (!sample_event(1e-10, &exact)) return;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    double error[2];
    for (int i = 0; i < 2; i++) {
      char settings[256];
      snprintf(settings, sizeof settings, "case=1 method={\"%s\":{\"step\":%g%s}}", methods[k].name,
               methods[k].step / (1 << i), methods[k].more);
      if (!sample(settings, CASE_1, &x)) return;
      error[i] = distance(&x, &exact);
    }
    printf("    %s%s: %.1e %.1e from event\n", methods[k].name, methods[k].more, error[0], error[1]);
    CHECK_LE(error[0], methods[k].band);
    CHECK_LE(methods[k].shrinks, error[0] / error[1]);
  }
}

// --- case 2: regimes -------------------------------------------------------------------------------------------------

enum { CHANGES = 64 };
typedef struct changes {
  int regime[CHANGES];
  double t[CHANGES];
  int count;
} changes;

// When regimes begin. A stick of less than 5 ms is a slip that turns round, where event finds the speed zero for an
// instant and a step of moreau may pass over it.
static bool list_changes(const char *settings, double end, changes *to) {
  static rows list;
  run r;
  to->count = 0;
  if (!rows_open(&r, "double-pendulum-space", settings, &list)) return false;
  bool done = run_to(&r, end);
  sim_close_episodes(r.sim);
  for (int i = 0; i < list.regime_count; i++) {
    const regime_row *g = &list.regime[i];
    if (g->regime == REGIME_STICK && g->end - g->start < 5e-3) continue;
    if (to->count && to->regime[to->count - 1] == (int)g->regime) continue;
    if (CHECK(to->count < CHANGES)) to->regime[to->count] = (int)g->regime, to->t[to->count++] = g->start;
  }
  run_close(&r);
  return done;
}

static void all_regimes_occur_and_their_times_converge(void) {
  changes exact, found;
  bool seen[3] = {false};
  double error[3];
  char settings[128];
  if (!list_changes("case=2 method=event integrator.rtol=1e-9 integrator.atol=1e-9", 30, &exact)) return;
  for (int i = 0; i < exact.count; i++) seen[exact.regime[i]] = true;
  CHECK(seen[REGIME_APART] && seen[REGIME_STICK] && seen[REGIME_SLIDE]);
  CHECK_EQUAL(exact.regime[0], REGIME_APART);
  CHECK_NEAR(exact.t[1], sqrt(2 * 0.1 / 9.81), 1e-8);  // a free fall to the first touch
  CHECK_LE(20, exact.count);
  for (int k = 0; k < 3; k++) {
    double dt = 1e-3 / (1 << k);
    snprintf(settings, sizeof settings, "case=2 dt=%g", dt);
    if (!list_changes(settings, 30, &found) || !CHECK_EQUAL(found.count, exact.count)) return;
    error[k] = 0;
    for (int i = 0; i < exact.count; i++) {
      CHECK_EQUAL(found.regime[i], exact.regime[i]);
      error[k] = fmax(error[k], fabs(found.t[i] - exact.t[i]));
    }
  }
  printf("    %d changes; moreau at 1, 0.5 and 0.25 ms off by at most %.1e %.1e %.1e s\n", exact.count, error[0],
         error[1], error[2]);
  CHECK_LE(error[0], 1e-2);
  CHECK_LE(1.6 * error[1], error[0]);  // of order one, to half a step of rounding
  CHECK_LE(1.6 * error[2], error[1]);
}

// The largest difference of the times of changes; infinite if other regimes follow each other.
static double changes_apart(const changes *a, const changes *b) {
  double most = a->count == b->count ? 0 : INFINITY;
  for (int i = 0; i < a->count && most < INFINITY; i++)
    most = a->regime[i] == b->regime[i] ? fmax(most, fabs(a->t[i] - b->t[i])) : INFINITY;
  return most;
}

static bool list_under_event(double tolerance, const char *start, double end, changes *to) {
  char settings[512];
  snprintf(settings, sizeof settings, "case=2 " EVENT " %s", tolerance, tolerance, start);
  return list_changes(settings, end, to);
}

// At a step and half of it. `fine` and `coarse`: tolerances of event, whose own error at the finer one is
// taken as what both change. A start that is higher by 1e-10 m shows what the motion itself makes of an error.
static void compare_regimes(const char *start, double coarse, double fine) {
  const double end = long_form() ? 30 : 8;
  changes exact, rough, moved, found[2];
  char settings[256];
  snprintf(settings, sizeof settings, "%s height=0.1000000001", start);
  if (!list_under_event(fine, start, end, &exact) || !list_under_event(coarse, start, end, &rough) ||
      !list_under_event(fine, settings, end, &moved))
    return;
  for (int k = 0; k < 2; k++) {
    snprintf(settings, sizeof settings, "case=2 %s method={\"iterative\":{\"step\":%g}}", start, 1e-3 / (1 << k));
    if (!list_changes(settings, end, &found[k])) return;
  }
  double own = changes_apart(&exact, &rough), moves = changes_apart(&exact, &moved);
  double halved = changes_apart(&found[0], &found[1]), off = changes_apart(&found[1], &exact);
  printf(
      "    %d changes: iterative is %.1e s from event and changes by %.1e s with its step; event by %.1e s with its\n"
      "    tolerance and by %.1e s with its start\n",
      exact.count, off, halved, own, moves);
  CHECK_LE(off, own + moves + halved);
  CHECK_LE(own + moves + halved, 1e-4);  // a tenth of a step: the same regimes in the same order
}

// In case 2 the motion is in a plane. With a push of B the slips turn in space while they end and begin.
static void regimes_of_iterative_are_those_of_event(void) {
  compare_regimes("", 1e-11, 1e-12);
  compare_regimes("initial.b.u=[0.3,0,0.2]", 1e-9, 1e-10);
}

// --- case 3: the mass centre keeps its place sideways ----------------------------------------------------------------

// How far it gets sideways from the place and the velocity that it starts with.
static double drift(const char *settings, double end) {
  enum { LOOKS = 60 };
  run r;
  double most = 0, start[2] = {0}, v[2] = {0};
  if (!run_open(&r, "double-pendulum-space", settings)) return INFINITY;
  for (int i = 0; i <= LOOKS; i++) {
    double t = end * i / LOOKS;
    if (!run_to(&r, t)) most = INFINITY;
    double now[2] = {run_read(&r, "x"), run_read(&r, "y")};
    for (int k = 0; k < 2; k++) {
      const char *axis = k ? "y" : "x";
      if (i == 0) start[k] = now[k], v[k] = 0.5 * (run_read(&r, "A_com.v%s", axis) + run_read(&r, "B_com.v%s", axis));
      most = fmax(most, fabs(now[k] - start[k] - v[k] * t));
    }
  }
  run_close(&r);
  return most;
}

// The free joint carries the mass centre of A instead of P1: the same motion in other coordinates.
#define FROM_CENTRE "joints.a.free=[ground,A_com] initial.a.at=[L/2*sin(a),0,height+L/2*cos(a)]"

// Both bodies turn, far above the plane.
#define FLIGHT "height=100 initial.a.u=[1,0.5,-0.3,0,0,0] initial.b.u=[0.5,-1,1.5]"

// Drifts with halved steps, and the order of the last two. With `falls`, heights are such that the impact is in the
// middle of a step: else its place in the step, and so the coefficient of the error, changes with the step.
static double drift_order(const char *settings, double end, double coarsest, bool falls, double d[3]) {
  char all[512], step[256];
  for (int i = 0; i < 3; i++) {
    double dt = coarsest / (1 << i), fall = 0.45 + 0.5 * dt;
    snprintf(step, sizeof step, settings, dt);
    snprintf(all, sizeof all, "case=3 %s", step);
    if (falls) snprintf(all, sizeof all, "case=3 %s height=%.17g", step, 0.5 * 9.81 * fall * fall);
    else snprintf(all, sizeof all, "case=3 %s " FLIGHT, step);
    d[i] = drift(all, end);
  }
  printf("    %s: %.2e %.2e %.2e m, order %.2f\n", all, d[0], d[1], d[2], log2(d[1] / d[2]));
  return log2(d[1] / d[2]);
}

// In absolute coordinates the momentum of the bodies is summed, and joints and contacts do not change it sideways.
static void absolute_coordinates_keep_the_mass_centre(void) {
  static const char *const how[] = {"dt=1e-3",
                                    "origin=0.3 dt=1e-3",
                                    "method={\"stewart-trinkle\":{\"step\":1e-3}}",
                                    "method={\"iterative\":{\"step\":1e-3}}",
                                    "method={\"iterative\":{\"step\":1e-3,\"form\":\"paper\"}}",
                                    "method={\"lcp-position\":{\"step\":1e-3}}",
                                    "method={\"lcp-velocity\":{\"step\":1e-3}}"};
  char settings[256];
  for (int k = 0; k < (int)(sizeof how / sizeof *how); k++) {
    snprintf(settings, sizeof settings, "case=3 coordinates=absolute %s", how[k]);
    const double d = drift(settings, 3);
    printf("    %s: %.1e m\n", how[k], d);
    CHECK_LE(d, 1e-10);
  }
}

static void event_keeps_the_mass_centre(void) {
  static const char *const how[] = {"coordinates=joint", "coordinates=absolute", "coordinates=joint origin=0.3",
                                    "coordinates=absolute origin=0.3"};
  char settings[256];
  for (int k = 0; k < 4; k++) {
    snprintf(settings, sizeof settings, "case=3 " EVENT " %s", 1e-11, 1e-11, how[k]);
    double d = drift(settings, 3);
    printf("    event, %s: %.1e m\n", how[k], d);
    CHECK_LE(d, 1e-8);
  }
}

// Velocity terms at the start of a step, and an impact that is found up to a step late: order one. The place of the
// origins in the bodies does not matter; the point that the free joint carries does, by a factor, not by the order.
static void joint_coordinates_drift_with_order_one(void) {
  double d[3], other[3];
  CHECK_NEAR(drift_order("dt=%g", 3, 1e-3, true, d), 1, 0.05);
  drift_order("origin=0.3 dt=%g", 3, 1e-3, true, other);
  for (int i = 0; i < 3; i++) CHECK_NEAR(other[i], d[i], 1e-9);
  CHECK_NEAR(drift("case=3 dt=1e-3", 3), 0.019, 0.002);
  CHECK_NEAR(drift("case=3 dt=1e-3 " FROM_CENTRE, 3), 0.009, 0.002);
  CHECK_NEAR(drift_order("dt=%g " FROM_CENTRE, 3, 1e-3, true, d), 1, 0.05);
  CHECK_NEAR(drift_order("method={\"stewart-trinkle\":{\"step\":%g}}", 3, 1e-3, true, d), 1, 0.05);
  CHECK_LE(1e-3, d[0]);
}

// Away from impacts the midpoint is of order two.
static void the_midpoint_drifts_with_order_two_in_flight(void) {
  double d[3];
  CHECK_NEAR(drift_order("dt=%g", 1, 1e-3, false, d), 1, 0.02);
  CHECK_NEAR(drift_order("method.moreau.velocity_terms=midpoint dt=%g", 1, 2e-3, false, d), 2, 0.02);
  CHECK_LE(d[1], 2e-7);
  CHECK_NEAR(drift_order("method={\"stewart-trinkle\":{\"step\":%g}}", 1, 1e-3, false, d), 1, 0.02);
}

// Rows between the steps before the impact belong to the fall.
static void rows_before_the_impact_are_those_of_the_fall(void) {
  carom_error error = {0};
  carom_model *model = example_load("double-pendulum-space", "case=3 method=event record.every=0.01 end=1");
  carom_run_options to = {.csv = scratch("fall.csv")};
  int rows = 0, time = 0, height = -1;
  if (CHECK(model) && CHECK(carom_run(model, &to, NULL, &error) == CAROM_OK)) {
    char *text = read_file(scratch("fall.csv"), NULL), *rest = NULL, *line = strtok_r(text, "\n", &rest);
    char *more = NULL;
    int column = 0;
    for (char *name = strtok_r(line, ",", &more); name; name = strtok_r(NULL, ",", &more), column++)
      if (strcmp(name, "a.q6") == 0) height = column;
    while ((line = strtok_r(NULL, "\n", &rest))) {
      double value[2] = {0};
      column = 0;
      for (char *cell = strtok_r(line, ",", &more); cell; cell = strtok_r(NULL, ",", &more), column++)
        if (column == time || column == height) value[column == height] = strtod(cell, NULL);
      if (value[0] > sqrt(2 / 9.81)) break;
      CHECK_NEAR(value[1], 1 - 0.5 * 9.81 * value[0] * value[0], 1e-10);
      rows++;
    }
    free(text);
  }
  CHECK_EQUAL(rows, 46);
  carom_model_destroy(model);
}

static void other_cases_are_refused(void) {
  run r;
  CHECK(!run_try(&r, CHECK_SOURCE_DIR "/models/double-pendulum-space.yaml", "case=4"));
  CHECK_CONTAINS(r.error.text, "its first argument is 4");
  run_close(&r);
}

int main(void) {
  RUN_OPTIMISED(event_converges_with_its_tolerance);
  RUN_OPTIMISED(moreau_converges_to_event_with_order_one);
  RUN_OPTIMISED(stewart_trinkle_converges_with_order_one);
  RUN_OPTIMISED(stewart_trinkle_tends_to_event_with_its_directions);
  RUN_OPTIMISED(all_methods_swing_in_a_shrinking_band);
  RUN_OPTIMISED(all_regimes_occur_and_their_times_converge);
  RUN_OPTIMISED(regimes_of_iterative_are_those_of_event);
  RUN_LONG(regimes_of_iterative_are_those_of_event, 60);
  RUN(absolute_coordinates_keep_the_mass_centre);
  RUN(event_keeps_the_mass_centre);
  RUN_OPTIMISED(joint_coordinates_drift_with_order_one);
  RUN(the_midpoint_drifts_with_order_two_in_flight);
  RUN(rows_before_the_impact_are_those_of_the_fall);
  RUN(other_cases_are_refused);
  return check_summary();
}
