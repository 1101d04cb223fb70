// The words a model is written in, as C structs. A model file is read into these; a program may fill them itself.
// Always start from the default (carom_body_default() and so on): zero is not always what an absent key means.
#ifndef CAROM_DEFINE_H
#define CAROM_DEFINE_H

#include <stdbool.h>
#include "carom/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_names {
  const char *const *items;
  int count;
} carom_names;

typedef struct carom_numbers {
  const double *items;
  int count;
} carom_numbers;

// A number that may depend on time and state. In order of precedence: a C function, an expression, a constant.
typedef struct carom_function {
  double constant;
  const char *text;                          // expression over t and signals such as `crank.q`, or null
  // Or null. Sets value[0]; a function that drives a motion or a length also sets its rate value[1] and its
  // acceleration value[2].
  void (*call)(void *context, double t, double *value);
  void *context;
  const void *origin;                        // where the text stood; null in code
} carom_function;

#define CAROM_CONSTANT(x) ((carom_function){.constant = (x)})
#define CAROM_EXPRESSION(s) ((carom_function){.text = (s)})

#ifdef __cplusplus
}
#endif
#endif
