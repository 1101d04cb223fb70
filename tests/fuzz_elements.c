// Any bytes as a file of finite elements. Nothing may crash, leak or hang; what is refused has a reason, and what is
// read has valid indices.
#include "fuzz.h"

#include "flex/calculix.h"
#include "flex/gmsh.h"
#include "flex/matrix_market.h"

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

// Each reader says why, or reads.
static void check_said(bool read, const char *why) {
  if (read == (why[0] != 0)) abort();
}

// Both matrices from the same bytes, and rows of CalculiX, or nodes of a table, from what follows the first line `---`.
static void check_matrices(arena *memory, const char *text, size_t size) {
  imported_body b = {0};
  imported_case load = {.name = "load"};
  imported_result made = {0};
  char why[LINES_WHY];
  const char *more = strstr(text, "---\n");
  const size_t first = more ? (size_t)(more - text) : size, rest = more ? size - first - 4 : 0;
  more = more ? more + 4 : "";
  bool read = matrix_market_read(text, first, memory, &b.stiffness, why);
  check_said(read, why);
  if (read) matrix_market_read(text, first, memory, &b.mass, why);
  if (read) matrix_market_read(text, first, memory, &load.stiffness, why);
  const bool has_load = imported_forces_read(more, rest, memory, &load, why);
  check_said(has_load, why);
  b.cases = &load, b.case_count = read && has_load;
  check_said(node_table_read(more, rest, memory, &b, why), why);
  if (read && !why[0]) check_said(imported_elements(memory, &b, 1, 1, &made, why), why);
  imported_body c = {0};
  check_said(calculix_deck_read(text, first, memory, &c.nodes, why), why);
  check_said(calculix_rows_read(more, rest, memory, &c, why), why);
  check_said(calculix_matrix_read(text, first, memory, 20, &c.mass, why), why);
  c.stiffness = c.mass;
  check_said(imported_elements(memory, &c, 1, 1, &made, why), why);
}

static void fuzz_text(arena *memory, const char *text, size_t size) {
  gmsh_mesh m;
  char why[LINES_WHY];
  check_matrices(memory, text, size);
  const bool read = gmsh_read(text, size, 1e-3, memory, &m, why);
  check_said(read, why);
  if (read) check_gmsh(&m);
}
