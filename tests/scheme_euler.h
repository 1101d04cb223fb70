// Scheme `euler`, a member of the family for tests alone: semi-implicit Euler with inelastic contact.
#ifndef TESTS_SCHEME_EULER_H
#define TESTS_SCHEME_EULER_H

#include "scheme/scheme.h"

extern const scheme_type scheme_euler;

#endif
