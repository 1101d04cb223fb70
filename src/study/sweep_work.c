// The rows of a sweep, run: by threads of this process, and by others that ask for them.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "build/model_internal.h"
#include "run.h"
#include "study/sweep.h"

const char *const sweep_about_columns[ABOUT_COUNT] = {
    "t", SWEEP_STATUS, "verdict", "energy_error", "episodes", "impacts", "deepest_penetration"};
const char *const sweep_about_units[ABOUT_COUNT] = {"s", "1", "1", "1", "1", "1", "m"};
const char *const sweep_totals[SWEEP_TOTALS] = {"energy.drive",  "energy.applied",  "energy.damper",
                                                "energy.impact", "energy.friction", "energy.projection"};

bool sweep_is_ours(const sweep *s, long row) {
  return s->options->shards <= 1 || row % s->options->shards == s->options->shard - 1;
}

int sweep_first_taken(const sweep *s) { return 1 + s->plan.range_count; }
int sweep_first_about(const sweep *s) { return sweep_first_taken(s) + s->take_count; }

// --- one row ---------------------------------------------------------------------------------------------------------

// Rows of an integrator that chooses its steps would be too far apart for extremes and means.
enum { ROWS_OF_A_RUN = 1000 };

typedef struct worker {
  sweep *s;
  taking taking;
  carom_setting *settings;
  char (*texts)[SWEEP_SETTING];
  double *row;
  char *path;   // of the record of a row that is kept
  int *needed;  // signals that are taken of all rows of a run
  int totals[SWEEP_TOTALS];
} worker;

static bool has_sources(const sweep *s, const carom_model *model) {
  bool same = model->def->text->source_count == s->source_count;
  for (int i = 0; same && i < s->source_count; i++)
    same = strcmp(model->def->text->sources[i]->text, s->sources[i]) == 0;
  return same;
}

int sweep_fill_settings(const sweep *s, long row, carom_setting *settings, char (*texts)[SWEEP_SETTING]) {
  int count = 0;
  while (count < s->options->setting_count) settings[count] = s->options->settings[count], count++;
  for (int i = 0; i < s->plan.range_count; i++)
    settings[count++] = (carom_setting){s->plan.ranges[i].name, sweep_plan_setting(&s->plan, row, i, texts[i])};
  return count;
}

static carom_model *load_row(worker *w, long row, carom_error *error) {
  const sweep *s = w->s;
  int count = sweep_fill_settings(s, row, w->settings, w->texts);
  carom_model *model = carom_model_load(s->options->model, w->settings, count, error);
  if (!model || has_sources(s, model)) return model;
  carom_model_destroy(model);
  error_set(error, CAROM_ERROR_FILE, "'%s', or a file that it includes, has changed since the sweep began",
            s->options->model);
  return NULL;
}

static void take_row(void *context, double t, const double *signals) {
  worker *w = context;
  double *to = w->row + sweep_first_about(w->s) + ABOUT_COUNT;
  taking_row(&w->taking, t, signals);
  for (int i = 0; i < SWEEP_TOTALS; i++) to[i] = w->totals[i] < 0 ? 0 : signals[w->totals[i]];
}

// Threads of the process that has the files are told by the one that watches.
static bool go_on(void *context, const carom_progress *progress) {
  sweep *s = ((const worker *)context)->s;
  (void)progress;
  pthread_mutex_lock(&s->lock);
  if (s->source && s->options->progress)
    s->stop |= !s->options->progress(s->options->context, &(carom_sweep_progress){.wall_s = seconds_since(s->began)});
  bool stop = s->stop;
  pthread_mutex_unlock(&s->lock);
  return !stop;
}

static double verdict_of(const carom_model *model, const carom_summary *summary) {
  carom_verdict *v = carom_judge(model, summary, NULL);
  double level = v ? (double)carom_verdict_level(v) : NAN;
  carom_verdict_destroy(v);
  return level;
}

static void fill_row(worker *w, const carom_model *model, const carom_summary *sum) {
  double *taken = w->row + sweep_first_taken(w->s), *about = w->row + sweep_first_about(w->s);
  for (int i = 0; i < w->s->take_count; i++) taken[i] = taking_result(&w->taking, i);
  about[ABOUT_T] = sum->t;
  about[ABOUT_VERDICT] = verdict_of(model, sum);
  about[ABOUT_ENERGY] = sum->energy_imbalance;
  about[ABOUT_EPISODES] = (double)sum->contact_episodes;
  about[ABOUT_IMPACTS] = (double)sum->contact_impacts;
  about[ABOUT_DEEPEST] = sum->deepest_penetration;
}

// Fills the row. Of a run that fails it holds what was computed.
static carom_status run_row(worker *w, long row, carom_error *error) {
  struct timespec began;
  clock_gettime(CLOCK_MONOTONIC, &began);
  const sweep *s = w->s;
  for (int i = 0; i < s->table.column_count; i++) w->row[i] = NAN;
  w->row[0] = (double)row;
  for (int i = 0; i < s->plan.range_count; i++) w->row[1 + i] = sweep_plan_value(&s->plan, row, i);
  carom_model *model = load_row(w, row, error);
  carom_status status = model ? CAROM_OK : error->status;
  if (model && sweep_takes_reach(s->takes, s->take_count, model, error) && taking_begin(&w->taking, model, error)) {
    for (int i = 0; i < SWEEP_TOTALS; i++) w->totals[i] = carom_model_signal(model, sweep_totals[i]);
    carom_summary summary = {0};
    carom_run_options how = {.row = take_row,
                             .row_signals = w->needed,
                             .row_signal_count = taking_needs(&w->taking, w->needed),
                             .progress = go_on,
                             .context = w,
                             .even_rows = ROWS_OF_A_RUN,
                             .record = sweep_keep_has(&s->keep, row) ? sweep_keep_path(&s->keep, row, w->path) : NULL,
                             .force = s->options->force};
    status = carom_run(model, &how, &summary, error);
    fill_row(w, model, &summary);
  } else if (model) {
    status = error->status;
  }
  carom_model_destroy(model);
  w->row[sweep_first_about(s) + ABOUT_STATUS] = (double)status;
  w->row[s->table.column_count - 1] = seconds_since(began);
  return status;
}

// --- all rows --------------------------------------------------------------------------------------------------------

// The next row that is to be run, or -1.
static long next_row(sweep *s) {
  pthread_mutex_lock(&s->lock);
  while (s->next < s->plan.rows && (sweep_table_has(&s->table, s->next) || !sweep_is_ours(s, s->next))) s->next++;
  long row = s->stop || s->next == s->plan.rows ? -1 : s->next++;
  pthread_mutex_unlock(&s->lock);
  return row;
}

// A row that was interrupted is not kept. The message is that of a row that failed.
static void keep_row(sweep *s, const double *values, const char *message) {
  pthread_mutex_lock(&s->lock);
  long row = (long)values[0];
  bool failed = values[s->table.status] != (double)CAROM_OK;
  if (!(s->stop && values[s->table.status] == (double)CAROM_INTERRUPTED)) {
    memcpy(sweep_table_row(&s->table, row), values, (size_t)s->table.column_count * sizeof *values);
    s->done++, s->failed += failed;
    if (failed) s->table.messages[row] = strdup(message);
    if (record_append(s->journal, 0, values, &s->journal_error) != CAROM_OK) s->stop = true;
  }
  pthread_mutex_unlock(&s->lock);
}

static const char *message_of(carom_status status, const carom_error *error) {
  return error->text[0] ? error->text : carom_status_text(status);
}

static void end_thread(sweep *s) {
  pthread_mutex_lock(&s->lock);
  s->running--;
  pthread_cond_signal(&s->ended);
  pthread_mutex_unlock(&s->lock);
}

static void *work(void *argument) {
  worker *w = argument;
  for (long row; (row = next_row(w->s)) >= 0;) {
    carom_error error = {0};
    carom_status status = run_row(w, row, &error);
    keep_row(w->s, w->row, message_of(status, &error));
  }
  end_thread(w->s);
  return NULL;
}

// Until all threads have ended. Asks ten times a second whether to go on.
static void watch(sweep *s) {
  pthread_mutex_lock(&s->lock);
  while (s->running) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&s->ended, &s->lock, &until);
    carom_sweep_progress p = {s->own, s->done, s->failed, seconds_since(s->began)};
    pthread_mutex_unlock(&s->lock);
    bool stop = s->options->progress && !s->options->progress(s->options->context, &p);
    pthread_mutex_lock(&s->lock);
    s->stop |= stop;
  }
  pthread_mutex_unlock(&s->lock);
}

static worker make_worker(sweep *s) {
  return (worker){
      .s = s,
      .taking = taking_create(&s->memory, s->takes, s->take_count),
      .settings = ARENA_ARRAY(&s->memory, carom_setting, s->options->setting_count + s->plan.range_count + 1),
      .texts = arena_alloc(&s->memory, (size_t)s->plan.range_count, SWEEP_SETTING),
      .row = ARENA_ARRAY(&s->memory, double, s->table.column_count),
      .path = ARENA_ARRAY(&s->memory, char, sweep_keep_size(&s->keep)),
      .needed = ARENA_ARRAY(&s->memory, int, s->take_count + 1)};
}

static void *serve(void *argument) {
  sweep *s = argument;
  s->options->serve(s->options->context, &(carom_sweep_desk){s});
  end_thread(s);
  return NULL;
}

carom_status sweep_run_rows(sweep *s) {
  int threads = s->options->threads > 0 ? s->options->threads : 1, started = 0;
  pthread_t *ids = ARENA_ARRAY(&s->memory, pthread_t, threads), desk;
  worker *workers = ARENA_ARRAY(&s->memory, worker, threads);
  for (int i = 0; i < threads; i++) workers[i] = make_worker(s);
  s->running = threads + 1;
  bool serves = s->options->serve && pthread_create(&desk, NULL, serve, s) == 0;
  while (started < threads && pthread_create(&ids[started], NULL, work, &workers[started]) == 0) started++;
  pthread_mutex_lock(&s->lock);
  s->running -= threads - started + !serves;
  pthread_mutex_unlock(&s->lock);
  watch(s);
  for (int i = 0; i < started; i++) pthread_join(ids[i], NULL);
  if (serves) pthread_join(desk, NULL);
  if (!started || serves != (s->options->serve != NULL))
    return error_set(s->error, CAROM_ERROR_MEMORY, "a thread could not be started");
  if (s->journal_error.status != CAROM_OK)
    return error_set(s->error, s->journal_error.status, "%s", s->journal_error.message);
  return s->stop ? error_set(s->error, CAROM_INTERRUPTED, "interrupted after %ld of %ld rows", s->done, s->own)
                 : CAROM_OK;
}

// --- other processes -------------------------------------------------------------------------------------------------

const char *carom_sweep_desk_identity(const carom_sweep_desk *desk) { return desk->s->table.identity; }
int carom_sweep_desk_columns(const carom_sweep_desk *desk) { return desk->s->table.column_count; }
long carom_sweep_desk_take(carom_sweep_desk *desk) { return next_row(desk->s); }

void carom_sweep_desk_give(carom_sweep_desk *desk, const double *row, const char *message) {
  bool known = row[0] >= 0 && row[0] < (double)desk->s->plan.rows;
  if (known) keep_row(desk->s, row, message ? message : "");
  else carom_sweep_desk_stop(desk);
}

void carom_sweep_desk_stop(carom_sweep_desk *desk) {
  pthread_mutex_lock(&desk->s->lock);
  desk->s->stop = true;
  pthread_mutex_unlock(&desk->s->lock);
}

carom_status sweep_run_source(sweep *s) {
  const carom_sweep_source *from = s->source;
  worker w = make_worker(s);
  for (long row; (row = from->next(from->context)) >= 0;) {
    carom_error error = {0};
    if (row >= s->plan.rows) return error_set(s->error, CAROM_ERROR_USAGE, "there is no row %ld", row);
    carom_status status = run_row(&w, row, &error);
    if (s->stop) return error_set(s->error, CAROM_INTERRUPTED, "interrupted in row %ld", row);
    if (!from->give(from->context, w.row, s->table.column_count, status == CAROM_OK ? "" : message_of(status, &error)))
      break;
  }
  return CAROM_OK;
}
