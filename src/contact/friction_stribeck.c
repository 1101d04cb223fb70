// Stribeck's curve, made continuous at rest by tanh(|v|/v0), with viscous friction.
#include <math.h>

#include "contact/law.h"

static void force(const friction_law *l, double fn, const double v[2], const double z[2], double f[2], double zdot[2]) {
  (void)z, (void)zdot;
  double speed = hypot(v[0], v[1]);
  friction_along(friction_stribeck_curve(l, speed) * tanh(speed / l->v0) * fn + l->viscous * speed, v, f);
}

static const char *const needs[] = {"v0", "stribeck", NULL};
static const char *const uses[] = {"static_friction", "stribeck_exponent", "viscous", NULL};

const friction_law_type friction_stribeck = {
    .name = "stribeck",
    .equation = "μ = (μk + (μs-μk) exp(-(|v|/stribeck)^a)) tanh(|v|/v0), and viscous |v|",
    .source = "Stribeck 1902; Armstrong-Hélouvry, Dupont, Canudas de Wit, Automatica 30 (1994)",
    .range = "smooth; v0 well below `stribeck`, else μs is not reached; creeps at rest",
    .needs = needs,
    .uses = uses,
    .force = force};
