// What continuous contact costs: a ball beside the same ball programmed by hand on CVODE; located contact beside fixed
// small steps at the same error; and where the time of a force evaluation goes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "clock.h"
#include "hand_ball.h"
#include "mechanics/dynamics.h"
#include "scheme/compliant_internal.h"
#include "sim.h"

// --- the ball --------------------------------------------------------------------------------------------------------

// CVODE chooses steps and orders by estimates of errors, which rounding and the number of components change: from one
// height the engine takes up to a tenth more steps than the program by hand, from another height fewer, at each bounce
// alike. So balls fall from many heights, each until after ten bounces, near the top of a flight.
enum { HEIGHTS = 100, BOUNCES = 10 };
static const double HEIGHT_FIRST = 0.5, HEIGHT_LAST = 1.5;  // [m]
static const double END_FROM_1M = 9.05;  // [s]; the time of a flight grows with the root of the height
static const char BALL_MODEL[] =
    "space: planar\n"
    "bodies: {ball: {mass: 1, inertia: 0.1}}\n"
    "joints: {fall: {free: [ground, ball], at: [0, 0.1]}}\n"
    "surfaces:\n"
    "  ball: {sphere: ball, radius: 0.1, material: hard}\n"
    "  floor: {plane: ground, material: hard}\n"
    "materials: {hard: {restitution: 1, law: hertz, stiffness: 1.5e8}}\n"
    "initial: {fall: {q: [0, 0, %.17g]}}\n"
    "method: {compliant: {penetration_max: 1 um}}\n"
    "integrator: {type: adams, rtol: 1e-8, atol: 1e-8}\n"
    "end: %.17g s\n";

// One fall by both programs: their least processor times, and what they counted.
typedef struct fall {
  hand_ball ball;
  double end;
  carom_model *model;
  double engine, hand;  // [s]
  carom_summary summary;
  hand_ball_run run;
} fall;

static bool begin_fall(fall *f, double height) {
  char text[1024];
  carom_error error = {0};
  *f = (fall){
      .ball = {.mass = 1, .gravity = 9.81, .stiffness = 1.5e8, .gap = height, .rtol = 1e-8, .atol = 1e-8},
      .end = END_FROM_1M * sqrt(height),
      .engine = INFINITY,
      .hand = INFINITY,
  };
  snprintf(text, sizeof text, BALL_MODEL, height, f->end);
  f->model = carom_model_parse(text, "ball", &error);
  if (!f->model) printf("%s\n", error.text);
  return f->model != NULL;
}

static double fall_in_engine(fall *f) {
  carom_error error = {0};
  double began = clock_processor();
  carom_sim *sim = carom_sim_create(f->model, &error);
  carom_status status = carom_sim_advance(sim, f->end, &error);
  f->summary = carom_sim_summary(sim);
  carom_sim_destroy(sim);
  if (status != CAROM_OK) return printf("%s\n", error.text), NAN;
  return clock_processor() - began;
}

static double fall_by_hand(fall *f) {
  double began = clock_processor();
  return hand_ball_fall(&f->ball, f->end, &f->run) ? clock_processor() - began : NAN;
}

static double energy_error(const fall *f) {
  double weight = f->ball.mass * f->ball.gravity, start = weight * f->ball.gap;
  return fabs(weight * f->run.gap + 0.5 * f->ball.mass * f->run.speed * f->run.speed - start) / start;
}

static void add_up(const fall *f, int count) {
  double engine = 0, hand = 0, worst[2] = {0}, least = INFINITY, most = 0;
  long steps[2] = {0}, evaluations[2] = {0};
  for (int i = 0; i < count; i++) {
    double more = (double)f[i].summary.steps / (double)f[i].run.steps;
    engine += f[i].engine, hand += f[i].hand;
    steps[0] += f[i].summary.steps, steps[1] += f[i].run.steps;
    evaluations[0] += f[i].summary.evaluations, evaluations[1] += f[i].run.evaluations;
    worst[0] = fmax(worst[0], f[i].summary.energy_imbalance), worst[1] = fmax(worst[1], energy_error(&f[i]));
    least = fmin(least, more), most = fmax(most, more);
    if (f[i].summary.contact_episodes != BOUNCES || f[i].run.bounces != BOUNCES)
      printf("ball from %.2f m: %ld and %ld bounces, not %d\n", f[i].ball.gap, f[i].summary.contact_episodes,
             f[i].run.bounces, BOUNCES);
  }
  printf("ball, engine:  %ld steps, %ld evaluations, %.2f ms, energy wrong by %.1e at most\n", steps[0], evaluations[0],
         1e3 * engine, worst[0]);
  printf("ball, by hand: %ld steps, %ld evaluations, %.2f ms, energy wrong by %.1e at most\n", steps[1], evaluations[1],
         1e3 * hand, worst[1]);
  printf("ball: from single heights the engine takes %.2f to %.2f of the steps by hand\n", least, most);
  printf("ball: engine over hand %.2f (at most 1.2 wanted)\n", engine / hand);
}

// Processor time, the best of many in turns: what the machine can do when nobody disturbs it.
static void compare_ball(int turns) {
  fall falls[HEIGHTS] = {0};
  int count = 0;
  while (count < HEIGHTS && begin_fall(&falls[count], HEIGHT_FIRST + (HEIGHT_LAST - HEIGHT_FIRST) / HEIGHTS * count))
    count++;
  for (int i = 0; i < turns * count; i++) {
    fall *f = &falls[i % count];
    f->engine = fmin(f->engine, fall_in_engine(f));
    f->hand = fmin(f->hand, fall_by_hand(f));
  }
  add_up(falls, count);
  for (int i = 0; i < count; i++) carom_model_destroy(falls[i].model);
}

// For a profiler: one of the two programs alone.
static void repeat_ball(bool by_hand, int turns) {
  fall f;
  double seconds = 0;
  if (!begin_fall(&f, 1)) return;
  for (int i = 0; i < turns; i++) seconds += by_hand ? fall_by_hand(&f) : fall_in_engine(&f);
  carom_model_destroy(f.model);
  printf("%.2f ms\n", 1e3 * seconds);
}

// --- located contact against fixed steps -----------------------------------------------------------------------------

enum { SAMPLES = 10, SIGNALS = 2 };

// A stretch of a model, seen at ten instants.
typedef struct stretch {
  const char *name, *path;
  double end;  // [s]
  const char *signal[SIGNALS];
  double scale[SIGNALS];  // what their errors are measured by
} stretch;

typedef struct outcome {
  double value[SAMPLES][SIGNALS];
  long evaluations;
} outcome;

static bool observe(const stretch *w, const carom_setting *settings, int count, outcome *o) {
  carom_error error = {0};
  carom_model *model = carom_model_load(w->path, settings, count, &error);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  carom_status status = sim ? CAROM_OK : CAROM_ERROR_USAGE;
  for (int k = 0; k < SAMPLES && status == CAROM_OK; k++) {
    status = carom_sim_advance(sim, w->end * (k + 1) / SAMPLES, &error);
    for (int i = 0; i < SIGNALS; i++) o->value[k][i] = carom_sim_read(sim, carom_model_signal(model, w->signal[i]));
  }
  if (status == CAROM_OK) o->evaluations = carom_sim_summary(sim).evaluations;
  else printf("%s: %s\n", w->name, error.text);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return status == CAROM_OK;
}

static double distance(const stretch *w, const outcome *a, const outcome *b) {
  double worst = 0;
  for (int k = 0; k < SAMPLES; k++)
    for (int i = 0; i < SIGNALS; i++) worst = fmax(worst, fabs(a->value[k][i] - b->value[k][i]) / w->scale[i]);
  return worst;
}

static bool fixed_steps(const stretch *w, double step, outcome *o) {
  char text[32];
  snprintf(text, sizeof text, "%.17g", step);
  const carom_setting settings[] = {
      {"integrator.type", "rk4"}, {"integrator.step", text}, {"method.compliant.entry", "none"}};
  return observe(w, settings, 3, o);
}

// Halves the fixed step until it is as good, or has cost a thousand times as much.
static void compare_stretch(const stretch *w, const char *rtol, double first_step) {
  const carom_setting tight[] = {{"integrator.rtol", "1e-13"}, {"integrator.atol", "1e-13"}};
  const carom_setting chosen[] = {{"integrator.rtol", rtol}, {"integrator.atol", rtol}};
  outcome limit, located, fixed;
  if (!observe(w, tight, 2, &limit) || !observe(w, chosen, 2, &located)) return;
  double error = distance(w, &located, &limit), coarse = INFINITY, error_fixed = INFINITY, ratio = 0;
  printf("%s: located, rtol %s: %ld evaluations, error %.1e\n", w->name, rtol, located.evaluations, error);
  for (double step = first_step; error_fixed > error && ratio < 1000; step /= 2) {
    if (!fixed_steps(w, step, &fixed)) continue;  // too long a step goes through the wall
    coarse = error_fixed, error_fixed = distance(w, &fixed, &limit);
    ratio = (double)fixed.evaluations / (double)located.evaluations;
    printf("%s: fixed step %.2e s: %ld evaluations, error %.1e\n", w->name, step, fixed.evaluations, error_fixed);
  }
  // between the last two steps the error goes as a power of the step
  if (error_fixed < error && coarse < INFINITY) ratio *= exp2(-log(error / error_fixed) / log(coarse / error_fixed));
  printf("%s: %s%.0f times fewer evaluations at the same error (at least 20 wanted)\n", w->name,
         error_fixed > error ? "more than " : "", ratio);
}

// --- where the time goes ---------------------------------------------------------------------------------------------

enum { STATES = 2000 };

// States met on the way, to be evaluated again under a clock.
typedef struct album {
  carom_sim *sim;
  int count;
  double t[STATES], y[STATES][64];
} album;

static void set_state(const album *a, int k) {
  const mechanism *m = &a->sim->model->m;
  dynamics_set(m, a->sim->x, a->t[k], a->y[k], a->y[k] + m->nq);
}

static void all_accelerations(void *context) {
  const album *a = context;
  for (int k = 0; k < a->count; k++) set_state(a, k), dynamics_accelerations(&a->sim->model->m, a->sim->x);
}

static void all_kinematics(void *context) {
  const album *a = context;
  for (int k = 0; k < a->count; k++) set_state(a, k), dynamics_positions_velocities(&a->sim->model->m, a->sim->x);
}

static void all_looks(void *context) {
  const album *a = context;
  for (int k = 0; k < a->count; k++) {
    set_state(a, k);
    dynamics_positions_velocities(&a->sim->model->m, a->sim->x);
    (void)compliant_look(a->sim->scheme);
  }
}

static double seconds_each(void (*f)(void *), album *a) {
  double best = INFINITY;
  for (int i = 0; i < 15; i++) {
    double began = clock_processor();
    f(a);
    best = fmin(best, clock_processor() - began);
  }
  return best / a->count;
}

// One run of a second of motion, timed whole; then its states evaluated with contact and without.
static void share_out(const char *path) {
  static album a;
  carom_error error = {0};
  carom_model *model = carom_model_load(path, NULL, 0, &error);
  a.sim = model ? carom_sim_create(model, &error) : NULL;
  if (!a.sim || (size_t)(model->m.nq + model->m.nv) > sizeof a.y[0] / sizeof(double)) {
    printf("%s\n", error.text);
    return;
  }
  carom_status status = CAROM_OK;
  double began = clock_processor();
  for (long step = 0; status == CAROM_OK && carom_sim_time(a.sim) < 1; step++) {
    status = carom_sim_step(a.sim, 1, &error);
    if (step % 10 || a.count == STATES) continue;
    a.t[a.count] = carom_sim_time(a.sim);
    memcpy(a.y[a.count++], a.sim->type->state(a.sim->scheme), (size_t)(model->m.nq + model->m.nv) * sizeof(double));
  }
  double seconds = clock_processor() - began;
  carom_summary s = carom_sim_summary(a.sim);
  double looks = (double)((compliant *)a.sim->scheme)->w.looks, calls = (double)s.evaluations - looks;
  double whole = seconds_each(all_accelerations, &a), look = seconds_each(all_looks, &a);
  a.sim->x->push = NULL;
  double bare = seconds_each(all_accelerations, &a), kinematics = seconds_each(all_kinematics, &a);
  double mechanics = calls * bare + looks * kinematics;
  double contact = calls * (whole - bare) + looks * (look - kinematics);
  printf("quick-return, 1 s: %ld steps, %.0f right-hand sides, %.0f looks at contacts, %.3f s\n", s.steps, calls, looks,
         seconds);
  printf(
      "quick-return: %.0f ns a right-hand side, %.0f ns a look; %.0f ns of the run a force evaluation, of it mechanics "
      "%.0f %%, contact %.0f %%, integrator and scheme %.0f %%\n",
      1e9 * whole, 1e9 * look, 1e9 * seconds / (double)s.evaluations, 100 * mechanics / seconds,
      100 * contact / seconds, 100 * (1 - (mechanics + contact) / seconds));
  carom_sim_destroy(a.sim);
  carom_model_destroy(model);
}

int main(int count, char **word) {
  // `bench_compliant ball`: the ball alone. With `hand TURNS` or `engine TURNS` one of the two, for a profiler
  if (count > 1 && strcmp(word[1], "ball") == 0) return compare_ball(40), 0;
  if (count > 1) return repeat_ball(strcmp(word[1], "hand") == 0, count > 2 ? atoi(word[2]) : 1), 0;
  compare_ball(10);
  compare_stretch(&(stretch){"pendulum", BENCH_MODELS "/pendulum-wall.yaml", 1, {"arm.q", "arm.u"}, {1, 1}}, "1e-8",
                  1e-4);
  // Before the trajectories part: 22 impacts; after a tenth of a second runs of different tolerances meet other
  // impacts.
  const stretch quick_return = {
      "quick-return", BENCH_MODELS "/quick-return.yaml", 0.05, {"slider.q", "slider.u"}, {1, 1}};
  compare_stretch(&quick_return, "1e-8", 1e-5);
  compare_stretch(&quick_return, "1e-9", 1e-5);
  compare_stretch(&quick_return, "1e-10", 5e-6);
  share_out(BENCH_MODELS "/quick-return.yaml");
  return 0;
}
