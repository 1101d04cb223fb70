#include "record/blob.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

size_t blob_type_size(blob_type type) { return type == BLOB_F64 ? 8 : 4; }

const char *blob_type_name(blob_type type) {
  static const char *const names[] = {"f32", "f64", "u32"};
  return names[type];
}

blob blob_create(arena *memory, size_t capacity) {
  return (blob){.bytes = arena_alloc(memory, capacity + 1, 1), .capacity = capacity};
}

size_t blob_add(blob *b, blob_type type, size_t count) {
  size_t at = b->size;
  b->size += count * blob_type_size(type);
  assert(b->size <= b->capacity);
  return at;
}

static uint64_t bits_of(blob_type type, double x) {
  uint64_t bits = 0;
  if (type == BLOB_F64) {
    memcpy(&bits, &x, sizeof x);
  } else if (type == BLOB_F32) {
    float f = (float)x;
    uint32_t half;
    memcpy(&half, &f, sizeof f);
    bits = half;
  } else {
    bits = (uint32_t)x;
  }
  return bits;
}

void blob_set(blob *b, size_t at, blob_type type, size_t count, size_t i, double x) {
  uint64_t bits = bits_of(type, x);
  for (size_t plane = 0; plane < blob_type_size(type); plane++)
    b->bytes[at + plane * count + i] = (unsigned char)(bits >> (8 * plane));
}

// --- writing ------------------------------------------------------------------------------------------------------

// Three bytes at a time become four characters; what is left waits for more.
typedef struct encoder {
  FILE *to;
  unsigned char left[3];
  int left_count;
  bool failed;
} encoder;

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode_three(const unsigned char *in, char *out) {
  out[0] = digits[in[0] >> 2];
  out[1] = digits[(in[0] & 3) << 4 | in[1] >> 4];
  out[2] = digits[(in[1] & 15) << 2 | in[2] >> 6];
  out[3] = digits[in[2] & 63];
}

enum { PIECE = 48 << 10 };

static void encode(encoder *e, const unsigned char *in, size_t size) {
  char out[4 * (PIECE / 3 + 2)];
  size_t used = 0;
  while (size > 0) {
    e->left[e->left_count++] = *in++, size--;
    if (e->left_count < 3) continue;
    encode_three(e->left, out + used);
    used += 4;
    e->left_count = 0;
  }
  e->failed |= fwrite(out, 1, used, e->to) != used;
}

static void encode_rest(encoder *e) {
  if (!e->left_count) return;
  char out[4];
  for (int i = e->left_count; i < 3; i++) e->left[i] = 0;
  encode_three(e->left, out);
  for (int i = e->left_count + 1; i < 4; i++) out[i] = '=';
  e->failed |= fwrite(out, 1, 4, e->to) != 4;
}

bool blob_write(const blob *b, FILE *to) {
  z_stream z = {0};
  if (deflateInit(&z, 6) != Z_OK) return false;
  encoder e = {.to = to};
  unsigned char out[PIECE];
  size_t next = 0;
  int status;
  do {
    if (z.avail_in == 0 && next < b->size) {
      size_t piece = b->size - next < PIECE ? b->size - next : PIECE;
      z.next_in = b->bytes + next, z.avail_in = (uInt)piece;
      next += piece;
    }
    z.next_out = out, z.avail_out = sizeof out;
    status = deflate(&z, next == b->size ? Z_FINISH : Z_NO_FLUSH);
    encode(&e, out, sizeof out - z.avail_out);
  } while (status == Z_OK && !e.failed);
  deflateEnd(&z);
  encode_rest(&e);
  return status == Z_STREAM_END && !e.failed;
}
