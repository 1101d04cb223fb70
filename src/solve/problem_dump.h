// Contact problems saved on the way, so that they can be looked at and solved again. The chain of solvers gives every
// problem to the dump of its settings; nobody else saves one.
#ifndef SOLVE_PROBLEM_DUMP_H
#define SOLVE_PROBLEM_DUMP_H

#include "carom/status.h"
#include "solve/problem.h"

// Files are PATH-NUMBER.dat by the number of the problem. Who counts steps says so (problem_dump_step): then they are
// PATH-STEP.dat, and PATH-STEP-K.dat for the K-th problem of a step from the second on.
typedef struct problem_dump {
  const char *path;    // NULL if nothing is saved
  int every;           // so many problems, beginning with the first; 0: those that no solver solved
  long problems;       // met up to now
  long step, in_step;  // the present step, 0: none counted; problems met in it
  carom_error error;   // of the first problem that could not be saved; nothing is saved after it
} problem_dump;

void problem_dump_step(problem_dump *d, long step);
// Counts a problem that was solved or not, and saves it where it is wanted.
void problem_dump_take(problem_dump *d, const solve_problem *p, bool solved);

#endif
