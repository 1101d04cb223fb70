// Sweeps shared by the processes of an MPI job: the rows of one process, and what is left when a process is killed.
#include "mpi_job.h"
#include "sweeps.h"

static const char *const fall =
    "space: planar\n"
    "gravity: [0, -10]\n"
    "parameters: {h: 1 m, v: 0 m/s, bad: 0}\n"
    "bodies: {ball: {mass: 2 - bad, inertia: 1}}\n"
    "joints: {free: {free: [ground, ball]}}\n"
    "initial: {free: {q: [0, 0, h], u: [0, 0, v]}}\n"
    "outputs: {y: ball.y}\n"
    "method: smooth\n"
    "record: {every: 10 ms}\n"
    "end: 1\n";

// How long the runs of a sweep last, in the time of the model.
static double duration = 200;

// The words of a sweep of 600 rows.
static const char *sweep_into(const char *file) {
  static char words[400];
  snprintf(words, sizeof words,
           "sweep fall.yaml --vary 'h=1 m:2 m:30' --vary 'v=0 m/s:1 m/s:10' --vary bad=0,3 --end %g -q -o %s", duration,
           file);
  return words;
}

static int run_job(int ranks, const char *words) {
  const mpi_job job = mpi_start(ranks, words);
  return mpi_wait(&job, 100);
}

static bool has_mpi(void) {
  write_text(scratch("fall.yaml"), fall);
  if (shell("command -v mpirun >/dev/null") != 0) return false;
  run_job(2, "sweep fall.yaml --vary h=1,2 --end 1 -q -o probe.h5");
  char *said = read_file(scratch("stderr"), NULL);
  bool has = said && !strstr(said, "without MPI");
  free(said);
  return has;
}

// Half of the rows fail.
static void run_whole(int ranks, const char *file) {
  const int code = run_job(ranks, sweep_into(file));
  CHECK(code == 1 || code == LAUNCHER_HUNG);
}

// Compares with the sweep of one process.
static void check_rows(const char *file) {
  if (!exists("alone.h5")) CHECK_EQUAL(carom("%s", sweep_into("alone.h5")), 1);
  rows alone = read_rows(scratch("alone.h5")), shared = read_rows(scratch(file));
  CHECK(alone.count == 600);
  check_same(&alone, &shared);
  close_rows(&alone), close_rows(&shared);
}

static void processes_do_not_matter(void) {
  if (!has_mpi()) SKIP("no MPI");
  for (int count = 2; count <= 4; count += 2) {
    const char *file = count == 2 ? "two.h5" : "four.h5";
    run_whole(count, file);
    check_rows(file);
  }
}

// Until the file of rows that are done has some. False if the job ends before; rows are in the file after a second.
static bool wait_for_rows(const mpi_job *job, const char *part) {
  for (int k = 0; k < 1500 && (k < 50 || mpi_runs(job)); k++, usleep(20000)) {
    carom_record *record = exists(part) ? carom_record_open(scratch(part), NULL) : NULL;
    long rows = record ? carom_record_get_table(record, 0).rows : 0;
    carom_record_close(record);
    if (rows > 5) return true;
  }
  return false;
}

// Starts a job and waits for its first rows. A machine that ends the sweep before gets longer runs.
static mpi_job start_with_rows(int ranks, const char *file, const char *part) {
  for (;; duration *= 2) {
    unlink(scratch(file)), unlink(scratch(part));
    const mpi_job job = mpi_start(ranks, sweep_into(file));
    if (wait_for_rows(&job, part)) return job;
    mpi_wait(&job, 100);
    unlink(scratch("alone.h5"));
    if (!CHECK(duration < 1e5)) return job;
  }
}

// The first process or a worker, of two and of four. The job ends, what was finished is kept, and the next start goes
// on.
static void a_killed_process_loses_no_rows(void) {
  if (!has_mpi()) SKIP("no MPI");
  for (int k = 0; k < 4; k++) {
    const int rank = k % 2, count = k < 2 ? 2 : 4;
    const char *file = rank ? "worker.h5" : "first.h5", *part = rank ? "worker.h5.part" : "first.h5.part";
    const mpi_job job = start_with_rows(count, file, part);
    if (CHECK(mpi_process(rank))) kill(mpi_process(rank), SIGKILL);
    CHECK(mpi_wait(&job, 30) != 0);
    CHECK(!exists(file) && exists(part));
    run_whole(count, file);
    check_rows(file);
  }
}

int main(void) {
  if (!tool_is_there()) return 1;
  RUN(processes_do_not_matter);
  RUN(a_killed_process_loses_no_rows);
  forget_output();
  return check_summary();
}
