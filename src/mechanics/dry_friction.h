// Dry friction of ideal joints, along one coordinate each: an effort of at most the limit, which keeps the coordinate
// where it is as long as it can and else opposes its rate,
//   |f| ≤ f_max,   f = -f_max sgn q̇  where q̇ ≠ 0.
// The limit is constant, or follows the load of the joint: with the force F and the torque T by which the first body
// guides the second, a the axis, and two supports at a distance ℓ along it,
//   f_max = f_0 + μ r (|F_1| + |F_2| + |F·a|),   F_1,2 = F_across/2 ± (T × a)/ℓ
// where r is the radius of a pin (1 for a slide, which has no force along its axis), and the torque counts only where ℓ
// is given: without it the one support carries |F_across|.
#ifndef MECHANICS_DRY_FRICTION_H
#define MECHANICS_DRY_FRICTION_H

#include "mechanics/mechanism.h"

// Appends one row per friction, the rate of its coordinate.
void friction_add_rows(const mechanism *m, motion *x);
// f_max at the present reactions. These must be known: multipliers in x->lambda, applied and contact forces in
// links[].F and x->tau, and tree_inverse done.
double friction_limit(const mechanism *m, const motion *x, const joint_friction *f);
// μ r (|F_1| + |F_2| + |F·a|) of a wrench F, T at the joint's second marker, in world axes: of a percussion too.
double friction_of_load(const mechanism *m, const motion *x, const joint_friction *f, vec3 F, vec3 T);
// Whether a friction P (an effort or a percussion) that was found with the limit `tried` fits the limit `found` of its
// load as well, other as that is: it is within both, and the coordinate stands still. Below `tried` it surely does; at
// `tried` it does where contacts hold it too, its rate being nothing against W times `tried`, what friction changed it
// by.
bool friction_fits(double P, double tried, double found, double rate, double W);
// The search for a limit that agrees with the load it brings about: what was tried last and what came of it, and two
// limits around the one that is looked for, of which the lower brought more than itself and the upper less.
typedef struct friction_search {
  double tried, found, low, high;
  int start;  // the turn that it began in, or began anew
} friction_search;
enum { FRICTION_TURNS = 60 };
// A limit brought about a load whose friction is `found`, in turn 0, 1, ... < FRICTION_TURNS. Where both agree to the
// share `agreement`, or the friction fits both, the limit becomes `found`; else the next one to try. Returns whether
// they agree.
bool friction_meets_load(friction_search *search, double *limit, double found, double agreement, bool fits, int turn);
bool friction_depends_on_load(const mechanism *m);

#endif
