// Contact of the boundaries of two flexible bodies in the plane: nodes of each against the lines of the other. Nothing
// counts twice: two nodes that are nearest to each other, off by less than a part of their lines, are one place, along
// the mean of their normals.
//
// The row is exact for a node on a line. For two nodes it leaves out that deformation turns their normal, times how far
// they are off each other along it.
#include <math.h>

#include "contact/pairs.h"
#include "contact/boundary.h"
#include "contact/touches.h"

// Two nodes that are nearer to each other, over the length of the lines beside them, are one place.
#define SAME_PLACE 0.1

// The box around the places of a boundary, in its axes.
static void box_of(const boundary *s, vec2 *low, vec2 *high) {
  *low = (vec2){INFINITY, INFINITY}, *high = (vec2){-INFINITY, -INFINITY};
  for (int v = 0; v < s->line->count; v++) {
    vec2 p = boundary_local(s, v);
    *low = (vec2){fmin(low->x, p.x), fmin(low->y, p.y)}, *high = (vec2){fmax(high->x, p.x), fmax(high->y, p.y)};
  }
}

static double distance_to_box(vec2 p, vec2 low, vec2 high) {
  return hypot(fmax(fmax(low.x - p.x, p.x - high.x), 0), fmax(fmax(low.y - p.y, p.y - high.y), 0));
}

static polyline_foot nearest_on(const boundary *to, vec2 world) {
  return polyline_nearest(to->line, to->places, pose2_into(to->at, world));
}

// How long the lines beside a vertex are: the shorter.
static double length_beside(const boundary *s, int v) {
  int sides[2] = {s->line->next[v], s->line->before[v]};
  double least = INFINITY;
  for (int k = 0; k < 2; k++)
    if (sides[k] >= 0) least = fmin(least, vec2_norm(vec2_sub(boundary_local(s, sides[k]), boundary_local(s, v))));
  return isfinite(least) ? least : 0;
}

// The vertex of a boundary that a foot is next to, by so much of the line that counts as the same place; -1: none.
static int vertex_beside(const polyline_foot *f) {
  if (boundary_is_vertex(f) || f->part < SAME_PLACE) return f->vertex[0];
  return f->part > 1 - SAME_PLACE ? f->vertex[1] : -1;
}

// From vertex w of the second boundary to vertex v of the first.
static vec2 mean_normal(const boundary *a, int v, const boundary *b, int w) {
  vec2 n = vec2_sub(pose2_turn(b->at, polyline_normal(b->line, b->places, w)),
                    pose2_turn(a->at, polyline_normal(a->line, a->places, v)));
  return vec2_norm(n) > 0 ? vec2_unit(n) : (vec2){0, 1};
}

// The vertex of the other boundary that is one place with vertex v, each next to the nearest place of the other; -1:
// none.
static int counterpart_of(const boundary *of, int v, const polyline_foot *foot, const boundary *other) {
  int w = vertex_beside(foot);
  if (w < 0) return -1;
  polyline_foot back = nearest_on(of, boundary_vertex(other, w));
  if (vertex_beside(&back) != v) return -1;
  vec2 off = vec2_sub(boundary_vertex(of, v), boundary_vertex(other, w));
  double along = fabs(vec2_cross(mean_normal(of, v, other, w), off));
  return along <= 2 * SAME_PLACE * fmin(length_beside(of, v), length_beside(other, w)) ? w : -1;
}

// Two nodes: along the mean of both normals.
static contact_touch touch_of_nodes(const boundary *a, int v, const boundary *b, int w) {
  vec2 n = mean_normal(a, v, b, w), p = boundary_vertex(a, v), q = boundary_vertex(b, w);
  return (contact_touch){.feature = {{v, w, 2}},
                         .gap = vec2_dot(n, vec2_sub(p, q)),
                         .at = vec2_in_space(p),
                         .n = vec2_in_space(n),
                         .spot = {boundary_spot_at(a, v), boundary_spot_at(b, w)}};
}

// A node of `of` on a line of `on`, or next to its end. `backwards`: `of` is the second boundary.
static contact_touch foot_touch(const boundary *of, int v, const boundary *on, const polyline_foot *f, bool backwards) {
  vec2 n = pose2_turn(on->at, f->normal);
  contact_touch t = {.gap = f->gap, .at = vec2_in_space(boundary_vertex(of, v))};
  t.n = vec2_in_space(backwards ? vec2_neg(n) : n);
  t.feature =
      backwards ? (contact_feature){{on->line->count + v, f->vertex[0], 1}} : (contact_feature){{v, f->vertex[0], 0}};
  t.spot[backwards] = boundary_spot_at(of, v), t.spot[!backwards] = boundary_spot_on(on, f);
  return t;
}

// Nodes of one boundary against the other. `within`: those that are farther from its box are left out. Nodes
// that are one place are listed with the first boundary.
static void list_nodes(boundary_list *s, const boundary *of, const boundary *on, bool backwards, double within,
                       contact_touch *best) {
  vec2 low, high;
  box_of(on, &low, &high);
  for (int v = 0; v < of->line->count; v++) {
    vec2 p = boundary_vertex(of, v);
    if (distance_to_box(pose2_into(on->at, p), low, high) > within) continue;
    polyline_foot f = nearest_on(on, p);
    if (!(f.gap > -on->line->depth)) continue;
    contact_touch t = foot_touch(of, v, on, &f, backwards);
    if (t.gap < best->gap) *best = t;
    int w = counterpart_of(of, v, &f, on);
    if (w >= 0 && !backwards) boundary_add(s, touch_of_nodes(of, v, on, w));
    else if (w < 0 && !boundary_is_vertex(&f)) boundary_add(s, t);
  }
}

// An upper bound of the gap: that of the vertex of A nearest to the box of B.
static double bound_of(const boundary *a, const boundary *b) {
  vec2 low, high;
  box_of(b, &low, &high);
  double least = INFINITY;
  int nearest = 0;
  for (int v = 0; v < a->line->count; v++) {
    double d = distance_to_box(pose2_into(b->at, boundary_vertex(a, v)), low, high);
    if (d < least) least = d, nearest = v;
  }
  return fmax(nearest_on(b, boundary_vertex(a, nearest)).gap, 0);
}

// What is listed beside the least gap: so much farther, over the size of the smaller boundary.
#define BESIDE 0.05

static int touches_of_two(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  boundary a = boundary_of(x, &first, e->boundary_first), b = boundary_of(x, &second, e->boundary_second);
  boundary_list s = {.to = to, .most = e->point_count};
  contact_touch best = {.gap = INFINITY};
  double within = bound_of(&a, &b) + BESIDE * fmin(boundary_size(a.line), boundary_size(b.line));
  list_nodes(&s, &a, &b, false, within, &best);
  list_nodes(&s, &b, &a, true, within, &best);
  if (s.count == 0 && isfinite(best.gap)) boundary_add(&s, best);
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
    sum += boundary_line_turn(m, x, index, &s), count++;
  }
  return count ? sum / count : 0;
}

static contact_travel travel_of_two(const mechanism *m, const motion *x, const contact_element *e,
                                    const contact_point *p, int k) {
  (void)k;
  bool node_a = boundary_is_node(&p->spot[0]), node_b = boundary_is_node(&p->spot[1]);
  vec3 v_a = flexible_boundary_velocity(m, x, p->node_first, p->spot[0].node[0]);
  if (node_a && !node_b) return boundary_travel_on_line(m, x, p, 1, v_a);
  if (node_b && !node_a)
    return boundary_travel_on_line(m, x, p, 0, flexible_boundary_velocity(m, x, p->node_second, p->spot[1].node[0]));
  double turn = turn_at(m, x, p->node_first, e->boundary_first, p->spot[0].node[0]) +
                turn_at(m, x, p->node_second, e->boundary_second, p->spot[1].node[0]);
  return (contact_travel){.at = v_a, .n = boundary_turned(turn / 2, p->n)};
}

// --- followed in time ------------------------------------------------------------------------------------------------

// The lines as they are, without rounding off where nodes meet. A place is a node of the first boundary on a line of
// the second, {node, line, 0}, or of the second on a line of the first, {node behind those of the first, line, 1}. A
// node that leaves a line over its end is on the next line, or the end is on a line beside the node: the gap is zero
// there, too. Next to each other the two nodes are one place, {node, node, 2}: their row leaves out no more than how
// far they are off each other. So nodes that stay head-on, as those of equal meshes, do not change places without end.

#define TOGETHER 1e-9   // of the size of both: so far from each other two nodes are one place
#define SLACK    1e-10  // likewise: so far beyond the end of its features a place is still found

typedef struct held_pair {
  boundary side[2];
  double slack, together;
} held_pair;

static held_pair pair_of(const mechanism *m, const motion *x, const contact_element *e) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  const double size = boundary_size(e->boundary_first) + boundary_size(e->boundary_second);
  return (held_pair){{boundary_of(x, &first, e->boundary_first), boundary_of(x, &second, e->boundary_second)},
                     SLACK * size,
                     TOGETHER * size};
}

// Node v of side k at a foot on the other side.
static boundary_place node_at(const held_pair *h, int k, int v, const polyline_foot *f) {
  const boundary *of = &h->side[k], *on = &h->side[!k];
  const vec2 n = pose2_turn(on->at, f->normal);
  boundary_place p = {.gap = f->gap, .within = INFINITY, .n = k ? vec2_neg(n) : n, .at = boundary_vertex(of, v)};
  p.spot[k] = boundary_spot_at(of, v), p.spot[!k] = boundary_spot_on(on, f);
  return p;
}

static boundary_place two_nodes(const held_pair *h, int v, int w) {
  const boundary *a = &h->side[0], *b = &h->side[1];
  const vec2 n = mean_normal(a, v, b, w), off = vec2_sub(boundary_vertex(a, v), boundary_vertex(b, w));
  return (boundary_place){.gap = vec2_dot(n, off),
                          .within = h->together - fabs(vec2_cross(n, off)),
                          .n = n,
                          .at = boundary_vertex(a, v),
                          .spot = {boundary_spot_at(a, v), boundary_spot_at(b, w)}};
}

// Whether two nodes look at each other.
static bool face(const held_pair *h, int v, int w) {
  const vec2 n = mean_normal(&h->side[0], v, &h->side[1], w);
  return boundary_faces(&h->side[0], v, n) && boundary_faces(&h->side[1], w, vec2_neg(n));
}

// At its ends a line leaves a node to the end that looks at it.
static boundary_place node_on(const held_pair *h, int k, int v, int line) {
  const boundary *on = &h->side[!k];
  const int ends[2] = {line, on->line->next[line]};
  const polyline_foot f =
      polyline_foot_on(on->line, on->places, line, pose2_into(on->at, boundary_vertex(&h->side[k], v)));
  boundary_place p = node_at(h, k, v, &f);
  for (int i = 0; i < 2; i++) {
    const double off = boundary_length(on, line) * (i ? 1 - f.part : f.part);
    p.within = fmin(p.within, off - (face(h, k ? ends[i] : v, k ? v : ends[i]) ? h->together : 0));
  }
  return p;
}

// Whether two nodes are one place now: the foot of the first on the other boundary is next to the second.
static bool are_one(const held_pair *h, int v, int w) {
  const boundary_place p = two_nodes(h, v, w);
  if (p.within < -h->slack || !(p.gap > -h->side[1].line->depth) || !face(h, v, w)) return false;
  const polyline_foot f = nearest_on(&h->side[1], boundary_vertex(&h->side[0], v));
  return f.vertex[0] == w || f.vertex[1] == w;
}

static contact_feature feature_of(const held_pair *h, int k, int v, int line) {
  return k ? (contact_feature){{h->side[0].line->count + v, line, 1}} : (contact_feature){{v, line, 0}};
}

// Above a line, or below the one that is nearest or one beside it.
static bool is_there(const held_pair *h, int k, int v, int line, const boundary_place *p,
                     const polyline_foot *nearest) {
  const polyline *l = h->side[!k].line;
  const vec2 n = k ? vec2_neg(p->n) : p->n;
  const bool beside = line == nearest->vertex[0] || line == nearest->vertex[1] || l->next[line] == nearest->vertex[0];
  if (p->within < -h->slack || !(p->gap >= 0 || (beside && p->gap > -l->depth))) return false;
  if (!boundary_faces(&h->side[k], v, n)) return false;
  return k ? !are_one(h, line, v) && !are_one(h, l->next[line], v)
           : !are_one(h, v, line) && !are_one(h, v, l->next[line]);
}

// Calls `each` for the places of node v of side k whose gap is at most `within`.
static void visit_node(const held_pair *h, int k, int v, double within, boundary_visit *each, void *to) {
  const boundary *on = &h->side[!k];
  const polyline_foot nearest = nearest_on(on, boundary_vertex(&h->side[k], v));
  for (int line = 0; line < on->line->count; line++) {
    if (on->line->next[line] < 0) continue;
    const boundary_place p = node_on(h, k, v, line);
    const contact_feature f = feature_of(h, k, v, line);
    if (p.gap <= within && is_there(h, k, v, line, &p, &nearest)) each(to, &f, &p);
  }
  for (int i = 0; k == 0 && i < 2 && (i == 0 || nearest.vertex[1] != nearest.vertex[0]); i++) {
    const int w = nearest.vertex[i];
    const contact_feature f = {{v, w, 2}};
    const boundary_place p = two_nodes(h, v, w);
    if (p.gap <= within && are_one(h, v, w)) each(to, &f, &p);
  }
}

// Calls `each` for nodes of side k, or only for those within this distance of the box of the other side.
typedef void visit_of_node(const held_pair *h, int k, int v, double within, boundary_visit *each, void *to);
static void visit_near(const held_pair *h, double within, visit_of_node *visit, boundary_visit *each, void *to) {
  for (int k = 0; k < 2; k++) {
    const boundary *of = &h->side[k], *on = &h->side[!k];
    vec2 low, high;
    box_of(on, &low, &high);
    for (int v = 0; v < of->line->count; v++)
      if (distance_to_box(pose2_into(on->at, boundary_vertex(of, v)), low, high) <= within)
        visit(h, k, v, within, each, to);
  }
}

// The nearest place of the other side, be it a node. Two nodes that are one place are as far apart as this place says:
// a line beside one of them, which leans, may be nearer by how far they are off each other.
static void visit_nearest(const held_pair *h, int k, int v, double within, boundary_visit *each, void *to) {
  const boundary *on = &h->side[!k];
  const polyline_foot f = nearest_on(on, boundary_vertex(&h->side[k], v));
  for (int i = 0; i < 2; i++) {
    const int w = f.vertex[i], first = k ? w : v, second = k ? v : w;
    if (!are_one(h, first, second)) continue;
    const boundary_place p = two_nodes(h, first, second);
    if (p.gap <= within) each(to, NULL, &p);
    return;
  }
  const boundary_place p = node_at(h, k, v, &f);
  const int w = f.vertex[0];
  if (!(f.gap <= within && f.gap > -on->line->depth)) return;
  if (boundary_is_vertex(&f) ? face(h, k ? w : v, k ? v : w) : boundary_faces(&h->side[k], v, k ? vec2_neg(p.n) : p.n))
    each(to, NULL, &p);
}

// Beside and behind sides that end there are no places, and nothing can touch: how far the nodes are away.
static boundary_place guard_of(const held_pair *h) {
  boundary_place here = boundary_no_place(&h->side[0], &h->side[1]);
  const double bound = bound_of(&h->side[0], &h->side[1]);
  visit_near(h, bound + h->slack, visit_nearest, boundary_take_nearest, &here);
  if (!isfinite(here.gap)) visit_near(h, INFINITY, visit_nearest, boundary_take_nearest, &here);
  if (isfinite(here.gap)) return here;
  for (int v = 0; v < h->side[0].line->count; v++)
    here.gap = fmin(here.gap, fabs(nearest_on(&h->side[1], boundary_vertex(&h->side[0], v)).gap));
  here.within = INFINITY;
  return here;
}

static bool is_line_of(const polyline *l, int v) { return v >= 0 && v < l->count && l->next[v] >= 0; }

// A damaged checkpoint may name features that do not exist.
static bool exists(const held_pair *h, const contact_feature *f) {
  const int first = h->side[0].line->count, second = h->side[1].line->count;
  const bool of_first = f->part[0] >= 0 && f->part[0] < first;
  switch (f->part[2]) {
    case 0: return of_first && is_line_of(h->side[1].line, f->part[1]);
    case 1: return f->part[0] >= first && f->part[0] - first < second && is_line_of(h->side[0].line, f->part[1]);
    default: return f->part[2] == 2 && of_first && f->part[1] >= 0 && f->part[1] < second;
  }
}

static boundary_place place_of(const held_pair *h, const contact_feature *f) {
  if (f->part[2] == 2) return two_nodes(h, f->part[0], f->part[1]);
  return node_on(h, f->part[2], f->part[0] - (f->part[2] ? h->side[0].line->count : 0), f->part[1]);
}

static double evaluate_held(const mechanism *m, const motion *x, const contact_element *e, const contact_feature *f,
                            contact_point *p) {
  const held_pair h = pair_of(m, x, e);
  boundary_place here = boundary_no_place(&h.side[0], &h.side[1]);
  if (contact_is_guard(f)) here = guard_of(&h);
  else if (exists(&h, f)) here = place_of(&h, f);
  boundary_set_point(m, x, e, &here, p);
  return here.within + 2 * h.slack;
}

static int find_held(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  const held_pair h = pair_of(m, x, e);
  const double within = bound_of(&h.side[0], &h.side[1]) +
                        BESIDE * fmin(boundary_size(e->boundary_first), boundary_size(e->boundary_second));
  boundary_search s = boundary_begin_search(e, &h.side[0], to);
  visit_near(&h, within, visit_node, boundary_insert, &s);
  return s.count;
}

static contact_travel travel_held(const mechanism *m, const motion *x, const contact_element *e,
                                  const contact_feature *f, const contact_point *p) {
  (void)f;
  return travel_of_two(m, x, e, p, 0);
}

static const contact_follow follow_two = {.find = find_held, .evaluate = evaluate_held, .travel = travel_held};

const contact_type contact_boundaries = {
    .name = "boundary on boundary",
    .point_count_planar = CONTACT_POINTS_MAX,
    .touches = touches_of_two,
    .continues = boundary_continues,
    .follow = &follow_two,
    .travel = travel_of_two,
    .point_names_planar = contact_point_numbers,
    .tell_overlap = contact_tell_surfaces,
};
