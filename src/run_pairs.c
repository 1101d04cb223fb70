// Points of pairs that come and go, in a table of their own beside the checkpoints that they belong to.
#include "run.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "checkpoint.h"

// The number of the checkpoint, then what the sim says of a point.
record_table run_pair_table(run *r) {
  int size = 1 + sim_point_size(r->sim);
  const char **columns = ARENA_ARRAY(&r->memory, const char *, size),
             **units = ARENA_ARRAY(&r->memory, const char *, size);
  const char **names = checkpoint_point_names(r->sim, &r->memory);
  columns[0] = "checkpoint";
  for (int k = 1; k < size; k++) columns[k] = names[k - 1];
  for (int k = 0; k < size; k++) units[k] = "";
  return (record_table){.name = "checkpoint_pairs", .columns = columns, .units = units, .column_count = size};
}

// Storage of so many rows of points and one more, which begins with the number of the checkpoint.
static double *reserve_pair_rows(run *r, int rows) {
  size_t numbers = ((size_t)rows + 1) * (1 + (size_t)sim_point_size(r->sim));
  if (numbers > r->pair_capacity) r->pair_rows = ARENA_ARRAY(&r->memory, double, r->pair_capacity = 2 * numbers);
  return r->pair_rows;
}

carom_status run_write_pairs(run *r) {
  if (r->pair_table < 0) return CAROM_OK;
  int count = sim_pair_points(r->sim), width = sim_point_size(r->sim);
  double *rows = reserve_pair_rows(r, count), *row = rows + (long)count * width;
  sim_checkpoint_points(r->sim, rows);
  carom_status status = CAROM_OK;
  for (int i = 0; i < count && status == CAROM_OK; i++) {
    row[0] = (double)r->checkpoints;
    memcpy(row + 1, rows + (long)i * width, (size_t)width * sizeof *row);
    status = record_append(r->file, r->pair_table, row, r->error);
  }
  return status;
}

// The points that belong to a checkpoint: rows of its number, the last but for those of a checkpoint that was never
// completed.
bool run_resume_pairs(run *r, record_reader *in, long checkpoint) {
  if (!r->model->contacts.crowd) return true;
  int table = record_find_table(in, "checkpoint_pairs"), width = sim_point_size(r->sim);
  long due = r->sim->points_due;
  if (table < 0 || record_get_table(in, table).column_count != 1 + width || due > record_rows(in, table) ||
      due > INT_MAX)
    return error_set(r->error, CAROM_ERROR_FILE,
                     "the last checkpoint of '%s' is damaged: it lacks contacts that belong to it; run the model from "
                     "its start",
                     r->options->resume),
           false;
  int count = (int)due;
  double *rows = reserve_pair_rows(r, count), *row = rows + (long)count * width;
  long last = record_rows(in, table) - 1;
  for (; last >= 0; last--) {
    if (record_read(in, table, last, 1, row, r->error) != CAROM_OK) return false;
    if (row[0] <= (double)checkpoint) break;
  }
  int found = 0;
  for (; found < count && last >= count - 1; found++) {
    if (record_read(in, table, last - count + 1 + found, 1, row, r->error) != CAROM_OK) return false;
    if (row[0] != (double)checkpoint) break;
    memcpy(rows + (long)found * width, row + 1, (size_t)width * sizeof *row);
  }
  return sim_resume_points(r->sim, rows, found, r->error) == CAROM_OK;
}

carom_status run_copy_pairs(run *r) {
  if (r->pair_table < 0) return CAROM_OK;
  int table = record_find_table(r->earlier, "checkpoint_pairs");
  double *row = reserve_pair_rows(r, 0);
  carom_status status = CAROM_OK;
  for (long i = 0; i < record_rows(r->earlier, table) && status == CAROM_OK; i++) {
    status = record_read(r->earlier, table, i, 1, row, r->error);
    if (status == CAROM_OK && row[0] < (double)r->checkpoints)
      status = record_append(r->file, r->pair_table, row, r->error);
  }
  return status;
}
