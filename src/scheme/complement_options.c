// What schemes over the core in complement.h can run.
#include <stdio.h>

#include "scheme/complement.h"
#include "scheme/flow.h"

scheme_contact_options complement_contact(const void *options, double length) {
  (void)length;
  const carom_lcp_def *d = options;
  return (scheme_contact_options){
      .can_separate = true, .separate = d->separate, .dump = d->dump, .dump_every = d->dump_every};
}

// Without one of its own the model is moved by the steps that predict.
void complement_choose_integrator(carom_integrator_def *integrator, const mechanism *m, const contact_world *contacts) {
  (void)m, (void)contacts;
  integrator->type = CAROM_RK4;
}

bool complement_accepts_settings(const scheme_request *request, const char *who, scheme_refusal *why) {
  const carom_lcp_def *d = request->options;
  if (d->order == CAROM_ORDER_EXPLICIT_EULER)
    return SCHEME_REFUSE(why, REFUSED_METHOD, 0, "use semi-implicit-euler, or an order of two and more",
                         "under explicit Euler positions at the end of a step do not depend on the forces in it, so "
                         "that no contact force keeps surfaces apart");
  if (request->integrator->type == CAROM_AUTO || d->order == CAROM_ORDER_RK4) return true;
  return SCHEME_REFUSE(why, REFUSED_METHOD, 0, "leave out 'order' or 'integrator'",
                       "'order' of %s is that of its own fixed steps, and the model names an integrator", who);
}

// As in method iterative: rk4 on the real axis up to 2.78, on the imaginary one a little more; rk3 up to sqrt(3);
// semi-implicit Euler up to 2. The midpoint rule amplifies an oscillation by 1 + (dt w)^4/8 in each step: up to 0.1 by
// less than 2e-5.
static bool accepts_step(const scheme_request *request, const char *who, scheme_refusal *why) {
  static const double limit[] = {[CAROM_ORDER_RK4] = 2.78,
                                 [CAROM_ORDER_RK3] = 1.73,
                                 [CAROM_ORDER_MIDPOINT] = 0.1,
                                 [CAROM_ORDER_SEMI_IMPLICIT_EULER] = 2};
  const carom_lcp_def *d = request->options;
  return scheme_accepts_step(request, who, d->step, limit[d->order], REFUSED_METHOD,
                             "take a shorter step or fewer modes, or another method", why);
}

// See theory.md, 10.8: energy comes and goes with the fourth power of this, 1e-4 of that of an impact here.
#define ADVISED 0.25

bool complement_advises(const scheme_request *request, const char *who, complement_level level, char *text, int size) {
  const carom_lcp_def *d = request->options;
  const flexible_fastest *fastest = &request->fastest;
  if (level != COMPLEMENT_RATES || !(d->step * fastest->rate > ADVISED)) return false;
  snprintf(text, (size_t)size,
           "%s: a step of %.3g s is %.2g of the inverse angular frequency of the fastest mode, of body '%s'; gaps move "
           "with the force: take %.3g s or less, or fewer modes",
           who, d->step, d->step * fastest->rate, request->m->bodies[fastest->body].name, ADVISED / fastest->rate);
  return true;
}

static bool rebounds(const mechanism *m, const contact_element *e) {
  return (void)m, e->material.restitution > 0 || e->material.tangential_restitution > 0;
}

static bool accepts_contacts(const scheme_request *request, const char *who, scheme_refusal *why) {
  refused_contact c;
  if (scheme_find_contact(request, rebounds, &c))
    return SCHEME_REFUSE(why, c.where, c.index,
                         "set restitution and tangential_restitution of the material to 0, or use a method that has "
                         "them: moreau or event",
                         "'%s' has a restitution, but %s has none: bodies rebound by their deformation, and lose "
                         "energy in their damping",
                         c.name, who);
  return !scheme_refuses_turning(request, who, why);
}

bool complement_accepts_model(const scheme_request *request, const char *who, scheme_refusal *why) {
  return accepts_step(request, who, why) && accepts_contacts(request, who, why) && flow_accepts_model(request, why);
}
