#include "geometry/mesh_file.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"

typedef struct reader {
  lines l;
  double scale;
  arena *memory;
  mesh_soup *to;
  int point_capacity, triangle_capacity, place_capacity, place_count;
} reader;

static bool add_point(reader *r, const double x[3], const char *unit, int place) {
  for (int k = 0; k < 3; k++)
    if (!(fabs(r->scale * x[k]) <= MESH_COORDINATE_MAX))
      return lines_fail_whole(&r->l, "%s %d: a coordinate is not a number or too large", unit, place);
  if (r->to->point_count >= 3 * MESH_TRIANGLES_MAX)
    return lines_fail_whole(&r->l, "%s %d: more than %d points", unit, place, 3 * MESH_TRIANGLES_MAX);
  *ARENA_PUSH(r->memory, r->to->points, r->to->point_count, r->point_capacity) = vec3_scale(r->scale, vec3_of(x));
  return true;
}

static bool add_triangle(reader *r, int a, int b, int c, int place) {
  mesh_soup *to = r->to;
  if (to->triangle_count >= MESH_TRIANGLES_MAX)
    return lines_fail_whole(&r->l, "more than %d triangles; reduce the mesh", MESH_TRIANGLES_MAX);
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
    return lines_fail_whole(&r->l, "it has %d triangles, the limit is %d; reduce the mesh", count, MESH_TRIANGLES_MAX);
  for (int i = 0; i < count; i++) {
    const char *p = r->l.at + STL_HEAD + (size_t)i * STL_TRIANGLE + STL_NORMAL;
    for (int k = 0; k < 3; k++, p += 12)
      if (!add_point(r, (double[3]){read_f32(p), read_f32(p + 4), read_f32(p + 8)}, "triangle", i + 1)) return false;
    if (!add_triangle(r, 3 * i, 3 * i + 1, 3 * i + 2, i + 1)) return false;
  }
  return true;
}

static bool read_numbers(reader *r, double *x, int count) {
  for (int k = 0; k < count; k++)
    if (!lines_number(&r->l, "a coordinate", &x[k])) return false;
  return true;
}

// --- ASCII STL -------------------------------------------------------------------------------------------------------

// Of the words only `facet`, `vertex` and `endfacet` say something. The normal is not read: the order of the corners
// gives it.
static bool read_ascii(reader *r) {
  int corners = 0, first = 0;
  bool inside = false;
  for (; r->l.at < r->l.end; lines_skip(&r->l)) {
    const lines_word word = lines_next(&r->l);
    if (lines_is(word, "facet")) {
      if (inside) return lines_fail(&r->l, "'facet' before the end of the one before");
      inside = true, corners = 0, first = r->to->point_count;
    } else if (lines_is(word, "vertex")) {
      double x[3];
      if (!inside) return lines_fail(&r->l, "'vertex' outside a facet");
      if (++corners > 3) return lines_fail(&r->l, "a facet has more than three corners");
      if (!read_numbers(r, x, 3) || !add_point(r, x, "line", r->l.line)) return false;
    } else if (lines_is(word, "endfacet")) {
      if (!inside || corners != 3) return lines_fail(&r->l, "a facet with %d corners", inside ? corners : 0);
      if (!add_triangle(r, first, first + 1, first + 2, r->l.line)) return false;
      inside = false;
    }
  }
  return !inside || lines_fail(&r->l, "the file ends inside a facet");
}

// --- OBJ -------------------------------------------------------------------------------------------------------------

// `7`, `7/2`, `7//3`, `7/2/3`: the first is the point, from 1, or from -1 backwards from the last one so far.
static bool read_corner(reader *r, lines_word word, int *corner) {
  size_t digits = 0;
  char text[32];
  while (digits < word.length && word.text[digits] != '/') digits++;
  double x;
  if (!lines_decimal((lines_word){word.text, digits}, &x) || x != floor(x) || fabs(x) > INT_MAX || x == 0)
    return lines_fail(&r->l, "'%s' is not a corner of a face", lines_show(word, text));
  double index = x > 0 ? x - 1 : x + r->to->point_count;
  if (!(index >= 0 && index < r->to->point_count))
    return lines_fail(&r->l, "a face names point %.0f, but there are %d so far", x, r->to->point_count);
  *corner = (int)index;
  return true;
}

// A face with more than three corners is cut into a fan from its first.
static bool read_face(reader *r) {
  int first = 0, last = 0, corner = 0, count = 0;
  for (;; count++) {
    const lines_word word = lines_next(&r->l);
    if (!word.length || *word.text == '#') break;
    if (!read_corner(r, word, &corner)) return false;
    if (count == 0) first = corner;
    else if (count > 1 && !add_triangle(r, first, last, corner, r->l.line)) return false;
    last = corner;
  }
  return count > 2 || lines_fail(&r->l, "a face with %d corner%s", count, count == 1 ? "" : "s");
}

static bool read_obj(reader *r) {
  for (; r->l.at < r->l.end; lines_skip(&r->l)) {
    double x[3];
    const lines_word word = lines_next(&r->l);
    if (word.length == 1 && *word.text == 'v' && (!read_numbers(r, x, 3) || !add_point(r, x, "line", r->l.line)))
      return false;
    if (word.length == 1 && *word.text == 'f' && !read_face(r)) return false;
  }
  return true;
}

// --- any -------------------------------------------------------------------------------------------------------------

static bool starts_with_solid(const char *bytes, size_t length) {
  char why[LINES_WHY];
  lines l = lines_start(bytes, length, why);
  return lines_is(lines_next_line(&l), "solid");
}

// What a binary file says of itself where its length is not that of its triangles. Returns false after reporting.
static bool check_binary(reader *r, const char *bytes, size_t length) {
  if (length < STL_HEAD || !memchr(bytes, 0, length)) return true;  // a text
  uint32_t count = read_u32(bytes + 80);
  return lines_fail_whole(
      &r->l,
      "it seems to be a binary STL file, but %u triangles have %llu bytes, and it has %zu; it is cut off or "
      "damaged, write it again",
      count, (unsigned long long)STL_HEAD + (unsigned long long)count * STL_TRIANGLE, length);
}

bool mesh_read(const char *bytes, size_t length, double scale, arena *memory, mesh_soup *to, char why[MESH_WHY]) {
  *to = (mesh_soup){0};
  reader r = {.l = lines_start(bytes, length, why), .scale = scale, .memory = memory, .to = to};
  if (length > MESH_BYTES_MAX)
    return lines_fail_whole(&r.l, "it has %zu bytes, the limit is %d", length, MESH_BYTES_MAX);
  bool binary = is_binary(bytes, length), solid = !binary && starts_with_solid(bytes, length);
  to->places_are_lines = !binary;
  bool read = binary ? read_binary(&r, length) : solid ? read_ascii(&r) : read_obj(&r);
  if (read && !to->triangle_count && !binary && !check_binary(&r, bytes, length)) return false;
  if (read && !to->triangle_count && (binary || solid))
    return lines_fail_whole(&r.l, "it is an STL file without triangles; write it again from the program that made it");
  if (read && !to->triangle_count)
    return lines_fail_whole(&r.l, "it has no triangles: an STL file (binary or ASCII) or an OBJ file is needed");
  return read;
}
