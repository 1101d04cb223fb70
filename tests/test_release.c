// Contact that no approach has made: surfaces that overlap at the start, or that a load has pressed together, come
// apart with what they have stored. Every law of the registry is tried.
#include "runs.h"

#include "contact/law.h"
#include "sim.h"

// A ball of 1 kg over another that stands still, so that laws of lines (in the plane: of cylinders) can act too. With
// the tolerance below, speeds of about 1 m/s are good to some hundred steps of 1e-9 each: 1e-6.
static const char ball[] =
    "space: planar\n"
    "gravity: [0, 0]\n"
    "bodies: {ball: {mass: 1, inertia: 0.005}}\n"
    "joints: {fall: {prismatic: [ground, ball], axis: y, at: [0, 0.1]}}\n"
    "surfaces: {ball: {sphere: ball, radius: 0.1, material: m}, floor: {sphere: ground, at: [0, -1], radius: 1, "
    "material: m}}\n"
    "contacts: {touch: {between: [ball, floor]}}\n"
    "integrator: {rtol: 1e-9, atol: 1e-9}\n"
    "method: {compliant: {}}\n";
static const double accuracy = 1e-6, depth = 1e-3;

static const char *with(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *with(const char *format, ...) {
  static char text[4096];
  size_t used = (size_t)snprintf(text, sizeof text, "%s", ball);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, sizeof text - used, format, args);
  va_end(args);
  return text;
}

// --- the laws --------------------------------------------------------------------------------------------------------

typedef struct subject {
  const normal_law_type *type;
  double restitution;
  bool achieved;  // the restitution is what comes out of an impact
} subject;

static bool needs(const normal_law_type *type, const char *key) {
  for (int i = 0; type->needs && type->needs[i]; i++)
    if (strcmp(type->needs[i], key) == 0) return true;
  return false;
}

// What each kind of law needs, all of them about as stiff as 1e7 N/m^1.5 at a depth of 1 mm. A law of the user has the
// form of the others here.
static const char *material_of(const subject *s) {
  static const char *const elastic[] = {
      [LAW_POINT] = "stiffness: 1e7", [LAW_LINEAR] = "stiffness: 3e5", [LAW_LINE] = "young: 2e9, poisson: 0.3"};
  static char text[1024], own[256];
  snprintf(own, sizeof own, "force: \"1e7*delta^1.5*(1 + %.17g*rate/approach)\"",
           0.75 * (1 - s->restitution * s->restitution));
  snprintf(text, sizeof text, "materials: {m: {law: %s, restitution: %g%s, %s%s%s}}\n", s->type->name, s->restitution,
           s->achieved ? ", restitution_is: achieved" : "",
           s->type->contact == LAW_OWN ? own : elastic[s->type->contact],
           needs(s->type, "damping") ? ", damping: 200" : "", needs(s->type, "length") ? ", length: 1e-3" : "");
  return text;
}

static bool damping_is_chosen(const normal_law_type *type) { return type->lambda || type->contact == LAW_OWN; }

// Every law with each restitution, and how many there are; laws that have none once.
static int subjects(subject list[], bool achieved) {
  static const double restitutions[] = {0.3, 0.6, 0.9};
  int laws, count = 0;
  const normal_law_type *const *all = normal_laws(&laws);
  for (int i = 0; i < laws; i++)
    for (int k = 0; k < (damping_is_chosen(all[i]) ? 3 : 1); k++)
      list[count++] = (subject){all[i], restitutions[k], achieved && all[i]->lambda};
  CHECK(laws < 64 && count > laws);
  return count;
}
enum { MOST_SUBJECTS = 3 * 64 };

static const normal_law *law_of(const run *r) { return &r->model->contacts.elements[0].material.normal; }

// Stored at a depth, by Simpson's rule over s with δ = depth s².
static double stored(const normal_law *l, double delta) {
  enum { PARTS = 2000 };
  double sum = 0;
  for (int i = 1; i <= PARTS; i++) {
    double s = (double)i / PARTS;
    sum += (i == PARTS ? 1 : i % 2 ? 4 : 2) * normal_force(l, delta * s * s, 0, 1) * 2 * delta * s;
  }
  return sum / (3 * PARTS);
}

static double elastic_speed(const normal_law *l, double delta) { return sqrt(2 * stored(l, delta)); }

// The speed of approach that takes the place of one that was not seen (theory.md, 12.2).
static double approach_for(const subject *s, const normal_law *l, double delta) {
  double share = s->type->lambda ? fmin(1, l->lambda / normal_lambda_of_release((1 + 2 * s->restitution) / 3)) : 1;
  return share * elastic_speed(l, delta);
}

// By hand: 1 kg leaves a depth at which it is held, by the classical Runge-Kutta method with steps of a microsecond,
// under a load that ends in a given time.
static double load_at(double t, double load, double ends) {
  double u = fmin(1, t / ends);
  return load > 0 ? load * (1 - u * u * u * (10 - 15 * u + 6 * u * u)) : 0;
}

static double leave(const subject *s, const normal_law *l, double delta, double load, double ends) {
  const double h = 1e-6, approach = approach_for(s, l, delta);
  double x = delta, v = 0;  // depth and its rate
  for (long n = 0; n < 1000000; n++) {
    double k[4][2] = {{0}}, was = x;
    for (int i = 0; i < 4; i++) {
      const double part = i == 0 ? 0 : i == 3 ? h : h / 2, *before = k[i ? i - 1 : 0];
      const double at = x + part * before[0], rate = v + part * before[1];
      k[i][0] = rate;
      k[i][1] = load_at((double)n * h + part, load, ends) - normal_force(l, at, rate, approach);
    }
    x += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
    const double old = v;
    v += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
    if (x <= 0) return -(old + (v - old) * was / (was - x));  // at the surface, between the last two
  }
  return NAN;
}

// --- the runs --------------------------------------------------------------------------------------------------------

typedef struct parting {
  double speed;             // where the surfaces part after a time; NaN: they do not
  double elastic, by_hand;  // without losses, and by hand, from where they were held
  double achieved;          // of an impact, where the law says; else 0
} parting;

// Runs until they part. `load`: what holds the ball; 0: it begins at a depth.
static parting part_after(const subject *s, const char *text, double after, double end, double load) {
  parting out = {NAN, NAN, NAN, 0};
  run r;
  if (!run_open_text(&r, text, NULL)) return out;
  const normal_law *l = law_of(&r);
  double held = depth;
  while (carom_sim_time(r.sim) < end && isnan(out.speed)) {
    const double limit = carom_sim_time(r.sim) < after ? after : end;
    if (!CHECK(carom_sim_step(r.sim, limit, &r.error) == CAROM_OK)) break;
    if (load > 0 && carom_sim_time(r.sim) == after) held = -run_read(&r, "touch.gap");
    if (carom_sim_time(r.sim) > after && run_read(&r, "touch.gap") > -1e-12) out.speed = run_read(&r, "fall.u");
  }
  out.elastic = elastic_speed(l, held);
  out.by_hand = leave(s, l, held, load, 2e-3);
  if (s->type->lambda) out.achieved = fmin(s->restitution, normal_achieved(l->lambda));
  carom_summary summary = carom_sim_summary(r.sim);
  CHECK_LE(summary.energy_imbalance, summary.energy_limit);
  run_close(&r);
  return out;
}

static void name_failure(const subject *s, int failed) {
  if (check_state.failures_here > failed) printf("      law %s, restitution %g\n", s->type->name, s->restitution);
}

// A formula may give back less than it is given, in an impact too.
static void a_start_in_penetration_is_thrown_out(void) {
  subject list[MOST_SUBJECTS];
  const int count = subjects(list, false);
  for (int i = 0; i < count; i++) {
    const int failed = check_state.failures_here;
    const parting p = part_after(&list[i], with("%sinitial: {fall: {q: -1 mm}}\n", material_of(&list[i])), 0, 0.1, 0);
    CHECK_NEAR(p.speed, p.by_hand, accuracy);
    CHECK_LE(p.speed, p.elastic + accuracy);
    CHECK_LE(p.achieved * p.elastic, p.speed);
    name_failure(&list[i], failed);
  }
  const subject hertz = {normal_law_find("hertz"), 1, false};
  const parting p = part_after(&hertz, with("%sinitial: {fall: {q: -1 mm}}\n", material_of(&hertz)), 0, 0.1, 0);
  CHECK_NEAR(p.speed, sqrt(0.8 * 1e7 * pow(depth, 2.5)), accuracy);  // √(2 · 0.4 K δ^2.5)
}

// Laws that achieve less than their nominal restitution in an impact also do so here: what an impact at the elastic
// speed achieves is the least. With restitution_is: achieved it is e.
static void a_low_restitution_is_that_of_an_impact(void) {
  static const struct {
    const char *law;
    double restitution, impact, release;  // G(λ) = G(-impact λ) and G(-release λ) = λ²/2 with λ of the law
  } cases[] = {{"flores", 0.2, 0.15554, 0.15625},   {"flores", 0.05, 0.03289, 0.03289},
               {"hu-guo", 0.2, 0.16560, 0.16667},   {"hu-guo", 0.05, 0.03509, 0.03509},
               {"gonthier", 0.2, 0.20461, 0.20833}, {"lankarani-nikravesh", 0.2, 0.67226, 1.4 / 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int achieved = 0; achieved < 2; achieved++) {
      const subject s = {normal_law_find(cases[i].law), cases[i].restitution, achieved};
      const int failed = check_state.failures_here;
      char impact[4096];
      snprintf(impact, sizeof impact, "%s", with("%sinitial: {fall: {q: 1 mm, u: -1}}\n", material_of(&s)));
      const double back = part_after(&s, impact, 1.5e-3, 0.1, 0).speed;
      const parting p = part_after(&s, with("%sinitial: {fall: {q: -1 mm}}\n", material_of(&s)), 0, 0.1, 0);
      CHECK_NEAR(back, achieved ? s.restitution : cases[i].impact, 1e-5);
      if (!achieved) CHECK_NEAR(p.speed / p.elastic, cases[i].release, 1e-5);
      CHECK_LE(fmin(s.restitution, back) * p.elastic, p.speed + accuracy);
      CHECK_LE(p.speed, p.elastic + accuracy);
      name_failure(&s, failed);
    }
  }
}

// What is lifted against gravity is missing in the end: m g δ of the stored energy.
static void gravity_takes_its_part(void) {
  const double lifted = 2 * 9 * depth;
  subject list[MOST_SUBJECTS];
  const int count = subjects(list, false);
  for (int i = 0; i < count; i++) {
    const int failed = check_state.failures_here;
    char text[4096];
    snprintf(text, sizeof text, "%s", with("%sinitial: {fall: {q: -1 mm}}\n", material_of(&list[i])));
    memcpy(strstr(text, "gravity: [0, 0]"), "gravity: [0,-9]", 15);
    const parting p = part_after(&list[i], text, 0, 0.1, 0);
    const double without = sqrt(p.elastic * p.elastic - lifted);
    if (list[i].type->elastic) CHECK_NEAR(p.speed, without, accuracy);
    CHECK_LE(p.speed, without + accuracy);
    // damping takes energy from a slower motion, and so less of it; gravity takes at most all that it lifts
    CHECK_LE(sqrt(p.by_hand * p.by_hand - lifted), p.speed + accuracy);
    name_failure(&list[i], failed);
  }
}

// As without the bound: the damping 1 + λ δ̇/v₀ with v₀ = 1 mm/s holds the ball at -δ̇ = v₀/λ, where the force is nearly
// zero. It lags behind by m δ̈ over the slope of the force, here 1e-9 of it.
static void a_given_least_approach_holds(void) {
  run r;
  const subject s = {normal_law_find("lankarani-nikravesh"), 0.6, false};
  const char *text = with("%sinitial: {fall: {q: -1 mm}}\n", material_of(&s));
  if (!run_open_text(&r, text, "method.compliant.approach_min=1e-3")) return;
  run_to(&r, 0.1);
  CHECK_NEAR(run_read(&r, "fall.u"), 1e-3 / 0.48, accuracy * 1e-3);
  run_close(&r);
}

// Strong damping 1 + λ δ̇/v₀ holds the ball at -δ̇ = v₀/λ, where the law gives no force at all, to the last digit. What
// the surfaces hold must still be in the books, and what they lose.
static void check_books(const subject *s, const char *start, const char *settings, int *unpressed) {
  run r;
  if (!run_open_text(&r, with("%sinitial: {fall: %s}\n", material_of(s), start), settings)) return;
  for (int k = 1; k <= 100; k++) {
    run_to(&r, 1e-3 * k);
    const double delta = -run_read(&r, "touch.gap"), energy = stored(law_of(&r), delta);
    if (!(delta > 1e-7)) continue;
    CHECK_NEAR(run_read(&r, "energy.contact"), energy, 1e-6 * energy);
    *unpressed += run_read(&r, "touch.fn") == 0;
  }
  const carom_summary summary = carom_sim_summary(r.sim);
  CHECK_LE(summary.energy_imbalance, summary.energy_limit);
  CHECK_LE(summary.energy_imbalance, 1e-4);
  run_close(&r);
}

static void strong_damping_keeps_the_books(void) {
  static const double restitutions[] = {0.02, 0.05, 0.1, 0.3};
  int laws, unpressed = 0;
  const normal_law_type *const *all = normal_laws(&laws);
  for (int i = 0; i < 4 * laws; i++) {
    const subject s = {all[i / 4], restitutions[i % 4], false};
    const int failed = check_state.failures_here;
    if (!damping_is_chosen(s.type)) continue;
    check_books(&s, "{q: -1 mm}", NULL, &unpressed);
    check_books(&s, "{q: 1 mm, u: -1}", NULL, &unpressed);
    check_books(&s, "{q: -1 mm}", "method.compliant.approach_min=1e-3", &unpressed);
    name_failure(&s, failed);
  }
  CHECK_LE(1, unpressed);  // else nothing was tried
}

static const char preload[] =
    "forces: {push: {force: ball, components: [0, \"-1000*blend(t, 0, 0.2)*(1 - blend(t, 0.4, 0.402))\"]}}\n";

// Under the same law without losses, where it has such a form.
static double lossless_speed(const subject *s) {
  const subject lossless = {s->type, 1, false};
  return part_after(&lossless, with("%s%s", preload, material_of(&lossless)), 0.4, 0.6, 1000).speed;
}

// The bound follows the deepest penetration to 1 %, and the speed changes by less than v₀ does.
static void a_preload_is_released(void) {
  subject list[MOST_SUBJECTS];
  const int count = subjects(list, true);
  for (int i = 0; i < count; i++) {
    const int failed = check_state.failures_here;
    const parting p = part_after(&list[i], with("%s%s", preload, material_of(&list[i])), 0.4, 0.6, 1000);
    const double most = damping_is_chosen(list[i].type) ? lossless_speed(&list[i]) : p.elastic;
    CHECK_NEAR(p.speed, p.by_hand, 0.01 * p.by_hand);
    CHECK_LE(p.speed, most + accuracy);
    CHECK_LE(p.achieved * most, p.speed);
    name_failure(&list[i], failed);
  }
}

// The load acts already when the ball touches the floor: the force of the law is then far below the rounding of the
// load. Damping brings the ball to rest long before the load ends.
static void a_load_at_touch_is_released(void) {
  subject list[MOST_SUBJECTS];
  const int count = subjects(list, true);
  for (int i = 0; i < count; i++) {
    if (!damping_is_chosen(list[i].type) || list[i].restitution > 0.6) continue;
    const int failed = check_state.failures_here;
    const parting p =
        part_after(&list[i],
                   with("forces: {push: {force: ball, components: [0, \"-1000*(1 - blend(t, 0.4, 0.402))\"]}}\n"
                        "initial: {fall: {q: 1 um}}\n%s",
                        material_of(&list[i])),
                   0.4, 0.8, 1000);
    const double most = lossless_speed(&list[i]);
    CHECK_LE(p.speed, most + accuracy);
    CHECK_LE(p.achieved * most, p.speed);
    name_failure(&list[i], failed);
  }
}

// The tip of a rod on a hinge, pressed in at the start: it leaves as fast in coordinates in which the hinge is a
// constraint. With 1/3 kg m² about the hinge and the tip at 1 m it leaves √3 times as fast as 1 kg.
static void constraints_hold_the_released_body(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "bodies: {rod: {mass: 1, inertia: 0.08333333333333333, com: [0.5, 0]}}\n"
      "joints: {hinge: {revolute: [ground, rod]}}\n"
      "surfaces: {tip: {sphere: rod, at: [1, 0], radius: 0.1, material: m}, floor: {plane: ground, at: [0, -0.099], "
      "material: m}}\n"
      "contacts: {tip: {between: [tip, floor]}}\n"
      "materials: {m: {restitution: 0.6, stiffness: 1e7}}\n"
      "integrator: {rtol: 1e-9, atol: 1e-9}\n"
      "method: {compliant: {}}\n";
  const subject s = {normal_law_find("lankarani-nikravesh"), 0.6, false};
  double v = NAN, speed[2];
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open_text(&r, text, i ? "coordinates=absolute" : "coordinates=joint")) return;
    v = sqrt(3) * leave(&s, law_of(&r), depth, 0, 1);
    run_to(&r, 0.1);
    speed[i] = run_read(&r, "hinge.u");
    run_close(&r);
  }
  CHECK_NEAR(speed[0], v, accuracy);
  CHECK_NEAR(speed[1], v, accuracy);
}

// An impact stores no more than it came with: its restitution is the law's own, as if there were no such bound.
static void an_impact_is_as_it_was(void) {
  subject list[MOST_SUBJECTS];
  const int count = subjects(list, true);
  for (int i = 0; i < count; i++) {
    if (!list[i].achieved) continue;
    const int failed = check_state.failures_here;
    const parting p =
        part_after(&list[i], with("%sinitial: {fall: {q: 1 mm, u: -1}}\n", material_of(&list[i])), 1.5e-3, 0.1, 0);
    CHECK_NEAR(p.speed, list[i].restitution, accuracy);
    name_failure(&list[i], failed);
  }
}

// Steps until the end under continuous contact.
static long steps_of(const char *name, double end, const char *settings, const char *speed) {
  run r;
  if (!run_open(&r, name, settings)) return 0;
  run_to(&r, end);
  const long steps = carom_sim_summary(r.sim).steps;
  // away from the surface it stands still to the tolerance of the integrator, 1e-8; along it laws creep
  CHECK_LE(fabs(run_read(&r, "%s", speed)), 1e-7);
  run_close(&r);
  return steps;
}

// A body that is placed on a surface comes to rest, in at most half as many steps again as with a given least approach,
// 1e-3 of the model's length per second, which turns the bound off.
static void placed_bodies_come_to_rest(void) {
  static const struct {
    const char *name, *speed, *given;
    double end;
  } models[] = {{"incline-box", "rest.u2", "method=compliant method.compliant.approach_min=3e-4", 10},
                {"sliding-block", "slide.u2", "method=compliant method.compliant.approach_min=4e-4", 2}};
  for (int i = 0; i < 2; i++) {
    const long given = steps_of(models[i].name, models[i].end, models[i].given, models[i].speed);
    const long bound = steps_of(models[i].name, models[i].end, "method=compliant", models[i].speed);
    CHECK_LE(1, given);
    CHECK_LE(bound, 1.5 * (double)given);
  }
}

int main(void) {
  RUN(a_start_in_penetration_is_thrown_out);
  RUN(a_low_restitution_is_that_of_an_impact);
  RUN(gravity_takes_its_part);
  RUN(a_given_least_approach_holds);
  RUN(strong_damping_keeps_the_books);
  RUN(a_preload_is_released);
  RUN(a_load_at_touch_is_released);
  RUN(constraints_hold_the_released_body);
  RUN(an_impact_is_as_it_was);
  RUN(placed_bodies_come_to_rest);
  return check_summary();
}
