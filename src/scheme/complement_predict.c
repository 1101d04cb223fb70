// The free step of an interval, how contact forces move its end, and the contact problem that follows.
#include <math.h>
#include <string.h>

#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "mechanics/rows.h"
#include "scheme/complement_internal.h"

const complement_method complement_methods[] = {
    [CAROM_ORDER_RK4] = {.kind = INTEGRATOR_RK4,
                         .stages = 4,
                         .c = {0, 0.5, 0.5, 1},
                         .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
                         .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
                         .p = {1.0 / 3, 1.0 / 3, 1.0 / 3},
                         .reach = 0.5},
    [CAROM_ORDER_RK3] = {.kind = INTEGRATOR_RK3,
                         .stages = 3,
                         .c = {0, 0.5, 1},
                         .a = {{0}, {0.5}, {-1, 2}},
                         .b = {1.0 / 6, 2.0 / 3, 1.0 / 6},
                         .p = {1.0 / 3, 2.0 / 3},
                         .reach = 0.5},
    [CAROM_ORDER_MIDPOINT] = {.kind = INTEGRATOR_MIDPOINT,
                              .stages = 2,
                              .c = {0, 0.5},
                              .a = {{0}, {0.5}},
                              .b = {0, 1},
                              .p = {1},
                              .reach = 0.5},
    [CAROM_ORDER_SEMI_IMPLICIT_EULER] =
        {.kind = INTEGRATOR_SEMI_IMPLICIT, .stages = 1, .b = {1}, .p = {1}, .reach = 1, .follows = true},
};

// --- the free step ---------------------------------------------------------------------------------------------------

void complement_create_free(complement *s) {
  complement_free *f = &s->free;
  arena *memory = &s->w.memory;
  f->size = s->w.m->nq + s->w.m->nv + s->w.x->inner_count;
  for (int k = 0; k < COMPLEMENT_STAGES; k++)
    f->y[k] = ARENA_ARRAY(memory, double, f->size + 1), f->slope[k] = ARENA_ARRAY(memory, double, f->size + 1);
  f->end = ARENA_ARRAY(memory, double, f->size + 1);
  f->joint_q = ARENA_ARRAY(memory, double, s->w.m->joint_nq + 1);
}

static void set_motion(complement *s, double t, const double *y) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  dynamics_set(m, x, t, y, y + m->nq);
  memcpy(x->inner, y + m->nq + m->nv, (size_t)x->inner_count * sizeof *y);
  x->refused = false;
}

static bool find_slope(complement *s, double t, const double *y, double *slope) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  set_motion(s, t, y);
  s->evaluations++;
  if (!dynamics_accelerations(m, x) || x->refused) return false;
  dynamics_rates(m, x->q, x->u, slope);
  memcpy(slope + m->nq, x->udot, (size_t)m->nv * sizeof *slope);
  memcpy(slope + m->nq + m->nv, x->inner_rate, (size_t)x->inner_count * sizeof *slope);
  return true;
}

// to = y[0] + h Σ weight_k slope_k
static void go(const complement_free *f, int stages, const double *weight, double *to) {
  memcpy(to, f->y[0], (size_t)f->size * sizeof *to);
  for (int k = 0; k < stages; k++)
    for (int i = 0; weight[k] != 0 && i < f->size; i++) to[i] += f->h * weight[k] * f->slope[k][i];
}

static bool take_free_step(complement *s, double h) {
  const mechanism *m = s->w.m;
  const complement_method *way = s->method;
  complement_free *f = &s->free;
  const double *inner = flow_inner(s->w.core, s->w.y);
  f->h = h, f->t_end = s->w.t + h;
  memcpy(f->y[0], s->w.y, (size_t)(m->nq + m->nv) * sizeof *f->end);
  memcpy(f->y[0] + m->nq + m->nv, inner, (size_t)s->w.x->inner_count * sizeof *f->end);
  for (int k = 0; k < way->stages; k++) {
    f->t[k] = s->w.t + way->c[k] * h;
    if (k) go(f, k, way->a[k], f->y[k]);
    if (!find_slope(s, f->t[k], f->y[k], f->slope[k])) return false;
  }
  go(f, way->stages, way->b, f->end);
  if (way->follows) {
    dynamics_rates(m, f->y[0], f->end + m->nq, f->slope[1]);
    for (int i = 0; i < m->nq; i++) f->end[i] = f->y[0][i] + h * f->slope[1][i];
  }
  dynamics_normalize(m, f->end);
  return true;
}

// --- who takes part --------------------------------------------------------------------------------------------------

static int rows_of(const complement *s, int p) { return contact_sliding_rows(s->w.m, s->w.entry[p].e); }

// The points that have been marked, in the order of their elements.
static bool list_parts(complement *s) {
  complement_problem *b = &s->problem;
  int count = 0, rows = 0;
  for
    EACH_POINT(p, &s->w) count += b->takes_part[p];
  if (!complement_reserve(s, count, NULL)) return false;
  b->part_count = 0;
  for
    EACH_POINT(p, &s->w) {
      if (!b->takes_part[p]) continue;
      b->row[b->part_count] = rows, b->part[b->part_count++] = p;
      rows += rows_of(s, p);
    }
  b->rows = rows;
  return true;
}

static void show_at(complement *s, double t, const double *y) {
  set_motion(s, t, y);
  dynamics_positions_velocities(s->w.m, s->w.x);
}

// Marks points that have been found at or below a gap, and those that pressed in the last interval: without the forces
// of the others a body springs back, and may open at the free end what it presses together. Returns whether there are
// new ones.
static bool mark_closed(complement *s, double gap) {
  bool any = false;
  for
    EACH_POINT(p, &s->w) {
      const contact_point *at = &s->w.points[p];
      if (s->problem.takes_part[p] || at->absent || !(at->gap <= gap || s->force[p].normal > 0)) continue;
      any = s->problem.takes_part[p] = true;
      complement_keep_place(s, p);
    }
  return any;
}

// --- the contact problem ---------------------------------------------------------------------------------------------

static void add_rows(complement *s) {
  const watcher *w = &s->w;
  const contact_element *done = NULL;
  rows_clear(w->m, w->x);
  for (int k = 0; k < s->problem.part_count; k++) {
    int p = s->problem.part[k];
    const contact_element *e = w->entry[p].e;
    if (e != done) complement_locate(s, e);
    contact_add_rows(w->m, w->x, e, &w->points[p]);
    done = e;
  }
}

// M⁻¹ Gᵀ of one row while the constraints hold, as speeds.
static const double *respond(complement *s, int row) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  double *unit = s->problem.unit, *rates = s->problem.rates;
  memset(unit, 0, (size_t)x->row_total * sizeof *unit);
  unit[row] = 1;
  const double *change = response_to(m, x, unit, x->row_total);
  if (!m->row_count) return change;
  memcpy(s->problem.speeds, change, (size_t)m->nv * sizeof *change);
  response_rates(m, x, s->problem.speeds, rates);
  s->problem.loosest = fmax(s->problem.loosest, rates[row]);
  for (int i = 0; i < m->row_count; i++) unit[i] = -rates[i];
  response_solve_constraints(m, x, unit, unit);
  return response_to(m, x, unit, x->row_total);
}

// Adds what forces do from stage k on to the end. Every method has a weight at its first stage, which is the start.
static bool add_stage(complement *s, int k) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  const double weight[2] = {s->method->p[k], s->method->b[k]};
  if (weight[0] == 0 && weight[1] == 0) return true;
  show_at(s, s->free.t[k], s->free.y[k]);
  add_rows(s);
  if (k == 0) rows_rates(m, x, s->problem.start);
  if (!response_factor(m, x) || (m->row_count && !response_factor_constraints(m, x))) return false;
  for (int i = 0; i < s->problem.rows; i++) {
    const double *change = respond(s, m->row_count + i);
    for (int way = 0; way < 2; way++) {
      double *to = s->problem.columns[way] + (long)i * m->nv;
      for (int v = 0; weight[way] != 0 && v < m->nv; v++) to[v] += weight[way] * change[v];
    }
  }
  return true;
}

// What is complementary to row i is a gap: else a rate.
static bool is_gap_row(const complement *s, int k, int i) {
  return s->level == COMPLEMENT_GAPS && i == s->problem.row[k];
}

static void write_matrix(complement *s, int n) {
  const mechanism *m = s->w.m;
  complement_problem *b = &s->problem;
  for (int j = 0; j < n; j++)
    for (int way = 0; way < 2; way++) {
      if (way == 0 && s->level == COMPLEMENT_RATES) continue;
      if (way == 1 && s->level == COMPLEMENT_GAPS && !s->rubs) continue;
      response_rates(m, s->w.x, b->columns[way] + (long)j * m->nv, b->rates);
      for (int k = 0; k < b->part_count; k++)
        for (int i = b->row[k]; i < b->row[k] + rows_of(s, b->part[k]); i++)
          if (is_gap_row(s, k, i) == (way == 0)) b->W[(long)i * n + j] = b->rates[m->row_count + i];
    }
}

// Joints may hold bodies along a tangent, so that no friction is needed to hold them: the row has no force. Constraints
// leave rounding of what the row would answer without them.
static void release_held(complement *s, int n) {
  complement_problem *b = &s->problem;
  for (int i = 0; i < n; i++) b->loosest = fmax(b->loosest, b->W[(long)i * n + i]);
  for (int k = 0; k < b->part_count; k++)
    for (int i = b->row[k] + 1; i < b->row[k] + rows_of(s, b->part[k]); i++) {
      if (b->W[(long)i * n + i] > 1e-11 * b->loosest) continue;
      for (int j = 0; j < n; j++) b->W[(long)i * n + j] = b->W[(long)j * n + i] = 0;
      b->W[(long)i * n + i] = b->loosest, b->q[i] = 0;
    }
}

// Less what rows of rates missed in the last interval. More than half of what a row answers is no small correction.
static void correct_matrix(complement *s, int n) {
  complement_problem *b = &s->problem;
  for (int k = 0; k < b->part_count; k++)
    for (int i = b->row[k]; i < b->row[k] + rows_of(s, b->part[k]); i++) {
      double *own = &b->W[(long)i * n + i], *share = &s->miss[b->part[k]].share[i - b->row[k]];
      if (is_gap_row(s, k, i)) continue;
      *share = fmax(-0.5 * *own, fmin(*share, 0.5 * *own));
      *own -= *share;
    }
}

// The free step changes the rate of a gap by what contact forces undo at rest, g h under weight. No offset pushes
// faster: the contact then goes on under its load while the offset falls, and without a load nothing is pushed apart.
// The overlap after an impact is a part of its speed times h; an offset without a bound made a share of that speed a
// rebound. On velocity level an offset that closes a gap only lets the body fall, and needs no bound.
static double bounded_offset(const complement *s, double offset, double change) {
  const double most = fabs(change), pushed = fmax(offset, -most);
  return s->level == COMPLEMENT_RATES ? pushed : fmin(pushed, most);
}

// Both ends are known. The rounding of a gap is that of positions over the step.
static void measure_changes(complement *s, int p, int first) {
  const complement_problem *b = &s->problem;
  const double *start = b->start + s->w.m->row_count, gap_rounding = s->w.nearness / s->free.h;
  for (int i = first; i < first + rows_of(s, p); i++)
    s->miss[p].change[i - first] = fabs(b->q[i] - start[i]) + 1e-10 * (fabs(b->q[i]) + fabs(start[i])) + gap_rounding;
}

static bool form_problem(complement *s) {
  const mechanism *m = s->w.m;
  complement_problem *b = &s->problem;
  const int n = b->rows;
  b->loosest = 0;
  for (int way = 0; way < 2; way++) memset(b->columns[way], 0, (size_t)n * (size_t)m->nv * sizeof *b->W);
  for (int k = 0; k < s->method->stages; k++)
    if (!add_stage(s, k)) return false;
  show_at(s, s->free.t_end, s->free.end);
  add_rows(s);
  rows_rates(m, s->w.x, b->rates);
  block_list_begin(&b->blocks, 0);
  for (int k = 0; k < b->part_count; k++) {
    const int p = b->part[k], first = b->row[k], rows = rows_of(s, p);
    double *offset = &s->miss[p].offset;
    for (int i = first; i < first + rows; i++) b->q[i] = b->rates[m->row_count + i];
    measure_changes(s, p, first);
    *offset = bounded_offset(s, *offset, b->q[first] - b->start[m->row_count + first]);
    if (s->level == COMPLEMENT_GAPS) b->q[first] = s->w.points[p].gap / (s->method->reach * s->free.h);
    b->q[first] += *offset;
    block_list_add(&b->blocks, block_of_contact(first, rows, s->w.entry[p].e->material.friction));
  }
  write_matrix(s, n);
  release_held(s, n);
  correct_matrix(s, n);
  rows_clear(m, s->w.x);
  return true;
}

static bool solve(complement *s) {
  complement_problem *b = &s->problem;
  solve_problem problem = block_list_problem(&b->blocks, b->rows, b->W, b->q);
  solve_solution solution = {b->P, b->u};
  s->interrupted = solve_chain(&problem, &b->solver, b->workspace, &solution, &b->tally).status == SOLVE_INTERRUPTED;
  return !s->interrupted;
}

// Gaps are those of all points, not only of those that the free step closes: forces may close others. These join until
// there are no more.
static bool add_struck(complement *s) {
  const mechanism *m = s->w.m;
  const complement_problem *b = &s->problem;
  double *delta = b->speeds, *q = s->free.slope[0];
  if (s->level != COMPLEMENT_GAPS || b->part_count == s->w.contacts->point_count) return false;
  memset(delta, 0, (size_t)m->nv * sizeof *delta);
  for (int j = 0; j < b->rows; j++)
    for (int v = 0; b->P[j] != 0 && v < m->nv; v++)
      delta[v] += s->method->reach * s->free.h * b->P[j] * b->columns[0][(long)j * m->nv + v];
  memcpy(q, s->free.end, (size_t)s->free.size * sizeof *q);
  dynamics_move(m, q, delta);
  show_at(s, s->free.t_end, q);
  for (int i = 0; i < s->w.contacts->element_count; i++) complement_locate(s, s->w.contacts->elements[i]);
  return mark_closed(s, -s->w.nearness);
}

static void take_forces(complement *s) {
  const complement_problem *b = &s->problem;
  for
    EACH_POINT(p, &s->w) s->force[p] = (complement_force){0};
  for (int k = 0; k < b->part_count; k++) {
    complement_force *f = &s->force[b->part[k]];
    complement_miss *miss = &s->miss[b->part[k]];
    for (int i = 0; i < rows_of(s, b->part[k]); i++) miss->predicted[i] = b->u[b->row[k] + i];
    miss->predicted[0] -= miss->offset;
    const double *P = b->P + b->row[k];
    f->normal = P[0] / s->free.h;
    for (int i = 1; i < rows_of(s, b->part[k]); i++) f->drag[i - 1] = P[i] / s->free.h;
    for (int i = 0; i < rows_of(s, b->part[k]); i++) f->left[i > 0] += fabs(P[i]) * miss->change[i];
  }
}

bool complement_find_forces(complement *s, double h) {
  const size_t coordinates = (size_t)s->w.m->joint_nq * sizeof *s->free.joint_q;
  s->predicting = true;
  memcpy(s->free.joint_q, s->w.x->joint_q, coordinates);
  s->problem.part_count = 0;
  for
    EACH_POINT(p, &s->w) s->problem.takes_part[p] = false;
  bool found = take_free_step(s, h);
  if (found) {
    show_at(s, s->free.t_end, s->free.end);
    complement_find_places(s);
    bool more = mark_closed(s, 0);
    while (more && found) {
      found = list_parts(s) && form_problem(s) && solve(s);
      more = found && add_struck(s);
    }
  }
  if (found) take_forces(s);
  rows_clear(s->w.m, s->w.x);
  memcpy(s->w.x->joint_q, s->free.joint_q, coordinates);
  s->w.x->level = LEVEL_NONE;
  s->predicting = false;
  return found;
}

// --- room ------------------------------------------------------------------------------------------------------------

static void allocate(complement *s, int points, int rows) {
  arena *a = &s->w.memory;
  complement_problem *b = &s->problem;
  const int nv = s->w.m->nv, all = rows + s->w.m->row_count + 1;
  b->part = ARENA_ARRAY(a, int, points + 1), b->row = ARENA_ARRAY(a, int, points + 1);
  for (int way = 0; way < 2; way++) b->columns[way] = ARENA_ARRAY(a, double, (long)rows *nv + 1);
  b->W = ARENA_ARRAY(a, double, (long)rows *rows + 1);
  b->q = ARENA_ARRAY(a, double, rows + 1), b->P = ARENA_ARRAY(a, double, rows + 1);
  b->u = ARENA_ARRAY(a, double, rows + 1);
  b->unit = ARENA_ARRAY(a, double, all), b->rates = ARENA_ARRAY(a, double, all);
  b->start = ARENA_ARRAY(a, double, all);
  b->speeds = ARENA_ARRAY(a, double, nv + 1);
  b->blocks = block_list_create(a, points + 1);
  b->row_capacity = rows, b->point_capacity = points;
}

// Room for the solvers, for so many points that all rub.
static bool make_workspace(complement *s, int points, int size, carom_error *error) {
  complement_problem *b = &s->problem;
  block_list_begin(&b->blocks, 0);
  for (int k = 0; k < points; k++) block_list_add(&b->blocks, block_of_contact(k * size, size, 1));
  solve_problem problem = block_list_problem(&b->blocks, points * size, b->W, b->q);
  solve_limits limits = solve_limits_of(&problem);
  solve_workspace_destroy(b->workspace);
  b->workspace = solve_workspace_create(&limits, error);
  if (b->workspace) b->workspace->stop = s->w.stop;
  return b->workspace != NULL;
}

// In a crowd memory grows by half as much again, between steps of the integrator.
bool complement_reserve(complement *s, int points, carom_error *error) {
  jmp_buf out_of_memory, *before = s->w.memory.out_of_memory;
  const int size = !s->rubs ? 1 : s->w.m->planar ? 2 : 3;
  if (points <= s->problem.point_capacity && s->problem.workspace) return true;
  if (s->grows) points += points / 2 + 8;
  volatile bool enough = true;
  if (!before) {
    enough = !setjmp(out_of_memory);
    s->w.memory.out_of_memory = &out_of_memory;
  }
  if (enough) allocate(s, points, points * size);
  s->w.memory.out_of_memory = before;
  enough = enough && make_workspace(s, points, size, error);
  s->out_of_memory |= !enough;
  return enough;
}
