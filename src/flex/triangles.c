#include "flex/triangles.h"

#include "base/pair_index.h"

// Corners alone, before the middles are added.
typedef struct corner_mesh {
  vec2 *points;
  int point_count, point_capacity;
  int (*triangles)[3];
  int count, capacity;
} corner_mesh;

static void add_triangle(arena *memory, corner_mesh *m, int a, int b, int c) {
  int(*t)[3] = ARENA_PUSH(memory, m->triangles, m->count, m->capacity);
  (*t)[0] = a, (*t)[1] = b, (*t)[2] = c;
}

static int add_point(arena *memory, corner_mesh *m, vec2 p) {
  *ARENA_PUSH(memory, m->points, m->point_count, m->point_capacity) = p;
  return m->point_count - 1;
}

static vec2 middle(vec2 a, vec2 b) { return vec2_scale(0.5, vec2_add(a, b)); }

// --- six nodes -------------------------------------------------------------------------------------------------------

static void list_boundary(arena *memory, const int *sides, triangle_mesh *m, int corner_count) {
  int capacity = 0;
  for (int t = 0; t < m->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      const int *corner = m->triangles[t], mid = corner[3 + k];
      if (sides[mid - corner_count] != 1) continue;
      int(*side)[3] = ARENA_PUSH(memory, m->boundary, m->boundary_count, capacity);
      (*side)[0] = corner[k], (*side)[1] = corner[(k + 1) % 3], (*side)[2] = mid;
    }
}

static triangle_mesh add_middles(arena *memory, const corner_mesh *from) {
  const int corners = from->point_count, most = corners + 3 * from->count;
  triangle_mesh m = {.node_count = corners, .triangle_count = from->count};
  m.nodes = ARENA_ARRAY(memory, vec2, most);
  m.triangles = arena_alloc(memory, (size_t)from->count, sizeof *m.triangles);
  int *sides = ARENA_ARRAY(memory, int, most);  // of each middle, triangles that have it
  pairs known = pairs_create(memory);
  for (int i = 0; i < corners; i++) m.nodes[i] = from->points[i];
  for (int t = 0; t < from->count; t++)
    for (int k = 0; k < 3; k++) {
      const int a = from->triangles[t][k], b = from->triangles[t][(k + 1) % 3];
      int mid = pairs_find(&known, a, b);
      if (mid < 0) {
        mid = m.node_count++;
        pairs_add(&known, a, b, mid);
        m.nodes[mid] = middle(m.nodes[a], m.nodes[b]);
      }
      m.triangles[t][k] = a, m.triangles[t][3 + k] = mid;
      sides[mid - corners]++;
    }
  list_boundary(memory, sides, &m, corners);
  return m;
}

void triangles_shape(double r, double s, double shape[6], double along_r[6], double along_s[6]) {
  const double t = 1 - r - s;
  const double N[6] = {t * (2 * t - 1), r * (2 * r - 1), s * (2 * s - 1), 4 * t * r, 4 * r * s, 4 * s * t};
  const double R[6] = {1 - 4 * t, 4 * r - 1, 0, 4 * (t - r), 4 * s, -4 * s};
  const double S[6] = {1 - 4 * t, 0, 4 * s - 1, -4 * r, 4 * r, 4 * (t - s)};
  for (int k = 0; k < 6; k++) shape[k] = N[k], along_r[k] = R[k], along_s[k] = S[k];
}

// Serendipity functions: of a corner ¼ (1 + ar)(1 + bs)(ar + bs - 1), of a middle ½ (1 - r²)(1 + bs) or ½ (1 - s²)(1 +
// ar).
void quads_shape(double r, double s, double shape[8], double along_r[8], double along_s[8]) {
  static const int a[8] = {-1, 1, 1, -1, 0, 1, 0, -1}, b[8] = {-1, -1, 1, 1, -1, 0, 1, 0};
  for (int k = 0; k < 8; k++) {
    const double u = 1 + a[k] * r, v = 1 + b[k] * s;
    if (k < 4) {
      shape[k] = u * v * (u + v - 3) / 4;
      along_r[k] = a[k] * v * (2 * u + v - 3) / 4, along_s[k] = b[k] * u * (u + 2 * v - 3) / 4;
    } else if (a[k] == 0) {
      shape[k] = (1 - r * r) * v / 2, along_r[k] = -r * v, along_s[k] = b[k] * (1 - r * r) / 2;
    } else {
      shape[k] = (1 - s * s) * u / 2, along_r[k] = a[k] * (1 - s * s) / 2, along_s[k] = -s * u;
    }
  }
}

// Middles of the boundary onto a circle about the origin.
static void bend_boundary(triangle_mesh *m, double radius) {
  for (int k = 0; k < m->boundary_count; k++) {
    vec2 *mid = &m->nodes[m->boundary[k][2]];
    *mid = vec2_scale(radius, vec2_unit(*mid));
  }
}

// --- refinement ------------------------------------------------------------------------------------------------------

static double distance_to_side(vec2 p, vec2 a, vec2 b) {
  const vec2 along = vec2_sub(b, a), off = vec2_sub(p, a);
  const double s = fmin(fmax(vec2_dot(off, along) / vec2_dot(along, along), 0), 1);
  return vec2_norm(vec2_axpy(off, -s, along));
}

static double area_of(vec2 a, vec2 b, vec2 c) { return vec2_cross(vec2_sub(b, a), vec2_sub(c, a)) / 2; }

static bool holds_point(vec2 a, vec2 b, vec2 c, vec2 p) {
  return area_of(a, b, p) >= 0 && area_of(b, c, p) >= 0 && area_of(c, a, p) >= 0;
}

// How long the sides of a triangle may be.
static double longest_allowed(const corner_mesh *m, int t, const mesh_refinement *r) {
  const int *c = m->triangles[t];
  const vec2 p[3] = {m->points[c[0]], m->points[c[1]], m->points[c[2]]};
  double least = INFINITY;
  for (int i = 0; i < r->count; i++) {
    double distance = holds_point(p[0], p[1], p[2], r->at[i]) ? 0 : INFINITY;
    for (int k = 0; k < 3; k++) distance = fmin(distance, distance_to_side(r->at[i], p[k], p[(k + 1) % 3]));
    least = fmin(least, distance);
  }
  return fmax(r->size, r->growth * least);
}

static double length_of(const corner_mesh *m, int a, int b) { return vec2_norm(vec2_sub(m->points[a], m->points[b])); }

// Whether the side a, b comes after the side c, d in one order of all sides: by length, then by their ends.
static bool is_longer(const corner_mesh *m, int a, int b, int c, int d) {
  const double one = length_of(m, a < b ? a : b, a < b ? b : a), two = length_of(m, c < d ? c : d, c < d ? d : c);
  if (one != two) return one > two;
  const int low = a < b ? a : b, other = c < d ? c : d;
  return low != other ? low < other : a + b < c + d;
}

// The longest side of a triangle: from its corner k to the next.
static int longest_of(const corner_mesh *m, int t) {
  const int *c = m->triangles[t];
  int best = 0;
  for (int k = 1; k < 3; k++)
    if (is_longer(m, c[k], c[(k + 1) % 3], c[best], c[(best + 1) % 3])) best = k;
  return best;
}

// The triangle that has the side a, b in the other order; -1 at the boundary. `k` receives which of its sides it is.
static int neighbour_of(const corner_mesh *m, int a, int b, int *k) {
  for (int t = 0; t < m->count; t++)
    for (*k = 0; *k < 3; ++*k)
      if (m->triangles[t][*k] == b && m->triangles[t][(*k + 1) % 3] == a) return t;
  return -1;
}

// Divides a triangle by the line from a point on its side k to the opposite corner.
static void divide(arena *memory, corner_mesh *m, int t, int k, int point) {
  const int a = m->triangles[t][k], b = m->triangles[t][(k + 1) % 3], c = m->triangles[t][(k + 2) % 3];
  m->triangles[t][0] = a, m->triangles[t][1] = point, m->triangles[t][2] = c;
  add_triangle(memory, m, point, b, c);
}

// Rivara: where the longest side of the neighbour is another one, the neighbour is divided first. Sides become longer
// on the way in their one order, so that this ends.
static void divide_longest(arena *memory, corner_mesh *m, int t, double radius) {
  for (bool done = false; !done;) {
    int one = t, side = longest_of(m, t), other_side, other;
    for (;;) {
      const int a = m->triangles[one][side], b = m->triangles[one][(side + 1) % 3];
      other = neighbour_of(m, a, b, &other_side);
      if (other < 0 || longest_of(m, other) == other_side) break;
      one = other, side = longest_of(m, one);
    }
    const int a = m->triangles[one][side], b = m->triangles[one][(side + 1) % 3];
    vec2 point = middle(m->points[a], m->points[b]);
    if (other < 0 && radius > 0) point = vec2_scale(radius, vec2_unit(point));
    const int added = add_point(memory, m, point);
    done = one == t || other == t;
    divide(memory, m, one, side, added);
    if (other >= 0) divide(memory, m, other, other_side, added);
  }
}

bool triangles_refine(arena *memory, const mesh_refinement *r, double radius, triangle_mesh *m) {
  corner_mesh c = {0};
  int corners = 0;
  for (int t = 0; t < m->triangle_count; t++) {
    const int *n = m->triangles[t];
    add_triangle(memory, &c, n[0], n[1], n[2]);
    for (int k = 0; k < 3; k++) corners = n[k] >= corners ? n[k] + 1 : corners;
  }
  for (int i = 0; i < corners; i++) add_point(memory, &c, m->nodes[i]);
  for (int t = 0; t < c.count && c.count < TRIANGLES_MOST;) {
    const int k = longest_of(&c, t);
    if (length_of(&c, c.triangles[t][k], c.triangles[t][(k + 1) % 3]) <= longest_allowed(&c, t, r) * (1 + 1e-9)) t++;
    else divide_longest(memory, &c, t, radius);
  }
  *m = add_middles(memory, &c);
  if (radius > 0) bend_boundary(m, radius);
  return c.count < TRIANGLES_MOST;
}

// --- disc and rectangle ----------------------------------------------------------------------------------------------

// Point k of ring i, which has 6 i points behind those of the rings before it.
static int ring_point(int i, int k) { return i == 0 ? 0 : 1 + 3 * i * (i - 1) + k % (6 * i); }

triangle_mesh triangles_disc(arena *memory, double radius, int rings) {
  corner_mesh m = {0};
  add_point(memory, &m, (vec2){0, 0});
  for (int i = 1; i <= rings; i++)
    for (int k = 0; k < 6 * i; k++) {
      const double angle = M_PI * k / (3 * i), r = radius * i / rings;
      add_point(memory, &m, (vec2){r * cos(angle), r * sin(angle)});
    }
  for (int i = 1; i <= rings; i++)
    for (int k = 0; k < 6 * i; k++) {
      const int sector = k / i, inner = sector * (i - 1) + k % i;
      add_triangle(memory, &m, ring_point(i - 1, inner), ring_point(i, k), ring_point(i, k + 1));
      if (k % i < i - 1)
        add_triangle(memory, &m, ring_point(i - 1, inner), ring_point(i, k + 1), ring_point(i - 1, inner + 1));
    }
  triangle_mesh disc = add_middles(memory, &m);
  bend_boundary(&disc, radius);
  return disc;
}

// Diagonals alternate, so that no direction is preferred.
triangle_mesh triangles_rectangle(arena *memory, double width, double height, int columns, int rows) {
  corner_mesh m = {0};
  for (int j = 0; j <= rows; j++)
    for (int i = 0; i <= columns; i++)
      add_point(memory, &m, (vec2){width * ((double)i / columns - 0.5), height * ((double)j / rows - 0.5)});
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < columns; i++) {
      const int a = j * (columns + 1) + i, b = a + 1, c = b + columns + 1, d = c - 1;
      if ((i + j) % 2) add_triangle(memory, &m, a, b, c), add_triangle(memory, &m, a, c, d);
      else add_triangle(memory, &m, a, b, d), add_triangle(memory, &m, b, c, d);
    }
  return add_middles(memory, &m);
}

// --- polygon ---------------------------------------------------------------------------------------------------------

// Whether the corner k of what is left can be cut off: it is convex and no other corner is in its triangle.
static bool is_ear(const vec2 *p, const int *left, int count, int k, double least) {
  const int before = left[(k + count - 1) % count], at = left[k], after = left[(k + 1) % count];
  if (!(area_of(p[before], p[at], p[after]) > least)) return false;
  for (int i = 0; i < count; i++)
    if (left[i] != before && left[i] != at && left[i] != after && holds_point(p[before], p[at], p[after], p[left[i]]))
      return false;
  return true;
}

// Cuts ears until none is left. `left` lists the corners counter-clockwise. Returns false where no corner can be cut
// off.
static bool cut_ears(arena *memory, corner_mesh *m, int *left, int count, double least) {
  while (count > 2) {
    int k = 0;
    while (k < count && !is_ear(m->points, left, count, k, least)) k++;
    if (k == count) return false;
    add_triangle(memory, m, left[(k + count - 1) % count], left[k], left[(k + 1) % count]);
    for (count--; k < count; k++) left[k] = left[k + 1];
  }
  return true;
}

// Whether d is inside the circle through a, b, c, beyond rounding.
static bool in_circle(vec2 a, vec2 b, vec2 c, vec2 d) {
  const vec2 u = vec2_sub(a, d), v = vec2_sub(b, d), w = vec2_sub(c, d);
  const double uu = vec2_dot(u, u), vv = vec2_dot(v, v), ww = vec2_dot(w, w);
  const double size = uu * vv + vv * ww + ww * uu;
  return uu * vec2_cross(v, w) + vv * vec2_cross(w, u) + ww * vec2_cross(u, v) > 1e-12 * size;
}

// The side of triangle t that has the ends a, b in the other order; -1 if it has none.
static int side_of(const int *t, int a, int b) {
  for (int k = 0; k < 3; k++)
    if (t[k] == b && t[(k + 1) % 3] == a) return k;
  return -1;
}

// Replaces the common side of two triangles by the other diagonal if that makes their angles better (Delaunay).
static bool flip(corner_mesh *m, int s, int t) {
  for (int k = 0; k < 3; k++) {
    int *one = m->triangles[s], *two = m->triangles[t];
    const int a = one[k], b = one[(k + 1) % 3], c = one[(k + 2) % 3], side = side_of(two, a, b);
    if (side < 0) continue;
    const int d = two[(side + 2) % 3];
    if (!in_circle(m->points[a], m->points[b], m->points[c], m->points[d])) return false;
    one[0] = a, one[1] = d, one[2] = c;
    two[0] = d, two[1] = b, two[2] = c;
    return true;
  }
  return false;
}

static void make_delaunay(corner_mesh *m) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int s = 0; s < m->count; s++)
      for (int t = 0; t < s; t++)
        if (flip(m, s, t)) changed = true;
  }
}

static double longest_side(const corner_mesh *m) {
  double longest = 0;
  for (int t = 0; t < m->count; t++)
    for (int k = 0; k < 3; k++)
      longest =
          fmax(longest, vec2_norm(vec2_sub(m->points[m->triangles[t][k]], m->points[m->triangles[t][(k + 1) % 3]])));
  return longest;
}

// Each triangle into four.
static corner_mesh halve(arena *memory, const corner_mesh *from) {
  const triangle_mesh six = add_middles(memory, from);
  corner_mesh m = {.points = six.nodes, .point_count = six.node_count, .point_capacity = six.node_count};
  for (int t = 0; t < six.triangle_count; t++) {
    const int *n = six.triangles[t];
    add_triangle(memory, &m, n[0], n[3], n[5]);
    add_triangle(memory, &m, n[3], n[1], n[4]);
    add_triangle(memory, &m, n[5], n[4], n[2]);
    add_triangle(memory, &m, n[3], n[4], n[5]);
  }
  return m;
}

static bool sides_cross(vec2 a, vec2 b, vec2 c, vec2 d) {
  return area_of(a, b, c) * area_of(a, b, d) <= 0 && area_of(c, d, a) * area_of(c, d, b) <= 0;
}

static bool crosses_itself(const vec2 *p, int count) {
  for (int i = 0; i < count; i++)
    for (int j = i + 2; j < count - (i == 0); j++)
      if (sides_cross(p[i], p[i + 1], p[j], p[(j + 1) % count])) return true;
  return false;
}

bool triangles_polygon(arena *memory, const vec2 *corners, int count, double longest, triangle_mesh *to) {
  corner_mesh m = {0};
  double area = 0, size = 0;
  for (int i = 0; i < count; i++) {
    add_point(memory, &m, corners[i]);
    area += area_of(corners[0], corners[i], corners[(i + 1) % count]);
    size = fmax(size, vec2_norm(vec2_sub(corners[i], corners[0])));
  }
  if (count < 3 || !(fabs(area) > 1e-12 * size * size) || crosses_itself(corners, count)) return false;
  int *left = ARENA_ARRAY(memory, int, count);
  for (int i = 0; i < count; i++) left[i] = area > 0 ? i : count - 1 - i;
  if (!cut_ears(memory, &m, left, count, 1e-14 * size * size)) return false;
  make_delaunay(&m);
  while (longest_side(&m) > longest) {
    if (m.count > TRIANGLES_MOST / 4) return false;
    m = halve(memory, &m);
  }
  *to = add_middles(memory, &m);
  return true;
}
