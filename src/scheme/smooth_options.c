// What scheme `smooth` says about itself: its options, what it can run, what makes it more accurate.
#include "scheme/smooth.h"
#include "scheme/options.h"

#define AT(field) offsetof(carom_smooth_def, field)
static const option options[] = {
    LOOP_OPTIONS("How loop constraints are enforced: projection after each step, Baumgarte stabilisation, or stabilised index 2 "
                 "(only with `integrator: ida`, which always uses it)."),
};
static const option_table table = {.name = "smooth", .summary = "Smooth motion without contact.",
                                   .example = "method: {smooth: {constraints: baumgarte, alpha: 20, beta: 20}}",
                                   .size = sizeof(carom_smooth_def), .options = options,
                                   .count = OPTION_COUNT(options)};
#undef AT

carom_smooth_def carom_smooth_default(void) {
  carom_smooth_def d;
  option_defaults(&table, &d);
  return d;
}

carom_status carom_def_smooth(carom_def *def, const carom_smooth_def *smooth) {
  return carom_def_method(def, "smooth", smooth);
}

_Static_assert(sizeof(carom_smooth_def) <= sizeof(scheme_options), "scheme_options has room for these");

smooth_settings smooth_settings_from(const scheme_setup *setup, int constraints, double alpha, double beta) {
  return (smooth_settings){.kind = integrator_kind_of(setup->integrator), .integrator = integrator_settings_of(setup->integrator),
                           .constraints = (smooth_constraints)constraints, .alpha = alpha, .beta = beta,
                           .length = setup->m->length};
}

// --- what it can run ----------------------------------------------------------------------------------------------

bool smooth_accepts_settings(const scheme_request *request, int constraints, scheme_refusal *why) {
  const carom_integrator_def *integrator = request->integrator;
  if (integrator->type == CAROM_RK4 && !(integrator->step > 0))
    return SCHEME_REFUSE(why, REFUSED_INTEGRATOR, 0, "for instance integrator: {type: rk4, step: 1 ms}",
                         "integrator rk4 needs a 'step'");
  bool ida = integrator->type == CAROM_IDA, ggl = constraints == CAROM_GGL;
  if (ida && constraints == CAROM_BAUMGARTE)
    return SCHEME_REFUSE(why, REFUSED_METHOD, 0, NULL, "integrator ida uses its own stabilisation (ggl), not Baumgarte's");
  if (ggl && !ida) return SCHEME_REFUSE(why, REFUSED_METHOD, 0, "set 'integrator: ida'", "'constraints: ggl' needs integrator ida");
  return true;
}

bool smooth_accepts_rows(const scheme_request *request, scheme_refusal *why) {
  if (!request->redundant || request->integrator->type != CAROM_IDA) return true;
  return SCHEME_REFUSE(why, REFUSED_INTEGRATOR, 0, "use adams, bdf, erk or rk4",
                       "%d constraint rows are redundant, and IDA needs independent rows", request->redundant);
}

static bool accepts_settings(const scheme_request *request, scheme_refusal *why) {
  return smooth_accepts_settings(request, ((const carom_smooth_def *)request->options)->constraints, why);
}

static bool accepts_model(const scheme_request *request, scheme_refusal *why) {
  if (!smooth_accepts_rows(request, why)) return false;
  if (!request->contacts->element_count) return true;
  return SCHEME_REFUSE(why, REFUSED_CONTACT, 0, "use method: {moreau: {step: ...}}, event or compliant",
                       "method smooth does not support contact, and '%s' can touch", request->contacts->elements[0].name);
}

const scheme_about smooth_about = {
    .table = &table, .integrates = true, .accepts_settings = accepts_settings, .accepts_model = accepts_model,
    .loops = "use constraints: project",
};
