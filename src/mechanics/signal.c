#include "mechanics/signal.h"

#include <math.h>
#include <string.h>

#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/flexible.h"
#include "mechanics/force.h"
#include "mechanics/marker.h"
#include "mechanics/tree.h"

typedef struct lister {
  mechanism *m;
  arena *memory;
  signal *items;
  int count, capacity;
} lister;

static void add(lister *l, const char *owner, const char *what, const char *unit, signal_kind kind, int index,
                int component, motion_level level) {
  const char *name = owner ? arena_print(l->memory, "%s.%s", owner, what) : arena_copy_text(l->memory, what);
  signal *s = ARENA_PUSH(l->memory, l->items, l->count, l->capacity);
  *s = (signal){name, unit, kind, index, component, level, .of_step = level >= LEVEL_ACCELERATION};
}

static const char *const AXES[] = {"x", "y", "z"};

static void add_vector(lister *l, const char *owner, const char *prefix, const char *unit, signal_kind kind, int index,
                       motion_level level) {
  for (int k = 0; k < 3; k++)
    add(l, owner, arena_print(l->memory, "%s%s", prefix, AXES[k]), unit, kind, index, k, level);
}

// Body-fixed angles, as `rotate: {xyz: ...}` has them.
static void add_angles(lister *l, const char *owner, int joint) {
  for (int k = 0; k < 3; k++)
    add(l, owner, arena_print(l->memory, "xyz%d", k), "rad", SIGNAL_JOINT_XYZ, joint, k, LEVEL_POSITION);
}

static void add_joint(lister *l, int i) {
  const joint *j = &l->m->joints[i];
  const joint_space *space = joint_in(j->type, l->m->planar);
  const char *kinds = l->m->planar ? j->type->kinds_planar : j->type->kinds_spatial;
  bool quaternion = space->nq != space->nv;
  for (int k = 0; k < space->nq; k++) {
    const char *unit = kinds[k] == 't' ? "m" : kinds[k] == 'a' ? "rad" : "1";
    const char *name = space->nq == 1 ? "q" : arena_print(l->memory, "q%d", k);
    add(l, j->name, name, unit, SIGNAL_JOINT_Q, i, k, LEVEL_POSITION);
  }
  if (quaternion) add_angles(l, j->name, i);
  for (int level = 0; level < 2; level++)
    for (int k = 0; k < space->nv; k++) {
      bool translation = quaternion ? k >= 3 : kinds[k] == 't';
      const char *units[2][2] = {{"rad/s", "m/s"}, {"rad/s^2", "m/s^2"}};
      const char *letter = level ? "a" : "u";
      const char *name = space->nv == 1 ? letter : arena_print(l->memory, "%s%d", letter, k);
      add(l, j->name, name, units[level][translation], level ? SIGNAL_JOINT_A : SIGNAL_JOINT_U, i, k,
          level ? LEVEL_ACCELERATION : LEVEL_VELOCITY);
    }
  add_vector(l, j->name, "f", "N", SIGNAL_REACTION_FORCE, i, LEVEL_ACCELERATION);
  add_vector(l, j->name, "t", "N*m", SIGNAL_REACTION_TORQUE, i, LEVEL_ACCELERATION);
}

static void add_body(lister *l, int i) {
  const char *name = l->m->bodies[i].name;
  static const char *const quaternion[] = {"qw", "qx", "qy", "qz"};
  add_vector(l, name, "", "m", SIGNAL_BODY_POSITION, i, LEVEL_POSITION);
  for (int k = 0; k < 4; k++) add(l, name, quaternion[k], "1", SIGNAL_BODY_QUATERNION, i, k, LEVEL_POSITION);
  add_vector(l, name, "v", "m/s", SIGNAL_BODY_VELOCITY, i, LEVEL_VELOCITY);
  add_vector(l, name, "w", "rad/s", SIGNAL_BODY_OMEGA, i, LEVEL_VELOCITY);
  add_vector(l, name, "a", "m/s^2", SIGNAL_BODY_ACCELERATION, i, LEVEL_ACCELERATION);
  add_vector(l, name, "al", "rad/s^2", SIGNAL_BODY_ALPHA, i, LEVEL_ACCELERATION);
}

// Modal coordinates are numbered from 1, as modes are.
static bool has_modes(const mechanism *m) {
  for (int i = 1; i < m->body_count; i++)
    if (m->bodies[i].flex) return true;
  return false;
}

static void add_modes(lister *l, int i) {
  const body *of = &l->m->bodies[i];
  for (int k = 0; of->flex && k < of->flex->modes; k++) {
    const bool turns = of->flex->kinds && of->flex->kinds[k] == 'a';
    const char *name = arena_print(l->memory, "mode%d", k + 1);
    add(l, of->name, name, turns ? "rad" : "m", SIGNAL_MODE, i, k, LEVEL_POSITION);
    add(l, of->name, arena_print(l->memory, "%s_rate", name), turns ? "rad/s" : "m/s", SIGNAL_MODE_RATE, i, k,
        LEVEL_VELOCITY);
  }
}

static const char *effort_unit(const mechanism *m, coordinate of) { return coordinate_slides(m, of) ? "N" : "N*m"; }

// Of a force along a coordinate the first output is an effort, and others without a unit of their own.
static const char *force_unit(const mechanism *m, const force *f, int k) {
  return f->of.joint >= 0 && (k == 0 || !f->type->output_units[k][0]) ? effort_unit(m, f->of)
                                                                      : f->type->output_units[k];
}

static void add_friction(lister *l, int i) {
  coordinate of = l->m->frictions[i].of;
  const joint *j = &l->m->joints[of.joint];
  bool several = joint_in(j->type, l->m->planar)->nv > 1;
  const char *number = several ? arena_print(l->memory, "%d", of.index) : "";
  add(l, j->name, arena_print(l->memory, "friction%s", number), effort_unit(l->m, of), SIGNAL_FRICTION_EFFORT, i, 0,
      LEVEL_ACCELERATION);
  add(l, j->name, arena_print(l->memory, "slip%s", number), "1", SIGNAL_FRICTION_SLIP, i, 0, LEVEL_ACCELERATION);
}

static void add_force(lister *l, int i) {
  const force *f = &l->m->forces[i];
  const force_type *type = f->type;
  for (int k = 0; k < type->output_count; k++) {
    add(l, f->name, type->outputs[k], force_unit(l->m, f, k), SIGNAL_FORCE, i, k, LEVEL_ACCELERATION);
    l->items[l->count - 1].of_step = k < type->output_count - type->state_outputs;
  }
}

void signal_list(mechanism *m, arena *memory) {
  lister l = {.m = m, .memory = memory};
  add(&l, NULL, "t", "s", SIGNAL_TIME, 0, 0, LEVEL_NONE);
  for (int i = 0; i < m->joint_count; i++) add_joint(&l, i);
  for (int i = 1; i < m->body_count; i++) add_body(&l, i);
  for (int i = 1; i < m->body_count; i++) add_modes(&l, i);
  for (int i = 0; i < m->marker_count; i++) {
    const char *name = m->markers[i].name;
    if (!name) continue;
    add_vector(&l, name, "", "m", SIGNAL_MARKER_POSITION, i, LEVEL_POSITION);
    add_vector(&l, name, "v", "m/s", SIGNAL_MARKER_VELOCITY, i, LEVEL_VELOCITY);
    add_vector(&l, name, "a", "m/s^2", SIGNAL_MARKER_ACCELERATION, i, LEVEL_ACCELERATION);
  }
  for (int i = 0; i < m->force_count; i++) add_force(&l, i);
  for (int i = 0; i < m->drive_count; i++) {
    add(&l, m->drives[i].name, "effort", effort_unit(m, m->drives[i].of), SIGNAL_DRIVE_EFFORT, i, 0,
        LEVEL_ACCELERATION);
    add(&l, m->drives[i].name, "power", "W", SIGNAL_DRIVE_POWER, i, 0, LEVEL_ACCELERATION);
  }
  for (int i = 0; i < m->constraint_count; i++)
    for (int k = 0; k < m->constraints[i].row_count; k++)
      add(&l, m->constraints[i].name, arena_print(memory, "lambda%d", k),
          constraint_multiplier_unit(m, &m->constraints[i], k), SIGNAL_MULTIPLIER, m->constraints[i].row0 + k, 0,
          LEVEL_ACCELERATION);
  for (int i = 0; i < m->friction_count; i++) add_friction(&l, i);
  for (int i = 0; i < m->state_count; i++)
    if (m->states[i].name) add(&l, NULL, m->states[i].name, m->states[i].unit, SIGNAL_STATE, i, 0, LEVEL_POSITION);
  for (int i = 0; i < m->computed_count; i++)
    add(&l, NULL, m->computed[i].name, m->computed[i].unit, SIGNAL_COMPUTED, i, 0, LEVEL_VELOCITY);
  for (int i = 0; i < m->callback_count; i++)
    for (int k = 0; k < m->callbacks[i].output_count; k++)
      add(&l, m->callbacks[i].name, m->callbacks[i].outputs[k], "", SIGNAL_CALLED, i, k, LEVEL_VELOCITY);
  add(&l, "energy", "kinetic", "J", SIGNAL_KINETIC, 0, 0, LEVEL_VELOCITY);
  add(&l, "energy", "gravity", "J", SIGNAL_GRAVITY, 0, 0, LEVEL_POSITION);
  add(&l, "energy", "spring", "J", SIGNAL_SPRING, 0, 0, LEVEL_ACCELERATION);
  l.items[l.count - 1].of_step = false;
  if (has_modes(m)) {
    add(&l, "energy", "strain", "J", SIGNAL_STRAIN, 0, 0, LEVEL_ACCELERATION);
    l.items[l.count - 1].of_step = false;
  }
  m->signals = l.items;
  m->signal_count = l.count;
}

int signal_find(const mechanism *m, const char *name) {
  for (int i = 0; i < m->signal_count; i++)
    if (strcmp(m->signals[i].name, name) == 0) return i;
  return -1;
}

static double component(vec3 v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

// In the plane from half the turn, as quat_of_matrix has it: w is not negative up to a quarter turn, z beyond.
static quat body_turn(const mechanism *m, const tree_link *l) {
  if (!m->planar) return quat_of_matrix(l->R);
  double c = l->R.m[0], s = l->R.m[3], larger = sqrt(0.5 * (1 + fabs(c))), smaller = 0.5 * s / larger;
  return c >= 0 ? (quat){larger, 0, 0, smaller} : (quat){smaller, 0, 0, larger};
}

static double quaternion_component(quat q, int k) { return k == 0 ? q.w : k == 1 ? q.x : k == 2 ? q.y : q.z; }

static vec3 joint_angles(const mechanism *m, const motion *x, int i) {
  const double *e = x->joint_q + m->joints[i].q + m->joints[i].type->quaternion_q;
  return mat3_xyz(quat_matrix(quat_normalize((quat){e[0], e[1], e[2], e[3]})));
}

double signal_read(const mechanism *m, const motion *x, int i) {
  const signal *s = &m->signals[i];
  const motion_result *r = &x->result;
  int k = s->component;
  switch (s->kind) {
    case SIGNAL_TIME: return x->t;
    case SIGNAL_JOINT_Q: return x->joint_q[m->joints[s->index].q + k];
    case SIGNAL_JOINT_XYZ: return component(joint_angles(m, x, s->index), k);
    case SIGNAL_JOINT_U: return x->joint_u[m->joints[s->index].v + k];
    case SIGNAL_JOINT_A: return r->joint_udot[m->joints[s->index].v + k];
    case SIGNAL_BODY_POSITION: return component(x->links[m->bodies[s->index].node].p, k);
    case SIGNAL_BODY_QUATERNION: return quaternion_component(body_turn(m, &x->links[m->bodies[s->index].node]), k);
    case SIGNAL_BODY_VELOCITY: return component(block_linear(m, x->links[m->bodies[s->index].node].V), k);
    case SIGNAL_BODY_OMEGA: return component(block_angular(m, x->links[m->bodies[s->index].node].V), k);
    case SIGNAL_BODY_ACCELERATION: return r->acceleration[6 * s->index + k];
    case SIGNAL_BODY_ALPHA: return r->acceleration[6 * s->index + 3 + k];
    case SIGNAL_MODE: return x->q[m->nodes[m->bodies[s->index].node].modal_q + k];
    case SIGNAL_MODE_RATE: return x->u[m->nodes[m->bodies[s->index].node].modal_v + k];
    case SIGNAL_MARKER_POSITION: return component(marker_read(m, x, s->index).p, k);
    case SIGNAL_MARKER_VELOCITY: return component(marker_read(m, x, s->index).v, k);
    case SIGNAL_MARKER_ACCELERATION: return r->marker_acceleration[3 * s->index + k];
    case SIGNAL_FORCE: return (s->of_step ? r->force_outputs : x->force_outputs)[m->forces[s->index].output + k];
    case SIGNAL_DRIVE_EFFORT: return r->drive_effort[s->index];
    case SIGNAL_DRIVE_POWER: return r->drive_power[s->index];
    case SIGNAL_REACTION_FORCE: return r->reaction[6 * s->index + k];
    case SIGNAL_REACTION_TORQUE: return r->reaction[6 * s->index + 3 + k];
    case SIGNAL_MULTIPLIER: return r->lambda[s->index];
    case SIGNAL_FRICTION_EFFORT: return r->friction_effort[s->index];
    case SIGNAL_FRICTION_SLIP: return r->friction_slip[s->index];
    case SIGNAL_STATE: return x->inner[s->index];
    case SIGNAL_CALLED: return x->called[m->callbacks[s->index].output0 + k];
    case SIGNAL_COMPUTED: return x->computed[s->index];
    case SIGNAL_KINETIC: return x->level >= LEVEL_REACTION ? x->kinetic : tree_kinetic_energy(m, x);
    case SIGNAL_GRAVITY:
      return x->level >= LEVEL_REACTION ? x->potentials[POTENTIAL_GRAVITY] : tree_gravity_energy(m, x);
    case SIGNAL_SPRING: return x->potentials[POTENTIAL_SPRING];
    case SIGNAL_STRAIN: return x->potentials[POTENTIAL_STRAIN];
  }
  return 0;
}

static double *put(double *out, vec3 v) {
  vec3_store(out, v);
  return out + 3;
}

static double *put_joint(const mechanism *m, const motion *x, int i, double *out) {
  const joint *j = &m->joints[i];
  const joint_space *space = joint_in(j->type, m->planar);
  for (int k = 0; k < space->nq; k++) *out++ = x->joint_q[j->q + k];
  if (space->nq != space->nv) out = put(out, joint_angles(m, x, i));
  for (int k = 0; k < space->nv; k++) *out++ = x->joint_u[j->v + k];
  for (int k = 0; k < space->nv; k++) *out++ = x->result.joint_udot[j->v + k];
  memcpy(out, x->result.reaction + 6 * i, 6 * sizeof *out);
  return out + 6;
}

static double *put_body(const mechanism *m, const motion *x, int i, double *out) {
  const tree_link *l = &x->links[m->bodies[i].node];
  quat e = body_turn(m, l);
  out = put(out, l->p);
  *out++ = e.w, *out++ = e.x, *out++ = e.y, *out++ = e.z;
  out = put(put(out, block_linear(m, l->V)), block_angular(m, l->V));
  memcpy(out, x->result.acceleration + 6 * i, 6 * sizeof *out);
  return out + 6;
}

// In the order of signal_list.
void signal_read_all(const mechanism *m, const motion *x, double *out) {
  const double *first = out;
  *out++ = x->t;
  for (int i = 0; i < m->joint_count; i++) out = put_joint(m, x, i, out);
  for (int i = 1; i < m->body_count; i++) out = put_body(m, x, i, out);
  for (int i = (int)(out - first); i < m->signal_count; i++) *out++ = signal_read(m, x, i);
}
