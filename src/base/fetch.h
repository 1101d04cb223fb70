// Asks for memory that is read soon. Arrays by slot are visited in the order of keys, in which a processor cannot
// foresee where they are read next. Changes no result.
#ifndef BASE_FETCH_H
#define BASE_FETCH_H

#include <stddef.h>

static inline void fetch(const void *at, size_t bytes) {
  enum { LINE = 64 };
  const char *from = at;
  for (size_t k = 0; k < bytes; k += LINE) __builtin_prefetch(from + k);
  __builtin_prefetch(from + bytes - 1);
}
#define FETCH(place) fetch(&(place), sizeof(place))

#endif
