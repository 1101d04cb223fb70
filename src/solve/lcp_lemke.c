// Lemke's complementary pivoting: 0 ≤ w = M z + q ⊥ z ≥ 0.
//
// The dictionary basic = b + T · nonbasic starts from w = q + M z + d z0 with a covering vector d > 0. z0 enters and
// drives out the most negative row; then the complement of whatever left enters, until z0 leaves. Ties in the ratio
// test are broken lexicographically, as if q were perturbed by (ε, ε², …): the rows of B⁻¹ decide, and they stand in
// T itself, in the columns of those w that are not basic. So no basis returns, on degenerate problems too.
#include <math.h>
#include <string.h>

#include "solve/friction_lcp.h"
#include "math/lanes.h"
#include "solve/residual.h"
#include "solve/solver.h"

// Only the column that enters and b are needed from one exchange to the next. In large dictionaries the exchanges are
// therefore kept for a while, T = kept + F R with one row of R for each of them, and added a few at a time: a
// dictionary of 500 rows does not fit into the cache, and would pass through it once for each exchange. Numbers are
// added in the same order as one by one.
typedef struct tableau {
  lcp_reduction lcp;
  int n, stride;  // rows; columns 0 … n − 1 and n for z0
  double *T;      // without the exchanges that wait
  double *b;
  double *column;  // of T, the one that enters
  double *F, *R;   // of the exchanges that wait: columns of F and rows of R, DELAY x stride both
  int waiting;
  int *basic;     // variable of a row: w_i is i, z_i is n + i, z0 is 2n
  int *nonbasic;  // variable of a column
  int *where;     // of a variable: its row, or −1 − its column
  double *z;
  double *u, *work;
  int *tied;
} tableau;

enum { WIDTH = LANES, DELAY = 16, DELAYED_FROM = 64 };  // exchanges that wait at most; rows from which on they do

static int stride_for(int n) { return (n + 1 + WIDTH - 1) / WIDTH * WIDTH; }

static tableau lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t n = (size_t)limits->lcp, stride = (size_t)stride_for((int)n);
  tableau t = {.lcp = lcp_lay_out(w, limits)};
  t.T = TAKE(w, double, (n * stride));
  t.b = TAKE(w, double, n);
  t.column = TAKE(w, double, stride);
  t.F = TAKE(w, double, (stride * DELAY));
  t.R = TAKE(w, double, (stride * DELAY));
  t.basic = TAKE(w, int, n);
  t.nonbasic = TAKE(w, int, n + 1);
  t.where = TAKE(w, int, 2 * n + 1);
  t.z = TAKE(w, double, n);
  t.tied = TAKE(w, int, n);
  t.u = TAKE(w, double, limits->rows);
  t.work = TAKE(w, double, limits->rows + limits->velocities);
  return t;
}

static void measure(solve_workspace *w, const solve_limits *limits) { lay_out(w, limits); }

// What rounding is, as part of the largest entry of a column: entries below PIVOT times that are taken for zero in the
// column that enters, and differences below TIE times that for ties. The sizes are those of whole columns, never of the
// entries that are compared: where these are true zeros, noise would decide. After a hundred pivots of sixty rows noise
// can be 1e-11 of a column.
static const double PIVOT = 1e-11, TIE = 1e-10;

// A z this far from a solution, relative to q, is the work of noise.
static const double ASTRAY = 1e-6;
enum { ATTEMPTS = 3, CHECKED_FROM = 20 };  // paths; unknowns from which noise may lead astray

static inline double larger(double a, double b) { return a > b ? a : b; }

// --- exchanges -------------------------------------------------------------------------------------------------------

// Adds four exchanges to four rows of T, all with the same stride, over `width` columns.
static void add_four(int width, int stride, const double *F, const double *R, double *T) {
  double f[4][4];
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) f[i][k] = F[(long)k * stride + i];
  for (int j = 0; j < width; j += WIDTH) {
    lanes r[4], sum;
    for (int k = 0; k < 4; k++) memcpy(&r[k], R + (long)k * stride + j, sizeof r[k]);
    for (int i = 0; i < 4; i++) {
      memcpy(&sum, T + (long)i * stride + j, sizeof sum);
      for (int k = 0; k < 4; k++) sum += f[i][k] * r[k];
      memcpy(T + (long)i * stride + j, &sum, sizeof sum);
    }
  }
}

// Rows are padded to a multiple of WIDTH with zeros, so that the inner loop is whole vectors.
static void add_scaled(int width, double factor, const double *restrict from, double *restrict to) {
  for (int j = 0; j < width; j += WIDTH)
    for (int k = 0; k < WIDTH; k++) to[j + k] += factor * from[j + k];
}

// Adds all exchanges that wait, over some columns at a time whose rows of R stay in the nearest cache.
static void bring_up_to_date(tableau *t) {
  enum { TILE = 16 * WIDTH };
  int n = t->n, stride = t->stride, waiting = t->waiting, last = waiting % 4 ? 0 : n / 4 * 4;
  for (int j = 0; j < stride; j += TILE) {
    int width = stride - j < TILE ? stride - j : TILE;
    for (int i = 0; i < last; i += 4)
      for (int k = 0; k < waiting; k += 4)
        add_four(width, stride, t->F + (long)k * stride + i, t->R + (long)k * stride + j, t->T + (long)i * stride + j);
    for (int i = last; i < n; i++)
      for (int k = 0; k < waiting; k++)
        add_scaled(width, t->F[(long)k * stride + i], t->R + (long)k * stride + j, t->T + (long)i * stride + j);
  }
  t->waiting = 0;
}

static void find_column(tableau *t, int column) {
  int stride = t->stride;
  for (int i = 0; i < t->n; i++) t->column[i] = t->T[(long)i * stride + column];
  for (int k = 0; k < t->waiting; k++)
    add_scaled(stride, t->R[(long)k * stride + column], t->F + (long)k * stride, t->column);
}

static void exchange_now(tableau *t, int row, int column, double pivot) {
  int stride = t->stride;
  double *T = t->T + (long)row * stride;
  for (int j = 0; j < stride; j++) T[j] *= -pivot;
  T[column] = pivot;
  for (int i = 0; i < t->n; i++) {
    double *to = t->T + (long)i * stride, factor = t->column[i];
    if (i == row || factor == 0) continue;
    add_scaled(stride, factor, T, to);
    to[column] = factor * pivot;  // last: a single store before the vectors would hold them up
  }
}

// The row of the exchange is that of T after it: the row itself is then nothing but it, and the column is nothing but
// its multiples.
static void exchange_later(tableau *t, int row, int column, double pivot) {
  int n = t->n, stride = t->stride, k = t->waiting;
  double *F = t->F + (long)k * stride, *R = t->R + (long)k * stride, *T = t->T + (long)row * stride;
  memcpy(R, T, (size_t)stride * sizeof *R);
  for (int m = 0; m < k; m++) add_scaled(stride, t->F[(long)m * stride + row], t->R + (long)m * stride, R);
  for (int j = 0; j < stride; j++) R[j] *= -pivot;
  for (int m = 0; m < k; m++) t->R[(long)m * stride + column] = t->F[(long)m * stride + row] = 0;
  R[column] = pivot;
  memset(T, 0, (size_t)stride * sizeof *T);
  for (int i = 0; i < n; i++) t->T[(long)i * stride + column] = 0;
  memcpy(F, t->column, (size_t)n * sizeof *F);
  for (int i = n; i < stride; i++) F[i] = 0;
  F[row] = 1;
  if (++t->waiting == DELAY) bring_up_to_date(t);
}

// The variable of the column that was found enters in this row.
static void exchange(tableau *t, int row, int column) {
  double pivot = 1 / t->column[row], of_b = -pivot * t->b[row];
  for (int i = 0; i < t->n; i++) t->b[i] += t->column[i] * of_b;
  t->b[row] = of_b;
  if (t->n < DELAYED_FROM) exchange_now(t, row, column, pivot);
  else exchange_later(t, row, column, pivot);
  int out = t->basic[row], in = t->nonbasic[column];
  t->basic[row] = in, t->where[in] = row;
  t->nonbasic[column] = out, t->where[out] = -1 - column;
}

// --- ties ------------------------------------------------------------------------------------------------------------

// (B⁻¹)_ik, whose columns belong to w_k. T is up to date.
static double inverse_entry(const tableau *t, int row, int k) {
  int at = t->where[k];
  return at >= 0 ? (double)(at == row) : -t->T[(long)row * t->stride + (-1 - at)];
}

// The largest entry of column k of B⁻¹.
static double inverse_size(const tableau *t, int k) {
  int at = t->where[k];
  double size = 0;
  for (int i = 0; at < 0 && i < t->n; i++) size = larger(size, fabs(t->T[(long)i * t->stride + (-1 - at)]));
  return at >= 0 ? 1 : size;
}

// Of the rows tied in the ratio test, the one whose row of B⁻¹ over the pivot is smallest in the order of the
// dictionary.
static int smallest_row(tableau *t, int count) {
  if (count > 1) bring_up_to_date(t);
  for (int k = 0; k < t->n && count > 1; k++) {
    double size = inverse_size(t, k), least = INFINITY;
    for (int i = 0; i < count; i++) least = fmin(least, inverse_entry(t, t->tied[i], k) / -t->column[t->tied[i]]);
    int kept = 0;
    for (int i = 0; i < count; i++) {
      double pivot = -t->column[t->tied[i]];
      if (inverse_entry(t, t->tied[i], k) - least * pivot <= TIE * larger(size, fabs(least) * pivot))
        t->tied[kept++] = t->tied[i];
    }
    count = kept;
  }
  return t->tied[0];
}

// The largest |x|. Eight running ones, which the compiler may keep in vector registers.
static double largest_of(int n, const double *x) {
  double largest[WIDTH] = {0};
  int i = 0;
  for (; i + WIDTH <= n; i += WIDTH)
    for (int k = 0; k < WIDTH; k++) largest[k] = larger(fabs(x[i + k]), largest[k]);
  for (; i < n; i++) largest[0] = larger(fabs(x[i]), largest[0]);
  for (int k = 1; k < WIDTH; k++) largest[0] = larger(largest[k], largest[0]);
  return largest[0];
}

// The row that stops the increase of the column's variable; −1 when none does.
static int leaving_row(tableau *t) {
  int n = t->n, z0 = t->where[2 * n];
  const double *column = t->column, *b = t->b;
  double ratio = INFINITY, size = largest_of(n, b), tiny = PIVOT * largest_of(n, column);
  for (int i = 0; i < n; i++)  // multiplied out: a division only where the least ratio changes
    if (column[i] < -tiny && larger(b[i], 0) < ratio * -column[i]) ratio = larger(b[i], 0) / -column[i];
  if (!(ratio < INFINITY)) return -1;
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (!(column[i] < -tiny) || b[i] + ratio * column[i] > TIE * size) continue;
    if (i == z0) return i;  // z0 may leave: done
    t->tied[count++] = i;
  }
  return smallest_row(t, count);
}

// --- the path --------------------------------------------------------------------------------------------------------

// Dictionary of the start; returns the row that z0 drives out, or −1 when q ≥ 0 and nothing is to be done.
static int begin(tableau *t, const solve_problem *p, int attempt) {
  int n = t->n, row = -1;
  t->waiting = 0;
  for (int i = n; i < t->stride; i++) t->column[i] = 0;
  lcp_reduce(&t->lcp, p, t->T, t->stride, t->b);
  double least = 0;
  for (int i = 0; i < n; i++) {
    double *Ti = t->T + (long)i * t->stride;
    Ti[n] = attempt == 0 ? 1 : 1 + (double)((i * 7919 + attempt * 104729) % 97) / 97;
    for (int j = n + 1; j < t->stride; j++) Ti[j] = 0;
    t->basic[i] = t->where[i] = i;
    t->nonbasic[i] = n + i, t->where[n + i] = -1 - i;
    // the last of the lowest: the smallest row in the order of the dictionary
    if (t->b[i] < 0 && t->b[i] / Ti[n] <= least) least = t->b[i] / Ti[n], row = i;
  }
  t->nonbasic[n] = 2 * n, t->where[2 * n] = -1 - n;
  return row;
}

static solve_status pivot_to_end(tableau *t, const solve_problem *p, int attempt, int limit, interrupt *stop,
                                 int *pivots) {
  int n = t->n, row = begin(t, p, attempt), column = n;
  if (row < 0) return SOLVE_SOLVED;
  find_column(t, column);
  while (*pivots < limit) {
    ++*pivots;
    if (interrupted(stop)) return SOLVE_INTERRUPTED;
    int left = t->basic[row];
    exchange(t, row, column);
    if (left == 2 * n) return SOLVE_SOLVED;
    column = -1 - t->where[left < n ? left + n : left - n];
    find_column(t, column);
    row = leaving_row(t);
    if (row < 0) return SOLVE_RAY;
  }
  return SOLVE_LIMIT;
}

static int limit(const solve_problem *p) { return ATTEMPTS * (10 * lcp_unknowns(p) + 100); }

static void read_solution(tableau *t, const solve_problem *p, double *r) {
  for (int i = 0; i < t->n; i++) {
    int at = t->where[t->n + i];
    t->z[i] = at >= 0 ? larger(t->b[at], 0) : 0;
  }
  lcp_restore(&t->lcp, p, t->z, r);
}

static bool is_astray(tableau *t, const solve_problem *p, const double *r) {
  return t->n >= CHECKED_FROM && !(solve_residual_of(p, r, t->u, t->work) <= ASTRAY);
}

static solve_status solve(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                          solve_info *info) {
  solve_limits limits = solve_limits_exact(p);
  tableau t = lay_out(w, &limits);
  t.n = limits.lcp;
  t.stride = stride_for(t.n);
  int most = s->iterations ? s->iterations : limit(p), of_attempt = limit(p) / ATTEMPTS;
  solve_status status = SOLVE_RAY;
  // another covering vector is another path, where the first ended on a ray, went round in circles or astray
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    int until = info->iterations + of_attempt < most ? info->iterations + of_attempt : most;
    status = pivot_to_end(&t, p, attempt, until, w->stop, &info->iterations);
    if (status == SOLVE_SOLVED) read_solution(&t, p, r);
    if (status == SOLVE_INTERRUPTED || info->iterations >= most || (status == SOLVE_SOLVED && !is_astray(&t, p, r)))
      break;
  }
  return status;
}

const solver solver_lemke = {
    "lemke",       "Lemke's complementary pivoting, lexicographic: exact, for up to some hundred rows.",
    lcp_suits,     limit,
    measure,       solve,
    .finite = true};
