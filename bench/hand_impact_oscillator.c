#include "hand_impact_oscillator.h"

#include <math.h>
#include <string.h>

// --- flight ----------------------------------------------------------------------------------------------------------

// x = P cos(wt) + Q sin(wt) + exp(-b s) (C cos(d s) + D sin(d s)),  s = t - t0
typedef struct flight {
  double t0, w, b, d;
  double P, Q, C, D;
  double most;  // bound of |x''| from t0 on
} flight;

static double rate_of(const hand_oscillator *o) { return o->damping / (2 * o->mass); }
static double damped_frequency(const hand_oscillator *o) {
  return sqrt(o->stiffness / o->mass - rate_of(o) * rate_of(o));
}

static flight begin_flight(const hand_oscillator *o, double t, double x, double u) {
  flight f = {.t0 = t, .w = o->frequency, .b = rate_of(o), .d = damped_frequency(o)};
  const double re = o->stiffness - o->mass * f.w * f.w, im = o->damping * f.w, size = re * re + im * im;
  f.P = o->force * re / size, f.Q = o->force * im / size;
  const double c = cos(f.w * t), s = sin(f.w * t);
  f.C = x - f.P * c - f.Q * s;
  f.D = (u + f.w * (f.P * s - f.Q * c) + f.b * f.C) / f.d;
  f.most = f.w * f.w * hypot(f.P, f.Q) + (f.b * f.b + f.d * f.d) * hypot(f.C, f.D);
  return f;
}

static void fly(const flight *f, double t, double *x, double *u) {
  const double s = t - f->t0, e = exp(-f->b * s), c = e * cos(f->d * s), n = e * sin(f->d * s);
  const double cw = cos(f->w * t), sw = sin(f->w * t);
  *x = f->P * cw + f->Q * sw + f->C * c + f->D * n;
  *u = f->w * (f->Q * cw - f->P * sw) + f->C * (-f->b * c - f->d * n) + f->D * (-f->b * n + f->d * c);
}

// The derivative of (x, u) after a flight with respect to those before it, times what was there.
static void carry_tangent(const hand_oscillator *o, double s, double tangent[4]) {
  const double b = rate_of(o), d = damped_frequency(o), e = exp(-b * s), c = e * cos(d * s), n = e * sin(d * s) / d;
  const double a[4] = {c + b * n, n, -(b * b + d * d) * n, c - b * n},
               old[4] = {tangent[0], tangent[1], tangent[2], tangent[3]};
  for (int i = 0; i < 4; i++) tangent[i] = a[i / 2 * 2] * old[i % 2] + a[i / 2 * 2 + 1] * old[2 + i % 2];
}

// The first time after t at which the stop is reached, or t_end. With |x''| <= M the gap g stays open as long as
// g + g' s - M s²/2 does: steps of this length do not pass a root, and near one they are those of Newton's method.
static double find_impact(const hand_oscillator *o, const flight *f, double t, double t_end) {
  for (;;) {
    double x, u;
    fly(f, t, &x, &u);
    const double gap = o->stop - x, v = -u, root = sqrt(v * v + 2 * f->most * fmax(gap, 0));
    const double step = v > 0 ? (v + root) / f->most : 2 * fmax(gap, 0) / (root - v + 1e-300);
    if (t + step >= t_end) return t_end;
    if (t + step <= t || step <= 4e-16 * (fabs(t) + 1 / f->w)) return t;
    t += step;
  }
}

// --- the stop --------------------------------------------------------------------------------------------------------

static double push_at_stop(const hand_oscillator *o, double t) {
  return (o->force * cos(o->frequency * t) - o->stiffness * o->stop) / o->mass;
}

// While the forces press the mass on the stop: until F cos(wt) falls to k stop.
static double find_release(const hand_oscillator *o, double t) {
  const double phase = acos(fmax(-1, fmin(1, o->stiffness * o->stop / o->force))), turn = 2 * acos(-1);
  return t + remainder(phase - o->frequency * t, turn) / o->frequency;
}

// After an impact with the rebound speed v against the acceleration g the others follow after 2v/g, e 2v/g, ... They
// are summed once v is small and g changes little until the end: what is neglected is the change of g, which moves the
// instant of rest alone. Below 0.1 of that speed the gaps v²/2g would be lost in rounding.
static bool comes_to_rest(const hand_oscillator *o, hand_oscillator_state *s, double t_end) {
  const double g = push_at_stop(o, s->t) - o->damping / o->mass * s->u, v = -s->u;
  const double small = 1e-6 * o->force / sqrt(o->stiffness * o->mass);
  if (!(v < small) || !(g > 0) || o->restitution >= 1) return false;
  const double rest = 2 * v / (g * (1 - o->restitution)), change = o->frequency * o->force / o->mass * rest;
  if (change > 1e-2 * g && v > 0.1 * small) return false;
  s->t = fmin(s->t + rest, t_end), s->x = o->stop, s->u = 0, s->rests = true;
  s->sequences++;
  memset(s->tangent, 0, sizeof s->tangent);  // whatever it was, it begins anew when the stop releases it
  return true;
}

// S = R + (f⁺ - R f⁻) nᵀ / (nᵀ f⁻) with R = diag(1, -e), n = (1, 0): rows (-e, 0) and ((a⁺ + e a⁻)/u⁻, -e).
static void strike(const hand_oscillator *o, hand_oscillator_state *s) {
  const double e = o->restitution, before = s->u, after = -e * before, at_rest = push_at_stop(o, s->t);
  const double a0 = at_rest - o->damping / o->mass * before, a1 = at_rest - o->damping / o->mass * after;
  const double turn = (a1 + e * a0) / before;
  for (int k = 0; k < 2; k++) {
    const double dx = s->tangent[k], du = s->tangent[2 + k];
    s->tangent[k] = -e * dx, s->tangent[2 + k] = turn * dx - e * du;
  }
  s->x = o->stop, s->u = after;
  s->impacts++;
  s->slowest = fmin(s->slowest, before);
}

// --- the motion ------------------------------------------------------------------------------------------------------

hand_oscillator_state hand_oscillator_start(double t, double x, double u) {
  return (hand_oscillator_state){.t = t, .x = x, .u = u, .tangent = {1, 0, 0, 1}, .slowest = INFINITY};
}

void hand_oscillator_advance(const hand_oscillator *o, hand_oscillator_state *s, double t_end) {
  while (s->t < t_end) {
    double from = s->t;
    if (s->rests) {
      const double release = find_release(o, s->t);
      s->t = fmin(fmax(release, s->t), t_end);
      if (release >= t_end) return;
      s->rests = false, from = s->t + 1e-3 / o->frequency;  // the gap grows with the cube of the time
      if (from >= t_end) from = t_end;
    }
    const flight f = begin_flight(o, s->t, s->x, s->u);
    const double t = find_impact(o, &f, from, t_end);
    carry_tangent(o, t - s->t, s->tangent);
    s->t = t;
    fly(&f, t, &s->x, &s->u);
    if (t >= t_end) return;
    if (s->u > 0) strike(o, s);
    comes_to_rest(o, s, t_end);
  }
}

void hand_oscillator_periods(const hand_oscillator *o, hand_oscillator_state *s, int count) {
  const double period = 2 * acos(-1) / o->frequency;
  for (int i = 0; i < count; i++) {
    hand_oscillator_advance(o, s, period);
    s->t = 0;
  }
}

// --- orbits ----------------------------------------------------------------------------------------------------------

static double largest_multiplier(const double a[4]) {
  const double half = (a[0] + a[3]) / 2, det = a[0] * a[3] - a[1] * a[2], inside = half * half - det;
  return inside < 0 ? sqrt(det) : half + copysign(sqrt(inside), half);
}

hand_oscillator_orbit hand_oscillator_settle(const hand_oscillator *o, hand_oscillator_state *s, int cut, int most,
                                             double tolerance) {
  hand_oscillator_orbit orbit = {.multiplier = NAN};
  const double size = o->force / o->stiffness * tolerance, speed = size * o->frequency;
  hand_oscillator_periods(o, s, cut);
  hand_oscillator_state p = *s;
  memcpy(p.tangent, (double[4]){1, 0, 0, 1}, sizeof p.tangent);
  for (int i = 1; i <= most && !orbit.period; i++) {
    hand_oscillator_periods(o, &p, 1);
    if (fabs(p.x - s->x) <= size && fabs(p.u - s->u) <= speed) orbit.period = i;
  }
  if (!orbit.period) return orbit;
  orbit.multiplier = largest_multiplier(p.tangent);
  orbit.sequences = p.sequences > s->sequences;
  return orbit;
}

double hand_oscillator_exponent(const hand_oscillator *o, hand_oscillator_state *s, long periods, int batches,
                                double *standard_error) {
  double v[2] = {1, 0}, mean = 0, square = 0;
  const double time = 2 * acos(-1) / o->frequency * (double)(periods / batches);
  for (int b = 0; b < batches; b++) {
    double sum = 0;
    for (long i = 0; i < periods / batches; i++) {
      memcpy(s->tangent, (double[4]){v[0], 0, v[1], 0}, sizeof s->tangent);
      hand_oscillator_periods(o, s, 1);
      const double length = hypot(s->tangent[0], s->tangent[2]);
      sum += log(length);
      v[0] = s->tangent[0] / length, v[1] = s->tangent[2] / length;
    }
    mean += sum / time / batches, square += sum / time * (sum / time) / batches;
  }
  *standard_error = sqrt(fmax(0, square - mean * mean) / (batches - 1));
  return mean;
}
