// A mesh on a plane touches it with its lowest vertices, those of its convex hull. A mesh whose hull has few corners is
// a hull there (pair_plane.c). Here the hull need not be known: it may have any number of corners, and the mesh may be
// flat. Where more vertices are near the plane than the element has points, as of a wide level face, those count that
// reach farthest in directions all around, and the lowest.
#include <math.h>

#include "contact/pairs.h"
#include "contact/touches.h"

#define HORIZON 0.1   // of the thickness: higher vertices are not looked for
#define CLOSE   1e-3  // likewise, where there are too many

// A body that stands on the farthest vertices in 32 directions tips within 1 - cos(π/32), which is 0.5 %, of the angle
// of its true outline.
enum { DIRECTIONS = 32, POINTS = DIRECTIONS + 1 };

typedef struct search {
  const terrain *mesh;
  pose a;              // of the mesh in the axes of the plane
  double below;        // vertices with a gap of less count
  int count;           // of them
  int vertex[POINTS];  // the first of them
  int lowest;
  vec3 way[DIRECTIONS];
  int far[DIRECTIONS];  // the farthest vertex that way
  double reach[DIRECTIONS];
} search;

static vec3 place_of(const search *s, int vertex) { return pose_point(s->a, s->mesh->triangles->vertices[vertex]); }

// The normal of the plane in the axes of the mesh.
static vec3 up(const search *s) { return (vec3){s->a.R.m[6], s->a.R.m[7], s->a.R.m[8]}; }

static void each_below(search *s, double below, terrain_visit *visit) {
  s->below = below, s->count = 0;
  terrain_each_below(s->mesh, up(s), below - s->a.p.z, visit, s);
}

// Every vertex counts with the first triangle that has it.
static void list(void *context, const terrain_triangle *t) {
  search *s = context;
  for (int k = 0; k < 3; k++) {
    if (s->mesh->owner[t->corners[k]] != t->number || !(pose_point(s->a, t->p[k]).z < s->below)) continue;
    if (s->count < POINTS) s->vertex[s->count] = t->corners[k];
    s->count++;
  }
}

static void find_farthest(void *context, const terrain_triangle *t) {
  search *s = context;
  for (int k = 0; k < 3; k++) {
    vec3 p = pose_point(s->a, t->p[k]);
    if (s->mesh->owner[t->corners[k]] != t->number || !(p.z < s->below)) continue;
    for (int i = 0; i < DIRECTIONS; i++) {
      double reach = vec3_dot(s->way[i], p);
      if (reach > s->reach[i]) s->reach[i] = reach, s->far[i] = t->corners[k];
    }
  }
}

static void take(search *s, int vertex) {
  for (int i = 0; i < s->count; i++)
    if (s->vertex[i] == vertex) return;
  s->vertex[s->count++] = vertex;
}

static void choose(search *s, double below) {
  for (int i = 0; i < DIRECTIONS; i++) {
    double angle = 6.283185307179586 * i / DIRECTIONS;
    s->way[i] = (vec3){cos(angle), sin(angle), 0}, s->reach[i] = -INFINITY, s->far[i] = s->lowest;
  }
  each_below(s, below, find_farthest);
  take(s, s->lowest);
  for (int i = 0; i < DIRECTIONS; i++) take(s, s->far[i]);
}

static int find_touches(const contact_element *e, pose a, contact_touch *to) {
  search s = {.mesh = e->terrain_first, .a = a};
  s.lowest = terrain_lowest(s.mesh, up(&s));
  double gap = place_of(&s, s.lowest).z, horizon = HORIZON * e->span;
  if (gap > horizon) take(&s, s.lowest);
  else each_below(&s, fmax(gap, 0) + horizon, list);
  if (s.count > POINTS) choose(&s, fmax(gap, 0) + CLOSE * e->span);
  for (int i = 0; i < s.count; i++) {
    vec3 at = place_of(&s, s.vertex[i]);
    to[i] = (contact_touch){.feature = {{s.vertex[i], 0, 0}}, .gap = at.z, .at = at, .n = {0, 0, 1}};
  }
  return s.count;
}

const contact_type contact_mesh_plane = {
    .name = "mesh on plane",
    .point_count = POINTS,
    .is_flat = contact_is_flat,
    .touches = contact_touches_by_pose,
    .touches_at = find_touches,
    .point_names = contact_point_numbers,
    .curvatures = contact_corner_curvatures,
    .tell_overlap = contact_tell_surfaces,
};
