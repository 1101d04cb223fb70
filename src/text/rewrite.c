// A model file with other values at some of its keys: all else, comments too, stays as it is.
//
// Values are written one after the other, each into the text that the ones before have left, which is read again: a
// value may go into what another one has made. At the end the new text must read as the old one with these settings.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/loader.h"

// --- where values stand ----------------------------------------------------------------------------------------------

enum { UNKNOWN = 0 };  // a value never ends at the first byte

// The byte behind a value. A map or list without brackets ends with its last item.
static size_t end_of(const value *v) {
  if (v->length || v->kind == VALUE_SCALAR) return v->begin + v->length;
  return v->count ? end_of(v->items[v->count - 1]) : UNKNOWN;
}

// What a part of a path means in a map or a list; null if there is none.
static const value *step(const value *at, const char *part) {
  char *end;
  const long index = strtol(part, &end, 10);
  if (at->kind == VALUE_MAP) return loader_get(at, part);
  return at->kind == VALUE_LIST && end != part && !*end && index >= 0 && index < at->count ? at->items[index] : NULL;
}

// --- changes of the text ---------------------------------------------------------------------------------------------

static const source *splice(loader *l, const source *file, size_t begin, size_t end, const char *text) {
  source *s = ARENA_NEW(l->memory, source);
  arena_text out = {0};
  arena_append(l->memory, &out, "%.*s%s%s", (int)begin, file->text, text, file->text + end);
  *s = (source){file->name, out.text ? out.text : "", (size_t)out.length};
  return s;
}

// `a.b.c` and a value as `a: {b: {c: value}}`.
static const char *entry_of(loader *l, const char *path, const char *value) {
  arena_text out = {0};
  int depth = 0;
  for (const char *c = path; *c; c++) {
    if (*c == '.') arena_append(l->memory, &out, ": {"), depth++;
    else arena_append(l->memory, &out, "%c", *c);
  }
  arena_append(l->memory, &out, ": %s", value);
  while (depth-- > 0) arena_append(l->memory, &out, "}");
  return out.text;
}

// A new entry behind the last one: in brackets behind a comma, otherwise on the next line.
static const source *insert(loader *l, const source *file, const value *map, const char *entry) {
  const size_t end = end_of(map), last = map->count ? end_of(map->items[map->count - 1]) : map->begin + 1;
  if (end == UNKNOWN || last == UNKNOWN) return NULL;
  if (map->length)  // in brackets
    return splice(l, file, last, last, arena_print(l->memory, "%s%s", map->count ? ", " : "", entry));
  const char *line = memchr(file->text + last, '\n', file->length - last);
  const size_t at = line ? (size_t)(line - file->text) + 1 : file->length;
  const int indent = map->items[0]->key_at.column - 1;
  return splice(l, file, at, at,
                line ? arena_print(l->memory, "%*s%s\n", indent, "", entry)
                     : arena_print(l->memory, "\n%*s%s\n", indent, "", entry));
}

// A value that stands on a line of its own keeps its indentation. One that is missing goes behind the colon of its key.
static const source *replace(loader *l, const source *file, const value *old, const char *text) {
  const size_t end = end_of(old);
  if (end == UNKNOWN) return NULL;
  if (end > old->begin) return splice(l, file, old->begin, end, text);
  const char *colon = memchr(file->text + end, ':', file->length - end);
  const size_t at = colon ? (size_t)(colon - file->text) + 1 : 0;
  return colon ? splice(l, file, at, at, arena_print(l->memory, " %s", text)) : NULL;
}

// --- one value -------------------------------------------------------------------------------------------------------

// A word makes way for a map, as in a --set: `integrator: bdf` is `integrator: {type: bdf}`.
static const char *map_for(loader *l, const value *word, const char *rest, const char *text) {
  const bool is_type = word->text[0] && word->key && strcmp(word->key, "integrator") == 0;
  return arena_print(l->memory, "{%s%s%s%s}", is_type ? "type: " : "", is_type ? word->text : "", is_type ? ", " : "",
                     entry_of(l, rest, text));
}

// method=moreau where the file says `method: {moreau: {step: dt}}`.
static bool is_so_already(const value *old, const char *text) {
  return old->kind == VALUE_MAP && old->count == 1 && strcmp(old->items[0]->key, text) == 0;
}

// Returns null if the path leads nowhere, or to a value whose end is not known.
static const source *write_at(loader *l, const source *file, const value *root, const char *path, const char *text) {
  const value *at = root;
  for (;;) {
    const size_t n = strcspn(path, ".");
    const value *next = step(at, arena_print(l->memory, "%.*s", (int)n, path));
    if (!next) return at->kind == VALUE_MAP ? insert(l, file, at, entry_of(l, path, text)) : NULL;
    if (!path[n]) return is_so_already(next, text) ? file : replace(l, file, next, text);
    path += n + 1;
    if (next->kind == VALUE_SCALAR) return replace(l, file, next, map_for(l, next, path, text));
    at = next;
  }
}

static const source *write_value(loader *l, const source *file, const assignment *set) {
  const char *name = assign_name(set->name);
  l->values = 0;
  const value *root = yaml_read(l, file, 0);
  if (!root) return NULL;
  const value *named = loader_get(root, "parameters");
  const bool is_parameter = named && named->kind == VALUE_MAP && loader_get(named, name);
  const source *written =
      write_at(l, file, root, is_parameter ? arena_print(l->memory, "parameters.%s", name) : name, set->value);
  if (!written)
    source_error(l->error, CAROM_ERROR_USAGE, (place){file, 0, 0},
                 "write the key into the file on one line first, or use the --set line",
                 "'%s' cannot be written into this file", name);
  return written;
}

// --- all of them -----------------------------------------------------------------------------------------------------

static bool same_document(const document *a, const document *b) {
  if (!value_same(a->root, b->root) || a->parameters->count != b->parameters->count) return false;
  for (int i = 0; i < a->parameters->count; i++) {
    const parameter *p = &a->parameters->items[i], *q = parameters_find(b->parameters, p->name);
    if (!q || p->is_number != q->is_number || (p->is_number ? p->number != q->number : strcmp(p->text, q->text) != 0))
      return false;
  }
  return true;
}

const char *document_rewrite(arena *memory, const source *file, const assignment *sets, int count, carom_error *error) {
  loader l = {.memory = memory, .error = error, .values_max = MODEL_VALUES_MAX};
  carom_error unread = {0};
  const document *wanted = document_load(memory, file->name, file->text, file->length, sets, count, error);
  const source *written = wanted ? file : NULL;
  for (int i = 0; i < count && written; i++) written = write_value(&l, written, &sets[i]);
  if (!written) return NULL;
  const document *got = document_load(memory, file->name, written->text, written->length, NULL, 0, &unread);
  if (got && same_document(wanted, got)) return written->text;
  source_error(error, CAROM_ERROR_USAGE, (place){file, 0, 0},
               "write these keys into the file first, or use the --set line",
               "the values cannot be written into this file: it would not mean the same");
  return NULL;
}
