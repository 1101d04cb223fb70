// Scheme `moreau` (paper 004, equations 36 to 85): Moreau's midpoint rule on the measure differential equation, with
// Newton's restitution normal and tangential, set-valued Coulomb friction, and bilateral constraints in the same step.
#ifndef SCHEME_MOREAU_H
#define SCHEME_MOREAU_H

#include "scheme/scheme.h"
#include "solve/problem_text.h"

typedef struct moreau_settings {
  double step;          // [s]
  bool project;         // positions back onto the constraints after each step
  double tolerance;     // of the contact problem's residual [-]
  problem_dump dump;    // by the number of the step
} moreau_settings;

extern const scheme_type scheme_moreau;
extern const scheme_about moreau_about;
moreau_settings moreau_settings_from(const scheme_setup *setup);

#endif
