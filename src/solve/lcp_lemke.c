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
// therefore kept, and a column is brought up to date when it enters (product form of the inverse): exchange k, in row
// i_k with the pivot p_k and the column F_k that has entered, makes of a column x
//
//   t = −p_k x_i,   x_i := 0,   x := x + t F_k,   with F_k = 1 in its own row.
//
// The column that has entered becomes p_k F_k. A path of K exchanges of n rows takes n K² operations instead of 2 n² K.
// Numbers are added in the same order as one by one.
typedef struct tableau {
  lcp_reduction lcp;
  int n, stride;  // rows; columns 0 … n − 1 and n for z0
  double *T;      // without the exchanges that are kept
  double *b;
  double *column;       // of T, the one that enters
  double *other;        // another one, to break ties
  double *F;            // of the exchanges that are kept: columns, one after the other with a stride
  double *inverse;      // of each of them: 1/pivot
  int *at;              // of each of them: its row
  int *since;           // of a column: the exchange from which it comes, or −1 if from T
  int kept, most_kept;  // exchanges
  int *basic;           // variable of a row: w_i is i, z_i is n + i, z0 is 2n
  int *nonbasic;        // variable of a column
  int *where;           // of a variable: its row, or −1 − its column
  double *z;
  double *u, *work;
  int *tied;
} tableau;

enum { WIDTH = LANES, KEPT_FROM = 64 };  // rows from which on exchanges are kept

static int stride_for(int n) { return (n + 1 + WIDTH - 1) / WIDTH * WIDTH; }
// Of n rows: most problems end before; one that does not is brought up to date.
static int most_kept_for(int n) { return n < KEPT_FROM ? 0 : n / 8 * 5; }

static tableau lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t n = (size_t)limits->lcp, stride = (size_t)stride_for((int)n);
  tableau t = {.lcp = lcp_lay_out(w, limits)};
  t.T = TAKE(w, double, (n * stride));
  t.b = TAKE(w, double, n);
  t.column = TAKE(w, double, stride);
  t.other = TAKE(w, double, stride);
  t.most_kept = most_kept_for((int)n);
  t.F = TAKE(w, double, (stride * (size_t)t.most_kept));
  t.inverse = TAKE(w, double, t.most_kept);
  t.at = TAKE(w, int, t.most_kept);
  t.since = TAKE(w, int, n + 1);
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

// Rows are padded to a multiple of WIDTH with zeros, so that the inner loop is whole vectors.
static void add_scaled(int width, double factor, const double *restrict from, double *restrict to) {
  for (int j = 0; j < width; j += WIDTH)
    for (int k = 0; k < WIDTH; k++) to[j + k] += factor * from[j + k];
}

enum { GROUP = 8 };  // exchanges that are added in one pass over a column

// x := x + Σ t_k F_k
static void add_group(int stride, const double *F, const double t[GROUP], double *x) {
  for (int j = 0; j < stride; j += WIDTH) {
    lanes sum, f;
    memcpy(&sum, x + j, sizeof sum);
    for (int k = 0; k < GROUP; k++) {
      memcpy(&f, F + (long)k * stride + j, sizeof f);
      sum += t[k] * f;
    }
    memcpy(x + j, &sum, sizeof sum);
  }
}

static void apply_one(const tableau *t, int k, double *x) {
  double *own = &x[t->at[k]], factor = -t->inverse[k] * *own;
  *own = 0;
  add_scaled(t->stride, factor, t->F + (long)k * t->stride, x);
}

// A group of exchanges from the k-th on. Each needs the entry of its own row as those before it have left it: these
// entries go ahead, and are written over what the pass makes of them.
static void apply_group(const tableau *t, int k, double *x) {
  const double *F = t->F + (long)k * t->stride;
  double factor[GROUP], own[GROUP];
  for (int i = 0; i < GROUP; i++) own[i] = x[t->at[k + i]];
  for (int j = 0; j < GROUP; j++) {
    factor[j] = -t->inverse[k + j] * own[j];
    for (int i = 0; i < GROUP; i++) {
      bool same = t->at[k + i] == t->at[k + j];  // a row may come twice
      own[i] = same ? factor[j] : own[i] + factor[j] * F[(long)j * t->stride + t->at[k + i]];
    }
  }
  add_group(t->stride, F, factor, x);
  for (int i = 0; i < GROUP; i++) x[t->at[k + i]] = own[i];
}

// x := a column of T with all exchanges.
static void read_column(const tableau *t, int column, double *x) {
  int n = t->n, k = 0;
  if (t->kept && t->since[column] >= 0) {
    k = t->since[column];
    const double *F = t->F + (long)k * t->stride;
    for (int i = 0; i < t->stride; i++) x[i] = t->inverse[k] * F[i];
    k++;
  } else {
    for (int i = 0; i < n; i++) x[i] = t->T[(long)i * t->stride + column];
  }
  for (; k + GROUP <= t->kept; k += GROUP) apply_group(t, k, x);
  for (; k < t->kept; k++) apply_one(t, k, x);
}

static void bring_up_to_date(tableau *t) {
  for (int j = 0; t->kept && j <= t->n; j++) {
    read_column(t, j, t->other);
    for (int i = 0; i < t->n; i++) t->T[(long)i * t->stride + j] = t->other[i];
  }
  for (int j = 0; j <= t->n; j++) t->since[j] = -1;
  t->kept = 0;
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

static void keep(tableau *t, int row, int column, double pivot) {
  if (t->kept == t->most_kept) bring_up_to_date(t);
  int k = t->kept++;
  double *F = t->F + (long)k * t->stride;
  memcpy(F, t->column, (size_t)t->stride * sizeof *F);
  F[row] = 1;
  t->inverse[k] = pivot, t->at[k] = row, t->since[column] = k;
}

// The variable of the column that was found enters in this row.
static void exchange(tableau *t, int row, int column) {
  double pivot = 1 / t->column[row], of_b = -pivot * t->b[row];
  for (int i = 0; i < t->n; i++) t->b[i] += t->column[i] * of_b;
  t->b[row] = of_b;
  if (t->most_kept) keep(t, row, column, pivot);
  else exchange_now(t, row, column, pivot);
  int out = t->basic[row], in = t->nonbasic[column];
  t->basic[row] = in, t->where[in] = row;
  t->nonbasic[column] = out, t->where[out] = -1 - column;
}

// --- ties ------------------------------------------------------------------------------------------------------------

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

// Column k of −B⁻¹, which belongs to w_k, if that is not basic; else null, and the column is one of the identity.
static const double *inverse_column(tableau *t, int k) {
  if (t->where[k] >= 0) return NULL;
  read_column(t, -1 - t->where[k], t->other);
  return t->other;
}

static double inverse_entry(const tableau *t, const double *x, int row, int k) {
  return x ? -x[row] : (double)(t->where[k] == row);
}

// Of the rows tied in the ratio test, the one whose row of B⁻¹ over the pivot is smallest in the order of the
// dictionary. A few columns of B⁻¹ mostly tell them apart; where they do not, reading all of them at once is quicker.
static int smallest_row(tableau *t, int count) {
  enum { FEW = 8 };
  for (int k = 0, looked = 0; k < t->n && count > 1; k++) {
    const double *x = inverse_column(t, k);
    double size = x ? largest_of(t->n, x) : 1, least = INFINITY;
    if (x && ++looked == FEW) bring_up_to_date(t), x = inverse_column(t, k);
    for (int i = 0; i < count; i++) least = fmin(least, inverse_entry(t, x, t->tied[i], k) / -t->column[t->tied[i]]);
    int kept = 0;
    for (int i = 0; i < count; i++) {
      double pivot = -t->column[t->tied[i]];
      if (inverse_entry(t, x, t->tied[i], k) - least * pivot <= TIE * larger(size, fabs(least) * pivot))
        t->tied[kept++] = t->tied[i];
    }
    count = kept;
  }
  return t->tied[0];
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
  t->kept = 0;
  for (int i = n; i < t->stride; i++) t->column[i] = t->other[i] = 0;
  for (int j = 0; j <= n; j++) t->since[j] = -1;
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
  read_column(t, column, t->column);
  while (*pivots < limit) {
    ++*pivots;
    if (interrupted(stop)) return SOLVE_INTERRUPTED;
    int left = t->basic[row];
    exchange(t, row, column);
    if (left == 2 * n) return SOLVE_SOLVED;
    column = -1 - t->where[left < n ? left + n : left - n];
    read_column(t, column, t->column);
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
  t.most_kept = most_kept_for(t.n);
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
