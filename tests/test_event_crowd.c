// Many bodies event by event: what is stiff in their sliding is known, and reactions come from a factor that is kept.
#include "long.h"
#include "rows.h"

#include "../bench/crowd_model.h"

#include "mechanics/dynamics.h"
#include "scheme/event_internal.h"

// --- one ball after the other in closed form -------------------------------------------------------------------------

enum { BALLS = 12 };
static const double gravity = 9.81, mu = 0.3, radius = 0.05;

// Balls far apart on a floor, each with a speed and a spin of its own.
static bool open_sliding_balls(run *r, double v[BALLS][2], double w[BALLS][2], const char *settings) {
  char text[8000], *to = text;
  check_seed = 11;
  to += sprintf(to, "gravity: [0, 0, %g]\nmaterials: {m: {friction: %g}}\nmethod: event\n", -gravity, mu);
  to += sprintf(to, "bodies:\n  b{i}: {repeat: {i: [0, %d]}, mass: 1, inertia: [0.001, 0.001, 0.001]}\n", BALLS - 1);
  to += sprintf(to, "joints:\n  j{i}: {repeat: {i: [0, %d]}, free: [ground, \"b{i}\"], at: [100*i, 0, %g]}\n",
                BALLS - 1, radius);
  to += sprintf(to,
                "surfaces:\n  floor: {plane: ground, material: m}\n  s{i}: {repeat: {i: [0, %d]}, sphere: \"b{i}\", "
                "radius: %g, material: m}\ninitial:\n",
                BALLS - 1, radius);
  for (int i = 0; i < BALLS; i++) {
    for (int k = 0; k < 2; k++) v[i][k] = uniform(-1, 1), w[i][k] = uniform(-20, 20);
    to += sprintf(to, "  b%d: {velocity: [%.17g, %.17g, 0], omega: [%.17g, %.17g, 0]}\n", i, v[i][0], v[i][1], w[i][0],
                  w[i][1]);
  }
  sprintf(to, "end: 1\n");
  return run_open_text(r, text, settings);
}

// The slip p = v + ω × (-R e_z) keeps its direction and dies away at μ g (1 + R² m/J) = 7/2 μ g; then the ball rolls.
static void balls_slide_until_they_roll(void) {
  double v[BALLS][2], w[BALLS][2];
  run r;
  if (!open_sliding_balls(&r, v, w, NULL)) return;
  CHECK(((const event *)r.sim->scheme)->relaxes);
  for (double t = 0.05; t < 0.41; t += 0.05) {
    if (!run_to(&r, t)) break;
    for (int i = 0; i < BALLS; i++) {
      const double slip[2] = {v[i][0] - w[i][1] * radius, v[i][1] + w[i][0] * radius}, size = hypot(slip[0], slip[1]);
      const double slides = fmin(t, size / (3.5 * mu * gravity));
      CHECK_NEAR(run_read(&r, "b%d.vx", i), v[i][0] - mu * gravity * slides * slip[0] / size, 1e-7);
      CHECK_NEAR(run_read(&r, "b%d.vy", i), v[i][1] - mu * gravity * slides * slip[1] / size, 1e-7);
    }
  }
  const carom_summary s = carom_sim_summary(r.sim);
  printf("    %ld steps, %ld evaluations\n", s.steps, s.evaluations);
  CHECK_LE(s.energy_imbalance, 1e-6);
  CHECK_LE(s.evaluations, 40 * s.steps);  // differences alone would take 160 evaluations for each Jacobian
  run_close(&r);
}

// --- what is stiff ---------------------------------------------------------------------------------------------------

static bool accelerate_at(event *s, const double *u, double *udot) {
  dynamics_set(s->w.m, s->w.x, s->w.t, s->w.y, u);
  if (!CHECK(s->w.flow.accelerate(s))) return false;
  memcpy(udot, s->w.x->udot, (size_t)s->w.m->nv * sizeof *udot);
  return true;
}

// Of a free body the speeds of turning come first.
static double length_of(int speed) { return speed % 6 < 3 ? CROWD_BIN_RADIUS : 1; }

// x = (1 - γ J)⁻¹ b against J by differences: b = x - γ (u̇(u + ε x) - u̇(u - ε x)) / 2ε.
// Returns how much it moves b. The rest of the Jacobian, by turning frames and spins, is some 50/s.
static double relax(event *s, double gamma) {
  enum { MOST = 512 };
  static double u[MOST], x[MOST], back[MOST], low[MOST], high[MOST], at[MOST];
  const int n = s->w.m->nv;
  const double *now = s->w.y + s->w.m->nq;
  double most = 0, off = 0, epsilon = 1e-7;
  if (!CHECK(n <= MOST)) return 0;
  for (int i = 0; i < n; i++) x[i] = back[i] = uniform(-1, 1) / length_of(i);
  s->slips.t = NAN;
  if (!accelerate_at(s, now, at) || !CHECK(event_relax(s, gamma, x))) return 0;
  for (int i = 0; i < n; i++) u[i] = now[i] + epsilon * x[i];
  if (!accelerate_at(s, u, high)) return 0;
  for (int i = 0; i < n; i++) u[i] = now[i] - epsilon * x[i];
  if (!accelerate_at(s, u, low)) return 0;
  for (int i = 0; i < n; i++) {
    off = fmax(off, length_of(i) * fabs(x[i] - gamma * (high[i] - low[i]) / (2 * epsilon) - back[i]));
    most = fmax(most, length_of(i) * fabs(x[i] - back[i]));
  }
  CHECK(s->slips.count > 0);
  CHECK_LE(off, 0.01);
  printf("    step %g s: %d stiff slips, off by %.1e of %.1e\n", gamma, s->slips.count, off, most);
  return most;
}

// A heap of balls that slide on each other and stick.
static void the_stiff_part_is_that_of_the_accelerations(void) {
  run r = {.model = crowd_bin(27, 0.3, 0)};
  r.sim = r.model ? carom_sim_create(r.model, &r.error) : NULL;
  if (!CHECK(r.sim != NULL)) {
    run_close(&r);
    return;
  }
  event *s = (event *)r.sim->scheme;
  CHECK(s->relaxes && s->keeps_factors);
  int found = 0;
  double moved = 0;
  while (found < 3 && carom_sim_time(r.sim) < 0.4 && CHECK(carom_sim_step(r.sim, 0.4, &r.error) == CAROM_OK)) {
    double slowest = INFINITY;
    for
      EACH_POINT(p, &s->w)
    if (s->point[p].mode == MODE_SLIP) slowest = fmin(slowest, event_slip_speed(&s->point[p]));
    if (!(slowest < 1e-3 && slowest > 1e-5)) continue;
    found++;
    moved = fmax(moved, relax(s, 1e-4));
    watcher_show_end(s);
  }
  CHECK_EQUAL(found, 3);
  CHECK_LE(0.1, moved);
  run_close(&r);
}

// A stage of the integrator from speeds that are off by up to `off`:  U = u + γ u̇(U).  Returns what Newton's iteration
// changes last [m/s].
static double solve_stage(event *s, double gamma, double off, bool steers) {
  enum { MOST = 512, TURNS = 8 };
  static double U[MOST], udot[MOST];
  const int n = s->w.m->nv;
  const double *now = s->w.y + s->w.m->nq;
  double size = INFINITY;
  for (int i = 0; i < n; i++) U[i] = now[i] + off * uniform(-1, 1) / length_of(i);
  s->slips.t = NAN;
  event_steer(s, steers);
  for (int turn = 0; turn < TURNS; turn++) {
    if (!accelerate_at(s, U, udot)) break;
    for (int i = 0; i < n; i++) udot[i] = now[i] + gamma * udot[i] - U[i];
    if (!CHECK(event_relax(s, gamma, udot))) break;
    size = 0;
    for (int i = 0; i < n; i++) U[i] += udot[i], size = fmax(size, length_of(i) * fabs(udot[i]));
  }
  event_steer(s, false);
  return size;
}

// Where a slip is slow its direction turns by any angle within a step. As a function of the speeds it leaves Newton's
// iteration without an end; as an unknown beside them it is found in a few turns.
static void directions_of_slow_slips_are_found(void) {
  enum { STATES = 10 };
  run r = {.model = crowd_bin(27, 0.3, 0)};
  r.sim = r.model ? carom_sim_create(r.model, &r.error) : NULL;
  if (!CHECK(r.sim != NULL)) {
    run_close(&r);
    return;
  }
  event *s = (event *)r.sim->scheme;
  int found = 0, solved[2] = {0, 0};
  while (found < STATES && carom_sim_time(r.sim) < 0.4 && CHECK(carom_sim_step(r.sim, 0.4, &r.error) == CAROM_OK)) {
    double slowest = INFINITY;
    for
      EACH_POINT(p, &s->w)
    if (s->point[p].mode == MODE_SLIP) slowest = fmin(slowest, event_slip_speed(&s->point[p]));
    if (!(slowest < 1e-4 && slowest > 1e-7)) continue;
    found++;
    for (int steers = 0; steers < 2; steers++) solved[steers] += solve_stage(s, 1e-5, 10 * slowest, steers) < 1e-10;
    watcher_show_end(s);
  }
  printf("    stages that are solved: %d of %d, with directions that follow the speeds %d\n", solved[1], found,
         solved[0]);
  CHECK_EQUAL(found, STATES);
  CHECK_EQUAL(solved[1], found);
  CHECK(solved[0] < found);
  run_close(&r);
}

// A point whose friction runs out at one instant again and again, or at instants that cannot be told apart, does not
// stop the run there: it is held with more.
static void a_point_does_not_break_loose_without_end(void) {
  enum { TIMES = 10 };
  run r = {.model = crowd_bin(27, 0.3, 0)};
  r.sim = r.model ? carom_sim_create(r.model, &r.error) : NULL;
  if (!CHECK(r.sim != NULL)) {
    run_close(&r);
    return;
  }
  event *s = (event *)r.sim->scheme;
  int p = -1;
  while (p < 0 && carom_sim_time(r.sim) < 0.4 && CHECK(carom_sim_step(r.sim, 0.4, &r.error) == CAROM_OK))
    for
      EACH_POINT(k, &s->w)
  if (s->point[k].mode == MODE_STICK && s->point[k].force[0] > 0.1 && !s->point[k].idles) p = k;
  const event_instant breaks = {EVENT_BREAK, p, 0};
  for (int k = 1; k <= TIMES && CHECK(p >= 0); k++) {
    event_point *c = &s->point[p];
    c->mode = MODE_STICK;
    c->broke_at -= s->together / 2;
    CHECK_EQUAL(event_settle(s, &breaks, &r.error), CAROM_OK);
    CHECK_EQUAL(s->w.trouble.unsettled, k > 3);
    if (k > 3) CHECK(c->mode == MODE_STICK && c->slack > 0 && c->slack >= 0.01 * c->friction * c->force[0]);
  }
  run_close(&r);
}

// A slip that creeps keeps the direction of its friction. It ends when it goes back as fast as one with a direction.
static void what_creeps_has_no_direction_to_turn_back_from(void) {
  run r = {.model = crowd_bin(27, 0.3, 0)};
  r.sim = r.model ? carom_sim_create(r.model, &r.error) : NULL;
  if (!CHECK(r.sim != NULL)) {
    run_close(&r);
    return;
  }
  event *s = (event *)r.sim->scheme;
  int p = -1;
  while (p < 0 && carom_sim_time(r.sim) < 0.4 && CHECK(carom_sim_step(r.sim, 0.4, &r.error) == CAROM_OK))
    for
      EACH_POINT(k, &s->w)
  if (s->point[k].mode == MODE_SLIP && s->point[k].rows == 3) p = k;
  if (CHECK(p >= 0)) {
    event_point *c = &s->point[p];
    const int stop = p * EVENT_FUNCTIONS + 1;
    CHECK_EQUAL(event_kind_of(s, stop), EVENT_STOP);
    for (int k = 0; k < 4; k++) {
      const double back = (k % 2 ? 2 : 0.5) * s->standing * s->still;
      const watch_look at = {.slip = {-back * c->way[0], -back * c->way[1]}};
      c->fade.creeps = k < 2;
      CHECK((event_value(&s->w, stop, &at) > 0) == (k == 0));
    }
  }
  run_close(&r);
}

// 871 steps to 0.6 s. Where slips of 1e-7 m/s count as such when modes are decided, events of nanoseconds begin soon
// after 0.5 s.
static void a_heap_settles_in_few_steps(void) {
  enum { MOST = 3000 };
  run r = {.model = crowd_bin(27, 0.3, 0)};
  r.sim = r.model ? carom_sim_create(r.model, &r.error) : NULL;
  if (!CHECK(r.sim != NULL)) {
    run_close(&r);
    return;
  }
  int steps = 0;
  while (steps < MOST && carom_sim_time(r.sim) < 0.6 && CHECK(carom_sim_step(r.sim, 0.6, &r.error) == CAROM_OK))
    steps++;
  const carom_summary s = carom_sim_summary(r.sim);
  printf("    %d steps to %g s, energy error %.1e\n", steps, carom_sim_time(r.sim), s.energy_imbalance);
  CHECK(carom_sim_time(r.sim) >= 0.6);
  CHECK_LE(s.energy_imbalance, 1e-6);
  CHECK_EQUAL(s.unsolved, 0);
  run_close(&r);
}

// --- factors that are kept -------------------------------------------------------------------------------------------

// The size of the share of the point that a held row belongs to. What is small beside the largest counts as a part of
// it.
static double size_of_share(const event *s, int row) {
  double most = 0, size = 0;
  for
    EACH_PART(k, s) {
      const event_point *c = event_part(s, k);
      most = fmax(most, c->share[0]);
      if (row >= c->row && row < c->row + c->all_rows) size = c->share[0];
    }
  return fmax(size, 1e-4 * most);
}

static double barrier(double reserve) {
  static const double DELTA = 1e-3;
  const double beyond = (reserve - DELTA) / DELTA;
  return reserve >= DELTA ? -log(reserve) : -log(DELTA) - beyond + 0.5 * beyond * beyond;
}

// What the middle of all shares of the load is the least of, at forces z of held rows over their scales.
static double sum_of_barriers(const event *s, const double *z) {
  const event_factor *f = &s->factor[2];
  double most = 0, sum = 0;
  int i = 0;
  for
    EACH_PART(k, s) most = fmax(most, event_part(s, k)->share[0]);
  for
    EACH_PART(k, s) {
      const event_point *c = event_part(s, k);
      const double size = fmax(c->share[0], 1e-4 * most), N = f->scale[i] * z[i];
      sum += barrier(1 - N / (10 * most));
      if (c->mode == MODE_STICK) {
        const double drag[2] = {f->scale[i + 1] * z[i + 1], f->scale[i + 2] * z[i + 2]}, unit = c->friction * size;
        sum += barrier((c->friction * N - hypot(hypot(drag[0], drag[1]), 0.02 * unit)) / unit);
      } else sum += barrier(N / size);
      i += c->mode == MODE_STICK ? 3 : 1;
    }
  CHECK_EQUAL(i, f->held);
  return sum;
}

// Where forces are looked at they are in the middle of their shares, and accelerate the bodies as any others that fit.
static void look_at_share(event *s, const double *known) {
  enum { MOST = 512 };
  static double udot[MOST], z[MOST];
  const event_factor *f = &s->factor[2];
  s->looks = true;
  const bool found = accelerate_at(s, s->w.y + s->w.m->nq, udot) && CHECK(f->n > 0);
  s->looks = false;
  if (!found) return;
  const double least = sum_of_barriers(s, f->z);
  for (int k = 0; k < f->shares; k++)  // any way from there is no way down, near or far
    for (double way = 1e-4; way < 10; way *= 100)
      for (int side = -1; side <= 1; side += 2) {
        const double *q = f->share + (long)k * f->held;
        for (int i = 0; i < f->held; i++) z[i] = f->z[i] + side * way * q[i];
        CHECK_LE(least, sum_of_barriers(s, z) + 1e-8 * fabs(least));
      }
  for (int i = 0; i < s->w.m->nv; i++) CHECK_NEAR(length_of(i) * udot[i], length_of(i) * known[i], 1e-8);
}

// Another share leaves every point inside its cone and the bodies with the same accelerations: forces that are looked
// at then are this share.
static void share_anew(event *s, const double *known) {
  enum { MOST = 512 };
  static double udot[MOST];
  if (!CHECK_EQUAL(event_share_anew(s), SHARING_FOUND)) return;
  event_take_closed(s);
  s->looks = true;
  const bool found = accelerate_at(s, s->w.y + s->w.m->nq, udot);
  s->looks = false;
  if (!found) return;
  for
    EACH_PART(k, s) {
      const event_point *c = event_part(s, k);
      const double size = size_of_share(s, c->row);
      if (c->idles) continue;
      CHECK(c->share[0] > 0);
      if (c->mode == MODE_STICK) CHECK(hypot(c->share[1], c->share[2]) < c->friction * c->share[0]);
      CHECK_NEAR(c->force[0], c->share[0], 1e-3 * size);
    }
  for (int i = 0; i < s->w.m->nv; i++) CHECK_NEAR(length_of(i) * udot[i], length_of(i) * known[i], 1e-8);
}

// Balls in corners touch the ground twice, so that their forces are not unique. The factor of the independent rows
// gives the accelerations of all rows.
static void a_factor_serves_where_rows_depend_on_others(void) {
  enum { MOST = 512 };
  static double kept[MOST];
  run r = {.model = crowd_bin(27, 0.3, 0)};
  r.sim = r.model ? carom_sim_create(r.model, &r.error) : NULL;
  if (!CHECK(r.sim != NULL)) {
    run_close(&r);
    return;
  }
  event *s = (event *)r.sim->scheme;
  int found = 0;
  double off = 0, most = 0;
  while (found < 5 && carom_sim_time(r.sim) < 0.6 && CHECK(carom_sim_step(r.sim, 0.6, &r.error) == CAROM_OK)) {
    const event_factor *f = &s->factor[2];
    if (!s->redundant || !(f->n > 0 && f->n < f->held)) continue;
    if (!accelerate_at(s, s->w.y + s->w.m->nq, kept) || f->n == 0) continue;
    found++;
    CHECK_EQUAL(f->shares, f->held - f->n);
    look_at_share(s, kept);
    share_anew(s, kept);
    for (int k = 0; k < 3; k++) s->factor[k].n = 0;
    dynamics_set(s->w.m, s->w.x, s->w.t, s->w.y, s->w.y + s->w.m->nq);
    CHECK(s->w.flow.accelerate(s));
    for (int i = 0; i < s->w.m->nv; i++) {
      off = fmax(off, length_of(i) * fabs(kept[i] - s->w.x->udot[i]));
      most = fmax(most, length_of(i) * fabs(kept[i]));
    }
    watcher_show_end(s);
  }
  printf("    accelerations off by %.1e of %.1e m/s^2\n", off, most);
  CHECK_EQUAL(found, 5);
  CHECK_LE(off, 1e-6 * most);
  run_close(&r);
}

// --- a bin -----------------------------------------------------------------------------------------------------------

// A second of 60 spheres within ten minutes and 200 MB.
static void fill_bin(double restitution, double end) {
  enum { COUNT = 60 };
  static double at[COUNT][3];
  run r = {.model = crowd_bin(COUNT, 0.3, restitution)};
  r.sim = r.model ? carom_sim_create(r.model, &r.error) : NULL;
  if (!CHECK(r.sim != NULL)) {
    run_close(&r);
    return;
  }
  double energy = INFINITY;
  for (int k = 1; k <= 100 && run_to(&r, end * k / 100); k++) {
    const double now = run_read(&r, "energy.kinetic") + run_read(&r, "energy.gravity");
    CHECK_LE(now, energy + 1e-3);
    energy = now;
    crowd_read(r.model, r.sim, at, COUNT);
    CHECK_LE(crowd_bin_overlap((const double(*)[3])at, COUNT), 1e-6);
  }
  const carom_summary s = carom_sim_summary(r.sim);
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("    restitution %g: %g s, %ld steps, %ld evaluations, %ld problems, %ld impacts, energy error %.1e, %ld MB\n",
         restitution, carom_sim_time(r.sim), s.steps, s.evaluations, s.solves, s.contact_impacts, s.energy_imbalance,
         used.ru_maxrss / 1024);
  CHECK_LE(s.energy_imbalance, 1e-3);
  CHECK_EQUAL(s.unsolved, 0);
  CHECK(s.contact_impacts > 0);
  // five stages with about two evaluations each and five looks; a Jacobian by differences takes 780
  CHECK_LE(s.evaluations, 30 * s.steps);
  if (long_form()) CHECK_LE(used.ru_maxrss / 1024, 200);
  run_close(&r);
}

static void spheres_fall_into_a_bin(void) {
  fill_bin(0, 0.25);
  fill_bin(0.5, 0.18);
}
static void a_bin_is_filled_without_restitution(void) { fill_bin(0, 1); }
static void a_bin_is_filled_with_restitution(void) { fill_bin(0.5, 1); }

// Joints are stiff, too: a chain has a Jacobian by differences, however long it is.
static void a_long_chain_takes_no_more_steps(void) {
  long steps[2];
  for (int k = 0; k < 2; k++) {
    char text[1000];
    run r;
    sprintf(text,
            "space: planar\nparameters: {n: %d}\nbodies:\n  b{i}: {repeat: {i: [1, n]}, mass: 1, inertia: 0.001, com: "
            "[0, -0.05]}\n"
            "joints:\n  j1: {revolute: [ground, b1]}\n  j{i}: {repeat: {i: [2, n]}, revolute: [\"b{i-1}\", \"b{i}\"], "
            "at: [0, -0.1*(i - 1)]}\n"
            "method: event\nintegrator: {type: bdf, rtol: 1e-3, atol: 1e-3}\nend: 1\n",
            k ? 61 : 59);
    if (!run_open_text(&r, text, NULL)) return;
    run_to(&r, 1);
    steps[k] = carom_sim_summary(r.sim).steps;
    run_close(&r);
  }
  CHECK_LE(steps[1], 2 * steps[0]);
}

int main(void) {
  RUN(balls_slide_until_they_roll);
  RUN(the_stiff_part_is_that_of_the_accelerations);
  RUN(directions_of_slow_slips_are_found);
  RUN(a_point_does_not_break_loose_without_end);
  RUN(what_creeps_has_no_direction_to_turn_back_from);
  RUN_OPTIMISED(a_heap_settles_in_few_steps);
  RUN_OPTIMISED(a_factor_serves_where_rows_depend_on_others);
  RUN(a_long_chain_takes_no_more_steps);
  RUN(spheres_fall_into_a_bin);
  RUN_LONG(a_bin_is_filled_without_restitution, 600);
  RUN_LONG(a_bin_is_filled_with_restitution, 600);
  return check_summary();
}
