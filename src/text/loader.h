// Building and changing value trees: what the reader, includes, `--set` and `repeat` share. Internal to this folder.
#ifndef TEXT_LOADER_H
#define TEXT_LOADER_H

#include "text/value.h"

// A model being loaded.
typedef struct loader {
  arena *memory;
  carom_error *error;
  long values, values_max;  // number so far, and its limit
} loader;

// Counts a value against the limit; false after reporting.
bool loader_count(loader *l, place at, size_t text_length);
value *loader_new(loader *l, value_kind kind, place at);
value *loader_scalar(loader *l, const char *text, size_t length, place at);
void loader_append(loader *l, value *container, value *item);
value *loader_get(const value *map, const char *key);
// Removes an entry and returns it, null when absent.
value *loader_take(value *map, const char *key);
// Puts an entry in the place of one with the same key, or at the end.
void loader_put(loader *l, value *map, value *item);
// Reports the first key that is there twice.
bool loader_check_keys(loader *l, const value *map);

// yaml.c: the tree of a text from byte `start` on. Null after reporting; an empty text is an empty scalar.
value *yaml_read(loader *l, const source *text, size_t start);

// parameter.c
bool parameter_name_is_legal(const char *name);
const parameters *parameters_evaluate(loader *l, const value *map);
const parameters *parameters_index(arena *memory, parameters *p);
// Reports the first parameter of `file` that no text of the model mentions: where another file is included it is most
// likely a misspelt one of that file.
bool parameters_check_used(loader *l, const value *root, const value *map, const source *file);

// assign.c: `--set`. First those that name parameters, then, on the finished tree, all others.
typedef struct assigned {
  const char *name;
  value *new_value;
  place at;
  bool done;
} assigned;
bool assign_read(loader *l, const assignment *sets, int count, assigned *out);
bool assign_parameters(loader *l, value *map, assigned *sets, int count);
bool assign_paths(loader *l, value *root, const assigned *sets, int count, const parameters *names);

// repeat.c: unrolls every `repeat` below root and says in every value what names mean there.
bool repeat_unroll(loader *l, value *root, const parameters *names);

#endif
