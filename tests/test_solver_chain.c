// The chain of solvers on hyperstatic problems of a hundred and more contacts: it solves what any of its solvers solves
// alone, and hardly slower than the quickest of them. What they cost is counted by the model of solve/work.h, which
// does not depend on the machine or its load; where a test compares times, they are of the processor, the best of
// several runs in one process.
#include <limits.h>

#include "check.h"

#include "../bench/solver_race.h"
#include "solve/cone_alart_curnier.h"
#include "solve/cone_interior.h"
#include "solve/cone_lanes.h"
#include "solve/driver.h"
#include "solve_file.h"

typedef struct bed {
  arena memory;
  jmp_buf out_of_memory;
  scene_data scene;
  solve_problem p;
  race_bed race;
} bed;

static void lay(bed *b, scene_data scene) {
  b->scene = scene;
  if (setjmp(b->out_of_memory)) exit(2);
  b->memory = arena_create(&b->out_of_memory);
  b->p = scene_problem(&b->memory, &b->scene);
  race_begin(&b->race, &b->p);
}

static void clear(bed *b) {
  race_end(&b->race);
  arena_free(&b->memory);
  scene_free(&b->scene);
}

// --- beside its solvers alone ----------------------------------------------------------------------------------------

// Work of the chain over that of the best solver alone, to each tolerance.
static void check_race(const char *name, const solve_problem *p) {
  static const double tolerances[] = {1e-5, 1e-8, 1e-10};
  for (int i = 0; i < 3; i++) {
    race_result x = race_problem(
        p, &(race_terms){.tolerance = tolerances[i], .slower = 5, .patience = 5, .most = INFINITY, .runs = 1});
    if (!(CHECK_EQUAL(x.of_chain.status, SOLVE_SOLVED) & CHECK(x.work_ratio > 0) & CHECK_LE(x.work_ratio, 1.5)))
      printf("      %s, %d contacts, to %.0e\n", name, p->block_count, tolerances[i]);
  }
}

static void check_scene(const char *name, scene_data scene) {
  bed b;
  lay(&b, scene);
  check_race(name, &b.p);
  clear(&b);
}

// The same scene in pieces.
static void check_pieces(const char *name, scene_data scene) {
  bed b;
  lay(&b, scene);
  solve_problem p = b.p;
  p.W = scene_factored(&b.memory, &b.scene, problem_build_start(&b.memory, p.blocks, p.block_count));
  check_race(name, &p);
  clear(&b);
}

static scene_data varied(scene_data scene, int seed, double masses, double friction, double noise) {
  scene_vary(&scene, seed, masses, friction, noise);
  return scene;
}

static void chain_is_as_good_as_its_best_solver(void) {
  check_scene("bricks, slipping", scene_bricks(5, 0.3, 1e-2));
  check_scene("bricks, at rest", scene_bricks(6, 0.8, 1e-3));
  check_scene("balls, slipping", scene_balls(5, 0.3, 1e-2));
  check_scene("balls, at rest", scene_balls(5, 0.8, 1e-3));
  check_scene("random, few bodies", scene_random(100, 20));
  check_scene("random", scene_random(200, 80));
  check_scene("bricks of other masses", varied(scene_bricks(7, 0.6, 1e-3), 2, 10, 1.3, 1e-3));
}

static void chain_is_as_good_in_pieces(void) {
  check_pieces("bricks, slipping", scene_bricks(6, 0.3, 1e-2));
  check_pieces("bricks, at rest", scene_bricks(8, 0.8, 1e-3));
  check_pieces("balls, slipping", scene_balls(5, 0.3, 1e-2));
  check_pieces("bricks of other masses", varied(scene_bricks(7, 0.6, 1e-3), 2, 10, 1.3, 1e-3));
}

// Steps of interior points from r, or from the middle of all cones where it is null; none: not solved.
static int interior_steps(race_bed *race, const double *r, double tolerance) {
  const solve_problem *p = race->p;
  solve_workspace *w = race->w;
  solve_limits limits = solve_limits_exact(p);
  solve_settings settings = solve_settings_default();
  solve_info info = {0};
  settings.tolerance = tolerance, settings.iterations = 300;
  race->until = INFINITY;
  driver_begin(w, p, &limits);
  interior_path *path = interior_path_take(w, &limits);
  if (!interior_path_begin(path, p, w, r)) return 0;
  return interior_path_go_on(path, p, &settings, w, race->to.r, &info) == SOLVE_SOLVED ? info.iterations : 0;
}

// From where the sweeps are interior points take fewer steps than from the middle of all cones. Where these stick is a
// matter of rounding: eight variations are taken together, of which one in each way may stick.
static void interior_points_start_from_the_sweeps(void) {
  enum { VARIATIONS = 8, SWEEPS = 100 };
  int from_sweeps = 0, from_middle = 0, both = 0;
  for (int k = 0; k < VARIATIONS; k++) {
    bed b;
    race_bed race;
    lay(&b, varied(scene_bricks(6, 0.8, 1e-3), k + 1, 1, 1, 1e-3));
    solve_problem p = b.p;
    p.W = scene_factored(&b.memory, &b.scene, problem_build_start(&b.memory, p.blocks, p.block_count));
    race_begin(&race, &p);
    solve_settings sweeps = solve_settings_default();
    sweeps.tolerance = 1e-8, sweeps.iterations = SWEEPS, sweeps.polish = false;
    race.until = INFINITY;
    CHECK_LE(1e-8, solver_run(&solver_nsgs, &p, &sweeps, race.w, &race.to).residual);
    double *swept = memcpy(malloc((size_t)p.W.rows * sizeof(double)), race.to.r, (size_t)p.W.rows * sizeof(double));
    int some = interior_steps(&race, swept, 1e-8), more = interior_steps(&race, NULL, 1e-8);
    if (some && more) from_sweeps += some, from_middle += more, both++;
    printf("    %d steps from the sweeps, %d from the middle\n", some, more);
    free(swept);
    race_end(&race);
    clear(&b);
  }
  CHECK_LE(VARIATIONS - 2, both);
  CHECK_LE(from_sweeps, 0.8 * from_middle);
}

// Where interior points stick from the sweeps and from the middle, they find a solution from where the sweeps are
// later, or another solver does.
static void starts_of_interior_points_may_fail(void) {
  for (int k = 0; k < 8; k++) {
    bed b;
    race_bed race;
    solve_info info;
    lay(&b, varied(scene_random(100, 20), k + 1, 1, 1, 1e-3));
    solve_problem p = b.p;
    p.W = scene_factored(&b.memory, &b.scene, problem_build_start(&b.memory, p.blocks, p.block_count));
    race_begin(&race, &p);
    race_run(&race, NULL, 1e-8, 0, INFINITY, &info);
    CHECK_EQUAL(info.status, SOLVE_SOLVED);
    race_end(&race);
    clear(&b);
  }
}

// The work of a run is counted, is the same in each run, and is the sum of what the log says.
static void work_is_counted(void) {
  bed b;
  lay(&b, scene_balls(5, 0.8, 1e-3));
  chain_log log;
  solve_info info;
  race_cost first = race_run_logged(&b.race, NULL, 1e-8, 0, INFINITY, &info, &log);
  race_cost second = race_run_logged(&b.race, NULL, 1e-8, 0, INFINITY, &info, &log);
  double sum = 0;
  CHECK_LE(log.count, CHAIN_LOG_MAX);
  for (int i = 0; i < log.count && i < CHAIN_LOG_MAX; i++) sum += log.entry[i].work;
  CHECK(first.work > 0 && first.work == second.work);
  CHECK_NEAR(sum, first.work, 1e-9 * first.work);
  race_cost sweeps = race_run_logged(&b.race, &solver_nsgs, 1e-30, 100, INFINITY, &info, NULL);
  race_cost more = race_run_logged(&b.race, &solver_nsgs, 1e-30, 2000, INFINITY, &info, NULL);
  CHECK_LE(2 * sweeps.work, more.work);
  clear(&b);
}

// --- a limit of iterations -------------------------------------------------------------------------------------------

static long tried_in(const chain_tally *t, const char *name) {
  for (int i = 0; i < t->stage_count; i++)
    if (strcmp(t->stage[i].name, name) == 0) return t->stage[i].tried;
  return 0;
}

static solve_info limited_run(race_bed *b, double tolerance, int iterations, chain_tally *tally) {
  solve_settings settings = solve_settings_default();
  settings.tolerance = tolerance, settings.iterations = iterations;
  b->stop.raised = false, b->until = INFINITY;
  *tally = (chain_tally){0};
  return solve_chain(b->p, &settings, b->w, &b->to, tally);
}

// Processor time with the limit over that without it, the least of up to twenty.
static double time_ratio(race_bed *b, double tolerance, int limit) {
  double without = INFINITY, with = INFINITY;
  solve_info info;
  for (int k = 0; k == 0 || (k < 20 && with > 1.2 * without); k++) {
    without = fmin(without, race_run(b, NULL, tolerance, 0, INFINITY, &info));
    with = fmin(with, race_run(b, NULL, tolerance, limit, INFINITY, &info));
  }
  return with / without;
}

// With a limit the chain tries nothing that it does not try without one, does no more iterations, is done no later, and
// says which solver the limit has ended.
static void check_limits(const char *name, race_bed *b, double tolerance) {
  static const int limits[] = {1, 10, 60, 100, 300, 1000, 3000, 1000000};
  chain_tally free, limited;
  solve_info without = limited_run(b, tolerance, 0, &free);
  for (int k = 0; k < 8; k++) {
    solve_info with = limited_run(b, tolerance, limits[k], &limited);
    bool fine = CHECK_LE(with.iterations, without.iterations) & CHECK_LE(time_ratio(b, tolerance, limits[k]), 1.2);
    for (int i = 0; i < limited.stage_count; i++)
      fine &= CHECK_LE(limited.stage[i].tried, tried_in(&free, limited.stage[i].name));
    if (with.status == SOLVE_SOLVED) fine &= CHECK(!with.cut);
    else fine &= CHECK_EQUAL(with.status, SOLVE_LIMIT) && CHECK(with.cut && tried_in(&limited, with.cut) == 1);
    if (limits[k] >= 100 && limits[k] <= 1000) {  // what sweeps alone solve, the chain solves
      solve_info sweeps;
      race_run(b, &solver_nsgs, tolerance, limits[k], INFINITY, &sweeps);
      if (sweeps.status == SOLVE_SOLVED) fine &= CHECK_EQUAL(with.status, SOLVE_SOLVED);
    }
    if (limits[k] == 1000000)
      fine &= CHECK_EQUAL(with.status, without.status) & CHECK_EQUAL(with.iterations, without.iterations);
    if (!fine) printf("      %s, to %.0e, at most %d iterations\n", name, tolerance, limits[k]);
  }
}

static void limit_of_iterations_slows_nothing(void) {
  static const struct {
    const char *name;
    int base;
    double mu, noise, tolerance;
  } scenes[] = {{"bricks, slipping", 5, 0.3, 1e-2, 1e-8},
                {"bricks, at rest", 4, 0.8, 1e-3, 1e-10},
                {"balls, at rest", -4, 0.8, 1e-3, 1e-8}};
  bed b;
  for (int i = 0; i < 3; i++) {
    int base = scenes[i].base;
    lay(&b, base > 0 ? scene_bricks(base, scenes[i].mu, scenes[i].noise)
                     : scene_balls(-base, scenes[i].mu, scenes[i].noise));
    check_limits(scenes[i].name, &b.race, scenes[i].tolerance);
    clear(&b);
  }
}

// From percussions that are far too large the sweeps fail. Without a limit the chain starts again from zero; a limit
// ends it, and nothing is swept a second time. Some sweeps later interior points solve the problem.
static void limit_is_swept_once_from_a_bad_start(void) {
  static const int limits[] = {10, 40, 60};
  bed b;
  lay(&b, scene_random(100, 20));
  for (int k = 0; k < 3; k++) {
    chain_tally tally = {0};
    solve_settings settings = solve_settings_default();
    settings.iterations = limits[k], settings.warm_start = true, settings.tolerance = 1e-5;
    for (int i = 0; i < b.p.W.rows; i++) b.race.to.r[i] = i % 3 ? 0 : 1e6;
    b.race.until = INFINITY;
    solve_info info = solve_chain(&b.p, &settings, b.race.w, &b.race.to, &tally);
    CHECK_EQUAL(info.status, SOLVE_LIMIT);
    CHECK_EQUAL(tally.stage_count, 1);
    CHECK_EQUAL(info.iterations, limits[k]);
  }
  clear(&b);
}

static void limit_slows_nothing_on_references(void) {
  static const char *const names[] = {"Capsules-i100-1090.dat", "Box_Stacks-i0122-82-5.hdf5",
                                      "OneObject-i100000-499.hdf5.dat", "FrictionContactProblem00031.dat"};
  for (int i = 0; i < 4; i++) {
    char relative[128], path[1024];
    snprintf(relative, sizeof relative, "refs/friction/%s", names[i]);
    if (!check_shared(relative, path, sizeof path)) SKIP("no reference problems");
    jmp_buf out_of_memory;
    if (setjmp(out_of_memory)) exit(2);
    arena memory = arena_create(&out_of_memory);
    carom_error error = {0};
    const solve_problem *p = solve_file_read(&memory, path, &error);
    if (CHECK(p)) {
      race_bed b;
      race_begin(&b, p);
      check_limits(names[i], &b, 1e-8);
      race_end(&b);
    }
    arena_free(&memory);
  }
}

// --- sweeps ----------------------------------------------------------------------------------------------------------

// 900 contacts, for which there are only sweeps: the chain ends where they end alone, and a longer limit is a better
// end.
static void sweeps_are_not_lost(void) {
  bed b;
  lay(&b, scene_bricks(15, 0.3, 1e-2));
  solve_settings settings = solve_settings_default();
  settings.iterations = 300;
  b.race.until = INFINITY;
  double alone = solver_run(&solver_nsgs, &b.p, &settings, b.race.w, &b.race.to).residual;
  double chain = solve_chain(&b.p, &settings, b.race.w, &b.race.to, NULL).residual;
  CHECK(chain == alone);  // the same sweeps
  settings.iterations = 3000;
  CHECK_LE(solve_chain(&b.p, &settings, b.race.w, &b.race.to, NULL).residual, 0.1 * chain);
  clear(&b);
}

// Sweeps that creep but come to an end go on beyond the number after which they are given up elsewhere.
static void sweeps_have_no_fixed_end(void) {
  bed b;
  lay(&b, scene_bricks(15, 0.3, 1e-2));
  solve_info info;
  race_run(&b.race, NULL, 1e-10, 0, INFINITY, &info);
  CHECK_EQUAL(info.status, SOLVE_SOLVED);
  CHECK_LE(solver_nsgs.limit(&b.p), info.iterations);
  clear(&b);
}

// --- contradictions --------------------------------------------------------------------------------------------------

// In a pile, contacts that all stick may leave a velocity that no percussion removes: one of them has to slip, and
// sweeps creep for ever to where it does. Newton from there goes from one change of state to the next.
static void newton_leaves_a_contradiction(void) {
  bed b;
  lay(&b, scene_balls(5, 0.6, 1e-3));
  solve_settings settings = solve_settings_default();
  settings.tolerance = 1e-10, settings.iterations = 3000, settings.polish = false;
  b.race.until = INFINITY;
  solve_info info = solver_run(&solver_nsgs, &b.p, &settings, b.race.w, &b.race.to);
  CHECK_LE(1e-4, info.residual);  // the sweeps have not come far
  settings.iterations = 100, settings.warm_start = true;
  info = solver_run(&solver_alart_curnier, &b.p, &settings, b.race.w, &b.race.to);
  CHECK_EQUAL(info.status, SOLVE_SOLVED);
  clear(&b);
}

// The chain asks Newton as soon as the sweeps stand still. Iterations are counted, so that the machine does not matter.
static void chain_sees_that_sweeps_stand_still(void) {
  bed b;
  lay(&b, varied(scene_balls(5, 0.4, 1e-3), 14, 1, 1, 1e-3));
  solve_info info;
  race_run(&b.race, NULL, 1e-8, 0, INFINITY, &info);
  CHECK_EQUAL(info.status, SOLVE_SOLVED);
  CHECK_LE(info.iterations, 15000);
  clear(&b);
}

// The slip is part of Newton's equations: no more steps than without it.
static void slips_follow_in_interior_points(void) {
  static const double mu[] = {0.2, 0.3, 0.5};
  for (int k = 0; k < 3; k++) {
    bed b;
    lay(&b, varied(scene_balls(5, mu[k], 1e-2), 20 + k, 3, 1.2, 3e-3));
    solve_info info;
    race_run(&b.race, solver_find("interior"), 1e-8, 0, INFINITY, &info);
    CHECK_EQUAL(info.status, SOLVE_SOLVED);
    CHECK_LE(info.iterations, 45);
    clear(&b);
  }
}

// A step that sticks to an edge far from a solution: with held slips a few more steps are enough.
static void interior_points_hold_slips_where_they_stick(void) {
  bed b;
  lay(&b, scene_random(300, 60));
  solve_info info;
  race_run(&b.race, solver_find("interior"), 1e-8, 0, INFINITY, &info);
  CHECK_EQUAL(info.status, SOLVE_SOLVED);
  CHECK_LE(info.iterations, 60);
  clear(&b);
}

// Newton's steps go on until percussions within their cones meet the tolerance.
static void newton_ends_within_the_cones(void) {
  for (int seed = 23; seed <= 24; seed++) {
    bed b;
    lay(&b, varied(scene_bricks(4, 0.3, 1e-2), seed, 10, 1.5, 1e-2));
    solve_settings settings = solve_settings_default();
    settings.tolerance = 1e-5, settings.polish = false;
    b.race.until = INFINITY;
    solve_info info = solver_run(&solver_alart_curnier, &b.p, &settings, b.race.w, &b.race.to);
    CHECK_EQUAL(info.status, SOLVE_SOLVED);
    clear(&b);
  }
}

// A path that is left every five steps and gone on with is the same as one run, and has one limit of all steps.
static void newton_goes_on_where_it_was_left(void) {
  bed b;
  lay(&b, scene_balls(5, 0.6, 1e-3));
  solve_workspace *w = b.race.w;
  solve_limits limits = solve_limits_exact(&b.p);
  solve_settings settings = solve_settings_default();
  settings.tolerance = 1e-10, settings.iterations = 5, settings.polish = false;
  size_t bytes = (size_t)b.p.W.rows * sizeof(double);
  double *r = calloc(1, bytes);
  b.race.until = INFINITY;
  driver_begin(w, &b.p, &limits);
  newton_path *path = newton_path_take(w, &limits);
  solve_status status = SOLVE_LIMIT;
  size_t mark = w->used;
  newton_path_begin(path, &b.p, 12, INT_MAX, r);
  for (int k = 0; k < 4; k++, w->used = mark)
    CHECK_EQUAL(newton_path_go_on(path, &b.p, &settings, w, r, &(solve_info){0}), SOLVE_LIMIT);
  CHECK_EQUAL(newton_path_steps(path), 12);
  memset(r, 0, bytes);
  newton_path_begin(path, &b.p, 500, INT_MAX, r);
  for (int k = 0; k < 100 && status == SOLVE_LIMIT; k++, w->used = mark)
    status = newton_path_go_on(path, &b.p, &settings, w, r, &(solve_info){0});
  int steps = newton_path_steps(path);
  settings.iterations = 500;
  solve_info info = solver_run(&solver_alart_curnier, &b.p, &settings, w, &b.race.to);
  CHECK_EQUAL(status, info.status);
  CHECK_EQUAL(info.iterations, steps);
  CHECK(memcmp(r, b.race.to.r, bytes) == 0);
  free(r);
  clear(&b);
}

// Interior points in slices of three steps are the same as in one run, whatever else is solved in between, and say when
// they have ended.
static void interior_points_go_on_where_they_were_left(void) {
  bed b;
  lay(&b, scene_random(100, 20));
  solve_problem p = b.p;
  p.W = scene_factored(&b.memory, &b.scene, problem_build_start(&b.memory, p.blocks, p.block_count));
  race_bed race;
  race_begin(&race, &p);
  solve_workspace *w = race.w;
  solve_limits limits = solve_limits_exact(&p);
  solve_settings settings = solve_settings_default();
  settings.tolerance = 1e-8;
  size_t bytes = (size_t)p.W.rows * sizeof(double);
  double *r = calloc(1, bytes), *in_slices = calloc(1, bytes), *other = calloc(1, bytes);
  race.until = INFINITY;
  int steps = 0, slices = 0;
  driver_begin(w, &p, &limits);
  interior_path *path = interior_path_take(w, &limits);
  size_t mark = w->used;
  settings.iterations = 3;
  solve_status status = SOLVE_LIMIT;
  CHECK(interior_path_begin(path, &p, w, NULL));
  for (; slices < 1000 && status == SOLVE_LIMIT; slices++, w->used = mark) {
    solve_info info = {0};
    status = interior_path_go_on(path, &p, &settings, w, in_slices, &info);
    steps += info.iterations;
    if (status == SOLVE_LIMIT) CHECK_EQUAL(info.iterations, 3);
    w->used = mark;
    alart_curnier_walk(&p, &(solve_settings){.iterations = 2, .tolerance = 1e-8}, w, other, &info);
  }
  solve_info info = {0};
  settings.iterations = 3000;
  CHECK(interior_path_begin(path, &p, w, NULL));
  solve_status at_once = interior_path_go_on(path, &p, &settings, w, r, &info);
  CHECK_EQUAL(status, at_once);
  CHECK_EQUAL(info.iterations, steps);
  CHECK(slices > 5);
  CHECK(memcmp(r, in_slices, bytes) == 0);
  free(r), free(in_slices), free(other);
  race_end(&race);
  clear(&b);
}

// A contact that slips and is hardly pressed: the steps to its solution are too small for numbers, and the last of them
// is infinite. Sweeps over piles come across such contacts.
static void lanes_stay_finite(void) {
  cone_lanes c = {.D = {{13.5}, {0}, {0}, {26.6}, {8.4}, {31}}, .mu = {0.5}};
  cone_lanes_prepare(&c);
  const lanes q[3] = {{-3.2e-84}, {1.3e-3}, {-7.6e-4}};
  c.alpha[0] = 4.5e7;
  for (int sweep = 0; sweep < 5; sweep++) {
    lanes r[3];
    cone_lanes_solve(&c, q, r);
    CHECK_LE(hypot(r[1][0], r[2][0]), 1e-80);
    CHECK(isfinite(r[0][0]) && isfinite(c.alpha[0]));
  }
}

// 497 contacts at rest: interior points solve the problem at once, whatever slip sweeps show that have not converged.
static void interior_points_are_asked_again(void) {
  bed b;
  lay(&b, varied(scene_balls(7, 0.8, 1e-3), 10, 1, 1, 0));
  solve_info info;
  race_run(&b.race, NULL, 1e-8, 0, INFINITY, &info);
  CHECK_EQUAL(info.status, SOLVE_SOLVED);
  CHECK_LE(info.iterations, 20000);
  clear(&b);
}

int main(void) {
  RUN(chain_is_as_good_as_its_best_solver);
  RUN(chain_is_as_good_in_pieces);
  RUN(interior_points_start_from_the_sweeps);
  RUN(starts_of_interior_points_may_fail);
  RUN(work_is_counted);
  RUN(limit_of_iterations_slows_nothing);
  RUN(limit_is_swept_once_from_a_bad_start);
  RUN(limit_slows_nothing_on_references);
  RUN(sweeps_are_not_lost);
  RUN(sweeps_have_no_fixed_end);
  RUN(newton_leaves_a_contradiction);
  RUN(chain_sees_that_sweeps_stand_still);
  RUN(slips_follow_in_interior_points);
  RUN(interior_points_hold_slips_where_they_stick);
  RUN(newton_ends_within_the_cones);
  RUN(newton_goes_on_where_it_was_left);
  RUN(interior_points_go_on_where_they_were_left);
  RUN(lanes_stay_finite);
  RUN(interior_points_are_asked_again);
  return check_summary();
}
