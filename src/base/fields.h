// Named numbers that are kept and taken up again. A function that visits the fields of a struct gives their count,
// their names, and saves and loads them:
//
//   void ball_fields(ball *b, fields *f) {
//     fields_number(f, "t", &b->t);
//     fields_numbers(f, "q", b->n, b->q);
//   }
#ifndef BASE_FIELDS_H
#define BASE_FIELDS_H

#include <stdbool.h>

#include "base/arena.h"

// With neither names nor numbers it counts.
typedef struct fields {
  int at;              // the number of the next field
  double *to;          // numbers are saved here; may be null
  const double *from;  // numbers are loaded from here; may be null
  const char **names;  // names are listed here; may be null
  arena *memory;       // of the names
  const char *group;   // whose fields follow; may be null
  bool damaged;        // a number was loaded that must be finite and is not
} fields;

void fields_number(fields *f, const char *name, double *x);
void fields_numbers(fields *f, const char *name, int count, double *x);
// The same of numbers that must be finite: a load of others marks the fields as damaged.
void fields_finite(fields *f, const char *name, double *x);
void fields_finites(fields *f, const char *name, int count, double *x);
// A file may hold anything: what is no count loads as 0, what is not between 0 and `most` as 0.
void fields_count(fields *f, const char *name, long *n);
void fields_choice(fields *f, const char *name, int most, int *n);
void fields_flag(fields *f, const char *name, bool *x);
void fields_signs(fields *f, const char *name, int count, int *x);  // -1, 0 or 1

// Names that follow begin with this and a point: of one of several parts, "point3.gap"; of a negative index
// "point.gap". NULL for none.
void fields_group(fields *f, const char *name, int index);

#endif
