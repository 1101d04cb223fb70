#include "scheme_euler.h"

#include <stddef.h>

#include "scheme/options.h"
#include "scheme/stepper.h"

typedef struct euler_def {
  double step;  // [s]
} euler_def;

static const option options[] = {
    {.key = "step",
     .type = OPTION_NUMBER,
     .offset = offsetof(euler_def, step),
     .dim = DIM_TIME,
     .flags = OPTION_REQUIRED | OPTION_POSITIVE,
     .help = "Time step."},
};
static const option_table table = {.name = "euler",
                                   .summary = "Semi-implicit Euler: rigid contact without restitution.",
                                   .example = "method: {euler: {step: 1 ms}}",
                                   .size = sizeof(euler_def),
                                   .options = options,
                                   .count = OPTION_COUNT(options)};

static scheme_contact_options contact(const void *unused, double length) {
  (void)unused;
  return (scheme_contact_options){.activation = contact_nearness(length)};
}

static const scheme_about about = {.table = &table,
                                   .knows_joint_friction = true,
                                   .contact = contact,
                                   .required = "step=1e-3",
                                   .accuracy = "take a shorter step"};

// A gap may close within the step and no further: γ_E + g/Δt ≥ 0. Friction acts on the slip at the end of the step.
static void require(const stepper_contact *c, double *required) {
  required[0] = c->gap > 0 ? c->gap / c->dt : 0;
  for (int k = 1; k < c->rows; k++) required[k] = 0;
}

// Rows at the start of the step, for all points that come within reach of it; positions follow u_E.
static const stepper_rule rule = {.place = 0, .require = require, .ahead = 2};

static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  const euler_def *d = setup->options;
  return stepper_create(&rule, &(stepper_settings){.step = d->step, .project = true}, setup, start, error);
}

const scheme_type scheme_euler = {
    .name = "euler",
    .about = &about,
    .energy = {.warn = 0.01, .bad = 0.05},
    .create = create,
    STEPPER_FUNCTIONS,
};
