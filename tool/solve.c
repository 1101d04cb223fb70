// carom solve: a contact problem from a file, by one solver or all.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "talk.h"

typedef struct solve_args {
  const char *file, *solver, *tolerance, *iterations;
  bool solution, count;
} solve_args;

#define AT(field) offsetof(solve_args, field)
static const arg solve_table[] = {
    {.name = "PROBLEM", .kind = ARG_OPERAND, .offset = AT(file), .required = true, .help = "file of a contact problem"},
    {.name = "--solver",
     .kind = ARG_TEXT,
     .value = "NAME",
     .offset = AT(solver),
     .help = "chain (the default), all, or one of `carom list solvers`"},
    {.name = "--tolerance",
     .kind = ARG_TEXT,
     .value = "X",
     .offset = AT(tolerance),
     .help = "residual that counts as solved (default: 1e-8)"},
    {.name = "--iterations",
     .kind = ARG_TEXT,
     .value = "N",
     .offset = AT(iterations),
     .help = "most sweeps, pivots or steps, for each solver of the chain (default: their own limits)"},
    {.name = "--count", .kind = ARG_FLAG, .offset = AT(count), .help = "let enumeration count the solutions"},
    {.name = "--solution",
     .kind = ARG_FLAG,
     .offset = AT(solution),
     .help = "print percussions r and velocities u too"},
};
#undef AT

static int run_solve(int argc, char **argv);
const command command_solve = {
    "solve",
    "Solve a contact problem from a file.",
    "u = W r + q with unilateral rows or friction contacts. Reads the text formats of Siconos (dense, block-sparse,\n"
    "sparse), FCLIB's HDF5 files, and problems that carom wrote. The residual is computed independently of the "
    "solvers\n"
    "and does not depend on units; mixed is the formula of publications, which mixes the units of percussions and\n"
    "velocities. The exit code is 1 when nothing solved the problem.",
    solve_table,
    sizeof solve_table / sizeof *solve_table,
    run_solve};

typedef struct table {
  bool begun, solved, solution;
  int iterations;  // the limit that was given; 0: none
} table;

static void print_time(double seconds) {
  if (seconds < 1e-3) printf("%9.1f us", 1e6 * seconds);
  else if (seconds < 1) printf("%9.2f ms", 1e3 * seconds);
  else printf("%9.2f s ", seconds);
}

static void print_solution(const carom_solve_result *r) {
  for (int i = 0; i < r->rows; i++) printf("  %6d  %24.17g  %24.17g\n", i, r->r[i], r->u[i]);
}

static void print_result(void *context, const carom_solve_result *r) {
  table *t = context;
  if (!t->begun) {
    printf("%d row%s in %d block%s\n", r->rows, r->rows == 1 ? "" : "s", r->blocks, r->blocks == 1 ? "" : "s");
    printf("%s%-14s %10s %10s %10s %12s  %s%s\n", style(stdout, STYLE_STRONG), "solver", "iterations", "residual",
           "mixed", "time", "status", style(stdout, STYLE_PLAIN));
  }
  t->begun = true;
  t->solved |= r->solved;
  printf("%-14s %10d %10.2e %10.2e ", r->solver, r->iterations, r->residual, r->residual_mixed);
  print_time(r->seconds);
  printf("  %s", r->status);
  if (r->limited) printf(" (%d, %s)", t->iterations, r->limited);
  if (r->solved && strcmp(r->solver, r->stage) != 0) printf(" by %s", r->stage);
  if (r->solutions) printf(", %d solution%s", r->solutions, r->solutions == 1 ? "" : "s");
  printf("\n");
  if (t->solution) print_solution(r);
}

// A positive number that is the whole word.
static bool take_number(const char *word, double *x) {
  char *end;
  *x = strtod(word, &end);
  return end > word && !*end && isfinite(*x) && *x > 0;
}

static int run_solve(int argc, char **argv) {
  solve_args a = {0};
  int code = args_parse(&command_solve, argc, argv, &a);
  if (code >= 0) return code;
  carom_solve_options options = carom_solve_default();
  double number;
  if (a.solver) options.solver = a.solver;
  if (a.tolerance && !take_number(a.tolerance, &options.tolerance))
    return usage_error("solve", "'%s' is not a tolerance", a.tolerance);
  if (a.iterations) {
    if (!take_number(a.iterations, &number) || number > 1e9 || number != floor(number))
      return usage_error("solve", "'%s' is not a number of iterations", a.iterations);
    options.iterations = (int)number;
  }
  options.count_solutions = a.count;
  carom_error error = {0};
  table t = {.solution = a.solution, .iterations = options.iterations};
  if (carom_solve_file(a.file, &options, print_result, &t, &error) != CAROM_OK) return tell_error(&error);
  return t.solved ? 0 : 1;
}
