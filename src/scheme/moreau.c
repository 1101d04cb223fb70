// Scheme `moreau`: a rule of the stepper core, and what it says about itself.
#include "scheme/moreau.h"

#include <math.h>

#include "scheme/options.h"
#include "scheme/stepper.h"

#define AT(field) offsetof(carom_moreau_def, field)
static const option options[] = {
    {.key = "step",
     .type = OPTION_NUMBER,
     .offset = AT(step),
     .dim = DIM_TIME,
     .flags = OPTION_REQUIRED | OPTION_POSITIVE,
     .help = "Time step."},
    {.key = "project",
     .type = OPTION_FLAG,
     .offset = AT(project),
     .preset = "true",
     .help = "Project positions onto the constraints after each step; the energy this adds is recorded."},
    {.key = "remove_overlap",
     .type = OPTION_FLAG,
     .offset = AT(remove_overlap),
     .preset = "true",
     .help = "Move bodies apart that overlap after a step; no velocity changes, and the energy this adds is recorded. "
             "With flexible bodies it adds at most half of what contacts and dampers have taken, unless modal_theta is "
             "above 0.5."},
    {.key = "velocity_terms",
     .type = OPTION_WORD,
     .offset = AT(velocity_terms),
     .words = "start|midpoint",
     .preset = "start",
     .help = "Velocities and states in forces and inertia: those at the start of the step (order one), or in its "
             "middle (order two in joint "
             "coordinates, away from loops and contact; twice the evaluations)."},
    {.key = "time_of_impact",
     .type = OPTION_FLAG,
     .offset = AT(time_of_impact),
     .preset = "true",
     .help =
         "Take shorter steps where fast bodies would pass through others; false: keep the step and count the passage."},
    MODAL_THETA_OPTION,
    TOLERANCE_OPTION("1e-10"),
    {.key = "activation",
     .type = OPTION_NUMBER,
     .offset = AT(activation),
     .dim = DIM_LENGTH,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Contacts become active below this gap; 0: 1e-10 of the model size."},
    SEPARATE_OPTION,
    DUMP_OPTIONS("STEP"),
};
static const option_table table = {
    .name = "moreau",
    .summary = "Moreau's time stepping: rigid contact with impacts and Coulomb friction.",
    .example = "method: {moreau: {step: 10 us}}",
    .size = sizeof(carom_moreau_def),
    .options = options,
    .count = OPTION_COUNT(options)};
#undef AT
SCHEME_INTERFACE(moreau);

static scheme_contact_options contact(const void *options, double length) {
  const carom_moreau_def *d = options;
  return (scheme_contact_options){.can_separate = true,
                                  .separate = d->separate,
                                  .activation = d->activation > 0 ? d->activation : contact_nearness(length),
                                  .dump = d->dump,
                                  .dump_every = d->dump_every};
}

static const option_synonym synonyms[] = {
    {"nsc", "moreau", NULL},
    {"time_stepping", "moreau", NULL},
    {"timestepping", "moreau", NULL},
    {"hard", "moreau", NULL},
    {NULL, NULL, NULL},
};

static bool accepts_settings(const scheme_request *request, scheme_refusal *why) {
  return stepper_accepts_theta("method moreau", ((const carom_moreau_def *)request->options)->modal_theta, why);
}

static bool accepts_model(const scheme_request *request, scheme_refusal *why) {
  const carom_moreau_def *d = request->options;
  return stepper_accepts_step(request, "method moreau", d->step, d->modal_theta, why);
}

static const scheme_about about = {
    .table = &table,
    .synonyms = synonyms,
    .knows_joint_friction = true,
    .finds_pairs = true,
    .contact = contact,
    .accepts_settings = accepts_settings,
    .accepts_model = accepts_model,
    .required = "step=1e-4",
    .accuracy = "take a shorter step",
    .loops = "keep project: true",
    .entry = "use method event if it runs the model",
};

// Newton's law of impact, ξ = γ_E + e γ_A, normal to the surface and along it (76). A rate that a single step makes is
// no impact: its rebound would be over within two steps, and bodies on several feet would go from one to the other for
// ever (theory.md, 10.3, Rest).
static void require(const stepper_contact *c, double *required) {
  bool strikes = fabs(c->rate[0]) > c->made;
  required[0] = strikes ? c->of->restitution * c->rate[0] : 0;
  for (int k = 1; k < c->rows; k++) required[k] = c->of->tangential_restitution * c->rate[k];
}

// Everything at the midpoint (80); points that touch there take part.
static const stepper_rule rule = {.place = 0.5, .require = require, .ahead = 0};

static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  const carom_moreau_def *d = setup->options;
  stepper_settings settings = {.step = d->step,
                               .project = d->project,
                               .remove_overlap = d->remove_overlap,
                               .midpoint = d->velocity_terms == CAROM_TERMS_AT_MIDPOINT,
                               .time_of_impact = d->time_of_impact,
                               .modal_theta = d->modal_theta,
                               .tolerance = d->tolerance};
  return stepper_create(&rule, &settings, setup, start, error);
}

const scheme_type scheme_moreau = {
    .name = "moreau",
    .about = &about,
    .energy = {.warn = 0.01, .bad = 0.05},  // of first order: no tolerance to derive them from
    .create = create,
    STEPPER_FUNCTIONS,
};
