// Contact places of flexible bodies: stretches of boundary by name, and what `interface` of the modes names.
#include <math.h>
#include <string.h>

#include "build/flexible_builder.h"

// --- stretches -------------------------------------------------------------------------------------------------------

typedef struct stretch_range {
  const carom_stretch_def *d;
  vec2 from, along;  // of a straight side, along a unit vector
} stretch_range;

// Angles and distances within rounding of the ends count.
static bool is_within(const void *context, vec3 at) {
  const stretch_range *r = context;
  if (r->d->angles.count) {
    const double span = fmod(r->d->angles.items[1] - r->d->angles.items[0] + 1e-9, 2 * M_PI);
    const double off = fmod(atan2(at.y, at.x) - r->d->angles.items[0] + 1e-9, 2 * M_PI);
    return (off < 0 ? off + 2 * M_PI : off) <= (span < 0 ? span + 2 * M_PI : span) + 1e-9;
  }
  if (!r->d->between.count) return true;
  const double s = vec2_dot(vec2_sub(vec2_of(at), r->from), r->along);
  const double size = fabs(r->d->between.items[1]);
  return s >= r->d->between.items[0] - 1e-9 * size && s <= r->d->between.items[1] + 1e-9 * size;
}

const char *flexible_interface_names(builder *b, const flexible_builder *fb) {
  arena_text list = {0};
  for (int i = 0; i < fb->interfaces.count; i++)
    arena_append(b->memory, &list, "%s%s", i ? ", " : "it has: ", fb->interfaces.items[i].name);
  return list.text;
}

static bool add_stretch(builder *b, flexible_builder *fb, const carom_stretch_def *d) {
  const flex_interface *side = interfaces_find(&fb->interfaces, d->side ? d->side : "");
  const place at = flexible_place(fb, d->origin, &stretch_table, "side");
  stretch_range range = {.d = d};
  vec2 end;
  if (interfaces_find(&fb->interfaces, d->name))
    return source_error(b->error, CAROM_ERROR_MODEL, at, "give it another name",
                        "body '%s': the stretch '%s' has the name of another part of its boundary", fb->p->name,
                        d->name);
  if (!side)
    return source_error(b->error, CAROM_ERROR_MODEL, at, flexible_interface_names(b, fb),
                        "body '%s' has no side '%s' for its stretch '%s'", fb->p->name, d->side ? d->side : "",
                        d->name);
  if ((d->angles.count && d->angles.count != 2) || (d->between.count && d->between.count != 2) ||
      (d->angles.count && d->between.count))
    return flexible_refuse(b, fb, at, "for instance angles: [-10 deg, 10 deg]",
                           "a stretch has two 'angles', or two distances 'between'");
  if (d->between.count) {
    if (!fb->d->solid_2d || !solid_2d_side(fb->d->solid_2d, d->side, &range.from, &end))
      return flexible_refuse(b, fb, at, "use 'angles'", "'between' is for straight sides");
    range.along = vec2_unit(vec2_sub(end, range.from));
    const double length = vec2_norm(vec2_sub(end, range.from)), *between = d->between.items;
    if (!(between[0] < between[1]) || between[0] < -1e-9 * length || between[1] > (1 + 1e-9) * length)
      return source_error(b->error, CAROM_ERROR_MODEL, at, "two distances along the side, the smaller one first",
                          "body '%s': the stretch '%s' goes from %.4g to %.4g m; its side goes from 0 to %.4g m",
                          fb->p->name, d->name, between[0], between[1], length);
  }
  const flex_interface part = interface_part(b->memory, d->name, side, fb->e.nodes, is_within, &range);
  if (!part.count)
    return source_error(b->error, CAROM_ERROR_MODEL, at, "make it longer, or refine the mesh there",
                        "body '%s': no node of its mesh is on the stretch '%s'", fb->p->name, d->name);
  interfaces_add(b->memory, &fb->interfaces, part);
  return true;
}

bool builder_stretches(builder *b, flexible_builder *fb) {
  for (int i = 0; i < fb->d->stretch_count; i++)
    if (!add_stretch(b, fb, &fb->d->stretches[i])) return false;
  return true;
}

// --- places ----------------------------------------------------------------------------------------------------------

flexible_contact *flexible_add_contact(builder *b, flexible_builder *fb, const char *name) {
  flexible_contact *c = ARENA_PUSH(b->memory, fb->contacts, fb->contact_count, fb->contact_capacity);
  *c = (flexible_contact){.name = name};
  return c;
}

// Across a beam, and along it at its ends; of a solid along the normal of its boundary, and inside along both axes.
void flexible_marker_contact(builder *b, flexible_builder *fb, const char *name, vec3 p) {
  flexible_contact *c = flexible_add_contact(b, fb, name);
  flexible_place_at(fb, p, &c->at);
  if (fb->is_solid) {
    const triangle_mesh *m = &fb->solid.mesh;
    c->directions = 1;
    if (interface_normal(m->nodes, m->boundary_count, (const int(*)[3])m->boundary, vec2_of(p), 1e-4 * fb->flex.extent,
                         &c->along[0]))
      return;
    c->along[0] = (vec3){1, 0, 0}, c->along[1] = (vec3){0, 1, 0}, c->along[2] = (vec3){0, 0, 1};
    c->directions = fb->e.planar ? 2 : 3;
    return;
  }
  const double x = flexible_section_x(fb, p), L = fb->beam.length;
  if (!fb->beam.rod) c->along[c->directions++] = (vec3){0, 1, 0};
  if (!fb->beam.rod && !fb->beam.planar) c->along[c->directions++] = (vec3){0, 0, 1};
  if (x < 1e-9 * L || x > L * (1 - 1e-9)) c->along[c->directions++] = (vec3){1, 0, 0};
}

static bool no_such_place(builder *b, const flexible_builder *fb, place at, const char *name, const char *body) {
  if (body)
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "body '%s': the marker '%s' of its interface is on '%s'",
                        fb->p->name, name, body);
  return source_error(b->error, CAROM_ERROR_MODEL, at, flexible_interface_names(b, fb),
                      "body '%s' has no marker, side or stretch '%s' for its interface", fb->p->name, name);
}

// A boundary touches at its nodes: those of a part that `interface` names have their static modes.
static void add_boundary(builder *b, flexible_builder *fb, const part *p) {
  const carom_surface_def *d = p->content;
  const flex_interface *side = flexible_boundary_side(fb, d);
  if (!side) {
    const triangle_mesh *m = &fb->solid.mesh;
    flex_interface *all = ARENA_NEW(b->memory, flex_interface);
    *all = interface_of_sides(b->memory, p->name, m->nodes, m->boundary_count, (const int(*)[3])m->boundary);
    side = all;
  }
  for (int k = 0; k < fb->contact_count; k++)
    if (fb->contacts[k].stretch && fb->contacts[k].stretch->count == side->count &&
        memcmp(fb->contacts[k].stretch->nodes, side->nodes, (size_t)side->count * sizeof *side->nodes) == 0)
      return;
  flexible_contact *c = flexible_add_contact(b, fb, p->name);
  c->stretch = side, c->is_surface = true;
}

// Surfaces that the loads of a static mode do not reach yet: contact acts at their markers.
static void add_surfaces(builder *b, const mechanism *m, flexible_builder *fb, int body_index) {
  for (int i = 0; i < b->def->surfaces.count; i++) {
    const int marker = b->surface_marker[i];
    if (m->markers[marker].body != body_index) continue;
    if (builder_is_boundary(b, marker)) {
      if (fb->is_solid) add_boundary(b, fb, &b->def->surfaces.items[i]);
      continue;
    }
    const vec3 p = m->markers[marker].local.p;
    flex_place at;
    bool known = !flexible_place_at(fb, p, &at) || vec3_norm(vec3_sub(at.at, fb->from)) <= 1e-9 * fb->flex.extent;
    for (int k = 0; k < fb->contact_count; k++)
      known |= !fb->contacts[k].stretch && vec3_norm(vec3_sub(at.at, fb->contacts[k].at.at)) <= 1e-9 * fb->flex.extent;
    if (known) continue;
    flexible_marker_contact(b, fb, b->def->surfaces.items[i].name, p);
    fb->contacts[fb->contact_count - 1].is_surface = true;
  }
}

// A part of the boundary, with the loads that its static modes are to have: without normals, along all axes.
static const flex_interface *loaded_part(builder *b, const flexible_builder *fb, const flex_interface *part) {
  if (!part || fb->d->modes->interface_loads == CAROM_LOADS_NORMAL) return part;
  flex_interface *all = ARENA_NEW(b->memory, flex_interface);
  *all = *part;
  all->normals = NULL;
  return all;
}

bool builder_interface(builder *b, const mechanism *m, flexible_builder *fb, int body_index) {
  const carom_modes_def *d = fb->d->modes;
  const place at = flexible_place(fb, d->origin, &modes_table, "interface");
  if (d->interface.count && fb->given_count)
    return flexible_refuse(b, fb, at, "use 'count'", "'interface' is for eigenmodes, not for given shape functions");
  for (int i = 0; i < d->interface.count; i++) {
    const char *name = d->interface.items[i];
    const flex_interface *part = loaded_part(b, fb, interfaces_find(&fb->interfaces, name));
    const int marker = names_find(&b->markers, name);
    for (int k = 0; k < i; k++)
      if (strcmp(name, d->interface.items[k]) == 0)
        return source_error(b->error, CAROM_ERROR_MODEL, at, "leave one out",
                            "body '%s': its interface names '%s' twice", fb->p->name, name);
    if (part && marker >= 0 && m->markers[marker].body == body_index)
      return source_error(b->error, CAROM_ERROR_MODEL, at, "give the marker another name",
                          "body '%s': '%s' is the name of a marker and of a part of the boundary", fb->p->name, name);
    if (part) flexible_add_contact(b, fb, name)->stretch = part;
    else if (marker < 0) return no_such_place(b, fb, at, name, NULL);
    else if (m->markers[marker].body != body_index)
      return no_such_place(b, fb, at, name, m->bodies[m->markers[marker].body].name);
    else flexible_marker_contact(b, fb, name, m->markers[marker].local.p);
  }
  if (!fb->given_count) add_surfaces(b, m, fb, body_index);
  return true;
}

// --- surfaces that do not deform -------------------------------------------------------------------------------------

#define RIGID_SIZE 0.05  // of the extent of its body: a larger surface that keeps its shape is a warning

void builder_tell_rigid_surfaces(builder *b, const mechanism *m) {
  const contact_surface *surfaces = b->model->contacts.surfaces;
  carom_remark *to = &b->model->rigid_surface;
  for (int i = 0; b->flexibles && i < b->def->surfaces.count; i++) {
    const int on = m->markers[surfaces[i].marker].body;
    const flexible_builder *fb = on == GROUND ? NULL : &b->flexibles[on - 1];
    if (!fb || !fb->p || surfaces[i].boundary || !(surfaces[i].reach > RIGID_SIZE * fb->flex.extent) || to->count++)
      continue;
    to->name = "rigid_surface";
    to->contact = surfaces[i].name;
    to->text = arena_print(b->memory,
                           "it keeps its shape and moves with one place of the flexible body '%s', so that the body "
                           "does not give way under it; use a surface 'boundary' of a planar solid, or points along "
                           "the body",
                           fb->p->name);
  }
}

// --- what the modes miss ---------------------------------------------------------------------------------------------

#define MISSED_LIMIT 0.05  // a larger part is a warning

static double larger_miss(builder *b, const reduction *r, const flex_modes *modes, const flex_place *at, vec3 along,
                          double most) {
  arena *scratch = &b->model->scratch;
  const arena_mark mark = arena_get_mark(scratch);
  double *load = ARENA_ARRAY(scratch, double, r->e->freedom_count);
  elements_load(at, along, VEC3_ZERO, load);
  const double part = reduction_missing(scratch, r, modes, load).part;
  arena_release(scratch, mark);
  return fmax(most, part);
}

void flexible_find_missed(builder *b, flexible_builder *fb, const reduction *r, const flex_modes *modes) {
  for (int i = 0; i < fb->contact_count; i++) {
    flexible_contact *c = &fb->contacts[i];
    double most = 0;
    for (int k = 0; k < c->directions; k++) most = larger_miss(b, r, modes, &c->at, c->along[k], most);
    for (int k = 0; c->stretch && k < c->stretch->count; k++) {
      const flex_place at = elements_node(r->e, c->stretch->nodes[k]);
      for (int j = 0; j < (c->stretch->normals ? 1 : r->e->planar ? 2 : 3); j++) {
        const vec3 axis = {j == 0, j == 1, j == 2};
        most = larger_miss(b, r, modes, &at, c->stretch->normals ? c->stretch->normals[k] : axis, most);
      }
    }
    c->result.loads = c->stretch ? interface_loads(r->e, c->stretch, NULL) : c->directions;
    c->result.missing = most;
  }
}

static void add_remark(builder *b, const flexible_builder *fb, const flexible_contact *c) {
  carom_remark *to = &b->model->missed_load;
  if (to->count++) return;
  to->name = "missed_load";
  to->contact = arena_print(b->memory, "%s at %s", fb->p->name, c->name);
  to->text = arena_print(
      b->memory, "its modes miss %.3g %% of the displacement under a static load there; %s", 100 * c->result.missing,
      c->stretch && c->is_surface ? "name its side in 'interface' of the body's modes"
      : c->stretch                ? "use a smaller 'interface_tolerance', or keep more modes"
      : c->is_surface             ? "put a marker at its place into 'interface' of the body's modes, or keep more modes"
                                  : "let 'static_modes' be true, or keep more modes");
}

void builder_tell_missed(builder *b) {
  const int bodies = b->def->bodies.count;
  const carom_interface **lists = ARENA_ARRAY(b->memory, const carom_interface *, bodies + 1);
  for (int i = 0; i < bodies; i++) {
    const flexible_builder *fb = &b->flexibles[i];
    carom_interface *list = ARENA_ARRAY(b->memory, carom_interface, fb->contact_count + 1);
    for (int k = 0; k < fb->contact_count; k++) {
      list[k] = fb->contacts[k].result;
      list[k].name = arena_copy_text(b->memory, fb->contacts[k].name);
      if (list[k].missing > MISSED_LIMIT) add_remark(b, fb, &fb->contacts[k]);
    }
    lists[i + 1] = list;
  }
  b->model->interfaces = lists;
}
