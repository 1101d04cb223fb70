// Scheme `stewart-trinkle`: a rule of the stepper core, and what it says about itself.
#include "scheme/stewart_trinkle.h"
#include "scheme/options.h"
#include "scheme/stepper.h"
#include "solve/polygon.h"

#define AT(field) offsetof(carom_stewart_trinkle_def, field)
static const option options[] = {
    {.key = "step",
     .type = OPTION_NUMBER,
     .offset = AT(step),
     .dim = DIM_TIME,
     .flags = OPTION_REQUIRED | OPTION_POSITIVE,
     .help = "Time step."},
    {.key = "directions",
     .type = OPTION_INTEGER,
     .offset = AT(directions),
     .flags = OPTION_POSITIVE,
     .preset = "8",
     .help = "Directions of the polygonal friction cone in space: an even number from 4 to 64. In the plane there are "
             "two."},
    {.key = "velocity_terms",
     .type = OPTION_WORD,
     .offset = AT(velocity_terms),
     .preset = "start",
     .words = "start|midpoint",
     .help = "Positions, velocities and states in forces, inertia and contact frames: those at the start of the step "
             "(order one), or in its middle "
             "(order two in joint coordinates, away from loops and contact; twice the evaluations)."},
    {.key = "project",
     .type = OPTION_FLAG,
     .offset = AT(project),
     .preset = "true",
     .help = "Project positions onto the constraints after each step; the energy this adds is recorded."},
    MODAL_THETA_OPTION,
    TOLERANCE_OPTION("1e-10"),
    {.key = "activation",
     .type = OPTION_NUMBER,
     .offset = AT(activation),
     .dim = DIM_LENGTH,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Contacts whose gap may close to this value within two steps take part; 0: 1e-10 of the model size."},
    SEPARATE_OPTION,
    DUMP_OPTIONS("STEP"),
};
static const option_table table = {
    .name = "stewart-trinkle",
    .summary =
        "Time stepping after Stewart and Trinkle: inelastic rigid contact on the level of positions, with a "
        "polygonal friction cone.",
    .example = "method: {stewart-trinkle: {step: 1 ms, directions: 8}}",
    .size = sizeof(carom_stewart_trinkle_def),
    .options = options,
    .count = OPTION_COUNT(options)};
#undef AT
SCHEME_INTERFACE_OF(stewart_trinkle, "stewart-trinkle");

static scheme_contact_options contact(const void *options, double length) {
  const carom_stewart_trinkle_def *d = options;
  return (scheme_contact_options){.can_separate = true,
                                  .separate = d->separate,
                                  .activation = d->activation > 0 ? d->activation : contact_nearness(length),
                                  .dump = d->dump,
                                  .dump_every = d->dump_every};
}

// --- what it can run -------------------------------------------------------------------------------------------------

static bool accepts_settings(const scheme_request *request, scheme_refusal *why) {
  const carom_stewart_trinkle_def *d = request->options;
  if (!stepper_accepts_theta("method stewart-trinkle", d->modal_theta, why)) return false;
  if (polygon_valid(d->directions)) return true;
  return SCHEME_REFUSE(why, REFUSED_METHOD, 0, "use 8 or 16",
                       "'directions' is %d, but a friction cone needs an even number of them from %d to %d",
                       d->directions, POLYGON_LEAST, POLYGON_MOST);
}

static bool rebounds(const mechanism *m, const contact_element *e) {
  (void)m;
  return e->material.restitution > 0 || e->material.tangential_restitution > 0;
}

static bool accepts_model(const scheme_request *request, scheme_refusal *why) {
  refused_contact c;
  const carom_stewart_trinkle_def *d = request->options;
  if (!stepper_accepts_step(request, "method stewart-trinkle", d->step, d->modal_theta, why)) return false;
  if (!scheme_find_contact(request, rebounds, &c)) return true;
  return SCHEME_REFUSE(why, c.where, c.index,
                       "set restitution and tangential_restitution of the material to 0, or use method moreau or event",
                       "'%s' has a restitution, but method stewart-trinkle asks where surfaces are at the end of a "
                       "step, not how fast they part: "
                       "its impacts are inelastic",
                       c.name);
}

static const option_synonym synonyms[] = {
    {"stewart_trinkle", "stewart-trinkle", NULL},
    {"stewart", "stewart-trinkle", NULL},
    {NULL, NULL, NULL},
};

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
};

// --- the rule --------------------------------------------------------------------------------------------------------

// 0 ≤ g + Δt γ_E at the end of the step (18a), over Δt; friction acts on the slip at the end of the step.
static void require(const stepper_contact *c, double *required) {
  required[0] = c->gap / c->dt;
  for (int k = 1; k < c->rows; k++) required[k] = 0;
}

// From the midpoint on, positions follow u_E for half a step.
static void require_from_midpoint(const stepper_contact *c, double *required) {
  stepper_contact half = *c;
  half.dt *= 0.5;
  require(&half, required);
}

// All points that come within reach of the step take part. Positions follow u_E: with u_A they would turn an inelastic
// impact into a rebound.
static const stepper_rule rules[] = {
    [CAROM_TERMS_AT_START] = {.place = 0, .require = require, .ahead = 2},
    [CAROM_TERMS_AT_MIDPOINT] = {.place = 0.5, .require = require_from_midpoint, .ahead = 2},
};

static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  const carom_stewart_trinkle_def *d = setup->options;
  stepper_settings settings = {.step = d->step,
                               .project = d->project,
                               .midpoint = d->velocity_terms == CAROM_TERMS_AT_MIDPOINT,
                               .directions = d->directions,
                               .modal_theta = d->modal_theta,
                               .tolerance = d->tolerance};
  return stepper_create(&rules[d->velocity_terms], &settings, setup, start, error);
}

const scheme_type scheme_stewart_trinkle = {
    .name = "stewart-trinkle",
    .about = &about,
    .energy = {.warn = 0.01, .bad = 0.05},  // of first order, as moreau
    .create = create,
    STEPPER_FUNCTIONS,
};
