// Rotations, quaternions and poses.
#include "mechanisms.h"

#include <float.h>

// Each identity takes fewer than fifty operations on numbers up to one: fifty times ε, rounded up.
static const double ROUNDING = 2e-14;

static double matrix_distance(mat3 A, mat3 B) {
  double most = 0;
  for (int i = 0; i < 9; i++) most = fmax(most, fabs(A.m[i] - B.m[i]));
  return most;
}

static double quat_distance(quat a, quat b) {  // up to sign
  double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z, s = dot < 0 ? -1 : 1;
  return quat_norm((quat){a.w - s * b.w, a.x - s * b.x, a.y - s * b.y, a.z - s * b.z});
}

static void quaternions_and_matrices_are_the_same_turns(void) {
  uint64_t seed = 11;
  for (int i = 0; i < 1000; i++) {
    quat a = random_quat(&seed), b = random_quat(&seed);
    mat3 A = quat_matrix(a), B = quat_matrix(b);
    CHECK_LE(matrix_distance(mat3_product(A, mat3_transpose(A)), MAT3_IDENTITY), ROUNDING);
    CHECK_NEAR(vec3_dot(mat3_column(A, 0), vec3_cross(mat3_column(A, 1), mat3_column(A, 2))), 1, ROUNDING);
    CHECK_LE(quat_distance(quat_of_matrix(A), a), ROUNDING);
    CHECK_LE(matrix_distance(quat_matrix(quat_product(a, b)), mat3_product(A, B)), ROUNDING);
    vec3 v = random_vec3(&seed, 1), back = mat3_tmul(A, mat3_mul(A, v));
    CHECK_LE(vec3_norm(vec3_sub(back, v)), ROUNDING);
  }
}

// The four branches of quat_of_matrix, on their borders too: half turns about the axes and their diagonals.
static void half_turns_survive_the_matrix(void) {
  for (int x = -1; x <= 1; x++)
    for (int y = -1; y <= 1; y++)
      for (int z = -1; z <= 1; z++)
        for (int w = 0; w <= 1; w++) {
          if (!x && !y && !z && !w) continue;
          quat a = quat_normalize((quat){w, x, y, z});
          CHECK_LE(quat_distance(quat_of_matrix(quat_matrix(a)), a), ROUNDING);
        }
}

// exp against Rodrigues' formula, over angles from none to beyond a full turn and across the switch to the series.
static void exponential_is_rodrigues(void) {
  uint64_t seed = 12;
  const double angles[] = {0, 1e-12, 1e-6, 0.99e-4, 1.01e-4, 1e-2, 1, 3.14159, 5, 7};
  for (int i = 0; i < 10; i++) {
    vec3 n = random_vec3(&seed, 1);
    n = vec3_scale(1 / vec3_norm(n), n);
    double a = angles[i];
    quat e = quat_exp(vec3_scale(a, n));
    CHECK_NEAR(quat_norm(e), 1, ROUNDING);
    vec3 v = random_vec3(&seed, 1);
    vec3 expected = vec3_add(vec3_scale(cos(a), v), vec3_scale(sin(a), vec3_cross(n, v)));
    expected = vec3_axpy(expected, (1 - cos(a)) * vec3_dot(n, v), n);
    CHECK_LE(vec3_norm(vec3_sub(mat3_mul(quat_matrix(e), v), expected)), ROUNDING);
    // small turns keep their relative accuracy
    if (a > 0 && a < 1e-3) CHECK_NEAR(vec3_dot((vec3){e.x, e.y, e.z}, n) / (0.5 * a), 1 - a * a / 24, ROUNDING);
  }
}

static void z_goes_where_it_is_told(void) {
  uint64_t seed = 13;
  for (int i = 0; i < 1000; i++) {
    vec3 n = random_vec3(&seed, 1);
    n = vec3_scale(1 / vec3_norm(n), n);
    mat3 R = quat_matrix(quat_from_z(n));
    CHECK_LE(vec3_norm(vec3_sub(mat3_column(R, 2), n)), ROUNDING);
    // the shortest turn: no part about z
    CHECK_NEAR(quat_from_z(n).z, 0, 0);
  }
  for (double small = 1e-3; small > 1e-18; small *= 0.1) {  // down to the antipode and on it
    vec3 n = {sin(small), 0, -cos(small)};
    mat3 R = quat_matrix(quat_from_z(n));
    CHECK_LE(matrix_distance(mat3_product(R, mat3_transpose(R)), MAT3_IDENTITY), ROUNDING);
    CHECK_LE(vec3_norm(vec3_sub(mat3_column(R, 2), n)), ROUNDING);
  }
}

static void poses_compose_and_invert(void) {
  uint64_t seed = 14;
  for (int i = 0; i < 100; i++) {
    pose a = random_pose(&seed, false, 1), b = random_pose(&seed, false, 1), c = random_pose(&seed, false, 1);
    pose left = pose_product(pose_product(a, b), c), right = pose_product(a, pose_product(b, c));
    CHECK_LE(matrix_distance(left.R, right.R), ROUNDING);
    CHECK_LE(vec3_norm(vec3_sub(left.p, right.p)), ROUNDING);
    pose one = pose_product(a, pose_inverse(a));
    CHECK_LE(matrix_distance(one.R, MAT3_IDENTITY), ROUNDING);
    CHECK_LE(vec3_norm(one.p), ROUNDING);
    vec3 v = random_vec3(&seed, 1);
    CHECK_LE(vec3_norm(vec3_sub(pose_point(pose_product(a, b), v), pose_point(a, pose_point(b, v)))), ROUNDING);
  }
}

static void vectors_obey_their_algebra(void) {
  uint64_t seed = 15;
  for (int i = 0; i < 100; i++) {
    vec3 a = random_vec3(&seed, 1), b = random_vec3(&seed, 1), c = random_vec3(&seed, 1);
    // a × (b × c) = b (a·c) - c (a·b)
    vec3 left = vec3_cross(a, vec3_cross(b, c));
    vec3 right = vec3_sub(vec3_scale(vec3_dot(a, c), b), vec3_scale(vec3_dot(a, b), c));
    CHECK_LE(vec3_norm(vec3_sub(left, right)), ROUNDING);
    vec3 inward = vec3_sub(vec3_scale(vec3_dot(a, b), a), vec3_scale(vec3_dot(a, a), b));
    CHECK_LE(vec3_norm(vec3_sub(vec3_centripetal(a, b), inward)), ROUNDING);
  }
}

// Held against the C library's, which are right to the last bit or next to it: both together within two units of it.
// Next to whole quarter turns, where one of the two is almost zero, that holds of the small one too.
static void circle_is_cosine_and_sine(void) {
  uint64_t seed = 16;
  double worst = 0;
  for (int i = 0; i < 200000; i++) {
    double angle = random_between(&seed, -1, 1) * pow(10, random_between(&seed, -8, 6));
    if (i % 4 == 0) angle = round(angle) * 1.5707963267948966;
    circle p = circle_at(angle);
    worst = fmax(worst, fabs(p.c - cos(angle)) / fabs(cos(angle)));
    if (angle != 0) worst = fmax(worst, fabs(p.s - sin(angle)) / fabs(sin(angle)));
  }
  printf("    off by at most %.2g ε\n", worst / DBL_EPSILON);
  CHECK_LE(worst, 2 * DBL_EPSILON);
  CHECK_EQUAL(circle_at(1e9).c, cos(1e9));
  CHECK(isnan(circle_at(NAN).s) && isnan(circle_at(INFINITY).c));
}

// Four angles at once are the same numbers to the last bit, whatever stands beside an angle.
static void four_circles_are_each_one(void) {
  uint64_t seed = 4;
  for (int i = 0; i < 20000; i++) {
    double angle[4];
    fours c, s;
    for (int k = 0; k < 4; k++)
      angle[k] = random_between(&seed, -1, 1) * pow(10, random_between(&seed, -8, i % 2 ? 8 : 5));
    if (i % 5 == 0) angle[i % 4] = round(angle[i % 4]) * 0.78539816339744831;
    if (i % 11 == 0) angle[3] = i % 2 ? NAN : -INFINITY;
    circle_four(angle[0], angle[1], angle[2], angle[3], &c, &s);
    for (int k = 0; k < 4; k++) {
      circle one = circle_at(angle[k]);
      if (isfinite(angle[k])) CHECK(c[k] == one.c && s[k] == one.s);
      else CHECK(isnan(c[k]) && isnan(s[k]));
    }
  }
}

// Contacts remember their friction by these: they must not turn with the rounding of a vertical normal.
static void tangents_do_not_turn_with_rounding(void) {
  static const vec3 along[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
  uint64_t seed = 3;
  for (int i = 0; i < 400; i++) {
    vec3 n = along[i % 4], t[2], near[2], off = random_vec3(&seed, 1e-9);
    vec3_tangents(n, t);
    n = vec3_add(n, off);
    vec3_tangents(vec3_scale(1 / vec3_norm(n), n), near);
    for (int k = 0; k < 2; k++) CHECK_LE(vec3_norm(vec3_sub(t[k], near[k])), 4e-9);
  }
}

int main(void) {
  RUN(tangents_do_not_turn_with_rounding);
  RUN(vectors_obey_their_algebra);
  RUN(quaternions_and_matrices_are_the_same_turns);
  RUN(half_turns_survive_the_matrix);
  RUN(exponential_is_rodrigues);
  RUN(z_goes_where_it_is_told);
  RUN(poses_compose_and_invert);
  RUN(circle_is_cosine_and_sine);
  RUN(four_circles_are_each_one);
  return check_summary();
}
