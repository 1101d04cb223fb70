// For tests of the command line: the tool and the shell, run in the scratch folder.
#ifndef CAROM_TESTS_TOOL_H
#define CAROM_TESTS_TOOL_H

#include "check.h"

#include <stdarg.h>
#include <sys/wait.h>

#define TOOL CHECK_BUILD_DIR "/carom"

static char *out, *err;  // what the last call of carom() printed

CHECK_UNUSED_OK static int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

CHECK_UNUSED_OK static int shell_list(const char *format, va_list args) {
  char words[8000], line[16384];
  vsnprintf(words, sizeof words, format, args);
  snprintf(line, sizeof line, "cd '%s' && %s", check_scratch_dir(), words);
  return exit_code(system(line));
}

// Runs a line by the shell; returns its exit code.
CHECK_UNUSED_OK static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
CHECK_UNUSED_OK static int shell(const char *format, ...) {
  va_list args;
  va_start(args, format);
  int code = shell_list(format, args);
  va_end(args);
  return code;
}

// A line that must end well.
CHECK_UNUSED_OK static void in_scratch(const char *format, ...) __attribute__((format(printf, 1, 2)));
CHECK_UNUSED_OK static void in_scratch(const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (!CHECK_EQUAL(shell_list(format, args), 0)) printf("      %s\n", format);
  va_end(args);
}

// Runs `carom ...` and keeps what it printed; returns its exit code.
CHECK_UNUSED_OK static int carom(const char *format, ...) __attribute__((format(printf, 1, 2)));
CHECK_UNUSED_OK static int carom(const char *format, ...) {
  char words[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(words, sizeof words, format, args);
  va_end(args);
  int code = shell("{ '%s' %s; } >stdout 2>stderr </dev/null", TOOL, words);
  free(out), free(err);
  out = read_file(scratch("stdout"), NULL), err = read_file(scratch("stderr"), NULL);
  return code;
}

CHECK_UNUSED_OK static void forget_output(void) {
  free(out), free(err);
  out = err = NULL;
}

#endif
