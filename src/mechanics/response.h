// How speeds respond to forces and impulses: M⁻¹ at a position, applied to forces and to rows, and W = G M⁻¹ Gᵀ.
// Schemes, projection and assembly use M⁻¹ through this interface alone.
//
// The rows G are those of the constraints, then those that come and go (rows.h). Driven speeds do not respond. There
// are three implementations:
//   by recursion   articulated inertias (tree.h), O(n) for each row
//   divided        divide and conquer (dca.h), where a model asks for it: O(log n) one after the other
//   written out    a mechanism of few speeds: M = Lᵀ D L, and rows as vectors g over all speeds; a rate is g·u, and
//                  W = (L⁻ᵀg)ᵀ D⁻¹ (L⁻ᵀg)
#ifndef MECHANICS_RESPONSE_H
#define MECHANICS_RESPONSE_H

#include "base/arena.h"
#include "mechanics/mechanism.h"

// --- M factorised at the present position ----------------------------------------------------------------------------

// Not written out, so that response_forward can follow. Returns false if M is singular; motion.singular_node says
// where.
bool response_factor(const mechanism *m, motion *x);
// With this factor, accelerations as tree_forward finds them.
void response_forward(const mechanism *m, motion *x);
// Both.
bool response_factor_forward(const mechanism *m, motion *x);
// The factor by whichever implementation is quicker, and the accelerations x->udot under the applied forces.
bool response_accelerate(const mechanism *m, motion *x);
// A motion from (q, u) at once, where response_sweeps says so: in a planar chain of few plain hinges on which nothing
// but weight acts. It goes to q + way u with the speeds u, where accelerations u̇ are found, and u_free := u + dt u̇.
// Leaves poses and velocities of the links and M; tree_kinematics finds what else recursions need.
bool response_sweep(const mechanism *m, motion *x, const double *q, const double *u, double way, double dt,
                    double *u_free);
bool response_sweeps(const mechanism *m);
// The same for a motion that meets no contact, and on to its end: u_end := u_free and
// q_end := q + way u + (dt - way) u_end. Of the motion it leaves q and the poses of the links alone. Returns false also
// if a number is not finite.
bool response_fly(const mechanism *m, motion *x, const double *q, const double *u, double way, double dt, double *q_end,
                  double *u_end);
// A row of a motion that was swept: the velocity of body a against body b at (x, y) in the world, along (dx, dy).
typedef struct response_pair {
  int a, b;
  double x, y, dx, dy;
} response_pair;
// These rows, all that the motion has, with their rates under the speeds u and v and their W, at once. The motion gets
// vectors of them and no rows. Returns false if one of them can hardly move: then rows are to be added instead.
enum { RESPONSE_PAIRS = 12 };  // at most
bool response_take_pairs(const mechanism *m, motion *x, const response_pair *pairs, int count, const double *u,
                         const double *v, double *rates_u, double *rates_v, double *W);
bool response_of_free_bodies(const mechanism *m);  // every tree is one free body

// --- impulses and speeds ---------------------------------------------------------------------------------------------

// The rate G u of every row under speeds u, without Φ_t. By recursion it needs positions only and overwrites links[].A.
void response_rates(const mechanism *m, motion *x, const double *u, double *rates);
// M⁻¹ Gᵀ P over the first `row_count` rows. Valid until the next call of a function of this header.
const double *response_to(const mechanism *m, motion *x, const double *P, int row_count);
// u := u0 + M⁻¹ Gᵀ P over all rows. u and u0 may be the same array.
void response_add(const mechanism *m, motion *x, const double *P, const double *u0, double *u);

// --- W ---------------------------------------------------------------------------------------------------------------

// W over all rows, dense and row-major. Rows that nothing can move are decoupled: a constraint keeps a diagonal, so
// that its equation has a solution; another row is zero. This takes long for thousands of rows: once the motion's
// `stop` is raised it returns early, as all functions of this header that form W do, and what it has written is of no
// use.
void response_matrix(const mechanism *m, motion *x, double *W);

// The same without W, for solvers that work on J and M⁻¹Jᵀ: rows in blocks that touch the same trees, as those of a
// contact do, each block in pieces, one for each tree. Trees are joined to ground only, so that  W_ij = Σ over the
// trees that both rows touch of J_i · (M⁻¹Jᵀ)_j. The velocities of a tree that is one free body are Lᵀ u with M = L Lᵀ.
// There its M is 1, and J serves as M⁻¹Jᵀ.
typedef struct response_pieces {
  int row_count, block_count;
  int velocity_count;     // speeds that rows depend on, in the order of mechanism.base_speeds; the others follow by
                          // response_to
  int *start, *block_of;  // block b has the rows start[b] … start[b + 1] - 1
  int *first;             // and the pieces first[b] … first[b + 1] - 1
  int *at, *width;        // piece k is about the velocities at[k] … at[k] + width[k] - 1
  size_t *offset;         // its values begin here: width[k] for each row of its block
  double *J,
      *response;  // the rows, and M⁻¹ Jᵀ; the same array where all trees are free bodies: sweeps then read half as much
  double *own;                              // added to W_ii: of rows that are decoupled, whose pieces are zero
  double *diagonal;                         // W_ii
  int most_rows, most_blocks, most_pieces;  // that there is memory for
  size_t most_values;
  double *values[2];  // the memory of J and response
} response_pieces;

// The pieces of all rows in these blocks, those that nothing can move decoupled as in response_matrix. `p` is all zero
// before the first call; its memory grows with the rows. Returns false if there is none left.
bool response_split(const mechanism *m, motion *x, const int *start, int block_count, response_pieces *p);
void response_pieces_free(response_pieces *p);
// The part of row i in piece k of its block.
typedef struct response_piece {
  int speed_count, at;
  double *J, *response;
} response_piece;
response_piece response_piece_of(const response_pieces *p, int k, int i);
// Whether they are on free bodies alone, which carry no others.
static inline bool response_pieces_free_bodies(const mechanism *m, const response_pieces *p) {
  return p->J == p->response && m->base_count == m->node_count - 1;
}
// Of such pieces: u := u0 + M⁻¹ Jᵀ P, and rates := rates0 + W P, as response_add and response_rates find them from the
// rows.
void response_pieces_add(const mechanism *m, motion *x, const response_pieces *p, const double *P, const double *u0,
                         double *u, const double *rates0, double *rates);
// And u := M⁻¹ Jᵀ P alone, for which rows without percussion are not read.
void response_pieces_to(const mechanism *m, motion *x, const response_pieces *p, const double *P, double *u);
// W_ij from the pieces.
double response_product(const response_pieces *p, int i, int j);

// The rates of the rows row … row + count - 1 under a unit impulse along the first of them, which touch the same trees.
// By recursion, after response_factor.
void response_own(const mechanism *m, motion *x, int row, int count, double *rates);

// The constraint rows alone: forms their W and factorises it, redundant rows or not. Returns false if it is not finite.
bool response_factor_constraints(const mechanism *m, motion *x);
// lambda := W⁻¹ rhs, of least norm where it is not unique. The two may be the same array.
void response_solve_constraints(const mechanism *m, motion *x, const double *rhs, double *lambda);
// After a factorisation: how independent the constraint rows are of each other, zero in a singular position and in
// proportion to the distance from it nearby [-]. Infinite for sparse constraints, where it is not known.
double response_independence(const mechanism *m, const motion *x);
// 1/√W_ii of each constraint row in that factorisation; 0: nothing can move the row.
const double *response_scales(const motion *x);
// How many constraint rows are independent at the present position. -1: out of memory.
int response_rank(const mechanism *m, motion *x);

// How fast a row that comes and goes, `row`, moves under a unit impulse along it while the constraints hold. M must be
// factorised. Returns 0 if the constraints are not finite.
double response_mobility(const mechanism *m, motion *x, int row);

// --- redundant constraint rows in contact problems W r + q -----------------------------------------------------------

// W over all rows as in response_matrix; the constraint rows that depend on others are decoupled, so that none is left
// that does.
void response_problem(const mechanism *m, motion *x, double *W);
// The same in a W that was taken from response_matrix: n rows, the constraints' first. Call it once for each W.
void response_decouple(const mechanism *m, motion *x, int n, double *W);
// After response_problem, or response_decouple with all rows, for a row that comes and goes, i: where joints and
// constraints hold it and no drive prescribes its rate, it needs no force. It is decoupled with a diagonal of its own,
// and q_i := 0, so that its force is zero. Returns whether this is so. `u`: the speeds that q belongs to. Sparse
// constraints (see response_problem) are not asked.
bool response_hold(const mechanism *m, motion *x, const double *u, double *W, double *q, int i);
bool response_hold_pieces(const mechanism *m, motion *x, const double *u, response_pieces *p, double *q, int i);
// The same as response_decouple in pieces. Call it once after response_split.
void response_decouple_pieces(const mechanism *m, motion *x, response_pieces *p);
// q := 0 in the rows decoupled last, so that their multipliers are zero. The other rows then hold them too. Call it for
// every q.
void response_clear(const mechanism *m, const motion *x, double *q);
// Of all multipliers of the constraints with the same effect, those of least norm. For the W decoupled last.
void response_share(const mechanism *m, motion *x, double *lambda);

// --- rows that are held, see response_held.c -------------------------------------------------------------------------

typedef struct response_held {
  int n, *row;     // the rows, from the caller
  double *A;       // n x n, from the caller: W of these rows, perhaps with friction that follows their forces
  double *factor;  // of A as last solved, scaled, with `scale` and `pivot`: LU, slightly regularised
  double *scale, *b, *z, *r;
  int *pivot;
} response_held;

// Room for so many rows.
response_held response_held_create(int most, arena *memory);
// Whether rows repeat each other, so that their multipliers are not unique. W: over all rows, row_total of them.
// Overwrites A.
bool response_held_is_redundant(response_held *h, int row_total, const double *W, interrupt *stop);
// The multipliers that change the rows by rhs, both over all rows; zero for the others. Where they are not unique,
// those nearest to `lambda` as given. Returns false if they are not finite. Overwrites A.
bool response_held_solve(response_held *h, int row_total, const double *W, const double *rhs, double *lambda,
                         interrupt *stop);
// How far, relative to the others, these may be off where they are not unique.
extern const double RESPONSE_HELD_NOISE;

// --- normal rows of contacts that repeat others ----------------------------------------------------------------------

// Bodies that just fit between two walls have as many gaps and one relation between them, see response_repeat.c.
typedef struct response_repeat {
  int count, *row;  // the rows that are asked, from the caller
  int n;
  double *W;                         // as given to response_repeat_find, n x n
  bool any, *is_base, *is_repeated;  // neither: a row that only seems to repeat others
  double *L;                         // a factor of W, and for repeated rows their parts of the base rows
  double *spread;                    // room for response_repeat_spread
} response_repeat;

// Room for `most` rows to ask, of at most `row_total`.
response_repeat response_repeat_create(int most, int row_total, arena *memory);
// Finds those that repeat others in W, n x n, and replaces them there. `accuracy` is that of positions over the size of
// the model. A row whose value in v differs from that of what it repeats by more than `enough`, and by more than the
// same part of the largest value, does not repeat it.
void response_repeat_find(response_repeat *f, int n, double *W, const double *v, double accuracy, double enough);
// The same rows in a right-hand side.
void response_repeat_apply(const response_repeat *f, double *v);
// What pushes the bodies for these multipliers: that of a repeated row acts along the rows it repeats. Valid until the
// next call.
const double *response_repeat_spread(const response_repeat *f, const double *lambda);
// To be added to the diagonal of a row in a problem of unilateral contact. Any force along repeated rows fits together
// with its opposite along those they repeat; this makes it the least.
double response_repeat_softness(const response_repeat *f, int row);
// Whether these percussions need the softness of some row, at more than a rate of `still`: there the bodies of the row
// leave no room for what restitution requires. Says which of the rows asked belong to them.
bool response_repeat_is_wedged(const response_repeat *f, const double *P, double still, bool *taking_part);

#endif
