// The files that a command writes, checked before it begins.
#ifndef TOOL_OUTPUTS_H
#define TOOL_OUTPUTS_H

#include "carom/carom.h"

enum { OUTPUTS_MAX = 16, INPUTS_MAX = 256 };

typedef struct output_list {
  bool force;                        // replace files of other kinds
  const char *inputs[INPUTS_MAX];    // and what the command writes itself, which no other output may be
  int input_count;
  struct {
    const char *path;
    carom_file kind;
  } items[OUTPUTS_MAX];
  int count;
} output_list;

void outputs_add(output_list *list, const char *path, carom_file kind);  // a null path is left out
void outputs_spare(output_list *list, const char *input);                // an input that is read; likewise
void outputs_spare_model(output_list *list, const carom_model *model);   // every file of a model
// Checks each path against all inputs and the outputs before it. Returns -1 to go on, or the exit code after complaining.
int outputs_check(const output_list *list);

#endif
