// Gonthier, McPhee, Lange and Piedbœuf, in the closed form of their approximation. To solve their own equation,
// (1 + λ)/(1 - e λ) = exp(λ(1 + e)), is what an achieved restitution asks for.
#include "contact/law.h"

static double lambda(double e) { return (1 - e * e) / e; }

const normal_law_type normal_gonthier = {
    .name = "gonthier",
    .equation = "F = K δⁿ (1 + (1-e²)/e δ̇/v₀)",
    .source = "Gonthier, McPhee, Lange, Piedbœuf, Multibody System Dynamics 11 (2004)",
    .range = "restitution above 0, true to 0.04",
    .contact = LAW_POINT,
    .lambda = lambda,
    .force = normal_power_damped,
    .energy = normal_power_energy};
