// Whatever a run is doing, it ends soon after it is asked to, and leaves a record that can be read.
#include "contact.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>

#include "math/dense.h"
#include "math/lu.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "runs.h"
#include "sim.h"
#include "tool.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- solvers ---------------------------------------------------------------------------------------------------------

static bool never(void *context) { return (void)context, false; }

static contact_problem *make_problem(block_kind kind, int size) {
  static contact_problem p;
  p.rows = p.block_count = 0;
  for (int k = 0; k < 6; k++) add_block(&p, (solve_block){.kind = kind, .size = size, .mu = 0.3});
  fill_gram(&p, 2 * p.rows, 0.1);
  choose_solution(&p, false);
  for (int i = 0; i < p.rows; i++) p.q[i] -= 1;  // not solved by zero
  return &p;
}

static void solvers_end_when_interrupted(void) {
  static const struct {
    block_kind kind;
    int size;
  } kinds[] = {{BLOCK_UNILATERAL, 1}, {BLOCK_PLANE, 2}, {BLOCK_SPACE, 3}};
  int count, interrupts = 0;
  const solver *const *list = solver_list(&count);
  for (int k = 0; k < 3; k++) {
    contact_problem *c = make_problem(kinds[k].kind, kinds[k].size);
    solve_problem p = as_problem(c);
    solve_workspace *w = workspace_for(&p);
    interrupt stop = {.go_on = never};
    w->stop = &stop;
    solve_settings settings = solve_settings_default();
    solve_solution solution = {c->r, c->u};
    for (int i = 0; i < count; i++) {
      if (list[i] == &solver_active_set || !list[i]->suits(&p)) continue;  // a few rounds are all it takes
      stop = (interrupt){.go_on = never};
      CHECK_EQUAL(solver_run(list[i], &p, &settings, w, &solution).status, SOLVE_INTERRUPTED);
      interrupts++;
    }
    // with a tolerance that nothing meets, the first solver leaves it to the second
    settings.tolerance = -1;
    chain_tally tally = {0};
    stop = (interrupt){.go_on = never};
    CHECK_EQUAL(solve_chain(&p, &settings, w, &solution, &tally).status, SOLVE_INTERRUPTED);
    CHECK_EQUAL(tally.problems, 0);
    solve_workspace_destroy(w);
  }
  CHECK_LE(12, interrupts);
}

// --- large matrices --------------------------------------------------------------------------------------------------

static double of_processor(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double *random_matrix(int n) {
  double *A = malloc((size_t)n * (size_t)n * sizeof *A);
  for (long i = 0; i < (long)n * n; i++) A[i] = uniform(-1, 1);
  return A;
}

// By panels as by LAPACK: the solution is right, to 1e-15 times a growth of some hundreds. Interrupted at the first
// question it has looked at the first panel only.
static void large_factorisations_end_when_interrupted(void) {
  static const int sizes[] = {700, 768, 801, 1100};
  for (int k = 0; k < 4; k++) {
    int n = sizes[k], *pivot = malloc((size_t)n * sizeof *pivot);
    double *A = random_matrix(n), *b = malloc((size_t)n * sizeof *b), *F = malloc((size_t)n * (size_t)n * sizeof *F),
           worst = 0;
    memcpy(F, A, (size_t)n * (size_t)n * sizeof *F);
    for (int i = 0; i < n; i++) {
      b[i] = 0;
      for (int j = 0; j < n; j++) b[i] += A[(long)i * n + j] * (1 + j % 7);
    }
    CHECK(lu_factor(n, F, n, pivot, NULL) > 0);
    lu_solve(n, F, n, pivot, b);
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(b[i] - (1 + i % 7)));
    CHECK_LE(worst, 1e-8);
    interrupt stop = {.go_on = never};
    memcpy(F, A, (size_t)n * (size_t)n * sizeof *F);
    CHECK_EQUAL(lu_factor(n, F, n, pivot, &stop) == 0, n >= 768);
    CHECK_EQUAL(F[(long)n * n - 1] == A[(long)n * n - 1], n >= 768);
    // a matrix without a column is singular in panels too
    for (int i = 0; i < n; i++) A[(long)i * n + 5] = 0;
    CHECK(lu_factor(n, A, n, pivot, NULL) == 0);
    free(A), free(b), free(F), free(pivot);
  }
}

// Twelve hundred bilateral rows beside contacts: eliminating them takes seconds. Each solver is through at once.
static void large_problems_end_when_interrupted(void) {
  enum { BILATERAL = 1200, ROWS = 1500 };
  solve_block *blocks = calloc(ROWS, sizeof *blocks);
  int *start = calloc(ROWS + 1, sizeof *start), count;
  double *W = calloc((size_t)ROWS * ROWS, sizeof *W), *q = calloc(ROWS, sizeof *q), *r = calloc(ROWS, sizeof *r),
         *u = calloc(ROWS, sizeof *u);
  for (int i = 0; i < ROWS; i++) {
    blocks[i] = (solve_block){.kind = i < BILATERAL ? BLOCK_BILATERAL : BLOCK_UNILATERAL, .row = i, .size = 1};
    start[i + 1] = i + 1, q[i] = -1;
    for (int j = 0; j <= i; j++) W[(long)i * ROWS + j] = W[(long)j * ROWS + i] = i == j ? 2 : uniform(-1, 1) / ROWS;
  }
  solve_problem p = {ROWS, blocks, matrix_dense(ROWS, ROWS, start, W), q};
  solve_workspace *w = workspace_for(&p);
  solve_settings settings = solve_settings_default();
  settings.tolerance = 1e-15;
  const solver *const *list = solver_list(&count);
  for (int i = 0; i < count; i++) {
    if (!list[i]->suits(&p)) continue;
    interrupt stop = {.go_on = never};
    w->stop = &stop;
    double began = of_processor();
    CHECK_EQUAL(solver_run(list[i], &p, &settings, w, &(solve_solution){r, u}).status, SOLVE_INTERRUPTED);
    if (!CHECK_LE(of_processor() - began, 0.5)) printf("      %s\n", list[i]->name);
  }
  solve_workspace_destroy(w);
  free(blocks), free(start), free(W), free(q), free(r), free(u);
}

// --- within one step -------------------------------------------------------------------------------------------------

typedef struct patience {
  double until;  // a wall time
  int asked;
} patience;

static bool is_patient(void *context) {
  patience *p = context;
  p->asked++;
  return now() < p->until;
}

static bool is_patient_with_run(void *context, const carom_progress *progress) {
  CHECK_LE(0, progress->t);
  return is_patient(context);
}

// A user's force that takes its time: 50 ms for each evaluation.
static void slow_force(void *context, double t, const double *inputs, double *output) {
  (void)context, (void)t, (void)inputs;
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  output[0] = 0;
}

// A chain of so many links that one Jacobian takes more than three seconds.
static carom_model *make_slow_model(carom_integrator_type type) {
  enum { LINKS = 40 };
  static char names[LINKS][8], joints[LINKS][8];
  carom_model_def about = carom_model_default(CAROM_PLANAR);
  carom_def *def = carom_def_create(&about);
  carom_body_def link = carom_body_default();
  link.mass = 1, link.inertia[2] = 0.1, link.com[0] = 0.5;
  for (int i = 0; i < LINKS; i++) {
    snprintf(names[i], sizeof names[i], "l%d", i);
    snprintf(joints[i], sizeof joints[i], "j%d", i);
    carom_joint_def joint = carom_joint_default();
    joint.between[0] = i ? names[i - 1] : "ground", joint.between[1] = names[i], joint.at[0] = i > 0;
    carom_def_body(def, names[i], &link);
    carom_def_joint(def, joints[i], "revolute", &joint);
  }
  carom_force_def force = carom_force_default();
  force.joint = joints[0], force.call = slow_force;
  carom_def_force(def, "slow", "user", &force);
  carom_integrator_def integrator = carom_integrator_default();
  integrator.type = type;
  carom_def_integrator(def, &integrator);
  carom_error error = {0};
  carom_model *model = carom_model_compile(def, &error);
  if (!CHECK(model != NULL)) printf("%s\n", error.text);
  carom_def_destroy(def);
  return model;
}

static void an_integrator_ends_within_its_step(void) {
  static const carom_integrator_type types[] = {CAROM_BDF, CAROM_IDA};
  for (int i = 0; i < 2; i++) {
    carom_model *model = make_slow_model(types[i]);
    if (!model) return;
    const char *path = scratch("slow.h5");
    double began = now();
    patience patient = {.until = began + 0.5};
    carom_run_options options = {.record = path, .end = 1, .progress = is_patient_with_run, .context = &patient};
    carom_summary summary;
    carom_error error = {0};
    CHECK_EQUAL(carom_run(model, &options, &summary, &error), CAROM_INTERRUPTED);
    CHECK_LE(now() - began, 2.5);
    CHECK_LE(2, patient.asked);
    CHECK_EQUAL(summary.status, CAROM_INTERRUPTED);
    CHECK_CONTAINS(error.message, "interrupted at t = ");
    CHECK(carom_export_csv(path, scratch("slow.csv"), NULL, &error) == CAROM_OK);
    carom_model_destroy(model);
  }
}

static const char bouncing[] =
    "space: planar\n"
    "bodies: {ball: {mass: 1, inertia: 0.1}}\n"
    "joints: {fall: {free: [ground, ball], at: [0, 0.3]}}\n"
    "surfaces: {ball: {sphere: ball, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n"
    "materials: {m: {restitution: 0.5, stiffness: 1e7}}\n";

static const char *with_method(const char *rest) {
  static char text[4096];
  snprintf(text, sizeof text, "%s%s\n", bouncing, rest);
  return text;
}

// Rows of touches within one long step are interrupted too, whether or not rows of the state are written between steps.
static void rows_of_touches_end_when_interrupted(void) {
  static const char *const every[] = {"0", "1e-7"};
  for (int i = 0; i < 2; i++) {
    char rest[256];
    snprintf(rest, sizeof rest, "method: {moreau: {step: 0.5}}\nrecord: {every: %s, touches: 1e-7}\nend: 3", every[i]);
    carom_error error = {0};
    carom_model *model = carom_model_parse(with_method(rest), "model.yaml", &error);
    if (!CHECK(model)) return;
    double began = now();
    patience patient = {.until = began + 0.3};
    carom_run_options options = {
        .record = scratch("long.h5"), .force = true, .progress = is_patient_with_run, .context = &patient};
    carom_summary summary;
    CHECK_EQUAL(carom_run(model, &options, &summary, &error), CAROM_INTERRUPTED);
    CHECK_LE(now() - began, 1.5);
    carom_model_destroy(model);
  }
}

// The sim stays good: it can be read, and goes on once nobody interrupts it.
static void an_interrupted_sim_goes_on(void) {
  static const char *const methods[] = {"method: {moreau: {step: 1e-4}}", "method: event", "method: compliant"};
  for (int i = 0; i < 3; i++) {
    run r;
    if (!run_open_text(&r, with_method(methods[i]), NULL)) return;
    run_to(&r, 0.1);
    double before = carom_sim_time(r.sim);
    carom_sim_set_interrupt(r.sim, never, NULL);
    CHECK_EQUAL(carom_sim_advance(r.sim, 1, &r.error), CAROM_INTERRUPTED);
    CHECK_EQUAL(r.error.status, CAROM_INTERRUPTED);
    CHECK_LE(before, carom_sim_time(r.sim));
    CHECK_LE(carom_sim_time(r.sim), before + 0.05);
    CHECK(isfinite(run_read(&r, "ball.y")));
    carom_sim_set_interrupt(r.sim, NULL, NULL);
    run_to(&r, 2);
    CHECK_NEAR(run_read(&r, "ball.y"), 0.1, 1e-3);  // at rest on the floor
    run_close(&r);
  }
}

// --- the tool --------------------------------------------------------------------------------------------------------

static pid_t start_tool(const char *const *words) {
  pid_t child = fork();
  if (child != 0) return child;
  int to = open(scratch("said"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(to, 1), dup2(to, 2);
  if (chdir(check_scratch_dir()) != 0) _exit(99);
  execv(TOOL, (char *const *)words);
  _exit(99);
}

static void ignore_table(void *context, const char *name, int columns, long rows) {
  (void)context, (void)name, (void)columns, (void)rows;
}

// The record is created after the tool has set up its signal handlers, however slow the machine is.
static bool wait_for_record(const char *path) {
  for (double began = now(); now() - began < 60;) {
    if (access(path, R_OK) == 0 && carom_export_list(path, ignore_table, NULL, NULL) == CAROM_OK) return true;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
  return false;
}

// Interrupts a run that is well under way: its exit code, and the seconds it took to end.
static int interrupt_tool(int number, double *took) {
  static const char *const words[] = {"carom", "run", "cut.yaml", "-o", "cut.h5", NULL};
  pid_t child = start_tool(words);
  CHECK(wait_for_record(scratch("cut.h5")));
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  double began = now();
  kill(child, number);
  int status;
  waitpid(child, &status, 0);
  *took = now() - began;
  return exit_code(status);
}

static void every_run_ends_within_two_seconds(void) {
  static const char *const ends[] = {
      "method: {moreau: {step: 1e-6}}\nend: 100",
      "method: {event: {}}\nintegrator: {step_max: 1e-6}\nend: 1e6",
      "method: compliant\nintegrator: {step_max: 1e-6}\nend: 1e6",
      // one step of free flight, and rows by the hundred million in it
      "method: event\ngravity: [0, 0]\nrecord: {every: 1e-2}\nend: 1e6",
      "method: compliant\ngravity: [0, 0]\nrecord: {every: 1e-2}\nend: 1e6",
      "method: {moreau: {step: 1e5}}\ngravity: [0, 0]\nrecord: {every: 1e-2}\nend: 1e6",
  };
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    write_text(scratch("cut.yaml"), with_method(ends[i]));
    double took;
    CHECK_EQUAL(interrupt_tool(i % 2 ? SIGTERM : SIGINT, &took), 130);
    CHECK_LE(took, 2);
    carom_error error = {0};
    if (!CHECK(carom_export_csv(scratch("cut.h5"), scratch("cut.csv"), &(carom_export_options){.table = "time"},
                                &error) == CAROM_OK))
      printf("%s\n", error.text);
    remove(scratch("cut.h5"));
  }
}

static void note_checkpoints(void *context, const char *name, int columns, long rows) {
  (void)columns;
  if (strcmp(name, "checkpoint") == 0) *(long *)context = rows;
}

// With closed contacts the forces of the last state are solved for after the interrupt.
static void an_interrupted_record_can_be_resumed(void) {
  static const char *const methods[] = {"{moreau: {step: 1e-4}}", "event", "compliant"};
  for (int i = 0; i < 3; i++) {
    char text[200];
    snprintf(text, sizeof text, "method: %s\nintegrator: {step_max: 1e-3}\nrecord: {every: 1e-4}\nend: 1e4",
             methods[i]);
    write_text(scratch("cut.yaml"), with_method(text));
    double took;
    CHECK_EQUAL(interrupt_tool(SIGINT, &took), 130);
    long checkpoints = 0;
    carom_error error = {0};
    CHECK_EQUAL(carom_export_list(scratch("cut.h5"), note_checkpoints, &checkpoints, &error), CAROM_OK);
    CHECK(checkpoints >= 1);
    remove(scratch("cut.csv"));
    CHECK_EQUAL(carom_export_csv(scratch("cut.h5"), scratch("cut.csv"), NULL, &error), CAROM_OK);
    char *rows = read_file(scratch("cut.csv"), NULL);
    CHECK(rows && !strstr(rows, "nan"));
    free(rows);
    remove(scratch("cut.h5"));
  }
}

// Hinges on top of each other around a square, closed: 1505 rows of constraints, three of which follow from the others.
// Finding those is one factorisation that takes many times longer than the run may.
static void a_factorisation_ends_early(void) {
  static const char *const methods[] = {"{moreau: {step: 1e-3}}", "event"};
  for (int i = 0; i < 2; i++) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "coordinates: absolute\n"
        "bodies: {'l{i}': {repeat: {i: [1, 300]}, mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints:\n"
        "  j1: {revolute: [ground, l1], axis: y}\n"
        "  j{i}: {repeat: {i: [2, 300]}, revolute: ['l{i-1}', 'l{i}'], at: ['cos(pi/2*i)', 0, 'sin(pi/2*i)'], axis: "
        "y}\n"
        "  close: {revolute: [l300, ground], at: [0, 0, 1], axis: y}\n"
        "surfaces: {a: {sphere: l1, radius: 0.1, material: m}, floor: {plane: ground, at: [0, 0, -0.1], material: m}}\n"
        "materials: {m: {restitution: 0.5}}\n"
        "method: %s\nend: 1\n",
        methods[i]);
    write_text(scratch("cut.yaml"), text);
    double took;
    CHECK_EQUAL(interrupt_tool(SIGTERM, &took), 130);
    CHECK_LE(took, 2);
    remove(scratch("cut.h5"));
  }
}

// A chain of links that all touch the floor: every contact moves every other, and forming W of its 4500 rows takes
// seconds.
static void forming_a_matrix_ends_early(void) {
  write_text(scratch("cut.yaml"),
             "bodies: {'l{i}': {repeat: {i: [1, 1500]}, mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
             "joints:\n"
             "  j1: {free: [ground, l1]}\n"
             "  j{i}: {repeat: {i: [2, 1500]}, revolute: ['l{i-1}', 'l{i}'], at: [1, 0, 0], axis: y}\n"
             "surfaces:\n"
             "  s{i}: {repeat: {i: [1, 1500]}, sphere: 'l{i}', radius: 0.1, material: m, group: links}\n"
             "  floor: {plane: ground, at: [0, 0, -0.1], material: m}\n"
             "contacts: {own: {between: [links, links], exclude: true}}\n"
             "materials: {m: {friction: 0.3}}\n"
             "method: {moreau: {step: 1e-3}}\nend: 1\n");
  double took;
  CHECK_EQUAL(interrupt_tool(SIGTERM, &took), 130);
  CHECK_LE(took, 2);
  remove(scratch("cut.h5"));
}

// W is formed from the last row to the first; interrupted at once, it has no first row.
static void forming_a_matrix_asks(void) {
  run r;
  static const char text[] =
      "bodies: {'l{i}': {repeat: {i: [1, 9]}, mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {'j{i}': {repeat: {i: [1, 9]}, free: [ground, 'l{i}'], at: [i, 0, 0]}}\n"
      "surfaces:\n"
      "  s{i}: {repeat: {i: [1, 9]}, sphere: 'l{i}', radius: 0.1, material: m}\n"
      "  floor: {plane: ground, at: [0, 0, -0.1], material: m}\n"
      "materials: {m: {friction: 0.3}}\nmethod: {moreau: {step: 1e-3}}\nend: 1\n";
  if (!run_open_text(&r, text, NULL)) return;
  run_to(&r, 0.01);
  motion *x = r.sim->x;
  const mechanism *m = &r.model->m;
  double *W = calloc((size_t)x->row_total * (size_t)x->row_total, sizeof *W);
  CHECK_EQUAL(x->row_total, 27);
  dynamics_positions_velocities(m, x);
  CHECK(response_factor(m, x));
  response_matrix(m, x, W);
  CHECK(W[0] > 0);
  interrupt stop = {.go_on = never}, *before = x->stop;
  x->stop = &stop;
  response_problem(m, x, W);
  x->stop = before;
  CHECK(stop.raised && W[0] == 0);
  free(W);
  run_close(&r);
}

static void factorisations_ask(void) {
  enum { N = 400 };
  double *A = calloc(2 * N * N, sizeof *A);
  int order[N];
  interrupt stop = {.go_on = never};
  for (int i = 0; i < N; i++) A[i * N + i] = 1;
  CHECK(!dense_cholesky(N, A, N, 0, &stop));
  stop = (interrupt){.go_on = never};
  CHECK_EQUAL(dense_rank(N, A, 1e-12, order, &stop), -1);
  stop = (interrupt){.go_on = never};
  CHECK_EQUAL(dense_gram_schmidt(N, N, A, N, 1e-12, A + N * N, order, &stop), -1);
  free(A);
}

static void rows_beyond_all_reason_are_refused(void) {
  run r;
  if (!run_open_text(&r, with_method("method: event\nrecord: {every: 1e-300}"), NULL)) return;
  carom_run_options options = {0};
  CHECK_EQUAL(carom_run(r.model, &options, NULL, &r.error), CAROM_ERROR_USAGE);
  CHECK_CONTAINS(r.error.message, "record.every");
  run_close(&r);
}

static void a_run_without_progress_ends(void) {
  run r;
  if (!run_open_text(&r, with_method("method: {moreau: {step: 1e-163}}"), NULL)) return;
  carom_run_options options = {0};
  CHECK_EQUAL(carom_run(r.model, &options, NULL, &r.error), CAROM_ERROR_INTEGRATOR);
  CHECK_CONTAINS(r.error.message, "no progress");
  CHECK_EQUAL(carom_sim_advance(r.sim, 1, &r.error), CAROM_ERROR_INTEGRATOR);
  CHECK_CONTAINS(r.error.message, "no progress");
  run_close(&r);
}

int main(void) {
  RUN(solvers_end_when_interrupted);
  RUN(large_factorisations_end_when_interrupted);
  RUN(large_problems_end_when_interrupted);
  RUN(an_integrator_ends_within_its_step);
  RUN(rows_of_touches_end_when_interrupted);
  RUN(an_interrupted_sim_goes_on);
  RUN(every_run_ends_within_two_seconds);
  RUN(an_interrupted_record_can_be_resumed);
  RUN(factorisations_ask);
  RUN(a_factorisation_ends_early);
  RUN(forming_a_matrix_asks);
  RUN(forming_a_matrix_ends_early);
  RUN(rows_beyond_all_reason_are_refused);
  RUN(a_run_without_progress_ends);
  return check_summary();
}
