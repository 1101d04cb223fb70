// Elastic solids, and how stiff two of them are against each other.
#ifndef CONTACT_SOLID_H
#define CONTACT_SOLID_H

typedef struct solid {
  const char *name;
  double young;        // [Pa]
  double poisson;      // [-]
  double density;      // [kg/m³]
  const char *source;  // its numbers and where they are from; null of a model's own
} solid;

const solid *solid_list(int *count);        // the common ones
const solid *solid_find(const char *name);  // null if there is none of that name

// E* of a pair: 1/E* = σ₁ + σ₂, σ = (1 - ν²)/E (Flores and Ambrósio, eq. 3).
double solid_modulus(const solid s[2]);

// K of F = K δ^1.5 where two curved solids touch in a point (Flores and Ambrósio, eq. 2): 4/3 E* √R with
// 1/R = 1/R₁ + 1/R₂. A radius is infinite of a plane and negative of a hollow surface such as a bearing. NaN where the
// radii make no such contact: two planes, a corner (radius 0), a journal as large as its bearing.
double stiffness_hertz(const solid s[2], const double radius[2]);

#endif
