// Memory that is released all at once. A definition, a model and a sim each own one arena, so nothing in them is
// freed piece by piece and no error path can leak. Running out of memory unwinds to the API entry that armed the
// arena: code that allocates never sees a null pointer.
//
//   jmp_buf out_of_memory;
//   arena a = arena_create(&out_of_memory);
//   if (setjmp(out_of_memory)) { arena_free(&a); return error_set(error, CAROM_ERROR_MEMORY, ...); }
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct arena_chunk arena_chunk;

typedef struct arena {
  arena_chunk *chunk;      // newest first
  jmp_buf *out_of_memory;  // where to go when the system has no more
} arena;

typedef struct arena_mark {
  arena_chunk *chunk;
  size_t used;
} arena_mark;

arena arena_create(jmp_buf *out_of_memory);
void arena_free(arena *a);

// Zeroed, 64-byte aligned.
void *arena_alloc(arena *a, size_t count, size_t size);
char *arena_copy_text(arena *a, const char *text);
char *arena_print(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A text that grows at its end, at amortised constant cost. Start from {0}.
typedef struct arena_text {
  char *text;  // null while empty
  int length, capacity;
} arena_text;
void arena_append(arena *a, arena_text *t, const char *format, ...) __attribute__((format(printf, 3, 4)));
void arena_append_list(arena *a, arena_text *t, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

// Everything allocated after the mark is given back on release.
arena_mark arena_get_mark(const arena *a);
void arena_release(arena *a, arena_mark mark);

#define ARENA_NEW(a, type)          ((type *)arena_alloc((a), 1, sizeof(type)))
#define ARENA_ARRAY(a, type, count) ((type *)arena_alloc((a), (size_t)(count), sizeof(type)))

// Growing array inside an arena: item pointer, count and capacity live in the caller's struct. Growth copies and
// leaves the old block behind, which costs at most as much again.
#define ARENA_PUSH(a, items, count, capacity)                                                                     \
  ((count) == (capacity)                                                                                          \
       ? ((items) = arena_grow((a), (items), (size_t)(count), &(capacity), sizeof *(items)), &(items)[(count)++]) \
       : &(items)[(count)++])
// A larger copy of an array, of which so many items are used; it may be null if none are. The old one stays until the
// arena is freed.
#define ARENA_LARGER(a, items, used, count) arena_larger((a), (items), (size_t)(used), (size_t)(count), sizeof *(items))
void *arena_larger(arena *a, const void *items, size_t used, size_t count, size_t size);
void *arena_grow(arena *a, const void *items, size_t count, int *capacity, size_t size);

#endif
