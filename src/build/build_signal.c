// Numbers that have a name: the signals of a model, the functions of them that forces, drives and constraints are given
// as, and the outputs.
#include <stdio.h>
#include <string.h>

#include "base/word.h"
#include "build/builder.h"
#include "mechanics/function.h"
#include "mechanics/signal.h"

// --- signals ---------------------------------------------------------------------------------------------------------

const char *const contact_signal_names[CONTACT_SIGNALS] = {"gap",     "fn",   "ft",   "mode",    "x",
                                                           "y",       "slip", "at_x", "at_y",    "force_x",
                                                           "force_y", "z",    "at_z", "force_z", "fn_mean"};
const char *const contact_signal_units[CONTACT_SIGNALS] = {"m", "N", "N", "1", "m", "m", "1", "m",
                                                           "m", "N", "N", "m", "m", "N", "N"};

// What the method reads of the material: a law with its stiffness, or the coefficients of rigid contact.
static const char *describe_contact(builder *b, const contact_element *e) {
  const contact_material *m = &e->material;
  bool planar = b->model->m.planar;
  const char *friction = contact_rubs(e) ? arena_print(b->memory, ", friction %g", m->friction) : "";
  if (m->rolling > 0 && contact_rolls(e))
    friction = arena_print(b->memory, "%s, rolling friction %g m", friction, m->rolling);
  if (m->spinning > 0 && !e->type->frictionless)
    friction = arena_print(b->memory, "%s, spinning friction %g m%s", friction, m->spinning,
                           planar ? " (not used in the plane)" : "");
  if (!b->def->scheme->about->needs_laws) return arena_print(b->memory, "restitution %g%s", m->restitution, friction);
  if (e->type->overlap)
    return arena_print(b->memory, "%s, foundation %.3g N/m^3%s%s", m->normal.type->name, m->foundation,
                       m->normal.stiffness > 0 ? " (stiffness not used)" : "", friction);
  if (e->by_curvature) return arena_print(b->memory, "%s, K from the curvatures%s", m->normal.type->name, friction);
  if (m->normal.type->contact == LAW_POINT)
    return arena_print(b->memory, "%s, K = %.3g N/m^%g%s", m->normal.type->name, m->normal.stiffness,
                       m->normal.exponent, friction);
  return arena_print(b->memory, "%s%s", m->normal.type->name, friction);
}

static void name_contacts(builder *b) {
  const contact_world *s = &b->model->contacts;
  int each = b->model->m.planar ? CONTACT_Z : CONTACT_FN_MEAN;
  each += b->def->scheme->about->averages;
  b->model->contact_signals = each;
  b->model->contact_names = ARENA_ARRAY(b->memory, const char *, (each * s->element_count) + 1);
  b->model->contact_details = ARENA_ARRAY(b->memory, const char *, s->element_count + 1);
  for (int i = 0; i < s->element_count; i++) b->model->contact_details[i] = describe_contact(b, &s->elements[i]);
  for (int i = 0; i < s->element_count; i++)
    for (int k = 0; k < each; k++)
      b->model->contact_names[each * i + k] =
          arena_print(b->memory, "%s.%s", s->elements[i].name, contact_signal_names[model_contact_kind(b->model, k)]);
}

static void enter_signal(builder *b, const char *name, int i) {
  if (names_find(&b->signals, name) < 0) names_add(&b->signals, name, i);
}

// All that has a name but the outputs, numbered as in the whole model.
static void enter_signals(builder *b) {
  const mechanism *m = &b->model->m;
  int energy = model_signal_first(b->model, SIGNALS_OF_ENERGY),
      contacts = model_signal_first(b->model, SIGNALS_OF_CONTACTS);
  int contact_count = b->model->contact_signals * b->model->contacts.element_count;
  b->signals = names_create(b->memory);
  for (int i = 0; i < m->signal_count; i++) enter_signal(b, m->signals[i].name, i);
  for (int i = 0; i < ENERGY_SIGNALS; i++) enter_signal(b, energy_signal_names[i], energy + i);
  for (int i = 0; i < contact_count; i++) enter_signal(b, b->model->contact_names[i], contacts + i);
}

void builder_signals(builder *b) {
  signal_list(&b->model->m, b->memory);
  name_contacts(b);
  enter_signals(b);
}

// --- functions -------------------------------------------------------------------------------------------------------

typedef struct function_scope {
  builder *b;
  const parameters *names;
  motion_level level;  // what is known when the function is evaluated; LEVEL_NONE: time alone
  int *signals;
  int count, capacity;
} function_scope;

// The contact of two surfaces has their names in the order of the model file: b-a.fn for a-b.fn.
static const char *swapped_name(builder *b, const char *name) {
  const char *dot = strchr(name, '.');
  for (const char *hyphen = strchr(name, '-'); dot && hyphen && hyphen < dot; hyphen = strchr(hyphen + 1, '-')) {
    const char *swapped =
        arena_print(b->memory, "%.*s-%.*s%s", (int)(dot - hyphen - 1), hyphen + 1, (int)(hyphen - name), name, dot);
    if (names_find(&b->signals, swapped) >= 0) return swapped;
  }
  return NULL;
}

// What was probably meant by a name that no signal has; may be null.
static const char *signal_hint(builder *b, const char *name) {
  const char *near = swapped_name(b, name);
  if (!near) near = word_nearest(name, b->signals.keys, b->signals.capacity);  // free places are null
  if (near) return near;
  return strchr(name, '.') ? "'carom check MODEL --signals' lists the names that there are" : NULL;
}

static bool resolve_name(void *context, const char *name, symbol *found, const char **hint) {
  function_scope *s = context;
  if (strcmp(name, "t") == 0) {
    *found = (symbol){.slot = 0, .dim = DIM_TIME, .unit = "s"};
    return true;
  }
  if (s->names && parameters_resolve(s->names, name, found, hint)) return true;
  if (s->level == LEVEL_NONE) {
    if (!*hint) *hint = "only t and parameters are known here";
    return false;
  }
  int signal_index = names_find(&s->b->signals, name);
  if (signal_index < 0) {
    if (!*hint) *hint = signal_hint(s->b, name);
    return false;
  }
  mechanism *m = &s->b->model->m;
  signal_place at = model_signal_place(s->b->model, signal_index);
  const signal *of_mechanism = at.section == SIGNALS_OF_MECHANISM ? &m->signals[at.index] : NULL;
  if ((of_mechanism ? of_mechanism->level : LEVEL_ACCELERATION) > s->level) {
    *hint = arena_print(s->b->memory, "'%s' depends on the forces, so that they cannot depend on it", name);
    return false;
  }
  if (of_mechanism && of_mechanism->kind == SIGNAL_COMPUTED && !builder_compute(s->b, of_mechanism->index))
    return false;
  if (of_mechanism && of_mechanism->kind == SIGNAL_CALLED && !builder_call(s->b, of_mechanism->index)) return false;
  if (of_mechanism && signal_is_of_joint(of_mechanism)) m->joints[of_mechanism->index].watched = true;
  const char *unit_text = carom_model_signal_unit(s->b->model, signal_index);
  *found = (symbol){.slot = s->count, .dim = dimension_of_unit(unit_text), .unit = unit_text};
  for (int i = 1; i < s->count; i++)
    if (s->signals[i] == signal_index) {
      found->slot = i;
      return true;
    }
  *ARENA_PUSH(s->b->memory, s->signals, s->count, s->capacity) = signal_index;
  return true;
}

static const named_curve *find_table(void *context, const char *name) {
  return builder_table(((function_scope *)context)->b, name);
}

static bool check_unit(builder *b, const carom_function *from, wanted_unit wanted, dimension got) {
  if (dimension_equal(wanted.dim, got)) return true;
  const function_origin *origin = from->origin;
  const char *text = origin ? origin->text : from->text ? from->text : "";
  char complaint[DIMENSION_COMPLAINT], advice[DIMENSION_ADVICE];
  return source_error(b->error, CAROM_ERROR_MODEL, origin ? origin->at : (place){0},
                      dimension_advice(wanted.dim, got, text, true, advice), "'%s' must be %s%s%s", wanted.key,
                      dimension_complaint(wanted.dim, got, complaint), wanted.why ? ", " : "",
                      wanted.why ? wanted.why : "");
}

bool builder_function(builder *b, const carom_function *from, motion_level level, wanted_unit wanted, function *to) {
  const function_origin *origin = from->origin;
  *to = (function){.constant = from->constant, .call = from->call, .context = from->context};
  if (from->call || !from->text) return check_unit(b, from, wanted, origin ? origin->got : DIM_ANY);
  function_scope s = {.b = b, .level = level, .names = origin ? origin->names : NULL};
  *ARENA_PUSH(b->memory, s.signals, s.count, s.capacity) = 0;  // slot 0 is t
  dimension dim;
  place at = origin ? origin->at : (place){0};
  to->e = expr_compile(b->memory, from->text, at, (scope){resolve_name, &s, find_table}, &dim, b->error);
  if (!to->e || !check_unit(b, from, wanted, dim)) return false;
  to->signals = s.signals;
  to->slot_count = s.count;
  return !origin || check_unit(b, from, (wanted_unit){origin->dim, origin->key, NULL}, dim);
}

// --- outputs ---------------------------------------------------------------------------------------------------------

const char *builder_function_unit(builder *b, const carom_function *from, const function *f) {
  const function_origin *origin = from->origin;
  char unit_text[32];
  if (f->e) return arena_copy_text(b->memory, expr_unit(f->e, unit_text));
  return origin && origin->got != DIM_ANY
             ? arena_copy_text(b->memory, dimension_text(dimension_without_cycles(origin->got), unit_text))
             : "";
}

// Columns of results have one name each.
static bool name_is_free(builder *b, const part *p) {
  if (names_find(&b->signals, p->name) < 0) return true;
  return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, "give the output another name",
                      "'%s' is the name of a signal already", p->name);
}

bool builder_outputs(builder *b) {
  const part_list *list = &b->def->outputs;
  carom_model *model = b->model;
  model->outputs = ARENA_ARRAY(b->memory, output, list->count + 1);
  model->output_count = list->count;
  for (int i = 0; i < list->count; i++) {
    const carom_function *from = list->items[i].content;
    output *o = &model->outputs[i];
    if (!name_is_free(b, &list->items[i])) return false;
    o->name = arena_copy_text(b->memory, list->items[i].name);
    if (!builder_function(b, from, LEVEL_ACCELERATION, ANY_UNIT, &o->f)) return false;
    o->unit = builder_function_unit(b, from, &o->f);
  }
  return true;
}
