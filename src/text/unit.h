// Units and dimensions. Inside everything is SI and radians. The angle is counted as a unit, so that `rpm*t` is known
// to be an angle; but a radius times an angle is a length, so dimensions that differ in it alone fit each other.
#ifndef TEXT_UNIT_H
#define TEXT_UNIT_H

#include <stdbool.h>
#include <stddef.h>

// Exponents of metre, kilogram, second and radian, each from -20 to 20, packed into one integer so that it can stand in
// constant tables. DIM_ANY is that of a bare number, which takes whatever is expected of it.
typedef int dimension;

#define DIM_TURNS(m_, kg_, s_, rad_) \
  (1 << 24 | ((rad_) + 32) << 18 | ((m_) + 32) << 12 | ((kg_) + 32) << 6 | ((s_) + 32))
#define DIM(m_, kg_, s_) DIM_TURNS(m_, kg_, s_, 0)
#define DIM_ANY          0
// Set in what is made of Hz: it counts cycles, and is no angle or angular speed before it is multiplied by 2*pi. Not
// set beside a length, a mass or an angle.
#define DIM_CYCLES            (1 << 25)
#define DIM_COUNT             (DIM(0, 0, 0) | DIM_CYCLES)  // of `3 Hz*t`
#define DIM_NONE              DIM(0, 0, 0)
#define DIM_ANGLE             DIM_TURNS(0, 0, 0, 1)
#define DIM_LENGTH            DIM(1, 0, 0)
#define DIM_MASS              DIM(0, 1, 0)
#define DIM_TIME              DIM(0, 0, 1)
#define DIM_INERTIA           DIM(2, 1, 0)
#define DIM_DENSITY           DIM(-3, 1, 0)
#define DIM_FORCE             DIM(1, 1, -2)
#define DIM_TORQUE            DIM(2, 1, -2)
#define DIM_SPEED             DIM(1, 0, -1)
#define DIM_RATE              DIM_TURNS(0, 0, -1, 1)
#define DIM_PER_TIME          DIM(0, 0, -1)
#define DIM_ACCELERATION      DIM(1, 0, -2)
#define DIM_STIFFNESS         DIM(0, 1, -2)
#define DIM_DAMPING           DIM(0, 1, -1)
#define DIM_TORSIONAL_DAMPING DIM(2, 1, -1)
#define DIM_ENERGY            DIM(2, 1, -2)

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
  int m, kg, s, rad;
} dimension_exponents;
dimension_exponents dimension_unpack(dimension d);
// DIM_ANY when an exponent is out of range.
dimension dimension_pack(dimension_exponents e);
// a b^power; DIM_ANY when an exponent is out of range.
dimension dimension_product(dimension a, dimension b, int power);
dimension dimension_without_cycles(dimension d);
// Of a unit such as "m/s^2", as signals have them; DIM_ANY when it is none.
dimension dimension_of_unit(const char *unit);

// Whether one may stand for the other: a bare number fits any dimension, and the angle does not count. A number of
// cycles fits all but angles, angular speeds and angular accelerations, and what is made of Hz does not fit these
// either.
bool dimension_equal(dimension a, dimension b);
// "m/s", "N*m", "kg*m^2", "1" ... as a model file has it, written into a caller's buffer of 32 bytes.
const char *dimension_text(dimension d, char buffer[32]);
// "a length", "a mass", ..., or null for one without a name of its own.
const char *dimension_name(dimension d);

// What a quantity must be and what it is: "a length in m, not an angle in rad". In a caller's buffer.
enum { DIMENSION_COMPLAINT = 160 };
const char *dimension_complaint(dimension wanted, dimension got, char buffer[DIMENSION_COMPLAINT]);
// How `text`, a quantity of dimension `got`, becomes one of dimension `wanted`: "write 300 rpm * t". In a caller's
// buffer.
enum { DIMENSION_ADVICE = 240 };
const char *dimension_advice(dimension wanted, dimension got, const char *text, bool may_use_time,
                             char buffer[DIMENSION_ADVICE]);

#endif
