// The public side of files that are written: one guard for the library and for programs that write beside it.
#include "base/error.h"
#include "base/output.h"
#include "build/model_internal.h"
#include "record/own.h"

static const struct {
  const char *words;
  bool (*is_own)(int fd, const void *context);
} kinds[] = {
    [CAROM_FILE_RECORD] = {"a carom record", own_record},
    [CAROM_FILE_CSV] = {OWN_CSV, own_csv},
    [CAROM_FILE_PAGE] = {"a carom report", own_page},
    [CAROM_FILE_COMPARISON] = {"a carom comparison", own_comparison},
    [CAROM_FILE_MODEL] = {"a model file that carom has written", own_model},
};

carom_status carom_output_check(const carom_output *o, carom_error *error) {
  error_clear(error);
  return output_guard(&(output_rule){.path = o->path,
                                     .kind = kinds[o->kind].words,
                                     .is_own = kinds[o->kind].is_own,
                                     .to_standard_output = o->kind == CAROM_FILE_CSV,
                                     .inputs = o->inputs,
                                     .input_count = o->input_count,
                                     .force = o->force},
                      error);
}

carom_status carom_output_write(const carom_output *o, const char *text, size_t length, carom_error *error) {
  carom_error own = {0};
  if (!error) error = &own;
  carom_status status = carom_output_check(o, error);
  return status == CAROM_OK ? output_write(o->path, text, length, error) : status;
}

const char *carom_model_file(const carom_model *model, int i) {
  const carom_def *def = model->def;
  int texts = def && def->text ? def->text->source_count : 0;
  if (i >= 0 && i < texts) return def->text->sources[i]->name;
  i -= texts;
  if (i >= 0 && i < model->drawing.file_count) return model->drawing.files[i]->path;
  i -= model->drawing.file_count;
  return i >= 0 && i < model->table_file_count ? model->table_files[i].path : NULL;
}

const char **model_files(const carom_model *model, arena *memory, int *count) {
  for (*count = 0; carom_model_file(model, *count);) ++*count;
  const char **files = ARENA_ARRAY(memory, const char *, *count + 2);
  for (int i = 0; i < *count; i++) files[i] = carom_model_file(model, i);
  return files;
}
