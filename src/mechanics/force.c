#include "mechanics/force.h"

static const force_type *const types[] = {
    &force_spring,   // along the line between two markers: spring, damper, actuator
    &force_along,    // along a joint's coordinate: spring, damper, motor
    &force_bushing,  // six springs and dampers between two markers
    &force_load,     // a force given by its components, at a marker
    &force_torque,   // a torque given by its components, on a marker's body
    &force_user,     // a C function over signals
};

const force_type *const *force_types(int *count) {
  *count = (int)(sizeof types / sizeof *types);
  return types;
}
