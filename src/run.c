// A whole run: loop, record, progress, and a file that is good whatever happens.
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "checkpoint.h"
#include "contact/crowd.h"
#include "mechanics/dynamics.h"
#include "mechanics/signal.h"
#include "scene.h"
#include "summary.h"

// --- a run under way ----------------------------------------------------------------------------------------------

static double seconds_since(struct timespec t) {
  struct timespec n;
  clock_gettime(CLOCK_MONOTONIC, &n);
  return (double)(n.tv_sec - t.tv_sec) + 1e-9 * (double)(n.tv_nsec - t.tv_nsec);
}

static void sort_signals(run *r) {
  for (int i = 0; i < sim_signal_count(r->model); i++) {
    if (!run_is_recorded(r->model, i)) continue;
    group *g = &r->groups[run_group_of(r->model, i)];
    *ARENA_PUSH(&r->memory, g->signals, g->count, g->capacity) = i;
    if (run_is_in_csv(r->model, i))
      *ARENA_PUSH(&r->memory, r->csv_columns.signals, r->csv_columns.count, r->csv_columns.capacity) = i;
  }
}

// One word per signal of a group, as one of the functions on signals says it.
static const char **words_of(run *r, const group *g, const char *(*word)(const carom_model *model, int signal)) {
  const char **words = ARENA_ARRAY(&r->memory, const char *, g->count + 1);
  for (int k = 0; k < g->count; k++) words[k] = word(r->model, g->signals[k]);
  return words;
}

// The values the parameters took.
static const char *list_parameters(run *r) {
  const parameters *all = r->model->def->text->parameters;
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  for (int i = 0; i < all->count; i++) {
    const parameter *p = &all->items[i];
    if (p->is_number) arena_append(&r->memory, &list, "%s = %.17g\n", p->name, p->number);
    else arena_append(&r->memory, &list, "%s = %s\n", p->name, p->text);
  }
  return list.text;
}

// What the column `point` of the impacts counts: a line each with the name of the pair and, after a tab, which of its points.
static const char *list_points(run *r) {
  const contact_world *s = &r->model->contacts;
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  for (int i = 0; i < s->element_count; i++)
    for (int k = 0; k < s->elements[i].point_count; k++)
      arena_append(&r->memory, &list, "%s\t%s\n", s->elements[i].name, contact_point_name(&r->model->m, &s->elements[i], k));
  return list.text;
}

// What tells the content of each from another.
static const char *list_mesh_files(run *r) {
  const drawing *d = &r->model->drawing;
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  for (int i = 0; i < d->file_count; i++) arena_append(&r->memory, &list, "%s = %s\n", d->files[i]->name, d->files[i]->digest);
  return list.text;
}

static const char *list_table_files(run *r) {
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  for (int i = 0; i < r->model->table_file_count; i++)
    arena_append(&r->memory, &list, "%s = %s\n", r->model->table_files[i].name, r->model->table_files[i].digest);
  return list.text;
}

// Points of pairs that are not listed have numbers behind these: so many for each pair of surfaces a < b, a (surfaces) + b. A line with that
// number, then one for each surface: its name and, after a tab, its shape.
static const char *list_surfaces(run *r) {
  const contact_world *w = &r->model->contacts;
  arena_text list = {0};
  arena_append(&r->memory, &list, "%d\n", CONTACT_POINTS_MAX);
  for (int i = 0; i < w->surface_count; i++) arena_append(&r->memory, &list, "%s\t%d\n", w->surfaces[i].name, (int)w->surfaces[i].shape);
  return list.text;
}

typedef struct shape_pairs {
  const contact_world *w;
  bool areas[SHAPE_COUNT][SHAPE_COUNT];  // touch with areas, where any of their pairs does; the smaller first
} shape_pairs;

static void note_area(shape_pairs *p, const contact_element *e) {
  if (!e->type->overlap) return;
  shape a = p->w->surfaces[e->surface[0]].shape, b = p->w->surfaces[e->surface[1]].shape;
  p->areas[a < b ? a : b][a < b ? b : a] = true;
}

static void find_areas(shape_pairs *p, const mechanism *m) {
  contact_element e;
  for (int i = 0; i < p->w->element_count; i++) note_area(p, &p->w->elements[i]);
  for (int i = 0; p->w->crowd && i < p->w->crowd->class_count; i++)
    for (int k = i; k < p->w->crowd->class_count; k++)
      if (contact_crowd_sample(p->w, m, i, k, &e)) note_area(p, &e);
}

// The names of the points of two shapes with several, a line each: both shapes and the names, with tabs between. An area has one.
static const char *list_pair_points(run *r) {
  const contact_world *w = &r->model->contacts;
  const mechanism *m = &r->model->m;
  const contact_surface *of[SHAPE_COUNT] = {0};
  shape_pairs pairs = {.w = w};
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  find_areas(&pairs, m);
  for (int i = 0; i < w->surface_count; i++) {  // those with most corners: the others have the first of the names
    const contact_surface *s = &w->surfaces[i], **most = &of[s->shape];
    bool more = *most && ((s->form && (!(*most)->form || s->form->point_count > (*most)->form->point_count)) ||
                          (s->outline && s->outline->curved_count > (*most)->outline->curved_count));
    if (!*most || more) *most = s;
  }
  for (int a = 0; a < SHAPE_COUNT; a++)
    for (int b = a; b < SHAPE_COUNT; b++) {
      if (!of[a] || !of[b] || !contact_is_supported(m, of[a], of[b])) continue;
      contact_element e = contact_pair(m, of[a], of[b]);
      if (pairs.areas[a][b]) arena_append(&r->memory, &list, "%d\t%d\tcentre of pressure\n", a, b);
      if (e.point_count < 2 || pairs.areas[a][b]) continue;
      arena_append(&r->memory, &list, "%d\t%d", a, b);
      for (int k = 0; k < e.point_count; k++) arena_append(&r->memory, &list, "\t%s", contact_point_name(m, &e, k));
      arena_append(&r->memory, &list, "\n");
    }
  return list.text;
}

// The text of every file the model was read from, its parameters and what was set on top.
static record_text *describe(run *r, int *count) {
  const carom_def *def = r->model->def;
  int used = 0;
  record_text *texts = ARENA_ARRAY(&r->memory, record_text, 16 + (def && def->text ? def->text->source_count : 0));
  texts[used++] = (record_text){"version", CAROM_VERSION};
  texts[used++] = (record_text){"checkpoint_version", CHECKPOINT_VERSION};
  texts[used++] = (record_text){"title", r->model->about.title ? r->model->about.title : ""};
  texts[used++] = (record_text){"scene", scene_write(&r->memory, r->model)};
  texts[used++] = (record_text){"method", r->model->scheme->name};
  texts[used++] = (record_text){"integrator", carom_model_get_info(r->model).integrator};
  if (r->model->drawing.file_count) texts[used++] = (record_text){"mesh_files", list_mesh_files(r)};
  if (r->model->table_file_count) texts[used++] = (record_text){"table_files", list_table_files(r)};
  if (contact_can_touch(&r->model->contacts)) texts[used++] = (record_text){"impact_points", list_points(r)};
  if (r->model->contacts.crowd) texts[used++] = (record_text){"impact_surfaces", list_surfaces(r)};
  if (r->touches.table >= 0) {
    texts[used++] = (record_text){"touch_surfaces", run_list_touch_surfaces(r)};
    texts[used++] = (record_text){"touch_pairs", run_list_touch_pairs(r)};
  }
  if (r->model->contacts.crowd || r->touches.table >= 0) texts[used++] = (record_text){"impact_pair_points", list_pair_points(r)};
  if (r->options->resume && !r->continues) texts[used++] = (record_text){"resumed_from", r->options->resume};
  *count = used;
  if (!def || !def->text) return texts;
  texts[used++] = (record_text){"model", def->text->main->text};
  texts[used++] = (record_text){"parameters", list_parameters(r)};
  texts[used++] = (record_text){"settings", def->settings};
  for (int i = 1; i < def->text->source_count; i++)
    texts[used++] = (record_text){arena_print(&r->memory, "include%d", i), def->text->sources[i]->text};
  *count = used;
  return texts;
}

// What ended becomes a row; a failure to write shows at the next row of the frame.
static void write_ended(run *r, int table, const char *const *columns, int count, const double *row, double start) {
  carom_error ignored = {0};
  if (r->file && table >= 0) record_append(r->file, table, row, &ignored);
  for (int k = 0; k < count; k++)
    if (!isfinite(row[k])) sim_note_non_finite(r->sim, columns[k], start);
}

static void write_impact(void *context, const impact *row) {
  run *r = context;
  write_ended(r, r->impact_table, impact_columns, IMPACT_COLUMN_COUNT, (const double *)row, row->start);
}

static void write_episode(void *context, const episode_row *row) {
  run *r = context;
  write_ended(r, r->episode_table, episode_columns, EPISODE_COLUMN_COUNT, (const double *)row, row->start);
}

static void write_regime(void *context, const regime_row *row) {
  run *r = context;
  write_ended(r, r->regime_table, regime_columns, REGIME_COLUMN_COUNT, (const double *)row, row->start);
}

// Checks record and CSV file before anything is written: no file of the model, no run that is resumed (unless it is continued),
// and not each other.
static bool guard_files(run *r) {
  const carom_run_options *o = r->options;
  int sources = 0, count = 0;
  while (carom_model_file(r->model, sources)) sources++;
  const char **spared = ARENA_ARRAY(&r->memory, const char *, sources + 2);
  for (; count < sources; count++) spared[count] = carom_model_file(r->model, count);
  if (!r->continues) spared[count++] = o->resume;
  carom_output record = {.path = o->record, .kind = CAROM_FILE_RECORD, .inputs = spared, .input_count = count, .force = o->force};
  if (o->record && carom_output_check(&record, r->error) != CAROM_OK) return false;
  spared[count++] = o->record;
  carom_output text = {.path = o->csv, .kind = CAROM_FILE_CSV, .inputs = spared, .input_count = count, .force = o->force};
  return !o->csv || carom_output_check(&text, r->error) == CAROM_OK;
}

static void tell_missing(run *r, const char *table) {
  // Tables that a setting adds can be left out again.
  static const struct { const char *table, *setting; } added[] = {{"touch_times", "record.touches=false"}, {"touches", "record.touches=false"},
                                                                  {"regimes", "record.regimes=false"}};
  const char *setting = NULL;
  for (size_t i = 0; i < sizeof added / sizeof *added; i++)
    if (strcmp(added[i].table, table) == 0) setting = added[i].setting;
  error_set(r->error, CAROM_ERROR_USAGE, "'%s' cannot be continued: it has no table '%s'; %s%s%sresume into a new file", r->options->resume, table,
            setting ? "set " : "", setting ? setting : "", setting ? " or " : "");
}

// Rows of the earlier run can only be copied into tables like its own.
static bool check_columns(run *r, const record_table *tables, int count) {
  for (int i = 0; i < count; i++) {
    int table = record_find_table(r->earlier, tables[i].name);
    if (table < 0) return tell_missing(r, tables[i].name), false;
    record_table old = record_get_table(r->earlier, table);
    bool same = old.column_count == tables[i].column_count;
    for (int k = 0; same && k < old.column_count; k++) same = strcmp(old.columns[k], tables[i].columns[k]) == 0;
    if (!same)
      return error_set(r->error, CAROM_ERROR_USAGE, "'%s' cannot be continued: its table '%s' has other columns; resume into a new file",
                       r->options->resume, tables[i].name), false;
  }
  return true;
}

// No table of the earlier run may be left behind: the continued record takes the place of its file.
static bool keeps_tables(run *r, const record_table *tables, int count) {
  for (int i = 0; i < record_table_count(r->earlier); i++) {
    const char *name = record_get_table(r->earlier, i).name;
    int k = 0;
    while (k < count && strcmp(tables[k].name, name) != 0) k++;
    if (k == count)
      return error_set(r->error, CAROM_ERROR_USAGE, "'%s' cannot be continued: the rows of its table '%s' would be lost; record it as before or resume into a new file",
                       r->options->resume, name), false;
  }
  return true;
}

static bool open_record(run *r) {
  r->touches.table = r->touches.times = -1;
  if (!r->options->record) return true;
  record_table tables[GROUP_COUNT + 7];
  int count = 0;
  for (int g = 0; g < GROUP_COUNT; g++) {
    r->tables[g] = -1;
    if (!r->groups[g].count) continue;
    r->tables[g] = count;
    tables[count++] = (record_table){.name = run_group_names[g], .column_count = r->groups[g].count,
                                     .columns = words_of(r, &r->groups[g], carom_model_signal_name),
                                     .units = words_of(r, &r->groups[g], carom_model_signal_unit),
                                     .sampling = words_of(r, &r->groups[g], carom_model_signal_sampling)};
  }
  int size = sim_checkpoint_size(r->sim);
  const char **columns = checkpoint_names(r->sim, &r->memory), **units = ARENA_ARRAY(&r->memory, const char *, size);
  for (int k = 0; k < size; k++) units[k] = "";
  r->impact_table = r->episode_table = r->regime_table = -1;
  if (contact_can_touch(&r->model->contacts)) {
    r->impact_table = count;
    tables[count++] = (record_table){.name = "impacts", .columns = impact_columns, .units = impact_units,
                                     .column_count = IMPACT_COLUMN_COUNT};
    r->episode_table = count;
    tables[count++] = (record_table){.name = "episodes", .columns = episode_columns, .units = episode_units,
                                     .column_count = EPISODE_COLUMN_COUNT};
  }
  if (contact_can_touch(&r->model->contacts) && r->model->record.regimes) {
    r->regime_table = count;
    tables[count++] = (record_table){.name = "regimes", .columns = regime_columns, .units = regime_units,
                                     .column_count = REGIME_COLUMN_COUNT};
  }
  bool touches = run_touch_tables(r->model, tables + count) > 0;
  r->touches.times = touches ? count++ : -1, r->touches.table = touches ? count++ : -1;
  r->pair_table = -1;
  if (r->model->contacts.crowd) {
    r->pair_table = count;
    tables[count++] = run_pair_table(r);
  }
  r->checkpoint_table = count;
  tables[count++] = (record_table){.name = "checkpoint", .columns = columns, .units = units, .column_count = size};
  r->checkpoint = ARENA_ARRAY(&r->memory, double, size);
  int text_count;
  record_text *texts = describe(r, &text_count);
  record_settings settings = {.compression = r->model->record.compression, .flush_interval = 1, .name = r->options->record};
  const char *path = r->options->record;
  if (r->continues) {
    if (!check_columns(r, tables, count) || !keeps_tables(r, tables, count) || !output_begin(&r->beside, path, r->error)) return false;
    path = r->beside.place;
  }
  r->file = record_create(path, tables, count, texts, text_count, &settings, r->error);
  return r->file != NULL;
}

static bool open_csv(run *r) {
  if (!r->options->csv) return true;
  r->text = csv_create(r->options->csv, words_of(r, &r->csv_columns, carom_model_signal_name), r->csv_columns.count, r->error);
  if (r->text && r->options->csv_units) csv_put_units(r->text, words_of(r, &r->csv_columns, carom_model_signal_unit));
  return r->text != NULL;
}

// --- when rows are written ----------------------------------------------------------------------------------------

// The first multiple of `every` that is not reached at t.
static double next_multiple(double every, double t) {
  double k = floor(t / every) - 1;
  while (every * k <= t * (1 + 1e-14)) k++;
  return k;
}

static schedule schedule_from(double every, double t) {
  return (schedule){every, every > 0 ? every * next_multiple(every, t) : every < 0 ? INFINITY : t};
}

bool schedule_has(const schedule *s, double t) { return s->every == 0 || (s->every > 0 && s->every * (next_multiple(s->every, t) - 1) >= t); }

// When the next row is due within the step that ends at t; infinite if none is.
static double schedule_due(const schedule *s, double t) {
  if (s->every > 0) return s->next <= t * (1 + 1e-14) ? fmin(s->next, t) : INFINITY;
  return s->next < t ? t : INFINITY;
}

static void schedule_advance(schedule *s, double t) { s->next = s->every > 0 ? s->every * (floor(s->next / s->every + 0.5) + 1) : t; }

// --- rows ---------------------------------------------------------------------------------------------------------

static void gather(const group *g, const double *all, double *row) {
  for (int k = 0; k < g->count; k++) row[k] = all[g->signals[k]];
}

// The state the sim shows now, once. Without a file the row is only checked for numbers that are not finite.
static carom_status write_row(run *r) {
  if (r->sim->x->t <= r->last_row) return CAROM_OK;
  r->last_row = r->sim->x->t;
  const double *all = sim_read_all(r->sim);
  sim_check_row(r->sim, all);
  carom_status status = CAROM_OK;
  for (int g = 0; r->file && g < GROUP_COUNT && status == CAROM_OK; g++) {
    if (r->tables[g] < 0) continue;
    gather(&r->groups[g], all, r->values);
    status = record_append(r->file, r->tables[g], r->values, r->error);
  }
  if (r->text && status == CAROM_OK) {
    gather(&r->csv_columns, all, r->values);
    status = csv_append(r->text, r->values, r->error);
  }
  return status;
}

// Whether rows are written, or outputs can lack a value at any of them.
static bool needs_rows(const run *r) { return r->file || r->text || r->model->output_count; }

// The end of a step where nothing needs the row itself. To read it takes as long as a step: it is read only where the ledger
// has looked at the state, and a number of either is not finite, to name the column. (A state that is not finite ends the run.)
static carom_status check_step(run *r) {
  return sim_has_booked(r->sim) && !sim_is_finite(r->sim) ? write_row(r) : CAROM_OK;
}

static carom_status write_checkpoint(run *r) {
  if (!r->file) return CAROM_OK;
  if (!sim_evaluate(r->sim, r->error)) {  // measures the joints at this state, too
    char why[256];
    dynamics_explain(&r->model->m, r->sim->x, why, sizeof why);
    return error_set(r->error, CAROM_ERROR_SINGULAR, "no checkpoint can be written at t = %g s: %s", carom_sim_time(r->sim), why);
  }
  sim_checkpoint(r->sim, r->checkpoint);
  carom_status status = run_write_pairs(r);
  r->checkpoints++;
  return status == CAROM_OK ? record_append(r->file, r->checkpoint_table, r->checkpoint, r->error) : status;
}

// The rows that fell due within the last step, or at its end.
static carom_status write_due(run *r, double t) {
  carom_status status = CAROM_OK;
  double due;
  while (status == CAROM_OK && (due = fmin(schedule_due(&r->rows, t), schedule_due(&r->touch_times, t))) <= t) {
    bool row = schedule_due(&r->rows, t) <= due, touches = schedule_due(&r->touch_times, t) <= due;
    if (due < t) status = sim_show(r->sim, due, r->error);
    else sim_show_end(r->sim);
    if (status == CAROM_OK && row) status = write_row(r);
    if (status == CAROM_OK && touches) status = run_write_touches(r);
    if (row) schedule_advance(&r->rows, t);
    if (touches) schedule_advance(&r->touch_times, t);
    if (status == CAROM_OK && interrupted(&r->sim->stop))
      status = error_set(r->error, CAROM_INTERRUPTED, "interrupted at t = %g s", t);
  }
  sim_show_end(r->sim);
  return status;
}

// Rows of the last step, and a checkpoint if one is due.
static carom_status write_step(run *r) {
  double t = carom_sim_time(r->sim);
  carom_status status = needs_rows(r) ? write_due(r, t) : check_step(r);
  double between = r->model->record.checkpoint;
  if (status == CAROM_OK && between > 0 && t >= r->next_checkpoint * (1 - 1e-12)) {
    status = write_checkpoint(r);
    if (status == CAROM_OK && r->file) status = record_flush(r->file, r->error);  // what a kill may leave behind
    r->next_checkpoint = between * (floor(t / between + 1e-9) + 1);
  }
  return status;
}

// --- resume -------------------------------------------------------------------------------------------------------

// Settings that may differ between the parts of a run: how far it goes, how, and what is kept of it.
static bool may_change(const char *setting) {
  static const char *const keys[] = {"end", "integrator", "record"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    size_t length = strlen(keys[i]);
    if (strncmp(setting, keys[i], length) == 0 && (setting[length] == ' ' || setting[length] == '.')) return true;
  }
  return false;
}

static const char *settings_that_bind(run *r, const char *settings) {
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  while (settings && *settings) {
    int length = (int)strcspn(settings, "\n");
    if (!may_change(settings)) arena_append(&r->memory, &list, "%.*s\n", length, settings);
    settings += length + (settings[length] == '\n');
  }
  return list.text;
}

static bool equal(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

// The line of a list of `name = value` that begins with the name of another line; null if there is none.
static const char *find_line(const char *list, const char *line) {
  size_t length = strcspn(line, "=\n");
  while (*list) {
    if (strncmp(list, line, length) == 0) return list;
    list += strcspn(list, "\n"), list += *list == '\n';
  }
  return NULL;
}

// The first line of a list that is not in the other, with what the other has for it. Null if all are.
static const char *first_difference(const char *list, const char *other, const char **there) {
  while (*list) {
    size_t length = strcspn(list, "\n");
    *there = find_line(other, list);
    if (!*there || strcspn(*there, "\n") != length || strncmp(*there, list, length) != 0) return list;
    list += length + (list[length] == '\n');
  }
  *there = NULL;
  return NULL;
}

static bool same_values(run *r, const char *kind, const char *before, const char *now) {
  if (equal(before, now)) return true;
  const char *was = NULL, *is = first_difference(now, before ? before : "", &was);
  if (!is) was = first_difference(before ? before : "", now, &is);
  if (!is && !was)  // a later one may replace what an earlier one has set
    return error_set(r->error, CAROM_ERROR_USAGE, "'%s' was run with its settings in another order; resume with the same order", r->options->resume), false;
  const char *line = is ? is : was;
  const char *old = was ? arena_print(&r->memory, "with '%.*s'", (int)strcspn(was, "\n"), was) : "without it";
  const char *present = is ? arena_print(&r->memory, "'%.*s'", (int)strcspn(is, "\n"), is) : "not given";
  return error_set(r->error, CAROM_ERROR_USAGE,
                   "'%s' was run with other settings: %s '%.*s' is now %s, and the record was made %s; resume with the same settings, or run the "
                   "model from the start",
                   r->options->resume, kind, (int)strcspn(line, " =\n"), line, present, old), false;
}

static bool same_files(run *r, const char *before, const char *now) {
  const char *there;
  const char *other = first_difference(now, before ? before : "", &there);
  return !other || (error_set(r->error, CAROM_ERROR_USAGE, "'%s' was run with another content of '%.*s'; resume with the same files",
                              r->options->resume, (int)(strcspn(other, "=") - 1), other), false);
}

static bool same_model(run *r, record_reader *in) {
  const carom_def *def = r->model->def;
  bool same = def && def->text && equal(record_get_text(in, "model"), def->text->main->text);
  for (int i = 1; same && i < def->text->source_count; i++)
    same = equal(record_get_text(in, arena_print(&r->memory, "include%d", i)), def->text->sources[i]->text);
  if (!same)
    return error_set(r->error, CAROM_ERROR_USAGE, "'%s' is the record of another model; resume with the same files",
                     r->options->resume), false;
  return same_values(r, "parameter", record_get_text(in, "parameters"), list_parameters(r)) && same_files(r, record_get_text(in, "mesh_files"), list_mesh_files(r)) &&
         same_files(r, record_get_text(in, "table_files"), list_table_files(r)) &&
         same_values(r, "setting", settings_that_bind(r, record_get_text(in, "settings")), settings_that_bind(r, def->settings));
}

// Checkpoints were not numbered before version 2.
static bool same_fields(run *r, record_reader *in, int table) {
  const record_table old = record_get_table(in, table);
  const char *version = record_get_text(in, "checkpoint_version"), **names = checkpoint_names(r->sim, &r->memory);
  const int size = sim_checkpoint_size(r->sim);
  if (!version) version = "1";
  if (!equal(version, CHECKPOINT_VERSION))
    return error_set(r->error, CAROM_ERROR_USAGE, "'%s' cannot be resumed: its checkpoints are of version %s, and this carom reads version %s. "
                     "Reports, exports and comparisons of it work; run the model from its start to go further",
                     r->options->resume, version, CHECKPOINT_VERSION), false;
  for (int k = 0; k < size && k < old.column_count; k++)
    if (!equal(names[k], old.columns[k]))
      return error_set(r->error, CAROM_ERROR_USAGE, "'%s' has the state of another model or method: its checkpoint holds '%s' in place of '%s'; "
                       "resume with the same model and settings", r->options->resume, old.columns[k], names[k]), false;
  if (old.column_count == size) return true;
  return error_set(r->error, CAROM_ERROR_USAGE, "'%s' holds the state of a model of another size; resume with the same model and settings", r->options->resume), false;
}

static bool resume(run *r) {
  if (!r->options->resume) return true;
  record_reader *in = record_open(r->options->resume, r->error);
  if (!in) return false;
  bool done = false;
  int size = sim_checkpoint_size(r->sim), table = record_find_table(in, "checkpoint");
  long rows = table < 0 ? 0 : record_rows(in, table);
  if (!same_model(r, in)) {
  } else if (rows < 1) {
    error_set(r->error, CAROM_ERROR_USAGE, "'%s' holds no checkpoint to resume from; set 'record: {checkpoint: ...}' and run it again", r->options->resume);
  } else if (same_fields(r, in, table)) {
    double *row = ARENA_ARRAY(&r->memory, double, size);
    done = record_read(in, table, rows - 1, 1, row, r->error) == CAROM_OK && sim_resume(r->sim, row, r->error) == CAROM_OK &&
           run_resume_pairs(r, in, rows - 1);
  }
  if (done && r->continues && record_is_running(in)) {
    error_set(r->error, CAROM_ERROR_USAGE, "'%s' cannot be continued: its run has not ended yet", r->options->resume);
    done = false;
  }
  if (done && r->continues) r->earlier = in;
  else record_close(in);
  return done;
}

// --- going on in the same record ----------------------------------------------------------------------------------

enum { ROWS_AT_ONCE = 256 };

// How many rows to keep: those until the checkpoint; one at the checkpoint itself only if a run in one piece has it too. After a kill some tables may be a row ahead of others.
static long count_frames(run *r, double t) {
  long rows = -1;
  for (int g = 0; g < GROUP_COUNT; g++) {
    if (r->tables[g] < 0) continue;
    long here = record_rows(r->earlier, record_find_table(r->earlier, run_group_names[g]));
    if (rows < 0 || here < rows) rows = here;
  }
  double block[ROWS_AT_ONCE];
  int time = record_find_table(r->earlier, run_group_names[GROUP_TIME]);
  for (long first = 0; first < rows; first += ROWS_AT_ONCE) {
    long n = rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE;
    if (record_read(r->earlier, time, first, n, block, r->error) != CAROM_OK) return -1;
    for (long i = 0; i < n; i++) {
      if (block[i] < t || (block[i] == t && schedule_has(&r->rows, t))) r->last_row = block[i];
      else return first + i;
    }
  }
  return rows;
}

// The rows of all tables of frames, into the record and the CSV file.
static carom_status copy_frames(run *r, long rows) {
  double *blocks[GROUP_COUNT] = {0}, *all = ARENA_ARRAY(&r->memory, double, sim_signal_count(r->model));
  carom_status status = CAROM_OK;
  for (int g = 0; g < GROUP_COUNT; g++)
    if (r->tables[g] >= 0) blocks[g] = ARENA_ARRAY(&r->memory, double, (size_t)r->groups[g].count * ROWS_AT_ONCE);
  for (long first = 0; first < rows && status == CAROM_OK; first += ROWS_AT_ONCE) {
    long n = rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE;
    for (int g = 0; g < GROUP_COUNT && status == CAROM_OK; g++)
      if (blocks[g]) status = record_read(r->earlier, record_find_table(r->earlier, run_group_names[g]), first, n, blocks[g], r->error);
    for (long i = 0; i < n && status == CAROM_OK; i++) {
      for (int g = 0; g < GROUP_COUNT && status == CAROM_OK; g++) {
        if (!blocks[g]) continue;
        const double *row = blocks[g] + i * r->groups[g].count;
        for (int k = 0; k < r->groups[g].count; k++) all[r->groups[g].signals[k]] = row[k];
        status = record_append(r->file, r->tables[g], row, r->error);
      }
      if (r->text && status == CAROM_OK) {
        gather(&r->csv_columns, all, r->values);
        status = csv_append(r->text, r->values, r->error);
      }
    }
  }
  return status;
}

// What was over at the checkpoint. What was still open goes on, and gets its row when it ends.
static bool impact_is_over(const run *r, const double *of, double t) {
  const impact_ledger *l = &r->sim->impacts;
  const impact *row = (const impact *)of;
  CONTACT_EACH_POINT(r->sim->contacts, p)
    if (l->is_open[p] && l->place[p].id == row->point && l->open[p].start == row->start) return false;
  return row->end <= t;
}

static bool episode_is_over(const run *r, const double *of, double t) {
  const episode_row *row = (const episode_row *)of;
  for (int i = 0; i < r->sim->contacts->element_count; i++) {
    const impact_pair *pair = &r->sim->impacts.pairs[r->sim->contacts->elements[i]->slot];
    if (pair->is_open && pair->row.pair == row->pair && pair->row.start == row->start) return false;
  }
  return row->end <= t;
}

static bool regime_is_over(const run *r, const double *of, double t) {
  const regime_row *row = (const regime_row *)of;
  for (int i = 0; i < r->sim->contacts->element_count; i++) {
    const impact_pair *pair = &r->sim->impacts.pairs[r->sim->contacts->elements[i]->slot];
    double since = isnan(pair->since) ? r->sim->impacts.started : pair->since;  // infinite where the pair has not touched: nothing of it is open
    if (pair->row.pair == row->pair) return row->end <= t && row->end <= since;
  }
  return row->end <= t;
}

static carom_status copy_ended(run *r, const char *name, int to, bool (*is_over)(const run *r, const double *row, double t), double t) {
  int table = record_find_table(r->earlier, name);
  long rows = to < 0 ? 0 : record_rows(r->earlier, table);
  carom_status status = CAROM_OK;
  for (long i = 0; i < rows && status == CAROM_OK; i++) {
    double row[IMPACT_COLUMN_COUNT];
    status = record_read(r->earlier, table, i, 1, row, r->error);
    if (status == CAROM_OK && is_over(r, row, t)) status = record_append(r->file, to, row, r->error);
  }
  return status;
}

// A run that was not killed wrote its last checkpoint since it ended there.
static carom_status copy_checkpoints(run *r) {
  int table = record_find_table(r->earlier, "checkpoint");
  bool killed = equal(record_get_text(r->earlier, "summary"), "running");
  long rows = record_rows(r->earlier, table) - !killed;
  carom_status status = CAROM_OK;
  for (long i = 0; i < rows && status == CAROM_OK; i++) {
    status = record_read(r->earlier, table, i, 1, r->checkpoint, r->error);
    if (status == CAROM_OK) status = record_append(r->file, r->checkpoint_table, r->checkpoint, r->error);
  }
  r->checkpoints = rows;
  return status;
}

// What the earlier run has recorded until its last checkpoint.
static carom_status copy_earlier(run *r) {
  double t = carom_sim_time(r->sim);
  long frames = count_frames(r, t);
  carom_status status = frames < 0 ? r->error->status : copy_frames(r, frames);
  if (status == CAROM_OK) status = copy_ended(r, "impacts", r->impact_table, impact_is_over, t);
  if (status == CAROM_OK) status = copy_ended(r, "episodes", r->episode_table, episode_is_over, t);
  if (status == CAROM_OK) status = copy_ended(r, "regimes", r->regime_table, regime_is_over, t);
  if (status == CAROM_OK) status = run_copy_touches(r, t);
  if (status == CAROM_OK) status = copy_checkpoints(r);
  if (status == CAROM_OK) status = run_copy_pairs(r);
  record_close(r->earlier);
  r->earlier = NULL;
  return status;
}

// --- the run ------------------------------------------------------------------------------------------------------

// Also asked within a step, while the motion may be anywhere.
static bool go_on(void *context) {
  const run *r = context;
  carom_progress p = {.t_end = r->t_end, .wall_s = seconds_since(r->began)};
  if (r->sim) {
    carom_summary s = carom_sim_summary(r->sim);
    p.t = s.t, p.steps = s.steps;
  }
  return r->options->progress(r->options->context, &p);
}

// What a run shows where it begins. One that is continued has shown it, unless it ended there by chance.
static carom_status write_start(run *r) {
  double t = carom_sim_time(r->sim);
  carom_status status = r->continues && !schedule_has(&r->rows, t) ? CAROM_OK : write_row(r);
  return status != CAROM_OK || (r->continues && !schedule_has(&r->touch_times, t)) ? status : run_write_touches(r);
}

static carom_status loop(run *r) {
  carom_status status = write_start(r);
  sim_pace pace = {.t = carom_sim_time(r->sim)};
  while (status == CAROM_OK && carom_sim_time(r->sim) < r->t_end) {
    status = sim_take_step(r->sim, r->t_end, r->error);
    if (status == CAROM_OK) status = write_step(r);
    if (status == CAROM_OK) status = sim_check_progress(r->sim, &pace, r->t_end, r->error);
  }
  // the last state is always there, and can be gone on from
  if (status != CAROM_ERROR_FILE) {
    carom_error ignored = {0};
    carom_error *keep = r->error;
    r->error = status == CAROM_OK ? keep : &ignored;
    sim_show_end(r->sim);
    r->sim->ends = !schedule_has(&r->rows, carom_sim_time(r->sim));
    carom_status written = write_row(r);
    if (written == CAROM_OK) written = run_write_touches(r);
    if (written == CAROM_OK) written = write_checkpoint(r);  // with its open episodes, which a resumed run goes on with
    sim_close_episodes(r->sim);
    r->error = keep;
    if (status == CAROM_OK) status = written;
  }
  return status;
}

static void fill_summary(const run *r, carom_status status, carom_summary *summary) {
  *summary = carom_sim_summary(r->sim);
  summary->status = status;
  summary->wall_s = seconds_since(r->began);
  summary->steps_per_s = summary->wall_s > 0 ? (double)(summary->steps - r->steps_before) / summary->wall_s : 0;
}

// The summary as it is recorded: with the reason when the run did not reach its end.
static const char *recorded_summary(run *r, carom_status status, const carom_summary *summary) {
  json_writer w = json_begin(&r->memory);
  summary_write(&w, summary, status == CAROM_OK ? NULL : r->error->message);
  return w.out.text;
}

static carom_status close_files(run *r, carom_status status, const carom_summary *summary) {
  const char *text = recorded_summary(r, status, summary);
  carom_status closed = CAROM_OK;
  if (r->text) closed = csv_finish(r->text, status == CAROM_OK ? r->error : NULL);
  r->text = NULL;
  if (r->file && status == CAROM_ERROR_FILE) {
    record_abandon(r->file);
  } else if (r->file) {
    carom_status finished = record_finish(r->file, text, status == CAROM_OK && closed == CAROM_OK ? r->error : NULL);
    if (closed == CAROM_OK) closed = finished;
  }
  r->file = NULL;
  if (r->continues) {
    carom_status moved = output_end(&r->beside, status != CAROM_ERROR_FILE && closed == CAROM_OK, status == CAROM_OK ? r->error : NULL);
    if (closed == CAROM_OK) closed = moved;
  }
  return status == CAROM_OK ? closed : status;
}

static bool check_interval(run *r, const char *key, double every, double t, const char *each_step) {
  double least = RECORD_EVERY_LEAST * r->t_end;
  if (!(every > 0) || every >= least) return true;
  return error_set(r->error, CAROM_ERROR_USAGE, "record.%s is %g s, which makes %.1e rows until the end at %g s; give it %g s or more, or %s", key, every,
                   (r->t_end - t) / every, r->t_end, least, each_step), false;
}

static bool check_rows(run *r, double t) {
  return check_interval(r, "every", r->model->record.every, t, "0 for a row per step") &&
         check_interval(r, "touches", r->model->record.touches, t, "true for the times of the other rows");
}

static carom_status execute(run *r, carom_summary *summary) {
  r->sim = sim_create(r->model, r->options->progress ? go_on : NULL, r, r->error);
  if (!r->sim) return r->error->status;
  if (r->options->threads != 0) {
    carom_status set = carom_sim_set_threads(r->sim, r->options->threads, r->error);
    if (set != CAROM_OK) return set;
  }
  int most = sim_signal_count(r->model);
  r->values = ARENA_ARRAY(&r->memory, double, most);
  sort_signals(r);
  if (r->options->prepare && r->options->prepare(r->options->context, r->sim, r->error) != CAROM_OK)
    return error_set(r->error, CAROM_ERROR_USAGE, "the simulation could not be prepared"), r->error->status;
  if (!resume(r)) return r->error->status;
  // before a file of an earlier run is written over
  double t = carom_sim_time(r->sim);
  r->steps_before = carom_sim_summary(r->sim).steps;
  if (!(isfinite(r->options->end) && r->options->end >= 0))
    return error_set(r->error, CAROM_ERROR_USAGE, "the end is %g s, but must be finite and not negative", r->options->end);
  if (!(r->t_end > t))
    return error_set(r->error, CAROM_ERROR_USAGE, "the end (%g s) is not after the start (%g s)", r->t_end, t);
  if (!check_rows(r, t)) return r->error->status;
  if (!guard_files(r) || !open_record(r) || !open_csv(r)) return r->error->status;
  r->sim->impacts.close = write_impact;
  r->sim->impacts.close_episode = write_episode;
  r->sim->impacts.close_regime = r->regime_table >= 0 ? write_regime : NULL;
  r->sim->impacts.context = r;
  double between = r->model->record.checkpoint;
  r->rows = schedule_from(r->model->record.every, t), r->touch_times = schedule_from(r->file ? run_touch_interval(r->model) : -1, t);
  r->next_checkpoint = between > 0 ? between * (floor(t / between + 1e-9) + 1) : 0;
  r->last_row = r->touches.last = -1;
  if (r->continues && copy_earlier(r) != CAROM_OK) return r->error->status;
  carom_status status = loop(r);
  fill_summary(r, status, summary);
  return summary->status = close_files(r, status, summary);
}

static void clean_up(run *r) {
  if (r->file) record_abandon(r->file);
  if (r->text) csv_finish(r->text, NULL);
  if (r->beside.path) output_end(&r->beside, false, NULL);  // the run never began
  record_close(r->earlier);
  carom_sim_destroy(r->sim);
  arena_free(&r->memory);
}

carom_status carom_run(const carom_model *model, const carom_run_options *options, carom_summary *summary,
                       carom_error *error) {
  carom_error own = {0};
  carom_summary unused;
  error_clear(error);
  jmp_buf out_of_memory;
  run r = {.model = model, .options = options, .error = error ? error : &own,
           .t_end = options->end > 0 ? options->end : model->about.end,
           .continues = options->resume && options->record && output_same(options->resume, options->record)};
  carom_summary *volatile filled = summary ? summary : &unused;
  *filled = (carom_summary){0};
  clock_gettime(CLOCK_MONOTONIC, &r.began);
  carom_status status;
  if (setjmp(out_of_memory)) {
    status = error_set(r.error, CAROM_ERROR_MEMORY, "out of memory for the record");
  } else {
    r.memory = arena_create(&out_of_memory);
    status = execute(&r, filled);
  }
  filled->status = status;
  clean_up(&r);
  return status;
}
