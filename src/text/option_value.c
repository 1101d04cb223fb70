// Reading one value of each type.
#include "text/option_value.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/word.h"
#include "math/linalg.h"
#include "text/expr_code.h"

// One option being read: who asks, and which.
typedef struct asked {
  const option_reader *r;
  const option *o;
} asked;

#define FAIL(a, at, hint, ...) source_error((a)->r->error, CAROM_ERROR_MODEL, (at), (hint), __VA_ARGS__)

// ---- words

int option_word_count(const char *words) {
  int n = 1;
  for (; *words; words++) n += *words == '|';
  return n;
}

int option_word_find(const char *words, const char *word) {
  size_t length = strlen(word);
  for (int i = 0;; i++) {
    size_t n = strcspn(words, "|");
    if (n == length && memcmp(words, word, n) == 0) return i;
    if (words[n] == '\0') return -1;
    words += n + 1;
  }
}

static const char *nearest_word(arena *memory, const char *words, const char *word) {
  int count = option_word_count(words);
  const char **list = ARENA_ARRAY(memory, const char *, count);
  for (int i = 0; i < count; i++) {
    size_t n = strcspn(words, "|");
    list[i] = arena_print(memory, "%.*s", (int)n, words);
    words += n + (words[n] == '|');
  }
  return word_nearest(word, list, count);
}

static const char *with_commas(arena *memory, const char *words) {
  char *text = arena_alloc(memory, 2 * strlen(words) + 1, 1), *out = text;
  for (; *words; words++) {
    *out++ = *words == '|' ? ',' : *words;
    if (*words == '|') *out++ = ' ';
  }
  return text;
}

// ---- numbers

bool value_is_nothing(const value *v) { return v->kind == VALUE_SCALAR && v->text[0] == '\0' && !v->quoted; }

place option_place(const value *v) { return value_is_nothing(v) && v->key ? v->key_at : v->at; }

// `9.81` where a list is needed is a number to its author.
static const char *kind_of(const value *v) {
  double x;
  dimension dim;
  return v->kind == VALUE_SCALAR && !v->quoted && expr_literal(v->text, &x, &dim) ? "a single number"
                                                                                  : value_kind_text(v);
}

static const char *shape_hint(const asked *a, const value *v) {
  if (a->o->type == OPTION_TEXT && v->kind == VALUE_MAP)
    return "give a name here, and the keys to the entry of that name in its own section";
  if (a->o->type == OPTION_ROTATION) return "angles about the axes: {xyz: [0, 0, 90 deg]}";
  if (a->o->type == OPTION_PAIR) return "write two names: [first, second]";
  if (a->o->type == OPTION_POINT || a->o->type == OPTION_FUNCTIONS)
    return a->r->planar ? "write the components: [x, y]" : "write the components: [x, y, z]";
  const bool one_number = a->o->type == OPTION_INTEGER || a->o->type == OPTION_NUMBER;
  if (one_number && v->kind == VALUE_LIST) return a->o->help;
  return NULL;
}

// `--set gravity.1=-1` where the model does not give this list.
static bool is_item_of_nothing(const value *v) {
  return v->kind == VALUE_MAP && v->made && v->count && v->items[0]->key[0] >= '0' && v->items[0]->key[0] <= '9';
}

static bool must_be(const asked *a, const value *v, const char *what) {
  if (is_item_of_nothing(v))
    return FAIL(a, v->at, "set the whole list first, by --set 'PATH=[...]'; then an item of it can be set or fitted",
                "the model does not give '%s', which therefore has no item %s", a->o->key, v->items[0]->key);
  if (value_is_nothing(v)) return FAIL(a, option_place(v), NULL, "'%s' has no value: it must be %s", a->o->key, what);
  return FAIL(a, v->at, shape_hint(a, v), "'%s' must be %s, not %s", a->o->key, what, kind_of(v));
}

static bool check_dimension(const asked *a, const value *v, dimension wanted, dimension got) {
  if (dimension_equal(wanted, got)) return true;
  char complaint[DIMENSION_COMPLAINT], advice[DIMENSION_ADVICE];
  bool may_use_time = a->o->type == OPTION_FUNCTION || a->o->type == OPTION_FUNCTIONS;
  return FAIL(a, v->at, dimension_advice(wanted, got, v->text, may_use_time, advice), "'%s' must be %s", a->o->key,
              dimension_complaint(wanted, got, complaint));
}

static bool check_range(const asked *a, place at, double x) {
  if (!isfinite(x)) return FAIL(a, at, NULL, "'%s' must be a finite number", a->o->key);
  if (a->o->flags & OPTION_POSITIVE && !(x > 0))
    return FAIL(a, at, NULL, "'%s' must be positive, not %g", a->o->key, x);
  if (a->o->flags & OPTION_NOT_NEGATIVE && x < 0)
    return FAIL(a, at, NULL, "'%s' must not be negative, but is %g", a->o->key, x);
  if (a->o->flags & OPTION_AT_MOST_ONE && x > 1)
    return FAIL(a, at, NULL, "'%s' must be at most 1, but is %g", a->o->key, x);
  return true;
}

static bool resolve_parameter(void *context, const char *name, symbol *found, const char **hint) {
  return parameters_resolve(context, name, found, hint);
}

// A number of the given dimension, in any range.
static bool read_quantity(const asked *a, const value *v, dimension wanted, double *x) {
  if (v->kind != VALUE_SCALAR || value_is_nothing(v)) return must_be(a, v, "a number");
  arena *memory = a->r->memory;
  arena_mark mark = arena_get_mark(memory);
  dimension got = DIM_ANY;
  const expr *e =
      expr_compile(memory, v->text, v->at, (scope){.resolve = resolve_parameter, .context = (void *)v->parameters},
                   &got, a->r->error);
  if (e) *x = expr_value(e, NULL);
  arena_release(memory, mark);
  return e && check_dimension(a, v, wanted, got);
}

static bool is_word(const char *text) {
  return isalpha((unsigned char)*text) && text[strcspn(text, " ()+-*/^.,")] == '\0';
}

// Where words may take the place of a number, one that is neither of them nor a parameter was meant for one of them.
static bool is_wrong_word(const value *v) {
  symbol found;
  const char *hint;
  return is_word(value_word(v)) && !parameters_resolve((void *)v->parameters, value_word(v), &found, &hint);
}

static bool read_number(const asked *a, const value *v, double *x) {
  bool may_be_word = a->o->words && v->kind == VALUE_SCALAR;
  int word = may_be_word ? option_word_find(a->o->words, value_word(v)) : -1;
  if (word >= 0) return *x = -word, true;
  if (may_be_word && is_wrong_word(v))
    return FAIL(a, v->at, NULL, "'%s' must be a number, or one of %s, not '%s'", a->o->key,
                with_commas(a->r->memory, a->o->words), value_word(v));
  return read_quantity(a, v, a->o->dim, x) && check_range(a, v->at, *x);
}

static bool read_integer(const asked *a, const value *v, int *n) {
  double x;
  if (!read_quantity(a, v, DIM_NONE, &x) || !check_range(a, v->at, x)) return false;
  if (x != floor(x) || fabs(x) > INT_MAX)
    return FAIL(a, v->at, NULL, "'%s' must be a whole number, not %g", a->o->key, x);
  *n = (int)x;
  return true;
}

// A list of exactly so many numbers of one dimension.
static bool read_components(const asked *a, const value *v, dimension dim, int count, double *x) {
  char what[64];
  snprintf(what, sizeof what, "a list of %d numbers", count);
  if (v->kind != VALUE_LIST) return must_be(a, v, what);
  if (v->count != count)
    return FAIL(a, v->at, NULL, "'%s' must have %d components, not %d", a->o->key, count, v->count);
  for (int i = 0; i < count; i++)
    if (!read_quantity(a, v->items[i], dim, &x[i])) return false;
  return true;
}

static int space_dimension(const option_reader *r) { return r->planar ? 2 : 3; }

static bool wrong_dimension(const asked *a, const value *v) {
  bool planar = a->r->planar, other = v->count == (planar ? 3 : 2);
  const char *hint = !other   ? NULL
                     : planar ? "a model in space has no 'space: planar'"
                              : "a model in the plane begins with 'space: planar'";
  return FAIL(a, v->at, hint, "'%s' must have %d components in a %s model, not %d", a->o->key, space_dimension(a->r),
              planar ? "planar" : "spatial", v->count);
}

static bool read_vector(const asked *a, const value *v, double x[3]) {
  x[0] = x[1] = x[2] = 0;
  if (v->kind == VALUE_LIST && v->count != space_dimension(a->r)) return wrong_dimension(a, v);
  return read_components(a, v, a->o->dim, space_dimension(a->r), x);
}

// How many numbers stand together in a list of lists; 0 if they do not.
static int tuple_size(const option *o, const value *v) {
  bool nested = v->kind == VALUE_LIST && v->count > 0 && v->items[0]->kind == VALUE_LIST;
  return !nested ? 0 : o->flags & OPTION_TRIPLES ? 3 : o->flags & OPTION_PAIRS ? 2 : 0;
}

// Lists of two or three, one after another.
static bool read_tuples(const asked *a, const value *v, int size, carom_numbers *out) {
  double *x = ARENA_ARRAY(a->r->memory, double, (size * v->count));
  for (int i = 0; i < v->count; i++) {
    const value *some = v->items[i];
    if (some->kind != VALUE_LIST || some->count != size)
      return FAIL(a, some->at, NULL, "'%s' must be lists of %s numbers, or one list of all", a->o->key,
                  size == 2 ? "two" : "three");
    for (int k = 0; k < size; k++)
      if (!read_number(a, some->items[k], &x[size * i + k])) return false;
  }
  *out = (carom_numbers){x, size * v->count};
  return true;
}

static bool read_numbers(const asked *a, const value *v, carom_numbers *out) {
  int size = tuple_size(a->o, v);
  if (size) return read_tuples(a, v, size, out);
  int count = v->kind == VALUE_LIST ? v->count : 1;
  double *x = ARENA_ARRAY(a->r->memory, double, count);
  for (int i = 0; i < count; i++)
    if (!read_number(a, v->kind == VALUE_LIST ? v->items[i] : v, &x[i])) return false;
  *out = (carom_numbers){x, count};
  return true;
}

static bool read_points(const asked *a, const value *v, carom_points *out) {
  if (v->kind != VALUE_LIST || (v->count && v->items[0]->kind != VALUE_LIST))
    return FAIL(a, option_place(v),
                a->r->planar ? "for instance [[0, 0], [1, 0], [0, 1]]"
                             : "for instance [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
                "'%s' must be a list of points", a->o->key);
  double(*points)[3] = arena_alloc(a->r->memory, (size_t)v->count, sizeof *points);
  for (int i = 0; i < v->count; i++) {
    if (!read_vector(a, v->items[i], points[i])) return false;
    for (int k = 0; k < 3; k++)
      if (!check_range(a, v->items[i]->at, points[i][k])) return false;
  }
  *out = (carom_points){(const double(*)[3])points, v->count};
  return true;
}

const dimension *option_open_units(const option_reader *r, const option *o, const value *v) {
  if (o->dim != DIM_ANY || (o->type != OPTION_NUMBER && o->type != OPTION_NUMBERS)) return NULL;
  int size = tuple_size(o, v), count = v->kind == VALUE_LIST ? v->count * (size ? size : 1) : 1;
  dimension *dims = ARENA_ARRAY(r->memory, dimension, count);
  arena_mark mark = arena_get_mark(r->memory);
  for (int i = 0; i < count; i++) {
    const value *number = size ? v->items[i / size]->items[i % size] : v->kind == VALUE_LIST ? v->items[i] : v;
    expr_compile(r->memory, number->text, number->at,
                 (scope){.resolve = resolve_parameter, .context = (void *)number->parameters}, &dims[i], NULL);
  }
  arena_release(r->memory, mark);
  return dims;
}

static bool read_inertia(const asked *a, const value *v, double x[6]) {
  memset(x, 0, 6 * sizeof *x);
  bool list = v->kind == VALUE_LIST;
  if (!list || a->r->planar) {
    double zz;
    if (list && a->r->planar && v->count != 1)
      return FAIL(a, v->at, NULL, "'%s' must be one number in a planar model: the inertia about z", a->o->key);
    if (!read_number(a, list ? v->items[0] : v, &zz)) return false;
    x[2] = zz;
    if (!a->r->planar) x[0] = x[1] = zz;
    return true;
  }
  if (v->count != 3 && v->count != 6)
    return FAIL(a, v->at, NULL, "'%s' must be [xx, yy, zz] or [xx, yy, zz, xy, xz, yz], not %d numbers", a->o->key,
                v->count);
  for (int i = 0; i < v->count; i++)
    if (!(i < 3 ? read_number(a, v->items[i], &x[i]) : read_quantity(a, v->items[i], a->o->dim, &x[i]))) return false;
  return true;
}

// ---- directions and rotations

bool option_normalise(double *x, int count) {
  double length = 0;
  for (int i = 0; i < count; i++) length = hypot(length, x[i]);
  if (!(length > 0) || !isfinite(length)) return false;
  for (int i = 0; i < count; i++) x[i] /= length;
  return true;
}

bool option_axis_from_word(const char *word, double x[3]) {
  bool negative = *word == '-';
  word += negative || *word == '+';
  if (word[0] < 'x' || word[0] > 'z' || word[1] != '\0') return false;
  x[0] = x[1] = x[2] = 0;
  x[word[0] - 'x'] = negative ? -1 : 1;
  return true;
}

static bool read_axis(const asked *a, const value *v, double x[3]) {
  if (v->kind == VALUE_SCALAR) {
    if (option_axis_from_word(value_word(v), x)) return true;
    if (value_is_nothing(v)) return must_be(a, v, "x, y, z, -x, -y, -z or a list of components");
    return FAIL(a, v->at, NULL, "'%s' must be x, y, z, -x, -y, -z or a list of components, not '%s'", a->o->key,
                v->text);
  }
  x[0] = x[1] = x[2] = 0;
  asked plain = *a;
  option direction = *a->o;
  direction.dim = DIM_ANY;
  plain.o = &direction;
  if (!read_vector(&plain, v, x)) return false;
  return option_normalise(x, 3) || FAIL(a, v->at, NULL, "'%s' must not be zero", a->o->key);
}

void option_quaternion_about(const double axis[3], double angle, double q[4]) {
  double s = sin(angle / 2);
  q[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) q[1 + i] = s * axis[i];
}

static bool read_rotation_map(const asked *a, const value *v, double q[4]) {
  const value *axis = value_get(v, "axis"), *angle = value_get(v, "angle");
  double x[3], turn;
  if (v->count == 2 && axis && angle) {
    if (!read_axis(a, axis, x) || !read_quantity(a, angle, DIM_NONE, &turn)) return false;
    option_quaternion_about(x, turn, q);
    return true;
  }
  const value *only = v->count == 1 ? v->items[0] : NULL;
  if (only && strcmp(only->key, "quaternion") == 0) {
    if (!read_components(a, only, DIM_NONE, 4, q)) return false;
    return option_normalise(q, 4) || FAIL(a, only->at, NULL, "'%s' must not be zero", a->o->key);
  }
  bool euler = only && strcmp(only->key, "euler") == 0;
  if (!euler && !(only && strcmp(only->key, "xyz") == 0))
    return FAIL(a, v->at, NULL,
                "'%s' must be {axis: ..., angle: ...}, {euler: [a, b, c]}, {xyz: [a, b, c]} or "
                "{quaternion: [w, x, y, z]}",
                a->o->key);
  if (!read_components(a, only, DIM_NONE, 3, x)) return false;
  quat turned = quat_of_turns(euler ? "zxz" : "xyz", x);
  q[0] = turned.w, q[1] = turned.x, q[2] = turned.y, q[3] = turned.z;
  return true;
}

static bool read_rotation(const asked *a, const value *v, double q[4]) {
  const double z[3] = {0, 0, 1};
  double turn;
  if (a->r->planar) {
    if (!read_quantity(a, v, DIM_NONE, &turn)) return false;
    option_quaternion_about(z, turn, q);
    return true;
  }
  if (v->kind != VALUE_MAP) return must_be(a, v, "a rotation such as {axis: z, angle: 30 deg}");
  return read_rotation_map(a, v, q);
}

// ---- functions of time and state

typedef struct any_name {
  const parameters *known;
  const value *tables;  // section of tables; may be null
  bool varies;
  named_curve table;
} any_name;

// What is no parameter may be a signal: the text is compiled again when signals are known.
static bool resolve_any(void *context, const char *name, symbol *found, const char **hint) {
  any_name *any = context;
  const parameter *p = parameters_find(any->known, name);
  if (p) return parameters_resolve(any->known, name, found, hint);
  if (strcmp(name, "pi") == 0 || strcmp(name, "g0") == 0) return false;
  any->varies = true;
  *found = (symbol){.dim = DIM_ANY};
  return true;
}

static const named_curve *find_any_table(void *context, const char *name) {
  any_name *any = context;
  if (!any->tables || any->tables->kind != VALUE_MAP || !value_get(any->tables, name)) return NULL;
  any->varies = true;
  any->table = (named_curve){.name = name};
  return &any->table;
}

static bool read_function(const asked *a, const value *v, carom_function *f) {
  *f = (carom_function){0};
  if (v->kind != VALUE_SCALAR || value_is_nothing(v)) return must_be(a, v, "a number or an expression");
  any_name any = {.known = v->parameters, .tables = a->r->tables};
  arena *memory = a->r->memory;
  arena_mark mark = arena_get_mark(memory);
  dimension got = DIM_ANY;
  const expr *e = expr_compile(memory, v->text, v->at, (scope){resolve_any, &any, find_any_table}, &got, a->r->error);
  bool constant = e && expr_is_constant(e) && !any.varies;
  if (constant) f->constant = expr_value(e, NULL);
  arena_release(memory, mark);
  if (!e || !check_dimension(a, v, a->o->dim, got)) return false;
  function_origin *origin = ARENA_NEW(memory, function_origin);
  *origin = (function_origin){v->at, v->parameters, a->o->dim, a->o->key, arena_copy_text(memory, v->text), got};
  f->origin = origin;
  if (constant) return check_range(a, v->at, f->constant);
  f->text = origin->text;
  return true;
}

static bool read_functions(const asked *a, const value *v, carom_function f[3]) {
  int count = space_dimension(a->r);
  memset(f, 0, 3 * sizeof *f);
  if (a->r->planar && (a->o->flags & OPTION_TURNING)) {
    if (v->kind == VALUE_LIST && v->count == 1) v = v->items[0];
    return read_function(a, v, &f[2]);
  }
  if (v->kind != VALUE_LIST) return must_be(a, v, "a list of components");
  if (v->count != count) return wrong_dimension(a, v);
  for (int i = 0; i < count; i++)
    if (!read_function(a, v->items[i], &f[i])) return false;
  return true;
}

static bool read_function_list(const asked *a, const value *v, carom_functions *out) {
  int count = v->kind == VALUE_LIST ? v->count : 1;
  carom_function *f = ARENA_ARRAY(a->r->memory, carom_function, count + 1);
  for (int i = 0; i < count; i++)
    if (!read_function(a, v->kind == VALUE_LIST ? v->items[i] : v, &f[i])) return false;
  *out = (carom_functions){f, count};
  return true;
}

// ---- words, flags, names

static bool read_name(const asked *a, const value *v, const char **name) {
  if (v->kind != VALUE_SCALAR || value_is_nothing(v))
    return must_be(a, v, a->o->type == OPTION_TEXT ? "text" : "a name");
  *name = arena_copy_text(a->r->memory, value_word(v));
  return true;
}

static bool read_names(const asked *a, const value *v, carom_names *out) {
  int count = v->kind == VALUE_LIST ? v->count : 1;
  const char **names = ARENA_ARRAY(a->r->memory, const char *, count);
  for (int i = 0; i < count; i++)
    if (!read_name(a, v->kind == VALUE_LIST ? v->items[i] : v, &names[i])) return false;
  *out = (carom_names){names, count};
  return true;
}

static bool read_pair(const asked *a, const value *v, const char **names) {
  if (v->kind != VALUE_LIST) return must_be(a, v, "a list of two names");
  if (v->count != 2) return FAIL(a, v->at, NULL, "'%s' must have two names, not %d", a->o->key, v->count);
  return read_name(a, v->items[0], &names[0]) && read_name(a, v->items[1], &names[1]);
}

static bool read_flag(const asked *a, const value *v, bool *flag) {
  if (v->kind != VALUE_SCALAR || value_is_nothing(v)) return must_be(a, v, "true or false");
  int i = option_word_find("false|true|no|yes|off|on", value_word(v));
  if (i < 0) return FAIL(a, v->at, NULL, "'%s' must be true or false, not '%s'", a->o->key, value_word(v));
  *flag = i % 2;
  return true;
}

static bool read_word(const asked *a, const value *v, int *index) {
  arena *memory = a->r->memory;
  const char *list = with_commas(memory, a->o->words);
  if (v->kind != VALUE_SCALAR || value_is_nothing(v)) return must_be(a, v, arena_print(memory, "one of %s", list));
  const char *word = value_word(v);
  *index = option_word_find(a->o->words, word);
  if (*index < 0 && strcmp(word, "true") == 0) *index = option_word_find(a->o->words, "yes");
  if (*index < 0 && strcmp(word, "false") == 0) *index = option_word_find(a->o->words, "no");
  if (*index >= 0) return true;
  const char *hint = option_word_synonym(a->r, a->o->words, word);
  return FAIL(a, v->at, hint ? hint : nearest_word(memory, a->o->words, word), "'%s' must be one of %s, not '%s'",
              a->o->key, list, word);
}

// ---- one option

bool option_read_value(const option_reader *r, const option *o, const value *v, void *to) {
  const asked asking = {r, o}, *a = &asking;
  switch (o->type) {
    case OPTION_NUMBER: return read_number(a, v, to);
    case OPTION_INTEGER: return read_integer(a, v, to);
    case OPTION_FLAG: return read_flag(a, v, to);
    case OPTION_WORD: return read_word(a, v, to);
    case OPTION_TEXT: return read_name(a, v, to);
    case OPTION_PAIR: return read_pair(a, v, to);
    case OPTION_NAMES: return read_names(a, v, to);
    case OPTION_POINT: return read_vector(a, v, to);
    case OPTION_AXIS: return read_axis(a, v, to);
    case OPTION_ROTATION: return read_rotation(a, v, to);
    case OPTION_INERTIA: return read_inertia(a, v, to);
    case OPTION_NUMBERS: return read_numbers(a, v, to);
    case OPTION_POINTS: return read_points(a, v, to);
    case OPTION_FUNCTION: return read_function(a, v, to);
    case OPTION_FUNCTIONS: return read_functions(a, v, to);
    case OPTION_FUNCTION_LIST: return read_function_list(a, v, to);
    case OPTION_TABLE: return option_read(r, o->table, v, to, NULL, NULL);
  }
  return false;
}
