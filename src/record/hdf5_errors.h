// HDF5 made silent: instead of printing its errors it hands us the reason of the first one.
#ifndef RECORD_HDF5_ERRORS_H
#define RECORD_HDF5_ERRORS_H

#include <hdf5.h>

// Between begin and end, HDF5's errors on this thread are collected here, and the application's own way of printing
// them is put aside.
typedef struct hdf5_errors {
  char reason[160];  // the innermost one of the first failed call; empty when none failed
  unsigned modern;   // which of HDF5's two callback types the application uses
  H5E_auto1_t old_print;
  H5E_auto2_t print;
  void *data;
} hdf5_errors;

void hdf5_errors_begin(hdf5_errors *q);
void hdf5_errors_end(const hdf5_errors *q);

#endif
