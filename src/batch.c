// Many sims on one model, shared out over threads. Each sim is one thread's own from start to end, so results do not
// depend on who ran it.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "sim.h"

typedef struct shared_batch {
  const carom_model *model;
  const carom_batch *batch;
  carom_summary *summaries;
  atomic_int next;
  atomic_bool stop;
} shared_batch;

// Whoever is told to end ends the others.
static bool go_on(void *context) {
  shared_batch *s = context;
  if (!atomic_load(&s->stop) && !s->batch->go_on(s->batch->context)) atomic_store(&s->stop, true);
  return !atomic_load(&s->stop);
}

// A start that could not be set is a failure of the sim: run from another start, it would give wrong numbers.
static carom_summary run_one(shared_batch *s, int i, carom_error *error) {
  const carom_batch *b = s->batch;
  if (atomic_load(&s->stop))
    return (carom_summary){.status = error_set(error, CAROM_INTERRUPTED, "interrupted before it began")};
  carom_sim *sim = carom_sim_create(s->model, error);
  if (!sim) return (carom_summary){.status = error->status};
  if (b->go_on) carom_sim_set_interrupt(sim, go_on, s);
  if (b->before) b->before(b->context, i, sim);
  if (sim_check_starts(sim, error) == CAROM_OK) {
    carom_sim_advance(sim, b->t_end, error);
    if (b->after) b->after(b->context, i, sim);
  }
  carom_summary summary = carom_sim_summary(sim);
  summary.status = error->status;
  carom_sim_destroy(sim);
  return summary;
}

static void *work(void *argument) {
  shared_batch *s = argument;
  for (int i; (i = atomic_fetch_add(&s->next, 1)) < s->batch->count;) {
    carom_error error = {0};
    carom_summary summary = run_one(s, i, &error);
    if (s->summaries) s->summaries[i] = summary;
    if (s->batch->errors) s->batch->errors[i] = error;
  }
  return NULL;
}

carom_status carom_batch_run(const carom_model *model, const carom_batch *batch, carom_summary *summaries,
                             carom_error *error) {
  error_clear(error);
  if (batch->count < 0 || batch->threads < 1 || batch->threads > 1024)
    return error_set(error, CAROM_ERROR_USAGE,
                     "a batch needs a count of at least 0 and 1 to 1024 threads, not %d and %d", batch->count,
                     batch->threads);
  if (!(isfinite(batch->t_end) && batch->t_end >= 0))
    return error_set(error, CAROM_ERROR_USAGE, "the end of a batch is %g s, but must be finite and not negative",
                     batch->t_end);
  shared_batch s = {.model = model, .batch = batch, .summaries = summaries};
  pthread_t *threads = calloc((size_t)batch->threads, sizeof *threads);
  if (!threads) return error_set(error, CAROM_ERROR_MEMORY, "out of memory for %d threads", batch->threads);
  int started = 0;
  while (started < batch->threads - 1 && pthread_create(&threads[started], NULL, work, &s) == 0) started++;
  work(&s);  // this thread helps, and does all of it if no other could be started
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  free(threads);
  return atomic_load(&s.stop) ? error_set(error, CAROM_INTERRUPTED, "the batch was interrupted") : CAROM_OK;
}
