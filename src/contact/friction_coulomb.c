// Coulomb: anything up to μs fn at rest, μk fn against the sliding (Flores and Lankarani, eq. 16). As a function it
// gives the sliding part alone.
#include "contact/law.h"

static void force(const friction_law *l, double fn, const double v[2], const double z[2], double f[2], double zdot[2]) {
  (void)z, (void)zdot;
  friction_along(l->kinetic * fn, v, f);
}

const friction_law_type friction_coulomb = {.name = "coulomb",
                                            .equation = "|f| ≤ μs fn at rest, f = -μk fn v/|v|",
                                            .source = "Coulomb 1785",
                                            .range = "set-valued: only for methods moreau and event",
                                            .set_valued = true,
                                            .force = force};
