// With the relative principal curvatures k₀ = 2A ≤ k₁ = 2B the surfaces touch in an ellipse with semi-axes a ≥ b, e² =
// 1 - b²/a² (Johnson, Contact Mechanics, 4.26 to 4.32). With the complete elliptic integrals K and E of e, and p₀ the
// largest pressure,
//   A = p₀ b/(E* a²) (K - E)/e²,   B = p₀ b/(E* a²) (E/(1 - e²) - K)/e²,   δ = p₀ b K/E*,   F = ⅔ π a b p₀.
// The first two give e from B/A, and eliminating p₀ and a
//   F = 2π E*/(3K) √((K - E)/(e² A K)) δ^1.5.
// In Carlson's form (K - E)/e² = R_D(0, 1 - e², 1)/3 and (E/(1 - e²) - K)/e² = R_D(0, 1, 1 - e²)/3, without
// cancellation as e → 0.
#include "contact/hertz.h"

#include <math.h>

// R_D(0, y, z) by duplication (Carlson 1979).
static double carlson_d(double y, double z) {
  double x = 0, sum = 0, factor = 1, mean, dx, dy, dz;
  for (;;) {
    mean = (x + y + 3 * z) / 5;
    dx = (mean - x) / mean, dy = (mean - y) / mean, dz = (mean - z) / mean;
    if (fmax(fabs(dx), fmax(fabs(dy), fabs(dz))) < 1e-3) break;  // what is left out is of sixth order
    double root = sqrt(x * y) + sqrt(x * z) + sqrt(y * z);
    sum += factor / (sqrt(z) * (z + root));
    factor /= 4;
    x = (x + root) / 4, y = (y + root) / 4, z = (z + root) / 4;
  }
  double ea = dx * dy, eb = dz * dz, ec = ea - eb, ed = ea - 6 * eb, ee = ed + 2 * ec;
  double series = 1 + ed * (-3.0 / 14 + 9.0 / 88 * ed - 9.0 / 52 * dz * ee) +
                  dz * (ee / 6 + dz * (-9.0 / 22 * ec + 3.0 / 26 * dz * ea));
  return 3 * sum + factor * series / (mean * sqrt(mean));
}

// K by the arithmetic and geometric mean, of the complement q = b/a.
static double elliptic_k(double q) {
  double a = 1;
  while (fabs(a - q) > 1e-15 * a) {
    double mean = 0.5 * (a + q);
    q = sqrt(a * q), a = mean;
  }
  return M_PI / (a + q);
}

static double ratio_of(double q) { return log(carlson_d(1, q * q) / carlson_d(q * q, 1)); }

// b/a for B/A: nearly a power of it, so that the secant over logarithms converges at once.
static double axes_for(double ratio) {
  double wanted = log(ratio), at = -2 / M_PI * wanted, off = ratio_of(exp(at)) - wanted, next = at + off / 1.5;
  for (int i = 0; i < 20 && fabs(next - at) > 1e-14; i++) {
    double there = ratio_of(exp(fmin(next, 0))) - wanted, slope = (there - off) / (next - at);
    at = next, off = there;
    next = at - (slope < 0 ? off / slope : 0);
  }
  return exp(fmin(next, 0));
}

double hertz_stiffness(double modulus, const double k[2]) {
  double q = k[1] > k[0] * (1 + 1e-12) ? axes_for(k[1] / k[0]) : 1, K = elliptic_k(q);
  return 2 * M_PI * modulus / (3 * K) * sqrt(2 * carlson_d(q * q, 1) / (3 * K * k[0]));
}
