// What resists rolling and spinning at a contact: moments of at most a length times the normal force. A turning is
// held, with its rows as those of a point that sticks, or it goes on with the moment -a λ_N d along its direction d,
// which the column of the normal carries, as friction does where a point slips. Both are independent of sliding.
#include <math.h>
#include <string.h>

#include "mechanics/constraint.h"
#include "scheme/event_internal.h"

void event_turns_open(const mechanism *m, const contact_element *e, event_point *c) {
  const double length[EVENT_TURNS] = {e->material.rolling, m->planar ? 0 : e->material.spinning};
  const int row[EVENT_TURNS] = {c->rows, c->rows + 2}, size[EVENT_TURNS] = {m->planar ? 1 : 2, 1};
  c->turn_count = 0;
  c->all_rows = contact_row_count(m, e);
  for (int k = 0; contact_rolls(e) && k < EVENT_TURNS; k++)
    if (length[k] > 0)
      c->turn[c->turn_count++] =
          (event_turn){.row = row[k], .size = size[k], .length = length[k], .way = {1, 0}, .along = {1, 0}};
}

static void turn_fields(event_turn *t, fields *f, const char *const names[7]) {
  fields_flag(f, names[0], &t->held);
  fields_flag(f, names[1], &t->stood);
  fields_finites(f, names[2], 2, t->way);
  fields_finites(f, names[3], 2, t->share);
  fields_choice(f, names[4], 1000, &t->fade.lingers);
  fields_number(f, names[5], &t->fade.lingers_from);
  fields_number(f, names[6], &t->fade.asked_at);
}

// Those that are not resisted are written as well: all pairs of a crowd have the same fields.
void event_turns_fields(event_point *c, fields *f) {
  static const char *const names[EVENT_TURNS][7] = {
      {"turn_held", "turn_stood", "turn_way", "turn_share", "turn_lingers", "turn_lingers_from", "turn_asked_at"},
      {"turn2_held", "turn2_stood", "turn2_way", "turn2_share", "turn2_lingers", "turn2_lingers_from",
       "turn2_asked_at"}};
  for (int k = 0; k < EVENT_TURNS; k++) turn_fields(&c->turn[k], f, names[k]);
}

// --- motion in fixed modes -------------------------------------------------------------------------------------------

static double speed_of(const event_turn *t) { return event_length(t->size, t->rate); }

void event_close(const event *s, event_point *c, double times) {
  c->mode = event_rubs(c) && !(event_slip_speed(c) > times * s->still) ? MODE_STICK : MODE_SLIP;
  if (c->mode == MODE_SLIP && event_rubs(c)) event_set_way(c, c->rate + 1);
  for
    EACH_TURN(t, c) {
      t->held = !(speed_of(t) > times * s->still_turn);
      if (!t->held) event_point_along(t->size, t->rate, t->way, t->along);
    }
}

void event_turns_observe(const event *s, event_point *c) {
  for
    EACH_TURN(t, c)
  for (int k = 0; k < t->size; k++) t->rate[k] = event_is_guided(c, t->row + k) ? 0 : s->rate[c->row + t->row + k];
}

double event_turns_take_forces(const event *s, event_point *c) {
  double power = 0;
  for
    EACH_TURN(t, c)
  for (int k = 0; k < t->size; k++) {
    t->force[k] = s->lambda[c->row + t->row + k];
    if (!t->held) power -= t->force[k] * s->rate[c->row + t->row + k];
  }
  return power;
}

void event_turns_guide(event_point *c) {
  for
    EACH_TURN(t, c)
  for (int k = 0; k < t->size; k++)
    if (event_is_guided(c, t->row + k)) t->rate[k] = 0;
}

void event_turns_recall(const event *s, const event_point *c) {
  for (int k = c->rows; k < c->all_rows; k++) s->lambda[c->row + k] = 0;
  for (int i = 0; i < c->turn_count; i++)
    for (int k = 0; k < c->turn[i].size; k++) s->lambda[c->row + c->turn[i].row + k] = c->turn[i].share[k];
}

double event_turns_yield(const event_point *c, const double *W) {
  double sum = 0;
  for (int i = 0; i < c->turn_count; i++) {
    const event_turn *t = &c->turn[i];
    for (int k = 0; !t->held && k < t->size; k++) sum += t->length * t->along[k] * W[t->row + k];
  }
  return sum;
}

static bool is_guided(const event_point *c, const event_turn *t) {
  return event_is_guided(c, t->row) || (t->size == 2 && event_is_guided(c, t->row + 1));
}

void event_turns_find_ways(const event *s, event_point *c, const double *rate) {
  for
    EACH_TURN(t, c) {
      memcpy(t->along, t->way, sizeof t->along);
      if (t->size == 2 && !is_guided(c, t)) t->turning = event_find_way(s->still_turn, rate + t->row, t->way, t->along);
    }
}

double event_turn_length(const event_point *c, int k) {
  for (int i = 0; i < c->turn_count; i++)
    if (k >= c->turn[i].row && k < c->turn[i].row + c->turn[i].size) return c->turn[i].length;
  return 0;
}

// --- modes -----------------------------------------------------------------------------------------------------------

solve_block event_block(const event *s, const event_point *c, int n, bool moves) {
  if (!c->turn_count) return block_of_contact(n, moves && !c->stood ? 1 : c->rows, c->friction);
  double length[EVENT_TURNS] = {0, 0};
  for (int k = 0; k < c->turn_count; k++)
    length[c->turn[k].row > c->rows] = moves && !c->turn[k].stood ? 0 : c->turn[k].length;
  return block_of_rolling(n, s->w.m->planar, moves && !c->stood ? 0 : c->friction, length[0], length[1]);
}

// Where the reserve of its moment has just run out it begins to turn against the moment, as where a point breaks loose.
static bool gives_way(const event_instant *instant, int p, int k, double reserve, double limit) {
  return instant->kind == EVENT_TURN && ((instant->point == p && instant->turn == k) || reserve <= 1e-8 * limit);
}

// `W`: its own diagonal. `least`: angular accelerations below this are none.
static void read_turn(event_turn *t, const double *r, const double *a, double normal, double W, double least,
                      bool gives_way_now) {
  double moment = event_length(t->size, r), reserve = t->length * normal - moment, start = event_length(t->size, a);
  const double against[2] = {-r[0], t->size == 2 ? -r[1] : 0};
  t->held = t->stood;
  if (!t->stood) return;
  if (moment > 0 && gives_way_now) {
    t->held = false;
    event_point_along(t->size, against, t->way, t->along);
  } else if (start > fmax(least, reserve * W)) {
    t->held = false;
    event_point_along(t->size, a, t->way, t->along);
  }
}

// Angular accelerations compare with those along the normal as the roots of their responses do.
void event_turns_read(event *s, int p, int n, const event_instant *instant, double scale) {
  event_point *c = &s->point[p];
  const double *r = s->problem_r + c->unknown, *a = s->problem_u + c->unknown;
  const double *W = s->problem_W + (long)c->unknown * (n + 1);
  for (int k = 0; k < c->turn_count; k++) {
    event_turn *t = &c->turn[k];
    double own = 0;
    for (int i = 0; i < t->size; i++) own = fmax(own, W[(long)(t->row + i) * (n + 1)]);
    double least = W[0] > 0 ? 1e-9 * scale * sqrt(own / W[0]) : 0, limit = t->length * r[0];
    read_turn(t, r + t->row, a + t->row, r[0], own, least,
              gives_way(instant, p, k, limit - event_length(t->size, r + t->row), limit));
  }
}

void event_turns_share(event_point *c, const double *r) {
  for
    EACH_TURN(t, c)
  for (int k = 0; k < t->size; k++) t->share[k] = c->idles ? 0 : r[t->row + k];
}

// --- turning that dies away ------------------------------------------------------------------------------------------

static bool ends(const event *s, const event_point *c, const event_turn *t, double speed, double deceleration) {
  return event_is_closed(c) && !t->held && t->size == 2 && !is_guided(c, t) && deceleration > 0 &&
         speed * speed <= 2 * s->brief_turn * deceleration;
}

bool event_turns_stop(event *s, event_point *c) {
  bool any = false;
  for
    EACH_TURN(t, c) {
      if (t->slip_end == SLIP_GOES_ON) continue;
      t->slip_end = SLIP_MAY_END;
      if (!event_is_closed(c) || t->held || t->stood || t->size < 2) continue;
      double speed = speed_of(t), power = 0;
      for (int i = 0; i < t->size; i++)
        power -= constraint_row_acceleration(s->w.m, s->w.x, &s->w.x->rows[c->row + t->row + i]) * t->rate[i];
      if (!ends(s, c, t, speed, power / speed)) continue;
      t->held = true, t->slip_end = SLIP_ENDS;
      any = true;
    }
  return any;
}

bool event_turns_let_go_on(event_point *c) {
  bool any = false;
  for
    EACH_TURN(t, c) {
      if (t->slip_end != SLIP_ENDS) continue;
      t->held = false, t->slip_end = SLIP_GOES_ON;
      any = true;
    }
  return any;
}

static bool follow_turn(event *s, int p, event_turn *t, double before, bool may_ask, bool *renew) {
  double speed = speed_of(t);
  bool asks = event_lingers(&t->fade, s->standing * s->still_turn, speed);
  if (!asks && may_ask && s->w.t > s->w.from &&
      ends(s, &s->point[p], t, speed, 0.5 * (before - speed) / (s->w.t - s->w.from)))
    asks = event_may_ask(&t->fade, speed);
  *renew |= event_outruns_jacobian(s, &t->fade, fmax(speed, s->still_turn));
  if (!(speed > s->still_turn)) return asks;
  event_point_along(t->size, t->rate, t->way, t->along);
  s->w.law_changed = true;
  return asks;
}

bool event_turns_follow(event *s, int p, bool may_ask, bool *renew) {
  event_point *c = &s->point[p];
  bool asks = false;
  for (int k = 0; k < c->turn_count; k++) {
    event_turn *t = &c->turn[k];
    if (!event_is_closed(c) || t->held) t->fade.asked_at = 0;
    else if (t->size == 2) asks |= follow_turn(s, p, t, s->w.look[WATCH_START][p].turning[k], may_ask, renew);
  }
  return asks;
}

double event_turn_value(const event_point *c, const event_turn *t) {
  if (t->held) return t->length * c->force[0] - event_length(t->size, t->force);
  return t->rate[0] * t->way[0] + (t->size == 2 ? t->rate[1] * t->way[1] : 0);
}
