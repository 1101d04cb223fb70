// Kelvin and Voigt: F = K δ + D δ̇ (Flores and Lankarani, eq. 12). The force jumps to D v₀ at the touch, and by the
// formula it pulls before the end.
#include "contact/law.h"

static double force(const normal_law *l, double delta, double rate, double approach) {
  (void)approach;
  return l->stiffness * delta + l->damping * rate;
}

static double energy(const normal_law *l, double delta) { return 0.5 * l->stiffness * delta * delta; }

static const char *const needs[] = {"damping", NULL};

const normal_law_type normal_kelvin_voigt = {
    .name = "kelvin-voigt",
    .equation = "F = K δ + D δ̇",
    .source = "Goldsmith 1960",
    .range = "linear materials; the force jumps at first contact, and the damping is independent of the restitution",
    .contact = LAW_LINEAR,
    .needs = needs,
    .force = force,
    .energy = energy};
