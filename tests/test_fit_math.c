// Mathematics of fits: quantiles of Student's t, least squares and a simplex between bounds.
#include "check.h"

#include "math/least_squares.h"
#include "math/simplex.h"
#include "math/student.h"

// From the closed forms for 1 and 2 freedoms, tan(π(p - 1/2)) and (2p - 1)/√(2p(1 - p)), and from that for 4:
// 2√(cos(arccos(√α)/3)/√α - 1), α = 4p(1 - p). With very many freedoms it is the normal quantile.
static void quantiles_of_student(void) {
  const double p = 0.975, a = sqrt(4 * p * (1 - p));
  CHECK_NEAR(student_quantile(p, 1), tan(M_PI * (p - 0.5)), 1e-8);
  CHECK_NEAR(student_quantile(p, 2), (2 * p - 1) / sqrt(2 * p * (1 - p)), 1e-9);
  CHECK_NEAR(student_quantile(p, 4), 2 * sqrt(cos(acos(a) / 3) / a - 1), 1e-9);
  CHECK_NEAR(student_quantile(p, 1e7), 1.959963984540054, 1e-6);
  CHECK_NEAR(student_quantile(0.95, 2), 0.9 / sqrt(2 * 0.95 * 0.05), 1e-9);
}

// Rosenbrock's function on [-2, 2] x [-2, top].
typedef struct valley {
  double top;  // of the second variable
  bool holes;  // some points have no value
} valley;

static bool valley_at(const valley *v, const double *u, double r[2]) {
  const double x = -2 + 4 * u[0], y = -2 + (v->top + 2) * u[1];
  r[0] = 10 * (y - x * x), r[1] = 1 - x;
  return !(v->holes && x < -1.5);
}

static bool residuals_of(void *context, int count, const double *points, double *residuals, bool *good) {
  for (int i = 0; i < count; i++) good[i] = valley_at(context, points + 2 * i, residuals + 2 * i);
  return true;
}

static bool values_of(void *context, int count, const double *points, double *values) {
  double r[2];
  for (int i = 0; i < count; i++)
    values[i] = valley_at(context, points + 2 * i, r) ? r[0] * r[0] + r[1] * r[1] : INFINITY;
  return true;
}

static void search_valley(const valley *v, double *x, double *y) {
  jmp_buf out_of_memory;
  if (setjmp(out_of_memory)) abort();
  arena memory = arena_create(&out_of_memory);
  double u[2] = {0.2, 0.8}, r[2], steps[2] = {1e-5, 1e-5};
  const least_squares p = {
      .n = 2, .m = 2, .context = (void *)v, .evaluate = residuals_of, .limit = INFINITY, .steps = steps};
  valley_at(v, u, r);
  CHECK_EQUAL(least_squares_search(&memory, &p, u, r), LEAST_SQUARES_FOUND);
  *x = -2 + 4 * u[0], *y = -2 + (v->top + 2) * u[1];
  const double squares = r[0] * r[0] + r[1] * r[1];
  double s[2] = {0.2, 0.8}, value;
  values_of((void *)v, 1, s, &value);
  const simplex_problem q = {
      .n = 2, .context = (void *)v, .evaluate = values_of, .size = 0.1, .tolerance = 1e-8, .most = 1000};
  bool found;
  CHECK(simplex_search(&memory, &q, s, &value, &found) && found);
  CHECK_NEAR(value, squares, 1e-10 + 1e-6 * squares);
  CHECK_NEAR(s[0], u[0], 1e-4);
  arena_free(&memory);
}

// Beyond the bound y = 0.5 the smallest sum of squares on it is where 200 x (x² - 0.5) + x - 1 = 0 (half its
// derivative): x = 0.7084461 by Newton's method.
static void minima_between_bounds(void) {
  double x, y;
  search_valley(&(valley){.top = 2}, &x, &y);
  CHECK_NEAR(x, 1, 1e-6);
  CHECK_NEAR(y, 1, 1e-6);
  search_valley(&(valley){.top = 2, .holes = true}, &x, &y);
  CHECK_NEAR(x, 1, 1e-6);
  search_valley(&(valley){.top = 0.5}, &x, &y);
  CHECK_NEAR(y, 0.5, 0);
  double exact = 0.7;
  for (int i = 0; i < 20; i++) exact -= (200 * exact * (exact * exact - 0.5) + exact - 1) / (600 * exact * exact - 99);
  CHECK_NEAR(x, exact, 1e-5);
}

// The ladder finds derivatives to the error of central differences, and says how large that is.
static void steps_are_chosen(void) {
  jmp_buf out_of_memory;
  if (setjmp(out_of_memory)) abort();
  arena memory = arena_create(&out_of_memory);
  const valley v = {.top = 2};
  double u[2] = {0.6, 0.7}, r[2], steps[2], J[4], change[4];
  const least_squares p = {
      .n = 2, .m = 2, .context = (void *)&v, .evaluate = residuals_of, .limit = INFINITY, .steps = steps};
  valley_at(&v, u, r);
  CHECK(least_squares_choose_steps(&memory, &p, u, r, J, change));
  CHECK_NEAR(J[0], -20 * (-2 + 4 * 0.6) * 4, 1e-8);
  CHECK_NEAR(J[1], -4, 1e-9);
  CHECK_NEAR(J[2], 40, 1e-8);
  CHECK_NEAR(J[3], 0, 1e-9);
  for (int i = 0; i < 4; i++) CHECK_LE(fabs(change[i]), 1e-6);
  arena_free(&memory);
}

int main(void) {
  RUN(quantiles_of_student);
  RUN(minima_between_bounds);
  RUN(steps_are_chosen);
  return check_summary();
}
