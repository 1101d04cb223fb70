// Timing shared by the benchmarks: the median of a few runs, each long enough to mean something.
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdlib.h>
#include <time.h>

static inline double clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Of this program alone: on a busy machine nearer to what it would take on an idle one.
static inline double clock_processor(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int clock_compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Median seconds of a clock per call of f(context) over five runs of about `seconds` each.
static inline double clock_median_by(double (*clock)(void), void (*f)(void *), void *context, double seconds) {
  double t[5], began = clock();
  f(context);
  f(context);
  double estimate = (clock() - began) / 2;
  long repeat = (long)(seconds / estimate) + 3;
  for (int i = 0; i < 5; i++) {
    began = clock();
    for (long k = 0; k < repeat; k++) f(context);
    t[i] = (clock() - began) / (double)repeat;
  }
  qsort(t, 5, sizeof *t, clock_compare);
  return t[2];
}

static inline double clock_median(void (*f)(void *), void *context, double seconds) {
  return clock_median_by(clock_now, f, context, seconds);
}

#endif
