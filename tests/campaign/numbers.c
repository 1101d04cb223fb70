// Numbers in a model changed at random: the model is refused with a message, or it runs, and every number that the run
// records is finite unless a warning says otherwise.
#include "campaign.h"

#include <ctype.h>
#include <time.h>

enum { NUMBERS_MAX = 400, WALL_SECONDS = 1 };

// Where the numbers of a text begin and end. Digits inside a name are none.
static int find_numbers(const char *text, int (*at)[2]) {
  int count = 0;
  bool comment = false;
  for (int i = 0; text[i] && count < NUMBERS_MAX; i++) {
    if (text[i] == '\n') comment = false;
    if (text[i] == '#') comment = true;
    if (comment || !isdigit((unsigned char)text[i])) continue;
    bool in_name = i > 0 && (isalnum((unsigned char)text[i - 1]) || text[i - 1] == '_');
    char *end;
    strtod(text + i, &end);
    if (!in_name) at[count][0] = i, at[count++][1] = (int)(end - text);
    i = (int)(end - text) - 1;
  }
  return count;
}

static void write_changed(double number, char *out, size_t size) {
  static const char *const odd[] = {"0", "-1", "1e300", "1e-300", "-0.0", "1e9", "1e-9", "0.5", "2", "1e15"};
  switch (pick(0, 4)) {
    case 0: snprintf(out, size, "%s", odd[pick(0, 9)]); return;
    case 1: snprintf(out, size, "%.17g", -number); return;
    case 2: snprintf(out, size, "%.17g", number * pow(10, draw(-6, 6))); return;
    case 3: snprintf(out, size, "%.17g", number * draw(0.5, 2)); return;
    default: snprintf(out, size, "%.17g", number * (1 + draw(-1e-6, 1e-6)));
  }
}

// The text with one to three of its numbers changed, to be freed.
static char *change_numbers(char *text) {
  for (int k = pick(1, 3); k > 0; k--) {
    int at[NUMBERS_MAX][2], count = find_numbers(text, at);
    if (!count) break;
    int n = pick(0, count - 1);
    char number[64];
    write_changed(strtod(text + at[n][0], NULL), number, sizeof number);
    size_t size = strlen(text) + strlen(number) + 1;
    char *changed = malloc(size);
    snprintf(changed, size, "%.*s%s%s", at[n][0], text, number, text + at[n][1]);
    free(text);
    text = changed;
  }
  return text;
}

typedef struct stopwatch {
  time_t end;
  bool stopped;
} stopwatch;

static bool go_on(void *context, const carom_progress *progress) {
  (void)progress;
  stopwatch *w = context;
  w->stopped |= time(NULL) >= w->end;
  return !w->stopped;
}

// The first word of a CSV file that is not a finite number, in `where` with its column; false: there is none.
static bool find_not_finite(const char *path, char *where, size_t size) {
  char *text = read_file(path, NULL), *rest = NULL, names[65536] = "";
  bool found = false;
  char *line = text ? strtok_r(text, "\n", &rest) : NULL;
  if (line) snprintf(names, sizeof names, "%s", line);
  while (!found && line && (line = strtok_r(NULL, "\n", &rest))) {
    const char *first = line;
    int column = 0;
    for (char *word = line; word && !found; column++) {
      char *end;
      double number = strtod(word, &end);
      found = end != word && !isfinite(number);
      if (found) {
        char *name = names;
        for (int c = 0; c < column && name; c++) name = strchr(name, ',') ? strchr(name, ',') + 1 : name;
        snprintf(where, size, "%.*s at t = %.24s", (int)strcspn(name, ","), name, first);
      }
      word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL;
    }
  }
  free(text);
  return found;
}

static void check_table(void *context, const char *name, int columns, long rows) {
  (void)columns;
  char where[256];
  carom_error error = {0};
  // In a checkpoint NaN stands for what is not known; the restitution of an impact without approach is no number.
  if (!rows || !strncmp(name, "checkpoint", 10) || !strcmp(name, "impacts")) return;
  const char *path = campaign_file("table.csv");
  if (carom_export_csv(context, path, &(carom_export_options){.table = name}, &error) != CAROM_OK)
    finding("table %s: %s", name, error.text);
  else if (find_not_finite(path, where, sizeof where)) finding("no warning, but %s: %s is not finite", name, where);
  remove(path);
}

static void run(void) {
  char path[1024];
  const char *name = pick_model(path, sizeof path);
  char *text = change_numbers(read_file(path, NULL)), kept[1024];
  snprintf(kept, sizeof kept, "%s", campaign_file("changed.yaml"));
  campaign_model("%s, numbers changed", name);
  if (!write_text(kept, text)) return;
  free(text);
  carom_error error = {0};
  carom_model *model = carom_model_load(kept, NULL, 0, &error);
  if (!model) {
    if (error.status == CAROM_OK || !error.text[0]) finding("refused without a message");
    return;
  }
  char record[1024];
  snprintf(record, sizeof record, "%s", campaign_file("changed.h5"));
  stopwatch watch = {.end = time(NULL) + WALL_SECONDS};
  carom_run_options options = {.record = record, .progress = go_on, .context = &watch};
  carom_summary summary = {0};
  carom_status status = carom_run(model, &options, &summary, &error);
  if (status != CAROM_OK && !error.text[0] && !watch.stopped) finding("failed without a message");
  if (status == CAROM_OK && !isfinite(summary.energy_imbalance) && !summary.non_finite)
    finding("the energy error is not a number, and no warning says so");
  if (status == CAROM_OK && !summary.non_finite) carom_export_list(record, check_table, record, &error);
  carom_model_destroy(model);
}

const campaign_kind campaign_numbers = {"numbers", "crashes, and numbers that are not finite without a warning", run};
