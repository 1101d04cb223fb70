// `repeat`: one entry that stands for many.
//
//   link{i}: {repeat: {i: [1, n]}, mass: 0.1}
//
// becomes link1 ... linkn. `{expression}` in a key or a text is replaced by its whole number, and expressions see the
// index as a parameter.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/loader.h"

enum { INDEX_MAX = 8 };

typedef struct unroller {
  loader *loader;
  char *buffer;  // MODEL_SCALAR_MAX + 1 bytes
} unroller;

static bool resolve(void *context, const char *name, symbol *found, const char **hint) {
  return parameters_resolve(context, name, found, hint);
}

static bool evaluate(loader *l, const char *text, place at, const parameters *names, double *result) {
  arena_mark mark = arena_get_mark(l->memory);
  const expr *e =
      expr_compile(l->memory, text, at, (scope){.resolve = resolve, .context = (void *)names}, NULL, l->error);
  if (e) *result = expr_value(e, NULL);
  arena_release(l->memory, mark);
  return e;
}

static bool evaluate_whole(loader *l, const char *text, place at, const parameters *names, long *result) {
  double number;
  if (!evaluate(l, text, at, names, &number)) return false;
  double whole = round(number);
  // A count that was computed, say length/pitch, may miss by a few roundings.
  if (fabs(number - whole) > 1e-9 * fmax(1, fabs(number)) || fabs(whole) > 1e9)
    return source_error(l->error, CAROM_ERROR_MODEL, at, NULL, "%.9g is not a whole number of at most nine digits",
                        number);
  *result = (long)whole;
  return true;
}

// The number of the `{expression}` at text[offset]. Null error first: to find the exact place takes a walk through the
// source, which is worth it only when something is wrong.
static bool index_value(loader *l, const char *text, size_t offset, size_t length, place at, const parameters *names,
                        long *number) {
  char inside[256];
  snprintf(inside, sizeof inside, "%.*s", (int)(length < sizeof inside ? length : sizeof inside - 1),
           text + offset + 1);
  loader quiet = {.memory = l->memory};
  if (length < sizeof inside && evaluate_whole(&quiet, inside, (place){0}, names, number)) return true;
  place here = source_advance(at, text, offset);
  if (length >= sizeof inside)
    return source_error(l->error, CAROM_ERROR_MODEL, here, NULL, "the expression in { } is too long");
  if (here.source) here.column++;
  return evaluate_whole(l, inside, here, names, number);
}

// Replaces each `{expression}` of a text; the result is in the buffer.
static bool substitute(unroller *u, const char *text, place at, const parameters *names, size_t *length) {
  loader *l = u->loader;
  size_t used = 0;
  for (const char *c = text; *c; c++) {
    char digits[24];
    const char *piece = c;
    size_t n = 1;
    if (*c == '{') {
      const char *end = strchr(c, '}');
      size_t offset = (size_t)(c - text);
      if (!end)
        return source_error(l->error, CAROM_ERROR_MODEL, source_advance(at, text, offset), NULL,
                            "this '{' is not closed");
      long number;
      if (!index_value(l, text, offset, (size_t)(end - c - 1), at, names, &number)) return false;
      n = (size_t)snprintf(digits, sizeof digits, "%ld", number);
      piece = digits;
      c = end;
    }
    if (used + n > MODEL_SCALAR_MAX)
      return source_error(l->error, CAROM_ERROR_MODEL, at, NULL, "the text is too long with its indices");
    memcpy(u->buffer + used, piece, n);
    used += n;
  }
  u->buffer[used] = '\0';
  *length = used;
  return true;
}

static bool unroll_into(unroller *u, value *out, value *item, const parameters *names, bool copy);

// A copy of the value alone, with the indices put in. A text without any is shared.
static value *copy_one(unroller *u, const value *v, const parameters *names) {
  loader *l = u->loader;
  size_t length = 0;
  bool scalar = v->kind == VALUE_SCALAR, indexed = scalar && strchr(v->text, '{');
  if (indexed && !substitute(u, v->text, v->at, names, &length)) return NULL;
  if (!loader_count(l, v->at, length)) return NULL;
  value *out = indexed ? loader_scalar(l, u->buffer, length, v->at) : loader_new(l, v->kind, v->at);
  if (scalar && !indexed) out->text = v->text;
  out->quoted = v->quoted;
  out->key = v->key;
  out->key_at = v->key_at;
  if (v->key && strchr(v->key, '{')) {
    if (!substitute(u, v->key, v->key_at, names, &length) || !loader_count(l, v->key_at, length)) return NULL;
    out->key = arena_copy_text(l->memory, u->buffer);
  }
  return out;
}

// The value itself with all that is below it unrolled, or a copy of it.
static value *plain(unroller *u, value *v, const parameters *names, bool copy) {
  value *out = copy ? copy_one(u, v, names) : v;
  if (!out) return NULL;
  out->parameters = names;
  value **items = v->items;
  int count = v->count;
  out->items = NULL;
  out->count = out->capacity = 0;
  bool renamed = false;
  for (int i = 0; i < count; i++) {
    renamed |= loader_get(items[i], "repeat") != NULL || (items[i]->key && strchr(items[i]->key, '{'));
    if (!unroll_into(u, out, items[i], names, copy)) return NULL;
  }
  if (renamed && out->kind == VALUE_MAP && !loader_check_keys(u->loader, out)) return NULL;
  return out;
}

typedef struct repetition {
  value *item;  // the entry, without its `repeat`
  const value *ranges;
  value *out;
  parameter index[INDEX_MAX];
  const parameters *outer;
  long copies;
} repetition;

static bool range(loader *l, const value *r, const parameters *names, long *from, long *to) {
  if (r->kind != VALUE_LIST || r->count != 2 || r->items[0]->kind != VALUE_SCALAR || r->items[1]->kind != VALUE_SCALAR)
    return source_error(l->error, CAROM_ERROR_MODEL, r->at, NULL, "the range of '%s' must be [first, last]", r->key);
  return evaluate_whole(l, r->items[0]->text, r->items[0]->at, names, from) &&
         evaluate_whole(l, r->items[1]->text, r->items[1]->at, names, to);
}

// Runs through one index and, inside it, through those after it. `so_far` is the number of copies if all ranges had
// the size they have now.
static bool run(unroller *u, repetition *r, int level, double so_far) {
  loader *l = u->loader;
  parameters *names = ARENA_NEW(l->memory, parameters);
  parameter *items = ARENA_ARRAY(l->memory, parameter, level);
  if (level) memcpy(items, r->index, (size_t)level * sizeof *items);
  *names = (parameters){.items = items, .count = level, .outer = r->outer};
  if (level == r->ranges->count) {
    value *made = plain(u, r->item, names, true);
    if (made) loader_append(l, r->out, made);
    return made;
  }
  const value *range_value = r->ranges->items[level];
  long from, to;
  if (!range(l, range_value, names, &from, &to)) return false;
  if (to < from) return true;
  so_far *= (double)(to - from + 1);
  if (so_far > MODEL_COPIES_MAX)
    return source_error(l->error, CAROM_ERROR_MODEL, range_value->at, NULL, "%.0f copies are too many: the limit is %d",
                        so_far, MODEL_COPIES_MAX);
  for (long i = from; i <= to; i++) {
    if (!loader_count(l, range_value->at, 0)) return false;
    r->index[level] = (parameter){
        .name = range_value->key, .is_number = true, .number = (double)i, .text = "", .at = range_value->key_at};
    if (!run(u, r, level + 1, so_far)) return false;
  }
  return true;
}

static bool check_ranges(loader *l, const value *ranges) {
  if (ranges->kind != VALUE_MAP || ranges->count == 0 || ranges->count > INDEX_MAX)
    return source_error(l->error, CAROM_ERROR_MODEL, ranges->key_at, NULL,
                        "'repeat' must be a map of one to %d indices: {i: [1, n]}", INDEX_MAX);
  for (int i = 0; i < ranges->count; i++)
    if (!parameter_name_is_legal(ranges->items[i]->key))
      return source_error(l->error, CAROM_ERROR_MODEL, ranges->items[i]->key_at, NULL,
                          "'%s' cannot be the name of an index", ranges->items[i]->key);
  return true;
}

// Appends an entry of a map or list, or all that it stands for.
static bool unroll_into(unroller *u, value *out, value *item, const parameters *names, bool copy) {
  loader *l = u->loader;
  const value *ranges = loader_get(item, "repeat");
  if (!ranges) {
    value *made = plain(u, item, names, copy);
    if (made) loader_append(l, out, made);
    return made;
  }
  if (!loader_count(l, item->at, 0) || !check_ranges(l, ranges)) return false;
  value *rest = ARENA_NEW(l->memory, value);
  *rest = *item;
  rest->items = ARENA_ARRAY(l->memory, value *, item->count);
  memcpy(rest->items, item->items, (size_t)item->count * sizeof *item->items);
  loader_take(rest, "repeat");
  repetition r = {.item = rest, .ranges = ranges, .out = out, .outer = names};
  return run(u, &r, 0, 1);
}

bool repeat_unroll(loader *l, value *root, const parameters *names) {
  if (loader_get(root, "repeat"))
    return source_error(l->error, CAROM_ERROR_MODEL, loader_get(root, "repeat")->key_at, NULL,
                        "'repeat' belongs into an entry, as in link{i}: {repeat: {i: [1, n]}, ...}");
  unroller u = {l, arena_alloc(l->memory, MODEL_SCALAR_MAX + 1, 1)};
  return plain(&u, root, names, false);
}
