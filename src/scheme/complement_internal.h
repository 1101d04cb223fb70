// What the files of the core in complement.h share.
#ifndef SCHEME_COMPLEMENT_INTERNAL_H
#define SCHEME_COMPLEMENT_INTERNAL_H

#include "scheme/complement.h"
#include "solve/blocks.h"
#include "solve/problem_dump.h"
#include "solve/solver.h"

enum { COMPLEMENT_STAGES = 4 };
enum { COMPLEMENT_LAST = 10 };  // intervals without force after which a contact is over

// A fixed-step method: its weights, and bᵀA over its sum, which is `reach`. Semi-implicit Euler has one stage, and
// positions follow the speeds at the end.
typedef struct complement_method {
  integrator_kind kind;
  int stages;
  double c[COMPLEMENT_STAGES], a[COMPLEMENT_STAGES][COMPLEMENT_STAGES], b[COMPLEMENT_STAGES], p[COMPLEMENT_STAGES];
  double reach;  // a constant acceleration a moves the end of a step h by reach a h²
  bool follows;
} complement_method;

// What acts at a point in the present interval: normal, and on the first body along the tangents [N].
typedef struct complement_force {
  double normal, drag[2];
  double left[2];  // losses along the normal and the surface, and what it may give without being wrong [J]
} complement_force;

// What the prediction of a point left out in the last interval, by its rows: the prediction takes applied forces from
// the free step, and these depend on the contact force, as the elastic forces of flexible bodies do.
typedef struct complement_miss {
  double predicted[3];  // velocities at the end of the present interval [m/s]
  double share[3];      // by how much a velocity was less than predicted, over the percussion [1/kg]
  double offset;        // added to the velocity of the normal row, so that a lasting contact has no gap [m/s]
  double change[3];     // of the velocities in the free step, and their rounding: sizes [m/s]
  long pressed;         // in which of the last intervals it had a force: a bit for each, the present one lowest
} complement_miss;

// Of a pair whose places of contact come and go: where a point was when the forces were found, to carry it. Vectors are
// in the axes of the markers of the surfaces.
typedef struct complement_place {
  bool acts;              // it has a force in this interval, or may have one
  vec3 material[2];       // on a rigid surface: what touches there
  flexible_spot spot[2];  // the same on a boundary
  vec3 n, beside;         // the normal, and where the force acts beside the material of the second: in its axes
  double gap;             // less the distance of the materials along the normal [m]
} complement_place;

// The free step from the start of an interval: states (q, u, inner) at its stages and its end, and slopes of the
// stages.
typedef struct complement_free {
  int size;
  double h;
  double *y[COMPLEMENT_STAGES], *slope[COMPLEMENT_STAGES], *end;
  double *joint_q;  // of the motion before it: measured angles know their turns
  double t[COMPLEMENT_STAGES], t_end;
} complement_free;

// The contact problem  ξ = W P + q  of the points that take part, with the percussions P = h λ: ξ are velocities, the
// gap at the end over reach h, or the gap rate; and the slip at the end.
typedef struct complement_problem {
  int *part, part_count;             // slots of the points that take part
  int *row;                          // the first row of each, from 0 on
  bool *takes_part;                  // by slot
  int rows;                          // of all of them
  int row_capacity, point_capacity;  // that there is room for
  double *columns[2];  // means of M⁻¹ Wᵀ over the stages, by p and by b: one row of nv numbers for each row
  double *W, *q, *P, *u;
  double *unit, *rates, *speeds;  // for responses
  double *start;                  // velocities of the rows at the start of the interval [m/s]
  double loosest;                 // what the row answers to its own percussion that answers most [1/kg]
  block_list blocks;
  solve_workspace *workspace;
  solve_settings solver;
  chain_tally tally;
} complement_problem;

typedef struct complement {
  watcher w;
  complement_level level;
  carom_lcp_def options;
  const complement_method *method;
  bool rubs;                // some contact has friction
  bool grows;               // problems grow with the points that touch
  double until;             // the end of the present interval [s]
  long intervals;           // that have begun
  complement_force *force;  // by slot
  complement_place *place;  // likewise
  complement_miss *miss;    // likewise
  double *past;             // normal forces in the last intervals, `average` of them for each slot, as a ring
  bool predicting;          // no contact forces act
  bool out_of_memory;       // for a larger problem
  bool interrupted;         // while a problem was solved
  complement_free free;
  complement_problem problem;
  long evaluations;  // by predictions
} complement;

static inline double *complement_past(const complement *s, int p) { return s->past + (long)p * s->options.average; }
double complement_mean(const complement *s, int p);  // of the normal forces in the last intervals
// Whether forces that alternate go on: some of the last COMPLEMENT_LAST were not zero. What is shown has no say in it.
static inline bool complement_pressed(const complement *s, int p) { return s->miss[p].pressed != 0; }

// --- complement_places.c ---------------------------------------------------------------------------------------------

// Where the points of an element are in the motion's positions. Points that act are where their places are.
void complement_locate(complement *s, const contact_element *e);
// Finds all points at the end of the free step. Points that stand for other places than before have no history.
void complement_find_places(complement *s);
// The point acts where it was found last.
void complement_keep_place(complement *s, int p);
void complement_place_fields(complement *s, int p, fields *f);

// --- complement_predict.c --------------------------------------------------------------------------------------------

extern const complement_method complement_methods[];
void complement_create_free(complement *s);
// Makes room for problems of so many points. Returns false after reporting.
bool complement_reserve(complement *s, int points, carom_error *error);
// Finds the forces of an interval from w.t on that is h long. Returns false if the motion cannot be evaluated.
bool complement_find_forces(complement *s, double h);

#endif
