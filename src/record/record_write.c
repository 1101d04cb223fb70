#define _GNU_SOURCE  // CLOCK_MONOTONIC_COARSE
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "record/disk.h"
#include "record/hdf5_errors.h"
#include "record/record.h"

// The unit of storage and of writing: large enough to stream, small enough for a table of three rows.
enum { CHUNK_BYTES = 256 * 1024, CHUNK_ROWS_MAX = 2048 };

static size_t number_size(const record_table *table) { return table->single ? sizeof(float) : sizeof(double); }

// A table while it is written. Its buffer holds the rows up to the end of the current chunk of the dataset.
typedef struct sheet {
  hid_t dataset;
  int columns;
  long chunk_rows;
  long written;   // rows in the dataset
  long buffered;  // rows in `rows`
  long room;      // rows that `rows` takes before it must be written: never across the end of a chunk
  double *rows;
} sheet;

struct record {
  arena memory;
  const char *name;  // in messages
  disk *disk;
  hid_t file;
  sheet *sheets;
  int sheet_count;
  record_settings settings;
  haddr_t summary_address;
  double last_flush;  // by the clock below [s]
};

record_settings record_settings_default(void) { return (record_settings){.compression = 0, .flush_interval = 1.0}; }

// Ticks every few milliseconds and costs next to nothing to read.
static double coarse_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static carom_status report(const record *r, carom_error *error) {
  return error_set(error, CAROM_ERROR_FILE, "cannot write %s: %s", r->name, r->disk->trouble);
}

// Whatever the reason, nothing more goes to the file: it stays as the last complete flush left it.
static carom_status give_up(record *r, const hdf5_errors *q, carom_error *error) {
  disk_stop(r->disk, q->reason);
  return report(r, error);
}

static void close_id(hid_t id, herr_t (*close)(hid_t)) {
  if (id >= 0) close(id);
}

static hid_t string_type(size_t size, H5T_str_t padding) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 && H5Tset_size(type, size) >= 0 && H5Tset_strpad(type, padding) >= 0 &&
      H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
    return type;
  close_id(type, H5Tclose);
  return -1;
}

static size_t longest(const char *const *texts, int count) {
  size_t size = 1;
  for (int i = 0; texts && i < count; i++) {
    size_t length = strlen(texts[i]);
    if (length > size) size = length;
  }
  return size;
}

// Strings of fixed size lie in the object header under its checksum, so a damaged file is noticed; those of variable
// size would not.
static bool write_names(arena *memory, hid_t dataset, const char *name, const char *const *texts, int count) {
  size_t size = longest(texts, count);
  char *packed = ARENA_ARRAY(memory, char, ((size_t)count * size));
  for (int i = 0; texts && i < count; i++) memcpy(packed + (size_t)i * size, texts[i], strlen(texts[i]));
  hsize_t extent = (hsize_t)count;
  hid_t type = string_type(size, H5T_STR_NULLPAD);
  hid_t space = H5Screate_simple(1, &extent, NULL);
  hid_t attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Awrite(attribute, type, packed) >= 0;
  close_id(attribute, H5Aclose);
  close_id(space, H5Sclose);
  close_id(type, H5Tclose);
  return done;
}

static hid_t table_layout(const sheet *s, int compression) {
  hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t chunk[2] = {(hsize_t)s->chunk_rows, (hsize_t)s->columns};
  bool ready = layout >= 0 && H5Pset_chunk(layout, 2, chunk) >= 0;
  if (compression > 0)
    ready = ready && H5Pset_shuffle(layout) >= 0 && H5Pset_deflate(layout, (unsigned)compression) >= 0;
  else ready = ready && H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER) >= 0;
  if (ready) return layout;
  close_id(layout, H5Pclose);
  return -1;
}

static bool create_table(record *r, const record_table *table, const sheet *s) {
  hsize_t extent[2] = {0, (hsize_t)s->columns}, limit[2] = {H5S_UNLIMITED, (hsize_t)s->columns};
  hid_t layout = table_layout(s, r->settings.compression);
  hid_t space = H5Screate_simple(2, extent, limit);
  hid_t dataset = H5Dcreate2(r->file, table->name, table->single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, space, H5P_DEFAULT,
                             layout, H5P_DEFAULT);
  close_id(space, H5Sclose);
  close_id(layout, H5Pclose);
  close_id(dataset, H5Dclose);
  return dataset >= 0;
}

static bool describe_table(record *r, const record_table *table) {
  hid_t dataset = H5Dopen2(r->file, table->name, H5P_DEFAULT);
  bool done = dataset >= 0 && write_names(&r->memory, dataset, "columns", table->columns, table->column_count) &&
              write_names(&r->memory, dataset, "units", table->units, table->column_count) &&
              (!table->sampling || write_names(&r->memory, dataset, "sampling", table->sampling, table->column_count));
  close_id(dataset, H5Dclose);
  return done;
}

// A scalar string; `address` (may be null) receives its place in the file.
static bool write_text(hid_t about, const char *name, const char *text, size_t size, haddr_t *address) {
  hid_t type = string_type(size, H5T_STR_NULLTERM);
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t dataset = H5Dcreate2(about, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
  if (done && address) done = (*address = H5Dget_offset(dataset)) != HADDR_UNDEF;
  close_id(dataset, H5Dclose);
  close_id(space, H5Sclose);
  close_id(type, H5Tclose);
  return done;
}

// Groups list their members in the order of creation.
static bool keep_order(hid_t creation) {
  return H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0;
}

// The summary gets its room now, so that writing it at the end needs neither new space nor a change of the format's
// structures, and works even when the disk has become full.
static bool write_about(record *r, const record_text *texts, int count) {
  char *summary = ARENA_ARRAY(&r->memory, char, RECORD_SUMMARY_MAX + 1);
  strcpy(summary, "running");
  hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
  hid_t about =
      creation >= 0 && keep_order(creation) ? H5Gcreate2(r->file, "about", H5P_DEFAULT, creation, H5P_DEFAULT) : -1;
  close_id(creation, H5Pclose);
  bool done = about >= 0;
  for (int i = 0; done && i < count; i++)
    done = write_text(about, texts[i].name, texts[i].text, strlen(texts[i].text) + 1, NULL);
  done = done && write_text(about, "summary", summary, RECORD_SUMMARY_MAX + 1, &r->summary_address);
  close_id(about, H5Gclose);
  return done;
}

// By this mark the reader knows our files.
static bool write_version(hid_t file) {
  int version = 1;
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(file, "carom_record", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0;
  close_id(attribute, H5Aclose);
  close_id(space, H5Sclose);
  return done;
}

static bool create_file(record *r, const char *path) {
  hid_t access = disk_access(r->disk), creation = H5Pcreate(H5P_FILE_CREATE);
  if (access >= 0 && creation >= 0 && keep_order(creation)) r->file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
  close_id(creation, H5Pclose);
  close_id(access, H5Pclose);
  return r->file >= 0;
}

// Uncompressed rows go straight to the file, past HDF5's chunk cache: our buffer is cache enough.
static bool open_tables(record *r, const record_table *tables) {
  hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  bool done = access >= 0 && (r->settings.compression > 0 || H5Pset_chunk_cache(access, 0, 0, 0) >= 0);
  for (int i = 0; done && i < r->sheet_count; i++)
    done = (r->sheets[i].dataset = H5Dopen2(r->file, tables[i].name, access)) >= 0;
  close_id(access, H5Pclose);
  return done;
}

// After H5Fstart_swmr_write nothing may be created; others may read. The names come late so that they lie apart from
// the few bytes of a dataset's header that are written again with every flush.
static bool create_contents(record *r, const char *path, const record_table *tables, const record_text *texts,
                            int text_count) {
  bool done = create_file(r, path) && write_version(r->file);
  for (int i = 0; done && i < r->sheet_count; i++) done = create_table(r, &tables[i], &r->sheets[i]);
  done = done && write_about(r, texts, text_count);
  for (int i = 0; done && i < r->sheet_count; i++) done = describe_table(r, &tables[i]);
  done = done && H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0 && !r->disk->dead;
  return done && H5Fstart_swmr_write(r->file) >= 0 && open_tables(r, tables) && !r->disk->dead;
}

static long chunk_rows(const record_table *table) {
  long fitting = CHUNK_BYTES / (long)number_size(table) / table->column_count;
  return fitting < 1 ? 1 : fitting > CHUNK_ROWS_MAX ? CHUNK_ROWS_MAX : fitting;
}

static void prepare_sheet(record *r, sheet *s, const record_table *table) {
  assert(table->column_count > 0);
  s->dataset = -1;
  s->columns = table->column_count;
  s->chunk_rows = s->room = chunk_rows(table);
  s->rows = ARENA_ARRAY(&r->memory, double, (s->chunk_rows * s->columns));
}

static void release(record *r) {
  hdf5_errors q;
  hdf5_errors_begin(&q);
  for (int i = 0; i < r->sheet_count; i++) close_id(r->sheets[i].dataset, H5Dclose);
  if (r->file >= 0 && H5Fclose(r->file) < 0) disk_stop(r->disk, q.reason);
  r->file = -1;
  hdf5_errors_end(&q);
}

static void free_record(record *r) {
  disk_release(r->disk);
  arena_free(&r->memory);
  free(r);
}

// All allocation happens in here; running out of memory ends it.
static bool build(record *r, const char *path, const record_table *tables, int table_count, const record_text *texts,
                  int text_count, carom_error *error) {
  hdf5_errors q;
  hdf5_errors_begin(&q);
  jmp_buf out_of_memory;
  r->memory = arena_create(&out_of_memory);
  if (setjmp(out_of_memory)) {
    disk_stop(r->disk, carom_status_text(CAROM_ERROR_MEMORY));
    hdf5_errors_end(&q);
    return error_set(error, CAROM_ERROR_MEMORY, "not enough memory to record to %s",
                     r->settings.name ? r->settings.name : path),
           false;
  }
  r->name = arena_copy_text(&r->memory, r->settings.name ? r->settings.name : path);
  r->sheets = ARENA_ARRAY(&r->memory, sheet, table_count);
  for (; r->sheet_count < table_count; r->sheet_count++)
    prepare_sheet(r, &r->sheets[r->sheet_count], &tables[r->sheet_count]);
  bool done = create_contents(r, path, tables, texts, text_count);
  if (!done) give_up(r, &q, error);
  r->memory.out_of_memory = NULL;
  hdf5_errors_end(&q);
  return done;
}

record *record_create(const char *path, const record_table *tables, int table_count, const record_text *texts,
                      int text_count, const record_settings *settings, carom_error *error) {
  record *r = calloc(1, sizeof *r);
  disk *d = disk_create();
  if (!r || !d) {
    free(r);
    disk_release(d);
    error_set(error, CAROM_ERROR_MEMORY, "not enough memory to record to %s", path);
    return NULL;
  }
  *r = (record){.disk = d, .file = -1, .settings = settings ? *settings : record_settings_default()};
  if (!build(r, path, tables, table_count, texts, text_count, error)) {
    release(r);
    if (d->emptied) unlink(path);  // neither the old content nor a record: no use to anybody
    free_record(r);
    return NULL;
  }
  r->last_flush = coarse_time();
  return r;
}

// The new rows, from the buffer into the grown dataset.
static bool write_rows(const sheet *s) {
  hsize_t extent[2] = {(hsize_t)(s->written + s->buffered), (hsize_t)s->columns};
  hsize_t start[2] = {(hsize_t)s->written, 0}, count[2] = {(hsize_t)s->buffered, (hsize_t)s->columns};
  if (H5Dset_extent(s->dataset, extent) < 0) return false;
  hid_t in_file = H5Dget_space(s->dataset), in_memory = H5Screate_simple(2, count, NULL);
  bool done = in_file >= 0 && in_memory >= 0 &&
              H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dwrite(s->dataset, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, s->rows) >= 0;
  close_id(in_memory, H5Sclose);
  close_id(in_file, H5Sclose);
  return done;
}

// Flushing along with each chunk keeps rows and their bookkeeping together on disk: when the next chunk finds no
// space, none of those before it is lost.
static bool write_sheet(const disk *d, sheet *s) {
  if (s->buffered == 0) return true;
  if (!write_rows(s) || H5Dflush(s->dataset) < 0 || d->dead) return false;
  s->written += s->buffered;
  s->buffered = 0;
  s->room = s->chunk_rows - s->written % s->chunk_rows;
  return true;
}

static carom_status write_sheets(record *r, sheet *sheets, int count, carom_error *error) {
  if (r->disk->dead) return report(r, error);
  hdf5_errors q;
  hdf5_errors_begin(&q);
  bool done = true;
  for (int i = 0; done && i < count; i++) done = write_sheet(r->disk, &sheets[i]);
  carom_status status = done ? CAROM_OK : give_up(r, &q, error);
  hdf5_errors_end(&q);
  return status;
}

carom_status record_flush(record *r, carom_error *error) {
  carom_status status = write_sheets(r, r->sheets, r->sheet_count, error);
  r->last_flush = coarse_time();
  return status;
}

double *record_next(record *r, int table) {
  assert(table >= 0 && table < r->sheet_count);
  const sheet *s = &r->sheets[table];
  return s->rows + s->buffered * s->columns;
}

carom_status record_put(record *r, int table, carom_error *error) {
  if (r->disk->dead) return report(r, error);
  sheet *s = &r->sheets[table];
  if (++s->buffered < s->room) return CAROM_OK;
  carom_status status = write_sheets(r, s, 1, error);
  if (status != CAROM_OK) s->buffered = 0;  // nothing is written any more, and there is a place for what still comes
  return status;
}

carom_status record_flush_due(record *r, carom_error *error) {
  return coarse_time() - r->last_flush >= r->settings.flush_interval ? record_flush(r, error) : CAROM_OK;
}

carom_status record_append(record *r, int table, const double *row, carom_error *error) {
  if (r->disk->dead) return report(r, error);
  memcpy(record_next(r, table), row, (size_t)r->sheets[table].columns * sizeof *row);
  carom_status status = record_put(r, table, error);
  return status == CAROM_OK ? record_flush_due(r, error) : status;
}

static carom_status close_record(record *r, const char *summary, carom_error *error) {
  record_flush(r, error);
  if (summary) disk_write_at(r->disk, r->summary_address, summary, strlen(summary) + 1);
  release(r);
  carom_status status = r->disk->dead ? report(r, error) : CAROM_OK;
  free_record(r);
  return status;
}

carom_status record_finish(record *r, const char *summary, carom_error *error) {
  if (strlen(summary) <= RECORD_SUMMARY_MAX) return close_record(r, summary, error);
  error_set(error, CAROM_ERROR_USAGE, "the summary of %s is longer than %d bytes", r->name, RECORD_SUMMARY_MAX);
  close_record(r, NULL, error);
  return CAROM_ERROR_USAGE;
}

void record_abandon(record *r) {
  if (r) close_record(r, NULL, NULL);
}

// --- sizes -----------------------------------------------------------------------------------------------------------

// Chunks are written whole. Each has an entry in an index; names stand in the header of the table, each as long as the
// longest.
double record_table_size(const record_table *table, double rows) {
  enum { HEADER = 1024, ENTRY = 16 };
  double chunk = (double)chunk_rows(table), chunks = ceil(rows / chunk),
         width = (double)number_size(table) * table->column_count;
  double names = (double)(longest(table->columns, table->column_count) + longest(table->units, table->column_count) +
                          longest(table->sampling, table->column_count));
  return HEADER + names * table->column_count + chunks * (chunk * width + ENTRY);
}

double record_text_size(double length) {
  enum { HEADERS = 16 * 1024 };
  return HEADERS + length + RECORD_SUMMARY_MAX;
}
