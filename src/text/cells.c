#include "text/cells.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "text/unit.h"

#define AROUND_CELL " \t\r\""  // blanks and quotes

bool cells_read(const cells *c, const char *line, int index, char cell[CELL_MAX]) {
  const char *end = line + strcspn(line, "\n");
  while (index-- > 0) {
    line = memchr(line, c->separator, (size_t)(end - line));
    if (!line) return false;
    line++;
  }
  const char *stop = memchr(line, c->separator, (size_t)(end - line));
  if (!stop) stop = end;
  while (line < stop && strchr(AROUND_CELL, *line)) line++;
  while (stop > line && strchr(AROUND_CELL, stop[-1])) stop--;
  snprintf(cell, CELL_MAX, "%.*s", (int)(stop - line), line);
  return true;
}

bool cells_number(const char *cell, double *x) {
  char *end;
  *x = number_read(cell, &end);
  return end != cell && *end == 0;
}

const char *cells_next_line(cells *c) {
  while (c->next && *c->next) {
    const char *line = c->next, *end = strchr(line, '\n');
    c->next = end ? end + 1 : NULL;
    c->line++;
    size_t blanks = strspn(line, " \t\r");
    if (line[blanks] == 0 || line[blanks] == '\n' || line[blanks] == '#') continue;
    size_t length = end ? (size_t)(end - line) : strlen(line);
    if (!c->separator) c->separator = memchr(line, ';', length) ? ';' : memchr(line, ',', length) ? ',' : '\t';
    return line;
  }
  return NULL;
}

void cells_split_name(const char *cell, char name[CELL_MAX], char unit[CELL_MAX]) {
  size_t length = strlen(cell);
  char last = length ? cell[length - 1] : 0;
  const char *open = last == ']' ? strrchr(cell, '[') : last == ')' ? strrchr(cell, '(') : NULL;
  double factor;
  dimension d;
  snprintf(name, CELL_MAX, "%s", cell);
  snprintf(unit, CELL_MAX, "%.*s", open ? (int)(length - 1 - (size_t)(open + 1 - cell)) : 0, open ? open + 1 : "");
  if (open && *open == '(' && (!*unit || unit_product(unit, &factor, &d) != strlen(unit))) *unit = 0, open = NULL;
  if (!open) return;
  name[open - cell] = 0;
  for (size_t n = strlen(name); n && name[n - 1] == ' '; n--) name[n - 1] = 0;
}

int cells_count(const cells *c, const char *line) {
  int index = 0, count = 0;
  for (; *line && *line != '\n'; line++) {
    if (*line == c->separator) index++;
    else if (!strchr(AROUND_CELL, *line)) count = index + 1;
  }
  return count;
}
