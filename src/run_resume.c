// Resuming a run: whether a record is of the same model, and the rows of a record that is continued.
#include "run.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "checkpoint.h"

// --- the same model --------------------------------------------------------------------------------------------------

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
    return error_set(r->error, CAROM_ERROR_USAGE,
                     "'%s' was run with its settings in another order; resume with the same order", r->options->resume),
           false;
  const char *line = is ? is : was;
  const char *old = was ? arena_print(&r->memory, "with '%.*s'", (int)strcspn(was, "\n"), was) : "without it";
  const char *present = is ? arena_print(&r->memory, "'%.*s'", (int)strcspn(is, "\n"), is) : "not given";
  return error_set(r->error, CAROM_ERROR_USAGE,
                   "'%s' was run with other settings: %s '%.*s' is now %s, and the record was made %s; resume with the "
                   "same settings, or run the "
                   "model from the start",
                   r->options->resume, kind, (int)strcspn(line, " =\n"), line, present, old),
         false;
}

static bool same_files(run *r, const char *before, const char *now) {
  const char *there;
  const char *other = first_difference(now, before ? before : "", &there);
  return !other || (error_set(r->error, CAROM_ERROR_USAGE,
                              "'%s' was run with another content of '%.*s'; resume with the same files",
                              r->options->resume, (int)(strcspn(other, "=") - 1), other),
                    false);
}

static bool same_model(run *r, record_reader *in) {
  const carom_def *def = r->model->def;
  bool same = def && def->text && equal(record_get_text(in, "model"), def->text->main->text);
  for (int i = 1; same && i < def->text->source_count; i++)
    same = equal(record_get_text(in, arena_print(&r->memory, "include%d", i)), def->text->sources[i]->text);
  if (!same)
    return error_set(r->error, CAROM_ERROR_USAGE, "'%s' is the record of another model; resume with the same files",
                     r->options->resume),
           false;
  return same_values(r, "parameter", record_get_text(in, "parameters"), run_list_parameters(r)) &&
         same_files(r, record_get_text(in, "mesh_files"), run_list_mesh_files(r)) &&
         same_files(r, record_get_text(in, "table_files"), run_list_table_files(r)) &&
         same_values(r, "setting", settings_that_bind(r, record_get_text(in, "settings")),
                     settings_that_bind(r, def->settings));
}

// Checkpoints were not numbered before version 2.
static bool same_fields(run *r, record_reader *in, int table) {
  const record_table old = record_get_table(in, table);
  const char *version = record_get_text(in, "checkpoint_version"), **names = checkpoint_names(r->sim, &r->memory);
  const int size = sim_checkpoint_size(r->sim);
  if (!version) version = "1";
  if (!equal(version, CHECKPOINT_VERSION))
    return error_set(r->error, CAROM_ERROR_USAGE,
                     "'%s' cannot be resumed: its checkpoints are of version %s, and this carom reads version %s. "
                     "Reports, exports and comparisons of it work; run the model from its start to go further",
                     r->options->resume, version, CHECKPOINT_VERSION),
           false;
  for (int k = 0; k < size && k < old.column_count; k++)
    if (!equal(names[k], old.columns[k]))
      return error_set(r->error, CAROM_ERROR_USAGE,
                       "'%s' has the state of another model or method: its checkpoint holds '%s' in place of '%s'; "
                       "resume with the same model and settings",
                       r->options->resume, old.columns[k], names[k]),
             false;
  if (old.column_count == size) return true;
  return error_set(r->error, CAROM_ERROR_USAGE,
                   "'%s' holds the state of a model of another size; resume with the same model and settings",
                   r->options->resume),
         false;
}

bool run_resume(run *r) {
  if (!r->options->resume) return true;
  record_reader *in = record_open(r->options->resume, r->error);
  if (!in) return false;
  bool done = false;
  int size = sim_checkpoint_size(r->sim), table = record_find_table(in, "checkpoint");
  long rows = table < 0 ? 0 : record_rows(in, table);
  if (!same_model(r, in)) {
  } else if (rows < 1) {
    error_set(r->error, CAROM_ERROR_USAGE,
              "'%s' holds no checkpoint to resume from; set 'record: {checkpoint: ...}' and run it again",
              r->options->resume);
  } else if (same_fields(r, in, table)) {
    double *row = ARENA_ARRAY(&r->memory, double, size);
    done = record_read(in, table, rows - 1, 1, row, r->error) == CAROM_OK &&
           sim_resume(r->sim, row, r->error) == CAROM_OK && run_resume_pairs(r, in, rows - 1);
  }
  if (done && r->continues && record_is_running(in)) {
    error_set(r->error, CAROM_ERROR_USAGE, "'%s' cannot be continued: its run has not ended yet", r->options->resume);
    done = false;
  }
  if (done && r->continues) r->earlier = in;
  else record_close(in);
  return done;
}

// --- going on in the same record -------------------------------------------------------------------------------------

enum { ROWS_AT_ONCE = 256 };

// How many rows to keep: those until the checkpoint; one at the checkpoint itself only if a run in one piece has it
// too. After a kill some tables may be a row ahead of others.
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
    if (r->tables[g] >= 0) blocks[g] = ARENA_ARRAY(&r->memory, double, ((size_t)r->groups[g].count * ROWS_AT_ONCE));
  for (long first = 0; first < rows && status == CAROM_OK; first += ROWS_AT_ONCE) {
    long n = rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE;
    for (int g = 0; g < GROUP_COUNT && status == CAROM_OK; g++)
      if (blocks[g])
        status =
            record_read(r->earlier, record_find_table(r->earlier, run_group_names[g]), first, n, blocks[g], r->error);
    for (long i = 0; i < n && status == CAROM_OK; i++) {
      for (int g = 0; g < GROUP_COUNT && status == CAROM_OK; g++) {
        if (!blocks[g]) continue;
        const double *row = blocks[g] + i * r->groups[g].count;
        for (int k = 0; k < r->groups[g].count; k++) all[r->groups[g].signals[k]] = row[k];
        status = record_append(r->file, r->tables[g], row, r->error);
      }
      if (r->text && status == CAROM_OK) {
        run_gather(&r->csv_columns, all, r->values);
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
    double since = isnan(pair->since) ? r->sim->impacts.started
                                      : pair->since;  // infinite where the pair has not touched: nothing of it is open
    if (pair->row.pair == row->pair) return row->end <= t && row->end <= since;
  }
  return row->end <= t;
}

static carom_status copy_ended(run *r, const char *name, int to,
                               bool (*is_over)(const run *r, const double *row, double t), double t) {
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
carom_status run_copy_earlier(run *r) {
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
