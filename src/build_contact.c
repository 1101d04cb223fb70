// What can touch, from the words of a definition to contact elements.
#include <math.h>
#include <string.h>

#include "builder.h"
#include "mechanics/coordinate.h"

typedef struct contact_builder {
  builder *b;
  mechanism *m;
  contact_element *elements;
  int count, capacity;
  names materials, surfaces;
  int *surface_marker;       // one a surface
} contact_builder;

// --- materials ----------------------------------------------------------------------------------------------------

static bool find_material(contact_builder *c, const char *name, place at, const char *owner, contact_material *to) {
  int i = name ? names_find(&c->materials, name) : -1;
  if (i < 0 && name)
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, builder_hint(c->b, name, &c->b->def->materials, NULL),
                        "'%s': there is no material '%s'", owner, name);
  if (i < 0)
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, "add material: NAME and a section 'materials'",
                        "'%s' touches, but no material says how", owner);
  const carom_material_def *d = c->b->def->materials.items[i].content;
  *to = (contact_material){arena_copy_text(c->b->memory, name), d->restitution, d->tangential_restitution, d->friction};
  return true;
}

// --- elements -----------------------------------------------------------------------------------------------------

static contact_element *add_element(contact_builder *c, const char *name, place at, const contact_type *type,
                                    int point_count) {
  contact_element *e = ARENA_PUSH(c->b->memory, c->elements, c->count, c->capacity);
  *e = (contact_element){.name = arena_copy_text(c->b->memory, name), .at = at, .type = type,
                         .point_count = point_count, .of = {-1, 0}};
  return e;
}

static shape shape_of(const part *p) {
  static const char *const kinds[SHAPE_COUNT] = {"point", "sphere", "box", "plane"};
  int s = 0;
  while (s < SHAPE_COUNT && (!p->kind || strcmp(kinds[s], p->kind) != 0)) s++;
  return (shape)s;
}

static const option_table *surface_table(const part *p) {
  int count;
  const option_table *const *tables = surface_tables(&count);
  for (int i = 0; i < count; i++)
    if (strcmp(tables[i]->name, p->kind) == 0) return tables[i];
  return NULL;
}

static bool add_surfaces(contact_builder *c) {
  const part_list *list = &c->b->def->surfaces;
  c->surface_marker = ARENA_ARRAY(c->b->memory, int, list->count + 1);
  for (int i = 0; i < list->count; i++) {
    const part *p = &list->items[i];
    const carom_surface_def *d = p->content;
    if (shape_of(p) == SHAPE_COUNT)
      return source_error(c->b->error, CAROM_ERROR_MODEL, p->places.whole, NULL, "'%s': there is no surface called '%s'",
                          p->name, p->kind ? p->kind : "");
    place at = builder_place(p, surface_table(p), p->kind);
    if (shape_of(p) == SHAPE_BOX && !(d->size[0] > 0 && d->size[1] > 0 && (c->m->planar || d->size[2] > 0)))
      return source_error(c->b->error, CAROM_ERROR_MODEL, builder_place(p, surface_table(p), "size"), NULL,
                          "'%s': the edges of a box must be positive", p->name);
    c->surface_marker[i] = builder_marker(c->b, c->m, d->on, (pose){builder_rotation(d->rotate), vec3_of(d->at)}, at, p->name);
    if (c->surface_marker[i] < 0) return false;
  }
  c->b->surface_marker = c->surface_marker;
  return true;
}

static void set_size(const part *p, double size[3]) {
  const carom_surface_def *d = p->content;
  memcpy(size, d->size, sizeof d->size);
  if (shape_of(p) == SHAPE_SPHERE) size[0] = d->radius;
}

// What a step must not leap over: a radius, or the shortest edge of a box. Points and half spaces have none.
static double thickness(const part *p, bool planar) {
  const carom_surface_def *d = p->content;
  if (shape_of(p) == SHAPE_SPHERE) return d->radius;
  if (shape_of(p) != SHAPE_BOX) return INFINITY;
  double edge = fmin(d->size[0], d->size[1]);
  return planar ? edge : fmin(edge, d->size[2]);
}

// Two surfaces that may touch; what never can (two planes, two boxes) is passed over unless it was asked for.
static bool add_pair(contact_builder *c, int i, int j, const char *name, const char *material, place at, bool asked) {
  const part *a = &c->b->def->surfaces.items[i], *b = &c->b->def->surfaces.items[j];
  int point_count;
  bool swap;
  const contact_type *type = contact_between(shape_of(a), shape_of(b), c->m->planar, &point_count, &swap);
  if (!type && !asked) return true;
  if (!type)
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': a %s and a %s are not made to touch", name, a->kind,
                        b->kind);
  if (swap) {
    int k = i;
    i = j, j = k;
    const part *q = a;
    a = b, b = q;
  }
  const char *of_a = ((const carom_surface_def *)a->content)->material;
  const char *of_b = ((const carom_surface_def *)b->content)->material;
  if (!material && of_a && of_b && strcmp(of_a, of_b) != 0)
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, "add a 'contacts' entry with a material",
                        "'%s' and '%s' name different materials", a->name, b->name);
  if (!material) material = of_a ? of_a : of_b;
  contact_element *e = add_element(c, name, at, type, point_count);
  e->first = c->surface_marker[i], e->second = c->surface_marker[j];
  set_size(a, e->size_first);
  set_size(b, e->size_second);
  e->span = fmin(thickness(a, c->m->planar), thickness(b, c->m->planar));
  if (isinf(e->span)) e->span = 0;
  return find_material(c, material, at, name, &e->material);
}

static int body_of_surface(const contact_builder *c, int i) { return c->m->markers[c->surface_marker[i]].body; }

static bool are_neighbours(const mechanism *m, int a, int b) {
  for (int i = 0; i < m->joint_count; i++) {
    int first = m->markers[m->joints[i].first].body, second = m->markers[m->joints[i].second].body;
    bool restricts = joint_in(m->joints[i].type, m->planar)->row_count > 0;
    if (restricts && ((first == a && second == b) || (first == b && second == a))) return true;
  }
  return false;
}

static bool is_excluded(const contact_builder *c, int i, int j) {
  const part_list *list = &c->b->def->contacts;
  const char *a = c->b->def->surfaces.items[i].name, *b = c->b->def->surfaces.items[j].name;
  for (int k = 0; k < list->count; k++) {
    const carom_contact_def *d = list->items[k].content;
    if (!d->exclude) continue;
    if ((strcmp(d->between[0], a) == 0 && strcmp(d->between[1], b) == 0) ||
        (strcmp(d->between[0], b) == 0 && strcmp(d->between[1], a) == 0))
      return true;
  }
  return false;
}

static bool add_every_pair(contact_builder *c) {
  for (int i = 0; i < c->b->def->surfaces.count; i++)
    for (int j = i + 1; j < c->b->def->surfaces.count; j++) {
      int a = body_of_surface(c, i), b = body_of_surface(c, j);
      if (a == b || are_neighbours(c->m, a, b) || is_excluded(c, i, j)) continue;
      const part *p = &c->b->def->surfaces.items[i];
      char *name = arena_print(c->b->memory, "%s-%s", p->name, c->b->def->surfaces.items[j].name);
      if (!add_pair(c, i, j, name, NULL, p->places.whole, false)) return false;
    }
  return true;
}

static bool add_named_pairs(contact_builder *c, bool *any) {
  const part_list *list = &c->b->def->contacts;
  for (int k = 0; k < list->count; k++) {
    const part *p = &list->items[k];
    const carom_contact_def *d = p->content;
    place at = builder_place(p, &contact_table, "between");
    int pair[2];
    for (int i = 0; i < 2; i++) {
      pair[i] = names_find(&c->surfaces, d->between[i]);
      if (pair[i] < 0)
        return source_error(c->b->error, CAROM_ERROR_MODEL, at, builder_hint(c->b, d->between[i], &c->b->def->surfaces, NULL),
                            "'%s': there is no surface '%s'", p->name, d->between[i]);
    }
    if (d->exclude) continue;
    *any = true;
    if (body_of_surface(c, pair[0]) == body_of_surface(c, pair[1]))
      return source_error(c->b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': both surfaces are on body '%s'", p->name,
                          c->m->bodies[body_of_surface(c, pair[0])].name);
    if (!add_pair(c, pair[0], pair[1], p->name, d->material, at, true)) return false;
  }
  return true;
}

// --- joints with clearance, stops ---------------------------------------------------------------------------------

static const option_table *joint_table(const part *p) {
  int count;
  const option_table *const *tables = joint_tables(&count);
  for (int i = 0; i < count; i++)
    if (strcmp(tables[i]->name, p->kind) == 0) return tables[i];
  return NULL;
}

static bool add_clearance(contact_builder *c, const part *p, const carom_joint_def *d, const joint *j) {
  bool guide = j->type == &joint_prismatic;
  place at = builder_place(p, joint_table(p), "clearance");
  if (guide && !c->m->planar)
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': a guide with clearance needs a planar model", p->name);
  if (guide && !(d->length > 0 && d->width > 0))
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, "add length: and width:",
                        "'%s': clearance needs the slider's 'length' and 'width'", p->name);
  contact_element *e = add_element(c, p->name, p->places.whole, guide ? &contact_guide : &contact_bearing, guide ? 4 : 1);
  e->first = j->first, e->second = j->second;
  e->clearance = e->span = d->clearance;
  e->size_second[0] = guide ? d->length : d->radius;
  e->size_second[1] = d->width;
  return find_material(c, d->material, at, p->name, &e->material);
}

static bool add_stops(contact_builder *c, const part *p, const carom_joint_def *d, int index) {
  place at = builder_place(p, joint_table(p), "limits");
  if (d->limits.count != 2 || !(d->limits.items[0] < d->limits.items[1]))
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': 'limits' must be two numbers, the lower one first",
                        p->name);
  for (int k = 0; k < 2; k++) {
    contact_element *e = add_element(c, arena_print(c->b->memory, "%s_%s", p->name, k ? "max" : "min"), p->places.whole,
                                     &contact_stop, 1);
    e->of = (coordinate){index, 0};
    e->limit = d->limits.items[k];
    e->sense = k ? -1 : 1;
    e->first = c->m->joints[index].first, e->second = c->m->joints[index].second;
    if (!d->material) continue;  // a stop without a material neither bounces nor rubs
    if (!find_material(c, d->material, at, p->name, &e->material)) return false;
  }
  return true;
}

static bool add_joint_contacts(contact_builder *c) {
  for (int i = 0; i < c->m->joint_count; i++) {
    const part *p = &c->b->def->joints.items[i];
    const carom_joint_def *d = p->content;
    if (c->m->joints[i].loose && !add_clearance(c, p, d, &c->m->joints[i])) return false;
    if (d->limits.items && !add_stops(c, p, d, i)) return false;
  }
  return true;
}

// --- all ----------------------------------------------------------------------------------------------------------

static void tell_mechanism(contact_builder *c, contact_set *set) {
  mechanism *m = c->m;
  bool *touches = ARENA_ARRAY(c->b->memory, bool, m->body_count);
  for (int i = 0; i < c->count; i++) {
    contact_element *e = &c->elements[i];
    e->point0 = set->point_count;
    set->point_count += e->point_count;
    touches[m->markers[e->first].body] = touches[m->markers[e->second].body] = true;
    m->extra_rows += e->point_count * contact_row_count(m, e);
  }
  if (c->count) m->touches = touches;
  set->elements = c->elements;
  set->element_count = c->count;
}

bool builder_contacts(builder *b, mechanism *m) {
  contact_builder c = {.b = b, .m = m, .materials = names_create(b->memory), .surfaces = names_create(b->memory)};
  names contacts = names_create(b->memory);
  bool any = false;
  if (!builder_names(b, &c.materials, &b->def->materials, "materials", 0) ||
      !builder_names(b, &c.surfaces, &b->def->surfaces, "surfaces", 0) ||
      !builder_names(b, &contacts, &b->def->contacts, "contacts", 0) || !add_surfaces(&c) ||
      !add_named_pairs(&c, &any) || (!any && !add_every_pair(&c)) || !add_joint_contacts(&c))
    return false;
  b->model->contacts = (contact_set){0};
  tell_mechanism(&c, &b->model->contacts);
  return true;
}
