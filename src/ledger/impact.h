// The ledger of contacts, in two levels. An impact: a point that closes with a positive approach speed, until it parts.
// An episode: a pair, from the first touch of any of its points until the last one has parted; of a pair that only
// rests or is preloaded it has no impact. On request regimes: while a pair sticks, slides or is apart. Data and update
// rules, no files.
#ifndef LEDGER_IMPACT_H
#define LEDGER_IMPACT_H

#include "base/fetch.h"
#include <stdbool.h>

// name, unit, what it is
#define IMPACT_COLUMN_LIST(X)                                                                \
  X(point, "1", "which contact point")                                                       \
  X(start, "s", "first touch")                                                               \
  X(end, "s", "separation, or the end of the run")                                           \
  X(penetration, "m", "at detection")                                                        \
  X(penetration_bound, "m", "that it was to stay below; 0 where the scheme has none")        \
  X(deepest, "m", "largest penetration")                                                     \
  X(peak_force, "N", "largest normal force, of a time-stepping scheme the mean over a step") \
  X(impulse_normal, "N*s", "")                                                               \
  X(impulse_tangential, "N*s", "magnitude, summed over steps")                               \
  X(approach_speed, "m/s", "at first touch")                                                 \
  X(separation_speed, "m/s", "at the end")                                                   \
  X(restitution, "1", "prescribed")                                                          \
  X(restitution_achieved, "1", "separation over approach speed; 0 without one of them")      \
  X(loss_normal, "J", "energy lost normal to the surface")                                   \
  X(loss_tangential, "J", "energy lost along it")                                            \
  X(stick_time, "s", "")                                                                     \
  X(slip_time, "s", "")

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

// Columns of text behind them, where rows are written for the eye: pair and point by name. Rows of pairs have the first
// one alone.
enum { IMPACT_NAME_COLUMNS = 2 };
extern const char *const impact_name_columns[IMPACT_NAME_COLUMNS];

#define EPISODE_COLUMN_LIST(X)                                      \
  X(pair, "1", "which pair: the number of its first contact point") \
  X(start, "s", "first touch of any point")                         \
  X(end, "s", "last touch of any point, or the end of the run")     \
  X(impacts, "1", "impacts that began in it")                       \
  X(deepest, "m", "largest penetration of a point")                 \
  X(peak_force, "N", "largest normal force of a point")             \
  X(impulse_normal, "N*s", "sum over points")                       \
  X(impulse_tangential, "N*s", "sum over points of magnitudes")     \
  X(loss_normal, "J", "energy lost normal to the surface")          \
  X(loss_tangential, "J", "energy lost along it")                   \
  X(stick_time, "s", "no pressed point slides")                     \
  X(slip_time, "s", "a pressed point slides")

typedef struct episode_row {
#define X(name, unit, help) double name;
  EPISODE_COLUMN_LIST(X)
#undef X
} episode_row;

enum {
#define X(name, unit, help) EPISODE_COLUMN_##name,
  EPISODE_COLUMN_LIST(X)
#undef X
      EPISODE_COLUMN_COUNT
};
extern const char *const episode_columns[EPISODE_COLUMN_COUNT], *const episode_units[EPISODE_COLUMN_COUNT];

// While the regime of a pair lasts.
enum { REGIME_APART, REGIME_STICK, REGIME_SLIDE };
typedef struct regime_row {
  double pair, regime, start, end;
} regime_row;
enum { REGIME_COLUMN_COUNT = 4 };
extern const char *const regime_columns[REGIME_COLUMN_COUNT], *const regime_units[REGIME_COLUMN_COUNT];

// What a step says of one touching point.
typedef struct impact_step {
  double t_start, t_end;
  double gap;                        // at detection
  bool given;                        // it was there when the run began, and no step met it
  double bound;                      // largest penetration that was allowed; 0 if there was no bound
  double deepest;                    // penetration within the step, where it is known better than by the gap
  double peak_force;                 // likewise the largest normal force; 0: the impulse over the step is all there is
  double speed_before, speed_after;  // gap's rate
  double impulse_normal, impulse_tangential;  // the second is a magnitude; both negative where they are taken back
  double loss_normal, loss_tangential;
  double restitution;  // prescribed
  double slip, still;  // speed along the surface, and the speed below which that is sticking
  double creep_least;  // friction holds it by sliding; less than this in one stretch of sticking is settling [m]. 0: it
                       // does not creep
  bool arrives;        // the point was apart before this step, whatever its rate is now
} impact_step;

// What is known of a pair, all numbers so that a checkpoint holds them by one loop.
typedef struct impact_pair {
  episode_row row;             // of the episode that is open, or of the last one
  double is_open, has_parted;  // the second: it is in the list of those that parted in the step under way
  double until, duration,
      slides;            // the step that was booked last: its end, how long a point was pressed, whether one slides
  double regime, since;  // before that step; NaN: since the run began, infinite: not known
  double creep_step, creep_stretch;  // how far it crept in that step, and since it sticks [m]
  double crept;                      // in all stretches that were long enough [m]
} impact_pair;
enum { IMPACT_PAIR_NUMBERS = sizeof(impact_pair) / sizeof(double) };

// The pair that crept most: how far, and the speed below which it counts as sticking.
typedef struct impact_creep {
  double distance, pair, still;
} impact_creep;

// Which point a slot belongs to.
typedef struct impact_place {
  double id;    // what its rows have as `point`
  double pair;  // what the rows of its pair have as `pair`
  int pair_slot;
  bool turns;      // its gap is an angle, no length
  bool permanent;  // its pair has its slot for good
} impact_place;

// Points that touch and open episodes, in arrays by the slots of points and pairs, and totals over all.
typedef struct impact_ledger {
  impact *open;
  bool *touches;  // the point has closed and not parted yet
  bool *is_open;  // it is pressed, or stands there without force: its row goes on
  bool *strikes;  // it closed with an approach: its row is an impact
  impact_place *place;
  int slot_count, open_count;
  impact_pair *pairs;
  int *touching;              // how many points of a pair touch
  int *parted, parted_count;  // pairs whose last point has parted in the step under way
  int pair_count;
  long episodes, impacts;               // begun
  double started;                       // when the run began [s]
  double still;                         // an approach up to this speed is none, by rounding [m/s]
  double loss_normal, loss_tangential;  // [J]
  double worst_penetration;             // at detection [m]
  double deepest;                       // [m]
  impact_creep creep;
  // Called with each row that is complete; may be null.
  void (*close)(void *context, const impact *row);
  void (*close_episode)(void *context, const episode_row *row);
  void (*close_regime)(void *context, const regime_row *row);
  void *context;
} impact_ledger;

// Whether a point sticks that slides at a speed, where a speed counts as none. The same for every scheme.
static inline bool impact_sticks(double slip, double still) { return slip <= still; }

// Has at least so many slots of points and pairs. Returns false if memory runs out.
bool impact_reserve(impact_ledger *l, int slots, int pairs);
void impact_free(impact_ledger *l);
// A slot is that of a point from here on. Of a permanent pair what is known is kept; another begins anew, its rows must
// be closed.
void impact_assign(impact_ledger *l, int slot, impact_place place);

// A point is to be booked soon.
static inline void impact_fetch(const impact_ledger *l, int slot) {
  FETCH(l->open[slot]), FETCH(l->pairs[l->place[slot].pair_slot]);
}
// A point is pressed in this step. It touches from here on, also in steps without force, until it separates.
void impact_touch(impact_ledger *l, int slot, const impact_step *step);
// Totals over points.
typedef struct impact_sums {
  double loss_normal, loss_tangential, deepest;
} impact_sums;
// The same for a point that is the only one of its pair. Returns false, and does nothing, if more than what is known of
// the point and its pair would change: it begins to touch, or rows of other tables may end. Totals are added to `sums`;
// threads may book different points at once.
bool impact_goes_on(impact_ledger *l, int slot, const impact_step *step, impact_sums *sums);
void impact_add(impact_ledger *l, const impact_sums *sums);
void impact_release(impact_ledger *l, int slot);   // it is not pressed, and moves: its row ends
void impact_separate(impact_ledger *l, int slot);  // it does not touch any longer
// A step is over: closes the episodes of pairs whose points have all parted in it, and not touched again at the same
// instant.
void impact_end_step(impact_ledger *l);
// The run ends: closes the last regime of a pair, whose episodes are closed.
void impact_close_regime(impact_ledger *l, int pair_slot, double t);
// After a load, once all flags are known: counts the points that touch. A pair is in an episode while one of its points
// does.
void impact_count_touching(impact_ledger *l);

#endif
