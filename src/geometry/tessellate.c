#include "geometry/tessellate.h"

#include <math.h>

// --- angles ----------------------------------------------------------------------------------------------------------

// Deeper than the cap itself, so that its border lies among the narrow strips.
#define MARGIN 1.1

// Half the angle of a cap of that depth on a circle of that radius, at most a right angle.
static double cap_angle(double depth, double radius) {
  double part = MARGIN * depth / radius;
  return part < 1 ? 2 * asin(sqrt(part / 2)) : M_PI / 2;
}

// By this factor corners stick out of a circle whose area the polygon has, `width` apart.
static double outset(double width) { return width > 0 ? sqrt(width / sin(width)) : 1; }

// Angles from `from` to `to` in so many strips, the first as wide as `narrow` or wider, each wider than the one before
// by the same factor.
static void spread(double from, double to, double narrow, int strips, double *angles) {
  double ratio = (to - from) / (strips * narrow), grow = ratio > 1 ? fmin(1.6 * log(ratio), 3) : 0;
  for (int i = 1; i <= strips; i++) {
    double part = (double)i / strips;
    angles[i - 1] = from + (to - from) * (grow > 1e-9 ? expm1(grow * part) / expm1(grow) : part);
  }
}

// The corners of a circle of radius 1, even within `cap` of the direction (x, y). A polygon with corners at √(a/sin a),
// a the angle between them, has the area of the circle.
static void set_rim(double x, double y, double cap, int count, double rim[][2]) {
  int quarter = count / 4, half = count / 2;
  double size = hypot(x, y), angles[TESSELLATE_RIM / 2 + 1], c = size > 1e-12 ? x / size : 1,
         s = size > 1e-12 ? y / size : 0;
  for (int i = 0; i <= quarter; i++) angles[i] = cap * i / quarter;
  spread(cap, M_PI, cap / quarter, quarter, angles + quarter + 1);
  for (int i = 0; i < count; i++) {
    int k = i <= half ? i : count - i;
    double before = k > 0 ? angles[k - 1] : -angles[1], after = k < half ? angles[k + 1] : 2 * M_PI - angles[k - 1];
    double width =
        fmin(after - angles[k], angles[k] - before);  // the narrower side: a corner must not stick out of the cap
    double off = outset(width), cosine = off * cos(angles[k]), sine = (i <= half ? off : -off) * sin(angles[k]);
    rim[i][0] = c * cosine - s * sine, rim[i][1] = s * cosine + c * sine;
  }
}

// --- faces -----------------------------------------------------------------------------------------------------------

static void begin(tessellation *to) {
  to->hull = (polytope){.vertices = to->vertices, .faces = to->faces, .corners = to->corners};
}

static int add_vertex(tessellation *to, double x, double y, double z) {
  to->vertices[to->hull.vertex_count] = (vec3){x, y, z};
  return to->hull.vertex_count++;
}

static void add_corner(tessellation *to, int vertex) { to->corners[to->hull.corner_count++] = vertex; }

// The normal of a face by its diagonals. Returns zero if it has no area but by rounding: rings may lie on each other,
// or all in the pole.
static vec3 normal_of(const tessellation *to, const int *c, int count) {
  vec3 d = vec3_sub(to->vertices[c[2]], to->vertices[c[0]]),
       e = vec3_sub(to->vertices[c[count - 1]], to->vertices[c[1]]), n = vec3_cross(d, e);
  double a = vec3_norm(d), b = vec3_norm(e), length = vec3_norm(n), size = vec3_norm(to->vertices[c[0]]);
  bool has_area = a > 1e-14 * size && b > 1e-14 * size && length > 1e-12 * a * b;
  return has_area ? vec3_scale(1 / length, n) : VEC3_ZERO;
}

// Ends the face of the corners since `first`; without a normal of its own, that of its diagonals. A face without an
// area is left out.
static void end_face(tessellation *to, int first, vec3 normal) {
  const int *c = to->corners + first;
  int count = to->hull.corner_count - first;
  if (vec3_dot(normal, normal) == 0) normal = normal_of(to, c, count);
  if (vec3_dot(normal, normal) == 0) {
    to->hull.corner_count = first;
    return;
  }
  to->faces[to->hull.face_count++] = (polytope_face){normal, vec3_dot(normal, to->vertices[c[0]]), first, count};
}

// The disc of a ring of vertices that looks up or down.
static void add_disc(tessellation *to, int ring, int count, double up) {
  int first = to->hull.corner_count;
  for (int i = 0; i < count; i++) add_corner(to, ring + (up > 0 ? i : count - 1 - i));
  end_face(to, first, (vec3){0, 0, up});
}

// What is between a ring and the next one above it.
static void add_side(tessellation *to, int low, int high, int count) {
  for (int i = 0; i < count; i++) {
    int next = (i + 1) % count, first = to->hull.corner_count;
    add_corner(to, low + i), add_corner(to, low + next), add_corner(to, high + next), add_corner(to, high + i);
    end_face(to, first, VEC3_ZERO);
  }
}

static int add_ring(tessellation *to, double radius, double z, double rim[][2], int count) {
  int first = to->hull.vertex_count;
  for (int i = 0; i < count; i++) add_vertex(to, radius * rim[i][0], radius * rim[i][1], z);
  return first;
}

// --- shapes ----------------------------------------------------------------------------------------------------------

void tessellate(const convex *s, vec3 n, double depth, tessellation *to) {
  begin(to);
  s->type->tessellate(s, n, depth, to);
}

void tessellate_cylinder(const convex *s, vec3 n, double depth, tessellation *to) {
  double radius = s->size[0], half = s->size[1], rim[TESSELLATE_RIM][2];
  set_rim(n.x, n.y, cap_angle(depth, radius * hypot(n.x, n.y)), TESSELLATE_RIM, rim);
  int low = add_ring(to, radius, -half, rim, TESSELLATE_RIM), high = add_ring(to, radius, half, rim, TESSELLATE_RIM);
  add_side(to, low, high, TESSELLATE_RIM);
  add_disc(to, low, TESSELLATE_RIM, -1), add_disc(to, high, TESSELLATE_RIM, 1);
}

// Where the tip is pressed in, and the rim is farther out by `beyond`, a side line is in up to depth/(beyond + r (1 -
// cos φ)) of its length: what counts are those for which that is not much less than the most.
void tessellate_cone(const convex *s, vec3 n, double depth, tessellation *to) {
  double radius = s->size[0], half = s->size[1], across = radius * hypot(n.x, n.y), beyond = 2 * half * n.z - across,
         rim[TESSELLATE_RIM][2];
  set_rim(n.x, n.y, cap_angle(fmax(depth, 3 * beyond), across), TESSELLATE_RIM, rim);
  int low = add_ring(to, radius, -half, rim, TESSELLATE_RIM), tip = add_vertex(to, 0, 0, half);
  for (int i = 0; i < TESSELLATE_RIM; i++) {
    int first = to->hull.corner_count;
    add_corner(to, low + i), add_corner(to, low + (i + 1) % TESSELLATE_RIM), add_corner(to, tip);
    end_face(to, first, VEC3_ZERO);
  }
  add_disc(to, low, TESSELLATE_RIM, -1);
}

// The rings of a half sphere, from its equator to its pole, close together where it looks along n at the angle `look`
// over the equator.
static void add_rings(const convex *s, double end, double look, double cap, double rim[][2], tessellation *to,
                      int *rings) {
  enum { FINE = 10, COARSE = (TESSELLATE_RINGS - FINE) / 2 };
  double from = fmax(look - cap, 0), up = fmin(look + cap, M_PI / 2), narrow = (up - from) / FINE,
         angles[TESSELLATE_RINGS + 1];
  double below[COARSE], above[COARSE], off = outset(narrow);
  spread(0, from, narrow, COARSE, below), spread(up, M_PI / 2, narrow, COARSE, above);
  for (int i = 0; i < COARSE; i++) angles[COARSE - 1 - i] = from - below[i], angles[COARSE + FINE + 1 + i] = above[i];
  for (int i = 0; i <= FINE; i++) angles[COARSE + i] = from + i * narrow;
  for (int j = 0; j <= TESSELLATE_RINGS; j++) {
    double radius = s->layer * fmin(off * cos(angles[j]), 1),
           rise = j > 0 ? off * s->layer * sin(angles[j]) : 0;  // no wider than the side
    rings[j] = add_ring(to, fmax(radius, 0), end * (s->size[0] + rise), rim, TESSELLATE_ROUND);
  }
}

void tessellate_capsule(const convex *s, vec3 n, double depth, tessellation *to) {
  double across = hypot(n.x, n.y), cap = cap_angle(depth, s->layer), rim[TESSELLATE_ROUND][2];
  int low[TESSELLATE_RINGS + 1], high[TESSELLATE_RINGS + 1];
  set_rim(n.x, n.y, cap_angle(depth, s->layer * across * across), TESSELLATE_ROUND,
          rim);  // the circle through what looks along n is smaller
  add_rings(s, -1, atan2(fmax(-n.z, 0), across), cap, rim, to, low),
      add_rings(s, 1, atan2(fmax(n.z, 0), across), cap, rim, to, high);
  add_side(to, low[0], high[0], TESSELLATE_ROUND);
  for (int j = 0; j < TESSELLATE_RINGS; j++) {
    add_side(to, high[j], high[j + 1], TESSELLATE_ROUND);
    add_side(to, low[j + 1], low[j], TESSELLATE_ROUND);
  }
}

// --- ellipsoids ------------------------------------------------------------------------------------------------------

enum { FINE_RINGS = 8, ALL_RINGS = 2 * TESSELLATE_RINGS };

// Rings of a unit sphere around a pole in the direction u, close together within `cap` of it. Corners lie off the
// sphere so that caps have their volume.
static void set_globe(vec3 u, double cap, int rings, int corners, vec3 at[][TESSELLATE_ROUND]) {
  double angles[ALL_RINGS + 1], narrow = cap / FINE_RINGS, off = outset(narrow), round = outset(2 * M_PI / corners);
  vec3 t[2];
  vec3_tangents(u, t);
  for (int j = 0; j <= FINE_RINGS; j++) angles[j] = j * narrow;
  spread(cap, M_PI, narrow, rings - FINE_RINGS, angles + FINE_RINGS + 1);
  for (int j = 0; j <= rings; j++)
    for (int i = 0; i < corners; i++) {
      double turn = 2 * M_PI * i / corners, across = off * round * sin(angles[j]);
      vec3 p = vec3_scale(off * cos(angles[j]), u);
      at[j][i] = j == rings ? vec3_neg(u) : vec3_axpy(vec3_axpy(p, across * cos(turn), t[0]), across * sin(turn), t[1]);
    }
}

static vec3 scaled(const convex *s, vec3 p) { return (vec3){s->size[0] * p.x, s->size[1] * p.y, s->size[2] * p.z}; }

// An ellipsoid is a sphere, scaled along its axes, and so are its caps.
void tessellate_ellipsoid(const convex *s, vec3 n, double depth, tessellation *to) {
  vec3 at[ALL_RINGS + 1][TESSELLATE_ROUND], u = scaled(s, n);
  double height = vec3_norm(u);
  int ring = 0;
  set_globe(vec3_scale(1 / height, u), cap_angle(depth, height), ALL_RINGS, TESSELLATE_ROUND, at);
  for (int j = 0; j <= ALL_RINGS; j++) {
    int first = to->hull.vertex_count;
    for (int i = 0; i < TESSELLATE_ROUND; i++) {
      vec3 p = scaled(s, at[j][i]);
      add_vertex(to, p.x, p.y, p.z);
    }
    if (j > 0) add_side(to, first, ring, TESSELLATE_ROUND);
    ring = first;
  }
}

// The point of a superellipsoid in a direction of the scaled axes: its surface is where a norm of norms is 1.
static vec3 on_superellipsoid(const convex *s, vec3 p) {
  double x = fabs(p.x), y = fabs(p.y), z = fabs(p.z),
         across = pow(pow(x, 2 / s->size[4]) + pow(y, 2 / s->size[4]), s->size[4] / 2);
  double norm = pow(pow(across, 2 / s->size[3]) + pow(z, 2 / s->size[3]), s->size[3] / 2), length = vec3_norm(p);
  return scaled(s, vec3_scale(length / norm, p));
}

// The largest angle to u at which a point is no farther than the depth below the highest one along n.
static double cap_around(const convex *s, vec3 u, vec3 n, double depth) {
  enum { AROUND = 8, HALVINGS = 20 };
  double most = vec3_dot(n, convex_support(s, n)) - MARGIN * depth, cap = 1e-6;
  vec3 t[2];
  vec3_tangents(u, t);
  for (int i = 0; i < AROUND; i++) {
    vec3 across = vec3_axpy(vec3_scale(cos(2 * M_PI * i / AROUND), t[0]), sin(2 * M_PI * i / AROUND), t[1]);
    double low = 0, high = M_PI / 2;
    for (int k = 0; k < HALVINGS; k++) {
      double angle = 0.5 * (low + high);
      vec3 p = on_superellipsoid(s, vec3_axpy(vec3_scale(cos(angle), u), sin(angle), across));
      if (vec3_dot(n, p) > most) low = angle;
      else high = angle;
    }
    cap = fmax(cap, low);
  }
  return cap;
}

// Its quadrangles are not flat: each is two triangles.
void tessellate_superellipsoid(const convex *s, vec3 n, double depth, tessellation *to) {
  enum { RINGS = 15, CORNERS = 16 };
  vec3 at[ALL_RINGS + 1][TESSELLATE_ROUND], top = convex_support(s, n),
                                            u = {top.x / s->size[0], top.y / s->size[1], top.z / s->size[2]};
  u = vec3_scale(1 / vec3_norm(u), u);
  set_globe(u, cap_around(s, u, n, depth), RINGS, CORNERS, at);
  for (int j = 0; j <= RINGS; j++)
    for (int i = 0; i < CORNERS; i++) {
      vec3 p = on_superellipsoid(s, at[j][i]);
      add_vertex(to, p.x, p.y, p.z);
    }
  for (int j = 0; j < RINGS; j++)
    for (int i = 0; i < CORNERS; i++) {
      int next = (i + 1) % CORNERS, high = j * CORNERS, low = high + CORNERS,
          quad[4] = {low + i, low + next, high + next, high + i};
      for (int k = 0; k < 2; k++) {
        int first = to->hull.corner_count;
        add_corner(to, quad[0]), add_corner(to, quad[1 + k]), add_corner(to, quad[2 + k]);
        end_face(to, first, VEC3_ZERO);
      }
    }
}
