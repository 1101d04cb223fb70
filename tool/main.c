// carom: the command line. Results go to the standard output, talk to the standard error.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "talk.h"

static int help_run(int argc, char **argv);

typedef struct help_args {
  const char *command;
} help_args;

static const arg help_table[] = {
    {.name = "COMMAND", .kind = ARG_OPERAND, .offset = offsetof(help_args, command), .help = "the command to explain"},
};
static const command command_help_itself = {"help", "Explain a command.", NULL, help_table, 1, help_run};

static const command *const commands[] = {
    &command_run,       &command_check,       &command_report,      &command_compare,     &command_sweep,
    &command_identify,  &command_optimise,    &command_bifurcation, &command_equilibrium, &command_modes,
    &command_export,    &command_list,        &command_laws,        &command_solve,       &command_example,
    &command_reference, &command_help_itself,
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const command *find_command(const char *name) {
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  return NULL;
}

static void print_overview(void) {
  const char *strong = style(stdout, STYLE_STRONG), *plain = style(stdout, STYLE_PLAIN);
  printf("carom %s: contact-impact dynamics of multibody systems\n\n%susage:%s carom COMMAND ...\n\n", carom_version(),
         strong, plain);
  for (int i = 0; i < COMMAND_COUNT; i++)
    printf("  %s%-12s%s %s\n", strong, commands[i]->name, plain, commands[i]->summary);
  printf(
      "\nTo begin:\n  carom example pendulum > pendulum.yaml\n  carom run pendulum.yaml\n\n"
      "`carom help COMMAND` lists the options of a command.\n");
}

static int unknown_command(const char *name) {
  const char *names[COMMAND_COUNT];
  for (int i = 0; i < COMMAND_COUNT; i++) names[i] = commands[i]->name;
  const char *near = carom_nearest_word(name, names, COMMAND_COUNT);
  if (near) return usage_error(NULL, "there is no command '%s'; did you mean '%s'?", name, near);
  return usage_error(NULL, "there is no command '%s'", name);
}

static int help_run(int argc, char **argv) {
  help_args given = {0};
  int code = args_parse(&command_help_itself, argc, argv, &given);
  if (code >= 0) return code;
  const command *c = given.command ? find_command(given.command) : NULL;
  if (given.command && !c) return unknown_command(given.command);
  if (c) command_help(c);
  else print_overview();
  return 0;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) return usage_error(NULL, "carom needs a command");
  const char *word = argv[1];
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return printf("carom %s\n", carom_version()), 0;
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return print_overview(), 0;
  if (word[0] == '-') return usage_error(NULL, "carom has no option '%s'", word);
  const command *c = find_command(word);
  return c ? c->run(argc - 2, argv + 2) : unknown_command(word);
}

// What was printed must have arrived.
static int finish(int code) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  fprintf(stderr, "error: cannot write standard output: %s\n", strerror(errno ? errno : EIO));
  return code ? code : EXIT_FILE;
}

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like any other
  carom_skip_exit_cleanup();
  return finish(dispatch(argc, argv));
}
