// The core of schemes that integrate smooth motion and watch the contacts on it (event, compliant). A step is one of
// the integrator's, or what of it comes before the first change: the step is looked at in a few places of the dense
// output, the first change between two looks is located, the step is truncated there and booked, the scheme does what
// belongs to the change, and the integrator starts again.
//
// A scheme embeds a watcher as its first member and brings a watcher_type: its functions of time, and what to do at a
// change.
#ifndef SCHEME_WATCHER_H
#define SCHEME_WATCHER_H

#include <math.h>

#include "base/arena.h"
#include "integrate/root.h"
#include "scheme/flow.h"

// What can be seen of a contact point at one instant, or of a dry friction in a joint, which has no gap.
typedef struct watch_look {
  double gap, rate;         // and how fast it changes [m], [m/s]
  double formula, normal;   // the normal force as a law says, and as it acts; of a joint the limit of its friction [N]
  double slip[2], drag[2];  // sliding velocity, and the friction force on the first body [m/s], [N]
  double loss[2];           // power lost normal to and along the surface [W]
  double resistance;        // against sinking in while it slips, over that without friction [-]
  double turning[2];        // of rolling and spinning: what is left of the largest moment, or the speed [N·m], [rad/s]
  double stiffness;         // of a law that takes it from the curvatures where the surfaces touch
  bool beyond;              // these were zero or infinite
  double stored;            // energy of surfaces that touch with an area [J]
  bool absent;              // it stands for no place of contact
  double within;            // how far it is within the features it is held to; infinite: no matter [m]
} watch_look;

// Of a sliding velocity or a friction force. Most are zero, where hypot() takes long.
static inline double watch_length(const double v[2]) { return v[0] != 0 || v[1] != 0 ? hypot(v[0], v[1]) : 0; }

// What is the same for an entry in every step.
typedef struct watch_entry {
  const contact_element *e;  // NULL for the friction of a joint, which has no row in the ledger
  double still;              // see contact_still [m/s]
} watch_entry;

enum { WATCH_START, WATCH_LOOKS = 5 };

// Memory of the scheme that is part of its modes, and what it held in the last step. `array` is where the scheme keeps
// the address of one with an item per entry, which grows with them; else null.
typedef struct watch_modes {
  void *now, *during;
  size_t size;
  void **array;
  size_t item;
} watch_modes;
enum { WATCH_MODES = 5 };

typedef struct watcher watcher;

// Functions of time are numbered: those of entry p are p * functions, p * functions + 1, ... Each is positive while its
// mode lasts.
typedef struct watcher_type {
  size_t size;         // of its struct
  const char *memory;  // what there is no memory for, in a message
  // Lays out its own memory, describes its entries and says how to integrate (w->flow). The motion holds the start.
  // False after reporting.
  bool (*prepare)(watcher *w, const scheme_setup *setup, carom_error *error);
  void (*enlarge)(watcher *w);  // its arrays by entry and by row, as large as contacts and motion say (watcher_larger)
  void (*open)(watcher *w, int p);        // describes a point of which nothing is known, apart
  bool (*acts_unseen)(const watcher *w);  // a point pushes before the watch has seen it touch; may be null: never
  void (*destroy)(void *scheme);          // null is legal
  void (*place)(watcher *w);  // finds places of contact, before the look at the start of a step; may be null
  int looks;                  // at a step, both ends included: 3 or 5
  int functions;              // of each entry
  bool looks_in_rhs;          // the right-hand side leaves its look in w->seen
  bool penetrates;  // surfaces that touch overlap: the deepest penetration and the largest force are looked for between
                    // looks too
  const char *what;  // of contacts changes, for a message
  // Looks at the state that the motion holds, into w->seen. Returns false if it cannot be evaluated.
  bool (*look)(watcher *w);
  // Whether the looks at both ends show that nothing has changed and nothing is to be booked that needs others; may be
  // null.
  bool (*is_unchanged)(watcher *w);
  // Whether forces change so little from the start of a step to its end that the books need no look between; may be
  // null: they do.
  bool (*is_even)(const watcher *w);
  double (*value)(const watcher *w, int function, const watch_look *at);
  // When, between look k and the next, a function ends its mode; infinite: not there, or after w->first; NaN: the
  // motion cannot be evaluated.
  double (*find)(watcher *w, int function, int k);
  double (*limit)(const watcher *w, double t_stop);        // how far the next step may go [s]
  bool (*touches)(const watcher *w, int p);                // it is booked in this step
  void (*describe)(watcher *w, int p, impact_step *step);  // adds to what is booked of it; may be null
  void (*list)(const watcher *w, int p, const watch_look *at, scheme_contact *c);  // adds to what is shown of it
  void (*show)(watcher *w);  // completes the motion for what reads it; may be null
  carom_status (*begin)(watcher *w,
                        carom_error *error);  // before the integrator's step; may ask for a restart; may be null
  void (*restarted)(watcher *w);              // may be null
  // After a step that ended at w->t, by a change of function w->changed or (-1) without. Says whether looks are no
  // longer the same.
  carom_status (*end)(watcher *w, bool *changed, carom_error *error);
  void (*explain)(const watcher *w, carom_error *error);  // adds to the error of the integrator; may be null
} watcher_type;

struct watcher {
  arena memory;
  const watcher_type *type;
  const mechanism *m;
  motion *x;
  contact_state *contacts;
  impact_ledger *impacts;
  interrupt *stop;
  flow *core;
  flow_settings flow;
  int n;           // of the state
  int slots;       // of contact points
  int count;       // of entries: slots of points, then frictions of joints
  double horizon;  // of a crowd: pairs that may meet in this time are live [s]
  watch_entry *entry;
  double nearness;     // gaps closer to zero than this cannot be told from it [m]
  double t, t_before;  // the last step, as far as it was taken
  double from, limit;  // the integrator's last step began and was to end here at the latest [s]
  double *y, *y_look;
  contact_point *points;          // as last evaluated
  watch_look *seen;               // likewise
  double seen_at;                 // when that was, for an evaluation within the integrator's last step; else NaN [s]
  watch_look *look[WATCH_LOOKS];  // at places of the last step, the first at its start; with `at` their times
  double at[WATCH_LOOKS];
  watch_modes modes[WATCH_MODES];
  int modes_count;
  int changed;   // the function that ended the last step, -1: none
  double first;  // when the first change is that was found so far, infinite: none [s]
  scheme_contact *shown;
  bool restart;      // the integrator's state is no longer the scheme's
  bool law_changed;  // the right-hand side has changed a little since the last step
  bool look_again;   // what is watched has changed since the last look
  bool in_the_past;  // the motion shows a time within the last step, with the modes it had there
  long looks;        // evaluations beside the integrator's
  long steps;        // taken
  contact_trouble trouble;
};

// for EACH_POINT(p, w): the contact points, by slot, in the order of their elements.
#define EACH_POINT(p, w)                                                                                           \
  (int p##_index = 0, p; p##_index < (w)->contacts->point_count && ((p = (w)->contacts->points[p##_index]), true); \
   p##_index++)

// The entry of the first friction of a joint.
static inline int watcher_first_joint(const watcher *w) { return w->slots; }

// for EACH_ENTRY(p, w): the contact points likewise, then the frictions of joints.
#define EACH_ENTRY(p, w)                                                                                         \
  (int p##_index = 0, p;                                                                                         \
   p##_index < (w)->contacts->point_count + (w)->m->friction_count && ((p = watcher_entry(w, p##_index)), true); \
   p##_index++)
static inline int watcher_entry(const watcher *w, int i) {
  int points = w->contacts->point_count;
  return i < points ? w->contacts->points[i] : w->slots + i - points;
}
// Points of permanent elements have the first slots.
static inline int watcher_permanent(const watcher *w) { return w->contacts->world->point_count; }

// Null after reporting.
void *watcher_create(const watcher_type *type, const scheme_setup *setup, const scheme_start *start,
                     carom_error *error);
void watcher_destroy(watcher *w);

// For `prepare`: memory of the scheme that belongs to its modes. What is within a step is shown in the modes of the
// step, not in those that a change at its end has brought.
void watcher_keep_modes(watcher *w, void *memory, size_t size);
void watcher_keep_modes_of_entries(watcher *w, void *array,
                                   size_t item);  // `array`: the address of the scheme's pointer
// The look at the start of the step to come, in the present modes.
bool watcher_look_at_start(watcher *w);
// The looks between those at both ends of a step, for the books: estimated, with a look at the middle unless forces are
// even. Returns false if it cannot be evaluated.
bool watcher_fill_between(watcher *w);
// The motion at a time within the integrator's last step, seen.
bool watcher_see_at(watcher *w, double t);

// --- watcher_pairs.c: pairs of a crowd -------------------------------------------------------------------------------

// A larger copy of an array by entry, for `enlarge`.
void *watcher_larger(watcher *w, const void *items, size_t size);
// The pairs that are near at the start, before anything is allocated. Positions and velocities must be known.
carom_status watcher_meet_first(watcher *w, carom_error *error);
void watcher_find_pairs(watcher *w);  // from now on they come and go
// Before a step: pairs that may meet in it become live, and those that are far away end. The looks at the start are
// complete.
carom_status watcher_meet(watcher *w, double t_stop, carom_error *error);
// After a step of the integrator, with the motion at its end: pairs that it has brought near become live too. Says
// whether there are any, and whether one of them touches.
carom_status watcher_meet_on_the_way(watcher *w, double duration, bool *any, bool *touches, carom_error *error);

// --- watcher_book.c --------------------------------------------------------------------------------------------------

// Books the last step as far as it was taken, by its looks. `lost`: what the accounts lost in it, normal to surfaces
// and along them.
void watcher_book(watcher *w, const double lost[2]);

// --- for `find` ------------------------------------------------------------------------------------------------------

// Where a function, shifted, that is positive at `from` and not at `to`, has its zero. It is `enough` if it is above
// minus that.
double watcher_find_zero(watcher *w, int function, double shift, double from, double fa, double to, double fb,
                         double enough);
// Between two looks.
typedef struct watch_span {
  double from, to;
  const watch_look *a, *b;
} watch_span;
watch_span watcher_span(const watcher *w, int p, int k);  // between look k and the next
// A gap as a function of time, or with the sign -1 a penetration, shifted. Its rate is known, so that few looks find
// its zero.
typedef struct watch_gap {
  int p;
  double sign, shift;
  double enough;  // it is one if it is above minus this [m]
} watch_gap;
root_end watcher_gap_end(const watch_gap *g, double t, const watch_look *at);
// Where it has its zero between two times, positive at the first and not at the second.
double watcher_find_gap(watcher *w, const watch_gap *g, root_end from, root_end to);
// The same where it closes at the start and opens at the end; infinite: it stays above zero. The rate of its least is
// found to a share `precision` of that at the start.
double watcher_find_graze(watcher *w, const watch_gap *g, const watch_span *d, double precision);

// --- for a scheme_type -----------------------------------------------------------------------------------------------

carom_status watcher_step(void *scheme, double t_stop, carom_error *error);
bool watcher_result(void *scheme, carom_error *error);
carom_status watcher_show(void *scheme, double t, carom_error *error);
void watcher_show_end(void *scheme);
double watcher_time(const void *scheme);
const double *watcher_state(const void *scheme);
const double *watcher_accounts(const void *scheme);
bool watcher_resumes_exactly(const void *scheme);
double watcher_next_step(const void *scheme);
const scheme_contact *watcher_contacts(const void *scheme);
scheme_stats watcher_stats(const void *scheme);
void watcher_memory(watcher *w, fields *f);               // the scheme adds its own
void watcher_point_memory(watcher *w, int p, fields *f);  // likewise, of a point whose pair is not permanent
void watcher_pairs_changed(void *scheme);
carom_status watcher_restored(void *scheme, carom_error *error);
void watcher_list(watcher *w, const watch_look *at);  // what is shown of the contact points

#define WATCHER_FUNCTIONS                                                                                   \
  .knows_contact = true, .energy = {.warn = 1e-3, .bad = 1e-3, .tolerances = 1e4}, .show = watcher_show,    \
  .show_end = watcher_show_end, .time = watcher_time, .state = watcher_state, .accounts = watcher_accounts, \
  .next_step = watcher_next_step, .contacts = watcher_contacts, .restored = watcher_restored,               \
  .pairs_changed = watcher_pairs_changed

#endif
