// Two features touch along a normal n (from B to A) if n is an outward normal of B's and -n one of A's. With a(n) and
// b(n) their points of that normal, the signed gap along it is
//   f(n) = n · (a - b),   df/dθ = t · (a - b),   d²f/dθ² = -(f + ρa + ρb),
// with the tangent t = dn/dθ and the radii of curvature ρ, since a and b move along t. A root of t · (a - b) is a local
// minimum of the distance, and where the features overlap a least depth, if κa + κb + f κa κb > 0; with ρ this is F = f
// + ρa + ρb > 0 for two bulged features, F < 0 for a bulged one in a hollow one; two hollow ones have none. A line has
// its normal given.
#include "geometry/touch.h"

#include <float.h>
#include <math.h>

static const double CONE = 1e-10;   // a normal that is off a feature's range by less belongs to it [rad]
static const double STRICT = 1e-9;  // the same for lines that are parallel up to rounding [rad]

// A touch that is found, in the frame of B.
typedef struct found {
  touch t;
  int patch;    // touches of one pair of lines belong together; a single touch has one of its own
  bool strict;  // a true local minimum, no end of a range with a larger gap
} found;

typedef struct search {
  const outline *a, *b;
  pose2 a_in_b;
  double size;
  double deepest;  // the boxes around the outlines are apart after a translation of this length
  found items[TOUCHES_MAX];
  int count, patches;
  bool convex;     // both are
  bool one_sided;  // a point against an outline, to tell inside from outside: corners that nothing can touch count, too
} search;

// --- collecting ------------------------------------------------------------------------------------------------------

static bool is_same(const search *s, const touch *a, const touch *b) {
  double near = 1e-9 * s->size;
  return fabs(a->gap - b->gap) <= near && vec2_norm(vec2_sub(a->on_a, b->on_a)) <= near &&
         vec2_norm(vec2_sub(a->on_b, b->on_b)) <= near && vec2_dot(a->normal, b->normal) > 1 - 1e-6;
}

// What counts least is left out where there is no room: of two convex outlines the largest gap counts, of others small
// ones.
static double rank(const search *s, const touch *t) { return s->convex ? -t->gap : fabs(t->gap); }

// A minimum where two features continue each other is found twice.
static void collect(search *s, touch t, int patch, bool strict) {
  if (t.gap < -s->deepest) return;
  for (int i = 0; i < s->count; i++) {
    found *old = &s->items[i];
    if (old->patch != patch && (old->t.flat || t.flat)) continue;
    if (is_same(s, &old->t, &t)) {
      old->strict |= strict;
      return;
    }
  }
  int at = s->count;
  if (at == TOUCHES_MAX) {
    at = 0;
    for (int i = 1; i < s->count; i++)
      if (rank(s, &s->items[i].t) > rank(s, &s->items[at].t)) at = i;
    if (rank(s, &t) >= rank(s, &s->items[at].t)) return;
  } else s->count++;
  s->items[at] = (found){t, patch, strict};
}

static void collect_single(search *s, touch t) { collect(s, t, s->patches++, true); }

// --- pairs of features -----------------------------------------------------------------------------------------------

static int sign_of_pair(const outline_feature *a, const outline_feature *b) { return a->sense * b->sense; }

static void round_round(search *s, const outline_feature *a, const outline_feature *b) {
  if (a->sense < 0 && b->sense < 0) return;
  vec2 between = vec2_sub(a->centre, b->centre);
  double distance = vec2_norm(between);
  int sign = sign_of_pair(a, b);
  vec2 n;
  if (distance > 1e-15 * s->size) n = vec2_scale(sign / distance, between);
  else n = b->all_round ? a->all_round ? (vec2){1, 0} : vec2_neg(a->n0) : b->n0;  // concentric: any common normal
  if (!outline_has_normal(b, n, CONE) || !outline_has_normal(a, vec2_neg(n), CONE)) return;
  double gap = vec2_dot(n, between) - a->radius - b->radius;
  if (gap > 0 && ((a->radius < 0 && gap > -a->radius) || (b->radius < 0 && gap > -b->radius))) return;
  collect_single(s, (touch){.gap = gap,
                            .normal = n,
                            .on_a = vec2_axpy(a->centre, -a->radius, n),
                            .on_b = vec2_axpy(b->centre, b->radius, n),
                            .radius = {a->radius, b->radius},
                            .id = {a->id, b->id}});
}

// The curved feature is of A if `of_a`. On a line of B the gap's normal is the line's, on one of A the opposite.
static touch on_line(const outline_feature *line, const outline_feature *curve, vec2 p, double radius, bool of_a) {
  double gap = vec2_dot(line->n0, vec2_sub(p, line->from));
  vec2 foot = vec2_axpy(p, -gap, line->n0);
  if (of_a)
    return (touch){.gap = gap,
                   .normal = line->n0,
                   .on_a = p,
                   .on_b = foot,
                   .radius = {radius, INFINITY},
                   .id = {curve->id, line->id}};
  return (touch){.gap = gap,
                 .normal = vec2_neg(line->n0),
                 .on_a = foot,
                 .on_b = p,
                 .radius = {INFINITY, radius},
                 .id = {line->id, curve->id}};
}

static bool are_facing(const outline_feature *a, const outline_feature *b) {
  return a->kind == OUTLINE_LINE && b->kind == OUTLINE_LINE && vec2_dot(a->n0, b->n0) < 0 &&
         fabs(vec2_cross(a->n0, b->n0)) < TOUCH_FLAT;
}

static bool is_on_line(const search *s, const outline_feature *line, vec2 p, double margin) {
  double place = vec2_dot(outline_along(line), vec2_sub(p, line->from)), slack = margin * s->size;
  return place >= line->low - slack && place <= line->high + slack;
}

// Whether a point in the material is beyond the end of a line at a hollow corner, and beyond that of the line on the
// other side: it is then behind both, and no other feature tells it.
static bool is_behind_inner(const outline_feature *line, const outline_feature *const ends[2], vec2 p) {
  if (!(vec2_dot(line->n0, vec2_sub(p, line->from)) < 0)) return false;
  for (int k = 0; k < 2; k++) {
    if (!outline_is_inner(ends[k])) continue;
    vec2 d = vec2_sub(p, ends[k]->centre),
         other = vec2_dot(ends[k]->n0, line->n0) < vec2_dot(ends[k]->n1, line->n0) ? ends[k]->n0 : ends[k]->n1;
    double sign = k ? 1 : -1;
    if (sign * vec2_dot(outline_along(line), d) >= 0 && sign * vec2_dot(vec2_left(other), d) <= 0) return true;
  }
  return false;
}

static vec2 in_a(const search *s, vec2 p) { return vec2_turn(vec2_sub(p, s->a_in_b.p), s->a_in_b.c, -s->a_in_b.s); }

// A curved feature against a line. Where the feature ends a line that faces this one, line_line finds the touch.
static void curve_line(search *s, const outline_feature *curve, const outline_feature *neighbours[2],
                       const outline_feature *line, const outline_feature *ends[2], bool of_a) {
  if (curve->sense < 0 || !outline_has_normal(curve, vec2_neg(line->n0), CONE)) return;
  for (int k = 0; k < 2; k++)
    if (are_facing(neighbours[k], line)) return;
  double radius;
  vec2 p = outline_point(curve, vec2_neg(line->n0), &radius);
  bool behind =
      !s->one_sided && is_behind_inner(line, ends, p) && outline_holds(of_a ? s->b : s->a, of_a ? p : in_a(s, p));
  if (behind || is_on_line(s, line, p, 1e-12)) collect_single(s, on_line(line, curve, p, radius, of_a));
}

static const double ABOVE =
    1e-9;  // two ends that are off each other by less, over the size of both, are above each other

// One end of a line of one outline above a line of the other: the point of the feature that follows, where that goes
// further down. Returns false if the end is beside the line.
static bool line_end(const search *s, const outline_feature *of, const outline_feature *next, bool last,
                     const outline_feature *line, bool of_a, found *to) {
  double place = last ? of->high : of->low, radius = 0;
  if (isinf(place)) return false;
  vec2 p = outline_line_point(of, place), down = vec2_neg(line->n0);
  to->strict = next->sense > 0 && outline_has_normal(next, down, STRICT);
  if (to->strict && outline_has_normal(next, down, 0)) p = outline_point(next, down, &radius);
  if (!is_on_line(s, line, p, ABOVE)) return false;
  to->t = on_line(line, next, p, radius, of_a);
  to->t.flat = true;
  return true;
}

// Two ends above each other make one touch, A's. So do the ends that face each other (the last of one line, the first
// of the other) where both are above the other's line, deep in each other: the shallower. A true minimum comes first.
static void drop_one(const search *s, const outline_feature *b, found *of_a, found *of_b, bool facing, bool *has_a,
                     bool *has_b) {
  double off = vec2_dot(outline_along(b), vec2_sub(of_a->t.on_a, of_b->t.on_b));
  bool above = fabs(off) <= ABOVE * s->size;
  if (!*has_a || !*has_b || !(facing || above)) return;
  bool take_b = of_a->strict != of_b->strict ? of_b->strict : !above && of_b->t.gap > of_a->t.gap;
  *(take_b ? has_a : has_b) = false;
}

// Where the lines are parallel, the gap is the same along the range in which they face each other: its ends. Every end
// takes part up to ABOVE beyond the other line, so that one is found wherever the minimum goes over from an end of A's
// line to one of B's.
static void line_line(search *s, const outline_feature *a, const outline_feature *beside_a[2], const outline_feature *b,
                      const outline_feature *beside_b[2]) {
  if (!are_facing(a, b)) return;
  int patch = s->patches++;
  found of_a[2] = {0}, of_b[2] = {0};
  bool has_a[2], has_b[2];
  for (int k = 0; k < 2; k++) {
    has_a[k] = line_end(s, a, beside_a[k], k == 1, b, true, &of_a[k]);
    has_b[k] = line_end(s, b, beside_b[1 - k], k == 0, a, false, &of_b[k]);
  }
  for (int k = 0; k < 2; k++)
    for (int l = 0; l < 2; l++) drop_one(s, b, &of_a[k], &of_b[l], k == l, &has_a[k], &has_b[l]);
  for (int k = 0; k < 2; k++) {
    if (has_b[k]) collect(s, of_b[k].t, patch, of_b[k].strict);
    if (has_a[k]) collect(s, of_a[k].t, patch, of_a[k].strict);
  }
}

// --- curves ----------------------------------------------------------------------------------------------------------

typedef struct curves {
  const outline_feature *a, *b;
  vec2 from;  // normals are counted from here
} curves;

typedef struct sight {
  vec2 n, a, b;
  double gap, slope, radius[2];
} sight;

static sight look(const curves *c, double angle) {
  sight l = {.n = vec2_turn(c->from, cos(angle), sin(angle))};
  l.a = outline_point(c->a, vec2_neg(l.n), &l.radius[0]);
  l.b = outline_point(c->b, l.n, &l.radius[1]);
  vec2 d = vec2_sub(l.a, l.b);
  l.gap = vec2_dot(l.n, d), l.slope = vec2_dot(vec2_left(l.n), d);
  return l;
}

static void take_root(search *s, const curves *c, const sight *l) {
  double F = l->gap + l->radius[0] + l->radius[1];
  if (!(sign_of_pair(c->a, c->b) * F > 0)) return;
  for (int k = 0; k < 2; k++)
    if (l->radius[k] < 0 && l->gap > -l->radius[k]) return;
  collect_single(s, (touch){.gap = l->gap,
                            .normal = l->n,
                            .on_a = l->a,
                            .on_b = l->b,
                            .radius = {l->radius[0], l->radius[1]},
                            .id = {c->a->id, c->b->id}});
}

// Between two angles where the slope changes sign: Newton's method, and halving where that leaves the bracket.
static sight find_root(const search *s, const curves *c, double low, double high, double slope_low) {
  double angle = 0.5 * (low + high);
  sight l = look(c, angle);
  for (int i = 0; i < 100 && fabs(l.slope) > 1e-16 * s->size && high - low > 1e-16; i++) {
    if ((l.slope > 0) == (slope_low > 0)) low = angle;
    else high = angle;
    double F = l.gap + l.radius[0] + l.radius[1], next = angle + l.slope / F;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == angle) break;
    angle = next;
    l = look(c, angle);
  }
  return l;
}

static void search_range(search *s, const curves *c, double low, double high) {
  enum { PARTS = 4 };
  double small = 1e-12 * s->size;
  sight before = look(c, low);
  if (fabs(before.slope) <= small) take_root(s, c, &before);
  for (int i = 1; i <= PARTS && high > low; i++) {
    double from = low + (high - low) * (i - 1) / PARTS, to = low + (high - low) * i / PARTS;
    sight after = look(c, to);
    if (fabs(after.slope) <= small) take_root(s, c, &after);
    else if (fabs(before.slope) > small && (before.slope > 0) != (after.slope > 0)) {
      sight root = find_root(s, c, from, to, before.slope);
      take_root(s, c, &root);
    }
    before = after;
  }
}

// The normals that both features have.
static void curve_curve(search *s, const outline_feature *a, const outline_feature *b) {
  if (a->sense < 0 && b->sense < 0) return;
  curves c = {a, b, b->all_round ? vec2_neg(a->n0) : b->n0};
  if (a->all_round || b->all_round) {
    search_range(s, &c, 0, a->all_round ? b->sweep : a->sweep);
    return;
  }
  double start = vec2_angle(c.from, vec2_neg(a->n0));
  for (int k = -1; k <= 1; k++) {
    double low = fmax(0, start + 2 * M_PI * k), high = fmin(b->sweep, start + 2 * M_PI * k + a->sweep);
    if (high >= low - CONE) search_range(s, &c, low, fmax(low, high));
  }
}

// --- all pairs -------------------------------------------------------------------------------------------------------

// A feature in the frame of the other outline.
static outline_feature placed(const outline_feature *f, pose2 at) {
  outline_feature to = *f;
  to.n0 = pose2_turn(at, f->n0), to.n1 = pose2_turn(at, f->n1);
  if (f->kind == OUTLINE_LINE) to.from = pose2_point(at, f->from);
  else if (f->kind == OUTLINE_ROUND) to.centre = pose2_point(at, f->centre);
  else {
    to.c[0] = pose2_point(at, f->c[0]);
    for (int k = 1; k < 4; k++) to.c[k] = pose2_turn(at, f->c[k]);
  }
  return to;
}

static void try_pair(search *s, const outline_feature *a, const outline_feature *beside_a[2], int index_b) {
  const outline_feature *b = &s->b->features[index_b];
  const outline_feature *beside_b[2] = {outline_beside(s->b, index_b, -1), outline_beside(s->b, index_b, 1)};
  if (outline_is_inner(b) && !s->one_sided) return;
  bool line_a = a->kind == OUTLINE_LINE, line_b = b->kind == OUTLINE_LINE;
  if (line_a && line_b) line_line(s, a, beside_a, b, beside_b);
  else if (line_b) curve_line(s, a, beside_a, b, beside_b, true);
  else if (line_a) curve_line(s, b, beside_b, a, beside_a, false);
  else if (a->kind == OUTLINE_ROUND && b->kind == OUTLINE_ROUND) round_round(s, a, b);
  else curve_curve(s, a, b);
}

static void try_all(search *s) {
  s->count = s->patches = 0;
  outline_feature row[3];  // a feature of A and its neighbours, in turns
  for (int i = -1; i < 1; i++) row[i + 1] = placed(outline_beside(s->a, i, 0), s->a_in_b);
  for (int i = 0; i < s->a->count; i++) {
    const outline_feature *here = &row[(i + 1) % 3], *neighbours[2] = {&row[i % 3], &row[(i + 2) % 3]};
    row[(i + 2) % 3] = placed(outline_beside(s->a, i, 1), s->a_in_b);
    if (outline_is_inner(here)) continue;
    for (int j = 0; j < s->b->count; j++) try_pair(s, here, neighbours, j);
  }
}

// Not by an initialiser, which would clear the room for what is found.
static void begin(search *s, const outline *a, const outline *b, pose2 a_in_b) {
  s->a = a, s->b = b, s->a_in_b = a_in_b;
  s->convex = a->convex && b->convex, s->one_sided = false;
}

// Whether a point is in the material and further from its border than this.
static bool holds_deep(const outline *o, vec2 p, double depth) {
  outline_feature point = {.kind = OUTLINE_ROUND, .sense = 1, .all_round = true};
  outline a = {.features = &point, .count = 1, .convex = true};
  search s;
  begin(&s, &a, o, (pose2){p, 1, 0});
  s.size = o->size + vec2_norm(p), s.deepest = INFINITY, s.one_sided = true;
  try_all(&s);
  double least = DBL_MAX, gap = 0;
  for (int i = 0; i < s.count; i++)
    if (fabs(s.items[i].t.gap) < least) least = fabs(s.items[i].t.gap), gap = s.items[i].t.gap;
  return gap < -depth;
}

bool outline_holds(const outline *o, vec2 p) { return holds_deep(o, p, 0); }

// --- which of them count ---------------------------------------------------------------------------------------------

// The gap of a patch: that of its true minimum, where they overlap the shallower of two; NaN if it has none.
static double gap_of_patch(const search *s, int patch) {
  double gap = NAN;
  for (int i = 0; i < s->count; i++)
    if (s->items[i].patch == patch && s->items[i].strict) gap = fmax(gap, s->items[i].t.gap);
  return gap;
}

// Two convex outlines: the patch with the largest gap, and those that share its minimum.
static void keep_largest(search *s, bool *keep) {
  double most = -DBL_MAX;
  vec2 n = {0};
  for (int i = 0; i < s->count; i++) {
    double gap = gap_of_patch(s, s->items[i].patch);
    if (gap > most) most = gap, n = s->items[i].t.normal;
  }
  for (int i = 0; i < s->count; i++)
    keep[i] = gap_of_patch(s, s->items[i].patch) >= most - 1e-12 * s->size &&
              vec2_dot(n, s->items[i].t.normal) > 1 - TOUCH_FLAT * TOUCH_FLAT;
}

// A patch as one touch: with its true gap, and in its middle, off the corners that end it.
static touch middle_of(const search *s, int patch) {
  touch t = {.gap = gap_of_patch(s, patch)};
  int count = 0;
  for (int i = 0; i < s->count; i++) {
    const found *f = &s->items[i];
    if (f->patch != patch) continue;
    if (f->t.gap == t.gap) t.normal = f->t.normal;
    t.on_a = vec2_add(t.on_a, f->t.on_a), t.on_b = vec2_add(t.on_b, f->t.on_b);
    count++;
  }
  t.on_a = vec2_scale(1.0 / count, t.on_a), t.on_b = vec2_scale(1.0 / count, t.on_b);
  return t;
}

// Up to this depth, over the size of both, a touch counts in any case, and what is no deeper in the material than this
// tells of no other.
static const double SHALLOW = 1e-10;

// The point of one is in the material of the other.
static bool is_inside(const search *s, const touch *t) {
  double depth = SHALLOW * s->size;
  return holds_deep(s->b, t->on_a, depth) || holds_deep(s->a, in_a(s, t->on_b), depth);
}

// Whether a patch is, by its middle. Where its lines are not parallel, its middle may be apart while one end is inside:
// the touch then moves there.
static bool is_patch_inside(const search *s, int patch, touch *middle) {
  if (is_inside(s, middle)) return true;
  for (int i = 0; i < s->count; i++) {
    const found *f = &s->items[i];
    if (f->patch != patch || !f->strict || !f->t.flat || f->t.gap != middle->gap || !is_inside(s, &f->t)) continue;
    middle->on_a = f->t.on_a, middle->on_b = f->t.on_b;
    return true;
  }
  return false;
}

// Whether the translation that resolves one touch takes the point of A in another out of B, or the point of B out of A.
static bool frees(const search *s, const touch *one, const touch *other) {
  vec2 way = vec2_scale(-one->gap * (1 + 1e-6), one->normal);
  if (vec2_dot(one->normal, other->normal) > 1 - 1e-9) return false;
  return !outline_holds(s->b, vec2_add(other->on_a, way)) || !outline_holds(s->a, in_a(s, vec2_sub(other->on_b, way)));
}

// Others: all patches that are apart; of those that overlap, from the shallowest on, the ones that no accepted one
// frees.
static void keep_local(search *s, bool *keep) {
  double shallow = SHALLOW * s->size;
  touch deep[TOUCHES_MAX];
  int patches[TOUCHES_MAX], count = 0;  // those that overlap, in the order of their depth
  for (int i = 0; i < s->count; i++) {
    bool known = false;
    for (int k = 0; k < i && !known; k++) known = s->items[k].patch == s->items[i].patch;
    touch t = middle_of(s, s->items[i].patch);
    keep[i] = t.gap >= -shallow;
    if (known || !(t.gap < -shallow) || !is_patch_inside(s, s->items[i].patch, &t)) continue;
    int place = count++;
    for (; place > 0 && deep[place - 1].gap < t.gap; place--)
      deep[place] = deep[place - 1], patches[place] = patches[place - 1];
    deep[place] = t, patches[place] = s->items[i].patch;
  }
  bool freed[TOUCHES_MAX];
  for (int k = 0; k < count; k++) {
    freed[k] = false;
    for (int j = 0; j < k && !freed[k]; j++) freed[k] = !freed[j] && frees(s, &deep[j], &deep[k]);
    for (int i = 0; i < s->count; i++)
      if (s->items[i].patch == patches[k]) keep[i] = !freed[k];
  }
}

// Outlines that cross each other with no corner inside: the shallowest way out.
static void keep_shallowest(search *s, bool *keep) {
  int best = -1;
  for (int i = 0; i < s->count; i++) {
    if (keep[i]) return;
    if (s->items[i].strict && (best < 0 || s->items[i].t.gap > s->items[best].t.gap)) best = i;
  }
  for (int i = 0; i < s->count; i++) keep[i] = best >= 0 && s->items[i].patch == s->items[best].patch;
}

static double size_of(const outline *a, const outline *b, pose2 between) {
  double size = a->size + b->size;
  return size > 0 ? size : fmax(vec2_norm(between.p), DBL_MIN);
}

typedef struct box2 {
  vec2 low, high;
} box2;

// The box around A in the axes of B.
static box2 box_in(const outline *o, pose2 at) {
  vec2 half = vec2_scale(0.5, vec2_sub(o->high, o->low)), middle = pose2_point(at, vec2_add(o->low, half));
  vec2 reach = {fabs(at.c) * half.x + fabs(at.s) * half.y, fabs(at.s) * half.x + fabs(at.c) * half.y};
  return (box2){vec2_sub(middle, reach), vec2_add(middle, reach)};
}

// How far the boxes around two outlines overlap: the least translation along an axis of B that parts them; negative:
// they are apart. A half-plane must be B.
static double overlap_of(const outline *a, const outline *b, pose2 a_in_b) {
  box2 x = box_in(a, a_in_b), y = {b->low, b->high};
  return fmin(fmin(y.high.x - x.low.x, x.high.x - y.low.x), fmin(y.high.y - x.low.y, x.high.y - y.low.y));
}

static bool is_limited(const outline *o) { return isfinite(o->low.x); }

// For two outlines of which one may be a half-plane.
static double overlap(const outline *a, const outline *b, pose2 at_a, pose2 at_b) {
  if (is_limited(a)) return overlap_of(a, b, pose2_between(at_a, at_b));
  return is_limited(b) ? overlap_of(b, a, pose2_between(at_b, at_a)) : INFINITY;
}

int touches_of(const outline *a, pose2 at_a, const outline *b, pose2 at_b, double horizon, touch to[TOUCHES_MAX]) {
  search s;
  begin(&s, a, b, pose2_between(at_a, at_b));
  double depth = overlap(a, b, at_a, at_b);
  if (depth < -horizon) return 0;
  s.size = size_of(a, b, s.a_in_b);
  s.deepest = fmax(depth, 0) + 1e-9 * s.size;
  try_all(&s);
  bool keep[TOUCHES_MAX];
  if (s.convex) keep_largest(&s, keep);
  else keep_local(&s, keep), keep_shallowest(&s, keep);
  int count = 0;
  for (int i = 0; i < s.count; i++) {
    touch t = s.items[i].t;
    bool twice = false;
    for (int k = 0; k < i && !twice; k++) twice = keep[k] && is_same(&s, &s.items[k].t, &t);
    if (!keep[i] || twice) {
      keep[i] = false;
      continue;
    }
    if (t.gap > horizon) continue;
    t.normal = pose2_turn(at_b, t.normal);
    t.on_a = pose2_point(at_b, t.on_a), t.on_b = pose2_point(at_b, t.on_b);
    to[count++] = t;
  }
  return count;
}

// --- rates -----------------------------------------------------------------------------------------------------------

static vec2 velocity_at(outline_motion m, vec2 p) { return vec2_axpy(m.v, m.w, vec2_left(vec2_sub(p, m.at))); }

// The normal turns with a line. Otherwise it goes along the centres of curvature, F apart and fixed to the bodies: a
// point and its rate are those of the circles that touch the curves. A point a = c_a - ρa n then moves as da/dt =
// v(c_a) - ρa dn/dt.
bool touch_rate_of(const touch *t, outline_motion a, outline_motion b, touch_rate *to) {
  vec2 n = t->normal, along = vec2_left(n);
  bool line_a = isinf(t->radius[0]), line_b = isinf(t->radius[1]);
  vec2 centre_a = line_a ? t->on_a : vec2_axpy(t->on_a, t->radius[0], n);
  vec2 centre_b = line_b ? t->on_b : vec2_axpy(t->on_b, -t->radius[1], n);
  to->gap = vec2_dot(n, vec2_sub(velocity_at(a, t->on_a), velocity_at(b, t->on_b)));
  if (line_a || line_b) to->turn = line_b ? b.w : a.w;
  else {
    double F = t->gap + t->radius[0] + t->radius[1];
    to->turn = vec2_dot(along, vec2_sub(velocity_at(a, centre_a), velocity_at(b, centre_b))) / F;
    if (!isfinite(to->turn)) return false;
  }
  vec2 apart = vec2_axpy(vec2_scale(to->gap, n), t->gap * to->turn, along);  // the rate of gap n
  if (line_a) {
    to->on_b = vec2_axpy(velocity_at(b, centre_b), t->radius[1] * to->turn, along);
    to->on_a = vec2_add(to->on_b, apart);
    return true;
  }
  to->on_a = vec2_axpy(velocity_at(a, centre_a), -t->radius[0] * to->turn, along);
  to->on_b = vec2_sub(to->on_a, apart);
  return true;
}
