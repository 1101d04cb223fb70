// What is wrong with a mechanism or a material, for someone who knows where it stands in a file: mechanics and contact
// know parts, the build knows their places.
#ifndef MECHANICS_FAULT_H
#define MECHANICS_FAULT_H

#include <stdbool.h>

#include "carom/status.h"

// A part of a model, by its number in the definition.
typedef struct part_id {
  enum { PART_NONE, PART_BODY, PART_JOINT, PART_CONSTRAINT, PART_DRIVE } kind;
  int index;
} part_id;

// Start from {0}.
typedef struct fault {
  carom_error error;  // without a place
  part_id part;       // that it is about
  const char *hint;   // what to do; may be null
} fault;

// Sets status, part, hint and message. Keeps the first fault. Returns false, so that a check can `return
// fault_set(...)`.
bool fault_set(fault *f, carom_status status, part_id part, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
