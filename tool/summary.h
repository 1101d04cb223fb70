// The summary of a run, for people.
#ifndef TOOL_SUMMARY_H
#define TOOL_SUMMARY_H

#include <stdio.h>

#include "args.h"
#include "carom/carom.h"

typedef struct summary_files {
  const char *record, *csv, *report;  // where the results are; each may be null
  const char *end;                    // as given on the command line, to be given again; NULL if not given
  const setting_list *settings;
} summary_files;

void summary_print(FILE *to, const char *model_path, const carom_model *model, const carom_summary *summary,
                   const carom_verdict *verdict, const summary_files *files);
// The lines of the verdict that are not good, with `indent` before each. Returns how many there are; a null stream only
// counts.
int summary_warnings(FILE *to, const char *indent, const carom_model *model, const carom_verdict *verdict);
// What is known before a run: a start that had to give way, laws beyond their range.
int summary_model_warnings(FILE *to, const char *indent, const carom_model *model);
// What is written in the model and has no effect, a line each. No warning: nothing is wrong with the run.
void summary_notes(FILE *to, const char *indent, const carom_model *model);

#endif
