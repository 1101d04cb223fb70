// One step of statics (balance.h).
#include "study/balance.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/eigen.h"
#include "math/lu.h"

// --- the system --------------------------------------------------------------------------------------------------------

void balance_project(int n, int count, const double *V, const double *X, double *work, double *C) {
  memset(work, 0, (size_t)count * (size_t)n * sizeof *work);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < n; j++)
      if (V[(long)i * n + j] != 0) statics_add(n, V[(long)i * n + j], X + (long)j * n, work + (long)i * n);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < count; k++) C[(long)i * count + k] = statics_dot(n, work + (long)i * n, V + (long)k * n);
}

double *balance_weigh(balance *b, const double *X, int all, double factor) {
  const int n = b->s->n;
  double *H = ARENA_ARRAY(&b->s->memory, double, (long)n *n + 1), *column = ARENA_ARRAY(&b->s->memory, double, n + 1);
  for (int i = 0; i < n; i++) {  // rows: X L⁻ᵀ
    for (int k = 0; k < n; k++) H[(long)i * n + k] = factor * X[(long)i * all + k];
    statics_lower(b->s, H + (long)i * n);
  }
  for (int k = 0; k < n; k++) {  // columns: L⁻¹
    for (int i = 0; i < n; i++) column[i] = H[(long)i * n + k];
    statics_lower(b->s, column);
    for (int i = 0; i < n; i++) H[(long)i * n + k] = column[i];
  }
  return H;
}

// y = -G⁺ Φ, the shortest.
static void close_constraints(balance *b, balance_system *t) {
  const statics *s = b->s;
  const statics_space *v = &b->space;
  double *pull = ARENA_ARRAY(&b->s->memory, double, s->n + 1);
  for (int r = 0; r < s->m->row_count; r++)
    if (v->length[r] > 0) statics_add(s->n, s->value[r] / v->length[r], v->rows + (long)r * s->n, pull);
  for (int i = 0; i < v->fixed_count; i++) {
    const double *row = v->fixed + (long)i * s->n;
    statics_add(s->n, -statics_dot(s->n, row, pull) / v->stretch[i], row, t->closing);
  }
}

// States behind the free directions: F_z and Z_q in the coordinates y, Z_z.
static void add_states(balance *b, balance_system *t) {
  statics *s = b->s;
  const int n = s->n, all = n + s->states, f = t->f;
  double *column = ARENA_ARRAY(&s->memory, double, n + 1);
  for (int k = 0; k < s->states; k++) {
    const double *rates = b->slopes.by_place + (long)(n + k) * all;
    for (int i = 0; i < n; i++) column[i] = b->slopes.by_place[(long)i * all + n + k];
    statics_lower(s, column);
    for (int i = 0; i < f; i++)
      t->matrix[(long)i * t->m + f + k] = -statics_dot(n, b->space.free + (long)i * n, column);
    memcpy(column, rates, (size_t)n * sizeof *column);
    statics_lower(s, column);
    for (int i = 0; i < f; i++)
      t->matrix[(long)(f + k) * t->m + i] = -statics_dot(n, b->space.free + (long)i * n, column);
    for (int i = 0; i < s->states; i++) t->matrix[(long)(f + k) * t->m + f + i] = -rates[n + i];
    t->rhs[f + k] = s->zdot[k] + statics_dot(n, column, t->closing);
    if (!s->held[k]) continue;
    memset(t->matrix + (long)(f + k) * t->m, 0, (size_t)t->m * sizeof *t->matrix);
    t->matrix[(long)(f + k) * t->m + f + k] = 1, t->rhs[f + k] = 0;
  }
}

balance_system balance_make(balance *b) {
  statics *s = b->s;
  arena *a = &s->memory;
  const int n = s->n, f = b->space.free_count, m = f + s->states;
  balance_system t = {.f = f, .m = m};
  double *work = ARENA_ARRAY(a, double, (long)n *n + 1);
  t.H = balance_weigh(b, b->slopes.by_place, n + s->states, -1), t.reduced = ARENA_ARRAY(a, double, (long)f *f + 1);
  t.matrix = ARENA_ARRAY(a, double, (long)m *m + 1), t.factor = ARENA_ARRAY(a, double, (long)m *m + 1);
  t.pivot = ARENA_ARRAY(a, int, m + 1), t.rhs = ARENA_ARRAY(a, double, m + 1);
  t.force = ARENA_ARRAY(a, double, n + 1), t.closing = ARENA_ARRAY(a, double, n + 1);
  t.B = ARENA_ARRAY(a, double, (long)s->row_count *m + 1);
  if (b->space.whole) memcpy(t.reduced, t.H, (size_t)n * (size_t)n * sizeof *t.H);
  else balance_project(n, f, b->space.free, t.H, work, t.reduced);
  for (int i = 0; i < f; i++)
    for (int k = 0; k < f; k++) t.matrix[(long)i * m + k] = t.reduced[(long)i * f + k];
  memcpy(t.force, s->Q, (size_t)n * sizeof *t.force);
  statics_lower(s, t.force);
  close_constraints(b, &t);
  for (int i = 0; i < n; i++) work[i] = t.force[i] - statics_dot(n, t.H + (long)i * n, t.closing);
  for (int i = 0; i < f; i++) t.rhs[i] = statics_dot(n, b->space.free + (long)i * n, work);
  add_states(b, &t);
  for (int r = s->m->row_count; r < s->row_count; r++)
    for (int i = 0; i < f; i++)
      t.B[(long)r * m + i] =
          statics_dot(n, b->space.rows + (long)r * n, b->space.free + (long)i * n) * b->space.length[r];
  return t;
}

double balance_rounding(const balance *b, double stiffest) {
  const statics *s = b->s;
  double strongest = 0;
  for (int i = 0; i < s->n; i++) {
    const double pivot = s->L[(long)i * (s->n + 1)];
    strongest = fmax(strongest, fabs(s->Q[i]) / (pivot * pivot) / s->scale[i]);
  }
  return 1e-14 * stiffest + 1e-11 * strongest;
}

bool balance_spectrum(balance *b, int f, const double *K, double *values) {
  double *S = ARENA_ARRAY(&b->s->memory, double, (long)f *f + 1);
  for (int i = 0; i < f; i++)
    for (int k = 0; k < f; k++) S[(long)i * f + k] = 0.5 * (K[(long)i * f + k] + K[(long)k * f + i]);
  return eigen_symmetric(&b->s->memory, f, S, values);
}

// --- contact ---------------------------------------------------------------------------------------------------------

// A contact whose normal force is given by a law has a normal row of its own, which nothing else moves: r = that force.
static void add_blocks(balance *b, block_list *blocks) {
  const statics *s = b->s;
  const int first = s->m->row_count;
  for (int i = 0; i < s->contact_count; i++) {
    const static_contact *c = &s->contacts[i];
    const contact_material *of = &c->e->material;
    if (contact_rolls(c->e))
      block_list_add(blocks, block_of_rolling(c->row - first, s->m->planar, of->friction, of->rolling, of->spinning));
    else block_list_add(blocks, block_of_contact(c->row - first, c->size, of->friction));
  }
  for (int i = 0; i < s->m->friction_count; i++)
    block_list_add(blocks,
                   block_of_friction(s->row_count - first - s->m->friction_count + i, s->m->frictions[i].limit));
}

static void give_law_forces(const balance *b, int count, double *W, double *q) {
  const statics *s = b->s;
  for (int i = 0; i < s->contact_count; i++) {
    const static_contact *c = &s->contacts[i];
    const int row = c->row - s->m->row_count;
    if (isnan(c->law_force)) continue;
    for (int k = 0; k < count; k++) W[(long)row * count + k] = W[(long)k * count + row] = 0;
    W[(long)row * count + row] = 1, q[row] = -c->law_force;
  }
}

// W = B F⁻¹ Bᵀ of the contact rows, and where they would be without forces.
static void form_problem(balance *b, const balance_system *t, const double *free_step, double *W, double *q) {
  const statics *s = b->s;
  const int first = s->m->row_count, count = s->row_count - first;
  double *column = ARENA_ARRAY(&b->s->memory, double, t->m + 1);
  for (int k = 0; k < count; k++) {
    memcpy(column, t->B + (long)(first + k) * t->m, (size_t)t->m * sizeof *column);
    lu_solve(t->m, t->factor, t->m, t->pivot, column);
    for (int i = 0; i < count; i++) W[(long)i * count + k] = statics_dot(t->m, t->B + (long)(first + i) * t->m, column);
  }
  for (int i = 0; i < count; i++)
    for (int k = 0; k < i; k++)
      W[(long)i * count + k] = W[(long)k * count + i] = 0.5 * (W[(long)i * count + k] + W[(long)k * count + i]);
  for (int i = 0; i < count; i++) {
    const double *row = b->space.rows + (long)(first + i) * s->n;
    q[i] = s->value[first + i] + statics_dot(t->m, t->B + (long)(first + i) * t->m, free_step) +
           b->space.length[first + i] * statics_dot(s->n, row, t->closing);
    if (!(W[(long)i * count + i] > 0)) W[(long)i * count + i] = 1, q[i] = fmax(0, q[i]);  // nothing can move it
  }
  give_law_forces(b, count, W, q);
}

static bool solve_contacts(balance *b, const balance_system *t, const double *free_step) {
  statics *s = b->s;
  const int first = s->m->row_count, count = s->row_count - first;
  memset(b->r, 0, (size_t)(s->row_count + 1) * sizeof *b->r);
  if (!count) return true;
  arena *a = &s->memory;
  double *W = ARENA_ARRAY(a, double, (long)count *count), *q = ARENA_ARRAY(a, double, count),
         *u = ARENA_ARRAY(a, double, count);
  block_list blocks = block_list_create(a, count);
  add_blocks(b, &blocks);
  form_problem(b, t, free_step, W, q);
  solve_problem problem = block_list_problem(&blocks, count, W, q);
  solve_limits limits = solve_limits_exact(&problem);
  solve_workspace *room = solve_workspace_create(&limits, s->error);
  if (!room) return false;
  solve_settings settings = solve_settings_default();
  settings.tolerance = 1e-12;
  solve_solution solution = {b->r + first, u};
  solve_info info = solve_chain(&problem, &settings, room, &solution, NULL);
  solve_workspace_destroy(room);
  return info.status == SOLVE_SOLVED || info.residual < 1e-8;
}

// The forces of the constraints that go with the step: of all with the same effect the least.
static void find_multipliers(balance *b, const balance_system *t, const double *y, double sigma) {
  statics *s = b->s;
  const int n = s->n;
  double *w = ARENA_ARRAY(&s->memory, double, n + 1), *sum = ARENA_ARRAY(&s->memory, double, n + 1);
  for (int i = 0; i < n; i++) w[i] = statics_dot(n, t->H + (long)i * n, y) + sigma * y[i] - t->force[i];
  for (int r = s->m->row_count; r < s->row_count; r++)
    statics_add(n, -b->r[r] * b->space.length[r], b->space.rows + (long)r * n, w);
  for (int i = 0; i < b->space.fixed_count; i++) {
    const double *row = b->space.fixed + (long)i * n;
    statics_add(n, statics_dot(n, row, w) / b->space.stretch[i], row, sum);
  }
  for (int r = 0; r < s->m->row_count; r++)
    b->r[r] = b->space.length[r] > 0 ? statics_dot(n, b->space.rows + (long)r * n, sum) / b->space.length[r] : 0;
}

// --- the step --------------------------------------------------------------------------------------------------------

void balance_open(balance *b, statics *s) {
  const int all = s->n + s->states;
  *b = (balance){.s = s};
  b->slopes.by_place = ARENA_ARRAY(&s->memory, double, (long)all *all + 1);
  b->r = ARENA_ARRAY(&s->memory, double, s->row_room + 1);
  b->delta = ARENA_ARRAY(&s->memory, double, s->n + 1), b->dz = ARENA_ARRAY(&s->memory, double, s->states + 1);
}

bool balance_solve(balance *b, balance_system *t, double sigma) {
  statics *s = b->s;
  const int n = s->n, first = s->m->row_count;
  memcpy(t->factor, t->matrix, (size_t)t->m * (size_t)t->m * sizeof *t->factor);
  for (int i = 0; i < t->m; i++)
    t->factor[(long)i * (t->m + 1)] += i < t->f ? sigma : s->held[i - t->f] ? 0 : sqrt(sigma);
  if (t->m && !(lu_factor(t->m, t->factor, t->m, t->pivot, NULL) > 0)) return false;
  double *step = ARENA_ARRAY(&s->memory, double, t->m + 1), *y = ARENA_ARRAY(&s->memory, double, n + 1);
  memcpy(step, t->rhs, (size_t)t->m * sizeof *step);
  if (t->m) lu_solve(t->m, t->factor, t->m, t->pivot, step);
  if (!solve_contacts(b, t, step)) return false;
  memcpy(step, t->rhs, (size_t)t->m * sizeof *step);
  for (int i = 0; i < s->contact_count; i++)  // a law's normal force is among those that act
    for (int r = s->contacts[i].row + !isnan(s->contacts[i].law_force); r < s->contacts[i].row + s->contacts[i].size;
         r++)
      statics_add(t->m, b->r[r], t->B + (long)r * t->m, step);
  for (int r = s->row_count - s->m->friction_count; r < s->row_count; r++)
    statics_add(t->m, b->r[r], t->B + (long)r * t->m, step);
  for (int i = 0; i < s->contact_count; i++)
    if (!isnan(s->contacts[i].law_force)) b->r[s->contacts[i].row] = 0;
  if (t->m) lu_solve(t->m, t->factor, t->m, t->pivot, step);
  memcpy(y, t->closing, (size_t)n * sizeof *y);
  for (int i = 0; i < t->f; i++) statics_add(n, step[i], b->space.free + (long)i * n, y);
  if (first) find_multipliers(b, t, y, sigma);
  memcpy(b->delta, y, (size_t)n * sizeof *y);
  statics_upper(s, b->delta);
  memcpy(b->dz, step + t->f, (size_t)s->states * sizeof *b->dz);
  b->size = 0;
  for (int i = 0; i < n; i++) b->size = fmax(b->size, fabs(b->delta[i]) / s->scale[i]);
  b->state_size = 0;
  for (int i = 0; i < s->states; i++) b->state_size = fmax(b->state_size, fabs(b->dz[i]) / statics_state_scale(s, i));
  return isfinite(b->size + b->state_size);
}
