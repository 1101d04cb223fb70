// Contact problems from files: which format, FCLIB's to ours, and one solver or all of them on the result.
#include "solve_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/word.h"
#include "carom/carom.h"
#include "math/sparse.h"
#include "text/source.h"
#include "record/fclib.h"
#include "solve/problem_build.h"
#include "solve/problem_text.h"
#include "solve/driver.h"
#include "solve/solver.h"

enum { FILE_MAX = 1 << 30 };

// --- FCLIB -----------------------------------------------------------------------------------------------------------

typedef struct entry_list {
  matrix_entry *items;
  int count, capacity;
} entry_list;

static void add_entry(arena *memory, entry_list *to, int row, int column, double value) {
  *ARENA_PUSH(memory, to->items, to->count, to->capacity) = (matrix_entry){row, column, value};
}

static void add_matrix(arena *memory, entry_list *to, const fclib_matrix *a, int row, int column, bool transposed) {
  for (int k = 0; k < a->count; k++)
    add_entry(memory, to, row + (transposed ? a->column[k] : a->row[k]),
              column + (transposed ? a->row[k] : a->column[k]), a->value[k]);
}

// Columns of a matrix, or its rows when transposed, one after the other.
typedef struct columns {
  const int *first, *row;
  const double *value;
} columns;

static columns by_columns(arena *memory, const fclib_matrix *a) {
  int *first = ARENA_ARRAY(memory, int, a->columns + 2), *row = ARENA_ARRAY(memory, int, a->count);
  double *value = ARENA_ARRAY(memory, double, a->count);
  for (int k = 0; k < a->count; k++) first[a->column[k] + 2]++;
  for (int j = 0; j < a->columns; j++) first[j + 2] += first[j + 1];
  for (int k = 0; k < a->count; k++) {
    int at = first[a->column[k] + 1]++;
    row[at] = a->row[k], value[at] = a->value[k];
  }
  return (columns){first, row, value};
}

// C = [H G]: contacts first, then equations.
static fclib_matrix beside(arena *memory, const fclib_matrix *H, const fclib_matrix *G) {
  int count = H->count + G->count;
  int *row = ARENA_ARRAY(memory, int, count), *column = ARENA_ARRAY(memory, int, count);
  double *value = ARENA_ARRAY(memory, double, count);
  for (int k = 0; k < count; k++) {
    const fclib_matrix *from = k < H->count ? H : G;
    int i = k < H->count ? k : k - H->count;
    row[k] = from->row[i], value[k] = from->value[i];
    column[k] = from->column[i] + (k < H->count ? 0 : H->columns);
  }
  return (fclib_matrix){H->rows, H->columns + G->columns, count, row, column, value};
}

// W = Cᵀ M⁻¹ C column by column, and q += Cᵀ M⁻¹ f. Needs M once factorised.
static void add_delassus(arena *memory, sparse_factor *factor, const fclib_problem *f, const columns *C, int rows,
                         entry_list *to, double *q) {
  double *x = ARENA_ARRAY(memory, double, f->velocities);
  for (int j = -1; j < rows; j++) {
    memset(x, 0, (size_t)f->velocities * sizeof *x);
    if (j < 0) memcpy(x, f->f, (size_t)f->velocities * sizeof *x);
    for (int k = j < 0 ? 0 : C->first[j]; j >= 0 && k < C->first[j + 1]; k++) x[C->row[k]] += C->value[k];
    sparse_solve(factor, x);
    for (int i = 0; i < rows; i++) {
      double sum = 0;
      for (int k = C->first[i]; k < C->first[i + 1]; k++) sum += C->value[k] * x[C->row[k]];
      if (j < 0) q[i] += sum;
      else if (sum != 0) add_entry(memory, to, i, j, sum);
    }
  }
}

static bool from_global(arena *memory, const fclib_problem *f, int rows, entry_list *to, double *q,
                        carom_error *error) {
  fclib_matrix together = beside(memory, &f->H, &f->G);
  columns C = by_columns(memory, &together), M = by_columns(memory, &f->M);
  memcpy(q, f->w, (size_t)(f->dimension * f->contacts) * sizeof *q);
  if (f->equations) memcpy(q + f->dimension * f->contacts, f->b, (size_t)f->equations * sizeof *q);
  sparse_factor *factor = sparse_factor_create(f->velocities, M.first, M.row);
  bool done = factor && sparse_factorize(factor, M.value);
  // the factor is not the arena's, so it must be given back before memory can run out
  jmp_buf *outer = memory->out_of_memory, own;
  volatile bool short_of_memory = false;
  if (done && setjmp(own) == 0) {
    memory->out_of_memory = &own;
    add_delassus(memory, factor, f, &C, rows, to, q);
  } else {
    short_of_memory = done;
  }
  memory->out_of_memory = outer;
  sparse_factor_destroy(factor);
  if (short_of_memory) longjmp(*outer, 1);
  if (!done) error_set(error, CAROM_ERROR_MODEL, "the mass matrix M of the problem is singular");
  return done;
}

static void from_local(arena *memory, const fclib_problem *f, entry_list *to, double *q) {
  int contacts = f->dimension * f->contacts;
  add_matrix(memory, to, &f->W, 0, 0, false);
  add_matrix(memory, to, &f->V, 0, contacts, false);
  add_matrix(memory, to, &f->V, contacts, 0, true);
  add_matrix(memory, to, &f->R, contacts, contacts, false);
  memcpy(q, f->q, (size_t)contacts * sizeof *q);
  if (f->equations) memcpy(q + contacts, f->s, (size_t)f->equations * sizeof *q);
}

static const solve_problem *from_fclib(arena *memory, const fclib_problem *f, carom_error *error) {
  int contact_rows = f->dimension * f->contacts, rows = contact_rows + f->equations;
  solve_problem *p = ARENA_NEW(memory, solve_problem);
  p->block_count = f->contacts + f->equations;
  solve_block *blocks = ARENA_ARRAY(memory, solve_block, p->block_count);
  for (int b = 0; b < f->contacts; b++)
    blocks[b] = (solve_block){.kind = f->dimension == 2 ? BLOCK_PLANE : BLOCK_SPACE,
                              .row = b * f->dimension,
                              .size = f->dimension,
                              .mu = f->mu[b]};
  for (int e = 0; e < f->equations; e++)
    blocks[f->contacts + e] = (solve_block){.kind = BLOCK_BILATERAL, .row = contact_rows + e, .size = 1};
  double *q = ARENA_ARRAY(memory, double, rows);
  entry_list entries = {0};
  if (!f->global) from_local(memory, f, &entries, q);
  else if (!from_global(memory, f, rows, &entries, q, error)) return NULL;
  p->blocks = blocks;
  p->q = q;
  p->W = problem_build_sparse(memory, rows, p->block_count, problem_build_start(memory, blocks, p->block_count),
                              entries.items, (size_t)entries.count);
  return p;
}

// --- files -----------------------------------------------------------------------------------------------------------

static char *read_all(arena *memory, const char *path, size_t *size, carom_error *error) {
  FILE *from = fopen(path, "rb");
  struct stat about;
  if (!from || fstat(fileno(from), &about) != 0 || S_ISDIR(about.st_mode)) {
    error_set(error, CAROM_ERROR_FILE, "cannot read %s: %s", path, strerror(from ? EISDIR : errno));
    if (from) fclose(from);
    return NULL;
  }
  if (about.st_size > FILE_MAX) {
    error_set(error, CAROM_ERROR_FILE, "cannot read %s: it is larger than 1 GB", path);
    fclose(from);
    return NULL;
  }
  jmp_buf *outer = memory->out_of_memory, own;
  char *volatile text = NULL;
  if (setjmp(own) == 0) {
    memory->out_of_memory = &own;
    text = arena_alloc(memory, (size_t)about.st_size + 1, 1);
    *size = fread(text, 1, (size_t)about.st_size, from);
  }
  memory->out_of_memory = outer;
  bool failed = ferror(from);
  fclose(from);
  if (!text) error_set(error, CAROM_ERROR_MEMORY, "out of memory while reading %s", path);
  else if (failed) error_set(error, CAROM_ERROR_FILE, "cannot read %s: %s", path, strerror(EIO));
  return failed ? NULL : text;
}

const solve_problem *solve_file_read(arena *memory, const char *path, carom_error *error) {
  size_t size = 0;
  char *text = read_all(memory, path, &size, error);
  if (!text) return NULL;
  const solve_problem *p;
  if (size >= 8 && memcmp(text, "\211HDF\r\n\032\n", 8) == 0) {
    const fclib_problem *f = fclib_read(memory, path, error);
    p = f ? from_fclib(memory, f, error) : NULL;
  } else {
    p = problem_parse(memory, path, text, size, error);
  }
  if (!p || solve_problem_valid(p)) return p;
  error_set(error, CAROM_ERROR_MODEL, "%s has a number that is not finite, or a coefficient of friction below zero",
            path);
  return NULL;
}

// --- the public call -------------------------------------------------------------------------------------------------

carom_solve_options carom_solve_default(void) {
  solve_settings s = solve_settings_default();
  return (carom_solve_options){.solver = "chain", .tolerance = s.tolerance};
}

typedef struct task {
  const solve_problem *problem;
  solve_settings settings;
  solve_workspace *workspace;
  solve_solution solution;
  void (*each)(void *context, const carom_solve_result *result);
  void *context;
} task;

static void run_one(task *t, const solver *s) {
  double began = driver_now();
  solve_info info = s ? solver_run(s, t->problem, &t->settings, t->workspace, &t->solution)
                      : solve_chain(t->problem, &t->settings, t->workspace, &t->solution, NULL);
  if (!s) info.seconds = driver_now() - began;
  carom_solve_result result = {.solver = s ? s->name : "chain",
                               .stage = info.stage,
                               .status = solve_status_text(info.status),
                               .solved = info.status == SOLVE_SOLVED,
                               .iterations = info.iterations,
                               .residual = info.residual,
                               .residual_mixed = info.residual_mixed,
                               .seconds = info.seconds,
                               .solutions = info.solutions,
                               .limited = info.cut,
                               .rows = t->problem->W.rows,
                               .blocks = t->problem->block_count,
                               .r = t->solution.r,
                               .u = t->solution.u};
  t->each(t->context, &result);
}

static carom_status unknown_solver(const char *name, carom_error *error) {
  int count;
  const solver *const *list = solver_list(&count);
  const char *names[32] = {"chain", "all"};
  for (int i = 0; i < count; i++) names[i + 2] = list[i]->name;
  const char *near = word_nearest(name, names, count + 2);
  if (near) return error_set(error, CAROM_ERROR_USAGE, "there is no solver '%s'; did you mean '%s'?", name, near);
  return error_set(error, CAROM_ERROR_USAGE, "there is no solver '%s'; `carom list solvers` names them", name);
}

// All that are made for such a problem.
static void run_all(task *t) {
  int count;
  const solver *const *list = solver_list(&count);
  run_one(t, NULL);
  for (int i = 0; i < count; i++)
    if (list[i]->suits(t->problem)) run_one(t, list[i]);
}

static carom_status solve_file(arena *memory, const char *path, const carom_solve_options *options, task *t,
                               carom_error *error) {
  const char *name = options->solver ? options->solver : "chain";
  bool all = strcmp(name, "all") == 0, chain = strcmp(name, "chain") == 0;
  const solver *s = solver_find(name);
  if (!all && !chain && !s) return unknown_solver(name, error);
  if (!(options->tolerance > 0) || options->iterations < 0)
    return error_set(error, CAROM_ERROR_USAGE, "the tolerance must be positive, the iterations not negative");
  t->problem = solve_file_read(memory, path, error);
  if (!t->problem) return error->status;
  int rows = t->problem->W.rows;
  solve_limits limits = solve_limits_of(t->problem);
  t->workspace = solve_workspace_create(&limits, error);
  if (!t->workspace) return error->status;
  t->solution = (solve_solution){ARENA_ARRAY(memory, double, rows), ARENA_ARRAY(memory, double, rows)};
  t->settings = solve_settings_default();
  t->settings.tolerance = options->tolerance;
  t->settings.iterations = options->iterations;
  t->settings.count_solutions = options->count_solutions;
  if (all) run_all(t);
  else run_one(t, chain ? NULL : s);
  return CAROM_OK;
}

static carom_status solve_within(arena *memory, jmp_buf *out_of_memory, const char *path,
                                 const carom_solve_options *options, task *t, carom_error *error) {
  if (setjmp(*out_of_memory)) return error_set(error, CAROM_ERROR_MEMORY, "out of memory while solving %s", path);
  return solve_file(memory, path, options, t, error);
}

carom_status carom_solve_file(const char *path, const carom_solve_options *options,
                              void (*each)(void *context, const carom_solve_result *result), void *context,
                              carom_error *error) {
  carom_error own;
  carom_solve_options standard = carom_solve_default();
  jmp_buf out_of_memory;
  arena memory = arena_create(&out_of_memory);
  task t = {.each = each, .context = context};
  carom_status status =
      solve_within(&memory, &out_of_memory, path, options ? options : &standard, &t, error_use(error, &own));
  solve_workspace_destroy(t.workspace);
  arena_free(&memory);
  return status;
}
