#include "flex/interface.h"

#include <string.h>

void interfaces_add(arena *memory, flex_interfaces *list, flex_interface one) {
  *ARENA_PUSH(memory, list->items, list->count, list->capacity) = one;
}

const flex_interface *interfaces_find(const flex_interfaces *list, const char *name) {
  for (int i = 0; i < list->count; i++)
    if (strcmp(list->items[i].name, name) == 0) return &list->items[i];
  return NULL;
}

// --- sides -----------------------------------------------------------------------------------------------------------

// Gauss's three points on [-1, 1]: exact for shape times tangent of a curved side, of degree three.
static const double gauss_at[3] = {-0.774596669241483377, 0, 0.774596669241483377},
                    gauss_weight[3] = {5. / 9, 8. / 9, 5. / 9};

// Adds ∫ N ds to the sizes of the three nodes of a side, and ∫ N n ds to their normals. With the body to its left, the
// outward normal is the tangent turned to the right.
static void add_side(const vec2 *nodes, const int side[3], const int index[3], double *sizes, vec3 *normals) {
  const vec2 a = nodes[side[0]], b = nodes[side[1]], mid = nodes[side[2]];
  for (int g = 0; g < 3; g++) {
    const double s = gauss_at[g], shape[3] = {s * (s - 1) / 2, s * (s + 1) / 2, 1 - s * s};
    const vec2 tangent = vec2_axpy(vec2_axpy(vec2_scale(s - 0.5, a), s + 0.5, b), -2 * s, mid);
    for (int k = 0; k < 3; k++) {
      sizes[index[k]] += gauss_weight[g] * shape[k] * vec2_norm(tangent);
      const vec3 outward = {tangent.y, -tangent.x, 0};
      normals[index[k]] = vec3_axpy(normals[index[k]], gauss_weight[g] * shape[k], outward);
    }
  }
}

flex_interface interface_of_sides(arena *memory, const char *name, const vec2 *nodes, int side_count,
                                  const int (*sides)[3]) {
  flex_interface to = {.name = name};
  int *list = ARENA_ARRAY(memory, int, 3 * side_count);
  vec3 *normals = ARENA_ARRAY(memory, vec3, 3 * side_count);
  double *sizes = ARENA_ARRAY(memory, double, 3 * side_count);
  int last = 0;
  for (int i = 0; i < 3 * side_count; i++) last = sides[i / 3][i % 3] > last ? sides[i / 3][i % 3] : last;
  int *number = ARENA_ARRAY(memory, int, last + 1);  // of each node one more than its index here; 0 if it has none
  for (int i = 0; i < side_count; i++) {
    int index[3];
    for (int k = 0; k < 3; k++) {
      const int node = sides[i][k];
      if (!number[node]) list[to.count] = node, number[node] = ++to.count;
      index[k] = number[node] - 1;
    }
    add_side(nodes, sides[i], index, sizes, normals);
  }
  for (int i = 0; i < to.count; i++) normals[i] = vec3_scale(1 / vec3_norm(normals[i]), normals[i]);
  to.nodes = list, to.normals = normals, to.sizes = sizes;
  return to;
}

// The place s of [-1, 1] on a side that is nearest to a point, by Newton's iteration from its place along the chord.
static double nearest_on_side(vec2 a, vec2 b, vec2 mid, vec2 at, vec2 *tangent, vec2 *off) {
  const vec2 chord = vec2_sub(b, a), bend = vec2_sub(vec2_scale(0.5, vec2_add(a, b)), mid);
  double s = 2 * vec2_dot(vec2_sub(at, a), chord) / vec2_dot(chord, chord) - 1;
  for (int i = 0; i < 4; i++) {
    s = fmin(fmax(s, -1), 1);
    const vec2 on = vec2_axpy(vec2_axpy(mid, s / 2, chord), s * s, bend);
    *tangent = vec2_axpy(vec2_scale(0.5, chord), 2 * s, bend), *off = vec2_sub(at, on);
    s += vec2_dot(*off, *tangent) / vec2_dot(*tangent, *tangent);
  }
  return vec2_norm(*off);
}

bool interface_normal(const vec2 *nodes, int side_count, const int (*sides)[3], vec2 at, double within, vec3 *normal) {
  vec2 tangent, off, sum = {0, 0};
  for (int i = 0; i < side_count; i++) {
    const int *n = sides[i];
    if (!(nearest_on_side(nodes[n[0]], nodes[n[1]], nodes[n[2]], at, &tangent, &off) <= within)) continue;
    sum = vec2_add(sum, vec2_unit(tangent));
  }
  if (!(vec2_norm(sum) > 0)) return false;
  sum = vec2_unit(sum);
  *normal = (vec3){sum.y, -sum.x, 0};
  return true;
}

flex_interface interface_part(arena *memory, const char *name, const flex_interface *of, const vec3 *nodes,
                              bool (*inside)(const void *context, vec3 at), const void *context) {
  flex_interface to = {.name = name};
  int *list = ARENA_ARRAY(memory, int, of->count);
  vec3 *normals = of->normals ? ARENA_ARRAY(memory, vec3, of->count) : NULL;
  double *sizes = of->sizes ? ARENA_ARRAY(memory, double, of->count) : NULL;
  for (int i = 0; i < of->count; i++) {
    if (!inside(context, nodes[of->nodes[i]])) continue;
    if (normals) normals[to.count] = of->normals[i];
    if (sizes) sizes[to.count] = of->sizes[i];
    list[to.count++] = of->nodes[i];
  }
  to.nodes = list, to.normals = normals, to.sizes = sizes;
  return to;
}

// --- places ----------------------------------------------------------------------------------------------------------

static double size_of(const flex_interface *of, int i) { return of->sizes ? of->sizes[i] : 1; }

vec3 interface_middle(const flex_elements *e, const flex_interface *of) {
  vec3 sum = VEC3_ZERO;
  double size = 0;
  for (int i = 0; i < of->count; i++)
    sum = vec3_axpy(sum, size_of(of, i), e->nodes[of->nodes[i]]), size += size_of(of, i);
  return vec3_scale(1 / size, sum);
}

// With d from the middle to a node of size w, displaced by u:  θ = Σ w d × u / Σ w d²,  and the place moves by
// Σ w u / Σ w + θ × (at - middle).
bool interface_place(arena *memory, const flex_elements *e, const flex_interface *of, vec3 at, flex_place *to) {
  const vec3 middle = interface_middle(e, of), arm = vec3_sub(at, middle);
  int *freedom = ARENA_ARRAY(memory, int, 2 * of->count);
  vec3 *shape = ARENA_ARRAY(memory, vec3, 2 * of->count), *turn = ARENA_ARRAY(memory, vec3, 2 * of->count);
  double size = 0, spread = 0;
  for (int i = 0; i < of->count; i++) {
    const vec3 d = vec3_sub(e->nodes[of->nodes[i]], middle);
    size += size_of(of, i), spread += size_of(of, i) * vec3_dot(d, d);
  }
  if (!(spread > 0)) return false;
  for (int i = 0; i < of->count; i++) {
    const vec3 d = vec3_sub(e->nodes[of->nodes[i]], middle);
    const double w = size_of(of, i);
    for (int k = 0; k < 2; k++) {
      const vec3 along = {k == 0, k == 1, 0}, theta = {0, 0, w * (k ? d.x : -d.y) / spread};
      freedom[2 * i + k] = e->freedoms[of->nodes[i]][k], turn[2 * i + k] = theta;
      shape[2 * i + k] = vec3_axpy(vec3_cross(theta, arm), w / size, along);
    }
  }
  *to = (flex_place){.at = at, .wide = {2 * of->count, freedom, shape, turn}};
  return true;
}

// --- loads -----------------------------------------------------------------------------------------------------------

int interface_loads(const flex_elements *e, const flex_interface *of, double *loads) {
  int count = 0;
  for (int i = 0; i < of->count; i++) {
    const int directions = of->normals ? 1 : e->planar ? 2 : 3;
    const flex_place at = elements_node(e, of->nodes[i]);
    const double root = of->sizes ? sqrt(of->sizes[i]) : 1;
    for (int k = 0; k < directions; k++, count++) {
      const vec3 along = of->normals ? of->normals[i] : (vec3){k == 0, k == 1, k == 2};
      if (loads) elements_load(&at, vec3_scale(root, along), VEC3_ZERO, loads + (long)count * e->freedom_count);
    }
  }
  return count;
}
