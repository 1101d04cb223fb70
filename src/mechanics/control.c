#include "mechanics/control.h"

#include <math.h>

#include "mechanics/function.h"
#include "mechanics/instant.h"

void control_update(const mechanism *m, motion *x) {
  for (int i = 0; i < m->computed_count; i++) {
    int k = m->computed_order[i];
    x->computed[k] = function_value(m, x, &m->computed[k].f);
  }
  for (int k = 0; k < m->state_count; k++) x->inner_rate[k] = x->held[k] ? 0 : control_free_rate(m, x, k);
}

double control_free_rate(const mechanism *m, motion *x, int state) { return function_value(m, x, &m->states[state].rate); }

void control_limit(const mechanism *m, double *states) {
  for (int k = 0; k < m->state_count; k++) {
    if (states[k] < m->states[k].low) states[k] = m->states[k].low;
    if (states[k] > m->states[k].high) states[k] = m->states[k].high;
  }
}

bool control_has_limits(const mechanism *m) {
  for (int k = 0; k < m->state_count; k++)
    if (m->states[k].low > -INFINITY || m->states[k].high < INFINITY) return true;
  return false;
}

double control_next_reset(const mechanism *m, double t) {
  double next = INFINITY;
  for (int k = 0; k < m->state_count; k++)
    for (int i = 0; i < m->states[k].reset_count; i++)
      if (m->states[k].resets[i] > t && m->states[k].resets[i] < next) next = m->states[k].resets[i];
  return next;
}

void control_reset(const mechanism *m, double t, double *states) {
  for (int k = 0; k < m->state_count; k++)
    for (int i = 0; i < m->states[k].reset_count; i++)
      if (fabs(m->states[k].resets[i] - t) <= instant_rounding(t)) states[k] = m->states[k].reset_to;
}
