// A model's text from the file to a plain tree: read, include, set, evaluate, unroll.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/loader.h"

typedef struct file_chain {
  const char *canonical;
  const struct file_chain *above;
} file_chain;

typedef struct session {
  loader loader;
  const source **sources;
  int source_count, source_capacity;
  const char **seen;  // canonical paths of all files so far
  int seen_count, seen_capacity;
} session;

// ---- files

static bool read_bytes(int fd, char *buffer, size_t capacity, size_t *length) {
  *length = 0;
  while (*length < capacity) {
    ssize_t n = read(fd, buffer + *length, capacity - *length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) break;
    *length += (size_t)n;
  }
  return true;
}

// Memory is taken before the file is opened: running out of it must not leave the file open.
static const source *read_file(session *s, const char *path, place wanted_at, carom_status status) {
  loader *l = &s->loader;
  source *text = ARENA_NEW(l->memory, source);
  text->name = arena_copy_text(l->memory, path);
  place at = wanted_at.source ? wanted_at : (place){text, 0, 0};
  struct stat info;
  if (stat(path, &info)) {
    source_error(l->error, status, at, NULL, "cannot read '%s': %s", path, strerror(errno));
    return NULL;
  }
  bool regular = S_ISREG(info.st_mode);
  if (S_ISDIR(info.st_mode) || (!regular && wanted_at.source)) {
    source_error(l->error, status, at, NULL, "cannot read '%s': not a file", path);
    return NULL;
  }
  if (regular && info.st_size > MODEL_FILE_MAX) {
    source_error(l->error, CAROM_ERROR_MODEL, at, NULL, "'%s' is too large: %lld bytes, the limit is %d", path,
                 (long long)info.st_size, MODEL_FILE_MAX);
    return NULL;
  }
  size_t capacity = regular && info.st_size > 0 ? (size_t)info.st_size : (size_t)MODEL_FILE_MAX + 1;
  char *bytes = arena_alloc(l->memory, capacity + 1, 1);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool ok = fd >= 0 && read_bytes(fd, bytes, capacity, &text->length);
  int trouble = errno;
  if (fd >= 0) close(fd);
  if (!ok) {
    source_error(l->error, status, at, NULL, "cannot read '%s': %s", path, strerror(trouble));
    return NULL;
  }
  text->text = bytes;
  return text;
}

static const source *copy_source(session *s, const char *name, const char *text, size_t length) {
  arena *memory = s->loader.memory;
  source *copy = ARENA_NEW(memory, source);
  char *bytes = arena_alloc(memory, length + 1, 1);
  if (length) memcpy(bytes, text, length);
  *copy = (source){arena_copy_text(memory, name), bytes, length};
  return copy;
}

// The same file under another name is still the same file.
static const char *canonical_path(arena *memory, const char *path) {
  char *resolved = realpath(path, NULL);
  if (!resolved) return arena_copy_text(memory, path);
  char buffer[PATH_MAX];
  snprintf(buffer, sizeof buffer, "%s", resolved);
  free(resolved);
  return arena_copy_text(memory, buffer);
}

static const char *beside(arena *memory, const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  if (!slash || name[0] == '/') return arena_copy_text(memory, name);
  return arena_print(memory, "%.*s%s", (int)(slash - path + 1), path, name);
}

// ---- merging

// These are said once: the includer's replaces the included one whole. Any other map is joined entry by entry.
static bool is_said_once(const char *key) {
  static const char *const keys[] = {"method", "integrator", "record"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(keys[i], key) == 0) return true;
  return false;
}

static bool from_source(const value *v, const source *s) { return v->key_at.source == s; }

// Two included files that disagree, with no word from the file that includes them.
static bool conflict(loader *l, const value *a, const value *b) {
  return source_error(l->error, CAROM_ERROR_MODEL, b->key_at, "write it in the including file, which takes precedence",
                      "'%s' is also at %s:%d:%d, with another value", b->key, a->key_at.source->name, a->key_at.line,
                      a->key_at.column);
}

// `into` belongs to `includer`; its own entries win over the included ones.
static bool merge_winning(loader *l, value *into, const value *from, const source *includer) {
  for (int i = 0; i < from->count; i++) {
    const value *mine = loader_get(into, from->items[i]->key);
    if (!mine) loader_append(l, into, from->items[i]);
    else if (!from_source(mine, includer) && !value_same(mine, from->items[i]))
      return conflict(l, mine, from->items[i]);
  }
  return true;
}

static bool merge_section(loader *l, value *into, const value *from) {
  for (int i = 0; i < from->count; i++) loader_append(l, into, from->items[i]);
  return loader_check_keys(l, into);
}

static bool is_empty(const value *v) { return v->kind == VALUE_SCALAR && v->text[0] == '\0' && !v->quoted; }

static bool merge_root(loader *l, value *into, const value *from, const source *includer) {
  for (int i = 0; i < from->count; i++) {
    value *theirs = from->items[i], *mine = loader_get(into, theirs->key);
    bool maps = mine && mine->kind == VALUE_MAP && theirs->kind == VALUE_MAP && !is_said_once(theirs->key);
    bool ok = true;
    if (!mine || (is_empty(mine) && theirs->kind == VALUE_MAP)) loader_put(l, into, theirs);
    else if (maps && strcmp(theirs->key, "parameters") == 0) ok = merge_winning(l, mine, theirs, includer);
    else if (maps) ok = merge_section(l, mine, theirs);
    else if (!from_source(mine, includer) && !value_same(mine, theirs)) ok = conflict(l, mine, theirs);
    if (!ok) return false;
  }
  return true;
}

// ---- includes

static value *read_tree(session *s, const source *text, const file_chain *chain, int depth);

static bool include(session *s, value *root, const value *name, const source *includer, const file_chain *chain,
                    int depth) {
  loader *l = &s->loader;
  if (name->kind != VALUE_SCALAR || name->text[0] == '\0')
    return source_error(l->error, CAROM_ERROR_MODEL, name->at, NULL, "'include' takes a file name or a list of them");
  if (depth >= MODEL_INCLUDE_DEPTH_MAX)
    return source_error(l->error, CAROM_ERROR_MODEL, name->at, NULL, "includes are nested too deeply: the limit is %d",
                        MODEL_INCLUDE_DEPTH_MAX);
  const char *path = beside(l->memory, includer->name, name->text);
  file_chain here = {canonical_path(l->memory, path), chain};
  for (const file_chain *c = chain; c; c = c->above)
    if (strcmp(c->canonical, here.canonical) == 0)
      return source_error(l->error, CAROM_ERROR_MODEL, name->at, NULL, "'%s' includes itself", name->text);
  for (int i = 0; i < s->seen_count; i++)
    if (strcmp(s->seen[i], here.canonical) == 0) return true;  // already in: once is enough
  *ARENA_PUSH(l->memory, s->seen, s->seen_count, s->seen_capacity) = here.canonical;
  const source *text = read_file(s, path, name->at, CAROM_ERROR_MODEL);
  if (!text) return false;
  const value *included = read_tree(s, text, &here, depth + 1);
  return included && merge_root(l, root, included, includer);
}

static const char *root_hint(const value *root) {
  if (root->kind == VALUE_SCALAR && strchr(root->text, ':')) return "a blank is needed after ':'";
  if (root->kind == VALUE_SCALAR && strchr(root->text, '=')) return "write 'key: value', not 'key = value'";
  return NULL;
}

static value *read_tree(session *s, const source *text, const file_chain *chain, int depth) {
  loader *l = &s->loader;
  *ARENA_PUSH(l->memory, s->sources, s->source_count, s->source_capacity) = text;
  value *root = yaml_read(l, text, 0);
  if (!root) return NULL;
  if (root->kind != VALUE_MAP) {
    source_error(l->error, CAROM_ERROR_MODEL, root->at, root_hint(root),
                 is_empty(root) ? "the file is empty: a model is a map of sections, such as bodies and joints"
                                : "a model must be a map of sections, such as bodies and joints, not %s",
                 value_kind_text(root));
    return NULL;
  }
  const value *names = loader_take(root, "include");
  if (!names) return root;
  if (names->kind != VALUE_LIST) return include(s, root, names, text, chain, depth) ? root : NULL;
  for (int i = 0; i < names->count; i++)
    if (!include(s, root, names->items[i], text, chain, depth)) return NULL;
  return root;
}

// ---- all together

static const document *build(session *s, const source *main, value *root, const assignment *sets, int set_count) {
  loader *l = &s->loader;
  value *named = loader_take(root, "parameters");
  if (named && is_empty(named)) named = NULL;
  if (named && named->kind != VALUE_MAP) {
    source_error(l->error, CAROM_ERROR_MODEL, named->at, NULL, "'parameters' must be a map, not %s",
                 value_kind_text(named));
    return NULL;
  }
  if (named && s->source_count > 1 && !parameters_check_used(l, root, named, main)) return NULL;
  assigned *assigned_sets = ARENA_ARRAY(l->memory, assigned, set_count);
  if (!assign_read(l, sets, set_count, assigned_sets) || !assign_parameters(l, named, assigned_sets, set_count))
    return NULL;
  const parameters *names = parameters_evaluate(l, named);
  if (!names || !repeat_unroll(l, root, names) || !assign_paths(l, root, assigned_sets, set_count, names)) return NULL;
  document *d = ARENA_NEW(l->memory, document);
  *d = (document){root, names, main, s->sources, s->source_count};
  return d;
}

const document *document_load_within(arena *memory, const char *path, const char *text, size_t length,
                                     const assignment *sets, int set_count, long values_max, carom_error *error) {
  if (!path) path = "model";
  session *s = ARENA_NEW(memory, session);
  carom_error *own = error ? error : ARENA_NEW(memory, carom_error);
  s->loader = (loader){.memory = memory, .error = own, .values_max = values_max};
  file_chain here = {canonical_path(memory, path), NULL};
  const source *main = text ? copy_source(s, path, text, length) : read_file(s, path, (place){0}, CAROM_ERROR_FILE);
  if (!main) return NULL;
  value *root = read_tree(s, main, &here, 0);
  return root ? build(s, main, root, sets, set_count) : NULL;
}

const document *document_load(arena *memory, const char *path, const char *text, size_t length, const assignment *sets,
                              int set_count, carom_error *error) {
  return document_load_within(memory, path, text, length, sets, set_count, MODEL_VALUES_MAX, error);
}
