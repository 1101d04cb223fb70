#include "integrate/newton_matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/lu.h"

// --- which component stands where ------------------------------------------------------------------------------------

typedef struct layout layout;

typedef struct blocks {
  layout *of;
  double *A_q, *A_v;  // rows: states, then accounts; columns: positions or states
  double *A_qN;       // product of these columns with N
  double *N;          // by position, as the structure lists them
  double c;           // the matrix is 1 + c J, or J itself with c = 0
} blocks;

enum { MATRICES = 2 };  // CVODE keeps a copy of J

// Shared by all matrices of one integrator.
struct layout {
  const ode_structure *structure;  // null: all components are states
  int n;
  int positions, states, accounts, given;
  int *position, *state, *account, *fixed;  // their components; `fixed` are the given ones
  int *place;                               // of each component among those of its kind
  blocks matrix[MATRICES];
  int matrices;  // in use
};

static ode_part part_of(const layout *l, int i) { return l->structure ? l->structure->part[i] : ODE_STATE; }
static int row_count(const layout *l) { return l->states + l->accounts; }
static int rate_count(const layout *l) { return l->positions ? l->structure->rate_start[l->positions] : 0; }

static void add_component(int *list, int *count, int *place, int i) {
  place[i] = *count;
  list[(*count)++] = i;
}

static size_t entries(const layout *l) {
  return (size_t)row_count(l) * (size_t)(l->positions + 2 * l->states) + (size_t)rate_count(l) + 1;
}

static void lay_blocks(layout *l, blocks *b, arena *memory) {
  size_t rows = (size_t)row_count(l);
  double *storage = ARENA_ARRAY(memory, double, entries(l));
  *b = (blocks){.of = l,
                .A_q = storage,
                .A_v = storage + rows * (size_t)l->positions,
                .A_qN = storage + rows * (size_t)(l->positions + l->states),
                .N = storage + rows * (size_t)(l->positions + 2 * l->states)};
}

static layout *make_layout(integrator *it) {
  layout *l = ARENA_NEW(&it->memory, layout);
  l->structure = it->ode->structure, l->n = it->n;
  l->position = ARENA_ARRAY(&it->memory, int, it->n);
  l->state = ARENA_ARRAY(&it->memory, int, it->n);
  l->account = ARENA_ARRAY(&it->memory, int, it->n);
  l->fixed = ARENA_ARRAY(&it->memory, int, it->n);
  l->place = ARENA_ARRAY(&it->memory, int, it->n);
  for (int i = 0; i < it->n; i++) switch (part_of(l, i)) {
      case ODE_POSITION: add_component(l->position, &l->positions, l->place, i); break;
      case ODE_STATE: add_component(l->state, &l->states, l->place, i); break;
      case ODE_ACCOUNT: add_component(l->account, &l->accounts, l->place, i); break;
      case ODE_GIVEN: add_component(l->fixed, &l->given, l->place, i); break;
    }
  for (int k = 0; k < MATRICES; k++) lay_blocks(l, &l->matrix[k], &it->memory);
  return l;
}

// --- the matrix as SUNDIALS sees it ----------------------------------------------------------------------------------

static SUNMatrix_ID matrix_id(SUNMatrix A) { return (void)A, SUNMATRIX_CUSTOM; }

static void destroy_matrix(SUNMatrix A) {
  A->content = NULL;  // it is the layout's
  SUNMatFreeEmpty(A);
}

static int zero_matrix(SUNMatrix A) {
  ((blocks *)A->content)->c = 0;
  return SUNMAT_SUCCESS;
}

static int copy_matrix(SUNMatrix A, SUNMatrix B) {
  const blocks *from = A->content;
  blocks *to = B->content;
  memcpy(to->A_q, from->A_q, entries(from->of) * sizeof *to->A_q);
  to->c = from->c;
  return SUNMAT_SUCCESS;
}

// Called on J alone.
static int scale_add_identity(realtype c, SUNMatrix A) {
  ((blocks *)A->content)->c = c;
  return SUNMAT_SUCCESS;
}

static SUNMatrix clone_matrix(SUNMatrix A);

static SUNMatrix make_matrix(layout *l, SUNContext context) {
  SUNMatrix A = l->matrices < MATRICES ? SUNMatNewEmpty(context) : NULL;
  if (!A) return NULL;
  A->ops->getid = matrix_id, A->ops->clone = clone_matrix, A->ops->destroy = destroy_matrix;
  A->ops->zero = zero_matrix, A->ops->copy = copy_matrix, A->ops->scaleaddi = scale_add_identity;
  A->content = &l->matrix[l->matrices++];
  return A;
}

static SUNMatrix clone_matrix(SUNMatrix A) { return make_matrix(((blocks *)A->content)->of, A->sunctx); }

// --- J by differences ------------------------------------------------------------------------------------------------

typedef struct differences {
  integrator *it;
  double t, least;  // the least increment, over the weight of a component
  double *y, *shifted;
  const double *ydot;
} differences;

// Column of component i: y moved there by an increment in the way CVODE chooses its own, but at least by a tenth of its
// tolerance. Where a body comes to rest, CVODE's increments of components near zero are below the rounding of
// positions, and the column is noise. A whole tolerance, as IDA has it, is more than the slip of contacts that creep,
// where friction is not linear.
static int find_column(const differences *d, const layout *l, int i,
                       int (*rhs)(integrator *it, double t, const double *y, double *ydot), double *column,
                       int stride) {
  const integrator *it = d->it;
  double kept = d->y[i], tolerance = it->settings.rtol * fabs(kept) + it->tolerance[i];
  double increment = fmax(sqrt(DBL_EPSILON) * fabs(kept), d->least * tolerance);
  d->y[i] += increment;
  int code = rhs(d->it, d->t, d->y, d->shifted);
  d->y[i] = kept;
  if (code) return code;
  for (int k = 0; k < l->states; k++)
    column[(long)k * stride] = (d->shifted[l->state[k]] - d->ydot[l->state[k]]) / increment;
  for (int k = 0; k < l->accounts; k++)
    column[(long)(l->states + k) * stride] = (d->shifted[l->account[k]] - d->ydot[l->account[k]]) / increment;
  return 0;
}

static double weighted_norm(const integrator *it, const double *y, const double *ydot) {
  double sum = 0;
  for (int i = 0; i < it->n; i++) {
    double part = ydot[i] / (it->settings.rtol * fabs(y[i]) + it->tolerance[i]);
    sum += part * part / it->n;
  }
  return sqrt(sum);
}

static void multiply_by_rates(blocks *b) {
  const layout *l = b->of;
  const ode_structure *s = l->structure;
  for (int r = 0; r < row_count(l); r++) {
    const double *A_q = b->A_q + (long)r * l->positions;
    double *product = b->A_qN + (long)r * l->states;
    memset(product, 0, (size_t)l->states * sizeof *product);
    for (int i = 0; i < l->positions; i++)
      for (int k = s->rate_start[i]; k < s->rate_start[i + 1]; k++)
        if (part_of(l, s->rate_of[k]) == ODE_STATE) product[l->place[s->rate_of[k]]] += A_q[i] * b->N[k];
  }
}

// States leave positions where they are, so that the right-hand side can keep what depends on these.
int newton_matrix_differentiate(integrator *it, double step, double t, N_Vector y, N_Vector ydot, SUNMatrix J,
                                const N_Vector work[2]) {
  enum { LEAST = 1000 };  // roundings of a step, as CVODE has it
  blocks *to = J->content;
  const layout *l = to->of;
  double norm = weighted_norm(it, NV_DATA_S(y), NV_DATA_S(ydot));
  differences d = {.it = it,
                   .t = t,
                   .y = NV_DATA_S(y),
                   .ydot = NV_DATA_S(ydot),
                   .shifted = NV_DATA_S(work[0]),
                   .least = fmax(0.1, LEAST * step * DBL_EPSILON * it->n * norm)};
  int code = 0;
  for (int k = 0; k < l->positions && !code; k++)
    code = find_column(&d, l, l->position[k], integrator_rhs, to->A_q + k, l->positions);
  if (!code && l->positions && l->states && it->ode->rhs_again) code = integrator_rhs(it, t, d.y, NV_DATA_S(work[1]));
  for (int k = 0; k < l->states && !code; k++)
    code = find_column(&d, l, l->state[k], integrator_rhs_again, to->A_v + k, l->states);
  if (code || !l->positions) return code;
  l->structure->rates(l->structure->context, d.y, to->N);
  multiply_by_rates(to);
  return 0;
}

// --- the solver ------------------------------------------------------------------------------------------------------

typedef struct solver {
  const layout *of;
  double *S, *x_v;  // the factors of the states' matrix, and their part of x
  int *pivot;
} solver;

static SUNLinearSolver_Type solver_type(SUNLinearSolver s) { return (void)s, SUNLINEARSOLVER_DIRECT; }

static int factor(SUNLinearSolver s, SUNMatrix A) {
  solver *w = s->content;
  const blocks *b = A->content;
  int n = w->of->states;
  double square = w->of->positions ? b->c * b->c : 0;
  for (long k = 0; k < (long)n * n; k++) w->S[k] = b->c * b->A_v[k] - square * b->A_qN[k];
  for (long k = 0; k < n; k++) w->S[k * (n + 1)] += 1;
  return n == 0 || lu_factor(n, w->S, n, w->pivot, NULL) > 0 ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
}

// x_q -= c N x over the components of one part.
static void follow(const blocks *b, ode_part part, double *x) {
  const layout *l = b->of;
  for (int i = 0; i < l->positions; i++)
    for (int k = l->structure->rate_start[i]; k < l->structure->rate_start[i + 1]; k++)
      if (part_of(l, l->structure->rate_of[k]) == part)
        x[l->position[i]] -= b->c * b->N[k] * x[l->structure->rate_of[k]];
}

// What the listed components of x, times the entries of a row, add up to.
static double along_row(const double *row, const int *component, int count, const double *x) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += row[k] * x[component[k]];
  return sum;
}

static int solve(SUNLinearSolver s, SUNMatrix A, N_Vector to, N_Vector from, realtype tolerance) {
  (void)tolerance;
  const solver *w = s->content;
  const blocks *b = A->content;
  const layout *l = b->of;
  double *x = NV_DATA_S(to);
  memcpy(x, NV_DATA_S(from), (size_t)l->n * sizeof *x);
  follow(b, ODE_GIVEN, x);
  for (int k = 0; k < l->states; k++)
    w->x_v[k] = x[l->state[k]] - b->c * along_row(b->A_q + (long)k * l->positions, l->position, l->positions, x);
  lu_solve(l->states, w->S, l->states, w->pivot, w->x_v);
  for (int k = 0; k < l->states; k++) x[l->state[k]] = w->x_v[k];
  follow(b, ODE_STATE, x);
  for (int k = 0; k < l->accounts; k++) {
    long row = l->states + k;
    x[l->account[k]] -= b->c * (along_row(b->A_q + row * l->positions, l->position, l->positions, x) +
                                along_row(b->A_v + row * l->states, l->state, l->states, x));
  }
  return SUNLS_SUCCESS;
}

static int destroy_solver(SUNLinearSolver s) {
  SUNLinSolFreeEmpty(s);
  return SUNLS_SUCCESS;
}

bool newton_matrix_create(sundials_glue *glue, integrator *it) {
  layout *l = make_layout(it);
  solver *w = ARENA_NEW(&it->memory, solver);
  w->of = l;
  w->S = ARENA_ARRAY(&it->memory, double, (size_t)l->states *(size_t)l->states + 1);
  w->x_v = ARENA_ARRAY(&it->memory, double, l->states + 1);
  w->pivot = ARENA_ARRAY(&it->memory, int, l->states + 1);
  glue->matrix = make_matrix(l, glue->context);
  if (glue->matrix) glue->linear = SUNLinSolNewEmpty(glue->context);
  if (!glue->linear) return false;
  glue->linear->content = w;
  glue->linear->ops->gettype = solver_type, glue->linear->ops->setup = factor;
  glue->linear->ops->solve = solve, glue->linear->ops->free = destroy_solver;
  return true;
}
