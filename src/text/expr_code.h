// Bytecode of an expression, shared by its compiler and its evaluator. Straight-line code for a small stack: no jumps,
// so that both branches of `if` are evaluated and one result is used, and the depth of the stack is known when it is
// compiled.
#ifndef TEXT_EXPR_CODE_H
#define TEXT_EXPR_CODE_H

#include "text/curve.h"
#include "text/expr_parse.h"

enum { EXPR_STACK = 64 };

typedef enum opcode {
  // push
  OP_CONSTANT,
  OP_SLOT,
  // one operand
  OP_NEGATE,
  OP_NOT,
  OP_SIN,
  OP_COS,
  OP_TAN,
  OP_ASIN,
  OP_ACOS,
  OP_ATAN,
  OP_SINH,
  OP_COSH,
  OP_TANH,
  OP_EXP,
  OP_LOG,
  OP_LOG10,
  OP_SQRT,
  OP_CBRT,
  OP_ABS,
  OP_SIGN,
  OP_FLOOR,
  OP_CEIL,
  OP_STEP,
  OP_RAMP,
  OP_TABLE,
  // two operands
  OP_ADD,
  OP_SUBTRACT,
  OP_MULTIPLY,
  OP_DIVIDE,
  OP_POWER,
  OP_LESS,
  OP_LESS_EQUAL,
  OP_GREATER,
  OP_GREATER_EQUAL,
  OP_EQUAL,
  OP_NOT_EQUAL,
  OP_AND,
  OP_OR,
  OP_MIN,
  OP_MAX,
  OP_MOD,
  OP_HYPOT,
  OP_ATAN2,
  // three operands
  OP_SELECT,
  OP_BLEND,
} opcode;

typedef struct instruction {
  opcode op;
  int arg;  // OP_CONSTANT: index into the pool; OP_SLOT: slot; OP_TABLE: index of its curve
} instruction;

struct expr {
  const instruction *code;
  int length;
  const double *pool;          // constants
  const curve *const *curves;  // of tables
  bool is_constant;
  dimension dim;     // of the value; DIM_NONE of a plain number, DIM_ANY when it is not known
  const char *unit;  // of a signal or a sum of signals: how it is written; else null
};

// Operations on one and two values.
double expr_apply1(opcode op, double x);
double expr_apply2(opcode op, double a, double b);

// Reads an optional sign, a number and a unit without allocating. Returns the number of bytes read, 0 if there is no
// number.
size_t expr_literal(const char *text, double *value, dimension *dim);

#endif
