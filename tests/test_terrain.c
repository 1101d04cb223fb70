// Spheres on surfaces of triangles: on a plane they see the plane, whatever its triangles, and elsewhere the nearest
// triangles.
#include <float.h>

#include "runs.h"

#include "geometry/terrain.h"

static arena memory, spare;
static jmp_buf out_of_memory;

enum { CELLS = 12, POINTS = (CELLS + 1) * (CELLS + 1) };

// A sheet of 1 m times 1 m: a grid whose inner points are moved in the sheet, so that its triangles are of many shapes.
static mesh sheet(pose at, double (*height)(double x, double y)) {
  static vec3 points[POINTS];
  static int triangles[2 * CELLS * CELLS][3];
  mesh_soup soup = {.points = points, .point_count = POINTS, .triangles = triangles};
  for (int j = 0; j <= CELLS; j++)
    for (int i = 0; i <= CELLS; i++) {
      bool inner = i > 0 && i < CELLS && j > 0 && j < CELLS;
      double x = (i + (inner ? uniform(-0.3, 0.3) : 0)) / CELLS, y = (j + (inner ? uniform(-0.3, 0.3) : 0)) / CELLS;
      points[j * (CELLS + 1) + i] = pose_point(at, (vec3){x, y, height(x, y)});
    }
  for (int j = 0; j < CELLS; j++)
    for (int i = 0; i < CELLS; i++) {
      int a = j * (CELLS + 1) + i, b = a + 1, c = b + CELLS + 1, d = a + CELLS + 1;
      int split[2][2][3] = {{{a, b, c}, {a, c, d}}, {{a, b, d}, {b, c, d}}}, way = uniform(0, 1) < 0.5;
      for (int k = 0; k < 2; k++) memcpy(triangles[soup.triangle_count++], split[way][k], sizeof split[way][k]);
    }
  mesh m;
  CHECK(mesh_build(&soup, 1e-9, &memory, &spare, &m));
  return m;
}

static double flat(double x, double y) { return (void)x, (void)y, 0; }
static double waves(double x, double y) { return 0.08 * sin(9 * x) * cos(7 * y); }

static pose tilted(void) {
  vec3 r = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
  return (pose){quat_matrix(quat_exp(r)), {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}};
}

// --- planes ----------------------------------------------------------------------------------------------------------

typedef struct seen {
  double gap, normal;
  int several;
} seen;

static void compare_with_plane(const terrain *t, pose at, vec3 place, double radius, double gap, seen *s) {
  terrain_touch touch[TERRAIN_TOUCHES];
  int count = terrain_touches(t, pose_point(at, place), radius, 0.01, touch);
  if (count != 1) {
    s->several++;
    return;
  }
  s->gap = fmax(s->gap, fabs(touch->gap - gap));
  s->normal = fmax(s->normal, vec3_norm(vec3_sub(touch->normal, mat3_column(at.R, 2))));
}

// Over faces, exactly over vertices, and exactly over the middles of edges.
static void a_plane_of_triangles_is_a_plane(void) {
  check_seed = 3;
  const double radius = 0.05;
  seen s = {0};
  for (int trial = 0; trial < 20; trial++) {
    pose at = trial ? tilted() : POSE_IDENTITY, back = pose_inverse(at);
    mesh m = sheet(at, flat);
    terrain t = terrain_of_mesh(&m, &memory);
    for (int i = 0; i < 2000; i++) {
      double gap = uniform(-0.01, 0.005);
      compare_with_plane(&t, at, (vec3){uniform(0.05, 0.95), uniform(0.05, 0.95), radius + gap}, radius, gap, &s);
    }
    for (int i = 0; i < m.edge_count; i++) {
      const int *v = m.edges[i].ends;
      vec3 a = pose_point(back, m.vertices[v[0]]), b = pose_point(back, m.vertices[v[1]]);
      for (int k = 0; k < 3; k++) {
        vec3 p = k == 0 ? a : k == 1 ? b : vec3_scale(0.5, vec3_add(a, b));
        compare_with_plane(&t, at, (vec3){p.x, p.y, radius - 1e-4}, radius, -1e-4, &s);
      }
    }
  }
  printf("    gap off by at most %.1e m, normal by %.1e, %d with several touches\n", s.gap, s.normal, s.several);
  CHECK_LE(s.gap, 2e-15);
  CHECK_LE(s.normal, 1e-13);  // of points 1e-15 off, seen over a twelfth of a metre or less
  CHECK_EQUAL(s.several, 0);
}

static void a_height_field_with_a_slope_is_a_plane(void) {
  enum { N = 21 };
  static double z[N * N];
  for (int i = 0; i < N * N; i++) z[i] = 0.3 * (i % N) * 0.05 - 0.2 * (i / N) * 0.05;
  terrain t = terrain_of_heights(z, N, N, -0.5, -0.5, 0.05, 0.05);
  double norm = sqrt(1 + 0.09 + 0.04), radius = 0.08, gap = 0, normal = 0;
  for (int i = 0; i < 20000; i++) {
    double x = uniform(-0.4, 0.4), y = uniform(-0.4, 0.4), g = uniform(-0.01, 0.01);
    if (i % 3 == 0) x = 0.05 * round(x / 0.05);
    if (i % 5 == 0) y = 0.05 * round(y / 0.05);
    vec3 n = {-0.3 / norm, 0.2 / norm, 1 / norm},
         c = vec3_axpy((vec3){x, y, 0.3 * (x + 0.5) - 0.2 * (y + 0.5)}, radius + g, n);
    terrain_touch touch[TERRAIN_TOUCHES];
    if (!CHECK_EQUAL(terrain_touches(&t, c, radius, 0.02, touch), 1)) return;
    gap = fmax(gap, fabs(touch->gap - g)), normal = fmax(normal, vec3_norm(vec3_sub(touch->normal, n)));
  }
  printf("    gap off by at most %.1e m, normal by %.1e\n", gap, normal);
  CHECK_LE(gap, 1e-15);
  CHECK_LE(normal, 1e-14);
}

// --- edges -----------------------------------------------------------------------------------------------------------

static void a_ridge_is_rounded_by_its_edge(void) {
  enum { N = 21 };
  static double z[N * N];
  for (int i = 0; i < N * N; i++) z[i] = -fabs(0.05 * (i % N) - 0.5);
  terrain t = terrain_of_heights(z, N, N, 0, 0, 0.05, 0.05);
  terrain_touch touch[TERRAIN_TOUCHES];
  for (int i = -9; i <= 9; i++) {  // the edge has the normals up to 45 degrees from upright
    double a = 0.1 * i, d = 0.06, expected = fabs(a) < M_PI / 4 ? d : d * cos(fabs(a) - M_PI / 4);
    if (!CHECK_EQUAL(terrain_touches(&t, (vec3){0.5 + d * sin(a), 0.53, d * cos(a)}, 0.05, 0.02, touch), 1)) return;
    CHECK_NEAR(touch->gap, expected - 0.05, 1e-15);
    CHECK_NEAR(touch->normal.x, sin(fmax(-M_PI / 4, fmin(a, M_PI / 4))), 1e-14);
  }
}

static void a_valley_has_two_places(void) {
  enum { N = 21 };
  static double z[N * N];
  for (int i = 0; i < N * N; i++) z[i] = fabs(0.05 * (i % N) - 0.5);
  terrain t = terrain_of_heights(z, N, N, 0, 0, 0.05, 0.05);
  terrain_touch touch[TERRAIN_TOUCHES];
  double radius = 0.1;
  CHECK_EQUAL(terrain_touches(&t, (vec3){0.501, 0.512, radius * sqrt(2)}, radius, 0.02, touch), 2);
  CHECK_NEAR(touch[0].gap, -0.001 / sqrt(2), 1e-15);
  CHECK_NEAR(touch[1].gap, 0.001 / sqrt(2), 1e-15);
  CHECK_NEAR(touch[0].normal.x, -sqrt(0.5), 1e-15);
  CHECK_EQUAL(terrain_touches(&t, (vec3){0.5, 0.512, -0.3}, radius, 0.02, touch), 1);  // below: the way out
  CHECK_NEAR(touch[0].gap, -0.3 - radius, 1e-15);
}

// A centre beside the grid is outside, however low.
static void material_ends_at_the_border(void) {
  static double z[9];
  terrain t = terrain_of_heights(z, 3, 3, 0, 0, 0.5, 0.5);
  terrain_touch touch[TERRAIN_TOUCHES];
  double radius = 0.05;
  CHECK_EQUAL(terrain_touches(&t, (vec3){1.03, 0.6, -0.03}, radius, 0.02, touch),
              1);  // on the edge, pushed away from it
  CHECK_NEAR(touch->gap, 0.03 * sqrt(2) - radius, 1e-15);
  CHECK_NEAR(touch->normal.x, sqrt(0.5), 1e-14);
  CHECK_NEAR(touch->normal.z, -sqrt(0.5), 1e-14);
  CHECK_EQUAL(terrain_touches(&t, (vec3){1.2, 1.2, -1}, radius, 0.02, touch), 1);
  CHECK_NEAR(touch->gap, sqrt(0.04 + 0.04 + 1) - radius, 1e-15);
  CHECK_EQUAL(terrain_touches(&t, (vec3){0.9, 0.6, -0.02}, radius, 0.02, touch), 1);  // within it
  CHECK_NEAR(touch->gap, -0.02 - radius, 1e-15);
}

// --- all triangles, one by one ---------------------------------------------------------------------------------------

static double distance_to(vec3 c, vec3 a, vec3 b, vec3 d) {
  double least = DBL_MAX;
  enum { PARTS = 60 };
  for (int i = 0; i <= PARTS; i++)
    for (int j = 0; i + j <= PARTS; j++) {
      vec3 p = vec3_axpy(vec3_axpy(vec3_scale((double)(PARTS - i - j) / PARTS, a), (double)i / PARTS, b),
                         (double)j / PARTS, d);
      least = fmin(least, vec3_norm(vec3_sub(p, c)));
    }
  return least;
}

static void the_least_gap_is_that_of_all_triangles(void) {
  check_seed = 9;
  mesh m = sheet(POSE_IDENTITY, waves);
  terrain t = terrain_of_mesh(&m, &memory);
  double above = 0, below = 0;
  int several = 0;
  for (int i = 0; i < 60; i++) {
    vec3 c = {uniform(0, 1), uniform(0, 1), 0};
    c.z = waves(c.x, c.y) + uniform(0.05, i % 4 ? 0.12 : 2);
    terrain_touch touch[TERRAIN_TOUCHES];
    int count = terrain_touches(&t, c, 0.1, 0.05, touch);
    if (!CHECK(count > 0)) return;
    double least = DBL_MAX;
    for (int k = 0; k < m.triangle_count; k++)
      least = fmin(least, distance_to(c, m.vertices[m.triangles[k][0]], m.vertices[m.triangles[k][1]],
                                      m.vertices[m.triangles[k][2]]));
    above = fmax(above, touch->gap + 0.1 - least), below = fmax(below, least - touch->gap - 0.1);
    several += count > 1;
  }
  printf("    samples nearer by %.1e m, farther by %.1e m; %d of 60 with several places\n", above, below, several);
  CHECK_LE(above, 1e-12);
  CHECK_LE(below, 1e-4);
  CHECK(several > 5);
}

// --- runs ------------------------------------------------------------------------------------------------------------

// A ball of 5 cm that rolls and slides 0.9 m across the triangles of a level field, held against a plane.
static void roll(const char *method, double within) {
  double q[2][7];
  for (int k = 0; k < 2; k++) {
    static char text[6000];
    int used =
        snprintf(text, sizeof text,
                 "bodies: {b: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\njoints: {b: {free: [ground, b]}}\n"
                 "materials: {m: {restitution: 0, friction: 0.3, law: kelvin-voigt, stiffness: 1e5, damping: 100, "
                 "friction_law: threlfall}}\n"
                 "initial: {b: {q: [1, 0, 0, 0, 0.06, 0.12, 0.0501], velocity: [0.9, 0.31, 0], omega: [3, 2, 5]}}\n"
                 "surfaces:\n  s: {sphere: b, radius: 5 cm, material: m}\n  floor: {");
    if (k == 0) used += snprintf(text + used, sizeof text - (size_t)used, "plane: ground");
    else {
      used += snprintf(text + used, sizeof text - (size_t)used,
                       "height_field: ground, columns: 21, spacing: [5 cm, 6 cm], heights: [0");
      for (int i = 1; i < 21 * 21; i++) used += snprintf(text + used, sizeof text - (size_t)used, ", 0");
      used += snprintf(text + used, sizeof text - (size_t)used, "]");
    }
    snprintf(text + used, sizeof text - (size_t)used, ", material: m}\nmethod: %s\n", method);
    run r;
    if (!run_open_text(&r, text, NULL)) return;
    run_to(&r, 1.2);
    for (int i = 0; i < 7; i++) q[k][i] = run_read(&r, "b.q%d", i);
    run_close(&r);
  }
  double off = 0;
  for (int i = 0; i < 7; i++) off = fmax(off, fabs(q[1][i] - q[0][i]));
  printf("    %s: rolled to x = %.3f m, off by at most %.1e\n", method, q[0][4], off);
  CHECK(q[0][4] > 0.5 && q[0][4] < 0.95);
  CHECK_LE(off, within);
}

static void a_ball_rolls_over_triangles_as_over_a_plane(void) { roll("{moreau: {step: 1e-3}}", 1e-12); }

// It leaves the border at 2 m/s, fast enough not to touch its edge again, and falls freely.
static void a_ball_rolls_off_and_falls(void) {
  run r;
  if (!run_open_text(
          &r,
          "bodies: {b: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\njoints: {b: {free: [ground, b]}}\n"
          "initial: {b: {q: [1, 0, 0, 0, 0.9, 0.6, 0.05], velocity: [2, 0, 0]}}\nmaterials: {m: {restitution: 0}}\n"
          "surfaces:\n  s: {sphere: b, radius: 5 cm, material: m}\n"
          "  floor: {height_field: ground, columns: 3, spacing: 0.5 m, heights: [0, 0, 0, 0, 0, 0, 0, 0, 0], material: "
          "m}\n"
          "method: {moreau: {step: 1e-3}}\n",
          NULL))
    return;
  run_to(&r, 0.55);
  double x = run_read(&r, "b.q4"), z = run_read(&r, "b.q6");
  printf("    after 0.5 s beyond the border at x = %.3f m, z = %.4f m\n", x, z);
  CHECK_NEAR(x, 2.0, 1e-9);
  CHECK_NEAR(z, 0.05 - 0.5 * 9.80665 * 0.25, 6e-3);  // steps of 1 ms, the last on the field lasts up to its end
  run_close(&r);
}

int main(void) {
  memory = arena_create(&out_of_memory), spare = arena_create(&out_of_memory);
  if (setjmp(out_of_memory)) return 2;
  RUN(a_plane_of_triangles_is_a_plane);
  RUN(a_height_field_with_a_slope_is_a_plane);
  RUN(a_ridge_is_rounded_by_its_edge);
  RUN(a_valley_has_two_places);
  RUN(material_ends_at_the_border);
  RUN(the_least_gap_is_that_of_all_triangles);
  RUN(a_ball_rolls_over_triangles_as_over_a_plane);
  RUN(a_ball_rolls_off_and_falls);
  arena_free(&memory), arena_free(&spare);
  return check_summary();
}
