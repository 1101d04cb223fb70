#include "math/circle.h"

static __attribute__((noinline)) void one_by_one(const double angle[4], double c[4], double s[4]) {
  for (int i = 0; i < 4; i++) {
    circle at = circle_at(angle[i]);
    c[i] = at.c, s[i] = at.s;
  }
}

// A function of its own, which is not inlined: callers are compiled without vectors.
__attribute__((noinline)) void circle_at_four(double a0, double a1, double a2, double a3, double c[restrict 4],
                                              double s[restrict 4]) {
  const double angle[4] = {a0, a1, a2, a3};
  if (!(fabs(a0) + fabs(a1) + fabs(a2) + fabs(a3) < CIRCLE_MOST)) {
    one_by_one(angle, c, s);
    return;
  }
  for (int i = 0; i < 4; i++) {
    circle at = circle_within(angle[i]);
    c[i] = at.c, s[i] = at.s;
  }
}
