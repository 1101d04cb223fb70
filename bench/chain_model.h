// The chain as a carom model, built in code.
#ifndef BENCH_CHAIN_MODEL_H
#define BENCH_CHAIN_MODEL_H

#include <stdio.h>

#include "carom/carom.h"
#include "chain.h"

static inline carom_model *chain_model(int n, const carom_integrator_def *integrator) {
  carom_model_def about = carom_model_default(CAROM_SPATIAL);
  carom_def *def = carom_def_create(&about);
  carom_body_def link = carom_body_default();
  link.mass = 0.1, link.com[2] = -0.05;
  link.inertia[0] = link.inertia[1] = 1e-4, link.inertia[2] = 1e-5;
  static char names[2048][16];
  static double q[2048], u[2048];
  for (int i = 0; i < n; i++) {
    snprintf(names[i], sizeof names[i], "link%d", i);
    q[i] = chain_angle(i), u[i] = chain_speed(i);
    carom_def_body(def, names[i], &link);
    carom_joint_def joint = carom_joint_default();
    joint.between[0] = i ? names[i - 1] : "ground", joint.between[1] = names[i];
    joint.at[2] = i ? -0.1 : 0, joint.axis[1] = 1;
    carom_def_joint(def, names[i], "revolute", &joint);
    carom_initial_def start = {.q = {&q[i], 1}, .u = {&u[i], 1}};
    carom_def_initial(def, names[i], &start);
  }
  if (integrator) carom_def_integrator(def, integrator);
  carom_error error = {0};
  carom_model *model = carom_model_compile(def, &error);
  if (!model) printf("%s\n", error.text);
  carom_def_destroy(def);
  return model;
}

#endif
