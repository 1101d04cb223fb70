#include <math.h>

#include "text/expr_code.h"

// ---- plain values

static double floored_mod(double a, double b) { return a - b * floor(a / b); }

// Rises from 0 at u = 0 to 1 at u = 1 with two continuous derivatives: 10u³ - 15u⁴ + 6u⁵.
static double quintic(double u) { return u <= 0 ? 0 : u >= 1 ? 1 : u * u * u * (10 + u * (6 * u - 15)); }

static double blend(double x, double x0, double x1) { return x0 == x1 ? x >= x0 : quintic((x - x0) / (x1 - x0)); }

double expr_apply1(opcode op, double x) {
  switch (op) {
    case OP_NEGATE: return -x;
    case OP_NOT: return x == 0;
    case OP_SIN: return sin(x);
    case OP_COS: return cos(x);
    case OP_TAN: return tan(x);
    case OP_ASIN: return asin(x);
    case OP_ACOS: return acos(x);
    case OP_ATAN: return atan(x);
    case OP_SINH: return sinh(x);
    case OP_COSH: return cosh(x);
    case OP_TANH: return tanh(x);
    case OP_EXP: return exp(x);
    case OP_LOG: return log(x);
    case OP_LOG10: return log10(x);
    case OP_SQRT: return sqrt(x);
    case OP_CBRT: return cbrt(x);
    case OP_ABS: return fabs(x);
    case OP_SIGN: return (x > 0) - (x < 0);
    case OP_FLOOR: return floor(x);
    case OP_CEIL: return ceil(x);
    case OP_STEP: return x >= 0;
    default: return x > 0 ? x : 0;  // OP_RAMP
  }
}

double expr_apply2(opcode op, double a, double b) {
  switch (op) {
    case OP_ADD: return a + b;
    case OP_SUBTRACT: return a - b;
    case OP_MULTIPLY: return a * b;
    case OP_DIVIDE: return a / b;
    case OP_POWER: return pow(a, b);
    case OP_LESS: return a < b;
    case OP_LESS_EQUAL: return a <= b;
    case OP_GREATER: return a > b;
    case OP_GREATER_EQUAL: return a >= b;
    case OP_EQUAL: return a == b;
    case OP_NOT_EQUAL: return a != b;
    case OP_AND: return a != 0 && b != 0;
    case OP_OR: return a != 0 || b != 0;
    case OP_MIN: return b < a ? b : a;
    case OP_MAX: return b > a ? b : a;
    case OP_MOD: return floored_mod(a, b);
    case OP_HYPOT: return hypot(a, b);
    default: return atan2(a, b);  // OP_ATAN2
  }
}

double expr_value(const expr *e, const double *slots) {
  double stack[EXPR_STACK];
  int n = 0;
  for (const instruction *i = e->code; i < e->code + e->length; i++) {
    if (i->op == OP_CONSTANT) stack[n++] = e->pool[i->arg];
    else if (i->op == OP_SLOT) stack[n++] = slots[i->arg];
    else if (i->op == OP_TABLE) stack[n - 1] = curve_value(e->curves[i->arg], stack[n - 1]);
    else if (i->op < OP_TABLE) stack[n - 1] = expr_apply1(i->op, stack[n - 1]);
    else if (i->op < OP_SELECT) n--, stack[n - 1] = expr_apply2(i->op, stack[n - 1], stack[n]);
    else if (i->op == OP_SELECT) n -= 2, stack[n - 1] = stack[n - 1] != 0 ? stack[n] : stack[n + 1];
    else n -= 2, stack[n - 1] = blend(stack[n - 1], stack[n], stack[n + 1]);
  }
  return stack[0];
}

// ---- jets
//
// At a kink the derivatives are those on the side the variable grows into: abs(t) at t = 0 has the slope +1,
// abs(-t) too. A step, sign, floor or ceil has none, on the jump neither.

static jet constant(double v) { return (jet){v, 0, 0}; }

// Sign of a jet just after: of the first term of its Taylor series that does not vanish.
static double side(jet x) { return x.v != 0 ? x.v : x.d != 0 ? x.d : x.dd; }

static jet negate(jet x) { return (jet){-x.v, -x.d, -x.dd}; }
static jet add(jet a, jet b) { return (jet){a.v + b.v, a.d + b.d, a.dd + b.dd}; }
static jet subtract(jet a, jet b) { return (jet){a.v - b.v, a.d - b.d, a.dd - b.dd}; }
static jet multiply(jet a, jet b) {
  return (jet){a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2 * a.d * b.d + a.v * b.dd};
}

// q b = a, differentiated twice.
static jet divide(jet a, jet b) {
  double q = a.v / b.v, d = (a.d - q * b.d) / b.v;
  return (jet){q, d, (a.dd - 2 * d * b.d - q * b.dd) / b.v};
}

// A product in which an exact zero wins over an infinite factor: what does not move has no derivative.
static double times(double rate, double f) { return rate == 0 ? 0 : rate * f; }

// f(x) from f, f' and f'' at x.v.
static jet chain(jet x, double f, double f1, double f2) {
  return (jet){f, times(x.d, f1), times(x.d, x.d * f2) + times(x.dd, f1)};
}

static jet power_of(jet x, double p) {
  double f1 = p == 0 ? 0 : p * pow(x.v, p - 1);
  double f2 = p == 0 || p == 1 ? 0 : p * (p - 1) * pow(x.v, p - 2);
  return chain(x, pow(x.v, p), f1, f2);
}

// x^y = exp(y log x); with an exponent at rest the base may have any sign.
static jet power(jet x, jet y) {
  if (y.d == 0 && y.dd == 0) return power_of(x, y.v);
  jet w = multiply(y, chain(x, log(x.v), 1 / x.v, -1 / (x.v * x.v)));
  double v = pow(x.v, y.v);
  return (jet){v, v * w.d, v * (w.d * w.d + w.dd)};
}

// r² = a² + b², differentiated twice; at the origin the one-sided slope.
static jet hypotenuse(jet a, jet b) {
  double r = hypot(a.v, b.v);
  if (r == 0) return (jet){0, hypot(a.d, b.d), 0};
  double d = (a.v * a.d + b.v * b.d) / r;
  return (jet){r, d, (a.d * a.d + b.d * b.d + a.v * a.dd + b.v * b.dd - d * d) / r};
}

// θ = atan2(y, x): r² θ' = x y' - y x'.
static jet angle(jet y, jet x) {
  double rr = x.v * x.v + y.v * y.v, v = atan2(y.v, x.v);
  if (rr == 0) return constant(v);
  double d = (x.v * y.d - y.v * x.d) / rr;
  return (jet){v, d, (x.v * y.dd - y.v * x.dd - 2 * d * (x.v * x.d + y.v * y.d)) / rr};
}

static jet blend_jet(jet x, jet x0, jet x1) {
  if (x0.v == x1.v) return constant(x.v >= x0.v);
  jet u = divide(subtract(x, x0), subtract(x1, x0));
  if (u.v <= 0 || u.v >= 1) return constant(quintic(u.v));
  double r = 1 - u.v;
  return chain(u, quintic(u.v), 30 * u.v * u.v * r * r, 60 * u.v * r * (r - u.v));
}

static jet jet1(opcode op, jet x) {
  double v = x.v, f, g;
  switch (op) {
    case OP_NEGATE: return negate(x);
    case OP_SIN: return f = sin(v), chain(x, f, cos(v), -f);
    case OP_COS: return f = cos(v), chain(x, f, -sin(v), -f);
    case OP_TAN: return f = tan(v), g = 1 + f * f, chain(x, f, g, 2 * f * g);
    case OP_ASIN: return g = (1 - v) * (1 + v), chain(x, asin(v), 1 / sqrt(g), v / (g * sqrt(g)));
    case OP_ACOS: return g = (1 - v) * (1 + v), chain(x, acos(v), -1 / sqrt(g), -v / (g * sqrt(g)));
    case OP_ATAN: return g = 1 / (1 + v * v), chain(x, atan(v), g, -2 * v * g * g);
    case OP_SINH: return f = sinh(v), chain(x, f, cosh(v), f);
    case OP_COSH: return f = cosh(v), chain(x, f, sinh(v), f);
    case OP_TANH: return f = tanh(v), g = 1 - f * f, chain(x, f, g, -2 * f * g);
    case OP_EXP: return f = exp(v), chain(x, f, f, f);
    case OP_LOG: return chain(x, log(v), 1 / v, -1 / (v * v));
    case OP_LOG10: return g = 1 / (v * 2.30258509299404568402), chain(x, log10(v), g, -g / v);
    case OP_SQRT: return f = sqrt(v), chain(x, f, 0.5 / f, -0.25 / (f * v));
    case OP_CBRT: return f = cbrt(v), g = 1 / (3 * f * f), chain(x, f, g, -2 * g / (3 * v));
    case OP_ABS: return side(x) < 0 ? negate(x) : x;
    case OP_RAMP: return side(x) > 0 ? x : constant(0);
    default: return constant(expr_apply1(op, v));  // NOT, SIGN, FLOOR, CEIL, STEP
  }
}

static jet jet2(opcode op, jet a, jet b) {
  switch (op) {
    case OP_ADD: return add(a, b);
    case OP_SUBTRACT: return subtract(a, b);
    case OP_MULTIPLY: return multiply(a, b);
    case OP_DIVIDE: return divide(a, b);
    case OP_POWER: return power(a, b);
    case OP_MIN: return side(subtract(b, a)) < 0 ? b : a;
    case OP_MAX: return side(subtract(b, a)) > 0 ? b : a;
    case OP_MOD: {
      double turns = floor(a.v / b.v);
      return (jet){a.v - b.v * turns, a.d - turns * b.d, a.dd - turns * b.dd};
    }
    case OP_HYPOT: return hypotenuse(a, b);
    case OP_ATAN2: return angle(a, b);
    default: return constant(expr_apply2(op, a.v, b.v));  // comparisons, AND, OR
  }
}

jet expr_jet(const expr *e, const jet *slots) {
  jet stack[EXPR_STACK];
  int n = 0;
  for (const instruction *i = e->code; i < e->code + e->length; i++) {
    if (i->op == OP_CONSTANT) stack[n++] = constant(e->pool[i->arg]);
    else if (i->op == OP_SLOT) stack[n++] = slots[i->arg];
    else if (i->op == OP_TABLE) stack[n - 1] = curve_jet(e->curves[i->arg], stack[n - 1]);
    else if (i->op < OP_TABLE) stack[n - 1] = jet1(i->op, stack[n - 1]);
    else if (i->op < OP_SELECT) n--, stack[n - 1] = jet2(i->op, stack[n - 1], stack[n]);
    else if (i->op == OP_SELECT) n -= 2, stack[n - 1] = stack[n - 1].v != 0 ? stack[n] : stack[n + 1];
    else n -= 2, stack[n - 1] = blend_jet(stack[n - 1], stack[n], stack[n + 1]);
  }
  return stack[0];
}

bool expr_is_constant(const expr *e) { return e->is_constant; }
