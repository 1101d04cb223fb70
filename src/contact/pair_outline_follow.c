// Outlines of lines, arcs and corners in the plane, followed from one change of features to the next. A corner is an
// arc without radius. A place belongs to an arc and a line, whose gap is that of the centre over the line less the
// radius, or to two arcs, whose gap is the distance of their centres less both radii; of an arc in a hollow one the
// distance counts backwards.
#include <math.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "contact/touches.h"
#include "geometry/touch.h"

#define HORIZON 1.0  // places with a larger gap than this part of the thinner body are not looked for
#define SLACK \
  2e-9  // of the size of both: so far beyond the end of its features a place is still found; it ends at twice this
#define TIPS 1e-6  // likewise: two corners that are nearer touch each other's edges, since they have no common normal
#define ARM  0.1   // of the thinner body: the length by which the angle to the end of a corner counts

typedef struct pair_pose {
  pose2 a, b;
} pair_pose;

static pair_pose poses_of(const marker_place *a, const marker_place *b) {
  return (pair_pose){pose2_of((pose){a->R, a->p}), pose2_of((pose){b->R, b->p})};
}

static double size_of(const contact_element *e) { return e->outline_first->size + e->outline_second->size; }

// --- places ----------------------------------------------------------------------------------------------------------

typedef struct place {
  double gap, within;
  vec2 n, at;
} place;

// How far an outward normal is from the ends of the range of an arc, as an angle.
static double within_range(const outline_feature *f, pose2 at, vec2 n) {
  if (f->all_round) return INFINITY;
  vec2 middle = pose2_turn(at, vec2_turn(f->n0, cos(0.5 * f->sweep), sin(0.5 * f->sweep)));
  return 0.5 * f->sweep - fabs(vec2_angle(middle, n));
}

// `n` points out of the line. A corner ends with its line, and not where an edge beside it comes to lie there: then the
// corner at the other end touches.
static place round_on_line(const outline_feature *round, pose2 at, const outline *o, int number, pose2 at_line) {
  const outline_feature *line = &o->features[number];
  vec2 n = pose2_turn(at_line, line->n0), c = pose2_point(at, round->centre),
       d = vec2_sub(c, pose2_point(at_line, line->from));
  double along = vec2_dot(vec2_left(n), d);
  double low = outline_is_inner(outline_beside(o, number, -1)) ? -INFINITY : line->low,
         high = outline_is_inner(outline_beside(o, number, 1)) ? INFINITY : line->high;
  place p = {.gap = vec2_dot(n, d) - round->radius,
             .within = fmin(along - low, high - along),
             .n = n,
             .at = vec2_axpy(c, -round->radius, n)};
  if (round->radius != 0) p.within = fmin(p.within, fabs(round->radius) * within_range(round, at, vec2_neg(n)));
  return p;
}

static place round_on_round(const contact_element *e, const outline_feature *a, const outline_feature *b,
                            const pair_pose *at) {
  vec2 c = pose2_point(at->b, b->centre), d = vec2_sub(pose2_point(at->a, a->centre), c);
  double distance = vec2_norm(d), arm = ARM * e->span;
  vec2 n = distance > 0 ? vec2_scale(a->sense * b->sense / distance, d) : (vec2){0, 1};
  double of_a = fmax(fabs(a->radius), arm) * within_range(a, at->a, vec2_neg(n)),
         of_b = fmax(fabs(b->radius), arm) * within_range(b, at->b, n);
  return (place){.gap = vec2_dot(n, d) - a->radius - b->radius,
                 .within = fmin(of_a, of_b),
                 .n = n,
                 .at = vec2_axpy(c, b->radius, n)};
}

static bool is_line(const outline_feature *f) { return f->kind == OUTLINE_LINE; }

static place place_of(const contact_element *e, const contact_feature *f, const pair_pose *at) {
  const outline_feature *a = &e->outline_first->features[f->part[0]], *b = &e->outline_second->features[f->part[1]];
  if (!is_line(a) && !is_line(b)) return round_on_round(e, a, b, at);
  if (is_line(b)) return round_on_line(a, at->a, e->outline_second, f->part[1], at->b);
  place p = round_on_line(b, at->b, e->outline_first, f->part[0], at->a);
  p.n = vec2_neg(p.n);
  return p;
}

// A damaged checkpoint may name features that do not exist.
static bool exists(const contact_element *e, const contact_feature *f) {
  if (contact_is_guard(f)) return true;
  if (f->part[0] < 0 || f->part[0] >= e->outline_first->count || f->part[1] < 0 ||
      f->part[1] >= e->outline_second->count)
    return false;
  return !is_line(&e->outline_first->features[f->part[0]]) || !is_line(&e->outline_second->features[f->part[1]]);
}

// The least of all local minima.
static place nearest(const contact_element *e, const pair_pose *at) {
  touch t[TOUCHES_MAX];
  place p = {.gap = INFINITY, .within = INFINITY, .n = {0, 1}, .at = at->a.p};
  int count = touches_of(e->outline_first, at->a, e->outline_second, at->b, INFINITY, t);
  for (int i = 0; i < count; i++)
    if (t[i].gap < p.gap) p.gap = t[i].gap, p.n = t[i].normal, p.at = isinf(t[i].radius[0]) ? t[i].on_b : t[i].on_a;
  return p;
}

static double evaluate(const mechanism *m, const motion *x, const contact_element *e, const contact_feature *f,
                       contact_point *p) {
  marker_place a = marker_find(m, x, e->first), b = marker_find(m, x, e->second);
  pair_pose at = poses_of(&a, &b);
  place here = {.gap = INFINITY, .within = -INFINITY, .n = {0, 1}, .at = at.a.p};
  if (exists(e, f)) here = contact_is_guard(f) ? nearest(e, &at) : place_of(e, f, &at);
  p->gap = here.gap, p->at = vec2_in_space(here.at);
  p->node_first = a.node, p->node_second = b.node, p->apart = contact_apart(&a, &b);
  contact_set_frame(m, p, vec2_in_space(here.n));
  return here.within + 2 * SLACK * size_of(e);
}

// --- finding ---------------------------------------------------------------------------------------------------------

typedef struct search {
  const contact_element *e;
  pair_pose at;
  contact_touch *to;
  int count, most;
} search;

// The features of an arc that is cut share an id: that which has the normal.
static int number_of(const outline *o, pose2 at, int id, vec2 n) {
  vec2 local = vec2_turn(n, at.c, -at.s);
  int number = -1;
  for (int i = 0; i < o->count; i++) {
    if (o->features[i].id != id) continue;
    if (number < 0 || outline_has_normal(&o->features[i], local, 1e-9)) number = i;
  }
  return number;
}

// In the order of gaps, behind the guard. Of more places than there is room for, those with the largest gaps are left
// out.
static void insert(search *s, contact_touch t) {
  int k = s->count;
  if (k == s->most && (k < 2 || !(s->to[--k].gap > t.gap))) return;
  for (; k > 1 && s->to[k - 1].gap > t.gap; k--) s->to[k] = s->to[k - 1];
  s->to[k] = t;
  if (s->count < s->most) s->count++;
}

static void try_place(search *s, int a, int b) {
  contact_feature f = {{a, b, 0}};
  if (!exists(s->e, &f)) return;
  place p = place_of(s->e, &f, &s->at);
  if (!(p.within >= -SLACK * size_of(s->e))) return;
  for (int i = 1; i < s->count; i++)
    if (contact_same_feature(&s->to[i].feature, &f)) return;
  insert(s, (contact_touch){.feature = f, .gap = p.gap, .at = vec2_in_space(p.at), .n = vec2_in_space(p.n)});
}

static bool is_corner(const outline_feature *f) { return !is_line(f) && f->radius == 0; }

// Two corners that touch: a corner and the edges beside the other one. Where edges lie on each other and end in the
// same place, the corners have their normal, and one of them stands for both. Tips that meet touch all edges that look
// towards the other outline.
static void try_tips(search *s, int a, int b, vec2 n) {
  static const double ALONG = 0.99;
  int count_a = s->e->outline_first->count, count_b = s->e->outline_second->count, best = 0;
  contact_feature pair[4];
  double along[4];
  for (int k = 0; k < 4; k++) {
    int side = k % 2 ? 1 : -1;
    pair[k] = k < 2 ? (contact_feature){{a, (b + side + count_b) % count_b, 0}}
                    : (contact_feature){{(a + side + count_a) % count_a, b, 0}};
    bool has_line = is_line(&s->e->outline_first->features[pair[k].part[0]]) ||
                    is_line(&s->e->outline_second->features[pair[k].part[1]]);
    along[k] = has_line && exists(s->e, &pair[k]) ? vec2_dot(place_of(s->e, &pair[k], &s->at).n, n) : -1;
    if (along[k] > along[best]) best = k;
  }
  for (int k = 0; k < 4; k++)
    if (along[best] > ALONG ? k == best : along[k] > 0) try_place(s, pair[k].part[0], pair[k].part[1]);
}

static int find(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  search s = {.e = e, .at = poses_of(&first, &second), .to = to, .count = 1, .most = e->point_count};
  touch t[TOUCHES_MAX];
  to[0] = (contact_touch){.feature = CONTACT_GUARD_FEATURE, .gap = INFINITY, .at = first.p, .n = {0, 1, 0}};
  int count = touches_of(e->outline_first, s.at.a, e->outline_second, s.at.b, HORIZON * e->span, t);
  for (int i = 0; i < count; i++) {
    int a = number_of(e->outline_first, s.at.a, t[i].id[0], vec2_neg(t[i].normal)),
        b = number_of(e->outline_second, s.at.b, t[i].id[1], t[i].normal);
    if (a < 0 || b < 0) continue;
    bool corners = is_corner(&e->outline_first->features[a]) && is_corner(&e->outline_second->features[b]);
    if (!corners) try_place(&s, a, b);
    else if (t[i].gap <= TIPS * size_of(e)) try_tips(&s, a, b, t[i].normal);
  }
  return s.count;
}

// --- travel ----------------------------------------------------------------------------------------------------------

static contact_travel travel(const mechanism *m, const motion *x, const contact_element *e, const contact_feature *f,
                             const contact_point *p) {
  const outline_feature *a = &e->outline_first->features[f->part[0]], *b = &e->outline_second->features[f->part[1]];
  if (is_line(b)) return contact_travel_on_wall(m, x, e, p, CONTACT_SECOND, -a->radius);
  if (is_line(a)) return contact_travel_on_wall(m, x, e, p, CONTACT_FIRST, b->radius);
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  pair_pose at = poses_of(&first, &second);
  vec3 c_a = vec2_in_space(pose2_point(at.a, a->centre)), c_b = vec2_in_space(pose2_point(at.b, b->centre));
  anchor on_a = marker_anchor(x, &first, c_a), on_b = marker_anchor(x, &second, c_b);
  vec3 v_b = anchor_velocity(m, x, &on_b),
       rate = vec3_scale(a->sense * b->sense, vec3_sub(anchor_velocity(m, x, &on_a), v_b));
  double distance = vec3_norm(vec3_sub(c_a, c_b));
  vec3 turn = distance > 0 ? contact_turn_of(p->n, distance, rate) : VEC3_ZERO;
  return (contact_travel){.at = vec3_axpy(v_b, b->radius, turn), .n = turn};
}

const contact_follow contact_follow_outlines = {.find = find, .evaluate = evaluate, .travel = travel};
