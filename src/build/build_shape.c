// Shapes of bodies, and the mass, mass centre and inertia of each body, as given or from its shapes.
#include <math.h>
#include <string.h>

#include "build/builder.h"
#include "build/shape.h"

// --- shapes ----------------------------------------------------------------------------------------------------------

carom_numbers builder_numbers(builder *b, carom_numbers from) {
  double *items = ARENA_ARRAY(b->memory, double, from.count + 1);
  if (from.count) memcpy(items, from.items, (size_t)from.count * sizeof *items);
  return (carom_numbers){items, from.count};
}

static carom_points copy_points(builder *b, carom_points from) {
  double(*items)[3] = arena_alloc(b->memory, (size_t)from.count, sizeof *items);
  if (from.count) memcpy(items, from.items, (size_t)from.count * sizeof *items);
  return (carom_points){(const double(*)[3])items, from.count};
}

static bool all_finite(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static place shape_place(const part *p, const carom_shape_def *s) {
  return s->origin ? *(const place *)s->origin : p->places.whole;
}

// The reader has found what is wrong with a shape of a file; this is for shapes that were filled in code.
static bool check_shape(builder *b, const part *p, const carom_shape_def *s) {
  const shape_type *type = shape_find(s->kind);
  if (!type)
    return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, NULL, "'%s': there is no shape called '%s'",
                        p->name, s->kind ? s->kind : "");
  bool sound = all_finite(s->at, 3) && all_finite(s->rotate, 4) && all_finite(s->axis, 3) && all_finite(s->size, 3) &&
               all_finite(s->to.items, s->to.count) && all_finite(s->span.items, s->span.count) &&
               isfinite(s->radius) && all_finite(s->exponents.items, s->exponents.count) &&
               (!s->points.count || all_finite(s->points.items[0], 3 * s->points.count)) && isfinite(s->width) &&
               isfinite(s->scale) && s->density >= 0 && isfinite(s->density) && s->thickness >= 0 &&
               isfinite(s->thickness) && (!type->is_complete || type->is_complete(s));
  if (!sound)
    return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, NULL,
                        "'%s': its shape has a number that is missing, negative or not finite", p->name);
  const char *fault = type->fault ? type->fault(s, b->def->model.space == CAROM_PLANAR) : NULL;
  return !fault || source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, NULL, "'%s': %s", p->name, fault);
}

static drawn_shape copy_shape(builder *b, const carom_shape_def *from, int body) {
  drawn_shape to = {.body = body, .type = shape_find(from->kind), .shape = *from};
  to.shape.kind = to.type->table->name;
  to.shape.to = builder_numbers(b, from->to), to.shape.span = builder_numbers(b, from->span);
  to.shape.exponents = builder_numbers(b, from->exponents), to.shape.points = copy_points(b, from->points);
  return to;
}

bool builder_shapes(builder *b) {
  const part_list *bodies = &b->def->bodies;
  drawing *d = &b->model->drawing;
  *d = (drawing){0};
  for (int i = 0; i < bodies->count; i++)
    d->shape_count += ((const carom_body_def *)bodies->items[i].content)->shape_count;
  d->shapes = ARENA_ARRAY(b->memory, drawn_shape, d->shape_count + 1);
  int used = 0;
  for (int i = 0; i < bodies->count; i++) {
    const carom_body_def *body = bodies->items[i].content;
    for (int k = 0; k < body->shape_count; k++) {
      if (!check_shape(b, &bodies->items[i], &body->shapes[k])) return false;
      drawn_shape *to = &d->shapes[used++];
      *to = copy_shape(b, &body->shapes[k], i + 1);
      if (to->type->prepare && !to->type->prepare(b, shape_place(&bodies->items[i], &to->shape), &to->shape, &to->data))
        return false;
    }
  }
  return true;
}

// --- mass ------------------------------------------------------------------------------------------------------------

typedef struct mass_builder {
  builder *b;
  const part *p;  // the body
  const carom_body_def *d;
  const drawn_shape *shapes;  // its own
  bool planar;
  double density;  // of shapes that give none; 0 if the body gives none
} mass_builder;

static bool refuse(const mass_builder *mb, place at, const char *hint, const char *what) {
  return source_error(mb->b->error, CAROM_ERROR_MODEL, at, hint, "body '%s': %s", mb->p->name, what);
}

static place key_place(const mass_builder *mb, const char *key) { return builder_place(mb->p, &body_table, key); }

static bool is_given(const mass_builder *mb, const char *key) {
  for (int i = 0; mb->p->places.each && i < body_table.count; i++)
    if (strcmp(body_table.options[i].key, key) == 0) return mb->p->places.each[i].source;
  return false;
}

static bool has_density(const mass_builder *mb) {
  if (mb->d->density > 0 || mb->d->solid) return true;
  for (int i = 0; i < mb->d->shape_count; i++)
    if (mb->shapes[i].shape.density > 0) return true;
  return false;
}

static bool has_numbers(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (x[i] != 0) return true;
  return false;
}

// Both would contradict each other, or one of them has no effect.
static bool check_keys(const mass_builder *mb) {
  const carom_body_def *d = mb->d;
  const char *given = is_given(mb, "mass") || d->mass != 0                    ? "mass"
                      : is_given(mb, "inertia") || has_numbers(d->inertia, 6) ? "inertia"
                      : is_given(mb, "com") || has_numbers(d->com, 3)         ? "com"
                                                                              : NULL;
  if (given)
    return source_error(mb->b->error, CAROM_ERROR_MODEL, key_place(mb, given),
                        "give 'mass', 'inertia' and 'com', or a density with the shapes",
                        "body '%s': '%s' and a density: mass, inertia and mass centre follow from the shapes",
                        mb->p->name, given);
  if (d->density > 0 && d->solid)
    return refuse(mb, key_place(mb, "solid"), "keep one of them", "it has both a density and a solid");
  if (!d->shape_count)
    return refuse(mb, key_place(mb, d->solid ? "solid" : "density"), "for instance shape: {sphere: 5 cm}",
                  "a density needs a shape");
  return true;
}

static bool take_density(mass_builder *mb) {
  solid own = {.density = mb->d->density};
  place at = key_place(mb, "solid");
  if (!mb->d->solid) return mb->density = own.density, true;
  if (!builder_solid(mb->b, at, mb->p->name, mb->d->solid, &own)) return false;
  mb->density = own.density;
  return own.density > 0 || refuse(mb, at, "add 'density:' to it in the section 'solids'", "its solid has no density");
}

static bool add_shape(const mass_builder *mb, const drawn_shape *s, moments *sum) {
  const carom_shape_def *d = &s->shape;
  place at = shape_place(mb->p, d);
  double density = d->density > 0 ? d->density : mb->density,
         thickness = d->thickness > 0 ? d->thickness : mb->d->thickness;
  if (d->massless || !(density > 0)) return true;
  if (mb->planar && !(thickness > 0) && !s->type->has_own_thickness)
    return refuse(mb, at, "add 'thickness:' to the body or the shape",
                  "in a planar model a density needs the thickness of the shapes");
  arena_mark mark = arena_get_mark(mb->b->memory);
  moments m;
  const char *missing =
      s->type->moments(d, &s->data, mb->planar, mb->planar ? thickness : d->thickness, mb->b->memory, &m);
  arena_release(mb->b->memory, mark);
  if (missing) return refuse(mb, at, "or 'massless: true' if it is only drawn", missing);
  mat3 R = s->type->rotation ? s->type->rotation(d, mb->planar) : MAT3_IDENTITY;
  *sum = moments_joined(*sum, moments_moved(moments_scaled(m, density), (pose){R, vec3_of(d->at)}));
  return true;
}

static double without_rounding(double x, double scale) { return fabs(x) > 1e-12 * scale ? x : 0; }

// The mass centre of a symmetric mesh is off by rounding. Left as it is, it would pass for the size of the mechanism.
static void remove_rounding(moments *m) {
  double *s = m->spread.m, trace = s[0] + s[4] + s[8], size = sqrt(trace / m->volume);
  m->centre = (vec3){without_rounding(m->centre.x, size), without_rounding(m->centre.y, size),
                     without_rounding(m->centre.z, size)};
  for (int k = 0; k < 9; k++) s[k] = k % 4 ? without_rounding(s[k], trace) : s[k];
}

static bool from_shapes(mass_builder *mb, body_mass *to) {
  moments sum = {0};
  if (!check_keys(mb) || !take_density(mb)) return false;
  for (int i = 0; i < mb->d->shape_count; i++)
    if (!add_shape(mb, &mb->shapes[i], &sum)) return false;
  if (!(sum.volume > 0) || !isfinite(sum.volume))
    return refuse(mb, mb->p->places.whole, NULL,
                  sum.volume > 0 ? "the mass of its shapes is not finite" : "none of its shapes has a mass");
  remove_rounding(&sum);
  *to = (body_mass){.mass = sum.volume, .com = sum.centre, .from_shape = true};
  moments_inertia(sum, to->inertia);
  if (mb->planar) memcpy(to->inertia, (double[6]){0, 0, to->inertia[2]}, sizeof to->inertia), to->com.z = 0;
  return true;
}

// What only a density reads.
static bool check_unread(const mass_builder *mb) {
  if (mb->d->thickness > 0 && !mb->planar)
    return refuse(mb, key_place(mb, "thickness"), NULL, "there is no 'thickness' in a spatial model, except of a disc");
  for (int i = 0; i < mb->d->shape_count; i++)
    if (mb->shapes[i].shape.thickness > 0 && !mb->planar && !mb->shapes[i].type->is_flat)
      return refuse(mb, shape_place(mb->p, &mb->shapes[i].shape), NULL,
                    "there is no 'thickness' in a spatial model, except of a disc");
  return true;
}

bool builder_masses(builder *b) {
  const part_list *list = &b->def->bodies;
  const drawn_shape *shapes = b->model->drawing.shapes;
  body_mass *masses = ARENA_ARRAY(b->memory, body_mass, list->count + 1);
  b->masses = masses;
  for (int i = 0; i < list->count; i++) {
    const carom_body_def *d = list->items[i].content;
    mass_builder mb = {
        .b = b, .p = &list->items[i], .d = d, .shapes = shapes, .planar = b->def->model.space == CAROM_PLANAR};
    shapes += d->shape_count;
    if (!check_unread(&mb)) return false;
    if (d->beam || d->solid_2d || d->finite_elements) continue;
    if (has_density(&mb)) {
      if (!from_shapes(&mb, &masses[i])) return false;
      continue;
    }
    masses[i] = (body_mass){.mass = d->mass, .com = vec3_of(d->com)};
    memcpy(masses[i].inertia, d->inertia, sizeof d->inertia);
  }
  b->model->masses = masses;
  return builder_beams(b, masses);
}
