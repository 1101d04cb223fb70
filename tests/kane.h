// Kane's rod: it strikes the floor at 60° and its tip sticks, for friction is high. Under Newton's law the normal speed
// returns e-fold however much of the impulse the sticking took, and the rod may leave with more energy than it had.
//
// With W of the tip (times the mass) the energy of a motion of the tip is ½ γᵀ W⁻¹ γ. From γ⁻ = (-1, v) Newton's γ⁺ =
// (e, 0) has more of it at v = -W_NT/W_NN as soon as e² > 1 - W_NT²/(W_NN W_TT). The tangent is taken along -x: W_NT is
// positive.
#ifndef CAROM_TESTS_KANE_H
#define CAROM_TESTS_KANE_H

#include "check.h"

static const char kane_rod[] =
    "space: planar\n"
    "gravity: [0, 0]\n"
    "parameters: {v: 0, above: 0}\n"
    "bodies: {rod: {mass: 1, inertia: 1/12, com: [0.5, 0]}}\n"
    "joints: {rod: {free: [ground, rod]}}\n"
    "surfaces: {tip: {point: rod, material: rough}, floor: {plane: ground, material: rough}}\n"
    "materials: {rough: {restitution: 0.9, friction: 5}}\n"
    "initial: {rod: {q: [60 deg, 0, above], u: [0, v, -1]}}\n"
    "method: event\n";

typedef struct kane_impact {
  double W_NN, W_TT, W_NT, det;
  double v, e;  // tangential speed before, restitution
} kane_impact;

static kane_impact kane_strike(void) {
  const double c = 0.5, s = sqrt(0.75), W_NN = 1 + 3 * c * c, W_TT = 1 + 3 * s * s, W_NT = 3 * s * c;
  return (kane_impact){W_NN, W_TT, W_NT, W_NN * W_TT - W_NT * W_NT, .v = -W_NT / W_NN, .e = 0.9};
}

static double kane_energy(double normal, double tangential) {
  const kane_impact k = kane_strike();
  return 0.5 * (k.W_TT * normal * normal + k.W_NN * tangential * tangential - 2 * k.W_NT * normal * tangential) / k.det;
}

#endif
