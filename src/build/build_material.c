// Materials, from the words of a definition to laws with their parameters.
#include <math.h>
#include <string.h>

#include "base/word.h"
#include "build/builder.h"

typedef struct material_builder {
  builder *b;
  const part *p;
  const carom_material_def *d;
} material_builder;

#define REFUSE(mb, key, hint, ...) \
  source_error((mb)->b->error, CAROM_ERROR_MODEL, builder_place((mb)->p, &material_table, key), hint, __VA_ARGS__)

// --- expressions -----------------------------------------------------------------------------------------------------

typedef struct law_scope {
  builder *b;
  const parameters *names;
  const char *const *variables;  // slot by slot; ends with null
  const dimension *dims;
  const char *known;  // a sentence
} law_scope;

static bool resolve_variable(void *context, const char *name, symbol *found, const char **hint) {
  const law_scope *s = context;
  for (int i = 0; s->variables[i]; i++)
    if (strcmp(s->variables[i], name) == 0) {
      *found = (symbol){.slot = i, .dim = s->dims[i]};
      return true;
    }
  if (s->names && parameters_resolve(s->names, name, found, hint)) return true;
  if (!*hint) *hint = s->known;
  return false;
}

static const named_curve *find_table(void *context, const char *name) {
  return builder_table(((law_scope *)context)->b, name);
}

static bool bind_expression(const material_builder *mb, const carom_function *f, const char *key, law_scope s,
                            const expr **to) {
  const function_origin *origin = f->origin;
  s.b = mb->b, s.names = origin ? origin->names : NULL;
  const char *text = f->text ? f->text : arena_print(mb->b->memory, "%.17g", f->constant);
  dimension dim;
  place at = origin ? origin->at : (place){0};
  *to = expr_compile(mb->b->memory, text, at, (scope){resolve_variable, &s, find_table}, &dim, mb->b->error);
  if (!*to) return false;
  if (!origin || dimension_equal(dim, origin->dim)) return true;
  char complaint[DIMENSION_COMPLAINT], advice[DIMENSION_ADVICE];
  return REFUSE(mb, key, dimension_advice(origin->dim, dim, text, false, advice), "'%s' must be %s", key,
                dimension_complaint(origin->dim, dim, complaint));
}

static bool is_given(const carom_function *f) { return f->text || f->constant != 0; }

// --- solids ----------------------------------------------------------------------------------------------------------

static bool check_poisson_ratio(const material_builder *mb, const char *key, double nu) {
  if (nu > -1 && nu <= 0.5) return true;
  return REFUSE(mb, key, "rubber comes near 0.5, cork has 0", "'%s': no solid has Poisson's ratio %g", mb->p->name, nu);
}

static const char *solid_hint(builder *b, const char *name) {
  int count, used = 0;
  const solid *all = solid_list(&count);
  const part_list *own = &b->def->solids;
  const char **names = ARENA_ARRAY(b->memory, const char *, count + own->count);
  for (int i = 0; i < count; i++) names[used++] = all[i].name;
  for (int i = 0; i < own->count; i++) names[used++] = own->items[i].name;
  const char *near = word_nearest(name, names, used);
  return near ? near : "add it to a section 'solids' with its young: and poisson:";
}

bool builder_solid(builder *b, place at, const char *owner, const char *name, solid *to) {
  int own = names_find(&b->solids, name);
  const solid *common = solid_find(name);
  if (own < 0 && !common)
    return source_error(b->error, CAROM_ERROR_MODEL, at, solid_hint(b, name), "'%s': there is no solid '%s'", owner,
                        name);
  if (own < 0) *to = *common;
  else {
    const carom_solid_def *d = b->def->solids.items[own].content;
    *to = (solid){
        .name = arena_copy_text(b->memory, name), .young = d->young, .poisson = d->poisson, .density = d->density};
  }
  return true;
}

static bool take_solids(const material_builder *mb, contact_material *m) {
  const carom_material_def *d = mb->d;
  if (d->solid.count && (d->young.count || d->poisson.count))
    return REFUSE(mb, "young", "keep one of them", "'%s' has both a solid and moduli", mb->p->name);
  if ((d->young.count > 0) != (d->poisson.count > 0))
    return REFUSE(mb, d->young.count ? "young" : "poisson", NULL, "'%s' needs both 'young' and 'poisson'", mb->p->name);
  if (d->solid.count > 2 || d->young.count > 2 || d->poisson.count > 2)
    return REFUSE(mb,
                  d->solid.count       ? "solid"
                  : d->young.count > 2 ? "young"
                                       : "poisson",
                  NULL, "'%s': give one value for both surfaces, or two", mb->p->name);
  m->has_solids = d->solid.count || d->young.count;
  for (int k = 0; k < 2 && m->has_solids; k++) {
    if (d->solid.count) {
      if (!builder_solid(mb->b, builder_place(mb->p, &material_table, "solid"), mb->p->name,
                         d->solid.items[k % d->solid.count], &m->solids[k]))
        return false;
    } else {
      m->solids[k] =
          (solid){.young = d->young.items[k % d->young.count], .poisson = d->poisson.items[k % d->poisson.count]};
      if (!check_poisson_ratio(mb, "poisson", m->solids[k].poisson)) return false;
    }
  }
  return true;
}

bool builder_solids(builder *b) {
  const part_list *list = &b->def->solids;
  b->solids = names_create(b->memory);
  if (!builder_names(b, &b->solids, list, "solids", 0)) return false;
  for (int i = 0; i < list->count; i++) {
    const carom_solid_def *d = list->items[i].content;
    if (!(d->poisson > -1 && d->poisson <= 0.5))
      return source_error(b->error, CAROM_ERROR_MODEL, builder_place(&list->items[i], &solid_table, "poisson"),
                          "rubber comes near 0.5, cork has 0", "'%s': no solid has Poisson's ratio %g",
                          list->items[i].name, d->poisson);
  }
  return true;
}

// --- laws ------------------------------------------------------------------------------------------------------------

static bool has_key(const carom_material_def *d, const char *key) {
  if (strcmp(key, "force") == 0) return is_given(&d->force) || d->call;
  if (strcmp(key, "coefficient") == 0) return is_given(&d->coefficient);
  for (int i = 0; i < material_table.count; i++) {
    const option *o = &material_table.options[i];
    if (strcmp(o->key, key) == 0) return *(const double *)((const char *)d + o->offset) != 0;
  }
  return false;
}

static bool has_needs(const material_builder *mb, const char *key, const char *law, const char *const *needs) {
  for (int i = 0; needs && needs[i]; i++)
    if (!has_key(mb->d, needs[i]))
      return REFUSE(mb, key, arena_print(mb->b->memory, "add %s: to the material", needs[i]), "'%s': law %s needs '%s'",
                    mb->p->name, law, needs[i]);
  return true;
}

// What the formula is given, and what comes out.
static bool take_restitution(const material_builder *mb, contact_material *m) {
  normal_law *l = &m->normal;
  bool wants = mb->d->restitution_is == CAROM_ACHIEVED;
  m->achieved = l->type->elastic ? 1 : NAN;
  if (wants && !l->type->lambda)
    return REFUSE(mb, "restitution_is", "use flores, or another law of the form K δⁿ (1 + λ δ̇/v₀)",
                  "'%s': law %s has no damping that could be chosen to achieve a restitution", mb->p->name,
                  l->type->name);
  if (!l->type->lambda) return true;
  l->lambda = wants ? normal_lambda_for(l->restitution) : l->type->lambda(l->restitution);
  if (!isfinite(l->lambda))
    return REFUSE(
        mb, "restitution",
        wants ? "a damped law always has some rebound: use 0.01"
              : "use a restitution above 0, or law: lankarani-nikravesh",
        wants ? "'%s': law %s cannot achieve restitution 0" : "'%s': law %s divides by the restitution, which is 0",
        mb->p->name, l->type->name);
  m->achieved = normal_achieved(l->lambda);
  return true;
}

// Without a restitution (0) an elastic law contradicts nothing.
static void remark_restitution(contact_material *m) {
  bool meant = m->normal.type->lambda || m->restitution > 0;
  if (meant && fabs(m->achieved - m->restitution) > 0.1) m->remarks |= REMARK_RESTITUTION;
}

static bool take_exponent(const material_builder *mb, contact_material *m) {
  const normal_law_type *type = m->normal.type;
  bool linear = type->contact == LAW_LINEAR;
  if (mb->d->exponent && type->contact != LAW_POINT && !(linear && mb->d->exponent == 1))
    return REFUSE(mb, "exponent", linear ? "use law: hertz" : NULL, "'%s': the exponent of law %s is fixed",
                  mb->p->name, type->name);
  m->normal.exponent = mb->d->exponent ? mb->d->exponent : linear ? 1 : 1.5;
  return true;
}

static const char *law_hint(const material_builder *mb, const char *name, bool friction) {
  int count;
  const char *near;
  const normal_law_type *const *normal = normal_laws(&count);
  int frictions;
  const friction_law_type *const *rough = friction_laws(&frictions);
  if (friction) count = frictions;
  const char **all = ARENA_ARRAY(mb->b->memory, const char *, count);
  for (int i = 0; i < count; i++) all[i] = friction ? rough[i]->name : normal[i]->name;
  near = word_nearest(name, all, count);
  return near ? near : "`carom list laws` lists all laws";
}

static bool take_normal(const material_builder *mb, contact_material *m) {
  static const char *const variables[] = {"delta", "rate", "approach", NULL};
  static const dimension dims[] = {DIM_LENGTH, DIM_SPEED, DIM_SPEED};
  const carom_material_def *d = mb->d;
  const normal_law_type *type = d->law ? normal_law_find(d->law) : normal_law_usual();
  if (!type)
    return REFUSE(mb, "law", law_hint(mb, d->law, false), "'%s': there is no normal law '%s'", mb->p->name, d->law);
  if (!has_needs(mb, "law", type->name, type->needs)) return false;
  bool stiff = type->contact == LAW_POINT || type->contact == LAW_LINEAR;
  if (d->stiffness && !stiff)
    return REFUSE(mb, "stiffness", NULL, "'%s': law %s takes no stiffness", mb->p->name, type->name);
  if ((is_given(&d->force) || d->call) && type->contact != LAW_OWN)
    return REFUSE(mb, "force", "add law: expression", "'%s': law %s does not use the key 'force'", mb->p->name,
                  type->name);
  m->normal = (normal_law){.type = type,
                           .stiffness = d->stiffness,
                           .damping = d->damping,
                           .restitution = d->restitution,
                           .length = d->length,
                           .pulls = d->pulls,
                           .call = d->call,
                           .context = d->context};
  if (type->contact == LAW_OWN && !d->call &&
      !bind_expression(mb, &d->force, "force",
                       (law_scope){.variables = variables,
                                   .dims = dims,
                                   .known = "only delta, rate, approach and parameters are known here"},
                       &m->normal.expression))
    return false;
  if (!take_exponent(mb, m) || !take_restitution(mb, m)) return false;
  remark_restitution(m);
  return true;
}

static bool take_friction(const material_builder *mb, contact_material *m) {
  static const char *const variables[] = {"speed", "fn", NULL};
  static const dimension dims[] = {DIM_SPEED, DIM_FORCE};
  const carom_material_def *d = mb->d;
  const friction_law_type *type = d->friction_law ? friction_law_find(d->friction_law) : friction_law_usual();
  if (!type)
    return REFUSE(mb, "friction_law", law_hint(mb, d->friction_law, true), "'%s': there is no friction law '%s'",
                  mb->p->name, d->friction_law);
  if (!has_needs(mb, "friction_law", type->name, type->needs)) return false;
  if (d->static_friction && d->static_friction < d->friction)
    return REFUSE(mb, "static_friction", NULL, "'%s': static friction %g is below the kinetic %g", mb->p->name,
                  d->static_friction, d->friction);
  if (is_given(&d->coefficient) && !type->own)
    return REFUSE(mb, "coefficient", "add friction_law: expression",
                  "'%s': friction law %s does not use the key 'coefficient'", mb->p->name, type->name);
  m->tangential = (friction_law){.type = type,
                                 .kinetic = d->friction,
                                 .still = d->static_friction ? d->static_friction : d->friction,
                                 .v0 = d->v0,
                                 .v1 = d->v1,
                                 .stribeck = d->stribeck,
                                 .stribeck_exponent = d->stribeck_exponent,
                                 .viscous = d->viscous,
                                 .bristle_stiffness = d->bristle_stiffness,
                                 .bristle_damping = d->bristle_damping,
                                 .dahl_exponent = d->dahl_exponent};
  const char *fault = type->fault ? type->fault(&m->tangential) : NULL;
  if (fault) return REFUSE(mb, "friction_law", NULL, "'%s': friction law %s: %s", mb->p->name, type->name, fault);
  return !type->own ||
         bind_expression(
             mb, &d->coefficient, "coefficient",
             (law_scope){.variables = variables, .dims = dims, .known = "only speed, fn and parameters are known here"},
             &m->tangential.expression);
}

// --- what has no effect ----------------------------------------------------------------------------------------------

static bool is_listed(const char *const *list, const char *key) {
  for (int i = 0; list && list[i]; i++)
    if (strcmp(list[i], key) == 0) return true;
  return false;
}

// Why no method reads a key, with these laws. Returns NULL if one does. Rigid methods read the restitutions and
// `friction` whatever the laws are, so that a model that serves several methods is not complained of; and `v0` tells
// what counts as sticking.
static const char *why_unread(const material_builder *mb, const contact_material *m, const char *key) {
  static const char *const of_solids[] = {"solid", "young", "poisson", NULL};
  static const char *const of_normal[] = {"damping", "length", NULL};
  static const char *const of_friction[] = {
      "static_friction", "v1", "stribeck", "stribeck_exponent", "viscous", "bristle_stiffness", "bristle_damping",
      "dahl_exponent",   NULL};
  const normal_law_type *normal = m->normal.type;
  const friction_law_type *friction = m->tangential.type;
  arena *a = mb->b->memory;
  if (is_listed(of_solids, key) && normal->contact == LAW_POINT)
    return mb->d->stiffness ? "the stiffness is given" : NULL;
  if ((is_listed(of_solids, key) && normal->contact != LAW_LINE) ||
      (is_listed(of_normal, key) && !is_listed(normal->needs, key)))
    return arena_print(a, "law %s does not use it", normal->name);
  if (strcmp(key, "pulls") == 0 && normal->elastic) return arena_print(a, "law %s never pulls", normal->name);
  if (is_listed(of_friction, key) && !is_listed(friction->needs, key) && !is_listed(friction->uses, key))
    return arena_print(a, "friction law %s does not use it", friction->name);
  return NULL;
}

// Written in the file, or by a program set to something else than the preset.
static bool is_written(const material_builder *mb, int i) {
  if (mb->p->places.each) return mb->p->places.each[i].source != NULL;
  const carom_material_def preset = carom_material_default();
  const option *o = &material_table.options[i];
  const char *is = (const char *)mb->d + o->offset, *was = (const char *)&preset + o->offset;
  switch (o->type) {
    case OPTION_NUMBER: return *(const double *)is != *(const double *)was;
    case OPTION_NUMBERS:
    case OPTION_POINTS: return ((const carom_numbers *)is)->count > 0;
    case OPTION_NAMES: return ((const carom_names *)is)->count > 0;
    case OPTION_FLAG: return *(const bool *)is != *(const bool *)was;
    default: return false;
  }
}

static void note_unread(const material_builder *mb, const contact_material *m) {
  builder *b = mb->b;
  for (int i = 0; i < material_table.count; i++) {
    const char *key = material_table.options[i].key, *why = is_written(mb, i) ? why_unread(mb, m, key) : NULL;
    if (!why) continue;
    builder_note_at(b, builder_place(mb->p, &material_table, key), "'%s' of material '%s' has no effect: %s", key,
                    mb->p->name, why);
  }
}

// ------------------------------------------------------------------------------------------------------------------

const contact_material *builder_materials(builder *b) {
  const part_list *list = &b->def->materials;
  contact_material *all = ARENA_ARRAY(b->memory, contact_material, list->count + 1);
  material_builder mb = {.b = b};
  for (int i = 0; i < list->count; i++) {
    mb.p = &list->items[i], mb.d = mb.p->content;
    all[i] = (contact_material){.name = arena_copy_text(b->memory, mb.p->name),
                                .restitution = mb.d->restitution,
                                .tangential_restitution = mb.d->tangential_restitution,
                                .friction = mb.d->friction,
                                .rolling = mb.d->rolling_friction,
                                .spinning = mb.d->spinning_friction,
                                .foundation = mb.d->foundation};
    all[i].resists_turning = all[i].rolling > 0 || (b->def->model.space != CAROM_PLANAR && all[i].spinning > 0);
    if (!take_solids(&mb, &all[i]) || !take_normal(&mb, &all[i]) || !take_friction(&mb, &all[i])) return NULL;
    note_unread(&mb, &all[i]);
  }
  return all;
}
