// MAT files of level 5: a struct for each table, with a field for each column, and two cells with the names and units
// of the columns as the record has them. The format is that of MathWorks' "MAT-File Format": a header of 128 bytes,
// then elements of a type, a size and data, padded to eight bytes.
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "export_form.h"

enum { MI_INT8 = 1, MI_INT32 = 5, MI_UINT32 = 6, MI_DOUBLE = 9, MI_MATRIX = 14, MI_UTF8 = 16 };
enum { CLASS_CELL = 1, CLASS_STRUCT = 2, CLASS_CHAR = 4, CLASS_DOUBLE = 6 };
enum { NAME = 64, ROWS_AT_ONCE = 1024, EXTRA = 2 };  // bytes of a field's name, with its zero; names and units
static const double MOST = 2147483647.0 - 4096;      // bytes of one variable

// --- elements --------------------------------------------------------------------------------------------------------

static void put_bytes(export_job *j, const void *bytes, size_t size) {
  static const char zeros[8] = {0};
  fwrite(bytes, 1, size, j->file);
  fwrite(zeros, 1, (8 - size % 8) % 8, j->file);
}

static void put_tag(export_job *j, uint32_t type, uint32_t size) {
  const uint32_t tag[2] = {type, size};
  fwrite(tag, sizeof tag, 1, j->file);
}

static void put_element(export_job *j, uint32_t type, const void *bytes, uint32_t size) {
  put_tag(j, type, size);
  put_bytes(j, bytes, size);
}

static uint32_t padded(uint32_t size) { return 8 + (size + 7) / 8 * 8; }

// Flags, dimensions and name of a matrix, and how long they are.
static uint32_t head_size(const char *name) { return padded(8) + padded(8) + padded((uint32_t)strlen(name)); }

static void put_head(export_job *j, uint32_t class, uint32_t rows, uint32_t columns, const char *name, uint32_t rest) {
  const uint32_t flags[2] = {class, 0};
  const int32_t dims[2] = {(int32_t)rows, (int32_t)columns};
  put_tag(j, MI_MATRIX, head_size(name) + rest);
  put_element(j, MI_UINT32, flags, sizeof flags);
  put_element(j, MI_INT32, dims, sizeof dims);
  put_element(j, MI_INT8, name, (uint32_t)strlen(name));
}

static int count_characters(const char *text) {
  int count = 0;
  for (; *text; text++) count += (*text & 0xC0) != 0x80;
  return count;
}

static uint32_t text_size(const char *name, const char *text) {
  return 8 + head_size(name) + padded((uint32_t)strlen(text));
}

static void put_text(export_job *j, const char *name, const char *text) {
  const uint32_t length = (uint32_t)strlen(text);
  put_head(j, CLASS_CHAR, length > 0, (uint32_t)count_characters(text), name, padded(length));
  put_element(j, MI_UTF8, text, length);
}

static uint32_t texts_size(const char *const *texts, int count) {
  uint32_t size = 8 + head_size("");
  for (int i = 0; i < count; i++) size += text_size("", texts ? texts[i] : "");
  return size;
}

static void put_texts(export_job *j, const char *const *texts, int count) {
  put_head(j, CLASS_CELL, (uint32_t)count, 1, "", texts_size(texts, count) - 8 - head_size(""));
  for (int i = 0; i < count; i++) put_text(j, "", texts ? texts[i] : "");
}

// --- names -----------------------------------------------------------------------------------------------------------

// Letters, digits and underscores, a letter first.
static void make_name(const char *from, char to[NAME]) {
  int used = 0;
  if (!isalpha((unsigned char)*from)) to[used++] = 'x';
  for (; *from && used < NAME - 8; from++) to[used++] = isalnum((unsigned char)*from) ? *from : '_';
  to[used] = 0;
}

// The names of all fields, each once: those that become the same get a number.
static char *make_fields(export_job *j, const record_table *t) {
  char *names = ARENA_ARRAY(&j->memory, char, (size_t)(t->column_count + EXTRA) * NAME);
  for (int i = 0; i < t->column_count; i++) {
    char *name = names + (size_t)i * NAME;
    make_name(t->columns[i], name);
    const size_t length = strlen(name);
    for (int k = 0, number = 2; k < i; k++)
      if (strcmp(names + (size_t)k * NAME, name) == 0) snprintf(name + length, NAME - length, "_%d", number++), k = -1;
  }
  strcpy(names + (size_t)t->column_count * NAME, "column_names");
  strcpy(names + (size_t)(t->column_count + 1) * NAME, "column_units");
  return names;
}

// --- tables ----------------------------------------------------------------------------------------------------------

// Columns are filled block by block: each has its place in the file.
static carom_status fill_columns(export_job *j, int table, long rows, int columns, const long *at) {
  double *block = ARENA_ARRAY(&j->memory, double, (size_t)columns *ROWS_AT_ONCE),
         *column = ARENA_ARRAY(&j->memory, double, ROWS_AT_ONCE);
  for (long first = 0; first < rows; first += ROWS_AT_ONCE) {
    const long count = rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE;
    if (record_read(j->in, table, first, count, block, j->error) != CAROM_OK) return j->error->status;
    for (int k = 0; k < columns; k++) {
      for (long i = 0; i < count; i++) column[i] = block[i * columns + k];
      fseek(j->file, at[k] + first * (long)sizeof(double), SEEK_SET);
      fwrite(column, sizeof *column, (size_t)count, j->file);
    }
  }
  fseek(j->file, 0, SEEK_END);
  return CAROM_OK;
}

static carom_status put_table(export_job *j, int table) {
  const record_table t = record_get_table(j->in, table);
  const long rows = record_rows(j->in, table);
  const int fields = t.column_count + EXTRA;
  const double column = 8 + head_size("") + 8 + 8.0 * (double)rows;
  const uint32_t texts = texts_size(t.columns, t.column_count) + texts_size(t.units, t.column_count);
  const double size = column * t.column_count + texts + (double)NAME * fields + 16;
  if (size > MOST)
    return error_set(
        j->error, CAROM_ERROR_USAGE,
        "table '%s' takes %.3g GB, and a variable of a MAT file of level 5 has at most 2 GB: read the HDF5 "
        "file '%s' instead (h5read in MATLAB), or export one table with --table",
        t.name, size * 1e-9, j->run);
  char name[NAME];
  long *at = ARENA_ARRAY(&j->memory, long, t.column_count + 1);
  make_name(t.name, name);
  put_head(j, CLASS_STRUCT, 1, 1, name, (uint32_t)size);
  const uint32_t small[2] = {4u << 16 | MI_INT32, NAME};
  fwrite(small, sizeof small, 1, j->file);
  put_element(j, MI_INT8, make_fields(j, &t), (uint32_t)(NAME * fields));
  for (int k = 0; k < t.column_count; k++) {
    put_head(j, CLASS_DOUBLE, (uint32_t)rows, 1, "", 8 + (uint32_t)rows * 8);
    put_tag(j, MI_DOUBLE, (uint32_t)rows * 8);
    at[k] = ftell(j->file);
    if (rows) fseek(j->file, (rows - 1) * 8, SEEK_CUR), fwrite(&(double){0}, sizeof(double), 1, j->file);
  }
  put_texts(j, t.columns, t.column_count);
  put_texts(j, t.units, t.column_count);
  return fill_columns(j, table, rows, t.column_count, at);
}

static void put_file_header(export_job *j) {
  char text[116];
  const uint16_t version[2] = {0x0100, 'M' << 8 | 'I'};
  const int used = snprintf(text, sizeof text, "MATLAB 5.0 MAT-file, %s %s", EXPORT_MARK, CAROM_VERSION);
  memset(text + used, ' ', sizeof text - (size_t)used);
  fwrite(text, sizeof text, 1, j->file);
  fwrite(&(uint64_t){0}, sizeof(uint64_t), 1, j->file);
  fwrite(version, sizeof version, 1, j->file);
}

static bool is_wanted(const export_job *j, const char *name) {
  if (j->options->table) return strcmp(name, j->options->table) == 0;
  return strncmp(name, "checkpoint", strlen("checkpoint")) != 0;
}

carom_status export_mat(export_job *j) {
  const char *title = record_get_text(j->in, "title");
  int found = 0;
  for (int i = 0; i < record_table_count(j->in); i++) found += is_wanted(j, record_get_table(j->in, i).name);
  if (!found)
    return error_set(j->error, CAROM_ERROR_USAGE, "there is no table '%s'; 'carom export %s --tables' lists them",
                     j->options->table ? j->options->table : "", j->run);
  if (!export_open(j, j->path, "a MAT file of carom")) return j->error->status;
  put_file_header(j);
  put_text(j, "title", title ? title : "");
  carom_status status = CAROM_OK;
  for (int i = 0; i < record_table_count(j->in) && status == CAROM_OK; i++)
    if (is_wanted(j, record_get_table(j->in, i).name)) status = put_table(j, i);
  return export_close(j, status);
}
