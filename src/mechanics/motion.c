#include "mechanics/mechanism.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "mechanics/constraint.h"
#include "mechanics/crossing.h"
#include "mechanics/dca.h"
#include "mechanics/flexible.h"
#include "mechanics/response_internal.h"

// An expression names a signal once; a user's force may name one as often as it likes.
static int count_slots(const mechanism *m) {
  int most = m->signal_count + 64;
  for (int i = 0; i < m->force_count; i++)
    if (m->forces[i].input_count > most) most = m->forces[i].input_count;
  for (int i = 0; i < m->callback_count; i++)
    if (m->callbacks[i].input_count + m->callbacks[i].output_count > most)
      most = m->callbacks[i].input_count + m->callbacks[i].output_count;
  return most;
}

// Lays arrays out behind each other. Without storage it only counts.
typedef struct layout {
  double *storage;  // may be null
  long used;
} layout;

static double *take(layout *l, long count) {
  double *at = l->storage ? l->storage + l->used : NULL;
  l->used += count;
  return at;
}

static int *take_integers(layout *l, long count) {
  return (int *)take(l, (count * (long)sizeof(int) + (long)sizeof(double) - 1) / (long)sizeof(double));
}

static void lay_state(const mechanism *m, motion *x, layout *l) {
  x->q = take(l, m->nq);
  x->u = take(l, m->nv);
  x->joint_q = take(l, m->joint_nq);
  x->joint_u = take(l, m->joint_nv);
  x->accepted_q = take(l, m->joint_nq);
  x->accepted_u = take(l, m->joint_nv);
  x->inner = take(l, x->inner_count);
  x->friction_effort = take(l, m->friction_count);
  x->way = take(l, m->nv);
  x->called = take(l, m->called_count);
  x->sampled = take(l, m->callback_count);
  x->drive_udot = take(l, m->nv);
  x->friction_slip = take_integers(l, m->friction_count);
  x->held = take_integers(l, m->state_count);
}

static void lay_results(const mechanism *m, motion *x, layout *l) {
  motion_result *r = &x->result;
  r->udot = take(l, m->nv);
  r->joint_udot = take(l, m->joint_nv);
  r->lambda = take(l, m->row_count);
  r->reaction = take(l, 6 * m->joint_count);
  r->acceleration = take(l, 6 * m->body_count);
  r->marker_acceleration = take(l, 3 * m->marker_count);
  r->force_outputs = take(l, m->force_output_count);
  r->drive_effort = take(l, m->drive_count);
  r->drive_power = take(l, m->drive_count);
  r->friction_effort = take(l, m->friction_count);
  r->friction_slip = take_integers(l, m->friction_count);
}

static motion_block allocate_block(const mechanism *m, motion *x, void (*lay)(const mechanism *, motion *, layout *)) {
  layout count = {0};
  lay(m, x, &count);
  layout l = {.storage = ARENA_ARRAY(&x->memory, double, count.used + 1)};
  lay(m, x, &l);
  return (motion_block){l.storage, l.used};
}

static void allocate_workspace(const mechanism *m, motion *x) {
  arena *a = &x->memory;
  int nv = m->nv ? m->nv : 1, nc = m->row_count ? m->row_count : 1;
  x->udot = ARENA_ARRAY(a, double, nv);
  x->tau = ARENA_ARRAY(a, double, nv);
  x->kept_q = ARENA_ARRAY(a, double, m->joint_nq + 1);
  x->kept_u = ARENA_ARRAY(a, double, m->joint_nv + 1);
  x->reduced = ARENA_ARRAY(a, double, nv);
  for (int i = 0; i < 2; i++) x->speed_work[i] = ARENA_ARRAY(a, double, nv);
  x->joint_udot = ARENA_ARRAY(a, double, m->joint_nv + 1);
  x->links = ARENA_ARRAY(a, tree_link, m->node_count);
  flexible_allocate(m, x);
  x->S = ARENA_ARRAY(a, double, 6 * nv);
  x->U = ARENA_ARRAY(a, double, 6 * nv);
  x->factor = ARENA_ARRAY(a, double, m->factor_size + 1);
  x->lambda = ARENA_ARRAY(a, double, nc);
  for (int i = 0; i < 4; i++) x->row_work[i] = ARENA_ARRAY(a, double, nc);
  response_create(m, x);
  dca_create(m, x);
  x->beside = ARENA_ARRAY(a, double, crossing_storage(m, x));
  x->slots = ARENA_ARRAY(a, double, count_slots(m));
  x->force_outputs = ARENA_ARRAY(a, double, m->force_output_count + 1);
  x->drive_effort = ARENA_ARRAY(a, double, m->drive_count + 1);
  x->inner_rate = ARENA_ARRAY(a, double, x->inner_count + 1);
  x->computed = ARENA_ARRAY(a, double, m->computed_count + 1);
}

static void add_base(const mechanism *m, motion *x, row *r, int index) {
  if (index == GROUND) return;
  int base = m->nodes[index].base, *bases = x->row_bases + r->base0;
  for (int i = 0; i < r->base_count; i++)
    if (bases[i] == base) return;
  bases[r->base_count++] = base;
}

// The trees on ground that a row touches, each once.
static void bind_bases(const mechanism *m, motion *x, row *r, int first) {
  r->base0 = first;
  r->base_count = 0;
  for (int k = 0; k < r->body_count; k++) add_base(m, x, r, x->row_bodies[r->body0 + k].node);
  for (int k = 0; k < r->speed_count; k++) add_base(m, x, r, m->speed_node[x->row_speeds[r->speed0 + k].speed]);
}

void motion_lay_rows(const mechanism *m, motion *x, arena *memory) {
  int extra = m->extra_rows;
  x->row_total = m->row_count;
  x->extra_rows = extra;
  x->rows = ARENA_ARRAY(memory, row, m->row_count + extra + 1);
  x->row_bodies = ARENA_ARRAY(memory, row_body, m->row_body_count + 2 * extra + 1);
  x->row_speeds = ARENA_ARRAY(memory, row_speed, m->row_speed_count + m->extra_speeds * extra + 1);
  x->row_bases = ARENA_ARRAY(memory, int, m->row_body_count + m->row_speed_count + 2 * extra + 1);
  int body = 0, speed = 0;
  for (int i = 0; i < m->constraint_count; i++) {
    const constraint *c = &m->constraints[i];
    for (int k = 0; k < c->row_count; k++) {
      row *r = &x->rows[c->row0 + k];
      r->body0 = body, r->body_count = constraint_body_terms(m, c);
      r->speed0 = speed, r->speed_count = constraint_speed_terms(m, c);
      body += r->body_count, speed += r->speed_count;
    }
    constraint_bind(m, x, c);
  }
  for (int i = 0, used = 0; i < m->row_count; used += x->rows[i++].base_count) bind_bases(m, x, &x->rows[i], used);
}

// What is outgrown stays in the arena: at most as much again, since storage doubles.
static void enlarge_rows(const mechanism *m, motion *x, int extra) {
  arena *a = &x->memory;
  int had = x->extra_rows, bases = m->row_body_count + m->row_speed_count;
  x->rows = ARENA_LARGER(a, x->rows, m->row_count + had, m->row_count + extra + 1);
  x->row_bodies = ARENA_LARGER(a, x->row_bodies, m->row_body_count + 2 * had, m->row_body_count + 2 * extra + 1);
  x->row_speeds = ARENA_LARGER(a, x->row_speeds, m->row_speed_count + m->extra_speeds * had,
                               m->row_speed_count + m->extra_speeds * extra + 1);
  x->row_bases = ARENA_LARGER(a, x->row_bases, bases + 2 * had, bases + 2 * extra + 1);
  response_enlarge(m, x, extra);
  x->extra_rows = extra;
}

bool motion_reserve_rows(const mechanism *m, motion *x, int extra) {
  jmp_buf out_of_memory;
  if (extra <= x->extra_rows) return true;
  if (extra < 2 * x->extra_rows) extra = 2 * x->extra_rows;
  bool enough = !setjmp(out_of_memory);
  x->memory.out_of_memory = &out_of_memory;
  if (enough) enlarge_rows(m, x, extra);
  x->memory.out_of_memory = NULL;
  return enough;
}

motion *motion_create(const mechanism *m, int force_states, carom_error *error) {
  jmp_buf out_of_memory;
  motion *volatile x = calloc(1, sizeof *x);
  bool failed = !x;
  if (setjmp(out_of_memory)) failed = true;
  if (failed) {
    motion_destroy(x);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the state of %d bodies", m->body_count - 1);
    return NULL;
  }
  x->memory = arena_create(&out_of_memory);
  x->inner_count = m->state_count + force_states;
  x->state = allocate_block(m, x, lay_state);
  x->results = allocate_block(m, x, lay_results);
  allocate_workspace(m, x);
  motion_lay_rows(m, x, &x->memory);
  x->accepted_t = NAN;
  x->last_t = x->from_t = -INFINITY, x->to_t = INFINITY;
  x->memory.out_of_memory = NULL;  // nothing allocates from here on
  for (int i = 0; i < m->node_count; i++) x->links[i].R = MAT3_IDENTITY;
  for (int i = 0; i < m->joint_count; i++) joint_reset(m->joints[i].type, m->planar, x->joint_q + m->joints[i].q);
  for (int i = 0; i < m->callback_count; i++) x->sampled[i] = -1;
  if (!response_open(m, x)) {
    motion_destroy(x);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the constraint equations");
    return NULL;
  }
  return x;
}

void motion_destroy(motion *x) {
  if (!x) return;
  response_close(x);
  arena_free(&x->memory);
  free(x);
}

static void copy_block(motion_block to, motion_block from) {
  assert(to.count == from.count);
  memcpy(to.values, from.values, (size_t)from.count * sizeof *from.values);
}

static void forget_workspace(motion *x) {
  x->level = LEVEL_NONE;
  x->written_out = false;
}

// The integers are at the end of both blocks. A drive may begin with an infinite acceleration, as t^1.5 does: a time
// stepper goes on with the mean over its step, and others have it in their results.
bool motion_is_finite(const motion *x) {
  return number_all_finite(x->state.values, (size_t)(x->drive_udot - x->state.values)) &&
         number_all_finite(x->results.values, (size_t)((const double *)x->result.friction_slip - x->results.values));
}

void motion_copy(motion *to, const motion *from) {
  to->t = from->t, to->accepted_t = from->accepted_t;
  to->most_rank = from->most_rank, to->usual_nearness = from->usual_nearness;
  copy_block(to->state, from->state);
  copy_block(to->results, from->results);
  forget_workspace(to);
}

enum { STATE_SCALARS = 4 };  // t, accepted_t, most_rank, usual_nearness

long motion_state_size(const motion *x) { return STATE_SCALARS + x->state.count; }

void motion_save_state(const motion *x, double *storage) {
  storage[0] = x->t, storage[1] = x->accepted_t, storage[2] = x->most_rank, storage[3] = x->usual_nearness;
  memcpy(storage + STATE_SCALARS, x->state.values, (size_t)x->state.count * sizeof *storage);
}

void motion_load_state(motion *x, const double *storage) {
  x->t = storage[0], x->accepted_t = storage[1], x->most_rank = (int)storage[2], x->usual_nearness = storage[3];
  memcpy(x->state.values, storage + STATE_SCALARS, (size_t)x->state.count * sizeof *storage);
  forget_workspace(x);
}

const double *motion_saved(const motion *x, const double *storage, const double *array) {
  return storage + STATE_SCALARS + (array - x->state.values);
}

static void state_fields(const mechanism *m, motion *x, fields *f) {
  fields_finite(f, "t", &x->t);
  fields_finites(f, "q", m->nq, x->q);
  fields_finites(f, "u", m->nv, x->u);
  fields_finites(f, "joint_q", m->joint_nq, x->joint_q);
  fields_finites(f, "joint_u", m->joint_nv, x->joint_u);
  fields_number(f, "accepted_t", &x->accepted_t);
  fields_finites(f, "accepted_q", m->joint_nq, x->accepted_q);
  fields_finites(f, "accepted_u", m->joint_nv, x->accepted_u);
  fields_finites(f, "inner", x->inner_count, x->inner);
  fields_signs(f, "held", m->state_count, x->held);
  fields_finites(f, "called", m->called_count, x->called);
  fields_finites(f, "sampled", m->callback_count, x->sampled);
  fields_finites(f, "friction_effort", m->friction_count, x->friction_effort);
  fields_signs(f, "friction_slip", m->friction_count, x->friction_slip);
  fields_choice(f, "most_rank", m->row_count, &x->most_rank);
  fields_finite(f, "usual_nearness", &x->usual_nearness);
  fields_finites(f, "way", m->nv, x->way);
  fields_numbers(f, "drive_udot", m->nv, x->drive_udot);
}

static void result_fields(const mechanism *m, motion_result *r, fields *f) {
  f->group = "result";
  fields_numbers(f, "udot", m->nv, r->udot);
  fields_numbers(f, "joint_udot", m->joint_nv, r->joint_udot);
  fields_numbers(f, "lambda", m->row_count, r->lambda);
  fields_numbers(f, "reaction", 6 * m->joint_count, r->reaction);
  fields_numbers(f, "acceleration", 6 * m->body_count, r->acceleration);
  fields_numbers(f, "marker_acceleration", 3 * m->marker_count, r->marker_acceleration);
  fields_numbers(f, "force_outputs", m->force_output_count, r->force_outputs);
  fields_numbers(f, "drive_effort", m->drive_count, r->drive_effort);
  fields_numbers(f, "drive_power", m->drive_count, r->drive_power);
  fields_numbers(f, "friction_effort", m->friction_count, r->friction_effort);
  fields_signs(f, "friction_slip", m->friction_count, r->friction_slip);
  f->group = NULL;
}

void motion_fields(const mechanism *m, motion *x, fields *f) {
  state_fields(m, x, f);
  result_fields(m, &x->result, f);
  if (f->from) forget_workspace(x);
}
