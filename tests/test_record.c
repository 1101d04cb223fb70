// Records: what is written comes back bit by bit, also beside a running writer, after its death, and
// from a disk that was full; what is damaged is refused with a reason.
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "record/record.h"

enum { JOINTS = 300, EVENTS = 3 };

static const record_settings patient = {.flush_interval = 1e9};  // nothing is flushed because of time
static const char *const event_columns[EVENTS] = {"t", "impulse", "energy"};
static const char *const event_units[EVENTS] = {"s", "N·s", "J"};
static const record_text texts[] = {{"model", "title: Pendulum\nend: 1 s\n"}, {"note", ""}, {"author", "Ørsted"}};

static const char *const *joint_columns(void) {
  static char names[JOINTS][24];
  static const char *pointers[JOINTS];
  for (int i = 0; i < JOINTS && !pointers[JOINTS - 1]; i++) {
    snprintf(names[i], sizeof names[i], "link%d.q", i);
    pointers[i] = names[i];
  }
  return pointers;
}

// A number that says where it belongs, with a full mantissa.
static double entry(int table, long row, int column) { return sin(1.0 + table) * (double)row + cos((double)column); }

static record *create_as(const char *path, const record_settings *settings, carom_error *error) {
  record_table tables[] = {{"joints", joint_columns(), NULL, JOINTS, NULL, false},
                           {"events", event_columns, event_units, EVENTS, NULL, false}};
  return record_create(path, tables, 2, texts, 3, settings, error);
}

static carom_status append_entry(record *r, int table, long row, carom_error *error) {
  double values[JOINTS];
  for (int i = 0; i < (table == 0 ? JOINTS : EVENTS); i++) values[i] = entry(table, row, i);
  return record_append(r, table, values, error);
}

static bool append_entries(record *r, int table, long first, long count) {
  bool done = true;
  for (long k = first; done && k < first + count; k++) done = append_entry(r, table, k, NULL) == CAROM_OK;
  return done;
}

// Whether a table holds exactly these rows, bit by bit.
static bool holds_entries(record_reader *r, int table, long count) {
  if (record_rows(r, table) != count) return false;
  int columns = record_get_table(r, table).column_count;
  double *rows = malloc(((size_t)count * (size_t)columns + 1) * sizeof *rows);
  bool same = record_read(r, table, 0, count, rows, NULL) == CAROM_OK;
  for (long k = 0; same && k < count; k++)
    for (int i = 0; same && i < columns; i++) same = rows[k * columns + i] == entry(table, k, i);
  free(rows);
  return same;
}

// Files and what is open inside them; nothing may be left when a test is over.
static long open_ids(void) { return (long)H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL); }

static void tables_and_texts_come_back(void) {
  carom_error error = {0};
  const char *path = scratch("round.h5");
  record *r = create_as(path, NULL, &error);
  if (!CHECK(r)) return;
  CHECK(append_entries(r, 0, 0, 1234));
  CHECK(append_entries(r, 1, 0, 5));
  CHECK_EQUAL(record_finish(r, "{\"status\": \"done\"}", &error), CAROM_OK);
  record_reader *in = record_open(path, &error);
  if (!CHECK(in)) return;
  CHECK_EQUAL(record_table_count(in), 2);
  CHECK_EQUAL(record_find_table(in, "joints"), 0);  // in order of creation, not of the alphabet
  CHECK_EQUAL(record_find_table(in, "events"), 1);
  CHECK_EQUAL(record_find_table(in, "forces"), -1);
  CHECK(holds_entries(in, 0, 1234));
  CHECK(holds_entries(in, 1, 5));
  record_table events = record_get_table(in, 1);
  CHECK_EQUAL(events.column_count, EVENTS);
  for (int i = 0; i < EVENTS; i++) {
    CHECK_TEXT(events.columns[i], event_columns[i]);
    CHECK_TEXT(events.units[i], event_units[i]);
  }
  CHECK_TEXT(record_get_table(in, 0).columns[JOINTS - 1], "link299.q");
  CHECK_TEXT(record_get_table(in, 0).units[0], "");
  CHECK_EQUAL(record_text_count(in), 4);
  for (int i = 0; i < 3; i++) {
    CHECK_TEXT(record_get_text(in, texts[i].name), texts[i].text);
    CHECK_TEXT(record_get_text_at(in, i).name, texts[i].name);
  }
  CHECK_TEXT(record_get_text(in, "summary"), "{\"status\": \"done\"}");
  CHECK(!record_get_text(in, "absent"));
  CHECK(!record_is_running(in));
  record_close(in);
}

static void part_of_a_table_can_be_read(void) {
  const char *path = scratch("part.h5");
  record *r = create_as(path, NULL, NULL);
  if (!CHECK(r)) return;
  CHECK(append_entries(r, 1, 0, 5000));  // crosses chunks
  CHECK_EQUAL(record_finish(r, "", NULL), CAROM_OK);
  record_reader *in = record_open(path, NULL);
  if (!CHECK(in)) return;
  double rows[4][EVENTS];
  CHECK_EQUAL(record_read(in, 1, 2046, 4, rows[0], NULL), CAROM_OK);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < EVENTS; i++) CHECK(rows[k][i] == entry(1, 2046 + k, i));
  CHECK_EQUAL(record_read(in, 1, 5000, 0, rows[0], NULL), CAROM_OK);
  CHECK_EQUAL(record_read(in, 0, 0, 0, rows[0], NULL), CAROM_OK);  // a table that stayed empty
  carom_error error = {0};
  CHECK_EQUAL(record_read(in, 1, 4999, 2, rows[0], &error), CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.message, "5000 rows");
  CHECK_EQUAL(record_read(in, 1, -1, 1, rows[0], NULL), CAROM_ERROR_USAGE);
  CHECK_EQUAL(record_read(in, 1, 0, -1, rows[0], NULL), CAROM_ERROR_USAGE);
  record_close(in);
}

static void very_wide_tables_work(void) {
  enum { COLUMNS = 40000 };  // a row larger than a chunk, names larger than an object header holds
  char(*names)[24] = malloc(COLUMNS * sizeof *names);
  const char **columns = malloc(COLUMNS * sizeof *columns);
  double *row = malloc(COLUMNS * sizeof *row);
  for (int i = 0; i < COLUMNS; i++) snprintf(names[i], sizeof names[i], "body%d.qw", i), columns[i] = names[i];
  const char *path = scratch("wide.h5");
  record_table table = {"bodies", columns, NULL, COLUMNS, NULL, false};
  record *r = record_create(path, &table, 1, NULL, 0, NULL, NULL);
  CHECK(r);
  for (long k = 0; r && k < 3; k++) {
    for (int i = 0; i < COLUMNS; i++) row[i] = entry(0, k, i);
    CHECK_EQUAL(record_append(r, 0, row, NULL), CAROM_OK);
  }
  if (r) CHECK_EQUAL(record_finish(r, "done", NULL), CAROM_OK);
  record_reader *in = record_open(path, NULL);
  if (CHECK(in)) {
    CHECK(holds_entries(in, 0, 3));
    CHECK_TEXT(record_get_table(in, 0).columns[COLUMNS - 1], "body39999.qw");
  }
  record_close(in);
  free(row), free(columns), free(names);
}

static void compressed_tables_come_back(void) {
  const char *path = scratch("small.h5");
  record_settings squeezed = {.compression = 6, .flush_interval = 0};  // each row rewrites its chunk
  record *r = create_as(path, &squeezed, NULL);
  if (!CHECK(r)) return;
  CHECK(append_entries(r, 0, 0, 250));
  CHECK(append_entries(r, 1, 0, 7));
  CHECK_EQUAL(record_finish(r, "done", NULL), CAROM_OK);
  record_reader *in = record_open(path, NULL);
  if (CHECK(in)) CHECK(holds_entries(in, 0, 250) && holds_entries(in, 1, 7));
  record_close(in);
}

// With HDF5's defaults, as h5py and MATLAB open it.
static void other_programs_find_their_way(void) {
  const char *path = scratch("plain.h5");
  record *r = create_as(path, NULL, NULL);
  if (!CHECK(r)) return;
  CHECK(append_entries(r, 1, 0, 2));
  CHECK_EQUAL(record_finish(r, "done", NULL), CAROM_OK);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (!CHECK(file >= 0)) return;
  hid_t dataset = H5Dopen2(file, "/events", H5P_DEFAULT);
  hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  hsize_t extent[2] = {0};
  CHECK_EQUAL(H5Sget_simple_extent_dims(space, extent, NULL), 2);
  CHECK_EQUAL(extent[0], 2);
  CHECK_EQUAL(extent[1], EVENTS);
  CHECK(H5Tequal(type, H5T_IEEE_F64LE) > 0);
  double rows[2][EVENTS];
  CHECK(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
  CHECK(rows[1][2] == entry(1, 1, 2));
  hid_t units = H5Aopen(dataset, "units", H5P_DEFAULT), names = H5Aget_type(units);
  char packed[EVENTS][4];  // the longest is "N·s", four bytes
  CHECK_EQUAL(H5Tget_size(names), sizeof packed[0]);
  CHECK(H5Tget_cset(names) == H5T_CSET_UTF8);
  CHECK(H5Aread(units, names, packed) >= 0);
  CHECK(memcmp(packed, "s\0\0\0N·sJ\0\0\0", sizeof packed) == 0);
  H5Tclose(names), H5Aclose(units), H5Tclose(type), H5Sclose(space), H5Dclose(dataset);
  dataset = H5Dopen2(file, "/about/model", H5P_DEFAULT);
  type = H5Dget_type(dataset);
  CHECK_EQUAL(H5Tget_size(type), strlen(texts[0].text) + 1);
  H5Tclose(type), H5Dclose(dataset);
  H5Fclose(file);
}

static void places_that_cannot_be_written_are_named(void) {
  static const struct {
    const char *path, *reason;
  } cases[] = {{"/nonexistent/run.h5", "No such file or directory"},
               {"/", "Is a directory"},
               {"", "invalid file name"},
               {"/dev/null/run.h5", "Not a directory"},
               {"/dev/null", "not a regular file"},
               {"/dev/full", "not a regular file"}};
  long before = open_ids();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    carom_error error = {0};
    CHECK(!create_as(cases[i].path, NULL, &error));
    CHECK_EQUAL(error.status, CAROM_ERROR_FILE);
    CHECK_CONTAINS(error.message, cases[i].path);
    CHECK_CONTAINS(error.message, cases[i].reason);
  }
  CHECK_EQUAL(open_ids(), before);
}

static void two_writers_do_not_share_a_file(void) {
  const char *path = scratch("shared.h5");
  carom_error error = {0};
  record *first = create_as(path, NULL, NULL);
  if (!CHECK(first)) return;
  CHECK(append_entries(first, 1, 0, 9));
  CHECK(!create_as(path, NULL, &error));
  CHECK_CONTAINS(error.message, "another run is writing");
  CHECK_EQUAL(record_finish(first, "first", NULL), CAROM_OK);
  record_reader *in = record_open(path, NULL);
  if (CHECK(in)) CHECK(holds_entries(in, 1, 9));
  record_close(in);
  record *second = create_as(path, NULL, NULL);  // later, the file is free to be overwritten
  if (CHECK(second)) CHECK_EQUAL(record_finish(second, "second", NULL), CAROM_OK);
  in = record_open(path, NULL);
  if (CHECK(in)) CHECK(holds_entries(in, 1, 0));
  if (in) CHECK_TEXT(record_get_text(in, "summary"), "second");
  record_close(in);
}

static void long_summaries_are_refused(void) {
  const char *path = scratch("long.h5");
  char *summary = malloc(RECORD_SUMMARY_MAX + 2);
  memset(summary, 'x', RECORD_SUMMARY_MAX + 1);
  summary[RECORD_SUMMARY_MAX] = '\0';
  record *r = create_as(path, NULL, NULL);
  if (CHECK(r)) CHECK_EQUAL(record_finish(r, summary, NULL), CAROM_OK);
  record_reader *in = record_open(path, NULL);
  if (CHECK(in)) CHECK_TEXT(record_get_text(in, "summary"), summary);
  record_close(in);
  summary[RECORD_SUMMARY_MAX] = 'x', summary[RECORD_SUMMARY_MAX + 1] = '\0';
  r = create_as(path, NULL, NULL);
  if (CHECK(r)) CHECK_EQUAL(record_finish(r, summary, NULL), CAROM_ERROR_USAGE);
  in = record_open(path, NULL);
  if (CHECK(in)) CHECK_TEXT(record_get_text(in, "summary"), "running");
  record_close(in);
  free(summary);
}

static void abandoned_records_keep_their_rows(void) {
  const char *path = scratch("abandoned.h5");
  record *r = create_as(path, &patient, NULL);
  if (!CHECK(r)) return;
  CHECK(append_entries(r, 0, 0, 17));
  record_abandon(r);
  record_abandon(NULL);
  record_reader *in = record_open(path, NULL);
  if (CHECK(in)) CHECK(holds_entries(in, 0, 17));
  if (in) CHECK_TEXT(record_get_text(in, "summary"), "running");
  record_close(in);
}

// A reader in this process, beside the writer.
static void flushes_follow_the_clock(void) {
  const char *path = scratch("clock.h5");
  record_settings brisk = {.flush_interval = 0.05};
  record *r = create_as(path, &brisk, NULL);
  if (!CHECK(r)) return;
  record_reader *in = record_open(path, NULL);
  if (!CHECK(in)) {
    record_abandon(r);
    return;
  }
  CHECK(record_is_running(in));
  CHECK(append_entries(r, 0, 0, 1));
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);  // twice the interval: the next row is late
  CHECK(append_entries(r, 1, 0, 1));
  CHECK(holds_entries(in, 0, 1));  // a row of one table takes those of the others along
  CHECK(holds_entries(in, 1, 1));
  record_abandon(r);
  CHECK(!record_is_running(in));
  record_close(in);
  r = create_as(path, &(record_settings){.flush_interval = 0}, NULL);
  in = r ? record_open(path, NULL) : NULL;
  for (long k = 0; CHECK(in) && k < 20; k++) {
    CHECK(append_entries(r, 0, k, 1));
    CHECK_EQUAL(record_rows(in, 0), k + 1);
  }
  record_abandon(r);
  record_close(in);
}

// What another process sees after each flush, told through a pipe. It forks before this one has opened anything.
static void read_along(const char *path, int orders, int answers) {
  long expected;
  record_reader *in = NULL;
  while (read(orders, &expected, sizeof expected) == sizeof expected) {
    if (!in) in = record_open(path, NULL);
    char good = in && holds_entries(in, 0, expected) && record_is_running(in);
    if (write(answers, &good, 1) != 1) break;
  }
  record_close(in);
  _exit(0);
}

static void another_process_reads_along(void) {
  const char *path = scratch("along.h5");
  int orders[2], answers[2];
  if (!CHECK(pipe(orders) == 0 && pipe(answers) == 0)) return;
  pid_t child = fork();
  if (child == 0) {
    close(orders[1]), close(answers[0]);
    read_along(path, orders[0], answers[1]);
  }
  close(orders[0]), close(answers[1]);
  record *r = create_as(path, &patient, NULL);
  CHECK(r);
  long rows = 0;
  // From a single row to several chunks and back, so that flushes fall inside chunks and at their ends.
  static const long steps[] = {0, 1, 1, 50, 57, 109, 500, 1, 2000, 3};
  for (size_t i = 0; r && i < sizeof steps / sizeof *steps; i++) {
    CHECK(append_entries(r, 0, rows, steps[i]));
    rows += steps[i];
    CHECK_EQUAL(record_flush(r, NULL), CAROM_OK);
    char good = 0;
    CHECK(write(orders[1], &rows, sizeof rows) == sizeof rows);
    CHECK(read(answers[0], &good, 1) == 1 && good);
  }
  if (r) CHECK_EQUAL(record_finish(r, "done", NULL), CAROM_OK);
  close(orders[1]), close(answers[0]);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// A reader that does not wait for flushes sees whole rows, never fewer than before.
static void an_unsynchronised_reader_sees_rows_grow(void) {
  const char *path = scratch("racing.h5");
  pid_t writer = fork();
  if (writer == 0) {
    record *r = create_as(path, &(record_settings){.flush_interval = 0.01}, NULL);
    for (long k = 0; r && append_entry(r, 0, k, NULL) == CAROM_OK; k++)  // until it is killed
      if (k % 100 == 99) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    _exit(1);
  }
  record_reader *in = NULL;
  for (int attempt = 0; !in && attempt < 500; attempt++) {
    in = record_open(path, NULL);
    if (!in) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  double row[JOINTS];
  long rows = 0, growths = 0;
  for (int look = 0; CHECK(in) && look < 5000 && growths < 20; look++) {
    long now = record_rows(in, 0);
    if (!CHECK(now >= rows)) break;
    growths += now > rows;
    rows = now;
    if (rows > 0) {
      CHECK_EQUAL(record_read(in, 0, rows - 1, 1, row, NULL), CAROM_OK);
      for (int i = 0; i < JOINTS; i++)
        if (!CHECK(row[i] == entry(0, rows - 1, i))) break;
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  CHECK_EQUAL(growths, 20);
  kill(writer, SIGKILL);
  waitpid(writer, NULL, 0);
  record_close(in);
  in = record_open(path, NULL);  // and again from the start, after the kill at a random moment
  if (CHECK(in)) CHECK(record_rows(in, 0) >= rows && holds_entries(in, 0, record_rows(in, 0)));
  record_close(in);
}

// Writes rows, flushes, writes some more, and dies.
static void write_and_die(const char *path) {
  record *r = create_as(path, &patient, NULL);
  if (r && append_entries(r, 0, 0, 1000) && append_entries(r, 1, 0, 2) && record_flush(r, NULL) == CAROM_OK &&
      append_entries(r, 0, 1000, 5))
    kill(getpid(), SIGKILL);
  _exit(1);
}

static bool leave_killed_record(const char *path) {
  pid_t child = fork();
  if (child == 0) write_and_die(path);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void killed_records_are_readable(void) {
  const char *path = scratch("killed.h5");
  carom_error error = {0};
  CHECK(leave_killed_record(path));
  record_reader *in = record_open(path, &error);
  CHECK_TEXT(error.text, "");
  if (!CHECK(in)) return;
  CHECK(holds_entries(in, 0, 1000));
  CHECK(holds_entries(in, 1, 2));
  CHECK_TEXT(record_get_text(in, "model"), texts[0].text);
  CHECK_TEXT(record_get_text(in, "summary"), "running");
  CHECK(!record_is_running(in));
  record_close(in);
  record *r = create_as(path, NULL, &error);  // the dead writer holds nothing
  if (CHECK(r)) CHECK_EQUAL(record_finish(r, "again", NULL), CAROM_OK);
}

// Records until the disk refuses, then checks what is left. At most one chunk of rows in memory may be lost.
static void fill_up(const char *path, const char *reason, int compression) {
  carom_error error = {0};
  record_settings settings = {.compression = compression, .flush_interval = 1e9};
  record *r = create_as(path, &settings, &error);
  if (!r) {
    CHECK_EQUAL(error.status, CAROM_ERROR_FILE);
    CHECK_CONTAINS(error.message, path);
    CHECK_CONTAINS(error.message, reason);
    CHECK(access(path, F_OK) != 0);  // no stump is left
    return;
  }
  long rows = 0;
  while (rows < 10000 && append_entry(r, 0, rows, &error) == CAROM_OK) rows++;
  CHECK(rows < 10000);
  CHECK_EQUAL(error.status, CAROM_ERROR_FILE);
  CHECK_CONTAINS(error.message, path);
  CHECK_CONTAINS(error.message, reason);
  carom_error again = {0};
  CHECK_EQUAL(append_entry(r, 1, 0, &again), CAROM_ERROR_FILE);  // and ever after
  CHECK_TEXT(again.message, error.message);
  CHECK_EQUAL(record_flush(r, NULL), CAROM_ERROR_FILE);
  CHECK_EQUAL(record_finish(r, "failed", NULL), CAROM_ERROR_FILE);
  error = (carom_error){0};
  record_reader *in = record_open(path, &error);
  CHECK_TEXT(error.text, "");
  if (!CHECK(in)) return;
  long kept = record_rows(in, 0), lost_at_most = 256 * 1024 / ((long)sizeof(double) * JOINTS);
  CHECK_LE(rows - lost_at_most, kept);
  CHECK(holds_entries(in, 0, kept));
  CHECK(holds_entries(in, 1, 0));
  CHECK_TEXT(record_get_text(in, "model"), texts[0].text);
  CHECK_TEXT(record_get_text(in, "summary"), "failed");  // its room was reserved
  record_close(in);
}

// The limit moves through headers, names, rows and indices, so that each kind of write is the first to fail once.
static void full_disks_lose_nothing_written(void) {
  struct rlimit before;
  long ids = open_ids();
  getrlimit(RLIMIT_FSIZE, &before);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  for (rlim_t limit = 0; limit < 1200000; limit += limit < 100000 ? 1777 : 33333) {
    struct rlimit small = {limit, before.rlim_max};
    if (!CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0)) break;
    fill_up(scratch("full.h5"), "File too large", 0);
    if (limit % 2) fill_up(scratch("full.h5"), "File too large", 3);
    setrlimit(RLIMIT_FSIZE, &before);  // also for what the checks print
    unlink(scratch("full.h5"));
  }
  signal(SIGXFSZ, handler);
  CHECK_EQUAL(open_ids(), ids);
}

static void full_file_systems_lose_nothing_written(void) {
  const char *directory = scratch("tmpfs");
  char path[4300];
  if (mkdir(directory, 0777) != 0 || mount("none", directory, "tmpfs", 0, "size=1m") != 0)
    SKIP("mounting a file system is not permitted here");
  snprintf(path, sizeof path, "%s/run.h5", directory);
  fill_up(path, "No space left on device", 0);
  unlink(path);
  fill_up(path, "No space left on device", 3);
  CHECK(umount(directory) == 0);
}

// The last chance to notice: everything fits until the record is closed.
static void full_disk_at_the_end_is_noticed(void) {
  struct rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  carom_error error = {0};
  const char *path = scratch("end.h5");
  record *r = create_as(path, &patient, NULL);
  if (!CHECK(r)) return;
  CHECK(append_entries(r, 0, 0, 10));  // still in memory
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  struct stat info;
  CHECK(stat(path, &info) == 0);
  struct rlimit small = {(rlim_t)info.st_size, before.rlim_max};
  CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
  carom_status status = record_finish(r, "done", &error);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  CHECK_EQUAL(status, CAROM_ERROR_FILE);
  CHECK_CONTAINS(error.message, "File too large");
  record_reader *in = record_open(path, NULL);
  if (CHECK(in)) CHECK(holds_entries(in, 0, 0));
  record_close(in);
}

// Opens what may be damaged and reads all that is offered; returns whether it opened.
static bool survives(const char *path) {
  carom_error error = {0};
  record_reader *in = record_open(path, &error);
  if (!in) {
    CHECK_EQUAL(error.status, CAROM_ERROR_FILE);
    CHECK_CONTAINS(error.message, path);
    return false;
  }
  for (int i = 0; i < record_table_count(in); i++) {
    long rows = record_rows(in, i);
    double row[JOINTS];
    if (rows > 0 && record_get_table(in, i).column_count <= JOINTS) record_read(in, i, rows - 1, 1, row, NULL);
  }
  record_close(in);
  return true;
}

static void other_files_are_refused(void) {
  long ids = open_ids();
  static const struct {
    const char *path, *reason;
  } cases[] = {
      {"/nonexistent.h5", "No such file or directory"}, {"/", "Is a directory"}, {"/dev/null", "not a carom record"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    carom_error error = {0};
    CHECK(!record_open(cases[i].path, &error));
    CHECK_EQUAL(error.status, CAROM_ERROR_FILE);
    CHECK_CONTAINS(error.message, cases[i].reason);
  }
  const char *path = scratch("other.h5");
  unsigned char bytes[4096];
  uint32_t seed = 1;
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
  CHECK(write_file(path, bytes, 0) && !survives(path));
  CHECK(write_file(path, bytes, sizeof bytes) && !survives(path));
  memcpy(bytes, "\211HDF\r\n\032\n\3\10\10", 11);  // the right start, then noise
  CHECK(write_file(path, bytes, 11) && !survives(path));
  for (unsigned flags = 0; flags < 8; flags++) {
    bytes[11] = (unsigned char)flags;
    CHECK(write_file(path, bytes, sizeof bytes) && !survives(path));
  }
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(file >= 0 && H5Fclose(file) >= 0);
  carom_error error = {0};
  CHECK(!record_open(path, &error));
  CHECK_CONTAINS(error.message, "not a carom record");
  CHECK_EQUAL(open_ids(), ids);
}

// Cuts a record at many lengths, and turns single bits over. A finished record that lacks its end is always noticed.
static void damage(const char *original, bool finished, int trials) {
  char path[4200];
  size_t size = 0;
  snprintf(path, sizeof path, "%s", scratch("damaged.h5"));
  char *bytes = read_file(original, &size);
  if (!CHECK(bytes)) return;
  for (int k = 0; k < trials; k++) {  // denser where the structures are
    double part = (double)k / trials;
    write_file(path, bytes, (size_t)(part * part * part * (double)size));
    bool opened = survives(path);
    CHECK(!finished || !opened);
  }
  uint32_t seed = 7;
  for (int k = 0; k < trials; k++) {
    seed = seed * 1664525 + 1013904223;
    // Structures lie in the first 2 KiB and behind the 64 KiB of the summary.
    size_t at = (seed >> 8) % 3072 + (k % 3 == 2 ? 2048 + 65536 : 0);
    if (at >= size) continue;
    char bit = (char)(1 << (seed & 7));
    bytes[at] ^= bit;
    write_file(path, bytes, size);
    survives(path);
    bytes[at] ^= bit;
  }
  free(bytes);
}

// Runs in a process of its own, which leaves without looking back: over a damaged object header HDF5 itself loses
// memory. That our own ways out lose none is seen above, in other_files_are_refused.
static void damaged_records_do_no_harm(void) {
  char finished[4200], killed[4200];
  snprintf(finished, sizeof finished, "%s", scratch("whole.h5"));
  snprintf(killed, sizeof killed, "%s", scratch("half.h5"));
  CHECK(leave_killed_record(killed));
  record *r = create_as(finished, NULL, NULL);
  if (!CHECK(r)) return;
  CHECK(append_entries(r, 0, 0, 10));
  CHECK(append_entries(r, 1, 0, 10));
  CHECK_EQUAL(record_finish(r, "done", NULL), CAROM_OK);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    damage(finished, true, 500);
    damage(killed, false, 25);  // fewer: beside a supposed writer each waits a while
    CHECK_EQUAL(open_ids(), 0);
    fflush(stdout);
    _exit(check_state.failures_here != 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static herr_t count_calls(hid_t stack, void *context) {
  (void)stack;
  ++*(int *)context;
  return 0;
}

// HDF5 prints nothing on our behalf, and the application's own handler stays in its place.
static void error_handlers_are_left_alone(void) {
  H5E_auto2_t print, now;
  void *data, *data_now;
  int calls = 0;
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  H5Eset_auto2(H5E_DEFAULT, count_calls, &calls);
  CHECK(!record_open("/nonexistent.h5", NULL));
  CHECK(!create_as("/nonexistent/run.h5", NULL, NULL));
  const char *path = scratch("handler.h5");
  record *r = create_as(path, NULL, NULL);
  if (CHECK(r)) CHECK_EQUAL(record_finish(r, "done", NULL), CAROM_OK);
  CHECK_EQUAL(truncate(path, 2000), 0);
  carom_error cut = {0};
  CHECK(!record_open(path, &cut));
  CHECK_CONTAINS(cut.text, "it is cut off, with 2000 of its ");
  CHECK_EQUAL(calls, 0);
  H5Eget_auto2(H5E_DEFAULT, &now, &data_now);
  CHECK(now == count_calls && data_now == &calls);
  H5Fopen("/nonexistent.h5", H5F_ACC_RDONLY, H5P_DEFAULT);  // it does count, were it called
  CHECK_EQUAL(calls, 1);
  H5Eset_auto2(H5E_DEFAULT, print, data);
}

static void *record_on_thread(void *context) {
  record *r = create_as(context, &(record_settings){.flush_interval = 0.001}, NULL);
  bool done = r && append_entries(r, 0, 0, 2000) && record_finish(r, context, NULL) == CAROM_OK;
  return done ? context : NULL;
}

static void records_on_threads_do_not_meet(void) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  char paths[THREADS][4200];
  joint_columns();  // makes the names, before the threads share them
  for (int i = 0; i < THREADS; i++) {
    snprintf(paths[i], sizeof paths[i], "%s/thread%d.h5", check_scratch_dir(), i);
    CHECK(pthread_create(&threads[i], NULL, record_on_thread, paths[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    void *result = NULL;
    pthread_join(threads[i], &result);
    CHECK(result);
    record_reader *in = record_open(paths[i], NULL);
    if (CHECK(in)) CHECK(holds_entries(in, 0, 2000));
    if (in) CHECK_TEXT(record_get_text(in, "summary"), paths[i]);
    record_close(in);
  }
}

int main(void) {
  check_scratch_dir();
  RUN(another_process_reads_along);
  RUN(an_unsynchronised_reader_sees_rows_grow);
  RUN(killed_records_are_readable);
  RUN(tables_and_texts_come_back);
  RUN(part_of_a_table_can_be_read);
  RUN(very_wide_tables_work);
  RUN(compressed_tables_come_back);
  RUN(other_programs_find_their_way);
  RUN(places_that_cannot_be_written_are_named);
  RUN(two_writers_do_not_share_a_file);
  RUN(long_summaries_are_refused);
  RUN(abandoned_records_keep_their_rows);
  RUN(flushes_follow_the_clock);
  RUN(full_disks_lose_nothing_written);
  RUN(full_file_systems_lose_nothing_written);
  RUN(full_disk_at_the_end_is_noticed);
  RUN(other_files_are_refused);
  RUN(damaged_records_do_no_harm);
  RUN(error_handlers_are_left_alone);
  RUN(records_on_threads_do_not_meet);
  return check_summary();
}
