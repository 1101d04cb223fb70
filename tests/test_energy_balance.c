// The energy ledger closes on every model of models/: what is stored is what was there, plus the work of drives and
// applied forces, less what dampers took.
#include <dirent.h>

#include "runs.h"

#define RTOL       1e-9
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
// Small motions are to be held by what they are, not by the size of the mechanism: atol is a thousandth of rtol.
#define TOLERANCE "integrator.rtol=" TEXT(RTOL) " integrator.atol=1e-12 "

// A step may be wrong by rtol in each speed and by rtol in each account of work. Energy is quadratic in the speeds: 2
// rtol of it, and with the accounts 3 rtol a step; in the worst case all of one sign. Over thousands of steps signs
// mix: no model is allowed more than 1e3 rtol.
static double allowance(const carom_summary *s) { return RTOL * fmin(3 * (double)s->steps, 1e3); }

// Long ones are cut: as absolute coordinates couple all bodies, by their number.
static double end_of(const carom_model_info *info) { return info->end / fmax(1, info->bodies / 8.0); }

static void check_balance(const char *name, const char *coordinates) {
  run r;
  char settings[256];
  snprintf(settings, sizeof settings, "coordinates=%s " TOLERANCE, coordinates);
  if (!run_open(&r, name, settings)) return;
  const carom_model_info info = carom_model_get_info(r.model);
  if (strcmp(info.method, "smooth") != 0) {  // a fixed-step scheme has no tolerance to be held against
    run_close(&r);
    return;
  }
  CHECK(strcmp(info.integrator, "rk4") != 0);  // it would have no tolerance to be held against
  const double end = end_of(&info);
  if (run_to(&r, end)) {
    const carom_summary s = carom_sim_summary(r.sim);
    printf("    %-20s %-8s %6ld steps, imbalance %.1e of %.1e\n", name, coordinates, s.steps, s.energy_imbalance,
           allowance(&s));
    CHECK_EQUAL(s.t == end, true);
    CHECK_LE(s.energy_imbalance, allowance(&s));
  }
  run_close(&r);
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// Names of the models, sorted; -1 when the folder cannot be read.
static int list_models(char **names, int most) {
  char path[1024];
  if (!check_source("models", path, sizeof path)) return -1;
  DIR *folder = opendir(path);
  int count = 0;
  for (struct dirent *e = folder ? readdir(folder) : NULL; e && count < most; e = readdir(folder)) {
    const size_t length = strlen(e->d_name);
    if (length > 5 && strcmp(e->d_name + length - 5, ".yaml") == 0) names[count++] = strndup(e->d_name, length - 5);
  }
  if (folder) closedir(folder);
  qsort(names, (size_t)count, sizeof *names, compare);
  return count;
}

static void every_model(const char *coordinates) {
  char *names[256];
  const int count = list_models(names, 256);
  CHECK_LE(12, count);  // the twelve that must be there
  for (int i = 0; i < count; i++) {
    check_balance(names[i], coordinates);
    free(names[i]);
  }
}

static void every_model_in_joint_coordinates(void) { every_model("joint"); }
static void every_model_in_absolute_coordinates(void) { every_model("absolute"); }

// The four-bar has something in every account, so none is zero by chance.
static void every_account_is_used(void) {
  run r;
  if (!run_open(&r, "four-bar", TOLERANCE)) return;
  const double kinetic = run_read(&r, "energy.kinetic"), gravity = run_read(&r, "energy.gravity");
  const double spring = run_read(&r, "energy.spring");
  if (run_to(&r, 0.3)) {
    const double stored =
        run_read(&r, "energy.kinetic") + run_read(&r, "energy.gravity") + run_read(&r, "energy.spring");
    const double drive = run_read(&r, "energy.drive"), applied = run_read(&r, "energy.applied");
    const double damper = run_read(&r, "energy.damper");
    const double accounts[] = {kinetic,
                               fabs(gravity - run_read(&r, "energy.gravity")),
                               fabs(spring - run_read(&r, "energy.spring")),
                               fabs(drive),
                               fabs(applied),
                               damper};
    for (int i = 0; i < 6; i++) CHECK_LE(0.01, accounts[i]);  // joules; the largest is below 10
    const carom_summary s = carom_sim_summary(r.sim);
    CHECK_NEAR(stored, kinetic + gravity + spring + drive + applied - damper, 10 * allowance(&s));
  }
  run_close(&r);
}

// What the ledger shows is the integrator's error: it falls with the tolerance, as all errors do in a method that keeps
// its error a step at rtol; over four decades by at least three.
static void imbalance_follows_the_tolerance(void) {
  static const char *const types[] = {"adams", "bdf", "erk"};
  for (int i = 0; i < 3; i++) {
    double imbalance[2];
    for (int k = 0; k < 2; k++) {
      run r;
      char settings[128];
      snprintf(settings, sizeof settings, "integrator.type=%s integrator.rtol=%g integrator.atol=%g", types[i],
               k ? 1e-9 : 1e-5, k ? 1e-9 : 1e-5);
      if (!run_open(&r, "four-bar", settings)) return;
      run_to(&r, 2);
      imbalance[k] = carom_sim_summary(r.sim).energy_imbalance;
      run_close(&r);
    }
    printf("    %-5s %.1e at rtol 1e-5, %.1e at 1e-9\n", types[i], imbalance[0], imbalance[1]);
    CHECK_LE(1e3 * imbalance[1], imbalance[0]);
  }
}

// A rod whose length is given over time works on the mass it swings, though no drive is named: 1e-8 a step, over some
// hundred steps, of what goes through.
static void a_length_over_time_does_work(void) {
  static const char *const text =
      "space: planar\nbodies: {a: {mass: 1, inertia: 0.1}}\njoints: {f: {free: [ground, a], at: [0, -1]}}\n"
      "constraints: {rod: {distance: [ground, a], length: 1 + 0.3*sin(3*t)}}\ninitial: {f: {q: [0, 0.3, 0]}}\n";
  run r;
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, 5);
  CHECK_LE(1, fabs(run_read(&r, "energy.drive")));
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-5);
  run_close(&r);
}

int main(void) {
  RUN(every_model_in_joint_coordinates);
  RUN(every_model_in_absolute_coordinates);
  RUN(every_account_is_used);
  RUN(imbalance_follows_the_tolerance);
  RUN(a_length_over_time_does_work);
  return check_summary();
}
