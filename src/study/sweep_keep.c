// Rows of a sweep whose whole run is recorded.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "study/sweep.h"

// Whole numbers alone. Returns false without a report.
static bool read_number(const char *text, long *to) {
  char *rest;
  errno = 0;
  *to = strtol(text, &rest, 10);
  return rest != text && !*rest && !errno && *to >= 0;
}

static bool read_span(arena *memory, const char *text, long *first, long *last) {
  char **ends;
  int count = sweep_split(memory, text, ':', &ends);
  return count <= 2 && read_number(ends[0], first) && read_number(ends[count - 1], last) && *first <= *last;
}

bool sweep_keep_read(arena *memory, const carom_sweep_options *o, long rows, sweep_keep *to, carom_error *error) {
  char **items;
  const char *extension = strrchr(o->record, '.');
  bool plain = extension && strcmp(extension, ".h5") == 0;
  *to = (sweep_keep){
      .base = arena_print(memory, "%.*s", plain ? (int)(extension - o->record) : (int)strlen(o->record), o->record)};
  if (!o->keep) return true;
  to->span_count = sweep_split(memory, o->keep, ',', &items);
  to->spans = arena_alloc(memory, (size_t)to->span_count, sizeof *to->spans);
  for (int i = 0; i < to->span_count; i++) {
    to->spans[i].first = 0, to->spans[i].last = rows - 1;
    if (strcmp(items[i], "all") == 0) continue;
    if (!read_span(memory, items[i], &to->spans[i].first, &to->spans[i].last))
      return error_set(error, CAROM_ERROR_USAGE,
                       "--keep has '%s', but takes numbers of rows, spans such as 100:109, or all", items[i]),
             false;
    if (to->spans[i].last >= rows)
      return error_set(error, CAROM_ERROR_USAGE, "--keep has row %ld, but the rows are 0 to %ld", to->spans[i].last,
                       rows - 1),
             false;
  }
  return true;
}

bool sweep_keep_has(const sweep_keep *k, long row) {
  bool has = false;
  for (int i = 0; !has && i < k->span_count; i++) has = k->spans[i].first <= row && row <= k->spans[i].last;
  return has;
}

size_t sweep_keep_size(const sweep_keep *k) { return strlen(k->base) + 32; }

const char *sweep_keep_path(const sweep_keep *k, long row, char *path) {
  snprintf(path, sweep_keep_size(k), "%s-%ld.h5", k->base, row);
  return path;
}
