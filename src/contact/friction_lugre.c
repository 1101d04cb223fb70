// LuGre: bristles with damping over Stribeck's curve g,
//
//   ż = v - |v| σ0 z/g(|v|),  f = -(σ0 z + σ1 exp(-(|v|/stribeck)²) ż) fn - viscous v
//
// along both tangents, coupled by |v|: the same in every direction, steady at σ0 z = g v/|v|. The damping fades with
// speed, as its authors advise: else a contact that begins at v with z = 0 would feel σ1 v fn. Passive while σ1 |v|
// exp(-(|v|/stribeck)²) ≤ 4 g, certainly while σ1 stribeck ≤ 9.3 μk.
#include <math.h>

#include "contact/law.h"

static void force(const friction_law *l, double fn, const double v[2], const double z[2], double f[2], double zdot[2]) {
  double speed = hypot(v[0], v[1]), r = speed / l->stribeck;
  double slip = speed * l->bristle_stiffness / friction_stribeck_curve(l, speed);
  double damping = l->bristle_damping * exp(-r * r);
  for (int k = 0; k < 2; k++) {
    zdot[k] = v[k] - slip * z[k];
    f[k] = -fn * (l->bristle_stiffness * z[k] + damping * zdot[k]) - l->viscous * v[k];
  }
}

static const char *const needs[] = {"bristle_stiffness", "stribeck", NULL};
static const char *const uses[] = {"static_friction", "stribeck_exponent", "bristle_damping", "viscous", NULL};

const friction_law_type friction_lugre = {
    .name = "lugre",
    .equation = "ż = v - |v| σ0 z/g(|v|), f = -(σ0 z + σ1 exp(-(|v|/stribeck)²) ż) fn - viscous v",
    .source = "Canudas de Wit, Olsson, Åström, Lischinsky, IEEE Transactions on Automatic Control 40 (1995)",
    .range = "sticks with elastic bristles; passive while σ1 stribeck ≤ 9.3 μk; one state per tangent direction",
    .needs = needs,
    .uses = uses,
    .states = 1,
    .force = force};
