// Large stiff mechanisms. Trees under BDF: Newton's equations by a Krylov iteration with springs and dampers in its
// preconditioner. Bodies in absolute coordinates under IDA: a sparse matrix.
#include "runs.h"

// A chain of hinges with springs and dampers. Where a load depends on the state the chain keeps Newton's matrix.
static const char chain[] =
    "parameters: {n: 100, l: 0.1 m}\n"
    "bodies:\n"
    "  link{i}: {repeat: {i: [1, n]}, mass: 0.1, inertia: [1e-4, 1e-4, 1e-5], com: [0, 0, -l/2]}\n"
    "joints:\n"
    "  hinge1: {revolute: [ground, link1], axis: y}\n"
    "  hinge{i}: {repeat: {i: [2, n]}, revolute: [\"link{i-1}\", \"link{i}\"], at: [0, 0, -l], axis: y}\n"
    "forces:\n"
    "  spring{i}: {repeat: {i: [1, n]}, along: \"hinge{i}\", stiffness: 1e4, damping: 10}\n"
    "  load: {along: hinge1, effort: EFFORT}\n"
    "initial:\n"
    "  hinge{i+1}: {repeat: {i: [0, n-1]}, q: \"(mod(7919*i, 13) - 6)/60\", u: \"(mod(104729*i, 11) - 5)/50\"}\n"
    "integrator: {type: bdf, rtol: 1e-8, atol: 1e-8}\n"
    "end: 1\n";

enum { SHOWN = 3 };
typedef struct outcome {
  double q[SHOWN], imbalance, damper;
  long steps, evaluations;
} outcome;

static bool run_chain(bool matrix, const char *settings, outcome *out) {
  static const char *const names[SHOWN] = {"hinge1.q", "hinge2.q", "hinge15.q"};
  char text[sizeof chain + 64];
  run r;
  const char *at = strstr(chain, "EFFORT");
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - chain), chain, matrix ? "0*hinge1.q" : "0", at + strlen("EFFORT"));
  if (!run_open_text(&r, text, settings) || !run_to(&r, 5e-3)) return false;
  for (int k = 0; k < SHOWN; k++) out->q[k] = run_read(&r, names[k]);
  carom_summary s = carom_sim_summary(r.sim);
  out->imbalance = s.energy_imbalance, out->damper = run_read(&r, "energy.damper");
  out->steps = s.steps, out->evaluations = s.evaluations;
  run_close(&r);
  return true;
}

// Both follow the same equations to the tolerance, 1e-8, of which a run of some hundred steps keeps two digits less.
static void a_krylov_iteration_moves_as_the_matrix(void) {
  outcome krylov, matrix;
  if (!CHECK(run_chain(false, NULL, &krylov) && run_chain(true, NULL, &matrix))) return;
  for (int k = 0; k < SHOWN; k++) CHECK_NEAR(krylov.q[k], matrix.q[k], 1e-6);
  CHECK_NEAR(krylov.damper, matrix.damper, 1e-5 * fabs(matrix.damper));
  CHECK_LE(krylov.imbalance, 1e-6);
  CHECK_LE((double)krylov.steps, 1.3 * (double)matrix.steps);
  CHECK_LE((double)krylov.evaluations, 0.7 * (double)matrix.evaluations);  // the matrix takes two for each link
}

// The preconditioner has all that is stiff: what a step takes does not depend on the number of links.
static void steps_take_as_much_for_any_number_of_links(void) {
  outcome small, large;
  if (!CHECK(run_chain(false, "n=100", &small) && run_chain(false, "n=400", &large))) return;
  double per_step = (double)small.evaluations / (double)small.steps;
  CHECK_LE((double)large.evaluations / (double)large.steps, 1.2 * per_step);
  CHECK_LE(per_step, 5);
  CHECK_LE(large.imbalance, 1e-6);
}

// --- absolute coordinates by IDA -------------------------------------------------------------------------------------

#define BY_IDA "coordinates=absolute integrator.type=ida integrator.rtol=1e-7 integrator.atol=1e-7 "

// Newton's matrix with the pattern of bodies and rows, and the full one.
static void a_sparse_matrix_moves_as_the_full_one(void) {
  outcome sparse, full;
  if (!CHECK(run_chain(false, BY_IDA "n=15", &sparse) && run_chain(true, BY_IDA "n=15", &full))) return;
  CHECK_NEAR(sparse.q[0], full.q[0], 1e-6);
  CHECK_NEAR(sparse.q[1], full.q[1], 1e-6);
  CHECK_NEAR(sparse.damper, full.damper, 1e-5 * fabs(full.damper));
  CHECK_LE(sparse.imbalance, 1e-6);
  CHECK_LE((double)sparse.steps, 1.3 * (double)full.steps);
  CHECK_LE((double)sparse.evaluations, 0.5 * (double)full.evaluations);  // colours against one for each component
}

// Columns of bodies that are far from each other share a difference.
static void colours_do_not_grow_with_the_number_of_links(void) {
  outcome small, large;
  if (!CHECK(run_chain(false, BY_IDA "n=20", &small) && run_chain(false, BY_IDA "n=80", &large))) return;
  double per_step = (double)small.evaluations / (double)small.steps;
  CHECK_LE((double)large.evaluations / (double)large.steps, 1.3 * per_step);
  CHECK_LE(large.imbalance, 1e-6);
}

int main(void) {
  RUN(a_krylov_iteration_moves_as_the_matrix);
  RUN(steps_take_as_much_for_any_number_of_links);
  RUN(a_sparse_matrix_moves_as_the_full_one);
  RUN(colours_do_not_grow_with_the_number_of_links);
  return check_summary();
}
