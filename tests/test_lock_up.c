// A mechanism that locks up: every method and integrator ends with an error that names the constraint.
#include "tool.h"

// A crank that is longer than its rod: the loop cannot close beyond asin(40/50).
static void errors_name_a_lock_up(void) {
  write_text(scratch("lock.yaml"),
             "space: planar\n"
             "bodies:\n"
             "  crank: {mass: 0.1, inertia: 2e-5, com: [25 mm, 0]}\n"
             "  rod: {mass: 0.4, inertia: 1.3e-3, com: [20 mm, 0]}\n"
             "  ram: {mass: 1.5}\n"
             "joints:\n"
             "  crank: {revolute: [ground, crank]}\n"
             "  rod: {revolute: [crank, rod], at: [50 mm, 0]}\n"
             "  pin: {revolute: [rod, ram], at: [40 mm, 0]}\n"
             "  guide: {prismatic: [ground, ram], axis: x}\n"
             "drives: {motor: {joint: crank, motion: 300 rpm * t}}\n"
             "end: 0.1 s\n");
  static const char *const settings[] = {"method=smooth", "method=event", "method=compliant", "integrator=bdf", "integrator=erk",
                                         "integrator=ida"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    char command[200];
    snprintf(command, sizeof command, "run lock.yaml --no-record --set %s", settings[i]);
    CHECK_EQUAL(carom("%s", command), 1);
    CHECK_CONTAINS(err, "may lock up");
    CHECK_CONTAINS(err, "'pin'");
  }
  CHECK_EQUAL(carom("run lock.yaml --no-record --set 'integrator={type: rk4, step: 1e-4}'"), 1);
  CHECK_CONTAINS(err, "'pin'");
  CHECK(!strstr(err, "rtol"));
  CHECK_EQUAL(carom("run lock.yaml --no-record --set 'method={moreau: {step: 1e-4}}'"), 1);
  CHECK_CONTAINS(err, "'pin'");
}

int main(void) {
  RUN(errors_name_a_lock_up);
  return check_summary();
}
