// Shared by the files of the build: the model under construction and its names.
#ifndef BUILDER_H
#define BUILDER_H

#include "base/names.h"
#include "build/model_internal.h"

typedef struct builder {
  carom_model *model;
  const carom_def *def;
  arena *memory;
  carom_error *error;
  names bodies, markers, joints;  // name → index in the definition; ground is body 0
  names signals;
  names solids;                        // of the section
  names tables;                        // likewise
  const named_curve *curves;           // one per table
  struct computing *computing;         // how far the signals that the model computes are known (build_control.c)
  const body_mass *masses;             // one per body of the definition
  struct flexible_builder *flexibles;  // one per body of the definition; null if none is flexible
  bool bases_found;                    // their shapes are known
  contact_element *elements;           // of the model's contacts, while they may still change
  place *element_at;                   // their places in the file
  contact_crowd *crowd;                // likewise; null if all pairs are listed
  bool ideal;                          // build without clearance, for the start
  carom_error *not_ideal;              // why the mechanism without clearance does not close; null or no error: it does
  const int *surface_marker;           // one per surface
  const outline *const *outlines;      // one per surface, in a planar model; null where it has none
  bool contacts_found;
  temporary_rows contact_rows;  // of all contacts
  const char **notes;           // about keys that have no effect, and values that are unusual
  int note_count, note_capacity;
} builder;

// The option table of a member of a family, by its kind. Returns null if there is none.
const option_table *builder_joint_table(const char *kind);
// The outline of a surface in a planar model; null if it has none. Returns false after reporting.
struct surface_type;
bool builder_outline(builder *b, const part *p, const struct surface_type *type, const outline **to);
const option_table *builder_surface_table(const char *kind);
// The place of a key of a part in the file, or of the part itself.
place builder_place(const part *p, const option_table *table, const char *key);
// Reports a fault at the place of its part. Returns false.
bool builder_fault(builder *b, const fault *f);
// Adds a note that check and run show. The text is kept by reference.
void builder_note(builder *b, const char *text);
// The same with file and line before it, if the model came from a file.
void builder_note_at(builder *b, place at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void builder_note_tolerances(builder *b);  // of the integrator, once it is chosen
void builder_note_fast_modes(builder *b);  // that this integrator has to follow
// "did you mean ...", from the names of one or two sections (the second may be null). Returns null if no name is
// similar.
const char *builder_hint(builder *b, const char *name, const part_list *first, const part_list *second);
// Adds the names of a section with the values first, first + 1, ... Returns false after reporting a name that occurs
// twice.
bool builder_names(builder *b, names *n, const part_list *list, const char *section_name, int first);
// Puts the mechanism together, in joint or absolute coordinates; contacts are found the first time.
bool builder_mechanism(builder *b, mechanism *m, bool absolute);
// What forces read, once all signals are listed.
bool builder_bind_forces(builder *b, mechanism *m);
mat3 builder_rotation(const double q[4]);
// Adds a marker: a frame on a body or marker, displaced by `offset`. Returns -1 after reporting.
int builder_marker(builder *b, mechanism *m, const char *name, pose offset, place at, const char *owner);
// `hinge` or `cylinder.q1`
bool builder_coordinate(builder *b, const mechanism *m, const char *text, place at, const char *owner, coordinate *c);

// What a function must be in beside what its option says, and why: "since 'crank' turns". DIM_ANY: nothing further.
typedef struct wanted_unit {
  dimension dim;
  const char *key, *why;
} wanted_unit;
#define ANY_UNIT ((wanted_unit){DIM_ANY, NULL, NULL})

// The signals except outputs, once the contacts are known; a function of the signals of a level; the outputs.
void builder_signals(builder *b);
bool builder_function(builder *b, const carom_function *from, motion_level level, wanted_unit wanted, function *to);
bool builder_outputs(builder *b);

// States and signals of the model: their names and numbers, before signals are listed; then their expressions, those
// that others need first.
bool builder_name_control(builder *b, mechanism *m);
bool builder_control(builder *b, mechanism *m);
// The expression of one signal, or the inputs of one callback, once; false after reporting.
bool builder_compute(builder *b, int index);
bool builder_call(builder *b, int index);
// The unit of what a function of a definition gives; "" if it is not known.
const char *builder_function_unit(builder *b, const carom_function *from, const function *f);

// The tables; one by its name for expressions (the context is the builder), null if there is none.
bool builder_tables(builder *b);
const named_curve *builder_table(void *context, const char *name);
// Refuses motions that jump before the end of the run, as far as their expressions show it, under a method that
// integrates.
bool builder_check_motions(builder *b, const mechanism *m);

// What the motion or the effort along a coordinate must be in; no joint: nothing.
wanted_unit builder_unit_along(builder *b, const mechanism *m, coordinate of, const char *key);
// Numbers whose unit depends on a coordinate: the start and the limits of joints, springs along them.
bool builder_check_units(builder *b, const mechanism *m);

// The given initial values; and for each joint whether its coordinates are given.
bool builder_initial(builder *b, const mechanism *m, initial_state *s);
bool *builder_known_joints(builder *b);
// Refuses shift and turn of a body that an ideal joint carries.
bool builder_check_shifts(builder *b, const mechanism *m);
// Removes the velocities of bodies that only joints with clearance hold from the given values of the ideal mechanism.
void builder_take_own(builder *b, const mechanism *m, initial_state *ideal);

// Dry friction of ideal joints; refused under a method that does not support it.
bool builder_frictions(builder *b, mechanism *m);

// The materials with their laws, in the order of the definition. Returns null after reporting.
const contact_material *builder_materials(builder *b);
// Adds the markers of the surfaces.
bool builder_surfaces(builder *b, mechanism *m);
// Contacts between surfaces, joints with clearance and stops: everything that can touch. Done once per model, after
// builder_surfaces; says which bodies it concerns and how many rows it may bring.
bool builder_contacts(builder *b, const mechanism *m);
// For continuous contact: stiffness from shapes and solids, and the number of internal states of friction laws.
bool builder_resolve_materials(builder *b);
// A solid of the section or a common one. Returns false after reporting at `at` that `owner` names none.
bool builder_solids(builder *b);  // checks the section; first of all
bool builder_solid(builder *b, place at, const char *owner, const char *name, solid *to);
// A copy in the memory of the model.
carom_numbers builder_numbers(builder *b, carom_numbers from);
// Adds the shapes that name a material to the surfaces of the definition; they have been checked.
bool builder_shape_surfaces(builder *b);
// Gives hulls that name a file its corners as points.
bool builder_hull_surfaces(builder *b);
// The shapes of bodies, and then the masses of bodies, as given or from the shapes.
bool builder_shapes(builder *b);
bool builder_masses(builder *b);
// Flexible bodies (build_beam.c, build_flexible.c). What is given of them, and its mass, before the mechanism; the
// first time also their shapes, once markers, joints and forces are there; then body and markers of the mechanism.
bool builder_beams(builder *b, body_mass *masses);
bool builder_flexible(builder *b, mechanism *m);
// How a body of the definition bends, for drawing; null if it is rigid.
const drawn_beam *builder_drawn_beam(builder *b, int index);
// The mesh of a planar solid, for drawing; null if it is none, or if that would be too large for a record.
const drawn_solid *builder_drawn_solid(builder *b, int index);
// A file that the model names at a place: its path from the current folder; its bytes, at most so many, with a zero
// behind them (`hint` says what to do about more), in scratch memory; and what tells its content from another. Returns
// false after reporting.
typedef struct file_bytes {
  char *items;
  size_t length;
} file_bytes;
const char *builder_path(builder *b, place at, const char *name);
bool builder_read_file(builder *b, place at, const char *path, int most, const char *hint, file_bytes *to);
const char *builder_digest(builder *b, const file_bytes *from);
// A record remembers what was in the file, so that a run is resumed with the same one.
void builder_keep_file(builder *b, const char *name, const char *path, const file_bytes *content);
// The triangles of a file; the hull of points or, if there is a file, of its points. The same file is read once. They
// give the points that are drawn, of a hull its corners, and the volume. Return false after reporting.
bool builder_mesh(builder *b, place at, const char *file, double scale, bool flip, carom_points *points,
                  shape_data *data);
bool builder_hull(builder *b, place at, const char *file, double scale, carom_points *points, shape_data *data);
// The triangles of a surface of type mesh, for contact, and the corners of its hull, which touch planes: none if it is
// flat or has more than CONTACT_POINTS_MAX. Returns false after reporting.
bool builder_triangles(builder *b, const part *p, terrain *to, const vec3 **corners, int *corner_count);
// The boundary of a flexible body as a surface: its chain and its thickness. Returns false after reporting.
bool builder_boundary(builder *b, const part *p, int body, contact_surface *to);
// Whether a marker is that of such a surface: it has the axes of the body and moves with no mode.
bool builder_is_boundary(const builder *b, int marker);
// The triangles of a surface, as reports draw them. `points` gets their corners.
void builder_terrain(builder *b, const char *name, const terrain *from, carom_points *points, shape_data *data);
// Surfaces and sizes of joints, for drawing.
bool builder_drawing(builder *b);
// The method and its options, from the definition into the model.
void builder_keep_options(builder *b);
// Refuse what the method does not support, at its line: settings first, then the model once it is assembled.
bool builder_check_settings(builder *b);
bool builder_check_method(builder *b);
void builder_choose_integrator(carom_model *model);  // resolves `auto`
// Refuses surfaces that overlap at the start, or separates them if the method asks for it. Needs the activation
// distance.
bool builder_separate_surfaces(builder *b, mechanism *m);

#endif
