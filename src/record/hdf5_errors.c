#include "record/hdf5_errors.h"

#include <stdio.h>
#include <string.h>

static herr_t take_first(unsigned n, const H5E_error2_t *entry, void *context) {
  hdf5_errors *q = context;
  if (n == 0) snprintf(q->reason, sizeof q->reason, "%s", entry->desc ? entry->desc : "unknown HDF5 error");
  return 0;
}

// HDF5 calls this when a function of its interface fails, before anything can clear the stack of errors.
static herr_t collect(hid_t stack, void *context) {
  const hdf5_errors *q = context;
  return q->reason[0] ? 0 : H5Ewalk2(stack, H5E_WALK_UPWARD, take_first, context);
}

void hdf5_errors_begin(hdf5_errors *q) {
  memset(q, 0, sizeof *q);
  H5Eauto_is_v2(H5E_DEFAULT, &q->modern);
  if (q->modern) H5Eget_auto2(H5E_DEFAULT, &q->print, &q->data);
  else H5Eget_auto1(&q->old_print, &q->data);
  H5Eset_auto2(H5E_DEFAULT, collect, q);
}

void hdf5_errors_end(const hdf5_errors *q) {
  if (q->modern) H5Eset_auto2(H5E_DEFAULT, q->print, q->data);
  else H5Eset_auto1(q->old_print, q->data);
}
