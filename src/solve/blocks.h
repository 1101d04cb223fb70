// A contact problem as a scheme makes it: blocks one after the other, in the order of their rows, in room that is kept
// from problem to problem.
#ifndef SOLVE_BLOCKS_H
#define SOLVE_BLOCKS_H

#include "base/arena.h"
#include "solve/problem.h"

typedef struct block_list {
  solve_block *block;
  int *start;  // the first row of each, and the end
  int count;
} block_list;

block_list block_list_create(arena *memory, int most);

// Number by number: a block that was just made and is copied in one piece would have to wait for its numbers.
static inline void block_list_set(const block_list *l, int k, solve_block b) {
  solve_block *to = &l->block[k];
  l->start[k] = b.row;
  to->kind = b.kind, to->row = b.row, to->size = b.size;
  to->mu = b.mu, to->lo = b.lo, to->hi = b.hi;
}
static inline void block_list_add(block_list *l, solve_block b) { block_list_set(l, l->count++, b); }

// Bilateral rows of their own, from the first one on; nothing else is left in the list.
static inline void block_list_begin(block_list *l, int bilateral) {
  l->count = 0;
  for (int i = 0; i < bilateral; i++) block_list_add(l, (solve_block){.kind = BLOCK_BILATERAL, .row = i, .size = 1});
}

// A contact with as many rows: without friction, in the plane, in space.
static inline solve_block block_of_contact(int row, int size, double mu) {
  const block_kind kind = size == 1 ? BLOCK_UNILATERAL : size == 2 ? BLOCK_PLANE : BLOCK_SPACE;
  return (solve_block){.kind = kind, .row = row, .size = size, .mu = size == 1 ? 0 : mu};
}

// A contact in space whose friction cone has so many directions.
static inline solve_block block_of_polygon(int row, double mu, int directions) {
  return (solve_block){.kind = BLOCK_POLYGON, .row = row, .size = 3, .mu = mu, .directions = directions};
}

// The same with rows that resist turning, by lengths: in the plane rolling, in space rolling and spinning.
static inline solve_block block_of_rolling(int row, bool planar, double mu, double rolling, double spinning) {
  return (solve_block){.kind = planar ? BLOCK_ROLLING_PLANE : BLOCK_ROLLING_SPACE,
                       .row = row,
                       .size = planar ? 3 : 6,
                       .mu = mu,
                       .rolling = rolling,
                       .spinning = planar ? 0 : spinning};
}

// Friction of at most so much along one row.
static inline solve_block block_of_friction(int row, double most) {
  return (solve_block){.kind = BLOCK_BOX, .row = row, .size = 1, .lo = -most, .hi = most};
}

// The dense problem of all its blocks, which fill so many rows.
solve_problem block_list_problem(block_list *l, int rows, const double *W, const double *q);
// Such a problem with the blocks that are in the list by now, in place.
void block_list_update(block_list *l, int rows, const double *q, solve_problem *p);

#endif
