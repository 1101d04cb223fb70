// Planar kinematics of one node, in values that the caller keeps or stores.
#ifndef MECHANICS_PLANAR_H
#define MECHANICS_PLANAR_H

#include "mechanics/block.h"
#include "mechanics/mechanism.h"

// A revolute joint in the plane, the commonest joint, relative to its parent. With ρ from the parent's origin to the
// joint and o from the child's origin to it
//   r = ρ - o,   S = ±(1, -1× o),   v - v_p = ω_p × ρ - ω × o,   c = -ω_p² ρ + ω² o,
// the same whichever marker is on the parent, but for the sign of the angle. Most bodies have their origin in the joint
// that carries them: o = 0. A plain one has neither this nor turned markers; compiled for itself it is a tenth shorter.
typedef struct hinge {
  double c, s;          // the direction of the child
  double w;             // its angular velocity
  double rx, ry;        // from the parent's origin to its own
  double vx, vy;        // its velocity less the parent's
  double cx, cy;        // its acceleration relative to the parent that no u̇ stands for
  double sign, Sx, Sy;  // the joint's column
} hinge;

// At the angle of `turn`, for a parent with direction (cp, sp) and angular velocity wp.
BLOCK hinge hinge_at(const bool plain, const node *n, circle turn, double u, double cp, double sp, double wp) {
  double sign = !plain && n->reversed ? -1 : 1, cq = turn.c, sq = sign * turn.s;
  double rho_x = cp * n->inner.p.x - sp * n->inner.p.y, rho_y = sp * n->inner.p.x + cp * n->inner.p.y;
  if (!plain && n->inner_turned) {
    double ci = n->inner.R.m[0], si = n->inner.R.m[3], turned = cp * ci - sp * si;
    sp = sp * ci + cp * si, cp = turned;
  }
  double c = cp * cq - sp * sq, s = sp * cq + cp * sq;
  if (!plain && n->outer_turned) {
    double co = n->outer.R.m[0], so = n->outer.R.m[3], turned = c * co + s * so;
    s = s * co - c * so, c = turned;
  }
  hinge h = {.c = c,
             .s = s,
             .w = wp + sign * u,
             .rx = rho_x,
             .ry = rho_y,
             .vx = -wp * rho_y,
             .vy = wp * rho_x,
             .cx = -wp * wp * rho_x,
             .cy = -wp * wp * rho_y,
             .sign = sign,
             .Sx = 0,
             .Sy = 0};
  if (!plain && n->outer_moved) {
    double w = h.w, ox = c * n->outer.p.x - s * n->outer.p.y, oy = s * n->outer.p.x + c * n->outer.p.y;
    h.rx -= ox, h.ry -= oy;
    h.vx += w * oy, h.vy -= w * ox;
    h.cx += w * w * ox, h.cy += w * w * oy;
    h.Sx = sign * oy, h.Sy = -sign * ox;
  }
  return h;
}

// The mass times the vector from a body's origin to its mass centre.
BLOCK void planar_moment(const node *n, double c, double s, double *mx, double *my) {
  *mx = c * n->moment.x - s * n->moment.y;
  *my = s * n->moment.x + c * n->moment.y;
}

#endif
