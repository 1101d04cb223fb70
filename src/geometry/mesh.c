#include "geometry/mesh.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/moments.h"

// --- welding ---------------------------------------------------------------------------------------------------------

// Vertices by the cell of a grid that they lie in. The cells are as wide as the distance to weld, so that a point finds
// its vertex in its own cell or one beside it.
typedef struct grid {
  const mesh *m;
  vec3 low;
  double cell;
  int *heads, *next;  // chains of vertices by hash; -1 ends one
  uint64_t mask;
} grid;

static uint64_t mix(uint64_t h, int64_t x) {
  h = (h ^ (uint64_t)x) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

static uint64_t cell_hash(const grid *g, const int64_t c[3]) {
  return mix(mix(mix(0x2545f4914f6cdd1du, c[0]), c[1]), c[2]) & g->mask;
}

static void cell_of(const grid *g, vec3 p, int64_t c[3]) {
  c[0] = (int64_t)floor((p.x - g->low.x) / g->cell);
  c[1] = (int64_t)floor((p.y - g->low.y) / g->cell);
  c[2] = (int64_t)floor((p.z - g->low.z) / g->cell);
}

static int find_vertex(const grid *g, vec3 p, double weld) {
  int64_t at[3];
  cell_of(g, p, at);
  int best = -1;
  for (int k = 0; k < 27; k++) {
    int64_t c[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
    for (int v = g->heads[cell_hash(g, c)]; v >= 0; v = g->next[v])
      if ((best < 0 || v < best) && vec3_norm(vec3_sub(p, g->m->vertices[v])) <= weld) best = v;
  }
  return best;
}

static void weld_points(const mesh_soup *from, double weld, arena *scratch, mesh *to, int *vertex_of) {
  vec3 size = vec3_sub(to->high, to->low);
  double widest = fmax(size.x, fmax(size.y, size.z));
  grid g = {.m = to, .low = to->low, .cell = fmax(fmax(weld, 1e-12 * widest), DBL_MIN), .mask = 16};
  while (g.mask < 2 * (uint64_t)from->point_count) g.mask *= 2;
  g.heads = ARENA_ARRAY(scratch, int, g.mask), g.next = ARENA_ARRAY(scratch, int, from->point_count);
  memset(g.heads, -1, g.mask * sizeof *g.heads);
  g.mask--;
  for (int i = 0; i < from->point_count; i++) {
    int v = find_vertex(&g, from->points[i], weld);
    if (v < 0) {
      int64_t c[3];
      v = to->vertex_count++;
      to->vertices[v] = from->points[i];
      cell_of(&g, from->points[i], c);
      int *head = &g.heads[cell_hash(&g, c)];
      g.next[v] = *head, *head = v;
    }
    vertex_of[i] = v;
  }
}

double mesh_weld_default(const mesh_soup *from) {
  double largest = 0;
  for (int i = 0; i < from->point_count; i++)
    largest = fmax(largest, fmax(fabs(from->points[i].x), fmax(fabs(from->points[i].y), fabs(from->points[i].z))));
  return 4 * FLT_EPSILON * largest;
}

// --- triangles -------------------------------------------------------------------------------------------------------

static void note(mesh *m, mesh_fault what, int triangle) {
  mesh_found *f = &m->found[what];
  if (!f->count || triangle < f->triangle) f->triangle = triangle;
  f->count++;
}

static void keep_triangles(const mesh_soup *from, const int *vertex_of, mesh *to) {
  for (int i = 0; i < from->triangle_count; i++) {
    const int *p = from->triangles[i];
    int v[3] = {vertex_of[p[0]], vertex_of[p[1]], vertex_of[p[2]]}, t = to->triangle_count;
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
      note(to, MESH_DEGENERATE, i);
      continue;
    }
    vec3 a = vec3_sub(to->vertices[v[1]], to->vertices[v[0]]), b = vec3_sub(to->vertices[v[2]], to->vertices[v[0]]);
    vec3 n = vec3_cross(a, b);
    double area = vec3_norm(n);
    bool flat = !(area > 1e-12 * vec3_norm(a) * vec3_norm(b));
    if (flat) note(to, MESH_DEGENERATE, i);
    to->normals[t] = flat ? VEC3_ZERO : vec3_scale(1 / area, n);
    to->origins[t] = i;
    memcpy(to->triangles[t], v, sizeof v);
    to->triangle_count++;
  }
}

// --- edges -----------------------------------------------------------------------------------------------------------

typedef struct half_edge {
  int low, high;  // its vertices
  int triangle, side;
} half_edge;

static int by_vertices(const void *a, const void *b) {
  const half_edge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  if (x->triangle != y->triangle) return x->triangle < y->triangle ? -1 : 1;
  return x->side - y->side;
}

static void add_edge(mesh *m, const half_edge *h, const half_edge *other) {
  const int *v = m->triangles[h->triangle];
  m->edges[m->edge_count] =
      (mesh_edge){{v[h->side], v[(h->side + 1) % 3]}, {h->triangle, other ? other->triangle : -1}};
  m->sides[h->triangle][h->side] = m->edge_count;
  if (other) m->sides[other->triangle][other->side] = m->edge_count;
  m->edge_count++;
}

static void add_edges(mesh *m, const half_edge *h, int count) {
  if (count == 2) {
    add_edge(m, h, h + 1);
    if (m->triangles[h[0].triangle][h[0].side] == m->triangles[h[1].triangle][h[1].side])
      note(m, MESH_TWISTED, m->origins[h[1].triangle]);
    return;
  }
  note(m, count == 1 ? MESH_OPEN : MESH_BRANCHED, m->origins[h[count - 1].triangle]);
  for (int i = 0; i < count; i++) add_edge(m, &h[i], NULL);
}

static void join_triangles(mesh *m, arena *scratch) {
  int count = 3 * m->triangle_count;
  half_edge *halves = ARENA_ARRAY(scratch, half_edge, count);
  for (int i = 0; i < count; i++) {
    const int *v = m->triangles[i / 3];
    int a = v[i % 3], b = v[(i + 1) % 3];
    halves[i] = (half_edge){a < b ? a : b, a < b ? b : a, i / 3, i % 3};
  }
  qsort(halves, (size_t)count, sizeof *halves, by_vertices);
  for (int i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && halves[next].low == halves[i].low && halves[next].high == halves[i].high;)
      next++;
    add_edges(m, &halves[i], next - i);
  }
}

// --- parts -----------------------------------------------------------------------------------------------------------

static void number_parts(mesh *m, arena *scratch) {
  int *stack = ARENA_ARRAY(scratch, int, m->triangle_count);
  memset(m->parts, -1, (size_t)m->triangle_count * sizeof *m->parts);
  for (int i = 0; i < m->triangle_count; i++) {
    if (m->parts[i] >= 0) continue;
    int top = 0, part = m->part_count++;
    stack[top++] = i, m->parts[i] = part;
    while (top) {
      int t = stack[--top];
      for (int k = 0; k < 3; k++) {
        int u = mesh_beside(m, t, k);
        if (u >= 0 && m->parts[u] < 0) m->parts[u] = part, stack[top++] = u;
      }
    }
  }
}

typedef struct part {
  double volume;
  vec3 low, high;
  int first;  // triangle
} part;

static vec3 lower(vec3 a, vec3 b) { return (vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)}; }
static vec3 upper(vec3 a, vec3 b) { return (vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)}; }
static bool is_within(const part *a, const part *b) {
  return a->low.x >= b->low.x && a->low.y >= b->low.y && a->low.z >= b->low.z && a->high.x <= b->high.x &&
         a->high.y <= b->high.y && a->high.z <= b->high.z;
}

static part *measure_parts(const mesh *m, arena *scratch) {
  part *parts = ARENA_ARRAY(scratch, part, m->part_count);
  for (int i = m->triangle_count - 1; i >= 0; i--) parts[m->parts[i]].first = i;
  for (int i = 0; i < m->part_count; i++) parts[i].low = parts[i].high = m->vertices[m->triangles[parts[i].first][0]];
  for (int i = 0; i < m->triangle_count; i++) {
    part *p = &parts[m->parts[i]];
    vec3 base = m->vertices[m->triangles[p->first][0]], v[3];
    for (int k = 0; k < 3; k++) {
      vec3 at = m->vertices[m->triangles[i][k]];
      p->low = lower(p->low, at), p->high = upper(p->high, at);
      v[k] = vec3_sub(at, base);
    }
    p->volume += vec3_dot(v[0], vec3_cross(v[1], v[2])) / 6;
  }
  return parts;
}

static int by_volume(const void *a, const void *b) {
  const part *x = a, *y = b;
  if (x->volume != y->volume) return x->volume > y->volume ? -1 : 1;
  return x->first - y->first;
}

// A closed part of negative volume is a cavity if it lies within the box of a part of larger positive volume. Only so
// many of the largest are looked at, because a hostile file may have very many parts.
static void find_inside_out(mesh *m, arena *scratch) {
  enum { SOLIDS_MAX = 1000 };
  part *parts = measure_parts(m, scratch);
  qsort(parts, (size_t)m->part_count, sizeof *parts, by_volume);
  for (int i = 0; i < m->part_count; i++) {
    bool cavity = !(parts[i].volume < 0);
    for (int k = 0; k < i && k < SOLIDS_MAX && !cavity; k++)
      cavity = parts[k].volume > -parts[i].volume && is_within(&parts[i], &parts[k]);
    if (!cavity) note(m, MESH_INSIDE_OUT, m->origins[parts[i].first]);
  }
}

// How often the parts other than one go around a place.
static double winding_of_others(const mesh *m, int part, vec3 at) {
  double sum = 0;
  for (int i = 0; i < m->triangle_count; i++) {
    if (m->parts[i] == part) continue;
    vec3 to[3];
    for (int k = 0; k < 3; k++) to[k] = vec3_sub(m->vertices[m->triangles[i][k]], at);
    sum += moments_share_of_view(to);
  }
  return sum;
}

// Corners of every part but cavities, a few of each, and not more in all than the time for large files allows.
static void find_overlapping(mesh *m, arena *scratch) {
  enum { CORNERS = 8 };
  const long most = 20000000;
  long looked = 0;
  if (m->part_count < 2) return;
  part *parts = measure_parts(m, scratch);
  int *tried = ARENA_ARRAY(scratch, int, m->part_count);
  for (int i = 0; i < m->triangle_count && looked < most; i++) {
    int p = m->parts[i];
    if (!(parts[p].volume > 0) || tried[p] >= CORNERS) continue;
    tried[p]++, looked += m->triangle_count;
    if (winding_of_others(m, p, m->vertices[m->triangles[i][0]]) < 0.75)
      continue;  // on another's surface it is one half
    note(m, MESH_OVERLAPPING, m->origins[i]);
    tried[p] = CORNERS;
  }
}

// --- all of it -------------------------------------------------------------------------------------------------------

static bool find_box(const mesh_soup *from, mesh *to) {
  if (!from->point_count) return false;
  to->low = to->high = from->points[0];
  for (int i = 0; i < from->point_count; i++) {
    vec3 p = from->points[i];
    if (!(fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) <= MESH_COORDINATE_MAX) || isnan(p.x + p.y + p.z)) return false;
    to->low = lower(to->low, p), to->high = upper(to->high, p);
  }
  return true;
}

bool mesh_build(const mesh_soup *from, double weld, arena *memory, arena *scratch, mesh *to) {
  *to = (mesh){0};
  for (int i = 0; i < MESH_FAULTS; i++) to->found[i].triangle = -1;
  if (!find_box(from, to)) return false;
  int most = from->triangle_count;
  to->vertices = ARENA_ARRAY(memory, vec3, from->point_count);
  to->triangles = arena_alloc(memory, (size_t)most, sizeof *to->triangles);
  to->sides = arena_alloc(memory, (size_t)most, sizeof *to->sides);
  to->normals = ARENA_ARRAY(memory, vec3, most);
  to->origins = ARENA_ARRAY(memory, int, most), to->parts = ARENA_ARRAY(memory, int, most);
  to->edges = ARENA_ARRAY(memory, mesh_edge, 3 * (size_t)most);
  int *vertex_of = ARENA_ARRAY(scratch, int, from->point_count);
  weld_points(from, weld, scratch, to, vertex_of);
  keep_triangles(from, vertex_of, to);
  bool has_area = false;
  for (int i = 0; i < to->triangle_count; i++) has_area |= vec3_norm(to->normals[i]) > 0;
  if (!has_area) return false;
  join_triangles(to, scratch);
  number_parts(to, scratch);
  if (mesh_is_closed(to)) find_inside_out(to, scratch), find_overlapping(to, scratch);
  return true;
}

bool mesh_is_flat(const mesh *m) {
  vec3 n = VEC3_ZERO, size = vec3_sub(m->high, m->low);
  for (int i = 0; i < m->triangle_count && vec3_dot(n, n) == 0; i++) n = m->normals[i];
  double offset = INFINITY, most = -INFINITY;
  for (int i = 0; i < m->vertex_count; i++)
    offset = fmin(offset, vec3_dot(n, m->vertices[i])), most = fmax(most, vec3_dot(n, m->vertices[i]));
  return most - offset <= 1e-9 * vec3_norm(size);
}
