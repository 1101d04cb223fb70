// The models of models/ as test subjects.
#ifndef CAROM_TESTS_EXAMPLE_H
#define CAROM_TESTS_EXAMPLE_H

#include "carom/carom.h"
#include "check.h"

enum { EXAMPLE_SETTINGS = 16 };

// Settings are words `name=value` in one text, "coordinates=absolute integrator.rtol=1e-12"; null for none.
CHECK_UNUSED_OK static carom_model *example_load_path(const char *path, const char *settings, carom_error *error) {
  char text[1024];
  carom_setting list[EXAMPLE_SETTINGS];
  int count = 0;
  snprintf(text, sizeof text, "%s", settings ? settings : "");
  char *rest = NULL;
  for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(word, '=');
    if (!CHECK(equals && count < EXAMPLE_SETTINGS)) return NULL;
    *equals = '\0';
    list[count++] = (carom_setting){word, equals + 1};
  }
  return carom_model_load(path, list, count, error);
}

// A model by its name. Null after a failed check.
CHECK_UNUSED_OK static carom_model *example_load(const char *name, const char *settings) {
  char relative[4200], path[8400];
  snprintf(relative, sizeof relative, "models/%s.yaml", name);
  if (!CHECK(check_source(relative, path, sizeof path))) return NULL;
  carom_error error = {0};
  carom_model *model = example_load_path(path, settings, &error);
  if (!CHECK(model)) printf("      %s %s: %s\n", name, settings ? settings : "", error.text);
  return model;
}

#endif
