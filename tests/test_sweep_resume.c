// Sweeps of slider-cranks that are interrupted at random and resumed: whatever runs the rows, and whatever was killed,
// the table is that of one uninterrupted sweep, bit for bit but for the wall times. The long form has 10 000 rows and
// ten interruptions for each way to run them.
#include "long.h"
#include "mpi_job.h"
#include "sweeps.h"

#include <sys/stat.h>

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

// When a file was last written [s]; 0 if it does not exist.
static double written(const char *name) {
  struct stat about;
  if (stat(scratch(name), &about) != 0) return 0;
  return (double)about.st_mtim.tv_sec + 1e-9 * (double)about.st_mtim.tv_nsec;
}

// A sweep as one process, or as the processes of an MPI job of two.
typedef struct sweep_run {
  const char *line;  // of the shell, or the words of the tool
  const char *file;
  bool mpi;
  mpi_job job;
} sweep_run;

static void begin_run(sweep_run *r) { r->job = r->mpi ? mpi_start(2, r->line) : (mpi_job){.launcher = start(r->line)}; }

// Until both processes run and the first has the file of finished rows open: before that it is MPI that works. Or until
// the job has ended.
static void wait_for_rows(const sweep_run *r) {
  char part[64];
  snprintf(part, sizeof part, "%s.part", r->file);
  siginfo_t ended = {0};
  for (const double began = seconds_now(); seconds_now() - began < 30; usleep(5000)) {
    if (mpi_process(0) && mpi_process(1) && written(part) > fmax(written("pid.0"), written("pid.1"))) return;
    if (waitid(P_PID, (id_t)r->job.launcher, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == r->job.launcher)
      return;
  }
}

// Ends one process of an MPI job, or asks the whole job to end.
static void interrupt_run(const sweep_run *r, int turn) {
  if (!r->mpi) kill(-r->job.launcher, turn % 3 ? SIGKILL : SIGINT);
  else if (turn % 3 == 0) kill(r->job.launcher, SIGTERM);
  else if (mpi_process(turn % 3 - 1)) kill(mpi_process(turn % 3 - 1), SIGKILL);
}

// The exit code.
static int end_run(const sweep_run *r, double seconds) {
  int status = 0;
  if (r->mpi) return mpi_wait(&r->job, seconds);
  if (CHECK(ends_within(r->job.launcher, seconds, &status))) return exit_code(status);
  kill(-r->job.launcher, SIGKILL);
  waitpid(r->job.launcher, &status, 0);
  return JOB_HUNG;
}

// Runs a sweep until it has been interrupted so many times, after up to `delay` seconds each, and then to its end. A
// sweep that ends before it is interrupted begins again with half of the delay.
static void run_interrupted(sweep_run *r, int times, double delay) {
  int interrupted = 0;
  for (int turn = 0; interrupted < times && turn < 100; turn++) {
    begin_run(r);
    if (r->mpi) wait_for_rows(r);
    usleep((useconds_t)(1e6 * delay * (0.2 + 0.8 * share())));
    interrupt_run(r, turn);
    end_run(r, 30);
    if (!exists(r->file)) {
      interrupted++;
    } else {
      delay /= 2;
      unlink(scratch(r->file));
    }
  }
  CHECK_EQUAL(interrupted, times);
  begin_run(r);
  const int code = end_run(r, long_form() ? 600 : 100);
  CHECK(code == 0 || code == LAUNCHER_HUNG);
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
  run_interrupted(&(sweep_run){.line = line, .file = file}, times, delay_of(seconds, times));
  check_file(file);
}

static void one_thread_resumes(void) { interrupted_with_threads(1); }
static void two_threads_resume(void) { interrupted_with_threads(2); }

static void two_ranks_resume(void) {
  if (shell("command -v mpirun >/dev/null") != 0) SKIP("no MPI");
  char words[600];
  const double seconds = reference_seconds() / 2;
  const int times = interruptions_of_sweep();
  snprintf(words, sizeof words, "%s -o ranks.h5", sweep_words());
  run_interrupted(&(sweep_run){.line = words, .file = "ranks.h5", .mpi = true}, times, delay_of(seconds, times));
  check_file("ranks.h5");
}

static void four_shards_resume(void) {
  const double seconds = reference_seconds() / 4;
  for (int k = 1; k <= 4; k++) {
    char line[1000], file[32];
    const int times = (interruptions_of_sweep() + 4 - k) / 4;
    snprintf(file, sizeof file, "shard-%d.h5", k);
    snprintf(line, sizeof line, "exec %s %s --shard %d/4 -o %s 2>>stderr", TOOL, sweep_words(), k, file);
    run_interrupted(&(sweep_run){.line = line, .file = file}, times, delay_of(seconds, times > 0 ? times : 1));
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
