// Callbacks of a model, and the C functions that a program binds to them.
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

carom_status sim_check_bound(const carom_sim *sim, carom_error *error) {
  const mechanism *m = &sim->model->m;
  for (int i = 0; i < m->callback_count; i++)
    if (!sim->bindings[i].call)
      return error_set(error, CAROM_ERROR_USAGE,
                       "callback '%s' is not bound: a program that runs this model binds a function to it with "
                       "carom_sim_bind, in Python with bind",
                       m->callbacks[i].name);
  return CAROM_OK;
}

static carom_status check_callback(const carom_callback *bound, const char *name, bool at_rate, carom_error *error) {
  if (!bound || !bound->call) return error_set(error, CAROM_ERROR_USAGE, "callback '%s' was given no function", name);
  if (bound->memory_count < 0 || (bound->memory_count > 0) != (bound->save && bound->restore))
    return error_set(error, CAROM_ERROR_USAGE,
                     "callback '%s': its memory needs both save and restore, and the number of its numbers", name);
  if (!at_rate && (bound->remembers || bound->memory_count))
    return error_set(error, CAROM_ERROR_USAGE,
                     "callback '%s' is called at each evaluation and so cannot remember; give it 'every' in the model, "
                     "or use states",
                     name);
  return CAROM_OK;
}

carom_status carom_sim_bind(carom_sim *sim, const char *name, const carom_callback *bound, carom_error *error) {
  const mechanism *m = &sim->model->m;
  carom_error own;
  error = error_use(error, &own);
  int i = 0;
  while (i < m->callback_count && strcmp(m->callbacks[i].name, name) != 0) i++;
  if (i == m->callback_count) return error_set(error, CAROM_ERROR_USAGE, "the model has no callback '%s'", name);
  carom_status status = check_callback(bound, name, m->callbacks[i].every > 0, error);
  if (status != CAROM_OK) return status;
  if (sim->recording && bound->memory_count != sim->callbacks[i].memory_count)
    return error_set(
        error, CAROM_ERROR_USAGE,
        "callback '%s' remembers another number of numbers than the one that is recorded; end the record first", name);
  int most = bound->memory_count;
  for (int k = 0; k < m->callback_count; k++)
    most = sim->callbacks[k].memory_count > most ? sim->callbacks[k].memory_count : most;
  double *memory = realloc(sim->callback_memory, ((size_t)most + 1) * sizeof *memory);
  if (!memory) return error_set(error, CAROM_ERROR_MEMORY, "out of memory for callback '%s'", name);
  sim->callback_memory = memory;
  callback_binding before = sim->bindings[i];
  sim_show_end(sim);
  sim->bindings[i] = (callback_binding){bound->call, bound->context};
  sim->x->bad_callback = 0;
  sim->x->sampled[i] = -1;  // the new function has not been called here
  status = sim_restart(sim, error);
  if (status == CAROM_OK) sim->callbacks[i] = *bound;
  else sim->bindings[i] = before;
  return status;
}

carom_status sim_blame_callback(const carom_sim *sim, int failed, double t, carom_error *error) {
  error_clear(error);
  return error_set(error, CAROM_ERROR_INTEGRATOR,
                   "callback '%s' has failed near t = %g s: it returned false, or an output that is not finite",
                   sim->model->m.callbacks[failed - 1].name, t);
}

carom_status sim_check_memory(const carom_sim *sim, carom_error *error) {
  const mechanism *m = &sim->model->m;
  carom_status status = sim_check_bound(sim, error);
  for (int i = 0; status == CAROM_OK && i < m->callback_count; i++)
    if (sim->callbacks[i].remembers && !sim->callbacks[i].memory_count)
      status = error_set(
          error, CAROM_ERROR_USAGE,
          "callback '%s' remembers what nobody can save: give it save and restore, or use states of the model",
          m->callbacks[i].name);
  return status;
}
