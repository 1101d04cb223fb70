// Every joint with `limits` stays within them: under every method, in both coordinates, in the tree or closing a loop.
#include "campaign.h"

static const char *const methods[] = {"moreau", "event", "compliant"};

// One body on a joint with stops, and a four-bar whose last joint has them.
static void write_model(char *out, size_t size, const char *method, bool loop, double low, double high, double speed,
                        double step) {
  char method_text[64];
  snprintf(method_text, sizeof method_text, strcmp(method, "moreau") ? "{%s: {}}" : "{%s: {step: %.9g}}", method, step);
  const char *material = "materials: {m: {restitution: 0.8, stiffness: 1e9, law: hertz}}";
  const char *coordinates = pick(0, 1) ? "absolute" : "joint";
  if (!loop) {
    bool slides = pick(0, 2) == 0;
    snprintf(out, size,
             "space: planar\ngravity: [0, 0]\nbodies: {a: {mass: 1, inertia: 1}}\n"
             "joints: {j: {%s: [ground, a], limits: [%.9g, %.9g], material: m}}\n%s\n"
             "initial: {j: {q: %.9g, u: %.9g}}\nmethod: %s\ncoordinates: %s\n",
             slides ? "prismatic" : "revolute", low, high, material, 0.5 * (low + high), speed, method_text,
             coordinates);
    return;
  }
  // a parallelogram: the angle of the last pin is the opposite of the crank's
  snprintf(out, size,
           "space: planar\ngravity: [0, 0]\n"
           "bodies: {c0: {mass: 1, inertia: 1/12, com: [0.5, 0]}, c1: {mass: 1, inertia: 1/12, com: [0.5, 0]}, k: "
           "{mass: 2, inertia: 1}}\n"
           "joints:\n  g0: {revolute: [ground, c0]}\n  g1: {revolute: [ground, c1], at: [1.5, 0]}\n"
           "  k0: {revolute: [c0, k], at: [1, 0]}\n"
           "  j: {revolute: [c1, k], at: [1, 0], to: [1.5, 0], limits: [-2.6, -0.5], material: m}\n%s\n"
           "initial: {g0: {q: 1.57, u: %.9g}, g1: {q: 1.57, u: %.9g}, k0: {q: -1.57}, j: {q: -1.57}}\nmethod: "
           "%s\ncoordinates: %s\n",
           material, speed, speed, method_text, coordinates);
}

// How far beyond a stop a coordinate may be: by one step of a time stepper, or by what K presses together at this
// energy, ½ J u² = (2/5) K δ^(5/2) with J at most 6.
static double excess(const char *method, double speed, double step) {
  if (!strcmp(method, "moreau")) return 1.01 * step * fabs(speed);
  if (!strcmp(method, "event")) return 1e-6 * (1 + fabs(speed));
  return 1.01 * pow(0.5 * 6 * speed * speed / (0.4 * 1e9), 0.4);
}

static void run(void) {
  const char *method = methods[pick(0, 2)];
  bool loop = pick(0, 3) == 0;
  double middle = draw(-50, 50), half = pow(10, draw(-0.5, 2)), speed = draw(0.3, 3) * half,
         step = pow(10, draw(-4, -2));
  double low = loop ? -2.6 : middle - half, high = loop ? -0.5 : middle + half;
  if (loop) speed = draw(0.5, 5);
  char text[2048];
  write_model(text, sizeof text, method, loop, low, high, speed, step);
  campaign_model("%s between stops, %s", loop ? "four-bar" : "one joint", method);
  carom_error error = {0};
  carom_model *model = carom_model_parse(text, "limits.yaml", &error);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  if (!sim) finding("%s\n%s", error.text, text);
  double end = 8, allowed = excess(method, speed, step);
  int q = model ? carom_model_signal(model, "j.q") : -1;
  while (sim && carom_sim_time(sim) < end) {
    if (carom_sim_step(sim, end, &error) != CAROM_OK) {
      finding("%s\n%s", error.text, text);
      break;
    }
    double at = carom_sim_read(sim, q);
    if (at >= low - allowed && at <= high + allowed) continue;
    finding("the joint is at %.9g at t = %.9g s, its limits are %.9g and %.9g\n%s", at, carom_sim_time(sim), low, high,
            text);
    break;
  }
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

const campaign_kind campaign_limits = {"limits", "joints that pass their stops", run};
