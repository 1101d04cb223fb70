// A Pratt parser that emits bytecode as it reads. Every operand knows where its code begins, so that a constant one
// can be folded in place, and what dimension it has.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/word.h"
#include "text/expr_parser.h"

enum { DEPTH_MAX = 200, CODE_MAX = 16384, NAME_MAX_LENGTH = 255, NUMBER_MAX_LENGTH = 400 };

// ---- what there is to call

typedef enum rule {
  RULE_NUMBER,  // plain number in, plain number out
  RULE_SAME,    // operands alike, result as they are
  RULE_RATIO,   // operands alike, plain number out
  RULE_ROOT,
  RULE_POWER,
  RULE_IF,
  RULE_CHOOSE,
  RULE_TABLE,
} rule;

// name, help, opcode, least and most arguments, rule of dimensions
#define FUNCTIONS(X)                                                                                                  \
  X("sin", "sin(x): sine", OP_SIN, 1, 1, RULE_NUMBER)                                                                 \
  X("cos", "cos(x): cosine", OP_COS, 1, 1, RULE_NUMBER)                                                               \
  X("tan", "tan(x): tangent", OP_TAN, 1, 1, RULE_NUMBER)                                                              \
  X("asin", "asin(x): arc sine", OP_ASIN, 1, 1, RULE_NUMBER)                                                          \
  X("acos", "acos(x): arc cosine", OP_ACOS, 1, 1, RULE_NUMBER)                                                        \
  X("atan", "atan(x): arc tangent", OP_ATAN, 1, 1, RULE_NUMBER)                                                       \
  X("atan2", "atan2(y, x): angle of the point (x, y)", OP_ATAN2, 2, 2, RULE_RATIO)                                    \
  X("sinh", "sinh(x): hyperbolic sine", OP_SINH, 1, 1, RULE_NUMBER)                                                   \
  X("cosh", "cosh(x): hyperbolic cosine", OP_COSH, 1, 1, RULE_NUMBER)                                                 \
  X("tanh", "tanh(x): hyperbolic tangent", OP_TANH, 1, 1, RULE_NUMBER)                                                \
  X("exp", "exp(x): exponential", OP_EXP, 1, 1, RULE_NUMBER)                                                          \
  X("log", "log(x): natural logarithm", OP_LOG, 1, 1, RULE_NUMBER)                                                    \
  X("log10", "log10(x): decimal logarithm", OP_LOG10, 1, 1, RULE_NUMBER)                                              \
  X("sqrt", "sqrt(x): square root", OP_SQRT, 1, 1, RULE_ROOT)                                                         \
  X("cbrt", "cbrt(x): cube root", OP_CBRT, 1, 1, RULE_ROOT)                                                           \
  X("pow", "pow(x, y): x to the power y, the same as x^y", OP_POWER, 2, 2, RULE_POWER)                                \
  X("hypot", "hypot(x, y): square root of x^2 + y^2", OP_HYPOT, 2, 2, RULE_SAME)                                      \
  X("abs", "abs(x): magnitude", OP_ABS, 1, 1, RULE_SAME)                                                              \
  X("sign", "sign(x): -1, 0 or 1", OP_SIGN, 1, 1, RULE_RATIO)                                                         \
  X("floor", "floor(x): largest whole number up to x", OP_FLOOR, 1, 1, RULE_SAME)                                     \
  X("ceil", "ceil(x): smallest whole number from x", OP_CEIL, 1, 1, RULE_SAME)                                        \
  X("mod", "mod(x, y): remainder of x/y, with the sign of y", OP_MOD, 2, 2, RULE_SAME)                                \
  X("min", "min(x, y, ...): smallest", OP_MIN, 1, MANY, RULE_SAME)                                                    \
  X("max", "max(x, y, ...): largest", OP_MAX, 1, MANY, RULE_SAME)                                                     \
  X("step", "step(x): 0 for x < 0, else 1", OP_STEP, 1, 1, RULE_RATIO)                                                \
  X("ramp", "ramp(x): 0 for x < 0, else x", OP_RAMP, 1, 1, RULE_SAME)                                                 \
  X("blend", "blend(x, x0, x1): rise from 0 at x0 to 1 at x1, twice continuously differentiable", OP_BLEND, 3, 3,     \
    RULE_RATIO)                                                                                                       \
  X("table", "table(x, x1, y1, x2, y2, ...): straight lines between constant points, held beyond the ends", OP_TABLE, \
    5, MANY, RULE_TABLE)                                                                                              \
  X("if", "if(c, a, b): a where the condition c holds, else b", OP_SELECT, 3, 3, RULE_IF)                             \
  X("choose", "choose(n, a, b, ...): a for n = 1, b for n = 2 and so on; any other n is an error, and n is constant", \
    OP_SELECT, 2, MANY, RULE_CHOOSE)

#define CONSTANTS(X)                                         \
  X("pi", "pi: 3.14159...", 3.14159265358979323846, DIM_ANY) \
  X("g0", "g0: standard gravity, 9.80665 m/s^2", 9.80665, DIM_ACCELERATION)

// Stands for a name as it is, so that `ball-floor.fn` is not a difference.
#define SIGNAL "signal"
#define SIGNAL_HELP \
  "signal(name): the signal of this name, also with characters that have a meaning here: signal(ball-floor.fn)"

enum { MANY = 1 << 20 };

typedef struct function {
  const char *name;
  opcode op;
  int least, most;
  rule rule;
} function;

static const function functions[] = {
#define X(name, help, op, least, most, rule) {name, op, least, most, rule},
    FUNCTIONS(X)
#undef X
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

static const struct {
  const char *name;
  double value;
  dimension dim;
} constants[] = {
#define X(name, help, value, dim) {name, value, dim},
    CONSTANTS(X)
#undef X
};
enum { CONSTANT_COUNT = sizeof constants / sizeof *constants };

const char *const *expr_help(int *count) {
  static const char *const help[] = {
#define X(name, text, ...) text,
      FUNCTIONS(X) SIGNAL_HELP, CONSTANTS(X)
#undef X
  };
  *count = (int)(sizeof help / sizeof *help);
  return help;
}

static const function *find_function(const char *name) {
  for (int i = 0; i < FUNCTION_COUNT; i++)
    if (strcmp(functions[i].name, name) == 0) return &functions[i];
  return NULL;
}

bool expr_is_function(const char *name) { return find_function(name) || strcmp(name, SIGNAL) == 0; }

static const char *nearest_builtin(const char *name, bool call) {
  const char *names[FUNCTION_COUNT + CONSTANT_COUNT + 1];
  int n = 0;
  if (call) names[n++] = SIGNAL;
  for (int i = 0; call && i < FUNCTION_COUNT; i++) names[n++] = functions[i].name;
  for (int i = 0; !call && i < CONSTANT_COUNT; i++) names[n++] = constants[i].name;
  return word_nearest(name, names, n);
}

// A modulus is often given in GN, which is no unit.
static const char *nearest_unit(const char *name) {
  static const char *const words[][2] = {{"sec", "s"},
                                         {"second", "s"},
                                         {"seconds", "s"},
                                         {"msec", "ms"},
                                         {"minutes", "min"},
                                         {"hours", "h"},
                                         {"meter", "m"},
                                         {"meters", "m"},
                                         {"metre", "m"},
                                         {"metres", "m"},
                                         {"in", "inch"},
                                         {"inches", "inch"},
                                         {"feet", "ft"},
                                         {"degree", "deg"},
                                         {"degrees", "deg"},
                                         {"radian", "rad"},
                                         {"radians", "rad"},
                                         {"turns", "rev"},
                                         {"kgs", "kg"},
                                         {"gram", "g"},
                                         {"grams", "g"},
                                         {"t", "tonne"},
                                         {"newton", "N"},
                                         {"newtons", "N"},
                                         {"joule", "J"},
                                         {"watt", "W"},
                                         {"hertz", "Hz"},
                                         {"RPM", "rpm"},
                                         {"GN", "GPa for a modulus, MN for a force"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(name, words[i][0]) == 0) return words[i][1];
  int count;
  const unit *units = unit_list(&count);
  const char *names[64];
  int n = count < 64 ? count : 64;
  for (int i = 0; i < n; i++) names[i] = units[i].name;
  return word_nearest(name, names, n);
}

// ---- characters

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void skip_blanks(parser *p) {
  while (is_blank(p->text[p->i])) p->i++;
}

// Names may have parts: `crank.q`. A dot not followed by a letter is not part of one.
static size_t name_length(const char *s) {
  size_t n = 0;
  while (is_letter(s[n]) || (n && (is_digit(s[n]) || (s[n] == '.' && is_letter(s[n + 1]))))) n++;
  return n;
}

static size_t number_length(const char *s) {
  size_t n = 0;
  while (is_digit(s[n])) n++;
  if (s[n] == '.') n++;
  while (is_digit(s[n])) n++;
  if (n == 0 || (n == 1 && s[0] == '.')) return 0;
  if (s[n] == 'e' || s[n] == 'E') {
    size_t e = n + 1;
    if (s[e] == '+' || s[e] == '-') e++;
    if (is_digit(s[e])) {
      while (is_digit(s[e])) e++;
      n = e;
    }
  }
  return n;
}

static double number_value(const char *s, size_t length) {
  char digits[NUMBER_MAX_LENGTH + 1];
  memcpy(digits, s, length);
  digits[length] = '\0';
  return number_read(digits, NULL);
}

size_t expr_literal(const char *text, double *value, dimension *dim) {
  size_t i = 0;
  while (is_blank(text[i])) i++;
  bool negative = text[i] == '-';
  i += negative;
  size_t n = number_length(text + i);
  if (n == 0 || n > NUMBER_MAX_LENGTH) return 0;
  *value = number_value(text + i, n) * (negative ? -1 : 1);
  i += n;
  size_t blanks = 0;
  while (is_blank(text[i + blanks])) blanks++;
  double factor;
  dimension unit_dim;
  size_t taken = unit_product(text + i + blanks, &factor, &unit_dim);
  *dim = taken ? unit_dim : DIM_ANY;
  if (taken) *value *= factor;
  return taken ? i + blanks + taken : i;
}

// ---- trouble

operand expr_fail(parser *p, size_t at, const char *hint, const char *format, ...) {
  if (!p->failed) {
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    source_error(p->error, CAROM_ERROR_MODEL, source_advance(p->at, p->text, at), hint, "%s", message);
  }
  p->failed = true;
  return (operand){.at = at, .start = p->code_count};
}

// ---- code

static int pool_add(parser *p, double v) {
  *ARENA_PUSH(p->memory, p->pool, p->pool_count, p->pool_capacity) = v;
  return p->pool_count - 1;
}

static void emit(parser *p, opcode op, int arg) {
  if (p->code_count >= CODE_MAX) {
    expr_fail(p, p->i, NULL, "the expression is too long");
    return;
  }
  *ARENA_PUSH(p->memory, p->code, p->code_count, p->code_capacity) = (instruction){op, arg};
}

static operand push(parser *p, opcode op, int arg, size_t at) {
  operand result = {.start = p->code_count, .at = at};
  if (++p->height > EXPR_STACK) expr_fail(p, at, NULL, "the expression is nested too deeply");
  emit(p, op, arg);
  return result;
}

static operand push_constant(parser *p, double v, quantity what, size_t at) {
  operand result = push(p, OP_CONSTANT, pool_add(p, v), at);
  result.is_constant = true;
  result.value = v;
  result.what = what;
  return result;
}

// Adds an instruction on the last `count` operands. What is constant is computed here and now.
static operand apply(parser *p, opcode op, int arg, const operand *operands, int count, quantity what, size_t at) {
  operand result = {.start = operands[0].start, .is_constant = true, .what = what, .at = operands[0].at};
  for (int i = count - 1; i >= 0; i--) {
    result.is_constant &= operands[i].is_constant;
    if (!operands[i].bad) continue;
    result.bad = operands[i].bad;
    result.bad_at = operands[i].bad_at;
  }
  emit(p, op, arg);
  p->height -= count - 1;
  if (p->failed || !result.is_constant) return result;
  expr folded = {.code = p->code + result.start,
                 .length = p->code_count - result.start,
                 .pool = p->pool,
                 .curves = p->curves,
                 .is_constant = true};
  result.value = expr_value(&folded, NULL);
  if (!isfinite(result.value) && !result.bad) {
    result.bad = op == OP_DIVIDE && operands[1].value == 0 ? "division by zero" : "the result is not a finite number";
    result.bad_at = at;
  }
  p->code_count = result.start;
  emit(p, OP_CONSTANT, pool_add(p, result.value));
  return result;
}

// ---- grammar, weakest binding first

enum { BIND_NONE, BIND_OR, BIND_AND, BIND_NOT, BIND_COMPARE, BIND_SUM, BIND_PRODUCT, BIND_SIGN, BIND_POWER };

typedef struct infix {
  const char *text;
  opcode op;
  int binding;
} infix;

// Longer signs before their beginnings.
static const infix infixes[] = {
    {"or", OP_OR, BIND_OR},
    {"and", OP_AND, BIND_AND},
    {"<=", OP_LESS_EQUAL, BIND_COMPARE},
    {">=", OP_GREATER_EQUAL, BIND_COMPARE},
    {"==", OP_EQUAL, BIND_COMPARE},
    {"!=", OP_NOT_EQUAL, BIND_COMPARE},
    {"<", OP_LESS, BIND_COMPARE},
    {">", OP_GREATER, BIND_COMPARE},
    {"+", OP_ADD, BIND_SUM},
    {"-", OP_SUBTRACT, BIND_SUM},
    {"*", OP_MULTIPLY, BIND_PRODUCT},
    {"/", OP_DIVIDE, BIND_PRODUCT},
    {"^", OP_POWER, BIND_POWER},
};

static const infix *peek_infix(const parser *p) {
  const char *s = p->text + p->i;
  size_t word = name_length(s);
  for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++) {
    size_t n = strlen(infixes[i].text);
    if (strncmp(s, infixes[i].text, n) == 0 && (word == 0 || word == n)) return &infixes[i];
  }
  return NULL;
}

static operand parse(parser *p, int binding);

static bool take(parser *p, char c) {
  skip_blanks(p);
  if (p->text[p->i] != c) return false;
  p->i++;
  return true;
}

static const char *const quote_hint =
    "inside { } or [ ] an expression with commas must be in quotes, else the comma ends it";

static operand close_bracket(parser *p, operand result, size_t opened) {
  if (p->failed || take(p, ')')) return result;
  if (p->text[p->i] == '\0') return expr_fail(p, opened, quote_hint, "this '(' is not closed");
  return expr_fail(p, p->i, NULL, "expected ')' here");
}

// A name that signals may have, but that reads as a calculation: letters, digits, dots and hyphens without a blank.
static bool is_joined(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-'; }

static size_t joined_length(const char *s) {
  size_t n = 0;
  while (is_joined(s[n])) n++;
  return n;
}

// The advice to write signal(...), if the name at this place is only the beginning of one that is known. May be null.
static const char *signal_hint(parser *p, size_t at) {
  char name[NAME_MAX_LENGTH + 1];
  for (size_t n = joined_length(p->text + at); n > name_length(p->text + at); n--) {
    symbol found = {0};
    const char *hint = NULL;
    if (n > NAME_MAX_LENGTH) continue;
    memcpy(name, p->text + at, n);
    name[n] = '\0';
    if (p->names.resolve(p->names.context, name, &found, &hint))
      return arena_print(p->memory, "'%s' is a name with a '-', which is read as minus; write " SIGNAL "(%s)", name,
                         name);
    if (hint && strchr(hint, '-') && !strchr(hint, ' '))
      return arena_print(p->memory, "did you mean " SIGNAL "(%s)?", hint);
  }
  return NULL;
}

// The same for a number that may be the end of a name: ball-2.y.
static const char *numbered_hint(parser *p, size_t at) {
  size_t start = at;
  while (start > 0 && is_joined(p->text[start - 1])) start--;
  if (start == at || !is_letter(p->text[start])) return NULL;
  int length = (int)joined_length(p->text + start);
  return arena_print(p->memory, "if '%.*s' is a name, write " SIGNAL "(%.*s)", length, p->text + start, length,
                     p->text + start);
}

static operand parse_number(parser *p) {
  size_t at = p->i, n = number_length(p->text + at);
  if (n > NUMBER_MAX_LENGTH) return expr_fail(p, at, NULL, "this number has too many digits");
  double v, factor;
  dimension dim;
  v = number_value(p->text + at, n);
  if (!isfinite(v)) return expr_fail(p, at, NULL, "this number is too large");
  p->i += n;
  skip_blanks(p);
  size_t unit_at = p->i, taken = unit_product(p->text + p->i, &factor, &dim);
  p->i += taken;
  quantity what = taken ? quantity_of_dimension(FIRM, dim) : QUANTITY_PURE;
  if (taken) v *= factor;
  if (!isfinite(v)) return expr_fail(p, at, NULL, "this number is too large");
  size_t rest = name_length(p->text + p->i);
  if (rest && !peek_infix(p)) {
    char name[NAME_MAX_LENGTH + 1];
    snprintf(name, sizeof name, "%.*s", (int)(rest < NAME_MAX_LENGTH ? rest : NAME_MAX_LENGTH), p->text + p->i);
    if (taken || find_function(name)) return expr_fail(p, p->i, NULL, "an operator is missing before '%s'", name);
    const char *hint = numbered_hint(p, at);
    return expr_fail(p, unit_at, hint ? hint : nearest_unit(name), "'%s' is not a unit", name);
  }
  return push_constant(p, v, what, at);
}

static operand parse_symbol(parser *p, const char *name, size_t at) {
  symbol found = {0};
  const char *hint = NULL;
  if (p->names.resolve && p->names.resolve(p->names.context, name, &found, &hint)) {
    bool known = found.dim != DIM_ANY;
    if (found.is_constant) {
      operand result =
          push_constant(p, found.value, known ? quantity_of_dimension(FIRM, found.dim) : QUANTITY_ANYTHING, at);
      if (!isfinite(found.value)) result.bad = "this constant is not a finite number", result.bad_at = at;
      return result;
    }
    operand result = push(p, OP_SLOT, found.slot, at);
    result.what = known ? quantity_of_dimension(LOOSE, found.dim) : QUANTITY_ANYTHING;
    if (result.what.firm == LOOSE) result.what.unit = found.unit;
    return result;
  }
  if (p->failed) return (operand){0};
  for (int i = 0; i < CONSTANT_COUNT; i++)
    if (strcmp(constants[i].name, name) == 0)
      return push_constant(p, constants[i].value,
                           constants[i].dim ? quantity_of_dimension(FIRM, constants[i].dim) : QUANTITY_PURE, at);
  const char *joined =
      p->names.resolve ? signal_hint(p, at) : NULL;  // asks for names, which only a failed expression may do
  if (joined) hint = joined;
  if (find_function(name))
    return expr_fail(p, at, joined, "the function '%s' needs its arguments in parentheses", name);
  if (strcmp(name, "inf") == 0 || strcmp(name, "nan") == 0)
    return expr_fail(p, at, NULL, "'%s' is not a number here", name);
  if (!hint) hint = nearest_builtin(name, false);
  if (!hint && unit_find(name, strlen(name)))
    hint = "a unit stands right after a number, and its products have no blanks: 10 N/m";
  return expr_fail(p, at, hint, "unknown name '%s'", name);
}

// The condition, then both branches; a constant condition keeps one of them, whatever is wrong with the other.
static operand finish_if(parser *p, const operand *a, size_t at) {
  quantity what = quantity_alike(p, a[1], a[2], a[2].at, "'if' yields");
  if (p->failed || !a[0].is_constant || a[0].bad) return apply(p, OP_SELECT, 0, a, 3, what, at);
  operand taken = a[0].value != 0 ? a[1] : a[2];
  int end = a[0].value != 0 ? a[2].start : p->code_count, length = end - taken.start;
  memmove(p->code + a[0].start, p->code + taken.start, (size_t)length * sizeof *p->code);
  p->code_count = a[0].start + length;
  p->height -= 2;
  taken.start = a[0].start;
  taken.what = what;
  return taken;
}

// Forgets the code of the operand that was parsed last.
static void drop(parser *p, operand last) {
  p->code_count = last.start;
  p->height--;
}

// The number n is on the stack; of the operands behind it only the n-th stays, whatever is wrong with the others.
static operand finish_choose(parser *p, operand n) {
  operand taken = {.what = QUANTITY_PURE};
  int count = 0;
  drop(p, n);
  while (take(p, ',')) {
    operand k = parse(p, BIND_NONE);
    if (p->failed) return k;
    quantity what = count ? quantity_alike(p, taken, k, k.at, "'choose' yields") : k.what;
    if (++count == n.value) taken = k;
    else drop(p, k);
    taken.what = what;
  }
  if (p->failed) return n;
  if (!n.is_constant) return expr_fail(p, n.at, NULL, "the first argument of 'choose' must be a constant");
  if (n.value >= 1 && n.value <= count && n.value == floor(n.value)) return taken;
  return expr_fail(p, n.at, NULL, "'choose' has values for 1 to %d, and its first argument is %g", count, n.value);
}

static operand apply_curve(parser *p, const curve *c, operand x, quantity what, size_t at) {
  *ARENA_PUSH(p->memory, p->curves, p->curve_count, p->curve_capacity) = c;
  return apply(p, OP_TABLE, p->curve_count - 1, &x, 1, what, at);
}

// x is on the stack; the points are constants.
static operand finish_table(parser *p, operand x, size_t at) {
  operand last = {0}, y = {.what = QUANTITY_PURE};
  double *of[2] = {0};
  int counts[2] = {0}, capacities[2] = {0}, count = 0;
  while (take(p, ',')) {
    operand k = parse(p, BIND_NONE);
    if (p->failed) return k;
    if (!k.is_constant || k.bad) return expr_fail(p, k.at, NULL, "a point of a table must be a finite constant");
    if (count % 2 == 0) {
      quantity_alike(p, x, k, k.at, "the table has");
      if (count && k.value <= last.value) return expr_fail(p, k.at, NULL, "the abscissas of a table must increase");
      last = k;
    } else {
      y.what = quantity_alike(p, y, k, k.at, "the table has");
    }
    drop(p, k);
    int way = count++ % 2;
    *ARENA_PUSH(p->memory, of[way], counts[way], capacities[way]) = k.value;
  }
  if (p->failed) return x;
  if (count < 4 || count % 2)
    return expr_fail(p, at, NULL, "'table' takes x and then at least two pairs x1, y1, x2, y2");
  return apply_curve(p, curve_create(p->memory, CURVE_LINEAR, counts[0], of[0], of[1], NULL), x, y.what, at);
}

static quantity quantity_of(dimension d) { return d == DIM_ANY ? QUANTITY_PURE : quantity_of_dimension(FIRM, d); }

// A table of the model by its name, at the parenthesis. One whose points are not known yet stands for any function.
static operand parse_named_table(parser *p, const named_curve *table, size_t at) {
  size_t opened = p->i++;
  operand x = parse(p, BIND_NONE);
  if (p->failed) return x;
  if (take(p, ',')) return expr_fail(p, at, NULL, "the table '%s' takes 1 argument", table->name);
  x = close_bracket(p, x, opened);
  if (p->failed) return x;
  if (!table->curve) return x.is_constant = false, x.what = QUANTITY_ANYTHING, x;
  operand point = {.what = quantity_of(table->x), .at = x.at};
  quantity_alike(p, x, point, x.at, "the table has");
  return apply_curve(p, table->curve, x, quantity_of(table->y), at);
}

static quantity result_quantity(parser *p, const function *f, const operand *a, int count) {
  quantity what = a[0].what;
  switch (f->rule) {
    case RULE_NUMBER: {
      char text[48];
      snprintf(text, sizeof text, "argument of %s", f->name);
      quantity_want_number(p, a[0], text);
      return QUANTITY_PURE;
    }
    case RULE_ROOT:
      return quantity_has_dimension(what) ? quantity_scaled(p, what, 1, f->op == OP_SQRT ? 2 : 3, a[0].at) : what;
    case RULE_POWER: return quantity_power(p, a[0], a[1], a[1].at);
    default:  // RULE_SAME, RULE_RATIO
      for (int i = 1; i < count; i++) {
        operand sofar = a[0];
        sofar.what = what;
        char text[48];
        snprintf(text, sizeof text, "%s of", f->name);
        what = quantity_alike(p, sofar, a[i], a[i].at, text);
      }
      return f->rule == RULE_RATIO ? QUANTITY_PURE : what;
  }
}

static operand parse_call(parser *p, const function *f, size_t at) {
  size_t opened = p->i++;
  operand a[3];
  int count = 0;
  do {
    a[count] = parse(p, BIND_NONE);
    if (p->failed) return a[count];
    count++;
    if (f->rule == RULE_TABLE) return close_bracket(p, finish_table(p, a[0], at), opened);
    if (f->rule == RULE_CHOOSE) return close_bracket(p, finish_choose(p, a[0]), opened);
    if (f->most == MANY && count == 2) {
      a[0] = apply(p, f->op, 0, a, 2, result_quantity(p, f, a, 2), at);
      count = 1;
    }
  } while (count < f->most && take(p, ','));
  if (p->failed) return a[0];
  skip_blanks(p);
  if (p->text[p->i] == ',' || (p->text[p->i] == ')' && count < f->least))
    return expr_fail(p, at, NULL, "'%s' takes %d argument%s", f->name, f->least, f->least == 1 ? "" : "s");
  operand result = close_bracket(p, a[0], opened);
  if (p->failed || f->most == MANY) return result;
  if (f->rule == RULE_IF) return finish_if(p, a, at);
  return apply(p, f->op, 0, a, count, result_quantity(p, f, a, count), at);
}

// After the word, at the parenthesis.
static operand parse_signal(parser *p) {
  size_t opened = p->i++;
  skip_blanks(p);
  size_t at = p->i, n = strcspn(p->text + at, ")");
  if (p->text[at + n] != ')') return expr_fail(p, opened, NULL, "this '(' is not closed");
  p->i += n + 1;
  while (n && is_blank(p->text[at + n - 1])) n--;
  char name[NAME_MAX_LENGTH + 1];
  if (n == 0) return expr_fail(p, opened, "as in " SIGNAL "(ball-floor.fn)", "the name of a signal is missing");
  if (n > NAME_MAX_LENGTH) return expr_fail(p, at, NULL, "this name is too long");
  memcpy(name, p->text + at, n);
  name[n] = '\0';
  return parse_symbol(p, name, at);
}

static operand parse_name(parser *p) {
  size_t at = p->i, n = name_length(p->text + at);
  char name[NAME_MAX_LENGTH + 1];
  if (n > NAME_MAX_LENGTH) return expr_fail(p, at, NULL, "this name is too long");
  memcpy(name, p->text + at, n);
  name[n] = '\0';
  if (strcmp(name, "and") == 0 || strcmp(name, "or") == 0)
    return expr_fail(p, at, NULL, "a value is missing before '%s'", name);
  p->i += n;
  skip_blanks(p);
  if (p->text[p->i] != '(') return parse_symbol(p, name, at);
  if (strcmp(name, SIGNAL) == 0) return parse_signal(p);
  const function *f = find_function(name);
  const named_curve *table = f || !p->names.table ? NULL : p->names.table(p->names.context, name);
  if (table) return parse_named_table(p, table, at);
  if (!f) return expr_fail(p, at, nearest_builtin(name, true), "unknown function '%s'", name);
  return parse_call(p, f, at);
}

static operand parse_prefix(parser *p) {
  skip_blanks(p);
  size_t at = p->i;
  char c = p->text[at];
  if (number_length(p->text + at)) return parse_number(p);
  if (c == '(') {
    p->i++;
    return close_bracket(p, parse(p, BIND_NONE), at);
  }
  if (c == '+' || c == '-') {
    p->i++;
    operand a = parse(p, BIND_SIGN);
    a.at = at;
    return p->failed || c == '+' ? a : apply(p, OP_NEGATE, 0, &a, 1, a.what, at);
  }
  if (name_length(p->text + at) == 3 && strncmp(p->text + at, "not", 3) == 0) {
    p->i += 3;
    operand a = parse(p, BIND_NOT);
    return p->failed ? a : apply(p, OP_NOT, 0, &a, 1, QUANTITY_PURE, at);
  }
  if (is_letter(c)) return parse_name(p);
  if (c == '\0')
    return expr_fail(p, at, NULL, at ? "the expression ends too early" : "a number or an expression is missing");
  if (c == '!') return expr_fail(p, at, "write 'not' for it", "'!' is not known here");
  return expr_fail(p, at, NULL, "'%.1s' is not expected here", p->text + at);
}

static operand combine(parser *p, const infix *sign, operand a, operand b, size_t at) {
  const operand both[] = {a, b};
  quantity what = QUANTITY_PURE;
  switch (sign->binding) {
    case BIND_SUM: what = quantity_alike(p, a, b, at, sign->op == OP_ADD ? "cannot add" : "cannot subtract"); break;
    case BIND_COMPARE: quantity_alike(p, a, b, at, "cannot compare"); break;
    case BIND_PRODUCT: what = quantity_product(p, a, b, sign->op == OP_DIVIDE, at); break;
    case BIND_POWER: what = quantity_power(p, a, b, at); break;
    default: break;
  }
  return apply(p, sign->op, 0, both, 2, what, at);
}

static operand parse_infixes(parser *p, operand left, int binding) {
  for (;;) {
    skip_blanks(p);
    const infix *sign = peek_infix(p);
    if (!sign || sign->binding <= binding) return left;
    size_t at = p->i;
    p->i += strlen(sign->text);
    if (sign->op == OP_MULTIPLY && p->text[p->i] == '*')
      return expr_fail(p, at, "write a power with '^'", "'**' is not known here");
    // A power binds to the right: 2^3^2 is 2^(3^2).
    operand right = parse(p, sign->binding == BIND_POWER ? BIND_SIGN : sign->binding);
    if (p->failed) return right;
    left = combine(p, sign, left, right, at);
    if (p->failed) return left;
    if (sign->binding == BIND_COMPARE && (sign = peek_infix((skip_blanks(p), p))) && sign->binding == BIND_COMPARE)
      return expr_fail(p, p->i, "join two comparisons with 'and'", "comparisons cannot be chained");
  }
}

static operand parse(parser *p, int binding) {
  if (p->depth >= DEPTH_MAX) return expr_fail(p, p->i, NULL, "the expression is nested too deeply");
  p->depth++;
  operand result = parse_prefix(p);
  if (!p->failed) result = parse_infixes(p, result, binding);
  p->depth--;
  return result;
}

static void fail_at_rest(parser *p) {
  char c = p->text[p->i];
  const char *hint = NULL;
  if (c == '=') hint = "a comparison is written '=='";
  if (c == '&') hint = "write 'and' for it";
  if (c == '|') hint = "write 'or' for it";
  if (c == ',')
    hint = p->i > 0 && is_digit(p->text[p->i - 1]) && is_digit(p->text[p->i + 1]) ? "a decimal number has a point: 1.5"
                                                                                  : quote_hint;
  if (c == ')') expr_fail(p, p->i, NULL, "there is no '(' for this ')'");
  else if (is_letter(c) || is_digit(c) || c == '(' || c == '.') expr_fail(p, p->i, NULL, "an operator is missing here");
  else if ((unsigned char)c < 0x20) expr_fail(p, p->i, NULL, "a control character is not expected here");
  else expr_fail(p, p->i, hint, "'%c' is not expected here", c);
}

const expr *expr_compile(arena *memory, const char *text, place at, scope names, dimension *dim, carom_error *error) {
  parser p = {.memory = memory, .text = text, .at = at, .names = names, .error = error};
  operand result = parse(&p, BIND_NONE);
  skip_blanks(&p);
  if (!p.failed && text[p.i] != '\0') fail_at_rest(&p);
  if (!p.failed && result.bad) expr_fail(&p, result.bad_at, NULL, "%s", result.bad);
  if (p.failed) return NULL;
  if (dim) *dim = quantity_has_dimension(result.what) ? result.what.dim : DIM_ANY;
  expr *e = ARENA_NEW(memory, expr);
  *e = (expr){p.code,
              p.code_count,
              p.pool,
              p.curves,
              result.is_constant,
              .dim = result.what.firm == PURE ? DIM_NONE : dimension_without_cycles(result.what.dim),
              .unit = result.what.unit};
  return e;
}

const char *expr_unit(const expr *e, char buffer[32]) {
  return e->unit ? e->unit : e->dim == DIM_ANY ? "" : dimension_text(e->dim, buffer);
}
