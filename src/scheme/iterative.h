// Scheme `iterative` (paper 002, section 4): a fixed-step Runge-Kutta method under contact forces that are assumed,
// tried on a whole step and corrected until the surfaces touch at its end.
#ifndef SCHEME_ITERATIVE_H
#define SCHEME_ITERATIVE_H

#include "scheme/scheme.h"

extern const scheme_type scheme_iterative;
extern const scheme_about iterative_about;

#endif
