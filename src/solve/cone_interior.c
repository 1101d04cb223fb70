// Primal-dual interior point method for friction in plane and space, after Cadoux and Acary.
//
// In the variables x = (μ r_N, r_T) and z = (u_N/μ + s, u_T), with the slip s = |u_T|, the friction cone and its dual
// are both L = {|x_T| ≤ x_N}. De Saxcé's form of Coulomb's law is
//
//   z = M x + c + s e_N,   L ∋ x ⊥ z ∈ L,   M = S W S, c = S q, S = diag(1/μ, 1, 1)
//
// Where percussions are not unique this method ends in the middle of all solutions, with what sticks well inside its
// cone, from where Newton's finds its exact end; others end on an edge, and Gauss–Seidel may creep along one for ever.
//
// Each step solves, with the scaling T of Nesterov and Todd (T z = T⁻¹ x = λ) and ρ = z − M x − c − s e_N,
//
//   G dz − M dx = −ρ,   λ∘(T⁻¹ dx + T dz) = σ m e − λ∘λ − (correction of second order)
//
// by (M + G T⁻²) dx = ρ + G T⁻¹ d, where d is what T⁻¹ dx + T dz is to be, or for problems in pieces by equations for
// the velocities (condensed.h). Bilateral rows have z = 0 and no scaling.
//
// First the slip follows z: G dz = dz − (e·dz_T) e_N with e = z_T/|z_T|. This takes 20 to 30 steps, but the problem is
// not convex, and some runs stick to the edge of a cone. Then the slips are held: G is the identity, each problem is
// convex and is solved from the middle of its cones, and repetition finds the slips.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "math/lu.h"
#include "solve/condensed.h"
#include "solve/cone.h"
#include "solve/cone_alart_curnier.h"
#include "solve/cone_interior.h"
#include "solve/residual.h"
#include "solve/solver.h"
#include "solve/work.h"

// Bilateral rows that repeat others get a little stiffness, relative to the diagonal of M.
static const double LIFT = 1e-12;

// x·z, in units of order one, at which a slip of 1e-10 of the velocities at hand still shows on which edge of its cone
// a percussion is: far below rounding of either factor, and reached because each is known to its own last digits.
static const double GAP = 1e-24;

// Parts of the way to the edge of the cones that a step goes. A run whose slips follow needs more room.
static const double NEARLY = 0.99, LESS = 0.95;
// A step of less than this part sticks to an edge. All cones then go back towards their middle.
static const double STUCK = 0.1;
// By this part of the mean distance to their edges; in pieces not as far, and more often.
static const double RETREAT = 1, RETREAT_IN_PIECES = 0.3;
// Above this residual Newton's method is not likely to help.
static const double FAR = 4e-2;
// Below this one, in pieces, the slips that were found are a better start than none.
static const double KNOWN = 0.3;
// Where a step sticks to an edge below this one, Newton's method is tried from there, and again at a part of it. In
// pieces steps go on after a retreat as often as Newton's find an end, and take fewer.
static const double NEAR = 1e-2, NEAR_IN_PIECES = 1e-4, NEARER = 0.3;
// Where a step raises a residual below FINE by more than this factor, rounding has spoilt it.
static const double FINE = 1e-4, SPOILT = 100;
// A residual below this part of the last one is a gain.
static const double GAINS = 0.5;

enum {
  ROWS_MAX = SOLVE_DENSE_MAX,
  STEPS = 60,
  DESCENT_PATIENCE = 40,
  RETREATS = 3,
  RETREATS_IN_PIECES = 6,
  RETREATS_FROM_KNOWN = 1,
  REPEATS = 40,
  VAIN_REPEATS = 6
};

// The rows of a block that live in a cone: one for what has no friction, none for a bilateral one or a box.
typedef struct cone {
  int row, size;
  double w[3], eta;  // T = η [w0 w1ᵀ; w1 I + w1 w1ᵀ/(1 + w0)]
  double lambda[3];
  double along[2];  // e where the slip follows, else 0
} cone;

typedef struct interior {
  int n, cone_count, iterations;
  cone *cones;
  bool follows;       // the slips follow z, else they are held
  condensed *pieces;  // of a problem in pieces; null: M is formed
  const solve_matrix *W;
  double unit;  // M = unit · scale · W · scale
  double *v;
  double *M, *A, *c;  // row by row
  double *scale;      // r = scale · x; 0 where x stays 0, as friction without a coefficient
  double *x, *z, *dx, *dz, *rho, *d, *right, *slip;
  double *r, *u, *work;
  double *before;  // r of the last step
  int *pivot;
  double *spent;  // work of the workspace
} interior;

static interior lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t n = (size_t)limits->rows, dense = (size_t)limits->dense;
  interior i = {0};
  i.cones = TAKE(w, cone, limits->blocks);
  i.M = TAKE(w, double, (dense * dense));
  i.A = TAKE(w, double, (dense * dense));
  i.v = TAKE(w, double, limits->velocities);
  double **vectors[] = {&i.c, &i.scale, &i.x,    &i.z, &i.dx, &i.dz,    &i.rho,
                        &i.d, &i.right, &i.slip, &i.r, &i.u,  &i.before};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = TAKE(w, double, n);
  i.work = TAKE(w, double, limits->rows + limits->velocities);
  i.pivot = TAKE(w, int, n);
  return i;
}

static bool in_pieces(const solve_problem *p) { return condensed_suits(p) && !solve_has(p, BLOCK_BILATERAL); }

static bool suits(const solve_problem *p) {
  return p->block_count > 0 && (p->W.rows <= ROWS_MAX || in_pieces(p)) && !solve_has(p, BLOCK_BOX) &&
         !solve_has_rolling(p) && !solve_has_polygons(p);
}

// --- the convex problem ----------------------------------------------------------------------------------------------

static double size_of(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static void add_cone(interior *i, const solve_block *b, double percussion) {
  bool rubs = b->kind != BLOCK_UNILATERAL && b->mu > 0;
  i->scale[b->row] = rubs ? percussion / b->mu : percussion;
  for (int k = 1; k < b->size; k++) i->scale[b->row + k] = rubs ? percussion : 0;
  i->cones[i->cone_count++] = (cone){.row = b->row, .size = rubs ? b->size : 1};
}

// Percussions in units of |q| over the mean of W's diagonal, velocities in those of |q|: numbers of order one.
static bool begin(interior *i, const solve_problem *p, double *speed) {
  int n = i->n = p->W.rows;
  double diagonal = 0;
  p->W.ops->diagonal(&p->W, i->r);
  for (int k = 0; k < n; k++) diagonal += fabs(i->r[k]) / n;
  *speed = size_of(n, p->q);
  if (!(diagonal > 0 && *speed > 0)) return false;
  i->cone_count = 0;
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    if (b->kind != BLOCK_BILATERAL) add_cone(i, b, *speed / diagonal);
    for (int j = 0; b->kind == BLOCK_BILATERAL && j < b->size; j++) i->scale[b->row + j] = *speed / diagonal;
  }
  i->W = &p->W, i->unit = diagonal / (*speed * *speed);
  if (i->pieces) return true;
  p->W.ops->dense(&p->W, i->M);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) i->M[k * n + j] *= i->scale[k] * i->scale[j] * i->unit;
  return true;
}

static void set_constant(interior *i, const solve_problem *p, double speed) {
  double unit = 0;
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    bool rubs = b->kind != BLOCK_BILATERAL && b->kind != BLOCK_UNILATERAL && b->mu > 0;
    for (int j = 0; j < b->size; j++) {
      unit = rubs && j == 0 ? 1 / b->mu : i->scale[b->row + j] > 0 ? 1 : 0;
      i->c[b->row + j] = unit * p->q[b->row + j] / speed;
    }
    if (rubs && !i->follows) i->c[b->row] += i->slip[b->row] / speed;
  }
}

// --- cones -----------------------------------------------------------------------------------------------------------

// x_N² − |x_T|², as a product so that little is lost near the edge.
static double determinant(int size, const double *x) {
  double t = size_of(size - 1, x + 1);
  return (x[0] - t) * (x[0] + t);
}

static double dot(int size, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < size; k++) sum += a[k] * b[k];
  return sum;
}

// y := T x, or T⁻¹ x with sign −1.
static void scale_by(const cone *c, double sign, const double *x, double *y) {
  double eta = sign > 0 ? c->eta : 1 / c->eta, along = dot(c->size - 1, c->w + 1, x + 1);
  double first = c->w[0] * x[0] + sign * along, share = sign * x[0] + along / (1 + c->w[0]);
  for (int k = 1; k < c->size; k++) y[k] = eta * (x[k] + share * c->w[k]);
  y[0] = eta * first;
}

static bool find_scaling(cone *c, const double *x, const double *z) {
  double dx = determinant(c->size, x), dz = determinant(c->size, z);
  if (!(dx > 0 && dz > 0)) return false;
  double sx = 1 / sqrt(dx), sz = 1 / sqrt(dz), gamma = sqrt(0.5 * (1 + sx * sz * dot(c->size, x, z)));
  for (int k = 0; k < c->size; k++) c->w[k] = (sx * x[k] + (k ? -sz : sz) * z[k]) / (2 * gamma);
  c->w[0] = sqrt(1 + dot(c->size - 1, c->w + 1, c->w + 1));
  c->eta = sqrt(sqrt(dx / dz));
  scale_by(c, 1, z, c->lambda);
  return true;
}

// How far x + α d stays inside; the smallest positive root of its determinant.
static double reach(int size, const double *x, const double *d) {
  double a = determinant(size, d), b = x[0] * d[0] - dot(size - 1, x + 1, d + 1), c = determinant(size, x);
  double root = b * b - a * c;
  if (size == 1) return d[0] < 0 ? -x[0] / d[0] : INFINITY;
  if (a >= 0 && (b >= 0 || root < 0)) return d[0] >= 0 || a > 0 ? INFINITY : -x[0] / d[0];
  double far = -b + (b < 0 ? sqrt(fmax(0, root)) : -sqrt(fmax(0, root)));  // the root without cancellation
  return b < 0 ? c / far : far / a;
}

// d := λ⁻¹ ∘ (σ m e − λ∘λ − correction)
static void set_target(const cone *c, double level, const double *correction, double *d) {
  const double *l = c->lambda;
  double right[3] = {level - dot(c->size, l, l)};
  for (int k = 1; k < c->size; k++) right[k] = -2 * l[0] * l[k];
  for (int k = 0; correction && k < c->size; k++) right[k] -= correction[k];
  d[0] = (l[0] * right[0] - dot(c->size - 1, l + 1, right + 1)) / determinant(c->size, l);
  for (int k = 1; k < c->size; k++) d[k] = (right[k] - d[0] * l[k]) / l[0];
}

// --- steps -----------------------------------------------------------------------------------------------------------

// Of T⁻² = (2 v vᵀ − diag(1, −1, −1))/η² with v = (w_N, −w_T).
static double scaling_entry(const cone *c, int a, int b) {
  double v_a = a ? -c->w[a] : c->w[0], v_b = b ? -c->w[b] : c->w[0], diagonal = a ? -1 : 1;
  return (2 * v_a * v_b - (a == b ? diagonal : 0)) / (c->eta * c->eta);
}

// Of T² = η² (2 w wᵀ − diag(1, −1, −1)).
static double squared_entry(const cone *c, int a, int b) {
  double diagonal = a ? -1 : 1;
  return (2 * c->w[a] * c->w[b] - (a == b ? diagonal : 0)) * (c->eta * c->eta);
}

// K of the pieces, with T² G⁻¹ in the units of M; G⁻¹ = 1 + e_N eᵀ.
static bool factor_pieces(interior *i) {
  if (!condensed_clear(i->pieces, NULL)) return false;
  for (int k = 0; k < i->cone_count; k++) {
    const cone *c = &i->cones[k];
    int size = matrix_block_size(i->W, k);
    double E[9] = {0};
    for (int a = 0; a < c->size; a++)
      for (int b = 0; b < c->size; b++) {
        double entry = squared_entry(c, a, b) + (b ? squared_entry(c, a, 0) * c->along[b - 1] : 0);
        E[a * size + b] = i->unit * i->scale[c->row + a] * i->scale[c->row + b] * entry;
      }
    condensed_add(i->pieces, k, E);
  }
  *i->spent += work_in_pieces(condensed_work_cleared(i->pieces), i->n);
  return condensed_factor(i->pieces);
}

// A := M + G T⁻², factorised; rows without a velocity of their own stay where they are.
static bool factor(interior *i, interrupt *stop) {
  int n = i->n;
  if (i->pieces) return factor_pieces(i);
  memcpy(i->A, i->M, (size_t)n * (size_t)n * sizeof *i->A);
  for (int k = 0; k < n; k++) i->A[k * n + k] += i->scale[k] > 0 ? LIFT : 1;
  for (int k = 0; k < i->cone_count; k++) {
    const cone *c = &i->cones[k];
    double *A = i->A + (long)c->row * n + c->row;
    for (int a = 0; a < c->size; a++)
      for (int b = 0; b < c->size; b++) {
        double entry = scaling_entry(c, a, b);
        A[a * n + b] += entry;
        if (a) A[b] -= c->along[a - 1] * entry;
      }
  }
  *i->spent += work_formed(n);
  return lu_factor(n, i->A, n, i->pivot, stop) > 0;
}

// A long sum in eight parts, which go into vectors.
static double dot_in_parts(int size, const double *a, const double *b) {
  enum { PARTS = 8 };
  double part[PARTS] = {0};
  int k = 0;
  for (; k + PARTS <= size; k += PARTS)
    for (int j = 0; j < PARTS; j++) part[j] += a[k + j] * b[k + j];
  double sum = dot(size - k, a + k, b + k);
  for (int j = 0; j < PARTS; j++) sum += part[j];
  return sum;
}

// y := M x
static void apply(interior *i, const double *x, double *y) {
  if (!i->pieces) {
    for (int k = 0; k < i->n; k++) y[k] = dot_in_parts(i->n, i->M + (long)k * i->n, x);
    return;
  }
  for (int k = 0; k < i->n; k++) i->right[k] = i->scale[k] * x[k];
  i->W->ops->apply(i->W, i->right, y, i->work);
  for (int k = 0; k < i->n; k++) y[k] *= i->unit * i->scale[k];
}

// y := G⁻¹ y, and dx := T (d − T y)
static void respond(const cone *c, const double *d, double *y, double *dx) {
  double t[3] = {0};
  for (int j = 1; j < c->size; j++) y[0] += c->along[j - 1] * y[j];
  scale_by(c, 1, y, t);
  for (int j = 0; j < c->size; j++) t[j] = d[j] - t[j];
  scale_by(c, 1, t, dx);
}

// dx and dz for the targets d, in pieces: K v = Bᵀ (T d + T² G⁻¹ ρ), dz = G⁻¹ (J v − ρ) and dx = T (d − T dz). Found
// this way dz is small where z is. Rounding grows with T², so that x·z ends at about 1e-14; from there Newton's method
// reaches the solution.
static void find_step_in_pieces(interior *i) {
  double root = sqrt(i->unit);
  memset(i->right, 0, (size_t)i->n * sizeof *i->right);
  for (int k = 0; k < i->cone_count; k++) {
    const cone *c = &i->cones[k];
    double y[3] = {0};
    for (int j = 0; j < c->size; j++) y[j] = -i->rho[c->row + j];
    respond(c, i->d + c->row, y, i->right + c->row);
    for (int j = 0; j < c->size; j++) i->right[c->row + j] *= root * i->scale[c->row + j];
  }
  i->W->ops->start(i->W, i->right, i->v);
  condensed_solve(i->pieces, i->v);
  memset(i->dx, 0, (size_t)i->n * sizeof *i->dx);
  memset(i->dz, 0, (size_t)i->n * sizeof *i->dz);
  for (int k = 0; k < i->cone_count; k++) {
    const cone *c = &i->cones[k];
    double y[BLOCK_ROWS_MAX] = {0};
    i->W->ops->row(i->W, k, i->x, i->v, y);
    for (int j = 0; j < c->size; j++) y[j] = root * i->scale[c->row + j] * y[j] - i->rho[c->row + j];
    respond(c, i->d + c->row, y, i->dx + c->row);
    memcpy(i->dz + c->row, y, (size_t)c->size * sizeof *y);
  }
}

static void find_step_formed(interior *i) {
  memcpy(i->dx, i->rho, (size_t)i->n * sizeof *i->dx);
  for (int k = 0; k < i->cone_count; k++) {
    const cone *c = &i->cones[k];
    double t[3] = {0};
    scale_by(c, -1, i->d + c->row, t);
    for (int j = 0; j < c->size; j++) i->dx[c->row + j] += t[j];
    for (int j = 1; j < c->size; j++) i->dx[c->row] -= c->along[j - 1] * t[j];
  }
  lu_solve(i->n, i->A, i->n, i->pivot, i->dx);
  memset(i->dz, 0, (size_t)i->n * sizeof *i->dz);
  for (int k = 0; k < i->cone_count; k++) {
    const cone *c = &i->cones[k];
    double t[3] = {0};
    scale_by(c, -1, i->dx + c->row, t);
    for (int j = 0; j < c->size; j++) t[j] = i->d[c->row + j] - t[j];
    scale_by(c, -1, t, i->dz + c->row);
  }
}

// dx and dz for the targets d.
static void find_step(interior *i) {
  if (i->pieces) find_step_in_pieces(i);
  else find_step_formed(i);
}

// At most 1, and at most this part of the way to the edge of a cone.
static double step_length(const interior *i, double part) {
  double most = 1 / part;
  for (int k = 0; k < i->cone_count; k++) {
    const cone *c = &i->cones[k];
    most = fmin(most, reach(c->size, i->x + c->row, i->dx + c->row));
    most = fmin(most, reach(c->size, i->z + c->row, i->dz + c->row));
  }
  return part * most;
}

// The target of the corrector: (T⁻¹ dx)∘(T dz) of the predictor.
static void set_corrected_targets(interior *i, double level) {
  for (int k = 0; k < i->cone_count; k++) {
    const cone *c = &i->cones[k];
    double a[4] = {0}, b[4] = {0}, product[3] = {0};  // of three gcc takes some for not set, without LTO
    scale_by(c, -1, i->dx + c->row, a);
    scale_by(c, 1, i->dz + c->row, b);
    product[0] = dot(c->size, a, b);
    for (int j = 1; j < c->size; j++) product[j] = a[0] * b[j] + b[0] * a[j];
    set_target(c, level, product, i->d + c->row);
  }
}

// The slips of z, of which ρ is told.
static void follow_slips(interior *i) {
  for (int k = 0; k < i->cone_count; k++) {
    cone *c = &i->cones[k];
    const double *z_T = i->z + c->row + 1;
    double slip = size_of(c->size - 1, z_T);
    for (int j = 0; j < c->size - 1; j++) c->along[j] = slip > 0 ? z_T[j] / slip : 0;
    i->rho[c->row] -= slip;
  }
}

// ρ, and the mean of x·z over the cones.
static double find_gap(interior *i) {
  double gap = 0;
  apply(i, i->x, i->rho);
  for (int k = 0; k < i->n; k++) i->rho[k] = i->scale[k] > 0 ? i->z[k] - i->c[k] - i->rho[k] : 0;
  for (int k = 0; k < i->cone_count; k++)
    gap += dot(i->cones[k].size, i->x + i->cones[k].row, i->z + i->cones[k].row) / i->cone_count;
  if (i->follows) follow_slips(i);
  return gap;
}

// One step of predictor and corrector. Returns the part of it that was made, 0 where there is no such step.
static double take_step(interior *i, double gap, interrupt *stop) {
  double part = i->follows ? LESS : NEARLY;
  for (int k = 0; k < i->cone_count; k++) {
    cone *c = &i->cones[k];
    if (!find_scaling(c, i->x + c->row, i->z + c->row)) return 0;
    set_target(c, 0, NULL, i->d + c->row);
  }
  if (!factor(i, stop)) return 0;
  find_step(i);
  double rest = 1 - step_length(i, part);
  set_corrected_targets(i, rest * rest * rest * gap);
  find_step(i);
  for (int k = 0; k < i->n; k++)
    if (!isfinite(i->dx[k] + i->dz[k])) return 0;
  double t = step_length(i, part);
  for (int k = 0; k < i->n; k++) i->x[k] += t * i->dx[k], i->z[k] += t * i->dz[k];
  return t;
}

static void add_to_all(interior *i, double amount) {
  for (int k = 0; k < i->cone_count; k++) i->x[i->cones[k].row] += amount, i->z[i->cones[k].row] += amount;
}

static void start_in_the_middle(interior *i) {
  memset(i->x, 0, (size_t)i->n * sizeof *i->x);
  memset(i->z, 0, (size_t)i->n * sizeof *i->z);
  for (int k = 0; k < i->cone_count; k++) i->cones[k].along[0] = i->cones[k].along[1] = 0;
  add_to_all(i, 1);
}

// How far a start from percussions that are known is moved away from the edges of the cones. The states of most
// contacts then stay as they are: after 50 to 300 sweeps over piles a run takes a half to four fifths of the steps that
// it takes from the middle.
static const double APART = 0.01;

// The percussions r and their velocities, each moved into its cone. Runs from the middle and from different r stick in
// different places, or not at all.
static void start_from(interior *i, const solve_problem *p, const double *r, double speed) {
  p->W.ops->apply(&p->W, r, i->u, i->work);
  start_in_the_middle(i);
  for (int k = 0; k < i->cone_count; k++) {
    const cone *c = &i->cones[k];
    double *x = i->x + c->row, *z = i->z + c->row;
    double stretch = c->size > 1 ? i->scale[c->row] / i->scale[c->row + 1] : 1;  // 1/μ
    for (int j = 0; j < c->size; j++) {
      int row = c->row + j;
      x[j] = r[row] / i->scale[row], z[j] = (j ? 1 : stretch) * (i->u[row] + p->q[row]) / speed;
    }
    double held = size_of(c->size - 1, x + 1), slip = size_of(c->size - 1, z + 1);
    x[0] = fmax(x[0], held) + APART;
    z[0] = fmax(z[0] + slip, slip) + APART;
  }
}

static double judge(interior *i, const solve_problem *p, const solve_workspace *w) {
  for (int k = 0; k < i->n; k++) i->r[k] = i->scale[k] * i->x[k];
  return solve_residual_known(p, w->weights, i->r, i->u, i->work);
}

// With slips that are held. Ends where rounding does, or after `most` steps of all turns. Returns the residual of i->r.
static double solve_convex(interior *i, const solve_problem *p, solve_workspace *w, int most) {
  start_in_the_middle(i);
  for (int step = 0; step < STEPS && i->iterations < most; step++, i->iterations++) {
    double gap = find_gap(i);
    if (gap < GAP || interrupted(w->stop) || take_step(i, gap, w->stop) < 1e-8) break;
  }
  return judge(i, p, w);
}

// Newton's steps from i->r, whose residual is given.
static double polish(interior *i, const solve_problem *p, solve_workspace *w, double residual) {
  size_t mark = w->used;
  residual = alart_curnier_polish(p, w, i->r, i->u, residual);
  w->used = mark;
  return residual;
}

// --- slips that follow -----------------------------------------------------------------------------------------------

// What a run with slips that follow needs to go on.
struct interior_path {
  interior i;
  newton_path *descent;  // Newton's method with a line search from where a step stuck
  enum { PATH_STEPS, PATH_DESCENT, PATH_LAST_DESCENT, PATH_ENDED } at;
  int steps;                 // without those of Newton's method
  int vain, retreats;        // times in a row that it was stuck without a gain, and at most
  double speed;              // that velocities are relative to
  double last, least, near;  // residuals of the last step and at best; below which Newton's method is tried next
  double stuck_at, gap;      // where Newton's method began
};

static void begin_descent(interior_path *path, const solve_problem *p, bool is_last) {
  path->at = is_last ? PATH_LAST_DESCENT : PATH_DESCENT;
  newton_path_begin(path->descent, p, INT_MAX, DESCENT_PATIENCE, path->i.r);
}

// All cones go back towards their middle, unless several such retreats were in vain. A run from percussions that were
// known ends early: most of these run through, and another start is cheaper than many retreats.
static void retreat(interior_path *path, const solve_problem *p, const solve_workspace *w, double gap) {
  interior *i = &path->i;
  if (path->vain < path->retreats) {
    add_to_all(i, (i->pieces ? RETREAT_IN_PIECES : RETREAT) * sqrt(gap));
    path->last = INFINITY;
  } else if (path->retreats > RETREATS_FROM_KNOWN && judge(i, p, w) <= FAR) {
    begin_descent(path, p, true);
  } else {
    path->at = PATH_ENDED;
  }
}

// One step, and what follows from how far it went. A step that sticks to an edge is often near a solution: the states
// of almost all contacts are right, and Newton's method finds the others in some tens of steps. Returns the residual of
// i->r.
static double step_on(interior_path *path, const solve_problem *p, solve_workspace *w, double tolerance) {
  interior *i = &path->i;
  double gap = find_gap(i), residual = judge(i, p, w);
  if (residual <= tolerance || gap < GAP || interrupted(w->stop)) {
    path->at = PATH_ENDED;
  } else if (path->last < FINE && residual > SPOILT * path->last) {
    memcpy(i->r, i->before, (size_t)i->n * sizeof *i->r);
    begin_descent(path, p, true);
  } else if (path->steps == STEPS) {
    if (residual <= FAR) begin_descent(path, p, true);
    else path->at = PATH_ENDED;
  } else {
    path->last = residual, memcpy(i->before, i->r, (size_t)i->n * sizeof *i->r);
    path->steps++, i->iterations++;
    if (take_step(i, gap, w->stop) > STUCK) return residual;
    path->vain = residual < GAINS * path->least ? 0 : path->vain + 1;
    path->least = fmin(path->least, residual);
    path->stuck_at = residual, path->gap = gap;
    if (!i->pieces && residual > NEAR) path->at = PATH_ENDED;  // held slips mostly take fewer steps than retreats do
    else if (residual <= path->near) begin_descent(path, p, false);
    else retreat(path, p, w, gap);
  }
  return residual;
}

// Newton's method for at most so many steps. Returns the residual of i->r, the best that it met.
static double descend_on(interior_path *path, const solve_problem *p, solve_workspace *w, double tolerance, int most) {
  interior *i = &path->i;
  solve_settings own = {.tolerance = tolerance, .iterations = most};
  solve_info info = {0};
  size_t mark = w->used;
  solve_status status = newton_path_go_on(path->descent, p, &own, w, i->r, &info);
  w->used = mark;
  i->iterations += info.iterations;
  double residual = solve_residual_known(p, w->weights, i->r, i->u, i->work);
  if (residual <= tolerance || (status != SOLVE_LIMIT && path->at == PATH_LAST_DESCENT)) path->at = PATH_ENDED;
  if (status == SOLVE_LIMIT || path->at == PATH_ENDED) return residual;
  path->at = PATH_STEPS, path->near = NEARER * path->stuck_at;
  retreat(path, p, w, path->gap);
  return residual;
}

// At most `most` more steps of both kinds. Returns the residual of i->r.
static double follow(interior_path *path, const solve_problem *p, solve_workspace *w, double tolerance, int most) {
  interior *i = &path->i;
  int begun = i->iterations;
  double residual = INFINITY;
  while (path->at != PATH_ENDED && i->iterations - begun < most && !interrupted(w->stop))
    residual = path->at == PATH_STEPS ? step_on(path, p, w, tolerance)
                                      : descend_on(path, p, w, tolerance, most - (i->iterations - begun));
  if (path->at == PATH_STEPS) residual = judge(i, p, w);
  return residual;
}

// --- the fixed point -------------------------------------------------------------------------------------------------

// The slips that come out, or halfway there where repetition goes round in circles.
static void take_slips(interior *i, const solve_problem *p, double share) {
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    i->slip[b->row] += share * (size_of(b->size - 1, i->u + b->row + 1) - i->slip[b->row]);
  }
}

static void take_slips_of(interior *i, const solve_problem *p, const double *r) {
  p->W.ops->apply(&p->W, r, i->u, i->work);
  for (int k = 0; k < i->n; k++) i->u[k] += p->q[k];
  take_slips(i, p, 1);
}

static int limit(const solve_problem *p) {
  (void)p;
  return STEPS * REPEATS;
}

// --- runs ------------------------------------------------------------------------------------------------------------

static interior_path lay_out_path(solve_workspace *w, const solve_limits *limits) {
  interior i = lay_out(w, limits);
  return (interior_path){.i = i, .descent = newton_path_take(w, limits)};
}

static void measure(solve_workspace *w, const solve_limits *limits) {
  lay_out_path(w, limits);
  alart_curnier_measure(w, limits);
}

// Returns false if there is nothing to solve.
static bool begin_run(interior_path *path, const solve_problem *p, solve_workspace *w) {
  interior *i = &path->i;
  i->pieces = in_pieces(p) && condensed_begin(w->condensed, p) ? w->condensed : NULL;
  i->spent = &w->work, i->iterations = 0;
  if (!i->pieces && p->W.rows > ROWS_MAX) return false;
  memset(i->slip, 0, (size_t)p->W.rows * sizeof *i->slip);
  return begin(i, p, &path->speed);
}

// From r, or from the middle of all cones where it is null.
static void begin_following(interior_path *path, const solve_problem *p, const double *r) {
  interior *i = &path->i;
  i->follows = true;
  path->at = PATH_STEPS, path->steps = path->vain = 0, path->last = path->least = INFINITY;
  path->near = i->pieces ? NEAR_IN_PIECES : NEAR;
  path->retreats = r ? RETREATS_FROM_KNOWN : i->pieces ? RETREATS_IN_PIECES : RETREATS;
  set_constant(i, p, path->speed);
  if (r) start_from(i, p, r, path->speed);
  else start_in_the_middle(i);
}

// The end of a turn: i->r is polished unless it is far from a solution, and goes to r if it is the best so far.
static double end_turn(interior *i, const solve_problem *p, solve_workspace *w, double tolerance, double far,
                       double residual, double *least, double *r) {
  if (residual > tolerance && residual <= far) residual = polish(i, p, w, residual);
  if (residual < *least) *least = residual, memcpy(r, i->r, (size_t)i->n * sizeof *r);
  return residual;
}

// Turns whose slips are held, until the iterations of all turns are at the limit.
static solve_status hold(interior_path *path, const solve_problem *p, const solve_settings *s, double least,
                         solve_workspace *w, double *r, solve_info *info) {
  interior *i = &path->i;
  int most = s->iterations ? s->iterations : limit(p), vain = 0;
  double nearest = INFINITY;
  i->follows = false;
  if (i->iterations + STEPS > most) return SOLVE_LIMIT;  // one turn would not end
  for (int turn = 0; turn < REPEATS && vain < VAIN_REPEATS && i->iterations < most; turn++) {
    set_constant(i, p, path->speed);
    double residual = solve_convex(i, p, w, most);
    if (interrupted(w->stop)) return SOLVE_INTERRUPTED;
    info->iterations = i->iterations;
    vain = residual <= 0.95 * nearest ? 0 : vain + 1;
    nearest = fmin(nearest, residual);
    take_slips(i, p, vain < 2 ? 1 : 0.5);
    if (end_turn(i, p, w, s->tolerance, INFINITY, residual, &least, r) <= s->tolerance) return SOLVE_SOLVED;
  }
  return i->iterations < most ? SOLVE_STALLED : SOLVE_LIMIT;
}

static solve_status solve(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                          solve_info *info) {
  solve_limits limits = solve_limits_exact(p);
  interior_path path = lay_out_path(w, &limits);
  interior *i = &path.i;
  double least = INFINITY;
  if (!begin_run(&path, p, w)) return SOLVE_STALLED;
  begin_following(&path, p, NULL);
  double residual = follow(&path, p, w, s->tolerance, s->iterations ? s->iterations : limit(p));
  if (interrupted(w->stop)) return SOLVE_INTERRUPTED;
  info->iterations = i->iterations;
  if (i->pieces && residual < KNOWN) take_slips(i, p, 1);
  if (end_turn(i, p, w, s->tolerance, FAR, residual, &least, r) <= s->tolerance) return SOLVE_SOLVED;
  return hold(&path, p, s, least, w, r, info);
}

solve_status interior_hold(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                           solve_info *info) {
  solve_limits limits = solve_limits_exact(p);
  interior_path path = lay_out_path(w, &limits);
  if (!begin_run(&path, p, w)) return SOLVE_STALLED;
  if (path.i.pieces) take_slips_of(&path.i, p, r);
  return hold(&path, p, s, INFINITY, w, r, info);
}

// --- a run that is left and gone on with -----------------------------------------------------------------------------

interior_path *interior_path_take(solve_workspace *w, const solve_limits *limits) {
  solve_limits own = *limits;
  own.dense = 0;
  interior_path *path = TAKE(w, interior_path, 1), made = lay_out_path(w, &own);
  if (path) *path = made;
  return path;
}

bool interior_path_begin(interior_path *path, const solve_problem *p, solve_workspace *w, const double *r) {
  path->at = PATH_ENDED;
  if (!in_pieces(p) || !condensed_begin(w->condensed, p)) return false;  // a path has no room for W
  if (!begin_run(path, p, w)) return false;
  begin_following(path, p, r);
  return true;
}

solve_status interior_path_go_on(interior_path *path, const solve_problem *p, const solve_settings *s,
                                 solve_workspace *w, double *r, solve_info *info) {
  interior *i = &path->i;
  int before = i->iterations;
  double least = INFINITY, residual = follow(path, p, w, s->tolerance, s->iterations);
  info->iterations = i->iterations - before;
  if (interrupted(w->stop)) return SOLVE_INTERRUPTED;
  residual = end_turn(i, p, w, s->tolerance, path->at == PATH_ENDED ? FAR : 0, residual, &least, r);
  return residual <= s->tolerance ? SOLVE_SOLVED : path->at == PATH_ENDED ? SOLVE_STALLED : SOLVE_LIMIT;
}

const solver solver_interior = {
    "interior", "Interior points: the middle of all solutions.", suits, limit, measure, solve, .finite = false};
