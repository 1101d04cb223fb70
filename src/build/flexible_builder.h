// A flexible body while it is built.
#ifndef FLEXIBLE_BUILDER_H
#define FLEXIBLE_BUILDER_H

#include "build/builder.h"
#include "flex/beam.h"
#include "flex/given.h"
#include "flex/interface.h"
#include "flex/planar_solid.h"
#include "mechanics/flexible.h"

// A number along the beam, as given.
typedef struct beam_function {
  double constant;
  const struct expr *e;  // over x and L; may be null
  void (*call)(void *context, double t, double *value);
  void *context;
  double length;  // L [m]
} beam_function;

typedef struct beam_functions {
  beam_function area, second_moment, second_moment_z, torsion, shear_area;
  bool has_second_moment_z, has_torsion, has_shear_area;
} beam_functions;

// A given shape function. `value` and `slope` are what the marker that carries the body has of it at `from`, and are
// taken off: the body's axes move with that marker.
typedef struct beam_shape {
  beam_function f;
  place at;  // in the model file
  const char *key;
  double from, value, slope;
} beam_shape;

typedef struct flexible_builder {
  const part *p;  // the body; null if it is rigid
  const carom_body_def *d;
  bool is_solid;       // a planar solid or imported; otherwise a beam
  planar_solid solid;  // its elements are in `e` from the start
  beam beam;
  beam_functions section;
  beam_shape *shapes;  // given ones
  given_shape *given;
  int given_count;
  arena *scratch;                   // of an imported body, whose elements are in `e` from the start
  const flex_interface **attached;  // sets of nodes that its markers follow
  int attached_count;
  flex_interfaces interfaces;  // that `interface:` of the modes can name
  // Once the shapes are known:
  flex_elements e;
  double *phi;  // rows of freedom_count numbers, one per mode
  vec3 from;    // where the body's axes are fixed to it; of a beam on its axis [m]
  flexible_body flex;
} flexible_builder;

// The place of a key of the body's beam, modes or damping; of the body if it is not given.
place flexible_place(const flexible_builder *fb, const void *origin, const option_table *table, const char *key);
// Refuses the body; what is wrong goes behind its name. Returns false.
bool flexible_refuse(builder *b, const flexible_builder *fb, place at, const char *hint, const char *what);
// The section of a beam at x of the axis, in the modes' freedoms.
flex_place flexible_section(const flexible_builder *fb, double x);
// What is given of a planar solid, and its mass.
bool builder_solid_2d(builder *b, flexible_builder *fb, body_mass *mass);
// What is given of imported matrices, and their mass.
bool builder_finite_elements(builder *b, flexible_builder *fb, body_mass *mass);
// What moves a point of an imported body. Returns false if it is outside.
bool flexible_imported_place(const flexible_builder *fb, vec3 p, flex_place *to);
// Young's modulus, Poisson's ratio and density, from numbers or the name of a solid.
bool flexible_take_solid(builder *b, const flexible_builder *fb, const void *origin, const option_table *table,
                         const char *name, solid *of);
// The stresses of a beam that is drawn.
void builder_beam_stress(builder *b, const flexible_builder *fb, drawn_beam *to);
jet beam_function_jet(const beam_function *f, double x);

#endif
