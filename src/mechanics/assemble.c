#include "mechanics/assemble.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/dense.h"
#include "mechanics/block.h"
#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/marker.h"
#include "mechanics/response.h"
#include "mechanics/spanning.h"

enum { MAX_ITERATIONS = 200, MAX_HALVINGS = 12, MAX_GUESSES = 8, PATIENCE = 10 };

// A copy of the mechanism for assembly, in which every body has the same mass and inertia: massless bodies cause no
// problem, and the correction is not made by light bodies alone. Held coordinates count as driven. Bodies deform only
// if `bends`.
static mechanism uniform_copy(const mechanism *m, const bool *held, bool bends, arena *memory) {
  mechanism uniform = *m;
  uniform.dca = NULL;  // it is laid out for the speeds that are free in motion
  uniform.nodes = ARENA_ARRAY(memory, node, m->node_count);
  memcpy(uniform.nodes, m->nodes, (size_t)m->node_count * sizeof *m->nodes);
  double inertia = m->length * m->length;
  for (int i = 1; i < m->node_count; i++) {
    node *n = &uniform.nodes[i];
    n->mass = 1;
    n->com = n->moment = VEC3_ZERO;
    n->steady = n->centred = n->off_centre = false;
    n->modes_held = !bends;
    memcpy(n->inertia, (double[6]){inertia, inertia, inertia, 0, 0, 0}, sizeof n->inertia);
    int kept = 0;
    for (int k = 0; k < n->free_count; k++)
      if (!held || !held[n->v + n->free[k]]) n->free[kept++] = n->free[k];
    n->free_count = kept;
  }
  uniform.off_centre = false;
  uniform.total_mass = mechanism_total_mass(&uniform);
  return uniform;
}

// --- positions -------------------------------------------------------------------------------------------------------

static double violation_at(const mechanism *m, motion *x) {
  x->level = LEVEL_NONE;
  dynamics_positions_velocities(m, x);
  return constraints_violation(m, x);
}

static double sum_of_squares(const mechanism *m, const motion *x) {
  double sum = 0;
  for (int i = 0; i < m->row_count; i++) sum += x->rows[i].phi * x->rows[i].phi;
  return sum;
}

// Gauss–Newton iteration with step halving on Σ Φ². No speed moves by more than half a radian, or half the length, in
// a step.
static bool iterate_positions(const mechanism *uniform, motion *x, double tolerance, int *iterations, double *q_work,
                              double *step_work) {
  double violation = violation_at(uniform, x), ten_ago = INFINITY;
  for (int turn = 0; turn < MAX_ITERATIONS && violation > tolerance; turn++, ++*iterations) {
    if (turn % PATIENCE == 0) {  // less than 1 % in ten iterations: a local minimum
      if (!(sum_of_squares(uniform, x) < 0.99 * ten_ago)) return false;
      ten_ago = sum_of_squares(uniform, x);
    }
    const double *step = dynamics_position_step(uniform, x);
    if (!step) return false;
    double size = 0;
    for (int i = 0; i < uniform->nv; i++) size = fmax(size, fabs(step[i])), step_work[i] = step[i];
    double most = 0.5 * fmax(1, uniform->length), fraction = size > most ? most / size : 1;
    memcpy(q_work, x->q, (size_t)uniform->nq * sizeof *q_work);
    double before = sum_of_squares(uniform, x), smallest = violation;
    bool better = false;
    for (int halving = 0; halving < MAX_HALVINGS && !better; halving++, fraction *= 0.5) {
      memcpy(x->q, q_work, (size_t)uniform->nq * sizeof *q_work);
      for (int i = 0; i < uniform->nv; i++) x->udot[i] = fraction * step_work[i];
      dynamics_move(uniform, x->q, x->udot);
      violation = violation_at(uniform, x);
      better = sum_of_squares(uniform, x) < before;
    }
    if (!better) {  // at the level of rounding, or at a local minimum
      memcpy(x->q, q_work, (size_t)uniform->nq * sizeof *q_work);
      violation = violation_at(uniform, x);
      return violation <= fmax(tolerance, 1e-10 * fmax(1, uniform->length)) || smallest <= tolerance;
    }
  }
  return violation <= tolerance;
}

// The state from which assembly starts: q and u of the tree, and the coordinates of every joint, from which turns are
// counted.
typedef struct first_guess {
  double *q, *u, *joint_q;
} first_guess;

static void set_modes(const mechanism *m, motion *x, const initial_state *initial) {
  int count = 0;
  for (int b = 1; b < m->body_count; b++) {
    const node *n = &m->nodes[m->bodies[b].node];
    for (int k = 0; k < n->modes; k++, count++)
      x->q[n->modal_q + k] = initial->modes[count], x->u[n->modal_v + k] = initial->mode_rates[count];
  }
}

// A coordinate that is not given starts at zero or, with `ideal`, where the assembled ideal mechanism has it.
static first_guess make_guess(const mechanism *m, motion *x, const initial_state *initial, const mechanism *ideal,
                              motion *of_ideal, arena *memory) {
  first_guess g = {ARENA_ARRAY(memory, double, m->nq + 1), ARENA_ARRAY(memory, double, m->nv + 1),
                   ARENA_ARRAY(memory, double, m->joint_nq + 1)};
  if (ideal) mechanism_carry(m, x, ideal, of_ideal);
  else memcpy(x->joint_q, initial->q, (size_t)m->joint_nq * sizeof *x->joint_q);
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    if (n->joint < 0) continue;
    const double *from = initial->q + m->joints[n->joint].q;
    if (ideal && (!n->nq || !initial->q_given[m->joints[n->joint].q])) continue;
    memcpy(x->q + n->q, from, (size_t)n->nq * sizeof *from);
    memcpy(x->joint_q + m->joints[n->joint].q, from, (size_t)n->nq * sizeof *from);
  }
  set_modes(m, x, initial);
  memcpy(g.q, x->q, (size_t)m->nq * sizeof *g.q);
  memcpy(g.u, x->u, (size_t)m->nv * sizeof *g.u);
  memcpy(g.joint_q, x->joint_q, (size_t)m->joint_nq * sizeof *g.joint_q);
  return g;
}

static void start_positions(const mechanism *m, motion *x, const first_guess *guess) {
  memcpy(x->joint_q, guess->joint_q, (size_t)m->joint_nq * sizeof *x->joint_q);
  dynamics_set(m, x, 0, guess->q, guess->u);
}

static void hold_given(const mechanism *m, const initial_state *initial, bool *held) {
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    for (int k = 0; k < n->nv; k++) {
      if (n->joint < 0) {  // stays where the ideal mechanism has it
        held[n->v + k] = true;
        continue;
      }
      // a quaternion is given as a whole and stands first
      int q = m->joints[n->joint].q + (n->nq == n->nv ? k : k < 3 ? 0 : k + 1);
      held[n->v + k] = initial->q_given[q];
    }
  }
}

// Another guess, if the first one leads to a local minimum: every free coordinate moves by up to 1.5 rad or the
// typical length. The guesses are spread evenly and are the same in every run.
static void shake(const mechanism *uniform, motion *x, int guess, double *move) {
  memset(move, 0, (size_t)uniform->nv * sizeof *move);
  for (int i = 1; i < uniform->node_count; i++) {
    const node *n = &uniform->nodes[i];
    const char *kinds = uniform->planar ? n->type->kinds_planar : n->type->kinds_spatial;
    for (int a = 0; a < n->free_count; a++) {
      int k = n->free[a];
      bool slides = n->nq == n->nv ? kinds[k] == 't' : k >= 3;
      double phase = 0.6180339887498949 * (n->v + k) + 0.7548776662466927 * guess;
      move[n->v + k] = (slides ? uniform->length : 1.5) * (2 * (phase - floor(phase)) - 1);
    }
  }
  dynamics_move(uniform, x->q, move);
}

static bool report_open_loop(const mechanism *m, const motion *x, fault *f) {
  const constraint *worst = NULL;
  double most = -1;
  for (int i = 0; i < m->constraint_count; i++)
    for (int k = 0; k < m->constraints[i].row_count; k++) {
      double phi = fabs(x->rows[m->constraints[i].row0 + k].phi);
      if (!(phi <= most)) most = phi, worst = &m->constraints[i];
    }
  return fault_set(f, CAROM_ERROR_ASSEMBLY, worst->part,
                   "check lengths and positions, or give initial values nearer to a closed position",
                   "the mechanism cannot be assembled: '%s' is violated by %.3g", worst->name, most);
}

// A value that is only the rounding of zero, to the accuracy of assembly, is reported as zero.
static double without_rounding(double value, double from) {
  return fabs(value) <= 1e-13 * fmax(1, fabs(from)) ? 0 : value;
}

// Lists the given coordinates that were changed. Those of joints that close loops are only guesses for the assembly.
static void report_moved(const mechanism *m, const motion *x, const initial_state *initial, assembly_report *report) {
  double most = 1e-9;
  for (int i = 0; i < m->joint_count; i++)
    for (int k = 0; k < joint_in(m->joints[i].type, m->planar)->nq; k++) {
      int q = m->joints[i].q + k;
      double change = fabs(x->joint_q[q] - initial->q[q]);
      if (!initial->q_given[q] || !(change > 1e-9)) continue;
      report->moved_count++;
      if (!(change > most)) continue;
      most = change;
      report->moved_joint = m->joints[i].name;
      report->moved_from = initial->q[q], report->moved_to = without_rounding(x->joint_q[q], initial->q[q]);
    }
}

static bool assemble_positions(const mechanism *m, motion *x, const initial_state *initial, const first_guess *guess,
                               arena *memory, assembly_report *report, fault *f) {
  double tolerance = 1e-13 * fmax(1, m->length);
  double *q_work = ARENA_ARRAY(memory, double, m->nq + 1), *step_work = ARENA_ARRAY(memory, double, m->nv + 1);
  bool *held = ARENA_ARRAY(memory, bool, m->nv + 1);
  start_positions(m, x, guess);
  report->violation_before = report->violation_after = violation_at(m, x);
  if (report->violation_before <= tolerance) {
    coordinate_measure(m, x);
    report_moved(m, x, initial, report);
    return true;
  }

  hold_given(m, initial, held);
  bool closed = false, any_held = false;
  for (int i = 0; i < m->nv; i++) any_held = any_held || held[i];
  // Flexible bodies start as given; only where the loops do not close so, they bend.
  for (int bends = 0; bends <= (x->flexible != NULL) && !closed; bends++)
    for (int hold = any_held; hold >= 0 && !closed; hold--) {
      mechanism uniform = uniform_copy(m, hold ? held : NULL, bends, memory);
      for (int trial = 0; trial < MAX_GUESSES && !closed; trial++) {
        start_positions(m, x, guess);
        if (trial > 0) shake(&uniform, x, trial, step_work);
        closed = iterate_positions(&uniform, x, tolerance, &report->iterations, q_work, step_work);
      }
    }
  report->violation_after = violation_at(m, x);
  if (!closed) return report_open_loop(m, x, f);
  coordinate_measure(m, x);
  report_moved(m, x, initial, report);
  return true;
}

// --- velocities ------------------------------------------------------------------------------------------------------

// Conditions on the speeds of some trees on ground, in the order of their precedence: constraints, drives, given
// values.
typedef struct conditions {
  double *rows, *values;
  int count, nv;
  const int *column;  // of each speed of the mechanism
} conditions;

// The bodies of each tree on ground: trees that no condition connects are solved by themselves.
typedef struct tree_list {
  int count;
  int *start, *bodies;  // the bodies of tree k are start[k] to start[k + 1], in their order
  bool *coupled;        // a constraint or a given speed of a joint outside the tree reaches it
  int *column;          // one per speed
} tree_list;

static double *add_condition(conditions *c, double value) {
  c->values[c->count] = value;
  return c->rows + (long)c->count++ * c->nv;
}

// row += s J · (velocity of a node), along its path to ground
static void add_body_row(const mechanism *m, const motion *x, const conditions *c, double *row_of, int i,
                         const double *J, double s) {
  double f[6];
  memcpy(f, J, (size_t)m->n * sizeof *f);
  for (; i != GROUND; i = m->nodes[i].parent) {
    const node *n = &m->nodes[i];
    for (int k = 0; k < n->nv; k++) row_of[c->column[n->v + k]] += s * block_dot(m->n, x->S + 6 * (n->v + k), f);
    for (int k = 0; k < flexible_carriers(m, x, i); k++)
      row_of[c->column[m->nodes[n->parent].modal_v + k]] += s * flexible_carried_effort(m, x, i, k, f);
    double carried[6] = {0};
    if (m->planar) block_shift_force(3, x->links[i].r, f, carried);
    else block_shift_force(6, x->links[i].r, f, carried);
    memcpy(f, carried, sizeof f);
  }
}

// row += s (force·v + torque·ω) of the modes at an anchor
static void add_modal_terms(const mechanism *m, const motion *x, const conditions *c, double *row_of, const anchor *a,
                            double s, vec3 force, vec3 torque) {
  const node *n = &m->nodes[a->node];
  for (int k = 0; a->frame && k < n->modes; k++)
    row_of[c->column[n->modal_v + k]] += s * flexible_effort(m, a->frame, k, anchor_off(x, a), force, torque);
}

static void add_constraint_conditions(const mechanism *m, const motion *x, conditions *c) {
  for (int i = 0; i < m->row_count; i++) {
    const row *r = &x->rows[i];
    double *out = add_condition(c, -r->phi_t);
    for (int k = 0; k < r->body_count; k++) {
      const row_body *t = &x->row_bodies[r->body0 + k];
      add_body_row(m, x, c, out, t->node, t->J, 1);
    }
    for (int k = 0; k < r->speed_count; k++)
      out[c->column[x->row_speeds[r->speed0 + k].speed]] += x->row_speeds[r->speed0 + k].c;
  }
}

// A driven speed, and that of a mode, is that of the guess.
static void add_drive_condition(const motion *x, int speed, conditions *c) {
  add_condition(c, x->u[speed])[c->column[speed]] = 1;
}
static void add_mode_conditions(const motion *x, const node *n, conditions *c) {
  for (int k = 0; k < n->modes; k++) add_drive_condition(x, n->modal_v + k, c);
}

// A given velocity of a body that only joints with clearance hold is no condition here; add_own sets it.
static bool is_condition(const mechanism *m, const initial_state *initial, int b, int k) {
  return initial->body_velocity_given[6 * b + k] && m->nodes[m->bodies[b].node].joint >= 0;
}

static void add_joint_conditions(const mechanism *m, const motion *x, const initial_state *initial, int i,
                                 conditions *c) {
  const joint *j = &m->joints[i];
  for (int k = 0; k < joint_in(j->type, m->planar)->nv; k++) {
    if (!initial->u_given[j->v + k]) continue;
    double *out = add_condition(c, initial->u[j->v + k]);
    coordinate of = {i, k};
    if (coordinate_speed(m, of) >= 0) {
      out[c->column[coordinate_speed(m, of)]] = 1;
      continue;
    }
    coordinate_row r = coordinate_get_row(m, x, of);
    add_body_row(m, x, c, out, r.a.node, r.Ja, 1);
    add_body_row(m, x, c, out, r.b.node, r.Jb, 1);
    add_modal_terms(m, x, c, out, &r.a, -1, r.force, r.torque);
    add_modal_terms(m, x, c, out, &r.b, 1, r.force, r.torque);
  }
}

static void add_velocity_conditions(const mechanism *m, const motion *x, const initial_state *initial, int b,
                                    conditions *c) {
  for (int k = 0; k < 6; k++) {
    if (!is_condition(m, initial, b, k)) continue;
    vec3 e = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    double J[6];
    block_store(m, J, k < 3 ? e : VEC3_ZERO, k < 3 ? VEC3_ZERO : e);
    add_body_row(m, x, c, add_condition(c, initial->body_velocity[6 * b + k]), m->bodies[b].node, J, 1);
  }
}

// Whether there is nothing to solve: no constraints, and speeds are given only for joints of the tree.
static bool speeds_are_plain(const mechanism *m, const initial_state *initial) {
  if (m->row_count) return false;
  for (int i = 0; i < m->joint_count; i++)
    for (int k = 0; m->joints[i].node < 0 && k < joint_in(m->joints[i].type, m->planar)->nv; k++)
      if (initial->u_given[m->joints[i].v + k]) return false;
  for (int b = 1; b < m->body_count; b++)
    for (int k = 0; k < 6; k++)
      if (is_condition(m, initial, b, k)) return false;
  return true;
}

static void set_plain_speeds(const mechanism *m, motion *x, const initial_state *initial) {
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    for (int k = 0; n->joint >= 0 && k < n->nv; k++) {
      int v = m->joints[n->joint].v + k;
      if (initial->u_given[v]) x->u[n->v + k] = initial->u[v];
    }
  }
  dynamics_set(m, x, 0, x->q, x->u);
}

static void couple(const mechanism *m, tree_list *t, int i) {
  if (i != GROUND) t->coupled[m->nodes[i].base] = true;
}

static void find_coupled(const mechanism *m, const motion *x, const initial_state *initial, tree_list *t) {
  for (int i = 0; i < m->row_count; i++) {
    const row *r = &x->rows[i];
    for (int k = 0; k < r->body_count; k++) couple(m, t, x->row_bodies[r->body0 + k].node);
    for (int k = 0; k < r->speed_count; k++) couple(m, t, m->speed_node[x->row_speeds[r->speed0 + k].speed]);
  }
  for (int i = 0; i < m->joint_count; i++) {
    const joint *j = &m->joints[i];
    for (int k = 0; j->node < 0 && k < joint_in(j->type, m->planar)->nv; k++)
      if (initial->u_given[j->v + k])
        couple(m, t, m->bodies[m->markers[j->first].body].node),
            couple(m, t, m->bodies[m->markers[j->second].body].node);
  }
}

static tree_list list_trees(const mechanism *m, const motion *x, const initial_state *initial, arena *memory) {
  tree_list t = {.count = m->base_count,
                 .start = ARENA_ARRAY(memory, int, m->base_count + 2),
                 .bodies = ARENA_ARRAY(memory, int, m->body_count + 1),
                 .coupled = ARENA_ARRAY(memory, bool, m->base_count + 1),
                 .column = ARENA_ARRAY(memory, int, m->nv + 1)};
  for (int b = 1; b < m->body_count; b++) t.start[m->nodes[m->bodies[b].node].base + 2]++;
  for (int k = 0; k < t.count; k++) t.start[k + 2] += t.start[k + 1];
  for (int b = 1; b < m->body_count; b++) t.bodies[t.start[m->nodes[m->bodies[b].node].base + 1]++] = b;
  find_coupled(m, x, initial, &t);
  return t;
}

// Room for so many conditions on nv speeds.
static conditions begin_conditions(const tree_list *t, int rows, int nv, arena *memory) {
  return (conditions){ARENA_ARRAY(memory, double, ((long)rows * nv) + 1), ARENA_ARRAY(memory, double, rows + 1), 0, nv,
                      t->column};
}

static int count_given(const mechanism *m, const initial_state *initial, int b) {
  const node *n = &m->nodes[m->bodies[b].node];
  int count = n->modes;
  for (int k = 0; k < n->nv; k++)
    count += m->driven[n->v + k] + (n->joint >= 0 && initial->u_given[m->joints[n->joint].v + k]);
  for (int k = 0; k < 6; k++) count += is_condition(m, initial, b, k);
  return count;
}

// The speeds nearest to those of the guess that satisfy the conditions.
static void satisfy(motion *x, const first_guess *guess, conditions *c, const int *speeds, arena *memory) {
  double *change = ARENA_ARRAY(memory, double, c->nv + 1);
  for (int i = 0; i < c->count; i++)
    for (int k = 0; k < c->nv; k++) c->values[i] -= c->rows[(long)i * c->nv + k] * guess->u[speeds[k]];
  dense_least_norm(c->count, c->nv, c->rows, c->values, 1e-9, change,
                   ARENA_ARRAY(memory, double, ((long)c->count * (c->nv + 1) + 1)));
  for (int k = 0; k < c->nv; k++) x->u[speeds[k]] = change[k] + guess->u[speeds[k]];
}

// Numbers the speeds of a node among those of its problem.
static void list_speeds(const node *n, tree_list *t, int *speeds, int *count) {
  for (int k = 0; k < n->nv; k++) t->column[n->v + k] = *count, speeds[(*count)++] = n->v + k;
  for (int k = 0; k < n->modes; k++) t->column[n->modal_v + k] = *count, speeds[(*count)++] = n->modal_v + k;
}

static void solve_tree(const mechanism *m, motion *x, const initial_state *initial, const first_guess *guess,
                       tree_list *t, int tree, int *speeds, arena *memory) {
  int nv = 0, rows = 0;
  for (int i = t->start[tree]; i < t->start[tree + 1]; i++)
    list_speeds(&m->nodes[m->bodies[t->bodies[i]].node], t, speeds, &nv), rows += count_given(m, initial, t->bodies[i]);
  if (!rows) return;
  conditions c = begin_conditions(t, rows, nv, memory);
  for (int k = 0; k < nv; k++)
    if (m->driven[speeds[k]]) add_drive_condition(x, speeds[k], &c);
  for (int i = t->start[tree]; i < t->start[tree + 1]; i++)
    add_mode_conditions(x, &m->nodes[m->bodies[t->bodies[i]].node], &c);
  for (int i = t->start[tree]; i < t->start[tree + 1]; i++) {
    int joint = m->nodes[m->bodies[t->bodies[i]].node].joint;
    if (joint >= 0) add_joint_conditions(m, x, initial, joint, &c);
  }
  for (int i = t->start[tree]; i < t->start[tree + 1]; i++) add_velocity_conditions(m, x, initial, t->bodies[i], &c);
  satisfy(x, guess, &c, speeds, memory);
}

// All trees that constraints or joints outside the tree connect, together.
static void solve_coupled(const mechanism *m, motion *x, const initial_state *initial, const first_guess *guess,
                          tree_list *t, int *speeds, arena *memory) {
  int nv = 0, rows = m->row_count;
  for (int i = 1; i < m->node_count; i++)
    if (t->coupled[m->nodes[i].base])
      list_speeds(&m->nodes[i], t, speeds, &nv), rows += count_given(m, initial, m->nodes[i].body);
  for (int i = 0; i < m->joint_nv; i++) rows += initial->u_given[i];
  if (!nv) return;
  conditions c = begin_conditions(t, rows, nv, memory);
  add_constraint_conditions(m, x, &c);
  for (int i = 0; i < m->drive_count; i++)
    if (m->drives[i].speed >= 0 && t->coupled[m->nodes[m->speed_node[m->drives[i].speed]].base])
      add_drive_condition(x, m->drives[i].speed, &c);
  for (int i = 1; i < m->node_count; i++)
    if (t->coupled[m->nodes[i].base]) add_mode_conditions(x, &m->nodes[i], &c);
  for (int i = 0; i < m->joint_count; i++)
    if (m->joints[i].node < 0 || t->coupled[m->nodes[m->joints[i].node].base])
      add_joint_conditions(m, x, initial, i, &c);
  for (int b = 1; b < m->body_count; b++)
    if (t->coupled[m->nodes[m->bodies[b].node].base]) add_velocity_conditions(m, x, initial, b, &c);
  satisfy(x, guess, &c, speeds, memory);
}

static void solve_speeds(const mechanism *m, motion *x, const initial_state *initial, const first_guess *guess,
                         arena *memory) {
  tree_list t = list_trees(m, x, initial, memory);
  int *speeds = ARENA_ARRAY(memory, int, m->nv + 1);
  solve_coupled(m, x, initial, guess, &t, speeds, memory);
  for (int k = 0; k < t.count; k++)
    if (!t.coupled[k]) solve_tree(m, x, initial, guess, &t, k, speeds, memory);
  x->level = LEVEL_NONE;
  dynamics_positions_velocities(m, x);
  coordinate_measure(m, x);
}

static void assemble_velocities(const mechanism *m, motion *x, const initial_state *initial, const first_guess *guess,
                                arena *memory) {
  dynamics_set(m, x, 0, x->q, guess->u);
  dynamics_positions_velocities(m, x);
  if (speeds_are_plain(m, initial)) set_plain_speeds(m, x, initial);
  else solve_speeds(m, x, initial, guess, memory);
}

// Refuses drives and moving constraints that contradict each other.
static bool check_velocities(const mechanism *m, motion *x, fault *f) {
  dynamics_set(m, x, 0, x->q, x->u);
  dynamics_positions_velocities(m, x);
  double fastest = 1, most = 0;
  for (int i = 0; i < m->nv; i++) fastest = fmax(fastest, fabs(x->u[i]));
  const constraint *worst = NULL;
  for (int i = 0; i < m->constraint_count; i++)
    for (int k = 0; k < m->constraints[i].row_count; k++) {
      double rate = fabs(constraint_row_rate(m, x, &x->rows[m->constraints[i].row0 + k]));
      if (!(rate <= most)) most = rate, worst = &m->constraints[i];
    }
  if (most <= 1e-8 * fastest * fmax(1, m->length)) return true;
  return fault_set(f, CAROM_ERROR_ASSEMBLY, m->drive_count ? (part_id){PART_DRIVE, m->drive_count - 1} : worst->part,
                   "leave one of them out",
                   "drives and constraints contradict each other: the rate of '%s' is violated by %.3g", worst->name,
                   most);
}

// --- all -------------------------------------------------------------------------------------------------------------

static bool check_inertia(const mechanism *m, motion *x, fault *f) {
  x->level = LEVEL_NONE;
  dynamics_positions_velocities(m, x);
  if (response_factor(m, x)) return true;
  char why[256];
  dynamics_explain(m, x, why, sizeof why);
  return fault_set(f, CAROM_ERROR_MODEL, (part_id){PART_BODY, m->nodes[x->singular_node].body},
                   "give the body a mass and an inertia, or drive that joint", "%s", why);
}

static void keep_state(mechanism *m, motion *x, arena *memory) {
  dynamics_positions_velocities(m, x);
  coordinate_measure(m, x);
  double *q = ARENA_ARRAY(memory, double, m->nq + 1), *u = ARENA_ARRAY(memory, double, m->nv + 1);
  memcpy(q, x->q, (size_t)m->nq * sizeof *q);
  memcpy(u, x->u, (size_t)m->nv * sizeof *u);
  m->q0 = q, m->u0 = u;
  double *joint_q = ARENA_ARRAY(memory, double, m->joint_nq + 1);
  memcpy(joint_q, x->joint_q, (size_t)m->joint_nq * sizeof *joint_q);
  m->joint_q0 = joint_q;
}

static bool count_freedom(const mechanism *m, motion *x, assembly_report *report, fault *f) {
  int driven = 0, rank = dynamics_constraint_rank(m, x);
  if (rank < 0) {
    error_set(&f->error, CAROM_ERROR_MEMORY, "out of memory for the rank of %d constraints", m->row_count);
    return false;
  }
  for (int i = 0; i < m->drive_count; i++) driven += m->drives[i].speed >= 0;
  report->rows = m->row_count;
  report->redundant = m->row_count - rank;
  report->freedom = m->nv - driven - rank;
  return true;
}

// Called when the arena has no more memory: frees the motion, which the arena does not own, and passes the failure
// on.
_Noreturn static void leave(motion *x, arena *memory, jmp_buf *outer) {
  motion_destroy(x);
  memory->out_of_memory = outer;
  longjmp(*outer, 1);
}

// Sets a free body from the pose and velocity of a link. The angular velocity is in the axes of the body.
static void carry_body(const mechanism *m, const node *n, const tree_link *l, double *q, double *u) {
  joint_reset(n->type, m->planar, q);
  joint_measure(n->type, m->planar, &n->parameters, l->R, l->p, q);
  if (m->planar) {
    for (int k = 0; k < 3; k++) u[k] = l->V[k];
  } else {
    vec3_store(u, mat3_tmul(l->R, vec3_of(l->V)));
    vec3_store(u + 3, vec3_of(l->V + 3));
  }
}

void mechanism_carry(const mechanism *m, motion *x, const mechanism *other, motion *from) {
  dynamics_positions_velocities(other, from);
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    double *q = x->q + n->q, *u = x->u + n->v;
    if (n->joint < 0) {
      carry_body(m, n, &from->links[other->bodies[n->body].node], q, u);
      continue;
    }
    memcpy(q, from->joint_q + m->joints[n->joint].q, (size_t)n->nq * sizeof *q);
    memcpy(u, from->joint_u + m->joints[n->joint].v, (size_t)n->nv * sizeof *u);
  }
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i], *of = &other->nodes[other->bodies[n->body].node];
    memcpy(x->q + n->modal_q, from->q + of->modal_q, (size_t)n->modes * sizeof *x->q);
    memcpy(x->u + n->modal_v, from->u + of->modal_v, (size_t)n->modes * sizeof *x->u);
  }
  memcpy(x->joint_q, from->joint_q, (size_t)m->joint_nq * sizeof *x->joint_q);
  dynamics_set(m, x, from->t, x->q, x->u);
}

static mat3 orientation(const node *n, const double *q) {
  const double *e = q + n->type->quaternion_q;
  return quat_matrix((quat){e[0], e[1], e[2], e[3]});
}

static bool is_given(const bool *given, int from) { return given[from] || given[from + 1] || given[from + 2]; }

static void add_own_of(const mechanism *m, const node *n, const initial_state *own, double *q, double *u) {
  const double *shift = own->body_shift + 6 * n->body, *v = own->body_velocity + 6 * n->body;
  bool turns = is_given(own->body_velocity_given, 6 * n->body),
       moves = is_given(own->body_velocity_given, 6 * n->body + 3);
  if (m->planar) {
    joint_move(n->type, true, q, shift + 2);
    if (turns) u[0] = v[2];
    if (moves) u[1] = v[3], u[2] = v[4];
    return;
  }
  mat3 R = orientation(n, q);
  vec3 spin = turns ? vec3_of(v) : mat3_mul(R, vec3_of(u));  // in the world; turning the body does not change it
  double delta[6];
  vec3_store(delta, mat3_tmul(R, vec3_of(shift)));
  vec3_store(delta + 3, vec3_of(shift + 3));
  joint_move(n->type, false, q, delta);
  vec3_store(u, mat3_tmul(orientation(n, q), spin));
  if (moves) vec3_store(u + 3, vec3_of(v + 3));
}

// Shifts, turns and moves the bodies that only joints with clearance hold, as given for each of them. The remaining
// constraints must still be satisfied, to the tolerances of assembly.
static bool add_own(const mechanism *m, motion *x, const initial_state *own, fault *f) {
  for (int i = 1; i < m->node_count; i++)
    if (m->nodes[i].joint < 0) add_own_of(m, &m->nodes[i], own, x->q + m->nodes[i].q, x->u + m->nodes[i].v);
  dynamics_set(m, x, x->t, x->q, x->u);
  dynamics_positions_velocities(m, x);
  double fastest = 1, size = fmax(1, m->length);
  for (int i = 0; i < m->nv; i++) fastest = fmax(fastest, fabs(x->u[i]));
  for (int i = 0; i < m->constraint_count; i++)
    for (int k = 0; k < m->constraints[i].row_count; k++) {
      const row *r = &x->rows[m->constraints[i].row0 + k];
      bool held = fabs(r->phi) <= 1e-9 * size, kept = fabs(constraint_row_rate(m, x, r)) <= 1e-8 * fastest * size;
      if (held && kept) continue;
      return fault_set(f, CAROM_ERROR_ASSEMBLY, m->constraints[i].part,
                       held ? "give another 'omega' or 'velocity' under 'initial'"
                            : "give another 'shift' or 'turn' under 'initial'",
                       held ? "'%s' does not allow the velocity that a body it holds is given at the start"
                            : "'%s' does not hold where bodies are shifted and turned to at the start",
                       m->constraints[i].name);
    }
  return true;
}

// Whether a given speed changed, and more than those before it, whose place in the report it then takes.
static bool changed_most(assembly_report *report, double from, double to) {
  double change = fabs(to - from);
  if (change <= 1e-9 * fmax(1, fabs(from))) return false;
  report->changed_count++;
  if (change <= report->velocity_change) return false;
  report->velocity_change = change;
  report->changed_joint = report->changed_body = report->changed_key = NULL;
  report->changed_from = from, report->changed_to = without_rounding(to, from);
  return true;
}

// Compares every given speed, of a joint or of a body, with the one at which the mechanism starts.
static void report_changed(const mechanism *m, motion *x, const initial_state *initial, assembly_report *report) {
  dynamics_positions_velocities(m, x);
  coordinate_measure(m, x);
  for (int i = 0; i < m->joint_count; i++)
    for (int k = 0; k < joint_in(m->joints[i].type, m->planar)->nv; k++) {
      int v = m->joints[i].v + k;
      if (initial->u_given[v] && changed_most(report, initial->u[v], x->joint_u[v]))
        report->changed_joint = m->joints[i].name;
    }
  for (int b = 1; b < m->body_count; b++)
    for (int k = 0; k < 6; k++) {
      if (!initial->body_velocity_given[6 * b + k]) continue;
      const double *V = x->links[m->bodies[b].node].V;
      double velocity = m->planar ? V[k - 2] : V[k];  // in the plane: ω, vx, vy
      if (changed_most(report, initial->body_velocity[6 * b + k], velocity))
        report->changed_body = m->bodies[b].name, report->changed_key = k < 3 ? "omega" : "velocity";
    }
}

// A motion in the state a mechanism was assembled in; null after reporting.
static motion *motion_at_start(const mechanism *m, carom_error *error) {
  motion *x = motion_create(m, 0, error);
  if (!x) return NULL;
  memcpy(x->joint_q, m->joint_q0, (size_t)m->joint_nq * sizeof(double));
  dynamics_set(m, x, 0, m->q0, m->u0);
  return x;
}

bool mechanism_assemble(mechanism *m, const initial_state *initial, const mechanism *ideal, arena *memory,
                        assembly_report *report, fault *f) {
  *report = (assembly_report){0};
  motion *of_ideal = ideal ? motion_at_start(ideal, &f->error) : NULL;
  motion *x = ideal && !of_ideal ? NULL : motion_create(m, 0, &f->error);
  jmp_buf *outer = memory->out_of_memory, here;
  if (!x) {
    motion_destroy(of_ideal);
    return false;
  }
  if (setjmp(here)) {
    motion_destroy(of_ideal);
    leave(x, memory, outer);
  }
  memory->out_of_memory = &here;
  first_guess guess = make_guess(m, x, initial, ideal, of_ideal, memory);
  bool done = assemble_positions(m, x, initial, &guess, memory, report, f) && check_inertia(m, x, f);
  if (done) {
    assemble_velocities(m, x, initial, &guess, memory);
    done = check_velocities(m, x, f) && (!ideal || add_own(m, x, initial, f)) && count_freedom(m, x, report, f);
  }
  if (done) {
    report_changed(m, x, initial, report);
    m->redundant = report->redundant;
    keep_state(m, x, memory);
  }
  memory->out_of_memory = outer;
  motion_destroy(of_ideal);
  motion_destroy(x);
  return done;
}

bool mechanism_adopt(mechanism *m, const mechanism *other, arena *memory, fault *f) {
  m->length = other->length;
  m->total_mass = mechanism_total_mass(m);
  motion *from = motion_at_start(other, &f->error), *x = from ? motion_create(m, 0, &f->error) : NULL;
  if (!x) {
    motion_destroy(from);
    return false;
  }
  mechanism_carry(m, x, other, from);
  motion_destroy(from);
  jmp_buf *outer = memory->out_of_memory, here;
  if (setjmp(here)) leave(x, memory, outer);
  memory->out_of_memory = &here;
  bool done = check_inertia(m, x, f);
  m->redundant = other->redundant;  // joints that carry bodies add no redundant rows
  keep_state(m, x, memory);
  memory->out_of_memory = outer;
  motion_destroy(x);
  return done;
}
