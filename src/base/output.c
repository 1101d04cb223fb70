#define _GNU_SOURCE  // memmem
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

static bool is_standard(const char *path) { return strcmp(path, "-") == 0; }

static bool look(const char *path, struct stat *about) {
  return is_standard(path) ? fstat(STDOUT_FILENO, about) == 0 : stat(path, about) == 0;
}

// --- which file a path leads to --------------------------------------------------------------------------------------

// Follows links by their text, so also one whose target does not exist. Returns false after 40 links (a cycle) or if a
// name is too long.
static bool follow_links(const char *path, char target[PATH_MAX]) {
  if (snprintf(target, PATH_MAX, "%s", path) >= PATH_MAX) return false;
  for (int links = 0; links < 40; links++) {
    char text[PATH_MAX];
    ssize_t length = readlink(target, text, sizeof text - 1);
    if (length < 0) return true;  // not a link
    text[length] = '\0';
    char *slash = strrchr(target, '/');
    size_t folder =
        text[0] == '/' || !slash ? 0 : (size_t)(slash - target) + 1;  // a relative link starts from its own folder
    if (folder + (size_t)length >= PATH_MAX) return false;
    memcpy(target + folder, text, (size_t)length + 1);
  }
  return false;
}

// Of a name that does not exist yet: the folder that it would be created in, and the name there.
typedef struct new_name {
  char path[PATH_MAX];
  const char *name;
  struct stat folder;
} new_name;

static bool find_place(const char *path, new_name *n) {
  if (!follow_links(path, n->path)) return false;
  char *slash = strrchr(n->path, '/');
  n->name = slash ? slash + 1 : n->path;
  if (!slash) return stat(".", &n->folder) == 0;
  char start[PATH_MAX];
  snprintf(start, sizeof start, "%.*s", (int)(slash - n->path) + 1, n->path);
  return stat(start, &n->folder) == 0;
}

static bool same_inode(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

double output_room(const char *path, bool replaces) {
  char target[PATH_MAX];
  struct stat about;
  struct statvfs disk;
  bool exists = look(path, &about);
  if (is_standard(path) || (exists && !S_ISREG(about.st_mode)) || !follow_links(path, target)) return INFINITY;
  double replaced = exists && replaces ? 512.0 * (double)about.st_blocks : 0;
  char *slash = strrchr(target, '/');
  if (slash) slash[slash == target] = '\0';
  if (statvfs(slash ? target : ".", &disk) != 0) return INFINITY;  // opening the file will say what is wrong
  return replaced + (double)disk.f_bavail * (double)disk.f_frsize;
}

bool output_same(const char *a, const char *b) {
  struct stat one, other;
  bool a_is = look(a, &one), b_is = look(b, &other);
  if (a_is != b_is) return false;
  if (a_is) return S_ISREG(one.st_mode) && same_inode(&one, &other);
  new_name new_a, new_b;
  return find_place(a, &new_a) && find_place(b, &new_b) && same_inode(&new_a.folder, &new_b.folder) &&
         strcmp(new_a.name, new_b.name) == 0;
}

// --- the guard -------------------------------------------------------------------------------------------------------

char *output_read(int fd, size_t most, size_t *size) {
  struct stat about;
  if (size) *size = 0;
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
  if (!bytes) return errno = ENOMEM, NULL;
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
  errno = 0;
  int fd = open(rule->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool own = fd >= 0 && rule->is_own(fd, rule->context);
  if (fd >= 0) close(fd);
  return own;
}

carom_status output_guard(const output_rule *rule, carom_error *error) {
  struct stat about;
  bool there = look(rule->path, &about);
  if (is_standard(rule->path) && !rule->to_standard_output)
    return error_set(error, CAROM_ERROR_USAGE, "%s cannot go to the standard output ('-'); name a file", rule->kind);
  for (int i = 0; i < rule->input_count; i++) {
    if (!rule->inputs[i] || !output_same(rule->path, rule->inputs[i])) continue;
    if (strcmp(rule->path, rule->inputs[i]) == 0)
      return error_set(error, CAROM_ERROR_USAGE,
                       "the output would overwrite '%s', which this command also reads or writes; choose another name",
                       rule->path);
    return error_set(error, CAROM_ERROR_USAGE,
                     "the output '%s' would overwrite '%s', which is the same file and which this command also "
                     "reads or writes; choose another name",
                     rule->path, rule->inputs[i]);
  }
  if (is_standard(rule->path) || !there || !S_ISREG(about.st_mode) || about.st_size == 0 || rule->force || is_own(rule))
    return CAROM_OK;
  if (errno == ENOMEM)
    return error_set(error, CAROM_ERROR_MEMORY, "out of memory while looking at '%s', which exists", rule->path);
  return error_set(error, CAROM_ERROR_USAGE,
                   "'%s' exists and is not %s, so it is kept; choose another name, or replace it with --force",
                   rule->path, rule->kind);
}

// --- writing ---------------------------------------------------------------------------------------------------------

static void release(output_file *f) {
  free(f->path), free(f->place);
  *f = (output_file){0};
}

static carom_status fail(output_file *f, int reason, carom_error *error) {
  error_set(error, CAROM_ERROR_FILE, "cannot write '%s': %s", f->path, strerror(reason));
  release(f);
  return CAROM_ERROR_FILE;
}

enum { PLACES = 1000 };  // names that are tried

// Whether a name is that of a file beside `name` whose process is gone.
static bool is_left_over(const char *name, const char *entry) {
  size_t length = strlen(name);
  long process;
  int number, end = 0;
  if (strncmp(entry, name, length) != 0 || sscanf(entry + length, ".%ld-%d.part%n", &process, &number, &end) < 2 ||
      !end)
    return false;
  return entry[length + (size_t)end] == '\0' && process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

// Removes what runs to the same file have left that were killed. The process may be one of another machine: what was
// written in the last minute stays.
static void remove_left_over(const char *path) {
  enum { YOUNG = 60 };  // [s]
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *folder = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
  DIR *in = folder ? opendir(folder) : NULL;
  for (struct dirent *entry; in && (entry = readdir(in));) {
    struct stat about;
    if (!is_left_over(name, entry->d_name) || fstatat(dirfd(in), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (S_ISREG(about.st_mode) && time(NULL) - about.st_mtime > YOUNG) unlinkat(dirfd(in), entry->d_name, 0);
  }
  if (in) closedir(in);
  free(folder);
}

// Creates a new file beside `path`, never one that exists: it may belong to another thread, or be a link. Returns its
// name, or null if the folder takes no new file.
static char *create_place(const char *path) {
  int fd = -1;
  for (int i = 0; i < PLACES && (i == 0 || errno == EEXIST); i++) {
    char *place = NULL;
    if (asprintf(&place, "%s.%ld-%d.part", path, (long)getpid(), i) < 0) return NULL;
    fd = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return close(fd), place;
    int reason = errno;
    free(place);
    errno = reason;
  }
  return NULL;
}

// What the path leads to, through links: an existing file, or the one that a link without a target would create.
// Returns null with the reason in errno.
static char *find_target(const char *path, bool there) {
  char target[PATH_MAX];
  if (there) return realpath(path, NULL);
  if (follow_links(path, target)) return strdup(target);
  errno = ELOOP;
  return NULL;
}

bool output_begin(output_file *f, const char *path, carom_error *error) {
  struct stat about = {0};
  bool there = look(path, &about);
  bool direct = is_standard(path) || (there && !S_ISREG(about.st_mode));
  *f = (output_file){.path = direct ? strdup(path) : find_target(path, there),
                     .direct = direct,
                     .replaces = there,
                     .mode = about.st_mode & 07777};
  if (!f->path) return error_set(error, CAROM_ERROR_FILE, "cannot write '%s': %s", path, strerror(errno)), false;
  if (there && !f->direct && access(f->path, W_OK) != 0) return fail(f, errno, error), false;
  if (!f->direct) remove_left_over(f->path);
  f->place = f->direct ? NULL : create_place(f->path);
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

static FILE *open_place(const char *place) {
  if (!is_standard(place)) return fopen(place, "wb");
  fflush(stdout);  // what the application has printed so far comes first
  int fd = dup(STDOUT_FILENO);
  FILE *to = fd < 0 ? NULL : fdopen(fd, "wb");
  if (!to && fd >= 0) close(fd);
  return to;
}

carom_status output_write(const char *path, const char *bytes, size_t size, carom_error *error) {
  output_file f;
  if (!output_begin(&f, path, error)) return CAROM_ERROR_FILE;
  errno = 0;
  FILE *to = open_place(f.place);
  bool good = to && fwrite(bytes, 1, size, to) == size;
  int reason = errno;
  if (to && fclose(to) != 0) good = false, reason = errno;
  if (!good) error_set(error, CAROM_ERROR_FILE, "cannot write '%s': %s", f.path, strerror(reason ? reason : EIO));
  carom_status ended = output_end(&f, good, error);
  return good ? ended : CAROM_ERROR_FILE;
}
