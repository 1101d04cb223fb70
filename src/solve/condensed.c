#include "solve/condensed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/block_lu.h"

struct condensed {
  const solve_matrix *W;
  block_lu *all, *some;  // of all blocks, and of those that were not left out last
  block_lu *lu;          // the one in use
  bool known, fits;      // the nodes of the problem were looked for, and found
  bool analysed;         // the pattern of all blocks is known
  int *node, *size;      // of each velocity its node; of each node its velocities
  double *product;       // E J of a large piece
  int nodes, most;       // velocities that there is memory for
  bool *joined;          // of each block: whether it is in the pattern of `some`
  int joined_count;      // 0: there is no such pattern
  int most_blocks;       // that there is memory for
};

condensed *condensed_create(void) {
  condensed *c = calloc(1, sizeof *c);
  if (c) c->all = block_lu_create(), c->some = block_lu_create();
  if (c && c->all && c->some) return c;
  condensed_destroy(c);
  return NULL;
}

void condensed_destroy(condensed *c) {
  if (!c) return;
  block_lu_destroy(c->all), block_lu_destroy(c->some);
  free(c->node), free(c->size), free(c->product), free(c->joined);
  free(c);
}

void condensed_forget(condensed *c) { c->known = false; }

static bool make_memory(condensed *c, int velocities, int blocks) {
  if (blocks > c->most_blocks) {
    size_t count = (size_t)blocks + (size_t)blocks / 2;
    bool *joined = malloc(count * sizeof *joined);
    if (!joined) return false;
    free(c->joined), c->joined = joined, c->most_blocks = (int)count;
  }
  if (velocities <= c->most) return true;
  size_t count = (size_t)velocities + (size_t)velocities / 2;
  int *node = malloc(count * sizeof *node), *size = malloc(count * sizeof *size);
  double *product = malloc(BLOCK_ROWS_MAX * count * sizeof *product);
  if (!node || !size || !product) return free(node), free(size), free(product), false;
  free(c->node), free(c->size), free(c->product);
  c->node = node, c->size = size, c->product = product, c->most = (int)count;
  return true;
}

// Nodes are the parts into which the ends of all pieces divide the velocities. A mark is set where one begins.
static void mark(const matrix_pieces *p, int block_count, int velocities, int *marks) {
  for (int k = 0; k < p->first[block_count]; k++) {
    if (!p->width[k]) continue;
    marks[p->at[k]] = 1;
    if (p->at[k] + p->width[k] < velocities) marks[p->at[k] + p->width[k]] = 1;
  }
}

static bool same_places(const solve_matrix *W) {
  if (W->J.first == W->B.first && W->J.at == W->B.at && W->J.width == W->B.width) return true;
  int count = W->J.first[W->block_count];
  return memcmp(W->J.first, W->B.first, (size_t)(W->block_count + 1) * sizeof(int)) == 0 &&
         memcmp(W->J.at, W->B.at, (size_t)count * sizeof(int)) == 0 &&
         memcmp(W->J.width, W->B.width, (size_t)count * sizeof(int)) == 0;
}

bool condensed_suits(const solve_problem *p) {
  const solve_matrix *W = &p->W;
  if (!W->velocities || !same_places(W)) return false;
  for (int i = 0; W->own && i < W->rows; i++)
    if (W->own[i] != 0) return false;
  return true;
}

static bool find_nodes(condensed *c, const solve_matrix *W) {
  const matrix_pieces *J = &W->J;
  c->nodes = 0;
  memset(c->node, 0, (size_t)W->velocities * sizeof *c->node);
  mark(J, W->block_count, W->velocities, c->node);
  for (int v = 0; v < W->velocities; v++) {
    if (v == 0 || c->node[v]) c->size[c->nodes++] = 0;
    c->size[c->nodes - 1]++, c->node[v] = c->nodes - 1;
  }
  for (int k = 0; k < J->first[W->block_count]; k++)
    if (J->width[k] && J->width[k] != c->size[c->node[J->at[k]]]) return false;
  return c->nodes <= BLOCK_LU_NODES_MAX;
}

static bool find_pattern(const condensed *c, block_lu *lu, const bool *left_out) {
  const matrix_pieces *J = &c->W->J;
  if (!block_lu_begin(lu, c->nodes, c->size)) return false;
  for (int b = 0; b < c->W->block_count; b++)
    for (int k = J->first[b]; !(left_out && left_out[b]) && k < J->first[b + 1]; k++)
      for (int l = k + 1; l < J->first[b + 1]; l++)
        if (J->width[k] && J->width[l]) block_lu_join(lu, c->node[J->at[k]], c->node[J->at[l]]);
  return block_lu_end(lu);
}

bool condensed_begin(condensed *c, const solve_problem *p) {
  c->W = &p->W;
  if (!c->known) {
    c->joined_count = 0, c->analysed = false;
    c->fits = condensed_suits(p) && make_memory(c, p->W.velocities, p->block_count) && find_nodes(c, &p->W);
  }
  c->known = true;
  return c->fits;
}

static block_lu *of_all(condensed *c) {
  if (!c->analysed) c->analysed = find_pattern(c, c->all, NULL);
  return c->analysed ? c->all : NULL;
}

double condensed_work(condensed *c) { return of_all(c) ? block_lu_work(c->all) : INFINITY; }

double condensed_work_cleared(const condensed *c) { return block_lu_work(c->lu); }

// Whether the pattern of `some` has room for the blocks that are not left out, and not for many more.
static bool still_fits(const condensed *c, const bool *left_out) {
  int count = 0;
  for (int b = 0; b < c->W->block_count; b++) {
    if (left_out[b]) continue;
    if (!c->joined[b]) return false;
    count++;
  }
  return count >= 0.9 * c->joined_count;
}

static void join(condensed *c, const bool *left_out) {
  c->joined_count = 0;
  if (!find_pattern(c, c->some, left_out)) return;
  for (int b = 0; b < c->W->block_count; b++) c->joined[b] = !left_out[b], c->joined_count += !left_out[b];
}

// Where most blocks take part, a pattern of their own gains little.
static block_lu *choose(condensed *c, const bool *left_out) {
  int out = 0;
  for (int b = 0; left_out && b < c->W->block_count; b++) out += left_out[b];
  if (out < 0.1 * c->W->block_count || out == c->W->block_count) return of_all(c);
  if (!(c->joined_count && still_fits(c, left_out))) join(c, left_out);
  return c->joined_count ? c->some : of_all(c);
}

bool condensed_clear(condensed *c, const bool *left_out) {
  c->lu = choose(c, left_out);
  if (!c->lu) return false;
  block_lu_clear(c->lu);
  for (int k = 0; k < c->nodes; k++) {
    double *D = block_lu_at(c->lu, k, k);
    for (int i = 0; i < c->size[k]; i++) D[i * c->size[k] + i] = 1;
  }
  return true;
}

enum { SPATIAL = 6 };  // velocities of a free body

// P := E J
static inline void multiply_piece(int size, int columns, const double *E, const double *J, double *P) {
  for (int i = 0; i < size; i++)
    for (int b = 0; b < columns; b++) {
      double sum = 0;
      for (int j = 0; j < size; j++) sum += E[i * size + j] * J[j * columns + b];
      P[i * columns + b] = sum;
    }
}

// A := A + Bᵀ P
static inline void add_piece(int size, int rows, int columns, const double *restrict B, const double *restrict P,
                             double *restrict A) {
  for (int a = 0; a < rows; a++)
    for (int b = 0; b < columns; b++) {
      double sum = 0;
      for (int i = 0; i < size; i++) sum += B[i * rows + a] * P[i * columns + b];
      A[a * columns + b] += sum;
    }
}

void condensed_add(condensed *c, int b, const double *E) {
  const matrix_pieces *J = &c->W->J, *B = &c->W->B;
  int size = matrix_block_size(c->W, b);
  for (int l = J->first[b]; l < J->first[b + 1]; l++) {
    int columns = J->width[l];
    const double *to = J->values + J->offset[l];
    double own[3 * SPATIAL], *P = size * columns <= 3 * SPATIAL ? own : c->product;
    bool spatial = size == 3 && columns == SPATIAL;
    if (spatial) multiply_piece(3, SPATIAL, E, to, P);
    else multiply_piece(size, columns, E, to, P);
    for (int k = J->first[b]; columns && k < J->first[b + 1]; k++) {
      int rows = J->width[k];
      if (!rows) continue;
      double *A = block_lu_at(c->lu, c->node[J->at[k]], c->node[J->at[l]]);
      const double *from = B->values + B->offset[k];
      if (spatial && rows == SPATIAL) add_piece(3, SPATIAL, SPATIAL, from, P, A);
      else add_piece(size, rows, columns, from, P, A);
    }
  }
}

bool condensed_factor(condensed *c) { return block_lu_factor(c->lu); }
void condensed_solve(const condensed *c, double *v) { block_lu_solve(c->lu, v); }
