#include "integrate/root.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

double root_find(root_function *f, void *context, double a, double fa, double b, double fb, double enough) {
  double width = b - a, at_b = fb;
  for (int turn = 0, side = 0; turn < 200 && b - a > 2 * DBL_EPSILON * fabs(b) && at_b < -enough; turn++) {
    bool slow = turn % 3 == 2 && b - a > 0.5 * width;
    if (turn % 3 == 2) width = b - a;
    double t = slow ? 0.5 * (a + b) : (a * fb - b * fa) / (fb - fa);
    if (!(t > a && t < b)) t = 0.5 * (a + b);
    if (!(t > a && t < b)) break;
    double ft = f(context, t);
    if (isnan(ft)) return NAN;
    if (ft > 0) {
      a = t, fa = ft;
      if (side == 1) fb *= 0.5;
      side = 1;
    } else {
      b = t, fb = at_b = ft;
      if (side == -1) fa *= 0.5;
      side = -1;
    }
  }
  return b;
}

// t over s = (f - f_a)/(f_b - f_a), with dt/ds = (f_b - f_a)/f' at both ends; NaN where the function does not fall
// there.
static double inverse(const root_end *a, const root_end *b, double f) {
  if (!(a->slope < 0 && b->slope < 0)) return NAN;
  double fall = b->f - a->f, s = (f - a->f) / fall, r = 1 - s;
  return a->t + s * s * (3 - 2 * s) * (b->t - a->t) + s * r * fall * (r / a->slope - s / b->slope);
}

double root_find_sloped(root_sloped *f, void *context, root_end a, root_end b, double enough) {
  double width = b.t - a.t;
  for (int turn = 0; turn < 200 && b.t - a.t > 2 * DBL_EPSILON * fabs(b.t) && b.f < -enough; turn++) {
    bool slow = turn % 3 == 2 && b.t - a.t > 0.5 * width;
    if (turn % 3 == 2) width = b.t - a.t;
    double t = slow ? 0.5 * (a.t + b.t) : inverse(&a, &b, -0.5 * enough);
    if (!(t > a.t && t < b.t)) t = 0.5 * (a.t + b.t);
    if (!(t > a.t && t < b.t)) break;
    root_end at = f(context, t);
    if (isnan(at.f)) return NAN;
    if (at.f > 0) a = at;
    else b = at;
  }
  return b.t;
}
