// The flexible manipulator of models/manipulator.yaml, programmed by hand in complex numbers: the plane is the complex
// plane, and a turn by φ is a product with e^{iφ}. Independent of carom: Kane's equations over the points of both
// links.
//
// Link k has the shape functions a = (x/L)² along and b = 1.5 (x/L)² - 0.5 (x/L)³ across, with the coordinates u and w.
// A point of it is at
//   ρ = x + a u + ½ g w² + i b w,   g = -∫ b'² dx from 0 to x
// from its joint, in axes at the angle θ₁ = φ₁ and θ₂ = φ₁ + b'(L₁) w₁ + φ₂. The motor sits at the end of link 1, the
// payload at the end of link 2. φ₁ and φ₂ = -φ₁ are given over time.
#ifndef HAND_MANIPULATOR_H
#define HAND_MANIPULATOR_H

enum { HAND_MODES = 4 };  // u₁ w₁ u₂ w₂

typedef struct hand_link {
  double length, EA, EI, line_mass, end_mass;
} hand_link;

typedef struct hand_manipulator {
  hand_link link[2];
  double g;
} hand_manipulator;

typedef struct hand_manipulator_state {
  double t;
  double q[HAND_MODES], u[HAND_MODES];
} hand_manipulator_state;

hand_manipulator hand_manipulator_default(void);
// φ₁ with its first two derivatives; at the times where the plan goes from one cubic to the next, those behind it.
void hand_manipulator_plan(double t, double angle[3]);
// One step of the classical Runge–Kutta method, to the next multiple of h or, if that is earlier, to the next time at
// which the plan changes.
void hand_manipulator_step(const hand_manipulator *m, double h, hand_manipulator_state *s);

#endif
