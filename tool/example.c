// carom example: the models that come with the tool.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "examples.h"

typedef struct example_args {
  const char *name, *folder;
} example_args;

static const arg example_table[] = {
    {.name = "NAME",
     .kind = ARG_OPERAND,
     .offset = offsetof(example_args, name),
     .help = "the model to print; without it, a list of them"},
    {.name = "--output",
     .letter = 'o',
     .kind = ARG_TEXT,
     .value = "DIR",
     .offset = offsetof(example_args, folder),
     .help = "write the model into this folder instead, with all files that it reads"},
};

static int run_example(int argc, char **argv);
const command command_example = {
    "example", "Print a model that comes with carom, to begin from.", NULL, example_table, 2, run_example};

const example *example_find(const char *name) {
  const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
  size_t length = strlen(base);
  if (length > 5 && strcmp(base + length - 5, ".yaml") == 0) length -= 5;
  for (const example *e = examples; e->name; e++)
    if (strlen(e->name) == length && strncmp(e->name, base, length) == 0) return e;
  return NULL;
}

const char *example_title(const example *e, char *buffer, size_t size) {
  const char *at = (const char *)e->text, *key = "title:";
  while (at && strncmp(at, key, strlen(key)) != 0) {
    at = strchr(at, '\n');
    if (at) at++;
  }
  if (!at) return "";
  at += strlen(key);
  at += strspn(at, " \"'");
  int length = (int)strcspn(at, "\r\n");
  while (length > 0 && strchr(" \"'", at[length - 1])) length--;
  snprintf(buffer, size, "%.*s", length, at);
  return buffer;
}

static int unknown_example(const char *name) {
  const char *names[128];
  int count = 0;
  for (const example *e = examples; e->name && count < 128; e++) names[count++] = e->name;
  const char *near = carom_nearest_word(name, names, count);
  if (near) return usage_error("example", "there is no example '%s'; did you mean '%s'?", name, near);
  return usage_error("example", "there is no example '%s'; `carom example` lists them", name);
}

// --- files that a model reads ----------------------------------------------------------------------------------------

enum { MOST_PARTS = 16 };

// Adds the files that a text names, and those that these name. Models write names as they are in their folder.
static int find_parts(const example *of, const example *parts[MOST_PARTS], int count) {
  for (const example *p = example_parts; p->name; p++) {
    bool listed = !strstr((const char *)of->text, p->name);
    for (int i = 0; i < count; i++) listed |= parts[i] == p;
    if (listed || count == MOST_PARTS) continue;
    parts[count++] = p;
    count = find_parts(p, parts, count);
  }
  return count;
}

static bool is_same(const char *path, const example *e) {
  FILE *in = fopen(path, "rb");
  size_t at = 0;
  int c = 0;
  while (in && (c = getc(in)) != EOF && at < e->length && c == e->text[at]) at++;
  if (in) fclose(in);
  return in && c == EOF && at == e->length;
}

// Makes the folders on the way to a file. Whether that succeeded shows where the file is opened.
static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    (void)mkdir(path, 0777);
    *slash = '/';
  }
}

// Keeps a file that is there: it may have been changed. Returns an exit code.
static int write_file(const char *folder, const example *e, const char *ending) {
  size_t room = strlen(folder) + strlen(e->name) + strlen(ending) + 2;
  char *path = malloc(room);
  if (!path) return fprintf(stderr, "error: out of memory\n"), EXIT_FILE;
  snprintf(path, room, "%s/%s%s", folder, e->name, ending);
  make_folders(path);
  FILE *out = fopen(path, "wbx");
  bool there = !out && errno == EEXIST, same = there && is_same(path, e), written = out != NULL;
  if (out) {
    written = fwrite(e->text, 1, e->length, out) == e->length;
    written &= fclose(out) == 0;
  }
  if (there && !same) fprintf(stderr, "error: %s is there already; write to another folder\n", path);
  else if (!written && !same) fprintf(stderr, "error: cannot write %s: %s\n", path, strerror(errno));
  else printf("%s\n", path);
  free(path);
  return written || same ? 0 : EXIT_FILE;
}

static int write_example(const example *e, const example *const *parts, int count, const char *folder) {
  int code = write_file(folder, e, ".yaml");
  for (int i = 0; i < count && code == 0; i++) code = write_file(folder, parts[i], "");
  return code;
}

static void tell_parts(const example *e, const example *const *parts, int count) {
  fprintf(stderr, "hint: this model reads");
  for (int i = 0; i < count; i++) fprintf(stderr, "%s %s", i == 0 ? "" : i + 1 < count ? "," : " and", parts[i]->name);
  fprintf(stderr, "; to write it with them: carom example %s -o DIR\n", e->name);
}

static int show_example(const example *e, const char *folder) {
  const example *parts[MOST_PARTS];
  int count = find_parts(e, parts, 0);
  if (folder) return write_example(e, parts, count, folder);
  fwrite(e->text, 1, e->length, stdout);
  if (count) tell_parts(e, parts, count);
  return 0;
}

static int run_example(int argc, char **argv) {
  example_args given = {0};
  int code = args_parse(&command_example, argc, argv, &given);
  if (code >= 0) return code;
  if (given.name) {
    const example *e = example_find(given.name);
    return e ? show_example(e, given.folder) : unknown_example(given.name);
  }
  if (given.folder) return usage_error("example", "which model is to be written to '%s'?", given.folder);
  char title[128];
  for (const example *e = examples; e->name; e++) printf("%-22s %s\n", e->name, example_title(e, title, sizeof title));
  return 0;
}
