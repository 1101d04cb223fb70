// A body on a single joint against the output of ADAMS (reference data outside the tree).
#include "runs.h"

typedef struct samples {
  double t[600], value[600][3];
  int count;
} samples;

static bool read_samples(const char *joint, const char *what, samples *s) {
  char relative[256], path[4096], line[512], capital[32];
  snprintf(capital, sizeof capital, "%s", joint);
  capital[0] = (char)(capital[0] - 'a' + 'A');
  snprintf(relative, sizeof relative, "refs/adams/%s/%s_Case01_ADAMS_%s.txt", joint, capital, what);
  if (!check_shared(relative, path, sizeof path)) return false;
  FILE *file = fopen(path, "r");
  s->count = 0;
  while (file && s->count < 600 && fgets(line, sizeof line, file)) {
    double *v = s->value[s->count];
    s->count += sscanf(line, "%lf %lf %lf %lf", &s->t[s->count], &v[0], &v[1], &v[2]) == 4;
  }
  if (file) fclose(file);
  return true;
}

static double distance(const double *a, const double *b) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// The largest distances from the reference over all samples: of the mass centre, and of the force on ground.
static bool compare(const char *joint, const char *joint_name, const char *settings, const samples *position,
                    const samples *force, double *worst_position, double *worst_force) {
  run e;
  char model[64];
  snprintf(model, sizeof model, "pendulum-%s", joint);
  if (!run_open(&e, model, settings)) return false;
  *worst_position = *worst_force = 0;
  bool going = true;
  for (int k = 0; k < position->count && going; k++) {
    going = run_to(&e, position->t[k]);
    double p[] = {run_read(&e, "bar.x"), run_read(&e, "bar.y"), run_read(&e, "bar.z")};
    double f[] = {-run_read(&e, "%s.fx", joint_name), -run_read(&e, "%s.fy", joint_name),
                  -run_read(&e, "%s.fz", joint_name)};
    *worst_position = fmax(*worst_position, distance(p, position->value[k]));
    *worst_force = fmax(*worst_force, distance(f, force->value[k]));
  }
  run_close(&e);
  printf("    %s %s: %.2g m, %.2g N\n", joint, settings, *worst_position, *worst_force);
  return going;
}

#define MISSING "the ADAMS reference data is not here (CAROM_SHARED)"

static samples position, force;

// What the reference is good to (its own drift and printed digits), with room for nothing else.
static void check_case(const char *joint, const char *joint_name, double position_bound, double force_bound) {
  static const char *const settings[] = {"coordinates=joint", "coordinates=absolute"};
  CHECK_EQUAL(position.count, 501);
  CHECK_EQUAL(force.count, 501);
  for (int i = 0; i < 2; i++) {
    double worst_position, worst_force;
    if (!compare(joint, joint_name, settings[i], &position, &force, &worst_position, &worst_force)) continue;
    CHECK_LE(worst_position, position_bound);
    CHECK_LE(worst_force, force_bound);
  }
}

static void revolute_follows_adams(void) {
  if (!read_samples("revolute", "Pos", &position) || !read_samples("revolute", "Rforce", &force)) SKIP(MISSING);
  check_case("revolute", "hinge", 2e-5, 2e-3);
}

static void spherical_follows_adams(void) {
  if (!read_samples("spherical", "Pos", &position) || !read_samples("spherical", "Rforce", &force)) SKIP(MISSING);
  check_case("spherical", "ball", 1e-3, 2e-2);
}

// Six digits are printed: 5e-4 m at the depth of 122 m. The force is zero to the last bit there.
static void prismatic_follows_adams(void) {
  if (!read_samples("prismatic", "Pos", &position) || !read_samples("prismatic", "Rforce", &force)) SKIP(MISSING);
  check_case("prismatic", "guide", 5.1e-4, 1e-12);
}

// No reference needed: z = -g t²/2, which an integrator of order 2 and above finds exactly but for rounding.
static void prismatic_falls_freely(void) {
  for (int i = 0; i < 2; i++) {
    run e;
    if (!run_open(&e, "pendulum-prismatic", i ? "coordinates=absolute" : "coordinates=joint")) return;
    for (int k = 1; k <= 500; k++) {
      double t = 0.01 * k, depth = 0.5 * 9.80665 * t * t;
      if (!run_to(&e, t)) break;
      // the first steps are of order 1, and held to rtol = atol = 1e-10 each
      CHECK_NEAR(run_read(&e, "bar.z"), -depth, 1e-9 * fmax(1, depth));
      CHECK_NEAR(run_read(&e, "bar.x"), 2, 1e-12);
      CHECK_NEAR(run_read(&e, "guide.fx"), 0, 1e-12);
    }
    run_close(&e);
  }
}

int main(void) {
  RUN(revolute_follows_adams);
  RUN(spherical_follows_adams);
  RUN(prismatic_follows_adams);
  RUN(prismatic_falls_freely);
  return check_summary();
}
