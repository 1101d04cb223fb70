// Matrices as CalculiX writes them with *FREQUENCY, SOLVER=MATRIXSTORAGE. job.sti and job.mas have the upper triangle
// as `row column value`, job.dof a `node.direction` per row, and the places of the nodes are in the deck alone. Files
// are untrusted.
#ifndef FLEX_CALCULIX_H
#define FLEX_CALCULIX_H

#include "flex/imported.h"

// Of a matrix with so many rows.
bool calculix_matrix_read(const char *bytes, size_t length, arena *memory, int rows, imported_matrix *to,
                          char why[LINES_WHY]);
// Rows, from job.dof.
bool calculix_rows_read(const char *bytes, size_t length, arena *memory, imported_body *to, char why[LINES_WHY]);
// Nodes and their sets, from *NODE and *NSET of the deck.
bool calculix_deck_read(const char *bytes, size_t length, arena *memory, imported_nodes *to, char why[LINES_WHY]);

#endif
