// What scheme `event` says about itself: its options, what it can run, what makes it more accurate.
#include "contact/crowd.h"
#include "scheme/event.h"
#include "scheme/options.h"

#define AT(field) offsetof(carom_event_def, field)
static const option options[] = {
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
             "lower than atol times the model size."},
    TOLERANCE_OPTION("1e-12"),
    SEPARATE_OPTION,
    DUMP_OPTIONS("NUMBER"),
};
static const option_table table = {
    .name = "event",
    .summary =
        "Smooth motion between events located in time: rigid contact with impacts and Coulomb friction to the "
        "accuracy of the `integrator` (adams, bdf or erk).",
    .example = "method: {event: {impact: newton}}",
    .size = sizeof(carom_event_def),
    .options = options,
    .count = OPTION_COUNT(options)};
#undef AT
SCHEME_INTERFACE(event);

static scheme_contact_options contact(const void *options, double length) {
  (void)length;
  const carom_event_def *d = options;
  return (scheme_contact_options){
      .can_separate = true, .separate = d->separate, .dump = d->dump, .dump_every = d->dump_every};
}

static bool rubs_in_space(const mechanism *m, const contact_element *e) { return contact_sliding_rows(m, e) == 3; }

// In space the direction of friction follows that of the slip, the faster the slower the slip is: stiff wherever a
// point comes to rest or begins to move. In the plane the direction has two values, and modes tell which.
static void choose_integrator(carom_integrator_def *integrator, const mechanism *m, const contact_world *contacts) {
  contact_element rough;
  int index;
  bool turns = contact_find(contacts, m, rubs_in_space, &rough, &index);
  integrator->type = turns && integrator->order <= 5 ? CAROM_BDF : CAROM_ADAMS;
}

// --- what it can run -------------------------------------------------------------------------------------------------

static bool accepts_settings(const scheme_request *request, scheme_refusal *why) {
  int type = request->integrator->type;
  if (type != CAROM_RK4 && type != CAROM_IDA) return true;
  return SCHEME_REFUSE(
      why, REFUSED_INTEGRATOR, 0, "use adams, bdf or erk", "%s",
      type == CAROM_RK4 ? "method event needs an integrator with variable steps, and rk4 has fixed steps"
                        : "method event needs an integrator for ordinary differential equations, and ida is not one");
}

static bool returns_along_surface(const mechanism *m, const contact_element *e) {
  return (void)m, e->material.tangential_restitution > 0;
}
static bool cannot_follow(const mechanism *m, const contact_element *e) {
  return (void)m, contact_points_change(e) && !e->type->follow;
}

// Poisson's expansion has friction between given bounds, and in space these would have to be a disc.
static bool accepts_contacts(const scheme_request *request, scheme_refusal *why) {
  refused_contact c;
  if (scheme_find_contact(request, returns_along_surface, &c))
    return SCHEME_REFUSE(why, REFUSED_METHOD, 0, "use 'impact: newton', or leave it out",
                         "Poisson's law of impact has no tangential restitution, and '%s' has one", c.name);
  if (scheme_find_contact(request, rubs_in_space, &c))
    return SCHEME_REFUSE(
        why, REFUSED_METHOD, 0, "use 'impact: newton', or no friction",
        "Poisson's law of impact supports friction only in planar models, and '%s' has friction in space", c.name);
  return true;
}

// In an impact the load of a joint is a percussion, and so is friction in proportion to it: of compression and
// expansion apart, which Poisson's law does not say.
static bool accepts_joint_frictions(const scheme_request *request, scheme_refusal *why) {
  const mechanism *m = request->m;
  for (int i = 0; contact_can_touch(request->contacts) && i < m->friction_count; i++)
    if (m->frictions[i].coefficient > 0)
      return SCHEME_REFUSE(why, REFUSED_JOINT_FRICTION, m->frictions[i].of.joint,
                           "use impact: newton, or a constant friction",
                           "Poisson's law of impact does not define the friction of a joint that impacts load");
  return true;
}

// Each point is followed on its own from touch to release, and what its places come and go by has to be followed with
// it.
static bool accepts_points(const scheme_request *request, const char *who, scheme_refusal *why) {
  refused_contact c;
  if (!scheme_find_contact(request, cannot_follow, &c)) return true;
  const contact_surface *surfaces = request->contacts->surfaces;
  return SCHEME_REFUSE(why, c.where, c.index, "use method moreau, stewart-trinkle or compliant",
                       "'%s': %s does not support this %s with this %s: the places where they touch come and go, and "
                       "it cannot locate these changes in time",
                       c.name, who, surfaces[c.e.surface[0]].kind, surfaces[c.e.surface[1]].kind);
}

bool event_accepts_model(const scheme_request *request, const char *who, int impact, scheme_refusal *why) {
  if (!accepts_points(request, who, why)) return false;
  if (impact != CAROM_POISSON) return true;
  return accepts_contacts(request, why) && accepts_joint_frictions(request, why);
}

static bool accepts_model(const scheme_request *request, scheme_refusal *why) {
  return event_accepts_model(request, "method event", ((const carom_event_def *)request->options)->impact, why);
}

static const option_synonym synonyms[] = {{"event_driven", "event", NULL}, {NULL, NULL, NULL}};

const scheme_about event_about = {
    .table = &table,
    .synonyms = synonyms,
    .integrates = true,
    .knows_joint_friction = true,
    .finds_pairs = true,
    .contact = contact,
    .choose_integrator = choose_integrator,
    .accepts_settings = accepts_settings,
    .accepts_model = accepts_model,
};
