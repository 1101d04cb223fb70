// The tippe top and the rattleback: what they keep, and when they turn over or turn round.
#include "long.h"
#include "runs.h"

#include "math/linalg.h"

// --- tippe top -------------------------------------------------------------------------------------------------------

// Runs the top to `end`. Returns the largest error of Jellett's integral, relative to itself, seen each 20 ms. `lowest`
// is the least cosine of the tilt.
static double jellett_error(const char *method, double end, double *lowest) {
  run r;
  char settings[200];
  snprintf(settings, sizeof settings, "method=%s", method);
  *lowest = 1;
  if (!run_open(&r, "tippe-top", settings)) return INFINITY;
  double worst = 0;
  for (int i = 1; 0.02 * i <= end + 1e-9 && run_to(&r, 0.02 * i); i++) {
    worst = fmax(worst, fabs(run_read(&r, "jellett") - 1));
    *lowest = fmin(*lowest, run_read(&r, "upright"));
  }
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  printf("    %s to %g s: Jellett's integral off by at most %.1e, cosine of the tilt at least %.3f\n", method, end,
         worst, *lowest);
  run_close(&r);
  return worst;
}

// With exact Coulomb friction the contact begins to roll, and the top stays up. Moreau's error is of first order in the
// step: 1e-4 s, that of the model, and a quarter of it.
static void a_top_that_rolls_stays_up(void) {
  const double end = long_form() ? 20 : 2;
  double lowest;
  CHECK_LE(jellett_error("event", end, &lowest), 1e-6);
  CHECK_LE(0.9, lowest);
  const double coarse = jellett_error("moreau method.moreau.step=1e-4", end, &lowest);
  CHECK_LE(0.9, lowest);
  const double fine = jellett_error("moreau method.moreau.step=2.5e-5", end, &lowest);
  CHECK_LE(0.9, lowest);
  CHECK_LE(coarse, long_form() ? 1.5e-4 : 3e-5);
  CHECK_NEAR(coarse / fine, 4, 0.4);
}

// Rows that hold a contact half a step late turn it over, with steps of 2e-4 s within 10 s.
static void a_long_step_does_not_turn_the_top_over(void) {
  double lowest;
  jellett_error("moreau method.moreau.step=2e-4", 20, &lowest);
  CHECK_LE(0.9, lowest);
  jellett_error("moreau method.moreau.step=5e-4", 20, &lowest);
  CHECK_LE(0.9, lowest);
}

// Friction that grows with the speed of sliding never lets it roll: it turns over, hopping on its way, and spins on its
// stem.
static void a_top_that_creeps_turns_over(void) {
  double lowest;
  CHECK_LE(jellett_error("compliant", long_form() ? 20 : 12, &lowest), 1e-6);
  CHECK_LE(lowest, -0.95);
}

// --- rattleback ------------------------------------------------------------------------------------------------------

static const vec3 squares = {0.2 * 0.2, 0.03 * 0.03, 0.02 * 0.02};  // of the semi-axes
static const double height = 0.01, mass = 1, weight = 9.81;
static const mat3 inertia = {{2e-4, -2e-5, 0, -2e-5, 1.6e-3, 0, 0, 0, 1.7e-3}};

// Rolling without slip, in the axes of the stone: the vertical n and the angular velocity w. The place of contact r,
// seen from the mass centre, is at rest, so that the mass centre moves with v = -w x r, and the force m (dv/dt + g n)
// acts there:
//   I dw/dt + w x I w = r x m (-dw/dt x r + k + g n)  with  k = -w x dr/dt + w x v.
typedef struct rolling {
  vec3 n, w;
} rolling;

static vec3 stretched(vec3 n) { return (vec3){squares.x * n.x, squares.y * n.y, squares.z * n.z}; }

static rolling rates(rolling s) {
  const double q = sqrt(vec3_dot(s.n, stretched(s.n)));
  vec3 r = vec3_scale(-1 / q, stretched(s.n));
  r.z += height;
  const vec3 turn = vec3_cross(s.n, s.w);
  const vec3 moved =
      vec3_axpy(vec3_scale(-1 / q, stretched(turn)), vec3_dot(stretched(s.n), turn) / (q * q * q), stretched(s.n));
  const vec3 v = vec3_neg(vec3_cross(s.w, r)), k = vec3_cross(s.w, vec3_sub(v, moved));
  const vec3 torque =
      vec3_sub(vec3_cross(r, vec3_scale(mass, vec3_axpy(k, weight, s.n))), vec3_cross(s.w, mat3_mul(inertia, s.w)));
  mat3 about = inertia;  // the place of contact
  const double at[3] = {r.x, r.y, r.z};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) about.m[3 * i + j] += mass * ((i == j ? vec3_dot(r, r) : 0) - at[i] * at[j]);
  const vec3 x = mat3_column(about, 0), y = mat3_column(about, 1), z = mat3_column(about, 2);
  const double all = vec3_dot(x, vec3_cross(y, z));
  return (rolling){turn,
                   {vec3_dot(torque, vec3_cross(y, z)) / all, vec3_dot(x, vec3_cross(torque, z)) / all,
                    vec3_dot(x, vec3_cross(y, torque)) / all}};
}

static rolling ahead(rolling s, double h, rolling rate) {
  return (rolling){vec3_axpy(s.n, h, rate.n), vec3_axpy(s.w, h, rate.w)};
}

static rolling runge_kutta(rolling s, double h) {
  const rolling a = rates(s), b = rates(ahead(s, h / 2, a)), c = rates(ahead(s, h / 2, b)), d = rates(ahead(s, h, c));
  return ahead(ahead(ahead(ahead(s, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
}

static double spin_error(double spin, const char *settings, double end, double *last) {
  run r;
  char all[200];
  snprintf(all, sizeof all, "spin=%g %s", spin, settings);
  *last = NAN;
  if (!run_open(&r, "rattleback", all)) return INFINITY;
  rolling s = {{0, 0, 1}, {0, 0.2, spin}};
  double worst = 0;
  for (int i = 1; 0.05 * i <= end + 1e-9 && run_to(&r, 0.05 * i); i++) {
    for (int k = 0; k < 500; k++) s = runge_kutta(s, 1e-4);
    *last = run_read(&r, "spin");
    worst = fmax(worst, fabs(*last - vec3_dot(s.n, s.w)));
  }
  printf("    spin %g, %s to %g s: off by at most %.1e rad/s, %.3f rad/s in the end\n", spin, settings, end, worst,
         *last);
  run_close(&r);
  return worst;
}

static void a_rattleback_reverses_in_one_direction_only(void) {
  double last;
  CHECK_LE(spin_error(-5, "integrator.rtol=1e-10 integrator.atol=1e-10", 4, &last), 1e-5);
  CHECK_LE(0.5, last);
  CHECK_LE(spin_error(5, "integrator.rtol=1e-8 integrator.atol=1e-8", 2, &last), 1e-5);
  CHECK_LE(4.9, last);
}

// Before the nodding is large; later a motion that grows from small differences cannot be compared.
static void a_rattleback_rolls_under_time_steps(void) {
  double last;
  const double coarse = spin_error(-5, "method=moreau method.moreau.step=1e-4", 1, &last),
               fine = spin_error(-5, "method=moreau method.moreau.step=2.5e-5", 1, &last);
  CHECK_NEAR(coarse / fine, 4, 1);
}

int main(void) {
  RUN(a_top_that_rolls_stays_up);
  RUN_OPTIMISED(a_long_step_does_not_turn_the_top_over);
  RUN(a_top_that_creeps_turns_over);
  RUN_OPTIMISED(a_rattleback_reverses_in_one_direction_only);
  RUN(a_rattleback_rolls_under_time_steps);
  RUN_LONG(a_top_that_rolls_stays_up, 200);
  RUN_LONG(a_top_that_creeps_turns_over, 200);
  return check_summary();
}
