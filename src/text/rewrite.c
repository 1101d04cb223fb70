// A model file with other values at some of its keys: all else, comments too, stays as it is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/loader.h"

typedef struct edit {
  size_t begin, length;  // bytes that make way
  const char *text;
} edit;

// What a part of a path means in a map or a list; null if there is none.
static const value *step(const value *at, const char *part) {
  char *end;
  const long index = strtol(part, &end, 10);
  if (at->kind == VALUE_MAP) return loader_get(at, part);
  return at->kind == VALUE_LIST && end != part && !*end && index >= 0 && index < at->count ? at->items[index] : NULL;
}

// The value that a path leads to; null if there is none in the file.
static const value *find(loader *l, const value *root, const char *path) {
  const value *at = root;
  char *part = arena_copy_text(l->memory, path);
  for (char *dot; at && part; part = dot ? dot + 1 : NULL) {
    dot = strchr(part, '.');
    if (dot) *dot = '\0';
    at = step(at, part);
  }
  return at;
}

// A section that neither this file nor one that it includes can have.
static bool is_new_section(loader *l, const value *root, const char *path) {
  const char *dot = strchr(path, '.');
  const char *first = arena_print(l->memory, "%.*s", dot ? (int)(dot - path) : (int)strlen(path), path);
  return root->kind == VALUE_MAP && !loader_get(root, first) && !loader_get(root, "include");
}

// `a.b.c` and a value as `a: {b: {c: value}}`.
static void append_section(loader *l, arena_text *out, const char *path, const char *value) {
  int depth = 0;
  for (const char *c = path; *c; c++) {
    if (*c == '.') arena_append(l->memory, out, ": {"), depth++;
    else arena_append(l->memory, out, "%c", *c);
  }
  arena_append(l->memory, out, ": %s", value);
  while (depth-- > 0) arena_append(l->memory, out, "}");
  arena_append(l->memory, out, "\n");
}

static int by_place(const void *a, const void *b) {
  const edit *x = a, *y = b;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

static const char *apply(loader *l, const source *file, edit *edits, int count, const char *added) {
  arena_text out = {0};
  size_t at = 0;
  qsort(edits, (size_t)count, sizeof *edits, by_place);
  for (int i = 0; i < count; i++) {
    arena_append(l->memory, &out, "%.*s%s", (int)(edits[i].begin - at), file->text + at, edits[i].text);
    at = edits[i].begin + edits[i].length;
  }
  arena_append(l->memory, &out, "%.*s", (int)(file->length - at), file->text + at);
  if (added)
    arena_append(l->memory, &out, "%s%s", file->length && file->text[file->length - 1] != '\n' ? "\n" : "", added);
  return out.text;
}

const char *document_rewrite(arena *memory, const source *file, const assignment *sets, int count, carom_error *error) {
  loader l = {.memory = memory, .error = error, .values_max = MODEL_VALUES_MAX};
  const value *root = yaml_read(&l, file, 0);
  if (!root) return NULL;
  const value *named = loader_get(root, "parameters");
  edit *edits = ARENA_ARRAY(memory, edit, count + 1);
  arena_text added = {0};
  int used = 0;
  for (int i = 0; i < count; i++) {
    const char *name = assign_name(sets[i].name);
    const value *v = named && named->kind == VALUE_MAP ? loader_get(named, name) : NULL;
    if (!v) v = find(&l, root, name);
    if (v && v->length) {
      edits[used++] = (edit){v->begin, v->length, sets[i].value};
    } else if (!v && is_new_section(&l, root, name)) {
      append_section(&l, &added, name, sets[i].value);
    } else {
      source_error(
          error, CAROM_ERROR_USAGE, v ? v->at : (place){file, 0, 0},
          v ? "write it within brackets { } or [ ]" : "write the key into the file first, or use the --set line",
          v ? "the value of '%s' is not in one piece, and cannot be replaced" : "'%s' does not stand in this file",
          name);
      return NULL;
    }
  }
  return apply(&l, file, edits, used, added.text);
}
