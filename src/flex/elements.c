#include "flex/elements.h"

#include <string.h>

#include "math/vectors.h"

void elements_create(arena *memory, flex_elements *e, int node_count, const bool has[6], int point_count) {
  *e = (flex_elements){.node_count = node_count, .point_count = point_count, .planar = !has[2]};
  e->nodes = ARENA_ARRAY(memory, vec3, node_count);
  e->freedoms = arena_alloc(memory, (size_t)node_count, sizeof *e->freedoms);
  for (int i = 0; i < node_count; i++)
    for (int k = 0; k < 6; k++) e->freedoms[i][k] = has[k] ? e->freedom_count++ : -1;
  e->points = ARENA_ARRAY(memory, mass_point, point_count);
}

void elements_add_strain(arena *memory, flex_elements *e, int count, const int *freedom, const double *row,
                         double stiffness) {
  flex_strain *s = ARENA_PUSH(memory, e->strains, e->strain_count, e->strain_capacity);
  s->count = count;
  for (int k = 0; k < count; k++) s->freedom[k] = freedom[k], s->row[k] = sqrt(stiffness) * row[k];
}

// The freedoms that each point or strain joins. Those of the same element follow each other and have the same ones.
typedef struct joined {
  int *start, *item;
  int sets, items, set_capacity, capacity;
} joined;

static void join(arena *memory, joined *j, int count, const int *freedom) {
  const int last = j->sets > 0 ? j->start[j->sets - 1] : 0;
  if (j->sets > 0 && j->items - last == count && memcmp(j->item + last, freedom, (size_t)count * sizeof *freedom) == 0)
    return;
  *ARENA_PUSH(memory, j->start, j->sets, j->set_capacity) = j->items;
  for (int k = 0; k < count; k++) *ARENA_PUSH(memory, j->item, j->items, j->capacity) = freedom[k];
}

static symmetric matrix_of(arena *memory, const flex_elements *e, joined *j) {
  const int sets = j->sets;
  *ARENA_PUSH(memory, j->start, j->sets, j->set_capacity) = j->items;
  return symmetric_create(memory, e->freedom_count, sets, j->start, j->item);
}

void elements_assemble(arena *memory, flex_elements *e) {
  joined by_mass = {0}, by_strain = {0};
  for (int p = 0; p < e->point_count; p++) join(memory, &by_mass, e->points[p].place.count, e->points[p].place.freedom);
  for (int p = 0; p < e->strain_count; p++) join(memory, &by_strain, e->strains[p].count, e->strains[p].freedom);
  e->mass = matrix_of(memory, e, &by_mass), e->stiffness = matrix_of(memory, e, &by_strain);
  for (int p = 0; p < e->point_count; p++) {
    const flex_place *at = &e->points[p].place;
    for (int i = 0; i < at->count; i++)
      for (int j = 0; j < at->count; j++)
        *symmetric_entry(&e->mass, at->freedom[i], at->freedom[j]) +=
            e->points[p].mass * vec3_dot(at->shape[i], at->shape[j]);
  }
  for (int p = 0; p < e->strain_count; p++) {
    const flex_strain *s = &e->strains[p];
    for (int i = 0; i < s->count; i++)
      for (int j = 0; j < s->count; j++)
        *symmetric_entry(&e->stiffness, s->freedom[i], s->freedom[j]) += s->row[i] * s->row[j];
  }
}

static double strain_of(const flex_strain *s, const double *x) {
  double sum = 0;
  for (int k = 0; k < s->count; k++) sum += s->row[k] * x[s->freedom[k]];
  return sum;
}

int elements_image_size(const flex_elements *e) { return e->node_mass ? e->freedom_count : e->strain_count; }

void elements_image(const flex_elements *e, const double *x, double *image) {
  if (e->node_mass) symmetric_multiply(&e->stiffness, x, image);
  for (int p = 0; p < e->strain_count; p++) image[p] = strain_of(&e->strains[p], x);
}

double elements_product(const flex_elements *e, const double *x, const double *x_image, const double *y_image) {
  return vectors_dot(elements_image_size(e), e->node_mass ? x : x_image, y_image);
}

// Entries of imported matrices have 14 digits.
double elements_rounding(const flex_elements *e) { return e->node_mass ? 1e-12 : 1e-20; }

void elements_forces(const flex_elements *e, const double *x, double *f) {
  memset(f, 0, (size_t)e->freedom_count * sizeof *f);
  if (e->node_mass) symmetric_multiply(&e->stiffness, x, f);
  for (int p = 0; p < e->strain_count; p++) {
    const flex_strain *s = &e->strains[p];
    const double strain = strain_of(s, x);
    for (int k = 0; k < s->count; k++) f[s->freedom[k]] += strain * s->row[k];
  }
}

static vec3 axis(int k) { return (vec3){k == 0, k == 1, k == 2}; }

flex_place elements_node(const flex_elements *e, int node) {
  flex_place p = {.at = e->nodes[node]};
  for (int k = 0; k < 6; k++) {
    if (e->freedoms[node][k] < 0) continue;
    p.freedom[p.count] = e->freedoms[node][k];
    if (k < 3) p.shape[p.count++] = axis(k);
    else p.turn[p.count++] = axis(k - 3);
  }
  return p;
}

void elements_load(const flex_place *p, vec3 force, vec3 torque, double *load) {
  for (int k = 0; k < p->count; k++) load[p->freedom[k]] += vec3_dot(p->shape[k], force) + vec3_dot(p->turn[k], torque);
  const flex_wide *w = &p->wide;
  for (int k = 0; k < w->count; k++) load[w->freedom[k]] += vec3_dot(w->shape[k], force) + vec3_dot(w->turn[k], torque);
}

void elements_balance(const flex_elements *e, const flex_place *p, double *load) {
  vec3 force = VEC3_ZERO, torque = VEC3_ZERO;
  for (int i = 0; i < e->node_count; i++) {
    double f[6];
    for (int k = 0; k < 6; k++) f[k] = e->freedoms[i][k] >= 0 ? load[e->freedoms[i][k]] : 0;
    const vec3 push = {f[0], f[1], f[2]}, moment = vec3_cross(vec3_sub(e->nodes[i], p->at), push);
    force = vec3_add(force, push), torque = vec3_add(torque, vec3_add(moment, (vec3){f[3], f[4], f[5]}));
  }
  elements_load(p, vec3_neg(force), vec3_neg(torque), load);
}

vec3 elements_displacement(const flex_place *p, const double *x) {
  vec3 d = VEC3_ZERO;
  for (int k = 0; k < p->count; k++) d = vec3_axpy(d, x[p->freedom[k]], p->shape[k]);
  for (int k = 0; k < p->wide.count; k++) d = vec3_axpy(d, x[p->wide.freedom[k]], p->wide.shape[k]);
  return d;
}

vec3 elements_turn(const flex_place *p, const double *x) {
  vec3 d = VEC3_ZERO;
  for (int k = 0; k < p->count; k++) d = vec3_axpy(d, x[p->freedom[k]], p->turn[k]);
  for (int k = 0; k < p->wide.count; k++) d = vec3_axpy(d, x[p->wide.freedom[k]], p->wide.turn[k]);
  return d;
}

// One of them as a row. Returns false if no freedom moves in it.
static bool write_rigid(const flex_elements *e, int motion, double *row) {
  const bool turns = motion >= 3;
  const vec3 along = axis(motion % 3), turn = turns ? along : VEC3_ZERO;
  bool moves = false;
  for (int i = 0; i < e->node_count; i++) {
    const vec3 shift = turns ? vec3_cross(along, e->nodes[i]) : along;
    const double values[6] = {shift.x, shift.y, shift.z, turn.x, turn.y, turn.z};
    for (int k = 0; k < 6; k++)
      if (e->freedoms[i][k] >= 0) row[e->freedoms[i][k]] = values[k], moves |= values[k] != 0;
  }
  return moves;
}

int elements_rigid(const flex_elements *e, double *rigid) {
  static const int in_space[] = {0, 1, 2, 3, 4, 5}, in_plane[] = {0, 1, 5};
  const int *motion = e->planar ? in_plane : in_space, most = e->planar ? 3 : 6;
  int count = 0;
  for (int m = 0; m < most; m++) count += write_rigid(e, motion[m], rigid + (long)count * e->freedom_count);
  return count;
}

void elements_see_from(const flex_elements *e, const flex_place *p, int count, double *shapes) {
  for (int m = 0; m < count; m++) {
    double *x = shapes + (long)m * e->freedom_count;
    const vec3 shift = elements_displacement(p, x), turn = elements_turn(p, x);
    for (int i = 0; i < e->node_count; i++) {
      const vec3 moved = vec3_add(shift, vec3_cross(turn, vec3_sub(e->nodes[i], p->at)));
      const double values[6] = {moved.x, moved.y, moved.z, turn.x, turn.y, turn.z};
      for (int k = 0; k < 6; k++)
        if (e->freedoms[i][k] >= 0) x[e->freedoms[i][k]] -= values[k];
    }
  }
}
