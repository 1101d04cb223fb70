// Contact of the boundaries of flexible bodies in the plane with rigid outlines: chains of straight lines through nodes
// at their deformed places.
//
// A node touches where an outline is nearest to it. The other way, corners and arcs of an outline that bulge touch the
// lines of a boundary at the foot of their centre. Nothing counts twice: a node is a place against an arc only where
// the foot of the arc's centre is on neither line beside it.
//
// The normal force acts on the two nodes of a line by the rule of the lever, so that the rate of the gap is that of the
// nodes.
#include <math.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "contact/boundary.h"
#include "contact/touches.h"

// --- a rigid outline -------------------------------------------------------------------------------------------------

static bool is_round(const outline_feature *f) { return f->kind == OUTLINE_ROUND && f->sense > 0; }

static contact_touch vertex_touch(const boundary *a, int v, const outline_foot *foot, pose2 at_b) {
  return (contact_touch){.feature = {{v, 0, 0}},
                         .gap = foot->gap,
                         .at = vec2_in_space(boundary_vertex(a, v)),
                         .n = vec2_in_space(pose2_turn(at_b, foot->normal)),
                         .spot = {boundary_spot_at(a, v)}};
}

// Nodes on the outline. The nearest one is `best`, whether or not it is a place.
static void list_vertices(boundary_list *s, const boundary *a, const outline *o, pose2 at_b, contact_touch *best) {
  pose2 a_in_b = pose2_between(a->at, at_b), b_in_a = pose2_between(at_b, a->at);
  best->gap = INFINITY;
  for (int v = 0; v < a->line->count; v++) {
    outline_foot foot = outline_nearest(o, pose2_point(a_in_b, boundary_local(a, v)));
    if (!foot.on) continue;
    contact_touch t = vertex_touch(a, v, &foot, at_b);
    if (t.gap < best->gap) *best = t;
    if (is_round(foot.on) && !polyline_faces(a->line, a->places, v, pose2_point(b_in_a, foot.on->centre))) continue;
    boundary_add(s, t);
  }
}

// An arc or corner of the outline against the lines of the boundary: the feet outside, or, where its centre is inside,
// the nearest foot.
static void list_feet(boundary_list *s, const boundary *a, const outline *o, int number, pose2 at_b) {
  const outline_feature *f = &o->features[number];
  pose2 a_in_b = pose2_between(a->at, at_b);
  vec2 c = pose2_point(pose2_between(at_b, a->at), f->centre);
  polyline_foot nearest = polyline_nearest(a->line, a->places, c);
  for (int v = 0; v < a->line->count; v++) {
    if (a->line->next[v] < 0) continue;
    polyline_foot foot = polyline_foot_on(a->line, a->places, v, c);
    bool inside = foot.gap < 0 && nearest.vertex[0] == v && !boundary_is_vertex(&nearest) && foot.gap > -a->line->depth;
    if (!(foot.part > 0 && foot.part < 1 && (foot.gap >= 0 || inside))) continue;
    vec2 n = vec2_neg(foot.normal), in_b = pose2_turn(a_in_b, n), out = pose2_turn(a->at, n);
    if (!outline_has_normal(f, in_b, 1e-9)) continue;
    boundary_add(s, (contact_touch){.feature = {{a->line->count + number, v, 1}},
                                    .gap = foot.gap - f->radius,
                                    .at = vec2_in_space(vec2_axpy(pose2_point(at_b, f->centre), f->radius, out)),
                                    .n = vec2_in_space(out),
                                    .spot = {boundary_spot_on(a, &foot)}});
  }
}

static int touches_on_outline(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  boundary a = boundary_of(x, &first, e->boundary_first);
  pose2 b = pose2_of((pose){second.R, second.p});
  boundary_list s = {.to = to, .most = e->point_count};
  contact_touch best;
  list_vertices(&s, &a, e->outline_second, b, &best);
  for (int i = 0; i < e->outline_second->count; i++)
    if (is_round(&e->outline_second->features[i])) list_feet(&s, &a, e->outline_second, i, b);
  if (s.count == 0 && isfinite(best.gap)) boundary_add(&s, best);
  return s.count;
}

// --- a plane: one point per node -------------------------------------------------------------------------------------

static void evaluate_on_plane(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  boundary a = boundary_of(x, &first, e->boundary_first);
  vec3 n = mat3_column(second.R, 1);
  for (int k = 0; k < e->point_count; k++) {
    contact_point *p = &points[k];
    p->at = vec2_in_space(boundary_vertex(&a, k));
    p->gap = vec3_dot(n, vec3_sub(p->at, second.p));
    p->node_first = first.node, p->node_second = second.node;
    p->spot[0] = p->spot[1] = boundary_spot_at(&a, k);
    contact_set_frame(m, p, n);
  }
}

// --- travel ----------------------------------------------------------------------------------------------------------

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
  if (!boundary_is_node(&p->spot[0])) {  // an arc or corner on a line of the boundary
    vec3 c = f ? vec2_in_space(pose2_point(b, f->centre)) : p->at;
    anchor centre = marker_anchor(x, &second, c);
    vec3 v = anchor_velocity(m, x, &centre);
    contact_point at_centre = *p;
    at_centre.at = c;
    contact_travel t = boundary_travel_on_line(m, x, &at_centre, 0, v);
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
      boundary_is_node(&p->spot[0]) ? outline_nearest(o, pose2_into(b, at)).on : round_at(o, b, at, vec2_of(p->n));
  return travel_on_feature(m, x, e, p, f);
}

// --- followed in time ------------------------------------------------------------------------------------------------

// Against outlines of lines, arcs and corners. A place is a node on a line or an arc of the outline, {node, feature,
// 0}, or an arc or corner on a line of the boundary, {corner, line, 1}. An arc goes from line to line over the node
// between them; a corner goes from one line to the next. A smooth curve is touched by nodes alone, and a node is one
// place on all of it, {node, 0, 0}: where they touch, the nearest place of the curve moves smoothly.

static bool has_cubic(const outline *o) {
  for (int i = 0; i < o->count; i++)
    if (o->features[i].kind == OUTLINE_CUBIC) return true;
  return false;
}

typedef struct held_pair {
  const contact_element *e;
  boundary a;
  pose2 b;
  bool smooth;  // the outline is a curve
} held_pair;

static held_pair pair_of(const mechanism *m, const motion *x, const contact_element *e) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  return (held_pair){e, boundary_of(x, &first, e->boundary_first), pose2_of((pose){second.R, second.p}),
                     has_cubic(e->outline_second)};
}

static double slack_of(const contact_element *e) {
  return BOUNDARY_SLACK * (boundary_size(e->boundary_first) + e->outline_second->size);
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
static double beyond_lines(const boundary *s, int v, vec2 p) {
  const int next = s->line->next[v], before = s->line->before[v];
  const vec2 at = boundary_local(s, v), off = vec2_sub(p, at);
  double least = INFINITY;
  if (next >= 0) least = fmin(least, -vec2_dot(off, vec2_unit(vec2_sub(boundary_local(s, next), at))));
  if (before >= 0) least = fmin(least, vec2_dot(off, vec2_unit(vec2_sub(at, boundary_local(s, before)))));
  return least;
}

static boundary_place node_on_curve(const held_pair *h, int v) {
  const vec2 at = boundary_vertex(&h->a, v);
  const outline_foot foot = outline_nearest(h->e->outline_second, pose2_into(h->b, at));
  return (boundary_place){.gap = foot.gap,
                          .within = INFINITY,
                          .n = pose2_turn(h->b, foot.normal),
                          .at = at,
                          .spot = {boundary_spot_at(&h->a, v)}};
}

static boundary_place node_on(const held_pair *h, int v, int number) {
  if (h->smooth) return node_on_curve(h, v);
  const outline *o = h->e->outline_second;
  const outline_feature *f = &o->features[number];
  const vec2 q = pose2_into(h->b, boundary_vertex(&h->a, v));
  boundary_place p = {.at = boundary_vertex(&h->a, v), .spot = {boundary_spot_at(&h->a, v)}};
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
    if (is_round(f))
      p.within = fmin(p.within, beyond_lines(&h->a, v, pose2_into(h->a.at, pose2_point(h->b, f->centre))));
  }
  p.n = pose2_turn(h->b, n);
  return p;
}

static boundary_place round_on(const held_pair *h, int number, int v) {
  const outline_feature *f = &h->e->outline_second->features[number];
  const vec2 c = pose2_point(h->b, f->centre);
  const polyline_foot foot = polyline_foot_on(h->a.line, h->a.places, v, pose2_into(h->a.at, c));
  boundary_place p = {.gap = foot.gap - f->radius,
                      .within = boundary_length(&h->a, v) * fmin(foot.part, 1 - foot.part),
                      .n = pose2_turn(h->a.at, vec2_neg(foot.normal)),
                      .spot = {boundary_spot_on(&h->a, &foot)}};
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

static boundary_place place_of(const held_pair *h, const contact_feature *f) {
  return f->part[2] ? round_on(h, f->part[0] - h->a.line->count, f->part[1]) : node_on(h, f->part[0], f->part[1]);
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

// Whether a node at q, in the axes of the outline, may touch a feature: the nearest one, what meets it at an inner
// corner, where both hold the node, and all it is in front of. Lines and arcs reach beyond inner corners only near
// them: elsewhere another part of the outline may be there.
static bool is_offered(const held_pair *h, vec2 q, int number, int nearest) {
  const outline *o = h->e->outline_second;
  const outline_feature *f = &o->features[number];
  if (f->kind == OUTLINE_LINE) {
    const vec2 d = vec2_sub(q, f->from);
    const double along = vec2_dot(outline_along(f), d);
    if (along >= f->low && along <= f->high && vec2_dot(f->n0, d) >= 0) return true;
  } else {
    const vec2 d = vec2_sub(q, f->centre), n = vec2_norm(d) > 0 ? vec2_scale(f->sense, vec2_unit(d)) : f->n0;
    if (vec2_dot(n, d) >= f->radius && within_arc(f, n, no_more) >= -slack_of(h->e)) return true;
  }
  return number == nearest || meet_inside(o, number, nearest);
}

static void visit_node(const held_pair *h, int v, const double *within, boundary_visit *each, void *to) {
  const outline *o = h->e->outline_second;
  const double slack = slack_of(h->e);
  const vec2 q = pose2_into(h->b, boundary_vertex(&h->a, v));
  const outline_foot foot = outline_nearest(o, q);
  if (!foot.on || foot.gap > fmax(*within, 0) + slack) return;
  for (int i = 0; i < o->count; i++) {
    if (o->features[i].kind == OUTLINE_ROUND && o->features[i].radius == 0) continue;
    if (!is_offered(h, q, i, (int)(foot.on - o->features))) continue;
    const contact_feature f = {{v, i, 0}};
    const boundary_place p = node_on(h, v, i);
    if (p.within < -slack) continue;
    if (is_round(&o->features[i]) || boundary_faces(&h->a, v, p.n)) each(to, &f, &p);
  }
}

static void visit_on_curve(const held_pair *h, int v, boundary_visit *each, void *to) {
  const boundary_place p = node_on_curve(h, v);
  each(to, &(contact_feature){{v, 0, 0}}, &p);
}

// Calls `each` for every place whose features are there, and whose gap is at most `within`, which may fall on the way:
// no place of a node is nearer than the outline, and none of an arc or corner nearer than the boundary. Others may be
// left out.
static void visit_places(const held_pair *h, const double *within, boundary_visit *each, void *to) {
  const outline *o = h->e->outline_second;
  const double slack = slack_of(h->e);
  for (int v = 0; v < h->a.line->count; v++) {
    if (h->smooth) visit_on_curve(h, v, each, to);
    else visit_node(h, v, within, each, to);
  }
  for (int i = 0; i < o->count && !h->smooth; i++) {
    if (!is_round(&o->features[i])) continue;
    const vec2 c = pose2_into(h->a.at, pose2_point(h->b, o->features[i].centre));
    const polyline_foot nearest = polyline_nearest(h->a.line, h->a.places, c);
    if (nearest.gap - o->features[i].radius > fmax(*within, 0) + slack) continue;
    for (int v = 0; v < h->a.line->count; v++) {
      if (h->a.line->next[v] < 0) continue;
      const contact_feature f = {{h->a.line->count + i, v, 1}};
      const boundary_place p = round_on(h, i, v);
      const double above = p.gap + o->features[i].radius;
      const bool inside = nearest.vertex[0] == v && above > -h->a.line->depth;
      if (p.within >= -slack && (above >= 0 || inside)) each(to, &f, &p);
    }
  }
}

// Beside and behind a side that ends there are no places, and nothing can touch: how far its nodes are away.
static double distance_of_nodes(const held_pair *h) {
  double least = INFINITY;
  for (int v = 0; v < h->a.line->count; v++)
    least = fmin(least, fabs(outline_nearest(h->e->outline_second, pose2_into(h->b, boundary_vertex(&h->a, v))).gap));
  return least;
}

static double evaluate_held(const mechanism *m, const motion *x, const contact_element *e, const contact_feature *f,
                            contact_point *p) {
  const held_pair h = pair_of(m, x, e);
  boundary_place here = boundary_no_place(&h.a, &h.a);
  if (contact_is_guard(f)) {
    visit_places(&h, &here.gap, boundary_take_nearest, &here);
    if (!isfinite(here.gap)) here.gap = distance_of_nodes(&h), here.within = INFINITY;
  } else if (exists(&h, f)) {
    here = place_of(&h, f);
  }
  boundary_set_point(m, x, e, &here, p);
  return here.within + 2 * slack_of(e);
}

static int find_held(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  const held_pair h = pair_of(m, x, e);
  boundary_search s = boundary_begin_search(e, &h.a, to);
  visit_places(&h, &s.within, boundary_insert, &s);
  return s.count;
}

static contact_travel travel_held(const mechanism *m, const motion *x, const contact_element *e,
                                  const contact_feature *f, const contact_point *p) {
  const held_pair h = pair_of(m, x, e);
  if (contact_is_guard(f) || h.smooth || !exists(&h, f)) return travel_on_outline(m, x, e, p, 0);
  const int number = f->part[2] ? f->part[0] - h.a.line->count : f->part[1];
  return travel_on_feature(m, x, e, p, &e->outline_second->features[number]);
}

static const contact_follow follow_boundary = {.find = find_held, .evaluate = evaluate_held, .travel = travel_held};

// --- types -----------------------------------------------------------------------------------------------------------

const contact_type contact_boundary_outline = {
    .name = "boundary on outline",
    .point_count_planar = CONTACT_POINTS_MAX,
    .touches = touches_on_outline,
    .continues = boundary_continues,
    .follow = &follow_boundary,
    .travel = travel_on_outline,
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

void contact_set_boundaries(contact_element *e, const contact_surface *first, const contact_surface *second) {
  e->boundary_first = first->boundary, e->boundary_second = second->boundary;
  e->outline_second = second->outline;
  if (contact_is_half_space(second) && first->boundary->count <= CONTACT_POINTS_MAX)
    e->type = &contact_boundary_plane, e->point_count = first->boundary->count;
}
