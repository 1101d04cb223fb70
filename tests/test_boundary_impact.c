// Impacts of flexible planar solids and beams with their boundaries: momentum, energy and losses.
#include "long.h"
#include "runs.h"

#include "mechanics/tree.h"
#include "sim.h"

// --- discs -----------------------------------------------------------------------------------------------------------

#define TWO_DISCS                                                                                                     \
  "space: planar\ngravity: [0, 0]\nbodies:\n"                                                                         \
  "  a: {solid_2d: {disc: 0.1, elements: 4, thickness: 1, young: 2e8, poisson: 0.3, density: 10}, stretches: {face: " \
  "{side: rim, angles: [-40 deg, 40 deg]}}, modes: {count: 10, interface: [face], interface_tolerance: 1e-2}}\n"      \
  "  b: {solid_2d: {disc: 0.1, elements: 4, thickness: 1, young: 2e8, poisson: 0.3, density: 10}, stretches: {face: " \
  "{side: rim, angles: [140 deg, 220 deg]}}, modes: {count: 10, interface: [face], interface_tolerance: 1e-2}}\n"     \
  "joints: {fa: {free: [ground, a], at: [-0.100001, 0]}, fb: {free: [ground, b], at: [0.100001, 0]}}\n"               \
  "surfaces: {fa: {boundary: a, side: face, material: m}, fb: {boundary: b, side: face, material: m}}\n"              \
  "initial: {a: {velocity: [0.5, 0]}, fb: {q: [%s, 0, 0]}}\nmaterials: {m: {restitution: 0, law: hooke, stiffness: "  \
  "1e8}}\nend: 1e-3\n"

typedef struct collision {
  double momentum, angular;                   // by which they are off [N s], [N m s]
  double start, strain, damper, impact, end;  // energies [J]
} collision;

// Energy never grows, and the first disc gives its speed to the second, but for what is left in vibrations.
static bool collide(const char *off, const char *method, double h, double end, const char *more, collision *c) {
  char text[3000], settings[300];
  run r;
  snprintf(text, sizeof text, TWO_DISCS "method: smooth\n", off);
  snprintf(settings, sizeof settings, "method={\"%s\":{\"step\":%g}} %s", method, h, more);
  if (!run_open_text(&r, text, settings)) return false;
  const double start = run_read(&r, "energy.kinetic"), p0 = 2 * start / 0.5;
  double most = start, impulse = 0, before = 0;
  vec3 linear, angular;
  *c = (collision){.start = start};
  while (carom_sim_time(r.sim) < end * (1 - 1e-9) && CHECK(carom_sim_step(r.sim, end, &r.error) == CAROM_OK)) {
    most = fmax(most, run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain"));
    impulse += (carom_sim_time(r.sim) - before) * run_read(&r, "fa-fb.fn");
    before = carom_sim_time(r.sim);
    tree_momentum(&r.model->m, r.sim->x, &linear, &angular);
    c->momentum = fmax(c->momentum, hypot(linear.x - p0, linear.y)), c->angular = fmax(c->angular, fabs(angular.z));
  }
  if (r.error.status != CAROM_OK) printf("      %s\n", r.error.text);
  c->damper = run_read(&r, "energy.damper"), c->impact = run_read(&r, "energy.impact");
  c->end = run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain");
  printf(
      "    %s, %g s, %s: momentum off by %.1e of %.3f, angular momentum by %.1e, energy up by %.1e, impulse %.4f of "
      "it, impact loss %.1e, damping %.1e of the energy\n",
      method, h, off, c->momentum, p0, c->angular, most / start - 1, impulse / p0, c->impact / start,
      c->damper / start);
  CHECK_LE(most / start, 1 + 1e-6);
  CHECK(impulse > 0.9 * p0 && impulse < p0);
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  // where lift-off is located, a node may part once before the discs press on it
  CHECK_LE(carom_sim_summary(r.sim).contact_episodes, strcmp(method, "iterative") == 0 ? 2 : 1);
  CHECK(carom_sim_summary(r.sim).contact_episodes > 0);
  run_close(&r);
  return true;
}

// Central impact of two equal discs, and one that is off by 3 degrees, with nodes beside each other. Forces of a pair
// act at one place on both bodies. A time stepper keeps the mass matrix of a deforming body over a step: momentum is
// off in first order of the step. Integrated motion keeps it to rounding, 1e-16 in each of 3000 steps.
static void two_discs_keep_momentum(void) {
  static const char *const steppers[] = {"moreau", "stewart-trinkle"}, *const offs[] = {"0", "3 deg"};
  collision a, b;
  for (int k = 0; k < 4; k++) {
    const char *method = steppers[k % 2], *off = offs[k / 2],
               *more = k % 2 ? "method.stewart-trinkle.modal_theta=0.5" : "";
    const double end = k < 2 ? 3e-4 : 7e-4;
    if (!collide(off, method, 1e-6, end, more, &a) || !collide(off, method, 2.5e-7, end, more, &b)) continue;
    CHECK_LE(a.momentum, 1e-8 * 0.157);
    CHECK_LE(a.angular, 1e-7 * 0.157 * 0.1);
    // 0.6 for each halving; a single one depends on when in its step each node touches, by a tenth
    CHECK_LE(b.momentum, 0.36 * a.momentum);
    CHECK_LE(b.angular, 0.36 * a.angular);
  }
  static const struct {
    const char *off, *method;
    double step, end;
  } integrated[] = {{"0", "lcp-position", 5e-7, 2.5e-4},  // dt ω of 0.5 and 0.1
                    {"0", "lcp-velocity", 1e-7, 2.5e-4},
                    {"3 deg", "lcp-position", 5e-7, 7e-4}};
  for (size_t k = 0; k < sizeof integrated / sizeof *integrated; k++) {
    if (!collide(integrated[k].off, integrated[k].method, integrated[k].step, integrated[k].end, "", &a)) continue;
    CHECK_LE(a.momentum, 1e-12 * 0.157);
    CHECK_LE(a.angular, 1e-12 * 0.157 * 0.1);
  }
}

// The same where touches are located. Two nodes that meet head-on are one place. Rounding takes them off each other by
// 1e-11 m, and lines beside them are nearer by 1e-12 m then: the pair must not count as touching there without end.
static void collide_located(const char *off, double end) {
  collision a;
  if (!collide(off, "iterative", 2e-7, end, "", &a)) return;
  CHECK_LE(a.momentum, 1e-12 * 0.157);
  CHECK_LE(a.angular, 1e-12 * 0.157 * 0.1);
}

static void located_discs_meet_head_on(void) { collide_located("0", 2.5e-4); }
static void located_discs_keep_momentum(void) {
  located_discs_meet_head_on();
  collide_located("3 deg", 7e-4);
}

// How long the discs of models/elastic-discs press on each other, and the largest force, averaged over a tenth of that.
// `mean`: the forces are those of whole steps, else of their ends. What single nodes strike with is left out: 5e-5 of
// the impulse.
typedef struct press {
  double duration, force;
} press;

static bool press_discs(double size, const char *method, double step, bool mean, press *to) {
  enum { MOST = 60000 };
  static double t[MOST], impulse[MOST];
  char settings[300];
  run r;
  snprintf(settings, sizeof settings,
           "bodies.left.solid_2d.refine.size=%g bodies.right.solid_2d.refine.size=%g method={\"%s\":{\"step\":%g}}",
           size, size, method, step);
  if (!run_open(&r, "elastic-discs", settings)) return false;
  const double start = run_read(&r, "energy.kinetic"), end = 3e-4;
  double most = start, first = NAN, last = NAN, before = 0;
  int count = 1;
  t[0] = impulse[0] = 0;
  for (; count < MOST && carom_sim_time(r.sim) < end * (1 - 1e-9); count++) {
    if (!CHECK(carom_sim_step(r.sim, end, &r.error) == CAROM_OK)) break;
    const double fn = run_read(&r, "left-right.fn");
    t[count] = carom_sim_time(r.sim);
    impulse[count] = impulse[count - 1] + (t[count] - t[count - 1]) * (mean ? fn : 0.5 * (fn + before));
    if (fn > 0) last = t[count], first = isnan(first) ? last : first;
    before = fn;
    most = fmax(most, run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain"));
  }
  *to = (press){.duration = last - first};
  const double window = 0.1 * to->duration;  // it ends within a step: a whole number of them is up to 0.8 % shorter
  for (int i = 0, k = 0; i < count; i++) {
    while (k + 1 < count && t[k + 1] <= t[i] + window) k++;
    if (k + 1 == count) break;
    const double part = (t[i] + window - t[k]) / (t[k + 1] - t[k]);
    to->force = fmax(to->force, (impulse[k] + part * (impulse[k + 1] - impulse[k]) - impulse[i]) / window);
  }
  printf("    %s, %g s: %.5g s, %.1f N, impulse %.5f N s, energy up by %.1e\n", method, step, to->duration, to->force,
         impulse[count - 1], most / start - 1);
  CHECK_LE(most / start, 1 + 1e-6);
  CHECK_EQUAL(carom_sim_summary(r.sim).fallbacks, 0);
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
  return true;
}

// Touches that are located and those that are predicted make the same course. In the long form, with the mesh of the
// model, nodes touch one after the other and part again. A duration is known to a step at each end, 2e-3 of it.
static void discs_press_alike_where_touches_are_located(void) {
  const double size = long_form() ? 5e-4 : 4e-3, h = long_form() ? 2.5e-8 : 2e-7;
  press located, predicted;
  if (!press_discs(size, "iterative", h, false, &located) ||
      !press_discs(size, "lcp-velocity", 0.25 * h, true, &predicted))
    return;
  CHECK_NEAR(located.duration / predicted.duration, 1, 2e-3);
  CHECK_NEAR(located.force / predicted.force, 1, 2e-3);
}

// What the discs lose in their damping is booked as damping, and what places of contact lose by being stopped as
// impact. All of both is what is missing at the end, as far as the motion is integrated: rk4 takes (ω h)^6/144 of an
// oscillation in each step, for ω h = 0.5 and 500 steps 5 % of the energy of the fastest mode, which has 1e-4 of all.
static void losses_of_discs_are_told_apart(void) {
  collision c;
  if (!collide("0", "lcp-position", 5e-7, 2.5e-4, "bodies.a.damping.stiffness=1e-7 bodies.b.damping.stiffness=1e-7",
               &c))
    return;
  CHECK_LE(1e-3, c.damper / c.start);
  CHECK_LE(1e-5, c.impact / c.start);
  CHECK_NEAR((c.damper + c.impact + c.end) / c.start, 1, 1e-5);
}

// Under moreau a node that meets the other boundary within a step is deep by up to half its way in it. To move it out
// takes ½ k d² of its stiffness, which comes back as speed: all removals together add no more than half of what
// contacts and dampers have taken, and the energy of the discs, which nothing damps, never exceeds that of the start.
// Without this limit they gained 3.7e-4 in steps of 1 us. Depths are means over the time of contact, times its length.
typedef struct removal {
  double gained, overlap, loss;  // of the energy at the start
  double depth;                  // [m s]
} removal;

static bool strike_discs(double h, bool removes, removal *to) {
  run r;
  char settings[200];
  snprintf(settings, sizeof settings, "method={\"moreau\":{\"step\":%g,\"modal_theta\":0.5,\"remove_overlap\":%s}}", h,
           removes ? "true" : "false");
  if (!run_open(&r, "elastic-discs", settings)) return false;
  const double start = run_read(&r, "energy.kinetic");
  *to = (removal){0};
  while (carom_sim_time(r.sim) < 3e-4 * (1 - 1e-9) && CHECK(carom_sim_step(r.sim, 3e-4, &r.error) == CAROM_OK)) {
    to->gained = fmax(to->gained, (run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain")) / start - 1);
    to->depth += fmax(0, -run_read(&r, "left-right.gap")) * h;
  }
  to->overlap = run_read(&r, "energy.overlap") / start, to->loss = run_read(&r, "energy.impact") / start;
  printf("    %g s, %s removal: energy up by %.1e, by overlap %.1e, lost in impact %.1e, depth %.2e m s\n", h,
         removes ? "with" : "without", to->gained, to->overlap, to->loss, to->depth);
  run_close(&r);
  return true;
}

static void removed_overlap_adds_no_energy(void) {
  static const double steps[] = {2e-6, 1e-6, 7e-7, 5e-7, 2.5e-7};
  for (int k = 0; k < 5; k++) {
    removal with, without;
    if (!strike_discs(steps[k], true, &with) || !strike_discs(steps[k], false, &without)) return;
    CHECK_LE(with.gained, 1e-6);
    CHECK_LE(without.gained, 1e-12);
    CHECK(with.overlap > 0 && with.overlap < with.loss);
    CHECK(with.depth < without.depth);
  }
}

// Springs at the places of contact have a potential: a law without damping keeps momentum to rounding, and energy as
// far as the integrator does (rtol 1e-6).
static void springs_between_discs_keep_energy(void) {
  char text[3000];
  run r;
  snprintf(text, sizeof text, TWO_DISCS "method: compliant\n", "0");
  if (!run_open_text(&r, text, NULL)) return;
  vec3 before, after, angular;
  tree_momentum(&r.model->m, r.sim->x, &before, &angular);
  const double start = run_read(&r, "energy.kinetic");
  run_to(&r, 4e-4);
  tree_momentum(&r.model->m, r.sim->x, &after, &angular);
  const double left = run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain");
  printf("    energy %.1e, momentum %.1e\n", left / start - 1, vec3_norm(vec3_sub(after, before)) / before.x);
  CHECK_LE(run_read(&r, "fa.u1"), 0.1);
  CHECK_NEAR(left / start, 1, 1e-6);
  CHECK_LE(vec3_norm(vec3_sub(after, before)), 1e-12 * before.x);
  run_close(&r);
}

// --- beams -----------------------------------------------------------------------------------------------------------

// Two beams that strike each other away from their middles, a node of one on a line of the other: what momentum is off
// by, of what there is.
static double strike_beams(const char *method, double step) {
  char text[1500], settings[200];
  run r;
  snprintf(text, sizeof text,
           "space: planar\ngravity: [0, 0]\nbodies:\n"
           "  a: {beam: {length: 1, section: {area: 1e-4, second_moment: 8.3e-10}, young: 2e11, density: 7800, "
           "elements: 10}, modes: {count: 6}}\n"
           "  b: {beam: {length: 0.5, section: {area: 1e-4, second_moment: 8.3e-10}, young: 2e11, density: 7800, "
           "elements: 5}, modes: {count: 6}}\n"
           "joints: {fa: {free: [ground, a]}, fb: {free: [ground, b], at: [0.73, -0.02]}}\n"
           "surfaces: {a: {boundary: a, thickness: 0.01, material: m}, b: {boundary: b, thickness: 0.01, material: "
           "m}}\ninitial: {fb: {u: [0, 0, 1]}}\nmaterials: {m: {restitution: 0}}\nmethod: smooth\nend: 0.02\n");
  snprintf(settings, sizeof settings, "method={\"%s\":{\"step\":%g%s}}", method, step,
           strcmp(method, "stewart-trinkle") == 0 ? ",\"modal_theta\":0.5" : "");
  if (!run_open_text(&r, text, settings)) return NAN;
  vec3 before, after, turn_before, turn_after;
  tree_momentum(&r.model->m, r.sim->x, &before, &turn_before);
  const double start = run_read(&r, "energy.kinetic");
  run_to(&r, 0.02);
  tree_momentum(&r.model->m, r.sim->x, &after, &turn_after);
  const double left = run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain");
  CHECK(left < start && carom_sim_summary(r.sim).contact_episodes > 0);
  run_close(&r);
  return fmax(vec3_norm(vec3_sub(after, before)) / before.y, fabs(turn_after.z / turn_before.z - 1));
}

// As far as the motion is integrated: with more than order two by a Runge-Kutta method, with order one by a time
// stepper.
static void two_beams_keep_momentum(void) {
  static const char *const methods[] = {"lcp-position", "lcp-velocity", "iterative", "stewart-trinkle"};
  for (int i = 0; i < 4; i++) {
    const double coarse = strike_beams(methods[i], 2e-6), fine = strike_beams(methods[i], 1e-6);
    printf("    %s: momentum off by %.1e and %.1e\n", methods[i], coarse, fine);
    CHECK_LE(fine, i < 3 ? 1e-7 : 1e-5);
    CHECK_LE(fine, (i < 3 ? 0.2 : 0.6) * coarse);
  }
}

int main(void) {
  RUN(two_discs_keep_momentum);
  RUN(located_discs_meet_head_on);
  RUN_OPTIMISED(located_discs_keep_momentum);
  RUN_OPTIMISED(discs_press_alike_where_touches_are_located);
  RUN_LONG(discs_press_alike_where_touches_are_located, 300);
  RUN(losses_of_discs_are_told_apart);
  RUN_OPTIMISED(removed_overlap_adds_no_energy);
  RUN(springs_between_discs_keep_energy);
  RUN_OPTIMISED(two_beams_keep_momentum);
  return check_summary();
}
