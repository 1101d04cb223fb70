// Meshes in the text format of gmsh: both versions, groups, what is refused; quadrilaterals in statics and vibration.
#include "check.h"

#include "flex/gmsh.h"
#include "flex/interface.h"
#include "flex/modes.h"
#include "flex/planar_solid.h"

// --- files -----------------------------------------------------------------------------------------------------------

// A strip of columns x 1 cells of length and height 1, as gmsh would write it. Node (i, j) of the grid of half cells
// has the number 1 + 3 i + j; those in the middle of cells are not used. The left side is the group "left", the right
// side has no name, the corner at the origin is the point "corner".
typedef struct strip {
  bool old, triangles, clockwise;
  int columns;
} strip;

static int number_of(int i, int j) { return 1 + 3 * i + j; }

static void write_cell(arena *memory, arena_text *to, const strip *s, int c, int first) {
  const int i = 2 * c;
#define N(a, b) number_of(i + (a), (b))
  const int quad[8] = {N(0, 0), N(2, 0), N(2, 2), N(0, 2), N(1, 0), N(2, 1), N(1, 2), N(0, 1)};
  const int turned[8] = {N(0, 0), N(0, 2), N(2, 2), N(2, 0), N(0, 1), N(1, 2), N(2, 1), N(1, 0)};
  const int triangles[2][6] = {{N(0, 0), N(2, 0), N(2, 2), N(1, 0), N(2, 1), N(1, 1)},
                               {N(0, 0), N(2, 2), N(0, 2), N(1, 1), N(1, 2), N(0, 1)}};
#undef N
  for (int t = 0; t < (s->triangles ? 2 : 1); t++) {
    arena_append(memory, to, "%d", first + t);
    if (s->old) arena_append(memory, to, " %d 2 7 1", s->triangles ? 9 : 16);
    for (int k = 0; k < (s->triangles ? 6 : 8); k++)
      arena_append(memory, to, " %d", s->triangles ? triangles[t][k] : s->clockwise ? turned[k] : quad[k]);
    arena_append(memory, to, "\n");
  }
}

static const char *write_strip(arena *memory, strip s) {
  arena_text to = {0};
  const int nodes = 3 * (2 * s.columns + 1), cells = s.columns * (s.triangles ? 2 : 1), right = 2 * s.columns;
  arena_append(memory, &to, "$MeshFormat\n%s 0 8\n$EndMeshFormat\n", s.old ? "2.2" : "4.1");
  arena_append(memory, &to, "$PhysicalNames\n3\n0 5 \"corner\"\n1 3 \"left\"\n2 7 \"all of it\"\n$EndPhysicalNames\n");
  if (!s.old)
    arena_append(memory, &to,
                 "$Entities\n1 2 1 0\n1 0 0 0 1 5\n4 0 0 0 0 1 0 1 3 2 1 -4\n2 9 0 0 9 1 0 1 12 2 2 -3\n"
                 "1 0 0 0 9 1 0 1 7 4 1 2 3 4\n$EndEntities\n");
  arena_append(memory, &to, s.old ? "$Nodes\n%d\n" : "$Nodes\n1 %d 1 1000\n2 1 0 %d\n", nodes, nodes);
  for (int k = 0; !s.old && k < nodes; k++) arena_append(memory, &to, "%d\n", 1 + k);
  for (int k = 0; k < nodes; k++) {
    if (s.old) arena_append(memory, &to, "%d ", 1 + k);
    arena_append(memory, &to, "%g %g 0\n", k / 3 / 2., k % 3 / 2.);
  }
  arena_append(memory, &to, "$EndNodes\n$Comments\nanything $goes\n$EndComments\n$Elements\n");
  if (s.old) {
    arena_append(memory, &to, "%d\n1 15 2 5 1 1\n2 8 2 3 4 3 1 2\n", cells + 3);
    arena_append(memory, &to, "3 8 2 12 2 %d %d %d\n", number_of(right, 0), number_of(right, 2), number_of(right, 1));
  } else {
    arena_append(memory, &to, "4 %d 1 1000\n0 1 15 1\n1 1\n1 4 8 1\n2 3 1 2\n", cells + 3);
    arena_append(memory, &to, "1 2 8 1\n3 %d %d %d\n", number_of(right, 0), number_of(right, 2), number_of(right, 1));
    arena_append(memory, &to, "2 1 %d %d\n", s.triangles ? 9 : 16, cells);
  }
  for (int c = 0; c < s.columns; c++) write_cell(memory, &to, &s, c, 4 + 2 * c);
  arena_append(memory, &to, "$EndElements\n");
  return to.text;
}

static bool read_text(arena *memory, const char *text, gmsh_mesh *to, char why[LINES_WHY]) {
  return gmsh_read(text, strlen(text), 0.5, memory, to, why);
}

static const gmsh_group *group_of(const gmsh_mesh *m, const char *name) {
  for (int i = 0; i < m->group_count; i++)
    if (strcmp(m->groups[i].name, name) == 0) return &m->groups[i];
  return NULL;
}

static void check_groups(const gmsh_mesh *m, double right) {
  const vec2 *nodes = m->mesh.nodes;
  const gmsh_group *g = group_of(m, "left");
  if (!CHECK(g)) return;
  CHECK(g->side_count == 1 && g->node_count == 3 && g->dimension == 1);
  const int *side = g->sides[0];
  CHECK(nodes[side[0]].y == 0.5 && nodes[side[1]].y == 0 && nodes[side[2]].y == 0.25);  // the body to its left
  for (int k = 0; k < 3; k++) CHECK_EQUAL(nodes[g->nodes[k]].x, 0);
  g = group_of(m, "12");
  if (CHECK(g) && CHECK_EQUAL(g->side_count, 1)) CHECK_EQUAL(nodes[g->sides[0][2]].x, right);
  g = group_of(m, "corner");
  if (CHECK(g) && CHECK_EQUAL(g->node_count, 1)) CHECK(nodes[g->nodes[0]].x == 0 && nodes[g->nodes[0]].y == 0);
  CHECK(!group_of(m, "all of it"));
}

static void both_versions_are_read(void) {
  for (int k = 0; k < 8; k++) {
    arena memory = arena_create(NULL);
    const strip s = {.old = k & 1, .triangles = k & 2, .clockwise = k & 4, .columns = 4};
    gmsh_mesh m;
    char why[LINES_WHY];
    CHECK(read_text(&memory, write_strip(&memory, s), &m, why));
    CHECK_TEXT(why, "");
    CHECK_EQUAL(m.mesh.triangle_count, s.triangles ? 8 : 0);
    CHECK_EQUAL(m.mesh.quad_count, s.triangles ? 0 : 4);
    CHECK_EQUAL(m.mesh.node_count, s.triangles ? 27 : 23);
    CHECK_EQUAL(m.mesh.boundary_count, 10);
    CHECK_EQUAL(planar_solid_folded(&m.mesh), -1);
    double length = 0;
    const flex_interface rim =
        interface_of_sides(&memory, "rim", m.mesh.nodes, m.mesh.boundary_count, (const int(*)[3])m.mesh.boundary);
    for (int i = 0; i < rim.count; i++) length += rim.sizes[i];
    CHECK_NEAR(length, 5, 1e-14);
    check_groups(&m, 2);
    arena_free(&memory);
  }
}

// --- what is refused -------------------------------------------------------------------------------------------------

static void refuses(const char *text, const char *expected) {
  arena memory = arena_create(NULL);
  gmsh_mesh m;
  char why[LINES_WHY];
  CHECK(!read_text(&memory, text, &m, why));
  CHECK_CONTAINS(why, expected);
  arena_free(&memory);
}

// The strip with one piece of its text replaced.
static void refuses_changed(bool old, const char *from, const char *to, const char *expected) {
  arena memory = arena_create(NULL);
  const char *text = write_strip(&memory, (strip){.old = old, .columns = 2}), *at = strstr(text, from);
  if (CHECK(at)) refuses(arena_print(&memory, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)), expected);
  arena_free(&memory);
}

static void bad_files_are_refused(void) {
  refuses("", "it is empty");
  refuses("solid block\n", "line 1: it begins with 'solid' like an STL file, not with $MeshFormat as a mesh of gmsh");
  refuses("$Nodes\n1\n", "line 1: it begins with '$Nodes', not with $MeshFormat");
  refuses("*NODE\n1, 0, 0\n", "line 1: it begins with '*NODE' like a deck of Abaqus or CalculiX, not with $MeshFormat");
  refuses(
      "// plate\nPoint(1) = {0, 0, 0};\n",
      "like a geometry of gmsh (mesh it: gmsh -2 -order 2), not with $MeshFormat as a mesh of gmsh (text, 4.1 or 2.2)");
  refuses("$MeshFormat\n4.1 1 8\n", "line 2: it is a binary file");
  refuses("$MeshFormat\n4 0 8\n$EndMeshFormat\n", "version 4; save it as version 4.1 or 2.2");
  refuses("$MeshFormat\n2.2 0 8\n", "the file ends inside the section that begins at line 1");
  refuses("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "it has no triangles and no quadrilaterals");
  refuses_changed(true, "\n4 16 2 7 1", "\n4 3 2 7 1", "line 36: elements of first order (type 3)");
  refuses_changed(true, "\n4 16 2 7 1", "\n4 10 2 7 1", "quadrilaterals with nine nodes");
  refuses_changed(true, "\n4 16 2 7 1", "\n4 5 2 7 1", "elements of type 5");
  refuses_changed(true, "\n4 16 2 7 1 1 ", "\n4 16 2 7 1 99 ",
                  "line 36: the element has a node that is not in the file");
  refuses_changed(true, "\n4 16 2 7 1 1 7", "\n4 16 2 7 1 7 1", "line 36: the element is folded");
  refuses_changed(true, "\n2 0 0.5 0", "\n1 0 0.5 0", "the number of a node occurs twice");
  refuses_changed(true, "\n2 0 0.5 0", "\n2 0 0.5 0.1", "line 13: the node is not in the plane z = 0");
  refuses_changed(true, "\n2 0 0.5 0", "\n2 0 0.5", "line 13: a coordinate is missing");
  refuses_changed(true, "\n2 0 0.5 0", "\n2 0 nan 0", "line 13: 'nan' is not a number");
  refuses_changed(true, "\n5\n1 15", "\n6\n1 15", "line 38: '$EndElements' is not a number");
  refuses_changed(true, "\n5\n1 15", "\n4\n1 15", "line 37: '6' where the section should end");
  refuses_changed(true, "\n15\n", "\n15000000\n", "not a whole number from 1 to 100000");
  refuses_changed(false, "\"left\"", "left", "the name of a group is missing, not in quotes");
  refuses_changed(false, "2 1 16 2\n", "2 1 4 2\n", "elements of type 4");
  refuses_changed(false, "1 3 2 1 -4", "1000000 3 2 1 -4", "the number of groups of an entity");
}

// Elements that lie on each other, and parts that do not hold together.
static void bad_meshes_are_refused(void) {
  static const char head[] =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n1 0 0 0\n2 2 0 0\n3 0 2 0\n4 1 0 0\n5 1 1 0\n6 0 1 0\n"
      "7 3 0 0\n8 5 0 0\n9 3 2 0\n10 4 0 0\n11 4 1 0\n12 3 1 0\n$EndNodes\n$Elements\n2\n1 9 2 1 1 1 2 3 4 5 6\n";
  static const char *const second[][2] = {{"2 9 2 1 1 7 8 9 10 11 12", "its elements are in 2 parts"},
                                          {"2 9 2 1 1 1 2 3 4 5 6", "line 22: the element overlaps another"},
                                          {"2 9 2 1 1 2 8 3 10 11 12", "but not the middle between them"},
                                          {"2 9 2 1 1 1 8 8 10 11 12", "line 22: the element is folded"}};
  for (int k = 0; k < 4; k++) {
    arena memory = arena_create(NULL);
    refuses(arena_print(&memory, "%s%s\n$EndElements\n", head, second[k][0]), second[k][1]);
    arena_free(&memory);
  }
}

// --- quadrilaterals --------------------------------------------------------------------------------------------------

// Shape functions are 1 at their node and 0 at the others, their sum is 1, and their derivatives are those of
// differences, which have an error of h² = 1e-8 with cubic functions of size 1.
static void shapes_of_quadrilaterals(void) {
  static const double at[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}};
  double shape[8], r[8], s[8], high[8], low[8], ignored[8];
  for (int k = 0; k < 8; k++) {
    quads_shape(at[k][0], at[k][1], shape, r, s);
    for (int j = 0; j < 8; j++) CHECK_NEAR(shape[j], j == k, 1e-15);
  }
  quads_shape(0.3, -0.7, shape, r, s);
  double sum = 0;
  for (int j = 0; j < 8; j++) sum += shape[j];
  CHECK_NEAR(sum, 1, 1e-15);
  quads_shape(0.3 + 1e-4, -0.7, high, ignored, ignored), quads_shape(0.3 - 1e-4, -0.7, low, ignored, ignored);
  for (int j = 0; j < 8; j++) CHECK_NEAR(r[j], (high[j] - low[j]) / 2e-4, 2e-8);
  quads_shape(0.3, -0.7 + 1e-4, high, ignored, ignored), quads_shape(0.3, -0.7 - 1e-4, low, ignored, ignored);
  for (int j = 0; j < 8; j++) CHECK_NEAR(s[j], (high[j] - low[j]) / 2e-4, 2e-8);
}

// First frequency of a free strip of length 8 and height 1, by triangles and by quadrilaterals.
static double strip_frequency(bool triangles, int columns, double *mass) {
  arena memory = arena_create(NULL);
  gmsh_mesh m;
  char why[LINES_WHY];
  CHECK(read_text(&memory, write_strip(&memory, (strip){.triangles = triangles, .columns = columns}), &m, why));
  for (int i = 0; i < m.mesh.node_count; i++) m.mesh.nodes[i].x *= 16. / columns, m.mesh.nodes[i].y *= 2;
  const planar_solid b = {m.mesh, 0.1, 2e8, 0.3, 10, false};
  flex_elements e;
  flexibility a;
  flex_modes modes;
  planar_solid_elements(&memory, &b, &e);
  CHECK(flexibility_create(&memory, &e, NULL, &a));
  CHECK(modes_eigen(&memory, &a, 2, &modes));
  *mass = 0;
  for (int p = 0; p < e.point_count; p++) *mass += e.points[p].mass;
  const double omega = modes.omega[0];
  arena_free(&memory);
  return omega;
}

// Both converge to the same value; a quadrilateral with eight nodes follows bending better than two triangles do. A
// beam without shear would have 4.73²/L² √(E h²/12ρ); shear and rotary inertia take some 7 % off at this depth.
static void quadrilaterals_vibrate(void) {
  double mass, coarse = strip_frequency(false, 8, &mass), fine = strip_frequency(false, 32, &mass);
  const double triangles = strip_frequency(true, 32, &mass), beam = 22.3732854 / 64 * sqrt(2e8 / 120.);
  CHECK_NEAR(mass, 8, 1e-13);
  CHECK(coarse > fine);
  CHECK_NEAR(coarse / fine, 1, 1e-3);
  CHECK_NEAR(triangles / fine, 1, 1e-3);
  CHECK(fine < beam && fine > 0.9 * beam);
  printf("    strip: %.6f %.6f rad/s by 8 and 32 quadrilaterals, %.6f by 64 triangles, %.3f of a thin beam\n", coarse,
         fine, triangles, fine / beam);
}

int main(void) {
  RUN(both_versions_are_read);
  RUN(bad_files_are_refused);
  RUN(bad_meshes_are_refused);
  RUN(shapes_of_quadrilaterals);
  RUN(quadrilaterals_vibrate);
  return check_summary();
}
