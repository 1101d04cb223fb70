#include "export_scene.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "geometry/polytope.h"

enum { ROUND = 24 };  // facets of a full turn

// --- triangles -------------------------------------------------------------------------------------------------------

// What a shape is added to: the body, and where the shape stands on it.
typedef struct drawing_board {
  arena *memory;
  scene_body *body;
  pose at;
  const json_value *meshes;  // of the scene; may be null
  double length;             // of the model [m]
  double reach;              // how far from the origin bodies come [m]
  bool planar;
} drawing_board;

static int add_vertex(drawing_board *d, vec3 p) {
  scene_body *b = d->body;
  *ARENA_PUSH(d->memory, b->vertices, b->vertex_count, b->vertex_capacity) = vec3_add(d->at.p, mat3_mul(d->at.R, p));
  return b->vertex_count - 1;
}

static void add_triangle(drawing_board *d, int a, int b, int c) {
  const int corners[3] = {a, b, c};
  for (int i = 0; i < 3; i++)
    *ARENA_PUSH(d->memory, d->body->triangles, d->body->triangle_count, d->body->triangle_capacity) = corners[i];
}

// A body of revolution about z from its profile (radius, height), lowest first. Ends at the axis have one vertex.
static void add_revolved(drawing_board *d, const double (*profile)[2], int count) {
  int before = -1, before_count = 0;
  for (int i = 0; i < count; i++) {
    const double r = profile[i][0], z = profile[i][1];
    const int around = r > 0 ? ROUND : 1, first = d->body->vertex_count;
    for (int k = 0; k < around; k++)
      add_vertex(d, (vec3){r * cos(2 * M_PI * k / ROUND), r * sin(2 * M_PI * k / ROUND), z});
    for (int k = 0; before >= 0 && k < ROUND && (around > 1 || before_count > 1); k++) {
      const int next = (k + 1) % ROUND;
      if (before_count > 1) add_triangle(d, before + k, before + next, first + (around > 1 ? next : 0));
      if (around > 1) add_triangle(d, before + (before_count > 1 ? k : 0), first + next, first + k);
    }
    before = first, before_count = around;
  }
}

static void add_cylinder(drawing_board *d, double radius, double length) {
  const double h = length / 2;
  add_revolved(d, (const double[][2]){{0, -h}, {radius, -h}}, 2);
  add_revolved(d, (const double[][2]){{radius, -h}, {radius, h}}, 2);
  add_revolved(d, (const double[][2]){{radius, h}, {0, h}}, 2);
}

// Length between the centres of its caps; 0 is a sphere.
static void add_capsule(drawing_board *d, double radius, double length) {
  enum { CAP = ROUND / 4 };
  double profile[2 * CAP + 2][2];
  int count = 0;
  for (int i = 0; i <= CAP; i++, count++) {
    const double a = M_PI / 2 * (i - CAP) / CAP;
    profile[count][0] = i ? radius * cos(a) : 0, profile[count][1] = -length / 2 + radius * sin(a);
  }
  for (int i = length > 0 ? 0 : 1; i <= CAP; i++, count++) {
    const double a = M_PI / 2 * i / CAP;
    profile[count][0] = i < CAP ? radius * cos(a) : 0, profile[count][1] = length / 2 + radius * sin(a);
  }
  add_revolved(d, (const double(*)[2])profile, count);
}

static void add_box(drawing_board *d, vec3 size) {
  static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  const int first = d->body->vertex_count;
  for (int k = 0; k < 8; k++)
    add_vertex(d, (vec3){(k & 1 ? 0.5 : -0.5) * size.x, (k & 2 ? 0.5 : -0.5) * size.y, (k & 4 ? 0.5 : -0.5) * size.z});
  for (int i = 0; i < 6; i++) {
    add_triangle(d, first + faces[i][0], first + faces[i][1], first + faces[i][2]);
    add_triangle(d, first + faces[i][0], first + faces[i][2], first + faces[i][3]);
  }
}

static double power(double x, double e) { return copysign(pow(fabs(x), e), x); }

static void add_superellipsoid(drawing_board *d, vec3 radii, double e1, double e2) {
  enum { UP = ROUND / 2 };
  const int first = d->body->vertex_count;
  for (int i = 0; i <= UP; i++)
    for (int k = 0; k < ROUND; k++) {
      const double a = M_PI * ((double)i / UP - 0.5), b = 2 * M_PI * k / ROUND,
                   r = i > 0 && i < UP ? power(cos(a), e1) : 0;  // poles are one point
      add_vertex(d,
                 (vec3){radii.x * r * power(cos(b), e2), radii.y * r * power(sin(b), e2), radii.z * power(sin(a), e1)});
    }
  for (int i = 0; i < UP; i++)
    for (int k = 0; k < ROUND; k++) {
      const int a = first + i * ROUND + k, b = first + i * ROUND + (k + 1) % ROUND;
      if (i > 0) add_triangle(d, a, b, b + ROUND);
      if (i < UP - 1) add_triangle(d, a, b + ROUND, a + ROUND);
    }
}

// --- outlines --------------------------------------------------------------------------------------------------------

static double turn_of(const double *a, const double *b, const double *c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Whether the corner `i` of those that are left can be cut off: it is convex, and no other corner lies in it.
static bool is_ear(const double *points, const int *left, int count, int i) {
  const double *a = points + 2 * left[(i + count - 1) % count], *b = points + 2 * left[i],
               *c = points + 2 * left[(i + 1) % count];
  if (!(turn_of(a, b, c) > 0)) return false;
  for (int k = 0; k < count; k++) {
    const double *p = points + 2 * left[k];
    if (p == a || p == b || p == c) continue;
    if (turn_of(a, b, p) >= 0 && turn_of(b, c, p) >= 0 && turn_of(c, a, p) >= 0) return false;
  }
  return true;
}

// A plate of an outline, cut into triangles ear by ear. The outline may be concave, and run either way.
static void add_plate(drawing_board *d, const double *points, int count, double depth) {
  double area = 0;
  int *left = ARENA_ARRAY(d->memory, int, count + 1), rest = count;
  const int first = d->body->vertex_count;
  for (int i = 0; i < count; i++)
    area += points[2 * i] * points[2 * ((i + 1) % count) + 1] - points[2 * i + 1] * points[2 * ((i + 1) % count)];
  for (int i = 0; i < count; i++) left[i] = area > 0 ? i : count - 1 - i;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < count; i++)
      add_vertex(d, (vec3){points[2 * i], points[2 * i + 1], side ? depth / 2 : -depth / 2});
  for (int i = 0; i < count; i++) {
    const int a = first + left[i], b = first + left[(i + 1) % count];
    add_triangle(d, a, b, b + count), add_triangle(d, a, b + count, a + count);
  }
  for (int i = 0, tried = 0; rest > 2 && tried <= rest; i = (i + 1) % rest, tried++) {
    if (!is_ear(points, left, rest, i) && tried < rest) continue;  // none is left but by rounding: the next will do
    const int a = first + left[(i + rest - 1) % rest], b = first + left[i], c = first + left[(i + 1) % rest];
    add_triangle(d, a + count, b + count, c + count), add_triangle(d, a, c, b);
    memmove(left + i, left + i + 1, (size_t)(rest - i - 1) * sizeof *left);
    rest--, tried = -1;
    if (i == rest) i = 0;
  }
}

// --- shapes of a record ----------------------------------------------------------------------------------------------

static vec3 vector_of(const json_value *map, const char *key) {
  const json_value *v = json_get(map, key);
  double p[3] = {0};
  for (int i = 0; v && v->kind == JSON_LIST && i < v->count && i < 3; i++) p[i] = v->items[i].number;
  return (vec3){p[0], p[1], p[2]};
}

static pose pose_of(const json_value *shape) {
  const json_value *r = json_get(shape, "rotate");
  quat turn = QUAT_IDENTITY;
  if (r && r->kind == JSON_LIST && r->count == 4)
    turn = (quat){r->items[0].number, r->items[1].number, r->items[2].number, r->items[3].number};
  return (pose){quat_matrix(quat_normalize(turn)), vector_of(shape, "at")};
}

static void add_mesh(drawing_board *d, const json_value *shape) {
  const json_value *meshes = d->meshes;
  const int number = (int)json_get_number(shape, "mesh", -1);
  if (!meshes || meshes->kind != JSON_LIST || number < 0 || number >= meshes->count) return;
  const json_value *v = json_get(&meshes->items[number], "vertices"),
                   *t = json_get(&meshes->items[number], "triangles");
  const int first = d->body->vertex_count, count = v && v->kind == JSON_LIST ? v->count / 3 : 0;
  vec3 *points = ARENA_ARRAY(d->memory, vec3, count + 1);
  for (int i = 0; i < count; i++)
    points[i] = (vec3){v->items[3 * i].number, v->items[3 * i + 1].number, v->items[3 * i + 2].number};
  if (t && t->kind == JSON_LIST && t->count >= 3) {
    for (int i = 0; i < count; i++) add_vertex(d, points[i]);
    for (int i = 0; i + 2 < t->count; i += 3) {
      const int a = (int)t->items[i].number, b = (int)t->items[i + 1].number, c = (int)t->items[i + 2].number;
      if (a >= 0 && b >= 0 && c >= 0 && a < count && b < count && c < count)
        add_triangle(d, first + a, first + b, first + c);
    }
    return;
  }
  polytope hull;
  if (polytope_build(points, count, d->memory, &hull) != POLYTOPE_OK) return;
  for (int i = 0; i < hull.vertex_count; i++) add_vertex(d, hull.vertices[i]);
  for (int f = 0; f < hull.face_count; f++)
    for (int k = 1; k + 1 < hull.faces[f].count; k++) {
      const int *c = hull.corners + hull.faces[f].first;
      add_triangle(d, first + c[0], first + c[k], first + c[k + 1]);
    }
}

static void add_outline(drawing_board *d, const json_value *shape) {
  const json_value *p = json_get(shape, "points");
  const int count = p && p->kind == JSON_LIST ? p->count : 0;
  double *points = ARENA_ARRAY(d->memory, double, 2 * count + 2), reach = 0;
  for (int i = 0; i < count; i++) {
    if (p->items[i].kind != JSON_LIST || p->items[i].count < 2) return;
    for (int k = 0; k < 2; k++) points[2 * i + k] = p->items[i].items[k].number;
    reach = fmax(reach, hypot(points[2 * i], points[2 * i + 1]));
  }
  if (count > 2) add_plate(d, points, count, 0.06 * reach);
}

// A plane is a square of five lengths to each side, or as far as bodies come, a little thick so that it can be seen
// from below, too.
static void add_plane(drawing_board *d, const json_value *shape) {
  const double length = d->length, width = 2 * fmax(5 * length, d->reach + vec3_norm(d->at.p) + length);
  const bool planar = d->planar;
  (void)shape;
  const vec3 size = planar ? (vec3){width, 0.01 * length, 2 * length} : (vec3){width, width, 0.01 * length};
  d->at.p = vec3_sub(d->at.p, mat3_mul(d->at.R, planar ? (vec3){0, size.y / 2, 0} : (vec3){0, 0, size.z / 2}));
  add_box(d, size);
}

static void add_link(drawing_board *d, const json_value *shape) {
  const vec3 from = vector_of(shape, "from"), to = vector_of(shape, "to"), along = vec3_sub(to, from);
  const double length = vec3_norm(along), r = json_get_number(shape, "width", 0) / 2;
  d->at.p = vec3_scale(0.5, vec3_add(from, to));
  if (length > 0) d->at.R = quat_matrix(quat_from_z(vec3_scale(1 / length, along)));
  add_capsule(d, r, length);
}

static void add_sized_box(drawing_board *d, const json_value *shape) { add_box(d, vector_of(shape, "size")); }

static void add_round(drawing_board *d, const json_value *shape) {
  add_capsule(d, json_get_number(shape, "radius", 0), json_get_number(shape, "length", 0));
}

static void add_drum(drawing_board *d, const json_value *shape) {
  const double radius = json_get_number(shape, "radius", 0);
  add_cylinder(d, radius, json_get_number(shape, "length", 0.1 * radius));
}

static void add_spire(drawing_board *d, const json_value *shape) {
  const double r = json_get_number(shape, "radius", 0), h = json_get_number(shape, "length", 0) / 2;
  add_revolved(d, (const double[][2]){{0, -h}, {r, -h}, {0, h}}, 3);
}

static void add_globe(drawing_board *d, const json_value *shape) {
  const vec3 exponents = json_get(shape, "exponents") ? vector_of(shape, "exponents") : (vec3){1, 1, 1};
  add_superellipsoid(d, vector_of(shape, "radii"), exponents.x, exponents.y);
}

// The primitives of a record, as build/sketch writes them. What is not here has no body, such as a point.
static const struct {
  const char *kind;
  void (*add)(drawing_board *d, const json_value *shape);
} primitives[] = {{"link", add_link},     {"box", add_sized_box},   {"sphere", add_round},
                  {"capsule", add_round}, {"cylinder", add_drum},   {"disc", add_drum},
                  {"cone", add_spire},    {"ellipsoid", add_globe}, {"superellipsoid", add_globe},
                  {"hull", add_mesh},     {"mesh", add_mesh},       {"polygon", add_outline},
                  {"curve", add_outline}, {"plane", add_plane}};
enum { PRIMITIVE_COUNT = sizeof primitives / sizeof *primitives };

static void add_shape(drawing_board *d, const json_value *shape) {
  const char *kind = json_get_text(shape, "kind");
  d->at = pose_of(shape);
  for (int i = 0; i < PRIMITIVE_COUNT; i++)
    if (strcmp(primitives[i].kind, kind) == 0) primitives[i].add(d, shape);
}

// --- flexible bodies -----------------------------------------------------------------------------------------------------------

static vec3 *read_vectors(arena *memory, const json_value *v, int count) {
  vec3 *to = ARENA_ARRAY(memory, vec3, count + 1);
  for (int i = 0; i < count; i++)
    to[i] = (vec3){v->items[3 * i].number, v->items[3 * i + 1].number, v->items[3 * i + 2].number};
  return to;
}

// A straight beam is drawn as one capsule, which has no vertices between its ends: as a bar of many it can bend.
static void add_beam(drawing_board *d, const json_value *beam) {
  arena *memory = d->memory;
  scene_body *body = d->body;
  const json_value *x = json_get(beam, "x"), *shift = json_get(beam, "shift"), *turn = json_get(beam, "turn");
  const int modes = (int)json_get_number(beam, "modes", 0), places = x && x->kind == JSON_LIST ? x->count : 0;
  const double r = json_get_number(beam, "width", 0) / 2;
  if (modes < 1 || places < 2 || !shift || !turn || shift->count != 3 * modes * places || turn->count != shift->count)
    return;
  body->modes = modes, body->place_count = places, body->place = ARENA_ARRAY(memory, double, places);
  body->shift = read_vectors(memory, shift, modes * places), body->turn = read_vectors(memory, turn, modes * places);
  double(*profile)[2] = arena_alloc(memory, (size_t)places + 2, sizeof *profile);
  for (int i = 0; i < places; i++) {
    body->place[i] = x->items[i].number;
    profile[i + 1][0] = r, profile[i + 1][1] = body->place[i];
  }
  profile[0][1] = body->place[0], profile[places + 1][1] = body->place[places - 1];
  d->at = (pose){quat_matrix(quat_from_z((vec3){1, 0, 0})), VEC3_ZERO};
  add_revolved(d, (const double(*)[2])profile, places + 2);
}

static const json_value *list_of(const json_value *map, const char *key) {
  static const json_value none = {.kind = JSON_LIST};
  const json_value *v = json_get(map, key);
  return v && v->kind == JSON_LIST ? v : &none;
}

// A planar solid as a plate: its triangles on both faces, and walls along its boundary. Vertices of the lower face come
// first. Deformations lie in the plane.
static void add_solid(drawing_board *d, const json_value *solid) {
  scene_body *body = d->body;
  const json_value *at = list_of(solid, "vertices"), *t = list_of(solid, "triangles"), *rim = list_of(solid, "rim"),
                   *shift = list_of(solid, "shift");
  const int modes = (int)json_get_number(solid, "modes", 0), count = at->count / 2;
  double reach = 0;
  if (modes < 1 || count < 3 || shift->count != 2 * modes * count) return;
  for (int i = 0; i < count; i++) reach = fmax(reach, hypot(at->items[2 * i].number, at->items[2 * i + 1].number));
  body->modes = modes, body->place_count = 2 * count;
  body->shift = ARENA_ARRAY(d->memory, vec3, 2 * modes * count);
  d->at = (pose){MAT3_IDENTITY, VEC3_ZERO};
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < count; i++)
      add_vertex(d, (vec3){at->items[2 * i].number, at->items[2 * i + 1].number, (side ? 0.03 : -0.03) * reach});
  for (int i = 0; i < 2 * modes * count; i++) {
    const json_value *of = &shift->items[2 * (i % (modes * count))];
    body->shift[i] = (vec3){of[0].number, of[1].number, 0};
  }
  for (int i = 0; i + 2 < t->count; i += 3) {
    const int a = (int)t->items[i].number, b = (int)t->items[i + 1].number, c = (int)t->items[i + 2].number;
    if (a < 0 || b < 0 || c < 0 || a >= count || b >= count || c >= count) continue;
    add_triangle(d, a + count, b + count, c + count), add_triangle(d, a, c, b);
  }
  for (int i = 0; i + 1 < rim->count; i += 2) {
    const int a = (int)rim->items[i].number, b = (int)rim->items[i + 1].number;
    if (a < 0 || b < 0 || a >= count || b >= count) continue;
    add_triangle(d, a, b, b + count), add_triangle(d, a, b + count, a + count);
  }
}

vec3 export_scene_bend(const scene_body *b, int mode, int vertex) {
  const vec3 v = b->vertices[vertex];
  if (!b->place) return vertex < b->place_count ? b->shift[vertex * b->modes + mode] : VEC3_ZERO;
  int i = 0;
  while (i + 2 < b->place_count && b->place[i + 1] < v.x) i++;
  const double part = (v.x - b->place[i]) / (b->place[i + 1] - b->place[i]);
  const vec3 *s = b->shift + i * b->modes + mode, *t = b->turn + i * b->modes + mode;
  const vec3 shift = vec3_axpy(vec3_scale(1 - part, s[0]), part, s[b->modes]),
             turn = vec3_axpy(vec3_scale(1 - part, t[0]), part, t[b->modes]);
  return vec3_add(shift, vec3_cross(turn, (vec3){0, v.y, v.z}));
}

// --- the scene -------------------------------------------------------------------------------------------------------

static void name_body(export_job *j, scene_body *b, const json_value *of, const record_table *t) {
  b->name = json_get_text(of, "name");
  b->column = record_find_column(t, arena_print(&j->memory, "%s.x", b->name));
  b->mode_column = record_find_column(t, arena_print(&j->memory, "%s.mode1", b->name));
}

// A bent beam takes the place of links among its shapes (viewer/FORMAT.md).
static void draw_body(drawing_board *d, const json_value *of) {
  scene_body *b = d->body;
  const json_value *shapes = list_of(of, "shapes"), *beam = json_get(of, "beam"), *solid = json_get(of, "solid");
  if (beam && beam->kind == JSON_MAP && b->mode_column >= 0) add_beam(d, beam);
  if (solid && solid->kind == JSON_MAP && b->mode_column >= 0) add_solid(d, solid);
  for (int k = 0; k < shapes->count; k++)
    if (!b->modes || !json_get(&shapes->items[k], "from")) add_shape(d, &shapes->items[k]);
}

// How far from the origin bodies come in the frames that are shown.
static bool find_reach(export_job *j, export_scene *s, double *reach) {
  double t;
  long row;
  *reach = 0;
  for (long k = 0; export_scene_frame(s, k, &row); k++) {
    if (!export_scene_load(j, s, row, &t)) return false;
    for (int i = 0; i < s->body_count; i++) *reach = fmax(*reach, vec3_norm(export_scene_pose(s, i).p));
  }
  return true;
}

bool export_scene_read(export_job *j, long most, export_scene *to) {
  const char *text = record_get_text(j->in, "scene");
  const json_value *scene = text ? json_read(&j->memory, text) : NULL, *bodies = json_get(scene, "bodies");
  *to = (export_scene){.table = record_find_table(j->in, "bodies")};
  if (!bodies || bodies->kind != JSON_LIST || to->table < 0 || record_find_table(j->in, "time") < 0)
    return error_set(j->error, CAROM_ERROR_USAGE, "'%s' holds no motion of bodies", j->run), false;
  const record_table t = record_get_table(j->in, to->table);
  to->planar = strcmp(json_get_text(scene, "space"), "planar") == 0;
  to->columns = t.column_count, to->row = ARENA_ARRAY(&j->memory, double, t.column_count + 1);
  to->rows = record_rows(j->in, to->table), to->every = (to->rows + most - 2) / (most > 1 ? most - 1 : 1);
  if (to->every < 1) to->every = 1;
  if (to->rows < 1) return error_set(j->error, CAROM_ERROR_USAGE, "'%s' has no recorded times", j->run), false;
  to->bodies = ARENA_ARRAY(&j->memory, scene_body, bodies->count + 1);
  drawing_board d = {.memory = &j->memory,
                     .meshes = json_get(scene, "meshes"),
                     .length = json_get_number(scene, "length", 1),
                     .planar = to->planar};
  for (int i = 0; i < bodies->count; i++) name_body(j, &to->bodies[to->body_count++], &bodies->items[i], &t);
  if (!find_reach(j, to, &d.reach)) return false;
  for (int i = 0; i < bodies->count; i++) d.body = &to->bodies[i], draw_body(&d, &bodies->items[i]);
  return true;
}

bool export_scene_frame(const export_scene *s, long k, long *row) {
  *row = k * s->every;
  if (*row >= s->rows && (k - 1) * s->every < s->rows - 1) *row = s->rows - 1;
  return *row < s->rows;
}

bool export_scene_load(export_job *j, export_scene *s, long row, double *t) {
  return record_read(j->in, record_find_table(j->in, "time"), row, 1, t, j->error) == CAROM_OK &&
         record_read(j->in, s->table, row, 1, s->row, j->error) == CAROM_OK;
}

quat export_scene_turn(const export_scene *s, int body) {
  const int c = s->bodies[body].column;
  if (c < 0) return QUAT_IDENTITY;
  return quat_normalize((quat){s->row[c + 3], s->row[c + 4], s->row[c + 5], s->row[c + 6]});
}

pose export_scene_pose(const export_scene *s, int body) {
  const int c = s->bodies[body].column;
  if (c < 0) return (pose){MAT3_IDENTITY, VEC3_ZERO};
  return (pose){quat_matrix(export_scene_turn(s, body)), {s->row[c], s->row[c + 1], s->row[c + 2]}};
}
