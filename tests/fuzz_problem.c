// Any bytes as a contact problem: read and, if that succeeds, solved for a moment by every solver. Nothing may crash,
// leak or hang; what is refused has a status and a message, and what is read is a valid problem that comes back the
// same when written.
#include "fuzz.h"

#include "solve/problem_text.h"
#include "solve/solver.h"

enum { ROWS_MAX = 40 };

static void solve_a_little(const solve_problem *p) {
  solve_limits limits = solve_limits_of(p);
  solve_workspace *w = solve_workspace_create(&limits, NULL);
  if (!w) return;
  double r[ROWS_MAX], u[ROWS_MAX];
  solve_solution solution = {r, u};
  solve_settings settings = solve_settings_default();
  settings.iterations = 20;
  int count;
  const solver *const *list = solver_list(&count);
  for (int i = -1; i < count; i++) {
    if (i >= 0 && strcmp(list[i]->name, "enumerate") == 0 && p->block_count > 8) continue;  // slow is not wrong
    solve_info info =
        i < 0 ? solve_chain(p, &settings, w, &solution, NULL) : solver_run(list[i], p, &settings, w, &solution);
    if (info.status == SOLVE_SOLVED && !(info.residual <= settings.tolerance)) abort();
  }
  solve_workspace_destroy(w);
}

static void write_and_read(arena *memory, const solve_problem *p) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return;
  problem_print(to, p, PROBLEM_BLOCKS);
  fclose(to);
  const solve_problem *back = problem_parse(memory, "back", text, size, NULL);
  if (!back || back->W.rows != p->W.rows || memcmp(back->q, p->q, (size_t)p->W.rows * sizeof *p->q) != 0) abort();
  free(text);
}

static void fuzz_text(arena *memory, const char *text, size_t size) {
  carom_error error = {0};
  const solve_problem *p = problem_parse(memory, "fuzz.dat", text, size, &error);
  if (!p && (error.status == CAROM_OK || error.text[0] == '\0')) abort();
  if (p && !solve_problem_valid(p)) abort();
  if (p && p->W.rows <= ROWS_MAX) {
    write_and_read(memory, p);
    solve_a_little(p);
  }
}
