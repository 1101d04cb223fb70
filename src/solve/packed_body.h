// What sweeps over crowds share: rows on free bodies of six speeds each, coloured, and the speeds that they act on.
//
// W = J Jᵀ, with J in pieces for one or two bodies of each block (matrix.h, factored with J = B). Blocks are coloured:
// no two of one colour share a body. They are swept colour by colour, so that neighbours in memory do not wait for each
// other's velocities.
#ifndef SOLVE_PACKED_BODY_H
#define SOLVE_PACKED_BODY_H

#include <stdint.h>
#include <string.h>

#include "solve/problem.h"

// A row of J has four speeds of the first body, four of the second, the last two of the first, the last two of the
// second. Sums of four products each then need no speed alone. Speeds of bodies are padded.
enum { PACKED_SPEEDS = 6, PACKED_PADDED = 8, PACKED_ROW = 2 * PACKED_SPEEDS, PACKED_COLOURS = 64 };

// Blocks of one kind on one or two free bodies each, the same in J and B.
bool packed_suits(const solve_problem *p, block_kind kind);

// Blocks of a problem that are swept together: none of the others shares a body with them.
typedef struct packed_list {
  const int *block;  // null: all
  int count;
} packed_list;
static inline int packed_listed(packed_list list, int k) { return list.block ? list.block[k] : k; }

// Blocks are swept in chunks of one colour each, whose limits depend on the colours alone; those without a colour are
// one chunk. Sums over chunks are then the same whichever thread sweeps them.
enum { PACKED_CHUNK = 32 };
typedef struct packed_order {
  int colours, start[PACKED_COLOURS + 2];
} packed_order;
static inline int packed_chunks(const packed_order *o, int colour) {
  return colour == PACKED_COLOURS ? 1 : (o->start[colour + 1] - o->start[colour] + PACKED_CHUNK - 1) / PACKED_CHUNK;
}
// Blocks from … to of chunk k of a colour.
static inline void packed_chunk(const packed_order *o, int colour, int k, int *from, int *to) {
  int end = o->start[colour + 1];
  *from = o->start[colour] + k * PACKED_CHUNK;
  *to = colour == PACKED_COLOURS || *from + PACKED_CHUNK > end ? end : *from + PACKED_CHUNK;
}

// Each block takes the first colour that its bodies do not have yet; the last one, PACKED_COLOURS, has those that find
// none. Each colour has whole groups of `group` places, which divides PACKED_CHUNK. `used` is scratch, one per body.
// place[k] is where block k of the list comes in the order of colours.
packed_order packed_colour(const solve_problem *p, packed_list list, int group, uint64_t *used, int *place);

// The bodies of a block, and row i of its J. A body of none has the number `none`.
void packed_bodies(const matrix_pieces *J, int block, int none, int body[2]);
void packed_row(const matrix_pieces *J, int block, int i, double to[PACKED_ROW]);

typedef double four __attribute__((vector_size(32)));

// No function takes or gives a vector: how it would be passed depends on the processor that is compiled for.
static inline void packed_load(four *to, const double *x) { memcpy(to, x, sizeof *to); }

static inline void packed_load_speeds(const double *a, const double *b, four to[3]) {
  packed_load(&to[0], a), packed_load(&to[1], b);
  to[2] = (four){a[4], a[5], b[4], b[5]};
}

static inline double packed_product(const double J[PACKED_ROW], const four v[3]) {
  four x[3];
  for (int k = 0; k < 3; k++) packed_load(&x[k], J + 4 * k);
  four sum = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static inline void packed_store_speeds(const four v[3], double *a, double *b, bool second) {
  memcpy(a, &v[0], sizeof v[0]);
  a[4] = v[2][0], a[5] = v[2][1];
  if (!second) return;
  memcpy(b, &v[1], sizeof v[1]);
  b[4] = v[2][2], b[5] = v[2][3];
}

#endif
