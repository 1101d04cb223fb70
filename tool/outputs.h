// The files that a command writes, checked before it begins.
#ifndef TOOL_OUTPUTS_H
#define TOOL_OUTPUTS_H

#include "carom/carom.h"

typedef struct output_list {
  bool force;                    // replace files of other kinds
  struct output_entry *entries;  // inputs and outputs in the order in which they were added
  int count, capacity;
  bool out_of_memory;
} output_list;

// A path that is read or written; a null path is left out. The paths must outlive the check.
void outputs_spare(output_list *list, const char *input);
void outputs_spare_model(output_list *list, const carom_model *model);  // every file of a model
void outputs_add(output_list *list, const char *path, carom_file kind);
// Checks each output against all paths that were added before it, and frees the list. Returns -1 to go on, or the exit
// code after complaining.
int outputs_check(output_list *list);

#endif
