// The members of the family of schemes.
#ifndef SCHEME_REGISTRY_H
#define SCHEME_REGISTRY_H

#include "scheme/scheme.h"

// All of them. The first is that of a model which names none.
const scheme_type *const *scheme_types(int *count);
// Returns null if there is none of that name.
const scheme_type *scheme_find(const char *name);

#endif
