// Contact types of pairs of surfaces, and what several of them share. The table of surfaces.c says which pair has
// which.
#ifndef CONTACT_PAIRS_H
#define CONTACT_PAIRS_H

#include "contact/contact.h"
#include "geometry/separation.h"
#include "geometry/terrain.h"
#include "mechanics/marker.h"

extern const contact_type contact_sphere_box, contact_point_box;
extern const contact_type contact_smooth_pair, contact_smooth_plane;  // by the common normal
extern const contact_type contact_capsule_capsule;
extern const contact_type contact_flat_pair;          // boxes and hulls
extern const contact_follow contact_follow_flat;      // how they are followed
extern const contact_follow contact_follow_outlines;  // the same of outlines of lines and arcs
extern const contact_type contact_edge_pair;          // other shapes with faces or lines
extern const contact_type contact_capsule_plane, contact_hull_plane, contact_cylinder_plane, contact_cone_plane,
    contact_mesh_plane;
extern const contact_type contact_outlines, contact_sphere_terrain, contact_shape_terrain, contact_mesh_mesh;

extern const contact_type contact_boundaries, contact_boundary_outline;  // of flexible bodies

// Sets the boundaries of an element of one of these types, its type on a plane, and its number of points.
void contact_set_boundaries(contact_element *e, const contact_surface *first, const contact_surface *second);

// The type of a pair of surfaces under a scheme with force laws, by its material; sets what it needs.
void contact_set_law_type(const mechanism *m, const contact_surface *a, const contact_surface *b, contact_element *e);

// For the types of surfaces that touch with an area: their point, and where two outlines are nearest.
void contact_evaluate_area(const mechanism *m, const motion *x, const contact_element *e, contact_point *p);
void contact_nearest_outlines(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to);
// The type of those that press into a field of depth; sets what it needs. Returns null if there is none.
const contact_type *contact_depth_type(const mechanism *m, const contact_surface *first, const contact_surface *second,
                                       contact_element *e);

// Under force laws a point touches a concave outline where it is nearest alone: inside it is as well below other sides.
// Returns false and leaves the element as it is if it is no such pair.
bool contact_set_nearest(contact_element *e);

// Chooses the type and the number of points of an element of type contact_outlines.
void contact_set_outlines(contact_element *e, const outline *first, const outline *second);

// Sets the faces of an element of type contact_flat_pair, and its number of points by these.
void contact_set_faces(contact_element *e, const struct flat *first, const struct flat *second);
// The same of type contact_edge_pair, whose shapes must be set; null of a shape without faces.
void contact_set_facets(contact_element *e, const struct flat *first, const struct flat *second);
// Sets the triangles of an element of type contact_mesh_mesh, and how thick it is.
void contact_set_meshes(contact_element *e, const terrain *first, const terrain *second);
double contact_mesh_thickness(const terrain *t);  // against another mesh
// Places of contact of shapes with flat faces: where a manifold has a point, and the nearest points.
struct manifold_point;
struct separation;
contact_touch contact_touch_at_corner(const struct manifold_point *p, vec3 n);
contact_touch contact_touch_at_nearest(const struct separation *s, vec3 n);
// Of crossings: an edge that slides over a corner crosses the next edge there.
bool contact_crossing_continues(const contact_feature *vanished, const contact_feature *place);
// Of one face.
int contact_most_corners(const struct flat *f);

// What outlines of several surfaces have at most.
typedef struct outline_bounds {
  int curved, corners;        // curves and corners of one; corners of a polygon that has one point for each on a plane
  bool concave, flat, plane;  // at least one is
} outline_bounds;

// Outlines of the same sort have the same type of contact with others.
int contact_outline_sort(const outline *o);
void contact_outline_include(outline_bounds *b, const outline *o);
// Two of them, one of each, have no more points than this.
int contact_outlines_most(const outline_bounds *a, const outline_bounds *b);

// The `is_flat` of types whose surfaces always have flat faces.
bool contact_is_flat(const contact_element *e);

// For messages: "surfaces overlap by ...".
void contact_tell_surfaces(const contact_element *e, double depth, char text[CONTACT_TEXT]);

// "point 1" and so on, of types whose points have no better names.
extern const char *const contact_point_numbers[CONTACT_POINTS_MAX];

// The `curvatures` of a corner on a face.
void contact_corner_curvatures(const contact_element *e, double radius[2]);

static inline vec3 contact_plane_normal(const mechanism *m, const marker_place *plane) {
  return mat3_column(plane->R, m->planar ? 1 : 2);
}

// Of the place `at` where it belongs to the body of the marker.
static inline vec3 contact_velocity_at(const marker_state *s, vec3 at) {
  return vec3_add(s->v, vec3_cross(s->w, vec3_sub(at, s->p)));
}

// The place of the first surface in the axes of the second.
static inline vec3 contact_apart(const marker_place *a, const marker_place *b) {
  return mat3_tmul(b->R, vec3_sub(a->p, b->p));
}

// How the first body turns relative to the second in the time, in the axes of the second, at the present velocities.
// And its axes R in these axes before the last part of this turn.
vec3 contact_turn_in(const mechanism *m, const motion *x, const marker_place *a, const marker_place *b, double time);
mat3 contact_turned_back(mat3 R, vec3 turn, double part);

// The least of a gap on the way between two places; `left` is the part of the way that is left there, for the turn.
// Without turns it is a convex function of the place, and changes by no more than the place does; `swing` is how much
// more it may change by the turn.
typedef double contact_gap_at(const void *context, vec3 apart, double left);
double contact_least_gap(contact_gap_at *gap, const void *context, const contact_point *before,
                         const contact_point *after, double swing, double graze);
// The way of the farthest point of a shape in a turn, zero if it is small beside every thickness.
double contact_swing(const convex *shape, vec3 turn);
// The same without what an inexact turn makes of it: bodies that turn about a corner seem to overlap on their way, by
// as much as they would have where they came from. contact_least_gap has seen to it.
double contact_without_turn(contact_gap_at *gap, const void *context, const contact_point *before, double least,
                            double graze);
// The `nearest` of two convex shapes in space.
double contact_nearest_of_shapes(const mechanism *m, const motion *x, const contact_element *e,
                                 const contact_point *before, const contact_point *after, double time, double graze);

// --- surfaces of triangles, in their axes; the first shape of the element is convex ---

typedef struct contact_nearest_triangle {
  double distance;  // negative: the shape and the triangle overlap
  vec3 at, n;       // on the triangle, and towards the shape
  terrain_triangle triangle;
} contact_nearest_triangle;

// Returns false if there is none.
bool contact_find_nearest_triangle(const contact_element *e, pose a, contact_nearest_triangle *to);

// The `nearest` of types on triangles.
double contact_nearest_on_triangles(const mechanism *m, const motion *x, const contact_element *e,
                                    const contact_point *before, const contact_point *after, double time, double graze);

#endif
