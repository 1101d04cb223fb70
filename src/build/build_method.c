// What the method can run, and which integrator suits where none is named: the scheme decides, and this points at the
// words.
#include "build/builder.h"

#include <float.h>

#include "mechanics/dynamics.h"

static bool refuse(builder *b, const scheme_refusal *why) {
  const carom_def *def = b->def;
  if (why->where == REFUSED_JOINT_FRICTION) {
    const part *p = &def->joints.items[why->index];
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, builder_joint_table(p->kind), "friction"),
                        why->hint, "'%s': %s", p->name, why->text);
  }
  place at = why->where == REFUSED_CONTACT      ? b->element_at[why->index]
             : why->where == REFUSED_INTEGRATOR ? def->integrator_at
                                                : def->method_at;
  return source_error(b->error, CAROM_ERROR_MODEL, at, why->hint, "%s", why->text);
}

bool builder_check_settings(builder *b) {
  const carom_def *def = b->def;
  if (def->record.compression > 9)
    return source_error(b->error, CAROM_ERROR_MODEL, def->record_at, NULL, "'compression' goes from 0 to 9, not to %d",
                        def->record.compression);
  scheme_request request = {.options = &def->options, .integrator = &def->integrator};
  scheme_refusal why;
  const scheme_about *about = def->scheme->about;
  return !about->accepts_settings || about->accepts_settings(&request, &why) || refuse(b, &why);
}

// As the model starts.
static bool find_fastest(builder *b, flexible_fastest *to) {
  *to = (flexible_fastest){0};
  if (!b->flexibles) return true;
  const mechanism *m = &b->model->m;
  motion *x = motion_create(m, 0, b->error);
  if (!x) return false;
  dynamics_set(m, x, 0, m->q0, m->u0);
  const bool found = flexible_find_fastest(m, x, &b->model->scratch, to);
  motion_destroy(x);
  return found || source_error(b->error, CAROM_ERROR_MODEL, (place){0}, NULL,
                               "the frequencies of flexible bodies cannot be computed");
}

bool builder_check_method(builder *b) {
  const carom_def *def = b->def;
  if (!find_fastest(b, &b->model->fastest)) return false;
  scheme_request request = {.options = &def->options,
                            .integrator = &def->integrator,
                            .m = &b->model->m,
                            .contacts = &b->model->contacts,
                            .redundant = b->model->assembly.redundant,
                            .fastest = b->model->fastest};
  scheme_refusal why;
  const scheme_about *about = def->scheme->about;
  char advice[256];
  if (about->advises && about->advises(&request, advice, sizeof advice))
    builder_note(b, arena_print(b->memory, "%s", advice));
  return !about->accepts_model || about->accepts_model(&request, &why) || refuse(b, &why);
}

void builder_choose_integrator(carom_model *model) {
  const scheme_about *about = model->scheme->about;
  if (model->integrator.type != CAROM_AUTO) return;
  if (about->choose_integrator) about->choose_integrator(&model->integrator, &model->m, &model->contacts);
  else model->integrator.type = CAROM_ADAMS;
}

// An integrator holds each number to rtol times the number plus atol.
void builder_note_tolerances(builder *b) {
  const carom_integrator_def *it = &b->model->integrator;
  if (!b->model->scheme->about->integrates || it->type == CAROM_RK4 || it->rtol >= DBL_EPSILON) return;
  if (it->atol < DBL_EPSILON)
    builder_note(b, arena_print(b->memory,
                                "rtol of %g and atol of %g are below the rounding of numbers, %.1e, and most runs will "
                                "end with an error; give "
                                "1e-14 or more",
                                it->rtol, it->atol, DBL_EPSILON));
  else
    builder_note(b, arena_print(b->memory,
                                "rtol of %g is below the rounding of numbers, %.1e, and has no effect beside atol, %g; "
                                "for more accuracy make "
                                "both smaller",
                                it->rtol, DBL_EPSILON, it->atol));
}

// Explicit integrators follow every oscillation of the modes, and Adams's with a corrector that does not solve for them
// does too.
void builder_note_fast_modes(builder *b) {
  enum { MANY = 10000 };
  const carom_model *model = b->model;
  const flexible_fastest *f = &model->fastest;
  const double times = f->omega / (2 * M_PI) * model->about.end;
  const int type = model->integrator.type;
  if (!model->scheme->about->integrates || (type != CAROM_ADAMS && type != CAROM_ERK) || !(times > MANY)) return;
  builder_note(b, arena_print(b->memory,
                              "mode %d of '%s' oscillates at %.3g Hz, %.2g times until the end, and the integrator "
                              "takes several steps for each: give the body 'damping' and use integrator bdf, which "
                              "passes over what has decayed, or keep fewer modes",
                              f->mode + 1, model->m.bodies[f->body].name, f->omega / (2 * M_PI), times));
}

// The texts among them are the caller's.
void builder_keep_options(builder *b) {
  carom_model *model = b->model;
  const option_table *table = b->def->scheme->about->table;
  model->scheme = b->def->scheme;
  model->options = b->def->options;
  for (int i = 0; i < table->count; i++) {
    if (table->options[i].type != OPTION_TEXT) continue;
    const char **text = (const char **)(model->options.bytes + table->options[i].offset);
    if (*text) *text = arena_copy_text(b->memory, *text);
  }
}

scheme_contact_options model_contact_options(const carom_model *model) {
  const scheme_about *about = model->scheme->about;
  return about->contact ? about->contact(&model->options, model->m.length) : (scheme_contact_options){0};
}
