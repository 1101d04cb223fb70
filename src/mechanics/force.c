#include "mechanics/force.h"

static const force_type *const types[] = {
    &force_spring, &force_along, &force_bushing, &force_load, &force_torque, &force_user,
};

const force_type *const *force_types(int *count) {
  *count = (int)(sizeof types / sizeof *types);
  return types;
}
