// Filling a carom_error. Trouble that has a place in a model file is reported by text/source.h instead.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "carom/status.h"

// Sets status and message (printf style) and returns the status. A null error is legal. Keeps the first error:
// what is already recorded is not overwritten.
carom_status error_set(carom_error *error, carom_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Adds to the message. A null error is legal.
void error_append(carom_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

void error_clear(carom_error *error);

// What a public function begins with: the caller's error, cleared, or one of its own where the caller gives none.
carom_error *error_use(carom_error *error, carom_error *own);

// What to do about a number that is not finite, behind a message that says which and when.
#define NOT_FINITE_ADVICE                                                                                            \
  "look for a division by zero, a root or logarithm of a negative number, or an overflow in the forces, drives and " \
  "other expressions at this time"

#endif
