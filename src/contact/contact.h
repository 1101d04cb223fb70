// What can touch. A contact element (two surfaces, a joint with clearance, a joint's stop) has a fixed number of
// contact points; each has an identity that lasts, a gap, a frame, and rows on the speeds. Where places of contact come
// and go, a point is one of them while the features exist that make it, and absent while it stands for none
// (touches.h).
//
// A gap is positive while apart. The normal points from the second body to the first, so that a positive percussion
// pushes the first away; the gap's rate is n · (v_first - v_second) at the point.
#ifndef CONTACT_CONTACT_H
#define CONTACT_CONTACT_H

#include <math.h>

#include "contact/material.h"
#include "geometry/convex.h"
#include "geometry/outline.h"
#include "geometry/polyline.h"
#include "geometry/terrain.h"
#include "mechanics/flexible_boundary.h"
#include "mechanics/mechanism.h"

typedef struct contact_point {
  double gap;  // [m], of a turning stop [rad]
  int node_first,
      node_second;  // with `at` the anchors on both bodies; made when the point acts, since most points are far apart
  vec3 at;          // where its percussion acts on both bodies, in the world: one point, so that linear
                    // and angular momentum are kept whatever the gap [m]
  vec3 n, t[2];
  union {
    struct {
      vec3 apart;  // place of the first surface in the axes of the second, where a type needs it to see passages [m]
      double curvature[2];  // relative principal ones, the smaller first, where the stiffness follows from them [1/m]
    };
    flexible_spot spot[2];  // where it is on the boundaries of the element: of the first surface, and of the second
  };
  int speed;    // of a stop in the tree: its speed and sense, else -1
  bool absent;  // it stands for no place now: the gap is infinite or far beyond those of the others, the rest means
                // nothing; or it is the lowest point of a rim that is level, which has none, but is as high as others
  double sense;
} contact_point;

// Which features of two surfaces make a place of contact (corners, edges, triangles), in numbers of the element's type.
typedef struct contact_feature {
  int part[3];  // the first is not negative
} contact_feature;

// A place of contact that lasts while its features touch.
typedef struct contact_touch {
  contact_feature feature;  // places with the same one are told apart by their order
  double gap;
  vec3 at, n;
  flexible_spot spot[2];  // on boundaries of flexible bodies
} contact_touch;

typedef struct contact_element contact_element;
struct foundation_node;

// How common normals of smooth surfaces were found (separation.h).
typedef struct contact_searches {
  long count;       // of evaluations
  long iterations;  // of Newton's method, in all of them
  long fallbacks;   // evaluations that searched in all directions
} contact_searches;

// How fast the place and the normal of a point move: with the bodies, and over their surfaces.
typedef struct contact_travel {
  vec3 at, n;
  double slide[2];  // of its spots: how fast their parts change [1/s]
} contact_travel;

// The normal row on the speeds, the rate of the gap, the force pair along the normal, and whether the gap is an angle.
typedef struct contact_action {
  void (*add_normal)(const mechanism *m, motion *x, const contact_element *e, const contact_point *p);
  double (*gap_rate)(const mechanism *m, const motion *x, const contact_element *e);
  void (*push)(const mechanism *m, motion *x, const contact_element *e, double normal);
  bool (*turns)(const mechanism *m, const contact_element *e);
} contact_action;

enum { CONTACT_TEXT = 128, CONTACT_NAME = 256 };  // lengths of a message's part, and of a name

// Two surfaces that touch with an area: where they are nearest or deepest, and, where they overlap, what the elastic
// pressure does to the first body. It is the gradient of the energy; both are per stiffness.
typedef struct contact_overlap {
  double gap;              // [m]
  vec3 nearest, apart;     // place and direction of the gap: its rate is that of the surfaces there
  double energy;           // [m⁴]
  vec3 force, at, moment;  // the force acts at this place, and the moment is what is left of it there
  vec3 n;                  // direction of the force
  double share;            // this times depth times area is the part of the force that a part of the area has
} contact_overlap;

typedef void contact_visit(void *context, const struct foundation_node *node);

// Places of contact that come and go, for schemes that follow them in time and stop where they change. A place is held
// to its features: the gap and the normal of a point held to them are smooth functions of the positions, also a little
// beyond where the features end. The rate of the gap is that of the bodies at the point. One place of each element is
// its guard: the nearest points, whatever makes them. It is never held, and shows where a place appears that is not
// followed.
typedef struct contact_follow {
  // The places now, the guard first, at most as many as the element has points. Returns how many.
  int (*find)(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to);
  // Where a point is that is held to these features. Returns how far it is within them: zero a little beyond where they
  // end, infinite of the guard [m].
  double (*evaluate)(const mechanism *m, const motion *x, const contact_element *e, const contact_feature *f,
                     contact_point *p);
  // How this point moves at the present velocities. Not asked of the guard.
  contact_travel (*travel)(const mechanism *m, const motion *x, const contact_element *e, const contact_feature *f,
                           const contact_point *p);
} contact_follow;

typedef struct contact_type {
  const char *name;
  int point_count, point_count_planar;
  bool has_own_points;                        // one point per corner of its first shape; the counts above say nothing
  bool frictionless;                          // it has no surface to slide on
  bool reads_coordinate;                      // its gap is that of a coordinate of a joint, which must be up to date
  bool along_line;                            // its surfaces touch along a line in space too; in the plane all do
  bool (*is_flat)(const contact_element *e);  // flat faces or straight edges can lie on each other; may be null: no
  // Where its points are now. Null of a type whose places of contact come and go, which has `touches` instead.
  void (*evaluate)(const mechanism *m, const motion *x, const contact_element *e, contact_point *points);
  // The same from the normal of the last step, of a type with one point that finds it by iteration; a zero vector is no
  // start. Adds what it took to the count, which may be null. The normal differs by rounding alone. May be null.
  void (*evaluate_from)(const mechanism *m, const motion *x, const contact_element *e, vec3 start,
                        contact_searches *count, contact_point *point);
  // The places of contact, at most as many as the element has points. Returns how many.
  int (*touches)(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to);
  // The same in the axes of the second surface, with the first at this pose in them. Of a type whose `touches` is
  // contact_touches_by_pose; else null.
  int (*touches_at)(const contact_element *e, pose first, contact_touch *to);
  // Whether a place is a vanished one that has moved on to other features, as a ball from one triangle to the next. May
  // be null: never.
  bool (*continues)(const contact_feature *vanished, const contact_feature *place);
  const contact_follow *follow;  // of a type with `touches`; null: no scheme can follow them
  // How point k moves at the present velocities; null for a type with an action of its own, or if no scheme that asks
  // for it runs the type.
  contact_travel (*travel)(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                           int k);
  // Of surfaces that touch with an area (see foundation.h), null of others: their overlap, and its parts.
  void (*overlap)(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to);
  void (*visit)(const mechanism *m, const motion *x, const contact_element *e, const contact_overlap *o,
                contact_visit *each, void *context);
  // The gaps alone, the same numbers, where they are cheaper to have; NULL if evaluate gives them.
  void (*gaps)(const mechanism *m, const motion *x, const contact_element *e, double *gaps);
  // The least of them, the same number, where most steps look at no more; NULL if evaluate gives it.
  double (*least_gap)(const mechanism *m, const motion *x, const contact_element *e);
  // Which of its modes a set of active points is; names end with null. May be null if it has no modes.
  int (*mode)(const contact_element *e, const bool *active);
  const char *const *mode_names;
  const char *const *point_names,
      *const *point_names_planar;  // of an element with several points, in space and in the plane
  bool tells_following;            // mode 1 is an impact, and 2 the same as lasting contact
  void (*curvatures)(const contact_element *e, double radius[2]);  // see contact_curvatures; may be null
  bool curved;  // its curvatures depend on where it touches: evaluate gives them where the element asks
  // The least gap on the straight way between two places of the element, each given by its point with the least gap. On
  // the way, which takes `time` and ends where they are now, the bodies turn as fast as they do now. It need not be
  // exact above -graze. NULL if what lies behind a surface never comes out again.
  double (*nearest)(const mechanism *m, const motion *x, const contact_element *e, const contact_point *before,
                    const contact_point *after, double time, double graze);
  // What is wrong where it starts deeper than allowed, for messages.
  void (*tell_overlap)(const contact_element *e, double depth, char text[CONTACT_TEXT]);
  // Where its gap is not the distance of two surfaces along n at one point: how it acts on the speeds; else NULL.
  const contact_action *action;
} contact_type;

enum { CONTACT_POINTS_MAX = 64 };  // of one element

// What every step reads of each comes first, so that it lies together.
struct contact_element {
  const contact_type *type;
  int surface[2];     // of two surfaces, by number, the smaller first
  int first, second;  // markers
  int slot;           // its own, and the first of its points, in arrays by slot (state.h)
  int point0, point_count;
  bool told_backwards;  // the model names the second surface first: what is recorded is told from its side
  bool by_curvature;    // its stiffness follows from the curvatures at the point
  double span;          // the thickness of the thinner body, or the clearance; 0: neither is limited [m]
  double size_first[3], size_second[3];
  const convex *shape_first, *shape_second;       // of a pair of surfaces; null of a plane
  const struct flat *faces_first, *faces_second;  // of a pair with flat faces; else null
  contact_material material;
  const char *name;                                  // null of a pair that is not listed in the model: see contact_name
  const char *const *point_names;                    // of its own; null if those of the type
  const outline *outline_first, *outline_second;     // of a pair of outlines in the plane, else null
  const polyline *boundary_first, *boundary_second;  // of deforming boundaries; else null
  const terrain *terrain;                            // the second surface, of triangles; else null
  const terrain
      *terrain_first;  // the first of two meshes, or the mesh on a plane whose hull has too many corners; else null
  double clearance;
  double play;    // of a stop: half the way to the opposite one [m or rad]
  coordinate of;  // of a stop
  double limit, sense;
};

typedef struct contact_surface contact_surface;
typedef struct contact_crowd contact_crowd;

// What can touch in one model. Never changes.
typedef struct contact_world {
  const contact_element *elements;  // permanent: in every sim from its start to its end, with the first slots
  int element_count, point_count;
  const contact_surface *surfaces;
  int surface_count;
  const contact_crowd *crowd;  // pairs of surfaces that are found when they come near (crowd.h); null if all are listed
  int inner_count;             // states of friction laws, of all points
  long possible;               // pairs of surfaces that may touch, listed or not
  long neighbours;             // pairs that could touch, but a joint connects their bodies
  long nonexistent;            // pairs that may touch, but whose contact does not exist
  double activation;           // a point is active when its gap is at most this [m]
} contact_world;

// Pairs of surfaces have two of them; joints with clearance and stops none.
static inline bool contact_is_of_surfaces(const contact_element *e) { return e->surface[0] != e->surface[1]; }

// Places of contact come and go: what its points stand for changes with the motion.
static inline bool contact_points_change(const contact_element *e) { return e->type->touches != NULL; }

static inline bool contact_can_touch(const contact_world *w) { return w->element_count > 0 || w->crowd; }

// Within this gap surfaces touch, unless a model says otherwise [m].
static inline double contact_nearness(double length) { return 1e-10 * length; }

// A contact that slides slower than this counts as sticking in the ledger [m/s]: 1e-9 of the model's size in a second,
// the same for every scheme. Where a larger slip is left of one that should be none, by rounding or by a law that
// creeps, `unresolved` takes its place.
static inline double contact_still(const mechanism *m, double unresolved) {
  double still = 1e-9 * m->length;
  return unresolved > still ? unresolved : still;
}

// Where everything is now, one per point, without a memory of which point stood for which place. Positions must be
// known.
void contact_evaluate(const contact_world *s, const mechanism *m, const motion *x, contact_point *points);
// Appends the rows of a point to the motion's: the normal and, with friction, one tangent in the plane, two in space;
// where its material resists turning, one more in the plane, in space two along the tangents and one along the normal.
// Returns how many.
int contact_add_rows(const mechanism *m, motion *x, const contact_element *e, const contact_point *p);
void contact_add_normal(const mechanism *m, motion *x, const contact_element *e, const contact_point *p);  // it alone
// Sets the bias of the rows that contact_add_rows added for the element's point k from `row` on.
void contact_set_bias(const mechanism *m, motion *x, const contact_element *e, const contact_point *p, int k, int row);
// The same of a point that moves like this.
void contact_set_bias_by(const mechanism *m, motion *x, const contact_element *e, const contact_point *p,
                         const contact_travel *t, int row);
// For schemes with forces: the rate of the gap, the sliding velocity of the first body along the tangents, and a force
// pair on the bodies, apart along the normal and by `drag` on the first body along the tangents.
double contact_gap_rate(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p);
// That rate, and the sliding velocity with it; zero where there is no surface to slide on.
double contact_rates(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                     double slip[2]);
void contact_slip(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                  double slip[2]);
// The angular velocity of the first body against the second, along the tangents and the normal; in the plane the first
// is all there is. And a pair of moments on the bodies along them, as on the first.
void contact_turn(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                  double turn[3]);
void contact_twist(const mechanism *m, motion *x, const contact_element *e, const contact_point *p,
                   const double moment[3]);
void contact_push(const mechanism *m, motion *x, const contact_element *e, const contact_point *p, double normal,
                  const double drag[2]);
// The rows of the permanent points, if they all touched, and the bodies on which there may be rows.
temporary_rows contact_rows_of(const contact_world *s, const mechanism *m, arena *memory);
int contact_inner_count(const mechanism *m, const contact_element *e);  // states of each point's friction law
bool contact_turns(const mechanism *m, const contact_element *e);       // its gap is an angle
static inline bool contact_rubs(const contact_element *e) { return !e->type->frictionless && e->material.friction > 0; }
// What a record knows a point by. Those of permanent elements are numbered from 0, those of other pairs come behind, so
// many for each pair of surfaces.
double contact_point_id(const contact_world *w, const contact_element *e, int k);
// The name of an element. Returns `text` if it has none of its own: then the names of its surfaces.
const char *contact_name(const contact_world *w, const contact_element *e, char text[CONTACT_NAME]);
// The same of a pair by the number of its first point (contact_point_id).
const char *contact_pair_name(const contact_world *w, double id, char text[CONTACT_NAME]);
// Which of its points it is, in words: "corner +x -y". Empty when it has only one.
const char *contact_point_name(const mechanism *m, const contact_element *e, int k);
// A step that first finds a point deeper than this has leapt over impacts: deeper than the thinner body or the
// clearance, than half the way between two stops, or, where nothing is limited, than the size of the mechanism [m or
// rad].
double contact_leap(const mechanism *m, const contact_element *e);
double contact_thickness(const contact_element *e);  // deeper than this a body has gone through; infinite: never [m]
// Its material resists turning: rolling, in space also spinning.
static inline bool contact_rolls(const contact_element *e) {
  return e->material.resists_turning && !e->type->frictionless;
}
// Of each of its points: the normal and the tangents; and all, with those that resist turning.
static inline int contact_sliding_rows(const mechanism *m, const contact_element *e) {
  return !contact_rubs(e) && !contact_rolls(e) ? 1 : m->planar ? 2 : 3;
}
static inline int contact_row_count(const mechanism *m, const contact_element *e) {
  return !contact_rolls(e) ? contact_sliding_rows(m, e) : m->planar ? 3 : 6;
}

// The radii of curvature of the first and the second surface where they touch [m]: positive where a surface is bulged,
// negative where it is hollow (a bearing around its journal), CONTACT_FLAT of a plane, CONTACT_SHARP of a corner or
// point. Of a journal in space they are those of its ends, not of its shoulders. Returns false, and both sharp, if the
// element has no surfaces (a stop).
bool contact_curvatures(const contact_element *e, double radius[2]);
// The stiffness of an element by curvature. Returns false where a curvature is zero or infinite, as at the poles and
// edges of a superellipsoid or on a rim, beyond 1e±6 of the thickness of the thinner body: the bound then takes its
// place.
bool contact_stiffness(const contact_element *e, const contact_point *p, double *stiffness);
#define CONTACT_FLAT  INFINITY
#define CONTACT_SHARP 0.0

extern const contact_type contact_stop;  // a limit of a joint's coordinate

// --- surfaces --------------------------------------------------------------------------------------------------------

typedef enum shape {
  SHAPE_BOUNDARY,
  SHAPE_POINT,
  SHAPE_SPHERE,
  SHAPE_ELLIPSOID,
  SHAPE_SUPERELLIPSOID,
  SHAPE_CAPSULE,
  SHAPE_BOX,
  SHAPE_CYLINDER,
  SHAPE_CONE,
  SHAPE_HULL,
  SHAPE_OUTLINE,
  SHAPE_TERRAIN,
  SHAPE_MESH,
  SHAPE_PLANE,
  SHAPE_COUNT
} shape;

// Whether two shapes have a contact at all. Two points never meet. The material below a plane or a height field has no
// end, so that two of them overlap wherever they stand. A mesh and a height field do not touch.
bool contact_exists(shape a, shape b);

struct contact_surface {
  const char *name;
  const char *kind;  // its word in a model file, for messages
  shape shape;
  int marker;
  double size[3];
  const convex *form;  // by its support mapping; null of a plane. Of a mesh its hull, null if that has too many corners
                       // or no thickness
  const struct flat *faces;         // of a box or hull; null of other shapes
  const char *const *corner_names;  // of a hull
  double reach;                     // see contact_surface_reach [m]
  double thickness;                 // that a step must not pass over; infinite if there is none [m]
  const outline *outline;           // in a planar model; null if it has none
  const terrain *terrain;           // of a surface of triangles, else null
  const polyline *boundary;         // of the boundary of a flexible body, whose vertices move with it; else null
};

// What is in an element from its two surfaces: all but its name and material. Their contact must exist.
contact_element contact_pair(const mechanism *m, const contact_surface *a, const contact_surface *b);

// A boundary may reach so much farther than undeformed: beyond that its body is far outside linear elasticity.
#define CONTACT_BOUNDARY_GROWTH 1.2

// Where a surface may be: the radius of a ball around its marker that holds it, infinite if it has no bounds, and how
// far it extends from there along the axes of the world if its own are R. A half space is what lies behind a plane.
double contact_surface_reach(const contact_surface *s, bool planar);
vec3 contact_surface_extent(const contact_surface *s, const mat3 *R);

// Half the longest side of the box around a bounded surface in its own axes, and the middle of this box.
double contact_surface_half(const contact_surface *s, bool planar, vec3 *middle);

static inline bool contact_is_half_space(const contact_surface *s) { return s->shape == SHAPE_PLANE; }

#endif
