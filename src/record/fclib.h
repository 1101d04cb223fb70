// Friction contact problems in the HDF5 layout of FCLIB, as plain arrays.
//
//   /fclib_local    u = W r + V λ + q,              0 = Vᵀ r + R λ + s
//   /fclib_global   M v = H r + G λ + f,  u = Hᵀ v + w,  0 = Gᵀ v + b
#ifndef RECORD_FCLIB_H
#define RECORD_FCLIB_H

#include <stdbool.h>

#include "base/arena.h"
#include "carom/status.h"

// By entries, in range.
typedef struct fclib_matrix {
  int rows, columns, count;  // 0 rows: not in the file
  const int *row, *column;
  const double *value;
} fclib_matrix;

typedef struct fclib_problem {
  bool global;
  int dimension, contacts, equations;  // equations: length of λ
  const double *mu;                    // of each contact
  fclib_matrix W, V, R;
  const double *q, *s;
  int velocities;
  fclib_matrix M, H, G;
  const double *f, *w, *b;
} fclib_problem;

// Null after reporting: no such file, not of this layout, sizes that do not fit together.
const fclib_problem *fclib_read(arena *memory, const char *path, carom_error *error);

#endif
