// The names of the models in models/.
#ifndef CAROM_TESTS_MODELS_H
#define CAROM_TESTS_MODELS_H

#include "example.h"

#include <dirent.h>

enum { MOST_MODELS = 96 };

static int list_models(char names[MOST_MODELS][64]) {
  char folder[4096];
  int count = 0;
  if (!check_source("models", folder, sizeof folder)) return 0;
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".yaml") != 0 || count == MOST_MODELS) continue;
    snprintf(names[count++], sizeof names[0], "%.*s", (int)(dot - entry->d_name), entry->d_name);
  }
  if (dir) closedir(dir);
  return count;
}

#endif
