// Columns of numbers as text: little-endian, their bytes in planes, deflated (zlib) and written in base64, for a page
// that carries its data with it. The only user of zlib.
#ifndef RECORD_BLOB_H
#define RECORD_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"

typedef enum blob_type { BLOB_F32, BLOB_F64, BLOB_U32 } blob_type;
size_t blob_type_size(blob_type type);
const char *blob_type_name(blob_type type);  // "f32", "f64", "u32"

// Bytes to be written, columns end to end.
typedef struct blob {
  unsigned char *bytes;
  size_t size, capacity;
  unsigned char *packed;  // deflated
  size_t packed_size;
} blob;

blob blob_create(arena *memory, size_t capacity);
// Adds space for a column of `count` numbers at the end, in planes. Returns the offset of its first byte. The capacity
// must be sufficient.
size_t blob_add(blob *b, blob_type type, size_t count);
// Sets number i of the column at `at`.
void blob_set(blob *b, size_t at, blob_type type, size_t count, size_t i, double x);
// Compresses it. Returns false if the result is larger than `most` bytes; packed_size is then an estimate of its size.
bool blob_pack(blob *b, arena *memory, size_t most);
// Writes a compressed blob. Returns false if writing fails.
bool blob_write(const blob *b, FILE *to);

#endif
