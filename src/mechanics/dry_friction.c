#include "mechanics/dry_friction.h"

#include <math.h>

#include "mechanics/coordinate.h"
#include "mechanics/marker.h"
#include "mechanics/rows.h"
#include "mechanics/dynamics.h"

void friction_add_rows(const mechanism *m, motion *x) {
  for (int i = 0; i < m->friction_count; i++) {
    coordinate of = m->frictions[i].of;
    int speed = coordinate_speed(m, of);
    if (speed >= 0) {
      rows_add_speed(m, x, speed, 1);
      continue;
    }
    rows_add_coordinate(m, x, of, 1);
  }
}

// The sum of the forces that press on the supports.
static double load(const mechanism *m, const motion *x, const joint_friction *f, vec3 F, vec3 T) {
  const joint *j = &m->joints[f->of.joint];
  bool slides = coordinate_slides(m, f->of);
  vec3 axis = mat3_column(marker_read(m, x, j->first).R, m->planar && slides ? 0 : 2);
  double along = vec3_dot(F, axis);
  vec3 across = vec3_axpy(F, -along, axis);
  double thrust = slides ? 0 : fabs(along);
  if (!(f->length > 0)) return vec3_norm(across) + thrust;
  vec3 half = vec3_scale(0.5, across), couple = vec3_scale(1 / f->length, vec3_cross(T, axis));
  return vec3_norm(vec3_add(half, couple)) + vec3_norm(vec3_sub(half, couple)) + thrust;
}

double friction_of_load(const mechanism *m, const motion *x, const joint_friction *f, vec3 F, vec3 T) {
  return f->coefficient > 0 ? f->coefficient * f->radius * load(m, x, f, F, T) : 0;
}

double friction_limit(const mechanism *m, const motion *x, const joint_friction *f) {
  if (!(f->coefficient > 0)) return f->limit;
  vec3 F, T;
  dynamics_reaction(m, x, f->of.joint, &F, &T);
  return f->limit + friction_of_load(m, x, f, F, T);
}

bool friction_depends_on_load(const mechanism *m) {
  for (int i = 0; i < m->friction_count; i++)
    if (m->frictions[i].coefficient > 0) return true;
  return false;
}

bool friction_fits(double P, double tried, double found, double rate, double W) {
  const double nothing =
      1e-9;  // what solutions leave of a rate that is zero; the ledger tells sticking from sliding by the same
  bool at_limit = !(fabs(P) < (1 - nothing) * tried);  // solutions meet it to their tolerance only
  return fabs(P) <= found && (!at_limit || fabs(rate) <= nothing * W * tried);
}

// What was known of one side is out of date where the limits of other joints have changed since.
static void enclose(friction_search *s, double limit, double found) {
  if (found > limit) {
    s->low = limit;
    if (!(s->high > limit)) s->high = INFINITY;
  } else {
    s->high = limit;
    if (!(s->low < limit)) s->low = 0;
  }
}

// The next limit to try: by the secant through the last two, which meets a load that is linear in one friction at once,
// however slowly the turns themselves converge. No limit brings less than nothing, so that one lies above 0; once one
// below it is known too, the search stays between them, and halves what is between them where secants go astray. Where
// nothing is left between them the load jumps, because more than one fits and now this one is found, now that: it
// begins anew.
static double next_limit(friction_search *s, double limit, double found, int turn) {
  enum { SECANTS = 20 };  // forty halvings are left, enough for 1e-12 of the limit
  bool exhausted = s->high < INFINITY && s->high - s->low <= 1e-13 * s->high;
  if (turn == 0 || exhausted) s->low = 0, s->high = INFINITY, s->start = turn;
  double slope = turn > s->start && limit != s->tried ? (found - s->found) / (limit - s->tried) : 0;
  double next = slope < 0.999 ? fmax(0, limit + (found - limit) / (1 - slope)) : found;
  s->tried = limit, s->found = found;
  enclose(s, limit, found);
  bool astray = turn - s->start >= SECANTS || !(next >= s->low && next <= s->high);
  return astray && s->high < INFINITY ? 0.5 * (s->low + s->high) : next;
}

bool friction_meets_load(friction_search *search, double *limit, double found, double agreement, bool fits, int turn) {
  bool agrees = fits || fabs(found - *limit) <= agreement * found;
  *limit = agrees ? found : next_limit(search, *limit, found, turn);
  return agrees;
}
