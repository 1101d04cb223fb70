// Assembly: closed loops from rough guesses, what was given is kept where it can be, and what cannot be is told.
#include "mechanisms.h"

#define CHECK_PART(r, wanted, number) CHECK((r)->fault.part.kind == (wanted) && (r)->fault.part.index == (number))

static void guess_four_bar(rig *r, double crank, double coupler, double rocker) {
  CHECK(rig_compile(r));
  r->initial.q[0] = crank, r->initial.q[1] = coupler, r->initial.q[2] = rocker;
}

// The coupler and rocker of a four-bar by the cosine law: the position of the pin between them is on both circles.
static void check_four_bar_is_closed(const rig *r) {
  const mechanism *m = &r->m;
  vec3 pin = marker_read(m, r->x, m->joints[2].second).p, crank_end = marker_read(m, r->x, m->joints[1].second).p;
  CHECK_NEAR(vec3_norm(vec3_sub(pin, crank_end)), 1.1, 1e-12);
  CHECK_NEAR(vec3_norm(vec3_sub(pin, (vec3){1.2, 0, 0})), 0.9, 1e-12);
  CHECK_NEAR(vec3_norm(crank_end), 0.4, 1e-12);
}

static void four_bar_closes_from_rough_guesses(void) {
  for (int planar = 0; planar < 2; planar++)
    for (double crank = -3; crank < 3.1; crank += 0.5) {
      rig *r = four_bar(planar);
      guess_four_bar(r, crank, -crank + 0.9, -2);
      r->initial.q_given[0] = true;
      if (!CHECK(rig_assemble(r))) {
        printf("    crank %g: %s\n", crank, r->fault.error.text);
      } else {
        dynamics_positions_velocities(&r->m, r->x);
        CHECK_LE(constraints_violation(&r->m, r->x), 1e-12);
        CHECK_LE(r->report.violation_after, 1e-12);
        CHECK(r->report.violation_before > 1e-3);
        CHECK(r->report.iterations > 0 && r->report.iterations < 50);
        CHECK_NEAR(r->x->joint_q[0], crank, 0);  // held
        CHECK(!r->report.moved_joint);
        check_four_bar_is_closed(r);
      }
      rig_destroy(r);
    }
}

static void spatial_loops_close_from_rough_guesses(void) {
  const joint_type *types[16];
  for (int planar = 0; planar < 2; planar++) {
    int count = types_in(planar, types);
    for (int i = 0; i < count; i++)
      for (uint64_t seed = 2000; seed < 2003; seed++) {
        double q[256];
        rig *r = random_loop(planar, 7, types[i], seed + 10 * (uint64_t)i, q);
        CHECK(rig_compile(r));
        mechanism *m = &r->m;
        memcpy(r->initial.q, q, (size_t)m->joint_nq * sizeof *q);
        for (int j = 0; j < m->joint_count; j++) {
          double move[JOINT_MAX_FREEDOM];
          for (int k = 0; k < JOINT_MAX_FREEDOM; k++) move[k] = random_between(&r->seed, -0.3, 0.3);
          joint_move(m->joints[j].type, planar, r->initial.q + m->joints[j].q, move);
        }
        if (!CHECK(rig_assemble(r)))
          printf("    closing %s, planar %d: %s\n", types[i]->name, planar, r->fault.error.text);
        else dynamics_positions_velocities(m, r->x), CHECK_LE(constraints_violation(m, r->x), 1e-12);
        rig_destroy(r);
      }
  }
}

// Two angles that do not go together: one has to give way, and the report says which and by how much.
static void what_cannot_be_held_is_reported(void) {
  for (int loop_too = 0; loop_too < 2; loop_too++) {
    rig *r = four_bar(true);
    guess_four_bar(r, 0.7, 0.5, -1.5);
    for (int j = 0; j < (loop_too ? 4 : 3); j++) r->initial.q_given[j] = true;
    CHECK(rig_assemble(r));
    check_four_bar_is_closed(r);
    if (CHECK(r->report.moved_joint)) CHECK(fabs(r->report.moved_from - r->report.moved_to) > 1e-3);
    rig_destroy(r);
  }
  // a given coordinate of the joint that closes the loop, given alone and right: nothing to report
  rig *first = four_bar(true), *again = four_bar(true);
  guess_four_bar(first, 0.7, -0.1, -2.2);
  CHECK(rig_assemble(first));
  CHECK(rig_compile(again));
  memcpy(again->initial.q, first->m.joint_q0, 4 * sizeof(double));
  for (int j = 0; j < 4; j++) again->initial.q_given[j] = true;
  CHECK(rig_assemble(again));
  CHECK(!again->report.moved_joint);
  CHECK_EQUAL(again->report.iterations, 0);
  // and wrong: it is told
  rig *wrong = four_bar(true);
  CHECK(rig_compile(wrong));
  memcpy(wrong->initial.q, first->m.joint_q0, 4 * sizeof(double));
  int open = wrong->m.joints[3].node < 0 ? 3 : 2;
  wrong->initial.q[open] += 0.2, wrong->initial.q_given[open] = true;
  CHECK(rig_assemble(wrong));
  CHECK_TEXT(wrong->report.moved_joint, wrong->m.joints[open].name);
  rig_destroy(first), rig_destroy(again), rig_destroy(wrong);
}

static void impossible_loop_is_told_at_its_joint(void) {
  for (int planar = 0; planar < 2; planar++) {
    rig *r = four_bar(planar);
    for (int i = 0; i < r->m.marker_count; i++)
      if (r->m.markers[i].body == GROUND && r->m.markers[i].local.p.x > 1) r->m.markers[i].local.p.x = 5;
    guess_four_bar(r, 0.7, -0.1, -2.2);
    CHECK(!rig_assemble(r));
    CHECK_EQUAL(r->fault.error.status, CAROM_ERROR_ASSEMBLY);
    int open = -1;
    for (int j = 0; j < 4; j++)
      if (r->m.joints[j].node < 0) open = j;
    CHECK_PART(r, PART_JOINT, open);
    CHECK_CONTAINS(r->fault.error.text, r->m.joints[open].name);
    CHECK_CONTAINS(r->fault.error.text, "cannot be assembled");
    rig_destroy(r);
  }
}

// --- velocities ------------------------------------------------------------------------------------------------------

static void constraints_win_over_given_speeds(void) {
  for (int planar = 0; planar < 2; planar++) {
    rig *r = four_bar(planar);
    guess_four_bar(r, 0.7, -0.1, -2.2);
    r->initial.q_given[0] = true;
    r->initial.u[0] = 2, r->initial.u_given[0] = true;
    r->initial.u[1] = 100, r->initial.u_given[1] = true;  // not what the loop allows
    CHECK(rig_assemble(r));
    dynamics_positions_velocities(&r->m, r->x);
    CHECK_LE(constraints_velocity_violation(&r->m, r->x), 1e-12);
    CHECK_NEAR(r->x->joint_u[0], 2, 1e-12);  // given first, kept
    CHECK_TEXT(r->report.changed_joint, "joint1");
    CHECK_NEAR(r->report.changed_from, 100, 0);
    CHECK_NEAR(r->report.changed_to, r->x->joint_u[1], 1e-12);
    CHECK_NEAR(r->report.velocity_change, fabs(100 - r->x->joint_u[1]), 1e-12);
    rig_destroy(r);
  }
}

static void speeds_of_bodies_can_be_given(void) {
  for (int planar = 0; planar < 2; planar++) {
    rig *r = chain(planar, 2);
    CHECK(rig_compile(r));
    r->initial.q[0] = 0.3, r->initial.q[1] = 0.4;
    r->initial.body_velocity[6 * 2 + 2] = 5, r->initial.body_velocity_given[6 * 2 + 2] = true;  // ω_z of the second
    r->initial.u[0] = 2, r->initial.u_given[0] = true;
    CHECK(rig_assemble(r));
    CHECK_NEAR(r->m.u0[0], 2, 1e-14);
    CHECK_NEAR(r->m.u0[1], 3, 1e-14);
    CHECK(!r->report.changed_joint && !r->report.changed_body);
    rig_destroy(r);
  }
}

// A chain turns about z: what is given across that, or against a given u, is reported like a changed u.
static void changed_speeds_of_bodies_are_reported(void) {
  for (int planar = 0; planar < 2; planar++)
    for (int linear = 0; linear < 2; linear++) {
      rig *r = chain(planar, 1);
      CHECK(rig_compile(r));
      int k = 6 + (linear ? 3 : 2);
      r->initial.u[0] = 2, r->initial.u_given[0] = true;
      r->initial.body_velocity[k] = 5, r->initial.body_velocity_given[k] = true;
      int other = linear ? k - 1 : k + 1;  // changes less
      r->initial.body_velocity[other] = 0.5, r->initial.body_velocity_given[other] = true;
      CHECK(rig_assemble(r));
      CHECK_NEAR(r->m.u0[0], 2, 1e-14);
      CHECK(!r->report.changed_joint);
      CHECK_TEXT(r->report.changed_body, r->m.bodies[1].name);
      CHECK_TEXT(r->report.changed_key, linear ? "velocity" : "omega");
      CHECK_NEAR(r->report.changed_from, 5, 0);
      CHECK_EQUAL(r->report.changed_count, 2);
      dynamics_positions_velocities(&r->m, r->x);
      CHECK_NEAR(r->report.changed_to, r->x->links[r->m.bodies[1].node].V[planar ? linear : linear ? 3 : 2], 1e-12);
      rig_destroy(r);
    }
}

// A loop keeps its rows and freedom; a chain its given speeds.
static void freedom_is_counted(void) {
  rig *r = chain(true, 5);
  rig_drive(r, 2, 0, rig_wave(r, 0, 1, 1));
  CHECK(rig_compile(r));
  r->initial.u[0] = 3, r->initial.u_given[0] = true;
  CHECK(rig_assemble(r));
  CHECK_EQUAL(r->report.freedom, 4);
  CHECK_EQUAL(r->report.rows, 0);
  CHECK_NEAR(r->m.u0[0], 3, 0);
  CHECK_NEAR(r->m.u0[2], 1, 0);
  rig_destroy(r);
}

// --- drives ----------------------------------------------------------------------------------------------------------

static void drives_set_where_it_starts(void) {
  for (int planar = 0; planar < 2; planar++) {
    rig *r = four_bar(planar);
    rig_drive(r, 0, 0, rig_wave(r, 0.9, 0.5, 4));
    guess_four_bar(r, 0, -0.1, -2.2);
    CHECK(rig_assemble(r));
    CHECK_NEAR(r->x->joint_q[0], 0.9, 1e-14);
    CHECK_NEAR(r->x->joint_u[0], 2, 1e-14);
    CHECK_EQUAL(r->report.freedom, 0);
    check_four_bar_is_closed(r);
    CHECK(dynamics_accelerations(&r->m, r->x));
    rig_destroy(r);
  }
}

static void contradictory_drives_are_told(void) {
  // twice the same coordinate
  rig *twice = chain(true, 2);
  rig_drive(twice, 1, 0, constant_of(0)), rig_drive(twice, 1, 0, constant_of(1));
  CHECK(!rig_compile(twice));
  CHECK_EQUAL(twice->fault.error.status, CAROM_ERROR_MODEL);
  CHECK_PART(twice, PART_DRIVE, 1);
  rig_destroy(twice);
  // two joints of a loop with one freedom: consistent positions, speeds that do not go together
  for (int planar = 0; planar < 2; planar++) {
    rig *start = four_bar(planar);
    guess_four_bar(start, 0.7, -0.1, -2.2);
    CHECK(rig_assemble(start));
    rig *r = four_bar(planar);
    rig_drive(r, 0, 0, rig_wave(r, start->m.joint_q0[0], 1, 1));
    rig_drive(r, 3, 0, rig_wave(r, start->m.joint_q0[3], 3, 1));
    CHECK(rig_compile(r));
    memcpy(r->initial.q, start->m.joint_q0, 4 * sizeof(double));
    CHECK(!rig_assemble(r));
    CHECK_EQUAL(r->fault.error.status, CAROM_ERROR_ASSEMBLY);
    CHECK_PART(r, PART_DRIVE, 1);
    rig_destroy(r), rig_destroy(start);
  }
}

// --- bodies ----------------------------------------------------------------------------------------------------------

static rig *chain_with_massless(bool planar, int which) {
  rig *r = chain(planar, 3);
  body *b = &r->m.bodies[which];
  b->mass = 0;
  memset(b->inertia, 0, sizeof b->inertia);
  return r;
}

static void massless_bodies_need_a_drive_or_a_load(void) {
  for (int planar = 0; planar < 2; planar++) {
    rig *inner = chain_with_massless(planar, 2);  // carries the third
    CHECK(rig_compile(inner) && rig_assemble(inner));
    CHECK(dynamics_accelerations(&inner->m, inner->x));
    rig_destroy(inner);

    rig *outer = chain_with_massless(planar, 3);
    CHECK(rig_compile(outer));
    CHECK(!rig_assemble(outer));
    CHECK_EQUAL(outer->fault.error.status, CAROM_ERROR_MODEL);
    CHECK_PART(outer, PART_BODY, 3);
    CHECK_CONTAINS(outer->fault.error.text, "body3");
    rig_destroy(outer);

    rig *driven = chain_with_massless(planar, 3);
    rig_drive(driven, 2, 0, rig_wave(driven, 0, 1, 2));
    CHECK(rig_compile(driven) && rig_assemble(driven));
    CHECK(dynamics_accelerations(&driven->m, driven->x));
    CHECK_NEAR(driven->x->drive_effort[0], 0, 1e-14);  // nothing to move
    rig_destroy(driven);
  }
}

static void disconnected_body_is_told(void) {
  rig *r = chain(true, 2);
  double J[6] = {1, 1, 1, 0, 0, 0};
  int b = rig_body(r, 1, VEC3_ZERO, J), c = rig_body(r, 1, VEC3_ZERO, J);
  rig_joint(r, &joint_revolute, rig_point(r, b, 0, 0, 0), rig_point(r, c, 0, 0, 0));  // to each other only
  CHECK(!rig_compile(r));
  CHECK_EQUAL(r->fault.error.status, CAROM_ERROR_MODEL);
  CHECK_PART(r, PART_BODY, b);
  CHECK_CONTAINS(r->fault.error.text, "body3");
  rig_destroy(r);
}

// Markers of a distance that start at one point find a direction to part in.
static void coincident_points_part(void) {
  for (int planar = 0; planar < 2; planar++) {
    rig *r = rig_create(planar, 1);
    int b = rig_random_body(r);
    int on_ground = rig_point(r, GROUND, 0, 0, 0), on_body = rig_point(r, b, 0, 0, 0);
    rig_joint(r, &joint_free, on_ground, on_body);
    rig_constraint(r, &constraint_distance, on_ground, on_body)->f = constant_of(0.7);
    CHECK(rig_compile(r));
    if (!CHECK(rig_assemble(r))) printf("    %s\n", r->fault.error.text);
    dynamics_positions_velocities(&r->m, r->x);
    CHECK_NEAR(vec3_norm(marker_read(&r->m, r->x, on_body).p), 0.7, 1e-12);
    CHECK(dynamics_accelerations(&r->m, r->x));
    rig_destroy(r);
  }
}

// A free joint's position can be given while its orientation is free to turn.
static void given_position_of_a_free_body_is_held(void) {
  rig *r = rig_create(false, 1);
  int b = rig_random_body(r);
  rig_joint(r, &joint_free, rig_point(r, GROUND, 0, 0, 0), rig_point(r, b, 0, 0, 0));
  rig_constraint(r, &constraint_distance, rig_point(r, GROUND, 3, 0, 0), rig_point(r, b, 1, 0, 0))->f =
      constant_of(1.5);
  CHECK(rig_compile(r));
  const double where[3] = {1, 0.5, 0.2};
  for (int k = 0; k < 3; k++) r->initial.q[4 + k] = where[k], r->initial.q_given[4 + k] = true;
  CHECK(rig_assemble(r));
  for (int k = 0; k < 3; k++) CHECK_NEAR(r->m.q0[4 + k], where[k], 0);
  CHECK(!r->report.moved_joint);
  CHECK(fabs(r->m.q0[0]) < 1 - 1e-6);  // it turned
  rig_destroy(r);
}

int main(void) {
  RUN(four_bar_closes_from_rough_guesses);
  RUN(spatial_loops_close_from_rough_guesses);
  RUN(what_cannot_be_held_is_reported);
  RUN(impossible_loop_is_told_at_its_joint);
  RUN(constraints_win_over_given_speeds);
  RUN(speeds_of_bodies_can_be_given);
  RUN(changed_speeds_of_bodies_are_reported);
  RUN(freedom_is_counted);
  RUN(drives_set_where_it_starts);
  RUN(contradictory_drives_are_told);
  RUN(massless_bodies_need_a_drive_or_a_load);
  RUN(disconnected_body_is_told);
  RUN(coincident_points_part);
  RUN(given_position_of_a_free_body_is_held);
  return check_summary();
}
