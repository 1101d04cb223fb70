#include "outputs.h"

#include <stdio.h>
#include <stdlib.h>

#include "talk.h"

typedef struct output_entry {
  const char *path;
  bool is_output;
  carom_file kind;  // of an output
} output_entry;

static void add_entry(output_list *list, output_entry e) {
  if (!e.path || list->out_of_memory) return;
  if (list->count == list->capacity) {
    int capacity = list->capacity ? 2 * list->capacity : 16;
    output_entry *more = realloc(list->entries, (size_t)capacity * sizeof *more);
    if (!more) {
      list->out_of_memory = true;
      return;
    }
    list->entries = more, list->capacity = capacity;
  }
  list->entries[list->count++] = e;
}

void outputs_spare(output_list *list, const char *input) { add_entry(list, (output_entry){.path = input}); }

void outputs_spare_model(output_list *list, const carom_model *model) {
  const char *file;
  for (int i = 0; (file = carom_model_file(model, i)); i++) outputs_spare(list, file);
}

void outputs_add(output_list *list, const char *path, carom_file kind) {
  add_entry(list, (output_entry){.path = path, .is_output = true, .kind = kind});
}

static int check_each(const output_list *list, const char **before) {
  for (int i = 0; i < list->count; i++) {
    const output_entry *e = &list->entries[i];
    carom_output o = {.path = e->path, .kind = e->kind, .inputs = before, .input_count = i, .force = list->force};
    carom_error error = {0};
    if (e->is_output && carom_output_check(&o, &error) != CAROM_OK) return tell_error(&error);
    before[i] = e->path;
  }
  return -1;
}

int outputs_check(output_list *list) {
  const char **before = list->out_of_memory ? NULL : calloc((size_t)list->count + 1, sizeof *before);
  int code = before ? check_each(list, before) : tell_out_of_memory();
  free(before);
  free(list->entries);
  *list = (output_list){.force = list->force};
  return code;
}
