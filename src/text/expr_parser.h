// The parser of expressions and the dimensions of its operands. Internal to expr_parse.c and expr_quantity.c.
#ifndef TEXT_EXPR_PARSER_H
#define TEXT_EXPR_PARSER_H

#include "text/expr_code.h"

// How firm a dimension is. A bare literal is a pure factor; a bare parameter may stand for anything; a unit that was
// written is firm; a variable has a dimension, but one in which people leave coefficients out: `sin(5*t)`.
typedef enum firmness { PURE, ANYTHING, FIRM, LOOSE } firmness;

typedef struct quantity {
  firmness firm;
  dimension dim;     // of FIRM and LOOSE
  const char *unit;  // of a signal, or a sum of signals that have the same: how it is written; else null
} quantity;

typedef struct operand {
  int start;  // first instruction
  bool is_constant;
  double value;  // of a constant
  quantity what;
  size_t at;        // offset in the text
  const char *bad;  // why a constant is not finite, null when all is well
  size_t bad_at;
} operand;

typedef struct parser {
  arena *memory;
  const char *text;
  size_t i;
  place at;
  scope names;
  carom_error *error;
  bool failed;
  int depth;   // of recursion
  int height;  // of the stack at this point of the code
  instruction *code;
  int code_count, code_capacity;
  double *pool;
  int pool_count, pool_capacity;
  const curve **curves;
  int curve_count, curve_capacity;
} parser;

// Reports an error at an offset of the text; only the first counts. `hint` may be null.
operand expr_fail(parser *p, size_t at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// --- expr_quantity.c -------------------------------------------------------------------------------------------------

#define QUANTITY_PURE     ((quantity){PURE, DIM_ANY, NULL})
#define QUANTITY_ANYTHING ((quantity){ANYTHING, DIM_ANY, NULL})

quantity quantity_of_dimension(firmness firm, dimension d);
bool quantity_has_dimension(quantity a);
// Of two operands that are added or compared; `what` is said of them where their dimensions differ.
quantity quantity_alike(parser *p, operand a, operand b, size_t at, const char *what);
quantity quantity_product(parser *p, operand a, operand b, bool quotient, size_t at);
// To the power numerator/denominator, and to that of an operand.
quantity quantity_scaled(parser *p, quantity a, int numerator, int denominator, size_t at);
quantity quantity_power(parser *p, operand a, operand b, size_t at);
// Refuses an operand with a unit where an angle or a plain number is needed.
void quantity_want_number(parser *p, operand a, const char *what);

#endif
