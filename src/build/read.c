// Text to definition: walks the sections of a document and reads each part by its table.
#include <string.h>

#include "base/word.h"
#include "build/definition.h"
#include "build/surface.h"
#include "mechanics/constraint.h"
#include "mechanics/force.h"
#include "mechanics/joint.h"
#include "scheme/registry.h"

static const section sections[] = {
    {"title", "a short description"},
    {"source", "reference, such as a paper"},
    {"space", "planar or spatial"},
    {"coordinates", "joint or absolute"},
    {"response", "automatic or divide-and-conquer"},
    {"gravity", "acceleration of free fall"},
    {"end", "when a run ends"},
    {"include", "files whose sections are merged into this one"},
    {"parameters", "named numbers, words and flags"},
    {"tables", "functions from points, for expressions"},
    {"bodies", "rigid bodies, flexible beams and planar solids"},
    {"markers", "named frames on bodies"},
    {"joints", "connections of bodies"},
    {"constraints", "constraints in addition to joints"},
    {"forces", "springs, dampers, motors, loads"},
    {"materials", "contact properties of surfaces"},
    {"solids", "elastic solids in addition to the built-in ones"},
    {"surfaces", "surfaces that can touch"},
    {"contacts", "pairs of surfaces that can touch"},
    {"signals", "expressions with names, for controllers"},
    {"states", "quantities with a rate, integrated with the motion"},
    {"callbacks", "outputs of C functions that a program binds"},
    {"drives", "prescribed motions"},
    {"initial", "initial values"},
    {"outputs", "expressions to record"},
    {"method", "method of time integration and contact"},
    {"integrator", "integrator of smooth motion"},
    {"record", "what is recorded"},
};
enum { SECTION_COUNT = sizeof sections / sizeof *sections };

const section *definition_sections(int *count) {
  *count = SECTION_COUNT;
  return sections;
}

typedef struct reader {
  option_reader options;
  carom_def *def;
  carom_error *error;
} reader;

// `example` is an entry of a section as the reference shows it; may be null.
static const value *need_map(const reader *r, const value *v, const char *what, const char *example) {
  if (v->kind == VALUE_MAP) return v;
  const char *hint = example ? arena_print(&r->def->memory, "each entry has a name: %s: {%s}", what, example) : NULL;
  source_error(r->error, CAROM_ERROR_MODEL, v->at, hint, "'%s' must be a map of names, not a %s", what,
               v->kind == VALUE_LIST ? "list" : "single value");
  return NULL;
}

static bool need_entry(const reader *r, const value *entry, const char *example) {
  if (entry->kind == VALUE_MAP) return true;
  const char *hint = example ? arena_print(&r->def->memory, "as in %s", example) : NULL;
  return source_error(r->error, CAROM_ERROR_MODEL, entry->at, hint, "'%s' must be a map of keys, not %s", entry->key,
                      entry->kind == VALUE_LIST ? "a list" : "a single value");
}

// `--set bodies.x.mass=1` changes a body; it does not add one. (What is known of the start may be added to.)
static bool is_part(const reader *r, const value *section_map, const value *entry) {
  if (!entry->made || strcmp(section_map->key, "initial") == 0) return true;
  const char **there = ARENA_ARRAY(&r->def->memory, const char *, section_map->count);
  int count = 0;
  for (int i = 0; i < section_map->count; i++)
    if (!section_map->items[i]->made) there[count++] = section_map->items[i]->key;
  const char *near = word_nearest(entry->key, there, count);
  const char *hint = near ? near
                          : arena_print(&r->def->memory, "a new one is set as a whole: --set '%s.%s={...}'",
                                        section_map->key, entry->key);
  return source_error(r->error, CAROM_ERROR_MODEL, entry->key_at, hint, "there is no '%s' in '%s'", entry->key,
                      section_map->key);
}

// A value as if it had been written {key: value}.
static const value *wrap(const reader *r, const value *v, const char *key) {
  value *item = ARENA_NEW(&r->def->memory, value), *map = ARENA_NEW(&r->def->memory, value);
  *item = *map = *v;
  item->key = key;
  map->kind = VALUE_MAP, map->text = NULL, map->count = 1;
  map->items = ARENA_NEW(&r->def->memory, value *);
  map->items[0] = item;
  return map;
}

static part *add_part(const reader *r, part_list *list, const value *entry, const char *kind, const void *content,
                      option_places places) {
  part *p = ARENA_PUSH(&r->def->memory, list->items, list->count, list->capacity);
  places.whole = entry->key_at;
  *p = (part){.name = entry->key, .kind = kind, .content = content, .places = places};
  return p;
}

// A section whose entries all have one table.
static bool read_plain(const reader *r, const value *root, const char *name, const option_table *table,
                       part_list *list) {
  const value *map = value_get(root, name);
  if (!map) return true;
  if (!need_map(r, map, name, table->example)) return false;
  for (int i = 0; i < map->count; i++) {
    void *content = arena_alloc(&r->def->memory, 1, table->size);
    option_places places;
    if (!is_part(r, map, map->items[i]) || !need_entry(r, map->items[i], table->example)) return false;
    if (!option_read(&r->options, table, map->items[i], content, NULL, &places)) return false;
    add_part(r, list, map->items[i], NULL, content, places);
  }
  return true;
}

// One shape: a map that names a kind.
static bool read_shape(const reader *r, const value *entry, carom_shape_def *shape) {
  const option_table *tables[OPTION_MEMBERS_MAX];
  int count = shape_tables(tables);
  option_places ignored;
  int member = option_read_member(&r->options, "shape", tables, count, entry, shape, NULL, &ignored);
  if (member < 0) return false;
  shape->kind = tables[member]->name;
  const shape_type *type = shape_find(shape->kind);
  const char *fault = type->fault ? type->fault(shape, r->options.planar) : NULL;
  if (fault) return source_error(r->error, CAROM_ERROR_MODEL, entry->at, NULL, "%s", fault);
  place *at = ARENA_NEW(&r->def->memory, place);
  *at = entry->at;
  shape->origin = at;
  return true;
}

// `shape:` of a body: one, or a list of them.
static bool read_shapes(const reader *r, const value *entry, carom_body_def *body) {
  const value *given = value_get(entry, "shape");
  if (!given) return true;
  int count = given->kind == VALUE_LIST ? given->count : 1;
  carom_shape_def *shapes = ARENA_ARRAY(&r->def->memory, carom_shape_def, count + 1);
  for (int i = 0; i < count; i++)
    if (!read_shape(r, given->kind == VALUE_LIST ? given->items[i] : given, &shapes[i])) return false;
  body->shapes = shapes, body->shape_count = count;
  return true;
}

// One of the maps that make a body flexible; null if it is not given, or after reporting. `origin` is where the struct
// has the places of its keys.
static void *read_flexible_part(const reader *r, const value *entry, const option_table *table, size_t origin,
                                bool *failed) {
  const value *given = value_get(entry, table->name);
  if (!given) return NULL;
  void *content = arena_alloc(&r->def->memory, 1, table->size);
  option_places *places = ARENA_NEW(&r->def->memory, option_places);
  if (!need_entry(r, given, table->example) || !option_read(&r->options, table, given, content, NULL, places)) {
    *failed = true;
    return NULL;
  }
  *(const void **)((char *)content + origin) = places;
  return content;
}

// `stretches:` of a body: names, each with a map.
static bool read_stretches(const reader *r, const value *entry, carom_body_def *body) {
  const value *map = value_get(entry, stretch_table.name);
  if (!map) return true;
  if (!need_entry(r, map, stretch_table.example)) return false;
  carom_stretch_def *list = ARENA_ARRAY(&r->def->memory, carom_stretch_def, map->count + 1);
  for (int i = 0; i < map->count; i++) {
    option_places *places = ARENA_NEW(&r->def->memory, option_places);
    if (!need_entry(r, map->items[i], stretch_table.example) ||
        !option_read(&r->options, &stretch_table, map->items[i], &list[i], NULL, places))
      return false;
    list[i].name = map->items[i]->key, list[i].origin = places;
  }
  body->stretches = list, body->stretch_count = map->count;
  return true;
}

static bool read_flexible(const reader *r, const value *entry, carom_body_def *body) {
  bool failed = !read_stretches(r, entry, body);
  if (failed) return false;
  body->beam = read_flexible_part(r, entry, &beam_table, offsetof(carom_beam_def, origin), &failed);
  if (!failed)
    body->solid_2d = read_flexible_part(r, entry, &solid_2d_table, offsetof(carom_solid_2d_def, origin), &failed);
  if (!failed)
    body->finite_elements =
        read_flexible_part(r, entry, &finite_elements_table, offsetof(carom_finite_elements_def, origin), &failed);
  if (!failed) body->modes = read_flexible_part(r, entry, &modes_table, offsetof(carom_modes_def, origin), &failed);
  if (!failed)
    body->damping = read_flexible_part(r, entry, &structural_damping_table,
                                       offsetof(carom_structural_damping_def, origin), &failed);
  return !failed;
}

static bool read_bodies(const reader *r, const value *root) {
  static const char *const others[] = {"shape", "beam",      "solid_2d", "finite_elements",
                                       "modes", "stretches", "damping",  NULL};
  const value *map = value_get(root, "bodies");
  if (!map) return true;
  if (!need_map(r, map, "bodies", body_table.example)) return false;
  for (int i = 0; i < map->count; i++) {
    carom_body_def *body = ARENA_NEW(&r->def->memory, carom_body_def);
    option_places places;
    if (!is_part(r, map, map->items[i]) || !need_entry(r, map->items[i], body_table.example)) return false;
    if (!option_read(&r->options, &body_table, map->items[i], body, others, &places)) return false;
    if (!read_shapes(r, map->items[i], body) || !read_flexible(r, map->items[i], body)) return false;
    add_part(r, &r->def->bodies, map->items[i], NULL, body, places);
  }
  return true;
}

// A section whose entries each name a member of a family.
static bool read_family(const reader *r, const value *root, const char *name, const char *family,
                        const option_table *const *tables, int count, part_list *list) {
  const value *map = value_get(root, name);
  if (!map) return true;
  if (!need_map(r, map, name, tables[0]->example)) return false;
  for (int i = 0; i < map->count; i++) {
    void *content = arena_alloc(&r->def->memory, 1, tables[0]->size);
    option_places places;
    if (!is_part(r, map, map->items[i])) return false;
    int member = option_read_member(&r->options, family, tables, count, map->items[i], content, NULL, &places);
    if (member < 0) return false;
    add_part(r, list, map->items[i], tables[member]->name, content, places);
  }
  return true;
}

static bool read_joints(const reader *r, const value *root) {
  int count;
  const option_table *const *tables = joint_tables(&count);
  return read_family(r, root, "joints", "joint", tables, count, &r->def->joints);
}

static bool read_constraints(const reader *r, const value *root) {
  const option_table *tables[16];
  int count;
  const constraint_kind *kinds = constraint_kinds(&count);
  for (int i = 0; i < count; i++) tables[i] = kinds[i].table;
  return read_family(r, root, "constraints", "constraint", tables, count, &r->def->constraints);
}

static bool read_forces(const reader *r, const value *root) {
  const option_table *tables[OPTION_MEMBERS_MAX];
  int count, used = 0;
  const force_type *const *types = force_types(&count);
  for (int i = 0; i < count; i++)
    if (types[i]->table) tables[used++] = types[i]->table;
  return read_family(r, root, "forces", "force", tables, used, &r->def->forces);
}

static bool read_surfaces(const reader *r, const value *root) {
  const option_table *tables[OPTION_MEMBERS_MAX];
  int count = surface_tables(tables);
  return read_family(r, root, "surfaces", "surface", tables, count, &r->def->surfaces);
}

// `outputs:` and `signals:` map each name to an expression.
static bool read_expressions(const reader *r, const value *root, const char *name, const char *example,
                             part_list *list) {
  static const option options[] = {
      {.key = "value", .type = OPTION_FUNCTION, .flags = OPTION_REQUIRED | OPTION_SUBJECT, .help = "An expression."}};
  static const option_table table = {.name = "value", .size = sizeof(carom_function), .options = options, .count = 1};
  const value *map = value_get(root, name);
  if (!map) return true;
  if (!need_map(r, map, name, example)) return false;
  for (int i = 0; i < map->count; i++) {
    const value *wrapped = wrap(r, map->items[i], "value");  // the table then reads it like any other function
    carom_function *content = ARENA_NEW(&r->def->memory, carom_function);
    option_places places;
    if (!option_read(&r->options, &table, wrapped, content, NULL, &places)) return false;
    add_part(r, list, map->items[i], NULL, content, places);
  }
  return true;
}

static bool read_optional(const reader *r, const value *root, const char *key, const option_table *table, void *target,
                          option_places *places) {
  const value *map = value_get(root, key);
  if (!map) return true;
  // `integrator: bdf` is short for `integrator: {type: bdf}`: a bare word is the first option
  if (map->kind == VALUE_SCALAR && table->options[0].type == OPTION_WORD) map = wrap(r, map, table->options[0].key);
  return need_map(r, map, key, NULL) && option_read(&r->options, table, map, target, NULL, places);
}

static bool read_method(const reader *r, const value *root) {
  const value *entry = value_get(root, "method");
  if (!entry) return true;
  int count;
  const scheme_type *const *schemes = scheme_types(&count);
  const option_table **tables = ARENA_ARRAY(&r->def->memory, const option_table *, count);
  for (int i = 0; i < count; i++) tables[i] = schemes[i]->about->table;
  scheme_options content;
  option_places places;
  int member = option_read_member(&r->options, "method", tables, count, entry, &content, NULL, &places);
  if (member < 0) return false;
  r->def->scheme = schemes[member];
  r->def->options = content;
  r->def->method_at = entry->at;
  return true;
}

static bool read_model(reader *r, const value *root) {
  const char *others[SECTION_COUNT + 1];
  int used = 0;
  for (int i = 0; i < SECTION_COUNT; i++) {
    bool own = false;
    for (int k = 0; k < model_table.count; k++) own |= strcmp(model_table.options[k].key, sections[i].name) == 0;
    if (!own) others[used++] = sections[i].name;
  }
  others[used] = NULL;
  // the space decides how everything else is read; it may be a parameter
  const value *space = value_get(root, "space");
  r->options.planar = space && space->kind == VALUE_SCALAR && strcmp(value_word(space), "planar") == 0;
  if (!option_read(&r->options, &model_table, root, &r->def->model, others, &r->def->model_places)) return false;
  for (int k = 0; k < model_table.count; k++)
    if (strcmp(model_table.options[k].key, "gravity") == 0 && !r->def->model_places.each[k].source)
      memcpy(r->def->model.gravity, carom_model_default(r->options.planar ? CAROM_PLANAR : CAROM_SPATIAL).gravity,
             sizeof r->def->model.gravity);
  return true;
}

// Those of the keys, and those that the schemes bring for their names.
static const option_synonym *all_synonyms(arena *memory) {
  option_synonym *all = NULL;
  int count = 0, capacity = 0, scheme_count;
  const scheme_type *const *schemes = scheme_types(&scheme_count);
  for (const option_synonym *s = model_synonyms; s->word; s++) *ARENA_PUSH(memory, all, count, capacity) = *s;
  for (int i = 0; i < scheme_count; i++)
    for (const option_synonym *s = schemes[i]->about->synonyms; s && s->word; s++)
      *ARENA_PUSH(memory, all, count, capacity) = *s;
  *ARENA_PUSH(memory, all, count, capacity) = (option_synonym){0};
  return all;
}

bool definition_read(carom_def *def, const document *text, carom_error *error) {
  reader r = {.options = {.memory = &def->memory,
                          .error = error,
                          .synonyms = all_synonyms(&def->memory),
                          .tables = value_get(text->root, "tables")},
              .def = def,
              .error = error};
  const value *root = text->root;
  def->text = text;
  option_places ignored;
  const value *integrator_key = value_get(root, "integrator");
  if (integrator_key) def->integrator_at = integrator_key->at;
  const value *record_key = value_get(root, "record");
  if (record_key) def->record_at = record_key->at;
  return read_model(&r, root) && read_plain(&r, root, "tables", &table_table, &def->tables) && read_bodies(&r, root) &&
         read_plain(&r, root, "markers", &marker_table, &def->markers) && read_joints(&r, root) &&
         read_constraints(&r, root) && read_forces(&r, root) && read_surfaces(&r, root) &&
         read_plain(&r, root, "materials", &material_table, &def->materials) &&
         read_plain(&r, root, "solids", &solid_table, &def->solids) &&
         read_plain(&r, root, "contacts", &contact_table, &def->contacts) &&
         read_plain(&r, root, "drives", &drive_table, &def->drives) &&
         read_plain(&r, root, "initial", &initial_table, &def->initials) &&
         read_plain(&r, root, "states", &state_table, &def->states) &&
         read_plain(&r, root, "callbacks", &callback_table, &def->callbacks) &&
         read_expressions(&r, root, "signals", "error: target - hinge.q", &def->signals) &&
         read_expressions(&r, root, "outputs", "reach: tip.x - 5 cm", &def->outputs) && read_method(&r, root) &&
         read_optional(&r, root, "integrator", &integrator_table, &def->integrator, &ignored) &&
         read_optional(&r, root, "record", &record_table_options, &def->record, &ignored);
}
