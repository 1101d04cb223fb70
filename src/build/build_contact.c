// What can touch, from the words of a definition to contact elements.
#include <math.h>
#include <string.h>

#include "build/builder.h"
#include "mechanics/coordinate.h"

typedef struct contact_builder {
  builder *b;
  mechanism *m;
  contact_element *elements;
  int count, capacity;
  names materials, surfaces, groups;
  names pairs;               // two surfaces → the entry of `contacts` by which they touch
  const contact_material *material;  // one a name
  int *surface_marker;       // one a surface
  int *surface_group;        // -1: none
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
  *to = c->material[i];
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

static bool add_surfaces(contact_builder *c) {
  const part_list *list = &c->b->def->surfaces;
  c->surface_marker = ARENA_ARRAY(c->b->memory, int, list->count + 1);
  for (int i = 0; i < list->count; i++) {
    const part *p = &list->items[i];
    const carom_surface_def *d = p->content;
    if (shape_of(p) == SHAPE_COUNT)
      return source_error(c->b->error, CAROM_ERROR_MODEL, p->places.whole, NULL, "'%s': there is no surface called '%s'",
                          p->name, p->kind ? p->kind : "");
    place at = builder_place(p, builder_surface_table(p->kind), p->kind);
    if (shape_of(p) == SHAPE_BOX && !(d->size[0] > 0 && d->size[1] > 0 && (c->m->planar || d->size[2] > 0)))
      return source_error(c->b->error, CAROM_ERROR_MODEL, builder_place(p, builder_surface_table(p->kind), "size"), NULL,
                          "'%s': the edges of a box must be positive", p->name);
    c->surface_marker[i] = builder_marker(c->b, c->m, d->on, (pose){builder_rotation(d->rotate), vec3_of(d->at)}, at, p->name);
    if (c->surface_marker[i] < 0) return false;
  }
  c->b->surface_marker = c->surface_marker;
  return true;
}

static bool add_groups(contact_builder *c) {
  const part_list *list = &c->b->def->surfaces;
  c->surface_group = ARENA_ARRAY(c->b->memory, int, list->count + 1);
  for (int i = 0; i < list->count; i++) {
    const part *p = &list->items[i];
    const char *group = ((const carom_surface_def *)p->content)->group;
    c->surface_group[i] = group ? names_find(&c->groups, group) : -1;
    if (!group || c->surface_group[i] >= 0) continue;
    if (names_find(&c->surfaces, group) >= 0)
      return source_error(c->b->error, CAROM_ERROR_MODEL, builder_place(p, builder_surface_table(p->kind), "group"), NULL,
                          "'%s': there is a surface '%s', and a group cannot have its name", p->name, group);
    c->surface_group[i] = c->groups.count;
    names_add(&c->groups, group, c->groups.count);
  }
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

// One side of a contact entry: a surface, or all of a group.
typedef struct contact_side {
  int surface, group;   // the other is -1
} contact_side;

static bool is_of(const contact_builder *c, contact_side side, int surface) {
  return side.surface >= 0 ? side.surface == surface : side.group >= 0 && c->surface_group[surface] == side.group;
}

static contact_side find_side(const contact_builder *c, const char *name) {
  int surface = names_find(&c->surfaces, name);
  return (contact_side){surface, surface >= 0 ? -1 : names_find(&c->groups, name)};
}

// Whether an entry is about two surfaces, whichever comes first.
static bool is_about(const contact_builder *c, const carom_contact_def *d, int i, int j) {
  contact_side a = find_side(c, d->between[0]), b = find_side(c, d->between[1]);
  return (is_of(c, a, i) && is_of(c, b, j)) || (is_of(c, a, j) && is_of(c, b, i));
}

static bool is_excluded(const contact_builder *c, int i, int j) {
  const part_list *list = &c->b->def->contacts;
  for (int k = 0; k < list->count; k++) {
    const carom_contact_def *d = list->items[k].content;
    if (d->exclude && is_about(c, d, i, j)) return true;
  }
  return false;
}

// Of two surfaces nobody asked for by name: on bodies that do not move against each other as a joint lets them.
static bool may_touch(const contact_builder *c, int i, int j) {
  int a = body_of_surface(c, i), b = body_of_surface(c, j);
  return a != b && !are_neighbours(c->m, a, b) && !is_excluded(c, i, j);
}

static char *pair_name(contact_builder *c, int i, int j) {
  const part *surfaces = c->b->def->surfaces.items;
  return arena_print(c->b->memory, "%s-%s", surfaces[i].name, surfaces[j].name);
}

// Pairs left out only because a joint connects their bodies.
static int count_neighbours(const contact_builder *c) {
  int count = 0;
  for (int i = 0; i < c->b->def->surfaces.count; i++)
    for (int j = i + 1; j < c->b->def->surfaces.count; j++) {
      int a = body_of_surface(c, i), b = body_of_surface(c, j), points;
      bool swap, left_out = a != b && are_neighbours(c->m, a, b) && !is_excluded(c, i, j);
      const part *first = &c->b->def->surfaces.items[i], *second = &c->b->def->surfaces.items[j];
      count += left_out && contact_between(shape_of(first), shape_of(second), c->m->planar, &points, &swap);
    }
  return count;
}

static bool add_every_pair(contact_builder *c) {
  for (int i = 0; i < c->b->def->surfaces.count; i++)
    for (int j = i + 1; j < c->b->def->surfaces.count; j++)
      if (may_touch(c, i, j) &&
          !add_pair(c, i, j, pair_name(c, i, j), NULL, c->b->def->surfaces.items[i].places.whole, false))
        return false;
  return true;
}

static bool is_by_name(const contact_builder *c, int entry) {
  const carom_contact_def *d = c->b->def->contacts.items[entry].content;
  return find_side(c, d->between[0]).surface >= 0 && find_side(c, d->between[1]).surface >= 0;
}

// Remembers by which entry two surfaces touch; the entry that had them before, or -1.
static int claim_pair(contact_builder *c, int i, int j, int entry) {
  const char *key = arena_print(c->b->memory, "%d %d", i < j ? i : j, i < j ? j : i);
  int before = names_find(&c->pairs, key);
  if (before < 0) names_add(&c->pairs, key, entry);
  return before;
}

static bool check_sides(contact_builder *c, const part *p) {
  const carom_contact_def *d = p->content;
  for (int i = 0; i < 2; i++) {
    contact_side side = find_side(c, d->between[i]);
    if (side.surface < 0 && side.group < 0)
      return source_error(c->b->error, CAROM_ERROR_MODEL, builder_place(p, &contact_table, "between"),
                          builder_hint(c->b, d->between[i], &c->b->def->surfaces, NULL),
                          "'%s': there is no surface '%s', and no group", p->name, d->between[i]);
  }
  return true;
}

static bool add_two_surfaces(contact_builder *c, int k) {
  const part *p = &c->b->def->contacts.items[k];
  const carom_contact_def *d = p->content;
  place at = builder_place(p, &contact_table, "between");
  int i = names_find(&c->surfaces, d->between[0]), j = names_find(&c->surfaces, d->between[1]);
  if (body_of_surface(c, i) == body_of_surface(c, j))
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': both surfaces are on body '%s'", p->name,
                        c->m->bodies[body_of_surface(c, i)].name);
  int before = claim_pair(c, i, j, k);
  if (before >= 0)
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': the two touch by '%s' already", p->name,
                        c->b->def->contacts.items[before].name);
  return add_pair(c, i, j, p->name, d->material, at, true);
}

// Every two surfaces of an entry with a group, but for those that another entry names one by one.
static bool add_group(contact_builder *c, int k) {
  const part_list *list = &c->b->def->contacts;
  const part *p = &list->items[k];
  const carom_contact_def *d = p->content;
  place at = builder_place(p, &contact_table, "between");
  int count = c->count, named = 0;
  for (int i = 0; i < c->b->def->surfaces.count; i++)
    for (int j = i + 1; j < c->b->def->surfaces.count; j++) {
      if (!is_about(c, d, i, j) || !may_touch(c, i, j)) continue;
      int before = claim_pair(c, i, j, k);
      if (before >= 0 && is_by_name(c, before)) {
        named++;
        continue;
      }
      if (before >= 0)
        return source_error(c->b->error, CAROM_ERROR_MODEL, at, "exclude one, or name the two surfaces in an entry of their own",
                            "'%s': '%s' and '%s' touch by '%s' already", p->name, c->b->def->surfaces.items[i].name,
                            c->b->def->surfaces.items[j].name, list->items[before].name);
      if (!add_pair(c, i, j, pair_name(c, i, j), d->material, at, false)) return false;
    }
  if (c->count == count && !named)
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': no surface of '%s' can touch one of '%s'", p->name,
                        d->between[0], d->between[1]);
  return true;
}

// Entries with two surfaces come first: what they say of a pair goes before what a group says.
static bool add_named_pairs(contact_builder *c, bool *any) {
  const part_list *list = &c->b->def->contacts;
  for (int k = 0; k < list->count; k++) {
    if (!check_sides(c, &list->items[k])) return false;
    *any |= !((const carom_contact_def *)list->items[k].content)->exclude;
  }
  for (int groups = 0; groups < 2; groups++)
    for (int k = 0; k < list->count; k++) {
      bool exclude = ((const carom_contact_def *)list->items[k].content)->exclude;
      if (exclude || is_by_name(c, k) == (groups == 1)) continue;
      if (!(groups ? add_group : add_two_surfaces)(c, k)) return false;
    }
  return true;
}

// --- joints with clearance, stops ---------------------------------------------------------------------------------

// Of what is inside, in the order its type wants it; of what is around it a journal's play along the axis.
static void set_clearance_sizes(contact_element *e, const carom_joint_def *d) {
  double *size = e->size_second;
  if (e->type == &contact_guide) {
    size[0] = d->length, size[1] = d->width;
  } else if (e->type == &contact_channel) {
    size[0] = d->width, size[1] = d->height > 0 ? d->height : d->width, size[2] = d->length;
  } else {
    size[0] = d->radius;
  }
  if (e->type == &contact_journal) {
    size[1] = d->length;
    e->size_first[1] = d->axial_clearance > 0 ? d->axial_clearance : d->clearance;
  }
}

static bool add_clearance(contact_builder *c, const part *p, const carom_joint_def *d, const joint *j) {
  bool guide = j->type == &joint_prismatic, ball = j->type == &joint_spherical, planar = c->m->planar;
  place at = builder_place(p, builder_joint_table(p->kind), "clearance");
  if (guide && !(d->length > 0 && d->width > 0))
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, "add length: and width:",
                        "'%s': clearance needs the slider's 'length' and 'width'", p->name);
  if (!guide && !ball && !planar && !(d->length > 0))
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, "add length:",
                        "'%s': clearance in space needs the journal's 'length', between the ends that touch", p->name);
  const contact_type *type = guide ? planar ? &contact_guide : &contact_channel
                             : ball ? &contact_socket : planar ? &contact_bearing : &contact_journal;
  int point_count = guide ? planar ? 4 : 16 : ball || planar ? 1 : 4;
  contact_element *e = add_element(c, p->name, p->places.whole, type, point_count);
  e->first = j->first, e->second = j->second;
  e->clearance = e->span = d->clearance;
  set_clearance_sizes(e, d);
  return find_material(c, d->material, at, p->name, &e->material);
}

static bool add_stops(contact_builder *c, const part *p, const carom_joint_def *d, int index) {
  place at = builder_place(p, builder_joint_table(p->kind), "limits");
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

bool builder_resolve_materials(builder *b) {
  contact_set *set = &b->model->contacts;
  for (int i = 0; i < set->element_count; i++) {
    contact_element *e = &b->elements[i];
    double radius[2];
    contact_curvatures(e, radius);
    bool line = b->model->m.planar || e->type == &contact_journal;  // in the plane a circle stands for a cylinder
    if (!material_resolve(&e->material, radius, line, e->at, e->name, b->error)) return false;
    b->model->m.inner_count += e->point_count * contact_inner_count(&b->model->m, e);
  }
  return true;
}

bool builder_contacts(builder *b, mechanism *m) {
  contact_builder c = {.b = b, .m = m, .materials = names_create(b->memory), .surfaces = names_create(b->memory),
                       .groups = names_create(b->memory), .pairs = names_create(b->memory)};
  names contacts = names_create(b->memory);
  bool any = false;
  if (!builder_names(b, &c.materials, &b->def->materials, "materials", 0) ||
      !builder_names(b, &c.surfaces, &b->def->surfaces, "surfaces", 0) ||
      !builder_names(b, &contacts, &b->def->contacts, "contacts", 0) || !(c.material = builder_materials(b)) ||
      !add_surfaces(&c) || !add_groups(&c) || !add_named_pairs(&c, &any) || (!any && !add_every_pair(&c)) ||
      !add_joint_contacts(&c))
    return false;
  b->model->contacts = (contact_set){0};
  tell_mechanism(&c, &b->model->contacts);
  b->elements = c.elements;
  b->model->contacts.neighbours = any ? 0 : count_neighbours(&c);
  return true;
}
