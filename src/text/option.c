#include "text/option_read.h"

#include <string.h>

#include "base/word.h"
#include "text/option_value.h"

static void *field(void *target, const option *o) { return (char *)target + o->offset; }

static bool listed(const char *const *list, const char *key) {
  for (; list && *list; list++)
    if (strcmp(*list, key) == 0) return true;
  return false;
}

static int find_option(const option_table *table, const char *key) {
  for (int i = 0; i < table->count; i++)
    if (strcmp(table->options[i].key, key) == 0) return i;
  return -1;
}

static const option *subject_of(const option_table *table) {
  for (int i = 0; i < table->count; i++)
    if (table->options[i].flags & OPTION_SUBJECT) return &table->options[i];
  return NULL;
}

static place entry_place(const value *v) { return v->key ? v->key_at : v->at; }

static bool is_from_command_line(place at) { return at.source && strcmp(at.source->name, "--set") == 0; }

// ---- suggestions

// Letters of either case, except of a symbol: `E` is not `e`.
static bool same_word(const char *a, const char *b) {
  if (a[0] && !a[1]) return strcmp(a, b) == 0;
  for (; *a && *b; a++, b++) {
    char x = *a == '-' ? '_' : *a, y = *b == '-' ? '_' : *b;
    if (x >= 'A' && x <= 'Z') x = (char)(x - 'A' + 'a');
    if (x != y) return false;
  }
  return *a == *b;
}

static const char *say_synonym(const option_reader *r, const char *word, const option_synonym *s) {
  return s->hint ? s->hint : arena_print(r->memory, "'%s' is called '%s' here", word, s->key);
}

static const char *synonym_of_key(const option_reader *r, const option_table *table, const char *const *others,
                                  const char *word) {
  const option_synonym *without_key = NULL;
  for (const option_synonym *s = r->synonyms; s && s->word; s++) {
    if (!same_word(word, s->word)) continue;
    if (!s->key && !without_key) without_key = s;
    if (s->key && (find_option(table, s->key) >= 0 || listed(others, s->key))) return say_synonym(r, word, s);
  }
  return without_key ? without_key->hint : NULL;
}

const char *option_word_synonym(const option_reader *r, const char *words, const char *word) {
  for (const option_synonym *s = r->synonyms; s && s->word; s++)
    if (s->key && same_word(word, s->word) && option_word_find(words, s->key) >= 0) return say_synonym(r, word, s);
  return NULL;
}

// Bodies and markers are the value of the key that names the member.
static const char *subject_hint(const option_reader *r, const option_table *table, const char *word) {
  static const char *const words[] = {"body",    "bodies",  "body1",  "body2",       "body_a",  "body_b",
                                      "parent",  "child",   "object", "marker",      "markers", "marker1",
                                      "marker2", "between", "on",     "attached_to", NULL};
  const option *subject = subject_of(table);
  if (!subject || !listed(words, word)) return NULL;
  if (subject->type == OPTION_TEXT)
    return arena_print(r->memory, "it is the value of '%s': {%s: NAME}", table->name, table->name);
  if (subject->type == OPTION_PAIR)
    return arena_print(r->memory, "both are the value of '%s': {%s: [first, second]}", table->name, table->name);
  return NULL;
}

static const char *nearest_key(const option_table *table, const char *const *others, const value *v, bool set) {
  const char *best = NULL;
  for (int i = 0; i < table->count; i++) best = word_nearest(v->key, (const char *[]){best, table->options[i].key}, 2);
  for (; others && *others; others++) best = word_nearest(v->key, (const char *[]){best, *others}, 2);
  for (const parameters *p = set ? v->parameters : NULL; p; p = p->outer)
    for (int i = 0; i < p->count; i++) best = word_nearest(v->key, (const char *[]){best, p->items[i].name}, 2);
  return best;
}

static bool report_unknown(const option_reader *r, const option_table *table, const value *v, const char *hint) {
  if (is_from_command_line(v->key_at))
    return source_error(r->error, CAROM_ERROR_MODEL, v->key_at, hint, "'%s' is neither a parameter nor a key", v->key);
  return source_error(r->error, CAROM_ERROR_MODEL, v->key_at, hint, "unknown key '%s' in %s", v->key, table->name);
}

static const char *with_key(const option_reader *r, const char *list, const char *key) {
  return arena_print(r->memory, "%s%s%s", list, *list ? ", " : "", key);
}

// All keys that may stand there, and the example.
static const char *known_keys(const option_reader *r, const option_table *table, const char *const *others) {
  const char *list = "";
  for (int i = 0; i < table->count; i++)
    if (!(table->options[i].flags & (OPTION_ALIAS | OPTION_SUBJECT))) list = with_key(r, list, table->options[i].key);
  for (; others && *others; others++) list = with_key(r, list, *others);
  const char *example = table->example ? arena_print(r->memory, "as in %s", table->example) : "";
  if (!*list) return example;
  return arena_print(r->memory, "%s%sits keys are %s", example, *example ? "; " : "", list);
}

static bool unknown_key(const option_reader *r, const option_table *table, const char *const *others, const value *v) {
  bool set = is_from_command_line(v->key_at);
  const char *best = subject_hint(r, table, v->key);
  if (!best) best = synonym_of_key(r, table, others, v->key);
  if (!best) best = nearest_key(table, others, v, set);
  if (strchr(v->key, ':')) best = "a blank is needed after ':'";
  if (!best && value_is_nothing(v))
    best = "inside { } or [ ] an expression with commas must be in quotes, else the comma ends it";
  if (!best && !set) best = known_keys(r, table, others);
  return report_unknown(r, table, v, best);
}

// ---- a table

// The option that an alias belongs to, or itself.
static int owner_of(const option_table *table, int k) {
  while (table->options[k].flags & OPTION_ALIAS) k--;
  return k;
}

// The path of a map that --set has made, from the path that was set: up to the map's own key, which may stand in the
// value. Where a section is set to one word, as in method=moreau, that names the table.
static const char *path_of(const option_reader *r, const option_table *table, const value *map) {
  const char *set = entry_place(map).source->text, *key = map->key ? map->key : table->name;
  const size_t end = strcspn(set, "="), length = strlen(key);
  for (size_t at = 0, part; at < end; at += part + 1) {
    part = strcspn(set + at, ".=");
    if (part != length || strncmp(set + at, key, length) != 0) continue;
    if (at > 0 || strcmp(key, table->name) == 0) return arena_print(r->memory, "%.*s", (int)(at + length), set);
    key = table->name;
    break;
  }
  return arena_print(r->memory, "%.*s.%s", (int)end, set, key);
}

// From the example of the table; for the command line also the path, such as method.moreau.step.
static const char *missing_hint(const option_reader *r, const option_table *table, const value *map, const char *key) {
  const bool set = is_from_command_line(entry_place(map));
  const char *add = set ? arena_print(r->memory, "add --set %s.%s=...", path_of(r, table, map), key) : NULL;
  if (!table->example) return add;
  return arena_print(r->memory, "%s%sas in %s", set ? add : "", set ? ", or " : "", table->example);
}

bool option_read(const option_reader *r, const option_table *table, const value *map, void *target,
                 const char *const *others, option_places *places) {
  option_defaults(table, target);
  place *each = ARENA_ARRAY(r->memory, place, table->count);
  bool *there = ARENA_ARRAY(r->memory, bool, table->count);
  const dimension **dims = ARENA_ARRAY(r->memory, const dimension *, table->count);
  if (places) *places = (option_places){.whole = entry_place(map), .each = each, .dims = dims};
  if (map->kind != VALUE_MAP && !value_is_nothing(map))
    return source_error(r->error, CAROM_ERROR_MODEL, map->at, NULL, "'%s' must be a map, not %s",
                        map->key ? map->key : table->name, value_kind_text(map));
  for (int i = 0; i < map->count; i++) {
    const value *v = map->items[i];
    int k = find_option(table, v->key);
    if (k < 0 && listed(others, v->key)) continue;
    if (k < 0) return unknown_key(r, table, others, v);
    int own = owner_of(table, k);
    if (there[own])
      return source_error(r->error, CAROM_ERROR_MODEL, v->key_at, NULL,
                          "'%s' and '%s' are the same key: give one of them", table->options[own].key,
                          table->options[own + 1].key);
    if (!option_read_value(r, &table->options[k], v, field(target, &table->options[k]))) return false;
    each[own] = option_place(v);
    dims[own] = option_open_units(r, &table->options[k], v);
    there[own] = true;
  }
  for (int k = 0; k < table->count; k++)
    if (table->options[k].flags & OPTION_REQUIRED && !there[k])
      return source_error(r->error, CAROM_ERROR_MODEL, entry_place(map),
                          missing_hint(r, table, map, table->options[k].key), "'%s' is missing in %s",
                          table->options[k].key, table->name);
  return true;
}

// ---- families

static int find_member(const option_table *const *tables, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(tables[i]->name, name) == 0) return i;
  return -1;
}

static const char *member_list(arena *memory, const option_table *const *tables, int count) {
  const char *list = count ? tables[0]->name : "";
  for (int i = 1; i < count; i++) list = arena_print(memory, "%s, %s", list, tables[i]->name);
  return list;
}

static const char *nearest_member(const option_reader *r, const option_table *const *tables, int count,
                                  const char *name) {
  for (const option_synonym *s = r->synonyms; s && s->word; s++)
    if (s->key && same_word(name, s->word) && find_member(tables, count, s->key) >= 0) return say_synonym(r, name, s);
  const char *best = NULL;
  for (int i = 0; i < count; i++) best = word_nearest(name, (const char *[]){best, tables[i]->name}, 2);
  return best;
}

// Whether every other key that names a member is, for this one, just an option.
static bool owns_all(const option_table *table, const option_table *const *tables, int count, const value *entry,
                     const value *self, const char *const *others) {
  for (int i = 0; i < entry->count; i++) {
    const value *v = entry->items[i];
    if (v == self || listed(others, v->key) || find_member(tables, count, v->key) < 0) continue;
    if (find_option(table, v->key) < 0) return false;
  }
  return true;
}

// `{type: revolute, ...}`, as other programs have it.
static const char *kind_hint(const option_reader *r, const option_table *const *tables, int count, const value *v) {
  static const char *const words[] = {"type", "kind", "class", NULL};
  if (!listed(words, v->key) || v->kind != VALUE_SCALAR) return NULL;
  int m = find_member(tables, count, v->text);
  return m < 0 ? nearest_member(r, tables, count, v->text)
               : arena_print(r->memory, "the kind is a key of its own: {%s: ...}", tables[m]->name);
}

// The key that says what the entry is. Null after reporting.
static const value *naming_key(const option_reader *r, const char *family, const option_table *const *tables, int count,
                               const value *entry, const char *const *others, int *member) {
  const value *found = NULL, *last = NULL;
  const char *hint = NULL;
  int owners = 0;
  for (int i = 0; i < entry->count; i++) {
    const value *v = entry->items[i];
    int m = listed(others, v->key) ? -1 : find_member(tables, count, v->key);
    if (m < 0 && !hint) hint = kind_hint(r, tables, count, v);
    if (m < 0 && !hint) hint = nearest_member(r, tables, count, v->key);
    if (m < 0) continue;
    last = v;
    if (!owns_all(tables[m], tables, count, entry, v, others)) continue;
    owners++;
    found = v;
    *member = m;
  }
  if (owners == 1) return found;
  if (last) {
    source_error(r->error, CAROM_ERROR_MODEL, last->key_at, NULL, "this %s has more than one kind: '%s' is one of them",
                 family, last->key);
    return NULL;
  }
  source_error(r->error, CAROM_ERROR_MODEL, entry_place(entry), hint, "this %s has no kind: it must be one of %s",
               family, member_list(r->memory, tables, count));
  return NULL;
}

// A misspelt member beside the one that was found, as in {moreau: {...}, evnt: {...}}, is no misspelt option of that
// one.
static bool check_misspelt(const option_reader *r, const option_table *const *tables, int count,
                           const option_table *found, const value *entry, const char *const *others) {
  for (int i = 0; i < entry->count; i++) {
    const value *v = entry->items[i];
    if (v->kind != VALUE_MAP || find_option(found, v->key) >= 0 || listed(others, v->key) ||
        find_member(tables, count, v->key) >= 0)
      continue;
    const char *near = nearest_member(r, tables, count, v->key);
    if (near && !synonym_of_key(r, found, others, v->key)) return report_unknown(r, found, v, near);
  }
  return true;
}

static bool takes_map(const option *o) { return o && (o->type == OPTION_TABLE || o->type == OPTION_ROTATION); }

// For `--set method.step=1e-4` over `method: {moreau: {step: 1e-3}}`: the path with the naming key. Null for a key in a
// file.
static const char *longer_path(const option_reader *r, const value *naming, const value *item) {
  const source *set = item->key_at.source;
  if (!set || strncmp(set->name, "--", 2) != 0) return NULL;
  int length = (int)strcspn(set->text, "="), parent = length - (int)strlen(item->key);
  if (parent <= 0 || set->text[parent - 1] != '.') return NULL;
  return arena_print(r->memory, "write --set %.*s%s.%s=...", parent, set->text, naming->key, item->key);
}

// `naming` is the key beside `item` that names the member of a family, such as `moreau`.
static bool push(const option_reader *r, value *map, const value *naming, value *item) {
  const value *before = value_get(map, item->key);
  if (before)
    return source_error(r->error, CAROM_ERROR_MODEL, item->key_at, longer_path(r, naming, item),
                        "'%s' occurs twice: first at %d:%d", item->key, before->key_at.line, before->key_at.column);
  *ARENA_PUSH(r->memory, map->items, map->count, map->capacity) = item;
  return true;
}

// One flat map of options: those beside the naming key, those inside its value, and its value as the subject.
static bool flatten(const option_reader *r, const option_table *table, const value *entry, const value *naming,
                    value *flat) {
  const option *subject = subject_of(table);
  *flat = (value){.kind = VALUE_MAP,
                  .at = entry->at,
                  .key = entry->key ? entry->key : naming->key,
                  .key_at = entry->key ? entry->key_at : naming->key_at,
                  .parameters = entry->parameters};
  if (naming->kind == VALUE_MAP && !takes_map(subject)) {
    for (int i = 0; i < naming->count; i++)
      if (!push(r, flat, naming, naming->items[i])) return false;
  } else if (!value_is_nothing(naming)) {
    if (!subject)
      return source_error(r->error, CAROM_ERROR_MODEL, naming->at, NULL, "'%s' must be a map of options, not %s",
                          table->name, value_kind_text(naming));
    value *v = ARENA_NEW(r->memory, value);
    *v = *naming;
    v->key = subject->key;
    if (!push(r, flat, naming, v)) return false;
  }
  for (int i = 0; i < entry->count; i++)
    if (entry->items[i] != naming && !push(r, flat, naming, entry->items[i])) return false;
  return true;
}

int option_read_member(const option_reader *r, const char *family, const option_table *const *tables, int count,
                       const value *entry, void *target, const char *const *others, option_places *places) {
  int member = -1;
  if (entry->kind == VALUE_SCALAR && !value_is_nothing(entry)) {
    const char *word = value_word(entry);
    member = find_member(tables, count, word);
    value nothing = {
        .kind = VALUE_MAP, .at = entry->at, .key_at = entry->at, .key = word, .parameters = entry->parameters};
    if (member >= 0) return option_read(r, tables[member], &nothing, target, others, places) ? member : -1;
    source_error(r->error, CAROM_ERROR_MODEL, entry->at, nearest_member(r, tables, count, word),
                 "'%s' is not a %s: it must be one of %s", word, family, member_list(r->memory, tables, count));
    return -1;
  }
  if (entry->kind == VALUE_LIST) {
    source_error(r->error, CAROM_ERROR_MODEL, entry->at, NULL, "a %s must be a map, not a list", family);
    return -1;
  }
  const value *naming = naming_key(r, family, tables, count, entry, others, &member);
  value flat;
  if (!naming || !check_misspelt(r, tables, count, tables[member], entry, others) ||
      !flatten(r, tables[member], entry, naming, &flat))
    return -1;
  return option_read(r, tables[member], &flat, target, others, places) ? member : -1;
}
