// Between two markers, along the line n = D/|D| from the first to the second, length l = |D|:
//   f = k (l - l0) + c l̇ - a(t, state)   pulls the markers together; a positive actuator force a pushes them apart.
#include "mechanics/force.h"
#include "mechanics/function.h"
#include "mechanics/marker.h"

static void apply(const mechanism *m, motion *x, const force *f) {
  marker_state a = marker_read(m, x, f->first), b = marker_read(m, x, f->second);
  vec3 D = vec3_sub(b.p, a.p);
  double length = vec3_norm(D);
  // Two markers at one point have no line between them: the direction of least surprise is none.
  vec3 n = length > 0 ? vec3_scale(1 / length, D) : VEC3_ZERO;
  double rate = vec3_dot(n, vec3_sub(b.v, a.v)), stretch = length - f->rest;
  double damping = f->damping[0] * rate, actuator = function_value(m, x, &f->f[0]);
  double pull = f->stiffness[0] * stretch + damping - actuator;
  anchor_push(m, x, &b.anchor, vec3_scale(-pull, n), VEC3_ZERO);
  anchor_push(m, x, &a.anchor, vec3_scale(pull, n), VEC3_ZERO);
  force_book(x, 0.5 * f->stiffness[0] * stretch * stretch, damping * rate, actuator * rate);
  double *out = x->force_outputs + f->output;
  out[0] = pull, out[1] = length, out[2] = rate;
}

static void find_power(const mechanism *m, const motion *x, const force *f, const double *u, double powers[]) {
  (void)u;
  const double *out = x->force_outputs + f->output;
  marker_state a = marker_read(m, x, f->first), b = marker_read(m, x, f->second);
  vec3 n = out[1] > 0 ? vec3_scale(1 / out[1], vec3_sub(b.p, a.p)) : VEC3_ZERO;
  double rate = vec3_dot(n, vec3_sub(anchor_spread_velocity(m, x, &b.anchor), anchor_spread_velocity(m, x, &a.anchor)));
  double damping = f->damping[0] * out[2], actuator = f->stiffness[0] * (out[1] - f->rest) + damping - out[0];
  powers[POWER_DAMPER] += damping * rate;
  powers[POWER_APPLIED] += actuator * rate;
}

static const char *const outputs[] = {"force", "length", "rate"};
static const char *const units[] = {"N", "m", "m/s"};

static const option options[] = {
    {.key = "spring",
     .type = OPTION_PAIR,
     .offset = FORCE_OPTION(between),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "The two markers or bodies."},
    {.key = "stiffness",
     .type = OPTION_NUMBERS,
     .offset = FORCE_OPTION(stiffness),
     .dim = DIM_STIFFNESS,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Force per stretch."},
    {.key = "damping",
     .type = OPTION_NUMBERS,
     .offset = FORCE_OPTION(damping),
     .dim = DIM_DAMPING,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Force per rate of stretch."},
    {.key = "rest",
     .type = OPTION_NUMBER,
     .offset = FORCE_OPTION(rest),
     .dim = DIM_LENGTH,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Length at which the spring force is zero."},
    {.key = "effort",
     .type = OPTION_FUNCTION,
     .offset = FORCE_OPTION(effort),
     .dim = DIM_FORCE,
     .preset = "0",
     .help = "Force of an actuator, positive pushes the markers apart; may depend on t and state."},
};
static const option_table table = {
    .name = "spring",
    .summary = "Spring, damper and actuator along the line between two markers.",
    .example = "strut: {spring: [ground, wheel], stiffness: 2e4 N/m, damping: 300, rest: 0.4 m}",
    .size = sizeof(carom_force_def),
    .options = options,
    .count = OPTION_COUNT(options),
};

const force_type force_spring = {
    "spring", apply, find_power, outputs, units, 3, .state_outputs = 2, .acts = FORCE_BETWEEN_MARKERS, .table = &table};
