// Hu and Guo: the energy lost along both paths, pressed in and out.
#include "contact/law.h"

static double lambda(double e) { return 1.5 * (1 - e) / e; }

const normal_law_type normal_hu_guo = {.name = "hu-guo",
                                       .equation = "F = K δⁿ (1 + 3(1-e)/(2e) δ̇/v₀)",
                                       .source = "Hu, Guo, Multibody System Dynamics 35 (2015)",
                                       .range = "restitution above 0, true to 0.04",
                                       .contact = LAW_POINT,
                                       .lambda = lambda,
                                       .force = normal_power_damped,
                                       .energy = normal_power_energy};
