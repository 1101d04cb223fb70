// One step from A to E over Δt, with everything taken at the midpoint M:
//   q_M = q_A ⊕ ½Δt u_A,   u_F = u_A + Δt M⁻¹ h(q_M, u_A, t_M)          the free velocity
//   M (u_E - u_F) = W P                                                (80)
//   ξ = γ_E + e γ_A  for each contact row,   γ_E = 0  for each constraint row
//   0 ≤ ξ_N ⊥ P_N ≥ 0,   -P_T ∈ μ P_N Sgn(ξ_T)                         (76), (85)
//   q_E = q_M ⊕ ½Δt u_E
// A point takes part when its gap at q_M is at most the activation distance.
#include "scheme/moreau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/delassus.h"
#include "mechanics/dynamics.h"
#include "mechanics/function.h"
#include "mechanics/mobility.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"
#include "scheme/moreau_friction.h"
#include "solve/blocks.h"
#include "solve/room.h"

enum { ROWS_OF_A_CROWD = 600 };          // above, room for contact problems is made when they come

typedef struct moreau {
  arena memory;
  const mechanism *m;
  motion *x;
  const contact_set *contacts;
  moreau_settings settings;
  impact_ledger *impacts;
  double t;
  double grid;                           // the multiple of the step that the last one went for
  long steps, steps_before;              // taken, and those of the run that was resumed
  double *q, *u, *accounts;              // the state, one array
  double *u_free, *u_end;                // of the step under way
  double *displacement;                  // one a speed, for the moment
  double projection_energy;
  contact_point *points, *before;        // at the midpoint of this step, and of the last
  bool has_before;
  bool *struck;                          // by a percussion since they were last apart
  double *nearest;                       // how deep they overlapped since, on straight ways, as a gap [m]
  const contact_element **element_of;    // the element of each point
  bool reads_coordinates;                // forces, constraints or stops ask for joint coordinates within a step
  int *active, active_count;             // points that take part in this step
  int *active_row;                       // the first row of each
  scheme_contact *shown;
  moreau_friction friction;              // of ideal joints
  // the contact problem
  block_list blocks;
  double *q_rows, *P, *xi, *rate_before, *rate_after;
  solve_room room;                       // W and what the solvers need
  bool crowded;                          // room is made for problems as they come
  solve_settings solver;
  interrupt *stop;
  chain_tally tally;
  contact_trouble trouble;
} moreau;

// --- creation -----------------------------------------------------------------------------------------------------

static void add_contact_block(moreau *s, const contact_element *e, int row_index) {
  block_list_add(&s->blocks, block_of_contact(row_index, contact_row_count(s->m, e), e->material.friction));
}

static void add_friction_blocks(moreau *s, double dt) {
  for (int i = 0; i < s->m->friction_count; i++)
    block_list_add(&s->blocks, moreau_friction_block(&s->friction, s->m, i, s->t + dt, dt));
}

static void allocate(moreau *s) {
  const mechanism *m = s->m;
  arena *a = &s->memory;
  int rows = m->row_count + m->extra_rows + 1, points = s->contacts->point_count;
  s->q = ARENA_ARRAY(a, double, m->nq + m->nv + POWER_COUNT);
  s->u = s->q + m->nq, s->accounts = s->u + m->nv;
  s->u_free = ARENA_ARRAY(a, double, m->nv + 1);
  s->u_end = ARENA_ARRAY(a, double, m->nv + 1);
  s->displacement = ARENA_ARRAY(a, double, m->nv + 1);
  s->points = ARENA_ARRAY(a, contact_point, points + 1);
  s->element_of = ARENA_ARRAY(a, const contact_element *, points + 1);
  s->before = ARENA_ARRAY(a, contact_point, points + 1);
  s->struck = ARENA_ARRAY(a, bool, points + 1);
  s->nearest = ARENA_ARRAY(a, double, points + 1);
  s->active = ARENA_ARRAY(a, int, points + 1);
  s->active_row = ARENA_ARRAY(a, int, points + 1);
  s->shown = ARENA_ARRAY(a, scheme_contact, points + 1);
  s->blocks = block_list_create(a, m->row_count + points + m->friction_count);
  moreau_friction_create(&s->friction, m, a);
  s->q_rows = ARENA_ARRAY(a, double, rows);
  s->P = ARENA_ARRAY(a, double, rows);
  s->xi = ARENA_ARRAY(a, double, rows);
  s->friction.xi = s->xi;
  s->rate_before = ARENA_ARRAY(a, double, rows);
  s->rate_after = ARENA_ARRAY(a, double, rows);
}

static void look_ahead(moreau *s) {
  const mechanism *m = s->m;
  s->reads_coordinates = m->force_count || m->constraint_count || m->drive_count || m->friction_count;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = &s->contacts->elements[i];
    for (int p = e->point0; p < e->point0 + e->point_count; p++) s->element_of[p] = e;
    s->reads_coordinates |= e->type == &contact_stop;
  }
}

// A mechanism has room for the largest problem that can come, every point active, before its first step. In a crowd of bodies
// most pairs never meet: there it grows with what does.
static bool prepare_room(moreau *s, carom_error *error) {
  int row_count = s->m->row_count;
  block_list_begin(&s->blocks, row_count);
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = &s->contacts->elements[i];
    for (int k = 0; k < e->point_count; k++) {
      add_contact_block(s, e, row_count);
      row_count += contact_row_count(s->m, e);
    }
  }
  s->friction.row0 = row_count;
  add_friction_blocks(s, s->settings.step);
  row_count += s->m->friction_count;
  solve_problem largest = block_list_problem(&s->blocks, row_count, s->room.W, s->q_rows);
  solve_limits limits = solve_limits_of(&largest);
  s->crowded = row_count > ROWS_OF_A_CROWD;
  if (s->crowded) return true;
  bool made = solve_room_make(&s->room, &limits, error);
  s->friction.W = s->room.W;
  return made;
}

static bool has_room(moreau *s, carom_error *error) {
  if (!s->crowded) return true;
  solve_problem problem = block_list_problem(&s->blocks, s->x->row_total, s->room.W, s->q_rows);
  bool grown = solve_room_grow(&s->room, &problem, error);
  s->friction.W = s->room.W;
  return grown;
}

static void destroy(void *scheme) {
  moreau *s = scheme;
  if (!s) return;
  solve_room_free(&s->room);
  arena_free(&s->memory);
  free(s);
}

// Gaps are known at the start; forces come with the first step.
static void show_gaps(moreau *s) {
  dynamics_set(s->m, s->x, s->t, s->q, s->u);
  dynamics_positions_velocities(s->m, s->x);
  contact_evaluate(s->contacts, s->m, s->x, s->points);
  for (int p = 0; p < s->contacts->point_count; p++)
    s->shown[p] = (scheme_contact){.gap = s->points[p].gap, .point = &s->points[p]};
}

// The last step's contacts, from whose percussions iterative solvers begin, and those of constraints and of joints that rub.
enum { POINT_MEMORY = 21 };

static int memory_size(const mechanism *m, const contact_set *contacts) {
  return 1 + POINT_MEMORY * contacts->point_count + m->row_count + 3 * m->friction_count;
}

static void remember(const void *scheme, double *memory) {
  const moreau *s = scheme;
  const mechanism *m = s->m;
  *memory++ = s->has_before;
  for (int p = 0; p < s->contacts->point_count; p++) {
    const scheme_contact *c = &s->shown[p];
    vec3 at = s->points[p].at, n = s->points[p].n, t = s->points[p].t[0], b = s->points[p].t[1];
    const double numbers[POINT_MEMORY] = {
        c->gap, c->normal_force, c->tangential_force[0], c->tangential_force[1], c->active, c->slides, s->struck[p],
        s->nearest[p], at.x, at.y, at.z, n.x, n.y, n.z, t.x, t.y, t.z, b.x, b.y, b.z, c->lasts};
    memcpy(memory, numbers, sizeof numbers), memory += POINT_MEMORY;
  }
  memcpy(memory, s->P, (size_t)m->row_count * sizeof *memory), memory += m->row_count;
  memcpy(memory, s->friction.limit, (size_t)m->friction_count * sizeof *memory), memory += m->friction_count;
  memcpy(memory, s->x->friction_effort, (size_t)m->friction_count * sizeof *memory), memory += m->friction_count;
  for (int i = 0; i < m->friction_count; i++) memory[i] = s->x->friction_slip[i];
}

static void recall(moreau *s, const double *memory) {
  const mechanism *m = s->m;
  s->has_before = *memory++ != 0;
  for (int p = 0; p < s->contacts->point_count; p++, memory += POINT_MEMORY) {
    s->shown[p] = (scheme_contact){memory[0], memory[1], {memory[2], memory[3]}, memory[4] != 0, memory[5] != 0, memory[20] != 0,
                                   &s->points[p]};
    s->struck[p] = memory[6] != 0, s->nearest[p] = memory[7];
    s->points[p] = (contact_point){.gap = memory[0], .at = vec3_of(memory + 8), .n = vec3_of(memory + 11),
                                   .t = {vec3_of(memory + 14), vec3_of(memory + 17)}, .speed = -1};
  }
  memcpy(s->P, memory, (size_t)m->row_count * sizeof *memory), memory += m->row_count;
  memcpy(s->friction.limit, memory, (size_t)m->friction_count * sizeof *memory), memory += m->friction_count;
  memcpy(s->x->friction_effort, memory, (size_t)m->friction_count * sizeof *memory), memory += m->friction_count;
  for (int i = 0; i < m->friction_count; i++) s->x->friction_slip[i] = (memory[i] > 0) - (memory[i] < 0);
}

static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  jmp_buf out_of_memory;
  moreau *volatile s = calloc(1, sizeof *s);
  bool failed = !s;
  if (setjmp(out_of_memory)) failed = true;
  if (failed) {
    destroy(s);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the contact problem");
    return NULL;
  }
  s->memory = arena_create(&out_of_memory);
  s->m = setup->m, s->x = setup->x, s->contacts = setup->contacts, s->impacts = setup->impacts;
  s->stop = setup->stop;
  s->settings = *(const moreau_settings *)setup->settings;
  allocate(s);
  look_ahead(s);
  s->memory.out_of_memory = NULL;
  s->solver = solve_settings_default();
  s->solver.warm_start = !s->m->planar;  // planar problems are solved exactly from nothing
  if (s->settings.tolerance > 0) s->solver.tolerance = s->settings.tolerance;
  s->t = start->t;
  s->steps_before = start->steps;
  memcpy(s->q, start->q, (size_t)s->m->nq * sizeof *s->q);
  memcpy(s->u, start->u, (size_t)s->m->nv * sizeof *s->u);
  memcpy(s->accounts, start->accounts, sizeof start->accounts);
  s->trouble = start->trouble, s->tally = start->solves;
  if (!prepare_room(s, error)) {
    destroy(s);
    return NULL;
  }
  if (start->memory) recall(s, start->memory);
  else show_gaps(s);
  return s;
}

// --- the step -----------------------------------------------------------------------------------------------------

// Driven speeds go from what their drives say at A to what they say at E.
static void set_drives(moreau *s, double t_mid, double t_end, double dt) {
  const mechanism *m = s->m;
  motion *x = s->x;
  for (int i = 0; i < m->drive_count; i++) {
    const drive *d = &m->drives[i];
    if (d->speed < 0) continue;
    const node *n = &m->nodes[m->joints[d->of.joint].node];
    x->q[n->q + d->of.index] = function_jet(&d->f, t_mid).v;
    x->u[d->speed] = s->u[d->speed];
    x->drive_udot[d->speed] = (function_jet(&d->f, t_end).d - s->u[d->speed]) / dt;
  }
}

// q := q ⊕ h u where there are quaternions
static void turn(moreau *s, double h, const double *u, double *q) {
  for (int i = 0; i < s->m->nv; i++) s->displacement[i] = h * u[i];
  dynamics_move(s->m, q, s->displacement);
}

// The motion's q := s->q ⊕ h s->u, u := s->u
static inline void move_from_state(moreau *s, double h) {
  const mechanism *m = s->m;
  motion *x = s->x;
  if (m->nq == m->nv) {
    for (int i = 0; i < m->nv; i++) x->q[i] = s->q[i] + h * s->u[i], x->u[i] = s->u[i];
    return;
  }
  memcpy(x->q, s->q, (size_t)m->nq * sizeof *s->q);
  memcpy(x->u, s->u, (size_t)m->nv * sizeof *s->u);
  turn(s, h, s->u, x->q);
}

// From the midpoint to the end of the step, the motion and the state alike. False: not finite.
static inline bool move_to_end(moreau *s, double h, const double *u_end) {
  const mechanism *m = s->m;
  motion *x = s->x;
  bool turning = m->nq > m->nv, finite = true;
  if (turning) turn(s, h, u_end, x->q);
  for (int i = 0; i < m->nq; i++) s->q[i] = x->q[i] = turning ? x->q[i] : x->q[i] + h * u_end[i];
  for (int i = 0; i < m->nv; i++) {
    s->u[i] = x->u[i] = u_end[i];
    finite &= isfinite(u_end[i]) != 0;
  }
  return finite;
}

// Everything at (q_M, u_A): kinematics, rows, active points, and the free velocity.
static bool prepare(moreau *s, double dt) {
  const mechanism *m = s->m;
  motion *x = s->x;
  double t_mid = s->t + 0.5 * dt, t_end = s->t + dt;
  move_from_state(s, 0.5 * dt);
  if (m->drive_count) set_drives(s, t_mid, t_end, dt);
  x->t = t_mid;
  tree_kinematics(m, x);
  if (s->reads_coordinates) coordinate_update(m, x);
  if (m->friction_count) moreau_friction_begin(&s->friction, m, x);
  dynamics_apply_forces(m, x);
  if (!mobility_accelerate(m, x)) return false;
  for (int i = 0; i < m->nv; i++) s->u_free[i] = s->u[i] + dt * x->udot[i];
  if (m->row_count) {
    x->t = t_end;  // moving constraints are to hold at the end of the step
    constraints_evaluate(m, x);
  }
  return true;
}

// Its percussion is first guessed to be that of the last step; iterative solvers begin there.
static void guess_percussion(moreau *s, const contact_element *e, const scheme_contact *last, int first, double dt) {
  const double force[3] = {last->normal_force, last->tangential_force[0], last->tangential_force[1]};
  for (int i = 0; i < contact_row_count(s->m, e); i++) s->P[first + i] = dt * force[i];
}

// Whether an element has to be looked at closely: a point touches or did so in the last step.
static bool is_near(moreau *s, const contact_element *e) {
  if (!e->type->gaps) return true;
  double gap[CONTACT_POINTS_MAX];
  bool near = false;
  e->type->gaps(s->m, s->x, e, gap);
  for (int k = 0; k < e->point_count; k++) {
    scheme_contact *shown = &s->shown[e->point0 + k];
    shown->gap = gap[k];
    near |= shown->active || gap[k] <= s->contacts->activation;
  }
  return near;
}

// From one midpoint to the next the motion is uniform. Bodies that are apart now, and overlapped on the straight ways since
// they were last apart without a percussion, have gone through each other: an impact that was missed.
static void look_for_passage(moreau *s, const contact_element *e, int p) {
  if (!e->type->nearest || !s->has_before) return;
  double nearest = e->type->nearest(e, &s->before[p], &s->points[p]);
  s->nearest[p] = fmin(s->nearest[p], nearest);
  if (s->points[p].gap <= s->contacts->activation) return;
  s->trouble.leaps += !s->struck[p] && s->nearest[p] < -s->contacts->activation;
  s->struck[p] = false;
  s->nearest[p] = 0;
}

static void add_active(moreau *s, const contact_element *e, double dt) {
  for (int p = e->point0; p < e->point0 + e->point_count; p++) {
    scheme_contact *shown = &s->shown[p];
    shown->gap = s->points[p].gap;
    bool active = shown->gap <= s->contacts->activation;
    look_for_passage(s, e, p);
    if (!active && !shown->active) continue;
    scheme_contact last = *shown;
    *shown = (scheme_contact){.gap = last.gap, .active = active, .lasts = active && last.active, .point = &s->points[p]};
    if (!active) continue;
    if (s->solver.warm_start) guess_percussion(s, e, &last, s->x->row_total, dt);
    s->active[s->active_count] = p;
    s->active_row[s->active_count++] = s->x->row_total;
    contact_add_rows(s->m, s->x, e, &s->points[p]);
  }
}

static void find_active(moreau *s, double dt) {
  contact_point *points = s->before;
  s->before = s->points, s->points = points;
  rows_clear(s->m, s->x);
  s->active_count = 0;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = &s->contacts->elements[i];
    if (!is_near(s, e)) continue;
    e->type->evaluate(s->m, s->x, e, s->points + e->point0);
    add_active(s, e, dt);
  }
  s->has_before = true;
  if (s->m->friction_count) moreau_friction_add_rows(&s->friction, s->m, s->x, s->P, dt);
}

// Painlevé's paradox: a contact slides along t and pressing it by P_N, with friction -μ P_N t, makes it sink,
// W_NN - μ W_NT t < 0. Where the free motion sinks as well (q_N < 0) no force while sliding fits, and the step finds an
// impact without collision; where it lifts off, being stopped by such an impact would fit too. Collisions are no paradox:
// there the normal rate is much larger than what the forces change in a step.
static void look_for_paradox(moreau *s) {
  const mechanism *m = s->m;
  int row_total = s->x->row_total;
  for (int k = 0; k < s->active_count; k++) {
    const contact_element *e = s->element_of[s->active[k]];
    int first = s->active_row[k], size = contact_row_count(m, e);
    if (size == 1) continue;
    const double *rate = s->rate_before + first, *W = s->room.W + (long)first * row_total + first;
    double slip = size == 2 ? fabs(rate[1]) : hypot(rate[1], rate[2]), resistance = W[0];
    if (!(slip > 0)) continue;
    for (int i = 1; i < size; i++) resistance -= e->material.friction * W[i] * rate[i] / slip;
    if (!(resistance < 0)) continue;
    double sinking = s->q_rows[first] - (1 + e->material.restitution) * rate[0];
    if (fabs(rate[0]) > 2 * fabs(sinking)) continue;
    ++*(s->q_rows[first] < 0 ? &s->trouble.inconsistent : &s->trouble.indeterminate);
  }
}

static carom_status solve_step(moreau *s, carom_error *error) {
  solve_problem problem = block_list_problem(&s->blocks, s->x->row_total, s->room.W, s->q_rows);
  solve_solution solution = {s->P, s->xi};
  long unsolved = s->tally.unsolved;
  s->room.workspace->stop = s->stop;
  solve_info info = solve_chain(&problem, &s->solver, s->room.workspace, &solution, &s->tally);
  if (info.status == SOLVE_INTERRUPTED) return error_set(error, CAROM_INTERRUPTED, "interrupted at t = %g s", s->t);
  if (!isfinite(info.residual))
    return error_set(error, CAROM_ERROR_SINGULAR, "the contact problem at t = %g s is not finite", s->t);
  if (!problem_dump_wants(&s->settings.dump, s->tally.problems, s->tally.unsolved == unsolved)) return CAROM_OK;
  return problem_dump_save(&s->settings.dump, &problem, s->steps_before + s->steps + 1, error);
}

// q = γ_F + e γ_A for contact rows, γ_F + Φ_t for constraints; then W, and the first solve.
static carom_status solve_contacts(moreau *s, double dt, carom_error *error) {
  const mechanism *m = s->m;
  motion *x = s->x;
  mobility_take_rows(m, x);
  mobility_rates(m, x, s->u, s->rate_before);
  mobility_rates(m, x, s->u_free, s->q_rows);
  block_list_begin(&s->blocks, m->row_count);
  for (int i = 0; i < m->row_count; i++) s->q_rows[i] += x->rows[i].phi_t;
  for (int k = 0; k < s->active_count; k++) {
    const contact_element *e = s->element_of[s->active[k]];
    int first = s->active_row[k], size = contact_row_count(m, e);
    add_contact_block(s, e, first);
    s->q_rows[first] += e->material.restitution * s->rate_before[first];
    for (int i = 1; i < size; i++)
      s->q_rows[first + i] += e->material.tangential_restitution * s->rate_before[first + i];
  }
  add_friction_blocks(s, dt);
  if (!has_room(s, error)) return CAROM_ERROR_MEMORY;
  mobility_delassus(m, x, s->room.W);
  delassus_decouple_dependent(m, x, x->row_total, s->room.W, s->q_rows);
  look_for_paradox(s);
  return solve_step(s, error);
}

// Again and again with the friction of joints that the last solution's load gives, until the two agree. They need not where
// contacts and joints hold the same motion: more than one load fits then, and the solvers may find now this one, now that.
static carom_status settle_friction(moreau *s, double dt, carom_error *error) {
  const mechanism *m = s->m;
  carom_status status = CAROM_OK;
  for (int turn = 0; status == CAROM_OK; turn++) {
    if (moreau_friction_agrees(&s->friction, m, s->x, s->P, s->u, s->u_end, dt, s->x->udot, s->x->speed_work[1], turn))
      return CAROM_OK;
    if (turn == FRICTION_TURNS) break;
    s->blocks.count -= m->friction_count;
    add_friction_blocks(s, dt);
    status = solve_step(s, error);
    if (status == CAROM_OK) mobility_respond(m, s->x, s->P, s->u_free, s->u_end);
  }
  s->trouble.friction_unsettled++;
  return status;
}

// --- books --------------------------------------------------------------------------------------------------------

// What the contacts of one step took, and the most that may be the work of forces within the step or rounding.
typedef struct step_losses {
  double sum, slack;
} step_losses;

// What a contact did in this step, across the surface and along it.
typedef struct contact_step {
  double tangential;                   // |P_T|
  double slip;                         // afterwards
  double speed;                        // the size of all its rates, also of those the forces would have brought about
  double loss_normal, loss_tangential;
} contact_step;

static inline double length_of(int n, const double *v) { return n == 1 ? fabs(v[0]) : hypot(v[0], v[1]); }

// ½ (γ_E + γ_A)ᵀ P of each contact is what it took from the motion; with M fixed at the midpoint these and the work of
// the forces sum to the change of kinetic energy exactly. A contact that lasts may give as well as take, since its rates
// turn with the rows, but never more than |γ_F - γ_A| |P|, which vanishes with the step; an impact that adds more than
// that has gained energy.
static contact_step measure_contact(const moreau *s, const contact_element *e, int first, step_losses *losses) {
  int size = contact_row_count(s->m, e);
  const double *P = s->P + first, *a = s->rate_before + first, *b = s->rate_after + first, *q = s->q_rows + first;
  contact_step c = {0};
  for (int i = 0; i < size; i++) {
    double restitution = i ? e->material.tangential_restitution : e->material.restitution;
    double loss = -0.5 * (a[i] + b[i]) * P[i];
    c.speed += fabs(a[i]) + fabs(b[i]) + fabs(q[i]);
    losses->sum += loss;
    losses->slack += fabs(P[i]) * (fabs(q[i] - (1 + restitution) * a[i]) + 1e-10 * c.speed);
    if (i == 0) {
      c.loss_normal = loss;
      continue;
    }
    c.loss_tangential += loss;
  }
  if (size > 1) c.slip = length_of(size - 1, b + 1), c.tangential = length_of(size - 1, P + 1);
  return c;
}

static void book_contact(moreau *s, int k, double dt, step_losses *losses) {
  int point = s->active[k], first = s->active_row[k];
  const contact_element *e = s->element_of[point];
  const double *P = s->P + first;
  scheme_contact *shown = &s->shown[point];
  shown->normal_force = P[0] / dt;
  for (int i = 1; i < contact_row_count(s->m, e); i++) shown->tangential_force[i - 1] = P[i] / dt;
  contact_step c = measure_contact(s, e, first, losses);
  bool sticks = c.slip <= 1e-9 * c.speed;
  shown->slides = !sticks;
  if (!(P[0] > 0)) {
    impact_part(s->impacts, point);
    return;
  }
  s->struck[point] = true;
  if (!s->impacts->is_open[point] && e->span > 0 && -s->points[point].gap > e->span) s->trouble.leaps++;
  impact_touch(s->impacts, point, &(impact_step){  // every field: nothing is left to be cleared first
      .t_start = s->t, .t_end = s->t + dt, .gap = s->points[point].gap, .given = false, .bound = 0, .deepest = 0,
      .peak_force = 0, .speed_before = s->rate_before[first], .speed_after = s->rate_after[first], .impulse_normal = P[0],
      .impulse_tangential = c.tangential, .loss_normal = c.loss_normal, .loss_tangential = c.loss_tangential,
      .restitution = e->material.restitution, .sticks = sticks});
}

static void book_contacts(moreau *s, double dt) {
  int next = 0;
  step_losses losses = {0};
  for (int p = 0; p < s->contacts->point_count; p++) {
    if (next < s->active_count && s->active[next] == p)
      book_contact(s, next++, dt, &losses);
    else
      impact_part(s->impacts, p);
  }
  if (losses.sum < -losses.slack) {
    s->trouble.gains++;
    s->trouble.gained -= losses.sum;
  }
}

static void book(moreau *s, double dt, bool solved) {
  const mechanism *m = s->m;
  motion *x = s->x;
  for (int i = 0; m->force_count && i < POWER_COUNT; i++) s->accounts[i] += dt * x->powers[i];
  if (solved) {
    mobility_rates(m, x, s->u_end, s->rate_after);
    for (int i = 0; i < m->row_count; i++) {
      s->accounts[POWER_DRIVE] -= s->P[i] * x->rows[i].phi_t;
      x->lambda[i] = s->P[i] / dt;
    }
    delassus_share(m, x, x->lambda);
    moreau_friction_book(&s->friction, m, x, s->P, s->rate_before, s->rate_after, dt, s->impacts);
  }
  if (s->active_count || s->impacts->open_count) book_contacts(s, dt);
}

// The impulse of a drive in the tree closes the balance M Δu - Δt h - W P along its speed.
static void book_drives(moreau *s, double dt, const double *u_end) {
  const mechanism *m = s->m;
  motion *x = s->x;
  for (int i = 0; i < x->row_total; i++) s->P[i] /= dt;
  constraint_push(m, x, s->P, x->row_total);
  for (int i = 0; i < x->row_total; i++) s->P[i] *= dt;
  for (int i = 0; i < m->nv; i++) x->udot[i] = (u_end[i] - s->u[i]) / dt;
  tree_inverse(m, x, x->udot, s->displacement);
  for (int i = 0; i < m->drive_count; i++) {
    int v = m->drives[i].speed;
    if (v < 0) continue;
    x->drive_effort[i] = s->displacement[v] - x->tau[v];
    s->accounts[POWER_DRIVE] += dt * x->drive_effort[i] * 0.5 * (s->u[v] + u_end[v]);
  }
}

static double stored_energy(const moreau *s) {
  return tree_kinetic_energy(s->m, s->x) + tree_gravity_energy(s->m, s->x);
}

static void project(moreau *s) {
  const mechanism *m = s->m;
  motion *x = s->x;
  dynamics_positions_velocities(m, x);
  double before = stored_energy(s);
  dynamics_project_positions(m, x, 1e-12 * fmax(1, m->length), 8);
  dynamics_positions_velocities(m, x);
  s->projection_energy += stored_energy(s) - before;
  memcpy(s->q, x->q, (size_t)m->nq * sizeof *s->q);
}

static carom_status finish(moreau *s, double t_end, double dt, const double *u_end, carom_error *error) {
  bool finite = move_to_end(s, 0.5 * dt, u_end);
  s->t = s->x->t = t_end;
  s->x->level = LEVEL_NONE;
  s->steps++;
  if (s->m->drive_count) dynamics_set(s->m, s->x, s->t, s->q, s->u);
  if (s->settings.project && s->m->row_count) project(s);
  if (finite) return CAROM_OK;
  return error_set(error, CAROM_ERROR_INTEGRATOR, "the motion is not finite at t = %g s", s->t);
}

// Step k of a run ends at k h, so that rounding does not add up.
static carom_status step(void *scheme, double t_stop, carom_error *error) {
  moreau *s = scheme;
  // steps end on multiples of h, also after one that was cut short; a millionth of h is far above the rounding of t/h
  double h = s->settings.step;
  s->grid = s->t == s->grid * h ? s->grid + 1 : floor(s->t / h + 1e-6) + 1;
  double t_next = s->grid * h;
  if (t_next > t_stop - 1e-9 * h) t_next = t_stop;
  double dt = t_next - s->t;
  if (!prepare(s, dt)) {
    char why[256];
    dynamics_explain(s->m, s->x, why, sizeof why);
    return error_set(error, CAROM_ERROR_SINGULAR, "%s", why);
  }
  find_active(s, dt);
  bool touching = s->x->row_total > 0;
  carom_status solved = touching ? solve_contacts(s, dt, error) : CAROM_OK;
  if (solved != CAROM_OK) return solved;
  double *u_end = touching ? s->u_end : s->u_free;
  if (touching) mobility_respond(s->m, s->x, s->P, s->u_free, u_end);
  if (s->friction.loaded && (solved = settle_friction(s, dt, error)) != CAROM_OK) return solved;
  book(s, dt, touching);
  if (s->m->drive_count) book_drives(s, dt, u_end);
  return finish(s, t_next, dt, u_end, error);
}

// Within the second half of a step the motion is uniform; at a jump the state after it is shown.
static carom_status show(void *scheme, double t, carom_error *error) {
  (void)error;
  moreau *s = scheme;
  dynamics_set(s->m, s->x, t, s->q, s->u);
  move_from_state(s, t - s->t);
  return CAROM_OK;
}

static void show_end(void *scheme) {
  moreau *s = scheme;
  dynamics_set(s->m, s->x, s->t, s->q, s->u);
}

static const double *state_of(const void *scheme) { return ((const moreau *)scheme)->q; }
static double time_of(const void *scheme) { return ((const moreau *)scheme)->t; }
static const double *accounts_of(const void *scheme) { return ((const moreau *)scheme)->accounts; }
static bool resumes_exactly(const void *scheme) { return (void)scheme, true; }
static double next_step(const void *scheme) { return ((const moreau *)scheme)->settings.step; }
static const scheme_contact *contacts_of(const void *scheme) { return ((const moreau *)scheme)->shown; }

static scheme_stats stats_of(const void *scheme) {
  const moreau *s = scheme;
  return (scheme_stats){.steps = s->steps, .evaluations = s->steps, .projection_energy = s->projection_energy,
                        .solves = &s->tally, .trouble = s->trouble};
}

const scheme_type scheme_moreau = {
    .energy = {.warn = 0.01, .bad = 0.05},  // of first order: no tolerance to derive them from
    .name = "moreau", .knows_contact = true, .create = create, .destroy = destroy, .step = step, .show = show,
    .show_end = show_end, .time = time_of, .state = state_of, .accounts = accounts_of, .stats = stats_of, .resumes_exactly = resumes_exactly,
    .next_step = next_step, .contacts = contacts_of, .memory_size = memory_size, .remember = remember,
};
