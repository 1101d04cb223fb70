#include "flex/matrix_market.h"

#include <limits.h>

// `%%MatrixMarket matrix coordinate real symmetric`
static bool read_banner(lines *l, bool *both) {
  static const char *const words[] = {"%%matrixmarket", "matrix", "coordinate", NULL};
  char text[32];
  for (int k = 0; words[k]; k++) {
    const lines_word w = lines_next(l);
    if (!lines_is(w, words[k]))
      return lines_fail(l, "'%s' where '%s' should be: not a sparse matrix of Matrix Market", lines_show(w, text),
                        k == 0 ? "%%MatrixMarket" : words[k]);
  }
  const lines_word field = lines_next(l), kind = lines_next(l);
  if (!lines_is(field, "real") && !lines_is(field, "integer") && !lines_is(field, "double"))
    return lines_fail(l, "entries are '%s'; real ones are needed", lines_show(field, text));
  *both = lines_is(kind, "general");
  return *both || lines_is(kind, "symmetric") ||
         lines_fail(l, "the matrix is '%s'; 'symmetric' or 'general' is needed", lines_show(kind, text));
}

// From the next line that is no comment.
static bool next_line(lines *l) {
  lines_skip(l);
  for (; l->at < l->end; lines_skip(l)) {
    const lines before = *l;
    const lines_word w = lines_next(l);
    if (!w.length || *w.text == '%') continue;
    *l = before;
    return true;
  }
  return lines_fail(l, "the file ends before all of its entries");
}

bool matrix_market_read(const char *bytes, size_t length, arena *memory, imported_matrix *to, char why[LINES_WHY]) {
  lines l = lines_start(bytes, length, why);
  int columns, count, i, j;
  double value;
  *to = (imported_matrix){0};
  if (!read_banner(&l, &to->both) || !next_line(&l) ||
      !lines_count(&l, "the number of rows", 1, IMPORTED_FREEDOMS_MAX, &to->rows) ||
      !lines_count(&l, "the number of columns", 1, IMPORTED_FREEDOMS_MAX, &columns) ||
      !lines_count(&l, "the number of entries", 0, IMPORTED_ITEMS_MAX, &count))
    return false;
  if (columns != to->rows) return lines_fail(&l, "the matrix has %d rows and %d columns", to->rows, columns);
  for (int k = 0; k < count; k++)
    if (!next_line(&l) || !lines_count(&l, "the row", 1, to->rows, &i) ||
        !lines_count(&l, "the column", 1, to->rows, &j) || !lines_number(&l, "the value", &value) ||
        !imported_add_item(&l, memory, to, i - 1, j - 1, value))
      return false;
  return true;
}

static bool add_rows(lines *l, arena *memory, imported_body *to, int number) {
  if (to->row_count + 3 > IMPORTED_FREEDOMS_MAX) return lines_fail(l, "more than %d freedoms", IMPORTED_FREEDOMS_MAX);
  for (int d = 0; d < 3; d++)
    *ARENA_PUSH(memory, to->rows, to->row_count, to->row_capacity) = (imported_row){number, d};
  return true;
}

static bool read_sets(lines *l, arena *memory, imported_nodes *to, int number) {
  for (lines_word w = lines_next(l); w.length && *w.text != '#'; w = lines_next(l)) {
    if (to->set_count > 1000 || w.length > 127) return lines_fail(l, "more than 1000 sets, or a name of one too long");
    imported_add_to_set(memory, imported_set_of(memory, to, w.text, w.length), number);
  }
  return true;
}

bool node_table_read(const char *bytes, size_t length, arena *memory, imported_body *to, char why[LINES_WHY]) {
  lines l = lines_start(bytes, length, why);
  for (; l.at < l.end; lines_skip(&l)) {
    const lines before = l;
    const lines_word first = lines_next(&l);
    double x[3];
    int number;
    if (!first.length || *first.text == '#') continue;
    l = before;
    if (!lines_count(&l, "the number of a node", 0, INT_MAX, &number)) return false;
    for (int k = 0; k < 3; k++)
      if (!lines_number(&l, "a coordinate", &x[k])) return false;
    if (!imported_add_node(&l, memory, &to->nodes, number, vec3_of(x)) || !add_rows(&l, memory, to, number) ||
        !read_sets(&l, memory, &to->nodes, number))
      return false;
  }
  return true;
}
