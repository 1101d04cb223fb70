// Nothing of ours allocates within a step, nor while rows are recorded.
#include "runs.h"
#include "wrapped_malloc.h"

#define GGL "integrator.type=ida method.smooth.constraints=ggl integrator.rtol=1e-6 integrator.atol=1e-6"

static const struct {
  const char *model, *settings;
} subjects[] = {
    {"chain", "n=20 integrator.type=adams"},
    {"chain", "n=20 integrator.type=bdf"},
    {"chain", "n=20 integrator.type=erk"},
    {"chain", "n=20 integrator.type=rk4 integrator.step=1e-3"},
    {"chain", "n=20 coordinates=absolute integrator.type=adams"},  // sparse
    {"chain", "n=20 coordinates=absolute integrator.type=bdf"},
    {"bricard", "coordinates=joint integrator.type=adams"},
    {"bricard", "coordinates=joint integrator.type=bdf"},
    {"bricard", "coordinates=joint integrator.type=erk"},
    {"bricard", "coordinates=joint integrator.type=rk4 integrator.step=1e-3"},
    {"bricard", "coordinates=absolute integrator.type=adams"},
    {"bricard", "coordinates=absolute integrator.type=rk4 integrator.step=1e-3"},
    {"bricard", "coordinates=absolute method.smooth.constraints=baumgarte"},
    {"pendulum-revolute", "coordinates=absolute " GGL},
    {"universal-shaft", "coordinates=joint"},
    {"universal-shaft", "coordinates=absolute integrator.type=bdf"},
    {"puck", "integrator.type=adams"},
    {"differential", "coordinates=absolute"},
    {"trammel", "integrator.type=erk"},
    // rigid contact: corners, nine discs, friction in space, a driven loop with a loose pin
    {"slider-crank", "omega3=-75 dt=1e-4"},
    {"slider-crank", "omega3=-75 dt=1e-4 coordinates=absolute"},
    {"discs-in-slot", ""},
    {"rolling-sphere", ""},
    {"four-bar-clearance", ""},
    {"slider-crank", "omega3=-75 method=event"},
    {"bouncing-ball", "method=event"},
    {"rolling-sphere", "method=event integrator.type=erk"},
    {"four-bar-clearance", "method=event integrator.type=bdf"},
    // joints that rub, and one with clearance in space
    {"dry-slide", "force=0 mu=0.1"},
    {"dry-slide", "force=0 mu=0.1 coordinates=absolute method=event"},
    {"socket-pendulum", ""},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

// From the very first step on, and with every signal read after each.
static void a_step_allocates_nothing(void) {
  for (int i = 0; i < SUBJECTS; i++) {
    run e;
    if (!run_open(&e, subjects[i].model, subjects[i].settings)) continue;
    const int signals = carom_model_signal_count(e.model);
    const long before = memory_calls.count;
    int steps = 0;
    bool going = true;
    for (; steps < 100 && going; steps++) {
      going = carom_sim_step(e.sim, 1e3, &e.error) == CAROM_OK;
      for (int k = 0; k < signals; k++) carom_sim_read(e.sim, k);
    }
    const long taken = memory_calls.count - before;
    CHECK(going);
    if (!CHECK_EQUAL(taken, 0)) printf("      %s %s\n", subjects[i].model, subjects[i].settings);
    run_close(&e);
  }
}

static void the_counter_counts(void) {
  const long before = memory_calls.count;
  carom_model *model = example_load("bricard", NULL);
  CHECK_LE(before + 1, memory_calls.count);
  carom_model_destroy(model);
}

// Asked every tenth of a second of the run, for the first time when rows have been written. The runs take several
// tenths.
typedef struct watch {
  int calls;
  long at_first, last;
} watch;

static bool look(void *context, const carom_progress *progress) {
  watch *w = context;
  if (w->calls++ == 0) w->at_first = memory_calls.count;
  w->last = memory_calls.count;
  return progress->t >= 0;
}

static void recording_allocates_nothing(void) {
  static const char *const settings[] = {"n=20 integrator.type=rk4 integrator.step=2e-4",
                                         "n=20 integrator.type=rk4 integrator.step=1e-4 record.every=1e-3",
                                         "n=20 integrator.type=rk4 integrator.step=2e-4 record.checkpoint=0.01"};
  for (int i = 0; i < 3; i++) {
    carom_model *model = example_load("chain", settings[i]);
    if (!model) continue;
    watch w = {0};
    carom_error error = {0};
    carom_run_options options = {
        .record = scratch("run.h5"), .csv = scratch("run.csv"), .end = 4, .progress = look, .context = &w};
    if (!CHECK(carom_run(model, &options, NULL, &error) == CAROM_OK)) printf("%s\n", error.text);
    CHECK_LE(2, w.calls);
    CHECK_EQUAL(w.last - w.at_first, 0);
    carom_model_destroy(model);
  }
}

int main(void) {
  RUN(the_counter_counts);
  RUN(a_step_allocates_nothing);
  RUN(recording_allocates_nothing);
  return check_summary();
}
