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

// Open episodes, in arrays by the slots of the points, and totals over all.
typedef struct impact_ledger {
  impact *open;
  bool *is_open;
  bool *turns;                             // its gap is an angle, no length
  double *id;                              // what its rows have as `point`
  int slot_count, open_count;
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

// Has at least so many slots. Returns false if memory runs out.
bool impact_reserve(impact_ledger *l, int slots);
void impact_free(impact_ledger *l);
// A slot is that of another point from here on. Its episodes are closed.
void impact_assign(impact_ledger *l, int slot, double id, bool turns);

void impact_touch(impact_ledger *l, int slot, const impact_step *step);
void impact_separate(impact_ledger *l, int slot);  // the point does not touch in this step

#endif
