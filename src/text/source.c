#include "text/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW = 96, LEAD = 48 };

// A buffer that is always terminated and silently full.
typedef struct sink {
  char *next, *end;
} sink;

static sink sink_open(char *buffer, size_t size) {
  buffer[0] = '\0';
  return (sink){buffer, buffer + size - 1};
}

static void put_bytes(sink *out, const char *bytes, size_t count) {
  if (count > (size_t)(out->end - out->next)) {
    out->end = out->next;  // nothing half-written, nothing after it
    return;
  }
  memcpy(out->next, bytes, count);
  out->next += count;
  *out->next = '\0';
}

static void put_text(sink *out, const char *text) { put_bytes(out, text, strlen(text)); }

static void put_blanks(sink *out, int count) {
  while (count-- > 0) put_bytes(out, " ", 1);
}

// Length of the valid UTF-8 character at the start of `text`, 0 when there is none.
static size_t character(const char *text, size_t length) {
  const unsigned char *b = (const unsigned char *)text;
  if (length == 0) return 0;
  size_t n = b[0] < 0x80 ? 1 : b[0] < 0xC2 ? 0 : b[0] < 0xE0 ? 2 : b[0] < 0xF0 ? 3 : b[0] < 0xF5 ? 4 : 0;
  if (n == 0 || n > length) return 0;
  for (size_t i = 1; i < n; i++)
    if ((b[i] & 0xC0) != 0x80) return 0;
  return n;
}

// Writes one character of the source so that a terminal is safe, and returns how many columns it took.
static int put_character(sink *out, const char *text, size_t length, size_t *taken) {
  unsigned char c = (unsigned char)*text;
  size_t n = character(text, length);
  bool c1_control = n == 2 && c == 0xC2 && (unsigned char)text[1] < 0xA0;
  *taken = n ? n : 1;
  if (c == '\t') {
    put_bytes(out, " ", 1);
    return 1;
  }
  if (n == 0 || c < 0x20 || c == 0x7F || c1_control) {
    char escape[8];
    snprintf(escape, sizeof escape, "\\x%02X", c1_control ? (unsigned char)text[1] : c);
    put_text(out, escape);
    return 4;
  }
  put_bytes(out, text, n);
  return 1;
}

static void put_safe(sink *out, const char *text) {
  size_t length = strlen(text);
  for (size_t i = 0, taken; i < length; i += taken) put_character(out, text + i, length - i, &taken);
}

static bool is_break(char c) { return c == '\n' || c == '\r'; }

// Offset of the first byte of a line, or of the end when the text has fewer lines.
static size_t line_offset(const source *s, int line) {
  size_t i = 0;
  for (int n = 1; n < line && i < s->length; i++)
    if (s->text[i] == '\n' || (s->text[i] == '\r' && !(i + 1 < s->length && s->text[i + 1] == '\n'))) n++;
  return i;
}

// The source line with a caret below, cut to a window around the column.
static void put_line(sink *out, place at) {
  const source *s = at.source;
  size_t i = line_offset(s, at.line), taken;
  int column = 1, first = at.column > WINDOW - 8 ? at.column - LEAD : 1;
  for (; column < first && i < s->length && !is_break(s->text[i]); column++) {
    size_t n = character(s->text + i, s->length - i);
    i += n ? n : 1;
  }
  put_text(out, "\n  ");
  int caret = 0, shown = 0;
  if (first > 1) {
    put_text(out, "...");
    caret = 3;
  }
  for (; shown < WINDOW && i < s->length && !is_break(s->text[i]); shown++, column++, i += taken) {
    int width = put_character(out, s->text + i, s->length - i, &taken);
    if (column < at.column) caret += width;
  }
  if (i < s->length && !is_break(s->text[i])) put_text(out, "...");
  put_text(out, "\n  ");
  put_blanks(out, caret);
  put_text(out, "^");
}

static void put_place(sink *out, const char *file, place at) {
  put_text(out, file);
  if (at.line > 0) {
    char numbers[40];
    snprintf(numbers, sizeof numbers, ":%d:%d", at.line, at.column);
    put_text(out, numbers);
  }
  put_text(out, ": ");
}

bool source_error(carom_error *error, carom_status status, place at, const char *hint, const char *format, ...) {
  if (!error || error->status != CAROM_OK) return false;
  error->status = status;
  char message[sizeof error->message];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  sink out = sink_open(error->message, sizeof error->message);
  put_safe(&out, message);

  error->file[0] = '\0';
  error->line = error->column = 0;
  out = sink_open(error->text, sizeof error->text);
  if (at.source) {
    sink file = sink_open(error->file, sizeof error->file);
    put_safe(&file, at.source->name);
    error->line = at.line;
    error->column = at.column;
    put_place(&out, error->file, at);
  }
  put_text(&out, "error: ");
  put_text(&out, error->message);
  if (at.source && at.source->text && at.line > 0) put_line(&out, at);
  if (hint && *hint) {
    put_text(&out, strchr(hint, ' ') ? "\n  hint: " : "\n  hint: did you mean '");
    put_safe(&out, hint);
    put_text(&out, strchr(hint, ' ') ? "" : "'?");
  }
  return false;
}

typedef struct walker {
  const source *source;
  size_t i;
  place at;
} walker;

static char look(const walker *w) { return w->i < w->source->length ? w->source->text[w->i] : '\0'; }

static void walk(walker *w) {
  const source *s = w->source;
  size_t n = character(s->text + w->i, s->length - w->i);
  bool broke = s->text[w->i] == '\n' || (s->text[w->i] == '\r' && !(w->i + 1 < s->length && s->text[w->i + 1] == '\n'));
  w->i += n ? n : 1;
  w->at.line += broke;
  w->at.column = broke ? 1 : w->at.column + 1;
}

static void walk_blanks(walker *w) {
  while (w->i < w->source->length && (look(w) == ' ' || look(w) == '\t' || is_break(look(w)))) walk(w);
}

// A replaced `{i}` stands for the digits that are in the text now.
static size_t walk_braces(walker *w, const char *text, size_t k) {
  while (w->i < w->source->length && look(w) != '}' && !is_break(look(w))) walk(w);
  if (look(w) == '}') walk(w);
  if (text[k] == '-') k++;
  while (text[k] >= '0' && text[k] <= '9') k++;
  return k;
}

place source_advance(place at, const char *text, size_t offset) {
  if (!at.source || !at.source->text || at.line < 1) return at;
  walker w = {at.source, line_offset(at.source, at.line), {at.source, at.line, 1}};
  while (w.at.column < at.column && w.i < at.source->length && !is_break(look(&w))) walk(&w);
  size_t length = strlen(text);
  if (length && look(&w) != text[0]) walk_blanks(&w);
  for (size_t k = 0; k < offset && k < length && w.i < w.source->length;) {
    if (look(&w) == text[k]) {
      size_t n = character(text + k, length - k);
      walk(&w);
      k += n ? n : 1;
    } else if (text[k] == ' ' || text[k] == '\n') {
      walk_blanks(&w);
      while (text[k] == ' ' || text[k] == '\n') k++;
    } else if (look(&w) == '{') {
      k = walk_braces(&w, text, k);
    } else if (is_break(look(&w)) || look(&w) == ' ') {
      walk_blanks(&w);
      if (look(&w) != text[k]) return w.at;
    } else {
      return w.at;
    }
  }
  return w.at;
}
