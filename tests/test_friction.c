// Friction: the judge, the reference problems, random problems made from a solution, in the plane and in space, with
// rows of other kinds, redundant, dense, sparse and factored; rest that does not creep.
#include "check.h"

#include "carom/carom.h"
#include "contact.h"
#include "solve/problem_build.h"
#include "solve/cone.h"
#include "solve/cone_drift.h"

static contact_problem one;

static contact_problem *fresh(void) {
  memset(&one, 0, sizeof one);
  return &one;
}

static solve_settings to(double tolerance) {
  solve_settings s = solve_settings_default();
  s.tolerance = tolerance;
  return s;
}

static solve_block contact_in(int size, double mu) {
  return (solve_block){.kind = size == 2 ? BLOCK_PLANE : BLOCK_SPACE, .size = size, .mu = mu};
}

// --- the judge -------------------------------------------------------------------------------------------------------

// x := the nearest point of {|x_T| ≤ μ x_N}.
static void nearest_in_cone(int size, double mu, double *x) {
  double t = size == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
  if (t <= mu * x[0]) return;
  double along = fmax((x[0] + mu * t) / (1 + mu * mu), 0);  // normal part of the foot; 0 is the apex
  x[0] = along;
  for (int k = 1; k < size; k++) x[k] *= mu * along / t;
}

// The projection is in the cone, leaves cone points alone, and what it takes away is normal to where it ends and in
// the polar cone: (x − Px)·Px = 0 and (x − Px)·y ≤ 0 for all y in K.
static void projection_is_nearest(void) {
  for (int k = 0; k < 1000; k++) {
    double mu = uniform(0, 2), x[3] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}, p[3], dot = 0;
    int size = 2 + k % 2;
    memcpy(p, x, sizeof p);
    nearest_in_cone(size, mu, p);
    double t = size == 2 ? fabs(p[1]) : hypot(p[1], p[2]);
    CHECK_LE(t, mu * p[0] + 1e-15);
    for (int i = 0; i < size; i++) dot += (x[i] - p[i]) * p[i];
    CHECK_NEAR(dot, 0, 1e-15);
    double angle = uniform(0, 6.3), y[3] = {1, mu * cos(angle), mu * sin(angle)}, polar = 0;
    if (size == 2) y[1] = angle > 3 ? mu : -mu;
    for (int i = 0; i < size; i++) polar += (x[i] - p[i]) * y[i];
    CHECK_LE(polar, 1e-15);
  }
}

// F = r − P_K(r − ρ û), as it reads, where nothing is lost by the difference. Sizes are up to 10, rounding 2e-15 of it.
static void natural_map_is_its_definition(void) {
  for (int k = 0; k < 1000; k++) {
    int size = 2 + k % 2;
    double mu = k % 10 == 0 ? 0 : uniform(0, 2), rho = uniform(0.1, 2), F[3], slip = 0;
    double r[3] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)},
           u[3] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    for (int i = 1; i < size; i++) slip = hypot(slip, u[i]);
    double x[3] = {r[0] - rho * (u[0] + mu * slip), r[1] - rho * u[1], r[2] - rho * u[2]};
    nearest_in_cone(size, mu, x);
    solve_block b = contact_in(size, mu);
    natural_map(&b, r, u, rho, F);
    for (int i = 0; i < size; i++) CHECK_NEAR(F[i], r[i] - x[i], 2e-14);
  }
}

// A contact that nothing moves along its normal, and that closes at 1 m/s: no percussion helps. A percussion so large
// that r − û/d rounds to r must not hide the velocity, inside the cone or on its edge.
static void huge_percussions_solve_nothing(void) {
  static const double slips[] = {0, 0.3}, sizes[] = {1, 1e8, 1e12, 1e16, 1e17, 3.4e16, 1e20, 1e60};
  int count;
  const solver *const *list = solver_list(&count);
  for (int k = 0; k < 4; k++) {
    int size = 2 + k % 2;
    contact_problem *c = fresh();
    add_block(c, contact_in(size, 0.5));
    for (int i = 1; i < size; i++) c->W[i * size + i] = 1;
    c->q[0] = -1, c->q[1] = slips[k / 2];
    solve_problem p = as_problem(c);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      double inside[3] = {sizes[i], -c->q[1], 0}, edge[3] = {sizes[i], -0.5 * sizes[i], 0}, u[3], work[3];
      CHECK_LE(0.5, solve_residual_of(&p, inside, u, work));
      CHECK_LE(0.5, solve_residual(&p, edge, c->q, work));
    }
    solve_settings settings = to(1e-8);
    for (int i = -1; i < count; i++) {
      solve_info info = contact_solve(c, i < 0 ? NULL : list[i], &settings, NULL);
      if (!CHECK(info.status != SOLVE_SOLVED))
        printf("      %d rows, %s: %g\n", size, i < 0 ? "chain" : list[i]->name, info.residual);
      CHECK(!(info.residual < 0.1));
    }
  }
}

// One contact, μ = 0.5, W = I: r = (2, 0.6, 0.8), u = (0, −0.3, −0.4) slips by the law; the residual written out by
// hand.
static void judge_knows_coulomb(void) {
  contact_problem *c = fresh();
  add_block(c, contact_in(3, 0.5));
  for (int i = 0; i < 3; i++) c->W[4 * i] = 1;
  double r[3] = {2, 0.6, 0.8}, u[3], work[3];
  c->q[0] = -2, c->q[1] = -0.9, c->q[2] = -1.2;
  solve_problem p = as_problem(c);
  CHECK_LE(solve_residual_of(&p, r, u, work), 1e-16);
  // r_T beyond the cone: x = r − û = (2 − 0.5·0.5, 0.9, 1.2 + …) is outside; the foot has the normal part (x_N +
  // μ|x_T|)/(1+μ²)
  r[1] = 0.9, r[2] = 1.2;  // then u = (0, 0, 0), |r_T| = 1.5 > 1: foot at (2 + 0.75)/1.25 = 2.2, tangential 1.1
  double expected = hypot(0.2, 0.4) / sqrt(4 + 0.81 + 1.44);          // |q| = √6.25 = |r|
  CHECK_NEAR(solve_residual_of(&p, r, u, work), expected, 2e-15);     // less the rounding of W r
  CHECK_NEAR(solve_residual_mixed(&p, r, u, work), expected, 1e-15);  // W = 1: the units agree
}

// --- units -----------------------------------------------------------------------------------------------------------

// The same problem in other units: r in units 1/a times as large, u in units 1/b times as large. Where rows of one
// problem measure different things (`turns`), every second bilateral row has a length of its own besides.
static void change_units(contact_problem *c, double a, double b, double turns) {
  double row[CONTACT_ROWS];
  for (int k = 0; k < c->block_count; k++)
    for (int i = c->start[k]; i < c->start[k + 1]; i++)
      row[i] = c->blocks[k].kind == BLOCK_BILATERAL && i % 2 ? turns : 1;
  for (int i = 0; i < c->rows; i++) {
    for (int j = 0; j < c->rows; j++) c->W[i * c->rows + j] *= b / a * row[i] * row[j];
    c->q[i] *= b * row[i];
    c->r[i] *= a / row[i], c->known_r[i] *= a / row[i], c->known_u[i] *= b * row[i];
  }
  for (int k = 0; k < c->block_count; k++) c->blocks[k].lo *= a, c->blocks[k].hi *= a;
}

static void mixed_problem(contact_problem *c, int size) {
  add_block(c, (solve_block){.kind = BLOCK_BILATERAL, .size = 2});
  add_block(c, (solve_block){.kind = BLOCK_UNILATERAL, .size = 1});
  add_block(c, (solve_block){.kind = BLOCK_BOX, .size = 1, .lo = -0.4, .hi = 0.5});
  for (int k = 0; k < 4; k++) add_block(c, contact_in(size, uniform(0, 0.1)));
  fill_gram(c, 2 * c->rows, 1);
  choose_solution(c, false);
}

static const double units[][3] = {{1, 1, 1},      {1e3, 1, 1},      {1, 1e-3, 1},
                                  {7e-9, 3e5, 1}, {0.3, 1.7, 1e-3}, {2e6, 5e6, 41}};
enum { UNITS = sizeof units / sizeof *units };

// Rounding of some dozen products, relative to numbers of order one.
static void residual_does_not_depend_on_units(void) {
  static contact_problem kept;
  for (int round = 0; round < 40; round++) {
    contact_problem *c = fresh();
    mixed_problem(c, 2 + round % 2);
    for (int i = 0; i < c->rows; i++) c->r[i] = c->known_r[i] + uniform(-0.1, 0.1);
    kept = *c;
    double first = 0, u[CONTACT_ROWS], work[CONTACT_ROWS];
    for (int k = 0; k < UNITS; k++) {
      *c = kept;
      change_units(c, units[k][0], units[k][1], units[k][2]);
      solve_problem p = as_problem(c);
      double residual = solve_residual_of(&p, c->r, u, work);
      if (k == 0) first = residual;
      CHECK(residual > 1e-3);
      CHECK_NEAR(residual, first, 1e-12 * first);
    }
  }
}

// Every solver takes the same steps and finds the same percussions. They are unique here (smallest eigenvalue 1), and
// each solver ends within 1e-12.
static void solvers_do_not_depend_on_units(void) {
  static contact_problem kept;
  int count;
  const solver *const *list = solver_list(&count);
  solve_settings settings = to(1e-12);
  for (int round = 0; round < 20; round++) {
    contact_problem *c = fresh();
    mixed_problem(c, 2 + round % 2);
    kept = *c;
    solve_problem p = as_problem(c);
    for (int i = -1; i < count; i++) {
      if (i >= 0 && !list[i]->suits(&p)) continue;
      int steps = 0;
      for (int k = 0; k < UNITS; k++) {
        *c = kept;
        change_units(c, units[k][0], units[k][1], 1);
        solve_info info = contact_solve(c, i < 0 ? NULL : list[i], &settings, NULL);
        bool fine = CHECK_EQUAL(info.status, SOLVE_SOLVED);
        fine &= CHECK_LE(apart(c->rows, c->r, c->known_r), 1e-10 * units[k][0]);
        if (k == 0) steps = info.iterations;
        // rounding decides which sweep is the last; Newton's method for LCPs goes on until rounding stops it
        if (i < 0 || list[i] != &solver_newton) fine &= CHECK_LE(abs(info.iterations - steps), 1 + steps / 10);
        if (!fine) printf("      %s, units %g and %g\n", i < 0 ? "chain" : list[i]->name, units[k][0], units[k][1]);
      }
    }
  }
}

// Heavy bodies: percussions of 4e5 N·s, velocities of 0.3 m/s, and those 2 % off. Once with bodies that heavy, once
// with light ones that are wedged, so that the percussions hold each other.
static void large_percussions_do_not_hide_wrong_velocities(void) {
  for (int wedged = 0; wedged < 2; wedged++) {
    contact_problem *c = fresh();
    for (int k = 0; k < 3; k++) add_block(c, contact_in(3, 0.5));
    fill_gram(c, wedged ? 6 : 9, wedged ? 0 : 1);
    for (int i = 0; !wedged && i < 81; i++) c->W[i] *= 1e-6;
    double u[CONTACT_ROWS], work[CONTACT_ROWS], scale = wedged ? 1 : 4e5;
    for (int k = 0; k < 3; k++) {
      double *r = c->known_r + 3 * k, *v = c->known_u + 3 * k;
      r[0] = scale, r[1] = -0.5 * scale, v[1] = 0.3 / sqrt(3);
    }
    solve_for_q(c);
    memcpy(c->r, c->known_r, sizeof c->r);
    memcpy(u, c->known_u, sizeof u);
    for (int i = 0; i < c->rows; i++) u[i] *= 1.02;
    for (int k = 0; k < 3; k++) u[3 * k] = 0.02 * 0.3 / sqrt(3);  // and they part a little
    for (int i = 0; wedged && i < c->rows; i++) c->r[i] *= 4e5;   // the same velocities, as of a wedge
    solve_problem p = as_problem(c);
    CHECK_LE(solve_residual_mixed(&p, c->r, u, work), 3e-8);
    CHECK(solve_residual(&p, c->r, u, work) > 1e-3);
  }
}

// --- references ------------------------------------------------------------------------------------------------------

static const char *const references[] = {
    "Box_Stacks-i0122-82-5.hdf5",
    "Capsules-i100-1090.dat",
    "Confeti-ex13-4contact-Fc3D-SBM.dat",
    "FC3D_Example1.dat",
    "FrictionContact3D_1c.dat",
    "FrictionContactProblem00031.dat",
    "FrictionContactProblem00071.dat",
    "NESpheres_10_1.dat",
    "OneObject-i100000-499.hdf5.dat",
    "Rover1039.dat",
    "Rover1040.dat",
    "Rover1041.dat",
    "Rover3865.dat",
    "Rover4144.dat",
};

typedef struct best {
  double chain, any;
  double r[3];
} best;

static void keep_best(void *context, const carom_solve_result *result) {
  best *b = context;
  if (strcmp(result->solver, "chain") == 0) b->chain = result->residual;
  else b->any = fmin(b->any, result->residual);
  memcpy(b->r, result->r, sizeof b->r);
}

static void references_are_solved(void) {
  char path[4096], name[128];
  if (!check_shared("refs/friction/Rover1039.dat", path, sizeof path)) SKIP("no reference problems");
  for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
    snprintf(name, sizeof name, "refs/friction/%s", references[i]);
    if (!CHECK(check_shared(name, path, sizeof path))) continue;
    carom_solve_options options = carom_solve_default();
    carom_error error = {0};
    best b = {INFINITY, INFINITY, {0}};
    options.solver = "all";
    if (!CHECK_EQUAL(carom_solve_file(path, &options, keep_best, &b, &error), CAROM_OK)) printf("%s\n", error.text);
    bool fine = CHECK_LE(b.chain, 1e-8);
    fine &= CHECK_LE(b.any, 1e-8);
    if (!fine) printf("      in %s\n", references[i]);
  }
}

// One contact that slips; the number comes with the reference.
static void single_contact_has_its_percussion(void) {
  char path[4096];
  if (!check_shared("refs/friction/FrictionContact3D_1c.dat", path, sizeof path)) SKIP("no reference problems");
  const double known[3] = {0.06569568289773778, -0.003678614906806729, -0.005443070813559244};
  carom_solve_options options = carom_solve_default();
  const char *const by[] = {"nsgs", "alart-curnier", "chain"};
  for (int k = 0; k < 3; k++) {
    best b = {0};
    options.solver = by[k];
    options.tolerance = 1e-13;
    CHECK_EQUAL(carom_solve_file(path, &options, keep_best, &b, NULL), CAROM_OK);
    CHECK_LE(apart(3, b.r, known), 1e-15 * 16);  // the residual 1e-13 of |q|, over a diagonal of 15, and rounding
  }
}

// --- random problems -------------------------------------------------------------------------------------------------

static void random_contacts(contact_problem *c, int count, int size, bool others) {
  for (int k = 0; k < count; k++) {
    if (others && pick(3) == 0) add_block(c, (solve_block){.kind = BLOCK_BILATERAL, .size = 1 + pick(3)});
    else if (others && pick(4) == 0) add_block(c, (solve_block){.kind = BLOCK_UNILATERAL, .size = 1});
    else add_block(c, contact_in(size, pick(5) == 0 ? 0 : uniform(0.05, 0.9)));
  }
}

// Each has a solution, so none may stay unsolved. Percussions and, with friction, velocities need not be unique: the
// judge decides, at a tolerance near what rounding allows to problems of this size.
static void check_family(int rounds, int size, bool others, double rank, double tolerance, chain_tally *tally) {
  solve_settings settings = to(tolerance);
  for (int round = 0; round < rounds; round++) {
    contact_problem *c = fresh();
    random_contacts(c, 1 + pick(12), size, others);
    fill_gram(c, 1 + (int)(rank * c->rows), 0);
    choose_solution(c, false);
    solve_info info = contact_solve(c, NULL, &settings, tally);
    if (!CHECK_EQUAL(info.status, SOLVE_SOLVED))
      printf("      round %d: %d rows, residual %.2e by %s\n", round, c->rows, info.residual, info.stage);
    solve_problem p = as_problem(c);
    double work[CONTACT_ROWS], u[CONTACT_ROWS];
    CHECK_LE(solve_residual_of(&p, c->r, u, work), tolerance);
    CHECK(apart(c->rows, u, c->u) == 0);
  }
}

static void plane_problems_are_solved(void) {
  chain_tally tally = {0};
  check_family(300, 2, false, 1.2, 1e-12, &tally);
  check_family(200, 2, true, 1.2, 1e-12, &tally);
  CHECK_EQUAL(tally.unsolved, 0);
  CHECK_EQUAL(tally.problems, 500);
}

static void redundant_plane_problems_are_solved(void) {
  chain_tally tally = {0};
  check_family(300, 2, false, 0.6, 1e-12, &tally);
  CHECK_EQUAL(tally.unsolved, 0);
}

static void space_problems_are_solved(void) {
  chain_tally tally = {0};
  check_family(300, 3, false, 1.2, 1e-11, &tally);
  check_family(200, 3, true, 1.2, 1e-11, &tally);
  CHECK_EQUAL(tally.unsolved, 0);
}

static void redundant_space_problems_are_solved(void) {
  chain_tally tally = {0};
  check_family(300, 3, false, 0.6, 1e-11, &tally);
  CHECK_EQUAL(tally.unsolved, 0);
}

// With little friction the solution is unique (the map is strictly monotone): everyone finds the one it was made
// from.
static void solvers_agree_where_there_is_one_solution(void) {
  int count;
  const solver *const *list = solver_list(&count);
  solve_settings settings = to(1e-12);
  for (int round = 0; round < 60; round++) {
    contact_problem *c = fresh();
    int size = 2 + round % 2, contacts = 1 + pick(5);
    for (int k = 0; k < contacts; k++) add_block(c, contact_in(size, uniform(0, 0.1)));
    fill_gram(c, 2 * c->rows, 1);
    choose_solution(c, false);
    solve_problem p = as_problem(c);
    for (int i = 0; i < count; i++) {
      if (!list[i]->suits(&p)) continue;
      CHECK_EQUAL(contact_solve(c, list[i], &settings, NULL).status, SOLVE_SOLVED);
      CHECK_LE(apart(c->rows, c->r, c->known_r), 1e-10);  // smallest eigenvalue 1, |r| of order 1, as in test_lcp
    }
  }
}

// --- problems of many kinds ------------------------------------------------------------------------------------------

typedef struct kind {
  const char *name;
  int size;  // rows of a contact
  double mu_least, mu_most;
  bool mixed;  // with bilateral and unilateral rows
  bool boxes;  // and with boxes
  bool degenerate;
  double rank;    // of W over its rows
  double ratio;   // blocks are scaled by 1/ratio … ratio, so W by the square of that either way
  double slow;    // velocities over percussions
  bool everyone;  // each solver that suits must solve it, not the chain alone
} kind;

// A fifth of the contacts is without friction. Everyone is asked where the map is monotone enough, small friction and
// few redundant rows, to be sure of a way; with W of half rank and slips that hardly show, sweeps creep and Newton's
// steps start on wrong edges.
static const kind kinds[] = {
    {"plane, mixed", 2, 0.05, 0.9, true, false, false, 1.2, 1, 1, true},
    {"plane, mixed with boxes", 2, 0.05, 0.9, true, true, false, 1.2, 1, 1, true},
    {"plane, degenerate", 2, 0.05, 0.9, true, false, true, 1.2, 1, 1, true},
    {"plane, redundant and degenerate", 2, 0.05, 0.9, true, false, true, 0.6, 1, 1, false},
    {"plane, mass ratios", 2, 0.05, 0.9, true, false, false, 1.2, 1e3, 1, true},
    {"plane, rough", 2, 1, 3, false, false, false, 1.2, 1, 1, false},
    {"plane, rough, redundant and slow", 2, 0.5, 2, false, false, false, 0.6, 1, 1e-7, false},
    {"space, mixed", 3, 0.05, 0.9, true, false, false, 1.2, 1, 1, true},
    {"space, mixed with boxes", 3, 0.05, 0.9, true, true, false, 1.2, 1, 1, true},
    {"space, degenerate", 3, 0.05, 0.9, true, false, true, 1.2, 1, 1, true},
    {"space, redundant and degenerate", 3, 0.05, 0.9, true, false, true, 0.6, 1, 1, false},
    {"space, mass ratios", 3, 0.05, 0.9, true, false, false, 1.2, 1e3, 1, true},
    {"space, rough", 3, 1, 3, false, false, false, 1.2, 1, 1, false},
    {"space, rough, redundant and slow", 3, 0.5, 2, false, false, false, 0.6, 1, 1e-7, false},
};

static void scale_blocks(contact_problem *c, double ratio) {
  for (int b = 0; b < c->block_count; b++) {
    double factor = exp(uniform(-log(ratio), log(ratio)));
    for (int i = c->start[b]; i < c->start[b + 1]; i++)
      for (int j = 0; j < c->rows; j++) c->W[i * c->rows + j] *= factor, c->W[j * c->rows + i] *= factor;
  }
}

static void make(contact_problem *c, const kind *k) {
  for (int i = 1 + pick(8); i > 0; i--) {
    if (k->mixed && pick(3) == 0) add_block(c, (solve_block){.kind = BLOCK_BILATERAL, .size = 1 + pick(3)});
    else if (k->mixed && pick(4) == 0) add_block(c, (solve_block){.kind = BLOCK_UNILATERAL, .size = 1});
    else if (k->boxes && pick(3) == 0)
      add_block(c, (solve_block){.kind = BLOCK_BOX, .size = 1, .lo = -uniform(0.1, 1), .hi = uniform(0.1, 1)});
    else add_block(c, contact_in(k->size, pick(5) == 0 ? 0 : uniform(k->mu_least, k->mu_most)));
  }
  fill_gram(c, 1 + (int)(k->rank * c->rows), 0);
  scale_blocks(c, k->ratio);
  choose_solution(c, k->degenerate);
  for (int i = 0; i < c->rows; i++) c->known_u[i] *= k->slow;
  solve_for_q(c);
}

static void many_kinds_are_solved(void) {
  enum { ROUNDS = 40 };
  int solver_count;
  const solver *const *list = solver_list(&solver_count);
  solve_settings settings = to(1e-10);  // as the schemes ask for
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    chain_tally tally = {0};
    for (int round = 0; round < ROUNDS; round++) {
      contact_problem *c = fresh();
      make(c, &kinds[i]);
      solve_problem p = as_problem(c);
      contact_solve(c, NULL, &settings, &tally);
      for (int k = 0; kinds[i].everyone && k < solver_count; k++) {
        if (!list[k]->suits(&p)) continue;
        if (!CHECK_EQUAL(contact_solve(c, list[k], &settings, NULL).status, SOLVE_SOLVED))
          printf("      %s by %s, round %d\n", kinds[i].name, list[k]->name, round);
      }
    }
    if (!CHECK_EQUAL(tally.unsolved, 0)) printf("      %s: residual %.2e\n", kinds[i].name, tally.worst_residual);
    CHECK_EQUAL(tally.problems, ROUNDS);
  }
}

static void check_inside(const solve_block *b, const double *r) {
  if (b->kind == BLOCK_BOX) CHECK(r[0] >= b->lo && r[0] <= b->hi);
  if (b->kind == BLOCK_BOX || b->kind == BLOCK_BILATERAL) return;
  CHECK(r[0] >= 0);
  if (b->kind != BLOCK_UNILATERAL)
    CHECK_LE(b->size == 2 ? fabs(r[1]) : hypot(r[1], r[2]), (1 + 2 * CONE_EDGE) * b->mu * r[0]);
}

// Whatever the tolerance, no contact pulls and no friction is beyond its limit; and what is judged is what is returned.
static void percussions_are_inside_their_sets(void) {
  static const double tolerances[] = {1e-2, 1e-4, 1e-8};
  int solver_count;
  const solver *const *list = solver_list(&solver_count);
  for (int i = 0; i < 3 * (int)(sizeof kinds / sizeof *kinds); i++) {
    solve_settings settings = to(tolerances[i % 3]);
    for (int round = 0; round < 20; round++) {
      contact_problem *c = fresh();
      make(c, &kinds[i / 3]);
      solve_problem p = as_problem(c);
      settings.polish = round % 2;
      for (int k = -1; k < solver_count; k++) {
        double work[CONTACT_ROWS], u[CONTACT_ROWS];
        if (k >= 0 && !list[k]->suits(&p)) continue;
        solve_info info = contact_solve(c, k < 0 ? NULL : list[k], &settings, NULL);
        for (int b = 0; b < c->block_count && isfinite(info.residual); b++)
          check_inside(&p.blocks[b], c->r + p.blocks[b].row);
        if (isfinite(info.residual))
          CHECK(solve_residual_of(&p, c->r, u, work) == info.residual && apart(c->rows, u, c->u) == 0);
        if (k < 0) CHECK_EQUAL(info.status, SOLVE_SOLVED);
      }
    }
  }
}

// --- storage ---------------------------------------------------------------------------------------------------------

enum { BODIES = 6, CONTACTS = 20 };

typedef struct stored {
  solve_problem dense, sparse, factored;
} stored;

// Contacts between free bodies of six freedoms and unit mass, in three ways of storing W.
static stored store(arena *memory) {
  int *first = ARENA_ARRAY(memory, int, CONTACTS + 1), *at = ARENA_ARRAY(memory, int, 2 * CONTACTS);
  int *width = ARENA_ARRAY(memory, int, 2 * CONTACTS);
  size_t *offset = ARENA_ARRAY(memory, size_t, 2 * CONTACTS);
  double *J = ARENA_ARRAY(memory, double, 36 * CONTACTS), *B = ARENA_ARRAY(memory, double, 36 * CONTACTS);
  double *rows = ARENA_ARRAY(memory, double, 3 * CONTACTS * 6 * BODIES), *mu = ARENA_ARRAY(memory, double, CONTACTS);
  double *q = ARENA_ARRAY(memory, double, 3 * CONTACTS), *W = ARENA_ARRAY(memory, double, 9 * CONTACTS * CONTACTS);
  for (int c = 0; c < CONTACTS; c++) {
    mu[c] = uniform(0.1, 0.7);
    for (int side = 0; side < 2; side++) {
      int k = 2 * c + side;
      at[k] = 6 * (side ? (c + 1 + c / BODIES) % BODIES : c % BODIES), width[k] = 6, offset[k] = 18 * (size_t)k;
      for (int e = 0; e < 18; e++) {
        J[18 * k + e] = uniform(-1, 1);
        B[18 * k + e] = 2 * J[18 * k + e];  // mass ½
        rows[(3 * c + e / 6) * 6 * BODIES + at[k] + e % 6] += J[18 * k + e];
      }
    }
    first[c + 1] = 2 * c + 2;
  }
  int n = 3 * CONTACTS;
  matrix_entry *entries = ARENA_ARRAY(memory, matrix_entry, (n * n));
  for (int i = 0; i < n; i++) {
    q[i] = uniform(-1, 0.5);
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < 6 * BODIES; k++) sum += 2 * rows[i * 6 * BODIES + k] * rows[j * 6 * BODIES + k];
      W[i * n + j] = sum;
      entries[i * n + j] = (matrix_entry){i, j, sum};
    }
  }
  const solve_block *blocks = problem_build_blocks(memory, BLOCK_SPACE, 3, CONTACTS, mu);
  const int *start = problem_build_start(memory, blocks, CONTACTS);
  matrix_pieces of_J = {first, at, width, offset, J}, of_B = {first, at, width, offset, B};
  return (stored){{CONTACTS, blocks, matrix_dense(n, CONTACTS, start, W), q},
                  {CONTACTS, blocks, problem_build_sparse(memory, n, CONTACTS, start, entries, (size_t)(n * n)), q},
                  {CONTACTS, blocks, matrix_factored(n, CONTACTS, start, 6 * BODIES, of_J, of_B), q}};
}

// Entries of W are sums of up to 12 products of size 2: rounding stays below 1e-14; those of W x, x of size 1, below
// 1e-13.
static void storages_agree(void) {
  jmp_buf out_of_memory;
  if (setjmp(out_of_memory)) exit(2);
  arena memory = arena_create(&out_of_memory);
  stored s = store(&memory);
  const solve_matrix *ways[] = {&s.dense.W, &s.sparse.W, &s.factored.W};
  enum { N = 3 * CONTACTS };
  static double A[N * N], x[N], y[N], expected[N], absolute[N], v[6 * BODIES], D[9], row[3];
  for (int i = 0; i < N; i++) x[i] = uniform(-1, 1);
  ways[0]->ops->apply(ways[0], x, expected, v);
  ways[0]->ops->apply_absolute(ways[0], x, absolute, v);
  for (int k = 0; k < 3; k++) {
    const solve_matrix *m = ways[k];
    m->ops->dense(m, A);
    CHECK_LE(apart(N * N, A, s.dense.W.values), 1e-14 * 4);
    m->ops->apply(m, x, y, v);
    CHECK_LE(apart(N, y, expected), 1e-13);
    m->ops->apply_absolute(m, x, y, v);
    for (int i = 0; i < N; i++) CHECK_LE(absolute[i], y[i] + 1e-13);
    m->ops->start(m, x, v);
    for (int b = 0; b < CONTACTS; b++) {
      m->ops->row(m, b, x, v, row);
      CHECK_LE(apart(3, row, expected + 3 * b), 1e-13);
      m->ops->block(m, b, (b + 3) % CONTACTS, D);
      for (int i = 0; i < 9; i++)
        CHECK_NEAR(D[i], s.dense.W.values[(3 * b + i / 3) * N + 3 * ((b + 3) % CONTACTS) + i % 3], 1e-14 * 4);
    }
    // after a change of one block the velocities are those of a fresh start
    double change[3] = {0.1, -0.2, 0.3}, moved[N], fresh_v[6 * BODIES] = {0};
    memcpy(moved, x, sizeof moved);
    for (int i = 0; i < 3; i++) moved[12 + i] += change[i];
    m->ops->moved(m, 4, change, v);
    m->ops->start(m, moved, fresh_v);
    if (k == 2) CHECK_LE(apart(6 * BODIES, v, fresh_v), 1e-13);
  }
  arena_free(&memory);
}

static void storages_give_the_same_solution(void) {
  jmp_buf out_of_memory;
  if (setjmp(out_of_memory)) exit(2);
  arena memory = arena_create(&out_of_memory);
  stored s = store(&memory);
  const solve_problem *ways[] = {&s.dense, &s.sparse, &s.factored};
  enum { N = 3 * CONTACTS };
  double r[3][N], u[3][N];
  solve_settings settings = to(1e-11);
  for (int k = 0; k < 3; k++) {
    solve_workspace *w = workspace_for(ways[k]);
    solve_solution solution = {r[k], u[k]};
    CHECK_EQUAL(solver_run(&solver_nsgs, ways[k], &settings, w, &solution).status, SOLVE_SOLVED);
    CHECK_EQUAL(solve_chain(ways[k], &settings, w, &solution, NULL).status, SOLVE_SOLVED);
    solve_workspace_destroy(w);
  }
  // the same path up to rounding: velocities agree to the tolerance times the condition of what carries load
  CHECK_LE(apart(N, u[1], u[0]), 1e-8);
  CHECK_LE(apart(N, u[2], u[0]), 1e-8);
  arena_free(&memory);
}

// --- rest ------------------------------------------------------------------------------------------------------------

// A box (unit mass, half sizes 1 and ½, inertia 5/12) on an incline of 20 degrees, μ = 0.5 > tan 20°, two corners
// down: four rows on three freedoms. It rests, so after the solve the velocities of both corners are zero to rounding
// of q; an iteration stopped at its tolerance would leave creep.
static void box_on_an_incline_does_not_creep(void) {
  const double angle = 20 * M_PI / 180, dt = 1e-3, g = 9.81, inertia = 5.0 / 12;
  double v[3] = {dt * g * sin(angle), -dt * g * cos(angle), 0};  // along, normal, turn: free motion of a step from rest
  contact_problem *c = fresh();
  double J[4][3];
  for (int k = 0; k < 2; k++) {
    double x = k ? 1 : -1, y = -0.5;
    add_block(c, contact_in(2, 0.5));
    J[2 * k][0] = 0, J[2 * k][1] = 1, J[2 * k][2] = x;
    J[2 * k + 1][0] = 1, J[2 * k + 1][1] = 0, J[2 * k + 1][2] = -y;
  }
  for (int i = 0; i < 4; i++) {
    c->q[i] = J[i][0] * v[0] + J[i][1] * v[1] + J[i][2] * v[2];
    for (int j = 0; j < 4; j++) c->W[4 * i + j] = J[i][0] * J[j][0] + J[i][1] * J[j][1] + J[i][2] * J[j][2] / inertia;
  }
  const solver *const by[] = {&solver_lemke, &solver_enumerate, &solver_pgs, &solver_nsgs, &solver_alart_curnier, NULL};
  solve_settings settings = to(1e-8);
  for (int k = 0; k < 6; k++) {
    CHECK_EQUAL(contact_solve(c, by[k], &settings, NULL).status, SOLVE_SOLVED);
    for (int i = 0; i < 4; i++) CHECK_NEAR(c->u[i], 0, 1e-15 * 10);  // |q| is 1e-2, some dozen roundings
    CHECK_NEAR(c->r[0] + c->r[2], dt * g * cos(angle), 1e-13);
    CHECK_NEAR(c->r[1] + c->r[3], -dt * g * sin(angle), 1e-13);
  }
}

// Without friction enough it slips, both corners at the angle of friction.
static void too_steep_an_incline_slips(void) {
  contact_problem *c = fresh();
  add_block(c, contact_in(3, 0.3));
  double q[3] = {-1, 0.4, -0.3};  // pressed by 1, pushed by 0.5: slips with 0.5 − 0.3
  for (int i = 0; i < 3; i++) c->W[4 * i] = 1, c->q[i] = q[i];
  solve_settings settings = to(1e-12);
  CHECK_EQUAL(contact_solve(c, NULL, &settings, NULL).status, SOLVE_SOLVED);
  CHECK_NEAR(c->r[0], 1, 1e-14);
  CHECK_NEAR(hypot(c->r[1], c->r[2]), 0.3, 1e-14);
  CHECK_NEAR(c->u[1], 0.2 * 0.8, 1e-14);
  CHECK_NEAR(c->u[2], -0.2 * 0.6, 1e-14);
}

// Painlevé's rod in its paradox: W_NN − μ W_NT < 0, so that pressing while slipping forward pulls it into the ground.
// By hand: parting by itself (q_N > 0) it may also slip on or jam, three solutions; pressed, only jamming is left.
static void painleve_is_diagnosed(void) {
  contact_problem *c = fresh();
  add_block(c, contact_in(2, 2));
  double W[4] = {1, 0.8, 0.8, 1.5};
  memcpy(c->W, W, sizeof W);
  solve_settings settings = to(1e-12);
  settings.count_solutions = true;
  c->q[0] = 0.5, c->q[1] = 3;
  CHECK_EQUAL(contact_solve(c, &solver_enumerate, &settings, NULL).solutions, 3);
  c->q[0] = -0.5;
  CHECK_EQUAL(contact_solve(c, &solver_enumerate, &settings, NULL).solutions, 1);
  CHECK_NEAR(c->r[0], (0.5 * 1.5 + 0.8 * 3) / 0.86, 1e-13);  // −W⁻¹ q, det W = 0.86
  CHECK_EQUAL(contact_solve(c, NULL, &settings, NULL).status, SOLVE_SOLVED);
}

// Sweeps that add the same in every look may go on to the edge of the first cone, and nowhere if they change.
static void drift_goes_to_the_first_edge(void) {
  const solve_block blocks[] = {{.kind = BLOCK_PLANE, .row = 0, .size = 2, .mu = 0.5},
                                {.kind = BLOCK_SPACE, .row = 2, .size = 3, .mu = 0.5},
                                {.kind = BLOCK_UNILATERAL, .row = 5, .size = 1},
                                {.kind = BLOCK_BOX, .row = 6, .size = 1, .lo = -1, .hi = 2},
                                {.kind = BLOCK_SPACE, .row = 7, .size = 3, .mu = 0.5}};
  const solve_problem p = {.block_count = 5, .blocks = blocks, .W = {.rows = 10}};
  static const double from[10] = {1, 0, 2, 0, 0, 1, 0, 1, 0.3, 0.4};  // the last one slips and is not in the way
  static const struct {
    double change[10], reach;
  } ways[] = {{{0, 1e-4, 0, 0, 0, 0, 0}, 5000 - 2},      // |r_T| = 0.5
              {{1e-4, 1e-4, 0, 0, 0, 0, 0}, 10000 - 2},  // 1e-4 t = 0.5 (1 + 1e-4 t)
              {{0, 0, 0, 3e-4, 4e-4, 0, 0}, 2000 - 2},   // 5e-4 t = 1
              {{0, 0, -1e-3, 0, 0, 0, 0}, 2000 - 2},     // r_N = 0
              {{0, 0, 0, 0, 0, -1e-3, 0}, 1000 - 2},    {{0, 0, 0, 0, 0, 0, 1e-3}, 2000 - 2},
              {{0, 0, 0, 0, 0, 0, -1e-3}, 1000 - 2},    {{0, 0, 0, 0, 0, 0, 0, 1e-3}, INFINITY},
              {{0, 0, 0, 0, 0, 1e-2, -1e-2}, 0}};  // too near to be worth a jump
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    double at[10], change[10], r[10], t = 0;
    drift d = {at, change, 0};
    for (int look = 0; look < 3; look++) {
      for (int i = 0; i < 10; i++) r[i] = from[i] + look * ways[k].change[i];
      t = drift_look(&d, &p, r, 300);
      if (look < 2) CHECK_EQUAL(t == 0, true);
    }
    if (isinf(ways[k].reach)) CHECK(t > 1e8);  // as far as rounding tells
    else CHECK_NEAR(t, ways[k].reach, 1e-6);
  }
  double at[10], change[10], r[10];
  drift d = {at, change, 0};
  for (int look = 0; look < 20; look++) {
    for (int i = 0; i < 10; i++) r[i] = from[i] + (i == 1 ? 0.4 * pow(0.9, look) : 0);
    CHECK(drift_look(&d, &p, r, 300) == 0);
  }
}

int main(void) {
  RUN(projection_is_nearest);
  RUN(natural_map_is_its_definition);
  RUN(huge_percussions_solve_nothing);
  RUN(judge_knows_coulomb);
  RUN(residual_does_not_depend_on_units);
  RUN(solvers_do_not_depend_on_units);
  RUN(large_percussions_do_not_hide_wrong_velocities);
  RUN(references_are_solved);
  RUN(single_contact_has_its_percussion);
  RUN(plane_problems_are_solved);
  RUN(redundant_plane_problems_are_solved);
  RUN(space_problems_are_solved);
  RUN(redundant_space_problems_are_solved);
  RUN(solvers_agree_where_there_is_one_solution);
  RUN(many_kinds_are_solved);
  RUN(percussions_are_inside_their_sets);
  RUN(drift_goes_to_the_first_edge);
  RUN(storages_agree);
  RUN(storages_give_the_same_solution);
  RUN(box_on_an_incline_does_not_creep);
  RUN(too_steep_an_incline_slips);
  RUN(painleve_is_diagnosed);
  return check_summary();
}
