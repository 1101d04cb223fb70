// CSV files: plain text that brings back every number, in any locale; trouble is named.
#include "check.h"
#include "comma.h"

#include <fcntl.h>
#include <float.h>
#include <stdint.h>

#include "record/csv.h"
#include "record/decimal.h"

static void csv_is_plain_text(void) {
  const char *path = scratch("run.csv");
  static const char *const columns[] = {"t", "crank.q", "a,b", "say \"x\""};
  carom_error error = {0};
  csv *c = csv_create(path, columns, 4, &error);
  if (!CHECK(c)) return;
  CHECK_EQUAL(csv_append(c, (double[]){0, 0.1, -1.5, 1e300}, &error), CAROM_OK);
  CHECK_EQUAL(csv_append(c, (double[]){NAN, -NAN, INFINITY, -INFINITY}, &error), CAROM_OK);
  CHECK_EQUAL(csv_append(c, (double[]){1.0 / 3, 0.1 + 0.2, 5e-324, -0.0}, &error), CAROM_OK);
  CHECK_EQUAL(csv_finish(c, &error), CAROM_OK);
  CHECK_EQUAL(csv_finish(NULL, &error), CAROM_OK);
  char *text = read_file(path, NULL);
  CHECK_TEXT(text,
             "t,crank.q,\"a,b\",\"say \"\"x\"\"\"\n"
             "0,0.1,-1.5,1e+300\n"
             "nan,nan,inf,-inf\n"
             "0.3333333333333333,0.30000000000000004,4.94065645841247e-324,-0\n");
  free(text);
}

static void csv_has_units_and_words(void) {
  const char *path = scratch("units.csv");
  static const char *const columns[] = {"t", "gap", "pair"}, *const units[] = {"s", "N, N*m", ""};
  csv *c = csv_create(path, columns, 3, NULL);
  if (!CHECK(c)) return;
  csv_put_units(c, units);
  CHECK_EQUAL(csv_append_texts(c, (double[]){1, 2.5, 0}, (const char *const[]){NULL, NULL, "ball, floor"}, NULL),
              CAROM_OK);
  CHECK_EQUAL(csv_finish(c, NULL), CAROM_OK);
  char *text = read_file(path, NULL);
  CHECK_TEXT(text, "t,gap,pair\ns,\"N, N*m\",\n1,2.5,\"ball, floor\"\n");
  free(text);
}

// More than a buffer of random bit patterns.
static void csv_numbers_come_back(void) {
  enum { ROWS = 5000, COLUMNS = 3 };
  static const char *const columns[COLUMNS] = {"a", "b", "c"};
  const char *path = scratch("bits.csv");
  double *values = malloc(ROWS * COLUMNS * sizeof *values);
  uint64_t seed = 12345;
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    do {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      uint64_t bits = seed ^ seed >> 32;
      memcpy(&values[i], &bits, sizeof bits);
    } while (!isfinite(values[i]));
  }
  csv *c = csv_create(path, columns, COLUMNS, NULL);
  for (int k = 0; CHECK(c) && k < ROWS; k++) CHECK_EQUAL(csv_append(c, values + k * COLUMNS, NULL), CAROM_OK);
  CHECK_EQUAL(csv_finish(c, NULL), CAROM_OK);
  FILE *f = fopen(path, "r");
  char header[16] = "";
  CHECK(f && fgets(header, sizeof header, f));
  CHECK_TEXT(header, "a,b,c\n");
  for (int k = 0; f && k < ROWS; k++) {
    double x[COLUMNS];
    if (!CHECK(fscanf(f, "%lf,%lf,%lf", &x[0], &x[1], &x[2]) == COLUMNS)) break;
    if (!CHECK(memcmp(x, values + k * COLUMNS, sizeof x) == 0)) break;
  }
  if (f) fclose(f);
  free(values);
}

// With 15, 16 or 17 digits (single precision: 6 to 9), the first of these that brings back the same number.
static void print_by_trial(char *text, size_t size, double x, bool single) {
  int most = single ? 9 : 17;
  for (int digits = single ? 6 : 15; digits <= most; digits++) {
    snprintf(text, size, "%.*g", digits, x);
    if ((single ? (double)strtof(text, NULL) : strtod(text, NULL)) == x) return;
  }
}

// Random bits, short decimals, whole numbers, powers of two (whose neighbours are not equally far), ties of the last
// digit, and all of these in single precision.
static double number_of_kind(int kind, uint64_t random) {
  double x;
  switch (kind) {
    case 0: memcpy(&x, &random, sizeof x); return isfinite(x) ? x : 0;
    case 1: return (double)(random % 100000) * pow(10, (int)(random >> 40) % 20 - 10);
    case 2: return (double)(int64_t)random;
    case 3: return ldexp(1, (int)(random % 2098) - 1074);
    case 4: return ldexp((double)(random >> 50), (int)(random % 60) - 40);
    default: return (double)(random >> 11) * 0x1p-53;
  }
}

static void numbers_are_printed_as_by_trial(void) {
  enum { COUNT = 300000, KINDS = 6 };
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < COUNT; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    bool single = i / KINDS % 2;
    double x = number_of_kind(i % KINDS, random);
    if (single) x = fabs(x) < 3e38 ? (double)(float)x : 0;
    char text[DECIMAL_SIZE + 1], expected[40] = "";
    text[decimal_print(text, x, single)] = '\0';
    print_by_trial(expected, sizeof expected, x, single);
    if (!CHECK_TEXT(text, expected)) return;
  }
}

static void powers_of_ten_are_printed_as_by_trial(void) {
  for (int k = -323; k <= 308; k++)
    for (int i = -1; i <= 1; i++) {
      char text[DECIMAL_SIZE + 1], expected[40] = "";
      snprintf(expected, sizeof expected, "1e%d", k);
      double x = strtod(expected, NULL);
      if (i) x = nextafter(x, i * INFINITY);
      text[decimal_print(text, x, false)] = '\0';
      print_by_trial(expected, sizeof expected, x, false);
      if (!CHECK_TEXT(text, expected)) return;
    }
}

static void extreme_numbers_are_printed_as_by_trial(void) {
  static const double extremes[] = {DBL_MAX,
                                    -DBL_MAX,
                                    DBL_MIN,
                                    DBL_TRUE_MIN,
                                    0.1,
                                    1e15,
                                    1e16,
                                    1e17,
                                    123456789012345678,
                                    9007199254740993,
                                    1e-4,
                                    1e-5,
                                    9.5e-5,
                                    0.99999999999999989,
                                    999999999999999.9,
                                    9999999999999998,
                                    1e22,
                                    1e23,
                                    5e-324,
                                    2.5,
                                    0.3,
                                    1.0 / 3};
  for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
    char text[DECIMAL_SIZE + 1], expected[40] = "";
    text[decimal_print(text, extremes[i], false)] = '\0';
    print_by_trial(expected, sizeof expected, extremes[i], false);
    CHECK_TEXT(text, expected);
  }
}

static void csv_ignores_the_locale(void) {
  if (!comma_begin()) SKIP("no locale with a decimal comma can be made");
  char sample[8];
  snprintf(sample, sizeof sample, "%.1f", 0.5);
  const char *path = scratch("locale.csv");
  csv *c = csv_create(path, (const char *const[]){"x"}, 1, NULL);
  if (CHECK(c)) CHECK_EQUAL(csv_append(c, (double[]){0.5}, NULL), CAROM_OK);
  CHECK_EQUAL(csv_finish(c, NULL), CAROM_OK);
  setlocale(LC_ALL, "C");
  char *text = read_file(path, NULL);
  CHECK_TEXT(sample, "0,5");
  CHECK_TEXT(text, "x\n0.5\n");
  free(text);
}

static void csv_goes_to_standard_output(void) {
  const char *path = scratch("stdout.csv");
  fflush(stdout);
  int saved = dup(STDOUT_FILENO), file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dup2(file, STDOUT_FILENO);
  printf("before\n");
  csv *c = csv_create("-", (const char *const[]){"x"}, 1, NULL);
  carom_status appended = c ? csv_append(c, (double[]){2}, NULL) : CAROM_ERROR_FILE;
  carom_status flushed = c ? csv_flush(c, NULL) : CAROM_ERROR_FILE;
  csv_finish(c, NULL);
  printf("after\n");  // it was not closed
  fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved), close(file);
  CHECK_EQUAL(appended, CAROM_OK);
  CHECK_EQUAL(flushed, CAROM_OK);
  char *text = read_file(path, NULL);
  CHECK_TEXT(text, "before\nx\n2\nafter\n");
  free(text);
}

static void csv_errors_are_named(void) {
  carom_error error = {0};
  CHECK(!csv_create("/nonexistent/run.csv", (const char *const[]){"x"}, 1, &error));
  CHECK_EQUAL(error.status, CAROM_ERROR_FILE);
  CHECK_TEXT(error.message, "cannot write /nonexistent/run.csv: No such file or directory");
  if (access("/dev/full", W_OK) != 0) SKIP("no /dev/full");
  error = (carom_error){0};
  csv *c = csv_create("/dev/full", (const char *const[]){"x"}, 1, &error);
  if (!CHECK(c)) return;
  long rows = 0;
  while (rows < 100000 && csv_append(c, (double[]){0.5}, &error) == CAROM_OK) rows++;
  CHECK(rows < 100000);
  CHECK_TEXT(error.message, "cannot write /dev/full: No space left on device");
  CHECK_EQUAL(csv_append(c, (double[]){0.5}, NULL), CAROM_ERROR_FILE);
  CHECK_EQUAL(csv_finish(c, NULL), CAROM_ERROR_FILE);
  c = csv_create("/dev/full", (const char *const[]){"x"}, 1, NULL);
  CHECK_EQUAL(csv_finish(c, NULL), CAROM_ERROR_FILE);  // a short file is noticed at its end
}

int main(void) {
  RUN(csv_is_plain_text);
  RUN(csv_has_units_and_words);
  RUN(csv_numbers_come_back);
  RUN(numbers_are_printed_as_by_trial);
  RUN(powers_of_ten_are_printed_as_by_trial);
  RUN(extreme_numbers_are_printed_as_by_trial);
  RUN(csv_ignores_the_locale);
  RUN(csv_goes_to_standard_output);
  RUN(csv_errors_are_named);
  return check_summary();
}
