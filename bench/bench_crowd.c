// Spheres that fall into a box, to three tolerances, and a stack of boxes; peer_ode_crowd and peer_bullet_crowd run the same scenes.
//   bench_crowd [spheres [seconds [tolerance [threads]]]]; no spheres: the stack alone, a minus sign: so many that drift
//   bench_crowd bin [seconds [spheres]]: spheres that fall into a bin event by event, without restitution and with 0.5
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "carom/carom.h"
#include "clock.h"
#include "crowd_model.h"

enum { STRIDE = 20 };

// Spheres that drift, four radii apart in the mean, and hardly meet: what is left of a step is motion and the search for what is near. Places are
// a sequence that fills the cube evenly.
static carom_model *drifting(int count) {
  char text[2000], *to = text;
  to += sprintf(to, "gravity: [0, 0, 0]\nmaterials: {m: {}}\nmethod: {moreau: {step: %g}}\nparameters: {side: %.17g}\n", CROWD_STEP,
                4 * CROWD_RADIUS * cbrt(count));
  to += sprintf(to, "bodies:\n  b{i}: {repeat: {i: [1, %d]}, mass: 1, inertia: [1e-3, 1e-3, 1e-3]}\n", count);
  to += sprintf(to, "joints:\n  j{i}: {repeat: {i: [1, %d]}, free: [ground, \"b{i}\"], at: ['side*mod(0.8191725*i, 1)', 'side*mod(0.6710436*i, 1)', 'side*mod(0.5497005*i, 1)']}\n", count);
  to += sprintf(to, "surfaces:\n  s{i}: {repeat: {i: [1, %d]}, sphere: \"b{i}\", radius: %g, material: m}\n", count, CROWD_RADIUS);
  sprintf(to, "initial:\n  j{i}: {repeat: {i: [1, %d]}, u: [0, 0, 0, sin(2*i), sin(3*i), sin(5*i)]}\n", count);
  return crowd_parse(text);
}

static carom_model *stack(void) {
  const double s = CROWD_SIDE, mass = CROWD_DENSITY * s * s * s, inertia = mass * s * s / 6;
  char text[8000], *to = text;
  to += sprintf(to, "gravity: [0, 0, -9.81]\nmaterials: {m: {friction: %g}}\nmethod: {moreau: {step: %g}}\n", CROWD_FRICTION, CROWD_STEP);
  to += sprintf(to, "bodies:\n  b{i}: {repeat: {i: [0, %d]}, mass: %g, inertia: [%.17g, %.17g, %.17g]}\n", CROWD_BOXES - 1, mass, inertia, inertia, inertia);
  to += sprintf(to, "joints:\n  j{i}: {repeat: {i: [0, %d]}, free: [ground, \"b{i}\"], at: [0, 0, (i + 0.5)*%g]}\n", CROWD_BOXES - 1, s);
  sprintf(to, "surfaces:\n  floor: {plane: ground, material: m}\n  s{i}: {repeat: {i: [0, %d]}, box: \"b{i}\", size: [%g, %g, %g], material: m}\n",
          CROWD_BOXES - 1, s, s, s);
  return crowd_parse(text);
}

// The most memory that the program has had until now [MB].
static double memory_used(void) {
  struct rusage used;
  return getrusage(RUSAGE_SELF, &used) == 0 ? (double)used.ru_maxrss / 1024 : 0;
}

static int threads = 1;
// With several threads what passes counts, not what they all take.
static double the_clock(void) { return threads > 1 ? clock_now() : clock_processor(); }

// Runs `steps` steps, and fewer if they take longer than `most` seconds of processor time. Returns how many. Each call looks closely at where
// it ends, as for output: there are few of them.
static int go(carom_sim *sim, int steps, double most, double *seconds) {
  carom_error error = {0};
  const double began = the_clock();
  int k = 0, next = 0;
  for (; k < steps && the_clock() - began < most; k = next) {
    next = k + STRIDE < steps ? k + STRIDE : steps;
    if (carom_sim_advance(sim, next * CROWD_STEP, &error) != CAROM_OK) break;
  }
  if (error.text[0]) printf("%s\n", error.text);
  *seconds = the_clock() - began;
  return k;
}

static void drop(int count, double tolerance, double end) {
  carom_error error = {0};
  carom_model *model = crowd_spheres(count, tolerance);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  double(*at)[3] = malloc((size_t)count * sizeof *at), seconds;
  if (sim && at && carom_sim_set_threads(sim, threads, &error) == CAROM_OK) {
    char who[40];
    const int steps = go(sim, (int)lround(end / CROWD_STEP), 120, &seconds);
    const carom_summary s = carom_sim_summary(sim);
    crowd_read(model, sim, at, count);
    snprintf(who, sizeof who, "carom to %.0e", tolerance);
    crowd_print_spheres(who, (const double(*)[3])at, count, steps, seconds);
    printf("%-26s %ld problems, %ld unsolved, worst residual %.1e, %.1f sweeps per problem, %.1f per step\n", "", s.solves, s.unsolved,
           s.worst_residual, (double)s.iterations / fmax((double)s.solves, 1), (double)s.iterations / steps);
    printf("%-26s %.2f us per sphere and step, %.0f MB\n", "", 1e6 * seconds / ((double)steps * count), memory_used());
  }
  free(at);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static void drift(int count, int steps) {
  carom_error error = {0};
  carom_model *model = drifting(count);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  double seconds;
  if (sim) {
    steps = go(sim, steps, 120, &seconds);
    printf("%-26s %5d drifting: %8.3f us per sphere and step, %.0f MB\n", "carom", count, 1e6 * seconds / ((double)steps * count), memory_used());
  } else printf("%s\n", error.text);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static void stand(double end) {
  carom_error error = {0};
  carom_model *model = stack();
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  if (sim) {
    double at[CROWD_BOXES][3], seconds;
    const int steps = go(sim, (int)lround(end / CROWD_STEP), 120, &seconds);
    crowd_read(model, sim, at, CROWD_BOXES);
    crowd_print_stack("carom", at[CROWD_BOXES - 1], steps, seconds);
    printf("%-26s deepest overlap %.1e m, %ld unsolved\n", "", carom_sim_summary(sim).deepest_penetration, carom_sim_summary(sim).unsolved);
  } else printf("%s\n", error.text);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

// Event by event a call runs to the next instant of output.
static void fill_bin(int count, double restitution, double end) {
  carom_error error = {0};
  carom_model *model = crowd_bin(count, 0.3, restitution);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  double(*at)[3] = malloc((size_t)count * sizeof *at);
  if (sim && at) {
    const double began = clock_processor();
    for (int k = 1; k <= 100 && carom_sim_advance(sim, end * k / 100, &error) == CAROM_OK;) k++;
    const carom_summary s = carom_sim_summary(sim);
    crowd_read(model, sim, at, count);
    printf("%-26s %5d spheres in a bin, restitution %g: %.3f s in %.0f s, %ld steps, %ld evaluations, %ld problems, %ld unsolved\n", "carom by events", count,
           restitution, carom_sim_time(sim), clock_processor() - began, s.steps, s.evaluations, s.solves, s.unsolved);
    printf("%-26s energy error %.1e, deepest overlap at the end %.1e m, mean height %.4f m, %.0f MB\n", "", s.energy_imbalance,
           crowd_bin_overlap((const double(*)[3])at, count), crowd_height((const double(*)[3])at, count), memory_used());
  }
  if (error.text[0]) printf("%s\n", error.text);
  free(at);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static void fill_bins(int count, double end) {
  fill_bin(count, 0, end);
  fill_bin(count, 0.5, end);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "bin") == 0) return fill_bins(argc > 3 ? atoi(argv[3]) : 60, argc > 2 ? atof(argv[2]) : 1), 0;
  const int count = argc > 1 ? atoi(argv[1]) : CROWD_SPHERES;
  const double end = argc > 2 ? atof(argv[2]) : 1;
  static const double tolerances[] = {1e-2, 1e-4, 1e-8};
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc > 4) threads = atoi(argv[4]);
  if (argc > 3) return drop(count, atof(argv[3]), end), 0;
  if (argc > 1 && count <= 0) return count < 0 ? drift(-count, 40) : stand(2), 0;
  for (int i = 0; i < 3; i++) drop(count, tolerances[i], end);
  stand(2);
  if (argc > 1) return 0;
  drop(10 * CROWD_SPHERES, 1e-2, 0.2);
  drift(10 * CROWD_SPHERES, 40);
  drift(100 * CROWD_SPHERES, 40);
  fill_bins(60, 1);
  return 0;
}
