// The impact ledger: one row per contact episode, from first touch to separation. Data and update rules, no files.
#ifndef LEDGER_IMPACT_H
#define LEDGER_IMPACT_H

#include <stdbool.h>

// name, unit, what it is
#define IMPACT_COLUMN_LIST(X)                                                                    \
  X(point,                "1",     "which contact point")                                        \
  X(start,                "s",     "first touch")                                                \
  X(end,                  "s",     "separation, or the end of the run")                          \
  X(penetration,          "m",     "at detection")                                               \
  X(penetration_bound,    "m",     "that it was to stay below; 0 where the scheme has none")     \
  X(deepest,              "m",     "largest penetration")                                        \
  X(peak_force,           "N",     "largest normal force, of a time-stepping scheme the mean over a step") \
  X(impulse_normal,       "N*s",   "")                                                           \
  X(impulse_tangential,   "N*s",   "magnitude, summed over steps")                               \
  X(approach_speed,       "m/s",   "at first touch")                                             \
  X(separation_speed,     "m/s",   "at the end")                                                 \
  X(restitution,          "1",     "prescribed")                                                 \
  X(restitution_achieved, "1",     "separation over approach speed")                             \
  X(loss_normal,          "J",     "energy lost normal to the surface")                          \
  X(loss_tangential,      "J",     "energy lost along it")                                       \
  X(stick_time,           "s",     "")                                                           \
  X(slip_time,            "s",     "")

typedef struct impact {
#define X(name, unit, help) double name;
  IMPACT_COLUMN_LIST(X)
#undef X
} impact;

enum {
#define X(name, unit, help) IMPACT_COLUMN_##name,
  IMPACT_COLUMN_LIST(X)
#undef X
      IMPACT_COLUMN_COUNT
};
extern const char *const impact_columns[IMPACT_COLUMN_COUNT], *const impact_units[IMPACT_COLUMN_COUNT];

// Columns of text behind them, where rows are written for the eye: pair and point by name.
enum { IMPACT_NAME_COLUMNS = 2 };
extern const char *const impact_name_columns[IMPACT_NAME_COLUMNS];

// What a step says of one touching point.
typedef struct impact_step {
  double t_start, t_end;
  double gap;                              // at detection
  bool given;                              // it was there when the run began, and no step met it
  double bound;                            // largest penetration that was allowed; 0 if there was no bound
  double deepest;                          // penetration within the step, where it is known better than by the gap
  double peak_force;                       // likewise the largest normal force; 0: the impulse over the step is all there is
  double speed_before, speed_after;        // gap's rate
  double impulse_normal, impulse_tangential;  // the second is a magnitude; both negative where they are taken back
  double loss_normal, loss_tangential;
  double restitution;                      // prescribed
  double slip, still;                      // speed along the surface, and the speed below which that is sticking
} impact_step;

// Open episodes, one per point, and totals over all.
typedef struct impact_ledger {
  impact *open;
  bool *is_open;
  int point_count, open_count;
  const bool *turns;                       // one per point: its gap is an angle, no length
  long episodes;                           // begun
  double loss_normal, loss_tangential;     // [J]
  double worst_penetration;                // at detection [m]
  double deepest;                          // [m]
  // Called with each episode that ended; may be null.
  void (*close)(void *context, const impact *row);
  void *context;
} impact_ledger;

// Whether a point sticks that slides at a speed, where a speed counts as none. The same for every scheme.
static inline bool impact_sticks(double slip, double still) { return slip <= still; }

void impact_touch(impact_ledger *l, int point, const impact_step *step);
void impact_separate(impact_ledger *l, int point);   // the point does not touch in this step
void impact_close_all(impact_ledger *l);         // the run ends

#endif
