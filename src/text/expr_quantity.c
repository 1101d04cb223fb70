// Dimensions of operands: what may be added, and what products, powers and roots are in.
#include <math.h>
#include <string.h>

#include "text/expr_parser.h"

// What cancels is a plain number; rad is not, so that `rpm*t` stays an angle.
quantity quantity_of_dimension(firmness firm, dimension d) {
  return d == DIM_NONE ? QUANTITY_PURE : (quantity){firm, d, NULL};
}

bool quantity_has_dimension(quantity a) { return a.firm == FIRM || a.firm == LOOSE; }
static bool is_count(quantity a) { return quantity_has_dimension(a) && a.dim == DIM_COUNT; }

// A number of cycles is a plain number beside all that is no angle.
static quantity beside(quantity other, quantity a) {
  bool fits = other.firm == ANYTHING ||
              (quantity_has_dimension(other) && !is_count(other) && dimension_equal(other.dim, a.dim));
  return is_count(a) && fits ? QUANTITY_PURE : a;
}

// Of two things that are added or compared.
quantity quantity_alike(parser *p, operand a, operand b, size_t at, const char *what) {
  quantity x = beside(b.what, a.what), y = beside(a.what, b.what);
  if (x.firm == PURE) return y;
  if (y.firm == PURE) return x;
  if (x.firm == ANYTHING) return y.firm == FIRM ? y : x;
  if (y.firm == ANYTHING) return x.firm == FIRM ? x : y;
  if (!dimension_equal(x.dim, y.dim)) {
    char left[32], right[32];
    const char *hint = (x.dim | y.dim) & DIM_CYCLES &&
                               dimension_equal(dimension_without_cycles(x.dim), dimension_without_cycles(y.dim))
                           ? "a cycle has 2*pi rad: 1 Hz is 2*pi*1 Hz as an angular speed"
                           : "both need the same unit; a number without a unit fits either";
    expr_fail(p, at, hint, "%s %s and %s: the units do not match", what, dimension_text(x.dim, left),
              dimension_text(y.dim, right));
  }
  quantity result = x.firm == LOOSE ? x : y;
  if (x.unit && y.unit && strcmp(x.unit, y.unit) != 0) result.unit = NULL;
  return result;
}

// Half an angle's exponent, as in sqrt(30 deg), is no reason to complain: it is left out.
quantity quantity_scaled(parser *p, quantity a, int numerator, int denominator, size_t at) {
  dimension_exponents e = dimension_unpack(a.dim);
  if ((e.m * numerator) % denominator || (e.kg * numerator) % denominator || (e.s * numerator) % denominator) {
    char text[32];
    if (a.firm == FIRM) expr_fail(p, at, NULL, "this power of %s is not a unit", dimension_text(a.dim, text));
    return QUANTITY_ANYTHING;
  }
  e.m = e.m * numerator / denominator;
  e.kg = e.kg * numerator / denominator;
  e.s = e.s * numerator / denominator;
  e.rad = e.rad * numerator % denominator ? 0 : e.rad * numerator / denominator;
  dimension d = dimension_pack(e);
  if (d == DIM_ANY) expr_fail(p, at, NULL, "the unit of this power is out of range");
  return quantity_of_dimension(a.firm, d);
}

// A factor without a unit may be the 2*pi that makes an angle of cycles.
static quantity factor_beside(quantity other, quantity a) {
  if (is_count(a)) return QUANTITY_PURE;
  if (quantity_has_dimension(a) && other.firm == PURE) a.dim = dimension_without_cycles(a.dim);
  return a;
}

quantity quantity_product(parser *p, operand a, operand b, bool quotient, size_t at) {
  quantity x = factor_beside(b.what, a.what), y = factor_beside(a.what, b.what);
  if (x.firm == ANYTHING || y.firm == ANYTHING) return QUANTITY_ANYTHING;
  if (x.firm == PURE && y.firm == PURE) return QUANTITY_PURE;
  if (x.firm == LOOSE && y.firm == PURE) return QUANTITY_ANYTHING;
  if (x.firm == PURE && y.firm == LOOSE) return QUANTITY_ANYTHING;
  dimension d =
      dimension_product(x.firm == PURE ? DIM_NONE : x.dim, y.firm == PURE ? DIM_NONE : y.dim, quotient ? -1 : 1);
  if (d == DIM_ANY) expr_fail(p, at, NULL, "the unit of this product is out of range");
  return quantity_of_dimension(x.firm == LOOSE || y.firm == LOOSE ? LOOSE : FIRM, d);
}

void quantity_want_number(parser *p, operand a, const char *what) {
  char text[32];
  if (a.what.firm == FIRM && !dimension_equal(a.what.dim, DIM_NONE))
    expr_fail(p, a.at, "divide it by a reference value, as in x/(1 m)",
              "the %s must be an angle or a plain number, not %s", what, dimension_text(a.what.dim, text));
}

// x^y: a dimension needs a constant exponent that leaves whole powers.
quantity quantity_power(parser *p, operand a, operand b, size_t at) {
  quantity_want_number(p, b, "exponent");
  if (!quantity_has_dimension(a.what)) return a.what;
  for (int denominator = 1; b.is_constant && denominator <= 4; denominator++) {
    double numerator = b.value * denominator;
    if (numerator == floor(numerator) && fabs(numerator) <= 100)
      return quantity_scaled(p, a.what, (int)numerator, denominator, at);
  }
  char text[32];
  if (a.what.firm == FIRM && !dimension_equal(a.what.dim, DIM_NONE))
    expr_fail(p, at, NULL, "a quantity in %s needs a constant whole exponent", dimension_text(a.what.dim, text));
  return QUANTITY_ANYTHING;
}
