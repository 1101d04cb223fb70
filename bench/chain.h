// The n-link chain of every program here: 0.1 m links, revolute joints about y, all a little bent and moving.
#ifndef BENCH_CHAIN_H
#define BENCH_CHAIN_H

static const int chain_lengths[] = {6, 32, 128, 512, 2048};
enum { CHAIN_COUNT = sizeof chain_lengths / sizeof *chain_lengths };

static inline double chain_angle(int i) { return 0.1 * ((i * 7919) % 13 - 6) / 6.0; }
static inline double chain_speed(int i) { return 0.1 * ((i * 104729) % 11 - 5) / 5.0; }

#endif
