#include "solve/islands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "solve/normal_packed.h"

enum { DENSE_ROWS = 48 };   // up to so many rows W is formed: small problems have solvers that need it
enum { EXACT_ROWS = 100 };  // up to so many unilateral rows the chain solves exactly; beyond, it sweeps

// Pieces of one island; their values stay where they are.
typedef struct part_pieces {
  int *first, *at, *width;
  size_t *offset;
} part_pieces;

struct island_part {
  int *root, *number;  // of each velocity: the first one that it is joined with; of a root, its island, or -1
  int *island_of;      // of each block; a velocity of it, or -1, while islands are searched
  solve_block *blocks;
  int *start;
  part_pieces J, B;
  double *q, *r, *u, *own, *diagonal, *dense;
  // where the pieces of the last problem lie whose islands were found
  int seen_blocks, seen_velocities;
  part_pieces seen_J, seen_B;  // without offsets
  // of the large islands that are swept together
  int *swept;
  packed_normals *normals;
};

// --- memory ----------------------------------------------------------------------------------------------------------

static part_pieces lay_out_pieces(solve_workspace *w, const island_limits *l) {
  return (part_pieces){TAKE(w, int, l->blocks + 1), TAKE(w, int, l->pieces), TAKE(w, int, l->pieces),
                       TAKE(w, size_t, l->pieces)};
}

static void lay_out(solve_islands *x, solve_workspace *w, const island_limits *l) {
  x->first = TAKE(w, int, l->blocks + 1);
  x->block = TAKE(w, int, l->blocks);
  x->velocities = TAKE(w, int, l->blocks);
  x->place = TAKE(w, int, l->velocities);
  x->part = TAKE(w, island_part, 1);
  island_part part = {.root = TAKE(w, int, l->velocities),
                      .number = TAKE(w, int, l->velocities),
                      .island_of = TAKE(w, int, l->blocks),
                      .blocks = TAKE(w, solve_block, l->blocks),
                      .start = TAKE(w, int, l->blocks + 1),
                      .J = lay_out_pieces(w, l),
                      .B = lay_out_pieces(w, l),
                      .q = TAKE(w, double, l->rows),
                      .r = TAKE(w, double, l->rows),
                      .u = TAKE(w, double, l->rows),
                      .own = TAKE(w, double, l->rows),
                      .diagonal = TAKE(w, double, l->rows),
                      .dense = TAKE(w, double, DENSE_ROWS *DENSE_ROWS),
                      .seen_blocks = -1,
                      .seen_J = lay_out_pieces(w, l),
                      .seen_B = lay_out_pieces(w, l),
                      .swept = TAKE(w, int, l->blocks),
                      .normals = normals_lay_out(w, &(solve_limits){.blocks = l->blocks, .velocities = l->velocities})};
  if (x->part) *x->part = part;
}

static int larger(int a, int b) { return a > b ? a : b; }
static int beyond(int a) { return a + a / 2; }

static bool make_memory(solve_islands *x, const solve_problem *p, carom_error *error) {
  const solve_matrix *W = &p->W;
  island_limits l = {W->rows, W->block_count, W->velocities,
                     larger(W->J.first[W->block_count], W->B.first[W->block_count])};
  const island_limits *has = &x->limits;
  if (x->memory && l.rows <= has->rows && l.blocks <= has->blocks && l.velocities <= has->velocities &&
      l.pieces <= has->pieces)
    return true;
  l = (island_limits){beyond(larger(l.rows, has->rows)), beyond(larger(l.blocks, has->blocks)),
                      larger(l.velocities, has->velocities), beyond(larger(l.pieces, has->pieces))};
  solve_workspace w = {0};
  solve_islands measured = {0};
  lay_out(&measured, &w, &l);
  char *memory = aligned_alloc(64, w.used + 64);
  if (!memory)
    return error_set(error, CAROM_ERROR_MEMORY, "out of memory for contact problems of %d rows", W->rows), false;
  free(x->memory);
  w = (solve_workspace){.base = memory, .size = w.used};
  lay_out(x, &w, &l);
  x->memory = memory, x->limits = l;
  return true;
}

void islands_free(solve_islands *x) {
  solve_workspace_destroy(x->workspace);
  free(x->memory);
  *x = (solve_islands){.crew = x->crew};
}

// --- who interacts ---------------------------------------------------------------------------------------------------

static int root_of(int *root, int v) {
  while (root[v] != v) v = root[v] = root[root[v]];
  return v;
}

// The smaller of two roots stays one, so that a root is the first velocity of its island.
static int join(int *root, int a, int b) {
  a = root_of(root, a), b = root_of(root, b);
  return a < b ? (root[b] = a) : (root[a] = b);
}

// Joins what the pieces of a block lie on. Returns a velocity of the block, `any` if there was one before; -1: none.
// Most pieces lie where others did: their velocities are known to be joined.
static int join_pieces(int *root, const matrix_pieces *p, int block, int any) {
  for (int k = p->first[block]; k < p->first[block + 1]; k++) {
    int at = p->at[k];
    if (p->width[k]) any = any < 0 ? at : join(root, any, at);
    for (int v = at + 1; v < at + p->width[k]; v++)
      if (root[v] != at && root[v] != root[at]) any = join(root, any, v);
  }
  return any;
}

// Islands by their first velocity; behind them, each by itself, blocks that nothing can move.
static void number_islands(solve_islands *x, const solve_matrix *W) {
  const island_part *part = x->part;
  int *number = part->number, *island_of = part->island_of;
  x->count = 0;
  for (int v = 0; v < W->velocities; v++) number[v] = -1;
  for (int b = 0; b < W->block_count; b++)
    if (island_of[b] >= 0) number[root_of(part->root, island_of[b])] = 0;
  for (int v = 0; v < W->velocities; v++)
    if (number[v] == 0) number[v] = x->count++;
  for (int b = 0; b < W->block_count; b++)
    island_of[b] = island_of[b] >= 0 ? number[root_of(part->root, island_of[b])] : x->count++;
}

static void place_velocities(solve_islands *x, const solve_matrix *W) {
  const island_part *part = x->part;
  for (int i = 0; i < x->count; i++) x->velocities[i] = 0;
  for (int v = 0; v < W->velocities; v++) {
    int island = part->number[root_of(part->root, v)];
    x->place[v] = island < 0 ? 0 : x->velocities[island]++;
  }
}

static void sort_blocks(solve_islands *x, int block_count) {
  const int *island_of = x->part->island_of;
  int *first = x->first;
  memset(first, 0, (size_t)(x->count + 1) * sizeof *first);
  for (int b = 0; b < block_count; b++) first[island_of[b]]++;
  for (int i = 0; i < x->count; i++) first[i + 1] += first[i];
  for (int b = block_count - 1; b >= 0; b--) x->block[--first[island_of[b]]] = b;
}

// Bodies that rest on each other touch in the same places step by step: their islands are those of the last step.
static bool same_pieces(const part_pieces *seen, const matrix_pieces *p, int blocks) {
  size_t pieces = (size_t)p->first[blocks];
  return memcmp(seen->first, p->first, (size_t)(blocks + 1) * sizeof *p->first) == 0 &&
         memcmp(seen->at, p->at, pieces * sizeof *p->at) == 0 &&
         memcmp(seen->width, p->width, pieces * sizeof *p->width) == 0;
}

static bool is_seen(const island_part *part, const solve_matrix *W) {
  return part->seen_blocks == W->block_count && part->seen_velocities == W->velocities &&
         same_pieces(&part->seen_J, &W->J, W->block_count) && same_pieces(&part->seen_B, &W->B, W->block_count);
}

static void keep_pieces(part_pieces *to, const matrix_pieces *p, int blocks) {
  size_t pieces = (size_t)p->first[blocks];
  memcpy(to->first, p->first, (size_t)(blocks + 1) * sizeof *p->first);
  memcpy(to->at, p->at, pieces * sizeof *p->at);
  memcpy(to->width, p->width, pieces * sizeof *p->width);
}

static void search(solve_islands *x, const solve_matrix *W) {
  island_part *part = x->part;
  for (int v = 0; v < W->velocities; v++) part->root[v] = v;
  for (int b = 0; b < W->block_count; b++) {
    part->island_of[b] = join_pieces(part->root, &W->J, b, -1);
    if (!matrix_is_symmetric(W)) part->island_of[b] = join_pieces(part->root, &W->B, b, part->island_of[b]);
  }
  number_islands(x, W);
  place_velocities(x, W);
  sort_blocks(x, W->block_count);
  part->seen_blocks = W->block_count, part->seen_velocities = W->velocities;
  keep_pieces(&part->seen_J, &W->J, W->block_count);
  keep_pieces(&part->seen_B, &W->B, W->block_count);
}

// --- the problem of one island ---------------------------------------------------------------------------------------

// Appends the pieces of a block; `k` is its number in the island.
static void take_pieces(const solve_islands *x, const matrix_pieces *from, int block, int k, part_pieces *to) {
  int used = to->first[k];
  for (int i = from->first[block]; i < from->first[block + 1]; i++, used++) {
    to->at[used] = from->width[i] ? x->place[from->at[i]] : 0;
    to->width[used] = from->width[i], to->offset[used] = from->offset[i];
  }
  to->first[k + 1] = used;
}

static matrix_pieces pieces_of(const part_pieces *p, const double *values) {
  return (matrix_pieces){p->first, p->at, p->width, p->offset, values};
}

static solve_problem take_part(solve_islands *x, const solve_problem *p, int island) {
  island_part *part = x->part;
  int count = x->first[island + 1] - x->first[island], row = 0;
  bool symmetric = matrix_is_symmetric(&p->W);
  part->J.first[0] = part->B.first[0] = 0;
  for (int k = 0; k < count; k++) {
    int b = x->block[x->first[island] + k];
    const solve_block *from = &p->blocks[b];
    part->blocks[k] = *from;
    part->blocks[k].row = part->start[k] = row;
    for (int i = 0; i < from->size; i++, row++) {
      part->q[row] = p->q[from->row + i];
      part->own[row] = p->W.own ? p->W.own[from->row + i] : 0;
      if (p->W.diagonal) part->diagonal[row] = p->W.diagonal[from->row + i];
    }
    take_pieces(x, &p->W.J, b, k, &part->J);
    if (!symmetric) take_pieces(x, &p->W.B, b, k, &part->B);
  }
  part->start[count] = row;
  solve_matrix W = matrix_factored(row, count, part->start, x->velocities[island], pieces_of(&part->J, p->W.J.values),
                                   pieces_of(symmetric ? &part->J : &part->B, p->W.B.values));
  W.own = p->W.own ? part->own : NULL;
  W.diagonal = p->W.diagonal ? part->diagonal : NULL;
  W.crew = x->crew;
  if (row <= DENSE_ROWS) {
    W.ops->dense(&W, part->dense);
    W = matrix_dense(row, count, part->start, part->dense);
  }
  return (solve_problem){count, part->blocks, W, part->q};
}

// What the problem of an island needs, by its counts alone.
static solve_limits limits_of(const solve_islands *x, const solve_problem *p, int island) {
  solve_block *blocks = x->part->blocks;
  int count = x->first[island + 1] - x->first[island], rows = 0;
  for (int k = 0; k < count; k++) blocks[k] = p->blocks[x->block[x->first[island] + k]], rows += blocks[k].size;
  // with the velocities also where W is formed: the island may outgrow that
  return solve_limits_exact(&(solve_problem){count, blocks, {.rows = rows, .velocities = x->velocities[island]}, NULL});
}

// Copies between the rows of an island and those of the whole. Blocks are small: a call for each would take longer.
static void take_rows(const solve_islands *x, const solve_problem *p, int island, const double *whole, double *part) {
  for (int k = x->first[island]; k < x->first[island + 1]; k++) {
    const solve_block *b = &p->blocks[x->block[k]];
    for (int i = b->row; i < b->row + b->size; i++) *part++ = whole[i];
  }
}

static void give_rows(const solve_islands *x, const solve_problem *p, int island, const solve_solution *part,
                      const solve_solution *whole) {
  for (int k = x->first[island], row = 0; k < x->first[island + 1]; k++) {
    const solve_block *b = &p->blocks[x->block[k]];
    for (int i = b->row; i < b->row + b->size; i++, row++) whole->r[i] = part->r[row], whole->u[i] = part->u[row];
  }
}

bool islands_find(solve_islands *x, const solve_problem *p, carom_error *error) {
  const solve_matrix *W = &p->W;
  if (!make_memory(x, p, error)) return false;
  if (!is_seen(x->part, W)) search(x, W);
  solve_limits limits = {0};
  for (int i = 0; i < x->count; i++) {
    solve_limits own = limits_of(x, p, i);
    limits = solve_limits_union(&limits, &own);
  }
  if (x->workspace && solve_workspace_fits(x->workspace, &limits)) return true;
  if (x->workspace) limits = solve_limits_union(&limits, &x->workspace->limits);
  limits = solve_limits_beyond(&limits);
  solve_workspace *made = solve_workspace_create(&limits, error);
  if (!made) return false;
  solve_workspace_destroy(x->workspace);
  x->workspace = made;
  return true;
}

// --- the solution ----------------------------------------------------------------------------------------------------

static bool is_worse(const solve_info *a, const solve_info *b) {
  bool solved_a = a->status == SOLVE_SOLVED, solved_b = b->status == SOLVE_SOLVED;
  return solved_a != solved_b ? solved_b : !(a->residual <= b->residual);
}

static solve_info solve_island(solve_islands *x, const solve_problem *p, int island, const solve_settings *settings,
                               interrupt *stop, solve_solution *solution, chain_tally *tally) {
  island_part *part = x->part;
  solve_problem of = take_part(x, p, island);
  solve_solution to = {part->r, part->u};
  x->workspace->stop = stop;
  take_rows(x, p, island, solution->r, part->r);
  solve_info info = solve_chain(&of, settings, x->workspace, &to, tally);
  give_rows(x, p, island, &to, solution);
  return info;
}

solve_info islands_solve(solve_islands *x, const solve_problem *p, const solve_settings *settings, interrupt *stop,
                         solve_solution *solution, chain_tally *tally) {
  solve_info all = {.status = SOLVE_SOLVED, .stage = SOLVE_ZERO_STAGE};
  chain_tally before = tally ? *tally : (chain_tally){0};
  for (int i = 0; i < x->count && all.status != SOLVE_INTERRUPTED; i++) {
    solve_info here = solve_island(x, p, i, settings, stop, solution, tally);
    int iterations = all.iterations + here.iterations;
    if (i == 0 || here.status == SOLVE_INTERRUPTED || is_worse(&here, &all)) all = here;
    all.iterations = iterations;
  }
  if (tally && all.status == SOLVE_INTERRUPTED) *tally = before;  // the problem comes again, and is counted then
  return all;
}

// Islands do not share bodies, so that sweeps over several at once are those over each.
void islands_sweep(solve_islands *x, const solve_problem *p, const solve_settings *settings, interrupt *stop,
                   solve_solution *solution) {
  island_part *part = x->part;
  chain_tally unread = {.worst_residual = INFINITY};  // no problem is the worst, of which more would be found
  bool suits = packed_suits(p, BLOCK_UNILATERAL);
  int count = 0;
  for (int i = 0; i < x->count && !interrupted(stop); i++) {
    int first = x->first[i], blocks = x->first[i + 1] - first;
    if (suits && blocks > EXACT_ROWS) {
      memcpy(part->swept + count, x->block + first, (size_t)blocks * sizeof *part->swept);
      count += blocks;
    } else (void)solve_island(x, p, i, settings, stop, solution, &unread);
  }
  if (count == 0) return;
  solve_problem shared = *p;
  shared.W.crew = x->crew;
  normals_begin(part->normals, &shared, (packed_list){part->swept, count}, NULL);
  for (int k = 0; k < settings->iterations && !interrupted(stop); k++)
    if (!(normals_sweep(part->normals) > 0)) break;
  normals_give(part->normals, solution->r);
}
