// Sweeps shared by the processes of an MPI job: the rows of one process, and what is left when a process is killed.
#include "sweeps.h"
#include "tool.h"

#include <signal.h>

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
    "end: 200\n";

#define MPIRUN \
  "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 5 100 mpirun --oversubscribe -n %d "
// Each process leaves its number, so that it can be killed.
#define JOB                                                       \
  MPIRUN "sh -c 'echo $$ > pid.$OMPI_COMM_WORLD_RANK; exec " TOOL \
         " sweep fall.yaml --vary \"h=1 m:2 m:30\" --vary \"v=0 m/s:1 m/s:10\" --vary bad=0,3 -q -o %s'"

static bool has_mpi(void) {
  write_text(scratch("fall.yaml"), fall);
  if (shell("command -v mpirun >/dev/null") != 0) return false;
  shell("{ " MPIRUN TOOL " sweep fall.yaml --vary h=1,2 --end 1 -q -o probe.h5; } >stdout 2>stderr", 2);
  char *said = read_file(scratch("stderr"), NULL);
  bool has = said && !strstr(said, "without MPI");
  free(said);
  return has;
}

// Compares with the sweep of one process.
static void check_rows(const char *file) {
  if (!exists("alone.h5"))
    CHECK_EQUAL(carom("sweep fall.yaml --vary 'h=1 m:2 m:30' --vary 'v=0 m/s:1 m/s:10' --vary bad=0,3 -q -o alone.h5"),
                1);
  rows alone = read_rows(scratch("alone.h5")), shared = read_rows(scratch(file));
  CHECK(alone.count == 600);
  check_same(&alone, &shared);
  close_rows(&alone), close_rows(&shared);
}

static void processes_do_not_matter(void) {
  if (!has_mpi()) SKIP("no MPI");
  for (int count = 2; count <= 4; count += 2) {
    const char *file = count == 2 ? "two.h5" : "four.h5";
    CHECK_EQUAL(shell("{ " JOB "; } >stdout 2>stderr", count, file), 1);  // half of the rows fail
    check_rows(file);
  }
}

// Until the file of rows that are done has some.
static bool wait_for_rows(const char *part) {
  for (int k = 0; k < 500; k++, usleep(20000)) {
    carom_record *record = exists(part) ? carom_record_open(scratch(part), NULL) : NULL;
    long rows = record ? carom_record_get_table(record, 0).rows : 0;
    carom_record_close(record);
    if (rows > 5) return true;
  }
  return false;
}

// The first process or a worker, of two and of four. The job ends, what was finished is kept, and the next start goes
// on.
static void a_killed_process_loses_no_rows(void) {
  if (!has_mpi()) SKIP("no MPI");
  for (int k = 0; k < 4; k++) {
    const int rank = k % 2, count = k < 2 ? 2 : 4;
    const char *file = rank ? "worker.h5" : "first.h5", *part = rank ? "worker.h5.part" : "first.h5.part";
    in_scratch("rm -f pid.* %s; { { " JOB "; } >stdout 2>stderr; echo $? > code; } &", file, count, file);
    if (!CHECK(wait_for_rows(part))) return;
    in_scratch("kill -9 $(cat pid.%d)", rank);
    for (int wait = 0; wait < 1500 && !exists("code"); wait++) usleep(20000);
    char *code = read_file(scratch("code"), NULL);
    CHECK(code && atoi(code) != 0 && atoi(code) != 124);
    CHECK(!exists(file) && exists(part));
    in_scratch("rm code");
    free(code);
    CHECK_EQUAL(shell("{ " JOB "; } >stdout 2>stderr", count, file), 1);
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
