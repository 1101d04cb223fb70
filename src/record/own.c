#define _GNU_SOURCE  // memmem
#include "record/own.h"

#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "carom/law.h"
#include "ledger/energy.h"
#include "ledger/impact.h"

// Our mark is an attribute of the root group, which stands at the very beginning of a file that we wrote.
enum { HEAD = 4096, PAGE_MOST = 64 << 20, LINE = 64 << 10, LINE_MOST = 64 << 20 };

bool own_record(int fd, const void *unused) {
  (void)unused;
  size_t size;
  char *head = output_read(fd, HEAD, &size);
  bool own = head && size > 8 && memcmp(head, "\211HDF\r\n\032\n", 8) == 0 && memmem(head, size, "carom_record", 12);
  free(head);
  return own;
}

bool own_page(int fd, const void *unused) {
  (void)unused;
  return output_contains(fd, HEAD, "<!doctype html") && output_contains(fd, PAGE_MOST, "id=\"carom-run\"");
}

bool own_comparison(int fd, const void *unused) {
  (void)unused;
  return output_contains(fd, HEAD, "{\"maker\": \"carom ") || output_contains(fd, HEAD, "{\"maker\":\"carom ");
}

// --- the first line of a CSV file ---------------------------------------------------------------------------------

// Names of columns, unquoted in place.
typedef struct header {
  char **names;
  int count;
} header;

// One name from `at`, which ends with a comma or the line; returns where the next begins, or null at the end.
static char *take_name(char *at, char **name) {
  char *to = at;
  *name = at;
  if (*at != '"') {
    at += strcspn(at, ",");
  } else {
    for (at++; *at && !(*at == '"' && at[1] != '"'); at++) {
      at += *at == '"';
      *to++ = *at;
    }
    at += *at == '"';
    at += strcspn(at, ",");
    char *end = to;
    bool more = *at == ',';
    *end = '\0';
    return more ? at + 1 : NULL;
  }
  if (!*at) return NULL;
  *at = '\0';
  return at + 1;
}

static bool split(char *line, header *h) {
  int most = 1;
  for (const char *c = line; *c; c++) most += *c == ',';
  *h = (header){.names = calloc((size_t)most, sizeof *h->names)};
  for (char *at = line; at && h->names;) at = take_name(at, &h->names[h->count++]);
  return h->names != NULL;
}

// The names from `first` on begin with these columns.
static bool begins(const header *h, int first, const char *const *columns, int count) {
  if (h->count - first < count) return false;
  for (int i = 0; i < count; i++)
    if (strcmp(h->names[first + i], columns[i]) != 0) return false;
  return true;
}

static bool equals(const header *h, int first, const char *const *columns, int count) {
  return h->count - first == count && begins(h, first, columns, count);
}

// --- headers ------------------------------------------------------------------------------------------------------

// A header that measurements or other programs may have as well is no mark of carom. The accounts of energy are one: every
// run and every export of a whole record has them, side by side.
static bool is_run(const header *h) {
  if (strcmp(h->names[0], "t") != 0) return false;
  for (int at = 1; at + ENERGY_SIGNALS <= h->count; at++)
    if (begins(h, at, energy_signal_names, ENERGY_SIGNALS)) return true;
  return false;
}

// The rows of the impact ledger, with the names of their points behind them.
static bool is_impacts(const header *h) {
  return begins(h, 0, impact_columns, IMPACT_COLUMN_COUNT) &&
         (h->count == IMPACT_COLUMN_COUNT || equals(h, IMPACT_COLUMN_COUNT, impact_name_columns, IMPACT_NAME_COLUMNS));
}

static bool is_laws(const char *line) { return strcmp(line, CAROM_IMPACT_CSV) == 0 || strcmp(line, CAROM_SLIDE_CSV) == 0; }

// The first line without its end, to be freed; null where there is none.
static char *read_line(int fd) {
  for (size_t most = LINE; most <= LINE_MOST; most *= 32) {
    size_t size;
    char *text = output_read(fd, most, &size), *end = text ? memchr(text, '\n', size) : NULL;
    if (end && !memchr(text, '\0', (size_t)(end - text))) return *end = '\0', text;
    free(text);
    if (end || size < most) return NULL;
  }
  return NULL;
}

static bool is_one_of(const header *h, const own_headers *known) {
  for (int i = 0; known && i < known->count; i++)
    if (equals(h, 0, known->items[i].columns, known->items[i].count)) return true;
  return false;
}

bool own_csv(int fd, const void *headers) {
  char *text = read_line(fd);
  header h = {0};
  bool own = text && (is_laws(text) || (split(text, &h) && (is_run(&h) || is_impacts(&h) || is_one_of(&h, headers))));
  free(h.names);
  free(text);
  return own;
}
