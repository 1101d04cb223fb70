#include "contact/solid.h"

#include <math.h>
#include <string.h>

#define PAPER     "Flores, Ambrósio, table II; density of Shigley, table A-5"
#define SHIGLEY   "Shigley, Mechanical Engineering Design, table A-5"
#define CALLISTER "Callister, Materials Science and Engineering, appendix B"

#define S(name, young, poisson, density, source) \
  { name, young * 1e9, poisson, density, "E = " #young " GPa, ν = " #poisson ", ρ = " #density " kg/m³; " source }
static const solid all[] = {
    S("steel", 207, 0.3, 7800, PAPER),
    S("stainless-steel", 190, 0.305, 7750, SHIGLEY),
    S("cast-iron", 100, 0.211, 7200, SHIGLEY),
    S("aluminium", 71.7, 0.333, 2710, SHIGLEY),
    S("brass", 106, 0.324, 8540, SHIGLEY),
    S("bronze", 111, 0.349, 8170, SHIGLEY),
    S("copper", 119, 0.326, 8900, SHIGLEY),
    S("lead", 36.5, 0.425, 11370, SHIGLEY),
    S("magnesium", 44.8, 0.35, 1790, SHIGLEY),
    S("titanium", 114, 0.34, 4420, SHIGLEY),
    S("alumina", 380, 0.22, 3980, CALLISTER),
    S("glass", 69, 0.23, 2500, CALLISTER),
    S("nylon", 2.7, 0.39, 1140, CALLISTER ", middle of 1.59 to 3.79 GPa"),
    S("polycarbonate", 2.38, 0.36, 1200, CALLISTER),
    S("ptfe", 0.475, 0.46, 2170, CALLISTER ", middle of 0.40 to 0.55 GPa"),
};
enum { COUNT = sizeof all / sizeof *all };

const solid *solid_list(int *count) {
  *count = COUNT;
  return all;
}

const solid *solid_find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(all[i].name, name) == 0) return &all[i];
  return NULL;
}

double solid_modulus(const solid s[2]) {
  double sigma = 0;
  for (int k = 0; k < 2; k++) sigma += (1 - s[k].poisson * s[k].poisson) / s[k].young;
  return 1 / sigma;
}

double stiffness_hertz(const solid s[2], const double radius[2]) {
  double curvature = 1 / radius[0] + 1 / radius[1];
  if (!(curvature > 0) || isinf(curvature)) return NAN;
  return 4.0 / 3 * solid_modulus(s) / sqrt(curvature);
}
