#include "flex/floating.h"

#include <assert.h>
#include <string.h>

#include "math/eigen.h"

// --- the fields of second-order displacements ------------------------------------------------------------------------

// Pairs i <= j of modes, in turn.
static int pair_count(int modes) { return modes * (modes + 1) / 2; }

static void list_pairs(int modes, const vec3 *g, vec3 *pairs) {
  for (int i = 0, k = 0; i < modes; i++)
    for (int j = i; j < modes; j++) pairs[k++] = g[i * modes + j];
}

static double *gram_of_pairs(arena *memory, const flex_elements *e, int modes, const second_order *second) {
  const int n = pair_count(modes);
  double *gram = ARENA_ARRAY(memory, double, (long)n *n);
  vec3 *g = ARENA_ARRAY(memory, vec3, modes * modes), *pairs = ARENA_ARRAY(memory, vec3, n);
  for (int p = 0; p < e->point_count; p++) {
    second->at(second->context, e->points[p].place.at, g);
    list_pairs(modes, g, pairs);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) gram[(long)i * n + j] += e->points[p].mass * vec3_dot(pairs[i], pairs[j]);
  }
  return gram;
}

// Principal fields: with ∫ g_a·g_b dm = Σ λ v vᵀ over pairs a, b, the field ψ = Σ v_a g_a has the size √λ, is normal to
// the others, and g_a = Σ v_a ψ. `weights` receives the rows v, largest first.
static int principal_fields(arena *memory, const flex_elements *e, int modes, const second_order *second,
                            double **weights) {
  const int n = pair_count(modes);
  double *gram = gram_of_pairs(memory, e, modes, second), *values = ARENA_ARRAY(memory, double, n);
  int count = 0;
  if (!eigen_symmetric(memory, n, gram, values)) return -1;
  while (count < n && values[n - 1 - count] > 1e-14 * values[n - 1]) count++;  // below it eigenvalues are rounding
  *weights = ARENA_ARRAY(memory, double, (long)count *n);
  for (int k = 0; k < count; k++)
    memcpy(*weights + (long)k * n, gram + (long)(n - 1 - k) * n, (size_t)n * sizeof **weights);
  return count;
}

static void fill_square(int modes, const double *weights, double *square) {
  for (int i = 0, k = 0; i < modes; i++)
    for (int j = i; j < modes; j++, k++) square[i * modes + j] = square[j * modes + i] = weights[k];
}

static void add_points(arena *scratch, const flex_elements *e, const double *phi, const second_order *second,
                       const double *weights, floating_body *to) {
  const int n = to->modes, pair = pair_count(n);
  vec3 *shapes = ARENA_ARRAY(scratch, vec3, n + to->fields);
  vec3 *g = ARENA_ARRAY(scratch, vec3, n * n), *pairs = ARENA_ARRAY(scratch, vec3, pair);
  for (int p = 0; p < e->point_count; p++) {
    const flex_place *place = &e->points[p].place;
    for (int i = 0; i < n; i++) shapes[i] = elements_displacement(place, phi + (long)i * e->freedom_count);
    if (second) second->at(second->context, place->at, g);
    list_pairs(n, g, pairs);
    for (int k = 0; k < to->fields; k++) {
      shapes[n + k] = VEC3_ZERO;
      for (int a = 0; a < pair; a++) shapes[n + k] = vec3_axpy(shapes[n + k], weights[(long)k * pair + a], pairs[a]);
    }
    inertia_add(&to->inertia, e->points[p].mass, place->at, shapes);
  }
}

// Σ m_ab of a field over the nodes.
static void carry(const symmetric *m, const vec3 *field, vec3 *to) {
  for (int a = 0; a < m->n; a++) {
    to[a] = VEC3_ZERO;
    for (int p = m->start[a]; p < m->start[a + 1]; p++) to[a] = vec3_axpy(to[a], m->value[p], field[m->column[p]]);
  }
}

static mat3 sum_of_products(int n, const vec3 *a, const vec3 *b) {
  mat3 sum = {{0}};
  for (int k = 0; k < n; k++) {
    const double x[3] = {a[k].x, a[k].y, a[k].z}, y[3] = {b[k].x, b[k].y, b[k].z};
    for (int i = 0; i < 9; i++) sum.m[i] += x[i / 3] * y[i % 3];
  }
  return sum;
}

// The integrals of a body whose mass is a matrix over its nodes: ∫ u vᵀ dm = Σ m_ab u_a v_bᵀ.
static void add_nodes(arena *scratch, const flex_elements *e, const double *phi, floating_body *to) {
  const int n = e->node_count;
  vec3 *shapes = ARENA_ARRAY(scratch, vec3, (long)to->modes * n), *carried = ARENA_ARRAY(scratch, vec3, n);
  flex_inertia *of = &to->inertia;
  for (int i = 0; i < to->modes; i++)
    for (int k = 0; k < n; k++) {
      const flex_place at = elements_node(e, k);
      shapes[(long)i * n + k] = elements_displacement(&at, phi + (long)i * e->freedom_count);
    }
  carry(e->node_mass, e->nodes, carried);
  of->second = sum_of_products(n, e->nodes, carried);
  for (int k = 0; k < n; k++) of->first = vec3_add(of->first, carried[k]);
  for (int k = 0; k < e->node_mass->start[n]; k++) of->mass += e->node_mass->value[k];
  for (int i = 0; i < to->modes; i++) {
    carry(e->node_mass, shapes + (long)i * n, carried);
    for (int k = 0; k < n; k++) of->shift[i] = vec3_add(of->shift[i], carried[k]);
    of->moment[i] = sum_of_products(n, e->nodes, carried);
    for (int j = 0; j < to->modes; j++)
      of->couple[j * to->modes + i] = sum_of_products(n, shapes + (long)j * n, carried);
  }
}

bool floating_create(arena *memory, const flex_elements *e, int modes, const double *phi, const second_order *second,
                     floating_body *to) {
  double *weights = NULL;
  *to = (floating_body){.modes = modes};
  assert(!second || !e->node_mass);
  if (second) to->fields = principal_fields(memory, e, modes, second, &weights);
  if (to->fields < 0) return false;
  inertia_create(memory, &to->inertia, modes + to->fields);
  to->square = ARENA_ARRAY(memory, double, (long)to->fields *modes *modes);
  for (int k = 0; k < to->fields; k++)
    fill_square(modes, weights + (long)k * pair_count(modes), to->square + (long)k * modes * modes);
  if (e->node_mass) add_nodes(memory, e, phi, to);
  else add_points(memory, e, phi, second, weights, to);
  return true;
}

// --- equations of motion ---------------------------------------------------------------------------------------------

void floating_state_create(arena *memory, const floating_body *b, floating_state *to) {
  const int shapes = b->modes + b->fields, n = 6 + shapes;
  to->z = ARENA_ARRAY(memory, double, shapes);
  to->zdot = ARENA_ARRAY(memory, double, shapes);
  to->rate = ARENA_ARRAY(memory, double, (long)b->fields * b->modes);
  to->curved = ARENA_ARRAY(memory, double, b->fields);
  to->full = ARENA_ARRAY(memory, double, (long)n *n);
  to->force = ARENA_ARRAY(memory, double, n);
  inertia_state_create(memory, &b->inertia, &to->inertia);
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

// s = ½ qᵀ S q, ṡ = (S q)·q̇, s̈ = (S q)·q̈ + q̇ᵀ S q̇
static void follow(const floating_body *b, const double *q, const double *qdot, floating_state *s) {
  const int n = b->modes;
  memcpy(s->z, q, (size_t)n * sizeof *q);
  memcpy(s->zdot, qdot, (size_t)n * sizeof *q);
  for (int k = 0; k < b->fields; k++) {
    double *rate = s->rate + (long)k * n;
    s->curved[k] = 0;
    for (int i = 0; i < n; i++) {
      const double *row = b->square + ((long)k * n + i) * n;
      rate[i] = dot(n, row, q), s->curved[k] += qdot[i] * dot(n, row, qdot);
    }
    s->z[n + k] = dot(n, rate, q) / 2, s->zdot[n + k] = dot(n, rate, qdot);
  }
}

// Rows of the fields, times ∂s/∂q, join those of the modes: y := Dᵀ y with ż = D q̇, in place over `6 + modes`.
static void join_rows(const floating_body *b, const floating_state *s, double *y, int stride) {
  for (int k = 0; k < b->fields; k++)
    for (int i = 0; i < b->modes; i++)
      y[(6 + i) * stride] += s->rate[k * b->modes + i] * y[(6 + b->modes + k) * stride];
}

void floating_evaluate(const floating_body *b, vec3 omega, const double *q, const double *qdot, floating_state *s,
                       double *M, double *bias) {
  const int n = 6 + b->modes, full = n + b->fields;
  follow(b, q, qdot, s);
  inertia_state(&b->inertia, s->z, &s->inertia);
  inertia_matrix(&b->inertia, &s->inertia, s->full);
  inertia_bias(&b->inertia, &s->inertia, omega, s->zdot, s->force);
  for (int i = 0; i < full; i++) s->force[i] += dot(b->fields, s->full + (long)i * full + n, s->curved);
  join_rows(b, s, s->force, 1);
  memcpy(bias, s->force, (size_t)n * sizeof *bias);
  for (int j = 0; j < full; j++) join_rows(b, s, s->full + j, full);  // Dᵀ M
  for (int i = 0; i < n; i++) {
    join_rows(b, s, s->full + (long)i * full, 1);  // Dᵀ M D
    memcpy(M + (long)i * n, s->full + (long)i * full, (size_t)n * sizeof *M);
  }
}
