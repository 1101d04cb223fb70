// W of the contact problem of a step. A mechanism has it dense, in storage for the largest problem that can come. In a
// crowd of bodies most pairs never meet: there W is not formed, solvers work on its pieces by islands, and memory grows
// with what touches.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/response.h"
#include "scheme/stepper_internal.h"

enum { ROWS_OF_A_CROWD = 600 };

// The largest problem of the removal of overlap: one unilateral row for each point.
static solve_limits limits_of_overlap(stepper *s) {
  block_list *blocks = &s->overlap.blocks;
  int rows = s->m->row_count;
  block_list_begin(blocks, rows);
  for (int k = 0; k < s->contacts->point_count; k++, rows++) block_list_add(blocks, block_of_contact(rows, 1, 0));
  solve_problem largest = block_list_problem(blocks, rows, NULL, s->overlap.q);
  return solve_limits_of(&largest);
}

static bool make_overlap_matrix(stepper *s, int rows, carom_error *error) {
  s->overlap.W = malloc(((size_t)rows * (size_t)rows + 1) * sizeof *s->overlap.W);
  if (!s->overlap.W) error_set(error, CAROM_ERROR_MEMORY, "out of memory for contact problems of %d rows", rows);
  return s->overlap.W != NULL;
}

bool stepper_make_storage(stepper *s, int row_count, carom_error *error) {
  s->problem.crowded = s->contacts->pool || row_count > ROWS_OF_A_CROWD;
  if (s->problem.crowded) return true;
  solve_problem largest = block_list_problem(&s->problem.blocks, row_count, s->problem.storage.W, s->problem.q);
  solve_limits limits = solve_limits_of(&largest);
  if (s->settings.remove_overlap) {
    solve_limits of_overlap = limits_of_overlap(s);
    if (!make_overlap_matrix(s, of_overlap.rows, error)) return false;
    limits = solve_limits_union(&limits, &of_overlap);
  }
  if (!solve_storage_make(&s->problem.storage, &limits, error)) return false;
  s->problem.whole = block_list_problem(&s->problem.blocks, row_count, s->problem.storage.W, s->problem.q);
  return true;
}

void stepper_free_storage(stepper *s) {
  free(s->overlap.W);
  solve_storage_free(&s->problem.storage);
  response_pieces_free(&s->problem.pieces);
  islands_free(&s->problem.islands);
}

const solve_problem *stepper_problem(stepper *s) {
  int row_total = s->x->row_total;
  solve_problem *p = &s->problem.whole;
  const response_pieces *of = &s->problem.pieces;
  if (!s->problem.crowded) {
    block_list_update(&s->problem.blocks, row_total, s->problem.q, p);
    return p;
  }
  *p = block_list_problem(&s->problem.blocks, row_total, NULL, s->problem.q);
  p->W = matrix_factored(row_total, s->problem.blocks.count, s->problem.blocks.start, of->velocity_count,
                         (matrix_pieces){of->first, of->at, of->width, of->offset, of->J},
                         (matrix_pieces){of->first, of->at, of->width, of->offset, of->response});
  p->W.own = of->own, p->W.diagonal = of->diagonal;
  return p;
}

static carom_status fail_memory(const stepper *s, carom_error *error) {
  return error_set(error, CAROM_ERROR_MEMORY, "out of memory for contact problems of %d rows", s->x->row_total);
}

static bool form(stepper *s) {
  const mechanism *m = s->m;
  motion *x = s->x;
  if (!s->problem.crowded) {
    response_problem(m, x, s->problem.storage.W);
    return true;
  }
  if (!response_split(m, x, s->problem.blocks.start, s->problem.blocks.count, &s->problem.pieces)) return false;
  if (!interrupted(s->stop)) response_decouple_pieces(m, x, &s->problem.pieces);
  return true;
}

carom_status stepper_form_matrix(stepper *s, carom_error *error) {
  s->problem.blocks.start[s->problem.blocks.count] = s->x->row_total;
  if (!s->rest.same && !form(s)) return fail_memory(s, error);
  s->rest.formed = true;
  if (interrupted(s->stop)) return error_set(error, CAROM_INTERRUPTED, "interrupted at t = %g s", s->t);
  return CAROM_OK;
}

// The matrix has changed where a row is held: in the next step it is formed again.
bool stepper_hold(stepper *s, int row_index) {
  bool held = s->problem.crowded
                  ? response_hold_pieces(s->m, s->x, s->u_free, &s->problem.pieces, s->problem.q, row_index)
                  : response_hold(s->m, s->x, s->u_free, s->problem.storage.W, s->problem.q, row_index);
  s->rest.formed &= !held;
  return held;
}

carom_status stepper_finish_matrix(stepper *s, carom_error *error) {
  for (int i = 0, row_index = s->friction.row0; i < s->m->friction_count; i++, row_index++)
    s->friction.diagonal[i] = stepper_entry(s, row_index, row_index);
  if (!s->problem.crowded || s->rest.same) return CAROM_OK;
  return islands_find(&s->problem.islands, stepper_problem(s), error) ? CAROM_OK : CAROM_ERROR_MEMORY;
}

// A crowd of free bodies, whose rows are all in pieces.
static bool responds_by_pieces(const stepper *s) {
  return s->problem.crowded && response_pieces_free_bodies(s->m, &s->problem.pieces) && !s->m->row_count &&
         !s->m->friction_count;
}

void stepper_displace(stepper *s, const double *P, double *to) {
  if (responds_by_pieces(s)) response_pieces_to(s->m, s->x, &s->problem.pieces, P, to);
  else memcpy(to, response_to(s->m, s->x, P, s->x->row_total), (size_t)s->m->nv * sizeof *to);
}

bool stepper_respond(stepper *s) {
  if (!responds_by_pieces(s) || s->even.excess != 0) return false;
  response_pieces_add(s->m, s->x, &s->problem.pieces, s->problem.P, s->u_free, s->u_end, s->problem.rate_free,
                      s->problem.rate_after);
  return true;
}

// A bound in a crowd: pieces are summed up by their own.
void stepper_absolute(stepper *s, double *to) {
  const solve_problem *p = stepper_problem(s);
  p->W.ops->apply_absolute(&p->W, s->problem.P, to, s->displacement);
}
