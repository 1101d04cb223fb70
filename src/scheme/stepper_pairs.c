// Contacts that come and go: arrays by slot and by row that grow with them, and what is remembered of a new pair.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "mechanics/dynamics.h"
#include "mechanics/marker.h"
#include "mechanics/rows.h"
#include "scheme/stepper_internal.h"

// --- growth ----------------------------------------------------------------------------------------------------------

#define ENLARGE(array, used, count) ((array) = ARENA_LARGER(a, array, used, count))

// What is shown of a point refers to where it is.
static void follow(scheme_contact *c, int count, contact_point *const from[3], contact_point *const to[3]) {
  for (int p = 0; p < count; p++)
    for (int k = 0; k < 3; k++)
      if (c[p].point && c[p].point == &from[k][p]) {
        c[p].point = &to[k][p];
        break;
      }
}

static void enlarge_overlap(stepper *s, int rows) {
  arena *a = &s->memory;
  stepper_overlap *o = &s->overlap;
  o->blocks = block_list_create(a, rows);
  o->q = ARENA_ARRAY(a, double, rows + 1);
  o->r = ARENA_ARRAY(a, double, rows + 1);
  o->u = ARENA_ARRAY(a, double, rows + 1);
  o->height = ARENA_ARRAY(a, double, rows + 1);
  o->own = ARENA_ARRAY(a, double, rows + 1);
  o->diagonal = ARENA_ARRAY(a, double, rows + 1);
}

static void enlarge_points(stepper *s) {
  arena *a = &s->memory;
  int had = s->near.point_capacity, elements = s->near.element_capacity;
  size_t count = (size_t)s->contacts->point_slots + 1;
  ENLARGE(s->near.struck, had, count);
  ENLARGE(s->near.stands, had, count);
  ENLARGE(s->near.chatter, had, count);
  ENLARGE(s->near.moved, had, count);
  ENLARGE(s->near.moved_before, had, count);
  ENLARGE(s->near.nearest, had, count);
  ENLARGE(s->near.active, had, count);
  ENLARGE(s->near.active_row, had, count);
  s->books.entries = ARENA_ARRAY(a, stepper_point_entry, count);
  s->books.left = ARENA_ARRAY(a, char, count);
  s->books.sums = ARENA_ARRAY(a, stepper_chunk_sums, count / STEPPER_CHUNK + 1);
  ENLARGE(s->shown.last, had, count);
  ENLARGE(s->shown.last_before, had, count);
  ENLARGE(s->shown.contacts, had, count);
  ENLARGE(s->problem.rate_R, 3 * had, 3 * count);
  ENLARGE(s->near.touched, elements, s->contacts->element_slots + 1);
  s->near.chunks = ARENA_ARRAY(a, stepper_chunk, s->contacts->element_slots / STEPPER_CHUNK + 1);
  ENLARGE(s->near.takes_part, elements, s->contacts->element_slots + 1);
  ENLARGE(s->near.has_passed, elements, s->contacts->element_slots + 1);
  ENLARGE(s->rest.known, elements, s->contacts->element_slots + 1);
  ENLARGE(s->rest.active, had, count);
  if (s->meeting.any) ENLARGE(s->meeting.suspects, 0, s->contacts->element_slots + 1);
  s->problem.blocks = block_list_create(a, s->m->row_count + s->contacts->point_slots + s->m->friction_count);
  if (s->settings.remove_overlap) enlarge_overlap(s, s->m->row_count + s->contacts->point_slots);
  // last, and all together: what is shown refers to them also if memory runs out
  contact_point *from[3] = {s->near.points, s->near.before, s->near.looked};
  contact_point *to[3] = {ARENA_LARGER(a, s->near.points, had, count), ARENA_LARGER(a, s->near.before, had, count),
                          ARENA_LARGER(a, s->near.looked, had, count)};
  s->near.points = to[0], s->near.before = to[1], s->near.looked = to[2];
  follow(s->shown.last, had, from, to);
  follow(s->shown.last_before, had, from, to);
  follow(s->shown.contacts, had, from, to);
  s->near.point_capacity = s->contacts->point_slots, s->near.element_capacity = s->contacts->element_slots;
}

static void enlarge_rows(stepper *s) {
  arena *a = &s->memory;
  int had = s->problem.row_capacity, count = s->m->row_count + s->x->extra_rows + 1;
  ENLARGE(s->problem.q, had, count);
  ENLARGE(s->problem.P, had, count);
  ENLARGE(s->even.P, had, count);
  ENLARGE(s->even.turn, had, count);
  ENLARGE(s->problem.onward, had, count);
  ENLARGE(s->even.q, had, count);
  ENLARGE(s->problem.xi, had, count);
  ENLARGE(s->problem.rate_before, had, count);
  ENLARGE(s->problem.rate_free, had, count);
  ENLARGE(s->problem.rate_after, had, count);
  s->friction.xi = s->problem.xi;
  s->problem.row_capacity = count;
}

void stepper_enlarge(stepper *s) {
  if (!s->near.points || s->contacts->point_slots > s->near.point_capacity ||
      s->contacts->element_slots > s->near.element_capacity)
    enlarge_points(s);
  if (s->m->row_count + s->x->extra_rows >= s->problem.row_capacity) enlarge_rows(s);
  s->near.element_of = s->contacts->element_of;
}

// Storage of all points that have slots, and of their rows. What there was is kept if memory runs out.
bool stepper_reserve(void *scheme, int rows) {
  stepper *s = scheme;
  jmp_buf out_of_memory;
  s->near.element_of = s->contacts->element_of;
  if (!motion_reserve_rows(s->m, s->x, rows + s->m->friction_count) ||
      !impact_reserve(s->ledger, s->contacts->point_slots, s->contacts->element_slots))
    return false;
  bool enough = !setjmp(out_of_memory);
  s->memory.out_of_memory = &out_of_memory;
  if (enough) stepper_enlarge(s);
  s->memory.out_of_memory = NULL;
  return enough;
}

// --- new pairs -------------------------------------------------------------------------------------------------------

void stepper_forget_point(stepper *s, int p) {
  s->shown.last[p] = s->shown.last_before[p] = s->shown.contacts[p] =
      (scheme_contact){.gap = INFINITY, .point = &s->near.points[p]};
  s->near.struck[p] = s->near.moved[p] = s->near.moved_before[p] = false;
  s->near.nearest[p] = 0;
  stepper_forget_rates(s, p);
  stepper_chatter_begin(s, p);
}

// Of what contact_refresh or contact_state_set has changed; stepper_reserve has made the arrays long enough.
static void take_changes(stepper *s) {
  const contact_state *c = s->contacts;
  scheme_book_changes(c, s->m, s->ledger);
  for (int i = 0; i < c->fresh_count; i++) {
    const contact_element *e = c->fresh[i];
    s->near.touched[e->slot] = s->steps - REMEMBERED - 1;
    s->rest.known[e->slot] = (stepper_known){s->steps, s->steps - REMEMBERED};
    for (int k = 0; k < e->point_count; k++) stepper_forget_point(s, e->point0 + k);
  }
}

void stepper_pairs_changed(void *scheme) { take_changes(scheme); }

carom_status stepper_refresh(stepper *s, double behind, double ahead, carom_error *error) {
  s->contacts->shift = s->overlap.shift;
  carom_status found = contact_refresh(s->contacts, s->m, s->x, behind, ahead, error);
  s->near.element_of = s->contacts->element_of;
  if (found == CAROM_OK) take_changes(s);
  return found;
}

static void evaluate_fresh(stepper *s, contact_point *points) {
  for (int i = 0; i < s->contacts->fresh_count; i++) {
    const contact_element *e = s->contacts->fresh[i];
    if (e->type->nearest) contact_state_locate(s->contacts, s->m, s->x, e, NULL, points);
  }
}

// Whether the surfaces of a new pair may have overlapped in the time before, by their gap and the way they have come.
static bool may_have_met(const stepper *s, const contact_element *e, const contact_point *points, double behind) {
  marker_state a = marker_read(s->m, s->x, e->first), b = marker_read(s->m, s->x, e->second);
  double way =
      behind * (vec3_norm(vec3_sub(a.v, b.v)) + (vec3_norm(a.w) + vec3_norm(b.w)) * vec3_norm(vec3_sub(a.p, b.p)));
  for (int k = 0; k < e->point_count; k++)
    if (!(points[e->point0 + k].gap > way)) return true;
  return false;
}

static bool any_may_have_met(const stepper *s, const contact_point *points, double behind) {
  for (int i = 0; i < s->contacts->fresh_count; i++)
    if (s->contacts->fresh[i]->type->nearest && may_have_met(s, s->contacts->fresh[i], points, behind)) return true;
  return false;
}

// Where new pairs were when the step before evaluated its rows, for passages. Most were too far apart to have met
// since: then any place does.
carom_status stepper_meet(stepper *s, double dt, carom_error *error) {
  double behind = s->rule->place * dt + (1 - s->rule->place) * s->dt;
  carom_status status = stepper_refresh(s, behind, dt, error);
  if (status != CAROM_OK || !s->contacts->fresh_count) return status;
  evaluate_fresh(s, s->near.before);
  if (!any_may_have_met(s, s->near.before, behind)) return CAROM_OK;
  if (s->dt > 0) stepper_go_to_rows(s, s->q_A, s->u_A, s->t_A, s->dt);
  else stepper_go_to_rows(s, s->q, s->u, s->t, 0);
  evaluate_fresh(s, s->near.before);
  stepper_go_to_rows(s, s->q, s->u, s->t, dt);
  return CAROM_OK;
}

// The same at the end of a step, where new pairs come from the place of its rows.
carom_status stepper_meet_at_end(stepper *s, carom_error *error) {
  double behind = (1 - s->rule->place) * s->dt;
  carom_status status = stepper_refresh(s, behind, s->rule->place * s->settings.step, error);
  if (status != CAROM_OK || !s->contacts->fresh_count) return status;
  evaluate_fresh(s, s->near.points);
  if (!any_may_have_met(s, s->near.points, behind)) return CAROM_OK;
  stepper_go_to_rows(s, s->q_A, s->u_A, s->t_A, s->dt);
  evaluate_fresh(s, s->near.points);
  dynamics_set(s->m, s->x, s->t, s->q, s->u);
  dynamics_positions_velocities(s->m, s->x);
  return CAROM_OK;
}

// --- a trial ---------------------------------------------------------------------------------------------------------

static carom_status memory_fields(stepper *s, fields *f, carom_error *error) {
  stepper_state_fields(s, f);
  carom_status status = scheme_pair_fields(stepper_point_memory, stepper_pairs_changed, s, s->contacts, s->m, f, error);
  s->near.element_of = s->contacts->element_of;
  return status;
}

carom_status stepper_keep(stepper *s, stepper_kept *k, carom_error *error) {
  fields count = {0}, save = {0};
  (void)memory_fields(s, &count, NULL);
  k->numbers = save.to = malloc(((size_t)count.at + (size_t)motion_state_size(s->x)) * sizeof *k->numbers);
  if (!k->numbers) return error_set(error, CAROM_ERROR_MEMORY, "out of memory for a trial step");
  (void)memory_fields(s, &save, NULL);
  k->motion = k->numbers + save.at;
  motion_save_state(s->x, k->motion);
  return CAROM_OK;
}

carom_status stepper_put_back(stepper *s, stepper_kept *k, carom_error *error) {
  motion_load_state(s->x, k->motion);
  carom_status status = memory_fields(s, &(fields){.from = k->numbers}, error);
  free(k->numbers);
  if (status == CAROM_OK) (void)stepper_restored(s, NULL);
  return status;
}
