// What scheme `compliant` says about itself: its options, what it can run, what makes it more accurate.
#include "contact/crowd.h"
#include "scheme/compliant.h"
#include "scheme/flow.h"
#include "scheme/options.h"

#define AT(field) offsetof(carom_compliant_def, field)
static const option options[] = {
    {.key = "entry",
     .type = OPTION_WORD,
     .offset = AT(entry),
     .preset = "locate",
     .words = "locate|reject|restart|none",
     .help =
         "What happens when a contact begins: `locate` finds the instants at which contact begins and ends and "
         "restarts the "
         "integrator there; `reject` rejects a step that enters deeper than penetration_max; `restart` goes back to an "
         "interpolated instant of first contact; `none` does nothing."},
    {.key = "penetration_max",
     .type = OPTION_NUMBER,
     .offset = AT(penetration_max),
     .dim = DIM_LENGTH,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Bound of the penetration at the first detection of a contact; 0: 1e-7 of the model size."},
    {.key = "approach_min",
     .type = OPTION_NUMBER,
     .offset = AT(approach_min),
     .dim = DIM_SPEED,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help =
         "Least speed of approach given to laws that divide by it; 0: 1e-3 of the model's size per second, and where "
         "surfaces are pressed together without an approach, what the stored energy allows."},
    LOOP_OPTIONS("How loop constraints are enforced, as under `smooth`."),
};
static const option_table table = {.name = "compliant",
                                   .summary =
                                       "Continuous contact: a force law (key `law` of a material) acts between "
                                       "surfaces that penetrate each other, on the "
                                       "`integrator`.",
                                   .example = "method: {compliant: {entry: locate, penetration_max: 1 um}}",
                                   .size = sizeof(carom_compliant_def),
                                   .options = options,
                                   .count = OPTION_COUNT(options)};
#undef AT
SCHEME_INTERFACE(compliant);

void compliant_complete(void *options, double length) {
  carom_compliant_def *d = options;
  if (!(d->penetration_max > 0)) d->penetration_max = 1e-7 * length;
  if (!(d->approach_min > 0)) d->approach_min = 1e-3 * length;
}

static scheme_contact_options contact(const void *options, double length) {
  carom_compliant_def d = *(const carom_compliant_def *)options;
  compliant_complete(&d, length);
  return (scheme_contact_options){.penetration_max = d.penetration_max};
}

static bool has_friction(const mechanism *m, const contact_element *e) {
  return (void)m, contact_rubs(e) || contact_rolls(e);
}

// Sticking under a force law is stiff. At the make and break of contact a multistep method begins anew with order 1, a
// one-step method does not: for the same error it takes three fifths of the evaluations. Everything else runs best with
// a long memory.
static void choose_integrator(carom_integrator_def *integrator, const mechanism *m, const contact_world *contacts) {
  bool rubs = contact_count(contacts, m, has_friction, NULL) > 0;
  integrator->type = !contact_can_touch(contacts) ? CAROM_ADAMS : rubs ? CAROM_BDF : CAROM_ERK;
  if (integrator->type == CAROM_ERK && integrator->order == 0) integrator->order = 6;
}

// --- what it can run -------------------------------------------------------------------------------------------------

static bool accepts_settings(const scheme_request *request, scheme_refusal *why) {
  const carom_compliant_def *d = request->options;
  if (request->integrator->type == CAROM_RK4 && d->entry == CAROM_REJECT)
    return SCHEME_REFUSE(why, REFUSED_INTEGRATOR, 0, "use adams, bdf or erk, or 'entry: locate'",
                         "'entry: reject' needs variable steps, and integrator rk4 has fixed steps");
  return flow_accepts_settings(request, d->constraints, why);
}

// A force at each corner would jump where corners come and go, and faces would be as stiff as they have corners. With a
// foundation the pair has a type of its own. A box on a plane is the exception: without a foundation the law of its
// material is that of a corner.
static bool is_flat(const mechanism *m, const contact_element *e) {
  return (void)m, e->type->is_flat && e->type->is_flat(e);
}

static bool accepts_faces(const scheme_request *request, scheme_refusal *why) {
  refused_contact c;
  if (!scheme_find_contact(request, is_flat, &c)) return true;
  bool changes = contact_points_change(&c.e);
  if (c.e.material.foundation > 0 && c.e.terrain_first && !c.e.terrain)
    return SCHEME_REFUSE(why, c.where, c.index, "give the mesh a thickness, or use method moreau",
                         "'%s': the mesh is flat, and method compliant needs one with a volume on a plane: the "
                         "pressure acts on its material",
                         c.name);
  if (c.e.material.foundation > 0 && c.e.terrain_first)
    return SCHEME_REFUSE(
        why, c.where, c.index, "close one of them, or use method moreau",
        "'%s': both meshes are open, and method compliant needs one that is closed: the pressure acts on its material",
        c.name);
  if (c.e.material.foundation > 0)
    return SCHEME_REFUSE(why, c.where, c.index, changes ? "use method moreau" : "use method moreau or event",
                         "'%s': method compliant has no pressure over an area, which the key 'foundation' asks for, "
                         "between these surfaces",
                         c.name);
  return SCHEME_REFUSE(why, c.where, c.index,
                       changes ? "add foundation: to the material, in N/m^3, or use method moreau"
                               : "add foundation: to the material, in N/m^3, or use method moreau or event",
                       "'%s': method compliant needs the key 'foundation' of the material where flat faces or straight "
                       "edges lie on each "
                       "other: their pressure per depth",
                       c.name);
}

static bool accepts_model(const scheme_request *request, scheme_refusal *why) {
  return accepts_faces(request, why) && flow_accepts_model(request, why);
}

static const option_synonym synonyms[] = {
    {"smc", "compliant", NULL},
    {"penalty", "compliant", NULL},
    {"continuous", "compliant", NULL},
    {"soft", "compliant", NULL},
    {NULL, NULL, NULL},
};

const scheme_about compliant_about = {
    .table = &table,
    .synonyms = synonyms,
    .integrates = true,
    .needs_laws = true,
    .finds_pairs = true,
    .complete = compliant_complete,
    .contact = contact,
    .choose_integrator = choose_integrator,
    .accepts_settings = accepts_settings,
    .accepts_model = accepts_model,
    .loops = "use constraints: project",
    .entry = "use entry: locate",
};
