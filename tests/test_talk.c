// What the tool says beside its results: commands to go on with, and warnings that --quiet does not suppress.
#include "tool.h"

static const char swing[] =
    "space: planar\n"
    "bodies: {bob: {mass: 2, inertia: 0.1, com: [0, -0.5]}}\n"
    "joints: {pin: {revolute: [ground, bob]}}\n"
    "initial: {pin: {q: 1}}\n";

// Each command that the summary advises can be given to the shell as it is.
static void advised_commands_are_quoted(void) {
  char text[1000];
  snprintf(text, sizeof text, "%send: 0.1\n", swing);
  if (!write_text(scratch("swing.yaml"), text)) return;
  CHECK_EQUAL(carom("run swing.yaml -o 'cut file'\\''s.h5'"), 0);
  CHECK_CONTAINS(out, "carom export 'cut file'\\''s.h5' --to csv\n");
  CHECK_CONTAINS(out, "carom report 'cut file'\\''s.h5'\n");
  in_scratch("cp stdout said; PATH='%s':$PATH sh -c \"$(sed -n 's/^ *to read them *//p' said)\" > rows",
             CHECK_BUILD_DIR);
  CHECK_EQUAL(carom("run swing.yaml -o plain.h5"), 0);
  CHECK_CONTAINS(out, "carom export plain.h5 --to csv\n");
  forget_output();
}

static void quiet_runs_warn_of_numbers_that_are_not_finite(void) {
  char text[1000];
  snprintf(text, sizeof text, "%soutputs: {o: log(t - 0.05)}\nend: 0.1\n", swing);
  if (!write_text(scratch("log.yaml"), text)) return;
  CHECK_EQUAL(carom("run log.yaml -q --no-record"), 0);
  CHECK_TEXT(out, "");
  CHECK_CONTAINS(err, "warning: Column 'o' is not a finite number at t = 0 s");
  CHECK_EQUAL(carom("run log.yaml -q --no-record --strict"), 1);
  const char *first = strstr(err, "Column 'o'");
  CHECK(first && !strstr(first + 1, "Column 'o'"));
  CHECK_EQUAL(carom("run log.yaml -q --no-record --set outputs.o=t"), 0);
  CHECK_TEXT(err, "");
  forget_output();
}

// Where the motion is not finite, every method says where to look.
static void every_method_says_where_to_look(void) {
  static const char *const methods[] = {"smooth", "event", "compliant", "{moreau: {step: 1e-3}}"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "%sforces: {push: {force: bob, components: [sqrt(0.05 - t), 0]}}\nend: 0.1\nmethod: %s\n", swing,
             methods[i]);
    if (!write_text(scratch("root.yaml"), text)) return;
    CHECK_EQUAL(carom("run root.yaml -q --no-record"), 1);
    CHECK_CONTAINS(err, "look for a division by zero, a root or logarithm of a negative number");
  }
  forget_output();
}

// A damper of c = 1e6 N s/m on 1 kg multiplies the speed by 1 - c Δt = -999 in each step.
static void too_large_a_gain_is_told(void) {
  write_text(scratch("gain.yaml"),
             "space: planar\nbodies: {m: {mass: 1}}\njoints: {slide: {prismatic: [ground, m], axis: x}}\n"
             "forces: {pull: {along: slide, effort: -1e6*slide.u}}\ninitial: {slide: {u: 1}}\n"
             "method: {moreau: {step: 1 ms}}\nend: 1 s\n");
  CHECK_EQUAL(carom("run gain.yaml -q --no-record"), 1);
  CHECK_CONTAINS(err, "it has grown from step to step");
  CHECK_CONTAINS(err, "take a shorter step");
  forget_output();
}

// Runs that fail at the start have nothing in common that could agree.
static void failed_runs_do_not_agree(void) {
  write_text(scratch("fails.yaml"),
             "space: planar\ngravity: [0, 0]\nbodies: {m: {mass: 1}}\n"
             "joints: {slide: {prismatic: [ground, m], axis: x, limits: [-1 m, 2 mm], material: stop}}\n"
             "materials: {stop: {restitution: 0.7, stiffness: 1e6}}\n"
             "forces: {pull: {along: slide, effort: sqrt(late - t)}}\n"
             "parameters: {late: 0}\nmethod: event\nend: 1 s\n");
  CHECK_EQUAL(carom("compare fails.yaml --method event,compliant"), 1);
  CHECK_CONTAINS(out,
                 "The runs cannot be compared: they have no stretch of time or no joint coordinate in common. event "
                 "failed at t = 0 s. compliant failed at t = 0 s.");
  CHECK_EQUAL(carom("compare fails.yaml --method event,compliant --set late=1e-2"), 1);
  CHECK_CONTAINS(out, "event and compliant agree until t = 0.01 s");
  CHECK_CONTAINS(out, " compliant failed at t = 0.01 s.");
  forget_output();
}

int main(void) {
  RUN(advised_commands_are_quoted);
  RUN(quiet_runs_warn_of_numbers_that_are_not_finite);
  RUN(every_method_says_where_to_look);
  RUN(too_large_a_gain_is_told);
  RUN(failed_runs_do_not_agree);
  return check_summary();
}
