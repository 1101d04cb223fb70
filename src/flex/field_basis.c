#include "flex/field_basis.h"

#include <math.h>
#include <string.h>

#include "math/vectors.h"

static const mat3 *own_of(const flex_inertia *of, int shape) { return &of->couple[shape * (of->count + 1)]; }

static double size_of(const flex_inertia *of, int shape) {
  const mat3 *own = own_of(of, shape);
  return sqrt(own->m[0] + own->m[4] + own->m[8]);
}

// The axis along which all fields move; -1 if there is none, or a field has no mass.
static int common_axis(const flex_inertia *of, int modes) {
  int axis = -1;
  for (int k = modes; k < of->count; k++) {
    if (!(size_of(of, k) > 0)) return -1;
    for (int a = 0; a < 3; a++) {
      if (own_of(of, k)->m[4 * a] == 0) continue;
      if (axis >= 0 && axis != a) return -1;
      axis = a;
    }
  }
  return axis;
}

// --- couplings -------------------------------------------------------------------------------------------------------

// Integrals of a function with each field of unit mass, one row for each function. Functions are divided by their own
// size, so that no number is above one; `weight` has the size of each field beside the largest.
typedef struct coupling_list {
  int fields, count;
  double *row;
  const double *size, *weight;
} coupling_list;

// A function whose integral with the first field is at `with`, and with the others each `stride` numbers behind.
static void list_coupling(coupling_list *l, double square, const double *with, size_t stride) {
  if (!(square > 0)) return;
  double *row = l->row + (long)l->count++ * l->fields;
  for (int k = 0; k < l->fields; k++) row[k] = with[(size_t)k * stride] / (sqrt(square) * l->size[k]);
}

static void list_couplings(const flex_inertia *of, int modes, int axis, coupling_list *l) {
  const size_t per_vector = sizeof(vec3) / sizeof(double), per_matrix = sizeof(mat3) / sizeof(double);
  list_coupling(l, of->mass, (const double *)(of->shift + modes) + axis, per_vector);
  for (int a = 0; a < 3; a++) list_coupling(l, of->second.m[4 * a], of->moment[modes].m + 3 * a + axis, per_matrix);
  for (int i = 0; i < modes; i++)
    for (int a = 0; a < 3; a++)
      list_coupling(l, own_of(of, i)->m[4 * a], of->couple[i * of->count + modes].m + 3 * a + axis, per_matrix);
}

// The row that makes the largest difference to displacements, and this difference.
static int find_largest(const coupling_list *l, double *most) {
  int found = 0;
  *most = 0;
  for (int c = 0; c < l->count; c++) {
    double sum = 0;
    for (int k = 0; k < l->fields; k++) {
      const double part = l->weight[k] * l->row[(long)c * l->fields + k];
      sum += part * part;
    }
    if (sum > *most) *most = sum, found = c;
  }
  *most = sqrt(*most);
  return found;
}

// --- an orthogonal basis ---------------------------------------------------------------------------------------------

// v becomes normal to `count` unit vectors: once more, because the first time leaves rounding of what it takes.
static void make_normal(int n, int count, const double *unit, double *v) {
  for (int again = 0; again < 2; again++)
    for (int i = 0; i < count; i++) vectors_axpy(n, -vectors_dot(n, unit + (long)i * n, v), unit + (long)i * n, v);
}

static void add_unit(int n, int count, double *unit, const double *v) {
  double *to = unit + (long)count * n;
  memcpy(to, v, (size_t)n * sizeof *to);
  make_normal(n, count, unit, to);
  const double length = sqrt(vectors_dot(n, to, to));
  for (int k = 0; k < n; k++) to[k] /= length;
}

// The rest of the basis: of the axes the one of which most is left, again and again.
static void add_rest(int n, int count, double *unit) {
  for (; count < n; count++) {
    int most = 0;
    double left = -1, *axis = unit + (long)count * n;
    for (int k = 0; k < n; k++) {
      double taken = 0;
      for (int i = 0; i < count; i++) taken += unit[(long)i * n + k] * unit[(long)i * n + k];
      if (1 - taken > left) left = 1 - taken, most = k;
    }
    memset(axis, 0, (size_t)n * sizeof *axis);
    axis[most] = 1;
    add_unit(n, count, unit, axis);
  }
}

// Couplings one after the other, the largest first, give the first vectors of the basis. What is left at the end
// changes no displacement by more than rounding does. Returns how many there are.
static int take_couplings(coupling_list *l, double *unit) {
  static const double ROUNDING = 1e-13;
  int count = 0;
  while (count < l->fields) {
    double most;
    const int largest = find_largest(l, &most);
    if (most <= ROUNDING) break;
    add_unit(l->fields, count, unit, l->row + (long)largest * l->fields);
    for (int c = 0; c < l->count; c++)
      make_normal(l->fields, 1, unit + (long)count * l->fields, l->row + (long)c * l->fields);
    count++;
  }
  return count;
}

field_basis field_basis_find(arena *memory, const flex_inertia *of, int modes) {
  const int n = of->count - modes, axis = common_axis(of, modes);
  field_basis to = {n, n, axis, ARENA_ARRAY(memory, double, (long)n *n), ARENA_ARRAY(memory, double, n)};
  double most = 0, *weight = ARENA_ARRAY(memory, double, n);
  for (int k = 0; k < n; k++) most = fmax(most, to.size[k] = size_of(of, modes + k)), to.row[(long)k * (n + 1)] = 1;
  if (axis >= 0) {
    coupling_list l = {n, 0, ARENA_ARRAY(memory, double, (4 + 3 * (long)modes) * n), to.size, weight};
    for (int k = 0; k < n; k++) weight[k] = to.size[k] / most;
    list_couplings(of, modes, axis, &l);
    to.coupled = take_couplings(&l, to.row);
    add_rest(n, to.coupled, to.row);
  }
  for (int k = 0; k < n * n; k++) to.row[k] = to.size[k % n] > 0 ? to.row[k] / to.size[k % n] : 0;
  return to;
}

// --- in this basis ---------------------------------------------------------------------------------------------------

void field_basis_sum(const field_basis *to, int width, const double *given, double *sums) {
  const int n = to->fields;
  memset(sums, 0, (size_t)n * (size_t)width * sizeof *sums);
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++)
      vectors_axpy(width, to->row[(long)k * n + l], given + (long)l * width, sums + (long)k * width);
}

static void turn_in_place(arena *scratch, const field_basis *to, int width, double *x) {
  const arena_mark mark = arena_get_mark(scratch);
  const size_t size = (size_t)to->fields * (size_t)width;
  double *sums = ARENA_ARRAY(scratch, double, size);
  field_basis_sum(to, width, x, sums);
  memcpy(x, sums, size * sizeof *x);
  arena_release(scratch, mark);
}

// What is left there is rounding.
static void clear_uncoupled(const field_basis *to, int modes, flex_inertia *of) {
  const int n = of->count, last = modes + to->coupled;
  for (int k = modes; k < n; k++) {
    for (int j = k < last ? modes : 0; j < n; j++) of->couple[k * n + j] = of->couple[j * n + k] = (mat3){{0}};
    if (k >= last) of->shift[k] = VEC3_ZERO, of->moment[k] = (mat3){{0}};
  }
  for (int k = modes; k < n; k++) of->couple[k * (n + 1)].m[4 * to->axis] = 1;
}

void field_basis_turn(arena *scratch, const field_basis *to, int modes, flex_inertia *of) {
  const int n = of->count;
  turn_in_place(scratch, to, 3, (double *)(of->shift + modes)), turn_in_place(scratch, to, 9, of->moment[modes].m);
  for (int i = 0; i < n; i++) turn_in_place(scratch, to, 9, of->couple[i * n + modes].m);
  turn_in_place(scratch, to, 9 * n, of->couple[modes * n].m);
  if (to->axis >= 0) clear_uncoupled(to, modes, of);
}

// Σ ψ_l S_l over the given fields is the same over those of this basis: S_k = Σ row_kl ∫ψ_l² dm S_l.
double *field_basis_squares(arena *memory, const field_basis *to, int modes, const double *given) {
  const int n = to->fields, size = modes * modes;
  double *square = ARENA_ARRAY(memory, double, (long)n *size);
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++)
      vectors_axpy(size, to->row[(long)k * n + l] * to->size[l] * to->size[l], given + (long)l * size,
                   square + (long)k * size);
  return square;
}
