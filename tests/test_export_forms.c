// Records as MAT, glTF and VTK files: read back byte by byte, and by SciPy and VTK where these are installed.
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

int main(void) {
  RUN(vtk_has_closed_bodies);
  RUN(vtk_moves_bodies);
  RUN(gltf_is_whole);
  RUN(mat_is_whole);
  RUN(scipy_reads_mat);
  RUN(vtk_reads_vtk);
  RUN(other_files_are_spared);
  return check_summary();
}
