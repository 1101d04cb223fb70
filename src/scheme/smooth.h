// Scheme `smooth`: motion without contact, the core of flow.h alone.
#ifndef SCHEME_SMOOTH_H
#define SCHEME_SMOOTH_H

#include "scheme/scheme.h"

extern const scheme_type scheme_smooth;

#endif
