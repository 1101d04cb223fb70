// The table of touches: every point that touches, at its own times, under every method; its size, and what else is
// chosen of a record.
#include "tool.h"

#include <hdf5.h>

#include "carom/carom.h"
#include "record/record.h"

static carom_error error;

// A block slides on a floor until friction stops it after 0.17 s; a slider falls onto the lower wall of its guide.
static const char sliding[] =
    "space: planar\n"
    "bodies: {block: {mass: 2, inertia: 0.02}, slider: {mass: 1, inertia: 0.01}}\n"
    "joints:\n"
    "  move: {free: [ground, block], at: [0, 0.05]}\n"
    "  guide: {prismatic: [ground, slider], at: [0, 1], axis: x, clearance: 0.1 mm, length: 0.1, width: 0.05, "
    "material: m}\n"
    "surfaces: {block: {box: block, size: [0.2, 0.1], material: m}, floor: {plane: ground, material: m}}\n"
    "materials: {m: {friction: 0.3, stiffness: 1e6, damping: 0.5}}\n"
    "initial: {move: {u: [0, 0.5, 0]}}\n"
    "method: moreau\n"
    "end: 0.3 s\n";

static const char *const methods[] = {"moreau.step=1e-3", "event=", "compliant="};
enum { METHODS = sizeof methods / sizeof *methods };

// Spheres that fall onto a floor and each other: more pairs than are listed.
static const char spheres[] =
    "parameters: {n: 64, r: 50 mm}\n"
    "bodies: {\"ball{i}\": {repeat: {i: [1, n]}, mass: 1, inertia: 1e-3}}\n"
    "joints: {\"ball{i}\": {repeat: {i: [1, n]}, free: [ground, \"ball{i}\"]}}\n"
    "surfaces:\n"
    "  floor: {plane: ground, material: m}\n"
    "  left: {plane: ground, at: [-0.055, 0, 0], rotate: {axis: y, angle: 90 deg}, material: m}\n"
    "  right: {plane: ground, at: [0.385, 0, 0], rotate: {axis: y, angle: -90 deg}, material: m}\n"
    "  front: {plane: ground, at: [0, -0.055, 0], rotate: {axis: x, angle: -90 deg}, material: m}\n"
    "  back: {plane: ground, at: [0, 0.385, 0], rotate: {axis: x, angle: 90 deg}, material: m}\n"
    "  ball{i}: {repeat: {i: [1, n]}, sphere: \"ball{i}\", radius: r, material: m}\n"
    "materials: {m: {friction: 0.3}}\n"
    "initial:\n"
    "  ball{i}:\n"
    "    repeat: {i: [1, n]}\n"
    "    q: [1, 0, 0, 0, \"0.11*mod(i, 4) + 0.002*sin(i)\", \"0.11*mod(floor(i/4), 4) + 0.002*cos(i)\", \"0.05 + "
    "0.101*floor((i - 1)/16)\"]\n"
    "method: {moreau: {step: 1e-3, tolerance: 1e-4}}\n"
    "end: 0.3 s\n";

// --- reading ---------------------------------------------------------------------------------------------------------

typedef struct table {
  record_table about;
  long rows;
  double *values;
} table;

static bool read_table(const char *file, const char *name, table *t, record_reader **in) {
  *t = (table){0};
  *in = record_open(scratch(file), &error);
  if (!CHECK(*in)) return printf("      %s\n", error.message), false;
  int k = record_find_table(*in, name);
  if (k < 0) return false;
  t->about = record_get_table(*in, k);
  t->rows = record_rows(*in, k);
  t->values = calloc((size_t)(t->rows * t->about.column_count + 1), sizeof *t->values);
  return CHECK_EQUAL(record_read(*in, k, 0, t->rows, t->values, &error), CAROM_OK);
}

static double at(const table *t, long row, const char *column) {
  for (int k = 0; k < t->about.column_count; k++)
    if (strcmp(t->about.columns[k], column) == 0) return t->values[row * t->about.column_count + k];
  CHECK(!"a column is missing");
  return NAN;
}

static bool has(const char *file, const char *name) {
  record_reader *in = record_open(scratch(file), &error);
  bool found = CHECK(in) && record_find_table(in, name) >= 0;
  record_close(in);
  return found;
}

static void run_text(const char *text, const char *settings, const char *more) {
  write_text(scratch("m.yaml"), text);
  if (!CHECK_EQUAL(carom("run m.yaml -q %s %s", settings, more), 0)) printf("      %s %s: %s\n", settings, more, err);
}

// --- every method ----------------------------------------------------------------------------------------------------

// At each time the points of a pair sum up to what the table of contacts says of it.
static void check_sums(const table *times, const table *touches, const table *contacts, int a, const char *pair,
                       long *sticks, long *slips) {
  char name[64];
  for (long i = 0; i < times->rows; i++) {
    double fn = 0, ft = 0, force[2] = {0}, least = 1, slip = 0;
    for (long k = (long)at(times, i, "first"); k < (long)(at(times, i, "first") + at(times, i, "count")); k++) {
      if (at(touches, k, "a") != a) continue;
      double n[2] = {at(touches, k, "normal_x"), at(touches, k, "normal_y")},
             f[2] = {at(touches, k, "force_x"), at(touches, k, "force_y")};
      CHECK_NEAR(hypot(n[0], n[1]), 1, 1e-6);
      CHECK_NEAR(f[0] * n[0] + f[1] * n[1], at(touches, k, "fn"), 1e-6 * (1 + at(touches, k, "fn")));
      CHECK_NEAR(fabs(f[1] * n[0] - f[0] * n[1]), at(touches, k, "ft"), 1e-6 * (1 + at(touches, k, "fn")));
      fn += at(touches, k, "fn"), ft += (f[0] * n[1] - f[1] * n[0]), force[0] += f[0], force[1] += f[1];
      least = fmin(least, at(touches, k, "gap")), slip = fmax(slip, at(touches, k, "slip"));
      *sticks += at(touches, k, "slip") == 1, *slips += at(touches, k, "slip") == 2;
    }
    double scale = 1e-5 * (1 + fn);
#define OF(what) (snprintf(name, sizeof name, "%s." what, pair), at(contacts, i, name))
    CHECK_NEAR(fn, OF("fn"), scale);
    CHECK_NEAR(fabs(ft), fabs(OF("ft")), scale);
    CHECK_NEAR(force[0], OF("force_x"), scale);
    CHECK_NEAR(force[1], OF("force_y"), scale);
    if (fn > 0) CHECK_NEAR(least, OF("gap"), 1e-9), CHECK_EQUAL((int)slip, (int)OF("slip"));
#undef OF
  }
}

// Surfaces are block and floor, then both sides of the guide.
static void points_sum_up_to_their_pair_under_every_method(void) {
  for (int m = 0; m < METHODS; m++) {
    char settings[128];
    snprintf(settings, sizeof settings, "--set method.%s --set record.every='5 ms' --set record.touches=true",
             methods[m]);
    if (strchr(methods[m], '=')[1] == '\0')
      snprintf(settings, sizeof settings, "--set method=%.*s --set record.every='5 ms' --set record.touches=true",
               (int)strcspn(methods[m], "="), methods[m]);
    run_text(sliding, settings, "-o t.h5 --force");
    record_reader *in[3];
    table times, touches, contacts;
    if (!CHECK(read_table("t.h5", "touch_times", &times, &in[0])) ||
        !CHECK(read_table("t.h5", "touches", &touches, &in[1])) ||
        !CHECK(read_table("t.h5", "contacts", &contacts, &in[2])))
      return;
    CHECK_EQUAL(times.rows, contacts.rows);
    CHECK(touches.about.single);
    long sticks = 0, slips = 0, guide = 0;
    check_sums(&times, &touches, &contacts, 0, "block-floor", &sticks, &slips);
    // 34 of 61 rows before it stops, two corners
    CHECK(slips >= 60 && slips <= 70), CHECK(sticks >= 50 && sticks <= 62);
    if (!check_state.failures_here) check_sums(&times, &touches, &contacts, 2, "guide", &guide, &guide);
    CHECK(guide > 50);
    CHECK_CONTAINS(record_get_text(in[0], "touch_surfaces"), "block\t1\t");
    CHECK_CONTAINS(record_get_text(in[0], "touch_surfaces"), "floor\t0\t");
    CHECK_CONTAINS(record_get_text(in[0], "touch_surfaces"), "guide\t0\t-1\tcorner -x -y");
    CHECK_CONTAINS(record_get_text(in[0], "touch_surfaces"), "guide\t2\t-1\tcorner -x -y");
    for (int k = 0; k < 3; k++) record_close(in[k]);
    free(times.values), free(touches.values), free(contacts.values);
    if (check_state.failures_here) printf("      under %s\n", methods[m]);
  }
}

// --- its own times ---------------------------------------------------------------------------------------------------

static void check_times(const char *settings, double every, long count) {
  char more[256];
  snprintf(more, sizeof more, "-o t.h5 --force --set method.moreau.step=1e-3 %s", settings);
  run_text(sliding, "", more);
  record_reader *in;
  table times;
  if (!CHECK(read_table("t.h5", "touch_times", &times, &in))) return;
  if (!CHECK_EQUAL(times.rows, count)) printf("      %s\n", settings);
  double next = 0;
  for (long i = 0; i < times.rows; i++) {
    CHECK_NEAR(at(&times, i, "t"), fmin(every * (double)i, 0.3), 1e-12);
    CHECK_EQUAL(at(&times, i, "first"), next);
    next += at(&times, i, "count");
  }
  record_close(in);
  free(times.values);
}

static void times_are_its_own(void) {
  check_times("--set record.touches='20 ms'", 0.02, 16);
  check_times("--set record.touches='20 ms' --set record.every='7 ms'", 0.02, 16);
  check_times("--set record.touches='0.4 ms' --set record.every='7 ms'", 0.0004, 751);
  check_times("--set record.touches='70 ms' --set record.every='1 ms'", 0.07, 6);  // and the end
  check_times("--set record.touches=true --set record.every='30 ms'", 0.03, 11);
  check_times("--set record.touches=true", 0.001, 301);
  check_times("--set record.touches='1 ms' --set record.compression=4", 0.001, 301);
}

static void they_are_recorded_where_pairs_have_no_columns(void) {
  run_text(sliding, "--set method.moreau.step=1e-3", "-o t.h5 --force");
  CHECK(!has("t.h5", "touches"));
  run_text(spheres, "--end 0.01", "-o t.h5 --force");
  CHECK(has("t.h5", "touches"));
  run_text(spheres, "--end 0.01 --set record.touches=false", "-o t.h5 --force");
  CHECK(!has("t.h5", "touches"));
  CHECK_EQUAL(carom("run m.yaml -q --no-record --end 0.01"), 0);
  static const char *const wrong[] = {"-1", "0", "'5 mm'", "sometimes"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK_EQUAL(carom("check m.yaml --set record.touches=%s", wrong[i]), 2);
  CHECK_EQUAL(carom("run m.yaml -q -o t.h5 --set record.touches=1e-13"), 2);
  CHECK_CONTAINS(err, "record.touches is 1e-13 s");
}

// --- going on --------------------------------------------------------------------------------------------------------

static bool same_tables(const char *first, const char *second, const char *name) {
  record_reader *in[2] = {NULL, NULL};
  table a = {0}, b = {0};
  bool same = read_table(first, name, &a, &in[0]) && read_table(second, name, &b, &in[1]) &&
              CHECK_EQUAL(a.rows, b.rows) &&
              CHECK(memcmp(a.values, b.values, (size_t)(a.rows * a.about.column_count) * sizeof *a.values) == 0);
  record_close(in[0]), record_close(in[1]);
  free(a.values), free(b.values);
  return same;
}

// In one piece and in two, of which the first ends at a row or between rows: the same touches, none twice. In a crowd
// too.
static void a_resumed_run_has_no_touch_twice(void) {
  static const char *const ends[] = {"0.1", "0.1234", "0.15"};
  for (int crowd = 0; crowd < 2; crowd++)
    for (int k = 0; k < 6; k++) {
      char settings[256];
      snprintf(settings, sizeof settings, "--set method.moreau.step=1e-3 --set record.touches=%s %s",
               k < 3 ? "\"5 ms\"" : "true", k % 3 == 2 ? "--set record.every=\"7 ms\"" : "");
      run_text(crowd ? spheres : sliding, settings, "-o whole.h5 --force --end 0.2");
      CHECK_EQUAL(carom("run m.yaml -q %s -o parts.h5 --force --end %s", settings, ends[k % 3]), 0);
      if (!CHECK_EQUAL(carom("run m.yaml -q %s --resume parts.h5 -o parts.h5 --end 0.2", settings), 0))
        printf("      %s\n", err);
      if (strcmp(ends[k % 3], "0.1234") == 0) {  // a step in the middle of one: other numbers, but each time once
        record_reader *in;
        table times;
        if (!CHECK(read_table("parts.h5", "touch_times", &times, &in))) return;
        for (long i = 1; i < times.rows; i++) CHECK(at(&times, i, "t") > at(&times, i - 1, "t"));
        CHECK_EQUAL(times.rows, k < 3 ? 41 : 202);  // every step has a row
        record_close(in);
        free(times.values);
      } else if (!same_tables("whole.h5", "parts.h5", "touch_times") ||
                 !same_tables("whole.h5", "parts.h5", "touches")) {
        printf("      %s, %s, end %s\n", crowd ? "crowd" : "block", settings, ends[k % 3]);
      }
    }
  run_text(sliding, "--set method.moreau.step=1e-3", "-o parts.h5 --force --end 0.1");
  CHECK_EQUAL(
      carom("run m.yaml -q --set method.moreau.step=1e-3 --set record.touches=true --resume parts.h5 -o parts.h5"), 2);
  CHECK_CONTAINS(err, "it has no table 'touch_times'; set record.touches=false or resume into a new file");
}

// A flat mesh has no convex hull whose corners could have names; a second mesh has.
static void a_flat_mesh_beside_a_plane_is_recorded(void) {
  static const char sheet[] =
      "bodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {f: {free: [ground, b], at: [0, 0, 0.1]}}\n"
      "surfaces:\n"
      "  b: {sphere: b, radius: 0.1, material: s}\n"
      "  sheet: {mesh: ground, material: s, points: [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], triangles: [1, "
      "2, 3, 1, 3, 4]}\n"
      "  wall: {plane: ground, at: [0, 0, -1], material: s}\n"
      "%s"
      "materials: {s: {friction: 0.5}}\n"
      "method: {moreau: {step: 1e-3}}\n"
      "record: {touches: true}\n"
      "end: 0.01\n";
  static const char *const more[] = {"",
                                     "  rock: {mesh: ground, material: s, points: [[3, 0, 0], [4, 0, 0], [3, 1, 0], "
                                     "[3, 0, 1]], triangles: [1, 3, 2, 1, 2, 4, 2, 3, 4, 3, 1, 4]}\n"};
  for (int i = 0; i < 2; i++) {
    char text[2048];
    snprintf(text, sizeof text, sheet, more[i]);
    run_text(text, "", "-o t.h5 --force");
    CHECK_EQUAL(carom("export t.h5 --table touches"), 0);
    CHECK(strstr(out, ",b-sheet,"));
  }
}

// --- damaged ---------------------------------------------------------------------------------------------------------

// Every time claims all rows.
static void claim_all_rows(const char *path, double rows) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, "touch_times", H5P_DEFAULT),
        space = H5Dget_space(dataset);
  hsize_t extent[2] = {0};
  H5Sget_simple_extent_dims(space, extent, NULL);
  double *times = malloc((size_t)(extent[0] * extent[1]) * sizeof *times);
  if (CHECK(times && extent[1] == 3 &&
            H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times) >= 0)) {
    for (hsize_t i = 0; i < extent[0]; i++) times[3 * i + 1] = 0, times[3 * i + 2] = rows;
    CHECK(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times) >= 0);
  }
  free(times);
  H5Sclose(space), H5Dclose(dataset), H5Fclose(file);
}

// No row is read twice: what is written does not grow as times x rows.
static void times_cannot_share_rows(void) {
  static const char settings[] = "--set method.moreau.step=1e-3 --set record.touches=true";
  run_text(sliding, settings, "-o t.h5 --force --end 0.2");
  record_reader *in;
  table touches;
  if (!CHECK(read_table("t.h5", "touches", &touches, &in))) return;
  record_close(in);
  free(touches.values);
  claim_all_rows(scratch("t.h5"), (double)touches.rows);
  CHECK_EQUAL(shell("test $('%s' export t.h5 --table touches | wc -l) -eq %ld", TOOL, touches.rows + 1), 0);
  CHECK_EQUAL(carom("report t.h5 -o t.html --force"), 0);
  CHECK_EQUAL(shell("grep -q '\"touches\": {\"rows\": %ld, \"kept\": %ld,' t.html", touches.rows, touches.rows), 0);
  CHECK_EQUAL(carom("run m.yaml -q %s --resume t.h5 -o t.h5 --end 0.3", settings), 3);
  CHECK_CONTAINS(err, "belong to two times");
}

// --- in words --------------------------------------------------------------------------------------------------------

static int count_text(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)); text++) count++;
  return count;
}

static void exports_name_surfaces_and_points(void) {
  run_text(sliding, "--set method.moreau.step=1e-3 --set record.touches='50 ms'", "-o t.h5 --force");
  CHECK_EQUAL(carom("export t.h5 --table touches --units"), 0);
  CHECK(strncmp(out,
                "t,a,b,point,at_x,at_y,normal_x,normal_y,gap,force_x,force_y,fn,ft,slip,pair_name,point_name\ns,1,1,1,"
                "m,m,1,1,m,N,N,N,N,1,,\n",
                100) == 0);
  CHECK_EQUAL(count_text(out, ",block-floor,corner "), 14);
  CHECK_EQUAL(count_text(out, ",guide,corner "), 12);
  CHECK(strstr(out, "\n0.05,0,1,0,-0.07867875,0,"));  // single precision in few digits
  run_text(
      sliding,
      "--set method.moreau.step=1e-3 --set record.touches='50 ms' --set contacts='{foot: {between: [floor, block]}}'",
      "-o t.h5 --force");
  CHECK_EQUAL(carom("export t.h5 --table touches"), 0);
  CHECK_EQUAL(count_text(out, ",foot,corner "), 14);
  run_text(spheres, "", "-o t.h5 --force");
  CHECK_EQUAL(carom("export t.h5 --table touches"), 0);
  CHECK(count_text(out, ",floor-ball1,\n") > 100);
}

// The page knows the points of pairs that are not listed, and what touches.
static void reports_name_pairs_that_are_not_listed(void) {
  run_text(spheres, "", "-o t.h5 --force");
  CHECK_EQUAL(carom("report t.h5 -o t.html --force"), 0);
  size_t size;
  char *page = read_file(scratch("t.html"), &size);
  CHECK_EQUAL(carom("export t.h5 --table impacts"), 0);
  // the last impact of the record, by its name
  char *end = strrchr(out, '\n'), *pair = end;
  *end = '\0';
  pair = strrchr(out, ','), *pair = '\0', pair = strrchr(out, ',') + 1;
  char name[64];
  snprintf(name, sizeof name, "\"name\":\"%s\"", pair);
  char spaced[64];
  snprintf(spaced, sizeof spaced, "\"name\": \"%s\"", pair);
  CHECK(strstr(pair, "-ball"));
  CHECK(strstr(page, name) || strstr(page, spaced));
  CHECK(!strstr(page, "point 64"));
  char *touches = strstr(page, "\"touches\": {");
  if (!touches) touches = strstr(page, "\"touches\":{");
  if (CHECK(touches)) {
    char *surfaces = strstr(touches, "\"surfaces\"");
    CHECK(surfaces && strstr(surfaces, "ball64") && strstr(surfaces, "\"first\""));
  }
  free(page);
}

// --- what stands still -----------------------------------------------------------------------------------------------

// Bricks that stand do not slip, whatever the solver leaves of a slip that is none.
static void standing_bricks_do_not_slip(void) {
  CHECK_EQUAL(
      carom("run '%s/models/overhang.yaml' -q -o bricks.h5 --end 0.2 --set record.touches=true", CHECK_SOURCE_DIR), 0);
  record_reader *in[2];
  table touches, contacts;
  if (!CHECK(read_table("bricks.h5", "touches", &touches, &in[0])) ||
      !CHECK(read_table("bricks.h5", "contacts", &contacts, &in[1])))
    return;
  CHECK(touches.rows >= 8 * 200);
  for (long i = 0; i < touches.rows; i++) CHECK(at(&touches, i, "slip") <= 1);
  for (long i = 0; i < contacts.rows; i++) CHECK(at(&contacts, i, "brick1-brick2.slip") <= 1);
  record_close(in[0]), record_close(in[1]);
  free(touches.values), free(contacts.values);
}

// --- how large a record is -------------------------------------------------------------------------------------------

static double file_size(const char *name) {
  FILE *f = fopen(scratch(name), "rb");
  if (!CHECK(f)) return NAN;
  fseek(f, 0, SEEK_END);
  double size = (double)ftell(f);
  fclose(f);
  return size;
}

// Bytes for a thousand spheres and a second of a thousand steps, from what one more tenth of a second adds to a settled
// pile of 64.
static double scaled_size(const char *settings) {
  double size[2];
  for (int k = 0; k < 2; k++) {
    char more[64];
    snprintf(more, sizeof more, "-o size.h5 --force --end %g", k ? 0.5 : 0.2);
    run_text(spheres, settings, more);
    size[k] = file_size("size.h5");
  }
  return (size[1] - size[0]) / 0.3 / 64 * 1000;
}

static void a_thousand_spheres_fit(void) {
  double all = scaled_size(""), pose = scaled_size("--set record.bodies=pose --set record.touches=false");
  printf("      1000 spheres, 1 s: %.3f GB, %.3f GB with poses alone\n", all * 1e-9, pose * 1e-9);
  CHECK_LE(all, 0.8e9);
  CHECK_LE(pose, 0.1e9);
}

static bool has_column(const char *table_name, const char *column) {
  record_reader *in = record_open(scratch("t.h5"), &error);
  int table = CHECK(in) ? record_find_table(in, table_name) : -1;
  record_table about = table < 0 ? (record_table){0} : record_get_table(in, table);
  bool found = false;
  for (int k = 0; k < about.column_count; k++) found |= strcmp(about.columns[k], column) == 0;
  record_close(in);
  return found;
}

static void bodies_choose_their_columns(void) {
  static const char *const columns[][2] = {
      {"bodies", "block.x"},     {"bodies", "block.vx"},        {"bodies", "block.ax"}, {"joints", "move.q0"},
      {"joints", "move.u0"},     {"joints", "guide.q"},         {"joints", "guide.a"},  {"reactions", "move.fx"},
      {"reactions", "guide.fx"}, {"contacts", "block-floor.fn"}};
  static const char *const words[] = {"all", "motion", "pose"}, *const there[] = {"1111111111", "1100010011",
                                                                                  "1000010011"};
  // a guide with clearance is no joint of the tree
  for (int k = 0; k < 3; k++) {
    char settings[128];
    snprintf(settings, sizeof settings, "--set method.moreau.step=1e-3 --set record.bodies=%s --csv t.csv", words[k]);
    run_text(sliding, settings, "-o t.h5 --force --end 0.01");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
      bool guide = strncmp(columns[i][1], "guide.", 6) == 0;
      if (guide && !has_column(columns[i][0], columns[i][1]) && k == 0) continue;
      if (!guide && !CHECK_EQUAL(has_column(columns[i][0], columns[i][1]), there[k][i] == '1'))
        printf("      %s: %s\n", words[k], columns[i][1]);
    }
    CHECK_EQUAL(carom("report t.h5 -o t.html --force"), 0);
    CHECK_EQUAL(carom("export t.h5 -o t2.csv --force"), 0);
  }
  CHECK_EQUAL(carom("check m.yaml --set record.bodies=some"), 2);
}

static double number_after(const char *text, const char *key) {
  const char *found = strstr(text, key);
  return CHECK(found) ? strtod(found + strlen(key) + strspn(found + strlen(key), "\": "), NULL) : NAN;
}

// What `check` says of the record, against the file.
static void check_size(const char *model, const char *settings, bool pack) {
  CHECK_EQUAL(carom("check %s %s --json", model, settings), 0);
  const char *record = strstr(out, "\"record\"");
  if (!CHECK(record)) return;
  double bytes = number_after(record, "\"bytes\""), least = number_after(record, "compressed_least"),
         most = number_after(record, "compressed_most");
  CHECK_EQUAL(carom("run %s %s -q -o size.h5 --force", model, settings), 0);
  double real = file_size("size.h5");
  if (pack) CHECK_EQUAL(carom("run %s %s -q -o size.h5 --force --set record.compression=4", model, settings), 0);
  double packed = file_size("size.h5");
  if (!CHECK(fabs(bytes - real) <= 0.2 * real) || !CHECK(!pack || (packed >= least && packed <= most)))
    printf("      %s %s: %.4g bytes, said %.4g; compressed %.4g, said %.4g to %.4g\n", model, settings, real, bytes,
           packed, least, most);
}

static void check_tells_the_size_of_the_record(void) {
  static const char *const names[] = {"slider-crank", "stones", "overhang", "rocking-block", "four-bar"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char model[512];
    snprintf(model, sizeof model, "'%s/models/%s.yaml'", CHECK_SOURCE_DIR, names[i]);
    check_size(model, "--set record.every='1 ms'", false);
    check_size(model, "--set record.every='0.5 ms' --set record.touches='1 ms' --set record.bodies=pose", true);
  }
  write_text(scratch("pile.yaml"), spheres);
  check_size("pile.yaml", "--set end=0.6", false);
  check_size("pile.yaml", "--set record.touches=false --set record.bodies=motion", false);
  CHECK_EQUAL(carom("check pile.yaml"), 0);
  CHECK_CONTAINS(out, "surfaces     69, 2336 possible pairs");
  CHECK_CONTAINS(out, "record       about ");
  CHECK_CONTAINS(out, "64 bytes for each touching point, taken as 192 at a time");
}

// A flat mesh has no corners for a plane: the names of points of pairs are listed without it, whichever mesh comes
// first.
static void a_flat_mesh_beside_a_plane_has_no_names_of_points(void) {
  static const char sheet[] =
      "  SHEET: {mesh: ground, material: m, points: [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], triangles: [1, "
      "2, 3, 1, 3, 4]}\n";
  static const char solid[] =
      "  solid: {mesh: b, material: m, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles: [1, 3, 2, 1, "
      "2, 4, 2, 3, 4, 1, 4, 3]}\n";
  for (int k = 0; k < 3; k++) {
    char text[2048];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\njoints: {f: {free: [ground, "
             "b], at: [0, 0, 0.5]}}\n"
             "surfaces:\n  ball: {sphere: b, radius: 0.1, material: m}\n  wall: {plane: ground, at: [0, 0, -1], "
             "material: m}\n%s%s"
             "materials: {m: {friction: 0.5}}\ncontacts: {c: {between: [ball, wall]}}\nmethod: {moreau: {step: "
             "1e-3}}\nrecord: {touches: true}\nend: 0.01\n",
             k == 2 ? solid : sheet,
             k == 0   ? ""
             : k == 1 ? solid
                      : sheet);
    run_text(text, "", "-o flat.h5 --force");
    CHECK(has("flat.h5", "touches"));
  }
}

int main(void) {
  RUN(points_sum_up_to_their_pair_under_every_method);
  RUN(times_are_its_own);
  RUN(they_are_recorded_where_pairs_have_no_columns);
  RUN(a_resumed_run_has_no_touch_twice);
  RUN(a_flat_mesh_beside_a_plane_is_recorded);
  RUN(times_cannot_share_rows);
  RUN(exports_name_surfaces_and_points);
  RUN(reports_name_pairs_that_are_not_listed);
  RUN(standing_bricks_do_not_slip);
  RUN(a_thousand_spheres_fit);
  RUN(bodies_choose_their_columns);
  RUN(a_flat_mesh_beside_a_plane_has_no_names_of_points);
  RUN(check_tells_the_size_of_the_record);
  forget_output();
  return check_summary();
}
