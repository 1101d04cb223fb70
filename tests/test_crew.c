// Threads that share the loops of one sim: every index is done once, and results are those of one thread, bit by bit.
// Runs once more under the thread sanitizer.
#include <time.h>

#include "example.h"

#include "../bench/crowd_model.h"
#include "base/crew.h"
#include "sim.h"

// --- loops -----------------------------------------------------------------------------------------------------------

enum { INDICES = 1000, ROUNDS = 300 };

typedef struct tally {
  int calls[INDICES], value;
} tally;

static void count_calls(void *context, int from, int to) {
  tally *t = context;
  for (int i = from; i < to; i++) t->calls[i] += t->value;
}

// Loops of all lengths one after the other, with pauses in which members fall asleep.
static void every_index_is_done_once(void) {
  static tally t;
  for (int threads = 1; threads <= 4; threads++) {
    crew c = {0};
    CHECK(crew_set(&c, threads));
    CHECK_EQUAL(crew_count(&c), threads);
    for (int round = 0; round < ROUNDS; round++) {
      int count = round * 37 % (INDICES + 1);
      memset(t.calls, 0, sizeof t.calls), t.value = round + 1;
      crew_run(&c, count, 1 + round % 50, count_calls, &t);
      for (int i = 0; i < INDICES; i++)
        if (t.calls[i] != (i < count ? t.value : 0)) CHECK(!"every index once");
      if (round % 100 == 99) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    crew_end(&c);
    CHECK_EQUAL(crew_count(&c), 1);
    crew_end(&c);
  }
  memset(t.calls, 0, sizeof t.calls), t.value = 1;
  crew_run(NULL, INDICES, 0, count_calls, &t);
  for (int i = 0; i < INDICES; i++) CHECK_EQUAL(t.calls[i], 1);
}

// --- sims ------------------------------------------------------------------------------------------------------------

// Boxes and ellipsoids that fall onto each other: their places of contact come and go, or are found by iteration.
static carom_model *stones(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "materials: {m: {friction: 0.5}}\n"
      "method: {moreau: {step: 1e-3, tolerance: 1e-2}}\n"
      "bodies:\n"
      "  b{i}: {repeat: {i: [0, 107]}, mass: 1, inertia: [1e-3, 1e-3, 1e-3]}\n"
      "joints:\n"
      "  j{i}: {repeat: {i: [0, 107]}, free: [ground, \"b{i}\"], at: ['0.115*mod(i, 6) + 0.004*sin(7*i)', "
      "'0.115*mod(floor(i/6), 6) + 0.004*cos(5*i)', "
      "'0.051 + 0.115*floor(i/36)']}\n"
      "surfaces:\n"
      "  floor: {plane: ground, material: m}\n"
      "  e{i}: {repeat: {i: [0, 53]}, ellipsoid: \"b{i}\", semi_axes: [0.05, 0.045, 0.048], material: m}\n"
      "  c{i}: {repeat: {i: [54, 107]}, box: \"b{i}\", size: [0.095, 0.09, 0.095], material: m}\n";
  return crowd_parse(text);
}

// What is known of all points and pairs that touch, and totals.
static void books_are_the_same(const carom_sim *a, const carom_sim *b) {
  const impact_ledger *x = &a->impacts, *y = &b->impacts;
  if (!CHECK_EQUAL(y->slot_count, x->slot_count) || !CHECK_EQUAL(y->open_count, x->open_count)) return;
  CHECK(x->open_count > 0);
  CHECK(memcmp(x->open, y->open, (size_t)x->slot_count * sizeof *x->open) == 0);
  CHECK(memcmp(x->pairs, y->pairs, (size_t)x->pair_count * sizeof *x->pairs) == 0);
  CHECK_EQUAL(y->impacts, x->impacts);
  CHECK_NEAR(y->loss_normal, x->loss_normal, 0);
  CHECK_NEAR(y->loss_tangential, x->loss_tangential, 0);
  CHECK_NEAR(y->deepest, x->deepest, 0);
}

static void move_as_with_one_thread(carom_model *model) {
  enum { STRIDE = 50 };
  carom_error error = {0};
  const int steps = 150;
  for (int threads = 2; threads <= 4 && CHECK(model); threads += 2) {
    carom_sim *several = carom_sim_create(model, &error), *fresh = carom_sim_create(model, &error);
    if (!CHECK(several && fresh)) break;
    CHECK(carom_sim_set_threads(several, threads, &error) == CAROM_OK);
    for (int k = STRIDE; k <= steps; k += STRIDE) {
      CHECK(carom_sim_advance(fresh, k * CROWD_STEP, &error) == CAROM_OK &&
            carom_sim_advance(several, k * CROWD_STEP, &error) == CAROM_OK);
      CHECK(memcmp(fresh->x->q, several->x->q, (size_t)model->m.nq * sizeof(double)) == 0);
      CHECK(memcmp(fresh->x->u, several->x->u, (size_t)model->m.nv * sizeof(double)) == 0);
    }
    books_are_the_same(fresh, several);
    carom_summary x = carom_sim_summary(fresh), y = carom_sim_summary(several);
    CHECK_EQUAL(y.solves, x.solves);
    CHECK_EQUAL(y.iterations, x.iterations);
    CHECK_EQUAL(y.contact_episodes, x.contact_episodes);
    CHECK_EQUAL(y.normal_searches, x.normal_searches);
    CHECK_EQUAL(y.normal_iterations, x.normal_iterations);
    CHECK_NEAR(y.worst_residual, x.worst_residual, 0);
    CHECK_NEAR(y.energy_imbalance, x.energy_imbalance, 0);
    CHECK(carom_sim_set_threads(several, 1, &error) == CAROM_OK);
    CHECK(carom_sim_advance(several, (steps + 1) * CROWD_STEP, &error) == CAROM_OK);
    carom_sim_destroy(several);
    carom_sim_destroy(fresh);
  }
  carom_model_destroy(model);
}

// Spheres that fall into a box until they lie on each other: one large island, swept in colours, and many small ones
// before.
static void crowds_move_as_with_one_thread(void) { move_as_with_one_thread(crowd_spheres(400, 1e-2)); }
static void stones_move_as_with_one_thread(void) { move_as_with_one_thread(stones()); }

static void wrong_numbers_of_threads_are_refused(void) {
  carom_error error = {0};
  carom_model *model = example_load("pendulum-revolute", NULL);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  if (!CHECK(sim)) return;
  CHECK(carom_sim_set_threads(sim, 0, &error) == CAROM_ERROR_USAGE);
  CHECK(carom_sim_set_threads(sim, 1025, &error) == CAROM_ERROR_USAGE);
  CHECK(carom_sim_set_threads(sim, 3, &error) == CAROM_OK && carom_sim_set_threads(sim, 2, &error) == CAROM_OK);
  CHECK(carom_sim_advance(sim, 0.1, &error) == CAROM_OK);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

int main(void) {
  RUN(every_index_is_done_once);
  RUN(wrong_numbers_of_threads_are_refused);
  RUN(crowds_move_as_with_one_thread);
  RUN(stones_move_as_with_one_thread);
  return check_summary();
}
