// What the command line tells of models and of itself: check, list, laws, example, reference.
#include "tool.h"

#include <dirent.h>

#include "carom/carom.h"

static void check_tells_what_a_model_is(void) {
  write_text(scratch("linkage.yaml"), linkage);
  CHECK_EQUAL(carom("check linkage.yaml"), 0);
  CHECK_TEXT(err, "");
  CHECK_CONTAINS(out, "A linkage that is given wrong");
  CHECK_CONTAINS(out, "3, 3 kg in all");
  CHECK_CONTAINS(out, "coupler          1 kg, size 0.5 m, radius of gyration 0.1 m");
  CHECK_CONTAINS(out, "closes a loop");
  CHECK_CONTAINS(out, "1 degree of freedom");
  CHECK_CONTAINS(out, "2 constraint rows, none redundant");
  CHECK_CONTAINS(out, "brake            along        on left");
  CHECK_CONTAINS(out, "was changed to");
  CHECK(!strstr(out, "energy.kinetic"));
  CHECK_EQUAL(carom("check linkage.yaml --signals --set coordinates=absolute"), 0);
  CHECK_CONTAINS(out, "9 coordinates and 9 speeds (absolute coordinates)");
  CHECK_CONTAINS(out, "coupler - rocker, closes a loop");
  CHECK(!strstr(out, "ground - crank, closes a loop"));
  CHECK_CONTAINS(out, "energy.kinetic");
  CHECK_CONTAINS(out, "left.q ");
  CHECK_EQUAL(carom("check linkage.yaml --json --signals"), 0);
  CHECK_EQUAL(count_lines(out), 1);
  CHECK_EQUAL(printed_number("freedom"), 1);
  CHECK_EQUAL(printed_number("constraint_rows"), 2);
  CHECK_EQUAL(printed_number("redundant_rows"), 0);
  CHECK(printed_number("iterations") > 0);
  CHECK(printed_number("violation_before") > 1e-3 && printed_number("violation_after") < 1e-10);
  CHECK_CONTAINS(out, "{\"name\": \"left.q\", \"unit\": \"rad\"}");
}

static void check_lists_controllers(void) {
  write_text(scratch("controlled.yaml"),
             "space: planar\n"
             "bodies: {arm: {mass: 1, inertia: 1}}\n"
             "joints: {hinge: {revolute: [ground, arm]}}\n"
             "signals: {error: 1 rad - hinge.q, ratio: 2*t}\n"
             "states:\n"
             "  integral: {rate: error, unit: rad*s, limits: [-0.5, 0.5], reset_at: 2 s}\n"
             "  count: {rate: 1, initial: 3, reset_at: [1, 2]}\n"
             "callbacks: {pilot: {inputs: [error, hinge.u], outputs: [torque, light], every: 10 ms}, other: {inputs: "
             "[], outputs: [x]}}\n"
             "forces: {motor: {motor: hinge, effort: pilot.torque, lag: 5 ms}}\n");
  CHECK_EQUAL(carom("check controlled.yaml"), 0);
  CHECK_CONTAINS(out, "  computed     2\n    error            rad\n");
  CHECK_CONTAINS(out,
                 "  states       2\n    integral         rad*s, starts at 0, limits -0.5 and 0.5, set to 0 at 2 s\n    "
                 "count            starts at 3, set to 3 at 2 times\n");
  CHECK_CONTAINS(out,
                 "  callbacks    2\n    pilot            from error, hinge.u to torque, light; every 0.01 s\n    other "
                 "           from nothing to x; at each evaluation\n");
  CHECK_EQUAL(carom("check controlled.yaml --json"), 0);
  CHECK_CONTAINS(out, "\"computed\": [{\"name\": \"error\", \"unit\": \"rad\"}");
  CHECK_CONTAINS(out, "{\"name\": \"integral\", \"detail\": \"rad*s, starts at 0");
}

static void check_finds_redundant_constraints(void) {
  // a second hinge on the same axis adds five rows and takes nothing away
  write_text(scratch("hinges.yaml"),
             "bodies: {door: {mass: 20, inertia: [1, 1, 1], com: [0.5, 0, 1]}}\n"
             "joints:\n"
             "  lower: {revolute: [ground, door]}\n"
             "  upper: {revolute: [ground, door], at: [0, 0, 2], to: [0, 0, 2]}\n");
  CHECK_EQUAL(carom("check hinges.yaml --json"), 0);
  CHECK_EQUAL(printed_number("freedom"), 1);
  CHECK_EQUAL(printed_number("constraint_rows"), 5);
  CHECK_EQUAL(printed_number("redundant_rows"), 5);
  CHECK_EQUAL(carom("check hinges.yaml"), 0);
  CHECK_CONTAINS(out, "redundant, and handled");
}

static void lists_name_what_there_is(void) {
  static const struct {
    const char *family, *member;
  } wanted[] = {{"joints", "spherical"},
                {"constraints", "distance"},
                {"forces", "bushing"},
                {"methods", "smooth"},
                {"integrators", "adams"},
                {"functions", "sqrt(x): square root"},
                {"units", "rpm       turns per minute"},
                {"models", "four-bar"},
                {"surfaces", "sphere"},
                {"solvers", "lemke"},
                {"laws", "flores"},
                {"solids", "bronze"}};
  CHECK_EQUAL(carom("list"), 0);
  char *families = strdup(out);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    CHECK_CONTAINS(families, wanted[i].family);
    CHECK_EQUAL(carom("list %s", wanted[i].family), 0);
    CHECK_CONTAINS(out, wanted[i].member);
    CHECK(!strstr(out, " \n"));
  }
  CHECK_EQUAL(count_lines(families), sizeof wanted / sizeof *wanted);
  free(families);
}

static void laws_are_told_and_drawn(void) {
  CHECK_EQUAL(carom("laws"), 0);
  CHECK_CONTAINS(out, "F = K δⁿ (1 + 8(1-e)/(5e) δ̇/v₀)");
  CHECK_CONTAINS(out, "hunt-crossley        0.5014");
  CHECK_EQUAL(carom("laws --law lugre"), 0);
  CHECK_CONTAINS(out, "Canudas de Wit");
  CHECK(!strstr(out, "flores"));
  CHECK_EQUAL(carom("laws --csv impacts.csv --friction-csv slides.csv --restitution 0.5"), 0);
  CHECK_CONTAINS(out, "flores                   0.5000     0.4704");
  CHECK_EQUAL(carom("laws --law hertz --csv -"), 0);
  CHECK(strncmp(out, "law,restitution,t,delta,rate,force\nhertz,0.69999999999999996,0,0,1,0\n", 68) == 0);
  CHECK(count_lines(out) > 300 && count_lines(out) < 500);
  CHECK_EQUAL(carom("laws --law brown-mcphee --friction-csv -"), 0);
  CHECK(strncmp(out, "law,t,x,v,force\nbrown-mcphee,0,0,0,", 34) == 0);
  CHECK_EQUAL(carom("laws --csv no/such/folder.csv"), 3);
}

static void examples_are_the_models(void) {
  char folder[4096], path[4608];
  if (!CHECK(check_source("models", folder, sizeof folder))) return;
  CHECK_EQUAL(carom("example"), 0);
  char *list = strdup(out);
  DIR *all = opendir(folder);
  int count = 0;
  for (struct dirent *entry; all && (entry = readdir(all));) {
    char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".yaml") != 0) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    char *text = read_file(path, NULL);
    *dot = 0;
    CHECK_CONTAINS(list, entry->d_name);
    CHECK_EQUAL(carom("example %s", entry->d_name), 0);
    CHECK_TEXT(out, text);
    CHECK_EQUAL(carom("check '%s'", path), 0);
    CHECK_TEXT(err, "");
    free(text);
    count++;
  }
  if (all) closedir(all);
  CHECK(count >= 12);
  CHECK_EQUAL(count_lines(list), count);
  free(list);
}

static void the_reference_page_is_up_to_date(void) {
  char path[4096];
  if (!CHECK(check_source("docs/model-reference.md", path, sizeof path))) return;
  char *page = read_file(path, NULL);
  CHECK_EQUAL(carom("reference"), 0);
  if (!CHECK(strcmp(out, page) == 0)) printf("      carom reference > docs/model-reference.md brings it up to date\n");
  CHECK_CONTAINS(out, "`revolute`");
  free(page);
}

int main(void) {
  if (!tool_is_there()) return 1;
  RUN(check_tells_what_a_model_is);
  RUN(check_finds_redundant_constraints);
  RUN(check_lists_controllers);
  RUN(lists_name_what_there_is);
  RUN(laws_are_told_and_drawn);
  RUN(examples_are_the_models);
  RUN(the_reference_page_is_up_to_date);
  forget_output();
  return check_summary();
}
