// Records in the forms of other programs: which there are, and their files.
#include "export_form.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/word.h"

static const struct {
  const char *name;
  carom_status (*write)(export_job *j);
} forms[] = {{"csv", NULL}, {"mat", export_mat}, {"gltf", export_gltf}, {"vtk", export_vtk}};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

// --- files -----------------------------------------------------------------------------------------------------------

static bool is_own(int fd, const void *unused) {
  (void)unused;
  return output_contains(fd, 4096, EXPORT_MARK);
}

bool export_open(export_job *j, const char *path, const char *kind) {
  const output_rule rule = {
      .path = path, .kind = kind, .is_own = is_own, .inputs = &j->run, .input_count = 1, .force = j->options->force};
  if (output_guard(&rule, j->error) != CAROM_OK || !output_begin(&j->beside, path, j->error)) return false;
  j->file = fopen(j->beside.place, "wb");
  if (j->file) return true;
  error_set(j->error, CAROM_ERROR_FILE, "cannot write '%s': %s", path, strerror(errno));
  output_end(&j->beside, false, j->error);
  return false;
}

carom_status export_close(export_job *j, carom_status status) {
  if (!j->file) return status;
  const bool failed = ferror(j->file) != 0, lost = fclose(j->file) != 0;
  j->file = NULL;
  if ((failed || lost) && status == CAROM_OK)
    status =
        error_set(j->error, CAROM_ERROR_FILE, "cannot write '%s': %s", j->beside.path, strerror(errno ? errno : EIO));
  const carom_status ended = output_end(&j->beside, status == CAROM_OK, j->error);
  return status == CAROM_OK ? ended : status;
}

// --- forms -----------------------------------------------------------------------------------------------------------

static carom_status unknown_form(const char *form, carom_error *error) {
  const char *names[FORM_COUNT];
  for (int i = 0; i < FORM_COUNT; i++) names[i] = forms[i].name;
  const char *near = word_nearest(form, names, FORM_COUNT);
  return error_set(error, CAROM_ERROR_USAGE, "cannot export to '%s'; %s%s%s", form,
                   near ? "did you mean '" : "there are csv, mat, gltf and vtk", near ? near : "", near ? "'?" : "");
}

static carom_status check(const char *form, const char *out, const carom_export_options *o, carom_error *error) {
  if (strcmp(out, "-") == 0)
    return error_set(error, CAROM_ERROR_USAGE, "form '%s' needs a file: it is not written to the standard output",
                     form);
  if (o->units) return error_set(error, CAROM_ERROR_USAGE, "only CSV files have a line of units");
  if (o->table && strcmp(form, "mat") != 0)
    return error_set(error, CAROM_ERROR_USAGE, "form '%s' shows the motion, not a table", form);
  return CAROM_OK;
}

carom_status carom_export(const char *run, const char *form, const char *out, const carom_export_options *options,
                          carom_error *error) {
  static const carom_export_options standard = {0};
  const carom_export_options *o = options ? options : &standard;
  carom_error own;
  int k = 0;
  while (k < FORM_COUNT && strcmp(forms[k].name, form) != 0) k++;
  if (k < FORM_COUNT && !forms[k].write) return carom_export_csv(run, out, o, error);
  export_job j = {.run = run, .path = out, .options = o, .error = error_use(error, &own)};
  if (k == FORM_COUNT) return unknown_form(form, j.error);
  if (check(form, out, o, j.error) != CAROM_OK) return j.error->status;
  jmp_buf out_of_memory;
  carom_status status;
  if (setjmp(out_of_memory)) {
    status = export_close(&j, error_set(j.error, CAROM_ERROR_MEMORY, "out of memory while reading '%s'", run));
  } else {
    j.memory = arena_create(&out_of_memory);
    j.in = record_open(run, j.error);
    status = j.in ? forms[k].write(&j) : j.error->status;
  }
  record_close(j.in);
  arena_free(&j.memory);
  return status;
}
