#include "mechanics/force.h"

#include <string.h>

#include "mechanics/coordinate.h"
#include "mechanics/function.h"

static const force_type *const types[] = {
    &force_spring,   // along the line between two markers: spring, damper, actuator
    &force_along,    // along a joint's coordinate: spring, damper, motor
    &force_motor,    // along a joint's coordinate: a motor with a limit and a lag
    &force_bushing,  // six springs and dampers between two markers
    &force_load,     // a force given by its components, at a marker
    &force_torque,   // a torque given by its components, on a marker's body
    &force_user,     // a C function over signals
};

const force_type *const *force_types(int *count) {
  *count = (int)(sizeof types / sizeof *types);
  return types;
}

double forces_stiffness(const mechanism *m) {
  double sum = 0, square = m->length * m->length;
  for (int i = 0; i < m->force_count; i++) {
    const force *f = &m->forces[i];
    bool turns = f->type->acts == FORCE_ALONG_COORDINATE && !coordinate_slides(m, f->of);
    for (int k = 0; k < 6; k++) sum += f->stiffness[k] * (turns || k >= 3 ? 1 : square);
  }
  return sum;
}

bool force_needs_state(const force *f) {
  bool needs = f->call != NULL;
  for (int k = 0; k < 3; k++) needs |= function_needs_state(&f->f[k]);
  return needs;
}

static bool is_elastic(const force *f) {
  bool elastic = false;
  for (int k = 0; k < 6; k++) elastic |= f->stiffness[k] > 0 || f->damping[k] > 0;
  return elastic;
}

bool forces_along_tree(const mechanism *m, double *stiffness, double *damping) {
  memset(stiffness, 0, (size_t)m->nv * sizeof *stiffness);
  memset(damping, 0, (size_t)m->nv * sizeof *damping);
  for (int i = 0; i < m->force_count; i++) {
    const force *f = &m->forces[i];
    if (force_needs_state(f)) return false;
    if (!is_elastic(f)) continue;
    int v = f->type->acts == FORCE_ALONG_COORDINATE ? coordinate_speed(m, f->of) : -1;
    const node *n = v < 0 ? NULL : &m->nodes[m->speed_node[v]];
    if (!n || n->nq != n->nv || n->free_count == m->n) return false;
    stiffness[v] += f->stiffness[0], damping[v] += f->damping[0];
  }
  return true;
}
