// The whole state of a sim, kept and put back.
#include "runs.h"

#include "sim.h"

static bool same_rows(carom_sim *a, carom_sim *b, const char *what) {
  const double *x = sim_read_all(a), *y = sim_read_all(b);
  for (int i = 0; i < sim_signal_count(a->model); i++)
    if (!CHECK(memcmp(&x[i], &y[i], sizeof *x) == 0)) {
      printf("      %s: %s is %.17g and %.17g\n", what, carom_model_signal_name(a->model, i), x[i], y[i]);
      return false;
    }
  return true;
}

// Contact, states and pairs that come and go, under methods that go on bit by bit.
static const struct {
  const char *model, *settings;
  double save, end;
} cases[] = {
    {"servo", "integrator.type=erk", 0.7, 2.3},
    {"servo", "method.moreau.step=1e-3", 0.7, 2.3},
    {"servo", "method=event integrator.type=erk", 0.7, 2.3},
    {"bouncing-ball", "method.moreau.step=1e-4", 0.5, 1},
    {"bouncing-ball", "method=event integrator.type=erk", 0.5, 1},
    {"stones", "", 0.05, 0.1},
    {"slider-crank", "", 0.02, 0.05},
};
enum { CASES = sizeof cases / sizeof *cases };

static void a_sim_goes_on_from_a_snapshot(void) {
  for (int i = 0; i < CASES; i++) {
    run r, other;
    if (!run_open(&r, cases[i].model, cases[i].settings)) continue;
    other.sim = carom_sim_create(r.model, &r.error);
    carom_snapshot *s = run_to(&r, cases[i].save) ? carom_sim_save(r.sim, &r.error) : NULL;
    if (CHECK(s) && run_to(&r, cases[i].end)) {
      CHECK(carom_sim_advance(other.sim, 0.3 * cases[i].save, &r.error) == CAROM_OK);
      for (int again = 0; again < 2; again++) {  // into another sim, and once more into the same
        CHECK(carom_sim_restore(other.sim, s, &r.error) == CAROM_OK);
        CHECK_NEAR(carom_sim_time(other.sim), cases[i].save, 0);
        CHECK(carom_sim_advance(other.sim, cases[i].end, &r.error) == CAROM_OK);
        same_rows(r.sim, other.sim, cases[i].model);
      }
      CHECK_EQUAL(carom_sim_summary(other.sim).contact_episodes, carom_sim_summary(r.sim).contact_episodes);
    }
    carom_snapshot_destroy(s);
    carom_sim_destroy(other.sim);
    run_close(&r);
  }
}

static void a_reset_sim_is_a_new_one(void) {
  for (int i = 0; i < CASES; i++) {
    run r;
    if (!run_open(&r, cases[i].model, cases[i].settings)) continue;
    carom_sim *fresh = carom_sim_create(r.model, &r.error);
    if (run_to(&r, cases[i].end) && CHECK(carom_sim_reset(r.sim, &r.error) == CAROM_OK)) {
      same_rows(r.sim, fresh, cases[i].model);
      CHECK(carom_sim_advance(fresh, cases[i].save, &r.error) == CAROM_OK && run_to(&r, cases[i].save));
      same_rows(r.sim, fresh, cases[i].model);
    }
    carom_sim_destroy(fresh);
    run_close(&r);
  }
}

static void states_can_be_set(void) {
  static const char *const how[] = {"integrator.type=erk", "integrator.type=ida", "method.moreau.step=1e-3"};
  for (int k = 0; k < 3; k++) {
    run r;
    if (!run_open_text(&r,
                       "space: planar\nbodies: {a: {mass: 1, inertia: 1}}\njoints: {j: {revolute: [ground, a]}}\n"
                       "states: {z: {rate: 1, limits: [-2, 2]}}\nforces: {f: {along: j, effort: z}}\n",
                       how[k]))
      return;
    if (run_to(&r, 0.5) && CHECK(carom_sim_set_state(r.sim, "z", -1, &r.error) == CAROM_OK)) {
      CHECK_NEAR(run_read(&r, "z"), -1, 0);
      CHECK_NEAR(run_read(&r, "j.u"), 0.125, k == 2 ? 1e-3 : 1e-7);
      if (run_to(&r, 1)) CHECK_NEAR(run_read(&r, "z"), -0.5, 1e-7);
    }
    CHECK(carom_sim_set_state(r.sim, "y", 1, &r.error) == CAROM_ERROR_USAGE);
    CHECK(carom_sim_set_state(r.sim, "z", 3, &r.error) == CAROM_ERROR_USAGE);
    CHECK(carom_sim_set_state(r.sim, "z", NAN, NULL) == CAROM_ERROR_USAGE);
    CHECK_NEAR(run_read(&r, "z"), -0.5, 1e-7);
    run_close(&r);
  }
}

static void a_snapshot_belongs_to_its_model(void) {
  run a, b;
  if (!run_open(&a, "pendulum", NULL)) return;
  if (run_open(&b, "servo", NULL)) {
    carom_snapshot *s = carom_sim_save(a.sim, &a.error);
    CHECK(s && carom_sim_restore(b.sim, s, &b.error) == CAROM_ERROR_USAGE);
    carom_snapshot_destroy(s);
    run_close(&b);
  }
  run_close(&a);
}

int main(void) {
  RUN(a_sim_goes_on_from_a_snapshot);
  RUN(a_reset_sim_is_a_new_one);
  RUN(states_can_be_set);
  RUN(a_snapshot_belongs_to_its_model);
  return check_summary();
}
