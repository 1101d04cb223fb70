#include "scheme/root.h"

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
