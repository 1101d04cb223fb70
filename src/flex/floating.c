#include "flex/floating.h"

#include <assert.h>
#include <math.h>
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
  floating_prepare(memory, to);
  return true;
}

// --- what an evaluation reads ----------------------------------------------------------------------------------------

static int groups_of(int n) { return (n + LANES - 1) / LANES; }

static double mass_between(const floating_body *b, int i, int j) {
  const mat3 *p = &b->inertia.couple[i * b->inertia.count + j];
  return p->m[0] + p->m[4] + p->m[8];
}

static void take_masses(arena *memory, floating_body *b) {
  const int n = b->modes;
  b->mass = ARENA_ARRAY(memory, double, n *n), b->field_mass = ARENA_ARRAY(memory, double, b->fields);
  b->couplings = ARENA_ARRAY(memory, struct floating_coupling, n * b->fields);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) b->mass[i * n + j] = mass_between(b, i, j);
  for (int k = 0; k < b->fields; k++) {
    b->field_mass[k] = mass_between(b, n + k, n + k);
    for (int i = 0; i < n; i++)
      if (mass_between(b, i, n + k) != 0)
        b->couplings[b->coupling_count++] = (struct floating_coupling){i, k, mass_between(b, i, n + k)};
  }
}

// Displacements below 1e-12 of the largest are rounding.
static void take_pairs(arena *memory, floating_body *b) {
  const int n = b->modes, groups = groups_of(b->fields);
  double rounding = 0;
  for (int k = 0; k < b->fields; k++) rounding = fmax(rounding, 1e-12 * sqrt(b->field_mass[k]));
  b->pairs = ARENA_ARRAY(memory, struct floating_pair, pair_count(n));
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      lanes *weight = ARENA_ARRAY(memory, lanes, groups);
      double most = 0;
      for (int k = 0; k < b->fields; k++) {
        const double w = b->square[(k * n + i) * n + j];
        weight[k / LANES][k % LANES] = w, most = fmax(most, fabs(w) * sqrt(b->field_mass[k]));
      }
      if (most > rounding) b->pairs[b->pair_count++] = (struct floating_pair){i, j, weight};
    }
}

void floating_prepare(arena *memory, floating_body *b) {
  inertia_drop_rounding(&b->inertia);
  inertia_part_shapes(&b->inertia);
  inertia_tables(memory, &b->inertia, &b->tables);
  take_masses(memory, b);
  take_pairs(memory, b);
}

void floating_state_create(arena *memory, const floating_body *b, floating_state *to) {
  const int modes = groups_of(b->modes), fields = groups_of(b->fields), n = b->modes;
  to->z = ARENA_ARRAY(memory, lanes, b->tables.groups), to->zdot = ARENA_ARRAY(memory, lanes, b->tables.groups);
  to->s = ARENA_ARRAY(memory, lanes, fields), to->sdot = ARENA_ARRAY(memory, lanes, fields);
  to->curved = ARENA_ARRAY(memory, lanes, fields);
  to->by_mode = ARENA_ARRAY(memory, lanes, n * fields), to->rate = ARENA_ARRAY(memory, lanes, b->fields * modes);
  to->ff = ARENA_ARRAY(memory, lanes, n * modes), to->joined = ARENA_ARRAY(memory, lanes, modes);
  inertia_state_create(memory, &b->tables, &to->inertia);
}

// --- equations of motion ---------------------------------------------------------------------------------------------

// ∂s/∂q = S q and q̇ᵀ S q̇, pair by pair.
static void follow_pairs(const floating_body *b, const double *q, const double *qdot, floating_state *s) {
  const int groups = groups_of(b->fields);
  memset(s->by_mode, 0, (size_t)(b->modes * groups) * sizeof *s->by_mode);
  memset(s->curved, 0, (size_t)groups * sizeof *s->curved);
  for (int p = 0; p < b->pair_count; p++) {
    const int i = b->pairs[p].i, j = b->pairs[p].j;
    const double twice = (i == j ? 1 : 2) * qdot[i] * qdot[j];
    for (int g = 0; g < groups; g++) {
      const lanes w = b->pairs[p].weight[g];
      s->by_mode[i * groups + g] += q[j] * w;
      if (i != j) s->by_mode[j * groups + g] += q[i] * w;
      s->curved[g] += twice * w;
    }
  }
}

// s = ½ qᵀ S q, ṡ = (S q)·q̇, s̈ = (S q)·q̈ + q̇ᵀ S q̇
static void follow(const floating_body *b, const double *q, const double *qdot, floating_state *s) {
  const int n = b->modes, groups = groups_of(b->fields), across = LANES * groups_of(n);
  double *z = (double *)s->z, *zdot = (double *)s->zdot, *rate = (double *)s->rate;
  const double *by_mode = (double *)s->by_mode;
  memcpy(z, q, (size_t)n * sizeof *q), memcpy(zdot, qdot, (size_t)n * sizeof *q);
  follow_pairs(b, q, qdot, s);
  for (int g = 0; g < groups; g++) {
    lanes at = {0}, speed = {0};
    for (int i = 0; i < n; i++)
      at += 0.5 * q[i] * s->by_mode[i * groups + g], speed += qdot[i] * s->by_mode[i * groups + g];
    s->s[g] = at, s->sdot[g] = speed;
  }
  memcpy(z + n, s->s, (size_t)b->fields * sizeof *z), memcpy(zdot + n, s->sdot, (size_t)b->fields * sizeof *z);
  for (int k = 0; k < b->fields; k++)
    for (int i = 0; i < n; i++) rate[k * across + i] = by_mode[i * LANES * groups + k];
}

// A row over all shapes becomes one over the modes: y := Dᵀ y with ż = D q̇.
static void join(const floating_body *b, const floating_state *s, const lanes *row, double *to) {
  const int modes = groups_of(b->modes);
  const double *field = (const double *)row + b->modes;
  for (int g = 0; g < modes; g++) {
    lanes sum = row[g];
    for (int k = 0; k < b->fields; k++) sum += field[k] * s->rate[k * modes + g];
    s->joined[g] = sum;
  }
  memcpy(to, s->joined, (size_t)b->modes * sizeof *to);
}

// Dᵀ ∫ φᵀφ D over the modes: the lower triangle first.
static void join_masses(const floating_body *b, floating_state *s, int stride, double *M) {
  const int n = b->modes, modes = groups_of(n);
  const double *rate = (double *)s->rate;
  for (int i = 0; i < n; i++) {
    double *row = (double *)(s->ff + i * modes);
    memcpy(row, b->mass + i * n, (size_t)n * sizeof *row);
    for (int g = 0; g <= i / LANES; g++) {
      lanes sum = s->ff[i * modes + g];
      for (int k = 0; k < b->fields; k++)
        sum += b->field_mass[k] * rate[k * modes * LANES + i] * s->rate[k * modes + g];
      s->ff[i * modes + g] = sum;
    }
  }
  for (int c = 0; c < b->coupling_count; c++) {
    const struct floating_coupling *of = &b->couplings[c];
    for (int i = 0; i < n; i++) {
      const double part = of->mass * rate[of->field * modes * LANES + i];
      const int low = i < of->mode ? i : of->mode, high = i + of->mode - low;
      ((double *)s->ff)[high * modes * LANES + low] += (i == of->mode ? 2 : 1) * part;
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) M[i * stride + j] = M[j * stride + i] = ((double *)s->ff)[i * modes * LANES + j];
}

// What the mass matrix of all shapes makes of s̈'s part that does not depend on q̈.
static void add_curved(const floating_body *b, floating_state *s) {
  const int n = b->modes, groups = b->tables.groups;
  double *bias = (double *)s->inertia.bias, wrench[6] = {0};
  const double *curved = (double *)s->curved;
  for (int k = 0; k < b->fields; k++) {
    for (int i = 0; i < 3; i++) {
      wrench[i] += curved[k] * ((double *)(s->inertia.turning + i * groups))[n + k];
      wrench[3 + i] += curved[k] * ((double *)(b->tables.shift + i * groups))[n + k];
    }
    bias[n + k] += b->field_mass[k] * curved[k];
  }
  for (int c = 0; c < b->coupling_count; c++)
    bias[b->couplings[c].mode] += b->couplings[c].mass * curved[b->couplings[c].field];
  s->inertia.torque = vec3_add(s->inertia.torque, vec3_of(wrench));
  s->inertia.force = vec3_add(s->inertia.force, vec3_of(wrench + 3));
}

void floating_evaluate(const floating_body *b, vec3 omega, const double *q, const double *qdot, floating_state *s,
                       double *M, double *bias) {
  const int n = 6 + b->modes, groups = b->tables.groups;
  const vec3 *c = &s->inertia.first;
  follow(b, q, qdot, s);
  inertia_evaluate(&b->tables, omega, s->z, s->zdot, &s->inertia);
  add_curved(b, s);
  vec3_store(bias, s->inertia.torque), vec3_store(bias + 3, s->inertia.force);
  join(b, s, s->inertia.bias, bias + 6);
  const double tilde[9] = {0, -c->z, c->y, c->z, 0, -c->x, -c->y, c->x, 0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      M[i * n + j] = s->inertia.rotary.m[3 * i + j];
      M[i * n + 3 + j] = M[(3 + j) * n + i] = tilde[3 * i + j];
      M[(3 + i) * n + 3 + j] = i == j ? b->tables.mass : 0;
    }
    join(b, s, s->inertia.turning + i * groups, M + i * n + 6);
    join(b, s, b->tables.shift + i * groups, M + (3 + i) * n + 6);
  }
  for (int k = 0; k < b->modes; k++)
    for (int i = 0; i < 6; i++) M[(6 + k) * n + i] = M[i * n + 6 + k];
  join_masses(b, s, n, M + 6 * n + 6);
}
