#include "flex/calculix.h"

#include <limits.h>
#include <string.h>

bool calculix_matrix_read(const char *bytes, size_t length, arena *memory, int rows, imported_matrix *to,
                          char why[LINES_WHY]) {
  lines l = lines_start(bytes, length, why);
  *to = (imported_matrix){.rows = rows};
  for (; l.at < l.end; lines_skip(&l)) {
    const lines before = l;
    int i, j;
    double value;
    if (!lines_next(&l).length) continue;
    l = before;
    if (!lines_count(&l, "the row", 1, rows, &i) || !lines_count(&l, "the column", 1, rows, &j) ||
        !lines_number(&l, "the value", &value) || !imported_add_item(&l, memory, to, i - 1, j - 1, value))
      return false;
    if (i > j) return lines_fail(&l, "an entry below the diagonal: CalculiX writes the upper triangle");
  }
  return true;
}

// `12.3`: a whole number, a point and a digit.
static bool split_name(lines_word w, int *number, int *direction) {
  double x;
  if (w.length < 3 || w.text[w.length - 2] != '.') return false;
  *direction = w.text[w.length - 1] - '1';
  if (!lines_decimal((lines_word){w.text, w.length - 2}, &x) || !(x >= 1 && x <= INT_MAX)) return false;
  *number = (int)x;
  return x == *number;
}

bool calculix_rows_read(const char *bytes, size_t length, arena *memory, imported_body *to, char why[LINES_WHY]) {
  lines l = lines_start(bytes, length, why);
  char text[32];
  for (; l.at < l.end; lines_skip(&l)) {
    imported_row r;
    const lines_word w = lines_next(&l);
    if (!w.length) continue;
    if (!split_name(w, &r.number, &r.direction))
      return lines_fail(&l, "'%s' is not the name of a row, such as 12.3", lines_show(w, text));
    if (r.direction < 0 || r.direction > 2)
      return lines_fail(&l, "%s is not a displacement: only solid elements can be imported", lines_show(w, text));
    if (to->row_count >= IMPORTED_FREEDOMS_MAX) return lines_fail(&l, "more than %d freedoms", IMPORTED_FREEDOMS_MAX);
    *ARENA_PUSH(memory, to->rows, to->row_count, to->row_capacity) = r;
  }
  return to->row_count > 0 || lines_fail_whole(&l, "it is empty");
}

// --- the deck --------------------------------------------------------------------------------------------------------

// Words of a line between commas, without blanks around them and without regard to upper and lower case.
typedef struct cards {
  lines l;
  arena *memory;
  imported_nodes *to;
} cards;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The next word; false at the end of the line.
static bool next_word(cards *c, lines_word *w) {
  const char *at = c->l.at, *end = c->l.end;
  if (at >= end || *at == '\n') return false;
  const char *from = at;
  while (at < end && *at != '\n' && *at != ',') at++;
  c->l.at = at < end && *at == ',' ? at + 1 : at;
  while (from < at && is_blank(*from)) from++;
  while (at > from && is_blank(at[-1])) at--;
  *w = (lines_word){from, (size_t)(at - from)};
  return true;
}

static bool begins(lines_word w, const char *with) {
  return w.length >= strlen(with) && lines_is((lines_word){w.text, strlen(with)}, with);
}

// What follows the = of a word; empty if there is none.
static lines_word value_of(lines_word w) {
  size_t k = 0;
  while (k < w.length && w.text[k] != '=') k++;
  k = k < w.length ? k + 1 : k;
  while (k < w.length && is_blank(w.text[k])) k++;
  return (lines_word){w.text + k, w.length - k};
}

static bool read_integer(cards *c, const char *what, int *n) {
  lines_word w;
  double x;
  char text[32];
  if (!next_word(c, &w) || !lines_decimal(w, &x)) return lines_fail(&c->l, "%s is missing or not a number", what);
  if (!(x >= 1 && x <= INT_MAX) || x != (int)x)
    return lines_fail(&c->l, "%s is '%s', not a whole number", what, lines_show(w, text));
  *n = (int)x;
  return true;
}

// Whether the next line has data, up to the next keyword; comments are left out.
static bool next_data(cards *c) {
  lines_skip(&c->l);
  for (; c->l.at < c->l.end; lines_skip(&c->l)) {
    const char *at = c->l.at;
    while (at < c->l.end && is_blank(*at)) at++;
    if (at < c->l.end && *at == '*' && at + 1 < c->l.end && at[1] == '*') continue;
    if (at < c->l.end && *at == '*') return false;
    if (at < c->l.end && *at != '\n') return true;
  }
  return false;
}

// The set that a keyword names by NSET=; null if it names none, and after reporting.
static imported_set *named_set(cards *c, lines_word option) {
  const lines_word name = value_of(option);
  if (name.length == 0 || name.length > 80 || c->to->set_count > 1000) {
    lines_fail(&c->l, "the name of a set is missing or too long, or there are more than 1000 sets");
    return NULL;
  }
  return imported_set_of(c->memory, c->to, name.text, name.length);
}

// `12, 0.1, 0, 0.3`; coordinates that are left out are zero.
static bool read_nodes(cards *c, const char *set) {
  while (next_data(c)) {
    int number;
    double x[3] = {0};
    lines_word w;
    char text[32];
    if (!read_integer(c, "the number of a node", &number)) return false;
    for (int k = 0; k < 3 && next_word(c, &w); k++)
      if (w.length && !lines_decimal(w, &x[k])) return lines_fail(&c->l, "'%s' is not a number", lines_show(w, text));
    if (!imported_add_node(&c->l, c->memory, c->to, number, vec3_of(x))) return false;
    if (set) imported_add_to_set(c->memory, imported_set_of(c->memory, c->to, set, strlen(set)), number);
  }
  return true;
}

static bool room_in(cards *c, const imported_set *set, int more) {
  return set->count + (long)more <= 10L * IMPORTED_NODES_MAX || lines_fail(&c->l, "a set has too many nodes");
}

// `first, last, step`
static bool read_range(cards *c, imported_set *set) {
  int first, last, step = 1;
  lines_word w;
  if (!read_integer(c, "the first node", &first) || !read_integer(c, "the last node", &last)) return false;
  const lines before = c->l;
  if (next_word(c, &w) && w.length) {
    c->l = before;
    if (!read_integer(c, "the step", &step)) return false;
  }
  if (!room_in(c, set, (last - first) / step)) return false;
  for (long k = first; k <= last; k += step) imported_add_to_set(c->memory, set, (int)k);
  return true;
}

// Numbers of nodes, and names of sets.
static bool read_members(cards *c, const char *name) {
  lines_word w;
  double x;
  char text[32];
  while (next_word(c, &w)) {
    imported_set *set = imported_set_of(c->memory, c->to, name, strlen(name));
    if (w.length == 0) continue;
    if (lines_decimal(w, &x) && x >= 1 && x <= INT_MAX && x == (int)x) {
      if (!room_in(c, set, 1)) return false;
      imported_add_to_set(c->memory, set, (int)x);
      continue;
    }
    const int known = c->to->set_count;
    const imported_set *other = imported_set_of(c->memory, c->to, w.text, w.length);
    if (c->to->set_count > known) return lines_fail(&c->l, "there is no set '%s' so far", lines_show(w, text));
    set = imported_set_of(c->memory, c->to, name, strlen(name));
    if (!room_in(c, set, other->count)) return false;
    for (int k = 0, count = other->count; k < count; k++) imported_add_to_set(c->memory, set, other->nodes[k]);
  }
  return true;
}

// What *NODE and *NSET say behind their keyword.
static bool read_keyword(cards *c, bool is_node) {
  const char *set = NULL;
  bool range = false;
  for (lines_word w; next_word(c, &w);) {
    if (begins(w, "nset")) {
      const imported_set *named = named_set(c, w);
      if (!named) return false;
      set = named->name;
    }
    if (begins(w, "generate")) range = true;
    if (is_node && begins(w, "system")) return lines_fail(&c->l, "nodes in other than rectangular coordinates");
  }
  if (is_node) return read_nodes(c, set);
  if (!set) return lines_fail(&c->l, "the name of the set is missing");
  while (next_data(c))
    if (range ? !read_range(c, imported_set_of(c->memory, c->to, set, strlen(set))) : !read_members(c, set))
      return false;
  return true;
}

bool calculix_deck_read(const char *bytes, size_t length, arena *memory, imported_nodes *to, char why[LINES_WHY]) {
  cards c = {.l = lines_start(bytes, length, why), .memory = memory, .to = to};
  bool read = true;
  for (bool at_keyword = false; read && c.l.at < c.l.end; at_keyword = false) {
    lines_word w = {0};
    next_word(&c, &w);
    const bool node = lines_is(w, "*node"), set = lines_is(w, "*nset");
    if (lines_is(w, "*transform") || lines_is(w, "*system"))
      return lines_fail(&c.l, "%s: rows would not be along x, y and z",
                        lines_is(w, "*system") ? "*SYSTEM" : "*TRANSFORM");
    if (lines_is(w, "*include")) return lines_fail(&c.l, "*INCLUDE: nodes and sets must be in this file itself");
    if (node || set) read = read_keyword(&c, node), at_keyword = true;
    if (!at_keyword) lines_skip(&c.l);
  }
  return read && (to->count > 0 || lines_fail_whole(&c.l, "it has no *NODE"));
}
