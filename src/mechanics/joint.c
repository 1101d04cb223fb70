#include "mechanics/joint.h"

#include <stddef.h>
#include <string.h>

#include "text/option.h"

static const joint_type *const types[] = {
    &joint_revolute, &joint_prismatic, &joint_cylindrical, &joint_universal, &joint_spherical,
    &joint_planar,   &joint_screw,     &joint_point,       &joint_free,      &joint_fixed,
};

static bool has_kinds(const joint_type *type, bool planar, const char *kinds) {
  const char *own = planar ? type->kinds_planar : type->kinds_spatial;
  return own && strcmp(own, kinds) == 0;
}

bool joint_is_slider(const joint_type *type, bool planar) { return has_kinds(type, planar, "t"); }
bool joint_is_hinge(const joint_type *type, bool planar) { return type->turns_only && has_kinds(type, planar, "a"); }

const joint_type *const *joint_types(int *count) {
  *count = (int)(sizeof types / sizeof *types);
  return types;
}

#define AT(field) offsetof(carom_joint_def, field)
#define COMMON_OPTIONS(word)                                                                                           \
  {.key = word,                                                                                                        \
   .type = OPTION_PAIR,                                                                                                \
   .offset = AT(between),                                                                                              \
   .flags = OPTION_REQUIRED | OPTION_SUBJECT,                                                                          \
   .help = "The two bodies or markers; q is the pose of the second relative to the first."},                           \
      {.key = "at",                                                                                                    \
       .type = OPTION_POINT,                                                                                           \
       .offset = AT(at),                                                                                               \
       .dim = DIM_LENGTH,                                                                                              \
       .help = "Point of the joint in the axes of the first."},                                                        \
      {.key = "to",                                                                                                    \
       .type = OPTION_POINT,                                                                                           \
       .offset = AT(to),                                                                                               \
       .dim = DIM_LENGTH,                                                                                              \
       .help = "Point of the joint in the axes of the second."},                                                       \
      {.key = "axis",                                                                                                  \
       .type = OPTION_AXIS,                                                                                            \
       .offset = AT(axis),                                                                                             \
       .help =                                                                                                         \
           "Axis of the joint in the axes of the first: x, y, z, -x, … or components. Default z, in a planar model " \
           "x."},                                                                                                      \
  {                                                                                                                    \
    .key = "axis_to", .type = OPTION_AXIS, .offset = AT(axis_to),                                                      \
    .help = "The axis in the axes of the second; default: the same components."                                        \
  }

#define JOINT_TABLE(word, text, sample)                                      \
  static const option word##_options[] = {COMMON_OPTIONS(#word)};            \
  static const option_table word##_table = {.name = #word,                   \
                                            .summary = text,                 \
                                            .example = sample,               \
                                            .size = sizeof(carom_joint_def), \
                                            .options = word##_options,       \
                                            .count = sizeof word##_options / sizeof *word##_options}

#define CLEARANCE_OPTION                                                                                             \
  {                                                                                                                  \
    .key = "clearance", .type = OPTION_NUMBER, .offset = AT(clearance), .dim = DIM_LENGTH, .flags = OPTION_POSITIVE, \
    .preset = NULL, .help = "Clearance: contact replaces the constraint of the joint."                               \
  }

#define FRICTION_TORQUE_OPTION                                                                           \
  {                                                                                                      \
    .key = "friction_torque", .type = OPTION_NUMBER, .offset = AT(friction_torque), .dim = DIM_TORQUE,   \
    .flags = OPTION_NOT_NEGATIVE, .preset = "0", .help = "Dry friction torque, independent of the load." \
  }
#define FRICTION_FORCE_OPTION                                                                           \
  {                                                                                                     \
    .key = "friction_force", .type = OPTION_NUMBER, .offset = AT(friction_force), .dim = DIM_FORCE,     \
    .flags = OPTION_NOT_NEGATIVE, .preset = "0", .help = "Dry friction force, independent of the load." \
  }

#define LIMIT_OPTIONS                                                           \
  {.key = "limits",                                                             \
   .type = OPTION_NUMBERS,                                                      \
   .offset = AT(limits),                                                        \
   .help = "Lowest and highest value of the coordinate, where the stops are."}, \
      {.key = "material",                                                       \
       .type = OPTION_TEXT,                                                     \
       .offset = AT(material),                                                  \
       .help = "Contact material of the stops or the clearance."},              \
      CLEARANCE_OPTION

static const option revolute_options[] = {
    COMMON_OPTIONS("revolute"),
    LIMIT_OPTIONS,
    {.key = "radius",
     .type = OPTION_NUMBER,
     .offset = AT(radius),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .help = "Radius of the journal; friction needs it, with and without clearance. With clearance the radius of the "
             "bearing is larger by "
             "the clearance."},
    {.key = "length",
     .type = OPTION_NUMBER,
     .offset = AT(length),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .help = "Length of the journal along the axis. Spatial joint with clearance: contact is at its two ends. With "
             "friction: "
             "distance of the two supports that carry a tilting torque."},
    {.key = "axial_clearance",
     .type = OPTION_NUMBER,
     .offset = AT(axial_clearance),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .help = "Spatial joint with clearance: axial clearance in each direction. Default: equal to `clearance`."},
    FRICTION_TORQUE_OPTION,
    {.key = "friction",
     .type = OPTION_NUMBER,
     .offset = AT(friction),
     .dim = DIM_NONE,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Friction coefficient of an ideal joint; the load acts at the `radius` of the pin."},
};
static const option prismatic_options[] = {
    COMMON_OPTIONS("prismatic"),
    LIMIT_OPTIONS,
    {.key = "length",
     .type = OPTION_NUMBER,
     .offset = AT(length),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .help = "Length of the slider along the guide, for clearance. With friction: distance of the two supports that "
             "carry a "
             "tilting torque."},
    {.key = "width",
     .type = OPTION_NUMBER,
     .offset = AT(width),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .help = "Width of the slider across the guide (spatial: along x of the first marker). The guide is wider by the "
             "clearance "
             "on each side."},
    {.key = "height",
     .type = OPTION_NUMBER,
     .offset = AT(height),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .help = "Spatial: height of the slider along y. Default: the width."},
    FRICTION_FORCE_OPTION,
    {.key = "friction",
     .type = OPTION_NUMBER,
     .offset = AT(friction),
     .dim = DIM_NONE,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Friction coefficient of an ideal joint, multiplied by its load."},
};
static const option cylindrical_options[] = {COMMON_OPTIONS("cylindrical"), FRICTION_TORQUE_OPTION,
                                             FRICTION_FORCE_OPTION};
static const option spherical_options[] = {
    COMMON_OPTIONS("spherical"),
    {.key = "material", .type = OPTION_TEXT, .offset = AT(material), .help = "Contact material of ball and socket."},
    CLEARANCE_OPTION,
    {.key = "radius",
     .type = OPTION_NUMBER,
     .offset = AT(radius),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .help = "Radius of the ball, with clearance; a material with friction needs it. The radius of the socket is "
             "larger by the "
             "clearance."},
};
static const option_table revolute_table = {.name = "revolute",
                                            .summary = "Rotation about a common axis.",
                                            .example = "hinge: {revolute: [ground, link], at: [0.1, 0]}",
                                            .size = sizeof(carom_joint_def),
                                            .options = revolute_options,
                                            .count = OPTION_COUNT(revolute_options)};
static const option_table prismatic_table = {.name = "prismatic",
                                             .summary = "Translation along a common axis, no rotation.",
                                             .example = "guide: {prismatic: [ground, slider], axis: x}",
                                             .size = sizeof(carom_joint_def),
                                             .options = prismatic_options,
                                             .count = OPTION_COUNT(prismatic_options)};
static const option_table cylindrical_table = {
    .name = "cylindrical",
    .summary = "Rotation about and translation along a common axis: q = (angle, travel).",
    .example = "sleeve: {cylindrical: [rod, collar], axis: x}",
    .size = sizeof(carom_joint_def),
    .options = cylindrical_options,
    .count = OPTION_COUNT(cylindrical_options)};
static const option_table spherical_table = {.name = "spherical",
                                             .summary =
                                                 "Any rotation about a common point: q = quaternion (w, x, y, z), u = "
                                                 "angular velocity in the axes of the second.",
                                             .example = "ball: {spherical: [ground, rod]}",
                                             .size = sizeof(carom_joint_def),
                                             .options = spherical_options,
                                             .count = OPTION_COUNT(spherical_options)};
JOINT_TABLE(universal, "Two rotations about crossing axes: first `axis`, then x of the second.",
            "cardan: {universal: [shaft, yoke], axis: z}");
JOINT_TABLE(planar, "Rotation about the axis and translations normal to it: q = (angle, x, y).",
            "table: {planar: [ground, puck]}");
JOINT_TABLE(point, "Translations along three axes, no rotation.", "float: {point: [ground, mass]}");
JOINT_TABLE(free, "No constraint: q = (quaternion, position), in a planar model (angle, x, y).",
            "loose: {free: [ground, body], at: [0, 0, 1]}");
JOINT_TABLE(fixed, "No relative motion.", "weld: {fixed: [frame, block], at: [0.2, 0, 0]}");

static const option screw_options[] = {
    COMMON_OPTIONS("screw"),
    {.key = "pitch",
     .type = OPTION_NUMBER,
     .offset = AT(pitch),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED,
     .help = "Advance per full turn."},
    FRICTION_TORQUE_OPTION,
};
static const option_table screw_table = {.name = "screw",
                                         .summary = "Rotation with a proportional advance along the axis.",
                                         .example = "spindle: {screw: [frame, nut], axis: x, pitch: 5 mm}",
                                         .size = sizeof(carom_joint_def),
                                         .options = screw_options,
                                         .count = OPTION_COUNT(screw_options)};

static const option_table *const tables[] = {
    &revolute_table, &prismatic_table, &cylindrical_table, &universal_table, &spherical_table,
    &planar_table,   &screw_table,     &point_table,       &free_table,      &fixed_table,
};

const option_table *const *joint_tables(int *count) {
  *count = (int)(sizeof tables / sizeof *tables);
  return tables;
}

static bool has_quaternion(const joint_type *type, bool planar) { return !planar && type->quaternion_q >= 0; }

static quat read_quaternion(const double *q) { return (quat){q[0], q[1], q[2], q[3]}; }

// The speeds beside the quaternion's three are rates of the coordinates beside its four, in the same order.
void joint_rates(const joint_type *type, bool planar, const double *q, const double *u, double *qdot) {
  const joint_space *space = joint_in(type, planar);
  if (!has_quaternion(type, planar)) {
    for (int i = 0; i < space->nv; i++) qdot[i] = u[i];
    return;
  }
  const double *w = u + type->quaternion_v;
  quat e = read_quaternion(q + type->quaternion_q);
  quat rate = quat_product(e, (quat){0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]});
  double *out = qdot + type->quaternion_q;
  out[0] = rate.w, out[1] = rate.x, out[2] = rate.y, out[3] = rate.z;
  for (int i = 4, k = 3; i < space->nq; i++, k++) qdot[i] = u[k];
}

void joint_move(const joint_type *type, bool planar, double *q, const double *delta) {
  const joint_space *space = joint_in(type, planar);
  if (!has_quaternion(type, planar)) {
    for (int i = 0; i < space->nv; i++) q[i] += delta[i];
    return;
  }
  double *e = q + type->quaternion_q;
  quat turned = quat_normalize(quat_product(read_quaternion(e), quat_exp(vec3_of(delta + type->quaternion_v))));
  e[0] = turned.w, e[1] = turned.x, e[2] = turned.y, e[3] = turned.z;
  for (int i = 4, k = 3; i < space->nq; i++, k++) q[i] += delta[k];
}

void joint_reset(const joint_type *type, bool planar, double *q) {
  memset(q, 0, (size_t)joint_in(type, planar)->nq * sizeof *q);
  if (has_quaternion(type, planar)) q[type->quaternion_q] = 1;
}

void joint_normalize(const joint_type *type, bool planar, double *q) {
  if (!has_quaternion(type, planar)) return;
  double *e = q + type->quaternion_q;
  quat unit = quat_normalize(read_quaternion(e));
  e[0] = unit.w, e[1] = unit.x, e[2] = unit.y, e[3] = unit.z;
}
