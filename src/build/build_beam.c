// Beams as given: which keys fit together, the functions along them, and their mass.
#include <math.h>
#include <string.h>

#include "build/flexible_builder.h"
#include "flex/breaks.h"
#include "flex/gauss.h"
#include "text/expr_parse.h"

enum { ELEMENTS_MOST = 400 };  // matrices are dense

place flexible_place(const flexible_builder *fb, const void *origin, const option_table *table, const char *key) {
  const option_places *places = origin;
  if (!places) return fb->p->places.whole;
  const part as_part = {.places = *places};
  return builder_place(&as_part, table, key);
}

bool flexible_refuse(builder *b, const flexible_builder *fb, place at, const char *hint, const char *what) {
  return source_error(b->error, CAROM_ERROR_MODEL, at, hint, "body '%s': %s", fb->p->name, what);
}

// --- functions along the beam ----------------------------------------------------------------------------------------

typedef struct beam_scope {
  builder *b;
  const parameters *names;  // may be null
} beam_scope;

static bool resolve_along(void *context, const char *name, symbol *found, const char **hint) {
  const parameters *names = ((beam_scope *)context)->names;
  if (strcmp(name, "x") == 0 || strcmp(name, "L") == 0) {
    *found = (symbol){.slot = name[0] == 'L', .dim = DIM_LENGTH, .unit = "m"};
    return true;
  }
  if (names && parameters_resolve(names, name, found, hint)) return true;
  if (!*hint) *hint = "along a beam, functions are of x, from 0 to the length L, and of parameters";
  return false;
}

static const named_curve *find_table(void *context, const char *name) {
  return builder_table(((beam_scope *)context)->b, name);
}

static bool is_given(const carom_function *f) { return f->text || f->call || f->origin || f->constant != 0; }

static bool compile_along(builder *b, const carom_function *from, double length, beam_function *to) {
  const function_origin *origin = from->origin;
  *to = (beam_function){.constant = from->constant, .call = from->call, .context = from->context, .length = length};
  if (from->call || !from->text) return true;
  beam_scope names = {b, origin ? origin->names : NULL};
  dimension dim;
  const place at = origin ? origin->at : (place){0};
  to->e = expr_compile(b->memory, from->text, at, (scope){resolve_along, &names, find_table}, &dim, b->error);
  if (!to->e) return false;
  char complaint[DIMENSION_COMPLAINT], advice[DIMENSION_ADVICE];
  if (!origin || dimension_equal(dim, origin->dim)) return true;
  return source_error(b->error, CAROM_ERROR_MODEL, at, dimension_advice(origin->dim, dim, from->text, false, advice),
                      "'%s' must be %s", origin->key, dimension_complaint(origin->dim, dim, complaint));
}

jet beam_function_jet(const beam_function *f, double x) {
  if (f->call) {
    double value[3] = {0};
    f->call(f->context, x, value);
    return (jet){value[0], value[1], value[2]};
  }
  if (!f->e) return (jet){f->constant, 0, 0};
  return expr_jet(f->e, (const jet[]){{x, 1, 0}, {f->length, 0, 0}});
}

// --- the section -----------------------------------------------------------------------------------------------------

static beam_section section_at(const void *context, double x) {
  const beam_functions *f = context;
  beam_section s = {.area = beam_function_jet(&f->area, x).v, .second_z = beam_function_jet(&f->second_moment, x).v};
  s.second_y = f->has_second_moment_z ? beam_function_jet(&f->second_moment_z, x).v : s.second_z;
  s.torsion = f->has_torsion ? beam_function_jet(&f->torsion, x).v : s.second_z + s.second_y;
  s.shear_y = s.shear_z = f->has_shear_area ? beam_function_jet(&f->shear_area, x).v : s.area * 5 / 6;
  return s;
}

static bool is_sound(double x) { return isfinite(x) && x > 0; }

// Where the elements ask for it, and at the ends.
static bool check_section(builder *b, const flexible_builder *fb) {
  const int samples = 10 * fb->beam.elements;
  const carom_beam_def *d = fb->d->beam;
  for (int i = 0; i <= samples; i++) {
    const double x = d->length * i / samples;
    const beam_section s = section_at(&fb->section, x);
    const char *wrong = !is_sound(s.area)       ? "area"
                        : !is_sound(s.second_z) ? "second_moment"
                        : !is_sound(s.second_y) ? "second_moment_z"
                        : !is_sound(s.torsion)  ? "torsion"
                        : !is_sound(s.shear_y)  ? "shear_area"
                                                : NULL;
    if (wrong)
      return source_error(b->error, CAROM_ERROR_MODEL, flexible_place(fb, d->origin, &beam_table, "section"), NULL,
                          "body '%s': '%s' of its section is not positive at x = %.4g m", fb->p->name, wrong, x);
  }
  return true;
}

static bool compile_section(builder *b, flexible_builder *fb) {
  const carom_section_def *s = &fb->d->beam->section;
  const double L = fb->d->beam->length;
  beam_functions *to = &fb->section;
  to->has_second_moment_z = is_given(&s->second_moment_z), to->has_torsion = is_given(&s->torsion);
  to->has_shear_area = is_given(&s->shear_area);
  const place at = flexible_place(fb, fb->d->beam->origin, &beam_table, "section");
  if (fb->beam.planar && (to->has_second_moment_z || to->has_torsion))
    return flexible_refuse(b, fb, at, "leave it out", "a planar model has no 'second_moment_z' and no 'torsion'");
  if (!fb->beam.timoshenko && to->has_shear_area)
    return flexible_refuse(b, fb, at, "add 'theory: timoshenko' to the beam, or leave it out",
                           "'shear_area' is for beams of the theory timoshenko");
  return compile_along(b, &s->area, L, &to->area) && compile_along(b, &s->second_moment, L, &to->second_moment) &&
         compile_along(b, &s->second_moment_z, L, &to->second_moment_z) &&
         compile_along(b, &s->torsion, L, &to->torsion) && compile_along(b, &s->shear_area, L, &to->shear_area) &&
         check_section(b, fb);
}

// --- nodes -----------------------------------------------------------------------------------------------------------

// Equal elements.
static void start_nodes(builder *b, flexible_builder *fb) {
  const int n = fb->beam.elements;
  fb->nodes = ARENA_ARRAY(b->memory, double, n + 1), fb->node_is_put = ARENA_ARRAY(b->memory, bool, n + 1);
  for (int k = 0; k <= n; k++) fb->nodes[k] = fb->beam.length * k / n;
  fb->node_is_put[0] = fb->node_is_put[n] = true;
  fb->beam.nodes = fb->nodes;
}

void beam_put_node(builder *b, flexible_builder *fb, double x) {
  const int count = fb->beam.elements + 1;
  int near = 0, after = 0;
  for (int k = 1; k < count; k++)
    if (fabs(fb->nodes[k] - x) < fabs(fb->nodes[near] - x)) near = k;
  if (fb->node_is_put[near] && fabs(fb->nodes[near] - x) <= 1e-9 * fb->beam.length) return;
  if (!fb->node_is_put[near]) {
    fb->nodes[near] = x, fb->node_is_put[near] = true;
    return;
  }
  while (fb->nodes[after] < x) after++;
  double *nodes = ARENA_ARRAY(b->memory, double, count + 1);
  bool *put = ARENA_ARRAY(b->memory, bool, count + 1);
  for (int k = 0; k <= count; k++) {
    nodes[k] = k < after ? fb->nodes[k] : k > after ? fb->nodes[k - 1] : x;
    put[k] = k < after ? fb->node_is_put[k] : k > after ? fb->node_is_put[k - 1] : true;
  }
  fb->nodes = nodes, fb->node_is_put = put, fb->beam.nodes = nodes, fb->beam.elements = count;
}

enum { BREAKS_MOST = 64 };  // of one function

static void function_at(const void *context, double x, double jet_of[3]) {
  const jet j = beam_function_jet(context, x);
  jet_of[0] = j.v, jet_of[1] = j.d, jet_of[2] = j.dd;
}

// A node wherever a number of the section jumps or has a kink.
static void place_breaks(builder *b, flexible_builder *fb) {
  const beam_functions *s = &fb->section;
  const beam_function *all[] = {&s->area, &s->second_moment, &s->second_moment_z, &s->torsion, &s->shear_area};
  const int parts = fb->beam.elements;
  for (int i = 0; i < 5; i++) {
    beam_break breaks[BREAKS_MOST];
    const int count = breaks_find((beam_jet){function_at, all[i]}, fb->beam.length, parts, breaks, BREAKS_MOST);
    for (int k = 0; k < count; k++) beam_put_node(b, fb, breaks[k].x);
  }
}

// --- the beam --------------------------------------------------------------------------------------------------------

bool flexible_take_solid(builder *b, const flexible_builder *fb, const void *origin, const option_table *table,
                         const char *name, solid *of) {
  const place at = flexible_place(fb, origin, table, "solid");
  if (name) {
    if (of->young > 0 || of->density > 0 || of->poisson != carom_beam_default().poisson)
      return flexible_refuse(b, fb, at, "keep one of them", "it has both a solid and 'young', 'poisson' or 'density'");
    if (!builder_solid(b, at, fb->p->name, name, of)) return false;
    if (!(of->density > 0))
      return flexible_refuse(b, fb, at, "add 'density:' to it in the section 'solids'", "its solid has no density");
  }
  const char *missing = !(of->young > 0) ? "young" : !(of->density > 0) ? "density" : NULL;
  if (missing)
    return source_error(b->error, CAROM_ERROR_MODEL, flexible_place(fb, origin, table, missing),
                        "give 'young' and 'density', or a 'solid'", "body '%s': '%s' is missing in its %s", fb->p->name,
                        missing, table->name);
  if (of->poisson < 0.5 + 1e-12) return true;
  return flexible_refuse(b, fb, flexible_place(fb, origin, table, "poisson"), NULL, "Poisson's ratio is at most 0.5");
}

static bool take_solid(builder *b, flexible_builder *fb) {
  const carom_beam_def *d = fb->d->beam;
  solid of = {.young = d->young, .poisson = d->poisson, .density = d->density};
  if (!flexible_take_solid(b, fb, d->origin, &beam_table, d->solid, &of)) return false;
  fb->beam.young = of.young, fb->beam.density = of.density, fb->beam.shear = of.young / (2 * (1 + of.poisson));
  return true;
}

static bool take_beam(builder *b, flexible_builder *fb) {
  const carom_beam_def *d = fb->d->beam;
  fb->beam = (beam){.length = d->length,
                    .planar = b->def->model.space == CAROM_PLANAR,
                    .timoshenko = d->theory == CAROM_TIMOSHENKO,
                    .rod = d->theory == CAROM_ROD,
                    .elements = d->elements,
                    .section = section_at,
                    .context = &fb->section};
  if (d->elements > ELEMENTS_MOST)
    return source_error(b->error, CAROM_ERROR_MODEL, flexible_place(fb, d->origin, &beam_table, "elements"), NULL,
                        "body '%s': a beam has at most %d elements, not %d", fb->p->name, ELEMENTS_MOST, d->elements);
  if (fb->beam.rod && fb->d->geometric_stiffness == CAROM_GEOMETRIC_YES)
    return flexible_refuse(b, fb, builder_place(fb->p, &body_table, "geometric_stiffness"),
                           "leave it out, or choose another 'theory'",
                           "a rod does not bend, so that it has no geometric stiffness");
  start_nodes(b, fb);
  if (!take_solid(b, fb) || !compile_section(b, fb)) return false;
  place_breaks(b, fb);
  return true;
}

// Mass, mass centre and inertia of the points that carry the mass.
static body_mass mass_of(const beam *of) {
  flex_inertia sum = {0};
  mass_point points[4];
  for (int k = 0; k < of->elements * GAUSS; k++) {
    const double from = beam_node(of, k / GAUSS), h = beam_node(of, k / GAUSS + 1) - from;
    const flex_place axis = {.at = {from + h * gauss_at[k % GAUSS], 0, 0}};
    beam_fill_section(of, &axis, h * gauss_weight[k % GAUSS], points);
    for (int i = 0; i < beam_section_points(of); i++) inertia_add(&sum, points[i].mass, points[i].place.at, NULL);
  }
  body_mass to = {.mass = sum.mass, .com = {sum.first.x / sum.mass, 0, 0}, .from_shape = true};
  const double along = sum.second.m[0] - sum.mass * to.com.x * to.com.x, y = sum.second.m[4], z = sum.second.m[8];
  const double J[6] = {of->planar ? 0 : y + z, of->planar ? 0 : along + z, along + y};
  memcpy(to.inertia, J, sizeof J);
  return to;
}

// --- given shape functions -------------------------------------------------------------------------------------------

static void given_at(const void *context, double x, double jet_of[3]) {
  const beam_shape *s = context;
  const jet j = beam_function_jet(&s->f, x);
  jet_of[0] = j.v - s->value - s->slope * (x - s->from), jet_of[1] = j.d - s->slope, jet_of[2] = j.dd;
}

// Between two nodes a function is integrated as a smooth one. A deflection with a kink has no curvature there, and a
// jump tears the beam.
static bool check_breaks(builder *b, flexible_builder *fb, const beam_shape *s, given_direction along) {
  beam_break breaks[BREAKS_MOST];
  const bool bends = along == GIVEN_Y || along == GIVEN_Z;
  const int count =
      breaks_find((beam_jet){function_at, &s->f}, fb->beam.length, fb->d->beam->elements, breaks, BREAKS_MOST);
  for (int k = 0; k < count; k++) {
    const bool jumps = breaks[k].jump[0] > 1e-6;
    if (jumps || (bends && breaks[k].jump[1] > 1e-6))
      return source_error(
          b->error, CAROM_ERROR_MODEL, s->at, "split the beam there, and join the parts by a fixed joint or a hinge",
          "body '%s': this shape function has a %s at x = %.6g m", fb->p->name, jumps ? "jump" : "kink", breaks[k].x);
    beam_put_node(b, fb, breaks[k].x);
  }
  return true;
}

static bool take_functions(builder *b, flexible_builder *fb, const char *key, given_direction along,
                           const carom_functions *list) {
  const place key_at = flexible_place(fb, fb->d->modes->origin, &modes_table, key);
  if (list->count && fb->beam.planar && (along == GIVEN_Z || along == GIVEN_TWIST))
    return source_error(b->error, CAROM_ERROR_MODEL, key_at, NULL, "body '%s': there is no '%s' in a planar model",
                        fb->p->name, key);
  for (int i = 0; i < list->count; i++) {
    const function_origin *origin = list->items[i].origin;
    if (fb->given_count == PLACE_FREEDOMS)
      return source_error(b->error, CAROM_ERROR_MODEL, origin ? origin->at : key_at, NULL,
                          "body '%s': at most %d shape functions can be given", fb->p->name, PLACE_FREEDOMS);
    beam_shape *s = &fb->shapes[fb->given_count];
    *s = (beam_shape){.at = origin ? origin->at : key_at, .key = key};
    if (!compile_along(b, &list->items[i], fb->beam.length, &s->f)) return false;
    for (int k = 0; k <= 8 * fb->beam.elements; k++) {
      const double x = fb->beam.length * k / (8 * fb->beam.elements);
      const jet j = beam_function_jet(&s->f, x);
      if (isfinite(j.v) && isfinite(j.d) && isfinite(j.dd)) continue;
      return source_error(b->error, CAROM_ERROR_MODEL, s->at, NULL,
                          "body '%s': this shape function, or one of its first two derivatives, is not finite at "
                          "x = %.4g m",
                          fb->p->name, x);
    }
    if (!check_breaks(b, fb, s, along)) return false;
    fb->given[fb->given_count++] = (given_shape){along, given_at, s};
  }
  return true;
}

static const char *kind_of(const flexible_builder *fb) {
  return fb->d->beam ? "beam" : fb->d->solid_2d ? "solid_2d" : "body of finite_elements";
}

static bool take_modes(builder *b, flexible_builder *fb) {
  const carom_modes_def *d = fb->d->modes;
  if (!d)
    return source_error(b->error, CAROM_ERROR_MODEL, fb->p->places.whole, "for instance modes: {count: 3}",
                        "body '%s': a %s needs 'modes', the shapes in which it deforms", fb->p->name, kind_of(fb));
  const char *given = d->axial.count          ? "axial"
                      : d->transverse.count   ? "transverse"
                      : d->transverse_z.count ? "transverse_z"
                      : d->twist.count        ? "twist"
                                              : NULL;
  if (fb->is_solid && given)
    return flexible_refuse(b, fb, flexible_place(fb, d->origin, &modes_table, given), "use 'count'",
                           "shape functions can be given for beams alone");
  fb->shapes = ARENA_ARRAY(b->memory, beam_shape, PLACE_FREEDOMS);
  fb->given = ARENA_ARRAY(b->memory, given_shape, PLACE_FREEDOMS);
  if (!take_functions(b, fb, "axial", GIVEN_AXIAL, &d->axial) ||
      !take_functions(b, fb, "transverse", GIVEN_Y, &d->transverse) ||
      !take_functions(b, fb, "transverse_z", GIVEN_Z, &d->transverse_z) ||
      !take_functions(b, fb, "twist", GIVEN_TWIST, &d->twist))
    return false;
  if (fb->given_count && d->count > 0)
    return flexible_refuse(b, fb, flexible_place(fb, d->origin, &modes_table, "count"), "keep one of them",
                           "it has both a count of eigenmodes and given shape functions");
  if (!fb->given_count && !d->count)
    return flexible_refuse(b, fb, flexible_place(fb, d->origin, &modes_table, "count"),
                           "for instance modes: {count: 3}", "'modes' needs a count, or shape functions");
  if (fb->given_count && fb->d->beam->theory != CAROM_EULER_BERNOULLI)
    return flexible_refuse(b, fb, flexible_place(fb, fb->d->beam->origin, &beam_table, "theory"), "use 'count' instead",
                           "given shape functions are for beams of the theory euler-bernoulli");
  return true;
}

static bool check_damping(builder *b, const flexible_builder *fb) {
  const carom_structural_damping_def *d = fb->d->damping;
  if (!d || !(d->ratio > 0) || (!(d->mass > 0) && !(d->stiffness > 0))) return true;
  return flexible_refuse(b, fb, flexible_place(fb, d->origin, &structural_damping_table, "ratio"), "keep one of them",
                         "its damping has both a ratio and Rayleigh's factors");
}

// --- all -------------------------------------------------------------------------------------------------------------

static bool has_key(const part *p, const char *key) {
  for (int i = 0; i < body_table.count && p->places.each; i++)
    if (p->places.each[i].source && strcmp(body_table.options[i].key, key) == 0) return true;
  return false;
}

// Keys that only rigid bodies have. The mass of imported matrices may be given: it is compared.
static bool check_keys(builder *b, const flexible_builder *fb) {
  const carom_body_def *d = fb->d;
  double other = 0;
  for (int k = 0; k < 6; k++) other += fabs(d->inertia[k]) + (k < 3 ? fabs(d->com[k]) : 0);
  const bool compared = d->finite_elements != NULL;
  const char *key = d->mass != 0 && !compared ? "mass"
                    : d->density > 0          ? "density"
                    : d->solid                ? "solid"
                    : other > 0               ? "inertia"
                                              : NULL;
  for (int i = 0; i < body_table.count && fb->p->places.each && !key; i++)
    if (fb->p->places.each[i].source && strcmp(body_table.options[i].key, "geometric_stiffness") != 0 &&
        !(compared && strcmp(body_table.options[i].key, "mass") == 0))
      key = body_table.options[i].key;
  if (key)
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(fb->p, &body_table, key), "leave it out",
                        "body '%s': '%s' and a %s: mass, inertia and mass centre follow from the %s", fb->p->name, key,
                        kind_of(fb), kind_of(fb));
  for (int i = 0; i < d->shape_count; i++)
    if (d->shapes[i].density > 0)
      return flexible_refuse(b, fb, d->shapes[i].origin ? *(const place *)d->shapes[i].origin : fb->p->places.whole,
                             "leave it out", "a shape of a flexible body is drawn alone and has no density");
  return true;
}

static bool check_rigid(builder *b, const part *p) {
  const carom_body_def *d = p->content;
  const flexible_builder as_is = {.p = p, .d = d};
  const void *origin = d->modes           ? d->modes->origin
                       : d->damping       ? d->damping->origin
                       : d->stretch_count ? d->stretches[0].origin
                                          : NULL;
  const place at = origin ? ((const option_places *)origin)->whole : p->places.whole;
  if (d->modes || d->damping || d->stretch_count)
    return flexible_refuse(b, &as_is, at, "add 'beam:', 'solid_2d:' or 'finite_elements:', or leave it out",
                           d->modes     ? "'modes' is for flexible bodies"
                           : d->damping ? "'damping' is for flexible bodies"
                                        : "'stretches' is for flexible bodies");
  if (has_key(p, "geometric_stiffness"))
    return flexible_refuse(b, &as_is, builder_place(p, &body_table, "geometric_stiffness"),
                           "add 'beam:', 'solid_2d:' or 'finite_elements:', or leave it out",
                           "'geometric_stiffness' is for flexible bodies");
  return true;
}

static bool check_in_code(builder *b, const flexible_builder *fb) {
  option_reader r = {.memory = b->memory, .error = b->error, .planar = fb->beam.planar};
  if (b->def->text) return true;
  return (!fb->d->beam || option_check(&r, &beam_table, fb->d->beam, fb->p->name)) &&
         (!fb->d->solid_2d || option_check(&r, &solid_2d_table, fb->d->solid_2d, fb->p->name)) &&
         (!fb->d->finite_elements || option_check(&r, &finite_elements_table, fb->d->finite_elements, fb->p->name)) &&
         (!fb->d->modes || option_check(&r, &modes_table, fb->d->modes, fb->p->name)) &&
         (!fb->d->damping || option_check(&r, &structural_damping_table, fb->d->damping, fb->p->name));
}

bool builder_beams(builder *b, body_mass *masses) {
  const part_list *list = &b->def->bodies;
  for (int i = 0; i < list->count; i++) {
    const part *p = &list->items[i];
    const carom_body_def *d = p->content;
    const int kinds = (d->beam != NULL) + (d->solid_2d != NULL) + (d->finite_elements != NULL);
    if (kinds == 0) {
      if (!check_rigid(b, p)) return false;
      continue;
    }
    if (!b->flexibles) b->flexibles = ARENA_ARRAY(b->memory, flexible_builder, list->count);
    flexible_builder *fb = &b->flexibles[i];
    fb->p = p, fb->d = d, fb->is_solid = !d->beam;
    if (kinds > 1)
      return flexible_refuse(b, fb, p->places.whole, "keep one of them",
                             "it has more than one of 'beam', 'solid_2d' and 'finite_elements'");
    if (!check_in_code(b, fb) || !check_keys(b, fb) || !(fb->is_solid || take_beam(b, fb)) || !take_modes(b, fb) ||
        !check_damping(b, fb))
      return false;
    if (!fb->is_solid) masses[i] = mass_of(&fb->beam);
    else if (!(d->solid_2d ? builder_solid_2d : builder_finite_elements)(b, fb, &masses[i])) return false;
    if (!builder_stretches(b, fb)) return false;
  }
  return true;
}
