// Brown and McPhee: smooth in every derivative, μs at v0. Their viscous term is taken for loads well above the one at
// which it sets in.
#include <math.h>

#include "contact/law.h"

static void force(const friction_law *l, double fn, const double v[2], const double z[2], double f[2], double zdot[2]) {
  (void)z, (void)zdot;
  double speed = hypot(v[0], v[1]), r = speed / l->v0, hump = 0.25 * r * r + 0.75;
  double mu = l->kinetic * tanh(4 * r) + (l->still - l->kinetic) * r / (hump * hump);
  friction_along(mu * fn + l->viscous * speed, v, f);
}

static const char *const needs[] = {"v0", NULL};
static const char *const uses[] = {"static_friction", "viscous", NULL};

const friction_law_type friction_brown_mcphee = {
    .name = "brown-mcphee",
    .equation = "μ = μk tanh(4|v|/v0) + (μs-μk)(|v|/v0)/(|v|²/(4 v0²)+3/4)², and viscous |v|",
    .source = "Brown, McPhee, Journal of Computational and Nonlinear Dynamics 11 (2016)",
    .range = "smooth, suitable for variable steps; creeps at rest",
    .needs = needs,
    .uses = uses,
    .force = force};
