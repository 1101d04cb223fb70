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

// --- packing ---------------------------------------------------------------------------------------------------------

enum { PIECE = 48 << 10 };

// zlib's own memory, so that an arena that runs out leaves nothing behind.
static void *zlib_alloc(void *memory, uInt items, uInt size) { return arena_alloc(memory, items, size); }
static void zlib_free(void *memory, void *block) { (void)memory, (void)block; }

bool blob_pack(blob *b, arena *memory, size_t most) {
  most = most < b->size + b->size / 1000 + 64 ? most : b->size + b->size / 1000 + 64;  // zlib adds no more than that
  b->packed = arena_alloc(memory, most + 1, 1);
  arena_mark mark = arena_get_mark(memory);
  z_stream z = {.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = memory};
  if (deflateInit(&z, 6) != Z_OK) return false;
  size_t taken = 0;
  int status = Z_OK;
  b->packed_size = 0;
  while (status == Z_OK && b->packed_size < most) {
    if (z.avail_in == 0 && taken < b->size) {
      size_t piece = b->size - taken < PIECE ? b->size - taken : PIECE;
      z.next_in = b->bytes + taken, z.avail_in = (uInt)piece;
      taken += piece;
    }
    size_t left = most - b->packed_size, room = left < PIECE ? left : PIECE;
    z.next_out = b->packed + b->packed_size, z.avail_out = (uInt)room;
    status = deflate(&z, taken == b->size ? Z_FINISH : Z_NO_FLUSH);
    b->packed_size += room - z.avail_out;
  }
  taken -= z.avail_in;
  deflateEnd(&z);
  arena_release(memory, mark);
  if (status == Z_STREAM_END) return true;
  b->packed_size = (size_t)((double)(most + 1) * (double)b->size / (double)(taken ? taken : 1));
  return false;
}

// --- writing ---------------------------------------------------------------------------------------------------------

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
  encoder e = {.to = to};
  for (size_t next = 0; next < b->packed_size && !e.failed; next += PIECE)
    encode(&e, b->packed + next, b->packed_size - next < PIECE ? b->packed_size - next : PIECE);
  encode_rest(&e);
  return !e.failed;
}
