// Zhiying and Qishao: Lankarani and Nikravesh, corrected for low restitution.
#include <math.h>

#include "contact/law.h"

static double lambda(double e) { return 0.75 * (1 - e * e) * exp(2 * (1 - e)); }

const normal_law_type normal_zhiying_qishao = {
    .name = "zhiying-qishao",
    .equation = "F = K δⁿ (1 + 3(1-e²)exp(2(1-e))/4 δ̇/v₀)",
    .source = "Zhiying, Qishao, Journal of Beijing University of Aeronautics and Astronautics 32 (2006)",
    .range = "achieved restitution within 0.1 of the nominal one above e = 0.14; never below 0.17",
    .contact = LAW_POINT,
    .lambda = lambda,
    .force = normal_power_damped,
    .energy = normal_power_energy};
