#include "math/block_lu.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct block_lu {
  int count;
  int *size, *start;   // of each node: its rows, and the first of them in vectors
  int *order, *place;  // order[k] is eliminated as the k-th; place is the inverse
  // Nodes by place from here on. Node k has the later nodes next[first[k]] … next[first[k + 1] − 1], ascending.
  int *first, *next, *pivot;
  size_t *diagonal;       // where the block (k, k) begins
  size_t *upper, *lower;  // of each entry of `next`: where (k, j) and (j, k) begin
  double *values;
  size_t used;  // values
  double operations;
  // memory
  int most_nodes, most_rows, most_links;
  size_t most_values, most_words;
  uint64_t *near;  // while the order is found: a row of bits for each node
  int *degree;
};

block_lu *block_lu_create(void) { return calloc(1, sizeof(block_lu)); }

void block_lu_destroy(block_lu *f) {
  if (!f) return;
  void *all[] = {f->size,     f->start, f->order, f->place,  f->first, f->next,  f->pivot,
                 f->diagonal, f->upper, f->lower, f->values, f->near,  f->degree};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(f);
}

// --- memory ----------------------------------------------------------------------------------------------------------

// A larger array, without what was in it.
static bool renew(void *array, size_t count, size_t size) {
  void *old, *made = malloc(count * size + 1);
  memcpy(&old, array, sizeof old);
  if (!made) return false;
  free(old);
  memcpy(array, &made, sizeof made);
  return true;
}

static bool make_nodes(block_lu *f, int count, int rows) {
  size_t n = (size_t)count + (size_t)count / 2 + 1, m = (size_t)rows + (size_t)rows / 2 + 1,
         words = (size_t)count * (((size_t)count + 63) / 64);
  if (count > f->most_nodes) {
    f->most_nodes = 0;
    if (!renew(&f->size, n, sizeof *f->size) || !renew(&f->start, n, sizeof *f->start) ||
        !renew(&f->order, n, sizeof *f->order) || !renew(&f->place, n, sizeof *f->place) ||
        !renew(&f->first, n + 1, sizeof *f->first) || !renew(&f->diagonal, n, sizeof *f->diagonal) ||
        !renew(&f->degree, n, sizeof *f->degree))
      return false;
    f->most_nodes = (int)n;
  }
  if (words > f->most_words) {
    f->most_words = 0;
    if (!renew(&f->near, words + words / 2, sizeof *f->near)) return false;
    f->most_words = words + words / 2;
  }
  if (rows > f->most_rows) {
    f->most_rows = 0;
    if (!renew(&f->pivot, m, sizeof *f->pivot)) return false;
    f->most_rows = (int)m;
  }
  return true;
}

static bool make_links(block_lu *f, int count) {
  size_t n = (size_t)count + (size_t)count / 2 + 1;
  if (count <= f->most_links) return true;
  f->most_links = 0;
  if (!renew(&f->next, n, sizeof *f->next) || !renew(&f->upper, n, sizeof *f->upper) ||
      !renew(&f->lower, n, sizeof *f->lower))
    return false;
  f->most_links = (int)n;
  return true;
}

static bool make_values(block_lu *f) {
  size_t n = f->used + f->used / 2 + 1;
  if (f->used <= f->most_values) return true;
  f->most_values = 0;
  if (!renew(&f->values, n, sizeof *f->values)) return false;
  f->most_values = n;
  return true;
}

// --- order and fill --------------------------------------------------------------------------------------------------

static int words_of(const block_lu *f) { return (f->count + 63) / 64; }
static uint64_t *near_of(const block_lu *f, int node) { return f->near + (size_t)node * (size_t)words_of(f); }
static void set_near(const block_lu *f, int a, int b) { near_of(f, a)[b / 64] |= (uint64_t)1 << (b % 64); }

// Rows of the nodes that are near.
static int degree_of(const block_lu *f, int node) {
  const uint64_t *near = near_of(f, node);
  int sum = 0;
  for (int w = 0; w < words_of(f); w++)
    for (uint64_t bits = near[w]; bits; bits &= bits - 1) sum += f->size[64 * w + __builtin_ctzll(bits)];
  return sum;
}

// The neighbours of a node that is eliminated become neighbours of each other. What is left in its row are those that
// come later.
static void eliminate(block_lu *f, int node) {
  const uint64_t *from = near_of(f, node);
  int words = words_of(f);
  for (int w = 0; w < words; w++)
    for (uint64_t bits = from[w]; bits; bits &= bits - 1) {
      int other = 64 * w + __builtin_ctzll(bits);
      uint64_t *to = near_of(f, other);
      for (int k = 0; k < words; k++) to[k] |= from[k];
      to[other / 64] &= ~((uint64_t)1 << (other % 64));
      to[node / 64] &= ~((uint64_t)1 << (node % 64));
      f->degree[other] = degree_of(f, other);
    }
}

// The node of least degree comes next; of several the first.
static void find_order(block_lu *f) {
  for (int i = 0; i < f->count; i++) f->degree[i] = degree_of(f, i);
  for (int k = 0; k < f->count; k++) {
    int next = -1;
    for (int i = 0; i < f->count; i++)
      if (f->degree[i] >= 0 && (next < 0 || f->degree[i] < f->degree[next])) next = i;
    f->order[k] = next, f->place[next] = k;
    eliminate(f, next);
    f->degree[next] = -1;
  }
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int list_near(const block_lu *f, int node, int *to) {
  const uint64_t *near = near_of(f, node);
  int count = 0;
  for (int w = 0; w < words_of(f); w++)
    for (uint64_t bits = near[w]; bits; bits &= bits - 1, count++)
      if (to) to[count] = f->place[64 * w + __builtin_ctzll(bits)];
  return count;
}

static size_t take(block_lu *f, int rows, int columns) {
  size_t at = f->used;
  f->used += (size_t)rows * (size_t)columns;
  return at;
}

static int rows_at(const block_lu *f, int place) { return f->size[f->order[place]]; }

static bool lay_out(block_lu *f) {
  int links = 0;
  for (int i = 0; i < f->count; i++) links += list_near(f, i, NULL);
  if (!make_links(f, links)) return false;
  f->first[0] = 0, f->used = 0, f->operations = 0;
  for (int k = 0; k < f->count; k++) {
    int own = rows_at(f, k), count = list_near(f, f->order[k], f->next + f->first[k]);
    double rows = 0;
    qsort(f->next + f->first[k], (size_t)count, sizeof *f->next, compare);
    f->first[k + 1] = f->first[k] + count;
    f->diagonal[k] = take(f, own, own);
    for (int e = f->first[k]; e < f->first[k + 1]; e++) {
      int other = rows_at(f, f->next[e]);
      f->upper[e] = take(f, own, other), f->lower[e] = take(f, other, own);
      rows += other;
    }
    f->operations += 2 * own * rows * rows + 2.0 * own * own * rows + 2.0 / 3 * own * own * own;
  }
  return make_values(f);
}

bool block_lu_begin(block_lu *f, int count, const int *size) {
  int rows = 0;
  f->count = 0;
  if (count > BLOCK_LU_NODES_MAX) return false;
  for (int i = 0; i < count; i++) rows += size[i];
  if (!make_nodes(f, count, rows)) return false;
  f->count = count;
  for (int i = 0, at = 0; i < count; i++) f->size[i] = size[i], f->start[i] = at, at += size[i];
  memset(f->near, 0, (size_t)count * (size_t)words_of(f) * sizeof *f->near);
  return true;
}

void block_lu_join(block_lu *f, int a, int b) {
  if (a != b) set_near(f, a, b), set_near(f, b, a);
}

bool block_lu_end(block_lu *f) {
  find_order(f);
  return lay_out(f);
}

double block_lu_work(const block_lu *f) { return f->operations; }

// --- values ----------------------------------------------------------------------------------------------------------

void block_lu_clear(block_lu *f) { memset(f->values, 0, f->used * sizeof *f->values); }

// Where `later` is among the later nodes of `place`.
static int link_of(const block_lu *f, int place, int later) {
  int low = f->first[place], high = f->first[place + 1] - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (f->next[middle] < later) low = middle + 1;
    else high = middle;
  }
  return low;
}

double *block_lu_at(block_lu *f, int a, int b) {
  int i = f->place[a], j = f->place[b];
  if (i == j) return f->values + f->diagonal[i];
  return f->values + (i < j ? f->upper[link_of(f, i, j)] : f->lower[link_of(f, j, i)]);
}

// --- factors ---------------------------------------------------------------------------------------------------------

enum { SPATIAL = 6 };  // rows of a free body

// C := C − A B, A of n x k and B of k x m.
static inline void subtract_product(int n, int k, int m, const double *restrict A, const double *restrict B,
                                    double *restrict C) {
  for (int i = 0; i < n; i++)
    for (int l = 0; l < k; l++) {
      double a = A[i * k + l];
      for (int j = 0; j < m; j++) C[i * m + j] -= a * B[l * m + j];
    }
}

static void subtract_blocks(int n, int k, int m, const double *A, const double *B, double *C) {
  if (n == SPATIAL && k == SPATIAL && m == SPATIAL) subtract_product(SPATIAL, SPATIAL, SPATIAL, A, B, C);
  else subtract_product(n, k, m, A, B, C);
}

// Rows of X, n x m, by the factors of a diagonal block: X := D⁻¹ X.
static inline void solve_rows(int n, const double *restrict D, const int *pivot, int m, double *restrict X) {
  for (int i = 0; i < n; i++) {
    int p = pivot[i];
    for (int j = 0; p != i && j < m; j++) {
      double x = X[i * m + j];
      X[i * m + j] = X[p * m + j], X[p * m + j] = x;
    }
  }
  for (int i = 1; i < n; i++)
    for (int k = 0; k < i; k++)
      for (int j = 0; j < m; j++) X[i * m + j] -= D[i * n + k] * X[k * m + j];
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      for (int j = 0; j < m; j++) X[i * m + j] -= D[i * n + k] * X[k * m + j];
    for (int j = 0; j < m; j++) X[i * m + j] /= D[i * n + i];
  }
}

static void solve_block_rows(int n, const double *D, const int *pivot, int m, double *X) {
  if (n == SPATIAL && m == SPATIAL) solve_rows(SPATIAL, D, pivot, SPATIAL, X);
  else solve_rows(n, D, pivot, m, X);
}

static void solve_vector(int n, const double *D, const int *pivot, double *x) {
  if (n == SPATIAL) solve_rows(SPATIAL, D, pivot, 1, x);
  else solve_rows(n, D, pivot, 1, x);
}

// y := y − A x, A of n x m.
static void subtract_vector(int n, int m, const double *A, const double *x, double *y) {
  if (n == SPATIAL && m == SPATIAL) subtract_product(SPATIAL, SPATIAL, 1, A, x, y);
  else subtract_product(n, m, 1, A, x, y);
}

// P D = L U in place, with exchanges of rows. Returns false if D is singular or not finite.
static bool factor_diagonal(int n, double *D, int *pivot) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(D[i * n + k]) > fabs(D[p * n + k])) p = i;
    pivot[k] = p;
    for (int j = 0; p != k && j < n; j++) {
      double x = D[k * n + j];
      D[k * n + j] = D[p * n + j], D[p * n + j] = x;
    }
    if (!(fabs(D[k * n + k]) > 0 && fabs(D[k * n + k]) < INFINITY)) return false;
    for (int i = k + 1; i < n; i++) {
      double factor = D[i * n + k] /= D[k * n + k];
      for (int j = k + 1; j < n; j++) D[i * n + j] -= factor * D[k * n + j];
    }
  }
  return true;
}

// (i, j) := (i, j) − L_ik U_kj for all later nodes i and j of k. Those of k are among those of i and of j, in the same
// order.
static void update(block_lu *f, int k) {
  int own = rows_at(f, k);
  double *values = f->values;
  for (int e = f->first[k]; e < f->first[k + 1]; e++) {
    int i = f->next[e], rows = rows_at(f, i), at = f->first[i];
    const double *L_ik = values + f->lower[e], *U_ki = values + f->upper[e];
    subtract_blocks(rows, own, rows, L_ik, U_ki, values + f->diagonal[i]);
    for (int g = e + 1; g < f->first[k + 1]; g++) {
      int j = f->next[g], columns = rows_at(f, j);
      while (f->next[at] != j) at++;
      subtract_blocks(rows, own, columns, L_ik, values + f->upper[g], values + f->upper[at]);
      subtract_blocks(columns, own, rows, values + f->lower[g], U_ki, values + f->lower[at]);
    }
  }
}

bool block_lu_factor(block_lu *f) {
  int *pivot = f->pivot;
  for (int k = 0; k < f->count; pivot += rows_at(f, k), k++) {
    int own = rows_at(f, k);
    double *D = f->values + f->diagonal[k];
    if (!factor_diagonal(own, D, pivot)) return false;
    for (int e = f->first[k]; e < f->first[k + 1]; e++)
      solve_block_rows(own, D, pivot, rows_at(f, f->next[e]), f->values + f->upper[e]);
    update(f, k);
  }
  return true;
}

void block_lu_solve(const block_lu *f, double *x) {
  const int *pivot = f->pivot;
  for (int k = 0; k < f->count; pivot += rows_at(f, k), k++) {
    int own = rows_at(f, k);
    double *xk = x + f->start[f->order[k]];
    solve_vector(own, f->values + f->diagonal[k], pivot, xk);
    for (int e = f->first[k]; e < f->first[k + 1]; e++)
      subtract_vector(rows_at(f, f->next[e]), own, f->values + f->lower[e], xk, x + f->start[f->order[f->next[e]]]);
  }
  for (int k = f->count - 1; k >= 0; k--) {
    double *xk = x + f->start[f->order[k]];
    for (int e = f->first[k]; e < f->first[k + 1]; e++)
      subtract_vector(rows_at(f, k), rows_at(f, f->next[e]), f->values + f->upper[e],
                      x + f->start[f->order[f->next[e]]], xk);
  }
}
