// carom example: the models that come with the tool.
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "examples.h"

typedef struct example_args {
  const char *name;
} example_args;

static const arg example_table[] = {
    {.name = "NAME",
     .kind = ARG_OPERAND,
     .offset = offsetof(example_args, name),
     .help = "the model to print; without it, a list of them"},
};

static int run_example(int argc, char **argv);
const command command_example = {
    "example", "Print a model that comes with carom, to begin from.", NULL, example_table, 1, run_example};

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

static int run_example(int argc, char **argv) {
  example_args given = {0};
  int code = args_parse(&command_example, argc, argv, &given);
  if (code >= 0) return code;
  if (given.name) {
    const example *e = example_find(given.name);
    if (!e) return unknown_example(given.name);
    fwrite(e->text, 1, e->length, stdout);
    return 0;
  }
  char title[128];
  for (const example *e = examples; e->name; e++) printf("%-22s %s\n", e->name, example_title(e, title, sizeof title));
  return 0;
}
