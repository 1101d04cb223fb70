// Any bytes as a mesh file: read, welded and measured. Nothing may crash, leak or hang; what is refused has a reason,
// what is read has valid indices, and every side of a triangle belongs to an edge that knows it.
#include "fuzz.h"

#include "geometry/mesh_decimate.h"
#include "geometry/mesh_file.h"
#include "geometry/moments.h"
#include "geometry/polytope.h"

static void check_soup(const mesh_soup *s) {
  for (int i = 0; i < s->triangle_count; i++)
    for (int k = 0; k < 3; k++)
      if (s->triangles[i][k] < 0 || s->triangles[i][k] >= s->point_count) abort();
}

static void check_mesh(const mesh *m) {
  for (int t = 0; t < m->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      if (m->triangles[t][k] < 0 || m->triangles[t][k] >= m->vertex_count) abort();
      const mesh_edge *e = &m->edges[m->sides[t][k]];
      if (e->triangles[0] != t && e->triangles[1] != t) abort();
    }
  moments whole = moments_mesh(m);
  if (!isfinite(whole.volume) || !isfinite(whole.spread.m[0])) abort();
}

static void check_hull(arena *memory, const mesh *m) {
  polytope p;
  if (m->vertex_count <= 100) polytope_build(m->vertices, m->vertex_count, memory, &p);
}

static void fuzz_text(arena *memory, const char *text, size_t size) {
  mesh_soup soup;
  char why[MESH_WHY];
  bool read = mesh_read(text, size, 1e-3, memory, &soup, why);
  if (read == (why[0] != 0)) abort();
  if (!read) return;
  check_soup(&soup);
  mesh m, small;
  if (!mesh_build(&soup, mesh_weld_default(&soup), memory, memory, &m)) return;
  check_mesh(&m);
  check_hull(memory, &m);
  mesh_decimate(&m, 20, memory, &small);
  if (small.triangle_count > 20) abort();
}
