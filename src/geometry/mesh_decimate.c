#include "geometry/mesh_decimate.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// --- clusters --------------------------------------------------------------------------------------------------------

typedef struct cell {
  int64_t key;  // of the cell in the grid
  int vertex;
} cell;

static int by_key(const void *a, const void *b) {
  const cell *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->vertex - y->vertex;
}

static int64_t step_of(double x, double low, double size, int cells) {
  int64_t step = (int64_t)((x - low) / size * cells);
  return step < 0 ? 0 : step >= cells ? cells - 1 : step;
}

// Numbers the cells that hold vertices and writes their means. `cells`: along the longest edge of the box.
static int cluster(const mesh *m, int cells, cell *sorted, int *number, vec3 *means) {
  vec3 edges = vec3_sub(m->high, m->low);
  double size = fmax(edges.x, fmax(edges.y, edges.z));
  for (int i = 0; i < m->vertex_count; i++) {
    vec3 p = m->vertices[i];
    int64_t x = step_of(p.x, m->low.x, size, cells), y = step_of(p.y, m->low.y, size, cells),
            z = step_of(p.z, m->low.z, size, cells);
    sorted[i] = (cell){(x * cells + y) * cells + z, i};
  }
  qsort(sorted, (size_t)m->vertex_count, sizeof *sorted, by_key);
  int count = 0;
  for (int i = 0, next; i < m->vertex_count; i = next, count++) {
    vec3 sum = VEC3_ZERO;
    for (next = i; next < m->vertex_count && sorted[next].key == sorted[i].key; next++) {
      number[sorted[next].vertex] = count;
      sum = vec3_add(sum, m->vertices[sorted[next].vertex]);
    }
    means[count] = vec3_scale(1.0 / (next - i), sum);
  }
  return count;
}

// --- triangles -------------------------------------------------------------------------------------------------------

static int by_corners(const void *a, const void *b) {
  const int *x = a, *y = b;
  for (int k = 0; k < 3; k++)
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  return 0;
}

static int merge(const mesh *m, const int *number, int (*out)[3]) {
  int count = 0, kept = 0;
  for (int i = 0; i < m->triangle_count; i++) {
    int v[3] = {number[m->triangles[i][0]], number[m->triangles[i][1]], number[m->triangles[i][2]]};
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
    int first = v[0] < v[1] ? (v[0] < v[2] ? 0 : 2) : (v[1] < v[2] ? 1 : 2);  // the lowest first, the sense stays
    for (int k = 0; k < 3; k++) out[count][k] = v[(first + k) % 3];
    count++;
  }
  qsort(out, (size_t)count, sizeof *out, by_corners);
  for (int i = 0; i < count; i++)
    if (!kept || by_corners(out[i], out[kept - 1]) != 0) memmove(out[kept++], out[i], sizeof *out);
  return kept;
}

void mesh_decimate(const mesh *from, int most, arena *memory, mesh *to) {
  enum { CELLS_MAX = 1024 };
  *to = *from;
  if (from->triangle_count <= most) return;
  cell *sorted = ARENA_ARRAY(memory, cell, from->vertex_count);
  int *number = ARENA_ARRAY(memory, int, from->vertex_count);
  *to = (mesh){.low = from->low,
               .high = from->high,
               .vertices = ARENA_ARRAY(memory, vec3, from->vertex_count),
               .triangles = arena_alloc(memory, (size_t)from->triangle_count, sizeof *to->triangles)};
  int fine = 0;
  for (int step = CELLS_MAX / 2; step; step /= 2) {  // the finest grid that is small enough, by halving
    to->vertex_count = cluster(from, fine + step, sorted, number, to->vertices);
    if (merge(from, number, to->triangles) <= most) fine += step;
  }
  to->vertex_count = cluster(from, fine ? fine : 1, sorted, number, to->vertices);
  to->triangle_count = merge(from, number, to->triangles);
}
