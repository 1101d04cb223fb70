// Flexible bodies in the tree, on bodies of points with random shape functions: kinematics against finite differences,
// dynamics against the points themselves, the recursion against its own inverse.
#include "clouds.h"
#include "flexible.h"
#include "math/lu.h"
#include "mechanics/response_internal.h"
#include "mechanics/rows.h"

// Every other body of a random tree becomes flexible.
static rig *flexible_tree(bool planar, int bodies, uint64_t seed, cloud **clouds) {
  return rig_ready(bend(random_tree(planar, bodies, 0.7, seed), clouds));
}

static vec3 point_at(const rig *r, const motion *x, int b, const cloud *c, int p) {
  const node *n = &r->m.nodes[r->m.bodies[b].node];
  const double *q = x->q + n->modal_q;
  vec3 at = c->x[p];
  for (int i = 0; i < MODES; i++) {
    at = vec3_axpy(at, q[i], c->phi[p][i]);
    for (int j = 0; j < MODES; j++) at = vec3_axpy(at, q[i] * q[j] * c->square[i * MODES + j] / 2, c->psi[p]);
  }
  return pose_point((pose){x->links[r->m.bodies[b].node].R, x->links[r->m.bodies[b].node].p}, at);
}

// --- kinematics ------------------------------------------------------------------------------------------------------

// V and A of every body against differences of its pose and its velocity; A = Σ S u̇ and the terms of the tree, by
// tree_inverse.
static void check_kinematics(rig *r) {
  const mechanism *m = &r->m;
  const state s = flexible_state(r);
  double V[RIG_BODIES][6] = {{0}}, A[RIG_BODIES][6] = {{0}}, tau[6 * RIG_BODIES];
  vec3 v[RIG_BODIES] = {{0}};
  for (int k = 0; k < 4; k++) {
    state_at(r, &s, STENCIL_AT[k] * STENCIL_H, r->x);
    const double share = STENCIL_WEIGHT[k] / STENCIL_H;
    for (int i = 1; i < m->node_count; i++) {
      v[i] = vec3_axpy(v[i], share, r->x->links[i].p);
      for (int c = 0; c < m->n; c++) A[i][c] += share * r->x->links[i].V[c];
    }
  }
  state_at(r, &s, 0, r->x);
  for (int i = 1; i < m->node_count; i++) memcpy(V[i], r->x->links[i].V, sizeof V[i]);
  tree_inverse(m, r->x, s.udot, tau);
  for (int i = 1; i < m->node_count; i++) {
    CHECK_NEAR(vec3_norm(vec3_sub(v[i], block_linear(m, V[i]))), 0, 1e-9);
    for (int c = 0; c < m->n; c++) CHECK_NEAR(r->x->links[i].A[c], A[i][c], 1e-8);
  }
}

// Velocity, angular velocity and acceleration of every marker against differences of its place and its velocity.
static void check_markers(rig *r) {
  const mechanism *m = &r->m;
  const state s = flexible_state(r);
  vec3 v[RIG_MARKERS] = {{0}}, a[RIG_MARKERS] = {{0}};
  mat3 spin[RIG_MARKERS] = {{{0}}};
  double tau[6 * RIG_BODIES];
  for (int k = 0; k < 4; k++) {
    state_at(r, &s, STENCIL_AT[k] * STENCIL_H, r->x);
    const double share = STENCIL_WEIGHT[k] / STENCIL_H;
    for (int i = 0; i < m->marker_count; i++) {
      const marker_state at = marker_read(m, r->x, i);
      v[i] = vec3_axpy(v[i], share, at.p), a[i] = vec3_axpy(a[i], share, at.v);
      for (int c = 0; c < 9; c++) spin[i].m[c] += share * at.R.m[c];
    }
  }
  state_at(r, &s, 0, r->x);
  tree_inverse(m, r->x, s.udot, tau);
  for (int i = 0; i < m->marker_count; i++) {
    const marker_state at = marker_read(m, r->x, i);
    const mat3 W = mat3_product(spin[i], mat3_transpose(at.R));  // Ṙ Rᵀ = ω×
    CHECK_NEAR(vec3_norm(vec3_sub(at.v, v[i])), 0, 1e-9);
    CHECK_NEAR(vec3_norm(vec3_sub(at.w, (vec3){W.m[7], W.m[2], W.m[3]})), 0, 1e-9);
    CHECK_NEAR(vec3_norm(vec3_sub(anchor_acceleration(m, r->x, &at.anchor), a[i])), 0, 1e-8);
    const marker_place place = marker_find(m, r->x, i);
    CHECK_NEAR(vec3_norm(vec3_sub(place.p, at.p)), 0, 1e-14);
  }
}

// A force and a torque at a point fixed to a marker work on every speed as much as they move the point.
static void check_push(rig *r) {
  const mechanism *m = &r->m;
  motion *x = r->x;
  const state s = flexible_state(r);
  const vec3 force = in_model(r, random_vec3(&r->seed, 3)), off = in_model(r, random_vec3(&r->seed, 0.2));
  const vec3 any = random_vec3(&r->seed, 3), torque = m->planar ? (vec3){0, 0, any.z} : any;
  for (int i = 0; i < m->marker_count; i++) {
    state_at(r, &s, 0, x);
    for (int k = 1; k < m->node_count; k++) memset(x->links[k].F, 0, sizeof x->links[k].F);
    memset(x->tau, 0, (size_t)m->nv * sizeof *x->tau);
    const marker_state at = marker_read(m, x, i), there = {.p = vec3_add(at.p, off)};
    const anchor point = marker_opposite(x, &at, &there);
    anchor_push(m, x, &point, force, torque);
    for (int v = 0; v < m->nv; v++) {
      double unit[6 * RIG_BODIES] = {0}, power = x->tau[v];
      unit[v] = 1;
      tree_spread(m, x, unit);
      for (int k = 1; k < m->node_count; k++) power += block_dot(m->n, x->links[k].F, x->links[k].A);
      CHECK_NEAR(
          power,
          vec3_dot(force, anchor_spread_velocity(m, x, &point)) + vec3_dot(torque, anchor_spread_omega(m, x, &point)),
          1e-12);
    }
  }
}

static void markers_move_with_the_modes(void) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    cloud *clouds[RIG_BODIES] = {0};
    rig *r = flexible_tree(seed % 3 == 0, 6, seed, clouds);
    check_markers(r);
    check_push(r);
    rig_destroy(r);
  }
}

static void bodies_on_deformed_markers_move_with_them(void) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    cloud *clouds[RIG_BODIES] = {0};
    rig *r = flexible_tree(seed % 3 == 0, 6, seed, clouds);
    check_kinematics(r);
    rig_destroy(r);
  }
}

// --- dynamics --------------------------------------------------------------------------------------------------------

// The points of flexible bodies, and of rigid ones the power of I A + bias along each speed:
//   tau_k = Σ m (a - g)·∂v/∂u_k + Σ (wrench of rigid bodies)·∂V/∂u_k
// with accelerations of the points by differences.
static void check_dynamics(rig *r, cloud **clouds) {
  mechanism *m = &r->m;
  motion *x = r->x;
  const state s = flexible_state(r);
  static const double second[5] = {-1. / 12, 16. / 12, -30. / 12, 16. / 12, -1. / 12};
  const double h = 2e-3;
  vec3 a[RIG_BODIES][POINTS] = {{{0}}};
  for (int k = 0; k < 5; k++) {
    state_at(r, &s, (k - 2) * h, x);
    for (int b = 1; b < m->body_count; b++)
      for (int p = 0; clouds[b] && p < POINTS; p++)
        a[b][p] = vec3_axpy(a[b][p], second[k] / (h * h), point_at(r, x, b, clouds[b], p));
  }
  double tau[6 * RIG_BODIES], expected[6 * RIG_BODIES] = {0}, wrench[RIG_BODIES][6];
  state_at(r, &s, 0, x);
  dynamics_apply_forces(m, x);
  double applied[6 * RIG_BODIES];
  memcpy(applied, x->tau, (size_t)m->nv * sizeof *applied);
  tree_inverse(m, x, s.udot, tau);
  for (int i = 1; i < m->node_count; i++) {
    const tree_link *l = &x->links[i];
    if (m->nodes[i].flex) continue;
    if (m->planar) block_inertia_mul(3, l->J, l->mk, m->nodes[i].mass, l->A, wrench[i]);
    else block_inertia_mul(6, l->J, l->mk, m->nodes[i].mass, l->A, wrench[i]);
    for (int c = 0; c < m->n; c++) wrench[i][c] += l->bias[c] - l->F[c];
  }
  for (int v = 0; v < m->nv; v++) {
    state alone = s;
    double unit[6 * RIG_BODIES] = {0}, still[6 * RIG_BODIES] = {0};
    unit[v] = 1, alone.u = unit, alone.udot = still;
    for (int k = 0; k < 4; k++) {
      const double share = STENCIL_WEIGHT[k] / STENCIL_H;
      state_at(r, &alone, STENCIL_AT[k] * STENCIL_H, x);
      for (int b = 1; b < m->body_count; b++)
        for (int p = 0; clouds[b] && p < POINTS; p++)
          expected[v] +=
              share * clouds[b]->mass[p] * vec3_dot(vec3_sub(a[b][p], m->gravity), point_at(r, x, b, clouds[b], p));
    }
    state_at(r, &alone, 0, x);
    for (int i = 1; i < m->node_count; i++)
      for (int c = 0; !m->nodes[i].flex && c < m->n; c++) expected[v] += wrench[i][c] * x->links[i].V[c];
  }
  for (int i = 1; i < m->node_count; i++) {  // tau of the modes is without what is applied to them: add gravity again
    const node *n = &m->nodes[i];
    for (int k = 0; k < n->modes; k++) {
      double elastic = 0;
      for (int j = 0; j < MODES; j++)
        elastic += n->flex->stiffness[k * MODES + j] * s.q[n->modal_q + j] +
                   n->flex->damping[k * MODES + j] * s.u[n->modal_v + j];
      tau[n->modal_v + k] -= applied[n->modal_v + k] + elastic;
    }
  }
  for (int v = 0; v < m->nv; v++) CHECK_NEAR(tau[v], expected[v], 2e-6);
}

static void dynamics_are_those_of_the_points(void) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    cloud *clouds[RIG_BODIES] = {0};
    rig *r = flexible_tree(seed % 3 == 0, 5, seed, clouds);
    check_dynamics(r, clouds);
    rig_destroy(r);
  }
}

// Accelerations from tree_forward, put into tree_inverse, need the efforts that were applied. M⁻¹ by tree_solve is the
// inverse of M, whose columns tree_inverse gives.
static void recursion_inverts_its_inverse(void) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    cloud *clouds[RIG_BODIES] = {0};
    rig *r = flexible_tree(seed % 3 == 0, 7, seed, clouds);
    mechanism *m = &r->m;
    const state s = flexible_state(r);
    double tau[6 * RIG_BODIES], effort[6 * RIG_BODIES];
    state_at(r, &s, 0, r->x);
    CHECK(dynamics_accelerations(m, r->x));
    memcpy(effort, r->x->tau, (size_t)m->nv * sizeof *effort);
    tree_inverse(m, r->x, r->x->udot, tau);
    for (int v = 0; v < m->nv; v++) CHECK_NEAR(tau[v], effort[v], 1e-9);
    double zero[6 * RIG_BODIES] = {0}, one[6 * RIG_BODIES], column[6 * RIG_BODIES], solved[6 * RIG_BODIES];
    tree_inverse(m, r->x, zero, one);
    for (int j = 0; j < m->nv; j++) {
      double unit[6 * RIG_BODIES] = {0};
      unit[j] = 1;
      tree_inverse(m, r->x, unit, column);
      for (int v = 0; v < m->nv; v++) column[v] -= one[v];
      for (int i = 1; i < m->node_count; i++) memset(r->x->links[i].pA, 0, sizeof r->x->links[i].pA);
      tree_solve(m, r->x, column, solved);
      for (int v = 0; v < m->nv; v++) CHECK_NEAR(solved[v], v == j, 1e-9);
    }
    rig_destroy(r);
  }
}

// --- rows ------------------------------------------------------------------------------------------------------------

enum { PAIRS = 5, MOST = 128 };

// Random rows between markers, as those of contacts, and a coordinate of the joint that closes the loop. Their rates
// are those of the markers.
static void add_rows(rig *r, int closing) {
  const mechanism *m = &r->m;
  double rates[MOST], expected[MOST];
  rows_clear(m, r->x);
  for (int i = 0; i < PAIRS; i++) {
    const marker_state a = marker_read(m, r->x, random_below(&r->seed, m->marker_count));
    const marker_state b = marker_read(m, r->x, random_below(&r->seed, m->marker_count));
    const vec3 d = in_model(r, random_vec3(&r->seed, 1)), any = random_vec3(&r->seed, 1);
    const vec3 turn = m->planar ? (vec3){0, 0, any.z} : any;
    row_body *pair = rows_add_pair(m, r->x, a.anchor.node, b.anchor.node);
    anchor_wrench(m, &a.anchor, d, turn, pair[0].J);
    anchor_wrench(m, &b.anchor, vec3_neg(d), vec3_neg(turn), pair[1].J);
    rows_add_modes(m, r->x, &a.anchor, &b.anchor, d, turn);
    expected[m->row_count + i] = vec3_dot(d, vec3_sub(a.v, b.v)) + vec3_dot(turn, vec3_sub(a.w, b.w));
  }
  if (joint_in(m->joints[closing].type, m->planar)->nv) {
    rows_add_coordinate(m, r->x, (coordinate){closing, 0}, -2);
    expected[r->x->row_total - 1] = -2 * r->x->joint_u[m->joints[closing].v];
  }
  rows_rates(m, r->x, rates);
  for (int i = m->row_count; i < r->x->row_total; i++) CHECK_NEAR(rates[i], expected[i], 1e-12);
}

// M from inverse dynamics and J by unit speeds: the mass matrix of composite inertias, and J M⁻¹ Jᵀ, written out.
static void write_out(rig *r, double *W) {
  const mechanism *m = &r->m;
  const int nv = m->nv, n = r->x->row_total;
  double *M = ARENA_ARRAY(&r->memory, double, nv *nv), *J = ARENA_ARRAY(&r->memory, double, nv *n);
  double *composite = ARENA_ARRAY(&r->memory, double, nv *nv), *column = ARENA_ARRAY(&r->memory, double, nv + n);
  double *zero = ARENA_ARRAY(&r->memory, double, nv), *unit = ARENA_ARRAY(&r->memory, double, nv);
  double *still = ARENA_ARRAY(&r->memory, double, nv), largest = 0;
  int *pivot = ARENA_ARRAY(&r->memory, int, nv);
  tree_mass_matrix(m, r->x, composite);
  tree_inverse(m, r->x, zero, still);
  for (int j = 0; j < nv; j++) {
    unit[j] = 1;
    response_rates(m, r->x, unit, column);
    for (int i = 0; i < n; i++) J[i * nv + j] = column[i];
    tree_inverse(m, r->x, unit, column);
    for (int i = 0; i < nv; i++) M[i * nv + j] = column[i] - still[i], largest = fmax(largest, fabs(M[i * nv + j]));
    unit[j] = 0;
  }
  for (int i = 0; i < nv * nv; i++) CHECK_NEAR(composite[i], M[i], 1e-12 * largest);
  CHECK(lu_factor(nv, composite, nv, pivot, NULL) > 0);
  for (int i = 0; i < n; i++) {
    memcpy(column, J + i * nv, (size_t)nv * sizeof *column);
    lu_solve(nv, composite, nv, pivot, column);
    for (int j = 0; j < n; j++) W[i * n + j] = block_dot(nv, J + j * nv, column);
  }
}

static double distance_of(int count, const double *a, const double *b) {
  double most = 0, size = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i])), size = fmax(size, fabs(b[i]));
  return most / size;
}

// W by responses, by halves and in pieces.
static double check_responses(rig *r) {
  const mechanism *m = &r->m;
  motion *x = r->x;
  const int n = x->row_total;
  double *W = ARENA_ARRAY(&r->memory, double, n *n), *other = ARENA_ARRAY(&r->memory, double, n *n);
  double *half = ARENA_ARRAY(&r->memory, double, n * m->nv);
  int start[MOST];
  write_out(r, W);
  CHECK(response_factor(m, x));
  response_tree_matrix(m, x, n, other);
  double worst = distance_of(n * n, other, W);
  for (int i = 0; i < n; i++) response_half(m, x, i, 1, half + i * m->nv);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) other[i * n + j] = block_dot(m->nv, half + i * m->nv, half + j * m->nv);
  worst = fmax(worst, distance_of(n * n, other, W));
  response_pieces p = {0};
  for (int i = 0; i <= n; i++) start[i] = i;
  CHECK(response_split(m, x, start, n, &p));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) other[i * n + j] = response_product(&p, i, j);
  worst = fmax(worst, distance_of(n * n, other, W));
  response_pieces_free(&p);
  return worst;
}

static void responses_are_those_of_the_mass_matrix(void) {
  double worst = 0;
  for (int absolute = 0; absolute < 2; absolute++)
    for (uint64_t seed = 1; seed <= 20; seed++) {
      double q[256];
      const joint_type *types[16];
      const bool planar = seed % 3 == 0;
      const int count = types_in(planar, types);
      rig *r = random_loop(planar, 7, types[seed % (uint64_t)count], seed, q);
      r->m.absolute = absolute;
      bool *bodies = ARENA_ARRAY(&r->memory, bool, RIG_BODIES);
      memset(bodies, true, RIG_BODIES * sizeof *bodies);
      r->temporary = (temporary_rows){.count = PAIRS + 1, .bodies = bodies};
      rig_ready(bend(r, NULL));
      const state s = flexible_state(r);
      state_at(r, &s, 0, r->x);
      add_rows(r, r->m.joint_count - 1);
      worst = fmax(worst, check_responses(r));
      rig_destroy(r);
    }
  printf("    relative error of W %.1e\n", worst);
  CHECK_LE(worst, 1e-11);
}

// The recursion knows one case: the joint that carries a flexible body is at its frame.
static void joints_at_moving_markers_are_refused(void) {
  rig *r = rig_create(true, 5);
  const int ground = rig_point(r, GROUND, 0, 0, 0), b = rig_random_body(r), end = rig_point(r, b, 1, 0, 0);
  make_flexible(r, b);
  r->m.markers[end].shape = random_shape(r, true);
  rig_joint(r, &joint_revolute, ground, end);
  CHECK(!rig_compile(r));
  CHECK_CONTAINS(r->fault.error.text, "carries the flexible body 'body1' at a marker that moves with its modes");
  rig_destroy(r);
}

// --- beams -----------------------------------------------------------------------------------------------------------

enum { BEAM_MODES = 6 };

typedef struct link_beam {
  beam b;
  flex_elements e;
  flexible_body flex;
  flex_modes modes;
  marker_shape root, tip;
} link_beam;

static void foreshorten(const void *context, vec3 x, vec3 *g) {
  link_beam *l = (link_beam *)context;
  double along[BEAM_MODES * BEAM_MODES];
  arena scratch = arena_create(NULL);
  beam_foreshortening(&scratch, &l->b, &l->e, BEAM_MODES, l->modes.phi, 0, x.x, along);
  arena_free(&scratch);
  for (int k = 0; k < BEAM_MODES * BEAM_MODES; k++) g[k] = (vec3){along[k], 0, 0};
}

static marker_shape shape_at(rig *r, const link_beam *l, double x) {
  const flex_place place = beam_place(&l->b, &l->e, x);
  vec3 *shift = ARENA_ARRAY(&r->memory, vec3, BEAM_MODES), *turn = ARENA_ARRAY(&r->memory, vec3, BEAM_MODES);
  vec3 *second = ARENA_ARRAY(&r->memory, vec3, BEAM_MODES * BEAM_MODES);
  for (int i = 0; i < BEAM_MODES; i++) {
    shift[i] = elements_displacement(&place, l->modes.phi + i * l->e.freedom_count);
    turn[i] = elements_turn(&place, l->modes.phi + i * l->e.freedom_count);
  }
  foreshorten(l, place.at, second);
  return (marker_shape){shift, turn, second};
}

// A beam 1 m long that is clamped to the frame at its root, as a body of the rig with the markers root and tip.
static link_beam *add_beam(rig *r, double young, int *root, int *tip) {
  link_beam *l = ARENA_NEW(&r->memory, link_beam);
  l->b = r->m.planar ? planar_beam(8, false) : space_beam(8, false);
  l->b.context = r->m.planar ? &round_section : &oblong_section, l->b.young = young, l->b.shear = young / 2.6;
  beam_elements(&r->memory, &l->b, &l->e);
  bool *held = ARENA_ARRAY(&r->memory, bool, l->e.freedom_count);
  for (int k = 0; k < 6; k++)
    if (l->e.freedoms[0][k] >= 0) held[l->e.freedoms[0][k]] = true;
  flexibility a;
  CHECK(flexibility_create(&r->memory, &l->e, held, &a) && modes_eigen(&r->memory, &a, BEAM_MODES, &l->modes));
  floating_fields fields;
  CHECK(floating_fields_of_pairs(&r->memory, &l->e, BEAM_MODES, &(second_order){foreshorten, l}, &fields));
  floating_create(&r->memory, &l->e, BEAM_MODES, l->modes.phi, &fields, &l->flex.inertia);
  double *K = ARENA_ARRAY(&r->memory, double, BEAM_MODES *BEAM_MODES);
  for (int i = 0; i < BEAM_MODES; i++) K[i * BEAM_MODES + i] = l->modes.omega[i] * l->modes.omega[i];
  l->flex.modes = BEAM_MODES, l->flex.stiffness = K;
  l->flex.damping = ARENA_ARRAY(&r->memory, double, BEAM_MODES *BEAM_MODES);
  l->root = shape_at(r, l, 0), l->tip = shape_at(r, l, 1);
  const flex_inertia *of = &l->flex.inertia.inertia;
  const int b = rig_body(r, of->mass, vec3_scale(1 / of->mass, of->first), NULL);
  r->m.bodies[b].flex = &l->flex;
  *root = rig_point(r, b, 0, 0, 0), *tip = rig_point(r, b, 1, 0, 0);
  r->m.markers[*root].shape = &l->root, r->m.markers[*tip].shape = &l->tip;
  return l;
}

// The frequencies of a beam on a hinge, tan βL = tanh βL, from modes of a clamped one: accelerations are linear in
// small modal coordinates, q̈ = -A q, and A has the eigenvalues ω² of the body that the joint leaves free.
static void beam_on_a_hinge_has_its_frequencies(void) {
  static const double exact[] = {3.926602312, 7.068582746};
  rig *r = rig_create(true, 1);
  r->m.gravity = VEC3_ZERO;
  int root, tip;
  const link_beam *l = add_beam(r, 2.1e11, &root, &tip);
  rig_joint(r, &joint_revolute, rig_point(r, GROUND, 0, 0, 0), root);
  rig_ready(r);
  const mechanism *m = &r->m;
  const double scale = sqrt(l->b.young * round_section.second_z / (l->b.density * round_section.area));
  double power[BEAM_MODES], shape[BEAM_MODES] = {0};
  for (int mode = 0; mode < 2; mode++) {  // inverse iteration on A by responses: the slowest first
    double A[BEAM_MODES * BEAM_MODES], omega2 = 0;
    for (int j = 0; j < BEAM_MODES; j++) {
      double q[1 + BEAM_MODES] = {0}, u[1 + BEAM_MODES] = {0};
      q[1 + j] = 1e-7;
      dynamics_set(m, r->x, 0, q, u);
      CHECK(dynamics_accelerations(m, r->x));
      for (int i = 0; i < BEAM_MODES; i++) A[i * BEAM_MODES + j] = -r->x->udot[1 + i] / 1e-7;
    }
    const double guess = pow(exact[mode], 4) * scale * scale * 1.01;
    int pivot[BEAM_MODES];
    double shifted[BEAM_MODES * BEAM_MODES];
    memcpy(shifted, A, sizeof A);
    for (int i = 0; i < BEAM_MODES; i++) shifted[i * BEAM_MODES + i] -= guess, shape[i] = 1;
    CHECK(lu_factor(BEAM_MODES, shifted, BEAM_MODES, pivot, NULL) > 0);
    for (int turn = 0; turn < 30; turn++) {
      memcpy(power, shape, sizeof power);
      lu_solve(BEAM_MODES, shifted, BEAM_MODES, pivot, power);
      double largest = 0;
      for (int i = 0; i < BEAM_MODES; i++)
        if (fabs(power[i]) > fabs(largest)) largest = power[i], omega2 = guess + shape[i] / power[i];
      for (int i = 0; i < BEAM_MODES; i++) shape[i] = power[i] / largest;
    }
    const double error = sqrt(omega2) / (exact[mode] * exact[mode] * scale) - 1;
    printf("    mode %d: relative error %.1e\n", mode + 1, error);
    CHECK(error > 0);
    CHECK_LE(error, mode ? 1e-3 : 1e-4);  // five bending modes of the clamped beam stand for the slope at the hinge
  }
  rig_destroy(r);
}

// A chain of two beams and a rigid body, in the plane and in space.
static rig *beam_chain(bool planar, double young) {
  rig *r = rig_create(planar, 3);
  const joint_type *type = planar ? &joint_revolute : &joint_universal;
  int root, tip, last = rig_point(r, GROUND, 0, 0, 0);
  for (int i = 0; i < 2; i++) {
    add_beam(r, young, &root, &tip);
    rig_joint(r, type, last, root);
    last = tip;
  }
  const double inertia[6] = {0.01, 0.02, 0.03, 0, 0, 0};
  const int payload = rig_body(r, 1.5, (vec3){0.2, 0, 0}, inertia);
  rig_joint(r, type, last, rig_point(r, payload, 0, 0, 0));
  return rig_ready(r);
}

static double total_energy(rig *r) {
  dynamics_show_state(&r->m, r->x);
  return r->x->kinetic + r->x->potentials[POTENTIAL_GRAVITY] + r->x->potentials[POTENTIAL_STRAIN];
}

static void rates_at(rig *r, const double *y, double *ydot) {
  const mechanism *m = &r->m;
  dynamics_set(m, r->x, 0, y, y + m->nq);
  CHECK(dynamics_accelerations(m, r->x));
  dynamics_rates(m, y, y + m->nq, ydot);
  memcpy(ydot + m->nq, r->x->udot, (size_t)m->nv * sizeof *ydot);
}

static void rk4_step(rig *r, double h, double *y) {
  enum { MOST = 200 };
  const int n = r->m.nq + r->m.nv;
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  double sum[MOST] = {0}, k[MOST] = {0}, from[MOST];
  for (int stage = 0; stage < 4; stage++) {
    for (int i = 0; i < n; i++) from[i] = y[i] + h * at[stage] * k[i];
    rates_at(r, from, k);
    for (int i = 0; i < n; i++) sum[i] += weight[stage] * k[i];
  }
  for (int i = 0; i < n; i++) y[i] += h * sum[i];
}

// Swings for 0.2 s under gravity from a bent start; the energy error over the largest energy that went through.
static double energy_drift(bool planar, int steps) {
  rig *r = beam_chain(planar, 2.1e8);
  double y[200] = {0};
  for (int i = 0; i < r->m.nv; i++) y[r->m.nq + i] = 0.2 * (1 + i % 3);
  dynamics_set(&r->m, r->x, 0, y, y + r->m.nq);
  const double before = total_energy(r);
  for (int i = 0; i < steps; i++) rk4_step(r, 0.2 / steps, y);
  dynamics_set(&r->m, r->x, 0, y, y + r->m.nq);
  const double after = total_energy(r), kinetic = r->x->kinetic;
  rig_destroy(r);
  return (after - before) / kinetic;
}

static void swinging_beams_keep_their_energy(void) {
  for (int planar = 0; planar < 2; planar++) {
    const double coarse = energy_drift(planar, 1000), fine = energy_drift(planar, 2000);
    printf("    energy error %.1e, %.1e with half the step\n", coarse, fine);
    CHECK_LE(fabs(fine), 1e-7);
    CHECK_LE(3.9, log2(fabs(coarse / fine)));  // order four, and five where oscillations lose most
  }
}

// Finds the modal coordinates at which modes do not accelerate, and the joints' accelerations with them: Newton's
// iteration with the stiffness of the modes and the mass matrix of the rigid chain.
static void settle_modes(rig *soft, rig *hard, double *q, const double *u) {
  double joint[64], udot[64], tau[64], residual[64], step[64];
  memcpy(joint, hard->x->udot, (size_t)hard->m.nv * sizeof *joint);
  for (int turn = 0; turn < 5; turn++) {
    memset(udot, 0, sizeof udot);
    for (int i = 1; i < soft->m.node_count; i++)
      for (int k = 0; k < soft->m.nodes[i].nv; k++) udot[soft->m.nodes[i].v + k] = joint[hard->m.nodes[i].v + k];
    dynamics_set(&soft->m, soft->x, 0, q, u);
    dynamics_positions_velocities(&soft->m, soft->x);
    dynamics_apply_forces(&soft->m, soft->x);
    tree_inverse(&soft->m, soft->x, udot, tau);
    for (int v = 0; v < soft->m.nv; v++) tau[v] -= soft->x->tau[v];
    for (int i = 1; i < soft->m.node_count; i++) {
      const node *n = &soft->m.nodes[i];
      for (int k = 0; k < n->nv; k++) residual[hard->m.nodes[i].v + k] = -tau[n->v + k];
      for (int k = 0; k < n->modes; k++)
        q[n->modal_q + k] -= tau[n->modal_v + k] / n->flex->stiffness[k * (n->modes + 1)];
    }
    for (int i = 1; i < hard->m.node_count; i++) memset(hard->x->links[i].pA, 0, sizeof hard->x->links[i].pA);
    tree_solve(&hard->m, hard->x, residual, step);
    for (int v = 0; v < hard->m.nv; v++) joint[v] += step[v];
  }
}

// With a modulus that is a million times as large, joints accelerate as those of rigid links, once the modes carry
// their loads. Each beam as a rigid body has the inertia of its points.
static void stiff_beams_move_as_rigid_ones(void) {
  for (int planar = 0; planar < 2; planar++) {
    rig *soft = beam_chain(planar, 2.1e17), *hard = rig_create(planar, 3);
    const joint_type *type = planar ? &joint_revolute : &joint_universal;
    int last = rig_point(hard, GROUND, 0, 0, 0);
    for (int b = 1; b < soft->m.body_count; b++) {
      const body *from = &soft->m.bodies[b];
      double inertia[6];
      memcpy(inertia, from->inertia, sizeof inertia);
      if (from->flex) {
        const mat3 S = from->flex->inertia.inertia.second;
        const double k = from->mass * from->com.x * from->com.x;
        const double J[6] = {S.m[4] + S.m[8], S.m[0] + S.m[8] - k, S.m[0] + S.m[4] - k, 0, 0, 0};
        memcpy(inertia, J, sizeof inertia);
      }
      const int added = rig_body(hard, from->mass, from->com, inertia);
      rig_joint(hard, type, last, rig_point(hard, added, 0, 0, 0));
      last = rig_point(hard, added, 1, 0, 0);
    }
    rig_ready(hard);
    double q[2][64] = {{0}}, u[2][64] = {{0}};
    for (int i = 1; i < hard->m.node_count; i++)
      for (int k = 0; k < hard->m.nodes[i].nv; k++) {
        const double angle = 0.3 + 0.2 * i + 0.1 * k, speed = 0.5 * i - 0.3 * k;
        q[0][hard->m.nodes[i].q + k] = q[1][soft->m.nodes[i].q + k] = angle;
        u[0][hard->m.nodes[i].v + k] = u[1][soft->m.nodes[i].v + k] = speed;
      }
    dynamics_set(&hard->m, hard->x, 0, q[0], u[0]);
    CHECK(dynamics_accelerations(&hard->m, hard->x));
    settle_modes(soft, hard, q[1], u[1]);
    dynamics_set(&soft->m, soft->x, 0, q[1], u[1]);
    CHECK(dynamics_accelerations(&soft->m, soft->x));
    for (int i = 1; i < hard->m.node_count; i++)
      for (int k = 0; k < hard->m.nodes[i].nv; k++)
        CHECK_NEAR(soft->x->udot[soft->m.nodes[i].v + k], hard->x->udot[hard->m.nodes[i].v + k], 1e-6);
    rig_destroy(soft), rig_destroy(hard);
  }
}

int main(void) {
  RUN(beam_on_a_hinge_has_its_frequencies);
  RUN(stiff_beams_move_as_rigid_ones);
  RUN(swinging_beams_keep_their_energy);
  RUN(markers_move_with_the_modes);
  RUN(joints_at_moving_markers_are_refused);
  RUN(bodies_on_deformed_markers_move_with_them);
  RUN(dynamics_are_those_of_the_points);
  RUN(recursion_inverts_its_inverse);
  RUN(responses_are_those_of_the_mass_matrix);
  return check_summary();
}
