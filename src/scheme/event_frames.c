// Tangents of closed points in space. Components along them are remembered from one evaluation to the next: ways of
// slip and shares of the load. The tangents that a normal has by itself switch where another axis becomes the one least
// along it: in the middle of a step, the direction of friction and the slip along its way would jump. So a closed point
// keeps the axis that it closed with. After a step it takes another one if the normal has come near to it, and what is
// remembered is turned along.
#include <math.h>

#include "scheme/event_internal.h"

static double along_axis(vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static void set_tangents(vec3 n, int axis, vec3 t[2]) {
  t[0] = vec3_cross((vec3){axis == 0, axis == 1, axis == 2}, n);
  t[0] = vec3_scale(1 / vec3_norm(t[0]), t[0]);
  t[1] = vec3_cross(n, t[0]);
}

// The axis that the tangents of the normal by itself are across: that is the one least along the normal.
static int own_axis(vec3 n, vec3 first_tangent) {
  int best = 0;
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    double size = fabs(along_axis(first_tangent, k)) + 1e-9 * fabs(along_axis(n, k));
    if (size < least) least = size, best = k;
  }
  return best;
}

void event_set_frame(event *s, int p) {
  event_point *c = &s->point[p];
  contact_point *at = &s->w.points[p];
  if (c->rows < 3 || at->absent) return;
  int axis = own_axis(at->n, at->t[0]);
  if (!event_is_closed(c)) c->axis = axis;
  else if (c->axis != axis) set_tangents(at->n, c->axis, at->t);
}

typedef struct turn_of_frame {
  double cosine, sine;
} turn_of_frame;

static void turn(turn_of_frame by, double v[2]) {
  double first = by.cosine * v[0] + by.sine * v[1];
  v[1] = by.cosine * v[1] - by.sine * v[0];
  v[0] = first;
}

void event_renew_frame(event *s, int p) {
  static const double NEAR = 0.9;  // cosine of the angle between normal and axis
  event_point *c = &s->point[p];
  contact_point *at = &s->w.points[p];
  if (c->rows < 3 || !event_is_closed(c) || !(fabs(along_axis(at->n, c->axis)) > NEAR)) return;
  vec3 before = at->t[0];
  vec3_tangents(at->n, at->t);
  c->axis = own_axis(at->n, at->t[0]);
  turn_of_frame by = {vec3_dot(at->t[0], before), -vec3_dot(at->t[1], before)};
  double *of_point[] = {c->way, c->along, c->rate + 1, c->force + 1, c->share + 1};
  for (size_t i = 0; i < sizeof of_point / sizeof *of_point; i++) turn(by, of_point[i]);
  for
    EACH_TURN(t, c) {
      double *of_turn[] = {t->way, t->along, t->rate, t->force, t->share};
      for (size_t i = 0; t->size == 2 && i < sizeof of_turn / sizeof *of_turn; i++) turn(by, of_turn[i]);
    }
  s->w.look_again = true;
}
