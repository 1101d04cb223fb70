#include "ledger/impact.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"

#define X(name, unit, help) #name,
const char *const impact_columns[IMPACT_COLUMN_COUNT] = {IMPACT_COLUMN_LIST(X)};
const char *const episode_columns[EPISODE_COLUMN_COUNT] = {EPISODE_COLUMN_LIST(X)};
#undef X
#define X(name, unit, help) unit,
const char *const impact_units[IMPACT_COLUMN_COUNT] = {IMPACT_COLUMN_LIST(X)};
const char *const episode_units[EPISODE_COLUMN_COUNT] = {EPISODE_COLUMN_LIST(X)};
#undef X
const char *const impact_name_columns[IMPACT_NAME_COLUMNS] = {"pair_name", "point_name"};
const char *const regime_columns[REGIME_COLUMN_COUNT] = {"pair", "regime", "start", "end"};
const char *const regime_units[REGIME_COLUMN_COUNT] = {"1", "1", "s", "s"};

// --- slots -----------------------------------------------------------------------------------------------------------

static bool grow(void *array, int count, size_t size) {
  void *grown = realloc(*(void **)array, (size_t)count * size);
  if (grown) *(void **)array = grown;
  return grown != NULL;
}

static bool reserve_pairs(impact_ledger *l, int pairs) {
  if (pairs <= l->pair_count) return true;
  if (!grow(&l->pairs, pairs, sizeof *l->pairs) || !grow(&l->touching, pairs, sizeof *l->touching) ||
      !grow(&l->parted, pairs, sizeof *l->parted))
    return false;
  for (int i = l->pair_count; i < pairs; i++) l->pairs[i] = (impact_pair){.row.pair = -1}, l->touching[i] = 0;
  l->pair_count = pairs;
  return true;
}

bool impact_reserve(impact_ledger *l, int slots, int pairs) {
  if (!reserve_pairs(l, pairs)) return false;
  if (slots <= l->slot_count) return true;
  if (!grow(&l->open, slots, sizeof *l->open) || !grow(&l->is_open, slots, sizeof *l->is_open) ||
      !grow(&l->touches, slots, sizeof *l->touches) || !grow(&l->strikes, slots, sizeof *l->strikes) ||
      !grow(&l->place, slots, sizeof *l->place))
    return false;
  for (int p = l->slot_count; p < slots; p++)
    l->open[p] = (impact){0}, l->touches[p] = l->is_open[p] = l->strikes[p] = false,
    l->place[p] = (impact_place){.id = p};
  l->slot_count = slots;
  return true;
}

void impact_free(impact_ledger *l) {
  free(l->open), free(l->touches), free(l->is_open), free(l->strikes), free(l->place);
  free(l->pairs), free(l->touching), free(l->parted);
  *l = (impact_ledger){0};
}

void impact_assign(impact_ledger *l, int slot, impact_place place) {
  impact_pair *pair = &l->pairs[place.pair_slot];
  l->place[slot] = place;
  if (!place.permanent)
    l->open[slot] = (impact){0}, l->strikes[slot] = false;  // what the slot held before is of another pair
  if (place.permanent && pair->row.pair == place.pair) return;
  *pair = (impact_pair){.row.pair = place.pair, .since = place.permanent ? NAN : INFINITY};
}

void impact_count_touching(impact_ledger *l) {
  l->open_count = 0;
  for (int i = 0; i < l->pair_count; i++) l->touching[i] = 0;
  for (int p = 0; p < l->slot_count; p++)
    if (l->touches[p]) l->open_count++, l->touching[l->place[p].pair_slot]++;
  for (int i = 0; i < l->pair_count; i++) l->pairs[i].is_open = l->touching[i] > 0, l->pairs[i].has_parted = false;
  l->parted_count = 0;
}

// --- regimes ---------------------------------------------------------------------------------------------------------

static void enter_regime(impact_ledger *l, impact_pair *pair, double regime, double t) {
  if (pair->regime == regime) return;
  double since = isnan(pair->since) ? l->started : pair->since;
  if (l->close_regime && t > since) l->close_regime(l->context, &(regime_row){pair->row.pair, pair->regime, since, t});
  pair->regime = regime, pair->since = t;
}

// The step that was booked last is known by now.
static void end_interval(impact_ledger *l, impact_pair *pair) {
  if (pair->duration > 0)
    enter_regime(l, pair, pair->slides ? REGIME_SLIDE : REGIME_STICK, pair->until - pair->duration);
  pair->duration = 0;
}

// --- episodes --------------------------------------------------------------------------------------------------------

static void begin_episode(impact_ledger *l, impact_pair *pair, double t) {
  l->episodes++;
  *pair = (impact_pair){.row = {.pair = pair->row.pair, .start = t, .end = t},
                        .is_open = true,
                        .until = t,
                        .regime = pair->regime,
                        .since = pair->since,
                        .crept = pair->crept};
}

static void end_episode(impact_ledger *l, impact_pair *pair) {
  if (!pair->is_open) return;
  end_interval(l, pair);
  enter_regime(l, pair, REGIME_APART, pair->row.end);
  pair->is_open = false;
  if (l->close_episode) l->close_episode(l->context, &pair->row);
}

// A pair creeps as far as the point that slides farthest while all stick. A stretch of sticking counts once it is
// longer than settling, then as a whole. What is no slip under any method is rounding.
static void count_creep(impact_ledger *l, impact_pair *pair, const impact_step *s) {
  if (pair->slides) pair->creep_stretch = 0;
  if (pair->slides || !(s->creep_least > 0) || impact_sticks(s->slip, l->still)) return;
  double more = s->slip * (s->t_end - s->t_start) - pair->creep_step, before = pair->creep_stretch;
  if (!(more > 0)) return;
  pair->creep_step += more, pair->creep_stretch += more;
  if (pair->creep_stretch <= s->creep_least) return;
  pair->crept += before > s->creep_least ? more : pair->creep_stretch;
  if (pair->crept > l->creep.distance) l->creep = (impact_creep){pair->crept, pair->row.pair, s->still};
}

// A pair slides in a step in which one of its points does; the steps of its points end together.
static void count_time(impact_ledger *l, impact_pair *pair, const impact_step *s) {
  double duration = s->t_end - s->t_start;
  bool slides = !impact_sticks(s->slip, s->still);
  if (!(duration > 0)) return;
  double *sticks = &pair->row.stick_time, *slips = &pair->row.slip_time;
  if (s->t_end > pair->until) {
    end_interval(l, pair);
    pair->until = s->t_end, pair->slides = slides, pair->creep_step = 0;
  } else if (slides && !pair->slides) {
    *sticks -= pair->duration, *slips += pair->duration;
    pair->slides = true;
  }
  if (duration > pair->duration) {
    *(pair->slides ? slips : sticks) += duration - pair->duration;
    pair->duration = duration;
  }
  count_creep(l, pair, s);
}

static void add_to_episode(impact_ledger *l, impact_pair *pair, const impact_step *s, double deepest, double peak) {
  episode_row *row = &pair->row;
  row->end = s->t_end;
  row->deepest = number_larger(row->deepest, deepest);
  row->peak_force = number_larger(row->peak_force, peak);
  row->impulse_normal += s->impulse_normal;
  row->impulse_tangential += s->impulse_tangential;
  row->loss_normal += s->loss_normal;
  row->loss_tangential += s->loss_tangential;
  count_time(l, pair, s);
}

void impact_end_step(impact_ledger *l) {
  for (int i = 0; i < l->parted_count; i++) {
    impact_pair *pair = &l->pairs[l->parted[i]];
    pair->has_parted = false;
    if (l->touching[l->parted[i]] == 0) end_episode(l, pair);
  }
  l->parted_count = 0;
}

void impact_close_regime(impact_ledger *l, int pair_slot, double t) {
  const impact_pair *pair = &l->pairs[pair_slot];
  double since = isnan(pair->since) ? l->started : pair->since;
  if (l->close_regime && t > since) l->close_regime(l->context, &(regime_row){pair->row.pair, pair->regime, since, t});
}

// --- points ----------------------------------------------------------------------------------------------------------

static bool approaches(const impact_ledger *l, const impact_step *s) { return !(-s->speed_before <= l->still); }

static void begin_touch(impact_ledger *l, int point, double t) {
  int slot = l->place[point].pair_slot;
  l->touches[point] = true;
  l->open_count++;
  l->touching[slot]++;
  if (!l->pairs[slot].is_open) begin_episode(l, &l->pairs[slot], t);
}

static void begin(impact_ledger *l, int point, const impact_step *s) {
  l->is_open[point] = true;
  l->open[point] = (impact){.point = l->place[point].id,
                            .start = s->t_start,
                            .penetration = number_larger(0, -s->gap),
                            .penetration_bound = s->bound,
                            .approach_speed = number_larger(0, -s->speed_before),
                            .restitution = s->restitution};
  l->strikes[point] = s->arrives || approaches(l, s);
  l->impacts += l->strikes[point], l->pairs[l->place[point].pair_slot].row.impacts += l->strikes[point];
  if (!s->given && !l->place[point].turns)
    l->worst_penetration = number_larger(l->worst_penetration, l->open[point].penetration);
}

// What concerns the point and its pair alone.
static inline void add_step(impact_ledger *l, int point, const impact_step *s) {
  impact *i = &l->open[point];
  double duration = s->t_end - s->t_start;
  i->end = s->t_end;
  i->deepest = number_larger(i->deepest, number_larger(-s->gap, s->deepest));
  double peak = s->peak_force > 0 || !(duration > 0) ? s->peak_force : s->impulse_normal / duration;
  i->peak_force = number_larger(i->peak_force, peak);
  i->impulse_normal += s->impulse_normal;
  i->impulse_tangential += s->impulse_tangential;
  i->separation_speed = s->speed_after;
  i->loss_normal += s->loss_normal;
  i->loss_tangential += s->loss_tangential;
  *(impact_sticks(s->slip, s->still) ? &i->stick_time : &i->slip_time) += duration;
  add_to_episode(l, &l->pairs[l->place[point].pair_slot], s, i->deepest, peak);
}

static inline void add_to_sums(const impact_ledger *l, int point, const impact_step *s, impact_sums *to) {
  to->loss_normal += s->loss_normal;
  to->loss_tangential += s->loss_tangential;
  if (!l->place[point].turns) to->deepest = number_larger(to->deepest, l->open[point].deepest);
}

void impact_add(impact_ledger *l, const impact_sums *sums) {
  l->loss_normal += sums->loss_normal;
  l->loss_tangential += sums->loss_tangential;
  l->deepest = number_larger(l->deepest, sums->deepest);
}

void impact_touch(impact_ledger *l, int point, const impact_step *s) {
  if (!l->touches[point]) begin_touch(l, point, s->t_start);
  if (!l->is_open[point]) begin(l, point, s);
  impact_sums sums = {0};
  add_step(l, point, s);
  add_to_sums(l, point, s, &sums);
  impact_add(l, &sums);
}

bool impact_goes_on(impact_ledger *l, int point, const impact_step *s, impact_sums *sums) {
  if (!l->touches[point] || !l->is_open[point] || l->close_regime || s->creep_least > 0) return false;
  add_step(l, point, s);
  add_to_sums(l, point, s, sums);
  return true;
}

void impact_release(impact_ledger *l, int point) {
  if (!l->is_open[point]) return;
  impact *i = &l->open[point];
  l->is_open[point] = false;
  // Without an approach there is no restitution to measure, and a point that still approaches at the end has not
  // separated.
  bool rebounds = i->approach_speed > l->still && i->separation_speed > 0;
  i->restitution_achieved = rebounds ? i->separation_speed / i->approach_speed : 0;
  if (l->strikes[point] && l->close) l->close(l->context, i);
}

void impact_separate(impact_ledger *l, int point) {
  if (!l->touches[point]) return;
  int slot = l->place[point].pair_slot;
  impact_release(l, point);
  l->touches[point] = false;
  l->open_count--;
  if (--l->touching[slot] > 0 || l->pairs[slot].has_parted) return;
  l->pairs[slot].has_parted = true;
  l->parted[l->parted_count++] = slot;
}
