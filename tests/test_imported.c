// Bodies from matrices of another program: checks, rigid content, and a cantilever of C3D20R elements that CalculiX
// computes, against beam theory.
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "flex/beam.h"
#include "flex/calculix.h"
#include "flex/floating.h"
#include "flex/imported.h"
#include "flex/matrix_market.h"
#include "flex/modes.h"

// --- a cloud of springs ----------------------------------------------------------------------------------------------

// Nodes of a box with springs between all of them, along their lines: K = Σ k e eᵀ, so that rigid motions are free to
// first order. Masses are lumped, with some between neighbours.
enum { CORNERS = 8 };

typedef struct cloud {
  vec3 at[CORNERS];
  double K[3 * CORNERS][3 * CORNERS], M[3 * CORNERS][3 * CORNERS];
} cloud;

static cloud cloud_of_box(void) {
  cloud c = {0};
  for (int i = 0; i < CORNERS; i++) c.at[i] = (vec3){i & 1, i & 2 ? 0.7 : 0, i & 4 ? 0.4 + 0.1 * (i & 1) : 0};
  for (int i = 0; i < CORNERS; i++)
    for (int j = 0; j < CORNERS; j++) {
      const vec3 d = vec3_sub(c.at[j], c.at[i]);
      const double e[3] = {d.x, d.y, d.z}, way = vec3_norm(d);
      for (int k = 0; k < 3; k++) {
        c.M[3 * i + k][3 * j + k] = i == j ? 2 + 0.1 * i : 0.2;
        for (int l = 0; j != i && l < 3; l++) {
          const double stiffness = 1e4 * (1 + i + j) * e[k] * e[l] / (way * way);
          c.K[3 * i + k][3 * i + l] += stiffness, c.K[3 * i + k][3 * j + l] -= stiffness;
        }
      }
    }
  return c;
}

static const char *market(arena *memory, double A[3 * CORNERS][3 * CORNERS], bool general) {
  arena_text to = {0};
  const int n = 3 * CORNERS;
  arena_append(memory, &to, "%%%%MatrixMarket matrix coordinate real %s\n%% springs\n%d %d %d\n",
               general ? "general" : "symmetric", n, n, general ? n * n : n * (n + 1) / 2);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < (general ? n : i + 1); j++) arena_append(memory, &to, "%d %d %.17g\n", i + 1, j + 1, A[i][j]);
  return to.text;
}

static const char *table(arena *memory, const cloud *c) {
  arena_text to = {0};
  arena_append(memory, &to, "# node x y z sets\n");
  for (int i = 0; i < CORNERS; i++)
    arena_append(memory, &to, "%d %.17g %.17g %.17g %s %s\n", 10 * i + 7, c->at[i].x, c->at[i].y, c->at[i].z,
                 c->at[i].x == 0 ? "left" : "right", i == 3 ? "corner # one" : "");
  return to.text;
}

typedef struct body {
  arena memory;
  imported_body from;
  imported_result made;
  char why[LINES_WHY];
} body;

static bool read_cloud(body *b, cloud *c, bool general) {
  *b = (body){.memory = arena_create(NULL)};
  const char *K = market(&b->memory, c->K, general), *M = market(&b->memory, c->M, general);
  const char *nodes = table(&b->memory, c);
  return matrix_market_read(K, strlen(K), &b->memory, &b->from.stiffness, b->why) &&
         matrix_market_read(M, strlen(M), &b->memory, &b->from.mass, b->why) &&
         node_table_read(nodes, strlen(nodes), &b->memory, &b->from, b->why) &&
         imported_elements(&b->memory, &b->from, 1, 1, &b->made, b->why);
}

static void matrices_become_a_body(void) {
  for (int general = 0; general < 2; general++) {
    cloud c = cloud_of_box();
    body b;
    CHECK(read_cloud(&b, &c, general));
    CHECK_TEXT(b.why, "");
    CHECK_EQUAL(b.made.e.freedom_count, 24);
    for (int i = 0; i < 24; i++)
      for (int j = 0; j < 24; j++) {
        CHECK_EQUAL(symmetric_value(&b.made.e.mass, i, j), c.M[i][j]);
        CHECK_NEAR(symmetric_value(&b.made.e.stiffness, i, j), c.K[i][j], 1e-9);
      }
    const flex_interface *left = interfaces_find(&b.made.interfaces, "left"),
                         *one = interfaces_find(&b.made.interfaces, "corner");
    CHECK(left && left->count == 4 && one && one->count == 1 && one->nodes[0] == 3);
    CHECK_EQUAL(b.made.interfaces.count, 3);
    arena_free(&b.memory);
  }
}

// What the kinetic energy of a body in its frame says of the integrals: ½ uᵀ M u of the velocities u of all nodes, here
// ω × ρ + v + Σ φ q̇.
static void inertia_is_that_of_the_matrix(void) {
  cloud c = cloud_of_box();
  body b;
  flexibility a;
  flex_modes m;
  CHECK(read_cloud(&b, &c, false));
  CHECK(flexibility_create(&b.memory, &b.made.e, NULL, &a));
  CHECK_EQUAL(a.rigid_count, 6);
  CHECK(modes_eigen(&b.memory, &a, 3, &m));
  floating_body f;
  floating_state s;
  floating_create(&b.memory, &b.made.e, 3, m.phi, NULL, &f);
  floating_state_create(&b.memory, &f, NULL, &s);
  const double q[3] = {0.02, -0.03, 0.01}, speed[9] = {0.3, -0.5, 0.7, 1.1, 0.2, -0.4, 0.6, -0.8, 0.9};
  double M[81], bias[9], energy = 0, expected = 0, u[24] = {0};
  floating_evaluate(&f, vec3_of(speed), q, speed + 6, &s);
  floating_write(&f, &s, M, bias);
  for (int i = 0; i < 81; i++) energy += M[i] * speed[i / 9] * speed[i % 9] / 2;
  for (int k = 0; k < CORNERS; k++) {
    vec3 at = c.at[k], v = vec3_of(speed + 3);
    for (int i = 0; i < 3; i++) {
      const double *phi = m.phi + i * 24 + 3 * k;
      at = vec3_axpy(at, q[i], vec3_of(phi)), v = vec3_axpy(v, speed[6 + i], vec3_of(phi));
    }
    vec3_store(u + 3 * k, vec3_add(v, vec3_cross(vec3_of(speed), at)));
  }
  for (int i = 0; i < 576; i++) expected += c.M[i / 24][i % 24] * u[i / 24] * u[i % 24] / 2;
  CHECK_NEAR(energy / expected, 1, 1e-13);
  arena_free(&b.memory);
}

// A place follows a rigid motion of its nodes, and a load there has the force and the torque about it.
static void places_move_as_their_nodes(void) {
  cloud c = cloud_of_box();
  body b;
  CHECK(read_cloud(&b, &c, false));
  double rigid[6 * 24], load[24] = {0};
  elements_rigid(&b.made.e, rigid);
  const vec3 at = {0.1, 0.3, 0.2}, force = {1, 2, 3}, torque = {0.4, -0.5, 0.6};
  const flex_interface *sets[2] = {NULL, interfaces_find(&b.made.interfaces, "left")};
  for (int k = 0; k < 2; k++) {
    flex_place p;
    CHECK(imported_place(&b.memory, &b.made.e, sets[k], at, &p));
    for (int m = 0; m < 6; m++) {
      const vec3 axis = {m % 3 == 0, m % 3 == 1, m % 3 == 2}, moved = elements_displacement(&p, rigid + 24 * m);
      const vec3 expected = m < 3 ? axis : vec3_cross(axis, at), turn = elements_turn(&p, rigid + 24 * m);
      CHECK_LE(vec3_norm(vec3_sub(moved, expected)), 1e-14);
      CHECK_LE(vec3_norm(vec3_sub(turn, m < 3 ? VEC3_ZERO : axis)), 1e-14);
    }
    memset(load, 0, sizeof load);
    elements_load(&p, force, torque, load);
    vec3 sum = VEC3_ZERO, about = VEC3_ZERO;
    for (int i = 0; i < CORNERS; i++) {
      sum = vec3_add(sum, vec3_of(load + 3 * i));
      about = vec3_add(about, vec3_cross(vec3_sub(c.at[i], at), vec3_of(load + 3 * i)));
    }
    CHECK_LE(vec3_norm(vec3_sub(sum, force)), 1e-13);
    CHECK_LE(vec3_norm(vec3_sub(about, torque)), 1e-13);
  }
  flex_place p;
  CHECK(!imported_place(&b.memory, &b.made.e, interfaces_find(&b.made.interfaces, "corner"), at, &p));
  arena_free(&b.memory);
}

// --- what is refused -------------------------------------------------------------------------------------------------

static void refuses_cloud(cloud *c, bool general, const char *expected) {
  body b;
  CHECK(!read_cloud(&b, c, general));
  CHECK_CONTAINS(b.why, expected);
  arena_free(&b.memory);
}

static void wrong_matrices_are_refused(void) {
  cloud c = cloud_of_box();
  c.K[0][0] += 10;
  refuses_cloud(&c, false, "the stiffness matrix resists a shift along x");
  c = cloud_of_box(), c.at[2].z += 0.01;
  refuses_cloud(&c, false, "the stiffness matrix resists a turn about");
  c = cloud_of_box(), c.K[3][1] += 10;
  refuses_cloud(&c, true, "the stiffness matrix is not symmetric");
  c = cloud_of_box(), c.M[4][4] += 1;
  refuses_cloud(&c, false, "at node 17 the mass matrix couples directions, or differs between them");
  c = cloud_of_box(), c.M[4][3] += 1;
  refuses_cloud(&c, false, "at node 17 the mass matrix couples directions");
  c = cloud_of_box();
  for (int k = 0; k < 3; k++) c.M[k][k] = -1;
  refuses_cloud(&c, false, "the mass matrix is not positive definite");
}

// What a pull of N newtons between the first two nodes, 1 m apart along x, adds to the stiffness.
static void add_pull(cloud *c, double N) {
  for (int d = 1; d < 3; d++) {
    c->K[d][d] += N, c->K[3 + d][3 + d] += N;
    c->K[d][3 + d] -= N, c->K[3 + d][d] -= N;
  }
}

// A load case of the cloud: its matrix under a pull, with `more` in one entry, and forces as text.
static void refuses_load(double pull, double more, const char *forces, const char *expected) {
  cloud c = cloud_of_box();
  body b = {.memory = arena_create(NULL)};
  imported_case load = {.name = "push"};
  imported_result made = {0};
  const char *K = market(&b.memory, c.K, false), *M = market(&b.memory, c.M, false), *nodes = table(&b.memory, &c);
  add_pull(&c, pull), c.K[0][0] += more;
  const char *loaded = market(&b.memory, c.K, false);
  b.from.cases = &load, b.from.case_count = 1;
  const bool good = matrix_market_read(K, strlen(K), &b.memory, &b.from.stiffness, b.why) &&
                    matrix_market_read(M, strlen(M), &b.memory, &b.from.mass, b.why) &&
                    matrix_market_read(loaded, strlen(loaded), &b.memory, &load.stiffness, b.why) &&
                    node_table_read(nodes, strlen(nodes), &b.memory, &b.from, b.why) &&
                    imported_forces_read(forces, strlen(forces), &b.memory, &load, b.why) &&
                    imported_elements(&b.memory, &b.from, 1, 1, &made, b.why);
  CHECK(good == !expected);
  if (expected) CHECK_CONTAINS(b.why, expected);
  arena_free(&b.memory);
}

// Nodes 7 and 17 are the first two.
static void wrong_loads_are_refused(void) {
  refuses_load(5, 0, "# pulled apart\n7 -5 0 0 # one\n17 5 0 0\n", NULL);
  refuses_load(5, 10, "7 -5 0 0\n17 5 0 0\n", "is not that of this body: it resists a shift");
  refuses_load(5, 0, "7 -5 0 0\n17 4 0 0\n", "the forces of the load 'push' are not balanced");
  refuses_load(5, 0, "7 0 -5 0\n17 0 5 0\n", "the forces of the load 'push' are not balanced");
  refuses_load(0, 0, "7 -5 0 0\n17 5 0 0\n", "the forces of the load 'push' do not fit its stiffness matrix");
  refuses_load(5, 0, "7 5 0 0\n17 -5 0 0\n", "the forces of the load 'push' do not fit its stiffness matrix");
  refuses_load(5, 0, "7 -5 0 0\n18 5 0 0\n", "a force on node 18, which has no row");
  refuses_load(5, 0, "7 -5 0\n", "line 1: a component of the force");
  refuses_load(5, 0, "7 -5 0 0 0 0 1\n", "line 1: more than three components of a force");
  refuses_load(5, 0, "# none\n", "there are no forces");
}

static void refuses_market(const char *text, const char *expected) {
  arena memory = arena_create(NULL);
  imported_matrix to;
  char why[LINES_WHY];
  CHECK(!matrix_market_read(text, strlen(text), &memory, &to, why));
  CHECK_CONTAINS(why, expected);
  arena_free(&memory);
}

static void bad_matrix_files_are_refused(void) {
#define HEAD "%%MatrixMarket matrix coordinate real symmetric\n"
  refuses_market("", "'' where '%%MatrixMarket' should be");
  refuses_market("%%MatrixMarket matrix array real general\n", "line 1: 'array' where 'coordinate' should be");
  refuses_market("%%MatrixMarket matrix coordinate complex symmetric\n", "entries are 'complex'");
  refuses_market("%%MatrixMarket matrix coordinate real hermitian\n", "the matrix is 'hermitian'");
  refuses_market(HEAD "2 3 1\n", "line 2: the matrix has 2 rows and 3 columns");
  refuses_market(HEAD "2 2 2\n1 1 1\n", "the file ends before all of its entries");
  refuses_market(HEAD "2 2 1\n1 3 1\n", "line 3: the column is 3");
  refuses_market(HEAD "2 2 1\n1 1 inf\n", "line 3: 'inf' is not a number");
  refuses_market(HEAD "2000000000 2 1\n", "the number of rows");
}

// --- CalculiX --------------------------------------------------------------------------------------------------------

typedef struct job {
  const char *dof, *deck, *expected;
} job;

static void names_of_rows_are_checked(void) {
#define NODES "*Node, nset=All\n** comment\n1, 0, 0\n2, 1.\n3, 0, 1\n4, 0, 0, 1\n*NSET, NSET=SOME, GENERATE\n1, 3, 2\n"
  static const job jobs[] = {
      {"1.1\n1.2\n1.3\n1.1\n", NODES, "1.1 occurs twice: elements that are expanded (beams, shells)"},
      {"1.1\n1.2\n", NODES, "1.3 is missing: the node is held"},
      {"1.1\n1.2\n1.3\n9.1\n", NODES, "node 9 has a row in the matrices, but no place"},
      {"1.1\n1.2\n1.3\n", NODES, "a body needs at least four nodes"},
      {"1.4\n", NODES, "line 1: 1.4 is not a displacement"},
      {"1.2\nx.1\n", NODES, "line 2: 'x.1' is not the name of a row"},
      {"1.2\n", "*STEP\n", "it has no *NODE"},
      {"1.2\n", "*NODE\n1, 0, a\n", "line 2: 'a' is not a number"},
      {"1.2\n", NODES "*TRANSFORM, NSET=SOME\n", "line 9: *TRANSFORM"},
      {"1.2\n", "*INCLUDE, INPUT=mesh.inp\n", "*INCLUDE: nodes and sets must be in this file itself"},
      {"1.2\n", NODES "*NSET, NSET=B\n1, C\n", "line 10: there is no set 'C' so far"},
      {"1.2\n", NODES "*NSET, NSET=B, GENERATE\n1, 2000000000\n", "a set has too many nodes"},
      {"1.1\n1.2\n1.3\n", NODES "*NODE\n1, 0, 0\n", "node 1 occurs twice"},
  };
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
    body b = {.memory = arena_create(NULL)};
    const job *j = &jobs[i];
    CHECK(!(calculix_rows_read(j->dof, strlen(j->dof), &b.memory, &b.from, b.why) &&
            calculix_deck_read(j->deck, strlen(j->deck), &b.memory, &b.from.nodes, b.why) &&
            imported_elements(&b.memory, &b.from, 1, 1, &b.made, b.why)));
    CHECK_CONTAINS(b.why, j->expected);
    arena_free(&b.memory);
  }
}

// A bar of 12 x 2 x 2 elements of twenty nodes along x, from 0 to 1 m, 30 mm by 50 mm. (One element across would have
// motions without strain beside those of the rigid bar: its integration is reduced.) Poisson's ratio is 0, so that the
// clamped section and the theory of beams agree.
enum { LENGTHS = 12, ACROSS = 2, SIDE = 2 * ACROSS + 1 };
#define WIDTH 0.03
#define DEPTH 0.05

static int bar_node(int i, int j, int k) { return 1 + (i * SIDE + j) * SIDE + k; }

static bool is_used(int i, int j, int k) { return (i & 1) + (j & 1) + (k & 1) <= 1; }

static void write_bar(FILE *f) {
  static const int corner[20][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2},
                                    {0, 2, 2}, {1, 0, 0}, {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2},
                                    {1, 2, 2}, {0, 1, 2}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}};
  fprintf(f, "*NODE, NSET=ALL\n");
  for (int i = 0; i <= 2 * LENGTHS; i++)
    for (int j = 0; j < SIDE; j++)
      for (int k = 0; k < SIDE; k++)
        if (is_used(i, j, k))
          fprintf(f, "%d, %.12g, %.12g, %.12g\n", bar_node(i, j, k), i / (2. * LENGTHS), WIDTH * (j / 4. - 0.5),
                  DEPTH * (k / 4. - 0.5));
  fprintf(f, "*ELEMENT, TYPE=C3D20R, ELSET=BODY\n");
  for (int e = 0; e < LENGTHS * ACROSS * ACROSS; e++) {
    const int i = e / (ACROSS * ACROSS), j = e / ACROSS % ACROSS, k = e % ACROSS;
    fprintf(f, "%d", e + 1);
    for (int n = 0; n < 20; n++)
      fprintf(f,
              n == 14   ? ", %d,\n"
              : n == 15 ? "%d"
                        : ", %d",
              bar_node(2 * i + corner[n][0], 2 * j + corner[n][1], 2 * k + corner[n][2]));
    fprintf(f, "\n");
  }
  for (int end = 0; end < 2; end++) {
    fprintf(f, "*NSET, NSET=%s\n", end ? "RIGHT" : "LEFT");
    for (int j = 0; j < SIDE * SIDE; j++)
      if (is_used(0, j / SIDE, j % SIDE)) fprintf(f, "%d,\n", bar_node(end * 2 * LENGTHS, j / SIDE, j % SIDE));
  }
  fprintf(f,
          "*MATERIAL, NAME=STEEL\n*ELASTIC\n2e11, 0\n*DENSITY\n7800\n*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL\n"
          "*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n1\n*END STEP\n");
}

static char *read_whole(arena *memory, const char *folder, const char *name) {
  FILE *f = fopen(arena_print(memory, "%s/%s", folder, name), "rb");
  if (!CHECK(f)) return "";
  fseek(f, 0, SEEK_END);
  const long length = ftell(f);
  rewind(f);
  char *text = arena_alloc(memory, (size_t)length + 1, 1);
  CHECK_EQUAL(fread(text, 1, (size_t)length, f), length);
  fclose(f);
  return text;
}

// Runs CalculiX on the bar. Returns false where it is not installed.
static bool run_calculix(body *b) {
  char folder[] = "/tmp/carom-ccx-XXXXXX", command[200];
  if (system("command -v ccx > /dev/null 2>&1") != 0) return false;
  if (!CHECK(mkdtemp(folder))) return false;
  FILE *f = fopen(arena_print(&b->memory, "%s/bar.inp", folder), "w");
  write_bar(f);
  fclose(f);
  snprintf(command, sizeof command, "cd %s && OMP_NUM_THREADS=1 ccx bar > bar.log 2>&1", folder);
  CHECK_EQUAL(system(command), 0);
  const char *dof = read_whole(&b->memory, folder, "bar.dof"), *deck = read_whole(&b->memory, folder, "bar.inp");
  const char *K = read_whole(&b->memory, folder, "bar.sti"), *M = read_whole(&b->memory, folder, "bar.mas");
  CHECK(calculix_rows_read(dof, strlen(dof), &b->memory, &b->from, b->why));
  const int rows = b->from.row_count;
  CHECK(calculix_deck_read(deck, strlen(deck), &b->memory, &b->from.nodes, b->why));
  CHECK(calculix_matrix_read(K, strlen(K), &b->memory, rows, &b->from.stiffness, b->why));
  CHECK(calculix_matrix_read(M, strlen(M), &b->memory, rows, &b->from.mass, b->why));
  CHECK(imported_elements(&b->memory, &b->from, 1, 1, &b->made, b->why));
  CHECK_TEXT(b->why, "");
  snprintf(command, sizeof command, "rm -r %s", folder);
  return CHECK_EQUAL(system(command), 0);
}

static beam_section bar_section(const void *context, double x) {
  (void)context, (void)x;
  const double A = WIDTH * DEPTH;
  return (beam_section){A, A * DEPTH * DEPTH / 12, A * WIDTH * WIDTH / 12, 1e-7, A * 5 / 6, A * 5 / 6};
}

// Frequencies of Timoshenko's free beam with the same section; those of bending alone are compared.
static void beam_frequencies(arena *memory, double omega[4]) {
  const beam b = {.length = 1,
                  .young = 2e11,
                  .shear = 1e11,
                  .density = 7800,
                  .timoshenko = true,
                  .elements = 200,
                  .section = bar_section};
  flex_elements e;
  flexibility a;
  flex_modes m;
  beam_elements(memory, &b, &e);
  CHECK(flexibility_create(memory, &e, NULL, &a));
  CHECK(modes_eigen(memory, &a, 4, &m));
  memcpy(omega, m.omega, 4 * sizeof *omega);
}

// Against beam theory with shear: the tip moves by F L³/3EI + F L/(κ G A), κ = 5/6, exactly so in the interior of a
// solid bar without lateral contraction; the mesh leaves (1/12)⁴, 5e-5. In frequencies the mesh leaves about (βh)⁴/240,
// with βL = 4.73 of the first two modes and 7.85 of the next: 1.0e-4 and 7.6e-4.
static void calculix_bar_is_a_beam(void) {
  body b = {.memory = arena_create(NULL)};
  if (!run_calculix(&b)) {
    arena_free(&b.memory);
    SKIP("ccx is not installed: scripts/setup test installs it");
  }
  const double E = 2e11, G = E / 2, A = WIDTH * DEPTH, I = WIDTH * DEPTH * DEPTH * DEPTH / 12, density = 7800;
  const int n = b.made.e.freedom_count;
  bool *held = ARENA_ARRAY(&b.memory, bool, n);
  const flex_interface *left = interfaces_find(&b.made.interfaces, "LEFT"),
                       *right = interfaces_find(&b.made.interfaces, "RIGHT");
  if (!CHECK(left && right)) return;
  CHECK_EQUAL(left->count, 21);
  for (int i = 0; i < left->count; i++)
    for (int d = 0; d < 3; d++) held[b.made.e.freedoms[left->nodes[i]][d]] = true;
  flexibility clamped, free;
  flex_modes m;
  flex_place tip;
  double *load = ARENA_ARRAY(&b.memory, double, n), *x = ARENA_ARRAY(&b.memory, double, n);
  CHECK(flexibility_create(&b.memory, &b.made.e, held, &clamped));
  CHECK(imported_place(&b.memory, &b.made.e, right, (vec3){1, 0, 0}, &tip));
  elements_load(&tip, (vec3){0, 0, 1000}, VEC3_ZERO, load);
  flexibility_apply(&b.memory, &clamped, load, x);
  const double deflection = elements_displacement(&tip, x).z, expected = 1000 / (3 * E * I) + 1000 / (5. / 6 * G * A);
  CHECK_NEAR(deflection / expected, 1, 5e-5);
  CHECK(flexibility_create(&b.memory, &b.made.e, NULL, &free));
  CHECK_EQUAL(free.rigid_count, 6);
  CHECK(modes_eigen(&b.memory, &free, 4, &m));
  double beam[4];
  beam_frequencies(&b.memory, beam);
  for (int i = 0; i < 4; i++) CHECK_NEAR(m.omega[i] / beam[i], 1, i < 2 ? 1.2e-4 : 7.6e-4);
  floating_body f;
  floating_create(&b.memory, &b.made.e, 4, m.phi, NULL, &f);
  CHECK_NEAR(f.inertia.mass / (density * A), 1, 1e-12);
  CHECK_NEAR(f.inertia.second.m[0] / (density * A / 3), 1, 1e-10);
  CHECK_NEAR(f.inertia.second.m[8] / (density * I), 1, 1e-10);
  printf("    tip %.6f of Timoshenko's, frequencies %.5f %.5f %.5f %.5f\n", deflection / expected, m.omega[0] / beam[0],
         m.omega[1] / beam[1], m.omega[2] / beam[2], m.omega[3] / beam[3]);
  arena_free(&b.memory);
}

int main(void) {
  RUN(matrices_become_a_body);
  RUN(inertia_is_that_of_the_matrix);
  RUN(places_move_as_their_nodes);
  RUN(wrong_matrices_are_refused);
  RUN(wrong_loads_are_refused);
  RUN(bad_matrix_files_are_refused);
  RUN(names_of_rows_are_checked);
  RUN(calculix_bar_is_a_beam);
  return check_summary();
}
