// Mechanisms for tests: a rig is filled piece by piece (bodies, markers, joints, …), then compiled and given a state.
// Also random trees with every joint type, chains, four-bars, and derivatives by finite differences.
#ifndef CAROM_TESTS_MECHANISMS_H
#define CAROM_TESTS_MECHANISMS_H

#include "check.h"

#include <stdint.h>

#include "mechanics/assemble.h"
#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/force.h"
#include "mechanics/marker.h"
#include "mechanics/signal.h"
#include "mechanics/spanning.h"
#include "mechanics/tree.h"

#define MAYBE_UNUSED CHECK_UNUSED_OK

enum { RIG_BODIES = 256, RIG_MARKERS = 1024, RIG_PARTS = 512 };

typedef struct rig {
  jmp_buf out_of_memory;
  arena memory;
  mechanism m;
  initial_state initial;
  assembly_report report;
  fault fault;
  motion *x;
  uint64_t seed;
  bool wanted[RIG_PARTS];
  temporary_rows temporary;
} rig;

// --- random numbers --------------------------------------------------------------------------------------------------

// splitmix64: the same sequence on every machine.
MAYBE_UNUSED static uint64_t random_bits(uint64_t *seed) {
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
MAYBE_UNUSED static double random_between(uint64_t *seed, double low, double high) {
  return low + (high - low) * (double)(random_bits(seed) >> 11) * 0x1p-53;
}
MAYBE_UNUSED static int random_below(uint64_t *seed, int n) { return (int)(random_bits(seed) % (uint64_t)n); }
MAYBE_UNUSED static vec3 random_vec3(uint64_t *seed, double size) {
  double x = random_between(seed, -size, size), y = random_between(seed, -size, size);
  return (vec3){x, y, random_between(seed, -size, size)};
}
MAYBE_UNUSED static quat random_quat(uint64_t *seed) {
  quat q;
  do {
    vec3 v = random_vec3(seed, 1);
    q = (quat){random_between(seed, -1, 1), v.x, v.y, v.z};
  } while (quat_norm(q) < 0.1);
  return quat_normalize(q);
}
MAYBE_UNUSED static mat3 turn_about_z(double angle) {
  double c = cos(angle), s = sin(angle);
  return (mat3){{c, -s, 0, s, c, 0, 0, 0, 1}};
}
MAYBE_UNUSED static pose random_pose(uint64_t *seed, bool planar, double size) {
  vec3 p = random_vec3(seed, size);
  mat3 R = planar ? turn_about_z(random_between(seed, -3, 3)) : quat_matrix(random_quat(seed));
  if (planar) p.z = 0;
  return (pose){R, p};
}

// --- parts -----------------------------------------------------------------------------------------------------------

MAYBE_UNUSED static rig *rig_create(bool planar, uint64_t seed) {
  rig *r = calloc(1, sizeof *r);
  if (!r || setjmp(r->out_of_memory)) {
    fprintf(stderr, "out of memory\n");
    exit(2);
  }
  r->memory = arena_create(&r->out_of_memory);
  r->seed = seed;
  mechanism *m = &r->m;
  m->planar = planar;
  m->gravity = planar ? (vec3){0.7, -9.81, 0} : (vec3){0.7, -1.3, -9.81};
  m->bodies = ARENA_ARRAY(&r->memory, body, RIG_BODIES);
  m->markers = ARENA_ARRAY(&r->memory, marker, RIG_MARKERS);
  m->joints = ARENA_ARRAY(&r->memory, joint, RIG_PARTS);
  m->constraints = ARENA_ARRAY(&r->memory, constraint, RIG_PARTS);
  m->forces = ARENA_ARRAY(&r->memory, force, RIG_PARTS);
  m->drives = ARENA_ARRAY(&r->memory, drive, RIG_PARTS);
  m->bodies[0].name = "ground";
  m->body_count = 1;
  return r;
}

MAYBE_UNUSED static void rig_destroy(rig *r) {
  motion_destroy(r->x);
  arena_free(&r->memory);
  free(r);
}

MAYBE_UNUSED static int rig_body(rig *r, double mass, vec3 com, const double *inertia) {
  int i = r->m.body_count++;
  body *b = &r->m.bodies[i];
  *b = (body){.name = arena_print(&r->memory, "body%d", i), .mass = mass, .com = com};
  if (inertia) memcpy(b->inertia, inertia, sizeof b->inertia);
  return i;
}

// Five point masses give an inertia that some body can have.
MAYBE_UNUSED static int rig_random_body(rig *r) {
  double J[6] = {0}, mass = random_between(&r->seed, 0.3, 3);
  for (int k = 0; k < 5; k++) {
    vec3 d = random_vec3(&r->seed, 0.4);
    double part = mass / 5;
    J[0] += part * (d.y * d.y + d.z * d.z), J[1] += part * (d.x * d.x + d.z * d.z),
        J[2] += part * (d.x * d.x + d.y * d.y);
    J[3] -= part * d.x * d.y, J[4] -= part * d.x * d.z, J[5] -= part * d.y * d.z;
  }
  vec3 com = random_vec3(&r->seed, 0.3);
  if (r->m.planar) com.z = 0;
  return rig_body(r, mass, com, J);
}

MAYBE_UNUSED static int rig_marker(rig *r, int body_index, pose local) {
  r->m.markers[r->m.marker_count] = (marker){.body = body_index, .local = local};
  return r->m.marker_count++;
}
MAYBE_UNUSED static int rig_point(rig *r, int body_index, double x, double y, double z) {
  return rig_marker(r, body_index, (pose){MAT3_IDENTITY, {x, y, z}});
}
MAYBE_UNUSED static int rig_random_marker(rig *r, int body_index) {
  return rig_marker(r, body_index, random_pose(&r->seed, r->m.planar, 0.5));
}

MAYBE_UNUSED static int rig_joint(rig *r, const joint_type *type, int first, int second) {
  int i = r->m.joint_count++;
  r->m.joints[i] = (joint){.name = arena_print(&r->memory, "joint%d", i),
                           .type = type,
                           .parameters.pitch = 0.3,
                           .first = first,
                           .second = second};
  return i;
}

MAYBE_UNUSED static constraint *rig_constraint(rig *r, const constraint_type *type, int first, int second) {
  int i = r->m.constraint_count++;
  r->m.constraints[i] = (constraint){.name = arena_print(&r->memory, "constraint%d", i),
                                     .type = type,
                                     .joint = -1,
                                     .first = first,
                                     .second = second,
                                     .row_count = 1};
  return &r->m.constraints[i];
}
MAYBE_UNUSED static void rig_rows(rig *r, const joint_row *rows, int count, int first, int second) {
  constraint *c = rig_constraint(r, &constraint_closure, first, second);
  c->rows = rows, c->row_count = count;
}
MAYBE_UNUSED static void rig_couple(rig *r, int count, const couple_term *terms, function f) {
  constraint *c = rig_constraint(r, &constraint_couple, -1, -1);
  couple_term *copy = ARENA_ARRAY(&r->memory, couple_term, count);
  memcpy(copy, terms, (size_t)count * sizeof *copy);
  c->terms = copy, c->term_count = count, c->f = f;
}

MAYBE_UNUSED static void rig_drive(rig *r, int joint_index, int index, function f) {
  int i = r->m.drive_count++;
  r->m.drives[i] = (drive){.name = arena_print(&r->memory, "drive%d", i), .of = {joint_index, index}, .f = f};
}

MAYBE_UNUSED static force *rig_force(rig *r, const force_type *type, int first, int second) {
  int i = r->m.force_count++;
  r->m.forces[i] = (force){
      .name = arena_print(&r->memory, "force%d", i), .type = type, .first = first, .second = second, .of = {-1, 0}};
  return &r->m.forces[i];
}

// a + b sin(c t), as a function of time with its derivatives.
typedef struct wave {
  double a, b, c;
} wave;
MAYBE_UNUSED static void wave_call(void *context, double t, double *value) {
  const wave *w = context;
  value[0] = w->a + w->b * sin(w->c * t);
  value[1] = w->b * w->c * cos(w->c * t);
  value[2] = -w->b * w->c * w->c * sin(w->c * t);
}
MAYBE_UNUSED static function rig_wave(rig *r, double a, double b, double c) {
  wave *w = ARENA_NEW(&r->memory, wave);
  *w = (wave){a, b, c};
  return (function){.call = wave_call, .context = w};
}
MAYBE_UNUSED static function constant_of(double value) { return (function){.constant = value}; }

// --- compiling -------------------------------------------------------------------------------------------------------

MAYBE_UNUSED static bool rig_compile(rig *r) {
  mechanism *m = &r->m;
  if (!mechanism_compile(m, r->wanted, &r->temporary, &r->memory, &r->fault)) return false;
  r->initial = (initial_state){
      ARENA_ARRAY(&r->memory, double, m->joint_nq + 1),   ARENA_ARRAY(&r->memory, double, m->joint_nv + 1),
      ARENA_ARRAY(&r->memory, bool, m->joint_nq + 1),     ARENA_ARRAY(&r->memory, bool, m->joint_nv + 1),
      ARENA_ARRAY(&r->memory, double, 6 * m->body_count), ARENA_ARRAY(&r->memory, bool, 6 * m->body_count),
      ARENA_ARRAY(&r->memory, double, 6 * m->body_count), ARENA_ARRAY(&r->memory, bool, 6 * m->body_count),
      ARENA_ARRAY(&r->memory, double, m->nv + 1),         ARENA_ARRAY(&r->memory, double, m->nv + 1)};
  for (int i = 0; i < m->joint_count; i++) joint_reset(m->joints[i].type, m->planar, r->initial.q + m->joints[i].q);
  return true;
}

MAYBE_UNUSED static bool rig_start(rig *r) {
  r->x = motion_create(&r->m, 0, &r->fault.error);
  if (!r->x) return false;
  if (r->m.joint_q0) memcpy(r->x->joint_q, r->m.joint_q0, (size_t)r->m.joint_nq * sizeof(double));
  if (r->m.q0) dynamics_set(&r->m, r->x, 0, r->m.q0, r->m.u0);
  return !r->m.q0 || dynamics_positions_velocities(&r->m, r->x);
}

// Compiles and creates a motion without assembly: the test sets the state itself.
MAYBE_UNUSED static rig *rig_ready(rig *r) {
  if (rig_compile(r) && rig_start(r)) return r;
  printf("    %s\n", r->fault.error.text);
  CHECK(!"the rig compiles");
  exit(1);
}

MAYBE_UNUSED static bool rig_assemble(rig *r) {
  if (mechanism_assemble(&r->m, &r->initial, NULL, &r->memory, &r->report, &r->fault)) return rig_start(r);
  return false;
}

// The same mechanism, not yet compiled, in absolute or joint coordinates.
MAYBE_UNUSED static rig *rig_twin(const rig *r, bool absolute) {
  rig *t = rig_create(r->m.planar, r->seed);
  const mechanism *from = &r->m;
  mechanism *m = &t->m;
  m->absolute = absolute;
  m->gravity = from->gravity;
  m->body_count = from->body_count, m->marker_count = from->marker_count, m->joint_count = from->joint_count;
  m->constraint_count = from->constraint_count, m->force_count = from->force_count, m->drive_count = from->drive_count;
  memcpy(m->bodies, from->bodies, RIG_BODIES * sizeof *m->bodies);
  memcpy(m->markers, from->markers, RIG_MARKERS * sizeof *m->markers);
  memcpy(m->joints, from->joints, RIG_PARTS * sizeof *m->joints);
  memcpy(m->constraints, from->constraints, RIG_PARTS * sizeof *m->constraints);
  memcpy(m->forces, from->forces, RIG_PARTS * sizeof *m->forces);
  memcpy(m->drives, from->drives, RIG_PARTS * sizeof *m->drives);
  memcpy(t->wanted, r->wanted, sizeof t->wanted);
  return t;
}

// --- states ----------------------------------------------------------------------------------------------------------

typedef struct state {
  double t, *q, *u, *udot;
} state;

MAYBE_UNUSED static state state_create(rig *r) {
  return (state){0, ARENA_ARRAY(&r->memory, double, r->m.nq + 1), ARENA_ARRAY(&r->memory, double, r->m.nv + 1),
                 ARENA_ARRAY(&r->memory, double, r->m.nv + 1)};
}

MAYBE_UNUSED static state random_state(rig *r, double speed) {
  const mechanism *m = &r->m;
  state s = state_create(r);
  double *move = ARENA_ARRAY(&r->memory, double, m->nv + 1);
  s.t = 0.37;
  for (int i = 1; i < m->node_count; i++) joint_reset(m->nodes[i].type, m->planar, s.q + m->nodes[i].q);
  for (int i = 0; i < m->nv; i++) {
    move[i] = random_between(&r->seed, -1, 1);
    s.u[i] = random_between(&r->seed, -speed, speed);
    s.udot[i] = random_between(&r->seed, -2, 2);
  }
  dynamics_move(m, s.q, move);
  return s;
}

// Positions and velocities a time h later on a path with q̇ = N u and u̇ = udot at h = 0. (On a quaternion the path is
// q exp(h u + h²/2 u̇), whose first derivative is u and whose speed u + h u̇ has the right derivative at 0.)
MAYBE_UNUSED static void state_at(rig *r, const state *s, double h, motion *x) {
  const mechanism *m = &r->m;
  double move[6 * RIG_BODIES], q[7 * RIG_BODIES], u[6 * RIG_BODIES];
  memcpy(q, s->q, (size_t)m->nq * sizeof *q);
  for (int i = 0; i < m->nv; i++) {
    move[i] = h * s->u[i] + 0.5 * h * h * s->udot[i];
    u[i] = s->u[i] + h * s->udot[i];
  }
  dynamics_move(m, q, move);
  dynamics_set(m, x, s->t + h, q, u);
  dynamics_positions_velocities(m, x);
}

// Five-point stencil: the error is h⁴/30 of the fifth derivative and 1.5 ε/h of rounding.
static const double STENCIL_H = 1e-3;
static const double STENCIL_WEIGHT[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
static const double STENCIL_AT[4] = {-2, -1, 1, 2};

// --- families --------------------------------------------------------------------------------------------------------

MAYBE_UNUSED static int types_in(bool planar, const joint_type **list) {
  int count, kept = 0;
  const joint_type *const *all = joint_types(&count);
  for (int i = 0; i < count; i++)
    if (joint_in(all[i], planar)->nv >= 0) list[kept++] = all[i];
  return kept;
}

// Bodies on random parents (on the one before with probability `depth`), every joint type in turn, joints reversed at
// random, markers anywhere.
MAYBE_UNUSED static rig *random_tree(bool planar, int bodies, double depth, uint64_t seed) {
  rig *r = rig_create(planar, seed);
  const joint_type *types[16];
  int count = types_in(planar, types), shift = random_below(&r->seed, count);
  for (int i = 1; i <= bodies; i++) {
    int b = rig_random_body(r);
    int parent = random_between(&r->seed, 0, 1) < depth ? i - 1 : random_below(&r->seed, i);
    int inner = rig_random_marker(r, parent), outer = rig_random_marker(r, b);
    bool reversed = random_below(&r->seed, 2);
    rig_joint(r, types[(i + shift) % count], reversed ? outer : inner, reversed ? inner : outer);
  }
  return r;
}

// n links of unit length along x, turning about z.
MAYBE_UNUSED static rig *chain(bool planar, int links) {
  rig *r = rig_create(planar, 1);
  double thin[6] = {1e-2, 1.0 / 12, 1.0 / 12, 0, 0, 0};
  int last = rig_point(r, GROUND, 0, 0, 0);
  for (int i = 0; i < links; i++) {
    int b = rig_body(r, 1, (vec3){0.5, 0, 0}, thin);
    rig_joint(r, &joint_revolute, last, rig_point(r, b, 0, 0, 0));
    last = rig_point(r, b, 1, 0, 0);
  }
  return r;
}

// Ground, crank 0.4, coupler 1.1, rocker 0.9, frame 1.2. Joints 0..3 in that order round the loop.
MAYBE_UNUSED static rig *four_bar(bool planar) {
  rig *r = rig_create(planar, 1);
  r->m.gravity = (vec3){0, -9.81, 0};
  double length[3] = {0.4, 1.1, 0.9};
  int last = rig_point(r, GROUND, 0, 0, 0);
  for (int i = 0; i < 3; i++) {
    double l = length[i], J[6] = {1e-3, l * l / 12, l * l / 12, 0, 0, 0};
    int b = rig_body(r, 1, (vec3){0.5 * l, 0, 0}, J);
    rig_joint(r, &joint_revolute, last, rig_point(r, b, 0, 0, 0));
    last = rig_point(r, b, l, 0, 0);
  }
  rig_joint(r, &joint_revolute, last, rig_point(r, GROUND, 1.2, 0, 0));
  return r;
}

// A chain of seven or more joints of every type, with two bodies hanging on it anywhere, and one more joint from its
// last body back to its first or to ground, its markers so placed that the loop is closed at a random position. Seven
// joints in turn have freedom enough for six closing rows. `q` receives the coordinates of all joints there, laid out
// as motion.joint_q. Not yet compiled.
MAYBE_UNUSED static rig *random_loop(bool planar, int bodies, const joint_type *closing, uint64_t seed, double *q) {
  rig *r = random_tree(planar, bodies, 1, seed);
  for (int k = 0; k < 2; k++) {
    int b = rig_random_body(r);
    rig_joint(r, &joint_revolute, rig_random_marker(r, random_below(&r->seed, b)), rig_random_marker(r, b));
  }
  rig *open = rig_ready(rig_twin(r, false));
  state s = random_state(open, 0);
  state_at(open, &s, 0, open->x);
  memcpy(q, open->x->joint_q, (size_t)open->m.joint_nq * sizeof *q);
  double *last = q + open->m.joint_nq, move[JOINT_MAX_FREEDOM];
  joint_parameters parameters = {.pitch = 0.3};
  for (int k = 0; k < joint_in(closing, planar)->nv; k++) move[k] = random_between(&r->seed, -1, 1);
  joint_reset(closing, planar, last);
  joint_move(closing, planar, last, move);
  pose relative;
  if (planar) {
    joint_motion_planar jm;
    closing->motion_planar(&parameters, last, &jm);
    relative = (pose){mat3_about_z(jm.turn), {jm.d[0], jm.d[1], 0}};
  } else {
    joint_motion jm;
    closing->motion(&parameters, last, &jm);
    relative = (pose){jm.R, jm.d};
  }
  int a = random_below(&r->seed, 2) ? GROUND : 1, b = bodies;
  const tree_link *at_a = &open->x->links[open->m.bodies[a].node], *at_b = &open->x->links[open->m.bodies[b].node];
  pose local = random_pose(&r->seed, planar, 0.3);
  pose first = pose_product((pose){at_a->R, at_a->p}, local), second = pose_product(first, relative);
  int first_marker = rig_marker(r, a, local);
  int second_marker = rig_marker(r, b, pose_product(pose_inverse((pose){at_b->R, at_b->p}), second));
  rig_joint(r, closing, first_marker, second_marker);
  rig_destroy(open);
  return r;
}

// Compiles and assembles a loop at its known coordinates and gives it random velocities that respect the constraints.
MAYBE_UNUSED static bool rig_set_moving(rig *r, const double *q) {
  if (!rig_compile(r)) return false;
  mechanism *m = &r->m;
  memcpy(r->initial.q, q, (size_t)m->joint_nq * sizeof *q);
  if (!rig_assemble(r)) return false;
  double *u = ARENA_ARRAY(&r->memory, double, m->nv + 1);
  for (int i = 0; i < m->nv; i++) u[i] = random_between(&r->seed, -1, 1);
  dynamics_set(m, r->x, 0, m->q0, u);
  dynamics_positions_velocities(m, r->x);
  if (!dynamics_project_velocities(m, r->x)) return false;
  memcpy(u, r->x->u, (size_t)m->nv * sizeof *u);
  m->u0 = u;
  return true;
}

// Springs, dampers, a bushing, motors along joints (the closing one too) and one drive that starts where the loop is.
MAYBE_UNUSED static void decorate(rig *r, const double *q) {
  int bodies = r->m.body_count - 1, last = r->m.joint_count - 1, offset = 0;
  force *f = rig_force(r, &force_spring, rig_random_marker(r, 1), rig_random_marker(r, bodies));
  f->stiffness[0] = 30, f->damping[0] = 3, f->rest = 0.2;
  f = rig_force(r, &force_bushing, rig_random_marker(r, GROUND), rig_random_marker(r, bodies / 2 + 1));
  for (int k = 0; k < 6; k++) f->stiffness[k] = 5 + k, f->damping[k] = 1 + 0.1 * k;
  bool driven = false;
  for (int j = 0; j <= last; j++) {
    const joint_space *space = joint_in(r->m.joints[j].type, r->m.planar);
    if (space->nv > 0 && space->nq == space->nv && j != last) {
      f = rig_force(r, &force_along, -1, -1);
      f->of = (coordinate){j, space->nv - 1}, f->stiffness[0] = 2, f->damping[0] = 0.5, f->f[0] = constant_of(0.3);
      if (!driven && space->nv == 1) rig_drive(r, j, 0, rig_wave(r, q[offset], 0.2, 3)), driven = true;
    }
    if (j == last && space->nv > 0 && space->nq == space->nv) {
      f = rig_force(r, &force_along, -1, -1);
      f->of = (coordinate){j, 0}, f->stiffness[0] = 4, f->damping[0] = 0.5;
    }
    offset += space->nq;
  }
}

MAYBE_UNUSED static double largest_of(const double *v, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
  return most;
}

#endif
