#include "flex/modes.h"

#include <string.h>

#include "math/dense.h"
#include "math/eigen.h"
#include "math/lanczos.h"
#include "math/vectors.h"

// Frequencies with a smaller relative difference are equal.
#define EQUAL 1e-8

// --- the rule for signs and equal frequencies ------------------------------------------------------------------------

// The freedom at which a combination of unit size of the rows moves most, among those of the directions from `from` on
// up to `end` of every node. Returns that motion.
static double most_moved(const flex_elements *e, int count, const double *phi, int from, int end, int *best) {
  const int n = e->freedom_count;
  double most = 0;
  for (int i = 0; i < e->node_count; i++)
    for (int d = from; d < end; d++) {
      const int k = e->freedoms[i][d];
      double square = 0;
      for (int m = 0; k >= 0 && m < count; m++) square += phi[(long)m * n + k] * phi[(long)m * n + k];
      if (square > most * (1 + 1e-6)) most = square, *best = k;
    }
  return sqrt(most);
}

// Displacements below 1e-6 of what the turns would move over the body's size are rounding: it twists.
static int leading_freedom(const flex_elements *e, int count, const double *phi) {
  int displaced = 0, turned = 0;
  double size = 0;
  for (int i = 0; i < e->node_count; i++) size = fmax(size, vec3_norm(vec3_sub(e->nodes[i], e->nodes[0])));
  const double way = most_moved(e, count, phi, 0, 3, &displaced), turn = most_moved(e, count, phi, 3, 6, &turned);
  return way > 1e-6 * size * turn ? displaced : turned;
}

// Reflects the rows so that the first alone moves the freedom, in its positive direction: with c the unit vector of
// what the rows do there, 1 - 2 u uᵀ / u² with u = c - e₁ takes c to e₁.
static void reflect(int count, int n, double *phi, int freedom, double *u) {
  double norm = 0, square = 0;
  for (int i = 0; i < count; i++) u[i] = phi[(long)i * n + freedom], norm += u[i] * u[i];
  norm = sqrt(norm);
  if (!(norm > 0)) return;
  for (int i = 0; i < count; i++) u[i] /= norm;
  u[0] -= 1;
  for (int i = 0; i < count; i++) square += u[i] * u[i];
  if (!(square > 0)) return;
  for (int k = 0; k < n; k++) {
    double part = 0;
    for (int i = 0; i < count; i++) part += u[i] * phi[(long)i * n + k];
    for (int i = 0; i < count; i++) phi[(long)i * n + k] -= 2 * part / square * u[i];
  }
}

// Whether a mode has another frequency than the one before it.
static bool is_apart(double omega, double before) { return omega - before > EQUAL * omega; }

static void apply_rule(arena *memory, const flex_elements *e, flex_modes *modes) {
  const int n = e->freedom_count;
  double *u = ARENA_ARRAY(memory, double, modes->count);
  for (int first = 0, end; first < modes->count; first = end) {
    for (end = first + 1; end < modes->count && !is_apart(modes->omega[end], modes->omega[end - 1]);) end++;
    for (int i = first; i < end; i++) {
      double *rows = modes->phi + (long)i * n;
      reflect(end - i, n, rows, leading_freedom(e, end - i, rows), u);
    }
  }
}

// --- eigenmodes ------------------------------------------------------------------------------------------------------

// With M = L Lᵀ over the free freedoms, the modes are φ = L⁻ᵀ z where Lᵀ A L z = ω⁻² z. In the largest of these
// eigenvalues, those of the slowest modes, rounding is smallest. Frequencies are the strains of the modes: an error of
// a mode counts there as its square.

// z-space of the motions without strain: rows Lᵀ r, orthonormal.
static double *strainless(arena *memory, const flexibility *a, const double *L) {
  const int n = a->free_count;
  double *z = ARENA_ARRAY(memory, double, (long)a->rigid_count *n);
  for (int i = 0; i < a->rigid_count; i++)
    for (int j = 0; j < n; j++) vectors_axpy(j + 1, a->rigid[(long)i * n + j], L + (long)j * n, z + (long)i * n);
  return z;
}

// S = L_K⁻¹ P L over the solved freedoms: Lᵀ A L = SᵀS.
static double *stretch_of_momentum(arena *memory, const flexibility *a, const double *L) {
  const int n = a->free_count, m = a->solved_count;
  const double *z = strainless(memory, a, L);
  double *S = ARENA_ARRAY(memory, double, (long)m *n);
  for (int i = 0; i < m; i++) {
    const int row = a->solved[i];
    double *s = S + (long)i * n;
    memcpy(s, L + (long)row * n, (size_t)(row + 1) * sizeof *s);
    for (int r = 0; r < a->rigid_count; r++) vectors_axpy(n, -a->momentum[(long)r * n + row], z + (long)r * n, s);
    for (int k = 0; k < i; k++) vectors_axpy(n, -a->factor[(long)i * m + k], S + (long)k * n, s);
    const double pivot = a->factor[(long)i * m + i];
    for (int k = 0; k < n; k++) s[k] /= pivot;
  }
  return S;
}

static double *gram(arena *memory, int rows, int n, const double *S) {
  double *B = ARENA_ARRAY(memory, double, (long)n *n);
  for (int k = 0; k < rows; k++)
    for (int i = 0; i < n; i++) vectors_axpy(i + 1, S[(long)k * n + i], S + (long)k * n, B + (long)i * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) B[(long)j * n + i] = B[(long)i * n + j];
  return B;
}

// L of the mass matrix over the free freedoms, lower triangle; null if that is not positive definite.
static double *factor_mass(arena *memory, const flexibility *a) {
  const int n = a->free_count;
  double *L = ARENA_ARRAY(memory, double, (long)n *n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) L[(long)i * n + j] = symmetric_value(&a->e->mass, a->free[i], a->free[j]);
  return dense_cholesky(n, L, n, 1e-14, NULL) ? L : NULL;
}

// φ = L⁻ᵀ z, spread over all freedoms.
static void shape_of(const flexibility *a, const double *L, double *z, double *phi) {
  const int n = a->free_count;
  for (int i = n - 1; i >= 0; i--) {
    z[i] /= L[(long)i * n + i];
    vectors_axpy(i, -z[i], L + (long)i * n, z);
  }
  for (int i = 0; i < n; i++) phi[a->free[i]] = z[i];
}

static void create(arena *memory, const flex_elements *e, int count, flex_modes *to) {
  *to = (flex_modes){.count = count};
  to->phi = ARENA_ARRAY(memory, double, (long)count * e->freedom_count);
  to->omega = ARENA_ARRAY(memory, double, count);
}

static double frequency_of(const flex_elements *e, const double *phi, double *image) {
  elements_image(e, phi, image);
  return sqrt(elements_product(e, phi, image, image));
}

// All modes from one matrix of LAPACK.
static bool eigen_dense(arena *memory, const flexibility *a, flex_modes *to) {
  const int n = a->free_count;
  const double *L = factor_mass(memory, a);
  if (!L) return false;
  double *B = gram(memory, a->solved_count, n, stretch_of_momentum(memory, a, L));
  double *values = ARENA_ARRAY(memory, double, n), *image = ARENA_ARRAY(memory, double, elements_image_size(a->e));
  if (!eigen_symmetric(memory, n, B, values)) return false;
  create(memory, a->e, n - a->rigid_count, to);
  for (int i = 0; i < to->count; i++) {
    double *phi = to->phi + (long)i * a->e->freedom_count;
    shape_of(a, L, B + (long)(n - 1 - i) * n, phi);
    to->omega[i] = frequency_of(a->e, phi, image);
  }
  return true;
}

typedef struct applied {
  arena *scratch;
  const flexibility *a;
} applied;

static void apply(void *context, const double *f, double *x) {
  const applied *c = context;
  flexibility_apply(c->scratch, c->a, f, x);
}

// How many frequencies are below: negative pivots of K - ω² M, without motions that have no strain. -1 where a pivot is
// rounding.
static int count_below(arena *memory, const flexibility *a, double omega) {
  const arena_mark mark = arena_get_mark(memory);
  const symmetric shifted =
      symmetric_part(memory, &a->e->stiffness, omega * omega, &a->e->mass, a->free_count, a->free);
  symmetric_factor f;
  const bool good = symmetric_factorize(memory, &shifted, &f) && f.least > 1e-12;
  arena_release(memory, mark);
  return good ? f.negative - a->rigid_count : -1;
}

// Enough pairs of the iteration for `count` modes and those with the frequency of the last, and one more. Returns how
// many modes that is without the one more, -1 if it does not converge.
static int find_group(lanczos *l, int count) {
  const int most = 8 * count + 400;
  for (int more = count;; more++) {
    const int found = lanczos_find(l, more + 1, most);
    if (found <= more) return found;
    if (is_apart(1 / sqrt(l->values[more]), 1 / sqrt(l->values[more - 1]))) return more;
  }
}

// By Lanczos's method. The number of frequencies below one between the last mode and the next is counted, so that no
// mode is missed.
static bool eigen_sparse(arena *memory, const flexibility *a, int count, flex_modes *to) {
  lanczos l;
  applied context = {memory, a};
  lanczos_start(memory, &a->e->mass, apply, &context, a->free_count - a->rigid_count, &l);
  for (int attempt = 0; attempt < 5; attempt++) {
    const int found = find_group(&l, count);
    if (found < count) return false;
    if (found < l.rank) {
      const double part = 0.5 + 0.05 * attempt, below = 1 / sqrt(l.values[found - 1]),
                   above = 1 / sqrt(l.values[found]);
      const int counted = count_below(memory, a, below + part * (above - below));
      if (counted > found) lanczos_add_start(&l);
      if (counted != found) continue;
    }
    create(memory, a->e, found, to);
    double *image = ARENA_ARRAY(memory, double, elements_image_size(a->e));
    for (int i = 0; i < found; i++) {
      lanczos_vector(&l, i, to->phi + (long)i * a->e->freedom_count);
      to->omega[i] = frequency_of(a->e, to->phi + (long)i * a->e->freedom_count, image);
      if (!(fabs(to->omega[i] * to->omega[i] * l.values[i] - 1) < 1e-6)) return false;  // rounding, no mode
    }
    return true;
  }
  return false;
}

// Lanczos's method is for a small part of the modes. The last vectors of a basis of nearly all are the rest of products
// that the others have used up: rounding, and motions without strain in it.
static bool is_large_part(const flexibility *a, int count) { return count > a->free_count / 4 && !a->e->node_mass; }

bool modes_eigen(arena *memory, const flexibility *a, int count, flex_modes *to) {
  const int most = a->free_count - a->rigid_count;
  if (count > most) count = most;
  create(memory, a->e, count, to);
  if (count == 0) return true;
  const arena_mark mark = arena_get_mark(memory);
  flex_modes all;
  flexibility dense = *a;
  const bool use_dense = a->factor || (is_large_part(a, count) && flexibility_make_dense(memory, &dense));
  const bool good = use_dense ? eigen_dense(memory, &dense, &all) : eigen_sparse(memory, a, count, &all);
  if (good) {
    apply_rule(memory, a->e, &all);
    memcpy(to->phi, all.phi, (size_t)count * (size_t)a->e->freedom_count * sizeof *to->phi);
    memcpy(to->omega, all.omega, (size_t)count * sizeof *to->omega);
  }
  arena_release(memory, mark);
  return good;
}

// --- bases of given shapes -------------------------------------------------------------------------------------------

// The image of x and its energy. Returns 0 where that is rounding beside the energies of freedoms that would move
// alone. `floor` (may be null) receives what is rounding in further products: of strains nothing.
static double strain_energy(const flex_elements *e, const double *x, double *image, double *floor) {
  double size = 0;
  for (int k = 0; k < e->freedom_count; k++) size += x[k] * x[k] * symmetric_value(&e->stiffness, k, k);
  elements_image(e, x, image);
  const double energy = elements_product(e, x, image, image), limit = elements_rounding(e) * size;
  if (floor) *floor = e->node_mass ? limit : 0;
  return energy > limit ? energy : 0;
}

// Rows of `to` become orthonormal in the stiffness matrix, and `images` theirs. Returns how many there are.
static int orthonormal_in_stiffness(const flex_elements *e, int count, const double *shapes, double *to,
                                    double *images) {
  const int n = e->freedom_count, m = elements_image_size(e);
  int rank = 0;
  for (int i = 0; i < count; i++) {
    double *x = to + (long)rank * n, *s = images + (long)rank * m, floor;
    memcpy(x, shapes + (long)i * n, (size_t)n * sizeof *x);
    const double own = strain_energy(e, x, s, &floor);
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < rank; j++) {
        const double part = elements_product(e, to + (long)j * n, images + (long)j * m, s);
        vectors_axpy(n, -part, to + (long)j * n, x), vectors_axpy(m, -part, images + (long)j * m, s);
      }
    const double left = elements_product(e, x, s, s);
    if (own == 0 || !(left > fmax(1e-14 * own, floor))) continue;
    for (int k = 0; k < n; k++) x[k] /= sqrt(left);
    for (int k = 0; k < m; k++) s[k] /= sqrt(left);
    rank++;
  }
  return rank;
}

bool modes_of_shapes(arena *memory, const flex_elements *e, int count, const double *shapes, flex_modes *to) {
  const int n = e->freedom_count;
  create(memory, e, count, to);
  const arena_mark mark = arena_get_mark(memory);
  double *x = ARENA_ARRAY(memory, double, (long)(count + 1) * n), *momentum = ARENA_ARRAY(memory, double, n);
  double *strains = ARENA_ARRAY(memory, double, (long)(count + 1) * elements_image_size(e));
  const int rank = to->count = orthonormal_in_stiffness(e, count, shapes, x, strains);
  double *B = ARENA_ARRAY(memory, double, (long)rank *rank), *values = ARENA_ARRAY(memory, double, rank);
  for (int i = 0; i < rank; i++) {
    symmetric_multiply(&e->mass, x + (long)i * n, momentum);
    for (int j = 0; j <= i; j++) B[i * rank + j] = B[j * rank + i] = vectors_dot(n, x + (long)j * n, momentum);
  }
  const bool good = eigen_symmetric(memory, rank, B, values) && (rank == 0 || values[0] > 0);
  for (int i = 0; good && i < rank; i++) {
    const double *c = B + (long)(rank - 1 - i) * rank;
    to->omega[i] = 1 / sqrt(values[rank - 1 - i]);
    for (int j = 0; j < rank; j++) vectors_axpy(n, c[j] * to->omega[i], x + (long)j * n, to->phi + (long)i * n);
  }
  if (good) apply_rule(memory, e, to);
  arena_release(memory, mark);
  return good;
}

bool modes_craig_bampton(arena *memory, const flexibility *a, const bool *interface, int eigen_count, flex_modes *to) {
  const int n = a->e->freedom_count;
  bool *held = ARENA_ARRAY(memory, bool, n);
  int joined = 0;
  for (int i = 0; i < n; i++) held[i] = true;
  for (int k = 0; k < a->free_count; k++) {
    held[a->free[k]] = interface[a->free[k]];
    joined += interface[a->free[k]];
  }
  flexibility inner;
  flex_modes eigen;
  if (!flexibility_create(memory, a->e, held, &inner) || !modes_eigen(memory, &inner, eigen_count, &eigen))
    return false;
  double *shapes = ARENA_ARRAY(memory, double, (long)(eigen.count + joined) * n), *x = shapes;
  double *load = ARENA_ARRAY(memory, double, n), *strains = ARENA_ARRAY(memory, double, elements_image_size(a->e));
  for (int k = 0; k < a->free_count; k++) {
    const int moved = a->free[k];
    if (!interface[moved]) continue;
    for (int i = 0; i < n; i++) load[i] = -symmetric_value(&a->e->stiffness, moved, i);
    flexibility_apply(memory, &inner, load, x);
    x[moved] = 1;
    if (strain_energy(a->e, x, strains, NULL) == 0) continue;
    flexibility_remove_rigid(a, x);
    x += n;
  }
  for (int i = 0; i < eigen.count; i++, x += n) {
    memcpy(x, eigen.phi + (long)i * n, (size_t)n * sizeof *x);
    flexibility_remove_rigid(a, x);
  }
  return modes_of_shapes(memory, a->e, (int)((x - shapes) / n), shapes, to);
}
