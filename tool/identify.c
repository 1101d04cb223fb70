// carom identify: parameters of a model from measured traces.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "fitting.h"
#include "talk.h"

typedef struct identify_args {
  fit_args common;  // first
  word_list data, hold_out;
  setting_list match;
  const char *time, *offset, *loss;
} identify_args;

#define AT(field) offsetof(identify_args, field)
static const arg identify_table[] = {
    {.name = "MODEL", .kind = ARG_OPERAND, .offset = AT(common.model), .required = true, .help = "the model file"},
    {.name = "--data",
     .kind = ARG_TEXTS,
     .value = "FILE",
     .offset = AT(data),
     .help = "CSV file of measured samples; 'FILE,weight=2' gives it another weight than 1"},
    {.name = "--hold-out",
     .kind = ARG_TEXTS,
     .value = "FILE",
     .offset = AT(hold_out),
     .help = "CSV file that the result is compared with, and that is not fitted"},
    {.name = "--fit",
     .kind = ARG_SETTING,
     .value = "NAME=RANGE",
     .offset = AT(common.fit),
     .help = "a parameter or key and its range: '0.3:0.9', '1e6 N/m:1e9 N/m:log'"},
    {.name = "--match",
     .kind = ARG_SETTING,
     .value = "SIGNAL=COLUMN",
     .offset = AT(match),
     .help = "a signal of the model and the column that it is measured in"},
    {.name = "--time",
     .kind = ARG_TEXT,
     .value = "COLUMN",
     .offset = AT(time),
     .help = "the column of times (default: t or time, else the first)"},
    {.name = "--offset",
     .kind = ARG_TEXT,
     .value = "RANGE",
     .offset = AT(offset),
     .help = "range of an unknown time that is added to the times of each file: '-10 ms:10 ms'"},
    {.name = "--loss",
     .kind = ARG_TEXT,
     .value = "KIND",
     .offset = AT(loss),
     .help = "squares, or huber, which bounds the influence of outliers (default: squares)"},
    FIT_ARGS,
};
#undef AT

static int identify_command(int argc, char **argv);
const command command_identify = {
    "identify",
    "Fit parameters of a model to measured traces, with confidence intervals.",
    "Least squares from the best of many points of the ranges. Runs that fail are counted and do not end the fit.\n"
    "Prints values, 95 % intervals, correlation and residuals, and says which parameters the data cannot separate.\n"
    "Exit code 0 if a result was found, 1 if every trial run failed, 130 if interrupted.",
    identify_table,
    sizeof identify_table / sizeof *identify_table,
    identify_command};

// `FILE,weight=2`. The name of the file is copied. Returns false after complaining.
static bool read_data(const char *text, bool hold_out, carom_fit_data *to) {
  static const char key[] = ",weight=";
  const char *comma = strstr(text, key);
  char *rest = NULL;
  *to = (carom_fit_data){.hold_out = hold_out, .weight = comma ? strtod(comma + strlen(key), &rest) : 1};
  if (comma && (rest == comma + strlen(key) || *rest || !(to->weight > 0))) {
    usage_error("identify", "'%s': the weight must be a positive number", text);
    return false;
  }
  to->file = strndup(text, comma ? (size_t)(comma - text) : strlen(text));
  if (!to->file) tell_out_of_memory();
  return to->file != NULL;
}

static int identify(const identify_args *a) {
  const int count = a->data.count + a->hold_out.count;
  carom_fit_data *data = calloc((size_t)count + 1, sizeof *data);
  if (!data) return tell_out_of_memory();
  int code = -1;
  if (!a->data.count) code = usage_error("identify", "there are no data: give --data FILE");
  else if (!a->match.count) code = usage_error("identify", "nothing is matched: give --match SIGNAL=COLUMN");
  for (int i = 0; i < count && code < 0; i++) {
    const bool hold_out = i >= a->data.count;
    if (!read_data(hold_out ? a->hold_out.items[i - a->data.count] : a->data.items[i], hold_out, &data[i]))
      code = EXIT_USAGE;
  }
  carom_fit_options o = {.data = data,
                         .data_count = count,
                         .match = a->match.items,
                         .match_count = a->match.count,
                         .time = a->time,
                         .offset = a->offset,
                         .loss = a->loss};
  if (code < 0) code = fit_run("identify", &a->common, &o, carom_identify);
  for (int i = 0; i < count; i++) free((char *)data[i].file);
  free(data);
  return code;
}

static int identify_command(int argc, char **argv) {
  const size_t room = (size_t)argc + 1;
  identify_args a = {.data.items = calloc(room, sizeof *a.data.items),
                     .hold_out.items = calloc(room, sizeof *a.hold_out.items)};
  int code = a.data.items && a.hold_out.items ? args_parse(&command_identify, argc, argv, &a) : tell_out_of_memory();
  if (code < 0) code = identify(&a);
  settings_free(&a.common.settings), settings_free(&a.common.fit), settings_free(&a.match);
  free(a.data.items), free(a.hold_out.items);
  return code;
}
