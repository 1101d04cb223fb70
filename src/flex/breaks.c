#include "flex/breaks.h"

#include <math.h>
#include <stdbool.h>

#include "flex/gauss.h"

typedef struct search {
  beam_jet f;
  double length, largest[3];
  beam_break *found;
  int count, most;
} search;

// How far the changes of value and slope over [a, b] are from the integrals of their derivatives, the larger of both.
static double mismatch(const search *s, double a, double b) {
  double first[3], last[3], jet[3], sum[2] = {0};
  s->f.at(s->f.context, a, first), s->f.at(s->f.context, b, last);
  for (int g = 0; g < GAUSS; g++) {
    s->f.at(s->f.context, a + (b - a) * gauss_at[g], jet);
    for (int k = 0; k < 2; k++) sum[k] += (b - a) * gauss_weight[g] * jet[k + 1];
  }
  double most = 0;
  for (int k = 0; k < 2; k++)
    if (s->largest[k] > 0) most = fmax(most, fabs(last[k] - first[k] - sum[k]) / s->largest[k]);
  return most;
}

static bool is_known(const search *s, double x) {
  for (int i = 0; i < s->count; i++)
    if (fabs(s->found[i].x - x) <= 1e-9 * s->length) return true;
  return false;
}

static void look(search *s, double a, double b, int depth) {
  const double from = a, to = b;
  if (!depth || s->count == s->most || b - a < 1e-8 * s->length || !(mismatch(s, a, b) > 1e-10)) return;
  while (b - a > 1e-12 * s->length) {
    const double middle = (a + b) / 2;
    if (mismatch(s, a, middle) > mismatch(s, middle, b)) b = middle;
    else a = middle;
  }
  beam_break found = {.x = (a + b) / 2};
  double before[3], after[3];
  bool jumps = false;
  s->f.at(s->f.context, a, before), s->f.at(s->f.context, b, after);
  for (int k = 0; k < 3; k++) {
    if (s->largest[k] > 0) found.jump[k] = fabs(after[k] - before[k]) / s->largest[k];
    jumps |= found.jump[k] > 1e-6;
  }
  if (!jumps) return;
  if (!is_known(s, found.x)) s->found[s->count++] = found;
  look(s, from, a - 1e-9 * s->length, depth - 1);
  look(s, b + 1e-9 * s->length, to, depth - 1);
}

int breaks_find(beam_jet f, double length, int parts, beam_break *to, int most) {
  search s = {.f = f, .length = length, .found = to, .most = most};
  for (int i = 0; i <= 4 * parts; i++) {
    double jet[3];
    f.at(f.context, length * i / (4 * parts), jet);
    for (int k = 0; k < 3; k++) s.largest[k] = fmax(s.largest[k], fabs(jet[k]));
  }
  for (int i = 0; i < parts; i++) look(&s, length * i / parts, length * (i + 1) / parts, 3);
  for (int i = 1; i < s.count; i++)  // few: ordered by insertion
    for (int k = i; k > 0 && to[k].x < to[k - 1].x; k--) {
      const beam_break moved = to[k];
      to[k] = to[k - 1], to[k - 1] = moved;
    }
  return s.count;
}
