// Memory taken by our own objects, counted and refused at will. The linker sends their calls here (--wrap); libraries
// that are linked as shared objects keep their own.
#ifndef CAROM_TESTS_WRAPPED_MALLOC_H
#define CAROM_TESTS_WRAPPED_MALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static struct {
  long count;    // allocations asked for
  long fail_at;  // the one to refuse, counted from 1; 0: none
  bool refused;
} memory_calls;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);

static bool memory_refused(void) {
  const bool now = ++memory_calls.count == memory_calls.fail_at;
  memory_calls.refused |= now;
  if (now) errno = ENOMEM;  // as the real ones say
  return now;
}

void *__wrap_malloc(size_t size) { return memory_refused() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return memory_refused() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return memory_refused() ? NULL : __real_realloc(old, size); }
char *__wrap_strdup(const char *text) { return memory_refused() ? NULL : __real_strdup(text); }

#endif
