#define _GNU_SOURCE  // memmem
#include "record/own.h"

#include <errno.h>
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

bool own_model(int fd, const void *unused) {
  (void)unused;
  size_t size;
  char *head = output_read(fd, sizeof OWN_MODEL, &size);
  const bool own = head && strncmp(head, OWN_MODEL, strlen(OWN_MODEL)) == 0;
  free(head);
  return own;
}

// --- the first line of a CSV file ------------------------------------------------------------------------------------

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
  if (!h->names) errno = ENOMEM;
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

// --- headers ---------------------------------------------------------------------------------------------------------

// A header that measurements or other programs may have as well is no mark of carom. The accounts of energy are one:
// every run and every export of a whole record has them, side by side.
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

static bool is_episodes(const header *h) {
  return begins(h, 0, episode_columns, EPISODE_COLUMN_COUNT) &&
         (h->count == EPISODE_COLUMN_COUNT || equals(h, EPISODE_COLUMN_COUNT, impact_name_columns, 1));
}

static bool is_regimes(const header *h) {
  return begins(h, 0, regime_columns, REGIME_COLUMN_COUNT) &&
         (h->count == REGIME_COLUMN_COUNT || equals(h, REGIME_COLUMN_COUNT, impact_name_columns, 1));
}

// What follows the name of a part in a single table: `t,crank.q,crank.u,crank.a`. Numbers behind a word count as
// repetitions of it. tests/test_outputs.c exports the tables of many models and looks whether they are known.
static const char *const part_columns[] = {
    "q u a",                                                     // joints
    "x y z qw qx qy qz vx vy vz wx wy wz ax ay az alx aly alz",  // bodies: all, motion, pose
    "x y z qw qx qy qz vx vy vz wx wy wz",
    "x y z qw qx qy qz",
    "x y z vx vy vz ax ay az",  // markers
    "fx fy fz tx ty tz",        // reactions, bushings
    "friction slip",
    "fx fy fz",
    "tx ty tz",
    "force length rate",
    "effort",
    "out",                                                // forces
    "effort power",                                       // drives
    "lambda",                                             // multipliers
    "gap fn ft mode x y slip at_x at_y force_x force_y",  // contacts, in the plane and in space
    "gap fn ft mode x y slip at_x at_y force_x force_y z at_z force_z",
};

// How many columns from `at` on are those of one part. 0: they are not.
static int match_part(const header *h, int at, const char *columns) {
  const char *dot = strrchr(h->names[at], '.');
  size_t owner = dot ? (size_t)(dot - h->names[at]) + 1 : 0;
  int first = at;
  while (*columns && owner) {
    size_t length = strcspn(columns, " ");
    int before = at;
    for (; at < h->count && strncmp(h->names[at], h->names[first], owner) == 0; at++) {
      const char *word = h->names[at] + owner;
      if (strncmp(word, columns, length) != 0 || word[length + strspn(word + length, "0123456789")] != '\0') break;
    }
    if (at == before) return 0;
    columns += length + (columns[length] == ' ');
  }
  return at - first;
}

// A table with the columns of one part behind those of another.
static bool is_parts(const header *h) {
  int at = 1, before = 0;
  if (strcmp(h->names[0], "t") != 0) return false;
  while (at > before && at < h->count) {
    before = at;
    int most = 0;
    for (size_t i = 0; i < sizeof part_columns / sizeof *part_columns; i++) {
      int count = match_part(h, before, part_columns[i]);
      if (count > most) most = count;
    }
    at += most;
  }
  return h->count > 1 && at == h->count;
}

// A row for each point that touches, with the names of its points behind it; and the times of these rows.
static bool is_touches(const header *h) {
  static const char *const first[] = {"t", "a", "b", "point", "at_x", "at_y"}, *const times[] = {"t", "first", "count"};
  enum { FIRST = sizeof first / sizeof *first, TIMES = sizeof times / sizeof *times };
  if (equals(h, 0, times, TIMES)) return true;
  return h->count > FIRST && begins(h, 0, first, FIRST) &&
         equals(h, h->count - IMPACT_NAME_COLUMNS, impact_name_columns, IMPACT_NAME_COLUMNS);
}

static bool is_checkpoint(const header *h) {
  static const char *const pairs[] = {"checkpoint", "surface_a", "surface_b"};
  if (begins(h, 0, pairs, sizeof pairs / sizeof *pairs)) return true;
  if (h->count < 2 || strcmp(h->names[0], "t") != 0 || strcmp(h->names[1], "q0") != 0) return false;
  for (int i = 2; i < h->count; i++)
    if (strcmp(h->names[i], "accepted_t") == 0) return true;
  return false;
}

static bool is_laws(const char *line) {
  return strcmp(line, CAROM_IMPACT_CSV) == 0 || strcmp(line, CAROM_SLIDE_CSV) == 0;
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

static bool is_one_of(const header *h, const own_headers *known) {
  for (int i = 0; known && i < known->count; i++)
    if (equals(h, 0, known->items[i].columns, known->items[i].count)) return true;
  return false;
}

bool own_csv(int fd, const void *headers) {
  char *text = read_line(fd);
  header h = {0};
  bool own = text && (is_laws(text) || (split(text, &h) && (is_run(&h) || is_impacts(&h) || is_episodes(&h) ||
                                                            is_regimes(&h) || is_touches(&h) || is_parts(&h) ||
                                                            is_checkpoint(&h) || is_one_of(&h, headers))));
  free(h.names);
  free(text);
  return own;
}
