// Divide and conquer beside the recursion: a chain of hinges in space on one thread and on two, its levels, and what
// flexible bodies cost by either.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/crew.h"
#include "build/model_internal.h"
#include "carom/carom.h"
#include "clock.h"
#include "mechanics/anchor.h"
#include "mechanics/dca.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "mechanics/rows.h"

typedef struct task {
  carom_model *model;
  motion *x;
} task;

static void evaluate(void *context) {
  const task *t = context;
  const mechanism *m = &t->model->m;
  dynamics_set(m, t->x, 0, m->q0, m->u0);
  dynamics_accelerations(m, t->x);
}

static bool open_task(task *t, carom_model *model, carom_error *error) {
  t->model = model, t->x = model ? motion_create(&model->m, 0, error) : NULL;
  if (!t->x) printf("%s\n", error->text);
  return t->x != NULL;
}

static void close_task(task *t) {
  motion_destroy(t->x);
  carom_model_destroy(t->model);
}

static bool open_chain(task *t, int n, bool divide) {
  char count[16];
  carom_error error = {0};
  snprintf(count, sizeof count, "%d", n);
  const carom_setting settings[] = {{"n", count}, {"response", divide ? "divide-and-conquer" : "automatic"}};
  return open_task(t, carom_model_load(BENCH_MODELS "/chain.yaml", settings, 2, &error), &error);
}

static double difference(const task *a, const task *b) {
  double off = 0, size = 0;
  for (int i = 0; i < a->model->m.nv; i++) {
    const double d = fabs(a->x->udot[i] - b->x->udot[i]);
    size = fmax(size, fabs(a->x->udot[i])), off = d <= off ? off : d;
  }
  return off / size;
}

enum { TURNS = 5 };

// By turns, and the best of each: the machine's clock rate and its other work are the same for all. Processor time of
// single threads; of several what a clock on the wall shows.
static void race(task *const *tasks, int count, double (*clock)(void), double *times) {
  for (int k = 0; k < count; k++) times[k] = INFINITY;
  for (int i = 0; i < TURNS; i++)
    for (int k = 0; k < count; k++) times[k] = fmin(times[k], clock_median_by(clock, evaluate, tasks[k], 0.03));
}

// The steps of a chain all take about as long. With as many processors as there are bodies, levels are what is left.
static int race_one_thread(int n) {
  task by_recursion, divided;
  if (!open_chain(&by_recursion, n, false) || !open_chain(&divided, n, true)) return 1;
  double times[2];
  race((task *[]){&by_recursion, &divided}, 2, clock_processor, times);
  const double recursion = times[0], divide = times[1];
  const double off = difference(&by_recursion, &divided);
  const int levels = divided.model->m.dca->level_count;
  printf("dca n=%d recursion %.1f ns a body, divided %.1f, ratio %.2f (at most 4 wanted), accelerations %.1e apart\n",
         n, 1e9 * recursion / n, 1e9 * divide / n, divide / recursion, off);
  printf("dca n=%d critical path 2 x %d levels instead of 2 x %d bodies: a speed-up of %.0f at most\n", n, levels, n,
         (double)n / levels);
  close_task(&by_recursion), close_task(&divided);
  return !(off <= 1e-11);
}

static int race_two_threads(int n) {
  task one, two;
  crew c = {0};
  if (!open_chain(&one, n, true) || !open_chain(&two, n, true) || !crew_set(&c, 2)) return 1;
  two.x->crew = &c;
  double times[2];
  race((task *[]){&one, &two}, 2, clock_now, times);
  const double alone = times[0], shared = times[1];
  const bool same = memcmp(one.x->udot, two.x->udot, (size_t)one.model->m.nv * sizeof(double)) == 0;
  printf("dca n=%d one thread %.3f ms, two %.3f ms, %.2f times as fast (at least 1.4 wanted), %s\n", n, 1e3 * alone,
         1e3 * shared, alone / shared, same ? "the same bits" : "NOT the same bits");
  close_task(&one), close_task(&two);
  crew_end(&c);
  return !same;
}

// W of three rows on each of some links, spread over a chain.
enum { MOST_TOUCHED = 64 };

typedef struct contacts {
  task of;
  int count;
  double *W;
} contacts;

static int touched_link(int links, const contacts *c, int i) {
  return 1 + (int)((2L * i + 1) * (links - 1) / (2 * c->count));
}

static void find_matrix(void *context) {
  const contacts *c = context;
  response_matrix(&c->of.model->m, c->of.x, c->W);
}

// Whether the order of assembly knows which links are touched.
static bool open_contacts(contacts *c, int n, bool knows) {
  carom_error error = {0};
  if (!open_chain(&c->of, n, true)) return false;
  mechanism *m = &c->of.model->m;
  bool *met = ARENA_ARRAY(&c->of.model->memory, bool, m->node_count);
  for (int i = 0; i < c->count; i++) met[touched_link(n, c, i)] = true;
  m->dca = dca_plan_create(m, knows ? met : NULL, &c->of.model->memory);
  motion_destroy(c->of.x);
  motion *x = c->of.x = motion_create(m, 0, &error);
  if (!x || !motion_reserve_rows(m, x, 3 * c->count)) return false;
  evaluate(&c->of);
  for (int i = 0; i < c->count; i++)
    for (int k = 0; k < 3; k++) {
      const anchor at = anchor_at(x, touched_link(n, c, i), x->links[touched_link(n, c, i)].p);
      const anchor ground = anchor_at(x, GROUND, x->links[touched_link(n, c, i)].p);
      const vec3 d = {k == 0, k == 1, k == 2};
      row_body *terms = rows_add_pair(m, x, at.node, GROUND);
      anchor_wrench(m, &at, d, VEC3_ZERO, terms[0].J), anchor_wrench(m, &ground, vec3_neg(d), VEC3_ZERO, terms[1].J);
    }
  return response_factor(m, x);
}

static int race_contacts(int n, int count) {
  static double W[2][9 * MOST_TOUCHED * MOST_TOUCHED];
  double times[2], accelerate[2], off = 0, size = 0;
  contacts c[2];
  for (int i = 0; i < 2; i++) {
    c[i] = (contacts){.count = count, .W = W[i]};
    if (!open_contacts(&c[i], n, i)) return 1;
    times[i] = accelerate[i] = INFINITY;
  }
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < 2; i++) times[i] = fmin(times[i], clock_median_by(clock_processor, find_matrix, &c[i], 0.01));
  for (int k = 0; k < 9 * count * count; k++)
    off = fmax(off, fabs(W[1][k] - W[0][k])), size = fmax(size, fabs(W[0][k]));
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < 2; i++)
      accelerate[i] = fmin(accelerate[i], clock_median_by(clock_processor, evaluate, &c[i].of, 0.01));
  printf(
      "dca n=%d, %d links touched: W %.1f us, where the order knows them %.1f; accelerations %.0f and %.0f us, levels "
      "%d and %d, W %.1e apart\n",
      n, count, 1e6 * times[0], 1e6 * times[1], 1e6 * accelerate[0], 1e6 * accelerate[1],
      c[0].of.model->m.dca->level_count, c[1].of.model->m.dca->level_count, off / size);
  close_task(&c[0].of), close_task(&c[1].of);
  return !(off <= 1e-11 * size);
}

static int race_all_contacts(void) {
  return race_contacts(1000, 1) + race_contacts(1000, 4) + race_contacts(1000, 16) + race_contacts(1000, 64);
}

// Beams, or rigid links of their mass, on hinges about y and z by turns.
static bool open_links(task *t, int n, bool flexible, bool divide) {
  char text[1024];
  carom_error error = {0};
  snprintf(text, sizeof text,
           "parameters: {n: %d}\n%sbodies:\n  link{i}: {repeat: {i: [1, n]}, %s}\n"
           "joints:\n  hinge1: {revolute: [ground, link1], axis: y}\n"
           "  hinge{i}: {repeat: {i: [2, n]}, revolute: [\"link{i-1}\", \"link{i}\"], at: [0.5, 0, 0], "
           "axis: ['0', 'mod(i, 2)', '1 - mod(i, 2)']}\n",
           n, divide ? "response: divide-and-conquer\n" : "",
           flexible ? "beam: {length: 0.5, section: {area: 1e-4, second_moment: 1e-9, second_moment_z: 1.2e-9}, young: "
                      "2e11, poisson: 0.3, density: 7800}, modes: {count: 10, static_modes: no}"
                    : "mass: 0.39, inertia: [1e-5, 8e-3, 8e-3], com: [0.25, 0, 0]");
  return open_task(t, carom_model_parse(text, "links", &error), &error);
}

static int race_flexible(void) {
  static const int lengths[] = {8, 32, 128};
  double first = NAN, last = NAN;
  for (int k = 0; k < 3; k++) {
    const int n = lengths[k];
    task rigid, flexible, divided;
    double times[3];
    if (!open_links(&rigid, n, false, false) || !open_links(&flexible, n, true, false) ||
        !open_links(&divided, n, true, true))
      return 1;
    race((task *[]){&rigid, &flexible, &divided}, 3, clock_processor, times);
    last = times[1] / n;
    if (k == 0) first = last;
    printf(
        "flexible n=%d rigid %.0f ns a body, with 10 modes %.0f, ratio %.2f (at most 8 wanted, aim 6), divided %.0f\n",
        n, 1e9 * times[0] / n, 1e9 * times[1] / n, times[1] / times[0], 1e9 * times[2] / n);
    close_task(&rigid), close_task(&flexible), close_task(&divided);
  }
  printf("flexible time a body at 128 over that at 8: %.2f\n", last / first);
  return 0;
}

// With `flexible` as its argument the chains of beams alone, with `contacts` W of rows on some links.
int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "flexible") == 0) return race_flexible();
  if (argc > 1 && strcmp(argv[1], "contacts") == 0) return race_all_contacts();
  int failures = race_all_contacts() + race_one_thread(32) + race_one_thread(1000) + race_two_threads(4096);
  return failures + race_flexible() ? 1 : 0;
}
