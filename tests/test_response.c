// How speeds respond to rows: W dense and from pieces, both implementations, redundant rows, on every model.
#include "models.h"
#include "runs.h"

#include "contact/contact.h"
#include "math/dense.h"
#include "mechanics/anchor.h"
#include "mechanics/constraint.h"
#include "mechanics/dry_friction.h"
#include "mechanics/dynamics.h"
#include "mechanics/response_internal.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"
#include "sim.h"

// A mechanism in one of its states, with the rows of its constraints, of all its contact points, and of dry friction.
typedef struct rig {
  const mechanism *m;
  motion *x;
  int n;  // rows
  arena memory;
  response_pieces pieces;
  int *start, block_count;      // rows by contact points, the others by themselves
  double *W, *other;            // n x n
  double *P, *rates, *u, *sum;  // for all rows and all speeds
} rig;

static double *numbers(rig *g, long count) { return ARENA_ARRAY(&g->memory, double, count + 1); }

static void add_block(rig *g) { g->start[++g->block_count] = g->x->row_total; }

static void add_rows(rig *g, const contact_world *s) {
  contact_point *points = ARENA_ARRAY(&g->memory, contact_point, s->point_count + 1);
  dynamics_positions_velocities(g->m, g->x);
  contact_evaluate(s, g->m, g->x, points);
  rows_clear(g->m, g->x);
  g->start = ARENA_ARRAY(&g->memory, int, g->m->row_count + g->m->extra_rows + 2);
  for (g->block_count = 0; g->block_count < g->m->row_count; g->block_count++)
    g->start[g->block_count] = g->block_count;
  g->start[g->block_count] = g->m->row_count;
  for (int i = 0; i < s->element_count; i++)
    for (int k = 0; k < s->elements[i].point_count; k++) {
      contact_add_rows(g->m, g->x, &s->elements[i], &points[s->elements[i].point0 + k]);
      add_block(g);
    }
  int before = g->x->row_total;
  friction_add_rows(g->m, g->x);
  for (int i = before + 1; i <= g->x->row_total; i++) g->start[++g->block_count] = i;
}

// At the state of a run.
static bool rig_open(rig *g, const run *r) {
  carom_error error = {0};
  *g = (rig){.m = &r->model->m, .x = motion_create(&r->model->m, 0, &error)};
  if (!CHECK(g->x != NULL)) return false;
  g->memory = arena_create(NULL);
  motion_copy(g->x, r->sim->x);
  add_rows(g, &r->model->contacts);
  g->n = g->x->row_total;
  long n = g->n, most = n > g->m->nv ? n : g->m->nv;
  g->W = numbers(g, n * n), g->other = numbers(g, n * n);
  g->P = numbers(g, most), g->rates = numbers(g, most), g->u = numbers(g, most), g->sum = numbers(g, most);
  return true;
}

static void rig_close(rig *g) {
  motion_destroy(g->x);
  response_pieces_free(&g->pieces);
  arena_free(&g->memory);
}

static double largest(const double *a, long n) {
  double most = 0;
  for (long i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

static double largest_difference(const double *a, const double *b, long n) {
  double most = 0;
  for (long i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static void multiply_pieces(rig *g, double *W) {
  for (int i = 0; i < g->n; i++)
    for (int j = 0; j < g->n; j++) W[(long)i * g->n + j] = response_product(&g->pieces, i, j);
}

// Every entry on both sides of the diagonal, so that symmetry is tested with it.
static void check_product(rig *g) {
  response_matrix(g->m, g->x, g->W);
  CHECK(response_split(g->m, g->x, g->start, g->block_count, &g->pieces));
  multiply_pieces(g, g->other);
  long count = (long)g->n * g->n;
  CHECK_LE(largest_difference(g->W, g->other, count), 1e-12 * largest(g->W, count));
}

enum { TREE_SPEEDS = 512 };  // of the largest tree of the models

// Of a tree that is one free body, pieces are about the velocities Lᵀ u with M = L Lᵀ: L, or null for other trees.
static const double *free_factor(const rig *g, int at) {
  const mechanism *m = g->m;
  const node *n = &m->nodes[m->speed_node[m->base_speeds[at]]];
  return !g->x->written_out && m->base_is_body[n->base] ? g->x->factor + n->factor : NULL;
}

// v := Lᵀ u of the tree of a piece; elsewhere v = u.
static void take_velocities(const rig *g, const response_piece *of, const double *u, double *v) {
  const double *L = free_factor(g, of->at);
  const node *n = &g->m->nodes[g->m->speed_node[g->m->base_speeds[of->at]]];
  int w = of->speed_count;
  if (L && n->steady) {  // its L⁻ᵀ is known
    const double *Y = n->half;
    u += n->v;
    v[2] = u[2] / Y[5], v[1] = (u[1] - Y[4] * v[2]) / Y[3], v[0] = (u[0] - Y[1] * v[1] - Y[2] * v[2]) / Y[0];
    for (int i = 3; i < 6; i++) v[i] = u[i] / Y[6];
    return;
  }
  for (int i = 0; i < w; i++) {
    v[i] = L ? 0 : u[g->m->base_speeds[of->at + i]];
    for (int j = i; L && j < w; j++) v[i] += L[j * w + i] * u[g->m->base_speeds[of->at + j]];
  }
}

// The same by response_pieces_add, beside speeds and rates that there were: u and its rates are known.
static int added;
static void check_added(rig *g, double fastest) {
  const mechanism *m = g->m;
  double *rates = numbers(g, g->n), *u0 = numbers(g, m->nv), *rates0 = numbers(g, g->n);
  for (int i = 0; i < m->nv; i++) u0[i] = i % 3;
  for (int i = 0; i < g->n; i++) rates0[i] = i % 5;
  response_pieces_add(m, g->x, &g->pieces, g->P, u0, g->sum, rates0, rates);
  for (int i = 0; i < m->nv; i++) CHECK_NEAR(g->sum[i] - u0[i], g->u[i], 1e-12 * (2 + largest(g->u, m->nv)));
  for (int i = 0; i < g->n; i++)
    if (!(g->pieces.own[i] > 0)) CHECK_NEAR(rates[i] - rates0[i], g->rates[i], 1e-12 * (4 + fastest));
  added++;
}

// u = M⁻¹ Gᵀ P and its rates G u, by response_to and response_rates, and from the pieces. A decoupled row has no
// pieces.
static void check_speeds(rig *g) {
  const mechanism *m = g->m;
  const response_pieces *p = &g->pieces;
  for (int i = 0; i < g->n; i++) g->P[i] = p->own[i] > 0 ? 0 : uniform(-1, 1);
  memcpy(g->u, response_to(m, g->x, g->P, g->n), (size_t)m->nv * sizeof *g->u);
  for (int i = 0; i < g->n; i++)
    for (int k = p->first[p->block_of[i]]; k < p->first[p->block_of[i] + 1]; k++) {
      response_piece of = response_piece_of(p, k, i);
      for (int s = 0; s < of.speed_count; s++) g->sum[m->base_speeds[of.at + s]] += g->P[i] * of.response[s];
    }
  for (int i = 0; i < g->n; i++)
    for (int k = p->first[p->block_of[i]]; k < p->first[p->block_of[i] + 1]; k++) {
      response_piece of = response_piece_of(p, k, i);
      double v[TREE_SPEEDS];
      CHECK(of.speed_count <= TREE_SPEEDS);
      take_velocities(g, &of, g->u, v);
      for (int s = 0; s < of.speed_count; s++)
        CHECK_NEAR(g->sum[m->base_speeds[of.at + s]], v[s], 1e-11 * largest(g->sum, m->nv));
    }
  response_rates(m, g->x, g->u, g->rates);
  double fastest = largest(g->rates, g->n);
  for (int i = 0; i < g->n; i++) {
    double rate = 0;
    bool is_zero = true;
    for (int k = p->first[p->block_of[i]]; k < p->first[p->block_of[i] + 1]; k++) {
      response_piece of = response_piece_of(p, k, i);
      double v[TREE_SPEEDS];
      CHECK(of.speed_count <= TREE_SPEEDS);
      take_velocities(g, &of, g->u, v);
      for (int s = 0; s < of.speed_count; s++) rate += of.J[s] * v[s], is_zero &= of.J[s] == 0;
    }
    CHECK_NEAR(is_zero ? 0 : rate, is_zero ? 0 : g->rates[i], 1e-12 * fastest);
  }
  if (!g->x->written_out && response_pieces_free_bodies(m, p)) check_added(g, fastest);
  memset(g->sum, 0, (size_t)m->nv * sizeof *g->sum);
}

// Speeds that constraint forces alone have brought about are stopped by constraint forces: G u = 0, also in the rows
// that depend on others. By the factorised constraints, and with the dependent rows left out of W as in a contact
// problem.
static void check_redundant(rig *g) {
  const mechanism *m = g->m;
  motion *x = g->x;
  int nc = m->row_count;
  if (!nc) return;
  rows_clear(m, x);
  for (int i = 0; i < nc; i++) g->P[i] = uniform(-1, 1);
  memcpy(g->u, response_to(m, x, g->P, nc), (size_t)m->nv * sizeof *g->u);
  response_rates(m, x, g->u, g->rates);
  double fastest = largest(g->rates, nc);
  for (int way = 0; way < 2; way++) {
    for (int i = 0; i < nc; i++) g->P[i] = -g->rates[i];
    if (way == 0) {
      CHECK(response_factor_constraints(m, x));
      response_solve_constraints(m, x, g->P, g->P);
    } else {
      response_matrix(m, x, g->W);
      response_decouple(m, x, nc, g->W);
      response_clear(m, x, g->P);
      CHECK(dense_cholesky(nc, g->W, nc, 0, NULL));
      dense_cholesky_solve(nc, g->W, nc, g->P);
      response_share(m, x, g->P);
    }
    response_add(m, x, g->P, g->u, g->sum);
    response_rates(m, x, g->sum, g->other);
    CHECK_LE(largest(g->other, nc), 1e-9 * fastest);
  }
  memset(g->sum, 0, (size_t)m->nv * sizeof *g->sum);
}

// Constraint rows that depend on others are decoupled alike in W and in the pieces.
static int check_decoupled(rig *g) {
  int nc = g->m->row_count, left_out = 0;
  long count = (long)g->n * g->n;
  response_matrix(g->m, g->x, g->W);
  response_decouple(g->m, g->x, g->n, g->W);
  for (int i = 0; i < nc; i++) g->P[i] = 1;
  response_clear(g->m, g->x, g->P);
  for (int i = 0; i < nc; i++) left_out += g->P[i] == 0;
  CHECK(response_split(g->m, g->x, g->start, g->block_count, &g->pieces));
  response_decouple_pieces(g->m, g->x, &g->pieces);
  multiply_pieces(g, g->other);
  for (int i = 0; i < nc; i++) {
    if (g->P[i] != 0) continue;
    for (int j = 0; j < g->n; j++) CHECK(i == j || g->W[(long)i * g->n + j] == 0);
  }
  // the pivots decide which of several rows is left out, and rounding may decide between equal ones
  double *q = g->rates;
  for (int i = 0; i < nc; i++) q[i] = 1;
  response_clear(g->m, g->x, q);
  if (memcmp(q, g->P, (size_t)nc * sizeof *q) == 0)
    CHECK_LE(largest_difference(g->W, g->other, count), 1e-12 * largest(g->W, count));
  int left_out_of_pieces = 0;
  for (int i = 0; i < nc; i++) left_out_of_pieces += q[i] == 0;
  CHECK_EQUAL(left_out_of_pieces, left_out);
  return left_out;
}

static int redundant_rows, both_ways, with_contact;

static void examine(const run *r) {
  rig g;
  if (!rig_open(&g, r)) return;
  dynamics_apply_forces(g.m, g.x);
  if (g.n && CHECK(response_accelerate(g.m, g.x))) {
    bool small = g.x->written_out;
    long count = (long)g.n * g.n;
    double *first = numbers(&g, count);
    CHECK_EQUAL(small, g.m->small != NULL);
    check_product(&g);
    check_speeds(&g);
    memcpy(first, g.W, (size_t)count * sizeof *first);
    if (small) check_redundant(&g), add_rows(&g, &r->model->contacts);
    if (small && CHECK(response_factor(g.m, g.x))) {
      check_product(&g);
      check_speeds(&g);
      CHECK_LE(largest_difference(first, g.W, count), 1e-12 * largest(first, count));
      both_ways++;
    }
    redundant_rows += check_decoupled(&g);
    check_redundant(&g);
  }
  rig_close(&g);
}

// At the start and after some motion.
static void examine_run(run *r, const char *name, const char *settings) {
  int before = check_state.failures_here;
  double end = carom_model_get_info(r->model).end;
  with_contact += r->model->contacts.point_count > 0;
  examine(r);
  if (run_to(r, fmin(0.1, end / 10))) examine(r);
  if (check_state.failures_here > before) printf("      %s %s\n", name, settings);
  run_close(r);
}

static void check_model(const char *name, const char *settings) {
  run r;
  if (run_open(&r, name, settings)) examine_run(&r, name, settings);
}

static void pieces_are_W_on_every_model(void) {
  char names[MOST_MODELS][64];
  const int count = list_models(names);
  for (int i = 0; i < count; i++) {
    check_model(names[i], "coordinates=joint");
    check_model(names[i], "coordinates=absolute");
  }
  CHECK(with_contact >= 30);
  CHECK(both_ways >= 20);
  CHECK(redundant_rows >= 4);
  CHECK(added >= 10);
}

// Two long trees that strike each other and the floor, so that a row touches two of them; a driven hinge, a side branch
// that no row touches, a joint between the trees that closes a loop, a stop.
static const char chains[] =
    "space: spatial\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a{i}: {repeat: {i: [1, 8]}, mass: 0.1*i, inertia: [1e-3, 2e-3, 1.5e-3], com: [0, 0.01, -0.05]}\n"
    "  b{i}: {repeat: {i: [1, 8]}, mass: 0.2, inertia: [1e-3, 1e-3, 2e-3], com: [0.01, 0, -0.05]}\n"
    "  side: {mass: 0.3, inertia: [1e-3, 1e-3, 1e-3], com: [0, 0, -0.1]}\n"
    "joints:\n"
    "  a1: {revolute: [ground, a1], axis: y, limits: [-2, 2], material: m}\n"
    "  a{i}: {repeat: {i: [2, 8]}, revolute: [\"a{i-1}\", \"a{i}\"], at: [0, 0, -0.1], axis: [1, \"mod(i, 2)\", 0.3]}\n"
    "  b1: {spherical: [ground, b1], at: [0.1, 0, 0]}\n"
    "  b{i}: {repeat: {i: [2, 8]}, universal: [\"b{i-1}\", \"b{i}\"], at: [0, 0, -0.1]}\n"
    "  side: {spherical: [a2, side], at: [0, 0, -0.1]}\n"
    "constraints: {tie: {distance: [a4, b4], length: 0.1}}\n"
    "drives: {swing: {joint: a3, motion: 0.1*sin(3*t)}}\n"
    "surfaces:\n"
    "  floor: {plane: ground, at: [0, 0, -0.86]}\n"
    "  end_a: {sphere: a8, at: [0, 0, -0.05], radius: 0.03, material: m}\n"
    "  mid_a: {sphere: a5, at: [0, 0, -0.05], radius: 0.03, material: m}\n"
    "  end_b: {sphere: b8, at: [0, 0, -0.05], radius: 0.03, material: m}\n"
    "  mid_b: {sphere: b6, at: [0, 0, -0.05], radius: 0.03, material: m}\n"
    "materials: {m: {friction: 0.3, restitution: 0.4}}\n"
    "method: {moreau: {step: 1e-3}}\n"
    "end: 1\n";

static void pieces_are_W_on_long_trees(void) {
  run r;
  if (run_open_text(&r, chains, "coordinates=joint")) examine_run(&r, "chains", "coordinates=joint");
  if (run_open_text(&r, chains, "coordinates=absolute")) examine_run(&r, "chains", "coordinates=absolute");
}

// --- all at once -----------------------------------------------------------------------------------------------------

// A chain of so many hinges in the plane, without forces.
static bool open_hinges(run *r, int count) {
  char text[4096];
  int at = snprintf(text, sizeof text,
                    "space: planar\ngravity: [1, -9.81]\nmethod: {moreau: {step: 1 ms}}\nend: 1 s\nbodies:\n");
  for (int i = 1; i <= count; i++)
    at += snprintf(text + at, sizeof text - (size_t)at, "  b%d: {mass: %g, inertia: %g, com: [%g, 0.03]}\n", i, 0.5 + i,
                   0.02 * i, 0.1 * i);
  at += snprintf(text + at, sizeof text - (size_t)at, "joints:\n");
  for (int i = 1; i <= count; i++)
    at += i == 1 ? snprintf(text + at, sizeof text - (size_t)at, "  h1: {revolute: [ground, b1], at: [0.7, 0.2]}\n")
                 : snprintf(text + at, sizeof text - (size_t)at, "  h%d: {revolute: [b%d, b%d], at: [0.3, -0.05]}\n", i,
                            i - 1, i);
  return run_open_text(r, text, NULL);
}

// Kinematics, M and accelerations in one sweep against the same one after the other.
static void a_sweep_is_all_at_once(void) {
  enum { POSES = 20 };
  for (int count = 1; count <= RESPONSE_SMALL; count++) {
    run r;
    if (!open_hinges(&r, count)) continue;
    const mechanism *m = &r.model->m;
    motion *x = r.sim->x, *y = motion_create(m, 0, NULL);
    int n = m->nv;
    double u_free[RESPONSE_SMALL];
    CHECK(response_sweeps(m));
    for (int k = 0; k < POSES && CHECK(y != NULL); k++) {
      for (int i = 0; i < n; i++)
        x->q[i] = y->q[i] = 4 * sin(1.7 * i + 2.3 * k), x->u[i] = y->u[i] = 3 * cos(0.9 * i - 1.1 * k);
      tree_kinematics(m, x);
      dynamics_apply_forces(m, x);
      CHECK(response_accelerate(m, x) && response_sweep(m, y, x->q, x->u, 0, 0.1, u_free));
      double size = 0, off = 0;
      for (int i = 0; i < n; i++) size = fmax(size, fabs(x->udot[i])), off = fmax(off, fabs(x->udot[i] - y->udot[i]));
      CHECK_LE(off, 1e-11 * size);
      for (int i = 0; i < n; i++) CHECK_NEAR(u_free[i], x->u[i] + 0.1 * y->udot[i], 1e-14 * fmax(3, size));
      const response_work *a = x->response, *b = y->response;
      for (int i = 0; i < n; i++) {
        CHECK_NEAR(b->inverse[i], a->inverse[i], 1e-11 * a->inverse[i]);
        for (int j = 0; j < i; j++) CHECK_NEAR(b->mass[i * n + j], a->mass[i * n + j], 1e-11);
      }
      for (int i = 0; i < 6 * n; i++) CHECK_NEAR(y->U[i], x->U[i], 1e-12);
      for (int i = 1; i < m->node_count; i++) {
        const tree_link *p = &x->links[i], *q = &y->links[i];
        CHECK_LE(vec3_norm(vec3_sub(p->p, q->p)), 1e-12);
        for (int j = 0; j < 3; j++) CHECK_NEAR(q->V[j], p->V[j], 1e-12);
        for (int j = 0; j < 9; j++) CHECK_NEAR(q->R.m[j], p->R.m[j], 1e-14);
      }
    }
    motion_destroy(y);
    run_close(&r);
  }
}

// A velocity along d of one body against another at a place, as a row of the two bodies.
static void add_pair_row(const mechanism *m, motion *x, const response_pair *p) {
  const vec3 at = {p->x, p->y, 0}, d = {p->dx, p->dy, 0};
  const anchor a = anchor_at(x, p->a, at), b = anchor_at(x, p->b, at);
  row_body *pair = rows_add_pair(m, x, p->a, p->b);
  anchor_wrench(m, &a, d, VEC3_ZERO, pair[0].J);
  anchor_wrench(m, &b, vec3_neg(d), VEC3_ZERO, pair[1].J);
}

// Rows of pairs at once against the same rows one by one: rates, W, and speeds under impulses. A motion that flies has
// the same free velocity and the same places.
static void pairs_are_rows(void) {
  enum { POSES = 20, PAIRS = 4 };
  for (int count = 1; count <= RESPONSE_SMALL; count++) {
    run r;
    if (!open_hinges(&r, count)) continue;
    const mechanism *m = &r.model->m;
    motion *x = r.sim->x, *y = motion_create(m, 0, NULL), *z = motion_create(m, 0, NULL);
    int n = m->nv;
    for (int k = 0;
         k < POSES && CHECK(y && z) && CHECK(motion_reserve_rows(m, y, PAIRS) && motion_reserve_rows(m, z, PAIRS));
         k++) {
      double q[RESPONSE_SMALL], u[RESPONSE_SMALL], v[RESPONSE_SMALL], other[RESPONSE_SMALL], end[RESPONSE_SMALL];
      for (int i = 0; i < n; i++) q[i] = 4 * sin(1.7 * i + 2.3 * k), u[i] = 3 * cos(0.9 * i - 1.1 * k);
      CHECK(response_sweep(m, y, q, u, 0.01, 0.1, v) && response_sweep(m, z, q, u, 0.01, 0.1, other));
      CHECK(response_fly(m, x, q, u, 0.01, 0.1, end, other));
      for (int i = 0; i < n; i++) CHECK(other[i] == v[i] && x->q[i] == y->q[i]);
      for (int i = 0; i < n; i++) CHECK_NEAR(end[i], y->q[i] + 0.09 * v[i], 1e-15 * fmax(10, fabs(v[i])));
      for (int i = 1; i <= n; i++)
        CHECK(x->links[i].p.x == y->links[i].p.x && x->links[i].R.m[1] == y->links[i].R.m[1]);
      response_pair pairs[PAIRS];
      double rates[2][PAIRS], expected[PAIRS], W[PAIRS * PAIRS], whole[PAIRS * PAIRS];
      rows_clear(m, z);
      for (int i = 0; i < PAIRS; i++) {
        int a = (i + k) % (n + 1), b = (2 * i + 1) % (n + 1);
        if (a == b) a = (a + 1) % (n + 1);
        pairs[i] = (response_pair){a, b, 0.3 * i - k * 0.1, 0.2 + 0.1 * i, cos(i + k), sin(i + k)};
        add_pair_row(m, z, &pairs[i]);
      }
      (void)response_take_pairs(m, y, pairs, PAIRS, u, v, rates[0], rates[1], W);  // some can hardly move, by chance
      for (int turn = 0; turn < 2; turn++) {
        response_rates(m, z, turn ? v : u, expected);
        for (int i = 0; i < PAIRS; i++) CHECK_NEAR(rates[turn][i], expected[i], 1e-12 * (10 + fabs(expected[i])));
      }
      m->small->matrix(z, PAIRS, whole);
      double size = 0;
      for (int i = 0; i < PAIRS; i++) size = fmax(size, whole[i * (PAIRS + 1)]);
      for (int i = 0; i < PAIRS * PAIRS; i++) CHECK_NEAR(W[i], whole[i], 1e-11 * size);
      const double P[PAIRS] = {0.3, -0.2, 0.1, 0.4};
      double by_pairs[RESPONSE_SMALL], by_rows[RESPONSE_SMALL], most = 0;
      response_add(m, y, P, u, by_pairs);
      response_add(m, z, P, u, by_rows);
      for (int i = 0; i < n; i++) most = fmax(most, fabs(by_rows[i]));
      for (int i = 0; i < n; i++) CHECK_NEAR(by_pairs[i], by_rows[i], 1e-11 * most);
    }
    motion_destroy(y), motion_destroy(z);
    run_close(&r);
  }
}

// A direction along which a chain cannot move: from the hinge of its only body.
static void a_pair_that_cannot_move_is_told(void) {
  run r;
  if (!open_hinges(&r, 1)) return;
  const mechanism *m = &r.model->m;
  motion *x = motion_create(m, 0, NULL);
  double q = 0.3, u = 1, v, rates[2], W;
  const response_pair along = {1, GROUND, 0.7 + 0.2, 0.2, 1, 0}, across = {1, GROUND, 0.7 + 0.2, 0.2, 0, 1};
  if (CHECK(x != NULL) && CHECK(motion_reserve_rows(m, x, 1)) && CHECK(response_sweep(m, x, &q, &u, 0, 0.1, &v))) {
    CHECK(!response_take_pairs(m, x, &along, 1, &u, &v, &rates[0], &rates[1], &W));
    CHECK(response_take_pairs(m, x, &across, 1, &u, &v, &rates[0], &rates[1], &W));
    CHECK_NEAR(rates[0], 0.2 * u, 1e-14);
  }
  motion_destroy(x);
  run_close(&r);
}

// Drives, forces, other joints and trees that are no chains are not swept.
static void not_everything_is_swept(void) {
  run r;
  if (run_open(&r, "slider-crank", NULL)) CHECK(response_sweeps(&r.model->m)), run_close(&r);
  const char *others[][2] = {{"slider-crank", "coordinates=absolute"}, {"car-axis", NULL}, {"andrews", NULL}};
  for (int i = 0; i < 3; i++)
    if (run_open(&r, others[i][0], others[i][1])) CHECK(!response_sweeps(&r.model->m)), run_close(&r);
}

int main(void) {
  RUN(a_sweep_is_all_at_once);
  RUN(pairs_are_rows);
  RUN(a_pair_that_cannot_move_is_told);
  RUN(not_everything_is_swept);
  RUN(pieces_are_W_on_long_trees);
  RUN(pieces_are_W_on_every_model);
  return check_summary();
}
