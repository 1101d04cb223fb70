// Triangle meshes: welding, neighbours, and the faults that a mesh may have.
#include "check.h"
#include "geometry/mesh.h"

static arena memory;
static jmp_buf out_of_memory;

// --- meshes to test with ---------------------------------------------------------------------------------------------

enum { CUBE_TRIANGLES = 12 };

// A cube of edge 2 h around `middle` as a file of separate triangles has it: three points of its own for each.
static mesh_soup add_cube(mesh_soup s, vec3 middle, double h) {
  static const int faces[CUBE_TRIANGLES][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                               {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  int count = s.triangle_count + CUBE_TRIANGLES;
  mesh_soup to = {.points = ARENA_ARRAY(&memory, vec3, 3 * count),
                  .point_count = 3 * count,
                  .triangle_count = count,
                  .triangles = arena_alloc(&memory, (size_t)count, sizeof *to.triangles)};
  if (s.point_count) memcpy(to.points, s.points, (size_t)s.point_count * sizeof *to.points);
  for (int i = 0; i < 3 * count; i++) {
    to.triangles[i / 3][i % 3] = i;
    if (i < s.point_count) continue;
    int corner = faces[i / 3 - s.triangle_count][i % 3];
    to.points[i] = vec3_add(middle, (vec3){corner & 1 ? h : -h, corner & 2 ? h : -h, corner & 4 ? h : -h});
  }
  return to;
}

static mesh_soup cube(void) { return add_cube((mesh_soup){0}, (vec3){0.3, -0.2, 5}, 0.5); }

static void turn_inside_out(mesh_soup *s, int from, int to) {
  for (int i = from; i < to; i++) {
    int corner = s->triangles[i][1];
    s->triangles[i][1] = s->triangles[i][2], s->triangles[i][2] = corner;
  }
}

static mesh built(const mesh_soup *s) {
  mesh m;
  CHECK(mesh_build(s, mesh_weld_default(s), &memory, &memory, &m));
  return m;
}

static void check_found(const mesh *m, mesh_fault what, int count, int triangle) {
  for (int i = 0; i < MESH_FAULTS; i++) CHECK_EQUAL(m->found[i].count, i == (int)what ? count : 0);
  if (what != MESH_FAULTS) CHECK_EQUAL(m->found[what].triangle, triangle);
}

// --- tests -----------------------------------------------------------------------------------------------------------

static void a_welded_cube_is_closed(void) {
  mesh_soup s = cube();
  mesh m = built(&s);
  check_found(&m, MESH_FAULTS, 0, 0);
  CHECK_EQUAL(m.vertex_count, 8);
  CHECK_EQUAL(m.triangle_count, 12);
  CHECK_EQUAL(m.edge_count, 18);
  CHECK_EQUAL(m.part_count, 1);
  CHECK(mesh_is_closed(&m));
  CHECK_NEAR(m.high.z - m.low.z, 1, 1e-15);
  for (int t = 0; t < m.triangle_count; t++) {
    vec3 out = vec3_sub(m.vertices[m.triangles[t][0]], (vec3){0.3, -0.2, 5});
    CHECK(vec3_dot(m.normals[t], out) > 0);
    for (int k = 0; k < 3; k++) {
      int u = mesh_beside(&m, t, k);
      CHECK(u >= 0 && u != t &&
            (mesh_beside(&m, u, 0) == t) + (mesh_beside(&m, u, 1) == t) + (mesh_beside(&m, u, 2) == t) == 1);
      const mesh_edge *e = &m.edges[m.sides[t][k]];
      int a = m.triangles[t][k], b = m.triangles[t][(k + 1) % 3];
      CHECK(e->triangles[0] == t ? e->ends[0] == a && e->ends[1] == b : e->ends[0] == b && e->ends[1] == a);
    }
  }
}

// Points of different triangles that differ by the rounding of single precision are one vertex, also across the cells
// of the search; the vertex is the first of them.
static void rounded_points_are_welded(void) {
  mesh_soup s = cube();
  check_seed = 7;
  for (int i = 0; i < s.point_count; i++)
    s.points[i] = (vec3){(float)(s.points[i].x + uniform(-2e-7, 2e-7)), (float)(s.points[i].y + uniform(-2e-7, 2e-7)),
                         (float)s.points[i].z};
  mesh m = built(&s);
  CHECK_EQUAL(m.vertex_count, 8);
  CHECK(mesh_is_closed(&m));
  CHECK(mesh_build(&s, 0, &memory, &memory, &m));
  CHECK(m.vertex_count > 8 && m.found[MESH_OPEN].count > 0);
}

static void an_open_mesh_is_reported(void) {
  mesh_soup s = cube();
  s.triangle_count--;
  mesh m = built(&s);
  CHECK_EQUAL(m.found[MESH_OPEN].count, 3);
  CHECK(!mesh_is_closed(&m));
  int open = 0;
  for (int t = 0; t < m.triangle_count; t++)
    for (int k = 0; k < 3; k++) open += mesh_beside(&m, t, k) < 0;
  CHECK_EQUAL(open, 3);
  CHECK_EQUAL(m.found[MESH_OPEN].triangle, 3);  // shares corners 5 and 7 with the one that is missing
}

static void a_triangle_twice_branches(void) {
  mesh_soup s = add_cube(cube(), (vec3){9, 9, 9}, 1);
  memcpy(s.triangles[12], s.triangles[5], sizeof s.triangles[5]);
  s.triangle_count = 13;
  mesh m = built(&s);
  check_found(&m, MESH_BRANCHED, 3, 12);
}

static void a_reversed_triangle_is_twisted(void) {
  mesh_soup s = cube();
  turn_inside_out(&s, 5, 6);
  mesh m = built(&s);
  CHECK_EQUAL(m.found[MESH_TWISTED].count, 3);
  CHECK_EQUAL(m.found[MESH_OPEN].count, 0);
}

static void a_triangle_without_area_is_reported(void) {
  mesh_soup s = add_cube(cube(), (vec3){9, 9, 9}, 1);
  s.triangle_count = 14;
  s.points[s.triangles[12][1]] = s.points[s.triangles[12][0]];  // two corners: left out
  s.points[s.triangles[12][2]] = s.points[s.triangles[0][0]];
  for (int k = 0; k < 3; k++) s.points[s.triangles[13][k]] = (vec3){9 + k, 9, 9};  // three on a line: kept
  mesh m = built(&s);
  CHECK_EQUAL(m.found[MESH_DEGENERATE].count, 2);
  CHECK_EQUAL(m.found[MESH_DEGENERATE].triangle, 12);
  CHECK_EQUAL(m.triangle_count, 13);
  CHECK_EQUAL(m.origins[12], 13);
  CHECK(vec3_norm(m.normals[12]) == 0);
}

static void inside_out_is_told_from_a_cavity(void) {
  mesh_soup s = cube();
  turn_inside_out(&s, 0, 12);
  mesh m = built(&s);
  check_found(&m, MESH_INSIDE_OUT, 1, 0);
  s = add_cube(cube(), (vec3){0.3, -0.2, 5.1}, 0.2);
  turn_inside_out(&s, 12, 24);
  m = built(&s);
  check_found(&m, MESH_FAULTS, 0, 0);
  CHECK_EQUAL(m.part_count, 2);
  s = add_cube(cube(), (vec3){0.3, -0.2, 7}, 0.2);
  turn_inside_out(&s, 12, 24);
  m = built(&s);
  check_found(&m, MESH_INSIDE_OUT, 1, 12);
}

// A part inside another, or partly; beside each other, or inside a cavity, nothing counts twice.
static void parts_that_overlap_are_found(void) {
  mesh_soup s = add_cube(cube(), (vec3){0.3, -0.2, 5.1}, 0.2);
  mesh m = built(&s);
  check_found(&m, MESH_OVERLAPPING, 1, 12);
  s = add_cube(cube(), (vec3){9, 9, 9}, 1);
  m = built(&s);
  check_found(&m, MESH_FAULTS, 0, 0);
}

static void what_is_no_mesh_is_refused(void) {
  mesh m;
  mesh_soup s = cube();
  s.points[4].y = NAN;
  CHECK(!mesh_build(&s, 0, &memory, &memory, &m));
  s = cube();
  s.points[4].y = -1e60;
  CHECK(!mesh_build(&s, 0, &memory, &memory, &m));
  s = cube();
  for (int i = 0; i < s.point_count; i++) s.points[i].x = s.points[i].y = i % 3;
  for (int i = 0; i < s.point_count; i++) s.points[i].z = 0;
  CHECK(!mesh_build(&s, 0, &memory, &memory, &m));
  CHECK(!mesh_build(&(mesh_soup){0}, 0, &memory, &memory, &m));
}

int main(void) {
  memory = arena_create(&out_of_memory);
  if (setjmp(out_of_memory)) return 1;
  RUN(a_welded_cube_is_closed);
  RUN(rounded_points_are_welded);
  RUN(an_open_mesh_is_reported);
  RUN(a_triangle_twice_branches);
  RUN(a_reversed_triangle_is_twisted);
  RUN(a_triangle_without_area_is_reported);
  RUN(inside_out_is_told_from_a_cavity);
  RUN(parts_that_overlap_are_found);
  RUN(what_is_no_mesh_is_refused);
  arena_free(&memory);
  return check_summary();
}
