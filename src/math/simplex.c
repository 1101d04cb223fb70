#include "math/simplex.h"

#include <math.h>
#include <string.h>

typedef struct simplex {
  const simplex_problem *p;
  double *points, *values;          // n + 1 corners
  double *centre, *trial, *second;  // of the corners but the worst
  int best, worst, next;            // next: the worst but one
  int used;
} simplex;

static double *corner(const simplex *s, int i) { return s->points + (size_t)i * (size_t)s->p->n; }

// A corner beside x for each variable, inwards where x is at its upper end.
static bool spread_out(simplex *s, const double *x, double value) {
  const int n = s->p->n;
  for (int i = 0; i <= n; i++) memcpy(corner(s, i), x, (size_t)n * sizeof *x);
  for (int i = 0; i < n; i++) {
    double *c = corner(s, i + 1);
    c[i] = x[i] + s->p->size <= 1 ? x[i] + s->p->size : fmax(x[i] - s->p->size, 0);
  }
  s->values[0] = value;
  s->used += n;
  return s->p->evaluate(s->p->context, n, corner(s, 1), s->values + 1);
}

static void rank(simplex *s) {
  const int n = s->p->n;
  s->best = s->worst = 0;
  for (int i = 1; i <= n; i++) {
    if (s->values[i] < s->values[s->best]) s->best = i;
    if (s->values[i] >= s->values[s->worst]) s->worst = i;
  }
  s->next = s->best;
  for (int i = 0; i <= n; i++)
    if (i != s->worst && s->values[i] >= s->values[s->next]) s->next = i;
  for (int k = 0; k < n; k++) {
    s->centre[k] = 0;
    for (int i = 0; i <= n; i++) s->centre[k] += i == s->worst ? 0 : corner(s, i)[k] / n;
  }
}

// The point on the line from the worst corner through the centre: 1 reflects, 2 expands, -1/2 contracts.
static bool try_at(simplex *s, double factor, double *to, double *value) {
  const double *w = corner(s, s->worst);
  for (int k = 0; k < s->p->n; k++) to[k] = fmin(fmax(s->centre[k] + factor * (s->centre[k] - w[k]), 0), 1);
  s->used++;
  return s->p->evaluate(s->p->context, 1, to, value);
}

static void replace_worst(simplex *s, const double *x, double value) {
  memcpy(corner(s, s->worst), x, (size_t)s->p->n * sizeof *x);
  s->values[s->worst] = value;
}

static bool shrink(simplex *s) {
  const int n = s->p->n;
  const double *b = corner(s, s->best);
  for (int i = 0; i <= n; i++)
    for (int k = 0; i != s->best && k < n; k++) corner(s, i)[k] = 0.5 * (corner(s, i)[k] + b[k]);
  for (int i = 0; i <= n; i++)
    if (i != s->best && (s->used++, !s->p->evaluate(s->p->context, 1, corner(s, i), &s->values[i]))) return false;
  return true;
}

static bool move(simplex *s) {
  double first, other;
  if (!try_at(s, 1, s->trial, &first)) return false;
  if (first < s->values[s->best]) {
    if (!try_at(s, 2, s->second, &other)) return false;
    if (other < first) replace_worst(s, s->second, other);
    else replace_worst(s, s->trial, first);
    return true;
  }
  if (first < s->values[s->next]) return replace_worst(s, s->trial, first), true;
  const bool outside = first < s->values[s->worst];
  if (!try_at(s, outside ? 0.5 : -0.5, s->second, &other)) return false;
  if (other < fmin(first, s->values[s->worst])) return replace_worst(s, s->second, other), true;
  return shrink(s);
}

static double size_of(const simplex *s) {
  double most = 0;
  for (int i = 0; i <= s->p->n; i++)
    for (int k = 0; k < s->p->n; k++) most = fmax(most, fabs(corner(s, i)[k] - corner(s, s->best)[k]));
  return most;
}

bool simplex_search(arena *memory, const simplex_problem *p, double *x, double *value, bool *found) {
  const arena_mark mark = arena_get_mark(memory);
  const size_t n = (size_t)p->n;
  simplex s = {.p = p,
               .points = ARENA_ARRAY(memory, double, (n + 1) * n),
               .values = ARENA_ARRAY(memory, double, n + 1),
               .centre = ARENA_ARRAY(memory, double, n),
               .trial = ARENA_ARRAY(memory, double, n),
               .second = ARENA_ARRAY(memory, double, n)};
  bool going = spread_out(&s, x, *value);
  if (going) rank(&s);
  while (going && s.used < p->most && size_of(&s) > p->tolerance) {
    going = move(&s);
    if (going) rank(&s);
  }
  *found = going && size_of(&s) <= p->tolerance;
  if (going) memcpy(x, corner(&s, s.best), n * sizeof *x), *value = s.values[s.best];
  arena_release(memory, mark);
  return going;
}
