// Scheme `lcp-velocity`: a level of the core in complement.h, and what it says about itself.
#include "scheme/lcp_velocity.h"

#include "scheme/complement.h"

#define WHO "method lcp-velocity"

#define AT(field) offsetof(carom_lcp_velocity_def, field)
static const option options[] = {COMPLEMENT_OPTIONS};
static const option_table table = {.name = "lcp-velocity",
                                   .summary =
                                       "Contact forces by complementarity with the gap rates that a Runge-Kutta method "
                                       "predicts for the end of a step: impact and contact of flexible bodies.",
                                   .example = "method: {lcp-velocity: {step: 1 us}}",
                                   .size = sizeof(carom_lcp_velocity_def),
                                   .options = options,
                                   .count = OPTION_COUNT(options)};
#undef AT
SCHEME_INTERFACE_OF(lcp_velocity, "lcp-velocity");

static bool accepts_settings(const scheme_request *request, scheme_refusal *why) {
  return complement_accepts_settings(request, WHO, why);
}

static bool accepts_model(const scheme_request *request, scheme_refusal *why) {
  return complement_accepts_model(request, WHO, why);
}

static const option_synonym synonyms[] = {{"lcp_velocity", "lcp-velocity", NULL}, {NULL, NULL, NULL}};

static const scheme_about about = {
    .table = &table,
    .synonyms = synonyms,
    .integrates = true,
    .averages = true,
    .predicts = true,
    .finds_pairs = true,
    .contact = complement_contact,
    .choose_integrator = complement_choose_integrator,
    .accepts_settings = accepts_settings,
    .accepts_model = accepts_model,
    .required = "step=1e-4",
    .accuracy = "take a shorter step",
};

static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  return complement_create(COMPLEMENT_RATES, setup, start, error);
}

const scheme_type scheme_lcp_velocity = {
    .name = "lcp-velocity",
    .about = &about,
    .create = create,
    COMPLEMENT_FUNCTIONS,
};
