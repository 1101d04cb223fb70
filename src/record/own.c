#define _GNU_SOURCE  // memmem
#include "record/own.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
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

static bool equals(const header *h, int first, const char *const *columns, int count) {
  if (h->count - first != count) return false;
  for (int i = 0; i < count; i++)
    if (strcmp(h->names[first + i], columns[i]) != 0) return false;
  return true;
}

// --- headers of any model -----------------------------------------------------------------------------------------

// What follows the last dot of a name; its owner is before it. Null without a dot.
static const char *suffix_of(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && dot > name && dot[1] ? dot + 1 : NULL;
}

static bool same_owner(const char *a, const char *b) {
  const char *end = suffix_of(a), *other = suffix_of(b);
  return end && other && end - a == other - b && strncmp(a, b, (size_t)(end - a)) == 0;
}

// The columns that one part of a model has side by side, as suffixes. Longer ones first where one begins another.
static const char *const parts[][20] = {
    {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz", "ax", "ay", "az", "alx", "aly", "alz"},
    {"x", "y", "z", "qw", "qx", "qy", "qz"},
    {"x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"},
    {"fx", "fy", "fz", "tx", "ty", "tz"},
    {"fx", "fy", "fz"},
    {"tx", "ty", "tz"},
    {"force", "length", "rate"},
    {"effort", "power"},
    {"effort"},
    {"out0", "out1", "out2", "out3", "out4", "out5"},
    {"kinetic", "gravity", "spring", "contact", "drive", "applied", "damper", "impact", "friction", "projection", "imbalance"},
    {"gap", "fn", "ft", "mode", "x", "y", "slip", "at_x", "at_y", "force_x", "force_y", "z", "at_z", "force_z"},
    {"gap", "fn", "ft", "mode", "x", "y", "slip", "at_x", "at_y", "force_x", "force_y"},
    {"gap", "fn", "ft", "mode", "x", "y", "z"},
    {"gap", "fn", "ft", "mode", "x", "y"},
};

static int match_part(const header *h, int at, const char *const *part) {
  int n = 0;
  for (; n < 20 && part[n]; n++)
    if (at + n >= h->count || !same_owner(h->names[at], h->names[at + n]) || strcmp(suffix_of(h->names[at + n]), part[n]) != 0) return 0;
  return n;
}

// `q` or `q0, q1, …` of one owner; 0 when there are none.
static int match_numbered(const header *h, int first, int at, const char *letter) {
  size_t length = strlen(letter);
  for (int n = 0;; n++) {
    if (at + n >= h->count || !same_owner(h->names[first], h->names[at + n])) return n;
    const char *suffix = suffix_of(h->names[at + n]);
    if (strncmp(suffix, letter, length) != 0) return n;
    if (!suffix[length] && n == 0) return 1;
    if (!isdigit((unsigned char)suffix[length]) || strtol(suffix + length, NULL, 10) != n) return n;
  }
}

// Coordinates and speeds of a joint, in its table accelerations too.
static int match_joint(const header *h, int at) {
  int q = match_numbered(h, at, at, "q");
  int u = q ? match_numbered(h, at, at + q, "u") : 0;
  return u ? q + u + match_numbered(h, at, at + q + u, "a") : 0;
}

// Dry friction of a joint, and multipliers.
static int match_rows(const header *h, int at) {
  int friction = match_numbered(h, at, at, "friction");
  if (friction == 1 && match_numbered(h, at, at + 1, "slip") == 1) return 2;
  if (suffix_of(h->names[at]) && strncmp(suffix_of(h->names[at]), "friction", 8) == 0 && at + 1 < h->count &&
      same_owner(h->names[at], h->names[at + 1]) && strncmp(suffix_of(h->names[at + 1]), "slip", 4) == 0)
    return 2;
  return match_numbered(h, at, at, "lambda");
}

// How many columns from `at` on belong to one part of a model; 0: none that carom knows.
static int match(const header *h, int at) {
  if (!suffix_of(h->names[at])) return 0;
  int n = match_joint(h, at);
  for (size_t i = 0; i < sizeof parts / sizeof *parts && !n; i++) n = match_part(h, at, parts[i]);
  return n ? n : match_rows(h, at);
}

// The time, parts of a model, and behind them outputs, which have names of their own.
static bool is_table(const header *h) {
  int at = strcmp(h->names[0], "t") == 0, parts_before = 0;
  for (int n; at < h->count && (n = match(h, at)); at += n) parts_before++;
  if (!parts_before) return h->count == 1 && at == 1;
  for (; at < h->count; at++)
    if (!*h->names[at] || match(h, at)) return false;
  return true;
}

static bool is_checkpoint(const header *h) {
  for (int i = 0; i < h->count; i++)
    if (h->names[i][0] != 's' || !isdigit((unsigned char)h->names[i][1]) || strtol(h->names[i] + 1, NULL, 10) != i) return false;
  return h->count > 3;
}

// The rows of the impact ledger, with the names of their points behind them.
static bool is_impacts(const header *h) {
  header ledger = {h->names, IMPACT_COLUMN_COUNT};
  return h->count >= IMPACT_COLUMN_COUNT && equals(&ledger, 0, impact_columns, IMPACT_COLUMN_COUNT);
}

static bool is_laws(const header *h) {
  static const char *const impact[] = {"law", "restitution", "t", "delta", "rate", "force"};
  static const char *const slide[] = {"law", "t", "x", "v", "force"};
  return equals(h, 0, impact, 6) || equals(h, 0, slide, 5);
}

static bool is_one_of(const header *h, const own_tables *tables) {
  for (int i = 0; tables && i < tables->count; i++) {
    const record_table *t = &tables->tables[i];
    if (equals(h, 0, t->columns, t->column_count)) return true;
    if (strcmp(h->names[0], "t") == 0 && equals(h, 1, t->columns, t->column_count)) return true;
  }
  return false;
}

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

bool own_csv(int fd, const void *tables) {
  char *text = read_line(fd);
  header h = {0};
  bool own = false;
  if (text) {
    own = split(text, &h) && (is_table(&h) || is_checkpoint(&h) || is_impacts(&h) || is_laws(&h) || is_one_of(&h, tables));
  }
  free(h.names);
  free(text);
  return own;
}
