#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void error_clear(carom_error *error) {
  if (error) memset(error, 0, sizeof *error);
}

carom_status error_set(carom_error *error, carom_status status, const char *format, ...) {
  if (!error || error->status != CAROM_OK) return status;
  error->status = status;
  va_list args;
  va_start(args, format);
  vsnprintf(error->message, sizeof error->message, format, args);
  va_end(args);
  snprintf(error->text, sizeof error->text, "error: %s", error->message);
  return status;
}
