// Scheme `lcp-position` (paper 003): contact forces complementary to the gaps at the end of a step.
#ifndef SCHEME_LCP_POSITION_H
#define SCHEME_LCP_POSITION_H

#include "scheme/scheme.h"

extern const scheme_type scheme_lcp_position;

#endif
