// The energy ledger: what is stored, what came in, what went out, and what is left over, which is numerical error.
#ifndef LEDGER_ENERGY_H
#define LEDGER_ENERGY_H

// Stored now, and exchanged since the start.
typedef struct energy_balance {
  double kinetic, gravity, spring;   // stored [J]
  double contact;                    // stored in pressed surfaces [J]
  double drive, applied;             // work of drives and of applied forces [J]
  double damper;                     // lost in dampers [J]
  double impact, friction;           // lost in contacts, normal to and along the surface [J]
  double projection;                 // put in by moving positions back onto constraints [J]
} energy_balance;

typedef struct energy_ledger {
  energy_balance start, now;
  double largest;                    // the largest energy that went through so far [J]
  double worst;                      // the largest |imbalance| so far [J]
} energy_ledger;

void energy_open(energy_ledger *l, const energy_balance *start);
void energy_update(energy_ledger *l, const energy_balance *now);
// stored - stored at the start - work + losses: zero but for numerical error [J]
double energy_imbalance(const energy_ledger *l);
// The worst of it, relative to the largest energy that went through [-]
double energy_relative_imbalance(const energy_ledger *l);

#endif
