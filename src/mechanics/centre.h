// Free bodies about their mass centres. The coordinates of a free body are those of its joint's marker, which may be
// anywhere on the body. With the mass centre at c = R c° from the marker, R and v the marker's axes and velocity, the
// mass centre has
//   the velocity v + ω × c   and the acceleration v̇ + ω̇ × c + ω × (ω × c).
// Momentum belongs to the mass centre: a step that keeps it while the body turns moves the mass centre straight, and
// changes v. Bodies that carry others are left out: their momentum is not that of their own mass centre. So are those
// that constraints join to ground: their momentum does not stay, and a body that turns about a joint at its origin does
// so exactly in its own coordinates.
#ifndef MECHANICS_CENTRE_H
#define MECHANICS_CENTRE_H

#include "mechanics/mechanism.h"

// Finds these bodies: node.alone, node.off_centre, mechanism.off_centre. Constraints must be known.
void centre_mark(mechanism *m, arena *memory);
// joint_move of such a body: the displacement of its mass centre is that of Δ, however far it turns.
void centre_move(const mechanism *m, const node *n, double *q, const double *delta);
// u at q becomes the speeds at q' at which mass centres have the same velocities.
void centre_carry(const mechanism *m, const double *q, const double *q_moved, double *u);
// rates += factor · ω × (ω × c) at (q, u). Added to u̇ it gives rates of v from which the turning of c is left out.
void centre_add_centripetal(const mechanism *m, const double *q, const double *u, double factor, double *rates);

#endif
