// JSON, written and read. What is written may stand inside an HTML script element: no `<`, `>` or `&` is left in it.
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

// --- writing ---------------------------------------------------------------------------------------------------------

// A text that grows in an arena, or one in the caller's memory that is cut where that ends. Keys are null inside a
// list. Numbers that are not finite become null.
typedef struct json_writer {
  arena *memory;   // NULL if the text is in the caller's memory
  arena_text out;  // a text that is cut has the length that it would have
  bool first;      // nothing stands yet in the innermost map or list
} json_writer;

json_writer json_begin(arena *memory);
json_writer json_begin_in(char *text, int size);                        // text may be null if size is 0
void json_open(json_writer *w, const char *key, char bracket);          // '{' or '['
void json_close(json_writer *w, char bracket);                          // '}' or ']'
void json_put_text(json_writer *w, const char *key, const char *text);  // a null text is null
void json_put_number(json_writer *w, const char *key, double x);        // so that it is read back exactly
void json_put_rounded(json_writer *w, const char *key, double x);       // to nine digits
void json_put_integer(json_writer *w, const char *key, long x);
void json_put_flag(json_writer *w, const char *key, bool x);
void json_put_null(json_writer *w, const char *key);
void json_put_numbers(json_writer *w, const char *key, const double *x, int count);
void json_put_integers(json_writer *w, const char *key, const int *x, int count);

// --- reading ---------------------------------------------------------------------------------------------------------

typedef enum json_kind { JSON_NULL, JSON_FLAG, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_MAP } json_kind;

typedef struct json_value json_value;
struct json_value {
  json_kind kind;
  const char *key;  // in a map
  const char *text;
  double number;      // of a flag 0 or 1
  json_value *items;  // of a list or map
  int count, capacity;
};

enum { JSON_DEPTH_MAX = 32 };

// Null when the text is no JSON value, is followed by something else, or nests too deep.
const json_value *json_read(arena *memory, const char *text);
// Each accepts a null or a value of another kind.
const json_value *json_get(const json_value *map, const char *key);
const char *json_get_text(const json_value *map, const char *key);  // empty when absent
double json_get_number(const json_value *map, const char *key, double otherwise);
void json_put(json_writer *w, const char *key, const json_value *v);  // writes it again

#endif
