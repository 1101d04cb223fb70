// Matrices as Matrix Market files (coordinate, real, symmetric or general), and a table of nodes. Files are untrusted.
#ifndef FLEX_MATRIX_MARKET_H
#define FLEX_MATRIX_MARKET_H

#include "flex/imported.h"

bool matrix_market_read(const char *bytes, size_t length, arena *memory, imported_matrix *to, char why[LINES_WHY]);
// A line for each node: its number, x, y, z, and the names of the sets it is in; what follows a # is a comment. Rows of
// the matrices are x, y, z of the nodes in the order of the lines.
bool node_table_read(const char *bytes, size_t length, arena *memory, imported_body *to, char why[LINES_WHY]);

#endif
