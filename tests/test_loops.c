// Closed loops stay closed: two planar mechanisms and a spatial one, turning for 100 s.
#include "runs.h"

// Crank and rocker about axes square to each other, a coupler between them on a ball and a universal joint: one
// freedom, three rows to close the loop, placed so that the loop closes with every coordinate zero.
static const char spatial_loop[] =
    "space: spatial\n"
    "parameters: {px: 0.1, py: 0.17, b: 0.6, c: 0.4}\n"
    "bodies:\n"
    "  crank:   {mass: 1, inertia: [4e-3, 4e-3, 4e-3], com: [px/2, py/2, 0]}\n"
    "  coupler: {mass: 1, inertia: [0.02, 0.03, 0.02], com: [(b - px)/2, -py/2, c/2]}\n"
    "  rocker:  {mass: 1, inertia: [0.02, 0.02, 1e-3], com: [0, 0, c/2]}\n"
    "joints:\n"
    "  crank:  {revolute: [ground, crank], axis: z}\n"
    "  rocker: {revolute: [ground, rocker], at: [b, 0, 0], axis: y}\n"
    "  ball:   {spherical: [crank, coupler], at: [px, py, 0]}\n"
    "  cardan: {universal: [coupler, rocker], at: [b - px, -py, c], to: [0, 0, c]}\n"
    "initial: {crank: {q: 0, u: 5}}\n";

// The slider-crank turns at a fifth of its speed: enough to carry it over gravity, 480 turns in 100 s.
#define SLIDER_CRANK "omega=30 "
// Without its motor (and the output of its torque) the four-bar swings to rest; with it, it has no freedom left.
#define WITHOUT_MOTOR "drives={} outputs={} "

static bool open_loop(run *r, const char *name, const char *settings) {
  return name ? run_open(r, name, settings) : run_open_text(r, spatial_loop, settings);
}

typedef struct loop {
  const char *name;  // null: the spatial one
  const char *settings;
  const char *watch;  // a joint
} loop;

static const loop loops[] = {
    {"four-bar", "", "rocker"},
    {"four-bar", WITHOUT_MOTOR, "rocker"},
    {"slider-crank-ideal", SLIDER_CRANK, "crank"},
    {NULL, "", "crank"},
};
enum { LOOPS = sizeof loops / sizeof *loops };

static const char *title(const loop *l) { return l->name ? l->name : "spatial loop"; }

// --- projection ------------------------------------------------------------------------------------------------------

// The summary holds the largest |Φ| at the end of any step. A Newton step from an error of 1e-6 (a step's tolerance)
// leaves its square, and the rounding of lengths below 1 m: some 1e-16 either way. The requirement is 1e-10.
static void hold(const char *coordinates, const char *integrator) {
  for (int i = 0; i < LOOPS; i++) {
    run r;
    char settings[256];
    snprintf(settings, sizeof settings, "%scoordinates=%s %s", loops[i].settings, coordinates, integrator);
    if (!open_loop(&r, loops[i].name, settings)) continue;
    if (run_to(&r, 100)) {
      const carom_summary s = carom_sim_summary(r.sim);
      printf("    %-18s %-45s %7ld steps, violation %.1e\n", title(&loops[i]), settings, s.steps,
             s.constraint_violation);
      CHECK_LE(s.constraint_violation, 1e-10);
      CHECK_EQUAL(s.projection_failures, 0);
    }
    run_close(&r);
  }
}

#define AT(type, tolerance) "integrator.type=" type " integrator.rtol=" tolerance " integrator.atol=" tolerance
#define LOOSE(type)         AT(type, "1e-6")
#define RK4                 "integrator.type=rk4 integrator.step=5e-3"  // 0.15 rad of the fastest crank

static void adams_holds_in_joint_coordinates(void) { hold("joint", LOOSE("adams")); }
static void adams_holds_in_absolute_coordinates(void) { hold("absolute", LOOSE("adams")); }
static void bdf_holds_in_joint_coordinates(void) { hold("joint", LOOSE("bdf")); }
static void bdf_holds_in_absolute_coordinates(void) { hold("absolute", LOOSE("bdf")); }
static void erk_holds_in_joint_coordinates(void) { hold("joint", LOOSE("erk")); }
static void erk_holds_in_absolute_coordinates(void) { hold("absolute", LOOSE("erk")); }
static void rk4_holds_in_joint_coordinates(void) { hold("joint", RK4); }
static void rk4_holds_in_absolute_coordinates(void) { hold("absolute", RK4); }

// --- agreement -------------------------------------------------------------------------------------------------------

typedef struct seen {
  double q, u, speed;
  long steps;
} seen;

static seen look(const loop *l, const char *coordinates, double t) {
  run r;
  char settings[256];
  seen s = {NAN, NAN, NAN, 0};
  snprintf(settings, sizeof settings, "%scoordinates=%s " AT("erk", "1e-12"), l->settings, coordinates);
  if (!open_loop(&r, l->name, settings)) return s;
  double fastest = 0;
  while (carom_sim_time(r.sim) < t && CHECK(carom_sim_step(r.sim, t, &r.error) == CAROM_OK))
    fastest = fmax(fastest, fabs(run_read(&r, "%s.u", l->watch)));
  s = (seen){run_read(&r, "%s.q", l->watch), run_read(&r, "%s.u", l->watch), fastest, carom_sim_summary(r.sim).steps};
  run_close(&r);
  return s;
}

// Joint and absolute coordinates are two discretisations of one motion. Each step may be wrong by rtol in the speed;
// all of one sign, they add up to steps · rtol · speed, and over the time t to t times that in the angle. None of these
// mechanisms is chaotic: with one freedom at most, nothing grows faster.
static void joint_and_absolute_coordinates_agree(void) {
  const double t = 5;
  for (int i = 0; i < LOOPS; i++) {
    const seen a = look(&loops[i], "joint", t), b = look(&loops[i], "absolute", t);
    const double drift = 1e-12 * (double)(a.steps + b.steps) * a.speed;
    printf("    %-18s differ by %.1e in angle (bound %.1e), %.1e in speed\n", title(&loops[i]), fabs(a.q - b.q),
           t * drift, fabs(a.u - b.u));
    CHECK(a.speed > 0.1);
    CHECK_NEAR(a.q, b.q, t * drift);
    // of the same phase error: through the acceleration, which in these motions is at most ten speeds a second
    CHECK_NEAR(a.u, b.u, 10 * t * drift);
  }
}

// --- Baumgarte -------------------------------------------------------------------------------------------------------

static double baumgarte_violation(const char *coordinates, double coefficient, double t) {
  run r;
  char settings[256];
  snprintf(settings, sizeof settings,
           SLIDER_CRANK
           "coordinates=%s method.smooth.constraints=baumgarte "
           "method.smooth.alpha=%g method.smooth.beta=%g " AT("erk", "1e-8"),
           coordinates, coefficient, coefficient);
  if (!run_open(&r, "slider-crank-ideal", settings)) return NAN;
  run_to(&r, t);
  const double violation = carom_sim_summary(r.sim).constraint_violation;
  run_close(&r);
  return violation;
}

// The integrator feeds the constraint with a defect d:  Φ̈ + 2αΦ̇ + β²Φ = d.  With α = β = 0 that is Φ = d t²/2, a
// hundred times more for ten times the time. With α = β = 1/s it settles at d/β² within a few seconds. The defect
// itself is periodic with the crank, so its mean shows up to a factor of two.
static void baumgarte(const char *coordinates) {
  const double drift10 = baumgarte_violation(coordinates, 0, 10), drift100 = baumgarte_violation(coordinates, 0, 100);
  const double held10 = baumgarte_violation(coordinates, 1, 10), held100 = baumgarte_violation(coordinates, 1, 100);
  const double defect = 2 * drift100 / (100 * 100);
  printf("    alone %.1e after 10 s, %.1e after 100 s; held %.1e, %.1e; d/beta^2 = %.1e\n", drift10, drift100, held10,
         held100, defect);
  CHECK_LE(50, drift100 / drift10);
  CHECK_LE(drift100 / drift10, 200);
  CHECK_LE(held100, 1.1 * held10);
  CHECK_LE(held100, 2 * defect);
  CHECK_LE(0.5 * defect, held100);
}

static void baumgarte_in_joint_coordinates(void) { baumgarte("joint"); }
static void baumgarte_in_absolute_coordinates(void) { baumgarte("absolute"); }

// --- stabilised index 2 ----------------------------------------------------------------------------------------------

// Φ = 0 is one of IDA's equations. Newton's iteration ends when its last change is a third of the tolerance, in the
// root mean square over n unknowns: one of them may be √n of that off. Lengths are below 1 m, n below 100: 10 rtol.
static void stabilised_index_2_holds(void) {
  const double tolerances[] = {1e-6, 1e-8, 1e-10};
  for (int i = 0; i < LOOPS; i++)
    for (int k = 0; k < 3; k++) {
      run r;
      char settings[256];
      snprintf(settings, sizeof settings,
               "%scoordinates=absolute method.smooth.constraints=ggl integrator.type=ida "
               "integrator.rtol=%g integrator.atol=%g",
               loops[i].settings, tolerances[k], tolerances[k]);
      if (!open_loop(&r, loops[i].name, settings)) continue;
      if (run_to(&r, 3)) {
        const double violation = carom_sim_summary(r.sim).constraint_violation;
        printf("    %-18s rtol %.0e, violation %.1e\n", title(&loops[i]), tolerances[k], violation);
        CHECK_LE(violation, 10 * tolerances[k]);
      }
      run_close(&r);
    }
}

int main(void) {
  RUN(adams_holds_in_joint_coordinates);
  RUN(adams_holds_in_absolute_coordinates);
  RUN(bdf_holds_in_joint_coordinates);
  RUN(bdf_holds_in_absolute_coordinates);
  RUN(erk_holds_in_joint_coordinates);
  RUN(erk_holds_in_absolute_coordinates);
  RUN(rk4_holds_in_joint_coordinates);
  RUN(rk4_holds_in_absolute_coordinates);
  RUN(joint_and_absolute_coordinates_agree);
  RUN(baumgarte_in_joint_coordinates);
  RUN(baumgarte_in_absolute_coordinates);
  RUN(stabilised_index_2_holds);
  return check_summary();
}
