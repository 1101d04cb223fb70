#include "ledger/energy.h"

#include <float.h>
#include <math.h>

#include "base/number.h"

const char *const energy_signal_names[ENERGY_SIGNALS] = {"energy.contact",    "energy.drive",   "energy.applied",
                                                         "energy.damper",     "energy.impact",  "energy.friction",
                                                         "energy.projection", "energy.overlap", "energy.imbalance"};

static double stored(const energy_balance *b) { return b->kinetic + b->gravity + b->spring + b->strain + b->contact; }

// As fmax, which drops a NaN, but no call.
static double larger(double most, double b) { return b > most ? b : most; }

// What moved: the most that any one account has held or passed on. Gravity and springs count by their change, since
// where they are zero is a matter of taste.
static double gone_through(const energy_ledger *l) {
  const energy_balance *a = &l->start, *b = &l->now;
  double most = larger(a->kinetic, b->kinetic);
  most = larger(most, fabs(b->gravity - a->gravity));
  most = larger(most, fabs(b->spring - a->spring));
  most = larger(most, fabs(b->strain - a->strain));
  most = larger(most, b->contact);
  most = larger(most, fabs(b->drive)), most = larger(most, fabs(b->applied));
  most = larger(most, fabs(b->impact)), most = larger(most, fabs(b->friction));
  return larger(most, fabs(b->damper));
}

void energy_open(energy_ledger *l, const energy_balance *start, energy_size size) {
  *l = (energy_ledger){.start = *start, .now = *start, .size = size};
  l->largest = gone_through(l);
}

void energy_raise(const energy_ledger *l, double *largest, double *worst) {
  *largest = larger(*largest, gone_through(l));
  *worst = number_larger(*worst, fabs(energy_imbalance(l)));
}

void energy_update(energy_ledger *l, const energy_balance *now) {
  l->now = *now;
  energy_raise(l, &l->largest, &l->worst);
}

double energy_imbalance(const energy_ledger *l) {
  const energy_balance *a = &l->start, *b = &l->now;
  double work =
      (b->drive - a->drive) + (b->applied - a->applied) + (b->projection - a->projection) + (b->overlap - a->overlap);
  double lost = (b->damper - a->damper) + (b->impact - a->impact) + (b->friction - a->friction);
  return stored(b) - stored(a) - work + lost;
}

// The least energy whose balance can be judged. To judge a balance to a thousandth (the tightest limit of a scheme), a
// hundred errors must be less than that: hence 1e5. Rounding: a position is rounded to eps times its distance from the
// origin, so the energy of gravity to eps * sum m g h, however small the sum itself is, and that of springs to eps
// times itself. Tolerance: an integrator resolves positions to a tolerance r times the length L, and speeds likewise
// per second. What moves by less has the energy k (r L)^2 / 2 in springs and m (r L/s)^2 / 2 in speeds. Without a
// tolerance, r is eps. The tolerance is that of a step: over many steps errors of three times as much are left, ten
// times in energy. Time: with less than m (a L/t)^2 / 2 nothing has moved by a L until now, or by a L/2 if it started
// from rest. Where bodies have just begun to move, an error of 3 r L in the position is the part 3 r/(a/2) of the
// energy that went through: a is six thousand r, and at least sqrt(eps).
static double least_judged(const energy_ledger *l, double t) {
  static const double errors = 1e5, steps = 10, resolved = 6e3;
  double r = fmax(l->size.resolution, DBL_EPSILON);
  double rounding = DBL_EPSILON * (l->size.gravity + fabs(l->start.spring) + l->start.strain);
  double unresolved = 0.5 * r * r * (l->size.stiffness + l->size.inertia);
  double still = t > 0 ? 0.5 * fmax(DBL_EPSILON, pow(resolved * r, 2)) * l->size.inertia / (t * t) : 0;
  return errors * (rounding + steps * unresolved) + still;
}

double energy_relative_imbalance(const energy_ledger *l, double t) {
  double scale = fmax(l->largest, least_judged(l, t));
  return scale > 0 || isnan(l->worst) ? l->worst / scale : 0;
}
