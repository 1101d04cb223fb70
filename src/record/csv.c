#define _GNU_SOURCE  // newlocale, uselocale
#include "record/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "record/decimal.h"

enum { BUFFER_SIZE = 64 * 1024 };

struct csv {
  char *name;  // in messages
  int fd;
  bool ours;  // to close
  int column_count;
  int single_from;  // columns from here on have single precision
  int trouble;      // errno of the first failure, 0 while all is well
  locale_t locale;  // the one in which numbers have a decimal point
  size_t used;
  char buffer[BUFFER_SIZE];
};

static carom_status report(const csv *c, carom_error *error) {
  return error_set(error, CAROM_ERROR_FILE, "cannot write %s: %s", c->name, strerror(c->trouble));
}

static void write_out(csv *c) {
  const char *bytes = c->buffer;
  size_t left = c->used;
  while (left > 0 && !c->trouble) {
    ssize_t n = write(c->fd, bytes, left);
    if (n > 0) bytes += n, left -= (size_t)n;
    else if (n == 0) c->trouble = ENOSPC;
    else if (errno != EINTR) c->trouble = errno;
  }
  c->used = 0;
}

static void put(csv *c, const char *bytes, size_t size) {
  while (size > 0) {
    if (c->used == BUFFER_SIZE) write_out(c);
    size_t n = size < BUFFER_SIZE - c->used ? size : BUFFER_SIZE - c->used;
    memcpy(c->buffer + c->used, bytes, n);
    c->used += n, bytes += n, size -= n;
  }
}

// A name with a comma, a quote or a line break stands in quotes, its own quotes doubled.
static void put_name(csv *c, const char *name) {
  if (!strpbrk(name, ",\"\r\n")) {
    put(c, name, strlen(name));
    return;
  }
  put(c, "\"", 1);
  for (; *name; name++) put(c, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
  put(c, "\"", 1);
}

static void put_names(csv *c, const char *const *names) {
  for (int i = 0; i < c->column_count; i++) {
    if (i) put(c, ",", 1);
    put_name(c, names[i]);
  }
  put(c, "\n", 1);
}

static size_t print_number(char text[DECIMAL_SIZE], double x, bool single) {
  if (isfinite(x)) return decimal_print(text, x, single);
  const char *word = isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
  memcpy(text, word, strlen(word));
  return strlen(word);
}

// A number goes straight into the buffer, where there is always room for it.
static void put_number(csv *c, double x, bool single) {
  if (BUFFER_SIZE - c->used < DECIMAL_SIZE) write_out(c);
  c->used += print_number(c->buffer + c->used, x, single);
}

static bool open_output(csv *c, const char *path) {
  if (strcmp(path, "-") == 0) {
    fflush(stdout);  // what the application has printed so far comes first
    c->fd = STDOUT_FILENO;
  } else {
    c->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    c->ours = true;
  }
  if (c->fd < 0) c->trouble = errno;
  return c->fd >= 0;
}

static void free_csv(csv *c) {
  if (c->locale) freelocale(c->locale);
  free(c->name);
  free(c);
}

csv *csv_create_for(const char *name, const char *path, const char *const *columns, int column_count,
                    carom_error *error) {
  csv *c = calloc(1, sizeof *c);
  if (c) {
    c->name = strdup(strcmp(path, "-") == 0 ? "standard output" : name);
    c->column_count = c->single_from = column_count;
    c->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  }
  if (!c || !c->name || !c->locale) {
    error_set(error, CAROM_ERROR_MEMORY, "not enough memory to write %s", name);
    if (c) free_csv(c);
    return NULL;
  }
  if (!open_output(c, path)) {
    report(c, error);
    free_csv(c);
    return NULL;
  }
  put_names(c, columns);
  return c;
}

csv *csv_create(const char *path, const char *const *columns, int column_count, carom_error *error) {
  return csv_create_for(path, path, columns, column_count, error);
}

void csv_put_units(csv *c, const char *const *units) { put_names(c, units); }

void csv_set_single(csv *c, int first) { c->single_from = first; }

carom_status csv_append(csv *c, const double *row, carom_error *error) { return csv_append_texts(c, row, NULL, error); }

carom_status csv_append_texts(csv *c, const double *row, const char *const *texts, carom_error *error) {
  locale_t before = uselocale(c->locale);  // of this thread only
  for (int i = 0; i < c->column_count && !c->trouble; i++) {
    if (i) put(c, ",", 1);
    if (texts && texts[i]) put_name(c, texts[i]);
    else put_number(c, row[i], i >= c->single_from);
  }
  put(c, "\n", 1);
  uselocale(before);
  return c->trouble ? report(c, error) : CAROM_OK;
}

carom_status csv_flush(csv *c, carom_error *error) {
  write_out(c);
  return c->trouble ? report(c, error) : CAROM_OK;
}

carom_status csv_finish(csv *c, carom_error *error) {
  if (!c) return CAROM_OK;
  write_out(c);
  if (c->ours && close(c->fd) != 0 && errno != EINTR && !c->trouble) c->trouble = errno;
  carom_status status = c->trouble ? report(c, error) : CAROM_OK;
  free_csv(c);
  return status;
}
