// Flores, Machado, Silva and Martins: made for soft materials (Flores and Lankarani, eq. 15).
#include "contact/law.h"

static double lambda(double e) { return 1.6 * (1 - e) / e; }

const normal_law_type normal_flores = {.name = "flores",
                                       .equation = "F = K δⁿ (1 + 8(1-e)/(5e) δ̇/v₀)",
                                       .source = "Flores, Machado, Silva, Martins, Multibody System Dynamics 25 (2011)",
                                       .range = "restitution above 0, true to 0.05",
                                       .contact = LAW_POINT,
                                       .lambda = lambda,
                                       .force = normal_power_damped,
                                       .energy = normal_power_energy};
