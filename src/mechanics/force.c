#include "mechanics/force.h"

#include "mechanics/coordinate.h"

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
