// Scheme `lcp-velocity`: a level of the core in complement.h.
#include "scheme/lcp_velocity.h"

#include "scheme/complement.h"

#define AT(field) offsetof(carom_lcp_def, field)
COMPLEMENT_SCHEME(lcp_velocity, "lcp-velocity", "lcp_velocity", COMPLEMENT_RATES, "gap rates");
