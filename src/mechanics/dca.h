// Divide and conquer: M⁻¹ by assembling bodies in pairs, after Bhalerao and Anderson, eq. (5) to (14); theory.md, 3.11.
//
// An assembly is a stretch of bodies along the tree. Its inner handle is the origin of its first body, its outer handle
// the origin of the next body, as a place that moves with the last one. Its two-handle equations, solved for the force
// on the inner handle:
//   F₁ = I A₁ - Xᵀ F₂ + p,    A₂ = X A₁ + Q Qᵀ F₂ + a.
// A rigid body has its inertia for I, the shift T for X, and no Q. Nothing is inverted, so that a body may have no
// mass. Bodies that hang at the side of a stretch are assembled by themselves and taken in by the body that carries
// them: an assembly has at most two handles whatever the tree.
#ifndef MECHANICS_DCA_H
#define MECHANICS_DCA_H

#include "base/arena.h"
#include "mechanics/mechanism.h"

typedef enum dca_kind {
  DCA_LEAF,    // a body, with what hangs at its side
  DCA_JOIN,    // two assemblies become one
  DCA_SIDE,    // the joint at the side of a body is eliminated
  DCA_GROUND,  // the joint that carries a whole tree is
} dca_kind;

// A step of the assembly. Its result is used by the step `up`, which comes later.
typedef struct dca_step {
  dca_kind kind;
  int node;         // the body of a leaf; else the node whose joint is eliminated
  int left, right;  // the assemblies on both sides of this joint; -1: none
  int up;           // -1: ground
  int outer;        // the node that hangs on the outer handle of the result; -1: it has none
  int level;        // steps that are eliminated one after the other, up to this one
  int rank;         // columns of Q
  int freedom;      // columns of G, see dca.c
  bool rigid;       // X is a shift
} dca_step;

// In which order the bodies are assembled. Trees of one body have no steps.
typedef struct dca_plan {
  dca_step *steps;
  int step_count;
  int *leaf, *joint;                       // the steps of each node; -1: none
  int *first_side, *next_side;             // nodes that hang at the side of a node, as lists; -1 ends a list
  int *base_begin, *base_end;              // the steps of each tree; the last one is that of ground
  int *alone, alone_count;                 // nodes of trees of one body
  int level_count;                         // of the assembly; the disassembly has as many
  int *task_begin, *task_end, task_count;  // ranges of steps that do not need each other
  int *top, top_count;                     // the other steps
} dca_plan;

// For a compiled mechanism. `met` (one per node, may be null for none) names the bodies that rows may touch.
dca_plan *dca_plan_create(const mechanism *m, const bool *met, arena *memory);

// Of one step: matrices, and vectors that belong to the forces at hand.
typedef struct dca_cell {
  double *I, *X;          // n rows each, padded
  double *Q, *V;          // the columns of Q, padded, and the reflections that reduced these
  double *z;              // Qᵀ F₂
  double *G, *U, *H, *y;  // of an elimination, see dca.c
  double p[8], a[8];      // of the result
  double alpha[8];        // what the joint accelerates by without A₁ and y
  double A[8], F[8];      // A₁, F₂
} dca_cell;

typedef struct dca_work {
  struct flexible_link *flexible;  // one per node; they share what the recursion knows of a body, not its matrices
  dca_cell *cells;
  int *singular;          // one per task, and one for the top: the node whose pivot is rounding, or 0
  bool *active, *marked;  // one per step: what dca_respond is to find; the way of a row to ground
  int *list, *begin;      // the active steps, and where those of each tree begin
  long visited;           // steps that responses to rows have been through, in both directions
  bool recursion;         // there is a factor by recursion, too
  bool known;             // vectors are those of dca_forward, which found these accelerations:
  double *udot;
} dca_work;

void dca_create(const mechanism *m, motion *x);

// As tree_factor, tree_forward and tree_solve.
bool dca_factor(const mechanism *m, motion *x);
void dca_forward(const mechanism *m, motion *x);
// Both in one pass inward, in which each assembly is read once. Returns false if a pivot is rounding.
bool dca_accelerate(const mechanism *m, motion *x);
void dca_solve(const mechanism *m, motion *x, const double *tau, double *out);
// What each joint transmits, into links[].pA, and links[].A, where x->udot is what dca_forward has found and nothing
// was asked since; else nothing changes. tree_inverse finds them from x->udot: its sums over a long chain of hinges
// lose what the assemblies know.
void dca_transmit(const mechanism *m, motion *x);

// The factor by recursion beside it, for halves of M⁻¹, which divide and conquer does not have.
void dca_add_recursion(const mechanism *m, motion *x);

// M⁻¹ times one row in the trees that it touches: links[].A, and speeds in out; tau is zero before and after. It finds
// them for bodies and speeds of the rows from … to - 1 that dca_focus was given since the last dca_factor or dca_solve,
// or for all. These are (13) and (14).
void dca_focus(const mechanism *m, motion *x, int from, int to);
void dca_focus_all(const mechanism *m, motion *x);
void dca_respond(const mechanism *m, motion *x, const row *r, double *tau, double *out);

#endif
