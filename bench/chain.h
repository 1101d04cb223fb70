// The n-link chain of every program here: 0.1 m links, revolute joints about y, all a little bent and moving.
#ifndef BENCH_CHAIN_H
#define BENCH_CHAIN_H

#include <stdio.h>

static const int chain_lengths[] = {6, 32, 128, 512, 2048};
enum { CHAIN_COUNT = sizeof chain_lengths / sizeof *chain_lengths };

static inline double chain_angle(int i) { return 0.1 * ((i * 7919) % 13 - 6) / 6.0; }
static inline double chain_speed(int i) { return 0.1 * ((i * 104729) % 11 - 5) / 5.0; }

// bench_chain leaves its times here, so that a peer measured next can print the ratio.
#define CHAIN_TIMES BENCH_BUILD "/chain_times.txt"

// Seconds that bench_chain took for n links, 0 when it did not run.
static inline double chain_time(int n) {
  FILE *f = fopen(CHAIN_TIMES, "r");
  int links;
  double seconds = 0, read;
  while (f && fscanf(f, "%d %lf", &links, &read) == 2)
    if (links == n) seconds = read;
  if (f) fclose(f);
  return seconds;
}

#endif
