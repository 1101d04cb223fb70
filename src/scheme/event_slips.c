// What is stiff in sliding in space: the direction of friction follows that of the slip, the faster the slower the slip
// is. For a slip γ_T whose friction is along -d, with n across d, a change of γ_T turns d by σ = g·δγ_T, and
//   δλ_T = -c n σ,   c = μ λ_N,   g = n / |γ_T|  (slower than `still` see below),
// and the held rows react. With X the speeds under a unit force along n, reactions included, and S = g·G_T X,
//   (1 - γ ∂u̇/∂u)⁻¹ b = b - γ X c σ,   (1 + γ S c) σ = g·G_T b.
// Newton's iteration needs no more than this: whatever else the accelerations depend on changes slowly in a step. It
// takes a few numbers for each slip, where a matrix by differences takes an evaluation for each coordinate.
#include <math.h>
#include <string.h>

#include "math/lu.h"
#include "mechanics/response.h"
#include "scheme/event_internal.h"

void event_slips_create(event *s, int most) {
  arena *a = &s->w.memory;
  most++;
  s->slips = (event_slips){.t = NAN,
                           .part = ARENA_ARRAY(a, int, most),
                           .friction = ARENA_ARRAY(a, double, most),
                           .gradient = ARENA_ARRAY(a, double, 2 * most),
                           .off = ARENA_ARRAY(a, double, most),
                           .b = ARENA_ARRAY(a, double, most),
                           .pivot = ARENA_ARRAY(a, int, most),
                           .A = ARENA_ARRAY(a, double, ((long)most * most)),
                           .coupling = ARENA_ARRAY(a, double, 4 * (long)most * most),
                           .speeds = ARENA_ARRAY(a, double, 2 * (long)most * s->w.m->nv)};
}

static bool turns(const event_point *c) {
  return c->mode == MODE_SLIP && c->rows == 3 && !c->guided && c->force[0] > 0 && c->turning > 0 && !c->fade.creeps;
}

// Across a slip that is not slower than `still`. Slower ones are as stiff as one of that speed.
static double stiffness_of(const event_point *c) { return c->friction * c->force[0] / c->turning; }

// With a and x the speeds along the way and across it, the direction of event_find_way is that of w = (A, x),
//   A = |a| + max(0, still - |γ_T|).
// Where w turns by its part across `along`, the direction turns by σ: into `gradient` ∂σ/∂γ_T, n·∂w/∂γ_T over the part
// of w along it, and into `off` how far w itself is from `along`. At the direction of w and not slower than `still`
// these are n / |γ_T| and zero.
static void find_gradient(const event *s, const event_point *c, double gradient[2], double *off) {
  static const double LEAST = 0.1;  // of w: an iteration may have turned the direction too far
  const double *v = s->rate + c->row + 1, *way = c->way, size = hypot(v[0], v[1]);
  const double a = v[0] * way[0] + v[1] * way[1], x = v[1] * way[0] - v[0] * way[1];
  const bool slow = size < s->still && size > 0;
  const double A = fabs(a) + fmax(0, s->still - size);
  const double d[2] = {c->along[0] * way[0] + c->along[1] * way[1], c->along[1] * way[0] - c->along[0] * way[1]};
  const double length = fmax(A * d[0] + x * d[1], LEAST * hypot(A, x));
  const double by_a = -d[1] * ((a < 0 ? -1 : 1) - (slow ? a / size : 0)) / length,
               by_x = (d[0] + (slow ? d[1] * x / size : 0)) / length;
  gradient[0] = by_a * way[0] - by_x * way[1], gradient[1] = by_a * way[1] + by_x * way[0];
  *off = (d[0] * x - d[1] * A) / length;
}

static bool is_listed(const event_slips *l, int part) {
  for (int i = 0; i < l->count; i++)
    if (l->part[i] == part) return true;
  return false;
}

// Whether a slip across dies away within the step. The mass behind it is about that behind the normal.
static bool is_stiff(const event *s, int part, double gamma) {
  static const double LITTLE = 0.01;
  const event_point *c = event_part(s, part);
  double W;
  if (!turns(c)) return false;
  response_own(s->w.m, s->w.x, c->row, 1, &W);
  return gamma * stiffness_of(c) * W > LITTLE;
}

// The list serves for a step, if no other slip has become stiff in it. Returns whether it is a new one.
static bool list_stiff(event *s, double gamma) {
  event_slips *l = &s->slips;
  bool known = l->t == s->w.from;
  for (int k = 0; known && k < l->count; k++) known = l->part[k] < s->part_count && turns(event_part(s, l->part[k]));
  for (int k = 0; known && k < s->part_count; k++) known = !is_stiff(s, k, gamma) || is_listed(l, k);
  if (known) return false;
  l->count = 0;
  l->t = s->w.from;
  for
    EACH_PART(k, s)
  if (is_stiff(s, k, gamma)) l->part[l->count++] = k;
  return true;
}

void event_steer(void *context, bool on) {
  event *s = context;
  s->steers = on;
  for
    EACH_POINT(p, &s->w) s->point[p].steered = false;
}

// What is stiff is steered from now on.
static void steer_listed(event *s) {
  for
    EACH_PART(k, s) event_part(s, k)->steered = false;
  for (int i = 0; i < s->slips.count; i++) event_part(s, s->slips.part[i])->steered = true;
}

static void find_responses(event *s) {
  event_slips *l = &s->slips;
  const mechanism *m = s->w.m;
  int n = 2 * l->count;
  for (int j = 0; j < n; j++) {
    double *speeds = l->speeds + (long)j * m->nv;
    event_respond_held(s, event_part(s, l->part[j / 2])->row + 1 + j % 2, speeds);
    response_rates(m, s->w.x, speeds, s->response);
    for (int i = 0; i < n; i++)
      l->coupling[(long)i * n + j] = s->response[event_part(s, l->part[i / 2])->row + 1 + i % 2];
  }
}

static double across(const event_point *c, const double *v) { return c->along[0] * v[1] - c->along[1] * v[0]; }

// S of two slips: how far a force across the second turns the first.
static double coupling_of(const event *s, int i, int j) {
  const event_slips *l = &s->slips;
  const event_point *b = event_part(s, l->part[j]);
  const double *first = l->coupling + (long)(2 * i) * (2 * l->count) + 2 * j, *second = first + 2 * l->count;
  return l->gradient[2 * i] * across(b, first) + l->gradient[2 * i + 1] * across(b, second);
}

// Newton's equations of the angles: of the directions as they follow from the rates or, where these are steered, of
// those that are unknowns.
static bool find_angles(event *s, double gamma, const double *u) {
  event_slips *l = &s->slips;
  response_rates(s->w.m, s->w.x, u, s->response);
  for (int i = 0; i < l->count; i++) {
    const event_point *c = event_part(s, l->part[i]);
    double *g = l->gradient + 2 * i;
    find_gradient(s, c, g, &l->off[i]);
    l->friction[i] = c->friction * c->force[0];
    l->b[i] = g[0] * s->response[c->row + 1] + g[1] * s->response[c->row + 2] + (s->steers ? l->off[i] : 0);
  }
  for (int i = 0; i < l->count; i++)
    for (int j = 0; j < l->count; j++)
      l->A[(long)i * l->count + j] = (i == j) + gamma * coupling_of(s, i, j) * l->friction[j];
  if (lu_factor(l->count, l->A, l->count, l->pivot, s->w.stop) == 0) return false;
  lu_solve(l->count, l->A, l->count, l->pivot, l->b);
  return true;
}

// How friction along -d changes with the angle σ of d, over its size. A direction that is steered turns by atan σ: the
// equations are those of σ = tan, as far as what a slip's friction does to its own rates is the same in all directions.
static void turn_direction(const event *s, event_point *c, double sigma, double change[2]) {
  const double *d = c->along;
  change[0] = d[1] * sigma, change[1] = -d[0] * sigma;
  if (!s->steers) return;
  const double cosine = 1 / hypot(1, sigma), sine = sigma * cosine;
  const double to[2] = {cosine * d[0] - sine * d[1], cosine * d[1] + sine * d[0]};
  for (int k = 0; k < 2; k++) change[k] = c->along[k] - to[k];
  for (int k = 0; k < 2; k++) c->along[k] = to[k];
}

bool event_relax(void *context, double gamma, double *u) {
  event *s = context;
  event_slips *l = &s->slips;
  const int nv = s->w.m->nv;
  if (!s->part_count) return true;
  if (list_stiff(s, gamma)) find_responses(s);
  if (s->steers) steer_listed(s);
  if (!l->count) return true;
  if (!find_angles(s, gamma, u)) return false;
  for (int j = 0; j < l->count; j++) {
    const double *X = l->speeds + (long)(2 * j) * nv, *Y = X + nv;
    double change[2];
    turn_direction(s, event_part(s, l->part[j]), l->b[j], change);
    for (int k = 0; k < 2; k++) change[k] *= gamma * l->friction[j];
    for (int i = 0; i < nv; i++) u[i] += change[0] * X[i] + change[1] * Y[i];
  }
  return true;
}
