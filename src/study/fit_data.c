// Files of measured samples: which column belongs to which signal, units, holes.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/output.h"
#include "base/word.h"
#include "study/fit.h"
#include "text/cells.h"

enum { DATA_BYTES_MAX = 256 << 20 };

typedef struct column {
  const char *name;  // as the user gives it
  int index;         // in the file; -1: it has none of this name
  double factor;     // SI value of its unit
  dimension dim;
} column;

typedef struct data_reader {
  carom_fit *f;
  const char *path;
  cells text;
  const char *header;  // the line of names; null if there is none
  int cells;           // of the first line
  column time;
  column *columns;  // one per match
  // rows so far
  double *t, **y;
  int rows, capacity, *counts, *capacities;
} data_reader;

#define REFUSE(r, ...) (error_set((r)->f->error, CAROM_ERROR_USAGE, __VA_ARGS__), false)

// --- the first lines -------------------------------------------------------------------------------------------------

// Whether a column has a name, with or without its unit.
static bool has_name(const char *cell, const char *name) {
  char alone[CELL_MAX], unit[CELL_MAX];
  cells_split_name(cell, alone, unit);
  return strcmp(cell, name) == 0 || strcmp(alone, name) == 0;
}

// The column of a name, or of a number from 1 on; -1 if there is none. Returns false after reporting.
static bool find_column(data_reader *r, const char *name, int *index) {
  char cell[CELL_MAX];
  double number;
  *index = -1;
  for (int i = 0; r->header && cells_read(&r->text, r->header, i, cell); i++) {
    if (!has_name(cell, name)) continue;
    if (*index >= 0)
      return REFUSE(r, "'%s': columns %d and %d have the name '%s'; give the number of the column, from 1 on", r->path,
                    *index + 1, i + 1, name);
    *index = i;
  }
  if (*index < 0 && cells_number(name, &number) && number >= 1 && number <= r->cells && number == floor(number))
    *index = (int)number - 1;
  return true;
}

// The names of all columns, for a message.
static const char *list_columns(data_reader *r) {
  arena_text list = {0};
  char cell[CELL_MAX];
  for (int i = 0; r->header && cells_read(&r->text, r->header, i, cell); i++)
    arena_append(&r->f->memory, &list, "%s%s", i ? ", " : "", cell);
  return list.text ? list.text : "no line of names, so give numbers from 1 on";
}

// The time is what the user names, else a column with the name t or time, else the first.
static bool find_time(data_reader *r) {
  const char *given = r->f->options->time;
  char cell[CELL_MAX], name[CELL_MAX], unit[CELL_MAX];
  r->time = (column){.name = given, .factor = 1, .dim = DIM_ANY};
  if (given) {
    if (!find_column(r, given, &r->time.index)) return false;
    return r->time.index >= 0 ||
           REFUSE(r, "'%s' has no column '%s' for the time; it has %s", r->path, given, list_columns(r));
  }
  for (int i = 0; r->header && cells_read(&r->text, r->header, i, cell); i++) {
    cells_split_name(cell, name, unit);
    if (strcasecmp(name, "t") != 0 && strcasecmp(name, "time") != 0) continue;
    r->time.index = i;
    break;
  }
  r->time.name = "time";
  return true;
}

static bool find_columns(data_reader *r) {
  int found = 0;
  if (!find_time(r)) return false;
  for (int i = 0; i < r->f->match_count; i++) {
    const carom_setting *m = &r->f->options->match[i];
    r->columns[i] = (column){.name = m->value, .factor = 1, .dim = DIM_ANY};
    if (!find_column(r, m->value, &r->columns[i].index)) return false;
    if (r->columns[i].index == r->time.index)
      return REFUSE(r, "'%s': column '%s' is the time and cannot be matched with '%s'", r->path, m->value, m->name);
    found += r->columns[i].index >= 0;
  }
  return found || REFUSE(r, "'%s' has no column that is matched; it has %s", r->path, list_columns(r));
}

// A unit, or nothing. Returns false if the text is none.
static bool read_unit(const char *text, column *c) {
  const size_t length = strlen(text);
  const bool plain = !length || strcmp(text, "1") == 0 || strcmp(text, "-") == 0;
  return plain || unit_product(text, &c->factor, &c->dim) == length;
}

// The unit of a column stands behind its name, or in a line between names and numbers, which may be null.
static bool take_unit(data_reader *r, column *c, dimension wanted, const char *line) {
  char cell[CELL_MAX], name[CELL_MAX], unit[CELL_MAX] = "", complaint[DIMENSION_COMPLAINT];
  if (c->index < 0) return true;
  if (r->header && cells_read(&r->text, r->header, c->index, cell)) cells_split_name(cell, name, unit);
  if (!*unit && line && cells_read(&r->text, line, c->index, cell)) snprintf(unit, sizeof unit, "%s", cell);
  if (!read_unit(unit, c)) return REFUSE(r, "'%s': '%s' is not a unit (column '%s')", r->path, unit, c->name);
  if (wanted == DIM_ANY || dimension_equal(wanted, c->dim)) return true;
  return REFUSE(r, "'%s': column '%s' must be %s", r->path, c->name, dimension_complaint(wanted, c->dim, complaint));
}

static bool take_units(data_reader *r, const char *line) {
  if (!take_unit(r, &r->time, DIM_TIME, line)) return false;
  for (int i = 0; i < r->f->match_count; i++)
    if (!take_unit(r, &r->columns[i], dimension_of_unit(r->f->units[i]), line)) return false;
  return true;
}

// --- lines of numbers ------------------------------------------------------------------------------------------------

// A number, or NaN for a sample that is missing. Returns false after reporting.
static bool read_sample(data_reader *r, const char *line, const column *c, double *x) {
  static const char *const holes[] = {"", "nan", "na", "n/a", "null", "-"};
  char cell[CELL_MAX];
  *x = NAN;
  if (c->index < 0 || !cells_read(&r->text, line, c->index, cell)) return true;
  for (size_t i = 0; i < sizeof holes / sizeof *holes; i++)
    if (strcasecmp(cell, holes[i]) == 0) return true;
  if (!cells_number(cell, x) || isinf(*x))
    return REFUSE(r, "'%s', line %d: '%s' is not a number (column '%s'); %s", r->path, r->text.line, cell, c->name,
                  strchr(cell, ',') ? "decimal numbers need a point" : "a missing sample is an empty cell or nan");
  *x *= c->factor;
  return true;
}

static bool take_line(data_reader *r, const char *line) {
  double t, y;
  const int count = cells_count(&r->text, line);
  if (count > r->cells)
    return REFUSE(r, "'%s', line %d: %d cells, and the first line has %d%s", r->path, r->text.line, count, r->cells,
                  r->text.separator == ',' ? "; decimal numbers need a point" : "");
  if (!read_sample(r, line, &r->time, &t)) return false;
  if (isnan(t)) return REFUSE(r, "'%s', line %d: the time is missing", r->path, r->text.line);
  if (r->rows && !(t > r->t[r->rows - 1]))
    return REFUSE(r, "'%s', line %d: the time must increase, but %.10g s comes after %.10g s", r->path, r->text.line, t,
                  r->t[r->rows - 1]);
  *ARENA_PUSH(&r->f->memory, r->t, r->rows, r->capacity) = t;
  for (int i = 0; i < r->f->match_count; i++) {
    if (!read_sample(r, line, &r->columns[i], &y)) return false;
    *ARENA_PUSH(&r->f->memory, r->y[i], r->counts[i], r->capacities[i]) = y;
  }
  return true;
}

// Whether the cells of all columns in question are numbers or empty: otherwise the line holds units.
static bool holds_numbers(data_reader *r, const char *line) {
  char cell[CELL_MAX];
  double x;
  return cells_read(&r->text, line, r->time.index, cell) && cells_number(cell, &x);
}

static bool read_lines(data_reader *r) {
  char cell[CELL_MAX];
  double x;
  const char *line = cells_next_line(&r->text);
  if (!line) return REFUSE(r, "'%s' is empty", r->path);
  r->cells = cells_count(&r->text, line);
  if (cells_read(&r->text, line, 0, cell) && !cells_number(cell, &x)) r->header = line;
  if (!find_columns(r)) return false;
  if (r->header) line = cells_next_line(&r->text);
  const bool has_units = r->header && line && !holds_numbers(r, line);
  if (!take_units(r, has_units ? line : NULL)) return false;
  if (has_units) line = cells_next_line(&r->text);
  for (; line; line = cells_next_line(&r->text))
    if (!take_line(r, line)) return false;
  return r->rows || REFUSE(r, "'%s' has no samples", r->path);
}

// --- files -----------------------------------------------------------------------------------------------------------

// The text of a file in memory of the fit. Returns null after reporting.
static const char *read_text(carom_fit *f, const char *path) {
  struct stat info;
  size_t length = 0;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const bool there = fd >= 0 && fstat(fd, &info) == 0;
  const char *why = !there ? strerror(errno) : S_ISDIR(info.st_mode) ? "not a file" : NULL;
  if (!why && info.st_size > DATA_BYTES_MAX) why = "it is larger than 256 MiB";
  char *bytes = why ? NULL : output_read(fd, DATA_BYTES_MAX, &length);
  if (!why && !bytes) why = "it cannot be read";
  if (!why && memchr(bytes, 0, length)) why = "it is not a text";
  const char *text = NULL;
  if (why) error_set(f->error, CAROM_ERROR_FILE, "cannot read '%s': %s", path, why);
  if (fd >= 0) close(fd);
  if (!why) text = arena_copy_text(&f->memory, bytes);
  free(bytes);
  return text;
}

// Samples of one match in one file, without the missing ones and those before the start of the run.
static void add_channel(carom_fit *f, const data_reader *r, int file, int match, double least_offset) {
  fit_channel *c = &f->channels[f->channel_count++];
  *c = (fit_channel){
      .file = file, .match = match, .column = arena_copy_text(&f->memory, f->options->match[match].value)};
  c->row = ARENA_ARRAY(&f->memory, long, r->rows);
  c->y = ARENA_ARRAY(&f->memory, double, r->rows);
  for (long i = 0; i < r->rows; i++) {
    const double y = r->y[match][i];
    if (isnan(y)) c->missing++;
    else if (r->t[i] + least_offset < 0) c->unused++;
    else c->row[c->count] = i, c->y[c->count++] = y;
  }
  c->first = f->m;
  f->m += c->count;
}

static bool read_file(carom_fit *f, int file, double least_offset) {
  fit_file *to = &f->files[file];
  data_reader r = {.f = f, .path = to->name, .text = {.next = read_text(f, to->name)}};
  if (!r.text.next) return false;
  r.columns = ARENA_ARRAY(&f->memory, column, f->match_count);
  r.y = ARENA_ARRAY(&f->memory, double *, f->match_count);
  r.counts = ARENA_ARRAY(&f->memory, int, f->match_count);
  r.capacities = ARENA_ARRAY(&f->memory, int, f->match_count);
  if (!read_lines(&r)) return false;
  to->t = r.t, to->rows = r.rows;
  for (int i = 0; i < f->match_count; i++)
    if (r.columns[i].index >= 0) add_channel(f, &r, file, i, least_offset);
  return true;
}

// --- all together ----------------------------------------------------------------------------------------------------

static bool find_signals(carom_fit *f, const carom_model *model) {
  const carom_fit_options *o = f->options;
  f->match_count = o->match_count;
  f->signals = ARENA_ARRAY(&f->memory, const char *, f->match_count);
  f->units = ARENA_ARRAY(&f->memory, const char *, f->match_count);
  for (int i = 0; i < f->match_count; i++) {
    const int signal = carom_model_signal(model, o->match[i].name);
    if (signal < 0) {
      const char *near = NULL;
      for (int k = 0; k < carom_model_signal_count(model); k++)
        near = word_nearest(o->match[i].name, (const char *[]){near, carom_model_signal_name(model, k)}, 2);
      error_set(f->error, CAROM_ERROR_USAGE,
                "--match %s=%s: the model has no signal '%s'%s%s%s; 'carom check MODEL --signals' lists them",
                o->match[i].name, o->match[i].value, o->match[i].name, near ? ", did you mean '" : "", near ? near : "",
                near ? "'?" : "");
      return false;
    }
    f->signals[i] = arena_copy_text(&f->memory, o->match[i].name);
    f->units[i] = arena_copy_text(&f->memory, carom_model_signal_unit(model, signal));
  }
  return true;
}

// Of a match: over the files that are fitted, or else over those that are held out.
static double range_of(const carom_fit *f, int match) {
  for (int hold_out = 0; hold_out < 2; hold_out++) {
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < f->channel_count; i++) {
      const fit_channel *c = &f->channels[i];
      if (c->match != match || f->files[c->file].hold_out != hold_out) continue;
      for (long k = 0; k < c->count; k++) least = fmin(least, c->y[k]), most = fmax(most, c->y[k]);
    }
    if (most > least) return most - least;
    if (most == least && most != 0) return fabs(most);
  }
  return 1;
}

static bool check_matches(carom_fit *f) {
  for (int i = 0; i < f->match_count; i++) {
    long samples = 0;
    for (int k = 0; k < f->fitted_channels; k++) samples += f->channels[k].match == i ? f->channels[k].count : 0;
    if (!samples)
      return error_set(f->error, CAROM_ERROR_USAGE,
                       "--match %s=%s: no file that is fitted has samples in a column '%s'", f->signals[i],
                       f->options->match[i].value, f->options->match[i].value),
             false;
  }
  if (f->fitted > f->n) return true;
  return error_set(f->error, CAROM_ERROR_USAGE,
                   "%ld samples cannot determine %d parameters: there must be more samples", f->fitted, f->n),
         false;
}

static void warn_of_repeats(carom_fit *f) {
  for (int i = 0; i < f->file_count; i++)
    for (int k = 0; k < i; k++)
      if (!f->files[i].hold_out && strcmp(f->files[i].name, f->files[k].name) == 0)
        fit_warn(f, "'%s' is fitted twice: its samples count double, and intervals are too narrow; give it a weight",
                 f->files[i].name);
}

static void add_file(carom_fit *f, const carom_fit_data *d) {
  f->files[f->file_count++] = (fit_file){.name = arena_copy_text(&f->memory, d->file),
                                         .weight = d->weight > 0 ? d->weight : 1,
                                         .hold_out = d->hold_out,
                                         .offset = -1};
}

bool fit_read_data(carom_fit *f, const carom_model *model) {
  const carom_fit_options *o = f->options;
  const sweep_range *offset = o->offset ? &f->ranges[f->range_count] : NULL;
  const double least = offset ? offset->low : 0, most = offset ? offset->high : 0;
  double end = 0;
  if (!find_signals(f, model)) return false;
  f->files = ARENA_ARRAY(&f->memory, fit_file, o->data_count);
  f->channels = ARENA_ARRAY(&f->memory, fit_channel, o->data_count * f->match_count);
  for (int hold_out = 0; hold_out < 2; hold_out++) {
    for (int i = 0; i < o->data_count; i++)
      if (o->data[i].hold_out == hold_out) add_file(f, &o->data[i]);
    if (!hold_out) f->n = f->range_count + (offset ? f->file_count : 0);
  }
  for (int i = 0; i < f->file_count; i++) {
    if (!read_file(f, i, least)) return false;
    if (offset) f->files[i].offset = f->range_count + i;
    if (!f->files[i].hold_out) f->fitted_channels = f->channel_count, f->fitted = f->m;
    end = fmax(end, f->files[i].t[f->files[i].rows - 1] + most);
  }
  for (int i = 0; i < f->channel_count; i++) {
    fit_channel *c = &f->channels[i];
    c->scale = range_of(f, c->match);
    c->weight = sqrt(f->files[c->file].weight) / c->scale;
    if (c->unused)
      fit_warn(f, "%ld samples of '%s' in '%s' are not used: they can be before the start of the model", c->unused,
               c->column, f->files[c->file].name);
  }
  warn_of_repeats(f);
  if (!(end > 0))
    return error_set(f->error, CAROM_ERROR_USAGE, "all samples are before the start of the model at t = 0 s"), false;
  return check_matches(f);
}
