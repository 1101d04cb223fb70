// The cells of a text of comma-separated values that may come from any program: commas, semicolons or tabs between
// cells, quotes and blanks around them, lines of comments, a line of names, a line of units.
#ifndef TEXT_CELLS_H
#define TEXT_CELLS_H

#include <stdbool.h>

enum { CELL_MAX = 128 };

typedef struct cells {
  const char *next;  // the line to come
  int line;          // the number of the last one
  char separator;    // 0 before the first line
} cells;

// The next line that is neither empty nor a comment; null at the end.
const char *cells_next_line(cells *c);
// Copies the text of a cell without blanks and quotes around it. Returns false if the line has no such cell.
bool cells_read(const cells *c, const char *line, int index, char cell[CELL_MAX]);
// Empty cells at the end of a line do not count.
int cells_count(const cells *c, const char *line);
// Whether the whole cell is a number.
bool cells_number(const char *cell, double *x);
// Splits `t [ms]` or `t (ms)` into name and unit. Without such an end, or if what is in parentheses is not a unit, the
// unit is empty and the name is the whole cell.
void cells_split_name(const char *cell, char name[CELL_MAX], char unit[CELL_MAX]);

#endif
