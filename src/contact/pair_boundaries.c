// Contact of the boundaries of two flexible bodies in the plane: nodes of each against the lines of the other. Nothing
// counts twice: two nodes that are nearest to each other, off by less than a part of their lines, are one place, along
// the mean of their normals.
//
// The row is exact for a node on a line. For two nodes it leaves out that deformation turns their normal, times how far
// they are off each other along it.
#include <math.h>

#include "contact/pairs.h"
#include "contact/shore.h"
#include "contact/touches.h"

// Two nodes that are nearer to each other, over the length of the lines beside them, are one place.
#define SAME_PLACE 0.1

// The box around the places of a boundary, in its axes.
static void box_of(const shore *s, vec2 *low, vec2 *high) {
  *low = (vec2){INFINITY, INFINITY}, *high = (vec2){-INFINITY, -INFINITY};
  for (int v = 0; v < s->line->count; v++) {
    vec2 p = shore_local(s, v);
    *low = (vec2){fmin(low->x, p.x), fmin(low->y, p.y)}, *high = (vec2){fmax(high->x, p.x), fmax(high->y, p.y)};
  }
}

static double distance_to_box(vec2 p, vec2 low, vec2 high) {
  return hypot(fmax(fmax(low.x - p.x, p.x - high.x), 0), fmax(fmax(low.y - p.y, p.y - high.y), 0));
}

static polyline_foot nearest_on(const shore *to, vec2 world) {
  return polyline_nearest(to->line, to->places, pose2_into(to->at, world));
}

// How long the lines beside a vertex are: the shorter.
static double length_beside(const shore *s, int v) {
  int sides[2] = {s->line->next[v], s->line->before[v]};
  double least = INFINITY;
  for (int k = 0; k < 2; k++)
    if (sides[k] >= 0) least = fmin(least, vec2_norm(vec2_sub(shore_local(s, sides[k]), shore_local(s, v))));
  return isfinite(least) ? least : 0;
}

// The vertex of a boundary that a foot is next to, by so much of the line that counts as the same place; -1: none.
static int vertex_beside(const polyline_foot *f) {
  if (shore_is_vertex(f) || f->part < SAME_PLACE) return f->vertex[0];
  return f->part > 1 - SAME_PLACE ? f->vertex[1] : -1;
}

// From vertex w of the second boundary to vertex v of the first.
static vec2 mean_normal(const shore *a, int v, const shore *b, int w) {
  vec2 n = vec2_sub(pose2_turn(b->at, polyline_normal(b->line, b->places, w)),
                    pose2_turn(a->at, polyline_normal(a->line, a->places, v)));
  return vec2_norm(n) > 0 ? vec2_unit(n) : (vec2){0, 1};
}

// The vertex of the other boundary that is one place with vertex v, each next to the nearest place of the other; -1:
// none.
static int twin_of(const shore *of, int v, const polyline_foot *foot, const shore *other) {
  int w = vertex_beside(foot);
  if (w < 0) return -1;
  polyline_foot back = nearest_on(of, shore_vertex(other, w));
  if (vertex_beside(&back) != v) return -1;
  vec2 off = vec2_sub(shore_vertex(of, v), shore_vertex(other, w));
  double along = fabs(vec2_cross(mean_normal(of, v, other, w), off));
  return along <= 2 * SAME_PLACE * fmin(length_beside(of, v), length_beside(other, w)) ? w : -1;
}

// Two nodes: along the mean of both normals.
static contact_touch twin_touch(const shore *a, int v, const shore *b, int w) {
  vec2 n = mean_normal(a, v, b, w), p = shore_vertex(a, v), q = shore_vertex(b, w);
  return (contact_touch){.feature = {{v, w, 2}},
                         .gap = vec2_dot(n, vec2_sub(p, q)),
                         .at = vec2_in_space(p),
                         .n = vec2_in_space(n),
                         .spot = {shore_spot_at(a, v), shore_spot_at(b, w)}};
}

// A node of `of` on a line of `on`, or next to its end. `backwards`: `of` is the second boundary.
static contact_touch foot_touch(const shore *of, int v, const shore *on, const polyline_foot *f, bool backwards) {
  vec2 n = pose2_turn(on->at, f->normal);
  contact_touch t = {.gap = f->gap, .at = vec2_in_space(shore_vertex(of, v))};
  t.n = vec2_in_space(backwards ? vec2_neg(n) : n);
  t.feature =
      backwards ? (contact_feature){{on->line->count + v, f->vertex[0], 1}} : (contact_feature){{v, f->vertex[0], 0}};
  t.spot[backwards] = shore_spot_at(of, v), t.spot[!backwards] = shore_spot_on(on, f);
  return t;
}

// Nodes of one boundary against the other. `within`: those that are farther from its box are left out. Twins are
// listed with the first boundary.
static void list_nodes(shore_list *s, const shore *of, const shore *on, bool backwards, double within,
                       contact_touch *best) {
  vec2 low, high;
  box_of(on, &low, &high);
  for (int v = 0; v < of->line->count; v++) {
    vec2 p = shore_vertex(of, v);
    if (distance_to_box(pose2_into(on->at, p), low, high) > within) continue;
    polyline_foot f = nearest_on(on, p);
    if (!(f.gap > -on->line->depth)) continue;
    contact_touch t = foot_touch(of, v, on, &f, backwards);
    if (t.gap < best->gap) *best = t;
    int w = twin_of(of, v, &f, on);
    if (w >= 0 && !backwards) shore_add(s, twin_touch(of, v, on, w));
    else if (w < 0 && !shore_is_vertex(&f)) shore_add(s, t);
  }
}

// An upper bound of the gap: that of the vertex of A nearest to the box of B.
static double bound_of(const shore *a, const shore *b) {
  vec2 low, high;
  box_of(b, &low, &high);
  double least = INFINITY;
  int nearest = 0;
  for (int v = 0; v < a->line->count; v++) {
    double d = distance_to_box(pose2_into(b->at, shore_vertex(a, v)), low, high);
    if (d < least) least = d, nearest = v;
  }
  return fmax(nearest_on(b, shore_vertex(a, nearest)).gap, 0);
}

// What is listed beside the least gap: so much farther, over the size of the smaller boundary.
#define BESIDE 0.05

static int touches_of_two(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  shore a = shore_of(x, &first, e->boundary_first), b = shore_of(x, &second, e->boundary_second);
  shore_list s = {.to = to, .most = e->point_count};
  contact_touch best = {.gap = INFINITY};
  double within = bound_of(&a, &b) + BESIDE * fmin(shore_size(a.line), shore_size(b.line));
  list_nodes(&s, &a, &b, false, within, &best);
  list_nodes(&s, &b, &a, true, within, &best);
  if (s.count == 0 && isfinite(best.gap)) shore_add(&s, best);
  return s.count;
}

// --- travel ----------------------------------------------------------------------------------------------------------

// How the mean normal at a node turns.
static double turn_at(const mechanism *m, const motion *x, int index, const polyline *l, int place) {
  double sum = 0;
  int count = 0, vertex = -1;
  for (int v = 0; v < l->count; v++)
    if (l->place[v] == place) vertex = v;
  int ends[2][2] = {{vertex, vertex < 0 ? -1 : l->next[vertex]}, {vertex < 0 ? -1 : l->before[vertex], vertex}};
  for (int k = 0; k < 2; k++) {
    if (ends[k][0] < 0 || ends[k][1] < 0) continue;
    flexible_spot s = {{l->place[ends[k][0]], l->place[ends[k][1]]}, 0};
    sum += shore_line_turn(m, x, index, &s), count++;
  }
  return count ? sum / count : 0;
}

static contact_travel travel_of_two(const mechanism *m, const motion *x, const contact_element *e,
                                    const contact_point *p, int k) {
  (void)k;
  bool node_a = shore_is_node(&p->spot[0]), node_b = shore_is_node(&p->spot[1]);
  vec3 v_a = flexible_boundary_velocity(m, x, p->node_first, p->spot[0].node[0]);
  if (node_a && !node_b) return shore_travel_on_line(m, x, p, 1, v_a);
  if (node_b && !node_a)
    return shore_travel_on_line(m, x, p, 0, flexible_boundary_velocity(m, x, p->node_second, p->spot[1].node[0]));
  double turn = turn_at(m, x, p->node_first, e->boundary_first, p->spot[0].node[0]) +
                turn_at(m, x, p->node_second, e->boundary_second, p->spot[1].node[0]);
  return (contact_travel){.at = v_a, .n = shore_turned(turn / 2, p->n)};
}

const contact_type contact_boundaries = {
    .name = "boundary on boundary",
    .point_count_planar = CONTACT_POINTS_MAX,
    .touches = touches_of_two,
    .continues = shore_continues,
    .travel = travel_of_two,
    .point_names_planar = contact_point_numbers,
    .tell_overlap = contact_tell_surfaces,
};
