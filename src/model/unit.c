#include "model/unit.h"

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
  {"rad", 1, DIM(0, 0, 0), "radian"},
  {"mrad", 1e-3, DIM(0, 0, 0), "milliradian"},
  {"deg", PI / 180, DIM(0, 0, 0), "degree"},
  {"°", PI / 180, DIM(0, 0, 0), "degree"},
  {"rev", 2 * PI, DIM(0, 0, 0), "full turn"},
  {"rpm", 2 * PI / 60, DIM(0, 0, -1), "turns per minute"},
  {"Hz", 1, DIM(0, 0, -1), "per second; a turn rate in Hz needs its own 2*pi"},
  {"kHz", 1e3, DIM(0, 0, -1), "per millisecond"},
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
  return (dimension_exponents){(d >> 12 & 63) - 32, (d >> 6 & 63) - 32, (d & 63) - 32};
}

static bool in_range(int exponent) { return exponent >= -EXPONENT_MAX && exponent <= EXPONENT_MAX; }

dimension dimension_pack(dimension_exponents e) {
  return in_range(e.m) && in_range(e.kg) && in_range(e.s) ? DIM(e.m, e.kg, e.s) : DIM_ANY;
}

static bool multiply(double *factor, dimension *dim, const unit *u, int exponent) {
  dimension_exponents a = dimension_unpack(*dim), b = dimension_unpack(u->dim);
  dimension product = dimension_pack(
      (dimension_exponents){a.m + b.m * exponent, a.kg + b.kg * exponent, a.s + b.s * exponent});
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

bool dimension_equal(dimension a, dimension b) { return a == DIM_ANY || b == DIM_ANY || a == b; }

static int print_power(char *out, size_t size, const char *separator, const char *name, int exponent) {
  static const char *const superscript[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (exponent == 1) return snprintf(out, size, "%s%s", separator, name);
  int tens = exponent / 10 % 10;
  return snprintf(out, size, "%s%s%s%s", separator, name, tens ? superscript[tens] : "", superscript[exponent % 10]);
}

const char *dimension_text(dimension d, char buffer[32]) {
  static const char *const names[] = {"kg", "m", "s"};
  const dimension_exponents all = dimension_unpack(d);
  const int exponents[] = {all.kg, all.m, all.s};
  size_t used = 0;
  buffer[0] = '\0';
  int below = 0;
  for (int pass = 0; pass < 2; pass++) {  // above the line, then below it
    for (int i = 0; i < 3; i++) {
      int e = pass ? -exponents[i] : exponents[i];
      if (e <= 0) continue;
      if (pass && used == 0) used += (size_t)snprintf(buffer, 32, "1");
      const char *separator = pass ? (below++ ? "·" : "/") : used ? "·" : "";
      int n = print_power(buffer + used, 32 - used, separator, names[i], e);
      used += n < 0 ? 0 : (size_t)n < 31 - used ? (size_t)n : 31 - used;
    }
  }
  if (used == 0) snprintf(buffer, 32, "1");
  return buffer;
}

const char *dimension_name(dimension d) {
  static const struct {
    dimension dim;
    const char *name;
  } named[] = {
    {DIM(0, 0, 0), "an angle or a plain number"}, {DIM(1, 0, 0), "a length"},
    {DIM(2, 0, 0), "an area"},                    {DIM(3, 0, 0), "a volume"},
    {DIM(0, 1, 0), "a mass"},                     {DIM(0, 0, 1), "a time"},
    {DIM(0, 0, -1), "a rate"},                    {DIM(0, 0, -2), "an angular acceleration"},
    {DIM(1, 0, -1), "a speed"},                   {DIM(1, 0, -2), "an acceleration"},
    {DIM(2, 1, 0), "a moment of inertia"},        {DIM(1, 1, -2), "a force"},
    {DIM(2, 1, -2), "a torque or an energy"},     {DIM(0, 1, -2), "a stiffness"},
    {DIM(0, 1, -1), "a damping"},                 {DIM(2, 1, -1), "a torsional damping"},
    {DIM(1, 1, -1), "an impulse"},                {DIM(-3, 1, 0), "a density"},
    {DIM(-1, 1, -2), "a pressure"},               {DIM(2, 1, -3), "a power"},
  };
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (named[i].dim == d) return named[i].name;
  return NULL;
}
