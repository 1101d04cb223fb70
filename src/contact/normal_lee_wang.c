// Lee and Wang: half the damping of Hunt and Crossley.
#include "contact/law.h"

static double lambda(double e) { return 0.75 * (1 - e); }

const normal_law_type normal_lee_wang = {
    .name = "lee-wang",
    .equation = "F = K δⁿ (1 + 3(1-e)/4 δ̇/v₀)",
    .source = "Lee, Wang, Journal of Mechanisms, Transmissions and Automation in Design 105 (1983)",
    .range = "achieved restitution within 0.1 of the nominal one above e = 0.82; never below 0.66",
    .contact = LAW_POINT,
    .lambda = lambda,
    .force = normal_power_damped,
    .energy = normal_power_energy};
