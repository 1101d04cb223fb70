// The parts of a model as C structs. The reader of model files fills them; a program can fill them itself.
// Always start from the default (carom_body_default() and so on): the default of a field is not always zero.
#ifndef CAROM_DEFINE_H
#define CAROM_DEFINE_H

#include <stdbool.h>
#include "carom/export.h"
#include "carom/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_names {
  const char *const *items;
  int count;
} carom_names;

typedef struct carom_numbers {
  const double *items;
  int count;
} carom_numbers;

typedef struct carom_points {
  const double (*items)[3];  // in a planar model z is 0
  int count;
} carom_points;

// A number that may depend on time and state. In order of precedence: a C function, an expression, a constant.
typedef struct carom_function {
  double constant;
  const char *text;  // expression over t and signals such as `crank.q`; may be null
  // May be null. Sets value[0]. A function that prescribes a motion or a length also sets its rate value[1] and its
  // acceleration value[2].
  void (*call)(void *context, double t, double *value);
  void *context;
  const void *origin;  // place of the text in the model file; null in a program
} carom_function;

typedef struct carom_functions {
  const carom_function *items;
  int count;
} carom_functions;

#define CAROM_CONSTANT(x)   ((carom_function){.constant = (x)})
#define CAROM_EXPRESSION(s) ((carom_function){.text = (s)})

typedef enum carom_space { CAROM_SPATIAL, CAROM_PLANAR } carom_space;
typedef enum carom_coordinates { CAROM_JOINT, CAROM_ABSOLUTE } carom_coordinates;
// How accelerations follow from forces: in the order of the tree, or by assembling bodies in pairs.
typedef enum carom_response { CAROM_RESPONSE_AUTOMATIC, CAROM_RESPONSE_DIVIDE } carom_response;

// The whole model.
typedef struct carom_model_def {
  const char *title, *source;
  int space;          // carom_space
  int coordinates;    // carom_coordinates
  int response;       // carom_response
  double gravity[3];  // [m/s²]
  double end;         // time to run to [s]
  const char *take;   // what a row of a sweep keeps: `take` of carom_sweep_options; may be null
} carom_model_def;

// A shape of a body: for drawing, and for its mass where a density is given. Shape kinds: link box sphere cylinder disc
// capsule cone ellipsoid superellipsoid hull polygon mesh.
typedef struct carom_shape_def {
  const char *kind;
  double at[3];        // centre in body axes; for a link its first end [m]
  double rotate[4];    // box, ellipsoid, superellipsoid, hull, polygon, mesh: unit quaternion (w, x, y, z)
  double axis[3];      // cylinder, disc, capsule, cone
  carom_numbers to;    // link: second end, or one number, its length along x [m]
  double size[3];      // box: edges along its axes; ellipsoid, superellipsoid: half axes [m]
  double radius;       // sphere, disc [m]
  carom_numbers span;  // cylinder, capsule, cone: radius and length, of a capsule between the centres of its caps [m]
  carom_numbers exponents;  // superellipsoid: two [-]
  carom_points points;      // hull: any points of it; polygon: its corners in turn [m]
  const char *file;         // mesh; hull instead of points: an STL or OBJ file, relative to the model file
  double scale;             // of a file: length of one of its units [m]
  bool flip;                // mesh: turn every triangle round
  double density;           // 0 for that of the body [kg/m³]
  double thickness;         // in a planar model; 0 for that of the body. In a spatial one of a disc [m]
  bool massless;            // does not count for the mass of the body
  const char *material;     // it is a contact surface too, of this material; may be null
  const void *origin;       // place of the shape in the model file; null in a program
  double width;             // link; 0 chooses a width from its length [m]
} carom_shape_def;

// The cross section of a beam: numbers, or functions of x along the beam and its length L.
typedef struct carom_section_def {
  carom_function area;           // [m²]
  carom_function second_moment;  // ∫y² dA, which resists bending along y [m⁴]
  carom_function second_moment_z;  // in space: ∫z² dA, which resists bending along z; not given: as second_moment [m⁴]
  carom_function torsion;          // in space: torsion constant; not given: sum of both second moments [m⁴]
  carom_function shear_area;       // timoshenko: area that carries shear; not given: 5/6 of the area [m²]
} carom_section_def;

typedef enum carom_beam_theory { CAROM_EULER_BERNOULLI, CAROM_TIMOSHENKO, CAROM_ROD } carom_beam_theory;

// A straight flexible beam along the x axis of its body, from 0 to its length.
typedef struct carom_beam_def {
  double length;  // [m]
  carom_section_def section;
  double young;        // [Pa]
  double poisson;      // [-]
  double density;      // [kg/m³]
  const char *solid;   // instead of these three: a solid that has them; may be null
  int theory;          // carom_beam_theory
  int elements;        // into which it is divided, evenly but for nodes at its markers
  const void *origin;  // places of its keys in the model file; null in a program
} carom_beam_def;

typedef enum carom_plane { CAROM_PLANE_STRESS, CAROM_PLANE_STRAIN } carom_plane;

// Where the mesh of a planar solid is finer.
typedef struct carom_refine_def {
  carom_points at;  // places [m]
  double size;      // of sides of triangles there; 0 for none [m]
  double growth;    // of this size with the distance from the nearest place [-]
} carom_refine_def;

// A flexible planar solid, meshed with triangles of six nodes: a disc or a rectangle about the origin of its body, or a
// polygon. Or a mesh of gmsh.
typedef struct carom_solid_2d_def {
  double disc;              // radius [m]
  carom_numbers rectangle;  // width along x and height along y [m]
  carom_points polygon;     // its corners in turn [m]
  const char *mesh;         // file of gmsh, text of version 4.1 or 2.2
  double scale;             // length of one unit of that file [m]
  int elements;             // rings of a disc; else cells along the longer side of the shape
  carom_refine_def refine;
  double thickness;    // [m]
  double young;        // [Pa]
  double poisson;      // [-]
  double density;      // [kg/m³]
  const char *solid;   // instead of these three: a solid that has them; may be null
  int plane;           // carom_plane
  carom_names attach;  // sides and stretches that markers at their middles follow as a whole; may be empty
  const void *origin;  // places of its keys in the model file; null in a program
} carom_solid_2d_def;

typedef enum carom_matrix_format { CAROM_MATRIX_MARKET, CAROM_CALCULIX } carom_matrix_format;

// A flexible body in space from mass and stiffness matrix of another program, with three displacements per node.
typedef struct carom_finite_elements_def {
  const char *matrices;  // the files without their endings
  int format;            // carom_matrix_format
  double length;         // unit of the places of nodes [m]
  double mass;           // unit of the mass matrix, and times 1/s² of the stiffness matrix [kg]
  carom_names attach;    // sets of nodes that markers follow; may be empty
  carom_names loads;     // load cases, for its geometric stiffness; may be empty
  const void *origin;    // places of its keys in the model file; null in a program
} carom_finite_elements_def;

// Whether loads along a flexible body and its rotation change how it bends. With automatic a beam has it, a planar
// solid does not, and imported matrices do if they have load cases.
typedef enum carom_geometric_stiffness {
  CAROM_GEOMETRIC_NO,
  CAROM_GEOMETRIC_YES,
  CAROM_GEOMETRIC_AUTOMATIC
} carom_geometric_stiffness;

typedef enum carom_support { CAROM_CLAMPED, CAROM_FREE, CAROM_CRAIG_BAMPTON } carom_support;
typedef enum carom_interface_loads { CAROM_LOADS_NORMAL, CAROM_LOADS_ALL } carom_interface_loads;

// In which shapes a flexible body deforms: eigenmodes with static modes, or given functions of x and L.
typedef struct carom_modes_def {
  int count;                     // of eigenmodes
  int support;                   // carom_support of the eigenmodes
  bool static_modes;             // also the deformations under loads at the markers where something attaches
  carom_names interface;         // contact places: markers, sides of the shape and stretches of the body
  int interface_loads;           // carom_interface_loads of sides and stretches: along normals, or along all axes
  double interface_tolerance;    // compliance below which static modes of a stretch are left out, of the largest [-]
  carom_functions axial;         // displacements along x per metre [-]
  carom_functions transverse;    // along y
  carom_functions transverse_z;  // along z, in space
  carom_functions twist;         // turns about x per radian, in space
  const void *origin;            // places of its keys in the model file; null in a program
} carom_modes_def;

// A named stretch of the boundary of a flexible body: a side of its shape, or a part of one.
typedef struct carom_stretch_def {
  const char *name;
  const char *side;       // `rim`; `bottom`, `right`, `top`, `left`; `side1`, `side2`, ... of a polygon
  carom_numbers angles;   // none, or the first and the last angle about the origin, counter-clockwise [rad]
  carom_numbers between;  // none, or first and last distance from the start of a straight side [m]
  const void *origin;     // places of its keys in the model file; null in a program
} carom_stretch_def;

// Structural damping: a ratio for every mode, or D = mass M + stiffness K.
typedef struct carom_structural_damping_def {
  double ratio;        // of critical damping, of every mode [-]
  double mass;         // [1/s]
  double stiffness;    // [s]
  const void *origin;  // places of its keys in the model file; null in a program
} carom_structural_damping_def;

typedef struct carom_body_def {
  double mass;                    // [kg]
  double inertia[6];              // about the mass centre in body axes: xx yy zz xy xz yz; planar: zz [kg·m²]
  double com[3];                  // mass centre in body axes [m]
  double density;                 // 0, or the mass, mass centre and inertia follow from the shapes [kg/m³]
  const char *solid;              // name of a solid that gives the density; may be null
  double thickness;               // of the shapes in a planar model with a density [m]
  const carom_shape_def *shapes;  // may be null; the body is then drawn from its joints and surfaces
  int shape_count;
  const carom_beam_def *beam;          // the body is flexible, and its mass follows from the beam; may be null
  const carom_solid_2d_def *solid_2d;  // the same for a planar solid
  const carom_finite_elements_def *finite_elements;  // the same for imported matrices
  const carom_modes_def *modes;                      // of a flexible body
  const carom_stretch_def *stretches;                // of its boundary; may be null
  int stretch_count;
  const carom_structural_damping_def *damping;  // of a beam; null for none
  int geometric_stiffness;                      // carom_geometric_stiffness of a flexible body
} carom_body_def;

typedef struct carom_marker_def {
  const char *on;    // body
  double at[3];      // in body axes [m]
  double rotate[4];  // orientation in body axes, unit quaternion (w, x, y, z)
} carom_marker_def;

// Joint kinds: revolute prismatic cylindrical universal spherical planar screw point free fixed.
typedef struct carom_joint_def {
  const char *between[2];  // bodies or markers; q is the pose of the second relative to the first
  double at[3], to[3];     // point of the joint on the first and on the second [m]
  double axis[3];          // axis of the joint in the axes of the first
  double axis_to[3];       // and in the axes of the second; all zero for the same components
  double pitch;            // screw: advance per full turn [m]
  double clearance;  // revolute, prismatic, spherical; 0: an ideal joint, else contact replaces the constraint [m]
  double axial_clearance;                  // spatial revolute joint with clearance; 0 means equal to `clearance` [m]
  double radius;                           // of a journal or ball with clearance, or of a pin with friction [m]
  double length;                           // of a journal or slider along the axis, with clearance or friction [m]
  double width, height;                    // of a slider with clearance; a height of 0 means equal to the width [m]
  double friction_torque, friction_force;  // dry friction of an ideal joint, independent of load: [N·m], [N]
  double friction;                         // friction coefficient of an ideal joint, multiplied by the joint load [-]
  carom_numbers limits;  // joint with one coordinate: lowest and highest value, where the stops are [rad] or [m]
  const char *material;  // of the clearance or the stops
} carom_joint_def;

// A normal law written by the user. Returns the force [N] for a penetration [m], its rate [m/s] and the approach speed
// at first contact [m/s].
typedef double carom_user_law(void *context, double delta, double rate, double approach);

typedef enum carom_restitution { CAROM_NOMINAL, CAROM_ACHIEVED } carom_restitution;

// Contact properties of a pair of surfaces. Methods with rigid contact use the three coefficients; continuous contact
// also uses the laws.
typedef struct carom_material_def {
  double restitution;             // Newton's coefficient [-]
  int restitution_is;             // carom_restitution: nominal is put into the law's formula, achieved is what results
  double tangential_restitution;  // [-]
  double friction;                // Coulomb's coefficient [-]
  double rolling_friction;        // largest moment against rolling over the normal force [m]
  double spinning_friction;       // the same against turning about the normal; spatial models [m]
  const char *law;                // of the normal force
  double stiffness;               // 0 to compute it from the solids [N/mⁿ]
  double foundation;              // stiffness per area of flat faces that touch; 0: none [N/m³]
  double exponent;                // n; 0 stands for the default of the law [-]
  double damping;                 // law kelvin-voigt [N·s/m]
  bool pulls;                     // keep negative forces of the formula; otherwise they are set to zero
  carom_function force;           // law `expression`: over delta, rate, approach; its `call` is not used
  carom_user_law *call;           // replaces `force`; may be null
  void *context;
  carom_names solid;             // one name for both surfaces, or two: of the first and the second
  carom_numbers young, poisson;  // instead of `solid`: one or two numbers each [Pa], [-]
  double length;                 // length of a line contact [m]
  const char *friction_law;
  double static_friction;      // 0 means equal to `friction` [-]
  double v0, v1;               // speeds of the regularisation [m/s]
  double stribeck;             // speed of Stribeck's curve [m/s]
  double stribeck_exponent;    // [-]
  double viscous;              // [N·s/m]
  double bristle_stiffness;    // per newton of load [1/m]
  double bristle_damping;      // per newton of load [s/m]
  double dahl_exponent;        // [-]
  carom_function coefficient;  // friction law `expression`: over speed and fn
} carom_material_def;

// An elastic solid.
typedef struct carom_solid_def {
  double young;    // [Pa]
  double poisson;  // [-]
  double density;  // [kg/m³]
} carom_solid_def;

// Surface kinds: point sphere capsule box cylinder cone ellipsoid superellipsoid hull plane.
typedef struct carom_surface_def {
  const char *on;    // body or marker
  double at[3];      // in its axes [m]
  double rotate[4];  // unit quaternion (w, x, y, z)
  double radius;     // sphere, in a planar model a circle; capsule, cylinder, base of a cone [m]
  double length;     // capsule: between the centres of its ends; cylinder; height of a cone [m]
  double size[3];    // box: edges along its axes; ellipsoid, superellipsoid: semi-axes [m]
  // Superellipsoid, e1 and e2 of: (|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) = 1 [-].
  carom_numbers exponents;
  carom_points points;  // hull; polygon: its corners in turn; curve: points on it; arcs: where one meets the next [m]
  const char *file;     // mesh: STL or OBJ file; may be null
  double scale;         // mesh: length of one unit of the file [m]
  bool flip;            // mesh: turn every triangle round
  carom_numbers triangles;  // mesh without a file: three numbers of points, from 1 on, for each
  carom_numbers heights;    // height_field: over a grid in x and y, row after row along x [m]
  int columns;              // height_field: heights in a row
  carom_numbers spacing;    // height_field: distance of the heights along x and y, one number or two [m]
  carom_function x, y;      // curve, instead of points: its coordinates over s, from 0 to 1 around it [m]
  carom_numbers radii;      // arcs: one per point, of the arc from it to the next; negative: hollow, 0: straight [m]
  const char *side;         // boundary: a side, stretch or group of the body's boundary; null: all of it
  double thickness;         // boundary of a beam: distance of its sides; 0: that of a rectangular section [m]
  const char *material;
  const char *group;  // name of a group that contacts can refer to; may be null
} carom_surface_def;

typedef struct carom_contact_def {
  const char *between[2];  // surfaces, or groups of them
  const char *material;    // may be null; the surfaces then have one
  bool exclude;            // contact between these two is ignored
} carom_contact_def;

// Constraint kinds: distance inline inplane gear rack couple.
typedef struct carom_constraint_def {
  const char *between[2];  // markers or bodies; for gear and rack: joint coordinates
  carom_names of;          // couple: joint coordinates
  carom_numbers factors;   // couple: one factor per coordinate
  carom_numbers teeth;     // gear: number of teeth of both wheels, negative for an internal gear
  double radius;           // rack: radius of the pinion [m]
  carom_function value;    // distance: its length [m]; gear, rack and couple: the right-hand side
} carom_constraint_def;

typedef enum carom_frame { CAROM_WORLD, CAROM_MARKER } carom_frame;

// Input: time t and the signals in `inputs`, in the order in which they are named. Output: force and torque on the
// marker in world axes (six numbers), or output[0], the effort along a joint.
typedef void carom_user_force(void *context, double t, const double *inputs, double *output);

// Force kinds: spring along motor bushing force torque user.
typedef struct carom_force_def {
  const char *between[2];   // spring, bushing: markers or bodies
  const char *on;           // force, torque, user: marker or body
  const char *joint;        // along, motor: the joint coordinate, `hinge` or `cylinder.q1`
  carom_numbers stiffness;  // one number; a bushing takes one, two (translation, rotation) or six
  carom_numbers damping;
  double rest;            // length or coordinate at which the force is zero [m] or [rad]
  carom_function effort;  // spring: positive pushes apart; along, motor: positive increases the coordinate
  carom_function limit;   // motor: largest effort in both directions; 0 for none [N] or [N·m]
  double lag;             // motor: time constant with which its effort follows; 0 for none [s]
  carom_function components[3];
  int frame;               // carom_frame in which the components are given
  carom_user_force *call;  // kind user
  void *context;
  carom_names inputs;  // kind user: signals that are passed to `call`
} carom_force_def;

typedef enum carom_table_type {
  CAROM_TABLE_LINEAR,
  CAROM_TABLE_MONOTONE,
  CAROM_TABLE_NATURAL,
  CAROM_TABLE_CLAMPED
} carom_table_type;

// A function of one variable from points, which expressions call by its name. Held beyond its ends.
typedef struct carom_table_def {
  int type;              // carom_table_type
  carom_numbers points;  // x1 y1 x2 y2 ...; x increases
  const char *file;      // CSV file instead of points; may be null
  carom_names columns;   // of the file: names from its first line, or numbers from 1 on; empty for the first two
  carom_names units;     // of these columns; empty for those of the file, else SI
  carom_numbers slopes;  // of type clamped, at the first and the last point; empty for zero
} carom_table_def;

// A quantity with a rate, integrated with the motion.
typedef struct carom_state_def {
  carom_function rate;  // per second; over t, positions, velocities, states and signals of the section `signals`
  double initial;
  carom_numbers limits;    // lowest and highest value, where it rests while its rate points outwards; empty: none
  carom_numbers reset_at;  // times at which it is set to reset_to [s]
  carom_numbers reset_to;  // one number; empty for `initial`
  double scale;            // its size, for the absolute tolerance
  const char *unit;        // for columns and checks; may be null
} carom_state_def;

// Outputs from a C function that each sim binds with carom_sim_bind. An output has the name `callback.output`.
typedef struct carom_callback_def {
  carom_names inputs;  // signals that are passed to it: t, positions, velocities, states, signals
  carom_names outputs;
  double every;  // time between two calls, from 0 on; 0 for a call at each evaluation [s]
} carom_callback_def;

typedef struct carom_drive_def {
  const char *joint;      // the driven coordinate: `hinge`, or `cylinder.q1`
  carom_function motion;  // its value as a function of time [rad] or [m]
} carom_drive_def;

// Initial values. For a joint: q and u, or a rough guess of q. For a body: omega and velocity in the world. A body that
// is held only by joints with clearance also takes turn and shift, relative to its pose in the same joints without
// clearance. Free and spherical joints in space take `rotate` and `at` instead of q.
typedef struct carom_initial_def {
  carom_numbers q, u, guess;
  double rotate[4];  // orientation of the second marker in the axes of the first: a unit quaternion (w, x, y, z); all
                     // zero if it is not given
  carom_numbers at;  // position of the second marker in the axes of the first, three numbers; of free joints [m]
  carom_numbers omega;              // one number in a planar model, three in a spatial one [rad/s]
  carom_numbers velocity;           // of the body's origin [m/s]
  carom_numbers turn;               // one number in a planar model; in a spatial one a rotation vector [rad]
  carom_numbers shift;              // in the world [m]
  carom_numbers modes, mode_rates;  // of a flexible body: its modal coordinates and their rates [m], [m/s]
} carom_initial_def;

// Body-fixed angles x, y, z (Euler 1-2-3: turns about x, the new y and the new z) as a unit quaternion (w, x, y, z),
// and back. The second angle comes back between -π/2 and π/2, the others between -π and π. At ±π/2 only the sum (+) or
// the difference (-) of the others is determined; the first is then 0.
CAROM_API void carom_quaternion_from_xyz(const double xyz[3], double quaternion[4]);
CAROM_API void carom_quaternion_to_xyz(const double quaternion[4],
                                       double xyz[3]);  // the quaternion need not have length one

typedef enum carom_integrator_type {
  CAROM_ADAMS,
  CAROM_BDF,
  CAROM_ERK,
  CAROM_RK4,
  CAROM_IDA,
  CAROM_AUTO,  // chosen from the model: see `integrator.type` in the model reference
} carom_integrator_type;

typedef struct carom_integrator_def {
  int type;                   // carom_integrator_type
  double rtol, atol;          // relative tolerance; absolute tolerance relative to the scale of each quantity [-]
  double step;                // fixed step of rk4, first step of the others [s]
  double step_min, step_max;  // 0 for no limit [s]
  int order;                  // highest order; 0 stands for the default of the integrator
} carom_integrator_def;

typedef enum carom_constraint_method { CAROM_PROJECT, CAROM_BAUMGARTE, CAROM_GGL } carom_constraint_method;

typedef struct carom_smooth_def {
  int constraints;     // carom_constraint_method
  double alpha, beta;  // coefficients of Baumgarte stabilisation [1/s]
} carom_smooth_def;

// Which velocities, and states, forces see in a step: those at its start, or in its middle.
typedef enum carom_velocity_terms { CAROM_TERMS_AT_START, CAROM_TERMS_AT_MIDPOINT } carom_velocity_terms;

typedef struct carom_moreau_def {
  double step;          // [s]
  bool project;         // project positions onto the constraints after each step
  bool remove_overlap;  // move bodies apart that overlap after a step; no velocity changes
  int velocity_terms;   // carom_velocity_terms
  bool time_of_impact;  // take shorter steps where fast bodies would pass through others
  double modal_theta;   // stiffness and damping of flexible bodies: 0 explicit, from 0.5 to 1 implicit [-]
  double tolerance;     // residual at which a contact problem counts as solved [-]
  double activation;    // contacts become active below this gap; 0 stands for 1e-10 of the model size [m]
  bool separate;        // move surfaces apart that overlap at the start; otherwise overlap is an error
  const char *dump;  // save contact problems as DUMP-STEP.dat, further ones of a step as DUMP-STEP-2.dat …; may be null
  int dump_every;    // save every n-th problem; 0 saves only unsolved problems
} carom_moreau_def;

typedef struct carom_stewart_trinkle_def {
  double step;         // [s]
  int directions;      // of the polygonal friction cone in space: even, from 4 to 64
  int velocity_terms;  // carom_velocity_terms; contact frames and positions in forces likewise
  double modal_theta;  // stiffness and damping of flexible bodies: 0 explicit, from 0.5 to 1 implicit [-]
  bool project;        // project positions onto the constraints after each step
  double tolerance;    // residual at which a contact problem counts as solved [-]
  double activation;   // overlap up to this depth counts as touching; 0 stands for 1e-10 of the model size [m]
  bool separate;       // move surfaces apart that overlap at the start; otherwise overlap is an error
  const char *dump;  // save contact problems as DUMP-STEP.dat, further ones of a step as DUMP-STEP-2.dat …; may be null
  int dump_every;    // save every n-th problem; 0 saves only unsolved problems
} carom_stewart_trinkle_def;

typedef enum carom_impact_law { CAROM_NEWTON, CAROM_POISSON } carom_impact_law;

typedef struct carom_event_def {
  int impact;           // carom_impact_law
  double accumulation;  // rebound speed below which infinitely many impacts are summed in closed form; 0 derives it
                        // from atol [m/s]
  double tolerance;     // residual at which a contact problem counts as solved [-]
  bool separate;        // move surfaces apart that overlap at the start; otherwise overlap is an error
  const char *dump;     // save contact problems as DUMP-NUMBER.dat; may be null
  int dump_every;       // save every n-th problem; 0 saves only unsolved problems
} carom_event_def;

// What the iterated force of a step is to reach: touch, release and the end of slip located, gap and gap rate zero at
// the end of a step; or, after Bhalerao and Anderson, a constant force and the gap alone.
typedef enum carom_iterative_form { CAROM_FORM_LOCATED, CAROM_FORM_PAPER } carom_iterative_form;
// The fixed-step method under it. Explicit Euler is refused.
typedef enum carom_iterative_order {
  CAROM_ORDER_RK4,
  CAROM_ORDER_RK3,
  CAROM_ORDER_MIDPOINT,
  CAROM_ORDER_SEMI_IMPLICIT_EULER,
  CAROM_ORDER_EXPLICIT_EULER
} carom_iterative_order;

typedef struct carom_iterative_def {
  double step;          // [s]
  int form;             // carom_iterative_form
  int order;            // carom_iterative_order
  int substeps;         // of the integration method within a step, under the same contact forces
  int impact;           // carom_impact_law
  double accumulation;  // rebound speed below which infinitely many impacts are summed in closed form; 0: when bounces
                        // are lower than 1e-11 of the model size [m/s]
  double tolerance;     // residual at which a contact problem counts as solved [-]
  bool separate;        // move surfaces apart that overlap at the start; otherwise overlap is an error
  const char *dump;     // save contact problems as DUMP-NUMBER.dat; may be null
  int dump_every;       // save every n-th problem; 0 saves only unsolved problems
} carom_iterative_def;

// Of methods lcp-position and lcp-velocity.
typedef struct carom_lcp_def {
  double step;       // contact forces are constant over this time [s]
  int order;         // carom_iterative_order, of the fixed steps that predict gaps
  int average;       // steps over which averaged contact forces are taken
  double tolerance;  // residual at which a contact problem counts as solved [-]
  bool separate;     // move surfaces apart that overlap at the start; otherwise overlap is an error
  const char *dump;  // save contact problems as DUMP-NUMBER.dat; may be null
  int dump_every;    // save every n-th problem; 0 saves only unsolved problems
} carom_lcp_def;
typedef carom_lcp_def carom_lcp_position_def;
typedef carom_lcp_def carom_lcp_velocity_def;

typedef enum carom_entry { CAROM_LOCATE, CAROM_REJECT, CAROM_RESTART, CAROM_NO_CONTROL } carom_entry;

typedef struct carom_compliant_def {
  int entry;               // carom_entry
  double penetration_max;  // bound of the penetration at the first detection of a contact; 0 stands for 1e-7 of the
                           // model size [m]
  double approach_min;  // smallest approach speed for laws that divide by it. 0 stands for 1e-3 of the model size per
                        // second, or the speed that the stored elastic energy would give, if that is larger [m/s]
  int constraints;      // carom_constraint_method
  double alpha, beta;   // coefficients of Baumgarte stabilisation [1/s]
} carom_compliant_def;

// When touching points are recorded instead of at an interval: at every row if pairs without columns may touch, else
// not; never; at every row.
enum { CAROM_TOUCHES_AUTO = 0, CAROM_TOUCHES_NEVER = -1, CAROM_TOUCHES_WITH_ROWS = -2 };

typedef enum carom_record_bodies { CAROM_RECORD_ALL, CAROM_RECORD_MOTION, CAROM_RECORD_POSE } carom_record_bodies;

typedef struct carom_record_def {
  double every;       // time between rows; 0 for one row per step [s]
  bool regimes;       // whether a table says when pairs stick, slide and are apart
  double checkpoint;  // simulated time between checkpoints; 0 for only one, at the end [s]
  int compression;    // from 0 (none) to 9
  double touches;     // time between rows of touching points [s], or one of CAROM_TOUCHES_...
  int bodies;         // carom_record_bodies
} carom_record_def;

// A model definition, filled part by part. Strings and arrays must stay valid until the model is compiled. Each
// function returns CAROM_OK or CAROM_ERROR_MEMORY; carom_model_compile checks the content and reports errors.
typedef struct carom_def carom_def;

CAROM_API carom_model_def carom_model_default(carom_space space);
CAROM_API carom_body_def carom_body_default(void);
CAROM_API carom_beam_def carom_beam_default(void);
CAROM_API carom_solid_2d_def carom_solid_2d_default(void);
CAROM_API carom_finite_elements_def carom_finite_elements_default(void);
CAROM_API carom_modes_def carom_modes_default(void);
CAROM_API carom_stretch_def carom_stretch_default(void);
CAROM_API carom_structural_damping_def carom_structural_damping_default(void);
CAROM_API carom_shape_def carom_shape_default(void);
CAROM_API carom_marker_def carom_marker_default(void);
CAROM_API carom_joint_def carom_joint_default(void);
CAROM_API carom_constraint_def carom_constraint_default(void);
CAROM_API carom_force_def carom_force_default(void);
CAROM_API carom_table_def carom_table_default(void);
CAROM_API carom_state_def carom_state_default(void);
CAROM_API carom_callback_def carom_callback_default(void);
CAROM_API carom_integrator_def carom_integrator_default(void);
CAROM_API carom_smooth_def carom_smooth_default(void);
CAROM_API carom_moreau_def carom_moreau_default(void);
CAROM_API carom_stewart_trinkle_def carom_stewart_trinkle_default(void);
CAROM_API carom_event_def carom_event_default(void);
CAROM_API carom_iterative_def carom_iterative_default(void);
CAROM_API carom_lcp_position_def carom_lcp_position_default(void);
CAROM_API carom_lcp_velocity_def carom_lcp_velocity_default(void);
CAROM_API carom_compliant_def carom_compliant_default(void);
CAROM_API carom_record_def carom_record_default(void);
CAROM_API carom_material_def carom_material_default(void);
CAROM_API carom_solid_def carom_solid_default(void);
CAROM_API carom_surface_def carom_surface_default(void);
CAROM_API carom_contact_def carom_contact_default(void);

CAROM_API carom_def *carom_def_create(const carom_model_def *model);
CAROM_API void carom_def_destroy(carom_def *def);
CAROM_API carom_status carom_def_body(carom_def *def, const char *name, const carom_body_def *body);
CAROM_API carom_status carom_def_marker(carom_def *def, const char *name, const carom_marker_def *marker);
CAROM_API carom_status carom_def_joint(carom_def *def, const char *name, const char *kind,
                                       const carom_joint_def *joint);
CAROM_API carom_status carom_def_constraint(carom_def *def, const char *name, const char *kind,
                                            const carom_constraint_def *constraint);
CAROM_API carom_status carom_def_force(carom_def *def, const char *name, const char *kind,
                                       const carom_force_def *force);
CAROM_API carom_status carom_def_table(carom_def *def, const char *name, const carom_table_def *table);
// A signal: an expression over t, positions, velocities, states and other signals.
CAROM_API carom_status carom_def_signal(carom_def *def, const char *name, carom_function value);
CAROM_API carom_status carom_def_state(carom_def *def, const char *name, const carom_state_def *state);
CAROM_API carom_status carom_def_callback(carom_def *def, const char *name, const carom_callback_def *callback);
CAROM_API carom_status carom_def_drive(carom_def *def, const char *name, const carom_drive_def *drive);
CAROM_API carom_status carom_def_initial(carom_def *def, const char *name, const carom_initial_def *initial);
CAROM_API carom_status carom_def_output(carom_def *def, const char *name, carom_function value);
CAROM_API carom_status carom_def_integrator(carom_def *def, const carom_integrator_def *integrator);
// The method by its name, with its options struct (`carom_moreau_def` for "moreau" and so on), or null for its
// defaults. Returns CAROM_ERROR_USAGE if there is no such method. The functions below call it.
CAROM_API carom_status carom_def_method(carom_def *def, const char *name, const void *options);
CAROM_API carom_status carom_def_smooth(carom_def *def, const carom_smooth_def *smooth);
CAROM_API carom_status carom_def_moreau(carom_def *def, const carom_moreau_def *moreau);
CAROM_API carom_status carom_def_stewart_trinkle(carom_def *def, const carom_stewart_trinkle_def *stewart_trinkle);
CAROM_API carom_status carom_def_event(carom_def *def, const carom_event_def *event);
CAROM_API carom_status carom_def_iterative(carom_def *def, const carom_iterative_def *iterative);
CAROM_API carom_status carom_def_lcp_position(carom_def *def, const carom_lcp_position_def *lcp_position);
CAROM_API carom_status carom_def_lcp_velocity(carom_def *def, const carom_lcp_velocity_def *lcp_velocity);
CAROM_API carom_status carom_def_compliant(carom_def *def, const carom_compliant_def *compliant);
CAROM_API carom_status carom_def_material(carom_def *def, const char *name, const carom_material_def *material);
CAROM_API carom_status carom_def_solid(carom_def *def, const char *name, const carom_solid_def *solid);
CAROM_API carom_status carom_def_surface(carom_def *def, const char *name, const char *kind,
                                         const carom_surface_def *surface);
CAROM_API carom_status carom_def_contact(carom_def *def, const char *name, const carom_contact_def *contact);
CAROM_API carom_status carom_def_record(carom_def *def, const carom_record_def *record);

#ifdef __cplusplus
}
#endif
#endif
