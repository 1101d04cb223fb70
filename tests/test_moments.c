// Volume, centre and inertia of solids: against each other, and against meshes that come closer and closer to them.
#include "check.h"
#include "geometry/polytope.h"

static arena memory;
static jmp_buf out_of_memory;

static void check_same(moments a, moments b, double relative) {
  double size = sqrt(fabs(b.spread.m[0] + b.spread.m[4] + b.spread.m[8]) / b.volume);
  CHECK_NEAR(a.volume, b.volume, relative * b.volume);
  CHECK_NEAR(vec3_norm(vec3_sub(a.centre, b.centre)), 0, relative * size);
  for (int k = 0; k < 9; k++) CHECK_NEAR(a.spread.m[k], b.spread.m[k], relative * b.volume * size * size);
}

// --- meshes ----------------------------------------------------------------------------------------------------------

// A grid of points over two angles, from pole to pole.
typedef vec3 point_of(double up, double around);

static mesh mesh_of(point_of *at, int n) {
  int rows = n, columns = 2 * n;
  mesh_soup s = {.points = ARENA_ARRAY(&memory, vec3, (rows + 1) * columns),
                 .point_count = (rows + 1) * columns,
                 .triangles = arena_alloc(&memory, (size_t)(2 * rows * columns), sizeof *s.triangles)};
  for (int i = 0; i <= rows; i++)
    for (int k = 0; k < columns; k++)
      s.points[i * columns + k] = at(M_PI * ((double)i / rows - 0.5), 2 * M_PI * k / columns);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < columns; k++) {
      int a = i * columns + k, b = i * columns + (k + 1) % columns, c = a + columns, d = b + columns;
      memcpy(s.triangles[s.triangle_count++], (int[3]){a, b, d}, sizeof *s.triangles);
      memcpy(s.triangles[s.triangle_count++], (int[3]){a, d, c}, sizeof *s.triangles);
    }
  mesh m;
  CHECK(mesh_build(&s, mesh_weld_default(&s), &memory, &memory, &m));
  CHECK(mesh_is_closed(&m) && !m.found[MESH_INSIDE_OUT].count);
  return m;
}

static vec3 on_ball(double up, double around) { return (vec3){cos(up) * cos(around), cos(up) * sin(around), sin(up)}; }
static vec3 on_egg(double up, double around) {
  vec3 p = on_ball(up, around);
  return (vec3){0.3 * p.x + 7, 0.5 * p.y - 4, 0.2 * p.z + 9};
}
static vec3 on_capsule(double up, double around) {
  vec3 p = vec3_scale(0.3, on_ball(up, around));
  p.z += up > 1e-9 ? 0.4 : -0.4;
  return p;
}
static double power(double x, double e) { return copysign(pow(fabs(x), e), x); }
static vec3 on_soap(double up, double around) {
  return (vec3){0.5 * power(cos(up), 0.7) * power(cos(around), 1.3),
                0.4 * power(cos(up), 0.7) * power(sin(around), 1.3), 0.3 * power(sin(up), 0.7)};
}
static vec3 on_cone(double up, double around) {  // base at -0.5, tip at 0.5
  double way = up / M_PI + 0.5, r = way < 0.5 ? 2 * way : 2 * (1 - way);
  return (vec3){0.4 * r * cos(around), 0.4 * r * sin(around), way < 0.5 ? -0.5 : 2 * way - 1.5};
}

// The error of a mesh with points on the surface falls with the square of its fineness.
static void converges(point_of *at, moments exact, double power_of_error) {
  double error[3];
  for (int k = 0; k < 3; k++) {
    arena_mark mark = arena_get_mark(&memory);
    mesh m = mesh_of(at, 24 << k);
    moments here = moments_mesh(&m);
    error[k] = fabs(here.volume / exact.volume - 1);
    for (int i = 0; i < 9; i += 4) error[k] = fmax(error[k], fabs(here.spread.m[i] / exact.spread.m[i] - 1));
    error[k] = fmax(error[k], vec3_norm(vec3_sub(here.centre, exact.centre)));
    arena_release(&memory, mark);
  }
  CHECK_LE(error[1], error[0] / (0.85 * pow(2, power_of_error)));
  CHECK_LE(error[2], error[1] / (0.85 * pow(2, power_of_error)));
  CHECK_LE(error[2], 3e-3);
}

static void meshes_converge_to_their_solids(void) {
  converges(on_ball, moments_ellipsoid((vec3){1, 1, 1}), 2);
  moments egg = moments_ellipsoid((vec3){0.3, 0.5, 0.2});
  egg.centre = (vec3){7, -4, 9};
  converges(on_egg, egg, 2);
  converges(on_capsule, moments_capsule(0.3, 0.8), 0.9);  // the rows of points miss the rims by half a row
  converges(on_cone, moments_cone(0.4, 1), 2);
  converges(on_soap, moments_superellipsoid((vec3){0.5, 0.4, 0.3}, 0.7, 1.3),
            1.1);  // pointed at the poles of the angles
}

// --- exact ones ------------------------------------------------------------------------------------------------------

static void cubes_and_tetrahedra_are_exact(void) {
  vec3 corners[8];
  for (int k = 0; k < 8; k++) corners[k] = (vec3){k & 1 ? 0.3 : -0.3, k & 2 ? 0.2 : -0.2, k & 4 ? 1 : -1};
  polytope p;
  CHECK_EQUAL(polytope_build(corners, 8, &memory, &p), POLYTOPE_OK);
  check_same(polytope_moments(&p), moments_box((vec3){0.6, 0.4, 2}), 4e-15);  // some roundings
  vec3 t[4] = {{5, 5, 5}, {6, 5, 5}, {5, 7, 5}, {5, 5, 8}};
  CHECK_EQUAL(polytope_build(t, 4, &memory, &p), POLYTOPE_OK);
  moments m = polytope_moments(&p);
  CHECK_NEAR(m.volume, 1, 1e-15);
  CHECK_NEAR(vec3_norm(vec3_sub(m.centre, (vec3){5.25, 5.5, 5.75})), 0, 2e-15);
  CHECK_NEAR(m.spread.m[0], 3.0 / 80, 1e-16);       // V a² 3/80
  CHECK_NEAR(m.spread.m[1], -1.0 * 2 / 80, 1e-16);  // -V ab/80
  CHECK_NEAR(m.spread.m[8], 9 * 3.0 / 80, 1e-15);
}

// Superellipsoids of exponents 1 are ellipsoids, near 0 boxes and cylinders, of 2 octahedra.
static void superellipsoids_have_their_limits(void) {
  vec3 a = {0.5, 0.4, 0.3};
  check_same(moments_superellipsoid(a, 1, 1), moments_ellipsoid(a), 2e-15);
  check_same(moments_superellipsoid(a, 1e-5, 1e-5), moments_box(vec3_scale(2, a)), 1e-8);
  check_same(moments_superellipsoid((vec3){0.5, 0.5, 0.3}, 1e-5, 1), moments_cylinder(0.5, 0.6), 1e-8);
  moments octahedron = moments_superellipsoid((vec3){1, 1, 1}, 2, 2);
  CHECK_NEAR(octahedron.volume, 8.0 / 6, 1e-14);
  for (int k = 0; k < 9; k += 4) CHECK_NEAR(octahedron.spread.m[k], 8.0 / 60, 1e-14);
}

static void plates_are_prisms(void) {
  static const double rectangle[4][3] = {{1, 2}, {4, 2}, {4, 3}, {1, 3}},
                      backwards[4][3] = {{1, 2}, {1, 3}, {4, 3}, {4, 2}};
  moments box = moments_moved(moments_box((vec3){3, 1, 0.2}), (pose){MAT3_IDENTITY, {2.5, 2.5, 0}});
  check_same(moments_polygon(rectangle, 4, 0.2), box, 1e-15);
  check_same(moments_polygon(backwards, 4, 0.2), box, 1e-15);
  // an L of two boxes, started at its inner corner
  static const double angle[6][3] = {{1, 1}, {1, 3}, {0, 3}, {0, 0}, {4, 0}, {4, 1}};
  moments upright = moments_moved(moments_box((vec3){1, 3, 0.2}), (pose){MAT3_IDENTITY, {0.5, 1.5, 0}});
  moments foot = moments_moved(moments_box((vec3){3, 1, 0.2}), (pose){MAT3_IDENTITY, {2.5, 0.5, 0}});
  check_same(moments_polygon(angle, 6, 0.2), moments_joined(upright, foot), 1e-15);
  enum { N = 4000 };
  static double stadium[N][3];
  for (int i = 0; i < N; i++) {
    double a = 2 * M_PI * (i + 0.5) / N;
    stadium[i][0] = 0.3 * cos(a) + (cos(a) > 0 ? 0.4 : -0.4), stadium[i][1] = 0.3 * sin(a);
  }
  check_same(moments_stadium(0.3, 0.8, 0.2), moments_polygon((const double(*)[3])stadium, N, 0.2), 2e-6);
  check_same(moments_stadium(0.3, 0, 0.2), moments_cylinder(0.3, 0.2), 1e-15);
}

static void a_capsule_of_no_length_is_a_ball(void) {
  check_same(moments_capsule(0.3, 0), moments_ellipsoid((vec3){0.3, 0.3, 0.3}), 1e-15);
}

// A turned box cut in two and joined again, seen from afar.
static void moved_and_joined_solids_keep_their_moments(void) {
  pose at = {quat_matrix(quat_exp((vec3){0.3, -1, 2})), {100, -50, 20}};
  pose left = {MAT3_IDENTITY, {-0.5, 0, 0}}, right = {MAT3_IDENTITY, {1, 0, 0}};
  moments a = moments_moved(moments_box((vec3){2, 1, 0.5}), left),
          b = moments_moved(moments_box((vec3){1, 1, 0.5}), right);
  moments whole = moments_moved(moments_box((vec3){3, 1, 0.5}), at);
  check_same(moments_moved(moments_joined(a, b), at), whole, 1e-14);
  check_same(moments_joined(moments_moved(a, at), moments_moved(b, at)), whole, 1e-14);
  double I[6], trace = 0;
  moments_inertia(moments_scaled(whole, 2), I);
  trace = I[0] + I[1] + I[2];
  CHECK_NEAR(trace, 2 * 1.5 * (9 + 1 + 0.25) / 12 * 2, 1e-13);
}

int main(void) {
  memory = arena_create(&out_of_memory);
  if (setjmp(out_of_memory)) return 1;
  RUN(meshes_converge_to_their_solids);
  RUN(cubes_and_tetrahedra_are_exact);
  RUN(superellipsoids_have_their_limits);
  RUN(plates_are_prisms);
  RUN(a_capsule_of_no_length_is_a_ball);
  RUN(moved_and_joined_solids_keep_their_moments);
  arena_free(&memory);
  return check_summary();
}
