#include "mechanics/spanning.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "mechanics/centre.h"
#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/dca.h"
#include "mechanics/flexible.h"
#include "mechanics/force.h"
#include "mechanics/kinematics.h"
#include "mechanics/response_internal.h"
#include "mechanics/signal.h"
#include "mechanics/tree.h"

// --- the tree --------------------------------------------------------------------------------------------------------

static int body_of(const mechanism *m, int marker_index) { return m->markers[marker_index].body; }

static bool is_turned(mat3 R) {
  mat3 one = MAT3_IDENTITY;
  return memcmp(&R, &one, sizeof R) != 0;
}

// Mass, inertia about the body's origin: J + m (k² - k kᵀ).
static void set_body(const mechanism *m, node *n) {
  const body *b = &m->bodies[n->body];
  vec3 k = b->com;
  n->mass = b->mass;
  n->com = k;
  n->moment = vec3_scale(b->mass, k);
  const double shift[6] = {
      k.y * k.y + k.z * k.z, k.x * k.x + k.z * k.z, k.x * k.x + k.y * k.y, -k.x * k.y, -k.x * k.z, -k.y * k.z};
  for (int i = 0; i < 6; i++) n->inertia[i] = b->inertia[i] + b->mass * shift[i];
  n->principal = n->inertia[3] == 0 && n->inertia[4] == 0 && n->inertia[5] == 0;
}

// Modal speeds stand behind those of the joint and before those of what hangs on the body.
static void add_modes(mechanism *m, node *n) {
  n->flex = m->bodies[n->body].flex;
  if (!n->flex) return;
  n->modes = n->flex->modes, n->modal_q = m->nq, n->modal_v = m->nv;
  for (int k = 0; k < n->modes; k++) {
    m->speed_node[m->nv + k] = m->node_count;
    m->speed_before[m->nv + k] = n->last_speed;
    n->last_speed = m->nv + k;
  }
  m->nq += n->modes, m->nv += n->modes;
}

static node *add_node(mechanism *m, int parent, int body_index, const joint_type *type) {
  node *n = &m->nodes[m->node_count];
  const joint_space *space = joint_in(type, m->planar);
  *n = (node){.parent = parent,
              .body = body_index,
              .joint = -1,
              .type = type,
              .inner = POSE_IDENTITY,
              .outer = POSE_IDENTITY,
              .q = m->nq,
              .v = m->nv,
              .nq = space->nq,
              .nv = space->nv,
              .factor = m->factor_size,
              .free_count = space->nv};
  n->last_speed = m->nodes[parent].last_speed;
  for (int k = 0; k < n->nv; k++) {
    n->free[k] = k;
    m->speed_node[m->nv + k] = m->node_count;
    m->speed_before[m->nv + k] = n->last_speed;
    n->last_speed = m->nv + k;
  }
  m->bodies[body_index].node = m->node_count;
  m->nq += n->nq, m->nv += n->nv, m->factor_size += tree_factor_size(n);
  add_modes(m, n);
  n->base = parent == GROUND ? m->base_count++ : m->nodes[parent].base;
  set_body(m, n);
  m->node_count++;
  return n;
}

static void hang(mechanism *m, int joint_index, bool reversed) {
  joint *j = &m->joints[joint_index];
  const marker *inner = &m->markers[reversed ? j->second : j->first];
  const marker *outer = &m->markers[reversed ? j->first : j->second];
  j->node = m->node_count;
  node *n = add_node(m, m->bodies[inner->body].node, outer->body, j->type);
  n->joint = joint_index;
  n->parameters = j->parameters;
  n->reversed = reversed;
  n->inner = inner->local, n->outer = outer->local;
  n->inner_turned = is_turned(inner->local.R), n->outer_turned = is_turned(outer->local.R);
  n->outer_moved = vec3_norm(outer->local.p) > 0;
  n->plain = !n->reversed && !n->inner_turned && !n->outer_turned && !n->outer_moved;
  n->hinge = kinematics_is_hinge(n);
  n->axis = kinematics_axis(n);
  n->pivots = n->hinge && !n->outer_moved && !m->planar;
}

// Joints with little freedom first, so that those left to close loops have few constraint rows; among equals those
// whose coordinates the user knows, then in file order.
static int cost_of(const mechanism *m, int i, const bool *wanted) {
  int freedom = joint_in(m->joints[i].type, m->planar)->nv;
  for (int d = 0; d < m->drive_count; d++) freedom -= m->drives[d].of.joint == i;
  if (freedom < 0) freedom = 0;  // driven twice, refused later
  return 2 * freedom + !(wanted && wanted[i]);
}

// Prim's algorithm, the frontier as one list of joints a cost: a joint is looked at again only when it is taken.
typedef struct frontier {
  int *next;  // next joint in the same list, one per joint
  int head[32], tail[32];
} frontier;

static void frontier_push(frontier *f, int cost, int joint_index) {
  f->next[joint_index] = -1;
  if (f->head[cost] < 0) f->head[cost] = joint_index;
  else f->next[f->tail[cost]] = joint_index;
  f->tail[cost] = joint_index;
}

static int frontier_pop(frontier *f) {
  for (int c = 0; c < 32; c++)
    if (f->head[c] >= 0) {
      int joint_index = f->head[c];
      f->head[c] = f->next[joint_index];
      return joint_index;
    }
  return -1;
}

typedef struct adjacency {
  int *start, *joints;  // joints of each body
} adjacency;

static adjacency list_joints(const mechanism *m, arena *memory) {
  adjacency a = {ARENA_ARRAY(memory, int, m->body_count + 2), ARENA_ARRAY(memory, int, 2 * m->joint_count + 1)};
  for (int i = 0; i < m->joint_count; i++) {
    if (m->joints[i].loose) continue;
    a.start[body_of(m, m->joints[i].first) + 2]++, a.start[body_of(m, m->joints[i].second) + 2]++;
  }
  for (int b = 0; b < m->body_count; b++) a.start[b + 2] += a.start[b + 1];
  for (int i = 0; i < m->joint_count; i++) {
    if (m->joints[i].loose) continue;
    a.joints[a.start[body_of(m, m->joints[i].first) + 1]++] = i;
    a.joints[a.start[body_of(m, m->joints[i].second) + 1]++] = i;
  }
  return a;
}

// A body that is not in the tree yet, but at the other end of a joint with clearance from one that is; 0: none.
static int find_loose(const mechanism *m) {
  for (int i = 0; i < m->joint_count; i++) {
    int first = body_of(m, m->joints[i].first), second = body_of(m, m->joints[i].second);
    if (!m->joints[i].loose || (m->bodies[first].node < 0) == (m->bodies[second].node < 0)) continue;
    return m->bodies[first].node < 0 ? first : second;
  }
  return 0;
}

static int hang_freely(mechanism *m, int body_index) {
  if (!body_index) return 0;
  add_node(m, GROUND, body_index, &joint_free);
  m->floats = true;
  return body_index;
}

static void grow_tree(mechanism *m, const bool *wanted, arena *memory) {
  adjacency a = list_joints(m, memory);
  frontier f = {.next = ARENA_ARRAY(memory, int, m->joint_count + 1)};
  bool *seen = ARENA_ARRAY(memory, bool, m->joint_count + 1);
  for (int c = 0; c < 32; c++) f.head[c] = -1;
  for (int b = 1; b < m->body_count; b++) m->bodies[b].node = -1;
  int reached = 0;
  while (true) {
    for (int k = a.start[reached]; k < a.start[reached + 1]; k++) {
      int i = a.joints[k];
      if (!seen[i]) seen[i] = true, frontier_push(&f, cost_of(m, i, wanted), i);
    }
    int taken;
    do {
      taken = frontier_pop(&f);
      if (taken < 0) {
        reached = hang_freely(m, find_loose(m));
        if (!reached) return;
        break;
      }
      int first = body_of(m, m->joints[taken].first), second = body_of(m, m->joints[taken].second);
      bool has_first = m->bodies[first].node >= 0, has_second = m->bodies[second].node >= 0;
      if (has_first && has_second) continue;  // closes a loop
      reached = has_first ? second : first;
      hang(m, taken, !has_first);
      break;
    } while (true);
  }
}

// --- loops and drives ------------------------------------------------------------------------------------------------

static void add_rows(mechanism *m, constraint *c) {
  c->row0 = m->row_count;
  m->row_count += c->row_count;
  m->row_body_count += c->row_count * constraint_body_terms(m, c);
  m->row_speed_count += c->row_count * constraint_speed_terms(m, c);
}

static void close_loops(mechanism *m, arena *memory) {
  constraint *given = m->constraints;
  int given_count = m->constraint_count;
  m->constraints = ARENA_ARRAY(memory, constraint, given_count + m->joint_count + m->drive_count + 1);
  m->constraint_count = 0;
  for (int i = 0; i < m->joint_count; i++) {
    joint *j = &m->joints[i];
    const joint_space *space = joint_in(j->type, m->planar);
    j->constraint = -1;
    if (j->node >= 0 || j->loose || !space->row_count) continue;
    j->constraint = m->constraint_count;
    m->constraints[m->constraint_count++] = (constraint){.name = j->name,
                                                         .part = {PART_JOINT, i},
                                                         .type = &constraint_closure,
                                                         .joint = i,
                                                         .first = j->first,
                                                         .second = j->second,
                                                         .rows = space->rows,
                                                         .row_count = space->row_count};
  }
  for (int i = 0; i < given_count; i++) m->constraints[m->constraint_count++] = given[i];
  for (int i = 0; i < m->drive_count; i++) {
    drive *d = &m->drives[i];
    d->speed = coordinate_speed(m, d->of);
    d->constraint = -1;
    if (d->speed >= 0) continue;
    couple_term *term = ARENA_NEW(memory, couple_term);
    *term = (couple_term){d->of, 1};
    d->constraint = m->constraint_count;
    m->constraints[m->constraint_count++] = (constraint){.name = d->name,
                                                         .part = {PART_DRIVE, i},
                                                         .type = &constraint_couple,
                                                         .joint = -1,
                                                         .terms = term,
                                                         .term_count = 1,
                                                         .f = d->f,
                                                         .row_count = 1};
  }
  for (int i = 0; i < m->constraint_count; i++) add_rows(m, &m->constraints[i]);
}

static void drive_speeds(mechanism *m, arena *memory) {
  m->driven = ARENA_ARRAY(memory, bool, m->nv + 1);
  for (int i = 0; i < m->drive_count; i++) {
    if (m->drives[i].speed < 0) continue;
    m->driven[m->drives[i].speed] = true;
    node *n = &m->nodes[m->joints[m->drives[i].of.joint].node];
    int kept = 0;
    for (int k = 0; k < n->free_count; k++)
      if (n->v + n->free[k] != m->drives[i].speed) n->free[kept++] = n->free[k];
    n->free_count = kept;
  }
}

// --- bodies that move freely -----------------------------------------------------------------------------------------

// D = (inertia in the axes of the joint's marker, mass). False if it is singular, which the tree reports.
static bool find_half(node *n) {
  const double *b = n->inertia;
  mat3 local = {{b[0], b[3], b[4], b[3], b[1], b[5], b[4], b[5], b[2]}}, D = local;
  if (n->outer_turned) D = mat3_product(mat3_transpose(n->outer.R), mat3_product(local, n->outer.R));
  if (!(n->mass > 0) || !dense_cholesky(3, D.m, 3, TREE_SINGULAR, NULL)) return false;
  const double *L = D.m;
  double x = 1 / L[0], y = 1 / L[4], z = 1 / L[8], xy = -L[3] * x * y;
  memcpy(n->half, (double[7]){x, xy, -(L[6] * x + L[7] * xy) * z, y, -L[7] * y * z, z, 1 / sqrt(n->mass)},
         sizeof n->half);
  return true;
}

static void mark_steady(mechanism *m) {
  for (int i = 1; i < m->node_count; i++) m->nodes[i].steady = !m->planar, m->nodes[i].centred = m->planar;
  for (int i = 1; i < m->node_count; i++) {
    node *n = &m->nodes[i], *parent = &m->nodes[n->parent];
    bool is_free = !n->flex && n->parent == GROUND && n->type == &joint_free && n->free_count == n->nv &&
                   vec3_norm(n->moment) == 0 && !n->outer_moved && !n->reversed;
    n->steady &= is_free && find_half(n);
    n->centred &= is_free && !n->inner_turned && !n->outer_turned;
    parent->steady = parent->centred = false;  // parents come first
  }
}

// --- the pattern of G M⁻¹ Gᵀ -----------------------------------------------------------------------------------------

// Marks the nodes between a constrained one and ground.
static void mark_path(const mechanism *m, bool *marked, int i) {
  for (; i != GROUND && !marked[i]; i = m->nodes[i].parent) marked[i] = true;
}

static bool *find_met_nodes(const mechanism *m, const motion *rows, const bool *touched, arena *memory) {
  bool *met = ARENA_ARRAY(memory, bool, m->node_count);
  for (int k = 0; k < m->row_body_count; k++) met[rows->row_bodies[k].node] = true;
  for (int k = 0; k < m->row_speed_count; k++) met[m->speed_node[rows->row_speeds[k].speed]] = true;
  for (int b = 1; touched && b < m->body_count; b++) met[m->bodies[b].node] |= touched[b];
  for (int i = 0; i < m->friction_count; i++) {
    const joint *j = &m->joints[m->frictions[i].of.joint];
    met[m->bodies[m->markers[j->first].body].node] = met[m->bodies[m->markers[j->second].body].node] = true;
  }
  return met;
}

static void list_base_nodes(mechanism *m, const bool *met, arena *memory) {
  bool *marked = ARENA_ARRAY(memory, bool, m->node_count);
  for (int i = 1; i < m->node_count; i++)
    if (met[i]) mark_path(m, marked, i);
  m->base_start = ARENA_ARRAY(memory, int, m->base_count + 2);
  m->base_nodes = ARENA_ARRAY(memory, int, m->node_count + 1);
  for (int i = 1; i < m->node_count; i++) m->base_start[m->nodes[i].base + 2] += marked[i];
  for (int b = 0; b < m->base_count; b++) m->base_start[b + 2] += m->base_start[b + 1];
  for (int i = 1; i < m->node_count; i++)
    if (marked[i]) m->base_nodes[m->base_start[m->nodes[i].base + 1]++] = i;
}

// Not if it carries others that divide and conquer takes.
static bool is_one_body(const mechanism *m, int base) {
  int first = m->base_start[base];
  if (m->base_start[base + 1] != first + 1) return false;
  const node *n = &m->nodes[m->base_nodes[first]];
  return tree_is_free_body(m->n, n) && !n->flex && !(m->dca && m->dca->base_begin[base] < m->dca->base_end[base]);
}

static void mark_bodies(mechanism *m, arena *memory) {
  m->base_is_body = ARENA_ARRAY(memory, bool, m->base_count + 1);
  for (int b = 0; b < m->base_count; b++) m->base_is_body[b] = is_one_body(m, b);
}

static void list_base_speeds(mechanism *m, arena *memory) {
  int count = 0;
  m->base_speed_start = ARENA_ARRAY(memory, int, m->base_count + 1);
  m->base_speeds = ARENA_ARRAY(memory, int, m->nv + 1);
  m->speed_place = ARENA_ARRAY(memory, int, m->nv + 1);
  for (int v = 0; v < m->nv; v++) m->speed_place[v] = -1;
  for (int b = 0; b < m->base_count; b++) {
    for (int k = m->base_start[b]; k < m->base_start[b + 1]; k++) {
      const node *n = &m->nodes[m->base_nodes[k]];
      for (int v = n->v; v < n->v + n->nv; v++) {
        m->speed_place[v] = count - m->base_speed_start[b];
        m->base_speeds[count++] = v;
      }
      for (int v = n->modal_v; v < n->modal_v + n->modes; v++) {
        m->speed_place[v] = count - m->base_speed_start[b];
        m->base_speeds[count++] = v;
      }
    }
    m->base_speed_start[b + 1] = count;
  }
}

static bool share_base(const motion *x, const row *a, const row *b) {
  if (a == b) return true;  // the diagonal is there even for a row that touches ground only
  for (int i = 0; i < a->base_count; i++)
    for (int j = 0; j < b->base_count; j++)
      if (x->row_bases[a->base0 + i] == x->row_bases[b->base0 + j]) return true;
  return false;
}

// Two rows couple when they touch one tree. Worth a sparse solver when there are many rows and few couplings.
static void find_pattern(mechanism *m, const motion *x, arena *memory) {
  enum { SPARSE_FROM = 64 };
  long entries = 0;
  if (m->row_count < SPARSE_FROM) return;
  for (int j = 0; j < m->row_count; j++)
    for (int i = 0; i < m->row_count; i++) entries += share_base(x, &x->rows[i], &x->rows[j]);
  if (entries * 4 > (long)m->row_count * m->row_count) return;
  m->sparse = true;
  m->pattern_start = ARENA_ARRAY(memory, int, m->row_count + 1);
  m->pattern_row = ARENA_ARRAY(memory, int, entries);
  int used = 0;
  for (int j = 0; j < m->row_count; j++) {
    for (int i = 0; i < m->row_count; i++)
      if (share_base(x, &x->rows[i], &x->rows[j])) m->pattern_row[used++] = i;
    m->pattern_start[j + 1] = used;
  }
}

// --- all -------------------------------------------------------------------------------------------------------------

static bool check_connected(const mechanism *m, fault *f) {
  for (int b = 1; b < m->body_count; b++)
    if (m->bodies[b].node < 0)
      return fault_set(f, CAROM_ERROR_MODEL, (part_id){PART_BODY, b}, "add a joint, for instance {free: [ground, …]}",
                       "no joint connects body '%s' to ground", m->bodies[b].name);
  return true;
}

// One coordinate, one drive.
static bool check_drives(const mechanism *m, fault *f) {
  for (int i = 0; i < m->drive_count; i++)
    for (int k = 0; k < i; k++) {
      const drive *a = &m->drives[k], *b = &m->drives[i];
      if (a->of.joint == b->of.joint && a->of.index == b->of.index)
        return fault_set(f, CAROM_ERROR_MODEL, (part_id){PART_DRIVE, i}, NULL, "joint '%s' is already driven by '%s'",
                         m->joints[b->of.joint].name, a->name);
    }
  return true;
}

// The recursion knows one case: the frame of a flexible body is at the marker by which a joint carries it.
static bool is_at_frame(const mechanism *m, const marker *k) {
  const int modes = m->bodies[k->body].flex->modes;
  bool still = true;
  for (int i = 0; k->shape && i < modes; i++) {
    still &= vec3_norm(k->shape->shift[i]) == 0 && vec3_norm(k->shape->turn[i]) == 0;
    for (int j = 0; k->shape->second && j < modes; j++) still &= vec3_norm(k->shape->second[i * modes + j]) == 0;
  }
  return still;
}

static bool check_flexible(const mechanism *m, fault *f) {
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    const part_id part = {PART_BODY, n->body};
    const char *name = m->bodies[n->body].name;
    if (n->modes > FLEXIBLE_MODES_MAX)
      return fault_set(f, CAROM_ERROR_MODEL, part, "keep fewer modes",
                       "body '%s' has %d modes; at most %d are supported", name, n->modes, FLEXIBLE_MODES_MAX);
    const joint *j = n->joint < 0 ? NULL : &m->joints[n->joint];
    if (n->flex && j && !is_at_frame(m, &m->markers[n->reversed ? j->first : j->second]))
      return fault_set(f, CAROM_ERROR_MODEL, part, "fix the frame of the body at that joint",
                       "joint '%s' carries the flexible body '%s' at a marker that moves with its modes", j->name,
                       name);
  }
  return true;
}

// A joint with clearance is watched when a force, a coupling or a drive reads its coordinates.
static void watch_joints(mechanism *m) {
  for (int i = 0; i < m->joint_count; i++) m->joints[i].watched = !m->joints[i].loose;
  for (int i = 0; i < m->force_count; i++)
    if (m->forces[i].of.joint >= 0) m->joints[m->forces[i].of.joint].watched = true;
  for (int i = 0; i < m->drive_count; i++) m->joints[m->drives[i].of.joint].watched = true;
  for (int i = 0; i < m->constraint_count; i++)
    for (int k = 0; k < m->constraints[i].term_count; k++)
      m->joints[m->constraints[i].terms[k].of.joint].watched = true;
}

// --- the typical length ----------------------------------------------------------------------------------------------

// Points of a body where something acts: one of them, and the one that is farthest from it.
typedef struct spread {
  bool started;
  vec3 from, farthest;
  double distance;
} spread;

static void look_at(const mechanism *m, int index, spread *bodies) {
  if (index < 0) return;
  vec3 p = m->markers[index].local.p;
  spread *of = &bodies[m->markers[index].body];
  if (!of->started) of->started = true, of->from = p;
  double d = vec3_norm(vec3_sub(p, of->from));
  if (d > of->distance) of->distance = d, of->farthest = p;
}

// A free joint holds nothing: where its markers are says nothing about a body.
static bool joint_holds(const mechanism *m, const joint *j) { return joint_in(j->type, m->planar)->nv < m->n; }

// The markers of joints, constraints and forces. Those of surfaces and sensors are left out.
static void look_at_all(const mechanism *m, spread *bodies) {
  for (int i = 0; i < m->joint_count; i++)
    if (joint_holds(m, &m->joints[i])) look_at(m, m->joints[i].first, bodies), look_at(m, m->joints[i].second, bodies);
  for (int i = 0; i < m->constraint_count; i++)
    if (m->constraints[i].joint < 0 && !m->constraints[i].term_count)
      look_at(m, m->constraints[i].first, bodies), look_at(m, m->constraints[i].second, bodies);
  for (int i = 0; i < m->force_count; i++)
    look_at(m, m->forces[i].first, bodies), look_at(m, m->forces[i].second, bodies);
}

// How far apart the points of each body are where something acts on it, its mass centre among them: the point that is
// farthest from the mass centre, and the one that is farthest from there. Ground has no mass centre and starts from any
// point.
static void measure_bodies(const mechanism *m, spread *bodies) {
  for (int i = 1; i < m->body_count; i++) bodies[i] = (spread){.started = true, .from = m->bodies[i].com};
  look_at_all(m, bodies);
  for (int i = 0; i < m->body_count; i++)
    if (bodies[i].distance > 0) bodies[i].from = bodies[i].farthest;
  look_at_all(m, bodies);
}

// A typical size of the mechanism, for tolerances and weights: that of its largest moving body. It depends neither on
// where bodies have their origins nor on where they stand. Only if no moving body has a size, those of ground count.
static double typical_length(const mechanism *m, const temporary_rows *surfaces, arena *memory) {
  spread *bodies = ARENA_ARRAY(memory, spread, m->body_count);
  measure_bodies(m, bodies);
  double moving = surfaces ? surfaces->moving_size : 0, fixed = surfaces ? surfaces->fixed_size : 0;
  for (int i = 1; i < m->body_count; i++) {
    moving = fmax(moving, bodies[i].distance);
    if (m->bodies[i].flex) moving = fmax(moving, m->bodies[i].flex->extent);
  }
  return moving > 0 ? moving : fixed > 0 ? fixed : bodies[GROUND].distance > 0 ? bodies[GROUND].distance : 1;
}

double mechanism_total_mass(const mechanism *m) {
  double sum = 0;
  for (int i = 1; i < m->node_count; i++) {
    const double *J = m->nodes[i].inertia;
    sum += m->nodes[i].mass + (m->planar ? J[2] : J[0] + J[1] + J[2]) / (m->length * m->length);
  }
  return sum;
}

bool mechanism_compile(mechanism *m, const bool *wanted, const temporary_rows *temporary, arena *memory, fault *f) {
  int speeds = 6 * m->body_count;
  for (int i = 0; i < m->joint_count; i++) speeds += JOINT_MAX_FREEDOM;
  for (int i = 1; i < m->body_count; i++) speeds += m->bodies[i].flex ? m->bodies[i].flex->modes : 0;
  m->n = m->planar ? 3 : 6;
  m->nodes = ARENA_ARRAY(memory, node, m->body_count);
  m->speed_node = ARENA_ARRAY(memory, int, speeds);
  m->speed_before = ARENA_ARRAY(memory, int, speeds);
  m->node_count = 1;
  m->nodes[GROUND].joint = m->nodes[GROUND].last_speed = -1;
  for (int i = 0; i < m->joint_count; i++) {
    joint *j = &m->joints[i];
    const joint_space *space = joint_in(j->type, m->planar);
    j->node = -1;
    j->q = m->joint_nq, j->v = m->joint_nv;
    m->joint_nq += space->nq, m->joint_nv += space->nv;
  }
  if (m->absolute)
    for (int b = 1; b < m->body_count; b++) add_node(m, GROUND, b, &joint_free);
  else grow_tree(m, wanted, memory);
  if (!check_connected(m, f) || !check_drives(m, f)) return false;
  close_loops(m, memory);
  if (!check_flexible(m, f)) return false;
  drive_speeds(m, memory);
  mark_steady(m);
  centre_mark(m, memory);
  watch_joints(m);
  m->extra_rows = m->friction_count + (temporary ? temporary->count : 0);
  m->length = typical_length(m, temporary, memory);
  m->total_mass = mechanism_total_mass(m);
  m->single = true;
  m->extra_speeds = 1;
  for (int i = 1; i < m->node_count; i++) {
    m->single &= m->nodes[i].nv == 1 && !m->nodes[i].modes;
    if (2 * m->nodes[i].modes > m->extra_speeds) m->extra_speeds = 2 * m->nodes[i].modes;
  }
  coordinate_find_leading(m);
  m->small = m->extra_speeds > 1 || m->divides ? NULL : response_choose(m->nv);
  for (int i = 0; i < m->force_count; i++) {
    m->forces[i].output = m->force_output_count;
    m->force_output_count += m->forces[i].type->output_count;
  }
  motion rows = {0};
  motion_lay_rows(m, &rows, memory);
  const bool *met = find_met_nodes(m, &rows, temporary ? temporary->bodies : NULL, memory);
  list_base_nodes(m, met, memory);
  list_base_speeds(m, memory);
  find_pattern(m, &rows, memory);
  if (m->divides) m->dca = dca_plan_create(m, met, memory);
  mark_bodies(m, memory);
  return true;
}
