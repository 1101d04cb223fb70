// A locale with a decimal comma, as a program that uses the library may have chosen. After check.h.
#ifndef TESTS_COMMA_H
#define TESTS_COMMA_H

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static inline bool comma_choose(const char *name) {
  return setlocale(LC_ALL, name) && strcmp(localeconv()->decimal_point, ",") == 0;
}

// Chooses an installed one, or makes one. Returns false if that fails. Back with setlocale(LC_ALL, "C").
static inline bool comma_begin(void) {
  if (comma_choose("de_DE.UTF-8") || comma_choose("fr_FR.UTF-8")) return true;
  char command[5000];
  snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 %s/comma >/dev/null 2>&1", check_scratch_dir());
  bool made = system(command) >= 0;
  setenv("LOCPATH", check_scratch_dir(), 1);
  made = made && comma_choose("comma");
  unsetenv("LOCPATH");
  if (!made) setlocale(LC_ALL, "C");
  return made;
}

#endif
