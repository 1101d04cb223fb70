#include "solve/groups.h"

solve_groups groups_create(arena *memory, int rows, int blocks) {
  return (solve_groups){.of = ARENA_ARRAY(memory, int, blocks + 1),
                        .row = ARENA_ARRAY(memory, int, rows + 1),
                        .list = block_list_create(memory, blocks),
                        .W = ARENA_ARRAY(memory, double, ((long)rows * rows)),
                        .q = ARENA_ARRAY(memory, double, rows + 1),
                        .r = ARENA_ARRAY(memory, double, rows + 1),
                        .u = ARENA_ARRAY(memory, double, rows + 1),
                        .rows = rows,
                        .blocks = blocks};
}

static double entry(const solve_problem *p, int i, int j) { return p->W.values[(long)i * p->W.rows + j]; }

static bool interact(const solve_problem *p, const solve_block *a, const solve_block *b) {
  for (int i = a->row; i < a->row + a->size; i++)
    for (int j = b->row; j < b->row + b->size; j++)
      if (entry(p, i, j) != 0 || entry(p, j, i) != 0) return true;
  return false;
}

// The groups of two blocks become one, under the number of the earlier.
static void join(int count, int *of, int a, int b) {
  int from = of[a] > of[b] ? of[a] : of[b], to = of[a] > of[b] ? of[b] : of[a];
  for (int i = 0; i < count; i++)
    if (of[i] == from) of[i] = to;
}

int groups_find(solve_groups *g, const solve_problem *p) {
  int n = p->block_count;
  for (int i = 0; i < n; i++) g->of[i] = i;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      if (g->of[i] != g->of[j] && interact(p, &p->blocks[i], &p->blocks[j])) join(n, g->of, i, j);
  g->count = 0;
  for (int i = 0; i < n; i++) g->of[i] = g->of[i] == i ? g->count++ : g->of[g->of[i]];
  return g->count;
}

solve_problem groups_take(solve_groups *g, const solve_problem *p, int k) {
  int n = 0;
  g->list.count = 0;
  for (int i = 0; i < p->block_count; i++) {
    if (g->of[i] != k) continue;
    solve_block b = p->blocks[i];
    b.row = n;
    block_list_add(&g->list, b);
    for (int j = 0; j < b.size; j++) g->row[n++] = p->blocks[i].row + j;
  }
  for (int i = 0; i < n; i++) {
    g->q[i] = p->q[g->row[i]];
    for (int j = 0; j < n; j++) g->W[(long)i * n + j] = entry(p, g->row[i], g->row[j]);
  }
  return block_list_problem(&g->list, n, g->W, g->q);
}

void groups_put(const solve_groups *g, solve_solution *whole) {
  int n = g->list.start[g->list.count];
  for (int i = 0; i < n; i++) whole->r[g->row[i]] = g->r[i], whole->u[g->row[i]] = g->u[i];
}
