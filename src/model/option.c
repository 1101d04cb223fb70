#include "model/option.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/expr_code.h"
#include "model/option_word.h"

// One option being read: who asks, which, and for messages under which name.
typedef struct asked {
  const option_reader *r;
  const option *o;
} asked;

#define FAIL(a, at, hint, ...) source_error((a)->r->error, CAROM_ERROR_MODEL, (at), (hint), __VA_ARGS__)

static void *field(void *target, const option *o) { return (char *)target + o->offset; }

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
  return source_nearest(word, list, count);
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

static bool is_nothing(const value *v) { return v->kind == VALUE_SCALAR && v->text[0] == '\0' && !v->quoted; }

static place place_of(const value *v) { return is_nothing(v) && v->key ? v->key_at : v->at; }

static bool must_be(const asked *a, const value *v, const char *what) {
  if (is_nothing(v)) return FAIL(a, place_of(v), NULL, "'%s' has no value: it must be %s", a->o->key, what);
  return FAIL(a, v->at, NULL, "'%s' must be %s, not %s", a->o->key, what, value_kind_text(v));
}

static bool check_dimension(const asked *a, place at, dimension wanted, dimension got) {
  if (dimension_equal(wanted, got)) return true;
  char left[32], right[32];
  const char *name = dimension_name(wanted), *is = got == DIM_NONE ? "an angle or a plain number" : dimension_text(got, right);
  if (wanted == DIM_NONE) return FAIL(a, at, NULL, "'%s' must be %s, not %s", a->o->key, name, is);
  return FAIL(a, at, NULL, "'%s' must be %s%sin %s, not %s", a->o->key, name ? name : "", name ? " " : "",
              dimension_text(wanted, left), is);
}

static bool check_range(const asked *a, place at, double x) {
  if (!isfinite(x)) return FAIL(a, at, NULL, "'%s' must be a finite number", a->o->key);
  if (a->o->flags & OPTION_POSITIVE && !(x > 0)) return FAIL(a, at, NULL, "'%s' must be positive, not %g", a->o->key, x);
  if (a->o->flags & OPTION_NOT_NEGATIVE && x < 0)
    return FAIL(a, at, NULL, "'%s' must not be negative, but is %g", a->o->key, x);
  return true;
}

static bool resolve_parameter(void *context, const char *name, symbol *found, const char **hint) {
  return parameters_resolve(context, name, found, hint);
}

// A number of the given dimension, in any range.
static bool read_quantity(const asked *a, const value *v, dimension wanted, double *x) {
  if (v->kind != VALUE_SCALAR || is_nothing(v)) return must_be(a, v, "a number");
  arena *memory = a->r->memory;
  arena_mark mark = arena_get_mark(memory);
  dimension got = DIM_ANY;
  const expr *e = expr_compile(memory, v->text, v->at, (scope){resolve_parameter, (void *)v->parameters}, &got, a->r->error);
  if (e) *x = expr_value(e, NULL);
  arena_release(memory, mark);
  return e && check_dimension(a, v->at, wanted, got);
}

static bool read_number(const asked *a, const value *v, double *x) {
  return read_quantity(a, v, a->o->dim, x) && check_range(a, v->at, *x);
}

static bool read_integer(const asked *a, const value *v, int *n) {
  double x;
  if (!read_quantity(a, v, DIM_NONE, &x) || !check_range(a, v->at, x)) return false;
  if (x != floor(x) || fabs(x) > INT_MAX) return FAIL(a, v->at, NULL, "'%s' must be a whole number, not %g", a->o->key, x);
  *n = (int)x;
  return true;
}

// A list of numbers of one dimension; `least` and `most` items.
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

static bool read_vector(const asked *a, const value *v, double x[3]) {
  x[0] = x[1] = x[2] = 0;
  if (v->kind == VALUE_LIST && v->count != space_dimension(a->r))
    return FAIL(a, v->at, NULL, "'%s' must have %d components in a %s model, not %d", a->o->key, space_dimension(a->r),
                a->r->planar ? "planar" : "spatial", v->count);
  return read_components(a, v, a->o->dim, space_dimension(a->r), x);
}

static bool read_numbers(const asked *a, const value *v, carom_numbers *out) {
  int count = v->kind == VALUE_LIST ? v->count : 1;
  double *x = ARENA_ARRAY(a->r->memory, double, count);
  for (int i = 0; i < count; i++)
    if (!read_number(a, v->kind == VALUE_LIST ? v->items[i] : v, &x[i])) return false;
  *out = (carom_numbers){x, count};
  return true;
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
    return FAIL(a, v->at, NULL, "'%s' must be [xx, yy, zz] or [xx, yy, zz, xy, xz, yz], not %d numbers", a->o->key, v->count);
  for (int i = 0; i < v->count; i++)
    if (!(i < 3 ? read_number(a, v->items[i], &x[i]) : read_quantity(a, v->items[i], a->o->dim, &x[i]))) return false;
  return true;
}

// ---- directions and rotations

static bool normalise(double *x, int count) {
  double length = 0;
  for (int i = 0; i < count; i++) length = hypot(length, x[i]);
  if (!(length > 0) || !isfinite(length)) return false;
  for (int i = 0; i < count; i++) x[i] /= length;
  return true;
}

static bool axis_from_word(const char *word, double x[3]) {
  bool negative = *word == '-';
  word += negative || *word == '+';
  if (word[0] < 'x' || word[0] > 'z' || word[1] != '\0') return false;
  x[0] = x[1] = x[2] = 0;
  x[word[0] - 'x'] = negative ? -1 : 1;
  return true;
}

static bool read_axis(const asked *a, const value *v, double x[3]) {
  if (v->kind == VALUE_SCALAR) {
    if (axis_from_word(value_word(v), x)) return true;
    if (is_nothing(v)) return must_be(a, v, "x, y, z, -x, -y, -z or a list of components");
    return FAIL(a, v->at, NULL, "'%s' must be x, y, z, -x, -y, -z or a list of components, not '%s'", a->o->key, v->text);
  }
  x[0] = x[1] = x[2] = 0;
  asked plain = *a;
  option direction = *a->o;
  direction.dim = DIM_ANY;
  plain.o = &direction;
  if (!read_vector(&plain, v, x)) return false;
  return normalise(x, 3) || FAIL(a, v->at, NULL, "'%s' must not be zero", a->o->key);
}

static void quaternion_about(const double axis[3], double angle, double q[4]) {
  double s = sin(angle / 2);
  q[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) q[1 + i] = s * axis[i];
}

static void quaternion_multiply(const double p[4], const double q[4], double out[4]) {
  out[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
  out[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
  out[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
  out[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
}

// Three turns, each about an axis of the frame that the turns before have reached.
static void quaternion_of_turns(const char axes[3], const double angles[3], double q[4]) {
  double sofar[4] = {1, 0, 0, 0};
  for (int i = 0; i < 3; i++) {
    double axis[3] = {axes[i] == 'x', axes[i] == 'y', axes[i] == 'z'}, turn[4];
    quaternion_about(axis, angles[i], turn);
    quaternion_multiply(sofar, turn, q);
    memcpy(sofar, q, sizeof sofar);
  }
}

static bool read_rotation_map(const asked *a, const value *v, double q[4]) {
  const value *axis = value_get(v, "axis"), *angle = value_get(v, "angle");
  double x[3], turn;
  if (v->count == 2 && axis && angle) {
    if (!read_axis(a, axis, x) || !read_quantity(a, angle, DIM_NONE, &turn)) return false;
    quaternion_about(x, turn, q);
    return true;
  }
  const value *only = v->count == 1 ? v->items[0] : NULL;
  if (only && strcmp(only->key, "quaternion") == 0) {
    if (!read_components(a, only, DIM_NONE, 4, q)) return false;
    return normalise(q, 4) || FAIL(a, only->at, NULL, "'%s' must not be zero", a->o->key);
  }
  bool euler = only && strcmp(only->key, "euler") == 0;
  if (!euler && !(only && strcmp(only->key, "xyz") == 0))
    return FAIL(a, v->at, NULL, "'%s' must be {axis: ..., angle: ...}, {euler: [a, b, c]}, {xyz: [a, b, c]} or "
                "{quaternion: [w, x, y, z]}", a->o->key);
  if (!read_components(a, only, DIM_NONE, 3, x)) return false;
  quaternion_of_turns(euler ? "zxz" : "xyz", x, q);
  return true;
}

static bool read_rotation(const asked *a, const value *v, double q[4]) {
  const double z[3] = {0, 0, 1};
  double turn;
  if (a->r->planar) {
    if (!read_quantity(a, v, DIM_NONE, &turn)) return false;
    quaternion_about(z, turn, q);
    return true;
  }
  if (v->kind != VALUE_MAP) return must_be(a, v, "a rotation such as {axis: z, angle: 30 deg}");
  return read_rotation_map(a, v, q);
}

// ---- functions of time and state

typedef struct any_name {
  const parameters *known;
  bool varies;
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

static bool read_function(const asked *a, const value *v, carom_function *f) {
  *f = (carom_function){0};
  if (v->kind != VALUE_SCALAR || is_nothing(v)) return must_be(a, v, "a number or an expression");
  any_name any = {.known = v->parameters};
  arena *memory = a->r->memory;
  arena_mark mark = arena_get_mark(memory);
  dimension got = DIM_ANY;
  const expr *e = expr_compile(memory, v->text, v->at, (scope){resolve_any, &any}, &got, a->r->error);
  bool constant = e && expr_is_constant(e) && !any.varies;
  if (constant) f->constant = expr_value(e, NULL);
  arena_release(memory, mark);
  if (!e || !check_dimension(a, v->at, a->o->dim, got)) return false;
  if (constant) return check_range(a, v->at, f->constant);
  function_origin *origin = ARENA_NEW(memory, function_origin);
  *origin = (function_origin){v->at, v->parameters, a->o->dim, a->o->key};
  f->text = arena_copy_text(memory, v->text);
  f->origin = origin;
  return true;
}

static bool read_functions(const asked *a, const value *v, carom_function f[3]) {
  int count = space_dimension(a->r);
  memset(f, 0, 3 * sizeof *f);
  if (v->kind != VALUE_LIST) return must_be(a, v, "a list of components");
  if (v->count != count)
    return FAIL(a, v->at, NULL, "'%s' must have %d components in a %s model, not %d", a->o->key, count,
                a->r->planar ? "planar" : "spatial", v->count);
  for (int i = 0; i < count; i++)
    if (!read_function(a, v->items[i], &f[i])) return false;
  return true;
}

// ---- words, flags, names

static bool read_name(const asked *a, const value *v, const char **name) {
  if (v->kind != VALUE_SCALAR || is_nothing(v)) return must_be(a, v, a->o->type == OPTION_TEXT ? "text" : "a name");
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
  if (v->kind != VALUE_SCALAR || is_nothing(v)) return must_be(a, v, "true or false");
  int i = option_word_find("false|true|no|yes|off|on", value_word(v));
  if (i < 0) return FAIL(a, v->at, NULL, "'%s' must be true or false, not '%s'", a->o->key, value_word(v));
  *flag = i % 2;
  return true;
}

static bool read_word(const asked *a, const value *v, int *index) {
  arena *memory = a->r->memory;
  const char *list = with_commas(memory, a->o->words);
  if (v->kind != VALUE_SCALAR || is_nothing(v)) return must_be(a, v, arena_print(memory, "one of %s", list));
  const char *word = value_word(v);
  *index = option_word_find(a->o->words, word);
  if (*index >= 0) return true;
  return FAIL(a, v->at, nearest_word(memory, a->o->words, word), "'%s' must be one of %s, not '%s'", a->o->key, list, word);
}

// ---- one option

static bool read_one(const asked *a, const value *v, void *to) {
  switch (a->o->type) {
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
    case OPTION_FUNCTION: return read_function(a, v, to);
    case OPTION_FUNCTIONS: return read_functions(a, v, to);
    case OPTION_TABLE: return option_read(a->r, a->o->table, v, to, NULL, NULL);
  }
  return false;
}

// ---- presets

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
    case OPTION_NUMBER: assert(count == 1); *numbers = x[0]; break;
    case OPTION_INTEGER: assert(count == 1); *(int *)to = (int)x[0]; break;
    case OPTION_FLAG: *(bool *)to = strcmp(o->preset, "true") == 0; break;
    case OPTION_WORD:
      *(int *)to = option_word_find(o->words, o->preset);
      assert(*(int *)to >= 0);
      break;
    case OPTION_TEXT: *(const char **)to = o->preset; break;
    case OPTION_POINT: assert(count >= 1 && count <= 3); memcpy(to, x, 3 * sizeof *x); break;
    case OPTION_AXIS:
      if (!axis_from_word(o->preset, x)) normalise(x, 3);
      memcpy(to, x, 3 * sizeof *x);
      break;
    case OPTION_ROTATION: assert(count == 1); quaternion_about((double[]){0, 0, 1}, x[0], to); break;
    case OPTION_INERTIA:
      assert(count == 1 || count == 3 || count == 6);
      if (count == 1) x[1] = x[2] = x[0];
      memcpy(to, x, sizeof x);
      break;
    case OPTION_FUNCTION: preset_functions(o->preset, to, 1); break;
    case OPTION_FUNCTIONS: preset_functions(o->preset, to, 3); break;
    case OPTION_PAIR: case OPTION_NAMES: case OPTION_NUMBERS: case OPTION_TABLE:
      assert(false && "lists and tables have no preset");
      break;
  }
}

void option_defaults(const option_table *table, void *target) {
  memset(target, 0, table->size);
  for (int i = 0; i < table->count; i++) {
    const option *o = &table->options[i];
    if (o->type == OPTION_TABLE) option_defaults(o->table, field(target, o));
    else if (o->preset) preset_one(o, field(target, o));
    else if (o->type == OPTION_ROTATION) *(double *)field(target, o) = 1;
  }
}

// ---- tables

static bool listed(const char *const *list, const char *key) {
  for (; list && *list; list++)
    if (strcmp(*list, key) == 0) return true;
  return false;
}

static int find_option(const option_table *table, const char *key) {
  for (int i = 0; i < table->count; i++)
    if (strcmp(table->options[i].key, key) == 0) return i;
  return -1;
}

static place entry_place(const value *v) { return v->key ? v->key_at : v->at; }

static bool is_from_command_line(place at) { return at.source && strcmp(at.source->name, "--set") == 0; }

static bool unknown_key(const option_reader *r, const option_table *table, const char *const *others, const value *v) {
  const char *best = NULL;
  for (int i = 0; i < table->count; i++) best = source_nearest(v->key, (const char *[]){best, table->options[i].key}, 2);
  for (; others && *others; others++) best = source_nearest(v->key, (const char *[]){best, *others}, 2);
  bool set = is_from_command_line(v->key_at);
  for (const parameters *p = set ? v->parameters : NULL; p; p = p->outer)
    for (int i = 0; i < p->count; i++) best = source_nearest(v->key, (const char *[]){best, p->items[i].name}, 2);
  if (strchr(v->key, ':')) best = "a blank is needed after ':'";
  if (!best && is_nothing(v)) best = "inside { } or [ ] an expression with commas must be in quotes, else the comma ends it";
  if (set) return source_error(r->error, CAROM_ERROR_MODEL, v->key_at, best, "'%s' is neither a parameter nor a key", v->key);
  return source_error(r->error, CAROM_ERROR_MODEL, v->key_at, best, "unknown key '%s' in %s", v->key, table->name);
}

bool option_read(const option_reader *r, const option_table *table, const value *map, void *target,
                 const char *const *others, option_places *places) {
  option_defaults(table, target);
  place *each = ARENA_ARRAY(r->memory, place, table->count);
  bool *there = ARENA_ARRAY(r->memory, bool, table->count);
  if (places) *places = (option_places){entry_place(map), each};
  if (map->kind != VALUE_MAP && !is_nothing(map))
    return source_error(r->error, CAROM_ERROR_MODEL, map->at, NULL, "'%s' must be a map, not %s",
                        map->key ? map->key : table->name, value_kind_text(map));
  for (int i = 0; i < map->count; i++) {
    const value *v = map->items[i];
    int k = find_option(table, v->key);
    if (k < 0 && listed(others, v->key)) continue;
    if (k < 0) return unknown_key(r, table, others, v);
    asked a = {r, &table->options[k]};
    if (!read_one(&a, v, field(target, a.o))) return false;
    each[k] = place_of(v);
    there[k] = true;
  }
  for (int k = 0; k < table->count; k++)
    if (table->options[k].flags & OPTION_REQUIRED && !there[k])
      return source_error(r->error, CAROM_ERROR_MODEL, entry_place(map), NULL, "'%s' is missing in %s",
                          table->options[k].key, table->name);
  return true;
}

// ---- families

static int find_member(const option_table *const *tables, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(tables[i]->name, name) == 0) return i;
  return -1;
}

static const char *member_list(arena *memory, const option_table *const *tables, int count) {
  const char *list = count ? tables[0]->name : "";
  for (int i = 1; i < count; i++) list = arena_print(memory, "%s, %s", list, tables[i]->name);
  return list;
}

static const char *nearest_member(const option_table *const *tables, int count, const char *name) {
  const char *best = NULL;
  for (int i = 0; i < count; i++) best = source_nearest(name, (const char *[]){best, tables[i]->name}, 2);
  return best;
}

// Whether every other key that names a member is, for this one, just an option.
static bool owns_all(const option_table *table, const option_table *const *tables, int count, const value *entry,
                     const value *self, const char *const *others) {
  for (int i = 0; i < entry->count; i++) {
    const value *v = entry->items[i];
    if (v == self || listed(others, v->key) || find_member(tables, count, v->key) < 0) continue;
    if (find_option(table, v->key) < 0) return false;
  }
  return true;
}

// The key that says what the entry is. Null after reporting.
static const value *naming_key(const option_reader *r, const char *family, const option_table *const *tables, int count,
                               const value *entry, const char *const *others, int *member) {
  const value *found = NULL, *last = NULL;
  const char *hint = NULL;
  int owners = 0;
  for (int i = 0; i < entry->count; i++) {
    const value *v = entry->items[i];
    int m = listed(others, v->key) ? -1 : find_member(tables, count, v->key);
    if (m < 0 && !hint) hint = nearest_member(tables, count, v->key);
    if (m < 0) continue;
    last = v;
    if (!owns_all(tables[m], tables, count, entry, v, others)) continue;
    owners++;
    found = v;
    *member = m;
  }
  if (owners == 1) return found;
  if (last) {
    source_error(r->error, CAROM_ERROR_MODEL, last->key_at, NULL, "this %s is more than one thing at once: '%s' is one of them",
                 family, last->key);
    return NULL;
  }
  source_error(r->error, CAROM_ERROR_MODEL, entry_place(entry), hint, "this %s does not say what it is: one of %s", family,
               member_list(r->memory, tables, count));
  return NULL;
}

static const option *subject_of(const option_table *table) {
  for (int i = 0; i < table->count; i++)
    if (table->options[i].flags & OPTION_SUBJECT) return &table->options[i];
  return NULL;
}

static bool takes_map(const option *o) { return o && (o->type == OPTION_TABLE || o->type == OPTION_ROTATION); }

static bool push(const option_reader *r, value *map, value *item) {
  const value *before = value_get(map, item->key);
  if (before)
    return source_error(r->error, CAROM_ERROR_MODEL, item->key_at, NULL, "'%s' is there twice: first at %d:%d", item->key,
                        before->key_at.line, before->key_at.column);
  *ARENA_PUSH(r->memory, map->items, map->count, map->capacity) = item;
  return true;
}

// One flat map of options: those beside the naming key, those inside its value, and its value as the subject.
static bool flatten(const option_reader *r, const option_table *table, const value *entry, const value *naming, value *flat) {
  const option *subject = subject_of(table);
  *flat = (value){.kind = VALUE_MAP, .at = entry->at, .key = entry->key ? entry->key : naming->key,
                  .key_at = entry->key ? entry->key_at : naming->key_at, .parameters = entry->parameters};
  if (naming->kind == VALUE_MAP && !takes_map(subject)) {
    for (int i = 0; i < naming->count; i++)
      if (!push(r, flat, naming->items[i])) return false;
  } else if (!is_nothing(naming)) {
    if (!subject)
      return source_error(r->error, CAROM_ERROR_MODEL, naming->at, NULL, "'%s' takes a map of options, not %s", table->name,
                          value_kind_text(naming));
    value *v = ARENA_NEW(r->memory, value);
    *v = *naming;
    v->key = subject->key;
    if (!push(r, flat, v)) return false;
  }
  for (int i = 0; i < entry->count; i++)
    if (entry->items[i] != naming && !push(r, flat, entry->items[i])) return false;
  return true;
}

int option_read_member(const option_reader *r, const char *family, const option_table *const *tables, int count,
                       const value *entry, void *target, const char *const *others, option_places *places) {
  int member = -1;
  if (entry->kind == VALUE_SCALAR && !is_nothing(entry)) {
    const char *word = value_word(entry);
    member = find_member(tables, count, word);
    value nothing = {.kind = VALUE_MAP, .at = entry->at, .key_at = entry->at, .key = word, .parameters = entry->parameters};
    if (member >= 0) return option_read(r, tables[member], &nothing, target, others, places) ? member : -1;
    source_error(r->error, CAROM_ERROR_MODEL, entry->at, nearest_member(tables, count, word),
                 "'%s' is not a %s: it must be one of %s", word, family, member_list(r->memory, tables, count));
    return -1;
  }
  if (entry->kind == VALUE_LIST) {
    source_error(r->error, CAROM_ERROR_MODEL, entry->at, NULL, "a %s must be a map, not a list", family);
    return -1;
  }
  const value *naming = naming_key(r, family, tables, count, entry, others, &member);
  value flat;
  if (!naming || !flatten(r, tables[member], entry, naming, &flat)) return -1;
  return option_read(r, tables[member], &flat, target, others, places) ? member : -1;
}
