// For fuzz targets that work in an arena: any bytes come as a text, ended by a zero, in memory of their own.
#ifndef CAROM_TESTS_FUZZ_H
#define CAROM_TESTS_FUZZ_H

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

// What the target does with them.
static void fuzz_text(arena *memory, const char *text, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  jmp_buf out_of_memory;
  arena memory = arena_create(&out_of_memory);
  if (!setjmp(out_of_memory)) {
    char *text = arena_alloc(&memory, size + 1, 1);
    if (size) memcpy(text, data, size);
    fuzz_text(&memory, text, size);
  }
  arena_free(&memory);
  return 0;
}

#endif
