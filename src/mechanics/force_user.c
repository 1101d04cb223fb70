// A C function reads signals and returns a wrench on a marker in world axes (force, then torque), or an effort along a
// joint's coordinate when it has one.
#include "mechanics/coordinate.h"
#include "mechanics/force.h"
#include "mechanics/marker.h"
#include "mechanics/signal.h"

static void apply(const mechanism *m, motion *x, const force *f) {
  double *out = x->force_outputs + f->output;
  for (int i = 0; i < f->input_count; i++) x->slots[i] = signal_read(m, x, f->inputs[i]);
  for (int i = 0; i < 6; i++) out[i] = 0;
  f->call(f->context, x->t, x->slots, out);
  if (f->of.joint >= 0) {
    coordinate_push(m, x, f->of, out[0]);
    force_book(x, 0, 0, out[0] * coordinate_rate(m, x, f->of));
    return;
  }
  marker_state s = marker_read(m, x, f->first);
  vec3 force = vec3_of(out), torque = vec3_of(out + 3);
  anchor_push(m, x, &s.anchor, force, torque);
  force_book(x, 0, 0, vec3_dot(force, s.v) + vec3_dot(torque, s.w));
}

static void find_power(const mechanism *m, const motion *x, const force *f, const double *u, double powers[]) {
  const double *out = x->force_outputs + f->output;
  if (f->of.joint >= 0) {
    powers[POWER_APPLIED] += out[0] * coordinate_spread_rate(m, x, f->of, u);
    return;
  }
  marker_state s = marker_read(m, x, f->first);
  powers[POWER_APPLIED] += vec3_dot(vec3_of(out), anchor_spread_velocity(m, x, &s.anchor)) +
                           vec3_dot(vec3_of(out + 3), anchor_spread_omega(m, x, &s.anchor));
}

static const char *const outputs[] = {"out0", "out1", "out2", "out3", "out4", "out5"};
static const char *const units[] = {"N", "N", "N", "N*m", "N*m", "N*m"};

const force_type force_user = {
    "user",        apply,        find_power, outputs, units, 6, .acts = FORCE_AT_MARKER_OR_ALONG_COORDINATE,
    .calls = true, .table = NULL};  // in code only
