// Outlines in the plane: closed forms, the table of reference pairs, and pairs of our own that are moved, turned,
// mirrored and swapped, held against other algorithms and differences.
#include <float.h>

#include "check.h"
#include "geometry/polyline.h"
#include "geometry/separation.h"
#include "geometry/touch.h"
#include "numbers.h"

static arena memory;
static jmp_buf out_of_memory;

static pose2 at(double x, double y, double angle) { return (pose2){{x, y}, cos(angle), sin(angle)}; }

static outline polygon(const vec2 *points, int count) {
  outline o;
  CHECK_EQUAL(outline_polygon(points, count, &memory, &o, NULL), OUTLINE_OK);
  return o;
}

static outline box(double x, double y) {
  return polygon((vec2[]){{-x / 2, -y / 2}, {x / 2, -y / 2}, {x / 2, y / 2}, {-x / 2, y / 2}}, 4);
}

static outline circle(double radius) {
  outline o;
  outline_circle(radius, &memory, &o);
  return o;
}

static outline capsule(double radius, double length) {
  outline o;
  outline_capsule(radius, length, &memory, &o);
  return o;
}

static outline half_plane(void) {
  outline o;
  outline_half_plane(&memory, &o);
  return o;
}

static int between(const outline *a, pose2 at_a, const outline *b, pose2 at_b, touch *t) {
  return touches_of(a, at_a, b, at_b, INFINITY, t);
}

// --- closed forms ----------------------------------------------------------------------------------------------------

static void round_outlines_have_closed_forms(void) {
  outline ball = circle(0.5), small = circle(0.2), rod = capsule(0.1, 2), floor = half_plane();
  touch t[TOUCHES_MAX];
  CHECK_EQUAL(between(&ball, at(3, 4, 0), &small, at(0, 0, 1), t), 1);
  CHECK_NEAR(t->gap, 5 - 0.7, 1e-15);
  CHECK_NEAR(t->normal.x, 0.6, 1e-15);
  CHECK_NEAR(t->on_a.y, 4 - 0.5 * 0.8, 1e-15);
  CHECK_NEAR(t->radius[0], 0.5, 0);
  CHECK_EQUAL(between(&ball, at(0.9, 0.3, 0), &rod, at(0, 0, 0), t), 1);  // beside its axis
  CHECK_NEAR(t->gap, -0.3, 1e-15);
  CHECK_EQUAL(between(&ball, at(1.3, 0.4, 0), &rod, at(0, 0, 0), t), 1);  // beyond its end
  CHECK_NEAR(t->gap, 0.5 - 0.6, 1e-15);
  CHECK_EQUAL(between(&ball, at(7, 0.4, 0), &floor, at(0, 0, 0), t), 1);
  CHECK_NEAR(t->gap, -0.1, 1e-15);
  CHECK_NEAR(t->normal.y, 1, 1e-15);
}

// Flat on a floor it has the two ends of its edge, and keeps them when it is tilted by rounding or by little.
static void flat_pairs_keep_their_ends(void) {
  outline brick = box(1, 0.1), floor = half_plane(), rod = capsule(0.05, 1);
  touch t[TOUCHES_MAX];
  const outline *lying[] = {&brick, &rod};
  for (int k = 0; k < 2; k++)
    for (int i = -20; i <= 20; i++) {
      double tilt = i == 0 ? 0 : copysign(pow(10, -2.0 + 0.8 * (abs(i) - 20)), i);
      if (!CHECK_EQUAL(between(lying[k], at(0.3, 0.05, tilt), &floor, at(0, 0, 0), t), 2)) return;
      int left = t[0].on_a.x < t[1].on_a.x ? 0 : 1;
      CHECK_NEAR(t[left].on_a.x, -0.2, 1e-3);
      CHECK_NEAR(t[1 - left].on_a.x, 0.8, 1e-3);
      CHECK_NEAR(t[left].gap - t[1 - left].gap, -sin(tilt) - k * copysign(0.1 * sin(tilt / 2) * sin(tilt / 2), tilt),
                 1e-15);
    }
}

static void bricks_touch_at_the_ends_of_their_overlap(void) {
  outline brick = box(1, 0.1);
  touch t[TOUCHES_MAX];
  for (int i = -9; i <= 9; i++) {
    double shift = 0.1 * i;
    CHECK_EQUAL(between(&brick, at(shift, 0.1, 0), &brick, at(0, 0, 0), t), 2);
    double low = fmin(t[0].on_a.x, t[1].on_a.x), high = fmax(t[0].on_a.x, t[1].on_a.x);
    CHECK_NEAR(low, -0.5 + fmax(shift, 0), 1e-14);
    CHECK_NEAR(high, 0.5 + fmin(shift, 0), 1e-14);
    CHECK_NEAR(fabs(t[0].gap) + fabs(t[1].gap), 0, 1e-15);
  }
  for (int i = 0; i < 1000; i++) {  // one on the other up to rounding
    double tiny = 1e-15;
    pose2 above = at(uniform(-tiny, tiny), 0.1 + uniform(-tiny, tiny), uniform(-tiny, tiny));
    if (!CHECK_EQUAL(between(&brick, above, &brick, at(0, 0, 0), t), 2)) return;
    CHECK_NEAR(t[0].normal.y, 1, 1e-15);
    CHECK_NEAR(fabs(t[0].on_a.x - t[1].on_a.x), 1, 1e-12);
  }
}

// The circle of radius 0.3 in a slot of width 0.7 with a round end, and in the inner corner of an L.
static void hollow_outlines_touch_in_several_places(void) {
  outline pin = circle(0.3), slotted;
  const vec2 p[] = {{-1, -1}, {1, -1}, {1, 1}, {0.35, 1}, {0.35, 0}, {-0.35, 0}, {-0.35, 1}, {-1, 1}};
  const double r[] = {0, 0, 0, 0, -0.35, 0, 0, 0};
  CHECK_EQUAL(outline_arcs(p, r, 8, &memory, &slotted, NULL), OUTLINE_OK);
  CHECK(!slotted.convex);
  touch t[TOUCHES_MAX];
  int count = touches_of(&pin, at(0.01, 0.5, 0), &slotted, at(0, 0, 0), 0.1, t);
  CHECK_EQUAL(count, 2);
  CHECK_NEAR(fmin(t[0].gap, t[1].gap), 0.04, 1e-15);
  CHECK_NEAR(fmax(t[0].gap, t[1].gap), 0.06, 1e-15);
  count = touches_of(&pin, at(0.02, -0.02, 0), &slotted, at(0, 0, 0), 0.1, t);  // at the round end: one place
  CHECK_EQUAL(count, 1);
  CHECK_NEAR(t->gap, 0.05 - 0.02 * sqrt(2), 1e-15);
  CHECK_NEAR(t->normal.x, -sqrt(0.5), 1e-14);
  CHECK_NEAR(t->radius[1], -0.35, 1e-15);
  outline bent = polygon((vec2[]){{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, 6), brick = box(0.5, 0.5);
  count = touches_of(&pin, at(1.3 - 1e-3, 1.3 - 2e-3, 0), &bent, at(0, 0, 0), 0.1, t);
  CHECK_EQUAL(count, 2);
  CHECK_NEAR(t[0].gap + t[1].gap, -3e-3, 1e-14);
  count =
      touches_of(&brick, at(1.25 - 1e-3, 1.25 - 2e-3, 0), &bent, at(0, 0, 0), 0.1, t);  // two faces, two points each
  CHECK_EQUAL(count, 4);
}

// A bar in a fork touches its back with a corner. Between the ends of the bar the back is up to 2 mm away.
static void a_corner_of_a_nearly_parallel_edge_is_found(void) {
  outline fork = polygon((vec2[]){{-2, -60}, {1, -60}, {1, 60}, {-2, 60}, {-2, 55}, {0, 55}, {0, -55}, {-2, -55}}, 8),
          bar = box(1, 100);
  double turn = 0.02, front = 0.5 * cos(turn) + 50 * sin(turn);
  for (int k = 0; k < 5; k++) {
    double depth = pow(10, -k) * 0.5;
    touch t[TOUCHES_MAX];
    int count =
        touches_of(&bar, (pose2){{depth - front, 0}, cos(turn), sin(turn)}, &fork, (pose2){{0, 0}, 1, 0}, INFINITY, t);
    double least = INFINITY;
    for (int i = 0; i < count; i++) least = fmin(least, t[i].gap);
    CHECK_NEAR(least, -depth, 1e-12);
  }
}

// The distance of two polygons that are apart.
static double distance_of(const vec2 *a, pose2 at_a, const vec2 *b, pose2 at_b, int count) {
  double least = INFINITY;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < count; k++) {
      vec2 p = pose2_point(at_a, a[i]), from = pose2_point(at_b, b[k]), to = pose2_point(at_b, b[(k + 1) % count]);
      vec2 way = vec2_sub(to, from);
      double s = fmin(fmax(vec2_dot(way, vec2_sub(p, from)) / vec2_dot(way, way), 0), 1);
      least = fmin(least, vec2_norm(vec2_sub(p, vec2_axpy(from, s, way))));
    }
  return least;
}

// Boxes above each other, beside each other by nothing or by their width, turned by next to nothing: where the minimum
// goes over from a corner of one to a corner of the other, a place is found at every offset. An end of a line takes
// part up to d = 1e-9 of the size of both beyond the other line: the gap g is too small there by up to d²/2g.
static void nearly_parallel_boxes_have_a_gap(void) {
  static const vec2 brick[] = {{-0.1, -0.05}, {0.1, -0.05}, {0.1, 0.05}, {-0.1, 0.05}};
  outline a = polygon(brick, 4), b = polygon(brick, 4);
  double size = a.size + b.size, off = 0;
  int lost = 0;
  check_seed = 7;
  for (int i = 0; i < 200000; i++) {
    double gap = pow(10, uniform(-6, -1)), turn = pow(10, uniform(-11, -6)) * (i % 2 ? 1 : -1);
    double beside = 0.2 * (i % 3 - 1), sense = beside == 0 ? 1 : -1;
    // where a corner is above a corner along the normal of A's line, or along that of B's
    double shift = (i % 5 ? 0.05 + gap : 0.05) * turn * sense + uniform(-3e-9, 3e-9) * size, lean = uniform(-1, 1);
    double y = 0.1 + gap + 0.1 * fabs(turn);
    pose2 on_a =
        at(cos(lean) * (beside + shift) - sin(lean) * y, sin(lean) * (beside + shift) + cos(lean) * y, lean + turn);
    touch t[TOUCHES_MAX];
    int count = between(&a, on_a, &b, at(0, 0, lean), t);
    double least = INFINITY, true_gap = fmin(distance_of(brick, on_a, brick, at(0, 0, lean), 4),
                                             distance_of(brick, at(0, 0, lean), brick, on_a, 4));
    for (int k = 0; k < count; k++) least = fmin(least, t[k].gap);
    lost += count == 0;
    if (count > 0) off = fmax(off, fabs(least - true_gap));
  }
  CHECK_EQUAL(lost, 0);
  CHECK_LE(off, pow(1e-9 * size, 2) / 2e-6 + 1e-15);
}

// A corner that is deep in a concave outline leaves by the nearest side, and no other minimum holds it.
static void the_nearest_way_out_frees_a_corner(void) {
  outline bent = polygon((vec2[]){{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, 6);
  outline wedge = polygon((vec2[]){{0, 0}, {1, -0.5}, {1, 0.5}}, 3);
  touch t[TOUCHES_MAX];
  int count = touches_of(&wedge, at(1.9, 0.8, 0), &bent, at(0, 0, 0), 0.01, t);
  CHECK_EQUAL(count, 1);
  CHECK_NEAR(t->gap, -0.1, 1e-15);
  CHECK_NEAR(t->normal.x, 1, 1e-15);
}

// A spline through points of an ellipse: how far gap and curvature are off.
static void compare_with_ellipse(int count, double *off, double *bend) {
  vec2 p[120];
  for (int i = 0; i < count; i++) p[i] = (vec2){2 * cos(2 * M_PI * i / count), sin(2 * M_PI * i / count)};
  outline oval, point = circle(0);
  CHECK_EQUAL(outline_spline(p, count, &memory, &oval, NULL), OUTLINE_OK);
  CHECK(oval.convex);
  CHECK_EQUAL(oval.curved_count, 1);
  *off = *bend = 0;
  for (int i = 0; i < 500; i++) {
    double s = 2 * M_PI * i / 500, speed = hypot(2 * sin(s), cos(s));
    vec2 n = {cos(s) / speed, 2 * sin(s) / speed}, q = {2 * cos(s) + 0.3 * n.x, sin(s) + 0.3 * n.y};
    touch t[TOUCHES_MAX];
    if (!CHECK_EQUAL(between(&point, at(q.x, q.y, 0), &oval, at(0, 0, 0), t), 1)) return;
    *off = fmax(*off, fabs(t->gap - 0.3));
    *bend = fmax(*bend, fabs(t->radius[1] / (speed * speed * speed / 2) - 1));
  }
}

// Its error is of fourth order in the distance of the points, that of the curvature of second order.
static void a_spline_follows_its_curve(void) {
  double off[2], bend[2];
  compare_with_ellipse(60, &off[0], &bend[0]);
  compare_with_ellipse(120, &off[1], &bend[1]);
  printf("    gap off by %.1e and %.1e, curvature by %.1e and %.1e of itself\n", off[0], off[1], bend[0], bend[1]);
  CHECK_LE(off[1], off[0] / 14);
  CHECK_LE(bend[1], bend[0] / 3.5);
  CHECK_LE(off[1], 1e-6);
}

// Of points in any order, also inside and on edges.
static void a_hull_has_only_true_corners(void) {
  check_seed = 31;
  outline o;
  vec2 grid[25];
  for (int i = 0; i < 25; i++) grid[i] = (vec2){(i * 7 % 25) % 5, (i * 7 % 25) / 5};
  CHECK_EQUAL(outline_hull(grid, 25, &memory, &o), OUTLINE_OK);
  CHECK_EQUAL(o.corner_count, 4);
  for (int trial = 0; trial < 200; trial++) {
    vec2 p[20];
    for (int i = 0; i < 20; i++) p[i] = (vec2){uniform(-1, 1), uniform(-1, 1)};
    CHECK_EQUAL(outline_hull(p, 20, &memory, &o), OUTLINE_OK);
    CHECK(o.convex);
    for (int i = 0; i < o.count; i++)
      for (int k = 0; k < 20 && o.features[i].kind == OUTLINE_LINE; k++)
        CHECK_LE(vec2_dot(o.features[i].n0, vec2_sub(p[k], o.features[i].from)), 1e-15);
  }
}

// It would be a place of contact in the middle of a face.
static void corners_on_straight_edges_are_left_out(void) {
  outline plain, more;
  CHECK_EQUAL(outline_polygon((vec2[]){{0, 0}, {3, 1}, {0, 2}}, 3, &memory, &plain, NULL), OUTLINE_OK);
  CHECK_EQUAL(
      outline_polygon((vec2[]){{0, 1.1}, {0, 0}, {0.3, 0.1}, {0.9, 0.3}, {3, 1}, {0, 2}}, 6, &memory, &more, NULL),
      OUTLINE_OK);
  CHECK_EQUAL(more.count, plain.count);
}

static void faulty_outlines_are_refused(void) {
  outline o;
  int where;
  CHECK_EQUAL(outline_polygon((vec2[]){{0, 0}, {1, 0}}, 2, &memory, &o, &where), OUTLINE_FEW);
  CHECK_EQUAL(outline_polygon((vec2[]){{0, 0}, {1, 0}, {2, 0}}, 3, &memory, &o, &where), OUTLINE_FEW);
  CHECK_EQUAL(outline_polygon((vec2[]){{0, 0}, {1, 0}, {1, 0}, {0, 1}}, 4, &memory, &o, &where), OUTLINE_REPEATED);
  CHECK_EQUAL(where, 1);
  CHECK_EQUAL(outline_polygon((vec2[]){{0, 0}, {1, 1}, {1, 0}, {0, 1.5}}, 4, &memory, &o, &where), OUTLINE_TANGLED);
  static vec2 many[OUTLINE_POINTS_MAX + 1];
  for (int i = 0; i <= OUTLINE_POINTS_MAX; i++) many[i] = (vec2){cos(0.003 * i), sin(0.003 * i)};
  CHECK_EQUAL(outline_polygon(many, OUTLINE_POINTS_MAX + 1, &memory, &o, &where), OUTLINE_MANY);
  CHECK_EQUAL(outline_polygon(many, OUTLINE_POINTS_MAX, &memory, &o, &where), OUTLINE_OK);
  CHECK_EQUAL(outline_arcs((vec2[]){{0, 0}, {1, 0}, {0, 1}}, (double[]){0.4, 0, 0}, 3, &memory, &o, &where),
              OUTLINE_ARC);
  CHECK_EQUAL(where, 0);
}

// --- the table of reference ------------------------------------------------------------------------------------------

enum { POINTS = 64 };

static bool make(const char *kind, const char *sizes, outline *to) {
  double x[2 * POINTS];
  int count = read_numbers(sizes, x, 2 * POINTS);
  if (strcmp(kind, "circle") == 0) *to = circle(x[0]);
  else if (strcmp(kind, "capsule") == 0) *to = capsule(x[0], x[1]);
  else if (strcmp(kind, "box") == 0) *to = box(x[0], x[1]);
  else if (strcmp(kind, "polygon") == 0) {
    vec2 p[POINTS];
    for (int i = 0; i < count / 2; i++) p[i] = (vec2){x[2 * i], x[2 * i + 1]};
    *to = polygon(p, count / 2);
  } else return false;
  return true;
}

static pose2 read_pose(const char *position, const char *quaternion) {
  double x[3] = {0}, q[4] = {0};
  read_numbers(position, x, 3);
  read_numbers(quaternion, q, 4);
  return pose2_of((pose){quat_matrix((quat){q[0], q[1], q[2], q[3]}), vec3_of(x)});
}

static touch first_of(const outline *a, pose2 at_a, const outline *b, pose2 at_b, int *count) {
  touch t[TOUCHES_MAX] = {{0}};
  *count = between(a, at_a, b, at_b, t);
  touch least = t[0];
  for (int i = 1; i < *count; i++)
    if (t[i].gap < least.gap) least = t[i];
  return least;
}

static void planar_pairs_agree_with_the_reference(void) {
  char path[4096];
  if (!check_shared("refs/geometry/planar.csv", path, sizeof path)) SKIP("no reference pairs");
  FILE *table = fopen(path, "r");
  char *line = NULL;
  size_t room = 0;
  int count = 0;
  double distance = 0, normal = 0;
  while (table && getline(&line, &room, table) > 0) {
    char *rest = line, *field[10];
    for (int i = 0; i < 10; i++) field[i] = strsep(&rest, ";\n");
    outline a, b;
    if (!field[9] || !make(field[0], field[1], &a) || !make(field[4], field[5], &b)) continue;
    int touches;
    touch t = first_of(&a, read_pose(field[2], field[3]), &b, read_pose(field[6], field[7]), &touches);
    CHECK(touches > 0);
    double n[3] = {0};
    read_numbers(field[9], n, 3);
    distance = fmax(distance, fabs(t.gap - strtod(field[8], NULL)));
    normal = fmax(normal, hypot(t.normal.x - n[0], t.normal.y - n[1]));
    count++;
  }
  free(line);
  if (table) fclose(table);
  printf("    %d pairs: distance off by at most %.1e, normal by %.1e\n", count, distance, normal);
  CHECK_EQUAL(count, 60);
  CHECK_LE(distance, 1e-11);
  CHECK_LE(normal, 1e-7);
}

// --- pairs of our own ------------------------------------------------------------------------------------------------

typedef struct made {
  outline shape;
  convex known;  // the same for the other algorithm, if it is convex
  vec3 corners[POINTS];
  int kind;
  double size[2];
  vec2 points[POINTS];
  int count;
} made;

static void build(made *to) {
  if (to->kind == 0) to->shape = circle(to->size[0]), to->known = convex_sphere(to->size[0]);
  else if (to->kind == 1) to->shape = capsule(to->size[0], to->size[1]);
  else if (to->kind == 2)
    to->shape = box(to->size[0], to->size[1]), to->known = convex_box(to->size[0], to->size[1], 0);
  else if (to->kind == 3) {
    to->shape = polygon(to->points, to->count);
    for (int i = 0; i < to->count; i++) to->corners[i] = vec2_in_space(to->points[i]);
    to->known = convex_hull(to->corners, to->count);
  } else CHECK_EQUAL(outline_spline(to->points, to->count, &memory, &to->shape, NULL), OUTLINE_OK);
}

// Points around the origin: on a circle (convex), or at distances from it that vary.
static void make_around(made *to, int count, double rough) {
  to->count = count;
  double turn = uniform(0, 6);
  for (int i = 0; i < count; i++) {
    double angle = turn + 2 * M_PI * (i + uniform(-0.3, 0.3)) / count, r = 0.5 * (1 - uniform(0, rough));
    to->points[i] = (vec2){r * cos(angle), r * sin(angle)};
  }
}

static void make_random(made *to, bool convex_only) {
  to->kind = (int)uniform(0, convex_only ? 4 : 6);
  to->size[0] = uniform(0.1, 0.5), to->size[1] = uniform(0.1, 0.8);
  if (to->kind >= 3) make_around(to, (int)uniform(to->kind == 3 ? 3 : 6, 12), to->kind == 3 ? 0 : 0.4);
  if (to->kind == 5) to->kind = 3;  // a concave polygon
  build(to);
}

static void convex_pairs_agree_with_another_algorithm(void) {
  check_seed = 5;
  double distance = 0, normal = 0;
  int loose = 0;
  for (int i = 0; i < 3000; i++) {
    static made a, b;
    arena_mark mark = arena_get_mark(&memory);
    do make_random(&a, true);
    while (a.kind == 1);
    do make_random(&b, true);
    while (b.kind == 1);
    double ta = uniform(-3, 3), tb = uniform(-3, 3);
    pose2 pa = at(uniform(-0.3, 0.3), uniform(-0.3, 0.3), ta), pb = at(uniform(-0.8, 0.8), uniform(-0.8, 0.8), tb);
    int count;
    touch t = first_of(&a.shape, pa, &b.shape, pb, &count);
    pose qa = {quat_matrix(quat_exp((vec3){0, 0, ta})), vec2_in_space(pa.p)},
         qb = {quat_matrix(quat_exp((vec3){0, 0, tb})), vec2_in_space(pb.p)};
    separation s = separation_of(&a.known, qa, &b.known, qb, true);
    CHECK(count > 0);
    distance = fmax(distance, fabs(t.gap - s.distance));
    double off = hypot(t.normal.x - s.normal.x, t.normal.y - s.normal.y);
    normal = fmax(normal, off);
    loose += off > 1e-7;
    arena_release(&memory, mark);
  }
  printf("    distance off by at most %.1e, normal by %.1e, %d above 1e-7\n", distance, normal, loose);
  CHECK_LE(distance, 1e-12);
  CHECK_EQUAL(loose, 0);
}

static made mirror(const made *m) {
  made image = *m;
  for (int i = 0; i < m->count; i++) image.points[i].x = -m->points[i].x;
  build(&image);
  return image;
}

static pose2 mirror_pose(pose2 p) { return (pose2){{-p.p.x, p.p.y}, p.c, -p.s}; }
static pose2 see(pose2 view, pose2 p) {
  return (pose2){pose2_point(view, p.p), view.c * p.c - view.s * p.s, view.s * p.c + view.c * p.s};
}

// The largest difference of the gaps of two lists of touches, each with its nearest in gap and normal; normals by
// `turn`.
static double compare(const touch *s, int count, const touch *t, int other, vec2 (*seen)(vec2 n, pose2 view),
                      pose2 view, double *turn) {
  if (count != other) return 1;
  double most = 0;
  for (int i = 0; i < count; i++) {
    double best = DBL_MAX, off = 0, gap = 0;
    for (int k = 0; k < other; k++) {
      double o = vec2_norm(vec2_sub(t[k].normal, seen(s[i].normal, view))), g = fabs(t[k].gap - s[i].gap);
      if (o + g < best) best = o + g, off = o, gap = g;
    }
    most = fmax(most, gap), *turn = fmax(*turn, off);
  }
  return most;
}

static vec2 seen_opposite(vec2 n, pose2 view) { return (void)view, vec2_neg(n); }
static vec2 seen_turned(vec2 n, pose2 view) { return pose2_turn(view, n); }
static vec2 seen_mirrored(vec2 n, pose2 view) { return (void)view, (vec2){-n.x, n.y}; }

static void own_pairs_do_not_depend_on_the_view(void) {
  check_seed = 11;
  double gap = 0, normal = 0;
  int touching = 0, several = 0;
  for (int i = 0; i < 3000; i++) {
    static made a, b;
    arena_mark mark = arena_get_mark(&memory);
    make_random(&a, false), make_random(&b, false);
    pose2 pa = at(uniform(-0.3, 0.3), uniform(-0.3, 0.3), uniform(-3, 3)),
          pb = at(uniform(-0.8, 0.8), uniform(-0.8, 0.8), uniform(-3, 3));
    pose2 view = at(uniform(-5, 5), uniform(-5, 5), uniform(-3, 3));
    touch s[TOUCHES_MAX], t[TOUCHES_MAX];
    int count = between(&a.shape, pa, &b.shape, pb, s);
    double turn = 0, off = compare(s, count, t, between(&b.shape, pb, &a.shape, pa, t), seen_opposite, view, &turn);
    off = fmax(off, compare(s, count, t, between(&a.shape, see(view, pa), &b.shape, see(view, pb), t), seen_turned,
                            view, &turn));
    made ia = mirror(&a), ib = mirror(&b);
    off = fmax(off, compare(s, count, t, between(&ia.shape, mirror_pose(pa), &ib.shape, mirror_pose(pb), t),
                            seen_mirrored, view, &turn));
    gap = fmax(gap, off), normal = fmax(normal, turn);
    touching += count > 0, several += count > 1;
    arena_release(&memory, mark);
  }
  printf("    %d of 3000 pairs touch, %d in several places: gap off by at most %.1e, normal by %.1e\n", touching,
         several, gap, normal);
  CHECK_EQUAL(touching, 3000);
  CHECK_LE(gap, 1e-12);
  CHECK_LE(normal, 1e-7);
}

// --- sampled distances -----------------------------------------------------------------------------------------------

enum { SAMPLES = 2000 };

// Points on a spline, evenly over its features.
static int sample(const outline *o, pose2 p, vec2 *to) {
  vec2 *points;
  int count = outline_sample(o, 3e-6, &memory, &points);
  CHECK(count <= SAMPLES);
  for (int i = 0; i < count && i < SAMPLES; i++) to[i] = pose2_point(p, points[i]);
  return count < SAMPLES ? count : SAMPLES;
}

// Smooth outlines that are apart: the touches are the local minima of sampled distances, and the other way round.
static void minima_are_those_of_sampled_distances(void) {
  check_seed = 23;
  int found = 0, pairs = 0, wrong = 0, missing = 0;
  for (int trial = 0; trial < 150; trial++) {
    static made a, b;
    static vec2 p[SAMPLES], q[SAMPLES];
    arena_mark mark = arena_get_mark(&memory);
    a.kind = b.kind = 4;
    make_around(&a, (int)uniform(6, 9), 0.6), make_around(&b, (int)uniform(6, 9), 0.6);
    build(&a), build(&b);
    pose2 pa = at(0, 0, uniform(-3, 3)), pb = at(uniform(0.6, 1.0), uniform(-0.5, 0.5), uniform(-3, 3));
    touch t[TOUCHES_MAX];
    int count = touches_of(&a.shape, pa, &b.shape, pb, 0.3, t), np = sample(&a.shape, pa, p),
        nq = sample(&b.shape, pb, q);
    double least = DBL_MAX;
    for (int i = 0; i < count; i++) least = fmin(least, t[i].gap);
    if (count && least > 0.01) {
      pairs++;
      int seen = 0;
      for (int i = 0; i < np; i++)
        for (int j = 0; j < nq; j++) {
          double d = vec2_norm(vec2_sub(p[i], q[j]));
          if (d > 0.3) continue;
          bool lowest = true;
          for (int di = -2; di <= 2 && lowest; di++)
            for (int dj = -2; dj <= 2 && lowest; dj++)
              lowest = (!di && !dj) || vec2_norm(vec2_sub(p[(i + di + np) % np], q[(j + dj + nq) % nq])) >= d;
          if (!lowest) continue;
          bool known = false;
          for (int k = 0; k < count; k++)
            known |= vec2_norm(vec2_sub(t[k].on_a, p[i])) < 0.03 && vec2_norm(vec2_sub(t[k].on_b, q[j])) < 0.03 &&
                     fabs(t[k].gap - d) < 1e-3;
          missing += !known;
          seen++;
        }
      for (int k = 0; k < count; k++) {  // no sample near it is nearer
        double near = DBL_MAX;
        for (int i = 0; i < np; i++)
          for (int j = 0; j < nq; j++)
            if (vec2_norm(vec2_sub(t[k].on_a, p[i])) < 0.02 && vec2_norm(vec2_sub(t[k].on_b, q[j])) < 0.02)
              near = fmin(near, vec2_norm(vec2_sub(p[i], q[j])));
        wrong += near < t[k].gap - 1e-9;
      }
      found += count;
    }
    arena_release(&memory, mark);
  }
  printf("    %d pairs with %d minima: %d missing, %d wrong\n", pairs, found, missing, wrong);
  CHECK(pairs > 60);
  CHECK(found > pairs);
  CHECK_EQUAL(missing, 0);
  CHECK_EQUAL(wrong, 0);
}

// --- rates -----------------------------------------------------------------------------------------------------------

static pose2 moved_by(pose2 p, outline_motion m, double time) {
  return (pose2){vec2_axpy(p.p, time, m.v), p.c * cos(m.w * time) - p.s * sin(m.w * time),
                 p.s * cos(m.w * time) + p.c * sin(m.w * time)};
}

static const touch *same_touch(const touch *t, const touch *list, int count) {
  const touch *best = NULL;
  double near = 0.01;
  for (int i = 0; i < count; i++) {
    double off = vec2_norm(vec2_sub(list[i].on_a, t->on_a)) + vec2_norm(vec2_sub(list[i].on_b, t->on_b));
    if (off < near && list[i].id[0] == t->id[0] && list[i].id[1] == t->id[1]) near = off, best = &list[i];
  }
  return best;
}

static void rates_agree_with_differences(void) {
  check_seed = 17;
  const double h = 1e-6;
  double gap = 0, turn = 0, points = 0;
  int checked = 0, lost = 0;
  for (int i = 0; i < 2000; i++) {
    static made a, b;
    arena_mark mark = arena_get_mark(&memory);
    make_random(&a, false), make_random(&b, false);
    pose2 pa = at(uniform(-0.3, 0.3), uniform(-0.3, 0.3), uniform(-3, 3)),
          pb = at(uniform(-0.8, 0.8), uniform(-0.8, 0.8), uniform(-3, 3));
    outline_motion ma = {pa.p, {uniform(-1, 1), uniform(-1, 1)}, uniform(-1, 1)},
                   mb = {pb.p, {uniform(-1, 1), uniform(-1, 1)}, uniform(-1, 1)};
    touch s[TOUCHES_MAX], before[TOUCHES_MAX], after[TOUCHES_MAX];
    int count = between(&a.shape, pa, &b.shape, pb, s);
    int count_before = between(&a.shape, moved_by(pa, ma, -h), &b.shape, moved_by(pb, mb, -h), before);
    int count_after = between(&a.shape, moved_by(pa, ma, h), &b.shape, moved_by(pb, mb, h), after);
    for (int k = 0; k < count; k++) {
      touch_rate r;
      const touch *p = same_touch(&s[k], before, count_before), *q = same_touch(&s[k], after, count_after);
      if (!p || !q || !touch_rate_of(&s[k], ma, mb, &r)) {
        lost++;
        continue;
      }
      double size = 1 + r.turn * r.turn;
      gap = fmax(gap, fabs((q->gap - p->gap) / (2 * h) - r.gap));
      turn = fmax(turn, fabs(vec2_angle(p->normal, q->normal) / (2 * h) - r.turn) / size);
      points = fmax(points, vec2_norm(vec2_sub(vec2_scale(1 / (2 * h), vec2_sub(q->on_a, p->on_a)), r.on_a)) / size);
      points = fmax(points, vec2_norm(vec2_sub(vec2_scale(1 / (2 * h), vec2_sub(q->on_b, p->on_b)), r.on_b)) / size);
      checked++;
    }
    arena_release(&memory, mark);
  }
  printf("    %d touches, %d lost: gap off by at most %.1e, normal by %.1e, points by %.1e\n", checked, lost, gap, turn,
         points);
  CHECK(checked > 2000);
  CHECK_LE(lost, 20);
  CHECK_LE(gap, 1e-6);
  CHECK_LE(turn, 1e-4);
  CHECK_LE(points, 1e-4);
}

// Against 200 lines along each arc or cubic, which are off by up to r (60 deg/200)²/8, about 1e-5; and no two places
// differ by more than their distance.
static void the_nearest_place_is_continuous(void) {
  static const vec2 comb[] = {{0, 0}, {4, 0}, {4, 2}, {3, 2}, {3, 0.5}, {2, 0.5}, {2, 2.5}, {1, 2}, {1, 1}, {0, 2}};
  static const double radii[] = {0, 1.5, 0, -1, -0.8, 0, 2, 0, -2, 0};
  arena memory = {0};
  outline shapes[3];
  CHECK(outline_polygon(comb, 10, &memory, &shapes[0], NULL) == OUTLINE_OK);
  CHECK(outline_arcs(comb, radii, 10, &memory, &shapes[1], NULL) == OUTLINE_OK);
  CHECK(outline_spline(comb, 10, &memory, &shapes[2], NULL) == OUTLINE_OK);
  check_seed = 31;
  for (int k = 0; k < 3; k++) {
    vec2 *points;
    int count = outline_sample(&shapes[k], 1e-6, &memory, &points);
    double off = 0, beyond = 0, steepest = 0;
    for (int i = 0; i < 3000; i++) {
      vec2 p = {uniform(-1, 5), uniform(-1, 3.5)};
      vec2 near = {p.x + uniform(-1e-3, 1e-3), p.y + uniform(-1e-3, 1e-3)};
      outline_foot foot = outline_nearest(&shapes[k], p), beside = outline_nearest(&shapes[k], near);
      double least = INFINITY;
      for (int j = 0; j < count; j++) {
        vec2 a = points[j], way = vec2_sub(points[(j + 1) % count], a);
        double s = fmin(fmax(vec2_dot(way, vec2_sub(p, a)) / vec2_dot(way, way), 0), 1);
        least = fmin(least, vec2_norm(vec2_sub(p, vec2_axpy(a, s, way))));
      }
      off = fmax(off, fabs(foot.gap - (outline_holds(&shapes[k], p) ? -least : least)));
      beyond = fmax(beyond, vec2_norm(vec2_sub(p, vec2_axpy(foot.at, foot.gap, foot.normal))));
      steepest = fmax(steepest, fabs(foot.gap - beside.gap) / vec2_norm(vec2_sub(p, near)));
    }
    CHECK_LE(off, 2e-5);
    CHECK_LE(beyond, 1e-12);
    CHECK_LE(steepest, 1 + 1e-9);
  }
  arena_free(&memory);
}

// A chain along x from right to left, with material below it: a point beside its end and below its line is not in it.
static void beyond_the_end_of_a_chain_is_outside(void) {
  static const int place[] = {0, 1}, next[] = {1, -1}, before[] = {-1, 0};
  static const vec2 places[] = {{1, 0}, {0, 0}};
  const polyline l = {.count = 2, .place = place, .next = next, .before = before};
  CHECK_NEAR(polyline_nearest(&l, places, (vec2){0.5, -0.01}).gap, -0.01, 1e-15);
  const polyline_foot beside = polyline_nearest(&l, places, (vec2){1.03, -0.04});
  CHECK_NEAR(beside.gap, 0.05, 1e-15);
  CHECK_NEAR(vec2_dot(beside.normal, (vec2){0.6, -0.8}), 1, 1e-12);
}

int main(void) {
  memory = arena_create(&out_of_memory);
  if (setjmp(out_of_memory)) return 2;
  RUN(round_outlines_have_closed_forms);
  RUN(flat_pairs_keep_their_ends);
  RUN(bricks_touch_at_the_ends_of_their_overlap);
  RUN(hollow_outlines_touch_in_several_places);
  RUN(the_nearest_way_out_frees_a_corner);
  RUN(a_spline_follows_its_curve);
  RUN(a_hull_has_only_true_corners);
  RUN(corners_on_straight_edges_are_left_out);
  RUN(faulty_outlines_are_refused);
  RUN(planar_pairs_agree_with_the_reference);
  RUN(convex_pairs_agree_with_another_algorithm);
  RUN(own_pairs_do_not_depend_on_the_view);
  RUN(minima_are_those_of_sampled_distances);
  RUN(rates_agree_with_differences);
  RUN(a_corner_of_a_nearly_parallel_edge_is_found);
  RUN(nearly_parallel_boxes_have_a_gap);
  arena_free(&memory);
  RUN(the_nearest_place_is_continuous);
  RUN(beyond_the_end_of_a_chain_is_outside);
  return check_summary();
}
