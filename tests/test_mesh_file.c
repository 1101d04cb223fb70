// STL and OBJ files: their triangles, what is wrong with them, and bodies made of them.
#include "check.h"
#include "comma.h"

#include "carom/carom.h"
#include "geometry/mesh_decimate.h"
#include "geometry/mesh_file.h"
#include "geometry/moments.h"

static arena memory;
static jmp_buf out_of_memory;

// --- reading ---------------------------------------------------------------------------------------------------------

static char *load(const char *name, size_t *length) {
  char path[4200];
  snprintf(path, sizeof path, CHECK_SOURCE_DIR "/tests/seeds/%s", name);
  FILE *f = fopen(path, "rb");
  if (!CHECK(f)) exit(1);
  char *bytes = arena_alloc(&memory, 100000, 1);
  *length = fread(bytes, 1, 100000, f);
  fclose(f);
  return bytes;
}

static void check_block(const char *name, int points, int place_of_last, bool lines) {
  size_t length;
  char why[MESH_WHY], *bytes = load(name, &length);
  mesh_soup s;
  if (!CHECK(mesh_read(bytes, length, 1e-3, &memory, &s, why))) {
    printf("%s\n", why);
    return;
  }
  CHECK_EQUAL(s.triangle_count, 12);
  CHECK_EQUAL(s.point_count, points);
  CHECK_EQUAL(s.places[11], place_of_last);
  CHECK(s.places_are_lines == lines);
  mesh m;
  CHECK(mesh_build(&s, mesh_weld_default(&s), &memory, &memory, &m));
  CHECK(mesh_is_closed(&m) && m.vertex_count == 8);
  moments got = moments_mesh(&m), box = moments_box((vec3){0.01, 0.02, 0.03});
  CHECK_NEAR(got.volume, 6e-6, 1e-20);
  CHECK_NEAR(vec3_norm(vec3_sub(got.centre, (vec3){0.005, 0.01, 0.015})), 0, 1e-17);
  for (int k = 0; k < 9; k++) CHECK_NEAR(got.spread.m[k], box.spread.m[k], 1e-14 * box.spread.m[8]);
}

static void three_kinds_of_files_are_read(void) {
  check_block("block.stl", 36, 12, false);
  check_block("block-ascii.stl", 36, 85, true);
  check_block("block.obj", 8, 18, true);
}

static void the_locale_does_not_matter(void) {
  if (!comma_begin()) SKIP("no locale with a decimal comma can be made");
  check_block("block-ascii.stl", 36, 85, true);
  mesh_soup s;
  char why[MESH_WHY];
  const char *text = "v 0 0 1.5\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  CHECK(mesh_read(text, strlen(text), 1, &memory, &s, why) && s.points[0].z == 1.5);
  setlocale(LC_ALL, "C");
}

static void refuses_text(const char *text, size_t length, const char *why_wanted) {
  char why[MESH_WHY];
  mesh_soup s;
  if (!CHECK(!mesh_read(text, length, 1, &memory, &s, why) && strstr(why, why_wanted))) printf("    %s\n", why);
}
#define REFUSES(text, why) refuses_text(text, strlen(text), why)

static void what_is_no_mesh_is_refused_with_its_line(void) {
  REFUSES("", "no triangles");
  REFUSES("hello\nworld\n", "no triangles");
  REFUSES("solid part\nendsolid part\n", "it is an STL file without triangles");
  refuses_text((const char[84]){0}, 84, "it is an STL file without triangles");
  REFUSES("v 0 0\n", "line 1: a coordinate is missing");
  REFUSES("v 0 0 1\nv 0 x 1\n", "line 2: 'x' is not a number");
  REFUSES("v 0 0 nan\n", "line 1: 'nan' is not a number");
  REFUSES("v 0 0 0x10\n", "'0x10' is not a number");
  static const char with_nul[] =
      "v 0 0 1\0"
      "5\n";
  refuses_text(with_nul, sizeof with_nul - 1, "line 1: '1?5' is not a number");
  REFUSES("v 0 0 1e400\n", "'1e400' is not a number");
  REFUSES("v 0 0 1e60\n", "line 1: a coordinate is not a number or too large");
  REFUSES("v 0 0 1\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4: a face names point 4, but there are 3 so far");
  REFUSES("v 0 0 1\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n", "line 4: a face names point -4");
  REFUSES("v 0 0 1\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "'0' is not a corner");
  REFUSES("v 0 0 1\nv 1 0 0\nv 0 1 0\nf 1 2 3000000000\n", "'3000000000' is not a corner");
  REFUSES("v 0 0 1\nv 1 0 0\n\nf 1 2\n", "line 4: a face with 2 corners");
  REFUSES("solid\nfacet\nvertex 0 0 0\nfacet\n", "line 4: 'facet' before the end");
  REFUSES("solid\nvertex 0 0 0\n", "line 2: 'vertex' outside a facet");
  REFUSES("solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendfacet\n", "line 5: a facet with 2 corners");
  REFUSES("solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 0\n",
          "line 6: a facet has more than three corners");
  REFUSES("solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n", "ends inside a facet");
  size_t length;
  char *bytes = load("block.stl", &length);
  refuses_text(bytes, length - 1, "cut off or damaged");  // its length does not fit its count
  memcpy(bytes + 84 + 50 * 4 + 12, "\0\0\xc0\x7f", 4);    // a NaN
  refuses_text(bytes, length, "triangle 5: a coordinate is not a number");
}

// A ball of many triangles, drawn with few, stays within a cell of its surface.
static void meshes_are_reduced_for_drawing(void) {
  int rows = 120, columns = 240;
  mesh_soup s = {.points = ARENA_ARRAY(&memory, vec3, (rows + 1) * columns),
                 .point_count = (rows + 1) * columns,
                 .triangles = arena_alloc(&memory, (size_t)(2 * rows * columns), sizeof *s.triangles)};
  for (int i = 0; i <= rows; i++)
    for (int k = 0; k < columns; k++) {
      double up = M_PI * ((double)i / rows - 0.5), around = 2 * M_PI * k / columns;
      s.points[i * columns + k] = (vec3){cos(up) * cos(around), cos(up) * sin(around), sin(up)};
      if (i == rows) continue;
      int a = i * columns + k, b = i * columns + (k + 1) % columns;
      memcpy(s.triangles[s.triangle_count++], (int[3]){a, b, b + columns}, sizeof *s.triangles);
      memcpy(s.triangles[s.triangle_count++], (int[3]){a, b + columns, a + columns}, sizeof *s.triangles);
    }
  mesh m, small;
  CHECK(mesh_build(&s, mesh_weld_default(&s), &memory, &memory, &m));
  mesh_decimate(&m, 2000, &memory, &small);
  CHECK(small.triangle_count <= 2000 && small.triangle_count > 1000);
  moments got = moments_mesh(
      &(mesh){.vertices = small.vertices, .triangles = small.triangles, .triangle_count = small.triangle_count});
  CHECK_NEAR(got.volume, 4 * M_PI / 3, 0.1);
  double off = 0;
  for (int i = 0; i < small.vertex_count; i++) off = fmax(off, fabs(vec3_norm(small.vertices[i]) - 1));
  CHECK_LE(off, 0.03);
  mesh_decimate(&m, m.triangle_count, &memory, &small);
  CHECK(small.triangles == m.triangles);
}

// --- bodies ----------------------------------------------------------------------------------------------------------

static carom_model *model_of(const char *body, carom_error *error) {
  char text[6200];
  snprintf(text, sizeof text, "bodies: {b: %s}\njoints: {j: {free: [ground, b]}}\n", body);
  return carom_model_parse(text, CHECK_SOURCE_DIR "/tests/seeds/model.yaml", error);  // files are found beside it
}

static void check_body(const char *body) {
  carom_error error = {0};
  carom_model *m = model_of(body, &error);
  if (!CHECK(m)) {
    printf("%s\n", error.text);
    return;
  }
  carom_body_size size = carom_model_body_size(m, 1);
  double mass = 1000 * 6e-6, *I = size.inertia;
  CHECK(size.from_shape);
  CHECK_NEAR(size.mass, mass, 1e-15);
  CHECK_NEAR(size.com[0], 1.005, 1e-15);
  CHECK_NEAR(I[0], mass * 1300e-6 / 12, 1e-20);
  CHECK_NEAR(I[2], mass * 500e-6 / 12, 1e-20);
  CHECK_NEAR(size.size, 0.03, 1e-15);
  CHECK(carom_model_file(m, 1) && strstr(carom_model_file(m, 1), "tests/seeds/block") && !carom_model_file(m, 2));
  carom_model_destroy(m);
}

static void bodies_have_the_mass_of_their_files(void) {
  check_body("{density: 1000, shape: {mesh: {file: block.stl, scale: 1 mm}, at: [1, 0, 0]}}");
  check_body("{density: 1000, shape: {mesh: block-ascii.stl, scale: 1 mm, at: [1, 0, 0]}}");
  check_body("{density: 1000, shape: {mesh: {file: block.obj, scale: 0.001, at: [1, 0, 0]}}}");
  check_body("{density: 1000, shape: {hull: {file: block.stl, scale: 1 mm}, at: [1, 0, 0]}}");
}

// The centre of a round mesh is off by rounding, which is no typical length.
static void a_centre_is_free_of_rounding(void) {
  enum { ROWS = 24, COLUMNS = 48 };
  FILE *f = fopen(scratch("ball.obj"), "w");
  if (!CHECK(f)) return;
  for (int i = 0; i <= ROWS; i++)
    for (int k = 0; k < COLUMNS; k++) {
      double up = M_PI * ((double)i / ROWS - 0.5), around = 2 * M_PI * k / COLUMNS;
      fprintf(f, "v %.9g %.9g %.9g\n", cos(up) * cos(around), cos(up) * sin(around), sin(up));
    }
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < COLUMNS; k++) {
      int a = i * COLUMNS + k + 1, b = i * COLUMNS + (k + 1) % COLUMNS + 1;
      fprintf(f, "f %d %d %d %d\n", a, b, b + COLUMNS, a + COLUMNS);
    }
  fclose(f);
  char body[5000];
  carom_error error = {0};
  snprintf(body, sizeof body, "{density: 1, shape: {mesh: %s}}", scratch("ball.obj"));
  carom_model *m = model_of(body, &error);
  if (CHECK(m)) {
    carom_body_size size = carom_model_body_size(m, 1);
    CHECK(size.com[0] == 0 && size.com[1] == 0 && size.com[2] == 0);
    CHECK_NEAR(size.mass, 4 * M_PI / 3, 0.05);
    CHECK_NEAR(carom_model_get_info(m).length, 1, 0);
  }
  carom_model_destroy(m);
}

static void refuses(const char *body, const char *what) {
  carom_error error = {0};
  carom_model *m = model_of(body, &error);
  if (!CHECK(!m && strstr(error.text, what))) printf("%s\n", error.text);
  carom_model_destroy(m);
}

// Writes a file and returns a body that is made of it.
static const char *body_of(const char *text) {
  static char body[5000];
  char path[4200];
  snprintf(path, sizeof path, "%s", scratch("part.obj"));
  FILE *f = fopen(path, "w");
  if (f) fputs(text, f), fclose(f);
  snprintf(body, sizeof body, "{density: 1, shape: {mesh: %s}}", path);
  return body;
}

#define TETRAHEDRON "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
static void files_that_enclose_nothing_have_no_mass(void) {
  refuses("{density: 1, shape: {mesh: nothing.stl}}", "nothing.stl': No such file");
  refuses("{density: 1, shape: {mesh: .}}", "not a file");
  refuses("{shape: {mesh: {file: block.stl, scale: -1 mm}}, mass: 1, inertia: 1}", "'scale' must be positive");
  refuses("{shape: {hull: {file: block.stl}, points: 1}, mass: 1, inertia: 1}", "unknown key 'points'");
  refuses(body_of(TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 1 4 3\n"),
          "part.obj' is open (edges of one triangle alone: 3, first at line 5)");
  refuses(body_of(TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 4 3\n"),
          "has no outside (edges whose triangles face opposite sides: 3");
  refuses(body_of(TETRAHEDRON "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n"),
          "is inside out (parts that face inwards: 1, first at line 5); add 'flip: true'");
  refuses(body_of(TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 2 3 4\n"),
          "branches (edges of more than two triangles: 3");
  refuses(body_of(TETRAHEDRON "f 1 1 2\n"), "no triangle has an area");
  refuses(body_of(TETRAHEDRON "f 1 2 7\n"), "line 5: a face names point 7");
}

static void flipped_and_drawn_files_are_accepted(void) {
  carom_error error = {0};
  char body[6000];
  snprintf(body, sizeof body, "%s", body_of(TETRAHEDRON "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n"));
  strcpy(strstr(body, "}}"), ", flip: true}}");
  carom_model *m = model_of(body, &error);
  if (CHECK(m)) CHECK_NEAR(carom_model_body_size(m, 1).mass, 1.0 / 6, 1e-16);
  carom_model_destroy(m);
  snprintf(body, sizeof body, "{mass: 1, inertia: 1, shape: {mesh: %s}}", scratch("part.obj"));
  body_of(TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 1 1 1\n");
  m = model_of(body, &error);  // open, and drawn all the same
  if (CHECK(m)) {
    CHECK(strstr(carom_model_note(m, 0), "is open (edges of one triangle alone: 3"));
    CHECK(strstr(carom_model_note(m, 1), "triangles without an area: 1 of 4, first at line 8"));
  }
  carom_model_destroy(m);
}

static carom_status run_with(const char *file, const char *resume, carom_error *error) {
  char text[6000], path[4200], record[4200], earlier[4200];
  snprintf(path, sizeof path, "%s", scratch("part.obj"));
  FILE *f = fopen(path, "w");
  if (f) fputs(file, f), fclose(f);
  snprintf(text, sizeof text,
           "bodies: {b: {density: 1, shape: {mesh: %s}}}\njoints: {j: {free: [ground, b]}}\nend: 1 ms\n", path);
  carom_model *m = carom_model_parse(text, "model.yaml", error);
  snprintf(record, sizeof record, "%s", scratch(resume ? "resumed.h5" : "first.h5"));
  snprintf(earlier, sizeof earlier, "%s", resume ? scratch(resume) : "");
  carom_run_options options = {.record = record, .resume = resume ? earlier : NULL, .end = resume ? 2e-3 : 1e-3};
  carom_status status = CHECK(m) ? carom_run(m, &options, NULL, error) : error->status;
  carom_model_destroy(m);
  return status;
}

static void a_run_is_resumed_with_the_same_file_alone(void) {
  carom_error error = {0};
  CHECK_EQUAL(run_with(TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", NULL, &error), CAROM_OK);
  CHECK_EQUAL(run_with(TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", "first.h5", &error), CAROM_OK);
  CHECK_EQUAL(run_with(TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n\n", "first.h5", &error), CAROM_ERROR_USAGE);
  CHECK(strstr(error.text, "part.obj'; resume with the same files"));
}

int main(void) {
  memory = arena_create(&out_of_memory);
  if (setjmp(out_of_memory)) return 1;
  RUN(three_kinds_of_files_are_read);
  RUN(the_locale_does_not_matter);
  RUN(what_is_no_mesh_is_refused_with_its_line);
  RUN(meshes_are_reduced_for_drawing);
  RUN(bodies_have_the_mass_of_their_files);
  RUN(a_centre_is_free_of_rounding);
  RUN(files_that_enclose_nothing_have_no_mass);
  RUN(flipped_and_drawn_files_are_accepted);
  RUN(a_run_is_resumed_with_the_same_file_alone);
  arena_free(&memory);
  return check_summary();
}
