#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

// uselocale changes the locale of this thread only, and setlocale that of the whole process.
double number_read(const char *text, char **end) {
  if (end) *end = (char *)text;
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!plain) return NAN;
  locale_t before = uselocale(plain);
  double x = strtod(text, end);
  uselocale(before);
  freelocale(plain);
  return x;
}
