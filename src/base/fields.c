#include "base/fields.h"

#include <math.h>

static const char *name_of(fields *f, const char *name) {
  return f->group ? arena_print(f->memory, "%s.%s", f->group, name) : name;
}

static void visit(fields *f, double *x) {
  if (f->to) f->to[f->at] = *x;
  if (f->from) *x = f->from[f->at];
  f->at++;
}

void fields_number(fields *f, const char *name, double *x) {
  if (f->names) f->names[f->at] = name_of(f, name);
  visit(f, x);
}

void fields_numbers(fields *f, const char *name, int count, double *x) {
  for (int i = 0; i < count; i++) {
    if (f->names) f->names[f->at] = arena_print(f->memory, "%s%d", name_of(f, name), i);
    visit(f, &x[i]);
  }
}

void fields_finite(fields *f, const char *name, double *x) {
  f->damaged |= f->from && !isfinite(f->from[f->at]);
  fields_number(f, name, x);
}

void fields_finites(fields *f, const char *name, int count, double *x) {
  for (int i = 0; f->from && i < count; i++) f->damaged |= !isfinite(f->from[f->at + i]);
  fields_numbers(f, name, count, x);
}

void fields_count(fields *f, const char *name, long *n) {
  double x = (double)*n;
  fields_number(f, name, &x);
  if (f->from) *n = x >= 0 && x <= 0x1p53 ? (long)x : 0;
}

void fields_choice(fields *f, const char *name, int most, int *n) {
  double x = *n;
  fields_number(f, name, &x);
  if (f->from) *n = x >= 0 && x <= most ? (int)x : 0;
}

void fields_flag(fields *f, const char *name, bool *x) {
  double number = *x;
  fields_number(f, name, &number);
  if (f->from) *x = number != 0;
}

void fields_signs(fields *f, const char *name, int count, int *x) {
  for (int i = 0; i < count; i++) {
    double number = x[i];
    if (f->names) f->names[f->at] = arena_print(f->memory, "%s%d", name_of(f, name), i);
    visit(f, &number);
    if (f->from) x[i] = (number > 0) - (number < 0);
  }
}

void fields_group(fields *f, const char *name, int index) {
  if (!name || !f->names) f->group = NULL;
  else f->group = index < 0 ? name : arena_print(f->memory, "%s%d", name, index);
}
