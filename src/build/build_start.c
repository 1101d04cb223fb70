// Surfaces that overlap at the start are refused at their line, or separated if the method asks for it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "build/builder.h"
#include "contact/state.h"
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
  contact_state *contacts;
  contact_point *points;  // by slot
  int point_capacity, row_capacity;
  const contact_element *worst;  // the deepest overlap that is not allowed; may be null
  double depth;
  // to separate surfaces
  solve_storage storage;
  block_list blocks;
  double *q, *lambda, *gap;
  double *q0, *u0, *joint_q0;  // the start after separation
} start;

// Rigid surfaces may only touch. Compliant surfaces may start with a penetration, but not deeper than the body is
// thick.
static double allowed_depth(const start *s, const contact_element *e) {
  return s->b->def->scheme->about->needs_laws ? contact_thickness(e) : s->contacts->activation;
}

static bool grow(start *s, void *array, int count, size_t size) {
  void *grown = realloc(*(void **)array, ((size_t)count + 1) * size);
  if (grown) *(void **)array = grown;
  else error_set(s->b->error, CAROM_ERROR_MEMORY, "out of memory for the contacts at the start");
  return grown != NULL;
}

static bool reserve_points(start *s) {
  if (s->points && s->contacts->point_slots <= s->point_capacity) return true;
  s->point_capacity = s->contacts->point_slots;
  return grow(s, &s->points, s->point_capacity, sizeof *s->points);
}

// Rows of the constraints and a normal one for each point.
static bool reserve_rows(start *s) {
  int rows = s->m->row_count + s->contacts->point_count;
  if (rows <= s->row_capacity) return true;
  rows += rows / 2;
  if (!motion_reserve_rows(s->m, s->x, rows - s->m->row_count))
    return error_set(s->b->error, CAROM_ERROR_MEMORY, "out of memory for the contacts at the start"), false;
  if (!grow(s, &s->q, rows, sizeof *s->q) || !grow(s, &s->lambda, rows, sizeof *s->lambda) ||
      !grow(s, &s->gap, rows, sizeof *s->gap) || !grow(s, &s->blocks.block, rows, sizeof *s->blocks.block) ||
      !grow(s, &s->blocks.start, rows + 1, sizeof *s->blocks.start))
    return false;
  s->row_capacity = rows;
  return true;
}

// Returns false after reporting that memory ran out.
static bool evaluate(start *s) {
  s->x->level = LEVEL_NONE;
  dynamics_positions_velocities(s->m, s->x);
  coordinate_measure(s->m, s->x);
  if (contact_refresh(s->contacts, s->m, s->x, 0, 0, s->b->error) != CAROM_OK || !reserve_points(s)) return false;
  contact_state_evaluate(s->contacts, s->m, s->x, s->points);
  s->worst = NULL, s->depth = 0;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    for (int k = 0; k < e->point_count; k++) {
      double depth = -s->points[e->point0 + k].gap;
      if (depth > allowed_depth(s, e) && depth > s->depth) s->worst = e, s->depth = depth;
    }
  }
  return true;
}

static bool is_open_mesh(const terrain *t) { return t && t->triangles && t->triangles->found[MESH_OPEN].count; }

// A joint starts beyond its clearance because the ideal mechanism does not close, or because of given values.
static bool refuse(const start *s, const char *hint) {
  const contact_element *e = s->worst;
  if (e->clearance > 0 && s->b->not_ideal && s->b->not_ideal->status != CAROM_OK) {
    *s->b->error = *s->b->not_ideal;
    return false;
  }
  char text[CONTACT_TEXT];
  e->type->tell_overlap(e, s->depth, text);
  if (is_open_mesh(e->terrain))
    hint =
        "what is behind the triangles of an open mesh counts as inside: add 'flip: true' to the mesh if they face the "
        "wrong way, or give other values "
        "under 'initial'";
  bool listed = e->slot < s->contacts->world->element_count;
  place at = listed ? s->b->element_at[e->slot] : s->b->def->surfaces.items[e->surface[0]].places.whole;
  char name[CONTACT_NAME];
  return source_error(s->b->error, CAROM_ERROR_MODEL, at, hint, "'%s': %s", contact_name(s->contacts->world, e, name),
                      text);
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
    const contact_element *e = s->contacts->elements[i];
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
  if (!reserve_rows(s) || !response_factor(m, x)) return false;
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
    if (s->b->error->status != CAROM_OK || !evaluate(s)) return false;
  }
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
  s->b->model->start_gaps = ARENA_ARRAY(a, double, s->b->model->contacts.element_count);
  if (!to_separate) return;
  s->q0 = ARENA_ARRAY(a, double, m->nq + 1);
  s->u0 = ARENA_ARRAY(a, double, m->nv + 1);
  s->joint_q0 = ARENA_ARRAY(a, double, m->joint_nq + 1);
}

static void release(start *s) {
  solve_storage_free(&s->storage);
  free(s->points), free(s->q), free(s->lambda), free(s->gap);
  free(s->blocks.block), free(s->blocks.start);
  contact_state_destroy(s->contacts);
  motion_destroy(s->x);
}

static const char *start_hint(const start *s) {
  bool moves = model_contact_options(s->b->model).can_separate;
  if (s->worst->clearance > 0)
    return moves ? "give fewer or other values under 'initial', and the rest follows; or set 'separate: true' in the "
                   "method"
                 : "give fewer or other values under 'initial', and the rest follows";
  return moves ? "give other values under 'initial', or set 'separate: true' in the method to separate them"
               : "give other values under 'initial'";
}

static void keep_gaps(start *s) {
  double *gaps = s->b->model->start_gaps;
  for (int i = 0; i < s->contacts->world->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    gaps[i] = INFINITY;
    for (int k = 0; k < e->point_count; k++) gaps[i] = fmin(gaps[i], s->points[e->point0 + k].gap);
  }
}

bool builder_separate_surfaces(builder *b, mechanism *m) {
  start s = {.b = b, .m = m};
  const contact_world *world = &b->model->contacts;
  bool to_separate = model_contact_options(b->model).separate;
  if (!world->point_count && !world->crowd) return true;
  allocate(&s, to_separate);
  s.contacts = contact_state_create(world, m, b->error);
  s.x = s.contacts ? motion_create(m, 0, b->error) : NULL;
  bool good = s.x != NULL;
  if (good) {
    memcpy(s.x->joint_q, m->joint_q0, (size_t)m->joint_nq * sizeof(double));
    dynamics_set(m, s.x, 0, m->q0, m->u0);
    good = evaluate(&s) && (!s.worst || (to_separate ? separate(&s) : refuse(&s, start_hint(&s))));
  }
  if (good) keep_gaps(&s);
  release(&s);
  return good;
}
