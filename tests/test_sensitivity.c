// Sobol' points, and indices of sensitivity from samples: nets, closed forms, coverage of intervals, joined shards.
#include "runs.h"

#include "base/random.h"
#include "math/sobol.h"
#include "study/sweep.h"

static arena memory_or_end(jmp_buf *out_of_memory) {
  if (setjmp(*out_of_memory)) CHECK(!"memory"), exit(1);
  return arena_create(out_of_memory);
}

// --- points ----------------------------------------------------------------------------------------------------------

// Dimensions 1 and 2 are a (0, 2)-sequence: 2^m points from a multiple of 2^m on have one point in each of the
// rectangles 2^-a by 2^-b with a + b = m.
static void check_net(double (*x)[2], int m) {
  for (int a = 0; a <= m; a++) {
    bool seen[1 << 10] = {false};
    int b = m - a, twice = 0;
    for (int i = 0; i < 1 << m; i++) {
      int cell = (int)(ldexp(x[i][0], a)) << b | (int)ldexp(x[i][1], b);
      twice += seen[cell], seen[cell] = true;
    }
    CHECK_EQUAL(twice, 0);
  }
}

static void points_form_nets(void) {
  enum { M = 10 };
  jmp_buf out;
  arena memory = memory_or_end(&out);
  sobol s = sobol_create(&memory, 2);
  static double x[1 << M][2];
  for (int turn = 0; turn < 4; turn++) {
    for (int i = 0; i < 1 << M; i++)
      for (int d = 0; d < 2; d++) {
        uint64_t number = (uint64_t)i + ((uint64_t)turn << M);
        x[i][d] = turn % 2 ? sobol_scrambled(&s, number, d, 5) : ldexp(sobol_coordinate(&s, number, d), -32);
      }
    check_net(x, M);
  }
  arena_free(&memory);
}

// Also in dimensions whose direction numbers are drawn.
static void every_coordinate_is_stratified(void) {
  enum { COUNT = 256 };
  jmp_buf out;
  arena memory = memory_or_end(&out);
  sobol s = sobol_create(&memory, SOBOL_DIMENSIONS_MOST);
  for (int d = 0; d < s.dimensions; d++) {
    bool seen[COUNT] = {false};
    int twice = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
      int part = (int)(COUNT * sobol_scrambled(&s, i, d, 1));
      twice += seen[part], seen[part] = true;
    }
    CHECK_EQUAL(twice, 0);
  }
  arena_free(&memory);
}

// One coordinate of one point over many seeds is uniform, and its digits do not follow each other.
static void scrambled_points_are_random(void) {
  enum { SEEDS = 4000, DIGITS = 40 };
  jmp_buf out;
  arena memory = memory_or_end(&out);
  sobol s = sobol_create(&memory, 30);
  double ones[DIGITS] = {0}, changes[DIGITS] = {0};
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    double x = sobol_scrambled(&s, 77, 24, seed);
    for (int k = 0, last = 0; k < DIGITS; k++) {
      int digit = (x *= 2) >= 1;
      ones[k] += digit, changes[k] += digit != last;
      x -= digit, last = digit;
    }
  }
  for (int k = 0; k < DIGITS; k++) {
    CHECK_NEAR(ones[k], SEEDS / 2, 4.5 * sqrt(SEEDS / 4));  // of 80 such counts one in 1800 is beyond it
    CHECK_NEAR(changes[k], SEEDS / 2, 4.5 * sqrt(SEEDS / 4));
  }
  arena_free(&memory);
}

// The mean of a smooth product: scrambled points have an error of about N^-1.5, random ones of N^-0.5.
static void even_points_integrate_better(void) {
  enum { DIMENSIONS = 6, SEEDS = 16, COUNT = 4096 };
  jmp_buf out;
  arena memory = memory_or_end(&out);
  sobol s = sobol_create(&memory, DIMENSIONS);
  double even = 0, plain = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    double sums[2] = {0, 0};
    for (uint64_t i = 0; i < COUNT; i++) {
      double y[2] = {1, 1};
      for (int d = 0; d < DIMENSIONS; d++) {
        y[0] *= 1 + (sobol_scrambled(&s, i, d, seed) - 0.5);
        y[1] *= 1 + (random_share(random_bits(seed, i, (uint64_t)d)) - 0.5);
      }
      sums[0] += y[0] / COUNT, sums[1] += y[1] / COUNT;
    }
    even += pow(sums[0] - 1, 2) / SEEDS, plain += pow(sums[1] - 1, 2) / SEEDS;
  }
  printf("      errors %.2g and %.2g\n", sqrt(even), sqrt(plain));
  CHECK(sqrt(even) < sqrt(plain) / 20);
  // the variance of the product is (1 + 1/12)^6 - 1
  CHECK_NEAR(sqrt(plain), sqrt((pow(13.0 / 12, DIMENSIONS) - 1) / COUNT), 0.5 * sqrt(plain));
  arena_free(&memory);
}

// --- indices ---------------------------------------------------------------------------------------------------------

// Ishigami's function with a = 7, b = 0.1. With V = a²/8 + b π⁴/5 + b² π⁸/18 + 1/2 its indices are known.
static double ishigami(double x, double y, double z) { return sin(x) + 7 * pow(sin(y), 2) + 0.1 * pow(z, 4) * sin(x); }

static void exact_indices(double first[3], double total[3]) {
  double a = 7, b = 0.1, p4 = pow(M_PI, 4), V = a * a / 8 + b * p4 / 5 + b * b * p4 * p4 / 18 + 0.5;
  double of_x = 0.5 * pow(1 + b * p4 / 5, 2), of_xz = b * b * p4 * p4 * (1.0 / 18 - 1.0 / 50);
  first[0] = of_x / V, first[1] = a * a / 8 / V, first[2] = 0;
  total[0] = (of_x + of_xz) / V, total[1] = first[1], total[2] = of_xz / V;
}

static const carom_setting cube[] = {{"x", "-pi:pi"}, {"y", "-pi:pi"}, {"z", "-pi:pi"}};

// Indices of the function itself, without runs of a model.
static void find_indices(const char *points, long sample, uint64_t seed, double rows[3][SENSITIVITY_COLUMNS]) {
  jmp_buf out;
  arena memory = memory_or_end(&out);
  carom_sweep_options o = {
      .vary = cube, .vary_count = 3, .sample = sample, .seed = seed, .points = points, .sensitivity = true};
  sweep_plan plan;
  carom_error error = {0};
  if (CHECK(sweep_plan_read(&memory, &o, &plan, &error))) {
    sweep_table t = {
        .column_count = 6, .vary_count = 3, .take_count = 1, .status = 5, .rows = plan.rows, .sensitivity = true};
    sweep_table_make_room(&memory, &t);
    for (long i = 0; i < t.rows; i++) {
      double *row = sweep_table_row(&t, i);
      row[0] = (double)i;
      for (int k = 0; k < 3; k++) row[1 + k] = sweep_plan_value(&plan, i, k);
      row[4] = ishigami(row[1], row[2], row[3]), row[5] = CAROM_OK;
    }
    sweep_sensitivity(&memory, &t, 0, rows[0]);
  }
  arena_free(&memory);
}

static void indices_of_ishigami_are_exact_to_a_fiftieth(void) {
  double first[3], total[3], rows[3][SENSITIVITY_COLUMNS], worst = 0;
  exact_indices(first, total);
  for (uint64_t seed = 1; seed <= 8; seed++) {
    find_indices("sobol", 16384, seed, rows);
    for (int k = 0; k < 3; k++) {
      CHECK_NEAR(rows[k][2], first[k], 0.02);
      CHECK_NEAR(rows[k][5], total[k], 0.02);
      worst = fmax(worst, fmax(fabs(rows[k][2] - first[k]), fabs(rows[k][5] - total[k])));
      CHECK(rows[k][0] == 1 && rows[k][1] == k + 1 && rows[k][8] == 16384);
    }
  }
  printf("      largest error of 48 indices %.2g\n", worst);
}

// Of random points the intervals hold the truth in 95 % of the cases; of even ones, which are better than a resample
// can know, in more.
static void intervals_cover_the_truth(void) {
  enum { SEEDS = 40, CASES = 6 * SEEDS };
  double first[3], total[3], rows[3][SENSITIVITY_COLUMNS];
  exact_indices(first, total);
  for (int even = 0; even < 2; even++) {
    int held = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
      find_indices(even ? "sobol" : "random", 512, seed, rows);
      for (int k = 0; k < 3; k++)
        held += (rows[k][3] <= first[k] && first[k] <= rows[k][4]) + (rows[k][6] <= total[k] && total[k] <= rows[k][7]);
    }
    printf("      %s points: %d of %d\n", even ? "Sobol'" : "random", held, CASES);
    // indices of one seed depend on each other: four standard errors of SEEDS cases
    CHECK(held >= CASES * (0.95 - 4 * sqrt(0.95 * 0.05 / SEEDS)));
    CHECK(even || held < CASES);
  }
}

// --- sweeps ----------------------------------------------------------------------------------------------------------

static const char *const model_text =
    "space: planar\n"
    "gravity: [0, 0]\n"
    "parameters: {x: 0, y: 0, z: 0}\n"
    "bodies: {ball: {mass: 5 - x, inertia: 1}}\n"
    "joints: {free: {free: [ground, ball]}}\n"
    "outputs: {f: sin(x) + 7*sin(y)^2 + 0.1*z^4*sin(x), none: 0.1 + 0*x}\n"
    "method: smooth\n"
    "record: {every: 1}\n"
    "end: 1\n";

static carom_sweep_options study(const char *record) {
  const char *model = scratch("ishigami.yaml");
  CHECK(write_text(model, model_text));
  return (carom_sweep_options){.model = model,
                               .vary = cube,
                               .vary_count = 3,
                               .sample = 128,
                               .seed = 3,
                               .sensitivity = true,
                               .take = "last(f), max(none)",
                               .record = record};
}

// All of a table, to be freed.
static double *read_table(const char *path, const char *name, carom_record_table *about) {
  carom_record *record = carom_record_open(path, NULL);
  double *values = NULL;
  *about = (carom_record_table){0};
  if (!CHECK(record)) return NULL;
  for (int i = 0; carom_record_get_table(record, i).name; i++)
    if (strcmp(carom_record_get_table(record, i).name, name) == 0) {
      *about = carom_record_get_table(record, i);
      values = calloc((size_t)(about->columns * about->rows) + 1, sizeof *values);
      CHECK(carom_record_read(record, i, 0, about->rows, values, NULL) == CAROM_OK);
      CHECK_TEXT(carom_record_word(record, i, 1, 2), "y");
      CHECK(!carom_record_word(record, i, 2, 2));
    }
  carom_record_close(record);
  CHECK(values);
  return values;
}

static void a_sweep_has_its_indices(void) {
  carom_sweep_options o = study(scratch("study.h5"));
  carom_sweep_result result;
  carom_error error = {0};
  CHECK(carom_sweep(&o, &result, &error) == CAROM_OK && result.rows == 640 && result.failed == 0);
  if (error.text[0]) printf("      %s\n", error.text);
  double rows[3][SENSITIVITY_COLUMNS];
  find_indices("sobol", 128, 3, rows);
  carom_record_table about;
  double *table = read_table(o.record, "sensitivity", &about);
  if (CHECK(about.rows == 6 && about.columns == SENSITIVITY_COLUMNS)) {
    for (int i = 0; i < 3 * SENSITIVITY_COLUMNS; i++)
      CHECK_NEAR(table[i], rows[i / SENSITIVITY_COLUMNS][i % SENSITIVITY_COLUMNS], 1e-12);
    for (int i = 3; i < 6; i++) CHECK(isnan(table[i * SENSITIVITY_COLUMNS + 2]));  // a constant has none
  }
  free(table);
}

static void shards_have_the_same_indices(void) {
  carom_sweep_options o = study(scratch("one.h5"));
  CHECK(carom_sweep(&o, NULL, NULL) == CAROM_OK);
  carom_record_table first, second;
  double *one = read_table(o.record, "sensitivity", &first);
  char parts[2][4400];
  const char *files[] = {parts[0], parts[1]}, *joined = scratch("joined.h5");
  for (int k = 0; k < 2; k++) {
    snprintf(parts[k], sizeof parts[k], "%s", scratch(k ? "b.h5" : "a.h5"));
    o.record = parts[k], o.shard = k + 1, o.shards = 2;
    CHECK(carom_sweep(&o, NULL, NULL) == CAROM_OK);
    carom_record *shard = carom_record_open(o.record, NULL);
    CHECK(shard && !carom_record_get_table(shard, 1).name);  // no whole block of rows, so no indices
    carom_record_close(shard);
  }
  CHECK(carom_sweep_join(files, 2, joined, false, NULL, NULL) == CAROM_OK);
  double *two = read_table(joined, "sensitivity", &second);
  if (one && two && CHECK(first.rows == second.rows))
    CHECK(memcmp(one, two, (size_t)(first.rows * first.columns) * sizeof *one) == 0);
  free(one), free(two);
}

// Rows and indices are two tables: an export has the rows, or the table that is named.
static void tables_are_exported_one_by_one(void) {
  carom_sweep_options o = study(scratch("both.h5"));
  o.sample = 4;
  CHECK(carom_sweep(&o, NULL, NULL) == CAROM_OK);
  const char *out = scratch("both.csv");
  CHECK(carom_export_csv(o.record, out, NULL, NULL) == CAROM_OK);
  char *text = read_file(out, NULL);
  if (CHECK(text)) {
    int lines = 0;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    CHECK_EQUAL(lines, 1 + 4 * 5);
    CHECK(!strstr(text, "first_low"));
  }
  free(text);
  out = scratch("indices.csv");
  CHECK(carom_export_csv(o.record, out, &(carom_export_options){.table = "sensitivity"}, NULL) == CAROM_OK);
  text = read_file(out, NULL);
  if (CHECK(text)) CHECK_CONTAINS(text, "first_low");
  free(text);
}

// A block with a row that failed is left out.
static void failed_rows_leave_their_block_out(void) {
  static const carom_setting wide[] = {{"x", "-5:5.2"}, {"y", "-pi:pi"}, {"z", "-pi:pi"}};
  carom_sweep_options o = study(scratch("holes.h5"));
  o.vary = wide;
  carom_sweep_result result;
  CHECK(carom_sweep(&o, &result, NULL) == CAROM_OK);
  CHECK(result.failed > 0);
  carom_record_table about;
  double *table = read_table(o.record, "sensitivity", &about);
  if (table && CHECK(about.rows == 6)) {
    CHECK(table[8] < 128 && table[8] >= 128 - (double)result.failed);
    CHECK(isfinite(table[2]));
  }
  free(table);
}

static void bad_studies_are_refused(void) {
  carom_error error = {0};
  carom_sweep_options o = study(scratch("refused.h5"));
  o.sample = 0;
  CHECK(carom_sweep(&o, NULL, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "size of its sample");
  o = study(scratch("refused.h5")), o.points = "halton";
  CHECK(carom_sweep(&o, NULL, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "'sobol'");
  o = study(scratch("refused.h5")), o.sample = 900000000;
  CHECK(carom_sweep(&o, NULL, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "4.5e+09 rows");
}

int main(void) {
  RUN(points_form_nets);
  RUN(every_coordinate_is_stratified);
  RUN(scrambled_points_are_random);
  RUN(even_points_integrate_better);
  RUN(indices_of_ishigami_are_exact_to_a_fiftieth);
  RUN(intervals_cover_the_truth);
  RUN(a_sweep_has_its_indices);
  RUN(shards_have_the_same_indices);
  RUN(tables_are_exported_one_by_one);
  RUN(failed_rows_leave_their_block_out);
  RUN(bad_studies_are_refused);
  return check_summary();
}
