#include "check.h"
#include "comma.h"

#include <float.h>

#include "base/word.h"
#include "text/expr_parse.h"

static jmp_buf out_of_memory;
static carom_error error;

// Variables x and y (bare), t [s], crank.q (angle), length l [m], parameters m (bare, 2), l0 (3 m), word-like names
// none.
static bool resolve(void *context, const char *name, symbol *found, const char **hint) {
  (void)context;
  static const struct {
    const char *name;
    symbol s;
  } known[] = {
      {"x", {.slot = 0}},
      {"y", {.slot = 1}},
      {"t", {.slot = 2, .dim = DIM_TIME}},
      {"crank.q", {.slot = 3, .dim = DIM_ANGLE, .unit = "rad"}},
      {"s1.length", {.slot = 4, .dim = DIM_LENGTH, .unit = "m"}},
      {"work", {.slot = 5, .dim = DIM_ENERGY, .unit = "J"}},
      {"m", {.is_constant = true, .value = 2}},
      {"length", {.is_constant = true, .value = 3, .dim = DIM_LENGTH}},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].name, name) == 0) return *found = known[i].s, true;
  const char *names[] = {"length", "crank.q"};
  *hint = word_nearest(name, names, 2);
  return false;
}

static const scope names = {.resolve = resolve};

static const expr *compile(arena *memory, const char *text, dimension *dim) {
  memset(&error, 0, sizeof error);
  static source s;
  s = (source){"test", text, strlen(text)};
  return expr_compile(memory, text, (place){&s, 1, 1}, names, dim, &error);
}

// Value of a constant expression; NaN when it is not one.
static double constant(const char *text, dimension *dim) {
  arena memory = arena_create(&out_of_memory);
  const expr *e = compile(&memory, text, dim);
  double v = e && expr_is_constant(e) ? expr_value(e, NULL) : NAN;
  if (!e) printf("    %s\n", error.text);
  arena_free(&memory);
  return v;
}

static double value(const char *text) { return constant(text, NULL); }

static void numbers_and_operators(void) {
  CHECK_NEAR(value("1"), 1, 0);
  CHECK_NEAR(value("  .5e1 "), 5, 0);
  CHECK_NEAR(value("1.e-3"), 1e-3, 0);
  CHECK_NEAR(value("0.1"), 0.1, 0);
  CHECK_NEAR(value("2+3*4"), 14, 0);
  CHECK_NEAR(value("(2+3)*4"), 20, 0);
  CHECK_NEAR(value("8-4-2"), 2, 0);
  CHECK_NEAR(value("8/4/2"), 1, 0);
  CHECK_NEAR(value("2^3^2"), 512, 0);
  CHECK_NEAR(value("-2^2"), -4, 0);
  CHECK_NEAR(value("2^-1"), 0.5, 0);
  CHECK_NEAR(value("2*-3"), -6, 0);
  CHECK_NEAR(value("--3"), 3, 0);
  CHECK_NEAR(value("m*3"), 6, 0);
  CHECK_NEAR(value("2*pi"), 2 * acos(-1), 0);
}

static void conditions(void) {
  CHECK_NEAR(value("1 < 2 and 2 <= 2"), 1, 0);
  CHECK_NEAR(value("1 > 2 or not 3 != 3"), 1, 0);
  CHECK_NEAR(value("1 == 1"), 1, 0);
  CHECK_NEAR(value("not 1 >= 2"), 1, 0);
  CHECK_NEAR(value("if(m > 1, 10, 20)"), 10, 0);
  CHECK_NEAR(value("if(m > 5, 10, 20)"), 20, 0);
  CHECK_NEAR(value("if(m > 5, 1/0, 7)"), 7, 0);  // the branch not taken may be anything
  CHECK_NEAR(value("1 + if(1, if(0, 1, 2), 3)*2"), 5, 0);
  CHECK_NEAR(value("choose(m, 10, 20, 1/0)"), 20, 0);
  CHECK_NEAR(value("1 + 2*choose(3, 1, x, choose(1, m + 5, 7), 4) + 1"), 16, 0);
}

static void functions_have_their_values(void) {
  const double e = 4 * DBL_EPSILON;  // libm is good to an ulp or two of results of order one
  CHECK_NEAR(value("sin(0.3)"), sin(0.3), e);
  CHECK_NEAR(value("cos(60 deg)"), 0.5, e);
  CHECK_NEAR(value("tan(pi/4)"), 1, e);
  CHECK_NEAR(value("asin(1)"), acos(0), e);
  CHECK_NEAR(value("acos(0)"), acos(0), e);
  CHECK_NEAR(value("atan(1)*4"), acos(-1), e);
  CHECK_NEAR(value("atan2(-1, -1)"), -0.75 * acos(-1), e);
  CHECK_NEAR(value("exp(log(3))"), 3, e);
  CHECK_NEAR(value("log10(1000)"), 3, e);
  CHECK_NEAR(value("sqrt(2)^2"), 2, e);
  CHECK_NEAR(value("cbrt(-27)"), -3, e);
  CHECK_NEAR(value("cosh(1)^2 - sinh(1)^2"), 1, e);
  CHECK_NEAR(value("tanh(0.5)"), tanh(0.5), e);
  CHECK_NEAR(value("pow(2, 10)"), 1024, 0);
  CHECK_NEAR(value("hypot(3, 4)"), 5, 0);
  CHECK_NEAR(value("abs(-3) + sign(-2) + sign(0)"), 2, 0);
  CHECK_NEAR(value("floor(-1.5) + ceil(1.5)"), 0, 0);
  CHECK_NEAR(value("mod(-1, 3)"), 2, 0);
  CHECK_NEAR(value("min(3, 1, 2) + 10*max(3, 4) + min(7)"), 48, 0);
  CHECK_NEAR(value("step(-1) + 10*step(0) + 100*step(2)"), 110, 0);
  CHECK_NEAR(value("ramp(-1) + ramp(2)"), 2, 0);
  CHECK_NEAR(value("blend(0.5, 0, 1)"), 0.5, e);
  CHECK_NEAR(value("blend(-1, 0, 1) + blend(9, 0, 1)"), 1, 0);
  CHECK_NEAR(value("table(1.5, 1, 10, 2, 20, 4, 0)"), 15, 0);
  CHECK_NEAR(value("table(3, 1, 10, 2, 20, 4, 0)"), 10, 0);
  CHECK_NEAR(value("table(-3, 1, 10, 2, 20, 4, 0)"), 10, 0);
  CHECK_NEAR(value("table(9, 1, 10, 2, 20, 4, 0)"), 0, 0);
}

static void units_follow_numbers(void) {
  dimension d;
  CHECK_NEAR(constant("0.5 mm", &d), 0.5e-3, 0);
  CHECK_EQUAL(d, DIM_LENGTH);
  CHECK_NEAR(constant("3 N*m", &d), 3, 0);
  CHECK_EQUAL(d, DIM_TORQUE);
  CHECK_NEAR(constant("10 N/mm", &d), 1e4, 0);
  CHECK_EQUAL(d, DIM_STIFFNESS);
  CHECK_NEAR(constant("2 m/s^2*3 s", &d), 6, 0);
  CHECK_EQUAL(d, DIM_SPEED);
  CHECK_NEAR(constant("150 rpm", &d), 5 * acos(-1), 1e-14);
  CHECK_EQUAL(d, DIM_RATE);
  CHECK_NEAR(constant("3 m * m", &d), 6, 0);  // a blank ends the unit: this m is the parameter
  CHECK_EQUAL(d, DIM_ANY);                    // and a bare parameter may be anything
  CHECK_NEAR(constant("-54 deg", &d), -54 * acos(-1) / 180, 1e-15);
  CHECK_EQUAL(d, DIM_ANGLE);
  CHECK_NEAR(constant("2*length + 1 mm", &d), 6.001, 1e-15);
  CHECK_EQUAL(d, DIM_LENGTH);
  constant("length + 1", &d);
  CHECK_EQUAL(d, DIM_LENGTH);
  constant("length^2*length", &d);
  CHECK_EQUAL(d, DIM(3, 0, 0));
  constant("sqrt(length^2 + 1 mm^2)", &d);
  CHECK_EQUAL(d, DIM_LENGTH);
  constant("cbrt(8 m^3)", &d);
  CHECK_EQUAL(d, DIM_LENGTH);
  constant("(4 m^2)^0.5", &d);
  CHECK_EQUAL(d, DIM_LENGTH);
  constant("length/(3 mm)", &d);
  CHECK_EQUAL(d, DIM_ANY);
  constant("1/(2 s)", &d);
  CHECK_EQUAL(d, DIM_PER_TIME);
  constant("30 rpm*2 s", &d);
  CHECK_EQUAL(d, DIM_ANGLE);  // not a plain number
  constant("30 rpm/(2 rpm)", &d);
  CHECK_EQUAL(d, DIM_ANY);
  constant("5 Hz*2 s", &d);
  CHECK_EQUAL(d, DIM_COUNT);  // of cycles
  constant("2*pi*5 Hz*2 s", &d);
  CHECK_EQUAL(d, DIM_ANY);
  constant("2*pi*5 Hz", &d);
  CHECK_EQUAL(d, DIM_PER_TIME);
  constant("sqrt(30 deg)", &d);
  CHECK_EQUAL(d, DIM_ANY);
  constant("atan2(length, 3 mm)", &d);
  CHECK_EQUAL(d, DIM_ANY);
  constant("max(length, 3 mm)", &d);
  CHECK_EQUAL(d, DIM_LENGTH);
  constant("table(1 s, 0, 0, 1 s, 5 mm)", &d);
  CHECK_EQUAL(d, DIM_LENGTH);
  constant("g0*2 kg", &d);
  CHECK_EQUAL(d, DIM_FORCE);
}

// Functions of time and state, in which coefficients have no unit more often than not.
static void variables_bind_loosely(void) {
  static const char *const fine[] = {
      "sin(5*t)",
      "sin(t)",
      "100*crank.q",
      "3 N*sin(2*pi*t)",
      "t - 0.1 s",
      "sin(5*(t - 0.1 s))",
      "1000*s1.length",
      "10 N/m*s1.length",
      "t*150 rpm",
      "if(t < 0.1, 1, 0)",
      "exp(-t/0.2)",
      "t^2",
      "t^x",
      "m*t + length",
      "blend(t, 0, 0.1 s)",
      "sin(s1.length)",
      "exp(work)",
      "-100*s1.length",
      "3 m*30 rpm*t + s1.length",
      "crank.q^x",
      "crank.q + 30 rpm*t",
  };
  arena memory = arena_create(&out_of_memory);
  for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
    if (!CHECK(compile(&memory, fine[i], NULL))) printf("    %s\n", error.text);
  dimension d;
  CHECK(compile(&memory, "10 N/m*s1.length", &d) && d == DIM_FORCE);
  CHECK(compile(&memory, "1000*s1.length", &d) && d == DIM_ANY);
  CHECK(compile(&memory, "30 rpm*t", &d) && d == DIM_ANGLE);
  CHECK(compile(&memory, "s1.length*1 kg", &d) && d == DIM(1, 1, 0));
  arena_free(&memory);
}

static void unit_is(const char *text, const char *wanted) {
  arena memory = arena_create(&out_of_memory);
  const expr *e = compile(&memory, text, NULL);
  char buffer[32];
  if (!CHECK(e)) printf("    %s\n", error.text);
  else if (!CHECK_TEXT(expr_unit(e, buffer), wanted)) printf("    for: %s\n", text);
  arena_free(&memory);
}

// What a column of results says: a unit only where it is known.
static void results_have_units(void) {
  unit_is("s1.length", "m");
  unit_is("-abs(s1.length) + 2 mm", "m");
  unit_is("work + work", "J");  // as the signals have it
  unit_is("if(t < 1, work, 0)", "J");
  unit_is("10 N/m*s1.length*s1.length", "N*m");  // made from the dimension
  unit_is("crank.q/t", "rad/s");
  unit_is("length*crank.q/t", "m/s");
  unit_is("s1.length/length", "1");
  unit_is("sin(s1.length)", "1");
  unit_is("crank.q*180/pi", "");  // a factor without a unit may be a conversion
  unit_is("x + 1", "");
}

static void fails(const char *text, int column, const char *message) {
  arena memory = arena_create(&out_of_memory);
  if (CHECK(!compile(&memory, text, NULL))) {
    bool ok = CHECK_EQUAL(error.column, column);
    ok &= CHECK_CONTAINS(error.text, message);
    if (!ok) printf("    for: %.60s\n", text);
    CHECK_EQUAL(error.status, CAROM_ERROR_MODEL);
  } else {
    printf("    for: %.60s\n", text);
  }
  arena_free(&memory);
}

static void errors_stand_at_their_column(void) {
  fails("", 1, "missing");
  fails("1 +", 4, "ends too early");
  fails("2*lenght", 3, "unknown name 'lenght'");
  fails("2*lenght", 3, "did you mean 'length'?");
  fails("snu(1)", 1, "unknown function 'snu'");
  fails("sinn(1)", 1, "did you mean 'sin'?");
  fails("(1+2", 1, "not closed");
  fails("1+2)", 4, "no '('");
  fails("3 mn", 3, "'mn' is not a unit");
  fails("3 length", 3, "is not a unit");
  fails("70 GN", 4, "hint: GPa for a modulus, MN for a force");
  fails("2 m x", 5, "an operator is missing");
  fails("10 N / s", 8, "no blanks");
  fails("x y", 3, "an operator is missing");
  fails("1 + length + 2 kg", 12, "cannot add m and kg");
  fails("length - 2 s", 8, "cannot subtract m and s");
  fails("length < 2 s", 8, "cannot compare m and s");
  fails("s1.length + 1 kg", 11, "cannot add m and kg");
  fails("30 rpm*t + 1 m", 10, "cannot add rad and m");
  fails("sin(length)", 5, "not m");
  fails("sin(2*length)", 5, "not m");
  fails("2^length", 2 + 1, "exponent");
  fails("length^x", 7, "whole exponent");
  fails("length^0.5", 7, "not a unit");
  fails("sqrt(length)", 6, "not a unit");
  fails("1/0", 2, "division by zero");
  fails("1 + 1/(2-m)", 6, "division by zero");
  fails("if(x > 0, 1/0, 2)", 12, "division by zero");
  fails("log(0)", 1, "not a finite number");
  fails("sqrt(-1)", 1, "not a finite number");
  fails("1e400", 1, "too large");
  fails("inf", 1, "not a number");
  fails("sin", 1, "parentheses");
  fails("sin(1, 2)", 1, "takes 1 argument");
  fails("atan2(1)", 1, "takes 2 arguments");
  fails("if(x, 1)", 1, "takes 3 arguments");
  fails("1 + choose(4, 1, 2, 3)", 12, "'choose' has values for 1 to 3, and its first argument is 4");
  fails("choose(0, 1)", 8, "and its first argument is 0");
  fails("choose(1.5, 1, 2)", 8, "is 1.5");
  fails("choose(x, 1, 2)", 8, "must be a constant");
  fails("choose(1/0, 1, 2)", 8, "is inf");
  fails("choose(1, 1/0, 2)", 12, "division by zero");
  fails("choose(1, 1 m, 2 kg)", 16, "'choose' yields m and kg");
  fails("if(x < 1", 3, "must be in quotes");
  fails("1 < 2 < 3", 7, "'and'");
  fails("2**3", 2, "'^'");
  fails("x = 3", 3, "'=='");
  fails("x && y", 3, "'and'");
  fails("!x", 1, "'not'");
  fails("1, 2", 2, "','");
  fails("and 3", 1, "missing before");
  fails("table(x, 1, 2)", 1, "at least two pairs");
  fails("table(x, 2, 2, 1, 3)", 16, "must increase");
  fails("table(x, y, 2, 1, 3)", 10, "constant");
  fails("blend(length, 0 s, 1 s)", 15, "units do not match");
  fails("\x01", 1, "error");
}

static void deep_and_long_ones_are_refused(void) {
  char text[80000];
  memset(text, '(', 5000);
  strcpy(text + 5000, "1");
  fails(text, 201, "too deeply");
  memset(text, '-', 5000);
  fails(text, 201, "too deeply");
  size_t n = 0;
  for (int i = 0; i < 15000; i++) n += (size_t)sprintf(text + n, "x+");
  strcpy(text + n, "x");
  fails(text, 16386, "too long");  // of x+x+... each character makes one instruction
  n = 0;
  for (int i = 0; i < 60; i++) n += (size_t)sprintf(text + n, "x+(");
  strcpy(text + n, "x");
  for (int i = 0; i < 60; i++) strcat(text, ")");
  arena memory = arena_create(&out_of_memory);
  const expr *e = compile(&memory, text, NULL);
  if (CHECK(e)) CHECK_NEAR(expr_value(e, (double[]){2, 0, 0, 0, 0}), 122, 0);
  arena_free(&memory);
  n = 0;
  for (int i = 0; i < 70; i++) n += (size_t)sprintf(text + n, "x+(");  // recursion has room, the stack has not
  strcpy(text + n, "x");
  fails(text, 64 * 3 + 1, "too deeply");
}

static double at(const expr *e, double t) {
  // x and y move along a curve with known derivatives.
  double slots[6] = {sin(t) + 1.7, t * t * t + 0.4, t, 0, 0};
  return expr_value(e, slots);
}

// Every function against finite differences along x = sin t + 1.7, y = t³ + 0.4.
static void jets_match_finite_differences(void) {
  static const char *const texts[] = {
      "x",
      "-x",
      "x+y",
      "x-y",
      "x*y",
      "x/y",
      "x^3",
      "x^-2",
      "x^y",
      "x^0.5",
      "2^x",
      "sin(x)",
      "cos(x)",
      "tan(y)",
      "asin(y/3)",
      "acos(y/3)",
      "atan(x)",
      "atan2(x, y)",
      "sinh(y)",
      "cosh(y)",
      "tanh(x)",
      "exp(y)",
      "log(x)",
      "log10(x)",
      "sqrt(x)",
      "cbrt(x)",
      "cbrt(-x)",
      "abs(-x)",
      "hypot(x, y)",
      "min(x, y)",
      "max(x, y)",
      "mod(x, y)",
      "ramp(x)",
      "blend(x, 1, 4)",
      "blend(y, x, -1)",
      "blend(x, y, y + 3)",
      "table(x, 0, 1, 5, 8, 9, -3)",
      "if(x > y, x*x, y)",
      "x*sin(y)^2 + exp(-x)/(1 + y^2)",
      "step(x)*x + sign(y)*y + floor(x)*y",
  };
  arena memory = arena_create(&out_of_memory);
  const double t = 0.6, h = 1e-4;
  const double x = sin(t) + 1.7, y = t * t * t + 0.4;
  const jet slots[5] = {{x, cos(t), -sin(t)}, {y, 3 * t * t, 6 * t}, {t, 1, 0}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const expr *e = compile(&memory, texts[i], NULL);
    if (!CHECK(e)) continue;
    jet j = expr_jet(e, slots);
    double a = at(e, t - h), b = at(e, t), c = at(e, t + h), size = 1 + fabs(b) + fabs(j.d) + fabs(j.dd);
    // Central differences: h²/6 f''' and h²/12 f'''' are below 100 h² size here; rounding is eps/h and 4 eps/h².
    bool ok = CHECK_NEAR(j.v, b, 4 * DBL_EPSILON * size);
    ok &= CHECK_NEAR(j.d, (c - a) / (2 * h), 100 * h * h * size);
    ok &= CHECK_NEAR(j.dd, (a - 2 * b + c) / (h * h), 100 * h * h * size + 8 * DBL_EPSILON * size / (h * h));
    if (!ok) printf("    for: %s\n", texts[i]);
  }
  arena_free(&memory);
}

static jet jet_at(const char *text, double v, double d, double dd) {
  arena memory = arena_create(&out_of_memory);
  const expr *e = compile(&memory, text, NULL);
  jet slots[5] = {{v, d, dd}};
  jet j = e ? expr_jet(e, slots) : (jet){NAN, NAN, NAN};
  arena_free(&memory);
  return j;
}

static void kinks_take_the_side_ahead(void) {
  CHECK_NEAR(jet_at("abs(x)", 0, 1, 0).d, 1, 0);
  CHECK_NEAR(jet_at("abs(x)", 0, -1, 0).d, 1, 0);
  CHECK_NEAR(jet_at("abs(x)", 0, 0, -2).dd, 2, 0);
  CHECK_NEAR(jet_at("ramp(x)", 0, 1, 0).d, 1, 0);
  CHECK_NEAR(jet_at("ramp(x)", 0, -1, 0).d, 0, 0);
  CHECK_NEAR(jet_at("max(x, 0)", 0, 3, 0).d, 3, 0);
  CHECK_NEAR(jet_at("min(x, 0)", 0, 3, 0).d, 0, 0);
  CHECK_NEAR(jet_at("table(x, 0, 0, 1, 2, 2, 7)", 1, 1, 0).d, 5, 0);
  CHECK_NEAR(jet_at("table(x, 0, 0, 1, 2, 2, 7)", 1, -1, 0).d, -2, 0);
  CHECK_NEAR(jet_at("table(x, 0, 0, 1, 2, 2, 7)", 2, -1, 0).d, -5, 0);
  CHECK_NEAR(jet_at("table(x, 0, 0, 1, 2, 2, 7)", 2, 1, 0).d, 0, 0);
  CHECK_NEAR(jet_at("table(x, 0, 0, 1, 2, 2, 7)", 0, 1, 0).d, 2, 0);
  CHECK_NEAR(jet_at("hypot(x, 2*x)", 0, 1, 0).d, sqrt(5), 1e-15);
  CHECK_NEAR(jet_at("sqrt(x)", 0, 0, 0).d, 0, 0);  // what does not move has no derivative
  CHECK_NEAR(jet_at("x^1", 0, 1, 0).d, 1, 0);
  CHECK_NEAR(jet_at("x^2", 0, 1, 0).dd, 2, 0);
  CHECK_NEAR(jet_at("x^2", -3, 1, 0).d, -6, 0);
  CHECK_NEAR(jet_at("blend(x, 0, 1)", 0, 1, 0).dd, 0, 0);
}

static void constants_are_folded(void) {
  arena memory = arena_create(&out_of_memory);
  const expr *e = compile(&memory, "x*sin(m*pi/2 + 3)", NULL);
  CHECK(e && !expr_is_constant(e));
  e = compile(&memory, "m + if(m > 1, 4, x)", NULL);  // the variable is in the branch not taken
  CHECK(e && expr_is_constant(e) && expr_value(e, NULL) == 6);
  arena_free(&memory);
}

static void help_names_everything(void) {
  int count;
  const char *const *help = expr_help(&count);
  CHECK(count > 28);
  for (int i = 0; i < count; i++) CHECK(strchr(help[i], ':'));
  CHECK_TEXT(help[count - 1], "g0: standard gravity, 9.80665 m/s^2");
}

static void the_locale_does_not_matter(void) {
  if (!comma_begin()) SKIP("no locale with a decimal comma can be made");
  CHECK_NEAR(value("1.5"), 1.5, 0);
  setlocale(LC_ALL, "C");
}

int main(void) {
  RUN(numbers_and_operators);
  RUN(conditions);
  RUN(functions_have_their_values);
  RUN(units_follow_numbers);
  RUN(variables_bind_loosely);
  RUN(results_have_units);
  RUN(errors_stand_at_their_column);
  RUN(deep_and_long_ones_are_refused);
  RUN(jets_match_finite_differences);
  RUN(kinks_take_the_side_ahead);
  RUN(constants_are_folded);
  RUN(help_names_everything);
  RUN(the_locale_does_not_matter);
  return check_summary();
}
