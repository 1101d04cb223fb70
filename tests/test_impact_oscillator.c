// `carom bifurcation` on models/impact-oscillator.yaml against the exact solution, both continued by the same rule:
// points, periods, multipliers, and the Lyapunov exponent of a chaotic motion.
#include <math.h>

#include "diagrams.h"
#include "hand_impact_oscillator.h"
#include "long.h"

enum { CUT = 200, POINTS = 32 };
static const double PI = 3.14159265358979323846;

static hand_oscillator oscillator(double speed) {
  return (hand_oscillator){
      .mass = 1, .damping = 1, .stiffness = 100, .force = 1, .frequency = speed, .stop = 0, .restitution = 0.8};
}

// Half of the range of the position over the next periods. The state stays.
static double amplitude_at(const hand_oscillator *o, hand_oscillator_state s, int periods) {
  enum { SAMPLES = 400 };
  double low = s.x, high = s.x;
  for (int i = 0; i < periods; i++) {
    for (int k = 1; k <= SAMPLES; k++) {
      hand_oscillator_advance(o, &s, 2 * PI / o->frequency * k / SAMPLES);
      low = fmin(low, s.x), high = fmax(high, s.x);
    }
    s.t = 0;
  }
  return (high - low) / 2;
}

typedef struct agreement {
  int values, judged, wrong_period, with_sequences, doubled;
  double worst, worst_multiplier[2];  // of a finite and of an infinite number of impacts
} agreement;

// One value: the exact orbit from where the last one was, and the row and the points of the diagram. Values whose
// exact orbit is not stable enough, or has no period, are not judged; the diagram must still go on.
static void judge(const diagram *values, const diagram *points, long row, hand_oscillator_state *s, agreement *a) {
  const hand_oscillator o = oscillator(diagram_value(values, row, "speed"));
  hand_oscillator_periods(&o, s, CUT);
  hand_oscillator_state p[POINTS];
  for (int i = 0; i < POINTS; i++) hand_oscillator_periods(&o, s, 1), p[i] = *s;
  hand_oscillator_state last = *s;
  const hand_oscillator_orbit orbit = hand_oscillator_settle(&o, &last, 0, POINTS / 2, 1e-6);
  a->values++;
  if (!orbit.period || !(fabs(orbit.multiplier) < 0.9)) return;
  const double size = amplitude_at(&o, *s, orbit.period);
  a->judged++, a->with_sequences += orbit.sequences, a->doubled += orbit.period > 1;
  a->wrong_period += diagram_value(values, row, "period") != orbit.period;
  double *worst = &a->worst_multiplier[orbit.sequences];
  *worst = fmax(*worst, fabs(diagram_value(values, row, "multiplier") - fabs(orbit.multiplier)));
  for (int i = 0; i < POINTS; i++)
    a->worst = fmax(a->worst, fabs(diagram_value(points, row * POINTS + i, "slide.q") - p[i].x) / size);
}

static void follow(const char *range, agreement *a) {
  const char *path = scratch("diagram.h5");
  carom_error error = {0};
  const carom_bifurcation_options o = {.model = CHECK_SOURCE_DIR "/models/impact-oscillator.yaml",
                                       .vary = {"speed", range},
                                       .period = "2*pi/speed",
                                       .take = "slide.q, slide.u",
                                       .cut = CUT,
                                       .points = POINTS,
                                       .halvings = CAROM_BIFURCATION_NONE,
                                       .record = path};
  carom_bifurcation_result result;
  if (!CHECK(carom_bifurcation(&o, &result, &error) == CAROM_OK)) {
    printf("      %s\n", error.text);
    return;
  }
  CHECK_EQUAL(result.failed, 0);
  diagram values = read_diagram(path, "values"), points = read_diagram(path, "points");
  hand_oscillator_state s = hand_oscillator_start(0, -0.01, 0);
  for (long i = 0; i < values.about.rows; i++) judge(&values, &points, i, &s, a);
  close_diagram(&values), close_diagram(&points);
}

// There and back. At 1.5 to 3.3 rad/s the mass rests on the stop in each period after infinitely many impacts; then
// orbits of period 1 with complex multipliers, and of period 2.
static void diagrams_agree_with_the_exact_solution(void) {
  static const char *const brief[] = {"1.6 rad/s:3.2 rad/s:3", "13 rad/s:26.4 rad/s:5", "26.9 rad/s:27.1 rad/s:2"};
  static const char *const whole[] = {"1.5 rad/s:3.3 rad/s:25", "9 rad/s:9.8 rad/s:9", "13 rad/s:26.4 rad/s:60",
                                      "26.8 rad/s:27.1 rad/s:4", "34 rad/s:35 rad/s:6"};
  agreement a = {0};
  const int count = long_form() ? 5 : 3;
  for (int i = 0; i < count; i++) follow(long_form() ? whole[i] : brief[i], &a);
  printf("      %d values, %d judged, %d with infinitely many impacts per period, %d of a longer period\n", a.values,
         a.judged, a.with_sequences, a.doubled);
  printf("      %d wrong periods, points %.1e of the amplitude, multipliers %.1e and %.1e\n", a.wrong_period, a.worst,
         a.worst_multiplier[0], a.worst_multiplier[1]);
  CHECK(a.judged >= (long_form() ? 200 : 18));
  CHECK(a.with_sequences >= (long_form() ? 40 : 5) && a.doubled >= (long_form() ? 15 : 3));
  CHECK_EQUAL(a.wrong_period, 0);
  CHECK_LE(a.worst, 1e-6);
  // Differences of 1e-5 of the amplitude, which is at least 5 mm. Motions have errors of about 1e-9 of it; near the end
  // of an infinite sequence a difference is also lost in the bounces that are summed, of 3.6e-13 m.
  CHECK_LE(a.worst_multiplier[0], 1e-4);
  CHECK_LE(a.worst_multiplier[1], 1e-3);
}

// At 28 rad/s. Both means are of chaotic motions: three of their standard errors are left to the short form.
static void exponents_agree_with_the_exact_solution(void) {
  const long periods = long_form() ? 200000 : 2000;
  const char *path = scratch("chaos.h5");
  carom_error error = {0};
  const carom_bifurcation_options o = {.model = CHECK_SOURCE_DIR "/models/impact-oscillator.yaml",
                                       .vary = {"speed", "28 rad/s"},
                                       .period = "2*pi/speed",
                                       .cut = CUT,
                                       .points = POINTS,
                                       .lyapunov = periods,
                                       .one_way = true,
                                       .record = path};
  if (!CHECK(carom_bifurcation(&o, NULL, &error) == CAROM_OK)) {
    printf("      %s\n", error.text);
    return;
  }
  diagram values = read_diagram(path, "values");
  const double exponent = diagram_value(&values, 0, "lyapunov"), own = diagram_value(&values, 0, "lyapunov_error");
  const hand_oscillator exact = oscillator(28);
  hand_oscillator_state s = hand_oscillator_start(0, -0.01, 0);
  hand_oscillator_periods(&exact, &s, CUT);
  double theirs;
  const double expected = hand_oscillator_exponent(&exact, &s, 200000, 50, &theirs);
  printf("      over %ld periods %.5f ± %.5f 1/s, exact %.5f ± %.5f 1/s, %.2f %% apart\n", periods, exponent, own,
         expected, theirs, 100 * fabs(exponent - expected) / expected);
  CHECK(diagram_value(&values, 0, "period") == 0);
  CHECK(own > 0 && own < (long_form() ? 0.02 : 0.2) * expected);
  CHECK_NEAR(exponent, expected, long_form() ? 0.03 * expected : 3 * hypot(own, theirs));
  close_diagram(&values);
}

int main(void) {
  RUN(diagrams_agree_with_the_exact_solution);
  RUN(exponents_agree_with_the_exact_solution);
  RUN_LONG(diagrams_agree_with_the_exact_solution, 600);
  RUN_LONG(exponents_agree_with_the_exact_solution, 900);
  return check_summary();
}
