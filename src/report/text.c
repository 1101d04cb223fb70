// A run as the page reads it: JSON of everything small. viewer/FORMAT.md is the contract.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/linalg.h"
#include "report/report.h"

static const char *text_of(const report_run *run, const char *name) {
  const char *text = record_get_text(run->in, name);
  return text ? text : "";
}

// --- about -----------------------------------------------------------------------------------------------------------

// Lines of `name = value` as pairs; numbers as numbers where that is wanted.
static void put_lines(report *r, json_writer *w, const char *key, const char *text, bool numbers) {
  json_open(w, key, '[');
  while (*text) {
    int length = (int)strcspn(text, "\n");
    char *line = arena_print(r->memory, "%.*s", length, text), *equals = strstr(line, " = ");
    text += length + (text[length] == '\n');
    if (!equals) continue;
    *equals = 0;
    char *end;
    double x = strtod(equals + 3, &end);
    json_open(w, NULL, '[');
    json_put_text(w, NULL, line);
    if (numbers && end > equals + 3 && !*end) json_put_number(w, NULL, x);
    else json_put_text(w, NULL, equals + 3);
    json_close(w, ']');
  }
  json_close(w, ']');
}

static const char *file_name(const report_run *run, int i) {
  const json_value *files = json_get(run->scene, "files");
  return files && i < files->count && files->items[i].kind == JSON_TEXT ? files->items[i].text : "";
}

static void put_sources(report *r, json_writer *w, const report_run *run) {
  json_open(w, "model", '{');
  json_put_text(w, "name", file_name(run, 0));
  json_put_text(w, "text", record_get_text(run->in, "model"));
  json_close(w, '}');
  json_open(w, "includes", '[');
  const char *text;
  for (int i = 1; (text = record_get_text(run->in, arena_print(r->memory, "include%d", i))); i++) {
    json_open(w, NULL, '{');
    json_put_text(w, "name", file_name(run, i));
    json_put_text(w, "text", text);
    json_close(w, '}');
  }
  json_close(w, ']');
}

// A record without a scene says by its columns whether it is planar: then nothing leaves the plane.
static const char *space_of(const report_run *run) {
  const char *space = json_get_text(run->scene, "space");
  if (*space) return space;
  const report_table *t = report_find_table(run, "bodies");
  for (int k = 0; t && k < t->column_count; k++) {
    const report_column *c = &t->columns[k];
    const char *dot = strrchr(c->name, '.');
    if (dot && strcmp(dot, ".z") == 0 && !(c->range.constant && c->range.first == 0)) return "spatial";
  }
  return "planar";
}

static void put_about(report *r, json_writer *w, const report_run *run) {
  json_put_text(w, "name", run->name);
  json_put_text(w, "file", run->file);
  json_put_text(w, "title", text_of(run, "title"));
  json_put_text(w, "source", json_get_text(run->scene, "source"));
  json_put_text(w, "space", space_of(run));
  json_put_text(w, "method", text_of(run, "method"));
  json_put_text(w, "integrator", text_of(run, "integrator"));
  json_put_text(w, "coordinates", json_get_text(run->scene, "coordinates"));
  put_lines(r, w, "settings", text_of(run, "settings"), false);
  put_lines(r, w, "parameters", text_of(run, "parameters"), true);
  json_put_text(w, "version", text_of(run, "version"));
  json_put_text(w, "resumed_from", record_get_text(run->in, "resumed_from"));
  put_sources(r, w, run);
  if (json_get(run->scene, "options")) json_put(w, "options", json_get(run->scene, "options"));
  const char *without_summary = record_is_running(run->in) ? "running" : "killed";
  json_put_text(w, "status", run->summary ? json_get_text(run->summary, "status") : without_summary);
  json_put_text(w, "error", json_get_text(run->summary, "error"));
  json_put_number(w, "t0", run->t0);
  json_put_number(w, "t1", run->t1);
  json_put(w, "summary", run->summary);
}

// --- tables ----------------------------------------------------------------------------------------------------------

void report_put_column(json_writer *w, const char *key, const report_column *c, long count) {
  bool any = c->range.min <= c->range.max;
  json_open(w, key, '{');
  json_put_text(w, "name", c->name);
  json_put_text(w, "unit", c->unit);
  json_put_number(w, "min", any ? c->range.min : NAN);
  json_put_number(w, "max", any ? c->range.max : NAN);
  json_put_integer(w, "count", count);
  if (c->range.constant) {
    json_put_number(w, "constant", c->range.first);
  } else {
    json_put_text(w, "type", blob_type_name(c->type));
    json_put_integer(w, "blob", c->blob);
    json_put_integer(w, "at", (long)c->at);
    json_put_number(w, "first", c->range.first);
  }
  json_close(w, '}');
}

static void put_tables(json_writer *w, const report_run *run) {
  json_open(w, "axes", '[');
  for (int i = 0; i < run->axis_count; i++) {
    const report_axis *a = &run->axes[i];
    json_open(w, NULL, '{');
    json_put_integer(w, "rows", run->rows);
    json_put_integer(w, "kept", a->kept.count);
    json_put_flag(w, "raw", a->raw);
    json_put_number(w, "bound", a->bound);
    report_put_column(w, "time", &a->time, a->kept.count);
    if (a->raw) json_put_null(w, "index");
    else report_put_column(w, "index", &a->index, a->kept.count);
    json_close(w, '}');
  }
  json_close(w, ']');
  json_open(w, "tables", '[');
  for (int i = 0; i < run->table_count; i++) {
    const report_table *t = &run->tables[i];
    json_open(w, NULL, '{');
    json_put_text(w, "name", t->name);
    json_put_integer(w, "axis", t->axis);
    json_open(w, "columns", '[');
    for (int k = 0; k < t->column_count; k++) report_put_column(w, NULL, &t->columns[k], run->axes[t->axis].kept.count);
    json_close(w, ']');
    json_close(w, '}');
  }
  json_close(w, ']');
}

static void put_impacts(json_writer *w, const report_run *run) {
  if (run->impact_source < 0) {
    json_put_null(w, "impacts");
    return;
  }
  json_open(w, "impacts", '{');
  json_put_integer(w, "rows", run->impact_rows);
  json_put_integer(w, "kept", run->impact_count);
  json_put_integer(w, "touches", run->impact_kinds[EPISODE_TOUCH]);
  json_put_integer(w, "lasting", run->impact_kinds[EPISODE_LASTING]);
  json_put_integer(w, "impacts", run->impact_kinds[EPISODE_IMPACT]);
  json_put_number(w, "brief", run->brief);
  json_open(w, "points", '[');
  for (int i = 0; i < run->point_count; i++) {
    json_open(w, NULL, '{');
    json_put_integer(w, "contact", run->points[i].contact);
    json_put_integer(w, "point", run->points[i].index);
    json_put_text(w, "name", run->points[i].name);
    json_close(w, '}');
  }
  json_close(w, ']');
  json_open(w, "columns", '[');
  for (int k = 0; k < run->impact_column_count; k++)
    report_put_column(w, NULL, &run->impact_columns[k], run->impact_count);
  json_close(w, ']');
  json_close(w, '}');
}

// --- scene -----------------------------------------------------------------------------------------------------------

static int column_of(report *r, const report_table *t, const char *owner, const char *quantity) {
  return report_find_column(t, arena_print(r->memory, "%s.%s", owner, quantity));
}

static void put_found(report *r, json_writer *w, const char *key, const report_table *t, const char *owner,
                      const char *const *quantities, int count) {
  int found[8], used = 0;
  for (int i = 0; i < count; i++) {
    int k = column_of(r, t, owner, quantities[i]);
    if (k >= 0) found[used++] = k;
  }
  json_put_integers(w, key, found, used);
}

static void put_pose_columns(report *r, json_writer *w, const report_run *run, const char *owner) {
  static const char *const pose_parts[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  const report_table *t = report_find_table(run, "bodies");
  if (column_of(r, t, owner, "qz") < 0) json_put_null(w, "pose");
  else put_found(r, w, "pose", t, owner, pose_parts, 7);
}

static void put_joint_columns(report *r, json_writer *w, const report_run *run, const char *owner) {
  const report_table *t = report_find_table(run, "joints");
  json_open(w, "columns", '{');
  for (const char *letter = "qua"; *letter; letter++) {
    const char key[] = {*letter, 0};
    int only = column_of(r, t, owner, key);
    json_open(w, key, '[');
    if (only >= 0) json_put_integer(w, NULL, only);
    for (int i = 0, k; (k = column_of(r, t, owner, arena_print(r->memory, "%s%d", key, i))) >= 0; i++)
      json_put_integer(w, NULL, k);
    json_close(w, ']');
  }
  json_close(w, '}');
}

static void put_contact_columns(report *r, json_writer *w, const report_run *run, const char *owner) {
  static const char *const single[] = {"gap", "fn", "ft", "mode", "x", "y", "z", "slip"};
  static const char *const at[] = {"at_x", "at_y", "at_z"}, *const force[] = {"force_x", "force_y", "force_z"};
  const report_table *t = report_find_table(run, "contacts");
  json_open(w, "columns", '{');
  for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
    int k = column_of(r, t, owner, single[i]);
    if (k >= 0) json_put_integer(w, single[i], k);
  }
  if (column_of(r, t, owner, "at_x") >= 0) {
    put_found(r, w, "at", t, owner, at, 3);
    put_found(r, w, "force", t, owner, force, 3);
  }
  json_close(w, '}');
}

// All columns of a table that belong to a name, in their order.
static void put_own_columns(json_writer *w, const report_run *run, const char *table, const char *owner) {
  const report_table *t = report_find_table(run, table);
  size_t length = strlen(owner);
  json_open(w, "columns", '[');
  for (int k = 0; t && k < t->column_count; k++)
    if (strncmp(t->columns[k].name, owner, length) == 0 && t->columns[k].name[length] == '.')
      json_put_integer(w, NULL, k);
  json_close(w, ']');
}

// A list of the recorded scene, each entry with its columns added.
static void put_with_columns(report *r, json_writer *w, const report_run *run, const json_value *list) {
  json_open(w, list->key, '[');
  for (int i = 0; i < list->count; i++) {
    const json_value *item = &list->items[i];
    const char *owner = json_get_text(item, "name");
    json_open(w, NULL, '{');
    for (int k = 0; item->kind == JSON_MAP && k < item->count; k++) json_put(w, item->items[k].key, &item->items[k]);
    if (strcmp(list->key, "bodies") == 0) {
      if (i == 0) json_put_null(w, "pose");
      else put_pose_columns(r, w, run, owner);
    }
    if (strcmp(list->key, "joints") == 0) put_joint_columns(r, w, run, owner);
    if (strcmp(list->key, "contacts") == 0) put_contact_columns(r, w, run, owner);
    if (strcmp(list->key, "forces") == 0 || strcmp(list->key, "drives") == 0) put_own_columns(w, run, list->key, owner);
    json_close(w, '}');
  }
  json_close(w, ']');
}

// An old record: bodies are known by the columns of their poses, joints and contacts not at all.
static void put_derived_scene(report *r, json_writer *w, const report_run *run) {
  static const char *const empty[] = {"joints", "surfaces", "constraints", "forces", "drives", "contacts"};
  const report_table *t = report_find_table(run, "bodies");
  json_put_flag(w, "derived", true);
  json_put_numbers(w, "gravity", (const double[]){0, 0, 0}, 3);
  json_open(w, "bodies", '[');
  json_open(w, NULL, '{');
  json_put_text(w, "name", "ground");
  json_put_null(w, "pose");
  json_open(w, "shapes", '[');
  json_close(w, ']');
  json_close(w, '}');
  for (int k = 0; t && k < t->column_count; k++) {
    const char *dot = strrchr(t->columns[k].name, '.');
    if (!dot || strcmp(dot, ".qw") != 0) continue;
    const char *owner = arena_print(r->memory, "%.*s", (int)(dot - t->columns[k].name), t->columns[k].name);
    json_open(w, NULL, '{');
    json_put_text(w, "name", owner);
    put_pose_columns(r, w, run, owner);
    json_put_numbers(w, "com", (const double[]){0, 0, 0}, 3);
    json_put_null(w, "mass");
    json_open(w, "shapes", '[');
    json_close(w, ']');
    json_close(w, '}');
  }
  json_close(w, ']');
  for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
    json_open(w, empty[i], '[');
    json_close(w, ']');
  }
}

// --- where everything goes -------------------------------------------------------------------------------------------

typedef struct box {
  double min[3], max[3];
} box;

static void extend(box *b, vec3 p) {
  const double x[3] = {p.x, p.y, p.z};
  for (int k = 0; k < 3; k++)
    if (isfinite(x[k])) b->min[k] = fmin(b->min[k], x[k]), b->max[k] = fmax(b->max[k], x[k]);
}

static vec3 vector_of(const json_value *v) {
  double x[3] = {0, 0, 0};
  for (int k = 0; v && v->kind == JSON_LIST && k < v->count && k < 3; k++) x[k] = v->items[k].number;
  return vec3_of(x);
}

// How far a mesh of the scene reaches from its origin.
static double mesh_reach(const report_run *run, const json_value *shape) {
  const json_value *meshes = json_get(run->scene, "meshes");
  double number = json_get_number(shape, "mesh", -1), reach = 0;
  if (!meshes || !(number >= 0 && number < meshes->count)) return 0;
  const json_value *v = json_get(&meshes->items[(int)number], "vertices");
  for (int k = 0; v && v->kind == JSON_LIST && k + 3 <= v->count; k += 3)
    reach = fmax(reach, vec3_norm((vec3){v->items[k].number, v->items[k + 1].number, v->items[k + 2].number}));
  return reach;
}

static double points_reach(const json_value *shape) {
  const json_value *points = json_get(shape, "points");
  double reach = 0;
  for (int k = 0; points && points->kind == JSON_LIST && k < points->count; k++)
    reach = fmax(reach, vec3_norm(vector_of(&points->items[k])));
  return reach;
}

// The corners of what a body is made of, in its axes.
enum { CORNERS_MAX = 64 };
static int list_corners(const report_run *run, const json_value *body, vec3 *corners) {
  const json_value *shapes = json_get(body, "shapes");
  int count = 0;
  for (int i = 0; shapes && i < shapes->count && count + 8 <= CORNERS_MAX; i++) {
    const json_value *s = &shapes->items[i];
    const char *kind = json_get_text(s, "kind");
    if (strcmp(kind, "plane") == 0) continue;
    if (strcmp(kind, "link") == 0) {
      corners[count++] = vector_of(json_get(s, "from")), corners[count++] = vector_of(json_get(s, "to"));
      continue;
    }
    double radius = json_get_number(s, "radius", 0), half = 0.5 * json_get_number(s, "length", 0);
    vec3 size = vector_of(json_get(s, "size")), at = vector_of(json_get(s, "at"));
    double reach = fmax(hypot(radius, half), 0.5 * vec3_norm(size));
    reach = fmax(fmax(reach, vec3_norm(vector_of(json_get(s, "radii")))), fmax(mesh_reach(run, s), points_reach(s)));
    for (int k = 0; k < 6; k++) {
      double step = k & 1 ? reach : -reach;
      corners[count++] = vec3_add(at, (vec3){k / 2 == 0 ? step : 0, k / 2 == 1 ? step : 0, k / 2 == 2 ? step : 0});
    }
  }
  corners[count++] = (vec3){0, 0, 0};
  return count;
}

// Each body's corners at some of the recorded times, bodies known by columns alone as points; and the joints on ground.
// Shapes on ground may reach far beyond what moves, so they do not count.
static box find_bounds(report *r, const report_run *run) {
  enum { SAMPLES = 200 };
  box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  const json_value *bodies = json_get(run->scene, "bodies");
  const report_table *t = report_find_table(run, "bodies");
  vec3 corners[CORNERS_MAX];
  double *row = t ? ARENA_ARRAY(r->memory, double, t->column_count) : NULL;
  for (int s = 0; t && s < SAMPLES && run->rows > 0; s++) {
    if (record_read(run->in, t->source, s * (run->rows - 1) / (SAMPLES - 1), 1, row, NULL) != CAROM_OK) break;
    for (int i = 1; bodies && i < bodies->count; i++) {
      int first = column_of(r, t, json_get_text(&bodies->items[i], "name"), "x");
      if (first < 0 || first + 7 > t->column_count) continue;
      const double *x = row + first;
      quat q = {x[3], x[4], x[5], x[6]};
      pose at = {quat_norm(q) > 0 ? quat_matrix(quat_normalize(q)) : MAT3_IDENTITY, vec3_of(x)};
      int count = list_corners(run, &bodies->items[i], corners);
      for (int k = 0; k < count; k++) extend(&b, pose_point(at, corners[k]));
    }
    for (int k = 0; !bodies && k + 7 <= t->column_count; k++)
      if (strlen(t->columns[k].name) > 2 && strcmp(t->columns[k].name + strlen(t->columns[k].name) - 2, ".x") == 0)
        extend(&b, vec3_of(row + k));
    if (run->rows == 1) break;
  }
  const json_value *joints = json_get(run->scene, "joints");
  for (int i = 0; joints && i < joints->count; i++) {
    const json_value *first = json_get(&joints->items[i], "first");
    if (json_get_number(first, "body", -1) == 0) extend(&b, vector_of(json_get(first, "at")));
  }
  for (int k = 0; k < 3; k++)
    if (b.min[k] > b.max[k]) b.min[k] = b.max[k] = 0;
  return b;
}

static void put_scene(report *r, json_writer *w, const report_run *run) {
  static const char *const elsewhere[] = {"space", "coordinates", "source", "options", "files", "remarks"};
  static const char *const lists[] = {"bodies", "joints", "forces", "drives", "contacts"};
  json_open(w, "scene", '{');
  box b = find_bounds(r, run);
  json_open(w, "bounds", '{');
  json_put_numbers(w, "min", b.min, 3);
  json_put_numbers(w, "max", b.max, 3);
  json_close(w, '}');
  if (!run->scene) {
    put_derived_scene(r, w, run);
    json_put_number(w, "length", fmax(fmax(b.max[0] - b.min[0], b.max[1] - b.min[1]), fmax(b.max[2] - b.min[2], 1e-3)));
  } else {
    json_put_flag(w, "derived", false);
  }
  for (int i = 0; run->scene && i < run->scene->count; i++) {
    const json_value *v = &run->scene->items[i];
    bool skip = false, list = false;
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++) skip |= strcmp(v->key, elsewhere[k]) == 0;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
      list |= strcmp(v->key, lists[k]) == 0 && v->kind == JSON_LIST;
    if (list) put_with_columns(r, w, run, v);
    else if (!skip) json_put(w, v->key, v);
  }
  json_close(w, '}');
}

// Modes of vibration, each with the times between which the record shows it.
static void put_modes(report *r, json_writer *w, const report_run *run) {
  const int table = record_find_table(run->in, "modes");
  if (table < 0) return;
  const record_table t = record_get_table(run->in, table);
  double *row = ARENA_ARRAY(r->memory, double, t.column_count + 1);
  json_open(w, "modes", '[');
  for (long i = 0; i < record_rows(run->in, table); i++) {
    if (record_read(run->in, table, i, 1, row, NULL) != CAROM_OK) break;
    json_open(w, NULL, '{');
    for (int k = 0; k < t.column_count; k++) json_put_number(w, t.columns[k], row[k]);
    json_close(w, '}');
  }
  json_close(w, ']');
}

void report_put_run(report *r, json_writer *w, const report_run *run) {
  json_open(w, NULL, '{');
  put_about(r, w, run);
  report_put_verdict(r, w, run);
  put_scene(r, w, run);
  put_tables(w, run);
  put_impacts(w, run);
  report_put_pairs(w, run);
  report_put_touches(w, run);
  report_put_plots(r, w, run);
  put_modes(r, w, run);
  json_close(w, '}');
}
