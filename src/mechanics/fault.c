#include "mechanics/fault.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

bool fault_set(fault *f, carom_status status, part_id part, const char *hint, const char *format, ...) {
  if (f->error.status != CAROM_OK) return false;
  char message[sizeof f->error.message];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  error_set(&f->error, status, "%s", message);
  f->part = part;
  f->hint = hint;
  return false;
}
