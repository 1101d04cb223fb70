// Rows that the present modes hold, and the reactions of these. A large factor is kept: in states nearby with the same
// rows it serves to find the reactions by iteration.
#include <math.h>
#include <string.h>

#include "math/lu.h"
#include "math/vectors.h"
#include "mechanics/response.h"
#include "mechanics/rows.h"
#include "scheme/event_internal.h"

static void list_held(event *s, event_hold what) {
  response_held *h = &s->held;
  h->n = 0;
  for (int i = 0; i < s->w.m->row_count; i++) h->row[h->n++] = i;
  for
    EACH_ACTING(part, s) {
      const event_point *c = event_part(s, part);
      if (c->mode == MODE_OPEN) continue;
      if (c->first == 0 && what != HOLD_TANGENTS) h->row[h->n++] = c->row;
      bool stands = (what != HOLD_NORMALS && c->mode == MODE_STICK) || (what == HOLD_ONSET && c->stood);
      for (int k = 1; stands && k < c->rows; k++)
        if (!event_is_guided(c, k)) h->row[h->n++] = c->row + k;
      for (int i = 0; what >= HOLD_STICKING && i < c->turn_count; i++) {
        const event_turn *t = &c->turn[i];
        for (int k = t->row; (t->held || (what >= HOLD_ONSET && t->stood)) && k < t->row + t->size; k++)
          if (!event_is_guided(c, k)) h->row[h->n++] = c->row + k;
      }
    }
}

// Whether the force along row k, from 1 on, follows the normal force of a closed point: as friction where the point
// slips, and as what resists turning where it turns. `part`: -λ_k / λ_N then.
static bool follows(const event_point *c, int k, double *part) {
  if (k < c->rows) {
    *part = c->friction * c->along[k - 1];
    return c->mode == MODE_SLIP;
  }
  for (int i = 0; i < c->turn_count; i++) {
    const event_turn *t = &c->turn[i];
    if (k < t->row || k >= t->row + t->size) continue;
    *part = t->length * t->along[k - t->row];
    return event_is_closed(c) && !t->held;
  }
  return false;
}

// The rows whose force follows a normal force, and the columns of those normals among the rows `of`.
static int list_followers(event *s, const int *of) {
  int count = 0, j = 0;
  for
    EACH_PART(part, s) {
      const event_point *c = event_part(s, part);
      double share;
      for (int k = 1; k < c->all_rows; k++) {
        if (!follows(c, k, &share)) continue;
        while (of[j] != c->row) j++;
        s->follower[count++] = (event_follower){c->row + k, j, share};
      }
    }
  return count;
}

void event_write_rows(event *s, int n, const int *of, bool coupled, double *A) {
  const int row_total = s->w.x->row_total, count = coupled ? list_followers(s, of) : 0;
  const event_follower *f = s->follower;
  for (int i = 0; i < n; i++) {
    const double *W = s->W + (long)of[i] * row_total;
    double *row = A + (long)i * n;
    for (int k = 0; k < n; k++) row[k] = W[of[k]];
    for (int k = 0; k < count; k++) row[f[k].column] -= f[k].share * W[f[k].row];
  }
}

bool event_is_redundant(event *s) {
  s->held.factor = s->spare.LU, s->held.pivot = s->spare.pivot;
  list_held(s, HOLD_STICKING);
  event_write_rows(s, s->held.n, s->held.row, true, s->held.A);
  return response_held_is_redundant(&s->held, s->w.x->row_total, s->W, s->w.stop);
}

// --- factors that are kept -------------------------------------------------------------------------------------------

static bool takes_part_as_before(const event *s, const event_factor *f) {
  return f->parts == s->part_count && memcmp(f->part, s->part, (size_t)f->parts * sizeof *f->part) == 0;
}

// The rows of held points say their modes as well.
static bool is_of_these_rows(const event *s, const event_factor *f) {
  return f->n > 0 && f->held == s->held.n && memcmp(f->row, s->held.row, (size_t)f->held * sizeof *f->row) == 0 &&
         takes_part_as_before(s, f);
}

// Where a factor of these rows is kept; null where none is.
static event_factor *factor_of(event *s, event_hold what, bool coupled) {
  if (!s->keeps_factors || what == HOLD_ONSET || what == HOLD_TANGENTS || (coupled && what == HOLD_NORMALS))
    return NULL;
  return &s->factor[what == HOLD_NORMALS ? 0 : coupled ? 2 : 1];
}

static event_factor *begin_factor(event *s, event_hold what, bool coupled) {
  event_factor *f = factor_of(s, what, coupled);
  if (f) f->n = 0;
  bool keeps = f && !s->redundant;
  s->held.factor = keeps ? f->LU : s->spare.LU, s->held.pivot = keeps ? f->pivot : s->spare.pivot;
  return f;
}

// W of the held rows = L Lᵀ, scaled to a unit diagonal. What is left of the diagonal of a row is the square of its
// distance to the rows chosen before. The row that is furthest away comes next: rows in their own order may leave a set
// in which one row is nearly a combination of others. The forces of the rows outside of that set are kept, and every
// small change of the load would then be a large change of forces inside.
static void find_order(const event *s, event_factor *f) {
  static const double INDEPENDENT = 1e-10;
  const response_held *h = &s->held;
  double *left = h->b;
  for (int i = 0; i < h->n; i++) f->order[i] = i, left[i] = 1;
  for (f->n = 0; f->n < h->n; f->n++) {
    int k = f->n, best = k;
    for (int i = k + 1; i < h->n; i++)
      if (left[f->order[i]] > left[f->order[best]]) best = i;
    const int chosen = f->order[best];
    if (!(left[chosen] > INDEPENDENT)) return;
    f->order[best] = f->order[k], f->order[k] = chosen;
    const double *W = s->W + (long)h->row[chosen] * s->w.x->row_total, *own = f->LU + (long)chosen * h->n;
    const double pivot = sqrt(left[chosen]);
    for (int j = k + 1; j < h->n; j++) {
      const int i = f->order[j];
      double *l = f->LU + (long)i * h->n;
      l[k] = (h->scale[i] * h->scale[chosen] * W[h->row[i]] - vectors_long_dot(k, l, own)) / pivot;
      left[i] -= l[k] * l[k];
    }
  }
}

// The factor of the independent rows. Returns false if it is singular, as where friction lets a point jam.
static bool factor_independent(const event *s, event_factor *f) {
  static const double REGULAR = 1e-8;
  const response_held *h = &s->held;
  find_order(s, f);
  for (int i = 0; i < f->n; i++)
    for (int j = 0; j < f->n; j++) f->LU[(long)i * f->n + j] = h->A[(long)f->order[i] * h->n + f->order[j]];
  return lu_factor(f->n, f->LU, f->n, f->pivot, s->w.stop) > REGULAR;
}

static void subtract(int n, double c, const double *q, double *z) {
  for (int i = 0; i < n; i++) z[i] -= c * q[i];
}

// The forces that change no acceleration: A v = 0, with one row that depends on others at 1 and the independent rows
// against it. Orthonormal. They tell how the load is shared.
static void find_shares(const event *s, event_factor *f) {
  const response_held *h = &s->held;
  f->shares = f->held - f->n <= EVENT_SHARES ? f->held - f->n : 0;
  for (int k = 0; k < f->shares; k++) {
    const int dependent = f->order[f->n + k];
    double *v = f->share + (long)k * f->held, *of = h->b;
    for (int i = 0; i < f->n; i++) of[i] = -h->A[(long)f->order[i] * h->n + dependent];
    lu_solve(f->n, f->LU, f->n, f->pivot, of);
    memset(v, 0, (size_t)f->held * sizeof *v);
    v[dependent] = 1;
    for (int i = 0; i < f->n; i++) v[f->order[i]] = of[i];
    for (int j = 0; j < k; j++) {
      const double *q = f->share + (long)j * f->held;
      subtract(f->held, vectors_dot(f->held, q, v), q, v);
    }
    const double size = sqrt(vectors_dot(f->held, v, v));
    for (int i = 0; i < f->held; i++) v[i] /= size;
  }
}

// Not of rows that were replaced by others, and not of few rows, where a factor is soon found.
static void keep_factor(event *s, event_factor *f) {
  enum { MANY = 48 };
  const response_held *h = &s->held;
  if (!f || h->n < MANY || s->repeat.any) return;
  for (int i = 0; i < h->n; i++)
    if (!(h->scale[i] > 0)) return;
  for (int i = 0; i < h->n; i++) f->order[i] = i;
  f->n = h->n;
  if (s->redundant && !factor_independent(s, f)) {
    f->n = 0;
    return;
  }
  f->held = h->n, f->parts = s->part_count;
  memcpy(f->row, h->row, (size_t)h->n * sizeof *h->row);
  memcpy(f->part, s->part, (size_t)s->part_count * sizeof *s->part);
  memcpy(f->scale, h->scale, (size_t)h->n * sizeof *h->scale);
  memcpy(f->z, h->z, (size_t)h->n * sizeof *h->z);
  find_shares(s, f);
}

event_factor event_factor_create(event *s, int rows, int parts) {
  arena *a = &s->w.memory;
  return (event_factor){.row = ARENA_ARRAY(a, int, rows),
                        .order = ARENA_ARRAY(a, int, rows),
                        .part = ARENA_ARRAY(a, int, parts + 1),
                        .pivot = ARENA_ARRAY(a, int, rows),
                        .scale = ARENA_ARRAY(a, double, rows),
                        .z = ARENA_ARRAY(a, double, rows),
                        .before = ARENA_ARRAY(a, double, rows),
                        .share = ARENA_ARRAY(a, double, ((long)rows * EVENT_SHARES)),
                        .LU = ARENA_ARRAY(a, double, ((long)rows * rows))};
}

// Friction of slipping points and moments against turning follow their normal forces.
static void follow_normals(const event *s, double *lambda) {
  for
    EACH_PART(part, s) {
      const event_point *c = event_part(s, part);
      double share;
      for (int k = 1; k < c->all_rows; k++)
        if (follows(c, k, &share)) lambda[c->row + k] = -share * lambda[c->row];
    }
}

bool event_solve_held(event *s, const double *rhs, event_hold what, bool coupled, double *lambda) {
  list_held(s, what);
  event_write_rows(s, s->held.n, s->held.row, coupled, s->held.A);
  event_factor *kept = begin_factor(s, what, coupled);
  if (!response_held_solve(&s->held, s->w.x->row_total, s->W, rhs, lambda, s->w.stop)) return false;
  keep_factor(s, kept);
  if (s->looks && s->relaxes && kept && kept->n > 0 && kept->shares > 0) {
    event_go_to_middle(s, kept);
    for (int i = 0; i < kept->held; i++) lambda[kept->row[i]] = kept->scale[i] * kept->z[i];
  }
  if (coupled) follow_normals(s, lambda);
  return true;
}

bool event_rows_stand(const event *s, double limit) {
  const response_held *h = &s->held;
  for (int i = 0; i < h->n; i++)
    if (fabs(h->r[i]) > limit * h->scale[i]) return false;
  return true;
}

// --- with a factor that was kept -------------------------------------------------------------------------------------

// b - A z, from the rows and M⁻¹ alone; over the scale of the rows. Returns the largest of the independent rows.
static double find_residual(event *s, const event_factor *f, bool coupled, const double *rhs, double *lambda) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  double most = 0, *r = s->held.r;
  memset(lambda, 0, (size_t)x->row_total * sizeof *lambda);
  for (int i = 0; i < f->held; i++) lambda[f->row[i]] = f->scale[i] * f->z[i];
  if (coupled) follow_normals(s, lambda);
  response_rates(m, x, response_to(m, x, lambda, x->row_total), s->response);
  for (int i = 0; i < f->held; i++) r[i] = f->scale[i] * (rhs[f->row[i]] - s->response[f->row[i]]);
  for (int k = 0; k < f->n; k++) most = fmax(most, fabs(r[f->order[k]]));
  return most;
}

event_descent event_descent_create(event *s, int rows) {
  arena *a = &s->w.memory;
  event_descent d = {.change = ARENA_ARRAY(a, double, ((long)rows * EVENT_TURNS_KEPT)),
                     .effect = ARENA_ARRAY(a, double, ((long)rows * EVENT_TURNS_KEPT))};
  double **vectors[] = {&d.z, &d.r, &d.z_before, &d.r_before};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = ARENA_ARRAY(a, double, rows);
  return d;
}

// What the last turn changed, p, and its effect A p, which is what it took off r; made orthogonal to those before.
static void keep_turn(event_descent *d, int n) {
  if (d->count == EVENT_TURNS_KEPT) return;
  double *p = d->change + (long)d->count * n, *Ap = d->effect + (long)d->count * n;
  for (int k = 0; k < n; k++) p[k] = d->z[k] - d->z_before[k], Ap[k] = d->r_before[k] - d->r[k];
  for (int j = 0; j < d->count; j++) {
    const double *other = d->effect + (long)j * n, part = vectors_long_dot(n, other, Ap);
    vectors_axpy(n, -part, other, Ap);
    vectors_axpy(n, -part, d->change + (long)j * n, p);
  }
  const double size = sqrt(vectors_long_dot(n, Ap, Ap));
  if (!(size > 0)) return;
  for (int k = 0; k < n; k++) p[k] /= size, Ap[k] /= size;
  d->count++;
}

// z and r to where the changes so far leave least.
static void go_to_least(event_descent *d, int n) {
  for (int j = 0; j < d->count; j++) {
    const double *Ap = d->effect + (long)j * n, part = vectors_long_dot(n, Ap, d->r);
    vectors_axpy(n, -part, Ap, d->r);
    vectors_axpy(n, part, d->change + (long)j * n, d->z);
  }
}

// z += A₀⁻¹ r, from where the changes so far leave least.
static void improve(event *s, const event_factor *f, bool first) {
  event_descent *d = &s->descent;
  const int n = f->n;
  for (int k = 0; k < n; k++) d->z[k] = f->z[f->order[k]], d->r[k] = s->held.r[f->order[k]];
  if (first) d->count = 0;
  else keep_turn(d, n);
  memcpy(d->z_before, d->z, (size_t)n * sizeof *d->z), memcpy(d->r_before, d->r, (size_t)n * sizeof *d->r);
  go_to_least(d, n);
  lu_solve(n, f->LU, n, f->pivot, d->r);
  for (int k = 0; k < n; k++) f->z[f->order[k]] = d->z[k] + d->r[k];
}

// Rows that depend on others are held by these, but for `enough`. Where they are not, they no longer depend on them.
static bool others_are_held(const event *s, const event_factor *f, double scale, double enough) {
  static const double CLOSELY = 1e-9;
  for (int k = f->n; k < f->held; k++)
    if (!(fabs(s->held.r[f->order[k]]) <= fmax(CLOSELY * scale, f->scale[f->order[k]] * enough))) return false;
  return true;
}

// z += A₀⁻¹ (b - A z)  while that converges, until no more than `enough` is left. Where A is another than A₀ in a few
// columns, as those of slips that turn, this alone takes many turns. Each turn starts from where all changes of those
// before leave least (Anderson's acceleration, for linear equations the same as GMRES). Returns what is left.
static double iterate(event *s, const event_factor *f, bool coupled, const double *rhs, double enough, double *lambda) {
  enum { TURNS = 12, FRUITLESS = 2 };
  int fruitless = 0;
  double size = find_residual(s, f, coupled, rhs, lambda);
  for (int turn = 0; turn < TURNS && size > enough && fruitless < FRUITLESS; turn++) {
    const double before = size;
    improve(s, f, turn == 0);
    size = find_residual(s, f, coupled, rhs, lambda);
    fruitless = size < 0.25 * before ? 0 : fruitless + 1;
  }
  return size;
}

// How much the distance of a row's force from its share counts: over the size of the share of its point, so that the
// force of a weak point changes as little of itself as that of a strong one. Otherwise weak points would come to their
// limits all the time.
static void weigh_rows(const event *s, const event_factor *f, double *weight) {
  static const double LEAST = 1e-4;  // of the largest share
  double most = 0;
  for
    EACH_PART(k, s) most = fmax(most, event_part(s, k)->share[0]);
  if (!(most > 0)) most = 1;  // nothing presses: all count alike
  for (int i = 0; i < f->held; i++) weight[i] = f->scale[i] / most;
  int i = s->w.m->row_count;
  for
    EACH_PART(k, s) {
      const event_point *c = event_part(s, k);
      const double size = fmax(c->share[0], LEAST * most);
      for (; i < f->held && f->row[i] < c->row + c->all_rows; i++) weight[i] = f->scale[i] / size;
    }
  for (i = 0; i < f->held; i++) weight[i] *= weight[i];
}

// Of all forces that hold the rows, those nearest to the share of the load that is known: z += Q y with
//   Qᵀ D Q y = Qᵀ D (before - z),   D the weights.
// Leaves them where the equations are singular.
static void go_to_share(event *s, const event_factor *f) {
  double H[EVENT_SHARES * EVENT_SHARES], y[EVENT_SHARES], *D = s->held.b, *Dq = s->held.r;
  int pivot[EVENT_SHARES];
  const int count = f->shares;
  weigh_rows(s, f, D);
  for (int k = 0; k < count; k++) {
    const double *q = f->share + (long)k * f->held;
    for (int i = 0; i < f->held; i++) Dq[i] = D[i] * q[i];
    for (int j = 0; j < count; j++) H[k * count + j] = vectors_dot(f->held, f->share + (long)j * f->held, Dq);
    y[k] = vectors_dot(f->held, Dq, f->before) - vectors_dot(f->held, Dq, f->z);
  }
  if (!(lu_factor(count, H, count, pivot, NULL) > 0)) return;
  lu_solve(count, H, count, pivot, y);
  for (int k = 0; k < count; k++) subtract(f->held, -y[k], f->share + (long)k * f->held, f->z);
}

// A is near A₀, whose factor there is. In positions a little apart the iteration takes a few turns, each as the square
// of the rows, where a factor takes their cube. Rows that depend on others keep their forces. Where forces are looked
// at, all of them go to the middle of what fits in a heap, and to where they are nearest to their share elsewhere:
// otherwise they would come to their limits soon.
bool event_solve_as_before(event *s, const double *rhs, event_hold what, bool coupled, double enough, double *lambda) {
  static const double ENOUGH = 1e-13, AIM = 0.1;
  event_factor *f = factor_of(s, what, coupled);
  list_held(s, what);
  if (!f || !is_of_these_rows(s, f)) return false;
  s->has_matrix = s->repeat.any = false;
  double scale = 0, least = INFINITY;
  for (int i = 0; i < f->held; i++) {
    scale = fmax(scale, fabs(f->scale[i] * rhs[f->row[i]]));
    least = fmin(least, f->scale[i]);
    f->before[i] = lambda[f->row[i]] / f->scale[i];
  }
  for (int k = coupled ? f->n : 0; k < f->held; k++) f->z[f->order[k]] = f->before[f->order[k]];
  const double accepted = fmax(ENOUGH * scale, least * enough);
  double size = iterate(s, f, coupled, rhs, AIM * accepted, lambda);
  if (s->looks && f->shares && size <= accepted) {
    if (s->relaxes) event_go_to_middle(s, f);
    else go_to_share(s, f);
    size = iterate(s, f, coupled, rhs, AIM * accepted, lambda);
  }
  if (!(size <= accepted && others_are_held(s, f, scale, enough))) return f->n = 0, false;
  memcpy(s->held.scale, f->scale, (size_t)f->held * sizeof *f->scale);
  return true;
}

void event_respond_held(event *s, int row, double *speeds) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  const event_factor *f = s->factor[2].n ? &s->factor[2] : NULL;
  const response_held *h = &s->held;
  int n = f ? f->n : h->n, *rows = f ? f->row : h->row;
  const double *scale = f ? f->scale : h->scale, *LU = f ? f->LU : h->factor;
  double *lambda = s->compression;
  memset(lambda, 0, (size_t)x->row_total * sizeof *lambda);
  lambda[row] = 1;
  response_rates(m, x, response_to(m, x, lambda, x->row_total), s->response);
  for (int k = 0; k < n; k++) {
    int i = f ? f->order[k] : k;
    h->r[k] = -scale[i] * s->response[rows[i]];
  }
  lu_solve(n, LU, n, f ? f->pivot : h->pivot, h->r);
  memset(lambda, 0, (size_t)x->row_total * sizeof *lambda);
  for (int k = 0; k < n; k++) {
    int i = f ? f->order[k] : k;
    lambda[rows[i]] = scale[i] * h->r[k];
  }
  follow_normals(s, lambda);
  lambda[row] += 1;
  memcpy(speeds, response_to(m, x, lambda, x->row_total), (size_t)m->nv * sizeof *speeds);
}
