// The recursions over the tree against each other, against finite differences and against conservation laws, on
// random trees with every joint type.
#include "mechanisms.h"

#include <float.h>

#include "math/dense.h"
#include "mechanics/block.h"
#include "mechanics/response_internal.h"
#include "mechanics/rows.h"

// Speeds up to 0.5 give bodies of an eight-body tree at most 4 rad/s at up to 5 m: the fifth derivative is below
// 4⁵ · 5 = 5000, times h⁴/30 = 3e-14 (h = 1e-3). Rounding adds 1.5 ε/h · 20 = 1e-11.
static const double DIFFERENCE = 3e-10;

static const int sizes[] = {1, 2, 3, 5, 8};
enum { SIZES = 5 };

// --- kinematics ------------------------------------------------------------------------------------------------------

static vec3 spin_of(mat3 rate, mat3 R) {
  mat3 W = mat3_product(rate, mat3_transpose(R));
  return (vec3){0.5 * (W.m[7] - W.m[5]), 0.5 * (W.m[2] - W.m[6]), 0.5 * (W.m[3] - W.m[1])};
}

static void check_velocities(rig *r, const state *s) {
  const mechanism *m = &r->m;
  mat3 turning[16] = {{{0}}};
  vec3 moving[16] = {{0}};
  for (int k = 0; k < 4; k++) {
    state_at(r, s, STENCIL_AT[k] * STENCIL_H, r->x);
    double weight = STENCIL_WEIGHT[k] / STENCIL_H;
    for (int i = 1; i < m->node_count; i++) {
      for (int e = 0; e < 9; e++) turning[i].m[e] += weight * r->x->links[i].R.m[e];
      moving[i] = vec3_axpy(moving[i], weight, r->x->links[i].p);
    }
  }
  state_at(r, s, 0, r->x);
  for (int i = 1; i < m->node_count; i++) {
    const tree_link *l = &r->x->links[i];
    CHECK_LE(vec3_norm(vec3_sub(spin_of(turning[i], l->R), block_angular(m, l->V))), DIFFERENCE);
    CHECK_LE(vec3_norm(vec3_sub(moving[i], block_linear(m, l->V))), DIFFERENCE);
  }
}

static void check_accelerations(rig *r, const state *s) {
  const mechanism *m = &r->m;
  double difference[16][6] = {{0}}, tau[128];
  for (int k = 0; k < 4; k++) {
    state_at(r, s, STENCIL_AT[k] * STENCIL_H, r->x);
    for (int i = 1; i < m->node_count; i++)
      block_axpy(m->n, STENCIL_WEIGHT[k] / STENCIL_H, r->x->links[i].V, difference[i]);
  }
  state_at(r, s, 0, r->x);
  tree_inverse(m, r->x, s->udot, tau);
  for (int i = 1; i < m->node_count; i++)
    for (int b = 0; b < m->n; b++)
      CHECK_NEAR(difference[i][b], r->x->links[i].A[b], 4 * DIFFERENCE);  // one more factor ω
}

// V = Σ S u along the path, and r the vector between origins
static void check_columns(rig *r, const state *s) {
  const mechanism *m = &r->m;
  state_at(r, s, 0, r->x);
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    const tree_link *l = &r->x->links[i], *p = &r->x->links[n->parent];
    double V[6];
    if (m->planar) block_shift_motion(3, l->r, p->V, V);
    else block_shift_motion(6, l->r, p->V, V);
    for (int k = 0; k < n->nv; k++) block_axpy(m->n, s->u[n->v + k], r->x->S + 6 * (n->v + k), V);
    for (int b = 0; b < m->n; b++) CHECK_NEAR(V[b], l->V[b], 1e-13);  // a few dozen operations on numbers up to ten
    CHECK_NEAR(l->r[0], l->p.x - p->p.x, 1e-14);
    CHECK_NEAR(l->r[1], l->p.y - p->p.y, 1e-14);
  }
}

static void kinematics_matches_differences(void) {
  for (int planar = 0; planar < 2; planar++)
    for (int trial = 0; trial < 40; trial++) {
      rig *r = rig_ready(random_tree(planar, sizes[trial % SIZES], 0.7, 100 + (uint64_t)trial));
      state s = random_state(r, 0.5);
      int before = check_state.failures_here;
      check_velocities(r, &s);
      check_accelerations(r, &s);
      check_columns(r, &s);
      if (check_state.failures_here > before) printf("    planar %d, trial %d\n", planar, trial);
      rig_destroy(r);
    }
}

// --- dynamics --------------------------------------------------------------------------------------------------------

static void zero_loads(rig *r) {
  for (int i = 0; i < r->m.node_count; i++) memset(r->x->links[i].F, 0, sizeof r->x->links[i].F);
  memset(r->x->tau, 0, (size_t)r->m.nv * sizeof(double));
}

static void random_loads(rig *r) {
  zero_loads(r);
  for (int i = 1; i < r->m.node_count; i++)
    for (int b = 0; b < r->m.n; b++) r->x->links[i].F[b] = random_between(&r->seed, -5, 5);
  for (int i = 0; i < r->m.nv; i++) r->x->tau[i] = random_between(&r->seed, -5, 5);
}

// The largest term of each row of the balance M u̇ + h = τ: of |M_ij u̇_j| over j, |h_i|, |τ_i|.
static double *largest_terms(rig *r, const double *M, const double *udot, const double *tau) {
  int nv = r->m.nv;
  double *h = ARENA_ARRAY(&r->memory, double, nv + 1), *none = ARENA_ARRAY(&r->memory, double, nv + 1);
  tree_inverse(&r->m, r->x, none, h);
  for (int i = 0; i < nv; i++) {
    h[i] = fmax(fabs(h[i]), fabs(tau[i]));
    for (int j = 0; j < nv; j++) h[i] = fmax(h[i], fabs(M[i * nv + j] * udot[j]));
  }
  return h;
}

static double *mass_matrix_of(rig *r) {
  double *M = ARENA_ARRAY(&r->memory, double, ((long)r->m.nv * r->m.nv) + 1);
  tree_mass_matrix(&r->m, r->x, M);
  return M;
}

static double worst_inversion;

static void check_inversion(rig *r, const state *s) {
  const mechanism *m = &r->m;
  state_at(r, s, 0, r->x);
  random_loads(r);
  double *M = mass_matrix_of(r), *back = ARENA_ARRAY(&r->memory, double, m->nv + 1);
  if (!CHECK(tree_factor(m, r->x))) return;
  tree_forward(m, r->x);
  double *size = largest_terms(r, M, r->x->udot, r->x->tau);
  tree_inverse(m, r->x, r->x->udot, back);
  for (int i = 0; i < m->nv; i++) {
    worst_inversion = fmax(worst_inversion, fabs(back[i] - r->x->tau[i]) / size[i]);
    CHECK_LE(fabs(back[i] - r->x->tau[i]), 1e-11 * size[i]);  // the bound carom promises
  }
}

static void forward_and_inverse_dynamics_invert_each_other(void) {
  const int many[] = {1, 2, 3, 5, 8, 13, 21, 40, 80, 130, 200};
  for (int planar = 0; planar < 2; planar++)
    for (int k = 0; k < 11; k++)
      for (int trial = 0; trial < (many[k] < 40 ? 20 : 4); trial++) {
        double depth = trial % 4 == 3 ? 1 : trial % 4 * 0.45;  // bushes, trees, chains
        rig *r = rig_ready(random_tree(planar, many[k], depth, (uint64_t)(1000 * k + trial)));
        state s = random_state(r, 1);
        int before = check_state.failures_here;
        check_inversion(r, &s);
        if (check_state.failures_here > before) printf("    planar %d, %d bodies, trial %d\n", planar, many[k], trial);
        rig_destroy(r);
      }
  printf("    worst %.2g of the largest term\n", worst_inversion);
}

// Symmetric, positive definite, and ½ uᵀ M u the kinetic energy; h + M u̇ what inverse dynamics says.
static void mass_matrix_is_the_kinetic_energys(void) {
  for (int planar = 0; planar < 2; planar++)
    for (int trial = 0; trial < 20; trial++) {
      rig *r = rig_ready(random_tree(planar, sizes[trial % SIZES] * 3, 0.6, 200 + (uint64_t)trial));
      const mechanism *m = &r->m;
      int nv = m->nv;
      state s = random_state(r, 1);
      state_at(r, &s, 0, r->x);
      double *M = mass_matrix_of(r), energy = 0, size = 0;
      for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
          CHECK_NEAR(M[i * nv + j], M[j * nv + i], 0);
          energy += 0.5 * s.u[i] * M[i * nv + j] * s.u[j];
          size += fabs(s.u[i] * M[i * nv + j] * s.u[j]);
        }
      CHECK_NEAR(tree_kinetic_energy(m, r->x), energy, 1e-13 * size);  // 24 levels, each a few ε of the terms

      zero_loads(r);
      double *h = ARENA_ARRAY(&r->memory, double, nv + 1), *tau = ARENA_ARRAY(&r->memory, double, nv + 1);
      double *none = ARENA_ARRAY(&r->memory, double, nv + 1);
      tree_inverse(m, r->x, none, h);
      tree_inverse(m, r->x, s.udot, tau);
      for (int i = 0; i < nv; i++) {
        double sum = h[i], terms = fabs(h[i]);
        for (int j = 0; j < nv; j++) sum += M[i * nv + j] * s.udot[j], terms += fabs(M[i * nv + j] * s.udot[j]);
        // h itself is a sum over up to 24 bodies of terms of size |h|_max: 1e-13 of the largest
        CHECK_NEAR(tau[i], sum, 1e-13 * (terms + largest_of(h, nv)));
      }
      if (nv) CHECK(dense_cholesky(nv, M, nv, 1e-12, NULL));  // random markers leave no direction without inertia
      rig_destroy(r);
    }
}

// Against a dense solve with M. Both are backward stable, so they differ by ε times the condition of M.
static void forward_dynamics_is_the_dense_solution(void) {
  for (int planar = 0; planar < 2; planar++)
    for (int trial = 0; trial < 20; trial++) {
      rig *r = rig_ready(random_tree(planar, sizes[trial % SIZES], 0.6, 300 + (uint64_t)trial));
      const mechanism *m = &r->m;
      int nv = m->nv;
      state s = random_state(r, 1);
      state_at(r, &s, 0, r->x);
      random_loads(r);
      double *M = mass_matrix_of(r), *dense = ARENA_ARRAY(&r->memory, double, nv + 1);
      double *solved = ARENA_ARRAY(&r->memory, double, nv + 1), *none = ARENA_ARRAY(&r->memory, double, nv + 1);
      tree_inverse(m, r->x, none, dense);
      for (int i = 0; i < nv; i++) dense[i] = r->x->tau[i] - dense[i];
      dense_cholesky(nv, M, nv, 0, NULL);
      double low = INFINITY, high = 0;  // squares of the factor's diagonal: the condition to a small factor
      for (int i = 0; i < nv; i++) low = fmin(low, M[i * nv + i]), high = fmax(high, M[i * nv + i]);
      dense_cholesky_solve(nv, M, nv, dense);
      CHECK(tree_factor(m, r->x));
      tree_forward(m, r->x);
      double tolerance = 1000 * DBL_EPSILON * (high / low) * (high / low) * (1 + largest_of(dense, nv));
      for (int i = 0; i < nv; i++) CHECK_NEAR(r->x->udot[i], dense[i], tolerance);

      // and M⁻¹ alone: tau and wrenches, no velocity terms
      double tau[128];
      for (int i = 0; i < nv; i++) tau[i] = random_between(&r->seed, -1, 1), dense[i] = tau[i];
      for (int i = 1; i < m->node_count; i++) memset(r->x->links[i].pA, 0, sizeof r->x->links[i].pA);
      tree_solve(m, r->x, tau, solved);
      dense_cholesky_solve(nv, M, nv, dense);
      tolerance = 1000 * DBL_EPSILON * (high / low) * (high / low) * (1 + largest_of(dense, nv));
      for (int i = 0; i < nv; i++) CHECK_NEAR(solved[i], dense[i], tolerance);
      rig_destroy(r);
    }
}

// A tree of hinges whose markers have the same axes in both bodies, at the body's origin or elsewhere, with and without
// products of inertia. These have short forms of their own. So have those that turn about an axis of their parent, as
// every second one does, each axis in turn.
static rig *hinge_tree(int bodies, bool at_origin, bool principal, uint64_t seed) {
  rig *r = rig_create(false, seed);
  for (int i = 1; i <= bodies; i++) {
    int b = rig_random_body(r), parent = random_below(&r->seed, i);
    pose inner = random_pose(&r->seed, false, 0.5), outer = random_pose(&r->seed, false, 0.5);
    if (i % 2 == 0) inner.R = quat_matrix(quat_from_z(mat3_column(MAT3_IDENTITY, i / 2 % 3)));
    outer.R = inner.R;
    if (at_origin) outer.p = VEC3_ZERO;
    if (principal) memset(r->m.bodies[b].inertia + 3, 0, 3 * sizeof(double)), r->m.bodies[b].com = (vec3){0, 0, 0.2};
    rig_joint(r, &joint_revolute, rig_marker(r, parent, inner), rig_marker(r, b, outer));
  }
  return rig_ready(r);
}

// What each node accelerates by, and that one sweep does what a factor and tree_forward do, but for rounding.
static void hinges_of_the_same_axes(void) {
  static const double NEAR = 1e-11;  // of accelerations up to a hundred, by sums of a few dozen terms
  for (int trial = 0; trial < 40; trial++) {
    rig *r = hinge_tree(sizes[trial % SIZES], trial % 2, trial / 2 % 2, 800 + (uint64_t)trial);
    const mechanism *m = &r->m;
    int about_axes = 0;
    for (int i = 1; i < m->node_count; i++) {
      CHECK(m->nodes[i].hinge);
      about_axes += m->nodes[i].axis >= 0;
      CHECK_EQUAL(m->nodes[i].pivots, trial % 2);
      CHECK_EQUAL(m->nodes[i].principal, trial / 2 % 2);
    }
    CHECK_EQUAL(about_axes, (m->node_count - 1) / 2);
    state s = random_state(r, 0.5);
    int before = check_state.failures_here;
    check_velocities(r, &s);
    check_accelerations(r, &s);
    check_columns(r, &s);
    check_inversion(r, &s);
    double udot[16];
    memcpy(udot, r->x->udot, (size_t)m->nv * sizeof *udot);
    CHECK(tree_accelerate(m, r->x));
    for (int i = 0; i < m->nv; i++) CHECK_NEAR(r->x->udot[i], udot[i], NEAR * (1 + largest_of(udot, m->nv)));
    if (check_state.failures_here > before) printf("    trial %d\n", trial);
    rig_destroy(r);
  }
}

// Some speeds driven: the others must accelerate so that inverse dynamics needs nothing but tau along them, and
// tree_solve leaves the driven ones at rest.
static void driven_speeds_are_obeyed(void) {
  for (int planar = 0; planar < 2; planar++)
    for (int trial = 0; trial < 20; trial++) {
      rig *r = random_tree(planar, sizes[trial % SIZES] * 2, 0.7, 400 + (uint64_t)trial);
      for (int j = 0; j < r->m.joint_count; j++) {
        const joint_space *space = joint_in(r->m.joints[j].type, planar);
        for (int k = 0; k < space->nv && space->nq == space->nv; k++)
          if (random_below(&r->seed, 3) == 0)
            rig_drive(r, j, k, rig_wave(r, random_between(&r->seed, -1, 1), 0.5, 1 + random_between(&r->seed, 0, 2)));
      }
      rig_ready(r);
      const mechanism *m = &r->m;
      state s = random_state(r, 1);
      state_at(r, &s, 0, r->x);
      random_loads(r);
      double *M = mass_matrix_of(r), *back = ARENA_ARRAY(&r->memory, double, m->nv + 1);
      CHECK(tree_factor(m, r->x));
      tree_forward(m, r->x);
      double *size = largest_terms(r, M, r->x->udot, r->x->tau);
      tree_inverse(m, r->x, r->x->udot, back);
      bool *driven = ARENA_ARRAY(&r->memory, bool, m->nv + 1);
      for (int d = 0; d < m->drive_count; d++) {
        driven[m->drives[d].speed] = true;
        wave w = *(wave *)m->drives[d].f.context;
        const node *n = &m->nodes[m->speed_node[m->drives[d].speed]];
        CHECK_NEAR(r->x->q[n->q + m->drives[d].of.index], w.a + w.b * sin(w.c * s.t), 1e-15);
        CHECK_NEAR(r->x->u[m->drives[d].speed], w.b * w.c * cos(w.c * s.t), 1e-15);
        CHECK_NEAR(r->x->udot[m->drives[d].speed], -w.b * w.c * w.c * sin(w.c * s.t), 1e-15);
      }
      for (int i = 0; i < m->nv; i++)
        if (!driven[i]) CHECK_LE(fabs(back[i] - r->x->tau[i]), 1e-11 * size[i]);
      double *solved = ARENA_ARRAY(&r->memory, double, m->nv + 1);
      for (int i = 1; i < m->node_count; i++) memset(r->x->links[i].pA, 0, sizeof r->x->links[i].pA);
      tree_solve(m, r->x, r->x->tau, solved);
      double balance = 0;
      for (int i = 0; i < m->nv; i++) {
        if (driven[i]) CHECK_NEAR(solved[i], 0, 0);
        double sum = 0, terms = fabs(r->x->tau[i]);
        for (int j = 0; j < m->nv; j++)
          sum += M[i * m->nv + j] * solved[j], terms = fmax(terms, fabs(M[i * m->nv + j] * solved[j]));
        balance = fmax(balance, terms);
        back[i] = sum;
      }
      for (int i = 0; i < m->nv; i++)
        if (!driven[i]) CHECK_NEAR(back[i], r->x->tau[i], 1e-12 * balance);
      rig_destroy(r);
    }
}

// --- balances --------------------------------------------------------------------------------------------------------

// dT/dt = τ·u + gravity's power, with gravity's power -dV/dt; everything along the path of the true accelerations.
static void power_balances(void) {
  for (int planar = 0; planar < 2; planar++)
    for (int trial = 0; trial < 20; trial++) {
      rig *r = rig_ready(random_tree(planar, sizes[trial % SIZES], 0.6, 500 + (uint64_t)trial));
      const mechanism *m = &r->m;
      state s = random_state(r, 0.5);
      dynamics_set(m, r->x, s.t, s.q, s.u);
      CHECK(dynamics_accelerations(m, r->x));
      memcpy(s.udot, r->x->udot, (size_t)m->nv * sizeof *s.udot);
      double kinetic = 0, gravity = 0, size = 1;
      for (int k = 0; k < 4; k++) {
        state_at(r, &s, STENCIL_AT[k] * STENCIL_H, r->x);
        kinetic += STENCIL_WEIGHT[k] / STENCIL_H * tree_kinetic_energy(m, r->x);
        gravity += STENCIL_WEIGHT[k] / STENCIL_H * tree_gravity_energy(m, r->x);
        size = fmax(size, fabs(tree_gravity_energy(m, r->x)) + tree_kinetic_energy(m, r->x));
      }
      // accelerations reach 100 rad/s² near folded positions, so that h⁴/30 meets fifth derivatives of 1e5 · size
      CHECK_NEAR(kinetic, -gravity, 1e-8 * size * fmax(1, largest_of(s.udot, m->nv)));
      // the same at one instant, without differences: τ·u with τ from inverse dynamics, no gravity, is dT/dt
      state_at(r, &s, 0, r->x);
      zero_loads(r);
      double tau[128], power = 0;
      tree_inverse(m, r->x, s.udot, tau);
      for (int i = 0; i < m->nv; i++) power += tau[i] * s.u[i];
      CHECK_NEAR(power, kinetic, 1e-8 * size * fmax(1, largest_of(s.udot, m->nv)));
      rig_destroy(r);
    }
}

// Free bodies with their mass centre and their joint's marker at the origin have a block of M that never changes: it
// gives what the recursion gives, which only rounds otherwise. Bodies that carry others, or whose marker is elsewhere,
// have none.
static void steady_bodies_move_as_by_recursion(void) {
  static const double NEAR = 1e-12;  // of numbers up to a hundred
  for (int trial = 0; trial < 10; trial++) {
    rig *r = rig_create(false, 700 + (uint64_t)trial);
    for (int i = 0; i < 4; i++) {
      int b = rig_random_body(r);
      pose turned = random_pose(&r->seed, false, 0.5);
      if (i != 3) turned.p = r->m.bodies[b].com = VEC3_ZERO;
      rig_joint(r, &joint_free, rig_random_marker(r, GROUND), rig_marker(r, b, turned));
    }
    rig_joint(r, &joint_revolute, rig_random_marker(r, 3), rig_random_marker(r, rig_random_body(r)));
    rig_ready(r);
    mechanism *m = &r->m;
    for (int b = 1; b <= 4; b++) CHECK_EQUAL(m->nodes[m->bodies[b].node].steady, b <= 2);
    state s = random_state(r, 0.5);
    double udot[2][64], out[2][64], tau[64];
    for (int i = 0; i < m->nv; i++) tau[i] = random_between(&r->seed, -1, 1);
    for (int plain = 0; plain < 2; plain++) {
      for (int i = 1; i < m->node_count; i++) m->nodes[i].steady &= !plain;
      state_at(r, &s, 0, r->x);
      zero_loads(r);
      for (int i = 1; i < m->node_count; i++)
        for (int k = 0; k < 6; k++) r->x->links[i].F[k] = i - 0.3 * k;
      CHECK(tree_factor(m, r->x));
      tree_forward(m, r->x);
      memcpy(udot[plain], r->x->udot, (size_t)m->nv * sizeof **udot);
      for (int i = 1; i < m->node_count; i++)
        for (int k = 0; k < 6; k++) r->x->links[i].pA[k] = 0.2 * k - i;
      tree_solve(m, r->x, tau, out[plain]);
    }
    for (int i = 0; i < m->nv; i++)
      CHECK_NEAR(udot[0][i], udot[1][i], 100 * NEAR), CHECK_NEAR(out[0][i], out[1][i], 100 * NEAR);
    rig_destroy(r);
  }
}

// The same in the plane of kinematics, accelerations and solutions with M. Bodies that carry others, whose marker is
// elsewhere or turned, or whose mass centre is not at their origin, are not centred.
static void centred_bodies_move_as_by_recursion(void) {
  static const double NEAR = 1e-12;  // of numbers up to a hundred
  for (int trial = 0; trial < 10; trial++) {
    rig *r = rig_create(true, 750 + (uint64_t)trial);
    for (int i = 0; i < 6; i++) {
      int b = rig_random_body(r);
      pose inner = random_pose(&r->seed, true, 0.5), outer = random_pose(&r->seed, true, 0.5);
      inner.R = MAT3_IDENTITY;
      if (i != 3) outer.R = MAT3_IDENTITY;
      if (i != 4) outer.p = VEC3_ZERO;
      if (i != 5) r->m.bodies[b].com = VEC3_ZERO;
      rig_joint(r, &joint_free, rig_marker(r, GROUND, inner), rig_marker(r, b, outer));
    }
    rig_joint(r, &joint_revolute, rig_random_marker(r, 3), rig_random_marker(r, rig_random_body(r)));
    rig_ready(r);
    mechanism *m = &r->m;
    for (int b = 1; b <= 6; b++) CHECK_EQUAL(m->nodes[m->bodies[b].node].centred, b <= 2);
    state s = random_state(r, 0.5);
    double udot[2][64], out[2][64], tau[64];
    tree_link links[2][16];
    for (int i = 0; i < m->nv; i++) tau[i] = random_between(&r->seed, -1, 1);
    for (int plain = 0; plain < 2; plain++) {
      for (int i = 1; i < m->node_count; i++) m->nodes[i].centred &= !plain;
      for (int turn = 0; turn < 2; turn++) {  // the second finds a factor
        state_at(r, &s, 0, r->x);
        zero_loads(r);
        for (int i = 1; i < m->node_count; i++)
          for (int k = 0; k < 3; k++) r->x->links[i].F[k] = i - 0.3 * k;
        CHECK(tree_factor(m, r->x));
        tree_forward(m, r->x);
      }
      memcpy(udot[plain], r->x->udot, (size_t)m->nv * sizeof **udot);
      memcpy(links[plain], r->x->links, (size_t)m->node_count * sizeof **links);
      for (int i = 1; i < m->node_count; i++)
        for (int k = 0; k < 3; k++) r->x->links[i].pA[k] = 0.2 * k - i;
      tree_solve(m, r->x, tau, out[plain]);
    }
    for (int i = 0; i < m->nv; i++)
      CHECK_NEAR(udot[0][i], udot[1][i], 100 * NEAR), CHECK_NEAR(out[0][i], out[1][i], 100 * NEAR);
    for (int i = 1; i < m->node_count; i++) {
      const tree_link *a = &links[0][i], *b = &links[1][i];
      for (int k = 0; k < 9; k++) CHECK_NEAR(a->R.m[k], b->R.m[k], 0);
      CHECK_LE(vec3_norm(vec3_sub(a->p, b->p)), 0);
      for (int k = 0; k < 3; k++)
        CHECK_NEAR(a->V[k], b->V[k], 0), CHECK_NEAR(a->c[k], b->c[k], 0), CHECK_NEAR(a->bias[k], b->bias[k], 0),
            CHECK_NEAR(a->A[k], b->A[k], 100 * NEAR);
    }
    rig_destroy(r);
  }
}

// A factor of another mass does not stay: the assembly gives all bodies the same.
static void a_centred_body_notices_another_mass(void) {
  rig *r = rig_create(true, 770);
  int b = rig_random_body(r);
  r->m.bodies[b].com = VEC3_ZERO;
  rig_joint(r, &joint_free, rig_marker(r, GROUND, POSE_IDENTITY), rig_marker(r, b, POSE_IDENTITY));
  rig_ready(r);
  node *n = &r->m.nodes[1];
  CHECK(n->centred);
  state s = random_state(r, 0.5);
  for (int k = 1; k <= 2; k++) {
    n->mass *= k;
    state_at(r, &s, 0, r->x);
    zero_loads(r);
    r->x->links[1].F[1] = 3;
    CHECK(tree_factor(&r->m, r->x));
    tree_forward(&r->m, r->x);
    CHECK_NEAR(r->x->udot[1], 3 / n->mass, 1e-14 * fabs(3 / n->mass));
  }
  rig_destroy(r);
}

// A tree whose base floats: only gravity acts from outside, so Ṗ = Σ m g and L̇ = Σ c × m g.
static void momentum_changes_by_outer_forces_only(void) {
  for (int planar = 0; planar < 2; planar++)
    for (int trial = 0; trial < 10; trial++) {
      rig *r = rig_create(planar, 600 + (uint64_t)trial);
      const joint_type *types[16];
      int count = types_in(planar, types);
      for (int i = 0; i < 6; i++) {
        int b = rig_random_body(r), parent = i == 0 ? GROUND : 1 + random_below(&r->seed, i);
        rig_joint(r, i == 0 ? &joint_free : types[(i + trial) % count], rig_random_marker(r, parent),
                  rig_random_marker(r, b));
      }
      for (int j = 1; j < r->m.joint_count; j++)  // inner forces change nothing
        if (joint_in(r->m.joints[j].type, planar)->nq == joint_in(r->m.joints[j].type, planar)->nv &&
            joint_in(r->m.joints[j].type, planar)->nv > 0) {
          force *f = rig_force(r, &force_along, -1, -1);
          f->of = (coordinate){j, 0}, f->stiffness[0] = 3, f->damping[0] = 1, f->f[0] = constant_of(2);
        }
      force *f = rig_force(r, &force_spring, rig_random_marker(r, 3), rig_random_marker(r, 5));
      f->stiffness[0] = 20, f->damping[0] = 2, f->rest = 0.1;
      rig_ready(r);
      const mechanism *m = &r->m;
      state s = random_state(r, 0.5);
      dynamics_set(m, r->x, s.t, s.q, s.u);
      CHECK(dynamics_accelerations(m, r->x));
      memcpy(s.udot, r->x->udot, (size_t)m->nv * sizeof *s.udot);
      vec3 force_sum = VEC3_ZERO, torque_sum = VEC3_ZERO, linear = VEC3_ZERO, angular = VEC3_ZERO;
      for (int i = 1; i < m->node_count; i++) {
        vec3 centre = vec3_add(r->x->links[i].p, mat3_mul(r->x->links[i].R, m->nodes[i].com));
        vec3 weight = vec3_scale(m->nodes[i].mass, m->gravity);
        force_sum = vec3_add(force_sum, weight);
        torque_sum = vec3_add(torque_sum, vec3_cross(centre, weight));
      }
      for (int k = 0; k < 4; k++) {
        vec3 P, L;
        state_at(r, &s, STENCIL_AT[k] * STENCIL_H, r->x);
        tree_momentum(m, r->x, &P, &L);
        linear = vec3_axpy(linear, STENCIL_WEIGHT[k] / STENCIL_H, P);
        angular = vec3_axpy(angular, STENCIL_WEIGHT[k] / STENCIL_H, L);
      }
      double tolerance = 1e-8 * fmax(1, largest_of(s.udot, m->nv)) * 10;  // as for power, a mass of ten kilograms
      CHECK_LE(vec3_norm(vec3_sub(linear, force_sum)), tolerance);
      CHECK_LE(vec3_norm(vec3_sub(angular, torque_sum)), tolerance);
      rig_destroy(r);
    }
}

// A simple pendulum in closed form: q̈ = -g l m / (J + m l²) sin, upright in both spaces.
static void pendulum_is_as_in_the_book(void) {
  for (int planar = 0; planar < 2; planar++) {
    rig *r = chain(planar, 1);
    r->m.gravity = (vec3){0, -9.81, 0};
    rig_ready(r);
    double q = 0.3, u = 1.2;
    dynamics_set(&r->m, r->x, 0, &q, &u);
    CHECK(dynamics_accelerations(&r->m, r->x));
    CHECK_NEAR(r->x->udot[0], -9.81 * 0.5 / (1.0 / 12 + 0.25) * cos(q), 1e-14 * 20);
    rig_destroy(r);
  }
}

// --- M⁻¹ written out -------------------------------------------------------------------------------------------------

enum { ROWS = 5 };

// A random row on two bodies or one speed, as contacts and stops have them.
static void random_row(rig *r, int k) {
  const mechanism *m = &r->m;
  if (k == ROWS - 1) {
    rows_add_speed(m, r->x, random_below(&r->seed, m->nv), random_between(&r->seed, -1, 1));
    return;
  }
  int a = random_below(&r->seed, m->node_count), b = random_below(&r->seed, m->node_count);
  row_body *pair = rows_add_pair(m, r->x, a, b);
  for (int i = 0; i < m->n; i++)
    pair[0].J[i] = random_between(&r->seed, -1, 1), pair[1].J[i] = random_between(&r->seed, -1, 1);
}

// What a scheme in velocities asks for: accelerations, rates, W, the response to percussions.
typedef struct answers {
  double udot[RESPONSE_SMALL], rates[ROWS], W[ROWS * ROWS], u[RESPONSE_SMALL];
} answers;

static answers ask(const mechanism *m, motion *x, const double *u, const double *P) {
  answers a = {0};
  CHECK(response_accelerate(m, x));
  memcpy(a.udot, x->udot, (size_t)m->nv * sizeof *x->udot);
  response_rates(m, x, u, a.rates);
  response_matrix(m, x, a.W);
  response_add(m, x, P, u, a.u);
  return a;
}

static void compare(int n, const double *a, const double *b, double tolerance) {
  for (int i = 0; i < n; i++) CHECK_NEAR(a[i], b[i], tolerance * (1 + largest_of(b, n)));
}

// Both ways solve with the same M: apart by rounding times its condition, which the pivots tell to a small factor.
static void small_trees_answer_as_the_recursion_does(void) {
  int compared = 0;
  for (int planar = 0; planar < 2; planar++)
    for (int trial = 0; trial < 60; trial++) {
      rig *r = random_tree(planar, 1 + trial % 6, 0.7, 900 + (uint64_t)trial);
      for (int j = 0; trial % 3 == 0 && j < r->m.joint_count; j++)
        if (joint_in(r->m.joints[j].type, planar)->nq == 1 && random_below(&r->seed, 3) == 0)
          rig_drive(r, j, 0, rig_wave(r, 0.1, 0.5, 1));
      bool *touches = ARENA_ARRAY(&r->memory, bool, 64);
      memset(touches, true, 64);
      r->temporary = (temporary_rows){.count = ROWS, .bodies = touches};
      rig_ready(r);
      const mechanism *m = &r->m;
      if (m->small) {
        mechanism by_recursion = *m;
        by_recursion.small = NULL;
        state s = random_state(r, 1);
        state_at(r, &s, 0, r->x);
        random_loads(r);
        rows_clear(m, r->x);
        for (int k = 0; k < ROWS; k++) random_row(r, k);
        double *M = mass_matrix_of(r), u[RESPONSE_SMALL], P[ROWS], low = INFINITY, high = 0;
        for (int i = 0; i < m->nv; i++) u[i] = m->driven[i] ? 0 : random_between(&r->seed, -1, 1);
        for (int i = 0; i < ROWS; i++) P[i] = random_between(&r->seed, -1, 1);
        dense_cholesky(m->nv, M, m->nv, 0, NULL);
        for (int i = 0; i < m->nv; i++) low = fmin(low, M[i * (m->nv + 1)]), high = fmax(high, M[i * (m->nv + 1)]);
        double tolerance = 1000 * DBL_EPSILON * (high / low) * (high / low);
        answers a = ask(m, r->x, u, P), b = ask(&by_recursion, r->x, u, P);
        compare(m->nv, a.udot, b.udot, tolerance);
        compare(ROWS, a.rates, b.rates, 100 * DBL_EPSILON);
        compare(ROWS * ROWS, a.W, b.W, tolerance);
        compare(m->nv, a.u, b.u, tolerance);
        compared++;
      }
      rig_destroy(r);
    }
  CHECK(compared >= 40);
}

int main(void) {
  RUN(pendulum_is_as_in_the_book);
  RUN(kinematics_matches_differences);
  RUN(mass_matrix_is_the_kinetic_energys);
  RUN(forward_dynamics_is_the_dense_solution);
  RUN(steady_bodies_move_as_by_recursion);
  RUN(centred_bodies_move_as_by_recursion);
  RUN(a_centred_body_notices_another_mass);
  RUN(hinges_of_the_same_axes);
  RUN(forward_and_inverse_dynamics_invert_each_other);
  RUN(driven_speeds_are_obeyed);
  RUN(small_trees_answer_as_the_recursion_does);
  RUN(power_balances);
  RUN(momentum_changes_by_outer_forces_only);
  return check_summary();
}
