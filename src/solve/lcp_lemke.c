// Lemke's complementary pivoting: 0 ≤ w = M z + q ⊥ z ≥ 0.
//
// The dictionary basic = b + T · nonbasic starts from w = q + M z + d z0 with a covering vector d > 0. z0 enters and
// drives out the most negative row; then the complement of whatever left enters, until z0 leaves. Ties in the ratio
// test are broken lexicographically, as if q were perturbed by (ε, ε², …): the rows of B⁻¹ decide, and they stand in
// T itself, in the columns of those w that are not basic. So no basis returns, on degenerate problems too.
#include <math.h>
#include <string.h>

#include "solve/friction_lcp.h"
#include "solve/residual.h"
#include "solve/solver.h"

typedef struct tableau {
  lcp_reduction lcp;
  int n, stride;  // rows; columns 0 … n − 1 and n for z0, then b
  double *T;
  int *basic;     // variable of a row: w_i is i, z_i is n + i, z0 is 2n
  int *nonbasic;  // variable of a column
  int *where;     // of a variable: its row, or −1 − its column
  double *z;
  double *u, *work;
  int *tied;
} tableau;

enum { WIDTH = 4 };

static int stride_for(int n) { return (n + 2 + WIDTH - 1) / WIDTH * WIDTH; }

static tableau lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t n = (size_t)limits->lcp;
  tableau t = {.lcp = lcp_lay_out(w, limits)};
  t.T = TAKE(w, double, (n * (size_t)stride_for((int)n)));
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

// (B⁻¹)_ik, whose columns belong to w_k.
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

// Of the rows tied in the ratio test on a column, the one whose row of B⁻¹ over the pivot is smallest in the order of
// the dictionary.
static int smallest_row(tableau *t, int count, int column) {
  for (int k = 0; k < t->n && count > 1; k++) {
    double size = inverse_size(t, k), least = INFINITY;
    for (int i = 0; i < count; i++)
      least = fmin(least, inverse_entry(t, t->tied[i], k) / -t->T[(long)t->tied[i] * t->stride + column]);
    int kept = 0;
    for (int i = 0; i < count; i++) {
      double pivot = -t->T[(long)t->tied[i] * t->stride + column];
      if (inverse_entry(t, t->tied[i], k) - least * pivot <= TIE * larger(size, fabs(least) * pivot))
        t->tied[kept++] = t->tied[i];
    }
    count = kept;
  }
  return t->tied[0];
}

// The row that stops the increase of a column's variable; −1 when none does.
static int leaving_row(tableau *t, int column) {
  int n = t->n, b = n + 1, z0 = t->where[2 * n];
  double largest = 0, ratio = INFINITY, size = 0;
  for (int i = 0; i < n; i++) {
    const double *Ti = t->T + (long)i * t->stride;
    largest = larger(largest, fabs(Ti[column]));
    size = larger(size, fabs(Ti[b]));
  }
  double tiny = PIVOT * largest;
  for (int i = 0; i < n; i++) {
    const double *Ti = t->T + (long)i * t->stride;
    // multiplied out: a division only where the least ratio changes
    if (Ti[column] < -tiny && larger(Ti[b], 0) < ratio * -Ti[column]) ratio = larger(Ti[b], 0) / -Ti[column];
  }
  if (!(ratio < INFINITY)) return -1;
  int count = 0;
  for (int i = 0; i < n; i++) {
    const double *Ti = t->T + (long)i * t->stride;
    if (!(Ti[column] < -tiny) || Ti[b] + ratio * Ti[column] > TIE * size) continue;
    if (i == z0) return i;  // z0 may leave: done
    t->tied[count++] = i;
  }
  return smallest_row(t, count, column);
}

// Rows are padded to a multiple of WIDTH with zeros, so that the inner loops are whole vectors.
static void exchange(tableau *t, int row, int column) {
  int n = t->n, stride = t->stride;
  double *restrict Tr = t->T + (long)row * stride, pivot = 1 / Tr[column];
  for (int j = 0; j < stride; j++) Tr[j] *= -pivot;
  Tr[column] = pivot;
  for (int i = 0; i < n; i++) {
    double *restrict Ti = t->T + (long)i * stride, factor = Ti[column];
    if (i == row || factor == 0) continue;
    for (int j = 0; j < stride; j += WIDTH)
      for (int k = 0; k < WIDTH; k++) Ti[j + k] += factor * Tr[j + k];
    Ti[column] = factor * pivot;  // last: a single store before the vectors would hold them up
  }
  int out = t->basic[row], in = t->nonbasic[column];
  t->basic[row] = in, t->where[in] = row;
  t->nonbasic[column] = out, t->where[out] = -1 - column;
}

// Dictionary of the start; returns the row that z0 drives out, or −1 when q ≥ 0 and nothing is to be done.
static int begin(tableau *t, const solve_problem *p, int attempt) {
  int n = t->n, b = n + 1, row = -1;
  lcp_reduce(&t->lcp, p, t->T, t->stride, t->T + b, t->stride);
  double least = 0;
  for (int i = 0; i < n; i++) {
    double *Ti = t->T + (long)i * t->stride;
    Ti[n] = attempt == 0 ? 1 : 1 + (double)((i * 7919 + attempt * 104729) % 97) / 97;
    for (int j = n + 2; j < t->stride; j++) Ti[j] = 0;
    t->basic[i] = t->where[i] = i;
    t->nonbasic[i] = n + i, t->where[n + i] = -1 - i;
    // the last of the lowest: the smallest row in the order of the dictionary
    if (Ti[b] < 0 && Ti[b] / Ti[n] <= least) least = Ti[b] / Ti[n], row = i;
  }
  t->nonbasic[n] = 2 * n, t->where[2 * n] = -1 - n;
  return row;
}

static solve_status pivot_to_end(tableau *t, const solve_problem *p, int attempt, int limit, interrupt *stop,
                                 int *pivots) {
  int n = t->n, row = begin(t, p, attempt), column = n;
  if (row < 0) return SOLVE_SOLVED;
  while (*pivots < limit) {
    ++*pivots;
    if (interrupted(stop)) return SOLVE_INTERRUPTED;
    int left = t->basic[row];
    exchange(t, row, column);
    if (left == 2 * n) return SOLVE_SOLVED;
    column = -1 - t->where[left < n ? left + n : left - n];
    row = leaving_row(t, column);
    if (row < 0) return SOLVE_RAY;
  }
  return SOLVE_LIMIT;
}

static int limit(const solve_problem *p) { return ATTEMPTS * (10 * lcp_unknowns(p) + 100); }

static void read_solution(tableau *t, const solve_problem *p, double *r) {
  for (int i = 0; i < t->n; i++) {
    int at = t->where[t->n + i];
    t->z[i] = at >= 0 ? larger(t->T[(long)at * t->stride + t->n + 1], 0) : 0;
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
