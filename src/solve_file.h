// A contact problem from a file of any format there is.
#ifndef SOLVE_FILE_H
#define SOLVE_FILE_H

#include "base/arena.h"
#include "carom/status.h"
#include "solve/problem.h"

// Null after reporting.
const solve_problem *solve_file_read(arena *memory, const char *path, carom_error *error);

#endif
