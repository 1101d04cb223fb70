// Records in the forms of other programs.
#ifndef EXPORT_FORM_H
#define EXPORT_FORM_H

#include <stdio.h>

#include "base/arena.h"
#include "base/output.h"
#include "carom/carom.h"
#include "record/record.h"

typedef struct export_job {
  arena memory;
  record_reader *in;
  const char *run, *path;
  const carom_export_options *options;
  carom_error *error;
  FILE *file;          // open for writing; may be null
  output_file beside;  // until it is whole
} export_job;

// A new file at a path, written beside it: refused where a file without our mark is there. Returns false after
// reporting. Files are binary and can be sought in.
bool export_open(export_job *j, const char *path, const char *kind);
// Ends it: moved to its place if `status` is CAROM_OK, else removed. Returns the first failure.
carom_status export_close(export_job *j, carom_status status);
// Every file has this mark within its first 4096 bytes.
#define EXPORT_MARK "carom export"

carom_status export_mat(export_job *j);
carom_status export_gltf(export_job *j);
carom_status export_vtk(export_job *j);

#endif
