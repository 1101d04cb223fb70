// CSV files: plain text that brings back every number, in any locale; trouble is named.
#include "check.h"
#include "comma.h"

#include <fcntl.h>
#include <stdint.h>

#include "record/csv.h"

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
  CHECK_TEXT(text, "t,crank.q,\"a,b\",\"say \"\"x\"\"\"\n"
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
  CHECK_EQUAL(csv_append_words(c, (double[]){1, 2.5}, (const char *const[]){"ball, floor"}, 1, NULL), CAROM_OK);
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
  RUN(csv_ignores_the_locale);
  RUN(csv_goes_to_standard_output);
  RUN(csv_errors_are_named);
  return check_summary();
}
