// Nonsmooth Gauss–Seidel: block after block, each solved exactly with the others held.
#include <math.h>
#include <string.h>

#include "math/lu.h"
#include "solve/cone.h"
#include "solve/cone_contact.h"
#include "solve/cone_drift.h"
#include "solve/cone_nsgs.h"
#include "solve/cone_packed.h"
#include "solve/normal_packed.h"
#include "solve/residual.h"

struct nsgs_sweeps {
  solve_problem problem;
  long done;               // sweeps
  cone_contact *contacts;  // of each block
  double *inverses;        // of bilateral blocks: D⁻¹, row by row, BLOCK_ROWS_MAX · row entries on
  double *v, *u, *work;
  const double *weights;  // of the residual; may be null
  double *spent;          // work of the workspace
  drift drift;
  packed_sweeps *packed;    // of a crowd; null: block after block as below
  const packed_type *type;  // of these
  packed_normals *normals;  // of the normal rows of a crowd; null: likewise
  double scale;             // of a crowd: what its residual is relative to, or less, squared
  int *first, *column;      // of a dense W that is mostly zero: its blocks
  size_t *offset;
  double *values;
  bool *moved, *moving;  // of each velocity of a problem in pieces at which a piece begins: whether the last sweep has
                         // moved it, and whether this one has
};

static nsgs_sweeps lay_out(solve_workspace *w, const solve_limits *limits) {
  nsgs_sweeps m = {0};
  m.contacts = TAKE(w, cone_contact, limits->blocks);
  m.inverses = TAKE(w, double, ((size_t)limits->rows * BLOCK_ROWS_MAX));
  m.v = TAKE(w, double, limits->velocities);
  m.u = TAKE(w, double, limits->rows);
  m.work = TAKE(w, double, limits->rows + limits->velocities);
  m.drift = (drift){TAKE(w, double, limits->rows), TAKE(w, double, limits->rows), 0};
  size_t blocks = (size_t)(limits->blocks < limits->dense ? limits->blocks : limits->dense);
  m.first = TAKE(w, int, blocks + 1);
  m.column = TAKE(w, int, (blocks * blocks));
  m.offset = TAKE(w, size_t, (blocks * blocks));
  m.values = TAKE(w, double, ((size_t)limits->dense * (size_t)limits->dense));
  m.moved = TAKE(w, bool, limits->velocities);
  m.moving = TAKE(w, bool, limits->velocities);
  return m;
}

// The quicker first.
static const packed_type *const packed_types[] = {&packed_single, &packed_double};
enum { PACKED_TYPES = sizeof packed_types / sizeof *packed_types };

// Behind it the sweeps of crowds, one kind or the other.
void nsgs_measure(solve_workspace *w, const solve_limits *limits) {
  TAKE(w, nsgs_sweeps, 1);
  lay_out(w, limits);
  size_t mark = w->used, most;
  normals_lay_out(w, limits);
  most = w->used;
  for (int k = 0; k < PACKED_TYPES; k++) {
    w->used = mark;
    packed_types[k]->lay_out(w, limits);
    most = w->used > most ? w->used : most;
  }
  w->used = most;
}
static bool suits(const solve_problem *p) { return p->block_count > 0; }

// --- one block at a time ---------------------------------------------------------------------------------------------

// D⁻¹ by columns; rows that repeat others within a block get a little stiffness.
static void invert(int size, const double *D, double *inverse) {
  double A[BLOCK_ROWS_MAX * BLOCK_ROWS_MAX], trace = 0;
  int pivot[BLOCK_ROWS_MAX];
  for (int i = 0; i < size; i++) trace += fabs(D[i * size + i]);
  memcpy(A, D, (size_t)(size * size) * sizeof *A);
  if (lu_factor(size, A, size, pivot, NULL) < 1e-12) {
    memcpy(A, D, (size_t)(size * size) * sizeof *A);
    for (int i = 0; i < size; i++) A[i * size + i] += trace > 0 ? 1e-9 * trace : 1;
    lu_factor(size, A, size, pivot, NULL);
  }
  for (int j = 0; j < size; j++) {
    double e[BLOCK_ROWS_MAX] = {0};
    e[j] = 1;
    lu_solve(size, A, size, pivot, e);
    for (int i = 0; i < size; i++) inverse[i * size + j] = e[i];
  }
}

// D of all rows is kept where bilateral blocks have their inverse. A body on an axle moves along one tangent and turns
// about one axis, and D is singular: tangents and axes get a little more response. That makes the sweeps proximal,
// which leaves their solution as it is.
static void prepare_rolling(const solve_block *b, const double *D, double *kept, cone_contact *c) {
  int size = b->size, sliding = block_sliding_rows(b);
  static const double MORE = 1e-6;
  block_turn turn[BLOCK_TURNS_MAX + 1] = {{1, sliding - 1, 0}};
  memcpy(kept, D, (size_t)(size * size) * sizeof *D);
  for (int k = 0, count = 1 + block_turns(b, turn + 1); k < count; k++) {
    double trace = 0;
    for (int i = turn[k].row; i < turn[k].row + turn[k].size; i++) trace += fabs(D[i * (size + 1)]);
    for (int i = turn[k].row; i < turn[k].row + turn[k].size; i++) kept[i * (size + 1)] += MORE * trace;
  }
  for (int i = 0; i < sliding; i++) memcpy(c->D + i * sliding, kept + i * size, (size_t)sliding * sizeof *D);
  cone_contact_prepare(c, sliding);
}

static void prepare(const solve_problem *p, nsgs_sweeps *m) {
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    cone_contact *c = &m->contacts[k];
    double D[BLOCK_ROWS_MAX * BLOCK_ROWS_MAX];
    p->W.ops->block(&p->W, k, k, D);
    c->alpha = 0;
    if (block_rolls(b)) {
      prepare_rolling(b, D, m->inverses + (long)b->row * BLOCK_ROWS_MAX, c);
    } else if (b->kind == BLOCK_BILATERAL) {
      invert(b->size, D, m->inverses + (long)b->row * BLOCK_ROWS_MAX);
    } else {
      memcpy(c->D, D, (size_t)(b->size * b->size) * sizeof *D);
      cone_contact_prepare(c, b->size);
    }
  }
}

// A contact in the plane, in closed form: the sign of b is the direction of slip.
static void solve_plane(const cone_contact *c, double mu, const double *q, double *r) {
  r[0] = r[1] = 0;
  if (q[0] >= 0 || c->inverse == 0) return;
  double b = q[1] - c->D[2] * q[0] * c->inverse, way = b > 0 ? 1 : -1;
  r[1] = -b / c->S[0];
  r[0] = -(q[0] + c->D[1] * r[1]) * c->inverse;
  if (fabs(r[1]) <= mu * r[0]) return;
  r[0] = -q[0] / (c->D[0] - way * mu * c->D[1]);
  r[1] = -way * mu * r[0];
}

// u_T = S r_T + b on a disc: r_T(α) = −(S + α)⁻¹ b with the least α ≥ 0 at which it fits. |r_T| falls with α, and
// 1/|r_T| is concave, so that Newton's steps from the left do not pass the root.
static void solve_disc(const double *S, const double *b, double radius, double *r) {
  enum { STEPS = 60 };
  double alpha = 0;
  for (int k = 0; k < STEPS; k++) {
    double s0 = S[0] + alpha, s3 = S[3] + alpha, inverse = 1 / (s0 * s3 - S[1] * S[2]);
    r[0] = -(s3 * b[0] - S[1] * b[1]) * inverse, r[1] = -(s0 * b[1] - S[2] * b[0]) * inverse;
    double length = sqrt(r[0] * r[0] + r[1] * r[1]);
    if (!(length > (1 + 1e-14) * radius)) return;
    double d0 = -(s3 * r[0] - S[1] * r[1]) * inverse, d1 = -(s0 * r[1] - S[2] * r[0]) * inverse;  // dr/dα
    double slope = -(r[0] * d0 + r[1] * d1) / length;
    if (!(slope > 0)) break;
    alpha += length / radius * (length - radius) / slope;  // on 1/length
  }
  shorten_to(radius, 2, r);
}

static void solve_turn(const double *D, int size, const block_turn *t, double normal, const double *u, double *r) {
  double radius = t->length * (normal > 0 ? normal : 0);
  const double *own = D + t->row * size + t->row;
  double *rt = r + t->row;
  if (!(radius > 0) || !(own[0] > 0)) {
    for (int i = 0; i < t->size; i++) rt[i] = 0;
  } else if (t->size == 1) {
    rt[0] = clamp(rt[0] - u[0] / own[0], -radius, radius);
  } else {
    const double S[4] = {own[0], own[1], own[size], own[size + 1]};
    const double b[2] = {u[0] - S[0] * rt[0] - S[1] * rt[1], u[1] - S[2] * rt[0] - S[3] * rt[1]};
    solve_disc(S, b, radius, rt);
  }
}

// The contact and what resists turning in turns. u is the velocity at the r that came in.
static void solve_rolling(const solve_block *b, cone_contact *c, const double *D, const double *u, double *r) {
  enum { ROUNDS = 12 };
  int size = b->size, sliding = block_sliding_rows(b);
  double q[BLOCK_ROWS_MAX], now[BLOCK_ROWS_MAX];
  block_turn turn[BLOCK_TURNS_MAX];
  int turns = block_turns(b, turn);
  for (int i = 0; i < size; i++) {
    q[i] = u[i];
    for (int j = 0; j < size; j++) q[i] -= D[i * size + j] * r[j];
  }
  for (int round = 0; round < ROUNDS; round++) {
    double before[BLOCK_ROWS_MAX], change = 0, all = 0;
    memcpy(before, r, (size_t)size * sizeof *r);
    for (int i = 0; i < sliding; i++) {
      now[i] = q[i];
      for (int j = sliding; j < size; j++) now[i] += D[i * size + j] * r[j];
    }
    if (sliding == 3) cone_contact_solve(c, b->mu, now, r);
    else solve_plane(c, b->mu, now, r);
    for (int k = 0; k < turns; k++) {
      for (int i = turn[k].row; i < turn[k].row + turn[k].size; i++) {
        now[i] = q[i];
        for (int j = 0; j < size; j++) now[i] += D[i * size + j] * r[j];
      }
      solve_turn(D, size, &turn[k], r[0], now + turn[k].row, r);
    }
    for (int i = 0; i < size; i++)
      change += fabs(D[i * size + i]) * (r[i] - before[i]) * (r[i] - before[i]),
          all += fabs(D[i * size + i]) * r[i] * r[i];
    if (!(change > 1e-30 * all)) return;
  }
}

static inline void solve_block_alone(const solve_problem *p, nsgs_sweeps *m, int k, const double *u, double *r) {
  const solve_block *b = &p->blocks[k];
  cone_contact *c = &m->contacts[k];
  double q[3];
  switch (b->kind) {
    case BLOCK_SPACE:
      for (int i = 0; i < 3; i++) q[i] = u[i] - c->D[3 * i] * r[0] - c->D[3 * i + 1] * r[1] - c->D[3 * i + 2] * r[2];
      cone_contact_solve(c, b->mu, q, r);
      return;
    case BLOCK_POLYGON:
      for (int i = 0; i < 3; i++) q[i] = u[i] - c->D[3 * i] * r[0] - c->D[3 * i + 1] * r[1] - c->D[3 * i + 2] * r[2];
      polygon_contact_solve(c, (int)b->directions, b->mu, q, r);
      return;
    case BLOCK_PLANE:
      for (int i = 0; i < 2; i++) q[i] = u[i] - c->D[2 * i] * r[0] - c->D[2 * i + 1] * r[1];
      solve_plane(c, b->mu, q, r);
      return;
    case BLOCK_ROLLING_PLANE:
    case BLOCK_ROLLING_SPACE: solve_rolling(b, c, m->inverses + (long)b->row * BLOCK_ROWS_MAX, u, r); return;
    case BLOCK_UNILATERAL: r[0] = clamp(r[0] - u[0] * c->inverse, 0, INFINITY); return;
    case BLOCK_BOX: r[0] = clamp(r[0] - u[0] * c->inverse, b->lo, b->hi); return;
    case BLOCK_BILATERAL: {
      const double *inverse = m->inverses + (long)b->row * BLOCK_ROWS_MAX;
      for (int i = 0; i < b->size; i++)
        for (int j = 0; j < b->size; j++) r[i] -= inverse[i * b->size + j] * u[j];
      return;
    }
  }
}

// --- sweeps ----------------------------------------------------------------------------------------------------------

// Block k in its turn; its change goes to `change`.
static inline void solve_in_turn(const solve_problem *p, nsgs_sweeps *m, int k, double *r,
                                 double change[BLOCK_ROWS_MAX]) {
  const solve_matrix *W = &p->W;
  const solve_block *b = &p->blocks[k];
  double u[BLOCK_ROWS_MAX], *rb = r + b->row;
  bool moves = false;
  W->ops->row(W, k, r, m->v, u);
  for (int i = 0; i < b->size; i++) u[i] += p->q[b->row + i], change[i] = rb[i];
  solve_block_alone(p, m, k, u, rb);
  for (int i = 0; i < b->size; i++) change[i] = rb[i] - change[i], moves |= change[i] != 0;
  if (moves) W->ops->moved(W, k, change, m->v);
}

// Returns |Δr|²; r² goes to `size`.
static double sweep(const solve_problem *p, nsgs_sweeps *m, double *r, double *size) {
  double moves = 0, sum = 0;
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    double change[BLOCK_ROWS_MAX], of_block = 0, *rb = r + b->row;
    solve_in_turn(p, m, k, r, change);
    for (int i = 0; i < b->size; i++) of_block += change[i] * change[i], sum += rb[i] * rb[i];
    moves += of_block;
  }
  *size = sum;
  return moves;
}

static int limit(const solve_problem *p) {
  (void)p;
  return 20000;
}

enum { COMPRESSED_MIN = 12 };  // blocks, below which a dense row is as quick

// A dense W by the blocks that are not zero: in a pile a contact meets few others, however many there are.
static solve_matrix compressed(const solve_matrix *W, const nsgs_sweeps *m) {
  int count = W->block_count, stored = 0;
  size_t size = 0;
  const double *dense = matrix_values(W, NULL);
  m->first[0] = 0;
  for (int a = 0; a < count; a++) {
    for (int b = 0; b < count; b++) {
      double *to = m->values + size;
      int rows = matrix_block_size(W, a), columns = matrix_block_size(W, b);
      bool any = false;
      for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
          double x = dense[(long)(matrix_block_row(W, a) + i) * W->rows + matrix_block_row(W, b) + j];
          to[i * columns + j] = x, any |= x != 0;
        }
      if (!any && a != b) continue;
      m->column[stored] = b, m->offset[stored++] = size, size += (size_t)(rows * columns);
    }
    m->first[a + 1] = stored;
  }
  return matrix_sparse(W->rows, count, W->start, m->first, m->column, m->offset, m->values);
}

// The residual from the velocities that the sweeps keep.
static double look(const solve_problem *p, const nsgs_sweeps *m, const double *r) {
  if (!m->weights) return solve_residual_of(p, r, m->u, m->work);
  if (m->normals) {
    normals_velocities(m->normals, m->u);
    return solve_residual_weighted(p, r, m->u, m->weights);
  }
  for (int k = 0; k < p->block_count; k++) {
    int row = p->blocks[k].row;
    p->W.ops->row(&p->W, k, r, m->v, m->u + row);
    for (int i = row; i < row + p->blocks[k].size; i++) m->u[i] += p->q[i];
  }
  return solve_residual_weighted(p, r, m->u, m->weights);
}

// Looks that are worth a jump. Short ones come before the drift is steady and disturb it more than they gain; not so
// with momentum, which finds the drift again at once.
static const double LEAST = 300, LEAST_PACKED = 4;

// Extrapolates where the sweeps drift steadily in one direction, and takes that back if the residual rises by more than
// a tenth. Returns whether it has changed r.
static bool jump(const solve_problem *p, nsgs_sweeps *m, double *r) {
  double way = drift_look(&m->drift, p, r, m->packed ? LEAST_PACKED : LEAST), *change = m->drift.change,
         *at = m->drift.at;
  if (!m->packed) p->W.ops->start(&p->W, r, m->v);  // without the rounding of many changes
  if (!(way > 0 && way < INFINITY)) return false;
  double before = solve_residual_known(p, m->weights, r, m->u, m->work);
  for (int i = 0; i < p->W.rows; i++) r[i] = at[i] + way * change[i];
  if (!(solve_residual_known(p, m->weights, r, m->u, m->work) <= 1.1 * before))
    memcpy(r, at, (size_t)p->W.rows * sizeof *r);
  if (!m->packed) p->W.ops->start(&p->W, r, m->v);
  m->drift.looks = 0;
  return true;
}

static void begin_crowd(const solve_problem *p, solve_workspace *w, const solve_limits *limits, double tolerance,
                        nsgs_sweeps *m) {
  size_t mark = w->used;
  int type = 0;
  while (tolerance < packed_types[type]->least) type++;
  m->type = packed_types[type];
  m->packed = m->type->lay_out(w, limits);
  if (m->type->begin(m->packed, p, m->weights)) return;
  m->packed = NULL, w->used = mark;
  m->normals = normals_lay_out(w, limits);
  if (m->weights && packed_suits(p, BLOCK_UNILATERAL)) {
    normals_begin(m->normals, p, (packed_list){NULL, p->block_count}, m->weights);
    return;
  }
  m->normals = NULL, w->used = mark;
}

nsgs_sweeps *nsgs_begin(const solve_problem *p, solve_workspace *w, double tolerance) {
  solve_limits limits = solve_limits_exact(p);
  if (!matrix_is_dense(&p->W)) limits.dense = 0;  // what is laid out for it is for W that is formed
  nsgs_sweeps *m = TAKE(w, nsgs_sweeps, 1);
  *m = lay_out(w, &limits);
  m->problem = *p, m->spent = &w->work;
  if (matrix_is_dense(&p->W) && p->block_count >= COMPRESSED_MIN && p->W.rows <= SOLVE_DENSE_MAX &&
      matrix_entries(&p->W) < 0.5 * p->W.rows * p->W.rows)
    m->problem.W = compressed(&p->W, m);
  m->weights = w->weights;
  begin_crowd(p, w, &limits, tolerance, m);
  if (m->packed) m->scale = m->type->scale(m->packed);
  else if (!m->normals) prepare(&m->problem, m);
  return m;
}

double nsgs_work(const nsgs_sweeps *m) {
  const solve_problem *p = &m->problem;
  return m->packed ? m->type->work * m->type->groups(m->packed) : 0.25 * matrix_entries(&p->W) + 30.0 * p->block_count;
}

// Sweeps that can tell by how much they change whether a look is worth its cost: what a contact moves by is what it was
// away from its solution.
static solve_status go_on_packed(nsgs_sweeps *m, const solve_settings *s, interrupt *stop, double *r,
                                 solve_info *info) {
  enum {
    RENEWED = 10 * DRIFT_SWEEPS
  };  // after so many sweeps velocities are formed anew, without the rounding of many changes
  const solve_problem *p = &m->problem;
  int most = s->iterations ? s->iterations : limit(p);
  double tolerance = s->tolerance - m->type->rounding, enough = tolerance * tolerance * m->scale, due = 4 * enough;
  if (m->done == 0) m->type->take(m->packed, r);
  while (info->iterations < most) {
    if (interrupted(stop)) return m->type->give(m->packed, r), SOLVE_INTERRUPTED;
    double change = m->type->sweep(m->packed);
    info->iterations++;
    bool periodic = ++m->done % s->check_every == 0 && change <= 400 * enough, jumps = m->done % DRIFT_SWEEPS == 0;
    bool looks = periodic || change <= due, still = !(change > 0);
    double residual = looks ? m->type->residual(m->packed) : INFINITY;
    if (residual <= tolerance || jumps || still || info->iterations == most) m->type->give(m->packed, r);
    if (residual <= tolerance && m->done > RENEWED) {  // once more, without the rounding of many changes
      m->type->take(m->packed, r);
      residual = m->type->residual(m->packed);
    }
    if (residual <= tolerance) return SOLVE_SOLVED;
    // the residual falls with the root of the change
    if (looks) due = fmin(due, change * (tolerance / residual) * (tolerance / residual));
    if (still) return change == 0 ? SOLVE_STALLED : SOLVE_INVALID;
    if (jumps && (jump(p, m, r) || m->done % RENEWED == 0)) m->type->take(m->packed, r);
  }
  return SOLVE_LIMIT;
}

// The same without looks ahead and drift: few sweeps over normal rows are asked for.
static solve_status go_on_normals(nsgs_sweeps *m, const solve_settings *s, interrupt *stop, double *r,
                                  solve_info *info) {
  const solve_problem *p = &m->problem;
  int most = s->iterations ? s->iterations : limit(p);
  if (m->done == 0) normals_take(m->normals, r);
  while (info->iterations < most) {
    if (interrupted(stop)) return normals_give(m->normals, r), SOLVE_INTERRUPTED;
    double change = normals_sweep(m->normals);
    info->iterations++;
    bool looks = ++m->done % s->check_every == 0, still = !(change > 0);
    if (looks || still || info->iterations == most) normals_give(m->normals, r);
    if (looks && look(p, m, r) <= s->tolerance) return SOLVE_SOLVED;
    if (still) return change == 0 ? SOLVE_STALLED : SOLVE_INVALID;
  }
  return SOLVE_LIMIT;
}

static solve_status go_on_plain(nsgs_sweeps *m, const solve_settings *s, interrupt *stop, double *r, solve_info *info) {
  const solve_problem *p = &m->problem;
  int most = s->iterations ? s->iterations : limit(p);
  if (m->done == 0) p->W.ops->start(&p->W, r, m->v);
  while (info->iterations < most) {
    if (interrupted(stop)) return SOLVE_INTERRUPTED;
    double size, moves = sweep(p, m, r, &size);
    bool settled = moves <= s->tolerance * s->tolerance * size;
    info->iterations++;
    if ((++m->done % s->check_every == 0 || settled) && look(p, m, r) <= s->tolerance) return SOLVE_SOLVED;
    if (!(moves > 0)) return moves == 0 ? SOLVE_STALLED : SOLVE_INVALID;
    if (m->done % DRIFT_SWEEPS == 0) (void)jump(p, m, r);
  }
  return SOLVE_LIMIT;
}

solve_status nsgs_go_on(nsgs_sweeps *m, const solve_settings *s, interrupt *stop, double *r, solve_info *info) {
  int before = info->iterations;
  solve_status status = m->packed    ? go_on_packed(m, s, stop, r, info)
                        : m->normals ? go_on_normals(m, s, stop, r, info)
                                     : go_on_plain(m, s, stop, r, info);
  *m->spent += (info->iterations - before) * nsgs_work(m);
  return status;
}

bool nsgs_is_packed(const nsgs_sweeps *m) { return m->packed != NULL; }
void nsgs_be_plain(nsgs_sweeps *m, bool plain) { m->type->be_plain(m->packed, plain); }

void nsgs_restart(nsgs_sweeps *m, const double *r) {
  m->drift.looks = 0;
  m->type->take(m->packed, r);
}

// --- where something moves -------------------------------------------------------------------------------------------

nsgs_sweeps *nsgs_begin_local(const solve_problem *p, solve_workspace *w) {
  solve_limits own = solve_limits_exact(p);
  own.dense = 0;
  nsgs_sweeps *m = TAKE(w, nsgs_sweeps, 1);
  *m = lay_out(w, &own);
  m->problem = *p, m->weights = w->weights, m->spent = &w->work;
  prepare(p, m);
  return m;
}

void nsgs_measure_local(solve_workspace *w, const solve_limits *limits) {
  solve_limits own = *limits;
  own.dense = 0;
  TAKE(w, nsgs_sweeps, 1);
  lay_out(w, &own);
}

static bool is_near(const nsgs_sweeps *m, int block) {
  const matrix_pieces *J = &m->problem.W.J;
  for (int k = J->first[block]; k < J->first[block + 1]; k++)
    if (J->width[k] && (m->moved[J->at[k]] || m->moving[J->at[k]])) return true;
  return false;
}

// Of one contact, by the model of solve/work.h.
static const double WORK_LOCAL = 65;

// Over all blocks, or over those near to what has moved. Returns whether it has moved anything.
static bool sweep_locally(nsgs_sweeps *m, bool all, double least, double *r) {
  const solve_problem *p = &m->problem;
  const matrix_pieces *J = &p->W.J;
  bool any = false, *before = m->moved;
  m->moved = m->moving, m->moving = before;
  memset(m->moving, false, (size_t)p->W.velocities * sizeof *m->moving);
  for (int k = 0; k < p->block_count; k++) {
    if (!all && !is_near(m, k)) continue;
    double change[BLOCK_ROWS_MAX], energy = 0;
    *m->spent += WORK_LOCAL;
    solve_in_turn(p, m, k, r, change);
    for (int i = 0; i < p->blocks[k].size; i++) energy += m->weights[p->blocks[k].row + i] * change[i] * change[i];
    if (!(energy > least)) continue;
    any = true;
    for (int j = J->first[k]; j < J->first[k + 1]; j++)
      if (J->width[j]) m->moving[J->at[j]] = true;
  }
  return any;
}

int nsgs_go_on_local(nsgs_sweeps *m, int most, double least, interrupt *stop, double *r) {
  const solve_problem *p = &m->problem;
  int sweeps = 0;
  p->W.ops->start(&p->W, r, m->v);
  for (bool any = true; any && sweeps < most && !interrupted(stop); sweeps++)
    any = sweep_locally(m, sweeps == 0, least, r);
  return sweeps;
}

double nsgs_residual(nsgs_sweeps *m, const double *r) { return look(&m->problem, m, r); }

static solve_status solve(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                          solve_info *info) {
  return nsgs_go_on(nsgs_begin(p, w, s->tolerance), s, w->stop, r, info);
}

const solver solver_nsgs = {"nsgs",         "Nonsmooth Gauss-Seidel, contact by contact: many contacts, exact cone.",
                            suits,          limit,
                            nsgs_measure,   solve,
                            .finite = false};
