#include "base/json.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

// --- writing ---------------------------------------------------------------------------------------------------------

json_writer json_begin(arena *memory) { return (json_writer){.memory = memory, .first = true}; }

json_writer json_begin_in(char *text, int size) { return (json_writer){.out = {text, 0, size}, .first = true}; }

static void put(json_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(json_writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (w->memory) {
    arena_append_list(w->memory, &w->out, format, args);
  } else {
    int left = w->out.length < w->out.capacity ? w->out.capacity - w->out.length : 0;
    w->out.length += vsnprintf(left ? w->out.text + w->out.length : NULL, (size_t)left, format, args);
  }
  va_end(args);
}

// Bytes of a well-formed UTF-8 character of more than one byte, or 0.
static int utf8_length(const unsigned char *s) {
  int n = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
  for (int i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  bool too_long = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
  bool none = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);  // surrogates, beyond U+10FFFF
  return too_long || none ? 0 : n;
}

static bool stands_as_it_is(unsigned char c) {
  return c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

static void put_quoted(json_writer *w, const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  put(w, "\"");
  while (*s) {
    int plain = 0;
    while (stands_as_it_is(s[plain])) plain++;
    if (plain) put(w, "%.*s", plain, (const char *)s);
    s += plain;
    if (!*s) break;
    int n = *s < 128 ? 0 : utf8_length(s);
    bool separator =
        n == 3 && s[0] == 0xe2 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9);  // ends a line in scripts
    if (separator) put(w, "\\u20%02x", s[2] - 0x80);
    else if (n) put(w, "%.*s", n, (const char *)s);
    else if (*s < 128) put(w, "\\u%04x", *s);
    else put(w, "\\ufffd");
    s += n ? n : 1;
  }
  put(w, "\"");
}

static void put_key(json_writer *w, const char *key) {
  if (!w->first) put(w, ", ");
  w->first = false;
  if (!key) return;
  put_quoted(w, key);
  put(w, ": ");
}

void json_open(json_writer *w, const char *key, char bracket) {
  put_key(w, key);
  put(w, "%c", bracket);
  w->first = true;
}

void json_close(json_writer *w, char bracket) {
  put(w, "%c", bracket);
  w->first = false;
}

void json_put_text(json_writer *w, const char *key, const char *text) {
  put_key(w, key);
  if (text) put_quoted(w, text);
  else put(w, "null");
}

// The fewest digits from `least` to `most` that bring back the same number, or else the most.
static void put_digits(json_writer *w, const char *key, double x, int least, int most) {
  put_key(w, key);
  char digits[32] = "null";
  for (int n = least; isfinite(x) && n <= most; n++) {
    snprintf(digits, sizeof digits, "%.*g", n, x);
    if (strtod(digits, NULL) == x) break;
  }
  for (char *c = digits; isfinite(x) && *c; c++)
    if (!strchr("+-0123456789e", *c)) *c = '.';  // whatever a locale writes
  put(w, "%s", digits);
}

void json_put_number(json_writer *w, const char *key, double x) { put_digits(w, key, x, 15, 17); }

void json_put_rounded(json_writer *w, const char *key, double x) { put_digits(w, key, x, 9, 9); }

void json_put_integer(json_writer *w, const char *key, long x) {
  put_key(w, key);
  put(w, "%ld", x);
}

void json_put_flag(json_writer *w, const char *key, bool x) {
  put_key(w, key);
  put(w, x ? "true" : "false");
}

void json_put_null(json_writer *w, const char *key) {
  put_key(w, key);
  put(w, "null");
}

void json_put_numbers(json_writer *w, const char *key, const double *x, int count) {
  json_open(w, key, '[');
  for (int i = 0; i < count; i++) json_put_number(w, NULL, x[i]);
  json_close(w, ']');
}

void json_put_integers(json_writer *w, const char *key, const int *x, int count) {
  json_open(w, key, '[');
  for (int i = 0; i < count; i++) json_put_integer(w, NULL, x[i]);
  json_close(w, ']');
}

// --- reading ---------------------------------------------------------------------------------------------------------

typedef struct json_reader {
  arena *memory;
  const char *at;
  int depth;
} json_reader;

static void skip_space(json_reader *r) { r->at += strspn(r->at, " \t\r\n"); }

static bool take(json_reader *r, const char *word) {
  size_t length = strlen(word);
  if (strncmp(r->at, word, length) != 0) return false;
  r->at += length;
  return true;
}

static int hex4(const char *s) {
  int x = 0;
  for (int i = 0; i < 4; i++) {
    if (!isxdigit((unsigned char)s[i])) return -1;
    x = 16 * x + (isdigit((unsigned char)s[i]) ? s[i] - '0' : tolower((unsigned char)s[i]) - 'a' + 10);
  }
  return x;
}

static char *put_utf8(char *to, unsigned c) {
  if (c < 0x80) return *to++ = (char)c, to;
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  *to++ = (char)(lead[more] | (c >> (6 * more)));
  while (more-- > 0) *to++ = (char)(0x80 | ((c >> (6 * more)) & 0x3f));
  return to;
}

// `\u` and its four digits, or the pair of them that stands for a character beyond U+FFFF. A zero would end the text.
static char *read_escaped_unicode(json_reader *r, char *to) {
  int high = hex4(r->at), low;
  if (high < 0) return NULL;
  r->at += 4;
  if (high >= 0xd800 && high < 0xdc00 && r->at[0] == '\\' && r->at[1] == 'u' && (low = hex4(r->at + 2)) >= 0xdc00 &&
      low < 0xe000) {
    r->at += 6;
    return put_utf8(to, 0x10000 + (((unsigned)high - 0xd800) << 10) + ((unsigned)low - 0xdc00));
  }
  return put_utf8(to, high == 0 || (high >= 0xd800 && high < 0xe000) ? 0xfffd : (unsigned)high);
}

// Null when it does not end well. No escape is shorter than what it stands for.
static char *read_quoted(json_reader *r) {
  if (!take(r, "\"")) return NULL;
  size_t length = 0;
  while (r->at[length] && r->at[length] != '"') length += r->at[length] == '\\' && r->at[length + 1] ? 2 : 1;
  char *text = arena_alloc(r->memory, length + 1, 1), *to = text;
  while (*r->at != '"') {
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    const char *e;
    if ((unsigned char)*r->at < ' ') return NULL;
    if (*r->at != '\\') *to++ = *r->at++;
    else if (r->at[1] == 'u') {
      r->at += 2;
      if (!(to = read_escaped_unicode(r, to))) return NULL;
    } else if (r->at[1] && (e = strchr(from, r->at[1]))) *to++ = into[e - from], r->at += 2;
    else return NULL;
  }
  r->at++;
  *to = 0;
  return text;
}

static bool read_value(json_reader *r, json_value *v);

static bool read_items(json_reader *r, json_value *v, char end) {
  r->at++;
  skip_space(r);
  if (*r->at == end) return r->at++, true;
  if (++r->depth > JSON_DEPTH_MAX) return false;
  do {
    json_value *item = ARENA_PUSH(r->memory, v->items, v->count, v->capacity);
    *item = (json_value){0};
    skip_space(r);
    const char *key = NULL;
    if (end == '}') {
      if (!(key = read_quoted(r))) return false;
      skip_space(r);
      if (!take(r, ":")) return false;
    }
    if (!read_value(r, item)) return false;
    item->key = key;
    skip_space(r);
  } while (take(r, ","));
  r->depth--;
  return *r->at == end && r->at++;
}

static bool read_number(json_reader *r, json_value *v) {
  size_t length = strspn(r->at, "+-.0123456789eE");
  if (length == 0 || length > 40 || !(*r->at == '-' || isdigit((unsigned char)*r->at))) return false;
  char *end;
  v->kind = JSON_NUMBER;
  v->number = number_read(r->at, &end);
  bool whole = end == r->at + length;
  r->at = end;
  return whole;
}

static bool read_value(json_reader *r, json_value *v) {
  skip_space(r);
  switch (*r->at) {
    case '{': v->kind = JSON_MAP; return read_items(r, v, '}');
    case '[': v->kind = JSON_LIST; return read_items(r, v, ']');
    case '"': v->kind = JSON_TEXT; return (v->text = read_quoted(r)) != NULL;
  }
  if (take(r, "null")) return v->kind = JSON_NULL, true;
  if (take(r, "true")) return v->kind = JSON_FLAG, v->number = 1, true;
  if (take(r, "false")) return v->kind = JSON_FLAG, v->number = 0, true;
  return read_number(r, v);
}

const json_value *json_read(arena *memory, const char *text) {
  if (!text) return NULL;
  json_reader r = {.memory = memory, .at = text};
  json_value *v = ARENA_NEW(memory, json_value);
  if (!read_value(&r, v)) return NULL;
  skip_space(&r);
  return *r.at ? NULL : v;
}

const json_value *json_get(const json_value *map, const char *key) {
  if (!map || map->kind != JSON_MAP) return NULL;
  for (int i = 0; i < map->count; i++)
    if (strcmp(map->items[i].key, key) == 0) return &map->items[i];
  return NULL;
}

const char *json_get_text(const json_value *map, const char *key) {
  const json_value *v = json_get(map, key);
  return v && v->kind == JSON_TEXT ? v->text : "";
}

double json_get_number(const json_value *map, const char *key, double otherwise) {
  const json_value *v = json_get(map, key);
  return v && (v->kind == JSON_NUMBER || v->kind == JSON_FLAG) ? v->number : otherwise;
}

void json_put(json_writer *w, const char *key, const json_value *v) {
  switch (v ? v->kind : JSON_NULL) {
    case JSON_NULL: json_put_null(w, key); break;
    case JSON_FLAG: json_put_flag(w, key, v->number != 0); break;
    case JSON_NUMBER: json_put_number(w, key, v->number); break;
    case JSON_TEXT: json_put_text(w, key, v->text); break;
    case JSON_LIST:
    case JSON_MAP:
      json_open(w, key, v->kind == JSON_MAP ? '{' : '[');
      for (int i = 0; i < v->count; i++) json_put(w, v->kind == JSON_MAP ? v->items[i].key : NULL, &v->items[i]);
      json_close(w, v->kind == JSON_MAP ? '}' : ']');
      break;
  }
}
