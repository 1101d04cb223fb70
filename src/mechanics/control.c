#include "mechanics/control.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "mechanics/function.h"
#include "mechanics/instant.h"
#include "mechanics/signal.h"

// After a call that fails, outputs at a fixed rate stay those of the last one, since they are part of the state. Others
// are not known at this state.
static void call(const mechanism *m, motion *x, int i) {
  const callback *c = &m->callbacks[i];
  const callback_binding *bound = x->bindings ? &x->bindings[i] : NULL;
  double *inputs = x->slots, *outputs = x->slots + c->input_count, *kept = x->called + c->output0;
  if (!bound || !bound->call) return;  // before it is bound; no step is taken then
  for (int k = 0; k < c->input_count; k++) inputs[k] = signal_read(m, x, c->inputs[k]);
  for (int k = 0; k < c->output_count; k++) outputs[k] = 0;
  if (bound->call(bound->context, x->t, inputs, outputs) && number_all_finite(outputs, (size_t)c->output_count)) {
    memcpy(kept, outputs, (size_t)c->output_count * sizeof *kept);
    if (c->every > 0) x->sampled[i] = x->t;
    return;
  }
  for (int k = 0; k < c->output_count && !(c->every > 0); k++) kept[k] = NAN;
  x->refused = true, x->bad_callback = i + 1;
}

void control_update(const mechanism *m, motion *x) {
  for (int i = 0; i < m->control_count; i++) {
    int k = m->control_order[i];
    if (k < 0) call(m, x, -1 - k);
    else x->computed[k] = function_value(m, x, &m->computed[k].f);
  }
  for (int k = 0; k < m->state_count; k++) x->inner_rate[k] = x->held[k] ? 0 : control_free_rate(m, x, k);
}

double control_free_rate(const mechanism *m, motion *x, int state) {
  return function_value(m, x, &m->states[state].rate);
}

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

// At a multiple of the interval, but for rounding, unless it was called there already: a step that was interrupted
// begins a second time.
static bool is_due(const callback *c, double t, double sampled) {
  double rounding = instant_rounding(t);
  return c->every > 0 && fabs(nearbyint(t / c->every) * c->every - t) <= rounding && fabs(t - sampled) > rounding;
}

bool control_sample(const mechanism *m, motion *x) {
  bool any = false;
  x->bad_callback = 0;  // of a state that an integrator has tried and given up
  for (int i = 0; i < m->callback_count && !x->bad_callback; i++) {
    if (!is_due(&m->callbacks[i], x->t, x->sampled[i])) continue;
    control_update(m, x);  // with the outputs of those before
    call(m, x, i);
    any = true;
  }
  return any;
}

// The first multiple of the interval behind t; where times cannot be told apart by it, the next time that there is.
static double next_call(const callback *c, double t) {
  double k = floor(t / c->every + 0.5), next = k * c->every;
  if (!(next > t)) next = (k + 1) * c->every;
  return next > t ? next : nextafter(t, INFINITY);
}

double control_next_instant(const mechanism *m, double t) {
  double next = INFINITY;
  for (int i = 0; i < m->callback_count; i++)
    if (m->callbacks[i].every > 0) next = fmin(next, next_call(&m->callbacks[i], t));
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
