#include "math/lanczos.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "math/eigen.h"
#include "math/vectors.h"

enum { START_VECTORS = 6 };  // motions of a symmetric body come in pairs, of a cube in triples

typedef struct lanczos_direction {
  double *q, *Mq;
  // Once expanded: the components of A M q on the basis, as many as it had then.
  int known;
  double *T;
} lanczos_direction;

void lanczos_start(arena *memory, const symmetric *M, void (*apply)(void *context, const double *f, double *x),
                   void *context, int rank, lanczos *to) {
  *to = (lanczos){.memory = memory, .M = M, .apply = apply, .context = context, .rank = rank};
  to->product = ARENA_ARRAY(memory, double, M->n), to->momentum = ARENA_ARRAY(memory, double, M->n);
  lanczos_add_start(to);
}

// Makes w orthogonal to the basis. Adds its components to `parts`. Returns what is left of its norm; M w is in
// `momentum` then. One pass leaves as much of the components as it loses in size, so passes go on until w keeps its
// size.
static double make_orthogonal(lanczos *l, double *w, double *parts) {
  const int n = l->M->n;
  double before = INFINITY, after = 0;
  for (int pass = 0; pass < 5; pass++) {
    symmetric_multiply(l->M, w, l->momentum);
    after = sqrt(fmax(0, vectors_dot(n, w, l->momentum)));
    if (pass > 1 && after > before / 2) break;
    before = after;
    for (int j = 0; j < l->size; j++) {
      const double part = vectors_dot(n, l->basis[j].Mq, w);
      parts[j] += part;
      vectors_axpy(n, -part, l->basis[j].q, w);
    }
  }
  return after;
}

// Takes w / norm into the basis; M w is in `momentum`.
static void keep(lanczos *l, const double *w, double norm) {
  const int n = l->M->n;
  lanczos_direction *v = ARENA_PUSH(l->memory, l->basis, l->size, l->capacity);
  *v = (lanczos_direction){.q = ARENA_ARRAY(l->memory, double, n), .Mq = ARENA_ARRAY(l->memory, double, n)};
  for (int k = 0; k < n; k++) v->q[k] = w[k] / norm, v->Mq[k] = l->momentum[k] / norm;
}

// The deformation under a load of random numbers has some of every eigenvector, most of those with large eigenvalues.
static void add_start_vector(lanczos *l) {
  const int n = l->M->n;
  double *parts = ARENA_ARRAY(l->memory, double, l->size);
  for (int attempt = 0; attempt < 3 && l->size < l->rank; attempt++) {
    l->starts++;
    for (int k = 0; k < n; k++) l->momentum[k] = 2 * random_share(random_bits(0, l->starts, (uint64_t)k)) - 1;
    l->apply(l->context, l->momentum, l->product);
    symmetric_multiply(l->M, l->product, l->momentum);
    const double size = sqrt(fmax(0, vectors_dot(n, l->product, l->momentum)));
    const double left = make_orthogonal(l, l->product, parts);
    if (!(left > 1e-12 * size)) continue;
    keep(l, l->product, left);
    return;
  }
}

void lanczos_add_start(lanczos *l) {
  for (int i = 0; i < START_VECTORS; i++) add_start_vector(l);
}

// A M q of the next vector. What of it is new becomes a vector of the basis.
static void expand(lanczos *l) {
  lanczos_direction *v = &l->basis[l->expanded];
  v->T = ARENA_ARRAY(l->memory, double, l->size + 1);
  l->apply(l->context, v->Mq, l->product);
  const double left = make_orthogonal(l, l->product, v->T);
  double size = left * left;
  for (int j = 0; j < l->size; j++) size += v->T[j] * v->T[j];
  v->known = l->size;
  if (l->size < l->rank && left * left > 1e-30 * size) {
    v->T[v->known++] = left;
    keep(l, l->product, left);
  }
  l->expanded++;
}

static double component(const lanczos *l, int row, int column) {
  const lanczos_direction *v = &l->basis[column];
  return row < v->known ? v->T[row] : 0;
}

// Eigenpairs of the projection on the expanded vectors.
static bool find_pairs(lanczos *l) {
  const int m = l->expanded;
  double *B = ARENA_ARRAY(l->memory, double, (long)m *m), *values = ARENA_ARRAY(l->memory, double, m);
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++)
      B[(long)i * m + j] = B[(long)j * m + i] = (component(l, i, j) + component(l, j, i)) / 2;
  if (!eigen_symmetric(l->memory, m, B, values)) return false;
  l->pairs = m, l->values = ARENA_ARRAY(l->memory, double, m), l->weights = ARENA_ARRAY(l->memory, double, (long)m *m);
  for (int i = 0; i < m; i++) {
    l->values[i] = values[m - 1 - i];
    memcpy(l->weights + (long)i * m, B + (long)(m - 1 - i) * m, (size_t)m * sizeof *B);
  }
  return true;
}

// A M x - θ x lies in the vectors that are not expanded.
static double residual(const lanczos *l, int pair) {
  double square = 0;
  for (int i = l->expanded; i < l->size; i++) {
    double sum = 0;
    for (int j = 0; j < l->expanded; j++) sum += component(l, i, j) * l->weights[(long)pair * l->pairs + j];
    square += sum * sum;
  }
  return sqrt(square);
}

static bool have_converged(const lanczos *l, int count) {
  if (count > l->pairs) return false;
  for (int i = 0; i < count; i++)
    if (!(residual(l, i) <= 1e-10 * l->values[i] + 1e-14 * l->values[0])) return false;
  return true;
}

int lanczos_find(lanczos *l, int count, int most) {
  if (count > l->rank) count = l->rank;
  for (int until = l->expanded > count ? l->expanded : count;; until = l->expanded + 4 + l->expanded / 8) {
    while (l->expanded < until && l->expanded < l->rank) {
      if (l->expanded == l->size) lanczos_add_start(l);
      if (l->expanded == l->size) break;  // A has no more than these
      expand(l);
    }
    if (!find_pairs(l)) return -1;
    if (have_converged(l, count)) return count;
    if (l->expanded == l->rank || l->expanded == l->size) return l->pairs < count ? l->pairs : count;
    if (l->expanded >= most) return -1;
  }
}

void lanczos_vector(const lanczos *l, int pair, double *x) {
  memset(x, 0, (size_t)l->M->n * sizeof *x);
  for (int j = 0; j < l->pairs; j++) vectors_axpy(l->M->n, l->weights[(long)pair * l->pairs + j], l->basis[j].q, x);
}
