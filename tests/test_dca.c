// Divide and conquer against the recursion: accelerations, reactions, responses to rows and W, on chains, trees and
// loops, rigid and flexible; both against four times the digits where masses differ by a million; the order of
// assembly.
#include "clouds.h"

#include "base/crew.h"
#include "math/dense.h"
#include "mechanics/dca.h"
#include "mechanics/flexible.h"
#include "mechanics/response_internal.h"
#include "mechanics/rows.h"

// What is asked for, relative to the largest number of its kind.
static const double SAME = 1e-11;

// --- one mechanism, two ways -----------------------------------------------------------------------------------------

typedef struct pair {
  const mechanism *m;
  mechanism divided;
  motion *x, *y;  // by recursion, divided
  double *W[2], *out[2];
  double worst[4];  // of accelerations, reactions, responses, W
} pair;

// `met`: as dca_plan_create.
static pair *pair_with_order(rig *r, const bool *met) {
  carom_error error = {0};
  pair *p = ARENA_NEW(&r->memory, pair);
  r->m.small = NULL;
  p->m = &r->m, p->x = r->x, p->divided = r->m;
  p->divided.divides = true, p->divided.dca = dca_plan_create(&p->divided, met, &r->memory);
  p->y = motion_create(&p->divided, 0, &error);
  CHECK(p->y != NULL);
  return p;
}

static pair *pair_create(rig *r) { return pair_with_order(r, NULL); }

// An order that knows some bodies, which need not be those that rows touch.
static pair *pair_of_any_order(rig *r) {
  bool *met = ARENA_ARRAY(&r->memory, bool, r->m.node_count);
  for (int i = 1; i < r->m.node_count; i++) met[i] = random_below(&r->seed, 4) == 0;
  return pair_with_order(r, random_below(&r->seed, 2) ? met : NULL);
}

// The largest difference relative to the largest number, and to `floor` at least.
static double difference_above(double floor, const double *a, const double *b, long count) {
  double most = 0, size = floor;
  for (long i = 0; i < count; i++) {
    const double d = fabs(a[i] - b[i]);
    most = d <= most ? most : d, size = fmax(size, fabs(b[i]));
  }
  return size > 0 ? most / size : most;
}

static double difference(const double *a, const double *b, long count) { return difference_above(0, a, b, count); }

static void keep(pair *p, int kind, double value) {
  if (!(value <= p->worst[kind])) p->worst[kind] = value;
}

static void compare_accelerations(pair *p, double t, const double *q, const double *u) {
  const mechanism *ways[] = {p->m, &p->divided};
  motion *xs[] = {p->x, p->y};
  for (int i = 0; i < 2; i++) {
    dynamics_set(ways[i], xs[i], t, q, u);
    CHECK(dynamics_accelerations(ways[i], xs[i]));
    dynamics_results(ways[i], xs[i]);
  }
  keep(p, 0, difference(p->y->udot, p->x->udot, p->m->nv));
  keep(p, 0, difference(p->y->result.acceleration, p->x->result.acceleration, 6 * p->m->body_count));
  // a free joint has no reaction: what is computed for one is rounding beside the weight
  const double weight = p->m->total_mass * vec3_norm(p->m->gravity) / p->m->body_count;
  keep(p, 1, difference_above(weight, p->y->result.reaction, p->x->result.reaction, 6 * p->m->joint_count));
  keep(p, 1, difference_above(weight, p->y->lambda, p->x->lambda, p->m->row_count));
}

// Rows between random markers, and along a speed.
static void add_rows(rig *r, const mechanism *m, motion *x, int count) {
  rows_clear(m, x);
  for (int i = 0; i < count; i++) {
    const marker_state a = marker_read(m, x, random_below(&r->seed, m->marker_count));
    const marker_state b = marker_read(m, x, random_below(&r->seed, m->marker_count));
    const vec3 d = in_model(r, random_vec3(&r->seed, 1)), any = random_vec3(&r->seed, 1);
    const vec3 turn = m->planar ? (vec3){0, 0, any.z} : any;
    row_body *terms = rows_add_pair(m, x, a.anchor.node, b.anchor.node);
    anchor_wrench(m, &a.anchor, d, turn, terms[0].J);
    anchor_wrench(m, &b.anchor, vec3_neg(d), vec3_neg(turn), terms[1].J);
    rows_add_modes(m, x, &a.anchor, &b.anchor, d, turn);
  }
  rows_add_speed(m, x, random_below(&r->seed, m->nv), 0.7);
}

enum { ROWS = 7 };

static void compare_rows(rig *r, pair *p) {
  const mechanism *ways[] = {p->m, &p->divided};
  motion *xs[] = {p->x, p->y};
  const uint64_t seed = r->seed;
  double *W[2], *out[2], *P = NULL;
  int n = 0;
  for (int i = 0; i < 2; i++) {
    const mechanism *m = ways[i];
    motion *x = xs[i];
    r->seed = seed;
    add_rows(r, m, x, ROWS - 1);
    n = x->row_total;
    if (!P) P = ARENA_ARRAY(&r->memory, double, n);
    W[i] = ARENA_ARRAY(&r->memory, double, (long)n *n), out[i] = ARENA_ARRAY(&r->memory, double, m->nv);
    for (int k = 0; !i && k < n; k++) P[k] = random_between(&r->seed, -1, 1);
    CHECK(response_factor(m, x));
    response_matrix(m, x, W[i]);
    memcpy(out[i], response_to(m, x, P, n), (size_t)m->nv * sizeof *out[i]);
    double own[1];
    response_own(m, x, n - 1, 1, own);
    if (W[i][(long)n * n - 1] != 0) CHECK_NEAR(own[0], W[i][(long)n * n - 1], 1e-12 * fabs(own[0]));
  }
  keep(p, 2, difference(out[1], out[0], p->m->nv));
  keep(p, 3, difference(W[1], W[0], (long)n * n));
  response_pieces pieces = {0};
  int *start = ARENA_ARRAY(&r->memory, int, n + 1);
  for (int i = 0; i <= n; i++) start[i] = i;
  CHECK(response_split(&p->divided, p->y, start, n, &pieces));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) W[1][(long)i * n + j] = response_product(&pieces, i, j);
  keep(p, 3, difference(W[1], W[0], (long)n * n));
  response_pieces_free(&pieces);
}

static void touch_everything(rig *r, int bodies) {
  bool *touches = ARENA_ARRAY(&r->memory, bool, bodies);
  memset(touches, true, (size_t)bodies * sizeof *touches);
  r->temporary = (temporary_rows){.count = ROWS, .bodies = touches};
}

static void report(const char *what, const double *worst) {
  printf("    %s: accelerations %.1e, reactions %.1e, responses %.1e, W %.1e\n", what, worst[0], worst[1], worst[2],
         worst[3]);
  for (int i = 0; i < 4; i++) CHECK_LE(worst[i], SAME);
}

static void take_worst(const pair *p, double *worst) {
  for (int i = 0; i < 4; i++)
    if (!(p->worst[i] <= worst[i])) worst[i] = p->worst[i];
}

// --- trees -----------------------------------------------------------------------------------------------------------

static void trees_move_as_by_recursion(void) {
  for (int planar = 0; planar < 2; planar++) {
    double worst[4] = {0};
    for (int trial = 0; trial < 60; trial++) {
      rig *r = random_tree(planar, 1 + trial * trial / 40, trial % 2 ? 0.9 : 0.4, 100 + (uint64_t)trial);
      for (int j = 0; trial % 3 == 0 && j < r->m.joint_count; j++)
        if (joint_in(r->m.joints[j].type, planar)->nq == 1 && random_below(&r->seed, 3) == 0)
          rig_drive(r, j, 0, rig_wave(r, 0.1, 0.5, 1));
      touch_everything(r, RIG_BODIES);
      rig_ready(r);
      if (r->m.nv) {
        pair *p = pair_of_any_order(r);
        state s = random_state(r, 1);
        compare_accelerations(p, s.t, s.q, s.u);
        compare_rows(r, p);
        take_worst(p, worst);
        motion_destroy(p->y);
      }
      rig_destroy(r);
    }
    report(planar ? "trees in the plane" : "trees in space", worst);
  }
}

// --- chains ----------------------------------------------------------------------------------------------------------

typedef enum shape { STRAIGHT, FOLDED, ANY } shape;

// n links on hinges in space: all along one line with parallel axes, folded back onto each other, or with axes and
// angles at random. Masses differ by up to `ratio`.
static rig *long_chain(int n, shape how, double ratio, uint64_t seed) {
  rig *r = rig_create(false, seed);
  mechanism *m = &r->m;
  m->bodies = ARENA_ARRAY(&r->memory, body, n + 1), m->bodies[0].name = "ground";
  m->markers = ARENA_ARRAY(&r->memory, marker, 2 * n + 1), m->joints = ARENA_ARRAY(&r->memory, joint, n);
  int last = rig_point(r, GROUND, 0, 0, 0);
  for (int i = 0; i < n; i++) {
    const double mass = pow(ratio, random_between(&r->seed, 0, 1));
    const double rod[6] = {1e-2 * mass, mass / 12, mass / 12, 0, 0, 0};
    const int b = rig_body(r, mass, (vec3){0.5, 0, 0}, rod);
    const mat3 turn = how == ANY ? quat_matrix(random_quat(&r->seed)) : MAT3_IDENTITY;
    rig_joint(r, &joint_revolute, last, rig_marker(r, b, (pose){turn, {0, 0, 0}}));
    last = rig_marker(r, b, (pose){how == ANY ? quat_matrix(random_quat(&r->seed)) : MAT3_IDENTITY, {1, 0, 0}});
  }
  touch_everything(r, n + 1);
  if (!mechanism_compile(m, NULL, &r->temporary, &r->memory, &r->fault)) exit(1);
  r->x = motion_create(m, 0, &r->fault.error);
  return r;
}

static state chain_state(rig *r, shape how) {
  state s = state_create(r);
  for (int i = 0; i < r->m.nv; i++) {
    s.q[i] = how == STRAIGHT ? 0 : how == FOLDED ? 3.14159265358979 * (i > 0) : random_between(&r->seed, -3, 3);
    s.u[i] = random_between(&r->seed, -1, 1) / r->m.nv;
  }
  return s;
}

static void chains_move_as_by_recursion(void) {
  static const char *const names[] = {"straight", "folded", "any shape"};
  static const int lengths[] = {1, 2, 3, 5, 17, 64, 250, 1000};
  for (int ratio = 0; ratio < 2; ratio++)
    for (shape how = STRAIGHT; how <= ANY; how++) {
      double worst[4] = {0};
      for (int k = 0; k < (int)(sizeof lengths / sizeof *lengths); k++) {
        rig *r = long_chain(lengths[k], how, ratio ? 1000 : 1, (uint64_t)(7 + k));
        pair *p = pair_create(r);
        const state s = chain_state(r, how);
        compare_accelerations(p, 0, s.q, s.u);
        compare_rows(r, p);
        take_worst(p, worst);
        motion_destroy(p->y);
        rig_destroy(r);
      }
      char what[64];
      snprintf(what, sizeof what, "chains, %s, masses %s", names[how], ratio ? "up to 1000 apart" : "equal");
      report(what, worst);
    }
}

// --- four times the digits -------------------------------------------------------------------------------------------

typedef __float128 quad;

// The recursion on the same numbers, for joints with one speed: accelerations along the speeds, and what each joint
// transmits.
typedef struct exact {
  quad I[36], p[6], A[6], U[6], D, e;
} exact;

static void shift_quad(const double *r, const quad *from, quad *to) {
  for (int i = 0; i < 6; i++) to[i] = from[i];
  to[3] += from[1] * r[2] - from[2] * r[1];
  to[4] += from[2] * r[0] - from[0] * r[2];
  to[5] += from[0] * r[1] - from[1] * r[0];
}

static void carry_quad(const double *r, const quad *from, quad *to) {
  for (int i = 0; i < 6; i++) to[i] = from[i];
  to[0] += r[1] * from[5] - r[2] * from[4];
  to[1] += r[2] * from[3] - r[0] * from[5];
  to[2] += r[0] * from[4] - r[1] * from[3];
}

static void start_exact(const mechanism *m, const motion *x, exact *e) {
  for (int i = 1; i < m->node_count; i++) {
    const tree_link *l = &x->links[i];
    double I[36] = {0};
    block_inertia(6, l->J, l->mk, m->nodes[i].mass, I);
    for (int a = 0; a < 6; a++) {
      e[i].p[a] = (quad)l->bias[a] - l->F[a];
      for (int b = 0; b < 6; b++) e[i].I[6 * a + b] = a <= b ? I[6 * a + b] : I[6 * b + a];
    }
  }
}

static void take_in(const mechanism *m, const motion *x, exact *e, int i) {
  const node *n = &m->nodes[i];
  const double *S = x->S + 6 * n->v, *c = x->links[i].c;
  quad f[6], I[36], half[36], sum = 0;
  e[i].D = 0;
  for (int a = 0; a < 6; a++) {
    e[i].U[a] = 0;
    for (int b = 0; b < 6; b++) e[i].U[a] += e[i].I[6 * a + b] * S[b];
  }
  for (int a = 0; a < 6; a++) e[i].D += S[a] * e[i].U[a], sum += S[a] * e[i].p[a];
  e[i].e = (x->tau[n->v] - sum) / e[i].D;
  if (n->parent == GROUND) return;
  exact *to = &e[n->parent];
  for (int a = 0; a < 36; a++) I[a] = e[i].I[a] - e[i].U[a / 6] * e[i].U[a % 6] / e[i].D;
  for (int a = 0; a < 6; a++) {
    f[a] = e[i].p[a] + e[i].U[a] * e[i].e;
    for (int b = 0; b < 6; b++) f[a] += I[6 * a + b] * c[b];
  }
  quad moved[6], column[6], shifted[6];
  carry_quad(x->links[i].r, f, moved);
  for (int a = 0; a < 6; a++) to->p[a] += moved[a];
  for (int b = 0; b < 6; b++) {  // Tᵀ I, by its columns
    for (int a = 0; a < 6; a++) column[a] = I[6 * a + b];
    carry_quad(x->links[i].r, column, shifted);
    for (int a = 0; a < 6; a++) half[6 * a + b] = shifted[a];
  }
  for (int a = 0; a < 6; a++) {  // and times T: each row is carried like a force
    carry_quad(x->links[i].r, half + 6 * a, shifted);
    for (int b = 0; b < 6; b++) to->I[6 * a + b] += shifted[b];
  }
}

static void solve_exactly(const mechanism *m, const motion *x, exact *e, double *udot, double *wrench) {
  start_exact(m, x, e);
  for (int i = m->node_count - 1; i > 0; i--) take_in(m, x, e, i);
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    const double *S = x->S + 6 * n->v;
    quad at[6], u = e[i].e;
    shift_quad(x->links[i].r, e[n->parent].A, at);
    for (int a = 0; a < 6; a++) at[a] += x->links[i].c[a];
    for (int a = 0; a < 6; a++) u -= e[i].U[a] * at[a] / e[i].D;
    udot[n->v] = (double)u;
    for (int a = 0; a < 6; a++) e[i].A[a] = at[a] + S[a] * u;
    for (int a = 0; a < 6; a++) {
      quad f = e[i].p[a];
      for (int b = 0; b < 6; b++) f += e[i].I[6 * a + b] * e[i].A[b];
      wrench[6 * i + a] = (double)f;
    }
  }
}

static void chains_are_as_exact_as_by_recursion(void) {
  for (int ratio = 1; ratio <= 1000000; ratio *= 1000)
    for (shape how = STRAIGHT; how <= ANY; how++) {
      enum { LINKS = 1000 };
      rig *r = long_chain(LINKS, how, ratio, 17);
      pair *p = pair_create(r);
      const state s = chain_state(r, how);
      compare_accelerations(p, 0, s.q, s.u);
      exact *e = ARENA_ARRAY(&r->memory, exact, LINKS + 1);
      double *udot = ARENA_ARRAY(&r->memory, double, LINKS), *f = ARENA_ARRAY(&r->memory, double, 6 * (LINKS + 1));
      double *got = ARENA_ARRAY(&r->memory, double, 6 * (LINKS + 1)), off[2], force[2];
      solve_exactly(p->m, p->x, e, udot, f);
      for (int i = 0; i < 2; i++) {
        const motion *x = i ? p->y : p->x;
        for (int k = 1; k <= LINKS; k++) memcpy(got + 6 * k, x->links[k].pA, 6 * sizeof *got);
        off[i] = difference(x->udot, udot, LINKS), force[i] = difference(got, f, 6 * (LINKS + 1));
      }
      printf("    masses up to %d apart, shape %d: by recursion %.1e, reactions %.1e; divided %.1e, reactions %.1e\n",
             ratio, how, off[0], force[0], off[1], force[1]);
      // both lose the digits that the masses are apart, and about two more over a thousand links
      CHECK_LE(off[1], 1e-13 * (10 + ratio / 100.)), CHECK_LE(force[1], 1e-12);
      motion_destroy(p->y);
      rig_destroy(r);
    }
}

// --- loops and flexible bodies ---------------------------------------------------------------------------------------

static void loops_move_as_by_recursion(void) {
  for (int planar = 0; planar < 2; planar++) {
    double worst[4] = {0};
    int compared = 0;
    for (int trial = 0; trial < 40; trial++) {
      const joint_type *types[16];
      const int count = types_in(planar, types);
      double q[512];
      rig *r = random_loop(planar, 7 + trial % 20, types[trial % count], 300 + (uint64_t)trial, q);
      touch_everything(r, RIG_BODIES);
      if (rig_set_moving(r, q) && r->m.nv) {
        pair *p = pair_of_any_order(r);
        compare_accelerations(p, 0, r->m.q0, r->m.u0);
        compare_rows(r, p);
        take_worst(p, worst);
        motion_destroy(p->y);
        compared++;
      }
      rig_destroy(r);
    }
    CHECK(compared > 20);
    report(planar ? "loops in the plane" : "loops in space", worst);
  }
}

static void flexible_bodies_move_as_by_recursion(void) {
  for (int planar = 0; planar < 2; planar++) {
    double worst[4] = {0};
    for (int trial = 0; trial < 30; trial++) {
      double q[512];
      const joint_type *types[16];
      const int count = types_in(planar, types);
      rig *r = trial % 2 ? random_tree(planar, 2 + trial, trial % 4 == 1 ? 0.95 : 0.6, 500 + (uint64_t)trial)
                         : random_loop(planar, 7 + trial % 9, types[trial / 2 % count], 500 + (uint64_t)trial, q);
      touch_everything(r, RIG_BODIES);
      rig_ready(bend(r, NULL));
      pair *p = pair_of_any_order(r);
      const state s = flexible_state(r);
      if (trial % 2) compare_accelerations(p, s.t, s.q, s.u);
      state_at(r, &s, 0, p->x);
      dynamics_set(&p->divided, p->y, s.t, s.q, s.u);
      dynamics_positions_velocities(&p->divided, p->y);
      compare_rows(r, p);
      take_worst(p, worst);
      motion_destroy(p->y);
      rig_destroy(r);
    }
    report(planar ? "flexible bodies in the plane" : "flexible bodies in space", worst);
  }
}

// --- the order of assembly -------------------------------------------------------------------------------------------

static void a_chain_takes_as_many_levels_as_halvings(void) {
  for (int n = 1; n <= 70; n++) {
    rig *r = long_chain(n, STRAIGHT, 1, 3);
    const dca_plan *plan = dca_plan_create(&r->m, NULL, &r->memory);
    int halvings = 0;
    while (1 << halvings < n) halvings++;
    CHECK_EQUAL(plan->level_count, halvings);
    rig_destroy(r);
  }
}

// One row from ground to each of some links of a long chain.
enum { TOUCHED = 4 };

static void touch_links(const mechanism *m, motion *x, const int *links) {
  rows_clear(m, x);
  for (int i = 0; i < TOUCHED; i++) {
    const marker_state a = marker_read(m, x, 2 * links[i]), ground = marker_read(m, x, 0);
    const vec3 d = {0.6, i % 2 ? 0.8 : 0, i % 2 ? 0 : 0.8};
    row_body *terms = rows_add_pair(m, x, a.anchor.node, GROUND);
    anchor_wrench(m, &a.anchor, d, VEC3_ZERO, terms[0].J);
    anchor_wrench(m, &ground.anchor, vec3_neg(d), VEC3_ZERO, terms[1].J);
  }
}

// W of these rows against the recursion's. Returns how many steps of the assembly each row has been through.
static double visits_of_a_row(pair *p, const int *links) {
  double W[2][TOUCHED * TOUCHED];
  const mechanism *ways[] = {p->m, &p->divided};
  motion *xs[] = {p->x, p->y};
  for (int i = 0; i < 2; i++) {
    touch_links(ways[i], xs[i], links);
    CHECK(response_factor(ways[i], xs[i]));
    if (i) xs[i]->dca->visited = 0;
    response_matrix(ways[i], xs[i], W[i]);
  }
  keep(p, 3, difference(W[1], W[0], TOUCHED * TOUCHED));
  return (double)p->y->dca->visited / TOUCHED;
}

// A row goes inward by the way of its link, 2 + ⌈log₂ n⌉ steps, and outward by the ways of all links that are touched.
// Where the order knows these links there are at most 2k + 1 blocks, so that all ways together have at most 3k + 1
// steps, whatever the length of the chain. Contacts are at the ends, in the middle, and move from link to link, also
// away from those that the order knows.
static void responses_stay_on_the_ways_of_touched_bodies(void) {
  static const int lengths[] = {60, 250, 1000};
  double worst[4] = {0}, most[2] = {0};
  for (int k = 0; k < 3; k++) {
    const int n = lengths[k];
    int halvings = 0;
    while (1 << halvings < n) halvings++;
    const int places[][TOUCHED] = {
        {1, 2, n - 1, n}, {n / 2 - 2, n / 2 - 1, n / 2, n / 2 + 1}, {n / 5, n / 3, n / 2, n}};
    rig *r = long_chain(n, ANY, 10, 31 + (uint64_t)k);
    const state s = chain_state(r, ANY);
    for (int place = 0; place < 3; place++)
      for (int knows = 0; knows < 2; knows++) {
        bool *met = ARENA_ARRAY(&r->memory, bool, n + 1);
        for (int i = 0; i < TOUCHED; i++) met[places[place][i]] = true;
        pair *p = pair_with_order(r, knows ? met : NULL);
        CHECK_LE(p->divided.dca->level_count, halvings + 2);
        compare_accelerations(p, 0, s.q, s.u);
        for (int step = 0; step < 12; step++) {
          int links[TOUCHED];
          for (int i = 0; i < TOUCHED; i++) links[i] = 1 + (places[place][i] - 1 + step * (i + 1)) % n;
          const double visits = visits_of_a_row(p, links);
          if (step == 0 && knows) CHECK_LE(visits, 2 * (3 * TOUCHED + 1));
          CHECK_LE(visits, (TOUCHED + 1) * (halvings + 5));
          if (step == 0) most[knows] = fmax(most[knows], visits);
        }
        take_worst(p, worst);
        motion_destroy(p->y);
      }
    rig_destroy(r);
  }
  printf(
      "    chains of up to 1000 links, 4 of them touched: a row goes through %.0f steps, and %.0f of an order that "
      "knows "
      "these links\n",
      most[0], most[1]);
  report("rows on some links", worst);
}

// Whether M, scaled to a unit diagonal, has no pivot near rounding.
static bool is_regular(rig *r, const mechanism *m, motion *x) {
  double *M = ARENA_ARRAY(&r->memory, double, (long)m->nv * m->nv), scale[6 * RIG_BODIES];
  tree_mass_matrix(m, x, M);
  for (int i = 0; i < m->nv; i++) scale[i] = 1 / sqrt(M[i * (m->nv + 1)]);
  for (int i = 0; i < m->nv * m->nv; i++) M[i] *= scale[i / m->nv] * scale[i % m->nv];
  return dense_cholesky(m->nv, M, m->nv, 1e-5, NULL);
}

// Bodies without mass, or with a point's inertia, between others: the recursion has no trouble with them.
static void bodies_without_inertia_are_joined_first(void) {
  double worst[4] = {0};
  int compared = 0;
  for (int planar = 0; planar < 2; planar++)
    for (int trial = 0; trial < 40; trial++) {
      rig *r = random_tree(planar, 5 + trial, 0.8, 700 + (uint64_t)trial);
      for (int b = 1; b + 1 < r->m.body_count; b++) {
        body *of = &r->m.bodies[b];
        if (random_below(&r->seed, 4)) continue;
        memset(of->inertia, 0, sizeof of->inertia);
        if (random_below(&r->seed, 2)) of->mass = 0;
      }
      touch_everything(r, RIG_BODIES);
      rig_ready(r);
      pair *p = pair_of_any_order(r);
      const state s = random_state(r, 1);
      dynamics_set(p->m, p->x, s.t, s.q, s.u);
      dynamics_positions_velocities(p->m, p->x);
      if (is_regular(r, p->m, p->x)) {
        compare_accelerations(p, s.t, s.q, s.u);
        compare_rows(r, p);
        take_worst(p, worst);
        compared++;
      }
      motion_destroy(p->y);
      rig_destroy(r);
    }
  CHECK(compared > 20);
  report("bodies without inertia", worst);
}

static void threads_do_not_change_a_bit(void) {
  enum { LINKS = 1000 };
  rig *r = long_chain(LINKS, ANY, 10, 5);
  pair *p = pair_of_any_order(r);
  const state s = chain_state(r, ANY);
  compare_accelerations(p, 0, s.q, s.u);
  double *alone = ARENA_ARRAY(&r->memory, double, LINKS), *turned = ARENA_ARRAY(&r->memory, double, LINKS);
  double *unit = ARENA_ARRAY(&r->memory, double, LINKS);
  memcpy(alone, p->y->udot, LINKS * sizeof *alone);
  unit[LINKS / 3] = 1;
  for (int i = 1; i <= LINKS; i++) memset(p->y->links[i].pA, 0, sizeof p->y->links[i].pA);
  dca_solve(&p->divided, p->y, unit, turned);
  for (int threads = 2; threads <= 4; threads++) {
    crew c = {0};
    double *out = ARENA_ARRAY(&r->memory, double, LINKS);
    CHECK(crew_set(&c, threads));
    p->y->crew = &c;
    dynamics_set(&p->divided, p->y, 0, s.q, s.u);
    CHECK(dynamics_accelerations(&p->divided, p->y));
    CHECK(memcmp(alone, p->y->udot, LINKS * sizeof *alone) == 0);
    for (int i = 1; i <= LINKS; i++) memset(p->y->links[i].pA, 0, sizeof p->y->links[i].pA);
    dca_solve(&p->divided, p->y, unit, out);
    CHECK(memcmp(turned, out, LINKS * sizeof *out) == 0);
    p->y->crew = NULL;
    crew_end(&c);
  }
  motion_destroy(p->y);
  rig_destroy(r);
}

int main(void) {
  RUN(trees_move_as_by_recursion);
  RUN(chains_move_as_by_recursion);
  RUN(chains_are_as_exact_as_by_recursion);
  RUN(loops_move_as_by_recursion);
  RUN(flexible_bodies_move_as_by_recursion);
  RUN(a_chain_takes_as_many_levels_as_halvings);
  RUN(responses_stay_on_the_ways_of_touched_bodies);
  RUN(bodies_without_inertia_are_joined_first);
  RUN(threads_do_not_change_a_bit);
  return check_summary();
}
