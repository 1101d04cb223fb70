// The words a model is written in, as C structs. A model file is read into these; a program may fill them itself.
// Always start from the default (carom_body_default() and so on): zero is not always what an absent key means.
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

// A number that may depend on time and state. In order of precedence: a C function, an expression, a constant.
typedef struct carom_function {
  double constant;
  const char *text;                          // expression over t and signals such as `crank.q`, or null
  // Or null. Sets value[0]; a function that drives a motion or a length also sets its rate value[1] and its
  // acceleration value[2].
  void (*call)(void *context, double t, double *value);
  void *context;
  const void *origin;                        // where the text stood; null in code
} carom_function;

#define CAROM_CONSTANT(x) ((carom_function){.constant = (x)})
#define CAROM_EXPRESSION(s) ((carom_function){.text = (s)})

typedef enum carom_space { CAROM_SPATIAL, CAROM_PLANAR } carom_space;
typedef enum carom_coordinates { CAROM_JOINT, CAROM_ABSOLUTE } carom_coordinates;

// The whole model.
typedef struct carom_model_def {
  const char *title, *source;
  int space;            // carom_space
  int coordinates;      // carom_coordinates
  double gravity[3];    // [m/s²]
  double end;           // time to run to [s]
} carom_model_def;

// What a body looks like; for drawing only. Shape kinds: link box sphere cylinder disc.
typedef struct carom_shape_def {
  const char *kind;
  double at[3];         // its middle in body axes; of a link where it begins [m]
  double rotate[4];     // of a box: unit quaternion (w, x, y, z)
  double axis[3];       // of a cylinder or disc
  carom_numbers to;     // of a link: its end, or one number: its length along x [m]
  double size[3];       // of a box: edges along its axes [m]
  double radius;        // of a sphere or disc [m]
  carom_numbers span;   // of a cylinder: radius and length [m]
  double width;         // of a link, 0: as suits its length [m]
} carom_shape_def;

typedef struct carom_body_def {
  double mass;          // [kg]
  double inertia[6];    // about the mass centre in body axes: xx yy zz xy xz yz; planar: zz [kg·m²]
  double com[3];        // mass centre in body axes [m]
  const carom_shape_def *shapes;  // null: drawn from its joints and surfaces
  int shape_count;
} carom_body_def;

typedef struct carom_marker_def {
  const char *on;       // body
  double at[3];         // in body axes [m]
  double rotate[4];     // orientation in body axes, unit quaternion (w, x, y, z)
} carom_marker_def;

// Joint kinds: revolute prismatic cylindrical universal spherical planar screw point free fixed.
typedef struct carom_joint_def {
  const char *between[2];  // bodies or markers; q is the second seen from the first
  double at[3], to[3];     // the joint's point on the first and on the second [m]
  double axis[3];          // the joint's axis in the axes of the first
  double axis_to[3];       // and of the second; all zero: the same components
  double pitch;            // of a screw: advance per full turn [m]
  double clearance;        // of a revolute, prismatic or spherical joint: 0 ideal, else contact holds it [m]
  double axial_clearance;  // of a revolute joint with clearance in space; 0: the same [m]
  double radius;           // of a journal or ball with clearance, of a pin that rubs [m]
  double length;           // of a journal or slider along the axis, with clearance or friction [m]
  double width, height;    // of a slider with clearance [m]; height 0: as wide
  double friction_torque, friction_force;  // dry friction of an ideal joint, turning [N·m] and sliding [N]
  double friction;         // and its coefficient on the joint's load [-]
  carom_numbers limits;    // of a joint with one coordinate: lowest and highest value, stops beyond
  const char *material;    // of the clearance or the stops
} carom_joint_def;

// A user's own normal law: the force [N] from the penetration [m], its rate [m/s] and the speed at the first touch [m/s].
typedef double carom_user_law(void *context, double delta, double rate, double approach);

typedef enum carom_restitution { CAROM_NOMINAL, CAROM_ACHIEVED } carom_restitution;

// How surfaces meet. Rigid methods read the three coefficients, continuous contact the laws as well.
typedef struct carom_material_def {
  double restitution;             // Newton's coefficient [-]
  int restitution_is;             // carom_restitution: what a law's formula is given, or what comes out
  double tangential_restitution;  // [-]
  double friction;                // Coulomb's coefficient [-]
  const char *law;                // of the normal force
  double stiffness;               // 0: from the solids [N/mⁿ]
  double exponent;                // n, 0: the law's own [-]
  double damping;                 // of Kelvin-Voigt [N·s/m]
  bool pulls;                     // the force may be negative where the formula is
  carom_function force;           // of law `expression`: over delta, rate, approach; its `call` is not used
  carom_user_law *call;           // or a function in its place
  void *context;
  carom_names solid;              // one or two names: of both surfaces, or of the first and the second
  carom_numbers young, poisson;   // or one or two numbers each [Pa], [-]
  double length;                  // of a line contact [m]
  const char *friction_law;
  double static_friction;         // 0: as `friction` [-]
  double v0, v1;                  // speeds of the regularisation [m/s]
  double stribeck;                // speed of Stribeck's curve [m/s]
  double stribeck_exponent;       // [-]
  double viscous;                 // [N·s/m]
  double bristle_stiffness;       // per newton of load [1/m]
  double bristle_damping;         // per newton of load [s/m]
  double dahl_exponent;           // [-]
  carom_function coefficient;     // of friction law `expression`: over speed and fn
} carom_material_def;

// An elastic solid.
typedef struct carom_solid_def {
  double young;    // [Pa]
  double poisson;  // [-]
  double density;  // [kg/m³]
} carom_solid_def;

// Surface kinds: point sphere box plane.
typedef struct carom_surface_def {
  const char *on;          // body or marker
  double at[3];            // in its axes [m]
  double rotate[4];        // unit quaternion (w, x, y, z)
  double radius;           // of a sphere; in a planar model a circle [m]
  double size[3];          // of a box, along its axes [m]
  const char *material;
  const char *group;       // name by which contacts mean it and others; null: none
} carom_surface_def;

typedef struct carom_contact_def {
  const char *between[2];  // surfaces, or groups of them
  const char *material;    // null: that of the surfaces
  bool exclude;            // these two never touch
} carom_contact_def;

// Constraint kinds: distance inline inplane gear rack couple.
typedef struct carom_constraint_def {
  const char *between[2];  // markers or bodies; for gear and rack: joint coordinates
  carom_names of;          // of a couple: joint coordinates
  carom_numbers factors;   // of a couple, one a coordinate
  carom_numbers teeth;     // of a gear: teeth of both wheels, negative for an internal one
  double radius;           // of a rack's pinion [m]
  carom_function value;    // length of a distance [m], right-hand side of a gear, rack or couple
} carom_constraint_def;

typedef enum carom_frame { CAROM_WORLD, CAROM_MARKER } carom_frame;

// Reads `count` signals (in the order named) at time t, writes a force and a torque on a marker in world axes (six
// numbers), or in output[0] the effort along a joint.
typedef void carom_user_force(void *context, double t, const double *inputs, double *output);

// Force kinds: spring along bushing force torque user.
typedef struct carom_force_def {
  const char *between[2];      // of a spring or bushing: markers or bodies
  const char *on;              // of a force, torque or user force: marker or body
  const char *joint;           // of a force along a joint's coordinate: `hinge`, or `cylinder.q1`
  carom_numbers stiffness;     // one number; of a bushing one, two (translation, turn) or six
  carom_numbers damping;
  double rest;                 // length or coordinate without force [m] or [rad]
  carom_function effort;       // of a spring: pushes apart; along a joint: in the sense of its coordinate
  carom_function components[3];
  int frame;                   // carom_frame, of the components
  carom_user_force *call;      // of a user force
  void *context;
  carom_names inputs;          // signals the user force reads
} carom_force_def;

typedef struct carom_drive_def {
  const char *joint;       // the coordinate driven: `hinge`, or `cylinder.q1`
  carom_function motion;   // its value as a function of time [rad] or [m]
} carom_drive_def;

// Of a joint: q and u, or a guess of q where only its neighbourhood is known. Of a body: omega and velocity in the world; of one that
// only joints with clearance hold also turn and shift, from where they would hold it without.
typedef struct carom_initial_def {
  carom_numbers q, u, guess;
  carom_numbers omega;     // one number in a planar model, three in a spatial one [rad/s]
  carom_numbers velocity;  // of the body's origin [m/s]
  carom_numbers turn;      // one number in a planar model, in a spatial one three: a vector along the axis [rad]
  carom_numbers shift;     // in the world [m]
} carom_initial_def;

typedef enum carom_integrator_type {
  CAROM_ADAMS, CAROM_BDF, CAROM_ERK, CAROM_RK4, CAROM_IDA,
  CAROM_AUTO,              // BDF where force laws rub, since sticking is stiff; else Adams
} carom_integrator_type;

typedef struct carom_integrator_def {
  int type;                // carom_integrator_type
  double rtol, atol;       // relative tolerance [-]; absolute, in units of the quantity's own scale [-]
  double step;             // fixed step of rk4, first step of the others [s]
  double step_min, step_max;  // 0: no limit [s]
  int order;               // highest order, 0: the method's own
} carom_integrator_def;

typedef enum carom_constraint_method { CAROM_PROJECT, CAROM_BAUMGARTE, CAROM_GGL } carom_constraint_method;

typedef struct carom_smooth_def {
  int constraints;         // carom_constraint_method
  double alpha, beta;      // of Baumgarte's stabilisation [1/s]
} carom_smooth_def;

typedef struct carom_moreau_def {
  double step;             // [s]
  bool project;            // positions back onto the constraints after each step
  double tolerance;        // of each contact problem's residual [-]
  double activation;       // gap at which a contact takes part, 0: 1e-10 of the model's size [m]
  bool separate;           // move apart what overlaps at the start, else it is refused
  const char *dump;        // contact problems are saved as DUMP-STEP.dat, or null
  int dump_every;          // every so many problems, 0: those that no solver solved
} carom_moreau_def;

typedef enum carom_impact_law { CAROM_NEWTON, CAROM_POISSON } carom_impact_law;

typedef struct carom_event_def {
  int impact;              // carom_impact_law
  double accumulation;     // below this speed after an impact the rest of them is summed, 0: from atol [m/s]
  double tolerance;        // of each contact problem's residual [-]
  bool separate;           // move apart what overlaps at the start, else it is refused
  const char *dump;        // contact problems are saved as DUMP-NUMBER.dat, or null
  int dump_every;          // every so many problems, 0: those that no solver solved
} carom_event_def;

typedef enum carom_entry { CAROM_LOCATE, CAROM_REJECT, CAROM_RESTART, CAROM_NO_CONTROL } carom_entry;

typedef struct carom_compliant_def {
  int entry;               // carom_entry
  double penetration_max;  // of a contact when it is first met, 0: 1e-7 of the model's size [m]
  double approach_min;     // what laws that divide by the speed of approach are given at least, 0: 1e-3 of the size a second [m/s]
  int constraints;         // carom_constraint_method
  double alpha, beta;      // of Baumgarte's stabilisation [1/s]
} carom_compliant_def;

typedef struct carom_record_def {
  double every;            // time between rows, 0: each step [s]
  double checkpoint;       // simulated time between checkpoints, 0: at the end only [s]
  int compression;         // 0 none to 9
} carom_record_def;

// A definition being written. Names and texts must stay until the model is compiled. Each call returns CAROM_OK or
// CAROM_ERROR_MEMORY; mistakes in the content are told by carom_model_compile.
typedef struct carom_def carom_def;

CAROM_API carom_model_def carom_model_default(carom_space space);
CAROM_API carom_body_def carom_body_default(void);
CAROM_API carom_shape_def carom_shape_default(void);
CAROM_API carom_marker_def carom_marker_default(void);
CAROM_API carom_joint_def carom_joint_default(void);
CAROM_API carom_constraint_def carom_constraint_default(void);
CAROM_API carom_force_def carom_force_default(void);
CAROM_API carom_integrator_def carom_integrator_default(void);
CAROM_API carom_smooth_def carom_smooth_default(void);
CAROM_API carom_moreau_def carom_moreau_default(void);
CAROM_API carom_event_def carom_event_default(void);
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
CAROM_API carom_status carom_def_joint(carom_def *def, const char *name, const char *kind, const carom_joint_def *joint);
CAROM_API carom_status carom_def_constraint(carom_def *def, const char *name, const char *kind,
                                            const carom_constraint_def *constraint);
CAROM_API carom_status carom_def_force(carom_def *def, const char *name, const char *kind, const carom_force_def *force);
CAROM_API carom_status carom_def_drive(carom_def *def, const char *name, const carom_drive_def *drive);
CAROM_API carom_status carom_def_initial(carom_def *def, const char *name, const carom_initial_def *initial);
CAROM_API carom_status carom_def_output(carom_def *def, const char *name, carom_function value);
CAROM_API carom_status carom_def_integrator(carom_def *def, const carom_integrator_def *integrator);
CAROM_API carom_status carom_def_smooth(carom_def *def, const carom_smooth_def *smooth);
CAROM_API carom_status carom_def_moreau(carom_def *def, const carom_moreau_def *moreau);
CAROM_API carom_status carom_def_event(carom_def *def, const carom_event_def *event);
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
