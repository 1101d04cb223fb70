// Hooke: F = K δ (Flores and Lankarani, eq. 10).
#include "contact/law.h"

static double force(const normal_law *l, double delta, double rate, double approach) {
  (void)rate, (void)approach;
  return l->stiffness * delta;
}

static double energy(const normal_law *l, double delta) { return 0.5 * l->stiffness * delta * delta; }

const normal_law_type normal_hooke = {.name = "hooke",
                                      .equation = "F = K δ",
                                      .source = "Hooke 1678",
                                      .range = "elastic; a linear spring, independent of the contact geometry",
                                      .contact = LAW_LINEAR,
                                      .elastic = true,
                                      .force = force,
                                      .energy = energy};
