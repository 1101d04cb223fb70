// Settings of schemes on the integrators, and what these can run.
#include "scheme/flow.h"
#include "scheme/options.h"

flow_settings flow_settings_from(const scheme_setup *setup, int constraints, double alpha, double beta) {
  return (flow_settings){.kind = integrator_kind_of(setup->integrator),
                         .integrator = integrator_settings_of(setup->integrator),
                         .constraints = (flow_constraints)constraints,
                         .alpha = alpha,
                         .beta = beta,
                         .length = setup->m->length};
}

// --- what the integrators can run ------------------------------------------------------------------------------------

bool flow_accepts_settings(const scheme_request *request, int constraints, scheme_refusal *why) {
  const carom_integrator_def *integrator = request->integrator;
  if (integrator->type == CAROM_RK4 && !(integrator->step > 0))
    return SCHEME_REFUSE(why, REFUSED_INTEGRATOR, 0, "for instance integrator: {type: rk4, step: 1 ms}",
                         "integrator rk4 needs a 'step'");
  bool ida = integrator->type == CAROM_IDA, ggl = constraints == CAROM_GGL;
  if (ida && constraints == CAROM_BAUMGARTE)
    return SCHEME_REFUSE(why, REFUSED_METHOD, 0, NULL,
                         "integrator ida uses its own stabilisation (ggl), not Baumgarte's");
  if (ggl && !ida)
    return SCHEME_REFUSE(why, REFUSED_METHOD, 0, "set 'integrator: ida'", "'constraints: ggl' needs integrator ida");
  return true;
}

// On the imaginary axis the classical Runge–Kutta method is stable up to 2 √2, on the real one up to 2.78.
static bool accepts_step(const scheme_request *request, scheme_refusal *why) {
  return request->integrator->type != CAROM_RK4 ||
         scheme_accepts_step(request, "integrator rk4", request->integrator->step, 2.78, REFUSED_INTEGRATOR,
                             "take a shorter step or fewer modes, or an integrator that chooses its step: adams, erk "
                             "or, with damping, bdf",
                             why);
}

bool flow_accepts_model(const scheme_request *request, scheme_refusal *why) {
  if (!accepts_step(request, why)) return false;
  if (!request->redundant || request->integrator->type != CAROM_IDA) return true;
  return SCHEME_REFUSE(why, REFUSED_INTEGRATOR, 0, "use adams, bdf, erk or rk4",
                       "%d constraint rows are redundant, and IDA needs independent rows", request->redundant);
}
