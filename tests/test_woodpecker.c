// The woodpecker toy: stick, slip, impacts and free fall by turns, on a limit cycle.
#include "rows.h"

typedef struct cycle {
  double period, drop;
} cycle;

// The beak strikes once a turn. Turns from the third strike on: the start is off the cycle, and each turn takes away
// all but a twentieth of the distance to it.
static bool find_cycle(const char *settings, cycle *c) {
  enum { FIRST = 3 };
  const double end = 1.5;
  run r;
  static rows list;
  if (!rows_open(&r, "woodpecker", settings, &list)) return false;
  double first = 0, last = 0, top = 0, bottom = 0;
  int strikes = 0, seen = 0;
  while (carom_sim_time(r.sim) < end && run_to(&r, fmin(end, carom_sim_time(r.sim) + 1e-3))) {
    for (; seen < list.count; seen++) {
      const impact *row = &list.row[seen];
      if (row->point > 0 || row->start - last < 0.05)
        continue;  // the beak's point is the first; after a strike it may bounce
      last = row->start, bottom = run_read(&r, "fall.q"), strikes++;
      if (strikes == FIRST) first = last, top = bottom;
    }
  }
  run_close(&r);
  if (!CHECK_LE(FIRST + 3, strikes)) return false;
  *c = (cycle){(last - first) / (strikes - FIRST), (top - bottom) / (strikes - FIRST)};
  return true;
}

// Moreau's step finds each strike and each touch of the sleeve up to Δt off, so its cycle approaches that of located
// events with order one: five times shorter steps, five times closer. Half an order is left for which way the roundings
// fall.
static void time_stepping_approaches_the_located_cycle(void) {
  cycle event, coarse, fine;
  if (!find_cycle("method=event", &event) || !find_cycle("dt=1e-4", &coarse) || !find_cycle("dt=2e-5", &fine)) return;
  double far = fabs(coarse.period - event.period), near = fabs(fine.period - event.period);
  CHECK_NEAR(log(far / near) / log(5), 1, 0.5);
  far = fabs(coarse.drop - event.drop), near = fabs(fine.drop - event.drop);
  CHECK_NEAR(log(far / near) / log(5), 1, 0.5);
}

// With slip all the way through a blow the tangential impulse is μ times the normal one and Newton's law holds; here
// the beak's slip turns round in it, so that ever stiffer contact tends to another impulse, and no law of impact stands
// between.
static void slip_that_turns_round_within_a_blow_is_seen_by_force_laws_only(void) {
  double impulse[3];
  const char *settings[] = {"method=event", "method=compliant", "method=compliant materials.beak.stiffness=1e10"};
  for (int i = 0; i < 3; i++) {
    run r;
    static rows list;
    if (!rows_open(&r, "woodpecker", settings[i], &list)) return;
    run_to(&r, 0.0836);  // just after the first strike
    const impact *strike = NULL;
    for (int k = 0; k < list.count; k++)
      if (list.row[k].point == 0) strike = &list.row[k];
    impulse[i] = strike ? strike->impulse_normal : NAN;
    run_close(&r);
  }
  // A hundred times stiffer, 100^(2/5) = 6.3 times shorter: what gravity and the spring add in that time shrinks as
  // much.
  CHECK_NEAR(impulse[2] / impulse[1], 1, 0.005);
  CHECK_LE(1.5, impulse[0] / impulse[2]);
}

int main(void) {
  RUN(time_stepping_approaches_the_located_cycle);
  RUN(slip_that_turns_round_within_a_blow_is_seen_by_force_laws_only);
  return check_summary();
}
