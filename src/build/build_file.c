// Files that a model names: where they are, their bytes, and what tells one content from another.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/builder.h"

static bool read_all(int fd, file_bytes *to, size_t capacity) {
  while (to->length < capacity) {
    ssize_t n = read(fd, to->items + to->length, capacity - to->length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    to->length += (size_t)n;
  }
  return true;
}

static bool unreadable(builder *b, place at, const char *path, const char *why) {
  return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "cannot read '%s': %s", path, why);
}

// Memory is taken before the file is opened: running out of it must not leave the file open.
bool builder_read_file(builder *b, place at, const char *path, int most, const char *hint, file_bytes *to) {
  struct stat info;
  if (stat(path, &info)) return unreadable(b, at, path, strerror(errno));
  if (!S_ISREG(info.st_mode)) return unreadable(b, at, path, "not a file");
  if (info.st_size > most)
    return source_error(b->error, CAROM_ERROR_MODEL, at, hint, "'%s' is too large: %lld bytes, the limit is %d", path,
                        (long long)info.st_size, most);
  *to = (file_bytes){.items = arena_alloc(&b->model->scratch, (size_t)info.st_size + 1, 1)};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool ok = fd >= 0 && read_all(fd, to, (size_t)info.st_size);
  int trouble = errno;
  if (fd >= 0) close(fd);
  return ok || unreadable(b, at, path, strerror(trouble));
}

// FNV-1a.
const char *builder_digest(builder *b, const file_bytes *from) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < from->length; i++) hash = (hash ^ (unsigned char)from->items[i]) * 0x100000001b3u;
  return arena_print(b->memory, "%zu bytes, %016" PRIx64, from->length, hash);
}

void builder_keep_file(builder *b, const char *name, const char *path, const file_bytes *content) {
  carom_model *model = b->model;
  for (int i = 0; i < model->table_file_count; i++)
    if (strcmp(model->table_files[i].path, path) == 0) return;
  *ARENA_PUSH(b->memory, model->table_files, model->table_file_count, model->table_file_capacity) =
      (table_file){arena_copy_text(b->memory, name), path, builder_digest(b, content)};
}

// Beside the file that names it; what `--set` names, beside the model file.
const char *builder_path(builder *b, place at, const char *name) {
  const source *from = at.source;
  if (from && strncmp(from->name, "--", 2) == 0 && b->def->text) from = b->def->text->main;
  const char *slash = from ? strrchr(from->name, '/') : NULL;
  if (!slash || name[0] == '/') return arena_copy_text(b->memory, name);
  return arena_print(b->memory, "%.*s%s", (int)(slash - from->name + 1), from->name, name);
}
