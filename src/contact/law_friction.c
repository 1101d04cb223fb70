// What friction laws share, and their list.
#include <math.h>
#include <string.h>

#include "contact/law.h"

void friction_along(double magnitude, const double v[2], double f[2]) {
  double speed = hypot(v[0], v[1]);
  f[0] = f[1] = 0;
  if (speed > 0)
    for (int k = 0; k < 2; k++) f[k] = -magnitude * (v[k] / speed);
}

double friction_stribeck_curve(const friction_law *l, double speed) {
  return l->kinetic + (l->still - l->kinetic) * exp(-pow(speed / l->stribeck, l->stribeck_exponent));
}

extern const friction_law_type friction_coulomb, friction_threlfall, friction_bengisu_akay, friction_ambrosio,
    friction_stribeck, friction_brown_mcphee, friction_dahl, friction_lugre, friction_expression;

static const friction_law_type *const all[] = {
    &friction_coulomb,      &friction_threlfall, &friction_bengisu_akay, &friction_ambrosio,   &friction_stribeck,
    &friction_brown_mcphee, &friction_dahl,      &friction_lugre,        &friction_expression,
};
enum { COUNT = sizeof all / sizeof *all };

const friction_law_type *const *friction_laws(int *count) {
  *count = COUNT;
  return all;
}

const friction_law_type *friction_law_usual(void) { return &friction_brown_mcphee; }

const friction_law_type *friction_law_find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(all[i]->name, name) == 0) return all[i];
  return NULL;
}
