// Units and dimensions. Inside everything is SI and radians; an angle has no dimension.
#ifndef MODEL_UNIT_H
#define MODEL_UNIT_H

#include <stdbool.h>
#include <stddef.h>

// Exponents of metre, kilogram, second, each from -20 to 20, packed into one integer so that it can stand in constant
// tables. DIM_ANY is that of a bare number, which takes whatever is expected of it.
typedef int dimension;

#define DIM(m_, kg_, s_) (1 << 18 | ((m_) + 32) << 12 | ((kg_) + 32) << 6 | ((s_) + 32))
#define DIM_ANY    0
#define DIM_NONE   DIM(0, 0, 0)
#define DIM_LENGTH DIM(1, 0, 0)
#define DIM_MASS   DIM(0, 1, 0)
#define DIM_TIME   DIM(0, 0, 1)
#define DIM_INERTIA DIM(2, 1, 0)
#define DIM_FORCE  DIM(1, 1, -2)
#define DIM_TORQUE DIM(2, 1, -2)
#define DIM_SPEED  DIM(1, 0, -1)
#define DIM_RATE   DIM(0, 0, -1)
#define DIM_ACCELERATION DIM(1, 0, -2)
#define DIM_STIFFNESS DIM(0, 1, -2)
#define DIM_DAMPING DIM(0, 1, -1)
#define DIM_TORSIONAL_DAMPING DIM(2, 1, -1)
#define DIM_ENERGY DIM(2, 1, -2)

typedef struct unit {
  const char *name;
  double factor;  // SI value of one such unit
  dimension dim;
  const char *help;
} unit;

const unit *unit_find(const char *name, size_t length);
const unit *unit_list(int *count);  // for the reference page and for suggestions

// Reads a product of unit names such as `N/m` or `kg*m^2`, written without blanks, from the start of `text`. Returns
// the number of bytes taken, 0 when there is none. A name that is followed by '(' is a function, not a unit.
size_t unit_product(const char *text, double *factor, dimension *dim);

typedef struct dimension_exponents {
  int m, kg, s;
} dimension_exponents;
dimension_exponents dimension_unpack(dimension d);
// DIM_ANY when an exponent is out of range.
dimension dimension_pack(dimension_exponents e);

// A bare number fits any dimension.
bool dimension_equal(dimension a, dimension b);
// "m/s", "kg·m²", "1" ... written into a caller's buffer of 32 bytes.
const char *dimension_text(dimension d, char buffer[32]);
// "a length", "a mass", ..., or null for one without a name of its own.
const char *dimension_name(dimension d);

#endif
