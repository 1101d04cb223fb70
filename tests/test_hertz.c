// Hertz's elliptic contact: principal curvatures of shapes, the stiffness against elliptic integrals by quadrature, and
// whole impacts.
#include "runs.h"

#include "contact/hertz.h"
#include "geometry/separation.h"

// The trapezoidal rule over the period of a smooth function converges faster than any power of the number of points; at
// e² = 0.999 it needs a few hundred.
static void integrals(double m, double *K, double *E) {
  enum { COUNT = 4096 };
  *K = *E = 0;
  for (int i = 0; i < COUNT; i++) {
    double s = sin(M_PI * i / COUNT), root = sqrt(1 - m * s * s);
    *K += 0.5 * M_PI / COUNT / root, *E += 0.5 * M_PI / COUNT * root;
  }
}

// The other way round: an ellipse has its curvatures and its stiffness in closed form (Johnson, 4.26 to 4.32).
static void the_stiffness_is_that_of_the_ellipse(void) {
  for (double m = 0.01; m < 0.9995; m += m < 0.98 ? 0.01 : 0.001) {
    double K, E, modulus = 1.2e11, k0 = 3;
    integrals(m, &K, &E);
    double A = (K - E) / m, B = (E / (1 - m) - K) / m, k[2] = {k0, k0 * B / A};
    double expected = 2 * M_PI * modulus / (3 * K) * sqrt((K - E) / (m * 0.5 * k0 * K));
    CHECK_NEAR(hertz_stiffness(modulus, k) / expected, 1, 1e-11);  // quadrature loses digits in K - E
  }
  CHECK_NEAR(hertz_stiffness(1, (double[2]){5, 5}), 4.0 / 3 * sqrt(0.2), 1e-15);
  CHECK_NEAR(hertz_stiffness(1, (double[2]){5, 5 * (1 + 1e-9)}), 4.0 / 3 * sqrt(0.2), 1e-9);
}

// Two cylinders that cross at an angle ψ: k₀ + k₁ = 1/R₁ + 1/R₂, (k₁ - k₀)² = 1/R₁² + 1/R₂² + 2 cos 2ψ/(R₁ R₂).
static void crossed_cylinders_have_their_curvatures(void) {
  for (double angle = 0.3; angle < 1.6; angle += 0.1) {
    double R[2] = {0.02, 0.05};
    convex a = convex_cylinder(R[0], 1), b = convex_cylinder(R[1], 1);
    pose at_a = {quat_matrix(quat_exp((vec3){0, angle, 0})), {0, 0.08, 0}}, at_b = {MAT3_IDENTITY, VEC3_ZERO};
    separation s = separation_of(&a, at_a, &b, at_b, false);
    CHECK_NEAR(s.distance, 0.01, 1e-14);
    double k[2], sum = 1 / R[0] + 1 / R[1];
    separation_curvatures(&s, k);
    double difference = sqrt(1 / (R[0] * R[0]) + 1 / (R[1] * R[1]) + 2 * cos(2 * angle) / (R[0] * R[1]));
    CHECK_NEAR(k[0], 0.5 * (sum - difference), 1e-9 * sum);
    CHECK_NEAR(k[1], 0.5 * (sum + difference), 1e-9 * sum);
  }
}

// A capsule has the curvature of its layer across and none along; a cap, a box and a corner.
static void features_have_their_curvatures(void) {
  convex ball = convex_sphere(0.1), rod = convex_capsule(0.2, 1), box = convex_box(1, 1, 1), cone = convex_cone(1, 1);
  double k[2];
  separation s =
      separation_of(&ball, (pose){MAT3_IDENTITY, {0.5, 0, 0.1}}, &rod, (pose){MAT3_IDENTITY, VEC3_ZERO}, false);
  separation_curvatures(&s, k);
  CHECK_NEAR(k[0], 10, 1e-8), CHECK_NEAR(k[1], 15, 1e-8);
  s = separation_of(&ball, (pose){MAT3_IDENTITY, {0.1, 0, 0.9}}, &rod, (pose){MAT3_IDENTITY, VEC3_ZERO}, false);
  separation_curvatures(&s, k);
  CHECK_NEAR(k[0], 15, 1e-8), CHECK_NEAR(k[1], 15, 1e-8);
  s = separation_of(&ball, (pose){MAT3_IDENTITY, {0.7, 0.1, 0.1}}, &box, (pose){MAT3_IDENTITY, VEC3_ZERO}, false);
  separation_curvatures(&s, k);
  CHECK_NEAR(k[0], 10, 1e-8), CHECK_NEAR(k[1], 10, 1e-8);
  s = separation_of(&ball, (pose){MAT3_IDENTITY, {0.7, 0.7, 0.7}}, &box, (pose){MAT3_IDENTITY, VEC3_ZERO}, false);
  separation_curvatures(&s, k);
  CHECK(k[0] > 1e50 && k[1] > 1e50);
  // on the side of a cone: the radius of the circle there over the part of the normal across the axis
  s = separation_of(&ball, (pose){MAT3_IDENTITY, {0.5 + 0.3, 0, 0.3}}, &cone, (pose){MAT3_IDENTITY, VEC3_ZERO}, false);
  separation_curvatures(&s, k);
  vec3 n = s.normal;
  CHECK_NEAR(k[0], 10, 1e-8);
  CHECK_NEAR(k[1], 10 + hypot(n.x, n.y) / hypot(s.on_b.x, s.on_b.y), 1e-7);
}

// --- impacts ---------------------------------------------------------------------------------------------------------

// Two ellipsoids meet head on, without damping: δ = (5 m v²/(4K))^(2/5) with the reduced mass m. K follows from the
// curvatures at the poles, a/b² + a/c².
static void ellipsoids_strike_as_hertz_says(void) {
  run r;
  if (!run_open_text(
          &r,
          "gravity: [0, 0, 0]\n"
          "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 3, inertia: [1, 1, 1]}}\n"
          "joints: {fa: {free: [ground, a], at: [-0.051, 0, 0]}, fb: {free: [ground, b], at: [0.04, 0, 0]}}\n"
          "initial: {a: {velocity: [1, 0, 0]}}\n"
          "surfaces:\n"
          "  a: {ellipsoid: a, semi_axes: [0.05, 0.03, 0.02], rotate: {axis: x, angle: 30 deg}, material: m}\n"
          "  b: {ellipsoid: b, semi_axes: [0.04, 0.02, 0.06], material: m}\n"
          "materials: {m: {restitution: 1, law: hertz, solid: steel}}\n"
          "method: compliant\nintegrator: {rtol: 1e-10, atol: 1e-12}\nend: 3e-3\n",
          ""))
    return;
  run_to(&r, 2e-3);
  double E = 207e9, modulus = E / (2 * (1 - 0.09)), c = cos(M_PI / 6), s = sin(M_PI / 6);
  double ya = 0.05 / (0.03 * 0.03), za = 0.05 / (0.02 * 0.02), yb = 0.04 / (0.02 * 0.02), zb = 0.04 / (0.06 * 0.06);
  double yy = ya * c * c + za * s * s + yb, zz = ya * s * s + za * c * c + zb, yz = (ya - za) * c * s;
  double k[2] = {0.5 * (yy + zz) - hypot(0.5 * (yy - zz), yz), 0.5 * (yy + zz) + hypot(0.5 * (yy - zz), yz)};
  double K = hertz_stiffness(modulus, k), delta = pow(5 * 0.75 / (4 * K), 0.4);
  carom_summary summary = carom_sim_summary(r.sim);
  CHECK_NEAR(summary.deepest_penetration / delta, 1, 1e-6);
  CHECK_EQUAL(summary.curvature, 0);
  CHECK_NEAR(run_read(&r, "a.vx"), -0.5, 1e-7);
  run_close(&r);
}

// A superellipsoid that lies on its flat pole has no curvature there: counted, and the bound takes its place. A
// stiffness that is given counts nothing.
static void flat_places_are_counted(void) {
  static const char *const materials[] = {"solid: steel", "stiffness: 1e9"};
  for (int given = 0; given < 2; given++) {
    char text[1024];
    run r;
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
             "joints: {fa: {free: [ground, a], at: [0, 0, 0.021]}}\n"
             "surfaces: {a: {superellipsoid: a, semi_axes: [0.05, 0.03, 0.02], exponents: [0.5, 0.5], material: m}, "
             "floor: {plane: ground, material: m}}\n"
             "materials: {m: {restitution: 0.5, law: hunt-crossley, %s}}\n"
             "method: compliant\nend: 0.1\n",
             materials[given]);
    if (!run_open_text(&r, text, "")) continue;
    run_to(&r, 0.03);
    CHECK((carom_sim_summary(r.sim).curvature > 0) == !given);
    run_close(&r);
  }
}

int main(void) {
  RUN(the_stiffness_is_that_of_the_ellipse);
  RUN(crossed_cylinders_have_their_curvatures);
  RUN(features_have_their_curvatures);
  RUN(ellipsoids_strike_as_hertz_says);
  RUN(flat_places_are_counted);
  return check_summary();
}
