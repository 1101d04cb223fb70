// HDF5 made silent: instead of printing its errors it hands us the reason of the first one.
#ifndef RECORD_QUIET_H
#define RECORD_QUIET_H

#include <hdf5.h>

// Between begin and end, HDF5's errors on this thread are collected here, and the application's own way of printing
// them is put aside.
typedef struct quiet {
  char reason[160];  // the innermost one of the first failed call; empty when none failed
  unsigned modern;   // which of HDF5's two callback types the application uses
  H5E_auto1_t old_print;
  H5E_auto2_t print;
  void *data;
} quiet;

void quiet_begin(quiet *q);
void quiet_end(const quiet *q);

#endif
