// Scheme `stewart-trinkle` (paper 002, equations 15 to 23): inelastic contact on the level of positions, with a
// polygonal friction cone.
#ifndef SCHEME_STEWART_TRINKLE_H
#define SCHEME_STEWART_TRINKLE_H

#include "scheme/scheme.h"

extern const scheme_type scheme_stewart_trinkle;

#endif
