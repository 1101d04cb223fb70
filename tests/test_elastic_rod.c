// Impact of elastic rods against Saint-Venant's closed form, under the methods that resolve its waves: contact time
// 2 L/c, force rho c S v, rebound with the same speed.
#include "long.h"
#include "rows.h"

static const double L = 1, v = 1, area = 1e-4, density = 7800, young = 210e9;

static double wave(void) { return sqrt(young / density); }

typedef struct method {
  const char *name;
  double share;  // Δt ω of the fastest mode
} method;

// On velocity level the gap moves with the force, by a share of (Δt ω)² (theory.md, 10.8).
static const method methods[] = {{"lcp-position", 0.5}, {"lcp-velocity", 0.25}, {"moreau", 0.25}, {"iterative", 0.5}};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct strike {
  double duration, force, rebound;  // relative errors
  double loss;                      // of the energy at the start
} strike;

// The step is that of a mesh of `finest` elements: durations are known to a step.
static const char *settings_of(const method *how, int elements, int finest, const char *more) {
  static char text[512];
  double step = how->share * L / (2 * sqrt(3) * finest * wave());
  snprintf(text, sizeof text, "n=%d method={\"%s\":{\"step\":%.17g}} %s", elements, how->name, step, more);
  return text;
}

// Contact from the first to the last step with force, whether or not there are steps without one between. Forces in
// `factor` of that on a wall. The mass centre of a free rod changes its speed by the impulse over the mass.
static bool strikes(const char *model, const char *settings, double factor, strike *to) {
  const double mass = density * area * L;
  run r;
  rows list;
  if (!rows_open(&r, model, settings, &list)) return false;
  bool done = run_to(&r, 0.6e-3);
  sim_close_episodes(r.sim);
  carom_summary s = carom_sim_summary(r.sim);
  done = done && CHECK(list.episode_count > 0) && CHECK(s.unsolved == 0 && s.fallbacks == 0);
  if (done) {
    double duration = list.episode[list.episode_count - 1].end - list.episode[0].start, impulse = 0, loss = 0;
    for (int i = 0; i < list.episode_count; i++)
      impulse += list.episode[i].impulse_normal, loss += list.episode[i].loss_normal;
    to->duration = duration / (2 * L / wave()) - 1;
    to->force = impulse / duration / (factor * density * wave() * area * v) - 1;
    to->rebound = impulse / mass / v - 2 * factor;
    to->loss = loss / (0.5 * mass * v * v);
    printf("      duration %+.3f %%, force %+.3f %%, rebound %+.3f %%, impact loss %.3f %%, energy %.1e: %s\n",
           100 * to->duration, 100 * to->force, 100 * to->rebound, 100 * to->loss, s.energy_imbalance, settings);
  }
  run_close(&r);
  return done;
}

// The front of a wave in a mesh is as wide as the elements and grows with the cube root of its way: errors fall with
// the power 2/3 of the number of elements. Limits are those of the project at 200 elements; at 50 they are 4^(2/3)
// times as wide, for the duration and the rebound.
static void a_rod_on_a_wall_keeps_time_force_and_speed(void) {
  const int elements = long_form() ? 200 : 50;
  const double wider = long_form() ? 1 : pow(4, 2.0 / 3);
  for (int k = 0; k < METHODS; k++) {
    strike s;
    if (!strikes("elastic-rod", settings_of(&methods[k], elements, elements, ""), 1, &s)) continue;
    CHECK_NEAR(s.duration, 0, 0.005 * wider);
    CHECK_NEAR(s.force, 0, 0.01);
    CHECK_NEAR(s.rebound, 0, 0.01 * wider);
  }
}

// From 50 to 400 elements errors would fall by 8^(2/3) = 4 in all; 3.4 is asked for. From 25 to 50 it is 3.4^(1/3).
static void errors_fall_with_the_mesh(void) {
  const int coarse = long_form() ? 50 : 25, fine = long_form() ? 400 : 50;
  const double asked = long_form() ? 3.4 : cbrt(3.4);
  for (int k = 0; k < METHODS; k++) {
    strike a, b;
    if (!strikes("elastic-rod", settings_of(&methods[k], coarse, fine, ""), 1, &a)) continue;
    if (!strikes("elastic-rod", settings_of(&methods[k], fine, fine, ""), 1, &b)) continue;
    printf("      errors fall by %.2f, %.2f and %.2f, the impact loss by %.2f\n", a.duration / b.duration,
           a.force / b.force, a.rebound / b.rebound, a.loss / b.loss);
    CHECK_LE(asked, fabs(a.duration / b.duration));
    CHECK_LE(asked, fabs(a.force / b.force));
    CHECK_LE(asked, fabs(a.rebound / b.rebound));
    // the effective mass of the end is in proportion to an element
    CHECK_LE(long_form() ? 4 : 1.6, a.loss / b.loss);
  }
}

// What stops is the effective mass of the end, m/(2 k + 1) with k modes of a free rod: twice as many modes leave about
// half the loss.
static void the_impact_loss_falls_with_the_modes(void) {
  static const char *const levels[] = {"lcp-position", "lcp-velocity"};
  for (int l = 0; l < 2; l++) {
    strike s[3];
    for (int k = 0; k < 3; k++) {
      char settings[256];
      snprintf(settings, sizeof settings,
               "n=100 bodies.rod.modes={\"count\":%d,\"static_modes\":false} method={\"%s\":{\"step\":2e-7}}", 10 << k,
               levels[l]);
      if (!strikes("elastic-rod", settings, 1, &s[k])) return;
    }
    for (int k = 0; k < 2; k++) CHECK_LE(1.6, s[k].loss / s[k + 1].loss);
  }
}

// The first stops and the second leaves with its speed: each has half the impulse of a rod on a wall.
static void two_rods_exchange_their_speeds(void) {
  const int elements = long_form() ? 200 : 50;
  const double wider = long_form() ? 1 : pow(4, 2.0 / 3);
  for (int k = 0; k < METHODS; k++) {
    strike s;
    if (!strikes("elastic-rods", settings_of(&methods[k], elements, elements, ""), 0.5, &s)) continue;
    CHECK_NEAR(s.rebound, 0, 0.01 * wider);
  }
}

// Twenty modes of a mesh of 200 elements, without and with the static mode of the end that strikes: `missing` of the
// model, without a run, ranks both bases as their errors in a run do.
static void the_indicator_ranks_reduced_rods(void) {
  static const char *const bases[] = {"{\"count\":20,\"static_modes\":false,\"interface\":[\"tip\"]}",
                                      "{\"count\":20,\"interface\":[\"tip\"]}"};
  double missing[2], error[2];
  for (int k = 0; k < 2; k++) {
    run r;
    strike s;
    char settings[512];
    snprintf(settings, sizeof settings,
             "n=200 bodies.rod.modes=%s method={\"lcp-position\":{\"step\":2e-7,\"average\":100}}", bases[k]);
    if (!run_open(&r, "elastic-rod", settings)) return;
    missing[k] = carom_model_body_interface(r.model, 1, 0).missing;
    run_close(&r);
    if (!strikes("elastic-rod", settings, 1, &s)) return;
    error[k] = fmax(fabs(s.duration), fmax(fabs(s.force), fabs(s.rebound)));
    printf("      static load missed %.2e, error of the run %.2e\n", missing[k], error[k]);
  }
  CHECK(missing[1] < missing[0]);
  CHECK(error[1] < error[0]);
}

int main(void) {
  RUN(the_indicator_ranks_reduced_rods);
  RUN(the_impact_loss_falls_with_the_modes);
  RUN_OPTIMISED(a_rod_on_a_wall_keeps_time_force_and_speed);
  RUN_LONG(a_rod_on_a_wall_keeps_time_force_and_speed, 600);
  RUN_OPTIMISED(two_rods_exchange_their_speeds);
  RUN_LONG(two_rods_exchange_their_speeds, 1200);
  RUN_OPTIMISED(errors_fall_with_the_mesh);
  RUN_LONG(errors_fall_with_the_mesh, 3000);
  return check_summary();
}
