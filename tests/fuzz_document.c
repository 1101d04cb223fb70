// Any bytes as a model, read through an option table of every type, and as an expression. Nothing may crash, leak or
// hang; an error must have a status and a text.
#include "fuzz.h"

#include "text/option_read.h"

typedef struct everything {
  double number;
  int integer, word;
  bool flag;
  const char *text, *pair[2];
  carom_names names;
  double point[3], axis[3], rotation[4], inertia[6];
  carom_numbers numbers;
  carom_function function, functions[3];
} everything;

#define AT(member) offsetof(everything, member)
static const option options[] = {
    {"mass", OPTION_NUMBER, AT(number), DIM_MASS, OPTION_POSITIVE, "1", NULL, NULL, ""},
    {"count", OPTION_INTEGER, AT(integer), DIM_NONE, 0, NULL, NULL, NULL, ""},
    {"kind", OPTION_WORD, AT(word), DIM_NONE, 0, "one", "one|two", NULL, ""},
    {"fixed", OPTION_FLAG, AT(flag), DIM_NONE, 0, NULL, NULL, NULL, ""},
    {"note", OPTION_TEXT, AT(text), DIM_NONE, 0, NULL, NULL, NULL, ""},
    {"revolute", OPTION_PAIR, AT(pair), DIM_NONE, 0, NULL, NULL, NULL, ""},
    {"of", OPTION_NAMES, AT(names), DIM_NONE, 0, NULL, NULL, NULL, ""},
    {"com", OPTION_POINT, AT(point), DIM_LENGTH, 0, NULL, NULL, NULL, ""},
    {"axis", OPTION_AXIS, AT(axis), DIM_NONE, 0, "z", NULL, NULL, ""},
    {"rotation", OPTION_ROTATION, AT(rotation), DIM_NONE, 0, NULL, NULL, NULL, ""},
    {"inertia", OPTION_INERTIA, AT(inertia), DIM_INERTIA, OPTION_NOT_NEGATIVE, NULL, NULL, NULL, ""},
    {"values", OPTION_NUMBERS, AT(numbers), DIM_ANY, 0, NULL, NULL, NULL, ""},
    {"force", OPTION_FUNCTION, AT(function), DIM_FORCE, 0, NULL, NULL, NULL, ""},
    {"gravity", OPTION_FUNCTIONS, AT(functions), DIM_ACCELERATION, 0, NULL, NULL, NULL, ""},
};
static const option_table table = {"body", "", NULL, sizeof(everything), options, sizeof options / sizeof *options};
static const option_table *const family[] = {&table};

static void read_all(arena *memory, const value *v, bool planar, int depth) {
  everything target;
  carom_error error = {0};
  option_reader r = {.memory = memory, .error = &error, .planar = planar};
  if (!option_read(&r, &table, v, &target, NULL, NULL) && error.status == CAROM_OK) abort();
  error = (carom_error){0};
  if (option_read_member(&r, "body", family, 1, v, &target, NULL, NULL) < 0 && error.text[0] == '\0') abort();
  for (int i = 0; i < v->count && i < 8 && depth < 8; i++) read_all(memory, v->items[i], planar, depth + 1);
}

static bool resolve(void *context, const char *name, symbol *found, const char **hint) {
  (void)context, (void)hint;
  *found = (symbol){.slot = name[0] & 1, .dim = name[0] & 2 ? DIM_TIME : DIM_ANY};
  return name[0] != 'z';
}

static void read_expression(arena *memory, const char *text) {
  carom_error error = {0};
  dimension dim;
  const expr *e = expr_compile(memory, text, (place){0}, (scope){.resolve = resolve}, &dim, &error);
  if (!e && error.status == CAROM_OK) abort();
  if (!e) return;
  volatile double v = expr_value(e, (double[]){0.5, -1});
  volatile jet j = expr_jet(e, (jet[]){{0.5, 1, 0}, {-1, 0, 1}});
  (void)v, (void)j;
}

static void fuzz_text(arena *memory, const char *text, size_t size) {
  // The last line is also tried as the value of a --set.
  const char *last = strrchr(text, '\n');
  assignment set = {size % 2 ? "bodies.a.mass" : "n", last ? last + 1 : "3"};
  carom_error error = {0};
  // A small limit on values keeps a run short: to unroll a million copies teaches the fuzzer nothing.
  const document *d = document_load_within(memory, "fuzz.yaml", text, size, &set, (int)(size % 3 != 0), 20000, &error);
  if (!d && (error.status == CAROM_OK || error.text[0] == '\0')) abort();
  if (d) read_all(memory, d->root, size % 2, 0);
  read_expression(memory, text);
}
