// Expressions: `2*pi*f*sin(omega*t)`, `150 rpm`, `if(t < 0.1, 1, 0)`. Parsed once into checked bytecode, evaluated
// without allocation, const and thread-safe. Evaluation in jets carries the first and second derivative along.
#ifndef MODEL_EXPR_H
#define MODEL_EXPR_H

#include <stdbool.h>

#include "model/source.h"
#include "model/unit.h"

typedef struct expr expr;

// A value and its first two derivatives with respect to one variable.
typedef struct jet {
  double v, d, dd;
} jet;

// What a name stands for.
typedef struct symbol {
  bool is_constant;
  double value;   // of a constant
  int slot;       // of a variable: index into the array given to evaluation
  dimension dim;
  const char *unit;  // of a signal: as its list has it, such as "J"; may be null
} symbol;

// Asked for each name in the text (dotted names such as `crank.q` arrive whole). Returns false when unknown, and
// may then set *hint to a near name.
typedef struct scope {
  bool (*resolve)(void *context, const char *name, symbol *found, const char **hint);
  void *context;
} scope;

// Compiles text; `at` is the place of its first character. Returns null after reporting an error at the exact
// column. `dim` (may be null) receives the dimension of the result, DIM_ANY when it is not known: a literal without a
// unit is a pure factor, a constant symbol of DIM_ANY may stand for anything, and a variable's dimension is lost in a
// product with either, since coefficients of t and of signals are mostly written without units.
const expr *expr_compile(arena *memory, const char *text, place at, scope names, dimension *dim, carom_error *error);

bool expr_is_constant(const expr *e);            // mentions no variable
// The unit of its value, for a column of results: that of the signals it adds up ("J"), else one made from the dimension
// ("N*m"), "1" for a plain number, "" when it is not known, as in `hinge.q*180/pi`.
const char *expr_unit(const expr *e, char buffer[32]);
double expr_value(const expr *e, const double *slots);
// At a kink, the derivatives of the side the variable grows into; a jump has none.
jet expr_jet(const expr *e, const jet *slots);

// Name and one-line help of each built-in function and constant, for the reference page.
const char *const *expr_help(int *count);

#endif
