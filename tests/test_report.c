// Reports: what stands in the page comes back from it, nothing in a run can break out of it, a long run is thinned within
// the bound that the page states, and what is no run is refused.
#include "example.h"

#include <dirent.h>
#include <hdf5.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/json.h"
#include "report/compare.h"
#include "ledger/impact.h"
#include "record/record.h"
#include "record/thin.h"

static const char page_text[] = "<!doctype html><title>carom</title><body><p>before</p><!--carom-data--><p>after</p></body>";
static const carom_report_page page = {page_text, sizeof page_text - 1};

static const char *scratch(const char *name) {
  static char path[8][4200];
  static int turn;
  turn = (turn + 1) % 8;
  snprintf(path[turn], sizeof path[turn], "%s/%s", check_scratch_dir(), name);
  return path[turn];
}

static jmp_buf out_of_memory;
static arena memory;  // of the running test

// --- a page read back ---------------------------------------------------------------------------------------------

typedef struct opened_page {
  char *text;
  size_t length;
  const json_value *json;
} opened_page;

static opened_page open_page(const char *path) {
  opened_page p = {0};
  struct stat about;
  FILE *f = fopen(path, "rb");
  if (!CHECK(f && stat(path, &about) == 0)) return p;
  p.length = (size_t)about.st_size;
  p.text = arena_alloc(&memory, p.length + 1, 1);
  CHECK_EQUAL(fread(p.text, 1, p.length, f), p.length);
  fclose(f);
  static const char start[] = "<script type=\"application/json\" id=\"carom-run\">";
  char *from = strstr(p.text, start), *to = from ? strstr(from, "</script>") : NULL;
  if (!CHECK(to)) return p;
  from += sizeof start - 1;
  char *words = arena_print(&memory, "%.*s", (int)(to - from), from);
  p.json = json_read(&memory, words);
  CHECK(p.json);
  return p;
}

static const json_value *run_of(const opened_page *p, int i) {
  const json_value *runs = json_get(p->json, "runs");
  return runs && i < runs->count ? &runs->items[i] : NULL;
}

static int digit(char c) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

// A blob, decoded and inflated.
static unsigned char *read_blob(const opened_page *p, int number, size_t *size) {
  char *from = strstr(p->text, arena_print(&memory, "<script type=\"text/plain\" id=\"carom-blob-%d\">", number));
  *size = 0;
  if (!CHECK(from)) return NULL;
  from = strchr(from, '>') + 1;
  size_t length = strcspn(from, "<"), used = 0;
  unsigned char *packed = arena_alloc(&memory, length + 4, 1);
  for (size_t i = 0; i + 3 < length; i += 4) {
    int d[4];
    for (int k = 0; k < 4; k++) d[k] = digit(from[i + k]) < 0 ? 0 : digit(from[i + k]);
    packed[used++] = (unsigned char)(d[0] << 2 | d[1] >> 4);
    if (from[i + 2] != '=') packed[used++] = (unsigned char)(d[1] << 4 | d[2] >> 2);
    if (from[i + 3] != '=') packed[used++] = (unsigned char)(d[2] << 6 | d[3]);
  }
  uLongf room = 64 << 20;
  unsigned char *bytes = arena_alloc(&memory, room, 1);
  CHECK_EQUAL(uncompress(bytes, &room, packed, used), Z_OK);
  *size = room;
  return bytes;
}

// A column of a page as doubles.
static double *read_column(const opened_page *p, const json_value *column, long *count) {
  *count = (long)json_get_number(column, "count", 0);
  double *x = ARENA_ARRAY(&memory, double, *count + 1);
  const json_value *constant = json_get(column, "constant");
  for (long i = 0; constant && i < *count; i++) x[i] = constant->number;
  if (constant) return x;
  size_t size, at = (size_t)json_get_number(column, "at", 0);
  const char *type = json_get_text(column, "type");
  size_t width = strcmp(type, "f64") == 0 ? 8 : 4, n = (size_t)*count;
  unsigned char *bytes = read_blob(p, (int)json_get_number(column, "blob", -1), &size);
  if (!bytes || !CHECK_LE(at + n * width, size)) return x;
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = 0;
    for (size_t k = 0; k < width; k++) bits |= (uint64_t)bytes[at + k * n + i] << (8 * k);
    float f;
    uint32_t half = (uint32_t)bits;
    if (width == 8) memcpy(&x[i], &bits, 8);
    else if (strcmp(type, "u32") == 0) x[i] = half;
    else memcpy(&f, &half, 4), x[i] = f;
  }
  return x;
}

static const json_value *find_named(const json_value *list, const char *name) {
  for (int i = 0; list && i < list->count; i++)
    if (strcmp(json_get_text(&list->items[i], "name"), name) == 0) return &list->items[i];
  return NULL;
}

static const json_value *table_of(const json_value *run, const char *name) { return find_named(json_get(run, "tables"), name); }

static const json_value *axis_of(const json_value *run, const json_value *table) {
  const json_value *axes = json_get(run, "axes");
  int i = (int)json_get_number(table, "axis", -1);
  return axes && i >= 0 && i < axes->count ? &axes->items[i] : NULL;
}

static const json_value *check_named(const json_value *run, const char *key) {
  const json_value *verdict = json_get(run, "verdict");
  for (int i = 0; verdict && i < verdict->count; i++)
    if (strcmp(json_get_text(&verdict->items[i], "key"), key) == 0) return &verdict->items[i];
  return NULL;
}

static int occurrences(const char *text, const char *part) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, part)); at++) n++;
  return n;
}

static carom_status report_on(const char *run, const char *to, carom_error *error) {
  return carom_report(&run, 1, &page, to, error);
}

// A model run into a file, and its report read back.
static opened_page run_and_report(carom_model *model, const char *name) {
  carom_error error = {0};
  const char *run = scratch(arena_print(&memory, "%s.h5", name)), *html = scratch(arena_print(&memory, "%s.html", name));
  if (!CHECK(model)) return (opened_page){0};
  CHECK(carom_run(model, &(carom_run_options){.record = run}, NULL, &error) == CAROM_OK);
  carom_model_destroy(model);
  if (!CHECK(report_on(run, html, &error) == CAROM_OK)) printf("%s\n", error.text);
  return open_page(html);
}

// --- JSON ---------------------------------------------------------------------------------------------------------

static void json_comes_back(void) {
  static const char text[] = " {\"a\": [1, -2.5e-3, true, false, null], \"b\\u003c\\n\\ud83d\\ude00\": {\"c\": \"\"}, \"d\": []} ";
  const json_value *v = json_read(&memory, text);
  if (!CHECK(v)) return;
  CHECK_EQUAL(json_get(v, "a")->count, 5);
  CHECK_NEAR(json_get(v, "a")->items[1].number, -2.5e-3, 0);
  CHECK(json_get(v, "b<\n\xf0\x9f\x98\x80"));
  json_writer w = json_begin(&memory);
  json_put(&w, NULL, v);
  CHECK(!strchr(w.out.text, '<'));
  const json_value *again = json_read(&memory, w.out.text);
  if (!CHECK(again)) return;
  CHECK_EQUAL(again->count, 3);
  CHECK_TEXT(again->items[1].key, v->items[1].key);
}

static void what_is_no_json_is_refused(void) {
  static const char *const bad[] = {"", "{", "[1,", "[1 2]", "{\"a\" 1}", "{a: 1}", "\"x", "\"\\q\"", "\"\\u12\"", "tru", "1 2", "nan",
                                    "+1", "[1,]x", "{\"a\": }", "\"\n\"", "--1", "1e", "\"\\"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (!CHECK(!json_read(&memory, bad[i]))) printf("      %s\n", bad[i]);
  char deep[200];
  memset(deep, '[', sizeof deep - 1), deep[sizeof deep - 1] = 0;
  CHECK(!json_read(&memory, deep));
  CHECK(!json_read(&memory, NULL));
}

static void json_numbers_keep_every_digit(void) {
  const double numbers[] = {0.1, 1.0 / 3, 1e300, -2.2250738585072014e-308, 123456789.123456789, 0};
  json_writer w = json_begin(&memory);
  json_put_numbers(&w, NULL, numbers, 6);
  const json_value *v = json_read(&memory, w.out.text);
  for (int i = 0; CHECK(v) && i < 6; i++) CHECK(v->items[i].number == numbers[i]);
  w = json_begin(&memory);
  json_put_numbers(&w, NULL, (const double[]){NAN, INFINITY}, 2);
  CHECK_TEXT(w.out.text, "[null, null]");
}

// --- a run in its page --------------------------------------------------------------------------------------------

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
  double *values = ARENA_ARRAY(&memory, double, rows * width), *times = ARENA_ARRAY(&memory, double, rows);
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
  CHECK_TEXT(json_get_text(&json_get(json_get(run, "impacts"), "points")->items[3], "name"), "guide 4");
  const json_value *joint = find_named(json_get(scene, "joints"), "guide");
  CHECK_TEXT(json_get_text(joint, "kind"), "prismatic");
  CHECK_NEAR(json_get(joint, "axis")->items[0].number, 1, 1e-15);
  CHECK_TEXT(json_get_text(run, "space"), "planar");
  CHECK_CONTAINS(json_get_text(json_get(run, "model"), "text"), "Slider-crank");
  CHECK_TEXT(json_get_text(check_named(run, "end"), "level"), "good");
  CHECK(json_get(run, "plots")->count >= 4);
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
  CHECK_NEAR(json_get_number(&json_get(steer, "terms")->items[0], "factor", 0), 0.03, 1e-17);  // the pinion's radius, read from text
  opened_page q = run_and_report(example_load("differential", "end=0.01"), "couple3");
  CHECK_TEXT(json_get_text(find_named(json_get(json_get(run_of(&q, 0), "scene"), "constraints"), "bevel"), "kind"), "couple");
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

// --- records made by hand -----------------------------------------------------------------------------------------

enum { COLUMNS = 40 };

typedef struct synthetic {
  long rows;
  double (*value)(long row, int column);
  long impacts;
  const char *summary;       // null: the writer dies
  const record_text *texts;
  int text_count;
  double offset, shift;      // of the coordinate [rad], of the impacts [s]
  double step;
} synthetic;

static double smooth_value(long row, int column) {
  double t = 1e-3 * (double)row;
  double slow = sin((1 + 0.1 * column) * t);
  if (column == 1 && row == 77777) return 5;           // a single spike
  if (column == 2 && row % 20000 == 19999) return NAN; // and holes
  return column == 3 ? 7 : slow;
}

static double noise_value(long row, int column) {
  uint64_t x = (uint64_t)row * 6364136223846793005u + (uint64_t)column * 1442695040888963407u + 1;
  x ^= x >> 31, x *= 0x9e3779b97f4a7c15u, x ^= x >> 29;
  return (double)x * 0x1p-64;
}

static void write_impacts(record *r, int table, const synthetic *s) {
  for (long i = 0; i < s->impacts; i++) {
    impact row = {.point = (double)(i % 3), .start = s->step * (double)(s->rows * (2 * i + 1) / (2 * s->impacts)) + s->shift,
                  .impulse_normal = 1 + 0.5 * sin((double)i)};
    row.end = row.start + 3 * s->step;
    record_append(r, table, (const double *)&row, NULL);
  }
}

static bool write_synthetic(const char *path, const synthetic *s) {
  static const char *const t[] = {"t"}, *const second[] = {"s"};
  static char names[COLUMNS][16];
  const char *columns[COLUMNS], *units[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) {
    snprintf(names[k], sizeof names[k], "j%d.q", k);
    columns[k] = names[k], units[k] = "rad";
  }
  record_table tables[] = {{"time", t, second, 1}, {"joints", columns, units, COLUMNS},
                           {"impacts", impact_columns, impact_units, IMPACT_COLUMN_COUNT}};
  carom_error error = {0};
  record *r = record_create(path, tables, s->impacts ? 3 : 2, s->texts, s->text_count, NULL, &error);
  if (!CHECK(r)) return false;
  double row[COLUMNS];
  for (long i = 0; i < s->rows; i++) {
    double time = s->step * (double)i;
    for (int k = 0; k < COLUMNS; k++) row[k] = s->value(i, k) + s->offset;
    if (record_append(r, 0, &time, &error) != CAROM_OK || record_append(r, 1, row, &error) != CAROM_OK) break;
  }
  write_impacts(r, 2, s);
  if (s->summary) return CHECK(record_finish(r, s->summary, &error) == CAROM_OK);
  record_abandon(r);
  return true;
}

// --- thinning -----------------------------------------------------------------------------------------------------

// Every row that was left out is within the bound of the line between its kept neighbours.
static void check_level(const synthetic *s, const double *all, const thin_level *level) {
  const row_set *kept = &level->kept;
  double worst = 0;
  long left = 0, missing = 0;
  for (long right = 1; right < s->rows; right++) {
    if (!row_set_has(kept, right)) continue;
    for (long i = left + 1; i < right; i++)
      for (int k = 0; k < COLUMNS; k++) {
        double part = (double)(i - left) / (double)(right - left);
        double line = all[left * COLUMNS + k] + part * (all[right * COLUMNS + k] - all[left * COLUMNS + k]);
        worst = fmax(worst, fabs(line - all[i * COLUMNS + k]) / 2);
        missing += isnan(all[i * COLUMNS + k]);
      }
    left = right;
  }
  CHECK_EQUAL(left, s->rows - 1);
  CHECK_LE(worst, level->bound * (1 + 1e-9));
  CHECK_EQUAL(missing, 0);  // a row without a number is never left out
  for (long i = 50000; i <= 50050; i++) CHECK(row_set_has(kept, i));
}

static void thinning_keeps_its_bound(void) {
  synthetic s = {.rows = 100000, .value = smooth_value, .summary = "{}", .step = 1e-3};
  carom_error error = {0};
  const char *path = scratch("thin.h5");
  if (!write_synthetic(path, &s)) return;
  record_reader *in = record_open(path, &error);
  if (!CHECK(in)) return;
  row_set must = row_set_create(&memory, s.rows);
  row_set_add(&must, 0), row_set_add(&must, s.rows - 1);
  row_set_add_range(&must, 50000, 50050);
  double scales[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) scales[k] = k == 3 ? 0 : 2;
  thin_result result;
  CHECK(thin_table(&memory, in, 1, 0, scales, &must, 20000, &result, &error));
  double *all = ARENA_ARRAY(&memory, double, s.rows * COLUMNS);
  CHECK(record_read(in, 1, 0, s.rows, all, &error) == CAROM_OK);
  record_close(in);
  CHECK(result.count > 5);
  CHECK_LE(result.levels[0].kept.count, 20000);
  // a chord of h rows of a sine of rate 5/s is (5 h/1000)²/8 off, 1e-3·2 of it after 25 rows; four times the bound: half the rows
  CHECK_LE(result.levels[0].bound, 0.25e-3);
  for (int i = 0; i < result.count; i++) {
    check_level(&s, all, &result.levels[i]);
    if (i > 0) CHECK(result.levels[i].bound == 4 * result.levels[i - 1].bound && result.levels[i].kept.count <= result.levels[i - 1].kept.count);
  }
}

// The finest bound is far below what anyone sees.
static void thinning_begins_fine(void) {
  synthetic s = {.rows = 3000, .value = smooth_value, .summary = "{}", .step = 1e-3};
  carom_error error = {0};
  if (!write_synthetic(scratch("begin.h5"), &s)) return;
  record_reader *in = record_open(scratch("begin.h5"), &error);
  if (!CHECK(in)) return;
  row_set must = row_set_create(&memory, s.rows);
  double scales[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) scales[k] = 2;
  thin_result result;
  CHECK(thin_table(&memory, in, 1, 0, scales, &must, s.rows, &result, &error));
  record_close(in);
  CHECK_EQUAL(result.count, THIN_LEVELS);
  CHECK_NEAR(result.levels[0].bound, 1e-3 / 65536, 0);
  CHECK(result.levels[0].kept.count > s.rows * 9 / 10);
}

static double missing_value(long row, int column) { return column % 2 && row % 1000 < 900 ? NAN : (double)(row / 1000 % 2); }

// A number that is missing for long takes the rows at its ends, not all.
static void missing_numbers_take_no_room(void) {
  synthetic s = {.rows = 10000, .value = missing_value, .summary = "{}", .step = 1e-3};
  carom_error error = {0};
  if (!write_synthetic(scratch("missing.h5"), &s)) return;
  record_reader *in = record_open(scratch("missing.h5"), &error);
  if (!CHECK(in)) return;
  row_set must = row_set_create(&memory, s.rows);
  double scales[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) scales[k] = 1;
  thin_result result;
  CHECK(thin_table(&memory, in, 1, 0, scales, &must, s.rows, &result, &error));
  record_close(in);
  for (int i = 0; i < 10; i++)
    for (long row = 1000 * i; row <= 1000 * i + 900; row += 900) CHECK(row_set_has(&result.levels[0].kept, row));
  CHECK_LE(result.levels[0].kept.count, 10 * 4 + 1);  // two rows at each of its ends
}

static void thinning_gives_way_to_the_budget(void) {
  synthetic s = {.rows = 20000, .value = noise_value, .summary = "{}", .step = 1e-3};
  carom_error error = {0};
  const char *path = scratch("noise.h5");
  if (!write_synthetic(path, &s)) return;
  record_reader *in = record_open(path, &error);
  if (!CHECK(in)) return;
  row_set must = row_set_create(&memory, s.rows);
  row_set_add(&must, 0), row_set_add(&must, s.rows - 1);
  double scales[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) scales[k] = 1;
  thin_result result;
  CHECK(thin_table(&memory, in, 1, 0, scales, &must, 1000, &result, &error));
  CHECK_LE(result.levels[0].kept.count, 1000);
  CHECK(result.levels[0].bound > 0.2);  // noise has no line through it
  record_close(in);
}

// Noise in every column and more impacts than a page holds: the worst that can come. What a page of a smooth run keeps is
// within its bound, every impact that is kept is there row by row.
static void long_runs_stay_small(void) {
  synthetic s = {.rows = 120000, .value = noise_value, .summary = "{\"status\": \"done\"}", .impacts = 60000, .step = 1e-3};
  carom_error error = {0};
  const char *run = scratch("long.h5"), *html = scratch("long.html");
  if (!write_synthetic(run, &s) || !CHECK(report_on(run, html, &error) == CAROM_OK)) return;
  struct stat about;
  CHECK(stat(html, &about) == 0);
  CHECK_LE((double)about.st_size, 20e6);
  opened_page p = open_page(html);
  const json_value *report_run = run_of(&p, 0), *axis = axis_of(report_run, table_of(report_run, "joints"));
  const json_value *impacts = json_get(report_run, "impacts");
  CHECK_EQUAL(json_get_number(axis, "rows", 0), s.rows);
  CHECK(json_get_number(axis, "raw", 1) == 0);
  CHECK_EQUAL(json_get_number(impacts, "rows", 0), s.impacts);
  CHECK(json_get_number(impacts, "kept", 0) < (double)s.impacts && json_get_number(impacts, "kept", 0) > 10000);
  long count;
  double *index = read_column(&p, json_get(axis, "index"), &count), *t = read_column(&p, json_get(axis, "time"), &count);
  CHECK_EQUAL(count, json_get_number(axis, "kept", 0));
  CHECK(index[0] == 0 && index[count - 1] == (double)(s.rows - 1));
  for (long i = 1; i < count; i++)
    if (!CHECK(index[i] > index[i - 1] && t[i] == 1e-3 * index[i])) break;
}

static void impacts_are_kept_raw(void) {
  synthetic s = {.rows = 400000, .value = smooth_value, .summary = "{\"status\": \"done\"}", .impacts = 50, .step = 1e-3};
  carom_error error = {0};
  const char *run = scratch("raw.h5"), *html = scratch("raw.html");
  if (!write_synthetic(run, &s) || !CHECK(report_on(run, html, &error) == CAROM_OK)) return;
  opened_page p = open_page(html);
  const json_value *report_run = run_of(&p, 0), *joints = table_of(report_run, "joints"), *axis = axis_of(report_run, joints);
  CHECK(json_get_number(axis, "raw", 1) == 0);
  CHECK_LE(json_get_number(axis, "bound", 1), 1e-4);
  struct stat about;
  CHECK(stat(html, &about) == 0);
  CHECK(about.st_size > 8000000 && about.st_size < 20000000);  // the next finer level has twice the rows
  long count, impacts;
  double *index = read_column(&p, json_get(axis, "index"), &count);
  double *start = read_column(&p, find_named(json_get(json_get(report_run, "impacts"), "columns"), "start"), &impacts);
  bool *kept = ARENA_ARRAY(&memory, bool, s.rows + 8);
  for (long i = 0; i < count; i++) kept[(long)index[i]] = true;
  CHECK_EQUAL(impacts, s.impacts);
  for (long i = 0; i < impacts; i++)
    for (long row = lround(start[i] / s.step) - 8; row <= lround(start[i] / s.step) + 11; row++) CHECK(kept[row]);
  const json_value *spiked = &json_get(joints, "columns")->items[1];
  CHECK_NEAR(json_get_number(spiked, "max", 0), 5, 0);
  CHECK(kept[77777]);
}

enum { HITS = 40, RESTS = 120000 };

// Few hits among very many contacts that gather far more impulse without any approach: there is no room for all.
static bool write_hits_and_rests(const char *path) {
  static const char *const t[] = {"t"}, *const second[] = {"s"};
  record_table tables[] = {{"time", t, second, 1}, {"impacts", impact_columns, impact_units, IMPACT_COLUMN_COUNT}};
  carom_error error = {0};
  record *r = record_create(path, tables, 2, NULL, 0, NULL, &error);
  if (!CHECK(r)) return false;
  for (long i = 0; i < 1000; i++) record_append(r, 0, &(double){1e-3 * (double)i}, &error);
  for (long i = 0; i < RESTS; i++) {
    double start = (double)i / RESTS;
    bool hits = i % (RESTS / HITS) == 7;
    impact row = {.point = hits, .start = start, .end = start + (hits ? 0 : 0.5), .impulse_normal = hits ? 1e-3 : 5 + noise_value(i, 0),
                  .peak_force = hits ? 0 : 10 + noise_value(i, 1), .approach_speed = hits ? 2 : 1e-7 * noise_value(i, 2)};
    record_append(r, 1, (const double *)&row, &error);
  }
  return CHECK(record_finish(r, "{\"status\": \"done\"}", &error) == CAROM_OK);
}

static void hits_outrank_rest(void) {
  carom_error error = {0};
  if (!write_hits_and_rests(scratch("rests.h5"))) return;
  CHECK(report_on(scratch("rests.h5"), scratch("rests.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("rests.html"));
  const json_value *impacts = json_get(run_of(&p, 0), "impacts");
  CHECK(json_get_number(impacts, "kept", RESTS) < RESTS / 2);
  long count, hits = 0;
  double *point = read_column(&p, find_named(json_get(impacts, "columns"), "point"), &count);
  for (long i = 0; i < count; i++) hits += point[i] == 1;
  CHECK_EQUAL(hits, HITS);
}

// --- odd runs -----------------------------------------------------------------------------------------------------

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
    synthetic s = {.rows = rows, .value = smooth_value, .summary = "{\"status\": \"failed\", \"error\": \"<no>\"}", .step = 1e-3};
    const char *run = scratch(arena_print(&memory, "few%ld.h5", rows)), *html = scratch("few.html");
    if (!write_synthetic(run, &s) || !CHECK(report_on(run, html, &error) == CAROM_OK)) return;
    opened_page p = open_page(html);
    CHECK_TEXT(json_get_text(check_named(run_of(&p, 0), "end"), "level"), "bad");
    CHECK_CONTAINS(json_get_text(check_named(run_of(&p, 0), "end"), "sentence"), "<no>");
    CHECK_EQUAL(json_get_number(&json_get(run_of(&p, 0), "axes")->items[0], "kept", -1), rows);
  }
}

static void odd_texts_open(void) {
  static const char *const odd[] = {"", "{", "[1, 2]", "7", "{\"bodies\": 3, \"contacts\": [1, {\"points\": 1e9}], \"joints\": {}}",
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

static void write_bytes(const char *path, const char *bytes, size_t length) {
  FILE *f = fopen(path, "wb");
  if (!CHECK(f)) return;
  CHECK_EQUAL(fwrite(bytes, 1, length, f), length);
  fclose(f);
}

// More times than a page holds, and nothing else.
static void times_alone_open(void) {
  static const char *const t[] = {"t"}, *const second[] = {"s"};
  record_table table = {"time", t, second, 1};
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
  write_bytes(scratch("text.h5"), "title: no\n", 10);
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
  const carom_report_page bare = {"<p>", 3};
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

// What a law does beyond its range is said once, in words.
static void a_remark_is_one_card(void) {
  record_text texts[] = {{"scene", "{\"remarks\": [{\"name\": \"conformal\", \"text\": \"too close\", \"contact\": \"pin\", \"count\": 1}]}"}};
  synthetic s = {.rows = 5, .value = smooth_value, .texts = texts, .text_count = 1, .step = 1e-3,
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
  CHECK_CONTAINS(json_get_text(check_named(run_of(&p, 0), "restitution"), "sentence"), "2 contact(s)");
}

// --- comparing ----------------------------------------------------------------------------------------------------

static double parabola(long row, int column) {
  double t = 1e-3 * (double)row;
  return (column + 1) * t * t;
}
static double coarse_parabola(long row, int column) { return parabola(4 * row, column); }

static void runs_are_compared(void) {
  synthetic a = {.rows = 1001, .value = parabola, .summary = "{\"status\": \"done\", \"steps\": 1000}", .impacts = 20, .step = 1e-3};
  synthetic b = {.rows = 301, .value = coarse_parabola, .summary = "{\"status\": \"done\", \"steps\": 300}", .impacts = 20,
                 .offset = 0.01, .shift = 2e-4, .step = 4e-3};
  carom_error error = {0};
  if (!write_synthetic(scratch("a.h5"), &a) || !write_synthetic(scratch("b.h5"), &b)) return;
  record_reader *first = record_open(scratch("a.h5"), &error), *second = record_open(scratch("b.h5"), &error);
  static const char *const points[] = {"p", "q", "r"}, *const others[] = {"p", "q", "x"};
  if (!CHECK(first && second)) return;
  compare_side sides[] = {{first, points, 3, json_read(&memory, "{\"steps\": 1000}")}, {second, others, 3, NULL}};
  comparison c;
  CHECK(compare_runs(&memory, &sides[0], &sides[1], 0, &c, &error));
  CHECK_NEAR(c.t1, 1, 1e-12);
  CHECK_NEAR(c.window, 0.01, 1e-12);
  CHECK_EQUAL(c.column_count, COLUMNS);
  // both have a row at every grid time, so that the offset is all there is
  CHECK_NEAR(c.columns[0].max, 0.01, 1e-14);
  CHECK_NEAR(c.columns[0].rms, 0.01, 1e-14);
  CHECK_NEAR(c.columns[5].range, 6, 1e-12);
  CHECK_NEAR(c.costs[0].first, 1000, 0);
  CHECK(isnan(c.costs[0].second));
  record_close(first), record_close(second);
}

// Twenty impacts in a second against sixteen of the other run that begin in it, a little later; every third is of a point
// that has another name there.
static void impacts_are_matched(void) {
  synthetic a = {.rows = 1001, .value = parabola, .summary = "{}", .impacts = 20, .step = 1e-3};
  synthetic b = a;
  b.shift = 2e-4;
  carom_error error = {0};
  if (!write_synthetic(scratch("c.h5"), &a) || !write_synthetic(scratch("d.h5"), &b)) return;
  record_reader *first = record_open(scratch("c.h5"), &error), *second = record_open(scratch("d.h5"), &error);
  static const char *const points[] = {"p", "q", "r"}, *const others[] = {"p", "q", "x"};
  if (!CHECK(first && second)) return;
  compare_side sides[] = {{first, points, 3, NULL}, {second, others, 3, NULL}};
  comparison c;
  CHECK(compare_runs(&memory, &sides[0], &sides[1], 1e-3, &c, &error));
  CHECK_EQUAL(c.matched_count, 14);  // of 20, those of points 0 and 1
  CHECK_EQUAL(c.only_first_count, 6);
  CHECK_EQUAL(c.only_second_count, 6);
  CHECK_NEAR(c.time_max, 2e-4, 1e-12);
  CHECK_NEAR(c.impulse_max, 0, 0);
  for (int i = 0; i < c.matched_count; i++) CHECK_EQUAL(c.matched[i].first, c.matched[i].second);
  CHECK(compare_runs(&memory, &sides[0], &sides[1], 1e-4, &c, &error));
  CHECK_EQUAL(c.matched_count, 0);  // too narrow a window
  record_close(first), record_close(second);
}

// Between its rows a coordinate with a known rate is a parabola, also where the rate jumps at a row.
static void rates_make_trajectories_smooth(void) {
  carom_error error = {0};
  const char *runs[2] = {scratch("fine-ball.h5"), scratch("coarse-ball.h5")};
  for (int i = 0; i < 2; i++) {
    carom_model *model = example_load("bouncing-ball", i ? "method=event end=1 record.every=0.05" : "method=event end=1 record.every=0.001");
    if (!CHECK(model)) return;
    CHECK(carom_run(model, &(carom_run_options){.record = runs[i]}, NULL, &error) == CAROM_OK);
    carom_model_destroy(model);
  }
  record_reader *first = record_open(runs[0], &error), *second = record_open(runs[1], &error);
  if (!CHECK(first && second)) return;
  compare_side sides[] = {{.in = first}, {.in = second}};
  comparison c;
  CHECK(compare_runs(&memory, &sides[0], &sides[1], 0, &c, &error));
  for (int k = 0; k < c.column_count; k++) CHECK_LE(c.columns[k].max, 1e-9);  // flight is a parabola; the grid is the coarse run's
  CHECK(carom_report(runs, 2, &page, scratch("two.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("two.html"));
  CHECK_EQUAL(json_get(p.json, "runs")->count, 2);
  CHECK_EQUAL(json_get(p.json, "compare")->count, 1);
  CHECK_EQUAL(json_get_number(&json_get(p.json, "compare")->items[0], "run", 0), 1);
  record_close(first), record_close(second);
}

// --- every model --------------------------------------------------------------------------------------------------

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

static void in_own_memory(const char *name, void (*test)(void)) {
  if (setjmp(out_of_memory)) {
    printf("out of memory\n");
    exit(2);
  }
  memory = arena_create(&out_of_memory);
  check_run(name, test);
  arena_free(&memory);
}
#undef RUN
#define RUN(test) in_own_memory(#test, test)

int main(void) {
  RUN(json_comes_back);
  RUN(what_is_no_json_is_refused);
  RUN(json_numbers_keep_every_digit);
  RUN(numbers_come_back);
  RUN(the_scene_is_there);
  RUN(couplings_are_there);
  RUN(forces_stand_where_they_act);
  RUN(nothing_breaks_out);
  RUN(thinning_keeps_its_bound);
  RUN(thinning_begins_fine);
  RUN(missing_numbers_take_no_room);
  RUN(thinning_gives_way_to_the_budget);
  RUN(long_runs_stay_small);
  RUN(impacts_are_kept_raw);
  RUN(hits_outrank_rest);
  RUN(an_old_record_opens);
  RUN(a_killed_run_opens);
  RUN(few_rows_open);
  RUN(odd_texts_open);
  RUN(times_alone_open);
  RUN(what_is_no_run_is_refused);
  RUN(where_it_cannot_be_written_is_told);
  RUN(a_report_that_fails_leaves_the_old_one);
  RUN(a_remark_is_one_card);
  RUN(runs_are_compared);
  RUN(impacts_are_matched);
  RUN(rates_make_trajectories_smooth);
  RUN(a_failure_is_told_with_its_reason);
  return check_summary();
}
