#include "text/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

static const unit units[] = {
    {"m", 1, DIM(1, 0, 0), "metre"},
    {"km", 1e3, DIM(1, 0, 0), "kilometre"},
    {"dm", 1e-1, DIM(1, 0, 0), "decimetre"},
    {"cm", 1e-2, DIM(1, 0, 0), "centimetre"},
    {"mm", 1e-3, DIM(1, 0, 0), "millimetre"},
    {"um", 1e-6, DIM(1, 0, 0), "micrometre"},
    {"µm", 1e-6, DIM(1, 0, 0), "micrometre"},
    {"nm", 1e-9, DIM(1, 0, 0), "nanometre"},
    {"inch", 0.0254, DIM(1, 0, 0), "inch"},
    {"ft", 0.3048, DIM(1, 0, 0), "foot"},
    {"kg", 1, DIM(0, 1, 0), "kilogram"},
    {"g", 1e-3, DIM(0, 1, 0), "gram"},
    {"mg", 1e-6, DIM(0, 1, 0), "milligram"},
    {"tonne", 1e3, DIM(0, 1, 0), "tonne"},
    {"lb", 0.45359237, DIM(0, 1, 0), "pound"},
    {"s", 1, DIM(0, 0, 1), "second"},
    {"ms", 1e-3, DIM(0, 0, 1), "millisecond"},
    {"us", 1e-6, DIM(0, 0, 1), "microsecond"},
    {"µs", 1e-6, DIM(0, 0, 1), "microsecond"},
    {"min", 60, DIM(0, 0, 1), "minute"},
    {"h", 3600, DIM(0, 0, 1), "hour"},
    {"rad", 1, DIM_ANGLE, "radian"},
    {"mrad", 1e-3, DIM_ANGLE, "milliradian"},
    {"deg", PI / 180, DIM_ANGLE, "degree"},
    {"°", PI / 180, DIM_ANGLE, "degree"},
    {"rev", 2 * PI, DIM_ANGLE, "full turn"},
    {"rpm", 2 * PI / 60, DIM_RATE, "turns per minute"},
    {"Hz", 1, DIM(0, 0, -1) | DIM_CYCLES, "cycles per second; as rad/s it needs its own 2*pi"},
    {"kHz", 1e3, DIM(0, 0, -1) | DIM_CYCLES, "cycles per millisecond"},
    {"N", 1, DIM(1, 1, -2), "newton"},
    {"mN", 1e-3, DIM(1, 1, -2), "millinewton"},
    {"kN", 1e3, DIM(1, 1, -2), "kilonewton"},
    {"MN", 1e6, DIM(1, 1, -2), "meganewton"},
    {"lbf", 4.4482216152605, DIM(1, 1, -2), "pound-force"},
    {"Nm", 1, DIM(2, 1, -2), "newton metre"},
    {"Nmm", 1e-3, DIM(2, 1, -2), "newton millimetre"},
    {"kNm", 1e3, DIM(2, 1, -2), "kilonewton metre"},
    {"Ns", 1, DIM(1, 1, -1), "newton second"},
    {"J", 1, DIM(2, 1, -2), "joule"},
    {"mJ", 1e-3, DIM(2, 1, -2), "millijoule"},
    {"kJ", 1e3, DIM(2, 1, -2), "kilojoule"},
    {"W", 1, DIM(2, 1, -3), "watt"},
    {"kW", 1e3, DIM(2, 1, -3), "kilowatt"},
    {"Pa", 1, DIM(-1, 1, -2), "pascal"},
    {"kPa", 1e3, DIM(-1, 1, -2), "kilopascal"},
    {"MPa", 1e6, DIM(-1, 1, -2), "megapascal"},
    {"GPa", 1e9, DIM(-1, 1, -2), "gigapascal"},
    {"bar", 1e5, DIM(-1, 1, -2), "bar"},
};
enum { UNIT_COUNT = sizeof units / sizeof *units, EXPONENT_MAX = 20 };

const unit *unit_list(int *count) {
  *count = UNIT_COUNT;
  return units;
}

const unit *unit_find(const char *name, size_t length) {
  for (int i = 0; i < UNIT_COUNT; i++)
    if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0) return &units[i];
  return NULL;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// One unit name with its exponent: `s`, `m^2`, `s^-1`. Returns the bytes taken, 0 when it is no unit.
static size_t unit_power(const char *text, const unit **found, int *exponent) {
  size_t n = 0;
  while (is_letter(text[n]) || (n && (is_digit(text[n]) || text[n] == '.'))) n++;
  *found = n ? unit_find(text, n) : NULL;
  *exponent = 1;
  size_t after = n;
  while (text[after] == ' ') after++;
  if (!*found || text[after] == '(') return 0;
  if (text[n] != '^') return n;
  bool negative = text[n + 1] == '-';
  const char *digit = text + n + 1 + negative;
  if (!is_digit(digit[0]) || is_digit(digit[1]) || digit[1] == '.') return n;
  *exponent = (digit[0] - '0') * (negative ? -1 : 1);
  return (size_t)(digit + 1 - text);
}

dimension_exponents dimension_unpack(dimension d) {
  if (d == DIM_ANY) return (dimension_exponents){0};
  return (dimension_exponents){(d >> 12 & 63) - 32, (d >> 6 & 63) - 32, (d & 63) - 32, (d >> 18 & 63) - 32};
}

static bool in_range(int exponent) { return exponent >= -EXPONENT_MAX && exponent <= EXPONENT_MAX; }

dimension dimension_pack(dimension_exponents e) {
  bool fits = in_range(e.m) && in_range(e.kg) && in_range(e.s) && in_range(e.rad);
  return fits ? DIM_TURNS(e.m, e.kg, e.s, e.rad) : DIM_ANY;
}

dimension dimension_product(dimension a, dimension b, int power) {
  dimension_exponents x = dimension_unpack(a), y = dimension_unpack(b);
  dimension_exponents e = {x.m + power * y.m, x.kg + power * y.kg, x.s + power * y.s, x.rad + power * y.rad};
  dimension d = dimension_pack(e);
  bool cycles = d != DIM_ANY && !e.m && !e.kg && !e.rad;
  return cycles ? d | ((a | b) & DIM_CYCLES) : d;
}

dimension dimension_without_cycles(dimension d) { return d & ~DIM_CYCLES; }

dimension dimension_of_unit(const char *text) {
  double factor;
  dimension d;
  if (strcmp(text, "1") == 0) return DIM_NONE;
  size_t taken = unit_product(text, &factor, &d);
  return taken && text[taken] == '\0' ? d : DIM_ANY;
}

static bool multiply(double *factor, dimension *dim, const unit *u, int exponent) {
  dimension product = dimension_product(*dim, u->dim, exponent);
  if (product == DIM_ANY) return false;
  *dim = product;
  // Dividing by a whole power keeps `mm^-1` and `1/mm` the same number.
  double power = 1;
  for (int i = 0; i < (exponent < 0 ? -exponent : exponent); i++) power *= u->factor;
  *factor = exponent < 0 ? *factor / power : *factor * power;
  return true;
}

size_t unit_product(const char *text, double *factor, dimension *dim) {
  const unit *u;
  int exponent;
  *factor = 1;
  *dim = DIM_NONE;
  size_t taken = unit_power(text, &u, &exponent);
  if (taken == 0 || !multiply(factor, dim, u, exponent)) return 0;
  while (text[taken] == '*' || text[taken] == '/') {
    size_t n = unit_power(text + taken + 1, &u, &exponent);
    if (n == 0 || !multiply(factor, dim, u, text[taken] == '/' ? -exponent : exponent)) break;
    taken += 1 + n;
  }
  return taken;
}

static dimension without_angle(dimension d) {
  dimension_exponents e = dimension_unpack(d);
  e.rad = 0;
  return dimension_pack(e);
}

// An angle, an angular speed or the like.
static bool turns(dimension d) {
  dimension_exponents e = dimension_unpack(d);
  return e.rad && !e.m && !e.kg;
}

bool dimension_equal(dimension a, dimension b) {
  if (a == DIM_ANY || b == DIM_ANY) return true;
  if ((a & DIM_CYCLES && turns(b)) || (b & DIM_CYCLES && turns(a))) return false;
  return a == DIM_COUNT || b == DIM_COUNT || without_angle(a) == without_angle(b);
}

// ---- words

typedef struct words {
  char *text;
  size_t used, size;
} words;

static void say(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(words *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(w->text + w->used, w->size - w->used, format, args);
  va_end(args);
  size_t left = w->size - 1 - w->used;
  w->used += n < 0 ? 0 : (size_t)n < left ? (size_t)n : left;
}

static void say_power(words *w, const char *name, int exponent) {
  if (exponent == 0) return;
  if (exponent > 0 && w->used) say(w, "*");
  if (exponent < 0) say(w, w->used ? "/" : "1/");
  int size = exponent < 0 ? -exponent : exponent;
  if (size == 1) say(w, "%s", name);
  else say(w, "%s^%d", name, size);
}

// Forces and what is made of them go by the newton: N*m, N/m, N*s/m. A radius times an angle is a length: its rad is
// left out.
const char *dimension_text(dimension d, char buffer[32]) {
  dimension_exponents e = dimension_unpack(d);
  if (d & DIM_CYCLES && (e.s == 0 || e.s == -1)) return strcpy(buffer, e.s ? "Hz" : "cycles");
  if ((e.m || e.kg) && e.rad > 0) e.rad = 0;
  words w = {.text = buffer, .size = 32};
  buffer[0] = '\0';
  const char *force = e.kg == 1 && e.s < 0 ? "N" : NULL;
  if (force && e.m == 2 && e.s == -3) force = "W", e.m = 0, e.s = 0;
  else if (force && e.m == -1 && e.s == -2) force = "Pa", e.m = 0, e.s = 0;
  else if (force) e.m -= 1, e.s += 2;
  const struct {
    const char *name;
    int exponent;
  } parts[] = {{force ? force : "kg", force ? 1 : e.kg}, {"m", e.m}, {"s", e.s}, {"rad", e.rad}};
  for (int above = 1; above >= 0; above--)
    for (int i = 0; i < 4; i++)
      if ((parts[i].exponent > 0) == above) say_power(&w, parts[i].name, parts[i].exponent);
  if (w.used == 0) say(&w, "1");
  return buffer;
}

const char *dimension_name(dimension d) {
  static const struct {
    dimension dim;
    const char *name;
  } named[] = {
      {DIM(0, 0, 0), "an angle or a plain number"},
      {DIM(1, 0, 0), "a length"},
      {DIM(2, 0, 0), "an area"},
      {DIM(3, 0, 0), "a volume"},
      {DIM(0, 1, 0), "a mass"},
      {DIM(0, 0, 1), "a time"},
      {DIM(0, 0, -1), "a rate"},
      {DIM(0, 0, -2), "an angular acceleration"},
      {DIM(1, 0, -1), "a speed"},
      {DIM(1, 0, -2), "an acceleration"},
      {DIM(2, 1, 0), "a moment of inertia"},
      {DIM(1, 1, -2), "a force"},
      {DIM(2, 1, -2), "a torque"},
      {DIM(0, 1, -2), "a stiffness"},
      {DIM(0, 1, -1), "a damping"},
      {DIM(2, 1, -1), "a torsional damping"},
      {DIM(1, 1, -1), "an impulse"},
      {DIM(-3, 1, 0), "a density"},
      {DIM(-1, 1, -2), "a pressure"},
      {DIM(2, 1, -3), "a power"},
  };
  if (d == DIM_ANY) return NULL;
  if (d == DIM_ANGLE) return "an angle";
  if (d == DIM_RATE) return "an angular speed";
  if (d == DIM_COUNT) return "a number of cycles";
  if (d == (DIM_PER_TIME | DIM_CYCLES)) return "a frequency";
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (named[i].dim == without_angle(d)) return named[i].name;
  return NULL;
}

static void say_quantity(words *w, dimension d) {
  char unit_text[32];
  const char *name = dimension_name(d);
  if (name) say(w, "%s", name);
  if (d == DIM_NONE || d == DIM_COUNT) return;
  say(w, "%s%s", name ? " in " : "in ", dimension_text(d, unit_text));
}

const char *dimension_complaint(dimension wanted, dimension got, char buffer[DIMENSION_COMPLAINT]) {
  words w = {.text = buffer, .size = DIMENSION_COMPLAINT};
  buffer[0] = '\0';
  say_quantity(&w, wanted);
  say(&w, ", not ");
  say_quantity(&w, got);
  return buffer;
}

static bool is_literal(const char *text) {
  double factor;
  dimension dim;
  size_t n = text[0] == '-';
  while (is_digit(text[n]) || text[n] == '.') n++;
  while (text[n] == ' ') n++;
  size_t taken = n ? unit_product(text + n, &factor, &dim) : 0;
  return taken && text[n + taken] == '\0';
}

static bool is_name(const char *text) {
  size_t n = 0;
  while (is_letter(text[n]) || (n && (is_digit(text[n]) || text[n] == '.'))) n++;
  return n && text[n] == '\0';
}

// A unit such as 1/s^2 cannot follow a number: there one divides.
static void say_factor(words *w, dimension factor, const char *text) {
  char unit_text[32];
  bool below = strncmp(dimension_text(factor, unit_text), "1/", 2) == 0;
  if (below) say(w, "%s/(1 %s)", text, dimension_text(dimension_product(DIM_NONE, factor, -1), unit_text));
  else say(w, "1 %s * %s", unit_text, text);
}

// A modulus is often given with the unit of a force.
static void say_unit(words *w, dimension wanted) {
  char unit_text[32];
  if (wanted == DIM_NONE) say(w, "give a number without a unit");
  else
    say(w, "give it in %s%s", dimension_text(wanted, unit_text),
        wanted == DIM(-1, 1, -2) ? ", kPa, MPa, GPa or N/m^2" : "");
}

const char *dimension_advice(dimension wanted, dimension got, const char *text, bool may_use_time,
                             char buffer[DIMENSION_ADVICE]) {
  words w = {.text = buffer, .size = DIMENSION_ADVICE};
  char part[64];
  bool literal = is_literal(text);
  // a text that is too long to be repeated is pointed at
  if (strlen(text) >= 40) snprintf(part, sizeof part, "(...)");
  else snprintf(part, sizeof part, literal || is_name(text) ? "%s" : "(%s)", text);
  dimension factor = dimension_product(wanted, got, -1), plain = without_angle(factor);
  buffer[0] = '\0';
  if (got & DIM_CYCLES && turns(wanted))
    say(&w, "a cycle has 2*pi rad: write 2*pi*%s%s", *text ? part : "f with the frequency f",
        plain == DIM_TIME && may_use_time ? "*t" : "");
  else if (!*text) say_unit(&w, wanted);
  else if (plain == DIM_TIME && may_use_time) say(&w, "write %s * t", part);
  else if (plain == DIM_ACCELERATION && without_angle(got) == DIM_MASS && strstr(text, "9.8"))
    say(&w, "give the acceleration of free fall its unit: 9.81 m/s^2, or write g0");
  else if (plain == DIM_ACCELERATION && without_angle(got) == DIM_MASS)
    say(&w, "the weight of a mass is %s * g0", part);
  else if (plain == DIM_LENGTH) say(&w, "a length such as a radius is missing: write for instance 10 mm * %s", part);
  else if (plain == DIM(-1, 0, 0)) say(&w, "divide by a length such as a radius: write for instance %s/(10 mm)", part);
  else if (literal || factor == DIM_ANY || dimension_unpack(factor).kg < 0) say_unit(&w, wanted);
  else say(&w, "a factor is missing: write for instance "), say_factor(&w, factor, part);
  return buffer;
}
