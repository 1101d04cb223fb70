// The energy ledger: what is stored, what came in, what went out, and what is left over, which is numerical error.
#ifndef LEDGER_ENERGY_H
#define LEDGER_ENERGY_H

// Stored now, and exchanged since the start.
typedef struct energy_balance {
  double kinetic, gravity, spring;  // stored [J]
  double strain;                    // stored in flexible bodies [J]
  double contact;                   // stored in pressed surfaces [J]
  double drive, applied;            // work of drives and of applied forces [J]
  double damper;                    // lost in dampers [J]
  double impact, friction;          // lost in contacts, normal to and along the surface [J]
  double projection;                // put in by moving positions back onto constraints [J]
  double overlap;                   // put in by moving bodies apart that overlap [J]
} energy_balance;

// What the relative imbalance of a scheme may be.
typedef struct energy_limits {
  double warn;        // above it the run is doubtful [-]
  double bad;         // above it the run is not to be trusted [-]
  double tolerances;  // both are at least so many times the integrator's relative tolerance
} energy_limits;

// How large a model is, for rounding.
typedef struct energy_size {
  double gravity;     // sum of m |g| h over the bodies, h their largest distance from the origin at the start [J]
  double inertia;     // mass times the square of the length [kg m^2]
  double stiffness;   // of springs, times the square of the length [N m]
  double resolution;  // absolute tolerance of positions and speeds, relative to the length [-]
} energy_size;

typedef struct energy_ledger {
  energy_balance start, now;
  energy_size size;
  double largest;  // the largest energy that went through so far [J]
  double worst;    // the largest |imbalance| so far [J]
} energy_ledger;

// Accounts that have a signal of their own, side by side in every record; kinetic, gravity, spring and strain are
// signals of the mechanism.
enum {
  ENERGY_CONTACT,
  ENERGY_DRIVE,
  ENERGY_APPLIED,
  ENERGY_DAMPER,
  ENERGY_IMPACT,
  ENERGY_FRICTION,
  ENERGY_PROJECTION,
  ENERGY_OVERLAP,
  ENERGY_IMBALANCE,
  ENERGY_SIGNALS
};
extern const char *const energy_signal_names[ENERGY_SIGNALS];

void energy_open(energy_ledger *l, const energy_balance *start, energy_size size);
void energy_update(energy_ledger *l, const energy_balance *now);
// Extremes as those of the ledger, which are kept over other states: with what the ledger has now.
void energy_raise(const energy_ledger *l, double *largest, double *worst);
// stored - stored at the start - work + losses: zero but for numerical error [J]
double energy_imbalance(const energy_ledger *l);
// The worst of it until t, relative to the largest energy that went through [-]. At rest nothing goes through, and
// rounding is all that is left over: it is then relative to the least energy that rounding leaves to be judged.
double energy_relative_imbalance(const energy_ledger *l, double t);

#endif
