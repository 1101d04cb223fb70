// What files and messages say about a run beside its numbers: units, names of contacts, sizes and gaps.
#include <stdio.h>
#include <string.h>

#include "carom/carom.h"
#include "check.h"

// A box falls a tenth of a metre onto a floor; a crank is driven.
static const char dropped[] =
    "space: planar\n"
    "bodies: {block: {mass: 2, inertia: 0.02}, crank: {mass: 1, inertia: 0.01, com: [0.1, 0]}}\n"
    "joints: {fall: {free: [ground, block], at: [0, 0.15]}, hub: {revolute: [ground, crank], at: [3, 0], limits: [-2, "
    "2], material: m}}\n"
    "surfaces: {block: {box: block, size: [0.2, 0.1], material: m}, floor: {plane: ground, material: m}}\n"
    "contacts: {landing: {between: [block, floor]}}\n"
    "materials: {m: {restitution: 0.5, friction: 0.2}}\n"
    "drives: {motor: {joint: hub, motion: 1 rad/s * t}}\n"
    "outputs: {height: block.y - 5 cm, power: motor.effort*hub.u, degrees: hub.q*180/pi}\n"
    "method: {moreau: {step: 1 ms}}\n"
    "end: 0.3 s\n";

static carom_error error;

static carom_model *load(void) {
  carom_model *model = carom_model_parse(dropped, "dropped", &error);
  if (!CHECK(model)) printf("%s\n", error.text);
  return model;
}

static void run(const carom_model *model, bool units) {
  carom_run_options options = {.record = scratch("run.h5")};
  char csv[4096];
  snprintf(csv, sizeof csv, "%s", scratch("run.csv"));
  char record[4096];
  snprintf(record, sizeof record, "%s", scratch("run.h5"));
  options.csv = csv, options.record = record, options.csv_units = units;
  carom_summary summary;
  if (!CHECK_EQUAL(carom_run(model, &options, &summary, &error), CAROM_OK)) printf("%s\n", error.text);
}

static char *line_of(char *text, int number) {
  while (number-- > 0) text = strchr(text, '\n') + 1;
  char *line = strndup(text, strcspn(text, "\n"));
  return line;
}

// The cell of a line below the column of this name.
static char *cell(char *text, const char *column, int number) {
  static char found[200];
  char *head = line_of(text, 0), *line = line_of(text, number);
  char *h = head, *l = line;
  found[0] = 0;
  for (char *name; (name = strsep(&h, ","));) {
    char *value = strsep(&l, ",");
    if (!value) break;
    if (strcmp(name, column) == 0) snprintf(found, sizeof found, "%s", value);
  }
  free(head), free(line);
  return found;
}

static void csv_has_units_on_request(void) {
  carom_model *model = load();
  if (!model) return;
  run(model, false);
  char *plain = read_file(scratch("run.csv"), NULL);
  run(model, true);
  char *text = read_file(scratch("run.csv"), NULL);
  CHECK_TEXT(cell(text, "t", 1), "s");
  CHECK_TEXT(cell(text, "hub.q", 1), "rad");
  CHECK_TEXT(cell(text, "hub.u", 1), "rad/s");
  CHECK_TEXT(cell(text, "block.x", 1), "m");
  CHECK_TEXT(cell(text, "landing.fn", 1), "N");
  CHECK_TEXT(cell(text, "energy.impact", 1), "J");
  CHECK_TEXT(cell(text, "height", 1), "m");
  CHECK_TEXT(cell(text, "power", 1), "W");
  CHECK_TEXT(cell(text, "degrees", 1), "");
  CHECK_TEXT(cell(text, "t", 2), "0");
  // else the same
  char *first = line_of(plain, 1), *second = line_of(text, 2);
  CHECK_TEXT(first, second);
  free(first), free(second), free(plain), free(text);
  carom_model_destroy(model);
}

// A table of the last run as text, to be freed.
static char *export_table(const char *table, bool units) {
  char record[4096], out[4096];
  snprintf(record, sizeof record, "%s", scratch("run.h5"));
  snprintf(out, sizeof out, "%s", scratch("out.csv"));
  CHECK_EQUAL(
      carom_export_csv(record, out, &(carom_export_options){.table = table, .units = units, .force = true}, &error),
      CAROM_OK);
  return read_file(out, NULL);
}

static void exports_have_units_on_request(void) {
  carom_model *model = load();
  if (!model) return;
  run(model, false);
  char *text = export_table("drives", true);
  CHECK_TEXT(cell(text, "t", 1), "s");
  CHECK_TEXT(cell(text, "motor.effort", 1), "N*m");
  CHECK_TEXT(cell(text, "motor.power", 1), "W");
  CHECK_TEXT(cell(text, "t", 2), "0");
  free(text);
  text = export_table("drives", false);
  CHECK_TEXT(cell(text, "t", 1), "0");
  free(text);
  carom_model_destroy(model);
}

// The block lands flat, on its two lower corners.
static void impacts_name_pair_and_point(void) {
  carom_model *model = load();
  if (!model) return;
  run(model, false);
  char *text = export_table("impacts", true);
  CHECK_TEXT(cell(text, "pair_name", 2), "landing");
  bool lower[2] = {false, false};
  int rows = 0;
  for (char *c = text; *c; c++) rows += *c == '\n';
  CHECK(rows >= 4);
  for (int i = 2; i < rows; i++) {
    const char *name = cell(text, "point_name", i);
    if (strcmp(name, "corner -x -y") == 0) lower[0] = true;
    else if (strcmp(name, "corner +x -y") == 0) lower[1] = true;
    else if (!CHECK(false)) printf("    %s\n", name);
  }
  CHECK(lower[0] && lower[1]);
  CHECK_TEXT(cell(text, "start", 1), "s");
  CHECK_TEXT(cell(text, "pair_name", 1), "");
  free(text);
  carom_model_destroy(model);
}

static void sizes_and_gaps_are_told(void) {
  carom_model *model = load();
  if (!model) return;
  carom_body_size block = carom_model_body_size(model, 1), crank = carom_model_body_size(model, 2);
  CHECK_NEAR(block.mass, 2, 0);
  CHECK_NEAR(block.size, 0.2, 1e-15);
  CHECK_NEAR(block.gyration, 0.1, 1e-15);
  CHECK_NEAR(crank.size, 0.1, 1e-15);  // from the joint to the mass centre
  CHECK_NEAR(carom_model_body_size(model, 3).mass, 0, 0);
  for (int i = 0; i < 3; i++) {
    carom_part p = carom_model_part(model, "contacts", i);
    if (!CHECK(p.name)) break;
    bool stop = strcmp(p.kind, "stop") == 0;
    // the box is 15 cm up with half an edge of 5 cm; the crank 2 rad from both stops
    CHECK_NEAR(carom_model_start_gap(model, i), stop ? 2 : 0.1, 1e-12);
    CHECK_TEXT(carom_model_start_gap_unit(model, i), stop ? "rad" : "m");
  }
  carom_model_destroy(model);
}

int main(void) {
  RUN(csv_has_units_on_request);
  RUN(exports_have_units_on_request);
  RUN(impacts_name_pair_and_point);
  RUN(sizes_and_gaps_are_told);
  return check_summary();
}
