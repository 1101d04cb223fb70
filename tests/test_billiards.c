// Random billiards under `event`: three to eight discs with spin between four walls, without weight, so that most of
// them end in corners and clusters whose contact forces are nothing. Each must run to its end; kinetic energy never
// grows and the balance closes; momentum and its moment stay while no disc is at a wall. CAROM_BILLIARDS=N runs N of
// them instead of 200.
#include "rows.h"

enum { MOST_BALLS = 8, TEXT_SIZE = 16384 };
static const double radius = 0.05, wall = 0.5;

typedef struct billiard {
  int balls;
  bool mixed;  // restitution of each pair by itself, else none
  double friction, mass[MOST_BALLS], x[MOST_BALLS], y[MOST_BALLS];
  char text[TEXT_SIZE];
  size_t used;
} billiard;

__attribute__((format(printf, 2, 3))) static void say(billiard *b, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  b->used += (size_t)vsnprintf(b->text + b->used, TEXT_SIZE - b->used, format, arguments);
  va_end(arguments);
}

static bool is_free(const billiard *b, int count, double x, double y) {
  for (int i = 0; i < count; i++)
    if (hypot(x - b->x[i], y - b->y[i]) < 2 * radius + 1e-3) return false;
  return true;
}

static void place_balls(billiard *b) {
  for (int i = 0; i < b->balls; i++) {
    b->mass[i] = 1 + 0.3 * i;
    do b->x[i] = uniform(-0.44, 0.44), b->y[i] = uniform(-0.44, 0.44);
    while (!is_free(b, i, b->x[i], b->y[i]));
  }
}

static void say_surfaces(billiard *b) {
  static const char *const walls[] = {"at: [0, -0.5]", "at: [0, 0.5], rotate: 180 deg",
                                      "at: [-0.5, 0], rotate: -90 deg", "at: [0.5, 0], rotate: 90 deg"};
  say(b, "surfaces:\n");
  for (int i = 0; i < b->balls; i++) say(b, "  s%d: {sphere: b%d, radius: %g, material: m0}\n", i, i, radius);
  for (int k = 0; k < 4; k++) say(b, "  s%d: {plane: ground, %s, material: m0}\n", b->balls + k, walls[k]);
}

static void say_materials(billiard *b) {
  static const double restitution[] = {0, 0, 0.5, 0.8};
  say(b, "materials:\n");
  for (int k = 0; k < 4; k++) say(b, "  m%d: {restitution: %g, friction: %g}\n", k, restitution[k], b->friction);
  if (!b->mixed) return;
  say(b, "contacts:\n");
  for (int i = 0; i < b->balls; i++)
    for (int k = i + 1; k < b->balls + 4; k++)
      say(b, "  c%d_%d: {between: [s%d, s%d], material: m%d}\n", i, k, i, k, (int)uniform(0, 4));
}

static void make_billiard(billiard *b, int seed) {
  static const double frictions[] = {0, 0.1, 0.3, 0.6};
  check_seed = 1000 + (uint64_t)seed;
  for (int i = 0; i < 8; i++) uniform(0, 1);
  *b = (billiard){.balls = 3 + seed % 6, .friction = frictions[seed / 6 % 4], .mixed = seed / 24 % 2};
  place_balls(b);
  say(b, "space: planar\ngravity: [0, 0]\nbodies:\n");
  for (int i = 0; i < b->balls; i++)
    say(b, "  b%d: {mass: %g, inertia: %g}\n", i, b->mass[i], 0.5 * b->mass[i] * radius * radius);
  say(b, "joints:\n");
  for (int i = 0; i < b->balls; i++) say(b, "  j%d: {free: [ground, b%d]}\n", i, i);
  say_surfaces(b);
  say_materials(b);
  say(b, "initial:\n");
  for (int i = 0; i < b->balls; i++)
    say(b, "  j%d: {q: [0, %.17g, %.17g], u: [%.17g, %.17g, %.17g]}\n", i, b->x[i], b->y[i], uniform(-20, 20),
        uniform(-2, 2), uniform(-2, 2));
  say(b, "method: event\nend: 2\n");
}

// What is conserved, or never grows, and how near to a wall the nearest disc is.
typedef struct balance {
  double energy, momentum[2], moment, size, gap;
} balance;

static balance look(run *r, const billiard *b) {
  balance s = {.gap = INFINITY};
  for (int i = 0; i < b->balls; i++) {
    const double m = b->mass[i], inertia = 0.5 * m * radius * radius, x = run_read(r, "b%d.x", i),
                 y = run_read(r, "b%d.y", i);
    const double vx = run_read(r, "b%d.vx", i), vy = run_read(r, "b%d.vy", i), w = run_read(r, "b%d.wz", i);
    s.energy += 0.5 * (m * (vx * vx + vy * vy) + inertia * w * w);
    s.momentum[0] += m * vx, s.momentum[1] += m * vy;
    s.moment += m * (x * vy - y * vx) + inertia * w;
    s.size += m * hypot(vx, vy) + inertia * fabs(w);
    s.gap = fmin(s.gap, wall - radius - fmax(fabs(x), fabs(y)));
  }
  return s;
}

// Flights are straight, and impacts solved to rounding: what is conserved is so to 1e-10 of its parts in each step.
// Steps end with each event, so that one between two looks without a disc at a wall had none there either.
static bool compare(const balance *before, const balance *after, double energy) {
  const double least = 1e-6, bound = 1e-10 * before->size + 1e-15;
  CHECK_LE(after->energy, before->energy + 1e-11 * energy);
  if (!(before->gap > least && after->gap > least)) return false;
  for (int k = 0; k < 2; k++) CHECK_NEAR(after->momentum[k], before->momentum[k], bound);
  CHECK_NEAR(after->moment, before->moment, bound);
  return true;
}

static void play(int seed, long *steps, long *free_steps) {
  static billiard b;
  run r;
  make_billiard(&b, seed);
  if (!run_open_text(&r, b.text, NULL)) return;
  const int failed = check_state.failures_here;
  balance before = look(&r, &b);
  const double energy = before.energy;
  while (carom_sim_time(r.sim) < 2) {
    if (!CHECK(carom_sim_step(r.sim, 2, &r.error) == CAROM_OK)) break;
    const balance after = look(&r, &b);
    *free_steps += compare(&before, &after, energy);
    ++*steps;
    before = after;
  }
  const carom_summary s = carom_sim_summary(r.sim);
  CHECK_LE(s.energy_imbalance, 1e-9);
  CHECK_EQUAL(s.unsolved, 0);
  CHECK_EQUAL(s.unsettled, 0);
  if (check_state.failures_here > failed)
    printf("      billiard %d: %d balls, friction %g, %s: %s\n", seed, b.balls, b.friction, b.mixed ? "mixed" : "e = 0",
           r.error.text);
  run_close(&r);
}

static void billiards_run_to_their_end(void) {
  const char *wanted = getenv("CAROM_BILLIARDS");
  const int count = wanted ? atoi(wanted) : 200;
  long steps = 0, free_steps = 0;
  for (int seed = 0; seed < count; seed++) play(seed, &steps, &free_steps);
  printf("    %d billiards, %ld steps, %ld of them without a disc at a wall\n", count, steps, free_steps);
  CHECK(free_steps > steps / 10);
}

int main(void) {
  RUN(billiards_run_to_their_end);
  return check_summary();
}
