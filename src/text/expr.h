// Expressions: `2*pi*f*sin(omega*t)`, `150 rpm`, `if(t < 0.1, 1, 0)`. Parsed once into checked bytecode (expr_parse.h),
// evaluated without allocation, const and thread-safe. Evaluation with jets also gives the first and second derivative.
#ifndef TEXT_EXPR_H
#define TEXT_EXPR_H

#include <stdbool.h>

typedef struct expr expr;

// A value and its first two derivatives with respect to one variable.
typedef struct jet {
  double v, d, dd;
} jet;

bool expr_is_constant(const expr *e);  // mentions no variable
// The unit of its value, for a column of results: that of the signals it adds up ("J"), else one made from the
// dimension
// ("N*m"), "1" for a plain number, "" when it is not known, as in `hinge.q*180/pi`.
const char *expr_unit(const expr *e, char buffer[32]);
double expr_value(const expr *e, const double *slots);
// At a kink it gives the derivatives on the side of larger values. A jump has no derivative.
jet expr_jet(const expr *e, const jet *slots);
// The first time after t at which a derivative of the expression may jump as a function of its slot 0, the time: at a
// point of a table, where the condition of an `if` changes, and so on. Infinite if there is none. `opaque` (may be
// null) is set if there may be others: where such an argument is not linear in time between jumps, or depends on other
// slots.
double expr_next_kink(const expr *e, double t, bool *opaque);

#endif
