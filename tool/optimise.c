// carom optimise: values of parameters at which a goal is smallest or largest.
#include <stdio.h>

#include "commands.h"
#include "fitting.h"

typedef struct optimise_args {
  fit_args common;  // first
  const char *goal;
} optimise_args;

#define AT(field) offsetof(optimise_args, field)
static const arg optimise_table[] = {
    {.name = "MODEL", .kind = ARG_OPERAND, .offset = AT(common.model), .required = true, .help = "the model file"},
    {.name = "--goal",
     .kind = ARG_TEXT,
     .value = "GOAL",
     .offset = AT(goal),
     .help = "min: or max: and what is taken of a run, as in a sweep: 'min:max(ball.y)', 'max:last(x)'"},
    {.name = "--fit",
     .kind = ARG_SETTING,
     .value = "NAME=RANGE",
     .offset = AT(common.fit),
     .help = "a parameter or key and its range: '0.3:0.9', '1e6 N/m:1e9 N/m:log'"},
    FIT_ARGS,
};
#undef AT

static int optimise_command(int argc, char **argv);
const command command_optimise = {
    "optimise",
    "Find the values of parameters at which a goal is smallest or largest.",
    "Nelder and Mead's method from the best of many points of the ranges. Runs that fail are counted and do not end\n"
    "the search. Exit code 0 if a result was found, 1 if every trial run failed, 130 if interrupted.",
    optimise_table,
    sizeof optimise_table / sizeof *optimise_table,
    optimise_command};

static int optimise_command(int argc, char **argv) {
  optimise_args a = {0};
  int code = args_parse(&command_optimise, argc, argv, &a);
  if (code < 0 && !a.goal) code = usage_error("optimise", "there is no goal: give --goal 'min:max(SIGNAL)'");
  if (code < 0) code = fit_run("optimise", &a.common, &(carom_fit_options){.goal = a.goal}, carom_optimise);
  settings_free(&a.common.settings), settings_free(&a.common.fit);
  return code;
}
