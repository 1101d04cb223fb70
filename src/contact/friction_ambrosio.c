// Ambrósio (Flores and Lankarani, eq. 20): Coulomb's force times a factor that rises from 0 at v0 to 1 at v1.
#include <math.h>

#include "contact/law.h"

static void force(const friction_law *l, double fn, const double v[2], const double z[2], double f[2], double zdot[2]) {
  (void)z, (void)zdot;
  double rise = (hypot(v[0], v[1]) - l->v0) / (l->v1 - l->v0);
  friction_along(l->kinetic * fn * fmax(0, fmin(rise, 1)), v, f);
}

static const char *fault(const friction_law *l) { return l->v1 > l->v0 ? NULL : "v1 must be above v0"; }

static const char *const needs[] = {"v0", "v1", NULL};

const friction_law_type friction_ambrosio = {
    .name = "ambrosio",
    .equation = "μ = μk (|v|-v0)/(v1-v0) between v0 and v1, 0 below, μk above",
    .source = "Ambrósio, Virtual Nonlinear Multibody Systems (2003)",
    .range = "continuous, with kinks at v0 and v1; no friction at all below v0",
    .needs = needs,
    .fault = fault,
    .force = force};
