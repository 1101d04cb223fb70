// Contact problems in files: what is written comes back bit by bit in every storage, the formats of others are read,
// and what is malformed is refused at its line.
#include "memory.h"

#include <hdf5.h>
#include <locale.h>

#include "carom/carom.h"
#include "contact.h"
#include "solve/problem_build.h"
#include "solve/problem_text.h"
#include "solve_file.h"

static const solve_problem *parse(const char *text, carom_error *error) {
  return problem_parse(&memory, "problem.dat", text, strlen(text), error);
}

// --- there and back --------------------------------------------------------------------------------------------------

static contact_problem one;

static bool same(const solve_problem *a, const solve_problem *b) {
  static double A[CONTACT_ROWS * CONTACT_ROWS], B[CONTACT_ROWS * CONTACT_ROWS];
  size_t n = (size_t)a->W.rows;
  if (a->W.rows != b->W.rows || a->block_count != b->block_count) return false;
  for (int k = 0; k < a->block_count; k++) {
    const solve_block *x = &a->blocks[k], *y = &b->blocks[k];
    if (x->kind != y->kind || x->row != y->row || x->size != y->size || x->mu != y->mu) return false;
    if (x->kind == BLOCK_BOX && (x->lo != y->lo || x->hi != y->hi)) return false;
  }
  a->W.ops->dense(&a->W, A);
  b->W.ops->dense(&b->W, B);
  return memcmp(A, B, n * n * sizeof *A) == 0 && memcmp(a->q, b->q, n * sizeof *a->q) == 0;
}

static void random_problem(int kind) {
  memset(&one, 0, sizeof one);
  for (int k = 0; k < 6; k++) {
    if (kind == 0) add_block(&one, (solve_block){.kind = BLOCK_UNILATERAL, .size = 1});
    else if (kind == 1) add_block(&one, (solve_block){.kind = BLOCK_PLANE, .size = 2, .mu = uniform(0, 1)});
    else if (kind == 2) add_block(&one, (solve_block){.kind = BLOCK_SPACE, .size = 3, .mu = uniform(0, 1)});
    else {
      static const int sizes[] = {4, 1, 2, 3, 1, 1};
      static const block_kind kinds[] = {BLOCK_BILATERAL, BLOCK_UNILATERAL, BLOCK_PLANE,
                                         BLOCK_SPACE,     BLOCK_BOX,        BLOCK_BOX};
      add_block(&one, (solve_block){.kind = kinds[k],
                                    .size = sizes[k],
                                    .mu = k == 2 || k == 3 ? 0.3 : 0,
                                    .lo = k == 5 ? -INFINITY : -0.1,
                                    .hi = 1.0 / 3});
    }
  }
  fill_gram(&one, one.rows, 0.1);
  for (int i = 0; i < one.rows; i++) one.q[i] = uniform(-1, 1);
}

static void every_storage_comes_back(void) {
  for (int kind = 0; kind < 4; kind++)
    for (int storage = PROBLEM_DENSE; storage <= PROBLEM_DUMP; storage++) {
      random_problem(kind);
      solve_problem p = as_problem(&one);
      char *text = NULL;
      size_t size;
      FILE *to = open_memstream(&text, &size);
      problem_print(to, &p, (problem_storage)storage);
      fclose(to);
      carom_error error = {0};
      const solve_problem *back = parse(text, &error);
      if (!CHECK(back)) printf("      %s\n", error.text);
      if (back) CHECK(same(&p, back));
      if (back) CHECK_TEXT(back->W.ops->name, storage == PROBLEM_DENSE ? "dense" : "sparse");
      free(text);
    }
}

// Two contacts in space, one of them with a single piece, and a unilateral row that nothing moves; J and B are the same
// or not.
static solve_problem problem_in_pieces(bool symmetric) {
  static const solve_block blocks[] = {{.kind = BLOCK_SPACE, .row = 0, .size = 3, .mu = 0.3},
                                       {.kind = BLOCK_SPACE, .row = 3, .size = 3, .mu = 0.7},
                                       {.kind = BLOCK_UNILATERAL, .row = 6, .size = 1}};
  static const int start[] = {0, 3, 6, 7}, first[] = {0, 2, 3, 3}, at[] = {0, 6, 6}, width[] = {6, 5, 5};
  static const size_t offset[] = {0, 18, 33};
  static double J[48], B[48], own[7], q[7];
  for (int i = 0; i < 48; i++) J[i] = uniform(-1, 1), B[i] = uniform(-1, 1);
  for (int i = 0; i < 7; i++) own[i] = i == 6, q[i] = uniform(-1, 1);
  solve_problem p = {3, blocks,
                     matrix_factored(7, 3, start, 11, (matrix_pieces){first, at, width, offset, J},
                                     (matrix_pieces){first, at, width, offset, symmetric ? J : B}),
                     q};
  p.W.own = own;
  return p;
}

static char *print_in_pieces(const solve_problem *p, size_t *size) {
  char *text = NULL;
  FILE *to = open_memstream(&text, size);
  problem_print(to, p, PROBLEM_PIECES);
  fclose(to);
  return text;
}

static void pieces_come_back(void) {
  for (int symmetric = 0; symmetric < 2; symmetric++) {
    size_t size;
    solve_problem p = problem_in_pieces(symmetric);
    char *text = print_in_pieces(&p, &size);
    carom_error error = {0};
    const solve_problem *back = parse(text, &error);
    if (!CHECK(back)) printf("      %s\n", error.text);
    if (back)
      CHECK(same(&p, back) && strcmp(back->W.ops->name, "factored") == 0 && matrix_is_symmetric(&back->W) == symmetric);
    for (size_t length = 0; length < size - 30; length++) {
      char *part = malloc(length + 1);  // of exactly that size, for the sanitizer
      memcpy(part, text, length);
      part[length] = 0;
      CHECK(!problem_parse(&memory, "part", part, length, &error));
      free(part);
    }
    free(text);
  }
}

static void take_residual(void *context, const carom_solve_result *result) {
  if (result->solved) *(double *)context = result->residual;
}

static void saved_problems_can_be_replayed(void) {
  random_problem(3);
  solve_problem p = as_problem(&one);
  const char *path = scratch("mixed.dat");
  carom_error error = {0};
  CHECK_EQUAL(problem_save(&p, path, &error), CAROM_OK);
  double residual = INFINITY;
  CHECK_EQUAL(carom_solve_file(path, NULL, take_residual, &residual, &error), CAROM_OK);
  CHECK_LE(residual, 1e-8);
  CHECK_EQUAL(problem_save(&p, "/nowhere/at/all.dat", &error), CAROM_ERROR_FILE);
  CHECK_CONTAINS(error.text, "/nowhere/at/all.dat");
}

// --- the formats of others -------------------------------------------------------------------------------------------

static double entry(const solve_problem *p, int i, int j) {
  static double A[CONTACT_ROWS * CONTACT_ROWS];
  p->W.ops->dense(&p->W, A);
  return A[i * p->W.rows + j];
}

// Dense values stand column by column, whatever the lines suggest, and remarks may follow.
static void dense_is_by_columns(void) {
  carom_error error = {0};
  const solve_problem *p = parse("2\n0\n2\n2\n2\t2\n1 2\n3 4\n-1 -2\n\nRemark: as in a book\n", &error);
  if (!CHECK(p)) return;
  CHECK(entry(p, 1, 0) == 2 && entry(p, 0, 1) == 3);
  CHECK(p->q[0] == -1 && p->q[1] == -2);
  CHECK_EQUAL(p->blocks[1].kind, BLOCK_UNILATERAL);
}

// As Siconos 4.4 writes its sparse matrices, both origins.
static void sparse_dumps_are_read(void) {
  const char *const heads[] = {
      "2\n2\n2\n4\n4\n1\nCSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis, 2006-2016\n"
      "triplet: 4-by-4, nzmax: 10 nnz: 6\n    0 0 : 1.5\n    1 1 : 2.5\n    2 2 : 2\n    3 3 : 2\n    0 2 : -0.25\n"
      "    2 0 : -0.5\n",
      "2\n2\n2\n4\n4\n2\nCSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis, 2006-2016\n"
      "4-by-4, nzmax: 6 nnz: 6, 1-norm: 2.25\n    col 0 : locations 0 to 1\n      0 : 1.5\n      2 : -0.5\n"
      "    col 1 : locations 2 to 2\n      1 : 2.5\n    col 2 : locations 3 to 4\n      2 : 2\n      0 : -0.25\n"
      "    col 3 : locations 5 to 5\n      3 : 2\n"};
  for (int k = 0; k < 2; k++) {
    char text[1024];
    snprintf(text, sizeof text, "%s-1 0.5 -1 0\n0.3 0.4\n", heads[k]);
    carom_error error = {0};
    const solve_problem *p = parse(text, &error);
    if (!CHECK(p)) {
      printf("      %s\n", error.text);
      continue;
    }
    CHECK(entry(p, 1, 1) == 2.5 && entry(p, 2, 0) == -0.5 && entry(p, 0, 2) == -0.25 && entry(p, 1, 3) == 0);
    CHECK(p->blocks[1].mu == 0.4 && p->blocks[0].kind == BLOCK_PLANE);
  }
}

// A decimal comma is the business of the user's locale, not of the file.
static void numbers_do_not_follow_the_locale(void) {
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) SKIP("no locale with a decimal comma here");
  carom_error error = {0};
  const solve_problem *p = parse("1\n0\n1\n1\n1 1\n1.5\n-0.25\n", &error);
  CHECK(p && p->q[0] == -0.25);
  setlocale(LC_NUMERIC, "C");
}

// --- FCLIB -----------------------------------------------------------------------------------------------------------

static void put(hid_t file, const char *name, hid_t type, hsize_t count, const void *values) {
  hid_t link = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, &count, NULL);
  H5Pset_create_intermediate_group(link, 1);
  hid_t set = H5Dcreate2(file, name, type, space, link, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(set), H5Sclose(space), H5Pclose(link);
}

static void put_integer(hid_t file, const char *group, const char *name, int value) {
  char path[64];
  snprintf(path, sizeof path, "%s/%s", group, name);
  put(file, path, H5T_NATIVE_INT, 1, &value);
}

// By columns compressed (nz = −1).
static void put_columns(hid_t file, const char *group, int rows, int columns, const int *p, const int *i,
                        const double *x) {
  char path[64];
  put_integer(file, group, "m", rows), put_integer(file, group, "n", columns);
  put_integer(file, group, "nz", -1), put_integer(file, group, "nzmax", p[columns]);
  snprintf(path, sizeof path, "%s/p", group);
  put(file, path, H5T_NATIVE_INT, (hsize_t)columns + 1, p);
  snprintf(path, sizeof path, "%s/i", group);
  put(file, path, H5T_NATIVE_INT, (hsize_t)p[columns], i);
  snprintf(path, sizeof path, "%s/x", group);
  put(file, path, H5T_NATIVE_DOUBLE, (hsize_t)p[columns], x);
}

static const solve_problem *read_problem(const char *path, carom_error *error) {
  return solve_file_read(&memory, path, error);
}

// One contact in the plane: W = [2 1; 0 3].
static void fclib_local_is_read(void) {
  const char *path = scratch("local.hdf5");
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  put_integer(file, "/fclib_local", "spacedim", 2);
  put_columns(file, "/fclib_local/W", 2, 2, (int[]){0, 1, 3}, (int[]){0, 0, 1}, (double[]){2, 1, 3});
  put(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 2, (double[]){-1, 0.5});
  put(file, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, 1, (double[]){0.3});
  H5Fclose(file);
  carom_error error = {0};
  const solve_problem *p = read_problem(path, &error);
  if (!CHECK(p)) {
    printf("      %s\n", error.text);
    return;
  }
  CHECK(entry(p, 0, 0) == 2 && entry(p, 0, 1) == 1 && entry(p, 1, 0) == 0 && entry(p, 1, 1) == 3);
  CHECK(p->q[1] == 0.5 && p->blocks[0].mu == 0.3 && p->blocks[0].kind == BLOCK_PLANE);
}

// One contact and one equation on two velocities: M = diag(2, 4), H = I, G = (1, 1)ᵀ. By hand W = [½ 0 ½; 0 ¼ ¼; ½ ¼
// ¾] and q = (f1/2 + w1, f2/4 + w2, f1/2 + f2/4 + b).
static void fclib_global_is_condensed(void) {
  const char *path = scratch("global.hdf5");
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  put_integer(file, "/fclib_global", "spacedim", 2);
  put_columns(file, "/fclib_global/M", 2, 2, (int[]){0, 1, 2}, (int[]){0, 1}, (double[]){2, 4});
  put_columns(file, "/fclib_global/H", 2, 2, (int[]){0, 1, 2}, (int[]){0, 1}, (double[]){1, 1});
  put_columns(file, "/fclib_global/G", 2, 1, (int[]){0, 2}, (int[]){0, 1}, (double[]){1, 1});
  put(file, "/fclib_global/vectors/f", H5T_NATIVE_DOUBLE, 2, (double[]){-8, 4});
  put(file, "/fclib_global/vectors/w", H5T_NATIVE_DOUBLE, 2, (double[]){1, 2});
  put(file, "/fclib_global/vectors/b", H5T_NATIVE_DOUBLE, 1, (double[]){5});
  put(file, "/fclib_global/vectors/mu", H5T_NATIVE_DOUBLE, 1, (double[]){0.3});
  H5Fclose(file);
  carom_error error = {0};
  const solve_problem *p = read_problem(path, &error);
  if (!CHECK(p)) {
    printf("      %s\n", error.text);
    return;
  }
  const double W[9] = {0.5, 0, 0.5, 0, 0.25, 0.25, 0.5, 0.25, 0.75}, q[3] = {-3, 3, 2};
  for (int k = 0; k < 9; k++) CHECK(entry(p, k / 3, k % 3) == W[k]);
  for (int k = 0; k < 3; k++) CHECK(p->q[k] == q[k]);
  CHECK_EQUAL(p->blocks[1].kind, BLOCK_BILATERAL);
}

static void bad_fclib_is_refused(void) {
  struct {
    int p1, i1, dimension;
    const char *says;
  } cases[] = {
      {3, 0, 2, "pointers"}, {1, 7, 2, "out of range"}, {1, -1, 2, "out of range"}, {1, 0, 5, "neither 2 nor 3"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const char *path = scratch("bad.hdf5");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_integer(file, "/fclib_local", "spacedim", cases[k].dimension);
    put_columns(file, "/fclib_local/W", 2, 2, (int[]){0, cases[k].p1, 2}, (int[]){cases[k].i1, 1}, (double[]){2, 3});
    put(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 2, (double[]){-1, 0.5});
    put(file, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, 1, (double[]){0.3});
    H5Fclose(file);
    carom_error error = {0};
    CHECK(!read_problem(path, &error));
    CHECK_CONTAINS(error.text, cases[k].says);
  }
  hid_t file = H5Fcreate(scratch("other.hdf5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  carom_error error = {0};
  CHECK(!read_problem(scratch("other.hdf5"), &error));
  CHECK_CONTAINS(error.text, "neither fclib_local nor fclib_global");
  write_text(scratch("torn.hdf5"), "\211HDF\r\n\032\nnot much else");
  error = (carom_error){0};
  CHECK(!read_problem(scratch("torn.hdf5"), &error));
  CHECK_EQUAL(error.status, CAROM_ERROR_FILE);
}

// --- malformed text --------------------------------------------------------------------------------------------------

static const struct {
  const char *text;
  int line;
  const char *says;
} bad[] = {
    {"", 1, "ends before"},
    {"hello", 1, "'hello' is not a number"},
    {"2\n0\n2\n2\n2 2\n1 0\n0 x\n", 7, "'x' is not a number"},
    {"2\n0\n2\n2\n2 2\n1 0 0\n", 7, "ends before values of the matrix"},
    {"3\n0\n3\n3\n3 3\n1 0\n", 5, "too short for 9"},
    {"2\n0\n2\n2\n2 2\n1 0 0 1\n1\n", 8, "ends before"},
    {"2\n0\n2\n2\n2 2\n1 0 0 nan\n1 1\n", 6, "not finite"},
    {"2\n0\n2\n2\n2 2\n1 0 0 1e999\n1 1\n", 6, "not finite"},
    {"2\n0\n2\n2\n3 2\n1 0 0 1\n1 1\n", 5, "number of rows is 3"},
    {"-2\n0\n-2\n-2\n", 1, "-2"},
    {"3\n-1\n0\n-3\n-3\n", 2, "number of contacts is -1"},
    {"100000000\n0\n100000000\n100000000\n", 1, "too short"},
    {"1e300\n0\n1e300\n1e300\n", 1, "is not between"},
    {"3\n2.5\n0\n", 2, "not an integer"},
    {"3\n1\n7\n3\n3\n", 3, "storage of the matrix is 7"},
    {"3\n1\n3\n3\n4\n", 3, "storage of the matrix is 3"},
    {"carom-problem 1\n1\nunilateral 1 0 0 0\n3\n1\n1\n1 1 0\n1\n1 1 2\n1\n", 9, "width of a piece is 1"},
    {"carom-problem 1\n1\nunilateral 1 0 0 0\n3\n1\n1\n99999999 1 0\n1\n0 1 2\n1\n", 7, "too short"},
    {"3\n1\n0\n3\n3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0 0\n-0.5\n", 9, "friction is negative"},
    {"2\n1\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 1\n4\n0\n1 0 0 1\n0 0\n0.1\n", 14, "block column is 4"},
    {"2\n1\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n1 1\n0\n0\n1 0 0 1\n0 0\n0.1\n", 14, "do not cover"},
    {"2\n1\n1\n2\n2\n1\n1\n1\n3\n2\n2\n1\n0 1\n0\n0\n1 0 0 1\n0 0\n0.1\n", 9, "end of a block is 3"},
    {"2\n1\n1\n2\n2\n99999999\n1\n1\n2\n2\n2\n", 8, "too short"},
    {"2\n1\n2\n2\n2\n1\nx\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n 5 0 : 1\n", 9, "row is 5"},
    {"2\n1\n2\n2\n2\n1\nx\ntriplet: 2-by-2\n 0 0 : 1\n", 8, "nnz:"},
    {"2\n1\n2\n2\n2\n1\nx\ntriplet: nnz: 4000000000\n 0 0 : 1\n", 8, "4e+09 entries"},
    {"carom-problem 1\n1\nplane 3 0 0 0\n", 3, "rows of a block is 3"},
    {"carom-problem 1\n1\nsphere 3 0 0 0\n", 3, "kind of a block expected"},
    {"carom-problem 1\n1\nbox 1 0 2 1\n", 3, "bounds without anything between"},
    {"carom-problem 1\n1\nbox 1 0 nan 1\n", 3, "bounds without anything between"},
    {"carom-problem 2\n", 1, "version is 2"},
    {"2\n0\n2\n2\n2 2\n2 1 1 2\n-5 -6\n7\n", 8, "'7' follows the end"},
    {"2\n0\n2\n2\n2 2\n2 1 1 2\n-5 -6 7\n", 7, "'7' follows the end"},
    {"2\n0\n2\n2\n2 2\n2 1 1 2\n-5 -6\n\n7 8\n", 9, "'7' follows the end"},
    {"2\n0\n2\n2\n2 2\n2 1 1 2\n-5 -6 rubbish\n", 7, "'rubbish' follows the end"},
    {"2\n1\n0\n2\n2\n2 2\n1 0 0 1\n-1 0\n0.5\n0.5\n", 10, "'0.5' follows the end"},
    {"2\n1\n0\n2\n2\n2 2\n1 0 0 1\n-1 0\n0.5\n1\n1\n", 11, "'1' follows the end"},
    {"carom-problem 1\n1\nunilateral 1 0 0 0\n0\n1\n1\n1 1\n2\n-1\n0\n", 10, "'0' follows the end"},
};

static void malformed_text_is_refused_at_its_line(void) {
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    carom_error error = {0};
    bool fine = CHECK(!parse(bad[k].text, &error));
    fine &= CHECK_EQUAL(error.status, CAROM_ERROR_MODEL);
    fine &= CHECK_EQUAL(error.line, bad[k].line);
    fine &= CHECK_CONTAINS(error.text, bad[k].says);
    fine &= CHECK_CONTAINS(error.text, "problem.dat:");
    if (!fine) printf("      case %zu: %s\n", k, error.text);
  }
}

// Every prefix of a good file is refused, except where only the last digits of a number or nothing is missing.
static void truncation_never_crashes(void) {
  random_problem(2);
  solve_problem p = as_problem(&one);
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  problem_print(to, &p, PROBLEM_BLOCKS);
  fclose(to);
  for (size_t length = 0; length < size - 30; length += 1 + length / 50) {
    char *part = malloc(length + 1);  // of exactly that size, for the sanitizer
    memcpy(part, text, length);
    part[length] = 0;
    carom_error error = {0};
    CHECK(!problem_parse(&memory, "part", part, length, &error));
    CHECK(error.text[0]);
    free(part);
  }
  free(text);
}

// --- the public call -------------------------------------------------------------------------------------------------

static void count_results(void *context, const carom_solve_result *result) {
  CHECK(result->rows == 2 && result->blocks == 2 && result->solver && result->stage && result->status);
  ++*(int *)context;
}

static void public_call_reports(void) {
  const char *path = scratch("two.dat");
  write_text(path, "2\n0\n2\n2\n2 2\n2 1 1 2\n-5 -6\n");
  carom_solve_options options = carom_solve_default();
  carom_error error = {0};
  int results = 0;
  options.solver = "all";
  CHECK_EQUAL(carom_solve_file(path, &options, count_results, &results, &error), CAROM_OK);
  CHECK(results >= 6);  // the chain and every solver that suits an LCP
  results = 0;
  options.solver = "lemke";
  CHECK_EQUAL(carom_solve_file(path, &options, count_results, &results, &error), CAROM_OK);
  CHECK_EQUAL(results, 1);
  options.solver = "lemkee";
  CHECK_EQUAL(carom_solve_file(path, &options, count_results, &results, &error), CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "did you mean 'lemke'?");
  options.solver = "lemke";
  options.tolerance = NAN;
  CHECK_EQUAL(carom_solve_file(path, &options, count_results, &results, &error), CAROM_ERROR_USAGE);
  CHECK_EQUAL(carom_solve_file(scratch("absent.dat"), NULL, count_results, &results, &error), CAROM_ERROR_FILE);
  CHECK_CONTAINS(error.text, "No such file");
  CHECK_EQUAL(carom_solve_file(check_scratch_dir(), NULL, count_results, &results, NULL), CAROM_ERROR_FILE);
}

static void solvers_are_listed(void) {
  const char *summary;
  CHECK_TEXT(carom_family_member("solvers", 0, &summary), "chain");
  int count;
  const solver *const *list = solver_list(&count);
  for (int i = 0; i < count; i++) {
    CHECK_TEXT(carom_family_member("solvers", i + 1, &summary), list[i]->name);
    CHECK(strlen(summary) > 10);
  }
  CHECK(!carom_family_member("solvers", count + 1, &summary));
}

int main(void) {
  RUN(every_storage_comes_back);
  RUN(pieces_come_back);
  RUN(saved_problems_can_be_replayed);
  RUN(dense_is_by_columns);
  RUN(sparse_dumps_are_read);
  RUN(numbers_do_not_follow_the_locale);
  RUN(fclib_local_is_read);
  RUN(fclib_global_is_condensed);
  RUN(bad_fclib_is_refused);
  RUN(malformed_text_is_refused_at_its_line);
  RUN(truncation_never_crashes);
  RUN(public_call_reports);
  RUN(solvers_are_listed);
  return check_summary();
}
