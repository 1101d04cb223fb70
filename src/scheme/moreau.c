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
#include "base/number.h"
#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/delassus.h"
#include "mechanics/dynamics.h"
#include "mechanics/function.h"
#include "mechanics/mobility.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"
#include "scheme/moreau_internal.h"

enum { ROWS_OF_A_CROWD = 600 };          // above, room for contact problems is made when they come
enum { REMEMBERED = 2 };                 // steps whose contacts are known

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
  s->q = ARENA_ARRAY(a, double, m->nq + m->nv + 1);
  s->q_A = ARENA_ARRAY(a, double, m->nq + m->nv + 1);
  s->u = s->q + m->nq, s->u_A = s->q_A + m->nq;
  s->kept = ARENA_ARRAY(a, double, m->nq + m->nv + m->joint_nq + 1);
  s->u_free = ARENA_ARRAY(a, double, m->nv + 1);
  s->u_end = ARENA_ARRAY(a, double, m->nv + 1);
  s->displacement = ARENA_ARRAY(a, double, m->nv + 1);
  s->points = ARENA_ARRAY(a, contact_point, points + 1);
  s->element_of = ARENA_ARRAY(a, const contact_element *, points + 1);
  s->before = ARENA_ARRAY(a, contact_point, points + 1);
  s->looked = ARENA_ARRAY(a, contact_point, points + 1);
  s->struck = ARENA_ARRAY(a, bool, points + 1);
  s->nearest = ARENA_ARRAY(a, double, points + 1);
  s->active = ARENA_ARRAY(a, int, points + 1);
  s->active_row = ARENA_ARRAY(a, int, points + 1);
  s->last = ARENA_ARRAY(a, scheme_contact, points + 1);
  s->last_before = ARENA_ARRAY(a, scheme_contact, points + 1);
  s->touched = ARENA_ARRAY(a, long, s->contacts->element_count + 1);
  s->passed = ARENA_ARRAY(a, const contact_element *, s->contacts->element_count + 1);
  s->shown = ARENA_ARRAY(a, scheme_contact, points + 1);
  s->blocks = block_list_create(a, m->row_count + points + m->friction_count);
  moreau_friction_create(&s->friction, m, a);
  s->q_rows = ARENA_ARRAY(a, double, rows);
  s->P = ARENA_ARRAY(a, double, rows);
  s->P_before = ARENA_ARRAY(a, double, m->row_count + 1);
  s->xi = ARENA_ARRAY(a, double, rows);
  s->friction.xi = s->xi;
  s->rate_before = ARENA_ARRAY(a, double, rows);
  s->rate_after = ARENA_ARRAY(a, double, rows);
  s->lambda = ARENA_ARRAY(a, double, m->row_count + 1);
  s->moves = ARENA_ARRAY(a, bool, m->row_count + 1);
  s->row_size = ARENA_ARRAY(a, double, m->row_count + 1);
  for (int i = 0; i < m->constraint_count; i++) {
    const constraint *c = &m->constraints[i];
    for (int k = 0; k < c->row_count; k++) {
      s->moves[c->row0 + k] = !function_is_constant(&c->f);
      s->row_size[c->row0 + k] = constraint_row_size(m, c, k);
    }
  }
}

static void look_ahead(moreau *s) {
  const mechanism *m = s->m;
  s->reads_coordinates = m->force_count || m->constraint_count || m->drive_count || m->friction_count;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = &s->contacts->elements[i];
    for (int p = e->point0; p < e->point0 + e->point_count; p++) s->element_of[p] = e;
    s->reads_coordinates |= e->type->reads_coordinate;
    if (e->type->nearest) s->passed[s->passed_count++] = e;
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

// Nothing has touched yet, and no step says what acts. Passages are looked for from here on.
void moreau_begin(moreau *s) {
  const mechanism *m = s->m;
  int points = s->contacts->point_count;
  memset(s->P, 0, (size_t)(m->row_count + m->extra_rows + 1) * sizeof *s->P);
  dynamics_set(m, s->x, s->t, s->q, s->u);
  dynamics_positions_velocities(m, s->x);
  contact_evaluate(s->contacts, m, s->x, s->points);
  for (int p = 0; p < points; p++) {
    s->last[p] = (scheme_contact){.gap = s->points[p].gap, .point = &s->points[p]};
    s->struck[p] = s->points[p].gap <= s->contacts->activation;
    s->nearest[p] = 0;
  }
  for (int i = 0; i < s->contacts->element_count; i++) s->touched[i] = s->steps - REMEMBERED - 1;
  moreau_friction_reset(&s->friction, m, s->x);
  s->dt = 0;
}

// Where the last step began, its contacts, from whose percussions iterative solvers begin, and those of constraints and of
// joints that rub. What is shown of the step follows from these.
enum { STEP_MEMORY = 4, POINT_MEMORY = 21 };

static int memory_size(const mechanism *m, const contact_set *contacts) {
  return STEP_MEMORY + m->nq + m->nv + contacts->element_count + POINT_MEMORY * contacts->point_count + 2 * m->row_count +
         3 * m->friction_count;
}

static void remember(const void *scheme, double *memory) {
  const moreau *s = scheme;
  const mechanism *m = s->m;
  const double step_numbers[STEP_MEMORY] = {s->t_A, s->dt, s->seen_open[0], s->seen_open[1]};
  memcpy(memory, step_numbers, sizeof step_numbers), memory += STEP_MEMORY;
  memcpy(memory, s->q_A, (size_t)(m->nq + m->nv) * sizeof *memory), memory += m->nq + m->nv;
  for (int i = 0; i < s->contacts->element_count; i++) *memory++ = fmin((double)(s->steps - s->touched[i]), REMEMBERED + 1);
  for (int p = 0; p < s->contacts->point_count; p++) {
    const scheme_contact *c = &s->last[p];
    vec3 at = s->points[p].at, n = s->points[p].n, t = s->points[p].t[0], b = s->points[p].t[1];
    const double numbers[POINT_MEMORY] = {
        c->gap, c->normal_force, c->tangential_force[0], c->tangential_force[1], c->active, c->slides, s->struck[p],
        s->nearest[p], at.x, at.y, at.z, n.x, n.y, n.z, t.x, t.y, t.z, b.x, b.y, b.z, c->lasts};
    memcpy(memory, numbers, sizeof numbers), memory += POINT_MEMORY;
  }
  memcpy(memory, s->P, (size_t)m->row_count * sizeof *memory), memory += m->row_count;
  memcpy(memory, s->lambda, (size_t)m->row_count * sizeof *memory), memory += m->row_count;
  memcpy(memory, s->friction.limit, (size_t)m->friction_count * sizeof *memory), memory += m->friction_count;
  memcpy(memory, s->x->friction_effort, (size_t)m->friction_count * sizeof *memory), memory += m->friction_count;
  for (int i = 0; i < m->friction_count; i++) memory[i] = s->x->friction_slip[i];
}

static void recall(moreau *s, const double *memory) {
  const mechanism *m = s->m;
  s->t_A = memory[0], s->dt = memory[1], s->seen_open[0] = memory[2], s->seen_open[1] = memory[3], memory += STEP_MEMORY;
  memcpy(s->q_A, memory, (size_t)(m->nq + m->nv) * sizeof *memory), memory += m->nq + m->nv;
  for (int i = 0; i < s->contacts->element_count; i++) s->touched[i] = s->steps - (memory[i] >= 0 && memory[i] <= REMEMBERED ? (long)memory[i] : REMEMBERED + 1);
  memory += s->contacts->element_count;
  for (int p = 0; p < s->contacts->point_count; p++, memory += POINT_MEMORY) {
    s->last[p] = (scheme_contact){memory[0], memory[1], {memory[2], memory[3]}, memory[4] != 0, memory[5] != 0, memory[20] != 0,
                                   &s->points[p]};
    s->struck[p] = memory[6] != 0, s->nearest[p] = memory[7];
    s->points[p] = (contact_point){.gap = memory[0], .at = vec3_of(memory + 8), .n = vec3_of(memory + 11),
                                   .t = {vec3_of(memory + 14), vec3_of(memory + 17)}, .speed = -1};
  }
  memcpy(s->P, memory, (size_t)m->row_count * sizeof *memory), memory += m->row_count;
  memcpy(s->lambda, memory, (size_t)m->row_count * sizeof *memory), memory += m->row_count;
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
  s->settings = moreau_settings_from(setup);
  allocate(s);
  look_ahead(s);
  s->memory.out_of_memory = NULL;
  s->solver = solve_settings_default();
  s->solver.warm_start = !s->m->planar;  // planar problems are solved exactly from nothing
  if (s->settings.tolerance > 0) s->solver.tolerance = s->settings.tolerance;
  s->t = s->t_A = start->t;
  s->steps_before = start->steps;
  memcpy(s->q, start->q, (size_t)s->m->nq * sizeof *s->q);
  memcpy(s->u, start->u, (size_t)s->m->nv * sizeof *s->u);
  memcpy(s->accounts, start->accounts, sizeof start->accounts);
  memcpy(s->accounts_A, start->accounts, sizeof start->accounts);
  s->losses[0] = s->losses_A[0] = s->impacts->loss_normal, s->losses[1] = s->losses_A[1] = s->impacts->loss_tangential;
  s->trouble = start->trouble, s->tally = start->solves;
  if (!prepare_room(s, error)) {
    destroy(s);
    return NULL;
  }
  moreau_begin(s);
  if (start->memory) recall(s, start->memory);
  return s;
}

// --- the step -----------------------------------------------------------------------------------------------------

// Driven speeds go from what their drives say at A to what they say at E.
void moreau_set_drives(moreau *s, const double *u, double t_mid, double t_end, double dt) {
  const mechanism *m = s->m;
  motion *x = s->x;
  for (int i = 0; i < m->drive_count; i++) {
    const drive *d = &m->drives[i];
    if (d->speed < 0) continue;
    const node *n = &m->nodes[m->joints[d->of.joint].node];
    x->q[n->q + d->of.index] = function_jet(&d->f, t_mid).v;
    x->u[d->speed] = u[d->speed];
    x->drive_udot[d->speed] = (function_jet(&d->f, t_end).d - u[d->speed]) / dt;
  }
}

// q := q ⊕ h u where there are quaternions
void moreau_turn(moreau *s, double h, const double *u, double *q) {
  for (int i = 0; i < s->m->nv; i++) s->displacement[i] = h * u[i];
  dynamics_move(s->m, q, s->displacement);
}

// From the midpoint to the end of the step, the motion and the state alike. False: not finite.
static inline bool move_to_end(moreau *s, double h, const double *u_end) {
  const mechanism *m = s->m;
  motion *x = s->x;
  double *q = s->q, *u = s->u, zero = 0;  // times each speed; NaN where one is not finite
  if (m->nq > m->nv) {
    moreau_turn(s, h, u_end, x->q);
    memcpy(q, x->q, (size_t)m->nq * sizeof *q);
    for (int i = 0; i < m->nv; i++) u[i] = x->u[i] = u_end[i], zero += 0 * u_end[i];
  } else {
    for (int i = 0; i < m->nv; i++) {
      double speed = u_end[i];
      q[i] = x->q[i] += h * speed;
      u[i] = x->u[i] = speed;
      zero += 0 * speed;
    }
  }
  return zero == 0;
}

// Everything at (q_M, u_A): kinematics, rows, active points, and the free velocity.
static bool prepare(moreau *s, double dt) {
  const mechanism *m = s->m;
  motion *x = s->x;
  moreau_go_to_midpoint(s, s->q, s->u, s->t, dt);
  if (m->friction_count) moreau_friction_begin(&s->friction, m, x);
  dynamics_apply_forces(m, x);
  if (!mobility_accelerate(m, x)) return false;
  for (int i = 0; i < m->nv; i++) s->u_free[i] = s->u[i] + dt * x->udot[i];
  if (m->row_count) {
    x->t = s->t + dt;  // moving constraints are to hold at the end of the step
    constraints_evaluate(m, x);
  }
  return true;
}

// Its percussion is first guessed to be that of the last step; iterative solvers begin there.
static void guess_percussion(moreau *s, const contact_element *e, const scheme_contact *last, int first, double dt) {
  const double force[3] = {last->normal_force, last->tangential_force[0], last->tangential_force[1]};
  for (int i = 0; i < contact_row_count(s->m, e); i++) s->P[first + i] = dt * force[i];
}

// Whether an element has to be looked at closely: a point touches or did so in one of the last two steps, which are remembered.
static bool is_near(moreau *s, int index) {
  const contact_element *e = &s->contacts->elements[index];
  if (!e->type->gaps || s->steps - s->touched[index] <= REMEMBERED) return true;
  double gap[CONTACT_POINTS_MAX];
  e->type->gaps(s->m, s->x, e, gap);
  for (int k = 0; k < e->point_count; k++)
    if (gap[k] <= s->contacts->activation) return true;
  return false;
}

// Bodies that slide over each other move on chords of the path of contact: a way that leads less than this part of a body's
// thickness into the other is no passage. Even a real one would have an approach of a few per cent of their speed.
static double graze(const moreau *s, const contact_element *e) { return fmax(s->contacts->activation, 1e-3 * e->span); }

// From one midpoint to the next, and from the start to the first, the motion is uniform. Bodies that are apart now, and
// overlapped on the straight ways since they were last apart, have gone through each other, unless a step saw them approach:
// an impact that was missed.
static void look_for_passage(moreau *s, const contact_element *e, int p) {
  double nearest = e->type->nearest(e, &s->before[p], &s->points[p]);
  s->nearest[p] = fmin(s->nearest[p], nearest);
  if (s->points[p].gap <= s->contacts->activation) return;
  s->trouble.leaps += !s->struck[p] && s->nearest[p] < -graze(s, e);
  s->struck[p] = false;
  s->nearest[p] = 0;
}

static void look_for_passages(moreau *s) {
  for (int i = 0; i < s->passed_count; i++)
    for (int p = s->passed[i]->point0; p < s->passed[i]->point0 + s->passed[i]->point_count; p++)
      look_for_passage(s, s->passed[i], p);
}

// The same from the midpoint to the end of the step, for a run that ends there: bodies that have passed each other, or that
// one has gone right through, without having taken part in the step.
static long count_passages_at_end(moreau *s) {
  long count = 0;
  dynamics_positions_velocities(s->m, s->x);
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = &s->contacts->elements[i];
    if (!e->type->nearest && !(e->span > 0)) continue;
    e->type->evaluate(s->m, s->x, e, s->looked + e->point0);
    for (int p = e->point0; p < e->point0 + e->point_count; p++) {
      const contact_point *at = &s->looked[p];
      if (s->last[p].active || s->struck[p]) continue;
      bool through = e->span > 0 && -at->gap > e->span;
      bool passed = e->type->nearest && at->gap > s->contacts->activation &&
                    fmin(s->nearest[p], e->type->nearest(e, &s->points[p], at)) < -graze(s, e);
      count += through || passed;
    }
  }
  return count;
}

// Returns whether a point takes part.
static bool add_active(moreau *s, const contact_element *e, double dt) {
  int before_these = s->active_count;
  for (int p = e->point0; p < e->point0 + e->point_count; p++) {
    const scheme_contact *before = &s->last_before[p];
    double gap = s->points[p].gap;
    bool active = gap <= s->contacts->activation;
    s->last[p] = (scheme_contact){.gap = gap, .active = active, .lasts = active && before->active, .point = &s->points[p]};
    if (!active) continue;
    if (s->solver.warm_start) guess_percussion(s, e, before, s->x->row_total, dt);
    s->active[s->active_count] = p;
    s->active_row[s->active_count++] = s->x->row_total;
    contact_add_rows(s->m, s->x, e, &s->points[p]);
  }
  return s->active_count > before_these;
}

static void find_active(moreau *s, double dt) {
  rows_clear(s->m, s->x);
  s->active_count = 0;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = &s->contacts->elements[i];
    if (!is_near(s, i)) continue;
    e->type->evaluate(s->m, s->x, e, s->points + e->point0);
    if (add_active(s, e, dt)) s->touched[i] = s->steps;
  }
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

// Whether a percussion is far beyond what it takes to change the rates: W has fewer independent rows than the problem needs, and
// the solution rests on the rounding of the others.
static bool runs_away(const moreau *s) {
  static const double FAR_BEYOND = 1e8;
  int n = s->x->row_total;
  double most = 0, fastest = 0;
  for (int i = 0; i < n; i++) {
    double change = fabs(s->P[i]) * s->room.W[(long)i * n + i], rate = fabs(s->q_rows[i]);
    if (change > most) most = change;
    if (rate > fastest) fastest = rate;
  }
  return most > FAR_BEYOND * fastest;
}

// True: contacts that take part had restitution, and have none any more.
static bool drop_restitution(moreau *s) {
  bool any = false;
  for (int k = 0; k < s->active_count; k++) {
    const contact_material *of = &s->element_of[s->active[k]]->material;
    int first = s->active_row[k], size = contact_row_count(s->m, s->element_of[s->active[k]]);
    for (int i = 0; i < size; i++) {
      double returned = (i ? of->tangential_restitution : of->restitution) * s->rate_before[first + i];
      s->q_rows[first + i] -= returned;
      any |= returned != 0;
    }
  }
  return any;
}

// A contact that wedges bodies by its friction cannot return them: no percussion within its cone drives them apart, and with
// Newton's law there is no solution. Without restitution there is one.
static solve_info solve_problem_of_step(moreau *s, const solve_problem *problem) {
  solve_solution solution = {s->P, s->xi};
  chain_tally before = s->tally;
  solve_info info = solve_chain(problem, &s->solver, s->room.workspace, &solution, &s->tally);
  bool fits = info.status == SOLVE_SOLVED && !runs_away(s);
  if (fits || info.status == SOLVE_INTERRUPTED || !drop_restitution(s)) return info;
  s->tally = before;
  s->trouble.inconsistent++;
  return solve_chain(problem, &s->solver, s->room.workspace, &solution, &s->tally);
}

static carom_status solve_step(moreau *s, carom_error *error) {
  solve_problem problem = block_list_problem(&s->blocks, s->x->row_total, s->room.W, s->q_rows);
  long unsolved = s->tally.unsolved;
  s->room.workspace->stop = s->stop;
  solve_info info = solve_problem_of_step(s, &problem);
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
  delassus_decouple_dependent(m, x, x->row_total, s->room.W);
  delassus_clear_dependent(m, x, s->q_rows);
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
  s->trouble.friction_unsettled += status == CAROM_OK;
  return status;
}

static double stored_energy(const moreau *s) {
  return tree_kinetic_energy(s->m, s->x) + tree_gravity_energy(s->m, s->x);
}

// The row that is violated most against its size.
static int worst_row(const moreau *s, double *relative) {
  int worst = 0;
  *relative = 0;
  for (int i = 0; i < s->m->row_count; i++) {
    double violation = fabs(s->x->rows[i].phi) / s->row_size[i];
    if (!(violation <= *relative || isnan(*relative))) *relative = violation, worst = i;
  }
  return worst;
}

static const char *constraint_name(const mechanism *m, int row) {
  int i = 0;
  while (row >= m->constraints[i].row0 + m->constraints[i].row_count) i++;
  return m->constraints[i].name;
}

// A mechanism that locks up cannot go on: there is no position next to the one it has that meets its constraints. After that
// velocities grow without bound and no number means anything.
static carom_status check_constraints(moreau *s, double limit, carom_error *error) {
  double relative;
  int worst = worst_row(s, &relative);
  s->violation = number_larger(s->violation, constraints_violation(s->m, s->x));
  if (relative <= limit) return CAROM_OK;
  return error_set(error, CAROM_ERROR_INTEGRATOR,
                   "the constraints cannot be met at t = %.6g s: '%s' is off by %.2g (m or rad), and %s. The mechanism locks up "
                   "there (check lengths and drives), or the step is far too large", s->t, constraint_name(s->m, worst),
                   fabs(s->x->rows[worst].phi),
                   s->settings.project ? "no position nearby closes it" : "it drifts apart without 'project'");
}

// Positions back onto the constraints; where Newton's method finds none that are closer, they stay as they are.
static carom_status project(moreau *s, carom_error *error) {
  const double tolerance = 1e-12 * fmax(1, s->m->length), met = 1e-9 * fmax(1, s->m->length), locked = 1e-3;
  const mechanism *m = s->m;
  motion *x = s->x;
  dynamics_positions_velocities(m, x);
  double before = stored_energy(s), violation = constraints_violation(m, x);
  bool done = dynamics_project_positions(m, x, tolerance, 8);
  dynamics_positions_velocities(m, x);
  if (!done && !(constraints_violation(m, x) < violation)) {
    dynamics_set(m, x, s->t, s->q, s->u);
    dynamics_positions_velocities(m, x);
  }
  s->projection_failures += !done && !(constraints_violation(m, x) <= met);
  s->projection_energy += stored_energy(s) - before;
  memcpy(s->q, x->q, (size_t)m->nq * sizeof *s->q);
  return check_constraints(s, locked, error);
}

// Without projection looking at the end of a step costs as much as a third of it. What rows are violated by at the midpoint
// is known; the end is looked at when that has grown.
static bool opens(moreau *s, double dt) {
  double open = 0, relative = 0;
  for (int i = 0; i < s->m->row_count; i++) {
    double violation = fabs(s->x->rows[i].phi - 0.5 * dt * s->x->rows[i].phi_t);
    open = fmax(open, violation), relative = fmax(relative, violation / s->row_size[i]);
  }
  if (open <= 1.1 * s->seen_open[0] && relative <= 1.1 * s->seen_open[1]) return false;
  s->seen_open[0] = fmax(open, s->seen_open[0]), s->seen_open[1] = fmax(relative, s->seen_open[1]);
  return true;
}

static carom_status watch_drift(moreau *s, carom_error *error) {
  const double lost = 0.01;
  dynamics_positions_velocities(s->m, s->x);
  return check_constraints(s, lost, error);
}

// The books at the start of a step; a step in which nothing acts leaves them as they are.
static void keep_books(moreau *s) {
  memcpy(s->accounts_A, s->accounts, sizeof s->accounts);
  memcpy(s->losses_A, s->losses, sizeof s->losses);
  s->books_differ = false;
}

// What was the state is where the step began, and its array takes the new one.
static void turn_over(moreau *s, double dt) {
  double *q = s->q_A, *u = s->u_A;
  s->q_A = s->q, s->u_A = s->u, s->t_A = s->t, s->dt = dt;
  s->q = q, s->u = u;
  s->shows_A = false;
}

static carom_status finish(moreau *s, double t_end, double dt, const double *u_end, carom_error *error) {
  bool grown = s->m->row_count && !s->settings.project && opens(s, dt);
  turn_over(s, dt);
  bool finite = move_to_end(s, 0.5 * dt, u_end);
  s->t = s->x->t = t_end;
  s->x->level = LEVEL_NONE;
  s->steps++;
  if (s->m->drive_count) dynamics_set(s->m, s->x, s->t, s->q, s->u);
  if (!finite) return error_set(error, CAROM_ERROR_INTEGRATOR, "the motion is not finite at t = %g s", s->t);
  if (s->settings.project && s->m->row_count) return project(s, error);
  return grown ? watch_drift(s, error) : CAROM_OK;
}

// --- stepping -------------------------------------------------------------------------------------------------------

static void exchange_steps(moreau *s) {
  contact_point *points = s->before;
  scheme_contact *last = s->last_before;
  s->before = s->points, s->points = points;
  s->last_before = s->last, s->last = last;
}

// What the last step has found is kept until this one has its solution, so that a step that is given up leaves no trace.
static void set_aside(moreau *s) {
  exchange_steps(s);
  if (s->m->row_count) memcpy(s->P_before, s->P, (size_t)s->m->row_count * sizeof *s->P);
  if (s->friction.loaded) s->tally_before = s->tally;  // others solve one problem in a step, counted when it is solved
}

static carom_status give_up(moreau *s, carom_status status) {
  exchange_steps(s);
  memcpy(s->P, s->P_before, (size_t)s->m->row_count * sizeof *s->P);
  if (s->friction.loaded) s->tally = s->tally_before;
  moreau_friction_give_up(&s->friction, s->m, s->x);
  return status;
}

// The velocity at the end of the step. Nothing of the scheme's books is changed yet.
static carom_status find_end(moreau *s, double dt, const double **u_end, carom_error *error) {
  *u_end = s->u_free;
  if (!prepare(s, dt)) {
    char why[256];
    dynamics_explain(s->m, s->x, why, sizeof why);
    return error_set(error, CAROM_ERROR_SINGULAR, "%s", why);
  }
  find_active(s, dt);
  if (s->x->row_total == 0) return CAROM_OK;
  carom_status solved = solve_contacts(s, dt, error);
  if (solved != CAROM_OK) return solved;
  *u_end = s->u_end;
  mobility_respond(s->m, s->x, s->P, s->u_free, s->u_end);
  return s->friction.loaded ? settle_friction(s, dt, error) : CAROM_OK;
}

// Step k of a run ends at k h, so that rounding does not add up.
carom_status moreau_step(void *scheme, double t_stop, carom_error *error) {
  moreau *s = scheme;
  // steps end on multiples of h, also after one that was cut short; a millionth of h is far above the rounding of t/h
  double h = s->settings.step;
  s->grid = s->t == s->grid * h ? s->grid + 1 : floor(s->t / h + 1e-6) + 1;
  double t_next = s->grid * h;
  if (t_next > t_stop - 1e-9 * h) t_next = t_stop;
  double dt = t_next - s->t;
  const double *u_end;
  if (s->shows_A) moreau_show_end(s);
  set_aside(s);
  carom_status solved = find_end(s, dt, &u_end, error);
  if (solved != CAROM_OK) return give_up(s, solved);
  bool touching = s->x->row_total > 0;
  if (touching) look_for_paradox(s);
  if (s->passed_count) look_for_passages(s);
  if (s->books_differ) keep_books(s);
  if (touching || s->m->force_count || s->m->drive_count || s->impacts->open_count) {
    moreau_book(s, dt, touching, u_end);
    s->losses[0] = s->impacts->loss_normal, s->losses[1] = s->impacts->loss_tangential;
    s->books_differ = true;
  }
  solved = finish(s, t_next, dt, u_end, error);
  s->leaps_at_end = t_next == t_stop && s->contacts->point_count ? count_passages_at_end(s) : 0;
  return solved;
}

static const double *state_of(const void *scheme) { return ((const moreau *)scheme)->q; }
static double time_of(const void *scheme) { return ((const moreau *)scheme)->t; }
static const double *accounts_of(const void *scheme) {
  const moreau *s = scheme;
  return s->shows_A ? s->accounts_A : s->accounts;
}
static bool resumes_exactly(const void *scheme) { return (void)scheme, true; }
static double next_step(const void *scheme) { return ((const moreau *)scheme)->settings.step; }
static const scheme_contact *contacts_of(const void *scheme) { return ((const moreau *)scheme)->shown; }

static scheme_stats stats_of(const void *scheme) {
  const moreau *s = scheme;
  return (scheme_stats){.steps = s->steps, .evaluations = s->steps, .projection_energy = s->projection_energy,
                        .projection_failures = s->projection_failures, .violation = s->violation,
                        .leaps_at_end = s->leaps_at_end, .solves = &s->tally, .trouble = s->trouble};
}

const scheme_type scheme_moreau = {
    .energy = {.warn = 0.01, .bad = 0.05},  // of first order: no tolerance to derive them from
    .name = "moreau", .about = &moreau_about, .knows_contact = true, .gives_means = true, .tracks_constraints = true,
    .create = create, .destroy = destroy, .step = moreau_step, .show = moreau_show,
    .show_end = moreau_show_end, .result = moreau_result, .time = time_of, .state = state_of, .accounts = accounts_of, .stats = stats_of,
    .resumes_exactly = resumes_exactly, .next_step = next_step, .contacts = contacts_of, .memory_size = memory_size, .remember = remember,
};
