// The state of a time stepper: creation, memory, what it tells of itself.
#include "scheme/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/constraint.h"
#include "mechanics/dynamics.h"
#include "mechanics/function.h"
#include "scheme/stepper_internal.h"

// --- creation -----------------------------------------------------------------------------------------------------

static void allocate(stepper *s) {
  const mechanism *m = s->m;
  arena *a = &s->memory;
  int rows = m->row_count + m->extra_rows + 1, points = s->contacts->point_count;
  s->q = ARENA_ARRAY(a, double, m->nq + m->nv + 1);
  s->q_A = ARENA_ARRAY(a, double, m->nq + m->nv + 1);
  s->u = s->q + m->nq, s->u_A = s->q_A + m->nq;
  s->kept = ARENA_ARRAY(a, double, m->nq + m->nv + m->joint_nq + 1);
  s->placed = ARENA_ARRAY(a, double, m->nq + 1);
  s->unplaced = ARENA_ARRAY(a, double, m->nq + 1);
  s->before_placing = ARENA_ARRAY(a, double, m->nq + 1);
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
  stepper_friction_create(&s->friction, m, a);
  s->q_rows = ARENA_ARRAY(a, double, rows);
  s->P = ARENA_ARRAY(a, double, rows);
  s->P_before = ARENA_ARRAY(a, double, m->row_count + 1);
  s->xi = ARENA_ARRAY(a, double, rows);
  s->friction.xi = s->xi;
  s->rate_before = ARENA_ARRAY(a, double, rows);
  s->rate_free = ARENA_ARRAY(a, double, rows);
  s->rate_after = ARENA_ARRAY(a, double, rows);
  s->lambda = ARENA_ARRAY(a, double, m->row_count + 1);
  s->moves = ARENA_ARRAY(a, bool, m->row_count + 1);
  s->row_size = ARENA_ARRAY(a, double, m->row_count + 1);
  s->driven = m->drive_count > 0;
  for (int i = 0; i < m->constraint_count; i++) {
    const constraint *c = &m->constraints[i];
    for (int k = 0; k < c->row_count; k++) {
      s->moves[c->row0 + k] = !function_is_constant(&c->f);
      s->driven |= s->moves[c->row0 + k];
      s->row_size[c->row0 + k] = constraint_row_size(m, c, k);
    }
  }
}

static void look_ahead(stepper *s) {
  const mechanism *m = s->m;
  s->reads_coordinates = m->force_count || m->constraint_count || m->drive_count || m->friction_count;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = &s->contacts->elements[i];
    for (int p = e->point0; p < e->point0 + e->point_count; p++) s->element_of[p] = e;
    s->reads_coordinates |= e->type->reads_coordinate;
    if (e->type->nearest) s->passed[s->passed_count++] = e;
  }
}

void stepper_destroy(void *scheme) {
  stepper *s = scheme;
  if (!s) return;
  solve_room_free(&s->room);
  arena_free(&s->memory);
  free(s);
}

// Nothing has touched yet, and no step says what acts. Passages are looked for from here on.
void stepper_begin(stepper *s) {
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
  stepper_friction_reset(&s->friction, m, s->x);
  stepper_begin_projection(s);
  s->dt = 0;
}

// Where the last step began, its contacts, from whose percussions iterative solvers begin, and those of constraints and of
// joints that rub. What is shown of the step follows from these.
enum { STEP_MEMORY = 5, POINT_MEMORY = 21 };

int stepper_memory_size(const mechanism *m, const contact_set *contacts) {
  return STEP_MEMORY + m->nq + m->nv + contacts->element_count + POINT_MEMORY * contacts->point_count + 2 * m->row_count +
         3 * m->friction_count;
}

void stepper_remember(const void *scheme, double *memory) {
  const stepper *s = scheme;
  const mechanism *m = s->m;
  const double step_numbers[STEP_MEMORY] = {s->t_A, s->dt, s->seen_open[0], s->seen_open[1], s->dt_before};
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

static void recall(stepper *s, const double *memory) {
  const mechanism *m = s->m;
  s->t_A = memory[0], s->dt = memory[1], s->seen_open[0] = memory[2], s->seen_open[1] = memory[3];
  s->dt_before = memory[4], memory += STEP_MEMORY;
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

void *stepper_create(const stepper_rule *rule, const stepper_settings *settings, const scheme_setup *setup,
                     const scheme_start *start, carom_error *error) {
  jmp_buf out_of_memory;
  stepper *volatile s = calloc(1, sizeof *s);
  bool failed = !s;
  if (setjmp(out_of_memory)) failed = true;
  if (failed) {
    stepper_destroy(s);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the contact problem");
    return NULL;
  }
  s->memory = arena_create(&out_of_memory);
  s->m = setup->m, s->x = setup->x, s->contacts = setup->contacts, s->impacts = setup->impacts;
  s->stop = setup->stop;
  s->rule = rule, s->settings = *settings;
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
  if (!stepper_prepare_room(s, error)) {
    stepper_destroy(s);
    return NULL;
  }
  stepper_begin(s);
  if (start->memory) recall(s, start->memory);
  return s;
}

// --- what it tells of itself ----------------------------------------------------------------------------------------

const double *stepper_state(const void *scheme) { return ((const stepper *)scheme)->q; }
double stepper_time(const void *scheme) { return ((const stepper *)scheme)->t; }
const double *stepper_accounts(const void *scheme) {
  const stepper *s = scheme;
  return s->shows_A ? s->accounts_A : s->accounts;
}
bool stepper_resumes_exactly(const void *scheme) { return (void)scheme, true; }
double stepper_next_step(const void *scheme) { return ((const stepper *)scheme)->settings.step; }
const scheme_contact *stepper_contacts(const void *scheme) { return ((const stepper *)scheme)->shown; }

scheme_stats stepper_stats(const void *scheme) {
  const stepper *s = scheme;
  return (scheme_stats){.steps = s->steps, .evaluations = s->steps, .projection_energy = s->projection_energy,
                        .projection_failures = s->projection_failures, .violation = s->violation,
                        .leaps_at_end = s->leaps_at_end, .deepest_at_end = s->deepest_at_end, .solves = &s->tally, .trouble = s->trouble};
}
