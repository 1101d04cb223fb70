// Signed distances of convex shapes: closed forms, the tables of reference pairs, and pairs of our own that are moved,
// turned, mirrored and swapped.
#include "check.h"
#include "geometry/separation.h"
#include "numbers.h"

static pose at(double x, double y, double z) { return (pose){MAT3_IDENTITY, {x, y, z}}; }

static void round_shapes_have_closed_forms(void) {
  convex ball = convex_sphere(0.5), small = convex_sphere(0.2), rod = convex_capsule(0.1, 2);
  separation s = separation_of(&ball, at(1, 2, 2), &small, at(0, 0, 0), false);
  CHECK_NEAR(s.distance, 3 - 0.7, 1e-15);
  CHECK_NEAR(s.normal.y, 2.0 / 3, 1e-15);
  CHECK_NEAR(s.on_b.y, 0.2 * 2 / 3, 1e-15);
  CHECK_NEAR(s.on_a.x, 1 - 0.5 / 3, 1e-15);
  s = separation_of(&ball, at(0.3, 0, 0.9), &rod, at(0, 0, 0), false);  // beside its axis
  CHECK_NEAR(s.distance, 0.3 - 0.6, 1e-15);
  CHECK_NEAR(s.normal.x, 1, 1e-15);
  s = separation_of(&ball, at(3, 0, 5), &rod, at(0, 0, 0), false);  // beyond its end
  CHECK_NEAR(s.distance, 5 - 0.6, 1e-15);
}

static void boxes_have_closed_forms(void) {
  convex a = convex_box(1, 2, 3), b = convex_box(0.5, 0.5, 0.5);
  separation s = separation_of(&b, at(0.7, 0.1, 0.2), &a, at(0, 0, 0), false);  // face on face, 5 cm deep
  CHECK_NEAR(s.distance, -0.05, 1e-15);
  CHECK_NEAR(s.normal.x, 1, 1e-15);
  s = separation_of(&b, at(2, 3, 4), &a, at(0, 0, 0), false);  // corner to corner
  CHECK_NEAR(s.distance, sqrt(1.25 * 1.25 + 1.75 * 1.75 + 2.25 * 2.25), 1e-14);
  convex ball = convex_sphere(0.1);
  s = separation_of(&ball, at(0, 0.2, 0.3), &a, at(0, 0, 0), false);  // inside: out through the nearest face
  CHECK_NEAR(s.distance, -0.6, 1e-15);
  CHECK_NEAR(fabs(s.normal.x), 1, 1e-15);
}

static void a_cone_and_a_cylinder_have_closed_forms(void) {
  convex cone = convex_cone(0.3, 0.4), tower = convex_cylinder(0.3, 1), point = convex_sphere(0);
  separation s = separation_of(&point, at(0.4, 0, 0.4), &cone, at(0, 0, 0), false);  // side: normal (4, 0, 3)/5
  CHECK_NEAR(s.distance, 0.8 * 0.4 + 0.6 * 0.2, 1e-12);
  CHECK_NEAR(s.normal.x, 0.8, 1e-7);
  s = separation_of(&point, at(0.6, 0, 0.9), &tower, at(0, 0, 0), false);  // rim
  CHECK_NEAR(s.distance, 0.5, 1e-13);
  s = separation_of(&point, at(0.1, 0.1, 0.45), &tower, at(0, 0, 0), false);  // below its top
  CHECK_NEAR(s.distance, -0.05, 1e-13);
  CHECK_NEAR(s.normal.z, 1, 1e-13);
}

// The shallower of two ways out, though the deeper one is nearer to the line of centres.
static void the_global_minimum_is_found(void) {
  convex plate = convex_box(2, 2, 0.1), ball = convex_ellipsoid(0.2, 0.2, 0.2);
  separation s = separation_of(&ball, at(0.8, 0, 0.01), &plate, at(0, 0, 0), false);
  CHECK_NEAR(s.distance, -(0.05 - 0.01 + 0.2), 1e-13);
  CHECK_NEAR(s.normal.z, 1, 1e-7);
  s = separation_of(&ball, at(0, 0, 0), &ball, at(0, 0, 0), false);  // every direction is as good
  CHECK_NEAR(s.distance, -0.4, 1e-13);
}

// --- the tables of reference -----------------------------------------------------------------------------------------

enum { POINTS = 64 };

typedef struct made {
  convex shape;
  vec3 points[POINTS];
  pose at;
} made;

static bool make(const char *kind, const char *sizes, bool planar, made *to) {
  double x[3 * POINTS];
  int count = read_numbers(sizes, x, 3 * POINTS), d = planar ? 2 : 3;
  if (strcmp(kind, "sphere") == 0 || strcmp(kind, "circle") == 0) to->shape = convex_sphere(x[0]);
  else if (strcmp(kind, "capsule") == 0) to->shape = convex_capsule(x[0], x[1]);
  else if (strcmp(kind, "box") == 0) to->shape = convex_box(x[0], x[1], planar ? 0 : x[2]);
  else if (strcmp(kind, "cylinder") == 0) to->shape = convex_cylinder(x[0], x[1]);
  else if (strcmp(kind, "cone") == 0) to->shape = convex_cone(x[0], x[1]);
  else if (strcmp(kind, "ellipsoid") == 0) to->shape = convex_ellipsoid(x[0], x[1], x[2]);
  else if (strcmp(kind, "superellipsoid") == 0) to->shape = convex_superellipsoid(x[0], x[1], x[2], x[3], x[4]);
  else if (strcmp(kind, "hull") == 0 || strcmp(kind, "polygon") == 0) {
    for (int i = 0; i < count / d; i++) to->points[i] = (vec3){x[d * i], x[d * i + 1], planar ? 0 : x[d * i + 2]};
    to->shape = convex_hull(to->points, count / d);
  } else return false;
  return true;
}

static pose read_pose(const char *position, const char *quaternion) {
  double x[3] = {0}, q[4] = {0};
  read_numbers(position, x, 3);
  read_numbers(quaternion, q, 4);
  return (pose){quat_matrix((quat){q[0], q[1], q[2], q[3]}), vec3_of(x)};
}

static void check_table(const char *file, bool planar, int expected) {
  char path[4096];
  if (!check_shared(file, path, sizeof path)) SKIP("no reference pairs");
  FILE *table = fopen(path, "r");
  char *line = NULL;
  size_t room = 0;
  int count = 0;
  double distance = 0, normal = 0;
  while (table && getline(&line, &room, table) > 0) {
    char *rest = line, *field[10];
    for (int i = 0; i < 10; i++) field[i] = strsep(&rest, ";\n");
    static made a, b;
    if (!field[9] || !make(field[0], field[1], planar, &a) || !make(field[4], field[5], planar, &b)) continue;
    separation s =
        separation_of(&a.shape, read_pose(field[2], field[3]), &b.shape, read_pose(field[6], field[7]), planar);
    double n[3] = {0};
    read_numbers(field[9], n, 3);
    distance = fmax(distance, fabs(s.distance - strtod(field[8], NULL)));
    normal = fmax(normal, vec3_norm(vec3_sub(s.normal, vec3_of(n))));
    count++;
  }
  free(line);
  if (table) fclose(table);
  printf("    %d pairs: distance off by at most %.1e, normal by %.1e\n", count, distance, normal);
  CHECK_EQUAL(count, expected);
  CHECK_LE(distance, 1e-11);
  CHECK_LE(normal, 1e-7);
}

static void spatial_pairs_agree_with_the_reference(void) { check_table("refs/geometry/spatial.csv", false, 160); }
static void planar_pairs_agree_with_the_reference(void) { check_table("refs/geometry/planar.csv", true, 60); }

// --- pairs of our own ------------------------------------------------------------------------------------------------

static vec3 random_point(double size) {
  return (vec3){uniform(-size, size), uniform(-size, size), uniform(-size, size)};
}

static mat3 random_turn(void) {
  return quat_matrix(quat_normalize((quat){uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}));
}

static void make_random(made *to) {
  switch ((int)uniform(0, 8)) {
    case 0: to->shape = convex_sphere(uniform(0.1, 0.6)); break;
    case 1: to->shape = convex_capsule(uniform(0.1, 0.4), uniform(0.2, 1.2)); break;
    case 2: to->shape = convex_box(uniform(0.2, 0.9), uniform(0.2, 0.9), uniform(0.2, 0.9)); break;
    case 3: to->shape = convex_cylinder(uniform(0.1, 0.4), uniform(0.2, 1.2)); break;
    case 4: to->shape = convex_cone(uniform(0.1, 0.5), uniform(0.2, 1.2)); break;
    case 5: to->shape = convex_ellipsoid(uniform(0.2, 0.9), uniform(0.2, 0.9), uniform(0.2, 0.9)); break;
    case 6:
      to->shape = convex_superellipsoid(uniform(0.2, 0.7), uniform(0.2, 0.7), uniform(0.2, 0.7), uniform(0.3, 1.7),
                                        uniform(0.3, 1.7));
      break;
    default:
      for (int i = 0; i < 14; i++) to->points[i] = random_point(0.4);
      to->shape = convex_hull(to->points, 14);
  }
}

// All shapes but a hull are their own mirror images in x = 0; a hull's is made of mirrored points.
static made mirror(const made *m) {
  made image = *m;
  for (int i = 0; i < m->shape.point_count; i++) image.points[i].x = -m->points[i].x;
  const double *R = m->at.R.m;
  image.at = (pose){{{R[0], -R[1], -R[2], -R[3], R[4], R[5], -R[6], R[7], R[8]}}, {-m->at.p.x, m->at.p.y, m->at.p.z}};
  return image;
}

static void own_pairs_do_not_depend_on_the_view(void) {
  check_seed = 11;
  enum { PAIRS = 2000 };
  double distance = 0, normal = 0, points = 0;
  int loose = 0;
  for (int i = 0; i < PAIRS; i++) {
    static made a, b;
    make_random(&a), make_random(&b);
    a.at = (pose){random_turn(), random_point(0.2)}, b.at = (pose){random_turn(), random_point(1)};
    separation s = separation_of(&a.shape, a.at, &b.shape, b.at, false);
    separation swapped = separation_of(&b.shape, b.at, &a.shape, a.at, false);
    pose view = {random_turn(), random_point(5)};
    separation moved = separation_of(&a.shape, pose_product(view, a.at), &b.shape, pose_product(view, b.at), false);
    made image_a = mirror(&a), image_b = mirror(&b);
    if (image_a.shape.points) image_a.shape.points = image_a.points;
    if (image_b.shape.points) image_b.shape.points = image_b.points;
    separation mirrored = separation_of(&image_a.shape, image_a.at, &image_b.shape, image_b.at, false);
    distance = fmax(distance, fmax(fabs(swapped.distance - s.distance),
                                   fmax(fabs(moved.distance - s.distance), fabs(mirrored.distance - s.distance))));
    vec3 seen = mat3_mul(view.R, s.normal), image = {-s.normal.x, s.normal.y, s.normal.z};
    double off = fmax(vec3_norm(vec3_add(swapped.normal, s.normal)),
                      fmax(vec3_norm(vec3_sub(moved.normal, seen)), vec3_norm(vec3_sub(mirrored.normal, image))));
    normal = fmax(normal, off);
    loose += off > 1e-7;
    points = fmax(points, vec3_norm(vec3_sub(vec3_sub(s.on_a, s.on_b), vec3_scale(s.distance, s.normal))));
  }
  printf("    %d pairs: distance off by at most %.1e, normal by %.1e, %d above 1e-7, points by %.1e\n", PAIRS, distance,
         normal, loose, points);
  CHECK_LE(distance, 1e-12);
  CHECK_LE(normal, 1e-7);
  CHECK_LE(points, 1e-6);
}

// From any start the answer is the same: the one without a start, which is found by comparing all directions where
// shapes overlap deeply. From its own normal it is the same to the bit: points of bodies at rest are kept, and after a
// resume found again from their normals.
static void a_start_changes_nothing_but_the_time(void) {
  check_seed = 23;
  enum { PAIRS = 1500 };
  double distance = 0, normal = 0;
  int moved = 0, without = 0, with = 0, smooth = 0, deep = 0;
  for (int i = 0; i < PAIRS; i++) {
    static made a, b;
    make_random(&a), make_random(&b);
    a.at = (pose){random_turn(), random_point(0.2)}, b.at = (pose){random_turn(), random_point(i % 2 ? 1 : 0.3)};
    separation s = separation_of(&a.shape, a.at, &b.shape, b.at, false);
    vec3 far = random_point(1), near = vec3_add(s.normal, random_point(1e-2));
    separation wrong = separation_from(&a.shape, a.at, &b.shape, b.at, false, vec3_scale(1 / vec3_norm(far), far));
    separation right = separation_from(&a.shape, a.at, &b.shape, b.at, false, vec3_scale(1 / vec3_norm(near), near));
    separation again = separation_from(&a.shape, a.at, &b.shape, b.at, false, right.normal);
    distance = fmax(distance, fmax(fabs(wrong.distance - s.distance), fabs(right.distance - s.distance)));
    normal =
        fmax(normal, fmax(vec3_norm(vec3_sub(wrong.normal, s.normal)), vec3_norm(vec3_sub(right.normal, s.normal))));
    moved += memcmp(&again.normal, &right.normal, sizeof(vec3)) != 0 || again.distance != right.distance ||
             memcmp(&again.on_a, &right.on_a, sizeof(vec3)) != 0;
    if (a.shape.type->has_edges || b.shape.type->has_edges) continue;
    smooth++, deep += s.distance < 0, without += s.evaluations, with += right.evaluations;
  }
  printf("    %d pairs: distance off by at most %.1e, normal by %.1e, %d change from their own normal\n", PAIRS,
         distance, normal, moved);
  printf("    %d smooth pairs, %d of them overlap: %d evaluations without a start, %d with one\n", smooth, deep,
         without, with);
  CHECK_LE(distance, 1e-12);
  CHECK_LE(normal, 1e-7);
  CHECK_EQUAL(moved, 0);
  CHECK(smooth > 150 && deep > 30 && with < without);
}

// A ball of radius ρ that touches at the support point p of n is within the shape: (p - ρ n) · n' + ρ ≤ h(n') for all
// n'.
static void balls_that_roll_stay_inside(void) {
  check_seed = 29;
  double outside = -1;
  int balls = 0;
  for (int i = 0; i < 300; i++) {
    double x[3] = {uniform(0.2, 0.9), uniform(0.2, 0.9), uniform(0.2, 0.9)};
    convex s = i % 3 ? convex_superellipsoid(x[0], x[1], x[2], uniform(0.1, 1), uniform(0.1, 1))
                     : convex_ellipsoid(x[0], x[1], x[2]);
    balls += s.rolls > 0;
    for (int k = 0; k < 1000; k++) {
      vec3 n = random_point(1), other = random_point(1);
      n = vec3_scale(1 / vec3_norm(n), n), other = k % 2 ? vec3_axpy(n, 0.1, other) : other;
      other = vec3_scale(1 / vec3_norm(other), other);
      vec3 middle = vec3_axpy(convex_support(&s, n), -s.rolls, n);
      outside = fmax(outside, vec3_dot(middle, other) + s.rolls - vec3_dot(convex_support(&s, other), other));
    }
  }
  CHECK_EQUAL(balls, 300);
  CHECK_LE(outside, 1e-14);
}

static pose moved_by(pose at, shape_motion m, double time) {
  return (pose){mat3_product(quat_matrix(quat_exp(vec3_scale(time, m.w))), at.R), vec3_axpy(at.p, time, m.v)};
}

// Rates of distance, normal and points against differences. Some pairs meet in edges or faces that are parallel: no
// rates.
static void rates_agree_with_differences(void) {
  check_seed = 17;
  enum { PAIRS = 1000 };
  const double h = 1e-5;
  double distance = 0, normal = 0, points = 0;
  int checked = 0;
  for (int i = 0; i < PAIRS; i++) {
    static made a, b;
    make_random(&a), make_random(&b);
    a.at = (pose){random_turn(), random_point(0.2)}, b.at = (pose){random_turn(), random_point(1)};
    shape_motion of_a = {a.at.p, random_point(1), random_point(1)}, of_b = {b.at.p, random_point(1), random_point(1)};
    separation s = separation_of(&a.shape, a.at, &b.shape, b.at, false);
    separation_rate rate;
    if (!separation_rate_of(&s, of_a, of_b, &rate)) continue;
    separation before = separation_of(&a.shape, moved_by(a.at, of_a, -h), &b.shape, moved_by(b.at, of_b, -h), false);
    separation after = separation_of(&a.shape, moved_by(a.at, of_a, h), &b.shape, moved_by(b.at, of_b, h), false);
    double size = 1 + vec3_norm(rate.normal);  // large where shapes are nearly free to roll off each other
    distance = fmax(distance, fabs((after.distance - before.distance) / (2 * h) - rate.distance));
    normal =
        fmax(normal,
             vec3_norm(vec3_sub(vec3_scale(1 / (2 * h), vec3_sub(after.normal, before.normal)), rate.normal)) / size);
    points =
        fmax(points, vec3_norm(vec3_sub(vec3_scale(1 / (2 * h), vec3_sub(after.on_a, before.on_a)), rate.on_a)) / size);
    checked++;
  }
  printf("    %d of %d pairs: distance off by at most %.1e, normal by %.1e, points by %.1e\n", checked, PAIRS, distance,
         normal, points);
  CHECK(checked > 950);
  CHECK_LE(distance, 1e-5);
  CHECK_LE(normal, 1e-2);
  CHECK_LE(points, 1e-2);
}

int main(void) {
  RUN(round_shapes_have_closed_forms);
  RUN(boxes_have_closed_forms);
  RUN(a_cone_and_a_cylinder_have_closed_forms);
  RUN(the_global_minimum_is_found);
  RUN(spatial_pairs_agree_with_the_reference);
  RUN(planar_pairs_agree_with_the_reference);
  RUN(own_pairs_do_not_depend_on_the_view);
  RUN(a_start_changes_nothing_but_the_time);
  RUN(balls_that_roll_stay_inside);
  RUN(rates_agree_with_differences);
  return check_summary();
}
