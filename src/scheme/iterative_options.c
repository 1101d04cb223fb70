// What scheme `iterative` says about itself: its options, what it can run, what makes it more accurate.
#include "scheme/event.h"
#include "scheme/iterative.h"
#include "scheme/options.h"

#define WHO "method iterative"

#define AT(field) offsetof(carom_iterative_def, field)
static const option options[] = {
    {.key = "step",
     .type = OPTION_NUMBER,
     .offset = AT(step),
     .dim = DIM_TIME,
     .flags = OPTION_REQUIRED | OPTION_POSITIVE,
     .help = "Time step. Steps are shorter where a contact changes, and where the iteration does not converge."},
    {.key = "form",
     .type = OPTION_WORD,
     .offset = AT(form),
     .preset = "located",
     .words = "located|paper",
     .help =
         "`located`: touch, release and the end of slip are located, impacts are impulses, and the force of a "
         "lasting contact is linear over a step, such that gap and gap rate vanish at its end. `paper`: the force is "
         "constant over a step, and the gap alone vanishes; contacts rebound by accident."},
    {.key = "order",
     .type = OPTION_WORD,
     .offset = AT(order),
     .preset = "rk4",
     .words = "rk4|rk3|midpoint|semi-implicit-euler|explicit-euler",
     .help = "The integration method: of Runge and Kutta with order four or three, the explicit midpoint rule of order "
             "two, semi-implicit Euler of order one. Explicit Euler is refused."},
    {.key = "substeps",
     .type = OPTION_INTEGER,
     .offset = AT(substeps),
     .flags = OPTION_POSITIVE,
     .preset = "1",
     .help = "Equal parts in which the integration method takes each step, under contact forces that are linear over "
             "the whole of it (constant with form: paper and semi-implicit Euler), up to 1000. They follow fast "
             "oscillations of flexible bodies, which a long step damps "
             "and delays."},
    {.key = "impact",
     .type = OPTION_WORD,
     .offset = AT(impact),
     .preset = "newton",
     .words = "newton|poisson",
     .help = "Meaning of the restitution: Newton relates speeds, Poisson relates impulses (with friction, in planar "
             "models only)."},
    {.key = "accumulation",
     .type = OPTION_NUMBER,
     .offset = AT(accumulation),
     .dim = DIM_SPEED,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Rebound speed below which infinitely many impacts are summed in closed form; 0: when the bounces are "
             "lower than 1e-11 of the model size."},
    TOLERANCE_OPTION("1e-12"),
    SEPARATE_OPTION,
    DUMP_OPTIONS("NUMBER"),
};
static const option_table table = {
    .name = "iterative",
    .summary =
        "Fixed steps of high order for few contacts: contact forces are tried on a whole step and corrected until the "
        "surfaces touch at its end.",
    .example = "method: {iterative: {step: 1 ms}}",
    .size = sizeof(carom_iterative_def),
    .options = options,
    .count = OPTION_COUNT(options)};
#undef AT
SCHEME_INTERFACE(iterative);

static scheme_contact_options contact(const void *options, double length) {
  (void)length;
  const carom_iterative_def *d = options;
  return (scheme_contact_options){
      .can_separate = true, .separate = d->separate, .dump = d->dump, .dump_every = d->dump_every};
}

// --- what it can run -------------------------------------------------------------------------------------------------

static bool accepts_settings(const scheme_request *request, scheme_refusal *why) {
  enum { MOST = 1000 };
  const carom_iterative_def *d = request->options;
  if (d->substeps > MOST)
    return SCHEME_REFUSE(why, REFUSED_METHOD, 0, "take a shorter step", "a step of " WHO " has at most %d substeps",
                         MOST);
  if (d->order != CAROM_ORDER_EXPLICIT_EULER) return true;
  return SCHEME_REFUSE(why, REFUSED_METHOD, 0, "use semi-implicit-euler, or an order of two and more",
                       "under explicit Euler positions at the end of a step do not depend on the forces in it, so that "
                       "no contact force keeps surfaces apart");
}

// How far the oscillation of modes is stable: on the imaginary axis rk4 up to 2 sqrt(2), on the real one up to 2.78;
// rk3 up to sqrt(3); semi-implicit Euler up to 2. The midpoint rule amplifies an oscillation by 1 + (dt w)^4/8 in each
// step: up to 0.1 by less than 2e-5.
static bool accepts_step(const scheme_request *request, scheme_refusal *why) {
  static const double limit[] = {[CAROM_ORDER_RK4] = 2.78,
                                 [CAROM_ORDER_RK3] = 1.73,
                                 [CAROM_ORDER_MIDPOINT] = 0.1,
                                 [CAROM_ORDER_SEMI_IMPLICIT_EULER] = 2};
  const carom_iterative_def *d = request->options;
  return scheme_accepts_step(request, WHO, d->step, limit[d->order] * d->substeps, REFUSED_METHOD,
                             "take a shorter step, more substeps or fewer modes, or another method", why);
}

static bool rebounds(const mechanism *m, const contact_element *e) {
  return (void)m, e->material.restitution > 0 || e->material.tangential_restitution > 0;
}

// The paper's form has no impacts, and its regimes are those of contacts.
static bool accepts_paper(const scheme_request *request, scheme_refusal *why) {
  refused_contact c;
  if (request->m->friction_count > 0)
    return SCHEME_REFUSE(why, REFUSED_JOINT_FRICTION, request->m->frictions[0].of.joint, "use form: located",
                         "'form: paper' of method iterative does not support dry friction in ideal joints");
  if (!scheme_find_contact(request, rebounds, &c)) return true;
  return SCHEME_REFUSE(why, c.where, c.index, "use form: located, or set restitution and tangential_restitution to 0",
                       "'%s' has a restitution, but 'form: paper' of method iterative asks for the gap at the end of a "
                       "step alone: how fast surfaces part depends on the place of the touch in its step",
                       c.name);
}

static bool accepts_model(const scheme_request *request, scheme_refusal *why) {
  const carom_iterative_def *d = request->options;
  return accepts_step(request, why) && !scheme_refuses_turning(request, WHO, why) &&
         event_accepts_model(request, WHO, d->impact, why) &&
         (d->form != CAROM_FORM_PAPER || accepts_paper(request, why));
}

const scheme_about iterative_about = {
    .table = &table,
    .knows_joint_friction = true,
    .finds_pairs = true,
    .contact = contact,
    .accepts_settings = accepts_settings,
    .accepts_model = accepts_model,
    .required = "step=1e-3",
    .accuracy = "take a shorter step",
};
