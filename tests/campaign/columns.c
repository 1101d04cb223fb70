// Random models at rest, in steady sliding and in steady driven motion: every recorded column agrees between all
// methods that can run them.
#include "campaign.h"

#include "scheme/registry.h"

enum { METHODS_MAX = 16 };

static const double step = 1e-3;  // of time steppers [s]

typedef struct subject {
  char text[2048];
  double end;
  double rigid, soft;  // tolerances relative to the largest value of a unit, and at least to 1
} subject;

// The material of every contact: it has come to rest after half a second, and is pressed in by less than 1e-6 m: 50 N
// over 1e8 N/m.
#define PAD "materials: {m: {law: kelvin-voigt, stiffness: 1e8, damping: 5e3}}\n"

// A hinged rod whose tip rests on a floor.
static void draw_rest(subject *s) {
  double length = draw(0.3, 2), mass = draw(0.2, 5), com = draw(0.2, 0.8) * length, radius = draw(0.02, 0.2);
  *s = (subject){.end = 0.6, .rigid = 1e-8, .soft = 1e-4};
  snprintf(s->text, sizeof s->text,
           "space: planar\nbodies: {rod: {mass: %.17g, inertia: %.17g, com: [%.17g, 0]}}\njoints: {hinge: {revolute: "
           "[ground, rod]}}\n"
           "surfaces:\n  tip: {sphere: rod, at: [%.17g, 0], radius: %.17g, material: m}\n"
           "  floor: {plane: ground, at: [0, %.17g], material: m}\ncontacts: {tip: {between: [tip, floor]}}\n" PAD,
           mass, mass * length * length / 12, com, length, radius, -radius);
}

// A driven ram pushes a block against a damper.
static void draw_sliding(subject *s) {
  double speed = draw(0.1, 1), radius = draw(0.05, 0.2);
  *s = (subject){.end = 0.6, .rigid = 1e-8, .soft = 1e-4};
  snprintf(s->text, sizeof s->text,
           "space: planar\nbodies: {ram: {mass: %.17g, inertia: 1}, block: {mass: %.17g, inertia: 1}}\n"
           "joints:\n  guide: {prismatic: [ground, ram], axis: x}\n  slide: {prismatic: [ground, block], axis: x, at: "
           "[%.17g, 0]}\n"
           "forces: {drag: {along: slide, damping: %.17g}}\n"
           "surfaces: {a: {sphere: ram, radius: %.17g, material: m}, b: {sphere: block, radius: %.17g, material: m}}\n"
           "contacts: {ab: {between: [a, b]}}\n" PAD
           "drives: {motor: {joint: guide, motion: %.17g*t}}\ninitial: {slide: {u: %.17g}}\n",
           draw(0.2, 5), draw(0.2, 5), 2 * radius, draw(1, 10), radius, radius, speed, speed);
}

// A crank that turns evenly drives a ram against a spring and a damper. A mean over a step stands for its midpoint, up
// to 3/2 steps from the row; columns change with at most four times the rate of the crank.
static void draw_driven(subject *s) {
  double crank = draw(0.1, 0.4), rod = draw(0.8, 2), omega = draw(0.5, 3);
  *s = (subject){.end = 1, .rigid = 1.5 * step * 4 * omega, .soft = 1.5 * step * 4 * omega};
  snprintf(s->text, sizeof s->text,
           "space: planar\nbodies:\n  crank: {mass: %.17g, inertia: 0.1, com: [%.17g, 0]}\n  rod: {mass: %.17g, "
           "inertia: 0.1, com: [%.17g, 0]}\n"
           "  ram: {mass: %.17g, inertia: 0.1}\njoints:\n  crank: {revolute: [ground, crank]}\n"
           "  rod: {revolute: [crank, rod], at: [%.17g, 0]}\n  pin: {revolute: [rod, ram], at: [%.17g, 0]}\n"
           "  guide: {prismatic: [ground, ram], axis: x}\nforces: {load: {along: guide, damping: %.17g, stiffness: "
           "%.17g, rest: 2}}\n"
           "drives: {motor: {joint: crank, motion: %.17g*t}}\ninitial: {crank: {q: 0}}\n",
           draw(0.2, 2), 0.5 * crank, draw(0.2, 2), 0.5 * rod, draw(0.2, 2), crank, rod, draw(0, 5), draw(0, 5), omega);
}

static carom_model *load(const char *path, const char *method, const char *coordinates) {
  char of_step[64], length[32];
  snprintf(of_step, sizeof of_step, "method.%s.step", method);
  snprintf(length, sizeof length, "%g", step);
  carom_setting settings[] = {{"coordinates", coordinates},
                              {"integrator.rtol", "1e-10"},
                              {"integrator.atol", "1e-10"},
                              {"method", method},
                              {of_step, length}};
  carom_error error = {0};
  carom_model *model = carom_model_load(path, settings, 4, &error);
  settings[3] = settings[4];  // a method that needs a step
  return model ? model : carom_model_load(path, settings, 4, &error);
}

// A run of one method, its columns at the end, and the largest value of each on the way. Predicted forces may alternate
// from step to step: their columns are means over three rows, of second order.
typedef struct columns {
  carom_model *model;
  carom_sim *sim;
  bool predicts;
  double *most, *end;
} columns;

static void close_columns(columns *c) {
  carom_sim_destroy(c->sim);
  carom_model_destroy(c->model);
  free(c->most), free(c->end);
  *c = (columns){0};
}

static bool run_columns(columns *c, double end, carom_error *error) {
  enum { SAMPLES = 20 };
  int count = carom_model_signal_count(c->model);
  c->sim = carom_sim_create(c->model, error);
  c->most = calloc((size_t)count, sizeof *c->most), c->end = calloc((size_t)count, sizeof *c->end);
  if (!c->most || !c->end) return false;
  for (int k = 1; c->sim && k <= SAMPLES; k++) {
    const double t = end * k / SAMPLES - (c->predicts && k == SAMPLES ? step : 0);  // the middle row is at the end
    if (carom_sim_advance(c->sim, t, error) != CAROM_OK) return false;
    for (int i = 0; i < count; i++) c->most[i] = fmax(c->most[i], fabs(carom_sim_read(c->sim, i)));
  }
  static const double weight[] = {0.25, 0.5, 0.25};
  for (int k = 0; c->sim && k < 3; k++) {
    if (k && c->predicts && carom_sim_advance(c->sim, end + (k - 1) * step, error) != CAROM_OK) return false;
    for (int i = 0; i < count; i++) c->end[i] += weight[k] * carom_sim_read(c->sim, i);
  }
  return c->sim != NULL;
}

static double largest_of(const columns *c, const char *unit) {
  double most = 1;
  for (int i = 0; i < carom_model_signal_count(c->model); i++)
    if (!strcmp(carom_model_signal_unit(c->model, i), unit)) most = fmax(most, c->most[i]);
  return most;
}

static void compare(const columns *a, const columns *b, double tolerance, const char *text) {
  for (int i = 0; i < carom_model_signal_count(a->model); i++) {
    const char *name = carom_model_signal_name(a->model, i);
    int k = carom_model_signal(b->model, name);
    if (k < 0 || !strcmp(name, "energy.imbalance") || !strcmp(name, "energy.projection")) continue;
    if (b->predicts && strstr(name, ".slip"))
      continue;  // alternating forces move it faster than what counts as sticking
    double x = a->end[i], y = b->end[k];
    if (fabs(x - y) <= tolerance * largest_of(a, carom_model_signal_unit(a->model, i))) continue;
    finding("%s is %.9g under %s and %.9g under %s\n%s", name, x, carom_model_get_info(a->model).method, y,
            carom_model_get_info(b->model).method, text);
    return;
  }
}

// Loads of the rate w leave (h w)^2 of a predicted force: here dampers of up to 10 N s/m on 0.2 kg.
static double tolerance_of(const subject *s, const char *method) {
  const scheme_about *about = scheme_find(method)->about;
  if (about->needs_laws) return s->soft;
  return about->predicts ? fmax(s->rigid, step * 50 * step * 50) : s->rigid;
}

static void run(void) {
  static void (*const draws[])(subject *) = {draw_rest, draw_sliding, draw_driven};
  static const char *const kinds[] = {"rod at rest", "block pushed by a drive", "driven crank"};
  const char *coordinates = pick(0, 1) ? "absolute" : "joint", *path = campaign_file("columns.yaml"), *summary, *method;
  int kind = pick(0, 2), ran = 0;
  subject s;
  draws[kind](&s);
  campaign_model("%s, %s coordinates", kinds[kind], coordinates);
  if (!write_text(path, s.text)) return;
  columns first = {0};
  for (int i = 0; (method = carom_family_member("methods", i, &summary)); i++) {
    carom_error error = {0};
    columns next = {.model = load(path, method, coordinates), .predicts = scheme_find(method)->about->predicts};
    if (!next.model) continue;  // this method cannot run it
    if (!run_columns(&next, s.end, &error)) finding("%s: %s\n%s", method, error.text, s.text);
    else if (ran++) compare(&first, &next, tolerance_of(&s, method), s.text);
    else first = next, next = (columns){0};
    close_columns(&next);
  }
  if (ran < 2) finding("only %d methods run it\n%s", ran, s.text);
  close_columns(&first);
}

const campaign_kind campaign_columns = {"columns", "columns that differ between methods", run};
