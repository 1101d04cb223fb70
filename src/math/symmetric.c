#include "math/symmetric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

// --- pattern and products --------------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// Sets that each index is in, compressed by indices.
static int *sets_of(arena *memory, int n, int set_count, const int *start, const int *item, int **first) {
  int *of = ARENA_ARRAY(memory, int, start[set_count] + 1), *at = ARENA_ARRAY(memory, int, n + 1);
  *first = ARENA_ARRAY(memory, int, n + 1);
  for (int k = 0; k < start[set_count]; k++) (*first)[item[k] + 1]++;
  for (int i = 0; i < n; i++) (*first)[i + 1] += (*first)[i], at[i] = (*first)[i];
  for (int s = 0; s < set_count; s++)
    for (int k = start[s]; k < start[s + 1]; k++) of[at[item[k]]++] = s;
  return of;
}

symmetric symmetric_create(arena *memory, int n, int set_count, const int *start, const int *item) {
  symmetric A = {.n = n, .start = ARENA_ARRAY(memory, int, n + 1)};
  int *first, *of = sets_of(memory, n, set_count, start, item, &first), *seen = ARENA_ARRAY(memory, int, n);
  int count = 0, capacity = 0;
  for (int i = 0; i < n; i++) {
    seen[i] = i + 1;
    *ARENA_PUSH(memory, A.column, count, capacity) = i;
    for (int s = first[i]; s < first[i + 1]; s++)
      for (int k = start[of[s]]; k < start[of[s] + 1]; k++) {
        if (seen[item[k]] == i + 1) continue;
        seen[item[k]] = i + 1;
        *ARENA_PUSH(memory, A.column, count, capacity) = item[k];
      }
    qsort(A.column + A.start[i], (size_t)(count - A.start[i]), sizeof *A.column, by_size);
    A.start[i + 1] = count;
  }
  A.value = ARENA_ARRAY(memory, double, count);
  return A;
}

static int by_column(const void *a, const void *b) {
  return ((const symmetric_item *)a)->column - ((const symmetric_item *)b)->column;
}

static bool is_kept(const symmetric_item *e) { return e->value != 0 && e->row != e->column; }

// Sorts entries by rows, each with its image in the other triangle unless that is among them.
static symmetric_item *sort_items(arena *memory, int n, int count, const symmetric_item *items, bool both, int *start) {
  const int images = both ? 1 : 2;
  int *at = ARENA_ARRAY(memory, int, n);
  for (int k = 0; k < count; k++)
    for (int j = 0; is_kept(&items[k]) && j < images; j++) start[1 + (j ? items[k].column : items[k].row)]++;
  for (int i = 0; i < n; i++) at[i] = start[i] += i ? start[i - 1] : 0;  // start[i] counts row i - 1 so far
  symmetric_item *sorted = ARENA_ARRAY(memory, symmetric_item, start[n] += n ? start[n - 1] : 0);
  for (int k = 0; k < count; k++)
    for (int j = 0; is_kept(&items[k]) && j < images; j++) {
      const symmetric_item e = items[k];
      sorted[at[j ? e.column : e.row]++] = j ? (symmetric_item){e.column, e.row, e.value} : e;
    }
  for (int i = 0; i < n; i++) qsort(sorted + start[i], (size_t)(start[i + 1] - start[i]), sizeof *sorted, by_column);
  return sorted;
}

// Both triangles become their mean. Returns false where they differ.
static bool check_symmetry(symmetric *A, symmetric_item *wrong) {
  for (int i = 0; i < A->n; i++)
    for (int k = A->start[i]; k < A->start[i + 1]; k++) {
      const int j = A->column[k];
      double *image = symmetric_entry(A, j, i), other = image ? *image : 0;
      const double size = sqrt(fabs(symmetric_value(A, i, i) * symmetric_value(A, j, j)));
      *wrong = (symmetric_item){i, j, A->value[k]};
      if (!(fabs(A->value[k] - other) <= 1e-8 * size)) return false;
      if (image && j > i) A->value[k] = *image = (A->value[k] + *image) / 2;
    }
  return true;
}

bool symmetric_of_items(arena *memory, int n, int count, const symmetric_item *items, bool both, symmetric *to,
                        symmetric_item *wrong, bool *twice) {
  int *start = ARENA_ARRAY(memory, int, n + 1), used = 0;
  double *diagonal = ARENA_ARRAY(memory, double, n);
  bool *known = ARENA_ARRAY(memory, bool, n);
  *twice = true;
  for (int k = 0; k < count; k++) {
    const int i = items[k].row;
    if (i != items[k].column) continue;
    *wrong = items[k];
    if (known[i]) return false;
    known[i] = true, diagonal[i] = items[k].value;
  }
  const symmetric_item *sorted = sort_items(memory, n, count, items, both, start);
  *to = (symmetric){.n = n, .start = ARENA_ARRAY(memory, int, n + 1)};
  to->column = ARENA_ARRAY(memory, int, start[n] + n), to->value = ARENA_ARRAY(memory, double, start[n] + n);
  for (int i = 0; i < n; i++) {
    int k = start[i];
    for (bool before = true; before || k < start[i + 1];) {
      const bool own = before && (k == start[i + 1] || sorted[k].column > i);
      *wrong = own ? (symmetric_item){i, i, 0} : sorted[k];
      if (!own && used > to->start[i] && to->column[used - 1] == sorted[k].column) return false;
      to->column[used] = own ? i : sorted[k].column, to->value[used++] = own ? diagonal[i] : sorted[k].value;
      if (own) before = false;
      else k++;
    }
    to->start[i + 1] = used;
  }
  *twice = false;
  return !both || check_symmetry(to, wrong);
}

double *symmetric_entry(const symmetric *A, int row, int column) {
  int low = A->start[row], high = A->start[row + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (A->column[middle] == column) return &A->value[middle];
    if (A->column[middle] < column) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

double symmetric_value(const symmetric *A, int row, int column) {
  const double *entry = symmetric_entry(A, row, column);
  return entry ? *entry : 0;
}

void symmetric_multiply(const symmetric *A, const double *x, double *y) {
  for (int i = 0; i < A->n; i++) {
    double sum = 0;
    for (int k = A->start[i]; k < A->start[i + 1]; k++) sum += A->value[k] * x[A->column[k]];
    y[i] = sum;
  }
}

symmetric symmetric_part(arena *memory, const symmetric *A, double sigma, const symmetric *B, int count,
                         const int *list) {
  symmetric to = {.n = count, .start = ARENA_ARRAY(memory, int, count + 1)};
  const int most = A->start[A->n] + (B ? B->start[B->n] : 0);
  int *place = ARENA_ARRAY(memory, int, A->n), used = 0;
  for (int k = 0; k < count; k++) place[list[k]] = k + 1;
  to.column = ARENA_ARRAY(memory, int, most), to.value = ARENA_ARRAY(memory, double, most);
  for (int k = 0; k < count; k++) {
    int a = A->start[list[k]], b = B ? B->start[list[k]] : 0;
    const int a_end = A->start[list[k] + 1], b_end = B ? B->start[list[k] + 1] : 0;
    while (a < a_end || b < b_end) {
      const int from_a = a < a_end ? A->column[a] : A->n, from_b = b < b_end ? B->column[b] : A->n;
      const int column = from_a < from_b ? from_a : from_b;
      double value = 0;
      if (from_a == column) value += A->value[a++];
      if (from_b == column) value -= sigma * B->value[b++];
      if (place[column]) to.column[used] = place[column] - 1, to.value[used++] = value;
    }
    to.start[k + 1] = used;
  }
  return to;
}

// --- factors ---------------------------------------------------------------------------------------------------------

// Row by row. The entries of row k of L are where the paths from the entries of row k of A lead in the elimination
// tree: `parent` of column i is the first row below i with an entry in that column.
typedef struct elimination {
  const symmetric *A;
  const int *order;  // from rows of the factor to those of A
  int *place;        // and back
  int *parent, *flag, *length;
  int *path, *pattern;
} elimination;

// The columns of row k of L in an order in which they can be eliminated, at the end of `pattern`; returns where they
// begin. Extends the tree by row k.
static int row_pattern(elimination *e, int k) {
  const int n = e->A->n, row = e->order[k];
  int top = n;
  e->flag[k] = k + 1;
  for (int p = e->A->start[row]; p < e->A->start[row + 1]; p++) {
    int i = e->place[e->A->column[p]], length = 0;
    if (i >= k) continue;
    for (; e->flag[i] != k + 1; i = e->parent[i]) {
      if (e->parent[i] < 0) e->parent[i] = k;
      e->path[length++] = i, e->flag[i] = k + 1;
    }
    while (length > 0) e->pattern[--top] = e->path[--length];
  }
  return top;
}

static elimination start_elimination(arena *memory, const symmetric *A, const int *order) {
  elimination e = {.A = A, .order = order, .place = ARENA_ARRAY(memory, int, A->n)};
  e.parent = ARENA_ARRAY(memory, int, A->n), e.flag = ARENA_ARRAY(memory, int, A->n);
  e.length = ARENA_ARRAY(memory, int, A->n), e.path = ARENA_ARRAY(memory, int, A->n);
  e.pattern = ARENA_ARRAY(memory, int, A->n);
  for (int k = 0; k < A->n; k++) e.place[order[k]] = k, e.parent[k] = -1;
  return e;
}

// Lengths of the columns of L. Returns false if there are more entries than an int counts.
static bool count_columns(arena *memory, elimination *e, symmetric_factor *to) {
  const int n = e->A->n;
  long sum = 0;
  for (int k = 0; k < n; k++)
    for (int p = row_pattern(e, k); p < n; p++) e->length[e->pattern[p]]++;
  to->start = ARENA_ARRAY(memory, int, n + 1);
  for (int k = 0; k < n; k++) {
    sum += e->length[k];
    if (sum > 500000000) return false;
    to->start[k + 1] = (int)sum, e->length[k] = 0, e->flag[k] = 0;
  }
  to->row = ARENA_ARRAY(memory, int, sum), to->L = ARENA_ARRAY(memory, double, sum);
  return true;
}

// Row k: L D y = A(k, 0..k-1) with the rows before it; d = a_kk - Σ l² D.
static bool factor_row(elimination *e, int k, double *y, symmetric_factor *to) {
  const int n = e->A->n, row = e->order[k];
  double diagonal = 0;
  const int top = row_pattern(e, k);
  for (int p = e->A->start[row]; p < e->A->start[row + 1]; p++) {
    const int i = e->place[e->A->column[p]];
    if (i < k) y[i] = e->A->value[p];
    else if (i == k) diagonal = e->A->value[p];
  }
  double d = diagonal;
  for (int p = top; p < n; p++) {
    const int i = e->pattern[p], from = to->start[i], end = from + e->length[i]++;
    const double yi = y[i], l = yi / to->D[i];
    y[i] = 0;
    for (int q = from; q < end; q++) y[to->row[q]] -= to->L[q] * yi;
    d -= l * yi;
    to->row[end] = k, to->L[end] = l;
  }
  to->D[k] = d;
  to->least = fmin(to->least, fabs(d) / fabs(diagonal));
  to->negative += d < 0;
  return isfinite(d) && d != 0;
}

bool symmetric_factorize(arena *memory, const symmetric *A, symmetric_factor *to) {
  *to = (symmetric_factor){.n = A->n, .order = ARENA_ARRAY(memory, int, A->n), .least = INFINITY};
  to->D = ARENA_ARRAY(memory, double, A->n);
  if (A->n == 0) return true;
  if (amd_order(A->n, A->start, A->column, to->order, NULL, NULL) < AMD_OK) return false;
  elimination e = start_elimination(memory, A, to->order);
  if (!count_columns(memory, &e, to)) return false;
  double *y = ARENA_ARRAY(memory, double, A->n);
  for (int k = 0; k < A->n; k++)
    if (!factor_row(&e, k, y, to)) return false;
  return true;
}

void symmetric_solve(const symmetric_factor *f, double *x, double *work) {
  for (int k = 0; k < f->n; k++) work[k] = x[f->order[k]];
  for (int k = 0; k < f->n; k++)
    for (int p = f->start[k]; p < f->start[k + 1]; p++) work[f->row[p]] -= f->L[p] * work[k];
  for (int k = f->n - 1; k >= 0; k--) {
    double sum = work[k] / f->D[k];
    for (int p = f->start[k]; p < f->start[k + 1]; p++) sum -= f->L[p] * work[f->row[p]];
    work[k] = sum;
  }
  for (int k = 0; k < f->n; k++) x[f->order[k]] = work[k];
}
