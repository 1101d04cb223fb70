// Hertz: F = K δⁿ, n = 3/2 where the pressure is spread as a half ellipsoid (Flores and Lankarani, eq. 11).
#include "contact/law.h"

static double force(const normal_law *l, double delta, double rate, double approach) {
  (void)rate, (void)approach;
  return normal_power(l, delta);
}

const normal_law_type normal_hertz = {
    .name = "hertz",
    .equation = "F = K δⁿ",
    .source = "Hertz, Journal für die reine und angewandte Mathematik 92 (1881)",
    .range = "elastic; contact area small compared with the radii, not conformal, without friction",
    .contact = LAW_POINT,
    .elastic = true,
    .force = force,
    .energy = normal_power_energy};
