// Johnson's cylinders in line contact, with the damping of Lankarani and Nikravesh (the outcome of which does not
// depend on the elastic part).
#include "contact/normal_line.h"

static double force(const normal_law *l, double delta, double rate, double approach) {
  return normal_line_force(l, delta, -1) * normal_damping_factor(l, rate, approach);
}

static double energy(const normal_law *l, double delta) { return normal_line_energy(l, delta, -1); }

static const char *const needs[] = {"length", NULL};

const normal_law_type normal_johnson = {
    .name = "johnson",
    .equation = "δ = F/(π E* L) (ln(4π E* ΔR L/F) - 1), F (1 + 3(1-e²)/4 δ̇/v₀)",
    .source = "Johnson, Contact Mechanics (1985); damping of Lankarani and Nikravesh",
    .range = "parallel cylinders, internal or external; δ below 0.54 ΔR, proportional force beyond",
    .contact = LAW_LINE,
    .needs = needs,
    .lambda = normal_lambda_lankarani_nikravesh,
    .force = force,
    .energy = energy};
