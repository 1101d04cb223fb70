// Beams without shear whose shape functions are given over the undeformed position (theory of small deflections: the
// section at x turns by the slope of the axis). They become elements whose freedoms are the coordinates of the shapes,
// without nodes, so that everything made of elements can be made of them.
#ifndef FLEX_GIVEN_H
#define FLEX_GIVEN_H

#include "flex/beam.h"

typedef enum given_direction { GIVEN_AXIAL, GIVEN_Y, GIVEN_Z, GIVEN_TWIST } given_direction;

typedef struct given_shape {
  given_direction along;
  void (*at)(const void *context, double x, double jet[3]);  // value, first and second derivative
  const void *context;
} given_shape;

// Integrated by five points in each of the elements of the beam: exact for products up to degree nine.
// At most PLACE_FREEDOMS shapes.
void given_elements(arena *memory, const beam *b, int count, const given_shape *shapes, flex_elements *e);
flex_place given_place(int count, const given_shape *shapes, double x);
// As beam_foreshortening, of the shapes themselves.
void given_foreshortening(const beam *b, int count, const given_shape *shapes, double from, double x, double *g);

#endif
