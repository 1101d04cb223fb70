// Binary glTF 2.0: a node for each body with its triangles, and an animation that moves the nodes. Flexible beams and
// planar solids have a morph target for each mode. Normals are left out, so that faces are shown flat.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "export_scene.h"

enum { FRAMES_MOST = 10000 };
enum { FLOATS = 5126, INTEGERS = 5125, ARRAY_BUFFER = 34962, ELEMENT_BUFFER = 34963 };

// Data of the buffer, and the accessors of it.
typedef struct glb {
  export_job *j;
  export_scene s;
  char *bytes;
  size_t size, capacity;
  json_writer views, accessors;
  int count;
  long frames;
  float *times, *translation, *rotation, *weights;  // frame by frame: of all bodies, of all modes
  int modes;                                        // of all bodies together
} glb;

// --- the buffer ------------------------------------------------------------------------------------------------------

static void put_range(json_writer *w, const char *key, const float *x, int width, size_t count, bool largest) {
  json_open(w, key, '[');
  for (int k = 0; k < width; k++) {
    double best = x[k];
    for (size_t i = 1; i < count; i++) {
      const double v = x[i * (size_t)width + (size_t)k];
      best = largest ? fmax(best, v) : fmin(best, v);
    }
    json_put_number(w, NULL, best);
  }
  json_close(w, ']');
}

static void append(glb *g, const void *data, size_t size) {
  if (g->size + size > g->capacity) {
    const size_t capacity = 2 * g->capacity + size;
    g->bytes = ARENA_LARGER(&g->j->memory, g->bytes, g->size, capacity);
    g->capacity = capacity;
  }
  memcpy(g->bytes + g->size, data, size);
  g->size += size;
}

// Returns the number of its accessor. `target` may be 0. Positions and times need their range.
static int add_data(glb *g, const void *data, int component, int width, size_t count, int target, bool range) {
  static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
  json_open(&g->views, NULL, '{');
  json_put_integer(&g->views, "buffer", 0);
  json_put_integer(&g->views, "byteOffset", (long)g->size);
  json_put_integer(&g->views, "byteLength", (long)(4 * (size_t)width * count));
  if (target) json_put_integer(&g->views, "target", target);
  json_close(&g->views, '}');
  json_open(&g->accessors, NULL, '{');
  json_put_integer(&g->accessors, "bufferView", g->count);
  json_put_integer(&g->accessors, "componentType", component);
  json_put_integer(&g->accessors, "count", (long)count);
  json_put_text(&g->accessors, "type", types[width - 1]);
  if (range) {
    put_range(&g->accessors, "min", data, width, count, false);
    put_range(&g->accessors, "max", data, width, count, true);
  }
  json_close(&g->accessors, '}');
  append(g, data, 4 * (size_t)width * count);
  return g->count++;
}

static int add_vectors(glb *g, const vec3 *v, int count) {
  float *data = ARENA_ARRAY(&g->j->memory, float, 3 * count + 1);
  for (int i = 0; i < count; i++)
    data[3 * i] = (float)v[i].x, data[3 * i + 1] = (float)v[i].y, data[3 * i + 2] = (float)v[i].z;
  return add_data(g, data, FLOATS, 3, (size_t)count, ARRAY_BUFFER, true);
}

// --- frames ----------------------------------------------------------------------------------------------------------

// Times must ascend in single precision: rows that do not are left out.
static bool read_frames(glb *g) {
  export_scene *s = &g->s;
  const long most = s->rows / s->every + 2;
  for (int i = 0; i < s->body_count; i++) g->modes += s->bodies[i].modes;
  const size_t bodies = (size_t)s->body_count;
  g->times = ARENA_ARRAY(&g->j->memory, float, most);
  g->translation = ARENA_ARRAY(&g->j->memory, float, (size_t)most *bodies * 3);
  g->rotation = ARENA_ARRAY(&g->j->memory, float, (size_t)most *bodies * 4);
  g->weights = ARENA_ARRAY(&g->j->memory, float, (size_t)most *(size_t)g->modes + 1);
  double t;
  long row;
  for (long k = 0; export_scene_frame(s, k, &row); k++) {
    if (!export_scene_load(g->j, s, row, &t)) return false;
    if (g->frames && !((float)t > g->times[g->frames - 1])) continue;
    const size_t f = (size_t)g->frames++;
    g->times[f] = (float)t;
    float *weight = g->weights + f * (size_t)g->modes;
    for (size_t i = 0; i < bodies; i++) {
      const vec3 p = export_scene_pose(s, (int)i).p;
      const quat q = export_scene_turn(s, (int)i);
      memcpy(g->translation + (f * bodies + i) * 3, (const float[]){(float)p.x, (float)p.y, (float)p.z},
             3 * sizeof(float));
      memcpy(g->rotation + (f * bodies + i) * 4, (const float[]){(float)q.x, (float)q.y, (float)q.z, (float)q.w},
             4 * sizeof(float));
      for (int m = 0; m < s->bodies[i].modes; m++) *weight++ = (float)s->row[s->bodies[i].mode_column + m];
    }
  }
  return true;
}

// The numbers of one body, or of its modes, frame after frame.
static float *gather(glb *g, const float *all, int first, int width, int stride) {
  float *to = ARENA_ARRAY(&g->j->memory, float, (size_t)g->frames *(size_t)width + 1);
  for (long f = 0; f < g->frames; f++)
    memcpy(to + (size_t)f * (size_t)width, all + (size_t)f * (size_t)stride + first, (size_t)width * sizeof *to);
  return to;
}

// --- parts of the file -----------------------------------------------------------------------------------------------

static void put_targets(glb *g, json_writer *w, const scene_body *b) {
  vec3 *moved = ARENA_ARRAY(&g->j->memory, vec3, b->vertex_count + 1);
  json_open(w, "targets", '[');
  for (int m = 0; m < b->modes; m++) {
    for (int i = 0; i < b->vertex_count; i++) moved[i] = export_scene_bend(b, m, i);
    json_open(w, NULL, '{');
    json_put_integer(w, "POSITION", add_vectors(g, moved, b->vertex_count));
    json_close(w, '}');
  }
  json_close(w, ']');
}

static void put_mesh(glb *g, json_writer *w, const scene_body *b) {
  json_open(w, NULL, '{');
  json_put_text(w, "name", b->name);
  json_open(w, "primitives", '[');
  json_open(w, NULL, '{');
  json_open(w, "attributes", '{');
  json_put_integer(w, "POSITION", add_vectors(g, b->vertices, b->vertex_count));
  json_close(w, '}');
  json_put_integer(w, "indices",
                   add_data(g, b->triangles, INTEGERS, 1, (size_t)b->triangle_count, ELEMENT_BUFFER, false));
  json_put_integer(w, "material", b->column >= 0);
  if (b->modes) put_targets(g, w, b);
  json_close(w, '}');
  json_close(w, ']');
  if (b->modes) {
    json_open(w, "weights", '[');
    for (int m = 0; m < b->modes; m++) json_put_integer(w, NULL, 0);
    json_close(w, ']');
  }
  json_close(w, '}');
}

static void put_materials(json_writer *w) {
  static const double colours[2][4] = {{0.55, 0.55, 0.55, 1}, {0.25, 0.45, 0.7, 1}};
  json_open(w, "materials", '[');
  for (int i = 0; i < 2; i++) {
    json_open(w, NULL, '{');
    json_put_flag(w, "doubleSided", true);
    json_open(w, "pbrMetallicRoughness", '{');
    json_put_numbers(w, "baseColorFactor", colours[i], 4);
    json_put_number(w, "metallicFactor", 0.1);
    json_put_number(w, "roughnessFactor", 0.7);
    json_close(w, '}');
    json_close(w, '}');
  }
  json_close(w, ']');
}

static bool is_drawn(const scene_body *b) { return b->triangle_count > 0; }

static void put_mesh_number(json_writer *w, const scene_body *b, int *next) {
  if (!is_drawn(b)) return;
  json_put_integer(w, "mesh", (*next)++);
}

// Node 0 turns z up of models in space to y up, as glTF has it; bodies follow.
static void put_nodes(const glb *g, json_writer *w) {
  const export_scene *s = &g->s;
  json_open(w, "nodes", '[');
  json_open(w, NULL, '{');
  json_put_text(w, "name", "world");
  if (!s->planar) json_put_numbers(w, "rotation", (const double[]){-M_SQRT1_2, 0, 0, M_SQRT1_2}, 4);
  json_open(w, "children", '[');
  for (int i = 0; i < s->body_count; i++) json_put_integer(w, NULL, i + 1);
  json_close(w, ']');
  json_close(w, '}');
  for (int i = 0, mesh = 0; i < s->body_count; i++) {
    const float *p = g->translation + (size_t)i * 3, *q = g->rotation + (size_t)i * 4;
    json_open(w, NULL, '{');
    json_put_text(w, "name", s->bodies[i].name);
    put_mesh_number(w, &s->bodies[i], &mesh);
    if (s->bodies[i].column >= 0) {
      json_put_numbers(w, "translation", (const double[]){p[0], p[1], p[2]}, 3);
      json_put_numbers(w, "rotation", (const double[]){q[0], q[1], q[2], q[3]}, 4);
    }
    json_close(w, '}');
  }
  json_close(w, ']');
}

static void put_channel(json_writer *samplers, json_writer *channels, int *count, int input, int output, int node,
                        const char *path) {
  json_open(samplers, NULL, '{');
  json_put_integer(samplers, "input", input);
  json_put_integer(samplers, "output", output);
  json_put_text(samplers, "interpolation", "LINEAR");
  json_close(samplers, '}');
  json_open(channels, NULL, '{');
  json_put_integer(channels, "sampler", (*count)++);
  json_open(channels, "target", '{');
  json_put_integer(channels, "node", node);
  json_put_text(channels, "path", path);
  json_close(channels, '}');
  json_close(channels, '}');
}

static const char *make_animation(glb *g) {
  export_scene *s = &g->s;
  arena *a = &g->j->memory;
  json_writer samplers = json_begin(a), channels = json_begin(a);
  const size_t frames = (size_t)g->frames;
  const int times = add_data(g, g->times, FLOATS, 1, frames, 0, true), bodies = s->body_count;
  int count = 0;
  json_open(&samplers, NULL, '['), json_open(&channels, NULL, '[');
  for (int i = 0, mode = 0; i < bodies; mode += s->bodies[i++].modes) {
    if (s->bodies[i].column < 0) continue;
    const float *p = gather(g, g->translation, 3 * i, 3, 3 * bodies), *q = gather(g, g->rotation, 4 * i, 4, 4 * bodies);
    put_channel(&samplers, &channels, &count, times, add_data(g, p, FLOATS, 3, frames, 0, false), i + 1, "translation");
    put_channel(&samplers, &channels, &count, times, add_data(g, q, FLOATS, 4, frames, 0, false), i + 1, "rotation");
    if (!s->bodies[i].modes || !is_drawn(&s->bodies[i])) continue;
    const float *weights = gather(g, g->weights, mode, s->bodies[i].modes, g->modes);
    const int output = add_data(g, weights, FLOATS, 1, frames * (size_t)s->bodies[i].modes, 0, false);
    put_channel(&samplers, &channels, &count, times, output, i + 1, "weights");
  }
  json_close(&samplers, ']'), json_close(&channels, ']');
  return arena_print(a, "[{\"name\":\"run\",\"samplers\":%s,\"channels\":%s}]", samplers.out.text, channels.out.text);
}

// --- the file --------------------------------------------------------------------------------------------------------

static const char *make_text(glb *g) {
  export_scene *s = &g->s;
  arena *a = &g->j->memory;
  json_writer meshes = json_begin(a), rest = json_begin(a);
  g->views = json_begin(a), g->accessors = json_begin(a);
  json_open(&g->views, NULL, '['), json_open(&g->accessors, NULL, '['), json_open(&meshes, NULL, '[');
  for (int i = 0; i < s->body_count; i++)
    if (is_drawn(&s->bodies[i])) put_mesh(g, &meshes, &s->bodies[i]);
  json_close(&meshes, ']');
  const char *animation = g->frames > 1 ? make_animation(g) : NULL;
  json_close(&g->views, ']'), json_close(&g->accessors, ']');
  json_open(&rest, NULL, '{');
  put_nodes(g, &rest), put_materials(&rest);
  json_close(&rest, '}');
  return arena_print(
      a,
      "{\"asset\":{\"version\":\"2.0\",\"generator\":\"%s %s\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
      "\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":%s,\"accessors\":%s,%s%s%s%s%s%s",
      EXPORT_MARK, CAROM_VERSION, g->size, g->views.out.text, g->accessors.out.text, g->count ? "\"meshes\":" : "",
      g->count ? meshes.out.text : "", g->count ? "," : "", animation ? "\"animations\":" : "",
      animation ? animation : "", arena_print(a, "%s%s", animation ? "," : "", rest.out.text + 1));
}

static void put_chunk(export_job *j, uint32_t type, const char *bytes, size_t size, char filler) {
  const uint32_t head[2] = {(uint32_t)((size + 3) / 4 * 4), type};
  fwrite(head, sizeof head, 1, j->file);
  fwrite(bytes, 1, size, j->file);
  for (size_t i = size; i % 4; i++) fputc(filler, j->file);
}

carom_status export_gltf(export_job *j) {
  glb g = {.j = j};
  if (!export_scene_read(j, FRAMES_MOST, &g.s) || !read_frames(&g)) return j->error->status;
  const char *text = make_text(&g);
  const size_t length = strlen(text), padded = (length + 3) / 4 * 4 + (g.size + 3) / 4 * 4;
  if (padded > 4e9)
    return error_set(j->error, CAROM_ERROR_USAGE, "the motion takes %.3g GB, and a binary glTF file has at most 4 GB",
                     (double)padded * 1e-9);
  if (!export_open(j, j->path, "a glTF file of carom")) return j->error->status;
  const uint32_t head[3] = {0x46546C67, 2, (uint32_t)(12 + 8 + 8 + padded)};
  fwrite(head, sizeof head, 1, j->file);
  put_chunk(j, 0x4E4F534A, text, length, ' ');
  put_chunk(j, 0x004E4942, g.bytes, g.size, 0);
  return export_close(j, CAROM_OK);
}
