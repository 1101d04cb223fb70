// A contact problem, and the contract of everything that solves one: settings, problem, info, solution.
//
//   u = W r + q,   and between the rows of each block of u and r
//
//   bilateral    u = 0
//   unilateral   0 ≤ u ⊥ r ≥ 0
//   plane        (normal, tangent):         0 ≤ u_N ⊥ r_N ≥ 0,  −r_T ∈ μ r_N Sgn(u_T)
//   space        (normal, tangent, tangent): 0 ≤ u_N ⊥ r_N ≥ 0,  |r_T| ≤ μ r_N, and r_T = −μ r_N u_T/|u_T| if u_T ≠ 0
//   polygon      the same with r_T in a regular polygon of corners μ r_N d_i in place of the circle: r_T is where r_T ·
//   u_T is least (solve/polygon.h) box          lo ≤ r ≤ hi:  u ≥ 0 where r = lo, u ≤ 0 where r = hi, u = 0 between
//   rolling      a plane or space, and behind it rows that resist turning, in the plane one (rolling), in space three
//   (rolling, rolling,
//                spinning): |r_R| ≤ a r_N, and r_R = −a r_N u_R/|u_R| if u_R ≠ 0, the same of the last row with its own
//                length
//
// r are percussions or forces, u velocities or accelerations; nothing here knows of bodies.
#ifndef SOLVE_PROBLEM_H
#define SOLVE_PROBLEM_H

#include <stdbool.h>

#include "solve/matrix.h"

typedef enum block_kind {
  BLOCK_BILATERAL,
  BLOCK_UNILATERAL,
  BLOCK_PLANE,
  BLOCK_SPACE,
  BLOCK_BOX,
  BLOCK_POLYGON,
  BLOCK_ROLLING_PLANE,
  BLOCK_ROLLING_SPACE
} block_kind;

typedef struct solve_block {
  block_kind kind;
  int row, size;  // its rows are row … row + size − 1: 1 to BLOCK_ROWS_MAX if bilateral, else 1, 2, 3, 1, 3, 3 and 6
  double mu;      // coefficient of friction, plane, space, polygon and rolling [-]
  union {
    struct {
      double lo, hi;  // bounds of a box; may be infinite
    };
    struct {
      double directions, zero;  // corners of a polygon, a whole number; 0, for files have two numbers of each block
    };
    struct {
      double rolling, spinning;  // lengths of a rolling block: the largest moment over the normal percussion
    };
  };
} solve_block;

typedef struct solve_problem {
  int block_count;
  const solve_block *blocks;  // in the order of their rows, which they fill without gaps
  solve_matrix W;
  const double *q;
} solve_problem;

// --- outcomes --------------------------------------------------------------------------------------------------------

// name, what it means
#define SOLVE_STATUS_LIST(X)                                            \
  X(SOLVED, "solved")                                                   \
  X(INACCURATE, "ended above the tolerance")                            \
  X(LIMIT, "reached the limit of iterations")                           \
  X(RAY, "ended on a ray: no solution on this path")                    \
  X(NONE, "there is no solution: every combination was tried")          \
  X(STALLED, "could not improve any further")                           \
  X(UNSUITABLE, "cannot solve problems of this kind")                   \
  X(TOO_LARGE, "needs more memory than its workspace has")              \
  X(INVALID, "the problem has a number that is not finite or no sense") \
  X(INTERRUPTED, "was interrupted")

typedef enum solve_status {
#define X(name, text) SOLVE_##name,
  SOLVE_STATUS_LIST(X)
#undef X
} solve_status;
const char *solve_status_text(solve_status status);

// --- the contract ----------------------------------------------------------------------------------------------------

struct problem_dump;

typedef struct solve_settings {
  double tolerance;      // residual (solve/residual.h) at which a problem counts as solved [-]
  int iterations;        // most sweeps, pivots or Newton steps; 0: the solver's own limit. In the chain: of each stage
                         // that iterates, and pivoting has no limit
  int check_every;       // sweeps between two looks at the residual
  bool warm_start;       // begin from the r of the solution, which is then read
  bool polish;           // end with an exact solve on the active set that was found
  bool count_solutions;  // enumeration goes on after the first one
  struct problem_dump *dump;  // saves problems that the chain is given (solve/problem_dump.h); may be null
} solve_settings;
solve_settings solve_settings_default(void);

typedef struct solve_info {
  solve_status status;
  int iterations;
  double residual;        // as judged by solve/residual.h, never by the solver
  double residual_mixed;  // the one of publications, for comparison; infinite where nothing was solved, or a tally does
                          // not show it
  double seconds;
  const char *stage;  // the solver that found it: in a chain the stage
  const char *cut;    // the solver that the limit of the settings has ended before the tolerance was met; may be null
  bool polished;
  int solutions;  // distinct solutions met by an enumeration that was asked to count them
} solve_info;

typedef struct solve_solution {
  double *r, *u;  // of the caller, as long as the problem has rows
} solve_solution;

// --- about problems --------------------------------------------------------------------------------------------------

// How much memory a problem needs, and any part of it that leaves out blocks; the field-wise maximum over problems
// makes a workspace for all of them.
typedef struct solve_limits {
  int rows, blocks;
  int velocities;  // of a factored matrix
  int dense;       // rows of the largest dense system to form: at most SOLVE_DENSE_MAX
  int lcp;         // unknowns of a linear complementarity problem without the spatial contacts: at most SOLVE_DENSE_MAX
} solve_limits;
enum { SOLVE_DENSE_MAX = 1600 };

solve_limits solve_limits_of(const solve_problem *p);
// The same for this problem alone: nothing dense if it has too many rows for that.
solve_limits solve_limits_exact(const solve_problem *p);
solve_limits solve_limits_union(const solve_limits *a, const solve_limits *b);
solve_limits solve_limits_beyond(const solve_limits *l);  // half as much again, for problems that grow
// Blocks that fill the rows, finite numbers, μ ≥ 0, lo ≤ hi.
bool solve_problem_valid(const solve_problem *p);
bool solve_has(const solve_problem *p, block_kind kind);
bool solve_has_friction(const solve_problem *p);
bool solve_has_rolling(const solve_problem *p);
bool solve_has_cones(const solve_problem *p);  // round friction cones in space or rolling blocks: what linear
                                               // complementarity does not describe
bool solve_has_polygons(const solve_problem *p);

static inline bool block_rolls(const solve_block *b) { return b->kind >= BLOCK_ROLLING_PLANE; }
// Of a contact with friction: the normal and its tangents, without the rows that resist turning.
static inline int block_sliding_rows(const solve_block *b) {
  return b->kind == BLOCK_ROLLING_PLANE ? 2 : b->kind == BLOCK_ROLLING_SPACE ? 3 : b->size;
}

// The rows of a rolling block that resist turning, in groups of one length: rolling, and in space spinning.
typedef struct block_turn {
  int row, size;  // within the block
  double length;
} block_turn;
enum { BLOCK_TURNS_MAX = 2 };
static inline int block_turns(const solve_block *b, block_turn to[BLOCK_TURNS_MAX]) {
  bool plane = b->kind == BLOCK_ROLLING_PLANE;
  to[0] = (block_turn){plane ? 2 : 3, plane ? 1 : 2, b->rolling};
  to[1] = (block_turn){5, 1, b->spinning};
  return plane ? 1 : 2;
}

#endif
