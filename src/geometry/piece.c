#include "geometry/piece.h"

#include <math.h>

// What of a convex polygon is where n · x ≤ offset (Sutherland and Hodgman). It has at most one corner more than
// before; by rounding it may seem to have others, which are left out where there is no room.
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

// Twice the area, signed.
static double twice_area(vec3 n, vec3 a, vec3 b, vec3 c) {
  return vec3_dot(n, vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
}

// Where the area of the piece has its centre. It moves smoothly while corners come and go.
static vec3 centre_of(const piece *f, vec3 n) {
  vec3 sum = VEC3_ZERO;
  double area = 0;
  for (int i = 1; i + 1 < f->count; i++) {
    double part = twice_area(n, f->p[0], f->p[i], f->p[i + 1]);
    area += part;
    sum = vec3_axpy(sum, part / 3, vec3_add(vec3_sub(f->p[i], f->p[0]), vec3_sub(f->p[i + 1], f->p[0])));
  }
  return area != 0 ? vec3_axpy(f->p[0], 1 / area, sum) : f->p[0];
}

// Six nodes, exact up to the fourth degree (Dunavant 1985).
static void visit_triangle(const vec3 corner[3], vec3 n, piece_node *visit, void *context) {
  static const double weight[2] = {0.223381589678011, 0.109951743655322},
                      inner[2] = {0.445948490915965, 0.091576213509771};
  vec3 area = vec3_scale(0.5 * twice_area(n, corner[0], corner[1], corner[2]), n);
  for (int ring = 0; ring < 2; ring++)
    for (int k = 0; k < 3; k++) {
      vec3 at = vec3_scale(1 - 2 * inner[ring], corner[k]);
      at = vec3_axpy(vec3_axpy(at, inner[ring], corner[(k + 1) % 3]), inner[ring], corner[(k + 2) % 3]);
      visit(context, at, vec3_scale(weight[ring], area));
    }
}

void piece_visit(const piece *of, vec3 n, piece_node *visit, void *context) {
  vec3 centre = centre_of(of, n);
  for (int i = 0; i < of->count; i++)
    visit_triangle((vec3[3]){centre, of->p[i], of->p[(i + 1) % of->count]}, n, visit, context);
}
