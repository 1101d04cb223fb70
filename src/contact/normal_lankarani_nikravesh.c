// Lankarani and Nikravesh: the kinetic energy lost in a central impact, spread over the path of Hertz (Flores and
// Lankarani, eq. 14; Flores and Ambrósio, eq. 6).
#include "contact/law.h"

double normal_lambda_lankarani_nikravesh(double e) { return 0.75 * (1 - e * e); }

const normal_law_type normal_lankarani_nikravesh = {
    .name = "lankarani-nikravesh",
    .equation = "F = K δⁿ (1 + 3(1-e²)/4 δ̇/v₀)",
    .source = "Lankarani, Nikravesh, Journal of Mechanical Design 112 (1990)",
    .range = "achieved restitution within 0.1 of the nominal one above e = 0.70; never below 0.66",
    .contact = LAW_POINT,
    .lambda = normal_lambda_lankarani_nikravesh,
    .force = normal_power_damped,
    .energy = normal_power_energy};
