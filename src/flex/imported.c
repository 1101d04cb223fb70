#include "flex/imported.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "math/vectors.h"

// --- what is read ----------------------------------------------------------------------------------------------------

bool imported_add_node(lines *l, arena *memory, imported_nodes *to, int number, vec3 at) {
  if (to->count >= IMPORTED_NODES_MAX) return lines_fail(l, "more than %d nodes", IMPORTED_NODES_MAX);
  *ARENA_PUSH(memory, to->items, to->count, to->capacity) = (imported_node){number, at};
  return true;
}

imported_set *imported_set_of(arena *memory, imported_nodes *of, const char *name, size_t length) {
  for (int i = 0; i < of->set_count; i++)
    if (strlen(of->sets[i].name) == length && memcmp(of->sets[i].name, name, length) == 0) return &of->sets[i];
  imported_set *to = ARENA_PUSH(memory, of->sets, of->set_count, of->set_capacity);
  *to = (imported_set){.name = arena_print(memory, "%.*s", (int)length, name)};
  return to;
}

void imported_add_to_set(arena *memory, imported_set *to, int number) {
  *ARENA_PUSH(memory, to->nodes, to->count, to->capacity) = number;
}

bool imported_forces_read(const char *bytes, size_t length, arena *memory, imported_case *to, char why[LINES_WHY]) {
  lines l = lines_start(bytes, length, why);
  for (; l.at < l.end; lines_skip(&l)) {
    const lines before = l;
    const lines_word first = lines_next(&l);
    double f[3];
    int number;
    if (!first.length || *first.text == '#') continue;
    l = before;
    if (!lines_count(&l, "the number of a node", 0, INT_MAX, &number)) return false;
    for (int k = 0; k < 3; k++)
      if (!lines_number(&l, "a component of the force", &f[k])) return false;
    const lines_word more = lines_next(&l);
    if (more.length && *more.text != '#') return lines_fail(&l, "more than three components of a force");
    if (to->force_count >= IMPORTED_NODES_MAX) return lines_fail(&l, "more than %d forces", IMPORTED_NODES_MAX);
    *ARENA_PUSH(memory, to->forces, to->force_count, to->force_capacity) = (imported_node){number, vec3_of(f)};
  }
  return to->force_count > 0 || lines_fail_whole(&l, "there are no forces");
}

bool imported_add_item(lines *l, arena *memory, imported_matrix *to, int row, int column, double value) {
  if (to->count >= IMPORTED_ITEMS_MAX) return lines_fail(l, "more than %d entries", IMPORTED_ITEMS_MAX);
  *ARENA_PUSH(memory, to->items, to->count, to->capacity) = (symmetric_item){row, column, value};
  return true;
}

// --- nodes and rows --------------------------------------------------------------------------------------------------

typedef struct maker {
  arena *memory;
  imported_body *from;
  flex_elements *e;
  char *why;
  int *freedom;  // of each row
  int *index;    // of each node of the list in the elements; -1 where it has no row
} maker;

static bool fail(maker *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(maker *k, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(k->why, LINES_WHY, format, args);
  va_end(args);
  return false;
}

static int by_number(const void *a, const void *b) {
  const imported_node *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

static int find_node(const imported_nodes *of, int number) {
  const imported_node wanted = {.number = number};
  const imported_node *n = bsearch(&wanted, of->items, (size_t)of->count, sizeof *of->items, by_number);
  return n ? (int)(n - of->items) : -1;
}

static bool sort_nodes(maker *k) {
  imported_nodes *n = &k->from->nodes;
  if (n->count == 0) return fail(k, "there are no nodes");
  qsort(n->items, (size_t)n->count, sizeof *n->items, by_number);
  for (int i = 1; i < n->count; i++)
    if (n->items[i].number == n->items[i - 1].number) return fail(k, "node %d occurs twice", n->items[i].number);
  return true;
}

// Rows that each node has, a bit for each direction.
static bool check_rows(maker *k) {
  const imported_body *f = k->from;
  const imported_nodes *n = &f->nodes;
  char *has = ARENA_ARRAY(k->memory, char, n->count);
  for (int i = 0; i < f->row_count; i++) {
    const imported_row r = f->rows[i];
    const int node = find_node(n, r.number);
    if (node < 0)
      return fail(k,
                  "node %d has a row in the matrices, but no place in the list of nodes; elements with inner freedoms "
                  "(C3D8I) cannot be imported",
                  r.number);
    if (has[node] & 1 << r.direction)
      return fail(k,
                  "%d.%d occurs twice: elements that are expanded (beams, shells) repeat their nodes; only solid "
                  "elements can be imported",
                  r.number, r.direction + 1);
    has[node] = (char)(has[node] | 1 << r.direction);
  }
  for (int i = 0; i < n->count; i++) {
    k->index[i] = has[i] ? k->e->node_count++ : -1;
    for (int d = 0; has[i] && d < 3; d++)
      if (!(has[i] & 1 << d))
        return fail(k, "%d.%d is missing: the node is held; leave out *BOUNDARY, joints of the model carry the body",
                    n->items[i].number, d + 1);
  }
  return true;
}

static bool make_nodes(maker *k, double length) {
  const imported_body *f = k->from;
  k->index = ARENA_ARRAY(k->memory, int, f->nodes.count);
  *k->e = (flex_elements){0};
  if (!check_rows(k)) return false;
  if (k->e->node_count < 4) return fail(k, "a body needs at least four nodes");
  if (3 * k->e->node_count > IMPORTED_FREEDOMS_MAX)
    return fail(k, "it has %d freedoms; at most %d are supported", 3 * k->e->node_count, IMPORTED_FREEDOMS_MAX);
  elements_create(k->memory, k->e, k->e->node_count, (bool[6]){true, true, true}, 0);
  for (int i = 0; i < f->nodes.count; i++)
    if (k->index[i] >= 0) k->e->nodes[k->index[i]] = vec3_scale(length, f->nodes.items[i].at);
  k->freedom = ARENA_ARRAY(k->memory, int, f->row_count);
  for (int i = 0; i < f->row_count; i++)
    k->freedom[i] = k->e->freedoms[k->index[find_node(&f->nodes, f->rows[i].number)]][f->rows[i].direction];
  return true;
}

static bool make_matrix(maker *k, const char *name, imported_matrix *from, double factor, symmetric *to) {
  symmetric_item wrong = {0};
  bool twice;
  if (from->rows != k->from->row_count)
    return fail(k, "the %s matrix has %d rows, but the nodes have %d", name, from->rows, k->from->row_count);
  for (int i = 0; i < from->count; i++) {
    symmetric_item *e = &from->items[i];
    e->row = k->freedom[e->row], e->column = k->freedom[e->column], e->value *= factor;
  }
  if (symmetric_of_items(k->memory, from->rows, from->count, from->items, from->both, to, &wrong, &twice)) return true;
  return fail(k, twice ? "an entry of the %s matrix occurs twice" : "the %s matrix is not symmetric", name);
}

// --- the mass over the nodes -----------------------------------------------------------------------------------------

static const char *node_name(maker *k, int node) {
  for (int i = 0; i < k->from->nodes.count; i++)
    if (k->index[i] == node) return arena_print(k->memory, "%d", k->from->nodes.items[i].number);
  return "?";
}

// The mass of elements with reduced integration is zero for some motions of their nodes (C3D20R), and for some a
// rounding below: with 1e-8 of its diagonal added it must be definite.
static bool has_no_negative_mass(arena *memory, const symmetric *m) {
  int *all = ARENA_ARRAY(memory, int, m->n), *none = ARENA_ARRAY(memory, int, 1);
  symmetric diagonal = symmetric_create(memory, m->n, 0, none, NULL);
  for (int i = 0; i < m->n; i++) {
    all[i] = i, *symmetric_entry(&diagonal, i, i) = symmetric_value(m, i, i);
    if (!(symmetric_value(m, i, i) > 0)) return false;
  }
  const symmetric more = symmetric_part(memory, m, -1e-8, &diagonal, m->n, all);
  symmetric_factor f;
  return symmetric_factorize(memory, &more, &f) && f.negative == 0;
}

// m_ab from every third row and column, once directions are known to move alike.
static bool make_node_mass(maker *k) {
  const symmetric *M = &k->e->mass;
  symmetric_item *items = ARENA_ARRAY(k->memory, symmetric_item, M->start[M->n]), wrong;
  int count = 0;
  bool twice;
  for (int i = 0; i < M->n; i++)
    for (int p = M->start[i]; p < M->start[i + 1]; p++) {
      const int a = i / 3, b = M->column[p] / 3;
      const double size = sqrt(fabs(symmetric_value(M, 3 * a, 3 * a) * symmetric_value(M, 3 * b, 3 * b)));
      const double wanted = i % 3 == M->column[p] % 3 ? symmetric_value(M, 3 * a, 3 * b) : 0;
      if (!(fabs(M->value[p] - wanted) <= 1e-8 * size))
        return fail(k,
                    "at node %s the mass matrix couples directions, or differs between them: it is not that of solid "
                    "elements",
                    node_name(k, a));
      if (i % 3 == 0 && M->column[p] % 3 == 0) items[count++] = (symmetric_item){a, b, M->value[p]};
    }
  symmetric *m = ARENA_NEW(k->memory, symmetric);
  if (!symmetric_of_items(k->memory, k->e->node_count, count, items, true, m, &wrong, &twice)) return false;
  k->e->node_mass = m;
  return has_no_negative_mass(k->memory, m) || fail(k, "the mass matrix is not positive definite");
}

// --- rigid motions ---------------------------------------------------------------------------------------------------

// Forces of a rigid motion are rounding: positions of nodes may have six digits.
static bool check_rigid(maker *k) {
  static const char *const motions[6] = {"shift along x", "shift along y", "shift along z",
                                         "turn about x",  "turn about y",  "turn about z"};
  const symmetric *K = &k->e->stiffness;
  double *rigid = ARENA_ARRAY(k->memory, double, 6L * K->n), *force = ARENA_ARRAY(k->memory, double, K->n);
  elements_rigid(k->e, rigid);
  for (int m = 0; m < 6; m++) {
    const double *r = rigid + (long)m * K->n;
    double most = 0, size = 0;
    int at = 0;
    symmetric_multiply(K, r, force);
    for (int i = 0; i < K->n; i++) {
      double sum = 0;
      for (int p = K->start[i]; p < K->start[i + 1]; p++) sum += fabs(K->value[p] * r[K->column[p]]);
      size = fmax(size, sum);
      if (fabs(force[i]) > most) most = fabs(force[i]), at = i / 3;
    }
    if (!(most <= 1e-6 * size))
      return fail(k,
                  "the stiffness matrix resists a %s (%.1e of its terms at node %s): a node is held, or the places are "
                  "not those of its nodes",
                  motions[m], most / size, node_name(k, at));
  }
  return true;
}

// --- load cases ------------------------------------------------------------------------------------------------------

static double largest_of(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// Forces have no resultant and no moment, up to the digits that they are written with.
static bool check_balance(maker *k, const imported_case *c, const double *forces) {
  static const double DIGITS = 1e-5;
  const int n = k->e->freedom_count;
  double *rigid = ARENA_ARRAY(k->memory, double, 6L * n);
  elements_rigid(k->e, rigid);
  for (int m = 0; m < 6; m++) {
    double sum = 0, size = 0;
    for (int i = 0; i < n; i++) sum += forces[i] * rigid[(long)m * n + i], size += fabs(forces[i]);
    if (!(fabs(sum) <= DIGITS * size * largest_of(n, rigid + (long)m * n)))
      return fail(k, "the forces of the load '%.40s' are not balanced: those of its supports belong to them", c->name);
  }
  return true;
}

// A shift of the body changes no stress, so that a load resists none. The difference of two stiffness matrices has
// their rounding.
static bool check_shifts(maker *k, const imported_case *c, const symmetric *G) {
  const symmetric *K = &k->e->stiffness;
  const int n = G->n;
  double *shift = ARENA_ARRAY(k->memory, double, n), *force = ARENA_ARRAY(k->memory, double, n);
  const double size = 1e-4 * largest_of(G->start[n], G->value) + 1e-9 * largest_of(K->start[n], K->value);
  for (int d = 0; d < 3; d++) {
    for (int i = 0; i < n; i++) shift[i] = i % 3 == d;
    symmetric_multiply(G, shift, force);
    if (!(largest_of(n, force) <= size))
      return fail(k, "the stiffness matrix under the load '%.40s' is not that of this body: it resists a shift",
                  c->name);
  }
  return true;
}

// A stressed body that turns by Ω takes its forces along: (Ω'x)·G Ωx = Σ (Ω'x)·ΩF for any two small turns. This holds
// to first order in the load, and tells forces of another size or sign.
static bool check_turns(maker *k, const imported_case *c, const double *forces, const symmetric *G) {
  static const double FIRST_ORDER = 0.02;
  static const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int n = G->n;
  double *rigid = ARENA_ARRAY(k->memory, double, 6L * n), *force = ARENA_ARRAY(k->memory, double, n);
  double off = 0, size = 0;
  elements_rigid(k->e, rigid);
  for (int j = 0; j < 3; j++) {
    symmetric_multiply(G, rigid + (3L + j) * n, force);
    for (int i = 0; i < 3; i++) {
      const double *turn = rigid + (3L + i) * n;
      double sum = 0;
      for (int a = 0; a < n; a += 3) {
        const vec3 taken = vec3_cross(axes[j], vec3_of(forces + a));
        sum += vec3_dot(vec3_of(turn + a), vec3_sub(vec3_of(force + a), taken));
        size += vec3_norm(vec3_of(turn + a)) * vec3_norm(taken);
      }
      off = fmax(off, fabs(sum));
    }
  }
  return off <= FIRST_ORDER * size ||
         fail(k,
              "the forces of the load '%.40s' do not fit its stiffness matrix: it must be that of the body under these "
              "forces",
              c->name);
}

static bool make_load(maker *k, imported_case *c, double length, double mass, imported_load *to) {
  symmetric loaded;
  const int n = k->e->freedom_count;
  const char *name = arena_print(k->memory, "loaded ('%.40s') stiffness", c->name);
  if (!make_matrix(k, name, &c->stiffness, mass, &loaded)) return false;
  int *all = ARENA_ARRAY(k->memory, int, n);
  for (int i = 0; i < n; i++) all[i] = i;
  to->geometric = symmetric_part(k->memory, &loaded, 1, &k->e->stiffness, n, all);
  to->forces = ARENA_ARRAY(k->memory, double, n);
  for (int i = 0; i < c->force_count; i++) {
    const int node = find_node(&k->from->nodes, c->forces[i].number);
    if (node < 0 || k->index[node] < 0)
      return fail(k, "the load '%.40s' has a force on node %d, which has no row", c->name, c->forces[i].number);
    double f[3];
    vec3_store(f, vec3_scale(mass * length, c->forces[i].at));
    for (int d = 0; d < 3; d++) to->forces[k->e->freedoms[k->index[node]][d]] += f[d];
  }
  return check_balance(k, c, to->forces) && check_shifts(k, c, &to->geometric) &&
         check_turns(k, c, to->forces, &to->geometric);
}

static bool make_loads(maker *k, double length, double mass, imported_load **to) {
  imported_body *f = k->from;
  *to = ARENA_ARRAY(k->memory, imported_load, f->case_count);
  for (int i = 0; i < f->case_count; i++)
    if (!make_load(k, &f->cases[i], length, mass, &(*to)[i])) return false;
  return true;
}

// --- all -------------------------------------------------------------------------------------------------------------

static bool name_sets(maker *k, flex_interfaces *to) {
  const imported_nodes *n = &k->from->nodes;
  bool *seen = ARENA_ARRAY(k->memory, bool, k->e->node_count);
  for (int s = 0; s < n->set_count; s++) {
    const imported_set *set = &n->sets[s];
    int *list = ARENA_ARRAY(k->memory, int, set->count), count = 0;
    for (int i = 0; i < set->count; i++) {
      const int node = find_node(n, set->nodes[i]);
      if (node < 0) return fail(k, "the set '%.40s' has node %d, which has no place", set->name, set->nodes[i]);
      if (k->index[node] < 0 || seen[k->index[node]]) continue;
      seen[k->index[node]] = true;
      list[count++] = k->index[node];
    }
    for (int i = 0; i < count; i++) seen[list[i]] = false;
    if (count) interfaces_add(k->memory, to, (flex_interface){.name = set->name, .count = count, .nodes = list});
  }
  return true;
}

bool imported_elements(arena *memory, imported_body *from, double length, double mass, imported_result *to,
                       char why[LINES_WHY]) {
  flex_elements *e = &to->e;
  maker k = {.memory = memory, .from = from, .e = e, .why = why};
  why[0] = 0;
  return sort_nodes(&k) && make_nodes(&k, length) && make_matrix(&k, "mass", &from->mass, mass, &e->mass) &&
         make_matrix(&k, "stiffness", &from->stiffness, mass, &e->stiffness) && make_node_mass(&k) && check_rigid(&k) &&
         name_sets(&k, &to->interfaces) && make_loads(&k, length, mass, &to->loads);
}

// --- places ----------------------------------------------------------------------------------------------------------

int imported_nearest(const flex_elements *e, vec3 at) {
  int best = 0;
  double least = INFINITY;
  for (int i = 0; i < e->node_count; i++) {
    const double way = vec3_norm(vec3_sub(e->nodes[i], at));
    if (way < least) least = way, best = i;
  }
  return best;
}

// Columns of  u = s + θ × d  over (s, θ): direction k of the node moves by row[k] · (s, θ).
static void rigid_rows(vec3 d, double row[3][6]) {
  const double rows[3][6] = {{1, 0, 0, 0, d.z, -d.y}, {0, 1, 0, -d.z, 0, d.x}, {0, 0, 1, d.y, -d.x, 0}};
  memcpy(row, rows, sizeof rows);
}

// (s, θ) = N⁻¹ Σ rowᵀ u with N = Σ rowᵀ row, lengths measured by the size of the set so that N is balanced.
static bool fit(const flex_elements *e, int count, const int *nodes, vec3 at, flex_place *to, int *freedom, vec3 *shape,
                vec3 *turn) {
  double N[36] = {0}, size = 0, row[3][6];
  for (int i = 0; i < count; i++) size = fmax(size, vec3_norm(vec3_sub(e->nodes[nodes[i]], at)));
  if (!(size > 0)) return false;
  for (int i = 0; i < count; i++) {
    rigid_rows(vec3_scale(1 / size, vec3_sub(e->nodes[nodes[i]], at)), row);
    for (int d = 0; d < 3; d++)
      for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++) N[6 * a + b] += row[d][a] * row[d][b];
  }
  if (!dense_cholesky(6, N, 6, 1e-6, NULL)) return false;
  for (int i = 0; i < count; i++) {
    rigid_rows(vec3_scale(1 / size, vec3_sub(e->nodes[nodes[i]], at)), row);
    for (int d = 0; d < 3; d++) {
      dense_cholesky_solve(6, N, 6, row[d]);
      freedom[3 * i + d] = e->freedoms[nodes[i]][d];
      shape[3 * i + d] = vec3_of(row[d]), turn[3 * i + d] = vec3_scale(1 / size, vec3_of(row[d] + 3));
    }
  }
  *to = (flex_place){.at = at, .wide = {3 * count, freedom, shape, turn}};
  return true;
}

bool imported_place(arena *memory, const flex_elements *e, const flex_interface *set, vec3 at, flex_place *to) {
  int count;
  const int *nodes;
  if (set) count = set->count, nodes = set->nodes;
  else {
    const int near = imported_nearest(e, at);
    const symmetric *m = e->node_mass;
    count = m->start[near + 1] - m->start[near], nodes = m->column + m->start[near];
  }
  int *freedom = ARENA_ARRAY(memory, int, 3 * count);
  vec3 *shape = ARENA_ARRAY(memory, vec3, 3 * count), *turn = ARENA_ARRAY(memory, vec3, 3 * count);
  return fit(e, count, nodes, at, to, freedom, shape, turn);
}
