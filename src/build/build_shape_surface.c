// Shapes of bodies that name a material are contact surfaces too.
#include <string.h>

#include "build/builder.h"
#include "build/shape.h"
#include "build/surface.h"

static int count_shapes(const part_list *bodies) {
  int count = 0;
  for (int i = 0; i < bodies->count; i++) {
    const carom_body_def *d = bodies->items[i].content;
    for (int k = 0; k < d->shape_count; k++) count += d->shapes[k].material != NULL;
  }
  return count;
}

static carom_surface_def *surface_of(builder *b, const shape_type *type, const carom_shape_def *s, const char *body) {
  bool planar = b->def->model.space == CAROM_PLANAR;
  carom_surface_def *to = ARENA_NEW(b->memory, carom_surface_def);
  *to = carom_surface_default();
  quat turn = quat_of_matrix(type->rotation ? type->rotation(s, planar) : MAT3_IDENTITY);
  memcpy(to->at, s->at, sizeof to->at);
  memcpy(to->size, s->size, sizeof to->size);
  memcpy(to->rotate, (double[4]){turn.w, turn.x, turn.y, turn.z}, sizeof to->rotate);
  to->on = body, to->material = s->material;
  to->radius = s->span.count ? s->span.items[SHAPE_RADIUS] : s->radius,
  to->length = s->span.count > 1 ? s->span.items[SHAPE_LENGTH] : 0;
  to->exponents = s->exponents, to->points = s->points;
  to->file = s->file, to->scale = s->scale, to->flip = s->flip;
  return to;
}

static bool has_name(const part_list *list, const char *name) {
  for (int i = 0; i < list->count; i++)
    if (strcmp(list->items[i].name, name) == 0) return true;
  return false;
}

// The name of the body, or with a number behind it: one that no surface has.
static const char *choose_name(builder *b, const part_list *added, const char *body) {
  const char *name = body;
  for (int i = 2; has_name(added, name) || has_name(&b->def->surfaces, name); i++)
    name = arena_print(b->memory, "%s_%d", body, i);
  return name;
}

static bool add_surface(builder *b, const part *body, const carom_shape_def *s, part_list *surfaces) {
  const shape_type *type = shape_find(s->kind);
  place at = s->origin ? *(const place *)s->origin : body->places.whole;
  const char *kind = b->def->model.space == CAROM_PLANAR ? type->surface_planar : type->surface;
  bool from_file = s->file != NULL;
  if (!kind || (from_file && !surface_find(kind)->takes_file))
    return source_error(
        b->error, CAROM_ERROR_MODEL, at, "remove 'material', and add a surface of another kind under 'surfaces'",
        "'%s': a shape of kind %s%s is no contact surface", body->name, s->kind, from_file ? " from a file" : "");
  part *p = &surfaces->items[surfaces->count];
  *p = (part){.name = choose_name(b, surfaces, body->name),
              .kind = kind,
              .content = surface_of(b, type, s, body->name),
              .places.whole = at};
  surfaces->count++;
  return true;
}

bool builder_shape_surfaces(builder *b) {
  const part_list *bodies = &b->def->bodies, *given = &b->def->surfaces;
  int count = count_shapes(bodies);
  if (!count) return true;
  carom_def *all = ARENA_NEW(b->memory, carom_def);
  *all = *b->def;
  all->surfaces =
      (part_list){.items = arena_alloc(b->memory, (size_t)(given->count + count), sizeof(part)), .count = 0};
  for (int i = 0; i < bodies->count; i++) {
    const carom_body_def *d = bodies->items[i].content;
    for (int k = 0; k < d->shape_count; k++)
      if (d->shapes[k].material && !add_surface(b, &bodies->items[i], &d->shapes[k], &all->surfaces)) return false;
  }
  if (given->count) memcpy(all->surfaces.items + count, given->items, (size_t)given->count * sizeof(part));
  all->surfaces.count += given->count;
  b->def = all;
  return true;
}
