#include "mechanics/function.h"

#include "mechanics/signal.h"

bool function_needs_state(const function *f) { return f->e && f->slot_count > 1; }

bool function_is_constant(const function *f) { return !f->e && !f->call; }

double function_value(const mechanism *m, motion *x, const function *f) {
  if (f->call) return function_jet(f, function_time(x)).v;
  if (!f->e) return f->constant;
  x->slots[0] = function_time(x);
  for (int i = 1; i < f->slot_count; i++) x->slots[i] = signal_read(m, x, f->signals[i]);
  return expr_value(f->e, x->slots);
}

jet function_jet(const function *f, double t) {
  if (f->call) {
    double value[3] = {0};
    f->call(f->context, t, value);
    return (jet){value[0], value[1], value[2]};
  }
  if (!f->e) return (jet){f->constant, 0, 0};
  jet slot = {t, 1, 0};
  return expr_jet(f->e, &slot);
}
