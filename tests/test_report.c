// Reports: what stands in the page comes back from it, nothing in a run can break out of it, and what is no run is
// refused.
#include "pages.h"

#include <dirent.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>

// --- a run in its page -----------------------------------------------------------------------------------------------

static void numbers_come_back(void) {
  opened_page p = run_and_report(example_load("slider-crank", "dt=1e-4 end=0.05"), "numbers");
  const json_value *run = run_of(&p, 0), *joints = table_of(run, "joints"), *axis = axis_of(run, joints);
  if (!CHECK(axis)) return;
  CHECK(json_get_number(axis, "raw", 0) == 1);
  CHECK_NEAR(json_get_number(axis, "bound", 1), 0, 0);
  carom_error error = {0};
  record_reader *in = record_open(scratch("numbers.h5"), &error);
  if (!CHECK(in)) return;
  int table = record_find_table(in, "joints"), width = record_get_table(in, table).column_count;
  long rows = record_rows(in, table), count;
  double *values = ARENA_ARRAY(&memory, double, (rows * width)), *times = ARENA_ARRAY(&memory, double, rows);
  CHECK(record_read(in, table, 0, rows, values, &error) == CAROM_OK);
  CHECK(record_read(in, record_find_table(in, "time"), 0, rows, times, &error) == CAROM_OK);
  record_close(in);
  double *t = read_column(&p, json_get(axis, "time"), &count);
  CHECK_EQUAL(count, rows);
  CHECK(memcmp(t, times, (size_t)rows * sizeof *t) == 0);
  CHECK_EQUAL(json_get(joints, "columns")->count, width);
  for (int k = 0; k < width; k++) {
    const json_value *column = &json_get(joints, "columns")->items[k];
    double *x = read_column(&p, column, &count), low = INFINITY, high = -INFINITY, worst = 0;
    for (long i = 0; i < count; i++) {
      double exact = values[i * width + k];
      worst = fmax(worst, fabs(x[i] - exact) / fmax(fabs(exact), 1e-30));
      low = fmin(low, exact), high = fmax(high, exact);
    }
    CHECK_LE(worst, 0x1p-24);  // rounded once to 24 bits
    if (!json_get(column, "constant")) CHECK_NEAR(json_get_number(column, "first", NAN), values[k], 0);
    CHECK_NEAR(json_get_number(column, "min", NAN), low, 0);
    CHECK_NEAR(json_get_number(column, "max", NAN), high, 0);
  }
}

static void the_scene_is_there(void) {
  opened_page p = run_and_report(example_load("slider-crank", "dt=1e-4 end=0.01"), "scene");
  const json_value *run = run_of(&p, 0), *scene = json_get(run, "scene"), *bodies = json_get(scene, "bodies");
  if (!CHECK(bodies)) return;
  CHECK_EQUAL(bodies->count, 4);
  CHECK_EQUAL(json_get(&bodies->items[1], "pose")->count, 7);
  CHECK(json_get(&bodies->items[1], "shapes")->count > 0);
  const json_value *guide = find_named(json_get(scene, "contacts"), "guide");
  CHECK_NEAR(json_get_number(guide, "clearance", 0), 1e-3, 1e-18);
  CHECK_EQUAL(json_get(guide, "modes")->count, 5);
  CHECK_EQUAL(json_get_number(guide, "joint", -1), 3);
  CHECK_EQUAL(json_get(json_get(guide, "columns"), "force")->count, 2);  // in the plane
  CHECK_EQUAL(json_get(json_get(run, "impacts"), "points")->count, 4);
  CHECK_TEXT(json_get_text(&json_get(json_get(run, "impacts"), "points")->items[3], "name"), "guide corner +x +y");
  const json_value *joint = find_named(json_get(scene, "joints"), "guide");
  CHECK_TEXT(json_get_text(joint, "kind"), "prismatic");
  CHECK_NEAR(json_get(joint, "axis")->items[0].number, 1, 1e-15);
  CHECK_TEXT(json_get_text(run, "space"), "planar");
  CHECK_CONTAINS(json_get_text(json_get(run, "model"), "text"), "Slider-crank");
  CHECK_TEXT(json_get_text(check_named(run, "end"), "level"), "good");
  CHECK(json_get(run, "plots")->count >= 4);
}

// A body with a shape of its own still shows what of it can touch, but nothing twice.
static void what_can_touch_is_drawn(void) {
  static const char model[] =
      "space: planar\n"
      "bodies:\n"
      "  ram: {mass: 1, inertia: 1, shape: [{box: [0.2, 0.1]}, {disc: 0.02, at: [0.1, 0]}]}\n"
      "joints: {ram: {free: [ground, ram], at: [0, 1]}}\n"
      "surfaces:\n"
      "  block: {box: ram, size: [0.2, 0.1], material: m}\n"
      "  nose: {sphere: ram, at: [0.1, 0], radius: 0.02, material: m}\n"
      "  tail: {sphere: ram, at: [-0.1, 0], radius: 0.02, material: m}\n"
      "  floor: {plane: ground, material: m}\n"
      "materials: {m: {friction: 0.1}}\n"
      "method: {moreau: {step: 1e-3}}\n"
      "end: 0.01 s\n";
  carom_error error = {0};
  opened_page p = run_and_report(carom_model_parse(model, "ram.yaml", &error), "touching");
  const json_value *scene = json_get(run_of(&p, 0), "scene"), *ram = find_named(json_get(scene, "bodies"), "ram");
  if (!CHECK(ram)) return;
  const json_value *shapes = json_get(ram, "shapes");
  CHECK_EQUAL(shapes->count, 3);
  CHECK(json_get_number(&shapes->items[1], "from_model", 0) == 1);
  CHECK(json_get_number(&shapes->items[2], "from_model", 1) == 0);
  CHECK_NEAR(json_get(&shapes->items[2], "at")->items[0].number, -0.1, 1e-15);
}

// What a page draws wheels and racks from: joints and factors of couplings, and what they are.
static void couplings_are_there(void) {
  opened_page p = run_and_report(example_load("rack-pinion", "end=0.01"), "couple");
  const json_value *constraints = json_get(json_get(run_of(&p, 0), "scene"), "constraints");
  const json_value *mesh = find_named(constraints, "mesh"), *steer = find_named(constraints, "steer");
  if (!CHECK(mesh && steer)) return;
  CHECK_TEXT(json_get_text(mesh, "kind"), "gear");
  CHECK_TEXT(json_get_text(steer, "kind"), "rack");
  const json_value *terms = json_get(mesh, "terms");
  if (!CHECK(terms && terms->count == 2)) return;
  CHECK_EQUAL(json_get_number(&terms->items[1], "joint", -1), 1);
  CHECK_NEAR(json_get_number(&terms->items[0], "factor", 0), 12, 0);
  CHECK_NEAR(json_get_number(&terms->items[1], "factor", 0), 36, 0);
  CHECK_NEAR(json_get_number(&json_get(steer, "terms")->items[0], "factor", 0), 0.03,
             1e-17);  // the pinion's radius, read from text
  opened_page q = run_and_report(example_load("differential", "end=0.01"), "couple3");
  CHECK_TEXT(json_get_text(find_named(json_get(json_get(run_of(&q, 0), "scene"), "constraints"), "bevel"), "kind"),
             "couple");
}

static const json_value *plot_titled(const json_value *run, const char *title) {
  const json_value *plots = json_get(run, "plots");
  for (int i = 0; plots && i < plots->count; i++)
    if (strcmp(json_get_text(&plots->items[i], "title"), title) == 0) return &plots->items[i];
  return NULL;
}

// The name of the column that a plot refers to.
static const char *name_at(const json_value *run, const json_value *reference) {
  if (!reference || reference->count != 2) return "";
  const json_value *columns = json_get(table_of(run, reference->items[0].text), "columns");
  int k = (int)reference->items[1].number;
  return columns && k >= 0 && k < columns->count ? json_get_text(&columns->items[k], "name") : "";
}

// Whether any plot shows the column, over time or in a portrait.
static bool is_shown(const json_value *run, const char *name) {
  const json_value *plots = json_get(run, "plots");
  for (int i = 0; plots && i < plots->count; i++) {
    const json_value *columns = json_get(&plots->items[i], "columns");
    for (int k = 0; columns && k < columns->count; k++)
      if (strcmp(name_at(run, &columns->items[k]), name) == 0) return true;
    if (strcmp(name_at(run, json_get(&plots->items[i], "x")), name) == 0) return true;
  }
  return false;
}

// A block that slides along a floor turns and rises by rounding alone; four numbers of an orientation are for no
// reader.
static void rounding_is_not_shown_first(void) {
  opened_page p = run_and_report(example_load("sliding-block", "end=0.5"), "plots-block");
  const json_value *run = run_of(&p, 0);
  CHECK(is_shown(run, "slide.q1"));
  CHECK(!is_shown(run, "slide.q0") && !is_shown(run, "slide.q2") && !is_shown(run, "block-floor.gap"));
  CHECK(is_shown(run, "block-floor.fn") && is_shown(run, "block-floor.ft"));
  CHECK_TEXT(name_at(run, json_get(plot_titled(run, "Phase portrait of slide.q1"), "y")), "slide.u1");
  p = run_and_report(example_load("incline-box", "end=0.1"), "plots-box");
  CHECK(!is_shown(run_of(&p, 0), "rest.q0") && !is_shown(run_of(&p, 0), "rest.q1"));
  p = run_and_report(example_load("pendulum-spherical", "end=0.5"), "plots-ball");
  run = run_of(&p, 0);
  CHECK(is_shown(run, "ball.u1") && is_shown(run, "bar.x"));
  for (int i = 0; i < 4; i++) CHECK(!is_shown(run, arena_print(&memory, "ball.q%d", i)));
  p = run_and_report(example_load("oblique-bounce", "end=0.1"), "plots-bounce");
  CHECK_TEXT(name_at(run_of(&p, 0), json_get(plot_titled(run_of(&p, 0), "Phase portrait of flight.q6"), "y")),
             "flight.u5");
}

// What is driven shows the drive; a loop of force over penetration needs a law; the journal has its orbit.
static void plots_tell_the_story(void) {
  opened_page p = run_and_report(example_load("slider-crank-revolute", "end=0.01"), "plots-journal");
  const json_value *run = run_of(&p, 0), *orbit = plot_titled(run, "Orbit of pin in its clearance");
  CHECK_NEAR(json_get_number(orbit, "circle", 0), 5e-4, 1e-18);
  CHECK_TEXT(name_at(run, json_get(plot_titled(run, "Force over gap of pin"), "y")), "pin.fn");
  CHECK(!plot_titled(run, "Phase portrait of crank.q") && is_shown(run, "motor.effort"));
  p = run_and_report(example_load("socket-pendulum", "end=0.02"), "plots-socket");
  run = run_of(&p, 0), orbit = plot_titled(run, "Orbit of ball in its clearance");
  CHECK_NEAR(json_get_number(orbit, "circle", 0), 5e-4, 1e-18);
  CHECK_TEXT(name_at(run, json_get(orbit, "y")), "ball.z");
  p = run_and_report(example_load("slider-crank", "dt=1e-4 end=0.05"), "plots-guide");
  run = run_of(&p, 0);
  CHECK(!plot_titled(run, "Force over gap of guide"));
  CHECK(is_shown(run, "guide.fn") && is_shown(run, "guide.gap") && is_shown(run, "crank.u"));
  CHECK(plot_titled(run, "Phase portrait of guide.q"));
}

// What acts at a contact balances what its columns say: a box at rest on the floor is carried by its weight.
static void forces_stand_where_they_act(void) {
  opened_page p = run_and_report(example_load("incline-box", "slope=0 end=0.1"), "force");
  const json_value *run = run_of(&p, 0), *contacts = table_of(run, "contacts");
  if (!CHECK(contacts)) return;
  long count;
  const json_value *columns = json_get(contacts, "columns");
  double *fy = read_column(&p, find_named(columns, "box-incline.force_y"), &count);
  double *x = read_column(&p, find_named(columns, "box-incline.at_x"), &count);
  double *y = read_column(&p, find_named(columns, "box-incline.at_y"), &count);
  double *slip = read_column(&p, find_named(columns, "box-incline.slip"), &count);
  // the surface of the box comes first: its weight is 3 kg · 9.81 m/s², carried at its middle; f32 keeps 24 bits
  CHECK_NEAR(fy[count - 1], 29.43, 1e-5);
  CHECK_NEAR(x[count - 1], 0, 1e-9);
  CHECK_NEAR(y[count - 1], 0, 1e-9);
  CHECK_NEAR(slip[count - 1], 1, 0);
}

static void nothing_breaks_out(void) {
  static const char model[] =
      "title: \"</script><script>alert(1)</script> <!-- \\\" ' & \\u2028 ]]>\"\n"
      "source: '<img src=x onerror=alert(2)>'\n"
      "bodies: {'</script><b>\"x\"': {mass: 1, inertia: [1, 1, 1], com: [0, 0, -1]}}\n"
      "joints: {'<!--': {revolute: [ground, '</script><b>\"x\"'], axis: y}}\n"
      "outputs: {'<script>': t}\n"
      "end: 0.1 s\n# </SCRIPT \xff\xfe\n";
  carom_error error = {0};
  char *text = arena_copy_text(&memory, model);
  *strchr(text, '\xff') = 'f', *strchr(text, '\xfe') = 'e';  // a model file must be UTF-8; a record's text need not
  opened_page p = run_and_report(carom_model_parse(text, "x.yaml", &error), "markup");
  const json_value *run = run_of(&p, 0);
  if (!CHECK(run)) return;
  int blobs = occurrences(p.text, "id=\"carom-blob-");
  CHECK(blobs > 0);
  CHECK_EQUAL(occurrences(p.text, "<script"), 1 + blobs);
  CHECK_EQUAL(occurrences(p.text, "</script"), 1 + blobs);
  CHECK_EQUAL(occurrences(p.text, "<!--"), 0);
  CHECK_EQUAL(occurrences(p.text, "<img"), 0);
  CHECK_EQUAL(occurrences(p.text, "</SCRIPT"), 0);
  CHECK_CONTAINS(json_get_text(run, "title"), "</script><script>alert(1)</script> <!-- \" ' &");
  CHECK_CONTAINS(json_get_text(json_get(run, "model"), "text"), "onerror=alert(2)");
  CHECK_TEXT(json_get_text(&json_get(json_get(run, "scene"), "bodies")->items[1], "name"), "</script><b>\"x\"");
  CHECK(strncmp(p.text, page_text, 30) == 0);
  CHECK_CONTAINS(p.text, "<p>after</p></body>");
}
// --- odd runs --------------------------------------------------------------------------------------------------------

static void an_old_record_opens(void) {
  synthetic s = {.rows = 10, .value = smooth_value, .summary = "{\"status\": \"done\"}", .impacts = 2, .step = 1e-3};
  carom_error error = {0};
  if (!write_synthetic(scratch("old.h5"), &s)) return;
  CHECK(report_on(scratch("old.h5"), scratch("old.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("old.html"));
  const json_value *run = run_of(&p, 0);
  CHECK(json_get_number(json_get(run, "scene"), "derived", 0) == 1);
  CHECK_EQUAL(json_get(json_get(run, "impacts"), "points")->count, 2);
  CHECK_TEXT(json_get_text(&json_get(json_get(run, "impacts"), "points")->items[1], "name"), "point 1");
}

static void a_killed_run_opens(void) {
  synthetic s = {.rows = 10, .value = smooth_value, .step = 1e-3};
  carom_error error = {0};
  if (!write_synthetic(scratch("killed.h5"), &s)) return;
  CHECK(report_on(scratch("killed.h5"), scratch("killed.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("killed.html"));
  CHECK_TEXT(json_get_text(run_of(&p, 0), "status"), "killed");
  CHECK_TEXT(json_get_text(check_named(run_of(&p, 0), "end"), "level"), "warn");
}

static void few_rows_open(void) {
  carom_error error = {0};
  for (long rows = 0; rows < 3; rows++) {
    synthetic s = {
        .rows = rows, .value = smooth_value, .summary = "{\"status\": \"failed\", \"error\": \"<no>\"}", .step = 1e-3};
    const char *run = scratch(arena_print(&memory, "few%ld.h5", rows)), *html = scratch("few.html");
    if (!write_synthetic(run, &s) || !CHECK(report_on(run, html, &error) == CAROM_OK)) return;
    opened_page p = open_page(html);
    CHECK_TEXT(json_get_text(check_named(run_of(&p, 0), "end"), "level"), "bad");
    CHECK_CONTAINS(json_get_text(check_named(run_of(&p, 0), "end"), "sentence"), "<no>");
    CHECK_EQUAL(json_get_number(&json_get(run_of(&p, 0), "axes")->items[0], "kept", -1), rows);
  }
}

static void odd_texts_open(void) {
  static const char *const odd[] = {
      "",
      "{",
      "[1, 2]",
      "7",
      "{\"bodies\": 3, \"contacts\": [1, {\"points\": 1e9}], \"joints\": {}}",
      "{\"bodies\": [null, {\"name\": 4, \"shapes\": 3}], \"length\": \"x\", \"files\": 1}"};
  carom_error error = {0};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    record_text texts[] = {{"scene", odd[i]}, {"title", "\xff\xc0\x80 not UTF-8"}};
    synthetic s = {.rows = 5, .value = smooth_value, .summary = odd[i], .texts = texts, .text_count = 2, .step = 1e-3};
    const char *run = scratch(arena_print(&memory, "odd%zu.h5", i)), *html = scratch("odd.html");
    if (!write_synthetic(run, &s) || !CHECK(report_on(run, html, &error) == CAROM_OK)) return;
    opened_page p = open_page(html);
    CHECK(run_of(&p, 0));
    CHECK_CONTAINS(json_get_text(run_of(&p, 0), "title"), "\xef\xbf\xbd");
  }
}

// More times than a page holds, and nothing else.
static void times_alone_open(void) {
  static const char *const t[] = {"t"}, *const second[] = {"s"};
  record_table table = {"time", t, second, 1, NULL, false};
  carom_error error = {0};
  record *r = record_create(scratch("times.h5"), &table, 1, NULL, 0, NULL, &error);
  if (!CHECK(r)) return;
  enum { ROWS = 8000000 };
  for (long i = 0; i < ROWS; i++) record_append(r, 0, &(double){1e-3 * (double)i}, &error);
  CHECK(record_finish(r, "{}", &error) == CAROM_OK);
  CHECK(report_on(scratch("times.h5"), scratch("times.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("times.html"));
  const json_value *axis = &json_get(run_of(&p, 0), "axes")->items[0];
  CHECK_EQUAL(json_get_number(axis, "rows", 0), ROWS);
  CHECK_EQUAL(json_get_number(axis, "kept", 0), 2);
}

static void what_is_no_run_is_refused(void) {
  carom_error error = {0};
  const char *html = scratch("refused.html");
  CHECK(report_on(scratch("absent.h5"), html, &error) == CAROM_ERROR_FILE);
  CHECK_CONTAINS(error.message, "absent.h5");
  write_text(scratch("text.h5"), "title: no\n");
  CHECK(report_on(scratch("text.h5"), html, &error) == CAROM_ERROR_FILE);
  hid_t foreign = H5Fcreate(scratch("foreign.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(foreign >= 0 && H5Fclose(foreign) >= 0);
  CHECK(report_on(scratch("foreign.h5"), html, &error) == CAROM_ERROR_FILE);
  CHECK(access(html, F_OK) != 0);  // nothing is left behind
  synthetic s = {.rows = 2000, .value = smooth_value, .summary = "{}", .step = 1e-3};
  if (!write_synthetic(scratch("whole.h5"), &s)) return;
  CHECK(truncate(scratch("whole.h5"), 100000) == 0);
  CHECK(report_on(scratch("whole.h5"), html, &error) == CAROM_ERROR_FILE);
}

static void where_it_cannot_be_written_is_told(void) {
  synthetic s = {.rows = 3, .value = smooth_value, .summary = "{}", .step = 1e-3};
  carom_error error = {0};
  if (!write_synthetic(scratch("fine.h5"), &s)) return;
  CHECK(report_on(scratch("fine.h5"), "/nowhere/x.html", &error) == CAROM_ERROR_FILE);
  CHECK_CONTAINS(error.message, "/nowhere/x.html");
  CHECK(report_on(scratch("fine.h5"), "/dev/full", &error) == CAROM_ERROR_FILE);
  CHECK(access("/dev/full", F_OK) == 0);  // a device is no file to be cleared away
  CHECK(report_on(scratch("fine.h5"), "/dev/null", &error) == CAROM_OK);
  const char *run = scratch("fine.h5");
  const carom_report_page bare = {.text = "<p>", .length = 3};
  CHECK(carom_report(&run, 1, &bare, scratch("bare.html"), &error) == CAROM_ERROR_USAGE);
  CHECK(carom_report(&run, 0, &page, scratch("bare.html"), &error) == CAROM_ERROR_USAGE);
}

static int files_in(const char *folder) {
  DIR *d = opendir(folder);
  int n = 0;
  while (d && readdir(d)) n++;
  if (d) closedir(d);
  return n;
}

// The file is as large as files may be: the old report stands, and nothing beside it.
static void a_report_that_fails_leaves_the_old_one(void) {
  synthetic s = {.rows = 2000, .value = noise_value, .summary = "{}", .step = 1e-3};
  carom_error error = {0};
  const char *run = scratch("again.h5"), *html = scratch("again.html");
  if (!write_synthetic(run, &s) || !CHECK(report_on(run, html, &error) == CAROM_OK)) return;
  opened_page before = open_page(html);
  int files = files_in(check_scratch_dir());
  struct rlimit old, small;
  CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
  small = old, small.rlim_cur = 50000;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
  carom_status status = report_on(run, html, &error);
  CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
  signal(SIGXFSZ, handler);
  CHECK(status == CAROM_ERROR_FILE);
  CHECK_CONTAINS(error.message, "again.html");
  opened_page after = open_page(html);
  CHECK(after.length == before.length && memcmp(after.text, before.text, before.length) == 0);
  CHECK_EQUAL(files_in(check_scratch_dir()), files);
  CHECK(report_on(run, html, &error) == CAROM_OK);
  CHECK_EQUAL(files_in(check_scratch_dir()), files);
}

// The words of a verdict: prefixes, per cent, and one as one.
static void verdicts_are_in_words(void) {
  record_text texts[] = {{"scene", "{\"length\": 0.306, \"contacts\": [{\"clearance\": 1e-3}]}"}, {"method", "moreau"}};
  synthetic s = {.rows = 5,
                 .value = smooth_value,
                 .texts = texts,
                 .text_count = 2,
                 .step = 1e-3,
                 .impacts = 1,
                 .summary =
                     "{\"status\": \"done\", \"energy_imbalance\": 0.0084, \"energy_limit\": 0.05, "
                     "\"constraint_violation\": 3.1e-5, "
                     "\"contact\": {\"worst_initial_penetration\": 6.2262609e-06}, \"solver\": {\"solves\": 2279, "
                     "\"worst_residual\": 1e-15}, "
                     "\"warnings\": {\"inconsistent\": 1, \"indeterminate\": 12345}}"};
  carom_error error = {0};
  if (!write_synthetic(scratch("words.h5"), &s)) return;
  CHECK(report_on(scratch("words.h5"), scratch("words.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("words.html"));
  const json_value *run = run_of(&p, 0);
  static const char *const words[][2] = {{"energy", "error 0.84 %"},
                                         {"energy", "within the limit of 1 %"},
                                         {"penetration", "6.2 µm"},
                                         {"penetration", "100 µm"},
                                         {"constraints", "31 µm"},
                                         {"constraints", "310 mm"},
                                         {"solver", "All 2\u202f279 contact problems"},
                                         {"inconsistent", "In 1 step of"},
                                         {"indeterminate", "In 12\u202f345 steps of"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    CHECK_CONTAINS(json_get_text(check_named(run, words[i][0]), "sentence"), words[i][1]);
}

// A summary that does not say is told as such, and no number is made up.
static void a_verdict_without_numbers_has_none(void) {
  synthetic s = {.rows = 5,
                 .value = smooth_value,
                 .step = 1e-3,
                 .summary = "{\"status\": \"done\", \"constraint_violation\": null}"};
  carom_error error = {0};
  if (!write_synthetic(scratch("silent.h5"), &s)) return;
  CHECK(report_on(scratch("silent.h5"), scratch("silent.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("silent.html"));
  static const char *const keys[] = {"energy", "constraints"};
  for (int i = 0; i < 2; i++) {
    const json_value *found = check_named(run_of(&p, 0), keys[i]);
    CHECK_TEXT(json_get_text(found, "level"), "bad");
    CHECK_EQUAL(occurrences(json_get_text(found, "sentence"), "nan"), 0);
  }
}

// Advice names only keys that the method of the run has.
static void advice_fits_the_method(void) {
  static const char *const methods[] = {"event", "smooth"};
  for (int i = 0; i < 2; i++) {
    record_text texts[] = {{"method", methods[i]}};
    synthetic s = {.rows = 5,
                   .value = smooth_value,
                   .texts = texts,
                   .text_count = 1,
                   .step = 1e-3,
                   .summary = "{\"status\": \"done\", \"constraint_violation\": 0.01}"};
    carom_error error = {0};
    if (!write_synthetic(scratch("advice.h5"), &s)) return;
    CHECK(report_on(scratch("advice.h5"), scratch("advice.html"), &error) == CAROM_OK);
    opened_page p = open_page(scratch("advice.html"));
    const char *sentence = json_get_text(check_named(run_of(&p, 0), "constraints"), "sentence");
    CHECK_CONTAINS(sentence, "tighten rtol and atol");
    CHECK_EQUAL(occurrences(sentence, "constraints: project"), i);
  }
}

// What a law does beyond its range is said once, in words.
static void a_remark_is_one_card(void) {
  record_text texts[] = {
      {"scene",
       "{\"remarks\": [{\"name\": \"conformal\", \"text\": \"too close\", \"contact\": \"pin\", \"count\": 1}]}"}};
  synthetic s = {
      .rows = 5,
      .value = smooth_value,
      .texts = texts,
      .text_count = 1,
      .step = 1e-3,
      .summary = "{\"status\": \"done\", \"warnings\": {\"conformal\": 1, \"restitution\": 2, \"novel\": 3}}"};
  carom_error error = {0};
  if (!write_synthetic(scratch("remark.h5"), &s)) return;
  CHECK(report_on(scratch("remark.h5"), scratch("remark.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("remark.html"));
  const json_value *verdict = json_get(run_of(&p, 0), "verdict");
  int cards = 0;
  for (int i = 0; verdict && i < verdict->count; i++) {
    cards += strcmp(json_get_text(&verdict->items[i], "key"), "conformal") == 0;
    CHECK(strcmp(json_get_text(&verdict->items[i], "key"), json_get_text(&verdict->items[i], "title")) != 0);
  }
  CHECK_EQUAL(cards, 1);
  CHECK_CONTAINS(json_get_text(check_named(run_of(&p, 0), "conformal"), "sentence"), "'pin'");
  CHECK_CONTAINS(json_get_text(check_named(run_of(&p, 0), "restitution"), "sentence"), "2 contacts have");
}

static void a_failure_is_told_with_its_reason(void) {
  static const char model[] =
      "space: planar\nbodies: {a: {mass: 1, inertia: 1, com: [1, 0]}}\njoints: {j: {revolute: [ground, a]}}\n"
      "forces: {f: {along: j, effort: 1/(0.5 - t)}}\nintegrator: {type: rk4, step: 0.125}\nend: 1\n";
  carom_error error = {0};
  carom_model *m = carom_model_parse(model, "fails.yaml", &error);
  if (!CHECK(m)) return;
  carom_status status = carom_run(m, &(carom_run_options){.record = scratch("fails.h5")}, NULL, &error);
  carom_model_destroy(m);
  CHECK(status != CAROM_OK);
  const char *why = arena_copy_text(&memory, error.message);
  CHECK(report_on(scratch("fails.h5"), scratch("fails.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("fails.html"));
  CHECK_TEXT(json_get_text(run_of(&p, 0), "status"), "failed");
  CHECK_TEXT(json_get_text(run_of(&p, 0), "error"), why);
}

int main(void) {
  RUN(numbers_come_back);
  RUN(the_scene_is_there);
  RUN(what_can_touch_is_drawn);
  RUN(couplings_are_there);
  RUN(rounding_is_not_shown_first);
  RUN(plots_tell_the_story);
  RUN(forces_stand_where_they_act);
  RUN(nothing_breaks_out);
  RUN(an_old_record_opens);
  RUN(a_killed_run_opens);
  RUN(few_rows_open);
  RUN(odd_texts_open);
  RUN(times_alone_open);
  RUN(what_is_no_run_is_refused);
  RUN(where_it_cannot_be_written_is_told);
  RUN(a_report_that_fails_leaves_the_old_one);
  RUN(verdicts_are_in_words);
  RUN(a_verdict_without_numbers_has_none);
  RUN(advice_fits_the_method);
  RUN(a_remark_is_one_card);
  RUN(a_failure_is_told_with_its_reason);
  return check_summary();
}
