// Every file in tests/bad is refused with one clear message at the right line. The last line of each says what to
// expect: `# expect LINE WORDS`, where LINE may be `-` and WORDS must occur in the message.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "check.h"

typedef struct expectation {
  int line;
  char words[200];
} expectation;

static bool read_expectation(const char *path, expectation *e) {
  FILE *f = fopen(path, "r");
  if (!f) return false;
  char buffer[1000], last[1000] = "", line[16] = "";
  while (fgets(buffer, sizeof buffer, f))
    if (strncmp(buffer, "# expect ", 9) == 0) strcpy(last, buffer);
  fclose(f);
  e->words[0] = 0;
  if (sscanf(last, "# expect %15s %199[^\n]", line, e->words) < 1) return false;
  e->line = line[0] == '-' ? 0 : atoi(line);
  return true;
}

static bool is_refused_as_expected(const char *path) {
  expectation e;
  if (!CHECK(read_expectation(path, &e))) return false;
  carom_error error = {0};
  carom_model *model = carom_model_load(path, NULL, 0, &error);
  bool good = CHECK(model == NULL);
  carom_model_destroy(model);
  good &= CHECK(carom_status_exit_code(error.status) == 2);
  good &= CHECK(strlen(error.message) > 8);
  if (e.line) good &= CHECK(error.line == e.line) && CHECK(error.column > 0) && CHECK(strchr(error.text, '^') != NULL);
  if (e.words[0]) good &= CHECK(strstr(error.message, e.words) != NULL);
  if (!good) printf("  in %s, expected line %d and \"%s\":\n%s\n", path, e.line, e.words, error.text);
  return good;
}

static void malformed_models_are_refused(void) {
  char folder[1024];
  check_source("tests/bad", folder, sizeof folder);
  DIR *d = opendir(folder);
  if (!CHECK(d != NULL)) return;
  int count = 0;
  for (struct dirent *entry; (entry = readdir(d));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".yaml") != 0) continue;
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    is_refused_as_expected(path);
    count++;
  }
  closedir(d);
  CHECK(count >= 40);
}

// --- what is too large to keep in a file -----------------------------------------------------------------------------

static void refuse_text(const char *text, const char *words) {
  carom_error error = {0};
  carom_model *model = carom_model_parse(text, "generated", &error);
  CHECK(model == NULL);
  CHECK(carom_status_exit_code(error.status) == 2);
  if (!CHECK(strstr(error.message, words) != NULL)) printf("%s\n", error.text);
  carom_model_destroy(model);
}

static void deep_nesting_is_refused(void) {
  enum { DEPTH = 100000 };
  char *text = malloc(2 * DEPTH + 20);
  strcpy(text, "title: ");
  memset(text + 7, '[', DEPTH);
  memset(text + 7 + DEPTH, ']', DEPTH);
  text[7 + 2 * DEPTH] = 0;
  refuse_text(text, "nest");
  free(text);
}

static void deep_expressions_are_refused(void) {
  enum { DEPTH = 20000 };
  char *text = malloc(2 * DEPTH + 100);
  int used = sprintf(text, "parameters:\n  p: ");
  memset(text + used, '(', DEPTH), used += DEPTH;
  text[used++] = '1';
  memset(text + used, ')', DEPTH), used += DEPTH;
  text[used] = 0;
  refuse_text(text, "");
  free(text);
}

static void a_huge_file_is_refused(void) {
  size_t size = 40u << 20;
  char *text = malloc(size + 1);
  memset(text, '#', size);
  for (size_t i = 79; i < size; i += 80) text[i] = '\n';
  text[size] = 0;
  refuse_text(text, "large");
  free(text);
}

static void a_missing_file_is_a_file_error(void) {
  carom_error error = {0};
  CHECK(carom_model_load("no/such/model.yaml", NULL, 0, &error) == NULL);
  CHECK(carom_status_exit_code(error.status) == 3);
  CHECK(strstr(error.text, "no/such/model.yaml") != NULL);
}

static void settings_are_checked(void) {
  char path[1024];
  check_source("models/pendulum.yaml", path, sizeof path);
  const carom_setting unknown = {"lenght", "2"}, nonsense = {"end", "soon"}, good = {"end", "0.5 s"};
  carom_error error = {0};
  CHECK(carom_model_load(path, &unknown, 1, &error) == NULL);
  CHECK(carom_status_exit_code(error.status) == 2);
  CHECK(carom_model_load(path, &nonsense, 1, &error) == NULL);
  carom_model *model = carom_model_load(path, &good, 1, &error);
  if (!CHECK(model != NULL)) return;
  CHECK_NEAR(carom_model_get_info(model).end, 0.5, 0);
  carom_model_destroy(model);
}

int main(void) {
  RUN(malformed_models_are_refused);
  RUN(deep_nesting_is_refused);
  RUN(deep_expressions_are_refused);
  RUN(a_huge_file_is_refused);
  RUN(a_missing_file_is_a_file_error);
  RUN(settings_are_checked);
  return check_summary();
}
