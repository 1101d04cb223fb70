// carom reference: the page of the model file, from the tables that read it.
#include <stdio.h>

#include "commands.h"

static int run_reference(int argc, char **argv);
const command command_reference = {"reference",  "Print the reference of the model file, as Markdown.", NULL, NULL, 0,
                                   run_reference};

static void print(void *context, const char *text) { fputs(text, context); }

static int run_reference(int argc, char **argv) {
  struct {
    char none;
  } given = {0};
  int code = args_parse(&command_reference, argc, argv, &given);
  if (code >= 0) return code;
  carom_reference_write(print, stdout);
  return 0;
}
