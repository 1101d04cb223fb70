// Where a function along a beam is not smooth: where its value, its slope or its curvature jumps.
#ifndef FLEX_BREAKS_H
#define FLEX_BREAKS_H

typedef struct beam_break {
  double x;
  double jump[3];  // of value, first and second derivative, over the largest of each along the beam [-]
} beam_break;

// Value, first and second derivative.
typedef struct beam_jet {
  void (*at)(const void *context, double x, double jet[3]);
  const void *context;
} beam_jet;

// Looks between 0 and the length in so many equal parts, and finds up to three breaks in each: where the change of
// value or slope is not the integral of its derivative, bisection finds the place, to 1e-12 of the length. Jumps of
// less than 1e-6 are none. Returns how many, at most `most`; ordered by x.
int breaks_find(beam_jet f, double length, int parts, beam_break *to, int most);

#endif
