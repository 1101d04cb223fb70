// What the files of response.h share.
#ifndef MECHANICS_RESPONSE_INTERNAL_H
#define MECHANICS_RESPONSE_INTERNAL_H

#include "math/fours.h"
#include "mechanics/response.h"

// The regularisation μ of proximal iterations on a unit diagonal: far above rounding (1e-16) and far below the
// eigenvalues of a regular mechanism. Ten turns then resolve eigenvalues down to 1e-9 of the diagonal.
#define RESPONSE_PROX 1e-10
// With friction that follows normal forces the matrix has no symmetry, and its factor is less accurate. Above rounding
// by so much that what is redundant gains at most 1e-7 of the rest.
#define RESPONSE_PROX_HELD (10 * RESPONSE_PROX)
enum { RESPONSE_PROX_TURNS = 12 };

// Constants of four bodies that follow each other in a chain that is swept, see response_small.c: J_k and the mass
// beyond it at the end of its arm; the arm, and the moment of both, in the axes of the body.
typedef struct swept_bodies {
  fours ex, ey, bx, by;
  double inertia[FOURS];
} swept_bodies;

// The workspace of one motion.
typedef struct response_work {
  // Written out: M and then L below its diagonal, nv x nv; D⁻¹; and 2 nv per row: g, and L⁻ᵀ g.
  double *mass, *inverse, *vectors;
  unsigned *moved_by;   // bit v for each speed between a node and ground, by node
  swept_bodies *swept;  // of all speeds where response_sweeps
  // By recursion: the rows that touch each tree as lists, by slots of motion.row_bases. -1 ends a list.
  int *tree_slot, *slot_next, *slot_row;
  // W of the constraint rows, scaled to a unit diagonal by `scale`: dense or in the sparse pattern, and its factor.
  double *W, *factor, *scale;
  sparse_factor *sparse;
  bool well_conditioned;  // which factor there is, see response_constraints.c
  // If dense: E Gᵀ with M⁻¹ = Eᵀ E, a row for each speed and a column for each row of G, whose products are W. Of the
  // constraints, and with `by_halves` of all rows: W is formed from it.
  double *halves;
  bool by_halves;
  int *path;                  // nodes between the bodies of a row and ground
  int *moving, moving_count;  // rows that something can move: W and its dense factor are theirs alone
  int *order;                 // these rows in the order of the factor; the first motion.rank are independent
  // For rows that depend on others in contact problems: the constraints' W scaled, and a copy to factorise. Null where
  // the constraints are many, sparse and independent at the start: there, rows that become dependent later are not
  // found.
  double *dense, *dense_scale;
  int *dense_order;       // of that factorisation
  int independent;        // the first of these are rows to keep
  double rank_tolerance;  // that they were told by
  int *held, held_count;  // rows that response_hold has decoupled
  double *unit;           // a number per row, for response_mobility
} response_work;

void response_create(const mechanism *m, motion *x);
void response_enlarge(const mechanism *m, motion *x, int extra_rows);  // room for so many rows that come and go
// Returns false if memory runs out.
bool response_open(const mechanism *m, motion *x);
void response_close(motion *x);

// Many loops in space whose axes are parallel, as in the legs of a robot: most of their rows nothing can move, and W is
// singular at every position.
enum { RESPONSE_MANY_REDUNDANT = 12 };
static inline bool response_has_many_loops(const mechanism *m) {
  return !m->sparse && !m->dca && m->redundant >= RESPONSE_MANY_REDUNDANT;
}

// --- W in one place: response.c --------------------------------------------------------------------------------------

// W of the constraint rows, into the workspace, not scaled.
void response_form_constraints(const mechanism *m, motion *x);
// Whether M is written out. If so, the vectors of the rows are up to date.
bool response_is_written_out(const mechanism *m, motion *x);
// Column j of E Gᵀ, with M⁻¹ = Eᵀ E, for row j of G: every `stride`-th entry from `half` on, which are zero before.
void response_half(const mechanism *m, motion *x, int j, int stride, double *half);

// --- the two implementations: response_small.c, response_tree.c ------------------------------------------------------

// Speeds up to which writing out is quicker, by counting instructions of planar and spatial chains with contacts.
enum { RESPONSE_SMALL = 8 };
typedef struct response_kernels {  // compiled for one number of speeds
  int (*factor)(const bool *driven, double *M, double *D_inverse);
  void (*accelerate)(motion *x);
  // Returns the speed whose pivot is rounding, or -1, as `factor` does.
  int (*sweep)(const mechanism *m, motion *x, const double *q, const double *u, double way, double dt, double *u_free);
  bool (*fly)(const mechanism *m, motion *x, const double *q, const double *u, double way, double dt, double *q_end,
              double *u_end);
  // As response_take_pairs, without a look at the diagonal.
  void (*take_pairs)(motion *x, const response_pair *pairs, int count, const double *u, const double *v,
                     double *rates_u, double *rates_v, double *W);
  void (*take_rows)(const mechanism *m, motion *x);  // brings the vectors of the rows up to date, which the others need
  void (*rates)(const motion *x, const double *u, double *rates);
  void (*add)(const motion *x, const double *P, int row_count, const double *u0, double *u);
  void (*matrix)(const motion *x, int n, double *W);  // these two as for the recursion
  void (*pattern)(const mechanism *m, const motion *x, double *W);
} response_kernels;
const response_kernels *response_choose(int nv);  // returns NULL if by recursion

void response_small_create(const mechanism *m, motion *x);
bool response_small_accelerate(const mechanism *m, motion *x);
void response_small_half(const mechanism *m, const motion *x, int j, int stride, double *half);

void response_tree_rates(const mechanism *m, motion *x, const double *u, double *rates);
void response_tree_solve(const mechanism *m, motion *x, const double *P, int row_count, double *out);
void response_tree_half(const mechanism *m, motion *x, int j, int stride, double *half);

// W of the first n rows, dense.
void response_tree_matrix(const mechanism *m, motion *x, int n, double *W);
// W of the constraint rows in their sparse pattern.
void response_tree_pattern(const mechanism *m, motion *x, double *W);

// J and M⁻¹Jᵀ of all rows, into pieces that are laid out.
void response_small_split(const mechanism *m, const motion *x, response_pieces *p);
void response_tree_split(const mechanism *m, motion *x, response_pieces *p);

// Decouples row i: its pieces become zero, and W_ii is `own`.
void response_piece_clear(response_pieces *p, int i, double own);

// --- rows that cannot move or depend on others: response_redundant.c -------------------------------------------------

// The diagonal of W for a row that had to move the whole mechanism.
double response_least_mobility(const mechanism *m, const motion *x, int i);
// Whether a row with this diagonal of W can move at all.
bool response_moves(const mechanism *m, const motion *x, int i, double diagonal);
// A row with more than this part of the mobility of one that pushes the whole mechanism along can move, whatever its
// levers: rounding reaches that only with levers of 1e3 times the size of the mechanism and masses of 1e6 times the
// lightest.
#define RESPONSE_MOBILE 1e-4
// The diagonal of W for a row that nothing can move: a constraint keeps one, so that its equation has the solution
// zero.
double response_fixed_diagonal(const mechanism *m, const motion *x, int i);
void response_decouple_fixed(const mechanism *m, const motion *x, double *W);
// A pivot of W on a unit diagonal at or below this belongs to a row that depends on others.
double response_rank_tolerance(const mechanism *m, const motion *x, double floor);

// --- constraints close to dependent: response_orthogonal.c -----------------------------------------------------------

// The halves of the constraint rows that something can move, as columns of unit length next to each other, their scales
// and x->nearness as far as it follows from their lengths. Returns false if one is not finite.
bool response_form_halves(const mechanism *m, motion *x);
bool response_factor_orthogonal(const mechanism *m, motion *x);
void response_solve_orthogonal(const mechanism *m, const motion *x, const double *b, double *y, double *z);

#endif
