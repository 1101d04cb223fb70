// Names of contact points, from the texts of a record. Rows of impacts count points, rows of touches surfaces and the
// points of a pair.
#ifndef RECORD_POINT_NAMES_H
#define RECORD_POINT_NAMES_H

#include "base/arena.h"
#include "record/record.h"

typedef struct point_names point_names;

// What a point is called: the pair that it belongs to, and which of its points it is; the second is empty if there is
// only one.
typedef struct point_name {
  const char *pair, *point;
} point_name;

// One of the surfaces that rows of touches count. A joint with clearance or a stop has two, one on each body, both with
// its name.
typedef struct touch_surface {
  const char *name;
  int body;  // of the scene; 0 is ground
} touch_surface;

// Reads what a record says of its points. Null if it does not name them, as in records of older versions.
point_names *point_names_read(arena *memory, const record_reader *in);
int point_names_count(const point_names *n);    // of the points that are listed: those of permanent pairs
int touch_surface_count(const point_names *n);  // 0 if no touches are recorded
touch_surface point_names_surface(const point_names *n, int i);

// A point by its number among the impacts. The name of one that is not listed is made in `memory`. Returns false if
// there is no such point.
bool point_names_find(const point_names *n, arena *memory, double point, point_name *name);
// A point of two surfaces, as rows of touches have it.
bool point_names_find_touch(const point_names *n, arena *memory, double a, double b, double point, point_name *name);

// Which columns of a table say to which point a row belongs.
typedef struct point_columns {
  int point;        // -1: rows belong to no point
  int surfaces[2];  // of touches; else -1
  bool of_pairs;    // it is the first point of the pair that a row belongs to
} point_columns;
point_columns point_columns_of(const record_table *t);
// The names of the point that a row belongs to. Returns false if there is none.
bool point_names_find_row(const point_names *n, arena *memory, const point_columns *columns, const double *row,
                          point_name *name);

#endif
