// A flexible body while it is built.
#ifndef FLEXIBLE_BUILDER_H
#define FLEXIBLE_BUILDER_H

#include "build/builder.h"
#include "flex/beam.h"
#include "flex/given.h"
#include "flex/interface.h"
#include "flex/load_cases.h"
#include "flex/planar_solid.h"
#include "flex/reduction.h"
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

// A contact place: a marker with the directions of its loads, or a part of the boundary.
typedef struct flexible_contact {
  const char *name;
  bool is_surface;                // a surface touches there; `interface` does not name it
  const flex_interface *stretch;  // null for a marker
  flex_place at;                  // of a marker
  vec3 along[3];
  int directions;
  carom_interface result;
} flexible_contact;

typedef struct flexible_builder {
  const part *p;  // the body; null if it is rigid
  const carom_body_def *d;
  bool is_solid;       // a planar solid or imported; otherwise a beam
  planar_solid solid;  // its elements are in `e` from the start
  beam beam;
  beam_functions section;
  double *nodes;  // of the beam, and which of them were put where they are
  bool *node_is_put;
  beam_shape *shapes;  // given ones
  given_shape *given;
  int given_count;
  arena *scratch;                   // of a solid or an imported body, whose elements are in `e` from the start
  const flex_interface **attached;  // sets of nodes that its markers follow
  int attached_count;
  flex_interfaces interfaces;  // that `interface:` of the modes can name
  flexible_contact *contacts;  // places of contact, and those where loads act without a static mode
  int contact_count, contact_capacity;
  int *touched, touched_count;  // nodes of the mesh that boundary surfaces have
  int *touched_as;              // of each node one more than its number among these; 0: none
  vec2 *sides;                  // of a beam, instead of these: places on its sides that boundary surfaces have [m]
  // Once the shapes are known:
  flex_elements e;
  double *phi;                        // rows of freedom_count numbers, one per mode
  vec3 from;                          // where the body's axes are fixed to it; of a beam on its axis [m]
  bool is_carried;                    // by a joint that holds something there
  const struct imported_load *loads;  // of an imported body, one for each that is named
  load_cases cases;                   // of its second-order displacements; none of a beam
  floating_fields fields;
  double *modal_mass;  // modes², with the axes held; then that for its damping
  flexible_body flex;
} flexible_builder;

// The place of a key of the body's beam, modes or damping; of the body if it is not given.
place flexible_place(const flexible_builder *fb, const void *origin, const option_table *table, const char *key);
// Refuses the body; what is wrong goes behind its name. Returns false.
bool flexible_refuse(builder *b, const flexible_builder *fb, place at, const char *hint, const char *what);
// The section of a beam at x of the axis, in the modes' freedoms.
flex_place flexible_section(const flexible_builder *fb, double x);
// The x of the section of a beam at a point. Rounding beyond the ends is taken off.
double flexible_section_x(const flexible_builder *fb, vec3 p);
// What of the body moves a point: the section of a beam, or the material of a solid there. Returns false if it is
// outside.
bool flexible_place_at(const flexible_builder *fb, vec3 p, flex_place *to);
// Whether displacements of second order are computed: how loads and rotation change its stiffness.
bool flexible_has_second_order(const flexible_builder *fb);
// The shapes in which a body deforms, and its stiffness; `from` says where its axes are.
bool builder_basis(builder *b, const mechanism *m, flexible_builder *fb, int body_index);
// A straight side of a planar solid by its name. Returns false if there is none.
bool solid_2d_side(const carom_solid_2d_def *d, const char *name, vec2 *from, vec2 *to);
// "it has: ..." with the names of its interfaces, for hints; null if it has none.
const char *flexible_interface_names(builder *b, const flexible_builder *fb);
// Names of the stretches of a body, from those of its sides.
bool builder_stretches(builder *b, flexible_builder *fb);
// The contact places that its modes name.
bool builder_interface(builder *b, const mechanism *m, flexible_builder *fb, int body_index);
// What the modes miss of a static load at each contact place of a body.
void flexible_find_missed(builder *b, flexible_builder *fb, const reduction *r, const flex_modes *modes);
// How the nodes that boundary surfaces have move with the modes.
void flexible_fill_boundary(builder *b, flexible_builder *fb);
// The part of its boundary that a surface has; null if it is all of it.
const flex_interface *flexible_boundary_side(const flexible_builder *fb, const carom_surface_def *d);
// A remark on large surfaces of flexible bodies that do not deform with them.
void builder_tell_rigid_surfaces(builder *b, const mechanism *m);
// The parts of static loads at contact places that the modes of each body miss, for the model.
void builder_tell_missed(builder *b);
// Adds a contact place without loads, and one at a point with loads along its normal.
flexible_contact *flexible_add_contact(builder *b, flexible_builder *fb, const char *name);
void flexible_marker_contact(builder *b, flexible_builder *fb, const char *name, vec3 p);
// Its damping, once its inertia is known.
bool builder_damping(builder *b, flexible_builder *fb);
// What is given of a planar solid, and its mass.
bool builder_solid_2d(builder *b, flexible_builder *fb, body_mass *mass);
// What moves a point of a planar solid: the side of which it is the middle, if markers follow that, or the material
// there. Returns false if it is outside.
bool flexible_solid_place(const flexible_builder *fb, vec3 p, flex_place *to);
// Refuses names of sides that there are not, and those that no marker follows.
bool flexible_check_attached(builder *b, const mechanism *m, const flexible_builder *fb, int body_index);
// What is given of imported matrices, and their mass.
bool builder_finite_elements(builder *b, flexible_builder *fb, body_mass *mass);
// What moves a point of an imported body. Returns false if it is outside.
bool flexible_imported_place(const flexible_builder *fb, vec3 p, flex_place *to);
// The name of the set of nodes that a point follows, and how far away its middle is, if that is farther than its nodes
// are; else null.
const char *flexible_imported_far_set(const flexible_builder *fb, vec3 p, double *way);
// Young's modulus, Poisson's ratio and density, from numbers or the name of a solid.
bool flexible_take_solid(builder *b, const flexible_builder *fb, const void *origin, const option_table *table,
                         const char *name, solid *of);
// The stresses of a beam that is drawn.
void builder_beam_stress(builder *b, const flexible_builder *fb, drawn_beam *to);
// Has a node of the beam at x: the nearest inner one moves there unless it was put where it is, else there is one more.
void beam_put_node(builder *b, flexible_builder *fb, double x);
jet beam_function_jet(const beam_function *f, double x);

#endif
