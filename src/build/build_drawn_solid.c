// What a report draws of flexible bodies beside the axis of a beam: the mesh of a planar solid with its stresses, and
// the stresses of a beam.
#include <math.h>

#include "build/flexible_builder.h"

enum { NUMBERS_MOST = 250000 };  // in a record: five per mode and vertex

// --- planar solids ---------------------------------------------------------------------------------------------------

typedef struct sheet {
  const triangle_mesh *m;
  bool corners_only;
  int *vertex;  // of each node one more than its number among those drawn; 0 if it is not
  drawn_solid *to;
} sheet;

static void keep_nodes(sheet *s, int count, const int *nodes) {
  for (int k = 0; k < count; k++)
    if (!s->vertex[nodes[k]]) s->vertex[nodes[k]] = ++s->to->vertex_count;
}

static void keep_vertices(sheet *s, bool corners_only) {
  s->corners_only = corners_only, s->to->vertex_count = 0;
  for (int t = 0; t < s->m->triangle_count; t++) keep_nodes(s, corners_only ? 3 : 6, s->m->triangles[t]);
  for (int t = 0; t < s->m->quad_count; t++) keep_nodes(s, corners_only ? 4 : 8, s->m->quads[t]);
}

// Elements as flat triangles: between corners, or with the middles of their sides.
static void add_triangles(sheet *s, const int *nodes, int count, const int (*parts)[3]) {
  for (int k = 0; k < 3 * count; k++)
    s->to->triangles[3 * s->to->triangle_count + k] = s->vertex[nodes[parts[k / 3][k % 3]]] - 1;
  s->to->triangle_count += count;
}

static void fill_triangles(arena *memory, sheet *s) {
  static const int fine[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}}, coarse[1][3] = {{0, 1, 2}};
  static const int fine_quad[6][3] = {{0, 4, 7}, {4, 1, 5}, {5, 2, 6}, {6, 3, 7}, {4, 5, 6}, {4, 6, 7}};
  static const int coarse_quad[2][3] = {{0, 1, 2}, {0, 2, 3}};
  const triangle_mesh *m = s->m;
  s->to->triangles = ARENA_ARRAY(memory, int, 12 * m->triangle_count + 18 * m->quad_count);
  for (int t = 0; t < m->triangle_count; t++)
    add_triangles(s, m->triangles[t], s->corners_only ? 1 : 4, s->corners_only ? coarse : fine);
  for (int t = 0; t < m->quad_count; t++)
    add_triangles(s, m->quads[t], s->corners_only ? 2 : 6, s->corners_only ? coarse_quad : fine_quad);
}

static void fill_rim(arena *memory, sheet *s) {
  s->to->rim = ARENA_ARRAY(memory, int, 4 * s->m->boundary_count);
  for (int k = 0; k < s->m->boundary_count; k++) {
    const int *side = s->m->boundary[k], ends[4] = {side[0], side[2], side[2], side[1]};
    if (s->corners_only) {
      for (int j = 0; j < 2; j++) s->to->rim[s->to->rim_count++] = s->vertex[side[j]] - 1;
      continue;
    }
    for (int j = 0; j < 4; j++) s->to->rim[s->to->rim_count++] = s->vertex[ends[j]] - 1;
  }
}

static void fill_modes(builder *b, const flexible_builder *fb, sheet *s) {
  const int n = fb->flex.modes, nodes = fb->e.node_count, vertices = s->to->vertex_count;
  double(*stress)[3] = arena_alloc(&b->model->scratch, (size_t)nodes, sizeof *stress);
  s->to->at = ARENA_ARRAY(b->memory, vec2, vertices), s->to->shift = ARENA_ARRAY(b->memory, vec2, vertices * n);
  s->to->stress = arena_alloc(b->memory, (size_t)vertices * (size_t)n, sizeof *s->to->stress);
  for (int i = 0; i < nodes; i++)
    if (s->vertex[i]) s->to->at[s->vertex[i] - 1] = fb->solid.mesh.nodes[i];
  for (int k = 0; k < n; k++) {
    const double *phi = fb->phi + (long)k * fb->e.freedom_count;
    planar_solid_stress(&b->model->scratch, &fb->solid, &fb->e, phi, stress);
    for (int i = 0; i < nodes; i++) {
      if (!s->vertex[i]) continue;
      const long to = (long)(s->vertex[i] - 1) * n + k;
      s->to->shift[to] = (vec2){phi[fb->e.freedoms[i][0]], phi[fb->e.freedoms[i][1]]};
      for (int j = 0; j < 3; j++) s->to->stress[to][j] = stress[i][j];
    }
  }
}

const drawn_solid *builder_drawn_solid(builder *b, int index) {
  if (!b->flexibles || !b->flexibles[index].p || !b->flexibles[index].d->solid_2d) return NULL;
  const flexible_builder *fb = &b->flexibles[index];
  drawn_solid *to = ARENA_NEW(b->memory, drawn_solid);
  *to = (drawn_solid){.modes = fb->flex.modes, .poisson = fb->solid.plane_strain ? fb->solid.poisson : 0};
  sheet s = {.m = &fb->solid.mesh, .to = to};
  for (int corners_only = 0; corners_only < 2; corners_only++) {
    s.vertex = ARENA_ARRAY(&b->model->scratch, int, fb->e.node_count);
    keep_vertices(&s, corners_only);
    if (5L * to->vertex_count * to->modes > NUMBERS_MOST) continue;
    fill_triangles(b->memory, &s);
    fill_rim(b->memory, &s);
    fill_modes(b, fb, &s);
    return to;
  }
  return NULL;
}

// --- beams -----------------------------------------------------------------------------------------------------------

// What a section has of a mode beside x: derivatives along the beam by differences, within an element exact, as its
// functions are of third order, and the mean of both sides at a node.
static vec3 strain_at(const flexible_builder *fb, const double *phi, double x) {
  const double h = 1e-4 * fb->beam.length, low = fmax(x - h, 0), high = fmin(x + h, fb->beam.length);
  const flex_place a = flexible_section(fb, low), b = flexible_section(fb, high);
  const vec3 turn = vec3_scale(1 / (high - low), vec3_sub(elements_turn(&b, phi), elements_turn(&a, phi)));
  const double stretch = (elements_displacement(&b, phi).x - elements_displacement(&a, phi).x) / (high - low);
  return (vec3){stretch, turn.z, -turn.y};
}

// Of a rectangle with the same area and second moments the outermost fibres are √(3 I/A) from the axis.
void builder_beam_stress(builder *b, const flexible_builder *fb, drawn_beam *to) {
  const int n = fb->flex.modes;
  to->stress = ARENA_ARRAY(b->memory, vec3, to->place_count * n);
  for (int k = 0; k < to->place_count; k++) {
    const beam_section s = fb->beam.section(fb->beam.context, to->x[k]);
    const double cy = sqrt(3 * s.second_z / s.area), cz = sqrt(3 * s.second_y / s.area);
    for (int i = 0; i < n; i++) {
      const vec3 e = strain_at(fb, fb->phi + (long)i * fb->e.freedom_count, to->x[k]);
      to->stress[k * n + i] = vec3_scale(fb->beam.young, (vec3){e.x, cy * e.y, cz * e.z});
    }
  }
}
