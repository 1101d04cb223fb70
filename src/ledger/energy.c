#include "ledger/energy.h"

#include <math.h>

static double stored(const energy_balance *b) { return b->kinetic + b->gravity + b->spring + b->contact; }

// What moved: the most that any one account has held or passed on. Gravity and springs count by their change, since
// where they are zero is a matter of taste.
static double gone_through(const energy_ledger *l) {
  const energy_balance *a = &l->start, *b = &l->now;
  double most = fmax(a->kinetic, b->kinetic);
  most = fmax(most, fabs(b->gravity - a->gravity));
  most = fmax(most, fabs(b->spring - a->spring));
  most = fmax(most, b->contact);
  most = fmax(most, fmax(fabs(b->drive), fabs(b->applied)));
  most = fmax(most, fmax(fabs(b->impact), fabs(b->friction)));
  return fmax(most, fabs(b->damper));
}

void energy_open(energy_ledger *l, const energy_balance *start) {
  *l = (energy_ledger){.start = *start, .now = *start};
  l->largest = gone_through(l);
}

void energy_update(energy_ledger *l, const energy_balance *now) {
  l->now = *now;
  l->largest = fmax(l->largest, gone_through(l));
  l->worst = fmax(l->worst, fabs(energy_imbalance(l)));
}

double energy_imbalance(const energy_ledger *l) {
  const energy_balance *a = &l->start, *b = &l->now;
  double work = (b->drive - a->drive) + (b->applied - a->applied) + (b->projection - a->projection);
  double lost = (b->damper - a->damper) + (b->impact - a->impact) + (b->friction - a->friction);
  return stored(b) - stored(a) - work + lost;
}

// Where next to nothing moved, rounding is all there is: what is stored times 1e-12 counts as moved.
double energy_relative_imbalance(const energy_ledger *l) {
  const energy_balance *a = &l->start;
  double scale = fmax(l->largest, 1e-12 * (a->kinetic + fabs(a->gravity) + fabs(a->spring)));
  return scale > 0 ? l->worst / scale : 0;
}
