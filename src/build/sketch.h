// The primitives of a drawing, as the record describes them to the report: links, boxes, balls and other solids, discs,
// polygons, and marks of points and planes. Shapes of a model, surfaces and guessed bodies are drawn with them.
#ifndef BUILD_SKETCH_H
#define BUILD_SKETCH_H

#include "base/json.h"
#include "carom/define.h"
#include "math/linalg.h"

typedef struct sketch {
  json_writer *w;
  bool planar;
  double length;  // a typical size of the model [m]
} sketch;

// `from_model`: the model gives this shape; else it is guessed. Poses are in the axes of the body.
void sketch_link(const sketch *s, vec3 from, vec3 to, double width, bool from_model);  // width 0 chooses one
void sketch_ball(const sketch *s, pose at, double radius, bool from_model);            // in the plane a disc
void sketch_box(const sketch *s, pose at, vec3 size, bool from_model);                 // without a depth it gets one
void sketch_cylinder(const sketch *s, pose at, double radius, double length, bool from_model);
void sketch_capsule(const sketch *s, pose at, double radius, double length, bool from_model);
void sketch_cone(const sketch *s, pose at, double radius, double length, bool from_model);
void sketch_ellipsoid(const sketch *s, pose at, vec3 radii, const double *exponents, bool from_model);  // null: none
void sketch_polygon(const sketch *s, pose at, carom_points corners, bool from_model);
void sketch_mesh(const sketch *s, const char *kind, pose at, int mesh, bool from_model);  // by its number in the scene
void sketch_disc(const sketch *s, pose at, double radius, bool from_model);
void sketch_mark(const sketch *s, pose at, const char *kind);  // a thing without a size

// Entries of a map: three numbers; `at`, and `rotate` where it is turned.
void sketch_put_point(json_writer *w, const char *key, vec3 p);
void sketch_put_pose(json_writer *w, pose p);

#endif
