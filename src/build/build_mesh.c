// Files of triangles: found, read once, checked, and reduced to what a model keeps of them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "build/builder.h"
#include "build/surface.h"
#include "geometry/mesh_decimate.h"
#include "geometry/mesh_file.h"
#include "geometry/polytope.h"
#include "geometry/terrain.h"

enum { DRAWN_MAX = 10000 };       // triangles of a mesh in a report
enum { HULL_POINTS_MAX = 5000 };  // the time to find a hull grows with their square

// --- what is wrong ---------------------------------------------------------------------------------------------------

typedef struct fault_words {
  const char *state, *what, *advice;
} fault_words;

static const fault_words faults[MESH_FAULTS] = {
    [MESH_OPEN] = {"is open", "edges of one triangle alone", "close the holes in the program that made it"},
    [MESH_BRANCHED] = {"branches", "edges of more than two triangles", "keep one of the sheets that meet there"},
    [MESH_TWISTED] = {"has no outside", "edges whose triangles face opposite sides",
                      "turn triangles so that all face outwards"},
    [MESH_INSIDE_OUT] = {"is inside out", "parts that face inwards", "add 'flip: true' if that is all of it"},
};

static const char *where_text(arena *memory, const mesh_soup *s, int triangle) {
  return arena_print(memory, "first at %s %d", s->places_are_lines ? "line" : "triangle", s->places[triangle]);
}

// The first that prevents a volume.
static const char *why_not_solid(arena *memory, const char *name, const mesh_soup *s, const mesh *m) {
  for (int k = 0; k < MESH_FAULTS; k++)
    if (faults[k].state && m->found[k].count)
      return arena_print(memory, "the mesh '%s' %s (%s: %d, %s); %s", name, faults[k].state, faults[k].what,
                         m->found[k].count, where_text(memory, s, m->found[k].triangle), faults[k].advice);
  return NULL;
}

static void note_degenerate(builder *b, const char *path, const mesh_soup *s, const mesh *m) {
  const mesh_found *f = &m->found[MESH_DEGENERATE];
  if (f->count)
    builder_note(b, arena_print(b->memory, "%s: triangles without an area: %d of %d, %s; they have no effect", path,
                                f->count, s->triangle_count, where_text(b->memory, s, f->triangle)));
}

// --- reading ---------------------------------------------------------------------------------------------------------

static void flip_soup(mesh_soup *soup) {
  for (int i = 0; i < soup->triangle_count; i++) {
    int corner = soup->triangles[i][1];
    soup->triangles[i][1] = soup->triangles[i][2], soup->triangles[i][2] = corner;
  }
}

static bool read_soup(builder *b, place at, mesh_file *f, mesh_soup *soup) {
  file_bytes content = {0};
  char why[MESH_WHY];
  if (!builder_read_file(b, at, f->path, MESH_BYTES_MAX, "reduce the mesh", &content)) return false;
  f->digest = builder_digest(b, &content);
  if (!mesh_read(content.items, content.length, f->scale, &b->model->scratch, soup, why))
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': %s", f->path, why);
  if (f->flip) flip_soup(soup);
  return true;
}

static bool read_mesh(builder *b, place at, mesh_file *f, mesh_soup *soup, mesh *m) {
  arena *scratch = &b->model->scratch;
  if (!read_soup(b, at, f, soup)) return false;
  return mesh_build(soup, mesh_weld_default(soup), scratch, scratch, m) ||
         source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': no triangle has an area", f->path);
}

// Adds triangles to what reports draw, in the memory of the model. Returns their number.
static int add_drawn(builder *b, const char *name, const vec3 *vertices, int vertex_count, const int *triangles,
                     int triangle_count) {
  drawing *d = &b->model->drawing;
  drawn_mesh *to = ARENA_PUSH(b->memory, d->meshes, d->mesh_count, d->mesh_capacity);
  double(*points)[3] = arena_alloc(b->memory, (size_t)vertex_count, sizeof *points);
  int *copy = ARENA_ARRAY(b->memory, int, 3 * (size_t)triangle_count);
  for (int i = 0; i < vertex_count; i++) vec3_store(points[i], vertices[i]);
  memcpy(copy, triangles, 3 * (size_t)triangle_count * sizeof *copy);
  *to = (drawn_mesh){name, {(const double(*)[3])points, vertex_count}, copy, triangle_count};
  return d->mesh_count - 1;
}

static mesh_file *find_file(builder *b, const mesh_file *like) {
  const drawing *d = &b->model->drawing;
  for (int i = 0; i < d->file_count; i++) {
    mesh_file *f = d->files[i];
    if (strcmp(f->path, like->path) == 0 && f->scale == like->scale && f->flip == like->flip && f->hull == like->hull &&
        f->surface == like->surface)
      return f;
  }
  return NULL;
}

// --- meshes ----------------------------------------------------------------------------------------------------------

// Of a file of several parts.
static void note_overlapping(builder *b, const char *path, const mesh_soup *s, const mesh *m) {
  const mesh_found *f = &m->found[MESH_OVERLAPPING];
  if (f->count)
    builder_note(b, arena_print(b->memory,
                                "%s: parts that reach into others: %d, %s; what they have in common counts twice in "
                                "the mass; unite them in the program "
                                "that made the file",
                                path, f->count, where_text(b->memory, s, f->triangle)));
}

static bool fill_mesh(builder *b, place at, mesh_file *f) {
  mesh_soup soup;
  mesh m, small;
  if (!read_mesh(b, at, f, &soup, &m)) return false;
  f->data.not_solid = why_not_solid(b->memory, f->name, &soup, &m);
  if (f->data.not_solid)
    builder_note(b, arena_print(b->memory, "%s; it is drawn, but has no volume", f->data.not_solid));
  else f->data.solid = moments_mesh(&m);
  note_degenerate(b, f->path, &soup, &m);
  note_overlapping(b, f->path, &soup, &m);
  mesh_decimate(&m, DRAWN_MAX, &b->model->scratch, &small);
  if (small.triangle_count < m.triangle_count)
    builder_note(
        b, arena_print(b->memory, "%s: reports draw it with %d of its %d triangles; its mass is that of all of them",
                       f->path, small.triangle_count, m.triangle_count));
  f->data.mesh = add_drawn(b, f->name, small.vertices, small.vertex_count, small.triangles[0], small.triangle_count);
  f->points = b->model->drawing.meshes[f->data.mesh].vertices;
  return true;
}

// --- hulls -----------------------------------------------------------------------------------------------------------

static bool build_hull(builder *b, place at, const char *name, const vec3 *points, int count, polytope *to) {
  if (count > HULL_POINTS_MAX)
    return source_error(b->error, CAROM_ERROR_MODEL, at, "leave out points inside it",
                        "%s%s%s: a hull of %d points, the limit is %d", name[0] ? "'" : "", name[0] ? name : "hull",
                        name[0] ? "'" : "", count, HULL_POINTS_MAX);
  polytope_fault fault = polytope_build(points, count, &b->model->scratch, to);
  if (fault == POLYTOPE_ROUNDED)
    return source_error(
        b->error, CAROM_ERROR_MODEL, at,
        "leave out points that nearly coincide, and check that the hull has a thickness",
        "the points of a hull are so near each other, or so nearly in one plane, that their hull cannot be told");
  if (fault != POLYTOPE_OK)
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "the points of a hull must not lie in one plane");
  return true;
}

static bool make_hull(builder *b, place at, const char *name, const vec3 *points, int count, shape_data *data) {
  arena *scratch = &b->model->scratch;
  polytope p;
  if (!build_hull(b, at, name, points, count, &p)) return false;
  int(*triangles)[3] = arena_alloc(scratch, (size_t)p.corner_count, sizeof *triangles), used = 0;
  for (int i = 0; i < p.face_count; i++)
    for (int k = 2; k < p.faces[i].count; k++) {
      const int *c = p.corners + p.faces[i].first;
      memcpy(triangles[used++], (int[3]){c[0], c[k - 1], c[k]}, sizeof *triangles);
    }
  data->solid = polytope_moments(&p);
  data->mesh = add_drawn(b, name, p.vertices, p.vertex_count, triangles[0], used);
  return true;
}

static bool fill_hull(builder *b, place at, mesh_file *f) {
  mesh_soup soup;
  mesh m;
  if (!read_mesh(b, at, f, &soup, &m) || !make_hull(b, at, f->name, m.vertices, m.vertex_count, &f->data)) return false;
  f->points = b->model->drawing.meshes[f->data.mesh].vertices;
  return true;
}

// --- surfaces that are hulls -----------------------------------------------------------------------------------------

static double distance_outside(const polytope *p, vec3 at) {
  double most = -INFINITY;
  for (int i = 0; i < p->face_count; i++) most = fmax(most, vec3_dot(p->faces[i].normal, at) - p->faces[i].offset);
  return most;
}

// The corner that is farthest outside of the hull of those chosen; while these have none, the one that is farthest from
// them all.
static int farthest_corner(const polytope *all, const polytope *hull, const vec3 *chosen, int count, double *how_far) {
  int far = 0;
  *how_far = -INFINITY;
  for (int i = 0; i < all->vertex_count; i++) {
    double off = INFINITY;
    if (hull) off = distance_outside(hull, all->vertices[i]);
    for (int k = 0; !hull && k < count; k++) off = fmin(off, vec3_norm(vec3_sub(all->vertices[i], chosen[k])));
    if (off > *how_far) far = i, *how_far = off;
  }
  return far;
}

// At most so many corners of a hull as a contact has points, which leave out as little of it as they can one by one.
// `loss` says how far the others are outside of them.
static int choose_corners(const polytope *all, arena *scratch, vec3 chosen[CONTACT_POINTS_MAX], double *loss) {
  int count = 0;
  *loss = 0;
  if (all->vertex_count <= CONTACT_POINTS_MAX) {
    memcpy(chosen, all->vertices, (size_t)all->vertex_count * sizeof *chosen);
    return all->vertex_count;
  }
  polytope hull;
  bool has_hull = false;
  chosen[count++] = all->vertices[0];
  for (;;) {
    int far = farthest_corner(all, has_hull ? &hull : NULL, chosen, count, loss);
    if (count == CONTACT_POINTS_MAX) return count;
    chosen[count++] = all->vertices[far];
    has_hull = count > 3 && polytope_build(chosen, count, scratch, &hull) == POLYTOPE_OK;
  }
}

static bool take_hull(builder *b, const part *p, carom_surface_def *d) {
  arena *scratch = &b->model->scratch;
  arena_mark mark = arena_get_mark(scratch);
  place at = builder_place(p, builder_surface_table(p->kind), "file");
  drawing *all = &b->model->drawing;
  mesh_file *f = ARENA_NEW(b->memory, mesh_file);
  mesh_soup soup;
  mesh m;
  polytope hull;
  vec3 corners[CONTACT_POINTS_MAX];
  double loss;
  *f = (mesh_file){.name = arena_copy_text(b->memory, d->file),
                   .path = builder_path(b, at, d->file),
                   .scale = d->scale,
                   .hull = true,
                   .surface = true};
  if (!read_mesh(b, at, f, &soup, &m) || !build_hull(b, at, f->name, m.vertices, m.vertex_count, &hull)) return false;
  if (!find_file(b, f)) *ARENA_PUSH(b->memory, all->files, all->file_count, all->file_capacity) = f;
  int count = choose_corners(&hull, scratch, corners, &loss);
  if (count < hull.vertex_count)
    builder_note(b, arena_print(b->memory,
                                "'%s': the hull of the file has %d corners; contact is with %d of them, beyond which "
                                "the others reach by %.2g m",
                                p->name, hull.vertex_count, count, loss));
  double(*points)[3] = arena_alloc(b->memory, (size_t)count, sizeof *points);
  for (int i = 0; i < count; i++) vec3_store(points[i], corners[i]);
  d->points = (carom_points){(const double(*)[3])points, count}, d->file = NULL, d->scale = 1;
  arena_release(scratch, mark);
  return true;
}

static bool is_hull_file(const part *p) {
  const carom_surface_def *d = p->content;
  const surface_type *type = p->kind ? surface_find(p->kind) : NULL;
  return type && type->takes_file && !type->by_triangles && d->file && d->file[0] && !d->points.count;
}

bool builder_hull_surfaces(builder *b) {
  const part_list *given = &b->def->surfaces;
  bool any = false;
  for (int i = 0; i < given->count; i++) any |= is_hull_file(&given->items[i]);
  if (!any || b->def->model.space == CAROM_PLANAR) return true;
  carom_def *all = ARENA_NEW(b->memory, carom_def);
  *all = *b->def;
  all->surfaces =
      (part_list){.items = arena_alloc(b->memory, (size_t)given->count, sizeof(part)), .count = given->count};
  memcpy(all->surfaces.items, given->items, (size_t)given->count * sizeof(part));
  for (int i = 0; i < given->count; i++) {
    if (!is_hull_file(&given->items[i])) continue;
    carom_surface_def *d = ARENA_NEW(b->memory, carom_surface_def);
    *d = *(const carom_surface_def *)given->items[i].content;
    if (!take_hull(b, &given->items[i], d)) return false;
    all->surfaces.items[i].content = d;
  }
  b->def = all;
  return true;
}

// --- surfaces of triangles -------------------------------------------------------------------------------------------

// As they are given.
static void take_soup(arena *scratch, const carom_surface_def *d, mesh_soup *soup) {
  *soup = (mesh_soup){.point_count = d->points.count, .triangle_count = d->triangles.count / 3};
  soup->points = ARENA_ARRAY(scratch, vec3, soup->point_count);
  soup->triangles = arena_alloc(scratch, (size_t)soup->triangle_count, sizeof *soup->triangles);
  soup->places = ARENA_ARRAY(scratch, int, soup->triangle_count);
  for (int i = 0; i < soup->point_count; i++) soup->points[i] = vec3_of(d->points.items[i]);
  for (int i = 0; i < 3 * soup->triangle_count; i++) soup->triangles[i / 3][i % 3] = (int)d->triangles.items[i] - 1;
  for (int i = 0; i < soup->triangle_count; i++) soup->places[i] = i + 1;
}

// Where triangles disagree about the outside, contact would push the wrong way.
static bool check_surface(builder *b, place at, const char *name, const mesh_soup *s, const mesh *m) {
  static const mesh_fault refused[] = {MESH_BRANCHED, MESH_TWISTED, MESH_INSIDE_OUT};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    mesh_fault k = refused[i];
    if (m->found[k].count)
      return source_error(b->error, CAROM_ERROR_MODEL, at, faults[k].advice, "'%s': the mesh %s (%s: %d, %s)", name,
                          faults[k].state, faults[k].what, m->found[k].count,
                          where_text(b->memory, s, m->found[k].triangle));
  }
  if (m->found[MESH_OPEN].count)
    builder_note(
        b,
        arena_print(b->memory,
                    "'%s': the mesh is open (%s: %d, %s); it has an outside and an inside only where it has triangles",
                    name, faults[MESH_OPEN].what, m->found[MESH_OPEN].count,
                    where_text(b->memory, s, m->found[MESH_OPEN].triangle)));
  return true;
}

// Of the hull of a mesh, in the memory of the model.
static int find_corners(builder *b, const mesh *m, const vec3 **corners) {
  polytope hull;
  if (m->vertex_count > HULL_POINTS_MAX ||
      polytope_build(m->vertices, m->vertex_count, &b->model->scratch, &hull) != POLYTOPE_OK ||
      hull.vertex_count > CONTACT_POINTS_MAX)
    return 0;
  vec3 *copy = ARENA_ARRAY(b->memory, vec3, hull.vertex_count);
  memcpy(copy, hull.vertices, (size_t)hull.vertex_count * sizeof *copy);
  *corners = copy;
  return hull.vertex_count;
}

bool builder_triangles(builder *b, const part *p, terrain *to, const vec3 **corners, int *corner_count) {
  const carom_surface_def *d = p->content;
  place at = builder_place(p, builder_surface_table(p->kind), d->file ? "file" : "triangles");
  arena *scratch = &b->model->scratch;
  arena_mark mark = arena_get_mark(scratch);
  mesh_soup soup;
  if (d->file) {
    drawing *all = &b->model->drawing;
    mesh_file *f = ARENA_NEW(b->memory, mesh_file);
    *f = (mesh_file){.name = arena_copy_text(b->memory, d->file),
                     .path = builder_path(b, at, d->file),
                     .scale = d->scale,
                     .flip = d->flip,
                     .surface = true};
    if (!read_soup(b, at, f, &soup)) return false;
    if (!find_file(b, f)) *ARENA_PUSH(b->memory, all->files, all->file_count, all->file_capacity) = f;
  } else {
    take_soup(scratch, d, &soup);
    if (d->flip) flip_soup(&soup);
  }
  mesh *m = ARENA_NEW(b->memory, mesh);
  if (!mesh_build(&soup, mesh_weld_default(&soup), b->memory, scratch, m))
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': no triangle has an area", p->name);
  note_degenerate(b, p->name, &soup, m);
  if (!check_surface(b, at, p->name, &soup, m)) return false;
  *to = terrain_of_mesh(m, b->memory);
  if (b->def->scheme->about->needs_laws) terrain_measure(to, b->memory);
  *corner_count = find_corners(b, m, corners);
  arena_release(scratch, mark);
  return true;
}

typedef struct triangle_list {
  vec3 *vertices;
  int (*triangles)[3];
  int count;
} triangle_list;

static void count_triangle(void *context, const terrain_triangle *t) {
  mesh *m = context;
  m->triangle_count++;
  for (int k = 0; k < 3; k++)
    if (t->corners[k] >= m->vertex_count) m->vertex_count = t->corners[k] + 1;
}

static void take_triangle(void *context, const terrain_triangle *t) {
  triangle_list *to = context;
  memcpy(to->triangles[to->count++], t->corners, sizeof t->corners);
  for (int k = 0; k < 3; k++) to->vertices[t->corners[k]] = t->p[k];
}

void builder_terrain(builder *b, const char *name, const terrain *from, carom_points *points, shape_data *data) {
  arena *scratch = &b->model->scratch;
  arena_mark mark = arena_get_mark(scratch);
  mesh m = {.low = from->low, .high = from->high}, small;
  from->type->each(from, from->low, from->high, count_triangle, &m);
  triangle_list list = {ARENA_ARRAY(scratch, vec3, m.vertex_count),
                        arena_alloc(scratch, (size_t)m.triangle_count, sizeof *list.triangles), 0};
  from->type->each(from, from->low, from->high, take_triangle, &list);
  m.vertices = list.vertices, m.triangles = list.triangles;
  mesh_decimate(&m, DRAWN_MAX, scratch, &small);
  if (small.triangle_count < m.triangle_count)
    builder_note(
        b, arena_print(b->memory, "'%s': reports draw it with %d of its %d triangles; contact is with all of them",
                       name, small.triangle_count, m.triangle_count));
  data->mesh = add_drawn(b, "", small.vertices, small.vertex_count, small.triangles[0], small.triangle_count);
  arena_release(scratch, mark);
  *points = b->model->drawing.meshes[data->mesh].vertices;
}

// --- both ------------------------------------------------------------------------------------------------------------

static bool use_file(builder *b, place at, mesh_file wanted, carom_points *points, shape_data *data) {
  drawing *d = &b->model->drawing;
  arena_mark mark = arena_get_mark(&b->model->scratch);
  wanted.path = builder_path(b, at, wanted.name);
  mesh_file *f = find_file(b, &wanted);
  if (!f) {
    f = ARENA_NEW(b->memory, mesh_file);
    *f = wanted;
    f->name = arena_copy_text(b->memory, wanted.name);
    *ARENA_PUSH(b->memory, d->files, d->file_count, d->file_capacity) = f;
    if (!(f->hull ? fill_hull(b, at, f) : fill_mesh(b, at, f))) return false;
  }
  arena_release(&b->model->scratch, mark);
  *points = f->points, *data = f->data;
  return true;
}

bool builder_mesh(builder *b, place at, const char *file, double scale, bool flip, carom_points *points,
                  shape_data *data) {
  return use_file(b, at, (mesh_file){.name = file, .scale = scale, .flip = flip}, points, data);
}

bool builder_hull(builder *b, place at, const char *file, double scale, carom_points *points, shape_data *data) {
  if (file) return use_file(b, at, (mesh_file){.name = file, .scale = scale, .hull = true}, points, data);
  arena_mark mark = arena_get_mark(&b->model->scratch);
  vec3 *given = ARENA_ARRAY(&b->model->scratch, vec3, points->count);
  for (int i = 0; i < points->count; i++) given[i] = vec3_of(points->items[i]);
  if (!make_hull(b, at, "", given, points->count, data)) return false;
  arena_release(&b->model->scratch, mark);
  *points = b->model->drawing.meshes[data->mesh].vertices;
  return true;
}
