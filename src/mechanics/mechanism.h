// The two structs of mechanics. A `mechanism` is compiled once and never changes: bodies in a spanning tree of joints,
// loops closed by constraints, forces, drives. A `motion` holds the mutable state of one sim; many motions share one
// mechanism.
//
// Spatial vectors are in world axes and refer to the origin of their body: (angular, linear), six wide in space and
// three wide (θ, x, y) in the plane. Accelerations are plain time derivatives of these components, so that a body
// obeys  I A + bias = F  with classical accelerations and no frame is ever rotated inside the recursion.
#ifndef MECHANICS_MECHANISM_H
#define MECHANICS_MECHANISM_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/fields.h"
#include "base/crew.h"
#include "base/interrupt.h"
#include "math/linalg.h"
#include "math/sparse.h"
#include "mechanics/fault.h"
#include "mechanics/joint.h"

typedef struct mechanism mechanism;
typedef struct motion motion;
typedef struct force_type force_type;  // force.h
struct expr;
struct flexible_body;  // flexible.h
struct marker_shape;
struct flexible_link;
struct flexible_marker;

enum { GROUND = 0 };  // node 0 carries the world

// A frame on a body; the only thing joints, forces, constraints and sensors attach to.
typedef struct marker {
  const char *name;
  int body;
  pose local;                        // in the body's axes
  const struct marker_shape *shape;  // on a flexible body: how it moves with the modes; else null
} marker;

typedef struct body {
  const char *name;
  double mass;        // [kg]
  vec3 com;           // in the body's axes [m]
  double inertia[6];  // about the mass centre, in the body's axes: xx yy zz xy xz yz [kg·m²]
  int node;
  const struct flexible_body *flex;  // null if it is rigid
} body;

typedef struct joint {
  const char *name;
  const joint_type *type;
  joint_parameters parameters;
  int first, second;  // markers
  int node;           // the node it carries, or -1 when it closes a loop
  int constraint;     // the constraint that closes it, or -1
  bool watched;       // its coordinates are measured at every evaluation; not so for a loose joint nobody reads
  bool loose;         // it has clearance: contacts hold it, no constraint; its coordinates are measured
  int q, v;           // its coordinates and speeds in motion.joint_q, motion.joint_u
} joint;

// A node of the tree: one body, the joint that carries it, and where its freedoms stand.
typedef struct node {
  int parent, body, joint;  // joint -1: a free body of absolute coordinates
  const joint_type *type;
  joint_parameters parameters;
  bool reversed;  // the joint's second marker is on the parent's side
  bool inner_turned, outer_turned, outer_moved;
  bool plain;         // none of these four: most revolute joints
  bool hinge;         // a revolute joint, not reversed, whose markers have the same axes in their bodies
  int axis;           // of the parent, about which a hinge turns: 0 to 2, or -1 if it is none of them
  bool pivots;        // in space: a hinge at its body's origin, whose column has no linear part
  bool principal;     // its inertia has no products
  pose inner, outer;  // the joint's markers on the parent and on this body
  int q, v, nq, nv;
  const struct flexible_body *flex;  // null if its body is rigid
  int modes, modal_q, modal_v;       // modal coordinates and speeds, behind those of the joint
  bool modes_held;                   // its modes do not respond, as driven speeds do not: in assembly
  int last_speed;                    // the last of its speeds or, where it has none, of those towards ground; -1: none
  int free[JOINT_MAX_FREEDOM], free_count;  // speeds that are not driven, as offsets from v
  int factor;                               // where its block of the factorised mass matrix starts
  bool steady;  // its block D = L Lᵀ never changes: a free body in space whose mass centre and joint marker are at its
                // origin, and that carries none
  bool centred;    // a free body in the plane of which the same is true, with the axes of its joint's markers: its
                   // columns are unit vectors
  double half[7];  // of a steady one L⁻ᵀ: xx xy xz yy yz zz of the turn, and one for the way
  int base;        // its ancestor next to ground: nodes with different bases do not feel each other
  double mass;
  vec3 com, moment;   // the mass centre in the body's axes, and times the mass
  bool alone;         // a free body that carries none
  bool off_centre;    // it is one that is not joined to ground, and its coordinates are not those of its mass centre
                      // (centre.h):
  vec3 centre;        // that is here from the joint's marker, in the marker's axes
  double inertia[6];  // about the body's origin, in its axes
} node;

// A number that may depend on time and state, ready to evaluate.
typedef struct function {
  double constant;
  const struct expr *e;  // NULL for a constant or a call
  const int *signals;    // one per slot of e; slot 0 is always t
  int slot_count;
  void (*call)(void *context, double t, double *value);
  void *context;
} function;

// A signal that the model computes (control.h).
typedef struct computed {
  const char *name, *unit;  // of its expression; "" when it is not known
  function f;
} computed;

// Outputs that a C function gives from signals (control.h). Each sim binds its own function.
typedef struct callback {
  const char *name;
  const char *const *outputs;
  int output0, output_count;  // into motion.called
  const int *inputs;          // signals
  int input_count;
  double every;  // time between two calls, from 0 on; 0: at each evaluation [s]
} callback;

// A quantity with a rate, integrated with the motion (control.h).
typedef struct model_state {
  const char *name, *unit;  // without a name: of a force, which sets its rate itself
  function rate;
  double initial, scale;  // its size, for the absolute tolerance
  double low, high;       // limits; infinite if there are none
  const double *resets;   // times [s]
  int reset_count;
  double reset_to;
  double lag;  // of a force: its rate is (target - state)/lag [s]; 0 of a state with a rate of the model
} model_state;

// One coordinate of one joint.
typedef struct coordinate {
  int joint, index;
} coordinate;

// A drive prescribes one coordinate as a function of time.
typedef struct drive {
  const char *name;
  coordinate of;
  function f;
  int speed;  // the driven speed of the tree, or -1 when a constraint does it
  int constraint;
} drive;

// Dry friction along one coordinate of an ideal joint (dry_friction.h).
typedef struct joint_friction {
  coordinate of;
  double limit;        // of the effort, whatever the load [N or N·m]
  double coefficient;  // of the load; 0: none [-]
  double radius;       // of the pin it acts at [m]; 1 for a slide [-]
  double length;       // between the supports; 0: torques do not press [m]
  int drive;           // that moves the coordinate and so has to overcome it; -1: none
} joint_friction;

// --- constraints -----------------------------------------------------------------------------------------------------

// Φ = 0, Φ̇ = Σ J·V + Σ c u + Φ_t, Φ̈ = Σ J·A + Σ c u̇ + quad. The terms name bodies and speeds.
typedef struct row_body {
  int node;
  double J[6];
} row_body;

typedef struct row_speed {
  int speed;
  double c;
} row_speed;

typedef struct row {
  int body0, body_count;    // into motion.row_bodies
  int speed0, speed_count;  // into motion.row_speeds
  int base0, base_count;    // into motion.row_bases: the trees on ground it touches
  double phi, phi_t, quad;
  double rounding;  // of phi, whose terms may be far larger than itself; of a row that comes and goes: of quad
} row;

typedef struct constraint constraint;
typedef struct constraint_type {
  const char *name;
  // Fills the constraint's rows from positions and velocities.
  void (*evaluate)(const mechanism *m, motion *x, const constraint *c);
} constraint_type;

typedef struct couple_term {
  coordinate of;
  double factor;
} couple_term;

struct constraint {
  const char *name;
  const constraint_type *type;
  const char *kind;          // the word of the model, such as gear; NULL for that of a joint or drive
  part_id part;              // of the model: the constraint, or the joint or drive that it comes from
  int joint;                 // closed by it, or -1
  int first, second;         // markers
  const joint_row *rows;     // of a closure
  const couple_term *terms;  // of a couple: Σ factor q = f(t)
  int term_count;
  function f;  // of a couple or a distance
  int row0, row_count;
};

// --- forces ----------------------------------------------------------------------------------------------------------

typedef struct force force;

struct force {
  const char *name;
  const force_type *type;
  int first, second;                      // markers, or -1
  coordinate of;                          // of a force along a joint
  double stiffness[6], damping[6], rest;  // a bushing has six, the others one
  function f[3];                          // its components, or its effort and the limit of that
  double lag;                             // of a motor [s]
  int state;                              // of the model, by which it lags; -1: none
  bool in_marker_axes;
  int output;  // into motion.force_outputs
  void *context;
  void (*call)(void *context, double t, const double *inputs, double *outputs);
  const int *inputs;  // signals a callback reads
  int input_count;
};

// Rows that come and go, as those of contacts: how many there may be at once, and on which bodies.
typedef struct temporary_rows {
  int count;
  const bool *bodies;  // one per body; NULL if on none
  double moving_size,
      fixed_size;  // of the largest bounded surface on a moving body, and on ground; 0 if there is none [m]
} temporary_rows;

// --- the compiled mechanism ------------------------------------------------------------------------------------------

struct mechanism {
  bool planar, absolute;
  int n;  // block width: 3 or 6
  vec3 gravity;
  node *nodes;
  int node_count;  // 0 is ground; parents come first
  body *bodies;
  int body_count;  // 0 is ground
  marker *markers;
  int marker_count;
  joint *joints;
  int joint_count;
  constraint *constraints;
  int constraint_count;
  force *forces;
  int force_count;
  drive *drives;
  int drive_count;
  joint_friction *frictions;
  int friction_count;
  computed *computed;
  int computed_count;
  callback *callbacks;
  int callback_count, called_count;
  const int *control_order;  // in which they need each other: computed signals, and -1 - i for callback i that is
                             // called at each evaluation
  int control_count;
  model_state *states;
  int state_count;
  int nq, nv;              // of the state
  int *speed_node;         // the node of each speed
  int *speed_before;       // the next speed towards ground, or -1
  bool *driven;            // whether a drive prescribes it
  bool floats;             // some body hangs on nothing but joints with clearance, and so is free in the tree
  int joint_nq, joint_nv;  // of all joints, those that close loops included
  // So many joints come first, are in the tree and have their coordinates and speeds where the state has them.
  int leading, leading_nq, leading_nv;
  int row_count, row_body_count, row_speed_count;
  int redundant;   // constraint rows that depend on others at the start
  int extra_rows;  // rows that come and go for which a motion has room from the start: of frictions, and temporary ones
  int extra_speeds;  // terms on speeds that one of them has at most: one, or the modes of two bodies
  int factor_size, force_output_count;
  const struct signal *signals;
  int signal_count;
  // The pattern of G M⁻¹ Gᵀ by columns, and by base: which nodes matter to constraints.
  bool sparse;
  bool single;                           // every node has one speed
  bool off_centre;                       // some node is
  const struct response_kernels *small;  // of few speeds, for which M is written out (response.h); else null
  bool divides;          // M⁻¹ is asked for by divide and conquer (dca.h), in this order of assembly:
  struct dca_plan *dca;  // else null
  int *pattern_start, *pattern_row;
  int *base_start, *base_nodes;         // nodes of each base on the way to a constraint or a contact, parents first
  int *base_speed_start, *base_speeds;  // the speeds of these nodes
  bool *base_is_body;                   // the base is one free rigid body, as most are in a crowd
  int *speed_place;                     // of a speed among those of its base; -1: rows do not depend on it
  int base_count;
  const double *q0, *u0;   // initial state, assembled
  const double *joint_q0;  // the joints' coordinates there, turns counted
  double length;           // the size of the largest moving body, for tolerances [m]
  double total_mass;       // of all bodies, and of their inertias at that distance [kg]
};

// Work put in by drives and applied forces; losses in dampers, in pressed surfaces, along rubbing ones.
typedef enum power { POWER_DRIVE, POWER_APPLIED, POWER_DAMPER, POWER_CONTACT, POWER_FRICTION, POWER_COUNT } power;
typedef enum potential {
  POTENTIAL_GRAVITY,
  POTENTIAL_SPRING,
  POTENTIAL_STRAIN,
  POTENTIAL_CONTACT,
  POTENTIAL_COUNT
} potential;

// What moves of one node.
typedef struct tree_link {
  mat3 R;          // body axes in the world
  vec3 p;          // body origin
  double r[3];     // from the parent's origin to this one
  double V[6];     // velocity
  double c[6];     // acceleration relative to the parent that no u̇ stands for
  double A[6];     // acceleration
  double bias[6];  // velocity-dependent force, I A + bias = F
  double J[6];     // inertia at the body's origin in world axes: xx yy zz xy xz yz, in the plane zz first
  double mk[3];    // mass times the vector from the body's origin to its mass centre
  double IA[36];   // articulated inertia, its upper triangle
  double pA[6];    // articulated bias
  double F[6];     // applied wrench
} tree_link;

// What acts and what it accelerates, as signals show it: at one instant, or as means over a step. Its owner is the
// scheme, which fills it with dynamics_results; nothing else writes it.
typedef struct motion_result {
  double *udot;                 // one per speed
  double *joint_udot;           // one per speed of a joint
  double *lambda;               // one per constraint row
  double *reaction;             // six per joint: force, torque
  double *acceleration;         // six per body: of its origin, angular
  double *marker_acceleration;  // three per marker
  double *force_outputs;
  double *drive_effort, *drive_power;  // one per drive
  double *friction_effort;             // one per friction
  int *friction_slip;
} motion_result;

typedef enum motion_level {
  LEVEL_NONE,
  LEVEL_POSITION,
  LEVEL_VELOCITY,
  LEVEL_ACCELERATION,
  LEVEL_REACTION
} motion_level;

// One piece of memory, so that it is copied at once.
typedef struct motion_block {
  double *values;
  long count;
} motion_block;

// Three parts: the state and the results, which motion_copy copies, and the workspace, which is computed from the
// state.
struct motion {
  arena memory;

  // --- state: what a step depends on at its start. The arrays are in `state`.
  double t;
  double *q, *u;
  double *joint_q, *joint_u;  // of all joints; measured angles know their turns, which no other part of the state does
  // Time, coordinates and speeds of the joints at the last accepted state, from where turns are counted (coordinate.h).
  double accepted_t;  // NaN: none yet; turns are counted from the last evaluation
  double *accepted_q, *accepted_u;
  double *inner;    // beside coordinates and speeds: states of the model, then as many of forces as it was created for
  int inner_count;  // of both
  double *friction_effort;  // one per friction: what acts besides the forces; a scheme's to say
  int *friction_slip;       // 0 where it sticks, else the sign of its slip
  int most_rank;            // of the constraint rows away from singular positions (crossing.h); 0: not known
  double usual_nearness;    // where no singular position is close (crossing.h); 0: not known
  double *way;              // direction in which to leave a singular position from rest, one per speed
  double *drive_udot;       // given by drives at t, or as the mean over a step; one per speed (zero where none)
  double *called;           // outputs of callbacks
  double *sampled;          // when each one at a fixed rate was called last; -1: not yet [s]
  int *held;  // one per state of the model: -1 and 1 where it rests at its lower and its upper limit, else 0
  motion_block state;

  // --- results, in `results`
  motion_result result;
  motion_block results;

  // --- settings of the sim and of the scheme
  struct callback_binding *bindings;  // one per callback (control.h); of the sim, null if there are none
  interrupt *stop;                    // ends long factorisations early; of the sim, may be null
  const crew *crew;                   // shares loops over many bodies and rows; of the sim, may be null
  // Forces that a scheme adds to the model's own wherever these are applied: wrenches on links, potentials, powers,
  // rates of inner states. `refused` is set where they do not exist, or not yet. May be null.
  void (*push)(void *context, const mechanism *m, motion *x);
  void *push_context;
  // On which side of an instant at which they change (instant.h) functions of time are there: from just before to just
  // behind the last one they are behind it, up to the next they are before that.
  double last_t, from_t, to_t;
  double baumgarte_alpha, baumgarte_beta;

  // --- workspace
  motion_level level;  // what of it is up to date
  double *udot;
  double *tau;                      // applied along each speed
  double kept_t, *kept_q, *kept_u;  // see coordinate_keep_turns
  double *joint_udot;
  tree_link *links;
  struct flexible_link *flexible;            // one per node, used by flexible ones; null where no body is flexible
  struct flexible_marker *flexible_markers;  // one per marker, likewise
  double **carried;  // of each node that hangs on a flexible one: columns of the modes (flexible.h)
  double *S, *U;     // six per speed: joint columns, and IA S
  double *factor;    // Cholesky blocks
  double *reduced;   // D⁻¹ work, one per speed
  row *rows;         // the constraints', then those that come and go
  int row_total;
  int extra_rows;  // room for rows that come and go
  int rows_taken;  // of these, the first are known to the M written out
  row_body *row_bodies;
  row_speed *row_speeds;
  int *row_bases;
  double *lambda;
  struct response_work *response;  // M and W, factorised (response.h)
  struct dca_work *dca;            // by divide and conquer (dca.h), in this order of assembly; both null elsewhere
  const struct dca_plan *dca_plan;
  bool written_out;  // M is, at the present position; else it is factorised by recursion or not at all
  int rank;          // of the constraint rows, as factorised last
  double nearness;   // to a singular position: smallest length of an independent row, on unit rows; 1: at right angles
  double *beside;    // the state that crossing.c keeps while it visits neighbours, and sums over these
  double *row_work[4];
  double *speed_work[2];
  double *slots;  // of expressions
  double *force_outputs;
  double powers[POWER_COUNT];
  double potentials[POTENTIAL_COUNT];
  double kinetic;        // energy, and the gravity potential, known at the level of reactions
  double *drive_effort;  // one per drive
  double *inner_rate;
  double *computed;  // signals that the model computes
  bool refused;
  int bad_callback;   // one that has given a number that is not finite, from 1 on; 0: none
  int singular_node;  // the node whose inertia was singular, or 0
};

// With so many inner states of forces beside the states of the model. Null after reporting.
motion *motion_create(const mechanism *m, int force_states, carom_error *error);
void motion_destroy(motion *x);
// Copies state and results between two motions of one mechanism. The workspace of `to` is computed again when it is
// needed; its settings stay. Allocates nothing.
void motion_copy(motion *to, const motion *from);
// Room for so many rows that come and go. What is there already stays. Returns false if memory runs out.
bool motion_reserve_rows(const mechanism *m, motion *x, int extra);
bool motion_is_finite(const motion *x);  // its state and its results
// The state alone, to be put back: so many numbers.
long motion_state_size(const motion *x);
void motion_save_state(const motion *x, double *storage);
void motion_load_state(motion *x, const double *storage);
const double *motion_saved(const motion *x, const double *storage,
                           const double *array);  // an array of the state, as it was saved
// State and results as named fields.
void motion_fields(const mechanism *m, motion *x, fields *f);
// The constraint rows of a motion with the bodies, speeds and trees they touch, which never change.
void motion_lay_rows(const mechanism *m, motion *x, arena *memory);

#endif
