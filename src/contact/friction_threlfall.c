// Threlfall (Flores and Lankarani, eq. 18): 0.95 in the paper is 1 - e⁻³, so that the law is continuous at v0.
#include <math.h>

#include "contact/law.h"

static void force(const friction_law *l, double fn, const double v[2], const double z[2], double f[2], double zdot[2]) {
  (void)z, (void)zdot;
  double speed = fmin(hypot(v[0], v[1]), l->v0);
  friction_along(-l->kinetic * fn * expm1(-3 * speed / l->v0), v, f);
}

static const char *const needs[] = {"v0", NULL};

const friction_law_type friction_threlfall = {.name = "threlfall",
                                              .equation = "μ = μk (1 - exp(-3|v|/v0)) up to v0, then 0.95 μk",
                                              .source = "Threlfall, Mechanism and Machine Theory 13 (1978)",
                                              .range = "continuous, with a kink at v0; creeps at rest, 0.95 μk at most",
                                              .needs = needs,
                                              .force = force};
