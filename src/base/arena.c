#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, CHUNK_SIZE = 64 * 1024 };

struct arena_chunk {
  arena_chunk *next;
  size_t size, used;
  char *bytes;  // aligned start of the chunk's memory
};

arena arena_create(jmp_buf *out_of_memory) { return (arena){.out_of_memory = out_of_memory}; }

static void free_newest(arena *a) {
  arena_chunk *chunk = a->chunk;
  a->chunk = chunk->next;
  free(chunk);
}

void arena_free(arena *a) {
  while (a->chunk) free_newest(a);
}

static size_t round_up(size_t n) { return (n + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1); }

static void add_chunk(arena *a, size_t size) {
  if (size < CHUNK_SIZE) size = CHUNK_SIZE;
  arena_chunk *chunk = size <= SIZE_MAX / 2 ? malloc(sizeof *chunk + ALIGNMENT + size) : NULL;
  if (!chunk) longjmp(*a->out_of_memory, 1);
  chunk->next = a->chunk;
  chunk->size = size;
  chunk->used = 0;
  chunk->bytes = (char *)round_up((uintptr_t)(chunk + 1));
  a->chunk = chunk;
}

void *arena_alloc(arena *a, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4) longjmp(*a->out_of_memory, 1);
  bytes = round_up(bytes ? bytes : 1);
  if (!a->chunk || a->chunk->size - a->chunk->used < bytes) add_chunk(a, bytes);
  void *memory = a->chunk->bytes + a->chunk->used;
  a->chunk->used += bytes;
  return memset(memory, 0, bytes);
}

char *arena_copy_text(arena *a, const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(arena_alloc(a, size, 1), text, size);
}

char *arena_print(arena *a, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = arena_alloc(a, (size_t)length + 1, 1);
  va_start(args, format);
  vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  return text;
}

void arena_append_list(arena *a, arena_text *t, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int more = vsnprintf(NULL, 0, format, again);
  va_end(again);
  while (t->length + more >= t->capacity) t->text = arena_grow(a, t->text, (size_t)t->length, &t->capacity, 1);
  vsnprintf(t->text + t->length, (size_t)more + 1, format, args);
  t->length += more;
}

void arena_append(arena *a, arena_text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  arena_append_list(a, t, format, args);
  va_end(args);
}

arena_mark arena_get_mark(const arena *a) { return (arena_mark){a->chunk, a->chunk ? a->chunk->used : 0}; }

void arena_release(arena *a, arena_mark mark) {
  while (a->chunk != mark.chunk) free_newest(a);
  if (a->chunk) a->chunk->used = mark.used;
}

void *arena_larger(arena *a, const void *items, size_t used, size_t count, size_t size) {
  void *larger = arena_alloc(a, count, size);
  if (used) memcpy(larger, items, used * size);
  return larger;
}

void *arena_grow(arena *a, const void *items, size_t count, int *capacity, size_t size) {
  *capacity = *capacity ? 2 * *capacity : 8;
  return arena_larger(a, items, count, (size_t)*capacity, size);
}
