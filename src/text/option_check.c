// The rules of a table applied to a struct that a program has filled itself.
#include <math.h>
#include <string.h>

#include "text/option_read.h"
#include "text/option_value.h"

typedef struct checked {
  const option_reader *r;
  const option *o;
  const char *name;  // of the thing
} checked;

static bool wrong(const checked *c, const char *what) {
  return source_error(c->r->error, CAROM_ERROR_MODEL, (place){0}, NULL, "'%s' of '%s' %s", c->o->key, c->name, what);
}

static bool check_number(const checked *c, double x) {
  if (!isfinite(x)) return wrong(c, "must be a finite number");
  bool absent = x == 0 && !c->o->preset && !(c->o->flags & OPTION_REQUIRED);  // zero stands for a key that is not there
  if (c->o->flags & OPTION_POSITIVE && !absent && !(x > 0)) return wrong(c, "must be positive");
  if (c->o->flags & OPTION_NOT_NEGATIVE && x < 0) return wrong(c, "must not be negative");
  if (c->o->flags & OPTION_AT_MOST_ONE && x > 1) return wrong(c, "must be at most 1");
  return true;
}

static bool check_finite(const checked *c, const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return wrong(c, "must have finite components");
  return true;
}

static bool check_unit(const checked *c, const double *x, int count) {
  double square = 0;
  for (int i = 0; i < count; i++) square += x[i] * x[i];
  // Eight digits are what one expects of a direction that was typed in or computed in single precision.
  return fabs(square - 1) <= 1e-6 || wrong(c, "must have length one");
}

// Without a preset, zero means that none was given.
static bool check_axis(const checked *c, const double x[3]) {
  return (!c->o->preset && x[0] == 0 && x[1] == 0 && x[2] == 0) || check_unit(c, x, 3);
}

static bool check_rotation(const checked *c, const double q[4]) {
  bool absent = c->o->flags & OPTION_OPTIONAL && q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0;
  return absent || (check_finite(c, q, 4) && check_unit(c, q, 4));
}

static bool check_text(const checked *c, const char *text) {
  return text || !(c->o->flags & OPTION_REQUIRED) || wrong(c, "is missing");
}

static bool check_names(const checked *c, const carom_names *names) {
  if (names->count < 0 || (names->count && !names->items)) return wrong(c, "is not a list");
  if (names->count == 0 && c->o->flags & OPTION_REQUIRED) return wrong(c, "is missing");
  for (int i = 0; i < names->count; i++)
    if (!names->items[i]) return wrong(c, "has a name that is null");
  return true;
}

static bool check_numbers(const checked *c, const carom_numbers *numbers) {
  if (numbers->count < 0 || (numbers->count && !numbers->items)) return wrong(c, "is not a list");
  if (numbers->count == 0 && c->o->flags & OPTION_REQUIRED) return wrong(c, "is missing");
  for (int i = 0; i < numbers->count; i++)
    if (!check_number(c, numbers->items[i])) return false;
  return true;
}

static bool check_points(const checked *c, const carom_points *points) {
  if (points->count < 0 || (points->count && !points->items)) return wrong(c, "is not a list");
  if (points->count == 0 && c->o->flags & OPTION_REQUIRED) return wrong(c, "is missing");
  return points->count == 0 || check_finite(c, points->items[0], 3 * points->count);
}

static bool check_functions(const checked *c, const carom_function *f, int count) {
  for (int i = 0; i < count; i++)
    if (!f[i].call && !f[i].text && !check_number(c, f[i].constant)) return false;
  return true;
}

static bool check_function_list(const checked *c, const carom_functions *list) {
  if (list->count < 0 || (list->count && !list->items)) return wrong(c, "is not a list");
  return check_functions(c, list->items, list->count);
}

static bool check_inertia(const checked *c, const double x[6]) {
  if (!check_finite(c, x, 6)) return false;
  if (c->r->planar) return check_number(c, x[2]);
  return check_number(c, x[0]) && check_number(c, x[1]) && check_number(c, x[2]);
}

static bool stands_for_word(const option *o, double x) {
  return o->words && x <= 0 && x > -option_word_count(o->words) && x == floor(x);
}

static bool check_one(const checked *c, const void *from) {
  switch (c->o->type) {
    case OPTION_NUMBER: return stands_for_word(c->o, *(const double *)from) || check_number(c, *(const double *)from);
    case OPTION_INTEGER: return check_number(c, *(const int *)from);
    case OPTION_FLAG: return true;
    case OPTION_WORD: {
      int i = *(const int *)from;
      return (i >= 0 && i < option_word_count(c->o->words)) || wrong(c, "is not one of its words");
    }
    case OPTION_TEXT: return check_text(c, *(const char *const *)from);
    case OPTION_PAIR: {
      const char *const *pair = from;
      return check_text(c, pair[0]) && check_text(c, pair[1]);
    }
    case OPTION_NAMES: return check_names(c, from);
    case OPTION_POINT: return check_finite(c, from, 3);
    case OPTION_AXIS: return check_finite(c, from, 3) && check_axis(c, from);
    case OPTION_ROTATION: return check_rotation(c, from);
    case OPTION_INERTIA: return check_inertia(c, from);
    case OPTION_NUMBERS: return check_numbers(c, from);
    case OPTION_POINTS: return check_points(c, from);
    case OPTION_FUNCTION: return check_functions(c, from, 1);
    case OPTION_FUNCTIONS: return check_functions(c, from, c->r->planar ? 2 : 3);
    case OPTION_FUNCTION_LIST: return check_function_list(c, from);
    case OPTION_TABLE: return option_check(c->r, c->o->table, from, c->name);
  }
  return false;
}

bool option_check(const option_reader *r, const option_table *table, const void *target, const char *name) {
  for (int i = 0; i < table->count; i++) {
    checked c = {r, &table->options[i], name};
    if (!check_one(&c, (const char *)target + c.o->offset)) return false;
  }
  return true;
}
