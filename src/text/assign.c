// `--set name=value`: over a parameter, or at the path of any key.
#include <stdlib.h>
#include <string.h>

#include "base/word.h"
#include "text/loader.h"

const char *assign_name(const char *name) { return !name ? "" : strncmp(name, "--", 2) == 0 ? name + 2 : name; }

bool assign_read(loader *l, const assignment *sets, int count, assigned *out) {
  for (int i = 0; i < count; i++) {
    const char *name = assign_name(sets[i].name), *text = sets[i].value ? sets[i].value : "";
    source *s = ARENA_NEW(l->memory, source);
    s->name = name == sets[i].name || !sets[i].name ? "--set" : sets[i].name;
    s->text = arena_print(l->memory, "%s=%s", name, text);
    s->length = strlen(s->text);
    place at = {s, 1, 1};
    if (*name == '\0') return source_error(l->error, CAROM_ERROR_MODEL, at, NULL, "--set needs name=value");
    value *v = yaml_read(l, s, strlen(name) + 1);
    if (!v) return false;
    v->key_at = at;
    out[i] = (assigned){.name = arena_copy_text(l->memory, name), .new_value = v, .at = at};
  }
  return true;
}

static const char *parameter_part(const char *name) { return strncmp(name, "parameters.", 11) == 0 ? name + 11 : name; }

static const char *nearest_key(const value *map, const char *key) {
  const char *best = NULL;
  for (int i = 0; i < map->count; i++) best = word_nearest(key, (const char *[]){best, map->items[i]->key}, 2);
  return best;
}

bool assign_parameters(loader *l, value *map, assigned *sets, int count) {
  for (int i = 0; i < count; i++) {
    const char *name = parameter_part(sets[i].name);
    if (map && loader_get(map, name)) {
      sets[i].new_value->key = name;
      loader_put(l, map, sets[i].new_value);
      sets[i].done = true;
    } else if (name != sets[i].name) {
      return source_error(l->error, CAROM_ERROR_MODEL, sets[i].at, map ? nearest_key(map, name) : NULL,
                          "there is no parameter '%s'", name);
    }
  }
  return true;
}

static void set_names(value *v, const parameters *names) {
  v->parameters = names;
  for (int i = 0; i < v->count; i++) set_names(v->items[i], names);
}

// The item of a list that a path component such as `1` means, -1 when it means none.
static int list_index(const value *list, const char *part) {
  char *end;
  long i = strtol(part, &end, 10);
  return *part >= '0' && *part <= '9' && *end == '\0' && i < list->count ? (int)i : -1;
}

// Where a component of a path leads; null when there is nothing yet.
static value **step_into(loader *l, value *at, const char *part, const assigned *set, bool *ok) {
  *ok = true;
  if (at->kind == VALUE_LIST) {
    int i = list_index(at, part);
    if (i >= 0) return &at->items[i];
    *ok = source_error(l->error, CAROM_ERROR_MODEL, set->at, NULL, "'%s' is not an item of the list at %s:%d:%d", part,
                       at->at.source ? at->at.source->name : "", at->at.line, at->at.column);
    return NULL;
  }
  for (int i = 0; i < at->count; i++)
    if (strcmp(at->items[i]->key, part) == 0) return &at->items[i];
  return NULL;
}

static value *empty_map(loader *l, const char *key, place key_at, const assigned *set, const parameters *names) {
  value *map = loader_new(l, VALUE_MAP, set->at);
  map->key = key;
  map->key_at = key_at;
  map->parameters = names;
  return map;
}

// `method: smooth` makes way for method.smooth.rtol, and for another method too, but no other word is forgotten.
static bool may_replace(const value *scalar, const char *rest) {
  size_t n = strcspn(rest, ".");
  return scalar->text[0] == '\0' || rest[n] == '.' ||
         (strlen(scalar->text) == n && strncmp(scalar->text, rest, n) == 0);
}

// `integrator: bdf` is short for `integrator: {type: bdf}`, so that integrator.rtol has its place beside the type.
static bool is_word_of_type(const value *v) {
  return v->kind == VALUE_SCALAR && v->text[0] != '\0' && v->key && strcmp(v->key, "integrator") == 0;
}

static value *map_of_type(loader *l, value *word, const assigned *set, const parameters *names) {
  value *map = empty_map(l, word->key, word->key_at, set, names);
  word->key = "type";
  loader_append(l, map, word);
  return map;
}

// method=moreau where the model says `method: {moreau: {step: dt}}`: it is so already, and its settings stay.
static bool is_so_already(const value *old, const value *new_value) {
  return old->kind == VALUE_MAP && old->count == 1 && new_value->kind == VALUE_SCALAR &&
         strcmp(old->items[0]->key, new_value->text) == 0;
}

// `method: event` has settings below the name of the method.
static const char *map_hint(loader *l, const value *scalar, const char *rest) {
  if (scalar->key && strcmp(scalar->key, "method") == 0)
    return arena_print(l->memory, "write --set method.%s.%s=...", scalar->text, rest);
  return "set the whole of it, as in --set 'key={a: 1, b: 2}'";
}

static bool assign_path(loader *l, value *root, const assigned *set, const parameters *names) {
  char *path = arena_copy_text(l->memory, set->name);
  value *at = root;
  for (int depth = 0;; depth++) {
    char *dot = strchr(path, '.');
    if (dot) *dot = '\0';
    if (*path == '\0' || depth == MODEL_DEPTH_MAX)
      return source_error(l->error, CAROM_ERROR_MODEL, set->at, NULL, "'%s' is not the path of a key", set->name);
    bool ok;
    value **slot = step_into(l, at, path, set, &ok);
    if (!ok) return false;
    if (!dot) {
      if (slot && is_so_already(*slot, set->new_value)) return true;
      set->new_value->key = at->kind == VALUE_MAP ? path : NULL;
      if (slot) *slot = set->new_value;
      else loader_append(l, at, set->new_value);
      return true;
    }
    if (!slot) {
      value *map = empty_map(l, path, set->at, set, names);
      map->made = true;
      loader_append(l, at, map);
      at = map;
    } else if (at == root && is_word_of_type(*slot)) {
      at = *slot = map_of_type(l, *slot, set, names);
    } else if ((*slot)->kind == VALUE_SCALAR) {
      if (!may_replace(*slot, dot + 1))
        return source_error(l->error, CAROM_ERROR_MODEL, set->at, map_hint(l, *slot, dot + 1),
                            "'%s' is '%s' in the model, not a map", path, (*slot)->text);
      at = *slot = empty_map(l, (*slot)->key, (*slot)->key_at, set, names);
    } else {
      at = *slot;
    }
    path = dot + 1;
  }
}

bool assign_paths(loader *l, value *root, const assigned *sets, int count, const parameters *names) {
  for (int i = 0; i < count; i++) {
    if (sets[i].done) continue;
    set_names(sets[i].new_value, names);
    if (!assign_path(l, root, &sets[i], names)) return false;
  }
  return true;
}
