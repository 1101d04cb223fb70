// 50 steps with a chain of stiff, damped hinges, in processor time: growth with the number of links. BDF in joint
// coordinates, IDA in absolute ones.
#include <stdio.h>

#include "carom/carom.h"
#include "chain.h"
#include "clock.h"

enum { STEPS = 50, MOST = 2000 };

static carom_model *stiff_chain(carom_integrator_type type, int n) {
  carom_model_def about = carom_model_default(CAROM_SPATIAL);
  about.coordinates = type == CAROM_IDA ? CAROM_ABSOLUTE : CAROM_JOINT;
  carom_def *def = carom_def_create(&about);
  carom_body_def link = carom_body_default();
  link.mass = 0.1, link.com[2] = -0.05;
  link.inertia[0] = link.inertia[1] = 1e-4, link.inertia[2] = 1e-5;
  carom_force_def spring = carom_force_default();
  double stiffness = 1e4, damping = 10;
  spring.stiffness = (carom_numbers){&stiffness, 1}, spring.damping = (carom_numbers){&damping, 1};
  static char names[MOST][16];
  static double q[MOST], u[MOST];
  for (int i = 0; i < n; i++) {
    snprintf(names[i], sizeof names[i], "link%d", i);
    q[i] = chain_angle(i), u[i] = chain_speed(i);
    carom_def_body(def, names[i], &link);
    carom_joint_def joint = carom_joint_default();
    joint.between[0] = i ? names[i - 1] : "ground", joint.between[1] = names[i];
    joint.at[2] = i ? -0.1 : 0, joint.axis[1] = 1;
    carom_def_joint(def, names[i], "revolute", &joint);
    spring.joint = names[i];
    carom_def_force(def, names[i], "along", &spring);
    carom_initial_def start = {.q = {&q[i], 1}, .u = {&u[i], 1}};
    carom_def_initial(def, names[i], &start);
  }
  carom_integrator_def by = carom_integrator_default();
  by.type = type;
  if (type == CAROM_IDA) by.rtol = by.atol = 1e-6;  // multipliers of a chain of 200 m have no more digits
  carom_def_integrator(def, &by);
  carom_error error = {0};
  carom_model *model = carom_model_compile(def, &error);
  if (!model) printf("%s\n", error.text);
  carom_def_destroy(def);
  return model;
}

// Seconds for the steps, 0 after a failure.
static double run(carom_integrator_type type, int n) {
  carom_error error = {0};
  carom_model *model = stiff_chain(type, n);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  double began = clock_processor();
  bool done = sim != NULL;
  for (int i = 0; i < STEPS && done; i++) done = carom_sim_step(sim, 1, &error) == CAROM_OK;
  double seconds = clock_processor() - began;
  if (!done) printf("%s\n", error.text);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return done ? seconds : 0;
}

// The least of a few runs: those of a short chain take milliseconds.
static double measure(carom_integrator_type type, int n) {
  double least = run(type, n);
  for (int k = 1; k < 5; k++) {
    double seconds = run(type, n);
    if (seconds < least) least = seconds;
  }
  return least;
}

static bool report(carom_integrator_type type, const char *name) {
  double at200 = measure(type, 200), at2000 = measure(type, MOST);
  if (!(at200 > 0 && at2000 > 0)) return false;
  printf("carom stiff chain, %d steps of %s: 200 links %.3f s, 2000 links %.3f s (below 5 s wanted)\n", STEPS, name,
         at200, at2000);
  printf("carom %s, time a link at 2000 over that at 200: %.2f (at most 2 wanted)\n", name, at2000 / at200 / 10);
  return true;
}

int main(void) { return report(CAROM_BDF, "bdf") && report(CAROM_IDA, "ida") ? 0 : 1; }
