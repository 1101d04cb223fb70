// Sweeps of slider-cranks that are interrupted at random and resumed: whatever runs the rows, and whatever was killed,
// the table is that of one uninterrupted sweep, bit for bit but for the wall times. The long form has 10 000 rows and
// ten interruptions for each way to run them.
#include "long.h"
#include "sweeps.h"
#include "tool.h"

#include <sys/wait.h>
#include <time.h>

static long rows_of_sweep(void) { return long_form() ? 10000 : 50; }
static int interruptions_of_sweep(void) { return long_form() ? 10 : 2; }

// The arguments of a sweep of so many rows.
static const char *words_of(long rows) {
  static char words[400];
  snprintf(words, sizeof words,
           "sweep " CHECK_SOURCE_DIR
           "/models/slider-crank.yaml --set end=0.1 --set record.every=1e-3 --vary 'omega3=-75:0:10' "
           "--vary 'clearance=0.1 mm:1 mm:%ld' --take 'max(guide.fn), last(crank.q), at(slider.x, 50 ms)' -q",
           rows / 10);
  return words;
}

static const char *sweep_words(void) { return words_of(rows_of_sweep()); }

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The largest resident memory of any process so far that this one has started and that has ended [kB].
static long most_memory(void) {
  struct rusage use;
  getrusage(RUSAGE_CHILDREN, &use);
  return use.ru_maxrss;
}

// The uninterrupted sweep, made once, and how long it takes on one core [s].
static double reference_seconds(void) {
  static double seconds;
  if (exists("reference.h5")) return seconds;
  const double began = seconds_now();
  CHECK_EQUAL(carom("%s -o reference.h5", sweep_words()), 0);
  return seconds = seconds_now() - began;
}

static void check_file(const char *name) {
  rows reference = read_rows(scratch("reference.h5")), resumed = read_rows(scratch(name));
  CHECK_EQUAL(reference.count, rows_of_sweep());
  check_same(&reference, &resumed);
  close_rows(&reference), close_rows(&resumed);
}

// --- interruptions ---------------------------------------------------------------------------------------------------

static double share(void) {  // from 0 to 1, the same in every run
  static uint64_t state = 20;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 40) / (double)(1 << 24);
}

static pid_t start(const char *line) {
  fflush(stdout);
  const pid_t child = fork();
  if (child) return child;
  setpgid(0, 0);
  if (chdir(check_scratch_dir()) != 0) _exit(127);
  execl("/bin/sh", "sh", "-c", line, (char *)NULL);
  _exit(127);
}

// Ends one process of an MPI job of two, or asks the whole job to end where rank is -1. Each process leaves its number.
static void end_rank(pid_t job, int rank) {
  if (rank < 0) kill(job, SIGTERM);
  else shell("kill -9 $(cat pid.%d) 2>/dev/null", rank);
}

static void wait_for_ranks(void) {
  for (int k = 0; k < 3000 && !(exists("pid.0") && exists("pid.1")); k++) usleep(10000);
}

// Runs a line until it has been interrupted so many times, after up to `delay` seconds each, and then to its end. A
// sweep that ends before it is interrupted begins again with half of the delay.
static void run_interrupted(const char *line, const char *file, bool mpi, int times, double delay) {
  int status = 0, interrupted = 0;
  for (int turn = 0; interrupted < times && turn < 100; turn++) {
    if (mpi) in_scratch("rm -f pid.0 pid.1");
    const pid_t child = start(line);
    if (mpi) wait_for_ranks();
    usleep((useconds_t)(1e6 * delay * (0.2 + 0.8 * share())));
    if (mpi) end_rank(child, turn % 3 - 1);
    else kill(-child, turn % 3 ? SIGKILL : SIGINT);
    waitpid(child, &status, 0);
    if (exit_code(status) != 0) {
      interrupted++;
    } else {
      delay /= 2;
      unlink(scratch(file));
    }
  }
  CHECK_EQUAL(interrupted, times);
  waitpid(start(line), &status, 0);
  CHECK_EQUAL(exit_code(status), 0);
}

// Together the interruptions come within 0.6 of the time that the sweep takes, so that it does not end before them. In
// the long form within 0.15 of it: the machine may have had other work before.
static double delay_of(double seconds, int times) { return (long_form() ? 0.25 : 1) * seconds / (double)times; }

// --- ways to run rows ------------------------------------------------------------------------------------------------

static void interrupted_with_threads(int threads) {
  char line[1000], file[32];
  const double seconds = reference_seconds() / threads;
  snprintf(file, sizeof file, "threads-%d.h5", threads);
  snprintf(line, sizeof line, "exec %s %s -j %d -o %s 2>>stderr", TOOL, sweep_words(), threads, file);
  const int times = interruptions_of_sweep();
  run_interrupted(line, file, false, times, delay_of(seconds, times));
  check_file(file);
}

static void one_thread_resumes(void) { interrupted_with_threads(1); }
static void two_threads_resume(void) { interrupted_with_threads(2); }

static void two_ranks_resume(void) {
  if (shell("command -v mpirun >/dev/null") != 0) SKIP("no MPI");
  char line[1600];
  const double seconds = reference_seconds() / 2;
  const int times = interruptions_of_sweep();
  snprintf(line, sizeof line,
           "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; exec mpirun --oversubscribe -n 2 "
           "sh -c 'echo $$ > pid.$OMPI_COMM_WORLD_RANK; exec " TOOL
           " \"$@\" 2>>stderr' sh %s -o ranks.h5 >>stdout 2>&1",
           sweep_words());
  run_interrupted(line, "ranks.h5", true, times, delay_of(seconds, times));
  check_file("ranks.h5");
}

static void four_shards_resume(void) {
  const double seconds = reference_seconds() / 4;
  for (int k = 1; k <= 4; k++) {
    char line[1000], file[32];
    const int times = (interruptions_of_sweep() + 4 - k) / 4;
    snprintf(file, sizeof file, "shard-%d.h5", k);
    snprintf(line, sizeof line, "exec %s %s --shard %d/4 -o %s 2>>stderr", TOOL, sweep_words(), k, file);
    run_interrupted(line, file, false, times, delay_of(seconds, times > 0 ? times : 1));
  }
  CHECK_EQUAL(carom("sweep --join shard-1.h5 shard-2.h5 shard-3.h5 shard-4.h5 -q -o joined.h5"), 0);
  check_file("joined.h5");
}

// Ten times as many rows take the memory of their own numbers: in the table, in the rows that are read back, and in
// what HDF5 keeps of the file. Models and sims do not add up.
static void memory_is_flat(void) {
  const long rows = rows_of_sweep();
  enum { COLUMNS = 20 };
  CHECK_EQUAL(carom("%s -o few.h5", words_of(rows / 10)), 0);
  const long few = most_memory();
  reference_seconds();
  printf("      %ld rows: %ld kB, %ld rows: %ld kB\n", rows / 10, few, rows, most_memory());
  CHECK(most_memory() - few <= rows * COLUMNS * 8 * 4 / 1024 + 1024);
}

static void every_way_resumes(void) {
  memory_is_flat();
  one_thread_resumes(), two_threads_resume(), two_ranks_resume(), four_shards_resume();
}

int main(void) {
  if (!tool_is_there()) return 1;
  RUN(one_thread_resumes);
  RUN(two_threads_resume);
  RUN(two_ranks_resume);
  RUN(four_shards_resume);
  RUN_LONG(every_way_resumes, 600);
  forget_output();
  return check_summary();
}
