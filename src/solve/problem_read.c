#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "solve/polygon.h"
#include "solve/problem_build.h"
#include "solve/problem_text.h"

typedef struct reader {
  arena *memory;
  const char *name, *text, *at, *end;
  carom_error *error;
  bool failed;
} reader;

// Keeps the first complaint and its line. Returns false.
static bool fail(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(reader *r, const char *format, ...) {
  if (r->failed) return false;
  r->failed = true;
  if (!r->error || r->error->status != CAROM_OK) return false;
  carom_error *e = r->error;
  va_list args;
  va_start(args, format);
  vsnprintf(e->message, sizeof e->message, format, args);
  va_end(args);
  e->status = CAROM_ERROR_MODEL;
  e->line = 1;
  for (const char *c = r->text; c < r->at; c++) e->line += *c == '\n';
  snprintf(e->file, sizeof e->file, "%s", r->name);
  snprintf(e->text, sizeof e->text, "%s:%d: error: %s", e->file, e->line, e->message);
  return false;
}

// --- numbers ---------------------------------------------------------------------------------------------------------

static void skip_blanks(reader *r) {
  while (r->at < r->end && isspace((unsigned char)*r->at)) r->at++;
}

// Of the word that comes next, as much as a message should show.
static int word_length(const reader *r) {
  int length = 0;
  while (length < 24 && r->at + length < r->end && isgraph((unsigned char)r->at[length])) length++;
  return length;
}

static double read_any(reader *r, const char *what) {
  skip_blanks(r);
  char *after;
  double x = number_read(r->at, &after);
  bool whole = after > r->at && (after >= r->end || isspace((unsigned char)*after));
  if (r->failed) return 0;
  if (r->at >= r->end) fail(r, "the file ends before %s", what);
  else if (!whole) fail(r, "'%.*s' is not a number: %s expected", word_length(r), r->at, what);
  else r->at = after;
  return r->failed ? 0 : x;
}

static double read_number(reader *r, const char *what) {
  double x = read_any(r, what);
  if (!isfinite(x)) fail(r, "%s is not finite", what);
  return r->failed ? 0 : x;
}

static int read_integer(reader *r, const char *what, int lo, int hi) {
  double x = read_number(r, what);
  if (!r->failed && x != floor(x)) fail(r, "%s is not an integer: %g", what, x);
  if (!r->failed && (x < lo || x > hi)) fail(r, "%s is %.0f, which is not between %d and %d", what, x, lo, hi);
  return r->failed ? 0 : (int)x;
}

// Room for `count` numbers of which each takes at least two characters: a count that the rest of the file cannot hold
// is refused before any memory is asked for.
static bool can_hold(reader *r, double count, const char *what) {
  if (!r->failed && count > (double)(r->end - r->at) / 2 + 1) fail(r, "the file is too short for %.0f %s", count, what);
  return !r->failed;
}

static double *read_numbers(reader *r, size_t count, const char *what) {
  if (!can_hold(r, (double)count, what)) return NULL;
  double *x = ARENA_ARRAY(r->memory, double, count);
  for (size_t i = 0; i < count && !r->failed; i++) x[i] = read_number(r, what);
  return r->failed ? NULL : x;
}

// --- matrices --------------------------------------------------------------------------------------------------------

typedef struct entry_list {
  matrix_entry *items;
  size_t count;
} entry_list;

static const double *read_dense(reader *r, int rows) {
  read_integer(r, "number of rows", rows, rows);
  read_integer(r, "number of columns", rows, rows);
  const double *columns = read_numbers(r, (size_t)rows * (size_t)rows, "values of the matrix");
  if (!columns) return NULL;
  double *W = ARENA_ARRAY(r->memory, double, ((size_t)rows * (size_t)rows));
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < rows; j++) W[i * rows + j] = columns[j * rows + i];
  return W;
}

// Cumulative ends of block rows or columns.
static int *read_ends(reader *r, int count, int rows) {
  if (!can_hold(r, count, "ends of blocks")) return NULL;
  int *start = ARENA_ARRAY(r->memory, int, count + 1);
  for (int b = 0; b < count && !r->failed; b++) start[b + 1] = read_integer(r, "end of a block", start[b] + 1, rows);
  if (!r->failed && start[count] != rows) fail(r, "the blocks end at row %d of %d", start[count], rows);
  return r->failed ? NULL : start;
}

static int *read_integers(reader *r, int count, int lo, int hi, const char *what) {
  if (!can_hold(r, count, what)) return NULL;
  int *x = ARENA_ARRAY(r->memory, int, count);
  for (int i = 0; i < count && !r->failed; i++) x[i] = read_integer(r, what, lo, hi);
  return r->failed ? NULL : x;
}

typedef struct block_pattern {
  int blocks, rows, columns;
  const int *row_start, *column_start, *first, *column;
} block_pattern;

static bool read_pattern(reader *r, int size, block_pattern *b) {
  b->blocks = read_integer(r, "number of blocks", 0, INT_MAX);
  b->rows = read_integer(r, "number of block rows", 1, size);
  b->columns = read_integer(r, "number of block columns", 1, size);
  if (!can_hold(r, b->blocks, "blocks")) return false;
  b->row_start = read_ends(r, b->rows, size);
  b->column_start = read_ends(r, b->columns, size);
  if (r->failed) return false;
  read_integer(r, "length of the row pointers", b->rows + 1, b->rows + 1);
  read_integer(r, "length of the block columns", b->blocks, b->blocks);
  int *first = read_integers(r, b->rows + 1, 0, b->blocks, "row pointer");
  b->column = r->failed ? NULL : read_integers(r, b->blocks, 0, b->columns - 1, "block column");
  for (int i = 0; !r->failed && i < b->rows; i++)
    if (first[i + 1] < first[i]) fail(r, "row pointers go backwards: %d after %d", first[i + 1], first[i]);
  if (!r->failed && (first[0] != 0 || first[b->rows] != b->blocks)) fail(r, "row pointers do not cover the blocks");
  b->first = first;
  return !r->failed;
}

static bool read_blocks(reader *r, int size, entry_list *to) {
  block_pattern b = {0};
  if (!read_pattern(r, size, &b)) return false;
  double total = 0;
  for (int i = 0; i < b.rows; i++)
    for (int k = b.first[i]; k < b.first[i + 1]; k++)
      total += (double)(b.row_start[i + 1] - b.row_start[i]) *
               (b.column_start[b.column[k] + 1] - b.column_start[b.column[k]]);
  if (!can_hold(r, total, "values of blocks")) return false;
  to->items = ARENA_ARRAY(r->memory, matrix_entry, (size_t)total);
  for (int i = 0; i < b.rows; i++)
    for (int k = b.first[i]; k < b.first[i + 1]; k++) {
      read_integer(r, "number of a block", k, k);
      for (int c = b.column_start[b.column[k]]; c < b.column_start[b.column[k] + 1]; c++)
        for (int row = b.row_start[i]; row < b.row_start[i + 1] && !r->failed; row++)
          to->items[to->count++] = (matrix_entry){row, c, read_number(r, "value of a block")};
      if (r->failed) return false;
    }
  return true;
}

// Takes a word if it comes next.
static bool take(reader *r, const char *word) {
  size_t length = strlen(word);
  skip_blanks(r);
  if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
  r->at += length;
  return true;
}

static void skip_line(reader *r) {
  while (r->at < r->end && *r->at != '\n') r->at++;
}

// The number after a label such as `nnz:` on this line, which is then over.
static int labelled_count(reader *r, const char *label) {
  const char *line = r->at, *stop = memchr(line, '\n', (size_t)(r->end - line)), *found = strstr(line, label);
  if (!stop) stop = r->end;
  if (!found || found >= stop) {
    fail(r, "no '%s' in the head of a sparse matrix", label);
    return 0;
  }
  double x = number_read(found + strlen(label), NULL);
  if (!(x >= 0) || x > (double)(r->end - r->at)) fail(r, "a sparse matrix with %g entries", x);
  r->at = stop;
  return r->failed ? 0 : (int)x;
}

static void expect_colon(reader *r) {
  if (!r->failed && !take(r, ":")) fail(r, "':' expected");
}

static bool read_dump(reader *r, int size, entry_list *to) {
  int origin = read_integer(r, "origin of a sparse matrix", 1, 2);
  skip_blanks(r);
  skip_line(r);  // which library wrote it
  skip_blanks(r);
  if (r->failed) return false;
  int count = labelled_count(r, "nnz:");
  if (r->failed) return false;
  to->items = ARENA_ARRAY(r->memory, matrix_entry, count);
  int column = -1;
  while ((int)to->count < count && !r->failed) {
    if (origin == 2 && take(r, "col")) {
      column = read_integer(r, "column", 0, size - 1);
      skip_line(r);
      continue;
    }
    if (origin == 2 && column < 0) return fail(r, "'col' expected");
    int row = read_integer(r, "row", 0, size - 1);
    if (origin == 1) column = read_integer(r, "column", 0, size - 1);
    expect_colon(r);
    to->items[to->count++] = (matrix_entry){row, column, read_number(r, "value")};
  }
  return !r->failed;
}

typedef struct piece {
  int at, width;
  size_t offset;
} piece;

static matrix_pieces lay_out_pieces(arena *memory, const int *first, const piece *pieces, int count,
                                    const double *values) {
  int *at = ARENA_ARRAY(memory, int, count), *width = ARENA_ARRAY(memory, int, count);
  size_t *offset = ARENA_ARRAY(memory, size_t, count);
  for (int k = 0; k < count; k++) at[k] = pieces[k].at, width[k] = pieces[k].width, offset[k] = pieces[k].offset;
  return (matrix_pieces){first, at, width, offset, values};
}

static bool read_pieces(reader *r, const solve_problem *p, int velocities, matrix_pieces *to) {
  int *first = ARENA_ARRAY(r->memory, int, p->block_count + 1), count = 0, capacity = 0, used = 0, room = 0;
  piece *pieces = NULL;
  double *values = NULL;
  for (int b = 0; b < p->block_count && !r->failed; b++) {
    int more = read_integer(r, "number of pieces", 0, INT_MAX);
    for (int k = 0; k < more && !r->failed; k++) {
      int at = read_integer(r, "place of a piece", 0, velocities),
          width = read_integer(r, "width of a piece", 0, velocities - at);
      *ARENA_PUSH(r->memory, pieces, count, capacity) = (piece){at, width, (size_t)used};
      if (!can_hold(r, (double)width * p->blocks[b].size, "values of a piece")) return false;
      for (int i = 0; i < width * p->blocks[b].size && !r->failed; i++)
        *ARENA_PUSH(r->memory, values, used, room) = read_number(r, "value of a piece");
    }
    first[b + 1] = count;
  }
  if (!r->failed) *to = lay_out_pieces(r->memory, first, pieces, count, values);
  return !r->failed;
}

static bool read_factored(reader *r, solve_problem *p, int rows, const int *start) {
  matrix_pieces J, B;
  int velocities = read_integer(r, "number of velocities", 1, INT_MAX / 8);
  bool symmetric = read_integer(r, "whether B is J", 0, 1),
       has_own = read_integer(r, "whether rows have an entry of their own", 0, 1);
  if (!can_hold(r, (double)velocities + p->block_count, "pieces") || !read_pieces(r, p, velocities, &J)) return false;
  if (symmetric) B = J;
  else if (!read_pieces(r, p, velocities, &B)) return false;
  p->W = matrix_factored(rows, p->block_count, start, velocities, J, B);
  if (has_own) p->W.own = read_numbers(r, (size_t)rows, "entries of the diagonal");
  return !r->failed;
}

// Storages up to `last`: the formats of others have no pieces.
static bool read_matrix(reader *r, solve_problem *p, int rows, problem_storage last) {
  int storage = read_integer(r, "storage of the matrix", 0, (int)last);
  read_integer(r, "number of rows", rows, rows);
  read_integer(r, "number of columns", rows, rows);
  if (r->failed) return false;
  const int *start = problem_build_start(r->memory, p->blocks, p->block_count);
  if (storage == PROBLEM_DENSE) {
    const double *values = read_dense(r, rows);
    if (values) p->W = matrix_dense(rows, p->block_count, start, values);
    return values != NULL;
  }
  if (storage == PROBLEM_PIECES) return read_factored(r, p, rows, start);
  entry_list entries = {0};
  if (!(storage == PROBLEM_BLOCKS ? read_blocks(r, rows, &entries) : read_dump(r, rows, &entries))) return false;
  p->W = problem_build_sparse(r->memory, rows, p->block_count, start, entries.items, entries.count);
  return true;
}

// Only remarks may follow the data, and they begin after an empty line, with a letter. A friction problem as Siconos
// writes it may end with one more number, 0 or 1: whether a solution is known.
static bool read_end(reader *r, bool flag, bool remarks) {
  const char *data_end = r->at;
  skip_blanks(r);
  if (flag && r->at < r->end && (*r->at == '0' || *r->at == '1') &&
      (r->at + 1 == r->end || isspace((unsigned char)r->at[1]))) {
    r->at++;
    data_end = r->at;
    skip_blanks(r);
  }
  int lines = 0;
  for (const char *c = data_end; c < r->at; c++) lines += *c == '\n';
  if (r->at == r->end || !*r->at || (remarks && lines >= 2 && isalpha((unsigned char)*r->at))) return true;
  return fail(r, "'%.*s' follows the end of the problem: are the counts at the beginning right?", word_length(r),
              r->at);
}

// --- the three kinds of files ----------------------------------------------------------------------------------------

static bool read_lcp(reader *r, solve_problem *p) {
  p->block_count = read_integer(r, "number of rows", 1, INT_MAX / 8);
  if (!can_hold(r, p->block_count, "rows")) return false;
  p->blocks = problem_build_blocks(r->memory, BLOCK_UNILATERAL, 1, p->block_count, NULL);
  if (!read_matrix(r, p, p->block_count, PROBLEM_DUMP)) return false;
  p->q = read_numbers(r, (size_t)p->block_count, "values of q");
  return !r->failed;
}

static bool read_friction(reader *r, solve_problem *p) {
  int size = read_integer(r, "dimension", 2, 3);
  p->block_count = read_integer(r, "number of contacts", 1, INT_MAX / 8);
  if (!can_hold(r, (double)size * p->block_count, "rows")) return false;
  block_kind kind = size == 2 ? BLOCK_PLANE : BLOCK_SPACE;
  solve_block *blocks = (solve_block *)problem_build_blocks(r->memory, kind, size, p->block_count, NULL);
  p->blocks = blocks;
  if (!read_matrix(r, p, size * p->block_count, PROBLEM_DUMP)) return false;
  p->q = read_numbers(r, (size_t)(size * p->block_count), "values of q");
  for (int b = 0; b < p->block_count && !r->failed; b++) {
    blocks[b].mu = read_number(r, "coefficient of friction");
    if (blocks[b].mu < 0) fail(r, "a coefficient of friction is negative: %g", blocks[b].mu);
  }
  return !r->failed;
}

static const struct {
  const char *word;
  int lo, hi;  // rows
} kinds[] = {{"bilateral", 1, BLOCK_ROWS_MAX},
             {"unilateral", 1, 1},
             {"plane", 2, 2},
             {"space", 3, 3},
             {"box", 1, 1},
             {"polygon", 3, 3},
             {"rolling-plane", 3, 3},
             {"rolling-space", 6, 6}};

static bool read_block(reader *r, solve_block *b, int row) {
  int kind = 0, count = sizeof kinds / sizeof *kinds;
  while (kind < count && !take(r, kinds[kind].word)) kind++;
  if (kind == count)
    return fail(
        r,
        "kind of a block expected: bilateral, unilateral, plane, space, box, polygon, rolling-plane or rolling-space");
  b->kind = (block_kind)kind;
  b->row = row;
  b->size = read_integer(r, "rows of a block", kinds[kind].lo, kinds[kind].hi);
  b->mu = read_number(r, "coefficient of friction");
  bool polygon = b->kind == BLOCK_POLYGON, bounds = !polygon && !block_rolls(b);
  b->lo = read_any(r, polygon  ? "number of directions of friction"
                      : bounds ? "lower bound"
                               : "length of rolling friction");
  b->hi = read_any(r, polygon ? "zero" : bounds ? "upper bound" : "length of spinning friction");
  if (!r->failed && !(b->mu >= 0)) fail(r, "a coefficient of friction is negative: %g", b->mu);
  if (!r->failed && block_rolls(b) && !(b->rolling >= 0 && b->spinning >= 0 && isfinite(b->rolling + b->spinning)))
    fail(r, "a length of rolling or spinning friction is negative or not finite: %g, %g", b->rolling, b->spinning);
  if (!r->failed && polygon && !polygon_valid(b->directions))
    fail(r, "a polygon of friction needs an even number of directions from %d to %d: %g", POLYGON_LEAST, POLYGON_MOST,
         b->directions);
  if (!r->failed && bounds && (!(b->lo <= b->hi) || b->lo == INFINITY || b->hi == -INFINITY))
    fail(r, "bounds without anything between: %g and %g", b->lo, b->hi);
  return !r->failed;
}

static bool read_mixed(reader *r, solve_problem *p) {
  read_integer(r, "version", 1, 1);
  p->block_count = read_integer(r, "number of blocks", 1, INT_MAX / 8);
  if (!can_hold(r, p->block_count, "blocks")) return false;
  solve_block *blocks = ARENA_ARRAY(r->memory, solve_block, p->block_count);
  int rows = 0;
  for (int b = 0; b < p->block_count; rows += blocks[b].size, b++)
    if (!read_block(r, &blocks[b], rows)) return false;
  p->blocks = blocks;
  if (!read_matrix(r, p, rows, PROBLEM_PIECES)) return false;
  p->q = read_numbers(r, (size_t)rows, "values of q");
  return !r->failed;
}

// A linear complementarity problem says its size three times over: n, storage, n, n. So does one contact in the plane
// as a sparse dump, 2 1 2 2 2, but there the third word from here is none of a number.
static bool looks_like_lcp(reader r) {
  carom_error ignored = {0};
  r.error = &ignored;
  double n = read_number(&r, "n"), storage = read_number(&r, "storage"), rows = read_number(&r, "rows");
  if (r.failed || storage < 0 || storage > 2 || rows != n || read_number(&r, "columns") != n) return false;
  for (int k = 0; storage == 1 && k < 3; k++) read_number(&r, "blocks");
  return !r.failed;
}

const solve_problem *problem_parse(arena *memory, const char *name, const char *text, size_t size, carom_error *error) {
  reader r = {.memory = memory, .name = name, .text = text, .at = text, .end = text + size, .error = error};
  solve_problem *p = ARENA_NEW(memory, solve_problem);
  // leaves through here also when the arena runs out of memory
  jmp_buf *outer = memory->out_of_memory, own;
  volatile bool done = false;
  if (setjmp(own) == 0) {
    memory->out_of_memory = &own;
    bool mixed = take(&r, "carom-problem"), lcp = !mixed && looks_like_lcp(r);
    done = mixed ? read_mixed(&r, p) : lcp ? read_lcp(&r, p) : read_friction(&r, p);
    done = done && read_end(&r, !mixed && !lcp, lcp);
  } else {
    error_set(error, CAROM_ERROR_MEMORY, "out of memory while reading %s", name);
  }
  memory->out_of_memory = outer;
  return done ? p : NULL;
}
