#include "outputs.h"

#include <stdio.h>
#include <string.h>

#include "talk.h"

void outputs_add(output_list *list, const char *path, carom_file kind) {
  if (!path || list->count == OUTPUTS_MAX) return;
  list->items[list->count].path = path;
  list->items[list->count++].kind = kind;
}

void outputs_spare(output_list *list, const char *input) {
  if (input && list->input_count < INPUTS_MAX) list->inputs[list->input_count++] = input;
}

void outputs_spare_model(output_list *list, const carom_model *model) {
  const char *file;
  for (int i = 0; (file = carom_model_file(model, i)); i++) outputs_spare(list, file);
}

int outputs_check(const output_list *list) {
  const char *taken[INPUTS_MAX + OUTPUTS_MAX];
  int count = list->input_count;
  memcpy(taken, list->inputs, (size_t)count * sizeof *taken);
  for (int i = 0; i < list->count; i++) {
    carom_output o = {.path = list->items[i].path, .kind = list->items[i].kind, .inputs = taken, .input_count = count, .force = list->force};
    carom_error error = {0};
    if (carom_output_check(&o, &error) != CAROM_OK) return tell_error(&error);
    taken[count++] = list->items[i].path;
  }
  return -1;
}
