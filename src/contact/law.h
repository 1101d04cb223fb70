// Force laws of continuous contact: how hard a surface pushes back when it is pressed in, and how it rubs. Each law is
// a file of its own and a line in its registry; none knows a body.
//
// Penetration δ is positive in contact, its rate δ̇ positive while it grows; a positive normal force pushes apart.
#ifndef CONTACT_LAW_H
#define CONTACT_LAW_H

#include <stdbool.h>
#include <stddef.h>

#include "text/expr.h"

// --- normal ----------------------------------------------------------------------------------------------------------

// What the elastic part of a law is made of.
typedef enum law_contact {
  LAW_POINT,   // K δⁿ: a stiffness, given or that of two curved solids
  LAW_LINEAR,  // K δ: a stiffness, given
  LAW_LINE,    // cylinders: two solids, their radii and the length of the line
  LAW_OWN,     // a user's: nothing
} law_contact;

typedef struct normal_law normal_law;
typedef struct normal_law_type {
  const char *name, *equation, *source, *range;  // for lists and documents
  law_contact contact;
  const char *const *needs;  // keys of a material, beside the stiffness, that it cannot do without; ends with null
  bool elastic;              // gives back everything
  // Of a law f(δ) (1 + λ δ̇/v₀), v₀ the speed of approach: λ for a prescribed restitution, infinite where there is none.
  // NULL if the law has another form.
  double (*lambda)(double restitution);
  // For δ > 0. May be negative where the formula pulls.
  double (*force)(const normal_law *l, double delta, double rate, double approach);
  double (*energy)(const normal_law *l, double delta);  // stored, as of the force at rest; NULL if by quadrature
} normal_law_type;

// How a user's own function gives the force [N] from δ [m], δ̇ [m/s] and the speed of approach [m/s].
typedef double normal_call(void *context, double delta, double rate, double approach);

struct normal_law {
  const normal_law_type *type;
  double stiffness;        // K [N/mⁿ]
  double exponent;         // n [-]
  double damping;          // of Kelvin-Voigt [N·s/m]
  double restitution;      // nominal: what the formula is given [-]
  double lambda;           // of the restitution, where the law has that form [-]
  double modulus;          // of a line: E* of both solids [Pa]
  double difference;       // of a line: of the radii, of outer surfaces their sum [m]
  double length;           // of a line [m]
  bool pulls;              // the force may be negative, as its formula says; else it is cut at zero
  const expr *expression;  // of a user's law, over delta, rate, approach
  normal_call *call;       // or a function instead
  void *context;
};

double normal_force(const normal_law *l, double delta, double rate, double approach);    // cut at zero unless it pulls
double normal_formula(const normal_law *l, double delta, double rate, double approach);  // as the formula says
bool normal_uses_approach(const normal_law *l);           // its force depends on the speed of approach
bool normal_is_elastic(const normal_law *l);              // with its numbers: gives back everything
double normal_energy(const normal_law *l, double delta);  // stored in the pressed surfaces [J]
// What comes out of a law f(δ) (1 + λ δ̇/v₀): G(λ) = G(-e λ) with G(x) = x - ln(1 + x). And λ for a wanted outcome.
double normal_achieved(double lambda);
double normal_lambda_for(double achieved);
// And λ of f(δ) (1 + λ δ̇/v) released from rest, v the speed that it would have without damping, for a wanted share of
// v: G(-share λ) = λ²/2.
double normal_lambda_of_release(double share);

// Parts that several laws share: K δⁿ, its energy, and 1 + λ δ̇/v₀, in which a contact that began at rest (v₀ = 0) has
// no damping.
double normal_power(const normal_law *l, double delta);
double normal_power_energy(const normal_law *l, double delta);
double normal_damping_factor(const normal_law *l, double rate, double approach);
double normal_power_damped(const normal_law *l, double delta, double rate, double approach);
double normal_lambda_lankarani_nikravesh(double restitution);

const normal_law_type *const *normal_laws(int *count);
const normal_law_type *normal_law_usual(void);             // of a material that names none
const normal_law_type *normal_law_find(const char *name);  // null if there is none of that name

// --- friction --------------------------------------------------------------------------------------------------------

typedef struct friction_law friction_law;
typedef struct friction_law_type {
  const char *name, *equation, *source, *range;
  const char *const *needs;                     // keys of a material that it cannot do without; ends with null
  const char *const *uses;                      // and those it reads beside them and `friction`; may be null
  bool set_valued;                              // no function of speed: only schemes that solve for it can take it
  bool own;                                     // a user's: its coefficient is an expression
  int states;                                   // internal ones along each tangent: 0, or 1 for bristles
  const char *(*fault)(const friction_law *l);  // returns what contradicts in its numbers, or NULL; may be null
  // The force on the first body along each tangent, while it slides with v [m/s] against the second, pressed by
  // fn ≥ 0 [N]; z and their rates are bristle deflections [m] (untouched where there are none).
  void (*force)(const friction_law *l, double fn, const double v[2], const double z[2], double f[2], double zdot[2]);
} friction_law_type;

struct friction_law {
  const friction_law_type *type;
  double kinetic, still;                      // coefficients while sliding and just before [-]
  double v0, v1;                              // speeds of the regularisation, as each law says [m/s]
  double stribeck;                            // speed of Stribeck's curve [m/s]
  double stribeck_exponent;                   // [-]
  double viscous;                             // [N·s/m]
  double bristle_stiffness, bristle_damping;  // per newton of normal force [1/m], [s/m]
  double dahl_exponent;                       // [-]
  const expr *expression;                     // of a user's law: the coefficient over speed and fn
};

// Friction of a law without bristles: f = -(μ(|v|) fn + viscous |v|) v/|v|, nothing at rest.
void friction_along(double magnitude, const double v[2], double f[2]);
// Stribeck's curve μk + (μs - μk) exp(-(|v|/vs)^a).
double friction_stribeck_curve(const friction_law *l, double speed);

const friction_law_type *const *friction_laws(int *count);
const friction_law_type *friction_law_usual(void);
const friction_law_type *friction_law_find(const char *name);

#endif
