// What all normal laws share: the cut at zero, the stored energy, what restitution comes out, and their list.
#include <math.h>
#include <string.h>

#include "contact/law.h"

// --- parts of laws ---------------------------------------------------------------------------------------------------

double normal_power(const normal_law *l, double delta) {
  if (l->exponent == 1.5) return l->stiffness * delta * sqrt(delta);
  return l->stiffness * (l->exponent == 1 ? delta : pow(delta, l->exponent));
}

double normal_power_energy(const normal_law *l, double delta) {
  return normal_power(l, delta) * delta / (l->exponent + 1);
}

double normal_damping_factor(const normal_law *l, double rate, double approach) {
  return approach > 0 ? 1 + l->lambda * rate / approach : 1;
}

double normal_power_damped(const normal_law *l, double delta, double rate, double approach) {
  return normal_power(l, delta) * normal_damping_factor(l, rate, approach);
}

// --- force and energy ------------------------------------------------------------------------------------------------

double normal_formula(const normal_law *l, double delta, double rate, double approach) {
  return delta > 0 ? l->type->force(l, delta, rate, approach) : 0;
}

double normal_force(const normal_law *l, double delta, double rate, double approach) {
  double f = normal_formula(l, delta, rate, approach);
  return f < 0 && !l->pulls ? 0 : f;
}

bool normal_uses_approach(const normal_law *l) {
  return l->type->lambda ? l->lambda != 0 : l->type->contact == LAW_OWN;
}

bool normal_is_elastic(const normal_law *l) { return l->type->elastic || (l->type->lambda && l->lambda == 0); }

// ∫ F dδ from 0 at rest, by Gauss and Legendre's five points on each of PARTS, which grow with the square of their
// number so that a power of δ below one is met as well as a smooth law.
static double energy_by_quadrature(const normal_law *l, double delta) {
  enum { PARTS = 16, POINTS = 5 };
  static const double at[POINTS] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                    0.9061798459386640};
  static const double weight[POINTS] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                        0.2369268850561891};
  double sum = 0;
  for (int i = 0; i < PARTS; i++) {
    double from = delta * i * i / (PARTS * PARTS), to = delta * (i + 1) * (i + 1) / (PARTS * PARTS);
    double half = (to - from) / 2, middle = (to + from) / 2;
    for (int k = 0; k < POINTS; k++) sum += weight[k] * half * l->type->force(l, middle + half * at[k], 0, 1);
  }
  return sum;
}

double normal_energy(const normal_law *l, double delta) {
  if (!(delta > 0)) return 0;
  return l->type->energy ? l->type->energy(l, delta) : energy_by_quadrature(l, delta);
}

// --- restitution -----------------------------------------------------------------------------------------------------
//
// m δ̈ = -f(δ)(1 + λ δ̇/v₀), so with w = δ̇/v₀:  w dw/(1 + λ w) = -f dδ/(m v₀²). Pressed in from w = 1 to 0 and out again
// from 0 to -e, δ passes the same way, so that the left side's integrals agree: G(λ) = G(-e λ), G(x) = x - ln(1 + x),
// whatever f and m are.

// Σ (-x)ᵏ/k from k = 2 where the difference would cancel; 1e-17 of the first term after 17 terms at |x| = 0.1.
static double G(double x) {
  if (fabs(x) > 0.1) return x - log1p(x);
  double sum = 0, power = x * x;
  for (int k = 2; k < 20; k++, power *= -x) sum += power / k;
  return sum;
}

// G(-x) = g with x = 1 - exp(s). In s the equation is convex and falls, and at the start (left of the root, since
// ln(1 - a) ≤ -a - a²/2) it is positive: Newton's steps go up to the root and never beyond.
double normal_achieved(double lambda) {
  if (!(lambda > 0)) return 1;
  double g = G(lambda), s = -sqrt(2 * g) - g;
  for (int i = 0; i < 60; i++) {
    double x = -expm1(s), step = ((x > 0.1 ? -x - s : G(-x)) - g) / x;  // ln(1 - x) = s, also where x rounds to 1
    s += step;
    if (fabs(step) <= 1e-15 * fabs(s)) break;
  }
  return fmin(-expm1(s) / lambda, 1);
}

// G(λ) - G(-e λ) is positive for small λ, falls beyond all bounds towards λ = 1/e and has one root between.
double normal_lambda_for(double achieved) {
  if (achieved >= 1) return 0;
  if (!(achieved > 0)) return INFINITY;
  double low = 0, high = 1 / achieved;
  for (int i = 0; i < 200; i++) {
    double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (G(middle) > G(-achieved * middle)) low = middle;
    else high = middle;
  }
  return low;
}

// w dw/(1 + λ w) = -f dδ/(m v²), whose right side has the integral 1/2 from where v comes from. G(-share λ) - λ²/2 is
// negative for small λ, grows beyond all bounds towards 1/share and has one root between.
double normal_lambda_of_release(double share) {
  if (share >= 1) return 0;
  double low = 0, high = 1 / share;
  for (int i = 0; i < 200; i++) {
    double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (G(-share * middle) < middle * middle / 2) low = middle;
    else high = middle;
  }
  return low;
}

// --- registry --------------------------------------------------------------------------------------------------------

extern const normal_law_type normal_hooke, normal_hertz, normal_kelvin_voigt, normal_hunt_crossley,
    normal_herbert_mcwhannell, normal_lee_wang, normal_lankarani_nikravesh, normal_gonthier, normal_zhiying_qishao,
    normal_flores, normal_hu_guo, normal_johnson, normal_esdu_78035, normal_expression;

static const normal_law_type *const all[] = {
    &normal_hooke,
    &normal_hertz,
    &normal_kelvin_voigt,
    &normal_hunt_crossley,
    &normal_herbert_mcwhannell,
    &normal_lee_wang,
    &normal_lankarani_nikravesh,
    &normal_gonthier,
    &normal_zhiying_qishao,
    &normal_flores,
    &normal_hu_guo,
    &normal_johnson,
    &normal_esdu_78035,
    &normal_expression,
};
enum { COUNT = sizeof all / sizeof *all };

const normal_law_type *const *normal_laws(int *count) {
  *count = COUNT;
  return all;
}

const normal_law_type *normal_law_usual(void) { return &normal_lankarani_nikravesh; }

const normal_law_type *normal_law_find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(all[i]->name, name) == 0) return all[i];
  return NULL;
}
