// Constraints: closed joints, distances, couplings of coordinates. Each fills its rows (see mechanism.h).
#ifndef MECHANICS_CONSTRAINT_H
#define MECHANICS_CONSTRAINT_H

#include "carom/define.h"
#include "mechanics/mechanism.h"

extern const constraint_type constraint_closure;   // scalar conditions between two markers: joints, in-line, in-plane
extern const constraint_type constraint_distance;  // |p_b - p_a| = f(t)
extern const constraint_type constraint_couple;    // Σ factor q = f(t): gears, racks, drives of loop joints

// A kind of constraint as a model file names it.
typedef struct constraint_kind {
  const char *name;
  const constraint_type *type;
  const joint_row *rows_spatial, *rows_planar;  // of a closure
  int row_count_spatial, row_count_planar;      // 0: there is no such constraint in this space
  const struct option_table *table;             // over carom_constraint_def
  // What is wrong with its numbers, to follow its name, and the key that says so. Returns false if nothing is. NULL if
  // nothing can be.
  bool (*fault)(const carom_constraint_def *d, const char **key, char *text, size_t size);
  // Of a couple: how many coordinates it has, the name of one of them, and its factor; NULL if it is between markers.
  int (*term_count)(const carom_constraint_def *d);
  const char *(*term)(const carom_constraint_def *d, int i, double *factor);
} constraint_kind;
const constraint_kind *constraint_kinds(int *count);

// How many terms each row of a constraint has.
int constraint_body_terms(const mechanism *m, const constraint *c);
int constraint_speed_terms(const mechanism *m, const constraint *c);
// The nodes and speeds of each term, which never change.
void constraint_bind(const mechanism *m, motion *x, const constraint *c);

// What counts as a large violation of row k of a constraint, in its unit: one radian, or the typical length of the
// mechanism.
double constraint_row_size(const mechanism *m, const constraint *c, int k);
// The unit of its multiplier: of force where the condition is a length, of torque where it is an angle; "" in a
// relation of lengths and angles, whose factors may have any unit.
const char *constraint_multiplier_unit(const mechanism *m, const constraint *c, int k);

void constraints_evaluate(const mechanism *m, motion *x);
// Largest |Φ| and |Φ̇| over all rows.
double constraints_violation(const mechanism *m, const motion *x);
double constraints_excess(const mechanism *m, const motion *x);  // largest |Φ| beyond its rounding
double constraints_velocity_violation(const mechanism *m, const motion *x);
double constraint_row_rate(const mechanism *m, const motion *x, const row *r);          // Φ̇
double constraint_row_acceleration(const mechanism *m, const motion *x, const row *r);  // Φ̈ with links[].A, udot
double constraint_row_rounding(const mechanism *m, const motion *x,
                               const row *r);  // the rounding error of Φ̈, from the size of its terms
// Adds the wrenches of multipliers of the first `row_count` rows: Gᵀ λ.
void constraint_push(const mechanism *m, motion *x, const double *lambda, int row_count);

#endif
