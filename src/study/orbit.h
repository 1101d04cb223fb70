// The attractor that a motion settles on, in a Poincaré section: its points, their period, multipliers of small
// disturbances, and the largest Lyapunov exponent.
#ifndef STUDY_ORBIT_H
#define STUDY_ORBIT_H

#include "study/poincare.h"

typedef struct orbit_rule {
  int cut, points;     // sections that are left out, and then kept
  double tolerance;    // points within this part of the amplitude are the same; 0: as the integrator allows [-]
  double disturbance;  // of differences, in parts of the amplitude; 0: as the integrator allows [-]
} orbit_rule;

// A complex number, and its magnitude.
typedef struct orbit_multiplier {
  double real, imaginary, size;
} orbit_multiplier;
extern const orbit_multiplier orbit_no_multiplier;  // not a number

// What is left until an orbit loses its stability, over all multipliers μ.
typedef struct orbit_margin {
  double fold;   // |Π (1 - μ)|
  double flip;   // |Π (1 + μ)|
  double torus;  // least |1 - |μ|²| of those that are complex; infinite if none is
} orbit_margin;

typedef struct orbit {
  section_rule at;
  section_space space;
  section_state *points;  // the last one is where the motion goes on
  int count;
  int period;       // sections until the points repeat; 0: they do not
  bool repeats;     // to the tolerance; else they come nearer to that
  double interval;  // mean time from section to section [s]
  double impacts;   // per section
  double slowest;   // smallest approach speed of an impact; infinite without impacts [m/s]
  bool rests;       // with infinitely many impacts, after which a contact rests
  bool has_multiplier;
  orbit_multiplier multiplier;  // the largest one of the orbit
  orbit_margin margin;          // if it has a multiplier
  double *same;                 // points that are apart by a small part of this are the same, one for each number
  double *apart;                // workspace, a displacement
} orbit;

// Runs a sim, which is at its start, until it has settled. `each` (may be null) is called at every point that is kept.
// The sim is then at the last point. Everything comes from the arena.
typedef struct orbit_points {
  void (*each)(void *context, carom_sim *sim, int point);
  void *context;
} orbit_points;
carom_status orbit_settle(arena *memory, carom_sim *sim, const section_rule *at, const orbit_rule *rule,
                          orbit_points points, orbit *to, carom_error *error);

// How far two orbits are from each other: the largest distance of a point of the first from the nearest of the other,
// by positions, or the difference of their amplitudes if that is larger; in parts of the larger amplitude.
double orbit_distance(const orbit *a, const orbit *b);
// The largest distance of points that are half of the period apart: small near a flip. Infinite if the period is odd.
double orbit_split(const orbit *o);

// multiplier.c: of a periodic orbit, by differences. The sim is used as a workspace.
carom_status orbit_find_multiplier(arena *memory, carom_sim *sim, const orbit_rule *rule, orbit *of,
                                   carom_error *error);

// Where a disturbed motion may start: whether its contacts are open, or no deeper than those of the reference.
typedef struct orbit_gaps {
  arena *memory;
  contact_point *points;
  int room;       // of points
  double lowest;  // of the reference [m]
  double least;   // what counts as penetration [m]
} orbit_gaps;
orbit_gaps orbit_gaps_at(arena *memory, carom_sim *sim, const section_state *reference, double disturbance);
bool orbit_gaps_allow(orbit_gaps *g, carom_sim *sim, const section_state *s);

// lyapunov.c: the largest exponent over so many intervals from the last point of an orbit, with its standard error, by
// a second motion beside the first. Minus infinity where disturbances vanish. `sims` are two of one model.
typedef struct lyapunov {
  double exponent, standard_error;  // [1/s]
} lyapunov;
carom_status orbit_find_lyapunov(arena *memory, carom_sim *const sims[2], const orbit_rule *rule, const orbit *of,
                                 long intervals, lyapunov *to, carom_error *error);

#endif
