// What mechanics offers to a scheme, whatever the coordinates.
#ifndef MECHANICS_DYNAMICS_H
#define MECHANICS_DYNAMICS_H

#include "mechanics/mechanism.h"

// Sets the state. Driven coordinates take what their drives say at t.
void dynamics_set(const mechanism *m, motion *x, double t, const double *q, const double *u);
// Each brings the motion to a level, doing what is missing. Returns false if it is singular there, see
// dynamics_explain.
bool dynamics_positions_velocities(const mechanism *m, motion *x);
bool dynamics_accelerations(const mechanism *m, motion *x);
// The accelerations of a state at the time and the coordinates of the last call of dynamics_accelerations, with other
// speeds or inner states: what it has factorised is kept. Nothing else may have been asked of the motion since.
bool dynamics_accelerations_again(const mechanism *m, motion *x);
// Efforts of drives, from the accelerations x->udot, the multipliers and all that pushes. A caller that has it passes
// the result of tree_inverse, one per speed; `effort` may be null.
void dynamics_drive_efforts(const mechanism *m, motion *x, const double *effort);
// With these efforts: the power of drive i at a rate of its coordinate, and of all drives in the tree at speeds u.
static inline double dynamics_drive_power(const motion *x, int i, double rate) { return x->drive_effort[i] * rate; }
double dynamics_drive_power_at(const mechanism *m, const motion *x, const double *u);
// Both: the efforts, and the power of all drives and moving constraints at the motion's own speeds, added to x->powers.
void dynamics_book_drives(const mechanism *m, motion *x, const double *effort);
// Fills x->result from the accelerations x->udot, the multipliers, the drive efforts and all that pushes, at the
// positions and velocities that the motion has now.
void dynamics_results(const mechanism *m, motion *x);
// Kinetic energy and that of gravity at the present state, which is then known to the level of reactions. Potentials of
// springs come from dynamics_apply_forces.
void dynamics_energies(const mechanism *m, motion *x);
// What follows from the state alone: poses, velocities, coordinates of joints, potentials, energies.
void dynamics_show_state(const mechanism *m, motion *x);
// Everything at the present instant: accelerations, results, energies. Returns false if it is singular there.
bool dynamics_instant(const mechanism *m, motion *x);

void dynamics_rates(const mechanism *m, const double *q, const double *u, double *qdot);  // q' = N(q) u
void dynamics_move(const mechanism *m, double *q, const double *delta);                   // q ⊕ Δ
void dynamics_move_shared(const mechanism *m, const motion *x, double *q,
                          const double *delta);          // the same by the threads of the motion
void dynamics_normalize(const mechanism *m, double *q);  // unit quaternions

// Moves the positions back onto the constraints (least kinetic distance), then the velocities. Returns true if the
// largest |Φ| ends below the tolerance.
bool dynamics_project_positions(const mechanism *m, motion *x, double tolerance, int max_iterations);
bool dynamics_project_velocities(const mechanism *m, motion *x);
// Both, and across a singular position where the motion passes one (crossing.h). The motion has its new coordinates and
// speeds, and is not evaluated there.
bool dynamics_project(const mechanism *m, motion *x, double tolerance, int max_iterations);
// Applied forces alone: wrenches, efforts, powers and potentials at the present positions and velocities.
void dynamics_apply_forces(const mechanism *m, motion *x);
// Powers at speeds u of the forces as they were last applied, into `powers`. Overwrites links[].A.
void dynamics_force_powers(const mechanism *m, motion *x, const double *u, double powers[POWER_COUNT]);
// out = Gᵀ mu over the first `row_count` rows, those of the constraints first. Positions must be known.
void dynamics_transposed_rows(const mechanism *m, motion *x, const double *mu, int row_count, double *out);

// One Gauss–Newton step towards Φ = 0, as a displacement along the speeds, valid until the next call. Returns NULL if
// it is singular there.
const double *dynamics_position_step(const mechanism *m, motion *x);

// Rank of the constraint rows at the present position: rows that depend on others are redundant. -1: out of memory.
int dynamics_constraint_rank(const mechanism *m, motion *x);

// A sentence on why the last evaluation failed.
void dynamics_explain(const mechanism *m, const motion *x, char *text, int size);
// The constraint with the largest reactions in the motion's state, by the speeds that they would cause alone: where a
// mechanism locks up, or is close to a singular position, one of those that hold it. Returns null if there are no
// reactions.
const char *dynamics_strongest_constraint(const mechanism *m, motion *x);

// The reaction of a joint: the wrench by which its first body guides the second, at the second marker, in world axes.
// Efforts along the joint (springs, motors, drives, gears) are not part of it, whether the tree has the joint or a
// constraint closes it. Valid after tree_inverse; signals show what dynamics_results has kept of it.
void dynamics_reaction(const mechanism *m, const motion *x, int joint, vec3 *force, vec3 *torque);

#endif
