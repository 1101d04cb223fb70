// Presets, written in the words of a model file and read without allocating.
#include <assert.h>
#include <string.h>

#include "text/expr_code.h"
#include "text/option_value.h"

static void *field(void *target, const option *o) { return (char *)target + o->offset; }

// `1e-8`, `0.5 mm`, `[0, 0, 1]`: returns how many numbers there are, 0 when it is something else.
static int preset_numbers(const char *text, double x[6]) {
  int count = 0;
  dimension dim;
  const char *c = text + (*text == '[');
  for (size_t n; count < 6 && (n = expr_literal(c, &x[count], &dim)) > 0;) {
    count++;
    c += n;
    if (*c != ',') break;
    c++;
  }
  while (*c == ' ' || *c == ']') c++;
  return *c == '\0' ? count : 0;
}

static void preset_functions(const char *text, carom_function *f, int most) {
  double x[6];
  int count = preset_numbers(text, x);
  if (count == 0 && most == 1) f->text = text;
  for (int i = 0; i < count && i < most; i++) f[i].constant = x[i];
}

static void preset_one(const option *o, void *to) {
  double x[6] = {0}, *numbers = to;
  int count = preset_numbers(o->preset, x);
  switch (o->type) {
    case OPTION_NUMBER:
      if (o->words && option_word_find(o->words, o->preset) >= 0)
        x[0] = -option_word_find(o->words, o->preset), count = 1;
      assert(count == 1);
      *numbers = x[0];
      break;
    case OPTION_INTEGER:
      assert(count == 1);
      *(int *)to = (int)x[0];
      break;
    case OPTION_FLAG: *(bool *)to = strcmp(o->preset, "true") == 0; break;
    case OPTION_WORD:
      *(int *)to = option_word_find(o->words, o->preset);
      assert(*(int *)to >= 0);
      break;
    case OPTION_TEXT: *(const char **)to = o->preset; break;
    case OPTION_POINT:
      assert(count >= 1 && count <= 3);
      memcpy(to, x, 3 * sizeof *x);
      break;
    case OPTION_AXIS:
      if (!option_axis_from_word(o->preset, x)) option_normalise(x, 3);
      memcpy(to, x, 3 * sizeof *x);
      break;
    case OPTION_ROTATION:
      assert(count == 1);
      option_quaternion_about((double[]){0, 0, 1}, x[0], to);
      break;
    case OPTION_INERTIA:
      assert(count == 1 || count == 3 || count == 6);
      if (count == 1) x[1] = x[2] = x[0];
      memcpy(to, x, sizeof x);
      break;
    case OPTION_FUNCTION: preset_functions(o->preset, to, 1); break;
    case OPTION_FUNCTIONS: preset_functions(o->preset, to, 3); break;
    case OPTION_PAIR:
    case OPTION_NAMES:
    case OPTION_NUMBERS:
    case OPTION_POINTS:
    case OPTION_FUNCTION_LIST:
    case OPTION_TABLE: break;
  }
}

void option_defaults(const option_table *table, void *target) {
  memset(target, 0, table->size);
  for (int i = 0; i < table->count; i++) {
    const option *o = &table->options[i];
    if (o->type == OPTION_TABLE) option_defaults(o->table, field(target, o));
    else if (o->preset) preset_one(o, field(target, o));
    else if (o->type == OPTION_ROTATION && !(o->flags & OPTION_OPTIONAL)) *(double *)field(target, o) = 1;
  }
}
