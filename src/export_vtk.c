// Files for ParaView: a collection (.pvd) that names a file of polygons (.vtp) for each time, in a folder beside it.
// Each has all bodies where they are at that time, with the number of the body at each triangle.
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "export_scene.h"

enum { FRAMES_MOST = 1000 };

typedef struct vtk_counts {
  uint32_t points, triangles;
} vtk_counts;

static vtk_counts count(const export_scene *s) {
  vtk_counts c = {0};
  for (int i = 0; i < s->body_count; i++) {
    c.points += (uint32_t)s->bodies[i].vertex_count;
    c.triangles += (uint32_t)s->bodies[i].triangle_count / 3;
  }
  return c;
}

// Arrays follow the XML as they are, each behind its size in bytes.
static void put_xml(export_job *j, vtk_counts c, double t) {
  const uint32_t points = 12 * c.points + 4, numbers = 4 * c.triangles + 4;
  fprintf(j->file,
          "<?xml version=\"1.0\"?>\n<!-- " EXPORT_MARK
          " -->\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\" header_type=\"UInt32\">\n"
          "<PolyData>\n<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
          "format=\"ascii\">%.17g</DataArray></FieldData>\n"
          "<Piece NumberOfPoints=\"%u\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
          "NumberOfPolys=\"%u\">\n",
          t, c.points, c.triangles);
  fprintf(j->file,
          "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points>\n"
          "<Polys><DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" offset=\"%u\"/>"
          "<DataArray type=\"Int32\" Name=\"offsets\" format=\"appended\" offset=\"%u\"/></Polys>\n"
          "<CellData Scalars=\"body\"><DataArray type=\"Int32\" Name=\"body\" format=\"appended\" offset=\"%u\"/>"
          "</CellData>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_",
          points, points + 12 * c.triangles + 4, points + 12 * c.triangles + 4 + numbers);
}

static void put_size(export_job *j, uint32_t size) { fwrite(&size, sizeof size, 1, j->file); }
static void put_number(export_job *j, int32_t x) { fwrite(&x, sizeof x, 1, j->file); }

static vec3 bent(const export_scene *s, const scene_body *b, int vertex) {
  vec3 to = b->vertices[vertex];
  for (int k = 0; k < b->modes; k++) to = vec3_axpy(to, s->row[b->mode_column + k], export_scene_bend(b, k, vertex));
  return to;
}

static void put_arrays(export_job *j, const export_scene *s, vtk_counts c) {
  put_size(j, 12 * c.points);
  for (int i = 0; i < s->body_count; i++) {
    const pose at = export_scene_pose(s, i);
    for (int k = 0; k < s->bodies[i].vertex_count; k++) {
      const vec3 p = vec3_add(at.p, mat3_mul(at.R, bent(s, &s->bodies[i], k)));
      fwrite((const float[3]){(float)p.x, (float)p.y, (float)p.z}, sizeof(float), 3, j->file);
    }
  }
  put_size(j, 12 * c.triangles);
  for (int i = 0, first = 0; i < s->body_count; first += s->bodies[i++].vertex_count)
    for (int k = 0; k < s->bodies[i].triangle_count; k++) put_number(j, first + s->bodies[i].triangles[k]);
  put_size(j, 4 * c.triangles);
  for (uint32_t k = 0; k < c.triangles; k++) put_number(j, (int32_t)(3 * k + 3));
  put_size(j, 4 * c.triangles);
  for (int i = 0; i < s->body_count; i++)
    for (int k = 0; k < s->bodies[i].triangle_count / 3; k++) put_number(j, i);
  fprintf(j->file, "\n</AppendedData>\n</VTKFile>\n");
}

// The folder has the name of the collection without its ending.
static const char *folder_of(export_job *j) {
  const char *dot = strrchr(j->path, '.'), *slash = strrchr(j->path, '/');
  const int length = dot && (!slash || dot > slash) ? (int)(dot - j->path) : (int)strlen(j->path);
  return arena_print(&j->memory, "%.*s_vtk", length, j->path);
}

carom_status export_vtk(export_job *j) {
  export_scene s;
  if (!export_scene_read(j, FRAMES_MOST, &s)) return j->error->status;
  const vtk_counts c = count(&s);
  const char *folder = folder_of(j), *slash = strrchr(folder, '/');
  arena_text list = {0};
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return error_set(j->error, CAROM_ERROR_FILE, "cannot make the folder '%s': %s", folder, strerror(errno));
  carom_status status = CAROM_OK;
  double t;
  long row;
  for (long k = 0; export_scene_frame(&s, k, &row) && status == CAROM_OK; k++) {
    const arena_mark mark = arena_get_mark(&j->memory);
    const char *path = arena_print(&j->memory, "%s/%05ld.vtp", folder, k);
    if (!export_scene_load(j, &s, row, &t) || !export_open(j, path, "a VTK file of carom")) return j->error->status;
    put_xml(j, c, t), put_arrays(j, &s, c);
    status = export_close(j, status);
    arena_release(&j->memory, mark);
    arena_append(&j->memory, &list, "<DataSet timestep=\"%.17g\" file=\"%s/%05ld.vtp\"/>\n", t,
                 slash ? slash + 1 : folder, k);
  }
  if (status != CAROM_OK || !export_open(j, j->path, "a VTK collection of carom")) return j->error->status;
  fprintf(j->file,
          "<?xml version=\"1.0\"?>\n<!-- " EXPORT_MARK
          " -->\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n%s</Collection>\n</VTKFile>\n",
          list.text);
  return export_close(j, status);
}
