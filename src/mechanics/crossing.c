// A neighbour of the state (t, q, u) at the distance s is (t, q, u) + s/|u| (1, u, 0), moved onto the constraints. Its
// position, velocity and constraint forces are smooth functions of s, also where the position in the middle is
// singular, and their values at s = 0 are those of the branch. They do not depend on errors of the state across the
// branch.
#include "mechanics/crossing.h"

#include <math.h>
#include <string.h>

#include "mechanics/constraint.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "mechanics/tree.h"

// Below this nearness the state is interpolated. Above it, rounding of positions (1e-16) over its square leaves
// accelerations twelve digits. Half the distance of the neighbours, so that these are as far from the singular
// position.
static const double NEAR = 1.5e-2;
// At least below this one, where accelerations have eleven digits: rows of some mechanisms are never far from
// dependent.
static const double NEAR_ALWAYS = 3e-3;

// Neighbours at ±1, ±2, … times a distance, in radians or lengths of the mechanism, and their weights.
typedef struct stencil {
  int pairs;
  double distance, weight[6];
  double near;  // neighbours are further from the singular position than this
  double miss;  // largest |Φ| at the interpolated position, in lengths of the mechanism
} stencil;

// The error is d¹²/924 of the twelfth derivative. Branches that miss each other by more than `miss` do not cross: the
// motion turns from one to the other.
static const stencil WIDE = {.pairs = 6,
                             .distance = 3e-2,
                             .near = 5e-3,
                             .miss = 2e-12,
                             .weight = {6.0 / 7, -15.0 / 28, 5.0 / 21, -1.0 / 14, 1.0 / 77, -1.0 / 924}};
// For forces where they are not determined at all and the wide stencil fails. The error is 0.5 d² of the second
// derivative.
static const stencil NARROW = {.pairs = 1, .distance = 1e-4, .weight = {0.5}, .near = 1e-5, .miss = 1e-7};

bool crossing_is_near(const mechanism *m, const motion *x) {
  return m->row_count && !m->sparse && x->nearness < fmin(NEAR, fmax(NEAR_ALWAYS, 0.4 * x->usual_nearness));
}

static bool translates(const mechanism *m, const node *n, int k) {
  const char *kinds = m->planar ? n->type->kinds_planar : n->type->kinds_spatial;
  return kinds[n->nq == n->nv ? k : k + 1] == 't';
}

// The largest speed, in radians or lengths of the mechanism.
static double size_of(const mechanism *m, const double *u) {
  double most = 0, length = m->length > 0 ? m->length : 1;
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    for (int k = 0; k < n->nv; k++) most = fmax(most, fabs(u[n->v + k]) / (translates(m, n, k) ? length : 1));
  }
  return most;
}

// From rest: u² is less than what the acceleration gives within 5e-7.
static bool is_at_rest(const mechanism *m, const motion *x) {
  double u = size_of(m, x->u);
  return u * u < 1e-6 * size_of(m, x->udot);
}

// The state in the middle, and sums over its neighbours.
typedef struct middle {
  double nearness, *state, *udot, *lambda;
  int rank;
  const double *q, *u;  // of the state
  double t;
  double *sum_q, *sum_u, *sum_force, *sum_lambda;
  const double *way;  // direction to the neighbours
  double size;        // of it
  double duration;    // for a distance of 1 [s]
} middle;

long crossing_storage(const mechanism *m, const motion *x) {
  return motion_state_size(x) + 2 * m->nq + 5 * m->nv + 2 * m->row_count;
}

static double *keep(double **storage, const double *from, int count) {
  double *at = *storage;
  *storage += count;
  if (from && count) memcpy(at, from, (size_t)count * sizeof *at);
  return at;
}

// Returns false if nothing moves.
static bool begin(const mechanism *m, motion *x, middle *c) {
  double *storage = x->beside;
  bool rests = is_at_rest(m, x);
  *c = (middle){.nearness = x->nearness, .rank = x->rank};
  c->state = keep(&storage, NULL, (int)motion_state_size(x));
  motion_save_state(x, c->state);
  c->q = motion_saved(x, c->state, x->q), c->u = motion_saved(x, c->state, x->u), c->t = x->t;
  c->udot = keep(&storage, x->udot, m->nv);
  c->lambda = keep(&storage, x->lambda, m->row_count);
  c->sum_q = keep(&storage, NULL, m->nq);
  c->sum_u = keep(&storage, NULL, m->nv);
  c->sum_force = keep(&storage, NULL, m->nv);
  c->sum_lambda = keep(&storage, NULL, m->row_count);
  c->way = rests ? x->way : c->u;
  c->size = size_of(m, c->way);
  c->duration = rests ? 0 : 1 / c->size;
  return c->size > 0;
}

static void go_back(const mechanism *m, motion *x, const middle *c) {
  motion_load_state(x, c->state);
  x->nearness = c->nearness, x->rank = c->rank;
  memcpy(x->udot, c->udot, (size_t)m->nv * sizeof *x->udot);
  memcpy(x->lambda, c->lambda, (size_t)m->row_count * sizeof *x->lambda);
  dynamics_positions_velocities(m, x);
}

static bool move_along(const mechanism *m, motion *x, const double *q, const double *way, double distance) {
  double *move = x->speed_work[0], size = size_of(m, way);
  if (!(size > 0)) return false;
  memcpy(x->q, q, (size_t)m->nq * sizeof *q);
  for (int i = 0; i < m->nv; i++) move[i] = distance / size * way[i];
  dynamics_move(m, x->q, move);
  return dynamics_project_positions(m, x, 1e-14 * fmax(1, m->length), 20);
}

static bool go_to(const mechanism *m, motion *x, const middle *c, double distance, double near) {
  memcpy(x->u, c->u, (size_t)m->nv * sizeof *x->u);
  x->t = c->t + distance * c->duration;
  return move_along(m, x, c->q, c->way, distance) && dynamics_project_velocities(m, x) && x->nearness > near;
}

// Gᵀ λ and λ at a neighbour, for the accelerations that the state in the middle has without constraints.
static void add_forces(const mechanism *m, motion *x, const middle *c, double weight) {
  double *rhs = x->row_work[0], *force = x->speed_work[0];
  memcpy(x->udot, c->udot, (size_t)m->nv * sizeof *x->udot);
  tree_inverse(m, x, x->udot, force);  // for the accelerations of the bodies
  for (int i = 0; i < m->row_count; i++) rhs[i] = -constraint_row_acceleration(m, x, &x->rows[i]);
  response_solve_constraints(m, x, rhs, x->lambda);
  dynamics_transposed_rows(m, x, x->lambda, m->row_count, force);
  for (int i = 0; i < m->nv; i++) c->sum_force[i] += weight * force[i];
  for (int i = 0; i < m->row_count; i++) c->sum_lambda[i] += weight * x->lambda[i];
}

// Leaves the motion at the interpolated state. Returns false if the branches do not cross here, or the neighbours
// are singular too.
static bool interpolate(const mechanism *m, motion *x, const middle *c, const stencil *s, bool forces) {
  memset(c->sum_q, 0, (size_t)(m->nq + 2 * m->nv + m->row_count) * sizeof *c->sum_q);
  for (int k = 1; k <= s->pairs; k++)
    for (int side = -1; side <= 1; side += 2) {
      double weight = s->weight[k - 1];
      if (!go_to(m, x, c, side * k * s->distance, s->near)) return false;
      for (int i = 0; i < m->nq; i++) c->sum_q[i] += weight * x->q[i];
      for (int i = 0; i < m->nv; i++) c->sum_u[i] += weight * x->u[i];
      if (forces) add_forces(m, x, c, weight);
    }
  x->t = c->t;
  memcpy(x->q, c->sum_q, (size_t)m->nq * sizeof *x->q);
  memcpy(x->u, c->sum_u, (size_t)m->nv * sizeof *x->u);
  dynamics_normalize(m, x->q);
  x->level = LEVEL_NONE;
  dynamics_positions_velocities(m, x);
  return constraints_excess(m, x) <= s->miss * fmax(1, m->length);
}

bool crossing_project(const mechanism *m, motion *x) {
  middle c;
  if (!begin(m, x, &c)) return false;
  if (interpolate(m, x, &c, &WIDE, false)) return true;
  go_back(m, x, &c);
  return false;
}

static void add_to_efforts(const mechanism *m, motion *x, const middle *c) {
  double *force = x->speed_work[0];
  for (int i = 0; i < m->row_count; i++)
    if (x->rows[i].phi_t != 0) x->lambda[i] = c->sum_lambda[i];
  dynamics_transposed_rows(m, x, x->lambda, m->row_count, force);
  for (int i = 0; i < m->nv; i++) x->tau[i] += c->sum_force[i] - force[i];
}

bool crossing_correct_forces(const mechanism *m, motion *x) {
  middle c;
  if (!begin(m, x, &c)) return true;
  bool deficient = x->rank < x->most_rank;
  bool crosses = interpolate(m, x, &c, &WIDE, true) || (deficient && interpolate(m, x, &c, &NARROW, true));
  go_back(m, x, &c);
  if (!response_factor(m, x)) return false;
  if (crosses) add_to_efforts(m, x, &c);
  return crosses || !deficient;
}

// By iteration: accelerate, move that way, project, accelerate there.
static bool find_way(const mechanism *m, motion *x, const double *q, double *way) {
  enum { TURNS = 8 };
  int rank = x->rank;
  for (int turn = 0; turn < TURNS; turn++) {
    memcpy(way, x->udot, (size_t)m->nv * sizeof *way);
    if (!move_along(m, x, q, way, WIDE.distance)) return false;
    x->level = LEVEL_NONE;
    if (!dynamics_accelerations(m, x) || x->rank <= rank) return false;
  }
  memcpy(x->way, x->udot, (size_t)m->nv * sizeof *x->way);
  return true;
}

void crossing_begin(const mechanism *m, motion *x) {
  memset(x->way, 0, (size_t)m->nv * sizeof *x->way);
  x->most_rank = 0, x->usual_nearness = 0;
  if (!m->row_count || m->sparse || !dynamics_accelerations(m, x)) return;
  double *q = x->beside + crossing_storage(m, x) - m->nq, *u = q - m->nv,
         *way = u - m->nv;  // behind what a middle keeps
  int rank = x->rank;
  x->usual_nearness = crossing_is_near(m, x) ? 1 : x->nearness;
  if (rank < m->row_count) {
    memcpy(q, x->q, (size_t)m->nq * sizeof *q);
    memcpy(u, x->u, (size_t)m->nv * sizeof *u);
    bool elsewhere = is_at_rest(m, x) ? find_way(m, x, q, way)
                                      : move_along(m, x, q, u, WIDE.distance) && dynamics_project_velocities(m, x);
    if (elsewhere && x->rank > rank) rank = x->rank;
    dynamics_set(m, x, x->t, q, u);
  }
  x->most_rank = rank;
}
