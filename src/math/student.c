#include "math/student.h"

#include <math.h>

// The incomplete beta function I_x(a, b) by its continued fraction, evaluated from the front (Lentz's method). It
// converges fast for x < (a + 1)/(a + b + 2); the other side follows from I_x(a, b) = 1 - I_{1-x}(b, a).
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < tiny ? tiny : d);
  double h = d;
  for (int m = 1; m < 500; m++) {
    for (int odd = 0; odd < 2; odd++) {
      const double term = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                              : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 + term * d, c = 1 + term / c;
      d = 1 / (fabs(d) < tiny ? tiny : d), c = fabs(c) < tiny ? tiny : c;
      h *= d * c;
    }
    if (fabs(d * c - 1) < 1e-15) break;
  }
  return h;
}

static double beta_share(double a, double b, double x) {
  if (!(x > 0)) return 0;
  if (!(x < 1)) return 1;
  const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// P(T < t) for t >= 0.
static double below(double t, double n) { return 1 - 0.5 * beta_share(0.5 * n, 0.5, n / (n + t * t)); }

double student_quantile(double probability, double freedoms) {
  double low = 0, high = 1;
  while (below(high, freedoms) < probability && high < 1e9) high *= 2;
  for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
    const double mid = 0.5 * (low + high);
    *(below(mid, freedoms) < probability ? &low : &high) = mid;
  }
  return 0.5 * (low + high);
}
