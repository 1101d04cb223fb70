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

// False after saying so.
CHECK_UNUSED_OK static bool tool_is_there(void) {
  if (access(TOOL, X_OK) == 0) return true;
  printf("%s is not there\n", TOOL);
  return false;
}

CHECK_UNUSED_OK static bool exists(const char *name) { return access(scratch(name), F_OK) == 0; }

CHECK_UNUSED_OK static const char pendulum[] =
    "title: A pendulum of our own\n"
    "space: planar\n"
    "parameters: {l: 0.5 m, start: 60 deg}\n"
    "bodies: {bob: {mass: 2, inertia: 0.1, com: [0, -l]}}\n"
    "joints: {pin: {revolute: [ground, bob]}}\n"
    "initial: {pin: {q: start}}\n"
    "outputs: {height: -l*cos(pin.q)}\n"
    "end: 1 s\n";

// A parallelogram whose given angles do not close.
CHECK_UNUSED_OK static const char linkage[] =
    "title: A linkage that is given wrong\n"
    "space: planar\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: 0.01}\n"
    "  coupler: {mass: 1, inertia: 0.01}\n"
    "  rocker: {mass: 1, inertia: 0.01}\n"
    "joints:\n"
    "  left: {revolute: [ground, crank]}\n"
    "  upper: {revolute: [crank, coupler], at: [0.3, 0]}\n"
    "  right: {revolute: [ground, rocker], at: [0.5, 0]}\n"
    "  last: {revolute: [coupler, rocker], at: [0.5, 0], to: [0.35, 0]}\n"
    "initial: {left: {q: 60 deg}, upper: {q: -50 deg}, right: {q: 70 deg}}\n"
    "forces: {brake: {along: left, damping: 0.1}}\n"
    "end: 0.2 s\n";

CHECK_UNUSED_OK static double printed_number(const char *key) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\": ", key);
  const char *at = out ? strstr(out, quoted) : NULL;
  return at ? strtod(at + strlen(quoted), NULL) : NAN;
}

CHECK_UNUSED_OK static long count_lines(const char *text) {
  long n = 0;
  for (; *text; text++) n += *text == '\n';
  return n;
}

CHECK_UNUSED_OK static const char *last_line(char *text) {
  size_t length = strlen(text);
  if (length && text[length - 1] == '\n') text[length - 1] = 0;
  char *at = strrchr(text, '\n');
  return at ? at + 1 : text;
}

#endif
