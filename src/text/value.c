#include <stdlib.h>
#include <string.h>

#include "text/loader.h"

const value *value_get(const value *map, const char *key) { return loader_get(map, key); }

const char *value_kind_text(const value *v) {
  switch (v->kind) {
    case VALUE_LIST: return "a list";
    case VALUE_MAP: return "a map";
    default: return v->text[0] || v->quoted ? "text" : "nothing";
  }
}

bool loader_count(loader *l, place at, size_t text_length) {
  l->values += 1 + (long)(text_length / 64);
  if (l->values <= l->values_max) return true;
  return source_error(l->error, CAROM_ERROR_MODEL, at, NULL, "the model is too large: more than %ld values",
                      l->values_max);
}

value *loader_new(loader *l, value_kind kind, place at) {
  value *v = ARENA_NEW(l->memory, value);
  v->kind = kind;
  v->at = at;
  return v;
}

value *loader_scalar(loader *l, const char *text, size_t length, place at) {
  // In one piece: most texts are short and fit behind the value.
  value *v = arena_alloc(l->memory, 1, sizeof *v + length + 1);
  char *copy = (char *)(v + 1);
  if (length) memcpy(copy, text, length);
  v->kind = VALUE_SCALAR;
  v->at = at;
  v->text = copy;
  return v;
}

void loader_append(loader *l, value *container, value *item) {
  *ARENA_PUSH(l->memory, container->items, container->count, container->capacity) = item;
}

static int find(const value *map, const char *key) {
  if (!map || map->kind != VALUE_MAP) return -1;
  for (int i = 0; i < map->count; i++)
    if (strcmp(map->items[i]->key, key) == 0) return i;
  return -1;
}

value *loader_get(const value *map, const char *key) {
  int i = find(map, key);
  return i < 0 ? NULL : map->items[i];
}

value *loader_take(value *map, const char *key) {
  int i = find(map, key);
  if (i < 0) return NULL;
  value *taken = map->items[i];
  map->count--;
  memmove(map->items + i, map->items + i + 1, (size_t)(map->count - i) * sizeof *map->items);
  return taken;
}

void loader_put(loader *l, value *map, value *item) {
  int i = find(map, item->key);
  if (i < 0) loader_append(l, map, item);
  else map->items[i] = item;
}

static int earlier(place a, place b) { return a.line != b.line ? a.line - b.line : a.column - b.column; }

static int by_key(const void *a, const void *b) {
  const value *x = *(value *const *)a, *y = *(value *const *)b;
  int order = strcmp(x->key, y->key);
  return order ? order : earlier(x->key_at, y->key_at);
}

bool loader_check_keys(loader *l, const value *map) {
  if (map->count < 2) return true;
  arena_mark mark = arena_get_mark(l->memory);
  size_t bytes = (size_t)map->count * sizeof *map->items;
  value **sorted = memcpy(arena_alloc(l->memory, 1, bytes), map->items, bytes);
  qsort(sorted, (size_t)map->count, sizeof *sorted, by_key);
  const value *first = NULL, *second = NULL;
  for (int i = 1; i < map->count && !second; i++)
    if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0) first = sorted[i - 1], second = sorted[i];
  arena_release(l->memory, mark);
  if (!second) return true;
  const char *file = first->key_at.source ? first->key_at.source->name : "";
  const char *hint = earlier(first->key_at, second->key_at) == 0 && first->key_at.source == second->key_at.source
                         ? "put the index of the repeat into the name, as in name{i}"
                         : NULL;
  return source_error(l->error, CAROM_ERROR_MODEL, second->key_at, hint, "'%s' occurs twice: first at %s:%d:%d",
                      second->key, file, first->key_at.line, first->key_at.column);
}

bool value_same(const value *a, const value *b) {
  if (a->kind != b->kind || a->count != b->count) return false;
  if (a->kind == VALUE_SCALAR) return strcmp(a->text, b->text) == 0;
  for (int i = 0; i < a->count; i++) {
    if (a->kind == VALUE_MAP && strcmp(a->items[i]->key, b->items[i]->key) != 0) return false;
    if (!value_same(a->items[i], b->items[i])) return false;
  }
  return true;
}
