#include "base/lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

lines lines_start(const char *bytes, size_t length, char why[LINES_WHY]) {
  why[0] = 0;
  return (lines){.at = bytes, .end = bytes + length, .line = 1, .why = why};
}

bool lines_fail(lines *l, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int n = snprintf(l->why, LINES_WHY, "line %d: ", l->line);
  vsnprintf(l->why + n, (size_t)(LINES_WHY - n), format, args);
  va_end(args);
  return false;
}

bool lines_fail_whole(lines *l, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(l->why, LINES_WHY, format, args);
  va_end(args);
  return false;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

lines_word lines_next(lines *l) {
  while (l->at < l->end && is_blank(*l->at)) l->at++;
  const char *start = l->at;
  while (l->at < l->end && *l->at != '\n' && !is_blank(*l->at)) l->at++;
  return (lines_word){start, (size_t)(l->at - start)};
}

void lines_skip(lines *l) {
  while (l->at < l->end && *l->at != '\n') l->at++;
  if (l->at < l->end) l->at++, l->line++;
}

lines_word lines_next_line(lines *l) {
  for (; l->at < l->end; lines_skip(l)) {
    const lines_word w = lines_next(l);
    if (w.length) return w;
  }
  return (lines_word){l->end, 0};
}

bool lines_is(lines_word w, const char *wanted) {
  if (w.length != strlen(wanted)) return false;
  for (size_t i = 0; i < w.length; i++) {
    const char c = w.text[i] >= 'A' && w.text[i] <= 'Z' ? (char)(w.text[i] - 'A' + 'a') : w.text[i];
    if (c != wanted[i]) return false;
  }
  return true;
}

const char *lines_show(lines_word w, char text[32]) {
  const size_t n = w.length < 24 ? w.length : 24;
  for (size_t i = 0; i < n; i++) text[i] = w.text[i] > ' ' && w.text[i] < 127 ? w.text[i] : '?';
  snprintf(text + n, 32 - n, "%s", w.length > n ? "..." : "");
  return text;
}

bool lines_decimal(lines_word w, double *x) {
  char text[64];
  if (w.length == 0 || w.length >= sizeof text) return false;
  static const char allowed[] = "0123456789+-.eE";
  for (size_t i = 0; i < w.length; i++)
    if (!memchr(allowed, w.text[i], strlen(allowed))) return false;  // strchr would find a NUL
  memcpy(text, w.text, w.length);
  text[w.length] = 0;
  char *end;
  *x = number_read(text, &end);
  return *end == 0 && isfinite(*x);
}

bool lines_number(lines *l, const char *what, double *x) {
  char text[32];
  const lines_word w = lines_next(l);
  if (!w.length) return lines_fail(l, "%s is missing", what);
  return lines_decimal(w, x) || lines_fail(l, "'%s' is not a number", lines_show(w, text));
}

bool lines_count(lines *l, const char *what, int least, int most, int *n) {
  double x;
  if (!lines_number(l, what, &x)) return false;
  if (!(x >= least && x <= most) || x != floor(x))
    return lines_fail(l, "%s is %.15g, not a whole number from %d to %d", what, x, least, most);
  *n = (int)x;
  return true;
}
