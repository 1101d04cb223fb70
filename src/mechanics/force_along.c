// Along a joint's coordinate q: effort = -k (q - q0) - c q̇ + a(t, state). The effort is a torque for a turning
// joint and a force for a sliding joint.
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

static void find_power(const mechanism *m, const motion *x, const force *f, const double *u, double powers[]) {
  double stretch = coordinate_value(m, x, f->of) - f->rest, damping = f->damping[0] * coordinate_rate(m, x, f->of);
  double motor = x->force_outputs[f->output] + f->stiffness[0] * stretch + damping;
  double rate = coordinate_spread_rate(m, x, f->of, u);
  powers[POWER_DAMPER] += damping * rate;
  powers[POWER_APPLIED] += motor * rate;
}

static const char *const outputs[] = {"effort"};
static const char *const units[] = {""};  // that of the coordinate's effort

static const option options[] = {
    {.key = "along",
     .type = OPTION_TEXT,
     .offset = FORCE_OPTION(joint),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "The joint, or one of its coordinates such as `cylinder.q1`."},
    {.key = "stiffness",
     .type = OPTION_NUMBERS,
     .offset = FORCE_OPTION(stiffness),
     .dim = DIM_ANY,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Effort per coordinate."},
    {.key = "damping",
     .type = OPTION_NUMBERS,
     .offset = FORCE_OPTION(damping),
     .dim = DIM_ANY,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Effort per rate of the coordinate."},
    {.key = "rest",
     .type = OPTION_NUMBER,
     .offset = FORCE_OPTION(rest),
     .dim = DIM_ANY,
     .preset = "0",
     .help = "Coordinate at which the spring effort is zero."},
    {.key = "effort",
     .type = OPTION_FUNCTION,
     .offset = FORCE_OPTION(effort),
     .dim = DIM_ANY,
     .preset = "0",
     .help = "Effort of a motor, positive in the direction of the coordinate; may depend on t and state."},
};
static const option_table table = {
    .name = "along",
    .summary = "Spring, damper and motor along one coordinate of a joint: torsional for a turning joint.",
    .example = "return: {along: hinge, stiffness: 2 N*m, rest: 30 deg, damping: 0.1}",
    .size = sizeof(carom_force_def),
    .options = options,
    .count = OPTION_COUNT(options),
};

static dimension unit_of(force_number what, int k, int count, bool slides) {
  (void)k, (void)count;
  switch (what) {
    case FORCE_STIFFNESS: return slides ? DIM_STIFFNESS : DIM_TORQUE;
    case FORCE_DAMPING: return slides ? DIM_DAMPING : DIM_TORSIONAL_DAMPING;
    default: return slides ? DIM_LENGTH : DIM_ANGLE;
  }
}

const force_type force_along = {
    "along", apply, find_power, outputs, units, 1, .acts = FORCE_ALONG_COORDINATE, .unit = unit_of, .table = &table};
