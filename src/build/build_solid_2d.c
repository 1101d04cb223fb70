// Flexible planar solids as given: their mesh, elements and mass.
#include <math.h>
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
  return flexible_refuse(b, fb, solid_place(fb, "polygon"), NULL,
                         "its polygon has no area, or crosses or touches itself");
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
  if (d->disc > 0) {
    fb->solid.mesh = triangles_disc(&b->model->scratch, d->disc, d->elements);
    return true;
  }
  if (d->polygon.count) return mesh_polygon(b, fb);
  if (d->mesh) return read_mesh(b, fb);
  if (d->rectangle.count != 2)
    return source_error(b->error, CAROM_ERROR_MODEL, solid_place(fb, "rectangle"), NULL,
                        "body '%s': 'rectangle' takes two numbers, width and height, not %d", fb->p->name,
                        d->rectangle.count);
  const double *size = d->rectangle.items, longest = fmax(size[0], size[1]);
  int cells[2];
  for (int k = 0; k < 2; k++) cells[k] = (int)fmax(1, ceil(d->elements * size[k] / longest - 1e-9));
  fb->solid.mesh = triangles_rectangle(&b->model->scratch, size[0], size[1], cells[0], cells[1]);
  return true;
}

// --- elements and mass -----------------------------------------------------------------------------------------------

static body_mass mass_of(const flex_elements *e) {
  flex_inertia sum = {0};
  for (int p = 0; p < e->point_count; p++) inertia_add(&sum, e->points[p].mass, e->points[p].place.at, NULL);
  const vec3 com = vec3_scale(1 / sum.mass, sum.first);
  const double about = sum.second.m[0] + sum.second.m[4] - sum.mass * vec3_dot(com, com);
  return (body_mass){.mass = sum.mass, .com = com, .inertia = {0, 0, about}, .from_shape = true};
}

static bool check_elements(builder *b, const flexible_builder *fb) {
  if (fb->d->solid_2d->elements <= ELEMENTS_MOST) return true;
  return source_error(b->error, CAROM_ERROR_MODEL, solid_place(fb, "elements"), NULL,
                      "body '%s': 'elements' is at most %d", fb->p->name, ELEMENTS_MOST);
}

static bool check_size(builder *b, const flexible_builder *fb) {
  const int freedoms = 2 * fb->solid.mesh.node_count;
  if (freedoms <= FREEDOMS_MOST) return true;
  return source_error(b->error, CAROM_ERROR_MODEL, solid_place(fb, fb->d->solid_2d->mesh ? "mesh" : "elements"),
                      "take fewer elements", "body '%s': its mesh has %d freedoms; at most %d are supported",
                      fb->p->name, freedoms, FREEDOMS_MOST);
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
  if (!check_elements(b, fb) || !make_mesh(b, fb) || !check_size(b, fb)) return false;
  fb->solid.thickness = d->thickness, fb->solid.young = of.young, fb->solid.poisson = of.poisson;
  fb->solid.density = of.density, fb->solid.plane_strain = d->plane == CAROM_PLANE_STRAIN;
  planar_solid_elements(&b->model->scratch, &fb->solid, &fb->e);
  *mass = mass_of(&fb->e);
  return true;
}
