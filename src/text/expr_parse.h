// From text to expressions.
#ifndef TEXT_EXPR_PARSE_H
#define TEXT_EXPR_PARSE_H

#include "text/curve.h"
#include "text/expr.h"
#include "text/source.h"
#include "text/unit.h"

// What a name stands for.
typedef struct symbol {
  bool is_constant;
  double value;  // of a constant
  int slot;      // of a variable: index into the array given to evaluation
  dimension dim;
  const char *unit;  // of a signal: as its list has it, such as "J"; may be null
} symbol;

// A table that expressions call by its name.
typedef struct named_curve {
  const char *name;
  const curve *curve;  // null while only the name is known
  dimension x, y;      // DIM_ANY of plain numbers
} named_curve;

// Asked for each name in the text (dotted names such as `crank.q` arrive whole). Returns false when unknown, and
// may then set *hint to a near name.
typedef struct scope {
  bool (*resolve)(void *context, const char *name, symbol *found, const char **hint);
  void *context;
  // The table of this name, or null; may be null if there are none.
  const named_curve *(*table)(void *context, const char *name);
} scope;

// Compiles text; `at` is the place of its first character. Returns null after reporting an error at the exact
// column. `dim` (may be null) receives the dimension of the result, DIM_ANY when it is not known: a literal without a
// unit is a pure factor, a constant symbol of DIM_ANY may stand for anything, and a variable's dimension is lost in a
// product with either, since coefficients of t and of signals are mostly written without units.
const expr *expr_compile(arena *memory, const char *text, place at, scope names, dimension *dim, carom_error *error);

bool expr_is_function(const char *name);  // a built-in one

// Name and one-line help of each built-in function and constant, for the reference page.
const char *const *expr_help(int *count);

#endif
