// For tests that work in an arena: each has one of its own, `memory`, that is freed after it.
#ifndef CAROM_TESTS_MEMORY_H
#define CAROM_TESTS_MEMORY_H

#include "check.h"

#include "base/arena.h"

static jmp_buf out_of_memory;
static arena memory;

static void in_own_memory(const char *name, void (*test)(void)) {
  if (setjmp(out_of_memory)) {
    printf("out of memory\n");
    exit(2);
  }
  memory = arena_create(&out_of_memory);
  check_run(name, test);
  arena_free(&memory);
}
#undef CHECK_RUNNER
#define CHECK_RUNNER in_own_memory

#endif
