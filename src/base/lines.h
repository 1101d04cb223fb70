// Words and numbers of the lines of a text that may hold anything. What is wrong is told once, with its line.
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum { LINES_WHY = 160 };

typedef struct lines {
  const char *at, *end;
  int line;   // from 1
  char *why;  // what is wrong, in the caller's array of LINES_WHY; empty while nothing is
} lines;

typedef struct lines_word {
  const char *text;  // not ended by a zero
  size_t length;     // 0 at the end of the line
} lines_word;

lines lines_start(const char *bytes, size_t length, char why[LINES_WHY]);
// Says what is wrong, behind "line N: ". Returns false.
bool lines_fail(lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The same without the line.
bool lines_fail_whole(lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The next word of the line.
lines_word lines_next(lines *l);
void lines_skip(lines *l);  // to the next line
// The first word of the next line that has one, from the beginning of a line on; empty at the end of the text.
lines_word lines_next_line(lines *l);
// Without regard to upper and lower case; `wanted` is in lower case.
bool lines_is(lines_word w, const char *wanted);
// Of a message: printable, and not too long.
const char *lines_show(lines_word w, char text[32]);

// A decimal number, finite: no hexadecimal digits and no names.
bool lines_decimal(lines_word w, double *x);
// The next words of the line as numbers. Return false after saying what is missing or wrong; `what` is in the message.
bool lines_number(lines *l, const char *what, double *x);
bool lines_count(lines *l, const char *what, int least, int most, int *n);

#endif
