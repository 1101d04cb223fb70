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
// right-hand sides become D⁻¹ L⁻¹ times what they were. A block of rows at a time, as many as a pack has numbers, so
// that they stay in registers.

static bool factor_diagonal(int across, int modes, int sides, flexible_link *f, pack *y) {
  bool regular = true;
  for (int k = 0; k < modes; k++) {
    double *own = (double *)f->ff + k * (across + 1);
    f->pivot[k] = *own, f->inverse[k] = 1 / *own;
    regular &= *own > 0, *own = 0;
    for (int g = 0; g < sides; g++) y[k * sides + g] *= f->inverse[k];
  }
  return regular;
}

// Of a block of rows `width` groups of the matrix, and behind them `sides` groups of the right-hand sides y.
typedef struct factor_span {
  int groups, sides;  // of a whole row of the matrix, and of y
  pack *matrix, *y;   // in the first row
} factor_span;

BLOCK void load_rows(const int width, const int sides, const int height, const factor_span *of, int first,
                     pack row[PACK][3]) {
#pragma GCC unroll 8
  for (int r = 0; r < height; r++) {
#pragma GCC unroll 8
    for (int g = 0; g < width; g++) row[r][g] = of->matrix[(first + r) * of->groups + g];
#pragma GCC unroll 8
    for (int g = 0; g < sides; g++) row[r][width + g] = of->y[(first + r) * of->sides + g];
  }
}

BLOCK void store_row(const int width, const int sides, const factor_span *of, int at, const pack *row) {
#pragma GCC unroll 8
  for (int g = 0; g < width; g++) of->matrix[at * of->groups + g] = row[g];
#pragma GCC unroll 8
  for (int g = 0; g < sides; g++) of->y[at * of->sides + g] = row[width + g];
}

// What `before` rows above take from a block. `taken` has the factors for each of those, side by side for all rows of
// the block.
BLOCK void take_before(const int width, const int sides, const int height, const factor_span *of, int before,
                       const pack *taken, pack row[PACK][3]) {
  const double *part = (const double *)taken;
  const pack *matrix = of->matrix, *y = of->y;
  for (int j = 0; j < before; j++, part += PACK, matrix += of->groups, y += of->sides) {
#pragma GCC unroll 8
    for (int g = 0; g < width; g++)
#pragma GCC unroll 8
      for (int r = 0; r < height; r++) row[r][g] -= part[r] * matrix[g];
#pragma GCC unroll 8
    for (int g = 0; g < sides; g++)
#pragma GCC unroll 8
      for (int r = 0; r < height; r++) row[r][width + g] -= part[r] * y[g];
  }
}

// The factor of the rows of a block: what each row takes from those behind it in the block, and 1/D; in all places.
typedef struct factor_block {
  pack inverse[PACK], part[PACK][PACK];
} factor_block;

// A block of rows, or only `height` of them where that is the last block, of which `rows` are modes; groups from that
// of the diagonal on. A row waits for the one before it. Returns false if a pivot is rounding.
BLOCK bool factor_rows(const int width, const int sides, const int height, int rows, const factor_span *of, int b,
                       const pack *taken, flexible_link *f, factor_block *to) {
  static const pack_mask index = PACK_NUMBERS;
  const double *diagonal = (const double *)(of->matrix + PACK * b * of->groups);
  pack row[PACK][3];
  bool regular = true;
  load_rows(width, sides, height, of, PACK * b, row);
  take_before(width, sides, height, of, PACK * b, taken, row);
#pragma GCC unroll 8
  for (int r = 0; r < height && r < rows; r++) {
    pack pivot, own[3];
    pack_spread(&row[r][0], r, &pivot);
    const pack inverse = to->inverse[r] = 1 / pivot;
#pragma GCC unroll 8
    for (int s = r + 1; s < height; s++) {
      pack part;
      pack_spread(&row[r][0], s, &part);
      to->part[r][s] = part *= inverse;
#pragma GCC unroll 8
      for (int g = 0; g < width + sides; g++) row[s][g] -= part * row[r][g];
    }
    regular &= pivot[0] > TREE_SINGULAR * fabs(diagonal[r * (PACK * of->groups + 1)]);
    f->pivot[PACK * b + r] = pivot[0], f->inverse[PACK * b + r] = inverse[0];
#pragma GCC unroll 8
    for (int g = 0; g < width + sides; g++) own[g] = inverse * row[r][g];
    own[0] = (pack)((pack_mask)own[0] & (index > (int64_t)r));
    store_row(width, sides, of, PACK * b + r, own);
  }
  return regular;
}

// The same of `width` other groups of these rows, with a factor that is known.
BLOCK void follow_rows(const int width, const int sides, const int height, int rows, const factor_span *of, int b,
                       const pack *taken, const factor_block *by) {
  pack row[PACK][3];
  load_rows(width, sides, height, of, PACK * b, row);
  take_before(width, sides, height, of, PACK * b, taken, row);
#pragma GCC unroll 8
  for (int r = 0; r < height && r < rows; r++) {
#pragma GCC unroll 8
    for (int s = r + 1; s < height; s++)
#pragma GCC unroll 8
      for (int g = 0; g < width + sides; g++) row[s][g] -= by->part[r][s] * row[r][g];
#pragma GCC unroll 8
    for (int g = 0; g < width + sides; g++) row[r][g] *= by->inverse[r];
    store_row(width, sides, of, PACK * b + r, row[r]);
  }
}

// Block b: the group of its diagonal together with `width` - 1 others, then the rest of its row. Right-hand sides go
// with the first of them as far as there are registers, or come last.
BLOCK bool factor_group(const int width, const int height, const int sides, int groups, int b, int rows,
                        flexible_link *f, pack *y) {
  const bool together = width + sides <= 3;
  const factor_span of = {.groups = groups, .sides = sides, .matrix = f->ff + b, .y = y};
  pack taken[FLEXIBLE_MODES_MAX];
  factor_block block;
  for (int j = 0; j < PACK * b; j++) taken[j] = f->pivot[j] * f->ff[j * groups + b];
  if (together ? !factor_rows(width, sides, height, rows, &of, b, taken, f, &block)
               : !factor_rows(width, 0, height, rows, &of, b, taken, f, &block))
    return false;
  for (int g = b + width; g < groups; g++)
    follow_rows(1, 0, height, rows, &(factor_span){.groups = groups, .matrix = f->ff + g, .y = y}, b, taken, &block);
  if (!together) follow_rows(0, sides, height, rows, &of, b, taken, &block);
  return true;
}

// The last block, which may have fewer rows.
BLOCK bool factor_last(const int sides, int groups, int modes, flexible_link *f, pack *y) {
  const int b = groups - 1, rows = modes - PACK * b;
  if (rows <= 2) return factor_group(1, 2, sides, groups, b, rows, f, y);
  if (rows <= 4) return factor_group(1, 4, sides, groups, b, rows, f, y);
  return factor_group(1, PACK, sides, groups, b, rows, f, y);
}

// The factor, and y := D⁻¹ L⁻¹ y for right-hand sides of `sides` vectors per mode. Returns false if a pivot is
// rounding.
BLOCK bool factor_modes(const int groups, const int sides, int modes, flexible_link *f, pack *y) {
  if (f->diagonal) return factor_diagonal(PACK * groups, modes, sides, f, y);
  if (groups == 2) return factor_group(2, PACK, sides, 2, 0, PACK, f, y) && factor_last(sides, 2, modes, f, y);
  if (groups == 3)
    return factor_group(3, PACK, sides, 3, 0, PACK, f, y) && factor_group(2, PACK, sides, 3, 1, PACK, f, y) &&
           factor_last(sides, 3, modes, f, y);
  for (int b = 0; b < groups - 1; b++)
    if (!factor_group(1, PACK, sides, groups, b, PACK, f, y)) return false;
  return factor_last(sides, groups, modes, f, y);
}

// `height` rows from row `first` on: y := L⁻ᵀ y, where rows up to `end` behind them are known.
BLOCK void solve_rows_back(const int sides, const int height, int first, int end, int across, const flexible_link *f,
                           pack *y) {
  const double *L = (const double *)f->ff + first * across;
  pack row[PACK][2], *own = y + first * sides;
#pragma GCC unroll 8
  for (int r = 0; r < height; r++)
#pragma GCC unroll 8
    for (int g = 0; g < sides; g++) row[r][g] = own[r * sides + g];
  for (int j = end - 1; j >= first + PACK; j--)
#pragma GCC unroll 8
    for (int g = 0; g < sides; g++)
#pragma GCC unroll 8
      for (int r = 0; r < height; r++) row[r][g] -= L[r * across + j] * y[j * sides + g];
#pragma GCC unroll 8
  for (int s = height - 1; s > 0; s--)
#pragma GCC unroll 8
    for (int r = 0; r < s; r++)
#pragma GCC unroll 8
      for (int g = 0; g < sides; g++) row[r][g] -= L[r * across + first + s] * row[s][g];
#pragma GCC unroll 8
  for (int r = 0; r < height; r++)
#pragma GCC unroll 8
    for (int g = 0; g < sides; g++) own[r * sides + g] = row[r][g];
}

// y := L⁻ᵀ y for right-hand sides of `sides` vectors per mode; a block of rows at a time.
BLOCK void solve_back(const int groups, const int sides, int modes, const flexible_link *f, pack *y) {
  const int across = PACK * groups, last = across - PACK, rows = modes - last;
  if (f->diagonal) return;
  if (rows <= 2) solve_rows_back(sides, 2, last, modes, across, f, y);
  else if (rows <= 4) solve_rows_back(sides, 4, last, modes, across, f, y);
  else solve_rows_back(sides, PACK, last, modes, across, f, y);
  for (int first = last - PACK; first >= 0; first -= PACK) solve_rows_back(sides, PACK, first, modes, across, f, y);
}

// Rows over the modes for each number of the right-hand sides become `sides` vectors for each mode, or back.
BLOCK void turn_groups(const int groups, const int sides, bool back, pack *rows, pack *y) {
  for (int g = 0; g < groups; g++)
    for (int i = 0; i < sides; i++) {
      pack block[PACK];
#pragma GCC unroll 8
      for (int k = 0; k < PACK; k++)
        block[k] = back ? y[(g * PACK + k) * sides + i] : rows[(PACK * i + k) * groups + g];
      pack_transpose(block);
#pragma GCC unroll 8
      for (int k = 0; k < PACK; k++)
        *(back ? &rows[(PACK * i + k) * groups + g] : &y[(g * PACK + k) * sides + i]) = block[k];
    }
}

// The row of right-hand sides that has p_f - τ_f.
BLOCK int effort_row(const int w) { return w; }

// With Y = D⁻¹ L⁻¹ (I_fr, p_f - τ_f):  I = I_rr - Yᵀ D Y,  likewise p,  and X = L⁻ᵀ Y.
BLOCK bool eliminate_modes(const int w, const int groups, int modes, flexible_link *f, double *IA, double *pA) {
  enum { MOST_SIDES = 8 / PACK };
  const int sides = pack_count(w + 1);
  pack y[FLEXIBLE_MODES_MAX * MOST_SIDES], taken[6][MOST_SIDES];
  turn_groups(groups, sides, false, f->rf, y);
  if (!factor_modes(groups, sides, modes, f, y)) return false;
#pragma GCC unroll 8
  for (int i = 0; i < w; i++)
    for (int g = 0; g < sides; g++) taken[i][g] = (pack){0};
  for (int k = 0; k < modes; k++) {
    const double *row = (const double *)(y + k * sides);
    pack weighted[MOST_SIDES];
    for (int g = 0; g < sides; g++) weighted[g] = f->pivot[k] * y[k * sides + g];
#pragma GCC unroll 8
    for (int i = 0; i < w; i++)
      for (int g = i / PACK; g < sides; g++) taken[i][g] += row[i] * weighted[g];
  }
  for (int i = 0; i < w; i++) {
    for (int j = i; j < w; j++) IA[i * w + j] -= taken[i][j / PACK][j % PACK];
    if (pA) pA[i] -= taken[i][effort_row(w) / PACK][effort_row(w) % PACK];
  }
  solve_back(groups, sides, modes, f, y);
  turn_groups(groups, sides, true, f->X, y);
  return true;
}

// Written out for the number of groups that many bodies have.
BLOCK bool eliminate_groups(const int w, int groups, int modes, flexible_link *f, double *IA, double *pA) {
  if (groups == 1) return eliminate_modes(w, 1, modes, f, IA, pA);
  if (groups == FLEXIBLE_USUAL) return eliminate_modes(w, FLEXIBLE_USUAL, modes, f, IA, pA);
  return eliminate_modes(w, groups, modes, f, IA, pA);
}

static void clear_row(int groups, double *row) {
  for (int g = 0; g < groups; g++) ((pack *)row)[g] = (pack){0};
}

bool flexible_condense(int w, const node *n, flexible_link *f, double *IA, double *pA) {
  const int modes = n->modes, groups = flexible_groups(n);
  pack *right = f->rf + effort_row(w) * groups, *e = (pack *)f->e, *p = (pack *)f->p;
  if (w == 6) flexible_complete(6, n, f);
  else flexible_complete(3, n, f);
  if (n->modes_held) {
    memset(f->X, 0, 8 * (size_t)groups * sizeof *f->X);
    if (pA) clear_row(groups, f->e), clear_row(groups, f->p);
    return true;
  }
  for (int k = 0; f->relaxed.stiffness > 0 && k < modes * modes; k++)
    ((double *)f->ff)[k / modes * PACK * groups + k % modes] +=
        f->relaxed.damping * n->flex->damping[k] + f->relaxed.stiffness * n->flex->stiffness[k];
  for (int g = 0; g < groups; g++) right[g] = pA ? p[g] : (pack){0};
  f->diagonal = is_diagonal(modes, PACK * groups, (const double *)f->ff);
  if (!(w == 6 ? eliminate_groups(6, groups, modes, f, IA, pA) : eliminate_groups(3, groups, modes, f, IA, pA)))
    return false;
  for (int g = 0; pA && g < groups; g++) e[g] = -f->X[effort_row(w) * groups + g], p[g] = (pack){0};
  return true;
}

// e := L⁻¹ e
static void solve_forward(int modes, const flexible_link *f, double *e) {
  const int groups = pack_count(modes);
  for (int k = 0; k < modes && !f->diagonal; k++) {
    const double part = e[k];
    for (int g = k / PACK; g < groups; g++) ((pack *)e)[g] -= part * f->ff[k * groups + g];
  }
}

// y := L⁻ᵀ y
static void solve_transposed(int modes, const flexible_link *f, double *y) {
  const int across = PACK * pack_count(modes);
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
    pack rate = ((const pack *)f->e)[g];
    for (int i = 0; i < w; i++) rate -= A[i] * f->X[i * groups + g];
    ((pack *)f->rate)[g] = rate;
  }
}

void flexible_expand(int w, const node *n, flexible_link *f, const double *A, double *out) {
  if (w == 6) FLEXIBLE_GROUPS(flexible_groups(n), expand_groups, 6, f, A);
  else FLEXIBLE_GROUPS(flexible_groups(n), expand_groups, 3, f, A);
  if (out) pack_store_row((const pack *)f->rate, n->modes, out + n->modal_v);
}
