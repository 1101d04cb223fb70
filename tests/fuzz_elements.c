// Any bytes as a file of finite elements. Nothing may crash, leak or hang; what is refused has a reason, and what is
// read has valid indices.
#include "fuzz.h"

#include "flex/gmsh.h"

static void check_index(int i, int count) {
  if (i < 0 || i >= count) abort();
}

static void check_gmsh(const gmsh_mesh *m) {
  const int n = m->mesh.node_count;
  for (int i = 0; i < 6 * m->mesh.triangle_count; i++) check_index(m->mesh.triangles[i / 6][i % 6], n);
  for (int i = 0; i < 8 * m->mesh.quad_count; i++) check_index(m->mesh.quads[i / 8][i % 8], n);
  for (int i = 0; i < 3 * m->mesh.boundary_count; i++) check_index(m->mesh.boundary[i / 3][i % 3], n);
  for (int g = 0; g < m->group_count; g++) {
    for (int i = 0; i < m->groups[g].node_count; i++) check_index(m->groups[g].nodes[i], n);
    for (int i = 0; i < 3 * m->groups[g].side_count; i++) check_index(m->groups[g].sides[i / 3][i % 3], n);
  }
}

static void fuzz_text(arena *memory, const char *text, size_t size) {
  gmsh_mesh m;
  char why[LINES_WHY];
  const bool read = gmsh_read(text, size, 1e-3, memory, &m, why);
  if (read == (why[0] != 0)) abort();
  if (read) check_gmsh(&m);
}
