// Records as MAT, glTF and VTK files: read back byte by byte, and by SciPy and VTK where these are installed.
#include "long.h"
#include "tool.h"

#include <math.h>

#include "carom/carom.h"

// A box that flies and turns, beside every kind of shape.
static const char shapes[] =
    "title: Shapes\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  box: {mass: 1, inertia: [1, 1, 1], shape: {box: [0.2, 0.4, 0.6]}}\n"
    "  ball: {mass: 1, inertia: [1, 1, 1], shape: {sphere: 0.3}}\n"
    "  drum: {mass: 1, inertia: [1, 1, 1], shape: {cylinder: [0.2, 0.5]}}\n"
    "  pill: {mass: 1, inertia: [1, 1, 1], shape: {capsule: [0.2, 0.5]}}\n"
    "  tip: {mass: 1, inertia: [1, 1, 1], shape: {cone: [0.2, 0.6]}}\n"
    "  egg: {mass: 1, inertia: [1, 1, 1], shape: {ellipsoid: [0.1, 0.2, 0.3]}}\n"
    "joints:\n"
    "  j1: {free: [ground, box]}\n"
    "  j2: {free: [ground, ball]}\n"
    "  j3: {free: [ground, drum]}\n"
    "  j4: {free: [ground, pill]}\n"
    "  j5: {free: [ground, tip]}\n"
    "  j6: {free: [ground, egg]}\n"
    "initial: {box: {velocity: [1, 2, 3], omega: [0, 0, 2]}, drum: {omega: [1, 2, 3]}}\n"
    "record: {every: 0.25}\n"
    "end: 1\n";

// A run of the model, recorded once for all tests. False after a failed check.
static bool make_run(const char *text, const char *record) {
  carom_error error = {0};
  carom_model *model = carom_model_parse(text, "model.yaml", &error);
  const bool good =
      CHECK(model && carom_run(model, &(carom_run_options){.record = record, .force = true}, NULL, &error) == CAROM_OK);
  if (!good) printf("      %s\n", error.text);
  carom_model_destroy(model);
  return good;
}

static carom_status export_to(const char *form, const char *out) {
  carom_error error = {0};
  const carom_status status = carom_export(scratch("run.h5"), form, out, NULL, &error);
  if (status != CAROM_OK) printf("      %s\n", error.text);
  return status;
}

// --- VTK -------------------------------------------------------------------------------------------------------------

typedef struct polygons {
  char *bytes;
  const float *points;
  const int *corners, *body;
  int count;  // triangles
} polygons;

static bool read_polygons(const char *path, polygons *to) {
  size_t size;
  to->bytes = read_file(path, &size);
  if (!CHECK(to->bytes)) return false;
  const char *data = strstr(to->bytes, "encoding=\"raw\">\n_"), *polys = strstr(to->bytes, "NumberOfPolys=\"");
  if (!CHECK(data && polys)) return false;
  data += strlen("encoding=\"raw\">\n_");
  to->count = atoi(polys + strlen("NumberOfPolys=\""));
  unsigned length;
  memcpy(&length, data, 4);
  char *copy = malloc(size);  // aligned
  const size_t rest = size - (size_t)(data - to->bytes);
  memcpy(copy, data, rest);
  free(to->bytes);
  to->bytes = copy;
  to->points = (const float *)(copy + 4);
  to->corners = (const int *)(copy + 4 + length + 4);
  to->body = to->corners + 3 * to->count + 1 + to->count + 1;
  return CHECK(4 + length + 4 + 12 * (size_t)to->count + 2 * (4 + 4 * (size_t)to->count) <= rest);
}

// Of what the triangles of a body enclose, positive if they look outwards.
static double volume_of(const polygons *p, int body) {
  double sum = 0;
  for (int i = 0; i < p->count; i++) {
    if (p->body[i] != body) continue;
    const float *a = p->points + 3 * p->corners[3 * i], *b = p->points + 3 * p->corners[3 * i + 1],
                *c = p->points + 3 * p->corners[3 * i + 2];
    sum +=
        (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) /
        6.0;
  }
  return sum;
}

// A full turn has 24 facets: a round cross section keeps sin(2 π/24)/(2 π/24) = 0.9886 of its area, a sphere, which has
// facets both ways, at least that to the power of 1.5.
static void vtk_has_closed_bodies(void) {
  if (!make_run(shapes, scratch("run.h5")) || !CHECK(export_to("vtk", scratch("run.pvd")) == CAROM_OK)) return;
  const struct {
    double volume, part;
  } exact[] = {{0, 0},
               {0.2 * 0.4 * 0.6, 1},
               {4 * M_PI / 3 * 0.027, 0.97},
               {M_PI * 0.04 * 0.5, 0.9886},
               {M_PI * 0.04 * 0.5 + 4 * M_PI / 3 * 0.008, 0.975},
               {M_PI * 0.04 * 0.6 / 3, 0.9886},
               {4 * M_PI / 3 * 0.006, 0.97}};
  for (int frame = 0; frame < 5; frame += 4) {
    char name[64];
    polygons p = {0};
    snprintf(name, sizeof name, "run_vtk/%05d.vtp", frame);
    if (read_polygons(scratch(name), &p))
      for (int i = 1; i <= 6; i++) {
        const double part = volume_of(&p, i) / exact[i].volume;
        if (!CHECK(part <= 1 + 1e-5 && part >= exact[i].part - 1e-2)) printf("      body %d: %g\n", i, part);
      }
    free(p.bytes);
  }
  char *list = read_file(scratch("run.pvd"), NULL);
  if (CHECK(list)) CHECK_CONTAINS(list, "<DataSet timestep=\"0.25\" file=\"run_vtk/00001.vtp\"/>");
  free(list);
}

// The box has moved by its velocity, and turned: its corners are where they must be.
static void vtk_moves_bodies(void) {
  if (!make_run(shapes, scratch("run.h5")) || !CHECK(export_to("vtk", scratch("run.pvd")) == CAROM_OK)) return;
  polygons p = {0};
  if (read_polygons(scratch("run_vtk/00002.vtp"), &p)) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * p.count; i++)
      for (int k = 0; p.body[i / 3] == 1 && k < 3; k++) {
        low[k] = fmin(low[k], p.points[3 * p.corners[i] + k]), high[k] = fmax(high[k], p.points[3 * p.corners[i] + k]);
      }
    const double across[] = {0.2 * cos(1) + 0.4 * sin(1), 0.2 * sin(1) + 0.4 * cos(1), 0.6}, at[] = {0.5, 1, 1.5};
    for (int k = 0; k < 3; k++) {
      CHECK_NEAR(high[k] - low[k], across[k], 1e-6);
      CHECK_NEAR((high[k] + low[k]) / 2, at[k], 1e-6);
    }
  }
  free(p.bytes);
}

// --- glTF ------------------------------------------------------------------------------------------------------------

static void gltf_is_whole(void) {
  if (!make_run(shapes, scratch("run.h5")) || !CHECK(export_to("gltf", scratch("run.glb")) == CAROM_OK)) return;
  size_t size;
  char *bytes = read_file(scratch("run.glb"), &size);
  if (CHECK(bytes && size > 20)) {
    unsigned head[5];
    memcpy(head, bytes, sizeof head);
    CHECK_EQUAL(head[0], 0x46546C67);
    CHECK_EQUAL(head[1], 2);
    CHECK_EQUAL(head[2], size);
    CHECK_EQUAL(head[4], 0x4E4F534A);
    CHECK_EQUAL(head[3] % 4, 0);
    unsigned data[2];
    memcpy(data, bytes + 20 + head[3], sizeof data);
    CHECK_EQUAL(data[1], 0x004E4942);
    CHECK_EQUAL(20 + head[3] + 8 + data[0], size);
    bytes[20 + head[3]] = 0;
    CHECK_CONTAINS(bytes + 20, "\"name\": \"drum\"");
    CHECK_CONTAINS(bytes + 20, "\"path\": \"rotation\"");
  }
  free(bytes);
}

// --- MAT -------------------------------------------------------------------------------------------------------------

static void mat_is_whole(void) {
  if (!make_run(shapes, scratch("run.h5")) || !CHECK(export_to("mat", scratch("run.mat")) == CAROM_OK)) return;
  size_t size;
  char *bytes = read_file(scratch("run.mat"), &size);
  if (CHECK(bytes && size > 128)) {
    CHECK(strncmp(bytes, "MATLAB 5.0 MAT-file, carom export", 33) == 0);
    CHECK(memcmp(bytes + 124, "\0\1IM", 4) == 0);
    size_t at = 128;
    int variables = 0;
    for (unsigned tag[2]; at + 8 <= size; at += 8 + tag[1], variables++) {
      memcpy(tag, bytes + at, sizeof tag);
      CHECK_EQUAL(tag[0], 14);
    }
    CHECK_EQUAL(at, size);
    CHECK(variables > 3);
  }
  free(bytes);
}

// Where Python has the module; the script is given the scratch folder.
static void ask_python(const char *module, const char *script) {
  char path[5000];
  if (shell("/usr/bin/python3 -c 'import %s' 2>/dev/null", module) != 0) {
    printf("      skipped: python3 has no %s\n", module);
    return;
  }
  snprintf(path, sizeof path, "%s", scratch("ask.py"));
  if (CHECK(write_text(path, script))) CHECK_EQUAL(shell("/usr/bin/python3 ask.py"), 0);
}

// 1000 outputs in 270 000 rows take 2.16 GB.
static void a_table_too_large_for_mat_is_refused(void) {
  char *text = malloc(100000), *end = text;
  end += sprintf(end, "bodies: {a: {mass: 1, inertia: 1}}\njoints: {j: {revolute: [ground, a]}}\noutputs:\n");
  for (int i = 0; i < 1000; i++) end += sprintf(end, "  o%d: %d*t\n", i, i);
  end += sprintf(end, "record: {every: 1e-3}\nend: 270\n");
  CHECK(write_text(scratch("wide.yaml"), text));
  free(text);
  CHECK_EQUAL(carom("run wide.yaml -q -o wide.h5"), 0);
  CHECK_EQUAL(carom("export wide.h5 -o wide.mat"), 2);
  CHECK_CONTAINS(err, "table 'outputs' takes 2.16 GB");
  CHECK_CONTAINS(err, "read the HDF5 file 'wide.h5' instead");
  CHECK(!exists("wide.mat"));
  in_scratch("rm wide.h5");
  forget_output();
}

static void scipy_reads_mat(void) {
  if (!make_run(shapes, scratch("run.h5")) || !CHECK(export_to("mat", scratch("run.mat")) == CAROM_OK)) return;
  CHECK(carom_export_csv(scratch("run.h5"), scratch("bodies.csv"), &(carom_export_options){.table = "bodies"}, NULL) ==
        CAROM_OK);
  ask_python("scipy.io",
             "import scipy.io, csv\n"
             "m = scipy.io.loadmat('run.mat', squeeze_me=True, struct_as_record=False)\n"
             "assert m['title'] == 'Shapes'\n"
             "b, rows = m['bodies'], list(csv.reader(open('bodies.csv')))\n"
             "assert list(m['time'].t) == [0, 0.25, 0.5, 0.75, 1]\n"
             "for k, name in enumerate(rows[0][1:]):\n"
             "    assert b.column_names[k] == name\n"
             "    assert list(getattr(b, name.replace('.', '_'))) == [float(r[k + 1]) for r in rows[1:]], name\n"
             "assert b.column_units[0] == 'm'\n");
}

static void vtk_reads_vtk(void) {
  if (!make_run(shapes, scratch("run.h5")) || !CHECK(export_to("vtk", scratch("run.pvd")) == CAROM_OK)) return;
  ask_python("vtk",
             "import vtk\n"
             "r = vtk.vtkXMLPolyDataReader()\n"
             "r.SetFileName('run_vtk/00002.vtp')\n"
             "r.Update()\n"
             "o = r.GetOutput()\n"
             "assert o.GetNumberOfPolys() > 1000 and o.GetCellData().GetArray('body').GetRange() == (1, 6)\n"
             "assert o.GetFieldData().GetArray('TimeValue').GetValue(0) == 0.5\n"
             "e = vtk.vtkFeatureEdges()\n"
             "c = vtk.vtkCleanPolyData()\n"
             "c.SetInputData(o)\n"
             "e.SetInputConnection(c.GetOutputPort())\n"
             "e.FeatureEdgesOff(), e.ManifoldEdgesOff(), e.Update()\n"
             "assert e.GetOutput().GetNumberOfCells() == 0, 'open edges'\n");
}

// --- flexible solids ---------------------------------------------------------------------------------------------------

// A free plate that swings in its first mode; its frame, which is at its middle, moves with it.
static const char plate[] =
    "title: Plate\n"
    "space: planar\n"
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  plate:\n"
    "    solid_2d: {rectangle: [0.2, 0.1], elements: 4, thickness: 10 mm, young: 2 GPa, poisson: 0.3, density: 1000}\n"
    "    modes: {count: 1}\n"
    "joints: {f: {free: [ground, plate]}}\n"
    "initial: {plate: {modes: [0.1 mm]}}\n"
    "record: {every: 0.04 ms}\n"
    "end: 0.2 ms\n";

static double recorded_mode(long row) {
  carom_record *in = carom_record_open(scratch("run.h5"), NULL);
  double values[200], found = NAN;
  for (int t = 0; in && carom_record_get_table(in, t).name; t++) {
    const carom_record_table about = carom_record_get_table(in, t);
    for (int k = 0; k < about.columns && about.columns < 200; k++)
      if (strcmp(carom_record_get_column(in, t, k).name, "plate.mode1") == 0 &&
          carom_record_read(in, t, row, 1, values, NULL) == CAROM_OK)
        found = values[k];
  }
  carom_record_close(in);
  return found;
}

// Vertices move in proportion to the mode; positions of some 0.1 m in single precision are good to 1e-8 m, and the
// walls of the plate close it: its volume changes by no more than the strain, 2e-3.
static void solids_are_deformed(void) {
  if (!make_run(plate, scratch("run.h5")) || !CHECK(export_to("vtk", scratch("run.pvd")) == CAROM_OK)) return;
  polygons p[3] = {{0}};
  double mode[3], moved = 0;
  for (int i = 0; i < 3; i++) {
    char name[64];
    snprintf(name, sizeof name, "run_vtk/%05d.vtp", 2 * i);
    mode[i] = recorded_mode(2 * i);
    if (!read_polygons(scratch(name), &p[i])) return;
  }
  const double part = (mode[2] - mode[0]) / (mode[1] - mode[0]), depth = 0.06 * hypot(0.1, 0.05);
  CHECK(p[0].count > 100 && fabs(mode[1] - mode[0]) > 1e-5);
  for (int i = 0; i < 3 * p[0].count; i++)
    for (int k = 0; k < 3; k++) {
      const int at = 3 * p[0].corners[i] + k;
      const double first = p[1].points[at] - p[0].points[at], second = p[2].points[at] - p[0].points[at];
      CHECK_NEAR(second, part * first, 3e-8 * (1 + fabs(part)));
      moved = fmax(moved, fabs(first));
    }
  CHECK(moved > 1e-5);
  CHECK_NEAR(volume_of(&p[1], 1) / (0.2 * 0.1 * depth), 1, 2e-3);
  for (int i = 0; i < 3; i++) free(p[i].bytes);
  CHECK(export_to("gltf", scratch("run.glb")) == CAROM_OK);
  size_t size;
  char *bytes = read_file(scratch("run.glb"), &size);
  if (CHECK(bytes && size > 20)) {
    unsigned length;
    memcpy(&length, bytes + 12, sizeof length);
    bytes[20 + length] = 0;
    CHECK_CONTAINS(bytes + 20, "\"targets\"");
    CHECK_CONTAINS(bytes + 20, "\"path\": \"weights\"");
  }
  free(bytes);
}

// A ball that rolls far away stays above the floor that is drawn.
static void the_floor_reaches_as_far_as_bodies(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {ball: {mass: 1, inertia: [0.004, 0.004, 0.004], shape: {sphere: 0.1}}}\n"
      "joints: {free: {free: [ground, ball]}}\n"
      "surfaces: {round: {sphere: ball, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n"
      "materials: {m: {restitution: 0}}\n"
      "initial: {free: {at: [0, 0, 0.1]}, ball: {velocity: [20, 0, 0]}}\n"
      "method: {moreau: {step: 1 ms}}\n"
      "record: {every: 0.1}\n"
      "end: 1\n";
  if (!make_run(text, scratch("run.h5")) || !CHECK(export_to("vtk", scratch("run.pvd")) == CAROM_OK)) return;
  polygons p = {0};
  double high = 0;
  if (read_polygons(scratch("run_vtk/00010.vtp"), &p))
    for (int i = 0; i < 3 * p.count; i++)
      if (p.body[i / 3] == 0) high = fmax(high, p.points[3 * p.corners[i]]);
  CHECK(high >= 20 && high < 30);
  free(p.bytes);
}

// --- refusals --------------------------------------------------------------------------------------------------------

static void other_files_are_spared(void) {
  carom_error error = {0};
  if (!make_run(shapes, scratch("run.h5"))) return;
  CHECK(write_text(scratch("notes.mat"), "important"));
  CHECK(carom_export(scratch("run.h5"), "mat", scratch("notes.mat"), NULL, &error) == CAROM_ERROR_USAGE);
  CHECK(carom_export(scratch("run.h5"), "mat", scratch("run.h5"), NULL, &error) == CAROM_ERROR_USAGE);
  CHECK(carom_export(scratch("run.h5"), "mat", "-", NULL, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "needs a file");
  CHECK(carom_export(scratch("run.h5"), "gtlf", scratch("a.glb"), NULL, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "did you mean 'gltf'?");
  CHECK(carom_export(scratch("run.h5"), "mat", scratch("a.mat"), &(carom_export_options){.table = "jonts"}, &error) ==
        CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "there is no table 'jonts'");
  CHECK(carom_export(scratch("none.h5"), "vtk", scratch("a.pvd"), NULL, &error) == CAROM_ERROR_FILE);
  CHECK(export_to("mat", scratch("run.mat")) == CAROM_OK && export_to("mat", scratch("run.mat")) == CAROM_OK);
}

// The ending tells the form, and one of another form is refused.
static void endings_are_those_of_the_form(void) {
  if (!make_run(shapes, scratch("run.h5"))) return;
  in_scratch("rm -rf *.mat *.glb *.pvd *_vtk");
  CHECK_EQUAL(carom("export run.h5 -o out.mat"), 0);
  char *bytes = read_file(scratch("out.mat"), NULL);
  if (CHECK(bytes)) CHECK(strncmp(bytes, "MATLAB 5.0", 10) == 0);
  free(bytes);
  CHECK_EQUAL(carom("export run.h5 --to gltf"), 0);
  CHECK_TEXT(out, "run.glb\n");
  static const char *const wrong[] = {"--to gltf -o a.pvd", "--to gltf -o a.gltf", "--to vtk -o a.vtp",
                                      "--to mat -o a.csv",  "--to csv -o a.glb",   "-o a.h5"};
  for (int i = 0; i < 6; i++) {
    CHECK_EQUAL(carom("export run.h5 %s", wrong[i]), 2);
    CHECK_CONTAINS(err, "give it the ending .");
  }
  CHECK(!exists("a.pvd") && !exists("a.csv"));
  CHECK_EQUAL(carom("export run.h5 --to mat -o plain"), 0);
}

int main(void) {
  RUN(vtk_has_closed_bodies);
  RUN(vtk_moves_bodies);
  RUN(gltf_is_whole);
  RUN(mat_is_whole);
  RUN(scipy_reads_mat);
  RUN_LONG(a_table_too_large_for_mat_is_refused, 120);
  RUN(vtk_reads_vtk);
  RUN(solids_are_deformed);
  RUN(the_floor_reaches_as_far_as_bodies);
  RUN(endings_are_those_of_the_form);
  RUN(other_files_are_spared);
  return check_summary();
}
