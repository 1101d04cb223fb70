// Scheme `lcp-velocity` (paper 003): contact forces complementary to the gap rates at the end of a step.
#ifndef SCHEME_LCP_VELOCITY_H
#define SCHEME_LCP_VELOCITY_H

#include "scheme/scheme.h"

extern const scheme_type scheme_lcp_velocity;

#endif
