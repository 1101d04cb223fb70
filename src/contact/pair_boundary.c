// Contact of the boundaries of flexible bodies in the plane: chains of straight lines through nodes at their deformed
// places, against rigid outlines and against each other.
//
// A node touches where an outline or another boundary is nearest to it. The other way, corners and arcs of a rigid
// outline that bulge touch the lines of a boundary at the foot of their centre, and nodes of the second boundary the
// lines of the first. Nothing counts twice: a node is a place against an arc only where the foot of the arc's centre is
// on neither line beside it; and two nodes that are nearest to each other, off by less than a part of their lines, are
// one place, along the mean of their normals.
//
// The normal force acts on the two nodes of a line by the rule of the lever, so that the rate of the gap is that of the
// nodes. Its row is exact for a node on a line; for two nodes it leaves out that deformation turns their normal, times
// how far they are off each other along it.
#include <math.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "contact/touches.h"

// Two nodes that are nearer to each other, over the length of the lines beside them, are one place.
#define SAME_PLACE 0.1

// A boundary as it is now.
typedef struct shore {
  const polyline *line;
  const vec2 *places;  // of its nodes, in the axes of the body
  pose2 at;
  int node;  // of the mechanism
} shore;

static shore shore_of(const motion *x, const marker_place *at, const polyline *line) {
  return (shore){line, x->flexible[at->node].boundary, pose2_of((pose){at->R, at->p}), at->node};
}

static vec2 local_vertex(const shore *s, int v) { return s->places[s->line->place[v]]; }
static vec2 vertex_at(const shore *s, int v) { return pose2_point(s->at, local_vertex(s, v)); }
static vec2 into(pose2 axes, vec2 p) { return vec2_turn(vec2_sub(p, axes.p), axes.c, -axes.s); }

static flexible_spot spot_at(const shore *s, int v) {
  return (flexible_spot){{s->line->place[v], s->line->place[v]}, 0};
}
static flexible_spot spot_on(const shore *s, const polyline_foot *f) {
  return (flexible_spot){{s->line->place[f->vertex[0]], s->line->place[f->vertex[1]]}, f->part};
}

static bool is_vertex(const polyline_foot *f) { return f->vertex[0] == f->vertex[1]; }

// --- the list of places ----------------------------------------------------------------------------------------------

typedef struct search {
  contact_touch *to;
  int count, most;
} search;

// Of more places than there is room for, those with the largest gaps are left out.
static void add(search *s, contact_touch t) {
  if (s->count < s->most) {
    s->to[s->count++] = t;
    return;
  }
  int far = 0;
  for (int i = 1; i < s->count; i++)
    if (s->to[i].gap > s->to[far].gap) far = i;
  if (t.gap < s->to[far].gap) s->to[far] = t;
}

// --- a rigid outline -------------------------------------------------------------------------------------------------

static bool is_round(const outline_feature *f) { return f->kind == OUTLINE_ROUND && f->sense > 0; }

static contact_touch vertex_touch(const shore *a, int v, const outline_foot *foot, pose2 at_b) {
  return (contact_touch){.feature = {{v, 0, 0}},
                         .gap = foot->gap,
                         .at = vec2_in_space(vertex_at(a, v)),
                         .n = vec2_in_space(pose2_turn(at_b, foot->normal)),
                         .spot = {spot_at(a, v)}};
}

// Nodes on the outline. The nearest one is `best`, whether or not it is a place.
static void list_vertices(search *s, const shore *a, const outline *o, pose2 at_b, contact_touch *best) {
  pose2 a_in_b = pose2_between(a->at, at_b), b_in_a = pose2_between(at_b, a->at);
  best->gap = INFINITY;
  for (int v = 0; v < a->line->count; v++) {
    outline_foot foot = outline_nearest(o, pose2_point(a_in_b, local_vertex(a, v)));
    if (!foot.on) continue;
    contact_touch t = vertex_touch(a, v, &foot, at_b);
    if (t.gap < best->gap) *best = t;
    if (is_round(foot.on) && !polyline_faces(a->line, a->places, v, pose2_point(b_in_a, foot.on->centre))) continue;
    add(s, t);
  }
}

// An arc or corner of the outline against the lines of the boundary: the feet outside, or, where its centre is inside,
// the nearest foot.
static void list_feet(search *s, const shore *a, const outline *o, int number, pose2 at_b) {
  const outline_feature *f = &o->features[number];
  pose2 a_in_b = pose2_between(a->at, at_b);
  vec2 c = pose2_point(pose2_between(at_b, a->at), f->centre);
  polyline_foot nearest = polyline_nearest(a->line, a->places, c);
  for (int v = 0; v < a->line->count; v++) {
    if (a->line->next[v] < 0) continue;
    polyline_foot foot = polyline_foot_on(a->line, a->places, v, c);
    bool inside = foot.gap < 0 && nearest.vertex[0] == v && !is_vertex(&nearest) && foot.gap > -a->line->depth;
    if (!(foot.part > 0 && foot.part < 1 && (foot.gap >= 0 || inside))) continue;
    vec2 n = vec2_neg(foot.normal), in_b = pose2_turn(a_in_b, n), out = pose2_turn(a->at, n);
    if (!outline_has_normal(f, in_b, 1e-9)) continue;
    add(s, (contact_touch){.feature = {{a->line->count + number, v, 1}},
                           .gap = foot.gap - f->radius,
                           .at = vec2_in_space(vec2_axpy(pose2_point(at_b, f->centre), f->radius, out)),
                           .n = vec2_in_space(out),
                           .spot = {spot_on(a, &foot)}});
  }
}

static int touches_on_outline(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  shore a = shore_of(x, &first, e->boundary_first);
  pose2 b = pose2_of((pose){second.R, second.p});
  search s = {.to = to, .most = e->point_count};
  contact_touch best;
  list_vertices(&s, &a, e->outline_second, b, &best);
  for (int i = 0; i < e->outline_second->count; i++)
    if (is_round(&e->outline_second->features[i])) list_feet(&s, &a, e->outline_second, i, b);
  if (s.count == 0 && isfinite(best.gap)) add(&s, best);
  return s.count;
}

// --- two boundaries --------------------------------------------------------------------------------------------------

// The box around the places of a boundary, in its axes.
static void box_of(const shore *s, vec2 *low, vec2 *high) {
  *low = (vec2){INFINITY, INFINITY}, *high = (vec2){-INFINITY, -INFINITY};
  for (int v = 0; v < s->line->count; v++) {
    vec2 p = local_vertex(s, v);
    *low = (vec2){fmin(low->x, p.x), fmin(low->y, p.y)}, *high = (vec2){fmax(high->x, p.x), fmax(high->y, p.y)};
  }
}

static double distance_to_box(vec2 p, vec2 low, vec2 high) {
  return hypot(fmax(fmax(low.x - p.x, p.x - high.x), 0), fmax(fmax(low.y - p.y, p.y - high.y), 0));
}

static polyline_foot nearest_on(const shore *to, vec2 world) {
  return polyline_nearest(to->line, to->places, into(to->at, world));
}

// How long the lines beside a vertex are: the shorter.
static double length_beside(const shore *s, int v) {
  int sides[2] = {s->line->next[v], s->line->before[v]};
  double least = INFINITY;
  for (int k = 0; k < 2; k++)
    if (sides[k] >= 0) least = fmin(least, vec2_norm(vec2_sub(local_vertex(s, sides[k]), local_vertex(s, v))));
  return isfinite(least) ? least : 0;
}

// The vertex of a boundary that a foot is next to, by so much of the line that counts as the same place; -1: none.
static int vertex_beside(const polyline_foot *f) {
  if (is_vertex(f) || f->part < SAME_PLACE) return f->vertex[0];
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
  polyline_foot back = nearest_on(of, vertex_at(other, w));
  if (vertex_beside(&back) != v) return -1;
  vec2 off = vec2_sub(vertex_at(of, v), vertex_at(other, w));
  double along = fabs(vec2_cross(mean_normal(of, v, other, w), off));
  return along <= 2 * SAME_PLACE * fmin(length_beside(of, v), length_beside(other, w)) ? w : -1;
}

// Two nodes: along the mean of both normals.
static contact_touch twin_touch(const shore *a, int v, const shore *b, int w) {
  vec2 n = mean_normal(a, v, b, w), p = vertex_at(a, v), q = vertex_at(b, w);
  return (contact_touch){.feature = {{v, w, 2}},
                         .gap = vec2_dot(n, vec2_sub(p, q)),
                         .at = vec2_in_space(p),
                         .n = vec2_in_space(n),
                         .spot = {spot_at(a, v), spot_at(b, w)}};
}

// A node of `of` on a line of `on`, or next to its end. `backwards`: `of` is the second boundary.
static contact_touch foot_touch(const shore *of, int v, const shore *on, const polyline_foot *f, bool backwards) {
  vec2 n = pose2_turn(on->at, f->normal);
  contact_touch t = {.gap = f->gap, .at = vec2_in_space(vertex_at(of, v))};
  t.n = vec2_in_space(backwards ? vec2_neg(n) : n);
  t.feature =
      backwards ? (contact_feature){{on->line->count + v, f->vertex[0], 1}} : (contact_feature){{v, f->vertex[0], 0}};
  t.spot[backwards] = spot_at(of, v), t.spot[!backwards] = spot_on(on, f);
  return t;
}

// Nodes of one boundary against the other. `within`: those that are farther from its box are left out. Twins are
// listed with the first boundary.
static void list_nodes(search *s, const shore *of, const shore *on, bool backwards, double within,
                       contact_touch *best) {
  vec2 low, high;
  box_of(on, &low, &high);
  for (int v = 0; v < of->line->count; v++) {
    vec2 p = vertex_at(of, v);
    if (distance_to_box(into(on->at, p), low, high) > within) continue;
    polyline_foot f = nearest_on(on, p);
    if (!(f.gap > -on->line->depth)) continue;
    contact_touch t = foot_touch(of, v, on, &f, backwards);
    if (t.gap < best->gap) *best = t;
    int w = twin_of(of, v, &f, on);
    if (w >= 0 && !backwards) add(s, twin_touch(of, v, on, w));
    else if (w < 0 && !is_vertex(&f)) add(s, t);
  }
}

// An upper bound of the gap: that of the vertex of A nearest to the box of B.
static double bound_of(const shore *a, const shore *b) {
  vec2 low, high;
  box_of(b, &low, &high);
  double least = INFINITY;
  int nearest = 0;
  for (int v = 0; v < a->line->count; v++) {
    double d = distance_to_box(into(b->at, vertex_at(a, v)), low, high);
    if (d < least) least = d, nearest = v;
  }
  return fmax(nearest_on(b, vertex_at(a, nearest)).gap, 0);
}

// What is listed beside the least gap: so much farther, over the size of the smaller boundary.
#define BESIDE 0.05

static double size_of(const polyline *l) { return vec2_norm(vec2_sub(l->high, l->low)); }

static int touches_of_two(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  shore a = shore_of(x, &first, e->boundary_first), b = shore_of(x, &second, e->boundary_second);
  search s = {.to = to, .most = e->point_count};
  contact_touch best = {.gap = INFINITY};
  double within = bound_of(&a, &b) + BESIDE * fmin(size_of(a.line), size_of(b.line));
  list_nodes(&s, &a, &b, false, within, &best);
  list_nodes(&s, &b, &a, true, within, &best);
  if (s.count == 0 && isfinite(best.gap)) add(&s, best);
  return s.count;
}

// --- a plane: one point per node -------------------------------------------------------------------------------------

static void evaluate_on_plane(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  shore a = shore_of(x, &first, e->boundary_first);
  vec3 n = mat3_column(second.R, 1);
  for (int k = 0; k < e->point_count; k++) {
    contact_point *p = &points[k];
    p->at = vec2_in_space(vertex_at(&a, k));
    p->gap = vec3_dot(n, vec3_sub(p->at, second.p));
    p->node_first = first.node, p->node_second = second.node;
    p->spot[0] = p->spot[1] = spot_at(&a, k);
    contact_set_frame(m, p, n);
  }
}

// --- travel ----------------------------------------------------------------------------------------------------------

static bool is_node(const flexible_spot *s) { return s->node[0] == s->node[1]; }

// How the line of a spot turns, and how fast the foot of a place that has the velocity v goes along it.
typedef struct line_rate {
  double turn, slide;
} line_rate;

static line_rate rate_of_line(const mechanism *m, const motion *x, int index, const flexible_spot *s, vec3 at, vec3 v) {
  const tree_link *l = &x->links[index];
  const vec2 *place = x->flexible[index].boundary;
  vec3 way = mat3_mul(l->R, vec2_in_space(vec2_sub(place[s->node[1]], place[s->node[0]])));
  vec3 from = vec3_add(l->p, mat3_mul(l->R, vec2_in_space(place[s->node[0]])));
  vec3 v0 = flexible_boundary_velocity(m, x, index, s->node[0]),
       along = vec3_sub(flexible_boundary_velocity(m, x, index, s->node[1]), v0);
  double length2 = vec3_dot(way, way);
  // s = (at - from)·way / way·way
  double slide =
      (vec3_dot(vec3_sub(v, v0), way) + vec3_dot(vec3_sub(at, from), along) - 2 * s->part * vec3_dot(way, along)) /
      length2;
  return (line_rate){(way.x * along.y - way.y * along.x) / length2, slide};
}

static vec3 turned(double turn, vec3 n) { return (vec3){-turn * n.y, turn * n.x, 0}; }

// The normal belongs to the line of the spot on side k, and the place to the node of the other side.
static contact_travel travel_on_line(const mechanism *m, const motion *x, const contact_point *p, int k, vec3 v) {
  contact_travel t = {.at = v};
  line_rate r = rate_of_line(m, x, k ? p->node_second : p->node_first, &p->spot[k], p->at, v);
  t.n = turned(r.turn, p->n), t.slide[k] = r.slide;
  return t;
}

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
    sum += rate_of_line(m, x, index, &s, VEC3_ZERO, VEC3_ZERO).turn, count++;
  }
  return count ? sum / count : 0;
}

static contact_travel travel_of_two(const mechanism *m, const motion *x, const contact_element *e,
                                    const contact_point *p, int k) {
  (void)k;
  bool node_a = is_node(&p->spot[0]), node_b = is_node(&p->spot[1]);
  vec3 v_a = flexible_boundary_velocity(m, x, p->node_first, p->spot[0].node[0]);
  if (node_a && !node_b) return travel_on_line(m, x, p, 1, v_a);
  if (node_b && !node_a)
    return travel_on_line(m, x, p, 0, flexible_boundary_velocity(m, x, p->node_second, p->spot[1].node[0]));
  double turn = turn_at(m, x, p->node_first, e->boundary_first, p->spot[0].node[0]) +
                turn_at(m, x, p->node_second, e->boundary_second, p->spot[1].node[0]);
  return (contact_travel){.at = v_a, .n = turned(turn / 2, p->n)};
}

// The arc or corner of an outline whose surface is at a point, with this normal; null if there is none.
static const outline_feature *round_at(const outline *o, pose2 at, vec2 p, vec2 n) {
  const outline_feature *best = NULL;
  double least = INFINITY;
  for (int i = 0; i < o->count; i++) {
    const outline_feature *f = &o->features[i];
    double off = vec2_norm(vec2_sub(vec2_axpy(pose2_point(at, f->centre), f->radius, n), p));
    if (is_round(f) && off < least) least = off, best = f;
  }
  return best;
}

// A place on this feature of the outline; null: it is not known, and counts as straight.
static contact_travel travel_on_feature(const mechanism *m, const motion *x, const contact_element *e,
                                        const contact_point *p, const outline_feature *f) {
  marker_place second = marker_find(m, x, e->second);
  pose2 b = pose2_of((pose){second.R, second.p});
  if (!is_node(&p->spot[0])) {  // an arc or corner on a line of the boundary
    vec3 c = f ? vec2_in_space(pose2_point(b, f->centre)) : p->at;
    anchor centre = marker_anchor(x, &second, c);
    vec3 v = anchor_velocity(m, x, &centre);
    contact_point at_centre = *p;
    at_centre.at = c;
    contact_travel t = travel_on_line(m, x, &at_centre, 0, v);
    t.at = vec3_axpy(v, f ? f->radius : 0, t.n);
    return t;
  }
  contact_travel t = {.at = flexible_boundary_velocity(m, x, p->node_first, p->spot[0].node[0])};
  t.n = vec3_cross(marker_omega(m, x, &second), p->n);
  if (!f || f->kind == OUTLINE_LINE) return t;
  double radius = 0;  // of curvature: the centre stays with the body
  (void)outline_point(f, vec2_turn(vec2_of(p->n), b.c, -b.s), &radius);
  anchor centre = marker_anchor(x, &second, vec3_axpy(p->at, -(p->gap + radius), p->n));
  if (p->gap + radius != 0)
    t.n = contact_turn_of(p->n, p->gap + radius, vec3_sub(t.at, anchor_velocity(m, x, &centre)));
  return t;
}

static contact_travel travel_on_outline(const mechanism *m, const motion *x, const contact_element *e,
                                        const contact_point *p, int k) {
  (void)k;
  const outline *o = e->outline_second;
  marker_place second = marker_find(m, x, e->second);
  pose2 b = pose2_of((pose){second.R, second.p});
  const vec2 at = vec2_of(p->at);
  const outline_feature *f =
      is_node(&p->spot[0]) ? outline_nearest(o, into(b, at)).on : round_at(o, b, at, vec2_of(p->n));
  return travel_on_feature(m, x, e, p, f);
}

// --- followed in time ------------------------------------------------------------------------------------------------

// Against outlines of lines, arcs and corners. A place is a node on a line or an arc of the outline, {node, feature,
// 0}, or an arc or corner on a line of the boundary, {corner, line, 1}. An arc goes from line to line over the node
// between them; a corner goes from one line to the next.

#define SLACK 2e-9  // of the size of both: so far beyond the end of its features a place is still found

typedef struct held_place {
  double gap, within;  // beyond the end of its features `within` is negative [m]
  vec2 n, at;
  flexible_spot spot;
} held_place;

typedef struct held_pair {
  const contact_element *e;
  shore a;
  pose2 b;
} held_pair;

static held_pair pair_of(const mechanism *m, const motion *x, const contact_element *e) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  return (held_pair){e, shore_of(x, &first, e->boundary_first), pose2_of((pose){second.R, second.p})};
}

static double slack_of(const contact_element *e) {
  return SLACK * (size_of(e->boundary_first) + e->outline_second->size);
}

// How far an outward normal is from the ends of the range of an arc, as a length along it. `more` is added to the range
// at its first and last normal [m].
static double within_arc(const outline_feature *f, vec2 n, const double more[2]) {
  if (f->all_round) return INFINITY;
  vec2 middle = vec2_turn(f->n0, cos(0.5 * f->sweep), sin(0.5 * f->sweep));
  const double radius = fabs(f->radius), angle = vec2_angle(middle, n);
  return 0.5 * radius * f->sweep + fmin(more[0] + radius * angle, more[1] - radius * angle);
}

static const double no_more[2] = {0, 0};

// How far a line or arc counts beyond its end: not at all, but at inner corners. What is free is in front of it there,
// unless a hollow arc or a bulged neighbour turns back and crosses it again. Both are farthest from each other half way
// to this crossing.
static double beyond_corner(const outline *o, int number, int step) {
  const outline_feature *f = &o->features[number], *corner = outline_beside(o, number, step),
                        *other = outline_beside(o, number, 2 * step);
  if (!outline_is_inner(corner)) return 0;
  const double turn = fmin(corner->sweep, 0.5 * M_PI);
  if (f->kind == OUTLINE_LINE) return is_round(other) ? other->radius * sin(turn) : INFINITY;
  if (f->sense > 0) return 0.5 * M_PI * f->radius;
  return -f->radius * turn / (1 + (is_round(other) ? -f->radius / other->radius : 0));
}

// How far a point is beyond the ends of both lines beside a vertex, along them.
static double beyond_lines(const shore *s, int v, vec2 p) {
  const int next = s->line->next[v], before = s->line->before[v];
  const vec2 at = local_vertex(s, v), off = vec2_sub(p, at);
  double least = INFINITY;
  if (next >= 0) least = fmin(least, -vec2_dot(off, vec2_unit(vec2_sub(local_vertex(s, next), at))));
  if (before >= 0) least = fmin(least, vec2_dot(off, vec2_unit(vec2_sub(at, local_vertex(s, before)))));
  return least;
}

static held_place node_on(const held_pair *h, int v, int number) {
  const outline *o = h->e->outline_second;
  const outline_feature *f = &o->features[number];
  const vec2 q = into(h->b, vertex_at(&h->a, v));
  held_place p = {.at = vertex_at(&h->a, v), .spot = spot_at(&h->a, v)};
  vec2 n = f->n0;
  if (f->kind == OUTLINE_LINE) {
    const vec2 d = vec2_sub(q, f->from);
    const double along = vec2_dot(vec2_left(n), d);
    const double low = f->low - beyond_corner(o, number, -1), high = f->high + beyond_corner(o, number, 1);
    p.gap = vec2_dot(n, d), p.within = fmin(along - low, high - along);
  } else {
    const vec2 d = vec2_sub(q, f->centre);
    n = vec2_norm(d) > 0 ? vec2_scale(f->sense, vec2_unit(d)) : n;
    // normals of a hollow arc turn back along the outline
    const double more[2] = {beyond_corner(o, number, -f->sense), beyond_corner(o, number, f->sense)};
    p.gap = vec2_dot(n, d) - f->radius, p.within = within_arc(f, n, more);
    if (is_round(f)) p.within = fmin(p.within, beyond_lines(&h->a, v, into(h->a.at, pose2_point(h->b, f->centre))));
  }
  p.n = pose2_turn(h->b, n);
  return p;
}

static held_place round_on(const held_pair *h, int number, int v) {
  const outline_feature *f = &h->e->outline_second->features[number];
  const vec2 c = pose2_point(h->b, f->centre);
  const polyline_foot foot = polyline_foot_on(h->a.line, h->a.places, v, into(h->a.at, c));
  const double length = vec2_norm(vec2_sub(local_vertex(&h->a, h->a.line->next[v]), local_vertex(&h->a, v)));
  held_place p = {.gap = foot.gap - f->radius,
                  .within = length * fmin(foot.part, 1 - foot.part),
                  .n = pose2_turn(h->a.at, vec2_neg(foot.normal)),
                  .spot = spot_on(&h->a, &foot)};
  p.at = vec2_axpy(c, f->radius, p.n);
  if (f->radius != 0) p.within = fmin(p.within, within_arc(f, vec2_turn(p.n, h->b.c, -h->b.s), no_more));
  return p;
}

// A damaged checkpoint may name features that do not exist.
static bool exists(const held_pair *h, const contact_feature *f) {
  const int vertices = h->a.line->count, features = h->e->outline_second->count;
  if (f->part[2] == 0) return f->part[0] >= 0 && f->part[0] < vertices && f->part[1] >= 0 && f->part[1] < features;
  const int number = f->part[0] - vertices;
  return f->part[2] == 1 && number >= 0 && number < features && is_round(&h->e->outline_second->features[number]) &&
         f->part[1] >= 0 && f->part[1] < vertices && h->a.line->next[f->part[1]] >= 0;
}

static held_place place_of(const held_pair *h, const contact_feature *f) {
  return f->part[2] ? round_on(h, f->part[0] - h->a.line->count, f->part[1]) : node_on(h, f->part[0], f->part[1]);
}

// A node touches a line unless a line beside it leads deeper by more than 60 degrees: the side of a box whose corner
// goes by. The end of a side has one line beside it.
#define STEEP 0.87

static bool faces_line(const held_pair *h, int v, vec2 n) {
  const int beside[2] = {h->a.line->next[v], h->a.line->before[v]};
  for (int k = 0; k < 2; k++) {
    if (beside[k] < 0) continue;
    const vec2 way = vec2_sub(vertex_at(&h->a, beside[k]), vertex_at(&h->a, v));
    if (vec2_dot(n, way) < -STEEP * vec2_norm(way)) return false;
  }
  return true;
}

// Whether a feature ends at an inner corner that is, or that ends, the other.
static bool meet_inside(const outline *o, int i, int other) {
  const outline_feature *f = &o->features[other];
  for (int step = -1; step <= 1; step += 2)
    if (outline_is_inner(outline_beside(o, i, step)) &&
        (f == outline_beside(o, i, step) || f == outline_beside(o, i, 2 * step)))
      return true;
  return false;
}

// Whether a node may touch a feature: the nearest one, what meets it at an inner corner, where both hold the node, and
// all it is in front of. Lines and arcs reach beyond inner corners only near them: elsewhere another part of the
// outline may be there.
static bool is_offered(const held_pair *h, int v, int number, int nearest, const held_place *p) {
  const outline *o = h->e->outline_second;
  const outline_feature *f = &o->features[number];
  if (number == nearest || meet_inside(o, number, nearest)) return true;
  if (f->kind != OUTLINE_LINE)
    return p->gap >= 0 && within_arc(f, vec2_turn(p->n, h->b.c, -h->b.s), no_more) >= -slack_of(h->e);
  const double along = vec2_dot(outline_along(f), vec2_sub(into(h->b, vertex_at(&h->a, v)), f->from));
  return p->gap >= 0 && along >= f->low && along <= f->high;
}

static void visit_node(const held_pair *h, int v, void (*each)(void *to, const contact_feature *f, const held_place *p),
                       void *to) {
  const outline *o = h->e->outline_second;
  const double slack = slack_of(h->e);
  const outline_foot foot = outline_nearest(o, into(h->b, vertex_at(&h->a, v)));
  if (!foot.on) return;
  for (int i = 0; i < o->count; i++) {
    if (o->features[i].kind == OUTLINE_ROUND && o->features[i].radius == 0) continue;
    const contact_feature f = {{v, i, 0}};
    const held_place p = node_on(h, v, i);
    if (p.within < -slack || !is_offered(h, v, i, (int)(foot.on - o->features), &p)) continue;
    if (is_round(&o->features[i]) || faces_line(h, v, p.n)) each(to, &f, &p);
  }
}

// Calls `each` for every place whose features are there.
static void visit_places(const held_pair *h, void (*each)(void *to, const contact_feature *f, const held_place *p),
                         void *to) {
  const outline *o = h->e->outline_second;
  const double slack = slack_of(h->e);
  for (int v = 0; v < h->a.line->count; v++) visit_node(h, v, each, to);
  for (int i = 0; i < o->count; i++) {
    if (!is_round(&o->features[i])) continue;
    const vec2 c = into(h->a.at, pose2_point(h->b, o->features[i].centre));
    const polyline_foot nearest = polyline_nearest(h->a.line, h->a.places, c);
    for (int v = 0; v < h->a.line->count; v++) {
      if (h->a.line->next[v] < 0) continue;
      const contact_feature f = {{h->a.line->count + i, v, 1}};
      const held_place p = round_on(h, i, v);
      const double above = p.gap + o->features[i].radius;
      const bool inside = nearest.vertex[0] == v && above > -h->a.line->depth;
      if (p.within >= -slack && (above >= 0 || inside)) each(to, &f, &p);
    }
  }
}

static void take_nearest(void *to, const contact_feature *f, const held_place *p) {
  held_place *least = to;
  (void)f;
  if (p->gap < least->gap) *least = *p, least->within = INFINITY;
}

// Beside and behind a side that ends there are no places, and nothing can touch: how far its nodes are away.
static double distance_of_nodes(const held_pair *h) {
  double least = INFINITY;
  for (int v = 0; v < h->a.line->count; v++)
    least = fmin(least, fabs(outline_nearest(h->e->outline_second, into(h->b, vertex_at(&h->a, v))).gap));
  return least;
}

static double evaluate_held(const mechanism *m, const motion *x, const contact_element *e, const contact_feature *f,
                            contact_point *p) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  const held_pair h = pair_of(m, x, e);
  held_place here = {.gap = INFINITY, .within = -INFINITY, .n = {0, 1}, .at = h.a.at.p, .spot = spot_at(&h.a, 0)};
  if (contact_is_guard(f)) {
    visit_places(&h, take_nearest, &here);
    if (!isfinite(here.gap)) here.gap = distance_of_nodes(&h);
    here.within = INFINITY;
  } else if (exists(&h, f)) {
    here = place_of(&h, f);
  }
  p->gap = here.gap, p->at = vec2_in_space(here.at);
  p->node_first = first.node, p->node_second = second.node, p->apart = contact_apart(&first, &second);
  p->spot[0] = p->spot[1] = here.spot;
  contact_set_frame(m, p, vec2_in_space(here.n));
  return here.within + 2 * slack_of(e);
}

typedef struct held_search {
  contact_touch *to;
  int count, most;
  double within;
} held_search;

// In the order of gaps, behind the guard. Of more places than there is room for, those with the largest gaps are left
// out.
static void insert_place(void *to, const contact_feature *f, const held_place *p) {
  held_search *s = to;
  int k = s->count;
  if (p->gap > s->within || (k == s->most && (k < 2 || !(s->to[--k].gap > p->gap)))) return;
  for (; k > 1 && s->to[k - 1].gap > p->gap; k--) s->to[k] = s->to[k - 1];
  s->to[k] = (contact_touch){
      .feature = *f, .gap = p->gap, .at = vec2_in_space(p->at), .n = vec2_in_space(p->n), .spot = {p->spot}};
  if (s->count < s->most) s->count++;
}

static int find_held(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  const held_pair h = pair_of(m, x, e);
  held_search s = {.to = to, .count = 1, .most = e->point_count, .within = e->span};
  to[0] =
      (contact_touch){.feature = CONTACT_GUARD_FEATURE, .gap = INFINITY, .at = vec2_in_space(h.a.at.p), .n = {0, 1, 0}};
  visit_places(&h, insert_place, &s);
  return s.count;
}

static contact_travel travel_held(const mechanism *m, const motion *x, const contact_element *e,
                                  const contact_feature *f, const contact_point *p) {
  const held_pair h = pair_of(m, x, e);
  if (contact_is_guard(f) || !exists(&h, f)) return travel_on_outline(m, x, e, p, 0);
  const int number = f->part[2] ? f->part[0] - h.a.line->count : f->part[1];
  return travel_on_feature(m, x, e, p, &e->outline_second->features[number]);
}

static const contact_follow follow_boundary = {.find = find_held, .evaluate = evaluate_held, .travel = travel_held};

// --- types -----------------------------------------------------------------------------------------------------------

// The same node, or corner, has moved on to the next line.
static bool continues(const contact_feature *vanished, const contact_feature *place) {
  return vanished->part[0] == place->part[0];
}

const contact_type contact_boundary_outline = {
    .name = "boundary on outline",
    .point_count_planar = CONTACT_POINTS_MAX,
    .touches = touches_on_outline,
    .continues = continues,
    .travel = travel_on_outline,
    .point_names_planar = contact_point_numbers,
    .tell_overlap = contact_tell_surfaces,
};
// Of lines, arcs and corners alone.
static const contact_type contact_boundary_edges = {
    .name = "boundary on outline",
    .point_count_planar = CONTACT_POINTS_MAX,
    .touches = touches_on_outline,
    .continues = continues,
    .follow = &follow_boundary,
    .travel = travel_on_outline,
    .point_names_planar = contact_point_numbers,
    .tell_overlap = contact_tell_surfaces,
};
const contact_type contact_boundaries = {
    .name = "boundary on boundary",
    .point_count_planar = CONTACT_POINTS_MAX,
    .touches = touches_of_two,
    .continues = continues,
    .travel = travel_of_two,
    .point_names_planar = contact_point_numbers,
    .tell_overlap = contact_tell_surfaces,
};
// A point for each node: schemes that follow points in time can run it.
static const contact_type contact_boundary_plane = {
    .name = "boundary on plane",
    .point_count_planar = CONTACT_POINTS_MAX,
    .evaluate = evaluate_on_plane,
    .travel = travel_on_outline,
    .point_names_planar = contact_point_numbers,
    .tell_overlap = contact_tell_surfaces,
};

static bool has_cubic(const outline *o) {
  for (int i = 0; i < o->count; i++)
    if (o->features[i].kind == OUTLINE_CUBIC) return true;
  return false;
}

void contact_set_boundaries(contact_element *e, const contact_surface *first, const contact_surface *second) {
  e->boundary_first = first->boundary, e->boundary_second = second->boundary;
  e->outline_second = second->outline;
  if (contact_is_half_space(second) && first->boundary->count <= CONTACT_POINTS_MAX)
    e->type = &contact_boundary_plane, e->point_count = first->boundary->count;
  else if (!second->boundary && !has_cubic(second->outline)) e->type = &contact_boundary_edges;
}
