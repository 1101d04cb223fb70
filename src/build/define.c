// The C interface of a definition, and the tables of the sections that are no family.
#include <stdlib.h>
#include <string.h>

#include "build/definition.h"
#include "math/linalg.h"
#include "scheme/registry.h"

// --- tables ----------------------------------------------------------------------------------------------------------

#define AT(field) offsetof(carom_model_def, field)
static const option model_options[] = {
    {.key = "title", .type = OPTION_TEXT, .offset = AT(title), .help = "What it is, in a few words."},
    {.key = "source", .type = OPTION_TEXT, .offset = AT(source), .help = "Where it comes from: paper, table, figure."},
    {.key = "space",
     .type = OPTION_WORD,
     .offset = AT(space),
     .preset = "spatial",
     .words = "spatial|planar",
     .help = "Whether bodies move in space or in the xy plane."},
    {.key = "coordinates",
     .type = OPTION_WORD,
     .offset = AT(coordinates),
     .preset = "joint",
     .words = "joint|absolute",
     .help = "`joint`: relative coordinates on a tree of bodies. `absolute`: six coordinates per body (planar: "
             "three), and every joint is a constraint."},
    {.key = "response",
     .type = OPTION_WORD,
     .offset = AT(response),
     .preset = "automatic",
     .words = "automatic|divide-and-conquer",
     .help = "How accelerations and contact responses follow from forces, in joint coordinates. `automatic`: by a "
             "recursion along the tree, or with a written-out mass matrix of few speeds; the fastest on one thread. "
             "`divide-and-conquer`: bodies are assembled in pairs, and the threads of a run share that."},
    {.key = "gravity",
     .type = OPTION_POINT,
     .offset = AT(gravity),
     .dim = DIM_ACCELERATION,
     .help = "Acceleration of free fall. Default 9.81 m/s² along -z, in a planar model along -y."},
    {.key = "end",
     .type = OPTION_NUMBER,
     .offset = AT(end),
     .dim = DIM_TIME,
     .flags = OPTION_POSITIVE,
     .preset = "1",
     .help = "Time at which a run ends."},
    {.key = "take",
     .type = OPTION_TEXT,
     .offset = AT(take),
     .help =
         "What a row of `carom sweep` keeps of its run, with commas between: `max(ball.y), at(ball.y, 0.5 s)`. There "
         "are `last`, `min`, `max`, `mean`, `rms` of a signal, and `at` a time. Default: the first five of each "
         "output."},
};
const option_table model_table = {.name = "model",
                                  .summary = "The model as a whole.",
                                  .size = sizeof(carom_model_def),
                                  .options = model_options,
                                  .count = OPTION_COUNT(model_options)};
#undef AT

#define AT(field) offsetof(carom_body_def, field)
static const option body_options[] = {
    {.key = "mass",
     .type = OPTION_NUMBER,
     .offset = AT(mass),
     .dim = DIM_MASS,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help =
         "Mass. Zero is allowed if the motion of the body is driven or the bodies attached to it have inertia. Of a "
         "body of `finite_elements` it follows from the matrices; if it is given, they must have it to 0.1 %."},
    {.key = "inertia",
     .type = OPTION_INERTIA,
     .offset = AT(inertia),
     .dim = DIM_INERTIA,
     .help = "Inertia about the mass centre in body axes: one number (planar), three (xx, yy, zz) or six (xx, yy, zz, "
             "xy, xz, "
             "yz)."},
    {.key = "com", .type = OPTION_POINT, .offset = AT(com), .dim = DIM_LENGTH, .help = "Mass centre in body axes."},
    {.key = "density",
     .type = OPTION_NUMBER,
     .offset = AT(density),
     .dim = DIM_DENSITY,
     .flags = OPTION_POSITIVE,
     .help = "Instead of `mass`, `inertia` and `com`: they follow from the shapes, which add up."},
    {.key = "solid",
     .type = OPTION_TEXT,
     .offset = AT(solid),
     .help = "Instead of `density`: a solid that has one, from `carom list solids` or the section `solids`."},
    {.key = "thickness",
     .type = OPTION_NUMBER,
     .offset = AT(thickness),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .help = "Thickness of the shapes in a planar model, for the mass."},
    {.key = "geometric_stiffness",
     .type = OPTION_WORD,
     .offset = AT(geometric_stiffness),
     .words = "no|yes|automatic",
     .preset = "automatic",
     .help =
         "Of a flexible body: whether loads and its rotation change how it bends, because its material keeps its "
         "length when it does. With `automatic` a beam has it, a `solid_2d` does not, and `finite_elements` do if they "
         "have `loads`."},
};
const option_table body_table = {
    .name = "body",
    .summary =
        "A body, rigid unless it is a `beam`, a `solid_2d` or made of `finite_elements`. `ground` always exists.",
    .example = "crank: {mass: 0.2, inertia: 3e-4, com: [l/2, 0]}",
    .size = sizeof(carom_body_def),
    .options = body_options,
    .count = OPTION_COUNT(body_options)};
#undef AT

#define AT(field) offsetof(carom_marker_def, field)
static const option marker_options[] = {
    {.key = "on",
     .type = OPTION_TEXT,
     .offset = AT(on),
     .flags = OPTION_REQUIRED,
     .help = "The body or `ground`; `body` is the same key."},
    {.key = "body",
     .type = OPTION_TEXT,
     .offset = AT(on),
     .flags = OPTION_ALIAS,
     .help = "Another word for `on`, which YAML 1.1 tools read and write as `true`."},
    {.key = "at", .type = OPTION_POINT, .offset = AT(at), .dim = DIM_LENGTH, .help = "Position in body axes."},
    {.key = "rotate",
     .type = OPTION_ROTATION,
     .offset = AT(rotate),
     .help = "Orientation in body axes: an angle (planar); {axis: , angle: }, {xyz: [a, b, c]} (about x, the new y, "
             "the new z), "
             "{euler: [a, b, c]} (about z, the new x, the new z) or {quaternion: [w, x, y, z]}."},
};
const option_table marker_table = {.name = "marker",
                                   .summary = "A named frame on a body; joints, forces and outputs attach to it.",
                                   .example = "tip: {on: crank, at: [l, 0]}",
                                   .size = sizeof(carom_marker_def),
                                   .options = marker_options,
                                   .count = OPTION_COUNT(marker_options)};
#undef AT

#define AT(field) offsetof(carom_table_def, field)
static const option table_options[] = {
    {.key = "type",
     .type = OPTION_WORD,
     .offset = AT(type),
     .words = "linear|monotone|natural|clamped",
     .preset = "linear",
     .help = "Between the points: straight lines; cubics that rise and fall only where the points do, level at both "
             "ends; a cubic spline without "
             "curvature at its ends; a cubic spline with given slopes there."},
    {.key = "points",
     .type = OPTION_NUMBERS,
     .offset = AT(points),
     .dim = DIM_ANY,
     .flags = OPTION_PAIRS,
     .help = "Points [x, y] with increasing x."},
    {.key = "file", .type = OPTION_TEXT, .offset = AT(file), .help = "A CSV file instead of `points`."},
    {.key = "columns",
     .type = OPTION_NAMES,
     .offset = AT(columns),
     .help = "Two columns of the file, for x and y: names from its first line, or numbers from 1 on; default: the "
             "first two."},
    {.key = "units",
     .type = OPTION_NAMES,
     .offset = AT(units),
     .help =
         "Units of the two columns; default: those in the names of the columns (`t [ms]`) or in the second line of the "
         "file, otherwise SI."},
    {.key = "slopes",
     .type = OPTION_NUMBERS,
     .offset = AT(slopes),
     .dim = DIM_ANY,
     .preset = "[0, 0]",
     .help = "Of type `clamped`: slopes at the first and the last point."},
};
const option_table table_table = {
    .name = "table",
    .summary =
        "A function of one variable from points, called in expressions by its name: `plan(t)`. Beyond its ends "
        "it keeps the value there.",
    .example = "plan: {type: clamped, points: [[0, 0], [1 s, 30 deg], [2 s, 10 deg]]}",
    .size = sizeof(carom_table_def),
    .options = table_options,
    .count = OPTION_COUNT(table_options)};
#undef AT

#define AT(field) offsetof(carom_state_def, field)
static const option state_options[] = {
    {.key = "rate",
     .type = OPTION_FUNCTION,
     .offset = AT(rate),
     .flags = OPTION_REQUIRED,
     .help = "Its rate: an expression over t, positions, velocities, states and `signals`."},
    {.key = "initial",
     .type = OPTION_NUMBER,
     .offset = AT(initial),
     .dim = DIM_ANY,
     .preset = "0",
     .help = "Its value at the start."},
    {.key = "limits",
     .type = OPTION_NUMBERS,
     .offset = AT(limits),
     .dim = DIM_ANY,
     .help = "Lowest and highest value. The state rests there while its rate points outwards (anti-windup)."},
    {.key = "reset_at",
     .type = OPTION_NUMBERS,
     .offset = AT(reset_at),
     .dim = DIM_TIME,
     .help = "Times at which it is set to `reset_to`."},
    {.key = "reset_to",
     .type = OPTION_NUMBERS,
     .offset = AT(reset_to),
     .dim = DIM_ANY,
     .help = "One number; default: `initial`."},
    {.key = "scale",
     .type = OPTION_NUMBER,
     .offset = AT(scale),
     .dim = DIM_ANY,
     .flags = OPTION_POSITIVE,
     .preset = "1",
     .help = "Its typical size: the absolute tolerance of an integrator is `atol` times this."},
    {.key = "unit",
     .type = OPTION_TEXT,
     .offset = AT(unit),
     .help = "Its unit, such as `rad*s`; default: that of `initial`."},
};
const option_table state_table = {
    .name = "state",
    .summary = "A quantity with a rate, integrated with the motion: memory of a controller, a current, a temperature.",
    .example = "integral: {rate: target - hinge.q, limits: [-1, 1]}",
    .size = sizeof(carom_state_def),
    .options = state_options,
    .count = OPTION_COUNT(state_options)};
#undef AT

#define AT(field) offsetof(carom_callback_def, field)
static const option callback_options[] = {
    {.key = "inputs",
     .type = OPTION_NAMES,
     .offset = AT(inputs),
     .help = "Signals that are passed to it: t, positions, velocities, states, `signals`."},
    {.key = "outputs",
     .type = OPTION_NAMES,
     .offset = AT(outputs),
     .flags = OPTION_REQUIRED,
     .help = "Names of its outputs; expressions call them `callback.output`."},
    {.key = "every",
     .type = OPTION_NUMBER,
     .offset = AT(every),
     .dim = DIM_TIME,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Time between two calls, from 0 on: steps end there, and outputs stay in between. 0: a call at each "
             "evaluation."},
};
const option_table callback_table = {
    .name = "callback",
    .summary = "Outputs of a C function, which a program binds by name to each sim (`carom_sim_bind`).",
    .example = "controller: {inputs: [hinge.q, hinge.u], outputs: [torque], every: 1 ms}",
    .size = sizeof(carom_callback_def),
    .options = callback_options,
    .count = OPTION_COUNT(callback_options)};
#undef AT

#define AT(field) offsetof(carom_drive_def, field)
static const option drive_options[] = {
    {.key = "joint",
     .type = OPTION_TEXT,
     .offset = AT(joint),
     .flags = OPTION_REQUIRED,
     .help = "The joint, or one of its coordinates such as `cylinder.q1`."},
    {.key = "motion",
     .type = OPTION_FUNCTION,
     .offset = AT(motion),
     .flags = OPTION_REQUIRED,
     .help = "The coordinate as a function of t."},
};
const option_table drive_table = {.name = "drive",
                                  .summary = "Prescribes a joint's coordinate as a function of time.",
                                  .example = "motor: {joint: crank, motion: 150 rpm * t}",
                                  .size = sizeof(carom_drive_def),
                                  .options = drive_options,
                                  .count = OPTION_COUNT(drive_options)};
#undef AT

#define AT(field) offsetof(carom_initial_def, field)
static const option initial_options[] = {
    {.key = "q", .type = OPTION_NUMBERS, .offset = AT(q), .help = "Coordinates of a joint."},
    {.key = "u", .type = OPTION_NUMBERS, .offset = AT(u), .help = "Speeds of a joint."},
    {.key = "guess",
     .type = OPTION_NUMBERS,
     .offset = AT(guess),
     .help = "Rough coordinates of a joint, from which assembly starts. Values given by `q` are kept unless they "
             "contradict each other."},
    {.key = "rotate",
     .type = OPTION_ROTATION,
     .flags = OPTION_OPTIONAL,
     .offset = AT(rotate),
     .help = "Orientation of a free or spherical joint in space, instead of the quaternion of `q`: {xyz: [a, b, c]}, "
             "which are body-fixed "
             "Euler-123 angles (about x, the new y, the new z), or another rotation as of a marker."},
    {.key = "at",
     .type = OPTION_NUMBERS,
     .offset = AT(at),
     .dim = DIM_LENGTH,
     .help = "Position of a free joint in space, instead of that of `q`."},
    {.key = "omega",
     .type = OPTION_NUMBERS,
     .offset = AT(omega),
     .dim = DIM_RATE,
     .help = "Angular velocity of a body in the world: one number (planar) or three."},
    {.key = "velocity",
     .type = OPTION_NUMBERS,
     .offset = AT(velocity),
     .dim = DIM_SPEED,
     .help = "Velocity of a body's origin in the world."},
    {.key = "modes",
     .type = OPTION_NUMBERS,
     .offset = AT(modes),
     .dim = DIM_ANY,
     .help = "Modal coordinates of a flexible body, one per mode: lengths, and angles of twists; default: 0."},
    {.key = "mode_rates", .type = OPTION_NUMBERS, .offset = AT(mode_rates), .dim = DIM_ANY, .help = "Their rates."},
    {.key = "turn",
     .type = OPTION_NUMBERS,
     .offset = AT(turn),
     .dim = DIM_ANGLE,
     .help = "For a body held only by joints with clearance: initial rotation relative to its pose in the same joints "
             "without "
             "clearance, one angle (planar) or a rotation vector."},
    {.key = "shift",
     .type = OPTION_NUMBERS,
     .offset = AT(shift),
     .dim = DIM_LENGTH,
     .help = "For such a body: initial displacement from that pose, in world axes."},
};
const option_table initial_table = {.name = "initial",
                                    .summary =
                                        "Initial values of joints (q or rotate and at, u) or bodies (omega, velocity; "
                                        "shift, turn). Assembly finds the other "
                                        "values so that loops close and speeds satisfy the constraints.",
                                    .example = "crank: {q: 30 deg, u: 10}",
                                    .size = sizeof(carom_initial_def),
                                    .options = initial_options,
                                    .count = OPTION_COUNT(initial_options)};
#undef AT

#define AT(field) offsetof(carom_integrator_def, field)
static const option integrator_options[] = {
    {.key = "type",
     .type = OPTION_WORD,
     .offset = AT(type),
     .preset = "auto",
     .words = "adams|bdf|erk|rk4|ida|auto",
     .help = "Adams (smooth motion), BDF (stiff), explicit Runge-Kutta of order 5 or `order`, fixed-step Runge-Kutta "
             "of order 4, "
             "IDA on the differential-algebraic equations in stabilised index 2 (always `constraints: ggl`). `auto` "
             "chooses: under "
             "method compliant bdf if there is friction, else erk of order 6; under method event bdf for contacts with "
             "friction in "
             "space; otherwise adams."},
    {.key = "rtol",
     .type = OPTION_NUMBER,
     .offset = AT(rtol),
     .dim = DIM_NONE,
     .flags = OPTION_POSITIVE,
     .preset = "1e-8",
     .help = "Relative tolerance of a step."},
    {.key = "atol",
     .type = OPTION_NUMBER,
     .offset = AT(atol),
     .dim = DIM_NONE,
     .flags = OPTION_POSITIVE,
     .preset = "1e-8",
     .help = "Absolute tolerance of a step, relative to the scale of each quantity."},
    {.key = "step",
     .type = OPTION_NUMBER,
     .offset = AT(step),
     .dim = DIM_TIME,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Step of rk4 (required); first step of the other integrators (0: automatic)."},
    {.key = "step_min",
     .type = OPTION_NUMBER,
     .offset = AT(step_min),
     .dim = DIM_TIME,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Smallest step (0: no limit)."},
    {.key = "step_max",
     .type = OPTION_NUMBER,
     .offset = AT(step_max),
     .dim = DIM_TIME,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Largest step (0: no limit)."},
    {.key = "order",
     .type = OPTION_INTEGER,
     .offset = AT(order),
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Highest order (0: the default of the integrator)."},
};
const option_table integrator_table = {.name = "integrator",
                                       .summary = "How smooth motion is integrated.",
                                       .example = "integrator: {type: bdf, rtol: 1e-10}",
                                       .size = sizeof(carom_integrator_def),
                                       .options = integrator_options,
                                       .count = OPTION_COUNT(integrator_options)};
#undef AT

#define AT(field) offsetof(carom_contact_def, field)
static const option contact_options[] = {
    {.key = "between",
     .type = OPTION_PAIR,
     .offset = AT(between),
     .flags = OPTION_REQUIRED,
     .help = "Two surfaces or groups of surfaces. Surfaces of a group on the same body or on bodies connected by a "
             "joint are left out."},
    {.key = "material",
     .type = OPTION_TEXT,
     .offset = AT(material),
     .help = "Contact material; default: the material of the surfaces."},
    {.key = "exclude",
     .type = OPTION_FLAG,
     .offset = AT(exclude),
     .preset = "false",
     .help = "Ignore contact between these two. Pairs whose contact does not exist, such as two planes, are left out "
             "anyway; to exclude them removes the warning."},
};
const option_table contact_table = {
    .name = "contact",
    .summary =
        "Pairs of surfaces, or of groups, between which contact is possible. Without an entry every pair is. Pairs on "
        "the "
        "same body, or on bodies connected by a joint, are ignored unless both surfaces are named.",
    .example = "landing: {between: [ball, floor], material: steel}",
    .size = sizeof(carom_contact_def),
    .options = contact_options,
    .count = OPTION_COUNT(contact_options)};
#undef AT

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define AT(field)       offsetof(carom_record_def, field)
static const option record_options[] = {
    {.key = "every",
     .type = OPTION_NUMBER,
     .offset = AT(every),
     .dim = DIM_TIME,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Time between recorded rows; 0 records each step. At least " TEXT(
         RECORD_EVERY_LEAST) " of the time at which the run ends."},
    {.key = "regimes",
     .type = OPTION_FLAG,
     .offset = AT(regimes),
     .preset = "false",
     .help = "Write the table `regimes`: from when to when each pair sticks, slides or is apart."},
    {.key = "checkpoint",
     .type = OPTION_NUMBER,
     .offset = AT(checkpoint),
     .dim = DIM_TIME,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Simulated time between checkpoints; 0 writes one at the end."},
    {.key = "compression",
     .type = OPTION_INTEGER,
     .offset = AT(compression),
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "0 (none) to 9."},
    {.key = "touches",
     .type = OPTION_NUMBER,
     .offset = AT(touches),
     .dim = DIM_TIME,
     .flags = OPTION_POSITIVE,
     .words = "auto|false|true",
     .preset = "auto",
     .help = "Time between rows of the table of touches, which has a row for each point that touches; `true` is with "
             "every recorded row. "
             "`auto` is `true` where pairs of surfaces have no columns of their own, else `false`."},
    {.key = "bodies",
     .type = OPTION_WORD,
     .offset = AT(bodies),
     .words = "all|motion|pose",
     .preset = "all",
     .help = "Columns of bodies: `motion` leaves out accelerations, `pose` velocities too. Both leave out the "
             "coordinates of free joints on ground, "
             "which repeat the motion of a body."},
};
const option_table record_table_options = {.name = "record",
                                           .summary = "What is written, and how often.",
                                           .example = "record: {every: 1 ms}",
                                           .size = sizeof(carom_record_def),
                                           .options = record_options,
                                           .count = OPTION_COUNT(record_options)};
#undef AT

// --- defaults --------------------------------------------------------------------------------------------------------

carom_model_def carom_model_default(carom_space space) {
  carom_model_def d;
  option_defaults(&model_table, &d);
  d.space = (int)space;
  d.gravity[space == CAROM_PLANAR ? 1 : 2] = -9.81;
  return d;
}

#define DEFAULT(noun, table)                        \
  carom_##noun##_def carom_##noun##_default(void) { \
    carom_##noun##_def d;                           \
    option_defaults(&table, &d);                    \
    return d;                                       \
  }
DEFAULT(body, body_table)
DEFAULT(beam, beam_table)
DEFAULT(solid_2d, solid_2d_table)
DEFAULT(finite_elements, finite_elements_table)
DEFAULT(modes, modes_table)
DEFAULT(stretch, stretch_table)
DEFAULT(structural_damping, structural_damping_table)
DEFAULT(integrator, integrator_table)
DEFAULT(record, record_table_options)
DEFAULT(material, material_table)
DEFAULT(solid, solid_table)
DEFAULT(contact, contact_table)
DEFAULT(state, state_table)
DEFAULT(callback, callback_table)

carom_surface_def carom_surface_default(void) { return (carom_surface_def){.rotate = {1, 0, 0, 0}, .scale = 1}; }

carom_shape_def carom_shape_default(void) {
  return (carom_shape_def){.rotate = {1, 0, 0, 0}, .axis = {0, 0, 1}, .scale = 1};
}
carom_marker_def carom_marker_default(void) { return (carom_marker_def){.rotate = {1, 0, 0, 0}}; }
carom_joint_def carom_joint_default(void) { return (carom_joint_def){0}; }
carom_constraint_def carom_constraint_default(void) { return (carom_constraint_def){0}; }
carom_force_def carom_force_default(void) { return (carom_force_def){0}; }
carom_table_def carom_table_default(void) { return (carom_table_def){0}; }

// --- definitions in code ---------------------------------------------------------------------------------------------

carom_def *carom_def_create(const carom_model_def *model) {
  carom_def *def = calloc(1, sizeof *def);
  if (!def) return NULL;
  def->model = *model;
  def->integrator = carom_integrator_default();
  def->record = carom_record_default();
  int count;
  carom_def_method(def, scheme_types(&count)[0]->name, NULL);
  return def;
}

void carom_def_destroy(carom_def *def) {
  if (!def) return;
  arena_free(&def->memory);
  free(def);
}

static carom_status add(carom_def *def, part_list *list, const char *name, const char *kind, const void *content,
                        size_t size) {
  jmp_buf out_of_memory;
  if (setjmp(out_of_memory)) {
    def->memory.out_of_memory = NULL;
    return CAROM_ERROR_MEMORY;
  }
  def->memory.out_of_memory = &out_of_memory;
  void *copy = memcpy(arena_alloc(&def->memory, 1, size), content, size);
  part *p = ARENA_PUSH(&def->memory, list->items, list->count, list->capacity);
  *p = (part){.name = name, .kind = kind, .content = copy};
  def->memory.out_of_memory = NULL;
  return CAROM_OK;
}

#define ADD(noun, list)                                                                             \
  carom_status carom_def_##noun(carom_def *def, const char *name, const carom_##noun##_def *noun) { \
    return add(def, &def->list, name, NULL, noun, sizeof *noun);                                    \
  }
ADD(body, bodies)
ADD(marker, markers)
ADD(table, tables)
ADD(state, states)
ADD(callback, callbacks)
ADD(drive, drives)
ADD(initial, initials)
ADD(material, materials)
ADD(solid, solids)
ADD(contact, contacts)

#define ADD_KIND(noun, list)                                                                                          \
  carom_status carom_def_##noun(carom_def *def, const char *name, const char *kind, const carom_##noun##_def *noun) { \
    return add(def, &def->list, name, kind, noun, sizeof *noun);                                                      \
  }
ADD_KIND(joint, joints)
ADD_KIND(constraint, constraints)
ADD_KIND(force, forces)
ADD_KIND(surface, surfaces)

#define ADD_FUNCTION(noun, list)                                                          \
  carom_status carom_def_##noun(carom_def *def, const char *name, carom_function value) { \
    return add(def, &def->list, name, NULL, &value, sizeof value);                        \
  }
ADD_FUNCTION(signal, signals)
ADD_FUNCTION(output, outputs)

carom_status carom_def_integrator(carom_def *def, const carom_integrator_def *integrator) {
  def->integrator = *integrator;
  return CAROM_OK;
}
carom_status carom_def_method(carom_def *def, const char *name, const void *options) {
  const scheme_type *scheme = scheme_find(name);
  if (!scheme) return CAROM_ERROR_USAGE;
  def->scheme = scheme;
  if (options) memcpy(&def->options, options, scheme->about->table->size);
  else option_defaults(scheme->about->table, &def->options);
  return CAROM_OK;
}

carom_status carom_def_record(carom_def *def, const carom_record_def *record) {
  def->record = *record;
  return CAROM_OK;
}

void carom_quaternion_from_xyz(const double xyz[3], double quaternion[4]) {
  quat q = quat_of_turns("xyz", xyz);
  quaternion[0] = q.w, quaternion[1] = q.x, quaternion[2] = q.y, quaternion[3] = q.z;
}
void carom_quaternion_to_xyz(const double quaternion[4], double xyz[3]) {
  vec3_store(xyz,
             mat3_xyz(quat_matrix(quat_normalize((quat){quaternion[0], quaternion[1], quaternion[2], quaternion[3]}))));
}
