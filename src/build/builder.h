// What the parts of the build share: the model under construction and the names it has met.
#ifndef BUILDER_H
#define BUILDER_H

#include "base/names.h"
#include "build/model_internal.h"

typedef struct builder {
  carom_model *model;
  const carom_def *def;
  arena *memory;
  carom_error *error;
  names bodies, markers, joints;   // name → index in the definition; ground is body 0
  names signals;
  contact_element *elements;       // of the model's contacts, while they can still change
  bool ideal;                      // build without clearance, for the start
  carom_error *not_ideal;          // why the mechanism without clearance does not close; null or no error: it does
  const int *surface_marker;       // one per surface
  bool contacts_found;
  const bool *touches;             // one per body: a contact may act on it; null: on none
  int contact_rows;                // at most, of all contacts
  const char **notes;              // on what was written and has no effect
  int note_count;
} builder;

// The table of a member of a family by its kind; null: there is none.
const option_table *builder_joint_table(const char *kind);
const option_table *builder_surface_table(const char *kind);
// Where an option of a part stood, or the part itself.
place builder_place(const part *p, const option_table *table, const char *key);
// "did you mean ...", from the names of one or two sections (the second may be null); null when none is near.
const char *builder_hint(builder *b, const char *name, const part_list *first, const part_list *second);
// Enters the names of a section, each once, as first, first + 1, ...
bool builder_names(builder *b, names *n, const part_list *list, const char *section_name, int first);
mat3 builder_rotation(const double q[4]);
// A frame on a body or marker, moved and turned further, as a marker of its own; -1 after reporting.
int builder_marker(builder *b, mechanism *m, const char *name, pose offset, place at, const char *owner);
// `hinge` or `cylinder.q1`
bool builder_coordinate(builder *b, const mechanism *m, const char *text, place at, const char *owner, coordinate *c);

// All that has a name but the outputs, once it is known what can touch; a function of what is known at a level; the outputs.
void builder_signals(builder *b);
bool builder_function(builder *b, const carom_function *from, motion_level level, function *to);
bool builder_outputs(builder *b);

// What is known of the start; and, one a joint, whether its coordinates are.
bool builder_initial(builder *b, const mechanism *m, initial_state *s);
bool *builder_known_joints(builder *b);
// Only bodies that hang freely can be shifted.
bool builder_check_shifts(builder *b, const mechanism *m);
// Velocities of bodies that hang freely in m are their own: removes them from what the ideal mechanism starts with.
void builder_take_own(builder *b, const mechanism *m, initial_state *ideal);

// Dry friction of ideal joints; refused under a method that cannot have it.
bool builder_frictions(builder *b, mechanism *m);
bool builder_check_frictions(builder *b);  // once it is known what can touch

// The materials in their order, laws and all; null after reporting.
const contact_material *builder_materials(builder *b);
// Adds the markers of the surfaces.
bool builder_surfaces(builder *b, mechanism *m);
// Contacts between surfaces, joints with clearance and stops: everything that can touch. Done once per model, after
// builder_surfaces; says which bodies it concerns and how many rows it may bring.
bool builder_contacts(builder *b, const mechanism *m);
// For a method with forces: stiffness from shapes and solids, and room for the inner states of friction laws.
bool builder_resolve_materials(builder *b);
// Shapes, surfaces and sizes of joints, kept for whoever draws the model.
bool builder_drawing(builder *b);
// What a method cannot do with its settings, and what it cannot do with the contacts there are, is refused at its line.
bool builder_check_method(builder *b);
bool builder_check_poisson(builder *b);
void builder_choose_integrator(carom_model *model);  // for `auto`, the one that suits
// What overlaps at the start is refused, or moved apart where the method says so. Needs the activation distance.
bool builder_part_surfaces(builder *b, mechanism *m);

#endif
