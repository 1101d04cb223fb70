// A sphere or a point on a surface of triangles. It touches in any number of places, each with a normal of its own: in a valley two. A
// place belongs to the point of the element whose direction is nearest to its normal, so that a ball that rolls over a smooth surface
// keeps its point from triangle to triangle.
#include <math.h>
#include <stddef.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "geometry/terrain.h"

enum { DIRECTIONS = 14 };  // along the axes of the surface and between each three of them

static int direction_of(vec3 n) {
  double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z), most = fmax(x, fmax(y, z));
  if (most < (x + y + z) / sqrt(3)) return 6 + (n.x < 0) + 2 * (n.y < 0) + 4 * (n.z < 0);
  return most == z ? n.z < 0 : most == y ? 2 + (n.y < 0) : 4 + (n.x < 0);
}

static bool is_before(const terrain_touch *a, const terrain_touch *b) {
  vec3 d = vec3_sub(a->normal, b->normal);
  return d.x != 0 ? d.x < 0 : d.y != 0 ? d.y < 0 : d.z < 0;
}

typedef struct places {
  terrain_touch t[TERRAIN_TOUCHES];
  int point[TERRAIN_TOUCHES];
  int count;
} places;

// Minima that are farther than a radius are left out, except for the nearest one.
static void find_places(const contact_element *e, vec3 centre, places *to) {
  double radius = e->size_first[0];
  to->count = terrain_touches(e->terrain, centre, radius, radius, to->t);
  for (int i = 1; i < to->count; i++) {
    terrain_touch moved = to->t[i];
    int k = i;
    for (; k > 0 && is_before(&moved, &to->t[k - 1]); k--) to->t[k] = to->t[k - 1];
    to->t[k] = moved;
  }
  bool used[DIRECTIONS] = {false};
  for (int i = 0; i < to->count; i++) {
    int k = direction_of(to->t[i].normal);
    while (used[k]) k = (k + 1) % DIRECTIONS;
    used[k] = true;
    to->point[i] = k;
  }
}

static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place ball = marker_find(m, x, e->first), ground = marker_find(m, x, e->second);
  places s;
  find_places(e, contact_apart(&ball, &ground), &s);
  double far = 0;  // beyond every place
  for (int i = 0; i < s.count; i++) far = fmax(far, s.t[i].gap);
  for (int k = 0; k < e->point_count; k++) {
    contact_point *p = &points[k];
    p->gap = far + m->length, p->at = ball.p;
    p->node_first = ball.node, p->node_second = ground.node;
    contact_set_frame(m, p, (vec3){0, 0, 1});
  }
  for (int i = 0; i < s.count; i++) {
    contact_point *p = &points[s.point[i]];
    const terrain_touch *t = &s.t[i];
    p->gap = t->gap;
    p->at = vec3_add(ground.p, mat3_mul(ground.R, vec3_axpy(t->at, t->gap, t->normal)));  // on the sphere, as on a plane
    contact_set_frame(m, p, mat3_mul(ground.R, t->normal));
  }
}

static void curvatures(const contact_element *e, double radius[2]) { radius[0] = e->size_first[0], radius[1] = CONTACT_FLAT; }

static const char *const names[DIRECTIONS] = {"facing +z",  "facing -z",   "facing +y",   "facing -y",   "facing +x",   "facing -x",
                                              "facing +++", "facing -++",  "facing +-+",  "facing --+",  "facing ++-",  "facing -+-",
                                              "facing +--", "facing ---"};

const contact_type contact_sphere_terrain = {
    .name = "sphere on terrain", .point_count = DIRECTIONS, .points_change = true, .evaluate = evaluate,
    .point_names = names, .curvatures = curvatures, .tell_overlap = contact_tell_surfaces,
};
