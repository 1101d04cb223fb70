#include "flex/floating.h"

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

// A field as a sum over pairs, and what one place needs.
typedef struct pair_fields {
  const second_order *second;
  int modes, count;
  const double *weights;  // rows over pairs, one per field
  vec3 *g, *pairs;
} pair_fields;

static void sum_pairs(const void *context, const flex_place *place, vec3 *psi) {
  const pair_fields *f = context;
  const int n = pair_count(f->modes);
  f->second->at(f->second->context, place->at, f->g);
  list_pairs(f->modes, f->g, f->pairs);
  for (int k = 0; k < f->count; k++) {
    psi[k] = VEC3_ZERO;
    for (int a = 0; a < n; a++) psi[k] = vec3_axpy(psi[k], f->weights[(long)k * n + a], f->pairs[a]);
  }
}

static void fill_square(int modes, const double *weights, double *square) {
  for (int i = 0, k = 0; i < modes; i++)
    for (int j = i; j < modes; j++, k++) square[i * modes + j] = square[j * modes + i] = weights[k];
}

// Principal fields: with ∫ g_a·g_b dm = Σ λ v vᵀ over pairs a, b, the field ψ = Σ v_a g_a has the size √λ, is normal to
// the others, and g_a = Σ v_a ψ. The largest are first.
bool floating_fields_of_pairs(arena *memory, const flex_elements *e, int modes, const second_order *second,
                              floating_fields *to) {
  const int n = pair_count(modes);
  double *gram = gram_of_pairs(memory, e, modes, second), *values = ARENA_ARRAY(memory, double, n);
  int count = 0;
  if (!eigen_symmetric(memory, n, gram, values)) return false;
  while (count < n && values[n - 1 - count] > 1e-14 * values[n - 1]) count++;  // below it eigenvalues are rounding
  double *weights = ARENA_ARRAY(memory, double, (long)count *n);
  *to = (floating_fields){.count = count, .square = ARENA_ARRAY(memory, double, (long)count *modes *modes)};
  for (int k = 0; k < count; k++) {
    memcpy(weights + (long)k * n, gram + (long)(n - 1 - k) * n, (size_t)n * sizeof *weights);
    fill_square(modes, weights + (long)k * n, to->square + (long)k * modes * modes);
  }
  pair_fields *f = ARENA_NEW(memory, pair_fields);
  *f = (pair_fields){
      second, modes, count, weights, ARENA_ARRAY(memory, vec3, modes * modes), ARENA_ARRAY(memory, vec3, n)};
  to->at = sum_pairs, to->context = f;
  return true;
}

// --- inertia ---------------------------------------------------------------------------------------------------------

// The shapes of all modes and fields at a place.
static void shapes_at(const flex_elements *e, int modes, const double *phi, const floating_fields *fields,
                      const flex_place *place, vec3 *shapes) {
  for (int i = 0; i < modes; i++) shapes[i] = elements_displacement(place, phi + (long)i * e->freedom_count);
  if (fields) fields->at(fields->context, place, shapes + modes);
}

static void add_points(arena *scratch, const flex_elements *e, const double *phi, const floating_fields *fields,
                       floating_body *to) {
  vec3 *shapes = ARENA_ARRAY(scratch, vec3, to->inertia.count);
  for (int p = 0; p < e->point_count; p++) {
    shapes_at(e, to->modes, phi, fields, &e->points[p].place, shapes);
    inertia_add(&to->inertia, e->points[p].mass, e->points[p].place.at, shapes);
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
static void add_nodes(arena *scratch, const flex_elements *e, const double *phi, const floating_fields *fields,
                      floating_body *to) {
  const int n = e->node_count, count = to->inertia.count;
  vec3 *shapes = ARENA_ARRAY(scratch, vec3, (long)count * n), *carried = ARENA_ARRAY(scratch, vec3, n);
  vec3 *here = ARENA_ARRAY(scratch, vec3, count);
  flex_inertia *of = &to->inertia;
  for (int k = 0; k < n; k++) {
    const flex_place at = elements_node(e, k);
    shapes_at(e, to->modes, phi, fields, &at, here);
    for (int i = 0; i < count; i++) shapes[(long)i * n + k] = here[i];
  }
  carry(e->node_mass, e->nodes, carried);
  of->second = sum_of_products(n, e->nodes, carried);
  for (int k = 0; k < n; k++) of->first = vec3_add(of->first, carried[k]);
  for (int k = 0; k < e->node_mass->start[n]; k++) of->mass += e->node_mass->value[k];
  for (int i = 0; i < count; i++) {
    carry(e->node_mass, shapes + (long)i * n, carried);
    for (int k = 0; k < n; k++) of->shift[i] = vec3_add(of->shift[i], carried[k]);
    of->moment[i] = sum_of_products(n, e->nodes, carried);
    for (int j = 0; j < count; j++) of->couple[j * count + i] = sum_of_products(n, shapes + (long)j * n, carried);
  }
}

void floating_create(arena *memory, const flex_elements *e, int modes, const double *phi, const floating_fields *fields,
                     floating_body *to) {
  *to = (floating_body){.modes = modes, .fields = fields ? fields->count : 0, .square = fields ? fields->square : NULL};
  inertia_create(memory, &to->inertia, modes + to->fields);
  if (e->node_mass) add_nodes(memory, e, phi, fields, to);
  else add_points(memory, e, phi, fields, to);
  floating_prepare(memory, to);
}

// --- what an evaluation reads ----------------------------------------------------------------------------------------

static double mass_between(const floating_body *b, int i, int j) {
  const mat3 *p = &b->inertia.couple[i * b->inertia.count + j];
  return p->m[0] + p->m[4] + p->m[8];
}

static void take_masses(arena *memory, floating_body *b) {
  const int n = b->modes, groups = pack_count(n);
  b->mass = ARENA_ARRAY(memory, pack, (long)groups * PACK * groups);
  b->couplings = ARENA_ARRAY(memory, struct floating_coupling, n * b->fields);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) pack_put(b->mass + i * groups, j, mass_between(b, i, j));
  for (int k = 0; k < b->fields; k++)
    for (int i = 0; i < n; i++)
      if (mass_between(b, i, n + k) != 0)
        b->couplings[b->coupling_count++] = (struct floating_coupling){i, k, mass_between(b, i, n + k)};
}

// The largest displacement that S_k of two modes stands for, in the measure of the mass.
static double largest_between(const floating_body *b, int i, int j) {
  const int n = b->modes;
  double sum = 0;
  for (int k = 0; k < b->fields; k++) sum += b->square[(k * n + i) * n + j] * b->square[(k * n + i) * n + j];
  return sqrt(sum);
}

// Displacements below 1e-9 of the largest are less than what the fields leave out, and mostly rounding.
static void take_partners_of(arena *memory, const floating_body *b, int i, double rounding,
                             struct floating_partners *p) {
  const int n = b->modes, groups = pack_count(b->fields);
  bool *near = ARENA_ARRAY(memory, bool, n), any = false;
  for (int j = 0; j < n; j++) any |= near[j] = largest_between(b, i, j) > rounding;
  if (!any) return;
  p->mode = ARENA_ARRAY(memory, int, n), p->mode[p->count++] = i;
  for (int j = i + 1; j < n; j++)
    if (near[j]) p->mode[p->count++] = j;
  p->behind = p->count;
  for (int j = 0; j < i; j++)
    if (near[j]) p->mode[p->count++] = j;
  p->weight = ARENA_ARRAY(memory, pack, p->count * groups);
  for (int a = 0; a < p->count; a++)
    for (int k = 0; k < b->fields; k++) pack_put(p->weight + a * groups, k, b->square[(k * n + i) * n + p->mode[a]]);
}

static void take_partners(arena *memory, floating_body *b) {
  double rounding = 0;
  for (int i = 0; i < b->modes; i++)
    for (int j = 0; j < b->modes; j++) rounding = fmax(rounding, 1e-9 * largest_between(b, i, j));
  b->partners = ARENA_ARRAY(memory, struct floating_partners, b->modes);
  for (int i = 0; i < b->modes && b->fields; i++) take_partners_of(memory, b, i, rounding, &b->partners[i]);
}

static void take_basis(arena *memory, floating_body *b) {
  b->basis = field_basis_find(memory, &b->inertia, b->modes);
  b->square = field_basis_squares(memory, &b->basis, b->modes, b->square);
  field_basis_turn(memory, &b->basis, b->modes, &b->inertia);
}

void floating_prepare(arena *memory, floating_body *b) {
  inertia_drop_rounding(&b->inertia, b->modes);
  if (b->fields) take_basis(memory, b);
  inertia_part_shapes(&b->inertia);
  take_masses(memory, b);
  inertia_tables(memory, &b->inertia, b->modes, &b->tables);
  take_partners(memory, b);
}

static bool are_same(const void *a, const void *b, size_t count, size_t size) {
  return memcmp(a, b, count * size) == 0;
}

bool floating_is_same(const floating_body *a, const floating_body *b) {
  if (a->modes != b->modes || a->fields != b->fields) return false;
  const flex_inertia *i = &a->inertia, *j = &b->inertia;
  const size_t n = (size_t)i->count, modes = (size_t)a->modes;
  return i->mass == j->mass && are_same(&i->first, &j->first, 1, sizeof i->first) &&
         are_same(&i->second, &j->second, 1, sizeof i->second) && are_same(i->shift, j->shift, n, sizeof *i->shift) &&
         are_same(i->moment, j->moment, n, sizeof *i->moment) &&
         are_same(i->couple, j->couple, n * n, sizeof *i->couple) &&
         (!a->fields || are_same(a->square, b->square, (size_t)a->fields * modes * modes, sizeof *a->square));
}

static void create_work(arena *memory, const floating_body *b, floating_state *to) {
  const int modes = pack_count(b->modes), fields = pack_count(b->fields), all = b->tables.groups;
  to->all = (flex_coordinates){ARENA_ARRAY(memory, pack, all), ARENA_ARRAY(memory, pack, all),
                               ARENA_ARRAY(memory, pack, all)};
  to->s = to->all.q + modes, to->sdot = to->all.qdot + modes, to->curved = to->all.known + modes;
  to->by_mode = ARENA_ARRAY(memory, pack, modes * PACK * fields);
  to->rate = ARENA_ARRAY(memory, pack, fields * PACK * modes);
  to->rows = ARENA_ARRAY(memory, pack, 6 * modes);
  inertia_state_create(memory, &b->tables, &to->inertia);
}

void floating_state_create(arena *memory, const floating_body *b, const floating_state *with, floating_state *to) {
  const int modes = pack_count(b->modes);
  if (with) *to = *with;
  else create_work(memory, b, to);
  to->ff = ARENA_ARRAY(memory, pack, (long)modes * PACK * modes), to->bias = ARENA_ARRAY(memory, pack, modes);
}

// --- equations of motion ---------------------------------------------------------------------------------------------

// Twice the coordinates of `width` groups of fields, their rates, and half of what of s̈ does not depend on q̈.
typedef struct field_sums {
  pack s[4], rate[4], curved[4];
} field_sums;

// Of one mode i, for `width` groups of fields from `first` on: S q, a row over the fields, and its part of the sums. Of
// two partners only one takes part in ½ q̇ᵀ S q̇.
PACK_INLINE void follow_mode(const int width, int first, int fields, const floating_body *b, int i, const double *q,
                             const double *qdot, floating_state *s, field_sums *sums) {
  const struct floating_partners *p = &b->partners[i];
  pack sum[4], more[4], *to = s->by_mode + i * fields + first;
  if (!p->count) {
    for (int f = 0; f < width; f++) to[f] = (pack){0};
    return;
  }
  const pack *w = p->weight + first;
  const int *mode = p->mode, *behind = mode + p->behind, *end = mode + p->count;
  for (int f = 0; f < width; f++) sum[f] = q[i] * w[f], more[f] = (0.5 * qdot[i]) * w[f];
  for (mode++, w += fields; mode < behind; mode++, w += fields)
    for (int f = 0; f < width; f++) sum[f] += q[*mode] * w[f], more[f] += qdot[*mode] * w[f];
  for (; mode < end; mode++, w += fields)
    for (int f = 0; f < width; f++) sum[f] += q[*mode] * w[f];
  for (int f = 0; f < width; f++) {
    to[f] = sum[f];
    sums->s[f] += q[i] * sum[f], sums->rate[f] += qdot[i] * sum[f], sums->curved[f] += qdot[i] * more[f];
  }
}

// s = ½ qᵀ S q, ṡ = (S q)·q̇, s̈ = (S q)·q̈ + q̇ᵀ S q̇ of `width` groups of fields from `first` on.
PACK_INLINE void follow_fields(const int width, int first, int fields, const floating_body *b, const double *q,
                               const double *qdot, floating_state *s) {
  field_sums sums;
  for (int f = 0; f < width; f++) sums.s[f] = sums.rate[f] = sums.curved[f] = (pack){0};
  for (int i = 0; i < b->modes; i++) follow_mode(width, first, fields, b, i, q, qdot, s, &sums);
  for (int f = 0; f < width; f++)
    s->s[first + f] = 0.5 * sums.s[f], s->sdot[first + f] = sums.rate[f], s->curved[first + f] = 2 * sums.curved[f];
}

// Rows over the modes for each field, from rows over the fields for each mode, by square blocks.
PACK_INLINE void turn_rates(const int modes, const int fields, floating_state *s) {
  for (int f = 0; f < fields; f++)
    for (int g = 0; g < modes; g++) {
      pack block[PACK];
      for (int k = 0; k < PACK; k++) block[k] = s->by_mode[(g * PACK + k) * fields + f];
      pack_transpose(block);
      for (int k = 0; k < PACK; k++) s->rate[(f * PACK + k) * modes + g] = block[k];
    }
}

PACK_INLINE void follow(const int modes, const int fields, const floating_body *b, const double *q, const double *qdot,
                        floating_state *s) {
  pack_load_row(q, b->modes, s->all.q), pack_load_row(qdot, b->modes, s->all.qdot);
  if (!b->fields) return;
  int f = 0;
  for (; f + 4 <= fields; f += 4) follow_fields(4, f, fields, b, q, qdot, s);
  if (f + 2 <= fields) follow_fields(2, f, fields, b, q, qdot, s), f += 2;
  for (; f < fields; f++) follow_fields(1, f, fields, b, q, qdot, s);
  turn_rates(modes, fields, s);
}

// Four rows over all shapes, which become rows over the modes.
typedef struct joined_rows {
  const pack *from[4];
  pack *to[4];
} joined_rows;

// `width` groups of modes from `first` on; only the first row has numbers for fields that do not couple.
PACK_INLINE void join_groups(const int width, int modes, int first, const floating_body *b, const floating_state *s,
                             const joined_rows *r) {
  pack sum[4][3];
  const double *field[4];
  for (int i = 0; i < 4; i++) {
    field[i] = (const double *)(r->from[i] + modes);
    for (int g = 0; g < width; g++) sum[i][g] = r->from[i][first + g];
  }
  const pack *rate = s->rate + first;
  int k = 0;
  for (; k < b->basis.coupled; k++, rate += modes)
    for (int i = 0; i < 4; i++)
      for (int g = 0; g < width; g++) sum[i][g] += field[i][k] * rate[g];
  for (; k < b->fields; k++, rate += modes)
    for (int g = 0; g < width; g++) sum[0][g] += field[0][k] * rate[g];
  for (int i = 0; i < 4; i++)
    for (int g = 0; g < width; g++) r->to[i][first + g] = sum[i][g];
}

// y := Dᵀ y with ż = D q̇, for four rows at once: each number of D is loaded once.
PACK_INLINE void join_four(const int modes, const floating_body *b, const floating_state *s, const joined_rows *r) {
  int g = 0;
  for (; g + 3 <= modes; g += 3) join_groups(3, modes, g, b, s, r);
  if (g + 2 == modes) join_groups(2, modes, g, b, s, r);
  else if (g + 1 == modes) join_groups(1, modes, g, b, s, r);
}

// Row i of those for (ω, v) over all shapes.
PACK_INLINE const pack *row_of(const floating_body *b, const floating_state *s, int i) {
  return i < 3 ? s->inertia.turning + i * b->tables.groups : b->tables.shift + (i - 3) * b->tables.groups;
}

// Bias and rows of the mass matrix. Fields along one axis have a part in three of these alone. All six and the bias are
// joined in two turns, of which the second has a row of the first again.
PACK_INLINE void join(const int modes, const floating_body *b, floating_state *s) {
  const int axis = b->basis.axis, next = axis == 2 ? 0 : axis + 1, last = axis == 0 ? 2 : axis - 1;
  pack *to = s->rows;
  if (b->fields && axis < 0) {
    join_four(modes, b, s,
              &(joined_rows){{s->inertia.bias, row_of(b, s, 0), row_of(b, s, 1), row_of(b, s, 2)},
                             {s->bias, to, to + modes, to + 2 * modes}});
    join_four(modes, b, s,
              &(joined_rows){{s->inertia.bias, row_of(b, s, 3), row_of(b, s, 4), row_of(b, s, 5)},
                             {s->bias, to + 3 * modes, to + 4 * modes, to + 5 * modes}});
    return;
  }
  for (int i = 0; i < 6; i++)
    for (int g = 0; g < modes; g++) to[i * modes + g] = row_of(b, s, i)[g];
  if (!b->fields) {
    for (int g = 0; g < modes; g++) s->bias[g] = s->inertia.bias[g];
    return;
  }
  join_four(modes, b, s,
            &(joined_rows){{s->inertia.bias, row_of(b, s, next), row_of(b, s, last), row_of(b, s, 3 + axis)},
                           {s->bias, to + next * modes, to + last * modes, to + (3 + axis) * modes}});
}

// ff += Dᵀ ∫ φ_i·ψ_k dm D of modes i and fields k.
static void add_couplings(const floating_body *b, floating_state *s) {
  const int n = b->modes, across = PACK * pack_count(n);
  const double *rate = (const double *)s->rate;
  double *ff = (double *)s->ff;
  for (int c = 0; c < b->coupling_count; c++) {
    const struct floating_coupling *of = &b->couplings[c];
    for (int i = 0; i < n; i++) {
      const double part = of->mass * rate[of->field * across + i];
      ff[of->mode * across + i] += part, ff[i * across + of->mode] += part;
    }
  }
}

// Dᵀ ∫ φᵀφ D over the modes.
PACK_INLINE void join_masses(const int modes, const floating_body *b, floating_state *s) {
  pack_add_products(modes, b->modes, b->fields, s->rate, s->rate, b->mass, s->ff);
  if (b->coupling_count) add_couplings(b, s);
}

// What the mass matrix of all shapes makes of s̈'s part that does not depend on q̈.
static void add_curved(const floating_body *b, floating_state *s) {
  double *bias = (double *)s->inertia.bias;
  const double *curved = (const double *)s->curved;
  pack *of_fields = s->inertia.bias + b->tables.known_from;
  for (int g = 0; g < pack_count(b->fields); g++) of_fields[g] += s->curved[g];
  for (int c = 0; c < b->coupling_count; c++)
    bias[b->couplings[c].mode] += b->couplings[c].mass * curved[b->couplings[c].field];
}

PACK_INLINE void evaluate(const int modes, const int fields, const floating_body *b, vec3 omega, const double *q,
                          const double *qdot, floating_state *s) {
  follow(modes, fields, b, q, qdot, s);
  inertia_evaluate(&b->tables, omega, &s->all, &s->inertia);
  add_curved(b, s);
  join(modes, b, s);
  join_masses(modes, b, s);
}

// Written out for the numbers of groups that most bodies have: loops over them disappear.
void floating_evaluate(const floating_body *b, vec3 omega, const double *q, const double *qdot, floating_state *s) {
  const int modes = pack_count(b->modes), fields = pack_count(b->fields);
  enum { TEN = (10 + PACK - 1) / PACK, SIXTEEN = 16 / PACK };
  if (modes == 1 && fields == 1) evaluate(1, 1, b, omega, q, qdot, s);
  else if (modes == TEN && fields == SIXTEEN) evaluate(TEN, SIXTEEN, b, omega, q, qdot, s);
  else evaluate(modes, fields, b, omega, q, qdot, s);
}

void floating_write(const floating_body *b, const floating_state *s, double *M, double *bias) {
  const int n = 6 + b->modes, across = PACK * pack_count(b->modes);
  const vec3 *c = &s->inertia.first;
  const double tilde[9] = {0, -c->z, c->y, c->z, 0, -c->x, -c->y, c->x, 0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      M[i * n + j] = s->inertia.rotary.m[3 * i + j];
      M[i * n + 3 + j] = M[(3 + j) * n + i] = tilde[3 * i + j];
      M[(3 + i) * n + 3 + j] = i == j ? b->tables.mass : 0;
    }
  for (int k = 0; k < b->modes; k++) {
    for (int i = 0; i < 6; i++) M[(6 + k) * n + i] = M[i * n + 6 + k] = ((const double *)s->rows)[i * across + k];
    for (int j = 0; j <= k; j++)
      M[(6 + k) * n + 6 + j] = M[(6 + j) * n + 6 + k] = ((const double *)s->ff)[j * across + k];
  }
  vec3_store(bias, s->inertia.torque), vec3_store(bias + 3, s->inertia.force);
  memcpy(bias + 6, s->bias, (size_t)b->modes * sizeof *bias);
}
