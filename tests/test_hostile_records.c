// What reads a record does no harm and says what is wrong, whatever is in the file: report, comparison, export and
// resuming on records that were damaged byte by byte, and on well-formed HDF5 that no run of ours would write.
#include "example.h"

#include <hdf5.h>
#include <math.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ledger/impact.h"
#include "record/record.h"

static const char page_text[] = "<!--carom-data--><!--carom-blobs-->";
static const carom_report_page page = {
    .text = page_text, .length = sizeof page_text - 1, .force = true};  // the same file again and again

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// --- everything that reads a record ----------------------------------------------------------------------------------

static void ignore_table(void *context, const char *name, int columns, long rows) {
  (void)context, (void)name, (void)columns, (void)rows;
}

static bool is_told(carom_status status, const carom_error *error) {
  return status == CAROM_OK || (CHECK_EQUAL(error->status, status) && CHECK(error->text[0]));
}

// Returns whether a report could be made of it.
static bool read_all_ways(const char *path, const char *good, carom_model *model) {
  carom_error error = {0};
  carom_status status = carom_report(&path, 1, &page, scratch("out.html"), &error);
  is_told(status, &error);
  bool reported = status == CAROM_OK;
  const char *pair[] = {good, path};
  is_told(carom_report(pair, 2, &page, scratch("out.html"), &error), &error);
  carom_comparison *c = carom_compare(pair, 2, NULL, 0, &error);
  if (!c) CHECK(error.text[0]);
  else CHECK(carom_comparison_text(c) && carom_comparison_json(c));
  carom_comparison_destroy(c);
  is_told(carom_export_csv(path, scratch("out.csv"), NULL, &error), &error);
  is_told(carom_export_csv(path, scratch("out.csv"), &(carom_export_options){.table = "impacts"}, &error), &error);
  is_told(carom_export_list(path, ignore_table, NULL, &error), &error);
  carom_run_options options = {.resume = path};
  carom_summary summary;
  if (model) is_told(carom_run(model, &options, &summary, &error), &error);
  return reported;
}

// In a process of its own, with a bound on time and memory, which leaves without looking back: over a damaged object
// header HDF5 itself loses memory.
static void in_child(void (*work)(void)) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(240);
    work();
    fflush(stdout);
    _exit(check_state.failures_here != 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// --- damaged ---------------------------------------------------------------------------------------------------------

enum { TRIALS = 400 };
static const double most_seconds = 20;

static carom_model *small_model(void) {
  return example_load("bouncing-ball", "end=0.05 dt=1e-3 record.checkpoint=0.02");
}

static bool write_small(const char *path, carom_model *model) {
  carom_run_options options = {.record = path};
  carom_summary summary;
  carom_error error = {0};
  return CHECK(carom_run(model, &options, &summary, &error) == CAROM_OK) || (printf("%s\n", error.text), false);
}

static unsigned char *read_bytes(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  unsigned char *bytes = f ? malloc(1 << 24) : NULL;
  *size = bytes ? fread(bytes, 1, 1 << 24, f) : 0;
  if (f) fclose(f);
  return bytes;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t size) {
  FILE *f = fopen(path, "wb");
  CHECK(f && fwrite(bytes, 1, size, f) == size);
  if (f) fclose(f);
}

static uint32_t next_random(uint32_t *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 17, *seed ^= *seed << 5;
  return *seed;
}

// One to four bytes: a bit over, a byte of its own, or one of the edges that sizes and counts break at.
static void mutate(unsigned char *bytes, size_t size, uint32_t *seed) {
  static const unsigned char edges[] = {0, 1, 0x7f, 0x80, 0xff};
  int count = 1 + (int)(next_random(seed) % 4);
  for (int i = 0; i < count; i++) {
    size_t at = next_random(seed) % (next_random(seed) % 2 || size < 8192 ? size : 8192);  // structures stand first
    switch (next_random(seed) % 3) {
      case 0: bytes[at] ^= (unsigned char)(1 << next_random(seed) % 8); break;
      case 1: bytes[at] = (unsigned char)next_random(seed); break;
      default: bytes[at] = edges[next_random(seed) % 5]; break;
    }
  }
}

static void damage_many_times(void) {
  carom_model *model = small_model();
  char good[4200], bad[4200];
  snprintf(good, sizeof good, "%s", scratch("good.h5"));
  snprintf(bad, sizeof bad, "%s", scratch("bad.h5"));
  if (!model || !write_small(good, model)) return;
  CHECK(read_all_ways(good, good, model));
  size_t size;
  unsigned char *bytes = read_bytes(good, &size), *changed = malloc(1 << 24);
  uint32_t seed = 20111;
  double began = seconds();
  for (int i = 0; bytes && changed && i < TRIALS && seconds() - began < most_seconds; i++) {
    memcpy(changed, bytes, size);
    mutate(changed, size, &seed);
    write_bytes(bad, changed, i % 8 == 7 ? next_random(&seed) % size : size);
    read_all_ways(bad, good, model);
  }
  free(bytes), free(changed);
  carom_model_destroy(model);
}

static void damaged_records_do_no_harm(void) { in_child(damage_many_times); }

// --- well-formed, but not ours ---------------------------------------------------------------------------------------

typedef struct hostile {
  const char *what;
  void (*make)(const char *path);
  bool opens;  // a report can be made of it
} hostile;

static const char *const t_name[] = {"t"}, *const t_unit[] = {"s"}, *const q_names[] = {"a.q", "b.q"},
                         *const q_units[] = {"rad", "rad"};

// A record of `rows` rows with what the functions say; impacts too unless they are null.
static void make_record(const char *path, long rows, double (*time)(long row), double (*value)(long row),
                        double (*hit)(long row), const record_text *texts, int text_count, const char *summary) {
  record_table tables[] = {{"time", t_name, t_unit, 1, NULL, false},
                           {"joints", q_names, q_units, 2, NULL, false},
                           {"impacts", impact_columns, impact_units, IMPACT_COLUMN_COUNT, NULL, false}};
  record *r = record_create(path, tables, hit ? 3 : 2, texts, text_count, NULL, NULL);
  if (!CHECK(r)) return;
  for (long i = 0; i < rows; i++) {
    double t = time(i), q[2] = {value(i), -value(i)}, row[IMPACT_COLUMN_COUNT];
    record_append(r, 0, &t, NULL), record_append(r, 1, q, NULL);
    for (int k = 0; k < IMPACT_COLUMN_COUNT; k++) row[k] = hit ? hit(i + k) : 0;
    if (hit) record_append(r, 2, row, NULL);
  }
  record_finish(r, summary ? summary : "{\"status\": \"done\"}", NULL);
}

static double plain(long i) { return 1e-3 * (double)i; }
static double backwards(long i) { return -1e-3 * (double)i; }
static double standing(long i) { return (void)i, 3.0; }
static double not_a_number(long i) { return (void)i, NAN; }
static double mixed(long i) { return i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -1e308; }
static double huge_value(long i) { return i % 2 ? 1.7e308 : -1.7e308; }

static void no_rows(const char *path) { make_record(path, 0, plain, plain, plain, NULL, 0, NULL); }
static void one_row(const char *path) { make_record(path, 1, plain, plain, plain, NULL, 0, NULL); }
static void nan_everywhere(const char *path) {
  make_record(path, 300, not_a_number, not_a_number, not_a_number, NULL, 0, NULL);
}
static void nan_values(const char *path) { make_record(path, 300, plain, mixed, mixed, NULL, 0, NULL); }
static void backward_times(const char *path) { make_record(path, 300, backwards, plain, backwards, NULL, 0, NULL); }
static void standing_times(const char *path) { make_record(path, 300, standing, plain, standing, NULL, 0, NULL); }
static void huge_values(const char *path) { make_record(path, 300, huge_value, huge_value, huge_value, NULL, 0, NULL); }

static void absurd_scene(const char *path) {
  record_text texts[] = {
      {"scene",
       "{\"bodies\": [{\"name\": \"a\", \"pose\": [0, 99, -5, 1e300, null]}, 7, {\"name\": {}}], \"joints\": "
       "[{\"first\": {\"body\": 1e9},"
       " \"second\": {\"body\": -4}, \"columns\": {\"q\": [1e18]}}], \"contacts\": [{\"points\": -1e300, \"name\": "
       "null, \"joint\": 5},"
       " {\"points\": 64}], \"forces\": \"none\", \"length\": -1, \"bounds\": {\"min\": [1]}, \"remarks\": [[[[]]]]}"},
      {"parameters", "[[[[1]]]]"},
      {"settings", "\xff\xfe"},
      {"options", "{\"method\": 3}"}};
  make_record(path, 30, plain, plain, plain, texts, 4,
              "{\"status\": 5, \"contact\": [], \"solver\": {\"solves\": \"x\"}, \"warnings\": {\"a\": {}}}");
}

static void deep_scene(const char *path) {
  static char deep[100001];
  memset(deep, '[', 100000);
  record_text texts[] = {{"scene", deep}};
  make_record(path, 30, plain, plain, NULL, texts, 1, NULL);
}

static void odd_names(const char *path) {
  static const char *const names[] = {"\xff\xc0\x80\x1b[31m</script>", ""}, *const units[] = {"\xed\xa0\x80", "<b>"};
  record_table tables[] = {{"time", t_name, t_unit, 1, NULL, false}, {"jo\xffints", names, units, 2, NULL, false}};
  record_text texts[] = {{"title", "\xf8\x88\x80\x80\x80 \x01\x7f"}, {"\xfe name", "x"}};
  record *r = record_create(path, tables, 2, texts, 2, NULL, NULL);
  if (!CHECK(r)) return;
  for (long i = 0; i < 20; i++)
    record_append(r, 0, &(double){plain(i)}, NULL), record_append(r, 1, (double[]){1, plain(i)}, NULL);
  record_finish(r, "\xff", NULL);
}

// Tables written by HDF5 itself, with a shape and names as asked for.
static hid_t begin_file(const char *path, hsize_t versions) {
  hid_t creation = H5Pcreate(H5P_FILE_CREATE), file, space = H5Screate_simple(1, &versions, NULL);
  H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
  hid_t version = H5Acreate2(file, "carom_record", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
  int *ones = calloc(versions, sizeof *ones);
  for (hsize_t i = 0; ones && i < versions; i++) ones[i] = 1;
  H5Awrite(version, H5T_NATIVE_INT, ones);
  free(ones);
  hid_t group = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_link_creation_order(group, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Gclose(H5Gcreate2(file, "about", H5P_DEFAULT, group, H5P_DEFAULT));
  H5Pclose(group), H5Aclose(version), H5Sclose(space), H5Pclose(creation), H5Pclose(access);
  return file;
}

static void put_names(hid_t dataset, const char *attribute, hsize_t count) {
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, NULL);
  H5Tset_size(type, 2);
  hid_t a = H5Acreate2(dataset, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
  char *names = calloc(count + 1, 2);
  for (hsize_t i = 0; names && i < count; i++) names[2 * i] = 't';
  H5Awrite(a, type, names);
  free(names);
  H5Aclose(a), H5Sclose(space), H5Tclose(type);
}

static void put_table(hid_t file, const char *name, int rank, const hsize_t *extent, hsize_t names, int deflate) {
  hsize_t chunk[3] = {extent[0] < 64 ? extent[0] : 64, rank > 1 && extent[1] ? extent[1] : 1, 1},
          most[3] = {H5S_UNLIMITED, extent[1], 1};
  if (chunk[0] == 0) chunk[0] = 1;
  if (most[1] == 0) most[1] = 1;
  hid_t space = H5Screate_simple(rank, extent, most), layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(layout, rank, chunk);
  if (deflate) H5Pset_deflate(layout, 9);
  hid_t dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  put_names(dataset, "columns", names), put_names(dataset, "units", names);
  H5Dclose(dataset), H5Pclose(layout), H5Sclose(space);
}

static void missing_tables(const char *path) { H5Fclose(begin_file(path, 1)); }
static void many_versions(const char *path) { H5Fclose(begin_file(path, 1000)); }

static void one_table(const char *path, const char *name, int rank, const hsize_t *extent, hsize_t names, int deflate) {
  hid_t file = begin_file(path, 1);
  put_table(file, name, rank, extent, names, deflate);
  H5Fclose(file);
}

static void claimed_rows(const char *path) { one_table(path, "time", 2, (hsize_t[]){4000000000u, 1}, 1, 0); }
static void claimed_deflated_rows(const char *path) {
  one_table(path, "time", 2, (hsize_t[]){(hsize_t)1 << 50, 1}, 1, 1);
}
static void no_columns(const char *path) { one_table(path, "time", 2, (hsize_t[]){10, 0}, 1, 0); }
static void three_dimensions(const char *path) { one_table(path, "time", 3, (hsize_t[]){10, 1, 1}, 1, 0); }
static void one_dimension(const char *path) { one_table(path, "time", 1, (hsize_t[]){10, 1}, 1, 0); }
static void names_too_few(const char *path) { one_table(path, "time", 2, (hsize_t[]){10, 5}, 2, 0); }
static void wide_time(const char *path) { one_table(path, "time", 2, (hsize_t[]){10, 3}, 3, 0); }

static void odd_impacts(const char *path) {
  hid_t file = begin_file(path, 1);
  put_table(file, "time", 2, (hsize_t[]){10, 1}, 1, 0), put_table(file, "impacts", 2, (hsize_t[]){10, 2}, 2, 0);
  H5Fclose(file);
}

static void tables_of_other_lengths(const char *path) {
  hid_t file = begin_file(path, 1);
  put_table(file, "time", 2, (hsize_t[]){10, 1}, 1, 0), put_table(file, "joints", 2, (hsize_t[]){3, 2}, 2, 0);
  put_table(file, "bodies", 2, (hsize_t[]){0, 7}, 7, 0);
  H5Fclose(file);
}

static const hostile cases[] = {
    {"no rows", no_rows, true},
    {"one row", one_row, true},
    {"not a number anywhere", nan_everywhere, true},
    {"not a number among values", nan_values, true},
    {"times that go back", backward_times, true},
    {"times that stand still", standing_times, true},
    {"values near the largest", huge_values, true},
    {"an absurd scene", absurd_scene, true},
    {"a scene of a hundred thousand brackets", deep_scene, true},
    {"names that are no UTF-8", odd_names, true},
    {"no tables", missing_tables, false},
    {"a thousand version numbers", many_versions, false},
    {"four billion rows that are not there", claimed_rows, false},
    {"2⁵⁰ rows that are not there, deflated", claimed_deflated_rows, false},
    {"a table without columns", no_columns, false},
    {"a table of three dimensions", three_dimensions, false},
    {"a table of one dimension", one_dimension, false},
    {"fewer names than columns", names_too_few, false},
    {"times of three columns", wide_time, true},
    {"impacts with columns of others", odd_impacts, false},
    {"tables of other lengths", tables_of_other_lengths, true},
};

static void read_hostile(void) {
  carom_model *model = small_model();
  char good[4200], bad[4200];
  snprintf(good, sizeof good, "%s", scratch("good.h5"));
  snprintf(bad, sizeof bad, "%s", scratch("bad.h5"));
  if (!model || !write_small(good, model)) return;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double began = seconds();
    cases[i].make(bad);
    bool opens = read_all_ways(bad, good, model);
    if (!CHECK_EQUAL(opens, cases[i].opens) || !CHECK(seconds() - began < 20)) printf("    %s\n", cases[i].what);
    read_all_ways(good, bad, NULL);  // as the one that others are held against
  }
  carom_model_destroy(model);
}

// A run cannot go on from a state that is none.
static void resume_as(carom_model *model) {
  static const double nonsense[] = {NAN, INFINITY, -1e308, 1e308, -1, 0, 1e18};
  char path[4200];
  snprintf(path, sizeof path, "%s", scratch("checkpoint.h5"));
  for (size_t k = 0; model && k < sizeof nonsense / sizeof *nonsense; k++) {
    if (!write_small(path, model)) break;
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, "checkpoint", H5P_DEFAULT),
          space = H5Dget_space(dataset);
    hsize_t extent[2] = {0};
    H5Sget_simple_extent_dims(space, extent, NULL);
    double *rows = malloc((size_t)(extent[0] * extent[1]) * sizeof *rows);
    for (hsize_t i = 0; rows && i < extent[0] * extent[1]; i++) rows[i] = nonsense[k];
    CHECK(extent[0] > 0 && H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    free(rows);
    H5Sclose(space), H5Dclose(dataset), H5Fclose(file);
    carom_error error = {0};
    carom_summary summary;
    carom_run_options options = {.resume = path};
    carom_status status = carom_run(model, &options, &summary, &error);
    is_told(status, &error);
    if (!isfinite(nonsense[k])) CHECK(status != CAROM_OK);
  }
  carom_model_destroy(model);
}

static void resume_from_nonsense(void) {
  resume_as(small_model());
  resume_as(example_load("bouncing-ball", "end=0.05 method=event record.checkpoint=0.02"));
  resume_as(example_load("hertz-impact", "record.checkpoint=1e-5"));
}

// A checkpoint of a crowd says how many rows of points belong to it: one that claims more than the record has is
// damaged. So is one whose table of points is gone.
static carom_model *crowd_model(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\nparameters: {n: 14}\n"
      "bodies: {\"b{i}\": {repeat: {i: [1, n]}, mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
      "joints: {\"b{i}\": {repeat: {i: [1, n]}, free: [ground, \"b{i}\"], at: [\"0.101*i\", 0, 0.05]}}\n"
      "surfaces:\n  floor: {plane: ground, material: m}\n  s{i}: {repeat: {i: [1, n]}, sphere: \"b{i}\", radius: 0.05, "
      "material: m}\n"
      "materials: {m: {friction: 0.3}}\nmethod: {moreau: {step: 1e-3}}\nend: 0.05\nrecord: {checkpoint: 0.02}\n";
  carom_error error = {0};
  const char *path = scratch("crowd.yaml");
  FILE *f = fopen(path, "w");
  if (!CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0)) return NULL;
  carom_model *model = carom_model_load(path, NULL, 0, &error);
  if (!CHECK(model)) printf("      %s\n", error.text);
  return model;
}

// The number of the last field of each checkpoint.
static void claim_points(hid_t file, double count) {
  hid_t dataset = H5Dopen2(file, "checkpoint", H5P_DEFAULT), space = H5Dget_space(dataset);
  hsize_t extent[2] = {0};
  H5Sget_simple_extent_dims(space, extent, NULL);
  double *rows = malloc((size_t)(extent[0] * extent[1]) * sizeof *rows);
  if (CHECK(rows && extent[0] > 0 && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0)) {
    for (hsize_t i = 0; i < extent[0]; i++) rows[(i + 1) * extent[1] - 1] = count;
    CHECK(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
  }
  free(rows);
  H5Sclose(space), H5Dclose(dataset);
}

static void resume_with_claims(void) {
  static const double claims[] = {-1, 1e4, 0x1p31, 0x1p32, 0x1p53};  // -1: the table is removed
  carom_model *model = crowd_model();
  char path[4200];
  snprintf(path, sizeof path, "%s", scratch("claims.h5"));
  for (size_t k = 0; model && k < sizeof claims / sizeof *claims && write_small(path, model); k++) {
    carom_error error = {0};
    carom_summary summary;
    if (k == 0)
      CHECK(carom_run(model, &(carom_run_options){.resume = path, .end = 0.06}, &summary, &error) == CAROM_OK);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (claims[k] < 0) CHECK(H5Ldelete(file, "checkpoint_pairs", H5P_DEFAULT) >= 0);
    else claim_points(file, claims[k]);
    H5Fclose(file);
    CHECK(carom_run(model, &(carom_run_options){.resume = path, .end = 0.06}, &summary, &error) == CAROM_ERROR_FILE);
    CHECK_CONTAINS(error.text, "is damaged: it lacks contacts");
  }
  carom_model_destroy(model);
}

// A record of the time before checkpoints had versions and names: it is read, but not resumed from.
static void make_older(const char *path) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, "checkpoint", H5P_DEFAULT);
  hid_t columns = H5Aopen(dataset, "columns", H5P_DEFAULT), type = H5Aget_type(columns), space = H5Aget_space(columns);
  const size_t width = H5Tget_size(type), count = (size_t)H5Sget_simple_extent_npoints(space);
  char *names = calloc(count, width);
  for (size_t k = 0; CHECK(names && !H5Tis_variable_str(type)) && k < count; k++)
    snprintf(names + k * width, width, "s%zu", k);
  CHECK(H5Awrite(columns, type, names) >= 0);
  free(names);
  H5Aclose(columns), H5Sclose(space), H5Tclose(type), H5Dclose(dataset);
  CHECK(H5Ldelete(file, "about/checkpoint_version", H5P_DEFAULT) >= 0);
  H5Fclose(file);
}

static void read_older(void) {
  char old[4200], now[4200];
  carom_model *model = small_model();
  snprintf(old, sizeof old, "%s", scratch("older.h5"));
  snprintf(now, sizeof now, "%s", scratch("now.h5"));
  if (!model || !write_small(old, model) || !write_small(now, model)) return;
  make_older(old);
  carom_error error = {0};
  carom_summary summary;
  const char *pair[] = {now, old};
  CHECK(carom_report(pair, 2, &page, scratch("out.html"), &error) == CAROM_OK);
  carom_comparison *c = carom_compare(pair, 2, NULL, 0, &error);
  if (CHECK(c)) CHECK_CONTAINS(carom_comparison_sentence(c), "agree");
  carom_comparison_destroy(c);
  CHECK(carom_export_csv(old, scratch("out.csv"), NULL, &error) == CAROM_OK);
  CHECK(carom_run(model, &(carom_run_options){.resume = old}, &summary, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "cannot be resumed: its checkpoints are of version 1");
  CHECK_CONTAINS(error.text, "run the model from its start");
  CHECK(carom_run(model, &(carom_run_options){.resume = now, .end = 0.06}, &summary, &error) == CAROM_OK);
  carom_model_destroy(model);
}

static void older_records_are_read_and_not_resumed(void) { in_child(read_older); }
static void nonsense_in_a_checkpoint_does_no_harm(void) { in_child(resume_from_nonsense); }
static void checkpoints_that_claim_points_are_refused(void) { in_child(resume_with_claims); }
static void hostile_records_do_no_harm(void) { in_child(read_hostile); }

int main(void) {
  RUN(hostile_records_do_no_harm);
  RUN(older_records_are_read_and_not_resumed);
  RUN(nonsense_in_a_checkpoint_does_no_harm);
  RUN(checkpoints_that_claim_points_are_refused);
  RUN(damaged_records_do_no_harm);
  return check_summary();
}
