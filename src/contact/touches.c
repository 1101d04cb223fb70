#include "contact/touches.h"

#include <math.h>

#include "contact/frame.h"
#include "contact/pairs.h"

static bool is_before(const contact_feature *a, const contact_feature *b) {
  for (int i = 0; i < 3; i++)
    if (a->part[i] != b->part[i]) return a->part[i] < b->part[i];
  return false;
}

// The point of each place, -1: none yet; and the place of each point.
typedef struct assignment {
  const contact_touch *touches;
  int count, point_count;
  int point_of[CONTACT_POINTS_MAX];
  bool taken[CONTACT_POINTS_MAX];
} assignment;

static void assign(assignment *a, int touch, int point) { a->point_of[touch] = point, a->taken[point] = true; }

static void keep_same(assignment *a, const contact_feature *held) {
  for (int i = 0; i < a->count; i++)
    for (int k = 0; k < a->point_count && a->point_of[i] < 0; k++)
      if (!a->taken[k] && contact_same_feature(&held[k], &a->touches[i].feature)) assign(a, i, k);
}

// The first place that has no point yet, in the order of features; those that continue a vanished one, unless it is
// null. -1: none.
static int next_place(const assignment *a, const contact_type *type, const contact_feature *vanished) {
  int next = -1;
  for (int i = 0; i < a->count; i++) {
    const contact_feature *f = &a->touches[i].feature;
    if (a->point_of[i] >= 0 || (vanished && !type->continues(vanished, f))) continue;
    if (next < 0 || is_before(f, &a->touches[next].feature)) next = i;
  }
  return next;
}

static void keep_moved(assignment *a, const contact_type *type, const contact_feature *held) {
  for (int k = 0; k < a->point_count; k++) {
    if (a->taken[k] || !contact_is_feature(&held[k])) continue;
    int i = next_place(a, type, &held[k]);
    if (i >= 0) assign(a, i, k);
  }
}

static void take_free(assignment *a, const contact_type *type) {
  int k = 0;
  for (int i = next_place(a, type, NULL); i >= 0; i = next_place(a, type, NULL)) {
    while (a->taken[k]) k++;
    assign(a, i, k);
  }
}

static void set_absent(const mechanism *m, contact_point *p) {
  contact_set_frame(m, p, m->planar ? (vec3){0, 1, 0} : (vec3){0, 0, 1});
  p->gap = INFINITY, p->absent = true;
}

// Points that are known to be absent stay as they are.
bool contact_place_far(const mechanism *m, const motion *x, const contact_element *e, double reach, double beyond,
                       contact_feature *now, contact_point *points) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  double gap = vec3_norm(vec3_sub(first.p, second.p)) - reach;
  if (!(gap > beyond)) return false;
  for (int k = 0; k < e->point_count; k++) {
    contact_point *p = &points[k];
    if (!(p->absent && (k == 0 || p->gap == INFINITY))) {
      p->node_first = first.node, p->node_second = second.node;
      set_absent(m, p);
    }
    if (now) now[k] = CONTACT_NO_FEATURE;
  }
  points->gap = gap, points->at = first.p, points->apart = contact_apart(&first, &second);
  return true;
}

// --- by the relative pose alone --------------------------------------------------------------------------------------

// To multiples of 2⁻⁴⁸ times a power of two that is not smaller than |x|: adding 24 times that power leaves no finer
// digits.
static double rounded(double x, double power) { return (x + 24 * power) - 24 * power; }

static vec3 rounded_place(vec3 p) {
  double most = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
  if (!(most > 0 && most < INFINITY)) return p;
  int exponent;
  (void)frexp(most, &exponent);
  double power = ldexp(1, exponent);
  return (vec3){rounded(p.x, power), rounded(p.y, power), rounded(p.z, power)};
}

// The last digits are left out, 2e-15 of the distance: bodies at rest, whose positions change by rounding and by what
// solutions leave of their velocities, then keep the same pose to the bit.
static pose relative_pose(const marker_place *first, const marker_place *second) {
  pose at = {mat3_product(mat3_transpose(second->R), first->R), rounded_place(contact_apart(first, second))};
  for (int i = 0; i < 9; i++) at.R.m[i] = rounded(at.R.m[i], 1);
  return at;
}

static bool same_pose(const pose *a, const pose *b) {
  bool same = a->p.x == b->p.x && a->p.y == b->p.y && a->p.z == b->p.z;
  for (int i = 0; i < 9; i++) same &= a->R.m[i] == b->R.m[i];
  return same;
}

static int find_at(const contact_element *e, const marker_place *first, const marker_place *second, contact_memo *memo,
                   contact_touch *to) {
  pose at = relative_pose(first, second);
  if (!memo || memo->count < 0 || !same_pose(&at, &memo->at)) {
    int count = e->type->touches_at(e, at, to);
    if (memo) {
      memo->at = at, memo->count = count;
      memcpy(memo->touches, to, (size_t)count * sizeof *to);
    }
    return count;
  }
  memcpy(to, memo->touches, (size_t)memo->count * sizeof *to);
  return memo->count;
}

static int find_touches(const contact_element *e, const marker_place *first, const marker_place *second,
                        contact_memo *memo, contact_touch *to) {
  int count = find_at(e, first, second, memo, to);
  for (int i = 0; i < count; i++) {
    to[i].at = vec3_add(second->p, mat3_mul(second->R, to[i].at));
    to[i].n = mat3_mul(second->R, to[i].n);
  }
  return count;
}

int contact_touches_by_pose(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  return find_touches(e, &first, &second, NULL, to);
}

void contact_place_touches(const mechanism *m, const motion *x, const contact_element *e, const contact_feature *held,
                           contact_memo *memo, contact_feature *now, contact_point *points) {
  contact_touch touches[CONTACT_POINTS_MAX];
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  assignment a = {.touches = touches, .point_count = e->point_count};
  a.count = e->type->touches_at ? find_touches(e, &first, &second, memo, touches) : e->type->touches(m, x, e, touches);
  for (int i = 0; i < a.count; i++) a.point_of[i] = -1;
  if (held) keep_same(&a, held);
  if (held && e->type->continues) keep_moved(&a, e->type, held);
  take_free(&a, e->type);
  vec3 apart = contact_apart(&first, &second);
  for (int k = 0; k < e->point_count; k++) {
    contact_point *p = &points[k];
    p->node_first = first.node, p->node_second = second.node;
    p->at = first.p, p->apart = apart;
    if (e->boundary_first) p->spot[0] = p->spot[1] = (flexible_spot){0};
    if (!a.taken[k]) set_absent(m, p);
    if (now) now[k] = CONTACT_NO_FEATURE;
  }
  for (int i = 0; i < a.count; i++) {
    int k = a.point_of[i];
    points[k].gap = touches[i].gap, points[k].at = touches[i].at;
    contact_set_frame(m, &points[k], touches[i].n);
    if (e->boundary_first) memcpy(points[k].spot, touches[i].spot, sizeof points[k].spot);
    if (now) now[k] = touches[i].feature;
  }
}

// Zero for the place itself, so that units do not matter. A corner may touch twice in one place, with two normals.
int contact_touch_of(const contact_touch *t, int count, const contact_point *p) {
  int best = -1;
  double least = INFINITY;
  for (int i = 0; i < count; i++) {
    double off = vec3_norm(vec3_sub(t[i].at, p->at)) + vec3_norm(vec3_sub(t[i].n, p->n));
    if (off < least) best = i, least = off;
  }
  return best;
}
