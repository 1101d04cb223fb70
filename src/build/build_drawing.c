// What a model keeps for being drawn; nothing of it moves.
#include <math.h>
#include <string.h>

#include "build/builder.h"
#include "build/surface.h"

// An outline as a polygon, off by less than can be seen.
static carom_points sample_outline(builder *b, const outline *o) {
  vec2 *p;
  int count = outline_sample(o, 2e-4 * o->size, b->memory, &p);
  double(*items)[3] = arena_alloc(b->memory, (size_t)count, sizeof *items);
  for (int i = 0; i < count; i++) items[i][0] = p[i].x, items[i][1] = p[i].y;
  return (carom_points){(const double(*)[3])items, count};
}

static bool keep_surfaces(builder *b, drawing *d) {
  const part_list *list = &b->def->surfaces;
  d->surface_count = list->count;
  d->surfaces = ARENA_ARRAY(b->memory, drawn_surface, list->count + 1);
  for (int i = 0; i < list->count; i++) {
    const carom_surface_def *s = list->items[i].content;
    drawn_surface *to = &d->surfaces[i];
    *to = (drawn_surface){.name = arena_copy_text(b->memory, list->items[i].name),
                          .type = surface_find(list->items[i].kind),
                          .marker = b->surface_marker[i],
                          .shape.radius = s->radius,
                          .data.mesh = -1};
    memcpy(to->shape.size, s->size, sizeof s->size);
    if (to->type->set_drawn) to->type->set_drawn(s, b->model->m.planar, b->memory, &to->shape);
    if (to->type->by_outline) to->shape.points = sample_outline(b, b->outlines[i]);
    vec3_store(to->shape.at, b->model->m.markers[to->marker].local.p);
    const shape_type *drawn = b->model->m.planar ? NULL : to->type->drawn;
    const terrain *triangles = b->model->contacts.surfaces[i].terrain;
    if (triangles) builder_terrain(b, to->name, triangles, &to->shape.points, &to->data);
    else if (drawn && drawn->prepare && !drawn->prepare(b, list->items[i].places.whole, &to->shape, &to->data))
      return false;
  }
  return true;
}

static void keep_joints(builder *b, drawing *d) {
  const part_list *list = &b->def->joints;
  d->joints = ARENA_ARRAY(b->memory, drawn_joint, list->count + 1);
  for (int i = 0; i < list->count; i++) {
    const carom_joint_def *j = list->items[i].content;
    d->joints[i] = (drawn_joint){.clearance = j->clearance,
                                 .axial_clearance = j->axial_clearance,
                                 .radius = j->radius,
                                 .length = j->length,
                                 .width = j->width,
                                 .height = j->height,
                                 .limits = j->limits.items ? builder_numbers(b, j->limits).items : NULL};
  }
}

// --- what is attached to a body, and how far that reaches ------------------------------------------------------------

typedef struct box {
  vec3 low, high;
} box;

static void reach(box *b, vec3 p, vec3 half) {
  b->low = (vec3){fmin(b->low.x, p.x - half.x), fmin(b->low.y, p.y - half.y), fmin(b->low.z, p.z - half.z)};
  b->high = (vec3){fmax(b->high.x, p.x + half.x), fmax(b->high.y, p.y + half.y), fmax(b->high.z, p.z + half.z)};
}

static void reach_shape(box *b, const drawn_shape *s, bool planar) {
  const shape_type *type = s->type;
  mat3 R = type->rotation ? type->rotation(&s->shape, planar) : MAT3_IDENTITY;
  vec3 middle = type->middle ? type->middle(&s->shape, R) : VEC3_ZERO;
  reach(b, vec3_add(vec3_of(s->shape.at), middle), type->half(&s->shape, R));
  if (type->far_end) reach(b, type->far_end(&s->shape), VEC3_ZERO);
}

typedef struct attaching {
  builder *b;
  drawn_body *bodies;
  box *boxes;
  bool only_count;  // a first pass finds out how much room each body needs
} attaching;

// A box with its middle off the marker, in the axes of the body.
static void attach_box(attaching *a, int marker_index, vec3 middle, vec3 half) {
  if (marker_index < 0) return;
  const mechanism *m = &a->b->model->m;
  const marker *k = &m->markers[marker_index];
  drawn_body *body = &a->bodies[k->body];
  if (a->only_count) {
    body->count++;
    return;
  }
  reach(&a->boxes[k->body], vec3_add(k->local.p, middle), half);
  if (k->body == GROUND) return;  // it is drawn by its surfaces, and may have any number of joints
  for (int i = 0; i < body->count; i++)
    if (vec3_norm(vec3_sub(k->local.p, body->at[i])) < 1e-6 * m->length) return;
  body->at[body->count++] = k->local.p;
}

static void attach(attaching *a, int marker_index, vec3 half) { attach_box(a, marker_index, VEC3_ZERO, half); }

static void attach_joint(attaching *a, const mechanism *m, int i) {
  const joint *j = &m->joints[i];
  if (joint_in(j->type, m->planar)->row_count == 0) return;  // a free joint holds nothing
  const drawn_joint *d = &a->b->model->drawing.joints[i];
  attach(a, j->second, shape_cube(fmax(d->radius, 0.5 * d->length)));
  attach(a, j->first, VEC3_ZERO);
  if (joint_is_slider(j->type, m->planar)) a->bodies[m->markers[j->second].body].slides = true;
}

// A boundary is as large as its part of the body.
static void attach_surface(attaching *a, const mechanism *m, const drawn_surface *f, const polyline *boundary) {
  if (boundary) {
    vec2 half = vec2_scale(0.5, vec2_sub(boundary->high, boundary->low));
    attach_box(a, f->marker, vec2_in_space(vec2_add(boundary->low, half)), vec2_in_space(half));
    return;
  }
  const shape_type *drawn = f->type->drawn;
  if (!drawn) {
    attach(a, f->marker, VEC3_ZERO);
    return;
  }
  mat3 R = m->markers[f->marker].local.R;
  attach_box(a, f->marker, drawn->middle ? drawn->middle(&f->shape, R) : VEC3_ZERO, drawn->half(&f->shape, R));
}

static void attach_all(attaching *a) {
  const mechanism *m = &a->b->model->m;
  const drawing *d = &a->b->model->drawing;
  for (int i = 0; i < m->joint_count; i++) attach_joint(a, m, i);
  for (int i = 0; i < m->constraint_count; i++)
    if (!m->constraints[i].term_count && m->constraints[i].joint < 0)
      attach(a, m->constraints[i].first, VEC3_ZERO), attach(a, m->constraints[i].second, VEC3_ZERO);
  for (int i = 0; i < m->force_count; i++)
    if (m->forces[i].second >= 0) attach(a, m->forces[i].first, VEC3_ZERO), attach(a, m->forces[i].second, VEC3_ZERO);
  for (int i = 0; i < m->body_count; i++) a->bodies[i].holding = a->bodies[i].count;
  for (int i = 0; i < d->surface_count; i++)
    attach_surface(a, m, &d->surfaces[i], a->b->model->contacts.surfaces[i].boundary);
  for (int i = 0; i < m->force_count; i++)
    if (m->forces[i].second < 0) attach(a, m->forces[i].first, VEC3_ZERO);
  for (int i = 0; i < m->marker_count; i++)
    if (m->markers[i].name) attach(a, i, VEC3_ZERO);
}

static void keep_attached(builder *b, drawing *d) {
  const mechanism *m = &b->model->m;
  attaching a = {.b = b,
                 .bodies = ARENA_ARRAY(b->memory, drawn_body, m->body_count),
                 .only_count = true,
                 .boxes = ARENA_ARRAY(b->memory, box, m->body_count)};
  attach_all(&a);
  for (int i = 0; i < m->body_count; i++) {
    a.bodies[i] = (drawn_body){.at = ARENA_ARRAY(b->memory, vec3, a.bodies[i].count + 1)};
    a.boxes[i] = (box){m->bodies[i].com, m->bodies[i].com};
  }
  a.only_count = false;
  attach_all(&a);
  for (int i = 0; i < d->shape_count; i++) reach_shape(&a.boxes[d->shapes[i].body], &d->shapes[i], m->planar);
  for (int i = 0; i < m->body_count; i++) {
    vec3 edges = vec3_sub(a.boxes[i].high, a.boxes[i].low);
    a.bodies[i].size = fmax(edges.x, fmax(edges.y, edges.z));
    if (i > 0) a.bodies[i].beam = builder_drawn_beam(b, i - 1), a.bodies[i].solid = builder_drawn_solid(b, i - 1);
  }
  d->bodies = a.bodies;
}

bool builder_drawing(builder *b) {
  drawing *d = &b->model->drawing;
  if (!keep_surfaces(b, d)) return false;
  keep_joints(b, d);
  keep_attached(b, d);
  return true;
}
