// The chain of solvers against each of its solvers alone, on hyperstatic problems of 100 to 1000 contacts: those of the
// bench, variations of them, those of the references, those of piles that settle here, and files named on the command
// line (problems that a run has dumped). The chain and the solvers run in turns, to the same tolerance, and the best of
// several runs counts. Printed for each problem: processor times, their ratio, the ratio of the work by the model of
// solve/work.h, and what the chain has tried, in its order.
//
//   bench_solver_race [PART…] [FILE…] [held] [all] [SECONDS] [seed=N] [tolerance=X] [runs=N]
//
// PART: bench, others, references or piles; none and no file: all of them. `held` takes other seeds than the ones that
// the costs of the chain were chosen with; `seed=N` any others. `all` lets each solver take three times as long as the
// chain, to see by how much it is slower. SECONDS: the most that one run may take. The problems of piles are kept in
// the folder of the build, so that a chain that was changed is raced on the same ones.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pile_model.h"
#include "solve_file.h"
#include "solver_race.h"

static double tolerances[] = {1e-5, 1e-8, 1e-10};
static int tolerance_count = sizeof tolerances / sizeof *tolerances;
enum { RACED_FROM = 100, HELD_SEED = 1001 };
static const double WANTED = 1.5;
static race_terms terms = {.slower = 1.1, .patience = 20, .most = INFINITY};
static int seed = 1;  // of the variations and piles

typedef struct tally {
  int races, over, small;  // over: of at least RACED_FROM contacts and above WANTED; small: above WANTED of the others
  int over_by_work;        // of at least RACED_FROM contacts
  int unsolved;            // by the chain, where a solver alone solves it
  double worst, worst_by_work;
} tally;

static void print_race(const char *name, const solve_problem *p, const race_result *x) {
  int count;
  const solver *const *list = solver_list(&count);
  printf("%-34s %5d contacts to %.0e: %9.2f ms, residual %.1e by %-13s alone", name, p->block_count, terms.tolerance,
         1e3 * x->chain.seconds, x->of_chain.residual, x->of_chain.stage);
  for (int i = 0; i < count; i++)
    if (x->solver[i].seconds < INFINITY) printf(" %s %.2f", list[i]->name, 1e3 * x->solver[i].seconds);
  printf(" ms, residual %.1e; ratio %.2f, of work %.2f%s\n", x->least, x->ratio, x->work_ratio,
         x->ratio > WANTED ? " ABOVE 1.5" : "");
}

// Work in milliseconds of the model. What the sweeps do between two other attempts is one entry.
static void print_log(const chain_log *log) {
  int shown = log->count < CHAIN_LOG_MAX ? log->count : CHAIN_LOG_MAX;
  printf("   ");
  for (int i = 0; i < shown;) {
    double work = 0;
    int iterations = 0, first = i;
    for (; i < shown && log->entry[i].name == log->entry[first].name; i++)
      work += log->entry[i].work, iterations += log->entry[i].iterations;
    printf(" %s %d %.2f (%.0e)", log->entry[first].name, iterations, 1e-6 * work, log->entry[i - 1].residual);
  }
  printf("\n");
}

static void race(tally *t, const char *name, const solve_problem *p) {
  for (int i = 0; i < tolerance_count; i++) {
    terms.tolerance = tolerances[i];
    race_result x = race_problem(p, &terms);
    bool large = p->block_count >= RACED_FROM;
    print_race(name, p, &x);
    print_log(&x.log);
    fflush(stdout);
    t->races++;
    t->unsolved += x.ratio == INFINITY;
    if (large && x.ratio < INFINITY)
      t->worst = fmax(t->worst, x.ratio), t->worst_by_work = fmax(t->worst_by_work, x.work_ratio);
    t->over_by_work += large && x.work_ratio > WANTED;
    if (x.ratio > WANTED) *(large ? &t->over : &t->small) += 1;
  }
}

static void race_scene(tally *t, const char *name, scene_data s) {
  jmp_buf out_of_memory;
  if (setjmp(out_of_memory)) exit(1);
  arena memory = arena_create(&out_of_memory);
  solve_problem p = scene_problem(&memory, &s);
  race(t, name, &p);
  scene_free(&s);
  arena_free(&memory);
}

static void race_varied(tally *t, const char *name, scene_data s, int number, double masses, double friction,
                        double noise) {
  scene_vary(&s, number + 100 * (seed - 1), masses, friction, noise);
  race_scene(t, name, s);
}

static void race_file(tally *t, const char *path) {
  jmp_buf out_of_memory;
  if (setjmp(out_of_memory)) exit(1);
  arena memory = arena_create(&out_of_memory);
  carom_error error = {0};
  const char *slash = strrchr(path, '/');
  const solve_problem *p = solve_file_read(&memory, path, &error);
  if (p) race(t, slash ? slash + 1 : path, p);
  else printf("%s\n", error.text);
  arena_free(&memory);
}

static void race_references(tally *t) {
  static const char *const names[] = {"Capsules-i100-1090.dat", "Box_Stacks-i0122-82-5.hdf5",
                                      "FrictionContactProblem00071.dat"};
  const char *shared = getenv("CAROM_SHARED");
  for (int i = 0; i < 3; i++) {
    char path[1400];
    snprintf(path, sizeof path, "%s/refs/friction/%s", shared ? shared : BENCH_MODELS "/../../shared", names[i]);
    race_file(t, path);
  }
}

static void race_bench(tally *t) {
  race_scene(t, "bricks, slipping", scene_bricks(6, 0.3, 1e-2));
  race_scene(t, "bricks, at rest", scene_bricks(6, 0.8, 1e-3));
  race_scene(t, "balls, slipping", scene_balls(5, 0.3, 1e-2));
  race_scene(t, "balls, at rest", scene_balls(5, 0.8, 1e-3));
  race_scene(t, "balls, at rest", scene_balls(6, 0.8, 1e-3));
  race_scene(t, "random, 20 bodies", scene_random(100, 20));
  race_scene(t, "random, 60 bodies", scene_random(300, 60));
  race_scene(t, "random, 400 bodies", scene_random(1000, 400));
  race_scene(t, "bricks, slipping", scene_bricks(15, 0.3, 1e-2));
}

// Other sizes, friction, masses and velocities than the costs of the chain were measured on.
static void race_others(tally *t) {
  race_varied(t, "bricks, mu 0.5", scene_bricks(5, 0.5, 3e-3), 1, 1, 1, 1e-3);
  race_varied(t, "bricks, masses 10", scene_bricks(7, 0.6, 1e-3), 2, 10, 1.3, 1e-3);
  race_varied(t, "bricks, masses 100", scene_bricks(8, 0.4, 1e-3), 3, 100, 1, 3e-3);
  race_varied(t, "bricks, at rest", scene_bricks(10, 0.8, 1e-3), 4, 1, 1, 0);
  race_varied(t, "bricks, mu 0.2", scene_bricks(12, 0.2, 1e-3), 5, 1, 1.5, 1e-3);
  race_varied(t, "balls, mu 0.5", scene_balls(5, 0.5, 3e-3), 6, 1, 1, 1e-3);
  race_varied(t, "balls, masses 10", scene_balls(6, 0.6, 1e-3), 7, 10, 1.3, 1e-3);
  race_varied(t, "balls, masses 100", scene_balls(5, 0.3, 1e-3), 8, 100, 1, 3e-3);
  race_varied(t, "balls, slipping", scene_balls(7, 0.2, 1e-2), 9, 1, 1, 0);
  race_varied(t, "balls, at rest", scene_balls(7, 0.8, 1e-3), 10, 1, 1, 0);
  race_varied(t, "random, 40 bodies", scene_random(150, 40), 11, 10, 1.5, 0.3);
  race_varied(t, "random, 30 bodies", scene_random(200, 30), 12, 1, 2, 0.3);
  race_varied(t, "random, 150 bodies", scene_random(400, 150), 13, 100, 1, 0.3);
  race_varied(t, "random, 100 bodies", scene_random(500, 100), 14, 3, 1.2, 0.1);
  race_varied(t, "random, 250 bodies", scene_random(1000, 250), 15, 1, 1, 0.3);
}

// --- piles -----------------------------------------------------------------------------------------------------------

enum { EVERY = 11, PILE_RACES = 3, PATH = 1400 };

// Contacts of a dumped problem; 0 where there is no such file.
static int dumped_contacts(const char *path) {
  int contacts = 0;
  char line[80] = "";
  FILE *from = fopen(path, "r");
  if (!from) return 0;
  if (fgets(line, sizeof line, from) && fgets(line, sizeof line, from)) contacts = atoi(line);
  fclose(from);
  return contacts;
}

static void dumped_path(const char *dump, long step, int k, char path[PATH]) {
  if (k > 1) snprintf(path, PATH, "%s-%ld-%d.dat", dump, step, k);
  else snprintf(path, PATH, "%s-%ld.dat", dump, step);
}

static void kept_path(const pile *p, int k, char path[PATH]) {
  snprintf(path, PATH, BENCH_BUILD "/race-%s-%d-%d-%d.dat", pile_names[p->kind], p->bodies, p->seed, k);
}

// Of the problems that a pile has dumped the last ones, some steps apart, are kept; all others are removed.
static void keep_dumped(const pile *p, const char *dump, long steps) {
  enum { ISLANDS = 400, APART = 40 };
  char path[PATH], kept[PATH];
  int count = 0;
  for (long step = steps, last = steps + APART; step > 0; step--)
    for (int k = 1; k <= ISLANDS; k++) {
      dumped_path(dump, step, k, path);
      int contacts = dumped_contacts(path);
      kept_path(p, count, kept);
      if (contacts >= RACED_FROM && contacts <= 1000 && last - step >= APART && count < PILE_RACES &&
          rename(path, kept) == 0)
        count++, last = step;
      else if (contacts) unlink(path);
    }
}

static void settle(pile p) {
  carom_error error = {0};
  char dump[PATH - 100];
  snprintf(dump, sizeof dump, BENCH_BUILD "/%s-%d-%d", pile_names[p.kind], p.bodies, p.seed);
  carom_model *model = pile_parse(&p, dump, EVERY);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  if (sim && carom_sim_advance(sim, PILE_SETTLED, &error) == CAROM_OK)
    keep_dumped(&p, dump, carom_sim_summary(sim).steps);
  if (error.text[0]) printf("%s\n", error.text);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static void race_pile(tally *t, pile p) {
  char path[PATH];
  kept_path(&p, 0, path);
  if (!dumped_contacts(path)) settle(p);
  for (int k = 0; k < PILE_RACES; k++) {
    kept_path(&p, k, path);
    if (dumped_contacts(path)) race_file(t, path);
  }
}

// Sizes that give 100 to 1000 contacts in an island.
static void race_piles(tally *t) {
  static const int bodies[PILE_KINDS][3] = {
      {100, 200, 400}, {90, 140, 200}, {120, 200, 300}, {60, 110, 160}, {90, 150, 230}};
  for (int kind = 0; kind < PILE_KINDS; kind++)
    for (int k = 0; k < 3; k++) race_pile(t, (pile){(pile_kind)kind, bodies[kind][k], seed});
}

// --- the command line ------------------------------------------------------------------------------------------------

static const struct {
  const char *name;
  void (*race)(tally *);
} parts[] = {{"references", race_references}, {"bench", race_bench}, {"others", race_others}, {"piles", race_piles}};
enum { PARTS = sizeof parts / sizeof *parts };

// Whether the word is a setting, which is then taken.
static bool take_setting(const char *word) {
  char *end;
  double number = strtod(word, &end);
  if (*end == '\0') return terms.most = number, true;
  if (strcmp(word, "held") == 0) return seed = HELD_SEED, true;
  if (strcmp(word, "all") == 0) return terms.slower = 3, true;
  if (sscanf(word, "tolerance=%lf", &number) == 1) return tolerances[0] = number, tolerance_count = 1, true;
  return sscanf(word, "runs=%d", &terms.runs) == 1 || sscanf(word, "seed=%d", &seed) == 1;
}

static void race_named(tally *t, const char *word) {
  int part = 0;
  while (part < PARTS && strcmp(word, parts[part].name) != 0) part++;
  if (part < PARTS) parts[part].race(t);
  else race_file(t, word);
}

int main(int argc, char **argv) {
  tally t = {0};
  bool all = true;
  for (int i = 1; i < argc; i++)
    if (!take_setting(argv[i])) all = false;
  for (int i = 1; i < argc; i++)
    if (!take_setting(argv[i])) race_named(&t, argv[i]);
  for (int i = 0; all && i < PARTS; i++) parts[i].race(&t);
  printf(
      "%d races; ratio at most %.2f from %d contacts on (wanted: %.1f), above in %d; by work at most %.2f, above in "
      "%d; "
      "above in %d smaller ones; %d not solved that a solver alone solves\n",
      t.races, t.worst, RACED_FROM, WANTED, t.over, t.worst_by_work, t.over_by_work, t.small, t.unsolved);
  return 0;
}
