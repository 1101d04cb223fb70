// Semi-smooth Newton on the augmented Lagrangian of Alart and Curnier, all contacts at once:
//
//   F_N = r_N − max(0, r_N − ρ_N u_N)
//   F_T = r_T − P_disc(r_T − ρ_T u_T),   radius g = μ max(0, r_N − ρ_N u_N)
//
// In each state of a block F is linear or, when it slips in space, smooth:
//
//   open    F = r                                     closed, sticking, bilateral   F = ρ u
//   slips   F_T = r_T − g e,  e = y/|y|,  y = r_T − ρ_T u_T
//           dF_T = dr_T − μ e (dr_N − ρ_N du_N) − g/|y| (I − e eᵀ)(dr_T − ρ_T du_T),   du = W dr
//   on a polygon in place of the disc   e to a corner, without the last part; or on a side with the normal n and the
//   inner radius c g
//           F_T = r_T − c g n − t (t · y),   dF_T = dr_T − μ c n (dr_N − ρ_N du_N) − t tᵀ (dr_T − ρ_T du_T)
//
// Open rows are known, so that the equations are as large as the active set. Contacts that share a load make them
// singular; a little stiffness then picks the share next to the present one, and its error goes with the next step.
#include "solve/cone_alart_curnier.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "math/lu.h"
#include "solve/condensed.h"
#include "solve/cone.h"
#include "solve/cone_local.h"
#include "solve/residual.h"
#include "solve/solver.h"
#include "solve/work.h"

// Stiffness relative to the diagonal of W: well above rounding, well below what a mechanism has. Each step adds
// rounding divided by it to percussions that are not unique, which may close contacts that only just touch and spoil
// the active set. More stiffness avoids that, but slows down where W is almost singular. So the two take turns after
// steps in vain.
static const double LITTLE = 1e-10, MORE = 1e-7;
// A residual that no step can better.
static const double ROUNDING = 1e-15;
// A residual at which the states of all blocks are known: a step that gains nothing is the last.
static const double FINE = 1e-10;

// A start that was near a solution is lost at a residual of this size.
static const double LOST = 0.1;

enum { POLISH_STEPS = 12, POLISH_PATIENCE = 4, PROBE_STEPS = 5, PROBE_PATIENCE = 2, MEMORY = 5 };

// Row i of a block: Σ_k on_r[i][k] dr_k + on_u[i][k] du_k = −F_i; a row that is known has dr_i = −F_i.
typedef struct rows {
  bool known;
  double on_r[3][3], on_u[3][3];
} rows;

typedef struct newton {
  int n;
  double *W, *A;
  double *r, *u, *F, *step, *du, *right;
  double *rho;  // of each row
  double *work;
  const double *weights;  // of the residual
  rows *rows;             // of each block
  int *unknown, *pivot;   // rows of A
  int count;
  double lift;        // stiffness
  condensed *pieces;  // of a problem in pieces; null: W and A are formed
  double *v;          // velocities of a problem in pieces
  double *inverse;    // of each block in pieces: P⁻¹
  bool *open;         // of each block in pieces: its step is known
  double *spent;      // work of the workspace
} newton;

static newton lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t n = (size_t)limits->rows, dense = (size_t)limits->dense, pieces = limits->velocities ? 3 * n : 0;
  newton x = {0};
  x.W = TAKE(w, double, (dense * dense));
  x.A = TAKE(w, double, (dense * dense));
  x.v = TAKE(w, double, limits->velocities);
  x.inverse = TAKE(w, double, pieces);
  x.open = TAKE(w, bool, limits->velocities ? limits->blocks : 0);
  x.r = TAKE(w, double, n);
  x.u = TAKE(w, double, n);
  x.F = TAKE(w, double, n);
  x.step = TAKE(w, double, n);
  x.du = TAKE(w, double, n);
  x.right = TAKE(w, double, n);
  x.rho = TAKE(w, double, n);
  x.work = TAKE(w, double, limits->rows + limits->velocities);
  x.rows = TAKE(w, rows, limits->blocks);
  x.unknown = TAKE(w, int, n);
  x.pivot = TAKE(w, int, n);
  return x;
}

static bool suits(const solve_problem *p) {
  return p->block_count > 0 && (p->W.rows <= SOLVE_DENSE_MAX || condensed_suits(p)) && !solve_has_rolling(p);
}

// ρ = 1/W_ii makes ρ u a percussion; both tangential rows of a contact share one, so that their disc stays round.
static void choose_rho(newton *x, const solve_problem *p) {
  int n = x->n;
  double largest = 0;
  p->W.ops->diagonal(&p->W, x->rho);
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x->rho[i]));
  for (int i = 0; i < n; i++) x->rho[i] = 1 / (x->rho[i] > 1e-12 * largest ? x->rho[i] : largest > 0 ? largest : 1);
  for (int k = 0; k < p->block_count; k++)
    if (p->blocks[k].kind == BLOCK_SPACE || p->blocks[k].kind == BLOCK_POLYGON) {
      double *t = x->rho + p->blocks[k].row + 1;
      t[0] = t[1] = 2 / (1 / t[0] + 1 / t[1]);
    }
}

// The tangential rows of a closed contact with a polygon, whose others are written.
static void linearise_polygon(const solve_block *b, double g, const double *r, const double *rho, const double y[2],
                              double *F, rows *to) {
  polygon_place at = polygon_nearest((int)b->directions, g, y);
  if (at.inside) return;
  double t[2] = {-at.n[1], at.n[0]}, along = at.corner ? 0 : t[0] * y[0] + t[1] * y[1];
  for (int i = 0; i < 2; i++) {
    double e = at.corner ? at.direction[i] : at.inner * at.n[i];
    F[1 + i] = r[1 + i] - g * e - along * t[i];
    to->on_r[1 + i][0] = -b->mu * e;
    to->on_u[1 + i][0] = b->mu * rho[0] * e;
    for (int j = 0; j < 2; j++) {
      double side = at.corner ? 0 : t[i] * t[j];
      to->on_r[1 + i][1 + j] = (double)(i == j) - side;
      to->on_u[1 + i][1 + j] = rho[1] * side;
    }
  }
}

// F of one block at (r, u), and its rows where they are wanted. Returns whether the block is known.
static void linearise_block(const solve_block *b, const double *r, const double *u, const double *rho, double *F,
                            rows *to) {
  rows none;
  if (!to) to = &none;
  memset(to, 0, sizeof *to);
  if (b->kind == BLOCK_BILATERAL) {  // up to six rows, all of one form, which needs no matrices
    for (int i = 0; i < b->size; i++) F[i] = rho[i] * u[i];
    return;
  }
  double pressure = r[0] - rho[0] * u[0];
  if (b->kind == BLOCK_BOX) {
    to->known = !(pressure > b->lo && pressure < b->hi);
    F[0] = to->known ? r[0] - (pressure <= b->lo ? b->lo : b->hi) : rho[0] * u[0];
    to->on_u[0][0] = rho[0];
    return;
  }
  to->known = !(pressure > 0);
  for (int i = 0; i < b->size; i++) F[i] = to->known ? r[i] : rho[i] * u[i], to->on_u[i][i] = rho[i];
  if (to->known || b->kind == BLOCK_UNILATERAL) return;
  double y[2] = {r[1] - rho[1] * u[1], b->size == 3 ? r[2] - rho[2] * u[2] : 0}, norm = sqrt(y[0] * y[0] + y[1] * y[1]);
  double g = b->mu * pressure;
  if (b->kind == BLOCK_POLYGON) {
    linearise_polygon(b, g, r, rho, y, F, to);
    return;
  }
  if (norm <= g) return;
  double e[2] = {y[0] / norm, y[1] / norm}, ratio = g / norm;
  for (int i = 0; i < b->size - 1; i++) {
    F[1 + i] = r[1 + i] - g * e[i];
    to->on_r[1 + i][0] = -b->mu * e[i];
    to->on_u[1 + i][0] = b->mu * rho[0] * e[i];
    for (int j = 0; j < b->size - 1; j++) {
      double across = b->size == 3 ? (double)(i == j) - e[i] * e[j] : 0;
      to->on_r[1 + i][1 + j] = (double)(i == j) - ratio * across;
      to->on_u[1 + i][1 + j] = ratio * rho[1] * across;
    }
  }
}

static double linearise(newton *x, const solve_problem *p, const double *r, const double *u, bool with_rows) {
  double sum = 0;
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    linearise_block(b, r + b->row, u + b->row, x->rho + b->row, x->F + b->row, with_rows ? &x->rows[k] : NULL);
    for (int i = 0; i < b->size; i++) sum += x->F[b->row + i] * x->F[b->row + i];
  }
  return sum;
}

// Row i of a block in terms of the unknown columns.
static void write_equation(const newton *x, const solve_block *b, const rows *of, int i, double *A) {
  int n = x->n;
  const double *W = x->W + (long)b->row * n;
  bool plain = b->kind == BLOCK_BILATERAL;
  memset(A, 0, (size_t)x->count * sizeof *A);
  for (int k = 0; k < b->size; k++) {
    double factor = plain ? (k == i ? x->rho[b->row + i] : 0) : of->on_u[i][k];
    if (factor == 0) continue;
    for (int j = 0; j < x->count; j++) A[j] += factor * W[(long)k * n + x->unknown[j]];
  }
}

// --- in pieces -------------------------------------------------------------------------------------------------------
//
// The equations of a block whose step is not known are P dr + Q du = −F with P of the rows on r and the stiffness, Q of
// the rows on u. With du = J v they give dr = P⁻¹ b − E J v, E = P⁻¹ Q, b = −F − Q du of the blocks that are known, and
// v = Bᵀ dr is found from K v = Bᵀ P⁻¹ b (condensed.h).

// P⁻¹ of a block, of which bilateral ones keep the diagonal alone.
static inline double *inverse_of(const newton *x, const solve_block *b) { return x->inverse + 3 * (long)b->row; }

// P is diagonal, or [stiffness 0; b T] where the contact slips.
static void invert_block(const newton *x, const solve_block *b, const rows *of) {
  int n = b->size;
  double *inverse = inverse_of(x, b);
  if (b->kind == BLOCK_BILATERAL) {
    for (int i = 0; i < n; i++) inverse[i] = 1 / x->lift;
    return;
  }
  memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
  for (int i = 0; i < n; i++) inverse[i * n + i] = 1 / x->lift;
  if (n == 1 || !(of->on_r[1][1] + of->on_r[n - 1][n - 1] > 0)) return;
  const double T[4] = {of->on_r[1][1] + x->lift, of->on_r[1][2], of->on_r[2][1], n == 3 ? of->on_r[2][2] + x->lift : 1};
  double det = T[0] * T[3] - T[1] * T[2];
  const double of_T[4] = {T[3] / det, -T[1] / det, -T[2] / det, T[0] / det};
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      inverse[i * n + j] = of_T[2 * (i - 1) + j - 1],
                      inverse[i * n] -= of_T[2 * (i - 1) + j - 1] * of->on_r[j][0] / x->lift;
}

// y := P⁻¹ y
static void apply_inverse(const newton *x, const solve_block *b, double *y) {
  const double *inverse = inverse_of(x, b);
  double from[BLOCK_ROWS_MAX];
  memcpy(from, y, (size_t)b->size * sizeof *y);
  for (int i = 0; i < b->size; i++) {
    y[i] = b->kind == BLOCK_BILATERAL ? inverse[i] * from[i] : 0;
    for (int j = 0; b->kind != BLOCK_BILATERAL && j < b->size; j++) y[i] += inverse[i * b->size + j] * from[j];
  }
}

// y := Q u
static void apply_on_u(const newton *x, const solve_block *b, const rows *of, const double *u, double *y) {
  for (int i = 0; i < b->size; i++) {
    y[i] = b->kind == BLOCK_BILATERAL ? x->rho[b->row + i] * u[i] : 0;
    for (int j = 0; b->kind != BLOCK_BILATERAL && j < b->size; j++) y[i] += of->on_u[i][j] * u[j];
  }
}

static void add_block(newton *x, int k, const solve_block *b, const rows *of) {
  double E[BLOCK_ROWS_MAX * BLOCK_ROWS_MAX], column[BLOCK_ROWS_MAX];
  invert_block(x, b, of);
  for (int j = 0; j < b->size; j++) {
    double unit[BLOCK_ROWS_MAX] = {0};
    unit[j] = 1;
    apply_on_u(x, b, of, unit, column);
    apply_inverse(x, b, column);
    for (int i = 0; i < b->size; i++) E[i * b->size + j] = column[i];
  }
  condensed_add(x->pieces, k, E);
}

// right := P⁻¹ right; then v, and right := right − E J v.
static void solve_in_pieces(newton *x, const solve_problem *p, double *right) {
  for (int k = 0; k < p->block_count; k++)
    if (!x->rows[k].known) apply_inverse(x, &p->blocks[k], right + p->blocks[k].row);
  p->W.ops->start(&p->W, right, x->v);
  condensed_solve(x->pieces, x->v);
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    double u[BLOCK_ROWS_MAX], y[BLOCK_ROWS_MAX];
    if (x->rows[k].known) continue;
    p->W.ops->row(&p->W, k, right, x->v, u);
    apply_on_u(x, b, &x->rows[k], u, y);
    apply_inverse(x, b, y);
    for (int i = 0; i < b->size; i++) right[b->row + i] -= y[i];
  }
}

// right := −F − P dr − Q du of the blocks whose step is not known, at the step as it is.
static void find_defect(newton *x, const solve_problem *p) {
  p->W.ops->apply(&p->W, x->step, x->du, x->work);
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    const rows *of = &x->rows[k];
    double y[BLOCK_ROWS_MAX];
    apply_on_u(x, b, of, x->du + b->row, y);
    for (int i = 0; i < b->size; i++) {
      int row = b->row + i;
      bool plain = b->kind == BLOCK_BILATERAL;
      double sum = -x->F[row] - y[i] - (plain || of->on_u[i][i] != 0 ? x->lift * x->step[row] : 0);
      for (int j = 0; !plain && j < b->size; j++) sum -= of->on_r[i][j] * x->step[b->row + j];
      x->right[row] = of->known ? 0 : sum;
    }
  }
}

static bool direction_in_pieces(newton *x, const solve_problem *p) {
  enum { TURNS = 2 };  // the second one removes rounding of the first
  for (int k = 0; k < p->block_count; k++) x->open[k] = x->rows[k].known;
  if (!condensed_clear(x->pieces, x->open)) return false;
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    for (int i = b->row; i < b->row + b->size; i++) x->step[i] = x->rows[k].known ? -x->F[i] : 0;
    if (x->rows[k].known) continue;
    add_block(x, k, b, &x->rows[k]);
  }
  *x->spent += work_in_pieces(condensed_work_cleared(x->pieces), x->n);
  if (!condensed_factor(x->pieces)) return false;
  for (int turn = 0; turn < TURNS; turn++) {
    find_defect(x, p);
    solve_in_pieces(x, p, x->right);
    for (int i = 0; i < x->n; i++) x->step[i] += x->right[i];
  }
  for (int i = 0; i < x->n; i++)
    if (!isfinite(x->step[i])) return false;
  return true;
}

// Newton's direction; false when there is none.
static bool direction(newton *x, const solve_problem *p, interrupt *stop) {
  if (x->pieces) return direction_in_pieces(x, p);
  if (x->n > SOLVE_DENSE_MAX) return false;
  x->count = 0;
  memset(x->step, 0, (size_t)x->n * sizeof *x->step);
  for (int k = 0; k < p->block_count; k++)
    for (int i = p->blocks[k].row; i < p->blocks[k].row + p->blocks[k].size; i++) {
      if (x->rows[k].known) x->step[i] = -x->F[i];
      else x->unknown[x->count++] = i;
    }
  p->W.ops->apply(&p->W, x->step, x->du, x->work);
  for (int k = 0, m = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    const rows *of = &x->rows[k];
    int first = m;
    for (int i = 0; !of->known && i < b->size; i++, m++) {
      double *A = x->A + (long)m * x->count, right = -x->F[b->row + i];
      write_equation(x, b, of, i, A);
      if (b->kind == BLOCK_BILATERAL) {
        right -= x->rho[b->row + i] * x->du[b->row + i];
        A[m] += x->lift;
      } else {
        for (int j = 0; j < b->size; j++) {
          A[first + j] += of->on_r[i][j] + (i == j && of->on_u[i][i] != 0 ? x->lift : 0);
          right -= of->on_u[i][j] * x->du[b->row + j];
        }
      }
      x->right[m] = right;
    }
  }
  *x->spent += work_formed(x->count);
  if (lu_factor(x->count, x->A, x->count, x->pivot, stop) == 0) return false;
  lu_solve(x->count, x->A, x->count, x->pivot, x->right);
  for (int j = 0; j < x->count; j++) {
    if (!isfinite(x->right[j])) return false;
    x->step[x->unknown[j]] = x->right[j];
  }
  return true;
}

static double judge(newton *x, const solve_problem *p) {
  return solve_residual_known(p, x->weights, x->r, x->u, x->work);
}

static newton begin(const solve_problem *p, solve_workspace *w) {
  solve_limits limits = solve_limits_exact(p);
  const bool in_pieces = condensed_suits(p) && condensed_begin(w->condensed, p);
  if (in_pieces) limits.dense = 0;  // nothing is formed, and there may be no memory for it
  newton x = lay_out(w, &limits);
  x.n = p->W.rows;
  x.weights = w->weights;
  x.spent = &w->work;
  x.lift = LITTLE;
  if (in_pieces) x.pieces = w->condensed;
  else if (x.n <= SOLVE_DENSE_MAX) p->W.ops->dense(&p->W, x.W);
  choose_rho(&x, p);
  return x;
}

static void take_turns(newton *x, bool vain) {
  if (vain) x->lift = x->lift == LITTLE ? MORE : LITTLE;
}

// Percussions within their sets go to x->step, their velocities to x->du. Returns their residual; `residual` is that of
// x->r.
static double judge_inside(newton *x, const solve_problem *p, double residual) {
  size_t bytes = (size_t)x->n * sizeof *x->r;
  memcpy(x->step, x->r, bytes);
  if (put_all_inside(p, x->step)) return solve_residual_known(p, x->weights, x->step, x->du, x->work);
  memcpy(x->du, x->u, bytes);
  return residual;
}

// Full steps from (x->r, x->u), whose residual is given; the best goes to r and, if it is not null, to u. Ends at a
// residual of `enough`, or after `patience` steps in a row that gained little: contacts on the edge of their cone may
// need some to find their state.
static double polish(newton *x, const solve_problem *p, interrupt *stop, int steps, int patience, double enough,
                     double residual, double *r, double *u) {
  size_t bytes = (size_t)x->n * sizeof *r;
  int vain = 0;
  for (int k = 0; k < steps && vain < (residual > FINE ? patience : 1) && residual > enough && !interrupted(stop);
       k++) {
    linearise(x, p, x->r, x->u, true);
    if (!direction(x, p, stop)) break;
    for (int i = 0; i < x->n; i++) x->r[i] += x->step[i];
    double next = judge(x, p);
    if (next < residual) next = judge_inside(x, p, next);
    vain = next <= 0.5 * residual ? 0 : vain + 1;
    take_turns(x, vain > 0);
    if (!(next < residual)) continue;
    residual = next;
    memcpy(r, x->step, bytes);
    if (u) memcpy(u, x->du, bytes);
  }
  return residual;
}

double alart_curnier_polish(const solve_problem *p, solve_workspace *w, double *r, double *u, double residual) {
  if (!suits(p)) return residual;
  newton x = begin(p, w);
  size_t bytes = (size_t)x.n * sizeof *r;
  memcpy(x.r, r, bytes);
  memcpy(x.u, u, bytes);
  return polish(&x, p, w->stop, POLISH_STEPS, POLISH_PATIENCE, ROUNDING, residual, r, u);
}

bool alart_curnier_probe(const solve_problem *p, solve_workspace *w, double enough, double *r) {
  newton x = begin(p, w);
  memcpy(x.r, r, (size_t)x.n * sizeof *r);
  double before = judge(&x, p);
  return polish(&x, p, w->stop, PROBE_STEPS, PROBE_PATIENCE, fmax(enough, ROUNDING), before, r, NULL) < before;
}

// Stiffness of long steps over the residual, and the most of it.
static const double LEAP_LIFT = 0.1, LEAP_LIFT_MOST = 0.01;

double alart_curnier_leap(const solve_problem *p, solve_workspace *w, double tolerance, int most, double *r,
                          int *iterations) {
  size_t mark = w->used, bytes = (size_t)p->W.rows * sizeof *r;
  newton x = begin(p, w);
  memcpy(x.r, r, bytes);
  double before = INFINITY, residual = judge(&x, p);
  while (residual > tolerance && residual < 0.1 * before && *iterations < most && !interrupted(w->stop)) {
    x.lift = fmax(LITTLE, fmin(LEAP_LIFT_MOST, LEAP_LIFT * residual));
    linearise(&x, p, x.r, x.u, true);
    if (!direction(&x, p, w->stop)) break;
    for (int i = 0; i < x.n; i++) x.r[i] += x.step[i];
    put_all_inside(p, x.r);
    before = residual, residual = judge(&x, p);
    ++*iterations;
  }
  memcpy(r, x.r, bytes);
  w->used = mark;
  return residual;
}

// --- the solver ------------------------------------------------------------------------------------------------------

// The longest of 1, ½, ¼ … whose |F|² is below the worst of the last few: now and then uphill is the way out of a
// valley.
static double step_length(newton *x, const solve_problem *p, const double *history, double *r, double *u) {
  double worst = 0;
  for (int k = 0; k < MEMORY; k++) worst = fmax(worst, history[k]);
  for (double t = 1; t > 1e-6; t *= 0.5) {
    for (int i = 0; i < x->n; i++) r[i] = x->r[i] + t * x->step[i], u[i] = x->u[i] + t * x->du[i];
    if (linearise(x, p, r, u, false) <= (1 - 1e-4 * t) * worst) return t;
  }
  return 0;
}

// --- the first change of state ---------------------------------------------------------------------------------------
//
// In a pile the equations of an active set may contradict each other: contacts that all stick leave a velocity that no
// percussion can remove. The direction is then one in which contacts press harder against each other, as large as the
// stiffness that was added allows, and F stays as it is until one of them reaches the edge of its cone and slips. So a
// step goes at least as far as that. Where F falls, the line search goes that far anyway.

// Changes nearer than this were made by the last step; how far a step goes beyond one.
static const double LAST_STEP = 1e-12, BEYOND = 1 + 1e-9;

static double change_of(const solve_block *b, const double *y, const double *d) {
  double t = (b->kind == BLOCK_BOX ? b->lo - y[0] : -y[0]) / d[0];
  if (!(t > LAST_STEP)) t = INFINITY;
  if (b->kind == BLOCK_UNILATERAL) return t;
  if (b->kind == BLOCK_BOX) {
    double high = (b->hi - y[0]) / d[0];
    return high > LAST_STEP ? fmin(t, high) : t;
  }
  return y[0] > 0 ? fmin(t, cone_edge(b->mu, y, d, b->size, LAST_STEP)) : t;
}

// The part of the step after which the first block changes its state; infinite if none does.
static double first_change(const newton *x, const solve_problem *p) {
  double first = INFINITY;
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    double y[3], d[3];
    for (int j = 0; j < b->size && b->kind != BLOCK_BILATERAL; j++) {
      int i = b->row + j;
      y[j] = x->r[i] - x->rho[i] * x->u[i], d[j] = x->step[i] - x->rho[i] * x->du[i];
    }
    if (b->kind != BLOCK_BILATERAL) first = fmin(first, change_of(b, y, d));
  }
  return first;
}

static int limit(const solve_problem *p) { return condensed_suits(p) ? LOCAL_LIMIT : ALART_CURNIER_STEPS; }

// What a run needs to go on.
struct newton_path {
  double *at, *best;       // where it is, and the best so far within its sets
  int steps, most;         // so far; in all parts together
  int patience;            // steps in which the least residual may stay above half of what it was
  double history[MEMORY];  // of |F|²
  double start, last;      // residuals of the first and of the last iterate
  double lift;             // stiffness
  double least, halved;    // residual of the best, and what the patience is counted from
  int since;               // steps since it was last halved
};

static void begin_path(newton_path *path, int n, int most, int patience, const double *r) {
  double *at = path->at, *best = path->best;
  *path = (newton_path){.at = at,
                        .best = best,
                        .most = most,
                        .patience = patience,
                        .start = INFINITY,
                        .last = INFINITY,
                        .lift = LITTLE,
                        .least = INFINITY,
                        .halved = INFINITY};
  memcpy(at, r, (size_t)n * sizeof *r);
}

static void look(newton *x, const solve_problem *p, double residual, newton_path *path) {
  take_turns(x, residual > 0.5 * path->last);
  path->last = residual;
  if (path->steps == 0) path->start = residual;
  if (residual < path->least) residual = judge_inside(x, p, residual);
  if (residual < path->least) path->least = residual, memcpy(path->best, x->step, (size_t)x->n * sizeof *path->best);
  path->since++;
  if (path->least <= 0.5 * path->halved) path->halved = path->least, path->since = 0;
}

// From x->r. Stalls where the patience of the path is at its end. In a pile the residual may stay as it is for tens of
// steps, while one contact after the other changes its state, and then fall to nothing.
static solve_status walk(newton *x, const solve_problem *p, const solve_settings *s, solve_workspace *w,
                         newton_path *path, solve_info *info) {
  double *trial_r = TAKE(w, double, x->n), *trial_u = TAKE(w, double, x->n);
  for (bool known = path->steps > 0;; known = false) {  // the iterate at which a path was left has been looked at
    double residual = judge(x, p);
    if (!known) look(x, p, residual, path);
    if (path->least <= s->tolerance) return SOLVE_SOLVED;
    if (path->since > path->patience || (residual > LOST && path->start < 0.1 * LOST)) return SOLVE_STALLED;
    if (info->iterations >= s->iterations || path->steps >= path->most) return SOLVE_LIMIT;
    if (interrupted(w->stop)) return SOLVE_INTERRUPTED;
    path->history[path->steps++ % MEMORY] = linearise(x, p, x->r, x->u, true);
    info->iterations++;
    if (!direction(x, p, w->stop)) return interrupted(w->stop) ? SOLVE_INTERRUPTED : SOLVE_STALLED;
    p->W.ops->apply(&p->W, x->step, x->du, x->work);
    double t = fmin(1, fmax(step_length(x, p, path->history, trial_r, trial_u), BEYOND * first_change(x, p)));
    for (int i = 0; i < x->n; i++) x->r[i] += t * x->step[i];
  }
}

// Goes on along the path; the best of all goes to r.
static solve_status go_on(const solve_problem *p, const solve_settings *s, solve_workspace *w, newton_path *path,
                          double *r, solve_info *info) {
  newton x = begin(p, w);
  solve_settings own = *s;
  size_t bytes = (size_t)x.n * sizeof *r;
  if (!own.iterations) own.iterations = ALART_CURNIER_STEPS;
  memcpy(x.r, path->at, bytes);
  x.lift = path->lift;
  solve_status status = walk(&x, p, &own, w, path, info);
  memcpy(path->at, x.r, bytes);
  path->lift = x.lift;
  if (path->least < INFINITY) memcpy(r, path->best, bytes);
  return status;
}

static newton_path lay_out_path(solve_workspace *w, const solve_limits *limits) {
  return (newton_path){.at = TAKE(w, double, limits->rows), .best = TAKE(w, double, limits->rows)};
}

static solve_status run(const solve_problem *p, const solve_settings *s, int patience, solve_workspace *w, double *r,
                        solve_info *info) {
  solve_limits limits = solve_limits_exact(p);
  newton_path path = lay_out_path(w, &limits);
  begin_path(&path, p->W.rows, INT_MAX, patience, r);
  return go_on(p, s, w, &path, r, info);
}

solve_status alart_curnier_walk(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                                solve_info *info) {
  return run(p, s, INT_MAX, w, r, info);
}

static solve_status solve(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                          solve_info *info) {
  return local_suits(p, w) ? local_solve(p, s, w, r, info) : alart_curnier_walk(p, s, w, r, info);
}

// --- a path that is left and gone on with ----------------------------------------------------------------------------

newton_path *newton_path_take(solve_workspace *w, const solve_limits *limits) {
  newton_path *path = TAKE(w, newton_path, 1), made = lay_out_path(w, limits);
  if (path) *path = made;
  return path;
}

void newton_path_begin(newton_path *path, const solve_problem *p, int most, int patience, const double *r) {
  begin_path(path, p->W.rows, most, patience, r);
}

solve_status newton_path_go_on(newton_path *path, const solve_problem *p, const solve_settings *s, solve_workspace *w,
                               double *r, solve_info *info) {
  return go_on(p, s, w, path, r, info);
}

int newton_path_steps(const newton_path *path) { return path->steps; }

void alart_curnier_measure(solve_workspace *w, const solve_limits *limits) {
  lay_out_path(w, limits);
  lay_out(w, limits);
  TAKE(w, double, limits->rows);
  TAKE(w, double, limits->rows);
}

static void measure(solve_workspace *w, const solve_limits *limits) {
  if (limits->velocities) local_measure(w, limits);
  alart_curnier_measure(w, limits);
}

const solver solver_alart_curnier = {
    "alart-curnier", "Newton on all contacts at once; many contacts: with sweeps in between. Exact cone.",
    suits,           limit,
    measure,         solve,
    .finite = false};
