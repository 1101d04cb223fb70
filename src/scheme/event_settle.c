// What happens at an instant: impacts, the modes after them, and the end of ever smaller hops.
#include <math.h>

#include "base/error.h"
#include "mechanics/constraint.h"
#include "mechanics/rows.h"
#include "scheme/event_internal.h"

static void find_places(event *s) {
  event_set(s, s->w.t, s->w.y);
  (void)event_renew_places(s);
  event_observe(s);
}

void event_observe_state(event *s) {
  event_set(s, s->w.t, s->w.y);
  event_observe(s);
}

bool event_touches(const event *s, const event_point *c) {
  return !c->absent && !c->guards && (event_is_closed(c) || c->gap <= s->w.nearness);
}

static bool is_struck(const event *s) {
  for
    EACH_POINT(p, &s->w)
  if (event_touches(s, &s->point[p]) && s->point[p].rate[0] < -s->still) return true;
  return false;
}

bool event_is_struck(event *s) {
  find_places(s);
  return is_struck(s);
}

// --- accumulation of impacts -----------------------------------------------------------------------------------------

static bool is_closed_or_hops(const event *s, const event_point *c) {
  return event_is_closed(c) ||
         (!c->absent && !c->guards && c->gap <= s->w.nearness && c->rate[0] > 0 && c->restitution[0] < 1);
}

// Slips that end at once stop now, by the impulse that friction would give until then. After an impact nearly every
// contact of a heap has one.
static bool stop_small_slips(event *s) {
  bool any = false;
  for
    EACH_PART(k, s) {
      event_point *c = event_part(s, k);
      any |= event_turns_stop(s, c);
      if (c->slip_end == SLIP_GOES_ON) continue;
      c->slip_end = SLIP_MAY_END;
      if (c->mode != MODE_SLIP || c->rows < 3 || c->stood || !event_rubs(c)) continue;
      double speed = event_slip_speed(c), power = 0;
      for (int i = 1; i < c->rows; i++)
        power -= constraint_row_acceleration(s->w.m, s->w.x, &s->w.x->rows[c->row + i]) * c->rate[i];
      if (!event_slip_ends(s, c, speed, power / speed)) continue;
      c->mode = MODE_STICK, c->slip_end = SLIP_ENDS;
      any = true;
    }
  return any;
}

// Slips that were to end and cannot, since drives move these points against others that stand, go on. A drive that
// reverses takes them to zero by itself, a little later. Says whether there is one.
static bool let_slips_go_on(event *s) {
  bool any = false;
  for
    EACH_POINT(p, &s->w) {
      event_point *c = &s->point[p];
      any |= event_turns_let_go_on(c);
      if (c->slip_end != SLIP_ENDS) continue;
      if (c->mode == MODE_STICK) c->mode = MODE_SLIP;
      c->slip_end = SLIP_GOES_ON;
      any = true;
    }
  return any;
}

// A point that left with γ against an acceleration g is back after 2γ/g, then after e times that, and so on: the rest
// of its impacts takes 2γ/(g(1 - e)) and lifts it by at most γ²/2g. Where that is within the tolerance the point counts
// as closed from now on. The forces that hold it give the same impulse as the impacts would, so that what friction
// does along the surface is the same too, but for its distribution over that short time.
static bool hold_small_hops(event *s) {
  bool any = false;
  double lowest = 8 * s->w.nearness;
  for
    EACH_PART(k, s) {
      event_point *c = event_part(s, k);
      if (event_is_closed(c)) continue;
      double g = -constraint_row_acceleration(s->w.m, s->w.x, &s->w.x->rows[c->row]), v = c->rate[0];
      if (!(g > 0)) continue;
      double height = v * v / (2 * g), duration = 2 * v / (g * (1 - c->restitution[0]));
      if (height > lowest && !(v <= s->options.accumulation)) continue;
      event_close(s, c, 1);
      s->closed_count++;
      c->held_until = s->w.t + duration;
      s->w.trouble.accumulations++;
      s->w.trouble.accumulation_error = fmax(s->w.trouble.accumulation_error, height + c->friction * v * duration);
      any = true;
    }
  return any;
}

static bool is_closed(const event *s, const event_point *c) { return (void)s, event_is_closed(c); }

typedef struct small_motions {
  bool slips, hops;
} small_motions;

// Ends slips, and after an impact hops, that are too small to tell.
static small_motions end_small_motions(event *s, bool struck) {
  small_motions found = {0};
  event_take(s, struck ? is_closed_or_hops : is_closed);
  for
    EACH_PART(k, s) {
      const event_point *c = event_part(s, k);
      found.slips |= (c->mode == MODE_SLIP && c->rows == 3) || c->turn_count > 0;
    }
  found.hops = s->part_count > s->closed_count;
  if (!(found.slips || found.hops) || !event_accelerate(s)) return (small_motions){0};
  found = (small_motions){stop_small_slips(s), hold_small_hops(s)};
  rows_clear(s->w.m, s->w.x);
  return found;
}

// In a heap a point that begins to slip is held with those that stop: its share of their percussions would move it,
// friction would stop it again, and that would move the others in turn.
static void hold_beginning_slips(event *s) {
  for
    EACH_POINT(p, &s->w) {
      event_point *c = &s->point[p];
      if (c->mode == MODE_SLIP && c->stood && event_rubs(c)) c->mode = MODE_STICK;
    }
}

// Stopping these may press other touching points together, at speeds as small. These points are closed as well: as
// separate impacts they would start the same hops again, without end.
static carom_status arrest(event *s, carom_error *error) {
  if (s->relaxes) hold_beginning_slips(s);
  for (int turn = 0; turn <= s->w.contacts->point_count; turn++) {
    event_set(s, s->w.t, s->w.y);
    event_take_closed(s);
    if (!event_arrest(s, HOLD_STICKING, true))
      return error_set(error, CAROM_ERROR_SINGULAR, "contacts at rest at t = %g s cannot be held", s->w.t);
    if ((!event_rows_stand(s, s->still) || event_arrest_is_singular(s)) && let_slips_go_on(s)) continue;
    event_respond(s, false);
    event_observe_state(s);
    bool closes = false;
    for
      EACH_POINT(p, &s->w) {
        event_point *c = &s->point[p];
        if (event_is_closed(c) || !event_touches(s, c) || !(c->rate[0] < -s->still)) continue;
        event_close(s, c, 1);
        s->closed_count++;
        closes = true;
      }
    if (!closes) break;
  }
  if (is_struck(s) && !s->repeat.any) s->w.trouble.unsettled++;  // closed points still approach
  return CAROM_OK;
}

// --- an instant ------------------------------------------------------------------------------------------------------

// The impacts of an instant, one after the other until none is left. Says whether there were any.
static carom_status strike_all(event *s, bool *struck, carom_error *error) {
  enum { TURNS = 20 };
  carom_status status = CAROM_OK;
  double change = INFINITY;  // a rate that no percussion changes is an error of a row that repeats others
  for (int turn = 0; turn < TURNS && is_struck(s) && change > s->still && status == CAROM_OK; turn++) {
    *struck = true;
    status = event_strike(s, &change, error);
    event_observe_state(s);
  }
  if (status == CAROM_OK && is_struck(s) && change > s->still) s->w.trouble.unsettled++;
  return status;
}

static carom_status settle(event *s, const event_instant *instant, carom_error *error) {
  enum { TURNS = 8 };
  bool struck = false;
  if (instant->kind == EVENT_LIFT)
    s->point[instant->point].has_lifted = true, s->point[instant->point].lifted_at = s->w.t;
  for
    EACH_POINT(p, &s->w) {
      s->point[p].slip_end = SLIP_MAY_END;
      for
        EACH_TURN(t, &s->point[p]) t->slip_end = SLIP_MAY_END;
    }
  event_observe_state(s);
  carom_status status = strike_all(s, &struck, error);
  if (status == CAROM_OK) status = event_decide(s, instant, error);
  small_motions ended = {.slips = true};
  for (int turn = 0; turn < TURNS && status == CAROM_OK && ended.slips;
       turn++) {  // stopping one may leave another that is small
    ended = end_small_motions(s, struck);
    if (!ended.slips && !ended.hops) break;
    status = arrest(s, error);
    if (status == CAROM_OK) status = event_decide(s, instant, error);
  }
  for
    EACH_POINT(p, &s->w)
  if (status == CAROM_OK && s->point[p].mode == MODE_OPEN) s->point[p].held_until = 0, impact_separate(s->w.impacts, p);
  return status;
}

// An impact at the same instant, of a hop too low to be located, changes the forces of points that stick: whether one
// of them still breaks loose is found after it.
static bool changes_with_impact(const event_instant *instant) {
  return instant->kind == EVENT_BREAK || instant->kind == EVENT_LOOSEN;
}

// In a heap taking off the slip of points that counted as standing may change slow slips of others by more than they
// are: these go on in the direction that they have now.
static void follow_projected(event *s) {
  event_observe_state(s);
  for
    EACH_POINT(p, &s->w) {
      event_point *c = &s->point[p];
      if (c->mode != MODE_SLIP || c->rows < 3 || c->stood || !event_rubs(c) || c->fade.creeps) continue;
      if (event_slip_speed(c) > s->still) event_set_way(c, c->rate + 1);
    }
}

// In the end the state goes back onto what is held in the new modes, without the slip of points that counted as
// standing.
carom_status event_settle(event *s, const event_instant *instant, carom_error *error) {
  find_places(s);
  carom_status status = CAROM_OK;
  if (is_struck(s)) status = settle(s, changes_with_impact(instant) ? &NO_EVENT : instant, error);
  else if (!event_holds_on(s, instant) && !event_finds_another_share(s, instant, error))
    status = settle(s, instant, error);
  if (status == CAROM_OK && !event_project(s, s->w.t, s->w.y, HOLD_ONSET)) s->projection_failures++;
  if (status == CAROM_OK && s->relaxes) follow_projected(s);
  return status;
}
