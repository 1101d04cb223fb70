// Scheme `moreau` (paper 004, equations 36 to 85): Moreau's midpoint rule on the measure differential equation, with
// Newton's restitution normal and tangential, set-valued Coulomb friction, and bilateral constraints in the same step.
#ifndef SCHEME_MOREAU_H
#define SCHEME_MOREAU_H

#include "scheme/scheme.h"

extern const scheme_type scheme_moreau;

#endif
