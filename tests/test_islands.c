// Problems in pieces: split into islands they have the solutions of the whole, and memory grows with their rows.
#include "contact.h"

#include "../bench/scene_matrix.h"
#include "base/crew.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "solve/cone.h"
#include "solve/cone_alart_curnier.h"
#include "solve/cone_lanes.h"
#include "solve/cone_patch.h"
#include "solve/driver.h"
#include "solve/groups.h"
#include "solve/islands.h"
#include "solve/residual.h"
#include "solve_file.h"

typedef struct bed {
  jmp_buf out_of_memory;
  arena memory;
  solve_problem p;
  solve_islands islands;
  solve_solution to;
} bed;

static void begin(bed *b) {
  *b = (bed){0};
  if (setjmp(b->out_of_memory)) exit(2);
  b->memory = arena_create(&b->out_of_memory);
}

static void take(bed *b, solve_problem p) {
  b->p = p;
  b->to =
      (solve_solution){ARENA_ARRAY(&b->memory, double, p.W.rows + 1), ARENA_ARRAY(&b->memory, double, p.W.rows + 1)};
}

static void end(bed *b) {
  islands_free(&b->islands);
  arena_free(&b->memory);
}

static solve_problem in_pieces(arena *memory, const scene_data *s) {
  const solve_block *blocks = problem_build_blocks(memory, BLOCK_SPACE, 3, s->contacts, s->mu);
  const int *start = problem_build_start(memory, blocks, s->contacts);
  return (solve_problem){s->contacts, blocks, scene_factored(memory, s, start), s->q};
}

static const double *as_dense(bed *b) {
  double *W = ARENA_ARRAY(&b->memory, double, ((size_t)b->p.W.rows * (size_t)b->p.W.rows));
  b->p.W.ops->dense(&b->p.W, W);
  return W;
}

// The residual of the whole, with W formed.
static double judge(bed *b, const double *W) {
  solve_problem dense = b->p;
  double *u = ARENA_ARRAY(&b->memory, double, b->p.W.rows + 1),
         *work = ARENA_ARRAY(&b->memory, double, b->p.W.rows + 1);
  dense.W = matrix_dense(b->p.W.rows, b->p.block_count, b->p.W.start, W);
  return solve_residual_of(&dense, b->to.r, u, work);
}

static solve_info run(bed *b, double tolerance, bool warm, chain_tally *tally) {
  solve_settings settings = solve_settings_default();
  settings.tolerance = tolerance, settings.warm_start = warm;
  if (!CHECK(islands_find(&b->islands, &b->p, NULL))) exit(2);
  return islands_solve(&b->islands, &b->p, &settings, NULL, &b->to, tally);
}

// --- who belongs together --------------------------------------------------------------------------------------------

// Contacts between bodies of the same group only, groups in a mixed order; and bodies that nothing touches.
static scene_data groups(int contacts, int bodies, int group_count) {
  scene_data s = scene_random(contacts, bodies);
  for (int c = 0; c < contacts; c++) {
    int group = (int)uniform(0, group_count), size = bodies / group_count;
    for (int side = 0; side < 2; side++)
      if (s.body[c][side] >= 0) s.body[c][side] = group + group_count * (int)uniform(0, size);
    if (s.body[c][0] == s.body[c][1]) s.body[c][1] = -1;
  }
  double *v = malloc((size_t)(6 * bodies) * sizeof *v);  // of the bodies: r = 0 to u = 0 is then in reach
  for (int i = 0; i < 6 * bodies; i++) v[i] = uniform(-1, 1);
  memset(s.q, 0, (size_t)(3 * contacts) * sizeof *s.q);
  for (int c = 0; c < contacts; c++)
    for (int side = 0; side < 2; side++)
      for (int k = 0; s.body[c][side] >= 0 && k < 18; k++)
        s.q[3 * c + k / 6] += s.J[c][side][k / 6][k % 6] * v[6 * s.body[c][side] + k % 6];
  free(v);
  return s;
}

// Labels spread over the entries of W that are not zero until none changes.
static void label(const bed *b, const double *W, int *of) {
  int count = b->p.block_count, n = b->p.W.rows;
  for (int i = 0; i < count; i++) of[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (W[(long)i * n + j] != 0 && of[i / 3] > of[j / 3]) of[i / 3] = of[j / 3], changed = true;
  }
}

static int first_velocity(const solve_matrix *W, int block) {
  int least = W->velocities;
  for (int k = W->J.first[block]; k < W->J.first[block + 1]; k++) least = W->J.at[k] < least ? W->J.at[k] : least;
  return least;
}

static void check_islands(bed *b, const double *W) {
  const solve_islands *x = &b->islands;
  int count = b->p.block_count, *of = ARENA_ARRAY(&b->memory, int, count), seen = 0, before = -1;
  label(b, W, of);
  for (int i = 0; i < x->count; i++) {
    int least = b->p.W.velocities;
    CHECK(x->first[i] < x->first[i + 1]);
    for (int k = x->first[i]; k < x->first[i + 1]; k++, seen++) {
      CHECK_EQUAL(of[x->block[k]], of[x->block[x->first[i]]]);
      if (k > x->first[i]) CHECK(x->block[k - 1] < x->block[k]);
      int v = first_velocity(&b->p.W, x->block[k]);
      least = v < least ? v : least;
    }
    CHECK(before < least);
    before = least;
  }
  CHECK_EQUAL(seen, count);
  int labels = 0;
  for (int c = 0; c < count; c++) labels += of[c] == c;
  CHECK_EQUAL(x->count, labels);
}

static void islands_are_what_interacts(void) {
  static const int sizes[][3] = {{30, 60, 20}, {40, 12, 3}, {5, 2, 1}, {60, 400, 40}, {1, 3, 1}};
  for (int k = 0; k < 5; k++) {
    bed b;
    begin(&b);
    scene_data s = groups(sizes[k][0], sizes[k][1], sizes[k][2]);
    take(&b, in_pieces(&b.memory, &s));
    const double *W = as_dense(&b);
    chain_tally tally = {0};
    solve_info info = run(&b, 1e-10, false, &tally);
    check_islands(&b, W);
    CHECK_EQUAL(info.status, SOLVE_SOLVED);
    CHECK_EQUAL(tally.problems, b.islands.count);
    CHECK_LE(judge(&b, W), 1e-9);
    // a warm start at the solution is the solution
    double *before = ARENA_ARRAY(&b.memory, double, b.p.W.rows);
    memcpy(before, b.to.r, (size_t)b.p.W.rows * sizeof *before);
    info = run(&b, 1e-8, true, NULL);
    CHECK_EQUAL(info.status, SOLVE_SOLVED);
    CHECK_EQUAL(info.iterations, 0);
    CHECK_LE(judge(&b, W), 1e-8);
    // and the same numbers every time
    CHECK_EQUAL(run(&b, 1e-10, false, NULL).status, SOLVE_SOLVED);
    CHECK(memcmp(before, b.to.r, (size_t)b.p.W.rows * sizeof *before) == 0);
    end(&b);
    scene_free(&s);
  }
}

// --- the same fixed point --------------------------------------------------------------------------------------------

// Any W is J Bᵀ with J = 1 and B = Wᵀ. Half of each block's diagonal goes to `own` to test that as well.
static solve_problem any_in_pieces(arena *memory, const solve_problem *p) {
  int count = p->block_count, used = 0;
  int *first = ARENA_ARRAY(memory, int, count + 1), *at = ARENA_ARRAY(memory, int, ((size_t)count * (size_t)count));
  int *width = ARENA_ARRAY(memory, int, ((size_t)count * (size_t)count)), *Jfirst = ARENA_ARRAY(memory, int, count + 1);
  size_t *offset = ARENA_ARRAY(memory, size_t, (size_t)count * (size_t)count),
         *Joffset = ARENA_ARRAY(memory, size_t, count), size = 0, Jsize = 0;
  int *Jat = ARENA_ARRAY(memory, int, count), *Jwidth = ARENA_ARRAY(memory, int, count);
  double *J = ARENA_ARRAY(memory, double, BLOCK_ROWS_MAX * p->W.rows), *own = ARENA_ARRAY(memory, double, p->W.rows);
  double *B = ARENA_ARRAY(memory, double, ((size_t)p->W.rows * (size_t)p->W.rows));
  for (int b = 0; b < count; b++) {
    int n = p->blocks[b].size, row = p->blocks[b].row;
    Jat[b] = row, Jwidth[b] = n, Joffset[b] = Jsize, Jfirst[b + 1] = b + 1;
    for (int i = 0; i < n; i++) J[Jsize + (size_t)(i * n + i)] = 1;
    Jsize += (size_t)(n * n);
    for (int a = 0; a < count; a++) {
      double A[BLOCK_ROWS_MAX * BLOCK_ROWS_MAX];
      int m = p->blocks[a].size;
      bool any = false;
      p->W.ops->block(&p->W, a, b, A);
      for (int i = 0; i < m * n; i++) any |= A[i] != 0;
      if (!any) continue;
      if (a == b)
        for (int i = 0; i < n; i++) own[row + i] = 0.5 * A[i * n + i], A[i * n + i] *= 0.5;
      at[used] = p->blocks[a].row, width[used] = m, offset[used++] = size;
      for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) B[size++] = A[i * n + j];
    }
    first[b + 1] = used;
  }
  solve_problem q = *p;
  q.W = matrix_factored(p->W.rows, count, p->W.start, p->W.rows, (matrix_pieces){Jfirst, Jat, Jwidth, Joffset, J},
                        (matrix_pieces){first, at, width, offset, B});
  q.W.own = own;
  return q;
}

// In pieces and by islands as by the chain on the problem as it is.
static void compare(const char *name, const solve_problem *p) {
  bed b;
  begin(&b);
  take(&b, any_in_pieces(&b.memory, p));
  solve_limits limits = solve_limits_of(p);
  solve_workspace *w = solve_workspace_create(&limits, NULL);
  solve_settings settings = solve_settings_default();
  double *r = ARENA_ARRAY(&b.memory, double, p->W.rows), *u = ARENA_ARRAY(&b.memory, double, p->W.rows),
         *work = ARENA_ARRAY(&b.memory, double, 2 * p->W.rows);
  solve_info whole = solve_chain(p, &settings, w, &(solve_solution){r, u}, NULL),
             parts = run(&b, settings.tolerance, false, NULL);
  bool fine = whole.status != SOLVE_SOLVED || CHECK_EQUAL(parts.status, SOLVE_SOLVED);
  if (parts.status == SOLVE_SOLVED) fine &= CHECK_LE(solve_residual_of(p, b.to.r, u, work), 2 * settings.tolerance);
  if (!fine) printf("      %s: %d islands\n", name, b.islands.count);
  solve_workspace_destroy(w);
  end(&b);
}

static void piles_have_the_solutions_of_the_whole(void) {
  for (int k = 0; k < 6; k++) {
    bed b;
    begin(&b);
    scene_data s = k == 0   ? scene_bricks(5, 0.3, 1e-2)
                   : k == 1 ? scene_balls(5, 0.3, 1e-2)
                   : k == 2 ? scene_balls(4, 0.8, 1e-3)
                            : scene_random(20 * k, 10 * k);
    solve_problem p = scene_problem(&b.memory, &s);
    compare("scene", &p);
    end(&b);
    scene_free(&s);
  }
}

static void references_have_the_solutions_of_the_whole(void) {
  static const char *const names[] = {"Capsules-i100-1090.dat",
                                      "Confeti-ex13-4contact-Fc3D-SBM.dat",
                                      "FC3D_Example1.dat",
                                      "FrictionContact3D_1c.dat",
                                      "FrictionContactProblem00031.dat",
                                      "NESpheres_10_1.dat",
                                      "OneObject-i100000-499.hdf5.dat",
                                      "Rover1039.dat",
                                      "Rover1040.dat",
                                      "Rover1041.dat",
                                      "Rover3865.dat",
                                      "Rover4144.dat"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char relative[128], path[1024];
    snprintf(relative, sizeof relative, "refs/friction/%s", names[i]);
    if (!check_shared(relative, path, sizeof path)) SKIP("no reference problems");
    bed b;
    begin(&b);
    carom_error error = {0};
    const solve_problem *p = solve_file_read(&b.memory, path, &error);
    if (CHECK(p)) compare(names[i], p);
    end(&b);
  }
}

// --- crowds ----------------------------------------------------------------------------------------------------------

// Unit masses: J is M⁻¹Jᵀ. In one array, as free bodies have it, or in two with the same values.
static solve_problem of_unit_masses(arena *memory, const scene_data *s, bool one_array) {
  solve_problem p = in_pieces(memory, s);
  double *copy = ARENA_ARRAY(memory, double, 36 * s->contacts);
  memcpy(copy, p.W.J.values, (size_t)(36 * s->contacts) * sizeof *copy);
  p.W.B.values = one_array ? p.W.J.values : copy;
  return p;
}

static int sweeps_alone(bed *b, double tolerance) {
  solve_settings settings = solve_settings_default();
  settings.tolerance = tolerance, settings.polish = false;
  solve_info info = solver_run(&solver_nsgs, &b->p, &settings, b->islands.workspace, &b->to);
  CHECK_EQUAL(info.status, SOLVE_SOLVED);
  return info.iterations;
}

// Contacts of one body are swept one after the other, also where there are more of them than colours.
static void contacts_may_share_a_body(void) {
  scene_data s = scene_random(300, 3);
  bed b;
  begin(&b);
  take(&b, of_unit_masses(&b.memory, &s, true));
  CHECK(islands_find(&b.islands, &b.p, NULL));
  int sweeps = sweeps_alone(&b, 1e-6);
  CHECK_LE(sweeps, 2000);
  printf("    300 contacts on 3 bodies: %d sweeps\n", sweeps);
  end(&b);
  scene_free(&s);
}

// Sweeps over free bodies have momentum: of the same problem in one array and in two, the first takes fewer.
static void free_bodies_take_fewer_sweeps(void) {
  for (int k = 0; k < 3; k++) {
    const double tolerance = k == 2 ? 1e-6 : 1e-4;
    scene_data s = k == 0   ? scene_balls(8, 0.3, 1e-2)
                   : k == 1 ? scene_bricks(12, 0.5, 1e-2)
                            : scene_balls(6, 0.3, 1e-2);
    int sweeps[2];
    bed b;
    begin(&b);
    for (int one = 0; one < 2; one++) {
      take(&b, of_unit_masses(&b.memory, &s, one));
      chain_tally tally = {0};
      solve_info info = run(&b, tolerance, false, &tally);
      CHECK_EQUAL(b.islands.count, 1);
      CHECK_EQUAL(info.status, SOLVE_SOLVED);
      CHECK_LE(judge(&b, as_dense(&b)), 1.01 * tolerance);
      sweeps[one] = sweeps_alone(&b, tolerance);
    }
    printf("    %d contacts to %.0e: %d sweeps, without momentum %d\n", s.contacts, tolerance, sweeps[1], sweeps[0]);
    CHECK_LE(sweeps[1], 0.7 * sweeps[0]);
    end(&b);
    scene_free(&s);
  }
}

// Contacts that jam and slip in turns: sweeps alone run in circles, rounds with patches come to an end, with the same
// bits whatever the number of threads.
static void patches_end_circles(void) {
  for (int k = 0; k < 2; k++) {
    bed b;
    begin(&b);
    scene_data s = scene_balls(5, k ? 0.6 : 0.3, 1e-3);
    take(&b, of_unit_masses(&b.memory, &s, true));
    size_t bytes = (size_t)b.p.W.rows * sizeof(double);
    double *first = ARENA_ARRAY(&b.memory, double, b.p.W.rows);
    solve_limits limits = solve_limits_exact(&b.p);
    limits.blocks = PATCHED_LEAST + 1;  // smaller problems have no memory for patches
    solve_workspace *w = solve_workspace_create(&limits, NULL);
    solve_settings settings = solve_settings_default();
    settings.tolerance = 1e-6, settings.polish = false, settings.iterations = 5000;
    CHECK_EQUAL(solver_run(&solver_nsgs, &b.p, &settings, w, &b.to).status, SOLVE_LIMIT);
    for (int threads = 1; threads <= 3; threads += 2) {
      crew shared = {0};
      solve_status status = SOLVE_LIMIT;
      solve_info info = {0};
      int rounds = 0;
      CHECK(crew_set(&shared, threads));
      b.p.W.crew = &shared;
      driver_begin(w, &b.p, &limits);
      memset(b.to.r, 0, bytes);
      w->sweeps = nsgs_begin(&b.p, w, settings.tolerance);
      patches *x = patches_take(w, &limits);
      patches_begin(x, &b.p, w);
      for (; rounds < 10 && status == SOLVE_LIMIT; rounds++)
        status = patches_round(x, &b.p, &settings, w, b.to.r, &info);
      CHECK_EQUAL(status, SOLVE_SOLVED);
      CHECK_LE(info.iterations, 5000);
      CHECK_LE(judge(&b, as_dense(&b)), settings.tolerance);
      if (threads == 1) memcpy(first, b.to.r, bytes);
      else CHECK(memcmp(first, b.to.r, bytes) == 0);
      if (threads == 1) printf("    friction %g: %d rounds, %d sweeps\n", s.mu[0], rounds, info.iterations);
      b.p.W.crew = NULL;
      crew_end(&shared);
    }
    solve_workspace_destroy(w);
    end(&b);
    scene_free(&s);
  }
}

// Balls on joints: rows without a cone in between, which interior points do not take in pieces. The chain goes on
// without them.
static void joints_among_contacts_in_pieces(void) {
  for (int k = 0; k < 2; k++) {
    bed b;
    begin(&b);
    scene_data s = k ? scene_balls(4, 0.3, 1e-3) : scene_random(150, 60);
    take(&b, in_pieces(&b.memory, &s));
    solve_block *blocks = ARENA_ARRAY(&b.memory, solve_block, s.contacts);
    memcpy(blocks, b.p.blocks, (size_t)s.contacts * sizeof *blocks);
    for (int c = 0; c < s.contacts; c += 10) blocks[c].kind = BLOCK_BILATERAL, blocks[c].mu = 0;
    b.p.blocks = blocks;
    chain_tally tally = {0};
    solve_info info = run(&b, 1e-8, false, &tally);
    CHECK_EQUAL(b.islands.count, 1);
    CHECK_EQUAL(info.status, SOLVE_SOLVED);
    CHECK_LE(judge(&b, as_dense(&b)), 1.01e-8);
    end(&b);
    scene_free(&s);
  }
}

// The normal rows of contacts between free bodies, soft or not, as the removal of overlap has them: swept in pieces,
// they have the solution of the formed matrix.
static void normal_rows_of_free_bodies_are_swept(void) {
  for (int soft = 0; soft < 2; soft++) {
    bed b, whole;
    begin(&b), begin(&whole);
    scene_data s = scene_balls(6, 0.3, 1e-2);
    solve_problem p = of_unit_masses(&b.memory, &s, true);
    int count = s.contacts;
    solve_block *blocks = ARENA_ARRAY(&b.memory, solve_block, count);
    double *q = ARENA_ARRAY(&b.memory, double, count), *own = ARENA_ARRAY(&b.memory, double, count);
    int *start = ARENA_ARRAY(&b.memory, int, count + 1);
    for (int i = 0; i < count; i++)
      blocks[i] = block_of_contact(i, 1, 0), q[i] = s.q[3 * i], own[i] = soft ? 0.1 * (1 + i % 3) : 0;
    for (int i = 0; i <= count; i++) start[i] = i;
    solve_matrix W = matrix_factored(count, count, start, p.W.velocities, p.W.J, p.W.B);
    W.own = own;
    take(&b, (solve_problem){count, blocks, W, q});
    CHECK_LE(100, count);
    CHECK_EQUAL(run(&b, 1e-9, false, NULL).status, SOLVE_SOLVED);
    const double *dense = as_dense(&b);
    CHECK_LE(judge(&b, dense), 1.01e-9);
    if (soft) {  // and only one
      take(&whole, (solve_problem){count, blocks, matrix_dense(count, count, start, dense), q});
      solve_limits limits = solve_limits_exact(&whole.p);
      solve_settings settings = solve_settings_default();
      solve_workspace *w = solve_workspace_create(&limits, NULL);
      settings.tolerance = 1e-9;
      CHECK_EQUAL(solve_chain(&whole.p, &settings, w, &whole.to, NULL).status, SOLVE_SOLVED);
      for (int i = 0; i < count; i++) CHECK_NEAR(b.to.r[i], whole.to.r[i], 1e-6);
      memset(b.to.r, 0, (size_t)count * sizeof *b.to.r);
      settings.iterations = 2000;
      islands_sweep(&b.islands, &b.p, &settings, NULL, &b.to);
      for (int i = 0; i < count; i++) CHECK_NEAR(b.to.r[i], whole.to.r[i], 1e-6);
      solve_workspace_destroy(w);
    }
    end(&b), end(&whole);
    scene_free(&s);
  }
}

// --- memory and interrupts -------------------------------------------------------------------------------------------

// One island of as many contacts as there are: nothing grows with their square. What does not grow at all, one group of
// contacts for each colour that need not be full (cone_packed.c), counts less in the larger one. The sweeps, the run of
// interior points that the chain has left, and a stage that runs have memory side by side.
static void memory_grows_with_the_rows(void) {
  double bytes[2];
  for (int k = 0; k < 2; k++) {
    bed b;
    begin(&b);
    scene_data s = scene_bricks(15 * (k + 1), 0.3, 1e-2);
    take(&b, in_pieces(&b.memory, &s));
    chain_tally tally = {0};
    solve_info info = run(&b, 1e-2, false, &tally);
    CHECK_EQUAL(b.islands.count, 1);
    CHECK_EQUAL(info.status, SOLVE_SOLVED);
    bytes[k] = (double)b.islands.workspace->size / b.p.W.rows;
    end(&b);
    scene_free(&s);
  }
  CHECK_LE(bytes[0], 1400);
  CHECK_LE(bytes[1], 1.02 * bytes[0]);
}

static bool never(void *context) { return (void)context, false; }

// A body that touches in one more place must not cost an allocation in that step.
static void an_island_may_grow_within_its_memory(void) {
  for (int contacts = 10; contacts <= 16; contacts += 6) {  // 16: from W formed to pieces
    bed b;
    begin(&b);
    scene_data s = groups(contacts, 4, 1), more = groups(contacts + 1, 4, 1);
    for (int c = 0; c < contacts; c++) s.body[c][0] = 0, s.body[c][1] = c % 3 + 1;
    for (int c = 0; c <= contacts; c++) more.body[c][0] = 0, more.body[c][1] = c % 3 + 1;
    take(&b, in_pieces(&b.memory, &s));
    CHECK(islands_find(&b.islands, &b.p, NULL) && b.islands.count == 1);
    const solve_workspace *before = b.islands.workspace;
    const char *memory = b.islands.memory;
    take(&b, in_pieces(&b.memory, &more));
    CHECK(islands_find(&b.islands, &b.p, NULL) && b.islands.count == 1);
    CHECK(b.islands.workspace == before && b.islands.memory == memory);
    CHECK(b.islands.workspace->limits.rows >= 3 * contacts * 3 / 2);
    end(&b);
    scene_free(&s);
    scene_free(&more);
  }
}

static void interrupted_problems_are_not_counted(void) {
  bed b;
  begin(&b);
  scene_data s = groups(60, 60, 20);
  take(&b, in_pieces(&b.memory, &s));
  chain_tally tally = {0};
  solve_settings settings = solve_settings_default();
  interrupt stop = {.go_on = never};
  CHECK(islands_find(&b.islands, &b.p, NULL));
  CHECK_EQUAL(islands_solve(&b.islands, &b.p, &settings, &stop, &b.to, &tally).status, SOLVE_INTERRUPTED);
  CHECK_EQUAL(tally.problems, 0);
  end(&b);
  scene_free(&s);
}

// Islands of the last problem are kept only while the pieces lie where they lay.
static void islands_follow_their_pieces(void) {
  bed b;
  static const double values[12] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
  static const size_t offset[2] = {0, 6};
  static const int first[3] = {0, 1, 2}, start[3] = {0, 1, 2}, width[2] = {6, 6};
  const solve_block blocks[2] = {block_of_contact(0, 1, 0), block_of_contact(1, 1, 0)};
  const double q[2] = {-1, -2};
  int at[2] = {0, 6};
  begin(&b);
  matrix_pieces pieces = {first, at, width, offset, values};
  take(&b, (solve_problem){2, blocks, matrix_factored(2, 2, start, 12, pieces, pieces), q});
  for (int turn = 0; turn < 6; turn++) {
    at[1] = turn / 2 % 2 ? 0 : 6;
    CHECK(run(&b, 1e-10, false, NULL).status == SOLVE_SOLVED);
    CHECK_EQUAL(b.islands.count, at[1] ? 2 : 1);
    CHECK_NEAR(b.to.r[0], 1, 1e-9);
    CHECK_NEAR(b.to.r[1], 2, 1e-9);
  }
  end(&b);
}

// --- equations for the velocities ------------------------------------------------------------------------------------

// Newton's methods do not form W: they solve problems that are too large for that.
static void newton_solves_large_problems_in_pieces(void) {
  static const char *const names[] = {"interior", "alart-curnier"};
  for (int k = 0; k < 2; k++) {
    scene_data s = k ? scene_random(600, 500) : scene_balls(8, 0.3, 1e-2);
    bed b;
    begin(&b);
    take(&b, in_pieces(&b.memory, &s));
    CHECK_LE(SOLVE_DENSE_MAX + 1, b.p.W.rows);
    solve_limits limits = solve_limits_of(&b.p);
    solve_workspace *w = solve_workspace_create(&limits, NULL);
    if (!w) exit(2);
    solve_settings settings = solve_settings_default();
    settings.polish = false;
    if (k) {  // from sweeps, which are not at the solution yet
      settings.tolerance = 1e-3;
      CHECK_LE(1e-4, solver_run(&solver_nsgs, &b.p, &settings, w, &b.to).residual);
      settings.warm_start = true, settings.tolerance = 1e-8;
    }
    solve_info info = solver_run(solver_find(names[k]), &b.p, &settings, w, &b.to);
    CHECK_EQUAL(info.status, SOLVE_SOLVED);
    printf("    %s: residual %.1e after %d steps\n", names[k], info.residual, info.iterations);
    CHECK_LE(info.iterations, 60);
    solve_workspace_destroy(w);
    scene_free(&s);
    end(&b);
  }
}

// The same steps as with W formed, until rounding matters, and the same solution: its velocities are unique here.
// Interior points stay away from the borders of cones. Alart and Curnier's equations change there, and in a regular
// heap many contacts are on a border but for rounding, which then decides how many steps are taken. So theirs is a heap
// without order, where the steps are the same.
static bool any_suits(const solve_problem *p) { return p->block_count > 0; }
static void newton_in_pieces_is_newton(void) {
  static const solver walker = {.name = "alart-curnier", .suits = any_suits, .solve = alart_curnier_walk};
  for (int k = 0; k < 2; k++) {
    const solver *by = k ? &walker : &solver_interior;
    scene_data s = k ? scene_random(300, 250) : scene_balls(4, 0.4, 1e-2);
    bed b;
    begin(&b);
    take(&b, in_pieces(&b.memory, &s));
    solve_problem dense = b.p;
    dense.W = matrix_dense(b.p.W.rows, b.p.block_count, b.p.W.start, as_dense(&b));
    solve_limits limits = solve_limits_of(&b.p);
    solve_workspace *w = solve_workspace_create(&limits, NULL);
    if (!w) exit(2);
    solve_settings settings = solve_settings_default();
    settings.tolerance = 1e-5;
    double *u = ARENA_ARRAY(&b.memory, double, b.p.W.rows), most = 0, apart = 0;
    solve_info formed = solver_run(by, &dense, &settings, w, &b.to);
    memcpy(u, b.to.u, (size_t)b.p.W.rows * sizeof *u);
    solve_info info = solver_run(by, &b.p, &settings, w, &b.to);
    CHECK_EQUAL(info.status, SOLVE_SOLVED);
    CHECK_EQUAL(formed.status, SOLVE_SOLVED);
    printf("    %s: %d steps in pieces, %d with W formed\n", by->name, info.iterations, formed.iterations);
    CHECK_LE(abs(info.iterations - formed.iterations), k ? 0 : 1);
    for (int i = 0; i < b.p.W.rows; i++) most = fmax(most, fabs(u[i])), apart = fmax(apart, fabs(u[i] - b.to.u[i]));
    CHECK_LE(apart, 1e-8 * most);
    solve_workspace_destroy(w);
    scene_free(&s);
    end(&b);
  }
}

// In pieces rounding spoils a step of interior points sooner or later. They end with Newton's method from the step
// before; without that, retreats take as many steps again.
static void rounding_ends_interior_points(void) {
  scene_data s = scene_balls(4, 0.5, 1e-3);
  bed b;
  begin(&b);
  take(&b, in_pieces(&b.memory, &s));
  solve_limits limits = solve_limits_of(&b.p);
  solve_workspace *w = solve_workspace_create(&limits, NULL);
  if (!w) exit(2);
  solve_settings settings = solve_settings_default();
  settings.polish = false;
  solve_info info = solver_run(&solver_interior, &b.p, &settings, w, &b.to);
  printf("    residual %.1e after %d steps\n", info.residual, info.iterations);
  CHECK_EQUAL(info.status, SOLVE_SOLVED);
  CHECK_LE(info.iterations, 28);
  solve_workspace_destroy(w);
  scene_free(&s);
  end(&b);
}

// Newton's steps and sweeps in turns: contacts that jam in a few places, which Newton's steps alone do not solve in
// hundreds and sweeps over all contacts only in a thousand or more.
static void few_places_that_jam(void) {
  for (int seed = 0; seed < 3; seed++) {
    scene_data s = scene_random(1000 + seed, 400);
    bed b;
    begin(&b);
    take(&b, in_pieces(&b.memory, &s));
    solve_limits limits = solve_limits_of(&b.p);
    solve_workspace *w = solve_workspace_create(&limits, NULL);
    if (!w) exit(2);
    solve_settings settings = solve_settings_default();
    settings.polish = false;
    solve_info info = solver_run(&solver_alart_curnier, &b.p, &settings, w, &b.to);
    printf("    %d contacts: residual %.1e after %d steps and sweeps\n", s.contacts, info.residual, info.iterations);
    CHECK_EQUAL(info.status, SOLVE_SOLVED);
    settings.iterations = 25;  // sweeps alone
    double swept = solver_run(&solver_alart_curnier, &b.p, &settings, w, &b.to).residual;
    settings.iterations = 40;
    info = solver_run(&solver_alart_curnier, &b.p, &settings, w, &b.to);
    CHECK_EQUAL(info.status, SOLVE_LIMIT);
    CHECK_EQUAL(info.iterations, settings.iterations);
    CHECK_LE(info.residual, swept);  // of the best, not of a step that went wrong
    solve_workspace_destroy(w);
    scene_free(&s);
    end(&b);
  }
}

// A dense problem of three groups whose blocks alternate: found as they were made, and solved group by group the whole
// has no residual beyond the tolerance.
static void dense_problems_fall_into_groups(void) {
  enum { GROUPS = 3, BLOCKS = 9 };
  static contact_problem c;
  solve_settings settings = solve_settings_default();
  for (int turn = 0; turn < 50; turn++) {
    arena memory = arena_create(NULL);
    c.rows = c.block_count = 0;
    for (int k = 0; k < BLOCKS; k++) add_block(&c, block_of_contact(0, 1 + pick(3), uniform(0.1, 1)));
    fill_gram(&c, 2 * c.rows, 0.1);
    for (int a = 0; a < BLOCKS; a++)
      for (int b = 0; b < BLOCKS; b++)
        for (int i = c.start[a]; i < c.start[a + 1] && a % GROUPS != b % GROUPS; i++)
          for (int j = c.start[b]; j < c.start[b + 1]; j++) c.W[i * c.rows + j] = 0;
    choose_solution(&c, false);
    solve_problem p = as_problem(&c);
    solve_groups g = groups_create(&memory, c.rows, BLOCKS);
    solve_workspace *w = workspace_for(&p);
    solve_solution whole = {c.r, c.u};
    CHECK_EQUAL(groups_find(&g, &p), GROUPS);
    for (int k = 0; k < BLOCKS; k++) CHECK_EQUAL(g.of[k], k % GROUPS);
    for (int k = 0; k < GROUPS; k++) {
      solve_problem part = groups_take(&g, &p, k);
      solve_solution of_part = {g.r, g.u};
      CHECK(solve_chain(&part, &settings, w, &of_part, NULL).status == SOLVE_SOLVED);
      groups_put(&g, &whole);
    }
    double work[2 * CONTACT_ROWS];
    CHECK_LE(solve_residual(&p, c.r, c.u, work), GROUPS * settings.tolerance);
    solve_workspace_destroy(w);
    arena_free(&memory);
  }
}

// Eight contacts at once have the natural map of each: inside, beyond the edge and in the polar cone, with and without
// friction. It is the same formula; sums in another order differ by a few roundings of the terms, which are at most 9.
static void natural_maps_in_lanes_are_those_of_each(void) {
  int inside = 0, apex = 0;
  for (int n = 0; n < 200; n++) {
    lanes mu, rho, r[3], u[3], F[3];
    for (int k = 0; k < LANES; k++) {
      double x[8];
      for (int i = 0; i < 8; i++) x[i] = random_share(random_bits(7, (uint64_t)(LANES * n + k), (uint64_t)i));
      mu[k] = x[0] < 0.2 ? 0 : x[0], rho[k] = 0.5 + x[1];
      r[0][k] = x[2] < 0.3 ? 0 : x[2];
      for (int i = 1; i < 3; i++) r[i][k] = mu[k] * r[0][k] * (1.4 * x[2 + i] - 0.7);
      for (int i = 0; i < 3; i++) u[i][k] = x[1] < 0.1 ? 0 : 2 * x[5 + i] - 1;
    }
    cone_lanes_natural(&mu, r, u, &rho, F);
    for (int k = 0; k < LANES; k++) {
      solve_block b = block_of_contact(0, 3, 1);
      double own[3] = {r[0][k], r[1][k], r[2][k]}, rates[3] = {u[0][k], u[1][k], u[2][k]}, expected[3];
      b.mu = mu[k];
      natural_map(&b, own, rates, rho[k], expected);
      for (int i = 0; i < 3; i++) CHECK_NEAR(F[i][k], expected[i], 1e-14);
      inside += expected[1] == rho[k] * rates[1], apex += expected[0] == own[0] && own[0] > 0;
    }
  }
  CHECK_LE(100, inside);
  CHECK_LE(20, apex);
}

int main(void) {
  RUN(islands_follow_their_pieces);
  RUN(islands_are_what_interacts);
  RUN(piles_have_the_solutions_of_the_whole);
  RUN(references_have_the_solutions_of_the_whole);
  RUN(contacts_may_share_a_body);
  RUN(natural_maps_in_lanes_are_those_of_each);
  RUN(free_bodies_take_fewer_sweeps);
  RUN(patches_end_circles);
  RUN(joints_among_contacts_in_pieces);
  RUN(normal_rows_of_free_bodies_are_swept);
  RUN(memory_grows_with_the_rows);
  RUN(an_island_may_grow_within_its_memory);
  RUN(interrupted_problems_are_not_counted);
  RUN(newton_solves_large_problems_in_pieces);
  RUN(newton_in_pieces_is_newton);
  RUN(rounding_ends_interior_points);
  RUN(few_places_that_jam);
  RUN(dense_problems_fall_into_groups);
  return check_summary();
}
