// Dahl: bristles that bend as the surfaces slide and slip at μk. In one dimension
//
//   ż = v (1 - ζ sgn v)ᵃ,  ζ = σ0 z/μk,  f = -σ0 z fn
//
// with the sign of 1 - ζ sgn v kept. Along two tangents, with the sliding direction s = v/|v|, that is
// ż = |v| (s - ζ) |s - ζ|^(a-1): the same in every direction, at rest in ζ = s.
#include <math.h>

#include "contact/law.h"

static void force(const friction_law *l, double fn, const double v[2], const double z[2], double f[2], double zdot[2]) {
  double speed = hypot(v[0], v[1]), away[2];
  for (int k = 0; k < 2; k++) away[k] = speed > 0 ? v[k] / speed - l->bristle_stiffness * z[k] / l->kinetic : 0;
  double distance = hypot(away[0], away[1]);
  double rate = distance > 0 ? speed * pow(distance, l->dahl_exponent - 1) : 0;
  for (int k = 0; k < 2; k++) {
    zdot[k] = rate * away[k];
    f[k] = -fn * l->bristle_stiffness * z[k];
  }
}

static const char *const needs[] = {"bristle_stiffness", NULL};
static const char *const uses[] = {"dahl_exponent", NULL};

const friction_law_type friction_dahl = {
    .name = "dahl",
    .equation = "ż = v (1 - σ0 z sgn(v)/μk)^a, f = -σ0 z fn",
    .source = "Dahl, The Aerospace Corporation, TOR-0158 (1968)",
    .range = "sticks with elastic bristles, no stiction peak; one state per tangent direction",
    .needs = needs,
    .uses = uses,
    .states = 1,
    .force = force};
