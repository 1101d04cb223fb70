// The compiled model behind the opaque type.
#ifndef MODEL_INTERNAL_H
#define MODEL_INTERNAL_H

#include "carom/carom.h"
#include "contact/contact.h"
#include "build/definition.h"
#include "build/shape.h"
#include "ledger/energy.h"
#include "mechanics/assemble.h"
#include "mechanics/mechanism.h"

typedef struct output {
  const char *name;
  const char *unit;  // of its expression; "" when that is not known
  function f;
} output;

// Signals of each contact element: what it does, then for the eye where its force acts and which one, in the world; the
// last three of these are left out in the plane. Under a method that averages forces that of the normal ones follows.
enum {
  CONTACT_GAP,
  CONTACT_FN,
  CONTACT_FT,
  CONTACT_MODE,
  CONTACT_X,
  CONTACT_Y,
  CONTACT_SLIP,
  CONTACT_AT_X,
  CONTACT_AT_Y,
  CONTACT_FORCE_X,
  CONTACT_FORCE_Y,
  CONTACT_Z,
  CONTACT_AT_Z,
  CONTACT_FORCE_Z,
  CONTACT_FN_MEAN,
  CONTACT_SIGNALS
};
extern const char *const contact_signal_names[CONTACT_SIGNALS], *const contact_signal_units[CONTACT_SIGNALS];

// What is kept for drawing alone.
typedef struct drawn_shape {
  int body;
  const shape_type *type;
  carom_shape_def shape;
  shape_data data;
} drawn_shape;

typedef struct drawn_surface {
  const char *name;
  const struct surface_type *type;
  int marker;
  carom_shape_def shape;  // its place on the body and its sizes
  shape_data data;
} drawn_surface;

typedef struct drawn_joint {
  double clearance, axial_clearance, radius, length, width, height;
  const double *limits;  // two, or null
} drawn_joint;

// The axis of a beam and how it bends, at some places along it.
typedef struct drawn_beam {
  int place_count, modes;
  double *x;           // [m]
  vec3 *shift, *turn;  // per modal coordinate, modes for each place
  double *second;      // along the axis, modes² for each place; null if there is none
  vec3 *stress;        // per modal coordinate: of the axis, and of the outermost fibres across y and across z [Pa]
  double width;        // [m]
} drawn_beam;

// The mesh of a flexible planar solid and how it deforms.
typedef struct drawn_solid {
  int vertex_count, modes, triangle_count, rim_count;
  vec2 *at;             // [m]
  int *triangles;       // three vertices each
  int *rim;             // two vertices for each piece of the boundary
  vec2 *shift;          // per modal coordinate, modes for each vertex
  double (*stress)[3];  // likewise: σx, σy, τ [Pa]
  double poisson;       // in plane strain, where σz = ν (σx + σy); 0 in plane stress
} drawn_solid;

// What is attached to a body, in its axes: joints, constraints and springs first, then surfaces, loads and markers.
typedef struct drawn_body {
  vec3 *at;                  // distinct points
  int count, holding;        // the first `holding` are of joints, constraints and springs
  bool slides;               // one of its joints is prismatic
  double size;               // largest edge of the box around all that is known of it; 0 if nothing is [m]
  const drawn_beam *beam;    // null if it is none
  const drawn_solid *solid;  // likewise
} drawn_body;

// Triangles to draw, of a file or a hull.
typedef struct drawn_mesh {
  const char *name;  // of the file; empty where there is none
  carom_points vertices;
  const int *triangles;  // three vertices each
  int triangle_count;
} drawn_mesh;

// A file that a shape is made of. The triangles in it are kept only while the model is built.
typedef struct mesh_file {
  const char *name, *path;  // as written, and as found from the current folder
  double scale;
  bool flip, hull, surface;  // of a hull, of a surface
  const char *digest;        // tells one content from another
  carom_points points;       // what is drawn; of a hull its corners
  shape_data data;
} mesh_file;

typedef struct drawing {
  drawn_body *bodies;   // one per body, ground first
  drawn_shape *shapes;  // in the order of their bodies
  int shape_count;
  drawn_surface *surfaces;
  int surface_count;
  drawn_joint *joints;  // one per joint
  mesh_file **files;    // in the order in which they are named
  int file_count, file_capacity;
  drawn_mesh *meshes;
  int mesh_count, mesh_capacity;
} drawing;

typedef struct body_mass {
  double mass;        // [kg]
  vec3 com;           // in body axes [m]
  double inertia[6];  // about the mass centre: xx yy zz xy xz yz; planar: zz [kg·m²]
  bool from_shape;
} body_mass;

// A file of points, or of a flexible body.
typedef struct table_file {
  const char *name, *path;  // as written, and as found from the current folder
  const char *digest;       // tells one content from another
} table_file;

struct carom_model {
  arena memory;
  arena scratch;   // of the build; empty afterwards
  carom_def *def;  // what it was compiled from, kept when it came from a file
  mechanism m;
  const mechanism *assembled;  // in joint coordinates and without floating bodies, as the start was assembled; NULL if
                               // it is m itself
  const bool *closes_loop;  // one per joint, in joint coordinates: it closes a loop of the model, with its clearances
  carom_model_def about;
  carom_integrator_def integrator;
  const scheme_type *scheme;
  scheme_options options;  // of the scheme, as given
  carom_record_def record;
  contact_world contacts;
  carom_remark restitution, conformal;  // of contact laws outside their range; count 0: none
  carom_remark no_contact;              // count 0: surfaces can touch, or there are none
  carom_remark rigid_surface;           // count 0: no large surface on a flexible body keeps its shape
  carom_remark missed_load;             // count 0: modes follow the static loads at all contact places
  drawing drawing;
  const body_mass *masses;             // one per body without ground
  const carom_interface **interfaces;  // one list per body, each ends with an empty one; null where none is flexible
  double *start_gaps;                  // one an element: the least of its points [m], of a turning stop [rad]
  const char **contact_names;          // of their signals, contact_signals an element
  int contact_signals;
  const char **contact_details;                    // one an element: how its surfaces meet
  const char **state_details, **callback_details;  // of each state and callback, in words
  output *outputs;
  int output_count;
  table_file *table_files;  // in the order in which they are named, each once
  int table_file_count, table_file_capacity;
  assembly_report assembly;
  flexible_fastest fastest;  // motion of the modes at the start
  const char **notes;        // on what was written and has no effect
  int note_count;
};

// Signals are numbered through the whole model, section by section.
typedef enum signal_section {
  SIGNALS_OF_MECHANISM,
  SIGNALS_OF_ENERGY,
  SIGNALS_OF_CONTACTS,
  SIGNALS_OF_OUTPUTS,
  SIGNAL_SECTIONS
} signal_section;

typedef struct signal_place {
  signal_section section;
  int index;          // in its section
  int element, kind;  // of a contact: CONTACT_GAP and so on
} signal_place;

int model_signal_first(const carom_model *model, signal_section section);  // of SIGNAL_SECTIONS: how many there are
signal_place model_signal_place(const carom_model *model, int i);
int model_contact_kind(const carom_model *model,
                       int k);  // of the k-th signal of a contact element: CONTACT_GAP and so on

// The files that it was read from, as carom_model_file lists them, with room for two more.
const char **model_files(const carom_model *model, arena *memory, int *count);

// What its method says about contact.
scheme_contact_options model_contact_options(const carom_model *model);

#endif
