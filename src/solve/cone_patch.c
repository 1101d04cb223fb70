// A round is
//
//   sweeps, in the second half of which Σ d |Δr|² of each contact is summed up over some looks;
//   patches: the contact that has moved most, of those on its bodies the one that has moved most, and so on;
//   of each patch, all other contacts held: sweeps, and where these do not solve it soon, interior points.
//
// Interior points fail on a whole crowd where one cone of thousands sticks to its edge. On a patch they seldom fail,
// and their steps cost a twentieth or less. What a patch disturbs around it is short of range, and sweeps remove it. A
// patch must be as large as the circles are; so patches grow from round to round, and the sweeps between them, too.
#include "solve/cone_patch.h"

#include <math.h>
#include <string.h>

#include "solve/condensed.h"
#include "solve/cone_alart_curnier.h"
#include "solve/cone_interior.h"
#include "solve/driver.h"
#include "solve/packed_body.h"

enum {
  LOOKS = 10,         // in the second half of the sweeps
  PATCHES = 3,        // of a round, at most
  SWEEPS = 4,         // of a round, for each contact of a patch
  FIRST_SIZE = 200,   // contacts of a patch
  LAST_SIZE = 600,    // at most
  GROWS_EVERY = 8,    // rounds
  OWN_SWEEPS = 300,   // over a patch
  OWN_STEPS = 60,     // of interior points
  MOMENTUM_EVERY = 4  // rounds; in the others sweeps are plain: momentum carries them past what patches have solved
};
static const double GROWS_BY = 1.5;
// Further patches begin only at what has moved by this part of the most.
static const double ALSO = 0.1;
// Of the tolerance of the whole, relative to the same velocities; and the most of it.
static const double OF_TOLERANCE = 0.3, TOLERANCE_MOST = 1e-3;

enum { NEXT = 1, TAKEN = 2, EARLIER = 4 };  // of a contact: it may come next; in the patch; in one before, this round

struct patches {
  int rounds, size, bodies;
  double scale;    // Σ q²/d of the whole
  double *moved;   // of each contact
  double *before;  // r at the last look
  double *v;
  int *head, *next;  // of each body its first contact, 2 b + i: b on its i-th body; of that one the next; -1: none
  int *near;         // contacts that are on bodies of the patch
  char *state;       // of each contact, flags
  int *place;        // of each body its velocities among those of the patch; -1: not in it
  // the patch and its problem
  int count, velocities;
  int *contact;
  solve_block *blocks;
  int *start, *first, *at, *width;
  size_t *offset;
  double *q, *r, *u;
};

static int smaller(int a, int b) { return a < b ? a : b; }

// A patch is always in pieces.
static solve_limits limits_of_patch(const solve_limits *l) {
  int blocks = smaller(l->blocks, LAST_SIZE);
  return (solve_limits){
      .rows = 3 * blocks, .blocks = blocks, .velocities = smaller(l->velocities, 2 * PACKED_SPEEDS * blocks)};
}

static patches lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t bodies = (size_t)limits->velocities / PACKED_SPEEDS + 1, blocks = (size_t)limits->blocks;
  size_t own = (size_t)limits_of_patch(limits).blocks;
  return (patches){.moved = TAKE(w, double, blocks),
                   .before = TAKE(w, double, limits->rows),
                   .v = TAKE(w, double, limits->velocities),
                   .head = TAKE(w, int, bodies),
                   .next = TAKE(w, int, 2 * blocks),
                   .near = TAKE(w, int, blocks),
                   .state = TAKE(w, char, blocks),
                   .place = TAKE(w, int, bodies),
                   .contact = TAKE(w, int, own),
                   .blocks = TAKE(w, solve_block, own),
                   .start = TAKE(w, int, own + 1),
                   .first = TAKE(w, int, own + 1),
                   .at = TAKE(w, int, 2 * own),
                   .width = TAKE(w, int, 2 * own),
                   .offset = TAKE(w, size_t, 2 * own),
                   .q = TAKE(w, double, 3 * own),
                   .r = TAKE(w, double, 3 * own),
                   .u = TAKE(w, double, 3 * own)};
}

patches *patches_take(solve_workspace *w, const solve_limits *limits) {
  patches *x = TAKE(w, patches, 1), made = lay_out(w, limits);
  if (x) *x = made;
  return x;
}

void patches_measure(solve_workspace *w, const solve_limits *limits) {
  solve_limits own = limits_of_patch(limits);
  patches_take(w, limits);
  driver_begin_part(w, NULL, &own);
  nsgs_measure(w, &own);
  interior_path_take(w, &own);
  alart_curnier_measure(w, &own);
}

// --- which contacts --------------------------------------------------------------------------------------------------

static void list_contacts(patches *x, const solve_problem *p) {
  for (int k = 0; k <= x->bodies; k++) x->head[k] = -1, x->place[k] = -1;
  for (int b = p->block_count - 1; b >= 0; b--) {
    int body[2];
    packed_bodies(&p->W.J, b, x->bodies, body);
    for (int i = 0; i < 2; i++) x->next[2 * b + i] = x->head[body[i]], x->head[body[i]] = 2 * b + i;
  }
}

void patches_begin(patches *x, const solve_problem *p, const solve_workspace *w) {
  x->rounds = 0, x->size = FIRST_SIZE, x->bodies = p->W.velocities / PACKED_SPEEDS;
  x->scale = 0;
  for (int i = 0; i < p->W.rows; i++) x->scale += p->q[i] * p->q[i] / w->weights[i];
  list_contacts(x, p);
}

// Sums up what the contacts have moved since the last look.
static void look(patches *x, const solve_problem *p, const double *weights, const double *r) {
  for (int b = 0; b < p->block_count; b++)
    for (int i = 3 * b; i < 3 * b + 3; i++) {
      double change = r[i] - x->before[i];
      x->moved[b] += weights[i] * change * change;
    }
}

static int most_moved(const patches *x, const int *list, int count) {
  int most = -1;
  for (int k = 0; k < count; k++) {
    int b = list ? list[k] : k;
    bool may = list ? !(x->state[b] & TAKEN) : x->state[b] == 0;
    if (may && (most < 0 || x->moved[b] > x->moved[most])) most = b;
  }
  return most;
}

// Contact b joins the patch, and those on its bodies may come next.
static void add_contact(patches *x, const solve_problem *p, int b, int *near_count) {
  int body[2];
  x->state[b] |= TAKEN, x->count++;
  packed_bodies(&p->W.J, b, x->bodies, body);
  for (int i = 0; i < 2; i++) {
    if (body[i] == x->bodies || x->place[body[i]] >= 0) continue;
    x->place[body[i]] = 0;
    for (int k = x->head[body[i]]; k >= 0; k = x->next[k])
      if (!(x->state[k / 2] & (NEXT | TAKEN))) x->state[k / 2] |= NEXT, x->near[(*near_count)++] = k / 2;
  }
}

// The patch around contact b, in the order of the whole; its bodies get their places.
static void gather(patches *x, const solve_problem *p, int b) {
  int near_count = 0;
  x->count = x->velocities = 0;
  for (; b >= 0 && x->count < smaller(x->size, p->block_count); b = most_moved(x, x->near, near_count))
    add_contact(x, p, b, &near_count);
  for (int k = 0; k < x->bodies; k++)
    if (x->place[k] >= 0) x->place[k] = x->velocities, x->velocities += PACKED_SPEEDS;
  x->count = 0;
  for (int k = 0; k < p->block_count; k++) {
    if (x->state[k] & TAKEN) x->contact[x->count++] = k;
    x->state[k] &= EARLIER;
  }
}

static void release(patches *x) {
  for (int k = 0; k < x->count; k++) x->state[x->contact[k]] |= EARLIER;
  for (int k = 0; k < x->bodies; k++) x->place[k] = -1;
}

// --- the problem of a patch ------------------------------------------------------------------------------------------

// Percussions of the patch are taken off v, and are in x->r; what the others leave is q.
static solve_problem take_problem(patches *x, const solve_problem *p, const double *r) {
  const matrix_pieces *J = &p->W.J;
  int pieces = x->first[0] = x->start[0] = 0;
  for (int k = 0; k < x->count; k++) {
    int b = x->contact[k];
    double off[3];
    for (int i = 0; i < 3; i++) x->r[3 * k + i] = r[3 * b + i], off[i] = -r[3 * b + i];
    p->W.ops->moved(&p->W, b, off, x->v);
    for (int l = J->first[b]; l < J->first[b + 1]; l++, pieces++)
      x->at[pieces] = x->place[J->at[l] / PACKED_SPEEDS], x->width[pieces] = J->width[l],
      x->offset[pieces] = J->offset[l];
    x->first[k + 1] = pieces, x->start[k + 1] = 3 * k + 3;
    x->blocks[k] = p->blocks[b], x->blocks[k].row = 3 * k;
  }
  for (int k = 0; k < x->count; k++) {
    int b = x->contact[k];
    p->W.ops->row(&p->W, b, r, x->v, x->q + 3 * k);
    for (int i = 0; i < 3; i++) x->q[3 * k + i] += p->q[3 * b + i];
  }
  matrix_pieces of = {x->first, x->at, x->width, x->offset, J->values};
  solve_matrix W = matrix_factored(3 * x->count, x->count, x->start, x->velocities, of, of);
  return (solve_problem){x->count, x->blocks, W, x->q};
}

static void give(const patches *x, const solve_problem *p, double *r) {
  for (int k = 0; k < x->count; k++) {
    int b = x->contact[k];
    for (int i = 0; i < 3; i++) r[3 * b + i] = x->r[3 * k + i];
    p->W.ops->moved(&p->W, b, x->r + 3 * k, x->v);
  }
}

// --- its solution ----------------------------------------------------------------------------------------------------

static solve_status sweep(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                          solve_info *info) {
  return nsgs_go_on(nsgs_begin(p, w, s->tolerance), s, w->stop, r, info);
}
static const solver sweeper = {.name = "nsgs", .solve = sweep};

static solve_status follow(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                           solve_info *info) {
  solve_limits limits = solve_limits_exact(p);
  interior_path *path = interior_path_take(w, &limits);
  return interior_path_begin(path, p, w, NULL) ? interior_path_go_on(path, p, s, w, r, info) : SOLVE_UNSUITABLE;
}
static const solver follower = {.name = "interior", .solve = follow};

// x->r becomes the solution, or what the sweeps leave.
static void solve_patch(patches *x, const solve_problem *p, const solve_settings *s, solve_workspace *w) {
  const double *weights = w->weights;
  condensed *of_all = w->condensed;
  size_t mark = w->used;
  solve_limits limits = solve_limits_exact(p);
  solve_settings own = *s;
  solve_info info = {.residual = INFINITY};
  double scale = 0;
  limits.dense = limits.lcp = 0;
  w->condensed = w->of_patch;
  driver d = driver_begin_part(w, p, &limits);
  for (int i = 0; w->weights && i < p->W.rows; i++) scale += p->q[i] * p->q[i] / w->weights[i];
  own.tolerance = fmin(TOLERANCE_MOST, OF_TOLERANCE * s->tolerance * sqrt(x->scale / scale));
  own.polish = false, own.warm_start = true, own.iterations = OWN_SWEEPS;
  driver_solve(&sweeper, p, &own, w, &d, &(solve_solution){x->r, x->u}, &info);
  if (info.status != SOLVE_SOLVED && info.status != SOLVE_INTERRUPTED) {
    own.iterations = OWN_STEPS;
    memcpy(d.r, x->r, (size_t)p->W.rows * sizeof *d.r);  // judged even if there are no interior points
    driver_solve(&follower, p, &own, w, &d, &(solve_solution){d.r, d.u}, &info);
    if (info.status == SOLVE_SOLVED) memcpy(x->r, d.r, (size_t)p->W.rows * sizeof *x->r);
  }
  w->condensed = of_all, w->weights = weights, w->used = mark;
}

// --- rounds ----------------------------------------------------------------------------------------------------------

static solve_status sweep_and_look(patches *x, const solve_problem *p, const solve_settings *s, solve_workspace *w,
                                   double *r, solve_info *info) {
  const int half = x->size * SWEEPS / 2;
  solve_settings own = *s;
  nsgs_be_plain(w->sweeps, x->rounds % MOMENTUM_EVERY != MOMENTUM_EVERY - 1);
  memset(x->moved, 0, (size_t)p->block_count * sizeof *x->moved);
  for (int k = 0; k <= LOOKS; k++) {
    int before = info->iterations;
    own.iterations = before + (k == 0 ? half : half / LOOKS);
    solve_status status = nsgs_go_on(w->sweeps, &own, w->stop, r, info);
    if (k > 0) look(x, p, w->weights, r);
    memcpy(x->before, r, (size_t)p->W.rows * sizeof *r);
    if (status != SOLVE_LIMIT) return status;
  }
  return SOLVE_LIMIT;
}

solve_status patches_round(patches *x, const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                           solve_info *info) {
  solve_status status = sweep_and_look(x, p, s, w, r, info);
  if (status != SOLVE_LIMIT) return status;
  memset(x->state, 0, (size_t)p->block_count);
  p->W.ops->start(&p->W, r, x->v);
  double most = 0;
  for (int k = 0; k < PATCHES && !interrupted(w->stop); k++) {
    int b = most_moved(x, NULL, p->block_count);
    if (b < 0 || (k > 0 && x->moved[b] < ALSO * most)) break;
    most = fmax(most, x->moved[b]);
    gather(x, p, b);
    solve_problem of = take_problem(x, p, r);
    solve_patch(x, &of, s, w);
    give(x, p, r);
    release(x);
  }
  nsgs_restart(w->sweeps, r);
  if (++x->rounds % GROWS_EVERY == 0) x->size = smaller((int)(GROWS_BY * x->size), LAST_SIZE);
  return interrupted(w->stop) ? SOLVE_INTERRUPTED : SOLVE_LIMIT;
}
