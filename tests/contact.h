// Contact problems for tests: dense, with a solution that is known because q is made from it.
#ifndef CAROM_TESTS_CONTACT_H
#define CAROM_TESTS_CONTACT_H

#include "check.h"

#include "solve/residual.h"
#include "solve/solver.h"

enum { CONTACT_ROWS = 240 };

typedef struct contact_problem {
  int rows, block_count;
  solve_block blocks[CONTACT_ROWS];
  int start[CONTACT_ROWS + 1];
  double W[CONTACT_ROWS * CONTACT_ROWS], q[CONTACT_ROWS];
  double known_r[CONTACT_ROWS], known_u[CONTACT_ROWS];  // the solution it was made from
  double r[CONTACT_ROWS], u[CONTACT_ROWS];              // the one that was found
} contact_problem;

static inline int pick(int count) { return (int)uniform(0, count); }

static inline void add_block(contact_problem *p, solve_block b) {
  b.row = p->rows;
  p->blocks[p->block_count++] = b;
  p->rows += b.size;
  p->start[p->block_count] = p->rows;
}

static inline solve_problem as_problem(const contact_problem *p) {
  return (solve_problem){p->block_count, p->blocks, matrix_dense(p->rows, p->block_count, p->start, p->W), p->q};
}

// W = J Jᵀ of the given rank; positive definite when that is not below the rows.
static inline void fill_gram(contact_problem *p, int rank, double shift) {
  static double J[CONTACT_ROWS][2 * CONTACT_ROWS];
  for (int i = 0; i < p->rows; i++)
    for (int k = 0; k < rank; k++) J[i][k] = uniform(-1, 1);
  for (int i = 0; i < p->rows; i++)
    for (int j = 0; j < p->rows; j++) {
      double sum = i == j ? shift : 0;
      for (int k = 0; k < rank; k++) sum += J[i][k] * J[j][k];
      p->W[i * p->rows + j] = sum;
    }
}

// Degenerate states lie between two others: touching without pressing, and on the edge of the cone without slip.
static inline void choose_contact(const solve_block *b, bool degenerate, double *r, double *u) {
  int state = pick(degenerate ? 5 : 3);  // open, sticking, slipping, touching, about to slip
  double angle = b->size == 3 ? uniform(0, 6.283) : pick(2) * M_PI, speed = uniform(0.1, 1);
  double way[2] = {cos(angle), b->size == 3 ? sin(angle) : 0};
  for (int k = 0; k < b->size; k++) r[k] = u[k] = 0;
  if (state == 3) return;
  if (state == 0) {
    u[0] = uniform(0.1, 1);
    for (int k = 1; k < b->size; k++) u[k] = uniform(-1, 1);
  } else {
    double reach = state == 1 ? uniform(0, 0.9) : 1;
    r[0] = uniform(0.1, 1);
    for (int k = 1; k < b->size; k++) {
      r[k] = -reach * b->mu * r[0] * way[k - 1];
      u[k] = state == 2 ? speed * way[k - 1] : 0;
    }
  }
}

static inline void solve_for_q(contact_problem *p) {
  for (int i = 0; i < p->rows; i++) {
    double sum = p->known_u[i];
    for (int j = 0; j < p->rows; j++) sum -= p->W[i * p->rows + j] * p->known_r[j];
    p->q[i] = sum;
  }
}

// A solution of every block, and the q that goes with it. `degenerate`: states that lie between
// two others come too.
static inline void choose_solution(contact_problem *p, bool degenerate) {
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    double *r = p->known_r + b->row, *u = p->known_u + b->row;
    int state = pick(degenerate ? 3 : 2);
    switch (b->kind) {
      case BLOCK_BILATERAL:
        for (int i = 0; i < b->size; i++) r[i] = uniform(-1, 1), u[i] = 0;
        break;
      case BLOCK_UNILATERAL: r[0] = state == 0 ? uniform(0.1, 1) : 0, u[0] = state == 1 ? uniform(0.1, 1) : 0; break;
      case BLOCK_BOX:
        state = pick(3);
        r[0] = state == 0 ? b->lo : state == 1 ? b->hi : uniform(b->lo, b->hi);
        u[0] = state == 0 ? uniform(0.1, 1) : state == 1 ? -uniform(0.1, 1) : 0;
        break;
      default: choose_contact(b, degenerate, r, u);
    }
  }
  solve_for_q(p);
}

static inline solve_workspace *workspace_for(const solve_problem *p) {
  solve_limits limits = solve_limits_of(p);
  return solve_workspace_create(&limits, NULL);
}

// By a solver, or by the chain when that is null.
static inline solve_info contact_solve(contact_problem *c, const solver *s, const solve_settings *settings,
                                       chain_tally *tally) {
  solve_problem p = as_problem(c);
  solve_workspace *w = workspace_for(&p);
  solve_solution solution = {c->r, c->u};
  solve_info info = s ? solver_run(s, &p, settings, w, &solution) : solve_chain(&p, settings, w, &solution, tally);
  solve_workspace_destroy(w);
  return info;
}

// Largest difference between two vectors.
static inline double apart(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= most)) most = fabs(a[i] - b[i]);
  return most;
}

#endif
