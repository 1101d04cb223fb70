// Builds the contact elements from the definition: pairs of surfaces, joints with clearance, stops.
#include <math.h>
#include <string.h>

#include "base/pair_index.h"
#include "build/builder.h"
#include "build/contact_builder.h"
#include "build/surface.h"
#include "contact/clearance.h"
#include "contact/crowd.h"
#include "contact/pairs.h"
#include "geometry/flat.h"
#include "mechanics/coordinate.h"

// --- materials -------------------------------------------------------------------------------------------------------

static bool find_material(contact_builder *c, const char *name, place at, const char *owner, contact_material *to) {
  int i = name ? names_find(&c->materials, name) : -1;
  if (i < 0 && name)
    return source_error(
        c->b->error, CAROM_ERROR_MODEL, at,
        c->b->def->materials.count
            ? builder_hint(c->b, name, &c->b->def->materials, NULL)
            : arena_print(c->b->memory, "add it: 'materials: {%s: {restitution: 0.5, friction: 0.3}}'", name),
        "'%s': there is no material '%s'", owner, name);
  if (i < 0)
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, "add material: NAME and a section 'materials'",
                        "'%s' can touch, but has no material", owner);
  *to = c->material[i];
  return true;
}

// --- elements --------------------------------------------------------------------------------------------------------

static contact_element *add_element(contact_builder *c, const char *name, place at, contact_element of) {
  *ARENA_PUSH(c->b->memory, c->places, c->place_count, c->place_capacity) = at;
  contact_element *e = ARENA_PUSH(c->b->memory, c->elements, c->count, c->capacity);
  *e = of;
  e->name = arena_copy_text(c->b->memory, name);
  return e;
}

static contact_element element_of_type(const contact_builder *c, const contact_type *type) {
  return (contact_element){
      .type = type, .point_count = c->m->planar ? type->point_count_planar : type->point_count, .of = {-1, 0}};
}

// The surfaces as markers. Every compilation of a model numbers them alike.
bool builder_surfaces(builder *b, mechanism *m) {
  const part_list *list = &b->def->surfaces;
  int *surface_marker = ARENA_ARRAY(b->memory, int, list->count + 1);
  const outline **outlines = ARENA_ARRAY(b->memory, const outline *, list->count + 1);
  for (int i = 0; i < list->count; i++) {
    const part *p = &list->items[i];
    const carom_surface_def *d = p->content;
    const surface_type *type = surface_find(p->kind);
    if (!type)
      return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, NULL, "'%s': there is no surface called '%s'",
                          p->name, p->kind ? p->kind : "");
    const char *what, *wrong = type->fault ? type->fault(d, m->planar, &what) : NULL;
    if (wrong)
      return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, type->table, wrong), NULL, "'%s': %s", p->name,
                          what);
    place at = builder_place(p, type->table, p->kind);
    surface_marker[i] = builder_marker(b, m, d->on, (pose){builder_rotation(d->rotate), vec3_of(d->at)}, at, p->name);
    if (surface_marker[i] < 0 || (m->planar && !builder_outline(b, p, type, &outlines[i]))) return false;
  }
  b->surface_marker = surface_marker, b->outlines = outlines;
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
      return source_error(c->b->error, CAROM_ERROR_MODEL, builder_place(p, builder_surface_table(p->kind), "group"),
                          NULL, "'%s': the group '%s' has the name of a surface; give it another", p->name, group);
    c->surface_group[i] = c->groups.count;
    names_add(&c->groups, group, c->groups.count);
  }
  return true;
}

static const char *const *name_corners(contact_builder *c, int count) {
  const char **names = arena_alloc(c->b->memory, (size_t)count + 1, sizeof *names);
  for (int k = 0; k < count; k++) names[k] = arena_print(c->b->memory, "corner %d", k + 1);
  return names;
}

// An open mesh on ground whose triangles all face downwards has its outside below: what stands above it is inside.
static void note_flipped(const contact_builder *c, const part *p, const contact_surface *s) {
  static const double MOST = 0.9;  // of its area
  const mesh *t = s->terrain->triangles;
  const marker *k = &c->m->markers[s->marker];
  double weight = vec3_norm(c->m->gravity), down = 0, all = 0;
  if (!t->found[MESH_OPEN].count || k->body != GROUND || !(weight > 0)) return;
  for (int i = 0; i < t->triangle_count; i++) {
    const int *v = t->triangles[i];
    vec3 area =
        vec3_cross(vec3_sub(t->vertices[v[1]], t->vertices[v[0]]), vec3_sub(t->vertices[v[2]], t->vertices[v[0]]));
    down += vec3_dot(mat3_mul(k->local.R, area), c->m->gravity) / weight, all += vec3_norm(area);
  }
  if (down > MOST * all)
    builder_note(c->b, arena_print(c->b->memory,
                                   "'%s' is an open mesh whose triangles face downwards: what is above it counts as "
                                   "inside and falls through; add 'flip: true' if "
                                   "bodies are to stand on it",
                                   p->name));
}

// A mesh. By the corners of its hull it touches planes.
static bool set_triangles(contact_builder *c, const part *p, contact_surface *s) {
  terrain *triangles = ARENA_NEW(c->b->memory, terrain);
  const vec3 *corners = NULL;
  int count;
  if (!builder_triangles(c->b, p, triangles, &corners, &count)) return false;
  s->terrain = triangles;
  note_flipped(c, p, s);
  if (!count) return true;
  convex *form = ARENA_NEW(c->b->memory, convex);
  *form = convex_hull(corners, count);
  s->form = form, s->corner_names = name_corners(c, count);
  return true;
}

// The shape by its support mapping, names of its corners, and its faces.
static bool set_form(contact_builder *c, const part *p, contact_surface *s) {
  const surface_type *type = surface_find(p->kind);
  if (!type->form) return true;
  convex *form = ARENA_NEW(c->b->memory, convex);
  *form = type->form(p->content, c->m->planar, c->b->memory);
  s->form = form, s->corner_names = name_corners(c, form->point_count);
  if (!type->corners || c->m->planar) return true;
  int count;
  const vec3 *corners = type->corners(p->content, c->b->memory, &count);
  flat *faces = ARENA_NEW(c->b->memory, flat);
  if (!flat_build(corners, count, c->b->memory, faces))
    return source_error(c->b->error, CAROM_ERROR_MODEL, builder_place(p, type->table, p->kind),
                        "make it thicker, or use a plane",
                        "'%s' is too thin: it is %.3g m thick and reaches %.3g m, so that rounding hides its faces",
                        p->name, s->thickness, contact_surface_reach(s, false));
  s->faces = faces;
  return true;
}

static bool list_surfaces(contact_builder *c) {
  const part_list *list = &c->b->def->surfaces;
  c->surface = ARENA_ARRAY(c->b->memory, contact_surface, list->count + 1);
  for (int i = 0; i < list->count; i++) {
    const part *p = &list->items[i];
    const surface_type *type = surface_find(p->kind);
    contact_surface *s = &c->surface[i];
    *s = (contact_surface){.name = arena_copy_text(c->b->memory, p->name),
                           .kind = type->table->name,
                           .shape = type->shape,
                           .marker = c->b->surface_marker[i],
                           .thickness = type->thickness ? type->thickness(p->content, c->m->planar) : INFINITY,
                           .outline = c->b->outlines[i]};
    if (type->by_outline) s->thickness = outline_width(s->outline);
    if (type->set_size) type->set_size(p->content, s->size);
    if (!set_form(c, p, s)) return false;
    if (type->terrain) {
      terrain *triangles = ARENA_NEW(c->b->memory, terrain);
      type->terrain(p->content, c->b->memory, triangles);
      s->terrain = triangles;
    }
    if (type->by_triangles && !set_triangles(c, p, s)) return false;
    if (type->by_boundary && !builder_boundary(c->b, p, c->m->markers[s->marker].body, s)) return false;
    s->reach = contact_surface_reach(s, c->m->planar);
  }
  return true;
}

const part *contacts_surface(const contact_builder *c, int i) { return &c->b->def->surfaces.items[i]; }

int contacts_body(const contact_builder *c, int i) { return c->m->markers[c->surface[i].marker].body; }

static const surface_type *type_of_surface(const contact_builder *c, int i) {
  return surface_find(contacts_surface(c, i)->kind);
}

bool contacts_exists(const contact_builder *c, int i, int j) {
  return contact_exists(c->surface[i].shape, c->surface[j].shape);
}

// Two points never touch, so that nothing is lost without a contact between them.
bool contacts_are_points(const contact_builder *c, int i, int j) {
  return type_of_surface(c, i)->is_point && type_of_surface(c, j)->is_point;
}

static const char *material_of(const part *surface) { return ((const carom_surface_def *)surface->content)->material; }

// Of a surface that names one.
static bool find_own_material(contact_builder *c, int i, contact_material *to) {
  const part *p = contacts_surface(c, i);
  return find_material(c, material_of(p), builder_place(p, type_of_surface(c, i)->table, "material"), p->name, to);
}

bool contacts_choose_material(contact_builder *c, int i, int j, const char *name, const char *material, place at,
                              contact_material *to) {
  const part *a = contacts_surface(c, i), *b = contacts_surface(c, j);
  const char *of_a = material_of(a), *of_b = material_of(b);
  if (material || (!of_a && !of_b)) return find_material(c, material, at, name, to);
  if ((of_b && !find_own_material(c, j, to)) || (of_a && !find_own_material(c, i, to))) return false;
  if (!of_a || !of_b || strcmp(of_a, of_b) == 0) return true;
  return source_error(c->b->error, CAROM_ERROR_MODEL, at, "add a 'contacts' entry with a material",
                      "'%s' and '%s' name different materials", a->name, b->name);
}

// Deforming boundaries touch with the nodes of one and the lines of the other.
static bool has_no_line(const contact_surface *s) {
  for (int v = 0; s->boundary && v < s->boundary->count; v++)
    if (s->boundary->next[v] >= 0) return false;
  return s->boundary != NULL;
}

// An element for two surfaces whose contact exists, told as one of i against j.
static bool add_pair(contact_builder *c, int i, int j, const char *name, const char *material, place at) {
  const char *a = contacts_surface(c, i)->name, *b = contacts_surface(c, j)->name;
  if (has_no_line(&c->surface[i]) && has_no_line(&c->surface[j]))
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, "name a longer side or stretch, or make the mesh finer",
                        "'%s' and '%s' are single nodes, which cannot touch each other", a, b);
  contact_element *e = add_element(c, name, at, contact_pair(c->m, &c->surface[i], &c->surface[j]));
  e->surface[0] = i < j ? i : j, e->surface[1] = i < j ? j : i;
  e->told_backwards = e->first != c->surface[i].marker;
  if (!contacts_choose_material(c, i, j, name, material, at, &e->material)) return false;
  if (c->b->def->scheme->about->needs_laws) contact_set_law_type(c->m, &c->surface[i], &c->surface[j], e);
  return true;
}

// --- pairs whose contact does not exist ------------------------------------------------------------------------------

#define EXISTING_PAIRS                                                                                            \
  "two planes, two points, two height fields, a height field and a plane, and a height field and a mesh have no " \
  "contact with each other"

// What stands still does not get into another surface.
void contacts_note_nonexistent(contact_builder *c, int i, int j) {
  nonexistent_pairs *n = &c->nonexistent;
  n->count++;
  if (contacts_are_points(c, i, j) || (c->is_still[contacts_body(c, i)] && c->is_still[contacts_body(c, j)])) return;
  if (n->moving++ == 0) n->first[0] = i, n->first[1] = j;
}

// --- which pairs may touch -------------------------------------------------------------------------------------------

static bool restricts(const mechanism *m, int joint_index) {
  return joint_in(m->joints[joint_index].type, m->planar)->row_count > 0;
}

static neighbour_list list_neighbours(const mechanism *m, arena *memory) {
  neighbour_list n = {ARENA_ARRAY(memory, int, m->body_count + 2), ARENA_ARRAY(memory, int, 2 * m->joint_count + 1)};
  for (int i = 0; i < m->joint_count; i++) {
    if (!restricts(m, i)) continue;
    n.start[m->markers[m->joints[i].first].body + 2]++, n.start[m->markers[m->joints[i].second].body + 2]++;
  }
  for (int b = 0; b < m->body_count; b++) n.start[b + 2] += n.start[b + 1];
  for (int i = 0; i < m->joint_count; i++) {
    if (!restricts(m, i)) continue;
    n.joints[n.start[m->markers[m->joints[i].first].body + 1]++] = i;
    n.joints[n.start[m->markers[m->joints[i].second].body + 1]++] = i;
  }
  return n;
}

// Follows fixed joints from ground.
static const bool *find_still(const mechanism *m, const neighbour_list *n, arena *memory) {
  bool *is_still = ARENA_ARRAY(memory, bool, m->body_count);
  int *found = ARENA_ARRAY(memory, int, m->body_count), count = 0;
  is_still[GROUND] = true, found[count++] = GROUND;
  for (int i = 0; i < count; i++)
    for (int k = n->start[found[i]]; k < n->start[found[i] + 1]; k++) {
      const joint *j = &m->joints[n->joints[k]];
      if (j->loose || joint_in(j->type, m->planar)->nv > 0) continue;
      for (int side = 0; side < 2; side++) {
        int body = m->markers[side ? j->second : j->first].body;
        if (!is_still[body]) is_still[body] = true, found[count++] = body;
      }
    }
  return is_still;
}

// The joint that makes two bodies neighbours, or -1. Ground may have many joints: the body with fewer is searched.
static int joint_between(const contact_builder *c, int a, int b) {
  const mechanism *m = c->m;
  const int *start = c->neighbours.start;
  int from = start[a + 1] - start[a] <= start[b + 1] - start[b] ? a : b, to = from == a ? b : a;
  for (int k = start[from]; k < start[from + 1]; k++) {
    const joint *j = &m->joints[c->neighbours.joints[k]];
    if (m->markers[j->first].body == to || m->markers[j->second].body == to) return c->neighbours.joints[k];
  }
  return -1;
}

static bool is_of(const contact_builder *c, contact_side side, int surface) {
  return side.surface >= 0 ? side.surface == surface : side.group >= 0 && c->surface_group[surface] == side.group;
}

static contact_side find_side(const contact_builder *c, const char *name) {
  int surface = names_find(&c->surfaces, name);
  return (contact_side){surface, surface >= 0 ? -1 : names_find(&c->groups, name)};
}

// Whether an entry names two surfaces, in either order.
bool contacts_is_about(const contact_builder *c, int entry, int i, int j) {
  const contact_side *side = c->sides[entry];
  return (is_of(c, side[0], i) && is_of(c, side[1], j)) || (is_of(c, side[0], j) && is_of(c, side[1], i));
}

bool contacts_excludes(const contact_builder *c, int entry) {
  return ((const carom_contact_def *)c->b->def->contacts.items[entry].content)->exclude;
}

static bool is_excluded(const contact_builder *c, int i, int j) {
  for (int k = 0; k < c->b->def->contacts.count; k++)
    if (contacts_excludes(c, k) && contacts_is_about(c, k, i, j)) return true;
  return false;
}

// Whether two surfaces that no entry names may touch: they are on different bodies, no joint connects these, and no
// entry excludes them.
bool contacts_may_touch(const contact_builder *c, int i, int j) {
  int a = contacts_body(c, i), b = contacts_body(c, j);
  return a != b && joint_between(c, a, b) < 0 && !is_excluded(c, i, j);
}

char *contacts_pair_name(contact_builder *c, int i, int j) {
  return arena_print(c->b->memory, "%s-%s", contacts_surface(c, i)->name, contacts_surface(c, j)->name);
}

// Adds a pair that was not asked for by name; notes it if its contact does not exist.
static bool add_if_exists(contact_builder *c, int i, int j, const char *material, place at) {
  if (contacts_exists(c, i, j)) return add_pair(c, i, j, contacts_pair_name(c, i, j), material, at);
  contacts_note_nonexistent(c, i, j);
  return true;
}

static bool add_every_pair(contact_builder *c) {
  int count = c->b->def->surfaces.count;
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++)
      if (contacts_may_touch(c, i, j) && !add_if_exists(c, i, j, NULL, contacts_surface(c, i)->places.whole))
        return false;
  return true;
}

bool contacts_is_by_name(const contact_builder *c, int entry) {
  return c->sides[entry][0].surface >= 0 && c->sides[entry][1].surface >= 0;
}

// Notes the entry by which two surfaces touch. Returns the entry that named them before, or -1.
static int claim_pair(contact_builder *c, int i, int j, int entry) {
  int before = pairs_find(&c->pairs, i, j);
  if (before < 0) pairs_add(&c->pairs, i, j, entry);
  return before;
}

static bool find_sides(contact_builder *c, int entry) {
  const part *p = &c->b->def->contacts.items[entry];
  const carom_contact_def *d = p->content;
  for (int i = 0; i < 2; i++) {
    contact_side side = c->sides[entry][i] = find_side(c, d->between[i]);
    if (side.surface < 0 && side.group < 0)
      return source_error(c->b->error, CAROM_ERROR_MODEL, builder_place(p, &contact_table, "between"),
                          builder_hint(c->b, d->between[i], &c->b->def->surfaces, NULL),
                          "'%s': there is no surface '%s', and no group of that name", p->name, d->between[i]);
  }
  return true;
}

// The entry that excludes two surfaces by their own names, or -1.
static int exclusion_by_name(const contact_builder *c, int i, int j) {
  for (int k = 0; k < c->b->def->contacts.count; k++)
    if (contacts_excludes(c, k) && contacts_is_by_name(c, k) && contacts_is_about(c, k, i, j)) return k;
  return -1;
}

static bool add_two_surfaces(contact_builder *c, int k) {
  const part *p = &c->b->def->contacts.items[k];
  const carom_contact_def *d = p->content;
  place at = builder_place(p, &contact_table, "between");
  int i = c->sides[k][0].surface, j = c->sides[k][1].surface;
  if (contacts_body(c, i) == contacts_body(c, j))
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': both surfaces are on body '%s'", p->name,
                        c->m->bodies[contacts_body(c, i)].name);
  int before = claim_pair(c, i, j, k);
  if (before >= 0)
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': contact '%s' names these two surfaces already",
                        p->name, c->b->def->contacts.items[before].name);
  int apart = exclusion_by_name(c, i, j);
  if (apart >= 0)
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, "remove one of the two entries",
                        "'%s': contact '%s' excludes these two surfaces", p->name,
                        c->b->def->contacts.items[apart].name);
  if (!contacts_exists(c, i, j))
    return source_error(
        c->b->error, CAROM_ERROR_MODEL, at, EXISTING_PAIRS "; remove the entry, or give one of the two another shape",
        "'%s': %s–%s contact does not exist", p->name, contacts_surface(c, i)->kind, contacts_surface(c, j)->kind);
  return add_pair(c, i, j, p->name, d->material, at);
}

// Adds every pair of an entry with a group, except pairs that another entry names one by one.
static bool add_group(contact_builder *c, int k) {
  const part_list *list = &c->b->def->contacts;
  const part *p = &list->items[k];
  const carom_contact_def *d = p->content;
  place at = builder_place(p, &contact_table, "between");
  int count = c->count, named = 0;
  for (int i = 0; i < c->b->def->surfaces.count; i++)
    for (int j = i + 1; j < c->b->def->surfaces.count; j++) {
      if (!contacts_is_about(c, k, i, j) || !contacts_may_touch(c, i, j)) continue;
      int before = claim_pair(c, i, j, k);
      if (before >= 0 && contacts_is_by_name(c, before)) {
        named++;
        continue;
      }
      if (before >= 0)
        return source_error(c->b->error, CAROM_ERROR_MODEL, at,
                            "exclude one, or name the two surfaces in an entry of their own",
                            "'%s': contact '%s' covers '%s' and '%s' already", p->name, list->items[before].name,
                            contacts_surface(c, i)->name, contacts_surface(c, j)->name);
      if (!add_if_exists(c, i, j, d->material, at)) return false;
    }
  if (c->count == count && !named)
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': no surface of '%s' can touch one of '%s'",
                        p->name, d->between[0], d->between[1]);
  return true;
}

// What entries name.
static bool find_entries(contact_builder *c, bool *any) {
  int count = c->b->def->contacts.count;
  c->sides = arena_alloc(c->b->memory, (size_t)count + 1, sizeof *c->sides);
  for (int k = 0; k < count; k++) {
    if (!find_sides(c, k)) return false;
    *any |= !contacts_excludes(c, k);
  }
  return true;
}

// Entries that name two surfaces come first, since they take precedence over groups.
static bool add_named_pairs(contact_builder *c) {
  for (int k = 0; k < c->b->def->contacts.count; k++)
    if (!contacts_excludes(c, k) && contacts_is_by_name(c, k) && !add_two_surfaces(c, k)) return false;
  return true;
}

// All others, where they are listed.
static bool add_other_pairs(contact_builder *c, bool any) {
  if (!any) return add_every_pair(c);
  for (int k = 0; k < c->b->def->contacts.count; k++)
    if (!contacts_excludes(c, k) && !contacts_is_by_name(c, k) && !add_group(c, k)) return false;
  return true;
}

// --- surfaces without a partner --------------------------------------------------------------------------------------

// The pairs that are left out because a joint connects their bodies, and those of them whose contact exists; the first
// of these, or else the first of all; and the joint.
typedef struct left_out {
  int count, existing, pair[2], joint;
} left_out;

static left_out find_left_out(const contact_builder *c) {
  left_out l = {.joint = -1};
  for (int i = 0; i < c->b->def->surfaces.count; i++)
    for (int j = i + 1; j < c->b->def->surfaces.count; j++) {
      int a = contacts_body(c, i), b = contacts_body(c, j), joint_index = a == b ? -1 : joint_between(c, a, b);
      if (joint_index < 0 || contacts_are_points(c, i, j) || is_excluded(c, i, j)) continue;
      bool exists = contacts_exists(c, i, j);
      if (l.count++ == 0 || (exists && !l.existing)) l.pair[0] = i, l.pair[1] = j, l.joint = joint_index;
      l.existing += exists;
    }
  return l;
}

// Surfaces of which no two can touch are most likely a mistake.
static carom_remark no_contact_remark(contact_builder *c, const left_out *l) {
  carom_remark r = {.name = "no_contact", .count = 1};
  if (!l->count) {
    r.contact = arena_copy_text(c->b->memory, contacts_surface(c, 0)->name);
    r.text =
        "no surface has another one that it can touch: the others are on the same body, are excluded, or have no "
        "contact with it; "
        "add a surface on another body, or remove this one";
    return r;
  }
  const joint *j = &c->m->joints[l->joint];
  const part *first = contacts_surface(c, l->pair[0]), *second = contacts_surface(c, l->pair[1]);
  r.count = l->count;
  r.contact = contacts_pair_name(c, l->pair[0], l->pair[1]);
  const char *advice =
      l->existing
          ? arena_print(c->b->memory, "to have two of them touch, name them: contacts: {name: {between: [%s, %s]}}",
                        first->name, second->name)
          : arena_print(c->b->memory, "these two could not touch anyway, since %s–%s contact does not exist",
                        first->kind, second->kind);
  r.text =
      arena_print(c->b->memory,
                  "no pair of surfaces can touch: joint '%s' connects bodies '%s' and '%s', and surfaces of connected "
                  "bodies are left out; %s",
                  j->name, c->m->bodies[c->m->markers[j->first].body].name,
                  c->m->bodies[c->m->markers[j->second].body].name, advice);
  return r;
}

// Bodies that move pass through each other unnoticed.
static carom_remark nonexistent_remark(contact_builder *c) {
  const nonexistent_pairs *n = &c->nonexistent;
  const part *first = contacts_surface(c, n->first[0]), *second = contacts_surface(c, n->first[1]);
  return (carom_remark){
      .name = "no_contact",
      .count = n->moving,
      .contact = contacts_pair_name(c, n->first[0], n->first[1]),
      .text = arena_print(c->b->memory,
                          "%s–%s contact does not exist, and these surfaces pass through each other; give one of "
                          "them another shape, or if this is meant, exclude them: contacts: {apart: {between: "
                          "[%s, %s], exclude: true}}, with surfaces or groups",
                          first->kind, second->kind, first->name, second->name)};
}

// --- joints with clearance, stops ------------------------------------------------------------------------------------

// A clearance is a small part of the size of its joint; one that is larger is most likely in other units.
static void note_clearance(contact_builder *c, const part *p, const carom_joint_def *d) {
  const char *key = d->radius > 0 ? "radius" : d->width > 0 ? "width" : "length";
  double size = d->radius > 0 ? d->radius : d->width > 0 ? d->width : d->length;
  if (!(size > 0 && d->clearance > size)) return;
  place at = builder_place(p, builder_joint_table(p->kind), "clearance");
  builder_note_at(c->b, at, "the clearance of '%s', %g m, is larger than its %s, %g m; check the units", p->name,
                  d->clearance, key, size);
}

static bool add_clearance(contact_builder *c, const part *p, const carom_joint_def *d, const joint *j) {
  place at = builder_place(p, builder_joint_table(p->kind), "clearance");
  const clearance_type *type = clearance_find(j->type, c->m->planar);
  if (!type)
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': a %s joint cannot have clearance", p->name,
                        p->kind);
  if (type->is_complete && !type->is_complete(d))
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, type->hint, "'%s': clearance %s", p->name, type->lacks);
  contact_element *e = add_element(c, p->name, p->places.whole, element_of_type(c, type->contact));
  e->first = j->first, e->second = j->second;
  e->clearance = e->span = d->clearance;
  type->set_sizes(e, d);
  note_clearance(c, p, d);
  if (!find_material(c, d->material, at, p->name, &e->material)) return false;
  if (type->round_part && e->material.friction > 0 && !(d->radius > 0))  // the friction force acts at the radius
    return source_error(c->b->error, CAROM_ERROR_MODEL, at,
                        "add radius:", "'%s': friction in the clearance needs the %s 'radius'", p->name,
                        type->round_part);
  return true;
}

static bool add_stops(contact_builder *c, const part *p, const carom_joint_def *d, int index) {
  place at = builder_place(p, builder_joint_table(p->kind), "limits");
  if (d->limits.count != 2 || !(d->limits.items[0] < d->limits.items[1]))
    return source_error(c->b->error, CAROM_ERROR_MODEL, at, NULL,
                        "'%s': 'limits' must be two numbers, the lower one first", p->name);
  for (int k = 0; k < 2; k++) {
    contact_element *e = add_element(c, arena_print(c->b->memory, "%s_%s", p->name, k ? "max" : "min"), p->places.whole,
                                     element_of_type(c, &contact_stop));
    e->of = (coordinate){index, 0};
    e->limit = d->limits.items[k];
    e->sense = k ? -1 : 1;
    e->play = 0.5 * (d->limits.items[1] - d->limits.items[0]);
    e->first = c->m->joints[index].first, e->second = c->m->joints[index].second;
    if (!d->material) continue;  // a stop without a material has no restitution and no friction
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

// --- all -------------------------------------------------------------------------------------------------------------

static void number_points(contact_builder *c, contact_world *set) {
  for (int i = 0; i < c->count; i++) {
    c->elements[i].slot = i;
    c->elements[i].point0 = set->point_count;
    set->point_count += c->elements[i].point_count;
  }
  set->elements = c->elements;
  set->element_count = c->count;
  set->surfaces = c->surface;
  set->surface_count = c->b->def->surfaces.count;
  c->b->contact_rows = contact_rows_of(set, c->m, c->b->memory);
}

// The crowd was built before laws were needed, for this model alone.
static bool resolve_crowd(builder *b) {
  const contact_world *w = &b->model->contacts;
  contact_crowd *crowd = b->crowd;
  char name[CONTACT_NAME];
  for (int p = 0; p < crowd->class_count; p++)
    for (int q = p; q < crowd->class_count; q++) {
      contact_element e;
      fault f = {0};
      if (contact_crowd_sample(w, &b->model->m, p, q, &e) &&
          !contact_resolve(&b->model->m, &e, contact_name(w, &e, name), &f))
        return source_error(b->error, f.error.status, b->def->method_at, f.hint, "%s", f.error.message);
    }
  crowd->resolves = true;
  return true;
}

static carom_remark law_remark(builder *b, contact_test *test, const char *name, const char *text) {
  const contact_world *w = &b->model->contacts;
  contact_element e = {0};
  char pair[CONTACT_NAME];
  carom_remark r = {.name = name, .text = text, .count = (int)contact_count(w, &b->model->m, test, &e)};
  if (!r.count) return r;
  r.contact = arena_copy_text(b->memory, contact_name(w, &e, pair));
  r.prescribed = e.material.restitution, r.achieved = e.material.achieved;
  return r;
}

// Methods with rigid contact read no law, so that nothing is remarked.
static void remark_laws(builder *b) {
  b->model->restitution =
      law_remark(b, contact_restitution_differs, "restitution",
                 "the law achieves another restitution than the nominal one; use restitution_is: achieved");
  b->model->conformal = law_remark(
      b, contact_is_conformal, "conformal",
      "Hertz's stiffness is used between nearly conformal surfaces, outside its range; give a stiffness, or for "
      "cylinders use law: johnson");
}

bool builder_resolve_materials(builder *b) {
  contact_world *set = &b->model->contacts;
  for (int i = 0; i < set->element_count; i++) {
    contact_element *e = &b->elements[i];
    fault f = {0};
    if (!contact_resolve(&b->model->m, e, e->name, &f))
      return source_error(b->error, f.error.status, b->element_at[i], f.hint, "%s", f.error.message);
    set->inner_count += e->point_count * contact_inner_count(&b->model->m, e);
  }
  if (b->crowd && !resolve_crowd(b)) return false;
  remark_laws(b);
  return true;
}

bool builder_contacts(builder *b, const mechanism *m) {
  contact_builder c = {.b = b,
                       .m = m,
                       .materials = names_create(b->memory),
                       .surfaces = names_create(b->memory),
                       .groups = names_create(b->memory),
                       .pairs = pairs_create(b->memory),
                       .neighbours = list_neighbours(m, b->memory)};
  names contacts = names_create(b->memory);
  contact_crowd *crowd = NULL;
  bool any = false;
  c.is_still = find_still(m, &c.neighbours, b->memory);
  if (!list_surfaces(&c) || !builder_names(b, &c.materials, &b->def->materials, "materials", 0) ||
      !builder_names(b, &c.surfaces, &b->def->surfaces, "surfaces", 0) ||
      !builder_names(b, &contacts, &b->def->contacts, "contacts", 0) || !(c.material = builder_materials(b)) ||
      !add_groups(&c) || !find_entries(&c, &any) || !add_named_pairs(&c) || !builder_crowd(&c, any, &crowd) ||
      (!crowd && !add_other_pairs(&c, any)))
    return false;
  left_out l = any || crowd ? (left_out){.joint = -1} : find_left_out(&c);
  if (c.nonexistent.moving) b->model->no_contact = nonexistent_remark(&c);
  else if (b->def->surfaces.count && !c.count && !crowd) b->model->no_contact = no_contact_remark(&c, &l);
  b->model->contacts.crowd = b->crowd = crowd;
  b->model->contacts.possible = c.count + (crowd ? crowd->possible : 0);
  if (!add_joint_contacts(&c)) return false;
  number_points(&c, &b->model->contacts);
  b->elements = c.elements, b->element_at = c.places;
  b->model->contacts.neighbours = crowd && !any ? crowd->neighbours : l.existing;
  b->model->contacts.nonexistent = c.nonexistent.count;
  return true;
}
