// The books of a step: work of forces and drives, losses and impulses of contacts.
#include <math.h>
#include <string.h>

#include "mechanics/anchor.h"
#include "mechanics/block.h"
#include "mechanics/constraint.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "scheme/percussion.h"
#include "scheme/stepper_internal.h"

// With M fixed for the step, what contacts take and the work of the forces sum to the change of kinetic energy exactly.
// A contact that lasts may give as well as take, since its rates turn with the rows, but never more than |γ_F - γ_A|
// |P|, which vanishes with the step; an impact that adds more than that has gained energy. Returns the size of all its
// rates, also of those the forces would have brought about.
BLOCK double measure_contact(const int size, const stepper *s, int first, stepper_point_entry *of) {
  const double *P = s->problem.P + first, *a = s->problem.rate_before + first, *b = s->problem.rate_after + first,
               *q = s->problem.q + first, *free = s->problem.rate_free + first;
  double speed = 0, loss = of->loss, slack = of->slack;
  for (int i = 0; i < size; i++) {
    speed += fabs(a[i]) + fabs(b[i]) + fabs(q[i]);
    loss -= 0.5 * (a[i] + b[i]) * P[i];
    slack += fabs(P[i]) * (fabs(free[i] - a[i]) + 1e-10 * speed);
  }
  of->loss = loss, of->slack = slack;
  return speed;
}

// A contact without friction has no rows along the surface, and slides as fast as its bodies do. Positions are those of
// the rows.
static double free_slip(const stepper *s, const contact_element *e, int point) {
  double slip[2];
  if (e->type->frictionless) return 0;
  contact_slip(s->m, s->x, e, &s->near.points[point], slip);
  return hypot(slip[0], slip[1]);
}

// A point that parts at v under an acceleration a is back after 2v/a.
#define BACK_WITHIN_A_STEP 0.5

// The restitution that the rule has asked for: that of a unit rate, if it requires anything of this one.
static double prescribed(const stepper *s, const contact_element *e, double rate, double made, double dt) {
  double required = 0, of_one = 0;
  stepper_contact c = {&e->material, 1, 0, &rate, made, dt}, one = {&e->material, 1, 0, &(double){1}, 0, dt};
  s->rule->require(&c, &required);
  s->rule->require(&one, &of_one);
  return required != 0 ? of_one : 0;
}

// Rates of a point at the ends of a step, along the surface how fast it slides at its end, and what is none.
typedef struct point_rates {
  double start[3], end[3];
  double still;
  double made;  // by the step at its start (stepper_rate_made)
  percussion percussion;
} point_rates;

// Of a point with so many rows along which it slides, and so many along which it turns: constants, where they are those
// of most points.
BLOCK void find_rates(const int size, const int turning, const stepper *s, int k, stepper_point_entry *to,
                      point_rates *r) {
  int first = s->near.active_row[k];
  const double *P = s->problem.P, *before = s->problem.rate_before, *after = s->problem.rate_after;
  r->still = 1e-9 * measure_contact(size, s, first, to);  // what solutions leave of a rate that is zero
  r->made = stepper_rate_made(s, k);
  r->percussion = percussion_of(size, P + first, before + first, after + first);
  if (turning) (void)measure_contact(turning, s, first + size, to);
  for (int i = first + size; i < first + size + turning; i++)
    r->percussion.loss_tangential -= 0.5 * (before[i] + after[i]) * P[i];
  for (int i = 0; i < size; i++)
    r->start[i] = stepper_rate_at_start(s, first + i), r->end[i] = stepper_rate_at_end(s, first + i);
  if (size > 1) r->percussion.slip = percussion_length(size - 1, r->end + 1);
}

// What the next step knows of its rates. Returns that along the normal.
BLOCK double keep_rates(const int size, stepper *s, int k, const point_rates *r) {
  int point = s->near.active[k], first = s->near.active_row[k];
  double *rate_R = s->problem.rate_R + 3 * point, rate = fabs(r->end[0]) > r->still ? r->end[0] : 0;
  bool moves_along = size > 1 && r->percussion.slip > r->still;
  rate_R[0] = rate - s->problem.onward[first];
  for (int i = 1; i < 3; i++) rate_R[i] = i < size && !moves_along ? -s->problem.onward[first + i] : NAN;
  s->near.stands[point] = rate <= BACK_WITHIN_A_STEP * r->made;
  return rate;
}

// The row of the ledger of a point that is pressed.
static void write_step(const stepper *s, int k, double dt, const point_rates *r, impact_step *step) {
  int point = s->near.active[k];
  const contact_element *e = s->near.element_of[point];
  percussion_write(&r->percussion, s->problem.P + s->near.active_row[k], r->start, r->end, step);
  step->arrives = s->shown.last_before[point].gap > s->contacts->activation;
  step->t_start = s->t, step->t_end = s->t + dt;
  if (step->arrives && stepper_is_instant(s, e, -r->start[0])) step->t_start = step->t_end = s->t + s->rule->place * dt;
  step->gap = s->near.points[point].gap, step->still = contact_still(s->m, r->still);
  step->restitution =
      s->impacts->is_open[point] ? 0 : prescribed(s, e, r->start[0], r->made, dt);  // the open row has it
  step->given = false;
  step->bound = step->deepest = step->peak_force = step->creep_least = 0;
}

// Closes the step of an active point: what is shown and remembered of it, and what the ledger is to know. That is
// written where it is read: a copy of what was just written would wait until it is in the cache.
BLOCK void close_point(const int size, const int turning, stepper *s, int k, double dt, stepper_point_entry *entry) {
  int point = s->near.active[k], first = s->near.active_row[k];
  const contact_element *e = s->near.element_of[point];
  const double *P = s->problem.P + first, *mean = s->even.P_mean + first;
  entry->presses = P[0] > 0, entry->leaves = entry->leaps = false;
  entry->loss = entry->slack = 0;
  scheme_contact *last = &s->shown.last[point];
  last->normal_force = mean[0] / dt;
  for (int i = 1; i < size; i++) last->tangential_force[i - 1] = mean[i] / dt;
  for (int i = 0; i < turning; i++) last->turning_moment[i] = mean[size + i] / dt;
  point_rates r;
  find_rates(size, turning, s, k, entry, &r);
  if (size == 1) r.percussion.slip = free_slip(s, e, point);
  last->slides = !impact_sticks(r.percussion.slip, contact_still(s->m, r.still));
  // in the first step: it touched at the start without approach
  last->lasts |= s->dt == 0 && fabs(s->problem.rate_R[3 * point]) <= r.still;
  entry->leaves = keep_rates(size, s, k, &r) != 0;
  s->near.struck[point] |= entry->presses || r.start[0] < 0;
  if (!entry->presses || s->shown.trying) return;
  write_step(s, k, dt, &r, &entry->step);
  entry->rate = r.start[0], entry->made = r.made;
  entry->leaps = -s->near.points[point].gap > contact_leap(s->m, e);
}

typedef struct closing {
  stepper *s;
  double dt;
} closing;

static void close_ahead(stepper *s, int k, double dt, stepper_point_entry *to) {
  int coming = stepper_coming(s, k);
  if (coming >= 0) {
    FETCH(s->near.points[coming].gap), FETCH(s->shown.last[coming]), FETCH(s->shown.last_before[coming]);
    fetch(&s->problem.rate_R[3 * coming], 3 * sizeof(double));
    FETCH(s->near.chatter[coming]);
    if (!s->shown.trying) impact_fetch(s->impacts, coming);
  }
  const contact_element *e = s->near.element_of[s->near.active[k]];
  int size = contact_sliding_rows(s->m, e), turning = contact_row_count(s->m, e) - size;
  if (size == 2 && !turning) close_point(2, 0, s, k, dt, to);
  else close_point(size, turning, s, k, dt, to);
}

// What is left of a point for the one writer of the ledger.
enum { LEFT_NOTHING, LEFT_CHATTER, LEFT_ALL };

// Books a point as far as nothing of other points changes. Most go on as they did.
static char book_alone(stepper *s, int k, const stepper_point_entry *entry, impact_sums *sums) {
  int point = s->near.active[k];
  if (!entry->presses) return entry->leaves && s->impacts->is_open[point] ? LEFT_ALL : LEFT_NOTHING;
  if (s->near.element_of[point]->point_count != 1 || !impact_goes_on(s->impacts, point, &entry->step, sums))
    return LEFT_ALL;
  return stepper_chatter_watch(s, point, entry->rate, entry->made) ? LEFT_CHATTER : LEFT_NOTHING;
}

// Entries that are left follow each other.
static void close_chunk(stepper *s, int chunk, double dt) {
  int end = STEPPER_CHUNK * (chunk + 1);
  stepper_chunk_sums sums = {0};
  stepper_point_entry *entry = &s->books.entries[STEPPER_CHUNK * chunk];
  for (int k = STEPPER_CHUNK * chunk; k < end && k < s->near.active_count; k++) {
    close_ahead(s, k, dt, entry);
    sums.loss += entry->loss, sums.slack += entry->slack;
    s->books.left[k] = s->shown.trying ? LEFT_NOTHING : book_alone(s, k, entry, &sums.ledger);
    entry += s->books.left[k] == LEFT_ALL;
  }
  s->books.sums[chunk] = sums;
}

static void close_chunks(void *context, int from, int to) {
  const closing *c = context;
  for (int chunk = from; chunk < to; chunk++) close_chunk(c->s, chunk, c->dt);
}

// A point without force touches until its gap opens.
static void book_point(stepper *s, int k, const stepper_point_entry *entry, double dt) {
  int point = s->near.active[k];
  if (!entry->presses) {
    if (entry->leaves) impact_release(s->impacts, point);
    return;
  }
  if (entry->leaps && !s->impacts->is_open[point])
    contact_count_trouble(s->contacts->world, s->near.element_of[point], s->t + dt, &s->trouble.leaps,
                          &s->trouble.missed);
  if (stepper_chatter_watch(s, point, entry->rate, entry->made)) stepper_chatter_count(s, point);
  impact_touch(s->impacts, point, &entry->step);
}

// The largest speed of a point at the mechanism's size from the origin of its body.
static double largest_speed(const mechanism *m, const motion *x) {
  double largest = 0;
  for (int i = 1; i < m->node_count; i++) {
    anchor origin = {.node = i};
    largest =
        fmax(largest, vec3_norm(anchor_velocity(m, x, &origin)) + m->length * vec3_norm(anchor_omega(m, x, &origin)));
  }
  return largest;
}

// Rates are differences of the velocities of bodies, and sums of what the percussions change; they are rounded like
// these. Bodies that move together and press on each other have rates that are rounding alone, and what they seem to
// gain by them is none.
static double rounding_of_losses(stepper *s) {
  double speed = largest_speed(s->m, s->x), sum = 0, *changes = s->even.turn;
  stepper_absolute(s, changes);
  for (int k = 0; k < s->near.active_count; k++) {
    const contact_element *e = s->near.element_of[s->near.active[k]];
    int first = s->near.active_row[k];
    for (int i = first; i < first + contact_row_count(s->m, e); i++) {
      bool turns = contact_turns(s->m, e) || i >= first + contact_sliding_rows(s->m, e);
      double rate = turns ? speed / s->m->length : speed;
      sum += (rate + changes[i]) * fabs(s->problem.P[i]);
    }
  }
  return 1e-12 * sum;
}

// A point that stood and is back after one step has not parted: under a body that turns about it, it opens by h³ now
// and then. Steps do not resolve more.
static bool has_left(const stepper *s, int p) { return !s->shown.last_before[p].active || !s->near.stands[p]; }

// What the last step left touching, between the active points up to number k and behind the last.
static void book_partings(stepper *s, int k, int *next) {
  int until = k < s->near.active_count ? s->near.active[k] : -1;
  for (; *next < s->contacts->point_count && s->contacts->points[*next] != until; ++*next) {
    int p = s->contacts->points[*next];
    if (s->impacts->touches[p] && has_left(s, p)) impact_separate(s->impacts, p);
  }
  ++*next;
}

typedef struct contact_losses {
  double loss, slack;
} contact_losses;

// Threads share the points, in chunks whose limits do not depend on their number. What concerns more than one point is
// left to one writer, who takes the points in order.
static contact_losses book_many(stepper *s, double dt, int chunks, int *next) {
  bool books = !s->shown.trying;
  contact_losses sum = {0};
  crew_run(s->contacts->crew, chunks, 1, close_chunks, &(closing){s, dt});
  for (int i = 0; i < chunks; i++) {
    sum.loss += s->books.sums[i].loss, sum.slack += s->books.sums[i].slack;
    if (books) impact_add(s->impacts, &s->books.sums[i].ledger);
  }
  const stepper_point_entry *entry = s->books.entries;
  for (int k = 0; k < s->near.active_count && books; k++) {
    if (k % STEPPER_CHUNK == 0) entry = &s->books.entries[k];
    book_partings(s, k, next);
    if (s->books.left[k] == LEFT_ALL) book_point(s, k, entry++, dt);
    else if (s->books.left[k] == LEFT_CHATTER) stepper_chatter_count(s, s->near.active[k]);
  }
  return sum;
}

// Each point while its entry is at hand.
static contact_losses book_few(stepper *s, double dt, int *next) {
  contact_losses sum = {0};
  stepper_point_entry *entry = s->books.entries;
  for (int k = 0; k < s->near.active_count; k++) {
    close_ahead(s, k, dt, entry);
    sum.loss += entry->loss, sum.slack += entry->slack;
    if (!s->shown.trying) book_partings(s, k, next), book_point(s, k, entry, dt);
  }
  return sum;
}

static void book_contacts(stepper *s, double dt) {
  int chunks = (s->near.active_count + STEPPER_CHUNK - 1) / STEPPER_CHUNK, next = 0;
  contact_losses sum = chunks > 1 ? book_many(s, dt, chunks, &next) : book_few(s, dt, &next);
  if (!s->shown.trying) book_partings(s, s->near.active_count, &next);
  if (sum.loss < -sum.slack && sum.loss < -rounding_of_losses(s))
    contact_trouble_gain(&s->trouble, -sum.loss, s->t + dt);
}

// The work of a force that is the same throughout the step is the force times the way ½ (u_A + u_E) Δt.
static void book_forces(stepper *s, double dt, const double *u_end) {
  double powers[POWER_COUNT], before[POWER_COUNT];
  memcpy(before, s->x->powers, sizeof before);  // at u_A, unless forces are those of the midpoint, or implicit
  if (s->implicit) flexible_add_damping(s->m, s->x, s->settings.modal_theta, s->u_R, u_end);
  if (s->settings.midpoint || s->implicit) dynamics_force_powers(s->m, s->x, s->u_R, before);
  dynamics_force_powers(s->m, s->x, u_end, powers);
  for (int i = 0; i < POWER_COUNT; i++) s->books.accounts[i] += 0.5 * dt * (before[i] + powers[i]);
}

// Means over the step of what acts on each speed: accelerations, and all rows as forces.
static void push_means(stepper *s, const double *u_end, double dt) {
  const mechanism *m = s->m;
  motion *x = s->x;
  for (int i = 0; i < x->row_total; i++) s->problem.P[i] /= dt;
  constraint_push(m, x, s->problem.P, x->row_total);
  for (int i = 0; i < x->row_total; i++) s->problem.P[i] *= dt;
  stepper_mean_accelerations(s, u_end, dt, x->udot);
}

static void book_drives(stepper *s, double dt, const double *u_end) {
  push_means(s, u_end, dt);
  dynamics_drive_efforts(s->m, s->x, NULL);
  for (int i = 0; i < s->m->nv; i++) s->displacement[i] = 0.5 * dt * (s->u_R[i] + u_end[i]);
  s->books.accounts[POWER_DRIVE] += dynamics_drive_power_at(s->m, s->x, s->displacement);
}

void stepper_book(stepper *s, double dt, bool solved, const double *u_end) {
  const mechanism *m = s->m;
  motion *x = s->x;
  if (s->has_powers) book_forces(s, dt, u_end);
  if (solved) {
    for (int i = 0; i < m->row_count; i++) {
      if (s->shown.moves[i])
        s->books.accounts[POWER_DRIVE] +=
            0.5 * (s->problem.rate_before[i] + s->problem.rate_after[i]) * s->problem.P[i];
      x->lambda[i] = s->even.P_mean[i] / dt;
    }
    if (m->row_count) {
      response_share(m, x, x->lambda);
      memcpy(s->shown.lambda, x->lambda, (size_t)m->row_count * sizeof *s->shown.lambda);
    }
    if (m->friction_count)
      stepper_friction_book(&s->friction, m, x, s->problem.P, s->even.P_mean, s->problem.rate_before,
                            s->problem.rate_free, s->problem.rate_after, dt, s->impacts);
  }
  if (s->near.active_count || s->impacts->open_count) book_contacts(s, dt);
  if (m->drive_count) book_drives(s, dt, u_end);
}
