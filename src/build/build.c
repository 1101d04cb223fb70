// Definition to compiled model: names become indices, and the mechanism is put together, assembled and checked.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "mechanics/constraint.h"
#include "mechanics/dca.h"
#include "mechanics/force.h"
#include "build/builder.h"

// --- complaints ------------------------------------------------------------------------------------------------------

place builder_place(const part *p, const option_table *table, const char *key) {
  if (table && p->places.each)
    for (int i = 0; i < table->count; i++)
      if (strcmp(table->options[i].key, key) == 0 && p->places.each[i].source) return p->places.each[i];
  return p->places.whole;
}

static place part_place(const builder *b, part_id id) {
  const carom_def *def = b->def;
  switch (id.kind) {
    case PART_BODY: return def->bodies.items[id.index - 1].places.whole;  // body 0 is ground
    case PART_JOINT: return def->joints.items[id.index].places.whole;
    case PART_CONSTRAINT: return def->constraints.items[id.index].places.whole;
    case PART_DRIVE: return def->drives.items[id.index].places.whole;
    case PART_NONE: break;
  }
  return (place){0};
}

bool builder_fault(builder *b, const fault *f) {
  return source_error(b->error, f->error.status, part_place(b, f->part), f->hint, "%s", f->error.message);
}

// --- names -----------------------------------------------------------------------------------------------------------

static bool check_name(builder *b, const part *p, const char *section_name) {
  size_t length = p->name ? strlen(p->name) : 0;
  if (length == 0 || length > 128)
    return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, NULL,
                        "a name in '%s' must have 1 to 128 characters", section_name);
  for (const char *c = p->name; *c; c++)
    if (*c == '.' || (unsigned char)*c < ' ' || *c == 127)
      return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, NULL,
                          "the name '%s' must not contain a dot or a control character", p->name);
  return true;
}

bool builder_names(builder *b, names *n, const part_list *list, const char *section_name, int first) {
  for (int i = 0; i < list->count; i++) {
    if (!check_name(b, &list->items[i], section_name)) return false;
    if (names_find(n, list->items[i].name) >= 0)
      return source_error(b->error, CAROM_ERROR_MODEL, list->items[i].places.whole, NULL, "'%s' occurs twice in '%s'",
                          list->items[i].name, section_name);
    names_add(n, list->items[i].name, first + i);
  }
  return true;
}

// Expressions name constraints, forces, drives, signals, states, callbacks and outputs alike, so that no two of them
// may have the same name.
static bool list_shared_names(builder *b) {
  const carom_def *def = b->def;
  const part_list *const lists[] = {&def->constraints, &def->forces,    &def->drives, &def->signals,
                                    &def->states,      &def->callbacks, &def->outputs};
  static const char *const sections[] = {"constraints", "forces",    "drives", "signals",
                                         "states",      "callbacks", "outputs"};
  enum { LISTS = sizeof lists / sizeof *lists };
  names all = names_create(b->memory);
  for (int k = 0; k < LISTS; k++) {
    names own = names_create(b->memory);
    if (!builder_names(b, &own, lists[k], sections[k], 0)) return false;
    for (int i = 0; i < lists[k]->count; i++) {
      const part *p = &lists[k]->items[i];
      int before = names_find(&all, p->name);
      if (before >= 0)
        return source_error(
            b->error, CAROM_ERROR_MODEL, p->places.whole,
            "rename one: constraints, forces, drives, signals, states, callbacks and outputs share their names",
            "'%s' in '%s' has the name of an entry of '%s'", p->name, sections[k], sections[before]);
      names_add(&all, p->name, k);
    }
  }
  return true;
}

static bool list_all_names(builder *b) {
  const carom_def *def = b->def;
  b->bodies = names_create(b->memory), b->markers = names_create(b->memory), b->joints = names_create(b->memory);
  names_add(&b->bodies, "ground", 0);
  if (!builder_names(b, &b->bodies, &def->bodies, "bodies", 1) ||
      !builder_names(b, &b->markers, &def->markers, "markers", 0) ||
      !builder_names(b, &b->joints, &def->joints, "joints", 0) || !list_shared_names(b))
    return false;
  for (int i = 0; i < def->markers.count; i++)
    if (names_find(&b->bodies, def->markers.items[i].name) >= 0)
      return source_error(b->error, CAROM_ERROR_MODEL, def->markers.items[i].places.whole, NULL,
                          "marker '%s' has the name of a body", def->markers.items[i].name);
  return true;
}

// --- all -------------------------------------------------------------------------------------------------------------

static bool assemble(builder *b, mechanism *m, const initial_state *start, const mechanism *ideal,
                     assembly_report *report) {
  fault f = {0};
  return mechanism_assemble(m, start, ideal, b->memory, report, &f) || builder_fault(b, &f);
}

static bool adopt(builder *b, mechanism *m, const mechanism *from) {
  fault f = {0};
  return mechanism_adopt(m, from, b->memory, &f) || builder_fault(b, &f);
}

static bool has_clearance(const mechanism *m) {
  for (int i = 0; i < m->joint_count; i++)
    if (m->joints[i].loose) return true;
  return false;
}

// Assembles the mechanism without its clearances. Returns null if it does not close; the builder then keeps the reason.
static mechanism *assemble_ideal(builder *b, const mechanism *m, initial_state start, assembly_report *report) {
  mechanism *ideal = ARENA_NEW(b->memory, mechanism);
  carom_error *error = b->error;
  b->not_ideal = ARENA_NEW(b->memory, carom_error);
  b->error = b->not_ideal;
  b->ideal = true;
  builder_take_own(b, m, &start);
  bool done = builder_mechanism(b, ideal, false) && assemble(b, ideal, &start, NULL, report);
  b->ideal = false;
  b->error = error;
  return done ? ideal : NULL;
}

// The start. A mechanism with clearance starts like the ideal one, as far as the given values let it. If the ideal one
// does not close, the clearance may still allow the given values; but bodies that only joints with clearance hold need
// it.
static bool find_start(builder *b, mechanism *m) {
  initial_state start;
  assembly_report *report = &b->model->assembly, closing;
  if (!builder_initial(b, m, &start)) return false;
  if (!has_clearance(m)) return assemble(b, m, &start, NULL, report);
  const mechanism *ideal = assemble_ideal(b, m, start, &closing);
  if (!ideal && (m->floats || b->not_ideal->status == CAROM_ERROR_MEMORY)) {
    *b->error = *b->not_ideal;
    return false;
  }
  if (m->floats) b->model->assembled = ideal;
  if (!assemble(b, m, &start, ideal, report)) return false;
  if (!ideal) return true;
  report->iterations += closing.iterations;
  report->violation_before = closing.violation_before;
  report->violation_after = fmax(report->violation_after, closing.violation_after);
  return true;
}

// In absolute coordinates every joint is a constraint, so loops are those of the tree in joint coordinates.
static const bool *find_loops(builder *b, const mechanism *m) {
  bool *closes = ARENA_ARRAY(b->memory, bool, m->joint_count + 1);
  for (int i = 0; i < m->joint_count; i++) closes[i] = m->joints[i].constraint >= 0;
  return closes;
}

// The table of a part of a family, by its kind; null if the kind is unknown, which is reported later.
static const option_table *table_of_kind(const carom_def *def, const part_list *list, const char *kind) {
  int count;
  if (!kind) return NULL;
  if (list == &def->joints) return builder_joint_table(kind);
  if (list == &def->surfaces) return builder_surface_table(kind);
  if (list == &def->constraints) {
    const constraint_kind *kinds = constraint_kinds(&count);
    for (int i = 0; i < count; i++)
      if (strcmp(kinds[i].name, kind) == 0) return kinds[i].table;
  }
  if (list == &def->forces) {
    const force_type *const *types = force_types(&count);
    for (int i = 0; i < count; i++)
      if (strcmp(types[i]->name, kind) == 0) return types[i]->table;
  }
  return NULL;
}

static bool check_list(builder *b, const option_reader *r, const part_list *list, const option_table *table) {
  for (int i = 0; i < list->count; i++) {
    const option_table *own = table ? table : table_of_kind(b->def, list, list->items[i].kind);
    if (own && !option_check(r, own, list->items[i].content, list->items[i].name)) return false;
  }
  return true;
}

// Structs filled in code go through the same tables as text.
static bool check_parts(builder *b) {
  option_reader r = {.memory = b->memory, .error = b->error, .planar = b->def->model.space == CAROM_PLANAR};
  const carom_def *def = b->def;
  if (def->text) return true;
  if (!option_check(&r, &model_table, &def->model, "model") ||
      !option_check(&r, &integrator_table, &def->integrator, "integrator") ||
      !option_check(&r, def->scheme->about->table, &def->options, def->scheme->name) ||
      !option_check(&r, &record_table_options, &def->record, "record"))
    return false;
  return check_list(b, &r, &def->bodies, &body_table) && check_list(b, &r, &def->markers, &marker_table) &&
         check_list(b, &r, &def->joints, NULL) && check_list(b, &r, &def->constraints, NULL) &&
         check_list(b, &r, &def->forces, NULL) && check_list(b, &r, &def->surfaces, NULL) &&
         check_list(b, &r, &def->materials, &material_table) && check_list(b, &r, &def->solids, &solid_table) &&
         check_list(b, &r, &def->contacts, &contact_table) && check_list(b, &r, &def->tables, &table_table) &&
         check_list(b, &r, &def->states, &state_table) && check_list(b, &r, &def->callbacks, &callback_table) &&
         check_list(b, &r, &def->drives, &drive_table) && check_list(b, &r, &def->initials, &initial_table);
}

// Control characters would reach the terminal that prints a title.
static const char *plain_text(builder *b, const char *text) {
  if (!text) return NULL;
  char *copy = arena_copy_text(b->memory, text);
  for (char *c = copy; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
  return copy;
}

void builder_note(builder *b, const char *text) {
  *ARENA_PUSH(b->memory, b->notes, b->note_count, b->note_capacity) = text;
}

void builder_note_at(builder *b, place at, const char *format, ...) {
  arena_text text = {0};
  va_list args;
  if (at.source) arena_append(b->memory, &text, "%s:%d: ", at.source->name, at.line);
  va_start(args, format);
  arena_append_list(b->memory, &text, format, args);
  va_end(args);
  builder_note(b, text.text);
}

// A free joint between bodies that are placed by other joints leaves them as they are; two free joints on one body are
// most likely a mistake.
static void note_free_joints(builder *b, const mechanism *m) {
  for (int i = 0; i < m->joint_count; i++) {
    const joint *j = &m->joints[i];
    if (j->node >= 0 || j->loose || j->constraint >= 0) continue;
    builder_note_at(b, b->def->joints.items[i].places.whole,
                    "joint '%s' is free, and other joints place its bodies already: it does not change the motion and "
                    "only measures; remove it if that is not meant",
                    j->name);
  }
}

static place place_of_response(const builder *b) {
  return builder_place(&(part){.places = b->def->model_places}, &model_table, "response");
}

// Divide and conquer needs trees of bodies. In absolute coordinates every body is a tree by itself.
static bool check_response(builder *b) {
  if (b->def->model.response != CAROM_RESPONSE_DIVIDE || b->def->model.coordinates != CAROM_ABSOLUTE) return true;
  return source_error(b->error, CAROM_ERROR_MODEL, place_of_response(b), NULL,
                      "divide and conquer assembles bodies along their joints, and with 'coordinates: absolute' every "
                      "joint is a constraint; use joint coordinates, or 'response: automatic'");
}

static void note_response(builder *b, const mechanism *m) {
  if (!m->dca) return;
  if (!m->dca->step_count)
    builder_note_at(b, place_of_response(b),
                    "'response: divide-and-conquer' has no effect: no body hangs on another one");
  else if (m->redundant)
    builder_note_at(b, place_of_response(b),
                    "redundant constraints need a factorisation that divide and conquer does not have: theirs is by "
                    "recursion, beside the rest");
}

// A run refuses rows that cannot be told apart in time.
static void note_rows(builder *b) {
  double every = b->def->record.every, end = b->def->model.end, least = RECORD_EVERY_LEAST * end;
  if (!(every > 0) || every >= least) return;
  builder_note(
      b, arena_print(
             b->memory,
             "record.every is %g s, too short for a run until %g s, which will be refused; give it %g s or more, or 0 "
             "for a row per step",
             every, end, least));
}

static bool build(builder *b) {
  carom_model *model = b->model;
  const carom_def *def = b->def;
  model->about = def->model;
  model->about.title = plain_text(b, def->model.title);
  model->about.source = plain_text(b, def->model.source);
  model->about.take = plain_text(b, def->model.take);
  model->integrator = def->integrator;
  model->record = def->record;
  builder_keep_options(b);
  if (!check_parts(b) || !check_response(b) || !builder_check_settings(b) || !list_all_names(b) || !builder_tables(b) ||
      !builder_solids(b) || !builder_shapes(b) || !builder_masses(b) || !builder_shape_surfaces(b) ||
      !builder_hull_surfaces(b))
    return false;

  mechanism *m = &model->m;
  if (!builder_mechanism(b, m, false) || !builder_check_units(b, m) || !builder_check_motions(b, m) ||
      !builder_check_shifts(b, m) || !find_start(b, m))
    return false;
  model->closes_loop = find_loops(b, m);
  note_free_joints(b, m);
  if (!builder_check_method(b)) return false;
  if (def->model.coordinates == CAROM_ABSOLUTE) {
    mechanism absolute;
    if (!builder_mechanism(b, &absolute, true) || !adopt(b, &absolute, m)) return false;
    if (!model->assembled) {
      mechanism *copy = ARENA_NEW(b->memory, mechanism);
      *copy = *m;
      model->assembled = copy;
    }
    *m = absolute;
  }
  double activation = model_contact_options(model).activation;
  model->contacts.activation = activation > 0 ? activation : contact_nearness(m->length);
  builder_choose_integrator(model);
  if (def->scheme->about->needs_laws && !builder_resolve_materials(b)) return false;
  if (!builder_separate_surfaces(b, m)) return false;
  if (!builder_name_control(b, m)) return false;
  builder_signals(b);
  note_rows(b);
  note_response(b, m);
  builder_note_tolerances(b);
  builder_note_fast_modes(b);
  if (!builder_control(b, m) || !builder_bind_forces(b, m) || !builder_outputs(b) || !builder_drawing(b)) return false;
  model->notes = b->notes, model->note_count = b->note_count;
  return true;
}

static carom_model *compile(const carom_def *def, carom_error *error) {
  jmp_buf out_of_memory;
  carom_model *volatile model = calloc(1, sizeof *model);
  bool failed = !model;
  if (setjmp(out_of_memory)) failed = true;
  if (failed) {
    carom_model_destroy(model);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory while building the model");
    return NULL;
  }
  model->memory = arena_create(&out_of_memory);
  model->scratch = arena_create(&out_of_memory);
  builder b = {.model = model, .def = def, .memory = &model->memory, .error = error};
  if (!build(&b)) {
    carom_model_destroy(model);
    return NULL;
  }
  model->memory.out_of_memory = NULL;
  arena_free(&model->scratch);
  return model;
}

carom_model *carom_model_compile(const carom_def *def, carom_error *error) {
  carom_error own;
  return compile(def, error_use(error, &own));
}

void carom_model_destroy(carom_model *model) {
  if (!model) return;
  carom_def_destroy(model->def);
  arena_free(&model->memory);
  arena_free(&model->scratch);
  free(model);
}

static carom_model *load(const char *path, const char *text, const carom_setting *settings, int count,
                         carom_error *error) {
  carom_model_def about = carom_model_default(CAROM_SPATIAL);
  jmp_buf out_of_memory;
  carom_def *volatile def = carom_def_create(&about);
  bool failed = !def;
  if (setjmp(out_of_memory)) failed = true;
  if (failed) {
    carom_def_destroy(def);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory while reading '%s'", path);
    return NULL;
  }
  def->memory.out_of_memory = &out_of_memory;
  const document *d =
      document_load(&def->memory, path, text, text ? strlen(text) : 0, (const assignment *)settings, count, error);
  bool read = d && definition_read(def, d, error);
  char *list = arena_copy_text(&def->memory, "");
  for (int i = 0; i < count; i++)
    list = arena_print(&def->memory, "%s%s = %s\n", list, assign_name(settings[i].name), settings[i].value);
  def->settings = list;
  def->memory.out_of_memory = NULL;
  carom_model *model = read ? compile(def, error) : NULL;
  if (model) model->def = def;
  else carom_def_destroy(def);
  return model;
}

carom_model *carom_model_load(const char *path, const carom_setting *settings, int count, carom_error *error) {
  carom_error own;
  return load(path, NULL, settings, count, error_use(error, &own));
}

carom_model *carom_model_parse(const char *text, const char *name, carom_error *error) {
  carom_error own;
  return load(name, text, NULL, 0, error_use(error, &own));
}

carom_model *carom_model_parse_with(const char *text, const char *name, const carom_setting *settings, int count,
                                    carom_error *error) {
  carom_error own = {0};
  error_clear(error);
  return load(name, text, settings, count, error ? error : &own);
}
