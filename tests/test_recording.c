// Records of a sim that a program steps itself.
#include "runs.h"

static char *exported(const char *record, const char *table) {
  carom_error error = {0};
  carom_export_options options = {.table = table, .force = true};
  if (!CHECK(carom_export_csv(record, scratch("table.csv"), &options, &error) == CAROM_OK))
    printf("      %s\n", error.text);
  return read_file(scratch("table.csv"), NULL);
}

static void check_same_text(char *a, char *b, const char *what) {
  if (!CHECK(a && b && strcmp(a, b) == 0)) printf("      %s\n", what);
  free(a), free(b);
}

static const struct {
  const char *model, *settings, *tables[4];
} subjects[] = {
    {"bouncing-ball", "end=1", {"joints", "energy", "impacts", "episodes"}},
    {"bouncing-ball",
     "end=1 method=event record.every=0.01 record.regimes=true",
     {"joints", "contacts", "impacts", "regimes"}},
    {"servo", "end=1 method.moreau.step=1e-3 record.every=0.0033", {"joints", "outputs", "forces", "energy"}},
    {"servo", "end=1 integrator.type=erk record.checkpoint=0.25", {"joints", "outputs", "checkpoint", "energy"}},
    {"double-pendulum-space", "case=3 end=1 record.every=0.05", {"bodies", "reactions", "impacts", "regimes"}},
    {"newtons-cradle", "end=0.05 record.touches=true", {"touches", "contacts", "impacts", "episodes"}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static bool step_all(run *r, double end, bool single) {
  if (!single) return run_to(r, end);
  carom_status status = CAROM_OK;
  while (status == CAROM_OK && carom_sim_time(r->sim) < end) status = carom_sim_step(r->sim, end, &r->error);
  return CHECK(status == CAROM_OK);
}

// What was written up to a checkpoint is in the file, whatever becomes of the program after it.
static void csv_files_hold_whole_rows_at_checkpoints(void) {
  run r;
  if (!run_open(&r, "bouncing-ball", "end=1 record.every=0.01 record.checkpoint=0.1")) return;
  carom_record_options to = {.csv = scratch("kept.csv")};
  if (CHECK(carom_sim_record(r.sim, &to, &r.error) == CAROM_OK) && run_to(&r, 0.5)) {
    size_t size;
    char *text = read_file(scratch("kept.csv"), &size);
    int lines = 0;
    for (size_t i = 0; text && i < size; i++) lines += text[i] == '\n';
    CHECK_LE(41, lines);  // the header, and rows to 0.4 s at least
    CHECK(text && size > 0 && text[size - 1] == '\n');
    free(text);
  }
  run_close(&r);
}

// Every table, by steps and by one advance, is that of carom_run; and nothing moves otherwise than without a record.
static void steps_are_recorded_as_a_run_is(void) {
  for (int k = 0; k < SUBJECTS; k++) {
    run r, plain;
    char whole[4400], steps[4400];
    snprintf(whole, sizeof whole, "%s", scratch("whole.h5")), snprintf(steps, sizeof steps, "%s", scratch("steps.h5"));
    if (!run_open(&r, subjects[k].model, subjects[k].settings) ||
        !run_open(&plain, subjects[k].model, subjects[k].settings))
      return;
    double end = carom_model_get_info(r.model).end;
    carom_run_options all = {.record = whole, .csv = scratch("whole.csv"), .csv_units = true};
    carom_record_options to = {.record = steps, .csv = scratch("steps.csv"), .csv_units = true};
    carom_summary of_run, of_sim;
    CHECK(carom_run(r.model, &all, &of_run, &r.error) == CAROM_OK);
    if (CHECK(carom_sim_record(r.sim, &to, &r.error) == CAROM_OK) && step_all(&r, end, k % 2) &&
        CHECK(carom_sim_end_record(r.sim, &of_sim, &r.error) == CAROM_OK) && run_to(&plain, end)) {
      check_same_text(read_file(scratch("whole.csv"), NULL), read_file(scratch("steps.csv"), NULL), subjects[k].model);
      for (int i = 0; i < 4; i++)
        check_same_text(exported(whole, subjects[k].tables[i]), exported(steps, subjects[k].tables[i]),
                        subjects[k].tables[i]);
      CHECK(of_sim.steps == of_run.steps && of_sim.status == CAROM_OK &&
            of_sim.energy_imbalance == of_run.energy_imbalance);
      CHECK_EQUAL(of_sim.contact_impacts, of_run.contact_impacts);
      for (int i = 0; i < 3; i++) CHECK(carom_sim_read(r.sim, i) == carom_sim_read(plain.sim, i));
    } else {
      printf("      %s: %s\n", subjects[k].model, r.error.text);
    }
    run_close(&r), run_close(&plain);
  }
}

// From the middle on, with joints set in between; the sim goes on behind the record, and into another one.
static void a_record_begins_and_ends_anywhere(void) {
  run r;
  carom_record_options to = {.csv = scratch("part.csv")}, second = {.csv = scratch("second.csv")};
  if (!run_open(&r, "pendulum", "method.moreau.step=0.01 record.every=0.1 end=1")) return;
  if (run_to(&r, 0.45) && CHECK(carom_sim_record(r.sim, &to, &r.error) == CAROM_OK) && run_to(&r, 0.65)) {
    double still = 0;
    CHECK(carom_sim_set_joint(r.sim, carom_model_joint_name(r.model, 0), NULL, &still, &r.error) == CAROM_OK);
    CHECK(run_to(&r, 0.75) && carom_sim_end_record(r.sim, NULL, &r.error) == CAROM_OK);
    CHECK(run_to(&r, 1.25) && carom_sim_record(r.sim, &second, &r.error) == CAROM_OK &&
          run_to(&r, 1.35));  // beyond the end of the model
  }
  run_close(&r);  // ends the second one
  char *first = read_file(to.csv, NULL), *last = read_file(second.csv, NULL);
  int lines[2] = {0};
  for (const char *c = first; c && *c; c++) lines[0] += *c == '\n';
  for (const char *c = last; c && *c; c++) lines[1] += *c == '\n';
  CHECK_EQUAL(lines[0], 1 + 5);  // at 0.45, 0.5, 0.6, 0.7, 0.75
  CHECK_EQUAL(lines[1], 1 + 3);  // at 1.25, 1.3, 1.35
  free(first), free(last);
}

// The file of a stepped sim is that of a run: a run can go on from it, and a report can show it.
static void runs_go_on_and_reports_are_made(void) {
  run r;
  char part[4400], page[4400];
  size_t size;
  snprintf(part, sizeof part, "%s", scratch("half.h5")), snprintf(page, sizeof page, "%s", scratch("half.html"));
  carom_record_options to = {.record = part};
  if (!run_open(&r, "bouncing-ball", "end=2 record.every=0.1")) return;
  carom_run_options whole = {.csv = scratch("one.csv")},
                    rest = {.record = part, .resume = part, .csv = scratch("rest.csv")};
  CHECK(carom_sim_record(r.sim, &to, &r.error) == CAROM_OK && run_to(&r, 1.2) &&
        carom_sim_end_record(r.sim, NULL, &r.error) == CAROM_OK);
  CHECK(carom_run(r.model, &whole, NULL, &r.error) == CAROM_OK &&
        carom_run(r.model, &rest, NULL, &r.error) == CAROM_OK);
  check_same_text(read_file(scratch("one.csv"), NULL), read_file(scratch("rest.csv"), NULL), "resumed");
  if (!CHECK(carom_report((const char *[]){part}, 1, NULL, page, &r.error) == CAROM_OK))
    printf("      %s\n", r.error.text);
  char *text = read_file(page, &size);
  CHECK(size > 500000);  // the page of viewer/
  CHECK_CONTAINS(text, "carom-run");
  free(text);
  run_close(&r);
}

static void what_cannot_be_recorded_is_refused(void) {
  run r;
  carom_record_options none = {0}, to = {.csv = scratch("a.csv")}, own = {.record = scratch("model.yaml")};
  if (!run_open_text(&r,
                     "space: planar\nbodies: {b: {mass: 1}}\njoints: {s: {prismatic: [ground, b], axis: x}}\nmethod: "
                     "{moreau: {step: 1e-3}}\n",
                     NULL))
    return;
  CHECK(carom_sim_end_record(r.sim, NULL, &r.error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(r.error.text, "is not recorded");
  CHECK(carom_sim_record(r.sim, &none, &r.error) == CAROM_ERROR_USAGE);
  CHECK(carom_sim_record(r.sim, &own, NULL) == CAROM_ERROR_USAGE);  // the model file itself
  carom_snapshot *s = carom_sim_save(r.sim, &r.error);
  CHECK(carom_sim_record(r.sim, &to, &r.error) == CAROM_OK);
  CHECK(carom_sim_record(r.sim, &to, &r.error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(r.error.text, "recorded already");
  CHECK(carom_sim_restore(r.sim, s, &r.error) == CAROM_ERROR_USAGE &&
        carom_sim_reset(r.sim, &r.error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(r.error.text, "its time cannot go back");
  CHECK(run_to(&r, 0.01) && carom_sim_end_record(r.sim, NULL, &r.error) == CAROM_OK &&
        carom_sim_restore(r.sim, s, &r.error) == CAROM_OK);
  CHECK(carom_sim_time(r.sim) == 0);
  carom_snapshot_destroy(s);
  run_close(&r);
}

// A full disk ends the record, not the program.
static void a_full_disk_is_told(void) {
  run r;
  carom_record_options to = {.csv = "/dev/full"};
  if (!run_open(&r, "pendulum", "method.moreau.step=1e-5 end=1")) return;
  if (CHECK(carom_sim_record(r.sim, &to, &r.error) == CAROM_OK)) {
    CHECK(carom_sim_advance(r.sim, 1, &r.error) == CAROM_ERROR_FILE);
    double t = carom_sim_time(r.sim);
    CHECK(carom_sim_step(r.sim, 1, &r.error) == CAROM_ERROR_FILE && carom_sim_time(r.sim) > t);
    CHECK_CONTAINS(r.error.text, "/dev/full");
    CHECK(carom_sim_end_record(r.sim, NULL, &r.error) == CAROM_ERROR_FILE);
    CHECK(carom_sim_step(r.sim, 1, &r.error) == CAROM_OK);
  }
  run_close(&r);
}

static bool fails_later(void *context, double t, const double *inputs, double *outputs) {
  (void)context, (void)inputs;
  outputs[0] = 1;
  return t < 0.3;
}

// The record of a sim whose step failed is complete and says why.
static void a_failed_step_is_recorded(void) {
  run r;
  char file[4400];
  snprintf(file, sizeof file, "%s", scratch("failed.h5"));
  carom_callback c = {.call = fails_later}, other = {.call = fails_later, .memory_count = 2};
  carom_record_options to = {.record = file};
  carom_summary summary;
  if (!run_open_text(&r,
                     "space: planar\nbodies: {b: {mass: 1}}\njoints: {s: {prismatic: [ground, b], axis: x}}\nmethod: "
                     "{moreau: {step: 1e-3}}\n"
                     "callbacks: {push: {outputs: [f], every: 10 ms}}\nforces: {f: {along: s, effort: push.f}}\n",
                     NULL))
    return;
  CHECK(carom_sim_record(r.sim, &to, &r.error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(r.error.text, "'push' is not bound");
  CHECK(carom_sim_bind(r.sim, "push", &c, &r.error) == CAROM_OK && carom_sim_record(r.sim, &to, &r.error) == CAROM_OK);
  CHECK(carom_sim_bind(r.sim, "push", &other, &r.error) == CAROM_ERROR_USAGE);
  CHECK(carom_sim_advance(r.sim, 1, &r.error) == CAROM_ERROR_INTEGRATOR);
  CHECK(carom_sim_end_record(r.sim, &summary, &r.error) == CAROM_OK && summary.status == CAROM_ERROR_INTEGRATOR);
  CHECK_NEAR(summary.t, 0.3, 1e-12);
  char *rows = exported(file, "joints");
  CHECK_CONTAINS(rows, "\n0.3,");
  free(rows);
  run_close(&r);
}

// --- the guide -------------------------------------------------------------------------------------------------------

// Every line of the chapter's blocks of a language is one of these files.
static void the_guide_shows_the_example(void) {
  static const struct {
    const char *fence, *files[2];
  } blocks[] = {{"```c\n", {"/examples/controller.c", "/examples/controller.c"}},
                {"```yaml\n", {"/examples/arm.yaml", "/models/servo.yaml"}}};
  char *guide = read_file(CHECK_SOURCE_DIR "/docs/guide.md", NULL);
  char *chapter = guide ? strstr(guide, "\n## 12 A controller for a robot") : NULL,
       *end = chapter ? strstr(chapter + 1, "\n## ") : NULL;
  if (!CHECK(end)) return;
  *end = 0;
  for (int k = 0; k < 2; k++) {
    char path[4400], *texts[2];
    int lines = 0;
    for (int i = 0; i < 2; i++) {
      snprintf(path, sizeof path, "%s%s", CHECK_SOURCE_DIR, blocks[k].files[i]);
      if (!CHECK((texts[i] = read_file(path, NULL)))) return;
    }
    for (char *at = chapter; (at = strstr(at, blocks[k].fence));) {
      at += strlen(blocks[k].fence);
      for (; strncmp(at, "```", 3) != 0; at += strcspn(at, "\n") + 1, lines++) {
        char line[512];
        snprintf(line, sizeof line, "%.*s\n", (int)strcspn(at, "\n"), at);
        if (!CHECK(strstr(texts[0], line) || strstr(texts[1], line))) printf("      %s: %s", blocks[k].files[0], line);
      }
    }
    CHECK_LE(15, lines);
    free(texts[0]), free(texts[1]);
  }
  free(guide);
}

int main(void) {
  RUN(steps_are_recorded_as_a_run_is);
  RUN(csv_files_hold_whole_rows_at_checkpoints);
  RUN(a_record_begins_and_ends_anywhere);
  RUN(runs_go_on_and_reports_are_made);
  RUN(what_cannot_be_recorded_is_refused);
  RUN(a_full_disk_is_told);
  RUN(a_failed_step_is_recorded);
  RUN(the_guide_shows_the_example);
  return check_summary();
}
