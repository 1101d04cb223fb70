// The nearest points of all triangles to the centre are found, each with the feature it lies on: face, edge or vertex.
// One on an edge or vertex is a local minimum of the distance only if no other triangle with that edge or vertex comes
// nearer; this is the test of the Voronoi region of the feature, and leaves out the edges between triangles of one
// plane.
#include "geometry/terrain.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

// --- triangles of a mesh ---------------------------------------------------------------------------------------------

enum { LEAF = 4, DEPTH = 64 };

typedef struct tree_builder {
  const mesh *m;
  arena *memory;
  terrain_node *nodes;
  int count, capacity;
  int *list;
} tree_builder;

static double component(vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static vec3 least(vec3 a, vec3 b) { return (vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)}; }
static vec3 most(vec3 a, vec3 b) { return (vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)}; }

static double middle(const mesh *m, int triangle, int axis) {
  const int *v = m->triangles[triangle];
  return component(m->vertices[v[0]], axis) + component(m->vertices[v[1]], axis) + component(m->vertices[v[2]], axis);
}

static terrain_node box_around(const tree_builder *b, int first, int count) {
  terrain_node n = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}, first, count};
  for (int i = first; i < first + count; i++)
    for (int k = 0; k < 3; k++) {
      vec3 p = b->m->vertices[b->m->triangles[b->list[i]][k]];
      n.low = least(n.low, p), n.high = most(n.high, p);
    }
  return n;
}

// Moves triangles with smaller middles before the one in the middle of the list (Hoare's selection).
static void halve(const tree_builder *b, int first, int count, int axis) {
  int low = first, high = first + count - 1, at = first + count / 2;
  while (low < high) {
    double pivot = middle(b->m, b->list[(low + high) / 2], axis);
    int i = low, j = high;
    while (i <= j) {
      while (middle(b->m, b->list[i], axis) < pivot) i++;
      while (middle(b->m, b->list[j], axis) > pivot) j--;
      if (i > j) break;
      int moved = b->list[i];
      b->list[i++] = b->list[j], b->list[j--] = moved;
    }
    if (at <= j) high = j;
    else if (at >= i) low = i;
    else break;
  }
}

// Halves the triangles along the longest edge of the box until few are left.
static void divide(tree_builder *b, int node) {
  terrain_node n = b->nodes[node];
  if (n.count <= LEAF) return;
  vec3 size = vec3_sub(n.high, n.low);
  int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2, half = n.count / 2;
  halve(b, n.first, n.count, axis);
  int first = b->count;
  *ARENA_PUSH(b->memory, b->nodes, b->count, b->capacity) = box_around(b, n.first, half);
  *ARENA_PUSH(b->memory, b->nodes, b->count, b->capacity) = box_around(b, n.first + half, n.count - half);
  b->nodes[node].first = first, b->nodes[node].count = 0;
  divide(b, first);
  divide(b, first + 1);
}

static bool overlap(vec3 low, vec3 high, vec3 low2, vec3 high2) {
  return low.x <= high2.x && low2.x <= high.x && low.y <= high2.y && low2.y <= high.y && low.z <= high2.z &&
         low2.z <= high.z;
}

static terrain_triangle triangle_of_mesh(const mesh *m, int k) {
  const int *v = m->triangles[k];
  return (terrain_triangle){
      k, {v[0], v[1], v[2]}, {m->vertices[v[0]], m->vertices[v[1]], m->vertices[v[2]]}, m->normals[k]};
}

static void each_of_leaf(const terrain *t, const terrain_node *n, terrain_visit *visit, void *context) {
  for (int i = n->first; i < n->first + n->count; i++) {
    terrain_triangle triangle = triangle_of_mesh(t->triangles, t->list[i]);
    visit(context, &triangle);
  }
}

static void each_of_mesh(const terrain *t, vec3 low, vec3 high, terrain_visit *visit, void *context) {
  int stack[DEPTH], count = 0;
  stack[count++] = 0;
  while (count) {
    const terrain_node *n = &t->nodes[stack[--count]];
    if (!overlap(n->low, n->high, low, high)) continue;
    if (!n->count) stack[count++] = n->first + 1, stack[count++] = n->first;
    each_of_leaf(t, n, visit, context);
  }
}

static double least_of_box(const terrain_node *b, vec3 n) {
  return n.x * (n.x > 0 ? b->low.x : b->high.x) + n.y * (n.y > 0 ? b->low.y : b->high.y) +
         n.z * (n.z > 0 ? b->low.z : b->high.z);
}

int terrain_lowest(const terrain *t, vec3 n) {
  const mesh *m = t->triangles;
  int stack[DEPTH], count = 0, best = m->triangles[0][0];
  double least = vec3_dot(n, m->vertices[best]);
  stack[count++] = 0;
  while (count) {
    const terrain_node *at = &t->nodes[stack[--count]];
    if (!(least_of_box(at, n) < least)) continue;
    if (!at->count) {  // the lower half is looked at first
      bool swap = least_of_box(&t->nodes[at->first + 1], n) < least_of_box(&t->nodes[at->first], n);
      stack[count++] = at->first + !swap, stack[count++] = at->first + swap;
    }
    for (int i = 3 * at->first; i < 3 * (at->first + at->count); i++) {
      int vertex = m->triangles[t->list[i / 3]][i % 3];
      double here = vec3_dot(n, m->vertices[vertex]);
      if (here < least) least = here, best = vertex;
    }
  }
  return best;
}

void terrain_each_below(const terrain *t, vec3 n, double offset, terrain_visit *visit, void *context) {
  int stack[DEPTH], count = 0;
  stack[count++] = 0;
  while (count) {
    const terrain_node *at = &t->nodes[stack[--count]];
    if (!(least_of_box(at, n) < offset)) continue;
    if (!at->count) stack[count++] = at->first + 1, stack[count++] = at->first;
    each_of_leaf(t, at, visit, context);
  }
}

static const terrain_type of_mesh = {each_of_mesh};

// The depth of the tree is the logarithm of the number of triangles: far below DEPTH.
terrain terrain_of_mesh(const mesh *m, arena *memory) {
  tree_builder b = {.m = m, .memory = memory, .list = ARENA_ARRAY(memory, int, m->triangle_count)};
  for (int i = 0; i < m->triangle_count; i++) b.list[i] = i;
  *ARENA_PUSH(memory, b.nodes, b.count, b.capacity) = box_around(&b, 0, m->triangle_count);
  divide(&b, 0);
  int *owner = ARENA_ARRAY(memory, int, m->vertex_count);
  for (int i = m->triangle_count - 1; i >= 0; i--)
    for (int k = 0; k < 3; k++) owner[m->triangles[i][k]] = i;
  return (terrain){.type = &of_mesh,
                   .low = m->low,
                   .high = m->high,
                   .triangles = m,
                   .nodes = b.nodes,
                   .list = b.list,
                   .owner = owner};
}

// --- triangles of a height field -------------------------------------------------------------------------------------

static vec3 grid_point(const terrain *t, int i, int j) {
  return (vec3){t->low.x + i * t->dx, t->low.y + j * t->dy, t->heights[(long)j * t->nx + i]};
}

static terrain_triangle half_of_cell(const terrain *t, int i, int j, int half) {
  static const int steps[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
  terrain_triangle triangle = {.number = 2 * (j * (t->nx - 1) + i) + half};
  for (int k = 0; k < 3; k++) {
    int x = i + steps[half][k][0], y = j + steps[half][k][1];
    triangle.corners[k] = y * t->nx + x;
    triangle.p[k] = grid_point(t, x, y);
  }
  vec3 n = vec3_cross(vec3_sub(triangle.p[1], triangle.p[0]), vec3_sub(triangle.p[2], triangle.p[0]));
  triangle.normal = vec3_scale(1 / vec3_norm(n), n);
  return triangle;
}

// The cell of a coordinate, at most `last`.
static int cell_of(double from, double size, double x, int last) {
  double cell = floor((x - from) / size);
  return cell < 0 ? 0 : cell > last ? last : (int)cell;
}

static void each_of_heights(const terrain *t, vec3 low, vec3 high, terrain_visit *visit, void *context) {
  if (!overlap(t->low, t->high, low, high)) return;
  int x0 = cell_of(t->low.x, t->dx, low.x, t->nx - 2), x1 = cell_of(t->low.x, t->dx, high.x, t->nx - 2);
  int y0 = cell_of(t->low.y, t->dy, low.y, t->ny - 2), y1 = cell_of(t->low.y, t->dy, high.y, t->ny - 2);
  for (int j = y0; j <= y1; j++)
    for (int i = x0; i <= x1; i++)
      for (int half = 0; half < 2; half++) {
        terrain_triangle triangle = half_of_cell(t, i, j, half);
        visit(context, &triangle);
      }
}

static const terrain_type of_heights = {each_of_heights};

terrain terrain_of_heights(const double *heights, int nx, int ny, double x, double y, double dx, double dy) {
  terrain t = {.type = &of_heights,
               .low = {x, y, DBL_MAX},
               .high = {x + (nx - 1) * dx, y + (ny - 1) * dy, -DBL_MAX},
               .heights = heights,
               .nx = nx,
               .ny = ny,
               .dx = dx,
               .dy = dy};
  for (long i = 0; i < (long)nx * ny; i++) t.low.z = fmin(t.low.z, heights[i]), t.high.z = fmax(t.high.z, heights[i]);
  return t;
}

// --- neighbours ------------------------------------------------------------------------------------------------------

// Across the sides of both halves of a cell: steps in x and y; the half there is the other one.
static bool beside_in_heights(const terrain *t, int number, int k, terrain_triangle *to) {
  static const int steps[2][3][2] = {{{0, -1}, {1, 0}, {0, 0}}, {{0, 0}, {0, 1}, {-1, 0}}};
  int half = number % 2, cell = number / 2, i = cell % (t->nx - 1) + steps[half][k][0],
      j = cell / (t->nx - 1) + steps[half][k][1];
  if (i < 0 || j < 0 || i > t->nx - 2 || j > t->ny - 2) return false;
  *to = half_of_cell(t, i, j, !half);
  return true;
}

bool terrain_beside(const terrain *t, const terrain_triangle *of, int k, vec3 *normal, vec3 *corner) {
  terrain_triangle other;
  if (t->heights) {
    if (!beside_in_heights(t, of->number, k, &other)) return false;
  } else {
    int beside = mesh_beside(t->triangles, of->number, k);
    if (beside < 0) return false;
    other = triangle_of_mesh(t->triangles, beside);
  }
  *normal = other.normal, *corner = other.p[0];
  for (int i = 0; i < 3; i++)
    if (other.corners[i] != of->corners[k] && other.corners[i] != of->corners[(k + 1) % 3]) *corner = other.p[i];
  return vec3_dot(other.normal, other.normal) > 0;
}

// --- the nearest point of a triangle ---------------------------------------------------------------------------------

// Of one triangle.
typedef struct near_point {
  vec3 at;
  double distance;  // of the centre, not signed
  bool inside;      // the centre is on the inner side of the triangle
  int rank;         // corners of the feature: 3 of a face, 2 of an edge, 1 of a vertex
  int corners[3];   // of the triangle, those of the feature first
  int number;
  vec3 normal, edge;
} near_point;

static void set_feature(near_point *n, const terrain_triangle *t, int rank, int a, int b) {
  int c = 3 - a - b;
  n->rank = rank;
  n->corners[0] = t->corners[a], n->corners[1] = t->corners[b], n->corners[2] = t->corners[c];
  n->edge = rank == 2 ? vec3_sub(t->p[b], t->p[a]) : VEC3_ZERO;
}

// The nearest point on the side from corner a to b; `best` holds the nearest so far.
static void try_side(const terrain_triangle *t, vec3 c, int a, int b, double *best, near_point *to) {
  vec3 way = vec3_sub(t->p[b], t->p[a]), from = vec3_sub(c, t->p[a]);
  double s = vec3_dot(from, way) / vec3_dot(way, way);
  vec3 at = s <= 0 ? t->p[a] : s >= 1 ? t->p[b] : vec3_axpy(t->p[a], s, way);
  vec3 d = vec3_sub(c, at);
  double square = vec3_dot(d, d);
  if (!(square < *best)) return;
  *best = square, to->at = at;
  if (s <= 0) set_feature(to, t, 1, a, b);
  else if (s >= 1) set_feature(to, t, 1, b, a);
  else set_feature(to, t, 2, a, b);
}

static near_point nearest_of(const terrain_triangle *t, vec3 c) {
  near_point n = {.number = t->number, .normal = t->normal};
  double height = vec3_dot(t->normal, vec3_sub(c, t->p[0])), best = DBL_MAX;
  n.inside = height < 0;
  bool above = true;
  for (int k = 0; k < 3; k++) {
    vec3 way = vec3_sub(t->p[(k + 1) % 3], t->p[k]);
    if (vec3_dot(vec3_cross(t->normal, way), vec3_sub(c, t->p[k])) < 0) above = false;
  }
  if (above) {
    n.at = vec3_axpy(c, -height, t->normal), n.distance = fabs(height);
    set_feature(&n, t, 3, 0, 1);
    return n;
  }
  for (int k = 0; k < 3; k++) try_side(t, c, k, (k + 1) % 3, &best, &n);
  n.distance = sqrt(best);
  return n;
}

// --- local minima ----------------------------------------------------------------------------------------------------

enum { NEAR_MAX = 256 };

typedef struct near_list {
  vec3 centre;
  double reach;  // farther points do not count
  near_point items[NEAR_MAX];
  int count;
} near_list;

static void collect(void *context, const terrain_triangle *t) {
  near_list *l = context;
  if (t->normal.x == 0 && t->normal.y == 0 && t->normal.z == 0)
    return;  // without an area: its neighbours have its edges
  near_point n = nearest_of(t, l->centre);
  if (n.distance > l->reach) return;
  int at = l->count;
  if (at == NEAR_MAX) {
    at = 0;
    for (int i = 1; i < l->count; i++)
      if (l->items[i].distance > l->items[at].distance) at = i;
    if (l->items[at].distance <= n.distance) return;
  } else l->count++;
  l->items[at] = n;
}

static bool has_feature(const near_point *n, const near_point *of) {
  for (int i = 0; i < of->rank; i++) {
    bool has = false;
    for (int k = 0; k < 3; k++) has |= n->corners[k] == of->corners[i];
    if (!has) return false;
  }
  return true;
}

// Whether another triangle with the same feature stands for it: one that comes nearer or, as near, whose nearest point
// lies on a face rather than an edge, or on an edge rather than a vertex; of two alike the one with the smaller number.
// Distances tell places apart that are 1e-8 of the size from each other; closer ones, over an edge or vertex up to
// rounding, are one place.
static bool is_covered(const near_list *l, const near_point *n, double size) {
  double rounding = 2e-15 * size, close = 1e-7 * size;
  for (int i = 0; i < l->count; i++) {
    const near_point *other = &l->items[i];
    if (other == n || !(has_feature(other, n) || vec3_norm(vec3_sub(other->at, n->at)) <= close)) continue;
    if (other->distance < n->distance - rounding) return true;
    if (other->distance > n->distance + rounding) continue;
    if (other->rank != n->rank ? other->rank > n->rank : other->number < n->number) return true;
  }
  return false;
}

// The material of a height field ends at the border of its grid.
static bool is_beside(const terrain *t, vec3 c) {
  return t->heights && (c.x < t->low.x || c.x > t->high.x || c.y < t->low.y || c.y > t->high.y);
}

static int triangles_with(const near_list *l, const near_point *n) {
  int count = 0;
  for (int i = 0; i < l->count; i++) count += has_feature(&l->items[i], n);
  return count;
}

// Whether an edge, or one of the edges of a vertex, has one triangle only. All triangles of the feature are as near as
// it is.
static bool is_border(const near_list *l, const near_point *n) {
  if (n->rank == 2) return triangles_with(l, n) == 1;
  for (int i = 0; i < l->count; i++) {
    const near_point *t = &l->items[i];
    if (!has_feature(t, n)) continue;
    for (int k = 0; k < 3; k++) {
      near_point edge = {.rank = 2, .corners = {n->corners[0], t->corners[k]}};
      if (t->corners[k] != n->corners[0] && triangles_with(l, &edge) == 1) return true;
    }
  }
  return false;
}

// An edge or vertex is seen from outside if some triangle with it is. Beside the border of an open surface there is
// nothing.
static bool is_inside(const terrain *t, const near_list *l, const near_point *n) {
  if (is_beside(t, l->centre)) return false;
  if (n->rank == 3) return n->inside;
  if (!t->heights && is_border(l, n)) return false;
  vec3 sum = VEC3_ZERO;
  for (int i = 0; i < l->count; i++)
    if (has_feature(&l->items[i], n)) sum = vec3_add(sum, l->items[i].normal);
  return vec3_dot(sum, vec3_sub(l->centre, n->at)) < 0;
}

static terrain_touch touch_of(const near_list *l, const near_point *n, bool inside, double radius) {
  double sign = inside ? -1 : 1;
  terrain_touch t = {.gap = sign * n->distance - radius, .at = n->at, .normal = n->normal, .edge = n->edge};
  if (n->rank < 3 && n->distance > 0) t.normal = vec3_scale(sign / n->distance, vec3_sub(l->centre, n->at));
  for (int k = 0; k < 3; k++) t.corners[k] = k < n->rank ? n->corners[k] : -1;
  return t;
}

// Keeps the nearest, in their order.
static void insert(terrain_touch *to, int *count, terrain_touch t) {
  int k = *count;
  if (k < TERRAIN_TOUCHES) (*count)++;
  else if (to[--k].gap <= t.gap) return;
  for (; k > 0 && to[k - 1].gap > t.gap; k--) to[k] = to[k - 1];
  to[k] = t;
}

static void look(const terrain *t, near_list *l) {
  vec3 reach = {l->reach, l->reach, l->reach};
  l->count = 0;
  t->type->each(t, vec3_sub(l->centre, reach), vec3_add(l->centre, reach), collect, l);
}

static const near_point *nearest_in(const near_list *l) {
  const near_point *best = &l->items[0];
  for (int i = 1; i < l->count; i++)
    if (l->items[i].distance < best->distance) best = &l->items[i];
  return best;
}

static void keep_nearest(near_list *l, double size) {
  double least_distance = l->count ? nearest_in(l)->distance : 0;
  int kept = 0;
  for (int i = 0; i < l->count; i++)
    if (l->items[i].distance <= least_distance + 1e-12 * size) l->items[kept++] = l->items[i];
  l->count = kept;
}

// Where nothing is within reach, the nearest point alone, looked for in boxes that grow.
static void look_farther(const terrain *t, near_list *l, double size) {
  double all = size + vec3_norm(vec3_sub(l->centre, t->low));
  for (l->reach = fmax(l->reach, 1e-3 * size); !l->count && l->reach < 4 * all; l->reach *= 4) look(t, l);
  keep_nearest(l, size);
}

// Of the triangles in the list.
static int find_minima(const terrain *t, const near_list *l, double size, double radius,
                       terrain_touch to[TERRAIN_TOUCHES]) {
  if (!l->count) return 0;
  const near_point *first = nearest_in(l);
  int count = 0;
  if (is_inside(t, l, first)) {  // the nearest way out
    to[count++] = touch_of(l, first, true, radius);
    return count;
  }
  for (int i = 0; i < l->count; i++) {
    const near_point *n = &l->items[i];
    if (is_covered(l, n, size + radius) || is_inside(t, l, n)) continue;
    insert(to, &count, touch_of(l, n, false, radius));
  }
  return count;
}

int terrain_touches(const terrain *t, vec3 centre, double radius, double horizon, terrain_touch to[TERRAIN_TOUCHES]) {
  double size = vec3_norm(vec3_sub(t->high, t->low));
  near_list l;
  l.centre = centre, l.reach = radius + horizon;
  look(t, &l);
  if (!l.count) look_farther(t, &l, size);
  return find_minima(t, &l, size, radius, to);
}

int terrain_touches_within(const terrain *t, vec3 centre, double radius, double horizon, double deepest,
                           terrain_touch to[TERRAIN_TOUCHES]) {
  double size = vec3_norm(vec3_sub(t->high, t->low));
  near_list l;
  l.centre = centre, l.reach = radius + horizon;
  look(t, &l);
  if (!l.count && deepest > l.reach) {
    l.reach = deepest;
    look(t, &l);
    keep_nearest(&l, size);
  }
  return find_minima(t, &l, size, radius, to);
}
