// What a model keeps for being drawn; nothing of it moves.
#include <math.h>
#include <string.h>

#include "build/builder.h"

static carom_numbers copy_numbers(builder *b, carom_numbers from) {
  double *items = ARENA_ARRAY(b->memory, double, from.count + 1);
  if (from.count) memcpy(items, from.items, (size_t)from.count * sizeof *items);
  return (carom_numbers){items, from.count};
}

static bool all_finite(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

// The same for shapes that were filled in code.
static bool check_shape(builder *b, const part *p, const carom_shape_def *s) {
  int count, k = 0;
  const option_table *const *tables = shape_tables(&count);
  while (k < count && (!s->kind || strcmp(tables[k]->name, s->kind) != 0)) k++;
  if (k == count)
    return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, NULL, "'%s': there is no shape called '%s'", p->name,
                        s->kind ? s->kind : "");
  bool sound = all_finite(s->at, 3) && all_finite(s->rotate, 4) && all_finite(s->axis, 3) && all_finite(s->size, 3) &&
               all_finite(s->to.items, s->to.count) && all_finite(s->span.items, s->span.count) && isfinite(s->radius) &&
               isfinite(s->width);
  if (strcmp(s->kind, "link") == 0) sound = sound && s->to.count >= 1 && s->to.count <= 3;
  if (strcmp(s->kind, "cylinder") == 0) sound = sound && s->span.count == 2;
  if (!sound)
    return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, NULL,
                        "'%s': its shape has a number that is missing or not finite", p->name);
  return true;
}

static bool keep_shapes(builder *b, drawing *d) {
  const part_list *bodies = &b->def->bodies;
  for (int i = 0; i < bodies->count; i++) d->shape_count += ((const carom_body_def *)bodies->items[i].content)->shape_count;
  d->shapes = ARENA_ARRAY(b->memory, drawn_shape, d->shape_count + 1);
  int used = 0;
  for (int i = 0; i < bodies->count; i++) {
    const carom_body_def *body = bodies->items[i].content;
    for (int k = 0; k < body->shape_count; k++) {
      if (!check_shape(b, &bodies->items[i], &body->shapes[k])) return false;
      drawn_shape *to = &d->shapes[used++];
      *to = (drawn_shape){.body = i + 1, .shape = body->shapes[k]};
      to->shape.kind = arena_copy_text(b->memory, body->shapes[k].kind);
      to->shape.to = copy_numbers(b, body->shapes[k].to);
      to->shape.span = copy_numbers(b, body->shapes[k].span);
    }
  }
  return true;
}

static void keep_surfaces(builder *b, drawing *d) {
  const part_list *list = &b->def->surfaces;
  d->surface_count = list->count;
  d->surfaces = ARENA_ARRAY(b->memory, drawn_surface, list->count + 1);
  for (int i = 0; i < list->count; i++) {
    const carom_surface_def *s = list->items[i].content;
    d->surfaces[i] = (drawn_surface){.name = arena_copy_text(b->memory, list->items[i].name),
                                     .kind = arena_copy_text(b->memory, list->items[i].kind),
                                     .marker = b->surface_marker[i], .radius = s->radius};
    memcpy(d->surfaces[i].size, s->size, sizeof s->size);
  }
}

static void keep_joints(builder *b, drawing *d) {
  const part_list *list = &b->def->joints;
  d->joints = ARENA_ARRAY(b->memory, drawn_joint, list->count + 1);
  for (int i = 0; i < list->count; i++) {
    const carom_joint_def *j = list->items[i].content;
    d->joints[i] = (drawn_joint){.clearance = j->clearance, .axial_clearance = j->axial_clearance, .radius = j->radius,
                                 .length = j->length, .width = j->width, .height = j->height,
                                 .limits = j->limits.items ? copy_numbers(b, j->limits).items : NULL};
  }
}

bool builder_drawing(builder *b) {
  drawing *d = &b->model->drawing;
  *d = (drawing){0};
  keep_surfaces(b, d);
  keep_joints(b, d);
  return keep_shapes(b, d);
}
