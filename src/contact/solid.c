#include "contact/solid.h"

#include <math.h>
#include <string.h>

#define PAPER "Flores, Ambrósio, table II; density of Shigley, table A-5"
#define SHIGLEY "Shigley, Mechanical Engineering Design, table A-5"
#define CALLISTER "Callister, Materials Science and Engineering, appendix B"

static const solid all[] = {
    {"steel", 207e9, 0.3, 7800, PAPER},
    {"stainless-steel", 190e9, 0.305, 7750, SHIGLEY},
    {"cast-iron", 100e9, 0.211, 7200, SHIGLEY},
    {"aluminium", 71.7e9, 0.333, 2710, SHIGLEY},
    {"brass", 106e9, 0.324, 8540, SHIGLEY},
    {"bronze", 111e9, 0.349, 8170, SHIGLEY},
    {"copper", 119e9, 0.326, 8900, SHIGLEY},
    {"lead", 36.5e9, 0.425, 11370, SHIGLEY},
    {"magnesium", 44.8e9, 0.35, 1790, SHIGLEY},
    {"titanium", 114e9, 0.34, 4420, SHIGLEY},
    {"alumina", 380e9, 0.22, 3980, CALLISTER},
    {"glass", 69e9, 0.23, 2500, CALLISTER},
    {"nylon", 2.7e9, 0.39, 1140, CALLISTER ", middle of 1.59 to 3.79 GPa"},
    {"polycarbonate", 2.38e9, 0.36, 1200, CALLISTER},
    {"ptfe", 0.475e9, 0.46, 2170, CALLISTER ", middle of 0.40 to 0.55 GPa"},
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
