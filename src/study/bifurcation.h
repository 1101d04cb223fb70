// A bifurcation diagram in its parts: the attractor at each value, the changes between values, and the file.
#ifndef STUDY_BIFURCATION_H
#define STUDY_BIFURCATION_H

#include <time.h>

#include "carom/bifurcation.h"
#include "study/orbit.h"
#include "study/sweep.h"

// What a value has led to. It is of one model, which lives as long.
typedef struct attempt {
  arena memory;
  double value;
  carom_model *model;
  carom_sim *sim;
  orbit orbit;
  double *signals;  // point by point
  double *times;
  lyapunov exponent;
  carom_status status;
  carom_error error;
  double wall_s;
  struct attempt *next;  // among those that live
} attempt;

typedef enum change_kind {
  CHANGE_FOLD,
  CHANGE_FLIP,
  CHANGE_TORUS,
  CHANGE_GRAZING,
  CHANGE_REST,
  CHANGE_CRISIS,
  CHANGE_JUMP,
  CHANGE_OTHER
} change_kind;
extern const char *const change_words[];
enum { CHANGE_KINDS = CHANGE_OTHER + 1 };

// A table in memory.
typedef struct study_table {
  const char *name;
  const char **columns, **units;
  int column_count;
  double **rows;
  int count, capacity;
} study_table;

enum { TABLE_VALUES, TABLE_POINTS, TABLE_CHANGES, BIFURCATION_TABLES };
enum { FORWARD = 1, BACKWARD };  // places of the words for directions

typedef struct bifurcation {
  const carom_bifurcation_options *options;
  jmp_buf out_of_memory;
  arena memory;
  carom_error *error;
  struct timespec began;
  sweep_plan plan;
  orbit_rule rule;
  section_words section;
  const char **take, **take_units;
  int take_count;
  int halvings;
  const char *identity, *title;
  carom_setting *settings;
  study_table tables[BIFURCATION_TABLES];
  char **messages;  // one per row of values; null of those that did not fail
  attempt *alive;
  long done, failed, changes;
  double first_failed;
  char first_message[1600];
  bool stop;
} bifurcation;

// attempt.c: settles at a value, from the last section of another attempt, or from the start of the model if that is
// null. Its status says whether it has failed.
attempt *attempt_run(bifurcation *b, double value, const attempt *from);
// What takes long: the multiplier of a periodic orbit, and the Lyapunov exponent if it is asked for.
void attempt_complete(bifurcation *b, attempt *a);
void attempt_find_multiplier(bifurcation *b, attempt *a);  // if it has not been found yet
void attempt_free(bifurcation *b, attempt *a);             // null is legal

// change.c: looks whether something changes from one value to the next, and if so, where and what.
void change_look(bifurcation *b, int direction, attempt *first, attempt *second);

// bifurcation_file.c
void study_table_add(bifurcation *b, int table, const double *row);
void bifurcation_name_tables(bifurcation *b);
carom_status bifurcation_write(bifurcation *b, const char *path);

#endif
