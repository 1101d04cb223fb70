// The list of status codes. Every function that can fail for a reason outside the program returns one of them.
#ifndef CAROM_STATUS_H
#define CAROM_STATUS_H

#include "carom/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// name, exit code of the command line, what it means
#define CAROM_STATUS_LIST(X)                                   \
  X(OK, 0, "done")                                             \
  X(ERROR_MODEL, 2, "the model is not valid")                  \
  X(ERROR_USAGE, 2, "an argument is not valid")                \
  X(ERROR_MEMORY, 1, "out of memory")                          \
  X(ERROR_FILE, 3, "a file could not be read or written")      \
  X(ERROR_ASSEMBLY, 2, "the mechanism cannot be assembled")    \
  X(ERROR_SINGULAR, 1, "the equations of motion are singular") \
  X(ERROR_INTEGRATOR, 1, "the integrator could not continue")  \
  X(ERROR_USER, 1, "a user function asked to stop")            \
  X(INTERRUPTED, 130, "interrupted")                           \
  X(ERROR_STUDY, 1, "the study has no result")

typedef enum carom_status {
#define X(name, code, text) CAROM_##name,
  CAROM_STATUS_LIST(X)
#undef X
} carom_status;

CAROM_API const char *carom_status_text(carom_status status);
CAROM_API int carom_status_exit_code(carom_status status);

// What went wrong and where. Every function that takes a carom_error fills it; the text is empty if there was no error.
typedef struct carom_error {
  carom_status status;
  int line, column;   // from 1; 0 if the error has no place in a file
  char file[256];     // empty if the error has no place in a file
  char message[512];  // one sentence
  char text[1600];    // complete message: place, sentence, source line, caret, suggestion
} carom_error;

#ifdef __cplusplus
}
#endif
#endif
