// Along a joint's coordinate q: effort = -k (q - q0) - c q̇ + a(t, state). For a turning joint a torque, for a sliding
// one a force.
#include "mechanics/coordinate.h"
#include "mechanics/force.h"
#include "mechanics/function.h"

static void apply(const mechanism *m, motion *x, const force *f) {
  double stretch = coordinate_value(m, x, f->of) - f->rest, rate = coordinate_rate(m, x, f->of);
  double damping = f->damping[0] * rate, motor = function_value(m, x, &f->f[0]);
  double effort = motor - f->stiffness[0] * stretch - damping;
  coordinate_push(m, x, f->of, effort);
  force_book(x, 0.5 * f->stiffness[0] * stretch * stretch, damping * rate, motor * rate);
  x->force_outputs[f->output] = effort;
}

static const char *const outputs[] = {"effort"};
static const char *const units[] = {"N, N*m"};

const force_type force_along = {"along", apply, outputs, units, 1};
