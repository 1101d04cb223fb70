// Assembly: from given values and rough guesses to positions and velocities that satisfy every constraint.
#ifndef MECHANICS_ASSEMBLE_H
#define MECHANICS_ASSEMBLE_H

#include "mechanics/mechanism.h"

// The given initial values. Arrays are laid out as motion.joint_q and motion.joint_u.
typedef struct initial_state {
  double *q, *u;
  bool *q_given, *u_given;
  // Given velocities of bodies in the world: angular, then linear; six numbers per body.
  double *body_velocity;
  bool *body_velocity_given;
  // Given displacements, in the same layout, of bodies that only joints with clearance hold: rotation and shift
  // relative to their place in the ideal mechanism.
  double *body_shift;
  bool *body_shift_given;
  // Of flexible bodies: modal coordinates and their rates, in the order of the bodies.
  double *modes, *mode_rates;
} initial_state;

typedef struct assembly_report {
  double violation_before, violation_after;  // largest |Φ|
  double velocity_change;                    // largest change of a given speed
  const char *moved_joint;                   // a joint whose given coordinate was changed, or null
  double moved_from, moved_to;               // of the coordinate that changed most
  int moved_count;                           // number of coordinates that changed
  // What the given speed that changed most belongs to: a joint, or a body and its key (`omega`, `velocity`); or null.
  const char *changed_joint, *changed_body, *changed_key;
  double changed_from, changed_to;
  int changed_count;  // number of given speeds that changed
  int iterations;
  int freedom, rows, redundant;  // degrees of freedom, constraint rows, redundant rows
} assembly_report;

// Fills m->q0 and m->u0. Returns false and sets the fault if it cannot be assembled. In joint coordinates
// only.
//
// `ideal` is the same mechanism with joints that have no clearance, assembled (may be null). What is not given starts
// as there: each journal in the centre of its bearing, moving with it. Bodies that hang freely are then turned,
// shifted and moved as `initial` gives it for each of them.
bool mechanism_assemble(mechanism *m, const initial_state *initial, const mechanism *ideal, arena *memory,
                        assembly_report *report, fault *f);
// The same state for a mechanism with other coordinates, from an assembled one with the same joints.
bool mechanism_adopt(mechanism *m, const mechanism *other, arena *memory, fault *f);
// The state of one motion as the other one's.
void mechanism_carry(const mechanism *m, motion *x, const mechanism *other, motion *from);

#endif
