// The candidates of a step: which points take part, and which bodies have passed each other between steps.
#include <math.h>

#include "base/number.h"
#include "mechanics/dynamics.h"
#include "mechanics/rows.h"
#include "scheme/stepper_internal.h"

enum { ELEMENTS_SHARE = 32 };  // the fewest elements or points that a thread takes

// Its percussion is first guessed to be that of the last step; iterative solvers begin there.
static void guess_percussion(stepper *s, const contact_element *e, const scheme_contact *last, int first, double dt) {
  const double force[3] = {last->normal_force, last->tangential_force[0], last->tangential_force[1]};
  int sliding = contact_sliding_rows(s->m, e);
  for (int i = 0; i < contact_row_count(s->m, e); i++)
    s->problem.P[first + i] = dt * (i < sliding ? force[i] : last->turning_moment[i - sliding]);
}

// Whether an element has to be looked at closely: a point touches or did so in one of the last two steps, which are
// remembered.
static bool is_near(const stepper *s, const contact_element *e) {
  return s->rule->ahead > 0 || stepper_touched_of_late(s, e) || !stepper_is_apart(s, e);
}

// A step saw the bodies of an element approach in one of its points.
static bool is_struck(const stepper *s, const contact_element *e) {
  for (int p = e->point0; p < e->point0 + e->point_count; p++)
    if (s->near.struck[p]) return true;
  return false;
}

// No point touches where rows are evaluated.
static bool has_parted(const stepper *s, const contact_element *e) {
  for (int p = e->point0; p < e->point0 + e->point_count; p++)
    if (s->near.points[p].gap <= s->contacts->activation) return false;
  return true;
}

static double nearest_between(const stepper *s, const contact_element *e, const contact_point *before,
                              const contact_point *after, double time) {
  return fmin(s->near.nearest[e->point0], e->type->nearest(s->m, s->x, e, stepper_least_of(e, before),
                                                           stepper_least_of(e, after), time, stepper_graze(s, e)));
}

// The removal of overlap in the step before may have pushed bodies into others that they do not approach, hardly deeper
// than what it removed. These have not gone through each other: on their way they were nowhere deeper than now.
static bool was_pushed(const stepper *s, const contact_element *e) {
  enum { AT_ONCE = 4 };  // overlaps that may push a body in one direction
  double gap = stepper_least_of(e, s->near.points)->gap;
  return -gap <= AT_ONCE * s->overlap.depth_before && s->near.nearest[e->point0] >= gap - stepper_graze(s, e);
}

// From where rows are evaluated in one step to where they are in the next, and from the start to the first, the motion
// is uniform. Bodies that are apart now, and overlapped on the straight ways since they were last apart, have gone
// through each other, unless a step saw them approach: an impact that was missed. What is remembered of an element is
// kept with its first point. Returns whether that was found.
static bool look_for_passage(stepper *s, const contact_element *e, double time) {
  int p = e->point0;
  bool struck = is_struck(s, e), touches = s->near.touched[e->slot] == s->steps;
  if (!struck && !touches && s->near.nearest[p] == 0 && s->rest.known[e->slot].since < s->steps &&
      s->rest.known[e->slot].last == s->steps)
    return false;  // it stays apart
  if (!struck) s->near.nearest[p] = nearest_between(s, e, s->near.before, s->near.points, time);
  if (!has_parted(s, e)) {
    s->near.struck[p] |= !struck && was_pushed(s, e);
    return false;
  }
  bool passed = !struck && s->near.nearest[p] < -stepper_graze(s, e);
  for (int k = 0; k < e->point_count; k++) s->near.struck[p + k] = false;
  s->near.nearest[p] = 0;
  return passed;
}

typedef struct passages {
  stepper *s;
  double time;
} passages;

// Gap and normal of a point, which lie together.
enum { PLACE_BYTES = offsetof(contact_point, n) + sizeof(vec3) };

static void look_for_passages_of(void *context, int from, int to) {
  const passages *x = context;
  for (int i = from; i < to; i++) {
    const contact_element *e = x->s->contacts->elements[i];
    const contact_element *coming = contact_state_coming(x->s->contacts, i);
    if (coming) {
      fetch(&x->s->near.points[coming->point0], PLACE_BYTES), fetch(&x->s->near.before[coming->point0], PLACE_BYTES);
    }
    bool passed = e->type->nearest && look_for_passage(x->s, e, x->time);
    x->s->near.has_passed[e->slot] = passed;
    if (passed) __atomic_store_n(&x->s->near.any_passed, true, __ATOMIC_RELAXED);
  }
}

void stepper_look_for_passages(stepper *s, double dt) {
  double time = s->rule->place * dt + (1 - s->rule->place) * s->dt;
  s->near.any_passed = false;
  crew_run(s->contacts->crew, s->contacts->element_count, ELEMENTS_SHARE, look_for_passages_of, &(passages){s, time});
  for (int i = 0; s->near.any_passed && i < s->contacts->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    if (s->near.has_passed[e->slot])
      contact_count_trouble(s->contacts->world, e, s->t + s->rule->place * dt, &s->trouble.leaps, &s->trouble.missed);
  }
}

// The same from where rows are evaluated to the end of the step. Bodies that are past the nearest point of their way
// need not be apart yet: no later step will see them approach.
static bool passes_at_end(const stepper *s, const contact_element *e) {
  if (!e->type->nearest || is_struck(s, e)) return false;
  for (int p = e->point0; p < e->point0 + e->point_count; p++)
    if (s->near.looked[p].gap <= s->contacts->activation && contact_gap_rate(s->m, s->x, e, &s->near.looked[p]) < 0)
      return false;
  return nearest_between(s, e, s->near.points, s->near.looked, (1 - s->rule->place) * s->dt) < -stepper_graze(s, e);
}

// Whether the next step would be the first to find a point, and too deep.
static bool leaps_next(const stepper *s, const contact_element *e, const contact_point *at) {
  if (at->gap > s->contacts->activation) return false;
  double way = s->rule->place * s->settings.step * fmax(0, -contact_gap_rate(s->m, s->x, e, at));
  return way - at->gap > contact_leap(s->m, e);
}

// Where places of contact come and go they take long to find, and in a list of pairs most are far apart. What is shown
// of these is found when it is read. `found` may be null.
static bool is_far(const stepper *s, const contact_element *e, contact_feature *found, contact_point *points) {
  if (!contact_points_change(e) || !e->shape_first || !e->shape_second || s->rule->ahead > 0) return false;
  const contact_surface *surfaces = s->contacts->world->surfaces;
  double reach = surfaces[e->surface[0]].reach + surfaces[e->surface[1]].reach;
  return contact_place_far(s->m, s->x, e, reach, s->contacts->activation, found ? found + e->point0 : NULL,
                           points + e->point0);
}

carom_status stepper_look_at_end(stepper *s, carom_error *error) {
  dynamics_positions_velocities(s->m, s->x);
  if (s->contacts->pool) {
    carom_status met = stepper_meet_at_end(s, error);
    if (met != CAROM_OK) return met;
  }
  if (s->reads_coordinates) coordinate_update(s->m, s->x);
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    bool turns = contact_turns(s->m, e);
    if (!e->type->nearest && stepper_is_apart(s, e)) continue;
    if (!is_far(s, e, NULL, s->near.looked)) contact_state_locate(s->contacts, s->m, s->x, e, NULL, s->near.looked);
    for (int p = e->point0; p < e->point0 + e->point_count; p++) {
      const contact_point *at = &s->near.looked[p];
      if (!turns) s->at_end.deepest = number_larger(s->at_end.deepest, -at->gap);
      if (s->shown.last[p].active && s->near.struck[p]) continue;  // a step has dealt with it
      if (!turns) s->at_end.entered = number_larger(s->at_end.entered, -at->gap);
      if (leaps_next(s, e, at) || (p == e->point0 && passes_at_end(s, e)))
        contact_count_trouble(s->contacts->world, e, s->t, &s->at_end.leaps, &s->at_end.missed);
    }
  }
  return CAROM_OK;
}

// For a rule that looks ahead, the largest gap at which a point takes part: the way of the fastest approach among those
// that may meet within the step. What is met may meet others in the same step, which it does not approach yet.
static double find_reach(const stepper *s, double dt) {
  double fastest = 0;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    for (int p = e->point0; p < e->point0 + e->point_count; p++) {
      double approach = -contact_gap_rate(s->m, s->x, e, &s->near.points[p]);
      if (approach > fastest && s->near.points[p].gap <= s->contacts->activation + s->rule->ahead * dt * approach)
        fastest = approach;
    }
  }
  return s->contacts->activation + s->rule->ahead * dt * fastest;
}

// Rows that turn, and the removal of overlap, open a point by far less than this part of a body; of a point on a plane,
// of the mechanism.
#define OPENED 1e-3

// A point that stood at the end of the last step, where positions do not follow velocities alone: drives, projection
// and the removal of overlap then open it by h², and rows that turn by h³; it would strike and open in turns. It stays
// a candidate, with force or without: of several points that hold a body some have none. Elsewhere candidates are
// Moreau's. What the removal has moved far apart, as bodies that were fast and deep in each other, is a candidate no
// longer.
// Where bodies deform, a rule that looks ahead leaves a node that is pressed with a gap of rounding and without a rate,
// out of its reach, and elastic forces would drive it in within one step. As this rule asks for gaps, an open candidate
// has no force. One that leaves has no force either, and parts; then it is a candidate no longer.
static bool stays(const stepper *s, const contact_element *e, int p, const scheme_contact *before) {
  double gap = s->near.points[p].gap, little = OPENED * contact_leap(s->m, e);
  bool pressed = before->normal_force > 0, deforms = s->rule->ahead > 0 && s->x->flexible;
  bool pushed = s->near.moved[p] && pressed && gap <= (contact_is_of_surfaces(e) ? little : stepper_graze(s, e)),
       led = s->led || pushed || (gap <= little && (deforms || stepper_turns(s, e, p))),
       stood = s->near.stands[p] || (deforms && pressed && gap <= little);
  return led && stood && (before->active || s->dt == 0) && !s->near.points[p].absent;
}

static const scheme_contact *known_before(const stepper *s, const contact_element *e, int p) {
  static const scheme_contact unknown = {0};
  return contact_points_change(e) && contact_state_is_new(s->contacts, p) ? &unknown : &s->shown.last_before[p];
}

// Which points of an element take part, by what is shown of them from here on. Returns whether one does.
static bool choose_points(stepper *s, const contact_element *e, double reach) {
  bool any = false;
  for (int p = e->point0; p < e->point0 + e->point_count; p++) {
    const scheme_contact *before = known_before(s, e, p);
    double gap = s->near.points[p].gap;
    bool active = gap <= reach || stays(s, e, p, before);
    s->shown.last[p] =
        (scheme_contact){.gap = gap, .active = active, .lasts = active && before->active, .point = &s->near.points[p]};
    s->near.moved[p] &= active;
    any |= active;
  }
  return any;
}

// An element takes part.
static void note_touch(stepper *s, const contact_element *e, stepper_chunk *c) {
  c->changed |= s->rest.known[e->slot].since >= s->steps;
  s->near.touched[e->slot] = s->steps;
}

static void count_points(stepper *s, const contact_element *e, stepper_chunk *c) {
  int points = 0;
  for (int p = e->point0; p < e->point0 + e->point_count; p++) points += s->shown.last[p].active;
  c->points += points, c->rows += points * contact_row_count(s->m, e);
}

// The points of an element that take part, and where their rows will be.
static void list_points(stepper *s, const contact_element *e, stepper_chunk *next) {
  for (int p = e->point0; p < e->point0 + e->point_count; p++) {
    if (!s->shown.last[p].active) continue;
    s->near.active[next->points] = p;
    s->near.active_row[next->points++] = next->rows;
    next->rows += contact_row_count(s->m, e);
  }
}

// Of a step of this length, in which points within this reach take part.
typedef struct candidate_job {
  stepper *s;
  double dt, reach;
} candidate_job;

// Rows of the points that take part, each into its place: as if they were added to a motion that has those before it.
static void write_rows_of(const candidate_job *j, motion *x, int from, int to) {
  stepper *s = j->s;
  int total = x->row_total;
  for (int k = from; k < to; k++) {
    int p = s->near.active[k];
    const contact_element *e = s->near.element_of[p];
    int coming = stepper_coming(s, k);
    if (coming >= 0)
      fetch(&s->near.points[coming], offsetof(contact_point, apart)), FETCH(s->shown.last_before[coming]);
    x->row_total = s->near.active_row[k];
    if (s->problem.solver.warm_start) guess_percussion(s, e, known_before(s, e, p), x->row_total, j->dt);
    contact_add_rows(s->m, x, e, &s->near.points[p]);
  }
  x->row_total = total;
}

// A thread has a motion of its own for that, with the same rows.
static void write_shared_rows(void *context, int from, int to) {
  const candidate_job *j = context;
  motion own = *j->s->x;
  write_rows_of(j, &own, from, to);
}

void stepper_write_rows(stepper *s, double dt) {
  candidate_job j = {s, dt, 0};
  s->x->rows_taken = 0;
  if (crew_count(s->contacts->crew) > 1)
    crew_run(s->contacts->crew, s->near.active_count, ELEMENTS_SHARE, write_shared_rows, &j);
  else write_rows_of(&j, s->x, 0, s->near.active_count);
}

// No point of it takes part.
static void set_far(stepper *s, const contact_element *e) {
  for (int p = e->point0; p < e->point0 + e->point_count; p++) {
    s->shown.last[p] = (scheme_contact){.gap = s->near.points[p].gap, .point = &s->near.points[p]};
    s->near.moved[p] = false;
  }
}

// Finds the points of an element. Returns whether they may take part.
static bool may_touch(stepper *s, const contact_element *e) {
  if (!is_near(s, e)) return false;
  if (stepper_rest_keeps(s, e)) return stepper_touched_of_late(s, e);  // else it does not touch
  if (is_far(s, e, s->contacts->found, s->near.points)) {
    set_far(s, e);
    return false;
  }
  if (!(s->rule->ahead > 0)) contact_state_locate(s->contacts, s->m, s->x, e, s->contacts->found, s->near.points);
  return true;
}

// Whether points of an element take part.
static bool choose_element(const candidate_job *j, const contact_element *e) {
  stepper *s = j->s;
  return s->near.takes_part[e->slot] = may_touch(s, e) && choose_points(s, e, j->reach);
}

static int chunk_end(const stepper *s, int chunk) {
  int end = STEPPER_CHUNK * (chunk + 1);
  return end < s->contacts->element_count ? end : s->contacts->element_count;
}

static void look_at_chunk(const candidate_job *j, int chunk) {
  stepper *s = j->s;
  stepper_chunk found = {0};
  for (int i = STEPPER_CHUNK * chunk; i < chunk_end(s, chunk); i++) {
    const contact_element *e = s->contacts->elements[i];
    const contact_element *coming = contact_state_coming(s->contacts, i);
    if (coming) {
      FETCH(s->near.points[coming->point0]);
      FETCH(s->shown.last[coming->point0]), FETCH(s->shown.last_before[coming->point0]);
    }
    if (!choose_element(j, e)) continue;
    count_points(s, e, &found);
    note_touch(s, e, &found);
  }
  s->near.chunks[chunk] = found;
}

static void look_at_chunks(void *context, int from, int to) {
  for (int chunk = from; chunk < to; chunk++) look_at_chunk(context, chunk);
}

static void list_chunks(void *context, int from, int to) {
  const candidate_job *j = context;
  stepper *s = j->s;
  for (int chunk = from; chunk < to; chunk++) {
    stepper_chunk next = s->near.chunks[chunk];
    for (int i = STEPPER_CHUNK * chunk; i < chunk_end(s, chunk); i++) {
      (void)contact_state_coming(s->contacts, i);
      const contact_element *e = s->contacts->elements[i];
      if (s->near.takes_part[e->slot]) list_points(s, e, &next);
    }
  }
}

// Chunks get the places of their first point and row, behind what there is of constraints.
static void place_chunks(stepper *s, int count) {
  for (int i = 0; i < count; i++) {
    stepper_chunk *c = &s->near.chunks[i], found = *c;
    *c = (stepper_chunk){s->near.active_count, s->x->row_total, found.changed};
    s->near.active_count += found.points, s->x->row_total += found.rows;
    s->rest.same &= !found.changed;
  }
}

static void locate_elements(void *context, int from, int to) {
  stepper *s = context;
  for (int i = from; i < to; i++)
    contact_state_locate(s->contacts, s->m, s->x, s->contacts->elements[i], s->contacts->found, s->near.points);
}

// Of a mechanism, all at once: places need not be counted before.
static void list_few(const candidate_job *j) {
  stepper *s = j->s;
  stepper_chunk next = {0, s->x->row_total, false};
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    if (!choose_element(j, e)) continue;
    list_points(s, e, &next);
    note_touch(s, e, &next);
  }
  s->near.active_count = next.points, s->x->row_total = next.rows;
  s->rest.same &= !next.changed;
}

void stepper_find_active(stepper *s, double dt) {
  const crew *crew = s->contacts->crew;
  int count = s->contacts->element_count, chunks = (count + STEPPER_CHUNK - 1) / STEPPER_CHUNK;
  rows_clear(s->m, s->x);
  s->near.active_count = 0;
  bool ahead = s->rule->ahead > 0;
  if (ahead) crew_run(crew, count, ELEMENTS_SHARE, locate_elements, s);
  candidate_job job = {s, dt, ahead ? find_reach(s, dt) : s->contacts->activation};
  if (chunks <= 1) {
    list_few(&job);
  } else {
    crew_run(crew, chunks, 1, look_at_chunks, &job);
    place_chunks(s, chunks);
    crew_run(crew, chunks, 1, list_chunks, &job);
  }
  if (!stepper_takes_pairs(s)) stepper_write_rows(s, dt);
  if (s->m->friction_count) stepper_friction_add_rows(&s->friction, s->m, s->x, s->problem.P, dt);
  stepper_rest_compare_rows(s);
}

// What has not touched of late is held to nothing already.
void stepper_hold_places(stepper *s) {
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    if (!contact_points_change(e) || !stepper_touched_of_late(s, e)) continue;
    for (int p = e->point0; p < e->point0 + e->point_count; p++) {
      if (!contact_state_is_new(s->contacts, p)) continue;
      stepper_forget_rates(s, p);
      s->shown.last_before[p] = (scheme_contact){.gap = NAN, .point = &s->near.before[p]};
      if (!s->shown.trying) impact_separate(s->impacts, p);
    }
    contact_state_hold(s->contacts, e, s->near.touched[e->slot] == s->steps);
  }
}

void stepper_keep_starts(stepper *s) {
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    if (e->type->evaluate_from)
      contact_state_start_from(s->contacts, e->point0,
                               s->near.touched[e->slot] == s->steps ? &s->near.points[e->point0] : NULL);
  }
}
