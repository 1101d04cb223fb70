// Hertz's elliptic contact of two curved solids.
#ifndef CONTACT_HERTZ_H
#define CONTACT_HERTZ_H

// K of F = K δ^1.5 for the modulus E* and the relative principal curvatures, 0 < k[0] ≤ k[1].
double hertz_stiffness(double modulus, const double k[2]);

#endif
