// Hunt and Crossley: the energy lost is taken as that of a damper along the elastic path (Flores and Lankarani, eq.
// 13).
#include "contact/law.h"

static double lambda(double e) { return 1.5 * (1 - e); }

const normal_law_type normal_hunt_crossley = {
    .name = "hunt-crossley",
    .equation = "F = K δⁿ (1 + 3(1-e)/2 δ̇/v₀)",
    .source = "Hunt, Crossley, Journal of Applied Mechanics 42 (1975)",
    .range = "achieved restitution within 0.1 of the nominal one above e = 0.63; never below 0.49",
    .contact = LAW_POINT,
    .lambda = lambda,
    .force = normal_power_damped,
    .energy = normal_power_energy};
