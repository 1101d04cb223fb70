#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "examples.h"
#include "talk.h"

carom_model *load_model(const char *path, setting_list *settings, const char *end, int *code) {
  carom_error error = {0};
  carom_setting *all = calloc((size_t)settings->count + 1, sizeof *all);
  if (!all) return *code = 1, NULL;
  if (settings->count) memcpy(all, settings->items, (size_t)settings->count * sizeof *all);
  int count = settings->count;
  if (end) all[count++] = (carom_setting){"--end", end};
  carom_model *model = carom_model_load(path, all, count, &error);
  free(all);
  if (model) return model;
  *code = tell_error(&error);
  const example *e = access(path, F_OK) != 0 && errno == ENOENT ? example_find(path) : NULL;
  if (e) fprintf(stderr, "hint: there is an example of that name: carom example %s -o .\n", e->name);
  return NULL;
}
