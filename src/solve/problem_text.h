// Contact problems as text: the formats of Siconos for linear complementarity (`n`, matrix, q) and friction problems
// (`dimension contacts`, matrix, q, μ), and one of our own for problems of several kinds of blocks:
//
//   carom-problem 1
//   blocks
//   kind size mu lo hi      for each block; kind: bilateral unilateral plane space box rolling-plane rolling-space;
//                           of the last two lo and hi are the lengths of rolling and spinning friction
//   matrix                  storage, rows, columns; then
//                             0  rows columns, values column by column
//                             1  blocks, block rows, block columns, their cumulative ends, lengths of the two pointer
//                                arrays and these, then each block's number and its values column by column
//                             2  origin (1 triplets, 2 columns), a line of origin, then `row column : value` or, under
//                                lines `col j : locations …`, `row : value`
//                             3  (only here) W = J Bᵀ in pieces (matrix.h): number of velocities, whether B is J,
//                             whether rows have an entry of
//                                their own on the diagonal (each 0 or 1); the pieces of J, those of B unless it is J,
//                                and these entries. Pieces are, for each block, their number, and for each piece where
//                                it begins, its width, and its values row by row
//   q
#ifndef SOLVE_PROBLEM_TEXT_H
#define SOLVE_PROBLEM_TEXT_H

#include <stdio.h>

#include "base/arena.h"
#include "carom/status.h"
#include "solve/problem.h"

// Null after reporting, with the line. `name` stands in messages; the text ends with a zero byte.
const solve_problem *problem_parse(arena *memory, const char *name, const char *text, size_t size, carom_error *error);

typedef enum problem_storage { PROBLEM_DENSE, PROBLEM_BLOCKS, PROBLEM_DUMP, PROBLEM_PIECES } problem_storage;

// Every number with 17 digits. In pieces only what is stored in pieces. A failure of the stream is for the caller to
// see with ferror.
void problem_print(FILE *to, const solve_problem *p, problem_storage storage);
// To a file, as the problem is stored.
carom_status problem_save(const solve_problem *p, const char *path, carom_error *error);

#endif
