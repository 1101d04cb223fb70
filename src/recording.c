// The record of a sim that a program steps itself.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "run.h"

typedef struct recording {
  run r;
  carom_run_options options;
  carom_status last;  // of the last step, or of the files
  carom_error why;    // if that is not CAROM_OK
} recording;

// The ledger of contacts writes no more rows.
static void let_go(carom_sim *sim, recording *rec) {
  impact_ledger *l = &sim->impacts;
  l->close = NULL, l->close_episode = NULL, l->close_regime = NULL, l->context = NULL;
  sim->ends = false;
  sim->recording = NULL;
  rec->r.sim = NULL;  // it is the program's
  run_clean_up(&rec->r);
  free(rec);
}

static carom_status begin(recording *rec, const carom_record_options *options) {
  run *r = &rec->r;
  rec->options = (carom_run_options){.record = options->record ? arena_copy_text(&r->memory, options->record) : NULL,
                                     .csv = options->csv ? arena_copy_text(&r->memory, options->csv) : NULL,
                                     .csv_units = options->csv_units,
                                     .force = options->force};
  carom_status status = run_begin(r);
  return status == CAROM_OK ? run_write_start(r) : status;
}

static carom_status fail_memory(carom_error *error) {
  return error_set(error, CAROM_ERROR_MEMORY, "out of memory for the record");
}

carom_status carom_sim_record(carom_sim *sim, const carom_record_options *options, carom_error *error) {
  carom_error own;
  carom_error *const to = error_use(error, &own);
  if (sim->recording)
    return error_set(to, CAROM_ERROR_USAGE, "the simulation is recorded already; end that record first");
  if (!options->record && !options->csv) return error_set(to, CAROM_ERROR_USAGE, "there is no file to record into");
  recording *const rec = calloc(1, sizeof *rec);
  if (!rec) return fail_memory(to);
  // the end is not known: that of the model, or as long a time as has passed
  rec->r = (run){.model = sim->model,
                 .options = &rec->options,
                 .error = to,
                 .sim = sim,
                 .open_ended = true,
                 .t_end = fmax(sim->model->about.end, 2 * carom_sim_time(sim))};
  clock_gettime(CLOCK_MONOTONIC, &rec->r.began);
  jmp_buf out_of_memory;
  if (setjmp(out_of_memory)) {
    rec->last = fail_memory(rec->r.error);
  } else {
    rec->r.memory = arena_create(&out_of_memory);
    rec->last = begin(rec, options);
  }
  carom_status status = rec->last;
  if (status != CAROM_OK) let_go(sim, rec);
  else sim->recording = rec;
  return status;
}

carom_status recording_step(carom_sim *sim, carom_status status, carom_error *error) {
  recording *const rec = sim->recording;
  carom_error own = {0};
  jmp_buf out_of_memory;
  rec->r.error = error ? error : &own;
  if (rec->last == CAROM_ERROR_FILE || rec->last == CAROM_ERROR_MEMORY) {  // rows are missing: no more of them
    *rec->r.error = rec->why;
    return rec->last;
  }
  rec->r.memory.out_of_memory = &out_of_memory;
  if (setjmp(out_of_memory)) rec->last = fail_memory(rec->r.error);
  else rec->last = status == CAROM_OK ? run_write_step(&rec->r) : status;
  if (rec->last != CAROM_OK) rec->why = *rec->r.error;
  return rec->last;
}

// Returns the status of the files.
static carom_status end(carom_sim *sim, recording *rec, carom_summary *summary) {
  run *r = &rec->r;
  if (rec->last != CAROM_OK) *r->error = rec->why;
  carom_status written = run_write_end(r, rec->last);
  *summary = carom_sim_summary(sim);
  summary->status = rec->last;
  carom_status closed = run_close_files(r, written, summary);
  return rec->last == CAROM_OK || rec->last == CAROM_ERROR_FILE ? closed : CAROM_OK;
}

carom_status carom_sim_end_record(carom_sim *sim, carom_summary *summary, carom_error *error) {
  recording *const rec = sim->recording;
  carom_error own;
  carom_summary unused, *volatile filled = summary ? summary : &unused;
  if (!rec) return error_set(error_use(error, &own), CAROM_ERROR_USAGE, "the simulation is not recorded");
  jmp_buf out_of_memory;
  volatile carom_status status;
  rec->r.error = error_use(error, &own);
  rec->r.memory.out_of_memory = &out_of_memory;
  if (setjmp(out_of_memory)) {
    status = fail_memory(rec->r.error);
    *filled = carom_sim_summary(sim);
    filled->status = rec->last;
  } else {
    status = end(sim, rec, filled);
  }
  if (status == CAROM_OK) error_clear(rec->r.error);
  let_go(sim, rec);
  return status;
}
