// Contact problems that a run has saved: every one that the solvers were given, by every method that gives them some,
// and each solved again from its file is what the run has recorded.
#include "check.h"

#include <unistd.h>

#include "runs.h"

// An arm that falls onto a floor, bounces and stays there. With steep friction it is wedged between its hinge and the
// floor, and no percussion gives it the speed that restitution asks for.
static const char arm[] =
    "space: planar\nparameters: {dt: 1e-3, mu: 0.3}\n"
    "bodies: {arm: {mass: 1, inertia: 0.02, com: [0.2, 0]}}\n"
    "joints: {hinge: {revolute: [ground, arm]}}\n"
    "surfaces:\n  tip: {sphere: arm, at: [0.4, 0], radius: 5 mm, material: s}\n"
    "  floor: {plane: ground, at: [0, -0.15], material: s}\n"
    "materials: {s: {restitution: 0.5, friction: mu}}\ncontacts: {floor: {between: [tip, floor]}}\n"
    "initial: {hinge: {q: 30 deg}}\nmethod: {moreau: {step: dt}}\nend: 1 s\n";

typedef struct solution {
  bool solved;
  double normal, tangential;  // of the first contact
} solution;

static void take(void *context, const carom_solve_result *result) {
  *(solution *)context = (solution){result->solved, result->r[0], result->r[1]};
}

// False where there is no such file. NUMBER, or NUMBER-K where K is above 1.
static bool solve_again(const char *dump, int number, int k, solution *to) {
  char path[5100];
  carom_error error = {0};
  snprintf(path, sizeof path, k > 1 ? "%s-%d-%d.dat" : "%s-%d.dat", dump, number, k);
  if (access(path, R_OK) != 0) return false;
  CHECK_EQUAL(carom_solve_file(path, &(carom_solve_options){.solver = "chain", .tolerance = 1e-10}, take, to, &error),
              CAROM_OK);
  CHECK_TEXT(error.text, "");
  return true;
}

static bool open_arm(run *r, const char *name, const char *method, const char *more, char *dump, size_t size) {
  char settings[5500];
  snprintf(dump, size, "%s/%s", check_scratch_dir(), name);
  snprintf(settings, sizeof settings, "%s method.%s.dump=%s method.%s.dump_every=1 method.%s.tolerance=1e-10", more,
           method, dump, method, method);
  return run_open_text(r, arm, settings);
}

// Forces of a time stepper are percussions over the step. The solvers begin a problem in the plane from nothing, so
// that they find the same solution again where there are several (an arm that hardly moves may be wedged either way).
// Where a step has several problems, the last one is recorded.
static int compare_steps(const char *name, const char *more) {
  char dump[5000];
  run r;
  int twice = 0;
  if (!open_arm(&r, name, "moreau", more, dump, sizeof dump)) return 0;
  for (int step = 1; step <= 800 && CHECK(carom_sim_step(r.sim, 1, &r.error) == CAROM_OK); step++) {
    solution last = {.solved = true};
    int count = 0;
    while (solve_again(dump, step, count + 1, &last)) count++;
    CHECK(last.solved);
    // rounding of percussions over 1 ms; a free arm has no problem at all
    CHECK_NEAR(run_read(&r, "floor.fn"), last.normal / 1e-3, 1e-9 * fabs(last.normal / 1e-3));
    CHECK_NEAR(fabs(run_read(&r, "floor.ft")), fabs(last.tangential) / 1e-3, 1e-9 * fabs(last.normal / 1e-3));
    twice += count == 2;
  }
  run_close(&r);
  return twice;
}

static void steps_are_solved_again(void) { CHECK_EQUAL(compare_steps("bounces", ""), 0); }

// The step that is solved without restitution leaves both of its problems: the one that has no solution is the one to
// look at.
static void both_problems_of_a_step_are_saved(void) { CHECK_EQUAL(compare_steps("wedged", "mu=3"), 1); }

// What problems mean differs with the instant: percussions, forces, accelerations of a mode. So percussions of a ball
// that bounces are compared with its momentum, and forces of an arm at rest with what is recorded there.
static void events_are_solved_again(void) {
  char dump[5000], settings[5500];
  run r;
  snprintf(dump, sizeof dump, "%s/ball", check_scratch_dir());
  snprintf(settings, sizeof settings, "method=event method.event.dump=%s method.event.dump_every=1", dump);
  if (!run_open(&r, "bouncing-ball", settings)) return;
  CHECK(run_to(&r, 1.6));
  solution s = {0};
  double impulse = 0;
  int count = 0;
  while (solve_again(dump, count + 1, 1, &s)) count++, impulse += CHECK(s.solved) ? s.normal : NAN;
  CHECK_NEAR(impulse, run_read(&r, "ball.vy") + 9.81 * 1.6, 1e-8);  // 1 kg from rest; two impacts located to 1e-9 s
  CHECK_LE(2, count);
  run_close(&r);
  if (!open_arm(&r, "rests", "event", "method=event mu=0", dump, sizeof dump)) return;
  CHECK(run_to(&r, 1));
  double force = NAN;
  for (count = 0; solve_again(dump, count + 1, 1, &s); count++) force = s.normal;
  CHECK_NEAR(run_read(&r, "floor.fn"), force, 1e-6 * force);
  CHECK_LE(4, count);
  run_close(&r);
}

// Of a number of problems each n-th; of those that were solved none without a number.
static void only_what_is_asked_for_is_saved(void) {
  char dump[5000], settings[5500];
  run r;
  solution s;
  for (int every = 0; every <= 100; every += 100) {
    snprintf(dump, sizeof dump, "%s/some%d", check_scratch_dir(), every);
    snprintf(settings, sizeof settings, "method.moreau.dump=%s method.moreau.dump_every=%d", dump, every);
    if (!run_open_text(&r, arm, settings)) return;
    CHECK(run_to(&r, 1));
    int found = 0;
    for (int step = 1; step <= 1000; step++) found += solve_again(dump, step, 1, &s);
    CHECK_EQUAL(found, every ? (carom_sim_summary(r.sim).solves + 99) / 100 : 0);
    run_close(&r);
  }
}

// What cannot be saved is told once the step is over, by every method.
static void a_folder_that_does_not_exist_is_told(void) {
  static const char *const settings[] = {"method.moreau.dump=/nowhere/met method.moreau.dump_every=1",
                                         "method=event method.event.dump=/nowhere/met method.event.dump_every=1"};
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open(&r, "bouncing-ball", settings[i])) return;
    CHECK(carom_sim_advance(r.sim, 0.6, &r.error) == CAROM_ERROR_FILE);
    CHECK_CONTAINS(r.error.message, "/nowhere/met-");
    run_close(&r);
  }
}

int main(void) {
  RUN(steps_are_solved_again);
  RUN(both_problems_of_a_step_are_saved);
  RUN(events_are_solved_again);
  RUN(only_what_is_asked_for_is_saved);
  RUN(a_folder_that_does_not_exist_is_told);
  return check_summary();
}
