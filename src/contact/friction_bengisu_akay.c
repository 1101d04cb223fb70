// Bengisu and Akay (Flores and Lankarani, eq. 19): a parabola up to μs at v0, then a decay to μk. The decay κ is one
// over the speed `stribeck`.
#include <math.h>

#include "contact/law.h"

static void force(const friction_law *l, double fn, const double v[2], const double z[2], double f[2], double zdot[2]) {
  (void)z, (void)zdot;
  double speed = hypot(v[0], v[1]), r = speed / l->v0;
  double mu = r < 1 ? l->still * r * (2 - r)  // μs - μs (|v| - v0)²/v0²
                    : l->kinetic + (l->still - l->kinetic) * exp(-(speed - l->v0) / l->stribeck);
  friction_along(mu * fn, v, f);
}

static const char *const needs[] = {"v0", "stribeck", NULL};
static const char *const uses[] = {"static_friction", NULL};

const friction_law_type friction_bengisu_akay = {
    .name = "bengisu-akay",
    .equation = "μ = μs (1 - (|v|/v0-1)²) up to v0, then μk + (μs-μk) exp(-(|v|-v0)/stribeck)",
    .source = "Bengisu, Akay, Journal of Vibration and Acoustics 116 (1994)",
    .range = "continuous, with a kink at v0 where μs > μk; creeps at rest",
    .needs = needs,
    .uses = uses,
    .force = force};
