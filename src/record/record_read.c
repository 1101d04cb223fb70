#define _GNU_SOURCE  // open file description locks
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "record/disk.h"
#include "record/hdf5_errors.h"
#include "record/record.h"

typedef struct stored_table {
  record_table about;
  hid_t dataset;
} stored_table;

struct record_reader {
  arena memory;
  const char *path;
  disk *disk;
  hid_t file;
  bool growing;  // opened beside its writer, or left unfinished by it
  stored_table *tables;
  int table_count, table_capacity;
  record_text *texts;
  int text_count, text_capacity;
};

void record_skip_exit_handler(void) { H5dont_atexit(); }

static void close_id(hid_t id, herr_t (*close)(hid_t)) {
  if (id >= 0) close(id);
}

// What HDF5 says of a file that ends too early.
static bool report_cut_off(const record_reader *r, const hdf5_errors *q, carom_error *error) {
  unsigned long long there, whole;
  if (sscanf(q->reason, "truncated file: eof = %llu, sblock->base_addr = %*u, stored_eof = %llu", &there, &whole) != 2)
    return false;
  error_set(error, CAROM_ERROR_FILE,
            "cannot read %s: it is cut off, with %llu of its %llu bytes; copy it again, or run the model again",
            r->path, there, whole);
  return true;
}

static carom_status report(const record_reader *r, const hdf5_errors *q, carom_error *error) {
  if (!r->disk->trouble[0] && report_cut_off(r, q, error)) return CAROM_ERROR_FILE;
  const char *reason = r->disk->trouble[0] ? r->disk->trouble : q->reason[0] ? q->reason : "damaged";
  return error_set(error, CAROM_ERROR_FILE, "cannot read %s: %s", r->path, reason);
}

// The first bytes of an HDF5 file in the newest format: signature, version, sizes, flags.
enum { HEAD_FLAGS = 11, HEAD_SIZE = 12, FLAG_WRITING = 1, FLAG_SHARED = 4 };

// Reads the flags that tell whether a writer is at work, or was killed at it; a negative number after reporting.
// HDF5 wants to know this before it opens the file.
static int peek_flags(const char *path, carom_error *error) {
  unsigned char head[HEAD_SIZE];
  struct stat info;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool there = fd >= 0 && fstat(fd, &info) == 0;
  if (there && S_ISDIR(info.st_mode)) errno = EISDIR;
  ssize_t n = there && !S_ISDIR(info.st_mode) ? pread(fd, head, sizeof head, 0) : -1;
  int reason = errno;
  if (fd >= 0) close(fd);
  if (n < 0) error_set(error, CAROM_ERROR_FILE, "cannot read %s: %s", path, strerror(reason));
  else if (n < HEAD_SIZE || memcmp(head, "\211HDF\r\n\032\n", 8) != 0)
    error_set(error, CAROM_ERROR_FILE,
              "%s is not a carom record: it is not an HDF5 file; 'carom run MODEL' makes records", path);
  else return head[HEAD_FLAGS] & (FLAG_WRITING | FLAG_SHARED);
  return -1;
}

// Beside a writer HDF5 tries again when a checksum does not fit, waiting 1, 2, 4 ... ns. A write in progress is over
// after a few of these; its own limit of 100 attempts would outlast us all on a damaged file. This one makes 0.03 s.
enum { READ_ATTEMPTS = 25 };

// A writer may start or finish between the look at the flags and the opening; then we look again.
static bool open_file(record_reader *r, hdf5_errors *q, carom_error *error) {
  hid_t access = disk_access(r->disk);
  int flags = peek_flags(r->path, error);
  if (access >= 0) H5Pset_metadata_read_attempts(access, READ_ATTEMPTS);
  for (int attempt = 0; access >= 0 && flags >= 0 && attempt < 3; attempt++) {
    q->reason[0] = '\0';
    r->growing = flags == (FLAG_WRITING | FLAG_SHARED);
    r->file = H5Fopen(r->path, H5F_ACC_RDONLY | (r->growing ? H5F_ACC_SWMR_READ : 0), access);
    int flags_now = r->file < 0 ? peek_flags(r->path, error) : flags;
    if (flags_now == flags) break;
    flags = flags_now;
  }
  close_id(access, H5Pclose);
  if (r->file < 0 && flags == FLAG_WRITING)
    error_set(error, CAROM_ERROR_FILE,
              "cannot read %s: the run that writes it has just started, or was killed while starting", r->path);
  else if (r->file < 0) report(r, q, error);
  return r->file >= 0;
}

// Size of one string of a type of fixed-size strings; 0 for any other type. Closes the type.
static size_t string_size(hid_t type) {
  size_t size = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 ? H5Tget_size(type) : 0;
  close_id(type, H5Tclose);
  return size;
}

static bool read_raw_attribute(hid_t attribute, void *bytes) {
  hid_t type = H5Aget_type(attribute);
  bool done = type >= 0 && H5Aread(attribute, type, bytes) >= 0;
  close_id(type, H5Tclose);
  return done;
}

static hssize_t attribute_length(hid_t attribute) {
  hid_t space = H5Aget_space(attribute);
  hssize_t length = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  close_id(space, H5Sclose);
  return length;
}

static bool is_ours(hid_t file) {
  int version = 0;
  if (H5Aexists(file, "carom_record") <= 0) return false;
  hid_t attribute = H5Aopen(file, "carom_record", H5P_DEFAULT);
  bool read = attribute >= 0 && attribute_length(attribute) == 1 && H5Aread(attribute, H5T_NATIVE_INT, &version) >= 0;
  close_id(attribute, H5Aclose);
  return read && version == 1;
}

// What a dataset takes in the file, whatever its header says.
static double stored_bytes(const record_reader *r, hid_t dataset) {
  hsize_t whole = 0, stored = H5Dget_storage_size(dataset);
  if (H5Fget_filesize(r->file, &whole) < 0) return 0;
  return (double)(stored < whole ? stored : whole);
}

// A few bytes may claim billions of rows. Deflate makes at most a thousand bytes of one; a writer that is at work, or
// was killed, may be rows ahead of what has reached the file.
static bool holds_its_rows(const record_reader *r, hid_t dataset, const hsize_t extent[2]) {
  static const double deflate_most = 1100, ahead_most = 4 << 20;
  hid_t layout = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
  double number = type >= 0 ? (double)H5Tget_size(type) : 0,
         factor = layout >= 0 && H5Pget_nfilters(layout) > 0 ? deflate_most : 1;
  close_id(layout, H5Pclose);
  close_id(type, H5Tclose);
  return number * (double)extent[0] * (double)extent[1] <= factor * stored_bytes(r, dataset) + ahead_most;
}

// An array of `count` names; null when the attribute is not that. An allocation may leave this function without
// return: only ids that go with the file are open at that time.
static const char *const *read_names(arena *memory, hid_t dataset, const char *name, int count) {
  hid_t attribute = H5Aexists(dataset, name) > 0 ? H5Aopen(dataset, name, H5P_DEFAULT) : -1;
  if (attribute < 0) return NULL;
  const char **names = NULL;
  size_t size = string_size(H5Aget_type(attribute));
  if (size > 0 && attribute_length(attribute) == count) {
    char *packed = ARENA_ARRAY(memory, char, ((size_t)count * size));
    if (read_raw_attribute(attribute, packed)) {
      names = ARENA_ARRAY(memory, const char *, count);
      char *texts = ARENA_ARRAY(memory, char, ((size_t)count * (size + 1)));
      for (int i = 0; i < count; i++)
        names[i] = memcpy(texts + (size_t)i * (size + 1), packed + (size_t)i * size, size);
    }
  }
  H5Aclose(attribute);
  return names;
}

// Rows and columns; false when it is not a table of numbers.
static bool get_extent(hid_t dataset, hsize_t extent[2]) {
  hid_t space = H5Dget_space(dataset);
  bool flat = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
              H5Sget_simple_extent_dims(space, extent, NULL) == 2 && extent[0] <= LONG_MAX && extent[1] > 0 &&
              extent[1] <= INT_MAX;
  close_id(space, H5Sclose);
  return flat;
}

static bool holds_numbers(hid_t dataset) {
  hid_t type = H5Dget_type(dataset);
  bool numbers = type >= 0 && H5Tget_class(type) == H5T_FLOAT;
  close_id(type, H5Tclose);
  return numbers;
}

static bool is_single(hid_t dataset) {
  hid_t type = H5Dget_type(dataset);
  bool single = type >= 0 && H5Tget_size(type) < sizeof(double);
  close_id(type, H5Tclose);
  return single;
}

// Datasets that others have added to the file and that are not tables of ours are passed over.
static bool read_table(record_reader *r, const char *name) {
  hsize_t extent[2];
  hid_t dataset = H5Dopen2(r->file, name, H5P_DEFAULT);
  if (dataset < 0) return false;
  const char *const *columns = NULL, *const *units = NULL, *const *sampling = NULL;
  if (holds_numbers(dataset) && get_extent(dataset, extent)) {
    columns = read_names(&r->memory, dataset, "columns", (int)extent[1]);
    units = read_names(&r->memory, dataset, "units", (int)extent[1]);
    sampling = read_names(&r->memory, dataset, "sampling", (int)extent[1]);
  }
  if (!columns || !units) return H5Dclose(dataset) >= 0;
  if (!holds_its_rows(r, dataset, extent)) return false;
  stored_table *t = ARENA_PUSH(&r->memory, r->tables, r->table_count, r->table_capacity);
  *t = (stored_table){{name, columns, units, (int)extent[1], sampling, .single = is_single(dataset)}, dataset};
  return true;
}

static bool read_raw_dataset(hid_t dataset, void *bytes) {
  hid_t type = H5Dget_type(dataset);
  bool done = type >= 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0;
  close_id(type, H5Tclose);
  return done;
}

static bool is_scalar(hid_t dataset) {
  hid_t space = H5Dget_space(dataset);
  bool scalar = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR;
  close_id(space, H5Sclose);
  return scalar;
}

static bool read_text(record_reader *r, hid_t about, const char *name) {
  hid_t dataset = H5Dopen2(about, name, H5P_DEFAULT);
  if (dataset < 0) return false;
  size_t size = string_size(H5Dget_type(dataset));
  bool done = true;
  if (size > 0 && is_scalar(dataset) && (double)size <= stored_bytes(r, dataset)) {
    char *text = ARENA_ARRAY(&r->memory, char, size + 1);
    done = read_raw_dataset(dataset, text);
    if (done) *ARENA_PUSH(&r->memory, r->texts, r->text_count, r->text_capacity) = (record_text){name, text};
  }
  H5Dclose(dataset);
  return done;
}

// The name of the i-th dataset of a group in order of creation; null when the i-th member is something else, with
// *ok false when it cannot be read.
static const char *dataset_name(arena *memory, hid_t group, hsize_t i, bool *ok) {
  ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
  H5O_info_t info;
  H5L_info_t link;
  *ok = false;
  if (length < 0 || H5Lget_info_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, &link, H5P_DEFAULT) < 0)
    return NULL;
  if (link.type != H5L_TYPE_HARD) return *ok = true, NULL;
  char *name = ARENA_ARRAY(memory, char, length + 1);
  *ok =
      H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, (size_t)length + 1, H5P_DEFAULT) >= 0 &&
      H5Oget_info_by_name(group, name, &info, H5P_DEFAULT) >= 0;
  return *ok && info.type == H5O_TYPE_DATASET ? name : NULL;
}

static bool read_members(record_reader *r, hid_t group, bool texts) {
  H5G_info_t info;
  bool ok = H5Gget_info(group, &info) >= 0;
  for (hsize_t i = 0; ok && i < info.nlinks; i++) {
    const char *name = dataset_name(&r->memory, group, i, &ok);
    if (name) ok = texts ? read_text(r, group, name) : read_table(r, name);
  }
  return ok;
}

static bool read_contents(record_reader *r, const hdf5_errors *q, carom_error *error) {
  if (!is_ours(r->file)) {
    if (q->reason[0]) return report(r, q, error), false;
    return error_set(error, CAROM_ERROR_FILE, "%s is an HDF5 file, but not a carom record", r->path), false;
  }
  hid_t about = H5Gopen2(r->file, "about", H5P_DEFAULT);
  bool done = about >= 0 && read_members(r, r->file, false) && read_members(r, about, true);
  close_id(about, H5Gclose);
  if (!done) report(r, q, error);
  return done;
}

// All allocation happens in here; running out of memory ends it.
static bool load(record_reader *r, const char *path, carom_error *error) {
  hdf5_errors q;
  hdf5_errors_begin(&q);
  jmp_buf out_of_memory;
  r->memory = arena_create(&out_of_memory);
  if (setjmp(out_of_memory)) {
    hdf5_errors_end(&q);
    return error_set(error, CAROM_ERROR_MEMORY, "not enough memory to read %s", path), false;
  }
  r->path = arena_copy_text(&r->memory, path);
  bool done = open_file(r, &q, error) && read_contents(r, &q, error);
  r->memory.out_of_memory = NULL;
  hdf5_errors_end(&q);
  return done;
}

record_reader *record_open(const char *path, carom_error *error) {
  record_reader *r = calloc(1, sizeof *r);
  disk *d = disk_create();
  if (!r || !d) {
    free(r);
    disk_release(d);
    error_set(error, CAROM_ERROR_MEMORY, "not enough memory to read %s", path);
    return NULL;
  }
  *r = (record_reader){.disk = d, .file = -1};
  if (load(r, path, error)) return r;
  record_close(r);
  return NULL;
}

void record_close(record_reader *r) {
  if (!r) return;
  hdf5_errors q;
  hdf5_errors_begin(&q);
  close_id(r->file, H5Fclose);  // and with it all that is open inside
  hdf5_errors_end(&q);
  disk_release(r->disk);
  arena_free(&r->memory);
  free(r);
}

// Each writer holds a lock on the file; it goes with its process.
bool record_is_running(const record_reader *r) {
  struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  return fcntl(r->disk->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

int record_table_count(const record_reader *r) { return r->table_count; }

bool record_is_frame_table(const char *name) {
  static const char *const others[] = {"checkpoint", "checkpoint_pairs", "impacts",     "episodes",
                                       "regimes",    "touches",          "touch_times", "modes"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(name, others[i]) == 0) return false;
  return true;
}

int record_find_table(const record_reader *r, const char *name) {
  for (int i = 0; i < r->table_count; i++)
    if (strcmp(r->tables[i].about.name, name) == 0) return i;
  return -1;
}

int record_find_column(const record_table *t, const char *name) {
  for (int k = 0; k < t->column_count; k++)
    if (strcmp(t->columns[k], name) == 0) return k;
  return -1;
}

record_table record_get_table(const record_reader *r, int table) {
  assert(table >= 0 && table < r->table_count);
  return r->tables[table].about;
}

long record_rows(const record_reader *r, int table) {
  assert(table >= 0 && table < r->table_count);
  hsize_t extent[2];
  hid_t dataset = r->tables[table].dataset;
  hdf5_errors q;
  hdf5_errors_begin(&q);
  bool known = (!r->growing || H5Drefresh(dataset) >= 0) && get_extent(dataset, extent);
  hdf5_errors_end(&q);
  return known ? (long)extent[0] : -1;
}

static bool read_rows(hid_t dataset, long first, const hsize_t count[2], double *rows) {
  hsize_t start[2] = {(hsize_t)first, 0};
  hid_t in_file = H5Dget_space(dataset), in_memory = H5Screate_simple(2, count, NULL);
  bool done = in_file >= 0 && in_memory >= 0 &&
              H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dread(dataset, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, rows) >= 0;
  close_id(in_memory, H5Sclose);
  close_id(in_file, H5Sclose);
  return done;
}

carom_status record_read(record_reader *r, int table, long first, long count, double *rows, carom_error *error) {
  long available = record_rows(r, table);
  const stored_table *t = &r->tables[table];
  if (available < 0)
    return error_set(error, CAROM_ERROR_FILE, "cannot read %s: table %s is damaged", r->path, t->about.name);
  if (first < 0 || count < 0 || first > available - count)
    return error_set(error, CAROM_ERROR_USAGE, "%s: table %s has %ld rows, asked for %ld from row %ld", r->path,
                     t->about.name, available, count, first);
  if (count == 0) return CAROM_OK;
  hsize_t extent[2] = {(hsize_t)count, (hsize_t)t->about.column_count};
  hdf5_errors q;
  hdf5_errors_begin(&q);
  bool done = read_rows(t->dataset, first, extent, rows);
  hdf5_errors_end(&q);
  return done ? CAROM_OK : report(r, &q, error);
}

int record_text_count(const record_reader *r) { return r->text_count; }

record_text record_get_text_at(const record_reader *r, int text) {
  assert(text >= 0 && text < r->text_count);
  return r->texts[text];
}

const char *record_get_text(const record_reader *r, const char *name) {
  for (int i = 0; i < r->text_count; i++)
    if (strcmp(r->texts[i].name, name) == 0) return r->texts[i].text;
  return NULL;
}
