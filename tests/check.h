// A test harness in one header: plain executables, no registration, no dependencies.
//
//   static void arena_aligns(void) { CHECK(...); CHECK_NEAR(value, expected, tolerance); }
//   int main(void) { RUN(arena_aligns); return check_summary(); }
//
// A failed check is printed with its place and counted; the test goes on, so that one run shows every failure.
#ifndef CAROM_TESTS_CHECK_H
#define CAROM_TESTS_CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <ftw.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/times.h>
#include <unistd.h>

#if defined(__GNUC__)
#define CHECK_UNUSED_OK __attribute__((unused))
#else
#define CHECK_UNUSED_OK
#endif

static struct {
  int passed, failed, skipped;  // tests, not single checks
  int failures_here;            // failed checks of the running test
  bool skipped_here;
  char scratch[4096];
} check_state;

CHECK_UNUSED_OK static int check_true(bool ok, const char *file, int line, const char *text) {
  if (!ok) {
    printf("    %s:%d: failed: %s\n", file, line, text);
    check_state.failures_here++;
  }
  return ok;
}

CHECK_UNUSED_OK static int check_near(double value, double expected, double tolerance, const char *file, int line,
                                      const char *text) {
  // Written so that a NaN anywhere fails.
  const bool ok = fabs(value - expected) <= tolerance || (isinf(value) && value == expected);
  if (!ok) {
    printf(
        "    %s:%d: failed: %s\n      value      %.17g\n      expected   %.17g\n      difference %.17g  (tolerance "
        "%.17g)\n",
        file, line, text, value, expected, value - expected, tolerance);
    check_state.failures_here++;
  }
  return ok;
}

CHECK_UNUSED_OK static int check_le(double a, double b, const char *file, int line, const char *text) {
  const bool ok = a <= b;
  if (!ok) {
    printf("    %s:%d: failed: %s\n      left       %.17g\n      right      %.17g\n      excess     %.17g\n", file,
           line, text, a, b, a - b);
    check_state.failures_here++;
  }
  return ok;
}

CHECK_UNUSED_OK static int check_long(long long a, long long b, const char *file, int line, const char *text) {
  if (a != b) {
    printf("    %s:%d: failed: %s\n      value      %lld\n      expected   %lld\n", file, line, text, a, b);
    check_state.failures_here++;
  }
  return a == b;
}

CHECK_UNUSED_OK static int check_text(const char *a, const char *b, const char *file, int line, const char *text) {
  const bool ok = (a && b) ? strcmp(a, b) == 0 : a == b;
  if (!ok) {
    printf("    %s:%d: failed: %s\n      value      \"%s\"\n      expected   \"%s\"\n", file, line, text,
           a ? a : "(null)", b ? b : "(null)");
    check_state.failures_here++;
  }
  return ok;
}

CHECK_UNUSED_OK static int check_contains(const char *a, const char *part, const char *file, int line,
                                          const char *text) {
  const bool ok = a && part && strstr(a, part);
  if (!ok) {
    printf("    %s:%d: failed: %s\n      text       \"%s\"\n      wanted     \"%s\"\n", file, line, text,
           a ? a : "(null)", part ? part : "(null)");
    check_state.failures_here++;
  }
  return ok;
}

// Each yields whether it held, so a test can stop where going on makes no sense: if (!CHECK(p)) return; An int, so that
// several can be joined by & without a warning of the compiler: then all of them are checked.
#define CHECK(condition) check_true(!!(condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(value, expected, tolerance) \
  check_near((double)(value), (double)(expected), (double)(tolerance), __FILE__, __LINE__, #value " near " #expected)
#define CHECK_LE(a, b)          check_le((double)(a), (double)(b), __FILE__, __LINE__, #a " <= " #b)
#define CHECK_EQUAL(a, b)       check_long((long long)(a), (long long)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_TEXT(a, b)        check_text((a), (b), __FILE__, __LINE__, #a " is " #b)
#define CHECK_CONTAINS(a, part) check_contains((a), (part), __FILE__, __LINE__, #a " contains " #part)

// Inside a test: what it needs is not here. Leaves the test.
#define SKIP(why)                       \
  do {                                  \
    printf("    skipped: %s\n", (why)); \
    check_state.skipped_here = true;    \
    return;                             \
  } while (0)

// Whether this program runs the long forms of its tests (long.h), and those alone.
CHECK_UNUSED_OK static bool long_form(void) { return getenv("CAROM_LONG_RUNS") != NULL; }

// Of this program and of those that it has run [s].
CHECK_UNUSED_OK static double check_processor_time(void) {
  struct tms t;
  times(&t);
  return (double)(t.tms_utime + t.tms_stime + t.tms_cutime + t.tms_cstime) / (double)sysconf(_SC_CLK_TCK);
}

// Processor time that is worth a look is printed, so that a slow test shows where it spends it.
CHECK_UNUSED_OK static void check_run(const char *name, void (*test)(void)) {
  if (long_form()) return;
  printf("  %s\n", name);
  fflush(stdout);
  check_state.failures_here = 0;
  check_state.skipped_here = false;
  const double before = check_processor_time();
  test();
  const double took = check_processor_time() - before;
  if (took >= 1) printf("    took %.1f s of processor time\n", took);
  if (check_state.failures_here) check_state.failed++;
  else if (check_state.skipped_here) check_state.skipped++;
  else check_state.passed++;
  fflush(stdout);
}

// Cases under the sanitizers, and cases that are long in numbers and run in the optimised build alone. A program with
// both kinds is built and run in both builds (tests/CMakeLists.txt defines which kinds run).
#ifndef CHECK_PLAIN_CASES
#define CHECK_PLAIN_CASES 1
#endif
#ifndef CHECK_OPTIMISED_CASES
#define CHECK_OPTIMISED_CASES 1
#endif
#define CHECK_RUNNER        check_run  // what runs a case; a test may define another
#define RUN(test)           (CHECK_PLAIN_CASES ? CHECK_RUNNER(#test, test) : (void)(test))
#define RUN_OPTIMISED(test) (CHECK_OPTIMISED_CASES ? CHECK_RUNNER(#test, test) : (void)(test))

// The last statement of main. A file in which nothing ran has failed: it would otherwise hide a lost RUN.
CHECK_UNUSED_OK static int check_summary(void) {
  printf("%d passed, %d failed", check_state.passed, check_state.failed);
  if (check_state.skipped) printf(", %d skipped", check_state.skipped);
  printf("\n");
  fflush(stdout);
  return check_state.failed || check_state.passed + check_state.skipped == 0;
}

static int check_remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where) {
  (void)status, (void)kind, (void)where;
  return remove(path);
}

static void check_remove_scratch(void) { nftw(check_state.scratch, check_remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

// A temporary directory of this process: empty at the first call, the same one later, removed at exit.
CHECK_UNUSED_OK static const char *check_scratch_dir(void) {
  if (check_state.scratch[0]) return check_state.scratch;
  const char *base = getenv("TMPDIR");
  snprintf(check_state.scratch, sizeof check_state.scratch, "%s/carom-test-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(check_state.scratch)) {
    perror("check_scratch_dir");
    exit(2);
  }
  atexit(check_remove_scratch);
  return check_state.scratch;
}

// Path of a file in that directory; the last eight stay valid.
CHECK_UNUSED_OK static const char *scratch(const char *name) {
  static char paths[8][4400];
  static int turn;
  char *path = paths[turn++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", check_scratch_dir(), name);
  return path;
}

// The bytes of a file with a zero behind them, to be freed; null where there is none. The size may be null.
CHECK_UNUSED_OK static char *read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (size) *size = 0;
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  const size_t length = (size_t)ftell(f);
  rewind(f);
  char *bytes = malloc(length + 1);
  bytes[fread(bytes, 1, length, f)] = 0;
  fclose(f);
  if (size) *size = length;
  return bytes;
}

CHECK_UNUSED_OK static bool write_file(const char *path, const void *bytes, size_t size) {
  FILE *f = fopen(path, "wb");
  const bool done = f && fwrite(bytes, 1, size, f) == size;
  return CHECK(f && fclose(f) == 0 && done);
}

CHECK_UNUSED_OK static bool write_text(const char *path, const char *text) {
  return write_file(path, text, strlen(text));
}

// The same sequence in every run and on every machine (Knuth's linear congruence); a test may set the seed.
CHECK_UNUSED_OK static uint64_t check_seed = 1;

CHECK_UNUSED_OK static double uniform(double low, double high) {
  check_seed = check_seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(check_seed >> 11) * 0x1p-53;
}

// Path of a file of the source tree, e.g. check_source("models/x.yaml", path, sizeof path).
#ifndef CHECK_SOURCE_DIR
#define CHECK_SOURCE_DIR "."
#endif
CHECK_UNUSED_OK static bool check_source(const char *relative, char *path, size_t size) {
  const int written = snprintf(path, size, "%s/%s", CHECK_SOURCE_DIR, relative);
  return written > 0 && (size_t)written < size && access(path, R_OK) == 0;
}

// Path of reference data kept outside the source tree: under CAROM_SHARED, else ../shared beside the tree.
// False when it is not there; the test then SKIPs.
CHECK_UNUSED_OK static bool check_shared(const char *relative, char *path, size_t size) {
  const char *shared = getenv("CAROM_SHARED");
  const int written = shared && *shared ? snprintf(path, size, "%s/%s", shared, relative)
                                        : snprintf(path, size, "%s/../shared/%s", CHECK_SOURCE_DIR, relative);
  return written > 0 && (size_t)written < size && access(path, R_OK) == 0;
}

#endif
