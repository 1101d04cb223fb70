// Files that are written: which ones may be, and how an old one survives a write that fails.
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "carom/status.h"

// What may stand at a path already. `is_own` reads an existing file and says whether it is of the kind that is to be
// written. Where memory runs out it returns false with ENOMEM in errno.
typedef struct output_rule {
  const char *path;
  const char *kind;         // in words: "a carom record"
  bool to_standard_output;  // "-" is the standard output; otherwise it is refused
  bool (*is_own)(int fd, const void *context);
  const void *context;
  const char *const *inputs;  // files that must not be written to; an entry may be null
  int input_count;
  bool force;  // replace a file of any kind, but never an input
} output_rule;

// Every path that is written goes through this function. Refuses with CAROM_ERROR_USAGE a path that leads to an input
// (by any name: relative, through links, by another hard link), and unless forced a regular file that holds something
// else. New names, empty files, pipes and devices are accepted, and "-" where the rule allows it.
carom_status output_guard(const output_rule *rule, carom_error *error);

// Both paths lead to one file, or would if they were created.
bool output_same(const char *a, const char *b);

// The bytes that a new file at a path may have: what its folder has left, and if it `replaces` an older one that one's
// size. Infinite for pipes and devices, and where nobody knows.
double output_room(const char *path, bool replaces);

// A file written beside its place and moved there once it is whole. Pipes, devices and files in folders that take no
// new name are written directly. A link stays one: what it leads to is replaced, or created.
typedef struct output_file {
  char *path;   // what it leads to
  char *place;  // what to open and write
  bool direct;
  bool replaces;
  mode_t mode;  // of the file that is replaced
} output_file;

// Returns false after reporting.
bool output_begin(output_file *f, const char *path, carom_error *error);
// Moves the file to its place, or with `keep` false removes it. Call exactly once after a good output_begin.
carom_status output_end(output_file *f, bool keep, carom_error *error);
// Writes a whole file by these two.
carom_status output_write(const char *path, const char *bytes, size_t size, carom_error *error);

// For `is_own`: the file up to `most` bytes with a zero behind them, to be freed; null if it cannot be read, with a
// `size` of 0. `size` may be null.
char *output_read(int fd, size_t most, size_t *size);
bool output_contains(int fd, size_t most, const char *text);

#endif
