// Shapes of bodies, for drawing and for mass. Each kind is a small file with a const operations table; shape.c lists
// them.
#ifndef BUILD_SHAPE_H
#define BUILD_SHAPE_H

#include "build/sketch.h"
#include "geometry/moments.h"
#include "carom/define.h"
#include "text/option.h"
#include "text/source.h"

struct builder;

// What is made of a shape of points or triangles, which may come from a file.
typedef struct shape_data {
  int mesh;  // its number among the drawn meshes of the model
  moments solid;
  const char *not_solid;  // why it encloses no volume; null if it does
} shape_data;

typedef struct shape_type {
  const option_table *table;  // its name and words in a model file, over carom_shape_def
  // Returns what is wrong with one from a model file, or null. The function may be null.
  const char *(*fault)(const carom_shape_def *d, bool planar);
  // Whether one from a program has all its numbers. May be null.
  bool (*is_complete)(const carom_shape_def *d);
  // Reads its file, if it has one, and computes what follows from its points. Returns false after reporting. May be
  // null.
  bool (*prepare)(struct builder *b, place at, carom_shape_def *d, shape_data *data);
  mat3 (*rotation)(const carom_shape_def *d, bool planar);  // in the axes of the body; may be null
  vec3 (*half)(const carom_shape_def *d, mat3 R);    // half the edges of the box around it in the axes of the body
  vec3 (*middle)(const carom_shape_def *d, mat3 R);  // of that box, from `at`; may be null if it is there
  vec3 (*far_end)(const carom_shape_def *d);         // another point that it extends to; may be null
  // Whether two have the same size. Types with the same function look alike. May be null; then it is not compared.
  bool (*is_same_size)(const carom_shape_def *a, const carom_shape_def *b, double within);
  // Of the solid, in its own axes; in a planar model of a plate of that thickness. Returns what is missing for it, or
  // null.
  const char *(*moments)(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                         arena *scratch, moments *to);
  const char *surface, *surface_planar;  // the kind of surface that a shape with a material is, in space and in the
                                         // plane; may be null: none
  bool is_flat;                          // it needs a thickness for a mass in space too
  bool has_own_thickness;                // and no other in the plane
  // Draws what `prepare` has made, in spatial models; then instead of `draw`. May be null.
  void (*draw_data)(const sketch *s, const shape_data *data, pose at, bool from_model);
  void (*draw)(const sketch *s, const carom_shape_def *d, pose at, bool from_model);
} shape_type;

extern const shape_type shape_link, shape_box, shape_sphere, shape_cylinder, shape_disc, shape_capsule, shape_cone,
    shape_ellipsoid, shape_superellipsoid, shape_hull, shape_polygon, shape_mesh;

// All of them, in the order of the reference page; the one of a name, or null;
// their tables, whose number is returned.
const shape_type *const *shape_types(int *count);
const shape_type *shape_find(const char *kind);
int shape_tables(const option_table *tables[OPTION_MEMBERS_MAX]);

// What several share: the rotation that `rotate` gives, and that which takes z to `axis`; half the edges of boxes
// around a ball, an ellipsoid and points, the middle of the latter, and of a cube around a body of revolution; equal
// sizes; what is wrong with a radius and length.
mat3 shape_rotation(const carom_shape_def *d, bool planar);
mat3 shape_axis_rotation(const carom_shape_def *d, bool planar);
vec3 shape_ball_half(const carom_shape_def *d, mat3 R);
vec3 shape_ellipsoid_half(const carom_shape_def *d, mat3 R);
vec3 shape_points_half(const carom_shape_def *d, mat3 R);
vec3 shape_points_middle(const carom_shape_def *d, mat3 R);
vec3 shape_span_half(const carom_shape_def *d, mat3 R);
bool shape_same_radius(const carom_shape_def *a, const carom_shape_def *b, double within);
bool shape_same_size(const carom_shape_def *a, const carom_shape_def *b, double within);
bool shape_same_span(const carom_shape_def *a, const carom_shape_def *b, double within);
bool shape_same_points(const carom_shape_def *a, const carom_shape_def *b, double within);
enum { SHAPE_RADIUS, SHAPE_LENGTH };  // of a span
bool shape_has_span(const carom_shape_def *d);
const char *shape_span_fault(const carom_shape_def *d, const char *count, const char *sign);
const char *shape_half_axes_fault(const carom_shape_def *d, const char *sign);
static inline vec3 shape_cube(double half) { return (vec3){half, half, half}; }

#define SHAPE_OPTION(field) offsetof(carom_shape_def, field)
#define SHAPE_AT \
  { .key = "at", .type = OPTION_POINT, .offset = SHAPE_OPTION(at), .dim = DIM_LENGTH, .help = "Centre in body axes." }
#define SHAPE_ROTATE \
  { .key = "rotate", .type = OPTION_ROTATION, .offset = SHAPE_OPTION(rotate), .help = "Orientation in body axes." }
#define SHAPE_SCALE                                                                                                    \
  {                                                                                                                    \
    .key = "scale", .type = OPTION_NUMBER, .offset = SHAPE_OPTION(scale), .dim = DIM_LENGTH, .flags = OPTION_POSITIVE, \
    .preset = "1 m", .help = "Length of one unit of the file."                                                         \
  }
#define SHAPE_AXIS \
  { .key = "axis", .type = OPTION_AXIS, .offset = SHAPE_OPTION(axis), .preset = "z", .help = "Its axis." }
#define SHAPE_MASS                                                                                               \
  {.key = "density",                                                                                             \
   .type = OPTION_NUMBER,                                                                                        \
   .offset = SHAPE_OPTION(density),                                                                              \
   .dim = DIM_DENSITY,                                                                                           \
   .flags = OPTION_POSITIVE,                                                                                     \
   .help = "Density; default: that of the body."},                                                               \
      {.key = "thickness",                                                                                       \
       .type = OPTION_NUMBER,                                                                                    \
       .offset = SHAPE_OPTION(thickness),                                                                        \
       .dim = DIM_LENGTH,                                                                                        \
       .flags = OPTION_POSITIVE,                                                                                 \
       .help =                                                                                                   \
           "Thickness in a planar model, for the mass; default: that of the body. In a spatial model only of a " \
           "disc."},                                                                                             \
      {.key = "massless",                                                                                        \
       .type = OPTION_FLAG,                                                                                      \
       .offset = SHAPE_OPTION(massless),                                                                         \
       .preset = "false",                                                                                        \
       .help = "It is drawn, but does not count for the mass of the body."},                                     \
  {                                                                                                              \
    .key = "material", .type = OPTION_TEXT, .offset = SHAPE_OPTION(material),                                    \
    .help = "Contact material; with one, the shape is also a surface that can touch."                            \
  }
#define SHAPE_TABLE(word, text, sample)                                                                    \
  {                                                                                                        \
    .name = word, .summary = text, .example = sample, .size = sizeof(carom_shape_def), .options = options, \
    .count = sizeof options / sizeof *options                                                              \
  }

#endif
