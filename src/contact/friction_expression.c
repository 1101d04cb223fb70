// A user's coefficient over speed and fn, against the sliding.
#include <math.h>

#include "contact/law.h"

static void force(const friction_law *l, double fn, const double v[2], const double z[2], double f[2], double zdot[2]) {
  (void)z, (void)zdot;
  const double slots[2] = {hypot(v[0], v[1]), fn};
  friction_along(expr_value(l->expression, slots) * fn, v, f);
}

static const char *const needs[] = {"coefficient", "friction", NULL};  // rigid methods read `friction`, 0 means none

const friction_law_type friction_expression = {
    .name = "expression",
    .own = true,
    .equation = "μ = coefficient(speed, fn)",
    .source = "the model",
    .range = "defined by the model; continuous if the coefficient is 0 at rest",
    .needs = needs,
    .force = force};
