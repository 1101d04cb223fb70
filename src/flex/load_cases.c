#include "flex/load_cases.h"

#include <math.h>
#include <string.h>

#include "math/eigen.h"
#include "math/vectors.h"

int load_cases_inertia(arena *memory, const flex_elements *e, double **loads) {
  const int axes = e->planar ? 2 : 3, n = e->freedom_count;
  double *field = ARENA_ARRAY(memory, double, n);
  int count = 0;
  *loads = ARENA_ARRAY(memory, double, (long)axes *(axes + 1) * n);
  for (int along = 0; along < axes; along++)
    for (int over = -1; over < axes; over++) {  // -1: the same everywhere
      for (int i = 0; i < e->node_count; i++) {
        double at[3];
        vec3_store(at, e->nodes[i]);
        for (int k = 0; k < 6; k++)
          if (e->freedoms[i][k] >= 0) field[e->freedoms[i][k]] = k != along ? 0 : over < 0 ? 1 : at[over];
      }
      symmetric_multiply(&e->mass, field, *loads + (long)count++ * n);
    }
  return count;
}

// Each row of `to` is a sum of rows of `from`, whose factors are a row of `weights`.
static void combine(int to_count, int from_count, const double *weights, long n, const double *from, double *to) {
  for (int i = 0; i < to_count; i++)
    for (int j = 0; j < from_count; j++) vectors_axpy((int)n, weights[i * from_count + j], from + j * n, to + i * n);
}

// A basis of the cases: deformations and the stiffness that belongs to each.
typedef struct case_basis {
  int count;
  double *deformation, *stiffness;
} case_basis;

static case_basis combined(arena *memory, int count, const double *weights, const case_basis *from, long freedoms,
                           long pairs) {
  case_basis to = {.count = count};
  to.deformation = ARENA_ARRAY(memory, double, count *freedoms);
  to.stiffness = ARENA_ARRAY(memory, double, count *pairs);
  combine(count, from->count, weights, freedoms, from->deformation, to.deformation);
  combine(count, from->count, weights, pairs, from->stiffness, to.stiffness);
  return to;
}

// a·K a of all cases, from their images.
static double *energies(arena *memory, const flex_elements *e, const case_basis *of) {
  const long n = e->freedom_count, size = elements_image_size(e);
  double *images = ARENA_ARRAY(memory, double, of->count *size);
  double *A = ARENA_ARRAY(memory, double, of->count * of->count);
  for (int i = 0; i < of->count; i++) elements_image(e, of->deformation + i * n, images + i * size);
  for (int i = 0; i < of->count; i++)
    for (int j = 0; j <= i; j++)
      A[i * of->count + j] = A[j * of->count + i] =
          elements_product(e, of->deformation + i * n, images + i * size, images + j * size);
  return A;
}

// Cases with unit elastic energy that are not coupled by it; those that depend on others are left out.
static bool make_orthonormal(arena *memory, const flex_elements *e, long pairs, const case_basis *from,
                             case_basis *to) {
  static const double DEPENDENT = 1e-10;
  const int n = from->count;
  double *A = energies(memory, e, from), *values = ARENA_ARRAY(memory, double, n);
  double *size = ARENA_ARRAY(memory, double, n);
  int count = 0;
  for (int i = 0; i < n; i++) size[i] = A[i * (n + 1)] > 0 ? sqrt(A[i * (n + 1)]) : 1;
  for (int i = 0; i < n * n; i++) A[i] /= size[i / n] * size[i % n];
  if (!eigen_symmetric(memory, n, A, values)) return false;
  while (count < n && values[n - 1 - count] > DEPENDENT * values[n - 1]) count++;
  for (int k = n - count; k < n; k++)
    for (int j = 0; j < n; j++) A[k * n + j] /= size[j] * sqrt(values[k]);
  *to = combined(memory, count, A + (n - count) * n, from, e->freedom_count, pairs);
  return true;
}

// Combines such cases so that they are orthogonal in the mass, too.
static bool make_mass_orthogonal(arena *memory, const flex_elements *e, long pairs, case_basis *of) {
  const int n = of->count;
  double *M = ARENA_ARRAY(memory, double, n *n), *values = ARENA_ARRAY(memory, double, n);
  double *momentum = ARENA_ARRAY(memory, double, e->freedom_count);
  for (int i = 0; i < n; i++) {
    symmetric_multiply(&e->mass, of->deformation + (long)i * e->freedom_count, momentum);
    for (int j = 0; j < n; j++)
      M[i * n + j] = vectors_dot(e->freedom_count, momentum, of->deformation + (long)j * e->freedom_count);
  }
  if (!eigen_symmetric(memory, n, M, values)) return false;
  *of = combined(memory, n, M, of, e->freedom_count, pairs);
  return true;
}

typedef struct shape_fields {
  int count, freedoms;
  const double *shapes;
} shape_fields;

static void displacements(const void *context, const flex_place *place, vec3 *psi) {
  const shape_fields *f = context;
  for (int k = 0; k < f->count; k++) psi[k] = elements_displacement(place, f->shapes + (long)k * f->freedoms);
}

// With ψ = a and S = -K_G, scaled so that the largest number of S is one.
static void take_fields(arena *memory, const flex_elements *e, long pairs, const case_basis *of, floating_fields *to) {
  const long n = e->freedom_count;
  double *psi = ARENA_ARRAY(memory, double, of->count *n);
  *to = (floating_fields){.square = ARENA_ARRAY(memory, double, of->count *pairs), .at = displacements};
  for (int k = 0; k < of->count; k++) {
    const double *K = of->stiffness + k * pairs;
    double most = 0;
    for (long i = 0; i < pairs; i++) most = fmax(most, fabs(K[i]));
    if (!(most > 0)) continue;
    for (long i = 0; i < n; i++) psi[to->count * n + i] = most * of->deformation[k * n + i];
    for (long i = 0; i < pairs; i++) to->square[to->count * pairs + i] = -K[i] / most;
    to->count++;
  }
  shape_fields *f = ARENA_NEW(memory, shape_fields);
  *f = (shape_fields){to->count, e->freedom_count, psi};
  to->context = f;
}

bool load_cases_fields(arena *memory, const flex_elements *e, int modes, const load_cases *of, floating_fields *to) {
  const long pairs = (long)modes * modes;
  const case_basis given = {of->count, of->deformation, of->stiffness};
  case_basis basis;
  *to = (floating_fields){0};
  if (!make_orthonormal(memory, e, pairs, &given, &basis)) return false;
  if (!basis.count) return true;
  if (!make_mass_orthogonal(memory, e, pairs, &basis)) return false;
  take_fields(memory, e, pairs, &basis, to);
  return true;
}
