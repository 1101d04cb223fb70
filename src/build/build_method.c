// What method and integrator go together, and which integrator suits where none is named.
#include <string.h>

#include "build/builder.h"

static bool check_event(builder *b) {
  const carom_def *def = b->def;
  if (def->integrator.type == CAROM_RK4 || def->integrator.type == CAROM_IDA)
    return source_error(b->error, CAROM_ERROR_MODEL, def->integrator_at, "use adams, bdf or erk",
                        def->integrator.type == CAROM_RK4
                            ? "method event needs an integrator with variable steps, and rk4 has fixed steps"
                            : "method event needs an integrator for ordinary differential equations, and ida is not one");
  return true;
}

// Poisson's expansion has friction between given bounds, and in space these would have to be a disc.
bool builder_check_poisson(builder *b) {
  const contact_set *contacts = &b->model->contacts;
  bool poisson = strcmp(b->def->method, "event") == 0 && b->def->event.impact == CAROM_POISSON;
  for (int i = 0; poisson && i < contacts->element_count; i++)
    if (contacts->elements[i].material.tangential_restitution > 0)
      return source_error(b->error, CAROM_ERROR_MODEL, b->def->method_at, "use 'impact: newton', or leave it out",
                          "Poisson's law of impact has no tangential restitution, and '%s' has one", contacts->elements[i].name);
  if (!poisson || b->model->m.planar) return true;
  for (int i = 0; i < contacts->element_count; i++)
    if (contact_row_count(&b->model->m, &contacts->elements[i]) > 1)
      return source_error(b->error, CAROM_ERROR_MODEL, b->def->method_at, "use 'impact: newton', or no friction",
                          "Poisson's law of impact supports friction only in planar models, and '%s' has friction in space",
                          contacts->elements[i].name);
  return true;
}

// Sticking under a force law is stiff. At the make and break of contact a multistep method begins anew with order 1, a one-step
// method does not: for the same error it takes three fifths of the evaluations. Everything else runs best with a long memory.
void builder_choose_integrator(carom_model *model) {
  carom_integrator_def *d = &model->integrator;
  if (d->type != CAROM_AUTO) return;
  bool compliant = strcmp(model->method, "compliant") == 0, rubs = false;
  for (int i = 0; i < model->contacts.element_count; i++) rubs |= contact_rubs(&model->contacts.elements[i]);
  d->type = !compliant || model->contacts.element_count == 0 ? CAROM_ADAMS : rubs ? CAROM_BDF : CAROM_ERK;
  if (d->type == CAROM_ERK && d->order == 0) d->order = 6;
}

static bool check_smooth(builder *b, int constraints) {
  const carom_def *def = b->def;
  if (def->integrator.type == CAROM_RK4 && !(def->integrator.step > 0))
    return source_error(b->error, CAROM_ERROR_MODEL, def->integrator_at, "for instance integrator: {type: rk4, step: 1 ms}",
                        "integrator rk4 needs a 'step'");
  bool ida = def->integrator.type == CAROM_IDA, ggl = constraints == CAROM_GGL;
  if (ida && constraints == CAROM_BAUMGARTE)
    return source_error(b->error, CAROM_ERROR_MODEL, def->method_at, NULL,
                        "integrator ida uses its own stabilisation (ggl), not Baumgarte's");
  if (ggl && !ida)
    return source_error(b->error, CAROM_ERROR_MODEL, def->method_at, "set 'integrator: ida'",
                        "'constraints: ggl' needs integrator ida");
  return true;
}

static bool check_compliant(builder *b) {
  if (b->def->integrator.type == CAROM_RK4 && b->def->compliant.entry == CAROM_REJECT)
    return source_error(b->error, CAROM_ERROR_MODEL, b->def->integrator_at, "use adams, bdf or erk, or 'entry: locate'",
                        "'entry: reject' needs variable steps, and integrator rk4 has fixed steps");
  return true;
}

bool builder_check_method(builder *b) {
  const carom_def *def = b->def;
  if (def->record.compression > 9)
    return source_error(b->error, CAROM_ERROR_MODEL, def->record_at, NULL, "'compression' goes from 0 to 9, not to %d",
                        def->record.compression);
  if (strcmp(def->method, "event") == 0) return check_event(b);
  if (strcmp(def->method, "smooth") == 0) return check_smooth(b, def->smooth.constraints);
  if (strcmp(def->method, "compliant") == 0) return check_compliant(b) && check_smooth(b, def->compliant.constraints);
  return true;
}
