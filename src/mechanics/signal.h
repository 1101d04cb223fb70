// Signals: every scalar that can be named. Columns of the record, names in expressions and readings through the API
// are the same list.
#ifndef MECHANICS_SIGNAL_H
#define MECHANICS_SIGNAL_H

#include "mechanics/mechanism.h"

typedef enum signal_kind {
  SIGNAL_TIME,
  SIGNAL_JOINT_Q,
  SIGNAL_JOINT_XYZ,
  SIGNAL_JOINT_U,
  SIGNAL_JOINT_A,
  SIGNAL_BODY_POSITION,
  SIGNAL_BODY_QUATERNION,
  SIGNAL_BODY_VELOCITY,
  SIGNAL_BODY_OMEGA,
  SIGNAL_BODY_ACCELERATION,
  SIGNAL_BODY_ALPHA,
  SIGNAL_MODE,
  SIGNAL_MODE_RATE,
  SIGNAL_MARKER_POSITION,
  SIGNAL_MARKER_VELOCITY,
  SIGNAL_MARKER_ACCELERATION,
  SIGNAL_FORCE,
  SIGNAL_DRIVE_EFFORT,
  SIGNAL_DRIVE_POWER,
  SIGNAL_REACTION_FORCE,
  SIGNAL_REACTION_TORQUE,
  SIGNAL_MULTIPLIER,
  SIGNAL_FRICTION_EFFORT,
  SIGNAL_FRICTION_SLIP,
  SIGNAL_STATE,
  SIGNAL_COMPUTED,
  SIGNAL_CALLED,
  SIGNAL_KINETIC,
  SIGNAL_GRAVITY,
  SIGNAL_SPRING,
  SIGNAL_STRAIN,
} signal_kind;

typedef struct signal {
  const char *name, *unit;
  signal_kind kind;
  int index, component;
  motion_level level;  // what must be known to read it
  bool of_step;        // part of motion.result: where a scheme gives means over a step, this is one
} signal;

static inline bool signal_is_of_joint(const signal *s) {  // of its coordinates or speeds, which may have to be measured
  return s->kind == SIGNAL_JOINT_Q || s->kind == SIGNAL_JOINT_XYZ || s->kind == SIGNAL_JOINT_U;
}

// Lists all signals of a mechanism whose other parts are complete.
void signal_list(mechanism *m, arena *memory);
int signal_find(const mechanism *m, const char *name);  // -1 when there is none
double signal_read(const mechanism *m, const motion *x, int i);
// All of them at once, in order: much cheaper than one by one. Needs reactions.
void signal_read_all(const mechanism *m, const motion *x, double *out);

#endif
