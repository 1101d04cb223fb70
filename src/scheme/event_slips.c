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

// How the direction of friction turns with the speeds along both tangents, ∂θ/∂γ_T: with a and x the speeds along the
// way and across it, event_find_way has tan θ = x / A,  A = |a| + max(0, still - |γ_T|). Not slower than `still` this
// is n / |γ_T|.
static void find_gradient(const event *s, const event_point *c, double to[2]) {
  const double *v = s->rate + c->row + 1, *way = c->way, size = hypot(v[0], v[1]);
  const double a = v[0] * way[0] + v[1] * way[1], x = v[1] * way[0] - v[0] * way[1];
  const bool slow = size < s->still && size > 0;
  const double A = fabs(a) + fmax(0, s->still - size), r2 = A * A + x * x;
  const double by_a = -x * ((a < 0 ? -1 : 1) - (slow ? a / size : 0)) / r2, by_x = (A + (slow ? x * x / size : 0)) / r2;
  to[0] = by_a * way[0] - by_x * way[1], to[1] = by_a * way[1] + by_x * way[0];
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

bool event_relax(void *context, double gamma, double *u) {
  event *s = context;
  event_slips *l = &s->slips;
  if (!s->part_count) return true;
  if (list_stiff(s, gamma)) find_responses(s);
  if (!l->count) return true;
  response_rates(s->w.m, s->w.x, u, s->response);
  for (int i = 0; i < l->count; i++) {
    const event_point *c = event_part(s, l->part[i]);
    double *g = l->gradient + 2 * i;
    find_gradient(s, c, g);
    l->friction[i] = c->friction * c->force[0];
    l->b[i] = g[0] * s->response[c->row + 1] + g[1] * s->response[c->row + 2];
  }
  for (int i = 0; i < l->count; i++)
    for (int j = 0; j < l->count; j++)
      l->A[(long)i * l->count + j] = (i == j) + gamma * coupling_of(s, i, j) * l->friction[j];
  if (lu_factor(l->count, l->A, l->count, l->pivot, s->w.stop) == 0) return false;
  lu_solve(l->count, l->A, l->count, l->pivot, l->b);
  for (int j = 0; j < l->count; j++) {
    const event_point *c = event_part(s, l->part[j]);
    const double *X = l->speeds + (long)(2 * j) * s->w.m->nv, *Y = X + s->w.m->nv,
                 force = gamma * l->friction[j] * l->b[j];
    for (int i = 0; i < s->w.m->nv; i++) u[i] -= force * (c->along[0] * Y[i] - c->along[1] * X[i]);
  }
  return true;
}
