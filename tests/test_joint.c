// Every joint type in space and in the plane: its columns and biases against finite differences, its measure against
// its motion, its constraint rows against both.
#include "mechanisms.h"

static const joint_parameters PARAMETERS = {.pitch = 0.3};
static const joint_type *types[16];

// Coordinates are of order one and everything is a sine or a polynomial of them, so fifth derivatives are below 2⁵
// for |u| ≤ 2: h⁴/30 · 32 = 1e-12 from the stencil (h = 1e-3) and 1.5 ε/h = 3e-13 from rounding.
static const double DIFFERENCE = 5e-12;
static const double ROUNDING = 1e-14;  // a dozen operations on numbers of order one

static void random_coordinates(uint64_t *seed, const joint_type *type, bool planar, double *q, double *u) {
  double move[JOINT_MAX_FREEDOM];
  int nv = joint_in(type, planar)->nv;
  for (int k = 0; k < nv; k++) move[k] = random_between(seed, -1.4, 1.4), u[k] = random_between(seed, -1, 1);
  joint_reset(type, planar, q);
  joint_move(type, planar, q, move);
}

// The relative pose in three dimensions, planar joints included.
static pose pose_of(const joint_type *type, bool planar, const double *q) {
  if (!planar) {
    joint_motion m;
    type->motion(&PARAMETERS, q, &m);
    return (pose){m.R, m.d};
  }
  joint_motion_planar m;
  type->motion_planar(&PARAMETERS, q, &m);
  return (pose){mat3_about_z(m.turn), {m.d[0], m.d[1], 0}};
}

static void columns_of(const joint_type *type, bool planar, const double *q, vec3 *w, vec3 *v) {
  if (!planar) {
    joint_motion m;
    type->motion(&PARAMETERS, q, &m);
    memcpy(w, m.w, sizeof m.w);
    memcpy(v, m.v, sizeof m.v);
    return;
  }
  joint_motion_planar m;
  type->motion_planar(&PARAMETERS, q, &m);
  for (int k = 0; k < 3; k++) w[k] = (vec3){0, 0, m.w[k]}, v[k] = (vec3){m.v[k][0], m.v[k][1], 0};
}

static void moved(const joint_type *type, bool planar, const double *q, const double *u, double h, double *out) {
  double move[JOINT_MAX_FREEDOM];
  for (int k = 0; k < joint_in(type, planar)->nv; k++) move[k] = h * u[k];
  memcpy(out, q, (size_t)joint_in(type, planar)->nq * sizeof *q);
  joint_move(type, planar, out, move);
}

// ω with Ṙ = ω× R
static vec3 spin_of(mat3 rate, mat3 R) {
  mat3 W = mat3_product(rate, mat3_transpose(R));
  return (vec3){0.5 * (W.m[7] - W.m[5]), 0.5 * (W.m[2] - W.m[6]), 0.5 * (W.m[3] - W.m[1])};
}

static void check_columns(uint64_t *seed, const joint_type *type, bool planar) {
  double q[JOINT_MAX_COORDINATES], u[JOINT_MAX_FREEDOM], there[JOINT_MAX_COORDINATES];
  random_coordinates(seed, type, planar, q, u);
  vec3 w[JOINT_MAX_FREEDOM], v[JOINT_MAX_FREEDOM];
  columns_of(type, planar, q, w, v);
  for (int k = 0; k < joint_in(type, planar)->nv; k++) {
    double unit[JOINT_MAX_FREEDOM] = {0};
    unit[k] = 1;
    mat3 rate = {{0}};
    vec3 slide = VEC3_ZERO;
    for (int s = 0; s < 4; s++) {
      moved(type, planar, q, unit, STENCIL_AT[s] * STENCIL_H, there);
      pose p = pose_of(type, planar, there);
      double weight = STENCIL_WEIGHT[s] / STENCIL_H;
      for (int i = 0; i < 9; i++) rate.m[i] += weight * p.R.m[i];
      slide = vec3_axpy(slide, weight, p.p);
    }
    vec3 spin = spin_of(rate, pose_of(type, planar, q).R);
    CHECK_LE(vec3_norm(vec3_sub(spin, w[k])), DIFFERENCE);
    CHECK_LE(vec3_norm(vec3_sub(slide, v[k])), DIFFERENCE);
  }
}

static void check_bias(uint64_t *seed, const joint_type *type, bool planar) {
  double q[JOINT_MAX_COORDINATES], u[JOINT_MAX_FREEDOM], there[JOINT_MAX_COORDINATES];
  random_coordinates(seed, type, planar, q, u);
  vec3 beta = VEC3_ZERO, eta = VEC3_ZERO, beta_fd = VEC3_ZERO, eta_fd = VEC3_ZERO;
  if (!planar && type->bias) type->bias(&PARAMETERS, q, u, &beta, &eta);
  for (int s = 0; s < 4; s++) {
    vec3 w[JOINT_MAX_FREEDOM], v[JOINT_MAX_FREEDOM];
    moved(type, planar, q, u, STENCIL_AT[s] * STENCIL_H, there);
    columns_of(type, planar, there, w, v);
    for (int k = 0; k < joint_in(type, planar)->nv; k++) {
      beta_fd = vec3_axpy(beta_fd, STENCIL_WEIGHT[s] / STENCIL_H * u[k], w[k]);
      eta_fd = vec3_axpy(eta_fd, STENCIL_WEIGHT[s] / STENCIL_H * u[k], v[k]);
    }
  }
  CHECK_LE(vec3_norm(vec3_sub(beta_fd, beta)), DIFFERENCE);
  CHECK_LE(vec3_norm(vec3_sub(eta_fd, eta)), DIFFERENCE);
}

static void check_rates(uint64_t *seed, const joint_type *type, bool planar) {
  double q[JOINT_MAX_COORDINATES], u[JOINT_MAX_FREEDOM], there[JOINT_MAX_COORDINATES];
  double rate[JOINT_MAX_COORDINATES], difference[JOINT_MAX_COORDINATES] = {0};
  int nq = joint_in(type, planar)->nq;
  random_coordinates(seed, type, planar, q, u);
  joint_rates(type, planar, q, u, rate);
  for (int s = 0; s < 4; s++) {
    moved(type, planar, q, u, STENCIL_AT[s] * STENCIL_H, there);
    for (int i = 0; i < nq; i++) difference[i] += STENCIL_WEIGHT[s] / STENCIL_H * there[i];
  }
  for (int i = 0; i < nq; i++) CHECK_NEAR(difference[i], rate[i], DIFFERENCE);
}

static const char *kinds_of(const joint_type *type, bool planar) {
  return planar ? type->kinds_planar : type->kinds_spatial;
}

// Angles after many turns come back when something within half a turn of them is remembered; a quaternion keeps its
// sign.
static void check_measure(uint64_t *seed, const joint_type *type, bool planar) {
  double q[JOINT_MAX_COORDINATES], u[JOINT_MAX_FREEDOM], found[JOINT_MAX_COORDINATES];
  int nq = joint_in(type, planar)->nq;
  random_coordinates(seed, type, planar, q, u);
  const char *kinds = kinds_of(type, planar);
  CHECK_EQUAL(strlen(kinds), nq);
  double turns = 2 * acos(-1) * (random_below(seed, 9) - 4);
  for (int i = 0; i < nq; i++)
    if (kinds[i] == 'a') q[i] += turns;
  bool flip = random_below(seed, 2);
  for (int i = 0; i < nq; i++) {
    if (kinds[i] == 'q' && flip) q[i] = -q[i];
    found[i] = kinds[i] == 'a' ? q[i] + random_between(seed, -3, 3) : kinds[i] == 'q' ? q[i] + 0.1 : 7;
  }
  pose p = pose_of(type, planar, q);
  joint_measure(type, planar, &PARAMETERS, p.R, p.p, found);
  // 25 radians carry an error of 25 ε through the sine
  for (int i = 0; i < nq; i++) CHECK_NEAR(found[i], q[i], 2 * ROUNDING);
}

// Two free bodies, the joint a constraint between them. Seen from body a at rest or in motion, b moves by the joint.
static void check_rows(uint64_t *seed, const joint_type *type, bool planar) {
  rig *r = rig_create(planar, random_bits(seed));
  int a = rig_random_body(r), b = rig_random_body(r);
  int first = rig_random_marker(r, a), second = rig_random_marker(r, b);
  rig_joint(r, type, first, second);
  r->m.joints[0].parameters = PARAMETERS;
  r->m.absolute = true;
  rig_ready(r);
  const mechanism *m = &r->m;
  const joint_space *space = joint_in(type, planar);
  CHECK_EQUAL(space->row_count + space->nv, planar ? 3 : 6);
  CHECK_EQUAL(m->row_count, space->row_count);

  double q[JOINT_MAX_COORDINATES], u[JOINT_MAX_FREEDOM];
  random_coordinates(&r->seed, type, planar, q, u);
  if (kinds_of(type, planar)[0] == 'a') q[0] += 4 * acos(-1);  // a screw two turns on
  pose at_a = random_pose(&r->seed, planar, 1);
  pose first_pose = pose_product(at_a, m->markers[first].local);
  pose second_pose = pose_product(first_pose, pose_of(type, planar, q));
  pose at_b = pose_product(second_pose, pose_inverse(m->markers[second].local));
  state s = state_create(r);
  double *qa = s.q + m->nodes[m->bodies[a].node].q, *qb = s.q + m->nodes[m->bodies[b].node].q;
  joint_reset(&joint_free, planar, qa), joint_reset(&joint_free, planar, qb);
  joint_measure(&joint_free, planar, &PARAMETERS, at_a.R, at_a.p, qa);
  joint_measure(&joint_free, planar, &PARAMETERS, at_b.R, at_b.p, qb);

  // body velocities: a at random, b with it and along the joint with speeds u
  vec3 w[JOINT_MAX_FREEDOM], v[JOINT_MAX_FREEDOM], w_rel = VEC3_ZERO, v_rel = VEC3_ZERO;
  columns_of(type, planar, q, w, v);
  for (int k = 0; k < space->nv; k++) w_rel = vec3_axpy(w_rel, u[k], w[k]), v_rel = vec3_axpy(v_rel, u[k], v[k]);
  vec3 wa = random_vec3(&r->seed, 1), va = random_vec3(&r->seed, 1);
  if (planar) wa.x = wa.y = va.z = 0;
  vec3 wb = vec3_add(wa, mat3_mul(first_pose.R, w_rel));
  vec3 v_second =
      vec3_add(vec3_add(va, vec3_cross(wa, vec3_sub(second_pose.p, at_a.p))), mat3_mul(first_pose.R, v_rel));
  vec3 vb = vec3_add(v_second, vec3_cross(wb, vec3_sub(at_b.p, second_pose.p)));
  double *ua = s.u + m->nodes[m->bodies[a].node].v, *ub = s.u + m->nodes[m->bodies[b].node].v;
  if (planar) {
    ua[0] = wa.z, ua[1] = va.x, ua[2] = va.y, ub[0] = wb.z, ub[1] = vb.x, ub[2] = vb.y;
  } else {
    vec3_store(ua, mat3_tmul(at_a.R, wa)), vec3_store(ua + 3, va);
    vec3_store(ub, mat3_tmul(at_b.R, wb)), vec3_store(ub + 3, vb);
  }
  for (int i = 0; i < space->nq; i++) r->x->joint_q[i] = q[i] + (kinds_of(type, planar)[i] == 'a' ? 0.5 : 0);
  dynamics_set(m, r->x, 0, s.q, s.u);
  dynamics_positions_velocities(m, r->x);
  CHECK_LE(constraints_violation(m, r->x), 5 * ROUNDING);            // 0.3 m/rad times 12 radians in the screw
  CHECK_LE(constraints_velocity_violation(m, r->x), 20 * ROUNDING);  // several products on speeds up to ten
  CHECK_EQUAL(dynamics_constraint_rank(m, r->x), space->row_count);
  // the loop joint's coordinates and speeds are those that were given
  for (int i = 0; i < space->nq; i++) CHECK_NEAR(r->x->joint_q[i], q[i], 5 * ROUNDING);
  for (int k = 0; k < space->nv; k++) CHECK_NEAR(r->x->joint_u[k], u[k], 20 * ROUNDING);
  rig_destroy(r);
}

static void for_every_type(void (*check)(uint64_t *, const joint_type *, bool)) {
  uint64_t seed = 41;
  for (int planar = 0; planar < 2; planar++) {
    int count = types_in(planar, types);
    CHECK_EQUAL(count, planar ? 6 : 10);
    for (int i = 0; i < count; i++) {
      int before = check_state.failures_here;
      for (int turn = 0; turn < 10; turn++) check(&seed, types[i], planar);
      if (check_state.failures_here > before)
        printf("    in joint %s, %s\n", types[i]->name, planar ? "planar" : "spatial");
    }
  }
}

static void columns_are_derivatives(void) { for_every_type(check_columns); }
static void biases_are_derivatives_of_columns(void) { for_every_type(check_bias); }
static void rates_are_derivatives_of_moves(void) { for_every_type(check_rates); }
static void measure_inverts_motion(void) { for_every_type(check_measure); }
static void rows_leave_exactly_the_joints_motion(void) { for_every_type(check_rows); }

static void normalising_keeps_the_turn(void) {
  double q[7] = {2, 0, 0, 2, 5, 6, 7};
  joint_normalize(&joint_free, false, q);
  CHECK_NEAR(q[0], sqrt(0.5), ROUNDING);
  CHECK_NEAR(q[3], sqrt(0.5), ROUNDING);
  CHECK_NEAR(q[6], 7, 0);
  double plane[3] = {9, 5, 6};
  joint_normalize(&joint_free, true, plane);
  CHECK_NEAR(plane[0], 9, 0);
}

int main(void) {
  RUN(columns_are_derivatives);
  RUN(biases_are_derivatives_of_columns);
  RUN(rates_are_derivatives_of_moves);
  RUN(measure_inverts_motion);
  RUN(rows_leave_exactly_the_joints_motion);
  RUN(normalising_keeps_the_turn);
  return check_summary();
}
