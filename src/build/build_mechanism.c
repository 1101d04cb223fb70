// The mechanism of a definition: bodies, markers, joints, constraints, forces and drives, whose words become functions.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "mechanics/constraint.h"
#include "mechanics/force.h"
#include "mechanics/signal.h"
#include "mechanics/spanning.h"
#include "build/builder.h"
#include "build/surface.h"

// --- bodies and markers ----------------------------------------------------------------------------------------------

// Eigenvalues of a symmetric 3 x 3 matrix, by Jacobi rotations.
static void principal_moments(const double J[6], double moments[3]) {
  double a[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (a[p][q] == 0) continue;
        double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta)), c = 1 / sqrt(1 + t * t), s = t * c;
        for (int k = 0; k < 3; k++) {
          double kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - s * kq, a[k][q] = s * kp + c * kq;
        }
        for (int k = 0; k < 3; k++) {
          double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - s * qk, a[q][k] = s * pk + c * qk;
        }
      }
  for (int k = 0; k < 3; k++) moments[k] = a[k][k];
}

// No distribution of mass has a moment that is negative or larger than the other two together. Numbers from a drawing
// are rounded, so a millionth is forgiven.
static bool check_inertia(builder *b, const part *p, const body_mass *d, bool planar) {
  place at = builder_place(p, &body_table, "inertia");
  double m[3];
  if (planar) {
    if (d->inertia[2] >= 0) return true;
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "the inertia of body '%s' is negative", p->name);
  }
  principal_moments(d->inertia, m);
  double slack = 1e-6 * (fabs(m[0]) + fabs(m[1]) + fabs(m[2]));
  for (int k = 0; k < 3; k++)
    if (m[k] < -slack || m[k] > m[(k + 1) % 3] + m[(k + 2) % 3] + slack)
      return source_error(b->error, CAROM_ERROR_MODEL, at, "the largest can be at most the sum of the other two",
                          "no body can have the inertia of '%s': principal moments %.4g, %.4g, %.4g", p->name, m[0],
                          m[1], m[2]);
  return true;
}

static bool fill_bodies(builder *b, mechanism *m) {
  const part_list *list = &b->def->bodies;
  m->body_count = list->count + 1;
  m->bodies = ARENA_ARRAY(b->memory, body, m->body_count);
  m->bodies[0] = (body){.name = "ground"};
  for (int i = 0; i < list->count; i++) {
    const body_mass *given = &b->masses[i];
    if (!given->from_shape && !check_inertia(b, &list->items[i], given, m->planar)) return false;
    body *to = &m->bodies[i + 1];
    *to = (body){.name = arena_copy_text(b->memory, list->items[i].name), .mass = given->mass, .com = given->com};
    memcpy(to->inertia, given->inertia, sizeof to->inertia);
  }
  return true;
}

mat3 builder_rotation(const double q[4]) {
  quat e = {q[0], q[1], q[2], q[3]};
  double norm = quat_norm(e);
  return norm > 0 ? quat_matrix(quat_normalize(e)) : MAT3_IDENTITY;
}

static int find_body(builder *b, const char *name, place at, const char *what) {
  int i = name ? names_find(&b->bodies, name) : -1;
  if (i < 0)
    source_error(b->error, CAROM_ERROR_MODEL, at, name ? builder_hint(b, name, &b->def->bodies, NULL) : NULL,
                 "%s: there is no body '%s'", what, name ? name : "");
  return i;
}

static bool fill_markers(builder *b, mechanism *m) {
  const part_list *list = &b->def->markers;
  // room for the markers of every joint, constraint, force and surface beside the named ones
  int most = list->count + b->def->surfaces.count +
             2 * (b->def->joints.count + b->def->constraints.count + b->def->forces.count);
  m->markers = ARENA_ARRAY(b->memory, marker, most + 1);
  m->marker_count = list->count;
  for (int i = 0; i < list->count; i++) {
    const carom_marker_def *d = list->items[i].content;
    int on = find_body(b, d->on, builder_place(&list->items[i], &marker_table, "on"), list->items[i].name);
    if (on < 0) return false;
    m->markers[i] = (marker){.name = arena_copy_text(b->memory, list->items[i].name),
                             .body = on,
                             .local = {builder_rotation(d->rotate), vec3_of(d->at)}};
  }
  return true;
}

// A frame named by a part, a marker or a body, moved and turned further; becomes a marker of its own.
int builder_marker(builder *b, mechanism *m, const char *name, pose offset, place at, const char *owner) {
  int named = name ? names_find(&b->markers, name) : -1, on;
  pose base = POSE_IDENTITY;
  if (named >= 0) {
    on = m->markers[named].body;
    base = m->markers[named].local;
  } else {
    on = name ? names_find(&b->bodies, name) : -1;
    if (on < 0) {
      source_error(b->error, CAROM_ERROR_MODEL, at,
                   name ? builder_hint(b, name, &b->def->bodies, &b->def->markers) : NULL,
                   "'%s': there is no body or marker '%s'", owner, name ? name : "");
      return -1;
    }
  }
  m->markers[m->marker_count] = (marker){.body = on, .local = pose_product(base, offset)};
  return m->marker_count++;
}

// --- joints and coordinates ------------------------------------------------------------------------------------------

static mat3 axis_rotation(const double axis[3], bool planar) {
  vec3 a = vec3_of(axis);
  double size = vec3_norm(a);
  if (!(size > 0)) return MAT3_IDENTITY;
  a = vec3_scale(1 / size, a);
  if (!planar) return a.z == 1 ? MAT3_IDENTITY : quat_matrix(quat_from_z(a));
  double c = a.x, s = a.y, flat = hypot(c, s);
  if (!(flat > 0) || (c == 1 && s == 0)) return MAT3_IDENTITY;
  c /= flat, s /= flat;
  return (mat3){{c, -s, 0, s, c, 0, 0, 0, 1}};
}

static bool has_axis(const double axis[3]) { return axis[0] != 0 || axis[1] != 0 || axis[2] != 0; }

static const joint_type *find_joint_type(const char *kind) {
  int count;
  const joint_type *const *types = joint_types(&count);
  for (int i = 0; i < count; i++)
    if (kind && strcmp(types[i]->name, kind) == 0) return types[i];
  return NULL;
}

static const option_table *find_table(const option_table *const *tables, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(tables[i]->name, name) == 0) return tables[i];
  return NULL;
}

const option_table *builder_joint_table(const char *kind) {
  int count;
  const option_table *const *tables = joint_tables(&count);
  return find_table(tables, count, kind);
}

const option_table *builder_surface_table(const char *kind) {
  const surface_type *type = surface_find(kind);
  return type ? type->table : NULL;
}

static bool unknown_kind(builder *b, const part *p, const char *family) {
  return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, NULL, "'%s': there is no %s called '%s'", p->name,
                      family, p->kind ? p->kind : "");
}

static bool fill_joint(builder *b, mechanism *m, const part *p, joint *j) {
  const carom_joint_def *d = p->content;
  const joint_type *type = find_joint_type(p->kind);
  if (!type) return unknown_kind(b, p, "joint");
  const option_table *table = builder_joint_table(p->kind);
  if (joint_in(type, m->planar)->nv < 0)
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, table, p->kind), NULL,
                        "'%s': there is no %s joint in a planar model", p->name, p->kind);
  place at = builder_place(p, table, p->kind);
  const double *axis_to = has_axis(d->axis_to) ? d->axis_to : d->axis;
  int first =
      builder_marker(b, m, d->between[0], (pose){axis_rotation(d->axis, m->planar), vec3_of(d->at)}, at, p->name);
  int second = first < 0 ? -1
                         : builder_marker(b, m, d->between[1],
                                          (pose){axis_rotation(axis_to, m->planar), vec3_of(d->to)}, at, p->name);
  if (second < 0) return false;
  if (m->markers[first].body == m->markers[second].body)
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "'%s' joins body '%s' to itself", p->name,
                        m->bodies[m->markers[first].body].name);
  *j = (joint){.name = arena_copy_text(b->memory, p->name),
               .type = type,
               .parameters = {.pitch = d->pitch / (2 * M_PI)},
               .first = first,
               .second = second,
               .loose = d->clearance > 0 && !b->ideal};
  return true;
}

static bool fill_joints(builder *b, mechanism *m) {
  const part_list *list = &b->def->joints;
  m->joint_count = list->count;
  m->joints = ARENA_ARRAY(b->memory, joint, list->count + 1);
  for (int i = 0; i < list->count; i++)
    if (!fill_joint(b, m, &list->items[i], &m->joints[i])) return false;
  return true;
}

// `hinge` or `cylinder.q1`
bool builder_coordinate(builder *b, const mechanism *m, const char *text, place at, const char *owner, coordinate *c) {
  char name[160];
  const char *dot = text ? strrchr(text, '.') : NULL;
  size_t length = !text ? 0 : dot ? (size_t)(dot - text) : strlen(text);
  if (length >= sizeof name) length = sizeof name - 1;
  memcpy(name, text ? text : "", length);
  name[length] = 0;
  c->joint = names_find(&b->joints, name);
  if (c->joint < 0)
    return source_error(b->error, CAROM_ERROR_MODEL, at, builder_hint(b, name, &b->def->joints, NULL),
                        "'%s': there is no joint '%s'", owner, name);
  const joint *j = &m->joints[c->joint];
  const joint_space *space = joint_in(j->type, m->planar);
  if (space->nq != space->nv)
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL,
                        "'%s': the coordinates of %s joint '%s' are a quaternion and cannot be used individually",
                        owner, j->type->name, name);
  if (!dot && space->nv != 1)
    return source_error(b->error, CAROM_ERROR_MODEL, at, space->nv ? "write for instance 'name.q0'" : NULL,
                        "'%s': %s joint '%s' has %d coordinates; say which", owner, j->type->name, name, space->nv);
  c->index = 0;
  if (!dot) return true;
  char *end;
  long k = dot[1] == 'q' ? strtol(dot + 2, &end, 10) : -1;
  if (dot[1] == 'q' && dot[2] == 0 && space->nv == 1) return true;
  if (k < 0 || k >= space->nv || dot[2] == 0 || *end)
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': joint '%s' has no coordinate '%s'", owner, name,
                        dot + 1);
  c->index = (int)k;
  return true;
}

// --- constraints, forces, drives -------------------------------------------------------------------------------------

static bool fill_terms(builder *b, const mechanism *m, const part *p, const constraint_kind *kind, constraint *c) {
  const carom_constraint_def *d = p->content;
  int count = kind->term_count(d);
  couple_term *terms = ARENA_ARRAY(b->memory, couple_term, count);
  for (int i = 0; i < count; i++) {
    const char *name = kind->term(d, i, &terms[i].factor);
    if (!builder_coordinate(b, m, name, builder_place(p, kind->table, p->kind), p->name, &terms[i].of)) return false;
  }
  c->terms = terms;
  c->term_count = count;
  return true;
}

static bool fill_constraint(builder *b, mechanism *m, int index, constraint *c) {
  const part *p = &b->def->constraints.items[index];
  const carom_constraint_def *d = p->content;
  int count;
  const constraint_kind *kind = NULL, *kinds = constraint_kinds(&count);
  for (int i = 0; i < count; i++)
    if (p->kind && strcmp(kinds[i].name, p->kind) == 0) kind = &kinds[i];
  if (!kind) return unknown_kind(b, p, "constraint");
  place at = builder_place(p, kind->table, p->kind);
  *c = (constraint){.name = arena_copy_text(b->memory, p->name),
                    .type = kind->type,
                    .kind = kind->name,
                    .part = {PART_CONSTRAINT, index},
                    .joint = -1,
                    .rows = m->planar ? kind->rows_planar : kind->rows_spatial,
                    .row_count = m->planar ? kind->row_count_planar : kind->row_count_spatial};
  if (!builder_function(b, &d->value, LEVEL_NONE, ANY_UNIT, &c->f)) return false;
  char why[160];
  const char *key = p->kind;
  if (kind->fault && kind->fault(d, &key, why, sizeof why))
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, kind->table, key), NULL, "'%s'%s", p->name, why);
  if (kind->term) return fill_terms(b, m, p, kind, c);
  pose here = POSE_IDENTITY;
  c->first = builder_marker(b, m, d->between[0], here, at, p->name);
  c->second = c->first < 0 ? -1 : builder_marker(b, m, d->between[1], here, at, p->name);
  if (c->second < 0) return false;
  if (m->markers[c->first].body == m->markers[c->second].body)
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "'%s' binds body '%s' to itself", p->name,
                        m->bodies[m->markers[c->first].body].name);
  if (!c->row_count)
    return source_error(b->error, CAROM_ERROR_MODEL, at, "use 'inline'", "'%s': there is no %s in a planar model",
                        p->name, p->kind);
  return true;
}

static bool fill_constraints(builder *b, mechanism *m) {
  const part_list *list = &b->def->constraints;
  m->constraint_count = list->count;
  m->constraints = ARENA_ARRAY(b->memory, constraint, list->count + 1);
  for (int i = 0; i < list->count; i++)
    if (!fill_constraint(b, m, i, &m->constraints[i])) return false;
  return true;
}

// One number for translation, two for translation and turn, or all six.
static bool six_numbers(builder *b, const part *p, const option_table *table, const char *key, carom_numbers n,
                        double *to) {
  if (n.count > 2 && n.count != 6)
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, table, key), NULL,
                        "'%s' of '%s' takes one, two or six numbers, not %d", key, p->name, n.count);
  for (int k = 0; k < 6; k++)
    to[k] = n.count == 6 ? n.items[k] : k < 3 ? (n.count > 0 ? n.items[0] : 0) : n.count == 2 ? n.items[1] : 0;
  return true;
}

static bool one_number(builder *b, const part *p, const option_table *table, const char *key, carom_numbers n,
                       double *to) {
  if (n.count > 1)
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, table, key), NULL,
                        "'%s' of '%s' takes one number, not %d", key, p->name, n.count);
  *to = n.count ? n.items[0] : 0;
  return true;
}

static bool attach_force(builder *b, mechanism *m, const part *p, place at, force *f) {
  const carom_force_def *d = p->content;
  const force_place acts = f->type->acts;
  if (acts == FORCE_ALONG_COORDINATE || (acts == FORCE_AT_MARKER_OR_ALONG_COORDINATE && d->joint))
    return builder_coordinate(b, m, d->joint, at, p->name, &f->of);
  bool two = acts == FORCE_BETWEEN_MARKERS;
  f->first = builder_marker(b, m, two ? d->between[0] : d->on, POSE_IDENTITY, at, p->name);
  if (two && f->first >= 0) f->second = builder_marker(b, m, d->between[1], POSE_IDENTITY, at, p->name);
  return (two ? f->second : f->first) >= 0;
}

static bool fill_force(builder *b, mechanism *m, const part *p, force *f) {
  const carom_force_def *d = p->content;
  int count;
  const force_type *type = NULL, *const *types = force_types(&count);
  for (int i = 0; i < count; i++)
    if (p->kind && strcmp(types[i]->name, p->kind) == 0) type = types[i];
  if (!type) return unknown_kind(b, p, "force");
  place at = builder_place(p, type->table, p->kind);
  *f = (force){.name = arena_copy_text(b->memory, p->name),
               .type = type,
               .first = -1,
               .second = -1,
               .of = {-1, 0},
               .rest = d->rest,
               .lag = d->lag,
               .state = -1,
               .in_marker_axes = d->frame == CAROM_MARKER,
               .call = d->call,
               .context = d->context};
  bool (*numbers)(builder *, const part *, const option_table *, const char *, carom_numbers, double *) =
      type->six_numbers ? six_numbers : one_number;
  if (!numbers(b, p, type->table, "stiffness", d->stiffness, f->stiffness)) return false;
  if (!numbers(b, p, type->table, "damping", d->damping, f->damping)) return false;
  return attach_force(b, m, p, at, f);
}

static bool fill_forces(builder *b, mechanism *m) {
  const part_list *list = &b->def->forces;
  m->force_count = list->count;
  m->forces = ARENA_ARRAY(b->memory, force, list->count + 1);
  for (int i = 0; i < list->count; i++)
    if (!fill_force(b, m, &list->items[i], &m->forces[i])) return false;
  return true;
}

static bool bind_inputs(builder *b, const mechanism *m, const part *p, force *f) {
  const carom_force_def *d = p->content;
  if (!f->call)
    return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, NULL, "user force '%s' has no function", p->name);
  int *inputs = ARENA_ARRAY(b->memory, int, d->inputs.count + 1);
  for (int k = 0; k < d->inputs.count; k++) {
    if (!d->inputs.items || !d->inputs.items[k])
      return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, NULL, "'%s': the name of an input is null",
                          p->name);
    inputs[k] = names_find(&b->signals, d->inputs.items[k]);
    if (inputs[k] < 0 || inputs[k] >= m->signal_count || m->signals[inputs[k]].level > LEVEL_VELOCITY)
      return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, NULL,
                          "'%s': there is no signal '%s' known to forces", p->name, d->inputs.items[k]);
  }
  f->inputs = inputs;
  f->input_count = d->inputs.count;
  return true;
}

// Once signals are known. Forces see positions and velocities.
static bool bind_force(builder *b, const mechanism *m, const part *p, force *f) {
  const carom_force_def *d = p->content;
  if (f->type->components) {
    for (int k = 0; k < 3; k++)
      if (!builder_function(b, &d->components[k], LEVEL_VELOCITY, ANY_UNIT, &f->f[k])) return false;
  } else if (!builder_function(b, &d->effort, LEVEL_VELOCITY, builder_unit_along(b, m, f->of, "effort"), &f->f[0])) {
    return false;
  } else if (!builder_function(b, &d->limit, LEVEL_VELOCITY, builder_unit_along(b, m, f->of, "limit"), &f->f[1])) {
    return false;
  }
  return !f->type->calls || bind_inputs(b, m, p, f);
}

bool builder_bind_forces(builder *b, mechanism *m) {
  for (int i = 0; i < m->force_count; i++)
    if (!bind_force(b, m, &b->def->forces.items[i], &m->forces[i])) return false;
  return true;
}

static bool fill_drives(builder *b, mechanism *m) {
  const part_list *list = &b->def->drives;
  m->drive_count = list->count;
  m->drives = ARENA_ARRAY(b->memory, drive, list->count + 1);
  for (int i = 0; i < list->count; i++) {
    const part *p = &list->items[i];
    const carom_drive_def *d = p->content;
    drive *to = &m->drives[i];
    *to = (drive){.name = arena_copy_text(b->memory, p->name)};
    place at = builder_place(p, &drive_table, "joint");
    if (!builder_coordinate(b, m, d->joint, at, p->name, &to->of)) return false;
    if (!builder_function(b, &d->motion, LEVEL_NONE, builder_unit_along(b, m, to->of, "motion"), &to->f)) return false;
    for (int k = 0; k < i; k++)
      if (m->drives[k].of.joint == to->of.joint && m->drives[k].of.index == to->of.index)
        return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "'%s' drives what '%s' drives already", p->name,
                            m->drives[k].name);
  }
  return true;
}

// --- all -------------------------------------------------------------------------------------------------------------

// Contacts are found once: bodies, joints and markers have the same numbers in every compilation.
static bool fill_contacts(builder *b, mechanism *m) {
  if (!b->contacts_found && !builder_contacts(b, m)) return false;
  b->contacts_found = true;
  return true;
}

bool builder_mechanism(builder *b, mechanism *m, bool absolute) {
  const carom_model_def *about = &b->def->model;
  *m = (mechanism){.planar = about->space == CAROM_PLANAR, .absolute = absolute, .gravity = vec3_of(about->gravity)};
  m->divides = about->response == CAROM_RESPONSE_DIVIDE && !absolute;
  if (m->planar) m->gravity.z = 0;
  if (!fill_bodies(b, m) || !fill_markers(b, m) || !fill_joints(b, m) || !fill_constraints(b, m) ||
      !fill_forces(b, m) || !fill_drives(b, m) || !builder_frictions(b, m) || !builder_surfaces(b, m) ||
      !fill_contacts(b, m))
    return false;
  if (!builder_flexible(b, m)) return false;
  fault f = {0};
  return mechanism_compile(m, builder_known_joints(b), b->ideal ? NULL : &b->contact_rows, b->memory, &f) ||
         builder_fault(b, &f);
}
