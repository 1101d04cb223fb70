// Surfaces that can touch: their words in a model file, their sizes, how they are drawn. Each kind is a small file;
// surface.c lists them. Which of them touch each other, and how, is in contact/surfaces.c.
#ifndef BUILD_SURFACE_H
#define BUILD_SURFACE_H

#include "base/arena.h"
#include "build/shape.h"
#include "contact/contact.h"
#include "geometry/outline.h"
#include "geometry/terrain.h"

typedef struct surface_type {
  const option_table *table;  // its name and words in a model file, over carom_surface_def
  shape shape;                // for contact
  // The key with an impossible value, and in `what` the end of the message "'name': ...". Returns NULL if all are
  // possible. May be null.
  const char *(*fault)(const carom_surface_def *d, bool planar, const char **what);
  void (*set_size)(const carom_surface_def *d, double size[3]);  // as contact reads it; may be null
  // The shape by its support mapping, in the axes of the surface. Null of a plane.
  convex (*form)(const carom_surface_def *d, bool planar, arena *memory);
  // Its outline in a planar model. `at` gets the point that is wrong. May be null: it has none.
  outline_status (*outline)(const carom_surface_def *d, arena *memory, outline *to, int *at);
  void (*terrain)(const carom_surface_def *d, arena *memory, terrain *to);  // its triangles; may be null: it has none
  // The thickness that a step must not pass over [m]; NULL if infinite.
  double (*thickness)(const carom_surface_def *d, bool planar);
  const vec3 *(*corners)(const carom_surface_def *d, arena *memory,
                         int *count);  // in space, of a shape with flat faces; else null
  const shape_type *drawn;             // NULL if as a mark
  void (*set_drawn)(const carom_surface_def *d, bool planar, arena *memory,
                    carom_shape_def *to);     // beside radius and size; may be null
  double (*reach)(const carom_shape_def *d);  // how far a body extends by it [m]; NULL if 0
  bool takes_file;                            // of triangles
  bool by_triangles;                          // it is a mesh: see builder_triangles
  bool by_boundary;                           // it is that of a flexible body: see builder_boundary
  bool by_outline;                            // its outline says how thick it is and how it is drawn
  bool is_point;                              // two of them never touch
  bool is_body;                               // a body that has one needs no other shape
} surface_type;

// All of them, in the order of the reference page; the one of a name, or null;
// their tables, whose number is returned.
const surface_type *const *surface_types(int *count);
const surface_type *surface_find(const char *kind);
int surface_tables(const option_table *tables[OPTION_MEMBERS_MAX]);

// Radius and length as the span of what is drawn, and how far a body with it reaches.
void surface_set_span(const carom_surface_def *d, bool planar, arena *memory, carom_shape_def *to);
double surface_span_reach(const carom_shape_def *d);
// The fault of a shape that exists in space only, where a model is planar.
const char *surface_needs_space(const char *kind, bool planar, const char *sentence, const char **what);
// What outlines share: their fault in a spatial model, and how far a body extends by them.
const char *surface_outline_fault(const carom_surface_def *d, bool planar, const char **what);
double surface_outline_reach(const carom_shape_def *d);

#define SURFACE_OPTION(field) offsetof(carom_surface_def, field)
#define SURFACE_OPTIONS(word)                                                                                      \
  {.key = word,                                                                                                    \
   .type = OPTION_TEXT,                                                                                            \
   .offset = SURFACE_OPTION(on),                                                                                   \
   .flags = OPTION_REQUIRED | OPTION_SUBJECT,                                                                      \
   .help = "The body or marker it is attached to."},                                                               \
      {.key = "at",                                                                                                \
       .type = OPTION_POINT,                                                                                       \
       .offset = SURFACE_OPTION(at),                                                                               \
       .dim = DIM_LENGTH,                                                                                          \
       .help = "Position in its axes."},                                                                           \
      {.key = "rotate",                                                                                            \
       .type = OPTION_ROTATION,                                                                                    \
       .offset = SURFACE_OPTION(rotate),                                                                           \
       .help = "Orientation in its axes."},                                                                        \
      {.key = "material", .type = OPTION_TEXT, .offset = SURFACE_OPTION(material), .help = "Contact material."}, { \
    .key = "group", .type = OPTION_TEXT, .offset = SURFACE_OPTION(group),                                          \
    .help = "Name of a group of surfaces, for `contacts`."                                                         \
  }
#define SURFACE_TABLE(word, text, sample)                                                                    \
  {                                                                                                          \
    .name = word, .summary = text, .example = sample, .size = sizeof(carom_surface_def), .options = options, \
    .count = sizeof options / sizeof *options                                                                \
  }

#endif
