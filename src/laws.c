// Force laws by themselves: one contact, tried without a model.
#include "carom/law.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "build/builder.h"

// --- what there is ---------------------------------------------------------------------------------------------------

carom_law carom_law_get(carom_law_family family, int i) {
  int count;
  if (family == CAROM_NORMAL_LAWS) {
    const normal_law_type *const *all = normal_laws(&count);
    if (i < 0 || i >= count) return (carom_law){0};
    return (carom_law){all[i]->name, all[i]->equation, all[i]->source, all[i]->range, all[i]->contact == LAW_OWN};
  }
  const friction_law_type *const *all = friction_laws(&count);
  if (i < 0 || i >= count) return (carom_law){0};
  return (carom_law){all[i]->name, all[i]->equation, all[i]->source, all[i]->range, all[i]->own};
}

double carom_law_achieved(const char *name, double restitution) {
  const normal_law_type *type = normal_law_find(name);
  if (!type) return NAN;
  if (!type->lambda) return type->elastic ? 1 : NAN;
  double lambda = type->lambda(restitution);
  return isfinite(lambda) ? normal_achieved(lambda) : NAN;
}

// --- one material ----------------------------------------------------------------------------------------------------

// Compiles a definition of nothing but this material, by the rules of any model.
static carom_status compile(arena *memory, const carom_material_def *d, contact_material *m, carom_error *error) {
  jmp_buf out_of_memory;
  if (setjmp(out_of_memory)) return error_set(error, CAROM_ERROR_MEMORY, "out of memory");
  memory->out_of_memory = &out_of_memory;
  part p = {.name = "material", .content = d};
  carom_def def = {.materials = {&p, 1, 1}};
  builder b = {.def = &def, .memory = memory, .error = error};
  option_reader r = {.memory = memory, .error = error};
  bool good = option_check(&r, &material_table, d, p.name);
  const contact_material *all = good ? builder_materials(&b) : NULL;
  memory->out_of_memory = NULL;
  if (!all) return error->status;
  *m = all[0];
  return CAROM_OK;
}

// --- impact ----------------------------------------------------------------------------------------------------------

carom_impact carom_impact_default(void) {
  static const char *const steel[] = {"steel"};
  double radius = 0.01, density = solid_find(steel[0])->density;
  carom_impact i = {.material = carom_material_default(),
                    .radius = {radius, INFINITY},
                    .speed = 1,
                    .rows = 400,
                    .mass = 4.0 / 3 * M_PI * radius * radius * radius * density};
  i.material.solid = (carom_names){steel, 1};
  return i;
}

static bool needs(const normal_law_type *type, const char *key) {
  for (int i = 0; type->needs && type->needs[i]; i++)
    if (strcmp(type->needs[i], key) == 0) return true;
  return false;
}

// The stiffness that turns the mass at the same depth as Hertz.
static carom_status fit_stiffness(carom_impact *impact, carom_error *error) {
  carom_impact elastic = *impact;
  carom_impact_result result;
  elastic.material.law = "hertz";
  carom_status status = carom_law_impact(&elastic, NULL, NULL, &result, error);
  if (status == CAROM_OK)
    impact->material.stiffness = impact->mass * impact->speed * impact->speed / (result.deepest * result.deepest);
  return status;
}

carom_status carom_law_fit(const char *law, carom_impact *impact, carom_error *error) {
  const normal_law_type *type = normal_law_find(law);
  carom_material_def *m = &impact->material;
  error_clear(error);
  if (!type) return error_set(error, CAROM_ERROR_USAGE, "there is no normal law '%s'", law);
  if (type->contact == LAW_LINEAR && m->stiffness == 0 && fit_stiffness(impact, error) != CAROM_OK)
    return error->status;
  if (needs(type, "damping") && m->damping == 0) {  // of a free oscillation with that restitution
    double decay = -log(m->restitution), ratio = decay / hypot(M_PI, decay);
    m->damping = fmax(2 * ratio * sqrt(m->stiffness * impact->mass), 1e-12);
  }
  if (type->contact == LAW_LINE) {
    m->stiffness = 0, m->length = 0.01;
    impact->radius[0] = 0.0095, impact->radius[1] = -0.01;
  }
  m->law = law;
  return CAROM_OK;
}

typedef struct flight {
  double t, delta, rate;
} flight;

// The classical Runge-Kutta method.
static flight advance(const normal_law *l, const carom_impact *i, flight s, double h) {
  static const double part_of[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  double delta = s.delta, rate = s.rate, last_rate = 0, last_acceleration = 0;
  for (int k = 0; k < 4; k++) {
    double c = part_of[k] * h, at = s.delta + c * last_rate, speed = s.rate + c * last_acceleration;
    last_rate = speed, last_acceleration = -normal_force(l, at, speed, i->speed) / i->mass;
    delta += weight[k] * h * last_rate, rate += weight[k] * h * last_acceleration;
  }
  return (flight){s.t + h, delta, rate};
}

// Where an elastic contact would turn: its energy is what the mass brings. Negative: it never would.
static double elastic_depth(const normal_law *l, const carom_impact *i) {
  double brought = 0.5 * i->mass * i->speed * i->speed, low = 0, high = 1e-12;
  while (normal_energy(l, high) < brought)
    if ((high *= 2) > 1e3) return -1;
  for (int k = 0; k < 60; k++) {
    double middle = (low + high) / 2;
    if (normal_energy(l, middle) < brought) low = middle;
    else high = middle;
  }
  return high;
}

static bool is_over(const normal_law *l, const carom_impact *i, flight s) {
  if (s.rate >= 0) return false;
  return s.delta <= 0 || (!l->pulls && normal_force(l, s.delta, s.rate, i->speed) <= 0);
}

// Steps until the contact is over, the last one shortened by bisection; reports each `every`th step, or none. Returns
// how many steps it took, 0 when it does not end.
static long fly(const normal_law *l, const carom_impact *i, double h, long every,
                void (*row)(void *context, double t, double delta, double rate, double force), void *context,
                carom_impact_result *result) {
  enum { MOST = 4000000 };
  flight s = {0, 0, i->speed};
  *result = (carom_impact_result){0};
  for (long n = 0; n < MOST; n++) {
    double force = normal_force(l, s.delta, s.rate, i->speed);
    result->deepest = fmax(result->deepest, s.delta), result->peak = fmax(result->peak, force);
    if (every && n % every == 0) row(context, s.t, s.delta, s.rate, force);
    flight next = advance(l, i, s, h);
    if (is_over(l, i, next)) {
      double low = 0, high = h;
      for (int k = 0; k < 50; k++) {
        double middle = (low + high) / 2;
        if (is_over(l, i, advance(l, i, s, middle))) high = middle;
        else low = middle;
      }
      s = advance(l, i, s, high);
      if (every) row(context, s.t, s.delta, s.rate, 0);
      result->restitution = -s.rate / i->speed, result->duration = s.t;
      return n + 1;
    }
    s = next;
  }
  return 0;
}

carom_status carom_law_impact(const carom_impact *impact,
                              void (*row)(void *context, double t, double delta, double rate, double force),
                              void *context, carom_impact_result *result, carom_error *error) {
  carom_error own;
  error = error_use(error, &own);
  arena memory = {0};
  contact_material m;
  carom_impact_result ignored;
  if (!result) result = &ignored;
  carom_status status = compile(&memory, &impact->material, &m, error);
  if (status == CAROM_OK && !(impact->mass > 0 && impact->speed > 0))
    status = error_set(error, CAROM_ERROR_MODEL, "an impact needs a mass and a speed above 0");
  fault f = {0};
  if (status == CAROM_OK && !material_resolve(&m, impact->radius, true, false, "impact", &f)) {
    status = f.error.status;
    source_error(error, status, (place){0}, f.hint, "%s", f.error.message);
  }
  double depth = status == CAROM_OK ? elastic_depth(&m.normal, impact) : 0;
  if (status == CAROM_OK) {
    // a thousandth of the time that the elastic contact would take to turn; RK4 then errs by less than 1e-9
    double h = 1e-3 * depth / impact->speed;
    long steps = depth > 0 ? fly(&m.normal, impact, h, 0, NULL, NULL, result) : 0;
    if (!steps)
      status = error_set(error, CAROM_ERROR_INTEGRATOR, "the mass does not rebound: law %s is too weak",
                         m.normal.type->name);
    else if (row) fly(&m.normal, impact, h, steps / (impact->rows > 0 ? impact->rows : 400) + 1, row, context, result);
  }
  arena_free(&memory);
  return status;
}

// --- slide -----------------------------------------------------------------------------------------------------------

carom_slide carom_slide_default(void) {
  carom_slide s = {.material = carom_material_default(), .load = 1, .speed = 0.03, .period = 1, .rows = 400};
  s.material.friction = 0.2, s.material.static_friction = 0.3;
  return s;
}

static double slide_speed(const carom_slide *s, double t) { return s->speed * sin(2 * M_PI * t / s->period); }

// Bristles follow within μ/σ0 of way; Heun's method on steps of a hundredth of that.
static double bend(const friction_law *l, const carom_slide *s, double t, double h, double z[2]) {
  double f[2], first[2], second[2], guess[2];
  l->type->force(l, s->load, (double[2]){slide_speed(s, t), 0}, z, f, first);
  for (int k = 0; k < 2; k++) guess[k] = z[k] + h * first[k];
  l->type->force(l, s->load, (double[2]){slide_speed(s, t + h), 0}, guess, f, second);
  for (int k = 0; k < 2; k++) z[k] += h / 2 * (first[k] + second[k]);
  l->type->force(l, s->load, (double[2]){slide_speed(s, t + h), 0}, z, f, first);
  return f[0];
}

static void slide(const friction_law *l, const carom_slide *s,
                  void (*row)(void *context, double t, double x, double v, double force), void *context) {
  int rows = s->rows > 0 ? s->rows : 400;
  double step = 2 * s->period / rows, z[2] = {0, 0}, f[2], rate[2];
  double way = l->type->states ? 0.01 * l->kinetic / l->bristle_stiffness : INFINITY;
  long parts = (long)fmin(1e6, ceil(step * s->speed / way)) + 1;
  l->type->force(l, s->load, (double[2]){0, 0}, z, f, rate);
  double force = f[0];
  for (int n = 0; n <= rows; n++) {
    double t = n * step;
    row(context, t, s->speed * s->period / (2 * M_PI) * (1 - cos(2 * M_PI * t / s->period)), slide_speed(s, t), force);
    if (l->type->states)
      for (long k = 0; k < parts; k++) force = bend(l, s, t + k * step / parts, step / parts, z);
    else {
      l->type->force(l, s->load, (double[2]){slide_speed(s, t + step), 0}, z, f, rate);
      force = f[0];
    }
  }
}

carom_status carom_law_slide(const carom_slide *s,
                             void (*row)(void *context, double t, double x, double v, double force), void *context,
                             carom_error *error) {
  carom_error own;
  error = error_use(error, &own);
  arena memory = {0};
  contact_material m;
  carom_status status = compile(&memory, &s->material, &m, error);
  if (status == CAROM_OK && !(s->speed > 0 && s->period > 0 && s->load >= 0 && s->material.friction > 0))
    status = error_set(error, CAROM_ERROR_MODEL, "sliding needs a speed, a period, a load and friction above 0");
  if (status == CAROM_OK) slide(&m.tangential, s, row, context);
  arena_free(&memory);
  return status;
}
