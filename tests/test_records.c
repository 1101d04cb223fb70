// Records, read by a program through the public interface.
#include "runs.h"

static const char *const drop =
    "title: two balls\n"
    "space: planar\n"
    "bodies: {a: {mass: 1, inertia: 0.1}, b: {mass: 2, inertia: 0.1}}\n"
    "joints: {ja: {free: [ground, a]}, jb: {free: [ground, b]}}\n"
    "surfaces: {floor: {plane: ground, material: m}, left: {sphere: a, radius: 0.1, material: m}, "
    "right: {sphere: b, radius: 0.1, material: m}}\n"
    "materials: {m: {restitution: 0, friction: 0.2}}\n"
    "initial: {ja: {q: [0, -1, 0.2]}, jb: {q: [0, 1, 0.3]}}\n"
    "method: {moreau: {step: 1 ms}}\n"
    "record: {every: 10 ms, touches: 10 ms}\n"
    "end: 0.4\n";

// The record of a run of the model. Null after a failed check.
static carom_record *recorded(const char *path) {
  carom_error error = {0};
  carom_model *model = carom_model_parse_with(drop, "drop.yaml", NULL, 0, &error);
  carom_summary summary;
  bool done =
      CHECK(model) && CHECK(carom_run(model, &(carom_run_options){.record = path}, &summary, &error) == CAROM_OK);
  carom_model_destroy(model);
  carom_record *r = done ? carom_record_open(path, &error) : NULL;
  CHECK(r);
  return r;
}

static int table_of(const carom_record *r, const char *name) {
  for (int i = 0; carom_record_get_table(r, i).name; i++)
    if (strcmp(carom_record_get_table(r, i).name, name) == 0) return i;
  return -1;
}

static int column_of(const carom_record *r, int table, const char *name) {
  for (int k = 0; carom_record_get_column(r, table, k).name; k++)
    if (strcmp(carom_record_get_column(r, table, k).name, name) == 0) return k;
  return -1;
}

static void rows_are_those_of_the_run(void) {
  const char *path = scratch("drop.h5");
  carom_record *r = recorded(path);
  if (!r) return;
  carom_error error = {0};
  int time = table_of(r, "time"), joints = table_of(r, "joints");
  carom_record_table t = carom_record_get_table(r, joints);
  CHECK(time >= 0 && joints >= 0 && t.by_time);
  CHECK_EQUAL(t.rows, 41);
  CHECK_EQUAL(carom_record_get_table(r, time).rows, 41);
  int height = column_of(r, joints, "jb.q2");
  CHECK(height >= 0);
  CHECK_TEXT(carom_record_get_column(r, joints, height).unit, "m");
  CHECK_TEXT(carom_record_get_column(r, joints, height).sampling, "instant");
  CHECK_TEXT(carom_record_get_column(r, joints, column_of(r, joints, "jb.a2")).sampling, "mean");
  double *row = calloc((size_t)t.columns, sizeof *row), at = 0;
  for (long i = 0; row && i < 20; i++) {  // both fall until 0.2 s
    CHECK(carom_record_read(r, time, i, 1, &at, &error) == CAROM_OK);
    CHECK(carom_record_read(r, joints, i, 1, row, &error) == CAROM_OK);
    CHECK_NEAR(at, 0.01 * (double)i, 1e-12);
    CHECK_NEAR(row[height], 0.3 - 0.5 * 9.81 * at * at, 1e-12);
  }
  CHECK_TEXT(carom_record_text(r, "title"), "two balls");
  CHECK(!carom_record_text(r, "no such text"));
  free(row);
  carom_record_close(r);
}

// Each row of impacts, episodes and touches has the names that an exported file has.
static void rows_name_their_points(void) {
  carom_record *r = recorded(scratch("names.h5"));
  if (!r) return;
  carom_error error = {0};
  static const char *const tables[] = {"impacts", "episodes", "touches"};
  for (int i = 0; i < 3; i++) {
    int table = table_of(r, tables[i]);
    carom_record_table t = carom_record_get_table(r, table);
    if (!CHECK(table >= 0) || !CHECK(t.rows > 0)) continue;
    CHECK(!t.by_time);
    double *row = calloc((size_t)t.columns, sizeof *row);
    bool left = false, right = false;
    for (long k = 0; row && k < t.rows; k++) {
      CHECK(carom_record_read(r, table, k, 1, row, &error) == CAROM_OK);
      carom_record_point p = carom_record_get_point(r, table, row);
      if (!CHECK(p.pair)) continue;
      left |= strcmp(p.pair, "floor-left") == 0, right |= strcmp(p.pair, "floor-right") == 0;
      CHECK_TEXT(p.point, "");
    }
    CHECK(left && right);
    free(row);
  }
  double nothing = 0;
  CHECK(!carom_record_get_point(r, table_of(r, "time"), &nothing).pair);
  carom_record_close(r);
}

static void what_does_not_exist_is_refused(void) {
  carom_error error = {0};
  CHECK(!carom_record_open(scratch("absent.h5"), &error));
  CHECK(error.status == CAROM_ERROR_FILE);
  carom_record *r = recorded(scratch("few.h5"));
  if (!r) return;
  double row[64];
  CHECK(!carom_record_get_table(r, -1).name && !carom_record_get_table(r, 1000).name);
  CHECK(!carom_record_get_column(r, 0, -1).name && !carom_record_get_column(r, 1000, 0).name);
  CHECK(carom_record_read(r, 1000, 0, 1, row, &error) == CAROM_ERROR_USAGE);
  CHECK(carom_record_read(r, 0, 41, 1, row, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "41 rows");
  CHECK(carom_record_read(r, 0, -1, 1, row, &error) == CAROM_ERROR_USAGE);
  CHECK(carom_record_read(r, 0, 0, -1, row, NULL) == CAROM_ERROR_USAGE);
  CHECK(carom_record_read(r, 0, 41, 0, row, &error) == CAROM_OK);
  carom_record_close(r);
  carom_record_close(NULL);
}

static void a_text_takes_settings(void) {
  carom_error error = {0};
  static const carom_setting longer[] = {{"end", "0.7"}};
  carom_model *model = carom_model_parse_with(drop, "drop.yaml", longer, 1, &error);
  if (CHECK(model)) CHECK_NEAR(carom_model_get_info(model).end, 0.7, 0);
  carom_model_destroy(model);
  static const carom_setting wrong[] = {{"ned", "0.7"}};
  CHECK(!carom_model_parse_with(drop, "drop.yaml", wrong, 1, &error));
  CHECK_CONTAINS(error.text, "end");  // the nearest name
}

// The state of a pendulum, under a method whose state is that of its joint.
static void a_state_is_seen_after_each_step(void) {
  run r;
  if (!run_open(&r, "pendulum", "coordinates=joint")) return;
  const double *q = carom_sim_coordinates(r.sim), *u = carom_sim_speeds(r.sim);
  CHECK_EQUAL(carom_model_get_info(r.model).coordinates_count, 1);
  for (int i = 0; i < 20 && CHECK(carom_sim_step(r.sim, 1, &r.error) == CAROM_OK); i++) {
    CHECK_NEAR(q[0], carom_sim_read(r.sim, carom_model_signal(r.model, "hinge.q")), 0);
    CHECK_NEAR(u[0], carom_sim_read(r.sim, carom_model_signal(r.model, "hinge.u")), 0);
  }
  CHECK(carom_sim_reset(r.sim, &r.error) == CAROM_OK);
  CHECK(carom_sim_coordinates(r.sim) == q && carom_sim_speeds(r.sim) == u);
  run_close(&r);
}

int main(void) {
  RUN(rows_are_those_of_the_run);
  RUN(rows_name_their_points);
  RUN(what_does_not_exist_is_refused);
  RUN(a_text_takes_settings);
  RUN(a_state_is_seen_after_each_step);
  return check_summary();
}
