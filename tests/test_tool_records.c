// What the command line makes of records: export, compare, report.
#include "tool.h"

#include "carom/carom.h"

// --- export ----------------------------------------------------------------------------------------------------------

static void export_gives_back_what_was_recorded(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml -q --csv swing.csv"), 0);
  CHECK_EQUAL(carom("export swing.h5 --to csv --table joints"), 0);
  CHECK(strncmp(out, "t,pin.q,pin.u,", 14) == 0);
  // the two files are written apart from one another, number by number the same
  char *text = read_file(scratch("swing.csv"), NULL), *line = text, *other = out;
  CHECK_EQUAL(count_lines(text), count_lines(out));
  int rows = 0;
  while (line && other && *line && *other) {
    const char *a = line, *b = other;
    for (int k = 0; k < 3; k++) a += strcspn(a, ",\n") + 1, b += strcspn(b, ",\n") + 1;
    CHECK(a - line == b - other && strncmp(line, other, (size_t)(a - line)) == 0);
    line = strchr(line, '\n'), other = strchr(other, '\n');
    if (line) line++;
    if (other) other++;
    rows++;
  }
  CHECK(rows > 10);
  free(text);
  CHECK_EQUAL(carom("export swing.h5 -o all.csv"), 0);
  text = read_file(scratch("all.csv"), NULL);
  CHECK(strncmp(text, "t,pin.q,", 8) == 0);
  CHECK_CONTAINS(text, ",height\n");
  CHECK_EQUAL(count_lines(text), rows);
  free(text);
  CHECK_EQUAL(carom("export swing.h5 --tables"), 0);
  CHECK_CONTAINS(out, "energy");
  CHECK_EQUAL(carom("export swing.h5 --table enrgy"), 2);
  CHECK_CONTAINS(err, "did you mean 'energy'?");
  CHECK_EQUAL(carom("export swing.h5 --table checkpoint"), 0);
  CHECK_EQUAL(count_lines(out), 2);  // header, the end
}

static void a_damaged_record_is_told(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml -q -o swing.h5"), 0);
  CHECK_EQUAL(truncate(scratch("swing.h5"), 5000), 0);
  CHECK_EQUAL(carom("export swing.h5"), 3);
  CHECK_EQUAL(count_lines(err), 1);
  CHECK_CONTAINS(err, "swing.h5");
}

// --- compare ---------------------------------------------------------------------------------------------------------

// The ball's first two bounces under three methods: impacts of all match, JSON and a page are written, and a run that
// fails is told and compared as far as it came. Moreau's method has no step here, and the stop has no stiffness: each
// is skipped with its reason.
static void a_method_that_cannot_run_is_skipped(void) {
  write_text(scratch("stop.yaml"),
             "space: planar\n"
             "gravity: [0, 0]\n"
             "bodies: {base: {mass: 1}, m: {mass: 1}}\n"
             "joints:\n"
             "  base: {prismatic: [ground, base], axis: x}\n"
             "  slide: {prismatic: [base, m], axis: x, limits: [-1 m, 2 mm], material: stop}\n"
             "materials: {stop: {restitution: 0.7}}\n"
             "forces: {k: {along: slide, stiffness: 1600, damping: 2}}\n"
             "drives: {shaker: {joint: base, motion: 1 mm*sin(50 rad/s*t)}}\n"
             "method: event\n"
             "record: {every: 1 ms}\n"
             "end: 1 s\n");
  CHECK_EQUAL(carom("compare stop.yaml"), 2);
  CHECK_CONTAINS(err, "skipped moreau: ");
  CHECK_CONTAINS(err, "skipped compliant: ");
  CHECK_CONTAINS(err, "only event can run this model");
  CHECK_EQUAL(carom("compare stop.yaml --set method.moreau.step=1e-4 -o fine"), 0);
  CHECK_CONTAINS(err, "skipped compliant: ");
  CHECK_CONTAINS(out, "skipped compliant: ");
  CHECK_CONTAINS(last_line(out), "moreau and event agree until t = 1 s");
  char *json = read_file(scratch("fine.json"), NULL);
  CHECK_CONTAINS(json, "{\"maker\": \"carom ");
  CHECK_CONTAINS(json, "\"agree\": true");
  CHECK_CONTAINS(json, "\"skipped\": [{\"method\": \"stewart-trinkle\", \"reason\": \"'step' is missing");
  CHECK_CONTAINS(json, "{\"method\": \"compliant\", \"reason\"");
  free(json);
  CHECK_EQUAL(carom("compare stop.yaml --set method.moreau.step=2e-2 -o coarse.json"), 0);
  CHECK(exists("coarse.json") && exists("coarse-event.h5") && !exists("coarse.json.json"));
  CHECK_CONTAINS(last_line(out), "event differs from moreau from t = ");
  CHECK_CONTAINS(out, "first in slide.q");
  // what is wrong with the model is no matter of the method
  write_text(scratch("wrong.yaml"), "bodies: {bob: {mass: -2}}\n");
  CHECK_EQUAL(carom("compare wrong.yaml --set method.moreau.step=1e-3"), 2);
  CHECK_CONTAINS(err, "wrong.yaml:1:");
  CHECK(!strstr(err, "skipped"));
}

static void methods_are_compared(void) {
  const char *model = CHECK_SOURCE_DIR "/models/bouncing-ball.yaml";
  // stiff, and with the restitution that was asked for: an impact of 0.1 ms, where impacts match within 15
  CHECK_EQUAL(
      carom("compare %s --end 1.5 --method event,moreau,compliant --report page.html --set materials.rubber.law=flores "
            "--set materials.rubber.stiffness=1e9 --set materials.rubber.restitution_is=achieved",
            model),
      0);
  CHECK_CONTAINS(out, "differences from event");
  CHECK_CONTAINS(out, "2 matched, 0 of event alone, 0 of moreau alone");
  CHECK_CONTAINS(out, "2 matched, 0 of event alone, 0 of compliant alone");
  char *json = read_file(scratch("bouncing-ball.json"), NULL), *page = read_file(scratch("page.html"), NULL);
  CHECK_CONTAINS(json, "\"second\": \"compliant\"");
  CHECK_CONTAINS(page, "carom-run");
  free(json);
  free(page);
  CHECK_EQUAL(carom("compare %s --end 1.5 --method moreau,event --json -o both", model), 0);
  CHECK_CONTAINS(out, "\"impulse_max\"");
  CHECK_EQUAL(carom("compare %s --method moreau", model), 2);
  CHECK_CONTAINS(err, "at least two methods");
  CHECK_EQUAL(carom("compare %s --method moreau,moreau", model), 2);
  CHECK_EQUAL(carom("compare %s --method moreau,nonsense", model), 2);
  CHECK_CONTAINS(err, "nonsense");
  // a fixed step that lands deep in the floor, far through a light ball
  CHECK_EQUAL(carom("compare %s --end 1.5 --method event,compliant --set method.compliant.entry=none "
                    "--set 'integrator={type: rk4, step: 0.03}'",
                    model),
              2);
  CHECK_CONTAINS(err, "rk4");
}

// Every method that knows contact runs the examples of flexible bodies and of the double pendulum, with the step of the
// model's own method where it needs one. Of flexible bodies the places of markers are compared: both joints of the
// manipulator are driven.
static void all_methods_run(const char *model, const char *end, const char *column, const char *agreeing) {
  static const char *const methods[] = {"moreau",    "stewart-trinkle", "event",       "compliant",
                                        "iterative", "lcp-position",    "lcp-velocity"};
  CHECK_EQUAL(carom("compare " CHECK_SOURCE_DIR "/models/%s.yaml --end %s", model, end), 0);
  CHECK_TEXT(err, "");
  CHECK(!strstr(out, "skipped"));
  for (int i = 0; i < 7; i++) {
    char file[128];
    snprintf(file, sizeof file, "%s-%s.h5", model, methods[i]);
    CHECK(exists(file));
  }
  CHECK_CONTAINS(out, column);
  CHECK_CONTAINS(last_line(out), agreeing);
}

static void examples_run_under_all_methods(void) {
  all_methods_run("double-pendulum-space", "0.1", "a.q4 [m]", "iterative agrees with moreau until t = 0.1 s");
  all_methods_run("elastic-rod", "0.3e-3", "tip.x [m]", "iterative agrees with moreau until t = 0.0003 s");
}

// The impact, 0.36 s, excites the axial shapes, which each method treats in its own way.
static void the_manipulator_runs_under_all_methods(void) {
  all_methods_run("manipulator-contact", "0.365", "P.y [m]", "iterative agrees with moreau until t = 0.365 s");
  CHECK_CONTAINS(out, "lcp-position");
}

// --- reports ---------------------------------------------------------------------------------------------------------

static void reports_are_written(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml -q -o runs.h5"), 0);
  CHECK_EQUAL(carom("report runs.h5"), 0);
  CHECK_TEXT(out, "runs.html\n");
  CHECK_TEXT(err, "");
  char *page = read_file(scratch("runs.html"), NULL);
  CHECK_CONTAINS(page, "id=\"carom-run\"");
  CHECK_CONTAINS(page, "A pendulum of our own");
  CHECK(!strstr(page, "<!--carom-data-->") && !strstr(page, "<!--carom-blobs-->"));
  free(page);
  CHECK_EQUAL(carom("report runs.h5 runs.h5 -o two.html"), 0);
  CHECK(exists("two.html"));
  CHECK_EQUAL(carom("run swing.yaml -q -o again.h5 --report again.html"), 0);
  CHECK(exists("again.html"));
  CHECK_TEXT(out, "");
  CHECK_EQUAL(carom("run swing.yaml -o again.h5 --report again.html"), 0);
  CHECK_CONTAINS(out, "open again.html in a browser");
}

static void reports_that_cannot_be_are_refused(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml -q -o keep.h5"), 0);
  CHECK_EQUAL(carom("report"), 2);
  CHECK_CONTAINS(err, "carom report needs RUN");
  CHECK_EQUAL(carom("report keep.h5 -o keep.h5"), 2);
  CHECK_CONTAINS(err, "would overwrite");
  CHECK_EQUAL(carom("report keep.h5 nothing.h5"), 3);
  CHECK_CONTAINS(err, "nothing.h5");
  CHECK_EQUAL(carom("report swing.yaml"), 3);
  CHECK_EQUAL(carom("report keep.h5 -o nowhere/x.html"), 3);
  CHECK_EQUAL(carom("report keep.h5 --to pdf"), 2);
  CHECK_EQUAL(carom("run swing.yaml -q --no-record --report x.html"), 2);
  CHECK_EQUAL(carom("run swing.yaml -q -o x.html --report x.html"), 2);
  CHECK_EQUAL(carom("run swing.yaml -q --report swing.yaml"), 2);
  CHECK_EQUAL(carom("export keep.h5 --tables"), 0);  // it has survived all this
}

int main(void) {
  if (!tool_is_there()) return 1;
  RUN(reports_are_written);
  RUN(reports_that_cannot_be_are_refused);
  RUN(export_gives_back_what_was_recorded);
  RUN(a_damaged_record_is_told);
  RUN(methods_are_compared);
  RUN(a_method_that_cannot_run_is_skipped);
  RUN(examples_run_under_all_methods);
  RUN_OPTIMISED(the_manipulator_runs_under_all_methods);
  forget_output();
  return check_summary();
}
