#include "geometry/piece.h"

#include <math.h>

// What of a convex polygon is where n · x ≤ offset (Sutherland and Hodgman). It has at most one corner more than before; by rounding it may
// seem to have others, which are left out where there is no room.
static void cut(const piece *from, vec3 n, double offset, piece *to) {
  to->count = 0;
  for (int i = 0; i < from->count && to->count + 2 <= PIECE_CORNERS; i++) {
    vec3 a = from->p[i], b = from->p[(i + 1) % from->count];
    double over_a = vec3_dot(n, a) - offset, over_b = vec3_dot(n, b) - offset;
    if (over_a <= 0) to->p[to->count++] = a;
    if ((over_a < 0 && over_b > 0) || (over_a > 0 && over_b < 0))
      to->p[to->count++] = vec3_axpy(a, over_a / (over_a - over_b), vec3_sub(b, a));
  }
}

int piece_cut(piece parts[2], int now, vec3 n, double offset) {
  double most = -INFINITY, least = INFINITY;
  for (int i = 0; i < parts[now].count; i++) {
    double over = vec3_dot(n, parts[now].p[i]) - offset;
    most = over > most ? over : most, least = over < least ? over : least;
  }
  if (most <= 0) return now;
  if (least >= 0) return parts[now].count = 0, now;
  cut(&parts[now], n, offset, &parts[!now]);
  return !now;
}
