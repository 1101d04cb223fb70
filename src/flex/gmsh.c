#include "flex/gmsh.h"

#include <math.h>
#include <stdlib.h>

#include "base/pair_index.h"
#include "flex/gmsh_file.h"
#include "flex/planar_solid.h"

typedef struct maker {
  lines *l;
  arena *memory;
  gmsh_file *f;
  double scale;
  triangle_mesh *m;
  int *line;   // of each element of the mesh in the file
  int *index;  // of each node of the file in the mesh; -1 where no element has it
} maker;

static bool fail_at(maker *k, int line, const char *what) {
  k->l->line = line;
  return lines_fail(k->l, "%s", what);
}

// --- nodes -----------------------------------------------------------------------------------------------------------

static int by_tag(const void *a, const void *b) {
  const gmsh_node *x = a, *y = b;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

static bool has_elements(maker *k) {
  bool some = false;
  for (int i = 0; i < k->f->element_count; i++) some |= k->f->elements[i].count > 3;
  if (some) return k->f->node_count > 0 || lines_fail_whole(k->l, "it has no nodes");
  return lines_fail_whole(k->l,
                          "it has no triangles and no quadrilaterals; if it has physical groups, the surface needs one "
                          "too, or gmsh does not save it");
}

static bool sort_nodes(maker *k) {
  gmsh_file *f = k->f;
  qsort(f->nodes, (size_t)f->node_count, sizeof *f->nodes, by_tag);
  for (int i = 1; i < f->node_count; i++)
    if (f->nodes[i].tag == f->nodes[i - 1].tag)
      return fail_at(k, f->nodes[i].line, "the number of a node occurs twice");
  return true;
}

// From numbers of the file to places in its list of nodes.
static bool find_nodes(maker *k) {
  gmsh_file *f = k->f;
  for (int i = 0; i < f->element_count; i++)
    for (int j = 0; j < f->elements[i].count; j++) {
      const gmsh_node wanted = {.tag = f->elements[i].tags[j]};
      const gmsh_node *n = bsearch(&wanted, f->nodes, (size_t)f->node_count, sizeof *f->nodes, by_tag);
      if (!n) return fail_at(k, f->elements[i].line, "the element has a node that is not in the file");
      f->elements[i].tags[j] = (int)(n - f->nodes);
    }
  return true;
}

static bool check_plane(maker *k, const gmsh_node *n, double size) {
  for (int i = 0; i < 2; i++)
    if (!(fabs(k->scale * n->x[i]) < 1e50)) return fail_at(k, n->line, "a coordinate is too large");
  return fabs(n->x[2]) <= 1e-9 * size || fail_at(k, n->line, "the node is not in the plane z = 0");
}

// Nodes of triangles and quadrilaterals, in the order of their numbers.
static bool keep_nodes(maker *k) {
  gmsh_file *f = k->f;
  double size = 0;
  k->index = ARENA_ARRAY(k->memory, int, f->node_count + 1);
  for (int i = 0; i < f->element_count; i++)
    for (int j = 0; f->elements[i].count > 3 && j < f->elements[i].count; j++) k->index[f->elements[i].tags[j]] = 1;
  for (int i = 0; i < f->node_count; i++) size = fmax(size, fmax(fabs(f->nodes[i].x[0]), fabs(f->nodes[i].x[1])));
  k->m->nodes = ARENA_ARRAY(k->memory, vec2, f->node_count);
  for (int i = 0; i < f->node_count; i++) {
    const gmsh_node *n = &f->nodes[i];
    if (!k->index[i]) {
      k->index[i] = -1;
      continue;
    }
    if (!check_plane(k, n, size)) return false;
    k->index[i] = k->m->node_count;
    k->m->nodes[k->m->node_count++] = (vec2){k->scale * n->x[0], k->scale * n->x[1]};
  }
  return true;
}

// --- elements --------------------------------------------------------------------------------------------------------

// Twice the area between the corners.
static double area_of(const triangle_mesh *m, const int *nodes, int corners) {
  double area = 0;
  for (int k = 1; k + 1 < corners; k++) {
    const vec2 a = m->nodes[nodes[0]], b = m->nodes[nodes[k]], c = m->nodes[nodes[k + 1]];
    area += vec2_cross(vec2_sub(b, a), vec2_sub(c, a));
  }
  return area;
}

// The same element with its corners in the other sense: 0 2 1 and the middles of 02, 21, 10; 0 3 2 1 likewise.
static void turn_round(int *nodes, int corners) {
  int old[8];
  for (int k = 0; k < 2 * corners; k++) old[k] = nodes[k];
  for (int k = 1; k < corners; k++) nodes[k] = old[corners - k];
  for (int k = 0; k < corners; k++) nodes[corners + k] = old[2 * corners - 1 - k];
}

static void fill_elements(maker *k, int corners, int *to, int *used) {
  for (int i = 0; i < k->f->element_count; i++) {
    const gmsh_element *e = &k->f->elements[i];
    if (e->count != 2 * corners) continue;
    int *nodes = to + (long)*used * e->count;
    for (int j = 0; j < e->count; j++) nodes[j] = k->index[e->tags[j]];
    if (area_of(k->m, nodes, corners) < 0) turn_round(nodes, corners);
    k->line[k->m->triangle_count + k->m->quad_count] = e->line;
    (*used)++;
  }
}

static bool make_elements(maker *k) {
  int count[9] = {0};
  for (int i = 0; i < k->f->element_count; i++) count[k->f->elements[i].count]++;
  k->m->triangles = arena_alloc(k->memory, (size_t)count[6], sizeof *k->m->triangles);
  k->m->quads = arena_alloc(k->memory, (size_t)count[8], sizeof *k->m->quads);
  k->line = ARENA_ARRAY(k->memory, int, count[6] + count[8]);
  if (count[6]) fill_elements(k, 3, k->m->triangles[0], &k->m->triangle_count);
  if (count[8]) fill_elements(k, 4, k->m->quads[0], &k->m->quad_count);
  const int folded = planar_solid_folded(k->m);
  return folded < 0 || fail_at(k, k->line[folded], "the element is folded or has no area");
}

// --- sides -----------------------------------------------------------------------------------------------------------

// A side between two corners: its middle, and in which sense elements have it.
typedef struct side {
  int from, to, middle;
  int elements;
} side;

typedef struct side_list {
  pairs known;  // from ends to the index of the side
  side *items;
  int count, capacity;
} side_list;

static bool add_side(maker *k, side_list *list, int a, int b, int middle, int line) {
  if (a == b || a == middle || b == middle) return fail_at(k, line, "the element has a node twice");
  const int known = pairs_find(&list->known, a, b);
  if (known < 0) {
    pairs_add(&list->known, a, b, list->count);
    *ARENA_PUSH(k->memory, list->items, list->count, list->capacity) = (side){a, b, middle, 1};
    return true;
  }
  side *s = &list->items[known];
  if (s->middle != middle)
    return fail_at(k, line, "the element has two corners in common with another, but not the middle between them");
  if (s->elements++ > 0 && (s->from == a || s->elements > 2))
    return fail_at(k, line, "the element overlaps another: perhaps its surface is in two physical groups");
  return true;
}

static bool list_sides(maker *k, side_list *list) {
  const triangle_mesh *m = k->m;
  list->known = pairs_create(k->memory);
  for (int i = 0; i < m->triangle_count + m->quad_count; i++) {
    const bool quad = i >= m->triangle_count;
    const int *n = quad ? m->quads[i - m->triangle_count] : m->triangles[i], corners = quad ? 4 : 3;
    for (int j = 0; j < corners; j++)
      if (!add_side(k, list, n[j], n[(j + 1) % corners], n[corners + j], k->line[i])) return false;
  }
  return true;
}

static void list_boundary(maker *k, const side_list *list) {
  triangle_mesh *m = k->m;
  m->boundary = arena_alloc(k->memory, (size_t)list->count, sizeof *m->boundary);
  for (int i = 0; i < list->count; i++) {
    const side *s = &list->items[i];
    if (s->elements != 1) continue;
    int *to = m->boundary[m->boundary_count++];
    to[0] = s->from, to[1] = s->to, to[2] = s->middle;
  }
}

static int root_of(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

// Every node is reached over sides.
static bool check_joined(maker *k, const side_list *list) {
  const int n = k->m->node_count;
  int *up = ARENA_ARRAY(k->memory, int, n), parts = n;
  for (int i = 0; i < n; i++) up[i] = i;
  for (int i = 0; i < list->count; i++) {
    const side *s = &list->items[i];
    for (int j = 0; j < 2; j++) {
      const int a = root_of(up, j ? s->to : s->from), b = root_of(up, s->middle);
      if (a != b) up[a] = b, parts--;
    }
  }
  return parts == 1 || lines_fail_whole(k->l, "its elements are in %d parts that share no side", parts);
}

// --- groups ----------------------------------------------------------------------------------------------------------

static void add_group_node(gmsh_group *g, int node, const void **seen) {
  if (seen[node] == g) return;
  seen[node] = g;
  g->nodes[g->node_count++] = node;
}

// Points and sides of a group that belong to the mesh. Sides that no element has are left out.
static void fill_group(maker *k, const gmsh_list *from, const side_list *sides, const void **seen, gmsh_group *to) {
  *to = from->group;
  to->nodes = ARENA_ARRAY(k->memory, int, 3 * from->count + 1);
  to->sides = arena_alloc(k->memory, (size_t)from->count + 1, sizeof *to->sides);
  for (int i = 0; i < from->count; i++) {
    const gmsh_element *e = &k->f->elements[from->elements[i]];
    int node[3] = {-1, -1, -1};
    for (int j = 0; j < e->count; j++) node[j] = k->index[e->tags[j]];
    if (e->count == 1 && node[0] >= 0) add_group_node(to, node[0], seen);
    if (e->count != 3 || node[0] < 0 || node[1] < 0 || node[0] == node[1]) continue;
    const int known = pairs_find(&sides->known, node[0], node[1]);
    if (known < 0) continue;
    const side *s = &sides->items[known];
    int *kept = to->sides[to->side_count++];
    kept[0] = s->from, kept[1] = s->to, kept[2] = s->middle;
    for (int j = 0; j < 3; j++) add_group_node(to, kept[j], seen);
  }
}

bool gmsh_read(const char *bytes, size_t length, double scale, arena *memory, gmsh_mesh *to, char why[LINES_WHY]) {
  lines l = lines_start(bytes, length, why);
  gmsh_file file;
  side_list sides = {0};
  *to = (gmsh_mesh){0};
  if (length > GMSH_BYTES_MAX) return lines_fail_whole(&l, "it has %zu bytes, the limit is %d", length, GMSH_BYTES_MAX);
  maker k = {.l = &l, .memory = memory, .f = &file, .scale = scale, .m = &to->mesh};
  if (!gmsh_file_read(&l, memory, &file) || !has_elements(&k) || !sort_nodes(&k) || !find_nodes(&k) ||
      !keep_nodes(&k) || !make_elements(&k) || !list_sides(&k, &sides) || !check_joined(&k, &sides))
    return false;
  list_boundary(&k, &sides);
  to->groups = ARENA_ARRAY(memory, gmsh_group, file.list_count);
  const void **seen = ARENA_ARRAY(memory, const void *, to->mesh.node_count);  // the group that each node joined last
  for (int i = 0; i < file.list_count; i++)
    fill_group(&k, &file.lists[i], &sides, seen, &to->groups[to->group_count++]);
  return true;
}
