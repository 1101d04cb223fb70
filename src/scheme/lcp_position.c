// Scheme `lcp-position`: a level of the core in complement.h, and what it says about itself.
#include "scheme/lcp_position.h"

#include "scheme/complement.h"

#define WHO "method lcp-position"

#define AT(field) offsetof(carom_lcp_position_def, field)
static const option options[] = {COMPLEMENT_OPTIONS};
static const option_table table = {.name = "lcp-position",
                                   .summary =
                                       "Contact forces by complementarity with the gaps that a Runge-Kutta method "
                                       "predicts for the end of a step: impact and contact of flexible bodies.",
                                   .example = "method: {lcp-position: {step: 1 us}}",
                                   .size = sizeof(carom_lcp_position_def),
                                   .options = options,
                                   .count = OPTION_COUNT(options)};
#undef AT
SCHEME_INTERFACE_OF(lcp_position, "lcp-position");

static bool accepts_settings(const scheme_request *request, scheme_refusal *why) {
  return complement_accepts_settings(request, WHO, why);
}

static bool accepts_model(const scheme_request *request, scheme_refusal *why) {
  return complement_accepts_model(request, WHO, why);
}

static const option_synonym synonyms[] = {{"lcp_position", "lcp-position", NULL}, {NULL, NULL, NULL}};

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
  return complement_create(COMPLEMENT_GAPS, setup, start, error);
}

const scheme_type scheme_lcp_position = {
    .name = "lcp-position",
    .about = &about,
    .create = create,
    COMPLEMENT_FUNCTIONS,
};
