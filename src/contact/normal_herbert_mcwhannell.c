// Herbert and McWhannell: as Hunt and Crossley, with the rebound's own path.
#include "contact/law.h"

static double lambda(double e) { return 6 * (1 - e) / ((2 * e - 1) * (2 * e - 1) + 3); }

const normal_law_type normal_herbert_mcwhannell = {
    .name = "herbert-mcwhannell",
    .equation = "F = K δⁿ (1 + 6(1-e)/((2e-1)²+3) δ̇/v₀)",
    .source = "Herbert, McWhannell, Journal of Engineering for Industry 99 (1977)",
    .range = "achieved restitution within 0.1 of the nominal one above e = 0.49; never below 0.49",
    .contact = LAW_POINT,
    .lambda = lambda,
    .force = normal_power_damped,
    .energy = normal_power_energy};
