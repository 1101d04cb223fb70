// The whole state of a sim, kept in memory and put back: the numbers of a checkpoint.
#include <stdlib.h>

#include "base/error.h"
#include "sim.h"

struct carom_snapshot {
  const carom_model *model;
  int size;     // numbers of the sim, before those of points
  int points;   // of pairs that are near
  int *memory;  // how many numbers each callback remembers
  double numbers[];
};

static bool same_memory(const carom_snapshot *s, const carom_sim *sim) {
  for (int i = 0; i < sim->model->m.callback_count; i++)
    if (s->memory[i] != sim->callbacks[i].memory_count) return false;
  return true;
}

static carom_snapshot *take(carom_sim *sim, carom_error *error) {
  int size = sim_checkpoint_size(sim), points = sim->model->contacts.crowd ? sim_pair_points(sim) : 0;
  size_t count = (size_t)size + (points ? (size_t)points * (size_t)sim_point_size(sim) : 0);
  int callbacks = sim->model->m.callback_count;
  carom_snapshot *s = malloc(sizeof *s + count * sizeof *s->numbers);
  int *memory = malloc(((size_t)callbacks + 1) * sizeof *memory);
  if (!s || !memory) {
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the state of a simulation");
    free(s), free(memory);
    return NULL;
  }
  s->memory = memory;
  for (int i = 0; i < callbacks; i++) memory[i] = sim->callbacks[i].memory_count;
  s->model = sim->model, s->size = size, s->points = points;
  sim_checkpoint(sim, s->numbers);
  if (points) sim_checkpoint_points(sim, s->numbers + size);
  return s;
}

bool carom_sim_resumes_exactly(const carom_sim *sim) { return sim->type->resumes_exactly(sim->scheme); }

carom_snapshot *carom_sim_save(carom_sim *sim, carom_error *error) {
  error_clear(error);
  return sim_check_memory(sim, error) == CAROM_OK ? take(sim, error) : NULL;
}

// Rows of a record follow each other in time.
static carom_status check_not_recorded(const carom_sim *sim, carom_error *error) {
  return sim->recording ? error_set(error, CAROM_ERROR_USAGE,
                                    "the simulation is recorded, and its time cannot go back; end the record first")
                        : CAROM_OK;
}

static carom_status put_back(carom_sim *sim, const carom_snapshot *s, carom_error *error) {
  carom_status status = sim_load(sim, s->numbers, error);
  return status == CAROM_OK && sim->model->contacts.crowd
             ? sim_resume_points(sim, s->numbers + s->size, s->points, error)
             : status;
}

carom_status carom_sim_restore(carom_sim *sim, const carom_snapshot *s, carom_error *error) {
  error_clear(error);
  if (s->model != sim->model)
    return error_set(error, CAROM_ERROR_USAGE, "the state is that of a simulation of another model");
  carom_status status = check_not_recorded(sim, error);
  if (status == CAROM_OK) status = sim_check_memory(sim, error);
  if (status != CAROM_OK) return status;
  if (!same_memory(s, sim))
    return error_set(error, CAROM_ERROR_USAGE,
                     "the state is that of a simulation whose callbacks remember other numbers; bind the same ones");
  return put_back(sim, s, error);
}

void carom_snapshot_destroy(carom_snapshot *s) {
  if (s) free(s->memory);
  free(s);
}

// A sim at the start of the model with the callbacks of another one.
static carom_sim *create_alike(const carom_sim *sim, carom_error *error) {
  const mechanism *m = &sim->model->m;
  carom_sim *fresh = carom_sim_create(sim->model, error);
  carom_status status = fresh ? CAROM_OK : error->status;
  for (int i = 0; status == CAROM_OK && i < m->callback_count; i++)
    if (sim->callbacks[i].call) status = carom_sim_bind(fresh, m->callbacks[i].name, &sim->callbacks[i], error);
  if (status == CAROM_OK) return fresh;
  carom_sim_destroy(fresh);
  return NULL;
}

carom_status carom_sim_reset(carom_sim *sim, carom_error *error) {
  carom_error own;
  error = error_use(error, &own);
  if (check_not_recorded(sim, error) != CAROM_OK) return error->status;
  carom_sim *fresh = create_alike(sim, error);
  carom_snapshot *s = fresh ? take(fresh, error) : NULL;
  carom_status status = s ? put_back(sim, s, error) : error->status;
  carom_snapshot_destroy(s);
  carom_sim_destroy(fresh);
  return status;
}
