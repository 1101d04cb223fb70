// Hulls, points of contact between their faces, and the broad phase.
#include "check.h"
#include "geometry/broad.h"
#include "geometry/flat.h"
#include "geometry/manifold.h"
#include "geometry/separation.h"

static arena memory;
static jmp_buf out_of_memory;

static polytope box_of(double x, double y, double z) {
  vec3 p[8];
  for (int k = 0; k < 8; k++) p[k] = (vec3){k & 1 ? x / 2 : -x / 2, k & 2 ? y / 2 : -y / 2, k & 4 ? z / 2 : -z / 2};
  polytope box;
  CHECK_EQUAL(polytope_build(p, 8, &memory, &box), POLYTOPE_OK);
  return box;
}

// --- hulls -----------------------------------------------------------------------------------------------------------

// 27 points of which 8 are corners: the others lie on edges, on faces and inside.
static void a_hull_has_only_true_corners_and_faces(void) {
  vec3 points[27];
  for (int k = 0; k < 27; k++) points[k] = (vec3){0.3 * (k % 3 - 1), 0.4 * (k / 3 % 3 - 1), 0.5 * (k / 9 - 1)};
  polytope p;
  CHECK_EQUAL(polytope_build(points, 27, &memory, &p), POLYTOPE_OK);
  CHECK_EQUAL(p.vertex_count, 8);
  CHECK_EQUAL(p.face_count, 6);
  CHECK_EQUAL(p.corner_count, 24);
  moments m = polytope_moments(&p);
  CHECK_NEAR(m.volume, 0.6 * 0.8 * 1.0, 1e-15);
  CHECK_NEAR(m.spread.m[4], m.volume * 0.8 * 0.8 / 12, 1e-15);
  CHECK_NEAR(vec3_norm(m.centre), 0, 1e-15);
}

static void hulls_of_random_points_hold_them_all(void) {
  check_seed = 3;
  int built = 0;
  for (int trial = 0; trial < 1000; trial++) {
    vec3 points[64];
    int count = (int)uniform(4, 64);
    for (int i = 0; i < count; i++) {
      points[i] = (vec3){uniform(-2, 2), uniform(-2, 2), uniform(-2, 2)};
      if (trial % 3 == 0)
        points[i] = (vec3){round(points[i].x), round(points[i].y), round(points[i].z)};  // many in one plane
    }
    polytope p;
    arena_mark mark = arena_get_mark(&memory);
    if (polytope_build(points, count, &memory, &p) == POLYTOPE_OK) {
      double outside = 0;
      for (int i = 0; i < count; i++)
        for (int f = 0; f < p.face_count; f++)
          outside = fmax(outside, vec3_dot(p.faces[f].normal, points[i]) - p.faces[f].offset);
      CHECK_LE(outside, 1e-11);
      CHECK_EQUAL(p.vertex_count + p.face_count - p.corner_count / 2, 2);  // Euler
      built++;
    }
    arena_release(&memory, mark);
  }
  CHECK(built > 950);
}

// Points that nearly coincide give slivers, whose normals are rounding; the hull must still be closed.
static void hulls_of_points_that_nearly_coincide_are_closed(void) {
  check_seed = 5;
  for (int trial = 0; trial < 2000; trial++) {
    vec3 points[81];
    double noise = pow(10, uniform(-16, -9));
    for (int i = 0; i < 81; i++)
      points[i] = (vec3){i % 3 + uniform(-noise, noise), i / 3 % 3 + uniform(-noise, noise),
                         i / 9 % 3 + uniform(-noise, noise)};
    polytope p;
    arena_mark mark = arena_get_mark(&memory);
    if (CHECK_EQUAL(polytope_build(points, 81, &memory, &p), POLYTOPE_OK))
      CHECK_NEAR(polytope_moments(&p).volume, 8, 2e-7);
    arena_release(&memory, mark);
  }
}

// A hull about as thick as its rounding is told or refused.
static void hulls_without_thickness_end(void) {
  check_seed = 6;
  for (int trial = 0; trial < 2000; trial++) {
    vec3 points[80];
    double thickness = pow(10, uniform(-15, -8));
    for (int i = 0; i < 80; i++)
      points[i] = (vec3){uniform(-1, 1), uniform(-thickness, thickness), uniform(-1, 1) * uniform(-1, 1)};
    polytope p;
    arena_mark mark = arena_get_mark(&memory);
    if (polytope_build(points, 80, &memory, &p) == POLYTOPE_OK)
      CHECK_LE(fabs(polytope_moments(&p).volume), 10 * thickness);
    arena_release(&memory, mark);
  }
}

static void flat_and_broken_points_are_refused(void) {
  vec3 flat[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.2, 0}},
       line[4] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
  vec3 same[4] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}},
       broken[4] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}, {0, 0, 1}};
  polytope p;
  CHECK_EQUAL(polytope_build(flat, 5, &memory, &p), POLYTOPE_FLAT);
  CHECK_EQUAL(polytope_build(line, 4, &memory, &p), POLYTOPE_FLAT);
  CHECK_EQUAL(polytope_build(same, 4, &memory, &p), POLYTOPE_FLAT);
  CHECK_EQUAL(polytope_build(same, 3, &memory, &p), POLYTOPE_FLAT);
  CHECK_EQUAL(polytope_build(broken, 4, &memory, &p), POLYTOPE_NOT_FINITE);
}

// --- points of contact -----------------------------------------------------------------------------------------------

static pose turned(double x, double y, double z, vec3 by) { return (pose){quat_matrix(quat_exp(by)), {x, y, z}}; }

static void a_box_on_a_box_has_the_corners_of_their_overlap(void) {
  polytope low = box_of(1, 1, 1), top = box_of(0.8, 0.8, 0.8);
  const vec3 up = {0, 0, 1};
  manifold_point p[MANIFOLD_POINTS];
  CHECK_EQUAL(manifold_of_faces(&top, turned(0, 0, 0.899, VEC3_ZERO), &low, POSE_IDENTITY, up, 0.01, p), 4);
  for (int i = 0; i < 4; i++) {
    CHECK_NEAR(p[i].gap, -0.001, 1e-15);
    CHECK(p[i].of_a >= 0 && p[i].of_b == -1);  // the corners of the upper one
  }
  CHECK_EQUAL(manifold_of_faces(&top, turned(0, 0, 0.9, (vec3){0, 0, 0.25 * M_PI}), &low, POSE_IDENTITY, up, 0.01, p),
              8);
  for (int i = 0; i < 8; i++) CHECK(p[i].of_a >= 0 && p[i].of_b >= 0);  // where edges cross
}

// Edges that coincide up to rounding cross nowhere: the region keeps the corners of the upper box, whichever way both
// are turned.
static void equal_boxes_share_four_corners(void) {
  polytope box = box_of(1, 1, 1);
  check_seed = 5;
  for (int i = 0; i < 200; i++) {
    manifold_point p[MANIFOLD_POINTS];
    double e = 1e-12;
    pose top = turned(uniform(-e, e), uniform(-e, e), 1, (vec3){uniform(-e, e), uniform(-e, e), uniform(-e, e)});
    int count = manifold_of_faces(&box, top, &box, POSE_IDENTITY, (vec3){0, 0, 1}, 0.01, p);
    CHECK_EQUAL(count, 4);
    for (int k = 0; k < count; k++) CHECK(p[k].of_a >= 0 && p[k].of_b == -1);
    // shifted along one edge: two of its corners, and two places where its edges cross one of the lower box
    top.p.x += 0.25;
    CHECK_EQUAL(manifold_of_faces(&box, top, &box, POSE_IDENTITY, (vec3){0, 0, 1}, 0.01, p), 4);
  }
}

static void edges_that_cross_touch_in_one_point(void) {
  polytope low = box_of(1, 1, 1), top = box_of(0.8, 0.8, 0.8);
  pose under = turned(0, 0, 0, (vec3){0.25 * M_PI, 0, 0}),
       above = turned(0, 0, 0.9 * sqrt(2) + 0.002, (vec3){0, 0.25 * M_PI, 0});
  manifold_point p[MANIFOLD_POINTS];
  CHECK_EQUAL(manifold_of_faces(&top, above, &low, under, (vec3){0, 0, 1}, 0.01, p), 1);
  CHECK_NEAR(p[0].gap, 0.002, 1e-15);
  CHECK_NEAR(p[0].on_b.z, 0.5 * sqrt(2), 1e-15);
  CHECK_NEAR(hypot(p[0].on_b.x, p[0].on_b.y), 0, 1e-15);
}

// Boxes that overlap a little, shifted and tilted by next to nothing about any axis, are least deep along the normal of
// two of their edges; yet they lie on each other with the corners of their faces. Depth and normal stay those of the
// least translation.
static void faces_that_are_hardly_tilted_keep_their_corners(void) {
  vec3 p[2][8];
  flat box[2];
  for (int k = 0; k < 16; k++)
    p[k / 8][k % 8] = (vec3){k & 1 ? 0.05 : -0.05, k & 2 ? 0.05 : -0.05, k & 4 ? 0.05 : -0.05};
  for (int i = 0; i < 2; i++) CHECK(flat_build(p[i], 8, &memory, &box[i]));
  convex shape[2] = {convex_hull(p[0], 8), convex_hull(p[1], 8)};
  check_seed = 12;
  int across_edges = 0;
  for (int k = 0; k < 300; k++) {
    double tilt = pow(10, uniform(-9, -2));
    pose a = turned(uniform(-0.03, 0.03), uniform(-0.03, 0.03), 0.1 - tilt * uniform(0.05, 0.2),
                    (vec3){uniform(-tilt, tilt), uniform(-tilt, tilt), uniform(-tilt, tilt)});
    pose b = turned(0, 0, 0, (vec3){uniform(-tilt, tilt), uniform(-tilt, tilt), uniform(-tilt, tilt)});
    flat_touch t;
    flat_find_touch(&box[0], a, &box[1], b, 0.01, &t);
    CHECK_EQUAL(t.count, 4);
    double least = INFINITY;
    for (int i = 0; i < t.count; i++) least = fmin(least, t.points[i].gap);
    CHECK_NEAR(least, separation_of(&shape[0], a, &shape[1], b, false).distance, 1e-9);
    across_edges += !t.of_face;
  }
  CHECK(across_edges > 30);
}

// A lopsided region: half of a circle of 60 corners, and a shallow arc of 60.
// The least translation that separates two hulls is along a face or across two edges; it is that of the general search.
static void the_depth_of_hulls_is_the_least_translation(void) {
  check_seed = 23;
  int across_edges = 0;
  for (int k = 0; k < 4000; k++) {
    vec3 p[2][12];
    flat hull[2];
    for (int i = 0; i < 24; i++) p[i / 12][i % 12] = (vec3){uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    arena_mark mark = arena_get_mark(&memory);
    for (int i = 0; i < 2; i++) CHECK(flat_build(p[i], 12, &memory, &hull[i]));
    pose a =
        turned(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), (vec3){uniform(-3, 3), uniform(-3, 3), uniform(-3, 3)});
    pose b = turned(0, 0, 0, (vec3){uniform(-3, 3), uniform(-3, 3), uniform(-3, 3)});
    convex shape[2] = {convex_hull(p[0], 12), convex_hull(p[1], 12)};
    separation s = separation_of(&shape[0], a, &shape[1], b, false);
    flat_touch t;
    flat_find_touch(&hull[0], a, &hull[1], b, 0.1, &t);
    if (s.distance < 0) {
      if (CHECK_NEAR(t.distance, s.distance, 1e-9)) CHECK_LE(vec3_norm(vec3_sub(t.normal, s.normal)), 1e-6);
      across_edges += !t.of_face;
    } else CHECK_LE(t.distance, s.distance + 1e-12);
    arena_release(&memory, mark);
  }
  CHECK(across_edges > 10);
}

static void what_is_left_out_of_a_region_is_small(void) {
  manifold_point all[120] = {{.gap = 0}}, left[120];
  for (int k = 0; k < 60; k++) {
    double wide = M_PI * k / 60, flat = -1 + (k + 0.5) / 30;
    all[k].on_b = (vec3){cos(wide), sin(wide), 0};
    all[60 + k].on_b = (vec3){flat, -0.05 * (1 - flat * flat), 0};
  }
  memcpy(left, all, sizeof all);
  int count = manifold_reduce(left, 120, 64);
  CHECK_EQUAL(count, 64);
  for (int k = 0; k < 360; k++) {
    vec3 n = {cos(k * M_PI / 180), sin(k * M_PI / 180), 0};
    double before = -1, after = -1;
    for (int i = 0; i < 120; i++) before = fmax(before, vec3_dot(n, all[i].on_b));
    for (int i = 0; i < count; i++) after = fmax(after, vec3_dot(n, left[i].on_b));
    CHECK_LE(before - after, 0.002);
  }
  CHECK_EQUAL(manifold_reduce(left, count, 64), 64);
}

// A box that rocks and turns a little keeps the names of its points.
static void names_of_points_last(void) {
  polytope low = box_of(1, 1, 1), top = box_of(0.8, 0.8, 0.8);
  manifold_point p[MANIFOLD_POINTS];
  int names[4] = {0};
  for (int i = 0; i < 200; i++) {
    vec3 turn = {1e-3 * sin(0.1 * i), 1e-3 * cos(0.13 * i), 1e-3 * i};
    CHECK_EQUAL(manifold_of_faces(&top, turned(0, 0, 0.9, turn), &low, POSE_IDENTITY, (vec3){0, 0, 1}, 0.01, p), 4);
    for (int k = 0; k < 4; k++) {
      if (i == 0) names[k] = p[k].of_a;
      CHECK_EQUAL(p[k].of_a, names[k]);
    }
  }
}

// --- broad phase -----------------------------------------------------------------------------------------------------

static bool is_even_pair(const void *context, int a, int b) {
  (void)context;
  return (a + b) % 2 == 0;
}

static broad_box around(vec3 p, double r) {
  return (broad_box){{p.x - r, p.y - r, p.z - r}, {p.x + r, p.y + r, p.z + r}};
}

static bool meet(const broad_box *a, const broad_box *b) {
  return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
         a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static void the_broad_phase_finds_what_looking_at_all_pairs_finds(void) {
  enum { N = 200 };
  check_seed = 5;
  static vec3 p[N], v[N];
  static broad_box boxes[N];
  broad *b = broad_create(N, is_even_pair, NULL);
  for (int i = 0; i < N; i++) {
    p[i] = (vec3){uniform(0, 12), uniform(0, 12), uniform(0, 12)};
    v[i] = (vec3){uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
  }
  int last = 0, wrong = 0;
  for (int step = 0; step < 300; step++) {
    for (int i = 0; i < N; i++) {
      p[i] = vec3_axpy(p[i], 0.05, v[i]);
      boxes[i] = i == 7 ? (broad_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 1}}
                        : around(p[i], 0.1 + 0.005 * i);
      broad_set(b, i, boxes[i]);
    }
    CHECK(broad_update(b, NULL));
    int count, k = 0;
    const broad_pair *pairs = broad_pairs(b, &count);
    for (int i = 0; i < N; i++)
      for (int j = i + 1; j < N; j++)
        if (is_even_pair(NULL, i, j) && meet(&boxes[i], &boxes[j])) {
          wrong += k >= count || pairs[k].a != i || pairs[k].b != j;
          k++;
        }
    wrong += k != count;
    last = count;
  }
  CHECK_EQUAL(wrong, 0);
  CHECK(last > 10);
  broad_destroy(b);
}

// The same boxes give the same pairs, whatever was before.
static void pairs_do_not_depend_on_history(void) {
  enum { N = 100 };
  broad *old = broad_create(N, NULL, NULL), *fresh = broad_create(N, NULL, NULL);
  check_seed = 9;
  broad_box last[N];
  for (int step = 0; step < 50; step++) {
    for (int i = 0; i < N; i++)
      broad_set(old, i, last[i] = around((vec3){uniform(0, 6), uniform(0, 6), uniform(0, 6)}, 0.5));
    CHECK(broad_update(old, NULL));
  }
  for (int i = N - 1; i >= 0; i--) broad_set(fresh, i, last[i]);
  CHECK(broad_update(fresh, NULL));
  int count, fresh_count;
  const broad_pair *a = broad_pairs(old, &count), *b = broad_pairs(fresh, &fresh_count);
  CHECK_EQUAL(count, fresh_count);
  CHECK(count == fresh_count && memcmp(a, b, (size_t)count * sizeof *a) == 0);
  broad_destroy(old), broad_destroy(fresh);
}

// Many more pairs than a thread compares at a time.
static void pairs_do_not_depend_on_threads(void) {
  enum { N = 600 };
  broad *one = broad_create(N, NULL, NULL), *many = broad_create(N, NULL, NULL);
  crew c = {0};
  check_seed = 10;
  CHECK(crew_set(&c, 3));
  for (int step = 0; step < 5; step++) {
    for (int i = 0; i < N; i++) {
      broad_box box = around((vec3){uniform(0, 6), uniform(0, 6), uniform(0, 6)}, 0.5);
      broad_set(one, i, box), broad_set(many, i, box);
    }
    CHECK(broad_update(one, NULL) && broad_update(many, &c));
    int count, shared_count;
    const broad_pair *a = broad_pairs(one, &count), *b = broad_pairs(many, &shared_count);
    CHECK(count > 2500);
    CHECK(count == shared_count && memcmp(a, b, (size_t)count * sizeof *a) == 0);
  }
  crew_end(&c);
  broad_destroy(one), broad_destroy(many);
}

int main(void) {
  memory = arena_create(&out_of_memory);
  if (setjmp(out_of_memory)) return 1;
  RUN(a_hull_has_only_true_corners_and_faces);
  RUN(hulls_of_random_points_hold_them_all);
  RUN(hulls_of_points_that_nearly_coincide_are_closed);
  RUN(hulls_without_thickness_end);
  RUN(flat_and_broken_points_are_refused);
  RUN(a_box_on_a_box_has_the_corners_of_their_overlap);
  RUN(equal_boxes_share_four_corners);
  RUN(edges_that_cross_touch_in_one_point);
  RUN(the_depth_of_hulls_is_the_least_translation);
  RUN(what_is_left_out_of_a_region_is_small);
  RUN(names_of_points_last);
  RUN(the_broad_phase_finds_what_looking_at_all_pairs_finds);
  RUN(pairs_do_not_depend_on_history);
  RUN(pairs_do_not_depend_on_threads);
  RUN(faces_that_are_hardly_tilted_keep_their_corners);
  arena_free(&memory);
  return check_summary();
}
