// First-order and total Sobol' indices of what a sweep takes, from the blocks of its rows, and how far they can be
// trusted (theory.md, 14).
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "study/sweep.h"

const char *const sensitivity_columns[SENSITIVITY_COLUMNS] = {
    "output", "input", "first", "first_low", "first_high", "total", "total_low", "total_high", "points"};

enum { RESAMPLES = 1000 };

// Of one output: what each block adds to the sums of the estimators.
typedef struct blocks {
  int inputs, width;
  long count;
  double *terms;  // block by block: a + b, a² + b², and of each input b (c - a) and (c - a)²
} blocks;

enum { SUM_VALUES, SUM_SQUARES, SUM_INPUTS };

static long block_rows(const sweep_table *t) { return t->vary_count + 2; }

// A block with a row that failed, or is not there, says nothing.
static bool is_usable(const sweep_table *t, long block, int column) {
  bool usable = true;
  for (long i = block * block_rows(t); usable && i < (block + 1) * block_rows(t); i++) {
    const double *row = sweep_table_row(t, i);
    usable = sweep_table_has(t, i) && row[t->status] == (double)CAROM_OK && isfinite(row[column]);
  }
  return usable;
}

// Values are taken about their mean, which keeps the estimators of first-order indices from losing digits. What is left
// of a value that does not vary is rounding.
static double deviation(double value, double mean) {
  const double rest = value - mean;
  return fabs(rest) > 1e-14 * fabs(mean) ? rest : 0;
}

static double mean_of(const sweep_table *t, int column) {
  double sum = 0, count = 0;
  for (long i = 0; i < t->rows; i++) {
    double value = sweep_table_has(t, i) ? sweep_table_row(t, i)[column] : NAN;
    if (isfinite(value)) sum += value, count++;
  }
  return count > 0 ? sum / count : 0;
}

static blocks read_blocks(arena *memory, const sweep_table *t, int column) {
  long most = t->rows / block_rows(t);
  blocks b = {.inputs = t->vary_count, .width = SUM_INPUTS + 2 * t->vary_count};
  b.terms = ARENA_ARRAY(memory, double, (size_t)most *(size_t)b.width + 1);
  double mean = mean_of(t, column);
  for (long k = 0; k < most; k++) {
    if (!is_usable(t, k, column)) continue;
    double *to = b.terms + (size_t)b.count++ * (size_t)b.width,
           y = deviation(sweep_table_row(t, k * block_rows(t))[column], mean),
           z = deviation(sweep_table_row(t, (k + 1) * block_rows(t) - 1)[column], mean);
    to[SUM_VALUES] = y + z, to[SUM_SQUARES] = y * y + z * z;
    for (int i = 0; i < b.inputs; i++) {
      double change = deviation(sweep_table_row(t, k * block_rows(t) + 1 + i)[column], mean) - y;
      to[SUM_INPUTS + 2 * i] = z * change, to[SUM_INPUTS + 2 * i + 1] = change * change;
    }
  }
  return b;
}

// First-order index by Saltelli's estimator, total index by Jansen's, of each input in turn.
static void estimate(const blocks *b, const double *sums, double *indices) {
  double n = (double)b->count, mean = sums[SUM_VALUES] / (2 * n), variance = sums[SUM_SQUARES] / (2 * n) - mean * mean;
  for (int i = 0; i < b->inputs; i++) {
    indices[2 * i] = variance > 0 ? sums[SUM_INPUTS + 2 * i] / (n * variance) : NAN;
    indices[2 * i + 1] = variance > 0 ? sums[SUM_INPUTS + 2 * i + 1] / (2 * n * variance) : NAN;
  }
}

// Sums over all blocks, or over as many drawn with replacement.
static void add_up(const blocks *b, long resample, double *sums) {
  for (int i = 0; i < b->width; i++) sums[i] = 0;
  for (long k = 0; k < b->count; k++) {
    long from = k;
    if (resample) from = (long)(random_share(random_bits(0, (uint64_t)k, (uint64_t)resample)) * (double)b->count);
    const double *terms = b->terms + (size_t)from * (size_t)b->width;
    for (int i = 0; i < b->width; i++) sums[i] += terms[i];
  }
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The 95 % interval: the values that 2.5 % of the resamples are below and above. There is none where a resample does
// not vary.
static void find_interval(double *sorted, double *low, double *high) {
  enum { CUT = RESAMPLES / 40 };
  for (int r = 0; r < RESAMPLES; r++)
    if (isnan(sorted[r])) {
      *low = *high = NAN;
      return;
    }
  qsort(sorted, RESAMPLES, sizeof *sorted, compare);
  *low = sorted[CUT], *high = sorted[RESAMPLES - 1 - CUT];
}

// `rows` has one row of the table for each input.
static void fill_rows(arena *memory, const blocks *b, double *rows) {
  int count = 2 * b->inputs;
  double *sums = ARENA_ARRAY(memory, double, b->width), *indices = ARENA_ARRAY(memory, double, count),
         *drawn = ARENA_ARRAY(memory, double, (size_t)count *RESAMPLES);
  add_up(b, 0, sums), estimate(b, sums, indices);
  for (int i = 0; i < count; i++) rows[i / 2 * SENSITIVITY_COLUMNS + 2 + i % 2 * 3] = indices[i];
  for (int r = 0; r < RESAMPLES; r++) {
    add_up(b, r + 1, sums), estimate(b, sums, indices);
    for (int i = 0; i < count; i++) drawn[i * RESAMPLES + r] = indices[i];
  }
  for (int i = 0; i < count; i++) {
    double *to = rows + i / 2 * SENSITIVITY_COLUMNS + 2 + i % 2 * 3;
    if (isnan(to[0])) to[1] = to[2] = NAN;
    else find_interval(drawn + i * RESAMPLES, &to[1], &to[2]);
  }
}

void sweep_sensitivity(arena *memory, const sweep_table *t, int take, double *rows) {
  arena_mark mark = arena_get_mark(memory);
  blocks b = read_blocks(memory, t, 1 + t->vary_count + take);
  for (int i = 0; i < t->vary_count * SENSITIVITY_COLUMNS; i++) rows[i] = NAN;
  if (b.count > 1) fill_rows(memory, &b, rows);
  for (int i = 0; i < t->vary_count; i++) {
    double *row = rows + i * SENSITIVITY_COLUMNS;
    row[0] = take + 1, row[1] = i + 1, row[SENSITIVITY_COLUMNS - 1] = (double)b.count;
  }
  arena_release(memory, mark);
}
