#define _GNU_SOURCE  // memmem
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static bool is_standard(const char *path) { return strcmp(path, "-") == 0; }

static bool look(const char *path, struct stat *about) {
  return is_standard(path) ? fstat(STDOUT_FILENO, about) == 0 : stat(path, about) == 0;
}

// --- which file a path leads to -----------------------------------------------------------------------------------

// Of a name that does not exist yet: its folder, and the name in it.
static bool look_at_folder(const char *path, struct stat *folder, const char **name) {
  const char *slash = strrchr(path, '/');
  char start[PATH_MAX];
  *name = slash ? slash + 1 : path;
  int length = slash ? (int)(slash - path) + 1 : 1;
  if (length >= (int)sizeof start) return false;
  snprintf(start, sizeof start, "%.*s", length, slash ? path : ".");
  return stat(start, folder) == 0;
}

bool output_same(const char *a, const char *b) {
  struct stat one, other;
  bool a_is = look(a, &one), b_is = look(b, &other);
  if (a_is != b_is) return false;
  if (a_is) return S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  const char *name, *other_name;
  return look_at_folder(a, &one, &name) && look_at_folder(b, &other, &other_name) && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino && strcmp(name, other_name) == 0;
}

// --- the guard ----------------------------------------------------------------------------------------------------

char *output_read(int fd, size_t most, size_t *size) {
  struct stat about;
  if (fstat(fd, &about) != 0) return NULL;
  size_t wanted = about.st_size < 0 ? 0 : (size_t)about.st_size, used = 0;
  if (wanted > most) wanted = most;
  char *bytes = malloc(wanted + 1);
  while (bytes && used < wanted) {
    ssize_t n = pread(fd, bytes + used, wanted - used, (off_t)used);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    used += (size_t)n;
  }
  if (!bytes) return NULL;
  bytes[used] = '\0';
  if (size) *size = used;
  return bytes;
}

bool output_contains(int fd, size_t most, const char *text) {
  size_t size;
  char *bytes = output_read(fd, most, &size);
  bool found = bytes && memmem(bytes, size, text, strlen(text));
  free(bytes);
  return found;
}

static bool is_own(const output_rule *rule) {
  int fd = open(rule->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool own = fd >= 0 && rule->is_own(fd, rule->context);
  if (fd >= 0) close(fd);
  return own;
}

carom_status output_guard(const output_rule *rule, carom_error *error) {
  struct stat about;
  bool there = look(rule->path, &about);
  for (int i = 0; i < rule->input_count; i++) {
    if (!rule->inputs[i] || !output_same(rule->path, rule->inputs[i])) continue;
    return error_set(error, CAROM_ERROR_USAGE, "'%s' would overwrite '%s', which this command reads or writes as well; choose another name",
                     rule->path, rule->inputs[i]);
  }
  if (is_standard(rule->path) || !there || !S_ISREG(about.st_mode) || about.st_size == 0 || rule->force || is_own(rule)) return CAROM_OK;
  return error_set(error, CAROM_ERROR_USAGE, "'%s' exists and is not %s, so it is kept; choose another name, or replace it with --force",
                   rule->path, rule->kind);
}

// --- writing ------------------------------------------------------------------------------------------------------

static void release(output_file *f) {
  free(f->path), free(f->place);
  *f = (output_file){0};
}

static carom_status fail(output_file *f, int reason, carom_error *error) {
  error_set(error, CAROM_ERROR_FILE, "cannot write '%s': %s", f->path ? f->path : "the file", strerror(reason));
  release(f);
  return CAROM_ERROR_FILE;
}

// A name beside the file that nobody else uses; null where the folder takes none.
static char *name_place(const char *path) {
  char *place = NULL;
  if (asprintf(&place, "%s.%ld.part", path, (long)getpid()) < 0) return NULL;
  int fd = open(place, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd >= 0) close(fd);
  if (fd >= 0) return place;
  free(place);
  return NULL;
}

bool output_begin(output_file *f, const char *path, carom_error *error) {
  struct stat about = {0};
  bool there = look(path, &about);
  char *target = there && !is_standard(path) && S_ISREG(about.st_mode) ? realpath(path, NULL) : NULL;
  *f = (output_file){.path = target ? target : strdup(path), .replaces = there, .mode = about.st_mode & 07777};
  if (!f->path) return fail(f, ENOMEM, error), false;
  f->direct = is_standard(path) || (there && !S_ISREG(about.st_mode));
  if (there && !f->direct && access(f->path, W_OK) != 0) return fail(f, errno, error), false;
  f->place = f->direct ? NULL : name_place(f->path);
  if (!f->place) f->direct = true, f->place = strdup(f->path);
  if (!f->place) return fail(f, ENOMEM, error), false;
  return true;
}

carom_status output_end(output_file *f, bool keep, carom_error *error) {
  int reason = 0;
  if (!f->direct && keep) {
    if (f->replaces) chmod(f->place, f->mode);
    if (rename(f->place, f->path) != 0) reason = errno;
  }
  if (!f->direct && (!keep || reason)) unlink(f->place);
  if (reason) return fail(f, reason, error);
  release(f);
  return CAROM_OK;
}

carom_status output_write(const char *path, const char *bytes, size_t size, carom_error *error) {
  output_file f;
  if (!output_begin(&f, path, error)) return CAROM_ERROR_FILE;
  errno = 0;
  FILE *to = fopen(f.place, "wb");
  bool good = to && fwrite(bytes, 1, size, to) == size;
  int reason = errno;
  if (to && fclose(to) != 0) good = false, reason = errno;
  if (!good) error_set(error, CAROM_ERROR_FILE, "cannot write '%s': %s", f.path, strerror(reason ? reason : EIO));
  carom_status ended = output_end(&f, good, error);
  return good ? ended : CAROM_ERROR_FILE;
}
