// A force or a torque given by its components, in world axes or in those of its marker.
#include "mechanics/force.h"
#include "mechanics/function.h"
#include "mechanics/marker.h"

static vec3 components(const mechanism *m, motion *x, const force *f, const marker_state *s) {
  vec3 v = {function_value(m, x, &f->f[0]), function_value(m, x, &f->f[1]), function_value(m, x, &f->f[2])};
  return f->in_marker_axes ? mat3_mul(s->R, v) : v;
}

static void apply_force(const mechanism *m, motion *x, const force *f) {
  marker_state s = marker_read(m, x, f->first);
  vec3 load = components(m, x, f, &s);
  anchor_push(m, x, &s.anchor, load, VEC3_ZERO);
  force_book(x, 0, 0, vec3_dot(load, s.v));
  vec3_store(x->force_outputs + f->output, load);
}

static void apply_torque(const mechanism *m, motion *x, const force *f) {
  marker_state s = marker_read(m, x, f->first);
  vec3 load = components(m, x, f, &s);
  anchor_push(m, x, &s.anchor, VEC3_ZERO, load);
  force_book(x, 0, 0, vec3_dot(load, s.w));
  vec3_store(x->force_outputs + f->output, load);
}

static void find_force_power(const mechanism *m, const motion *x, const force *f, const double *u, double powers[]) {
  (void)u;
  marker_state s = marker_read(m, x, f->first);
  powers[POWER_APPLIED] += vec3_dot(vec3_of(x->force_outputs + f->output), anchor_spread_velocity(m, x, &s.anchor));
}

static void find_torque_power(const mechanism *m, const motion *x, const force *f, const double *u, double powers[]) {
  (void)u;
  marker_state s = marker_read(m, x, f->first);
  powers[POWER_APPLIED] += vec3_dot(vec3_of(x->force_outputs + f->output), anchor_spread_omega(m, x, &s.anchor));
}

static const char *const force_outputs[] = {"fx", "fy", "fz"}, *const torque_outputs[] = {"tx", "ty", "tz"};
static const char *const force_units[] = {"N", "N", "N"}, *const torque_units[] = {"N*m", "N*m", "N*m"};

static const option force_options[] = {
    {.key = "force",
     .type = OPTION_TEXT,
     .offset = FORCE_OPTION(on),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "The marker or body."},
    {.key = "components",
     .type = OPTION_FUNCTIONS,
     .offset = FORCE_OPTION(components),
     .dim = DIM_FORCE,
     .flags = OPTION_REQUIRED,
     .help = "Components; each may depend on t and state."},
    {.key = "frame",
     .type = OPTION_WORD,
     .offset = FORCE_OPTION(frame),
     .preset = "world",
     .words = "world|marker",
     .help = "Axes in which the components are given."},
};
static const option_table force_table = {
    .name = "force",
    .summary = "A force given by its components, acting at a marker.",
    .example = "push: {force: tip, components: [0, '-5*t N']}",
    .size = sizeof(carom_force_def),
    .options = force_options,
    .count = OPTION_COUNT(force_options),
};
static const option torque_options[] = {
    {.key = "torque",
     .type = OPTION_TEXT,
     .offset = FORCE_OPTION(on),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "The marker or body."},
    {.key = "components",
     .type = OPTION_FUNCTIONS,
     .offset = FORCE_OPTION(components),
     .dim = DIM_TORQUE,
     .flags = OPTION_REQUIRED | OPTION_TURNING,
     .help = "Components (a single number in a planar model); each may depend on t and state."},
    {.key = "frame",
     .type = OPTION_WORD,
     .offset = FORCE_OPTION(frame),
     .preset = "world",
     .words = "world|marker",
     .help = "Axes in which the components are given."},
};
static const option_table torque_table = {
    .name = "torque",
    .summary = "A torque given by its components, acting on a marker's body.",
    .example = "spin: {torque: rotor, components: [0, 0, '0.1*sin(2*t)']}",
    .size = sizeof(carom_force_def),
    .options = torque_options,
    .count = OPTION_COUNT(torque_options),
};

const force_type force_load = {"force",
                               apply_force,
                               find_force_power,
                               force_outputs,
                               force_units,
                               3,
                               .acts = FORCE_AT_MARKER,
                               .components = true,
                               .table = &force_table};
const force_type force_torque = {"torque",
                                 apply_torque,
                                 find_torque_power,
                                 torque_outputs,
                                 torque_units,
                                 3,
                                 .acts = FORCE_AT_MARKER,
                                 .components = true,
                                 .table = &torque_table};
