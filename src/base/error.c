#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Called at every step, so only what is read gets cleared.
void error_clear(carom_error *error) {
  if (!error) return;
  error->status = CAROM_OK;
  error->line = error->column = 0;
  error->file[0] = error->message[0] = error->text[0] = 0;
}

carom_error *error_use(carom_error *error, carom_error *own) {
  carom_error *used = error ? error : own;
  error_clear(used);
  return used;
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

void error_append(carom_error *error, const char *format, ...) {
  if (!error) return;
  size_t used = strlen(error->message);
  va_list args;
  va_start(args, format);
  vsnprintf(error->message + used, sizeof error->message - used, format, args);
  va_end(args);
  snprintf(error->text, sizeof error->text, "error: %s", error->message);
}
