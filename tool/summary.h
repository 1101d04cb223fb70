// The summary of a run, for people.
#ifndef TOOL_SUMMARY_H
#define TOOL_SUMMARY_H

#include <stdio.h>

#include "carom/carom.h"

typedef struct summary_files {
  const char *record, *csv, *report;  // where the results are; null: nowhere
} summary_files;

void summary_print(FILE *to, const char *model_path, const carom_model *model, const carom_summary *summary,
                   const summary_files *files);
// The warnings one by one, a line each with `indent` before it. Returns how many there are; a null stream only counts.
int summary_warnings(FILE *to, const char *indent, const carom_model *model, const carom_summary *summary);
// What is written in the model and has no effect, a line each. No warning: nothing is wrong with the run.
void summary_notes(FILE *to, const char *indent, const carom_model *model);

#endif
