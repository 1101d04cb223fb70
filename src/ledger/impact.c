#include "ledger/impact.h"

#include <stdlib.h>

#include "base/number.h"

#define X(name, unit, help) #name,
const char *const impact_columns[IMPACT_COLUMN_COUNT] = {IMPACT_COLUMN_LIST(X)};
#undef X
#define X(name, unit, help) unit,
const char *const impact_units[IMPACT_COLUMN_COUNT] = {IMPACT_COLUMN_LIST(X)};
const char *const impact_name_columns[IMPACT_NAME_COLUMNS] = {"pair_name", "point_name"};
#undef X

// --- slots --------------------------------------------------------------------------------------------------------

static bool grow(void *array, int count, size_t size) {
  void *grown = realloc(*(void **)array, (size_t)count * size);
  if (grown) *(void **)array = grown;
  return grown != NULL;
}

bool impact_reserve(impact_ledger *l, int slots) {
  if (slots <= l->slot_count) return true;
  if (!grow(&l->open, slots, sizeof *l->open) || !grow(&l->is_open, slots, sizeof *l->is_open) ||
      !grow(&l->turns, slots, sizeof *l->turns) || !grow(&l->id, slots, sizeof *l->id))
    return false;
  for (int p = l->slot_count; p < slots; p++) l->open[p] = (impact){0}, l->is_open[p] = l->turns[p] = false, l->id[p] = p;
  l->slot_count = slots;
  return true;
}

void impact_free(impact_ledger *l) {
  free(l->open), free(l->is_open), free(l->turns), free(l->id);
  *l = (impact_ledger){0};
}

void impact_assign(impact_ledger *l, int slot, double id, bool turns) {
  l->id[slot] = id;
  l->turns[slot] = turns;
}

// --- episodes -----------------------------------------------------------------------------------------------------

static void begin(impact_ledger *l, int point, const impact_step *s) {
  l->is_open[point] = true;
  l->open_count++;
  l->episodes++;
  l->open[point] = (impact){.point = l->id[point], .start = s->t_start, .penetration = number_larger(0, -s->gap), .penetration_bound = s->bound,
                            .approach_speed = number_larger(0, -s->speed_before), .restitution = s->restitution};
  if (!s->given && !l->turns[point]) l->worst_penetration = number_larger(l->worst_penetration, l->open[point].penetration);
}

void impact_touch(impact_ledger *l, int point, const impact_step *s) {
  if (!l->is_open[point]) begin(l, point, s);
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
  l->loss_normal += s->loss_normal;
  l->loss_tangential += s->loss_tangential;
  if (!l->turns[point]) l->deepest = number_larger(l->deepest, i->deepest);
}

void impact_separate(impact_ledger *l, int point) {
  if (!l->is_open[point]) return;
  impact *i = &l->open[point];
  l->is_open[point] = false;
  l->open_count--;
  i->restitution_achieved = i->approach_speed > 0 ? i->separation_speed / i->approach_speed : 0;
  if (l->close) l->close(l->context, i);
}
