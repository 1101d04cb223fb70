// The same bits: on every run, on any number of threads, and after a resume where the method allows it.
#include "runs.h"

#include "record/record.h"
#include "scheme/moreau.h"
#include "sim.h"

typedef struct subject {
  const char *model, *settings;
  double end;     // [s]
  bool one_step;  // resumes bit by bit
} subject;

#define GGL "integrator.type=ida method.smooth.constraints=ggl"
static const subject subjects[] = {
    {"chain", "n=8 integrator.type=adams", 0.5, false},
    {"chain", "n=8 integrator.type=bdf", 0.2, false},
    {"chain", "n=8 integrator.type=erk", 0.5, true},
    {"chain", "n=8 integrator.type=rk4 integrator.step=1e-3", 0.5, true},
    {"chain", "n=8 coordinates=absolute", 0.2, false},
    {"bricard", "integrator.type=adams", 1, false},
    {"bricard", "integrator.type=bdf", 0.5, false},
    {"bricard", "integrator.type=erk", 1, true},
    {"bricard", "integrator.type=rk4 integrator.step=2e-3", 1, true},
    {"bricard", "coordinates=absolute integrator.type=erk", 0.5, true},
    {"bricard", "coordinates=absolute integrator.type=rk4 integrator.step=2e-3", 0.5, true},
    {"bricard", "coordinates=absolute integrator.type=adams method.smooth.constraints=baumgarte", 0.5, false},
    {"pendulum-revolute", "coordinates=absolute integrator.rtol=1e-6 integrator.atol=1e-6 " GGL, 0.5, false},
    {"top", "integrator.type=erk", 0.1, true},
    {"top", "integrator.type=rk4 integrator.step=1e-4", 0.1, true},
    {"universal-shaft", "integrator.type=rk4 integrator.step=1e-3", 0.5, true},
    {"universal-shaft", "coordinates=absolute integrator.type=erk", 0.2, true},
    {"puck", "integrator.type=erk", 0.5, true},
    {"puck", "integrator.type=adams", 0.5, false},
    {"slider-crank", "omega3=-75 dt=1e-4", 0.05, true},
    {"discs-in-slot", "n=5", 0.1, true},
    {"four-bar-clearance", "dt=1e-4", 0.05, true},
    {"dry-slide", "", 1, true},
    {"dry-slide", "force=0 mu=0.1", 1, true},  // the load of the last step is where the next one begins
    {"rolling-sphere", "", 0.1, true},         // its solver begins from the last percussions
    {"painleve-rod", "", 0.2, true},           // in trouble before and after
    {"bouncing-ball", "h=10 dt=0.05", 4, true},
    {"bouncing-ball", "method=compliant integrator.type=erk", 2, true},
    {"bouncing-ball", "method=compliant integrator.type=rk4 integrator.step=1e-4 method.compliant.entry=none", 2, true},
    {"slider-crank", "method=compliant integrator.type=erk", 0.01, true},
    {"slider-crank", "method=compliant integrator.type=adams", 0.01, false},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

// All signals in one array of their own.
static double *read_signals(carom_sim *sim) {
  size_t size = (size_t)sim_signal_count(sim->model) * sizeof(double);
  double *copy = malloc(size);
  return copy ? memcpy(copy, sim_read_all(sim), size) : NULL;
}

static bool same_bits(const char *what, const carom_model *model, const double *a, const double *b) {
  for (int i = 0; a && b && i < sim_signal_count(model); i++)
    if (memcmp(a + i, b + i, sizeof *a) != 0) {
      printf("    %s: %s is %.17g and %.17g\n", what, carom_model_signal_name(model, i), a[i], b[i]);
      return false;
    }
  return a && b;
}

// --- run by run ------------------------------------------------------------------------------------------------------

static void two_runs_give_the_same_bits(void) {
  for (int i = 0; i < SUBJECTS; i++) {
    const subject *s = &subjects[i];
    double *first = NULL;
    long steps = 0;
    for (int turn = 0; turn < 2; turn++) {
      // memory that was used before: what is read before it is written would differ
      void *dirt[64];
      for (int k = 0; k < 64; k++) {
        dirt[k] = malloc((size_t)1 << (k % 16 + 4));
        if (dirt[k]) memset(dirt[k], turn ? 0x7f : 0xa5, (size_t)1 << (k % 16 + 4));
      }
      for (int k = 0; k < 64; k++) free(dirt[k]);
      run e;
      if (!run_open(&e, s->model, s->settings)) break;
      run_to(&e, s->end);
      double *now = read_signals(e.sim);
      carom_summary summary = carom_sim_summary(e.sim);
      if (turn == 0) steps = summary.steps;
      else CHECK(same_bits(s->settings, e.model, first, now)), CHECK_EQUAL(summary.steps, steps);
      free(first);
      first = turn == 0 ? now : NULL;
      if (turn) free(now);
      run_close(&e);
    }
    free(first);
  }
}

// --- threads ---------------------------------------------------------------------------------------------------------

enum { BATCH = 24 };

typedef struct gathered {
  double *signals[BATCH];
  int signal_count;
} gathered;

static void vary(void *context, int index, carom_sim *sim) {
  (void)context;
  double q = 0.02 * index, u = 0.1 * index;
  carom_error error = {0};
  CHECK(carom_sim_set_joint(sim, "hinge1", &q, &u, &error) == CAROM_OK);
}

static void gather(void *context, int index, carom_sim *sim) {
  gathered *g = context;
  g->signals[index] = read_signals(sim);
}

static void threads_give_the_same_bits(void) {
  static const char *const settings[] = {"n=8", "n=8 integrator.type=bdf", "n=8 integrator.type=erk",
                                         "n=8 integrator.type=rk4 integrator.step=1e-3", "n=8 coordinates=absolute"};
  static const int threads[] = {1, 2, 4};
  for (int i = 0; i < 5; i++) {
    carom_model *model = example_load("chain", settings[i]);
    if (!model) continue;
    gathered all[3] = {0};
    for (int k = 0; k < 3; k++) {
      carom_error error = {0};
      carom_batch batch = {
          .count = BATCH, .threads = threads[k], .t_end = 0.05, .context = &all[k], .before = vary, .after = gather};
      CHECK(carom_batch_run(model, &batch, NULL, &error) == CAROM_OK);
      for (int j = 0; j < BATCH; j++) CHECK(same_bits(settings[i], model, all[0].signals[j], all[k].signals[j]));
    }
    CHECK(memcmp(all[0].signals[0], all[0].signals[1], (size_t)sim_signal_count(model) * sizeof(double)) != 0);
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < BATCH; j++) free(all[k].signals[j]);
    carom_model_destroy(model);
  }
}

// --- checkpoints -----------------------------------------------------------------------------------------------------

// Counts, and episodes that were open.
static void check_same_books(const carom_sim *a, const carom_sim *b) {
  const carom_summary x = carom_sim_summary(a), y = carom_sim_summary(b);
  const impact_ledger *k = &a->impacts, *l = &b->impacts;
  CHECK_EQUAL(y.contact_episodes, x.contact_episodes);
  CHECK_EQUAL(y.solves, x.solves);
  CHECK_EQUAL(y.inconsistent, x.inconsistent);
  CHECK_EQUAL(y.indeterminate, x.indeterminate);
  CHECK_EQUAL(y.step_too_large, x.step_too_large);
  CHECK_EQUAL(y.friction_unsettled, x.friction_unsettled);
  CHECK_EQUAL(y.chatters, x.chatters);
  CHECK_EQUAL(y.unsettled, x.unsettled);
  CHECK_EQUAL(y.energy_gains, x.energy_gains);
  CHECK_NEAR(y.energy_gained, x.energy_gained, 0);
  CHECK_NEAR(y.deepest_penetration, x.deepest_penetration, 0);
  CHECK_NEAR(y.worst_initial_penetration, x.worst_initial_penetration, 0);
  CHECK_NEAR(y.worst_residual, x.worst_residual, 0);
  for (int i = 0; i < 8 && x.stages[i].name; i++) {
    CHECK_TEXT(y.stages[i].name, x.stages[i].name);
    CHECK_EQUAL(y.stages[i].tried, x.stages[i].tried);
    CHECK_EQUAL(y.stages[i].solved, x.stages[i].solved);
  }
  for (int p = 0; p < k->slot_count; p++) {
    CHECK_EQUAL(l->is_open[p], k->is_open[p]);
    if (k->is_open[p]) CHECK(memcmp(&l->open[p], &k->open[p], sizeof k->open[p]) == 0);
  }
}

// A sim that is saved after some steps and one resumed from there go on side by side.
static void a_one_step_method_resumes_bit_by_bit(void) {
  for (int i = 0; i < SUBJECTS; i++) {
    const subject *s = &subjects[i];
    run e;
    if (!run_open(&e, s->model, s->settings)) continue;
    for (int k = 0; k < 37 && carom_sim_time(e.sim) < s->end / 2; k++)
      CHECK(carom_sim_step(e.sim, s->end, &e.error) == CAROM_OK);
    double *row = calloc((size_t)sim_checkpoint_size(e.sim), sizeof *row);
    carom_sim *resumed = carom_sim_create(e.model, &e.error);
    if (CHECK(row && resumed)) {
      sim_checkpoint(e.sim, row);
      CHECK(sim_resume(resumed, row, &e.error) == CAROM_OK);
      CHECK_NEAR(carom_sim_time(resumed), carom_sim_time(e.sim), 0);
      CHECK_EQUAL(carom_sim_summary(resumed).restarts, s->one_step ? 0 : 1);
      if (s->one_step &&
          e.sim->type == &scheme_moreau) {  // what it shows is that of the step before, contact forces too
        double *a = read_signals(e.sim), *b = read_signals(resumed);
        CHECK(same_bits(s->settings, e.model, a, b));
        free(a);
        free(b);
      }
      run_to(&e, s->end);
      CHECK(carom_sim_advance(resumed, s->end, &e.error) == CAROM_OK);
      double *a = read_signals(e.sim), *b = read_signals(resumed);
      if (s->one_step) {
        CHECK(same_bits(s->settings, e.model, a, b));
        CHECK_EQUAL(carom_sim_summary(resumed).steps, carom_sim_summary(e.sim).steps);
        check_same_books(e.sim, resumed);
      } else {  // near, and by another path
        int q = carom_model_signal(e.model, "energy.kinetic");
        CHECK_NEAR(a[q], b[q], 1e-3 * (1 + fabs(a[q])));
      }
      free(a);
      free(b);
    }
    carom_sim_destroy(resumed);
    free(row);
    run_close(&e);
  }
}

enum { LEADS = 120, FOLLOWS = 3 };

// Wherever it is saved, before, at and after the instants at which a contact begins and ends: what the force laws
// remember, and that the integrator is to begin anew there, is part of the checkpoint.
static void resume_at_every_step(const char *model, const char *settings) {
  run r;
  double *row[LEADS] = {0}, *seen[LEADS] = {0};
  if (!run_open(&r, model, settings)) return;
  for (int k = 0; k < LEADS; k++) {
    if (!CHECK(carom_sim_step(r.sim, 10, &r.error) == CAROM_OK)) break;
    row[k] = calloc((size_t)sim_checkpoint_size(r.sim), sizeof **row);
    sim_checkpoint(r.sim, row[k]);
    seen[k] = read_signals(r.sim);
  }
  CHECK_LE(1, carom_sim_summary(r.sim).contact_episodes);
  for (int k = 0; k + FOLLOWS < LEADS && seen[k + FOLLOWS]; k++) {
    carom_sim *resumed = carom_sim_create(r.model, &r.error);
    bool same = CHECK(resumed && sim_resume(resumed, row[k], &r.error) == CAROM_OK);
    for (int i = 1; i <= FOLLOWS && same; i++) {
      CHECK(carom_sim_step(resumed, 10, &r.error) == CAROM_OK);
      double *is = read_signals(resumed);
      same = CHECK(same_bits(settings, r.model, seen[k + i], is));
      free(is);
    }
    carom_sim_destroy(resumed);
  }
  for (int k = 0; k < LEADS; k++) free(row[k]), free(seen[k]);
  run_close(&r);
}

static void force_laws_resume_bit_by_bit(void) {
  resume_at_every_step("bouncing-ball", "method=compliant integrator.type=erk");
  resume_at_every_step("bouncing-ball", "method=compliant integrator.type=erk method.compliant.entry=restart");
  resume_at_every_step("slider-crank", "method=compliant integrator.type=erk omega3=-75");
  resume_at_every_step("sliding-block", "method=compliant integrator.type=erk materials.wood.friction_law=lugre");
}

// --- runs ------------------------------------------------------------------------------------------------------------

static bool stop_now(void *context, const carom_progress *progress) {
  (void)context;
  return progress->t < 0;
}

// The last row of every table of a record but `time` and `checkpoint`, whose restart counter may differ, one after the
// other.
static int last_rows(const char *path, double *out, int most) {
  carom_error error = {0};
  record_reader *in = record_open(path, &error);
  if (!CHECK(in)) return 0;
  int used = 0;
  for (int i = 0; i < record_table_count(in); i++) {
    record_table table = record_get_table(in, i);
    if (used + table.column_count > most || strcmp(table.name, "checkpoint") == 0) continue;
    CHECK(record_read(in, i, record_rows(in, i) - 1, 1, out + used, &error) == CAROM_OK);
    used += table.column_count;
  }
  record_close(in);
  return used;
}

static void check_resumed_run(const char *name, const char *settings, double end, bool exact) {
  carom_model *model = example_load(name, settings);
  if (!model) return;
  const char *whole = scratch("whole.h5"), *half = scratch("half.h5"), *rest = scratch("rest.h5");
  carom_error error = {0};
  carom_summary one = {0}, two = {0}, three = {0};
  carom_run_options options = {.record = whole, .end = end};
  CHECK(carom_run(model, &options, &one, &error) == CAROM_OK);
  options = (carom_run_options){.record = half, .end = end, .progress = stop_now};
  CHECK(carom_run(model, &options, &two, &error) == CAROM_INTERRUPTED);
  options = (carom_run_options){.record = rest, .end = end, .resume = half};
  if (!CHECK(carom_run(model, &options, &three, &error) == CAROM_OK)) printf("%s\n", error.text);
  printf("    %s: interrupted at %g s of %g s, %ld steps in all\n", settings, two.t, end, three.steps);
  CHECK(two.t < end);
  CHECK_EQUAL(three.restarts, exact ? 0 : 1);
  if (exact) {
    enum { MOST = 4096 };
    static double a[MOST], b[MOST];
    int count = last_rows(whole, a, MOST);
    CHECK_LE(100, count);
    CHECK_EQUAL(last_rows(rest, b, MOST), count);
    CHECK(memcmp(a, b, (size_t)count * sizeof *a) == 0);
    CHECK_EQUAL(three.steps, one.steps);
    CHECK_EQUAL(three.contact_episodes, one.contact_episodes);
    CHECK_EQUAL(three.solves, one.solves);
  } else {
    char json[1024];
    carom_summary_json(&three, json, sizeof json);
    CHECK_CONTAINS(json, "\"restart\": 1");
  }
  carom_model_destroy(model);
}

// Long enough for the progress function to be asked, which happens ten times a second.
static void an_interrupted_run_goes_on(void) {
  check_resumed_run("chain", "n=16 integrator.type=rk4 integrator.step=1e-4", 1, true);
  check_resumed_run("chain", "n=16 integrator.type=erk integrator.rtol=1e-11 integrator.atol=1e-11", 1.5, true);
  check_resumed_run("chain", "n=16 integrator.type=adams integrator.rtol=1e-11 integrator.atol=1e-11", 3, false);
  check_resumed_run("discs-in-slot", "n=10", 20, true);  // the last impacts too: they are open across the interruption
}

int main(void) {
  RUN(two_runs_give_the_same_bits);
  RUN(threads_give_the_same_bits);
  RUN(a_one_step_method_resumes_bit_by_bit);
  RUN(force_laws_resume_bit_by_bit);
  RUN(an_interrupted_run_goes_on);
  return check_summary();
}
