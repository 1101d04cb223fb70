// The bodies of a record as they are drawn: triangles in the axes of each body, and where bodies are at a recorded
// time.
#ifndef EXPORT_SCENE_H
#define EXPORT_SCENE_H

#include "export_form.h"
#include "math/linalg.h"

typedef struct scene_body {
  const char *name;
  vec3 *vertices;
  int vertex_count, vertex_capacity;
  int *triangles;                         // three vertices each, counter-clockwise as seen from outside
  int triangle_count, triangle_capacity;  // of numbers: three for each
  int column;                             // its x in the table of bodies; -1 for ground, which does not move
  // Of a flexible body, else modes 0: how it shifts and turns per modal coordinate. Of a beam along x at places along
  // it; of a planar solid at each of its vertices, which are the first ones, and it does not turn.
  int modes, mode_column, place_count;
  double *place;       // of a beam; null of a solid
  vec3 *shift, *turn;  // modes for each place
} scene_body;

typedef struct export_scene {
  scene_body *bodies;
  int body_count;
  bool planar;
  long rows, every;    // recorded times, and that of each so many is taken
  int table, columns;  // of bodies
  double *row;
} export_scene;

// At most `most` times are taken. Returns false after reporting.
bool export_scene_read(export_job *j, long most, export_scene *to);
// The recorded time that the k-th frame shows; the last is the end of the run. Returns false after the last.
bool export_scene_frame(const export_scene *s, long k, long *row);
// Reads the bodies at a row, and its time. Returns false after reporting.
bool export_scene_load(export_job *j, export_scene *s, long row, double *t);
// Where a body is in that row.
pose export_scene_pose(const export_scene *s, int body);
quat export_scene_turn(const export_scene *s, int body);
// How a vertex of a flexible body moves per unit of a mode, in the axes of the body.
vec3 export_scene_bend(const scene_body *b, int mode, int vertex);

#endif
