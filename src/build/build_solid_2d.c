// Flexible planar solids as given: their mesh, elements and mass.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "build/flexible_builder.h"
#include "flex/gmsh.h"

enum { ELEMENTS_MOST = 400 };    // more have too many freedoms, whatever the shape
enum { FREEDOMS_MOST = 40000 };  // about 100 MB while the model is compiled

static place solid_place(const flexible_builder *fb, const char *key) {
  return flexible_place(fb, fb->d->solid_2d->origin, &solid_2d_table, key);
}

// --- the mesh --------------------------------------------------------------------------------------------------------

static double side_of(carom_points corners) {
  double longest = 0;
  for (int i = 0; i < corners.count; i++)
    for (int k = 0; k < i; k++)
      longest =
          fmax(longest, hypot(corners.items[i][0] - corners.items[k][0], corners.items[i][1] - corners.items[k][1]));
  return longest;
}

static bool mesh_polygon(builder *b, flexible_builder *fb) {
  const carom_solid_2d_def *d = fb->d->solid_2d;
  vec2 *corners = ARENA_ARRAY(&b->model->scratch, vec2, d->polygon.count);
  for (int i = 0; i < d->polygon.count; i++) corners[i] = (vec2){d->polygon.items[i][0], d->polygon.items[i][1]};
  if (d->polygon.count >= 3 && triangles_polygon(&b->model->scratch, corners, d->polygon.count,
                                                 side_of(d->polygon) / d->elements, &fb->solid.mesh))
    return true;
  return flexible_refuse(b, fb, solid_place(fb, "polygon"), "correct the corners, or take fewer elements",
                         "its polygon has no area, crosses or touches itself, or has too many elements");
}

static bool check_freedoms(builder *b, const flexible_builder *fb, double nodes) {
  if (2 * nodes <= FREEDOMS_MOST) return true;
  return source_error(
      b->error, CAROM_ERROR_MODEL, solid_place(fb, fb->d->solid_2d->mesh ? "mesh" : "elements"),
      fb->d->solid_2d->refine.size > 0 ? "take fewer elements, or a larger growth" : "take fewer elements",
      "body '%s': its mesh has %.0f freedoms; at most %d are supported", fb->p->name, 2 * nodes, FREEDOMS_MOST);
}

static bool mesh_rectangle(builder *b, flexible_builder *fb) {
  const carom_solid_2d_def *d = fb->d->solid_2d;
  if (d->rectangle.count != 2)
    return source_error(b->error, CAROM_ERROR_MODEL, solid_place(fb, "rectangle"), NULL,
                        "body '%s': 'rectangle' takes two numbers, width and height, not %d", fb->p->name,
                        d->rectangle.count);
  const double *size = d->rectangle.items, longest = fmax(size[0], size[1]);
  double cells[2];
  for (int k = 0; k < 2; k++) cells[k] = fmax(1, ceil(d->elements * size[k] / longest - 1e-9));
  if (!check_freedoms(b, fb, (2 * cells[0] + 1) * (2 * cells[1] + 1))) return false;
  fb->solid.mesh = triangles_rectangle(&b->model->scratch, size[0], size[1], (int)cells[0], (int)cells[1]);
  return true;
}

static bool mesh_disc(builder *b, flexible_builder *fb) {
  const double rings = fb->d->solid_2d->elements;
  if (!check_freedoms(b, fb, 12 * rings * rings + 6 * rings + 1)) return false;
  fb->solid.mesh = triangles_disc(&b->model->scratch, fb->d->solid_2d->disc, (int)rings);
  return true;
}

static double nearest_node(const triangle_mesh *m, vec2 p) {
  double least = INFINITY;
  for (int k = 0; k < m->node_count; k++) least = fmin(least, vec2_norm(vec2_sub(m->nodes[k], p)));
  return least;
}

static bool refine_mesh(builder *b, flexible_builder *fb) {
  const carom_refine_def *d = &fb->d->solid_2d->refine;
  const place at = solid_place(fb, "refine");
  if (!d->at.count && !(d->size > 0)) return true;
  if (!d->at.count || !(d->size > 0))
    return flexible_refuse(b, fb, at, "for instance refine: {at: [[0, -10 cm]], size: 1 mm}",
                           "'refine' needs places 'at' and a 'size'");
  if (fb->d->solid_2d->mesh)
    return flexible_refuse(b, fb, at, "refine the mesh in gmsh", "'refine' is for shapes that carom meshes");
  vec2 *places = ARENA_ARRAY(&b->model->scratch, vec2, d->at.count);
  for (int i = 0; i < d->at.count; i++) places[i] = (vec2){d->at.items[i][0], d->at.items[i][1]};
  const mesh_refinement r = {places, d->at.count, d->size, d->growth};
  if (!triangles_refine(&b->model->scratch, &r, fb->d->solid_2d->disc, &fb->solid.mesh))
    return flexible_refuse(b, fb, at, "take a larger size, or a larger growth", "'refine' makes too many triangles");
  for (int i = 0; i < r.count; i++) {
    const double off = nearest_node(&fb->solid.mesh, places[i]);
    if (off <= r.size * (1 + 1e-9))
      continue;  // in a triangle no place is farther from all corners than its longest side
    return source_error(b->error, CAROM_ERROR_MODEL, at, "its places are in the axes of the body",
                        "body '%s': the place [%.4g, %.4g] m of 'refine' is %.2g m outside the solid", fb->p->name,
                        places[i].x, places[i].y, off);
  }
  return true;
}

// Groups of curves, and of points, which have no normals.
static void name_groups(builder *b, flexible_builder *fb, const gmsh_mesh *m) {
  for (int i = 0; i < m->group_count; i++) {
    const gmsh_group *g = &m->groups[i];
    flex_interface one = {.name = arena_copy_text(b->memory, g->name), .count = g->node_count, .nodes = g->nodes};
    if (g->side_count)
      one = interface_of_sides(&b->model->scratch, one.name, m->mesh.nodes, g->side_count, (const int(*)[3])g->sides);
    if (one.count) interfaces_add(&b->model->scratch, &fb->interfaces, one);
  }
}

static bool read_mesh(builder *b, flexible_builder *fb) {
  const carom_solid_2d_def *d = fb->d->solid_2d;
  const place at = solid_place(fb, "mesh");
  const char *path = builder_path(b, at, d->mesh);
  file_bytes content = {0};
  gmsh_mesh mesh;
  char why[LINES_WHY];
  if (!builder_read_file(b, at, path, GMSH_BYTES_MAX, "coarsen the mesh", &content)) return false;
  builder_keep_file(b, d->mesh, path, &content);
  if (!gmsh_read(content.items, content.length, d->scale, &b->model->scratch, &mesh, why))
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': %s", path, why);
  fb->solid.mesh = mesh.mesh;
  name_groups(b, fb, &mesh);
  return true;
}

static bool make_mesh(builder *b, flexible_builder *fb) {
  const carom_solid_2d_def *d = fb->d->solid_2d;
  const int kinds = (d->disc > 0) + (d->rectangle.count > 0) + (d->polygon.count > 0) + (d->mesh != NULL);
  if (kinds != 1)
    return flexible_refuse(b, fb, fb->p->places.whole, "give 'disc', 'rectangle', 'polygon' or 'mesh'",
                           kinds ? "its solid_2d has more than one shape" : "its solid_2d has no shape");
  if (!d->mesh && d->scale != 1)
    return flexible_refuse(b, fb, solid_place(fb, "scale"), "leave it out", "'scale' is for a 'mesh' that is read");
  const bool made = d->disc > 0        ? mesh_disc(b, fb)
                    : d->polygon.count ? mesh_polygon(b, fb)
                    : d->mesh          ? read_mesh(b, fb)
                                       : mesh_rectangle(b, fb);
  return made && refine_mesh(b, fb) && check_freedoms(b, fb, fb->solid.mesh.node_count);
}

// --- sides -----------------------------------------------------------------------------------------------------------

// The sides of the mesh on the straight side from a to b of the shape.
static void add_straight(builder *b, flexible_builder *fb, const char *name, vec2 from, vec2 to) {
  const triangle_mesh *m = &fb->solid.mesh;
  int(*sides)[3] = arena_alloc(b->memory, (size_t)m->boundary_count, sizeof *sides), count = 0;
  const vec2 along = vec2_sub(to, from);
  const double length = vec2_norm(along);
  for (int i = 0; i < m->boundary_count; i++) {
    const vec2 off = vec2_sub(m->nodes[m->boundary[i][2]], from);
    const double s = vec2_dot(off, along) / (length * length);
    if (fabs(vec2_cross(along, off)) > 1e-9 * length * length || s < 0 || s > 1) continue;
    memcpy(sides[count++], m->boundary[i], sizeof *sides);
  }
  interfaces_add(b->memory, &fb->interfaces,
                 interface_of_sides(b->memory, name, m->nodes, count, (const int(*)[3])sides));
}

// Side k of the shape, counter-clockwise. Returns false if it has no such straight side.
static bool straight_side(const carom_solid_2d_def *d, int k, vec2 *from, vec2 *to) {
  const double *size = d->rectangle.items;
  const int count = d->polygon.count;
  if (d->rectangle.count) {
    const vec2 corners[] = {{-size[0] / 2, -size[1] / 2},
                            {size[0] / 2, -size[1] / 2},
                            {size[0] / 2, size[1] / 2},
                            {-size[0] / 2, size[1] / 2}};
    if (k < 4) *from = corners[k], *to = corners[(k + 1) % 4];
    return k < 4;
  }
  if (k >= count) return false;
  double area = 0;
  for (int i = 0; i < count; i++) {
    const double *a = d->polygon.items[i], *b = d->polygon.items[(i + 1) % count];
    area += a[0] * b[1] - a[1] * b[0];
  }
  const double *first = d->polygon.items[area > 0 ? k : (k + 1) % count];
  const double *second = d->polygon.items[area > 0 ? (k + 1) % count : k];
  *from = (vec2){first[0], first[1]}, *to = (vec2){second[0], second[1]};
  return true;
}

// Its name, into a buffer.
static const char *side_name(const carom_solid_2d_def *d, int k, char buffer[32]) {
  static const char *const of_rectangle[] = {"bottom", "right", "top", "left"};
  if (d->rectangle.count) return of_rectangle[k];
  snprintf(buffer, 32, "side%d", k + 1);
  return buffer;
}

bool solid_2d_side(const carom_solid_2d_def *d, const char *name, vec2 *from, vec2 *to) {
  char buffer[32];
  for (int k = 0; straight_side(d, k, from, to); k++)
    if (strcmp(name, side_name(d, k, buffer)) == 0) return true;
  return false;
}

static void name_sides(builder *b, flexible_builder *fb) {
  const carom_solid_2d_def *d = fb->d->solid_2d;
  const triangle_mesh *m = &fb->solid.mesh;
  vec2 from, to;
  if (d->disc > 0)
    interfaces_add(b->memory, &fb->interfaces,
                   interface_of_sides(b->memory, "rim", m->nodes, m->boundary_count, (const int(*)[3])m->boundary));
  char buffer[32];
  for (int k = 0; straight_side(d, k, &from, &to); k++)
    add_straight(b, fb, arena_copy_text(b->memory, side_name(d, k, buffer)), from, to);
}

// --- elements and mass -----------------------------------------------------------------------------------------------

static body_mass mass_of(const flex_elements *e) {
  flex_inertia sum = {0};
  for (int p = 0; p < e->point_count; p++) inertia_add(&sum, e->points[p].mass, e->points[p].place.at, NULL);
  const vec3 com = vec3_scale(1 / sum.mass, sum.first);
  const double about = sum.second.m[0] + sum.second.m[4] - sum.mass * vec3_dot(com, com);
  return (body_mass){.mass = sum.mass, .com = com, .inertia = {0, 0, about}, .from_shape = true};
}

// --- sides that markers follow ---------------------------------------------------------------------------------------

static bool is_middle(const flexible_builder *fb, const flex_interface *of, vec3 p) {
  const vec3 middle = interface_middle(&fb->e, of);
  double reach = 0;
  for (int i = 0; i < of->count; i++) reach = fmax(reach, vec3_norm(vec3_sub(fb->e.nodes[of->nodes[i]], middle)));
  return vec3_norm(vec3_sub(p, middle)) <= 1e-9 * reach;
}

bool flexible_solid_place(const flexible_builder *fb, vec3 p, flex_place *to) {
  const carom_names *names = fb->d->solid_2d ? &fb->d->solid_2d->attach : NULL;
  for (int i = 0; names && i < names->count; i++) {
    const flex_interface *of = interfaces_find(&fb->interfaces, names->items[i]);
    if (of && of->count && is_middle(fb, of, p)) return interface_place(fb->scratch, &fb->e, of, p, to);
  }
  return planar_solid_place(&fb->solid, &fb->e, (vec2){p.x, p.y}, to);
}

static bool has_marker(const mechanism *m, const flexible_builder *fb, int body_index, const flex_interface *of) {
  for (int i = 0; i < m->marker_count; i++)
    if (m->markers[i].body == body_index && is_middle(fb, of, m->markers[i].local.p)) return true;
  return false;
}

bool flexible_check_attached(builder *b, const mechanism *m, const flexible_builder *fb, int body_index) {
  const carom_names *names = &fb->d->solid_2d->attach;
  for (int i = 0; i < names->count; i++) {
    const flex_interface *of = interfaces_find(&fb->interfaces, names->items[i]);
    if (!of || !of->count)
      return source_error(b->error, CAROM_ERROR_MODEL, solid_place(fb, "attach"), flexible_interface_names(b, fb),
                          "body '%s': there is no side or stretch '%s' on its boundary", fb->p->name, names->items[i]);
    const vec3 at = interface_middle(&fb->e, of);
    if (!has_marker(m, fb, body_index, of))
      return source_error(b->error, CAROM_ERROR_MODEL, solid_place(fb, "attach"),
                          "put one there, or leave the name out",
                          "body '%s': no marker follows '%s', since none is at its middle, [%.9g, %.9g] m", fb->p->name,
                          names->items[i], at.x, at.y);
  }
  return true;
}

static bool check_elements(builder *b, const flexible_builder *fb) {
  if (fb->d->solid_2d->elements <= ELEMENTS_MOST) return true;
  return source_error(b->error, CAROM_ERROR_MODEL, solid_place(fb, "elements"), NULL,
                      "body '%s': 'elements' is at most %d", fb->p->name, ELEMENTS_MOST);
}

bool builder_solid_2d(builder *b, flexible_builder *fb, body_mass *mass) {
  const carom_solid_2d_def *d = fb->d->solid_2d;
  solid of = {.young = d->young, .poisson = d->poisson, .density = d->density};
  if (b->def->model.space != CAROM_PLANAR)
    return flexible_refuse(b, fb, fb->p->places.whole, "begin the model with 'space: planar'",
                           "a solid_2d is for planar models");
  if (!flexible_take_solid(b, fb, d->origin, &solid_2d_table, d->solid, &of)) return false;
  if (d->plane == CAROM_PLANE_STRAIN && !(of.poisson < 0.499))
    return flexible_refuse(b, fb, solid_place(fb, "poisson"), NULL, "in plane strain Poisson's ratio is below 0.499");
  if (!check_elements(b, fb) || !make_mesh(b, fb)) return false;
  fb->solid.thickness = d->thickness, fb->solid.young = of.young, fb->solid.poisson = of.poisson;
  fb->solid.density = of.density, fb->solid.plane_strain = d->plane == CAROM_PLANE_STRAIN;
  fb->scratch = &b->model->scratch;
  planar_solid_elements(fb->scratch, &fb->solid, &fb->e);
  name_sides(b, fb);
  *mass = mass_of(&fb->e);
  return true;
}
