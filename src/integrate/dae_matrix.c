#include "integrate/dae_matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/sparse.h"

typedef struct content {
  const dae_pattern *pattern;
  int n;
  double *value;  // in the order of the pattern
  int colours;    // and the columns of each
  int *colour_start, *colour_list;
  double *increment;  // of each column
  double *kept;       // y and y' while they are shifted
  sparse_factor *factor;
} content;

// --- colours ---------------------------------------------------------------------------------------------------------

// The columns with an entry in each row, one row after the other: `start` has n + 1 numbers.
static void transpose(const content *w, int *start, int *column) {
  const dae_pattern *p = w->pattern;
  for (int k = 0; k < p->start[w->n]; k++) start[p->row[k]]++;
  for (int i = 1; i <= w->n; i++) start[i] += start[i - 1];
  for (int j = w->n - 1; j >= 0; j--)
    for (int k = p->start[j]; k < p->start[j + 1]; k++) column[--start[p->row[k]]] = j;
}

// Each column in turn takes the first colour that no column has which it meets in a row. Returns how many there are.
static int paint(const content *w, const int *start, const int *column, int *colour, int *taken_by) {
  const dae_pattern *p = w->pattern;
  int colours = 0;
  for (int j = 0; j < w->n; j++) colour[j] = taken_by[j] = -1;
  for (int j = 0; j < w->n; j++) {
    for (int k = p->start[j]; k < p->start[j + 1]; k++)
      for (int l = start[p->row[k]]; l < start[p->row[k] + 1]; l++)
        if (colour[column[l]] >= 0) taken_by[colour[column[l]]] = j;
    int c = 0;
    while (taken_by[c] == j) c++;
    colour[j] = c;
    if (c >= colours) colours = c + 1;
  }
  return colours;
}

static void find_colours(content *w, arena *memory) {
  w->colour_start = ARENA_ARRAY(memory, int, w->n + 1);
  w->colour_list = ARENA_ARRAY(memory, int, w->n);
  arena_mark mark = arena_get_mark(memory);
  int *start = ARENA_ARRAY(memory, int, w->n + 1), *column = ARENA_ARRAY(memory, int, w->pattern->start[w->n]);
  int *colour = ARENA_ARRAY(memory, int, w->n), *taken_by = ARENA_ARRAY(memory, int, w->n + 1);
  transpose(w, start, column);
  w->colours = paint(w, start, column, colour, taken_by);
  int count = 0;
  for (int c = 0; c < w->colours; c++) {
    for (int j = 0; j < w->n; j++)
      if (colour[j] == c) w->colour_list[count++] = j;
    w->colour_start[c + 1] = count;
  }
  arena_release(memory, mark);
}

// --- the matrix as SUNDIALS sees it ----------------------------------------------------------------------------------

static SUNMatrix_ID matrix_id(SUNMatrix A) { return (void)A, SUNMATRIX_CUSTOM; }

static int zero_matrix(SUNMatrix A) {
  content *w = A->content;
  memset(w->value, 0, (size_t)w->pattern->start[w->n] * sizeof *w->value);
  return SUNMAT_SUCCESS;
}

static void destroy_matrix(SUNMatrix A) {
  sparse_factor_destroy(((content *)A->content)->factor);
  A->content = NULL;  // it is the integrator's
  SUNMatFreeEmpty(A);
}

// --- differences -----------------------------------------------------------------------------------------------------

// As IDA chooses its own: of the size of y, of its change in a step or of its tolerance, and towards where it goes.
static double choose_increment(const dae_point *at, int j) {
  double y = NV_Ith_S(at->y, j), change = at->step * NV_Ith_S(at->ydot, j);
  double size = sqrt(DBL_EPSILON) * fmax(fmax(fabs(y), fabs(change)), 1 / NV_Ith_S(at->weight, j));
  return (y + (change < 0 ? -size : size)) - y;
}

int dae_matrix_differentiate(integrator *it, const dae_point *at, SUNMatrix J, N_Vector work) {
  const content *w = J->content;
  const dae_pattern *p = w->pattern;
  double *y = NV_DATA_S(at->y), *ydot = NV_DATA_S(at->ydot), *shifted = NV_DATA_S(work);
  double *kept = w->kept, *kept_rate = w->kept + w->n;
  const double *residual = NV_DATA_S(at->residual);
  memcpy(kept, y, (size_t)w->n * sizeof *y);
  memcpy(kept_rate, ydot, (size_t)w->n * sizeof *y);
  int code = 0;
  for (int c = 0; c < w->colours && !code; c++) {
    const int *columns = w->colour_list + w->colour_start[c], count = w->colour_start[c + 1] - w->colour_start[c];
    for (int i = 0; i < count; i++) {
      int j = columns[i];
      w->increment[j] = choose_increment(at, j);
      y[j] += w->increment[j], ydot[j] += at->c * w->increment[j];
    }
    code = integrator_residual(it, at->t, y, ydot, shifted);
    for (int i = 0; i < count; i++) {
      int j = columns[i];
      y[j] = kept[j], ydot[j] = kept_rate[j];
      for (int k = p->start[j]; k < p->start[j + 1]; k++)
        w->value[k] = (shifted[p->row[k]] - residual[p->row[k]]) / w->increment[j];
    }
  }
  return code;
}

// --- the solver ------------------------------------------------------------------------------------------------------

static SUNLinearSolver_Type solver_type(SUNLinearSolver s) { return (void)s, SUNLINEARSOLVER_DIRECT; }

static int factor(SUNLinearSolver s, SUNMatrix A) {
  const content *w = s->content;
  (void)A;
  return sparse_factorize_anew(w->factor, w->value) ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
}

static int solve(SUNLinearSolver s, SUNMatrix A, N_Vector to, N_Vector from, realtype tolerance) {
  const content *w = s->content;
  (void)A, (void)tolerance;
  memcpy(NV_DATA_S(to), NV_DATA_S(from), (size_t)w->n * sizeof(double));
  sparse_solve(w->factor, NV_DATA_S(to));
  return SUNLS_SUCCESS;
}

static int destroy_solver(SUNLinearSolver s) {
  s->content = NULL;
  SUNLinSolFreeEmpty(s);
  return SUNLS_SUCCESS;
}

bool dae_matrix_create(sundials_glue *glue, integrator *it) {
  content *w = ARENA_NEW(&it->memory, content);
  w->pattern = it->dae->pattern, w->n = it->n;
  w->value = ARENA_ARRAY(&it->memory, double, w->pattern->start[w->n]);
  w->increment = ARENA_ARRAY(&it->memory, double, w->n);
  w->kept = ARENA_ARRAY(&it->memory, double, 2 * (size_t)w->n);
  find_colours(w, &it->memory);
  glue->matrix = SUNMatNewEmpty(glue->context);
  if (!glue->matrix) return false;
  glue->matrix->content = w;
  glue->matrix->ops->getid = matrix_id, glue->matrix->ops->zero = zero_matrix;
  glue->matrix->ops->destroy = destroy_matrix;
  w->factor = sparse_factor_create(w->n, w->pattern->start, w->pattern->row);
  glue->linear = w->factor ? SUNLinSolNewEmpty(glue->context) : NULL;
  if (!glue->linear) return false;
  glue->linear->content = w;
  glue->linear->ops->gettype = solver_type, glue->linear->ops->setup = factor;
  glue->linear->ops->solve = solve, glue->linear->ops->free = destroy_solver;
  return true;
}
