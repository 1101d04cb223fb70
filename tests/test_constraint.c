// Constraints: their rates against finite differences, the dynamics they impose, redundancy, projection, and the same
// mechanism in joint and in absolute coordinates.
#include "clouds.h"

#include <float.h>

#include "mechanics/block.h"

static const joint_type *types[16];

// Most tests run again with every other body flexible.
static bool flexible;
static rig *made(rig *r) { return flexible ? bend(r, NULL) : r; }
static state state_of(rig *r, double speed) { return flexible ? flexible_state_at(r, speed) : random_state(r, speed); }

// Bodies at up to 3 m turning at up to 3 rad/s: fifth derivatives below 3⁵ · 3 = 730, times h⁴/30 = 3e-14 (h = 1e-3),
// and 1.5 ε/h · 10 = 3e-12 of rounding; the second derivative has one more factor ω. Markers on flexible bodies turn by
// up to three modes more, and their places have squares of these.
static const double DIFFERENCE = 2e-10, DIFFERENCE_FLEXIBLE = 2e-9;

enum { MOST_ROWS = 64 };

// Φ̇ against differences of Φ, Φ̈ against differences of Φ̇, both along a path through the state.
static void check_rates(rig *r, const state *s) {
  const mechanism *m = &r->m;
  double rate[MOST_ROWS] = {0}, acceleration[MOST_ROWS] = {0}, tau[256];
  for (int k = 0; k < 4; k++) {
    state_at(r, s, STENCIL_AT[k] * STENCIL_H, r->x);
    for (int i = 0; i < m->row_count; i++) {
      rate[i] += STENCIL_WEIGHT[k] / STENCIL_H * r->x->rows[i].phi;
      acceleration[i] += STENCIL_WEIGHT[k] / STENCIL_H * constraint_row_rate(m, r->x, &r->x->rows[i]);
    }
  }
  state_at(r, s, 0, r->x);
  tree_inverse(m, r->x, s->udot, tau);
  memcpy(r->x->udot, s->udot, (size_t)m->nv * sizeof *tau);
  const double difference = flexible ? DIFFERENCE_FLEXIBLE : DIFFERENCE;
  for (int i = 0; i < m->row_count; i++) {
    CHECK_NEAR(constraint_row_rate(m, r->x, &r->x->rows[i]), rate[i], difference);
    CHECK_NEAR(constraint_row_acceleration(m, r->x, &r->x->rows[i]), acceleration[i], 5 * difference);
  }
}

// One column of G at a time: the path of a single speed.
static void check_columns(rig *r, const state *s) {
  const mechanism *m = &r->m;
  state one = state_create(r);
  one.t = s->t;
  memcpy(one.q, s->q, (size_t)m->nq * sizeof *one.q);
  for (int v = 0; v < m->nv; v++) {
    one.u[v] = 1;
    check_rates(r, &one);
    one.u[v] = 0;
  }
}

static void hang_free(rig *r, int body_index) {
  rig_joint(r, &joint_free, rig_random_marker(r, GROUND), rig_random_marker(r, body_index));
}

// Off the constraint, where nothing cancels: two bodies in any motion. A screw's angle is defined on the constraint
// only.
static void closures_differentiate(void) {
  for (int planar = 0; planar < 2; planar++) {
    int count = types_in(planar, types);
    for (int i = 0; i < count; i++) {
      if (types[i] == &joint_screw || joint_in(types[i], planar)->row_count == 0) continue;
      rig *r = rig_create(planar, 700 + (uint64_t)i);
      int a = rig_random_body(r), b = rig_random_body(r);
      r->m.absolute = true;
      hang_free(r, a);
      rig_joint(r, types[i], rig_random_marker(r, a), rig_random_marker(r, b));
      rig_ready(made(r));
      CHECK_EQUAL(r->m.row_count, joint_in(types[i], planar)->row_count);
      state s = state_of(r, 1);
      int before = check_state.failures_here;
      check_rates(r, &s);
      check_columns(r, &s);
      if (check_state.failures_here > before) printf("    in joint %s, planar %d\n", types[i]->name, planar);
      rig_destroy(r);
    }
  }
}

static void lines_planes_and_distances_differentiate(void) {
  int kinds;
  const constraint_kind *kind = constraint_kinds(&kinds);
  for (int planar = 0; planar < 2; planar++)
    for (int trial = 0; trial < 5; trial++) {
      rig *r = random_tree(planar, 5, 0.5, 800 + (uint64_t)trial);
      for (int k = 0; k < kinds; k++) {
        const joint_row *rows = planar ? kind[k].rows_planar : kind[k].rows_spatial;
        int a = random_below(&r->seed, 6), b = (a + 1 + random_below(&r->seed, 5)) % 6;
        if (kind[k].type == &constraint_closure && rows)
          rig_rows(r, rows, planar ? kind[k].row_count_planar : kind[k].row_count_spatial, rig_random_marker(r, a),
                   rig_random_marker(r, b));
        if (kind[k].type == &constraint_distance)
          for (int moving = 0; moving < 2; moving++) {
            constraint *c = rig_constraint(r, &constraint_distance, rig_random_marker(r, a), rig_point(r, b, 2, 3, 0));
            c->f = moving ? rig_wave(r, 1, 0.3, 2) : constant_of(0.8);
          }
      }
      rig_ready(made(r));
      CHECK_EQUAL(r->m.row_count, planar ? 3 : 5);
      state s = state_of(r, 0.4);
      check_rates(r, &s);
      check_columns(r, &s);
      rig_destroy(r);
    }
}

// Joint 1 in the tree and joint 2, the same again between the same markers, closing a loop over it: the second stays
// closed however the first moves, and its coordinates are the first one's.
static rig *parallel_joints(const joint_type *type, bool planar, uint64_t seed) {
  rig *r = rig_create(planar, seed);
  int a = rig_random_body(r), b = rig_random_body(r);
  hang_free(r, a);
  int first = rig_random_marker(r, a), second = rig_random_marker(r, b);
  if (seed % 2) {
    int swap = first;
    first = second, second = swap;  // reversed in the tree
  }
  rig_joint(r, type, first, second);
  rig_joint(r, type, first, second);
  return r;
}

static void loop_joints_follow_their_twin_in_the_tree(void) {
  for (int planar = 0; planar < 2; planar++) {
    int count = types_in(planar, types);
    for (int i = 0; i < count; i++)
      for (uint64_t seed = 900; seed < 904; seed++) {
        const joint_space *space = joint_in(types[i], planar);
        rig *r = rig_ready(made(parallel_joints(types[i], planar, seed)));
        const mechanism *m = &r->m;
        state s = state_of(r, 1);
        int before = check_state.failures_here;
        check_rates(r, &s);
        state_at(r, &s, 0, r->x);
        memcpy(r->x->udot, s.udot, (size_t)m->nv * sizeof *s.udot);
        dynamics_results(m, r->x);
        const joint *tree = &m->joints[1], *loop = &m->joints[2];
        if (CHECK(tree->node >= 0 && loop->node < 0)) {
          // a dozen products on numbers up to ten
          for (int k = 0; k < m->row_count; k++) {
            CHECK_NEAR(r->x->rows[k].phi, 0, 1e-14);
            CHECK_NEAR(constraint_row_rate(m, r->x, &r->x->rows[k]), 0, 1e-13);
            CHECK_NEAR(constraint_row_acceleration(m, r->x, &r->x->rows[k]), 0, 3e-13);
          }
          for (int k = 0; k < space->nq; k++) CHECK_NEAR(r->x->joint_q[loop->q + k], r->x->joint_q[tree->q + k], 1e-14);
          for (int k = 0; k < space->nv; k++) {
            CHECK_NEAR(r->x->joint_u[loop->v + k], r->x->joint_u[tree->v + k], 1e-13);
            CHECK_NEAR(r->x->joint_udot[loop->v + k], r->x->joint_udot[tree->v + k], 3e-13);
          }
        }
        if (check_state.failures_here > before) printf("    in joint %s, planar %d\n", types[i]->name, planar);
        rig_destroy(r);
      }
  }
}

// Gears and racks over tree joints, loop joints and both, with and without time. The loop joint is the parallel of
// one in the tree, so every path stays on its closure, where its coordinates are defined.
static void couples_differentiate(void) {
  for (int planar = 0; planar < 2; planar++) {
    int count = types_in(planar, types);
    for (int i = 0; i < count; i++) {
      const joint_space *space = joint_in(types[i], planar);
      if (space->nv == 0 || space->nq != space->nv) continue;
      for (uint64_t seed = 950; seed < 954; seed++) {
        rig *r = parallel_joints(types[i], planar, seed);
        int c = rig_random_body(r), last = space->nv - 1;
        int hinge = rig_joint(r, &joint_revolute, rig_random_marker(r, GROUND), rig_random_marker(r, c));
        rig_couple(r, 2, (couple_term[]){{{1, 0}, 2}, {{hinge, 0}, -3}}, rig_wave(r, 0.1, 0.3, 2));
        rig_couple(r, 2, (couple_term[]){{{2, last}, 2}, {{hinge, 0}, -3}}, constant_of(0.5));
        rig_couple(r, 2, (couple_term[]){{{2, 0}, 2}, {{2, last}, 0.7}}, rig_wave(r, 0.1, 0.3, 2));
        rig_ready(made(r));
        if (space->row_count) CHECK(r->m.joints[2].node < 0);
        state s = state_of(r, 1);
        int before = check_state.failures_here;
        check_rates(r, &s);
        check_columns(r, &s);
        if (check_state.failures_here > before) printf("    in joint %s, planar %d\n", types[i]->name, planar);
        rig_destroy(r);
      }
    }
  }
}

// --- dynamics under constraints --------------------------------------------------------------------------------------

static double largest_acceleration(const mechanism *m, const motion *x) {
  double most = 1;
  for (int i = 1; i < m->node_count; i++) most = fmax(most, largest_of(x->links[i].A, m->n));
  return most;
}

// Both mechanisms at the same state with accelerations and reactions known; the bound is the promise of 1e-9 between
// coordinates (their systems have conditions of up to 1e6).
static void check_same(const rig *a, const rig *b) {
  const mechanism *m = &a->m;
  double size = largest_acceleration(m, a->x), force_size = 1, torque_size = 1;
  for (int i = 1; i < m->body_count; i++)
    for (int k = 0; k < m->n; k++)
      CHECK_NEAR(b->x->links[b->m.bodies[i].node].A[k], a->x->links[m->bodies[i].node].A[k], 1e-9 * size);
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < m->joint_count; j++) {
      vec3 fa, ta, fb, tb;
      dynamics_reaction(m, a->x, j, &fa, &ta);
      dynamics_reaction(&b->m, b->x, j, &fb, &tb);
      if (pass == 0) {
        force_size = fmax(force_size, vec3_norm(fa)), torque_size = fmax(torque_size, vec3_norm(ta));
        continue;
      }
      int before = check_state.failures_here;
      CHECK_LE(vec3_norm(vec3_sub(fa, fb)), 1e-9 * force_size);
      CHECK_LE(vec3_norm(vec3_sub(ta, tb)), 1e-9 * fmax(force_size, torque_size));
      if (check_state.failures_here > before)
        printf("    reaction of %s (%s)\n", m->joints[j].name, m->joints[j].type->name);
    }
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i], *there = &b->m.nodes[b->m.bodies[n->body].node];
    for (int k = 0; k < n->modes; k++)
      CHECK_NEAR(b->x->udot[there->modal_v + k], a->x->udot[n->modal_v + k], 1e-9 * size);
  }
  double effort_size = fmax(1, largest_of(a->x->drive_effort, m->drive_count));
  for (int d = 0; d < m->drive_count; d++) CHECK_NEAR(b->x->drive_effort[d], a->x->drive_effort[d], 1e-9 * effort_size);
  for (int i = 0; i < m->joint_nv; i++) CHECK_NEAR(b->x->joint_udot[i], a->x->joint_udot[i], 1e-9 * size);
  for (int p = 0; p < POWER_COUNT; p++)
    CHECK_NEAR(b->x->powers[p], a->x->powers[p], 1e-9 * (1 + effort_size + fabs(a->x->powers[p])));
  for (int p = 0; p < POTENTIAL_COUNT; p++)
    CHECK_NEAR(b->x->potentials[p], a->x->potentials[p], 1e-9 * (1 + fabs(a->x->potentials[p])));
}

static void check_satisfied(rig *r) {
  const mechanism *m = &r->m;
  // Φ̈ is solved to rounding of its terms: accelerations of some size, and multipliers through W
  double size = largest_acceleration(m, r->x) + largest_of(r->x->lambda, m->row_count);
  for (int i = 0; i < m->row_count; i++)
    CHECK_NEAR(constraint_row_acceleration(m, r->x, &r->x->rows[i]), 0, 1e-12 * size);
}

static void accelerate(rig *r) {
  CHECK(dynamics_accelerations(&r->m, r->x));
  dynamics_results(&r->m, r->x);
}

// Modes off zero, on the constraints, which is where the mechanism starts from then.
static bool deform(rig *r) {
  mechanism *m = &r->m;
  double *q = ARENA_ARRAY(&r->memory, double, m->nq + 1), *u = ARENA_ARRAY(&r->memory, double, m->nv + 1);
  if (!flexible) return true;
  memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
  for (int i = 1; i < m->node_count; i++)
    for (int k = 0; k < m->nodes[i].modes; k++) q[m->nodes[i].modal_q + k] = random_between(&r->seed, -0.05, 0.05);
  dynamics_set(m, r->x, 0, q, m->u0);
  bool held = dynamics_project_positions(m, r->x, 1e-14, 20) && dynamics_project_velocities(m, r->x);
  memcpy(q, r->x->q, (size_t)m->nq * sizeof *q), memcpy(u, r->x->u, (size_t)m->nv * sizeof *u);
  m->q0 = q, m->u0 = u;
  return held;
}

static void joint_and_absolute_coordinates_agree(void) {
  for (int planar = 0; planar < 2; planar++) {
    int count = types_in(planar, types);
    for (int i = 0; i < count; i++)
      for (int decorated = 0; decorated < 2; decorated++)
        for (uint64_t seed = 1100; seed < 1103; seed++) {
          double q[256];
          rig *r = random_loop(planar, 7, types[i], seed + 10 * (uint64_t)i, q);
          if (decorated) decorate(r, q);
          rig *absolute = rig_twin(made(r), true);
          int before = check_state.failures_here;
          if (CHECK(rig_set_moving(r, q) && deform(r))) {
            dynamics_set(&r->m, r->x, 0, r->m.q0, r->m.u0);
            accelerate(r);
            check_satisfied(r);
            CHECK(rig_compile(absolute));
            CHECK(mechanism_adopt(&absolute->m, &r->m, &absolute->memory, &absolute->fault));
            CHECK(rig_start(absolute));
            dynamics_positions_velocities(&absolute->m, absolute->x);
            CHECK_LE(constraints_violation(&absolute->m, absolute->x), 1e-13);
            // speeds up to a few hundred where the random loop is near a singular position
            double fast = 1;
            for (int v = 0; v < r->m.nv; v++) fast = fmax(fast, fabs(r->m.u0[v]));
            CHECK_LE(constraints_velocity_violation(&absolute->m, absolute->x), 1e-12 * fast);
            accelerate(absolute);
            check_satisfied(absolute);
            if (CHECK_EQUAL(dynamics_constraint_rank(&absolute->m, absolute->x), absolute->m.row_count)) {
              absolute->x->level = LEVEL_NONE;
              accelerate(absolute);
              check_same(r, absolute);
            }
          } else {
            printf("    %s\n", r->fault.error.text);
          }
          if (check_state.failures_here > before)
            printf("    closing %s, planar %d, decorated %d, seed %d\n", types[i]->name, planar, decorated, (int)seed);
          rig_destroy(r), rig_destroy(absolute);
        }
  }
}

// The same loop, from the same position, with another joint left to close it: `wanted` moves the choice.
static void the_choice_of_tree_does_not_matter(void) {
  for (int planar = 0; planar < 2; planar++) {
    rig *ways[4];
    for (int k = 0; k < 4; k++) {
      int open = 3 - k;
      rig *r = ways[k] = four_bar(planar);
      r->m.gravity = (vec3){0.3, -9.81, 0};
      for (int j = 0; j < 4; j++) r->wanted[j] = j != open;
      CHECK(rig_compile(r));
      CHECK(r->m.joints[open].node < 0);
      const double rough[4] = {0.7, -0.2, -1.5, 1};
      memcpy(r->initial.q, k == 0 ? rough : ways[0]->m.joint_q0, sizeof rough);
      r->initial.u[0] = 2, r->initial.u_given[0] = true;
      if (!CHECK(rig_assemble(r))) printf("    %s\n", r->fault.error.text);
      accelerate(r);
    }
    for (int k = 1; k < 4; k++)
      for (int j = 0; j < 4; j++) {
        // positions agree to the 1e-13 of assembly; that much again in speeds of 5 and in accelerations of 50
        CHECK_NEAR(ways[k]->x->joint_q[j], ways[0]->x->joint_q[j], 1e-12);
        CHECK_NEAR(ways[k]->x->joint_u[j], ways[0]->x->joint_u[j], 1e-11);
        CHECK_NEAR(ways[k]->x->joint_udot[j], ways[0]->x->joint_udot[j], 1e-10);
      }
    for (int k = 0; k < 4; k++) rig_destroy(ways[k]);
  }
}

// Four wheels on fixed axles, meshed 0-1, 2-3, 1-2, each its own tree on ground; a motor turns the first. All turn by
// fixed ratios g of it, so q̈₀ = τ / Σ J g².
static void gear_train_turns_as_one_wheel(void) {
  const double J[4] = {0.5, 0.2, 0.7, 0.1}, pair[3][2] = {{2, 3}, {1, 4}, {5, 2}}, torque = 1.7;
  const int mesh[3][2] = {{0, 1}, {2, 3}, {1, 2}};
  double ratio[4] = {1, -pair[0][0] / pair[0][1], 0, 0}, inertia = 0;
  ratio[2] = -pair[2][0] / pair[2][1] * ratio[1];
  ratio[3] = -pair[1][0] / pair[1][1] * ratio[2];
  for (int k = 0; k < 4; k++) inertia += J[k] * ratio[k] * ratio[k];
  for (int planar = 0; planar < 2; planar++)
    for (int absolute = 0; absolute < 2; absolute++) {
      rig *r = rig_create(planar, 1);
      for (int k = 0; k < 4; k++) {
        double wheel[6] = {J[k], J[k], J[k], 0, 0, 0};
        int b = rig_body(r, 1, VEC3_ZERO, wheel);
        rig_joint(r, &joint_revolute, rig_point(r, GROUND, k, 0, 0), rig_point(r, b, 0, 0, 0));
      }
      for (int k = 0; k < 3; k++)
        rig_couple(r, 2, (couple_term[]){{{mesh[k][0], 0}, pair[k][0]}, {{mesh[k][1], 0}, pair[k][1]}}, constant_of(0));
      force *f = rig_force(r, &force_along, -1, -1);
      f->of = (coordinate){0, 0}, f->f[0] = constant_of(torque);
      rig *t = rig_twin(r, true), *used = absolute ? t : r;
      CHECK(rig_compile(r));
      r->initial.u[0] = 3, r->initial.u_given[0] = true;
      CHECK(rig_assemble(r));
      CHECK_EQUAL(r->report.freedom, 1);
      if (absolute) CHECK(rig_compile(t) && mechanism_adopt(&t->m, &r->m, &t->memory, &t->fault) && rig_start(t));
      accelerate(used);
      check_satisfied(used);
      for (int k = 0; k < 4; k++) {
        CHECK_NEAR(used->x->joint_u[k], 3 * ratio[k], 1e-13);
        CHECK_NEAR(used->x->joint_udot[k], torque / inertia * ratio[k], 1e-12);  // W has a condition of about 100
      }
      rig_destroy(r), rig_destroy(t);
    }
}

// --- redundancy ------------------------------------------------------------------------------------------------------

static void start_four_bar(rig *r) {
  CHECK(rig_compile(r));
  r->initial.q[0] = 0.7, r->initial.q[1] = -0.2, r->initial.q[2] = -1.5, r->initial.q[3] = 1;
  r->initial.q_given[0] = true;
  r->initial.u[0] = 2, r->initial.u_given[0] = true;
  if (!CHECK(rig_assemble(r))) printf("    %s\n", r->fault.error.text);
  accelerate(r);
}

static void spatial_four_bar_has_three_rows_too_many(void) {
  rig *plane = four_bar(true), *space = four_bar(false), *absolute = four_bar(false);
  absolute->m.absolute = true;
  start_four_bar(plane);
  start_four_bar(space);
  CHECK_EQUAL(plane->report.redundant, 0);
  CHECK_EQUAL(plane->report.freedom, 1);
  CHECK_EQUAL(space->report.rows, 5);
  CHECK_EQUAL(space->report.redundant, 3);
  CHECK_EQUAL(space->report.freedom, 1);
  CHECK(rig_compile(absolute));
  CHECK(mechanism_adopt(&absolute->m, &space->m, &absolute->memory, &absolute->fault));
  CHECK(rig_start(absolute));
  accelerate(absolute);
  for (int b = 1; b < 4; b++) {
    const double *A = plane->x->links[plane->m.bodies[b].node].A, *B = space->x->links[space->m.bodies[b].node].A;
    const double *C = absolute->x->links[absolute->m.bodies[b].node].A;
    const double flat[6] = {0, 0, A[0], A[1], A[2], 0};
    // both assembled to 1e-13; ten times that in accelerations of ten
    for (int k = 0; k < 6; k++) CHECK_NEAR(B[k], flat[k], 1e-11), CHECK_NEAR(C[k], flat[k], 1e-11);
  }
  check_satisfied(space);
  check_satisfied(absolute);
  CHECK_EQUAL(absolute->m.row_count, 20);
  CHECK_EQUAL(dynamics_constraint_rank(&absolute->m, absolute->x), 17);
  // in the plane of motion the reactions are determined, and the same
  for (int j = 0; j < 4; j++) {
    vec3 fa, ta, fb, tb;
    dynamics_reaction(&plane->m, plane->x, j, &fa, &ta);
    dynamics_reaction(&space->m, space->x, j, &fb, &tb);
    CHECK_NEAR(fa.x, fb.x, 1e-9);
    CHECK_NEAR(fa.y, fb.y, 1e-9);
  }
  rig_destroy(plane), rig_destroy(space), rig_destroy(absolute);
}

// Tilted, the rows that nothing moves are no longer exact zeros but rounding, and must still be seen as such.
static void redundancy_is_seen_in_any_orientation(void) {
  rig *straight = four_bar(false);
  start_four_bar(straight);
  uint64_t seed = 1;
  for (int trial = 0; trial < 10; trial++) {
    rig *r = four_bar(false);
    mat3 Q = quat_matrix(random_quat(&seed));
    pose tilt = {Q, VEC3_ZERO};
    for (int i = 0; i < r->m.marker_count; i++)
      if (r->m.markers[i].body == GROUND) r->m.markers[i].local = pose_product(tilt, r->m.markers[i].local);
    r->m.gravity = mat3_mul(Q, r->m.gravity);
    start_four_bar(r);
    CHECK_EQUAL(r->report.redundant, 3);
    CHECK_EQUAL(r->report.freedom, 1);
    check_satisfied(r);
    for (int j = 0; j < 4; j++) CHECK_NEAR(r->x->joint_udot[j], straight->x->joint_udot[j], 1e-10);  // as above
    rig_destroy(r);
  }
  rig_destroy(straight);
}

// Gᵀ by the tree against G by rows: μ·(G u) = (Gᵀ μ)·u.
static void transposed_rows_are_the_rows_transposed(void) {
  for (int planar = 0; planar < 2; planar++) {
    double q[256], mu[MOST_ROWS], out[128], left = 0, right = 0, size = 0;
    rig *r = random_loop(planar, 7, &joint_revolute, 1700, q);
    rig_couple(r, 2, (couple_term[]){{{0, 0}, 2}, {{r->m.joint_count - 1, 0}, -3}}, rig_wave(r, 0, 1, 1));
    rig_ready(made(r));
    state s = state_of(r, 1);
    state_at(r, &s, 0, r->x);
    for (int i = 0; i < r->m.row_count; i++) {
      const row *w = &r->x->rows[i];
      mu[i] = random_between(&r->seed, -1, 1);
      left += mu[i] * (constraint_row_rate(&r->m, r->x, w) - w->phi_t);
    }
    dynamics_transposed_rows(&r->m, r->x, mu, r->m.row_count, out);
    for (int v = 0; v < r->m.nv; v++) right += out[v] * s.u[v], size += fabs(out[v] * s.u[v]);
    CHECK_NEAR(left, right, 1e-13 * size);  // sums of a few dozen terms
    rig_destroy(r);
  }
}

// The same joint three times: every row twice too many, and the motion that of one.
static void repeated_joints_do_no_harm(void) {
  for (int planar = 0; planar < 2; planar++) {
    double q[256];
    rig *once = random_loop(planar, 7, &joint_revolute, 1200, q), *thrice = rig_twin(once, false);
    int nq = 0;
    for (int j = 0; j < once->m.joint_count; j++) nq += joint_in(once->m.joints[j].type, planar)->nq;
    CHECK(rig_set_moving(once, q));
    for (int k = 0; k < 2; k++) {
      const joint *j = &once->m.joints[once->m.joint_count - 1];
      rig_joint(thrice, j->type, j->first, j->second);
      q[nq + k] = q[nq - 1];
    }
    CHECK(rig_compile(thrice));
    memcpy(thrice->initial.q, q, (size_t)thrice->m.joint_nq * sizeof *q);
    CHECK(rig_assemble(thrice));
    CHECK_EQUAL(thrice->report.redundant, 2 * (planar ? 2 : 5));
    CHECK_EQUAL(thrice->report.freedom, once->report.freedom);
    dynamics_set(&once->m, once->x, 0, once->m.q0, once->m.u0);
    accelerate(once);
    CHECK_EQUAL(thrice->m.nv, once->m.nv);
    dynamics_set(&thrice->m, thrice->x, 0, once->m.q0, once->m.u0);
    accelerate(thrice);
    double size = largest_acceleration(&once->m, once->x);
    for (int i = 0; i < once->m.nv; i++) CHECK_NEAR(thrice->x->udot[i], once->x->udot[i], 1e-9 * size);
    rig_destroy(once), rig_destroy(thrice);
  }
}

// --- projection, Baumgarte, storage ----------------------------------------------------------------------------------

static void projection_restores_the_constraints(void) {
  for (int planar = 0; planar < 2; planar++) {
    int count = types_in(planar, types);
    for (int absolute = 0; absolute < 2; absolute++)
      for (int i = 0; i < count; i++) {
        double q[256];
        rig *r = made(random_loop(planar, 7, types[i], 1300 + (uint64_t)i, q)), *t = rig_twin(r, true), *used = r;
        CHECK(rig_set_moving(r, q));
        if (absolute) {
          CHECK(rig_compile(t) && mechanism_adopt(&t->m, &r->m, &t->memory, &t->fault) && rig_start(t));
          used = t;
        }
        const mechanism *m = &used->m;
        double move[128], u[128], place[160];
        for (int v = 0; v < m->nv; v++) move[v] = random_between(&r->seed, -1e-3, 1e-3), u[v] = m->u0[v] + 10 * move[v];
        memcpy(place, m->q0, (size_t)m->nq * sizeof *place);
        dynamics_move(m, place, move);
        dynamics_set(m, used->x, 0, place, u);
        dynamics_positions_velocities(m, used->x);
        if (m->row_count) CHECK(constraints_violation(m, used->x) > 1e-6);
        CHECK(dynamics_project_positions(m, used->x, 1e-12, 10));
        CHECK_LE(constraints_violation(m, used->x), 1e-12);
        CHECK(dynamics_project_velocities(m, used->x));
        CHECK_LE(constraints_velocity_violation(m, used->x), 1e-12 * (1 + largest_of(used->x->u, m->nv)));
        // it stays near: Gauss–Newton goes no further than the disturbance times the condition of the loop
        for (int k = 0; k < m->nq; k++) CHECK_NEAR(used->x->q[k], m->q0[k], 0.2);
        rig_destroy(r), rig_destroy(t);
      }
  }
}

// In the kinetic metric the projected velocity is the nearest one: what was taken away is M⁻¹Gᵀλ, orthogonal to every
// admissible velocity.
static void velocity_projection_is_orthogonal(void) {
  double q[256];
  rig *r = made(random_loop(false, 7, &joint_spherical, 1400, q));
  CHECK(rig_set_moving(r, q));
  const mechanism *m = &r->m;
  int nv = m->nv;
  double *M = ARENA_ARRAY(&r->memory, double, nv *nv), before[128], taken[128];
  for (int v = 0; v < nv; v++) before[v] = random_between(&r->seed, -1, 1);
  dynamics_set(m, r->x, 0, m->q0, before);
  CHECK(dynamics_project_velocities(m, r->x));
  for (int v = 0; v < nv; v++) taken[v] = before[v] - r->x->u[v];
  tree_mass_matrix(m, r->x, M);
  double product = 0, size = 0;
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++)
      product += taken[i] * M[i * nv + j] * m->u0[j], size += fabs(taken[i] * M[i * nv + j] * m->u0[j]);
  CHECK_NEAR(product, 0, 1e-11 * size);  // Φ̇ of both vanishes to 1e-12
  rig_destroy(r);
}

static void baumgarte_pulls_back(void) {
  double q[256], u[128], move[128];
  rig *r = made(random_loop(false, 7, &joint_revolute, 1500, q));
  CHECK(rig_set_moving(r, q));
  const mechanism *m = &r->m;
  for (int v = 0; v < m->nv; v++) move[v] = random_between(&r->seed, -1e-3, 1e-3), u[v] = m->u0[v] + move[v];
  double place[160];
  memcpy(place, m->q0, (size_t)m->nq * sizeof *place);
  dynamics_move(m, place, move);
  r->x->baumgarte_alpha = 5, r->x->baumgarte_beta = 7;
  dynamics_set(m, r->x, 0, place, u);
  CHECK(dynamics_accelerations(m, r->x));
  double size = largest_acceleration(m, r->x) + largest_of(r->x->lambda, m->row_count);
  for (int i = 0; i < m->row_count; i++) {
    const row *w = &r->x->rows[i];
    double wanted = -2 * 5 * constraint_row_rate(m, r->x, w) - 49 * w->phi;
    CHECK_NEAR(constraint_row_acceleration(m, r->x, w), wanted, 1e-12 * size);
  }
  rig_destroy(r);
}

// KLU and dense Cholesky solve the same equations. A long chain in absolute coordinates has them.
static void sparse_and_dense_agree(void) {
  for (int planar = 0; planar < 2; planar++)
    for (int kind = 0; kind < 2; kind++) {
      rig *r = kind ? random_tree(planar, planar ? 80 : 40, 0.3, 1600) : chain(planar, planar ? 40 : 20);
      rig *t = rig_twin(r, true);
      CHECK(rig_compile(r) && rig_assemble(r));
      state s = random_state(r, 1);
      r->m.q0 = s.q, r->m.u0 = s.u;
      CHECK(rig_compile(t));
      CHECK(mechanism_adopt(&t->m, &r->m, &t->memory, &t->fault));
      CHECK(t->m.sparse);
      CHECK(t->m.row_count >= 64);
      CHECK(rig_start(t));
      accelerate(t);
      check_satisfied(t);
      mechanism dense = t->m;
      dense.sparse = false;
      motion *x = motion_create(&dense, 0, NULL);
      memcpy(x->joint_q, dense.joint_q0, (size_t)dense.joint_nq * sizeof(double));
      dynamics_set(&dense, x, 0, dense.q0, dense.u0);
      CHECK(dynamics_accelerations(&dense, x));
      dynamics_set(&r->m, r->x, 0, r->m.q0, r->m.u0);
      accelerate(r);
      // forces add up along forty bodies; the condition of W grows with the square of that
      double size = largest_acceleration(&dense, x), pull = largest_of(x->lambda, dense.row_count);
      for (int i = 0; i < dense.nv; i++) CHECK_NEAR(t->x->udot[i], x->udot[i], 1e-9 * size);
      for (int i = 0; i < dense.row_count; i++) CHECK_NEAR(t->x->lambda[i], x->lambda[i], 1e-9 * (1 + pull));
      check_same(r, t);
      CHECK_EQUAL(dynamics_constraint_rank(&t->m, t->x), t->m.row_count);
      motion_destroy(x);
      rig_destroy(r), rig_destroy(t);
    }
}

int main(void) {
  RUN(closures_differentiate);
  RUN(lines_planes_and_distances_differentiate);
  RUN(loop_joints_follow_their_twin_in_the_tree);
  RUN(couples_differentiate);
  RUN(joint_and_absolute_coordinates_agree);
  RUN(the_choice_of_tree_does_not_matter);
  RUN(gear_train_turns_as_one_wheel);
  RUN(spatial_four_bar_has_three_rows_too_many);
  RUN(redundancy_is_seen_in_any_orientation);
  RUN(transposed_rows_are_the_rows_transposed);
  RUN(repeated_joints_do_no_harm);
  RUN(projection_restores_the_constraints);
  RUN(velocity_projection_is_orthogonal);
  RUN(baumgarte_pulls_back);
  RUN(sparse_and_dense_agree);
  flexible = true;
  printf("  with flexible bodies\n");
  RUN(closures_differentiate);
  RUN(lines_planes_and_distances_differentiate);
  RUN(loop_joints_follow_their_twin_in_the_tree);
  RUN(couples_differentiate);
  RUN(joint_and_absolute_coordinates_agree);
  RUN(transposed_rows_are_the_rows_transposed);
  RUN(projection_restores_the_constraints);
  RUN(velocity_projection_is_orthogonal);
  RUN(baumgarte_pulls_back);
  return check_summary();
}
