// The statics of a sim: forces at rest, the rows that hold it, and how both change with positions, speeds and states.
// Everything is dense, for mechanisms of at most STATICS_MOST freedoms.
//
// With displacements δ along the free speeds, the forces F = Q + Aᵀ r of what acts (Q) and of the rows (A, with
// multipliers r) are in balance where F = 0 and the rates of the states of the model are zero.
#ifndef STUDY_STATICS_H
#define STUDY_STATICS_H

#include "sim.h"
#include "solve/blocks.h"
#include "solve/solver.h"

enum { STATICS_MOST = 1000 };

// A contact point that takes part.
typedef struct static_contact {
  const contact_element *e;
  int slot, row, size;  // of the point, its first row, and how many it has
  double law_force;     // of a point whose normal force a law gives [N]; NaN of a rigid one
} static_contact;

typedef struct statics {
  carom_sim *sim;
  const mechanism *m;
  motion *x;
  arena memory;
  carom_error *error;
  int n, *speed;          // free speeds
  double *scale;          // of each: a radian, or the size of the model [m]
  int states;             // of the model
  double *q, *z;          // where it is: coordinates, and states of the model
  bool has_law;           // contact forces come from laws
  bool friction;          // some contact or joint rubs
  contact_point *points;  // by slot
  double *normal;         // forces of laws, by slot [N]
  static_contact *contacts;
  int contact_count;
  // At the present place. Rows are those of the constraints, of the contacts, of the frictions of joints.
  int row_count, row_room;
  double *L;          // n x n: M = L Lᵀ
  double *Q, *zdot;   // forces along the free speeds, rates of the states
  double *A, *value;  // row_count x n, and Φ, gaps, zeros
  bool *held;         // a state rests at a limit
  double *step;       // of differences, one per free speed
  double *step_u;     // likewise for speeds
  double *work[2];    // one per speed
  double *u;          // speeds of the motion that it is about, one per speed: zeros in an equilibrium
  bool moves;         // drives and speeds go on as they are; otherwise all is at rest
  // Steps are measured by M and, for a search of equilibria, by the turning of the bodies: then links of a chain turn
  // together, and not one after the other as in free fall.
  bool by_turning;
} statics;

// Along a speed: whether it slides, and the scale of displacements, a radian or the size of the model.
bool statics_speed_slides(const mechanism *m, int speed);
double statics_speed_scale(const mechanism *m, int speed);

// What the statics needs is taken from the sim, whose motion it uses as workspace: positions and, if it `moves`,
// speeds. Returns false after reporting.
bool statics_open(statics *s, carom_sim *sim, bool moves, carom_error *error);
void statics_close(statics *s);

// Forces, mass matrix and rows at (q, z). Contacts take part below the gap `near`. Returns false after reporting.
bool statics_evaluate(statics *s, double near);
// F and the rates of states at another place, with further speeds u along the free speeds (may be null), for the rows
// that were found last. Returns false if the forces do not exist there.
bool statics_forces(statics *s, const double *q, const double *u, const double *z, const double *r, double *F,
                    double *zdot);
double statics_extent(statics *s);  // how far bodies are apart, the size of the largest included [m]
// q ⊕ factor δ
void statics_move(const statics *s, const double *q, const double *delta, double factor, double *to);

// Whether a rigid contact stays closed in small motions: its gap is zero, and its element carries a force, by this
// point or by another (forces of several points are not unique).
bool statics_is_closed(const statics *s, const double *r, int contact);
double statics_state_scale(const statics *s, int state);  // its size, for small changes

bool statics_interrupted(statics *s);  // and says so in the error

// Derivatives of F and of the rates of states, each by rows of n + states: with respect to δ and to the states, and
// with respect to speeds (may be null; its columns of states are zero). Returns false after reporting.
typedef struct statics_slopes {
  double *by_place, *by_speed;  // (n + states)²
} statics_slopes;
bool statics_differentiate(statics *s, const double *r, statics_slopes *to);

// --- the space in which it can move ----------------------------------------------------------------------------------

// Displacements y = Lᵀ δ in which the mass matrix is one; those that rows allow are spanned by `free`, the others by
// `fixed`.
typedef struct statics_space {
  int free_count, fixed_count;
  double *free, *fixed;  // orthonormal rows, n long
  double *stretch;       // squares of the singular values of the scaled rows, one per row of `fixed`
  double *rows;          // the rows as functions of y, scaled to length one; row_count x n
  double *length;        // what they were divided by; 0: nothing can move the row
  bool whole;            // nothing is held: the rows of `free` are those of the unit matrix
} statics_space;
// `held` says which rows beside those of the constraints do not move; may be null.
bool statics_find_space(statics *s, const bool *held, statics_space *to);
static inline double statics_dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}
static inline void statics_add(int n, double factor, const double *row, double *to) {
  for (int k = 0; k < n; k++) to[k] += factor * row[k];
}

// x := L⁻¹ x and x := L⁻ᵀ x
void statics_lower(const statics *s, double *x);
void statics_upper(const statics *s, double *x);

#endif
