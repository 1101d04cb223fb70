// Reading a compiled model.
#include <math.h>
#include <string.h>

#include "contact/crowd.h"
#include "mechanics/flexible.h"
#include "mechanics/constraint.h"
#include "mechanics/dca.h"
#include "mechanics/force.h"
#include "mechanics/signal.h"
#include "sim.h"

// The length of a step that is the same throughout; 0 if the scheme chooses it.
static double fixed_step(const carom_model *model) {
  const option_table *table = model->scheme->about->table;
  for (int i = 0; i < table->count; i++)
    if (strcmp(table->options[i].key, "step") == 0)
      return *(const double *)((const char *)&model->options + table->options[i].offset);
  return 0;
}

carom_model_info carom_model_get_info(const carom_model *model) {
  static const char *const integrators[] = {"adams", "bdf", "erk", "rk4", "ida"};
  const mechanism *m = &model->m;
  const assembly_report *a = &model->assembly;
  const scheme_contact_options contact = model_contact_options(model);
  carom_model_info info = {
      .title = model->about.title,
      .source = model->about.source,
      .method = model->scheme->name,
      .integrator = model->scheme->about->integrates ? integrators[model->integrator.type] : "",
      .space = (carom_space)model->about.space,
      .coordinates = (carom_coordinates)model->about.coordinates,
      .bodies = m->body_count - 1,
      .joints = m->joint_count,
      .constraints = m->constraint_count,
      .forces = m->force_count,
      .drives = m->drive_count,
      .coordinates_count = m->nq,
      .speeds = m->nv,
      .assembly_levels = m->dca ? m->dca->level_count : 0,
      .freedom = a->freedom,
      .constraint_rows = m->row_count,
      .length = m->length,
      .activation = contact.activation,
      .surfaces = model->contacts.surface_count,
      .possible_pairs = model->contacts.possible,
      .finds_pairs = model->contacts.crowd != NULL,
      .neighbour_pairs = (int)model->contacts.neighbours,
      .nonexistent_pairs = model->contacts.nonexistent,
      .penetration_max = contact.penetration_max,
      .redundant_rows = a->redundant,
      .end = model->about.end,
      .violation_before = a->violation_before,
      .violation_after = a->violation_after,
      .assembly_iterations = a->iterations,
      .moved_joint = a->moved_joint,
      .moved_from = a->moved_from,
      .moved_to = a->moved_to,
      .moved_count = a->moved_count,
      .changed_count = a->changed_count,
      .changed_joint = a->changed_joint,
      .changed_body = a->changed_body,
      .changed_key = a->changed_key,
      .changed_from = a->changed_from,
      .changed_to = a->changed_to,
      .step = fixed_step(model),
  };
  for (int i = 0; i < m->joint_count; i++) info.loop_joints += carom_model_joint_closes_loop(model, i);
  return info;
}

const char *carom_model_body_name(const carom_model *model, int i) {
  return i >= 0 && i < model->m.body_count ? model->m.bodies[i].name : NULL;
}

static const flexible_body *flexible_at(const carom_model *model, int i) {
  return i > 0 && i < model->m.body_count ? model->m.bodies[i].flex : NULL;
}

int carom_model_body_modes(const carom_model *model, int i) {
  const flexible_body *f = flexible_at(model, i);
  return f ? f->modes : 0;
}

double carom_model_body_frequency(const carom_model *model, int i, int mode) {
  return mode >= 0 && mode < carom_model_body_modes(model, i) ? flexible_at(model, i)->omega[mode] : NAN;
}

carom_interface carom_model_body_interface(const carom_model *model, int i, int place) {
  const carom_interface *list = flexible_at(model, i) && model->interfaces ? model->interfaces[i] : NULL;
  for (int k = 0; list && list[k].name && place >= 0; k++)
    if (k == place) return list[k];
  return (carom_interface){0};
}

carom_body_size carom_model_body_size(const carom_model *model, int i) {
  if (i < 0 || i >= model->m.body_count) return (carom_body_size){0};
  const body *b = &model->m.bodies[i];
  const double *I = b->inertia;
  double most = model->m.planar ? I[2] : fmax(I[0], fmax(I[1], I[2]));
  carom_body_size size = {.mass = b->mass,
                          .size = model->drawing.bodies[i].size,
                          .gyration = b->mass > 0 && most > 0 ? sqrt(most / b->mass) : 0,
                          .from_shape = i > 0 && model->masses[i - 1].from_shape};
  vec3_store(size.com, b->com);
  memcpy(size.inertia, I, sizeof size.inertia);
  return size;
}

static const contact_element *contact_at(const carom_model *model, int i) {
  return i >= 0 && i < model->contacts.element_count ? &model->contacts.elements[i] : NULL;
}

double carom_model_start_gap(const carom_model *model, int contact) {
  return contact_at(model, contact) ? model->start_gaps[contact] : NAN;
}

const char *carom_model_start_gap_unit(const carom_model *model, int contact) {
  const contact_element *e = contact_at(model, contact);
  return e && contact_turns(&model->m, e) ? "rad" : "m";
}

const char *carom_model_joint_name(const carom_model *model, int i) {
  return i >= 0 && i < model->m.joint_count ? model->m.joints[i].name : NULL;
}

const char *carom_model_joint_kind(const carom_model *model, int i) {
  return i >= 0 && i < model->m.joint_count ? model->m.joints[i].type->name : NULL;
}

bool carom_model_joint_closes_loop(const carom_model *model, int i) {
  return i >= 0 && i < model->m.joint_count && model->closes_loop[i];
}

static const joint_space *space_of(const carom_model *model, int i) {
  static const joint_space none = {0};
  return i >= 0 && i < model->m.joint_count ? joint_in(model->m.joints[i].type, model->m.planar) : &none;
}

int carom_model_joint_coordinates(const carom_model *model, int i) { return space_of(model, i)->nq; }

int carom_model_joint_speeds(const carom_model *model, int i) { return space_of(model, i)->nv; }

static const callback *find_callback(const carom_model *model, const char *name) {
  for (int i = 0; i < model->m.callback_count; i++)
    if (strcmp(model->m.callbacks[i].name, name) == 0) return &model->m.callbacks[i];
  return NULL;
}

int carom_model_callback_inputs(const carom_model *model, const char *name) {
  const callback *c = find_callback(model, name);
  return c ? c->input_count : -1;
}

int carom_model_callback_outputs(const carom_model *model, const char *name) {
  const callback *c = find_callback(model, name);
  return c ? c->output_count : -1;
}

carom_remark carom_model_remark(const carom_model *model, int i) {
  const carom_remark all[] = {model->restitution, model->conformal, model->no_contact, model->rigid_surface,
                              model->missed_load};
  for (int k = 0; k < (int)(sizeof all / sizeof *all); k++)
    if (all[k].count && i-- == 0) return all[k];
  return (carom_remark){0};
}

const char *carom_model_note(const carom_model *model, int i) {
  return i >= 0 && i < model->note_count ? model->notes[i] : NULL;
}

static const char *body_of(const mechanism *m, int marker_index) {
  return marker_index < 0 ? NULL : m->bodies[m->markers[marker_index].body].name;
}

static const char *constraint_word(const constraint *c) { return c->kind ? c->kind : c->type->name; }

// Constraints that close a joint or drive one are counted with these, not here.
static carom_part constraint_part(const mechanism *m, int index) {
  for (int k = 0; k < m->constraint_count; k++) {
    const constraint *c = &m->constraints[k];
    bool own = c->joint < 0;
    for (int d = 0; d < m->drive_count; d++) own = own && m->drives[d].constraint != k;
    if (!own || index-- > 0) continue;
    if (!c->terms)
      return (carom_part){c->name, constraint_word(c), {body_of(m, c->first), body_of(m, c->second)}, NULL};
    const char *second = c->term_count > 1 ? m->joints[c->terms[1].of.joint].name : NULL;
    return (carom_part){c->name, constraint_word(c), {m->joints[c->terms[0].of.joint].name, second}, NULL};
  }
  return (carom_part){0};
}

carom_part carom_model_part(const carom_model *model, const char *section_name, int i) {
  const mechanism *m = &model->m;
  if (i < 0) return (carom_part){0};
  if (strcmp(section_name, "bodies") == 0 && i + 1 < m->body_count)
    return (carom_part){m->bodies[i + 1].name, "", {0}, NULL};
  if (strcmp(section_name, "joints") == 0 && i < m->joint_count) {
    const joint *j = &m->joints[i];
    return (carom_part){j->name, j->type->name, {body_of(m, j->first), body_of(m, j->second)}, NULL};
  }
  if (strcmp(section_name, "constraints") == 0) return constraint_part(m, i);
  if (strcmp(section_name, "forces") == 0 && i < m->force_count) {
    const force *f = &m->forces[i];
    const char *along = f->of.joint >= 0 ? m->joints[f->of.joint].name : NULL;
    return (carom_part){f->name, f->type->name, {along ? along : body_of(m, f->first), body_of(m, f->second)}, NULL};
  }
  if (strcmp(section_name, "contacts") == 0 && i < model->contacts.element_count) {
    const contact_element *e = &model->contacts.elements[i];
    int first = e->told_backwards ? e->second : e->first, second = e->told_backwards ? e->first : e->second;
    return (carom_part){e->name, e->type->name, {body_of(m, first), body_of(m, second)}, model->contact_details[i]};
  }
  if (strcmp(section_name, "states") == 0 && i < m->state_count &&
      m->states[i].name)  // those of forces, without a name, stand behind
    return (carom_part){m->states[i].name, "", {0}, model->state_details[i]};
  if (strcmp(section_name, "signals") == 0 && i < m->computed_count)
    return (carom_part){m->computed[i].name, "", {0}, m->computed[i].unit};
  if (strcmp(section_name, "callbacks") == 0 && i < m->callback_count)
    return (carom_part){m->callbacks[i].name, "", {0}, model->callback_details[i]};
  if (strcmp(section_name, "outputs") == 0 && i < model->output_count)
    return (carom_part){model->outputs[i].name, "", {0}, model->outputs[i].unit};
  if (strcmp(section_name, "drives") == 0 && i < m->drive_count)
    return (carom_part){m->drives[i].name, "", {m->joints[m->drives[i].of.joint].name, NULL}, NULL};
  return (carom_part){0};
}

// --- signals ---------------------------------------------------------------------------------------------------------

int carom_model_signal_count(const carom_model *model) { return sim_signal_count(model); }

const char *carom_model_signal_name(const carom_model *model, int i) {
  if (i < 0 || i >= sim_signal_count(model)) return NULL;
  signal_place at = model_signal_place(model, i);
  switch (at.section) {
    case SIGNALS_OF_MECHANISM: return model->m.signals[at.index].name;
    case SIGNALS_OF_ENERGY: return energy_signal_names[at.index];
    case SIGNALS_OF_CONTACTS: return model->contact_names[at.index];
    default: return model->outputs[at.index].name;
  }
}

const char *carom_model_signal_unit(const carom_model *model, int i) {
  if (i < 0 || i >= sim_signal_count(model)) return NULL;
  signal_place at = model_signal_place(model, i);
  switch (at.section) {
    case SIGNALS_OF_MECHANISM: return model->m.signals[at.index].unit;
    case SIGNALS_OF_ENERGY: return "J";
    case SIGNALS_OF_CONTACTS: return contact_signal_units[at.kind];
    default: return model->outputs[at.index].unit;
  }
}

const char *carom_model_signal_sampling(const carom_model *model, int i) {
  if (i < 0 || i >= sim_signal_count(model)) return NULL;
  return sim_signal_is_mean(model, i) ? "mean" : "instant";
}

int carom_model_signal(const carom_model *model, const char *name) {
  for (int i = model_signal_first(model, SIGNALS_OF_ENERGY); i < sim_signal_count(model); i++)
    if (strcmp(carom_model_signal_name(model, i), name) == 0) return i;
  return signal_find(&model->m, name);
}
