#include "geometry/mesh_file.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

typedef struct reader {
  const char *at, *end;
  int line;
  double scale;
  arena *memory;
  mesh_soup *to;
  int point_capacity, triangle_capacity, place_capacity, place_count;
  char *why;
} reader;

static bool fail(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(reader *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(r->why, MESH_WHY, format, args);
  va_end(args);
  return false;
}

static bool add_point(reader *r, const double x[3], const char *unit, int place) {
  for (int k = 0; k < 3; k++)
    if (!(fabs(r->scale * x[k]) <= MESH_COORDINATE_MAX))
      return fail(r, "%s %d: a coordinate is not a number or too large", unit, place);
  if (r->to->point_count >= 3 * MESH_TRIANGLES_MAX)
    return fail(r, "%s %d: more than %d points", unit, place, 3 * MESH_TRIANGLES_MAX);
  *ARENA_PUSH(r->memory, r->to->points, r->to->point_count, r->point_capacity) = vec3_scale(r->scale, vec3_of(x));
  return true;
}

static bool add_triangle(reader *r, int a, int b, int c, int place) {
  mesh_soup *to = r->to;
  if (to->triangle_count >= MESH_TRIANGLES_MAX)
    return fail(r, "more than %d triangles; reduce the mesh", MESH_TRIANGLES_MAX);
  int(*t)[3] = ARENA_PUSH(r->memory, to->triangles, to->triangle_count, r->triangle_capacity);
  (*t)[0] = a, (*t)[1] = b, (*t)[2] = c;
  *ARENA_PUSH(r->memory, to->places, r->place_count, r->place_capacity) = place;
  return true;
}

// --- binary STL ------------------------------------------------------------------------------------------------------

// 80 bytes of any text, the number of triangles, then of each 12 numbers in single precision (normal and corners) and 2
// bytes; little-endian.
enum { STL_HEAD = 84, STL_TRIANGLE = 50, STL_NORMAL = 12 };

static uint32_t read_u32(const char *p) {
  const unsigned char *b = (const unsigned char *)p;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_f32(const char *p) {
  uint32_t bits = read_u32(p);
  float x;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

static bool is_binary(const char *bytes, size_t length) {
  return length >= STL_HEAD && length - STL_HEAD == (uint64_t)read_u32(bytes + 80) * STL_TRIANGLE;
}

static bool read_binary(reader *r, size_t length) {
  int count = (int)((length - STL_HEAD) / STL_TRIANGLE);
  if (count > MESH_TRIANGLES_MAX)
    return fail(r, "it has %d triangles, the limit is %d; reduce the mesh", count, MESH_TRIANGLES_MAX);
  for (int i = 0; i < count; i++) {
    const char *p = r->at + STL_HEAD + (size_t)i * STL_TRIANGLE + STL_NORMAL;
    for (int k = 0; k < 3; k++, p += 12)
      if (!add_point(r, (double[3]){read_f32(p), read_f32(p + 4), read_f32(p + 8)}, "triangle", i + 1)) return false;
    if (!add_triangle(r, 3 * i, 3 * i + 1, 3 * i + 2, i + 1)) return false;
  }
  return true;
}

// --- words of a text -------------------------------------------------------------------------------------------------

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// The next word of the line; empty at its end.
static const char *next_word(reader *r, size_t *length) {
  while (r->at < r->end && is_blank(*r->at)) r->at++;
  const char *start = r->at;
  while (r->at < r->end && *r->at != '\n' && !is_blank(*r->at)) r->at++;
  *length = (size_t)(r->at - start);
  return start;
}

static void skip_line(reader *r) {
  while (r->at < r->end && *r->at != '\n') r->at++;
  if (r->at < r->end) r->at++, r->line++;
}

static bool is_word(const char *word, size_t length, const char *wanted) {
  if (length != strlen(wanted)) return false;
  for (size_t i = 0; i < length; i++) {
    char c = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
    if (c != wanted[i]) return false;
  }
  return true;
}

// Of a message: printable, and not too long.
static const char *shown(const char *word, size_t length, char text[32]) {
  size_t n = length < 24 ? length : 24;
  for (size_t i = 0; i < n; i++) text[i] = word[i] > ' ' && word[i] < 127 ? word[i] : '?';
  snprintf(text + n, 32 - n, "%s", length > n ? "..." : "");
  return text;
}

// strtod of the C library reads hexadecimal numbers and names; a file has none of them.
static bool read_decimal(const char *word, size_t length, double *x) {
  char text[64];
  if (length == 0 || length >= sizeof text) return false;
  static const char allowed[] = "0123456789+-.eE";
  for (size_t i = 0; i < length; i++)
    if (!memchr(allowed, word[i], strlen(allowed))) return false;  // strchr would find a NUL
  memcpy(text, word, length);
  text[length] = 0;
  char *end;
  *x = number_read(text, &end);
  return *end == 0 && isfinite(*x);
}

static bool read_numbers(reader *r, double *x, int count) {
  for (int k = 0; k < count; k++) {
    size_t length;
    const char *word = next_word(r, &length);
    char text[32];
    if (!length) return fail(r, "line %d: a coordinate is missing", r->line);
    if (!read_decimal(word, length, &x[k]))
      return fail(r, "line %d: '%s' is not a number", r->line, shown(word, length, text));
  }
  return true;
}

// --- ASCII STL -------------------------------------------------------------------------------------------------------

// Of the words only `facet`, `vertex` and `endfacet` say something. The normal is not read: the order of the corners
// gives it.
static bool read_ascii(reader *r) {
  int corners = 0, first = 0;
  bool inside = false;
  for (; r->at < r->end; skip_line(r)) {
    size_t length;
    const char *word = next_word(r, &length);
    if (is_word(word, length, "facet")) {
      if (inside) return fail(r, "line %d: 'facet' before the end of the one before", r->line);
      inside = true, corners = 0, first = r->to->point_count;
    } else if (is_word(word, length, "vertex")) {
      double x[3];
      if (!inside) return fail(r, "line %d: 'vertex' outside a facet", r->line);
      if (++corners > 3) return fail(r, "line %d: a facet has more than three corners", r->line);
      if (!read_numbers(r, x, 3) || !add_point(r, x, "line", r->line)) return false;
    } else if (is_word(word, length, "endfacet")) {
      if (!inside || corners != 3) return fail(r, "line %d: a facet with %d corners", r->line, inside ? corners : 0);
      if (!add_triangle(r, first, first + 1, first + 2, r->line)) return false;
      inside = false;
    }
  }
  return !inside || fail(r, "line %d: the file ends inside a facet", r->line);
}

// --- OBJ -------------------------------------------------------------------------------------------------------------

// `7`, `7/2`, `7//3`, `7/2/3`: the first is the point, from 1, or from -1 backwards from the last one so far.
static bool read_corner(reader *r, const char *word, size_t length, int *corner) {
  size_t digits = 0;
  char text[32];
  while (digits < length && word[digits] != '/') digits++;
  double x;
  if (!read_decimal(word, digits, &x) || x != floor(x) || fabs(x) > INT_MAX || x == 0)
    return fail(r, "line %d: '%s' is not a corner of a face", r->line, shown(word, length, text));
  double index = x > 0 ? x - 1 : x + r->to->point_count;
  if (!(index >= 0 && index < r->to->point_count))
    return fail(r, "line %d: a face names point %.0f, but there are %d so far", r->line, x, r->to->point_count);
  *corner = (int)index;
  return true;
}

// A face with more than three corners is cut into a fan from its first.
static bool read_face(reader *r) {
  int first = 0, last = 0, corner = 0, count = 0;
  for (;; count++) {
    size_t length;
    const char *word = next_word(r, &length);
    if (!length || *word == '#') break;
    if (!read_corner(r, word, length, &corner)) return false;
    if (count == 0) first = corner;
    else if (count > 1 && !add_triangle(r, first, last, corner, r->line)) return false;
    last = corner;
  }
  return count > 2 || fail(r, "line %d: a face with %d corner%s", r->line, count, count == 1 ? "" : "s");
}

static bool read_obj(reader *r) {
  for (; r->at < r->end; skip_line(r)) {
    size_t length;
    double x[3];
    const char *word = next_word(r, &length);
    if (length == 1 && *word == 'v' && (!read_numbers(r, x, 3) || !add_point(r, x, "line", r->line))) return false;
    if (length == 1 && *word == 'f' && !read_face(r)) return false;
  }
  return true;
}

// --- any -------------------------------------------------------------------------------------------------------------

static bool starts_with_solid(const char *bytes, size_t length) {
  reader r = {.at = bytes, .end = bytes + length};
  size_t n;
  do {
    const char *word = next_word(&r, &n);
    if (n) return is_word(word, n, "solid");
    skip_line(&r);
  } while (r.at < r.end);
  return false;
}

// What a binary file says of itself where its length is not that of its triangles. Returns false after reporting.
static bool check_binary(reader *r, const char *bytes, size_t length) {
  if (length < STL_HEAD || !memchr(bytes, 0, length)) return true;  // a text
  uint32_t count = read_u32(bytes + 80);
  return fail(r,
              "it seems to be a binary STL file, but %u triangles have %llu bytes, and it has %zu; it is cut off or "
              "damaged, write it again",
              count, (unsigned long long)STL_HEAD + (unsigned long long)count * STL_TRIANGLE, length);
}

bool mesh_read(const char *bytes, size_t length, double scale, arena *memory, mesh_soup *to, char why[MESH_WHY]) {
  *to = (mesh_soup){0};
  why[0] = 0;
  reader r = {.at = bytes, .end = bytes + length, .line = 1, .scale = scale, .memory = memory, .to = to, .why = why};
  if (length > MESH_BYTES_MAX) return fail(&r, "it has %zu bytes, the limit is %d", length, MESH_BYTES_MAX);
  bool binary = is_binary(bytes, length), solid = !binary && starts_with_solid(bytes, length);
  to->places_are_lines = !binary;
  bool read = binary ? read_binary(&r, length) : solid ? read_ascii(&r) : read_obj(&r);
  if (read && !to->triangle_count && !binary && !check_binary(&r, bytes, length)) return false;
  if (read && !to->triangle_count && (binary || solid))
    return fail(&r, "it is an STL file without triangles; write it again from the program that made it");
  if (read && !to->triangle_count)
    return fail(&r, "it has no triangles: an STL file (binary or ASCII) or an OBJ file is needed");
  return read;
}
