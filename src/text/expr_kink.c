// Where an expression of time changes its piece: tables at their points, comparisons, abs, min, floor and the like
// where their arguments say so. An argument that is linear in t until then says when.
#include <math.h>

#include "text/expr_code.h"

// A value on the side after t. Of a linear one v + d (time - t) holds until the next kink.
typedef struct piece {
  bool linear;
  double v, d;
} piece;

typedef struct search {
  double t, next;
  bool *opaque;
} search;

static const piece curved = {false, NAN, NAN};

static piece linear(double v, double d) { return (piece){true, v, d}; }

// Where x reaches a level that it is not at.
static void meet(search *s, piece x, double level) {
  double at = x.d != 0 ? s->t + (level - x.v) / x.d : INFINITY;
  if (at > s->t && at < s->next) s->next = at;
}

// The side of zero that x is on from here.
static double side(search *s, piece x) {
  if (!x.linear) return *s->opaque = true, NAN;
  meet(s, x, 0);
  return x.v != 0 ? x.v : x.d;
}

// Whole numbers are jumps: the one below, on the side where x is going.
static piece whole(search *s, piece x, bool up) {
  if (!x.linear) return *s->opaque = true, curved;
  double low = x.d < 0 ? ceil(x.v) - 1 : floor(x.v);
  meet(s, x, low), meet(s, x, low + 1);
  bool still = x.d == 0 && x.v == floor(x.v);
  return linear(up && !still ? low + 1 : low, 0);
}

static piece pick(double decides, piece positive, piece other) {
  return isnan(decides) ? curved : decides > 0 ? positive : other;
}

static piece negate(piece x) { return x.linear ? linear(-x.v, -x.d) : curved; }
static piece add(piece a, piece b, double sign) {
  return a.linear && b.linear ? linear(a.v + sign * b.v, a.d + sign * b.d) : curved;
}
static bool is_still(piece x) { return x.linear && x.d == 0; }

static piece multiply(piece a, piece b) {
  if (is_still(a) && b.linear) return linear(a.v * b.v, a.v * b.d);
  return is_still(b) && a.linear ? linear(a.v * b.v, a.d * b.v) : curved;
}

static piece divide(piece a, piece b) { return is_still(b) && a.linear ? linear(a.v / b.v, a.d / b.v) : curved; }

static piece table(search *s, const curve *c, piece x) {
  if (!x.linear) return *s->opaque = true, curved;
  int i = curve_piece(c, x.v, x.d), last = c->count - 1;
  if (i >= 0) meet(s, x, c->x[i]);
  if (i < last) meet(s, x, c->x[i + 1]);
  if (i < 0 || i == last) return linear(c->c[i < 0 ? 0 : 4 * i], 0);
  const double *k = c->c + 4 * i, at = x.v - c->x[i];
  if (is_still(x)) return linear(curve_value(c, x.v), 0);
  return k[2] == 0 && k[3] == 0 ? linear(k[0] + k[1] * at, k[1] * x.d) : curved;
}

// a - b floor(a/b)
static piece modulo(search *s, piece a, piece b) { return add(a, multiply(b, whole(s, divide(a, b), false)), -1); }

static piece one(search *s, opcode op, piece x) {
  double sign;
  switch (op) {
    case OP_NEGATE: return negate(x);
    case OP_ABS: return pick(side(s, x), x, negate(x));
    case OP_RAMP: return pick(side(s, x), x, linear(0, 0));
    case OP_SIGN: return sign = side(s, x), isnan(sign) ? curved : linear((sign > 0) - (sign < 0), 0);
    case OP_STEP: return sign = side(s, x), isnan(sign) ? curved : linear(sign >= 0, 0);
    case OP_NOT: return is_still(x) ? linear(x.v == 0, 0) : (*s->opaque = true, curved);
    case OP_FLOOR: return whole(s, x, false);
    case OP_CEIL: return whole(s, x, true);
    default: return is_still(x) ? linear(expr_apply1(op, x.v), 0) : curved;
  }
}

static piece two(search *s, opcode op, piece a, piece b) {
  piece both = add(a, b, -1);
  double sign;
  switch (op) {
    case OP_ADD: return add(a, b, 1);
    case OP_SUBTRACT: return both;
    case OP_MULTIPLY: return multiply(a, b);
    case OP_DIVIDE: return divide(a, b);
    case OP_MIN: return pick(side(s, both), b, a);
    case OP_MAX: return pick(side(s, both), a, b);
    case OP_MOD: return modulo(s, a, b);
    case OP_LESS: return sign = side(s, both), isnan(sign) ? curved : linear(sign < 0, 0);
    case OP_LESS_EQUAL: return sign = side(s, both), isnan(sign) ? curved : linear(sign <= 0, 0);
    case OP_GREATER: return sign = side(s, both), isnan(sign) ? curved : linear(sign > 0, 0);
    case OP_GREATER_EQUAL: return sign = side(s, both), isnan(sign) ? curved : linear(sign >= 0, 0);
    case OP_EQUAL: return sign = side(s, both), isnan(sign) ? curved : linear(sign == 0, 0);
    case OP_NOT_EQUAL: return sign = side(s, both), isnan(sign) ? curved : linear(sign != 0, 0);
    case OP_AND:
    case OP_OR:
      if (!is_still(a) || !is_still(b)) return *s->opaque = true, curved;
      return linear(expr_apply2(op, a.v, b.v), 0);
    default: return is_still(a) && is_still(b) ? linear(expr_apply2(op, a.v, b.v), 0) : curved;
  }
}

static piece choose(search *s, const piece *a) {
  if (is_still(a[0])) return a[0].v != 0 ? a[1] : a[2];
  return *s->opaque = true, curved;
}

double expr_next_kink(const expr *e, double t, bool *opaque) {
  bool ignored;
  search s = {t, INFINITY, opaque ? opaque : &ignored};
  piece stack[EXPR_STACK];
  int n = 0;
  for (const instruction *i = e->code; i < e->code + e->length; i++) {
    if (i->op == OP_CONSTANT) stack[n++] = linear(e->pool[i->arg], 0);
    else if (i->op == OP_SLOT) stack[n++] = i->arg == 0 ? linear(t, 1) : curved;
    else if (i->op == OP_TABLE) stack[n - 1] = table(&s, e->curves[i->arg], stack[n - 1]);
    else if (i->op < OP_TABLE) stack[n - 1] = one(&s, i->op, stack[n - 1]);
    else if (i->op < OP_SELECT) n--, stack[n - 1] = two(&s, i->op, stack[n - 1], stack[n]);
    else if (i->op == OP_SELECT) n -= 2, stack[n - 1] = choose(&s, stack + n - 1);
    else n -= 2, stack[n - 1] = curved;  // blend has no jump in speed or acceleration
  }
  return s.next;
}
