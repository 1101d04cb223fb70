// The model at the times of measured samples, from one run: between its steps as its method says.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim.h"
#include "study/fit.h"

typedef struct tracer {
  const carom_fit *f;
  carom_sim *sim;
  int *signals;    // one per match
  long *next;      // row of each file
  long *taken;     // samples of each channel
  double *offset;  // of each file [s]
  double *traces;
} tracer;

static double offset_of(const carom_fit *f, const fit_file *file, const double *point) {
  return file->offset < 0 || !point ? 0 : sweep_range_between(&f->ranges[file->offset], point[file->offset]);
}

// The samples of one row of a file.
static void take_row(tracer *t, int file) {
  const carom_fit *f = t->f;
  for (int i = 0; i < f->channel_count; i++) {
    const fit_channel *c = &f->channels[i];
    if (c->file != file || t->taken[i] == c->count || c->row[t->taken[i]] != t->next[file]) continue;
    t->traces[c->first + t->taken[i]++] = carom_sim_read(t->sim, t->signals[c->match]);
  }
}

// Files that are held out must not lengthen the runs of the fit, nor let them fail.
static bool takes_part(const carom_fit *f, int file) {
  return f->compared < 0 ? !f->files[file].hold_out : file == f->compared;
}

// All rows until the end of the last step.
static carom_status take_rows(tracer *t, carom_error *error) {
  const double now = carom_sim_time(t->sim);
  carom_status status = CAROM_OK;
  for (int i = 0; i < t->f->file_count && status == CAROM_OK; i++) {
    const fit_file *file = &t->f->files[i];
    if (!takes_part(t->f, i)) continue;
    for (; t->next[i] < file->rows && status == CAROM_OK; t->next[i]++) {
      const double at = file->t[t->next[i]] + t->offset[i];
      if (at > now) break;
      if (at < 0) continue;
      if (at < now) status = sim_show(t->sim, at, error);
      else sim_show_end(t->sim);
      if (status == CAROM_OK) take_row(t, i);
    }
    sim_show_end(t->sim);
  }
  return status;
}

static carom_status run_to_end(tracer *t, carom_error *error) {
  sim_pace pace = {0};
  double end = 0;
  for (int i = 0; i < t->f->file_count; i++)
    if (takes_part(t->f, i)) end = fmax(end, t->f->files[i].t[t->f->files[i].rows - 1] + t->offset[i]);
  carom_status status = take_rows(t, error);
  while (status == CAROM_OK && carom_sim_time(t->sim) < end) {
    status = sim_take_step(t->sim, end, error);
    if (status == CAROM_OK) status = take_rows(t, error);
    if (status == CAROM_OK) status = sim_check_progress(t->sim, &pace, end, error);
  }
  return status;
}

static carom_status trace_in(arena *memory, tracer *t, const carom_model *model, const double *point,
                             carom_error *error) {
  const carom_fit *f = t->f;
  t->signals = ARENA_ARRAY(memory, int, f->match_count);
  t->next = ARENA_ARRAY(memory, long, f->file_count);
  t->taken = ARENA_ARRAY(memory, long, f->channel_count);
  t->offset = ARENA_ARRAY(memory, double, f->file_count);
  for (int i = 0; i < f->match_count; i++) {
    t->signals[i] = carom_model_signal(model, f->signals[i]);
    if (t->signals[i] < 0)
      return error_set(error, CAROM_ERROR_USAGE, "the model has no signal '%s' at these values", f->signals[i]);
  }
  for (int i = 0; i < f->file_count; i++)
    if (takes_part(f, i)) t->offset[i] = offset_of(f, &f->files[i], point);
  return run_to_end(t, error);
}

carom_status fit_trace(void *context, const carom_model *model, const double *point, double *traces,
                       carom_error *error) {
  carom_fit *f = context;
  tracer t = {.f = f, .traces = traces};
  arena memory = {0};
  jmp_buf out_of_memory;
  carom_status status;
  if (!fit_is_same_model(f, model, error)) return error->status;
  t.sim = sim_create(model, trials_go_on, &f->runs, error);
  if (!t.sim) return error->status;
  if (setjmp(out_of_memory)) {
    status = error_set(error, CAROM_ERROR_MEMORY, "out of memory for a trial run");
  } else {
    memory = arena_create(&out_of_memory);
    status = trace_in(&memory, &t, model, point, error);
  }
  arena_free(&memory);
  carom_sim_destroy(t.sim);
  return status;
}

void fit_residuals(const carom_fit *f, const double *traces, double *residuals) {
  for (int i = 0; i < f->fitted_channels; i++) {
    const fit_channel *c = &f->channels[i];
    for (long k = 0; k < c->count; k++) residuals[c->first + k] = c->weight * (traces[c->first + k] - c->y[k]);
  }
}
