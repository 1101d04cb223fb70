// A sinusoidally driven mass on a spring that strikes a stop, programmed by hand: flights in closed form, impacts at
// the roots of the gap, the linearised motion by the exponential of the flight and the saltation matrix of the impact.
// It judges `carom bifurcation`.
//
//   m x'' + c x' + k x = F cos(w t),  x <= stop,  x' becomes -e x' at the stop
#ifndef BENCH_HAND_IMPACT_OSCILLATOR_H
#define BENCH_HAND_IMPACT_OSCILLATOR_H

#include <stdbool.h>

typedef struct hand_oscillator {
  double mass, damping, stiffness;  // [kg], [N·s/m], [N/m]
  double force, frequency;          // of the drive [N], [rad/s]
  double stop, restitution;         // [m], [-]
} hand_oscillator;

typedef struct hand_oscillator_state {
  double t, x, u;     // [s], [m], [m/s]
  bool rests;         // at the stop, pressed by the forces
  double tangent[4];  // by rows: derivative of (x, u) with respect to the place where it was last set to one
  long impacts;       // counted one by one: an infinite sequence counts those before it is summed
  long sequences;     // of infinitely many impacts that ended at rest
  double slowest;     // smallest approach speed of an impact [m/s]
} hand_oscillator_state;

hand_oscillator_state hand_oscillator_start(double t, double x, double u);
// To a later time. Times are at best within one period of the drive of zero, so that its phase is exact.
void hand_oscillator_advance(const hand_oscillator *o, hand_oscillator_state *s, double t_end);
// Through so many periods of the drive from a time 0 to a time 0.
void hand_oscillator_periods(const hand_oscillator *o, hand_oscillator_state *s, int count);

// The attractor that is reached: after `cut` periods, the number of periods after which the state returns to within
// `tolerance` of the amplitude (0 if it does not in `most`), and the magnitude of the largest multiplier of this orbit.
typedef struct hand_oscillator_orbit {
  int period;
  double multiplier;  // with the sign of a real one, NaN if there is no period
  bool sequences;     // with infinitely many impacts per period
} hand_oscillator_orbit;
hand_oscillator_orbit hand_oscillator_settle(const hand_oscillator *o, hand_oscillator_state *s, int cut, int most,
                                             double tolerance);

// The largest Lyapunov exponent over so many periods from the present state, and its standard error by the means of
// `batches` parts [1/s].
double hand_oscillator_exponent(const hand_oscillator *o, hand_oscillator_state *s, long periods, int batches,
                                double *standard_error);

#endif
