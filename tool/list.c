// carom list: what there is to build models from.
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "examples.h"

typedef struct list_args {
  const char *family;
} list_args;

static const struct {
  const char *name, *summary;
} families[] = {
    {"joints", "what connects bodies"},
    {"constraints", "conditions beside the joints"},
    {"forces", "springs, dampers, motors, loads"},
    {"surfaces", "what can touch"},
    {"laws", "how surfaces push back and rub"},
    {"solids", "what surfaces are made of"},
    {"methods", "how time advances"},
    {"integrators", "how smooth motion is integrated"},
    {"solvers", "what solves contact problems"},
    {"functions", "what expressions may call"},
    {"units", "what numbers may be written in"},
    {"models", "examples that come with carom"},
};
enum { FAMILY_COUNT = sizeof families / sizeof *families };

static const arg list_table[] = {
    {.name = "FAMILY", .kind = ARG_OPERAND, .offset = offsetof(list_args, family),
     .help = "joints, constraints, forces, surfaces, laws, solids, methods, integrators, solvers, functions, units or models"},
};

static int run_list(int argc, char **argv);
const command command_list = {"list", "List what there is to build models from.", NULL, list_table, 1, run_list};

static int unknown_family(const char *name) {
  const char *names[FAMILY_COUNT];
  for (int i = 0; i < FAMILY_COUNT; i++) names[i] = families[i].name;
  const char *near = nearest(name, names, FAMILY_COUNT);
  if (near) return usage_error("list", "there are no '%s' to list; did you mean '%s'?", name, near);
  return usage_error("list", "there are no '%s' to list", name);
}

// Names in a column as wide as the longest; µ and ° are two bytes but one character.
static int width_of(const char *text) {
  int width = 0;
  for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
  return width;
}

static void print_family(const char *family) {
  const char *name, *summary;
  int width = 8;
  for (int i = 0; (name = carom_family_member(family, i, &summary)); i++)
    if (width_of(name) > width) width = width_of(name);
  for (int i = 0; (name = carom_family_member(family, i, &summary)); i++)
    printf("%s%*s%s\n", name, *summary ? width - width_of(name) + 2 : 0, "", summary);
}

static int run_list(int argc, char **argv) {
  list_args given = {0};
  int code = args_parse(&command_list, argc, argv, &given);
  if (code >= 0) return code;
  if (!given.family) {
    for (int i = 0; i < FAMILY_COUNT; i++) printf("%-12s  %s\n", families[i].name, families[i].summary);
    return 0;
  }
  if (strcmp(given.family, "models") == 0) return command_example.run(0, NULL);
  if (!carom_family_member(given.family, 0, NULL)) return unknown_family(given.family);
  print_family(given.family);
  return 0;
}
