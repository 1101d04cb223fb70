// Cylinders along a line. Both models say how far a load F presses in, not what load a penetration takes: with
// x = F/(4π E* ΔR L) and y = δ/(4 ΔR),
//
//   Johnson:     y = x (-ln x - 1)     up to x = e⁻², y = e⁻²
//   ESDU 78035:  y = x (1 - ln x)      up to x = 1,   y = 1
//
// beyond which more load would mean less penetration. With u = ln x (Johnson: ln x + 2) and t = -ln y (Johnson: -ln y -
// 2) both read u + ln(1 - u) = -t.
#include "contact/normal_line.h"

#include <math.h>

// Increasing and concave for u < 0; -√(2t) - t lies left of the root (a bound of Lambert's function by
// Chatzigeorgiou), so Newton's steps go up to it and never beyond.
static double solve_logarithm(double t) {
  double u = -sqrt(2 * t) - t;
  for (int i = 0; i < 60 && u < 0; i++) {
    double step = (u + log1p(-u) + t) * (1 - u) / u;
    u += step;
    if (fabs(step) <= 1e-15 * fabs(u)) break;
  }
  return u;
}

// The end of the formula, in ln x and ln y alike.
static double end_of(double constant) { return constant - 1; }

static double relative_load(double y, double constant) {
  double t = end_of(constant) - log(y);
  if (t <= 0) return y;  // beyond the formula: on with the secant of its end, where x = y
  return exp(solve_logarithm(t) + end_of(constant));
}

double normal_line_force(const normal_law *l, double delta, double constant) {
  return 4 * M_PI * l->modulus * l->difference * l->length * relative_load(delta / (4 * l->difference), constant);
}

// ∫ x dy = x y - ∫ y dx, and ∫ x (c - ln x) dx = x²(c/2 + 1/4 - ln x/2).
double normal_line_energy(const normal_law *l, double delta, double constant) {
  double y = delta / (4 * l->difference), end = exp(end_of(constant)), inside = fmin(y, end);
  double x = relative_load(inside, constant);
  double area = x * inside - x * x * (constant / 2 + 0.25 - log(x) / 2) + (y * y - inside * inside) / 2;
  return 16 * M_PI * l->modulus * l->difference * l->difference * l->length * area;
}
