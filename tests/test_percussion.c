// Percussions, step by step: the balance M(u⁺ - u⁻) = hΔt + WP, momentum, energy, and what the impact ledger says of
// it.
#include "kane.h"
#include "rows.h"

#include <unistd.h>

#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/function.h"
#include "mechanics/response.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"
#include "sim.h"

// --- the balance -----------------------------------------------------------------------------------------------------

typedef struct balance {
  const mechanism *m;
  motion *x;
  contact_point *points;
  double *q, *u, *udot, *effort, *unit, *rates, *P;
} balance;

static bool balance_open(balance *b, const carom_sim *sim) {
  const mechanism *m = &sim->model->m;
  const size_t rows = (size_t)(m->row_count + m->extra_rows + 1), n = (size_t)(m->nq + m->nv + 1);
  *b = (balance){.m = m,
                 .x = motion_create(m, 0, NULL),
                 .points = calloc((size_t)sim->model->contacts.point_count + 1, sizeof *b->points)};
  double **arrays[] = {&b->q, &b->u, &b->udot, &b->effort, &b->unit};
  for (int i = 0; i < 5; i++) *arrays[i] = calloc(n, sizeof(double));
  b->rates = calloc(rows, sizeof(double)), b->P = calloc(rows, sizeof(double));
  return CHECK(b->x && b->points && b->P);
}

static void balance_close(balance *b) {
  double *arrays[] = {b->q, b->u, b->udot, b->effort, b->unit, b->rates, b->P};
  for (int i = 0; i < 7; i++) free(arrays[i]);
  free(b->points);
  motion_destroy(b->x);
}

static void balance_note(balance *b, const carom_sim *sim) {
  const double *state = sim->type->state(sim->scheme);
  memcpy(b->q, state, (size_t)b->m->nq * sizeof *b->q);
  memcpy(b->u, state + b->m->nq, (size_t)b->m->nv * sizeof *b->u);
}

// A motion of our own at (q_M, u_A) with the rows of the points that were active, and the forces that were recorded.
static void balance_pose(balance *b, carom_sim *sim, double t, double dt) {
  const mechanism *m = b->m;
  motion *x = b->x;
  const contact_world *contacts = &sim->model->contacts;
  CHECK(sim_evaluate(sim, NULL));
  const scheme_contact *shown = sim->type->contacts(sim->scheme);
  memcpy(x->q, b->q, (size_t)m->nq * sizeof *x->q);
  memcpy(x->u, b->u, (size_t)m->nv * sizeof *x->u);
  for (int i = 0; i < m->nv; i++) b->unit[i] = 0.5 * dt * b->u[i];
  dynamics_move(m, x->q, b->unit);
  for (int i = 0; i < m->drive_count; i++) {
    const drive *d = &m->drives[i];
    if (d->speed >= 0) x->q[m->nodes[m->joints[d->of.joint].node].q + d->of.index] = function_jet(&d->f, t + dt / 2).v;
  }
  x->t = t + dt / 2;
  tree_kinematics(m, x);
  coordinate_update(m, x);
  dynamics_apply_forces(m, x);
  x->t = t + dt;
  if (m->row_count) constraints_evaluate(m, x);
  rows_clear(m, x);
  for (int i = 0; i < m->row_count; i++) b->P[i] = sim->x->result.lambda[i];
  contact_evaluate(contacts, m, x, b->points);
  for (int i = 0; i < contacts->element_count; i++) {
    const contact_element *e = &contacts->elements[i];
    for (int k = 0; k < e->point_count; k++) {
      const scheme_contact *c = &shown[e->point0 + k];
      if (!c->active) continue;
      const int first = x->row_total, count = contact_add_rows(m, x, e, &b->points[e->point0 + k]);
      const double force[3] = {c->normal_force, c->tangential_force[0], c->tangential_force[1]};
      memcpy(b->P + first, force, (size_t)count * sizeof *force);
    }
  }
}

static bool is_driven(const mechanism *m, int speed) {
  for (int i = 0; i < m->drive_count; i++)
    if (m->drives[i].speed == speed) return true;
  return false;
}

// What is left of M (u_E - u_A)/Δt - h - W P/Δt, relative to the largest of h, W P/Δt and M u_E/Δt. Columns of Wᵀ by
// giving each speed in turn the value one: nothing of the engine's own W P is used.
static double balance_left(balance *b, carom_sim *sim, double t, double dt) {
  const mechanism *m = b->m;
  const double *u_end = sim->type->state(sim->scheme) + m->nq;
  balance_pose(b, sim, t, dt);
  double left = 0, scale = 0;
  for (int k = 0; k < 2; k++) {  // the forces; and the momentum, to whose rounding u_E is known
    for (int i = 0; i < m->nv; i++) b->udot[i] = k * u_end[i] / dt, b->unit[i] = 0;
    tree_inverse(m, b->x, b->udot, b->effort);
    for (int i = 0; i < m->nv; i++) scale = fmax(scale, fabs(b->effort[i]));
  }
  // the first step shows the part of the turning constraints over half its length, in multipliers and accelerations
  // alike
  for (int i = 0; i < m->nv; i++) b->udot[i] = t > 0 ? (u_end[i] - b->u[i]) / dt : sim->x->result.udot[i];
  tree_inverse(m, b->x, b->udot, b->effort);
  for (int i = 0; i < m->nv; i++) {
    if (is_driven(m, i)) continue;
    double pushed = 0;
    b->unit[i] = 1;
    response_rates(m, b->x, b->unit, b->rates);
    b->unit[i] = 0;
    for (int k = 0; k < b->x->row_total; k++) {
      pushed += b->rates[k] * b->P[k];
      scale = fmax(scale, fabs(b->rates[k] * b->P[k]));
    }
    const double weight = b->effort[i] - b->x->tau[i];
    left = fmax(left, fabs(weight - pushed));
  }
  return scale > 0 ? left / scale : 0;
}

// Rounding: some tens of terms, each to 1e-16 of it; a few more digits where the tree's factors lose some.
static void balance_run(run *r, const char *model, const char *settings, int steps) {
  balance b;
  if (balance_open(&b, r->sim)) {
    double worst = 0;
    long touching = 0;
    for (int k = 0; k < steps; k++) {
      const double t = carom_sim_time(r->sim);
      balance_note(&b, r->sim);
      if (!CHECK(carom_sim_step(r->sim, 1e9, &r->error) == CAROM_OK)) break;
      const double left = balance_left(&b, r->sim, t, carom_sim_time(r->sim) - t);
      touching += b.x->row_total > b.m->row_count;
      worst = fmax(worst, left);
    }
    printf("    %s %s: %.1e in %d steps, %ld of them in contact\n", model, settings, worst, steps, touching);
    CHECK_LE(worst, 1e-13);
    CHECK(touching > 0);
  }
  balance_close(&b);
  run_close(r);
}

static void percussions_balance(const char *model, const char *settings, int steps) {
  run r;
  if (run_open(&r, model, settings)) balance_run(&r, model, settings, steps);
}

// In space on two corners and more, where percussions are not unique and so found by the last stages of the chain.
static const char *const box =
    "parameters: {mu: 2}\n"
    "bodies: {box: {mass: 3, inertia: [0.0325, 0.045, 0.0325]}}\n"
    "joints: {box: {free: [ground, box]}}\n"
    "surfaces: {box: {box: box, size: [0.3, 0.2, 0.3], material: wood}, floor: {plane: ground, material: wood}}\n"
    "materials: {wood: {friction: mu, restitution: 0.5}}\n"
    "initial: {box: {q: [cos(0.2), 0, sin(0.2), 0, 0, 0, 0.3], velocity: [1, 0.5, -1], omega: [0, 1, 2]}}\n"
    "method: {moreau: {step: 1 ms}}\n";

static void percussions_balance_in_every_step(void) {
  percussions_balance("slider-crank", "", 14000);
  percussions_balance("slider-crank", "omega3=-75", 14000);
  percussions_balance("slider-crank", "omega3=-75 coordinates=absolute", 3000);
  percussions_balance("four-bar-clearance", "", 5000);
  percussions_balance("rocking-block", "", 2000);
  percussions_balance("discs-in-slot", "", 500);
  percussions_balance("rolling-sphere", "", 300);
  percussions_balance("newtons-cradle", "", 1000);
  for (int i = 0; i < 3; i++) {
    run r;
    const char *const settings[] = {"", "mu=0.4", "mu=0"};
    if (run_open_text(&r, box, settings[i])) balance_run(&r, "box", settings[i], 1500);
  }
}

// --- momentum --------------------------------------------------------------------------------------------------------

// Four rough balls in a bunch, spinning, without gravity.
static const char *const swarm =
    "gravity: [0, 0, 0]\n"
    "parameters: {r: 0.1, dt: 1e-3}\n"
    "bodies:\n"
    "  ball{i}: {repeat: {i: [1, 4]}, mass: 0.5 + 0.3*i, inertia: [\"(0.2 + 0.12*i)*r^2\", \"(0.2 + 0.12*i)*r^2\", "
    "\"(0.2 + 0.12*i)*r^2\"]}\n"
    "joints:\n"
    "  fly{i}: {repeat: {i: [1, 4]}, free: [ground, \"ball{i}\"]}\n"
    "surfaces:\n"
    "  ball{i}: {repeat: {i: [1, 4]}, sphere: \"ball{i}\", radius: r, material: rubber}\n"
    "materials: {rubber: {restitution: 0.7, friction: 0.3}}\n"
    "initial:\n"
    "  fly1: {q: [1, 0, 0, 0, -0.5, 0.02, 0.03]}\n"
    "  fly2: {q: [1, 0, 0, 0, 0, 0, 0]}\n"
    "  fly3: {q: [1, 0, 0, 0, 0.25, 0.03, -0.02]}\n"
    "  fly4: {q: [1, 0, 0, 0, 0.1, 0.6, 0.05]}\n"
    "  ball1: {velocity: [2, 0.1, 0], omega: [3, -8, 5]}\n"
    "  ball2: {velocity: [0, 0, 0], omega: [0, 6, -2]}\n"
    "  ball3: {velocity: [-0.5, 0, 0.1], omega: [1, 1, 1]}\n"
    "  ball4: {velocity: [0, -2, 0], omega: [-9, 0, 4]}\n"
    "method: {moreau: {step: dt}}\n";

static vec3 read_vector(run *r, const char *body, const char *kind) {
  double v[3];
  for (int k = 0; k < 3; k++) v[k] = run_read(r, "%s.%s%c", body, kind, "xyz"[k]);
  return vec3_of(v);
}

static void momenta(run *r, vec3 *linear, vec3 *angular) {
  *linear = *angular = (vec3){0, 0, 0};
  for (int i = 1; i <= 4; i++) {
    char body[16];
    snprintf(body, sizeof body, "ball%d", i);
    const double mass = 0.5 + 0.3 * i, inertia = (0.2 + 0.12 * i) * 0.01;
    const vec3 p = vec3_scale(mass, read_vector(r, body, "v"));
    *linear = vec3_add(*linear, p);
    *angular = vec3_add(*angular, vec3_cross(read_vector(r, body, ""), p));
    *angular = vec3_axpy(*angular, inertia, read_vector(r, body, "w"));
  }
}

// One percussion at one point on both bodies, and a midpoint rule that keeps r × mv: momenta stay to the rounding of
// 1000 steps. The turns are those of spheres, so that inertia does not depend on them.
static void free_bodies_keep_their_momenta(void) {
  run r;
  vec3 p0, L0, p, L;
  if (!run_open_text(&r, swarm, "")) return;
  momenta(&r, &p0, &L0);
  run_to(&r, 1);
  momenta(&r, &p, &L);
  printf("    %ld episodes, momentum changed by %.1e of %.2f kg m/s, angular momentum by %.1e of %.2f kg m2/s\n",
         carom_sim_summary(r.sim).contact_episodes, vec3_norm(vec3_sub(p, p0)), vec3_norm(p0),
         vec3_norm(vec3_sub(L, L0)), vec3_norm(L0));
  CHECK(carom_sim_summary(r.sim).contact_episodes >= 3);
  CHECK_LE(vec3_norm(vec3_sub(p, p0)), 1e-12);
  CHECK_LE(vec3_norm(vec3_sub(L, L0)), 1e-12);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-12);
  run_close(&r);
}

// Event by event: between impacts nothing acts, so that linear momentum is kept to rounding; positions are integrated
// to 1e-12 a step, over some tens of steps, and angular momentum is as good as these.
static void impacts_keep_momenta(void) {
  run r;
  vec3 p0, L0, p, L;
  if (!run_open_text(&r, swarm, "method=event integrator.rtol=1e-12 integrator.atol=1e-12")) return;
  momenta(&r, &p0, &L0);
  run_to(&r, 1);
  momenta(&r, &p, &L);
  CHECK(carom_sim_summary(r.sim).contact_episodes >= 3);
  CHECK_LE(vec3_norm(vec3_sub(p, p0)), 1e-13);
  CHECK_LE(vec3_norm(vec3_sub(L, L0)), 1e-10);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-10);
  run_close(&r);
}

// --- energy ----------------------------------------------------------------------------------------------------------

typedef struct ledger_sum {
  long rows;
  double normal, tangential;
} ledger_sum;

static void add_row_up(void *context, const episode_row *row_of_ledger) {
  ledger_sum *s = context;
  s->rows++;
  s->normal += row_of_ledger->loss_normal, s->tangential += row_of_ledger->loss_tangential;
}

// No step gains; the episodes of the ledger and the energy accounts tell the same story.
static void contacts_take_energy(const char *model, const char *settings, double t_end) {
  run r;
  ledger_sum sum = {0};
  if (!run_open(&r, model, settings)) return;
  r.sim->impacts.close_episode = add_row_up;
  r.sim->impacts.context = &sum;
  run_to(&r, t_end);
  sim_close_episodes(r.sim);
  const carom_summary s = carom_sim_summary(r.sim);
  const double impact_loss = run_read(&r, "energy.impact"), friction = run_read(&r, "energy.friction");
  printf("    %s %s: %ld episodes, %.3e J lost across, %.3e J along\n", model, settings, sum.rows, impact_loss,
         friction);
  CHECK_EQUAL(s.energy_gains, 0);
  CHECK(impact_loss + friction > 0);
  CHECK_EQUAL(sum.rows, s.contact_episodes);
  CHECK_NEAR(sum.normal, impact_loss, 1e-12 * (fabs(impact_loss) + 1));
  CHECK_NEAR(sum.tangential, friction, 1e-12 * (fabs(friction) + 1));
  run_close(&r);
}

static void contacts_only_take_energy(void) {
  contacts_take_energy("bouncing-ball", "", 10);
  contacts_take_energy("slider-crank", "", 0.14);
  contacts_take_energy("slider-crank", "omega3=-75", 0.14);
  contacts_take_energy("four-bar-clearance", "dt=2e-5", 0.4);
  contacts_take_energy("rocking-block", "", 5);
  contacts_take_energy("discs-in-slot", "", 0.5);
  contacts_take_energy("newtons-cradle", "e=0.5", 0.1);
  contacts_take_energy("sliding-block", "", 2);
}

// A ram pushes a block that moves with it and rubs in its guide: the rate of their gap is rounding, here 5e-17 m/s, and
// so is what the contact seems to gain by it.
static void rounding_is_no_gain(void) {
  static const char text[] =
      "space: planar\n"
      "parameters: {speed: 5, rubs: 5}\n"
      "bodies:\n"
      "  crank: {mass: 0.5, inertia: 1e-3, com: [0.05, 0]}\n"
      "  rod: {mass: 0.8, inertia: 6e-3, com: [0.15, 0]}\n"
      "  ram: {mass: 1, inertia: 1e-3}\n"
      "  block: {mass: 2, inertia: 0.01}\n"
      "joints:\n"
      "  crank: {revolute: [ground, crank]}\n"
      "  rod: {revolute: [crank, rod], at: [0.1, 0]}\n"
      "  pin: {revolute: [rod, ram], at: [0.3, 0]}\n"
      "  guide: {prismatic: [ground, ram], axis: x, friction_force: 2}\n"
      "  slide: {prismatic: [ground, block], axis: x, friction_force: rubs}\n"
      "surfaces:\n"
      "  a: {sphere: ram, at: [0.05, 0], radius: 0.05, material: m}\n"
      "  b: {sphere: block, at: [0, 0], radius: 0.05, material: m}\n"
      "contacts: {ab: {between: [a, b]}}\n"
      "materials: {m: {restitution: 0, friction: 0.2}}\n"
      "drives: {motor: {joint: crank, motion: '-1.5707963267948966 + speed*t'}}\n"
      "initial: {slide: {q: '0.05+0.1+sqrt(0.3^2-0.1^2)', u: 0.1*speed}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  static const char *const settings[] = {"", "coordinates=absolute", "speed=5e-5", "speed=5e-5 rubs=1e4"};
  for (int i = 0; i < 4; i++) {
    run r;
    if (!run_open_text(&r, text, settings[i])) return;
    run_to(&r, 0.01);
    CHECK_EQUAL(carom_sim_summary(r.sim).energy_gains, 0);
    run_close(&r);
  }
}

static void check_gain_is_told(const run *r, const carom_summary *summary) {
  char json[4096], said[64];
  carom_error error = {0};
  CHECK(carom_summary_json(summary, json, sizeof json) < (int)sizeof json);
  snprintf(said, sizeof said, "\"energy_gain\": {\"energy\": %.6g", summary->energy_gained);
  CHECK_CONTAINS(json, said);
  carom_verdict *verdict = carom_judge(r->model, summary, &error);
  bool found = false;
  for (int i = 0; verdict && carom_verdict_check(verdict, i).key; i++) {
    const carom_check c = carom_verdict_check(verdict, i);
    if (strcmp(c.key, "energy_gain") == 0) found = CHECK_CONTAINS(c.sentence, "First at ");
  }
  CHECK(found);
  carom_verdict_destroy(verdict);
}

// Newton's restitution with friction may add energy, as on Kane's rod. The ledger must say so and still close.
static void energy_gained_by_newtons_law_is_told(void) {
  const kane_impact k = kane_strike();
  const double T_before = 0.5 * (1 + k.v * k.v), gained = kane_energy(k.e, 0) - kane_energy(-1, k.v);
  run r;
  char settings[96];
  snprintf(settings, sizeof settings, "method=moreau method.moreau.step=1e-5 above=1e-6 v=%.17g", -k.v);
  if (!run_open_text(&r, kane_rod, settings)) return;
  CHECK_NEAR(run_read(&r, "energy.kinetic"), T_before, 1e-12);
  run_to(&r, 1e-4);
  const carom_summary summary = carom_sim_summary(r.sim);
  const double lost = run_read(&r, "energy.impact") + run_read(&r, "energy.friction");
  CHECK(gained > 0);
  // the step is 1e-5 s and the rod turns at some rad/s: W at the impact is that at 60° to 1e-5
  CHECK_NEAR(-lost, gained, 1e-4);
  CHECK_EQUAL(summary.energy_gains, 1);
  CHECK_NEAR(summary.energy_gained, -lost, 1e-14);
  CHECK_NEAR(summary.energy_gained_t, 1e-5,
             1e-5);  // it is 1e-6 m above the floor at 1 m/s: in the first step or the next
  check_gain_is_told(&r, &summary);
  CHECK_NEAR(run_read(&r, "energy.kinetic") - T_before, -lost, 1e-4);
  run_close(&r);
}

// --- the impact ledger -----------------------------------------------------------------------------------------------

static int bounces;

static void check_bounce(void *context, const impact *i) {
  const double *dt = context, v = i->approach_speed;
  if (i->separation_speed < 0.1) return;  // later ones take several steps
  bounces++;
  CHECK_NEAR(i->restitution, 0.9, 0);
  CHECK_NEAR(i->restitution_achieved, 0.9, 1e-12);
  CHECK_NEAR(i->end - i->start, *dt, 1e-12);  // a step
  CHECK_LE(i->penetration, v * *dt);
  CHECK_NEAR(i->deepest, i->penetration, 0);
  // m (1 + e) v, and the weight in the step; the loss likewise m v² (1 - e²)/2 and v (1 - e)/2 times the weight's
  // impulse
  CHECK_NEAR(i->impulse_normal, 1.9 * v + 9.81 * *dt, 1e-11);
  CHECK_NEAR(i->loss_normal, 0.5 * 0.1 * v * (1.9 * v + 9.81 * *dt), 1e-11);
  CHECK_NEAR(i->peak_force, i->impulse_normal / *dt, 1e-8);
  CHECK_NEAR(i->loss_tangential, 0, 0);
}

static void ledger_tells_of_each_bounce(void) {
  run r;
  double dt = 1e-3;
  if (!run_open(&r, "bouncing-ball", "dt=1e-3")) return;
  bounces = 0;
  r.sim->impacts.close = check_bounce;
  r.sim->impacts.context = &dt;
  run_to(&r, 10);
  CHECK_LE(30, bounces);  // 4.43 m/s * 0.9^n > 0.11 m/s up to n = 35
  run_close(&r);
}

// It slides for v0/(μg) = 1.019 s and then sticks, in one episode of the pair. Nothing strikes.
static void ledger_tells_stick_from_slip(void) {
  run r;
  static rows list;
  if (!rows_open(&r, "sliding-block", "", &list)) return;
  run_to(&r, 2);
  sim_close_episodes(r.sim);
  CHECK_EQUAL(list.count, 0);
  if (CHECK_EQUAL(list.episode_count, 1)) {
    CHECK_NEAR(list.episode[0].slip_time, 5 / (0.5 * 9.81), 1e-3);
    CHECK_NEAR(list.episode[0].slip_time + list.episode[0].stick_time, 2, 1e-9);
    CHECK_NEAR(list.episode[0].loss_tangential, 0.5 * 25 * 2, 1e-9);
  }
  run_close(&r);
}

// --- stops and clearance ---------------------------------------------------------------------------------------------

// A pendulum between stops at ±0.5 rad, without gravity: strikes each in turn and keeps e of its speed. Then a slider
// that falls onto the end of its rail and stays there.
static void joints_have_stops(void) {
  static const char *const swinging =
      "space: planar\ngravity: [0, 0]\n"
      "bodies: {arm: {mass: 1, inertia: 0.1, com: [0.5, 0]}}\n"
      "joints: {hinge: {revolute: [ground, arm], limits: [-0.5, 0.5], material: felt}}\n"
      "materials: {felt: {restitution: 0.5}}\n"
      "initial: {hinge: {u: 2}}\n"
      "method: {moreau: {step: 1e-3}}\n";
  static const char *const falling =
      "space: planar\n"
      "bodies: {slider: {mass: 2, inertia: 0.1}}\n"
      "joints: {rail: {prismatic: [ground, slider], axis: y, limits: [-0.5, 1]}}\n"
      "method: {moreau: {step: 1e-3}}\n";
  static const char *const coordinates[] = {"coordinates=joint", "coordinates=absolute"};
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open_text(&r, swinging, coordinates[i])) return;
    // the first stop after 0.25 s, the second 1 rad later at 1 rad/s
    run_to(&r, 0.24);
    CHECK_NEAR(run_read(&r, "hinge.u"), 2, 1e-9);
    run_to(&r, 0.3);
    CHECK_NEAR(run_read(&r, "hinge.u"), -1, 1e-9);
    run_to(&r, 1.3);
    CHECK_NEAR(run_read(&r, "hinge.u"), 0.5, 1e-9);
    CHECK_NEAR(run_read(&r, "energy.impact"), 0.5 * 0.35 * (4 - 0.25), 1e-9);
    CHECK_EQUAL(carom_sim_summary(r.sim).contact_episodes, 2);
    CHECK_LE(carom_sim_summary(r.sim).deepest_penetration, 2 * 1e-3);  // speed times step
    run_close(&r);
    if (!run_open_text(&r, falling, coordinates[i])) return;
    run_to(&r, 1);
    CHECK_NEAR(run_read(&r, "rail.u"), 0, 1e-12);
    CHECK_NEAR(run_read(&r, "rail.q"), -0.5, sqrt(9.81) * 1e-3);  // within the last step at 3.13 m/s
    CHECK_NEAR(run_read(&r, "rail_min.fn"), 2 * 9.81, 1e-9);
    run_close(&r);
  }
}

// The journal leaves its bearing by no more than the scheme's error, which halves with the step: what it goes beyond
// the clearance is found in the step after (v Δt), and following the wall at v it drifts outwards by v²Δt/(2c) in a
// second.
static void journal_stays_in_its_bearing(void) {
  double deepest[3];
  for (int i = 0; i < 3; i++) {
    run r;
    char settings[100];
    const double dt = ldexp(4e-5, -i);
    snprintf(settings, sizeof settings, "dt=%.17g method.moreau.remove_overlap=false",
             dt);  // points that it moves stay active longer
    if (!run_open(&r, "four-bar-clearance", settings)) return;
    double far = 0;
    bool modes[3] = {false}, agrees = true;  // free, impact, following
    while (carom_sim_time(r.sim) < 0.4 && CHECK(carom_sim_step(r.sim, 0.4, &r.error) == CAROM_OK)) {
      far = fmax(far, hypot(run_read(&r, "pin.x"), run_read(&r, "pin.y")));
      const int mode = (int)run_read(&r, "pin.mode");
      modes[mode] = true;
      agrees &= mode > 0 || run_read(&r, "pin.fn") == 0;
      // the mode is that of the midpoint, where gaps are known but for rounding
      const double rounding = 1e-15, over = r.model->contacts.activation + (mode > 0 ? rounding : -rounding);
      CHECK(sim_show(r.sim, carom_sim_time(r.sim) - 0.5 * dt, &r.error) == CAROM_OK);
      agrees &= (mode > 0) == (run_read(&r, "pin.gap") <= over);
      sim_show_end(r.sim);
    }
    const carom_summary s = carom_sim_summary(r.sim);
    deepest[i] = s.deepest_penetration;
    printf("    dt %.1e: %ld episodes, up to %.2e m beyond the clearance of 2e-4 m, orbit to %.4e m\n", dt,
           s.contact_episodes, deepest[i], far);
    CHECK(modes[0] && modes[1] && modes[2] && agrees);
    CHECK_LE(far, 2e-4 + 1.5 * deepest[i]);
    CHECK_LE(deepest[i], 4 * dt);  // four metres a second at the most
    CHECK_EQUAL(s.unsolved, 0);
    CHECK_EQUAL(s.step_too_large, 0);
    run_close(&r);
  }
  CHECK_LE(deepest[2], 0.5 * deepest[0]);
}

static void count_solved(void *context, const carom_solve_result *result) { *(int *)context += result->solved; }

// What a run met can be solved again from its file.
static void a_problem_is_saved_and_solved_again(void) {
  char dump[5000], path[5100], model_path[1024];
  snprintf(dump, sizeof dump, "%s/problem", check_scratch_dir());
  check_source("models/slider-crank.yaml", model_path, sizeof model_path);
  const carom_setting settings[] = {{"method.moreau.dump", dump}, {"method.moreau.dump_every", "100"}, {"end", "0.02"}};
  carom_error error = {0};
  carom_model *model = carom_model_load(model_path, settings, 3, &error);
  if (!CHECK_TEXT(error.text, "")) return;
  CHECK_EQUAL(carom_run(model, &(carom_run_options){0}, NULL, &error), CAROM_OK);
  carom_model_destroy(model);
  int found = 0;
  for (int step = 1; step <= 2000; step++) {
    snprintf(path, sizeof path, "%s-%d.dat", dump, step);
    if (access(path, R_OK) != 0) continue;
    found++;
    int solved = 0;
    CHECK_EQUAL(carom_solve_file(path, &(carom_solve_options){.solver = "chain", .tolerance = 1e-10}, count_solved,
                                 &solved, &error),
                CAROM_OK);
    CHECK_EQUAL(solved, 1);
  }
  CHECK_LE(1, found);
}

// --- momentum of a tree ----------------------------------------------------------------------------------------------

// Two links afloat that strike their stop: in joint coordinates momentum is kept as well as the scheme keeps anything,
// to the first power of the step, impacts or not.
static double momentum_error(double dt) {
  static const char *const text =
      "space: planar\ngravity: [0, 0]\nbodies: {a: {mass: 1, inertia: 0.02}, b: {mass: 2, inertia: 0.05}}\n"
      "joints:\n  base: {free: [ground, a]}\n"
      "  hinge: {revolute: [a, b], at: [0.3, 0], to: [-0.4, 0], limits: [-0.4, 0.6], material: hard}\n"
      "materials: {hard: {restitution: 0.7}}\ninitial: {base: {u: [1, 0.3, -0.2]}, hinge: {q: 0.1, u: 3}}\n"
      "parameters: {dt: 1e-3}\nmethod: {moreau: {step: dt}}\n";
  static const double mass[2] = {1, 2}, inertia[2] = {0.02, 0.05};
  double total[2][3] = {{0}}, worst = 0;
  char settings[64];
  run r;
  snprintf(settings, sizeof settings, "dt=%.17g", dt);
  if (!run_open_text(&r, text, settings)) return NAN;
  for (int end = 0; end < 2; end++) {
    if (end) run_to(&r, 1);
    for (int b = 0; b < 2; b++) {
      static const char *const names[2][5] = {{"a.x", "a.y", "a.vx", "a.vy", "a.wz"},
                                              {"b.x", "b.y", "b.vx", "b.vy", "b.wz"}};
      double v[5];
      for (int k = 0; k < 5; k++) v[k] = run_read(&r, "%s", names[b][k]);
      total[end][0] += mass[b] * v[2], total[end][1] += mass[b] * v[3];
      total[end][2] += inertia[b] * v[4] + mass[b] * (v[0] * v[3] - v[1] * v[2]);
    }
  }
  CHECK_LE(1, carom_sim_summary(r.sim).contact_episodes);
  for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(total[1][k] - total[0][k]));
  run_close(&r);
  return worst;
}

static void a_tree_keeps_momentum_to_the_order_of_the_scheme(void) {
  double before = momentum_error(2e-3);
  CHECK_LE(before, 2e-2);  // of 2.6 N s, over a second
  for (double dt = 1e-3; dt > 1e-4; dt /= 2) {
    double now = momentum_error(dt);
    CHECK_NEAR(before / now, 2, 0.1);  // what is left is of the second power
    before = now;
  }
}

int main(void) {
  RUN(percussions_balance_in_every_step);
  RUN(free_bodies_keep_their_momenta);
  RUN(impacts_keep_momenta);
  RUN(contacts_only_take_energy);
  RUN(rounding_is_no_gain);
  RUN(energy_gained_by_newtons_law_is_told);
  RUN(ledger_tells_of_each_bounce);
  RUN(ledger_tells_stick_from_slip);
  RUN(joints_have_stops);
  RUN(journal_stays_in_its_bearing);
  RUN(a_problem_is_saved_and_solved_again);
  RUN(a_tree_keeps_momentum_to_the_order_of_the_scheme);
  return check_summary();
}
