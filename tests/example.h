// The models of models/ as test subjects: load one by name with settings, start it, read its signals by name.
#ifndef CAROM_TESTS_EXAMPLE_H
#define CAROM_TESTS_EXAMPLE_H

#include "check.h"

#include <stdarg.h>

#include "carom/carom.h"

enum { EXAMPLE_SETTINGS = 16 };

// Settings are words `name=value` in one text, "coordinates=absolute integrator.rtol=1e-12". Null after a failed check.
CHECK_UNUSED_OK static carom_model *example_load(const char *name, const char *settings) {
  char relative[256], path[4096], text[1024];
  carom_setting list[EXAMPLE_SETTINGS];
  int count = 0;
  snprintf(relative, sizeof relative, "models/%s.yaml", name);
  snprintf(text, sizeof text, "%s", settings ? settings : "");
  char *rest = NULL;
  for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(word, '=');
    if (!equals || count == EXAMPLE_SETTINGS) {
      CHECK(!"a setting is name=value");
      return NULL;
    }
    *equals = '\0';
    list[count++] = (carom_setting){word, equals + 1};
  }
  if (!CHECK(check_source(relative, path, sizeof path))) return NULL;
  carom_error error = {0};
  carom_model *model = carom_model_load(path, list, count, &error);
  if (!CHECK(model)) printf("%s\n", error.text);
  return model;
}

typedef struct example {
  carom_model *model;
  carom_sim *sim;
  carom_error error;
} example;

CHECK_UNUSED_OK static void example_end(example *e) {
  carom_sim_destroy(e->sim);
  carom_model_destroy(e->model);
  *e = (example){0};
}

CHECK_UNUSED_OK static bool example_start(example *e, const char *name, const char *settings) {
  *e = (example){.model = example_load(name, settings)};
  if (!e->model) return false;
  e->sim = carom_sim_create(e->model, &e->error);
  if (CHECK(e->sim)) return true;
  printf("%s\n", e->error.text);
  example_end(e);
  return false;
}

CHECK_UNUSED_OK static bool example_advance(example *e, double t) {
  if (CHECK(carom_sim_advance(e->sim, t, &e->error) == CAROM_OK)) return true;
  printf("%s\n", e->error.text);
  return false;
}

// The signal of a printed name, `example_read(&e, "rod%d.x", 3)`. One that is not there is NaN, which fails any check.
__attribute__((format(printf, 2, 3))) CHECK_UNUSED_OK static double example_read(example *e, const char *format, ...) {
  char name[128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(name, sizeof name, format, arguments);
  va_end(arguments);
  return carom_sim_read(e->sim, carom_model_signal(e->model, name));
}

#endif
