// Threads that share loops. A loop is divided into ranges of its indices, and each thread has the same part of every
// loop, so that it finds what it wrote before in the cache of its core; threads that are done first take ranges of the
// others. The body of a loop must write nothing that another index reads or writes; then results do not depend on the
// number of threads. Sums over indices are taken from parts whose limits do not depend on it either.
#ifndef BASE_CREW_H
#define BASE_CREW_H

#include <stdbool.h>

typedef struct crew {
  struct crew_team *team;  // null: the thread that calls does everything
} crew;

enum { CREW_MOST = 1024 };  // threads

// The crew has so many threads from here on, the one that calls among them. Returns false if no more could be started
// or memory ran out; it then has those that were.
bool crew_set(crew *c, int threads);
int crew_count(const crew *c);  // accepts null
void crew_end(crew *c);

typedef void crew_work(void *context, int from, int to);
// Calls work for ranges that make up 0 … count − 1, and returns when all are done. Below `least` indices for each
// thread fewer take part. `c` may be null.
void crew_run(const crew *c, int count, int least, crew_work *work, void *context);

#endif
