// Modes of vibration as they are kept.
#ifndef STUDY_NORMAL_MODES_H
#define STUDY_NORMAL_MODES_H

#include "base/arena.h"
#include "carom/carom.h"

typedef struct mode {
  carom_mode about;
  double *re, *im;              // of each row that shapes are told in
  double *delta_re, *delta_im;  // displacements along the free speeds
} mode;

struct carom_modes {
  arena memory;
  mode *modes;
  int count;
  const char **names, **units;
  int row_count;
  double imbalance, fastest, change;  // as carom_modes_imbalance, _speed and _change tell them
  double *q;                          // the position
  int n, *speed;                      // free speeds
  double *scale;                      // of each: a radian, or the size of the model
};

#endif
