// Surfaces that overlap at the start are refused at their line, or separated if the method asks for it.
#include <math.h>
#include <string.h>

#include "build/builder.h"
#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "mechanics/rows.h"
#include "solve/blocks.h"
#include "solve/storage.h"
#include "solve/solver.h"

typedef struct start {
  builder *b;
  mechanism *m;
  motion *x;
  contact_world *contacts;
  contact_point *points;
  const contact_element *worst;   // the deepest overlap that is not allowed; may be null
  double depth;
  // to separate surfaces
  solve_storage storage;
  block_list blocks;
  double *q, *lambda, *gap;
  double *q0, *u0, *joint_q0;     // the start after separation
} start;

// Rigid surfaces may only touch. Compliant surfaces may start with a penetration, but not deeper than the body is
// thick.
static double allowed_depth(const start *s, const contact_element *e) {
  return s->b->def->scheme->about->needs_laws ? contact_thickness(e) : s->contacts->activation;
}

static void evaluate(start *s) {
  s->x->level = LEVEL_NONE;
  dynamics_positions_velocities(s->m, s->x);
  coordinate_measure(s->m, s->x);
  contact_evaluate(s->contacts, s->m, s->x, s->points);
  s->worst = NULL, s->depth = 0;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = &s->contacts->elements[i];
    for (int k = 0; k < e->point_count; k++) {
      double depth = -s->points[e->point0 + k].gap;
      if (depth > allowed_depth(s, e) && depth > s->depth) s->worst = e, s->depth = depth;
    }
  }
}

// A joint starts beyond its clearance because the ideal mechanism does not close, or because of given values.
static bool refuse(const start *s, const char *hint) {
  const contact_element *e = s->worst;
  if (e->clearance > 0 && s->b->not_ideal && s->b->not_ideal->status != CAROM_OK) {
    *s->b->error = *s->b->not_ideal;
    return false;
  }
  char text[CONTACT_TEXT];
  e->type->tell_overlap(e, s->depth, text);
  place at = s->b->element_at[e - s->contacts->elements];
  return source_error(s->b->error, CAROM_ERROR_MODEL, at, hint, "'%s': %s", e->name, text);
}

// The problem without W: rows of constraints and of all points nearer than the deepest overlap. q holds violations
// and gaps.
static solve_problem pose_problem(start *s) {
  const mechanism *m = s->m;
  motion *x = s->x;
  rows_clear(m, x);
  block_list_begin(&s->blocks, m->row_count);
  for (int i = 0; i < m->row_count; i++) s->q[i] = x->rows[i].phi;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = &s->contacts->elements[i];
    for (int k = 0; k < e->point_count; k++) {
      const contact_point *p = &s->points[e->point0 + k];
      if (p->gap > s->depth) continue;
      int row_index = x->row_total;
      contact_add_normal(m, x, e, p);
      s->q[row_index] = p->gap;
      block_list_add(&s->blocks, block_of_contact(row_index, 1, 0));
    }
  }
  return block_list_problem(&s->blocks, x->row_total, NULL, s->q);
}

// One step of separation, the smallest in the kinetic metric: 0 ≤ gap + W λ ⊥ λ ≥ 0 and Φ + W λ = 0; the step is
// M⁻¹Gᵀλ.
static bool move_apart(start *s) {
  const mechanism *m = s->m;
  motion *x = s->x;
  if (!response_factor(m, x)) return false;
  solve_problem p = pose_problem(s);
  if (!solve_storage_grow(&s->storage, &p, s->b->error)) return false;
  response_problem(m, x, s->storage.W);
  response_clear(m, x, s->q);
  p.W.values = s->storage.W;
  solve_settings settings = solve_settings_default();
  solve_solution solution = {s->lambda, s->gap};
  solve_info info = solve_chain(&p, &settings, s->storage.workspace, &solution, NULL);
  if (!isfinite(info.residual)) return false;
  dynamics_move(m, x->q, response_to(m, x, s->lambda, x->row_total));
  return true;
}

// Repeats the step, since gaps of curved surfaces are not linear.
static bool separate(start *s) {
  enum { ITERATIONS = 50 };
  bool moved = true;
  for (int i = 0; i < ITERATIONS && moved && s->worst; i++) {
    moved = move_apart(s);
    evaluate(s);
  }
  solve_storage_free(&s->storage);
  if (s->worst) return refuse(s, "the surfaces could not be separated; give other values under 'initial'");
  if (!dynamics_project_velocities(s->m, s->x)) return refuse(s, NULL);
  memcpy(s->q0, s->x->q, (size_t)s->m->nq * sizeof *s->q0);
  memcpy(s->u0, s->x->u, (size_t)s->m->nv * sizeof *s->u0);
  memcpy(s->joint_q0, s->x->joint_q, (size_t)s->m->joint_nq * sizeof *s->joint_q0);
  s->m->q0 = s->q0, s->m->u0 = s->u0, s->m->joint_q0 = s->joint_q0;
  return true;
}

// Allocates from the arena before the motion is created, so that the motion is not lost if memory runs out.
static void allocate(start *s, bool to_separate) {
  arena *a = s->b->memory;
  const mechanism *m = s->m;
  s->points = ARENA_ARRAY(a, contact_point, s->contacts->point_count);
  s->b->model->start_gaps = ARENA_ARRAY(a, double, s->contacts->element_count);
  if (!to_separate) return;
  int rows = m->row_count + s->contacts->point_count;
  s->q = ARENA_ARRAY(a, double, rows);
  s->lambda = ARENA_ARRAY(a, double, rows);
  s->gap = ARENA_ARRAY(a, double, rows);
  s->blocks = block_list_create(a, rows);
  s->q0 = ARENA_ARRAY(a, double, m->nq + 1);
  s->u0 = ARENA_ARRAY(a, double, m->nv + 1);
  s->joint_q0 = ARENA_ARRAY(a, double, m->joint_nq + 1);
}

static const char *start_hint(const start *s) {
  bool moves = model_contact_options(s->b->model).can_separate;
  if (s->worst->clearance > 0)
    return moves ? "give fewer or other values under 'initial', and the rest follows; or set 'separate: true' in the method"
                 : "give fewer or other values under 'initial', and the rest follows";
  return moves ? "give other values under 'initial', or set 'separate: true' in the method to separate them"
               : "give other values under 'initial'";
}

static void keep_gaps(start *s) {
  double *gaps = s->b->model->start_gaps;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = &s->contacts->elements[i];
    gaps[i] = INFINITY;
    for (int k = 0; k < e->point_count; k++) gaps[i] = fmin(gaps[i], s->points[e->point0 + k].gap);
  }
}

bool builder_separate_surfaces(builder *b, mechanism *m) {
  start s = {.b = b, .m = m, .contacts = &b->model->contacts};
  bool to_separate = model_contact_options(b->model).separate;
  if (!s.contacts->point_count) return true;
  allocate(&s, to_separate);
  s.x = motion_create(m, 0, b->error);
  if (!s.x) return false;
  memcpy(s.x->joint_q, m->joint_q0, (size_t)m->joint_nq * sizeof(double));
  dynamics_set(m, s.x, 0, m->q0, m->u0);
  evaluate(&s);
  bool good = !s.worst || (to_separate ? separate(&s) : refuse(&s, start_hint(&s)));
  motion_destroy(s.x);
  if (good) keep_gaps(&s);
  return good;
}
