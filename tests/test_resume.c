// A record that is continued: interrupted, killed and resumed runs leave the same rows as a run in one piece.
#include "countdown.h"
#include "example.h"

#include <hdf5.h>
#include <signal.h>

#include "carom/carom.h"
#include "memory.h"
#include "record/record.h"
#include "runs.h"
#include "checkpoint.h"
#include "sim.h"
#include "tool.h"

static const char swinging[] =
    "space: planar\n"
    "bodies: {bob: {mass: 2, inertia: 0.1, com: [0, -1]}}\n"
    "joints: {pin: {revolute: [ground, bob]}}\n"
    "initial: {pin: {q: 1}}\n"
    "forces: {brake: {along: pin, damping: 0.01}}\n"
    "outputs: {height: -cos(pin.q)}\n"
    "integrator: {type: rk4, step: 1e-4}\n"
    "record: {every: %s, checkpoint: 0.5}\n"
    "end: %g\n";

// A ball that bounces, rolls and rests: episodes end all the time, and one is open at the end.
static const char ball[] =
    "space: planar\n"
    "bodies: {ball: {mass: 1, inertia: 1e-4}}\n"
    "joints: {fall: {free: [ground, ball], at: [0, 0.05]}}\n"
    "surfaces: {skin: {sphere: ball, radius: 0.02, material: hard}, floor: {plane: ground, material: hard}}\n"
    "materials: {hard: {restitution: 0.7, friction: 0.3}}\n"
    "initial: {fall: {u: [0, 0.2, 0]}}\n"
    "method: {moreau: {step: 1e-4}}\n"
    "record: {every: %s, checkpoint: 0.05, regimes: true}\n"
    "end: %g\n";

// Balls that bounce on a floor, in more pairs than are listed: pairs are near before they touch, and go again.
static const char crowd[] =
    "space: planar\n"
    "bodies: {\"b{i}\": {repeat: {i: [0, 12]}, mass: 1, inertia: 0.004}}\n"
    "joints: {\"f{i}\": {repeat: {i: [0, 12]}, free: [ground, \"b{i}\"], at: [\"0.5*i\", \"0.15 + 0.004*i\"]}}\n"
    "surfaces:\n"
    "  floor: {plane: ground, material: m}\n"
    "  s{i}: {repeat: {i: [0, 12]}, sphere: \"b{i}\", radius: 0.1, material: m}\n"
    "materials: {m: {friction: 0.2, restitution: 1}}\n"
    "method: {moreau: {step: 2e-4}}\n"
    "record: {every: %s, checkpoint: 0.0101, regimes: true}\n"
    "end: %g\n";

// --- parts -----------------------------------------------------------------------------------------------------------

static carom_model *compile(const char *format, const char *every, double end) {
  carom_error error = {0};
  char text[2048];
  snprintf(text, sizeof text, format, every, end);
  carom_model *model = carom_model_parse(text, "model.yaml", &error);
  if (!CHECK(model)) printf("      %s\n", error.text);
  return model;
}

// Asked while the run goes on: ends it after a moment.
static bool leave_at(void *context, const carom_progress *now) { return now->t < *(const double *)context; }

static carom_status run_part(const carom_model *model, const char *resume, const char *record, const char *csv,
                             double leave) {
  carom_error error = {0};
  carom_run_options options = {
      .record = record, .resume = resume, .csv = csv, .progress = leave > 0 ? leave_at : NULL, .context = &leave};
  carom_status status = carom_run(model, &options, NULL, &error);
  if (status != CAROM_OK && status != CAROM_INTERRUPTED) printf("      %s\n", error.text);
  return status;
}

static double *read_table(record_reader *in, int table, long *rows) {
  carom_error error = {0};
  *rows = record_rows(in, table);
  double *all = ARENA_ARRAY(&memory, double, (*rows * record_get_table(in, table).column_count) + 1);
  CHECK(record_read(in, table, 0, *rows, all, &error) == CAROM_OK);
  return all;
}

// The field of a checkpoint that tells how often accelerations were evaluated, which an integrator that starts again
// does once more.
static bool is_count(const char *field) { return strcmp(field, "evaluations") == 0; }

static bool same_rows(const record_table *t, long rows, const double *x, const double *y) {
  for (long i = 0; i < rows; i++)
    for (int k = 0; k < t->column_count; k++)
      if (!is_count(t->columns[k]) &&
          memcmp(&x[i * t->column_count + k], &y[i * t->column_count + k], sizeof *x) != 0) {
        printf("      table %s, column %s, row %ld: %.17g, %.17g\n", t->name, t->columns[k], i,
               x[i * t->column_count + k], y[i * t->column_count + k]);
        return false;
      }
  return true;
}

// Bit by bit, every table of rows.
static void check_same_record(const char *one, const char *other) {
  carom_error error = {0};
  record_reader *a = record_open(one, &error), *b = record_open(other, &error);
  if (CHECK(a && b) && CHECK_EQUAL(record_table_count(a), record_table_count(b))) {
    for (int i = 0; i < record_table_count(a); i++) {
      record_table t = record_get_table(a, i);
      long rows, others;
      double *x = read_table(a, i, &rows), *y = read_table(b, i, &others);
      if (!CHECK_EQUAL(others, rows)) printf("      table %s\n", t.name);
      else CHECK(same_rows(&t, rows, x, y));
    }
    CHECK(!record_get_text(b, "resumed_from"));
  }
  record_close(a);
  record_close(b);
}

// A model whose pairs touch has rows of the ledger to continue.
static void check_has_ledger(const char *file) {
  static const char *const tables[] = {"impacts", "episodes", "regimes"};
  carom_error error = {0};
  record_reader *in = record_open(file, &error);
  if (!CHECK(in)) return;
  for (int i = 0; i < 3; i++) {
    int table = record_find_table(in, tables[i]);
    CHECK(table >= 0 && record_rows(in, table) > 1);
  }
  record_close(in);
}

static void check_same_file(const char *one, const char *other) {
  size_t size, other_size;
  char *a = read_file(one, &size), *b = read_file(other, &other_size);
  CHECK(a && b && size == other_size && memcmp(a, b, size) == 0);
  free(a), free(b);
}

// --- ends that were given, and interrupts ----------------------------------------------------------------------------

static void continue_from(const char *format, const char *every, double end, const int *stops, int count) {
  char record[4400], csv[4400], whole[4400], whole_csv[4400];
  snprintf(record, sizeof record, "%s", scratch("part.h5")), snprintf(csv, sizeof csv, "%s", scratch("part.csv"));
  snprintf(whole, sizeof whole, "%s", scratch("whole.h5")),
      snprintf(whole_csv, sizeof whole_csv, "%s", scratch("whole.csv"));
  unlink(record), unlink(csv);
  carom_model *model = compile(format, every, end);
  if (!model) return;
  CHECK(run_part(model, NULL, whole, whole_csv, 0) == CAROM_OK);
  for (int i = 0; i < count; i++) {
    carom_error error = {0};
    carom_run_options options = {
        .record = record, .resume = i ? record : NULL, .end = stops[i] * 1e-4};  // where a step ends
    if (!CHECK(carom_run(model, &options, NULL, &error) == CAROM_OK)) printf("      %s\n", error.text);
  }
  CHECK(run_part(model, record, record, csv, 0) == CAROM_OK);
  if (format == ball) check_has_ledger(whole);
  check_same_record(whole, record);
  check_same_file(whole_csv, csv);
  carom_model_destroy(model);
}

// Ends on a multiple of the rows and between two of them.
static void rows_go_on_bit_by_bit(void) {
  static const int stops[] = {1000, 2500, 3000, 3001, 7000};
  static const char *const every[] = {"0", "1e-3", "0.1", "0.03"};
  for (int i = 0; i < 4; i++) {
    continue_from(swinging, every[i], 1, stops, 5);
    continue_from(ball, every[i], 1, stops, 5);
  }
}

// As often as it is asked: each part ends where the clock happens to be.
static void interrupted_again_and_again(void) {
  static const char *const formats[] = {swinging, ball};
  for (int k = 0; k < 2; k++) {
    char record[4400], whole[4400];
    snprintf(record, sizeof record, "%s", scratch("cut.h5")), snprintf(whole, sizeof whole, "%s", scratch("whole.h5"));
    unlink(record);
    carom_model *model = compile(formats[k], "2e-3", 60);
    if (!model) return;
    CHECK(run_part(model, NULL, whole, NULL, 0) == CAROM_OK);
    int parts = 0;
    carom_status status = run_part(model, NULL, record, NULL, 1e-9);
    for (; status == CAROM_INTERRUPTED && parts < 3; parts++) status = run_part(model, record, record, NULL, 1e-9);
    if (status == CAROM_INTERRUPTED) status = run_part(model, record, record, NULL, 0);
    CHECK(status == CAROM_OK);
    printf("    %d parts\n", parts + 1);
    CHECK_LE(1, parts);
    check_same_record(whole, record);
    carom_model_destroy(model);
  }
}

// --- interrupts within a step ----------------------------------------------------------------------------------------

// A closed loop whose crank rubs under its load, a ball that slides and one that it may strike: iterative solvers that
// begin at the last step's percussions, and friction that is solved for again and again within a step.
static const char busy[] =
    "space: spatial\n"
    "parameters: {px: 0.1, py: 0.17, b: 0.6, c: 0.4}\n"
    "bodies:\n"
    "  crank:   {mass: 1, inertia: [4e-3, 4e-3, 4e-3], com: [px/2, py/2, 0]}\n"
    "  coupler: {mass: 1, inertia: [0.02, 0.03, 0.02], com: [(b - px)/2, -py/2, c/2]}\n"
    "  rocker:  {mass: 1, inertia: [0.02, 0.02, 1e-3], com: [0, 0, c/2]}\n"
    "  ball:    {mass: 1, inertia: [4e-4, 4e-4, 4e-4]}\n"
    "  other:   {mass: 1, inertia: [4e-4, 4e-4, 4e-4]}\n"
    "joints:\n"
    "  crank:  {revolute: [ground, crank], axis: z, friction: 0.2, radius: 0.02, length: 0.1}\n"
    "  rocker: {revolute: [ground, rocker], at: [b, 0, 0], axis: y}\n"
    "  ball:   {spherical: [crank, coupler], at: [px, py, 0]}\n"
    "  cardan: {universal: [coupler, rocker], at: [b - px, -py, c], to: [0, 0, c]}\n"
    "  fall:   {free: [ground, ball], at: [0, 0, -1]}\n"
    "  wait:   {free: [ground, other], at: [0.1, 0.001, -1]}\n"
    "surfaces:\n"
    "  ball:  {sphere: ball, radius: 0.02, material: hard}\n"
    "  other: {sphere: other, radius: 0.02, material: hard}\n"
    "  floor: {plane: ground, at: [0, 0, -1.02], material: hard}\n"
    "materials: {hard: {restitution: 0.5, friction: 0.3}}\n"
    "initial: {crank: {u: 5}, fall: {u: [0, 1, 0, 1, 0, 0]}}\n"
    "method: {moreau: {step: 1e-3}}\n";

static double *checkpoint_of(carom_sim *sim) {
  double *row = ARENA_ARRAY(&memory, double, sim_checkpoint_size(sim));
  CHECK(sim_evaluate(sim, NULL));
  sim_checkpoint(sim, row);
  return row;
}

static int differing(const double *a, const double *b, carom_sim *sim) {
  const char **names = checkpoint_names(sim, &memory);
  int differ = 0;
  for (int i = 0; i < sim_checkpoint_size(sim); i++) {
    if (is_count(names[i]) || memcmp(&a[i], &b[i], sizeof *a) == 0) continue;
    if (differ++ == 0) printf("      %s: %.17g, %.17g\n", names[i], a[i], b[i]);
  }
  return differ;
}

// A step is interrupted in its solvers. The sim shows the step before it, all of it, and it goes on as if nothing had
// happened; so does one that is resumed from there. Returns whether there was something to interrupt.
static bool interrupt_step(const run *whole, double t, int asks, const double *row, const double *after) {
  const carom_model *model = whole->model;
  carom_error error = {0};
  carom_sim *cut = carom_sim_create(model, &error), *resumed = carom_sim_create(model, &error);
  countdown c = {cut, asks};
  bool interrupted = false;
  if (CHECK(cut && resumed) && CHECK(carom_sim_advance(cut, t, &error) == CAROM_OK)) {
    carom_sim_set_interrupt(cut, count_down, &c);
    interrupted = carom_sim_step(cut, t + 1e-3, &error) == CAROM_INTERRUPTED;
    carom_sim_set_interrupt(cut, NULL, NULL);
  }
  if (interrupted) {
    CHECK(memcmp(sim_read_all(cut), row, (size_t)sim_signal_count(model) * sizeof *row) == 0);
    double *left = checkpoint_of(cut);
    CHECK(sim_resume(resumed, left, &error) == CAROM_OK);
    CHECK(memcmp(sim_read_all(resumed), row, (size_t)sim_signal_count(model) * sizeof *row) == 0);
    CHECK(carom_sim_advance(resumed, t + 0.05, &error) == CAROM_OK &&
          carom_sim_advance(cut, t + 0.05, &error) == CAROM_OK);
    CHECK_EQUAL(differing(checkpoint_of(cut), after, cut), 0);
    CHECK_EQUAL(differing(checkpoint_of(resumed), after, resumed), 0);
    CHECK_EQUAL(carom_sim_summary(resumed).restarts, 0);
  }
  carom_sim_destroy(cut), carom_sim_destroy(resumed);
  return interrupted;
}

static void a_step_that_is_given_up_leaves_no_trace(void) {
  static const double times[] = {0.002, 0.055, 0.06, 0.2};
  int interrupts = 0;
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    run r;
    if (!run_open_text(&r, busy, NULL)) return;
    if (!run_to(&r, times[i])) return;
    double *row = ARENA_ARRAY(&memory, double, sim_signal_count(r.model));
    memcpy(row, sim_read_all(r.sim), (size_t)sim_signal_count(r.model) * sizeof *row);
    run_to(&r, times[i] + 0.05);
    double *after = checkpoint_of(r.sim);
    for (int asks = 2; asks < 200 && interrupt_step(&r, times[i], asks, row, after);
         asks = asks < 10 ? asks + 1 : 2 * asks)
      interrupts++;
    run_close(&r);
  }
  printf("    %d interrupts\n", interrupts);
  CHECK_LE(12, interrupts);
}

// What is shown of a step depends also on the length of the one before it: in the first step, and in one that is cut
// short.
static void steps_of_another_length_are_shown_again(void) {
  static const double times[] = {1e-5, 2e-5, 2.1e-5, 3e-5};
  run whole, resumed;
  if (!run_open(&whole, "slider-crank", "coordinates=absolute")) return;
  const size_t size = (size_t)sim_signal_count(whole.model) * sizeof(double);
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    if (!run_to(&whole, times[i]) || !run_open(&resumed, "slider-crank", "coordinates=absolute")) break;
    CHECK(sim_resume(resumed.sim, checkpoint_of(whole.sim), &resumed.error) == CAROM_OK);
    CHECK(memcmp(sim_read_all(resumed.sim), sim_read_all(whole.sim), size) == 0);
    CHECK_NEAR(run_read(&resumed, "slider.fx"), -392.4, 0.1);  // m omega^2 l1 and more, as method event finds it
    run_close(&resumed);
  }
  run_close(&whole);
}

static void nothing_is_left_beside(void) {
  char line[8192];
  snprintf(line, sizeof line, "ls '%s' | grep -q 'part$'", check_scratch_dir());
  CHECK(system(line) != 0);
}

// --- what cannot be --------------------------------------------------------------------------------------------------

static void a_failing_start_leaves_the_record(void) {
  char record[4400];
  snprintf(record, sizeof record, "%s", scratch("kept.h5"));
  carom_model *model = compile(swinging, "1e-2", 1), *other = compile(swinging, "1e-2", 2);
  if (!model || !other) return;
  CHECK(run_part(model, NULL, record, NULL, 0) == CAROM_OK);
  size_t size, after;
  char *before = read_file(record, &size);
  CHECK(run_part(other, record, record, NULL, 0) == CAROM_ERROR_USAGE);  // another model
  CHECK(run_part(model, record, record, NULL, 0) == CAROM_ERROR_USAGE);  // the end is reached
  char *now = read_file(record, &after);
  CHECK(now && before && size == after && memcmp(now, before, size) == 0);
  free(before), free(now);
  carom_model_destroy(model), carom_model_destroy(other);
}

// --- the tool: killed, and by its own hint ---------------------------------------------------------------------------

// Starts a run that goes on for long, and ends it by a signal once its record has so many rows of a table.
static int cut(const char *run, const char *signal, const char *table, int rows) {
  return shell(
      "rm -f cut.h5; '%s' run %s -o cut.h5 > said 2>/dev/null & pid=$!; "
      "until '%s' export cut.h5 --table %s 2>/dev/null | sed -n %dp | grep -q .; do sleep 0.02; done; kill -%s $pid; "
      "wait $pid",
      TOOL, run, TOOL, table, rows + 1, signal);
}

static double last_checkpoint(const char *path) {
  carom_error error = {0};
  record_reader *in = record_open(path, &error);
  if (!CHECK(in)) return 0;
  int table = record_find_table(in, "checkpoint");
  double *row = ARENA_ARRAY(&memory, double, record_get_table(in, table).column_count);
  CHECK(record_read(in, table, record_rows(in, table) - 1, 1, row, &error) == CAROM_OK);
  record_close(in);
  return row[0];
}

static void a_killed_run_is_continued(void) {
  char text[2048];
  snprintf(text, sizeof text, ball, "1e-3", 1e6);
  if (!write_text(scratch("ball.yaml"), text)) return;
  cut("ball.yaml", "KILL", "checkpoint", 3);
  double end = last_checkpoint(scratch("cut.h5")) + 1;
  shell("timeout -s KILL 0.3 '%s' run ball.yaml -q --resume cut.h5 -o cut.h5 2>/dev/null",
        TOOL);  // leaves cut.h5 as it was
  CHECK_EQUAL(shell("rm -f *.part; '%s' run ball.yaml -q --resume cut.h5 -o cut.h5 --end %.17g", TOOL, end), 0);
  CHECK_EQUAL(shell("'%s' run ball.yaml -q -o whole.h5 --end %.17g", TOOL, end), 0);
  check_same_record(scratch("whole.h5"), scratch("cut.h5"));
}

// As a kill leaves a record: with rows of the ledger that are later than its last checkpoint.
static long drop_checkpoints(const char *path, long kept) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, "checkpoint", H5P_DEFAULT),
        space = H5Dget_space(dataset);
  hsize_t extent[2] = {0};
  H5Sget_simple_extent_dims(space, extent, NULL);
  long before = (long)extent[0];
  extent[0] = (hsize_t)kept;
  if (kept < before) CHECK(H5Dset_extent(dataset, extent) >= 0);
  H5Sclose(space), H5Dclose(dataset), H5Fclose(file);
  return before;
}

static void check_same_table(const char *one, const char *other, const char *name) {
  carom_error error = {0};
  record_reader *a = record_open(one, &error), *b = record_open(other, &error);
  if (CHECK(a && b)) {
    record_table t = record_get_table(a, record_find_table(a, name));
    long rows, others;
    double *x = read_table(a, record_find_table(a, name), &rows),
           *y = read_table(b, record_find_table(b, name), &others);
    if (!CHECK_EQUAL(others, rows) || !CHECK(same_rows(&t, rows, x, y))) printf("      table %s\n", name);
  }
  record_close(a);
  record_close(b);
}

// From each checkpoint, before and after the pairs are near, touch and part.
static void rows_after_a_checkpoint_are_not_kept(void) {
  char record[4400], whole[4400];
  snprintf(record, sizeof record, "%s", scratch("later.h5")), snprintf(whole, sizeof whole, "%s", scratch("whole.h5"));
  unlink(whole);
  carom_model *model = compile(crowd, "1e-2", 0.4);
  if (!model) return;
  CHECK(run_part(model, NULL, whole, NULL, 0) == CAROM_OK);
  check_has_ledger(whole);
  long count = 3;
  for (long kept = 1; kept < count - 1; kept++) {
    CHECK_EQUAL(shell("cp whole.h5 later.h5"), 0);
    count = drop_checkpoints(record, kept);
    CHECK(run_part(model, record, record, NULL, 0) == CAROM_OK);
    check_same_table(whole, record, "impacts");
    check_same_table(whole, record, "episodes");
    check_same_table(whole, record, "regimes");
  }
  CHECK_LE(30, count);
  carom_model_destroy(model);
}

// What is printed can be given to the shell as it is, with every setting, and goes on in the same file.
static void the_hint_goes_on(void) {
  char text[2048];
  snprintf(text, sizeof text, swinging, "1", 1.0);
  if (!write_text(scratch("my swing.yaml"), text)) return;
  static const char given[] =
      "'my swing.yaml' --end '300 s' --set record.every=1e-2 --set 'forces.brake.damping=0.02 + 0*1'";
  CHECK_EQUAL(cut(given, "INT", "time", 2), 130);
  CHECK_EQUAL(
      shell("grep -q 'to resume' said && PATH='%s':$PATH sh -c \"$(sed -n 's/^ *to resume *//p' said)\" > after",
            CHECK_BUILD_DIR),
      0);
  CHECK_EQUAL(shell("'%s' run %s -q -o whole.h5", TOOL, given), 0);
  check_same_record(scratch("whole.h5"), scratch("cut.h5"));
  char *after = read_file(scratch("after"), NULL);
  CHECK_CONTAINS(after, "t = 300 s, the end");
  free(after);
}

// A continued record takes the place of the file: what it would not go on with is not left out in silence.
static void no_table_is_left_behind(void) {
  static const char text[] =
      "bodies: {b: {density: 1000, shape: {box: [0.1, 0.1, 0.1], material: m}}}\njoints: {b: {free: [ground, b], at: "
      "[0, 0, 0.05]}}\n"
      "surfaces: {f: {plane: ground, material: m}}\nmaterials: {m: {friction: 0.3}}\nmethod: {moreau: {step: 1 ms}}\n"
      "record: {touches: true, regimes: true}\nend: 0.3\n";
  if (!write_text(scratch("block.yaml"), text)) return;
  CHECK_EQUAL(shell("'%s' run block.yaml -q --end 0.2 -o block.h5", TOOL), 0);
  CHECK_EQUAL(shell("'%s' run block.yaml -q --set record.touches=false --resume block.h5 -o block.h5 2> said", TOOL),
              2);
  CHECK_EQUAL(shell("grep -q \"'touch_times' would be lost\" said"), 0);
  CHECK_EQUAL(shell("'%s' run block.yaml -q --set record.regimes=false --resume block.h5 -o block.h5 2> said", TOOL),
              2);
  CHECK_EQUAL(shell("'%s' run block.yaml -q --resume block.h5 -o block.h5", TOOL), 0);
}

int main(void) {
  RUN(no_table_is_left_behind);
  RUN(rows_go_on_bit_by_bit);
  RUN(interrupted_again_and_again);
  RUN(a_step_that_is_given_up_leaves_no_trace);
  RUN(steps_of_another_length_are_shown_again);
  RUN(a_failing_start_leaves_the_record);
  RUN(a_killed_run_is_continued);
  RUN(rows_after_a_checkpoint_are_not_kept);
  RUN(the_hint_goes_on);
  RUN(nothing_is_left_beside);
  return check_summary();
}
