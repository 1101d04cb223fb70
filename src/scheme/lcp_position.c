// Scheme `lcp-position`: a level of the core in complement.h.
#include "scheme/lcp_position.h"

#include "scheme/complement.h"

#define AT(field) offsetof(carom_lcp_def, field)
COMPLEMENT_SCHEME(lcp_position, "lcp-position", "lcp_position", COMPLEMENT_GAPS, "gaps");
