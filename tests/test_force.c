// Forces: each pushes with the gradient of the energy it books, and its powers add up.
#include "mechanisms.h"

#include <float.h>

// Energies of up to 100 J over coordinates of order one: fifth derivatives below 1e4, times h⁴/30 = 3e-14 (h = 1e-3),
// and 1.5 ε/h · 100 J = 3e-11 of rounding.
static const double DIFFERENCE = 1e-9;

// --- tools -----------------------------------------------------------------------------------------------------------

// Generalised forces τ + Jᵀ F of everything applied, from two runs of inverse dynamics with and without them.
static void generalised_forces(rig *r, double *Q) {
  const mechanism *m = &r->m;
  double with[256], without[256], still[256] = {0};
  tree_inverse(m, r->x, still, with);
  for (int i = 0; i < m->node_count; i++) memset(r->x->links[i].F, 0, sizeof r->x->links[i].F);
  tree_inverse(m, r->x, still, without);
  for (int i = 0; i < m->nv; i++) Q[i] = r->x->tau[i] + without[i] - with[i];
}

static double spring_energy_at(rig *r, const state *s, double h) {
  state_at(r, s, h, r->x);
  dynamics_apply_forces(&r->m, r->x);
  return r->x->potentials[POTENTIAL_SPRING];
}

static double energy_rate(rig *r, const state *s) {
  double rate = 0;
  for (int k = 0; k < 4; k++) rate += STENCIL_WEIGHT[k] / STENCIL_H * spring_energy_at(r, s, STENCIL_AT[k] * STENCIL_H);
  return rate;
}

// At rest: Q = -∂V/∂q, speed by speed.
static void check_gradient(rig *r, const state *s) {
  const mechanism *m = &r->m;
  state rest = state_create(r);
  double Q[256];
  rest.t = s->t;
  memcpy(rest.q, s->q, (size_t)m->nq * sizeof *rest.q);
  double size = fmax(1, spring_energy_at(r, &rest, 0));
  generalised_forces(r, Q);
  for (int v = 0; v < m->nv; v++) {
    rest.u[v] = 1;
    CHECK_NEAR(Q[v], -energy_rate(r, &rest), DIFFERENCE * size / 10);
    rest.u[v] = 0;
  }
}

// In motion: Q·u = -dV/dt - damper power + applied power, and dampers only take.
static void check_power(rig *r, const state *s) {
  const mechanism *m = &r->m;
  state moving = *s;
  moving.udot = ARENA_ARRAY(&r->memory, double, m->nv + 1);
  double rate = energy_rate(r, &moving), Q[256], power = 0, size = fmax(1, spring_energy_at(r, &moving, 0));
  double taken = r->x->powers[POWER_DAMPER], given = r->x->powers[POWER_APPLIED];
  generalised_forces(r, Q);
  for (int v = 0; v < m->nv; v++) power += Q[v] * s->u[v], size = fmax(size, fabs(Q[v] * s->u[v]));
  CHECK(taken >= 0);
  CHECK_NEAR(power, -rate - taken + given, DIFFERENCE * size);
}

static rig *still_tree(bool planar, uint64_t seed) {
  rig *r = random_tree(planar, 5, 0.6, seed);
  r->m.gravity = VEC3_ZERO;
  return r;
}

static void check_elastic(rig *r) {
  rig_ready(r);
  state s = random_state(r, 0.7);
  check_gradient(r, &s);
  check_power(r, &s);
  rig_destroy(r);
}

// A push for every force: a(t) has to be off where the gradient is wanted, so it is a separate test below.
static int any_body(rig *r) { return random_below(&r->seed, 6); }

// --- elastic elements ------------------------------------------------------------------------------------------------

static void springs_derive_from_their_energy(void) {
  for (int planar = 0; planar < 2; planar++)
    for (uint64_t seed = 1; seed <= 10; seed++) {
      rig *r = still_tree(planar, seed);
      int a = any_body(r), b = (a + 1 + random_below(&r->seed, 5)) % 6;
      force *f = rig_force(r, &force_spring, rig_random_marker(r, a), rig_point(r, b, 1, 2, 0));
      f->stiffness[0] = 7, f->rest = 0.4;
      f->damping[0] = 2;
      check_elastic(r);
    }
}

static void bushings_derive_from_their_energy(void) {
  for (int planar = 0; planar < 2; planar++)
    for (uint64_t seed = 1; seed <= 10; seed++) {
      rig *r = still_tree(planar, seed);
      int a = any_body(r), b = (a + 1 + random_below(&r->seed, 5)) % 6;
      force *f = rig_force(r, &force_bushing, rig_random_marker(r, a), rig_random_marker(r, b));
      for (int k = 0; k < 6; k++)
        f->stiffness[k] = random_between(&r->seed, 1, 5), f->damping[k] = random_between(&r->seed, 0, 2);
      check_elastic(r);
    }
}

// About one axis a bushing is a torsional spring k sin θ, for small turns k θ, about each axis its own.
static void bushing_has_the_stiffness_it_was_given(void) {
  const double k[6] = {11, 12, 13, 2, 3, 5}, small = 1e-6;
  for (int axis = 0; axis < 6; axis++) {
    rig *r = rig_create(false, 1);
    r->m.gravity = VEC3_ZERO;
    double J[6] = {1, 1, 1, 0, 0, 0};
    int b = rig_body(r, 1, VEC3_ZERO, J);
    int on_ground = rig_point(r, GROUND, 0, 0, 0), on_body = rig_point(r, b, 0, 0, 0);
    rig_joint(r, &joint_free, on_ground, on_body);
    force *f = rig_force(r, &force_bushing, on_ground, on_body);
    memcpy(f->stiffness, k, sizeof k);
    rig_ready(r);
    state s = state_create(r);
    s.q[0] = 1;
    double move[6] = {0}, Q[6];
    int v = axis < 3 ? axis + 3 : axis - 3;  // translations are the last speeds of a free joint
    move[v] = small;
    dynamics_move(&r->m, s.q, move);
    spring_energy_at(r, &s, 0);
    generalised_forces(r, Q);
    for (int i = 0; i < 6; i++) CHECK_NEAR(Q[i], i == v ? -k[axis] * small : 0, 1e-12 * k[axis]);  // θ³/6 and less
    rig_destroy(r);
  }
}

static void efforts_along_joints_derive_from_their_energy(void) {
  const joint_type *types[16];
  for (int planar = 0; planar < 2; planar++) {
    int count = types_in(planar, types);
    for (int i = 0; i < count; i++) {
      const joint_space *space = joint_in(types[i], planar);
      if (space->nv == 0 || space->nq != space->nv) continue;
      for (int loop = 0; loop < 2; loop++) {
        // the joint twice between the same markers: one in the tree, one closing a loop over it
        rig *r = rig_create(planar, 60 + (uint64_t)i);
        r->m.gravity = VEC3_ZERO;
        int a = rig_random_body(r), b = rig_random_body(r);
        rig_joint(r, &joint_free, rig_random_marker(r, GROUND), rig_random_marker(r, a));
        int first = rig_random_marker(r, a), second = rig_random_marker(r, b);
        rig_joint(r, types[i], first, second);
        rig_joint(r, types[i], first, second);
        for (int k = 0; k < space->nv; k++) {
          force *f = rig_force(r, &force_along, -1, -1);
          f->of = (coordinate){1 + loop, k}, f->stiffness[0] = 3, f->rest = 0.2, f->damping[0] = 1.5;
        }
        int before = check_state.failures_here;
        check_elastic(r);
        if (check_state.failures_here > before)
          printf("    along %s, planar %d, loop %d\n", types[i]->name, planar, loop);
      }
    }
  }
}

// The same effort along a joint of the tree and along its twin that closes a loop: the same generalised forces.
static void loop_joints_are_pushed_as_those_of_the_tree(void) {
  const joint_type *types[16];
  for (int planar = 0; planar < 2; planar++) {
    int count = types_in(planar, types);
    for (int i = 0; i < count; i++) {
      const joint_space *space = joint_in(types[i], planar);
      if (space->nv == 0) continue;
      double Q[2][256];
      int nv = 0;
      for (int loop = 0; loop < 2; loop++) {
        rig *r = rig_create(planar, 80 + (uint64_t)i);
        r->m.gravity = VEC3_ZERO;
        int a = rig_random_body(r), b = rig_random_body(r);
        rig_joint(r, &joint_free, rig_random_marker(r, GROUND), rig_random_marker(r, a));
        int first = rig_random_marker(r, b), second = rig_random_marker(r, a);
        rig_joint(r, types[i], first, second);
        rig_joint(r, types[i], first, second);
        rig_ready(r);
        state s = random_state(r, 0.7);
        state_at(r, &s, 0, r->x);
        dynamics_apply_forces(&r->m, r->x);
        for (int k = 0; k < space->nv; k++) coordinate_push(&r->m, r->x, (coordinate){1 + loop, k}, 1 + k);
        generalised_forces(r, Q[loop]);
        nv = r->m.nv;
        rig_destroy(r);
      }
      for (int v = 0; v < nv; v++) CHECK_NEAR(Q[1][v], Q[0][v], 1e-13);  // a few dozen operations on numbers up to ten
    }
  }
}

// --- actuators, loads, callbacks -------------------------------------------------------------------------------------

static void actuators_and_loads_book_their_power(void) {
  for (int planar = 0; planar < 2; planar++)
    for (uint64_t seed = 1; seed <= 10; seed++) {
      rig *r = still_tree(planar, seed);
      int a = any_body(r), b = (a + 1 + random_below(&r->seed, 5)) % 6;
      force *f = rig_force(r, &force_spring, rig_random_marker(r, a), rig_point(r, b, 1, 2, 0));
      f->stiffness[0] = 7, f->damping[0] = 2, f->f[0] = rig_wave(r, 1, 2, 3);
      const force_type *const loads[] = {&force_load, &force_torque};
      for (int k = 0; k < 4; k++) {
        f = rig_force(r, loads[k % 2], rig_random_marker(r, 1 + random_below(&r->seed, 5)), -1);
        f->in_marker_axes = k / 2;
        for (int c = 0; c < 3; c++) f->f[c] = rig_wave(r, c, 1, 2);
        if (planar && k % 2) f->f[0] = f->f[1] = constant_of(0);
        if (planar && !(k % 2)) f->f[2] = constant_of(0);
      }
      for (int j = 0; j < r->m.joint_count; j++)
        if (joint_in(r->m.joints[j].type, planar)->nv == 1) {
          f = rig_force(r, &force_along, -1, -1);
          f->of = (coordinate){j, 0}, f->f[0] = rig_wave(r, 0, 1, 2), f->damping[0] = 0.3;
        }
      rig_ready(r);
      state s = random_state(r, 0.7);
      check_power(r, &s);
      rig_destroy(r);
    }
}

// A load of one newton on a lever of known length; in the marker's axes and in the world's.
static void loads_push_where_they_say(void) {
  for (int planar = 0; planar < 2; planar++)
    for (int in_marker = 0; in_marker < 2; in_marker++) {
      rig *r = chain(planar, 1);
      r->m.gravity = VEC3_ZERO;
      int tip = rig_marker(r, 1, (pose){turn_about_z(0.4), {1, 0, 0}});
      force *f = rig_force(r, &force_load, tip, -1);
      f->in_marker_axes = in_marker, f->f[1] = constant_of(2);
      f = rig_force(r, &force_torque, tip, -1);
      f->f[2] = constant_of(0.5);
      rig_ready(r);
      double q = 0.3, u = 0, Q[1];
      dynamics_set(&r->m, r->x, 0, &q, &u);
      dynamics_positions_velocities(&r->m, r->x);
      dynamics_apply_forces(&r->m, r->x);
      generalised_forces(r, Q);
      CHECK_NEAR(Q[0], 2 * cos(in_marker ? 0.4 : q) + 0.5, 1e-15 * 10);
      rig_destroy(r);
    }
}

static void spring_between_coincident_markers_is_finite(void) {
  rig *r = chain(false, 1);
  force *f = rig_force(r, &force_spring, rig_point(r, GROUND, 0, 0, 0), rig_point(r, 1, 0, 0, 0));
  f->stiffness[0] = 10, f->damping[0] = 1, f->rest = 0.5;
  rig_ready(r);
  double q = 0.2, u = 1;
  dynamics_set(&r->m, r->x, 0, &q, &u);
  CHECK(dynamics_accelerations(&r->m, r->x));
  CHECK(isfinite(r->x->udot[0]));
  CHECK_NEAR(r->x->potentials[POTENTIAL_SPRING], 0.5 * 10 * 0.25, 1e-15);
  CHECK_NEAR(r->x->powers[POWER_DAMPER], 0, 0);
  rig_destroy(r);
}

typedef struct caller {
  int calls;
  double t, seen[2], answer[6];
} caller;

static void user_call(void *context, double t, const double *inputs, double *outputs) {
  caller *c = context;
  c->calls++, c->t = t, c->seen[0] = inputs[0], c->seen[1] = inputs[1];
  memcpy(outputs, c->answer, sizeof c->answer);
}

static void callbacks_see_signals_and_push(void) {
  for (int along = 0; along < 2; along++) {
    rig *r = chain(false, 2);
    r->m.gravity = VEC3_ZERO;
    caller c = {.answer = {1, 2, 3, 0.1, 0.2, 0.3}};
    int tip = rig_point(r, 2, 1, 0, 0), inputs[2];
    force *f = rig_force(r, &force_user, tip, -1);
    f->call = user_call, f->context = &c, f->inputs = inputs, f->input_count = 2;
    if (along) f->of = (coordinate){1, 0};
    CHECK(rig_compile(r));
    signal_list(&r->m, &r->memory);
    inputs[0] = signal_find(&r->m, "joint1.q"), inputs[1] = signal_find(&r->m, "body2.vx");
    CHECK(inputs[0] >= 0 && inputs[1] >= 0);
    CHECK_EQUAL(signal_find(&r->m, "joint1.nothing"), -1);
    CHECK(rig_start(r));
    double q[2] = {0.3, 0.5}, u[2] = {1, -2}, Q[2];
    dynamics_set(&r->m, r->x, 0.7, q, u);
    dynamics_positions_velocities(&r->m, r->x);
    dynamics_apply_forces(&r->m, r->x);
    CHECK_EQUAL(c.calls, 1);
    CHECK_NEAR(c.t, 0.7, 0);
    CHECK_NEAR(c.seen[0], 0.5, 0);
    CHECK_NEAR(c.seen[1], -sin(0.3) * 1, 1e-15);  // the second body starts at the first one's tip
    double applied = r->x->powers[POWER_APPLIED];
    generalised_forces(r, Q);
    double x2 = cos(0.8), y2 = sin(0.8), x1 = cos(0.3), y1 = sin(0.3);
    double expected[2] = {(x1 + x2) * 2 - (y1 + y2) * 1 + 0.3, x2 * 2 - y2 * 1 + 0.3};
    if (along) expected[0] = 0, expected[1] = 1;
    for (int v = 0; v < 2; v++) CHECK_NEAR(Q[v], expected[v], 1e-14);
    CHECK_NEAR(applied, Q[0] * u[0] + Q[1] * u[1], 1e-14);
    rig_destroy(r);
  }
}

// --- the whole ledger ------------------------------------------------------------------------------------------------

// Loops of every joint type with springs, dampers, motors and a drive: dT + dV = drives + applied - dampers, at any
// instant. The path leaves the constraints by h³ only, which the stencil does not see at first order.
static void energy_balances_in_closed_loops(void) {
  const joint_type *types[16];
  for (int planar = 0; planar < 2; planar++) {
    int count = types_in(planar, types);
    for (int i = 0; i < count; i++)
      for (int absolute = 0; absolute < 2; absolute++) {
        double q[256];
        rig *r = random_loop(planar, 7, types[i], 1800 + (uint64_t)i, q);
        decorate(r, q);
        constraint *c = rig_constraint(r, &constraint_distance, rig_random_marker(r, 8), rig_point(r, GROUND, 3, 4, 0));
        rig *t = rig_twin(r, true), *used = absolute ? t : r;
        // the distance starts where the loop is and changes from there
        rig *probe = rig_twin(r, false);
        probe->m.constraint_count = 0;
        if (!CHECK(rig_set_moving(probe, q))) printf("    %s\n", probe->fault.error.text);
        dynamics_set(&probe->m, probe->x, 0, probe->m.q0, probe->m.u0);
        dynamics_positions_velocities(&probe->m, probe->x);
        vec3 D = vec3_sub(marker_read(&probe->m, probe->x, c->first).p, marker_read(&probe->m, probe->x, c->second).p);
        c->f = t->m.constraints[0].f = rig_wave(r, vec3_norm(D), 0.3, 2);
        rig_destroy(probe);
        if (!CHECK(rig_set_moving(r, q))) printf("    %s\n", r->fault.error.text);
        if (absolute) CHECK(rig_compile(t) && mechanism_adopt(&t->m, &r->m, &t->memory, &t->fault) && rig_start(t));
        const mechanism *m = &used->m;
        state s = state_create(used);
        memcpy(s.q, m->q0, (size_t)m->nq * sizeof *s.q);
        memcpy(s.u, m->u0, (size_t)m->nv * sizeof *s.u);
        dynamics_set(m, used->x, 0, s.q, s.u);
        CHECK(dynamics_accelerations(m, used->x));
        memcpy(s.udot, used->x->udot, (size_t)m->nv * sizeof *s.udot);
        const double *p = used->x->powers;
        double balance = p[POWER_DRIVE] + p[POWER_APPLIED] - p[POWER_DAMPER], rate = 0, terms = 1;
        CHECK(p[POWER_DRIVE] != 0);
        for (int k = 0; k < POWER_COUNT; k++) terms += fabs(p[k]);
        double fast = 1 + largest_of(s.u, m->nv) + largest_of(s.udot, m->nv), h = STENCIL_H / fast;
        for (int k = 0; k < 4; k++) {
          state_at(used, &s, STENCIL_AT[k] * h, used->x);
          dynamics_apply_forces(m, used->x);
          double energy =
              tree_kinetic_energy(m, used->x) + tree_gravity_energy(m, used->x) + used->x->potentials[POTENTIAL_SPRING];
          rate += STENCIL_WEIGHT[k] / h * energy;
          terms = fmax(terms, fabs(energy));
        }
        // the step shrinks with the speed, so the stencil's own error stays at 1e-12; rounding is 1.5 ε/h of the
        // terms
        int before = check_state.failures_here;
        CHECK_NEAR(rate, balance, (1e-11 + 10 * DBL_EPSILON / h) * terms * fast);
        if (check_state.failures_here > before)
          printf("    closing %s, planar %d, absolute %d\n", types[i]->name, planar, absolute);
        rig_destroy(r), rig_destroy(t);
      }
  }
}

int main(void) {
  RUN(springs_derive_from_their_energy);
  RUN(bushings_derive_from_their_energy);
  RUN(bushing_has_the_stiffness_it_was_given);
  RUN(efforts_along_joints_derive_from_their_energy);
  RUN(loop_joints_are_pushed_as_those_of_the_tree);
  RUN(actuators_and_loads_book_their_power);
  RUN(loads_push_where_they_say);
  RUN(spring_between_coincident_markers_is_finite);
  RUN(callbacks_see_signals_and_push);
  RUN(energy_balances_in_closed_loops);
  return check_summary();
}
