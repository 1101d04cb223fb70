// The algebra of flexible nodes in the recursion (flexible.h): the factor of I_ff, and modes condensed with it.
//
// I_ff = L D Lᵀ with ones on the diagonal of L. Row k of the factor is column k of L without its diagonal, zero up to
// there; `inverse` has 1/D. No square roots are needed, and each step works on whole rows.
#include <math.h>
#include <string.h>

#include "mechanics/flexible.h"
#include "mechanics/tree.h"

static bool is_diagonal(int n, int across, const double *A) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (A[i * across + j] != 0) return false;
  return true;
}

// A row of I_ff and of the right-hand sides (I_fr, p_f - τ_f) is one row of a matrix that is eliminated as a whole: the
// right-hand sides become D⁻¹ L⁻¹ times what they were. Four rows at a time, so that they stay in registers.

static bool factor_diagonal(int across, int modes, int sides, flexible_link *f, fours *y) {
  bool regular = true;
  for (int k = 0; k < modes; k++) {
    double *own = (double *)f->ff + k * (across + 1);
    f->pivot[k] = *own, f->inverse[k] = 1 / *own;
    regular &= *own > 0, *own = 0;
    for (int g = 0; g < sides; g++) y[k * sides + g] *= f->inverse[k];
  }
  return regular;
}

// `width` groups of `height` rows of a matrix, which has `of` groups in a row: what the rows before take from them.
// `taken` has the factors for each of those, side by side for four rows.
BLOCK void take_before(const int width, const int height, int of, int before, const fours *taken, const fours *matrix,
                       fours row[4][3]) {
  const double *part = (const double *)taken;
  for (int j = 0; j < before; j++, part += FOURS, matrix += of)
    for (int g = 0; g < width; g++)
      for (int r = 0; r < height; r++) row[r][g] -= part[r] * matrix[g];
}

// The factor of the rows of a block: what each row takes from those behind it in the block, and 1/D; in all places.
typedef struct factor_block {
  fours inverse[4], part[4][4];
} factor_block;

// Number r of `to` is that of `from`.
FOURS_INLINE void take_number(int r, const fours *from, fours *to) {
  static const fours_mask index = {0, 1, 2, 3};
  const fours_mask here = index == (int64_t)r;
  *to = (fours)(((fours_mask)*from & here) | ((fours_mask)*to & ~here));
}

// Rows 4b to 4b + 3, or only `height` of them where that is the last block, of which `rows` are modes; `width` groups
// from that of the diagonal on. A row waits for the one before it. Returns false if a pivot is rounding.
BLOCK bool factor_rows(const int width, const int height, int rows, int groups, int b, const fours *taken,
                       flexible_link *f, factor_block *to) {
  static const fours_mask index = {0, 1, 2, 3};
  fours row[4][3], *own = f->ff + FOURS * b * groups + b;
  fours size = {0, 0, 0, 0}, pivots = {1, 1, 1, 1}, inverses = {0, 0, 0, 0};
  for (int r = 0; r < height; r++)
    for (int g = 0; g < width; g++) row[r][g] = own[r * groups + g];
  for (int r = 0; r < height; r++) take_number(r, &row[r][0], &size);
  take_before(width, height, groups, FOURS * b, taken, f->ff + b, row);
  for (int r = 0; r < height && r < rows; r++) {
    fours pivot;
    fours_spread(&row[r][0], r, &pivot);
    const fours inverse = to->inverse[r] = 1 / pivot;
    for (int s = r + 1; s < height; s++) {
      fours part;
      fours_spread(&row[r][0], s, &part);
      to->part[r][s] = part *= inverse;
      for (int g = 0; g < width; g++) row[s][g] -= part * row[r][g];
    }
    for (int g = 0; g < width; g++) own[r * groups + g] = inverse * row[r][g];
    own[r * groups] = (fours)((fours_mask)own[r * groups] & (index > (int64_t)r));
    take_number(r, &pivot, &pivots), take_number(r, &inverse, &inverses);
  }
  ((fours *)f->pivot)[b] = pivots, ((fours *)f->inverse)[b] = inverses;
  const fours_mask regular = (pivots > TREE_SINGULAR * size) & (pivots > 0.0);
  return regular[0] & regular[1] & regular[2] & regular[3];
}

// The same of `width` other groups of these rows, with a factor that is known.
BLOCK void follow_rows(const int width, const int height, int rows, int of, int b, const fours *taken,
                       const factor_block *by, fours *matrix) {
  fours row[4][3], *own = matrix + FOURS * b * of;
  for (int r = 0; r < height; r++)
    for (int g = 0; g < width; g++) row[r][g] = own[r * of + g];
  take_before(width, height, of, FOURS * b, taken, matrix, row);
  for (int r = 0; r < height && r < rows; r++)
    for (int g = 0; g < width; g++) {
      for (int s = r + 1; s < height; s++) row[s][g] -= by->part[r][s] * row[r][g];
      own[r * of + g] = by->inverse[r] * row[r][g];
    }
}

// Block b: the group of its diagonal together with `width` - 1 others, then the rest of its row, then right-hand sides.
BLOCK bool factor_four(const int width, const int height, const int sides, int groups, int b, int rows,
                       flexible_link *f, fours *y) {
  fours taken[FLEXIBLE_MODES_MAX];
  factor_block block;
  for (int j = 0; j < FOURS * b; j++) taken[j] = f->pivot[j] * f->ff[j * groups + b];
  if (!factor_rows(width, height, rows, groups, b, taken, f, &block)) return false;
  for (int g = b + width; g < groups; g++) follow_rows(1, height, rows, groups, b, taken, &block, f->ff + g);
  follow_rows(sides, height, rows, sides, b, taken, &block, y);
  return true;
}

// The last block, which may have fewer rows.
BLOCK bool factor_last(const int sides, int groups, int modes, flexible_link *f, fours *y) {
  const int b = groups - 1, rows = modes - FOURS * b;
  return rows <= 2 ? factor_four(1, 2, sides, groups, b, rows, f, y) : factor_four(1, 4, sides, groups, b, rows, f, y);
}

// The factor, and y := D⁻¹ L⁻¹ y for right-hand sides of `sides` vectors per mode. Returns false if a pivot is
// rounding.
BLOCK bool factor_modes(const int groups, const int sides, int modes, flexible_link *f, fours *y) {
  if (f->diagonal) return factor_diagonal(FOURS * groups, modes, sides, f, y);
  if (groups == 3)
    return factor_four(3, 4, sides, 3, 0, 4, f, y) && factor_four(2, 4, sides, 3, 1, 4, f, y) &&
           factor_last(sides, 3, modes, f, y);
  for (int b = 0; b < groups - 1; b++)
    if (!factor_four(1, 4, sides, groups, b, 4, f, y)) return false;
  return factor_last(sides, groups, modes, f, y);
}

// `height` rows from row `first` on: y := L⁻ᵀ y, where rows up to `end` behind them are known.
BLOCK void solve_rows_back(const int sides, const int height, int first, int end, int across, const flexible_link *f,
                           fours *y) {
  const double *L = (const double *)f->ff + first * across;
  fours row[4][2], *own = y + first * sides;
  for (int r = 0; r < height; r++)
    for (int g = 0; g < sides; g++) row[r][g] = own[r * sides + g];
  for (int j = end - 1; j >= first + FOURS; j--)
    for (int g = 0; g < sides; g++)
      for (int r = 0; r < height; r++) row[r][g] -= L[r * across + j] * y[j * sides + g];
  for (int s = height - 1; s > 0; s--)
    for (int r = 0; r < s; r++)
      for (int g = 0; g < sides; g++) row[r][g] -= L[r * across + first + s] * row[s][g];
  for (int r = 0; r < height; r++)
    for (int g = 0; g < sides; g++) own[r * sides + g] = row[r][g];
}

// y := L⁻ᵀ y for right-hand sides of `sides` vectors per mode; four rows at a time.
BLOCK void solve_back(const int groups, const int sides, int modes, const flexible_link *f, fours *y) {
  const int across = FOURS * groups, last = across - FOURS;
  if (f->diagonal) return;
  if (modes - last <= 2) solve_rows_back(sides, 2, last, modes, across, f, y);
  else solve_rows_back(sides, 4, last, modes, across, f, y);
  for (int first = last - FOURS; first >= 0; first -= FOURS) solve_rows_back(sides, 4, first, modes, across, f, y);
}

// Four rows over the modes for each vector of the right-hand sides become `sides` vectors for each mode, or back.
BLOCK void turn_groups(const int groups, const int sides, bool back, fours *rows, fours *y) {
  for (int g = 0; g < groups; g++)
    for (int i = 0; i < sides; i++) {
      fours block[FOURS];
      for (int k = 0; k < FOURS; k++)
        block[k] = back ? y[(g * FOURS + k) * sides + i] : rows[(FOURS * i + k) * groups + g];
      fours_transpose(block);
      for (int k = 0; k < FOURS; k++)
        *(back ? &rows[(FOURS * i + k) * groups + g] : &y[(g * FOURS + k) * sides + i]) = block[k];
    }
}

// The row of right-hand sides that has p_f - τ_f.
BLOCK int effort_row(const int w) { return w; }

// With Y = D⁻¹ L⁻¹ (I_fr, p_f - τ_f):  I = I_rr - Yᵀ D Y,  likewise p,  and X = L⁻ᵀ Y.
BLOCK bool eliminate_modes(const int w, const int groups, int modes, flexible_link *f, double *IA, double *pA) {
  enum { MOST_SIDES = 2 };
  const int sides = w == 6 ? 2 : 1;
  fours y[FLEXIBLE_MODES_MAX * MOST_SIDES], taken[6][MOST_SIDES] = {0};
  turn_groups(groups, sides, false, f->rf, y);
  if (!factor_modes(groups, sides, modes, f, y)) return false;
  for (int k = 0; k < modes; k++) {
    const double *row = (const double *)(y + k * sides);
    fours weighted[MOST_SIDES];
    for (int g = 0; g < sides; g++) weighted[g] = f->pivot[k] * y[k * sides + g];
    for (int i = 0; i < w; i++)
      for (int g = i / FOURS; g < sides; g++) taken[i][g] += row[i] * weighted[g];
  }
  for (int i = 0; i < w; i++) {
    for (int j = i; j < w; j++) IA[i * w + j] -= taken[i][j / FOURS][j % FOURS];
    if (pA) pA[i] -= taken[i][effort_row(w) / FOURS][effort_row(w) % FOURS];
  }
  solve_back(groups, sides, modes, f, y);
  turn_groups(groups, sides, true, f->X, y);
  return true;
}

// Written out for the number of groups that many bodies have.
BLOCK bool eliminate_groups(const int w, int groups, int modes, flexible_link *f, double *IA, double *pA) {
  if (groups == 1) return eliminate_modes(w, 1, modes, f, IA, pA);
  if (groups == 3) return eliminate_modes(w, 3, modes, f, IA, pA);
  return eliminate_modes(w, groups, modes, f, IA, pA);
}

static void clear_row(int groups, double *row) { memset(row, 0, (size_t)groups * sizeof(fours)); }

bool flexible_condense(int w, const node *n, flexible_link *f, double *IA, const flexible_efforts *efforts) {
  const int modes = n->modes, groups = flexible_groups(n);
  double *right = (double *)(f->rf + effort_row(w) * groups);
  clear_row(groups, right);
  if (w == 6) flexible_complete(6, n, f);
  else flexible_complete(3, n, f);
  if (n->modes_held) {
    memset(f->X, 0, 8 * (size_t)groups * sizeof *f->X);
    if (efforts) clear_row(groups, f->e), clear_row(groups, f->p);
    return true;
  }
  for (int k = 0; f->relaxed.stiffness > 0 && k < modes * modes; k++)
    ((double *)f->ff)[k / modes * FOURS * groups + k % modes] +=
        f->relaxed.damping * n->flex->damping[k] + f->relaxed.stiffness * n->flex->stiffness[k];
  const double *tau = efforts && efforts->tau ? efforts->tau + n->modal_v : NULL;
  if (efforts) memcpy(right, f->p, (size_t)modes * sizeof *right);
  for (int k = 0; tau && k < modes; k++) right[k] -= tau[k];
  f->diagonal = is_diagonal(modes, FOURS * groups, (const double *)f->ff);
  double *pA = efforts ? efforts->pA : NULL;
  if (!(w == 6 ? eliminate_groups(6, groups, modes, f, IA, pA) : eliminate_groups(3, groups, modes, f, IA, pA)))
    return false;
  for (int g = 0; efforts && g < groups; g++) {
    ((fours *)f->e)[g] = -f->X[effort_row(w) * groups + g];
    ((fours *)f->p)[g] = (fours){0};
  }
  return true;
}

// e := L⁻¹ e
static void solve_forward(int modes, const flexible_link *f, double *e) {
  const int groups = fours_count(modes);
  for (int k = 0; k < modes && !f->diagonal; k++) {
    const double part = e[k];
    for (int g = k / FOURS; g < groups; g++) ((fours *)e)[g] -= part * f->ff[k * groups + g];
  }
}

// y := L⁻ᵀ y
static void solve_transposed(int modes, const flexible_link *f, double *y) {
  const int across = FOURS * fours_count(modes);
  for (int k = modes - 1; k >= 0 && !f->diagonal; k--)
    for (int j = modes - 1; j > k; j--) y[k] -= ((const double *)f->ff)[k * across + j] * y[j];
}

void flexible_solve_transposed(const node *n, const flexible_link *f, double *y) {
  for (int k = 0; k < n->modes; k++) y[k] *= sqrt(f->inverse[k]);
  solve_transposed(n->modes, f, y);
}

// The same with L⁻¹ (τ_f - p_f) on the way.
BLOCK void reduce(const int w, const node *n, flexible_link *f, const double *tau, double *pA, double *half) {
  const int groups = flexible_groups(n);
  if (n->modes_held) {
    clear_row(groups, f->e), clear_row(groups, f->p);
    for (int k = 0; half && k < n->modes; k++) half[n->modal_v + k] = 0;
    return;
  }
  for (int k = 0; k < n->modes; k++) f->e[k] = (tau ? tau[n->modal_v + k] : 0) - f->p[k];
  clear_row(groups, f->p);
  // p = p_r - I_rf I_ff⁻¹ (p_f - τ_f) = p_r + Xᵀ (τ_f - p_f)
  flexible_add_motion(w, n, (const double *)f->X, f->e, pA);
  solve_forward(n->modes, f, f->e);
  for (int k = 0; half && k < n->modes; k++) half[n->modal_v + k] = f->e[k] * sqrt(f->inverse[k]);
  for (int k = 0; k < n->modes; k++) f->e[k] *= f->inverse[k];
  solve_transposed(n->modes, f, f->e);
}

void flexible_reduce(int w, const node *n, flexible_link *f, const double *tau, double *pA) {
  if (w == 6) reduce(6, n, f, tau, pA, NULL);
  else reduce(3, n, f, tau, pA, NULL);
}

void flexible_reduce_by_half(int w, const node *n, flexible_link *f, const double *tau, double *pA, double *half) {
  if (w == 6) reduce(6, n, f, tau, pA, half);
  else reduce(3, n, f, tau, pA, half);
}

BLOCK void expand_groups(const int groups, const int w, flexible_link *f, const double *A) {
  for (int g = 0; g < groups; g++) {
    fours rate = ((const fours *)f->e)[g];
    for (int i = 0; i < w; i++) rate -= A[i] * f->X[i * groups + g];
    ((fours *)f->rate)[g] = rate;
  }
}

void flexible_expand(int w, const node *n, flexible_link *f, const double *A, double *out) {
  if (w == 6) FLEXIBLE_GROUPS(flexible_groups(n), expand_groups, 6, f, A);
  else FLEXIBLE_GROUPS(flexible_groups(n), expand_groups, 3, f, A);
  if (out) memcpy(out + n->modal_v, f->rate, (size_t)n->modes * sizeof *out);
}
