// Spheres that fall into a box, to three tolerances, and a stack of boxes; peer_ode_crowd and peer_bullet_crowd run the
// same scenes.
//
//   bench_crowd [spheres [seconds [tolerance [threads]]]]
//       no spheres: the stack alone; a minus sign: so many that drift
//   bench_crowd settled [spheres [threads]]
//       spheres that have settled, with one thread and with several (2) in turns
//   bench_crowd bin [seconds [spheres [restitution]]]
//       spheres that fall into a bin event by event, without restitution and with 0.5
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "carom/carom.h"
#include "clock.h"
#include "crowd_model.h"

enum { STRIDE = 20 };

// Spheres that drift, four radii apart in the mean, and hardly meet: what is left of a step is motion and the search
// for what is near. Places are a sequence that fills the cube evenly.
static carom_model *drifting(int count) {
  char text[2000], *to = text;
  to += sprintf(to, "gravity: [0, 0, 0]\nmaterials: {m: {}}\nmethod: {moreau: {step: %g}}\nparameters: {side: %.17g}\n",
                CROWD_STEP, 4 * CROWD_RADIUS * cbrt(count));
  to += sprintf(to, "bodies:\n  b{i}: {repeat: {i: [1, %d]}, mass: 1, inertia: [1e-3, 1e-3, 1e-3]}\n", count);
  to += sprintf(to,
                "joints:\n  j{i}: {repeat: {i: [1, %d]}, free: [ground, \"b{i}\"], at: ['side*mod(0.8191725*i, 1)', "
                "'side*mod(0.6710436*i, 1)', 'side*mod(0.5497005*i, 1)']}\n",
                count);
  to += sprintf(to, "surfaces:\n  s{i}: {repeat: {i: [1, %d]}, sphere: \"b{i}\", radius: %g, material: m}\n", count,
                CROWD_RADIUS);
  sprintf(to, "initial:\n  j{i}: {repeat: {i: [1, %d]}, u: [0, 0, 0, sin(2*i), sin(3*i), sin(5*i)]}\n", count);
  return crowd_parse(text);
}

static carom_model *stack(void) {
  const double s = CROWD_SIDE, mass = CROWD_DENSITY * s * s * s, inertia = mass * s * s / 6;
  char text[8000], *to = text;
  to += sprintf(to, "gravity: [0, 0, -9.81]\nmaterials: {m: {friction: %g}}\nmethod: {moreau: {step: %g}}\n",
                CROWD_FRICTION, CROWD_STEP);
  to += sprintf(to, "bodies:\n  b{i}: {repeat: {i: [0, %d]}, mass: %g, inertia: [%.17g, %.17g, %.17g]}\n",
                CROWD_BOXES - 1, mass, inertia, inertia, inertia);
  to += sprintf(to, "joints:\n  j{i}: {repeat: {i: [0, %d]}, free: [ground, \"b{i}\"], at: [0, 0, (i + 0.5)*%g]}\n",
                CROWD_BOXES - 1, s);
  sprintf(to,
          "surfaces:\n  floor: {plane: ground, material: m}\n  s{i}: {repeat: {i: [0, %d]}, box: \"b{i}\", size: [%g, "
          "%g, %g], material: m}\n",
          CROWD_BOXES - 1, s, s, s);
  return crowd_parse(text);
}

// The most memory that the program has had until now [MB].
static double memory_used(void) {
  struct rusage used;
  return getrusage(RUSAGE_SELF, &used) == 0 ? (double)used.ru_maxrss / 1024 : 0;
}

static int threads = 1;

// What a run takes: the time that passes, which all speeds are by, and the time of all its processors, which tells
// whether the machine was busy.
typedef struct times {
  double wall, processor;
} times;
static times now(void) { return (times){clock_now(), clock_processor()}; }
static times since(times began) { return (times){clock_now() - began.wall, clock_processor() - began.processor}; }

// Runs steps `from` … `to` − 1, and fewer if they take longer than `most` seconds. Returns where it has ended. Each
// call looks closely at where it ends, as for output: there are few of them.
static int go(carom_sim *sim, int from, int to, double most, times *took) {
  carom_error error = {0};
  const times began = now();
  int k = from, next = from;
  for (; k < to && since(began).wall < most; k = next) {
    next = k + STRIDE < to ? k + STRIDE : to;
    if (carom_sim_advance(sim, next * CROWD_STEP, &error) != CAROM_OK) break;
  }
  if (error.text[0]) printf("%s\n", error.text);
  *took = since(began);
  return k;
}

static void drop(int count, double tolerance, double end) {
  carom_error error = {0};
  carom_model *model = crowd_spheres(count, tolerance);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  double(*at)[3] = malloc((size_t)count * sizeof *at);
  times took;
  if (sim && at && carom_sim_set_threads(sim, threads, &error) == CAROM_OK) {
    char who[40];
    const int steps = go(sim, 0, (int)lround(end / CROWD_STEP), 120, &took);
    const carom_summary s = carom_sim_summary(sim);
    crowd_read(model, sim, at, count);
    snprintf(who, sizeof who, "carom to %.0e", tolerance);
    crowd_print_spheres(who, (const double(*)[3])at, count, steps, took.wall);
    printf(
        "%-26s %ld problems, %ld unsolved, worst residual %.1e, %.1f sweeps per problem, %.1f per step over all "
        "islands\n",
        "", s.solves, s.unsolved, s.worst_residual, (double)s.iterations / fmax((double)s.solves, 1),
        (double)s.iterations / steps);
    printf(
        "%-26s %.2f us per sphere and step, %.0f MB, %d threads, %.2f processors busy, %.1f steps per second of "
        "processor time\n",
        "", 1e6 * took.wall / ((double)steps * count), memory_used(), threads, took.processor / took.wall,
        steps / took.processor);
  }
  free(at);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

// Spheres that have settled: cost per sphere and sweep, and what threads gain. One thread and several take short runs
// of steps in turns in one sim. Results do not depend on threads, so that both meet the same problems.
static void settle(int count, double tolerance, int several, double most) {
  enum { SETTLED = 800, RUNS = 5 };
  carom_error error = {0};
  carom_model *model = crowd_spheres(count, tolerance);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  times all[2] = {{0}}, took;
  int at = 0, steps[2] = {0};
  if (sim && carom_sim_set_threads(sim, several, &error) == CAROM_OK) at = go(sim, 0, SETTLED, most, &took);
  const carom_summary before = sim ? carom_sim_summary(sim) : (carom_summary){0};
  for (int i = 0; at >= SETTLED && i < 2 * RUNS && error.text[0] == 0; i++) {
    const int k = i % 2, from = at;
    if (carom_sim_set_threads(sim, k ? several : 1, &error) != CAROM_OK) break;
    at = go(sim, from, from + STRIDE, most, &took);
    all[k].wall += took.wall, all[k].processor += took.processor, steps[k] += at - from;
  }
  if (steps[0] && steps[1]) {
    const carom_summary s = carom_sim_summary(sim);
    const double sweeps = (double)(s.iterations - before.iterations) / (steps[0] + steps[1]);
    const double step[2] = {all[0].wall / steps[0], all[1].wall / steps[1]};
    printf(
        "%-26s %5d spheres, settled at %.1f s: %.1f ms per step by wall time with one thread, %.1f with %d: %.2f times "
        "as fast, %.2f processors busy\n",
        "carom", count, SETTLED * CROWD_STEP, 1e3 * step[0], 1e3 * step[1], several, step[0] / step[1],
        all[1].processor / all[1].wall);
    printf("%-26s %.1f sweeps per step over all islands, %.2f ns per sphere and sweep with one thread, %.0f MB\n", "",
           sweeps, 1e9 * step[0] / (sweeps * count), memory_used());
  } else printf("%5d spheres: not settled within %.0f s%s%s\n", count, most, error.text[0] ? ": " : "", error.text);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static void drift(int count, int steps) {
  carom_error error = {0};
  carom_model *model = drifting(count);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  times took;
  if (sim) {
    steps = go(sim, 0, steps, 120, &took);
    printf("%-26s %5d drifting: %8.3f us per sphere and step, %.0f MB\n", "carom", count,
           1e6 * took.wall / ((double)steps * count), memory_used());
  } else printf("%s\n", error.text);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static void stand(double end) {
  carom_error error = {0};
  carom_model *model = stack();
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  if (sim) {
    double at[CROWD_BOXES][3];
    times took;
    const int steps = go(sim, 0, (int)lround(end / CROWD_STEP), 120, &took);
    crowd_read(model, sim, at, CROWD_BOXES);
    crowd_print_stack("carom", at[CROWD_BOXES - 1], steps, took.wall);
    printf("%-26s deepest overlap %.1e m, %ld unsolved\n", "", carom_sim_summary(sim).deepest_penetration,
           carom_sim_summary(sim).unsolved);
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
    printf(
        "%-26s %5d spheres in a bin, restitution %g: %.3f s in %.0f s, %ld steps, %ld evaluations, %ld problems, %ld "
        "unsolved\n",
        "carom by events", count, restitution, carom_sim_time(sim), clock_processor() - began, s.steps, s.evaluations,
        s.solves, s.unsolved);
    printf("%-26s energy error %.1e, deepest overlap at the end %.1e m, mean height %.4f m, %.0f MB\n", "",
           s.energy_imbalance, crowd_bin_overlap((const double(*)[3])at, count),
           crowd_height((const double(*)[3])at, count), memory_used());
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

// Their arguments: seconds, spheres, restitution.
static void fill_bins_as_told(int argc, char **argv) {
  const double end = argc > 0 ? atof(argv[0]) : 1;
  const int count = argc > 1 ? atoi(argv[1]) : 60;
  if (argc > 2) fill_bin(count, atof(argv[2]), end);
  else fill_bins(count, end);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "bin") == 0) return fill_bins_as_told(argc - 2, argv + 2), 0;
  if (argc > 1 && strcmp(argv[1], "settled") == 0)
    return settle(argc > 2 ? atoi(argv[2]) : 10 * CROWD_SPHERES, 1e-2, argc > 3 ? atoi(argv[3]) : 2, 600), 0;
  const int count = argc > 1 ? atoi(argv[1]) : CROWD_SPHERES;
  const double end = argc > 2 ? atof(argv[2]) : 1;
  static const double tolerances[] = {1e-2, 1e-4, 1e-8};
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("speeds by the time that passes (wall time), with one thread and with several\n");
  if (argc > 4) threads = atoi(argv[4]);
  if (argc > 3) return drop(count, atof(argv[3]), end), 0;
  if (argc > 1 && count <= 0) return count < 0 ? drift(-count, 40) : stand(2), 0;
  for (int i = 0; i < 3; i++) drop(count, tolerances[i], end);
  stand(2);
  if (argc > 1) return 0;
  settle(CROWD_SPHERES, 1e-2, 2, 600);
  settle(10 * CROWD_SPHERES, 1e-2, 2, 600);
  drift(10 * CROWD_SPHERES, 40);
  drift(100 * CROWD_SPHERES, 40);
  fill_bins(60, 1);
  return 0;
}
