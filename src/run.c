// A whole run: loop, record, progress, and a file that is good whatever happens.
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "checkpoint.h"
#include "mechanics/dynamics.h"
#include "mechanics/signal.h"
#include "scene.h"
#include "summary.h"

// --- a run under way -------------------------------------------------------------------------------------------------

double seconds_since(struct timespec t) {
  struct timespec n;
  clock_gettime(CLOCK_MONOTONIC, &n);
  return (double)(n.tv_sec - t.tv_sec) + 1e-9 * (double)(n.tv_nsec - t.tv_nsec);
}

static void add_signal(run *r, group *g, int signal) {
  *ARENA_PUSH(&r->memory, g->signals, g->count, g->capacity) = signal;
  signal_span *last = g->span_count ? &g->spans[g->span_count - 1] : NULL;
  if (last && last->first + last->count == signal) last->count++;
  else *ARENA_PUSH(&r->memory, g->spans, g->span_count, g->span_capacity) = (signal_span){signal, 1};
}

static void sort_signals(run *r) {
  for (int i = 0; i < sim_signal_count(r->model); i++) {
    if (!run_is_recorded(r->model, i)) continue;
    add_signal(r, &r->groups[run_group_of(r->model, i)], i);
    if (run_is_in_csv(r->model, i)) add_signal(r, &r->csv_columns, i);
  }
}

static void choose_signals(run *r) {
  const carom_run_options *o = r->options;
  r->chooses = o->row && o->row_signals && !o->record && !o->csv;
  if (!r->chooses) return;
  group *g = &r->chosen;
  for (int i = 0; i < o->row_signal_count; i++) add_signal(r, g, o->row_signals[i]);
  for (int i = model_signal_first(r->model, SIGNALS_OF_OUTPUTS); i < sim_signal_count(r->model); i++)
    add_signal(r, g, i);
}

// One word per signal of a group, as one of the functions on signals says it.
static const char **words_of(run *r, const group *g, const char *(*word)(const carom_model *model, int signal)) {
  const char **words = ARENA_ARRAY(&r->memory, const char *, g->count + 1);
  for (int k = 0; k < g->count; k++) words[k] = word(r->model, g->signals[k]);
  return words;
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

// Checks record and CSV file before anything is written: no file of the model, no run that is resumed (unless it is
// continued), and not each other.
static bool guard_files(run *r) {
  const carom_run_options *o = r->options;
  int count;
  const char **spared = model_files(r->model, &r->memory, &count);
  if (!r->continues) spared[count++] = o->resume;
  carom_output record = {
      .path = o->record, .kind = CAROM_FILE_RECORD, .inputs = spared, .input_count = count, .force = o->force};
  if (o->record && carom_output_check(&record, r->error) != CAROM_OK) return false;
  spared[count++] = o->record;
  carom_output text = {
      .path = o->csv, .kind = CAROM_FILE_CSV, .inputs = spared, .input_count = count, .force = o->force};
  return !o->csv || carom_output_check(&text, r->error) == CAROM_OK;
}

static void tell_missing(run *r, const char *table) {
  // Tables that a setting adds can be left out again.
  static const struct {
    const char *table, *setting;
  } added[] = {{"touch_times", "record.touches=false"},
               {"touches", "record.touches=false"},
               {"regimes", "record.regimes=false"}};
  const char *setting = NULL;
  for (size_t i = 0; i < sizeof added / sizeof *added; i++)
    if (strcmp(added[i].table, table) == 0) setting = added[i].setting;
  error_set(r->error, CAROM_ERROR_USAGE, "'%s' cannot be continued: it has no table '%s'; %s%s%sresume into a new file",
            r->options->resume, table, setting ? "set " : "", setting ? setting : "", setting ? " or " : "");
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
      return error_set(r->error, CAROM_ERROR_USAGE,
                       "'%s' cannot be continued: its table '%s' has other columns; resume into a new file",
                       r->options->resume, tables[i].name),
             false;
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
      return error_set(r->error, CAROM_ERROR_USAGE,
                       "'%s' cannot be continued: the rows of its table '%s' would be lost; record it as before or "
                       "resume into a new file",
                       r->options->resume, name),
             false;
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
    tables[count++] = (record_table){.name = run_group_names[g],
                                     .column_count = r->groups[g].count,
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
    tables[count++] = (record_table){
        .name = "impacts", .columns = impact_columns, .units = impact_units, .column_count = IMPACT_COLUMN_COUNT};
    r->episode_table = count;
    tables[count++] = (record_table){
        .name = "episodes", .columns = episode_columns, .units = episode_units, .column_count = EPISODE_COLUMN_COUNT};
  }
  if (contact_can_touch(&r->model->contacts) && r->model->record.regimes) {
    r->regime_table = count;
    tables[count++] = (record_table){
        .name = "regimes", .columns = regime_columns, .units = regime_units, .column_count = REGIME_COLUMN_COUNT};
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
  record_text *texts = run_describe(r, &text_count);
  record_settings settings = {
      .compression = r->model->record.compression, .flush_interval = 1, .name = r->options->record};
  const char *path = r->options->record;
  if (r->continues) {
    if (!check_columns(r, tables, count) || !keeps_tables(r, tables, count) ||
        !output_begin(&r->beside, path, r->error))
      return false;
    path = r->beside.place;
  }
  r->file = record_create(path, tables, count, texts, text_count, &settings, r->error);
  return r->file != NULL;
}

static bool open_csv(run *r) {
  if (!r->options->csv) return true;
  r->text = csv_create(r->options->csv, words_of(r, &r->csv_columns, carom_model_signal_name), r->csv_columns.count,
                       r->error);
  if (r->text && r->options->csv_units) csv_put_units(r->text, words_of(r, &r->csv_columns, carom_model_signal_unit));
  return r->text != NULL;
}

// --- when rows are written -------------------------------------------------------------------------------------------

// The first multiple of `every` that is not reached at t.
static double next_multiple(double every, double t) {
  double k = floor(t / every) - 1;
  while (every * k <= t * (1 + 1e-14)) k++;
  return k;
}

static schedule schedule_from(double every, double t) {
  return (schedule){every, every > 0 ? every * next_multiple(every, t) : every < 0 ? INFINITY : t};
}

bool schedule_has(const schedule *s, double t) {
  return s->every == 0 || (s->every > 0 && s->every * (next_multiple(s->every, t) - 1) >= t);
}

// When the next row is due within the step that ends at t; infinite if none is.
static double schedule_due(const schedule *s, double t) {
  if (s->every > 0) return s->next <= t * (1 + 1e-14) ? fmin(s->next, t) : INFINITY;
  return s->next < t ? t : INFINITY;
}

static void schedule_advance(schedule *s, double t) {
  s->next = s->every > 0 ? s->every * (floor(s->next / s->every + 0.5) + 1) : t;
}

// --- rows ------------------------------------------------------------------------------------------------------------

// Of the signals that are needed. If one of them is not finite, or the state itself, all are read to name the first.
static const double *read_chosen(run *r) {
  const double *row = sim_read_some(r->sim, r->chosen.signals, r->chosen.count);
  bool finite = !sim_has_booked(r->sim) || sim_is_finite(r->sim);
  for (int i = 0; i < r->chosen.count; i++) finite &= (bool)isfinite(row[r->chosen.signals[i]]);
  if (!finite) sim_check_row(r->sim, sim_read_all(r->sim));
  return row;
}

static const double *read_row(run *r) {
  if (r->chooses) return read_chosen(r);
  const double *all = sim_read_all(r->sim);
  sim_check_row(r->sim, all);
  return all;
}

// The state the sim shows now, once. Without a file the row is only checked for numbers that are not finite.
static carom_status write_row(run *r) {
  if (r->sim->x->t <= r->last_row) return CAROM_OK;
  r->last_row = r->sim->x->t;
  const double *all = read_row(r);
  if (r->options->row) r->options->row(r->options->context, r->last_row, all);
  carom_status status = CAROM_OK;
  for (int g = 0; r->file && g < GROUP_COUNT && status == CAROM_OK; g++) {
    if (r->tables[g] < 0) continue;
    run_gather(&r->groups[g], all, record_next(r->file, r->tables[g]));
    status = record_put(r->file, r->tables[g], r->error);
  }
  if (r->file && status == CAROM_OK) status = record_flush_due(r->file, r->error);
  if (r->text && status == CAROM_OK) {
    run_gather(&r->csv_columns, all, r->values);
    status = csv_append(r->text, r->values, r->error);
  }
  return status;
}

// Whether rows are written, or outputs can lack a value at any of them.
static bool needs_rows(const run *r) {
  return r->chooses ? r->chosen.count > 0 : r->file || r->text || r->options->row || r->model->output_count;
}

// The end of a step where nothing needs the row itself. To read it takes as long as a step: it is read only where the
// ledger has looked at the state, and a number of either is not finite, to name the column. (A state that is not finite
// ends the run.)
static carom_status check_step(run *r) {
  return sim_has_booked(r->sim) && !sim_is_finite(r->sim) ? write_row(r) : CAROM_OK;
}

static carom_status write_checkpoint(run *r) {
  if (!r->file) return CAROM_OK;
  if (!sim_evaluate(r->sim, r->error)) {  // measures the joints at this state, too
    char why[256];
    dynamics_explain(&r->model->m, r->sim->x, why, sizeof why);
    return error_set(r->error, CAROM_ERROR_SINGULAR, "no checkpoint can be written at t = %g s: %s",
                     carom_sim_time(r->sim), why);
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

carom_status run_write_step(run *r) {
  double t = r->sim->x->t;
  carom_status status = needs_rows(r) ? write_due(r, t) : check_step(r);
  double between = r->model->record.checkpoint;
  if (status == CAROM_OK && between > 0 && t >= r->next_checkpoint * (1 - 1e-12)) {
    status = write_checkpoint(r);
    if (status == CAROM_OK && r->file) status = record_flush(r->file, r->error);  // what a kill may leave behind
    if (status == CAROM_OK && r->text) status = csv_flush(r->text, r->error);
    r->next_checkpoint = between * (floor(t / between + 1e-9) + 1);
  }
  return status;
}

// --- the run ---------------------------------------------------------------------------------------------------------

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

// One that is continued has shown where it begins, unless it ended there by chance.
carom_status run_write_start(run *r) {
  double t = carom_sim_time(r->sim);
  carom_status status = r->continues && !schedule_has(&r->rows, t) ? CAROM_OK : write_row(r);
  return status != CAROM_OK || (r->continues && !schedule_has(&r->touch_times, t)) ? status : run_write_touches(r);
}

static carom_status loop(run *r) {
  carom_status status = run_write_start(r);
  carom_sim *sim = r->sim;
  sim_pace pace = {.t = sim->x->t};
  bool writes = r->file || needs_rows(r);
  while (status == CAROM_OK && sim->x->t < r->t_end) {
    if (!writes) pace.steps += sim_fly(sim, r->t_end);
    status = sim_take_step(sim, r->t_end, r->error);
    if (status == CAROM_OK) status = writes ? run_write_step(r) : check_step(r);
    if (status == CAROM_OK) status = sim_check_progress(sim, &pace, r->t_end, r->error);
  }
  return run_write_end(r, status);
}

carom_status run_write_end(run *r, carom_status status) {
  if (status == CAROM_ERROR_FILE) return status;
  carom_error ignored = {0};
  carom_error *keep = r->error;
  r->error = status == CAROM_OK ? keep : &ignored;
  sim_show_end(r->sim);
  r->sim->ends = !schedule_has(&r->rows, carom_sim_time(r->sim));
  if (r->chooses) r->chooses = false, r->last_row = -1;  // the last row has all signals
  carom_status written = write_row(r);
  if (written == CAROM_OK) written = run_write_touches(r);
  if (written == CAROM_OK) written = write_checkpoint(r);  // with its open episodes, which a resumed run goes on with
  sim_close_episodes(r->sim);
  r->error = keep;
  return status == CAROM_OK ? written : status;
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

carom_status run_close_files(run *r, carom_status status, const carom_summary *summary) {
  const char *text = r->file ? recorded_summary(r, status, summary) : NULL;
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
    carom_status moved =
        output_end(&r->beside, status != CAROM_ERROR_FILE && closed == CAROM_OK, status == CAROM_OK ? r->error : NULL);
    if (closed == CAROM_OK) closed = moved;
  }
  return status == CAROM_OK ? closed : status;
}

static bool check_interval(run *r, const char *key, double every, double t, const char *each_step) {
  double least = RECORD_EVERY_LEAST * r->t_end;
  if (!(every > 0) || every >= least) return true;
  return error_set(r->error, CAROM_ERROR_USAGE,
                   "record.%s is %g s, which makes %.1e rows until the end at %g s; give it %g s or more, or %s", key,
                   every, (r->t_end - t) / every, r->t_end, least, each_step),
         false;
}

// A run that is resumed goes on with the rows that the whole run has.
static double row_interval(const run *r) {
  double every = r->model->record.every;
  bool chooses = every == 0 && r->model->scheme->about->integrates;
  return chooses && r->options->even_rows > 0 ? r->t_end / (double)r->options->even_rows : every;
}

static bool check_rows(run *r, double t) {
  return check_interval(r, "every", r->model->record.every, t, "0 for a row per step") &&
         check_interval(r, "touches", r->model->record.touches, t, "true for the times of the other rows");
}

// Numbers of a CSV file take at least a digit and a comma.
static const double CSV_LEAST = 2, CSV_MOST = 25;
static const double GIGABYTE = 1e9;

// Warns of a file that is large, or that cannot fit on its disk. The run is not refused: it may be ended by hand, and
// where the disk is full it ends with a record of what was written. The size is not known before the run if each step
// is a row and the method chooses its steps.
static void announce_file(const run *r, const char *path, double least, double most, double rows) {
  char text[512];
  if (!path || !(most > 0)) return;
  double room = output_room(path, path != r->options->record || !r->continues);
  if (room == INFINITY) return;  // not a file on a disk
  if (least > room)
    snprintf(text, sizeof text,
             "'%s' would take %.3g GB or more for its %.3g rows, and its disk has %.3g GB left; give record.every a "
             "longer interval or the "
             "run an earlier end",
             path, least / GIGABYTE, rows, room / GIGABYTE);
  else if (most >= CAROM_RECORD_LARGE)
    snprintf(text, sizeof text,
             "'%s' may become as large as %.3g GB (%.3g rows); a longer interval for record.every makes it smaller",
             path, most / GIGABYTE, rows);
  else return;
  r->options->warn(r->options->context, text);
}

// A record that is continued is written anew beside the old one.
static void announce_files(const run *r, double t) {
  if (r->open_ended || !r->options->warn) return;
  carom_record_size size =
      run_record_size(r->model, sim_checkpoint_size(r->sim), r->continues ? r->t_end : r->t_end - t);
  bool compressed = r->model->record.compression > 0;
  double numbers = size.rows * r->csv_columns.count;
  announce_file(r, r->options->record, compressed ? size.compressed_least : size.bytes,
                compressed ? size.compressed_most : size.bytes, size.rows);
  announce_file(r, r->options->csv, CSV_LEAST * numbers, CSV_MOST * numbers, size.rows);
}

carom_status run_begin(run *r) {
  if (!r->sim) r->sim = sim_create(r->model, r->options->progress ? go_on : NULL, r, r->error);
  if (!r->sim) return r->error->status;
  if (r->options->threads != 0) {
    carom_status set = carom_sim_set_threads(r->sim, r->options->threads, r->error);
    if (set != CAROM_OK) return set;
  }
  int most = sim_signal_count(r->model);
  r->values = ARENA_ARRAY(&r->memory, double, most);
  sort_signals(r);
  choose_signals(r);
  if (r->options->prepare && r->options->prepare(r->options->context, r->sim, r->error) != CAROM_OK)
    return error_set(r->error, CAROM_ERROR_USAGE, "the simulation could not be prepared"), r->error->status;
  // before a file of an earlier run is written over
  if (sim_check_bound(r->sim, r->error) != CAROM_OK) return CAROM_ERROR_USAGE;
  if (!run_resume(r)) return r->error->status;
  double t = carom_sim_time(r->sim);
  r->steps_before = carom_sim_summary(r->sim).steps;
  if (!(isfinite(r->options->end) && r->options->end >= 0))
    return error_set(r->error, CAROM_ERROR_USAGE, "the end is %g s, but must be finite and not negative",
                     r->options->end);
  if (!(r->t_end > t))
    return error_set(r->error, CAROM_ERROR_USAGE, "the end (%g s) is not after the start (%g s)", r->t_end, t);
  if (!check_rows(r, t)) return r->error->status;
  if (!guard_files(r)) return r->error->status;
  announce_files(r, t);
  if (!open_record(r) || !open_csv(r)) return r->error->status;
  r->sim->impacts.close = write_impact;
  r->sim->impacts.close_episode = write_episode;
  r->sim->impacts.close_regime = r->regime_table >= 0 ? write_regime : NULL;
  r->sim->impacts.context = r;
  double between = r->model->record.checkpoint;
  r->rows = schedule_from(row_interval(r), t),
  r->touch_times = schedule_from(r->file ? run_touch_interval(r->model) : -1, t);
  r->next_checkpoint = between > 0 ? between * (floor(t / between + 1e-9) + 1) : 0;
  r->last_row = r->touches.last = -1;
  return r->continues ? run_copy_earlier(r) : CAROM_OK;
}

static carom_status execute(run *r, carom_summary *summary) {
  carom_status status = run_begin(r);
  if (status != CAROM_OK) return status;
  status = loop(r);
  fill_summary(r, status, summary);
  return summary->status = run_close_files(r, status, summary);
}

void run_clean_up(run *r) {
  if (r->file) record_abandon(r->file);
  if (r->text) csv_finish(r->text, NULL);
  if (r->beside.path) output_end(&r->beside, false, NULL);  // the run never began
  record_close(r->earlier);
  carom_sim_destroy(r->sim);
  arena_free(&r->memory);
}

carom_status carom_run(const carom_model *model, const carom_run_options *options, carom_summary *summary,
                       carom_error *error) {
  carom_error own;
  carom_summary unused;
  jmp_buf out_of_memory;
  run r = {.model = model,
           .options = options,
           .error = error_use(error, &own),
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
  run_clean_up(&r);
  return status;
}
