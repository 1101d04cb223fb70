// What the files of scheme `compliant` share.
#ifndef SCHEME_COMPLIANT_INTERNAL_H
#define SCHEME_COMPLIANT_INTERNAL_H

#include "scheme/compliant.h"
#include "scheme/watcher.h"

// A point that has been let go of overlaps still, but its law would pull: it moves out faster than the surfaces
// recover.
typedef enum touch { TOUCH_OPEN, TOUCH_PRESSED, TOUCH_RELEASED } touch;

// What the force of a point depends on. It belongs to the modes of a step (watcher_keep_modes).
typedef struct touch_memory {
  touch mode;
  double approach;  // speed at which it came, for the laws that need it [m/s]
  double elastic;   // the least that energy it has stored allows for that [m/s]
  double mobility;  // how fast a unit impulse along the normal parts it; 0: not needed [1/kg], of a turn [1/(kg m²)]
} touch_memory;

typedef struct touch_point {
  const contact_element *e;
  bool elastic;    // loses nothing normal to the surface
  double release;  // its approach is at least this times what the stored energy would give, 0: no such bound [-]
  bool lasts;      // it is no impact any more, but follows the surface
  bool releases;   // its law may want to pull, and is not let
  touch_memory *now;
  double turn;           // angular velocity at which what resists turning has its full size, 0: nothing does [rad/s]
  double creep_least;    // see impact_step [m]
  double through;        // deeper than this it has gone through [m]
  double turns;          // when the force its law says was found to change its sign, infinite: not [s]
  int undecided;         // how often that happened at one instant, where a force only just touches zero
  bool entered, parted;  // with the last change of modes
  double first_step;     // the step that suited when it last entered, 0: not known [s]
  double free_step;      // likewise when it last parted [s]
  int inner;             // the first of its inner states, -1: none
  int inner_count;
} touch_point;

// What a contact does to the first body, at the contact point.
typedef struct touch_load {
  vec3 force, moment;  // of surfaces that touch with an area
  double twist[3];     // against turning, see contact_twist
} touch_load;

enum { UNDECIDED_MOST = 4 };  // then the mode it has is kept for a step

enum { LOOK_START, LOOK_MIDDLE, LOOK_END, LOOK_COUNT };

typedef struct compliant {
  watcher w;
  carom_compliant_def options;
  bool approach_by_energy;  // no least speed of approach was given: it is at least what the stored elastic energy would
                            // give
  touch_point *point;
  touch_memory *now;  // of each point
  touch_load *load;   // likewise
  double shorter;     // the longest the next step may be, 0: no matter [s]
} compliant;

static inline bool touch_is_area(const touch_point *c) { return c->e->type->overlap != NULL; }

static inline bool entry_is_gated(const compliant *s) {  // an open point does not push before its entry was seen
  return s->options.entry == CAROM_LOCATE || s->options.entry == CAROM_RESTART;
}

// Forces at the motion's present state, into w.seen; and the same with the forces pushed on the bodies.
bool compliant_look(watcher *w);
void compliant_push(void *scheme, const mechanism *m, motion *x);
// The normal force at a gap and a rate. Returns false if the point does not push.
bool compliant_press(const compliant *s, int p, watch_look *at);
// Whether the law of a point counts now. The force it gives may still be zero.
bool compliant_acts(const compliant *s, const touch_point *c, double delta);
// Where a point is pressed in further than by its approach, the speed that goes with it. A function of the penetration,
// so that the force does not jump.
double compliant_approach(const touch_point *c, const watch_look *at, double delta);
// The force of a friction law with bristles, and how fast they bend.
void compliant_bend(compliant *s, const touch_point *c, watch_look *seen, const contact_point *p);
// Moments against rolling and spinning by the normal force that is seen.
void compliant_resist_turning(compliant *s, const touch_point *c, watch_look *seen, const contact_point *p,
                              touch_load *load);
// The look at surfaces that touch with an area, and their load.
void compliant_see_area(compliant *s, int p);
void compliant_push_area(const compliant *s, int p, const mechanism *m, motion *x);
// The energy stored at a penetration.
double compliant_energy(const touch_point *c, const watch_look *at, double delta);
// What the energy stored at a penetration allows as speed of approach at least.
double compliant_elastic_speed(const touch_point *c, const watch_look *at, double delta);
// The law of a point at an instant. `own` is memory for one whose stiffness follows from the curvatures at that
// instant.
const normal_law *compliant_law(const touch_point *c, const watch_look *at, normal_law *own);
// The mobility of a point in the state the motion holds.
double compliant_mobility(compliant *s, int p);

// The force as a point's law says; at the surface, where it may vanish with the penetration, that just inside.
double compliant_tendency(const compliant *s, int p, const watch_look *at);

// For the watcher, see watcher_type. A point has two functions of time: its gap, and the force its law says.
enum { FUNCTION_GAP, FUNCTION_FORCE, FUNCTION_COUNT };
double compliant_value(const watcher *w, int function, const watch_look *at);
double compliant_find(watcher *w, int function, int k);
bool compliant_is_unchanged(watcher *w);
bool compliant_touches(const watcher *w, int p);
void compliant_describe(watcher *w, int p, impact_step *step);

#endif
