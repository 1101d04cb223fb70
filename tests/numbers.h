// Numbers of a table of reference.
#ifndef CAROM_TESTS_NUMBERS_H
#define CAROM_TESTS_NUMBERS_H

#include <stdlib.h>

// Those at the beginning of a text, with blanks between them; returns how many there are, at most `room`.
static int read_numbers(const char *text, double *to, int room) {
  int count = 0;
  for (char *end; count < room; text = end) {
    to[count] = strtod(text, &end);
    if (end == text) break;
    count++;
  }
  return count;
}

#endif
