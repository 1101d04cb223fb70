// The slider-crank with a translational clearance joint of Flores, Leine and Glocker, written by hand in its three
// absolute angles: equations (87)–(113) for the mechanism, (36)–(85) for Moreau's midpoint step. It shares nothing
// with the engine, so that it can judge the engine's trajectories, and it is the limit the engine's speed is measured
// against.
//
// Corners seen with the crank to the left: 1 upper rear, 2 upper front, 3 lower rear, 4 lower front. Corners 1 and 2
// meet the upper wall y = +d/2, corners 3 and 4 the lower wall y = −d/2, where d = 2(b + c).
#ifndef BENCH_HAND_SLIDER_CRANK_H
#define BENCH_HAND_SLIDER_CRANK_H

enum { HAND_DOFS = 3, HAND_CORNERS = 4 };

typedef struct hand_parameters {
  double l1, l2;               // lengths of crank and rod [m]
  double a, b, c;              // half length and half width of the slider, clearance on each side [m]
  double m1, m2, m3;           // masses of crank, rod, slider [kg]
  double J1, J2, J3;           // moments of inertia about the centres of mass [kg·m²]
  double g;                    // gravity, along −y [m/s²]
  double restitution_normal;   // εN [-]
  double restitution_tangent;  // εT [-]
  double friction;             // μ [-]
  double activation;           // a corner is active when its gap at the midpoint is at most this [m]
} hand_parameters;

typedef struct hand_state {
  double q[HAND_DOFS];  // θ1, θ2, θ3, each against the horizontal [rad]
  double u[HAND_DOFS];  // ω1, ω2, ω3 [rad/s]
} hand_state;

// The configurations of figure 8. Wedged, which the figure does not know, is every other set of corners; it takes a
// step that overshoots the clearance, and three corners on both walls may then leave (85) without a solution.
typedef enum hand_mode { HAND_FREE, HAND_CORNER, HAND_FACE, HAND_OPPOSITE, HAND_WEDGED, HAND_MODES } hand_mode;

// What solved the complementarity problem (85): nothing to solve, all active corners separate with P = 0, all of them
// slip the way they would have slipped without contact, enumeration; or nothing did.
typedef enum hand_stage {
  HAND_NO_CONTACT,
  HAND_SEPARATING,
  HAND_SLIPPING,
  HAND_ENUMERATED,
  HAND_UNSOLVED,
  HAND_STAGES
} hand_stage;

// What a step did. Start from {0}; a step without active corners writes only what has changed.
typedef struct hand_step_info {
  unsigned active;  // bit i: corner i+1 was active at the midpoint
  hand_mode mode;   // of the active corners
  hand_stage stage;
  double normal[HAND_CORNERS], tangent[HAND_CORNERS];  // percussions P_N and P_T, zero where not active [N·s]
} hand_step_info;

// Parameters with what a step would otherwise compute anew.
typedef struct hand_slider_crank {
  hand_parameters p;
  double M11, M22, M33, coupling;  // (90), (93), (94), and (91) without its cosine [kg·m²]
  double weight1, weight2;         // the factors of −cos θ1 and −cos θ2 in (95) and (96) [N·m]
  double half_guide;               // d/2 [m]
} hand_slider_crank;

hand_parameters hand_parameters_default(void);  // table 1
hand_state hand_state_default(void);            // table 1
hand_slider_crank hand_slider_crank_make(hand_parameters p);

// One step of Moreau's midpoint rule; with dt = 0 at a closed gap it is the impact alone.
void hand_step(const hand_slider_crank *s, double dt, hand_state *x, hand_step_info *info);

hand_mode hand_mode_of(unsigned corners);

// The pieces of the equations, as the paper writes them.
void hand_mass(const hand_slider_crank *s, const double q[3], double M[3][3]);
void hand_forces(const hand_slider_crank *s, const double q[3], const double u[3], double h[3]);
void hand_gaps(const hand_slider_crank *s, const double q[3], double normal[4], double tangent[4]);
void hand_directions(const hand_slider_crank *s, const double q[3], double normal[4][3], double tangent[4][3]);
double hand_energy(const hand_slider_crank *s, const hand_state *x);  // kinetic and potential [J]

#endif
