// Pairs of a crowd come and go between the steps of the integrator. Before a step those become live that may meet in it
// at their present velocities: the time for which boxes are swept grows until it is that of the step which the
// integrator plans, or until a live pair limits the step to less. Motion along curves can bring others near. They are
// found from the end of the step, and looked at on all of it.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/dynamics.h"
#include "scheme/watcher.h"

// --- growth ----------------------------------------------------------------------------------------------------------

// The frictions of joints move to the new end. They also stay where they were, so that nothing is lost if memory runs
// out before all arrays are larger.
void *watcher_larger(watcher *w, const void *items, size_t size) {
  size_t joints = (size_t)w->m->friction_count, had = (size_t)w->slots, now = (size_t)w->contacts->point_slots;
  char *larger = arena_larger(&w->memory, items, had + joints, now + joints + 1, size);
  memcpy(larger + now * size, (const char *)items + had * size, joints * size);
  return larger;
}

#define ENLARGE(array) ((array) = watcher_larger(w, array, sizeof *(array)))

static void enlarge_entries(watcher *w) {
  ENLARGE(w->entry);
  ENLARGE(w->shown);
  ENLARGE(w->seen);
  for (int k = 0; k < w->type->looks; k++) ENLARGE(w->look[k]);
  for (int i = 0; i < w->modes_count; i++) {
    watch_modes *modes = &w->modes[i];
    if (!modes->array) continue;
    modes->during = watcher_larger(w, modes->during, modes->item);
    *modes->array = modes->now = watcher_larger(w, modes->now, modes->item);
  }
  ENLARGE(w->points);
  for (int p = 0; p < w->slots; p++) w->shown[p].point = &w->points[p];
}

static void enlarge(watcher *w) {
  bool grows = w->contacts->point_slots > w->slots;
  if (grows) enlarge_entries(w);
  w->type->enlarge(w);
  if (!grows) return;
  w->slots = w->contacts->point_slots;
  w->count = w->slots + w->m->friction_count;
  for (int i = 0; i < w->modes_count; i++)
    if (w->modes[i].array) w->modes[i].size = (size_t)w->count * w->modes[i].item;
}

static bool reserve_books(watcher *w, int rows) {
  return motion_reserve_rows(w->m, w->x, rows + w->m->friction_count) &&
         impact_reserve(w->impacts, w->contacts->point_slots, w->contacts->element_slots);
}

// contact_state.reserve. What there was is kept if memory runs out.
static bool reserve(void *scheme, int rows) {
  watcher *w = scheme;
  jmp_buf out_of_memory;
  if (!reserve_books(w, rows)) return false;
  bool enough = !setjmp(out_of_memory);
  w->memory.out_of_memory = &out_of_memory;
  if (enough) enlarge(w);
  w->memory.out_of_memory = NULL;
  return enough;
}

// --- new pairs -------------------------------------------------------------------------------------------------------

static void open_fresh(watcher *w) {
  const contact_state *c = w->contacts;
  scheme_book_changes(c, w->m, w->impacts);
  for (int i = 0; i < c->fresh_count; i++)
    for (int p = c->fresh[i]->point0; p < c->fresh[i]->point0 + c->fresh[i]->point_count; p++) {
      w->entry[p] = (watch_entry){.e = c->fresh[i]};
      w->shown[p] = (scheme_contact){.gap = INFINITY, .point = &w->points[p]};
      w->seen[p] = (watch_look){.gap = INFINITY};
      for (int k = 0; k < w->type->looks; k++) w->look[k][p] = w->seen[p];
      w->type->open(w, p);
      for (int k = 0; k < w->modes_count; k++) {
        const watch_modes *m = &w->modes[k];
        if (m->array) memcpy((char *)m->during + (size_t)p * m->item, (char *)m->now + (size_t)p * m->item, m->item);
      }
    }
}

void watcher_pairs_changed(void *scheme) { open_fresh(scheme); }

void watcher_find_pairs(watcher *w) { w->contacts->reserve = reserve, w->contacts->owner = w; }

carom_status watcher_meet_first(watcher *w, carom_error *error) {
  contact_state *c = w->contacts;
  if (!c->pool) return CAROM_OK;
  carom_status status = contact_refresh(c, w->m, w->x, 0, 0, error);
  if (status != CAROM_OK) return status;
  if (!reserve_books(w, c->row_count)) return error_set(error, CAROM_ERROR_MEMORY, "out of memory for contacts");
  scheme_book_changes(c, w->m, w->impacts);
  return CAROM_OK;
}

// --- before a step ---------------------------------------------------------------------------------------------------

static void show_start(watcher *w) {
  flow_show(w->core, w->t, w->y);
  dynamics_positions_velocities(w->m, w->x);
}

// Those that overlap already have met unseen.
static void count_missed(watcher *w) {
  for (int i = 0; i < w->contacts->fresh_count; i++) {
    const contact_element *e = w->contacts->fresh[i];
    bool missed = false;
    for (int p = e->point0; p < e->point0 + e->point_count; p++) missed |= w->look[WATCH_START][p].gap < -w->nearness;
    if (missed) contact_count_trouble(w->contacts->world, e, w->t, &w->trouble.leaps, &w->trouble.missed);
  }
}

static carom_status take_fresh(watcher *w, carom_error *error) {
  if (!w->contacts->fresh_count && !w->contacts->ended_count) return CAROM_OK;
  open_fresh(w);
  if (!w->contacts->fresh_count) return CAROM_OK;
  if (!watcher_look_at_start(w))
    return error_set(error, CAROM_ERROR_INTEGRATOR, "the motion at t = %g s cannot be evaluated", w->t);
  count_missed(w);
  show_start(w);
  return CAROM_OK;
}

// An integrator that starts again does not know its next step. A multistep method may make the one after it ten times
// as long, and plans it not beyond the limit of this one. A step that was cut at the last stop may at once be several
// times as long as the integrator says.
carom_status watcher_meet(watcher *w, double t_stop, carom_error *error) {
  static const double SHORTEST = 1e-6, GROWTH = 40;
  contact_state *c = w->contacts;
  if (!c->pool) return CAROM_OK;
  double rest = t_stop - w->t, planned = GROWTH * flow_next_step(w->core);
  if (w->restart || !(planned > 0 && planned < rest)) planned = rest;
  double ahead = fmin(planned, fmax(w->horizon, SHORTEST * rest));
  show_start(w);
  carom_status status = contact_refresh(c, w->m, w->x, 0, ahead, error);
  if (status == CAROM_OK) status = take_fresh(w, error);
  while (status == CAROM_OK && ahead < planned && w->type->limit(w, t_stop) > w->t + ahead) {
    ahead = fmin(2 * ahead, planned);
    status = contact_widen(c, w->m, w->x, 0, ahead, error);
    if (status == CAROM_OK) status = take_fresh(w, error);
  }
  w->horizon = ahead;
  return status;
}

carom_status watcher_meet_on_the_way(watcher *w, double duration, bool *any, bool *touches, carom_error *error) {
  contact_state *c = w->contacts;
  carom_status status = contact_widen(c, w->m, w->x, duration, 0, error);
  if (status != CAROM_OK || !c->fresh_count) return status;
  open_fresh(w);
  *any = true;
  w->seen_at = NAN;
  contact_state_evaluate(c, w->m, w->x, w->points);
  for (int i = 0; i < c->fresh_count; i++)
    for (int p = c->fresh[i]->point0; p < c->fresh[i]->point0 + c->fresh[i]->point_count; p++)
      *touches |= w->points[p].gap < 0;
  return CAROM_OK;
}
