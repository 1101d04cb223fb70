// A model of models/ run again in the other coordinates, or with other rows recorded. Both must end in the same state.
#include "campaign.h"

static const carom_setting *settings_of(const char *coordinates, const char *tolerance, carom_setting list[4]) {
  list[0] = (carom_setting){"coordinates", coordinates};
  list[1] = (carom_setting){"integrator.rtol", tolerance};
  list[2] = (carom_setting){"integrator.atol", tolerance};
  return list;
}

static bool is_smooth(const carom_model *model) { return !strcmp(carom_model_get_info(model).method, "smooth"); }

// Signals of bodies and joints: coordinates, speeds, positions. Those that both models have.
static bool is_compared(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot &&
         (!strcmp(dot, ".x") || !strcmp(dot, ".y") || !strcmp(dot, ".z") || !strcmp(dot, ".u") || !strcmp(dot, ".q"));
}

static carom_sim *run_to(const carom_model *model, double end, carom_error *error) {
  carom_sim *sim = model ? carom_sim_create(model, error) : NULL;
  if (sim && carom_sim_advance(sim, end, error) != CAROM_OK) {
    carom_sim_destroy(sim);
    return NULL;
  }
  return sim;
}

static void compare(const carom_model *model, carom_sim *sim, const carom_model *other_model, carom_sim *other,
                    double tolerance, const char *what) {
  for (int i = 0; i < carom_model_signal_count(model); i++) {
    const char *name = carom_model_signal_name(model, i);
    int j = carom_model_signal(other_model, name);
    if (j < 0 || !is_compared(name)) continue;
    double a = carom_sim_read(sim, i), b = carom_sim_read(other, j);
    if (fabs(a - b) <= tolerance * (1 + fabs(a))) continue;
    finding("%s is %.12g, with %s %.12g", name, a, what, b);
    return;
  }
}

// Joint against absolute coordinates, for smooth motion: contact amplifies small differences.
static void compare_coordinates(const char *path) {
  carom_error error = {0};
  carom_setting list[4];
  carom_model *joint = carom_model_load(path, settings_of("joint", "1e-10", list), 3, &error);
  carom_model *absolute = joint ? carom_model_load(path, settings_of("absolute", "1e-10", list), 3, &error) : NULL;
  if (joint && absolute && is_smooth(joint)) {
    double end = fmin(carom_model_get_info(joint).end, 0.2);
    carom_sim *a = run_to(joint, end, &error), *b = a ? run_to(absolute, end, &error) : NULL;
    if (b) compare(joint, a, absolute, b, 1e-6, "absolute coordinates");
    else finding("runs in joint coordinates, but in absolute ones: %s", error.text);
    carom_sim_destroy(a);
    carom_sim_destroy(b);
  }
  carom_model_destroy(absolute);
  carom_model_destroy(joint);
}

// Rows are read along the way or not: the end is the same. Steps of a variable-step integrator end at the same times.
static void compare_rows(const char *path) {
  carom_error error = {0};
  carom_model *model = carom_model_load(path, NULL, 0, &error);
  if (!model) {
    finding("does not load: %s", error.text);
    return;
  }
  double end = fmin(carom_model_get_info(model).end, 0.05);
  carom_setting every = {"record.every", "0.0007"};
  carom_model *seldom = carom_model_load(path, &every, 1, &error);
  carom_run_options plain = {.record = campaign_file("plain.h5"), .end = end};
  carom_run_options other = {.record = campaign_file("seldom.h5"), .end = end};
  carom_summary a = {0}, b = {0};
  carom_status one = carom_run(model, &plain, &a, &error);
  carom_status two = seldom ? carom_run(seldom, &other, &b, &error) : CAROM_ERROR_MODEL;
  if (one != two) finding("ends with status %d, with rows every 0.7 ms with %d: %s", one, two, error.text);
  if (a.steps != b.steps) finding("%ld steps, with rows every 0.7 ms %ld", a.steps, b.steps);
  if (a.energy_imbalance != b.energy_imbalance && fabs(a.energy_imbalance - b.energy_imbalance) > 0.2 * a.energy_limit)
    finding("energy error %g, with rows every 0.7 ms %g", a.energy_imbalance, b.energy_imbalance);
  if (a.constraint_violation > 2 * b.constraint_violation + 1e-12 ||
      b.constraint_violation > 2 * a.constraint_violation + 1e-12)
    finding("constraint violation %g, with rows every 0.7 ms %g", a.constraint_violation, b.constraint_violation);
  carom_model_destroy(seldom);
  carom_model_destroy(model);
}

static void run(void) {
  char path[1024];
  campaign_model("%s", pick_model(path, sizeof path));
  if (pick(0, 1)) compare_coordinates(path);
  else compare_rows(path);
}

const campaign_kind campaign_coordinates = {"coordinates", "results that depend on coordinates or on the rows recorded",
                                            run};
