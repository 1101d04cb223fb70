// The digits of a number.
#ifndef RECORD_DECIMAL_H
#define RECORD_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

enum { DECIMAL_SIZE = 32 };  // the longest number is -2.2250738585072014e-308

// Prints a finite number as "%.*g" does with 15, 16 or 17 digits, the first of these that brings back the same number
// when read, and with a decimal point in any locale. `single`: with 6 to 9 digits, as they bring back the same number
// in single precision. Returns the length; the text has no zero behind it.
size_t decimal_print(char text[DECIMAL_SIZE], double x, bool single);

#endif
