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
    {"joints", "connections of bodies"},
    {"constraints", "constraints in addition to the joints"},
    {"forces", "springs, dampers, motors, loads"},
    {"surfaces", "surfaces that can touch"},
    {"laws", "laws of normal force and friction"},
    {"solids", "elastic solids"},
    {"methods", "methods of time integration and contact"},
    {"integrators", "integrators of smooth motion"},
    {"solvers", "solvers of contact problems"},
    {"functions", "functions of expressions"},
    {"units", "units of numbers"},
    {"models", "examples that come with carom"},
};
enum { FAMILY_COUNT = sizeof families / sizeof *families };

static const arg list_table[] = {
    {.name = "FAMILY",
     .kind = ARG_OPERAND,
     .offset = offsetof(list_args, family),
     .help = "joints, constraints, forces, surfaces, laws, solids, methods, integrators, solvers, functions, units or "
             "models"},
};

static int run_list(int argc, char **argv);
const command command_list = {"list", "List the parts a model can use.", NULL, list_table, 1, run_list};

static int unknown_family(const char *name) {
  const char *names[FAMILY_COUNT];
  for (int i = 0; i < FAMILY_COUNT; i++) names[i] = families[i].name;
  const char *near = carom_nearest_word(name, names, FAMILY_COUNT);
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
