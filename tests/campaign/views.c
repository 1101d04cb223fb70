// A random scene written in two ways: turned, in other units of length and mass, its parts in another order, in other
// coordinates. Both must move alike.
//
// Everything that stands on ground stands on the marker `world`, so that a turn of the world is one line and gravity.
#include "campaign.h"

#include <stdarg.h>

enum { BALLS_MAX = 5, LINES_MAX = 12 };

typedef struct view {
  double length, mass;  // units: one metre of the scene is `length` metres of the model
  double turn;          // of the world about z [rad]
  bool shuffled, absolute;
} view;

typedef struct scene {
  int balls;
  double radius[BALLS_MAX], at[BALLS_MAX][2], speed[BALLS_MAX][3], mass[BALLS_MAX];
  double angle[2], rate[2];  // of the double pendulum
  double spring, pull;       // of the slider: stiffness, initial travel
  double restitution, friction;
  const char *method;
} scene;

static scene draw_scene(void) {
  static const char *const methods[] = {"{moreau: {step: 1e-4}}", "{event: {}}", "{compliant: {}}"};
  scene s = {.balls = pick(1, 4),
             .spring = draw(50, 500),
             .pull = draw(-0.1, 0.1),
             .restitution = draw(0.2, 0.9),
             .friction = draw(0, 0.5),
             .method = methods[pick(0, 2)]};
  for (int i = 0; i < s.balls; i++) {
    s.radius[i] = draw(0.03, 0.08), s.mass[i] = draw(0.2, 2);
    s.at[i][0] = 0.4 * i + draw(-0.05, 0.05), s.at[i][1] = s.radius[i] + draw(0.01, 0.1);
    s.speed[i][0] = draw(-5, 5), s.speed[i][1] = draw(-1, 1), s.speed[i][2] = draw(-1, 0);
  }
  for (int k = 0; k < 2; k++) s.angle[k] = draw(-1, 1), s.rate[k] = draw(-2, 2);
  return s;
}

// --- text ------------------------------------------------------------------------------------------------------------

typedef struct text {
  char *at, *end;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int written = vsnprintf(t->at, (size_t)(t->end - t->at), format, arguments);
  va_end(arguments);
  if (written < 0 || t->at + written >= t->end) abort();
  t->at += written;
}

typedef struct section {
  const char *name;
  char lines[LINES_MAX][256];
  int count;
} section;

__attribute__((format(printf, 2, 3))) static void add(section *s, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(s->lines[s->count++], sizeof s->lines[0], format, arguments);
  va_end(arguments);
}

static void put_section(text *t, section *s, bool shuffled) {
  put(t, "%s:\n", s->name);
  for (int i = s->count - 1; shuffled && i > 0; i--) {
    int k = pick(0, i);
    char kept[256];
    memcpy(kept, s->lines[i], sizeof kept), memcpy(s->lines[i], s->lines[k], sizeof kept),
        memcpy(s->lines[k], kept, sizeof kept);
  }
  for (int i = 0; i < s->count; i++) put(t, "  %s\n", s->lines[i]);
}

// Hertz's K: force over length to the power 1.5.
static double stiffness_of(const view *v) { return 1e6 * v->mass / sqrt(v->length); }

static void write_scene(const scene *s, const view *v, text *t) {
  double L = v->length, M = v->mass, g = 9.81 * L;
  section bodies = {"bodies", {{0}}, 0}, joints = {"joints", {{0}}, 0}, surfaces = {"surfaces", {{0}}, 0},
          initial = {"initial", {{0}}, 0};
  for (int i = 0; i < s->balls; i++) {
    double r = s->radius[i], m = s->mass[i];
    add(&bodies, "b%d: {mass: %.17g, inertia: %.17g}", i, m * M, 0.4 * m * r * r * M * L * L);
    add(&joints, "jb%d: {free: [world, b%d]}", i, i);
    add(&surfaces, "b%d: {sphere: b%d, radius: %.17g, material: m}", i, i, r * L);
    add(&initial, "jb%d: {q: [0, %.17g, %.17g], u: [%.17g, %.17g, %.17g]}", i, s->at[i][0] * L, s->at[i][1] * L,
        s->speed[i][0], s->speed[i][1] * L, s->speed[i][2] * L);
  }
  for (int k = 0; k < 2; k++) {
    add(&bodies, "l%d: {mass: %.17g, inertia: %.17g, com: [0, %.17g]}", k, M, 0.01 * M * L * L, -0.15 * L);
    add(&joints, "jl%d: {revolute: [%s, l%d], at: [%.17g, %.17g]}", k, k ? "l0" : "world", k, k ? 0 : -0.5 * L,
        (k ? -0.3 : 0.7) * L);
    add(&initial, "jl%d: {q: %.17g, u: %.17g}", k, s->angle[k], s->rate[k]);
  }
  add(&bodies, "s: {mass: %.17g, inertia: %.17g}", M, 0.001 * M * L * L);
  add(&joints, "js: {prismatic: [world, s], at: [%.17g, %.17g], axis: x}", -1.6 * L, 0.5 * L);
  add(&initial, "js: {q: %.17g}", s->pull * L);
  add(&surfaces, "tip: {sphere: l1, at: [0, %.17g], radius: %.17g, material: m}", -0.3 * L, 0.05 * L);
  add(&surfaces, "s: {sphere: s, radius: %.17g, material: m}", 0.05 * L);
  add(&surfaces, "floor: {plane: world, material: m}");
  add(&surfaces, "wall: {plane: world, at: [%.17g, 0], rotate: 90 deg, material: m}", 2.0 * L);

  put(t, "space: planar\ncoordinates: %s\ngravity: [%.17g, %.17g]\n", v->absolute ? "absolute" : "joint",
      g * sin(v->turn), -g * cos(v->turn));
  put(t, "markers: {world: {on: ground, rotate: %.17g}}\n", v->turn);
  put_section(t, &bodies, v->shuffled);
  put_section(t, &joints, v->shuffled);
  put_section(t, &surfaces, v->shuffled);
  put_section(t, &initial, v->shuffled);
  put(t, "forces: {spring: {along: js, stiffness: %.17g}}\n", s->spring * M);
  put(t,
      "materials: {m: {restitution: %.17g, friction: %.17g, stiffness: %.17g, law: lankarani-nikravesh, friction_law: "
      "ambrosio, "
      "v0: %.17g, v1: %.17g}}\n",
      s->restitution, s->friction, stiffness_of(v), 0.01 * L, 0.02 * L);
  put(t, "method: %s\nintegrator: {rtol: 1e-10, atol: 1e-10}\nend: 0.3\n", s->method);
}

// --- comparison ------------------------------------------------------------------------------------------------------

static int body_count(const scene *s) { return s->balls + 3; }

static void body_name(const scene *s, int i, char *name, size_t size) {
  if (i < s->balls) snprintf(name, size, "b%d", i);
  else if (i < s->balls + 2) snprintf(name, size, "l%d", i - s->balls);
  else snprintf(name, size, "s");
}

// Positions of the bodies in the scene's own axes and units at the end. False after a finding.
static bool simulate(const scene *s, const view *v, const char *what, double (*at)[2]) {
  static char all[1 << 14];
  text t = {all, all + sizeof all};
  carom_error error = {0};
  write_scene(s, v, &t);
  carom_model *model = carom_model_parse(all, "scene.yaml", &error);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  bool ran = sim && carom_sim_advance(sim, 0.3, &error) == CAROM_OK;
  if (!ran) finding("%s: %s\n%s", what, error.text, all);
  for (int i = 0; ran && i < body_count(s); i++) {
    char name[16], signal[24];
    body_name(s, i, name, sizeof name);
    snprintf(signal, sizeof signal, "%s.x", name);
    double x = carom_sim_read(sim, carom_model_signal(model, signal)) / v->length;
    snprintf(signal, sizeof signal, "%s.y", name);
    double y = carom_sim_read(sim, carom_model_signal(model, signal)) / v->length;
    at[i][0] = cos(v->turn) * x + sin(v->turn) * y, at[i][1] = -sin(v->turn) * x + cos(v->turn) * y;
  }
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return ran;
}

// Time stepping takes the same steps in every view but that of the coordinates, where its error is of the order of a
// step. An impact within rounding of the activation distance can still fall into the next step, which moves positions
// by 1e-4.
static double tolerance_of(const scene *s, const view *v) {
  bool steps = strstr(s->method, "moreau") != NULL;
  return steps ? (v->absolute ? 5e-3 : 1e-3) : 1e-5;
}

static void run(void) {
  scene s = draw_scene();
  view plain = {.length = 1, .mass = 1}, other = plain;
  const char *what = "";
  switch (pick(0, 3)) {
    case 0: other.turn = draw(-3, 3), what = "turned"; break;
    case 1: other.length = pow(10, draw(-2, 2)), other.mass = pow(10, draw(-2, 2)), what = "scaled"; break;
    case 2: other.shuffled = true, what = "in another order"; break;
    default: other.absolute = true, what = "in absolute coordinates";
  }
  campaign_model("random scene of %d bodies, %s", body_count(&s), s.method);
  double a[BALLS_MAX + 3][2], b[BALLS_MAX + 3][2];
  if (!simulate(&s, &plain, "as drawn", a) || !simulate(&s, &other, what, b)) return;
  for (int i = 0; i < body_count(&s); i++) {
    double distance = hypot(a[i][0] - b[i][0], a[i][1] - b[i][1]);
    char name[16];
    body_name(&s, i, name, sizeof name);
    if (distance <= tolerance_of(&s, &other)) continue;
    finding("body %s ends %.3g m away when the scene is %s (length %g, mass %g, turn %g)", name, distance, what,
            other.length, other.mass, other.turn);
    return;
  }
}

const campaign_kind campaign_views = {"views", "results that depend on axes, units, order or coordinates", run};
