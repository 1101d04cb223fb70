// Parameters: named numbers, words and flags that may refer to each other in any order.
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/word.h"
#include "text/loader.h"

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_identifier(const char *s) {
  if (!is_letter(*s)) return false;
  while (is_letter(*s) || (*s >= '0' && *s <= '9')) s++;
  return *s == '\0';
}

static bool is_flag(const char *text) { return strcmp(text, "true") == 0 || strcmp(text, "false") == 0; }

bool parameter_name_is_legal(const char *name) {
  static const char *const reserved[] = {"t", "and", "or", "not", "if", "true", "false", "inf", "nan"};
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (strcmp(name, reserved[i]) == 0) return false;
  return is_identifier(name);
}

// ---- looking up

static int by_name(const void *a, const void *b) {
  return strcmp((*(const parameter *const *)a)->name, (*(const parameter *const *)b)->name);
}

const parameters *parameters_index(arena *memory, parameters *p) {
  const parameter **sorted = ARENA_ARRAY(memory, const parameter *, p->count);
  for (int i = 0; i < p->count; i++) sorted[i] = &p->items[i];
  qsort(sorted, (size_t)p->count, sizeof *sorted, by_name);
  p->by_name = sorted;
  return p;
}

static const parameter *find_sorted(const parameters *p, const char *name) {
  int low = 0, high = p->count;
  while (low < high) {
    int middle = low + (high - low) / 2, order = strcmp(name, p->by_name[middle]->name);
    if (order == 0) return p->by_name[middle];
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return NULL;
}

static const parameter *find_here(const parameters *p, const char *name) {
  if (p->by_name) return find_sorted(p, name);
  for (int i = 0; i < p->count; i++)
    if (strcmp(p->items[i].name, name) == 0) return &p->items[i];
  return NULL;
}

const parameter *parameters_find(const parameters *p, const char *name) {
  for (; p; p = p->outer) {
    const parameter *found = find_here(p, name);
    if (found) return found;
  }
  return NULL;
}

static const char *nearest(const parameters *p, const char *name) {
  const char *best = NULL;
  for (; p; p = p->outer)
    for (int i = 0; i < p->count; i++) best = word_nearest(name, (const char *[]){best, p->items[i].name}, 2);
  return best;
}

bool parameters_resolve(const parameters *p, const char *name, symbol *found, const char **hint) {
  const parameter *q = parameters_find(p, name);
  if (!q) {
    if (hint) *hint = nearest(p, name);
    return false;
  }
  if (!q->is_number && !is_flag(q->text)) {
    if (hint) *hint = "the parameter of this name is a word, not a number";
    return false;
  }
  double number = q->is_number ? q->number : strcmp(q->text, "true") == 0;
  *found = (symbol){.is_constant = true, .value = number, .dim = q->dim};
  return true;
}

const char *value_word(const value *scalar) {
  const parameter *p = scalar->quoted ? NULL : parameters_find(scalar->parameters, scalar->text);
  return p && !p->is_number ? p->text : scalar->text;
}

// ---- evaluating

enum { NEW, STARTED, DONE };

typedef struct evaluation {
  loader *loader;
  const value *map;
  parameter *items;
  char *state;
  parameters known;
  int wanted;  // the parameter that the one being compiled needs first, or -1
} evaluation;

static bool resolve(void *context, const char *name, symbol *found, const char **hint) {
  evaluation *e = context;
  const parameter *p = find_here(&e->known, name);
  int index = p ? (int)(p - e->items) : -1;
  if (index >= 0 && e->state[index] != DONE) {
    e->wanted = index;
    return false;
  }
  return parameters_resolve(&e->known, name, found, hint);
}

static bool is_number_name(const evaluation *e, const char *name) {
  return find_here(&e->known, name) || strcmp(name, "pi") == 0 || strcmp(name, "g0") == 0;
}

// An identifier alone: another parameter, a constant such as pi, or else a word. Words may be joined by hyphens, as the
// names of laws are; with a number's name among them it is a difference.
static bool is_word(const evaluation *e, const value *v) {
  if (v->quoted || is_flag(v->text)) return true;
  char part[64];
  const char *at = v->text;
  for (bool first = true;; first = false) {
    size_t length = strcspn(at, "-");
    if (length == 0 || length >= sizeof part) return false;
    memcpy(part, at, length);
    part[length] = 0;
    bool of_a_name = strspn(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == length;
    if (first ? !is_identifier(part) : !of_a_name) return false;
    if (is_number_name(e, part)) return false;
    if (!at[length]) return true;
    at += length + 1;
  }
}

static bool compile_one(evaluation *e, const value *v, parameter *p, place at, carom_error *error) {
  arena *memory = e->loader->memory;
  arena_mark mark = arena_get_mark(memory);
  dimension dim = DIM_ANY;
  const expr *compiled = expr_compile(memory, v->text, at, (scope){.resolve = resolve, .context = e}, &dim, error);
  if (compiled) *p = (parameter){p->name, true, expr_value(compiled, NULL), dim, v->text, p->at};
  arena_release(memory, mark);
  return compiled;
}

// Compiled without a place first, since most failures only mean "not yet" and a place costs a walk through the source.
// False with `wanted` set: another one first. False without: reported.
static bool evaluate_one(evaluation *e, int index) {
  const value *v = e->map->items[index];
  parameter *p = &e->items[index];
  if (is_word(e, v)) {
    p->text = v->text;
    return true;
  }
  const parameter *alias = find_here(&e->known, v->text);
  if (alias && e->state[alias - e->items] == DONE && !alias->is_number) {
    p->text = alias->text;
    return true;
  }
  if (compile_one(e, v, p, (place){0}, NULL)) return true;
  return e->wanted < 0 && compile_one(e, v, p, v->at, e->loader->error);
}

static bool report_cycle(evaluation *e, const int *stack, int depth) {
  int first = depth - 1;
  while (stack[first] != e->wanted) first--;
  char names[256] = "";
  size_t used = 0;
  for (int i = first; i <= depth && used < 200; i++) {
    const char *name = e->items[i < depth ? stack[i] : e->wanted].name;
    if (i > first) used += strlen(strcpy(names + used, " -> "));
    size_t n = strnlen(name, 40);
    memcpy(names + used, name, n);
    used += n;
    names[used] = '\0';
  }
  return source_error(e->loader->error, CAROM_ERROR_MODEL, e->items[e->wanted].at, NULL,
                      "the parameter depends on itself: %s", names);
}

// Depth first without recursion: what is needed first goes on top, and the one that needed it is compiled again.
static bool evaluate_from(evaluation *e, int index, int *stack) {
  int depth = 0;
  stack[depth++] = index;
  while (depth) {
    int top = stack[depth - 1];
    e->state[top] = STARTED;
    e->wanted = -1;
    if (evaluate_one(e, top)) {
      e->state[top] = DONE;
      depth--;
    } else if (e->wanted < 0) {
      return false;
    } else if (e->state[e->wanted] == STARTED) {
      return report_cycle(e, stack, depth);
    } else {
      stack[depth++] = e->wanted;
    }
  }
  return true;
}

static bool check_entry(loader *l, const value *v) {
  if (!parameter_name_is_legal(v->key))
    return source_error(l->error, CAROM_ERROR_MODEL, v->key_at, NULL,
                        strcmp(v->key, "t") == 0 ? "'%s' is the time and cannot be a parameter"
                                                 : "'%s' cannot be the name of a parameter",
                        v->key);
  if (v->kind != VALUE_SCALAR)
    return source_error(l->error, CAROM_ERROR_MODEL, v->at, NULL,
                        "the parameter '%s' must be a number, a word or a flag, not %s", v->key, value_kind_text(v));
  if (v->text[0] == '\0' && !v->quoted)
    return source_error(l->error, CAROM_ERROR_MODEL, v->key_at, NULL, "the parameter '%s' has no value", v->key);
  return true;
}

const parameters *parameters_evaluate(loader *l, const value *map) {
  parameters *all = ARENA_NEW(l->memory, parameters);
  if (!map) return parameters_index(l->memory, all);
  parameter *items = ARENA_ARRAY(l->memory, parameter, map->count);
  for (int i = 0; i < map->count; i++) {
    if (!check_entry(l, map->items[i])) return NULL;
    items[i] = (parameter){.name = map->items[i]->key, .at = map->items[i]->key_at};
  }
  *all = (parameters){.items = items, .count = map->count};
  parameters_index(l->memory, all);
  evaluation e = {.loader = l, .map = map, .items = items, .known = *all};
  e.state = ARENA_ARRAY(l->memory, char, map->count);
  int *stack = ARENA_ARRAY(l->memory, int, map->count);
  for (int i = 0; i < map->count; i++)
    if (e.state[i] != DONE && !evaluate_from(&e, i, stack)) return NULL;
  return all;
}

// ---- parameters that nothing uses

typedef struct mentions {
  names names;  // of all parameters
  bool *found;  // one per parameter
} mentions;

static void look_in_text(mentions *m, arena *memory, const char *text, int own) {
  while (*text) {
    size_t length = 0;
    while (is_letter(text[length]) || (length && text[length] >= '0' && text[length] <= '9')) length++;
    if (length) {
      arena_mark mark = arena_get_mark(memory);
      int i = names_find(&m->names, arena_print(memory, "%.*s", (int)length, text));
      arena_release(memory, mark);
      if (i >= 0 && i != own) m->found[i] = true;
    }
    text += length ? length : 1;
  }
}

// `own` is the parameter whose value this is, or -1: a parameter does not use itself.
static void look_in(mentions *m, arena *memory, const value *v, int own) {
  if (v->kind == VALUE_SCALAR) look_in_text(m, memory, v->text, own);
  for (int i = 0; v->kind != VALUE_SCALAR && i < v->count; i++) {
    if (v->items[i]->key) look_in_text(m, memory, v->items[i]->key, own);
    look_in(m, memory, v->items[i], own);
  }
}

bool parameters_check_used(loader *l, const value *root, const value *map, const source *file) {
  mentions m = {names_create(l->memory), ARENA_ARRAY(l->memory, bool, map->count)};
  const char **others = ARENA_ARRAY(l->memory, const char *, map->count);
  for (int i = 0; i < map->count; i++) {
    names_add(&m.names, map->items[i]->key, i);
    if (map->items[i]->key_at.source != file) others[i] = map->items[i]->key;
  }
  for (int i = 0; i < map->count; i++) look_in(&m, l->memory, map->items[i], i);
  for (int i = 0; i < root->count; i++)
    if (strcmp(root->items[i]->key, "title") != 0 && strcmp(root->items[i]->key, "source") != 0)
      look_in(&m, l->memory, root->items[i], -1);
  for (int i = 0; i < map->count; i++)
    if (!others[i] && !m.found[i])
      return source_error(l->error, CAROM_ERROR_MODEL, map->items[i]->key_at,
                          word_nearest(map->items[i]->key, others, map->count),
                          "nothing uses the parameter '%s', neither here nor in an included file", map->items[i]->key);
  return true;
}
