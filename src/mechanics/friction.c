#include "mechanics/friction.h"

#include <math.h>

#include "mechanics/coordinate.h"
#include "mechanics/marker.h"
#include "mechanics/rows.h"
#include "mechanics/signal.h"

void friction_add_rows(const mechanism *m, motion *x) {
  for (int i = 0; i < m->friction_count; i++) {
    coordinate of = m->frictions[i].of;
    int speed = coordinate_speed(m, of);
    if (speed >= 0) {
      rows_add_speed(m, x, speed, 1);
      continue;
    }
    coordinate_row r = coordinate_get_row(m, x, of);
    row_body *pair = rows_add_pair(m, x, r.node_a, r.node_b);
    for (int k = 0; k < m->n; k++) pair[0].J[k] = r.Ja[k], pair[1].J[k] = r.Jb[k];
  }
}

// The sum of the forces that press on the supports.
static double load(const mechanism *m, const motion *x, const joint_friction *f, vec3 F, vec3 T) {
  const joint *j = &m->joints[f->of.joint];
  bool slides = j->type == &joint_prismatic;
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
  signal_reaction(m, x, f->of.joint, &F, &T);
  return f->limit + friction_of_load(m, x, f, F, T);
}

bool friction_depends_on_load(const mechanism *m) {
  for (int i = 0; i < m->friction_count; i++)
    if (m->frictions[i].coefficient > 0) return true;
  return false;
}

double friction_next_limit(friction_search *last, double limit, double found, int turn) {
  double slope = turn > 0 && limit != last->tried ? (found - last->found) / (limit - last->tried) : 0;
  *last = (friction_search){limit, found};
  return fabs(slope) < 0.999 ? fmax(0, limit + (found - limit) / (1 - slope)) : found;
}
