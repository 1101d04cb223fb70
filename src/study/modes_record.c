// A record of modes: each moves through one period, so that the page of a report can show it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/dynamics.h"
#include "mechanics/signal.h"
#include "run.h"
#include "study/normal_modes.h"

enum { FRAMES = 40 };  // of one period

static const char *const mode_columns[] = {"mode",      "first", "last",      "real",
                                           "imaginary", "omega", "frequency", "damping"};
static const char *const mode_units[] = {"1", "s", "s", "1/s", "1/s", "rad/s", "Hz", "1"};
enum { MODE_COLUMNS = sizeof mode_columns / sizeof *mode_columns };

typedef struct mode_film {
  const carom_modes *modes;
  carom_sim *sim;
  run about;  // of which the record takes tables and texts
  record *out;
  int tables[GROUP_COUNT], mode_table;
  double *move, *values;
  carom_error *error;
} mode_film;

// Of the tables of a run those that follow from positions and velocities.
static bool is_shown(const carom_model *model, int i) {
  const int group = run_group_of(model, i);
  const bool moves = group == GROUP_TIME || group == GROUP_JOINTS || group == GROUP_BODIES || group == GROUP_MARKERS;
  return moves && run_is_recorded(model, i) && model->m.signals[i].level <= LEVEL_VELOCITY;
}

static bool open_file(mode_film *f, const char *path) {
  run *r = &f->about;
  const carom_model *model = r->model;
  record_table tables[GROUP_COUNT + 1];
  int count = 0, text_count, most = MODE_COLUMNS;
  for (int i = 0; i < model->m.signal_count; i++)
    if (is_shown(model, i)) {
      group *g = &r->groups[run_group_of(model, i)];
      *ARENA_PUSH(&r->memory, g->signals, g->count, g->capacity) = i;
    }
  for (int g = 0; g < GROUP_COUNT; g++) {
    f->tables[g] = -1;
    if (!r->groups[g].count) continue;
    const int width = r->groups[g].count;
    const char **columns = ARENA_ARRAY(&r->memory, const char *, width),
               **units = ARENA_ARRAY(&r->memory, const char *, width);
    for (int k = 0; k < width; k++) {
      columns[k] = carom_model_signal_name(model, r->groups[g].signals[k]);
      units[k] = carom_model_signal_unit(model, r->groups[g].signals[k]);
    }
    f->tables[g] = count, most = width > most ? width : most;
    tables[count++] =
        (record_table){.name = run_group_names[g], .columns = columns, .units = units, .column_count = width};
  }
  f->mode_table = count;
  tables[count++] =
      (record_table){.name = "modes", .columns = mode_columns, .units = mode_units, .column_count = MODE_COLUMNS};
  f->values = ARENA_ARRAY(&r->memory, double, most);
  record_text *texts = run_describe(r, &text_count);
  record_settings settings = record_settings_default();
  settings.name = path;
  f->out = record_create(path, tables, count, texts, text_count, &settings, f->error);
  return f->out != NULL;
}

// How far a mode moves: at most 0.3 of a radian or of the size of the model.
static double amplitude_of(const carom_modes *modes, const mode *m) {
  double most = 0;
  for (int i = 0; i < modes->n; i++) most = fmax(most, hypot(m->delta_re[i], m->delta_im[i]) / modes->scale[i]);
  return most > 0 ? 0.3 / most : 0;
}

// The displacement at a phase, and its rate for a period of one second. Loops are closed again.
static void pose_at(mode_film *f, const mode *m, double t, double phase) {
  const mechanism *of = &f->sim->model->m;
  motion *x = f->sim->x;
  const double a = amplitude_of(f->modes, m), c = cos(phase), s = sin(phase);
  memcpy(f->move + of->nv, f->modes->q, (size_t)of->nq * sizeof *f->move);
  memset(f->move, 0, (size_t)of->nv * sizeof *f->move);
  for (int i = 0; i < f->modes->n; i++) f->move[f->modes->speed[i]] = a * (m->delta_re[i] * c - m->delta_im[i] * s);
  dynamics_move(of, f->move + of->nv, f->move);
  dynamics_normalize(of, f->move + of->nv);
  memset(f->move, 0, (size_t)of->nv * sizeof *f->move);
  for (int i = 0; i < f->modes->n; i++)
    f->move[f->modes->speed[i]] = -2 * M_PI * a * (m->delta_re[i] * s + m->delta_im[i] * c);
  dynamics_set(of, x, t, f->move + of->nv, f->move);
  if (of->row_count && dynamics_project_positions(of, x, 1e-9 * of->length, 50)) dynamics_project_velocities(of, x);
  dynamics_positions_velocities(of, x);
}

static carom_status write_row(mode_film *f) {
  carom_status status = CAROM_OK;
  for (int g = 0; g < GROUP_COUNT && status == CAROM_OK; g++) {
    if (f->tables[g] < 0) continue;
    for (int k = 0; k < f->about.groups[g].count; k++)
      f->values[k] = signal_read(&f->sim->model->m, f->sim->x, f->about.groups[g].signals[k]);
    status = record_append(f->out, f->tables[g], f->values, f->error);
  }
  return status;
}

// The last frame of a mode is as its first, a little before the next one begins.
static carom_status write_mode(mode_film *f, int i) {
  const mode *m = &f->modes->modes[i];
  const double last = i + 1 - 1e-6;
  const double row[MODE_COLUMNS] = {
      i + 1, i, last, m->about.real, m->about.imaginary, m->about.omega, m->about.frequency, m->about.damping};
  carom_status status = record_append(f->out, f->mode_table, row, f->error);
  for (int k = 0; k <= FRAMES && status == CAROM_OK; k++) {
    pose_at(f, m, i + (last - i) * k / FRAMES, 2 * M_PI * k / FRAMES);
    status = write_row(f);
  }
  return status;
}

static carom_status write_film(mode_film *f, const char *path, bool force) {
  const mechanism *m = &f->sim->model->m;
  output_file file;
  int inputs;
  const char **spared = model_files(f->sim->model, &f->about.memory, &inputs);
  carom_output out = {.path = path, .kind = CAROM_FILE_RECORD, .inputs = spared, .input_count = inputs, .force = force};
  if (carom_output_check(&out, f->error) != CAROM_OK || !output_begin(&file, path, f->error)) return f->error->status;
  f->move = ARENA_ARRAY(&f->about.memory, double, m->nv + m->nq + 1);
  carom_status status = open_file(f, file.place) ? CAROM_OK : f->error->status;
  for (int i = 0; i < f->modes->count && status == CAROM_OK; i++) status = write_mode(f, i);
  if (f->out && status == CAROM_OK) status = record_finish(f->out, "{}", f->error);
  else record_abandon(f->out);
  carom_status ended = output_end(&file, status == CAROM_OK, f->error);
  return status == CAROM_OK ? ended : status;
}

carom_status carom_modes_record(const carom_modes *modes, carom_sim *sim, const char *path, bool force,
                                carom_error *error) {
  carom_error own;
  carom_run_options options = {.record = path};
  mode_film f = {.modes = modes, .sim = sim, .error = error_use(error, &own)};
  f.about = (run){.model = sim->model, .options = &options, .error = f.error, .sim = sim};
  f.about.touches.table = f.about.touches.times = -1;
  if (sim->recording) return error_set(f.error, CAROM_ERROR_USAGE, "the sim is recorded: end that record first");
  motion *before = motion_create(&sim->model->m, sim->model->contacts.inner_count, f.error);
  if (!before) return f.error->status;
  sim_keep(sim, before);
  jmp_buf out_of_memory;
  if (setjmp(out_of_memory)) {
    error_set(f.error, CAROM_ERROR_MEMORY, "out of memory for the record of modes");
  } else {
    f.about.memory = arena_create(&out_of_memory);
    write_film(&f, path, force);
  }
  arena_free(&f.about.memory);
  sim_go_back(sim, before);
  motion_destroy(before);
  return f.error->status;
}
